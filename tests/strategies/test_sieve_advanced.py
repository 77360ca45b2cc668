"""Referential Sieve from level 5 on: what plays and discards say, notes, priority, near locks."""

from __future__ import annotations

from typing import Any

from tests.strategies.sieve_positions import CALM, Pair

from hanabilab.core.bits import members
from hanabilab.game.actions import DISCARD, HINT_SUIT, PLAY, play_slot
from hanabilab.strategies.explain import ExplanationContext
from hanabilab.strategies.sieve.calls import (
    DIRECT,
    DISCARD_CALL,
    LOADED_PLAY,
    LOCK,
    REFERENTIAL_PLAY,
    RESET,
    REVEAL,
    STALL,
)
from hanabilab.strategies.sieve.copies import read_notes
from hanabilab.strategies.sieve.explain import explain
from hanabilab.strategies.sieve.tables import chop_of, is_locked, note_known

SUITS = "rygbw"


def card_bit(name: str) -> int:
    """Return a card as a set."""
    return 1 << 5 * SUITS.index(name[0]) + int(name[1]) - 1


def know(pair: Pair, player: int, **slots: str) -> Pair:
    """Let both players know some touched cards: `s0="r1"`, or a suit, `s0="r"`."""
    for memory in pair.memories:
        table = memory.table
        for key, word in slots.items():
            slot, names = int(key[1:]), [word] if len(word) > 1 else [word + n for n in "12345"]
            cards = sum(card_bit(name) for name in names)
            table.touched[player] |= 1 << slot
            table.possible[player][slot] = table.inferred[player][slot] = cards
        note_known(table)
    return pair


# --- level 5: emergencies -------------------------------------------------------------------------


def free_choice(newest: str, tokens: int = 0, **options: Any) -> Pair:
    """Return a table without tokens; both have a play, and player 0 known trash as well."""
    hands = "r1 y1 b3 w3 g3", f"g1 r4 b4 w4 {newest}"
    pair = Pair(*hands, fireworks="y1", tokens=tokens, **options)
    return know(know(pair, 0, s0="r1", s1="y1"), 1, s0="g1")


def test_a_play_without_tokens_lets_a_loaded_partner_discard_the_newest_card() -> None:
    pair = free_choice("w3")
    pair.play(0)
    assert pair.trash() == [4]
    pair = free_choice("w3")
    pair.discard(1)
    assert not pair.trash()
    assert pair.table.sieved[1] >> 4 & 1
    for tokens, level in ((0, 4), (1, 8)):
        pair = free_choice("w3", tokens, level=level)
        pair.play(0)
        assert not pair.trash()


def test_the_last_card_of_a_suit_gives_a_token_and_keeps_the_partners_newest_card() -> None:
    for other, kept in (("b1", True), ("b3", False)):
        pair = Pair(f"r5 y1 {other} w3 g3", "g1 r3 b4 w4 w3", tokens=0, fireworks="r4 y1")
        know(know(pair, 0, s0="r5", s1="y1", s2=other), 1, s0="g1")
        pair.play(0)
        assert pair.trash() == ([] if kept else [4])


def test_without_tokens_the_choice_follows_the_partners_newest_card() -> None:
    event = free_choice("y1").choose()
    assert (event.kind, event.slot) == (PLAY, 0)
    event = free_choice("w5").choose()
    assert (event.kind, event.slot) == (DISCARD, 1)


def locked() -> Pair:
    """Return a table at which player 0 has just been locked."""
    pair = Pair("g4 r2 y2 b3 w3", "r3 g5 b3 w2 y4", mover=1)
    assert pair.tell(4, mover=1) == LOCK
    return pair


def test_a_sacrifice_at_once_permits_a_discard() -> None:
    pair = locked()
    pair.discard(1)
    assert pair.trash() == [4]


def test_only_turns_in_a_locked_hand_count_as_waiting() -> None:
    pair = locked()
    assert not pair.table.waited[1]
    pair.tell("r")
    assert pair.table.waited[0]
    pair = Pair(CALM, "r3 g5 b3 w2 y4")
    pair.tell("r")
    assert not pair.table.waited[0]


def test_a_later_sacrifice_keeps_the_partners_newest_card() -> None:
    pair = locked()
    assert pair.tell("r") == STALL
    pair.discard(4, mover=1)
    assert is_locked(pair.table, 0)
    pair.discard(1)
    assert is_locked(pair.table, 1)
    assert not pair.trash()


# --- level 6: copies ------------------------------------------------------------------------------


def noted(pair: Pair, card: str, player: int = 1) -> list[int]:
    """Return the slots with an elimination note on a card."""
    return [slot for slot in range(5) if pair.table.noted[player][slot] & card_bit(card)]


