"""The state of a game, under the names of HLE's `pyhanabi`."""

from __future__ import annotations

import enum
import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from hanabilab.checks import check_integer
from hanabilab.envs.hle.cards import COLOR_CHAR, HanabiCard, color_char_to_idx, suit_of_letter
from hanabilab.envs.hle.moves import (
    CHANCE_PLAYER_ID,
    DEALS,
    CardDealt,
    HanabiHistoryItem,
    HanabiMove,
    HanabiMoveType,
    IllegalMoveError,
    MissingKeyError,
    TurnMade,
    item_of,
)
from hanabilab.envs.hle.observation import HanabiObservation, describe, is_playable
from hanabilab.envs.stepper import (
    ACT,
    ACT_WITHOUT_DRAW,
    DEAL_CARD,
    DEAL_HANDS,
    GAME_FIELDS,
    OBSERVE,
)
from hanabilab.errors import DeckError
from hanabilab.formats.deck_text import read_deck
from hanabilab.game.cards import HIDDEN, card_in
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import DECK, GOING_ON, LIVES, PERFECT, State
from hanabilab.table.game import Game

if TYPE_CHECKING:
    from hanabilab.envs.hle.game import HanabiGame

__all__ = ["DeckGiven", "HanabiEndOfGameType", "HanabiState"]

NEW_OBSERVATION = HanabiObservation.__new__
NO_MOVES: tuple[Any, ...] = ()

DeckGiven = Deck | str | Iterable[str | int | HanabiCard]
"""One of our decks, or HLE's cards as text or as a list."""


