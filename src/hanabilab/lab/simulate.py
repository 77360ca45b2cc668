"""Simulate many games of one team, and analyze the first imperfect ones on request."""

from __future__ import annotations

import dataclasses
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanabilab.checks import check_integer
from hanabilab.errors import HanabiError, SaveError
from hanabilab.formats.data_table import DataTable
from hanabilab.formats.svg import histogram_svg
from hanabilab.game.deck import Deck, choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.files import File
from hanabilab.lab.game_rows import GameWriter, ReplayLinks, game_writer, row_writers
from hanabilab.lab.progress import Progress, Report, progress_bar
from hanabilab.lab.result import Bar, Result, games_label, rules_label
from hanabilab.lab.run import (
    UNLIMITED,
    Outcome,
    Parallelism,
    Run,
    is_stopping_point,
    play_run,
)
from hanabilab.lab.tally import Tally, percent, plus_minus
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.play import Team, play, team_members

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hanabilab.lab.analyze import Analysis
    from hanabilab.lab.run import Rows

__all__ = [
    "GameAnalysis",
    "RunAnalysis",
    "Simulation",
    "simulate",
    "tally_run",
]

GAMES = 10_000
"""Default number of games."""

MAX_ANALYZED = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Simulation(Tally, Result):
    """The statistics of a run, with team, rules and seed.

    >>> result = simulate("random", players=3, games=100, seed=1)
    >>> result.games, sum(result.histogram)
    (100, 100)
    """

    strategy: str
    rules: Rules
    seed: int
    seconds: float
    threads: int
    interrupted: bool = False
    """Whether Ctrl-C ended it before all games were played."""
    analysis: RunAnalysis | None = None
    """Why the first imperfect games were not perfect, if requested."""

    @classmethod
    def from_tally(
        cls, tally: Tally, team: Sequence[Strategy], run: Run, outcome: Outcome
    ) -> Simulation:
        """Return a tally with the team, the run and its duration."""
        return cls(
            **tally.sums(),
            strategy=team_name(team),
            rules=run.rules,
            seed=run.seed,
            seconds=outcome.seconds,
            threads=outcome.threads,
            interrupted=outcome.interrupted,
        )

    @property
    def games(self) -> int:
        """Number of decks; each was played `repeats` times."""
        return self.decks

    @property
    def players(self) -> int:
        """Number of players."""
        return self.rules.players

    @property
    def games_per_second(self) -> float:
        """The speed, repeats included."""
        return self.played / self.seconds if self.seconds else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        analysis = {"analysis": self.analysis.to_dict()} if self.analysis else {}
        return {
            "strategy": self.strategy,
            "players": self.players,
            "rules": self.rules.to_dict(),
            "games": self.games,
            "repeats": self.repeats,
            "seed": self.seed,
            **self.statistics(),
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
            "threads": self.threads,
            **analysis,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the histogram as a table."""
        return [{"score": score, "games": games} for score, games in enumerate(self.histogram)]

    def heading(self) -> str:
        """Return strategy, rules, seed and number of games as text."""
        return f"{self.strategy}: {rules_label(self.rules)}, seed {self.seed}, {games_label(self)}"

    def to_tables(self) -> list[DataTable]:
        """Return the statistics."""
        rows = (
            ("mean score", plus_minus(self.mean, self.stderr)),
            ("standard deviation", f"{self.stdev:.3f}"),
            ("lowest, highest", f"{self.min}, {self.max}"),
            ("perfect games", percent(self.perfect_rate, self.perfect_interval)),
            ("lost to misplays", percent(self.lost_rate, self.lost_interval)),
            ("turns per game", f"{self.mean_turns:.2f}"),
        )
        return [DataTable(header=("", "result"), rows=rows, text_columns=2)]

    def chart(self) -> str:
        """Return the histogram of the scores."""
        return histogram_svg(self.histogram, "histogram of the scores")

    def __repr__(self) -> str:
        return f"<Simulation: {self.heading()}: {self}>"

    def plot(self, file: str | None = None) -> Figure:
        """Draw the histogram; save it if a file is given (.png, .svg or .pdf)."""
        from hanabilab.lab.plot import plot_histogram

        return plot_histogram(self, file)

    def summary(self) -> str:
        """Return the mean, the share of perfect games and the number of lost ones."""
        return Tally.__str__(self)

    __str__ = Result.__str__


def team_name(team: Sequence[Strategy]) -> str:
    """Return the name of a team: the strategy that all play, or one per seat."""
    labels = [strategy.label for strategy in team]
    return labels[0] if len(set(labels)) == 1 else " + ".join(labels)


def simulate(
    strategy: Team,
    players: int | None = None,
    *,
    games: int | None = None,
    seed: int = 0,
    rules: Rules | str = "classic",
    repeats: int = 1,
    threads: int | None = None,
    cluster: Cluster = None,
    until_stderr: float | None = None,
    save: str | os.PathLike[str] | None = None,
    links_below: int | None = None,
    analyze: int = 0,
    progress: Progress = None,
    callback: Callable[[Simulation], None] | None = None,
    chunk: int | None = None,
    compiled: bool | None = None,
) -> Simulation:
    """Play games 0 to `games` - 1 of a seed and report the scores.

    Parameters
    ----------
    strategy
        One for all seats, or a list with one for each. A strategy is text as on the command line
        (``piers``, ``rule-based:hint-rule=2``, ``mine.py:careful``), a `Strategy`, its function
        `act`, a class with one, or a policy.
    players
        Number of players; by default the usual number for the rules.
    games
        Number of different decks, 10,000 by default; unlimited if `until_stderr` is given.
    seed
        The seed of the decks and of the strategies' random streams.
    rules
        `Rules` or the name of a preset.
    repeats
        How often each deck is played, with different random streams (van den Bergh 2015, section
        4.3). Standard errors allow for the correlation of games with the same deck.
    threads, chunk
        Number of threads and games per chunk; neither changes the result.
    cluster
        Play on the workers of a Dask cluster instead: ``tcp://HOST:PORT``, a scheduler file,
        ``local:N`` for N processes of this machine, or a `Client`. The default is the environment
        variable `HANABILAB_CLUSTER`.
    until_stderr
        Stop once the standard error of the mean is at most this. It is checked after 100 games,
        and then each time a tenth more have been played.
    save
        Write a row for each game to this .parquet or .csv file. If that fails, the `result` of the
        `SaveError` has the statistics so far. After Ctrl-C the file has the games played so far,
        unless it existed before: then it stays as it was.
    links_below
        Add a column with a link to hanab.live for each game whose score is below this.
    analyze
        Analyze this many of the first imperfect games: whether the deck was winnable, and which
        turn lost it. See `Simulation.analysis`.
    progress
        Show a progress bar; by default on a terminal, and elsewhere a line every ten seconds. Or a
        function, called with the number of games done and a short text; an error that it raises
        aborts the run.
    callback
        Called with the result so far, about twice a second.
    compiled
        Run compiled; by default if all strategies support it.

    Examples
    --------
    >>> print(simulate("piers", players=3, games=100, seed=1))
    17.66 ± 0.17, perfect 0.0 %, 0 games lost to misplays
    """
    if until_stderr is not None and not until_stderr > 0:
        raise HanabiError(f"until_stderr: {until_stderr} is not a number above 0")
    check_integer("analyze", analyze, 0, MAX_ANALYZED)
    if games is None:
        games = GAMES if until_stderr is None else UNLIMITED
    run = Run.of(
        choose_rules(rules, _players_of(strategy, rules) if players is None else players),
        [strategy],
        seed=seed,
        games=games,
        repeats=repeats,
        compiled=compiled,
    )
    imperfect = ImperfectGames(analyze, run.rules.max_score, repeats)
    result = _play_and_save(
        run,
        Parallelism.of(threads, chunk, cluster),
        save,
        _replay_links(run, links_below, save),
        imperfect,
        progress,
        until_stderr=until_stderr,
        partial=_PartialResult(run, threads or 1, callback),
    )
    if not analyze or result.interrupted:
        return result
    analysis = analyze_run(run.teams[0], run.rules, seed, imperfect.found, progress=progress)
    return dataclasses.replace(result, analysis=analysis, interrupted=analysis.interrupted)


def _play_and_save(
    run: Run,
    parallelism: Parallelism,
    save: str | os.PathLike[str] | None,
    links: ReplayLinks | None,
    imperfect: ImperfectGames,
    progress: Progress,
    *,
    until_stderr: float | None,
    partial: _PartialResult,
) -> Simulation:
    """Play the games of a run, write their rows and collect imperfect ones."""
    expected = run.games if run.games < UNLIMITED else None
    try:
        with (
            game_writer(save, run.repeats, _metadata(run), links=links is not None) as writer,
            progress_bar(team_name(run.teams[0]), expected, progress) as report,
        ):
            tally, outcome = tally_run(
                run,
                parallelism,
                report=report,
                writers=[*row_writers(writer, links), imperfect],
                until_stderr=until_stderr,
                callback=partial.update,
            )
            if writer and outcome.interrupted:
                writer.discard_if_replacing()
    except SaveError as error:
        error.result = partial.result
        raise
    return Simulation.from_tally(tally, run.teams[0], run, outcome)


def _players_of(strategy: Team, rules: Rules | str) -> int | None:
    """Return the number of players that a list of strategies implies, if the rules are a name."""
    several = len(team_members(strategy))
    return several if several > 1 and isinstance(rules, str) else None


def _replay_links(run: Run, below: int | None, save: File | None) -> ReplayLinks | None:
    """Return the links of a run, if any are requested."""
    if below is None:
        return None
    if save is None:
        raise HanabiError("links_below: links go to the file of save, but none is given")
    return ReplayLinks(run, below)


def _metadata(run: Run) -> dict[str, Any]:
    """Return the metadata of a run for its file of games."""
    return {
        "strategy": team_name(run.teams[0]),
        "rules": run.rules.to_dict(),
        "players": run.rules.players,
        "seed": run.seed,
        "repeats": run.repeats,
    }


class _PartialResult:
    """The result of the games played so far, for the callback and for a failed save."""

    def __init__(
        self, run: Run, threads: int, callback: Callable[[Simulation], None] | None
    ) -> None:
        self.run, self.threads, self.callback = run, threads, callback
        self.started = time.perf_counter()
        self.tally: Tally | None = None

    def update(self, tally: Tally) -> None:
        """Store the latest tally, and pass its result to the callback."""
        self.tally = tally
        if self.callback:
            self.callback(self._result_of(tally))

    @property
    def result(self) -> Simulation | None:
        """The latest result, if any game has been played."""
        return None if self.tally is None else self._result_of(self.tally)

    def _result_of(self, tally: Tally) -> Simulation:
        seconds = time.perf_counter() - self.started
        outcome = Outcome(seconds, self.threads, tally.decks < self.run.games)
        return Simulation.from_tally(tally, self.run.teams[0], self.run, outcome)


def tally_run(
    run: Run,
    parallelism: Parallelism,
    *,
    report: Report,
    writers: Sequence[GameWriter] = (),
    until_stderr: float | None = None,
    stop: threading.Event | None = None,
    callback: Callable[[Tally], None] | None = None,
) -> tuple[Tally, Outcome]:
    """Play a run of one team, and return its statistics."""
    max_score, repeats = run.rules.max_score, run.repeats
    tally = Tally.empty(max_score, repeats)

    def consume(first: int, rows: list[Rows]) -> bool:
        nonlocal tally
        tally += Tally.of(rows[0], max_score, repeats)
        report(tally.decks, plus_minus(tally.mean, tally.stderr))
        if callback:
            callback(tally)
        for writer in writers:
            writer.add(first, rows[0])
        if until_stderr is None or not is_stopping_point(tally.decks):
            return False
        return tally.stderr <= until_stderr

    outcome = play_run(
        run, consume, parallelism, stopping_points=until_stderr is not None, stop=stop
    )
    return tally, outcome


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """The analysis of one game of a run."""

    game: int
    repeat: int
    analysis: Analysis

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data, without its turns."""
        analysis = self.analysis
        return {
            "game": self.game,
            "repeat": self.repeat,
            "verdict": analysis.verdict,
            "score": analysis.score,
            "winnable": analysis.start.winnable,
            "best": analysis.start.best,
            "bound": analysis.start.bound,
            "lost_at": analysis.lost_at,
            "action": analysis.losing.action if analysis.losing else None,
            "better": analysis.better,
        }


@dataclass(frozen=True, slots=True, repr=False)
class RunAnalysis(Result):
    """The first imperfect games of a run: mistakes of the strategy, and bad luck."""

    games: list[GameAnalysis]
    interrupted: bool = False

    def count(self, verdict: str) -> int:
        """Return how many games have this verdict."""
        return sum(one.analysis.verdict == verdict for one in self.games)

    @property
    def points_to_luck(self) -> int:
        """Points that were never reachable, as far as is known."""
        return sum(one.analysis.max_score - one.analysis.start.bound for one in self.games)

    @property
    def points_to_play(self) -> int:
        """Points that were reachable at the start but were not scored."""
        return sum(one.analysis.start.best - one.analysis.score for one in self.games)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data."""
        return {
            "analyzed": len(self.games),
            "mistakes": self.count("mistake"),
            "bad_luck": self.count("bad luck"),
            "undecided": self.count("undecided"),
            "points_to_play": self.points_to_play,
            "points_to_luck": self.points_to_luck,
            "games": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game."""
        return [one.to_dict() for one in self.games]

    def summary(self) -> str:
        """Return how many games were lost by mistakes and by bad luck, and the points lost."""
        counts = [f"{self.count('mistake')} by a mistake", f"{self.count('bad luck')} by bad luck"]
        if self.count("undecided"):
            counts.append(f"{self.count('undecided')} undecided")
        return (
            f"{len(self.games)} imperfect games: {', '.join(counts)}; "
            f"{self.points_to_play} points lost by play, {self.points_to_luck} by luck"
        )

    def bars(self) -> list[Bar]:
        """Return the number of games with each verdict."""
        return [Bar(name, self.count(name)) for name in ("mistake", "bad luck", "undecided")]


class ImperfectGames:
    """Collects the numbers of the first imperfect games of a run."""

    def __init__(self, most: int, max_score: int, repeats: int) -> None:
        self.most, self.max_score, self.repeats = most, max_score, repeats
        self.found: list[tuple[int, int]] = []

    def add(self, first: int, rows: Any) -> None:
        """Add the imperfect ones among the games from number `first` on."""
        missing = self.most - len(self.found)
        if missing > 0:
            for place in (rows[:, 0] < self.max_score).nonzero()[0][:missing].tolist():
                game, repeat = divmod(place, self.repeats)
                self.found.append((first + game, repeat))


def analyze_run(
    team: Sequence[Strategy],
    rules: Rules,
    seed: int,
    numbers: Sequence[tuple[int, int]],
    *,
    time_limit: float | None = 60.0,
    progress: Progress = None,
) -> RunAnalysis:
    """Replay some games of a run and analyze them; Ctrl-C returns the analyses so far."""
    from hanabilab.lab.analyze import analyze

    done: list[GameAnalysis] = []
    with progress_bar("analyze", len(numbers), progress) as report:
        try:
            for game, repeat in numbers:
                deck = Deck.shuffled(rules, seed=seed, game=game)
                played = play(team, deck, seed=seed, game=game, repeat=repeat)
                found = analyze(played, time_limit=time_limit, progress=False)
                done.append(GameAnalysis(game, repeat, found))
                report(len(done), f"game {game}: {done[-1].analysis.verdict}")
        except KeyboardInterrupt:
            return RunAnalysis(done, interrupted=True)
    return RunAnalysis(done)
