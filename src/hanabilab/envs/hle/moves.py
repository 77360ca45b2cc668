"""Moves and the history of a game, under the names of HLE's `pyhanabi`."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass
from typing import NamedTuple

from hanabilab.core.bits import members
from hanabilab.envs.hle.cards import CACHE_SIZE, HanabiCard, JsonDict, suit_letter
from hanabilab.errors import ActionError
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    count_actions,
    decode_action,
)
from hanabilab.game.cards import HIDDEN, MAX_PLAYERS
from hanabilab.game.rules_record import RulesRecord
from hanabilab.game.state import State

__all__ = [
    "CHANCE_PLAYER_ID",
    "DEALS",
    "CardDealt",
    "HanabiHistoryItem",
    "HanabiMove",
    "HanabiMoveType",
    "IllegalMoveError",
    "InvalidActionError",
    "MissingKeyError",
    "Shape",
    "TurnMade",
    "item_of",
    "move_dicts",
    "moves_of",
]

CHANCE_PLAYER_ID = -1


class IllegalMoveError(ActionError, AssertionError):
    """A move that is not legal now.

    HLE raises an `AssertionError` for a dictionary, and terminates the process for a number.
    """


class InvalidActionError(ActionError, ValueError):
    """An action of the wrong type; HLE raises a `ValueError`."""


class MissingKeyError(ActionError, KeyError):
    """A dictionary with a missing key; HLE raises a `KeyError`."""

    def __str__(self) -> str:  # a `KeyError` would put its message in quotes
        return str(self.args[0])


class HanabiMoveType(enum.IntEnum):
    """The kinds of moves."""

    INVALID = 0
    PLAY = 1
    DISCARD = 2
    REVEAL_COLOR = 3
    REVEAL_RANK = 4
    DEAL = 5


KINDS = {
    PLAY: HanabiMoveType.PLAY,
    DISCARD: HanabiMoveType.DISCARD,
    HINT_SUIT: HanabiMoveType.REVEAL_COLOR,
    HINT_RANK: HanabiMoveType.REVEAL_RANK,
}


@dataclass(frozen=True, slots=True)
class HanabiMove:
    """A player's move, or the deal of a card; fields that do not apply are -1."""

    _type: HanabiMoveType
    _card_index: int = -1
    _target_offset: int = -1
    _color: int = -1
    _rank: int = -1

    def type(self) -> HanabiMoveType:
        """Return the kind of move."""
        return self._type

    def card_index(self) -> int:
        """Return the index of the card, -1 for a hint."""
        return self._card_index

    def target_offset(self) -> int:
        """Return the seat of the hinted player, counted from the one who moves."""
        return self._target_offset

    def color(self) -> int:
        """Return the color, -1 if there is none."""
        return self._color

    def rank(self) -> int:
        """Return the rank from 0, -1 if there is none."""
        return self._rank

    @staticmethod
    def get_discard_move(card_index: int) -> HanabiMove:
        """Return the move that discards a card."""
        return HanabiMove(HanabiMoveType.DISCARD, card_index)

    @staticmethod
    def get_play_move(card_index: int) -> HanabiMove:
        """Return the move that plays a card."""
        return HanabiMove(HanabiMoveType.PLAY, card_index)

    @staticmethod
    def get_reveal_color_move(target_offset: int, color: int) -> HanabiMove:
        """Return the move that hints a color."""
        return HanabiMove(HanabiMoveType.REVEAL_COLOR, -1, target_offset, color)

    @staticmethod
    def get_reveal_rank_move(target_offset: int, rank: int) -> HanabiMove:
        """Return the move that hints a rank."""
        return HanabiMove(HanabiMoveType.REVEAL_RANK, -1, target_offset, -1, rank)

    @staticmethod
    def numbered(number: int, table: State) -> HanabiMove:
        """Return the move with this number, which is also the number of our action."""
        event = Event()
        decode_action(table, number, event)
        kind = KINDS[event.kind]
        if event.kind in (PLAY, DISCARD):
            return HanabiMove(kind, event.slot)
        offset = (event.target - table.player) % table.rules.players
        if event.kind == HINT_SUIT:
            return HanabiMove(kind, -1, offset, event.value)
        return HanabiMove(kind, -1, offset, -1, event.value - 1)

    def number(self, table: State) -> int:
        """Return the number of a move, or -1 if there is no such move."""
        hand, others = table.rules.hand_size, table.rules.players - 1
        offset = self._target_offset - 1
        if self._type in (HanabiMoveType.PLAY, HanabiMoveType.DISCARD):
            first = hand if self._type is HanabiMoveType.PLAY else 0
            return first + self._card_index if 0 <= self._card_index < hand else -1
        if not 0 <= offset < others:
            return -1
        if self._type is HanabiMoveType.REVEAL_COLOR and 0 <= self._color < table.rules.suits:
            return 2 * hand + offset * table.rules.suits + self._color
        if self._type is HanabiMoveType.REVEAL_RANK and 0 <= self._rank < table.rules.ranks:
            return 2 * hand + others * table.rules.suits + offset * table.rules.ranks + self._rank
        return -1

    def __str__(self) -> str:
        match self._type:
            case HanabiMoveType.PLAY:
                return f"(Play {self._card_index})"
            case HanabiMoveType.DISCARD:
                return f"(Discard {self._card_index})"
            case HanabiMoveType.REVEAL_COLOR:
                letter = suit_letter(self._color)
                return f"(Reveal player +{self._target_offset} color {letter})"
            case HanabiMoveType.REVEAL_RANK:
                return f"(Reveal player +{self._target_offset} rank {self._rank + 1})"
            case HanabiMoveType.DEAL:
                return f"(Deal {HanabiCard(self._color, self._rank)})"
        return "(INVALID)"

    __repr__ = __str__

    def to_dict(self) -> JsonDict:
        """Return the move in `rl_env`'s format."""
        move: JsonDict = {"action_type": self._type.name}
        match self._type:
            case HanabiMoveType.PLAY | HanabiMoveType.DISCARD:
                return move | {"card_index": self._card_index}
            case HanabiMoveType.REVEAL_COLOR:
                color = suit_letter(self._color)
                return move | {"target_offset": self._target_offset, "color": color}
            case HanabiMoveType.REVEAL_RANK:
                return move | {"target_offset": self._target_offset, "rank": self._rank}
            case HanabiMoveType.DEAL:
                return move | {"color": suit_letter(self._color), "rank": self._rank}
        raise InvalidActionError(f"an invalid move cannot be written: {self}")


