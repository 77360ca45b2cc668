"""The figures of the report: charts in SVG, and the papers' own figures redrawn with them.

Text and axes take the colour of the page, so that they fit its light and its dark theme.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from hanabilab.formats.svg import histogram_svg
from hanabilab.papers import cox
from hanabilab.papers.aspects import depth_matches, playout_matches
from hanabilab.papers.items import Finding
from hanabilab.papers.reproduction import Reproduction
from hanabilab.papers.runner import Match
from hanabilab.papers.thesis.appendix_b import Cell, appendix_b, cell_match
from hanabilab.papers.verdicts import EXACT

__all__ = ["Figure", "Line", "Section", "figures", "heat_map", "line_chart", "round_ticks"]

WIDTH, HEIGHT = 460, 280
LEFT, RIGHT, TOP, BOTTOM = 52, 18, 14, 40


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its title and its caption."""

    title: str
    svg: str
    caption: str = ""
    command: str = ""
    """The command that regenerates it."""
    about: str = ""
    """Rules, games, duration."""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: its heading, its HTML, and figures below that."""

    id: str
    title: str
    html: str
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A series of points with their standard errors."""

    label: str
    points: Sequence[tuple[float, float, float]]
    """Each is x, y and the standard error of y."""
    style: str = "ours"
    """A class of the report's style sheet, which sets the colour."""
    look: Literal["line", "rings", "dots", "path"] = "line"
    """A line with a mark at each point; only rings, for printed values; only dots; no marks."""


@dataclass(frozen=True, slots=True)
class _Axes:
    low: float
    high: float
    bottom: float
    top: float

    def x(self, value: float) -> float:
        """Return the horizontal position of a value."""
        return LEFT + (value - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        span = HEIGHT - TOP - BOTTOM
        return TOP + (self.top - value) / (self.top - self.bottom) * span


def line_chart(
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    *,
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
) -> str:
    """Draw lines with error bars of two standard errors to each side."""
    axes = _Axes(min(x_ticks), max(x_ticks), min(y_ticks), max(y_ticks))
    parts = [_frame(axes, x_label, y_label, x_ticks, y_ticks)]
    parts += [_line(axes, line) for line in lines]
    return _drawing(parts, HEIGHT) + _legend(lines)


def _line(axes: _Axes, line: Line) -> str:
    inside = [
        (axes.x(x), axes.y(min(max(y, axes.bottom), axes.top)), error)
        for x, y, error in line.points
    ]
    if line.look == "rings":
        return "".join(_mark(x, y, f"{line.style} ring", 5, "") for x, y, _ in inside)
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in inside)
    drawn = "" if line.look == "dots" else f'<polyline class="{line.style}" points="{path}"/>'
    return drawn if line.look == "path" else drawn + "".join(_marks(axes, line, inside))


def _marks(axes: _Axes, line: Line, inside: Sequence[tuple[float, float, float]]) -> Iterator[str]:
    """Yield dots with their error bars; a tooltip shows the number."""
    scale = (axes.y(0) - axes.y(1)) * 2
    for (x, y, error), (real_x, real_y, _) in zip(inside, line.points, strict=True):
        half = error * scale
        if half > 0:
            yield (
                f'<line class="{line.style}" x1="{x:.1f}" x2="{x:.1f}" '
                f'y1="{max(TOP, y - half):.1f}" y2="{min(HEIGHT - BOTTOM, y + half):.1f}"/>'
            )
        yield _mark(x, y, line.style, 2.6, f"{line.label}: {real_y:.3f} at {real_x:g}")


def _mark(x: float, y: float, style: str, radius: float, words: str) -> str:
    return (
        f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}">'
        f"<title>{escape(words)}</title></circle>"
    )


def _frame(
    axes: _Axes, x_label: str, y_label: str, x_ticks: Sequence[float], y_ticks: Sequence[float]
) -> str:
    base = HEIGHT - BOTTOM
    marks = []
    for value in y_ticks:
        y = axes.y(value)
        marks.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    for value in x_ticks:
        x = axes.x(value)
        marks.append(f'<text x="{x:.1f}" y="{base + 15}" text-anchor="middle">{value:g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    marks.append(
        f'<text x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
    )
    height = (TOP + base) / 2
    marks.append(
        f'<text x="12" y="{height:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 12 {height:.0f})">{escape(y_label)}</text>'
    )
    return "".join(marks)


def _legend(lines: Sequence[Line]) -> str:
    entries = "".join(
        f'<span><i class="{line.style} {line.look}"></i>{escape(line.label)}</span>'
        for line in lines
    )
    return f'<div class="legend">{entries}</div>'


