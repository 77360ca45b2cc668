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

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError
from hanabilab.theory.decision import SequenceSearch, Turn, best_score, winning_line
from hanabilab.theory.playability import Card, Cards, as_cards, step_lines
from hanabilab.theory.sequences import Report, check_hand

__all__ = [
    "Judgement",
    "Move",
    "SolitaireState",
    "all_points",
    "initial_deck",
    "judge_sequence",
    "judge_solitaire",
    "solve_solitaire",
    "with_all_ranks",
]


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
    """h: the number of cards that can be stored"""
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
        """Raise if the state is impossible."""
        check_integer("hand", self.hand, 0, error=TheoryError)
        if len(set(self.stored)) > self.hand:
            raise TheoryError(f"{len(set(self.stored))} cards cannot be stored in {self.hand}")
        for suit, rank in self.fireworks.items():
            if not 0 <= rank <= self.ranks.get(suit, 0):
                raise TheoryError(
                    f"fireworks: suit {suit} is at {rank} of {self.ranks.get(suit, 0)}"
                )


def with_all_ranks(deck: Sequence[Card], ranks: Mapping[int, int]) -> list[Card]:
    """Return the same game with the same number of ranks in each suit (Remark 3.4.2).

    Missing ranks are added at the end of the deck in order: once the others are played, they can
    all be played as they come.
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

    Stored cards come first, since they can be stored again or discarded. Each suit is shifted down
    by what has been played, played cards are removed, and shorter suits get the missing ranks at
    the end.
    """
    state.check()
    heights = {suit: rank - state.fireworks.get(suit, 0) for suit, rank in state.ranks.items()}
    return with_all_ranks([card for card, _ in _shifted(state)], heights)


def _shifted(state: SolitaireState) -> Iterable[tuple[Card, int]]:
    """Yield the cards still to come, with ranks relative to the fireworks, and their positions.

    A position is an index into the deck, or -1 - its index for a stored card.
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
    """Return the actions that play exactly the cards at these positions; see `_shifted`."""
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


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a single player can reach a goal with a deck, and how."""

    goal: int
    hand: int
    line: tuple[Turn, ...] | None
    """What to do on each turn; None if the goal is out of reach."""
    best: int | None = None
    """The best score; None if it is too hard to find, or if the deck does not end the game."""
    steps: tuple[str, ...] = ()
    """The steps of the thesis' algorithm, if requested."""
    deck_ends: bool = True

    @property
    def is_playable(self) -> bool:
        """Whether the goal can be reached."""
        return self.line is not None

    def to_dict(self, names: Sequence[str]) -> dict[str, object]:
        """Return the judgement as plain data, given the names of the cards of the deck."""
        data: dict[str, object] = {"cards": list(names), "goal": self.goal, "hand": self.hand}
        if not self.deck_ends:
            data["deck_ends"] = False
        data["playable"] = self.is_playable
        if self.deck_ends:
            data["best"] = self.best
        data["line"] = None if self.line is None else self.named_line(names)
        if self.steps:
            data["steps"] = list(self.steps)
        return data

    def named_line(self, names: Sequence[str]) -> list[dict[str, str]]:
        """Return the action and the name of the card on each turn."""
        return [{"action": turn.action, "card": names[turn.place]} for turn in self.line or ()]


def all_points(cards: Sequence[Card]) -> int:
    """Return the score with all ranks of all suits up to the highest card."""
    return max([0, *(rank for rank, _ in cards)]) * len({suit for _, suit in cards})


def judge_sequence(
    cards: Cards,
    goal: int | None = None,
    hand: int = 1,
    *,
    explain: bool = False,
    report: Report | None = None,
) -> Judgement:
    """Judge a deck in the game of the thesis, by default for all points.

    With `explain`, record the steps of Algorithm 3.29 or 3.36.
    """
    deck = as_cards(cards)
    check_hand(hand)
    goal = check_integer("goal", all_points(deck) if goal is None else goal, 0, error=TheoryError)
    steps = step_lines(deck, goal, hand) if explain else []
    line = winning_line(deck, goal, hand, report)
    try:
        best = best_score(deck, hand, report)
    except TheoryError:  # harder than the question, which is answered
        best = None
    return Judgement(goal, hand, None if line is None else tuple(line), best, tuple(steps))


def judge_solitaire(cards: Cards, hand: int = 1, report: Report | None = None) -> Judgement:
    """Judge a deck in a game that the empty draw pile does not end, for all points.

    This is Keßler's solitaire with one stored card less than the hand size.
    """
    deck = as_cards(cards)
    check_hand(hand)
    moves = solve_solitaire(SolitaireState.start(deck, hand - 1), report)
    places = {card: place for place, card in enumerate(deck)}
    line = None if moves is None else tuple(Turn(m.action, places[m.card]) for m in moves)
    return Judgement(all_points(deck), hand, line, deck_ends=False)
