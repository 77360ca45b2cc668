"""Policies: any function from what a player observes, and what is legal, to a move.

``policy(observation, legal_moves) -> move``

`observation` is a dictionary with

``observation``
    the canonical vector of the Hanabi Learning Environment (`hanabilab.game.encoding`),
``action_mask``
    1 for every legal move and 0 for the others,
``view``
    the table as this player sees it (`hanabilab.game.view`), for those who would rather read names
    than numbers,
``seed``
    a whole number that is another one at each decision, and the same again in the same game: the
    place to take chance from, ``numpy.random.default_rng(observation["seed"])``.

`legal_moves` is the list of the legal moves, numbered as in `hanabilab.game.actions`. None of them
knows the player's own cards or the draw pile.
"""

from __future__ import annotations

import importlib
import importlib.util
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from hanabilab.core.random import below
from hanabilab.core.record import assign
from hanabilab.errors import StrategyError
from hanabilab.game.actions import Event, count_actions, legal_actions
from hanabilab.game.encoding import Encoder
from hanabilab.game.state import rules_of
from hanabilab.game.view import View
from hanabilab.strategies.strategy import Memory, Strategy

__all__ = ["Policy", "from_policy", "load_player"]

Policy = Callable[[dict[str, Any], list[int]], int]

MOST_SEEDS = 1 << 31


class Seen(Memory, Event):
    """The turn before, which the vector tells of, and which encoder writes it."""

    encoder: int


def observe(view: View, event: Event, memory: Seen) -> None:
    """Remember the turn."""
    assign(memory, event)


def from_policy(policy: Policy, name: str = "") -> Strategy:
    """The strategy that does what a policy says."""
    title = name or getattr(policy, "__name__", type(policy).__name__)
    encoders: list[Encoder] = []

    def begin(view: View, memory: Seen) -> int:
        rules = rules_of(view)
        known = [encoder.rules for encoder in encoders]
        if rules not in known:
            encoders.append(Encoder(rules))
        memory.encoder = known.index(rules) if rules in known else len(known)
        return 0

    def act(view: View, memory: Seen) -> int:
        legal = legal_actions(view)
        seen = observation(view, memory, encoders[memory.encoder], legal)
        try:
            return policy(seen, legal)
        except Exception as error:  # it is somebody else's code
            where = f"{title}, player {view.player}, in turn {view.turn + 1}"
            raise StrategyError(f"{where}: {type(error).__name__}: {error}") from error

    act.__doc__ = policy.__doc__
    return Strategy(title, act, observe, begin, memory=Seen)


def observation(view: View, memory: Seen, encoder: Encoder, legal: list[int]) -> dict[str, Any]:
    """What a policy is handed."""
    import numpy as np

    mask = np.zeros(count_actions(view), np.int8)
    mask[legal] = 1
    last = memory if view.turn else None
    return {
        "observation": encoder.encode(view, view.observer, last=last),
        "action_mask": mask,
        "view": view,
        "seed": below(memory, MOST_SEEDS),
    }


def load_player(text: str) -> Strategy:
    """A strategy or a policy of somebody's own: ``module:name`` or ``folder/file.py:name``.

    Whoever can choose this text can run any code: it is for command lines, not for web pages.
    """
    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        raise StrategyError(f"{text}: it is not of the form module:name")
    try:
        module = _import(place)
        found: Any = operator.attrgetter(name)(module)
    except Exception as error:  # it is somebody else's code
        raise StrategyError(f"{text}: {type(error).__name__}: {error}") from error
    if isinstance(found, Strategy):
        return found
    if not callable(found) or isinstance(found, type):
        raise StrategyError(f"{text}: it is neither a strategy nor a policy")
    return from_policy(found, text)


def _import(place: str) -> ModuleType:
    """A module by its name, looked for in the current folder too, or by its file."""
    if not place.endswith(".py"):
        if "" not in sys.path:
            sys.path.insert(0, "")
        return importlib.import_module(place)
    path = Path(place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no file {place}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
