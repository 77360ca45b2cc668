"""SVG primitives: shapes, text and small charts for notebooks.

Shapes have classes instead of colours; `board.css` styles the classes in a light and a dark theme.
Suits have a letter and a symbol besides their colour, for colour-blind readers. Charts use the
colour of the surrounding text.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape

__all__ = [
    "attributes",
    "cached",
    "circle",
    "group",
    "histogram_svg",
    "rectangle",
    "step_chart_svg",
    "suit_class",
    "symbol",
    "text",
]

SYMBOLS = (
    "M0-9 9 7H-9Z",
    "M0-8.5A8.5 8.5 0 1 1 0 8.5 8.5 8.5 0 1 1 0-8.5Z",
    "M-7.5-7.5H7.5V7.5H-7.5Z",
    "M0-10 8 0 0 10-8 0Z",
    "M0-10 2.6-3.4 9.5-3.1 4.1 1.3 5.9 8.1 0 4.3-5.9 8.1-4.1 1.3-9.5-3.1-2.6-3.4Z",
    "M-3-9H3V-3H9V3H3V9H-3V3H-9V-3H-3Z",
    "M-9-4.5 0-9.5 9-4.5V4.5L0 9.5-9 4.5Z",
)
"""Outlines within ten units of the origin: triangle, disc, square, diamond, star, cross, …"""
COLOURS = 7
cached = functools.lru_cache(maxsize=4096, typed=True)
"""Decorator for shapes that recur on many boards: a page draws thousands."""
CHART_WIDTH, CHART_HEIGHT, AXIS_HEIGHT = 420, 110, 16


def suit_class(suit: int) -> str:
    """Return the class with the colours of a suit; after seven suits the colours repeat."""
    return f"s{suit % COLOURS}"


@cached
def attributes(**values: object) -> str:
    """Return attributes as text; underscores become hyphens, a last one and None are dropped."""
    said = {name.rstrip("_").replace("_", "-"): value for name, value in values.items()}
    return "".join(
        f' {name}="{escape(f"{value:g}" if isinstance(value, float) else str(value))}"'
        for name, value in said.items()
        if value is not None
    )


def group(inside: str, x: float = 0, y: float = 0, **values: object) -> str:
    """Return a group of parts, moved to (x, y)."""
    place = f"translate({x:g} {y:g})" if x or y else None
    return f"<g{attributes(transform=place, **values)}>{inside}</g>"


@cached
def rectangle(x: float, y: float, width: float, height: float, **values: object) -> str:
    """Return a rectangle."""
    shape = attributes(x=float(x), y=float(y), width=float(width), height=float(height))
    return f"<rect{shape}{attributes(**values)}/>"


def circle(x: float, y: float, radius: float, class_: str) -> str:
    """Return a disc."""
    return f'<circle class="{class_}" cx="{x:g}" cy="{y:g}" r="{radius:.3g}"/>'


@cached
def text(x: float, y: float, words: str, size: float = 13, **values: object) -> str:
    """Return a text element; `text_anchor` defines its position relative to (x, y)."""
    place = attributes(x=float(x), y=float(y), font_size=float(size))
    return f"<text{place}{attributes(**values)}>{escape(words)}</text>"


@cached
def symbol(suit: int, x: float, y: float, size: float, class_: str = "ink") -> str:
    """Return the symbol of a suit with its centre at (x, y), about `size` wide."""
    shape = SYMBOLS[suit % len(SYMBOLS)]
    place = f"translate({x:g} {y:g}) scale({size / 20:g})"
    return f"<path{attributes(class_=class_, d=shape, transform=place)}/>"


def histogram_svg(
    counts: Sequence[int], label: str, *, lowest: int = 0, mean: float | None = None
) -> str:
    """Return a bar chart of the counts of each number from `lowest` on, with a line at the mean."""
    shown, total = counts[lowest:], sum(counts) or 1
    step, most = CHART_WIDTH / max(1, len(shown)), max(shown, default=0) or 1
    parts = []
    for place, count in enumerate(shown):
        height, x, number = (CHART_HEIGHT - 4) * count / most, place * step, place + lowest
        if count:
            parts.append(
                f'<rect x="{x + 1:.1f}" y="{CHART_HEIGHT - height:.1f}" width="{step - 2:.1f}" '
                f'height="{height:.1f}" fill="currentColor" opacity="0.65">'
                f"<title>{number}: {100 * count / total:.2f} %</title></rect>"
            )
        if number % 5 == 0:
            parts.append(
                f'<text x="{x + step / 2:.1f}" y="{CHART_HEIGHT + AXIS_HEIGHT - 3}" font-size="10" '
                f'text-anchor="middle" fill="currentColor">{number}</text>'
            )
    if mean is not None:
        x = (mean - lowest + 0.5) * step
        parts.append(
            f'<path d="M{x:.1f} 0V{CHART_HEIGHT}" stroke="currentColor" stroke-dasharray="4 3"/>'
        )
    return _framed("".join(parts), label)


def step_chart_svg(values: Sequence[int], most: int, label: str) -> str:
    """Return a step chart of values from 0 to `most`, with the last values labelled."""
    step = (CHART_WIDTH - 30) / max(1, len(values))
    height = [CHART_HEIGHT - (CHART_HEIGHT - 12) * value / max(1, most) for value in values]
    path = "".join(f"L{i * step:.1f} {y:.1f}H{(i + 1) * step:.1f}" for i, y in enumerate(height))
    line = (
        f'<path d="M0 {height[0]:.1f}{path}" fill="none" stroke="currentColor" stroke-width="2"/>'
    )
    end = (
        f'<text x="{len(values) * step + 4:.1f}" y="{height[-1] + 4:.1f}" font-size="11" '
        f'fill="currentColor">{values[-1]}</text>'
    )
    return _framed(line + end, label)


def _framed(inside: str, label: str) -> str:
    base = f'<path d="M0 {CHART_HEIGHT}H{CHART_WIDTH}" stroke="currentColor" opacity="0.5"/>'
    height = CHART_HEIGHT + AXIS_HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {CHART_WIDTH} {height}" '
        f'width="{CHART_WIDTH}" height="{height}" role="img" aria-label="{label}">'
        f"{base}{inside}</svg>"
    )
