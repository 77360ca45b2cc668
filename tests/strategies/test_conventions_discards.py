"""Chop moves and discards that say something: given, read at every seat, and broken."""

from __future__ import annotations

from typing import Any

import pytest
from tests.strategies.conventions_positions import CALM, Seated

from hanabilab.game.actions import DISCARD, HINT_RANK, PLAY, rank_hint
from hanabilab.strategies.conventions.catalogue import FILL_IN_HINTS, FIVE_STALLS
from hanabilab.strategies.conventions.stalling import (
    FILL_IN,
    FIVE_STALL,
    HARD_BURN,
    PLAY_OR_SAVE,
    TEMPO_STALL,
    first_available,
)
from hanabilab.strategies.conventions.strategy import CONVENTIONS
from hanabilab.strategies.explain import ExplanationContext
from hanabilab.strategies.strategy import NONE


def kept(table: Seated, player: int) -> list[int]:
    """Return the slots of a player that are protected, by each player's reading."""
    return [memory.beliefs.kept[player] for memory in table.memories]


def called(table: Seated, player: int) -> list[int]:
    """Return the slots of a player that are called, by each player's reading."""
    return [memory.beliefs.called[player] for memory in table.memories]


def explained(table: Seated, reader: int | None = None) -> str:
    """Return why the player to move does what the strategy chooses."""
    player = table.state.player
    action = table.strategy.act(table.view(player), table.memories[player])
    context = ExplanationContext.of(table.view(player), table.memories[player], action, reader)
    return CONVENTIONS.about.explain(context)


# --- chop moves -----------------------------------------------------------------------------------


def test_a_five_next_to_the_chop_moves_the_chop() -> None:
    table = Seated(CALM, "b2 y5 g4 w4 r4", "g4 b4 w4 y3 r3", tokens=5)
    assert "a chop move: player 1 keeps slot 0" in explained(table)
    event = table.act()
    assert (event.kind, event.value, event.target) == (HINT_RANK, 5, 1)
    assert kept(table, 1) == [1, 1, 1]
    assert table.chop(1) == 2
    table.state.player = 1
    table.state.hint_tokens = 0
    table.update_tables()
    assert (table.choose().kind, table.choose().slot) == (DISCARD, 2)


@pytest.mark.parametrize(
    ("hand", "tokens", "options"),
    [
        ("b2 g4 y5 w4 r4", 5, {}),  # not the card after the chop
        ("y5 b2 g4 w4 r4", 5, {}),  # the chop itself: a save
        ("b2 y5 g4 w4 r4", 8, {}),  # no discard was possible: a stall
        ("b2 y5 g4 w4 r4", 5, {"five_chop_moves": False}),
        ("b2 y5 g4 w4 r4", 5, {"level": 3}),
    ],
)
def test_other_fives_move_no_chop(hand: str, tokens: int, options: dict[str, Any]) -> None:
    table = Seated(CALM, hand, "g4 b4 w4 y3 r3", tokens=tokens, **options)
    table.tell_rank(1, 5)
    assert kept(table, 1) == [0, 0, 0]


def test_touching_only_dead_cards_moves_all_that_are_older() -> None:
    def position(**options: Any) -> Seated:
        ones = "r1 y1 g1 b1 w1"
        return Seated(CALM, "b2 y2 r1 w4 g4", "g4 b4 w4 y3 r3", fireworks=ones, **options)

    table = position()
    table.tell_rank(1, 1)
    assert kept(table, 1) == [3, 3, 3]
    assert (table.choose().kind, table.choose().slot) == (DISCARD, 2)  # the dead card first
    off = position(trash_chop_moves=False)
    off.tell_rank(1, 1)
    assert kept(off, 1) == [0, 0, 0]


# --- stalls ---------------------------------------------------------------------------------------


def test_before_the_first_discard_a_five_is_touched_rather_than_a_card_discarded() -> None:
    def position(tokens: int = 5, **options: Any) -> Seated:
        return Seated(CALM, "y4 g3 b3 r5 w4", tokens=tokens, five_stalls=True, **options)

    early = position()
    assert (early.choose().kind, early.choose().value) == (HINT_RANK, 5)
    assert position(tokens=3).choose().kind == DISCARD
    assert position(level=1).choose().kind == DISCARD
    late = position()
    late.discard(0)
    late.state.player = 0
    assert (late.choose().kind, late.choose().value) != (HINT_RANK, 5)


