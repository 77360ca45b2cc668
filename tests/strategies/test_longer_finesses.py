"""Self, layered and hidden finesses of `conventions`: given, read, answered, and dropped."""

from __future__ import annotations

from typing import Any

import pytest
from tests.strategies.conventions_positions import Seated

from hanabilab.formats.action import Action
from hanabilab.game.actions import HINT_RANK, PLAY, discard_slot, rank_hint
from hanabilab.game.rules import preset
from hanabilab.game.state import rank_cards
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.calls import stop_waiting
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.strategies.conventions.giving import hint_worth, prepare_hints
from hanabilab.strategies.conventions.judging import Breach, Judge, broken_conventions
from hanabilab.strategies.explain import ExplanationContext
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import NONE

LAYERED = ("y3 g3 b3 w3", "b4 w4 y3 y4", "b4 w4 r1 g1", "g4 y4 w3 r2")
"""Player 0 tells player 3 red: red 2, and red 1 is behind green 1 in the hand of player 2."""


def called(table: Seated, player: int) -> list[int]:
    """Return the called slots of a player, as everyone reads it."""
    return [memory.beliefs.called[player] for memory in table.memories]


GIVER, THIRD, SELF = "y3 b3 w3 y4 w4", "b4 w4 r4 y4 b3", "g4 b4 r4 g3 g2"
"""The 3 in the last hand is green 3, and the card before it is the newest one there."""


def self_table(*hands: str, **options: Any) -> Seated:
    """Return a table where green 1 has been played, and self-finesses are agreed on."""
    return Seated(*hands, **{"fireworks": "g1", "self_finesses": True, **options})


@pytest.mark.parametrize("target", [1, 2])
def test_a_self_finesse_among_three_is_given_read_and_answered(target: int) -> None:
    """Also directly after the giver, where another call would be a bluff on any card that fits."""
    table = self_table(GIVER, *([SELF, THIRD] if target == 1 else [THIRD, SELF]))
    context = ExplanationContext.of(
        table.view(0), table.memories[0], rank_hint(table.state, target, 3), None
    )
    assert f"a self-finesse, player {target} plays the newest card" in CONVENTIONS.about.explain(
        context
    )
    event = table.act()
    assert (event.kind, event.value, event.target) == (HINT_RANK, 3, target)
    assert [called(table, player) for player in (3 - target, target)] == [[0] * 3, [1 << 4] * 3]
    assert [table.taken_for(target, 4, by=reader) for reader in range(3)] == ["g2"] * 3
    if target == 2:
        assert table.act().kind != PLAY  # player 1 sees green 2 and is not called
    first = table.act()
    assert (first.kind, first.slot, first.lit) == (PLAY, 4, 1)
    assert [table.taken_for(target, 3, by=reader) for reader in range(3)] == ["g3"] * 3
    while table.state.player != target:
        table.discard(0)
    assert (table.act().slot, table.state.fireworks[2]) == (3, 3)


@pytest.mark.parametrize("options", [{"self_finesses": False}, {"level": 1}])
def test_without_self_finesses_the_hint_calls_the_player_between(options: dict[str, Any]) -> None:
    table = self_table(GIVER, THIRD, SELF, **options)
    table.tell_rank(2, 3)
    assert called(table, 2) == [0] * 3
    assert table.memories[1].beliefs.called[1] == 1 << 4


@pytest.mark.parametrize(
    ("third", "seat"),
    [
        ("b4 w4 r4 y4 g2", 1),  # a finesse
        ("b4 w4 r4 y4 r1", 1),  # a bluff
        ("b4 w4 r4 y4 g2", 2),  # a reverse finesse
    ],
)
def test_a_target_who_sees_another_reading_plays_nothing_unseen(third: str, seat: int) -> None:
    table = self_table(GIVER, *([third, SELF] if seat == 1 else [SELF, third]))
    target = 3 - seat
    view, memory = table.view(0), table.memories[0]
    prepare_hints(view, memory, target)
    assert hint_worth(view, memory, target, HINT_RANK, 3) < 0  # two could answer
    table.tell_rank(target, 3)
    assert table.memories[target].beliefs.called[target] == 0


