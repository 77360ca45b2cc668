"""Knowledge: the hints, what everyone can work out, what one seat sees; probabilities."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab import Action, Game, Rules
from hanabilab.author import Knowledge
from hanabilab.game import card_in, count_of, from_public, from_seat, probability, weight
from tests.reference import Card
from tests.tables import choose, pair, pairs, random_deck, random_rules


def test_example_2_15() -> None:
    """(van den Bergh 2015, Example 2.15): the two ones are pointed out."""
    hand = [(1, 1), (4, 2), (5, 2), (1, 3), (4, 3)]  # (value, suit) as in the thesis
    first = [(suit - 1) * 5 + rank - 1 for rank, suit in hand]
    rest = [card for card in range(25) for _ in range((3, 2, 2, 2, 1)[card % 5])]
    for card in first:
        rest.remove(card)
    game = Game("thesis", [*first, *rest], players=2)
    game.act(Action.discard(0) if game.hint_tokens != 8 else Action.hint_rank(1, 5))
    assert all(game.state.possible[0][slot] == (1 << 25) - 1 for slot in range(5))
    event = game.act(Action.hint_rank(0, 1))
    ones = {(suit, 1) for suit in range(5)}
    others = {(suit, rank) for suit in range(5) for rank in range(2, 6)}
    known = [pairs(game.state.possible[0][slot], 5) for slot in range(5)]
    assert known == [ones, others, others, ones, others]
    assert event.touched == 0b01001
    game.act(Action.play(0))
    known = [pairs(game.state.possible[0][slot], 5) for slot in range(5)]
    assert known == [others, others, ones, others, ones | others]


def game_after(rules: Rules, seed: int, turns: int) -> Game:
    chance = random.Random(seed)
    game = Game(rules, random_deck(rules, chance))
    while not game.is_over and game.turn < turns:
        game.act(choose(game, chance))
    return game


def hand_of(game: Game, player: int) -> list[Card]:
    state = game.state
    cards = (card_in(state.hands[player], slot) for slot in range(state.hand_count[player]))
    return [pair(card, game.rules.ranks) for card in cards]


def not_on_the_table(game: Game) -> Counter[Card]:
    """All copies neither discarded nor played, from the history alone."""
    ranks = game.rules.ranks
    cards = Counter(pair(card, ranks) for card in game.deck)
    for event in game.events:
        if event.kind <= 1:
            cards[pair(event.card, ranks)] -= 1
    return +cards


@given(random_rules(), st.integers(0, 2**32), st.integers(0, 60))
def test_from_seat_counts_what_is_seen(rules: Rules, seed: int, turns: int) -> None:
    rules = rules.replace(hidden_plays=False)
    game = game_after(rules, seed, turns)
    for me in range(rules.players):
        unseen = not_on_the_table(game)
        for player in range(rules.players):
            if player != me:
                unseen.subtract(hand_of(game, player))
        knowledge = Knowledge()
        from_seat(knowledge, game.view(me))
        counts = [count_of(knowledge.unaccounted, card) for card in range(rules.max_score)]
        assert {pair(c, rules.ranks): n for c, n in enumerate(counts) if n} == +unseen
        for slot, card in enumerate(hand_of(game, me)):
            hints = pairs(game.state.possible[me][slot], rules.ranks)
            possible = {c for c in hints if unseen[c] > 0}
            assert pairs(knowledge.possible[me][slot], rules.ranks) == possible
            assert card in possible
            total = sum(unseen[c] for c in possible)
            for cards in (game.state.playable, game.state.dead, game.state.critical, 1):
                wanted = sum(unseen[c] for c in possible & pairs(cards, rules.ranks))
                found = probability(knowledge, me, slot, cards)
                assert found == pytest.approx(float(Fraction(wanted, total)))


@given(random_rules(), st.integers(0, 2**32), st.integers(0, 60))
def test_from_public_to_the_fixed_point(rules: Rules, seed: int, turns: int) -> None:
    game = game_after(rules, seed, turns)
    state, ranks = game.state, rules.ranks
    places = [(p, s) for p in range(rules.players) for s in range(state.hand_count[p])]
    possible = {place: pairs(state.possible[place[0]][place[1]], ranks) for place in places}
    left = not_on_the_table(game)
    identified: set[tuple[int, int]] = set()
    while True:
        for place in places:
            if place not in identified:
                possible[place] = {card for card in possible[place] if left[card] > 0}
        new = [p for p in places if p not in identified and len(possible[p]) == 1]
        if not new:
            break
        identified.add(new[0])
        left[next(iter(possible[new[0]]))] -= 1
    knowledge = Knowledge()
    from_public(knowledge, state)
    for player, slot in places:
        found = pairs(knowledge.possible[player][slot], ranks)
        assert found == possible[player, slot]
        assert hand_of(game, player)[slot] in found
        assert (knowledge.identified[player] >> slot & 1) == ((player, slot) in identified)
        total = sum(left[card] for card in found)
        for cards in (state.playable, state.dead, state.unique):
            wanted = sum(left[card] for card in found & pairs(cards, ranks))
            share = wanted / total if total else 0.0
            if len(found) == 1:
                share = float(bool(found & pairs(cards, ranks)))
            assert probability(knowledge, player, slot, cards) == pytest.approx(share)
    counts = [count_of(knowledge.unaccounted, card) for card in range(rules.max_score)]
    assert {pair(c, ranks): n for c, n in enumerate(counts) if n} == +left


def test_public_knowledge_goes_round_again() -> None:
    """A later player's known card tells an earlier player what their own card is."""
    rules = Rules(players=2, hand_size=1, ranks=2, suits=2, copies=((1, 1),))
    game = Game(rules, "r2 r1 y1 y2")
    for words in ("hint 1 r", "hint 0 r", "hint 1 1"):
        game.act(words)
    assert pairs(game.state.possible[0][0], 2) == {(0, 1), (0, 2)}
    knowledge = Knowledge()
    from_public(knowledge, game.state)
    assert pairs(knowledge.possible[1][0], 2) == {(0, 1)}
    assert pairs(knowledge.possible[0][0], 2) == {(0, 2)}
    assert knowledge.identified[:2] == [1, 1]


