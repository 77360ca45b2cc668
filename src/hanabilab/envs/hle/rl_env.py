"""HLE's `rl_env`: agents written for DeepMind's Hanabi Learning Environment change one import.

    from hanabilab.envs import hle as rl_env

    environment = rl_env.make("Hanabi-Full", num_players=2)
    observations = environment.reset()

Observations, vectors, move numbers, rewards and, for a given seed, the deals are those of HLE
0.0.4. Suits keep HLE's numbers and letters (R Y G W B); see `hanabilab.envs.hle.cards`.

Beyond HLE, an environment can deal a given deck (``reset(deck=…)``), continue from any state
(`start_from`), be copied (`copy`) and pickled with its random numbers, and play other rules
(``HanabiEnv({"rules": …})``) with up to ten players. The number of an illegal move raises an
exception instead of terminating the process.
(Bard et al. 2020, "The Hanabi challenge: a new frontier for AI research")
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hanabilab.checks import check_integer, is_integer
from hanabilab.envs import pyhanabi
from hanabilab.envs.hle.cards import color_char_to_idx, suit_of_letter
from hanabilab.envs.hle.lazy import ObservationDict
from hanabilab.envs.hle.moves import (
    HanabiMove,
    HanabiMoveType,
    IllegalMoveError,
    InvalidActionError,
    MissingKeyError,
)
from hanabilab.envs.hle.state import DeckGiven, HanabiState
from hanabilab.errors import RulesError

if TYPE_CHECKING:
    from hanabilab.table.game import Game

__all__ = [
    "MOVE_TYPES",
    "Agent",
    "Environment",
    "HanabiEnv",
    "color_char_to_idx",
    "make",
    "pyhanabi",
]

MOVE_TYPES = [kind.name for kind in HanabiMoveType]

Observation = dict[str, Any]


class InvalidEnvironmentError(RulesError, ValueError):
    """An unknown environment name; HLE raises a `ValueError`."""


class Environment:
    """The interface of every environment."""

    def reset(self, config: Any = None) -> Observation:
        """Start a game."""
        raise NotImplementedError

    def step(self, action: Any) -> tuple[Observation, int, bool, dict[str, Any]]:
        """Take a turn: observation, reward, whether the game is over, and an empty dictionary."""
        raise NotImplementedError


class HanabiEnv(Environment):
    """One game at a time; `config` is that of `hanabilab.envs.pyhanabi.HanabiGame`."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        if not isinstance(config, Mapping):
            raise IllegalMoveError(f"config: {config!r} is not a dictionary")
        self.game = pyhanabi.HanabiGame(config)
        self.observation_encoder = pyhanabi.ObservationEncoder(self.game)
        self.players = self.game.num_players()
        self._most = self.game.max_moves() - 1
        self.state: HanabiState = None  # type: ignore[assignment]  # until reset, as in HLE
        """The current state; any state of a game of the same size may be assigned."""

    def reset(self, deck: DeckGiven | None = None) -> Observation:
        """Start a game, with a given deck if there is one; return everyone's observations.

        A deck is one of ours (`Deck` or text) or made of HLE's cards: ``"R1 W3 …"`` or a list of
        them.
        """
        self.state = self.game.new_initial_state(deck)
        self.state.deal_hands()
        return self._make_observation_all_players()

    def start_from(self, start: HanabiState | Game) -> Observation:
        """Continue from a state, or from one of our games with its deck and turns."""
        if isinstance(start, HanabiState):
            self.state = self._fitting(start).copy()
        else:
            if start.rules != self.game.rules:
                raise IllegalMoveError("this game is not played by the rules of the environment")
            self.reset(start.deck)
            self.state.let_start(start.events[0].player if start.events else start.player)
            for action in start.actions:
                number = action.number(self.state.table)
                self.state.take_turn(-1 if number is None else number)
        return self._make_observation_all_players()

    def copy(self) -> HanabiEnv:
        """Return an independent copy, with the same cards to come."""
        return copy.deepcopy(self)

    def vectorized_observation_shape(self) -> list[int]:
        """Return the length of the vectors, in a list."""
        return self.observation_encoder.shape()

    def num_moves(self) -> int:
        """Return the number of moves, legal or not."""
        return self.game.max_moves()

    def step(self, action: Any) -> tuple[Observation, int, bool, dict[str, Any]]:
        """Take a turn, given by the number of a move or a dictionary such as its `to_dict`.

        The reward is the change of the score, which is 0 without a life.
        """
        state = self._fitting(self.state)
        before = state.score()
        if type(action) is int and 0 <= action <= self._most:  # the quick way
            state.take_turn(action)
        elif is_integer(action):
            state.take_turn(check_integer("move", action, 0, self._most, error=IllegalMoveError))
        elif isinstance(action, Mapping):
            move = self._build_move(action)
            state.take_turn(self.game.get_move_uid(move), move)
        else:
            raise InvalidActionError(f"{action!r} is neither the number of a move nor a dictionary")
        observation = self._make_observation_all_players()
        return observation, state.score() - before, state.is_terminal(), {}

    def _fitting(self, state: HanabiState) -> HanabiState:
        """Return a state after checking that it belongs to a game such as this."""
        if not isinstance(state, HanabiState):
            raise IllegalMoveError("no game has started: call reset first")
        if state.game is not self.game and state.game.shape != self.game.shape:
            raise IllegalMoveError("state: not of a game such as this environment plays")
        return state

    def _make_observation_all_players(self) -> Observation:
        extract, state = self._extract_dict_from_backend, self.state
        seen = [extract(player, each) for player, each in enumerate(state.observations())]
        return {"player_observations": seen, "current_player": state.cur_player()}

    def _extract_dict_from_backend(
        self, player_id: int, observation: pyhanabi.HanabiObservation
    ) -> Observation:
        return ObservationDict.of(observation)

    def _build_move(self, action: Mapping[str, Any]) -> HanabiMove:
        """Return the move of a dictionary."""
        kind = action.get("action_type")
        try:
            match kind:
                case "PLAY":
                    return HanabiMove.get_play_move(_index(action, "card_index"))
                case "DISCARD":
                    return HanabiMove.get_discard_move(_index(action, "card_index"))
                case "REVEAL_RANK":
                    offset, rank = _index(action, "target_offset"), _index(action, "rank")
                    return HanabiMove.get_reveal_rank_move(offset, rank)
                case "REVEAL_COLOR":
                    offset = _index(action, "target_offset")
                    color = _color(action["color"], self.game.shape.suits)
                    return HanabiMove.get_reveal_color_move(offset, color)
                case "DEAL" | "INVALID":
                    raise InvalidActionError(f"action_type {kind!r}: players cannot do that")
        except KeyError as missing:
            raise MissingKeyError(f"{dict(action)} lacks {missing}") from None
        raise IllegalMoveError(f"unknown action_type {kind!r}; expected {', '.join(MOVE_TYPES)}")


