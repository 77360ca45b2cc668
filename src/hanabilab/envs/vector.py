"""Many games at once as a vector environment of Gymnasium.

::

    import gymnasium
    import hanabilab.envs.gymnasium  # registers the name

    envs = gymnasium.make_vec(
        "hanabilab/Hanabi-v0", num_envs=256, vectorization_mode="vector_entry_point",
        players=3, partners={"iggi": 2, "piers": 1},
    )
    observations, infos = envs.reset(seed=1)
    actions = envs.action_space.sample(infos["action_mask"])
    observations, rewards, terminations, truncations, infos = envs.step(actions)

It is `hanabilab.envs.BatchEnv`, and plays the games of `hanabilab.envs.gymnasium.HanabiEnv` with
the same seeds. Without partners everyone learns: the observation is that of the player to move.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabilab.envs.batch import BatchEnv
from hanabilab.errors import HanabiError, MissingExtraError
from hanabilab.formats.board_text import ENDS
from hanabilab.game.deck import check_seed
from hanabilab.game.state import GOING_ON

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtraError("gymnasium", "rl", "a Gymnasium environment") from None

__all__ = ["HanabiVectorEnv"]

MODES = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}
SEED_BITS = 61

Infos = dict[str, Any]


class HanabiVectorEnv(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """`num_envs` games at once.

    Parameters
    ----------
    num_envs
        The number of games.
    autoreset_mode
        When a finished game is followed by the next one, as Gymnasium defines it.
    settings
        Rules, observations, partners and more; see `hanabilab.envs.BatchEnv`. An illegal action
        raises an error.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **settings: Any,
    ) -> None:
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(each.value for each in AutoresetMode)
            raise HanabiError(
                f"unknown autoreset_mode {autoreset_mode!r}; expected one of {known}"
            ) from None
        self.batch = BatchEnv(num_envs, autoreset=MODES[mode], **settings)
        self.num_envs = self.batch.num_envs
        self.metadata = {"autoreset_mode": mode}
        kind: Any = self.batch.dtype
        self.single_observation_space = spaces.Box(0, 1, (self.batch.observation_length,), kind)
        self.single_action_space = spaces.Discrete(self.batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._finals = np.zeros_like(self.batch.buffers().observations)
        self._keeps_finals = mode == AutoresetMode.SAME_STEP
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], Infos]:
        """Deal a game in each sub-environment, or where ``options["reset_mask"]`` is true.

        With one seed, sub-environment i deals game 0 of seed + i; otherwise the next game of its
        seed.
        """
        mask = self._mask(options)
        seeds = self._seeds(seed)
        if not self._seeded:
            first = [secrets.randbits(SEED_BITS) if each is None else each for each in seeds]
            observations, _ = self.batch.reset(first)
            self._seeded = True
            return observations, self._infos()
        fresh = mask & np.array([each is not None for each in seeds])
        observations, _ = self.batch.reset_places(mask & ~fresh)
        if fresh.any():
            given = [each for each, chosen in zip(seeds, fresh, strict=True) if chosen]
            observations, _ = self.batch.reset_places(fresh, given)  # type: ignore[arg-type]
        return observations, self._infos()

    def _mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        for name in (options or {}).keys() - {"reset_mask"}:
            raise HanabiError(f"options: unknown {name!r}; expected reset_mask")
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise HanabiError(f"reset_mask: expected {self.num_envs} booleans, some of them true")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None or isinstance(seed, Sequence | np.ndarray):
            given = [None] * self.num_envs if seed is None else list(seed)
            if len(given) != self.num_envs:
                raise HanabiError(f"seed: {len(given)} seeds for {self.num_envs} places")
            return [None if each is None else check_seed("seed", each) for each in given]
        first = check_seed("seed", seed)
        return [check_seed("seed", first + place) for place in range(self.num_envs)]

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        """Take the learner's turn in each game, then its partners' turns up to its next one."""
        if not self._seeded:
            raise HanabiError("no game has started: call reset first")
        finals = self._finals if self._keeps_finals else None
        made = self.batch.step(actions, final_observations=finals)
        infos = self._infos()
        if self._keeps_finals and made.done.any():
            infos |= self._final_infos(made.done)
        nothing = np.zeros(self.num_envs, np.bool_)
        return made.observations, made.rewards.astype(np.float64), made.done, nothing, infos

    def _infos(self) -> Infos:
        """Return the legal actions, and the score, turn and end of each game."""
        batch = self.batch
        over = batch._batch.states["end"] != GOING_ON
        scores = np.where(over, batch.final_scores, batch.scores)
        return _with_masks(
            np.ones(self.num_envs, np.bool_),
            action_mask=batch.action_masks.astype(np.int8),
            score=scores,
            turn=batch.turns,
            end=_ends(batch._batch.states["end"]),
        )

    def _final_infos(self, done: NDArray[np.bool_]) -> Infos:
        places = self.batch._batch.places
        final_obs = np.full(self.num_envs, None, object)
        for game in np.flatnonzero(done):
            final_obs[game] = self._finals[game].copy()
        final_info = _with_masks(
            done,
            action_mask=np.zeros((self.num_envs, self.batch.num_actions), np.int8),
            score=np.where(done, places["final"], 0),
            turn=np.where(done, places["final_turn"], 0),
            end=_ends(np.where(done, places["final_end"], GOING_ON)),
        )
        return _with_masks(done, final_obs=final_obs, final_info=final_info)


def _ends(ends: NDArray[np.int64]) -> NDArray[np.object_]:
    return np.array([ENDS[end] for end in ends.tolist()], object)


def _with_masks(mask: NDArray[np.bool_], **entries: Any) -> Infos:
    """Return entries in Gymnasium's format: each with a mask of the games that have it."""
    return entries | {f"_{name}": mask.copy() for name in entries}
