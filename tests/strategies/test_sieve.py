"""Referential Sieve: what hints, plays and discards mean, what is done, and what it is worth."""

from __future__ import annotations

from typing import Any, cast

import pytest
from tests.strategies.sieve_positions import CALM, Pair

from hanabilab import Deck, Game, compare, play, preset, simulate
from hanabilab.errors import StrategyError
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.sieve import SIEVE
from hanabilab.strategies.sieve.calls import (
    BLUFF,
    DISCARD_CALL,
    DOUBLE_BLUFF,
    EMPTY,
    FIX,
    LOADED_PLAY,
    LOCK,
    LOCKED_PLAY,
    PLAYABLE_RANK,
    PROMPT,
    REFERENTIAL_PLAY,
    REVEAL,
    STALL,
    TRASH_PUSH,
)
from hanabilab.strategies.sieve.memory import HIGHEST_LEVEL, SieveMemory
from hanabilab.strategies.sieve.reading import read_hint
from hanabilab.strategies.sieve.tables import chop_of, is_loaded, is_locked
from hanabilab.strategies.strategy import NONE
from hanabilab.table.players import explain_game

ONES = "r1 y1 g1 b1 w1"

# --- suit hints: play the card to the left --------------------------------------------------------


def test_a_suit_hint_calls_the_next_newer_card() -> None:
    pair = Pair(CALM, "y4 b1 r4 g4 w4")
    assert pair.tell("y") == REFERENTIAL_PLAY
    assert pair.called() == pair.plays() == [1]
    assert pair.taken_for(1) == "r1 g1 b1 w1"


def test_left_of_the_newest_card_is_the_oldest_and_touched_cards_are_skipped() -> None:
    pair = Pair(CALM, "r4 b1 g4 r5 y4")
    pair.table.touched[1] = pair.memories[1].table.touched[1] = 0b01001
    assert pair.tell("y") == REFERENTIAL_PLAY
    assert pair.called() == [1]


def test_of_several_touched_cards_the_newest_neighbour_is_meant() -> None:
    pair = Pair(CALM, "y4 r4 y3 b1 y5")  # not slot 0, the neighbour of the newest card
    assert pair.tell("y") == REFERENTIAL_PLAY
    assert pair.called() == [3]


def test_a_call_may_rely_on_earlier_calls_which_are_answered_first() -> None:
    pair = Pair(CALM, "y4 b1 g4 b2 w4")
    pair.tell("y")
    assert pair.tell("g") == REFERENTIAL_PLAY
    assert pair.called() == [1, 3]
    assert "b2" in pair.taken_for(3)
    assert pair.plays() == [1]
    pair.play(1, mover=1)
    assert pair.plays() == [2]
    assert "b2" in pair.taken_for(2)


# --- rank hints: discard the card to the right ----------------------------------------------------


def test_a_rank_hint_calls_the_next_older_card_to_be_discarded() -> None:
    pair = Pair(CALM, "r2 g2 b4 w5 r3")
    assert pair.tell(4) == DISCARD_CALL
    assert pair.trash() == [1]
    assert not pair.plays()


def test_touched_cards_are_skipped_on_the_way_to_a_discard() -> None:
    pair = Pair(CALM, "r5 g2 b4 w3 y5")
    pair.table.touched[1] = pair.memories[1].table.touched[1] = 0b01100
    assert pair.tell(5) == DISCARD_CALL
    assert pair.trash() == [1]


def test_a_rank_hint_without_a_card_to_discard_locks() -> None:
    pair = Pair(CALM, "g4 r2 y2 b3 w3")
    assert pair.tell(4) == LOCK
    assert is_locked(pair.table, 1)
    assert chop_of(pair.table, 1) == NONE
    pair.play(0)  # a misplay, but it gives no permission
    assert not pair.trash()


def test_a_rank_whose_needed_cards_are_all_playable_is_a_direct_play() -> None:
    pair = Pair(CALM, "r1 g4 b1 w4 y5")
    assert pair.tell(1) == PLAYABLE_RANK
    assert pair.plays() == [0, 2]
    pair = Pair(CALM, "r2 g4 b4 w4 y5", fireworks="r1")
    assert pair.tell(2) == LOCK


# --- hints about cards touched before -------------------------------------------------------------


