"""Sweep a strategy over a grid of its options; resumable.

With a file, each finished cell is appended to it as one line. A sweep that finds its own lines
there keeps them and plays the rest; an incomplete line is played again.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Never

from hanabilab.checks import shorten
from hanabilab.errors import FormatError, HanabiError, StrategyError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.checkpoint_log import CheckpointLog, open_checkpoint_log
from hanabilab.lab.progress import Progress, Report, offset_progress, progress_bar
from hanabilab.lab.result import Result, games_label, is_written_at_end, rules_label
from hanabilab.lab.run import Parallelism, Run, interrupt_event
from hanabilab.lab.simulate import GAMES, tally_run
from hanabilab.lab.tally import Tally, percent, plus_minus
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import find_strategy
from hanabilab.strategies.load import own_sources
from hanabilab.strategies.strategy import Option, Strategy, option_word

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "COLUMNS",
    "Options",
    "ScoredOptions",
    "Sweep",
    "Values",
    "column_name",
    "option_values",
    "read_axes",
    "read_scored_options",
    "read_values",
    "reject_old_options",
    "score_options",
    "sweep",
]

NUMBERS = ("mean", "stderr", "stdev", "min", "max", "perfect_rate", "lost_rate", "mean_turns")
COLUMNS = (*NUMBERS, "histogram")

OTHER_COLUMNS = frozenset(
    {*COLUMNS, "strategy", "players", "rules", "games", "repeats", "seed", "sources"}
    | {"objective", "final_games", "stage", "value"}
)
"""The columns of a table of options that are not options."""

Options = tuple[tuple[str, Any], ...]
"""Names and values of options."""


def column_name(option: str) -> str:
    """Return the column of an option, which may be called like another column."""
    return f"option-{option}" if option.replace("-", "_") in OTHER_COLUMNS else option


@dataclass(frozen=True, slots=True)
class ScoredOptions:
    """One choice of options and its score: a cell of a sweep, or a candidate of a search."""

    options: Mapping[str, Any]
    mean: float
    stderr: float
    stdev: float
    min: int
    max: int
    perfect_rate: float
    lost_rate: float
    mean_turns: float
    histogram: tuple[int, ...]

    @property
    def played(self) -> int:
        """Number of games, repeats included."""
        return sum(self.histogram)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        options = {column_name(name): value for name, value in self.options.items()}
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return {**options, **numbers, "histogram": list(self.histogram)}

    def __str__(self) -> str:
        options = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{options}: {plus_minus(self.mean, self.stderr)}"


def score_options(
    options: Options, run: Run, parallelism: Parallelism, report: Report, stop: threading.Event
) -> ScoredOptions | None:
    """Play a run with some options; return None if Ctrl-C ended it early."""
    try:
        tally, outcome = tally_run(run, parallelism, report=report, stop=stop)
    except KeyboardInterrupt:
        return None
    if outcome.interrupted:
        return None
    numbers = tally.statistics()
    numbers["histogram"] = tally.histogram
    return ScoredOptions(dict(options), **numbers)


def read_scored_options(options: Options, row: Mapping[str, str], games: int) -> ScoredOptions:
    """Return the score of some options from a row of a checkpoint log of `games` games."""
    numbers: dict[str, Any] = {
        name: float(row[name]) if row[name] else math.nan for name in NUMBERS
    }
    numbers |= {"min": int(row["min"]), "max": int(row["max"])}
    histogram = tuple(int(games) for games in row["histogram"].split())
    cell = ScoredOptions(dict(options), **numbers, histogram=histogram)
    _check(cell, games)
    return cell


def _check(cell: ScoredOptions, games: int) -> None:
    """Raise `ValueError` if the statistics are inconsistent."""
    if cell.played != games or min(cell.histogram, default=0) < 0:
        raise ValueError(f"its histogram is not that of {games} games")
    tally = Tally.empty(len(cell.histogram) - 1)
    tally = dataclasses.replace(tally, decks=games, histogram=cell.histogram)
    for name in ("mean", "stdev", "min", "max", "perfect_rate"):
        if str(getattr(cell, name)) != str(getattr(tally, name)):
            raise ValueError(f"{name} {getattr(cell, name)} does not follow from its histogram")
    for name in ("stderr", "lost_rate", "mean_turns"):
        value = getattr(cell, name)
        if value < 0 or math.isinf(value):
            raise ValueError(f"{name} cannot be {value}")


MAX_CELLS = 100_000

Values = str | float | int | bool | Sequence[object]
"""Values of an option: one value, a list, or text as on the command line."""


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Result):
    """The cells of a sweep, in the order of the grid."""

    strategy: str
    rules: Rules
    seed: int
    games: int
    repeats: int
    axes: Mapping[str, tuple[Any, ...]]
    cells: tuple[ScoredOptions, ...]
    seconds: float
    resumed: int
    """Number of cells restored from the file."""
    interrupted: bool = False

    @property
    def size(self) -> int:
        """Number of cells in the grid."""
        return math.prod(map(len, self.axes.values()))

    @property
    def best(self) -> ScoredOptions:
        """The cell with the highest mean."""
        return max(self.cells, key=lambda cell: cell.mean)

    def settings(self) -> dict[str, Any]:
        """Return the settings that all cells share."""
        return {
            "strategy": self.strategy,
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "games": self.games,
            "repeats": self.repeats,
            "seed": self.seed,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            **self.settings(),
            "options": {name: list(values) for name, values in self.axes.items()},
            "cells": [cell.to_dict() for cell in self.cells],
            "seconds": self.seconds,
            "resumed": self.resumed,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each cell."""
        return [{**self.settings(), **cell.to_dict()} for cell in self.cells]

    def heading(self) -> str:
        """Return strategy, rules and games per cell as text."""
        return (
            f"{self.strategy}: {rules_label(self.rules)}, seed {self.seed}, "
            f"{games_label(self)} per cell"
        )

    def to_tables(self) -> list[DataTable]:
        """Return a row for each cell."""
        if not self.cells:
            return []
        rows = tuple(
            (
                *(str(value) for value in cell.options.values()),
                plus_minus(cell.mean, cell.stderr),
                f"{cell.stdev:.2f}",
                percent(cell.perfect_rate),
                percent(cell.lost_rate),
            )
            for cell in self.cells
        )
        return [
            DataTable(
                header=(*self.axes, "mean", "stdev", "perfect", "lost"),
                rows=rows,
                text_columns=0,
                bold=frozenset({(self.cells.index(self.best), len(self.axes))}),
            )
        ]

    def plot(self, file: str | None = None) -> Figure:
        """Draw lines over the longest axis; save the figure if a file is given."""
        from hanabilab.lab.plot import plot_sweep

        return plot_sweep(self, file)

    def summary(self) -> str:
        """Return the options with the highest mean."""
        if not self.cells:
            return f"{self.strategy}: no cell was finished"
        return f"{self.strategy}, best of {len(self.cells)}: {self.best}"


