"""Users' players: imported files, and plugins of packages and folders.

A package provides strategies as entry points of the group ``hanabilab.strategies``::

    [project.entry-points."hanabilab.strategies"]
    careful = "somebodys_bot:careful"

A folder provides its files: ``careful.py`` the strategy ``careful``. The environment variable
``HANABILAB_STRATEGIES`` names one or more folders. Nothing is imported before it is needed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
import traceback
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path
from types import ModuleType

from hanabilab.checks import did_you_mean
from hanabilab.errors import StrategyError, one_line
from hanabilab.strategies.adapters import as_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = [
    "GROUP",
    "NAME",
    "attribute",
    "find_plugins",
    "import_file",
    "import_named",
    "module_name",
    "source_digest",
]


def module_name(path: Path) -> str:
    """Return the module name of a file, which is the same in every process."""
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
    return f"hanabilab_player_{path.stem}_{place}"


def import_file(place: str) -> ModuleType:
    """Import a file, or return the module if it was imported before.

    It can import files beside it, unless an installed module has the same name.
    """
    path = Path(place).expanduser()
    if not path.is_file():
        near = sorted(each.name for each in path.parent.glob("*.py"))
        raise StrategyError(f"no such file: {place}{did_you_mean(path.name, near)}")
    name = module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output may be read as JSON
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's code raises
        del sys.modules[name]
        raise StrategyError(_why_not_imported(place, path, error)) from error
    return module


def source_digest(module: str) -> str:
    """Return a digest of a user's module and of everything it has imported from its folder.

    Files of results contain it, so that an edited strategy does not resume old results.
    """
    folder = Path(str(sys.modules[module].__file__)).resolve().parent
    files = {
        Path(found).resolve()
        for each in list(sys.modules.values())
        if (found := getattr(each, "__file__", None)) and found.endswith(".py")
    }
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_relative_to(folder) and path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def import_named(name: str, known: list[str]) -> ModuleType:
    """Import a module by name, searching the current folder last; `known` are strategies."""
    if "" not in sys.path:
        sys.path.append("")  # in front, its files would replace modules that are not loaded yet
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            meant = did_you_mean(name, known)
            raise StrategyError(f"no strategy and no module is called {name}{meant}") from None
        raise StrategyError(_why_not_imported(name, None, error)) from error
    except (Exception, SystemExit) as error:  # whatever a user's code raises
        raise StrategyError(_why_not_imported(name, None, error)) from error


def attribute(module: ModuleType, place: str, name: str) -> object:
    """Return an attribute of a module by its name, which may be dotted; else list what exists."""
    found: object = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception as error:  # a module may have any __getattr__
            if not isinstance(error, AttributeError):
                raise StrategyError(f"{place}: {type(error).__name__}: {error}") from error
            own = [each for each in vars(module) if not each.startswith("_")]
            meant = did_you_mean(part, own)
            raise StrategyError(f"{place} has no {part}{meant}") from None
    return found


def _why_not_imported(place: str, path: Path | None, error: BaseException) -> str:
    """Describe in one line what went wrong, with the line number in the user's file."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    own = [each for each in frames if path and Path(each.filename) == path] or frames
    if isinstance(error, SystemExit):
        what = "it ends the program when it is imported; guard that with if __name__ == '__main__'"
    return f"{own[-1].filename}, line {own[-1].lineno}: {what}" if own else f"{place}: {what}"


GROUP = "hanabilab.strategies"
FOLDERS = "HANABILAB_STRATEGIES"
NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Plugin:
    """The location of a strategy provided by a plugin."""

    name: str
    place: str
    """A file, or the name of a module."""
    attribute: str
    source: str
    """The package with its version, or the file."""

    @functools.cache  # noqa: B019  # plugins are few and live as long as the process
    def load(self) -> Strategy:
        """Import it and return the strategy under its plugin name."""
        try:
            is_file = self.place.endswith(".py")
            module = import_file(self.place) if is_file else import_named(self.place, [])
            found = attribute(module, self.place, self.attribute)
            strategy = as_strategy(found, self.name)
        except StrategyError as error:
            raise StrategyError(f"{self.name}, offered by {self.source}: {error}") from error
        about = dataclasses.replace(strategy.about, source=strategy.about.source or self.source)
        return dataclasses.replace(strategy, name=self.name, about=about)


def find_plugins(taken: frozenset[str] = frozenset()) -> tuple[dict[str, Plugin], list[str]]:
    """Return all plugins by name, without importing them, and what is wrong with others.

    Names in `taken` cannot be used; of two plugins with one name the first counts.
    """
    found: dict[str, Plugin] = {}
    offers, malformed = package_plugins()
    problems = list(malformed)
    for offer in [*offers, *_folder_plugins(os.environ.get(FOLDERS, ""))]:
        if not NAME.fullmatch(offer.name):
            problems.append(f"{offer.source} offers {offer.name!r}, which is not a name")
        elif offer.name in taken or found.get(offer.name, offer) != offer:
            problems.append(f"{offer.source} offers {offer.name}, a name that is taken")
        else:
            found[offer.name] = offer
    return found, [one_line(problem) for problem in problems]


@functools.cache
def package_plugins() -> tuple[tuple[Plugin, ...], tuple[str, ...]]:
    """Return the plugins of installed packages, and a line for each malformed entry point."""
    found, problems = [], []
    entries, malformed = _entry_points()
    for entry in entries:
        try:
            source = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
            found.append(Plugin(entry.name, entry.module, entry.attr or entry.name, source))
        except Exception:  # importlib.metadata has no error of its own for this
            problems.append(f"the entry point {entry.name} = {entry.value} is malformed")
    return tuple(found), (*malformed, *problems)


def _entry_points() -> tuple[list[EntryPoint], list[str]]:
    """Return the entry points of our group, and the packages whose entry points are unreadable."""
    found: list[EntryPoint] = []
    problems: list[str] = []
    try:
        return list(importlib.metadata.entry_points(group=GROUP)), problems
    except Exception:  # one package breaks them all: ask each by itself
        packages = list(importlib.metadata.distributions())
    for package in packages:
        try:
            found += package.entry_points.select(group=GROUP)
        except Exception:
            problems.append(f"the entry points of {_package_name(package)} cannot be read")
    return found, problems


def _package_name(package: Distribution) -> str:
    try:
        return package.name
    except Exception:
        return "an installed package"


def _folder_plugins(folders: str) -> list[Plugin]:
    return [
        Plugin(path.stem, str(path), path.stem.replace("-", "_"), str(path))
        for folder in filter(None, folders.split(os.pathsep))
        for path in sorted(Path(folder).glob("[!_.]*.py"))
    ]
