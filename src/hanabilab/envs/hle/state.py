"""The state of a game, with the names that HLE's `pyhanabi` gives it."""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, SupportsIndex

from hanabilab.envs.hle.cards import HanabiCard, color_char_to_idx
from hanabilab.envs.hle.moves import (
    CHANCE_PLAYER_ID,
    HanabiHistoryItem,
    HanabiMove,
    HanabiMoveType,
    IllegalMoveError,
)
from hanabilab.envs.hle.observation import AgentObservationType, HanabiObservation
from hanabilab.envs.hle.translate import (
    describe,
    discards,
    hand_of,
    is_playable,
    legal_numbers,
    reveal_all,
)
from hanabilab.errors import DeckError
from hanabilab.formats.deck_text import read_deck
from hanabilab.game.actions import HINT_SUIT, Event, announce
from hanabilab.game.cards import card_in, count_of
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import DECK, GOING_ON, LIVES, PERFECT
from hanabilab.game.turn import draw, final_score, take_turn
from hanabilab.table.game import Game

if TYPE_CHECKING:
    from hanabilab.envs.hle.game import HanabiGame

__all__ = ["DeckGiven", "HanabiEndOfGameType", "HanabiState"]

DeckGiven = Deck | str | Iterable[str | int | HanabiCard]
"""A deck of ours, or HLE's cards: text, or a list of them."""


class HanabiEndOfGameType(enum.IntEnum):
    """Whether and how a game ended."""

    NOT_FINISHED = 0
    OUT_OF_LIFE_TOKENS = 1
    OUT_OF_CARDS = 2
    COMPLETED_FIREWORKS = 3


ENDS = {
    GOING_ON: HanabiEndOfGameType.NOT_FINISHED,
    LIVES: HanabiEndOfGameType.OUT_OF_LIFE_TOKENS,
    DECK: HanabiEndOfGameType.OUT_OF_CARDS,
    PERFECT: HanabiEndOfGameType.COMPLETED_FIREWORKS,
}


