"""Keßler 2025, *A deep dive into Hanabi*: decks that are lost on pace."""

from __future__ import annotations

from hanabilab.papers.kessler.pace_losses import TITLE, tables

__all__ = ["TITLE", "tables"]
