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

from hanabilab.checks import one_of, whole_number
from hanabilab.envs.batch.arrays import (
    Arrays,
    Observations,
    Step,
    array_to_fill,
    entries_of,
)
from hanabilab.envs.batch.given import (
    Seeds,
    read_actions,
    read_places,
    read_seeds,
    step_to_fill,
)
from hanabilab.envs.batch.kernels import (
    DISABLED,
    NEXT_STEP,
    SAME_STEP,
    Terms,
    reset_games,
    sample_games,
    step_games,
)
from hanabilab.envs.batch.loops import Loops
from hanabilab.envs.batch.observed import ObservedTables
from hanabilab.envs.batch.partner_kernels import go_on_beside, reset_beside, step_beside
from hanabilab.envs.batch.partners import BatchPartners
from hanabilab.envs.batch.tables import new_batch
from hanabilab.envs.population import Partners, Population
from hanabilab.envs.settings import check_reward, check_seat, env_rules, player_encoder
from hanabilab.errors import ActionError, HanabiError
from hanabilab.game.actions import count_actions
from hanabilab.game.deck import check_seed
from hanabilab.game.encoding import STATE, Encoder
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, opening

__all__ = ["AUTORESET", "BatchEnv"]

AUTORESET = {"same-step": SAME_STEP, "next-step": NEXT_STEP, "disabled": DISABLED}


