"""A game between people and strategies at one moment."""

from __future__ import annotations

from typing import Any

from hanabilab.errors import ActionError, FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.words import describe
from hanabilab.table.game import Game
from hanabilab.table.seat import Partner
from hanabilab.web.live.boards import board, sight
from hanabilab.web.live.setup import Setup

__all__ = ["Position"]

FIELDS = {"type", "slot", "target", "value", "player", "words", "touches"}
"""What the legal actions are sent with, so that one can be sent back as it is."""


class Position:
    """A game with its partners; all that takes time here runs in a thread."""

    def __init__(self, setup: Setup, numbers: list[int]) -> None:
        self.setup = setup
        self.game = Game(setup.rules, setup.deck)
        self.numbers: list[int] = []
        self.whys: list[dict[int, str]] = []
        """What the strategy that acted says to each person, turn by turn."""
        self.partners = {
            player: Partner(strategy, player, setup.seed, setup.game)
            for player, strategy in setup.strategies.items()
        }
        for partner in self.partners.values():
            partner.begin(self.game.state)
        for number in numbers:
            if self.game.player in self.partners:
                self.partners[self.game.player].follow(self.game.state)
            self.take(number)

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

    def take(self, number: int) -> None:
        """Take a turn, and show it to all partners."""
        self.whys.append(self._reasons(number))
        event = self.game.act(number)
        self.numbers.append(number)
        for other in self.partners.values():
            other.observe(self.game.state, event)

    def _reasons(self, number: int) -> dict[int, str]:
        """What the strategy to move says of its action to each person."""
        partner = self.partners.get(self.game.player)
        if partner is None:
            return {}
        return {seat: partner.why(self.game.state, number, seat) for seat in self.setup.keys}

    def number_of(self, action: Any) -> int:
        """The number of an action that somebody sent, if it is legal."""
        if not isinstance(action, dict):
            raise FormatError("action: it is not an object")
        chosen = Action.from_dict(action, self.setup.rules)
        for name in action.keys() - FIELDS:
            raise FormatError(f"action: it has no field {name!r:.60}")
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
            why=self.why_for(seat, game.turn - 1),
            live=True,
        )

    def turns_for(self, seat: int | None) -> list[dict[str, Any]]:
        """What a seat, or a spectator, was told of all turns so far."""
        rules = self.setup.rules
        return [
            {"words": describe(event, rules.ranks, rules.letters), "why": self.why_for(seat, turn)}
            for turn, event in enumerate(self.game.events)
        ]

    def why_for(self, seat: int | None, turn: int) -> str | None:
        """What a strategy says of its turn to a seat; spectators are told nothing."""
        return None if seat is None or turn < 0 else self.whys[turn].get(seat)
