"""How a speed is measured: the best of a few short repetitions, after a warm-up that compiles.

On a machine that also does other things, the best is what repeats.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict, Unpack

from hanabilab.lab.results import PLAYERS

__all__ = ["SEED", "Clock", "Played", "Speed", "Timing", "measure", "measure_all", "timed"]

SECONDS = 0.3
REPETITIONS = 3
SEED = 1

Played = Callable[[int], int]
"""Plays a number of games and returns the number of turns."""

Clock = Callable[[], float]


class Timing(TypedDict, total=False):
    """How long to measure, how often, and by which clock."""

    seconds: float
    repetitions: int
    clock: Clock


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast games were played."""

    games_per_second: float
    turns_per_second: float

    def to_dict(self) -> dict[str, float]:
        """Return the figures as plain data."""
        return {
            "games_per_second": self.games_per_second,
            "turns_per_second": self.turns_per_second,
        }


def measure(
    play: Played,
    *,
    seconds: float = SECONDS,
    repetitions: int = REPETITIONS,
    clock: Clock = time.perf_counter,
) -> Speed:
    """Return the best speed of a few repetitions of about `seconds` each."""
    games, spent = 1, 0.0
    while True:
        spent, _ = timed(play, games, clock)
        if spent >= seconds / 4:
            break
        games *= 4
    games = max(1, round(games * seconds / spent))
    spent, turns = min(timed(play, games, clock) for _ in range(repetitions))
    return Speed(games / spent, turns / spent)


def measure_all(games: Callable[[int], Played], **timing: Unpack[Timing]) -> dict[int, Speed]:
    """Measure the games of 2 to 5 players."""
    return {players: measure(games(players), **timing) for players in PLAYERS}


def timed(play: Played, games: int, clock: Clock = time.perf_counter) -> tuple[float, int]:
    """Return the seconds that `games` games took, and their turns."""
    start = clock()
    turns = play(games)
    return clock() - start, turns
