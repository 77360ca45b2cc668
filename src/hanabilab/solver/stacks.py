"""Fireworks that need not begin with 1: one ordinary game for every order of their cards.

If fireworks go up or down, or begin with any rank (sudoku), an *order* says how each of them is
built: upwards or downwards, or from which rank. With the ranks of each suit renumbered by an order,
the game is an ordinary one, which the other modules solve. In that game a start card is a second
copy of the first card of its suit.

**The maximum can be reached if and only if it can be reached with one of the orders, and the best
score is the best over all orders.** Take any line of the real game. The directions or first ranks
of its fireworks at the end, with any choice for those that are open, are an order (two fireworks
never begin with the same rank). Every card that the line plays is the next one of its firework by
that order, so it can also be played in the ordinary game. A card that the line misplays is playable
nowhere, so it is not playable there either: what is playable by an order is playable in the real
game. Discards, hint tokens and draws are the same, and so is the end of the game. Conversely, a
line of the ordinary game can be played in the real one unless it misplays a card that is playable
there in another direction; so every line is replayed in the real game before it counts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import permutations, product

from hanabilab.errors import ActionError
from hanabilab.game.cards import HIDDEN_HAND, add_copy, any_copy, count_of, put_card
from hanabilab.game.rules import Rules, switch_set
from hanabilab.game.rules_record import require_handled, rules_of
from hanabilab.game.state import (
    DOWNWARDS,
    GOING_ON,
    UPWARDS,
    State,
    hands_of,
    initial_state,
    refresh_counts,
    start_of,
)
from hanabilab.solver.kernels.node import HANDLED
from hanabilab.solver.position import Position, any_pass, play_safely, take_action

__all__ = ["Order", "line_at_the_table", "orders_of", "ordinary_games"]

Order = tuple[tuple[int, ...], ...]
"""For each suit, when each of its ranks is played: 0 for those with which a firework begins."""

UP, DOWN = (0, 1, 2, 3, 4, 0), (4, 3, 2, 1, 0, 0)
"""The order of the ranks 1 to 5 and the start card."""
KEPT_SWITCHES = switch_set(
    "all_or_nothing deck_ends discard_at_full discards_per_token empty_hints first_player",
    "inverted_suits keep_on_last_turn keep_score open_game score_ends speedrun token_for_suit",
)
"""The switches of the real game that matter in the ordinary ones, where all cards are visible."""
UP_OR_DOWN = 1
"""The number of this way to build fireworks in a record of rules; the other one is sudoku."""


def orders_of(state: State) -> Iterator[Order]:
    """Yield the orders compatible with the fireworks begun so far."""
    rules = state.rules
    starts = [start_of(state, suit) for suit in range(rules.suits)]
    if rules.stacks == UP_OR_DOWN:
        ways = {0: (UP, DOWN), UPWARDS: (UP,), DOWNWARDS: (DOWN,)}
        yield from product(*(ways[start] for start in starts))
        return
    free = [rank for rank in range(rules.ranks) if rank + 1 not in starts]
    for chosen in permutations(free, starts.count(0)):
        rest = iter(chosen)
        firsts = [start - 1 if start else next(rest) for start in starts]
        yield tuple(
            tuple((rank - first) % rules.ranks for rank in range(rules.ranks)) for first in firsts
        )


def ordinary_games(position: Position) -> Iterator[Position]:
    """Yield the position of the ordinary game for each order."""
    require_handled(position.state.rules, {*HANDLED, "stacks"}, "the search of orders")
    rules = rules_of(position.state.rules)
    return (renumbered(position, rules, order) for order in orders_of(position.state))


def renumbered(position: Position, rules: Rules, order: Order) -> Position:
    """Return the position of the ordinary game with the ranks renumbered by an order."""
    real = position.state
    size = rules.stack_size
    numbers = [suit * size + place for suit, row in enumerate(order) for place in row]
    state = _empty_table(rules, _copies(rules, order)).copy()
    for name in ("player", "turn", "lives", "score", "draw_pile", "turns_left", "token_part"):
        setattr(state, name, getattr(real, name))
    if not real.rules.unlimited_hints:
        state.hint_tokens = real.hint_tokens
    for player, hand in enumerate(hands_of(real)):
        state.hands[player] = HIDDEN_HAND
        for slot, card in enumerate(hand):
            state.hands[player] = put_card(state.hands[player], slot, numbers[card])
        state.hand_count[player] = len(hand)
    _set_cards(state, real, numbers)
    return Position(state, [numbers[card] for card in position.deck])


def _copies(rules: Rules, order: Order) -> Order:
    """Return the copies of each card of the ordinary game."""
    copies = [[0] * rules.stack_size for _ in range(rules.suits)]
    for suit, row in enumerate(order):
        for rank, place in enumerate(row):
            copies[suit][place] += rules.copies[suit][rank]
    return tuple(map(tuple, copies))


@functools.lru_cache(maxsize=256)
def _empty_table(rules: Rules, copies: Order) -> State:
    """Return the state of the ordinary game: every hint that touches a card can be given."""
    ordinary = Rules(
        players=rules.players,
        hand_size=rules.hand_size,
        ranks=rules.stack_size,
        suits=rules.suits,
        copies=copies,
        letters=rules.letters,
        hint_tokens=rules.hint_tokens,
        lives=rules.lives,
        **{name: getattr(rules, name) for name in KEPT_SWITCHES},
    )
    return initial_state(ordinary)


def _set_cards(state: State, real: State, numbers: list[int]) -> None:
    """Set the fireworks, the copies left of each card, and everything that follows from these."""
    rules = state.rules
    state.discarded = [0] * len(state.discarded)
    state.left = [0] * len(state.left)
    for card, number in enumerate(numbers):
        for _ in range(count_of(real.left, card)):
            add_copy(state.left, number)
    for card in range(rules.suits * rules.ranks):
        played = card % rules.ranks < real.fireworks[card // rules.ranks]
        for _ in range(count_of(rules.copies, card) - count_of(state.left, card) - played):
            add_copy(state.discarded, card)
    state.played = state.playable = state.dead = 0
    for suit in range(rules.suits):
        height = state.fireworks[suit] = real.fireworks[suit]
        first = suit * rules.ranks
        state.played |= (1 << height) - 1 << first
        if height < rules.ranks:
            state.playable |= 1 << first + height
        alive = height
        while alive < rules.ranks and any_copy(state.left) >> first + alive & 1:
            alive += 1
        state.dead |= (1 << rules.ranks) - (1 << alive) << first
    state.dead |= state.played
    refresh_counts(state)


def line_at_the_table(position: Position, actions: tuple[int, ...]) -> tuple[int, ...]:
    """Return a line of the ordinary game as actions of the real one, continued to its end."""
    state = position.state.copy()
    line = []
    removals = 2 * state.rules.hand_size
    for action in actions:
        if state.end != GOING_ON:
            break
        try:
            chosen = action if action < removals else any_pass(state)
            take_action(state, position.deck, chosen)
        except ActionError:
            break
        line.append(chosen)
    return (*line, *play_safely(Position(state, position.deck)))
