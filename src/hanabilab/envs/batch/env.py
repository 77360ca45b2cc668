"""Many games at once: actions in, observations, rewards, ends and legal actions out.

    env = BatchEnv(1024, players=2, seed=1)
    observations, action_masks = env.reset()
    while training:
        actions = policy(observations, action_masks)
        observations, rewards, done, action_masks = env.step(actions)

A game that ends is followed by the next one at once: `done` and `rewards` report the end, and the
observation is the first of the new game. Place i plays the games i, i + n, i + 2n, … of the seed,
the same decks as everywhere else, whatever the other places do.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hanabilab.checks import whole_number
from hanabilab.core.random import Dice
from hanabilab.core.record import dtype as layout_of
from hanabilab.core.record import pack, unpack
from hanabilab.deprecation import renamed
from hanabilab.envs.batch.arrays import (
    DTYPES,
    Arrays,
    Observations,
    Snapshot,
    Step,
    array_to_fill,
    entries_of,
)
from hanabilab.envs.batch.kernels import (
    Batch,
    encode_games,
    restart_games,
    sample_games,
    step_games,
)
from hanabilab.envs.batch.loops import Loops
from hanabilab.envs.settings import check_reward, env_rules
from hanabilab.errors import ActionError, HanabiError
from hanabilab.game.actions import Event, count_actions, write_mask
from hanabilab.game.deck import box, check_seed
from hanabilab.game.encoding import Encoder, Layout, no_event
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, State, opening
from hanabilab.table.game import Game

__all__ = ["BatchEnv", "Step"]


class BatchEnv:
    """`n` games at once under the same rules.

    Parameters
    ----------
    n, players
        How many games, and how many players in each.
    rules
        `Rules` or the name of a preset; single rules may be changed by name (``lives=1``).
    observation
        The vector of the Hanabi Learning Environment for the player to move: "canonical",
        "minimal" (`hanabilab.game.encoding`), or None for none.
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
        seed: int = 0,
        threads: int = 1,
        **changes: Any,
    ) -> None:
        check_reward(reward)
        threads = whole_number("threads", threads, 1)
        self.rules = env_rules(rules, players, keep_points, changes)
        self.num_envs, self.reward = whole_number("n", n, 1), reward
        self.dtype = entries_of(dtype)
        self.encoder = None if observation is None else Encoder(self.rules, observation)
        self.observation_length = 0 if self.encoder is None else self.encoder.length
        self.num_actions = count_actions(opening(self.rules))
        self._loops = Loops(self.num_envs, threads)
        self._fitted: tuple[Arrays | None, Step] = (None, self.buffers())
        """What was last given as `out` and found to fit, and its arrays."""
        self._set_up()
        self.reset(seed)

    def _set_up(self) -> None:
        n = self.num_envs
        self._batch = Batch(
            np.zeros(n, layout_of(State)),
            np.zeros((n, self.rules.deck_size), np.int64),
            np.zeros(n, layout_of(Event)),
            np.zeros((n, self.num_actions), np.bool_),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, layout_of(Dice)),
            pack(opening(self.rules)),
            pack(no_event()),
            pack(Layout() if self.encoder is None else self.encoder.layout),
            np.array(box(self.rules), np.int64),
        )

    def reset(
        self, seed: int | None = None, *, out: Arrays | None = None
    ) -> tuple[Observations, NDArray[np.bool_]]:
        """Start again with game i at place i, and return the observations and the legal actions.

        Without a seed, deal the decks of the last one again.
        """
        if seed is not None:
            self.seed = check_seed("seed", seed)
        self._batch.numbers[:] = np.arange(self.num_envs)
        self._batch.finals[:] = -1
        made, filled = self._checked(out)
        self._loops.run(restart_games, self._batch, self.seed, filled.observations)
        np.copyto(filled.action_masks, self._batch.masks)
        return made.observations, made.action_masks

    def step(self, actions: ArrayLike, *, out: Arrays | None = None) -> Step:
        """Take one turn in every game.

        `out`, from `buffers` or four arrays like those, is filled and returned instead of new
        arrays. An illegal action raises an `ActionError` that names its place, and no game moves.
        """
        chosen = self._numbers(actions)
        made, filled = self._checked(out)
        if self._loops.threads > 1:
            self._raise_if_illegal(self._first_illegal(chosen), chosen)  # before any game has moved
        final = int(self.reward == "final")
        illegal, *_ = self._loops.run(
            step_games,
            self._batch,
            self.seed,
            chosen,
            final,
            filled.observations,
            filled.rewards,
            filled.done,
        )
        self._raise_if_illegal(illegal, chosen)
        np.copyto(filled.action_masks, self._batch.masks)
        return made

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
        self._loops.run(sample_games, self._batch, self.seed, filled)
        return actions

    def encode(self, player_offset: int = 0, *, out: Observations | None = None) -> Observations:
        """Return what the player `player_offset` seats after the one to move observes now."""
        if self.encoder is None:
            raise HanabiError("observation: this environment was made without an encoding")
        player_offset = whole_number("player_offset", player_offset, 0, self.rules.players - 1)
        shape = (self.num_envs, self.observation_length)
        rows = np.zeros(shape, self.dtype) if out is None else out
        filled = array_to_fill("out", rows, shape, DTYPES)
        self._loops.run(encode_games, self._batch, player_offset, filled)
        return rows

    @property
    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, a row for each game."""
        return self._batch.masks.copy()

    @property
    def current_players(self) -> NDArray[np.int64]:
        """Who is to move in each game."""
        return self._field("player")

    @property
    def scores(self) -> NDArray[np.int64]:
        """The fireworks of each game so far, whatever happened to the lives."""
        return self._field("score")

    @property
    def turns(self) -> NDArray[np.int64]:
        """How many turns each game has taken."""
        return self._field("turn")

    @property
    def lives(self) -> NDArray[np.int64]:
        """How many lives are left in each game."""
        return self._field("lives")

    @property
    def hint_tokens(self) -> NDArray[np.int64]:
        """How many hint tokens are left in each game."""
        return self._field("hint_tokens")

    @property
    def final_scores(self) -> NDArray[np.int64]:
        """The score of the last finished game of each place; -1 before the first one."""
        return self._batch.finals.copy()

    @property
    def game_numbers(self) -> NDArray[np.int64]:
        """Which game of the seed each place plays."""
        return self._batch.numbers.copy()

    def _field(self, name: str) -> NDArray[np.int64]:
        field: NDArray[np.int64] = self._batch.states[name].copy()
        return field

    def state(self, index: int) -> State:
        """Return a copy of the table of one game."""
        state = State()
        unpack(state, self._batch.states[self._place(index)])
        return state

    def last_event(self, index: int) -> Event | None:
        """Return the last turn of one game; None before the first one."""
        event = Event()
        unpack(event, self._batch.events[self._place(index)])
        return event if event.player >= 0 else None

    def set_game(self, index: int, game: Game) -> None:
        """Put a game, as it stands, at a place, to be played on from there."""
        place = self._place(index)
        if game.rules != self.rules:
            raise HanabiError("game: not played by the rules of the environment")
        if game.state.end != GOING_ON:
            raise HanabiError(f"game: it is over ({game.end})")
        batch = self._batch
        batch.states[place] = pack(game.state)[0]
        batch.decks[place] = list(game.deck)
        batch.events[place] = pack(game.events[-1] if game.events else no_event())[0]
        write_mask(game.state, batch.masks[place])

    def snapshot(self) -> Snapshot:
        """Return all games as they stand, as plain arrays (for `numpy.savez`, pickle, …)."""
        names = ("states", "decks", "events", "masks", "numbers", "finals")
        arrays = {name: getattr(self._batch, name).copy() for name in names}
        return {"seed": np.int64(self.seed), **arrays}

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of an environment of the same size and rules."""
        for name in snapshot:
            if name != "seed":
                ours = getattr(self._batch, name)
                theirs = np.asarray(snapshot[name])
                if theirs.shape != ours.shape or theirs.dtype != ours.dtype:
                    raise HanabiError(f"{name}: these are not games of this environment")
        for name in snapshot:
            if name != "seed":
                getattr(self._batch, name)[...] = snapshot[name]
        self.seed = int(snapshot["seed"])

    save = renamed("save", "snapshot")
    load = renamed("load", "restore")

    def copy(self) -> Self:
        """Return an equal environment that goes its own way."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_fitted": (None, self._fitted[1])}

    def _place(self, index: int) -> int:
        return whole_number("index", index, 0, self.num_envs - 1)

    def _numbers(self, actions: ArrayLike) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ActionError(
                f"actions: expected {self.num_envs} whole numbers, not an array of "
                f"{given.dtype.name} and shape {given.shape}"
            )
        return np.ascontiguousarray(given, np.int64)

    def _first_illegal(self, chosen: NDArray[np.int64]) -> int:
        known = np.clip(chosen, 0, self.num_actions - 1)
        fine = self._batch.masks[np.arange(self.num_envs), known] & (known == chosen)
        return -1 if fine.all() else int(np.argmin(fine))

    def _raise_if_illegal(self, place: int, chosen: NDArray[np.int64]) -> None:
        if place >= 0:
            raise ActionError(self._why_not(place, int(chosen[place])))

    def _why_not(self, place: int, action: int) -> str:
        where = f"actions: game {place} of {self.num_envs}: action {action}"
        if not 0 <= action < self.num_actions:
            return f"{where} does not exist; actions are 0 to {self.num_actions - 1}"
        from hanabilab.formats.action import Action

        words = Action.from_number(action, self.state(place))
        return f"{where} ({words}) is not legal; no game has moved"

    def _checked(self, out: Arrays | None) -> tuple[Step, Step]:
        """Return what to give back, and the arrays to fill: new ones, or those of the caller."""
        if out is None:
            made = self.buffers()
            return made, made
        given, filled = self._fitted
        if given is not out:
            filled = self._to_fill(out)
            self._fitted = out, filled
        return (out if isinstance(out, Step) else Step(*out)), filled

    def _to_fill(self, out: Arrays) -> Step:
        if not isinstance(out, Sequence) or len(out) != len(Step._fields):
            what = f"{len(out)} arrays" if isinstance(out, Sequence) else f"a {type(out).__name__}"
            raise HanabiError(f"out: expected {', '.join(Step._fields)}, not {what}")
        n = self.num_envs
        shapes = ((n, self.observation_length), (n,), (n,), (n, self.num_actions))
        kinds = (DTYPES, ("float32",), ("bool",), ("bool",))
        return Step(*map(array_to_fill, Step._fields, out, shapes, kinds))

    def __repr__(self) -> str:
        name = self.rules.preset or "custom rules"
        return f"<BatchEnv: {self.num_envs} games of {self.rules.players} players, {name}>"