@dataclass(frozen=True, slots=True)
class HanabiHistoryItem:
    """A move that was made, and its outcome."""

    _move: HanabiMove
    _player: int = CHANCE_PLAYER_ID
    _card: HanabiCard = HanabiCard(-1, -1)  # noqa: RUF009  # a card never changes
    _scored: bool = False
    _information_token: bool = False
    _revealed: int = 0
    _newly_revealed: int = 0
    _deal_to_player: int = -1

    def move(self) -> HanabiMove:
        """Return the move."""
        return self._move

    def player(self) -> int:
        """Return the player who made the move."""
        return self._player

    def scored(self) -> bool:
        """Return whether a played card was playable."""
        return self._scored

    def information_token(self) -> bool:
        """Return whether the move gave a hint token back."""
        return self._information_token

    def color(self) -> int:
        """Return the color, -1 if there is none."""
        return self._card.color()

    def rank(self) -> int:
        """Return the rank from 0, -1 if there is none."""
        return self._card.rank()

    def card_info_revealed(self) -> list[int]:
        """Return the slots that a hint touched."""
        return members(self._revealed)

    def card_info_newly_revealed(self) -> list[int]:
        """Return the slots that no hint of this kind had touched before."""
        return members(self._newly_revealed)

    def deal_to_player(self) -> int:
        """Return the player who was dealt the card."""
        return self._deal_to_player

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


class Shape(NamedTuple):
    """The sizes of a game that determine its moves and cards."""

    players: int
    hand_size: int
    suits: int
    ranks: int


@functools.cache
def moves_of(shape: Shape) -> tuple[HanabiMove, ...]:
    """Return all moves in the order of their numbers."""
    table = State()
    table.rules = RulesRecord(**shape._asdict())
    return tuple(HanabiMove.numbered(number, table) for number in range(count_actions(table)))


@functools.cache
def move_dicts(shape: Shape) -> tuple[JsonDict, ...]:
    """Return all moves in `rl_env`'s format; copy before use."""
    return tuple(move.to_dict() for move in moves_of(shape))


class TurnMade(NamedTuple):
    """A turn as our engine records it."""

    number: int
    player: int
    card: int
    lit: int
    token: int
    touched: int
    fresh: int
    """The slots that no hint of this kind had touched before."""


class CardDealt(NamedTuple):
    """A card, possibly hidden, dealt to a player."""

    card: int
    player: int


DEALS = [[CardDealt(card, player) for card in range(HIDDEN + 1)] for player in range(MAX_PLAYERS)]
"""All possible deals, by player and card."""


@functools.lru_cache(CACHE_SIZE)
def item_of(shape: Shape, made: TurnMade | CardDealt) -> HanabiHistoryItem:
    """Return a turn or a deal as an item of the history."""
    card = HanabiCard.numbered(made.card, shape.ranks)
    if isinstance(made, CardDealt):
        move = HanabiMove(HanabiMoveType.DEAL, -1, -1, card.color(), card.rank())
        return HanabiHistoryItem(move, _deal_to_player=made.player)
    return HanabiHistoryItem(
        moves_of(shape)[made.number],
        made.player,
        card,
        bool(made.lit),
        bool(made.token),
        made.touched,
        made.fresh,
    )
