"""The value of actions: to the player who acts, and to a spectator who sees all hands.

Let b be a convention that everybody is assumed to follow, and a the action that player p took.

*The player's value* Q(x) is the expected final score if p does x and everybody follows b
afterwards, given what p could know. It is sampled in worlds: hands of p and draw piles, dealt as in
`hanabilab.strategies.search`, consistent with hints and with the partners' actions.

*The spectator's value* U(x) is the same for somebody who sees all hands but not the draw pile. The
hands are the true ones and the draw pile is shuffled: sample i is a random order of all positions
of the deck, skipping those already drawn, and the same order in every turn of the game. So a hint
changes nothing for the spectator beyond what it tells the players.

All actions are tried in a few worlds, the better half in as many again, and so on, which selects
the best one. It is then measured in fresh worlds, so that the luck which made it look best does not
count. Numbers of worlds and of orders are powers of two: every mean is a binary fraction, and
floating-point sums of them are exact.

Points count as they lie on the table (`keep_score`): if a third misplay cost all points, one
misread hint would cost twenty, and nothing else would be visible.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from hanabilab.core.random import Rng
from hanabilab.core.record import aligned_buffer, pack, unpack
from hanabilab.errors import StrategyError
from hanabilab.game.rules import Rules
from hanabilab.game.state import initial_state
from hanabilab.game.turn import deal
from hanabilab.lab.review.kernels import (
    NO_ACTION,
    FollowedGame,
    Samples,
    evaluate_turn,
    propose_actions,
    shuffle_orders,
)
from hanabilab.strategies.search.memory import MOST_TURNS, SearchMemory
from hanabilab.strategies.search.strategy import Search, search_over
from hanabilab.strategies.strategy import Strategy

__all__ = [
    "ActionValue",
    "Evaluator",
    "PlayedGame",
    "Precision",
    "TurnValue",
    "check_convention",
    "search_memory",
]


@dataclass(frozen=True, slots=True)
class Precision:
    """How many samples a review takes: powers of two."""

    early: int
    few: int
    many: int
    orders: int

    @classmethod
    def of(cls, worlds: int) -> Precision:
        """Return the precision with this number of fresh worlds where actions are compared."""
        return cls(max(4, worlds // 8), max(8, worlds // 4), worlds, worlds)


@dataclass(frozen=True, slots=True)
class ActionValue:
    """The value of an action to the player who acted."""

    action: int
    mean: float
    """The value of the action taken, plus this action's gain in the same worlds."""
    error: float
    """The standard error of that gain; for the action taken, of its value."""
    worlds: int