def round_ticks(low: float, high: float) -> list[float]:
    """Return round numbers, in at most about six steps, that enclose the bounds."""
    least = (high - low) / 6
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= least)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(number * step, 12) for number in range(first, last + 1)]


def heat_map(rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], most: float) -> str:
    """Draw rows of (words, size) as small squares colored by size, from 0 to `most`."""
    side = 11
    parts = []
    for across, (name, cells) in enumerate(rows):
        for down, (words, size) in enumerate(cells):
            part = min(1.0, size / most)
            style = "hot" if part >= 1 else "cool"
            opacity = 1.0 if part >= 1 else 0.12 + 0.7 * part
            parts.append(
                f'<rect class="{style}" x="{40 + across * side}" y="{4 + down * side * 2}" '
                f'width="{side - 1}" height="{side * 2 - 1}" fill-opacity="{opacity:.2f}">'
                f"<title>{escape(name)}, {escape(words)}</title></rect>"
            )
    count = max((len(cells) for _, cells in rows), default=0)
    for down in range(count):
        parts.append(f'<text x="0" y="{4 + down * side * 2 + 15}">m = {down + 1}</text>')
    return _drawing(parts, 8 + count * side * 2, 44 + len(rows) * side)


def _drawing(parts: Sequence[str], height: int, width: int = WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" style="max-width:{width * 1.25:.0f}px">'
        f"{''.join(parts)}</svg>"
    )


TENTHS = [tenth / 10 for tenth in range(11)]
SCORES = list(range(0, 19, 3))


def figures(found: Reproduction, paper: str) -> list[Figure]:
    """Return the figures of a paper whose games have been played."""
    drawn = {"thesis": _thesis, "aspects": _aspects, "cox": _cox}.get(paper)
    return list(drawn(found)) if drawn else []


def _is_known(found: Reproduction, matches: Sequence[Match]) -> bool:
    return all(found.runner.is_cached(match) for match in matches)


def _about(found: Reproduction, matches: Sequence[Match]) -> str:
    """Return rules, games and duration in words."""
    played = [found.runner.result_of(match) for match in dict.fromkeys(matches)]
    rules = ", ".join(dict.fromkeys(one.match.rules for one in played))
    games = sum(one.tally.played for one in played)
    seconds = sum(one.seconds for one in played)
    return f"rules {rules} · {games:,} games · {seconds:.1f} s"


def _thesis(found: Reproduction) -> Iterator[Figure]:
    findings = {finding.item.id: finding for finding in found.findings}
    table_a = [finding for id, finding in findings.items() if id.startswith("thesis.A.")]
    if table_a:
        yield _appendix_a(found, table_a)
    for name, only, symbol, lines in (
        (
            "Figure 2: ρd = 2, ρh = 3, ωd = ωh = 1",
            "thesis.B[12]",
            "ωp",
            {
                f"ωs = {s}": _row(table, "play-threshold", **BEST)
                for s, table in ((1, "B1"), (0, "B2"))
            },
        ),
        (
            "Figure 3: ρd = 2, ρh = 3, ωs = ωh = 1",
            "thesis.B3",
            "ωd",
            {
                f"ωp = {p}": _row("B3", "discard-threshold", play_threshold=p)
                for p in ("0.7", "0.6", "0.5")
            },
        ),
        (
            "Figure 4: ωp = 0.6, ωs = ωd = 1",
            "thesis.B11",
            "ωh",
            {
                f"ρd = {d}, ρh = {h}": _row("B11", "hint-probability", discard_rule=d, hint_rule=h)
                for d in ("2", "3")
                for h in ("2", "3")
            },
        ),
    ):
        yield from _sweep(found, f"Thesis, {name}", only, symbol, lines)


Row = Sequence[tuple[float, Cell]]
BEST = {"discard_rule": "2", "hint_rule": "3"}


def _row(table: str, axis: str, **wanted: str) -> Row:
    """Return the cells of a table, each with the value of the option that varies."""
    return [
        (float(cell.options[axis]), cell)
        for cell in appendix_b()
        if cell.table == table
        and all(cell.options[name.replace("_", "-")] == value for name, value in wanted.items())
    ]


def _match(cell: Cell, interpretation: str) -> Match:
    options = {name.replace("-", "_"): value for name, value in cell.options.items()}
    return cell_match(interpretation, **options)


