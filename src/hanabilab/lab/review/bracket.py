"""Bounds on the value of a late turn to the player to move, who cannot see their own hand.

The player's *worlds* are all hands that the hints allow, each with all orders of the draw pile.

*Lower bound*: the value of an action if everybody follows a convention afterwards, over all worlds.
It is exact for a deterministic convention, and the players can reach it.

*Upper bound*: the mean, over the same worlds, of the value with all hands known and the draw pile
hidden (`hanabilab.solver.hidden`). This is strategy fusion: the players may act differently in
worlds that they cannot distinguish, so the bound may be out of reach, but no play exceeds it.

Where both meet, the value is exact.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any, Literal

from hanabilab.checks import check_choice
from hanabilab.core.invoke import indirect_call
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Ints, assign, pack
from hanabilab.errors import HanabiError
from hanabilab.game.actions import legal_actions
from hanabilab.game.cards import HIDDEN_HAND, count_of, put_card
from hanabilab.game.state import State, hands_of, initial_state
from hanabilab.game.turn import deal
from hanabilab.lab.review.kernels import (
    FollowedGame,
    follow_game,
    hide_hand,
    player_of,
    points_of,
)
from hanabilab.lab.review.values import check_convention, search_memory
from hanabilab.solver.hidden import LARGEST_PILE, Mode, solve_hidden
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.search.kernels import find_candidates, follow_blueprint
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.replay import UNLIMITED
from hanabilab.strategies.search.worlds import has_past
from hanabilab.table.game import Game

__all__ = ["Belief", "Bracket", "bracket"]

Belief = Literal["convention", "hints"]
"""Which worlds count: those in which the convention explains as many of the partners' last actions
as in any, or all that the hints allow."""
MOST_WORLDS = 20_000


@dataclass(frozen=True, slots=True)
class Bracket:
    """Bounds on the value of each legal action for a player who cannot see their own hand."""

    mode: Mode
    """"win": the chance of the maximum; "score": the expected final score."""
    convention_action: int
    """The action of the convention."""
    lower: dict[int, Fraction]
    """The value of each action if everybody follows the convention afterwards."""
    upper: dict[int, Fraction]
    """The mean of the value with all hands known, by strategy fusion: never exceeded."""
    hands: int
    """The number of hands considered."""
    worlds: int
    """The number of hands times orders of the draw pile."""
    seconds: float

    @property
    def low(self) -> Fraction:
        """The value that the player can certainly reach."""
        return max(self.lower.values())

    @property
    def high(self) -> Fraction:
        """The value that no play exceeds."""
        return max(self.upper.values())

    @property
    def value(self) -> Fraction | None:
        """The exact value of the turn, if the bounds meet."""
        return self.low if self.low == self.high else None

    def is_error(self, action: int) -> bool | None:
        """Return whether an action is certainly worse than another; None if that is open."""
        if self.upper[action] < self.low:
            return True
        return False if self.lower[action] >= self.high else None


def bracket(
    game: Game,
    convention: Player = "conventions",
    *,
    mode: Mode = "win",
    belief: Belief = "convention",
    most_worlds: int = MOST_WORLDS,
    time_limit: float | None = None,
) -> Bracket | None:
    """Return bounds on the value of each action to the player to move.

    The player cannot see their own hand. Return None if there are more than `most_worlds` worlds or
    the time runs out: the bounds are computed from all worlds or not at all.
    """
    started = time.perf_counter()
    deadline = None if time_limit is None else started + time_limit
    check_choice("mode", mode, LARGEST_PILE, error=HanabiError)
    check_choice("belief", belief, ("convention", "hints"), error=HanabiError)
    if game.is_over:
        raise HanabiError("the game is over: there is no action to evaluate")
    worlds = _Worlds(game.state)
    if not worlds.fit(most_worlds):
        return None
    table = _ImaginedTable(game, convention, worlds)
    hands = table.believed_hands(belief, deadline)
    if hands is None:
        return None
    lower = table.mean_points(hands, mode, deadline)
    upper = worlds.mean_values(hands, mode, deadline) if lower is not None else None
    if lower is None or upper is None:
        return None
    seconds = time.perf_counter() - started
    count = len(hands) * len(worlds.orders)
    return Bracket(mode, table.convention_action, lower, upper, len(hands), count, seconds)


Hand = tuple[int, ...]


class _Worlds:
    """The hands that hints allow the player to move, and the number of draws that lead to each."""

    def __init__(self, state: State) -> None:
        self.state = state
        hands = hands_of(state)
        kinds = range(state.rules.ranks * state.rules.suits)
        unseen = Counter({card: count_of(state.left, card) for card in kinds})
        for player, hand in enumerate(hands):
            if player != state.player:
                unseen.subtract(hand)
        self.unseen = +unseen
        self.slots = len(hands[state.player])
        self.orders: list[list[int]] = []
        self.hands: dict[Hand, int] = {}

    def fit(self, most: int) -> bool:
        """List all hands; return False if there are too many worlds."""
        orders = factorial(self.state.draw_pile)
        if self.state.draw_pile > min(LARGEST_PILE.values()) or orders > most:
            return False
        for hand, ways in self._deal((), 1):
            self.hands[hand] = ways
            if len(self.hands) * orders > most:
                return False
        self.orders = list(_orders(self.state.draw_pile))
        return True

    def _deal(self, hand: Hand, ways: int) -> Iterator[tuple[Hand, int]]:
        """Yield every hand with this beginning, and the number of ways to draw it."""
        if len(hand) == self.slots:
            yield hand, ways
            return
        possible = self.state.possible[self.state.player][len(hand)]
        for card, copies in self.unseen.items():
            left = copies - hand.count(card)
            if left > 0 and possible >> card & 1:
                yield from self._deal((*hand, card), ways * left)

    def pile(self, hand: Hand) -> list[int]:
        """Return the draw pile that a hand leaves, in one order."""
        return sorted((self.unseen - Counter(hand)).elements())

    def mean_values(
        self, hands: dict[Hand, int], mode: Mode, deadline: float | None
    ) -> dict[int, Fraction] | None:
        """Return the mean value of each action with all hands known, over these hands."""
        known: dict[tuple[int, ...], dict[Any, Fraction]] = {}
        total = dict.fromkeys(legal_actions(self.state), Fraction(0))
        for hand, ways in hands.items():
            same = tuple(sorted(hand))
            if same not in known:
                values = self._values(hand, mode, deadline)
                if values is None:
                    return None
                known[same] = {self._kind(n, hand): value for n, value in values.items()}
            for action in total:
                total[action] += ways * known[same][self._kind(action, hand)]
        weight = sum(hands.values())
        return {action: value / weight for action, value in total.items()}

    def _kind(self, action: int, hand: Hand) -> tuple[int, int]:
        """Return what an action does with which card, so that equal cards are alike."""
        size = self.state.rules.hand_size
        return (action // size, hand[action % size]) if action < 2 * size else (2, action)

    def _values(self, hand: Hand, mode: Mode, deadline: float | None) -> dict[int, Fraction] | None:
        state = self.state.copy()
        packed = HIDDEN_HAND
        for slot, card in enumerate(hand):
            packed = put_card(packed, slot, card)
        state.hands[state.player] = packed
        left = None if deadline is None else max(0.0, deadline - time.perf_counter())
        found = solve_hidden(state, mode=mode, time_limit=left).values
        values = {action: value for action, value in found.items() if value is not None}
        return values if len(values) == len(found) else None


def _orders(cards: int) -> Iterator[list[int]]:
    """Yield every order of this number of cards."""
    if cards == 0:
        yield []
        return
    for rest in _orders(cards - 1):
        for place in range(cards):
            yield [*rest[:place], cards - 1, *rest[place:]]


class _ImaginedTable:
    """A table at which a convention continues a game in any world of the player to move."""

    def __init__(self, game: Game, convention: Player, worlds: _Worlds) -> None:
        import numpy as np

        strategy = find_strategy(convention)
        check_convention(strategy, game.rules, len(game.actions))
        self.worlds, self.max_score = worlds, game.rules.max_score
        memory, self._buffer = search_memory(strategy, compiled=True)
        followed = FollowedGame()
        deal(followed.start, initial_state(game.rules), list(game.deck))
        self.memory, self.game = pack(memory)[0], pack(followed)[0]
        self.actions = legal_actions(game.state)
        self.legal = np.array(self.actions, np.int64)
        self.points, self.wins = np.zeros_like(self.legal), np.zeros_like(self.legal)
        deck, taken = np.array(list(game.deck), np.int64), np.array(numbers_of(game), np.int64)
        self.convention_action = int(
            self._run(follow_to_turn, self.memory, self.game, deck, taken, len(taken))
        )

    def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        from hanabilab.core import machine_code

        return machine_code.run(function, *arguments)

    def believed_hands(self, belief: Belief, deadline: float | None) -> dict[Hand, int] | None:
        """Return the hands to consider; None if the time runs out."""
        hands = self.worlds.hands
        if belief == "hints":
            return hands
        surprises = {}
        for hand in hands:
            if deadline is not None and time.perf_counter() >= deadline:
                return None
            surprises[hand] = self._imagine(hand)
        fewest = min(surprises.values())
        return {hand: ways for hand, ways in hands.items() if surprises[hand] == fewest}

    def _imagine(self, hand: Hand) -> int:
        """Replay the past with this hand; return the number of unexplained actions."""
        import numpy as np

        return int(self._run(imagine_hand, self.memory, np.array(hand, np.int64)))

    def mean_points(
        self, hands: dict[Hand, int], mode: Mode, deadline: float | None
    ) -> dict[int, Fraction] | None:
        """Return the mean result of each action over all worlds of these hands."""
        import numpy as np

        orders = self.worlds.orders
        total = [0] * len(self.actions)
        for hand, ways in hands.items():
            if deadline is not None and time.perf_counter() >= deadline:
                return None
            self._imagine(hand)
            pile = self.worlds.pile(hand)
            piles = np.array([[pile[place] for place in order] for order in orders], np.int64)
            piles = np.unique(piles, axis=0) if pile else piles.reshape(1, 0)
            results = self.wins if mode == "win" else self.points
            self.points[:], self.wins[:] = 0, 0
            self._run(play_out_orders, self.memory, piles, self.legal, self.points, self.wins)
            # Equal cards make several orders one: each of the rest is as likely as any other.
            scale = ways * prod(map(factorial, Counter(pile).values()))
            total = [old + scale * int(new) for old, new in zip(total, results, strict=True)]
        weight = sum(hands.values()) * len(orders)
        return {n: Fraction(each, weight) for n, each in zip(self.actions, total, strict=True)}


def numbers_of(game: Game) -> list[int]:
    """Return the numbers of a game's actions."""
    replayed = Game(game.rules, game.deck)
    found = []
    for action in game.actions:
        number = action.number(replayed.state)
        assert number is not None  # the game has taken it
        found.append(number)
        replayed.act(number)
    return found


