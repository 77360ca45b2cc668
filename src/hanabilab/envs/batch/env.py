"""Many games at once: actions in, observations, rewards, ends and legal actions out.

    env = BatchEnv(1024, players=2, seed=1)
    observations, action_masks = env.reset()
    while training:
        actions = policy(observations, action_masks)
        observations, rewards, done, action_masks = env.step(actions)

A game that ends is followed by the next one at once: `done` and `rewards` report the end, and the
observation is the first of the new game. Place i plays the games i, i + n, i + 2n, … of the seed,
the same decks as everywhere else, whatever the other places do.

With partners, a step goes on until it is the learner's turn again.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hanabilab.checks import check_choice, check_integer
from hanabilab.envs.batch.arrays import (
    Arrays,
    Observations,
    Seeds,
    Step,
    array_to_fill,
    as_bytes,
    entries_of,
    read_actions,
    read_places,
    read_seeds,
    step_to_fill,
)
from hanabilab.envs.batch.kernels import (
    DEAL,
    DISABLED,
    NEXT_STEP,
    RANDOM_STEP,
    RESUME,
    SAME_STEP,
    STEP,
    BatchOptions,
    Outputs,
    play_games,
    sample_games,
)
from hanabilab.envs.batch.loops import Loops
from hanabilab.envs.batch.partners import LearnerPartners
from hanabilab.envs.batch.tables import ObservedTables, new_batch
from hanabilab.envs.population import Partners, Population
from hanabilab.envs.settings import check_reward, check_seat, env_rules, player_encoder
from hanabilab.errors import ActionError, HanabiError
from hanabilab.game.actions import count_actions
from hanabilab.game.deck import check_seed
from hanabilab.game.encoding import STATE, Encoder
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, initial_state

__all__ = ["AUTORESET", "BatchEnv"]

AUTORESET = {"same-step": SAME_STEP, "next-step": NEXT_STEP, "disabled": DISABLED}

Fitted = tuple[Step, Outputs]
"""The caller's arrays, and the arrays bound to the loops."""
Sampled = tuple[NDArray[np.int64] | None, NDArray[np.int64]]
"""The last `out` of `sample`, and the array filled for it."""