def test_a_called_discard_of_a_playable_card_notes_the_copy() -> None:
    pair = Pair(CALM, "r1 w4 r1 b4 y3")
    assert pair.tell(4) == DISCARD_CALL
    pair.discard(2, mover=1)
    assert noted(pair, "r1") == [0, 3]  # neither fours, nor the card drawn since
    assert not pair.called()
    assert pair.tell("y") == REVEAL
    assert pair.called() == pair.plays() == [0]
    assert pair.taken_for(0) == "r1"
    pair.play(0, mover=1)
    assert not noted(pair, "r1")


def test_a_discard_of_a_card_that_is_not_needed_soon_notes_nothing() -> None:
    for card, slots in (("r2", [0]), ("r3", [])):
        pair = Pair(CALM, f"{card} w4 {card} b4 y4")
        know(pair, 1, s4="y4")
        assert pair.tell(4) == DISCARD_CALL
        pair.discard(2, mover=1)
        assert noted(pair, card) == slots


def test_a_permission_notes_the_copy_only_if_there_were_tokens_to_save_it() -> None:
    for tokens, slots in ((2, [0, 1, 2, 3]), (1, [])):
        pair = Pair(CALM, "g4 r2 w4 b4 r2", tokens=tokens)
        pair.discard(4)
        pair.discard(4, mover=1)
        assert noted(pair, "r2") == slots


def known_red(card: str, hand: str) -> Pair:
    """Return a table after red 1 at which player 0 has a red card that both know."""
    return know(Pair(f"{card} g4 b4 w4 y4", hand, fireworks="r1"), 0, s0=card)


def test_a_layered_gentlemans_discard_plays_the_cards_before_the_copy() -> None:
    pair = known_red("r2", "b1 r2 g5 w5 y5")
    pair.discard(0)
    assert pair.plays() == [0]
    pair.play(0, mover=1)  # blue 1, so that the promise moves on
    assert pair.plays() == [0]
    assert pair.taken_for(0) == "r2"
    pair.play(0, mover=1)
    assert not pair.called()


def test_a_baton_discard_promises_the_copy_anywhere_but_on_the_newest_slot() -> None:
    pair = known_red("r3", "r3 g4 b4 w4 y5")
    pair.discard(0)
    assert noted(pair, "r3") == [0, 1, 2, 3]
    assert pair.trash() == [4]
    for memory in pair.memories:
        for slot in (1, 2, 3):
            memory.table.inferred[1][slot] &= ~card_bit("r3")
        read_notes(memory.table)
    assert pair.taken_for(0) == "r3"
    assert not pair.plays()


# --- level 7: edge cases --------------------------------------------------------------------------


def with_ones(hand: str, loaded: bool, **options: Any) -> Pair:
    """Return a table at which player 0 knows of ones."""
    pair = Pair(hand, "y1 g3 b4 w4 y4", mover=1, **options)
    pair.tell(1, mover=1)
    return know(pair, 1, s0="y1") if loaded else pair


def test_ones_out_of_order_call_a_loaded_partners_card_to_be_discarded() -> None:
    pair = with_ones("r1 g4 b1 w4 y4", loaded=True)
    pair.play(0)
    assert pair.trash() == [4]
    pair = with_ones("r1 g1 b1 w4 y4", loaded=True)
    pair.play(0)
    assert pair.trash() == [3]
    for slot, level in ((2, 8), (0, 6)):
        pair = with_ones("r1 g4 b1 w4 y4", loaded=True, level=level)
        pair.play(slot)
        assert not pair.trash()


def test_ones_out_of_order_keep_as_many_cards_as_were_skipped() -> None:
    pair = with_ones("r1 g1 b1 w4 y4", loaded=False)
    pair.play(0)
    assert members(pair.table.sieved[1]) == [3, 4]


def test_a_rank_hint_repeats_a_permission_of_eight_tokens() -> None:
    for level, trash in ((8, [4]), (6, [3])):
        pair = Pair(CALM, "r4 g2 b3 w3 y4", tokens=7, level=level)
        pair.discard(4)
        assert pair.trash() == [4]
        pair.tell(3, mover=1)
        assert pair.tell(4) == DISCARD_CALL
        assert pair.trash() == trash


def test_a_loaded_rank_hint_at_the_newest_card_revokes_a_permission() -> None:
    for level, said in ((8, RESET), (6, LOADED_PLAY)):
        pair = Pair(CALM, "r4 g2 b3 w5 y1", level=level)
        for memory in pair.memories:
            memory.table.permitted[1] = 1 << 3
        assert pair.tell(4) == said
    pair = Pair(CALM, "r4 g2 b3 w5 y1")
    for memory in pair.memories:
        memory.table.permitted[1] = 1 << 3
        memory.table.sieved[1] = 1 << 4
    pair.tell(4)
    assert chop_of(pair.table, 1) == 4
    assert not pair.trash()
    assert not pair.called()