def test_the_last_copy_of_a_card_just_thrown_away_is_not_risked() -> None:
    def position(**options: Any) -> Seated:
        hands = ("r4 y3 y4 g3 g4", "b4 g4 b4 w4 y4", "y3 y4 g3 g4 b4")
        table = Seated(*hands, tokens=1, **options)
        table.discard(0)  # the other r4 may be on the chop of the next player
        return table

    assert position(double_discards=True).choose().kind != DISCARD
    assert position(double_discards=False).choose().kind == DISCARD


def locked(other: str = "r4 b4 b4 w4 w3", **options: Any) -> Seated:
    """Return a table at which player 1 has no chop and nothing to play."""
    hands = (other, "y4 g4 y5 w5 r5", "g3 b3 r4 w4 y3")
    table = Seated(*hands, tokens=8, **options)
    table.tell_rank(1, 4)
    table.state.player = 0
    table.tell_rank(1, 5)
    return table


def test_a_player_without_a_chop_saves_any_card_on_a_chop() -> None:
    table = locked()
    assert "I cannot discard, and so save slot 0 (green 3)" in explained(table)
    event = table.act()
    assert (event.kind, event.value, event.target) == (HINT_RANK, 3, 2)
    for reader in range(3):
        assert "g3" in table.taken_for(2, 0, by=reader)
    assert locked(level=8).choose().kind == DISCARD
    for giver, meaning in ((1, "r3 y3 g3 b3 w3"), (0, "r3")):  # player 0 has a chop
        other = locked(fireworks="r2")
        other.state.player = giver
        other.tell_rank(2, 3)
        assert other.taken_for(2, 0) == meaning


@pytest.mark.parametrize(
    ("other", "fireworks", "options", "meaning"),
    [
        ("r4 b4 b4 w4 w3", "r2", {}, "r3 y3 g3 b3 w3"),
        ("r4 b4 b4 w4 w3", "r2 w2", {}, "r3 w3"),  # white 3 could have been hinted
        ("w3 b4 b4 w4 w3", "r2 w2", {}, "r3 w3"),  # also on the chop
        ("g5 b4 b4 w4 w3", "r2", {"five_stalls": False}, "r3"),  # a save comes first
        ("r4 b4 w3 w4 b3", "r2 w2", {}, "r3 y3 g3 b3 w3"),  # a hint would mean another card
        ("r4 b4 g5 w4 w3", "r2", {}, "r3"),  # a five stall comes first
        ("r4 b4 g5 w4 w3", "r2", {"five_stalls": False}, "r3 y3 g3 b3 w3"),
        ("r4 b4 g5 w4 w3", "r2", {"stall_table": False}, "r3 y3 g3 b3 w3"),
    ],
)
def test_a_save_by_a_stall_comes_after_other_hints(
    other: str, fireworks: str, options: dict[str, Any], meaning: str
) -> None:
    """Giver and target see the hand of player 0: what could have been hinted there."""
    table = locked(
        other, fireworks=fireworks, **{"five_stalls": True, "stall_table": True, **options}
    )
    table.tell_rank(2, 3)
    assert [table.taken_for(2, 0, by=reader) for reader in (1, 2)] == [meaning] * 2


@pytest.mark.parametrize(
    ("hand", "told", "spoken", "first"),
    [
        ("r4 b4 b4 w4 y4", "", "", HARD_BURN),
        ("r4 b4 b4 w4 w2", "", "", PLAY_OR_SAVE),
        ("r4 b4 b4 w4 w2", "", "w2", HARD_BURN),  # another hand is known to hold white 2
        ("w4 b4 w2 b4 b2", "", "", HARD_BURN),  # white would mean the chop, and 2 blue 2
        ("r5 b4 b4 w4 y4", "", "", PLAY_OR_SAVE),
        ("r4 b4 r5 w4 y4", "", "", FIVE_STALL),
        ("w2 b4 b4 w4 y4", "2", "", TEMPO_STALL),
        ("r3 b3 y4 g3 b3", "y", "", FILL_IN),
        ("r3 b3 y4 g3 b3", "y4", "", HARD_BURN),
    ],
)
def test_the_stall_table_has_an_order(hand: str, told: str, spoken: str, first: int) -> None:
    """What player 1, who has to tell player 2 something, could have told player 0 instead."""
    agreed = {"five_stalls": True, "fill_in_hints": True, "stall_table": True}
    table = Seated(hand, CALM, "g4 g3 y3 g4 y1", fireworks="w1", tokens=8, **agreed)
    for word in told:
        table.state.player = 1
        if word.isdigit():
            table.tell_rank(0, int(word))
        else:
            table.tell_suit(0, word)
    memory = table.memories[1]
    memory.draft.spoken = table.bits(spoken)
    assert first_available(table.view(1), memory, 1, 2, 0) == first
    memory.beliefs.active &= ~(FIVE_STALLS | FILL_IN_HINTS)
    other = {FIVE_STALL: HARD_BURN, FILL_IN: HARD_BURN}.get(first, first)
    assert first_available(table.view(1), memory, 1, 2, 0) == other


