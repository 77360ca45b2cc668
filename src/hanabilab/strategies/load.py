"""From the name of a player to a strategy: the only parser of what users write.

``NAME[:option=value,…]``
    a built-in strategy, or a plugin of an installed package or a folder
    (`hanabilab.strategies.plugins`);
``FILE.py:NAME[:option=value,…]``, ``module:NAME[:option=value,…]``
    an object in a user's file or module
    (`hanabilab.strategies.adapters`);
``exec:COMMAND``
    a program that speaks our protocol, docs/reference/protocol.md
    (`hanabilab.strategies.program`).

Such a text can run any code, so it is only for command lines and users' own Python.
Web pages and other untrusted texts go through `hanabilab.strategies.registered_strategy`,
which imports nothing that is not installed or registered.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
from collections.abc import Iterable
from typing import NamedTuple

from hanabilab.checks import alternatives
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.strategies import (
    STRATEGIES,
    known_names,
    read_options,
    read_strategy,
    register,
)
from hanabilab.strategies.adapters import as_strategy
from hanabilab.strategies.plugins import (
    attribute,
    import_file,
    import_named,
    source_digest,
)
from hanabilab.strategies.program import EXEC, from_command
from hanabilab.strategies.strategy import Strategy

__all__ = ["load_player", "offer_player", "own_sources", "players_in", "read_player"]

FILE = re.compile(r"(?P<place>.+?\.py):(?P<name>[^\W\d][\w.]*)(?::(?P<options>.*))?", re.DOTALL)
MODULE = re.compile(
    r"(?P<place>[^\W\d][\w.]*):(?P<name>[^\W\d][\w.]*)(?::(?P<options>.*))?", re.DOTALL
)
NO_NAME = re.compile(r"(?P<place>.+?\.py):?")
PYTEST = re.compile(r".+?\.py::\w.*")
MOST_NAMES = 6
"""The largest number of a file's players that a message lists."""


class _Place(NamedTuple):
    """The location of a user's own player."""

    file: str
    module: str
    name: str
    options: str


def _read_place(text: str) -> _Place | None:
    name = text.partition(":")[0]
    if name in STRATEGIES or name in known_names():
        return None
    if match := FILE.fullmatch(text):
        return _Place(match["place"], "", match["name"], match["options"] or "")
    if match := MODULE.fullmatch(text):
        return _Place("", match["place"], match["name"], match["options"] or "")
    return None


def players_in(words: Iterable[str]) -> dict[str, Strategy]:
    """Return the players among the words of a command line; other words are skipped."""
    found = {}
    for text in words:
        named = text.partition(":")[0] in known_names() or _read_place(text) is not None
        if named and not text.startswith(("-", EXEC)):
            with contextlib.suppress(HanabiError):
                found[text] = load_player(text)
    return found


def load_player(text: str) -> Strategy:
    """Return the strategy named by a text, with its options set."""
    strategy, values = read_player(text)
    return strategy.with_options(**values)


def read_player(text: str) -> tuple[Strategy, dict[str, str]]:
    """Return the strategy named by a text, and its options, unchecked."""
    if text.startswith(EXEC):
        return from_command(text), {}
    place = _read_place(text)
    if place is None:
        if match := NO_NAME.fullmatch(text):
            raise StrategyError(f"{text}: which player? {_names_in(match['place'])}")
        if PYTEST.fullmatch(text):
            raise StrategyError(f"{text}: write {text.replace('::', ':')}, with one colon")
        if text.startswith(":") or (text.endswith(":") and text[:-1] not in known_names()):
            raise StrategyError(f"{text}: not of the form NAME, FILE.py:NAME or module:NAME")
        return read_strategy(text)
    where = place.file or place.module
    module = import_file(where) if place.file else import_named(where, known_names())
    found = attribute(module, where, place.name)
    try:
        strategy = as_strategy(found, place.name)
    except StrategyError as error:
        raise StrategyError(f"{where}:{error}") from error
    strategy = dataclasses.replace(strategy, location=f"{where}:{place.name}")
    return strategy, read_options(text, place.options)


def _names_in(file: str) -> str:
    """Return how to name a player of a file: its strategies, or else whatever can act."""
    module = import_file(file)
    players = {name: value for name, value in vars(module).items() if name[0] != "_"}
    found = [name for name, value in players.items() if isinstance(value, Strategy)]
    found = found or [
        name
        for name, value in players.items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
    ]
    if not found:
        return f"write {file}:NAME"
    return f"write {file}:NAME, where NAME is {alternatives(found[:MOST_NAMES])}"


def own_sources(strategy: Strategy) -> dict[str, str]:
    """Return a digest of the sources of a user's own strategy, for files of results."""
    if not strategy.location:
        return {}
    return {"sources": source_digest(inspect.unwrap(strategy.act).__module__)}


def offer_player(text: str, name: str = "") -> Strategy:
    """Register the player named by a text under its own name or another one; return it.

    A player that is already known is then available with the options in the text.
    """
    strategy = dataclasses.replace(load_player(text), location="")
    if text.partition(":")[0] in STRATEGIES:
        STRATEGIES[strategy.name] = strategy
        return strategy
    return register(strategy, name)
