"""Hints and discards of `hatter` and `duo`: every signal tells what it should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.hatter_positions import (
    FOUR,
    OLDEST,
    ONES,
    THREE,
    TWO,
    act,
    at,
    bits,
    is_hint,
    telling_hints,
    told,
    turns,
)

from hanabilab import Game, preset
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    PLAY,
    Event,
    decode_action,
    is_legal,
    play_slot,
)
from hanabilab.game.cards import card_in
from hanabilab.game.state import view_of
from hanabilab.game.turn import take_turn
from hanabilab.papers.fixtures import state_with
from hanabilab.strategies.hatter import DUO, HATTER
from hanabilab.strategies.hatter.memory import SURE_WAYS
from hanabilab.strategies.hatter.signals import marked_slot, number_told
from hanabilab.strategies.hatter.tables import CERTAIN, chance, chop, project

# --- questions ------------------------------------------------------------------------------------


def test_the_first_question_asks_for_a_playable_slot_and_then_for_a_dead_one() -> None:
    state = state_with(THREE, ["r3 r4 y1 g4 b4", "y3 y4 w3 w4 b3", "g3 r3 b3 g4 w4"], "b1")
    memories = at(HATTER, state)
    hat, row, question = told(state, memories, 0, 8)
    playable = state.playable
    assert [cards for _, cards in question] == [playable] * 5 + [state.dead] * 2
    # All chances are equal: the youngest slots come first, and slot 2 is the third one.
    assert [slot for slot, _ in question] == [4, 3, 2, 1, 0, 1, 0]
    assert hat == 3
    assert row[2] == playable
    assert row[4] & playable == row[3] & playable == 0
    hat, row, _ = told(state, memories, 1, 8)
    assert all(cards & playable == 0 for cards in row)


def test_a_list_that_is_too_long_leaves_out_the_unlikely_and_asks_them_first() -> None:
    state = state_with(TWO, ["r3 r4 y4 g4 b1", "y3 y4 w3 w4 b3"], "")
    known = {(0, 0): "r3 r4 r1", (0, 1): "not r1", (0, 2): "y1 y4", (0, 3): "not g1 y1"}
    memories = at(DUO, state, known)
    _, row, question = told(state, memories, 0, 4)
    likely = [
        chance(
            view_of(state, 1), memories[1].tables, memories[1].tables.public[0][slot], bits(ONES)
        )
        for slot in range(5)
    ]
    assert sorted(likely, reverse=True)[:3] == [likely[slot] for slot, _ in reversed(question)]
    assert [slot for slot, _ in question] == [4, 0, 2]
    assert row[4] == bits(ONES)


def test_the_question_whether_the_chop_is_critical() -> None:
    state = state_with(TWO, ["r5 r3 r4 g4 b4", "y3 y4 w3 w4 b3"], "")
    memories = at(OLDEST, state, {(0, slot): f"not {ONES}" for slot in range(5)})
    assert chop(view_of(state, 1), memories[1], 0, memories[1].tables.public[0]) == 0
    hat, row, question = told(state, memories, 0, 4)
    assert question == [(0, bits("r5 y5 g5 b5 w5"))]
    assert hat % 2 == 1
    assert row[0] & ~bits("r5 y5 g5 b5 w5") == 0


def test_a_known_play_leaves_room_for_the_question_for_a_dead_card() -> None:
    state = state_with(TWO, ["y1 r1 r4 g4 b4", "y3 y4 w3 w4 b3"], "r1")
    memories = at(DUO, state, {(0, 0): "y1"})
    _, row, question = told(state, memories, 0, 4)
    assert [cards for _, cards in question] == [bits("r1")] * 3
    assert row[1] == bits("r1")
    memories = at(DUO.with_options(dead_question=False), state, {(0, 0): "y1"})
    _, row, question = told(state, memories, 0, 4)
    assert len({slot for slot, _ in question}) == 1  # which card is it?


def test_the_question_for_a_likely_play() -> None:
    state = state_with(TWO, ["y1 r2 r1 g4 b4", "y3 y4 w3 w4 b3"], "r1")
    known = {(0, 0): "y1", (0, 1): "r2 y1 y2", (0, 2): "r1"}
    memories = at(DUO, state, known)
    likely = chance(view_of(state, 1), memories[1].tables, bits("r2 y1 y2"), state.playable)
    assert 0.5 < likely / CERTAIN < 0.9
    _, row, question = told(state, memories, 0, 2)
    assert question == [(1, state.playable)]
    assert row[1] == bits("r2 y1")


def test_how_likely_a_play_must_be_for_a_question_of_its_own() -> None:
    state = state_with(TWO, ["y1 r2 r1 g4 b4", "y3 y4 w3 w4 b3"], "r1")
    for options, asked in (({}, 1), ({"near": 0.01}, 0), ({"likely": 0.9, "near": 0.1}, 0)):
        known = {(0, 0): "y1", (0, 1): "r2 y1 y2", (0, 2): "r1"}
        memories = at(DUO.with_options(**options), state, known)
        _, _, question = told(state, memories, 0, 2)
        assert (question == [(1, state.playable)]) == bool(asked)


def test_the_question_for_a_card_deals_out_the_possible_ones() -> None:
    state = state_with(TWO, ["y1 r1 g3 g4 b4", "y3 y4 w3 w4 b3"], "r1")
    known = {(0, 0): "y1", (0, 1): "r1", (0, 2): "g3 g4 b4 w5 r1", (0, 3): "g4", (0, 4): "b4"}
    memories = at(DUO, state, known)
    hat, row, question = told(state, memories, 0, 4)
    assert question == [(2, bits("g3 w5")), (2, bits("g4")), (2, bits("b4"))]
    assert hat == 1
    assert row[2] == bits("g3 w5")


def test_projection_asks_about_the_table_at_a_players_turn() -> None:
    state = state_with(FOUR, ["r3 r4 y4 g4", "r1 y4 w3 w4", "r2 g4 b3 b4", "y3 r3 w4 b3"], "")
    memories = at(HATTER, state, {(1, 0): "r1"})
    project(view_of(state, 0), memories[0], 0)
    assert memories[0].projected.playable[1] == bits(ONES)
    for player in (2, 3):
        assert memories[0].projected.playable[player] == bits("r2 y1 g1 b1 w1")
        assert memories[0].projected.dead[player] == bits("r1")
    plain = HATTER.with_options(projection=False)
    memories = at(plain, state, {(1, 0): "r1"})
    project(view_of(state, 0), memories[0], 0)
    assert set(memories[0].projected.playable[1:4]) == {bits(ONES)}


@given(
    cards=st.lists(st.integers(0, 24), min_size=8, max_size=8, unique=True),
    tables=st.lists(st.integers(1, (1 << 25) - 1), min_size=4, max_size=4),
    top=st.integers(0, 5),
    hats=st.integers(2, 16),
)
def test_a_hat_tells_its_owner_what_everyone_else_sees(
    cards: list[int], tables: list[int], top: int, hats: int
) -> None:
    names = [FOUR.card_name(card) for card in cards]
    fireworks = f"w{top}" if top and not any(name.startswith("w") for name in names) else ""
    hands = [" ".join(names[:4]), " ".join(names[4:]), "r2 r2 y2 y2", "g2 g2 b2 b2"]
    state = state_with(FOUR, hands, fireworks)
    memories = at(HATTER, state)
    for memory in memories:
        for slot in range(4):
            memory.tables.public[0][slot] &= tables[slot] | 1 << cards[slot]
    told(state, memories, 0, hats)


# --- ways of hinting ------------------------------------------------------------------------------


def test_all_hints_of_the_right_way_tell_the_same_number() -> None:
    several = 0
    for number in range(4):
        game = Game(THREE, seed=11, game=number)
        for memories in turns(game, HATTER):
            if game.is_over or game.state.hint_tokens == 0:
                continue
            view = game.view(game.player)
            memory = memories[game.player].copy()
            actions = telling_hints(view, memory)
            numbers = set()
            for action in actions:
                after, event = game.state.copy(), Event()
                decode_action(after, action, event)
                assert is_legal(after, event)
                take_turn(after, list(game.deck), event)
                numbers.add(number_told(view_of(after, game.player), event, memory.tables))
            assert len(numbers) == (len(actions) > 0)
            several += len(actions) > 1
            choice = HATTER.act(view, memories[game.player].copy())
            decode_action(game.state, choice, event := Event())
            assert not is_hint(event) or choice in actions
    assert several


def test_without_the_right_way_the_player_does_something_else() -> None:
    """A hand of one rank has no rank hint that does not touch the marked slot.

    Slot 1 is playable, so the number is 2; where a hint may touch no card, there is one.
    """
    hands = ["r3 y3 g3 b3 w3", "r4 y4 g4 b4 w4"]
    for rules in (TWO, preset("classic", 2, empty_hints=True)):
        state = state_with(rules, hands, "y3")
        state.hint_tokens = 4
        memories = at(DUO, state)
        view = view_of(state, 0)
        assert marked_slot(view, memories[0].tables, 1) == 0
        assert told(state, memories, 1, 4)[0] == 2
        assert bool(telling_hints(view, memories[0])) == rules.empty_hints
        event = Event()
        decode_action(state, DUO.act(view, memories[0]), event)
        assert is_hint(event) == rules.empty_hints


NEW_WHITE_ONE = ["g3 g2 y2 y4 y3", "w5 b3 r2 r4 w1"]
"""The partner's play is in the youngest slot, which the first question leaves out."""


