"""Observations of a player, under the names of HLE's `pyhanabi`."""

from __future__ import annotations

import enum
import functools
import itertools
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hanabilab.core.record import dtype, unpack
from hanabilab.envs.hle.cards import HanabiCard, HanabiCardKnowledge, suit_letter
from hanabilab.envs.hle.moves import (
    CardDealt,
    HanabiHistoryItem,
    HanabiMove,
    Shape,
    TurnMade,
    item_of,
    moves_of,
)
from hanabilab.envs.stepper import EMPTY, VIEW_FIELDS, PlayerView
from hanabilab.errors import HanabiError
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import State, View

if TYPE_CHECKING:
    from hanabilab.envs.hle.game import HanabiGame
    from hanabilab.envs.hle.state import HanabiState

__all__ = [
    "AgentObservationType",
    "Digest",
    "HanabiObservation",
    "ObservationData",
    "ObservationEncoder",
    "ObservationEncoderType",
    "describe",
    "digest_of",
    "is_playable",
]

NO_CARD = bytes([EMPTY])
DRAW_PILE, HINT_TOKENS = VIEW_FIELDS["state.draw_pile"], VIEW_FIELDS["state.hint_tokens"]
LIVES, OBSERVER = VIEW_FIELDS["state.lives"], VIEW_FIELDS["state.observer"]


def _reader(*places: int) -> struct.Struct:
    """Return a function that reads several words, in ascending order, in one call."""
    gaps = (place - before - 1 for before, place in itertools.pairwise((-1, *places)))
    return struct.Struct("=" + "".join(f"{8 * gap}xq" for gap in gaps))


COUNTS = _reader(OBSERVER, HINT_TOKENS, LIVES, DRAW_PILE)


class AgentObservationType(enum.IntEnum):
    """What a player is shown: no knowledge from hints, that knowledge, or all cards."""

    MINIMAL = 0
    CARD_KNOWLEDGE = 1
    SEER = 2


ObservationData = tuple[
    Shape,
    int,
    bytes,
    bytes,
    Sequence[int],
    bytes,
    Sequence[TurnMade | CardDealt],
    bytes | None,
]
"""What compiled code wrote for a player at one moment, and the recent history: the player to move,
the bytes of the view, the encoded row, legal moves, discards in order, the moves since the player's
last turn, and the player's own cards if the game reveals them. All cards are our numbers.
"""


