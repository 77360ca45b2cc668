"""What `bench --save` writes and `bench --against` reads: figures, and where they come from."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from hanabilab import __version__
from hanabilab.bench.ratios import Ratio, compare_speeds, geometric_mean
from hanabilab.bench.suite import Benchmark, Rounds
from hanabilab.errors import FormatError
from hanabilab.lab.files.ownership import file_errors
from hanabilab.lab.files.save import write_text

__all__ = ["Figures", "SpeedChange"]

FORMAT, SCHEMA = "hanabilab bench", 1


def _origin() -> dict[str, str]:
    """Return the machine and the versions that figures depend on."""
    import llvmlite.binding as llvm

    return {
        "processor": llvm.get_host_cpu_name(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


@dataclass(frozen=True, slots=True)
class Figures:
    """The speeds of all rounds by benchmark, with version, machine and date."""

    speeds: Mapping[str, Sequence[float]]
    counts: Mapping[str, int]
    """How many games, decks or steps a round has: the same where figures are compared."""
    units: Mapping[str, str]
    version: str
    date: str
    origin: Mapping[str, str]

    @classmethod
    def of(cls, measured: Rounds, benchmarks: Sequence[Benchmark]) -> Figures:
        """Return what was just measured here."""
        date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        units = {each.name: each.unit for each in benchmarks if each.name in measured.speeds}
        return cls(measured.speeds, measured.counts, units, __version__, date, _origin())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "format": FORMAT,
            "schema": SCHEMA,
            "version": self.version,
            "date": self.date,
            "machine": dict(self.origin),
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

    def save(self, file: str) -> None:
        """Write them to a file."""
        write_text(file, json.dumps(self.to_dict(), indent=1) + "\n")

    @classmethod
    def load(cls, file: str) -> Figures:
        """Read them from a file."""
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
    def _read(cls, data: Any) -> Figures:
        benchmarks = data["benchmarks"]
        speeds = {name: list(map(float, each["speeds"])) for name, each in benchmarks.items()}
        for rounds in speeds.values():
            if not rounds or not all(0 < each < math.inf for each in rounds):
                raise ValueError("a speed is not a positive number")
        units = {name: str(each["unit"]) for name, each in benchmarks.items()}
        origin = {str(name): str(value) for name, value in data["machine"].items()}
        counts = {name: int(each["count"]) for name, each in benchmarks.items()}
        return cls(speeds, counts, units, str(data["version"]), str(data["date"]), origin)


@dataclass(frozen=True, slots=True)
class SpeedChange:
    """Figures of today beside those of a file."""

    before: Figures
    now: Figures

    @property
    def ratios(self) -> dict[str, Ratio]:
        """How many times as fast each benchmark is now that both have."""
        return {
            name: compare_speeds(self.before.speeds[name], speeds)
            for name, speeds in self.now.speeds.items()
            if name in self.before.speeds
        }

    @property
    def warnings(self) -> list[str]:
        """Say what makes the comparison doubtful."""
        ours, theirs = self.now.origin, self.before.origin
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
        """Return the comparison as plain data, with today's figures."""
        ratios = self.ratios
        return {
            **self.now.to_dict(),
            "against": {
                "version": self.before.version,
                "date": self.before.date,
                "machine": dict(self.before.origin),
            },
            "warnings": self.warnings,
            "ratios": {
                name: {**asdict(ratio), "verdict": ratio.verdict} for name, ratio in ratios.items()
            },
            "all": geometric_mean(ratio.ratio for ratio in ratios.values()),
        }
