"""Searches that are made while the report is written, and drawn in it.

They are those of `hanabilab.tune`. In a full run every evaluation is kept in the folder of the
run, so that the same command goes on after an interruption.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hanabilab.game.rules import preset
from hanabilab.lab.tuning.result import OBJECTIVES, Tuning
from hanabilab.lab.tuning.tune import BUDGET, FINAL_TIMES, GAMES, tune
from hanabilab.papers.matches import FULL, QUICK
from hanabilab.papers.report.charts import Line, line_chart, round_ticks
from hanabilab.papers.report.sections import Figure

if TYPE_CHECKING:
    from hanabilab.papers.report.beyond import Found
    from hanabilab.papers.reproduction import Reproduction

__all__ = ["BUDGETS", "Budget", "search_figures"]


PIECE = 500
"""Games that a thread plays at a time; evaluations are too short for smaller pieces."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may cost."""

    evaluations: int
    games: int
    final_games: int

    @property
    def words(self) -> str:
        """The budget as options of `hanabilab tune`; empty if it is the default there."""
        if self == BUDGETS[FULL]:
            return ""
        return f" --budget {self.evaluations} --games {self.games} --final-games {self.final_games}"


BUDGETS = {
    QUICK: Budget(150, 200, 2_000),
    FULL: Budget(BUDGET, GAMES, FINAL_TIMES * GAMES),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How a criterion is drawn: the value that guides the search, multiplied by `times`."""

    title: str
    axis: str
    times: int = 1
    about: str = ""


SCALES = {
    "score": Scale("the best average score", "average score"),
    "perfect": Scale(
        "the most perfect games",
        "nearly perfect games in 10,000",
        10_000,
        " A perfect game counts one, and a third as much for each point short.",
    ),
}


def search_figures(found: Reproduction, searches: Iterable[Found]) -> Iterator[Figure]:
    """Make these searches, with the budget of the run, and draw them."""
    budget = BUDGETS[found.effort]
    for search in searches:
        tuning = _make(found, search, budget)
        scale = SCALES[search.objective]
        yield Figure(
            f"Search for {scale.title}, {search.players} players",
            _drawing(tuning, scale),
            _caption(tuning) + scale.about,
            search.command_of(found.seed) + budget.words,
            _about(tuning),
        )


def _make(found: Reproduction, search: Found, budget: Budget) -> Tuning:
    tuning = tune(
        search.thesis,
        objective=search.objective,
        budget=budget.evaluations,
        games=budget.games,
        final_games=budget.final_games,
        seed=found.seed,
        rules=preset(search.rules, search.players, **dict(search.changes)),
        save=found.laboratory.file(f"search-{search.players}-players-{search.rules}"),
        threads=found.laboratory.division.threads,
        cluster=found.laboratory.division.cluster,
        chunk=PIECE,
    )
    if tuning.interrupted:
        raise KeyboardInterrupt
    return tuning


def _drawing(tuning: Tuning, scale: Scale) -> str:
    values = [value * scale.times for value in tuning.values]
    levels = {name: level * scale.times for name, level in _levels(tuning).items()}
    lines = [
        Line("an evaluation", _numbered(values), "line1 dim", "dots"),
        Line("best so far", list(_steps(values)), "line1", "path"),
    ]
    for (name, level), style in zip(levels.items(), ("line2 dashed", "line3"), strict=False):
        ends = [(1.0, level, 0.0), (float(len(values)), level, 0.0)]
        lines.append(Line(f"{name}, fresh decks: {level:.2f}", ends, style, "path"))
    return line_chart(
        lines,
        "evaluation",
        scale.axis,
        x_ticks=round_ticks(0, len(values)),
        y_ticks=round_ticks(*_upper_part(values, levels.values())),
    )


def _levels(tuning: Tuning) -> Mapping[str, float]:
    """Return the values of the best rule of the thesis and of what was found, on fresh decks."""
    guide = OBJECTIVES[tuning.objective].guide
    named = {"best rule of the thesis": tuning.default, "found": tuning.best}
    if tuning.best == tuning.default:
        named = {"best rule of the thesis, and found": tuning.default}
    return {name: guide(candidate.fresh) for name, candidate in named.items() if candidate.fresh}


def _numbered(values: Iterable[float]) -> list[tuple[float, float, float]]:
    return [(float(number), value, 0.0) for number, value in enumerate(values, 1)]


def _steps(values: Iterable[float]) -> Iterator[tuple[float, float, float]]:
    """Yield the corners of the best so far: level until an evaluation is better."""
    before = None
    for number, best, _ in _numbered(itertools.accumulate(values, max)):
        if before is not None and best > before:
            yield number, before, 0.0
        yield number, best, 0.0
        before = best


def _upper_part(values: list[float], levels: Iterable[float]) -> tuple[float, float]:
    """Return bounds with room for the better half, as much below it, and the levels."""
    middle, top = sorted(values)[len(values) // 2], max(values)
    low, high = min(2 * middle - top, *levels), max(top, *levels)
    return max(0.0, low), max(high, low + 0.1)


def _caption(tuning: Tuning) -> str:
    objective = OBJECTIVES[tuning.objective]
    default = tuning.default.options
    changed = [
        f"{name} {value}" for name, value in tuning.best.options.items() if value != default[name]
    ]
    fresh = [objective.text(one.fresh) for one in (tuning.best, tuning.default) if one.fresh]
    return (
        f"A dot is a choice of all {len(tuning.axes)} options, on the same {tuning.games:,} decks; "
        "dots that are too low for the drawing stand on its lower edge. The first dot is the best "
        "rule of the thesis. The best of many is partly the luckiest: the level lines come from "
        f"{tuning.final_games:,} decks that had no part in any choice. "
        f"Found: {', '.join(changed) or 'the same rule'}; "
        f"{objective.about} {', thesis '.join(fresh)}."
    )


def _about(tuning: Tuning) -> str:
    """Return rules, games and duration in words."""
    different = {tuple(cell.options.items()) for cell in tuning.history}
    fresh = 1 if tuning.best == tuning.default else 2
    games = len(different) * tuning.games + (len(tuning.finals) + fresh) * tuning.final_games
    earlier = f" ({tuning.resumed} results kept from before)" if tuning.resumed else ""
    return (
        f"rules {tuning.rules.preset} · {len(tuning.history)} evaluations of {tuning.games:,} "
        f"games, {games:,} games with the finals · {tuning.seconds:.1f} s{earlier}"
    )