def test_a_hint_that_shows_a_safe_action_means_no_more() -> None:
    pair = Pair(CALM, "y3 g4 b3 w4 r4", fireworks="y2")
    pair.tell("y")
    assert pair.called() == [1]
    pair = Pair(CALM, "y3 g4 b3 w4 r4", fireworks="y2", level=1)
    pair.table.touched[1] = pair.memories[1].table.touched[1] = 1
    yellow = sum(1 << card for card in range(5, 10))
    for memory in pair.memories:
        memory.table.possible[1][0] = memory.table.inferred[1][0] = yellow
    assert pair.tell(3) == REVEAL
    assert pair.plays() == [0]
    assert not pair.trash()


def test_a_hint_that_keeps_a_card_from_being_misplayed_means_no_more() -> None:
    pair = Pair(CALM, "y3 g4 r2 b2 w5")
    pair.tell("y")
    assert pair.plays() == [1]
    assert pair.tell(4) == FIX
    assert not pair.plays()


def filled_in(hand: str, touched: dict[int, str], **options: Any) -> Pair:
    """Return a table after blue 1, on which some of the partner's suits are known."""
    pair = Pair(CALM, hand, fireworks="b1", **options)
    for memory in pair.memories:
        table = memory.table
        for slot, suit in touched.items():
            first = 5 * "rygbw".index(suit)
            table.touched[1] |= 1 << slot
            cards = sum(1 << card for card in range(first, first + 5))
            table.possible[1][slot] = table.inferred[1][slot] = cards
    return pair


def test_a_prompt_calls_the_oldest_touched_card_that_may_be_missing() -> None:
    pair = filled_in("g4 b2 b5 w4 b3", {1: "b", 2: "b", 4: "b"})
    assert pair.tell(3) == PROMPT
    assert pair.called() == [1]
    assert pair.taken_for(1) == "b2"
    pair.play(1, mover=1)
    assert pair.plays() == [3]


def test_a_finesse_calls_the_newest_untouched_card_and_promises_the_focus() -> None:
    pair = filled_in("g4 b3 r5 w4 b2", {1: "b"})
    assert pair.tell(3) == BLUFF
    assert pair.plays() == [4]
    pair.play(4, mover=1)
    assert pair.plays() == [1]
    assert pair.taken_for(1) == "b3"


def test_a_bluff_plays_another_card_and_promises_nothing() -> None:
    pair = filled_in("g4 b3 r5 w4 r1", {1: "b"})
    assert pair.tell(3) == BLUFF
    pair.play(4, mover=1)
    assert not pair.plays()


def test_below_level_two_a_repeated_hint_says_nothing() -> None:
    pair = filled_in("g4 b3 r5 w4 r1", {1: "b"}, level=1)
    assert pair.tell(3) == STALL


def test_a_hint_that_says_nothing_new_calls_the_two_newest_untouched_cards() -> None:
    pair = filled_in("b4 g4 b3 r1 w1", {0: "b", 2: "b"})
    assert pair.tell("b") == DOUBLE_BLUFF
    assert pair.called() == [3, 4]
    assert pair.plays() == [4]
    pair.play(4, mover=1)
    assert pair.plays() == [3]


# --- loaded players -------------------------------------------------------------------------------


def test_to_a_loaded_player_a_rank_hint_calls_the_next_older_card_to_be_played() -> None:
    pair = Pair(CALM, "r2 g4 b5 w1 r3")
    assert pair.tell(5) == DISCARD_CALL
    assert pair.trash() == [1]
    assert pair.tell(3) == LOADED_PLAY
    assert pair.called() == [3]
    pair = Pair(CALM, "r2 g4 b5 w1 r3", level=2)
    pair.tell(5)
    assert pair.tell(3) == DISCARD_CALL


def test_a_hint_to_nothing_but_trash_pushes_the_card_beside_it() -> None:
    pair = Pair(CALM, "r1 g2 b1 w1 y1", fireworks=ONES)
    assert pair.tell(1) == TRASH_PUSH
    assert pair.called() == [1]
    assert pair.trash() == [0, 2, 3, 4]


def test_a_discard_permits_the_partner_to_discard_the_newest_card() -> None:
    pair = Pair(CALM, "r2 g1 b2 w4 y4")
    assert chop_of(pair.table, 1) == 4
    pair.discard(4)
    assert pair.trash() == [4]
    assert is_loaded(pair.table, 1)
    assert pair.tell(2) == LOADED_PLAY  # no longer a referential discard
    assert pair.called() == [1]


def test_a_hint_revokes_the_permission_of_a_card_that_it_touches() -> None:
    pair = Pair(CALM, "r2 g2 b2 w3 y4")
    pair.discard(4)
    assert pair.tell(4) == DISCARD_CALL  # as if there had been no permission
    assert pair.trash() == [3]