def _index(action: Mapping[str, Any], name: str) -> int:
    return check_integer(name, action[name], error=IllegalMoveError)


def _color(letter: object, suits: int) -> int:
    if not isinstance(letter, str):
        raise IllegalMoveError(f"color: {letter!r} is not text")
    return suit_of_letter(letter, suits)


FULL = {"colors": 5, "ranks": 5, "max_information_tokens": 8, "max_life_tokens": 3}
SMALL = {"ranks": 5, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1}

ENVIRONMENTS: dict[str, dict[str, int]] = {
    "Hanabi-Full": {**FULL, "observation_type": 1},
    "Hanabi-Full-CardKnowledge": {**FULL, "observation_type": 1},
    "Hanabi-Full-Minimal": {**FULL, "observation_type": 0},
    "Hanabi-Small": {"colors": 2, **SMALL, "observation_type": 1},
    "Hanabi-Very-Small": {"colors": 1, **SMALL, "observation_type": 1},
}
"""HLE's named environments."""


def make(
    environment_name: str = "Hanabi-Full",
    num_players: int = 2,
    pyhanabi_path: str | None = None,
    **config: Any,
) -> HanabiEnv:
    """Return one of HLE's environments.

    `pyhanabi_path` is ignored: it tells HLE where its library is. Other keywords change the
    configuration, such as ``seed=1``, which HLE's own `make` does not accept.
    """
    if environment_name not in ENVIRONMENTS:
        known = ", ".join(ENVIRONMENTS)
        raise InvalidEnvironmentError(f"unknown environment {environment_name!r}; expected {known}")
    return HanabiEnv({**ENVIRONMENTS[environment_name], "players": num_players, **config})


class Agent:
    """The base class of HLE's agents."""

    def __init__(self, config: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError

    def reset(self, config: Mapping[str, Any]) -> None:
        """Start again."""
        raise NotImplementedError

    def act(self, observation: Observation) -> int | dict[str, Any]:
        """Return a move for an observation."""
        raise NotImplementedError