class HanabiObservation:
    """What a player sees, with all players counted from that one.

    It holds nothing else: neither the game, whose dealer knows the seed, nor the full history,
    which names the cards that the player drew. So it may be pickled and sent to an agent. Cards,
    moves and lists of them are created when they are read.
    """

    __slots__ = (
        "_own",
        "_recent",
        "_view_bytes",
        "acting",
        "discards",
        "legal",
        "row",
        "shape",
    )

    def __init__(self, state: HanabiState, game: HanabiGame, player: int) -> None:
        self.__setstate__(state.observation(player).data())

    def __setstate__(self, data: ObservationData) -> None:
        (
            self.shape,
            self.acting,
            self._view_bytes,
            self.row,
            self.legal,
            self.discards,
            self._recent,
            self._own,
        ) = data

    @property
    def _words(self) -> memoryview:
        return memoryview(self._view_bytes).cast("q")

    def data(self) -> ObservationData:
        """Return the data that the observation is made of."""
        shown = self.shape, self.acting, self._view_bytes, self.row
        return *shown, self.legal, self.discards, self._recent, self._own

    def __reduce__(self) -> tuple[Any, ...]:
        return HanabiObservation.__new__, (HanabiObservation,), self.data()

    def observation(self) -> HanabiObservation:
        """Return this object; HLE returns the C++ object behind it."""
        return self

    def own_hand(self) -> bytes:
        """Return the player's own cards by our numbers, if the game reveals them."""
        if self._own is None:
            raise HanabiError(
                "own_hands: an observation hides its player's own cards; if a trainer needs them, "
                'add the line config["own_hands"] = True before HanabiGame(config) or '
                "HanabiEnv(config)"
            )
        return self._own

    @property
    def view(self) -> View:
        """The player's view, as our engine represents it."""
        view = View()
        unpack(view, np.frombuffer(self._view_bytes, dtype(PlayerView))[0]["state"])
        return view

    @property
    def last(self) -> Event | None:
        """The last turn, as our engine records it."""
        event = Event()
        unpack(event, np.frombuffer(self._view_bytes, dtype(PlayerView))[0]["last"])
        return event if event.player >= 0 else None

    @property
    def vector(self) -> bytes:
        """The canonical encoding, one byte per entry."""
        return self.row[digest_of(self.shape).vector]

    def cur_player(self) -> int:
        """Return the player to move, counted from player 0."""
        return self.acting

    def cur_player_offset(self) -> int:
        """Return the seat of the player to move, counted from the observer."""
        if self.acting < 0:
            return self.acting
        return (self.acting - self._words[OBSERVER]) % self.shape.players

    def num_players(self) -> int:
        """Return the number of players."""
        return self.shape.players

    def counts(self) -> tuple[int, ...]:
        """Return the observer's seat, hint tokens, lives, and the size of the draw pile."""
        return COUNTS.unpack_from(self._view_bytes)

    def observed_hands(self) -> list[list[HanabiCard]]:
        """Return all hands, the observer's own first and hidden."""
        digest = digest_of(self.shape)
        slots = self.row[digest.cards]
        hands = [slots[hand].rstrip(NO_CARD) for hand in digest.hands]
        ranks = self.shape.ranks
        return [[HanabiCard.numbered(card, ranks) for card in hand] for hand in hands]

    def card_knowledge(self) -> list[list[HanabiCardKnowledge]]:
        """Return what the hints reveal about every card, the observer's own first."""
        view, players = self.view, self.shape.players
        return [knowledge_of(view, (view.observer + seat) % players) for seat in range(players)]

    def discard_pile(self) -> list[HanabiCard]:
        """Return the discarded cards in order."""
        return [HanabiCard.numbered(card, self.shape.ranks) for card in self.discards]

    def fireworks(self) -> list[int]:
        """Return the height of each firework."""
        return list(self.row[digest_of(self.shape).fireworks])

    def deck_size(self) -> int:
        """Return the number of cards in the draw pile."""
        return self._words[DRAW_PILE]

    def information_tokens(self) -> int:
        """Return the number of information tokens left."""
        return self._words[HINT_TOKENS]

    def life_tokens(self) -> int:
        """Return the number of life tokens left."""
        return self._words[LIVES]

    def last_moves(self) -> list[HanabiHistoryItem]:
        """Return the moves since the observer's last turn, inclusive, newest first."""
        players, me = self.shape.players, self._words[OBSERVER]
        return [
            item_of(self.shape, made._replace(player=(made.player - me) % players))
            for made in reversed(self._recent)
        ]

    def legal_move_numbers(self) -> list[int]:
        """Return the numbers of the legal moves, if it is the observer's turn."""
        return [*self.legal]

    def legal_moves(self) -> list[HanabiMove]:
        """Return the legal moves, if it is the observer's turn."""
        moves = moves_of(self.shape)
        return [moves[number] for number in self.legal]

    def card_playable_on_fireworks(self, color: int, rank: int) -> bool:
        """Return whether this card is playable now."""
        return is_playable(self.view, color, rank)

    def __str__(self) -> str:
        return describe(self.view, self.acting, self._words[OBSERVER], self.discard_pile())

    __repr__ = __str__


class Digest(NamedTuple):
    """Slices of a row that hold the values read most often (`write_digest`).

    Slots are in order, hand by hand, the observer's own first and hidden.
    """

    vector: slice
    cards: slice
    """The cards in all slots, by our numbers."""
    names: slice
    """What hints named of the cards."""
    fireworks: slice
    hands: tuple[slice, ...]
    """The slots of each hand."""


