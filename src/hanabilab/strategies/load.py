"""Load a user's own strategy or policy from a module or a file."""

from __future__ import annotations

import importlib
import importlib.util
import operator
import sys
from pathlib import Path
from types import ModuleType

from hanabilab.errors import StrategyError
from hanabilab.strategies.policy import from_policy
from hanabilab.strategies.program import EXEC, from_command
from hanabilab.strategies.strategy import Strategy

__all__ = ["load_player"]


def load_player(text: str) -> Strategy:
    """Load a strategy or a policy given as ``module:name`` or ``folder/file.py:name``.

    ``exec:COMMAND`` is a program that speaks the protocol of docs/protocol.md.

    Whoever chooses this text can run any code: it is for command lines, not for web pages.
    """
    if text.startswith(EXEC):
        return from_command(text)
    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        raise StrategyError(f"{text}: not of the form module:name")
    try:
        module = _import(place)
        found: object = operator.attrgetter(name)(module)
    except Exception as error:  # whatever a user's code raises
        raise StrategyError(f"{text}: {type(error).__name__}: {error}") from error
    if isinstance(found, Strategy):
        return found
    if not callable(found) or isinstance(found, type):
        raise StrategyError(f"{text}: neither a strategy nor a policy")
    return from_policy(found, text)


def _import(place: str) -> ModuleType:
    """Import a module by its name, searching the current folder too, or by its file."""
    if not place.endswith(".py"):
        if "" not in sys.path:
            sys.path.insert(0, "")
        return importlib.import_module(place)
    path = Path(place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"no such file: {place}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
