"""A search ends when nobody waits for it any more."""

from __future__ import annotations

import threading

import pytest

from hanabilab import Deck, Rules
from hanabilab.solver.decide import time_left
from hanabilab.solver.interruption import interruptible
from hanabilab.solver.position import Position
from hanabilab.solver.sat.decide import decide_score


class GoneError(Exception):
    pass


def leave() -> None:
    raise GoneError


def test_searches_can_be_interrupted() -> None:
    rules = Rules.classic(2, ranks=3, suits=2, hand_size=2)
    position = Position.start(Deck.shuffled(rules, seed=1))
    with pytest.raises(GoneError), interruptible(leave):
        decide_score(position, time_limit=60)
    with pytest.raises(GoneError), interruptible(leave):
        time_left(None)
    assert decide_score(position, time_limit=60).reachable is not None


def test_only_the_thread_itself_is_interrupted() -> None:
    found: list[float | None] = []
    with interruptible(leave):
        other = threading.Thread(target=lambda: found.append(time_left(None)))
        other.start()
        other.join()
    assert found == [None]
