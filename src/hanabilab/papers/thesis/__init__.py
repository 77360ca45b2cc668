"""van den Bergh 2015, *Hanabi: a co-operative game of fireworks* (the thesis)."""

from __future__ import annotations

from hanabilab.papers.items import PrintedTable
from hanabilab.papers.thesis import appendix_b, claims, playability, rules, theorems

__all__ = ["TITLE", "tables"]

TITLE = "van den Bergh 2015, “Hanabi: a co-operative game of fireworks”"


def tables(effort: str) -> list[PrintedTable]:
    """Return all printed items that can be computed."""
    return [
        *rules.tables(),
        *playability.tables(),
        *theorems.tables(),
        *appendix_b.tables(),
        *claims.tables(),
    ]
