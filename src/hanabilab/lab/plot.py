"""Plots of results with Matplotlib, which is imported only when a plot is drawn."""

from __future__ import annotations

import functools
import io
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.errors import HanabiError, MissingExtraError
from hanabilab.lab.files import atomic_write, check_folder, checked_suffix, file_errors
from hanabilab.lab.result import games_label, rules_label
from hanabilab.lab.tally import percent, plus_minus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hanabilab.lab.compare import Comparison
    from hanabilab.lab.crossplay import Crossplay
    from hanabilab.lab.result import Result
    from hanabilab.lab.results_table import ResultsTable
    from hanabilab.lab.review import Review
    from hanabilab.lab.simulate import Simulation
    from hanabilab.lab.sweep import ScoredOptions, Sweep
    from hanabilab.lab.tune import Tuning

__all__ = [
    "check_plot_file",
    "plot_bars",
    "plot_comparison",
    "plot_crossplay",
    "plot_histogram",
    "plot_results",
    "plot_review",
    "plot_scores",
    "plot_sweep",
    "plot_tuning",
]

SUFFIXES = (".png", ".svg", ".pdf")
COLOUR = "#3b6ea8"
SHOWN_DRAW = 0.25
"""The least luck of a draw, in points, that the plot of a review shows."""


def check_plot_file(file: str | None) -> None:
    """Raise, before anything is played, if a plot cannot be saved to this file."""
    if file is None:
        return
    checked_suffix(file, "plots", SUFFIXES)
    check_folder(file)
    _figure()


