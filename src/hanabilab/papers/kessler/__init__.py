"""Keßler 2025, *A deep dive into Hanabi*: decks that are lost on pace."""

from __future__ import annotations

from hanabilab.papers.items import PrintedTable
from hanabilab.papers.kessler import pace

__all__ = ["TITLE", "tables"]

TITLE = "Keßler 2025, “A deep dive into Hanabi”"


def tables(effort: str) -> list[PrintedTable]:
    """Return everything printed that can be computed."""
    return pace.tables()
