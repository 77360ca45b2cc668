"""What a strategy scored with some of its options: a cell of a sweep, a candidate of a search."""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.lab.progress import Report
from hanabilab.lab.run import Division, Run
from hanabilab.lab.simulate import tally_run
from hanabilab.lab.tally import Tally, plus_minus

__all__ = ["COLUMNS", "Options", "ScoredOptions", "read_scored_options", "score_options"]

NUMBERS = ("mean", "stderr", "stdev", "min", "max", "perfect_rate", "lost_rate", "mean_turns")
COLUMNS = (*NUMBERS, "histogram")

Options = tuple[tuple[str, Any], ...]
"""Names of options with their values."""


@dataclass(frozen=True, slots=True)
class ScoredOptions:
    """One choice of options, and what it scored."""

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
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return {**self.options, **numbers, "histogram": list(self.histogram)}

    def __str__(self) -> str:
        options = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{options}: {plus_minus(self.mean, self.stderr)}"


def score_options(
    options: Options, run: Run, division: Division, report: Report, stop: threading.Event
) -> ScoredOptions | None:
    """Play a run and return its statistics, or None if Ctrl-C ended it early."""
    try:
        tally, outcome = tally_run(run, division, report=report, stop=stop)
    except KeyboardInterrupt:
        return None
    if outcome.interrupted:
        return None
    numbers = tally.statistics()
    numbers["histogram"] = tally.histogram
    return ScoredOptions(dict(options), **numbers)


def read_scored_options(options: Options, row: Mapping[str, str], games: int) -> ScoredOptions:
    """Return what these options scored in so many games according to a row of a file."""
    numbers: dict[str, Any] = {
        name: float(row[name]) if row[name] else math.nan for name in NUMBERS
    }
    numbers |= {"min": int(row["min"]), "max": int(row["max"])}
    histogram = tuple(int(games) for games in row["histogram"].split())
    cell = ScoredOptions(dict(options), **numbers, histogram=histogram)
    _check(cell, games)
    return cell


def _check(cell: ScoredOptions, games: int) -> None:
    """Raise a ValueError if the figures do not fit together."""
    if cell.played != games or min(cell.histogram, default=0) < 0:
        raise ValueError(f"its histogram is not that of {games} games")
    tally = Tally.nothing(len(cell.histogram) - 1)
    tally = dataclasses.replace(tally, decks=games, histogram=cell.histogram)
    for name in ("mean", "stdev", "min", "max", "perfect_rate"):
        if str(getattr(cell, name)) != str(getattr(tally, name)):
            raise ValueError(f"{name} {getattr(cell, name)} does not follow from its histogram")
    for name in ("stderr", "lost_rate", "mean_turns"):
        value = getattr(cell, name)
        if value < 0 or math.isinf(value):
            raise ValueError(f"{name} cannot be {value}")
