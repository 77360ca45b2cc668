"""The laws of `duo`: what an action says by not being a hint."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from tests.strategies.hatter_positions import (
    CALM,
    OLDEST,
    ONES,
    TWO,
    act,
    at,
    bits,
    is_hint,
    is_true,
    told,
)

from hanabilab import Deck, Game, preset
from hanabilab.author import Strategy
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    decode_action,
    discard_slot,
    legal_actions,
    play_slot,
    rank_hint,
)
from hanabilab.game.cards import card_in
from hanabilab.game.state import State, view_of
from hanabilab.game.turn import take_turn
from hanabilab.papers.fixtures import state_with
from hanabilab.strategies.hatter import DUO
from hanabilab.strategies.hatter.decision import chance_of_critical, infer_own_cards
from hanabilab.strategies.hatter.laws import NEED, WARNING, update_law
from hanabilab.strategies.hatter.questions import conclude_need
from hanabilab.strategies.hatter.tables import CERTAIN, chop
from hanabilab.strategies.strategy import NONE, Candidates


def position(partner: str, *, tokens: int, play: bool = True) -> tuple[State, list[Any]]:
    """Return a start where player 0 publicly knows a play, or else a card that is not critical."""
    state = state_with(TWO, ["r1 g3 g4 b3 b4", partner], "")
    state.hint_tokens = tokens
    return state, at(OLDEST, state, {(0, 0): "r1"} if play else {(0, 1): "g3 g4"})


def test_a_partner_with_an_unknown_play_must_be_told_before_one_plays() -> None:
    state, memories = position("y3 y4 w3 w4 b1", tokens=4)
    assert memories[0].law.kind == NEED
    assert is_hint(act(OLDEST, state, memories))
    state, _ = position("y3 y4 w3 w4 b1", tokens=4)
    free = OLDEST.with_options(bind_plays=False)
    assert act(free, state, at(free, state, {(0, 0): "r1"})).kind == PLAY


def test_a_partner_with_a_critical_chop_must_be_told() -> None:
    state, memories = position("y5 y4 w3 w4 b3", tokens=4)
    assert memories[0].law.watched == 0
    assert is_hint(act(OLDEST, state, memories))
    assert not memories[1].tables.public[1][0] & bits("y3 y4")


def test_a_play_says_that_the_partner_is_not_in_need() -> None:
    state, memories = position(CALM, tokens=4)
    event = act(OLDEST, state, memories)
    assert (event.kind, event.slot) == (PLAY, 0)
    for slot in range(5):
        assert not memories[1].tables.public[1][slot] & bits("y1 g1 b1 w1")
    assert not memories[1].tables.public[1][0] & bits("r5 y5 g5 b5 w5")


def test_a_discard_says_that_the_partner_is_not_in_need() -> None:
    state, memories = position(CALM, tokens=4, play=False)
    event = act(OLDEST, state, memories)
    assert event.kind == DISCARD
    for slot in range(5):
        assert not memories[1].tables.public[1][slot] & bits(ONES)


def test_the_card_that_is_the_reason_for_the_need_may_be_played() -> None:
    state, memories = position("y3 y4 w3 w4 r1", tokens=4)
    event = act(OLDEST, state, memories)
    assert (event.kind, event.slot) == (PLAY, 0)
    assert memories[1].tables.public[1][4] & bits("r1")
    assert not memories[1].tables.public[1][4] & bits("y1 g1 b1 w1")


def test_plays_are_free_when_the_draw_pile_is_empty() -> None:
    state, memories = position("y3 y4 w3 w4 b1", tokens=4)
    state.draw_pile = 0
    state.turns_left = 2
    memories = at(OLDEST, state, {(0, 0): "r1"})
    assert memories[0].law.plays_are_free
    assert act(OLDEST, state, memories).kind == PLAY
    assert memories[1].tables.public[1][0] & bits("b1")


def test_without_a_token_a_discard_warns_and_a_play_does_not() -> None:
    state, memories = position("y5 y4 w3 w4 b3", tokens=0)
    assert memories[0].law.kind == WARNING
    event = act(OLDEST, state, memories)
    assert event.kind == DISCARD
    assert memories[1].tables.public[1][0] == bits("r5 y5 g5 b5 w5")
    state, memories = position(CALM, tokens=0)
    event = act(OLDEST, state, memories)
    assert (event.kind, event.slot) == (PLAY, 0)
    assert not memories[1].tables.public[1][0] & bits("r5 y5 g5 b5 w5")


# --- hints that mean need -------------------------------------------------------------------------


def test_a_hint_means_need_if_there_is_something_better_to_do() -> None:
    state, memories = position(CALM, tokens=4)
    assert memories[0].law.hint_means_need
    for tokens, pile, known, means_need in (
        (4, 40, "g3 g4", True),
        (7, 40, "g3 g4", True),
        (8, 40, "g3 g4", False),  # a discard is forbidden
        (0, 40, "g3 g4", False),
        (4, 15, "g3 g4", False),  # time is short
        (4, 40, "g3", False),  # it has cost hints
        (4, 40, "g4 g5", False),  # it may be critical
    ):
        state.hint_tokens = tokens
        state.draw_pile = pile
        for strategy in (OLDEST, OLDEST.with_options(bind_hints=False)):
            memory = at(strategy, state, {(0, 1): known})[1]
            expected = means_need and strategy is OLDEST
            assert memory.law.hint_means_need == expected, (tokens, pile, known)


def test_a_hint_to_a_partner_who_knows_a_play_does_not_mean_need() -> None:
    state, _ = position("y1 y4 w3 w4 b3", tokens=4)
    assert not at(OLDEST, state, {(0, 0): "r1", (1, 0): "y1"})[0].law.hint_means_need


def test_the_last_reason_needs_no_pair() -> None:
    """Slot 4 is not playable, so slot 2 is."""
    state = state_with(TWO, ["r1 g3 g4 b3 b4", "y3 y4 w1 w4 b2"], "")
    state.hint_tokens = 4
    known = {(1, slot): "y3 y4 w3 w4" for slot in (0, 1, 3)}
    memories = at(OLDEST, state, {(0, 0): "r1", **known, (1, 2): "w1 w4", (1, 4): "b1 b2"})
    _, row, question = told(state, memories, 1, 4, need=1)
    assert question == [(4, bits(ONES))]
    assert row[2] == bits("w1")
    assert row[4] == bits("b2")


def test_a_need_is_told_only_if_there_is_room_for_all_reasons() -> None:
    state = state_with(TWO, ["r1 g3 g4 b3 b4", "y3 y4 w3 w4 b1"], "")
    state.hint_tokens = 4
    memories = at(OLDEST, state, {(0, 0): "r1"})
    for hats, slots in ((4, [2, 1, 0]), (6, [4, 3, 2, 1, 0])):  # the chop is the sixth
        *_, question = told(state, memories, 1, hats, need=1)
        assert [slot for slot, _ in question] == slots
    assert question == [(slot, bits(ONES)) for slot in slots]


@pytest.mark.parametrize(
    ("known", "concluded"),
    [
        ("b3 b4 | b1 b2", "b3 b4 | b1"),
        ("b4 b5 | b2 b3", "b5 | b2 b3"),
        ("b4 b5 | b1 b2", "b4 b5 | b1 b2"),  # either reason may be the true one
        ("b3 b4 | b1 b2 | w1 w2", "b3 b4 | b1 b2 | w1 w2"),
        ("b3 b4 | b1 b2 | w1", "b3 b4 | b1 b2 | w1"),  # a play is known
        ("b5 | b1 b2", "b5 | b1 b2"),
        ("b3 b4 | b2 b3", "b3 b4 | b2 b3"),  # nobody was in need
    ],
)
def test_what_is_concluded_from_a_need(known: str, concluded: str) -> None:
    """The first slot is the watched chop."""
    state = state_with(TWO, ["r1 g3 g4 b3 b4", CALM], "")
    memory = at(OLDEST, state)[0]
    memory.law.watched = 0
    tables = [bits(cards) for cards in known.split("|")]
    tables += [bits("y3 y4")] * (5 - len(tables))
    conclude_need(view_of(state, 0), memory, 1, tables)
    expected = [bits(cards) for cards in concluded.split("|")]
    assert tables[: len(expected)] == expected


def test_hints_that_mean_need_are_never_idle() -> None:
    """Checked by the cards themselves; most hints mean need."""
    counts: Counter[bool] = Counter()
    for number in range(12):
        game = Game(TWO, Deck.shuffled(TWO, seed=38, game=number))
        memory: Any = DUO.fresh_memory()
        assert DUO.begin
        assert DUO.observe
        DUO.begin(game.view(0), memory)
        while not game.is_over:
            law, state = memory.law.copy(), game.state
            hand = [card_in(state.hands[1 - game.player], slot) for slot in range(5)]
            needed = any(state.playable >> card & 1 for card in hand if card < 25)
            if law.watched != NONE:
                needed |= bool(state.critical >> hand[law.watched] & 1)
            event = game.act(DUO.act(game.view(game.player), memory))
            if is_hint(event):
                counts[bool(law.hint_means_need)] += 1
                assert needed or not law.hint_means_need
            DUO.observe(game.view(game.player), event, memory)
    assert counts[True] > counts[False] > 0


# --- suspicion ------------------------------------------------------------------------------------


def see(strategy: Strategy, state: State, memories: list[Any], action: int) -> None:
    """Take an action, whoever would have chosen it, and show it to both players."""
    event = Event()
    decode_action(state, action, event)
    take_turn(state, [0] * state.rules.deck_size, event)
    for player, memory in enumerate(memories):
        assert strategy.observe
        strategy.observe(view_of(state, player), event, memory)


def hinted(strategy: Strategy, tokens: int) -> tuple[State, list[Any]]:
    """Return a table after a hint about 4s, which tells the partner of no play."""
    state = state_with(TWO, ["g1 g3 g4 b3 b4", "y5 y4 w3 w4 b3"], "")
    state.hint_tokens = tokens
    memories = at(strategy, state)
    assert memories[0].law.watched == 0
    see(strategy, state, memories, rank_hint(state, 1, 4))
    return state, memories


def test_after_a_hint_that_tells_of_no_play_the_chop_is_suspect() -> None:
    state, memories = hinted(OLDEST, 4)
    mine = memories[1]
    assert [memory.tables.suspects[1] for memory in memories] == [0, 0]
    view = view_of(state, 1)
    infer_own_cards(view, mine)
    assert chance_of_critical(view, mine, 0) == CERTAIN // 2
    assert chance_of_critical(view, mine, 2) < CERTAIN // 4
    _, memories = hinted(OLDEST, 8)  # with all tokens a hint is forced
    assert memories[1].tables.suspects[1] == NONE


def test_a_suspect_is_not_the_chop() -> None:
    state = state_with(TWO, ["g1 g3 g4 b3 b4", CALM], "")
    for strategy, slot in ((OLDEST, 1), (OLDEST.with_options(suspicion=0), 0)):
        memory = at(strategy, state)[1]
        assert chop(view_of(state, 1), memory, 1, memory.tables.public[1]) == 0
        memory.tables.suspects[1] = 0
        assert chop(view_of(state, 1), memory, 1, memory.tables.public[1]) == slot


def test_a_suspect_moves_with_its_slot_and_leaves_the_hand() -> None:
    for slot, suspect in ((0, 1), (2, NONE), (3, 2)):
        state, memories = hinted(OLDEST, 4)
        for memory in memories:
            memory.tables.suspects[1] = 2
        see(OLDEST, state, memories, discard_slot(state, slot))
        assert memories[0].tables.suspects[1] == memories[1].tables.suspects[1] == suspect


def test_a_law_clears_a_suspect() -> None:
    state, memories = hinted(OLDEST, 4)
    state.player = 0
    for memory in memories:
        update_law(view_of(state, 0), memory)
        memory.tables.suspects[1] = memory.law.watched
    see(OLDEST, state, memories, discard_slot(state, 0))
    assert memories[0].tables.suspects[1] == memories[1].tables.suspects[1] == NONE


# --- what a search may do within the laws ---------------------------------------------------------


def lawful(game: Game, memory: Any) -> list[int]:
    """Return the actions that a search without lies would consider, likely or not."""
    view, candidates = game.view(game.player), Candidates()
    every_slot = range(view.hand_count[game.player])
    candidates.plays = candidates.discards = (1 << len(every_slot)) - 1
    assert OLDEST.search.candidate_actions
    OLDEST.search.candidate_actions(view, candidates, memory.copy())
    assert not candidates.any_hint
    plays = [play_slot(view, slot) for slot in every_slot if candidates.plays >> slot & 1]
    discards = [discard_slot(view, slot) for slot in every_slot if candidates.discards >> slot & 1]
    proposed = candidates.actions[: candidates.count]
    legal = legal_actions(game.state)
    return [action for action in [*plays, *discards, *proposed] if action in legal]


def test_whatever_is_done_within_the_laws_tells_nothing_false() -> None:
    """Mostly what `duo` does, so that all laws come up, and else anything that it may do."""
    rng, kinds = random.Random(3), Counter[tuple[int, int]]()
    for number in range(50):
        game = Game(preset("classic", 2, lives=None), seed=9, game=number)
        memories = at(OLDEST, game.state)
        while not game.is_over and (actions := lawful(game, memories[0])):
            usual = OLDEST.act(game.view(game.player), memories[0].copy())
            keeps_to_it = usual in actions and rng.random() < 0.8
            action = usual if keeps_to_it else rng.choice(actions)
            kinds[memories[0].law.kind, game.act(action).kind] += 1
            for player, memory in enumerate(memories):
                assert OLDEST.observe
                OLDEST.observe(game.view(player), game.events[-1], memory)
            assert is_true(game, memories[0].tables)
    assert all(kinds[NEED, kind] > 10 for kind in (PLAY, DISCARD, HINT_RANK, HINT_SUIT))
    assert all(kinds[WARNING, kind] > 5 for kind in (PLAY, DISCARD))


def test_a_liar_may_do_what_the_laws_forbid() -> None:
    state, memories = position("y3 y4 w3 w4 b1", tokens=4)
    assert OLDEST.search.candidate_actions
    for lies in (0, 1):
        candidates = Candidates(lies=lies, any_hint=1, plays=31, discards=31)
        OLDEST.search.candidate_actions(view_of(state, 0), candidates, memories[0].copy())
        assert (candidates.any_hint, candidates.plays, candidates.discards) == (
            lies,
            31 * lies,
            31 * lies,
        )
        assert (candidates.count > 0) == (not lies)


# --- tokens against cards -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "tokens", "options", "hints"),
    [
        ("r1 r2", 5, {}, True),
        ("r1 r2", 4, {}, False),
        ("r1 r2", 5, {"token_worth": 4}, False),
        ("r1 r2", 7, {"token_worth": 0}, False),
        ("r1 r2", 5, {"rank_worth": 7}, False),
        ("r1 r2", 5, {"newer_worth": 2}, False),
        ("r1 r2 b3", 5, {}, False),  # the partner holds a b3
        ("r1 r2 r3 r4", 7, {}, True),
        ("r1 r2 r3 r4", 6, {}, False),
        ("r1 r2", 5, {"bind_hints": True}, False),  # a hint would mean need
    ],
)
def test_with_enough_tokens_a_good_card_is_not_discarded(
    cards: str, tokens: int, options: dict[str, int], hints: bool
) -> None:
    """Nobody is in need, and every card of the player's own may be any of these."""
    state = state_with(TWO, ["r2 r2 r3 r3 r4", CALM], "")
    state.hint_tokens = tokens
    strategy = DUO.with_options(**{"bind_hints": False, **options})
    memories = at(strategy, state, {(0, slot): cards for slot in range(5)})
    assert is_hint(act(strategy, state, memories)) == hints
