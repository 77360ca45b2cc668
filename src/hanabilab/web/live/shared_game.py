"""One game between people and strategies: what happens in it, and what each viewer is shown."""

from __future__ import annotations

import time

from hanabilab.errors import ActionError, FormatError, HanabiError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels, describe_event
from hanabilab.formats.hanablive.encoding import CardOrders
from hanabilab.game.actions import Event
from hanabilab.game.state import View
from hanabilab.game.turn import event_for
from hanabilab.lab.review.values import Evaluator, PlayedGame, Precision
from hanabilab.strategies import registered_strategy
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.web.boards import (
    OPEN,
    BoardMessage,
    Viewer,
    action_words,
    board_message,
    cards_before,
    update_orders,
    view_for,
)
from hanabilab.web.catalog import default_partner
from hanabilab.web.live.hint_readers import HintReaders
from hanabilab.web.live.setup import Setup
from hanabilab.web.schema import JsonObject

__all__ = ["SharedGame"]

BLUNDER = 1.0
"""Points from which on the coach warns of an action."""
WORLDS = 64
"""Imagined games for the coach's judgement."""
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
        self.readers = HintReaders(setup, self.game.state)
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
        self.readers.expect(self.game.state, number)
        event = self.game.act(number)
        self.turn_started = time.monotonic()
        self.numbers.append(number)
        update_orders(self.orders, event)
        self.counts.append(cards_before(event, self.game.state))
        for other in self.partners.values():
            other.observe(self.game.state, event)
        self.readers.observe(self.game.state, event)

    def _explain(self, number: int) -> dict[int, str]:
        """Return what the strategy to move tells each person about its action."""
        partner = self.partners.get(self.game.player)
        if partner is None or self.game.state.rules.secrets:  # reasons would tell what is hidden
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

    def open_board_for(self, seat: int | None) -> BoardMessage:
        """Return the last board of a finished game, with all hands in sight."""
        if not self.game.is_over:
            raise ActionError("hands are shown when the game is over")
        view = view_for(self.game.state, OPEN)
        return self._draw(view, seat, self.game, self.orders, acts=False)

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
        viewer: Viewer = seat
        if seat is None and self.setup.spectators_see_hands:
            viewer = OPEN
        return self._draw(view_for(game.state, viewer), seat, game, orders, acts=acts)

    def _draw(
        self, view: View, seat: int | None, game: Game, orders: CardOrders, *, acts: bool
    ) -> BoardMessage:
        open_to_spectator = seat is None and self.setup.spectators_see_hands
        return board_message(
            view,
            OPEN if open_to_spectator else seat,
            self.setup.names(seat),
            orders,
            roles=self.setup.roles,
            event=self._told(game, game.events[-1], seat) if game.events else None,
            why=self.explanation_for(seat, game.turn - 1),
            conclusions=[] if game.is_over else self.readers.conclusions_for(seat, game.turn),
            breaches=self.readers.breaches_for(seat, game.turn),
            acts=acts,
        )

    @staticmethod
    def _told(game: Game, event: Event, seat: int | None) -> Event:
        """Return a turn as a seat, or a spectator, is told it; nothing is secret after the game."""
        rules = game.state.rules
        return event_for(event, rules, seat) if rules.secrets and not game.is_over else event

    def turns_for(self, seat: int | None) -> list[JsonObject]:
        """Return all turns so far as a seat, or a spectator, was told them."""
        rules, labels = self.game.state.rules, Labels.of(self.setup.names(seat))
        return [
            {
                "words": describe_event(self._told(self.game, event, seat), rules, labels, count),
                "why": self.explanation_for(seat, turn),
                "conclusion": self.readers.conclusion_from(seat, turn + 1),
                "breaches": self.readers.breaches_by(seat, turn + 1),
            }
            for turn, (event, count) in enumerate(zip(self.game.events, self.counts, strict=True))
        ]

    def advice_for(self, seat: int) -> JsonObject:
        """Return the coach's action for the player to move, from what that player can see.

        The coach follows the game from the player's own seat, so it knows no hidden card.
        """
        coach = self._coach()
        adviser = Seat(coach, seat, 0)
        again = Game(self.setup.rules, self.setup.deck)
        adviser.begin(again.state)
        for number in self.numbers:
            if again.player == seat:
                adviser.follow(again.state)
            adviser.observe(again.state, again.act(number))
        number = adviser.act(again.state)
        labels = Labels.of(self.setup.names(seat))
        return {
            "type": "advice",
            "action": Action.from_number(number, again.state).to_dict(
                seat, self.setup.rules.hint_letters
            ),
            "words": action_words(again, number, labels),
            "why": adviser.explain(again.state, number, seat, labels),
        }

    def warning_after(self, turn: int) -> JsonObject | None:
        """Return a warning if a person's action was a blunder by what that person could know.

        Only imagined games that fit the player's own view count, so the warning tells nothing about
        hidden cards. None if there is nothing to warn of, or if the coach cannot judge these rules.
        """
        played = PlayedGame(self.setup.rules, tuple(self.setup.deck), tuple(self.numbers[:turn]))
        try:
            value = Evaluator(self._coach(), played, Precision.of(WORLDS)).evaluate(turn - 1)
        except HanabiError:
            return None
        if -value.play < max(BLUNDER, 2 * value.play_error):
            return None
        again = Game(self.setup.rules, self.setup.deck)
        for number in self.numbers[: turn - 1]:
            again.act(number)
        labels = Labels.of(self.setup.names(again.player))
        return {
            "type": "blunder",
            "turn": turn,
            "cost": round(-value.play, 1),
            "better": action_words(again, value.convention, labels),
        }

    def _coach(self) -> Strategy:
        return registered_strategy(default_partner(self.setup.rules))

    def explanation_for(self, seat: int | None, turn: int) -> str | None:
        """Return what a strategy tells a seat about its turn; spectators are told nothing."""
        return None if seat is None or turn < 0 else self.explanations[turn].get(seat)
