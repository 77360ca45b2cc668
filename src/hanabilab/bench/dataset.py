"""`bench dataset`: how many turns a second are played and written as data.

Playing, observing, packing and writing the files are part of every figure. Everything runs on one
thread, and as in `bench envs` CPU time is counted.
"""

from __future__ import annotations

import functools
import tempfile
import time
from pathlib import Path
from typing import Unpack

from hanabilab.bench.measure import SEED, Played, Timing, measure_all
from hanabilab.game.rules import preset
from hanabilab.lab.dataset.folder import Folder
from hanabilab.lab.dataset.work import Recording
from hanabilab.table.play import seat

__all__ = ["KINDS", "STRATEGY", "bench_dataset", "file_games"]

STRATEGY = "information"
KINDS = [
    (".parquet", "canonical"),
    (".parquet", "sad"),
    (".parquet", "none"),
    (".npz", "canonical"),
]
"""The files that are written: their suffix, and what they hold of observations."""


def bench_dataset(**timing: Unpack[Timing]) -> dict[str, dict[int, float]]:
    """Return turns a second by kind of file and players."""
    timing = {"clock": time.process_time, **timing}
    found = {}
    for suffix, observations in KINDS:
        with tempfile.TemporaryDirectory() as place:
            folder = Folder(Path(place), suffix)
            speeds = measure_all(functools.partial(file_games, folder, observations), **timing)
        name = f"{suffix}, {observations}"
        found[name] = {players: speed.turns_per_second for players, speed in speeds.items()}
    return found


def file_games(folder: Folder, observations: str, players: int) -> Played:
    """Return what plays games and writes them to files."""
    rules, team = preset("classic", players), tuple(seat(STRATEGY, players))

    def play(games: int) -> int:
        share = (team, 0, games)
        work = Recording(rules, (share,), SEED, observations, folder, max(games, 1), True, (0,))
        tallies, _ = work.play(0, min(games, 1))
        return sum(tally.turns for tally in tallies)

    play(1)  # compiles, and imports what writes files
    return play
