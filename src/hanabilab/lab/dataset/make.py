"""Make a data set: play games and write them to files, each by the thread that plays its games."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import inspect
import os
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hanabilab import __version__
from hanabilab.checks import check_choice, check_integer
from hanabilab.errors import HanabiError
from hanabilab.game.deck import MAX_SEED, check_seed, choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.checkpoint_log import resume_hint
from hanabilab.lab.crossplay import seating
from hanabilab.lab.dataset.folder import KIND, DatasetFolder
from hanabilab.lab.dataset.recording import Recorder
from hanabilab.lab.dataset.storage import (
    FORMATS,
    TABLES,
    FileEntry,
    Schema,
    add_outcome,
    game_frame,
    import_pyarrow,
)
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Bar, Result
from hanabilab.lab.run import Parallelism, chunk_size, interrupt_event, is_io_bound, play_run
from hanabilab.lab.tally import Tally, plus_minus
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import find_strategy
from hanabilab.strategies.plugins import module_name, source_digest
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import COLUMNS, play_chunk
from hanabilab.table.play import Team, strategies_for, team_members

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hanabilab.lab.dataset.storage import Frame

__all__ = ["FORMATS", "GAMES", "DatasetSummary", "RecordingWork", "make"]

GAMES = 10_000
"""Default number of games."""
FILES, LEAST_GAMES, MOST_GAMES = 16, 100, 5_000
"""By default there are 16 files, with the least and most games per file given here."""
SAVE_SECONDS, SAVE_PAUSE = 1.0, 20
"""Pause between two saves of `dataset.json`: at least a second, and 20 times what one takes."""
SETTINGS = (
    *("digest", "rules", "players", "seeds", "teams", "sources", "games", "file_games"),
    *("observations", "format", "schema"),
)
"""The metadata that must be equal to resume an earlier call."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DatasetSummary(Result):
    """What was written to a data set."""

    folder: Path
    teams: list[list[str]]
    tally: Tally
    """Statistics of all complete files, those of earlier calls included."""
    games: int
    """Number of games of the complete data set."""
    files: int
    """Number of complete files."""
    all_files: int
    resumed: int
    """Files of earlier calls."""
    written: int
    """Turns written by this call."""
    seconds: float
    threads: int
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "folder": str(self.folder),
            "teams": self.teams,
            "games": self.tally.decks,
            "turns": self.tally.turns,
            "files": self.files,
            "resumed": self.resumed,
            "mean": self.tally.mean,
            "stderr": self.tally.stderr,
            "seconds": self.seconds,
            "turns_per_second": self.turns_per_second,
            "threads": self.threads,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one row."""
        return [self.to_dict()]

    @property
    def turns_per_second(self) -> float:
        """How fast turns were played and written."""
        return self.written / self.seconds if self.seconds else 0.0

    def bars(self) -> list[Bar]:
        """Return the number of games with each score."""
        return [Bar(str(score), games) for score, games in enumerate(self.tally.histogram)]

    def heading(self) -> str:
        """Return folder, games, turns, mean score, files and speed as text."""
        return (
            f"{self.folder}: {self.tally.decks:,} games, {self.tally.turns:,} turns, "
            f"mean score {plus_minus(self.tally.mean, self.tally.stderr)}; "
            f"{self.files} files, {self.turns_per_second:,.0f} turns/s"
        )

    def summary(self) -> str:
        """Return the folder, and how many games and turns it has."""
        mean = plus_minus(self.tally.mean, self.tally.stderr)
        games = f"{self.tally.decks:,} games, {self.tally.turns:,} turns"
        return f"{self.folder}: {games}, mean score {mean}"


def make(
    strategy: Team,
    players: int | None = None,
    *,
    out: str | os.PathLike[str],
    games: int = GAMES,
    seed: int = 0,
    rules: Rules | str = "classic",
    observations: str = "canonical",
    format: str = "parquet",
    file_games: int | None = None,
    crossplay: bool = False,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    command: str = "",
) -> DatasetSummary:
    """Play games and write a row for each turn and for each game to files in the folder `out`.

    Repeat the same call to resume after an interruption. The folder is locked meanwhile, so that a
    second call for it raises. `hanabilab.lab.dataset.storage` documents
    the columns; `hanabilab.dataset.load` reads them.

    Parameters
    ----------
    strategy, players, seed, rules, threads, cluster, progress
        As for `simulate`.
    games
        Number of games; with `crossplay`, of each pairing.
    observations
        "canonical", the vector of the Hanabi Learning Environment; "sad", with the greedy action of
        the last player; "none".
    format
        "parquet", or "npz", which needs only NumPy.
    file_games
        Games per file; by default a sixteenth of all, from 100 to 5,000.
    crossplay
        Let each strategy play with each other one, seated as by `hanabilab.crossplay`.
    command
        The command line to record in `dataset.json`.
    """
    check_choice("format", format, FORMATS)
    if format == "parquet":
        import_pyarrow()
    games = check_integer("games", games, 1, MAX_SEED)
    if (
        players is None
        and not crossplay
        and len(team_members(strategy)) > 1
        and isinstance(rules, str)
    ):
        players = len(team_members(strategy))
    chosen = choose_rules(rules, players)
    assignments = _assignments(strategy, chosen, games, crossplay)
    total = sum(count for _, _, count in assignments)
    if file_games is None:
        file_games = min(max(-(-total // FILES), LEAST_GAMES), MOST_GAMES)
    work = RecordingWork(
        chosen,
        assignments,
        check_seed("seed", seed),
        observations,
        DatasetFolder(Path(out).absolute(), f".{format}"),
        check_integer("file_games", file_games, 1, MAX_SEED),
        all(strategy.can_compile for team, _, _ in assignments for strategy in team),
    )
    metadata = _metadata(work, total) | {"format": format, "command": command}
    with work.folder.owned():
        entries = work.folder.prepare(metadata, SETTINGS)
        manifest = Manifest.resume(work, metadata, entries)
        return _write_missing(work, manifest, Parallelism.of(threads, 1, cluster), progress)


def _assignments(
    strategy: Team, rules: Rules, games: int, crossplay: bool
) -> tuple[Assignment, ...]:
    """Return which team plays which decks."""
    if not crossplay:
        assignments: list[Assignment] = [(tuple(strategies_for(strategy, rules.players)), 0, games)]
    elif len(team_members(strategy)) < 2:
        raise HanabiError("crossplay: give at least two strategies")
    else:
        found = [find_strategy(player) for player in team_members(strategy)]
        assignments = [
            assignment
            for one in found
            for others in found
            for assignment in seating(one, others, rules.players, games)
        ]
    for player in {id(player): player for team, _, _ in assignments for player in team}.values():
        player.check(rules)
    return tuple(assignments)


def _metadata(work: RecordingWork, games: int) -> dict[str, Any]:
    """Return the metadata of an empty data set."""
    from hanabilab.core.code_cache import kernel_digest

    return {
        "kind": KIND,
        "version": __version__,
        "digest": kernel_digest(),
        "rules": work.rules.to_dict(),
        "players": work.rules.players,
        "seeds": [work.seed],
        "teams": [[player.label for player in team] for team, _, _ in work.assignments],
        "strategies": work.labels,
        "sources": _sources(work.assignments),
        "games": games,
        "file_games": work.file_games,
        "observations": work.observations,
        "schema": Schema.of(work.rules, work.observations).to_dict(),
        "complete": False,
        "counts": {"games": 0, "turns": 0, "files": 0},
        "files": {},
    }


def _sources(assignments: Sequence[Assignment]) -> dict[str, str]:
    """Return a digest of the sources of each user's strategy, by its label."""
    team = {strategy.label: strategy for members, _, _ in assignments for strategy in members}
    digests = {label: _source_of(strategy) for label, strategy in team.items()}
    return {label: digest for label, digest in digests.items() if digest}


