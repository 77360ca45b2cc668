"""What a check found: each question with its answer, the tables tried, and the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hanabilab.lab.export import Exported

__all__ = ["CheckReport", "Question", "Score", "TriedTable"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question and its answer; `passed` is None if it was not asked."""

    name: str
    passed: bool | None
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class TriedTable:
    """Rules and a number of players, and how many games were played there."""

    rules: str
    players: int
    games: int = 0
    compared: int = 0
    """How many of them were also played interpreted, action by action."""
    games_per_second: float = 0.0
    refused: str | None = None
    """Why the strategy does not play here."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rules": self.rules,
            "players": self.players,
            "games": self.games,
            "compared": self.compared,
            "games_per_second": self.games_per_second,
            "refused": self.refused,
        }


@dataclass(frozen=True, slots=True)
class Score:
    """What somebody scored on the same decks as everybody else."""

    strategy: str
    players: int
    rules: str
    games: int
    mean: float
    stderr: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "strategy": self.strategy,
            "players": self.players,
            "rules": self.rules,
            "games": self.games,
            "mean": self.mean,
            "stderr": self.stderr,
        }


@dataclass(frozen=True, slots=True)
class CheckReport(Exported):
    """Everything that was tried with a strategy, and what came of it.

    >>> from hanabilab.lab.checking.check import check
    >>> check("iggi", games=2, compared=1, beside=()).trusted
    True
    """

    strategy: str
    seed: int
    findings: tuple[Question, ...]
    warnings: tuple[str, ...]
    tables: tuple[TriedTable, ...]
    scores: tuple[Score, ...]
    seconds: float

    @property
    def trusted(self) -> bool:
        """Whether nothing that was asked failed."""
        return not self.failures

    @property
    def failures(self) -> list[Question]:
        """The questions that it failed."""
        return [finding for finding in self.findings if finding.passed is False]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "strategy": self.strategy,
            "trusted": self.trusted,
            "seed": self.seed,
            "checks": [finding.to_dict() for finding in self.findings],
            "warnings": list(self.warnings),
            "tables": self.rows(),
            "scores": [score.to_dict() for score in self.scores],
            "seconds": self.seconds,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each table."""
        return [table.to_dict() for table in self.tables]

    def __str__(self) -> str:
        marks = {True: "ok", False: "FAILED", None: "-"}
        lines = [f"{each.name}: {marks[each.passed]}: {each.detail}" for each in self.findings]
        return "\n".join([*lines, *(f"warning: {each}" for each in self.warnings)])
