"""The work of writing games down: each file is a piece, written by whoever plays its games."""

from __future__ import annotations

import dataclasses
import functools
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.game.rules import Rules
from hanabilab.lab.dataset.folder import Folder, game_frame
from hanabilab.lab.dataset.recording import Recorder
from hanabilab.lab.run import piece_size, think_elsewhere
from hanabilab.lab.tally import Tally
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import COLUMNS, play_chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hanabilab.lab.dataset.schema import Frame

__all__ = ["Recording", "Share"]

TURNS = COLUMNS.index("turns")

Share = tuple[tuple[Strategy, ...], int, int]
"""A team, its first deck, and how many games it plays."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The files that are still to be written; each is a piece of work."""

    rules: Rules
    shares: tuple[Share, ...]
    seed: int
    observations: str
    folder: Folder
    file_games: int
    compiled: bool
    missing: tuple[int, ...] = ()
    stop: threading.Event = dataclasses.field(default_factory=threading.Event, compare=False)
    repeats: int = 1
    first: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the event behind: another process is ended, not asked to stop."""
        fields = (field.name for field in dataclasses.fields(self))
        kept = {name: getattr(self, name) for name in fields if name != "stop"}
        return functools.partial(Recording, **kept), ()

    @property
    def games(self) -> int:
        """How many pieces there are: files, not games."""
        return len(self.missing)

    @property
    def parallel(self) -> bool:
        """Whether several threads are faster than one."""
        return self.compiled or think_elsewhere(self._everyone())

    def halt(self, threads: Collection[threading.Thread]) -> None:
        """Stop what other processes do for these threads."""
        for strategy in self._everyone():
            strategy.halt(threads)

    def _everyone(self) -> Iterator[Strategy]:
        for team, _, _ in self.shares:
            yield from team

    def play(self, first: int, count: int) -> tuple[list[Tally], float]:
        """Write some of the missing files; return the tally of each."""
        start = time.perf_counter()
        recorder = Recorder(self.rules, self.observations)
        if not count:
            self._compile(recorder)
        tallies = [self._write(number, recorder) for number in self.missing[first : first + count]]
        return tallies, time.perf_counter() - start

    def _compile(self, recorder: Recorder) -> None:
        for team, _, _ in self.shares:
            rows, logs = self._log_games(team, 0, 0, 0)
            recorder.record(self.seed, 0, 0, rows[:, TURNS].copy(), logs)

    def _write(self, number: int, recorder: Recorder) -> Tally:
        turns, games, tally = [], [], Tally.nothing(self.rules.max_score)
        for team, deck, game, count in self._parts(number):
            rows, logs = self._play_games(team, deck, count)
            turns.append(recorder.record(self.seed, deck, game, rows[:, TURNS].copy(), logs))
            seats, rules = [strategy.label for strategy in team], self.rules.preset or "custom"
            games.append(game_frame(rows, seats, deck, game, self.seed, rules))
            tally += Tally.of(rows, self.rules.max_score)
        self.folder.write(number, _joined(turns), _joined(games))
        return tally

    def _parts(self, number: int) -> Iterator[tuple[tuple[Strategy, ...], int, int, int]]:
        """Yield what a file holds: teams, each with its first deck and game, and its games."""
        low, high = number * self.file_games, (number + 1) * self.file_games
        start = 0
        for team, deck, count in self.shares:
            first, end = max(low, start), min(high, start + count)
            if first < end:
                yield team, deck + first - start, first, end - first
            start += count

    def _play_games(
        self, team: Sequence[Strategy], deck: int, count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Play games in steps, so that Ctrl-C is soon heard; return rows and logs."""
        room = 2 * self.rules.deck_size + (self.rules.hint_tokens or 0)
        room += self.rules.suits + self.rules.players
        rows, logs = np.zeros((count, len(COLUMNS)), np.int64), np.zeros((count, room), np.int64)
        done, step = 0, 1
        while done < count:
            if self.stop.is_set():
                raise KeyboardInterrupt
            step = min(step, count - done)
            start = time.perf_counter()
            played, taken = self._log_games(team, deck + done, step, room)
            longest = int(played[:, TURNS].max())
            if longest > room:  # hints without end
                logs, room = np.pad(logs, ((0, 0), (0, longest - room))), longest
                continue
            rows[done : done + step], logs[done : done + step] = played, taken
            done += step
            step = piece_size(step, time.perf_counter() - start)
        return rows, logs

    def _log_games(
        self, team: Sequence[Strategy], deck: int, count: int, room: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Play some games; return their rows, and as many of their actions as have room."""
        logs: Any = np.zeros((count, room), np.int64)
        taken = logs if self.compiled else logs.tolist()
        rows = play_chunk(
            self.rules, team, self.seed, deck, count, compiled=self.compiled, logs=taken
        )
        shape = count, len(COLUMNS)
        return np.array(rows, np.int64).reshape(shape), np.array(taken, np.int64).reshape(
            logs.shape
        )


def _joined(frames: Sequence[Frame]) -> Frame:
    """Return the rows of all frames, one below the other."""
    if len(frames) == 1:
        return frames[0]
    return {name: np.concatenate([frame[name] for frame in frames]) for name in frames[0]}
