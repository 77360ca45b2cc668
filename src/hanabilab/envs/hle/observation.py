"""What a player sees, with the names that HLE's `pyhanabi` gives it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hanabilab.envs.hle.cards import HanabiCard, HanabiCardKnowledge
from hanabilab.envs.hle.moves import HanabiHistoryItem, HanabiMove, IllegalMoveError
from hanabilab.envs.hle.translate import (
    describe,
    discards,
    forget_hints,
    hand_of,
    is_playable,
    knowledge_of,
    legal_numbers,
)
from hanabilab.game.cards import HIDDEN_HAND
from hanabilab.game.encoding import Encoder
from hanabilab.game.view import View

if TYPE_CHECKING:
    from hanabilab.envs.hle.game import HanabiGame
    from hanabilab.envs.hle.state import HanabiState

__all__ = [
    "AgentObservationType",
    "HanabiObservation",
    "ObservationEncoder",
    "ObservationEncoderType",
]


class AgentObservationType(enum.IntEnum):
    """What a player is shown: no memory of hints, what the hints say, or all cards."""

    MINIMAL = 0
    CARD_KNOWLEDGE = 1
    SEER = 2


class HanabiObservation:
    """What a player sees, with all players counted from that one.

    It holds nothing else: neither the game, whose dealer knows the seed, nor the moves so far,
    which name the cards that the player drew. So it may be pickled and sent to an agent.
    """

    def __init__(self, state: HanabiState, player: int) -> None:
        if not 0 <= player < state.table.players:
            raise IllegalMoveError(f"unknown player {player}; players are numbered from 0")
        kind = state.game.observation_type()
        self.view = View.__new__(View)
        self.view.__dict__.update(state.table.copy().__dict__)
        self.view.observer = player
        self.last = None if state.last is None else state.last.copy()
        self._player = player
        self._acting = state.cur_player()
        hides = kind is not AgentObservationType.SEER
        history = state.move_history()
        self._discards = discards(history)
        self._last_moves = last_moves(history, player, self.view.players, hide=hides)
        if kind is AgentObservationType.MINIMAL:
            forget_hints(self.view)
        if hides:
            self.view.hands[player] = HIDDEN_HAND

    def _seats(self) -> list[int]:
        players = self.view.players
        return [(self._player + offset) % players for offset in range(players)]

    def cur_player_offset(self) -> int:
        """Return how many seats after the observer the player to move sits."""
        if self._acting < 0:
            return self._acting
        return (self._acting - self._player) % self.view.players

    def num_players(self) -> int:
        return self.view.players

    def observed_hands(self) -> list[list[HanabiCard]]:
        """Return all hands, the observer's own first and hidden."""
        return [hand_of(self.view, player) for player in self._seats()]

    def card_knowledge(self) -> list[list[HanabiCardKnowledge]]:
        """Return what the hints say about every card, the observer's own first."""
        return [
            [knowledge_of(self.view, player, slot) for slot in range(self.view.hand_count[player])]
            for player in self._seats()
        ]

    def discard_pile(self) -> list[HanabiCard]:
        return self._discards[:]

    def fireworks(self) -> list[int]:
        return self.view.fireworks[: self.view.suits]

    def deck_size(self) -> int:
        return self.view.draw_pile

    def information_tokens(self) -> int:
        return self.view.hint_tokens

    def life_tokens(self) -> int:
        return self.view.lives

    def last_moves(self) -> list[HanabiHistoryItem]:
        """Return what happened since the observer's last turn, inclusive, the newest first."""
        return self._last_moves[:]

    def legal_move_numbers(self) -> list[int]:
        """Return the numbers of the legal moves, if it is the observer's turn."""
        return legal_numbers(self.view) if self._acting == self._player else []

    def legal_moves(self) -> list[HanabiMove]:
        """Return the legal moves, if it is the observer's turn."""
        return [HanabiMove.numbered(number, self.view) for number in self.legal_move_numbers()]

    def card_playable_on_fireworks(self, color: int, rank: int) -> bool:
        """Tell whether this card fits now."""
        return is_playable(self.view, color, rank)

    def __str__(self) -> str:
        return describe(self.view, self._acting, self._player, self.discard_pile())

    __repr__ = __str__


def last_moves(
    history: Sequence[HanabiHistoryItem], player: int, players: int, *, hide: bool
) -> list[HanabiHistoryItem]:
    """Return what happened since a player's last turn, inclusive, as that player saw it."""
    first = next((n for n, item in enumerate(history) if item.player() >= 0), len(history))
    seen: list[HanabiHistoryItem] = []
    for item in reversed(history[first:]):
        seen.append(item.seen_by(player, players, hide=hide))
        if item.player() == player:
            break
    return seen


class ObservationEncoderType(enum.IntEnum):
    """The one kind of encoder; the observation type of the game decides what it shows."""

    CANONICAL = 0


class ObservationEncoder:
    """Observations as lists of zeros and ones (`hanabilab.game.encoding`)."""

    def __init__(
        self,
        game: HanabiGame,
        enc_type: ObservationEncoderType = ObservationEncoderType.CANONICAL,
    ) -> None:
        minimal = game.observation_type() is AgentObservationType.MINIMAL
        self.encoder = Encoder(game.rules, "minimal" if minimal else "canonical")

    def shape(self) -> list[int]:
        return [self.encoder.length]

    def encode(self, observation: HanabiObservation) -> list[int]:
        """Return the vector of an observation."""
        view = observation.view
        entries: list[int] = self.encoder.encode(
            view, view.observer, last=observation.last
        ).tolist()
        return entries
