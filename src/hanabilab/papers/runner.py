"""Play the matches that items need: each once, several at a time, logged if requested."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabilab.game.rules import preset
from hanabilab.lab.checkpoint_log import CheckpointLog, open_checkpoint_log
from hanabilab.lab.files import file_errors
from hanabilab.lab.progress import progress_bar
from hanabilab.lab.run import Parallelism, Run, interrupt_event, play_run
from hanabilab.lab.tally import Tally
from hanabilab.lab.workers.connection import Cluster
from hanabilab.lab.workers.local import cores
from hanabilab.strategies import find_strategy

__all__ = ["Match", "MatchResult", "Runner", "SampleSize", "match_progress"]

FULL, QUICK = "full", "quick"
GAMES = "games"
"""The name of the log of matches."""
MISPLAYS = 64

Report = Callable[[int, int, str], None]
"""Called with the matches done, the matches to play, and a short text."""


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Decks and repeats of each deck, in a quick and in a full run."""

    quick: tuple[int, int]
    full: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """One strategy in all seats, under given rules."""

    strategy: str
    rules: str
    players: int
    size: SampleSize
    slow: bool = False
    factor: int = 1
    changes: tuple[tuple[str, int], ...] = ()
    """Rules changed from the preset."""

    @property
    def under(self) -> str:
        """The rules as on the command line."""
        changes = (f" --set-rule {name.replace('_', '-')}={value}" for name, value in self.changes)
        return self.rules + "".join(changes)

    @property
    def interpretation(self) -> str:
        """The interpretation of its paper that the strategy follows, if there are several."""
        strategy = find_strategy(self.strategy)
        return (
            str(strategy.option("interpretation")) if "interpretation" in strategy.options else ""
        )

    def times(self, factor: int) -> Match:
        """Return the same match with `factor` times the decks."""
        return dataclasses.replace(self, factor=factor)

    def games(self, effort: str) -> tuple[int, int]:
        """Return the numbers of decks and repeats."""
        decks, repeats = self.size.full if effort == FULL else self.size.quick
        return decks * self.factor, repeats


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match."""

    match: Match
    tally: Tally
    misplays: tuple[int, ...]
    """Number of games with 0, 1, 2, … misplays."""
    seconds: float
    seed: int

    @property
    def command(self) -> str:
        """The command that plays the same games."""
        repeats = f" --repeats {self.tally.repeats}" if self.tally.repeats > 1 else ""
        return (
            f"hanabilab simulate {self.match.strategy} --players {self.match.players} "
            f"--rules {self.match.under} --games {self.tally.decks}{repeats} --seed {self.seed}"
        )


Key = tuple[str, str, int, int, int]
COLUMNS = ("strategy", "rules", "players", "seconds", "misplay_counts")
SUMS = tuple(field.name for field in dataclasses.fields(Tally))


@contextlib.contextmanager
def match_progress(title: str, matches: int, wanted: bool | None = None) -> Iterator[Report]:
    """Show a progress bar for matches, including those already played."""
    with progress_bar(title, matches, wanted) as report:
        yield lambda done, missing, words: report(matches - missing + done, words)


CLUSTER_CONCURRENCY = 8
"""Matches submitted to a cluster at once, so that short ones do not leave it idle."""


class Runner:
    """Plays matches, each once; with a `folder`, results survive interruptions."""

    def __init__(
        self,
        effort: str = QUICK,
        *,
        seed: int = 1,
        threads: int | None = None,
        cluster: Cluster = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        self.effort = effort
        self.seed = seed
        self.parallelism = Parallelism.of(threads, cluster=cluster)
        self.concurrency = threads or cores()
        self.per_match = Parallelism(1)
        """Parallelism of each of several concurrent matches."""
        if self.parallelism.cluster is not None:
            self.concurrency, self.per_match = CLUSTER_CONCURRENCY, self.parallelism
        self.results: dict[Key, MatchResult] = {}
        self.factors: Mapping[Match, int] = {}
        """Matches played with more decks than their size says."""
        self.folder = None if folder is None else Path(folder)
        with self._log() as log:
            if log:
                log.restore(self._add_row)
        self.resumed = len(self.results)

    @property
    def quick(self) -> bool:
        """Whether samples are small."""
        return self.effort == QUICK

    def extended(self, factors: Mapping[Match, int]) -> Runner:
        """Return a runner for larger samples of some matches; both share all results."""
        twin = copy.copy(self)
        twin.factors = factors
        return twin

    def result_of(self, match: Match) -> MatchResult:
        """Return the result of a match, playing it if necessary."""
        key = self._key(match)
        if key not in self.results:
            with interrupt_event() as stop:
                self._store(key, self._play(match, self.parallelism, stop))
        return dataclasses.replace(self.results[key], match=match)

    def is_cached(self, match: Match) -> bool:
        """Return whether a match has been played."""
        return self._key(match) in self.results

    def play_all(self, matches: Iterable[Match], report: Report | None = None) -> None:
        """Play the missing matches, several at a time."""
        missing = {self._key(match): match for match in matches}
        missing = {key: match for key, match in missing.items() if key not in self.results}
        if len(missing) <= 1 or self.concurrency == 1:
            for done, match in enumerate(missing.values()):
                self.result_of(match)
                if report:
                    report(done + 1, len(missing), match.strategy)
            return
        with interrupt_event() as stop, ThreadPoolExecutor(self.concurrency) as pool:
            futures = {
                pool.submit(self._play, match, self.per_match, stop): key
                for key, match in missing.items()
            }
            for done, future in enumerate(as_completed(futures)):
                try:
                    self._store(futures[future], future.result())
                except BaseException:
                    stop.set()
                    pool.shutdown(cancel_futures=True)
                    raise
                if report:
                    report(done + 1, len(missing), missing[futures[future]].strategy)

    def remove_log(self) -> None:
        """Remove the log after the run."""
        if file := self.file(GAMES):
            file.unlink(missing_ok=True)

    def file(self, name: str) -> Path | None:
        """Return the path of a file of this run: in its folder, for this seed and these kernels."""
        from hanabilab.core.code_cache import kernel_digest

        if self.folder is None:
            return None
        return self.folder / f"{name}-seed-{self.seed}-{kernel_digest()[-12:]}.jsonl"

    def _extended(self, match: Match) -> Match:
        return match.times(match.factor * self.factors.get(match, 1))

    def _run(self, match: Match) -> Run:
        decks, repeats = self._extended(match).games(self.effort)
        rules = preset(match.rules, match.players, **dict(match.changes))
        return Run.of(rules, [match.strategy], seed=self.seed, games=decks, repeats=repeats)

    def _play(self, match: Match, parallelism: Parallelism, stop: threading.Event) -> MatchResult:
        import numpy as np

        run = self._run(match)
        tally = Tally.empty(run.rules.max_score, run.repeats)
        misplays = np.zeros(MISPLAYS, np.int64)

        def consume(first: int, rows: list[Any]) -> bool:
            nonlocal tally, misplays
            tally += Tally.of(rows[0], run.rules.max_score, run.repeats)
            misplays += np.bincount(rows[0][:, 2], minlength=MISPLAYS)
            return False

        outcome = play_run(run, consume, parallelism, stop=stop)
        if outcome.interrupted:
            raise KeyboardInterrupt
        counts = tuple(np.trim_zeros(misplays, "b").tolist())
        return MatchResult(match, tally, counts, outcome.seconds, self.seed)

    def _key(self, match: Match) -> Key:
        label = find_strategy(match.strategy).label
        match = self._extended(match)
        return (label, match.under, match.players, *match.games(self.effort))

    def _store(self, key: Key, played: MatchResult) -> None:
        self.results[key] = played
        with self._log() as log:
            if log:
                log.append(
                    {
                        "strategy": key[0],
                        "rules": key[1],
                        "players": key[2],
                        "seconds": played.seconds,
                        "misplay_counts": played.misplays,
                        **played.tally.sums(),
                    }
                )

    @contextlib.contextmanager
    def _log(self) -> Iterator[CheckpointLog | None]:
        """Open the log of this seed and these kernels.

        It is locked only while a match is being logged, so that several runners can share it: they
        all get the same result for a match.
        """
        from hanabilab.core.code_cache import kernel_digest

        file = self.file(GAMES)
        if file is not None:
            with file_errors(file.parent):
                file.parent.mkdir(parents=True, exist_ok=True)
        settings = {"seed": self.seed, "sources": kernel_digest()}
        with open_checkpoint_log(file, settings, [*COLUMNS, *SUMS]) as log:
            yield log

    def _add_row(self, row: Mapping[str, str]) -> None:
        key, played = self._read(row)
        self.results[key] = played

    def _read(self, row: Mapping[str, str]) -> tuple[Key, MatchResult]:
        sums: dict[str, Any] = {name: int(row[name]) for name in SUMS if name != "histogram"}
        sums["histogram"] = tuple(map(int, row["histogram"].split()))
        tally = Tally(**sums)
        players, misplays = int(row["players"]), tuple(map(int, row["misplay_counts"].split()))
        key = (row["strategy"], row["rules"], players, tally.decks, tally.repeats)
        match = Match(row["strategy"], row["rules"], players, SampleSize((0, 0), (0, 0)))
        return key, MatchResult(match, tally, misplays, float(row["seconds"]), self.seed)
