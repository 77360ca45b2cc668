"""Decide whether a deck is playable by the thesis' own algorithms, step by step.

A deck is (k, m)-playable if a single player with m cards in hand who sees everything can score k
points *(van den Bergh 2015, Definitions 3.10 and 3.32)*. These functions follow the text to the
letter and record their steps. They try all hands that the player may have, so they are for short
decks; `decision.py` has the fast algorithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import factorial

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError
from hanabilab.theory.sequences import check_hand

__all__ = [
    "AlgorithmStep",
    "Card",
    "Cards",
    "algorithm_3_29",
    "algorithm_3_36",
    "as_cards",
    "best_with_passes",
    "conjecture_5_1",
    "playable_permutations",
    "step_lines",
]

Card = tuple[int, int]
"""(rank, suit), in this order as in Definition 3.32; ranks below 1 can never be played."""

Cards = Sequence[int] | Sequence[Card]
"""A deck, first card first: ranks for a single suit, or cards."""

MAX_STEPS = 100_000
"""Limit on calls of step 2 and on the subsequences that it tries."""
NO_CARD = (0, -1)


@dataclass(slots=True)
class AlgorithmStep:
    """One pass through step 2, and the passes that it invokes."""

    sequence: list[Card]
    """S"""
    length: int
    """n"""
    points: int
    """p"""
    kept: tuple[Card, ...] | None = None
    """t', if step c led here"""
    first: int | None = None
    """i, from 1; None for ∞"""
    verdict: str = ""
    """the result of step a, or the step that follows"""
    answer: bool = False
    next: list[AlgorithmStep] = field(default_factory=list)


def algorithm_3_29(
    sequence: Sequence[int], goal: int, hand: int
) -> tuple[bool, AlgorithmStep | None]:
    """Decide the (k, m)-playability of a single-colour sequence (Algorithm 3.29).

    The second value is the record of step 2, or None if step 1 decided.
    """
    return algorithm_3_36([(rank, 0) for rank in sequence], goal, hand)


def algorithm_3_36(
    sequence: Sequence[Card], goal: int, hand: int
) -> tuple[bool, AlgorithmStep | None]:
    """Decide the (k, m)-playability of a multi-colour sequence (Algorithm 3.36).

    With one colour it is identical to Algorithm 3.29.
    """
    goal = check_integer("goal", goal, 1, error=TheoryError)
    hand = check_integer("hand", hand, 1, error=TheoryError)
    length, points = len(sequence), goal
    if length - hand + 1 < goal:  # 1.
        return False, None
    first = AlgorithmStep(list(sequence), length, points)
    return _step_2(first, hand, [0]), first


def _step_2(step: AlgorithmStep, hand: int, steps: list[int]) -> bool:
    _count(steps)
    sequence, length, points = step.sequence, step.length, step.points
    # a.
    ones = [place for place, (rank, _) in enumerate(sequence, 1) if rank == 1]
    if not ones:
        step.verdict = "no 1"
        return False
    step.first = first = ones[0]
    if points == 1:
        step.verdict, step.answer = "p = 1", True
        return True
    if length - first < points - 1:
        step.verdict = "too short"
        return False
    suit = sequence[first - 1][1]
    before, after = sequence[: first - 1], sequence[first:]
    if first <= hand:  # b.
        step.verdict = "b"
        step.next.append(AlgorithmStep(_lowered([*before, *after], suit), length - 1, points - 1))
        step.answer = _step_2(step.next[0], hand, steps)
        return step.answer
    # c.
    step.verdict = "c"
    tried: set[tuple[Card, ...]] = set()
    for kept in combinations(before, hand - 1):
        _count(steps)
        if kept in tried:  # "(3) is the only subsequence available"
            continue
        tried.add(kept)
        rest = _lowered([*kept, *after], suit)
        step.next.append(AlgorithmStep(rest, length - first + hand - 1, points - 1, kept))
        if _step_2(step.next[-1], hand, steps):
            step.answer = True
            return True
    return False


