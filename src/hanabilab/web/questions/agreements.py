"""Questions about the agreements of `conventions`: show them, and say what a player broke."""

from __future__ import annotations

from hanabilab.errors import FormatError
from hanabilab.formats.describe import Labels
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies.conventions.agreements import HIGHEST_LEVEL
from hanabilab.strategies.conventions.examples import EXAMPLES, Example
from hanabilab.strategies.conventions.judging import broken_agreements
from hanabilab.web.boards import OPEN, ShownBoard, board, sight
from hanabilab.web.card_orders import CardOrders
from hanabilab.web.game_fields import choose_game, seat_names
from hanabilab.web.messages import Fields, JsonObject
from hanabilab.web.questions.job import Job

__all__ = ["judge_player", "show_agreements"]


def show_agreements(fields: Fields, job: Job) -> JsonObject:
    """Return all agreements, in words and pictures."""
    fields.finish()
    return {
        "agreements": [
            {
                "title": example.title,
                "level": example.level,
                "words": example.words,
                "boards": _boards(example),
            }
            for example in EXAMPLES
        ]
    }


def _boards(example: Example) -> list[ShownBoard]:
    """Return a board for each action of an example, all hands face up."""
    if not example.deal:
        return []
    game = game_with_deck("hle", example.deal, example.players)
    names, orders = seat_names(game.rules), CardOrders.dealt(game.rules)
    shown = []
    for action in example.actions:
        event = game.act(action)
        orders.follow(event)
        shown.append(board(sight(game.state, OPEN), OPEN, names, orders, event=event))
    return shown


def judge_player(fields: Fields, job: Job) -> JsonObject:
    """Return which agreements a player broke in a game."""
    player = fields.whole("player", 0, 9, 0)
    level = fields.whole("level", 1, HIGHEST_LEVEL, HIGHEST_LEVEL)
    chosen = choose_game(fields)
    fields.finish()
    if player >= chosen.game.rules.players:
        raise FormatError(f"player: no player {player}")
    labels = Labels.of(chosen.names)
    found = broken_agreements(chosen.game, player, level=level, labels=labels)
    return {
        "player": player,
        "level": level,
        "turns": sum(event.player == player for event in chosen.game.events),
        "broken": [
            {"turn": breach.turn, "agreement": breach.agreement, "words": breach.text}
            for breach in found
        ],
    }
