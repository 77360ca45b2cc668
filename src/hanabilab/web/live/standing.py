"""How tables stand, as any spectator can see: for the list of a browser's own tables."""

from __future__ import annotations

from collections.abc import Iterable

from hanabilab.table.game import Game
from hanabilab.web.live.setup import Setup
from hanabilab.web.live.store import Store
from hanabilab.web.messages import JsonObject

__all__ = ["MAX_ASKED", "standings"]

MAX_ASKED = 50
"""Tables that can be asked about at once."""


def standings(store: Store, names: Iterable[str]) -> JsonObject:
    """Return how each of these tables stands; tables that are gone are left out."""
    found: JsonObject = {}
    for name in dict.fromkeys(names):
        saved = store.load(name)
        if saved is not None:
            found[name] = _standing(Setup.from_dict(saved[0]), saved[1])
    return found


def _standing(setup: Setup, numbers: list[int]) -> JsonObject:
    game = Game(setup.rules, setup.deck)
    for number in numbers:
        game.act(number)
    return {
        "turn": game.turn,
        "player": game.player,
        "player_name": setup.called[game.player],
        "score": game.score,
        "end": game.end,
    }
