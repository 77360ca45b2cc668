"""What a search for the best options was about, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hanabilab.formats.data_table import DataTable
from hanabilab.game.rules import Rules
from hanabilab.lab.caption import rules_in_words
from hanabilab.lab.export import Exported
from hanabilab.lab.scored_options import COLUMNS, ScoredOptions
from hanabilab.lab.tally import percent, plus_minus, wilson
from hanabilab.lab.tuning.space import Axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FINAL", "FRESH", "OBJECTIVES", "SEARCH", "STAGES", "Candidate", "Objective", "Tuning"]

SEARCH, FINAL, FRESH = STAGES = ("search", "final", "fresh")
"""The three sets of decks: for the search, for choosing among its leaders, for a fair figure."""


@dataclass(frozen=True, slots=True)
class Objective:
    """What to maximise; `text` shows the figure that counts."""

    about: str
    axis: str
    """What `guide` is called on the axis of a plot."""
    guide: Callable[[ScoredOptions], float]
    """What leads the search."""
    judge: Callable[[ScoredOptions], float]
    """What decides the finals, where each candidate plays more games."""
    text: Callable[[ScoredOptions], str]
    logarithmic: bool = False


def _mean(cell: ScoredOptions) -> float:
    return cell.mean


def _nearly_perfect(share: float, cell: ScoredOptions) -> float:
    """Return the rate of perfect games, where each point short multiplies a game by `share`.

    Perfect games may be too rare to count: then those that come close lead the way. The fewer
    games there are, the more these must count, or a single stroke of luck decides.
    """
    best = len(cell.histogram) - 1
    hits = sum(games * share ** (best - score) for score, games in enumerate(cell.histogram))
    return hits / cell.played


def _perfect(cell: ScoredOptions) -> str:
    return percent(cell.perfect_rate, wilson(cell.perfect_rate, cell.played))


OBJECTIVES = {
    "score": Objective(
        "mean score",
        "mean score",
        _mean,
        _mean,
        lambda cell: plus_minus(cell.mean, cell.stderr),
    ),
    "perfect": Objective(
        "perfect games",
        "perfect games, a third for each point short",
        partial(_nearly_perfect, 1 / 3),
        partial(_nearly_perfect, 1 / 10),
        _perfect,
        logarithmic=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A choice of options, and what it scored on each set of decks it played."""

    strategy: str
    """The strategy with all its options, as every command takes it."""
    options: Mapping[str, Any]
    cells: Mapping[str, ScoredOptions]
    """What it scored, by set of decks."""

    @property
    def search(self) -> ScoredOptions:
        """On the decks of the search: a flattering figure for the best of many."""
        return self.cells[SEARCH]

    @property
    def final(self) -> ScoredOptions | None:
        """On the decks that chose among the leaders."""
        return self.cells.get(FINAL)

    @property
    def fresh(self) -> ScoredOptions | None:
        """On decks that had no part in any choice: the fair figure."""
        return self.cells.get(FRESH)

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data."""
        cells = {stage: _numbers(self.cells.get(stage)) for stage in STAGES}
        return {"strategy": self.strategy, "options": dict(self.options), **cells}

    def __str__(self) -> str:
        where, cell = list(self.cells.items())[-1]
        return f"{self.strategy}: {plus_minus(cell.mean, cell.stderr)} on {where} decks"


def _numbers(cell: ScoredOptions | None) -> dict[str, Any] | None:
    """Return the statistics of a cell without its options."""
    if cell is None:
        return None
    return {"games": cell.played, **{name: getattr(cell, name) for name in COLUMNS}}


@dataclass(frozen=True, slots=True, repr=False)
class Tuning(Exported):
    """A search, and what it found."""

    strategy: str
    """The strategy with its fixed options."""
    rules: Rules
    objective: str
    seed: int
    budget: int
    games: int
    final_games: int
    axes: tuple[Axis, ...]
    best: Candidate
    default: Candidate
    history: tuple[ScoredOptions, ...]
    """All evaluations of the search, in order; the first is the default."""
    finals: tuple[ScoredOptions, ...]
    seconds: float
    resumed: int
    """Number of evaluations found in the file."""
    interrupted: bool = False

    @property
    def values(self) -> list[float]:
        """The figure that led the search, for each evaluation."""
        return [OBJECTIVES[self.objective].guide(cell) for cell in self.history]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "strategy": self.strategy,
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "objective": self.objective,
            "seed": self.seed,
            "budget": self.budget,
            "evaluations": len(self.history),
            "games": self.games,
            "final_games": self.final_games,
            "options": {axis.name: str(axis) for axis in self.axes},
            "best": self.best.to_dict(),
            "default": self.default.to_dict(),
            "history": self.rows(),
            "finals": [cell.to_dict() for cell in self.finals],
            "seconds": self.seconds,
            "resumed": self.resumed,
            "interrupted": self.interrupted,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each evaluation."""
        pairs = zip(self.history, self.values, strict=True)
        return [{**cell.to_dict(), "value": value} for cell, value in pairs]

    def heading(self) -> str:
        """Return what was searched, and how long."""
        return (
            f"{self.strategy}: {rules_in_words(self.rules)}, seed {self.seed}, "
            f"{len(self.history)} evaluations of {self.games:,} games"
        )

    def in_tables(self) -> list[DataTable]:
        """Return the options that were found, and what they score, beside the default."""
        objective = OBJECTIVES[self.objective]
        both = (self.best, self.default)
        options = DataTable(
            header=("option", "found", "default", "searched"),
            rows=tuple(
                (axis.name, *(str(each.options[axis.name]) for each in both), str(axis))
                for axis in self.axes
            ),
        )
        scores = DataTable(
            header=(objective.about, "games", "found", "default"),
            rows=tuple(
                (
                    f"{stage} decks",
                    f"{cell.played:,}",
                    objective.text(cell),
                    objective.text(self.default.cells[stage])
                    if stage in self.default.cells
                    else "-",
                )
                for stage, cell in self.best.cells.items()
            ),
        )
        return [options, scores]

    def plot(self, file: str | None = None) -> Figure:
        """Draw all evaluations and the best so far; save the figure if a file is given."""
        from hanabilab.lab.plot import plot_tuning

        return plot_tuning(self, file)

    def __str__(self) -> str:
        text = OBJECTIVES[self.objective].text
        lines = [f"best: {self.best.strategy}", f"default: {self.default.strategy}"]
        for stage in STAGES:
            cells = [candidate.cells.get(stage) for candidate in (self.best, self.default)]
            words = ["-" if cell is None else text(cell) for cell in cells]
            lines.append(f"{stage} decks: {words[0]}; default {words[1]}")
        return "\n".join(lines)