def test_a_safe_action_sieves_the_newest_card() -> None:
    pair = Pair(CALM, "y4 b1 r4 g4 w5")
    pair.tell("y")
    pair.play(1, mover=1)
    assert chop_of(pair.table, 1) == 4  # the drawn card, not white 5
    pair.discard(4)
    assert pair.trash() == [4]


# --- locked players -------------------------------------------------------------------------------


def locked(hand: str, **options: Any) -> Pair:
    """Return a table at which player 0 is locked and player 1 has a hand of one's own."""
    pair = Pair("g4 r2 y2 b3 w3", hand, mover=1, **options)
    assert pair.tell(4, mover=1) == LOCK
    return pair


def test_a_locked_player_stalls_and_permits_the_newest_card() -> None:
    pair = locked("r3 g5 b3 w2 y5")
    assert pair.tell("r") == STALL
    assert pair.trash() == [4]


def test_a_locked_players_suit_hint_to_the_newest_card_plays_it() -> None:
    pair = locked("r3 g5 b3 w2 y1")
    assert pair.tell("y") == LOCKED_PLAY
    assert pair.plays() == [4]
    assert pair.trash() == [3]  # the newest untouched card


def test_a_locked_players_rank_hint_still_calls_a_discard() -> None:
    pair = locked("r3 g5 b3 w2 y4")
    assert pair.tell(5) == DISCARD_CALL
    assert pair.trash() == [0]


def test_a_known_play_in_place_of_a_discard_unlocks_the_partner() -> None:
    pair = locked("r1 g5 b3 w2 y4")
    for memory in pair.memories:
        table = memory.table
        table.touched[1] |= 1
        table.possible[1][0] = table.inferred[1][0] = 1
        table.touched[0] |= 2
        table.possible[0][1] = table.inferred[0][1] = 0b11110
    pair.tell("g")
    assert pair.trash() == [4]
    pair.play(0, mover=1)
    assert pair.plays(0) == [1]
    assert pair.taken_for(1, player=0) == "r2"


def test_a_locked_player_may_discard_a_far_four() -> None:
    pair = locked("r3 g5 b3 w2 y4")
    pair.tell("g", mover=1)
    assert 0 in pair.trash(0)


# --- emergencies, copies and order ----------------------------------------------------------------


def test_the_last_token_promises_a_safe_discard() -> None:
    pair = Pair(CALM, "g4 r2 y2 b3 w3", tokens=1)
    assert pair.tell(4) == LOCK
    assert len(pair.trash()) == 1


def test_a_discard_in_place_of_a_known_play_keeps_the_partners_newest_card() -> None:
    pair = Pair("y4 b1 r4 g4 w4", CALM, mover=1)
    pair.tell("y", mover=1)
    pair.discard(4)
    assert not pair.trash()
    assert is_locked(pair.table, 1)


def test_trash_out_of_order_keeps_the_partners_newest_card() -> None:
    for slot, kept in ((0, False), (2, True)):
        pair = Pair("r1 g2 b1 w4 y4", CALM, fireworks=ONES, mover=1)
        for memory in pair.memories:
            memory.table.touched[0] = 0b101
            for dead in (0, 2):
                ones = sum(1 << 5 * suit for suit in range(5))
                memory.table.possible[0][dead] = memory.table.inferred[0][dead] = ones
        pair.discard(slot)
        assert is_locked(pair.table, 1) == kept


def test_ones_out_of_order_keep_the_partners_newest_card() -> None:
    for slot, kept in ((2, False), (0, True)):
        pair = Pair("r1 g4 b1 w4 y4", CALM, mover=1)
        assert pair.tell(1, mover=1) == PLAYABLE_RANK
        pair.play(slot)
        assert is_locked(pair.table, 1) == kept


def known_red_two(hand: str, **options: Any) -> Pair:
    """Return a table at which player 0 has a red 2 that both know, and red 1 was played."""
    pair = Pair("r2 g4 b4 w4 y4", hand, fireworks="r1", **options)
    for memory in pair.memories:
        memory.table.touched[0] = 1
        memory.table.possible[0][0] = memory.table.inferred[0][0] = 0b10
        memory.table.known[0] = 0b10
    return pair


def test_a_sarcastic_discard_tells_where_the_copy_is() -> None:
    pair = known_red_two("g5 r2 b5 w5 y5")
    for memory in pair.memories:
        memory.table.touched[1] = 2
        memory.table.possible[1][1] = memory.table.inferred[1][1] = 0b11111
    pair.discard(0)
    assert pair.taken_for(1) == "r2"
    assert pair.plays() == [1]


