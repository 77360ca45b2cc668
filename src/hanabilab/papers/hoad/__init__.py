"""The Hanabi Open Agent Dataset: its rules, played turn by turn under the preset `hle`."""

from __future__ import annotations

from hanabilab.papers.hoad.rules import TITLE, tables

__all__ = ["TITLE", "tables"]
