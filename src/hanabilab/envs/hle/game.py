"""The parameters of a game, under the names of HLE's `pyhanabi`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hanabilab.envs.hle.deal import Dealer
from hanabilab.envs.hle.moves import HanabiMove, HanabiMoveType, Shape, moves_of
from hanabilab.envs.hle.observation import AgentObservationType
from hanabilab.envs.hle.state import DeckGiven, HanabiState
from hanabilab.envs.settings import base_preset
from hanabilab.envs.stepper import OBSERVE, GameStepper
from hanabilab.errors import RulesError
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules import Rules, preset
from hanabilab.game.state import initial_state

__all__ = ["HanabiGame"]

RULES_OF = {
    "players": "players",
    "colors": "suits",
    "ranks": "ranks",
    "hand_size": "hand_size",
    "max_information_tokens": "hint_tokens",
    "max_life_tokens": "lives",
}
"""HLE's parameter names and our field names."""


class HanabiGame:
    """The parameters of a game, under HLE's names.

    `players`, `colors`, `ranks`, `hand_size`, `max_information_tokens`, `max_life_tokens`, `seed`
    (-1: a new one each time), `random_start_player`, `observation_type`. Others are ignored, as in
    HLE. Two parameters are ours: `rules`, a `Rules` or the name of a preset to start from, and
    `own_hands`, whether a trainer may ask for a player's own cards
    (`ObservationEncoder.encodeownhand`).
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.rules = _rules(given)
        if self.rules.open_game:
            raise RulesError("rules: HLE has no pass, so an open game cannot be played")
        kind = _number("observation_type", given.get("observation_type", 1))
        if kind not in {*AgentObservationType}:
            raise RulesError(f"observation_type: {kind} is not 0, 1 or 2")
        self._observation_type = AgentObservationType(kind)
        self.shows_all = self._observation_type is AgentObservationType.SEER
        self._random_start = _switch(given, "random_start_player")
        self.own_hands = _switch(given, "own_hands")
        self.dealer = Dealer(_number("seed", given.get("seed", -1)))
        minimal = self._observation_type is AgentObservationType.MINIMAL
        self.encoder = Encoder(self.rules, "minimal" if minimal else "canonical")
        self._table = initial_state(self.rules)
        rules = self.rules
        self.shape = Shape(rules.players, rules.hand_size, rules.suits, rules.ranks)
        self._moves = moves_of(self.shape)
        self._undealt_game: GameStepper | None = None

    def new_initial_state(self, deck: DeckGiven | None = None) -> HanabiState:
        """Return a state before the deal, with a given deck if there is one."""
        return HanabiState(self, deck=deck)

    def start_player(self) -> int:
        """Return the first player of the next game."""
        return self.dealer.player(self.rules.players) if self._random_start else 0

    def initial_stepper(self, deck: Sequence[int] | None = None) -> GameStepper:
        """Return a stepper before the deal, with a given deck or random cards."""
        if self._undealt_game is None:
            self._undealt_game = GameStepper(self.rules, self.encoder, shown=self._observation_type)
            self._undealt_game.run(OBSERVE, stream=self.dealer.words())  # finds it now, for all
        stepper = self._undealt_game.copy()
        if deck is not None:
            stepper.set_deck(deck)
        return stepper

    def parameter_string(self) -> str:
        """Return all parameters, one per line."""
        values = {
            "players": self.rules.players,
            "colors": self.rules.suits,
            "ranks": self.rules.ranks,
            "hand_size": self.rules.hand_size,
            "max_information_tokens": self.rules.hint_tokens,
            "max_life_tokens": self.rules.lives,
            "seed": self.dealer.seed,
            "random_start_player": str(self._random_start).lower(),
            "observation_type": int(self._observation_type),
        }
        return "".join(f"{name}={value}\n" for name, value in values.items())

    def num_players(self) -> int:
        """Return the number of players."""
        return self.rules.players

    def num_colors(self) -> int:
        """Return the number of colors."""
        return self.rules.suits

    def num_ranks(self) -> int:
        """Return the number of ranks."""
        return self.rules.ranks

    def hand_size(self) -> int:
        """Return the number of cards in a full hand."""
        return self.rules.hand_size

    def max_information_tokens(self) -> int | None:
        """Return the largest possible number of information tokens."""
        return self.rules.hint_tokens

    def max_life_tokens(self) -> int | None:
        """Return the number of life tokens at the start."""
        return self.rules.lives

    def observation_type(self) -> AgentObservationType:
        """Return how much an observation contains."""
        return self._observation_type

    def max_moves(self) -> int:
        """Return the number of moves, legal or not."""
        return len(self._moves)

    def num_cards(self, color: int, rank: int) -> int:
        """Return the number of copies of a card."""
        if not (0 <= color < self.rules.suits and 0 <= rank < self.rules.ranks):
            return 0
        return self.rules.copies[color][rank]

    def get_move_uid(self, move: HanabiMove) -> int:
        """Return the number of a move, or -1 if there is no such move."""
        return move.number(self._table)

    def get_move(self, move_uid: int) -> HanabiMove:
        """Return the move with this number."""
        if not 0 <= move_uid < self.max_moves():
            return HanabiMove(HanabiMoveType.INVALID)
        return self._moves[move_uid]


def _rules(given: Mapping[str, Any]) -> Rules:
    """Return our rules for HLE's parameters."""
    changes = {ours: _number(name, given[name]) for name, ours in RULES_OF.items() if name in given}
    base = given.get("rules", "hle")
    if isinstance(base, Rules):
        return base.replace(**changes)
    return preset(base_preset(base, changes.get("players")), **changes)


def _switch(given: Mapping[str, Any], name: str) -> bool:
    """Return whether a parameter is on; like HLE, accept text too."""
    return str(given.get(name, False)) in ("1", "true", "True")


def _number(name: str, value: Any) -> int:
    """Return a parameter as a number; like HLE, accept text too."""
    try:
        return int(value)
    except (TypeError, ValueError):
        raise RulesError(f"{name}: {value!r} is not an integer") from None
