"""The smallest parts of a picture: text, shapes and the symbols of suits; all colours are classes.

Suits have a letter and a symbol besides their colour, so that nobody needs to see colours. The
style sheet of the classes, with its light and dark themes, is `board.css`.
"""

from __future__ import annotations

import functools
from html import escape

__all__ = [
    "attributes",
    "circle",
    "group",
    "rectangle",
    "remembered",
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


remembered = functools.lru_cache(maxsize=4096, typed=True)
"""Caches parts that appear on many boards: a page draws thousands, most of them alike."""


def suit_class(suit: int) -> str:
    """Return the class with the colours of a suit; after seven suits the colours repeat."""
    return f"s{suit % COLOURS}"


@remembered
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


@remembered
def rectangle(x: float, y: float, width: float, height: float, **values: object) -> str:
    """Return a rectangle."""
    shape = attributes(x=float(x), y=float(y), width=float(width), height=float(height))
    return f"<rect{shape}{attributes(**values)}/>"


def circle(x: float, y: float, radius: float, class_: str) -> str:
    """Return a disc."""
    return f'<circle class="{class_}" cx="{x:g}" cy="{y:g}" r="{radius:.3g}"/>'


@remembered
def text(x: float, y: float, words: str, size: float = 13, **values: object) -> str:
    """Return words; `text_anchor` says where (x, y) is."""
    place = attributes(x=float(x), y=float(y), font_size=float(size))
    return f"<text{place}{attributes(**values)}>{escape(words)}</text>"


@remembered
def symbol(suit: int, x: float, y: float, size: float, class_: str = "ink") -> str:
    """Return the symbol of a suit with its centre at (x, y), about `size` wide."""
    shape = SYMBOLS[suit % len(SYMBOLS)]
    place = f"translate({x:g} {y:g}) scale({size / 20:g})"
    return f"<path{attributes(class_=class_, d=shape, transform=place)}/>"
