"""The conventions of `conventions`, one by one: given, read, and broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.strategies.conventions_positions import CALM, Seated

from hanabilab import Game, play, simulate
from hanabilab.errors import ActionError, StrategyError
from hanabilab.formats.action import Action
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    discard_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import card_in
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.game.state import rank_cards, view_of
from hanabilab.lab.document_tables import DATA, read_result
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies import find_strategy
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.catalogue import CATALOGUE, HIGHEST_LEVEL, activate
from hanabilab.strategies.conventions.decision import token_price
from hanabilab.strategies.conventions.examples import EXAMPLES, Example
from hanabilab.strategies.conventions.giving import hint_worth, prepare_hints
from hanabilab.strategies.conventions.judging import Breach, Doubt, Judge, broken_conventions
from hanabilab.strategies.conventions.strategy import begin, candidate_actions, observe
from hanabilab.strategies.conventions.tables import update_tables
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import NONE, Candidates
from hanabilab.table.players import explain_game

HINTS = (HINT_SUIT, HINT_RANK)

# --- chop and discard order -----------------------------------------------------------------------


def test_the_chop_is_the_oldest_card_that_nobody_pointed_at() -> None:
    table = Seated("r3 y1 g4 b4 w4", CALM, tokens=8)
    assert table.chop(0) == 0
    table.tell_rank(1, 4)
    table.tell_rank(0, 3)
    assert table.chop(0) == 1
    for card in ("y", "g", "b", "w"):
        table.state.player = 1
        table.tell_suit(0, card)
    assert table.chop(0) == NONE


def test_a_dead_card_goes_before_the_chop_and_the_chop_before_the_rest() -> None:
    ones = "r1 y1 g1 b1 w1"
    table = Seated("y4 r1 g4 b4 w4", CALM, fireworks=ones, tokens=1, trash_chop_moves=False)
    table.state.player = 1
    table.tell_rank(0, 1)  # all ones lie on the table: this one is dead
    assert (table.choose().kind, table.choose().slot) == (DISCARD, 1)
    table.discard(1)
    table.state.player, table.state.hint_tokens = 0, 0
    table.update_tables()
    assert (table.choose().kind, table.choose().slot) == (DISCARD, 0)


# --- focus, play hints, good touch ----------------------------------------------------------------


def test_a_hint_is_about_the_chop_if_it_touches_it_else_about_the_youngest_new_card() -> None:
    table = Seated(CALM, "r1 y4 r3 g4 b4")
    table.tell_suit(1, "r")
    assert table.memories[1].draft.focus == 0
    table = Seated(CALM, "g4 r3 y4 r1 b4")
    table.tell_suit(1, "r")
    assert table.memories[1].draft.focus == 3
    assert table.taken_for(1, 3) == "r1"
    assert table.taken_for(1, 1) == "r1 r2 r3 r4 r5"


def test_a_play_hint_is_given_read_and_followed() -> None:
    table = Seated(CALM, "g4 r4 y4 b4 r1")
    event = table.act()
    assert (event.kind in HINTS, event.target, event.touched >> 4 & 1) == (True, 1, 1)
    assert set(table.taken_for(1, 4).split()) <= {"r1", "y1", "g1", "b1", "w1"}
    played = table.act()
    assert (played.kind, played.slot, played.lit) == (PLAY, 4, 1)


def test_no_hint_makes_a_card_look_playable_that_is_not() -> None:
    for hand in ("g4 r4 y4 b4 r2", "r2 y4 b4 g4 r3", "y3 y4 r4 r4 y2"):
        table = Seated(CALM, hand, tokens=8)
        table.act()
        for slot in range(5):
            card = card_in(table.state.hands[1], slot)
            taken = (
                table.memories[1].beliefs.possible[1][slot]
                & table.memories[1].beliefs.inferred[1][slot]
            )
            assert taken & ~table.state.playable or table.state.playable >> card & 1


def test_of_several_plays_the_lowest_rank_comes_first() -> None:
    table = Seated("y4 r3 g4 y1 w4", CALM, fireworks="r2")
    table.state.player = 1
    table.tell_rank(0, 3)
    table.state.player = 1
    table.tell_rank(0, 1)
    assert (table.choose().kind, table.choose().slot) == (PLAY, 3)


def test_a_touched_card_is_neither_dead_nor_held_by_another_hand() -> None:
    table = Seated(CALM, "r1 y4 r4 g4 r2", "r3 g3 b3 w4 y2", fireworks="r1")
    table.tell_suit(1, "r")
    assert "r1" not in table.taken_for(1, 2).split()
    table.tell_suit(2, "r")
    assert "r3" in table.taken_for(2, 0).split()
    loose = Seated(CALM, "r1 y4 r4 g4 r2", "r3 g3 b3 w4 y2", fireworks="r1", good_touch=False)
    loose.tell_suit(1, "r")
    assert "r1" in loose.taken_for(1, 2).split()


def test_a_hint_that_touches_useless_cards_is_avoided() -> None:
    # Red touches the playable r2 and two dead cards; rank 2 touches only what can be played.
    table = Seated(CALM, "y4 r1 r1 g4 r2", fireworks="r1")
    event = table.act()
    assert (event.kind, event.value) == (HINT_RANK, 2)


# --- saves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("card", "rank"), [("r5", 5), ("y4", 4)])
def test_a_critical_card_on_the_chop_is_saved_before_anything_else(card: str, rank: int) -> None:
    table = Seated("y3 g3 b3 w3 r1", f"{card} g3 b3 w3 g3")
    table.state.player = 1
    table.tell_rank(0, 1)
    table.state.discarded[0] |= table.bits("y4")
    table.state.left[0] |= table.bits("y4")
    table.state.left[1] &= ~table.bits("y4")
    table.state.unique |= table.bits("y4")
    table.state.critical |= table.bits("y4")
    table.update_tables()
    event = table.act()
    assert (event.kind in HINTS, event.target, event.touched & 1) == (True, 1, 1)
    assert card in table.taken_for(1, 0).split()
    assert table.chop(1) == 1
    careless = Seated("y3 g3 b3 w3 r1", f"{card} g3 b3 w3 g3", saves=False)
    careless.tell_rank(1, rank)
    assert careless.memories[1].draft.saved == 0


def test_twos_are_saved_by_rank_unless_another_copy_is_in_sight() -> None:
    table = Seated(CALM, "r2 g4 b4 w4 r4")
    event = table.act()
    assert (event.kind, event.value) == (HINT_RANK, 2)
    assert table.taken_for(1, 0) == "r2 y2 g2 b2 w2"
    other = Seated(CALM, "r2 g4 b4 w4 r4", "r2 y4 g4 b4 w4")
    assert (other.choose().target, other.choose().value) != (1, 2)
    without = Seated(CALM, "r2 g4 b4 w4 r4", twos=False)
    assert without.choose().value != 2


def test_a_five_is_not_saved_by_its_suit() -> None:
    table = Seated(CALM, "r5 g4 b4 w4 r4")
    table.tell_suit(1, "r")
    assert table.taken_for(1, 0) == "r1"


# --- delayed plays --------------------------------------------------------------------------------


def test_a_play_hint_may_count_on_a_play_that_all_expect() -> None:
    hands = (CALM, "y4 g4 b4 w4 r1", "y4 g4 b4 w4 r2")
    table = Seated(*hands, finesses=False)
    table.tell_rank(1, 1)
    table.state.player = 0
    table.tell_suit(2, "r")
    assert table.taken_for(2, 4) == "r2"
    assert table.act().lit
    assert (table.act().slot, table.state.fireworks[0]) == (4, 2)
    now = Seated(*hands, finesses=False, prompts=False, delayed=False)
    now.tell_rank(1, 1)
    now.state.player = 0
    now.tell_suit(2, "r")
    assert "r2" not in now.taken_for(2, 4).split() or now.taken_for(2, 4) != "r2"


# --- silence and scream discards ------------------------------------------------------------------


def test_a_chop_that_nobody_saved_is_not_critical() -> None:
    table = Seated(CALM, "y4 g4 b4 w4 r4")
    table.discard(0)
    assert not table.memories[1].beliefs.inferred[1][0] & table.bits("r5 y5 g5 b5 w5")
    deaf = Seated(CALM, "y4 g4 b4 w4 r4", silence=False)
    deaf.discard(0)
    assert deaf.memories[1].beliefs.inferred[1][0] & table.bits("r5")


def test_silence_that_was_wrong_is_withdrawn_when_hints_contradict_it() -> None:
    table = Seated(CALM, "r5 g4 b4 w4 r4")
    table.discard(0)  # broken: r5 was not saved
    table.state.player = 0
    table.tell_rank(1, 5)
    assert "r5" in table.taken_for(1, 0).split()


def test_without_a_token_a_discard_instead_of_a_play_warns() -> None:
    def position(**options: Any) -> Seated:
        table = Seated("y3 g3 b3 w3 r1", "r5 g4 b4 w4 r4", tokens=1, **options)
        table.state.player = 1
        table.tell_rank(0, 1)
        assert table.state.hint_tokens == 0
        return table

    table = position()
    assert table.act().kind == DISCARD
    assert table.chop(1) == 1
    assert "r5" in table.taken_for(1, 0).split()
    calm = position()
    calm.play(4)  # says that the chop is not critical
    assert not calm.memories[1].beliefs.inferred[1][0] & calm.bits("r5")
    assert position(scream_discards=False).choose().kind == PLAY


# --- prompts and finesses -------------------------------------------------------------------------

EARLY = (CALM, "y4 g4 b4 w4 r1", "y4 g4 b4 w4 r2")
"""Player 1 holds the card before that of player 2 in the youngest slot."""


def test_a_finesse_is_given_answered_and_followed() -> None:
    table = Seated(*EARLY)
    table.tell_suit(2, "r")
    assert table.memories[1].beliefs.called[1] == 1 << 4
    assert table.taken_for(1, 4) == "r1 y1 g1 b1 w1"  # it may be a bluff
    assert set(table.taken_for(2, 4).split()) == {"r1", "r2"}  # not known before the answer
    blind = table.act()
    assert (blind.kind, blind.slot, blind.lit) == (PLAY, 4, 1)
    assert table.taken_for(2, 4) == "r2"
    assert table.act().lit
    assert Seated(*EARLY, tokens=8).choose().target == 2


def test_on_the_last_life_nobody_plays_an_untouched_card_on_a_call() -> None:
    table = Seated(*EARLY)
    table.state.lives = 1
    table.tell_suit(2, "r")
    assert [memory.beliefs.called[1] for memory in table.memories] == [0, 0, 0]
    assert table.act().kind != PLAY


def test_an_unanswered_finesse_is_dropped() -> None:
    table = Seated(*EARLY)
    table.tell_suit(2, "r")
    table.discard(0)  # broken: player 1 was called
    assert table.taken_for(2, 4) == "r1"
    assert table.memories[2].beliefs.waiting[2] == 0


def test_a_prompt_calls_a_touched_card_before_the_youngest() -> None:
    table = Seated(CALM, "y4 r1 b4 w4 g4", "y4 g4 b4 w4 r2")
    table.state.player = 2
    table.tell_suit(1, "r")  # the focus is slot 1, which says play already
    table.memories[1].beliefs.inferred[1][1] = table.memories[0].beliefs.inferred[1][1] = (
        table.bits("r1 r2 r3")
    )
    table.update_tables()
    table.state.player = 0
    table.tell_suit(2, "r")
    assert table.memories[1].beliefs.called[1] == 1 << 1
    assert table.taken_for(1, 1) == "r1"


BLUFF = (CALM, "g4 b4 w4 r4 g1", "b4 w4 r4 y3 r2")
"""Player 0 tells player 2 red, and player 1 answers with a card that fits, but is not red 1."""


def test_a_bluff_is_given_answered_and_read() -> None:
    table = Seated(*BLUFF)
    event = table.act()
    assert (event.target, event.kind, event.value) == (2, HINT_SUIT, 0)
    assert table.taken_for(2, 4) == "r1 r2"  # a play or a bluff
    assert table.taken_for(2, 4, by=0) == table.taken_for(2, 4, by=1) == "r2"
    played = table.act()
    assert (played.kind, played.slot, played.lit) == (PLAY, 4, 1)
    for reader in range(3):
        assert table.taken_for(2, 4, by=reader) == "r2"
    without = Seated(*BLUFF, bluffs=False)
    without.tell_suit(2, "r")
    assert without.memories[0].draft.is_bluff == 0


def test_a_hint_is_no_bluff_if_the_next_player_does_not_play() -> None:
    table = Seated(*BLUFF)
    table.tell_suit(2, "r")
    table.discard(0)
    assert table.taken_for(2, 4) == "r1"


def test_a_later_player_is_called_once_the_next_one_has_not_played() -> None:
    table = Seated("y3 g3 b3 w3", "y4 b4 w4 g1", "g4 b4 w4 r1", "b4 w4 y3 r2")
    table.tell_suit(3, "r")
    assert table.memories[1].beliefs.called[2] == 1 << 3  # who sees red 1 is not called
    assert table.memories[2].beliefs.called[2] == 0  # who holds it takes it for a bluff
    table.discard(0)
    assert [memory.beliefs.called[2] for memory in table.memories[:3]] == [8, 8, 8]
    played = table.act()
    assert (played.kind, played.slot, played.lit) == (PLAY, 3, 1)


REVERSE = (CALM, "y4 g4 b4 w4 r2", "y4 g4 b4 w4 r1")
"""Player 0 tells player 1 red, and player 2, who acts after player 1, holds the card before it."""


def test_a_reverse_finesse_is_given_awaited_and_answered() -> None:
    table = Seated(*REVERSE)
    event = table.act()
    assert (event.kind, event.target) == (HINT_SUIT, 1)
    assert set(table.taken_for(1, 4).split()) == {"r1", "r2"}
    assert [memory.beliefs.called[2] for memory in table.memories] == [16, 16, 16]
    assert table.choose().kind != PLAY  # it may be red 2
    table.discard(0)
    blind = table.act()
    assert (blind.kind, blind.slot, blind.lit) == (PLAY, 4, 1)
    assert [table.taken_for(1, 3, by=reader) for reader in range(3)] == ["r2"] * 3
    now = Seated(*REVERSE, reverse_finesses=False)
    now.tell_suit(1, "r")
    assert now.choose().kind == PLAY


def test_a_reverse_finesse_that_nobody_answers_was_a_play_hint() -> None:
    table = Seated(CALM, "y4 g4 b4 w4 r1", "y4 g4 b4 w4 r1")
    table.tell_suit(1, "r")
    table.discard(0)
    assert table.memories[1].beliefs.called[2] == 16
    table.discard(0)
    assert table.taken_for(1, 3) == "r1"
    assert table.memories[1].beliefs.called[2] == 0


SELF = ("y3 b3 w3 y4 w4", "g4 b4 w4 g3 g2")
"""Player 0 tells player 1 which card is a 3: green 3, and the card before it is the newest one."""


def test_a_self_finesse_is_given_and_answered() -> None:
    table = Seated(*SELF, fireworks="g1", self_finesses=True)
    event = table.act()
    assert (event.kind, event.value) == (HINT_RANK, 3)
    assert [table.taken_for(1, 4, by=reader) for reader in range(2)] == ["g2"] * 2
    assert [table.taken_for(1, 3, by=reader) for reader in range(2)] == ["g3"] * 2
    first = table.act()
    assert (first.kind, first.slot, first.lit) == (PLAY, 4, 1)
    table.discard(0)
    second = table.act()
    assert (second.kind, second.slot, second.lit) == (PLAY, 3, 1)
    for usual in (Seated(*SELF, fireworks="g1"), Seated(*SELF, fireworks="g1", level=1)):
        usual.tell_rank(1, 3)
        assert usual.memories[1].beliefs.called[1] == 0


def test_a_self_finesse_is_neither_a_stall_nor_false() -> None:
    """With all tokens the giver could not discard, and then a hint need not say anything."""
    stall = Seated(*SELF, fireworks="g1", self_finesses=True, tokens=8)
    stall.tell_rank(1, 3)
    assert stall.memories[1].beliefs.called[1] == 0
    other = Seated(SELF[0], "g4 b4 w4 g3 b4", fireworks="g1", self_finesses=True)
    event = other.act()
    assert (event.kind, event.value) != (HINT_RANK, 3)


def test_a_self_finesse_that_is_not_answered_is_dropped() -> None:
    table = Seated(*SELF, fireworks="g1", self_finesses=True)
    table.tell_rank(1, 3)
    table.discard(0)
    assert [memory.beliefs.called[1] for memory in table.memories] == [0, 0]


DOUBLE = ("y3 g3 b3 w3", "g4 b4 w4 r1", "b4 w4 y4 r2", "g4 y4 w3 r3")
"""Player 0 tells player 3 red: red 3, and the two cards before it are the newest of 1 and 2."""


def test_a_double_finesse_is_given_and_answered_by_two_players() -> None:
    event = Seated(*DOUBLE, double_finesses=True).act()
    assert (event.kind in HINTS, event.target, event.touched >> 3) == (True, 3, 1)
    table = Seated(*DOUBLE, double_finesses=True)
    table.tell_suit(3, "r")
    for reader in range(3):
        assert table.memories[reader].beliefs.called[1] == 1 << 3
        assert table.memories[reader].beliefs.called[2] == 1 << 3
        assert table.taken_for(3, 3, by=reader) == "r3"
    for card in ("r1", "r2"):
        assert card in table.taken_for(3, 3).split()
        blind = table.act()
        assert (blind.kind, blind.slot, blind.lit) == (PLAY, 3, 1)
    assert [table.taken_for(3, 3, by=reader) for reader in range(4)] == ["r3"] * 4
    assert (table.act().slot, table.state.fireworks[0]) == (3, 3)


def test_a_double_finesse_calls_two_cards_of_one_player() -> None:
    table = Seated("y3 g3 b3 w3 y4", "g4 b4 y4 r2 r1", "g4 y4 w3 b4 r3", double_finesses=True)
    table.tell_suit(2, "r")
    assert table.act().slot == 4
    assert set(table.taken_for(2, 4).split()) == {"r2", "r3"}
    assert table.choose().kind != PLAY
    table.discard(0)
    table.discard(0)
    second = table.act()
    assert (second.slot, second.lit) == (3, 1)
    assert (table.act().slot, table.state.fireworks[0]) == (3, 3)


def test_without_the_second_card_a_double_finesse_was_a_single_one() -> None:
    table = Seated("y3 g3 b3 w3 y4", "g4 b4 y4 r2 r1", "g4 y4 w3 b4 r2", tokens=2)
    table.tell_suit(2, "r")
    table.play(4)
    table.discard(0)
    assert set(table.taken_for(2, 3).split()) == {"r2", "r3"}
    table.discard(0)
    table.discard(0)
    assert table.taken_for(2, 3) == "r2"
    assert (table.act().slot, table.state.fireworks[0]) == (3, 2)


def test_a_double_finesse_that_is_not_answered_is_dropped() -> None:
    table = Seated(*DOUBLE, double_finesses=True)
    table.tell_suit(3, "r")
    table.discard(0)
    assert [memory.beliefs.called[2] for memory in table.memories[:3]] == [0, 0, 0]
    table.discard(0)
    assert table.taken_for(3, 3) == "r1"
    assert [memory.beliefs.called[2] for memory in table.memories] == [0] * 4


@pytest.mark.parametrize("options", [{"double_finesses": False}, {"level": 1}])
def test_without_double_finesses_a_hint_calls_for_one_card(options: dict[str, Any]) -> None:
    table = Seated(*DOUBLE, **{"double_finesses": True, **options})
    assert table.choose().target != 3
    table.tell_suit(3, "r")
    assert [memory.beliefs.called[1] for memory in table.memories[:3]] == [0, 0, 0]


def test_on_the_last_life_a_hint_calls_for_one_card() -> None:
    table = Seated(*DOUBLE, double_finesses=True)
    table.state.lives = 1
    table.tell_suit(3, "r")
    assert [memory.beliefs.called[1] for memory in table.memories[:3]] == [0, 0, 0]


def test_who_is_called_already_is_not_called_again() -> None:
    """A second answer would come too late: the target of the second hint plays before it."""
    table = Seated("y3 g3 b3 w3", "y4 g4 y1 r1", "g4 b4 w4 r2", "r4 b4 w4 y2")
    table.state.player = 3
    table.tell_suit(2, "r")
    table.tell_suit(3, "y")  # yellow 1 would be next in player 1's hand
    assert [memory.beliefs.called[1] for memory in table.memories] == [0b1000] * 4
    assert (table.act().slot, table.state.fireworks[0]) == (3, 1)


def test_nobody_counts_on_a_second_answer() -> None:
    table = Seated("y3 g3 b3 w3", "y4 g4 r1 y1", "g4 b4 w4 r3", "r4 b4 w4 y2")
    view, memory = table.view(0), table.memories[0]

    def worth() -> float:
        prepare_hints(view, memory, 3)
        return hint_worth(view, memory, 3, HINT_SUIT, 1)

    finesse = worth()
    memory.beliefs.called[1] = 0b0001  # by an earlier hint
    assert worth() < 0 < finesse


def test_a_misplay_voids_all_calls() -> None:
    table = Seated("y3 g3 b3 w3", "y4 b4 w4 b3", "g4 b4 w4 y3", "b4 w4 y3 r2")
    table.tell_suit(3, "r")  # nobody holds red 1 where it is called for
    assert table.memories[1].beliefs.called[1] == table.memories[2].beliefs.called[2] == 1 << 3
    assert not table.play(3).lit
    assert table.memories[2].beliefs.called[2] == 0
    assert table.choose().kind != PLAY


def test_hints_cost_more_when_tokens_are_scarce() -> None:
    table = Seated(CALM, "g4 r4 y4 b4 r1", tokens=5)
    prices = []
    for tokens in (8, 4, 3, 1):
        table.state.hint_tokens = tokens
        prices.append(token_price(table.view(0), table.memories[0]))
    assert prices == [80.0, 80.0, 100.0, 140.0]
    table.state.draw_pile = 25  # as many draws as plays: time is short
    assert token_price(table.view(0), table.memories[0]) == 0.0


def test_nobody_is_called_without_prompts_and_finesses() -> None:
    table = Seated(*EARLY, prompts=False, finesses=False)
    table.tell_suit(2, "r")
    assert not any(memory.beliefs.called[1] for memory in table.memories)


def test_a_call_is_not_made_if_two_players_could_answer() -> None:
    one = Seated("y3 g3 b3 w3", "y4 g4 b4 w4", "y4 g4 b4 r1", "y3 g4 b4 r2")
    assert one.choose().target == 3
    two = Seated("y3 g3 b3 w3", "y4 g4 b4 r1", "y4 g4 b4 r1", "y3 g4 b4 r2")
    assert two.choose().target != 3


# --- fix hints, burning, the last round -----------------------------------------------------------


def test_a_misplay_of_the_next_player_is_stopped_by_a_hint() -> None:
    def position(**options: Any) -> Seated:
        table = Seated("g3 b3 w3 g3 y3", "y4 g4 b4 w4 r2", fireworks="y2", tokens=3, **options)
        table.tell_suit(1, "r")  # broken: this says that r2 is r1
        table.state.player = 0
        assert table.taken_for(1, 4) == "r1"
        return table

    table = position()
    event = table.act()
    assert (event.kind, event.value, event.target) == (HINT_RANK, 2, 1)
    assert table.taken_for(1, 4) == "r2"
    busy = position(fix_hints=False)
    busy.state.player = 1
    busy.tell_suit(0, "y")  # now player 0 has a card to play: y3 on y2
    assert busy.choose().kind == PLAY


def test_with_little_time_a_hint_is_better_than_a_discard() -> None:
    def position(**options: Any) -> Seated:
        table = Seated(CALM, "y4 g3 b4 w3 r4", fireworks="r2 y1 g1 b1 w1", **options)
        table.discard(0)  # nobody saved a card: the chop of player 1 is safe
        table.state.draw_pile = 10
        table.update_tables()
        return table

    assert position().choose().kind in HINTS
    assert position(burning=False).choose().kind == DISCARD


def test_in_the_last_round_the_likeliest_card_is_tried() -> None:
    fireworks = "r2 y2 g2 b2 w2"
    table = Seated("r3 g3 b3 w3 y4", CALM, fireworks=fireworks, tokens=0, positional_discards=False)
    table.state.draw_pile = 0
    table.state.turns_left = 2
    table.update_tables()
    assert table.choose().kind == PLAY
    table.state.lives = 1
    assert table.choose().kind == DISCARD


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "least"), [(2, 22.6), (3, 23.1), (4, 22.9), (5, 21.8)])
def test_it_plays_well_and_hardly_ever_loses(players: int, least: float) -> None:
    """Four standard errors below what 20,000 games gave."""
    result = simulate("conventions", players=players, games=500, seed=9, rules="hle")
    assert result.mean > least
    assert result.lost_rate < 0.02


def test_levels_and_switches_are_options() -> None:
    assert set(CONVENTIONS.options) == {"level", "end_lines", *CATALOGUE}
    for name in CATALOGUE:
        assert find_strategy(f"conventions:{name.replace('_', '-')}=no").option(name) is False
    with pytest.raises(StrategyError, match="level: 12 is not between 1 and 11"):
        find_strategy("conventions:level=12")
    scores = [
        simulate(f"conventions:level={level}", players=4, games=500, seed=3, rules="hle").mean
        for level in (1, 11)
    ]
    assert scores[0] < scores[1]


def test_each_convention_is_in_force_from_its_level_on_unless_it_is_switched_off() -> None:
    bits = [each.bit for each in CATALOGUE.values()]
    assert sum(bits) == (1 << len(bits)) - 1  # no bit has two meanings
    all_on = dict.fromkeys(CATALOGUE, True)
    for level in range(1, HIGHEST_LEVEL + 1):
        expected = sum(each.bit for each in CATALOGUE.values() if each.level <= level)
        assert in_force(level=level, **all_on) == expected
    for name, each in CATALOGUE.items():
        assert in_force(**{**all_on, name: False}) == sum(bits) - each.bit


def test_the_table_of_worth_has_the_levels_and_names_of_the_catalogue() -> None:
    root = Path(__file__).resolve().parents[2]
    rows = read_result(root / DATA, "convention-worth").records
    for row in rows[:-1]:
        each = CATALOGUE[row["option"].strip("`").replace("-", "_")]
        shown = (int(row["level"]), row["name in the H-Group"], row["default"] == "on")
        assert shown == (each.level, each.name or "\N{EN DASH}", each.default)
    assert rows[-1]["option"] == "`end-lines`"


def in_force(**options: Any) -> int:
    """Return the conventions that three players follow."""
    memory: Any = CONVENTIONS.with_options(**options).fresh_memory()
    activate(memory, 3)
    return int(memory.beliefs.active)


# --- hints for a search ---------------------------------------------------------------------------


def proposed(table: Seated, *, lies: int) -> set[int]:
    """Return the actions that player 0 proposes to a search."""
    candidates = Candidates(lies=lies, any_hint=1)
    candidate_actions(table.view(0), candidates, table.memories[0])
    assert candidates.any_hint == lies
    return set(candidates.actions[: candidates.count])


def test_without_lies_a_search_gives_no_hint_that_would_be_misread() -> None:
    table = Seated(CALM, "y3 g3 b3 w3 r1", "y4 g4 b4 w4 r3")
    assert proposed(table, lies=1) == set()
    hints = proposed(table, lies=0)
    assert suit_hint(table.state, 1, 0) in hints
    assert suit_hint(table.state, 2, 0) not in hints  # would promise red 1
    true, false = (Seated(CALM, hand, "y4 g4 b4 w4 r2") for hand in ("y3 g3 b3 w3 r1", CALM))
    assert suit_hint(true.state, 2, 0) in proposed(true, lies=0)  # a finesse
    assert suit_hint(false.state, 2, 0) not in proposed(false, lies=0)  # nobody can answer
    bluff = Seated(CALM, "y3 g3 b3 w3 g1", "y4 g4 b4 w4 r2")
    assert suit_hint(bluff.state, 2, 0) in proposed(bluff, lies=0)


# --- judging and explaining -----------------------------------------------------------------------


def test_the_strategy_itself_keeps_the_agreements() -> None:
    broken: dict[str, int] = {}
    turns = 0
    for seed in range(6):
        game = play("conventions", Deck.shuffled(preset("hle", 3), seed=seed))
        turns += game.turn
        for player in range(3):
            for breach in broken_conventions(game, player):
                broken[breach.convention] = broken.get(breach.convention, 0) + 1
                assert game.events[breach.turn - 1].player == player
    assert "calls" not in broken
    assert sum(broken.values()) < 0.06 * turns


def test_a_careless_player_is_told_what_was_broken() -> None:
    game = play("random", Deck.shuffled(preset("hle", 2), seed=4), seed=4)
    found = broken_conventions(game, 0)
    assert {breach.convention for breach in found} & {"plays", "promises", "saves", "discards"}
    assert all(breach.player == 0 and breach.text for breach in found)
    assert len(broken_conventions(game, 0, level=1)) <= len(found) + 3
    with pytest.raises(ActionError, match="there is no player 2 in a game of 2"):
        broken_conventions(game, 2)


def test_a_card_that_was_not_saved_is_a_broken_agreement() -> None:
    deck = "y3 g3 b3 w3 y4 r5 g4 b4 w4 r4"
    game = game_with_deck("hle", deck)
    game.act("play 0")
    assert [breach.convention for breach in broken_conventions(game, 0)] == ["plays"]
    harmless = game.copy()
    harmless.act("hint 0 3")
    assert [breach.convention for breach in broken_conventions(harmless, 0)] == ["plays"]
    game.act("play 0")  # only now red 5 is lost
    said = broken_conventions(game, 0)
    assert [breach.convention for breach in said] == ["plays", "saves"]
    assert "player 1 was about to lose a card" in said[1].text
    saved = game_with_deck("hle", deck)
    saved.act("hint 1 5")
    assert broken_conventions(saved, 0) == []


def test_a_false_promise_counts_once_the_card_is_misplayed() -> None:
    game = game_with_deck("hle", "y3 g3 b3 w3 y4 g4 b4 y4 w4 r3")
    game.act("hint 1 r")  # says red 1
    assert broken_conventions(game, 0) == []
    game.act("play 4")
    assert [breach.convention for breach in broken_conventions(game, 0)] == ["promises"]


def accused(table: Seated, action: int, level: int = HIGHEST_LEVEL) -> list[str]:
    """Return what player 0 would break by an action."""
    found = Judge(table.state, 0, level).judge(table.state, action)
    return [each.convention for each in found if isinstance(each, Breach)]


def doubted(table: Seated, action: int, level: int = HIGHEST_LEVEL) -> list[str]:
    """Return what player 0 would break by an action if it turns out badly."""
    found = Judge(table.state, 0, level).judge(table.state, action)
    return [each.breach.convention for each in found if isinstance(each, Doubt)]


def test_a_useless_card_may_be_touched_if_nothing_cleaner_says_as_much() -> None:
    hands = (CALM, "y4 r1 g4 b4 r2", CALM)
    table = Seated(*hands, fireworks="r1 y1 g1 b1 w1")
    assert accused(table, rank_hint(table.state, 1, 1)) == []  # every 1 is dead
    assert accused(table, suit_hint(table.state, 1, 0)) == ["good touch"]  # 2 is cleaner
    table.state.hint_tokens = 8  # no discard is allowed
    assert accused(table, suit_hint(table.state, 1, 0)) == []
    played = Seated(CALM, "r2 r1 g4 b4 y4", CALM, fireworks="r1")
    assert accused(played, suit_hint(played.state, 1, 0)) == []  # 2 would only save red 2


def lock(table: Seated) -> None:
    """Let each card of player 0 be touched: a 4 or a 5, of which none fits."""
    table.state.rank_hinted[0] = 0b11111
    for slot in range(5):
        table.state.possible[0][slot] = rank_cards(table.view(0), 4) | rank_cards(table.view(0), 5)


def test_a_stall_promises_nothing() -> None:
    """Who must not discard may touch what is not needed, by players who know stalls (level 9)."""
    hands = ("y4 y5 b4 b5 w4", "y4 r1 g4 b4 r2", "g4 b4 w4 y3 b4")
    table = Seated(*hands, fireworks="r1 y1 g1 b1 w1")
    touches_trash = suit_hint(table.state, 1, 0)
    assert accused(table, touches_trash) == ["good touch"]  # 2 is cleaner
    lock(table)
    assert accused(table, touches_trash) == []
    assert accused(table, touches_trash, level=8) == ["good touch"]


@pytest.mark.parametrize(
    ("other", "breaches"),
    [
        ("y4 r1 g4 b3 r4", []),
        ("y4 r1 g4 b3 r2", ["promises"]),  # a play hint comes before any stall
        ("y4 r1 r5 b3 r4", ["promises"]),  # and so does a five stall
    ],
)
def test_a_stall_that_is_not_due_promises_what_it_says(other: str, breaches: list[str]) -> None:
    table = Seated("y4 y5 b4 b5 w4", other, "g4 b4 w4 y3 b4", fireworks="r1 y1 g1 b1 w1")
    lies = suit_hint(table.state, 2, 3)  # says blue 2
    assert doubted(table, lies) == ["promises"]
    lock(table)
    assert doubted(table, lies) == breaches
    assert doubted(table, lies, level=8) == ["promises"]


def test_a_five_stall_is_due_although_another_hand_has_a_five() -> None:
    hands = ("y4 y5 b4 b5 w4", "y4 r1 r5 b3 r4", "w4 b4 w5 y3 b4")
    table = Seated(*hands, fireworks="r1 y1 g4 b1 w1")
    says_green = rank_hint(table.state, 2, 5)
    assert doubted(table, says_green) == ["promises"]
    lock(table)
    assert doubted(table, says_green) == []


@pytest.mark.parametrize(
    ("slot", "level", "pile", "breaches"),
    [
        (3, 8, 3, []),  # red 2 is at that place of player 2's hand
        (2, 8, 3, ["discards"]),  # nobody can play the card at that place
        (3, 7, 3, ["discards"]),
        (3, 8, 4, ["discards"]),
    ],
)
def test_a_positional_discard_breaks_nothing(
    slot: int, level: int, pile: int, breaches: list[str]
) -> None:
    hands = ("y3 g3 b3 w3 y4", "g4 b4 w4 r4 g1", "b4 w4 y4 r2 g3")
    table = Seated(*hands, fireworks="r1 y2 g2 b2 w2")
    table.state.draw_pile = pile
    assert accused(table, discard_slot(table.state, slot), level=level) == breaches


def test_every_convention_has_an_exercise_with_a_board() -> None:
    assert [each.title for each in EXAMPLES if not each.deal] == []
    titles = " ".join(each.title.lower().replace("'", "") for each in EXAMPLES)
    assert [name for name in CATALOGUE if name.replace("_", " ") not in titles] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.title)
def test_examples_ask_for_what_the_strategy_does(example: Example) -> None:
    """The answer keeps all conventions, and it is what the strategy itself does there."""
    rules = preset("hle", example.players).replace(hint_tokens=example.tokens)
    game = game_with_deck(rules, example.deal)
    strategy = CONVENTIONS.with_options(**dict.fromkeys(CATALOGUE, True))
    seats = [Seat.in_game(strategy, player, 0, 0) for player in range(example.players)]
    for seat in seats:
        seat.begin(game.state)
    for action in example.actions[:-1]:
        event = game.act(action)
        for seat in seats:
            seat.observe(game.state, event)
    player = game.player
    chosen = Action.from_number(seats[player].act(game.state), game.state)
    game.act(example.answer)
    assert chosen == game.actions[-1]
    assert broken_conventions(game, player) == []
    assert example.question.endswith("?")
    assert example.wrong.endswith(".")


def test_explanations_name_the_agreement() -> None:
    said = ""
    for seed in range(5):
        game = play("conventions", Deck.shuffled(preset("hle", 4), seed=seed), seed=seed)
        said += "\n".join(explain_game(game, "conventions", seed=seed))
    for words in (
        "is on player ",
        "says play: it can only be",
        "can be played",
        "it is my chop, the oldest card that nobody has pointed at",
        "came one card too early",
    ):
        assert words in said
    game = play("conventions", Deck.shuffled(preset("hle", 2), seed=1), seed=1)
    to_me = explain_game(game, "conventions", seed=1, reader=1)
    assert any("slot 0 is your chop: if touched, keep or play it" in each for each in to_me)


@pytest.mark.parametrize("players", [2, 5])
def test_the_copies_in_one_hand_are_enough_to_count(players: int) -> None:
    """After every turn of a game, to count the copies in all hands again changes nothing."""
    deck = Deck.shuffled(preset("hle", players), seed=3)
    game, exhausted = Game(deck.rules, deck=deck), 0
    memory: Any = CONVENTIONS.fresh_memory()
    begin(view_of(game.state, 0), memory)
    for action in play("conventions", deck, seed=3).actions:
        event = game.act(action)
        observe(view_of(game.state, 0), event, memory)
        again = memory.beliefs.copy()
        again.counted = 0
        update_tables(view_of(game.state, 0), again, 0)
        assert again == memory.beliefs
        exhausted += again.counted != game.state.rules.all_cards
    assert exhausted
