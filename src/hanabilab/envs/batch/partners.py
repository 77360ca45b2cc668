"""Partners in all games of a batch: compiled ones, and those that run in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hanabilab.checks import check_integer
from hanabilab.core.record import aligned_buffer, dtype, pack, unpack
from hanabilab.envs.batch.kernels import (
    LEARNER_NEVER_ACTS,
    PARTNER_FAILED,
    RUNNING,
    Batch,
    PartnerArrays,
    observe_current_player,
    play_with_partners,
    rebind_partners,
)
from hanabilab.envs.batch.loops import Loops
from hanabilab.envs.population import Population
from hanabilab.errors import HanabiError, KernelRunError, StrategyError
from hanabilab.game.actions import Event, count_actions, legal_actions
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, State, View, initial_state
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.adapters import observation_kind
from hanabilab.strategies.seats import Seat, Seats, memory_words, take_seat, words_needed
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.failure import illegal_action_error

if TYPE_CHECKING:
    from hanabilab.envs.batch.env import BatchEnv

__all__ = ["BatchPartners", "LearnerPartners"]

NO_ACTION = -1
WORD = 8

BatchPolicy = Callable[[NDArray[np.uint8], NDArray[np.bool_]], Any]


@dataclass(slots=True)
class FollowedGame:
    """The partners of one game that run in Python, and the number of turns they have observed."""

    number: int
    turn: int
    partners: dict[int, Seat]


def can_be_compiled(strategy: Strategy) -> bool:
    """Return whether a strategy can run in the loops: a kernel whose memory holds only numbers."""
    plain = type(strategy).init_memory is Strategy.init_memory
    return strategy.can_compile and plain and not (strategy.slow or strategy.external)


class LearnerPartners:
    """The teams of a population that play with the learner, in `games` games at once."""

    def __init__(self, population: Population, rules: Rules, games: int) -> None:
        self._population, self._rules, self._games = population, rules, games
        self._compiled = [all(map(can_be_compiled, team)) for team in population.teams]
        self._policies: list[BatchPolicy | None] = [
            getattr(given, "act_batch", None) for given in population.given
        ]
        self._followed: dict[int, FollowedGame] = {}
        self._encoders = [Encoder(rules, observation_kind(given)) for given in population.given]
        self._build()

    def _build(self) -> None:
        teams = [team if compiled else [] for team, compiled in zip(*self._teams, strict=True)]
        width = max(sum(map(memory_words, team)) for team in teams)
        copies = any(not strategy.in_package for team in teams for strategy in team)
        self._memories = aligned_buffer(self._games * width)
        self._initial_memories: list[Any] = []
        """Initial memories; the templates refer to them by address."""
        templates = [pack(seats)[0] for team in teams for seats in self._seat_templates(team)]
        copied = self._games if copies else 1
        self.arrays = PartnerArrays(
            np.zeros(self._games, dtype(Seats)),
            np.zeros(self._games, np.int64),
            np.zeros(copied, dtype(View)),
            np.zeros(copied, dtype(Event)),
            np.array(templates, dtype(Seats)),
            ~np.array(self._compiled),
            np.array(self._population.cumulative_weights, np.float64),  # type: ignore[arg-type]  # compiled
            np.array([self._memories.ctypes.data, width * WORD], np.int64),
            np.zeros(0, np.int64),
        )

    @property
    def _teams(self) -> tuple[list[list[Strategy]], list[bool]]:
        return self._population.teams, self._compiled

    def _seat_templates(self, team: list[Strategy]) -> Iterator[Seats]:
        """Yield the seats of a team for each seat of the learner."""
        players = self._rules.players
        for learner in range(players):
            seats = Seats(guarded=int(not all(strategy.in_package for strategy in team)))
            place = 0
            for steps, strategy in enumerate(team, 1):
                player = (learner + steps) % players
                memory = aligned_buffer(words_needed(strategy))
                take_seat(seats, player, strategy, memory)
                self._initial_memories.append(memory)
                seats.memories[player] = place * WORD
                place += memory_words(strategy)
            yield seats

    def find_memories(self, batch: Batch, loops: Loops) -> None:
        """Set the addresses of all memories again, after they have moved."""
        loops.run(rebind_partners, (), batch, self.arrays)

    @property
    def memories(self) -> NDArray[np.int64]:
        """The memories of compiled partners, for snapshots; other memories cannot be saved."""
        if not all(self._compiled):
            raise HanabiError("partners that act in Python cannot be saved")
        return self._memories

    def run(self, task: int, loops: Loops, batch: Batch, *arrays: Any) -> list[int]:
        """Run a task of `play_with_partners`; raise if a partner fails."""
        try:
            results = loops.run(play_with_partners, (task,), batch, self.arrays, *arrays)
        except KernelRunError as error:
            raise self._failure(batch, str(error)) from error
        for result in results:
            if result <= PARTNER_FAILED:
                raise self._error(PARTNER_FAILED - result, batch)
        return results

    def _failure(self, batch: Batch, what: str) -> StrategyError:
        """Return the error for a partner whose kernel failed."""
        game = self.arrays.status.tolist().index(RUNNING)
        place, state = batch.places[game], self._state(batch, game)
        strategy = self._partner(place, state.observer)
        return StrategyError(
            f"{strategy.name}, player {state.observer}, failed in turn {state.turn + 1} of game "
            f"{place['number']} of seed {place['seed']}: {what}"
        )

    def _error(self, game: int, batch: Batch) -> StrategyError:
        place, state = batch.places[game], self._state(batch, game)
        answer, learner = int(self.arrays.status[game]), int(place["learner"])
        where = f"game {place['number']} of seed {place['seed']}"
        if answer == LEARNER_NEVER_ACTS:
            return StrategyError(f"player {learner}, the learner, never gets a turn: {where}")
        player = state.observer
        return self._illegal(place, player, answer, state.turn)

    def _illegal(self, place: Any, player: int, action: int, turn: int) -> StrategyError:
        strategy = self._partner(place, player)
        return illegal_action_error(strategy, player, action, turn, *map(int, self._game_of(place)))

    @staticmethod
    def _game_of(place: Any) -> tuple[Any, Any]:
        return place["seed"], place["number"]

    def _partner(self, place: Any, player: int) -> Strategy:
        steps = (player - int(place["learner"])) % self._rules.players
        return self._population.teams[int(place["team"])][steps - 1]

    @staticmethod
    def _state(batch: Batch, game: int) -> State:
        state = State()
        unpack(state, batch.states[game])
        return state

    def python_actions(self, batch: Batch, loops: Loops) -> NDArray[np.int64] | None:
        """Return the actions of partners that run in Python, -1 elsewhere; None if none is to move.

        Call it after every turn, because partners must observe all of them.
        """
        if all(self._compiled):
            return None
        places, states = batch.places, batch.states
        in_python = self.arrays.interpreted[places["team"]]
        waiting = in_python & (states["end"] == GOING_ON) & (states["player"] != places["learner"])
        actions = np.full(self._games, NO_ACTION, np.int64)
        for team, policy in enumerate(self._policies):
            here = places["team"] == team
            if policy is not None:
                self._ask_at_once(team, policy, waiting & here, batch, loops, actions)
            elif not self._compiled[team]:
                for game in np.flatnonzero(here).tolist():
                    self._ask(batch, game, bool(waiting[game]), actions)
        return actions if waiting.any() else None

    def _ask(self, batch: Batch, game: int, waiting: bool, actions: NDArray[np.int64]) -> None:
        """Show the last turn of a game to the partners, and query the one to move."""
        place = batch.places[game]
        number, turn = int(place["number"]), int(batch.states[game]["turn"])
        followed = self._followed.get(game)
        state = self._state(batch, game)
        if followed is None or followed.number != number or turn < followed.turn:
            followed = self._followed[game] = self._join(place, state)
        elif turn > followed.turn:
            event = Event()
            unpack(event, batch.events[game])
            for partner in followed.partners.values():
                partner.observe(state, event)
            followed.turn = turn
        if waiting:
            actions[game] = followed.partners[state.player].act(state)
            if actions[game] not in legal_actions(state):
                raise self._illegal(place, state.player, int(actions[game]), turn)

    def _join(self, place: Any, state: State) -> FollowedGame:
        seed, number = map(int, self._game_of(place))
        players = [player for player in range(state.rules.players) if player != place["learner"]]
        partners = {
            player: Seat.in_game(self._partner(place, player), player, seed, number)
            for player in players
        }
        for partner in partners.values():
            partner.begin(state)
        return FollowedGame(number, state.turn, partners)

    def _ask_at_once(
        self,
        team: int,
        policy: BatchPolicy,
        waiting: NDArray[np.bool_],
        batch: Batch,
        loops: Loops,
        actions: NDArray[np.int64],
    ) -> None:
        """Query a policy about all its games at once, with the vectors of the players to move."""
        games = np.flatnonzero(waiting)
        if not len(games):
            return
        encoder = self._encoders[team]
        rows = np.zeros((self._games, encoder.length), np.uint8)
        masks = np.zeros((self._games, count_actions(initial_state(self._rules))), np.bool_)
        seen = batch._replace(layout=pack(encoder.layout))
        loops.run(observe_current_player, (), seen, waiting, rows, masks)
        chosen = np.asarray(policy(rows[games], masks[games]))
        if chosen.shape != games.shape or chosen.dtype.kind not in "iu":
            raise StrategyError(
                f"act_batch: expected {len(games)} integers, not an array of "
                f"{chosen.dtype.name} and shape {chosen.shape}"
            )
        for game, action in zip(games.tolist(), chosen.tolist(), strict=True):
            if not 0 <= action < masks.shape[1] or not masks[game, action]:
                state = batch.states[game]
                player, turn = int(state["player"]), int(state["turn"])
                raise self._illegal(batch.places[game], player, action, turn)
        actions[games] = chosen

    def __getstate__(self) -> dict[str, Any]:
        made = {"arrays", "_initial_memories", "_memories"}
        kept = {name: value for name, value in self.__dict__.items() if name not in made}
        return {**kept, "words": self._memories.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Rebuild the arrays, since they hold addresses of memories."""
        words = state.pop("words")
        self.__dict__.update(state)
        self._build()
        self._memories[:] = words