PLAYER, END, SCORE = GAME_FIELDS["state.player"], GAME_FIELDS["state.end"], GAME_FIELDS["score"]
HINT_TOKENS, LIFE_TOKENS = GAME_FIELDS["state.hint_tokens"], GAME_FIELDS["state.lives"]
FIREWORKS, DRAW_PILE = GAME_FIELDS["state.fireworks"], GAME_FIELDS["state.draw_pile"]
HANDS, HAND_COUNT = GAME_FIELDS["state.hands"], GAME_FIELDS["state.hand_count"]
TO_DEAL, DEALT, UNDEALT = GAME_FIELDS["to_deal"], GAME_FIELDS["dealt"], GAME_FIELDS["undealt"]
LAST_PLAYER, LAST_CARD, LAST_LIT = (
    GAME_FIELDS["last.player"],
    GAME_FIELDS["last.card"],
    GAME_FIELDS["last.lit"],
)
LAST_TOKEN, LAST_TOUCHED, FRESH = (
    GAME_FIELDS["last.token"],
    GAME_FIELDS["last.touched"],
    GAME_FIELDS["fresh"],
)


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
    """The state of a game; the deal of each card is a move of its own."""

    def __init__(self, game: HanabiGame, *, deck: DeckGiven | None = None) -> None:
        self.game = game
        start = game.start_player()
        self._stepper = game.initial_stepper(
            None if deck is None else _read_cards(deck, game.rules)
        )
        self._history: list[TurnMade | CardDealt] = []
        self._discards = b""
        """Discarded cards in order, by our numbers."""
        self._since: list[int] = []
        """The index in the history of each player's last turn; empty before the first turn."""
        self.let_start(start)

    def let_start(self, player: int) -> None:
        """Give a player the first turn."""
        if player != self._stepper.words[PLAYER]:
            self._stepper.words[PLAYER] = player
            self._stepper.run(OBSERVE)

    def copy(self) -> HanabiState:
        """Return an independent copy, which deals from the same game."""
        clone = HanabiState.__new__(HanabiState)
        clone.__dict__.update(self.__dict__)
        clone._stepper = self._stepper.copy()
        clone._history, clone._since = self._history[:], self._since[:]
        return clone

    @property
    def table(self) -> State:
        """A copy of the state, as our engine represents it."""
        return self._stepper.state

    def cur_player(self) -> int:
        """Return the player to move; CHANCE_PLAYER_ID while a card is to be dealt."""
        words = self._stepper.words
        return CHANCE_PLAYER_ID if words[TO_DEAL] >= 0 else words[PLAYER]

    def deal_random_card(self) -> None:
        """Deal the next card: of the given deck, or the one that HLE would deal."""
        self.deal_card(-1)

    def deal_card(self, card: int) -> None:
        """Deal a card, by our number, to the player who needs one; -1 for the next card."""
        player = self._stepper.words[TO_DEAL]
        if player < 0:
            raise IllegalMoveError("no card is to be dealt now")
        self._stepper.run(DEAL_CARD, card, self.game.dealer.words())
        self._history.append(DEALS[player][self._stepper.words[DEALT]])

    def deal_specific_card(self, color: int, rank: int, card_index: int | None = None) -> None:
        """Deal this card to the player who needs one, at the end of the hand."""
        player = self._stepper.words[TO_DEAL]
        if player >= 0 and card_index not in (None, self._stepper.words[HAND_COUNT + player]):
            raise IllegalMoveError(f"card_index: {card_index} is not where a dealt card comes")
        self.apply_move(HanabiMove(HanabiMoveType.DEAL, -1, -1, color, rank))

    def deal_this_card(self, card: str) -> None:
        """Deal a card in HOAD's format: a letter and a rank counted from 0, such as R0."""
        if card[:1] not in COLOR_CHAR or not card[1:].isdecimal():
            raise IllegalMoveError(f"card: {card!r} is not one such as R0, the red 1")
        self.deal_specific_card(color_char_to_idx(card[0]), int(card[1:]))

    def set_individual_card(
        self, player_id: int, card_index: int, card: HanabiCard | Mapping[str, Any]
    ) -> None:
        """Swap a card in a hand for one of the draw pile that the hints allow there.

        Agents use it to reason about what they might hold.
        """
        game, error = self.game, IllegalMoveError
        player = check_integer("player_id", player_id, 0, game.shape.players - 1, error=error)
        most = self._stepper.words[HAND_COUNT + player] - 1
        slot = check_integer("card_index", card_index, 0, most, error=error)
        if isinstance(card, Mapping):
            card = _card_of(card, game.rules)
        number = _card_number(card, game.rules)
        if number == self._hand(player)[slot]:
            return
        if not self.table.possible[player][slot] >> number & 1:
            raise error(f"card: the hints rule out {card} in slot {slot}")
        if self._stepper.words[UNDEALT + number] == 0:
            raise error(f"card: the draw pile holds no {card}")
        moment = self._dealt_at(player, slot)
        place = sum(isinstance(made, CardDealt) for made in self._history[:moment])
        self._stepper.exchange(place, player, slot, number)
        self._history[moment] = DEALS[player][number]

    def _dealt_at(self, player: int, slot: int) -> int:
        """Return the index in the history at which the card in a slot was dealt."""
        hand: list[int] = []
        for moment, made in enumerate(self._history):
            if made.player != player:
                continue
            if isinstance(made, CardDealt):
                hand.append(moment)
            elif made.card != HIDDEN:
                del hand[self.game.get_move(made.number).card_index()]
        return hand[slot]

    def deal_hands(self) -> None:
        """Deal until nobody needs a card."""
        words, size = self._stepper.words, self.game.shape.hand_size
        before = len(self._stepper.cards())
        missing = [
            (DEALS[player], size - words[HAND_COUNT + player])
            for player in range(self.game.shape.players)
        ]
        self._stepper.run(DEAL_HANDS, -1, self.game.dealer.words())
        cards = iter(self._stepper.cards()[before:])
        for deals, count in missing:
            self._history += [deals[card] for card in itertools.islice(cards, count)]

    def apply_move(self, move: HanabiMove) -> None:
        """Take a turn, or deal the card of a move that is a deal."""
        if move.type() is not HanabiMoveType.DEAL:
            self._take(ACT_WITHOUT_DRAW, self.game.get_move_uid(move), move)
        elif self.move_is_legal(move):
            self.deal_card(move.color() * self.game.shape.ranks + move.rank())
        else:
            raise IllegalMoveError(self._why_not(move))

    def take_turn(self, number: int, move: HanabiMove | None = None) -> None:
        """Take the turn with this number, and deal the card drawn in it."""
        self._take(ACT, number, move)

    def _take(self, task: int, number: int, move: HanabiMove | None) -> None:
        table, history = self._stepper, self._history
        words = table.words
        if words[END] != GOING_ON or words[TO_DEAL] >= 0 or number not in self._legal_numbers():
            raise IllegalMoveError(self._why_not(move or self.game.get_move(number)))
        table.run(task, number, self.game.dealer.words())
        player, card, lit = words[LAST_PLAYER], words[LAST_CARD], words[LAST_LIT]
        hint = words[LAST_TOUCHED], words[FRESH]
        self._since = self._since or [len(history)] * self.game.shape.players
        self._since[player] = len(history)
        history.append(TurnMade(number, player, card, lit, words[LAST_TOKEN], *hint))
        if card != HIDDEN and not lit:
            self._discards += bytes([card])
        if words[DEALT] != HIDDEN:
            history.append(DEALS[player][words[DEALT]])

    def _why_not(self, move: HanabiMove) -> str:
        if self.is_terminal():
            return f"{move}: the game is over ({self.end_of_game_status().name})"
        if self._stepper.words[TO_DEAL] >= 0:
            return f"{move}: a card is to be dealt first"
        return f"{move} is not legal; legal moves are {self.legal_moves()}"

    def _legal_numbers(self) -> list[int]:
        """Return the legal moves; without hint tokens in the game, HLE forbids every discard."""
        legal = self._stepper.legal
        if self.game.rules.hint_tokens == 0:
            return [number for number in legal if number >= self.game.shape.hand_size]
        return legal

    def legal_moves(self) -> list[HanabiMove]:
        """Return the legal moves of the player to move; as in HLE, also once the game is over."""
        if self._stepper.words[TO_DEAL] >= 0:
            raise IllegalMoveError("a card is to be dealt first: nobody can move")
        return [self.game.get_move(number) for number in self._legal_numbers()]

    def move_is_legal(self, move: HanabiMove) -> bool:
        """Return whether HLE would allow this move."""
        words = self._stepper.words
        dealing = words[TO_DEAL] >= 0
        if move.type() is HanabiMoveType.DEAL:
            if not dealing or self.game.num_cards(move.color(), move.rank()) == 0:
                return False
            return words[UNDEALT + move.color() * self.game.shape.ranks + move.rank()] > 0
        return not dealing and self.game.get_move_uid(move) in self._legal_numbers()

    def deck_size(self) -> int:
        """Return the number of cards in the draw pile."""
        return self._stepper.words[DRAW_PILE]

    def discard_pile(self) -> list[HanabiCard]:
        """Return the discards in order."""
        ranks = self.game.shape.ranks
        return [HanabiCard.numbered(card, ranks) for card in self._discards]

    def fireworks(self) -> list[int]:
        """Return the highest rank played, by suit."""
        return self._stepper.words[FIREWORKS : FIREWORKS + self.game.shape.suits].tolist()

    def player_hands(self) -> list[list[HanabiCard]]:
        """Return all hands, oldest card first."""
        players, ranks = self.game.shape.players, self.game.shape.ranks
        hands = map(self._hand, range(players))
        return [[HanabiCard.numbered(card, ranks) for card in hand] for hand in hands]

    def information_tokens(self) -> int:
        """Return the number of information tokens left."""
        return self._stepper.words[HINT_TOKENS]

    def life_tokens(self) -> int:
        """Return the number of life tokens left."""
        return self._stepper.words[LIFE_TOKENS]

    def num_players(self) -> int:
        """Return the number of players."""
        return self.game.shape.players

    def end_of_game_status(self) -> HanabiEndOfGameType:
        """Return whether and why the game is over."""
        return ENDS[self._stepper.words[END]]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._stepper.words[END] != GOING_ON

    def score(self) -> int:
        """Return the score."""
        return self._stepper.words[SCORE]

    def card_playable_on_fireworks(self, color: int, rank: int) -> bool:
        """Return whether this card is playable now."""
        return is_playable(self.table, color, rank)

    def move_history(self) -> list[HanabiHistoryItem]:
        """Return all moves, deals included, the oldest first."""
        return [item_of(self.game.shape, made) for made in self._history]

    def to_game(self) -> Game:
        """Return the turns so far as one of our games; undealt cards come in arbitrary order."""
        words = self._stepper.words
        if words[TO_DEAL] >= 0:
            raise IllegalMoveError("a card is to be dealt first")
        undealt = words[UNDEALT : UNDEALT + self.game.rules.kinds].tolist()
        rest = [card for card, copies in enumerate(undealt) for _ in range(copies)]
        game = Game(self.game.rules, [*self._stepper.cards(), *rest])
        turns = [made for made in self._history if isinstance(made, TurnMade)]
        game.state.player = turns[0].player if turns else words[PLAYER]
        for turn in turns:
            game.act(turn.number)
        return game

    def observation(self, player: int) -> HanabiObservation:
        """Return what a player sees."""
        if not 0 <= player < self.game.shape.players:
            raise IllegalMoveError(f"unknown player {player}; players are numbered from 0")
        return self.observations()[player]

    def observations(self) -> list[HanabiObservation]:
        """Return what each player sees."""
        game, acting, discards, new = self.game, self.cur_player(), self._discards, NEW_OBSERVATION
        legal, own, made = self._legal_numbers(), None, []
        for player, (view, row) in enumerate(self._stepper.shown()):
            if game.own_hands:
                own = bytes(self._hand(player))
            moves = legal if acting == player else NO_MOVES
            recent = self._recent(player) if self._since else NO_MOVES
            seen = new(HanabiObservation)
            seen.__setstate__((game.shape, acting, view, row, moves, discards, recent, own))
            made.append(seen)
        return made

    def _hand(self, player: int) -> list[int]:
        """Return a hand by our numbers, oldest card first."""
        hand = self._stepper.words[HANDS + player]
        return [card_in(hand, slot) for slot in range(self._stepper.words[HAND_COUNT + player])]

    def _recent(self, player: int) -> list[TurnMade | CardDealt]:
        """Return the moves since a player's last turn, without the card drawn in it."""
        recent = self._history[self._since[player] :]
        drawn = len(recent) > 1 and type(recent[1]) is CardDealt and recent[1].player == player
        if drawn and not self.game.shows_all:
            recent[1] = DEALS[player][HIDDEN]
        return recent

    def __str__(self) -> str:
        return describe(self.table, self.cur_player(), 0, self.discard_pile())

    __repr__ = __str__


