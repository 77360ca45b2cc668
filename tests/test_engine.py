"""The engine, turn by turn, against the slow reference (`tests.reference`)."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab import Action, Deck, Game, Rules, preset
from hanabilab.author import Event
from hanabilab.core.bits import members
from hanabilab.core.random import Rng, below
from hanabilab.errors import ActionError
from hanabilab.game import count_legal, nth_legal, pace
from hanabilab.game.actions import (
    MAX_MASK_BITS,
    count_actions,
    decode_action,
    is_legal,
    legal_mask,
    random_action,
)
from hanabilab.game.rules import PRESETS
from hanabilab.game.turn import take_turn
from hanabilab.strategies import find_strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import play
from tests.reference import Happening, Reference
from tests.tables import (
    SPECIAL,
    UNUSUAL,
    choose,
    pair,
    pairs,
    picture,
    picture_of,
    random_deck,
    random_rules,
    reference_of,
    words_of,
)


def play_beside_reference(deck: Deck, chance: random.Random) -> Game:
    """Play random legal actions in both engines; they must agree in everything, always."""
    game, reference = Game(deck.rules, deck), reference_of(deck)
    while True:
        assert picture(game) == picture_of(reference)
        check_legal_actions(game, reference)
        check_ranges(game)
        if game.is_over:
            return game
        number = choose(game, chance)
        event = game.act(number)
        compare_event(event, reference.move(reference.actions()[number]), deck.rules)


def check_legal_actions(game: Game, reference: Reference) -> None:
    state = game.state
    every = reference.actions()
    legal = [number for number, action in enumerate(every) if reference.is_legal(action)]
    assert count_actions(state) == len(every)
    assert count_legal(state) == len(legal)
    assert [nth_legal(state, n) for n in range(len(legal))] == legal
    assert [words_of(action) for action in game.legal_actions()] == [every[n] for n in legal]
    if legal:
        chosen = below(Rng(stream=state.turn), len(legal))
        assert random_action(state, Rng(stream=state.turn)) == legal[chosen]
        assert len(every) > MAX_MASK_BITS or members(legal_mask(state)) == legal
    for number, words in enumerate(every):
        event = Event()
        decode_action(state, number, event)
        action = Action.from_number(number, state)
        if not reference.end:
            assert words_of(action) == words
            assert action.number(state) == number
        assert is_legal(state, event) == (number in legal)


def compare_event(event: Event, happening: Happening, rules: Rules) -> None:
    if event.kind <= 1:
        assert pair(event.card, rules) == happening.card
    assert (event.lit, event.drew) == (happening.lit, happening.drew)
    if rules.hint_tokens is not None:  # unlimited is a large number, which may rise again
        assert event.token == happening.token
    assert event.touched == sum(1 << slot for slot in happening.touched)


def check_ranges(game: Game) -> None:
    """Cards are conserved (below Definition 2.13), and counters stay in range."""
    table = picture(game)
    rules = game.rules
    cards = Counter(table["discards"])
    cards.update(card for hand in table["hands"] for card in hand)
    cards.update(
        pair(card, rules) for card in list(game.deck)[len(game.deck) - table["draw pile"] :]
    )
    cards.update(pairs(game.state.played, rules))
    whole = Counter(pair(card, rules) for card in game.deck)
    assert cards == whole or (rules.hidden_plays and cards < whole)
    assert rules.hint_tokens is None or 0 <= table["tokens"] <= rules.hint_tokens
    assert rules.lives is None or 0 <= table["lives"] <= rules.lives
    assert 0 <= table["score"] <= rules.max_score
    assert (table["lives"] == 0) == (table["end"] == "lives")
    state = game.state
    for suit, top in enumerate(table["fireworks"]):
        row = state.played >> suit * rules.ranks & (1 << rules.ranks) - 1
        assert row.bit_count() == top
        assert rules.stacks != "usual" or row == (1 << top) - 1
    assert pairs(state.played, rules) <= table["dead"]
    reachable = table["best"] - sum(table["fireworks"])
    assert pace(state) == rules.players + table["draw pile"] - reachable


@given(random_rules(), st.integers(0, 2**32))
def test_random_rules_and_decks(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    play_beside_reference(random_deck(rules, chance), chance)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    for players in PRESETS[name].hands:
        deck = Deck.shuffled(preset(name, players), seed=players)
        play_beside_reference(deck, random.Random(players))


@pytest.mark.parametrize("rules", [*UNUSUAL, *SPECIAL], ids=range(len(UNUSUAL) + len(SPECIAL)))
def test_unusual_rules(rules: Rules) -> None:
    for seed in range(1 if rules.ranks > 10 else 3):
        chance = random.Random(seed)
        play_beside_reference(random_deck(rules, chance), chance)


@pytest.mark.parametrize("seed", range(4))
def test_good_play_completes_fireworks(seed: int) -> None:
    """Random play rarely gets far; here all see their own cards, so that suits are completed."""
    rules = preset("classic", 2 + seed, hint_tokens=[8, 1, None, 3][seed])
    game = Game(rules, seed=seed)
    reference = reference_of(game.deck)
    while not game.is_over:
        hand = reference.P[reference.C]
        fits = [slot for slot, card in enumerate(hand) if card in reference.playable()]
        dead = [slot for slot, card in enumerate(hand) if card in reference.dead()]
        legal = [action.type for action in game.legal_actions()]
        if fits:
            action = Action.play(fits[0])
        elif "discard" in legal:
            action = Action.discard(dead[0] if dead else len(hand) - 1)
        else:
            action = game.legal_actions()[-1]
        game.act(action)
        reference.move(words_of(action))
        assert picture(game) == picture_of(reference)
    assert game.score >= 15


@given(random_rules(), st.integers(0, 2**32))
def test_every_game_ends(rules: Rules, seed: int) -> None:
    """Also if the players hint, then discard, as long as they may; the end has no legal action."""
    game = Game(rules, seed=seed)
    every_hint = max(1, (rules.players - 1) * (rules.ranks + rules.suits))
    tokens = every_hint * (rules.deck_size + 1) if rules.hint_tokens is None else rules.hint_tokens
    most = 2 * rules.deck_size + tokens + rules.suits + rules.players
    state, deck = game.state, list(game.deck)
    while not game.is_over and most >= 0:
        count = count_legal(state)
        number = nth_legal(state, count - 1)
        if number < 2 * rules.hand_size:
            number = nth_legal(state, 0)
        event = Event()
        decode_action(state, number, event)
        take_turn(state, deck, event)
        most -= 1
    assert game.is_over
    assert count_legal(state) == 0
    assert game.legal_actions() == []


def test_unlimited_hints_suffice_for_every_hint_at_any_stage() -> None:
    """(van den Bergh 2015, below Definition 2.9)."""
    game = Game("thesis", players=3, hint_tokens=None, seed=1)
    for _ in range(20 * 50):
        game.act(game.legal_actions()[-1])
    assert game.hint_tokens is None
    assert any(action.type == "hint_suit" for action in game.legal_actions())


def test_nothing_can_be_done_after_the_end() -> None:
    game = Game(players=2, seed=1, lives=1)
    while not game.is_over:
        game.act("play 0")
    with pytest.raises(ActionError, match=r"the game is over \(lives\)"):
        game.act("play 0")


def test_score_without_a_life() -> None:
    deck = Deck.shuffled(players=2, seed=1)
    for keep, score in ((False, 0), (True, 1)):
        game = Game(Rules.classic(keep_score=keep, lives=1), deck)
        cards = [str(name) for name in str(deck).split()]
        slot = next(slot for slot in range(5) if cards[slot].endswith("1"))
        game.act(Action.play(slot))
        assert game.score == 1
        other = next(slot for slot in range(5) if not cards[5 + slot].endswith(("1", "2")))
        game.act(Action.play(other))
        assert game.end == "lives"
        assert game.score == score


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("cards", "actions", "last_turn"),
    [
        ([0, 0, 1, 2], ["play 0", "discard 0", "discard 0", "play 0"], True),
        ([0, 0, 2, 1], ["play 0", "discard 0", "play 0"], False),
    ],
)
def test_score_without_a_life_on_the_last_turn(
    *, keep: bool, cards: list[int], actions: list[str], last_turn: bool
) -> None:
    """A 3 on a 1, as the very last action and one turn earlier."""
    rules = Rules(players=2, hand_size=1, ranks=3, suits=1, copies=((2, 1, 1),), lives=1)
    rules = rules.replace(discard_at_full=True, keep_on_last_turn=keep)
    game = Game(rules, Deck.of(rules, cards))
    for action in actions:
        game.act(action)
    assert game.end == "lives"
    assert game.score == (1 if keep and last_turn else 0)


@pytest.mark.parametrize("rules", [*UNUSUAL, preset("hle", 5)], ids=range(len(UNUSUAL) + 1))
def test_the_loop_plays_like_the_game(rules: Rules) -> None:
    """What `play_chunk` reports is what stepping through the same game by hand gives."""
    random_strategy = find_strategy("random")
    rows = play_chunk(rules, [random_strategy] * rules.players, 5, 10, 3, compiled=False)
    for number, row in enumerate(rows):
        game = play(
            "random", Deck.shuffled(rules, seed=5, game=10 + number), seed=5, game=10 + number
        )
        misplays = game.state.rules.max_lives - game.state.lives
        assert row == [game.score, game.turn, misplays, game.state.end]