def test_with_all_tokens_there_a_locked_hand_saves_as_everyone_does() -> None:
    """Any card but the newest may be saved then, and so the newest is not (stall table)."""
    for agreed, meaning in ((False, "r3 y3 g3 b3 w3"), (True, "r3")):
        table = locked(fireworks="r2", stall_table=agreed)
        table.state.discarded[0] |= table.bits("r1")
        table.state.hint_tokens = 8
        table.update_tables()
        table.tell_rank(2, 3)
        assert table.taken_for(2, 0) == meaning


@pytest.mark.parametrize(
    ("hand", "options", "kept_slots"),
    [
        ("r1 b4 w4 y3 r4", {}, 0),
        ("r1 b4 w4 y3 r4", {"five_stalls": False}, 1),
        ("r1 b4 w4 y3 r2", {}, 0),
        ("r1 b4 w4 y3 r2", {"stall_table": True}, 1),  # red 2 could have been hinted
    ],
)
def test_a_five_stall_moves_no_chop(hand: str, options: dict[str, Any], kept_slots: int) -> None:
    """Before the first discard, and if a player must not discard, a five is only touched."""
    agreed = {"five_stalls": True, **options}
    table, later = (Seated(CALM, "b2 y5 g4 w4 r4", hand, fireworks="r1", **agreed) for _ in "12")
    table.tell_rank(1, 5)
    assert kept(table, 1)[:2] == [kept_slots] * 2
    later.state.player = 2
    later.discard(0)  # a dead card
    later.tell_rank(1, 5)
    assert kept(later, 1) == [1] * 3


def test_a_player_who_has_a_play_does_not_stall_but_one_who_must_not_discard_does() -> None:
    for thrown, told, kept_slots in (("", False, 0), ("", True, 1), ("y3", False, 0)):
        table = Seated("y3 g3 b3 w3 r1", "b2 y5 g4 w4 r4", "g4 b4 w4 y3 b4", five_stalls=True)
        table.state.player = 2
        if told:
            table.tell_suit(0, "r")
        if thrown:
            table.state.discarded[0] |= table.bits(thrown)
            table.update_tables()
            for memory in table.memories:
                memory.beliefs.thrown = table.bits(thrown)  # it may be on player 0's chop
        table.state.player = 0
        table.tell_rank(1, 5)
        assert kept(table, 1) == [kept_slots] * 3


def test_a_five_that_was_touched_before_can_be_played_after_a_second_hint() -> None:
    table = Seated(CALM, "b2 b4 y5 w4 r4", fireworks="y4", five_stalls=True)
    for meaning in ("r5 y5 g5 b5 w5", "y5"):
        table.state.player = 0
        table.tell_rank(1, 5)
        assert table.taken_for(1, 2) == meaning


def test_a_five_stall_is_explained() -> None:
    table = Seated(CALM, "y4 g3 b3 r5 w4", five_stalls=True)
    assert "a five stall: slot 3 (red 5) is to be kept" in explained(table)


def test_a_hint_that_says_nothing_is_explained() -> None:
    table = locked(fill_in_hints=True)
    again = rank_hint(table.state, 0, 4)
    table.take(again)
    table.state.player = 1
    context = ExplanationContext.of(table.view(1), table.memories[1], again, None)
    said = CONVENTIONS.about.explain(context)
    assert "a stall, as I must not discard: it says no more than its words" in said


def test_hints_with_all_tokens_there_may_save_any_card_but_the_newest() -> None:
    def position(**options: Any) -> Seated:
        table = Seated(CALM, "b4 g3 w4 y4 r4", "g3 b4 w4 y3 b3", fireworks="r2", **options)
        table.state.player = 2
        table.discard(0)
        table.state.hint_tokens = 8
        table.update_tables()
        table.tell_rank(1, 3)  # g3, without the convention taken for r3
        return table

    table = position(full_token_saves=True)
    assert all("g3" in table.taken_for(1, 1, by=reader) for reader in range(3))
    assert position().taken_for(1, 1) == "r3"


