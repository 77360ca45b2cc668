"""What if somebody had acted otherwise? Take another action, and let strategies go on."""

from __future__ import annotations

from collections.abc import Mapping

from hanabilab.errors import FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels
from hanabilab.game.actions import Event
from hanabilab.game.view import view_of
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.table.players import Partner
from hanabilab.web.boards import legal_actions
from hanabilab.web.game_codes import Cast, encode_game
from hanabilab.web.game_fields import (
    STRATEGY_LETTERS,
    ChosenGame,
    choose_game,
    choose_strategy,
    seated_in,
)
from hanabilab.web.messages import Fields, JsonObject
from hanabilab.web.partners import usual_partner
from hanabilab.web.questions.job import Job
from hanabilab.web.questions.one_game import game_after

__all__ = ["go_on_otherwise"]


def go_on_otherwise(fields: Fields, job: Job) -> JsonObject:
    """Return the game as it goes on after another action; without one, what could be done."""
    turn: int = fields.whole("turn", 0, 1 << 20)
    action = fields.take("action", None)
    named = fields.text("partner", STRATEGY_LETTERS, None)
    chosen = choose_game(fields)
    partner = choose_strategy(named or usual_partner(chosen.game.rules))
    fields.finish()
    game = game_after(chosen.game, turn)
    if game.is_over:
        raise FormatError(f"turn: the game is over after turn {turn}")
    if action is None:
        view = view_of(game.state, game.player)
        offered = legal_actions(view, Labels.of(chosen.names))
        return {"turn": turn, "player": game.player, "actions": offered}
    cast = _cast(chosen, turn, partner)
    going_on = _Continuation(game, cast)
    going_on.take_instead(_read_action(action, game))
    while not game.is_over:
        going_on.take_next()
        job.report(game.turn, "turns")
    return {
        "turn": turn + 1,
        "turns": game.turn,
        "score": game.score,
        "end": game.end,
        "code": encode_game(game, cast),
    }


def _read_action(action: object, game: Game) -> Action:
    if not isinstance(action, Mapping):
        raise FormatError("action: not an object")
    return Action.from_dict(action, game.rules)


def _cast(chosen: ChosenGame, turn: int, partner: Strategy) -> Cast:
    """Return who plays on: the strategies that played, and a partner in the seats of others."""
    rules, before = chosen.game.rules, chosen.cast
    own: dict[int, Strategy] = dict(enumerate(chosen.strategies))
    seed, number = chosen.seed, chosen.number
    if before is not None:
        own, seed, number = seated_in(before, rules), before.seed, before.game
    if len(own) < rules.players:
        partner.check(rules)
    seats = range(rules.players)
    since = [0 if before is None else before.since[seat] for seat in seats]
    return Cast(
        tuple(chosen.names),
        tuple(own.get(seat, partner).label for seat in seats),
        tuple(since[seat] if seat in own else turn for seat in seats),
        seed,
        number,
        (*(each for each in (before.changed if before else ()) if each < turn), turn),
    )


class _Continuation:
    """A game with strategies in all seats, who have seen it so far."""

    def __init__(self, game: Game, cast: Cast) -> None:
        self.game, self.since = game, cast.since
        self.partners = {
            player: Partner(strategy, player, cast.seed, cast.game)
            for player, strategy in seated_in(cast, game.rules).items()
        }
        again = Game(game.rules, game.deck)
        for partner in self.partners.values():
            partner.begin(again.state)
        for action in game.actions:
            self._take(again, action)

    def take_instead(self, action: Action) -> None:
        """Take an action in place of the player to move, who knows nothing of it before."""
        self._take(self.game, action)

    def take_next(self) -> None:
        """Let the player to move choose."""
        self._show(self.game, self.game.act(self.partners[self.game.player].act(self.game.state)))

    def _take(self, game: Game, action: Action) -> None:
        if game.turn >= self.since[game.player]:
            self.partners[game.player].follow(game.state)
        self._show(game, game.act(action))

    def _show(self, game: Game, event: Event) -> None:
        for partner in self.partners.values():
            partner.observe(game.state, event)