def read_values(text: str) -> list[str]:
    """Parse values: ``0:1:0.25`` is 0, 0.25, 0.5, 0.75, 1; ``1,2,4`` is a list."""
    if "[" in text or ".." in text:
        raise FormatError(f"{text!r}: expected values such as 1,2,4 or START:STOP:STEP")
    values: list[str] = []
    for part in text.split(","):
        if not part.strip():
            raise FormatError(f"{text!r}: a value is missing")
        values += _read_range(part) if ":" in part else [part.strip()]
    return values


def _read_range(text: str) -> list[str]:
    try:
        start, stop, step = map(Decimal, text.split(":"))
    except (ValueError, InvalidOperation):
        raise FormatError(f"{text!r} is not a range; expected START:STOP:STEP") from None
    if not all(number.is_finite() for number in (start, stop, step)) or step <= 0 or stop < start:
        raise FormatError(f"{text!r} is not a range; expected START up to STOP, STEP above 0")
    steps = int((stop - start) / step)
    if steps >= MAX_CELLS:
        raise FormatError(f"{text!r} has more than {MAX_CELLS:,} values")
    return [f"{(start + step * number).normalize():f}" for number in range(steps + 1)]


def _with_steps(text: str, option: Option | None) -> str:
    """Give ranges of integers without a step the step 1: ``1:4`` is ``1:4:1``."""
    if option is None or type(option.default) is not int:
        return text
    return ",".join(part + ":1" * (part.count(":") == 1) for part in text.split(","))


def option_values(strategy: Strategy, name: str, values: Values) -> tuple[Any, ...]:
    """Return the distinct values of an option; raise if one is invalid."""
    field = name.replace("-", "_")
    if isinstance(values, str):
        option = strategy.options.get(field)
        words = option is not None and isinstance(option.default, str)
        values = values.split(",") if words else read_values(_with_steps(values, option))
    elif not isinstance(values, Sequence):
        values = [values]
    chosen = [strategy.with_options(**{name: value}) for value in values]
    return tuple(dict.fromkeys(strategy.option(field) for strategy in chosen))


def read_axes(strategy: Strategy, axes: Mapping[str, Values]) -> dict[str, tuple[Any, ...]]:
    """Return the values of each option to vary."""
    read = {
        name.replace("_", "-"): option_values(strategy, name, values)
        for name, values in axes.items()
    }
    if not read:
        known = ", ".join(map(option_word, strategy.options)) or "none"
        raise StrategyError(f"no option to vary is given; {strategy.name} has: {known}")
    if math.prod(map(len, read.values())) > MAX_CELLS:
        raise HanabiError(f"sweep: the grid has more than {MAX_CELLS:,} cells")
    return read


