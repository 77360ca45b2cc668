"""The parser of a command: errors in one line, and options that depend on who plays."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from hanabilab.errors import HanabiError, one_line

__all__ = ["Parser"]


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    completion: Callable[[Sequence[str]], None] | None = None
    """Adds the options that depend on the arguments, before they are parsed."""
    trouble: HanabiError | None = None
    """Why not all options could be added: an unknown one may be due to this."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; raise for those that are unknown, with the closest known one."""
        if self.completion:
            complete, self.completion = self.completion, None
            try:
                complete(args)
            except HanabiError as error:
                self.trouble = error
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._meant(unknown)}")
        return found, unknown

    def _meant(self, unknown: Sequence[str]) -> str:
        from hanabilab.checks import did_you_mean

        flags = [text.partition("=")[0] for text in unknown if text.startswith("--")]
        return did_you_mean(flags[0], self._option_string_actions) if flags else ""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and leave with exit code 2."""
        said = str(self.trouble) if self.trouble else f"{message}; see {self.prog} --help"
        self.exit(2, f"{self.prog}: {one_line(said)}\n")
