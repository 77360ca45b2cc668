"""Can a single player win this deck? The verdict, the best score, a winning line and the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanabilab.checks import whole_number
from hanabilab.errors import TheoryError
from hanabilab.theory.counting import check_hand
from hanabilab.theory.decision import Turn, best_score, winning_line
from hanabilab.theory.playability import Card, Cards, as_cards, step_lines
from hanabilab.theory.sequences import Report
from hanabilab.theory.solitaire import SolitaireState, solve_solitaire

__all__ = ["Judgement", "all_points", "judge_sequence", "judge_solitaire"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a single player can score so many points with a deck, and how."""

    goal: int
    hand: int
    line: tuple[Turn, ...] | None
    """What to do on each turn; None if the goal is out of reach."""
    best: int | None = None
    """The best score; None if it is too hard to find, or if the deck does not end the game."""
    steps: tuple[str, ...] = ()
    """The thesis' algorithm, step by step, if wanted."""
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

    With `explain` the steps of Algorithm 3.29 or 3.36 are recorded.
    """
    deck = as_cards(cards)
    check_hand(hand)
    goal = whole_number("goal", all_points(deck) if goal is None else goal, 0, error=TheoryError)
    steps = step_lines(deck, goal, hand) if explain else []
    line = winning_line(deck, goal, hand, report)
    try:
        best = best_score(deck, hand, report)
    except TheoryError:  # harder than the question, which is answered
        best = None
    return Judgement(goal, hand, None if line is None else tuple(line), best, tuple(steps))


def judge_solitaire(cards: Cards, hand: int = 1, report: Report | None = None) -> Judgement:
    """Judge a deck in a game that the empty draw pile does not end, for all points.

    That is the solitaire of Keßler, with one stored card less than the hand size.
    """
    deck = as_cards(cards)
    check_hand(hand)
    moves = solve_solitaire(SolitaireState.start(deck, hand - 1), report)
    places = {card: place for place, card in enumerate(deck)}
    line = None if moves is None else tuple(Turn(m.action, places[m.card]) for m in moves)
    return Judgement(all_points(deck), hand, line, deck_ends=False)