def reject_old_options(given: Mapping[str, object]) -> None:
    """Raise for options of a strategy that are given as arguments, with the way to give them."""
    for name, value in given.items():
        option = name.replace("_", "-")
        raise StrategyError(f"unknown argument {name}; write vary={{{option!r}: {shorten(value)}}}")


def sweep(
    strategy: str | Strategy,
    players: int | None = None,
    *,
    games: int = GAMES,
    seed: int = 0,
    rules: Rules | str = "classic",
    vary: Mapping[str, Values] = MappingProxyType({}),
    repeats: int = 1,
    save: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    callback: Callable[[Sweep], None] | None = None,
    chunk: int | None = None,
    compiled: bool | None = None,
    **old: Never,
) -> Sweep:
    """Play a strategy with every combination of option values; all cells play the same decks.

    `vary` has the values of each option to vary: a list, or text as the command line takes it,
    ``sweep("rule-based", players=3, vary={"play-threshold": "0:1:0.1", "hint-rule": [1, 2]})``.
    With `save`, a .csv or .jsonl file, the sweep resumes where it stopped; a .json, .parquet, .md
    or .tex file is written at the end. `callback` is called after each cell. For the other
    parameters see `simulate`.

    Examples
    --------
    >>> print(sweep("rule-based", players=2, games=50, seed=1, vary={"hint-rule": [1, 3]}))
    rule-based, best of 2: hint-rule=3: 14.10 ± 0.43
    """
    reject_old_options(old)
    base = find_strategy(strategy)
    read = read_axes(base, vary)
    chosen = choose_rules(rules, players)
    parallelism = Parallelism.of(threads, chunk, cluster)
    grid = {
        cell: Run.of(
            chosen,
            [base.with_options(**dict(cell))],
            seed=seed,
            games=games,
            repeats=repeats,
            compiled=compiled,
        )
        for cell in _cells(read)
    }
    plan = Sweep(base.label, chosen, seed, games, repeats, read, (), 0.0, 0)
    start = time.perf_counter()
    done: dict[Options, ScoredOptions] = {}
    resumed = 0

    def result(interrupted: bool) -> Sweep:
        return dataclasses.replace(
            plan,
            cells=tuple(done[options] for options in grid if options in done),
            seconds=time.perf_counter() - start,
            resumed=resumed,
            interrupted=interrupted,
        )

    def show() -> None:
        if callback:
            callback(result(len(done) < len(grid)))

    settings = {**plan.settings(), **own_sources(base)}
    columns = [*map(column_name, read), *COLUMNS]
    at_the_end = is_written_at_end(save)
    with open_checkpoint_log(None if at_the_end else save, settings, columns) as log:
        if log:
            log.restore(_row_reader(plan, grid, done))
        resumed = len(done)
        with progress_bar(base.label, games * len(grid), progress) as report:
            interrupted = _play_cells(grid, done, parallelism, report, log, show)
    return result(interrupted).save(save) if save and at_the_end else result(interrupted)


def _cells(axes: Mapping[str, tuple[Any, ...]]) -> Iterator[Options]:
    for values in itertools.product(*axes.values()):
        yield tuple(zip(axes, values, strict=True))


def _play_cells(
    grid: Mapping[Options, Run],
    done: dict[Options, ScoredOptions],
    parallelism: Parallelism,
    report: Report,
    log: CheckpointLog | None,
    show: Callable[[], None],
) -> bool:
    """Play the missing cells; return True if Ctrl-C cut some off."""
    with interrupt_event() as stop:
        for options, run in grid.items():
            if options in done:
                continue
            ahead = offset_progress(report, len(done) * run.games)
            cell = score_options(options, run, parallelism, ahead, stop)
            if cell is None:
                return True
            done[options] = cell
            if log:
                log.append(cell.to_dict())
            show()
    return False


def _row_reader(
    plan: Sweep, grid: Mapping[Options, Run], done: dict[Options, ScoredOptions]
) -> Callable[[Mapping[str, str]], None]:
    """Return a function that restores a cell from a row of the file."""
    known = {tuple(str(value) for _, value in options): options for options in grid}

    def add(row: Mapping[str, str]) -> None:
        options = known.get(tuple(row[column_name(name)] for name in plan.axes))
        if options is None:
            where = ", ".join(f"{name} {row[column_name(name)]}" for name in plan.axes)
            raise ValueError(f"a cell of another sweep, with {where}")
        if options in done:
            raise ValueError("a cell that stands above as well")
        done[options] = read_scored_options(options, row, plan.games * plan.repeats)

    return add
