"""Measure speeds, compare them, and save them.

`measure` takes the best of a few short repetitions after a warm-up that compiles: on a machine that
is also used otherwise, the best is reproducible.

`compare_speeds` estimates the ratio of two sets of repeated measurements by the median of all
ratios (Hodges and Lehmann 1963). Its interval is exact for any distribution, as long as both sets
differ only by a factor: it cuts off as many of the sorted ratios as the distribution of Mann and
Whitney's statistic allows. So a single slow round cannot shift it.

`bench --save` writes `Measurements`, and `bench --against` prints a `Comparison`.
"""

from __future__ import annotations

import datetime
import functools
import json
import math
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from hanabilab import __version__
from hanabilab.errors import FormatError
from hanabilab.lab.files import file_errors, write_text
from hanabilab.lab.result import Bar, Result
from hanabilab.lab.results_table import PLAYERS

if TYPE_CHECKING:
    from hanabilab.bench.suite import Benchmark, Rounds

__all__ = [
    "LEVEL",
    "SEED",
    "Clock",
    "Comparison",
    "Measurements",
    "Ratio",
    "Speed",
    "Timing",
    "Workload",
    "compare_speeds",
    "geometric_mean",
    "measure",
    "measure_all",
    "timed",
]

SECONDS = 0.3
REPETITIONS = 3
SEED = 1

Workload = Callable[[int], int]
"""Plays a number of games, and returns the number of turns."""

Clock = Callable[[], float]


class Timing(TypedDict, total=False):
    """Duration and number of repetitions, and the clock."""

    seconds: float
    repetitions: int
    clock: Clock


@dataclass(frozen=True, slots=True)
class Speed:
    """Speed of play."""

    games_per_second: float
    turns_per_second: float

    def to_dict(self) -> dict[str, float]:
        """Return the figures as plain data."""
        return {
            "games_per_second": self.games_per_second,
            "turns_per_second": self.turns_per_second,
        }