def _read_cards(deck: DeckGiven, rules: Rules) -> Sequence[int]:
    """Return our deck for a deck of ours or HLE's cards (``["R1", "W3", …]``, `HanabiCard`s)."""
    if isinstance(deck, Deck | str) and not (isinstance(deck, str) and deck[:1].isupper()):
        return read_deck(deck, rules).cards
    cards = deck.split() if isinstance(deck, str) else list(deck)
    numbers = [
        operator.index(card) if isinstance(card, SupportsIndex) else _card_number(card, rules)
        for card in cards
    ]
    return Deck.of(rules, numbers).cards


def _card_of(card: Mapping[str, Any], rules: Rules) -> HanabiCard:
    """Return the card described by one of `rl_env`'s dictionaries."""
    try:
        return HanabiCard(suit_of_letter(card["color"], rules.suits), card["rank"])
    except KeyError as missing:
        raise MissingKeyError(f"card: {dict(card)} lacks {missing}") from None


def _card_number(card: object, rules: Rules) -> int:
    name = str(card)
    try:
        suit, rank = suit_of_letter(name[:1], rules.suits), int(name[1:])
    except ValueError:
        suit = rank = -1
    if not (0 <= suit < rules.suits and 1 <= rank <= rules.ranks):
        raise DeckError(f"{name!r} is not a card of this game such as R1")
    return suit * rules.ranks + rank - 1
