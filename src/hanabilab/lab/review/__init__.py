"""Review games by what their players could know: luck, errors, and best actions.

- `values`: the value of actions to the player and to a spectator, from imagined games;
- `sampling`: all turns of a game on several threads, with a cache;
- `facts`: facts that need no convention: what could be known, what was lost, what hints did;
- `verdicts`: whether a convention fits a game, and the words for decisions;
- `kernels`: the imagined games;
- `bracket`: bounds on the value of a late turn for a player who cannot see their own hand;
- `game_review`: the complete review;
- `report`: the review as text for players.
"""

from __future__ import annotations

from hanabilab.lab.review.game_review import Review, review

__all__ = ["Review", "review"]
