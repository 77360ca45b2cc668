"""How much one request may cost."""

from __future__ import annotations

__all__ = ["MAX_CELLS", "MAX_GAMES", "MAX_SECONDS", "MAX_STATES", "MAX_TIME_LIMIT", "MAX_TURNS"]

MAX_GAMES = 1_000_000
"""Games of one run, pairings and cells together."""
MAX_CELLS = 400
"""Cells of a sweep, or pairings."""
MAX_SECONDS = 900.0
"""Seconds for one question; a run of the lab ends there with the games it has."""
MAX_TIME_LIMIT = 60.0
"""Seconds that a deck may be searched for."""
MAX_STATES = 200_000
"""States of an exact count: some twenty seconds."""
MAX_TURNS = 200
"""Boards in one answer."""
