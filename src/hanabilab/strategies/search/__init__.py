"""Search over any strategy: try each action in imagined games that the strategy finishes."""

from __future__ import annotations

from hanabilab.strategies.search.strategy import Search, search_over

__all__ = ["Search", "search_over"]