def _figure(width: float = 7, height: float = 4) -> Figure:
    """Return an empty figure that is not registered with pyplot."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
    return _displayed(Figure)(figsize=(width, height), layout="constrained")


@functools.cache
def _displayed(kind: type[Figure]) -> type[Figure]:
    """Return a subclass of `Figure` that notebooks display."""

    class DisplayedFigure(kind):  # type: ignore[valid-type, misc]  # known only when it is imported
        def _repr_png_(self) -> bytes:
            picture = io.BytesIO()
            self.savefig(picture, format="png", dpi=100)
            return picture.getvalue()

    return DisplayedFigure


def _save(figure: Figure, file: str | None) -> Figure:
    """Save a figure if a file is given, and return it."""
    if file is not None:
        import matplotlib as mpl

        # With a fixed salt and no date the same plot is the same file.
        with mpl.rc_context({"svg.hashsalt": "hanabilab"}):
            kind = Path(file).suffix.lower().removeprefix(".") or "png"
            metadata = {"Date": None} if kind == "svg" else None
            with atomic_write(file) as part, file_errors(file):
                figure.savefig(part, format=kind, dpi=150, metadata=metadata)
    return figure


def _subtitle(result: Simulation) -> str:
    return f"{rules_label(result.rules)}, {games_label(result)}"


def _without_frame(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)


def _shares(result: Simulation) -> list[float]:
    """Return the share of games with each score, in percent."""
    return [100 * games / result.played for games in result.histogram]


def plot_histogram(result: Simulation, file: str | None = None) -> Figure:
    """Draw how often each score came up, as in Figure 8 of Cox et al. 2015."""
    figure = _figure()
    axes = figure.subplots()
    shares = _shares(result)
    axes.bar(range(len(shares)), shares, color=COLOUR)
    axes.axvline(result.mean, color="black", linewidth=1, linestyle="--")
    axes.set_xlabel("score")
    axes.set_ylabel("games (%)")
    _without_frame(axes)
    mean = plus_minus(result.mean, result.stderr)
    perfect = percent(result.perfect_rate)
    axes.set_title(
        f"{result.strategy}: {mean}, perfect {perfect}\n{_subtitle(result)}", fontsize=10
    )
    return _save(figure, file)


def plot_bars(result: Result, file: str | None = None) -> Figure:
    """Draw the numbers of a result as horizontal bars, the first at the top."""
    bars = result.bars()
    figure = _figure(8, 1.6 + 0.3 * max(len(bars), 1))
    axes = figure.subplots()
    errors = [bar.error for bar in bars]
    axes.barh(
        range(len(bars)),
        [bar.value for bar in bars],
        xerr=errors if any(errors) else None,
        color=COLOUR,
        capsize=2,
    )
    axes.set_yticks(range(len(bars)), [bar.label for bar in bars])
    axes.invert_yaxis()
    _without_frame(axes)
    axes.set_title(str(result), fontsize=9, wrap=True)
    return _save(figure, file)


def plot_scores(
    scores: Sequence[int], highest: int, title: str, label: str, file: str | None = None
) -> Figure:
    """Draw a score, turn by turn, as steps."""
    figure = _figure()
    axes = figure.subplots()
    axes.step(range(len(scores)), scores, where="post", color=COLOUR)
    axes.axhline(highest, color="black", linewidth=1, linestyle=":")
    axes.set_ylim(0, highest + 1)
    axes.set_xlabel("turn")
    axes.set_ylabel(label)
    _without_frame(axes)
    axes.set_title(title, fontsize=10, wrap=True)
    return _save(figure, file)


def plot_comparison(comparison: Comparison, file: str | None = None) -> Figure:
    """Draw the means with 95 % bars, and the histograms as steps."""
    results = comparison.results
    figure = _figure(9, 4)
    left, right = figure.subplots(1, 2)
    for result in results:
        shares = _shares(result)
        left.stairs(
            shares, [score - 0.5 for score in range(len(shares) + 1)], label=result.strategy
        )
    left.set_xlabel("score")
    left.set_ylabel("games (%)")
    left.legend(fontsize=8)
    places = range(len(results))
    for place, result in enumerate(results):
        right.errorbar(place, result.mean, yerr=1.96 * result.stderr, fmt="o", capsize=4)
    right.set_xticks(places, [result.strategy for result in results], rotation=20, ha="right")
    right.set_ylabel("mean score (95 %)")
    for axes in (left, right):
        _without_frame(axes)
    figure.suptitle(_subtitle(results[0]), fontsize=10)
    return _save(figure, file)


def plot_crossplay(result: Crossplay, file: str | None = None) -> Figure:
    """Draw a heat map: the single player's strategy down, that of all others across."""
    count = len(result.strategies)
    figure = _figure(2.5 + 0.8 * count, 2 + 0.7 * count)
    axes = figure.subplots()
    image = axes.imshow(result.mean, vmin=0, vmax=result.rules.max_score, cmap="viridis")
    for i, row in enumerate(result.mean):
        for j, mean in enumerate(row):
            if mean == mean:
                dark = mean < 0.6 * result.rules.max_score
                colour = "white" if dark else "black"
                axes.text(j, i, f"{mean:.1f}", ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(count), result.strategies, rotation=45, ha="right")
    axes.set_yticks(range(count), result.strategies)
    axes.set_xlabel("all others")
    axes.set_ylabel("one player")
    figure.colorbar(image, label="mean score")
    axes.set_title(f"{rules_label(result.rules)}, {result.games:,} games per pairing", fontsize=10)
    return _save(figure, file)