class HanabiState:
    """A game as it stands; the deal of each card is a move of its own."""

    def __init__(self, game: HanabiGame, *, deck: DeckGiven | None = None) -> None:
        self.game = game
        self.table = game.opening()
        self.table.player = game.start_player()
        self._planned = None if deck is None else _read_cards(deck, game.rules)
        self._deck = [0] * game.rules.deck_size
        self._history: list[HanabiHistoryItem] = []
        self.last: Event | None = None
        """The last turn, as our engine records it."""

    def copy(self) -> HanabiState:
        """Return an equal state that goes its own way (but deals from the same game)."""
        twin = HanabiState.__new__(HanabiState)
        twin.__dict__.update(self.__dict__)
        twin.table = self.table.copy()
        twin._deck, twin._history = self._deck[:], self._history[:]
        return twin

    def cur_player(self) -> int:
        """Return who moves next; CHANCE_PLAYER_ID while a card is to be dealt."""
        return CHANCE_PLAYER_ID if self._player_to_deal() >= 0 else self.table.player

    def _player_to_deal(self) -> int:
        if self.table.draw_pile:
            for player in range(self.table.players):
                if self.table.hand_count[player] < self.table.hand_size:
                    return player
        return -1

    def deal_random_card(self) -> None:
        """Deal the next card: of the given deck, or one that HLE would deal."""
        if self._planned is not None:
            self.deal_card(self._planned[self.table.deck_size - self.table.draw_pile])
        else:
            self._require_deal()
            self.deal_card(self.game.dealer.card(self._undealt()))

    def _require_deal(self) -> None:
        if self._player_to_deal() < 0:
            raise IllegalMoveError("no card is to be dealt now")

    def _undealt(self) -> list[int]:
        """Return how many copies of each card are in the draw pile."""
        left = [count_of(self.table.left, card) for card in range(self.game.rules.max_score)]
        for player in range(self.table.players):
            for slot in range(self.table.hand_count[player]):
                left[card_in(self.table.hands[player], slot)] -= 1
        return left

    def deal_card(self, card: int) -> None:
        """Deal a card, by our number, to whoever needs one."""
        self._require_deal()
        player = self._player_to_deal()
        self._deck[self.table.deck_size - self.table.draw_pile] = card
        draw(self.table, player, self._deck)
        if self.game.observation_type() is AgentObservationType.SEER:
            reveal_all(self.table)
        shown = HanabiCard.numbered(card, self.table.ranks)
        move = HanabiMove(HanabiMoveType.DEAL, -1, -1, shown.color(), shown.rank())
        self._history.append(HanabiHistoryItem(move, _deal_to_player=player))

    def apply_move(self, move: HanabiMove) -> None:
        """Take a turn, or deal the card of a move that is a deal."""
        if not self.move_is_legal(move) or self.is_terminal():
            raise IllegalMoveError(self._why_not(move))
        if move.type() is HanabiMoveType.DEAL:
            self.deal_card(move.color() * self.table.ranks + move.rank())
            return
        event = Event()
        announce(self.table, move.number(self.table), event)
        hinted = self.table.suit_hinted if event.kind == HINT_SUIT else self.table.rank_hinted
        before = hinted[event.target]
        pile, self.table.draw_pile = self.table.draw_pile, 0  # the card is dealt by its own move
        take_turn(self.table, self._deck, event)
        self.table.draw_pile = pile
        self.last = event
        self._history.append(
            HanabiHistoryItem(
                move,
                event.player,
                HanabiCard.numbered(event.card, self.table.ranks),
                bool(event.lit),
                bool(event.token),
                event.touched,
                event.touched & ~before,
            )
        )

    def _why_not(self, move: HanabiMove) -> str:
        if self.is_terminal():
            return f"{move}: the game is over ({self.end_of_game_status().name})"
        if self._player_to_deal() >= 0:
            return f"{move}: a card is to be dealt first"
        return f"{move} is not legal; legal moves are {self.legal_moves()}"

    def legal_moves(self) -> list[HanabiMove]:
        """Return what the player to move may do; as in HLE, also after the end of the game."""
        if self._player_to_deal() >= 0:
            raise IllegalMoveError("a card is to be dealt first: nobody can move")
        return [self.game.get_move(number) for number in legal_numbers(self.table)]

    def move_is_legal(self, move: HanabiMove) -> bool:
        """Tell whether HLE would allow this move."""
        dealing = self._player_to_deal() >= 0
        if move.type() is HanabiMoveType.DEAL:
            if not dealing or self.game.num_cards(move.color(), move.rank()) == 0:
                return False
            return self._undealt()[move.color() * self.table.ranks + move.rank()] > 0
        return not dealing and move.number(self.table) in legal_numbers(self.table)

    def deck_size(self) -> int:
        return self.table.draw_pile

    def discard_pile(self) -> list[HanabiCard]:
        """Return the discards, in the order in which they came."""
        return discards(self._history)

    def fireworks(self) -> list[int]:
        """Return the highest rank played, by suit."""
        return self.table.fireworks[: self.table.suits]

    def player_hands(self) -> list[list[HanabiCard]]:
        """Return all hands, oldest card first."""
        return [hand_of(self.table, player) for player in range(self.table.players)]

    def information_tokens(self) -> int:
        return self.table.hint_tokens

    def life_tokens(self) -> int:
        return self.table.lives

    def num_players(self) -> int:
        return self.table.players

    def end_of_game_status(self) -> HanabiEndOfGameType:
        return ENDS[self.table.end]

    def is_terminal(self) -> bool:
        return self.table.end != GOING_ON

    def score(self) -> int:
        return final_score(self.table)

    def card_playable_on_fireworks(self, color: int, rank: int) -> bool:
        """Tell whether this card fits now."""
        return is_playable(self.table, color, rank)

    def move_history(self) -> list[HanabiHistoryItem]:
        """Return all moves, deals included, the oldest first."""
        return self._history[:]

    def to_game(self) -> Game:
        """Return the turns so far as one of our games; the undealt cards come in any order."""
        if self._player_to_deal() >= 0:
            raise IllegalMoveError("a card is to be dealt first")
        dealt = self._deck[: self.table.deck_size - self.table.draw_pile]
        rest = [card for card, copies in enumerate(self._undealt()) for _ in range(copies)]
        game = Game(self.game.rules, [*dealt, *rest])
        turns = [item for item in self._history if item.move().type() is not HanabiMoveType.DEAL]
        game.state.player = turns[0].player() if turns else self.table.player
        for item in turns:
            game.act(self.game.get_move_uid(item.move()))
        return game

    def observation(self, player: int) -> HanabiObservation:
        """Return what a player sees."""
        return HanabiObservation(self, player)

    def __str__(self) -> str:
        return describe(self.table, self.cur_player(), 0, self.discard_pile())

    __repr__ = __str__


def _read_cards(deck: DeckGiven, rules: Rules) -> Sequence[int]:
    """Return a deck of ours, or one of HLE's cards (``["R1", "W3", …]``, `HanabiCard`s)."""
    if isinstance(deck, Deck | str) and not (isinstance(deck, str) and deck[:1].isupper()):
        return read_deck(deck, rules).cards
    cards = deck.split() if isinstance(deck, str) else list(deck)
    numbers = [
        operator.index(card) if isinstance(card, SupportsIndex) else _card_number(card, rules)
        for card in cards
    ]
    return Deck.of(rules, numbers).cards


def _card_number(card: object, rules: Rules) -> int:
    name = str(card)
    try:
        suit, rank = color_char_to_idx(name[:1]), int(name[1:])
    except ValueError:
        suit = rank = -1
    if not (0 <= suit < rules.suits and 1 <= rank <= rules.ranks):
        raise DeckError(f"deck: {name!r} is not a card of this game such as R1")
    return suit * rules.ranks + rank - 1
