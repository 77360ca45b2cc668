"""The shared base of the environments that play one game at a time: decks, vectors, masks, rewards.

A session deals one game after another. Given a seed, it deals game 0 of that seed, then the games
that follow: the same decks that `hanabilab simulate --seed` plays.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabilab.checks import check_integer
from hanabilab.envs.compiled_partners import CompiledPartners
from hanabilab.envs.settings import check_reward, env_rules, player_encoder
from hanabilab.envs.stepper import ACT, DEAL_HANDS, GAME_FIELDS, GameStepper
from hanabilab.errors import ActionError, HanabiError
from hanabilab.formats.board_text import ENDS
from hanabilab.game.actions import count_actions
from hanabilab.game.deck import Deck, check_seed
from hanabilab.game.encoding import STATE, Encoder
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, initial_state
from hanabilab.table.game import Game

__all__ = ["Session"]

SEED_BITS = 61

PLAYER, TURN, END = GAME_FIELDS["state.player"], GAME_FIELDS["state.turn"], GAME_FIELDS["state.end"]
SCORE, GREEDY = GAME_FIELDS["score"], GAME_FIELDS["greedy_action"]

Vector = NDArray[np.uint8]
Mask = NDArray[np.int8]


class Session:
    """One game after another under the same rules.

    Parameters
    ----------
    rules, players
        `Rules` or the name of a preset, and the number of players, which also sets the hand size;
        other rules may be changed by name (``lives=1``).
    observation
        "canonical", the vector of the Hanabi Learning Environment, or another kind of
        `hanabilab.game.encoding`.
    reward
        "difference": the change of the score; "final": the score, at the end.
    keep_points
        Whether points are kept when the last life is lost; by default as the rules say.
    illegal_reward
        An illegal action loses the game: the points so far are taken back, and the player gets
        this additional reward. With None, an illegal action raises an error instead.
    random_first_player
        Whether a random player begins each game, the same as in `hanabilab.envs.BatchEnv`, instead
        of player 0.
    idle_actions
        The number of actions, numbered after all others, that do nothing and are never legal.
    """

    def __init__(
        self,
        *,
        rules: Rules | str = "hle",
        players: int | None = None,
        observation: str = "canonical",
        reward: str = "difference",
        keep_points: bool | None = None,
        illegal_reward: float | None = -1.0,
        random_first_player: bool = False,
        idle_actions: int = 0,
        **changes: Any,
    ) -> None:
        check_reward(reward)
        self.rules = env_rules(rules, players, keep_points, changes)
        self.encoder = player_encoder(self.rules, observation)
        self.state_encoder = Encoder(self.rules, STATE)
        self.reward = reward
        self.illegal_reward = illegal_reward
        self.compiled_partners: CompiledPartners | None = None
        """The compiled partners, who observe every turn."""
        self.greedy_action: int | None = None
        """What the player to move would do without exploring, for "sad" observations; set it before
        a turn in which another action is taken.
        """
        self.random_first_player = random_first_player
        self.seed = secrets.randbits(SEED_BITS)
        self.number = -1
        self._undealt_game = GameStepper(self.rules, self.encoder)
        self._stepper = self._undealt_game.copy()
        self.moves = count_actions(initial_state(self.rules))
        self.actions = self.moves + idle_actions
        self._start(0, 0)

    def deal(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start the next game, or the first of a seed; ``options["deck"]`` replaces its deck."""
        if not isinstance(options, Mapping | None):
            raise HanabiError(f"options: {options!r} is not a dictionary")
        number = self.number + 1 if seed is None else 0
        seed = self.seed if seed is None else check_seed("seed", seed)
        self._start(seed, check_seed("game", number), (options or {}).get("deck"))
        self.seed, self.number = seed, number

    def _start(self, seed: int, number: int, deck: Any = None) -> None:
        table = self._stepper
        table.assign(self._undealt_game)
        if deck is None:
            self._game: Game | None = None
            table.deal_game(seed, number)
        else:
            self._game = Game(self.rules, deck)
            table.set_deck(self._game.deck)
            table.run(DEAL_HANDS)
        self._first_player = 0
        if self.random_first_player:
            self._first_player = table.draw_first_player(seed, number)
            if self._game is not None:
                self._game.state.player = self._first_player
        self._actions_taken: list[int] = []
        """The actions so far; `_game` may lag behind."""
        self.illegal_reason: str | None = None
        """Why the action that ended the game was illegal, if it was."""
        self._counted = 0

    @property
    def game(self) -> Game:
        """The current game; turns may also be taken in it directly."""
        if self._game is None:
            self._game = Game(self.rules, Deck(self.rules, tuple(self._stepper.deck())))
            self._game.state.player = self._first_player
        for number in self._actions_taken[self._game.turn :]:
            self._game.act(number)
        return self._game

    def table(self) -> GameStepper:
        """Return the game in compiled code, including turns taken in `game` itself."""
        game, table = self._game, self._stepper
        if game is None:
            return table
        while game.turn > len(self._actions_taken):
            number = game.actions[len(self._actions_taken)].number(table.state)
            self._take(-1 if number is None else number)
        return table

    def _take(self, number: int) -> None:
        if self.greedy_action is not None:
            self._stepper.words[GREEDY] = self.greedy_action
            self.greedy_action = None
        self._stepper.run(ACT, number)
        self._actions_taken.append(number)
        if self.compiled_partners is not None:
            self.compiled_partners.observe(self._stepper)

    @property
    def player(self) -> int:
        """The player to move."""
        return self.table().words[PLAYER]

    @property
    def is_over(self) -> bool:
        """Whether the game is over, by the rules or by an illegal action."""
        table = self._stepper if self._game is None else self.table()  # a call less
        return table.words[END] != GOING_ON or self.illegal_reason is not None

    def check_started(self) -> None:
        """Raise if no game has been dealt yet."""
        if self.number < 0:
            raise ActionError("no game has started: call reset first")

    def act(self, action: object) -> None:
        """Take a turn."""
        self.check_started()
        if self.is_over:
            raise ActionError("the game is over: call reset")
        if type(action) is int:
            number = action
        else:
            if isinstance(action, np.ndarray) and action.size == 1:
                action = action.item()
            number = check_integer("action", action, error=ActionError)
        legal = self._stepper.legal
        if self.greedy_action is not None and self.greedy_action not in legal:
            raise ActionError(f"greedy_action: {self.greedy_action!r} is not a legal action")
        if number in legal:
            self._take(number)
        else:
            self._reject(number)

    def _reject(self, number: int) -> None:
        """Lose the game by an illegal action, or raise an error."""
        try:
            if self.moves <= number < self.actions:
                raise ActionError(f"player {self.player} cannot do nothing")
            self.game.act(number)
        except ActionError as error:
            if self.illegal_reward is None or not 0 <= number < self.actions:
                raise
            self.illegal_reason = str(error)

    def collect_reward(self) -> float:
        """Return the reward of all players since the last call."""
        words = self.table().words
        score: int = words[SCORE]
        if self.illegal_reason is not None:
            earned = -self._counted
        elif self.reward == "final":
            return float(score if words[END] != GOING_ON else 0)
        else:
            earned = score - self._counted
        self._counted += earned
        return float(earned)

    @property
    def penalty(self) -> float:
        """The additional reward of the last player for an illegal action."""
        return 0.0 if self.illegal_reason is None else self.illegal_reward or 0.0

    def vector(self, player: int) -> Vector:
        """Return a player's observation."""
        return self.table().vector(player)

    def full_state(self) -> Vector:
        """Return the full state, hidden hands included, as a vector for critics."""
        return self.table().full_state_vector(self.state_encoder)

    def mask(self, player: int) -> Mask:
        """Return a player's legal actions: none unless it is this player's turn."""
        mask = np.zeros(self.actions, np.int8)
        words = self.table().words
        if words[PLAYER] == player and words[END] == GOING_ON and self.illegal_reason is None:
            mask[self._stepper.legal] = 1
        return mask

    def info(self) -> dict[str, Any]:
        """Return the score, the turn and the end of the game."""
        words = self.table().words
        info = {"score": words[SCORE], "turn": words[TURN], "end": ENDS[words[END]]}
        return info if self.illegal_reason is None else info | {"illegal": self.illegal_reason}
