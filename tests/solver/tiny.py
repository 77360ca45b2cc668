"""Tiny games for the solver's tests: by hand, and by chance."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hanabilab.game.actions import count_legal, nth_legal
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State
from hanabilab.solver.position import Position
from tests.solver.brute import NO_END_YET, UNLIMITED, Setup, Table

CARDS_WITHIN_REACH = 9
SHAPES = ((2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 2), (2, 3))
ODD_SHAPES = ((1, 1), (1, 3), (1, 6), (6, 1), (7, 1), (4, 2), (2, 4), (3, 3))


def one_suit(ranks_in_order: str, *, hand_size: int, tokens: int, lives: int) -> Position:
    """Two players and one suit, given by the ranks in deck order, as in ``1 2 3 1 1``."""
    cards = [int(rank) - 1 for rank in ranks_in_order.split()]
    rules = Rules(
        players=2,
        hand_size=hand_size,
        ranks=max(cards) + 1,
        suits=1,
        copies=(tuple(cards.count(card) for card in range(max(cards) + 1)),),
        hint_tokens=tokens,
        lives=lives,
        open_game=True,
    )
    return Position.start(Deck.of(rules, cards))


def random_position(chance: random.Random, *, most_cards: int = CARDS_WITHIN_REACH) -> Position:
    """The start of a random game under random rules."""
    return Position.start(random_deck(chance, most_cards=most_cards))


def random_deck(
    chance: random.Random,
    *,
    most_cards: int = CARDS_WITHIN_REACH,
    most_players: int = 3,
    shapes: Sequence[tuple[int, int]] = SHAPES,
) -> Deck:
    """A random deck of random rules; shapes are numbers of ranks and suits."""
    while True:
        players, hand_size = chance.randint(1, most_players), chance.randint(1, 3)
        ranks, suits = chance.choice(shapes)
        size = chance.randint(ranks * suits - 1, most_cards)
        if players * hand_size <= size:
            break
    cards = list(range(ranks * suits))
    cards += [chance.choice(cards[: chance.randint(1, len(cards))]) for _ in range(most_cards)]
    cards = cards[:size]
    if chance.random() < 0.05:  # a card may be missing
        cards[chance.randrange(size)] = chance.randrange(ranks * suits)
    chance.shuffle(cards)
    rules = Rules(
        players=players,
        hand_size=hand_size,
        ranks=ranks,
        suits=suits,
        copies=tuple(
            tuple(cards.count(suit * ranks + rank) for rank in range(ranks))
            for suit in range(suits)
        ),
        hint_tokens=chance.choice([0, 1, 1, 2, 2, 3, None]),
        lives=chance.choice([1, 1, 2, 3, None]),
        empty_hints=chance.random() < 0.3,
        token_for_suit=chance.random() < 0.7,
        discard_at_full=chance.random() < 0.3,
        keep_score=chance.random() < 0.3,
        keep_on_last_turn=chance.random() < 0.3,
        deck_ends=chance.random() < 0.8,
        open_game=chance.random() < 0.6,
    )
    return Deck.of(rules, cards)


def special_deck(chance: random.Random, kind: str) -> Deck:
    """A random deck with hints, some suits of this kind, and at times a special rank."""
    while (deck := random_deck(chance, most_cards=8)).rules.players == 1:
        pass
    rules = deck.rules
    touching = [chance.choice(["plain", kind]) for _ in range(rules.suits)]
    touching[chance.randrange(rules.suits)] = kind
    ranks = [chance.choice(["plain"] * 4 + ["null", "omni"]) for _ in range(rules.ranks)]
    usual = ["usual"] * 5
    return Deck.of(
        rules.replace(
            open_game=False,
            touching=touching,
            rank_touching=ranks,
            suit_hints=chance.choice([*usual, "blind", "mute"]),
            rank_hints=chance.choice([*usual, "blind", "mute"]),
            discards_per_token=chance.choice([1, 1, 2]),
            first_player=chance.randrange(rules.players),
        ),
        deck.cards,
    )


def walk(position: Position, chance: random.Random, turns: int) -> Position:
    """The position after some random turns."""
    for _ in range(turns):
        if position.is_over:
            break
        choice = chance.randrange(count_legal(position.state))
        position = position.after([nth_legal(position.state, choice)])
    return position


def setup_of(position: Position) -> Setup:
    """The same rules for brute force."""
    state = position.state
    return Setup(
        ranks=state.rules.ranks,
        suits=state.rules.suits,
        players=state.rules.players,
        hand_size=state.rules.hand_size,
        deck=tuple(position.deck),
        hint_tokens=None if state.rules.unlimited_hints else state.rules.max_hint_tokens,
        lives=None if state.rules.unlimited_lives else state.rules.max_lives,
        token_for_suit=bool(state.rules.token_for_suit),
        discard_at_full=bool(state.rules.discard_at_full),
        keep_score=bool(state.rules.keep_score),
        keep_on_last_turn=bool(state.rules.keep_on_last_turn),
        deck_ends=bool(state.rules.deck_ends),
        open_game=bool(state.rules.open_game),
        empty_hints=bool(state.rules.empty_hints or state.rules.free_hints),
        parts=state.rules.discards_per_token,
        silent=frozenset(
            c for c in range(state.rules.suits * state.rules.ranks) if not state.rules.hint_bits[c]
        ),
        hints=state.rules.all_hints != 0,
    )


def table_of(position: Position) -> Table:
    """The same table for brute force."""
    state: State = position.state
    return Table(
        fireworks=tuple(state.fireworks[: state.rules.suits]),
        hands=tuple(tuple(sorted(hand)) for hand in position.hands),
        drawn=len(position.deck) - state.draw_pile,
        tokens=UNLIMITED
        if state.rules.unlimited_hints
        else state.hint_tokens * state.rules.discards_per_token + state.token_part,
        lives=UNLIMITED if state.rules.unlimited_lives else state.lives,
        player=state.player,
        turns_left=state.turns_left if state.turns_left >= 0 else NO_END_YET,
        over=position.is_over,
    )