def test_words_that_contradict_their_number_make_it_void() -> None:
    """Rank 1 misses the marked slot 0: its number says that slot 1 is playable, its words not.

    What was known before stays: slot 0 is not white 4.
    """
    state = state_with(TWO, NEW_WHITE_ONE, "")
    memories = at(DUO, state, {(1, 0): "not w4"})
    hat, *_ = told(state, memories, 1, 4)
    before = memories[0].tables.copy()
    event = act(DUO, state, memories)
    assert (event.kind, event.value) == (HINT_RANK, 1)
    assert number_told(view_of(state, 0), event, before) == 2 != hat
    others = [bits(f"not {ONES}")] * 3
    assert memories[1].tables.public[1][:5] == [bits(f"not {ONES} w4"), *others, bits(ONES)]


def test_without_void_numbers_the_number_must_be_right() -> None:
    state = state_with(TWO, NEW_WHITE_ONE, "")
    plain = DUO.with_options(void_numbers=False)
    memories = at(plain, state)
    hat, *_ = told(state, memories, 1, 4)
    before = memories[0].tables.copy()
    event = act(plain, state, memories)
    assert number_told(view_of(state, 0), event, before) == hat


def test_every_void_hint_is_proposed() -> None:
    """A search that may not lie knows them all: each is true, whatever its number."""
    state = state_with(TWO, NEW_WHITE_ONE, "")
    memories = at(DUO, state)
    proposed = telling_hints(view_of(state, 0), memories[0])
    few = telling_hints(view_of(state, 0), at(DUO.with_options(void_numbers=False), state)[0])
    assert set(few) < set(proposed)
    for action in proposed:
        after, event, memory = state.copy(), Event(), memories[1].copy()
        decode_action(after, action, event)
        take_turn(after, [], event)
        assert DUO.observe
        DUO.observe(view_of(after, 1), event, memory)
        for slot in range(5):
            assert memory.tables.public[1][slot] >> card_in(state.hands[1], slot) & 1