def test_a_player_who_must_not_discard_says_no_more_than_the_words() -> None:
    def position(thrown: str, **options: Any) -> Seated:
        hands = (f"{thrown} r1 r2 y4 b3", "g3 b4 w4 y3 b3", "y4 g3 w3 b4 w4")
        table = Seated(*hands, tokens=6, **options)
        table.state.player = 1
        table.tell_rank(2, 3)
        for slot in (1, 1):
            table.state.player = 0
            table.play(slot)
        table.state.player = 0
        table.discard(0)
        table.tell_rank(2, 3)
        return table

    stall = position("g4", fill_in_hints=True)  # the other g4 may be on the chop of player 1
    assert "w3" in stall.taken_for(2, 2)
    assert position("g4").taken_for(2, 2) == "r3"
    assert position("r1", fill_in_hints=True).taken_for(2, 2) == "r3"  # r1 is dead: no stall


@pytest.mark.parametrize(
    ("suit", "options", "meaning"),
    [
        ("", {}, "r3 w3"),
        ("y", {}, "r3"),  # more could have been said about yellow 4
        ("y", {"stall_table": False}, "r3 w3"),
        ("y", {"fill_in_hints": False}, "r3"),  # then such a hint is always a tempo hint
    ],
)
def test_a_hint_that_says_nothing_comes_last(
    suit: str, options: dict[str, Any], meaning: str
) -> None:
    """Player 1 must not discard, and tells player 2 the same again."""
    agreed = {"fill_in_hints": True, "stall_table": True, **options}
    hands = ("g4 b3 w4 y4 w3", "g3 b4 w4 y3 b3", "y4 g3 w3 b4 w4")
    table = Seated(*hands, fireworks="r2", tokens=6, **agreed)
    table.state.player = 1
    table.tell_rank(2, 3)
    if suit:
        table.state.player = 1
        table.tell_suit(0, suit)
    table.state.player = 0
    table.discard(0)  # the other g4 may be on the chop of player 1
    for memory in table.memories:
        memory.beliefs.inferred[2][2] = table.bits("r3 w3")  # as if red 2 had come later
    table.update_tables()
    table.tell_rank(2, 3)
    assert [table.taken_for(2, 2, by=reader) for reader in (1, 2)] == [meaning] * 2


# --- tempo ----------------------------------------------------------------------------------------


def tempo(**options: Any) -> Seated:
    """Return a table after a second red hint to player 1, who has played r1."""
    table = Seated(CALM, "b2 g4 r2 b4 r1", "g4 b4 w4 y3 r4", **options)
    table.tell_suit(1, "r")
    table.play(4)
    table.state.player = 0
    table.tell_suit(1, "r")
    return table


def test_a_tempo_hint_plays_a_card_and_moves_the_chop() -> None:
    table = tempo()
    assert [table.taken_for(1, 2, by=reader) for reader in range(3)] == ["r2"] * 3
    assert kept(table, 1) == [1, 1, 1]
    table.state.player = 1
    assert (table.choose().kind, table.choose().slot) == (PLAY, 2)


def test_a_hint_that_says_nothing_new_is_worth_less() -> None:
    table = Seated(CALM, "b2 g4 r2 b4 r1", "g4 b4 w4 y3 r4", tokens=3)
    table.tell_suit(1, "r")
    table.play(4)
    table.state.player = 0
    assert (table.choose().kind, table.choose().value) == (HINT_RANK, 2)  # not red again


@pytest.mark.parametrize(
    "options", [{"tempo_chop_moves": False}, {"level": 5}, {"tempo_hints": False}]
)
def test_other_tempo_hints_move_no_chop(options: dict[str, Any]) -> None:
    assert kept(tempo(**options), 1) == [0, 0, 0]


@pytest.mark.parametrize(
    ("other", "options", "kept_slots"),
    [
        ("w2 b3 w3 y4 b4", {}, 0),  # a stall: player 0 could only have hurried white 2 instead
        ("w2 b3 w3 y4 y5", {}, 1),  # a five stall comes before it
        ("w2 b3 w3 y4 y5", {"five_stalls": False}, 0),
        ("w2 b3 w3 y4 y5", {"stall_table": False}, 0),
    ],
)
def test_a_tempo_hint_that_is_a_stall_moves_no_chop(
    other: str, options: dict[str, Any], kept_slots: int
) -> None:
    agreed = {"five_stalls": True, "stall_table": True, **options}
    hands = ("g4 g3 b3 w3 w4", "b2 g4 r2 b4 r1", other)
    table = Seated(*hands, fireworks="w1", **agreed)
    table.tell_rank(2, 2)
    table.state.player = 0
    table.tell_suit(1, "r")
    table.play(4)
    for memory in table.memories:
        memory.beliefs.thrown = table.bits("g4")  # it may be on player 0's chop
    table.state.player = 0
    table.tell_suit(1, "r")
    assert kept(table, 1)[:2] == [kept_slots] * 2


