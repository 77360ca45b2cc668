"""One game between people and strategies: what happens in it, and what each viewer is shown."""

from __future__ import annotations

import time

from hanabilab.errors import ActionError, FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels, describe_event
from hanabilab.formats.hanablive.encoding import CardOrders
from hanabilab.strategies.seats import Seat
from hanabilab.table.game import Game
from hanabilab.web.boards import BoardMessage, board_message, cards_before, update_orders, view_for
from hanabilab.web.live.setup import Setup
from hanabilab.web.schema import JsonObject

__all__ = ["SharedGame"]

ACTION_FIELDS = {"type", "slot", "target", "value", "player", "words", "touches"}
"""The fields with which legal actions are sent, so that clients may send one back unchanged."""


class SharedGame:
    """A game and the strategies in it; its methods may take a while, so run them in a thread."""

    def __init__(self, setup: Setup, numbers: list[int]) -> None:
        self.setup = setup
        self.game = Game(setup.rules, setup.deck)
        self.turn_started = time.monotonic()
        """When the turn began."""
        self.orders = CardOrders(setup.deck)
        self.numbers: list[int] = []
        self.counts: list[int] = []
        """For each turn, how many cards the hand that it was about had before it."""
        self.explanations: list[dict[int, str]] = []
        """For each turn, what the strategy that acted tells each person."""
        self.partners = {
            player: Seat.in_game(strategy, player, setup.seed, setup.game)
            for player, strategy in setup.strategies.items()
        }
        for partner in self.partners.values():
            partner.begin(self.game.state)
        for number in numbers:
            if self.game.player in self.partners:
                self.partners[self.game.player].follow(self.game.state)
            self.apply(number)

    @property
    def partner_to_move(self) -> Seat | None:
        """The strategy to move, or None."""
        return None if self.game.is_over else self.partners.get(self.game.player)

    def choose(self) -> int:
        """Return the action that the strategy to move chooses, after a check that it is legal."""
        partner = self.partners[self.game.player]
        number = partner.act(self.game.state)
        self.game.copy().act(number)
        return number

    def apply(self, number: int) -> None:
        """Take a turn and show it to all strategies."""
        self.explanations.append(self._explain(number))
        event = self.game.act(number)
        self.turn_started = time.monotonic()
        self.numbers.append(number)
        update_orders(self.orders, event)
        self.counts.append(cards_before(event, self.game.state))
        for other in self.partners.values():
            other.observe(self.game.state, event)

    def _explain(self, number: int) -> dict[int, str]:
        """Return what the strategy to move tells each person about its action."""
        partner = self.partners.get(self.game.player)
        if partner is None:
            return {}
        return {
            seat: partner.explain(self.game.state, number, seat, Labels.of(self.setup.names(seat)))
            for seat in self.setup.keys
        }

    def seconds_left(self) -> float | None:
        """Return what is left of a person's time, negative if it is up; None without a timer."""
        timer = self.setup.timer
        if timer is None or self.game.is_over or self.partner_to_move:
            return None
        return round(timer - (time.monotonic() - self.turn_started), 2)

    def action_number(self, action: object) -> int:
        """Return the number of a client's action, or raise if it is not legal."""
        if not isinstance(action, dict):
            raise FormatError("action: not an object")
        chosen = Action.from_dict(action, self.setup.rules)
        for name in action.keys() - ACTION_FIELDS:
            raise FormatError(f"action: no field {name!r:.60}")
        trial = self.game.copy()
        number = chosen.number(trial.state)
        trial.act(chosen)
        if number is None:
            raise ActionError(f"{chosen} has no number")
        return number

    def last_turn_of(self, seat: int) -> int | None:
        """Return the last turn in which this player acted, or None."""
        own = [turn for turn, event in enumerate(self.game.events) if event.player == seat]
        return own[-1] if own else None

    def board_for(self, seat: int | None) -> BoardMessage:
        """Return the board as a seat, or a spectator, sees it."""
        return self._board(seat, self.game, self.orders, acts=seat == self.game.player)

    def board_after(self, seat: int | None, turns: int) -> BoardMessage:
        """Return the board as a seat, or a spectator, saw it after some turns."""
        if turns > self.game.turn:
            raise FormatError(f"turn: {turns} is not between 0 and {self.game.turn}")
        again = Game(self.setup.rules, self.setup.deck)
        orders = CardOrders(self.setup.deck)
        for number in self.numbers[:turns]:
            update_orders(orders, again.act(number))
        return self._board(seat, again, orders, acts=False)

    def _board(
        self, seat: int | None, game: Game, orders: CardOrders, *, acts: bool
    ) -> BoardMessage:
        return board_message(
            view_for(game.state, seat),
            seat,
            self.setup.names(seat),
            orders,
            roles=self.setup.roles,
            event=game.events[-1] if game.events else None,
            why=self.explanation_for(seat, game.turn - 1),
            acts=acts,
        )

    def turns_for(self, seat: int | None) -> list[JsonObject]:
        """Return all turns so far as a seat, or a spectator, was told them."""
        rules, labels = self.game.state.rules, Labels.of(self.setup.names(seat))
        return [
            {
                "words": describe_event(event, rules, labels, count),
                "why": self.explanation_for(seat, turn),
            }
            for turn, (event, count) in enumerate(zip(self.game.events, self.counts, strict=True))
        ]

    def explanation_for(self, seat: int | None, turn: int) -> str | None:
        """Return what a strategy tells a seat about its turn; spectators are told nothing."""
        return None if seat is None or turn < 0 else self.explanations[turn].get(seat)