def plot_review(review: Review, file: str | None = None) -> Figure:
    """Draw the expected points by turn, the luck of the draws, and the words for decisions."""
    figure = _figure(9, 4.5)
    axes = figure.subplots()
    if review.account is None:
        raise HanabiError(f"a plot shows the values of a convention, and {review.fit.reason}")
    curve = review.account.curve
    axes.step(range(len(curve)), curve, where="post", color=COLOUR, linewidth=1.5)
    for turn in review.turns:
        after = curve[turn.turn]
        before = after - turn.draw
        if abs(turn.draw) >= SHOWN_DRAW:
            colour = "#2a8a3a" if turn.draw > 0 else "#c0392b"
            axes.plot([turn.turn] * 2, [before, after], color=colour, linewidth=3)
        if turn.verdict.word:
            axes.annotate(
                f"{turn.turn} {turn.verdict.word}",
                (turn.turn, before),
                (0, -14),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
            axes.plot([turn.turn], [before], "o", color="black", markersize=4)
    axes.set_xlabel("turn")
    axes.set_ylabel(f"expected points, if all follow {review.convention}")
    axes.set_title(review.heading(), fontsize=9)
    _without_frame(axes)
    return _save(figure, file)


def plot_sweep(result: Sweep, file: str | None = None) -> Figure:
    """Draw the means over the longest axis, a line for each combination of the others."""
    figure = _figure(8, 4.5)
    axes = figure.subplots()
    name = max(result.axes, key=lambda axis: len(result.axes[axis]))
    lines: dict[tuple[tuple[str, Any], ...], list[ScoredOptions]] = {}
    for cell in result.cells:
        others = tuple((axis, value) for axis, value in cell.options.items() if axis != name)
        lines.setdefault(others, []).append(cell)
    places = {value: place for place, value in enumerate(result.axes[name])}
    words = any(isinstance(value, str | bool) for value in places)
    for others, cells in lines.items():
        across = [places[cell.options[name]] if words else cell.options[name] for cell in cells]
        axes.errorbar(
            across,
            [cell.mean for cell in cells],
            yerr=[1.96 * cell.stderr for cell in cells],
            marker="o",
            capsize=2,
            label=", ".join(f"{axis} {value}" for axis, value in others),
        )
    if words:
        axes.set_xticks(list(places.values()), [str(value) for value in places])
    if 1 < len(lines) <= 16:
        axes.legend(fontsize=8)
    axes.set_xlabel(name)
    axes.set_ylabel("mean score (95 %)")
    _without_frame(axes)
    axes.set_title(
        f"{result.strategy}: {rules_label(result.rules)}, {games_label(result)} per cell",
        fontsize=10,
    )
    return _save(figure, file)


def plot_tuning(result: Tuning, file: str | None = None) -> Figure:
    """Draw every evaluation of a search, the best so far, and what winner and default score.

    The points and the step line are on the decks of the search, the level lines on fresh ones.
    """
    from hanabilab.lab.tune import OBJECTIVES

    objective = OBJECTIVES[result.objective]
    figure = _figure(8, 4.5)
    axes = figure.subplots()
    numbers = range(1, len(result.history) + 1)
    best = list(itertools.accumulate(result.values, max))
    axes.plot(numbers, result.values, ".", color="0.6", markersize=4, label="evaluations")
    axes.step(numbers, best, where="post", color=COLOUR, label="best so far")
    for candidate, style, name in ((result.best, "-", "found"), (result.default, ":", "default")):
        if candidate.fresh:
            label = f"{name}, fresh decks: {objective.text(candidate.fresh)}"
            axes.axhline(
                objective.search_value(candidate.fresh), color="black", linestyle=style, label=label
            )
    low, high = _upper_part(result.values)
    if objective.logarithmic and best[-1] > 0:
        axes.set_yscale("log")
        low, high = best[-1] / 1000, best[-1] * 2
    axes.set_ylim(low, high)
    axes.set_xlabel("evaluation")
    axes.set_ylabel(objective.axis)
    axes.legend(fontsize=8, loc="lower right")
    _without_frame(axes)
    axes.set_title(
        f"{result.strategy}: {rules_label(result.rules)}, {result.games:,} games per evaluation",
        fontsize=10,
    )
    return _save(figure, file)


def _upper_part(values: Sequence[float]) -> tuple[float, float]:
    """Return limits that show the better half, where a search happens, and a little more."""
    middle, top = sorted(values)[len(values) // 2], max(values)
    room = max(top - middle, 1e-9)
    return middle - 1.5 * room, top + 0.2 * room


def plot_results(table: ResultsTable, file: str | None = None) -> Figure:
    """Draw the points that each strategy misses against the time that a game takes it."""
    figure = _figure(11, 8)
    players = sorted({number for entry in table.entries for number in entry.results})
    for axes, number in zip(figure.subplots(2, 2).flat, players, strict=False):
        for entry in table.entries:
            if result := entry.results.get(number):
                _draw_price(axes, entry.strategy.label, result)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.invert_yaxis()
        axes.set_xlabel("seconds per game on one core")
        axes.set_ylabel("points missing on average")
        axes.set_title(f"{number} players", fontsize=10)
        axes.margins(x=0.25)
        _without_frame(axes)
    return _save(figure, file)


def _draw_price(axes: Axes, label: str, result: Simulation) -> None:
    """Draw one strategy: fewer missing points are higher."""
    missing = result.rules.max_score - result.mean
    if missing <= 0:
        return
    time = result.seconds * result.threads / result.played
    axes.errorbar(time, missing, yerr=1.96 * result.stderr, fmt="o", markersize=4, color=COLOUR)
    axes.annotate(label, (time, missing), (4, 4), textcoords="offset points", fontsize=7)