def _count(steps: list[int]) -> None:
    steps[0] += 1
    if steps[0] > MAX_STEPS:
        raise TheoryError(
            f"the algorithm needs more than {MAX_STEPS:,} steps for this deck; leave out --explain"
        )


def _lowered(sequence: Sequence[Card], suit: int) -> list[Card]:
    """Return S -_y 1: the cards of one suit one rank lower."""
    return [(rank - (other == suit), other) for rank, other in sequence]


def as_cards(cards: Cards) -> list[Card]:
    """Return a deck of ranks or cards as cards."""
    found: list[Card] = []
    for place, card in enumerate(cards, 1):
        match card:
            case bool():
                raise TheoryError(f"card {place}, {card!r}, is not a rank")
            case int():
                found.append((card, 0))
            case (int(rank), int(suit)) if suit >= 0:
                found.append((rank, suit))
            case _:
                raise TheoryError(f"card {place}, {card!r}, is neither a rank nor (rank, suit)")
    return found


def step_lines(sequence: Cards, goal: int, hand: int) -> list[str]:
    """Return the steps of the algorithm in the style of Examples 3.30 and 3.37 of the thesis.

    Decks of one suit are shown as ranks, others as (rank, suit) with suits from 1.
    """
    cards = as_cards(sequence)
    if goal == 0:
        return ["Nothing is to be played: S is (0, m)-playable (Theorem 3.13.1)."]
    several = len({suit for _, suit in cards}) > 1
    name = "3.36" if several else "3.29"
    answer, first = algorithm_3_36(cards, goal, hand)
    turns = len(cards) - hand + 1
    lines = [
        f"Algorithm {name}: is S = {_format_cards(cards, several)} ({goal}, {hand})-playable?",
        f"1.  n = {len(cards)}, p = {goal}; n - m + 1 = {turns} "
        + (f"< {goal}: NO" if first is None else f"≥ {goal}: go on"),
    ]
    if first is not None:
        _describe_step(first, hand, several, "", "2.  ", lines)
    lines.append(f"S is {'' if answer else 'not '}({goal}, {hand})-playable.")
    return lines


def _describe_step(
    step: AlgorithmStep, hand: int, several: bool, indent: str, label: str, lines: list[str]
) -> None:
    """Describe one pass through step 2 in a line, then the passes that it leads to."""
    shown = _format_cards(step.sequence, several)
    start = f"{indent}{label}S = {shown}, n = {step.length}, p = {step.points}: i = "
    if step.first is None:
        lines.append(start + "∞: NO")
        return
    start += str(step.first)
    left, needed = step.length - step.first, step.points - 1
    if step.verdict == "p = 1":
        lines.append(start + ", p = 1: YES")
        return
    start += f", n - i = {left} {'<' if left < needed else '≥'} p - 1 = {needed}"
    if step.verdict == "too short":
        lines.append(start + ": NO")
        return
    if step.verdict == "b":
        lines.append(start + f", i ≤ {hand}: step b, play this 1")
        _describe_step(step.next[0], hand, several, indent, " " * len(label), lines)
        return
    before = _format_cards(step.sequence[: step.first - 1], several)
    lines.append(start + f", i > {hand}: step c, keep {hand - 1} of t = {before}")
    for following in step.next:
        kept = _format_cards(following.kept or (), several)
        _describe_step(following, hand, several, indent + "    ", f"t' = {kept}: ", lines)


def _format_cards(cards: Sequence[Card], several: bool) -> str:
    """Write (4, 2, 3) for one suit, ((2, 1), (1, 1)) for several."""
    if several:
        return "(" + ", ".join(f"({rank}, {suit + 1})" for rank, suit in cards) + ")"
    return "(" + ", ".join(str(rank) for rank, _ in cards) + ")"


