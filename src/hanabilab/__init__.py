"""The laboratory for the cooperative card game Hanabi: plain Python at native speed.

>>> import hanabilab as hl
>>> game = hl.Game(players=3, seed=1)
>>> game.legal_actions()[0]
Action(type='play', slot=0, target=0, value=0)
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanabilab import envs, game, strategies, theory
    from hanabilab.core.kernel import kernel
    from hanabilab.errors import HanabiError
    from hanabilab.formats.action import Action
    from hanabilab.formats.deck_text import read_deck
    from hanabilab.game import Deck, Event, Knowledge, Rules, View, preset
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
    from hanabilab.strategies import (
        STRATEGIES,
        About,
        Memory,
        Option,
        RuleSupport,
        SearchSupport,
        Strategy,
        agent,
        find_strategy,
        from_policy,
        register,
    )
    from hanabilab.strategies.conventions.judging import broken_conventions
    from hanabilab.strategies.program import from_program
    from hanabilab.table.game import Game
    from hanabilab.table.play import play
    from hanabilab.table.players import Actor

__version__ = "0.2.0"

__all__ = [
    "STRATEGIES",
    "About",
    "Action",
    "Actor",
    "Deck",
    "Event",
    "Game",
    "HanabiError",
    "Knowledge",
    "Memory",
    "Option",
    "RuleSupport",
    "Rules",
    "SearchSupport",
    "Strategy",
    "View",
    "adhoc",
    "agent",
    "analyze",
    "broken_conventions",
    "check",
    "compare",
    "crossplay",
    "dataset",
    "envs",
    "find_strategy",
    "from_policy",
    "from_program",
    "game",
    "kernel",
    "optimum",
    "play",
    "preset",
    "read_deck",
    "register",
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
    "core.kernel": ("kernel",),
    "errors": ("HanabiError",),
    "formats.action": ("Action",),
    "formats.deck_text": ("read_deck",),
    "game": ("Deck", "Event", "Knowledge", "Rules", "View", "preset"),
    "table.players": ("Actor",),
    "strategies.conventions.judging": ("broken_conventions",),
    "lab.analyze": ("analyze",),
    "lab.validation.check": ("check",),
    "lab.compare": ("compare",),
    "lab.adhoc": ("adhoc",),
    "lab.crossplay": ("crossplay",),
    "lab.optimum": ("optimum",),
    "lab.review": ("review",),
    "table.game": ("Game",),
    "table.play": ("play",),
    "lab.simulate": ("simulate",),
    "lab.solve": ("solve",),
    "lab.sweep": ("sweep",),
    "lab.tune": ("tune",),
    "lab.winnable": ("winnable",),
    "strategies": (
        "STRATEGIES",
        "About",
        "Memory",
        "Option",
        "RuleSupport",
        "SearchSupport",
        "Strategy",
        "agent",
        "find_strategy",
        "from_policy",
        "register",
    ),
    "strategies.program": ("from_program",),
}
_PACKAGES = {
    "dataset": "lab.dataset",
    "envs": "envs",
    "game": "game",
    "strategies": "strategies",
    "theory": "theory",
}
_MODULE_OF = {name: module for module, names in _EXPORTS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a name from its module on first use, so that start-up stays fast."""
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f"hanabilab.{_MODULE_OF[name]}"), name)
    elif name in _PACKAGES:
        value = importlib.import_module(f"hanabilab.{_PACKAGES[name]}")
    else:
        raise AttributeError(f"module 'hanabilab' has no attribute {name!r}")
    globals()[name] = value
    if "IPython" in sys.modules:
        importlib.import_module("hanabilab.formats.display")  # so that a notebook shows it well
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