@functools.cache
def digest_of(shape: Shape) -> Digest:
    """Return the slices of rows in games of a shape."""
    slots = shape.players * shape.hand_size
    cards, names, fireworks = -shape.suits - 2 * slots, -shape.suits - slots, -shape.suits
    hands = range(0, slots, shape.hand_size)
    return Digest(
        slice(cards),
        slice(cards, names),
        slice(names, fireworks),
        slice(fireworks, None),
        tuple(slice(first, first + shape.hand_size) for first in hands),
    )


def is_playable(table: State, color: int, rank: int) -> bool:
    """Return whether a card can be played now."""
    return 0 <= color < table.rules.suits and table.fireworks[color] == rank


def hand_of(table: State, player: int) -> list[HanabiCard]:
    """Return a hand as cards."""
    hand = table.hands[player]
    count = table.hand_count[player]
    return [HanabiCard.numbered(card_in(hand, slot), table.rules.ranks) for slot in range(count)]


def knowledge_of(table: State, player: int) -> list[HanabiCardKnowledge]:
    """Return what the hints reveal about each card of a hand."""
    suits_named, ranks_named = table.suit_hinted[player], table.rank_hinted[player]
    return [
        HanabiCardKnowledge.of(
            table.possible[player][slot],
            suits_named >> slot & 1,
            ranks_named >> slot & 1,
            table.rules.ranks,
        )
        for slot in range(table.hand_count[player])
    ]


def describe(table: State, acting: int, observer: int, pile: Sequence[HanabiCard]) -> str:
    """Return a state in HLE's text format."""
    fireworks = (
        f"{suit_letter(suit)}{table.fireworks[suit]} " for suit in range(table.rules.suits)
    )
    hands, between = [], "-----\n"
    for offset in range(table.rules.players):
        player = (observer + offset) % table.rules.players
        rows = ["Cur player\n"] if player == acting else []
        known = zip(hand_of(table, player), knowledge_of(table, player), strict=True)
        rows += [f"{card} || {hints}\n" for card, hints in known]
        hands.append("".join(rows))
    return (
        f"Life tokens: {table.lives}\nInfo tokens: {table.hint_tokens}\n"
        f"Fireworks: {''.join(fireworks)}\nHands:\n{between.join(hands)}"
        f"Deck size: {table.draw_pile}\nDiscards:{''.join(f' {card}' for card in pile)}"
    )


class ObservationEncoderType(enum.IntEnum):
    """The only kind of encoder; the observation type of the game decides what it shows."""

    CANONICAL = 0


class ObservationEncoder:
    """Observations as lists of zeros and ones (`hanabilab.game.encoding`)."""

    def __init__(
        self,
        game: HanabiGame,
        enc_type: ObservationEncoderType = ObservationEncoderType.CANONICAL,
    ) -> None:
        self.encoder = game.encoder
        rules = game.rules
        self._slots, self._cards = rules.hand_size, rules.kinds

    def shape(self) -> list[int]:
        """Return the shape of an encoded observation."""
        return [self.encoder.length]

    def ownhandshape(self) -> list[int]:
        """Return the length of the result of `encodeownhand`, in a list."""
        return [self._slots * self._cards]

    def encodeownhand(self, observation: HanabiObservation) -> list[int]:
        """Return the player's own cards, oldest first, one-hot encoded."""
        entries = [0] * (self._slots * self._cards)
        for slot, card in enumerate(observation.own_hand()):
            entries[slot * self._cards + card] = 1
        return entries

    def encode(self, observation: HanabiObservation) -> list[int]:
        """Return the vector of an observation."""
        if len(vector := observation.vector) == self.encoder.length:
            return list(vector)
        view = observation.view
        entries: list[int] = self.encoder.encode(
            view, view.observer, last=observation.last
        ).tolist()
        return entries
