"""States and events in words, for the terminal and for anyone who reads along."""

from __future__ import annotations

from hanabilab.core.bits import popcount
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event
from hanabilab.game.cards import HIDDEN, card_in, count_of
from hanabilab.game.names import HIDDEN_NAME, SUIT_LETTERS, card_name
from hanabilab.game.state import State

__all__ = ["describe", "discards", "hand_names", "members"]


def describe(event: Event, ranks: int) -> str:
    """What a turn did: «player 1 plays slot 2: g3 lights»."""
    who = f"player {event.player}"
    if event.kind == PASS:
        return f"{who} passes"
    if event.kind in (PLAY, DISCARD):
        card = card_name(event.card, ranks)
        token = ", a hint token comes back" if event.token else ""
        if event.kind == DISCARD:
            return f"{who} discards slot {event.slot}: {card}{token}"
        if event.lit:
            return f"{who} plays slot {event.slot}: {card} lights{token}"
        return f"{who} plays slot {event.slot}: {card} does not fit, a life is lost"
    slots = members(event.touched)
    touched = "no card"
    if slots:
        touched = ("slots " if len(slots) > 1 else "slot ") + " ".join(map(str, slots))
    told = f"suit {SUIT_LETTERS[event.value]}" if event.kind == HINT_SUIT else f"rank {event.value}"
    return f"{who} tells player {event.target}: {told} ({touched})"


def members(bits: int) -> list[int]:
    """The members of a bit set, in order."""
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]


def hand_names(state: State, player: int) -> list[str]:
    """The cards in a hand, oldest first."""
    cards = (card_in(state.hands[player], slot) for slot in range(state.hand_count[player]))
    return [HIDDEN_NAME if card == HIDDEN else card_name(card, state.ranks) for card in cards]


def discards(state: State) -> list[str]:
    """The discarded cards, in order of suit and rank."""
    return [
        card_name(card, state.ranks)
        for card in range(popcount(state.all_cards))
        for _ in range(count_of(state.discarded, card))
    ]
