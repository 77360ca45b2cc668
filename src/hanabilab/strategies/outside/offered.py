"""Strategies that installed packages and folders offer by name.

A package offers strategies as entry points of the group ``hanabilab.strategies``::

    [project.entry-points."hanabilab.strategies"]
    careful = "somebodys_bot:careful"

A folder offers the files in it: ``careful.py`` its ``careful``. The environment variable
``HANABILAB_STRATEGIES`` names the folder, or several. Nothing is imported before it is needed.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import os
import re
from dataclasses import dataclass
from pathlib import Path

from hanabilab.errors import StrategyError, one_line
from hanabilab.strategies.outside.imports import attribute, import_file, import_named
from hanabilab.strategies.outside.recognise import as_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = ["FOLDERS", "GROUP", "NAME", "Offer", "offers"]

GROUP = "hanabilab.strategies"
FOLDERS = "HANABILAB_STRATEGIES"
NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Offer:
    """Where a strategy that somebody offers can be found."""

    name: str
    place: str
    """A file, or the name of a module."""
    attribute: str
    source: str
    """The package with its version, or the file."""

    @functools.cache  # noqa: B019  # offers are few and live as long as the process
    def load(self) -> Strategy:
        """Import it and return the strategy under the offered name."""
        try:
            is_file = self.place.endswith(".py")
            module = import_file(self.place) if is_file else import_named(self.place, [])
            found = attribute(module, self.place, self.attribute)
            strategy = as_strategy(found, self.name)
        except StrategyError as error:
            raise StrategyError(f"{self.name}, offered by {self.source}: {error}") from error
        about = dataclasses.replace(strategy.about, source=strategy.about.source or self.source)
        return dataclasses.replace(strategy, name=self.name, about=about)


def offers(taken: frozenset[str] = frozenset()) -> tuple[dict[str, Offer], list[str]]:
    """Return all offers by name, without importing them, and what is wrong with others.

    Names that are `taken` cannot be offered; of two offers of one name the first counts.
    """
    found: dict[str, Offer] = {}
    problems = []
    for offer in [*of_packages(), *_of_folders(os.environ.get(FOLDERS, ""))]:
        if not NAME.fullmatch(offer.name):
            problems.append(f"{offer.source} offers {offer.name!r}, which is not a name")
        elif offer.name in taken or found.get(offer.name, offer) != offer:
            problems.append(f"{offer.source} offers {offer.name}, a name that is taken")
        else:
            found[offer.name] = offer
    return found, [one_line(problem) for problem in problems]


@functools.cache
def of_packages() -> tuple[Offer, ...]:
    found = []
    for entry in importlib.metadata.entry_points(group=GROUP):
        source = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        found.append(Offer(entry.name, entry.module, entry.attr or entry.name, source))
    return tuple(found)


def _of_folders(folders: str) -> list[Offer]:
    return [
        Offer(path.stem, str(path), path.stem.replace("-", "_"), str(path))
        for folder in filter(None, folders.split(os.pathsep))
        for path in sorted(Path(folder).glob("[!_.]*.py"))
    ]
