"""Limits on what one question may cost."""

from __future__ import annotations

__all__ = ["MAX_CELLS", "MAX_GAMES", "MAX_SECONDS", "MAX_STATES", "MAX_TIME_LIMIT", "MAX_TURNS"]

MAX_GAMES = 1_000_000
"""Games in one run, over all pairings or cells."""
MAX_CELLS = 400
"""Cells of a sweep."""
MAX_SECONDS = 900.0
"""Seconds for one question; a run then ends with the games played so far."""
MAX_TIME_LIMIT = 60.0
"""Seconds to search one deck."""
MAX_STATES = 200_000
"""States of an exact count: about twenty seconds."""
MAX_TURNS = 200
"""Boards in one answer."""