class BatchEnv(ObservedTables):
    """`n` games at once under the same rules.

    Parameters
    ----------
    n, players
        The number of games, and of players in each.
    rules
        `Rules` or the name of a preset; single rules may be changed by name (``lives=1``).
    observation
        What the player to move observes: "canonical", the vector of the Hanabi Learning
        Environment; another kind (`hanabilab.game.encoding`); or None for no observations.
    dtype
        "uint8" or "float32": the dtype of the observations that the environment allocates.
    reward
        "difference": the change of the score by the rules; the last life costs all points.
        "final": the score, at the end.
    keep_points
        Whether points are kept when the last life is lost; by default as the rules say.
    seed
        The seed of the decks, as for `simulate`.
    threads
        The largest number of threads that share a step. Each thread gets at least 1,024 games,
        since waking it for fewer would take longer. Results do not depend on it.
    partners
        The players of all seats but the learner's: a strategy or a policy, a list with one per
        seat after the learner's, or a dictionary of these with weights, from which one is drawn
        for each game. With None, everyone learns.
    seat
        The learner's seat, with partners: a player from 0, or "random" for a new seat each game.
    random_first_player
        Whether a random player begins each game, instead of player 0.
    autoreset
        When the next game begins: in the "same-step"; in the "next-step", which ignores its
        action; or, if "disabled", when `reset_places` is called.
    """

    def __init__(
        self,
        n: int,
        players: int | None = None,
        *,
        rules: Rules | str = "hle",
        observation: str | None = "canonical",
        dtype: DTypeLike = "uint8",
        reward: str = "difference",
        keep_points: bool | None = None,
        seed: Seeds = 0,
        threads: int = 1,
        partners: Partners | None = None,
        seat: int | str = 0,
        random_first_player: bool = False,
        autoreset: str = "same-step",
        **changes: Any,
    ) -> None:
        check_reward(reward)
        threads = check_integer("threads", threads, 1)
        self.rules = env_rules(rules, players, keep_points, changes)
        self.num_envs, self.reward = check_integer("n", n, 1), reward
        self.dtype = entries_of(dtype)
        self.encoder = None if observation is None else player_encoder(self.rules, observation)
        self.observation_length = 0 if self.encoder is None else self.encoder.length
        self.num_actions = count_actions(initial_state(self.rules))
        self.autoreset = check_choice("autoreset", autoreset, AUTORESET)
        self._loops = Loops(self.num_envs, threads)
        self._state_encoder = Encoder(self.rules, STATE)
        options = BatchOptions(only_final=int(reward == "final"), autoreset=AUTORESET[autoreset])
        options.random_first = int(random_first_player)
        options.seat = check_seat(seat, self.rules.players)
        self._batch = new_batch(self.rules, self.num_envs, self.encoder, options)
        self._partners: LearnerPartners | None = None
        if partners is not None:
            population = Population(partners, self.rules)
            self._partners = LearnerPartners(population, self.rules, self.num_envs)
        self._actions, self._no_greedy = np.zeros(self.num_envs, np.int64), np.zeros(0, np.int64)
        self._byte_rows: NDArray[np.uint8] | None = None
        """The bytes from which floats are converted."""
        self._fitted: tuple[Arrays | None, Fitted | None] = (None, None)
        """The last validated `out`, and the arrays filled for it."""
        self._own: Fitted | None = None
        """The arrays filled if there is no `out`."""
        self._sampled: Sampled = (None, self._actions)
        self.reset(seed)

    @property
    def seed(self) -> int:
        """The seed of the first sub-environment, and of all unless each has its own (`seeds`)."""
        return int(self._batch.places["seed"][0])

    def reset(
        self, seed: Seeds | None = None, *, out: Arrays | None = None
    ) -> tuple[Observations, NDArray[np.bool_]]:
        """Restart with game i in sub-environment i; return the observations and the legal actions.

        With one seed per sub-environment, each plays the games 0, 1, 2, … of its own seed. Without
        a seed, the decks of the last seeds are dealt again.
        """
        places, options = self._batch.places, self._batch.options
        if seed is not None:
            places["seed"] = read_seeds(seed, self.num_envs)
            options["stride"] = 1 if np.ndim(seed) else self.num_envs
        alone = options["stride"][0] == 1
        places["number"] = 0 if alone else np.arange(self.num_envs)
        places["final"] = -1
        return self._deal(np.ones(self.num_envs, np.bool_), out)

    def reset_places(
        self,
        places: ArrayLike,
        seeds: Sequence[int] | None = None,
        *,
        out: Arrays | None = None,
    ) -> tuple[Observations, NDArray[np.bool_]]:
        """Deal the next games in some sub-environments, given as a mask or as indices.

        `seeds`, one for each of them, restarts these with game 0 of the new seeds; this requires
        one seed per sub-environment. Return the observations and legal actions of all
        sub-environments.
        """
        chosen = read_places(places, self.num_envs)
        noted = self._batch.places
        if seeds is None:
            noted["number"] += np.where(chosen, self._batch.options["stride"], 0)
        else:
            numbers = [check_seed("seeds", seed) for seed in seeds]
            if len(numbers) != chosen.sum():
                raise HanabiError(f"seeds: {len(numbers)} for {chosen.sum()} places")
            if self._batch.options["stride"][0] != 1 and self.num_envs > 1:
                raise HanabiError("seeds: reset with a seed for each place first")
            noted["seed"][chosen] = numbers
            noted["number"][chosen] = 0
        return self._deal(chosen, out)

    def _deal(
        self, chosen: NDArray[np.bool_], out: Arrays | None
    ) -> tuple[Observations, NDArray[np.bool_]]:
        filled, outputs = self._checked(out)
        self._actions[:] = chosen
        self._play(DEAL, self._no_greedy, outputs)
        np.copyto(filled.action_masks, self._batch.masks)
        made = _returned(out, filled)
        return made.observations, made.action_masks

    def step(
        self,
        actions: ArrayLike,
        *,
        greedy: ArrayLike | None = None,
        out: Arrays | None = None,
        final_observations: Observations | None = None,
    ) -> Step:
        """Take one turn in every game; with partners, all turns until the learner's next one.

        `out`, from `buffers` or four similar arrays, is filled and returned instead of new arrays.
        `final_observations`, like the observations of `out`, receives those of games that end.
        `greedy` are the actions without exploration, shown by "sad" observations; by default the
        actions taken. An illegal action raises an `ActionError` that names its game, and no game
        changes.
        """
        chosen = self._actions
        chosen[:] = read_actions("actions", actions, self.num_envs)
        instead = (
            self._no_greedy if greedy is None else read_actions("greedy", greedy, self.num_envs)
        )
        filled, outputs = self._checked(out)
        if final_observations is not None:
            outputs = self._with_finals(outputs, filled.observations, final_observations)
        if self._loops.threads > 1:
            self._raise_if_illegal("actions", self._first_illegal(chosen), chosen)
        if greedy is not None:
            self._raise_if_illegal("greedy", self._first_illegal(instead), instead)
        self._raise_if_illegal("actions", self._play(STEP, instead, outputs), chosen)
        return self._finish(out, filled)

    def random_step(self, *, out: Arrays | None = None) -> Step:
        """Take a random legal action in every game: `step` with `sample` in one call."""
        if self._partners is not None or self.autoreset == "disabled":
            return self.step(self.sample(), out=out)
        filled, outputs = self._checked(out)
        self._play(RANDOM_STEP, self._no_greedy, outputs)
        return self._finish(out, filled)

    def _finish(self, out: Arrays | None, filled: Step) -> Step:
        np.copyto(filled.action_masks, self._batch.masks)
        return _returned(out, filled)

    def _with_finals(self, outputs: Outputs, seen: Observations, finals: Observations) -> Outputs:
        kinds = (seen.dtype.name,)
        filled = array_to_fill("final_observations", finals, seen.shape, kinds)
        rows, floats = as_bytes(filled, self._byte_rows)
        return outputs._replace(final_rows=rows, final_floats=floats)

    def _play(self, task: int, greedy: NDArray[np.int64], outputs: Outputs) -> int:
        """Run a task of the loops in all games; return the index of an illegal action, or -1."""
        batch, loops, partners = self._batch, self._loops, self._partners
        if partners is None:
            found = loops.run(play_games, (task,), batch, self._actions, greedy, outputs)
            return int(found[0])
        found = partners.run(task, loops, batch, self._actions, greedy, outputs)
        if max(found) >= 0:
            return int(max(found))
        while (chosen := partners.python_actions(batch, loops)) is not None:
            partners.run(RESUME, loops, batch, chosen, self._no_greedy, outputs)
        return -1

    def buffers(self, dtype: DTypeLike | None = None) -> Step:
        """Return arrays for `step` and `reset` to fill, with "uint8" or "float32" observations."""
        seen, rewards, done, masks = self._shapes()
        return Step(
            np.zeros(seen, self.dtype if dtype is None else entries_of(dtype)),
            np.zeros(rewards, np.float32),
            np.zeros(done, np.bool_),
            np.zeros(masks, np.bool_),
        )

    def _shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the arrays in a `Step`."""
        n = self.num_envs
        return [(n, self.observation_length), (n,), (n,), (n, self.num_actions)]

    def sample(self, *, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return a random legal action for every game, all equally likely.

        The choice depends only on the seed, the game and its turn.
        """
        given, filled = self._sampled
        if out is None:
            filled = self._actions
        elif given is not out:
            filled = array_to_fill("out", out, (self.num_envs,), ("int64",))
            self._sampled = out, filled
        self._loops.run(sample_games, (), self._batch, filled)
        return filled.copy() if out is None else out

    def copy(self) -> Self:
        """Return an independent copy."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        forgotten = {"_fitted": (None, None), "_own": None, "_sampled": (None, self._actions)}
        return {**self.__dict__, **forgotten}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._partners is not None:
            self._partners.find_memories(self._batch, self._loops)

    def _first_illegal(self, chosen: NDArray[np.int64]) -> int:
        known = np.clip(chosen, 0, self.num_actions - 1)
        fine = self._batch.masks[np.arange(self.num_envs), known] & (known == chosen)
        if self.autoreset == "next-step":
            fine |= self._batch.states["end"] != GOING_ON
        return -1 if fine.all() else int(np.argmin(fine))

    def _raise_if_illegal(self, name: str, place: int, chosen: NDArray[np.int64]) -> None:
        if place >= 0:
            raise ActionError(self._why_not(name, place, int(chosen[place])))

    def _why_not(self, name: str, place: int, action: int) -> str:
        where = f"{name}: game {place} of {self.num_envs}"
        state = self.state(place)
        if state.end != GOING_ON:
            return f"{where} is over: reset that place first"
        if not 0 <= action < self.num_actions:
            most = self.num_actions - 1
            return f"{where}: action {action} does not exist; actions are 0 to {most}"
        from hanabilab.formats.action import Action

        words = Action.from_number(action, state)
        return f"{where}: action {action} ({words}) is not legal; no game has moved"

    def _checked(self, out: Arrays | None) -> Fitted:
        """Return the arrays to fill: the caller's, or our own."""
        if out is None:
            if self._own is None:
                filled = self.buffers()
                self._own = filled, self._outputs(filled)
            return self._own
        given, fitted = self._fitted
        if given is not out or fitted is None:
            filled = step_to_fill(out, self._shapes())
            fitted = filled, self._outputs(filled)
            self._fitted = out, fitted
        return fitted

    def _outputs(self, filled: Step) -> Outputs:
        """Return the outputs of the loops."""
        seen = filled.observations
        if self._byte_rows is None and seen.dtype != np.uint8:
            self._byte_rows = np.zeros(seen.shape, np.uint8)
        rows, floats = as_bytes(seen, self._byte_rows)
        return Outputs(rows, rows[:0], floats, floats[:0], filled.rewards, filled.done)

    def __repr__(self) -> str:
        name = self.rules.preset or "custom rules"
        return f"<BatchEnv: {self.num_envs} games of {self.rules.players} players, {name}>"


def _returned(out: Arrays | None, filled: Step) -> Step:
    """Return the caller's arrays, or copies of our own, to which the loops stay bound."""
    if out is None:
        seen, rewards, done, masks = filled
        return Step(seen.copy(), rewards.copy(), done.copy(), masks.copy())
    return out if isinstance(out, Step) else Step(*out)
