"""The Hanabi Open Agent Dataset (HOAD): the rules of the game that it states."""

from __future__ import annotations

from hanabilab.papers.hoad import rules
from hanabilab.papers.items import PrintedTable

__all__ = ["TITLE", "tables"]

TITLE = "The Hanabi Open Agent Dataset (HOAD), “Rules of the Game”"


def tables(effort: str) -> list[PrintedTable]:
    """Return everything stated that can be played."""
    return rules.tables()
