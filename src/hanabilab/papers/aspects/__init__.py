"""van den Bergh, Kosters and Spieksma 2016, *Aspects of the cooperative card game Hanabi*."""

from __future__ import annotations

from hanabilab.papers.aspects import games, rules, sequences
from hanabilab.papers.items import PrintedTable

__all__ = ["TITLE", "tables"]

TITLE = "van den Bergh, Kosters and Spieksma 2016, “Aspects of the cooperative card game Hanabi”"


def tables(effort: str) -> list[PrintedTable]:
    """Return everything printed that can be computed."""
    parts = (
        ("2", "Section 2: hints, stacks and scores of the rules", rules.section_2()),
        ("3", "Section 3: sequences that cannot be played", sequences.section_3()),
        ("1", "Table 1: average scores by rules and ωp", games.table_1()),
        ("F2", "Figure 2 and what is said of it", games.figure_2()),
        ("F3", "Figure 3: Monte Carlo, and what is said of it", games.figure_3(effort)),
    )
    return [
        PrintedTable(id=f"aspects.{number}", paper="aspects", title=title, items=list(items))
        for number, title, items in parts
    ]
