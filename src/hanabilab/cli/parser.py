"""Commands and their parser: errors in one line, and options that depend on who plays."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from hanabilab.errors import HanabiError, one_line

__all__ = ["ArgumentGroup", "Command", "CommandParser", "HelpFormatter", "format_columns"]

INDENT = 14
"""The column in which the summaries of commands start."""


class Command(NamedTuple):
    """A command; `run` imports what it needs, so that `hanabilab --help` answers at once."""

    summary: str
    examples: str
    """Examples, one per line; notes after a blank line."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]
    """Runs the command and returns its exit code; None is 0."""


def format_columns(name: str, about: str) -> str:
    """Return a name and its summary, wrapped to the width of the terminal."""
    width = max(40, shutil.get_terminal_size().columns - 2)
    return textwrap.fill(f"  {name:<{INDENT - 3}} {about}", width, subsequent_indent=" " * INDENT)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """The layout of a command's help: text as written, and the default of every option."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        said = not action.help or "default" in action.help or not action.option_strings
        if said or action.default in (None, [], argparse.SUPPRESS) or action.nargs == 0:
            return action.help
        return f"{action.help}, default %(default)s"


class ArgumentGroup(NamedTuple):
    """Arguments that belong together."""

    title: str
    description: str
    actions: list[argparse.Action]


class CommandParser(argparse.ArgumentParser):
    """A parser that reports errors in one line."""

    dynamic_options: Callable[[Sequence[str]], None] | None = None
    """Adds the options that depend on the arguments, before they are parsed."""
    commands: Mapping[str, CommandParser] = MappingProxyType({})
    """The parsers of its commands."""
    deferred_error: HanabiError | None = None
    """Why not all options could be added; reported if parsing fails."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; raise for those that are unknown, with the closest known one."""
        self.add_dynamic_options(args)
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._suggestion(unknown)}")
        return found, unknown

    def add_dynamic_options(self, arguments: Sequence[str]) -> None:
        """Add the options that depend on these arguments, unless that is done already."""
        if self.dynamic_options:
            add, self.dynamic_options = self.dynamic_options, None
            try:
                add(arguments)
            except HanabiError as error:
                self.deferred_error = error

    def actions(self) -> list[argparse.Action]:
        """Return all arguments that are shown in the help."""
        return [action for action in self._actions if action.help != argparse.SUPPRESS]

    def groups(self) -> list[ArgumentGroup]:
        """Return the arguments in their groups, as the help shows them."""
        found = []
        for group in self._action_groups:
            shown = [each for each in group._group_actions if each.help != argparse.SUPPRESS]
            if shown:
                found.append(ArgumentGroup(group.title or "", group.description or "", shown))
        return found

    def help_text(self, action: argparse.Action) -> str:
        """Return what an argument means, with its default."""
        return self._get_formatter()._expand_help(action)

    def _suggestion(self, unknown: Sequence[str]) -> str:
        from hanabilab.checks import did_you_mean

        flags = [text.partition("=")[0] for text in unknown if text.startswith("--")]
        return did_you_mean(flags[0], self._option_string_actions) if flags else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        from hanabilab.checks import check_choice

        if action.choices is not None:
            try:
                check_choice(
                    str(action.metavar or action.dest).lower(), value, map(str, action.choices)
                )
            except HanabiError as error:
                raise argparse.ArgumentError(None, str(error)) from None

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        said = (
            str(self.deferred_error)
            if self.deferred_error
            else f"{message}; see {self.prog} --help"
        )
        self.exit(2, f"{self.prog}: {one_line(said)}\n")
