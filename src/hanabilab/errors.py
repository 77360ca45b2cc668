"""Every error that hanabilab raises on purpose; they all derive from `HanabiError`.

    HanabiError
    ├── RulesError          rules that contradict themselves or cannot be played
    ├── DeckError           a deck that does not fit its rules
    ├── ActionError         an action that the rules do not allow now
    ├── FormatError         text or JSON that cannot be read
    ├── StrategyError       an unknown strategy, or one that cannot play these rules
    │   ├── KernelError     a kernel that cannot be compiled, in a few lines
    │   └── KernelRunError  a compiled kernel that failed, with its line
    ├── SaveError           a file that cannot be written
    ├── TheoryError         a question that has no answer, or one too large to count
    ├── ClusterError        a cluster that cannot be reached or used
    ├── LiveError           a game server that refuses a login or breaks its protocol
    └── MissingExtraError   an optional library is not installed

A message names the value and where it was found. The command line prints it in one line and
exits with 2.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = [
    "ActionError",
    "ClusterError",
    "DeckError",
    "FormatError",
    "HanabiError",
    "KernelError",
    "KernelRunError",
    "LiveError",
    "MissingExtraError",
    "RulesError",
    "SaveError",
    "StrategyError",
    "TheoryError",
    "one_line",
]


class HanabiError(Exception):
    """The base of all errors that hanabilab raises on purpose.

    Examples
    --------
    >>> import hanabilab as hl
    >>> try:
    ...     hl.simulate("peers")
    ... except hl.HanabiError as error:
    ...     print(str(error)[:24])
    unknown strategy 'peers'
    """


class RulesError(HanabiError):
    """Rules that contradict themselves or cannot be played."""


class DeckError(HanabiError):
    """A deck that does not fit its rules."""


class ActionError(HanabiError):
    """An action that the rules do not allow now."""


class FormatError(HanabiError):
    """Text or JSON that cannot be read."""


class StrategyError(HanabiError):
    """An unknown strategy, or one that cannot play these rules."""


class KernelError(StrategyError):
    """A kernel that cannot be compiled: the line, what is wrong with it, and what to do."""


class KernelRunError(StrategyError):
    """A compiled kernel failed: a run-time check did not hold, or it raised an exception."""


class SaveError(HanabiError):
    """A file that cannot be written; `result` holds what was to be saved, if anything."""

    result: Any = None


class TheoryError(HanabiError):
    """A question that has no answer, or one that is too large to count."""


class ClusterError(HanabiError):
    """A cluster that cannot be reached or used."""


class LiveError(HanabiError):
    """A game server that rejects the login or violates its protocol."""


class MissingExtraError(HanabiError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs {library}: install it with  pip install 'hanabilab[{extra}]'"
        )


QUOTED = 80
"""How many characters of a user's input a message quotes."""
LONG_WORD = re.compile(rf"[^\s/]{{{QUOTED + 1},}}")


def one_line(message: str) -> str:
    """Return a message in one line, shortened if it quotes a long text; paths stay whole."""
    message = LONG_WORD.sub(lambda word: f"{word[0][: QUOTED - 3]}...", message)
    if len(message) > 1000:
        message = f"{message[:500]} ... {message[-300:]}"
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in message
    )