def test_a_tempo_hint_that_a_prompt_could_not_replace_moves_no_chop() -> None:
    table = Seated(CALM, "b2 r2 r4 b4 r1", "g4 b4 w4 y3 r4")
    table.tell_suit(1, "r")
    table.play(4)
    table.tell_rank(1, 2)  # a prompt for r2 would have found r4, the younger one
    assert kept(table, 1) == [0, 0, 0]
    assert table.taken_for(1, 1) == "r2"


def test_ones_drawn_later_come_first_then_the_oldest() -> None:
    table = Seated("g4 b4 w4 y3 r4", "y4 r1 g1 b1 w4", CALM, tokens=8, order_of_ones=True)
    table.tell_rank(1, 1)
    beliefs = table.memories[1].beliefs
    assert table.choose().slot == 1  # the oldest
    beliefs.drawn[1] = 0b1100
    assert table.choose().slot == 3  # the newest that was drawn
    beliefs.chop_focus[1] = 0b0100
    assert table.choose().slot == 2
    table.play(2)
    assert [memory.beliefs.drawn[1] >> 4 for memory in table.memories] == [1, 1, 1]
    plain = Seated("g4 b4 w4 y3 r4", "y4 r1 g1 b1 w4", CALM, tokens=8)
    plain.tell_rank(1, 1)
    plain.memories[1].beliefs.drawn[1] = 0b1100
    assert plain.choose().slot == 1


# --- discards that warn ---------------------------------------------------------------------------


def test_a_player_without_a_card_to_throw_away_says_nothing_by_playing() -> None:
    def position(hand: str) -> Seated:
        table = Seated(hand, "r5 g4 b4 w4 r4", fireworks="r1", tokens=2)
        table.state.player = 1
        table.tell_rank(0, 2)
        table.state.player = 1
        table.tell_suit(0, "r")  # now r2 is known to fit
        assert table.state.hint_tokens == 0
        return table

    locked = position("r2 y2 g2 b2 w2")
    assert locked.chop(0) == NONE
    assert locked.act().kind == PLAY
    assert locked.memories[1].beliefs.inferred[1][0] & locked.bits("r5")
    free = position("y4 y3 g3 b3 r2")
    free.play(4)  # this player could have warned
    assert not free.memories[1].beliefs.inferred[1][0] & free.bits("r5")


def test_a_dead_card_instead_of_a_play_warns_with_tokens_left() -> None:
    def position(**options: Any) -> Seated:
        table = Seated("g3 b3 y1 w3 r2", CALM, "r5 g4 b4 w4 y4", fireworks="r1 y1", **options)
        table.state.player = 2
        table.tell_rank(0, 1)
        table.state.player = 2
        table.tell_suit(0, "y")
        table.state.player = 2
        table.tell_suit(0, "r")
        table.state.player = 0
        return table

    table = position()
    table.discard(2)
    assert all(reading & 1 for reading in kept(table, 1))
    quiet = position(shout_discards=False)
    quiet.discard(2)
    assert kept(quiet, 1) == [0, 0, 0]


# --- copies in other hands ------------------------------------------------------------------------

COPY = ("g4 b4 w4 y3 r1", CALM, "b4 w4 y4 g3 r1")
"""Players 0 and 2 hold r1 as the youngest card."""


def with_copies(*hands: str, **options: Any) -> Seated:
    """Return a table at which everyone knows that player 0 holds r1."""
    table = Seated(*hands, **{"gentlemans_discards": True, **options})
    table.state.player = 2
    table.tell_suit(0, "r")
    table.state.player = 0
    return table


def test_a_gentlemans_discard_is_given_read_and_answered() -> None:
    table = with_copies(*COPY)
    assert "a gentleman's discard: red 1 fits" in explained(table)
    event = table.act()
    assert (event.kind, event.slot) == (DISCARD, 4)
    assert called(table, 2) == [1 << 4] * 3
    assert table.taken_for(2, 4) == "r1"
    table.state.player = 2
    assert "says that my newest card is a copy" in explained(table)
    blind = table.act()
    assert (blind.kind, blind.slot, blind.lit) == (PLAY, 4, 1)
    assert all(memory.conduct.odds[0] >= 0 for memory in table.memories)


