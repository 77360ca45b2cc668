"""The same game with other cards where a player cannot see them."""

from __future__ import annotations

import dataclasses
import random

from hanabilab.game.deck import Deck
from hanabilab.table.game import Game

__all__ = ["exchanged"]

ATTEMPTS = 200


def exchanged(game: Game, turn: int, dice: random.Random) -> Deck | None:
    """Return the deck with other cards in the hand of the player to move and in the draw pile.

    What that player has seen up to this turn stays the same: the hints fit the new cards too. None
    means that no other hand fits, or that none was found.
    """
    before, places, following = _places(game, turn)
    me = before.player
    unseen = places[me] + list(range(following, len(game.deck)))
    cards = list(game.deck)
    allowed = dict(zip(places[me], before.state.possible[me], strict=False))
    narrowest_first = sorted(allowed, key=lambda place: allowed[place].bit_count())
    for _ in range(ATTEMPTS):
        pool = [cards[place] for place in unseen]
        dice.shuffle(pool)
        chosen: dict[int, int] = {}
        for place in narrowest_first:
            fitting = [card for card in pool if allowed[place] >> card & 1]
            if not fitting:
                break
            chosen[place] = fitting[0]
            pool.remove(fitting[0])
        else:
            rest = [place for place in unseen if place not in chosen]
            chosen.update(zip(rest, pool, strict=True))
            if any(chosen[place] != cards[place] for place in places[me]):
                new = [chosen.get(place, card) for place, card in enumerate(cards)]
                return dataclasses.replace(game.deck, cards=tuple(new))
    return None


def _places(game: Game, turn: int) -> tuple[Game, list[list[int]], int]:
    """Return the game before a turn, the places in the deck of each hand, and of the next draw."""
    before = Game(game.rules, game.deck)
    size, players = game.rules.hand_size, game.rules.players
    places = [list(range(player * size, (player + 1) * size)) for player in range(players)]
    following = players * size
    for action in game.actions[:turn]:
        player = before.player
        event = before.act(action)
        if action.type in ("play", "discard"):
            del places[player][action.slot]
        if event.drew:
            places[player].append(following)
            following += 1
    return before, places, following