def _source_of(strategy: Strategy) -> str:
    """Return a digest of the sources of a strategy, or "" if it is built in or has no file.

    The sources of a file that the user names, or offers as a plugin, include the modules beside it.
    Of other modules only the one with the strategy counts.
    """
    name = inspect.unwrap(strategy.act).__module__
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None or name.startswith("hanabilab."):
        return ""
    if strategy.location or name == module_name(Path(file)):
        return source_digest(name)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


class WrittenFile(NamedTuple):
    """A file of turns and one of games that a worker wrote."""

    tally: Tally
    entries: dict[str, FileEntry]


@dataclass(slots=True)
class Manifest:
    """The complete files, and `dataset.json`, which lists them.

    A file that is not listed is written again on resume, so the list is saved every few seconds.
    """

    folder: DatasetFolder
    metadata: Mapping[str, Any]
    complete: list[int]
    """Numbers of the complete files."""
    entries: dict[str, FileEntry]
    tally: Tally
    all_files: int
    next_save: float = 0.0

    @classmethod
    def resume(
        cls, work: RecordingWork, metadata: Mapping[str, Any], entries: Mapping[str, FileEntry]
    ) -> Manifest:
        """Return the manifest of the intact files of earlier calls."""
        files, folder = -(-metadata["games"] // work.file_games), work.folder
        there = [number for number in range(files) if folder.is_intact(number, entries)]
        names = [folder.file(table, number).name for number in there for table in TABLES]
        tally = _tally_of(folder, there, work.rules.max_score)
        return cls(folder, metadata, there, {name: entries[name] for name in names}, tally, files)

    def missing(self) -> tuple[int, ...]:
        """Return the numbers of the files that are still to be written."""
        return tuple(sorted(set(range(self.all_files)).difference(self.complete)))

    def add(self, number: int, written: WrittenFile) -> None:
        """Add a complete file, and save the list if that is due."""
        self.complete.append(number)
        self.entries |= written.entries
        self.tally += written.tally
        if time.monotonic() >= self.next_save:
            self.save()

    def save(self) -> None:
        """Write `dataset.json`; the pause until the next time is far longer than that takes."""
        start = time.monotonic()
        complete = len(self.complete) == self.all_files
        counts = {
            "games": self.tally.decks,
            "turns": self.tally.turns,
            "files": len(self.complete),
        }
        files = dict(sorted(self.entries.items()))
        self.folder.write_metadata(
            {**self.metadata, "complete": complete, "counts": counts, "files": files}
        )
        now = time.monotonic()
        self.next_save = now + max(SAVE_SECONDS, SAVE_PAUSE * (now - start))


def _write_missing(
    work: RecordingWork, manifest: Manifest, parallelism: Parallelism, progress: Progress
) -> DatasetSummary:
    """Write the missing files, and update the metadata."""
    missing, before, outcome = manifest.missing(), manifest.tally.turns, None
    resumed = len(manifest.complete)

    def consume(first: int, files: list[WrittenFile]) -> bool:
        for number, written in zip(missing[first : first + len(files)], files, strict=True):
            manifest.add(number, written)
        report(manifest.tally.decks, plus_minus(manifest.tally.mean, manifest.tally.stderr))
        return False

    with (
        interrupt_event() as stop,
        progress_bar("dataset", manifest.metadata["games"], progress) as report,
        resume_hint(lambda: bool(manifest.complete)),
        _saved_on_failure(manifest),
    ):
        if missing:
            work = dataclasses.replace(work, missing=missing, stop=stop)
            outcome = play_run(work, consume, parallelism, stop=stop)
    _check_shared_folder(manifest.folder, manifest.complete[resumed:])
    manifest.save()
    if manifest.metadata["format"] == "parquet":
        manifest.folder.write_card(Schema.of(work.rules, work.observations))
    return DatasetSummary(
        folder=manifest.folder.path,
        teams=manifest.metadata["teams"],
        tally=manifest.tally,
        games=manifest.metadata["games"],
        files=len(manifest.complete),
        all_files=manifest.all_files,
        resumed=resumed,
        written=manifest.tally.turns - before,
        seconds=outcome.seconds if outcome else 0.0,
        threads=outcome.threads if outcome else 0,
        interrupted=len(manifest.complete) < manifest.all_files,
    )


@contextlib.contextmanager
def _saved_on_failure(manifest: Manifest) -> Iterator[None]:
    """List the complete files in `dataset.json`, whatever ends the block early."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(HanabiError):  # such as a full disk: the first error counts
            manifest.save()
        raise


def _tally_of(folder: DatasetFolder, numbers: Sequence[int], max_score: int) -> Tally:
    """Return the statistics of the games in some files."""
    tally = Tally.empty(max_score)
    for number in numbers:
        tally += folder.tally(number, max_score)
    return tally


def _check_shared_folder(folder: DatasetFolder, numbers: Sequence[int]) -> None:
    """Raise if files written by workers are not visible here."""
    if not all(map(folder.has, numbers)):
        raise HanabiError(
            f"{folder.path}: the workers wrote their files to folders of their own; give one that "
            "all machines share"
        )


SCORE, TURNS = COLUMNS.index("score"), COLUMNS.index("turns")

Assignment = tuple[tuple[Strategy, ...], int, int]
"""A team, its first deck, and how many games it plays."""


@dataclass(frozen=True, slots=True)
class RecordingWork:
    """The files that are still to be written; each is a chunk of work."""

    rules: Rules
    assignments: tuple[Assignment, ...]
    seed: int
    observations: str
    folder: DatasetFolder
    file_games: int
    compiled: bool
    missing: tuple[int, ...] = ()
    stop: threading.Event = dataclasses.field(default_factory=threading.Event, compare=False)
    repeats: int = 1
    first: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Drop the event: other processes are killed instead of asked to stop."""
        fields = (field.name for field in dataclasses.fields(self))
        kept = {name: getattr(self, name) for name in fields if name != "stop"}
        return functools.partial(RecordingWork, **kept), ()

    @property
    def games(self) -> int:
        """Number of chunks: files, not games."""
        return len(self.missing)

    @property
    def labels(self) -> list[str]:
        """The label of each strategy; its place is the number of the strategy in the files."""
        return list(dict.fromkeys(strategy.label for strategy in self._strategies()))

    @property
    def releases_gil(self) -> bool:
        """Whether threads run in parallel; otherwise processes are needed."""
        return self.compiled or is_io_bound(self._strategies())

    def halt(self, threads: Collection[threading.Thread]) -> None:
        """Stop what other processes do for these threads."""
        for strategy in self._strategies():
            strategy.halt(threads)

    def _strategies(self) -> Iterator[Strategy]:
        for team, _, _ in self.assignments:
            yield from team

    def play(self, first: int, count: int) -> tuple[list[WrittenFile], float]:
        """Write some of the missing files."""
        start = time.perf_counter()
        recorder = Recorder(self.rules, self.observations)
        if not count:
            self._compile(recorder)
        files = [self._write(number, recorder) for number in self.missing[first : first + count]]
        return files, time.perf_counter() - start

    def _compile(self, recorder: Recorder) -> None:
        for team, _, _ in self.assignments:
            rows, logs = self._log_games(team, 0, 0, 0)
            recorder.record(self.seed, 0, 0, rows[:, TURNS].copy(), logs)

    def _write(self, number: int, recorder: Recorder) -> WrittenFile:
        turns, games, tally = [], [], Tally.empty(self.rules.max_score)
        for team, deck, game, count in self._parts(number):
            rows, logs = self._play_games(team, deck, count)
            lengths, labels = rows[:, TURNS].copy(), self.labels
            turns.append(recorder.record(self.seed, deck, game, lengths, logs))
            numbers = [labels.index(strategy.label) for strategy in team]
            add_outcome(turns[-1], lengths, rows[:, SCORE], numbers)
            seats, rules = [strategy.label for strategy in team], self.rules.preset or "custom"
            games.append(game_frame(rows, seats, deck, game, self.seed, rules))
            tally += Tally.of(rows, self.rules.max_score)
        entries = self.folder.write(
            number, _concatenate(turns), _concatenate(games), recorder.schema
        )
        return WrittenFile(tally, entries)

    def _parts(self, number: int) -> Iterator[tuple[tuple[Strategy, ...], int, int, int]]:
        """Yield the parts of a file: team, first deck, first game, number of games."""
        low, high = number * self.file_games, (number + 1) * self.file_games
        start = 0
        for team, deck, count in self.assignments:
            first, end = max(low, start), min(high, start + count)
            if first < end:
                yield team, deck + first - start, first, end - first
            start += count

    def _play_games(
        self, team: Sequence[Strategy], deck: int, count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Play games in steps, to react to Ctrl-C; return rows and logs."""
        capacity = 2 * self.rules.deck_size + (self.rules.hint_tokens or 0)
        capacity += self.rules.suits + self.rules.players
        rows, logs = (
            np.zeros((count, len(COLUMNS)), np.int64),
            np.zeros((count, capacity), np.int64),
        )
        done, step = 0, 1
        while done < count:
            if self.stop.is_set():
                raise KeyboardInterrupt
            step = min(step, count - done)
            start = time.perf_counter()
            played, taken = self._log_games(team, deck + done, step, capacity)
            longest = int(played[:, TURNS].max())
            if longest > capacity:  # hints without end
                logs, capacity = np.pad(logs, ((0, 0), (0, longest - capacity))), longest
                continue
            rows[done : done + step], logs[done : done + step] = played, taken
            done += step
            step = chunk_size(step, time.perf_counter() - start)
        return rows, logs

    def _log_games(
        self, team: Sequence[Strategy], deck: int, count: int, capacity: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Play some games; return their rows and logs of at most `capacity` actions."""
        logs: Any = np.zeros((count, capacity), np.int64)
        taken = logs if self.compiled else logs.tolist()
        rows = play_chunk(
            self.rules, team, self.seed, deck, count, compiled=self.compiled, logs=taken
        )
        shape = count, len(COLUMNS)
        return np.array(rows, np.int64).reshape(shape), np.array(taken, np.int64).reshape(
            logs.shape
        )


def _concatenate(frames: Sequence[Frame]) -> Frame:
    """Concatenate the rows of all frames."""
    if len(frames) == 1:
        return frames[0]
    return {name: np.concatenate([frame[name] for frame in frames]) for name in frames[0]}
