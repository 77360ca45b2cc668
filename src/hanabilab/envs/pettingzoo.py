"""Hanabi for PettingZoo: an AEC and a Parallel environment.

`env` and `parallel_env` follow the conventions of PettingZoo's own environments::

    from hanabilab.envs import pettingzoo

    env = pettingzoo.env(players=3)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

An observation is a dictionary with the Hanabi Learning Environment's vector (``observation``) and
the legal actions (``action_mask``), all zeros for players who are not to move. All players get the
same reward, at every step.

In the Parallel environment everyone acts at every step, but only the action of the player to move
counts. The last action does nothing: the other players' masks allow only this action, and the mask
of the player to move never allows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hanabilab.checks import check_choice
from hanabilab.envs.render import RENDER_MODES, check_render_mode, render
from hanabilab.envs.session import Session
from hanabilab.errors import ActionError, HanabiError, MissingExtraError
from hanabilab.table.game import Game

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError:
    raise MissingExtraError("pettingzoo", "rl", "a PettingZoo environment") from None

__all__ = ["HanabiAEC", "HanabiParallel", "env", "parallel_env", "raw_env"]

Observation = dict[str, NDArray[np.uint8] | NDArray[np.int8]]
Value = TypeVar("Value")
Infos = dict[str, dict[str, Any]]

OUR_NAMES = {
    "colors": "suits",
    "max_information_tokens": "hint_tokens",
    "max_life_tokens": "lives",
    "observation_type": "observation",
    "random_start_player": "random_first_player",
}
"""Keywords of PettingZoo's own `hanabi_v5`, and our names for the same settings."""

OBSERVATION_TYPES = {"minimal": "minimal", "card_knowledge": "canonical", "seer": "seer"}
"""Its observation types, and our kinds of observations."""


def env(**settings: Any) -> Any:
    """Return the AEC environment, wrapped in PettingZoo's check of the order of calls.

    Settings are a `render_mode` and those of `hanabilab.envs.session.Session`; the keywords of
    PettingZoo's `hanabi_v5` (`colors`, `max_information_tokens` and so on) work as well.
    """
    return _OrderEnforcing(HanabiAEC(**settings))


class _OrderEnforcing(OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's check of the order of calls, with one level of indirection less."""

    def last(self, observe: bool = True) -> tuple[Any, ...]:
        """Return the observation, reward, termination, truncation and info of the agent to act."""
        seen: tuple[Any, ...]
        seen = self.env.last(observe) if self._has_reset else super().last(observe)
        return seen


def parallel_env(**settings: Any) -> HanabiParallel:
    """Return the Parallel environment, with the same settings."""
    return HanabiParallel(**settings)


def _our_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings under our names; reject a setting given under both names."""
    ours = {name: value for name, value in settings.items() if name not in OUR_NAMES}
    for name, value in settings.items():
        if name not in OUR_NAMES:
            continue
        if OUR_NAMES[name] in ours:
            raise HanabiError(f"{name} and {OUR_NAMES[name]} are the same setting: give only one")
        if name == "observation_type":
            value = OBSERVATION_TYPES[check_choice(name, value, OBSERVATION_TYPES)]
        ours[OUR_NAMES[name]] = value
    return ours


class _HanabiBase:
    """Agents, their spaces and their observations."""

    metadata = {  # noqa: RUF012  # PettingZoo's way
        "name": "hanabilab_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 1,
        "is_parallelizable": False,  # by PettingZoo: it would ask those who are not to move
    }
    idle_actions = 0
    """The number of actions that do nothing, numbered after all others."""

    def __init__(self, *, render_mode: str | None = None, **settings: Any) -> None:
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.session = Session(idle_actions=self.idle_actions, **_our_settings(settings))
        self.possible_agents = [f"player_{player}" for player in range(self.session.rules.players)]
        self.agents: list[str] = []
        actions = self.session.actions
        length = self.session.state_encoder.length
        self.state_space = spaces.Box(0, 1, (length,), np.uint8)
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (self.session.encoder.length,), np.uint8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    @property
    def game(self) -> Game:
        """The current game."""
        return self.session.game

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent."""
        return self._action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return an agent's current observation."""
        player = self.possible_agents.index(agent)
        return {
            "observation": self.session.vector(player),
            "action_mask": self.session.mask(player),
        }

    def state(self) -> NDArray[np.uint8]:
        """Return the full state, hidden hands included, for central critics."""
        return self.session.full_state()

    def render(self) -> Any:
        """Render the board in the `render_mode`."""
        return render(self.game, self.render_mode)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""

    def _mover(self) -> str:
        return self.possible_agents[self.session.player]

    def _deal(self, seed: int | None, options: dict[str, Any] | None) -> None:
        self.session.deal(seed, options)
        self.agents = self.possible_agents[:]
        self._show()

    def _turn(self, mover: str, action: object) -> dict[str, float]:
        """Take a turn, and return the rewards."""
        self.session.act(action)
        self._show()
        rewards = self._everyone(self.session.collect_reward())
        rewards[mover] += self.session.penalty
        return rewards

    def _everyone(self, value: Value) -> dict[str, Value]:
        return dict.fromkeys(self.agents, value)

    def _infos(self) -> Infos:
        about = self.session.info()
        return {agent: about.copy() for agent in self.agents}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


class HanabiAEC(_HanabiBase, AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """Players act in turn."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game; `options` may hold its ``deck``."""
        self._deal(seed, options)
        self.rewards = self._everyone(0.0)
        self._cumulative_rewards = self._everyone(0.0)
        self.terminations = self._everyone(False)
        self.truncations = self._everyone(False)
        self.infos = self._infos()
        self.agent_selection = self._mover()

    def step(self, action: int | None) -> None:
        """Take a turn; once the game is over, every agent leaves with None."""
        self.session.check_started()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.rewards = self._turn(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self.terminations = self._everyone(self.session.is_over)
        self.infos = self._infos()
        self.agent_selection = self._mover()
        self._deads_step_first()


raw_env = HanabiAEC


class HanabiParallel(_HanabiBase, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """Everyone acts at once; only the action of the player to move counts."""

    idle_actions = 1

    @property
    def no_op(self) -> int:
        """The action of players who are not to move."""
        return self.session.moves

    def observe(self, agent: str) -> Observation:
        """Return an agent's current observation; those not to move can only do nothing."""
        seen = super().observe(agent)
        seen["action_mask"][self.no_op] = not seen["action_mask"].any()
        return seen

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        """Deal a game; `options` may hold its ``deck``."""
        self._deal(seed, options)
        return self._observations(), self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Take a turn; return observations, rewards, terminations, truncations and infos.

        Actions of players who are not to move are ignored and may be missing.
        """
        self.session.check_started()
        mover = self._mover()
        if self.agents and mover not in actions:
            raise ActionError(f"no action for {mover}, whose turn it is")
        rewards = self._turn(mover, actions.get(mover))
        over = self.session.is_over
        result = (
            self._observations(),
            rewards,
            self._everyone(over),
            self._everyone(False),
            self._infos(),
        )
        if over:
            self.agents = []
        return result

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.observe(agent) for agent in self.agents}
