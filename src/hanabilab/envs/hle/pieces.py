"""Cards, moves and what is known of a card, with the names that HLE's `pyhanabi` gives them.

HLE counts ranks from 0 and names its suits R Y G W B. Suits keep their numbers: HLE's W is suit 3,
which our text notation writes b, and its B is suit 4, our w. Numbers of moves are the same too.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import ActionError
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event, announce
from hanabilab.game.cards import HIDDEN
from hanabilab.game.names import SUIT_LETTERS
from hanabilab.game.state import State

__all__ = [
    "CHANCE_PLAYER_ID",
    "COLOR_CHAR",
    "AgentObservationType",
    "HanabiCard",
    "HanabiCardKnowledge",
    "HanabiHistoryItem",
    "HanabiMove",
    "HanabiMoveType",
    "IllegalMoveError",
    "color_char_to_idx",
    "color_idx_to_char",
]

COLOR_CHAR = ["R", "Y", "G", "W", "B"]
CHANCE_PLAYER_ID = -1
ALL_CHARS = COLOR_CHAR + [letter.upper() for letter in SUIT_LETTERS[5:25]]
"""Also the letters of suits that HLE does not have."""


class IllegalMoveError(ActionError, AssertionError):
    """A move that is not legal now; HLE fails an assertion or ends the process."""


def color_idx_to_char(color_idx: int | None) -> str | None:
    """The letter of a suit; None for a card that is not seen."""
    if color_idx is None or color_idx == -1:
        return None
    return ALL_CHARS[color_idx] if color_idx < len(ALL_CHARS) else f"<{color_idx}>"


def color_char_to_idx(color_char: str) -> int:
    """The suit of a letter."""
    if color_char not in ALL_CHARS:
        raise ValueError(f"{color_char!r} is not the letter of a suit: {', '.join(ALL_CHARS)}")
    return ALL_CHARS.index(color_char)


class HanabiCard:
    """A card with a color (a suit) and a rank, both from 0; -1 for what is not seen."""

    def __init__(self, color: int, rank: int) -> None:
        self._color = color
        self._rank = rank

    @classmethod
    def numbered(cls, card: int, ranks: int) -> HanabiCard:
        """The card of one of our numbers."""
        return cls(-1, -1) if card == HIDDEN else cls(*divmod(card, ranks))

    def color(self) -> int:
        return self._color

    def rank(self) -> int:
        return self._rank

    def valid(self) -> bool:
        """Is the card seen?"""
        return self._color >= 0 and self._rank >= 0

    def __str__(self) -> str:
        return f"{ALL_CHARS[self._color]}{self._rank + 1}" if self.valid() else "XX"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HanabiCard):
            return NotImplemented
        return (self._color, self._rank) == (other._color, other._rank)

    def __hash__(self) -> int:
        return hash((self._color, self._rank))

    def to_dict(self) -> dict[str, Any]:
        return {"color": color_idx_to_char(self._color), "rank": self._rank}


class HanabiCardKnowledge:
    """What the hints so far say of a card."""

    def __init__(self, colors: int, ranks: int, color: int | None, rank: int | None) -> None:
        self._colors, self._ranks = colors, ranks
        self._color, self._rank = color, rank

    def color(self) -> int | None:
        """The suit if a hint named it; one that only follows from other hints does not count."""
        return self._color

    def rank(self) -> int | None:
        """The same for the rank."""
        return self._rank

    def color_plausible(self, color_index: int) -> bool:
        """Do the hints allow this suit?"""
        return bool(self._colors >> color_index & 1)

    def rank_plausible(self, rank_index: int) -> bool:
        """Do the hints allow this rank?"""
        return bool(self._ranks >> rank_index & 1)

    def __str__(self) -> str:
        suit = "X" if self._color is None else ALL_CHARS[self._color]
        rank = "X" if self._rank is None else f"{self._rank + 1}"
        suits = (ALL_CHARS[n] for n in _members(self._colors))
        ranks = (f"{n + 1}" for n in _members(self._ranks))
        return f"{suit}{rank}|{''.join(suits)}{''.join(ranks)}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        return {"color": color_idx_to_char(self._color), "rank": self._rank}


def _members(bits: int) -> Iterable[int]:
    return (n for n in range(bits.bit_length()) if bits >> n & 1)


class HanabiMoveType(enum.IntEnum):
    """The kinds of moves."""

    INVALID = 0
    PLAY = 1
    DISCARD = 2
    REVEAL_COLOR = 3
    REVEAL_RANK = 4
    DEAL = 5


class AgentObservationType(enum.IntEnum):
    """What a player is shown: no memory of hints, what hints say, or all cards."""

    MINIMAL = 0
    CARD_KNOWLEDGE = 1
    SEER = 2


KINDS = {
    PLAY: HanabiMoveType.PLAY,
    DISCARD: HanabiMoveType.DISCARD,
    HINT_SUIT: HanabiMoveType.REVEAL_COLOR,
    HINT_RANK: HanabiMoveType.REVEAL_RANK,
}


@dataclass(frozen=True, slots=True)
class HanabiMove:
    """What a player does, or a card that is dealt; -1 for what does not apply."""

    _type: HanabiMoveType
    _card_index: int = -1
    _target_offset: int = -1
    _color: int = -1
    _rank: int = -1

    def type(self) -> HanabiMoveType:
        return self._type

    def card_index(self) -> int:
        return self._card_index

    def target_offset(self) -> int:
        return self._target_offset

    def color(self) -> int:
        return self._color

    def rank(self) -> int:
        return self._rank

    @staticmethod
    def get_discard_move(card_index: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.DISCARD, card_index)

    @staticmethod
    def get_play_move(card_index: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.PLAY, card_index)

    @staticmethod
    def get_reveal_color_move(target_offset: int, color: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.REVEAL_COLOR, -1, target_offset, color)

    @staticmethod
    def get_reveal_rank_move(target_offset: int, rank: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.REVEAL_RANK, -1, target_offset, -1, rank)

    @staticmethod
    def numbered(number: int, table: State) -> HanabiMove:
        """The move of a number, which is also the number of our action."""
        event = Event()
        announce(table, number, event)
        kind = KINDS[event.kind]
        if event.kind in (PLAY, DISCARD):
            return HanabiMove(kind, event.slot)
        offset = (event.target - table.player) % table.players
        if event.kind == HINT_SUIT:
            return HanabiMove(kind, -1, offset, event.value)
        return HanabiMove(kind, -1, offset, -1, event.value - 1)

    def number(self, table: State) -> int:
        """The number of a move, or -1 if there is no such move."""
        hand, others = table.hand_size, table.players - 1
        offset = self._target_offset - 1
        if self._type in (HanabiMoveType.PLAY, HanabiMoveType.DISCARD):
            first = hand if self._type is HanabiMoveType.PLAY else 0
            return first + self._card_index if 0 <= self._card_index < hand else -1
        if not 0 <= offset < others:
            return -1
        if self._type is HanabiMoveType.REVEAL_COLOR and 0 <= self._color < table.suits:
            return 2 * hand + offset * table.suits + self._color
        if self._type is HanabiMoveType.REVEAL_RANK and 0 <= self._rank < table.ranks:
            return 2 * hand + others * table.suits + offset * table.ranks + self._rank
        return -1

    def __str__(self) -> str:
        match self._type:
            case HanabiMoveType.PLAY:
                return f"(Play {self._card_index})"
            case HanabiMoveType.DISCARD:
                return f"(Discard {self._card_index})"
            case HanabiMoveType.REVEAL_COLOR:
                letter = color_idx_to_char(self._color)
                return f"(Reveal player +{self._target_offset} color {letter})"
            case HanabiMoveType.REVEAL_RANK:
                return f"(Reveal player +{self._target_offset} rank {self._rank + 1})"
            case HanabiMoveType.DEAL:
                return f"(Deal {HanabiCard(self._color, self._rank)})"
        return "(INVALID)"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The move as `rl_env` writes it."""
        move: dict[str, Any] = {"action_type": self._type.name}
        match self._type:
            case HanabiMoveType.PLAY | HanabiMoveType.DISCARD:
                return move | {"card_index": self._card_index}
            case HanabiMoveType.REVEAL_COLOR:
                color = color_idx_to_char(self._color)
                return move | {"target_offset": self._target_offset, "color": color}
            case HanabiMoveType.REVEAL_RANK:
                return move | {"target_offset": self._target_offset, "rank": self._rank}
            case HanabiMoveType.DEAL:
                return move | {"color": color_idx_to_char(self._color), "rank": self._rank}
        raise ValueError(f"an invalid move cannot be written: {self}")


