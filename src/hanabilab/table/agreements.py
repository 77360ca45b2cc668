"""Which agreements of `conventions` a player broke in a game."""

from __future__ import annotations

from hanabilab.errors import ActionError
from hanabilab.formats.speech import NUMBERED, Speech
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.agreements import HIGHEST_LEVEL
from hanabilab.strategies.conventions.judging import Breach, Judge
from hanabilab.table.game import Game

__all__ = ["Breach", "broken_agreements"]


def broken_agreements(
    played: Game, player: int, *, level: int = HIGHEST_LEVEL, speech: Speech = NUMBERED
) -> list[Breach]:
    """Return what a player broke in a game that may still go on, turn by turn.

    The player is judged by what that player saw; `level` is the highest level of agreements that
    count (`hanabilab.strategies.conventions`), and `speech` says how players and slots are called.
    """
    if not 0 <= player < played.rules.players:
        raise ActionError(f"there is no player {player} in a game of {played.rules.players}")
    CONVENTIONS.check(played.rules)
    again = Game(played.rules, played.deck)
    judge = Judge(again.state, player, level, speech)
    found: list[Breach] = []
    for action in played.actions:
        number = action.number(again.state)
        assert number is not None
        if again.player == player:
            found += judge.judge(again.state, number)
        judge.observe(again.state, again.act(action))
    return found
