"""Small drawings for the report: lines with error bars, searches, a heat map.

Text and axes take the colour of the page, so that they fit its light and its dark theme.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

__all__ = ["Figure", "Line", "Section", "heat_map", "line_chart", "round_ticks"]

WIDTH, HEIGHT = 460, 280
LEFT, RIGHT, TOP, BOTTOM = 52, 18, 14, 40


@dataclass(frozen=True, slots=True)
class Line:
    """A series of points with their standard errors."""

    label: str
    points: Sequence[tuple[float, float, float]]
    """Each is x, y and the standard error of y."""
    style: str = "ours"
    """A class of the report's style sheet, which sets the colour."""
    look: Literal["line", "rings", "dots", "path"] = "line"
    """A line with a mark at each point; only rings, for what is printed; only dots; no marks."""


@dataclass(frozen=True, slots=True)
class _Axes:
    low: float
    high: float
    bottom: float
    top: float

    def x(self, value: float) -> float:
        """Return the horizontal place of a value."""
        return LEFT + (value - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the vertical place of a value."""
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
    """Draw lines with bars of two standard errors to each side."""
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
    """Return round numbers, in about six steps or fewer, that enclose the bounds."""
    least = (high - low) / 6
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= least)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(number * step, 12) for number in range(first, last + 1)]


def heat_map(rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], most: float) -> str:
    """Draw rows of (words, size) as small squares whose colour is the size, from 0 to `most`."""
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


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its title and its caption."""

    title: str
    svg: str
    caption: str = ""
    command: str = ""
    """The command that makes it again."""
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