def test_a_target_who_waits_for_another_card_answers_no_self_finesse() -> None:
    """Player 1 takes the 3 for red 3, which fits after the newest card of player 2."""
    table = self_table(GIVER, SELF, "b4 w4 r4 y4 r2", fireworks="r1 g1")
    view, memory = table.view(0), table.memories[0]
    prepare_hints(view, memory, 1)
    assert hint_worth(view, memory, 1, HINT_RANK, 3) < 0
    assert (memory.draft.called_player, memory.draft.answers) == (NONE, 0)


def test_a_hint_that_may_be_a_save_or_a_stall_is_no_self_finesse() -> None:
    chop = self_table(GIVER, THIRD, "g3 b4 r4 g4 g2")
    chop.state.discarded[0] |= chop.bits("g3")
    chop.state.critical |= chop.bits("g3")
    chop.update_tables()
    chop.tell_rank(2, 3)
    assert called(chop, 2) == [0] * 3
    locked = self_table("y5 b4 w4 y4 w4", THIRD, SELF)
    locked.state.rank_hinted[0] = 0b11111
    for memory in locked.memories:
        for slot in range(5):
            fours = rank_cards(locked.view(1), 4) | rank_cards(locked.view(1), 5)
            memory.beliefs.possible[0][slot] = fours
    locked.update_tables()
    locked.tell_rank(2, 3)
    assert called(locked, 2) == [0] * 3


def test_on_the_last_life_there_is_no_self_finesse() -> None:
    table = self_table(GIVER, THIRD, SELF)
    table.state.lives = 1
    table.tell_rank(2, 3)
    assert called(table, 2) == [0] * 3


def test_without_reverse_finesses_nobody_waits_for_a_player_who_acts_later() -> None:
    table = self_table(GIVER, SELF, "b4 w4 r4 y4 g2", reverse_finesses=False)
    table.tell_rank(1, 3)
    assert [called(table, player) for player in (1, 2)] == [[1 << 4] * 3, [0] * 3]


def test_who_has_a_call_to_answer_is_not_called_by_a_self_finesse() -> None:
    table = self_table(GIVER, THIRD, SELF)
    for memory in table.memories:
        memory.beliefs.called[2] = 1
        memory.beliefs.inferred[2][0] = table.bits("r1")
    table.tell_rank(2, 3)
    assert called(table, 2) == [1] * 3


def test_a_self_finesse_among_three_that_is_not_answered_is_dropped() -> None:
    table = self_table(GIVER, THIRD, SELF, tokens=3)
    table.tell_rank(2, 3)
    table.discard(0)
    table.discard(0)
    assert called(table, 2) == [0] * 3
    assert set(table.taken_for(2, 2).split()) > {"g3"}


def test_a_third_player_is_not_accused_for_leaving_a_self_finesse_to_its_target() -> None:
    for level, calls in ((11, []), (1, ["calls"])):
        table = self_table(GIVER, THIRD, SELF)
        judge = Judge(table.state, 1, level)
        judge.observe(table.state, table.tell_rank(2, 3))
        found = judge.judge(table.state, discard_slot(table.state, 0))
        assert [each.convention for each in found if isinstance(each, Breach)] == calls


def test_who_stops_waiting_for_a_second_card_keeps_to_the_calls_of_their_own_hints() -> None:
    """Player 3 waited for player 2, and has called player 0 for green 2 meanwhile."""
    table = Seated("r4 g2 r3 w3", "y5 g4 w5 b4", "g3 g4 y2 r2", "b3 y3 b4 w4", fireworks="g1 y1")
    beliefs = table.memories[3].beliefs
    beliefs.called[0], beliefs.source[0][1], beliefs.inferred[0][1] = 0b10, 4, table.bits("g2")
    beliefs.later[3] = beliefs.awaited[3] = table.bits("y3")
    beliefs.later_until[3], beliefs.waiting_slot[3] = 4, 1
    stop_waiting(table.view(3), beliefs, 3, NONE)
    assert (beliefs.called[0], beliefs.later[3]) == (0b10, 0)


