"""What the report is made of besides the papers' own tables: figures and extra sections.

A section is made from a finished `Reproduction`. To add one, write a function that takes it and
returns a `Section`, or None to be left out, and name it in `page.EXTRA_SECTIONS`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Figure", "Section"]


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
