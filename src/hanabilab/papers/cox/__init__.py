"""Cox et al. 2015, *How to make the perfect fireworks display: two strategies for Hanabi*."""

from __future__ import annotations

from hanabilab.papers.cox.scores import TITLE, tables

__all__ = ["TITLE", "tables"]
