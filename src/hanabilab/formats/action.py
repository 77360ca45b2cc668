"""Actions as text and as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_integer, did_you_mean
from hanabilab.errors import ActionError, FormatError
from hanabilab.formats.deck_text import read_suit
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    decode_action,
    discard_deck,
    discard_slot,
    pass_turn,
    play_deck,
    play_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.names import SUIT_LETTERS
from hanabilab.game.rules import Rules
from hanabilab.game.state import State

__all__ = ["ACTION_TYPES", "Action"]

ACTION_TYPES = {
    DISCARD: "discard",
    PLAY: "play",
    HINT_SUIT: "hint_suit",
    HINT_RANK: "hint_rank",
    PASS: "pass",
}
NUMBER = re.compile("[0-9]{1,9}")
KINDS = {name: kind for kind, name in ACTION_TYPES.items()}


@dataclass(frozen=True, slots=True)
class Action:
    """One action, no matter who takes it.

    `value` is a rank from 1 for a rank hint and a suit from 0 for a suit hint.

    Examples
    --------
    >>> print(Action.hint_rank(target=1, rank=3))
    hint rank 3 to player 1
    """

    type: str
    slot: int = 0
    target: int = 0
    value: int = 0

    @classmethod
    def play(cls, slot: int) -> Action:
        """Play the card in a slot; the slot after the last is the last card of the draw pile."""
        return cls("play", slot=slot)

    @classmethod
    def discard(cls, slot: int) -> Action:
        """Discard the card in a slot."""
        return cls("discard", slot=slot)

    @classmethod
    def hint_rank(cls, target: int, rank: int) -> Action:
        """Hint a rank to a player."""
        return cls("hint_rank", target=target, value=rank)

    @classmethod
    def hint_suit(cls, target: int, suit: int | str) -> Action:
        """Hint a suit to a player; a suit is its number or its letter."""
        value = read_suit(suit, SUIT_LETTERS) if isinstance(suit, str) else suit
        if value is None:
            raise FormatError(f"{suit!r:.80} is not a suit")
        return cls("hint_suit", target=target, value=value)

    @classmethod
    def pass_turn(cls) -> Action:
        """Pass, in an open game."""
        return cls("pass")

    @classmethod
    def from_number(cls, number: int, state: State) -> Action:
        """Return the action with this number for the player to move."""
        event = Event()
        decode_action(state, number, event)
        return cls.from_event(event)

    @classmethod
    def from_event(cls, event: Event) -> Action:
        """Return the action of an event."""
        return cls(ACTION_TYPES[event.kind], event.slot, event.target, event.value)

    @classmethod
    def from_text(cls, text: str, rules: Rules) -> Action:
        """Read an action from text: play 0, discard 3, hint 1 r, hint 2 4, pass."""
        match text.split():
            case ["play" | "discard" as kind, slot] if NUMBER.fullmatch(slot):
                return cls(kind, slot=int(slot))
            case ["hint", target, value] if NUMBER.fullmatch(target):
                data = {"type": "hint_suit", "target": int(target), "value": value}
                if NUMBER.fullmatch(value):
                    data |= {"type": "hint_rank", "value": int(value)}
                return cls.from_dict(data, rules)
            case ["pass"]:
                return cls.pass_turn()
        raise ActionError(
            f"{text!r:.80} is not an action; expected play SLOT, discard SLOT, hint PLAYER RANK, "
            "hint PLAYER SUIT or pass"
        )

    def to_text(self, letters: str = SUIT_LETTERS) -> str:
        """Format the action so that `from_text` can read it."""
        if self.type in ("play", "discard"):
            return f"{self.type} {self.slot}"
        if self.type == "pass":
            return self.type
        value = letters[self.value] if self.type == "hint_suit" else self.value
        return f"hint {self.target} {value}"

    def number(self, state: State) -> int | None:
        """Return the number of this action for the player to move, or None if it has none."""
        slot_fits = 0 <= self.slot < state.rules.hand_size
        others = 0 <= self.target < state.rules.players and self.target != state.player
        hints = others and not state.rules.open_game
        if self.type == "play" and slot_fits:
            return play_slot(state, self.slot)
        if state.rules.deck_plays and self.slot == state.rules.hand_size:
            if self.type == "play":
                return play_deck(state)
            if self.type == "discard" and state.rules.inverted:
                return discard_deck(state)
        if self.type == "discard" and slot_fits:
            return discard_slot(state, self.slot)
        if self.type == "pass" and state.rules.open_game:
            return pass_turn(state)
        if self.type == "hint_rank" and hints and 1 <= self.value <= state.rules.ranks:
            return rank_hint(state, self.target, self.value)
        if self.type == "hint_suit" and hints and 0 <= self.value < state.rules.suits:
            return suit_hint(state, self.target, self.value)
        return None

    def to_dict(self, player: int, letters: str = SUIT_LETTERS) -> dict[str, Any]:
        """Return the action as a dictionary, as files store it."""
        if self.type in ("play", "discard"):
            return {"player": player, "type": self.type, "slot": self.slot}
        if self.type == "pass":
            return {"player": player, "type": self.type}
        value = letters[self.value] if self.type == "hint_suit" else self.value
        return {"player": player, "type": self.type, "target": self.target, "value": value}

    @classmethod
    def from_dict(cls, data: object, rules: Rules) -> Action:
        """Read an action from a dictionary; the caller checks its player."""
        if not isinstance(data, Mapping):
            raise FormatError(f"{data!r:.80} is not an object")
        kind = data.get("type")
        if not isinstance(kind, str) or kind not in KINDS:
            known = ", ".join(KINDS) + did_you_mean(str(kind), KINDS)
            raise FormatError(f"unknown type {kind!r:.60}; expected {known}")
        if kind in ("play", "discard"):
            return cls(kind, slot=_number(data, "slot"))
        if kind == "pass":
            return cls(kind)
        target = _number(data, "target")
        if kind == "hint_rank":
            return cls(kind, target=target, value=_number(data, "value"))
        suit = data.get("value")
        letters = rules.hint_letters
        value = read_suit(suit, letters) if isinstance(suit, str) else None
        if value is None:
            raise FormatError(f"value {suit!r:.60} is not a suit; suits are {' '.join(letters)}")
        return cls(kind, target=target, value=value)

    def describe(self, letters: str = SUIT_LETTERS) -> str:
        """Describe the action in words, with these suit letters."""
        if self.type in ("play", "discard"):
            return f"{self.type} slot {self.slot}"
        if self.type == "hint_rank":
            return f"hint rank {self.value} to player {self.target}"
        if self.type == "hint_suit":
            known = 0 <= self.value < len(letters)
            suit = letters[self.value] if known else self.value
            return f"hint suit {suit} to player {self.target}"
        return self.type

    __str__ = describe


def _number(data: Mapping[str, object], key: str) -> int:
    return check_integer(key, data.get(key), error=FormatError)