def test_a_layered_finesse_is_given_and_answered_with_both_cards() -> None:
    assert Seated(*LAYERED, layered_finesses=True).act().target == 3
    table = Seated(*LAYERED, layered_finesses=True)
    table.tell_suit(3, "r")
    assert called(table, 2)[:3] == [1 << 3] * 3
    table.discard(0)
    table.act()
    assert table.state.fireworks[2] == 1
    assert called(table, 2) == [1 << 2] * 4
    assert set(table.taken_for(3, 3).split()) == {"r1", "r2"}
    assert table.choose().kind != PLAY  # it is red 2, if red 1 comes
    for _ in range(3):
        table.discard(0)
    assert (table.act().slot, table.state.fireworks[0]) == (2, 1)
    assert [table.taken_for(3, 2, by=reader) for reader in range(4)] == ["r2"] * 4
    assert (table.act().slot, table.state.fireworks[0]) == (2, 2)


def test_a_layered_finesse_that_does_not_go_on_is_dropped() -> None:
    table = Seated(*LAYERED, layered_finesses=True, tokens=2)
    table.tell_suit(3, "r")
    table.discard(0)
    table.play(3)
    for _ in range(4):
        table.discard(0)
    assert called(table, 2) == [0] * 4
    assert table.taken_for(3, 2) == "r1"


def test_directly_after_the_giver_a_layer_is_a_bluff() -> None:
    hands = (LAYERED[0], LAYERED[2], LAYERED[1], LAYERED[3])
    table = Seated(*hands, layered_finesses=True)
    table.tell_suit(3, "r")
    table.play(3)
    assert called(table, 1) == [0] * 4
    assert [table.taken_for(3, 3, by=reader) for reader in range(4)] == ["r2"] * 4
    simpler = Seated(*hands, layered_finesses=True, bluffs=False)
    simpler.tell_suit(3, "r")
    simpler.play(3)
    assert called(simpler, 1) == [1 << 2] * 4


@pytest.mark.parametrize("agreed", [True, False])
def test_a_hidden_finesse_goes_on_after_a_prompt(agreed: bool) -> None:
    """Cathy has a touched 1 that may be red 1, but it is green 1, and red 1 was drawn later."""
    example = next(each for each in EXAMPLES if each.title == "Hidden finesses")
    game = game_with_deck(preset("hle", 4), example.deal)
    strategy = CONVENTIONS.with_options(hidden_finesses=agreed)
    seats = [Seat.in_game(strategy, player, 0, 0) for player in range(4)]
    for seat in seats:
        seat.begin(game.state)
    for action in example.actions[:7]:
        event = game.act(action)
        for seat in seats:
            seat.observe(game.state, event)
    memories: list[Any] = [seat.memory for seat in seats]
    assert [each.beliefs.called[2] for each in memories] == [1 << 2 if agreed else 0] * 4
    for action in example.actions[7:-1]:
        event = game.act(action)
        for seat in seats:
            seat.observe(game.state, event)
    chosen = Action.from_number(seats[2].act(game.state), game.state)
    assert (str(chosen) == "play slot 2") == agreed


@pytest.mark.parametrize(
    "title", ["Self finesses", "Double finesses", "Layered finesses", "Hidden finesses"]
)
def test_longer_finesses_break_no_agreement(title: str) -> None:
    """A judge at the usual settings accuses nobody of what those who know more do."""
    example = next(each for each in EXAMPLES if each.title == title)
    game = game_with_deck(preset("hle", example.players), example.deal)
    for action in example.actions:
        game.act(action)
    for player in range(example.players):
        found = {each.convention for each in broken_conventions(game, player)}
        assert not found & {"promises", "calls", "plays"}
