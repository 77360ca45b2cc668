"""Strategies at the tables of `BatchEnv`.

    crowd = Crowd(env, "piers", players=[1])
    while training:
        actions = crowd.act(mine(observations, action_masks))
        observations, rewards, done, action_masks = env.step(actions)

They run interpreted: good partners for a learner, and no way to play a million games, which is what
`hanabilab.simulate` is for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabilab.envs.batch import BatchEnv
from hanabilab.errors import HanabiError
from hanabilab.strategies import Player, find_strategy
from hanabilab.table.partner import Partner

__all__ = ["Crowd"]

NOT_ASKED = -1


@dataclass(slots=True)
class Place:
    """Who follows the game at one place, and how far."""

    number: int
    turn: int
    partners: dict[int, Partner]
    action: int = NOT_ASKED


class Crowd:
    """A strategy, or a policy, that plays as some of the players of every game, or as all."""

    def __init__(
        self, env: BatchEnv, strategy: Player, players: Iterable[int] | None = None
    ) -> None:
        everyone = range(env.rules.players)
        self.env = env
        self.strategy = find_strategy(strategy)
        self.strategy.check(env.rules)
        self.players = tuple(everyone if players is None else players)
        for player in self.players:
            if player not in everyone:
                raise HanabiError(f"players: {player!r} is not between 0 and {len(everyone) - 1}")
        self._places: list[Place | None] = [None] * env.num_envs

    def act(self, actions: Any = None) -> NDArray[np.int64]:
        """An action for every game: the strategy's where it is to move, else the given one.

        It must be asked at every step, because it sees every turn; without `actions` there is -1
        where others are to move.
        """
        env = self.env
        chosen = np.full(env.num_envs, NOT_ASKED) if actions is None else np.array(actions)
        games = zip(env.game_numbers.tolist(), env.turns.tolist(), strict=True)
        for index, (number, turn) in enumerate(games):
            place = self._follow(index, number, turn)
            if place.action != NOT_ASKED:
                chosen[index] = place.action
        return chosen.astype(np.int64)

    def _follow(self, index: int, number: int, turn: int) -> Place:
        """See the last turn of a game, and answer if it is one of ours to move."""
        place = self._places[index]
        if place is not None and (place.number, place.turn) == (number, turn):
            return place
        state = self.env.state(index)
        if turn == 0:
            partners = {
                player: Partner(self.strategy, player, self.env.seed, number)
                for player in self.players
            }
            for partner in partners.values():
                partner.begin(state)
            place = self._places[index] = Place(number, 0, partners)
        elif place is None or (place.number, place.turn) != (number, turn - 1):
            raise HanabiError(f"game {index}: turns were missed; ask a crowd at every step")
        else:
            event = self.env.last_event(index)
            assert event is not None
            for partner in place.partners.values():
                partner.observe(state, event)
        place.turn = turn
        mover = place.partners.get(state.player)
        place.action = NOT_ASKED if mover is None else mover.act(state)
        return place
