"""The laboratory for the cooperative card game Hanabi: plain Python at native speed.

>>> import hanabilab as hl
>>> game = hl.Game(players=3, seed=1)
>>> game.legal_actions()[0]
Action(type='play', slot=0, target=0, value=0)
"""

from __future__ import annotations

from hanabilab import theory
from hanabilab.core.kernel import kernel
from hanabilab.errors import HanabiError
from hanabilab.formats.action import Action
from hanabilab.formats.text import read_deck
from hanabilab.game import Deck, Event, Knowledge, Rules, View, preset
from hanabilab.lab.compare import compare
from hanabilab.lab.crossplay import crossplay
from hanabilab.lab.game import Game
from hanabilab.lab.play import play
from hanabilab.lab.simulate import simulate
from hanabilab.lab.solving import analyze, solve
from hanabilab.lab.sweep import sweep
from hanabilab.lab.winnable import winnable
from hanabilab.strategies import STRATEGIES, Memory, Option, Strategy, find_strategy

__version__ = "0.1.0"

__all__ = [
    "STRATEGIES",
    "Action",
    "Deck",
    "Event",
    "Game",
    "HanabiError",
    "Knowledge",
    "Memory",
    "Option",
    "Rules",
    "Strategy",
    "View",
    "analyze",
    "compare",
    "crossplay",
    "find_strategy",
    "kernel",
    "play",
    "preset",
    "read_deck",
    "simulate",
    "solve",
    "sweep",
    "theory",
    "winnable",
]