def measure(
    play: Workload,
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


def measure_all(games: Callable[[int], Workload], **timing: Unpack[Timing]) -> dict[int, Speed]:
    """Measure the games of 2 to 5 players."""
    return {players: measure(games(players), **timing) for players in PLAYERS}


def timed(play: Workload, games: int, clock: Clock = time.perf_counter) -> tuple[float, int]:
    """Return the seconds that `games` games took, and their turns."""
    start = clock()
    turns = play(games)
    return clock() - start, turns


LEVEL = 0.99
"""Confidence level of the interval; five rounds on each side suffice."""
MIN_LEVEL = 0.95
"""Minimum level for a verdict, reached with four rounds on each side."""
NOTICEABLE = 0.03
"""Differences below this are ignored: they come from the placement of code in memory."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two speeds, its confidence interval, and the level reached."""

    ratio: float
    low: float
    high: float
    level: float

    @property
    def verdict(self) -> str:
        """`slower` or `faster` if that is significant and noticeable, else `same` or `unsure`."""
        if self.level < MIN_LEVEL:
            return "unsure"
        if self.high < 1 - NOTICEABLE:
            return "slower"
        return "faster" if self.low > 1 + NOTICEABLE else "same"


def compare_speeds(before: Sequence[float], now: Sequence[float], level: float = LEVEL) -> Ratio:
    """Return the ratio of the speeds now to the speeds before."""
    ratios = sorted(new / old for new in now for old in before)
    cut, reached = _cut(len(before), len(now), level)
    return Ratio(median(ratios), ratios[cut], ratios[-1 - cut], reached)


def geometric_mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean of ratios."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 1.0


def _cut(n: int, m: int, level: float) -> tuple[int, float]:
    """Return how many ratios to cut off at each end, and the level of the interval."""
    total = math.comb(n + m, n)
    below, cut = 0, -1
    while below + _mann_whitney_count(n, m, cut + 1) <= total * (1 - level) / 2:
        cut += 1
        below += _mann_whitney_count(n, m, cut)
    if cut < 0:  # too few rounds for the level: keep all ratios
        return 0, 1 - 2 / total
    return cut, 1 - 2 * below / total


@functools.cache
def _mann_whitney_count(n: int, m: int, wins: int) -> int:
    """Count the orders of n and m measurements with a Mann-Whitney statistic of `wins`."""
    if wins < 0:
        return 0
    if n == 0 or m == 0:
        return int(wins == 0)
    return _mann_whitney_count(n, m - 1, wins - n) + _mann_whitney_count(n - 1, m, wins)


FORMAT, SCHEMA = "hanabilab bench", 1
ROW = ("unit", "count", "median", "lowest", "highest")
"""The columns of a table of measurements, except the benchmark's name."""


def _machine() -> dict[str, str]:
    """Return the machine and the version of Python."""
    import llvmlite.binding as llvm

    return {
        "processor": llvm.get_host_cpu_name(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


@dataclass(frozen=True, slots=True, repr=False)
class Measurements(Result):
    """The speeds of all rounds by benchmark, with version, machine and date."""

    speeds: Mapping[str, Sequence[float]]
    counts: Mapping[str, int]
    """Games, decks or steps per round; comparisons use the same counts."""
    units: Mapping[str, str]
    version: str
    date: str
    machine: Mapping[str, str]

    @classmethod
    def of(cls, measured: Rounds, benchmarks: Sequence[Benchmark]) -> Measurements:
        """Return measurements that were just made on this machine."""
        date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        units = {each.name: each.unit for each in benchmarks if each.name in measured.speeds}
        return cls(measured.speeds, measured.counts, units, __version__, date, _machine())

    def to_dict(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        return {
            "format": FORMAT,
            "schema": SCHEMA,
            "version": self.version,
            "date": self.date,
            "machine": dict(self.machine),
            "benchmarks": {
                name: {
                    "unit": self.units[name],
                    "count": self.counts[name],
                    "median": median(speeds),
                    "lowest": min(speeds),
                    "highest": max(speeds),
                    "speeds": list(speeds),
                }
                for name, speeds in self.speeds.items()
            },
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each benchmark."""
        return [
            {"benchmark": name, **{key: each[key] for key in ROW}}
            for name, each in self.to_dict()["benchmarks"].items()
        ]

    def summary(self) -> str:
        """Return the number of benchmarks, the version and the machine in one line."""
        count = len(self.speeds)
        processor = self.machine.get("processor", "unknown")
        return f"{count} benchmarks of hanabilab {self.version} on {processor}, {self.date}"

    def bars(self) -> list[Bar]:
        """Return the median speed of each benchmark, with half its range."""
        return [
            Bar(f"{name} ({self.units[name]}/s)", median(each), (max(each) - min(each)) / 2)
            for name, each in self.speeds.items()
        ]

    def save(self, file: str | os.PathLike[str]) -> Self:
        """Write the measurements; a .json file can be loaded again, other files hold the table."""
        if Path(file).suffix.lower() != ".json":
            return Result.save(self, file)
        write_text(file, json.dumps(self.to_dict(), indent=1) + "\n")
        return self

    @classmethod
    def load(cls, file: str) -> Measurements:
        """Read measurements from a file."""
        with file_errors(file):
            text = Path(file).read_bytes()
        try:
            data = json.loads(text)
            known = data["format"] == FORMAT
        except (ValueError, TypeError, KeyError, RecursionError):
            known = False
        if not known:
            raise FormatError(f"{file} is not a file of hanabilab bench --save")
        if data.get("schema") != SCHEMA:
            found = data.get("schema")
            raise FormatError(f"{file} has schema {found!r}; this version reads {SCHEMA}")
        try:
            return cls._read(data)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FormatError(f"{file} is damaged: {type(error).__name__} {error}") from None

    @classmethod
    def _read(cls, data: Any) -> Measurements:
        benchmarks = data["benchmarks"]
        speeds = {name: list(map(float, each["speeds"])) for name, each in benchmarks.items()}
        for rounds in speeds.values():
            if not rounds or not all(0 < each < math.inf for each in rounds):
                raise ValueError("a speed is not a positive number")
        units = {name: str(each["unit"]) for name, each in benchmarks.items()}
        machine = {str(name): str(value) for name, value in data["machine"].items()}
        counts = {name: int(each["count"]) for name, each in benchmarks.items()}
        return cls(speeds, counts, units, str(data["version"]), str(data["date"]), machine)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
    """Measurements made now, compared with those of a file."""

    before: Measurements
    now: Measurements

    @property
    def ratios(self) -> dict[str, Ratio]:
        """The ratio of speeds of each benchmark that both have."""
        return {
            name: compare_speeds(self.before.speeds[name], speeds)
            for name, speeds in self.now.speeds.items()
            if name in self.before.speeds
        }

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the comparison."""
        ours, theirs = self.now.machine, self.before.machine
        different = [
            f"{name} {theirs.get(name, 'unknown')} (here {value})"
            for name, value in ours.items()
            if theirs.get(name) != value
        ]
        found = [f"measured elsewhere: {', '.join(different)}"] if different else []
        if lost := sorted(set(self.before.speeds) - set(self.now.speeds)):
            found.append(f"not measured now: {'; '.join(lost)}")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data, with the measurements made now."""
        ratios = self.ratios
        return {
            **self.now.to_dict(),
            "against": {
                "version": self.before.version,
                "date": self.before.date,
                "machine": dict(self.before.machine),
            },
            "warnings": self.warnings,
            "ratios": {
                name: {**asdict(ratio), "verdict": ratio.verdict} for name, ratio in ratios.items()
            },
            "all": geometric_mean(ratio.ratio for ratio in ratios.values()),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each benchmark that both have."""
        return [
            {"benchmark": name, **asdict(ratio), "verdict": ratio.verdict}
            for name, ratio in self.ratios.items()
        ]

    def summary(self) -> str:
        """Return the mean ratio of the speeds, and how many benchmarks changed."""
        ratios = self.ratios.values()
        counts = Counter(ratio.verdict for ratio in ratios)
        mean = geometric_mean(ratio.ratio for ratio in ratios)
        return (
            f"{mean:.2f} times the speed of {self.before.version}: of {len(ratios)} benchmarks, "
            f"{counts['faster']} faster, {counts['slower']} slower"
        )

    def bars(self) -> list[Bar]:
        """Return the ratio of each benchmark, with half its interval."""
        return [
            Bar(name, ratio.ratio, (ratio.high - ratio.low) / 2)
            for name, ratio in self.ratios.items()
        ]
