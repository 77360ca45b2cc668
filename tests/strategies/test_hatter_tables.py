"""The tables of `hatter` and `duo`: what is known, publicly and privately."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
from tests.strategies.hatter_positions import (
    CALM,
    THREE,
    TWO,
    at,
    bits,
    turns,
)

from hanabilab import Game, preset
from hanabilab.author import Strategy
from hanabilab.game.actions import Event, decode_action, play_slot
from hanabilab.game.cards import card_in, count_of
from hanabilab.game.deck import card_multiset
from hanabilab.game.state import View, view_of
from hanabilab.game.turn import take_turn
from hanabilab.papers.fixtures import state_with
from hanabilab.strategies.hatter import DUO, HATTER
from hanabilab.strategies.hatter.decision import discard_worth, infer_own_cards
from hanabilab.strategies.hatter.tables import CERTAIN, chop, update_tables, useless_slots


def test_private_information_counts_the_cards_in_sight() -> None:
    state = state_with(THREE, ["r2 r1 r3 y3 b3", "r1 r1 y4 w4 g4", "r2 g3 g4 b4 w3"], "")
    memories = at(HATTER, state, {(0, 0): "r1 r2", (0, 1): "r1 r2"})
    infer_own_cards(view_of(state, 0), memories[0])
    one_left = bits("r1 r2")
    assert memories[0].private.possible[:2] == [one_left, one_left]
    memories = at(HATTER, state, {(0, 0): "r2", (0, 1): "r1 r2"})
    infer_own_cards(view_of(state, 0), memories[0])
    assert memories[0].private.possible[1] == bits("r1")


def test_tables_that_contradict_the_cards_in_sight_are_not_believed() -> None:
    state = state_with(THREE, ["r2 r1 r3 y3 b3", "w5 r1 y4 w4 g4", "r2 g3 g4 b4 w3"], "")
    memories = at(HATTER, state, {(0, 0): "w5"})
    infer_own_cards(view_of(state, 0), memories[0])
    assert memories[0].private.possible[0].bit_count() > 20


def inferred(view: View, known: list[int]) -> list[int] | None:
    """Return what a player's cards may be, or None if nothing is left for one of them."""
    kinds = range(view.rules.suits * view.rules.ranks)
    unseen = Counter({card: count_of(view.left, card) for card in kinds})
    for player in range(view.rules.players):
        if player != view.observer:
            hand = view.hands[player]
            unseen.subtract(card_in(hand, slot) for slot in range(view.hand_count[player]))
    possible = [{card for card in unseen if cards >> card & 1} for cards in known]
    rest = set(range(len(known)))
    changed = True
    while changed:
        changed = False
        for slot in sorted(rest):
            possible[slot] = {card for card in possible[slot] if unseen[card] > 0}
            if not possible[slot]:
                return None
            if len(possible[slot]) == 1:
                unseen.subtract(possible[slot])
                rest.remove(slot)
                changed = True
    return [sum(1 << card for card in cards) for cards in possible]


@pytest.mark.parametrize("strange", [0, 3, 7])
@pytest.mark.parametrize(("strategy", "players"), [(HATTER, 3), (HATTER, 5), (DUO, 2)])
def test_tables_and_hands_are_narrowed_as_far_as_they_can(
    strategy: Strategy, players: int, strange: int
) -> None:
    contradicted = 0
    for number in range(4):
        game = Game(preset("classic", players), seed=8, game=number)
        for memories in turns(game, strategy, strange=strange):
            if game.is_over:
                break
            memory = copy.deepcopy(memories[game.player])
            view = game.view(game.player)
            memory.tables.changed = 1
            update_tables(view, memory.tables)
            assert memory.tables.public == memories[game.player].tables.public
            assert memory.tables.unaccounted == memories[game.player].tables.unaccounted
            infer_own_cards(view, memory)
            cards = view.hand_count[game.player]
            public = memory.tables.public[game.player][:cards]
            doubted = memory.tables.proved_false and view.lives == 1
            expected = None if doubted else inferred(view, public)
            if expected is None:
                contradicted += 1
                expected = inferred(view, view.possible[game.player][:cards])
            assert memory.private.possible[:cards] == expected
    assert (contradicted > 0) == (strange > 0)


