"""The examples of single turns in van den Bergh 2015, played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import comb, prod

from hanabilab import theory
from hanabilab.formats.action import Action
from hanabilab.game.actions import count_actions
from hanabilab.game.deck import card_multiset
from hanabilab.game.rules import preset
from hanabilab.game.state import State, put_on_discards
from hanabilab.papers.fixtures import (
    card_names,
    cards_in,
    game_with_deck,
    state_with,
    touched_slots,
)
from hanabilab.papers.items import Correction, Exact, PrintedTable, exact
from hanabilab.papers.verdicts import INTERPRETED
from hanabilab.table.game import Game

__all__ = ["tables"]

THESIS = preset("thesis", 3)


def tables() -> list[PrintedTable]:
    """Return sections 2 and 4.1, played or counted."""
    return [
        PrintedTable(
            id="thesis.2",
            paper="thesis",
            title="Examples 2.8 to 2.15: the rules",
            items=[*_hints(), *_boxes(), *_hands()],
        ),
        PrintedTable(
            id="thesis.4.5",
            paper="thesis",
            title="Example 4.5: useless, playable, unique",
            items=list(_example_4_5()),
        ),
        PrintedTable(
            id="thesis.4.1",
            paper="thesis",
            title="Section 4.1: the number of states",
            items=[_states()],
        ),
    ]


def _hints() -> Iterator[Exact]:
    for word, hint, touched in (
        ("the five", "hint 1 5", "3"),
        ("green", "hint 1 g", "2 3"),
        ("the ones", "hint 1 1", "1 4"),
    ):
        place = f"Example 2.8, cards that a hint on {word} indicates"
        yield exact(f"thesis.2.8.{word.split()[-1]}", place, touched, _touched, hint)
    place = "Example 2.15, the knowledge base of player 1"
    yield exact("thesis.2.15", place, "A B B A B", _example_2_15)


def _touched(hint: str) -> str:
    """Return the slots that a hint of Mary touches in John's hand."""
    return touched_slots(game_with_deck("thesis", "y1 y2 y3 y4 y5 r1 g4 g5 w1 w4").act(hint))


def _example_2_15() -> str:
    game = game_with_deck("thesis", "r1 y4 y5 g1 g4")
    game.act("hint 1 5")
    game.act(Action.hint_rank(0, 1))
    ones = sum(1 << (suit * 5) for suit in range(5))
    words = {ones: "A", game.state.rules.all_cards ^ ones: "B"}
    return " ".join(words.get(game.state.possible[0][slot], "?") for slot in range(5))


def _boxes() -> Iterator[Exact]:
    for number, name, suits, cards in (
        ("2.10", "thesis", 5, 50),
        ("2.11", "rainbow-german", 6, 60),
        ("2.12", "rainbow-dutch", 6, 55),
    ):
        rules = preset(name, 3)
        yield exact(f"thesis.{number}.N", f"Example {number}, N", cards, _cards, name)
        yield exact(f"thesis.{number}.k", f"Example {number}, k", suits, lambda r: r.suits, rules)
    for name, printed, value in (
        ("t0", 8, THESIS.hint_tokens),
        ("f0", 3, THESIS.lives),
        ("unique cards", 25, len({*card_multiset(THESIS)})),
    ):
        yield exact(f"thesis.2.10.{name}", f"Example 2.10, {name}", printed, lambda v: v, value)


def _cards(name: str) -> int:
    return len(card_multiset(preset(name, 3)))


def _hands() -> Iterator[Exact]:
    for players, hand in ((2, 5), (3, 5), (4, 4), (5, 4)):
        place = f"Example 2.10, h for p = {players}"
        yield exact(f"thesis.2.10.h.{players}", place, hand, _hand_size, players)
        place = f"section 2.4, actions (p − 1)(n + k) + 2h for p = {players}"
        actions = 10 * (players - 1) + 2 * hand
        yield exact(f"thesis.2.4.actions.{players}", place, actions, _actions, players)


def _hand_size(players: int) -> int:
    return Game("thesis", players=players).state.hand_count[0]


def _actions(players: int) -> int:
    return count_actions(Game("thesis", players=players).state)


def _states() -> Exact:
    """Return the number of states, which depends on the definition of a state."""
    return exact(
        "thesis.4.1.states",
        "section 4.1, the configurations of the cards, as a power of 10",
        50,
        lambda: magnitude(count_stacks()),
        correction=Correction(
            56,
            "1.2 · 10⁵⁶ initial stacks if the order of the stack counts; without any order, where "
            "each copy is has at most 1.8 · 10³⁸ possibilities with five players; 10⁵⁰ is between",
            INTERPRETED,
        ),
    )


def count_stacks() -> int:
    """Return the number of orders of the 50 cards."""
    return theory.total(*Counter(card_multiset(THESIS)).values())


def count_places(players: int) -> int:
    """Return the number of ways to place copies in hands, draw pile, discards and fireworks."""
    others = players + 2
    return prod(comb(copies + others, others) for copies in Counter(card_multiset(THESIS)).values())


def magnitude(number: int) -> int:
    """Return the largest power of 10 not above a number."""
    return len(str(number)) - 1


def _example_4_5() -> Iterator[Exact]:
    place = "Example 4.5, (x, 1) that is"
    yield exact("thesis.4.5.useless", f"{place} useless", "r1 r2 r3", _red, "dead")
    yield exact("thesis.4.5.playable", f"{place} playable", "r4", _red, "playable")
    yield exact(
        "thesis.4.5.no-fours",
        f"{place} useless without both 4s",
        "r1 r2 r3 r4 r5",
        _red,
        "dead",
        "r4 r4",
    )
    place = "Example 4.5, (x, 1) that is unique from the start"
    yield exact("thesis.4.5.unique", place, "r5", _red, "unique", "", "")


def _red(kind: str, discards: str = "", fireworks: str = "r3") -> str:
    """Return the red cards of a kind; F[1] is (1, 2, 3) by default."""
    state: State = state_with(THESIS, ["", "", ""], fireworks)
    for card in cards_in(discards, THESIS):
        put_on_discards(state, card)
    return card_names(getattr(state, kind) & 0b11111, THESIS)