def test_a_gentlemans_discard_calls_the_oldest_untouched_card() -> None:
    pair = known_red_two("r2 g5 b5 w5 y5")
    pair.discard(0)
    assert pair.plays() == [0]
    assert pair.taken_for(0) == "r2"


def test_a_hint_that_touches_nothing_has_no_meaning() -> None:
    pair = Pair(CALM, "y4 b1 r4 g4 y3")
    said = read_hint(pair.view(0), pair.table, 0, HINT_SUIT, "rygbw".index("w"), 0)
    assert said == EMPTY
    assert not pair.called()


# --- what is done ---------------------------------------------------------------------------------


def test_it_calls_a_playable_card_and_the_partner_plays_it() -> None:
    pair = Pair(CALM, "y4 b1 r4 g4 w4", tokens=1)
    event = pair.choose()
    assert event.kind == HINT_SUIT
    pair.tell("rygbw"[event.value])
    answer = pair.choose()
    assert (answer.kind, answer.slot) == (PLAY, 1)


def test_it_saves_a_critical_newest_card() -> None:
    pair = Pair(CALM, "r2 g2 b2 w4 y5", tokens=4)
    event = pair.choose()
    assert event.kind in (HINT_SUIT, HINT_RANK)
    pair.tell(event.value if event.kind == HINT_RANK else "rygbw"[event.value])
    assert pair.plays() or pair.trash() != [4]
    assert chop_of(pair.table, 1) == NONE


def test_without_tokens_it_warns_by_a_discard_in_place_of_a_play() -> None:
    pair = Pair("w1 y4 b1 g4 w4", "r3 g3 b3 w3 y5", fireworks="w1", tokens=1, mover=1)
    for memory in pair.memories:
        memory.table.touched[0] = 1
        memory.table.possible[0][0] = memory.table.inferred[0][0] = 1 << 20
    pair.tell("y", mover=1)
    assert pair.plays(0) == [2]
    event = pair.choose()
    assert (event.kind, event.slot) == (DISCARD, 0)
    pair.discard(0)
    assert is_locked(pair.table, 1)  # yellow 5 stays


@pytest.mark.parametrize("seed", range(12))
def test_both_players_keep_the_same_table(seed: int) -> None:
    """The table is public: it is the same for both after every turn of every game."""
    rules = preset("hle", 2)
    deck = Deck.shuffled(rules, seed=seed)
    strategy = SIEVE.with_options(level=HIGHEST_LEVEL)
    game = play(strategy, deck, seed=seed, compiled=False)
    again = Game(rules, deck)
    seats = [Seat.in_game(strategy, player, seed, 0) for player in range(2)]
    for seat in seats:
        seat.begin(again.state)
    for action in game.actions:
        event = again.act(action)
        for seat in seats:
            seat.observe(again.state, event)
        tables = [cast(SieveMemory, seat.memory).table for seat in seats]
        assert tables[0] == tables[1]


def test_explanations_name_the_convention() -> None:
    said = ""
    for seed in range(6):
        game = play(SIEVE, Deck.shuffled(preset("hle", 2), seed=seed), seed=seed)
        said += "\n".join(explain_game(game, SIEVE, seed=seed))
    for words in (
        "a referential play",
        "a referential discard",
        "to be played",
        "permission to discard",
        "a trash push",
        "the last draws, thought through",
    ):
        assert words in said


def test_other_numbers_of_players_and_special_suits_are_refused_by_name() -> None:
    with pytest.raises(StrategyError, match="for two players, not 3"):
        simulate("sieve", players=3, games=1)
    assert "hints touch" in str(SIEVE.why_not(preset("Rainbow (6 Suits)", 2)))


# --- what it is worth -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("less", "gain"), [("level=1", 1.0), ("level=2", 0.5), ("end-lines=-1", 0.0)]
)
def test_every_part_is_worth_something(less: str, gain: float) -> None:
    """The same decks with and without hints about touched cards, permissions, the last draws."""
    found = compare([f"sieve:{less}", "sieve"], 2, games=2000, seed=3501, rules="hle")
    difference = found.differences[0]
    assert difference.better == "sieve"
    assert difference.mean > gain + 2 * difference.stderr


def test_it_scores_and_hardly_ever_loses() -> None:
    found = simulate("sieve", players=2, games=1500, seed=3502, rules="hle")
    assert found.mean > 23.8
    assert found.lost_rate < 0.01