@kernel
def follow_to_turn(
    memory: SearchMemory, game: FollowedGame, deck: Ints, actions: list[int], turns: int
) -> int:
    """Follow a game as the player who acts next; return what the convention does then."""
    me = player_of(game, deck, actions, turns)
    follow_game(memory, game, deck, actions, turns, me, actions[:0])
    hide_hand(game.state, me)
    find_candidates(game.state, memory)
    action = follow_blueprint(game.state, memory)
    assign(memory.world.state, game.state)
    for place in range(memory.log.dealt):
        memory.world.deck[place] = memory.log.deck[place]
    return action


@kernel
def imagine_hand(memory: SearchMemory, hand: Ints) -> int:
    """Give the player a hand; return how many of the partners' last actions stay unexplained."""
    packed = HIDDEN_HAND
    for slot in range(len(hand)):
        packed = put_card(packed, slot, hand[slot])
        memory.world.deck[memory.log.places[slot]] = hand[slot]
    memory.world.state.hands[memory.world.state.player] = packed
    memory.world.origin = 0
    if has_past(memory):
        return indirect_call(memory.table.replay, memory, UNLIMITED)
    return 0


@kernel
def play_out_orders(
    memory: SearchMemory, piles: list[list[int]], actions: Ints, points: Ints, wins: Ints
) -> None:
    """Play out each action with each draw pile; add up the points and the perfect games."""
    rules = memory.world.state.rules
    first = rules.deck_size - memory.world.state.draw_pile
    for order in range(len(piles)):
        for place in range(len(piles[order])):
            memory.world.deck[first + place] = piles[order][place]
        for number in range(len(actions)):
            score = points_of(memory, actions[number])
            points[number] += score
            wins[number] += int(score == rules.max_score)