def _sweep(
    found: Reproduction, title: str, only: str, symbol: str, rows: Mapping[str, Row]
) -> Iterator[Figure]:
    """Yield a figure with lines in both interpretations, if the games have been played."""
    lines: list[Line] = []
    used: list[Match] = []
    for number, (label, row) in enumerate(rows.items(), 1):
        printed = [(x, float(cell.average), 0.0) for x, cell in row]
        lines.append(Line(f"{label}, printed", printed, f"line{number}", look="rings"))
        for interpretation, style in (
            ("program", f"line{number}"),
            ("paper", f"line{number} faint"),
        ):
            matches = [_match(cell, interpretation) for _, cell in row]
            if _is_known(found, matches):
                tallies = [found.runner.result_of(match).tally for match in matches]
                points = [(x, t.mean, t.stderr) for (x, _), t in zip(row, tallies, strict=True)]
                lines.append(Line(f"{label}, {interpretation}", points, style))
                used += matches
            elif interpretation == "program":
                return
    drawing = line_chart(lines, symbol, "average score", x_ticks=TENTHS, y_ticks=SCORES)
    caption = (
        "Rings: as printed. Lines: ours as the program plays, with bars of two standard errors to "
        "each side. Faint: ours as the text says."
    )
    yield Figure(title, drawing, caption, found.command(only), _about(found, used))


def _appendix_a(found: Reproduction, findings: Sequence[Finding]) -> Figure:
    rows: dict[str, list[tuple[str, float]]] = {}
    for finding in findings:
        difference = finding.measured.difference or 0.0
        off = abs(difference) / 0.00005 if finding.verdict == EXACT else 2.0
        exact = float(finding.measured.got)
        words = f"{finding.item.column}: printed {finding.item.printed}, exact {exact:.6f}"
        rows.setdefault(finding.item.row, []).append((words, off))
    drawing = heat_map(list(rows.items()), 2.0)
    caption = (
        "Each square is a cell, a column a composition, from (1, 1, 1, 1, 6) to (6, 1, 1, 1, 1). "
        "The fainter, the closer to the exact value; full colour stands for half a unit of the "
        "fourth digit, the most that rounding explains. The marked ones are wrong."
    )
    return Figure(
        "Thesis, Appendix A: printed less exact",
        drawing,
        caption,
        found.command("thesis.A"),
        "no games: exact",
        wide=True,
    )


def _aspects(found: Reproduction) -> Iterator[Figure]:
    thresholds = {
        "ωp": _row("B1", "play-threshold", **BEST),
        "ωd": _row("B3", "discard-threshold", play_threshold="0.6"),
        "ωh": _row("B11", "hint-probability", **BEST),
    }
    yield from _sweep(
        found,
        "Aspects, Figure 2: ρd = 2, ρh = 3, ωs = 1, each of ωp = 0.6, ωd = ωh = 1 varied alone",
        "aspects.F2",
        "ωp, ωd or ωh",
        thresholds,
    )
    depths = depth_matches(found.effort)
    playouts = playout_matches()
    ticks = list(range(0, 21, 4))
    for name, matches, label, x_ticks in (
        ("varying D", depths, "D", [0, 2, 4, 6, 8, 10]),
        ("D = 5, varying the number of play-outs", playouts, "play-outs", [0, 250, 500, 750, 1000]),
    ):
        if not _is_known(found, list(matches.values())):
            continue
        points, spread = [], []
        for value, match in matches.items():
            tally = found.runner.result_of(match).tally
            points.append((float(value), tally.mean, tally.stderr))
            spread.append((float(value), tally.mean, tally.stdev / 2))
        lines = [
            Line("one standard deviation of a game", spread, "line2 faint"),
            Line("ours, two standard errors", points, "line1"),
        ]
        number = 500 if found.effort == "full" else 100
        what = f"{number} play-outs, {name}" if matches is depths else name
        yield Figure(
            f"Aspects, Figure 3: Monte Carlo, {what}",
            line_chart(lines, label, "average score", x_ticks=x_ticks, y_ticks=ticks),
            "The figure of the paper is a drawing without numbers: of it the text says an average "
            "around 14, at most 14.5 with 1000 play-outs, scores from 0 or 6 up to 20.",
            found.command("aspects.F3"),
            _about(found, list(matches.values())),
        )


def _cox(found: Reproduction) -> Iterator[Figure]:
    for (name, interpretation), match in cox.MATCHES.items():
        if not _is_known(found, [match]):
            continue
        played = found.runner.result_of(match)
        tally = played.tally
        interpretation_words = f", {interpretation} interpretation" if interpretation else ""
        yield Figure(
            f"Cox et al., Figure 8: {name}{interpretation_words}",
            histogram_svg(tally.histogram, "histogram of the scores", lowest=15, mean=tally.mean),
            f"{tally}. {tally.played:,} games; printed average {cox.PRINTED[name]}. "
            f"{sum(tally.histogram[:15]):,} games below 15 points are not drawn.",
            played.command,
            _about(found, [match]),
        )