@dataclass(frozen=True, slots=True)
class HanabiHistoryItem:
    """A move that was made, and what came of it."""

    _move: HanabiMove
    _player: int = CHANCE_PLAYER_ID
    _card: HanabiCard = HanabiCard(-1, -1)  # noqa: RUF009  # a card never changes
    _scored: bool = False
    _information_token: bool = False
    _revealed: int = 0
    _newly_revealed: int = 0
    _deal_to_player: int = -1

    def move(self) -> HanabiMove:
        return self._move

    def player(self) -> int:
        return self._player

    def scored(self) -> bool:
        """Did a played card fit?"""
        return self._scored

    def information_token(self) -> bool:
        """Did a hint token come back?"""
        return self._information_token

    def color(self) -> int:
        return self._card.color()

    def rank(self) -> int:
        return self._card.rank()

    def card_info_revealed(self) -> list[int]:
        """The slots that a hint touched."""
        return list(_members(self._revealed))

    def card_info_newly_revealed(self) -> list[int]:
        """Those of them that no hint of this kind had touched before."""
        return list(_members(self._newly_revealed))

    def deal_to_player(self) -> int:
        return self._deal_to_player

    def seen_by(self, observer: int, players: int, *, hide: bool) -> HanabiHistoryItem:
        """The same, with players counted from the observer, whose new cards are hidden."""
        player, dealt, move = self._player, self._deal_to_player, self._move
        if dealt >= 0:
            dealt = (dealt - observer) % players
            if dealt == 0 and hide:
                move = HanabiMove(HanabiMoveType.DEAL)
        else:
            player = (player - observer) % players
        return HanabiHistoryItem(
            move,
            player,
            self._card,
            self._scored,
            self._information_token,
            self._revealed,
            self._newly_revealed,
            dealt,
        )

    def __str__(self) -> str:
        words = [str(self._move)]
        if self._player >= 0:
            words.append(f"by player {self._player}")
        if self._scored:
            words.append("scored")
        if self._information_token:
            words.append("info_token")
        if self._card.valid():
            words.append(str(self._card))
        if self._revealed:
            words.append(f"reveal {','.join(map(str, self.card_info_revealed()))}")
        return f"<{' '.join(words)}>"

    __repr__ = __str__