@dataclass(slots=True)
class Followed:
    """The partners who follow one game, and the number of turns they have seen."""

    number: int
    turn: int
    partners: dict[int, Seat]
    action: int = NO_ACTION


class BatchPartners:
    """A strategy or policy that plays some or all of the players of every game.

        partners = BatchPartners(env, "piers", players=[1])
        while training:
            actions = partners.act(mine(observations, action_masks))
            observations, rewards, done, action_masks = env.step(actions)

    It runs interpreted, which is fast enough while a learner trains. To play a million games, use
    `hanabilab.simulate`.
    """

    def __init__(
        self, env: BatchEnv, strategy: Player, players: Iterable[int] | None = None
    ) -> None:
        self.env = env
        self.strategy = find_strategy(strategy)
        self.strategy.check(env.rules)
        most = env.rules.players - 1
        given = range(most + 1) if players is None else players
        self.players = tuple(check_integer("players", player, 0, most) for player in given)
        self._places: list[Followed | None] = [None] * env.num_envs

    def act(self, actions: ArrayLike | None = None) -> NDArray[np.int64]:
        """Return an action for every game: the strategy's if it is to move, else the given one.

        Call it at every step, because it must see every turn. Without `actions`, the result is -1
        for games in which others are to move.
        """
        env = self.env
        chosen = np.full(env.num_envs, NO_ACTION) if actions is None else np.array(actions)
        games = zip(env.game_numbers.tolist(), env.turns.tolist(), strict=True)
        for index, (number, turn) in enumerate(games):
            place = self._follow(index, number, turn)
            if place.action != NO_ACTION:
                chosen[index] = place.action
        return chosen.astype(np.int64)

    def _follow(self, index: int, number: int, turn: int) -> Followed:
        """Show the last turn of a game to the partners, and query the one to move, if any."""
        place = self._places[index]
        if place is not None and (place.number, place.turn) == (number, turn):
            return place
        state = self.env.state(index)
        if turn == 0:
            partners = {
                player: Seat.in_game(self.strategy, player, int(self.env.seeds[index]), number)
                for player in self.players
            }
            for partner in partners.values():
                partner.begin(state)
            place = self._places[index] = Followed(number, 0, partners)
        elif place is None or (place.number, place.turn) != (number, turn - 1):
            raise HanabiError(f"game {index}: turns were missed; call act at every step")
        else:
            event = self.env.last_event(index)
            assert event is not None
            for partner in place.partners.values():
                partner.observe(state, event)
        place.turn = turn
        mover = place.partners.get(state.player)
        place.action = NO_ACTION if mover is None else mover.act(state)
        return place
