"""Failures of a strategy in interpreted play, with the player, the turn and the line.

`watched` turns whatever a function raises into a `FailedTurnError`. Compiled, a failure leaves the
loop by itself, as a `hanabilab.errors.KernelRunError`.
"""

from __future__ import annotations

import operator
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hanabilab.core.kernel import PACKAGE
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.game.state import View

__all__ = ["FailedTurnError", "watched"]


class FailedTurnError(StrategyError):
    """A strategy raised, or answered with something that is not a number."""

    def __init__(self, name: str, player: int, turn: int, what: str) -> None:
        super().__init__(f"{name}, player {player}, failed in turn {turn + 1}: {what}")
        self.player, self.turn, self.what = player, turn, what


def watched(name: str, function: Callable[..., Any], *, answers: bool) -> Callable[..., Any]:
    """Return a function of a strategy that raises a `FailedTurnError` for whatever goes wrong.

    One that `answers` must return a whole number.
    """

    def call(view: View, *others: Any) -> Any:
        player, turn = view.observer, view.turn
        try:
            answer = function(view, *others)
        except (FailedTurnError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise FailedTurnError(name, player, turn, in_words(error)) from error
        if not answers:
            return answer
        if isinstance(answer, bool) or not hasattr(answer, "__index__"):
            what = f"it answered {answer!r}, which is not the number of an action"
            raise FailedTurnError(name, player, turn, what)
        return operator.index(answer)

    return call


def in_words(error: BaseException) -> str:
    """Say what was raised, and where in the user's files."""
    said = str(error) if isinstance(error, HanabiError) else f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not Path(frame.filename).resolve().is_relative_to(PACKAGE):
            return f"{said} ({frame.filename}, line {frame.lineno})"
    return said
