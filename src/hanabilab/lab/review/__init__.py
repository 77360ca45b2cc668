"""Review games as their players could know them: what was luck, what was error, what was best.

- `values`: what actions are worth to the player and to a spectator, in imagined games;
- `sampling`: all turns of a game on several threads, with a cache;
- `facts`: what needs no convention: what could be known, what was lost, what hints did;
- `verdicts`: whether a convention fits a game, and the words for decisions;
- `kernels`: the imagined games;
- `bracket`: bounds on the value of a late turn, for the player who cannot see the own hand;
- `game_review`: all of it put together;
- `report`: the review as text for players.
"""

from __future__ import annotations

from hanabilab.lab.review.game_review import Review, review

__all__ = ["Review", "review"]