def test_on_the_last_life_two_ways_per_target_are_left() -> None:
    state = state_with(THREE, ["r3 y3 g3 b3 w3", "r4 y4 g4 b4 w4", "r4 y4 g4 b4 w4"], "")
    state.lives = 1
    memories = at(HATTER, state)
    assert memories[0].tables.ways == SURE_WAYS
    assert is_hint(act(HATTER, state, memories))
    assert memories[0].tables.ways > SURE_WAYS  # a discard is possible again


@pytest.mark.parametrize(("first", "slot"), [("y3", 0), ("r2", 1)])
def test_the_choice_among_useless_cards_tells_something(first: str, slot: int) -> None:
    """Here it answers whether your slot 0 is dead."""
    state = state_with(TWO, ["r1 r1 g3 b3 w3", f"{first} y4 w3 w4 b3"], "r2")
    state.hint_tokens = 4
    memories = at(OLDEST, state, {(0, 0): "r1", (0, 1): "r1"})
    event = act(OLDEST, state, memories)
    assert (event.kind, event.slot) == (DISCARD, slot)
    dead = memories[1].tables.public[1][0] & bits("r1 r2")
    assert dead == (memories[1].tables.public[1][0] if slot else 0)


@pytest.mark.parametrize(("first", "slot"), [("y3", 0), ("r2", 1)])
def test_the_choice_among_spare_cards_tells_two_players_something(first: str, slot: int) -> None:
    """Here it answers whether your slot 0 is dead; the third card may be critical."""
    known = {(0, 0): "y3 y4", (0, 1): "g2 g4", (0, 2): "b4 b5", (1, 4): "g1"}
    state = state_with(TWO, ["y4 g4 b4 b3 w3", f"{first} y4 w3 w4 g1"], "r2")
    state.hint_tokens = 0
    for strategy, tells in ((DUO, True), (DUO.with_options(coded_chops=False), False)):
        table = state.copy()
        memories = at(strategy, table, known)
        event = act(strategy, table, memories)
        assert event.kind == DISCARD
        public = memories[1].tables.public[1][0]
        if tells:
            assert event.slot == slot
            assert public & bits("r1 r2") == (0 if first == "y3" else public)
        else:
            assert public & bits("r1 r2") != 0


