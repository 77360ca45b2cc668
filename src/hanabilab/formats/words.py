"""States and events in words, for the terminal and for messages."""

from __future__ import annotations

from hanabilab.core.bits import members, popcount
from hanabilab.formats.speech import NUMBERED, Speech
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event
from hanabilab.game.cards import HIDDEN, card_in, count_of
from hanabilab.game.names import HIDDEN_NAME, SUIT_LETTERS, card_name, unpack_letters
from hanabilab.game.state import State

__all__ = ["describe", "discards", "fireworks", "hand_names", "look", "rule_words"]

LOOKS = "rygbwma" + "ptkin"
"""Suits with a colour and a symbol of their own: those of the box, then hanab.live's."""


def look(name: str) -> int:
    """Return which colour and symbol a card is drawn with; negative if it has no suit."""
    own = LOOKS.find(name[0])
    other = SUIT_LETTERS.find(name[0])
    return own if own >= 0 else other % len(LOOKS) if other >= 0 else -1


def describe(
    event: Event,
    ranks: int,
    letters: str = SUIT_LETTERS,
    speech: Speech = NUMBERED,
    count: int = 0,
    *,
    hint_letters: str | None = None,
) -> str:
    """Return what a turn did: “player 1 plays slot 2: g3 lights”.

    A speech with names needs the `count` of cards in the hand that was played from or hinted at.
    The letters of suit hints are those of the suits, unless others are given.
    """
    if event.kind == PASS:
        return speech.does(event.player, "pass")
    if event.kind in (PLAY, DISCARD):
        card = speech.card(event.card, ranks, letters)
        token = ", a hint token comes back" if event.token else ""
        slot = f"slot {speech.slot(event.slot, count)}"
        if event.kind == DISCARD:
            return f"{speech.does(event.player, 'discard')} {slot}: {card}{token}"
        ending = f"lights{token}" if event.lit else "does not fit, a life is lost"
        return f"{speech.does(event.player, 'play')} {slot}: {card} {ending}"
    told = f"rank {event.value}"
    if event.kind == HINT_SUIT:
        told = speech.suit(event.value, hint_letters or letters)
    touched = speech.slots(members(event.touched), count)
    return f"{speech.does(event.player, 'tell')} {speech.player(event.target)}: {told} ({touched})"


def rule_words(value: object) -> str:
    """Return the value of a rule as people say it: yes, no, unlimited, or a number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unlimited" if value is None else str(value)


def hand_names(state: State, player: int) -> list[str]:
    """Return the cards in a hand, oldest first."""
    cards = (card_in(state.hands[player], slot) for slot in range(state.hand_count[player]))
    return [HIDDEN_NAME if card == HIDDEN else _name(state, card) for card in cards]


def fireworks(state: State) -> list[str]:
    """Return each suit with the highest rank played."""
    letters = unpack_letters(state.letters)
    return [f"{letters[suit]}{state.fireworks[suit]}" for suit in range(state.suits)]


def discards(state: State) -> list[str]:
    """Return the discarded cards, in order of suit and rank."""
    return [
        _name(state, card)
        for card in range(popcount(state.all_cards))
        for _ in range(count_of(state.discarded, card))
    ]


def _name(state: State, card: int) -> str:
    return card_name(card, state.ranks, unpack_letters(state.letters))
