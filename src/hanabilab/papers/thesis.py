"""van den Bergh 2015, *Hanabi: a co-operative game of fireworks* (the thesis)."""

from __future__ import annotations

from hanabilab.papers import thesis_claims, thesis_playability, thesis_rules, thesis_tables
from hanabilab.papers.items import Table

__all__ = ["TITLE", "tables"]

TITLE = "van den Bergh 2015, “Hanabi: a co-operative game of fireworks”"


def tables(effort: str) -> list[Table]:
    """All that is printed and can be computed."""
    return [
        *thesis_rules.tables(),
        *thesis_playability.tables(),
        *thesis_tables.tables(),
        *thesis_claims.tables(),
    ]