def test_contradictions_are_forgotten() -> None:
    state = state_with(TWO, ["r2 r1 r3 y3 b3", CALM], "")
    memories = at(DUO, state, {(0, 0): "w5", (1, 2): "w5"})
    tables = memories[0].tables.public
    assert tables[0][0].bit_count() == 1
    assert tables[1][2].bit_count() > 20


def test_useless_slots_are_dead_or_held_twice() -> None:
    known = [bits("r1"), bits("g3"), bits("g3"), bits("r1 y1"), bits("b3")]
    assert useless_slots(known, 5, bits("r1 y1")) == 0b01111


@pytest.mark.parametrize(
    ("known", "slot"),
    [
        ({}, 4),
        ({2: "r4 y4"}, 2),
        ({3: "r5 y5", 4: "r2 y2"}, 2),
        ({0: "r1 y2", 4: "r3 y3"}, 0),
    ],
)
def test_the_chop_is_new_of_a_high_rank_and_likely_to_be_dead(
    known: dict[int, str], slot: int
) -> None:
    state = state_with(TWO, ["r2 r3 r3 y3 b3", CALM], "r1 y1")
    memories = at(DUO, state, {(0, each): cards for each, cards in known.items()})
    assert chop(view_of(state, 1), memories[1], 0, memories[1].tables.public[0]) == slot


def test_the_worth_of_a_discard() -> None:
    """Counted copy by copy, against shares of sets of cards."""
    compared = 0
    for number in range(8):
        game = Game(TWO, seed=21, game=number)
        for memories in turns(game, DUO):
            view, memory = game.view(game.player), memories[game.player]
            infer_own_cards(view, memory)
            suspect = memory.tables.suspects[game.player]
            for slot in range(view.hand_count[game.player]):
                if memory.private.possible[slot].bit_count() > 1 and slot != suspect:
                    worth = discard_worth(view, memory, slot) / CERTAIN
                    assert worth == pytest.approx(counted_worth(game, memory, slot), abs=1e-4)
                    compared += 1
    assert compared > 500


def counted_worth(game: Game, memory: Any, slot: int) -> float:
    """Return the average worth of discarding one of the copies that a slot may hold."""
    private, tables = memory.private, memory.tables
    heights = list(game.fireworks.values())
    copies: list[int] = []
    for card in range(25):
        rank, height = card % 5 + 1, heights[card // 5]
        dead = tables.dead >> card & 1
        spare = dead | private.elsewhere >> card & 1
        worth = 6 * rank + 28 * dead + 6 * spare - 100 * (tables.critical >> card & 1) + slot
        first = 5 * (card // 5) + height
        if height < rank and not tables.dead >> first & 1:
            worth += 4 * (rank - height - 1)
        if private.possible[slot] >> card & 1:
            copies += [worth] * count_of(private.unseen, card)
    return sum(copies) / len(copies)


def test_once_a_table_was_false_only_words_count_on_the_last_life() -> None:
    """Player 0 plays a "red 1" that is a red 2; slot 1 is not believed to be one either."""
    for strategy in (DUO, HATTER):
        rules = TWO if strategy is DUO else THREE
        hands = ["r2 r3 y3 g3 b3", CALM, "g4 g4 b4 y2 w2"][: rules.players]
        for lives, believed in ((3, True), (2, False)):
            state = state_with(rules, hands, "")
            state.lives = lives
            memories = at(strategy, state, {(0, 0): "r1", (0, 1): "y1 g1"})
            event = Event()
            decode_action(state, play_slot(state, 0), event)
            take_turn(state, card_multiset(rules), event)
            assert strategy.observe
            for player, memory in enumerate(memories):
                strategy.observe(view_of(state, player), event, memory)
            state.player = 0
            assert [memory.tables.proved_false for memory in memories] == [1] * rules.players
            infer_own_cards(view_of(state, 0), memories[0])
            assert (memories[0].private.possible[0] == bits("y1 g1")) == believed
