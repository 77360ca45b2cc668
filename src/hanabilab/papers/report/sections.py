"""What the report is made of, beside the papers' own tables: figures, and sections of others.

A section is made from a finished `Reproduction`. To add one, write a function that takes it and
answers a `Section`, and name it in `report.EXTRA_SECTIONS`; one that answers None is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Figure", "Section"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with what stands above and below it."""

    title: str
    svg: str
    caption: str = ""
    command: str = ""
    """What makes it again."""
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
