"""van den Bergh, Kosters and Spieksma 2016, *Aspects of the cooperative card game Hanabi*."""

from __future__ import annotations

from hanabilab.papers.aspects.statements import TITLE, tables

__all__ = ["TITLE", "tables"]