# --- level 8: priority ----------------------------------------------------------------------------


def two_plays(hand: str, **options: Any) -> Pair:
    """Return a table at which player 0 knows blue 3, blue 4 and yellow 3 after blue 2, yellow 2."""
    pair = Pair("b3 b4 y3 r4 g4", hand, fireworks="b2 y2", **options)
    return know(pair, 0, s0="b3", s1="b4", s2="y3")


def test_a_play_that_leads_nowhere_prompts_the_partners_next_card() -> None:
    pair = know(two_plays("w4 y4 g3 r3 y5"), 1, s1="y")
    pair.play(2)
    assert pair.plays() == [1]
    assert pair.taken_for(1) == "y4"
    for slot, level in ((0, 8), (2, 7)):
        pair = know(two_plays("w4 y4 g3 r3 y5", level=level), 1, s1="y")
        pair.play(slot)
        assert not pair.called()


def test_a_play_beside_another_that_leads_nowhere_says_nothing() -> None:
    pair = Pair("b3 b5 y3 r4 g4", "w4 y4 g3 r3 y5", fireworks="b2 y2")
    know(know(pair, 0, s0="b3", s2="y3"), 1, s1="y")
    pair.play(2)
    assert not pair.called()


def test_without_such_a_card_it_calls_the_newest_untouched_one() -> None:
    pair = two_plays("w4 g4 g3 r3 y4")
    pair.play(2)
    assert pair.plays() == [4]
    assert "y4" in pair.taken_for(4).split()


def test_an_explanation_names_the_priority() -> None:
    pair = know(two_plays("w4 y4 g3 r3 y5"), 1, s1="y")
    action = play_slot(pair.state, 2)
    context = ExplanationContext.of(pair.view(0), pair.memories[0], action, None)
    assert "a priority prompt or finesse: player 1's slot 1 can be played" in explain(context)


# --- level 8: quasi-locked players ----------------------------------------------------------------


def quasi_locked(hand: str, **options: Any) -> Pair:
    """Return a table at which player 0 was called to discard green 3; player 1 may discard."""
    pair = Pair("r3 y3 w3 g3 b4", hand, fireworks="g1", mover=1, **options)
    for memory in pair.memories:
        memory.table.permitted[1] = 1 << 4
    assert pair.tell(4, mover=1) == DISCARD_CALL
    assert pair.trash(0) == [3]
    return pair


def test_a_quasi_locked_players_suit_hint_plays_the_newest_card_that_it_touches() -> None:
    pair = quasi_locked("g4 g2 w5 b5 y4")
    assert pair.tell("g") == DIRECT
    assert pair.called() == [1]
    pair.play(1, mover=1)
    assert pair.plays(0) == [3]
    assert pair.taken_for(3, player=0) == "g3"
    assert not pair.trash(0)
    pair = quasi_locked("g4 g2 w5 b5 y4", level=7)
    assert pair.tell("g") == REFERENTIAL_PLAY


def test_a_quasi_locked_player_may_fill_in_and_then_discards_unless_the_partner_plays() -> None:
    pair = know(quasi_locked("g4 g2 w5 b5 y4"), 1, s0="g")
    assert pair.tell(4) != STALL  # it touches a new card as well
    pair = know(quasi_locked("g4 g2 w5 b5 y3"), 1, s0="g")
    assert pair.tell(4) == STALL
    pair.discard(4, mover=1)
    assert pair.trash(0) == [3]
    assert pair.tell("w") != DIRECT  # for one turn only


# --- what is done ---------------------------------------------------------------------------------


def test_it_prefers_the_play_that_prompts_the_partner() -> None:
    event = know(two_plays("w4 y4 g3 r3 y5"), 1, s1="y").choose()
    assert (event.kind, event.slot) == (PLAY, 2)


def test_it_calls_the_connecting_card_while_quasi_locked() -> None:
    event = quasi_locked("g4 g2 w5 b5 y4").choose()
    assert (event.kind, event.value) == (HINT_SUIT, SUITS.index("g"))


def test_it_discards_a_copy_behind_a_playable_card() -> None:
    event = known_red("r2", "b1 r2 g5 w5 y5").choose()
    assert (event.kind, event.slot) == (DISCARD, 0)
    event = known_red("r2", "b4 r2 g5 w5 y5").choose()  # blue 4 would be misplayed
    assert (event.kind, event.slot) != (DISCARD, 0)
