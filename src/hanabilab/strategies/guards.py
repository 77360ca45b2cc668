"""What stands around the functions of a strategy, so that none of its errors is lost.

Interpreted, `watched` turns whatever a function raises into a `FailedTurnError`. Compiled, the
guards below stand around kernels from outside: `hanabilab.core.native.compile_guarded` puts a
kernel in the place of `asked`. A kernel that raises, or that answers with anything but a whole
number, makes the loop stop with FAILED; the game is then played again interpreted to find out what
happened.
"""

from __future__ import annotations

import operator
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hanabilab.core.invoke import whole_or
from hanabilab.core.kernel import PACKAGE
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.game.actions import Event
from hanabilab.game.state import View
from hanabilab.strategies.strategy import FAILED

__all__ = ["FailedTurnError", "guard_act", "guard_begin", "guard_observe", "watched"]


def asked(*arguments: Any) -> int:
    """Stand for a kernel from outside."""
    raise NotImplementedError


def guard_act(view: View, memory: Any) -> int:
    """Return the answer if it is a whole number, else FAILED."""
    try:
        return whole_or(asked(view, memory), FAILED)
    except Exception:
        return FAILED


def guard_begin(view: View, memory: Any) -> int:
    """Show the start; mark the view if that fails."""
    try:
        asked(view, memory)
    except Exception:
        view.end = FAILED
    return 0


def guard_observe(view: View, event: Event, memory: Any) -> None:
    """Show a turn; mark the view if that fails."""
    try:
        asked(view, event, memory)
    except Exception:
        view.end = FAILED


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