def test_a_copy_that_was_not_there_costs_trust() -> None:
    table = with_copies(COPY[0], CALM, "b4 w4 y4 g3 r4")
    table.discard(4)
    assert table.memories[2].conduct.odds[0] < 0  # nobody else is seen to hold a copy
    table.state.player = 2
    before = table.memories[2].conduct.odds[0]
    assert not table.act().lit
    assert table.memories[2].conduct.odds[0] < before


@pytest.mark.parametrize(
    ("copy", "options"),
    [
        ("b4 w4 y4 r1 g3", {}),  # not the newest card
        ("b4 w4 y4 g3 r1", {"gentlemans_discards": False}),
        ("b4 w4 y4 g3 r1", {"level": 9}),
    ],
)
def test_a_card_without_such_a_copy_is_played(copy: str, options: dict[str, Any]) -> None:
    table = with_copies(COPY[0], CALM, copy, **options)
    assert table.choose().kind == PLAY


def test_a_sarcastic_discard_tells_what_a_touched_card_is() -> None:
    def position(**options: Any) -> Seated:
        hands = ("y4 r3 g4 b4 r1", CALM, "g4 r3 y4 b4 y3")
        table = Seated(*hands, fireworks="y2", tokens=8, **options)
        table.state.player = 1
        table.tell_rank(2, 3)
        table.tell_suit(0, "r")
        table.state.player = 2
        table.tell_rank(0, 3)
        table.state.player = 0
        table.discard(1)
        return table

    table = position()
    assert [table.taken_for(2, 1, by=reader) for reader in range(3)] == ["r3"] * 3
    assert position(sarcastic_discards=False).taken_for(2, 1) != "r3"


# --- positional discards --------------------------------------------------------------------------


def near_the_end(slot: int, *, pile: int = 2, odds: int = 20, **options: Any) -> Seated:
    """Return a table after player 0 discarded a slot; r2 is at place 1 of player 2's hand.

    `odds` are those that everyone keeps the conventions.
    """
    hands = ("y3 g3 b3 w3 y4", "g4 b4 w4 r4 g1", "b4 w4 y4 r2 g3")
    fireworks = "r1 y2 g2 b2 w2"
    table = Seated(
        *hands, fireworks=fireworks, **{"positional_discards": True, "end_lines": -1, **options}
    )
    table.state.draw_pile = pile
    table.update_tables()
    for memory in table.memories:
        memory.conduct.odds[:] = [odds] * len(memory.conduct.odds)
    table.discard(slot)
    return table


def test_a_positional_discard_calls_the_card_at_the_same_place() -> None:
    table = near_the_end(3)
    assert called(table, 2) == [1 << 3] * 3
    table.state.player = 2
    blind = table.act()
    assert (blind.kind, blind.slot, blind.lit) == (PLAY, 3, 1)


@pytest.mark.parametrize(
    ("slot", "options"),
    [
        (0, {}),  # the chop is expected
        (3, {"pile": 4}),
        (3, {"level": 7}),
        (3, {"positional_discards": False}),
    ],
)
def test_other_discards_call_nobody(slot: int, options: dict[str, Any]) -> None:
    assert called(near_the_end(slot, **options), 2) == [0, 0, 0]


def test_the_answer_to_a_positional_discard_is_explained() -> None:
    table = near_the_end(3)
    table.state.player = 2
    assert "player 0's positional discard names this slot" in explained(table)


def test_strangers_name_nothing_by_a_discard() -> None:
    """Whoever has not proved to keep the conventions is not read, but may have meant it."""
    assert called(near_the_end(3, odds=0), 2) == [1 << 3, 0, 0]
    assert called(near_the_end(3, odds=0, trust=False), 2) == [1 << 3] * 3


@pytest.mark.parametrize("answers", [True, False])
def test_what_a_positional_discard_named_is_forgotten_after_the_answer(answers: bool) -> None:
    table = near_the_end(3)
    assert [memory.beliefs.named[2] for memory in table.memories] == [1 << 3] * 3
    table.state.player = 2
    if answers:
        table.play(3)
    else:
        table.tell_rank(0, 3)
    assert [memory.beliefs.named[2] for memory in table.memories] == [0] * 3