@dataclass(frozen=True, slots=True)
class TurnValue:
    """The sampled values of a turn."""

    taken: int
    """The action that was taken, or NO_ACTION at the end of an unfinished game."""
    convention: int
    best: int
    value: float
    """The value of the action taken to its player."""
    values: tuple[ActionValue, ...]
    """Every legal action, best first."""
    loss: float
    """How much more the best action is worth than the one taken, in other worlds than chose it."""
    loss_error: float
    play: float
    """How much more the action taken is worth than the convention's."""
    play_error: float
    spectator: float
    """The value of the action taken to a spectator."""
    spectator_convention: float
    """The value of the convention's action to a spectator: the value before the turn."""
    spectator_error: float
    """The standard error of the value before the turn."""
    change_error: float
    """The standard error of the difference of both."""
    win: float
    """How often the convention's action leads to the maximum, for the spectator."""
    worlds: int
    surprises: int
    """The fewest actions of partners that any world left unexplained."""

    @property
    def change(self) -> float:
        """How much more the action taken is worth to the spectator than the convention's."""
        return self.spectator - self.spectator_convention


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The rules, the deck and the actions of a game, by number."""

    rules: Rules
    deck: tuple[int, ...]
    actions: tuple[int, ...]


class Evaluator:
    """Evaluates turns of one game under one convention; each thread has its own."""

    def __init__(
        self,
        convention: Strategy,
        game: PlayedGame,
        precision: Precision,
        seed: int = 0,
        *,
        compiled: bool = True,
    ) -> None:
        rules = game.rules.replace(keep_score=True)
        check_convention(convention, rules, len(game.actions))
        self.compiled, self.game = compiled, game
        self.memory, self._buffer = search_memory(convention, compiled=compiled)
        self.table = FollowedGame()
        self.samples = Samples(
            seed=seed, early=precision.early, few=precision.few, many=precision.many
        )
        deal(self.table.start, initial_state(rules), list(game.deck))
        self.max_score = rules.max_score
        self.deck, self.actions = self._array(game.deck), self._array(game.actions)
        self.orders = self._rows(precision.orders, rules.deck_size)
        self.points = [self._array([0] * precision.orders) for _ in range(2)]
        self._pack()
        self._run(shuffle_orders, self.orders, self._rng, seed)

    def _array(self, values: Sequence[int]) -> Any:
        if not self.compiled:
            return list(values)
        import numpy as np

        return np.array(values, np.int64)

    def _rows(self, rows: int, columns: int) -> Any:
        if not self.compiled:
            return [[0] * columns for _ in range(rows)]
        import numpy as np

        return np.zeros((rows, columns), np.int64)

    def _pack(self) -> None:
        """Turn the records into memory for compiled code."""
        self._rng: Any = Rng()
        self._records: tuple[Any, ...] = (self.memory, self.table, self.samples)
        if self.compiled:
            self._rng = pack(self._rng)[0]
            self._records = tuple(pack(record)[0] for record in self._records)

    def _run(self, function: Any, *arguments: Any) -> Any:
        if not self.compiled:
            return function(*arguments)
        from hanabilab.core import machine_code

        return machine_code.run(function, *arguments)

    def proposed(self) -> list[int]:
        """Return what the convention proposes in every turn of the game."""
        found = self._array([NO_ACTION] * len(self.game.actions))
        memory, table, _ = self._records
        self._run(propose_actions, memory, table, self.deck, self.actions, found)
        return [int(action) for action in found]

    def evaluate(self, turns: int) -> TurnValue:
        """Return the values of the turn after this number of turns."""
        memory, table, samples = self._records
        failed = self._run(
            evaluate_turn,
            memory,
            table,
            self.deck,
            self.actions,
            turns,
            samples,
            self.orders,
            *self.points,
        )
        if self.compiled:
            unpack(self.samples, samples)
        if failed:
            raise StrategyError(
                f"turn {turns + 1}: the convention proposes action {self.samples.convention}, "
                "which is not legal"
            )
        return _turn_value(self.samples, self.max_score, *map(list, self.points))


def search_memory(convention: Strategy, *, compiled: bool) -> tuple[SearchMemory, Any]:
    """Return the memory of a search over a convention, and the buffer that holds the rest of it."""
    search = search_over({}, with_own_memories(convention))
    memory = search.fresh_memory()
    buffer = aligned_buffer(search.extra_words) if compiled else None
    search.init_memory(memory, buffer)
    assert isinstance(memory, SearchMemory)
    return memory, buffer


def with_own_memories(convention: Strategy) -> Strategy:
    """Return a convention in which every imagined player has a memory of their own.

    A shared public memory is right only while everybody follows the convention: after any other
    hint, players understand different things.
    """
    search = dataclasses.replace(convention.search, public_memory=False, is_won=None)
    return dataclasses.replace(convention, search=search)


def why_no_convention(strategy: Strategy) -> str | None:
    """Return the reason why a review cannot use this strategy as a convention, or None."""
    if isinstance(strategy, Search):
        return (
            f"is a search; judge by the strategy that it searches over, {strategy.blueprint.name}"
        )
    if not strategy.can_compile:
        return "is plain Python; a review needs a strategy made of kernels"
    if strategy.sees_own_hand:
        return "looks at its own cards, which no player sees"
    return None


def check_convention(convention: Strategy, rules: Rules, turns: int) -> None:
    """Raise if games under these rules cannot be judged by this convention."""
    reason = why_no_convention(convention)
    if reason:
        raise StrategyError(f"{convention.name} {reason}")
    search_over({}, convention).check(rules)
    if turns >= MOST_TURNS:
        raise StrategyError(f"a review takes games of fewer than {MOST_TURNS} turns, not {turns}")


def _turn_value(
    samples: Samples, max_score: int, taken_points: list[int], convention_points: list[int]
) -> TurnValue:
    taken = samples.taken != NO_ACTION
    if not taken:
        taken_points = convention_points
    changes = [one - other for one, other in zip(taken_points, convention_points, strict=True)]
    orders = len(convention_points)
    worlds = samples.worlds if taken else 0
    return TurnValue(
        taken=samples.taken,
        convention=samples.convention,
        best=samples.best if taken else samples.convention,
        value=_mean(samples.value, worlds),
        values=_action_values(samples) if taken else (),
        loss=_mean(samples.loss, worlds),
        loss_error=_error(samples.loss, samples.loss_squares, worlds),
        play=_mean(samples.play, worlds),
        play_error=_error(samples.play, samples.play_squares, worlds),
        spectator=_mean(sum(map(int, taken_points)), orders),
        spectator_convention=_mean(sum(map(int, convention_points)), orders),
        spectator_error=_error_of(convention_points),
        change_error=_error_of(changes),
        win=sum(int(points) == max_score for points in convention_points) / orders,
        worlds=worlds,
        surprises=samples.surprises if taken else 0,
    )


def _action_values(samples: Samples) -> tuple[ActionValue, ...]:
    value = _mean(samples.value, samples.worlds)
    own_error = _error(samples.value, samples.value_squares, samples.worlds)
    found = [
        ActionValue(
            samples.actions[place],
            value + _mean(samples.gains[place], samples.tried[place]),
            own_error
            if samples.actions[place] == samples.taken
            else _error(samples.gains[place], samples.squares[place], samples.tried[place]),
            samples.tried[place],
        )
        for place in range(samples.count)
    ]
    return tuple(sorted(found, key=lambda value: (-value.mean, value.action)))


def _mean(total: int, count: int) -> float:
    return total / count if count else 0.0


def _error(total: int, squares: int, count: int) -> float:
    """Return the standard error of a mean."""
    if count < 2:
        return 0.0
    variance = (squares - total * total / count) / (count - 1)
    return sqrt(max(0.0, variance) / count)


def _error_of(values: Sequence[int]) -> float:
    numbers = [int(value) for value in values]
    return _error(sum(numbers), sum(value * value for value in numbers), len(numbers))
