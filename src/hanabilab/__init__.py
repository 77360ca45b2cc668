"""The laboratory for the cooperative card game Hanabi: plain Python at native speed.

>>> import hanabilab as hl
>>> game = hl.Game(players=3, seed=1)
>>> game.legal_actions()[0]
Action(type='play', slot=0, target=0, value=0)

These names cover everyday use. `hanabilab.author` has what the author of a strategy needs, and
`hanabilab.analysis` the classes of results and statistics. `hanabilab.dataset`, `hanabilab.envs`,
`hanabilab.game`, `hanabilab.strategies` and `hanabilab.theory` have documentation of their own.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanabilab import analysis, author, envs, game, strategies, theory
    from hanabilab.errors import HanabiError
    from hanabilab.formats.action import Action
    from hanabilab.formats.deck_text import read_deck
    from hanabilab.game import Deck, Rules, preset
    from hanabilab.lab import dataset
    from hanabilab.lab.adhoc import adhoc
    from hanabilab.lab.analyze import analyze
    from hanabilab.lab.compare import compare
    from hanabilab.lab.crossplay import crossplay
    from hanabilab.lab.optimum import optimum
    from hanabilab.lab.review import review
    from hanabilab.lab.simulate import simulate
    from hanabilab.lab.solve import solve
    from hanabilab.lab.sweep import sweep
    from hanabilab.lab.tune import tune
    from hanabilab.lab.validation.check import check
    from hanabilab.lab.winnable import winnable
    from hanabilab.strategies import find_strategy
    from hanabilab.table.game import Game
    from hanabilab.table.play import play

__version__ = "0.2.0"

__all__ = [
    "Action",
    "Deck",
    "Game",
    "HanabiError",
    "Rules",
    "adhoc",
    "analysis",
    "analyze",
    "author",
    "check",
    "compare",
    "crossplay",
    "dataset",
    "envs",
    "find_strategy",
    "game",
    "optimum",
    "play",
    "preset",
    "read_deck",
    "review",
    "simulate",
    "solve",
    "strategies",
    "sweep",
    "theory",
    "tune",
    "winnable",
]

_EXPORTS = {
    "errors": ("HanabiError",),
    "formats.action": ("Action",),
    "formats.deck_text": ("read_deck",),
    "game": ("Deck", "Rules", "preset"),
    "lab.adhoc": ("adhoc",),
    "lab.analyze": ("analyze",),
    "lab.compare": ("compare",),
    "lab.crossplay": ("crossplay",),
    "lab.optimum": ("optimum",),
    "lab.review": ("review",),
    "lab.simulate": ("simulate",),
    "lab.solve": ("solve",),
    "lab.sweep": ("sweep",),
    "lab.tune": ("tune",),
    "lab.validation.check": ("check",),
    "lab.winnable": ("winnable",),
    "strategies": ("find_strategy",),
    "table.game": ("Game",),
    "table.play": ("play",),
}
_PACKAGES = {
    "analysis": "analysis",
    "author": "author",
    "dataset": "lab.dataset",
    "envs": "envs",
    "game": "game",
    "strategies": "strategies",
    "theory": "theory",
}
_MOVED = {
    "author": (
        *("About", "Event", "Knowledge", "Memory", "Option", "RuleSupport", "SearchSupport"),
        *("Strategy", "View", "agent", "from_policy", "from_program", "kernel", "register"),
    ),
    "analysis": ("broken_conventions",),
    "envs": ("Actor",),
    "strategies": ("STRATEGIES",),
}
"""Names of version 0.2 and before, by the module that has them now."""

_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names}
_MOVED_TO = {name: f"hanabilab.{module}" for module, names in _MOVED.items() for name in names}


def _imported(name: str) -> Any:
    """Import a name on first use, so that start-up stays fast."""
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f"hanabilab.{_MODULE_OF[name]}"), name)
    elif name in _PACKAGES:
        value = importlib.import_module(f"hanabilab.{_PACKAGES[name]}")
    elif name in _MOVED_TO:
        raise _moved(name)
    else:
        raise AttributeError(f"module 'hanabilab' has no attribute {name!r}")
    globals()[name] = value
    if "IPython" in sys.modules:
        importlib.import_module("hanabilab.formats.display")  # so that a notebook shows it well
    return value


def _moved(name: str) -> Exception:
    """Return the error that gives the new location of a name.

    `from hanabilab import …` would replace the message of an `AttributeError` by its own.
    """
    message = f"hanabilab.{name} has moved: from {_MOVED_TO[name]} import {name}"
    is_import = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    return ImportError(message) if is_import else AttributeError(message)


if not TYPE_CHECKING:  # else type checkers would accept any name
    __getattr__ = _imported


def __dir__() -> list[str]:
    return sorted(__all__)
