"""A game between people and strategies at one moment."""

from __future__ import annotations

from typing import Any

from hanabilab.errors import ActionError, FormatError
from hanabilab.formats.action import Action
from hanabilab.lab.game import Game
from hanabilab.lab.partners import Partner
from hanabilab.web.boards import board, sight
from hanabilab.web.setup import Setup

__all__ = ["Position"]


class Position:
    """A game with its partners; all that takes time here runs in a thread."""

    def __init__(self, setup: Setup, numbers: list[int]) -> None:
        self.setup = setup
        self.game = Game(setup.rules, setup.deck)
        self.numbers: list[int] = []
        self.whys: dict[int, str] = {}
        """What the last action's strategy says to each person."""
        self.partners = {
            player: Partner(strategy, player, setup.seed, setup.game)
            for player, strategy in setup.strategies.items()
        }
        for partner in self.partners.values():
            partner.begin(self.game.state)
        for number in numbers:
            if self.game.player in self.partners:
                self.partners[self.game.player].follow(self.game.state)
            self.take(number, explain=len(self.numbers) == len(numbers) - 1)

    @property
    def partner_to_move(self) -> Partner | None:
        """The strategy whose turn it is."""
        return None if self.game.is_over else self.partners.get(self.game.player)

    def choose(self) -> int:
        """What the strategy to move does."""
        partner = self.partners[self.game.player]
        number = partner.act(self.game.state)
        self.game.copy().act(number)
        return number

    def take(self, number: int, *, explain: bool = True) -> None:
        """Take a turn, and show it to all partners."""
        partner = self.partners.get(self.game.player)
        self.whys = {}
        if partner and explain:
            state = self.game.state
            self.whys = {seat: partner.why(state, number, seat) for seat in self.setup.keys}
        event = self.game.act(number)
        self.numbers.append(number)
        for other in self.partners.values():
            other.observe(self.game.state, event)

    def number_of(self, action: Any) -> int:
        """The number of an action that somebody sent, if it is legal."""
        if not isinstance(action, dict):
            raise FormatError("action: it is not an object")
        chosen = Action.from_json(action, self.setup.rules)
        trial = self.game.copy()
        number = chosen.number(trial.state)
        trial.act(chosen)
        if number is None:
            raise ActionError(f"{chosen} has no number")
        return number

    def turn_before(self, seat: int) -> int | None:
        """The last turn in which this player acted."""
        own = [turn for turn, event in enumerate(self.game.events) if event.player == seat]
        return own[-1] if own else None

    def board_for(self, seat: int | None) -> dict[str, Any]:
        """What a seat, or a spectator, sees."""
        game = self.game
        return board(
            sight(game.state, seat),
            seat,
            self.setup.names(seat),
            event=game.events[-1] if game.events else None,
            why=None if seat is None else self.whys.get(seat),
            live=True,
        )
