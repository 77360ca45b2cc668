"""Hanabi for Gymnasium: one seat for the learner, strategies in all others.

::

    import gymnasium
    import hanabilab.envs.gymnasium  # registers the name

    env = gymnasium.make("hanabilab/Hanabi-v0", players=3, partners="piers")
    observation, info = env.reset(seed=1)
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)

``gymnasium.make("hanabilab.envs.gymnasium:hanabilab/Hanabi-v0")`` does the same without the import.

A step is the learner's turn and those of all partners after it; its reward counts them all. The
observation is the learner's vector of the Hanabi Learning Environment; the legal actions are in
``info["action_mask"]``, and `HanabiEnv.action_masks` returns them for learners that call it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hanabilab.checks import did_you_mean
from hanabilab.envs.compiled_partners import CompiledPartners, can_be_compiled_partner
from hanabilab.envs.population import Partners, Population
from hanabilab.envs.render import RENDER_MODES, check_render_mode, render
from hanabilab.envs.session import Mask, Session, Vector
from hanabilab.envs.settings import check_seat
from hanabilab.envs.stepper import GameStepper
from hanabilab.envs.vector import HanabiVectorEnv
from hanabilab.errors import HanabiError, MissingExtraError
from hanabilab.game.deck import check_seed
from hanabilab.table.failure import illegal_action_error
from hanabilab.table.game import Game
from hanabilab.table.players import Actor

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtraError("gymnasium", "rl", "a Gymnasium environment") from None

__all__ = ["ID", "HanabiEnv"]

ID = "hanabilab/Hanabi-v0"
OPTIONS = ("deck", "seat")


class HanabiEnv(gymnasium.Env[Vector, Any]):
    """One learner with strategies as partners.

    Parameters
    ----------
    partners
        A strategy, its name, or a policy, for all other seats; a list with one for each, in the
        order of the seats after the learner's; or a dictionary of these (lists as tuples) with
        weights, from which one is drawn for each game.
    seat
        The learner's seat: a player from 0, or "random" for a new seat each game.
    render_mode
        human, ansi, svg or rgb_array.
    settings
        Rules and rewards; see `hanabilab.envs.session.Session`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}  # noqa: RUF012  # Gymnasium's way

    def __init__(
        self,
        *,
        partners: Partners = "piers",
        seat: int | str = 0,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.session = Session(**settings)
        self.players = self.session.rules.players
        self.population = Population(partners, self.session.rules)
        self.partners = self.population.teams[0]
        """The partners in this game."""
        self.seat = seat
        self.player = self._draw_seat(seat)
        """The learner's seat in this game."""
        self.action_space = spaces.Discrete(self.session.actions)
        self.observation_space = spaces.Box(0, 1, (self.session.encoder.length,), np.uint8)
        self._actors: dict[int, Actor] = {}
        self._compiled = [all(map(can_be_compiled_partner, team)) for team in self.population.teams]
        """The teams that play in compiled code."""
        self._compiled_partners: dict[tuple[int, int], CompiledPartners] = {}
        """Compiled partners by team and learner's seat."""

    @property
    def game(self) -> Game:
        """The current game."""
        return self.session.game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Deal a game; `options` may hold its ``deck`` and the learner's ``seat``."""
        seed = None if seed is None else check_seed("seed", seed)  # Gymnasium wants Python's own
        super().reset(seed=seed)
        options = options or {}
        for name in options.keys() - set(OPTIONS):
            known = " or ".join(OPTIONS) + did_you_mean(str(name), OPTIONS)
            raise HanabiError(f"options: unknown {name!r}; expected {known}")
        self.player = self._draw_seat(options.get("seat", self.seat))
        self._deal(seed, options)
        while self.session.is_over:
            if "deck" in options:
                raise HanabiError(f"player {self.player} never gets a turn with this deck")
            self._deal(None, options)
        self._show()
        return self.session.vector(self.player), self._info()

    def step(self, action: Any) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Take the learner's turn, then those of all others until the learner is to move again."""
        self.session.act(action)
        self._show()
        if not self.session.is_over:
            self._let_partners_act()
        reward = self.session.collect_reward() + self.session.penalty
        seen = self.session.vector(self.player)
        return seen, reward, self.session.is_over, False, self._info()

    def action_masks(self) -> Mask:
        """Return the legal actions: 1 for legal ones, 0 for the others."""
        return self.session.mask(self.player)

    def render(self) -> Any:
        """Render the board in the `render_mode`."""
        return render(self.game, self.render_mode)

    def _deal(self, seed: int | None, options: dict[str, Any]) -> None:
        session = self.session
        session.compiled_partners, self._actors = None, {}
        session.deal(seed, options)
        team = self.population.draw(session.seed, session.number)
        self.partners = self.population.teams[team]
        after = enumerate(self.partners, self.player + 1)
        seats = {place % self.players: strategy for place, strategy in after}
        if self._compiled[team]:
            partners = self._compiled_partners.get((team, self.player)) or CompiledPartners(seats)
            self._compiled_partners[team, self.player] = session.compiled_partners = partners
            partners.begin(session.table(), session.seed, session.number)
        else:
            for player, strategy in seats.items():
                self._actors[player] = Actor(strategy, player)
                self._actors[player].join(self.game, session.seed, session.number)
        self._let_partners_act()

    def _let_partners_act(self) -> None:
        session = self.session
        while (player := session.player) != self.player and not session.is_over:
            session.act(self._partner_action(player, session.table()))
            if self.render_mode is not None:
                self._show()

    def _partner_action(self, player: int, table: GameStepper) -> int:
        partners = self.session.compiled_partners
        if partners is None:
            return self._actors[player].act(self.game)
        action = partners.act(table, player)
        if action not in table.legal:
            strategy = self.partners[(player - self.player) % self.players - 1]
            where = self.game.turn, self.session.seed, self.session.number
            raise illegal_action_error(strategy, player, action, *where)
        return action

    def _draw_seat(self, seat: int | str) -> int:
        chosen = check_seat(seat, self.players)
        return chosen if chosen < self.players else int(self.np_random.integers(self.players))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), **self.session.info()}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


gymnasium.register(ID, entry_point=HanabiEnv, vector_entry_point=HanabiVectorEnv)
