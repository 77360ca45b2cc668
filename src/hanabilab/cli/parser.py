"""Commands and their parser: one-line errors, and no abbreviated options."""

from __future__ import annotations

import argparse
import contextlib
import re
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


def format_columns(name: str, about: str, indent: int = INDENT) -> str:
    """Return a name and its summary, wrapped to the width of the terminal."""
    width = max(40, shutil.get_terminal_size().columns - 2)
    return textwrap.fill(f"  {name:<{indent - 3}} {about}", width, subsequent_indent=" " * indent)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """The layout of a command's help: paragraphs, examples, and the default of every option."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=INDENT + 8)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap paragraphs to the width of the terminal; lists and examples stay unchanged."""
        paragraphs = text.rstrip().split("\n\n")
        listed = re.compile("^ ", re.MULTILINE)
        filled = [
            each if listed.search(each) else textwrap.fill(each, width) for each in paragraphs
        ]
        return "\n\n".join(filled)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        said = not action.help or "default" in action.help or not action.option_strings
        if said or action.default in (None, [], argparse.SUPPRESS) or action.nargs == 0:
            return action.help
        return f"{action.help}, default %(default)s"


def read_integer(text: str) -> int:
    """Return an integer, accepting forms such as 100_000 and 1e6."""
    with contextlib.suppress(ValueError):
        return int(text)
    if re.fullmatch(r"\d+(\.\d+)?[eE]\+?\d\d?", text) and float(text).is_integer():
        return int(float(text))
    raise argparse.ArgumentTypeError(f"{text!r:.60} is not an integer")


class ArgumentGroup(NamedTuple):
    """Arguments that belong together."""

    title: str
    description: str
    actions: list[argparse.Action]


class CommandParser(argparse.ArgumentParser):
    """A parser that reports errors in one line and accepts no abbreviations."""

    commands: Mapping[str, CommandParser] = MappingProxyType({})
    """The parsers of the commands."""
    given: Sequence[str] = ()
    """The arguments being parsed."""
    parsing_again = False
    """Whether this is the second pass, which accepts positional arguments after options."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)
        self._positionals.title = "arguments"
        self.register("type", int, read_integer)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; raise for unknown ones, with a suggestion."""
        self.given = args
        found, unknown = super().parse_known_args(args, namespace)
        if not unknown or self.parsing_again:
            return found, unknown
        if not any(word.startswith("-") for word in unknown):
            found, unknown = self._parse_again(args, namespace)
        if unknown:
            from hanabilab.cli.suggest import explain_unknown

            self.error(explain_unknown(unknown, args, self._option_string_actions))
        return found, unknown

    def _parse_again(self, args: Any, namespace: Any) -> Any:
        """Parse arguments of which some come after options: `cheat --players 2 random`."""
        self.parsing_again = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.parsing_again = False

    def shorten_usage(self) -> None:
        """Leave the options out of the usage line, since the help lists them below."""
        places = self._get_positional_actions()
        places += [each for each in self._get_optional_actions() if each.required]
        formatter = self._get_formatter()
        words = [
            " ".join([*each.option_strings[-1:], formatter._format_args(each, str(each.metavar))])
            for each in places
        ]
        self.usage = " ".join([self.prog, *words, "[options]"]).replace("%", "%%")

    def actions(self) -> list[argparse.Action]:
        """Return all arguments listed in the help."""
        return [action for action in self._actions if action.help != argparse.SUPPRESS]

    def groups(self) -> list[ArgumentGroup]:
        """Return the arguments in the groups of the help."""
        found = []
        for group in self._action_groups:
            shown = [each for each in group._group_actions if each.help != argparse.SUPPRESS]
            if shown:
                found.append(ArgumentGroup(group.title or "", group.description or "", shown))
        return found

    def help_text(self, action: argparse.Action) -> str:
        """Return the description of an argument, with its default."""
        return self._get_formatter()._expand_help(action)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        from hanabilab.checks import check_choice

        if action.choices is None or value in action.choices:
            return
        if action.dest == "command":
            from hanabilab.cli.suggest import explain_command

            raise argparse.ArgumentError(None, explain_command(value, action.choices))
        try:
            name = str(action.metavar or action.dest).lower()
            check_choice(name, value, map(str, action.choices))
        except HanabiError as error:
            raise argparse.ArgumentError(None, str(error)) from None

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        if self.given and message.startswith("the following arguments are required"):
            message = self._unknown_option() or message
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def _unknown_option(self) -> str | None:
        """Return the error for the first unknown option, which argparse reports last."""
        from hanabilab.cli.suggest import explain_unknown

        known = self._option_string_actions
        flags = (word for word in self.given if re.match(r"--?[a-zA-Z]", word))
        unknown = [word for word in flags if word.partition("=")[0] not in known]
        return explain_unknown(unknown[:1], self.given, known) if unknown else None