def conjecture_5_1(ranks: int, hand: int) -> int:
    """Return χ_m(1, …, 1) as conjectured, m! (m + 1)^(k - m): false already for m = 1, k = 2."""
    check_hand(hand)
    if ranks < hand:
        raise TheoryError(f"the conjecture is for k ≥ m, not k = {ranks} and m = {hand}")
    return factorial(hand) * int((hand + 1) ** (ranks - hand))


def playable_permutations(ranks: int, hand: int) -> int:
    """Return χ_m(1, …, 1): the orders of one card of each rank that are won without an end.

    It is m! m^(k - m) for k ≥ m and k! for k ≤ m, that is, the product of min(m, j) over
    j = 1, …, k.

    *Proof.* A permutation s is playable if and only if for each card s_i at most m - 1 higher
    cards come before it (the criterion of the thesis). It is necessary: when s_i is drawn, no
    higher card has been played, as s_i has not, and none may have been discarded, as it is the
    only one; so all of them are held, besides s_i, in m places. It is sufficient: let the player
    keep every card until it can be played. When no card can be played after a draw, the next card
    to be played, v, has not been drawn yet. All cards held are higher than v and come before it,
    so they are at most m - 1, and there is room to draw the next card.

    Let b_v be the number of higher cards before v. There are k - v higher cards, so b_v is one of
    0, …, k - v, and each such sequence b_1, …, b_k belongs to exactly one permutation: insert the
    cards k, k - 1, …, 1 in this order, each behind b_v of those already there. So the playable
    permutations are the sequences with b_v ≤ m - 1, for which there are min(m, k - v + 1) choices
    for each v. The product is m^(k - m) · m! for k ≥ m. ∎

    The conjectured formula is this one for m + 1: it counts with m places besides the card drawn,
    where the thesis has m - 1.
    """
    check_hand(hand)
    ranks = check_integer("ranks", ranks, 0, error=TheoryError)
    return factorial(min(ranks, hand)) * int(hand ** max(ranks - hand, 0))


def best_with_passes(cards: Cards, players: int) -> int:
    """Return the best score of an open game with one card per hand, free passes and no end.

    Conjecture 5.2 says that it is won if and only if a single player with as many cards in hand
    wins. That is true, and the best scores are equal as well:

    *Argument.* Passing gives the turn to the next player at no cost, for the game does not end
    with the draw pile. So at any time any card of any hand can be played or discarded, and the
    next card of the deck comes in its place. That is what the single player does with a hand of
    all these cards. Whose hand a card is in never matters, so each line of one game is a line of
    the other with the same cards played in the same order. (Discards must be allowed with all
    tokens there, as Algorithm 2.16 has it and the prose of section 2.2 has not: the single player
    has no tokens at all.) A misplay does what a discard does and is never better.

    This function knows nothing of the argument: it tries all actions of all players.
    """
    deck = tuple(as_cards(cards))
    if players < 1 or players > len(deck):
        raise TheoryError(f"{players} players cannot have a card each of {len(deck)}")
    suits = sorted({suit for _, suit in deck})
    start = (0, deck[:players], players, (0,) * len(suits))
    seen, open_states, best = {start}, [start], 0
    while open_states:
        player, hands, drawn, fireworks = open_states.pop()
        best = max(best, sum(fireworks))
        turn = (player + 1) % players
        following = [(turn, hands, drawn, fireworks)]  # pass
        if hands[player] != NO_CARD:
            rank, suit = hands[player]
            new = deck[drawn] if drawn < len(deck) else NO_CARD
            held = (*hands[:player], new, *hands[player + 1 :])
            place = suits.index(suit)
            following.append((turn, held, min(drawn + 1, len(deck)), fireworks))  # discard
            if rank == fireworks[place] + 1:
                lit = (*fireworks[:place], rank, *fireworks[place + 1 :])
                following.append((turn, held, min(drawn + 1, len(deck)), lit))  # play
        for state in following:
            if state not in seen:
                seen.add(state)
                open_states.append(state)
    return best
