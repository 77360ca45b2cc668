"""Limits on what one question may cost."""

from __future__ import annotations

__all__ = [
    "MAX_CELLS",
    "MAX_GAMES",
    "MAX_HAND",
    "MAX_LETTERS",
    "MAX_SECONDS",
    "MAX_STATES",
    "MAX_TIME_LIMIT",
    "MAX_TURNS",
    "QUICK_SECONDS",
    "QUICK_STATES",
]

MAX_GAMES = 1_000_000
"""Games in one run, over all pairings or cells."""
MAX_CELLS = 400
"""Cells of a sweep."""
MAX_SECONDS = 900.0
"""Seconds for one question; a run then ends with the games played so far."""
QUICK_SECONDS = 10.0
"""Seconds for a question in the quick lane; if it takes longer, it goes on in another."""
MAX_TIME_LIMIT = 60.0
"""Seconds to search one deck."""
MAX_STATES = 200_000
"""States of an exact count: about twenty seconds."""
QUICK_STATES = 20_000
"""States of a count that belongs in the quick lane."""
MAX_HAND = 1_000
"""Cards in hand, or of a deck, in questions about numbers."""
MAX_LETTERS = 4_000
"""Letters of counts, or of a sequence of cards."""
MAX_TURNS = 200
"""Boards in one answer."""
