"""Which decks can be won: the examples, results and Appendix A of van den Bergh 2015."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import permutations
from math import factorial

from hanabilab import theory
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import hands_of
from hanabilab.lab.solve import solve
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.papers.items import Correction, Exact, PrintedTable, exact
from hanabilab.papers.verdicts import INTERPRETED, REFUTED, Value
from hanabilab.table.game import Game
from hanabilab.theory.counting import DeckCounter
from hanabilab.theory.playability import AlgorithmStep

__all__ = ["appendix_a", "tables"]

APPENDIX_A = files("hanabilab.papers") / "data" / "appendix_a.txt"
HAND_SIZES = range(1, 6)
CLASSIC = (3, 2, 2, 2, 1)


def tables() -> list[PrintedTable]:
    """Return sections 3 and 5, and the appendix."""
    return [
        _table("decks", "Examples 3.2, 3.3 and 3.38: decks that cannot be won", _whole_decks()),
        _table("one-suit", "Examples 3.11 to 3.27: one suit", _one_suit()),
        _table("steps", "Examples 3.30 and 3.37: the algorithms step by step", _steps()),
        _table("3.31", "Result 3.31: the best composition", _result_3_31()),
        _table("A", "Appendix A: part of the playable sequences, m cards in hand", _appendix_a()),
        _table("conjectures", "Conjectures of section 5", _conjectures()),
    ]


def _table(name: str, title: str, items: Iterator[Exact]) -> PrintedTable:
    return PrintedTable(id=f"thesis.{name}", paper="thesis", title=title, items=list(items))


def _whole_decks() -> Iterator[Exact]:
    place, deck = "Example 3.2, fives and fours on top, p = 2", _fives_on_top()
    command = _solving(deck)
    yield exact("thesis.3.2", place, "not playable", _verdict, deck, command=command)
    for players in range(2, 6):
        place, deck = (
            f"Example 3.3, ones at the bottom, p = {players}",
            _ones_at_the_bottom(players),
        )
        command = _solving(deck)
        id = f"thesis.3.3.{players}"
        yield exact(id, place, "not playable", _verdict, deck, command=command)
    for players in range(2, 6):
        place = f"Example 3.3, the score is at most 14 + {players}"
        yield exact(f"thesis.3.3.score.{players}", place, 14 + players, _most_points, players)
    place = "Example 3.38, L1: without passes"
    yield exact("thesis.3.38.L1", place, "not playable", _example_3_38, 0)
    place = "Example 3.38, L2: with passes"
    yield exact("thesis.3.38.L2", place, "playable", _example_3_38, None)


def _verdict(deck: Deck) -> str:
    answer = solve(deck).winnable
    return "undecided" if answer is None else "playable" if answer else "not playable"


def _solving(deck: Deck) -> str:
    """Return the command that decides a deck under the rules of the thesis."""
    return f"hanabilab solve --players {deck.rules.players} --rules thesis --deck '{deck}'"


def _fives_on_top() -> Deck:
    return game_with_deck("thesis", "r5 y5 g5 b5 w5 r4 r4 y4 y4 g4 g4 b4 b4 w4 w4").deck


def _ones_at_the_bottom(players: int) -> Deck:
    ones = "r1 r1 r1 y1 y1 y1 g1 g1 g1 b1 b1 b1 w1 w1 w1"
    return game_with_deck("thesis", "", players, end=ones).deck


def _most_points(players: int) -> int:
    """Return the number of turns left, one card each, when the first 1 is drawn."""
    game = Game(deck=_ones_at_the_bottom(players))
    while not any(
        game.state.playable >> card & 1 for hand in hands_of(game.state) for card in hand
    ):
        after = (game.player + 1) % players
        game.act("discard 0" if game.hint_tokens != game.rules.hint_tokens else f"hint {after} 5")
    return game.state.draw_pile + players


def _example_3_38(passes: int | None) -> str:
    rules = Rules(
        players=2,
        hand_size=2,
        ranks=4,
        suits=1,
        copies=((5, 1, 1, 1),),
        hint_tokens=passes,
        open_game=True,
    )
    return _verdict(Deck.of(rules, [3, 2, 1, 0, 0, 0, 0, 0]))


def _one_suit() -> Iterator[Exact]:
    for number, deck, hand, answer in (
        ("3.11", "4321111", 4, "yes"),
        ("3.11", "4321111", 1, "no"),
        ("3.12", "1234", 1, "yes"),
        ("3.12", "1234", 4, "no"),
    ):
        place = f"Example {number}, (4, {hand})-playable"
        command = f"hanabilab sequence {' '.join(deck)} --goal 4 --hand {hand}"
        id = f"thesis.{number}.{hand}"
        yield exact(id, place, answer, _is_playable, deck, hand, command=command)
    place, command = "Example 3.12, best score with m = 4", "hanabilab sequence 1 2 3 4 --hand 4"
    yield exact("thesis.3.12.best", place, 1, theory.best_score, [1, 2, 3, 4], 4, command=command)
    yield _counted("3.16.T", "Example 3.16, T(2, 2, 1)", 30, theory.total, 2, 2, 1)
    yield _counted("3.16.χ", "Example 3.16, χ(2, 2, 1)", 11, theory.chi, 2, 2, 1)
    yield exact("thesis.3.16", "Example 3.16, the playable sequences", ELEVEN, _eleven)
    yield _counted("3.19.T", "Example 3.19, T(3, 3, 2)", 560, theory.total, 3, 3, 2)
    yield _counted("3.19.χ", "Example 3.19, χ(3, 3, 2)", 387, theory.chi, 3, 3, 2)
    yield _counted("3.19.part", "Example 3.19, χ/T", "0.69", _part, 3, 3, 2)
    yield exact("thesis.3.20.1", "Corollary 3.20.1, lim χ/T of (1, 1, N)", "1/2", _limit, 1, 1)
    yield exact("thesis.3.20.2", "Corollary 3.20.2, lim χ/T of (1, N, N)", "1", _limit, 1)
    yield exact("thesis.3.20.3", "Corollary 3.20.3, lim χ/T of (N, N, N)", "1", _limit)
    place = "Corollary 3.26, k! − 1 for k = 4, as ψ(1, 1, 1, 1)"
    yield _counted("3.26", place, 23, theory.psi, 1, 1, 1, 1)
    yield exact(
        "thesis.3.26.exponent",
        "Corollary 3.26, the exponent with which the sum is k! − 1 for all k ≤ 7",
        "k − ℓ",
        _exponent,
        correction=Correction("k", "it is k, as in Aspects; with k − ℓ the sum for k = 4 is 55"),
    )
    yield _counted("3.27.T", "Result 3.27, T(3, 2, 2, 2, 1)", 75600, theory.total, *CLASSIC)
    yield _counted("3.27.χ", "Result 3.27, χ(3, 2, 2, 2, 1)", 5934, theory.chi, *CLASSIC)
    yield _counted("3.27.part", "Result 3.27, χ/T", "0.078", _part, *CLASSIC)
    place = "section 3.6, (2 · 3)^12 in billions"
    yield exact("thesis.3.6.sequences", place, 2, lambda: round(6**12 / 1e9))
    place, command = "section 3.6, 12!/2!^6 in millions", "hanabilab count 2 2 2 / 2 2 2"
    yield exact("thesis.3.6.decks", place, 7, _millions, command=command)


def _counted(
    number: str, place: str, printed: Value, compute: Callable[..., Value], *counts: int
) -> Exact:
    """Return an item about the decks of one suit with these counts."""
    command = f"hanabilab count {' '.join(map(str, counts))}"
    return exact(f"thesis.{number}", place, printed, compute, *counts, command=command)


def _is_playable(deck: str, hand: int) -> str:
    """Answer by the algorithm of the thesis and by ours."""
    cards = [int(rank) for rank in deck]
    answers = {theory.algorithm_3_29(cards, 4, hand)[0], theory.is_playable(cards, 4, hand)}
    return {frozenset({True}): "yes", frozenset({False}): "no"}.get(frozenset(answers), "unsure")


ELEVEN = "11223 11232 12123 12132 12213 12231 12312 12321 21123 21213 21231"


def _eleven() -> str:
    decks = {"".join(order) for order in permutations("11223")}
    return " ".join(
        deck for deck in sorted(decks) if theory.is_playable([int(rank) for rank in deck], 3, 1)
    )


def _part(*counts: int) -> Fraction:
    return Fraction(theory.chi(*counts), theory.total(*counts))


def _limit(*fixed: int) -> str:
    """Return the nearest half, if the fractions converge to it as N grows."""
    parts = [_part(*fixed, *[large] * (3 - len(fixed))) for large in (10, 50, 250)]
    limit = Fraction(round(2 * parts[-1]), 2)
    gaps = [abs(part - limit) for part in parts]
    near = gaps[0] > gaps[1] > gaps[2] and gaps[2] < Fraction(1, 100)
    return str(limit) if near else f"{float(parts[-1]):.4f} at N = 250"


def _exponent() -> str:
    """Return the exponents with which the sum of Corollary 3.26 is k! - 1."""
    exponents = {"k": False, "k − ℓ": True}
    return " ".join(
        name
        for name, as_in_thesis in exponents.items()
        if all(
            theory.corollary_3_26(ranks, as_in_thesis=as_in_thesis) == factorial(ranks) - 1
            for ranks in range(2, 8)
        )
    )


def _millions() -> int:
    return theory.count_decks((2, 2, 2), (2, 2, 2)).total // 10**6


def _steps() -> Iterator[Exact]:
    """Yield the first 1 that each step finds, and the cards behind it."""
    place = "Example 3.30, (4, 2)-playable"
    yield exact("thesis.3.30", place, "no", _answer, DECK_3_30, command=EXPLAIN_3_30)
    misread = Correction(1, "the first entry of (1, −1, −1) is a 1; step b plays it, and then NO")
    mistaken = Correction(1, "t' ⊆ (2, 2), not (3, 3): S = (1, −1, −1), i = 1, one step later NO")
    for name, path, printed, correction in (
        ("1", (), 4, None),
        ("1a", (0,), 3, None),
        ("1a.i", (0, 0), "∞", None),
        ("1a.ii", (0, 1), "∞", misread),
        ("1b.i", (1,), 1, None),
        ("1b.ii", (1, 0), 1, None),
        ("1b.iii", (1, 0, 0), "∞", None),
        ("1c", (2,), 3, None),
        ("1c.i", (2, 0), "∞", mistaken),
    ):
        place = f"Example 3.30, step {name}, i"
        yield exact(
            f"thesis.3.30.{name}",
            place,
            printed,
            _first,
            DECK_3_30,
            path,
            correction=correction,
            command=EXPLAIN_3_30,
        )
    place = "Example 3.37, (4, 2)-playable"
    yield exact("thesis.3.37", place, "yes", _answer, DECK_3_37, command=EXPLAIN_3_37)
    last = Correction(2, "the first 1 of ((2, 2), (1, 1), …) stands at i = 2")
    for number, first in enumerate((2, 1, 2, 1), 1):
        yield exact(
            f"thesis.3.37.{number}.i",
            f"Example 3.37, step {number}, i",
            first,
            _first,
            DECK_3_37,
            (0,) * (number - 1),
            correction=last if number == 4 else None,
            command=EXPLAIN_3_37,
        )
    slip = Correction(5, "n − i = 6 − 1, not 6 − 2")
    for number, rest in enumerate((5, 4, 3), 1):
        yield exact(
            f"thesis.3.37.{number}.rest",
            f"Example 3.37, step {number}, n − i",
            rest,
            _rest,
            (0,) * (number - 1),
            correction=slip if number == 2 else None,
            command=EXPLAIN_3_37,
        )


EXPLAIN_3_30 = "hanabilab sequence 4 2 3 1 3 2 1 1 --goal 4 --hand 2 --explain"
EXPLAIN_3_37 = "hanabilab sequence r2 r1 y3 y1 r3 y2 r1 --goal 4 --hand 2 --explain"
Cards = list[tuple[int, int]]
DECK_3_30: Cards = [(rank, 0) for rank in (4, 2, 3, 1, 3, 2, 1, 1)]
DECK_3_37: Cards = [(2, 1), (1, 1), (3, 2), (1, 2), (3, 1), (2, 2), (1, 1)]


def _answer(deck: Cards) -> str:
    return "yes" if theory.algorithm_3_36(deck, 4, 2)[0] else "no"


def _step(deck: Cards, path: tuple[int, ...]) -> AlgorithmStep:
    """Follow the invocations of step 2 from the first one on."""
    step = theory.algorithm_3_36(deck, 4, 2)[1]
    assert step is not None
    for place in path:
        step = step.next[place]
    return step


def _first(deck: Cards, path: tuple[int, ...]) -> int | str:
    return _step(deck, path).first or "∞"


def _rest(path: tuple[int, ...]) -> int:
    step = _step(DECK_3_37, path)
    return step.length - (step.first or 0)


def _result_3_31() -> Iterator[Exact]:
    place = "Result 3.31, composition with the most playable stacks, all hand sizes together"
    yield exact("thesis.3.31.best", place, "3 2 2 2 1", _best_of_all)
    reason = (
        "true of all hand sizes together and of each m ≥ 3, not of m = 1 and m = 2: there most are "
        "playable of (2, 2, 2, 2, 2)"
    )
    for hand in HAND_SIZES:
        place = f"Result 3.31, composition with the most playable stacks, m = {hand}"
        correction = Correction("2 2 2 2 2", reason, INTERPRETED) if hand <= 2 else None
        yield exact(
            f"thesis.3.31.best.{hand}", place, "3 2 2 2 1", _best, hand, correction=correction
        )
    for name, counts, printed in (
        ("classic", CLASSIC, "0.8778"),
        ("six-fives", (1, 1, 1, 1, 6), "0.2571"),
        ("six-ones", (6, 1, 1, 1, 1), "0.4764"),
    ):
        place = f"Result 3.31, part for {counts}, m = 5"
        command = f"hanabilab count {' '.join(map(str, counts))} --hand 5"
        yield exact(f"thesis.3.31.{name}", place, printed, _cell, counts, 5, command=command)


@cache
def _compositions(hand: int) -> dict[tuple[int, ...], theory.DeckCount]:
    return theory.playable_by_composition(10, 5, hand)


def _best(hand: int) -> str:
    found = _compositions(hand)
    best = max(found.values(), key=lambda count: count.fraction)
    return " ".join(map(str, best.suits[0]))


def _best_of_all() -> str:
    parts = {
        (hand, counts): found.fraction
        for hand in HAND_SIZES
        for counts, found in _compositions(hand).items()
    }
    _, best = max(parts, key=lambda place: parts[place])
    return " ".join(map(str, best))


def _cell(counts: tuple[int, ...], hand: int) -> Fraction:
    return _compositions(hand)[counts].fraction


def appendix_a() -> dict[tuple[int, ...], list[str]]:
    """Return the printed fractions for m = 1 … 5, by composition."""
    lines = APPENDIX_A.read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {tuple(map(int, row[:5])): row[5:] for row in rows}


MISPRINTS: dict[tuple[tuple[int, ...], int], Correction] = {
    ((1, 2, 1, 4, 2), 1): Correction(
        "0.0559", "2114/37800 = 0.05593; by symmetry the part of (1, 1, 2, 2, 4)"
    ),
    ((1, 2, 2, 3, 2), 2): Correction("0.3754", "28384/75600 = 0.375450 was rounded twice"),
}


def _appendix_a() -> Iterator[Exact]:
    for counts, cells in appendix_a().items():
        words = " ".join(map(str, counts))
        for hand in HAND_SIZES:
            yield exact(
                f"thesis.A.{words.replace(' ', '')}.{hand}",
                f"Appendix A, {counts}, m = {hand}",
                cells[hand - 1],
                _cell,
                counts,
                hand,
                correction=MISPRINTS.get((counts, hand)),
                row=words,
                column=f"m = {hand}",
                command=f"hanabilab count {words} --hand {hand}",
            )


def _conjectures() -> Iterator[Exact]:
    for hand, ranks in ((1, 2), (2, 3), (2, 4), (3, 5)):
        right = factorial(hand) * hand ** (ranks - hand)
        yield exact(
            f"thesis.5.1.{hand}.{ranks}",
            f"Conjecture 5.1, χ_m(1, …, 1) for m = {hand}, k = {ranks}",
            theory.conjecture_5_1(ranks, hand),
            _without_end,
            ranks,
            hand,
            correction=Correction(
                right, "it is m! m^(k − m); the formula is that for m + 1 cards", REFUTED
            ),
            command=f"hanabilab count {' '.join('1' * ranks)} --hand {hand} --no-end",
        )
    place = "Conjecture 5.2, all decks of 1, 1, 2, 2, 3 for p = 1, 2, 3"
    yield exact("thesis.5.2", place, True, _conjecture_5_2)


def _without_end(ranks: int, hand: int) -> int:
    """Count without the closed form, which is what is being tested."""
    counter = DeckCounter([ranks], hand, ranks, deck_ends=False)
    return counter.count([[1] * ranks])


def _conjecture_5_2() -> bool:
    """Return whether players with one card each win the decks that one with all cards wins."""
    return all(
        (theory.best_with_passes(deck, players) == 3)
        == (theory.solve_solitaire(theory.SolitaireState.start(deck, players - 1)) is not None)
        for deck in {*permutations((1, 1, 2, 2, 3))}
        for players in (1, 2, 3)
    )