class BatchEnv(ObservedTables):
    """`n` games at once under the same rules.

    Parameters
    ----------
    n, players
        How many games, and how many players in each.
    rules
        `Rules` or the name of a preset; single rules may be changed by name (``lives=1``).
    observation
        What the player to move observes: "canonical", the vector of the Hanabi Learning
        Environment, or another kind (`hanabilab.game.encoding`), or None for none.
    dtype
        "uint8" or "float32": the entries of observations that the environment allocates.
    reward
        "difference": the change of the score by the rules; with the last life all points are lost.
        "final": the score, at the end.
    keep_points
        Whether points are kept when the last life is lost; by default as the rules say.
    seed
        Which decks; as for `simulate`.
    threads
        How many threads share the games of a step; fewer if a thread would get less than 1,024
        games, since starting it would take longer. Results do not depend on it.
    partners
        Who plays all seats but the learner's: a strategy or a policy, a list with one for each
        seat after it, or a dictionary of these with weights, of which one is drawn for each game.
        None: everyone learns.
    seat
        The learner's seat beside partners: a player from 0, or "random" for a new one in each game.
    random_first_player
        Whether a random player begins each game, instead of player 0.
    autoreset
        When the next game follows: in the "same-step", in the "next-step", whose action does not
        matter there, or, if "disabled", when `reset_places` says so.
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
        threads = whole_number("threads", threads, 1)
        self.rules = env_rules(rules, players, keep_points, changes)
        self.num_envs, self.reward = whole_number("n", n, 1), reward
        self.dtype = entries_of(dtype)
        self.encoder = None if observation is None else player_encoder(self.rules, observation)
        self.observation_length = 0 if self.encoder is None else self.encoder.length
        self.num_actions = count_actions(opening(self.rules))
        self.autoreset = one_of("autoreset", autoreset, AUTORESET)
        self._loops = Loops(self.num_envs, threads)
        self._state_encoder = Encoder(self.rules, STATE)
        terms = Terms(only_final=int(reward == "final"), autoreset=AUTORESET[autoreset])
        terms.random_first = int(random_first_player)
        terms.seat = check_seat(seat, self.rules.players)
        self._batch = new_batch(self.rules, self.num_envs, self.encoder, terms)
        self._partners: BatchPartners | None = None
        if partners is not None:
            population = Population(partners, self.rules)
            self._partners = BatchPartners(population, self.rules, self.num_envs)
        self._fitted: tuple[Arrays | None, Step] = (None, self.buffers())
        """What was last given as `out` and found to fit, and its arrays."""
        self._no_greedy = np.zeros(0, np.int64)
        self.reset(seed)

    @property
    def seed(self) -> int:
        """The seed of the first place, and of all unless each has its own (`seeds`)."""
        return int(self._batch.places["seed"][0])

    def reset(
        self, seed: Seeds | None = None, *, out: Arrays | None = None
    ) -> tuple[Observations, NDArray[np.bool_]]:
        """Start again with game i at place i, and return the observations and the legal actions.

        With a seed for each place, place i plays the games 0, 1, 2, … of its own. Without one, deal
        the decks of the last seeds again.
        """
        places, terms = self._batch.places, self._batch.terms
        if seed is not None:
            places["seed"] = read_seeds(seed, self.num_envs)
            terms["stride"] = 1 if np.ndim(seed) else self.num_envs
        alone = terms["stride"][0] == 1
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
        """Deal the next games at some places, given as a mask or by their numbers.

        With seeds, one for each of them, these deal game 0 of theirs; that goes with a seed for
        each place. Return the observations and legal actions of all places.
        """
        chosen = read_places(places, self.num_envs)
        noted = self._batch.places
        if seeds is None:
            noted["number"] += np.where(chosen, self._batch.terms["stride"], 0)
        else:
            numbers = [check_seed("seeds", seed) for seed in seeds]
            if len(numbers) != chosen.sum():
                raise HanabiError(f"seeds: {len(numbers)} for {chosen.sum()} places")
            if self._batch.terms["stride"][0] != 1 and self.num_envs > 1:
                raise HanabiError("seeds: reset with a seed for each place first")
            noted["seed"][chosen] = numbers
            noted["number"][chosen] = 0
        return self._deal(chosen, out)

    def _deal(
        self, chosen: NDArray[np.bool_], out: Arrays | None
    ) -> tuple[Observations, NDArray[np.bool_]]:
        made, filled = self._checked(out)
        if self._partners is None:
            seen = filled.observations
            self._loops.run(reset_games, self._batch, chosen, seen, entries=seen.dtype)
        else:
            seen = filled.observations
            results = seen, seen[:0], filled.rewards, filled.done
            self._run_beside(reset_beside, (chosen,), results)
        np.copyto(filled.action_masks, self._batch.masks)
        return made.observations, made.action_masks

    def step(
        self,
        actions: ArrayLike,
        *,
        greedy: ArrayLike | None = None,
        out: Arrays | None = None,
        final_observations: Observations | None = None,
    ) -> Step:
        """Take one turn in every game, and with partners all turns until the learner's next one.

        `out`, from `buffers` or four arrays like those, is filled and returned instead of new
        arrays. `final_observations`, like the observations of `out`, takes those of games that end.
        `greedy` are the actions without exploration, which "sad" observations show; by default
        those that are taken. An illegal action raises an `ActionError` that names its place, and no
        game moves.
        """
        chosen = read_actions("actions", actions, self.num_envs)
        instead = (
            self._no_greedy if greedy is None else read_actions("greedy", greedy, self.num_envs)
        )
        made, filled = self._checked(out)
        seen = filled.observations
        finals = seen[:0]
        if final_observations is not None:
            kinds = (seen.dtype.name,)
            finals = array_to_fill("final_observations", final_observations, seen.shape, kinds)
        if self._loops.threads > 1:
            self._raise_if_illegal("actions", self._first_illegal(chosen), chosen)
        if greedy is not None:
            self._raise_if_illegal("greedy", self._first_illegal(instead), instead)
        results = seen, finals, filled.rewards, filled.done
        if self._partners is None:
            given = self._batch, chosen, instead, *results
            illegal = self._loops.run(step_games, *given, entries=seen.dtype)[0]
        else:
            illegal = self._run_beside(step_beside, (chosen, instead), results)
        self._raise_if_illegal("actions", illegal, chosen)
        np.copyto(filled.action_masks, self._batch.masks)
        return made

    def _run_beside(self, loop: Any, given: tuple[Any, ...], results: tuple[Any, ...]) -> int:
        """Run a loop with partners, and ask those that are not compiled until all places are done.

        Return the place of an illegal action of the learner, or -1.
        """
        partners, batch, loops = self._partners, self._batch, self._loops
        assert partners is not None
        entries = results[0].dtype
        found = loops.run(loop, batch, partners.guests, *given, *results, entries=entries)
        partners.check(found, batch)
        if max(found) >= 0:
            return int(max(found))
        while (answers := partners.answers(batch, loops)) is not None:
            given = batch, partners.guests, answers, *results
            found = loops.run(go_on_beside, *given, entries=entries)
            partners.check(found, batch)
        return -1

    def buffers(self, dtype: DTypeLike | None = None) -> Step:
        """Return arrays for `step` and `reset` to fill, with "uint8" or "float32" observations."""
        n = self.num_envs
        kind = self.dtype if dtype is None else entries_of(dtype)
        return Step(
            np.zeros((n, self.observation_length), kind),
            np.zeros(n, np.float32),
            np.zeros(n, np.bool_),
            np.zeros((n, self.num_actions), np.bool_),
        )

    def sample(self, *, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return a random legal action for every game, all equally likely.

        The choice depends only on the seed, the game and its turn.
        """
        actions = np.zeros(self.num_envs, np.int64) if out is None else out
        filled = array_to_fill("out", actions, (self.num_envs,), ("int64",))
        self._loops.run(sample_games, self._batch, filled)
        return actions

    def copy(self) -> Self:
        """Return an equal environment that goes its own way."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_fitted": (None, self._fitted[1])}

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

    def _checked(self, out: Arrays | None) -> tuple[Step, Step]:
        """Return what to give back, and the arrays to fill: new ones, or those of the caller."""
        if out is None:
            made = self.buffers()
            return made, made
        given, filled = self._fitted
        if given is not out:
            filled = step_to_fill(out, self._fitted[1])
            self._fitted = out, filled
        return (out if isinstance(out, Step) else Step(*out)), filled

    def __repr__(self) -> str:
        name = self.rules.preset or "custom rules"
        return f"<BatchEnv: {self.num_envs} games of {self.rules.players} players, {name}>"
