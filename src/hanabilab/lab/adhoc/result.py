"""How a player did with strangers: means with intervals, as data and as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hanabilab.formats.data_table import DataTable
from hanabilab.lab.adhoc.pool import (
    HELD_OUT,
    OPEN,
    PLAYERS,
    POOL,
    PROTOCOL,
    RULES,
    SEED,
    Acquaintance,
)
from hanabilab.lab.export import Exported
from hanabilab.lab.tally import Tally, percent

__all__ = ["AdHoc", "AdHocTable", "Meeting", "PoolMean"]

NORMAL = 1.96
"""Standard errors on either side of a mean in an interval of 95 %."""


@dataclass(frozen=True, slots=True)
class PoolMean:
    """A mean of means whose errors are independent."""

    mean: float
    stderr: float
    lost_rate: float

    @classmethod
    def of(cls, parts: Iterable[Any]) -> PoolMean:
        """Return the average of parts that have these three fields, each counting the same."""
        found = list(parts)
        if not found:
            return cls(math.nan, math.nan, math.nan)
        count = len(found)
        return cls(
            sum(part.mean for part in found) / count,
            math.sqrt(sum(part.stderr**2 for part in found)) / count,
            sum(part.lost_rate for part in found) / count,
        )

    @property
    def interval(self) -> tuple[float, float]:
        """The mean with 1.96 standard errors on either side."""
        return self.mean - NORMAL * self.stderr, self.mean + NORMAL * self.stderr

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "mean": self.mean,
            "stderr": self.stderr,
            "interval": list(self.interval),
            "lost_rate": self.lost_rate,
        }

    def __str__(self) -> str:
        return "-" if math.isnan(self.mean) else f"{self.mean:.2f} ± {NORMAL * self.stderr:.2f}"


@dataclass(frozen=True, slots=True)
class Meeting:
    """How a player did with one partner."""

    partner: Acquaintance
    tallies: dict[int, Tally]
    """By the number of players."""

    @property
    def average(self) -> PoolMean:
        """The average over the numbers of players."""
        return PoolMean.of(self.tallies.values())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        players = {
            str(number): PoolMean.of([tally]).to_dict() | {"games": tally.played}
            for number, tally in self.tallies.items()
        }
        name, half, text = self.partner
        about = {"partner": name, "half": half, "strategy": text}
        return about | self.average.to_dict() | {"players": players}


@dataclass(frozen=True, slots=True, repr=False)
class AdHoc(Exported):
    """How a player did with all partners of the pool."""

    player: str
    games: int
    """For each partner and number of players."""
    meetings: tuple[Meeting, ...]
    left_out: tuple[str, ...]
    """Partners that are the player itself."""
    seconds: float
    threads: int
    interrupted: bool = False

    def over(self, *halves: str) -> PoolMean:
        """Return the average over the partners of these halves of the pool."""
        return PoolMean.of(each.average for each in self.meetings if each.partner.half in halves)

    @property
    def mean(self) -> float:
        """The mean over all partners."""
        return self.over(OPEN, HELD_OUT).mean

    @property
    def stderr(self) -> float:
        """Its standard error."""
        return self.over(OPEN, HELD_OUT).stderr

    @property
    def worst(self) -> Meeting | None:
        """The partner with whom it did worst."""
        return min(self.meetings, key=lambda meeting: meeting.average.mean, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        worst = self.worst
        return {
            "protocol": PROTOCOL,
            "player": self.player,
            "rules": RULES,
            "games": self.games,
            "seed": SEED,
            **self.over(OPEN, HELD_OUT).to_dict(),
            "open": self.over(OPEN).to_dict(),
            "held_out": self.over(HELD_OUT).to_dict(),
            "worst": worst and {"partner": worst.partner.name, **worst.average.to_dict()},
            "partners": [meeting.to_dict() for meeting in self.meetings],
            "left_out": list(self.left_out),
            "seconds": self.seconds,
            "threads": self.threads,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each partner and number of players."""
        return [
            {
                "player": self.player,
                "partner": meeting.partner.name,
                "half": meeting.partner.half,
                "players": number,
                "games": tally.played,
                "mean": tally.mean,
                "stderr": tally.stderr,
                "lost_rate": tally.lost_rate,
            }
            for meeting in self.meetings
            for number, tally in meeting.tallies.items()
        ]

    def heading(self) -> str:
        """Return who was measured, and how."""
        return (
            f"{self.player} with strangers: protocol {PROTOCOL}, rules {RULES}, {self.games:,} "
            "games for each partner and number of players; mean ± 95 % interval"
        )

    def in_tables(self) -> list[DataTable]:
        """Return a row for each partner, and then the means."""
        rows = [
            (
                meeting.partner.name,
                meeting.partner.half,
                *(_mean(meeting.tallies.get(number)) for number in PLAYERS),
                str(meeting.average),
                percent(meeting.average.lost_rate),
            )
            for meeting in self.meetings
        ]
        nothing = ("",) * len(PLAYERS)
        for name, halves in (("all", (OPEN, HELD_OUT)), ("", (OPEN,)), ("", (HELD_OUT,))):
            part = self.over(*halves)
            half = halves[0] if len(halves) == 1 else ""
            rows.append((name or "all", half, *nothing, str(part), percent(part.lost_rate)))
        if self.worst:
            part = self.worst.average
            name = f"worst: {self.worst.partner.name}"
            rows.append(
                (name, self.worst.partner.half, *nothing, str(part), percent(part.lost_rate))
            )
        head = ("partner", "half", *(f"{number} players" for number in PLAYERS), "mean", "lost")
        return [DataTable(header=head, rows=tuple(rows), text_columns=2)]


def _mean(tally: Tally | None) -> str:
    return "-" if tally is None else f"{tally.mean:.2f}"


@dataclass(frozen=True, slots=True, repr=False)
class AdHocTable(Exported):
    """Several players beside each other."""

    entries: tuple[AdHoc, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {"protocol": PROTOCOL, "entries": [entry.to_dict() for entry in self.entries]}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player, partner and number of players."""
        return [row for entry in self.entries for row in entry.rows()]

    def heading(self) -> str:
        """Return how they were measured."""
        games = " or ".join(f"{games:,}" for games in sorted({each.games for each in self.entries}))
        return (
            f"Protocol {PROTOCOL}: rules {RULES}, {len(POOL)} partners, {games} games for each "
            "partner and number of players; mean ± 95 % interval"
        )

    def in_tables(self) -> list[DataTable]:
        """Return a row for each player, best first."""
        rows = []
        for entry in sorted(self.entries, key=lambda entry: -entry.mean):
            worst, all_of_them = entry.worst, entry.over(OPEN, HELD_OUT)
            rows.append(
                (
                    entry.player,
                    str(all_of_them),
                    str(entry.over(OPEN)),
                    str(entry.over(HELD_OUT)),
                    f"{worst.average} ({worst.partner.name})" if worst else "-",
                    percent(all_of_them.lost_rate),
                    f"{entry.games:,}",
                )
            )
        head = ("player", "all partners", "open", "held out", "worst partner", "lost", "games")
        return [DataTable(header=head, rows=tuple(rows))]
