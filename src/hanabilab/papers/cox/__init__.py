"""Cox et al. 2015, *How to make the perfect fireworks display: two strategies for Hanabi*."""

from __future__ import annotations

from hanabilab.papers.cox import examples, scores
from hanabilab.papers.items import PrintedTable

__all__ = ["TITLE", "tables"]

TITLE = "Cox et al. 2015, “How to make the perfect fireworks display: two strategies for Hanabi”"


def tables(effort: str) -> list[PrintedTable]:
    """Return everything printed that can be computed."""
    return [*examples.tables(), *scores.tables()]