def test_public_knowledge_does_not_look_at_hands() -> None:
    """It is the same from any player's view."""
    game = game_after(Rules.classic(3), 5, 25)
    everyone = Knowledge()
    from_public(everyone, game.state)
    for player in range(3):
        mine = Knowledge()
        from_public(mine, game.view(player))
        assert mine == everyone


@given(st.integers(0, 2**32))
@settings(max_examples=25)
def test_probability_by_enumeration(seed: int) -> None:
    """One slot, by dealing the unseen cards in every way; hints touched that slot alone.

    With no hint on the rest of the hand, what `probability` computes is exact.
    """
    rules = Rules(players=2, hand_size=2, ranks=2, suits=2, copies=((2, 1), (1, 2)))
    chance = random.Random(seed)
    game = Game(rules, random_deck(rules, chance))
    unseen = list(game.deck)
    for card in (card_in(game.state.hands[1], slot) for slot in range(2)):
        unseen.remove(card)
    knowledge = Knowledge()
    from_seat(knowledge, game.view(0))
    deals = list(itertools.permutations(unseen))
    for cards in range(16):
        for slot in range(2):
            hits = sum(cards >> deal[slot] & 1 for deal in deals)
            assert probability(knowledge, 0, slot, cards) == pytest.approx(hits / len(deals))


def test_no_card_at_all() -> None:
    knowledge = Knowledge()
    assert probability(knowledge, 0, 0, 1) == 0.0


def test_weight_counts_copies() -> None:
    game = Game(players=2, seed=1)
    assert weight(game.state.left, game.state.rules.planes, game.state.rules.all_cards) == 50
    assert weight(game.state.left, game.state.rules.planes, 0b10001) == 4


def test_knowledge_of_a_game_in_words() -> None:
    """Classic Hanabi: a hinted 1 at the start is surely playable, and publicly so."""
    game = Game(players=2, seed=3)
    target = 1
    hand = [game.state.hands[target] >> (6 * slot) & 63 for slot in range(5)]
    rank = hand[0] % 5 + 1
    game.act(f"hint {target} {rank}")
    for public in (False, True):
        first = game.knowledge(target, public=public)[0]
        assert first.possible == tuple(f"{suit}{rank}" for suit in "rygbw")
        assert first.playable == (1.0 if rank == 1 else 0.0)
        assert first.dead == 0.0
    other = game.knowledge(0, public=True)[0]
    assert len(other.possible) == 25
    assert other.playable == 15 / 50
    assert other.unique == other.critical == 5 / 50
