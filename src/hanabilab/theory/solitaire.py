"""SINGLEPLAYER SOLITAIRE HANABI: draw, and play, store or discard *(Keßler 2025, Definition 3.4)*.

The player draws the deck card by card and may store up to h cards besides the one just drawn.
Stored cards are played whenever they fit, which takes no turn. The game does not end with the
deck, but when nothing more can be done. All cards must be played to win.

How it relates to (k, m)-playability (van den Bergh 2015, Definition 3.32), tested:

* Storing h cards is holding m = h + 1 cards in a game that the empty draw pile does not end
  (thesis, section 5). A deck is won here if and only if it is (k, h + 1)-playable, with k the
  number of all cards to play, once h + k useless cards are added at its end.
* A (k, m)-playable deck is won here with h = m - 1. The reverse fails for lack of time only:
  2 1 is won with h = 1, but with two cards in hand the player of the thesis has a single turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hanabilab.checks import whole_number
from hanabilab.errors import TheoryError
from hanabilab.theory.decision import SequenceSearch
from hanabilab.theory.playability import Card, Cards, as_cards
from hanabilab.theory.sequences import Report

__all__ = ["Move", "SolitaireState", "initial_deck", "solve_solitaire", "with_all_ranks"]


@dataclass(frozen=True, slots=True)
class Move:
    """One action of Definition 3.4."""

    action: str
    """`play`, `store` or `discard` the card drawn, or `play stored` or `discard stored`.

    The definition has no `discard stored`, and from the start of a game none is needed
    (Remark 3.4.1); a state in the middle of one may need it (Remark 3.4.2).
    """
    card: Card


@dataclass(frozen=True, slots=True)
class SolitaireState:
    """A game at any point (Definition 3.4): stacks S, stored cards H, the rest of the deck."""

    deck: tuple[Card, ...]
    """The cards that have not been drawn yet."""
    hand: int
    """h: how many cards can be stored"""
    ranks: Mapping[int, int]
    """The rank up to which each suit is to be played."""
    fireworks: Mapping[int, int]
    """The rank up to which each suit has been played; 0 for a missing suit."""
    stored: tuple[Card, ...] = ()

    @classmethod
    def start(
        cls, cards: Cards, hand: int, ranks: Mapping[int, int] | None = None
    ) -> SolitaireState:
        """Return the initial state; by default every suit goes up to the highest rank."""
        deck = as_cards(cards)
        if ranks is None:
            highest = max((rank for rank, _ in deck), default=0)
            ranks = {suit: highest for _, suit in deck}
        return cls(tuple(deck), hand, ranks, {})

    def check(self) -> None:
        """Raise if there can be no such state."""
        whole_number("hand", self.hand, 0, error=TheoryError)
        if len(set(self.stored)) > self.hand:
            raise TheoryError(f"{len(set(self.stored))} cards cannot be stored in {self.hand}")
        for suit, rank in self.fireworks.items():
            if not 0 <= rank <= self.ranks.get(suit, 0):
                raise TheoryError(
                    f"fireworks: suit {suit} is at {rank} of {self.ranks.get(suit, 0)}"
                )


def with_all_ranks(deck: Sequence[Card], ranks: Mapping[int, int]) -> list[Card]:
    """Return the same game with equally many ranks in each suit (Remark 3.4.2, missing ranks).

    Ranks that a suit does not have are added at the end of the deck in order: once the others are
    played, these can all be played as they come.
    """
    highest = max(ranks.values(), default=0)
    return [
        *deck,
        *(
            (rank, suit)
            for suit, height in sorted(ranks.items())
            for rank in range(height + 1, highest + 1)
        ),
    ]


def initial_deck(state: SolitaireState) -> list[Card]:
    """Return a deck that is won from the start if and only if the state is (Remark 3.4.2).

    Stored cards come first, for they can be stored again or discarded. Each suit is shifted down
    by what has been played, cards that have been played are taken out, and suits that end earlier
    get the missing ranks at the end.
    """
    state.check()
    heights = {suit: rank - state.fireworks.get(suit, 0) for suit, rank in state.ranks.items()}
    return with_all_ranks([card for card, _ in _shifted(state)], heights)


def _shifted(state: SolitaireState) -> Iterable[tuple[Card, int]]:
    """Yield the cards still to come, their ranks counted from the fireworks, with their places.

    That is a place in the deck, or for a stored card -1 - its place among the stored ones.
    """
    stored = [(card, -1 - place) for place, card in enumerate(dict.fromkeys(state.stored))]
    for (rank, suit), place in [*stored, *((card, at) for at, card in enumerate(state.deck))]:
        below = state.fireworks.get(suit, 0)
        if below < rank <= state.ranks.get(suit, 0):
            yield (rank - below, suit), place


def solve_solitaire(state: SolitaireState, report: Report | None = None) -> list[Move] | None:
    """Return a winning sequence of actions, or None if there is none."""
    deck = initial_deck(state)
    goal = len(state.ranks) * max(
        (rank - state.fireworks.get(suit, 0) for suit, rank in state.ranks.items()), default=0
    )
    search = SequenceSearch(deck, goal, state.hand, deck_ends=False)
    if not search.won(report):
        return None
    places = [place for _, place in _shifted(state)]
    kept = search.kept_places()
    return _moves(state, {places[at] for at in kept if at < len(places)})


def _moves(state: SolitaireState, kept: set[int]) -> list[Move]:
    """Return the actions that play exactly the cards at these places; see `_shifted`."""
    fireworks = {suit: state.fireworks.get(suit, 0) for suit in state.ranks}
    moves: list[Move] = []
    stored: list[Card] = []
    for place, card in enumerate(dict.fromkeys(state.stored)):
        if -1 - place in kept:
            stored.append(card)
        else:
            moves.append(Move("discard stored", card))
    _play_stored(stored, fireworks, moves)
    for place, card in enumerate(state.deck):
        if fireworks == state.ranks:
            break
        rank, suit = card
        if place not in kept:
            moves.append(Move("discard", card))
        elif fireworks[suit] == rank - 1:
            fireworks[suit] = rank
            moves.append(Move("play", card))
            _play_stored(stored, fireworks, moves)
        else:
            stored.append(card)
            moves.append(Move("store", card))
    return moves


def _play_stored(stored: list[Card], fireworks: dict[int, int], moves: list[Move]) -> None:
    """Play all stored cards that fit."""
    for card in sorted(stored):
        rank, suit = card
        if fireworks[suit] == rank - 1:
            fireworks[suit] = rank
            stored.remove(card)
            moves.append(Move("play stored", card))
