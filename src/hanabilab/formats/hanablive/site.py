"""How hanab.live counts: kinds of actions, and cards by their place in the deck."""

from __future__ import annotations

from collections.abc import Mapping

from hanabilab.checks import whole_number
from hanabilab.errors import FormatError
from hanabilab.formats.deck_text import short
from hanabilab.formats.hanablive.link import LiveAction
from hanabilab.game.deck import Deck

__all__ = [
    "COLOUR_HINT",
    "DISCARD",
    "END",
    "NAMES",
    "OWN_KEYS",
    "PLAY",
    "RANK_HINT",
    "VOTE",
    "Hands",
    "read_action",
    "read_number",
]

NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily", "Frank")
PLAY, DISCARD, COLOUR_HINT, RANK_HINT, END, VOTE = range(6)
OWN_KEYS = ("players", "deck", "actions", "options", "variant")
"""The keys of a game's object that have a counterpart in our games."""


LARGEST = 1 << 31


class Hands:
    """Where each card of the deck is, by its place in the deck."""

    def __init__(self, deck: Deck) -> None:
        size, players = deck.rules.hand_size, deck.rules.players
        self.hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(players)]
        self.following, self.cards = players * size, len(deck)

    def take(self, player: int, place: int) -> int:
        """Return the slot of a card that leaves a hand; the next card is drawn.

        The last card of the draw pile can be played from there: its slot comes after the last.
        """
        if place == self.following == self.cards - 1:
            self.following += 1
            return len(self.hands[player])
        if place not in self.hands[player]:
            raise FormatError(f"card {place} of the deck is not in the hand of player {player}")
        slot = self.hands[player].index(place)
        self.leave(player, slot)
        return slot

    def leave(self, player: int, slot: int) -> int:
        """Return the place in the deck of the card that leaves this slot."""
        if slot == len(self.hands[player]):  # the last card of the draw pile
            self.following += 1
            return self.cards - 1
        place = self.hands[player].pop(slot)
        if self.following < self.cards:
            self.hands[player].append(self.following)
            self.following += 1
        return place


def read_action(action: object, place: str) -> LiveAction:
    """Return an action of the site; an error names its `place` in the game."""
    if not isinstance(action, Mapping):
        raise FormatError(f"{place}: {short(action)} is not an object")
    try:
        value = None if action.get("value") is None else read_number(action, "value")
        return LiveAction(read_number(action, "type"), read_number(action, "target"), value)
    except FormatError as error:
        raise FormatError(f"{place}: {error}") from None


def read_number(data: Mapping[str, object], key: str) -> int:
    """Return a whole number of the site, which has 32 bits."""
    return whole_number(key, data.get(key), -LARGEST, LARGEST, error=FormatError)