@pytest.mark.parametrize(("first", "slot"), [("y3", 1), ("r2", 0)])
def test_the_choice_among_playable_cards_tells_two_players_something(first: str, slot: int) -> None:
    """Here it answers whether your slot 0 is dead; the lower card stands for the smaller number."""
    known = {(0, 0): "r3", (0, 1): "y1", (1, 4): "g1"}
    state = state_with(TWO, ["r3 y1 g3 b3 w3", f"{first} y4 w3 w4 g1"], "r2")
    state.hint_tokens = 4
    memories = at(DUO, state, known)
    event = act(DUO, state, memories)
    assert (event.kind, event.slot) == (PLAY, slot)
    public = memories[1].tables.public[1][0]
    assert public & bits("r1 r2") == (0 if first == "y3" else public)
    silent = DUO.with_options(coded_plays=False)
    state = state_with(TWO, ["r3 y1 g3 b3 w3", f"{first} y4 w3 w4 g1"], "r2")
    memories = at(silent, state, known)
    before = memories[1].tables.public[1][:5]
    assert act(silent, state, memories).kind == PLAY
    assert memories[1].tables.public[1][:5] == before


def test_a_coded_play_must_be_certain_for_the_player() -> None:
    """The number asks for slot 1, but on the last life its table is no longer believed."""
    for lives, slot in ((2, 1), (1, 0)):
        state = state_with(TWO, ["r3 y1 g3 b3 w3", "y3 y4 w3 w4 g1"], "r2")
        state.hint_tokens = 4
        state.lives = lives
        state.possible[0][0] = bits("r3")
        memories = at(DUO, state, {(0, 0): "r3", (0, 1): "y1", (1, 4): "g1"})
        memories[0].tables.proved_false = 1
        assert DUO.act(view_of(state, 0), memories[0]) == play_slot(state, slot)


def test_a_play_that_is_not_publicly_known_tells_nothing() -> None:
    state = state_with(TWO, ["r3 y1 g3 b3 w3", "r2 y4 w3 w4 g1"], "r2")
    memories = at(DUO, state, {(0, 0): "r3", (1, 4): "g1"})
    before = memories[1].tables.public[1][:5]
    event = act(DUO, state, memories)
    assert (event.kind, event.slot) == (PLAY, 0)
    assert memories[1].tables.public[1][:5] == before


def test_a_coded_play_allows_for_the_same_card_in_the_other_hand() -> None:
    """By the law of need the r1 may be played, and the partner may hold another one."""
    state = state_with(TWO, ["r1 y1 g3 b3 w3", "y3 y4 w3 w4 r1"], "")
    state.hint_tokens = 4
    memories = at(OLDEST, state, {(0, 0): "r1", (0, 1): "y1"})
    event = act(OLDEST, state, memories)
    assert (event.kind, event.slot) == (PLAY, 0)
    assert memories[1].tables.public[1][4] & bits("r1")
    assert not memories[1].tables.public[1][4] & bits("g1 b1 w1")
