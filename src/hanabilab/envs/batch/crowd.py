"""Strategies at the tables of `BatchEnv`.

    crowd = Crowd(env, "piers", players=[1])
    while training:
        actions = crowd.act(mine(observations, action_masks))
        observations, rewards, done, action_masks = env.step(actions)

They run interpreted: good partners for a learner, but too slow for a million games, which is what
`hanabilab.simulate` is for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hanabilab.checks import check_integer
from hanabilab.envs.batch.env import BatchEnv
from hanabilab.errors import HanabiError
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.seats import Seat

__all__ = ["Crowd"]

NOT_ASKED = -1


@dataclass(slots=True)
class Followed:
    """The partners who follow the game at one place, and how far they have seen it."""

    number: int
    turn: int
    partners: dict[int, Seat]
    action: int = NOT_ASKED


class Crowd:
    """A strategy, or a policy, that plays as some or all of the players of every game."""

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
        """Return an action for every game: the strategy's where it is to move, else the given one.

        Call it at every step, because it must see every turn. Without `actions`, return -1 where
        others are to move.
        """
        env = self.env
        chosen = np.full(env.num_envs, NOT_ASKED) if actions is None else np.array(actions)
        games = zip(env.game_numbers.tolist(), env.turns.tolist(), strict=True)
        for index, (number, turn) in enumerate(games):
            place = self._follow(index, number, turn)
            if place.action != NOT_ASKED:
                chosen[index] = place.action
        return chosen.astype(np.int64)

    def _follow(self, index: int, number: int, turn: int) -> Followed:
        """Show the last turn of a game to the partners, and ask the one to move, if any."""
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
        place.action = NOT_ASKED if mover is None else mover.act(state)
        return place
