"""The command line: `hanabilab COMMAND …`.

Every module of commands defines `COMMANDS`, one `Command` per name. Heavy modules are imported
inside `run`, so that `hanabilab --help` answers at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import cast

from hanabilab import __version__
from hanabilab.cli.parser import Command, CommandParser, HelpFormatter, format_columns
from hanabilab.cli.streams import (
    describe_os_error,
    flush_streams,
    prepare_streams,
    print_error,
    sigterm_as_interrupt,
)
from hanabilab.errors import HanabiError, KernelError, one_line

__all__ = ["main"]

TITLE = "The laboratory for the cooperative card game Hanabi."
EXAMPLES = """\
  hanabilab play information --players 3 --seed 1
  hanabilab simulate hatter --players 4 --games 100000
  hanabilab solve --players 2 --seed 7"""

GROUPS = {
    "play": {
        "play": "games",
        "replay": "games",
        "convert": "games",
        "deck": "catalog",
        "rules": "catalog",
        "variants": "catalog",
        "strategies": "catalog",
    },
    "analyze": {
        "solve": "solve",
        "analyze": "analyze",
        "review": "review",
        "puzzle": "puzzle",
        "winnable": "winnable",
        "optimum": "optimum",
    },
    "simulate": {
        "simulate": "simulate",
        "compare": "compare",
        "crossplay": "compare",
        "adhoc": "compare",
        "sweep": "tune",
        "tune": "tune",
        "check": "check",
        "leaderboard": "compare",
        "reproduce": "reproduce",
        "bench": "bench",
    },
    "count": {"count": "count", "sequence": "count", "pace": "pace"},
    "learn": {"dataset": "dataset"},
    "connect": {"web": "web", "live": "live", "engine": "engine", "completion": "completion"},
}
"""Every command with its module, grouped by purpose."""

MODULES = {name: module for group in GROUPS.values() for name, module in group.items()}
COMMANDS = tuple(MODULES)
GENERAL_OPTIONS = ("-h", "--help", "-V", "--version")
"""Options that work without a command."""


def build_parser(names: Sequence[str] = COMMANDS) -> CommandParser:
    """Return the parser of some commands, or of all."""
    parser = _empty_parser()
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog=parser.prog
    )
    parser.commands = commands.choices
    for name in names:
        command = find_command(name)
        examples, _, notes = command.examples.partition("\n\n")
        command_parser = commands.add_parser(
            name,
            help=command.summary,
            description="\n\n".join(filter(None, [command.summary, notes.rstrip()])),
            epilog=f"examples:\n{examples}",
            formatter_class=HelpFormatter,
        )
        command.add_arguments(command_parser)
        command_parser.add_argument(
            "--traceback",
            action="store_true",
            default=bool(os.environ.get("HANABILAB_TRACEBACK")),
            help="show where an error was raised",
        )
        command_parser.shorten_usage()
        command_parser.set_defaults(run=command.run)
    return parser


def _empty_parser() -> CommandParser:
    parser = CommandParser(
        prog="hanabilab", usage="hanabilab COMMAND …", formatter_class=HelpFormatter
    )
    parser.add_argument("-V", "--version", action="version", version=f"hanabilab {__version__}")
    return parser


def find_command(name: str) -> Command:
    """Import the module of a command and return the command."""
    module = importlib.import_module(f"hanabilab.cli.{MODULES[name]}")
    return cast("dict[str, Command]", module.COMMANDS)[name]


def _overview() -> CommandParser:
    """Return the parser of `hanabilab --help`: all commands in groups, without options."""
    parser = _empty_parser()
    lines = [f"{TITLE}\n\nexamples:\n{EXAMPLES}\n"]
    for group, names in GROUPS.items():
        lines.append(f"{group}:")
        lines += [format_columns(name, find_command(name).summary) for name in names]
        lines.append("")
    parser.description = "\n".join(lines[:-1])
    parser.epilog = "hanabilab COMMAND --help shows the options of a command, with examples."
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, help=argparse.SUPPRESS)
    return parser


def error_message(error: HanabiError) -> str:
    """Return an error message as one line, or as a few lines if it shows a kernel's source."""
    lines = str(error).split("\n") if isinstance(error, KernelError) else [str(error)]
    return "\n".join(map(one_line, lines))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; report our own errors in one line on standard error with exit code 2."""
    prepare_streams()
    try:
        with sigterm_as_interrupt():
            code = _run(argv)
    except KeyboardInterrupt:
        print_error("interrupted")
        code = 130
    except SystemExit as leaving:  # raised by argparse, and by rich when the reader is gone
        unread = isinstance(leaving.__context__, BrokenPipeError)
        code = leaving.code if isinstance(leaving.code, int) and not unread else 0
    return flush_streams(code)


def _run(argv: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    given = given[1:] if given[:1] == ["--"] else given
    if not given:
        _overview().print_help(sys.stderr)
        return 2
    if given[0] == "help":
        given = [*given[1:2], "--help"]
    if given[0].startswith("-") and given[0] not in GENERAL_OPTIONS:
        print_error(f"hanabilab: unknown option {one_line(given[0])}; options follow the command")
        return 2
    named = given[:1] if set(given[:1]) & set(COMMANDS) else []
    arguments = (build_parser(named) if named else _overview()).parse_args(given)
    arguments.line = shlex.join(["hanabilab", *given])
    try:
        code: int = arguments.run(arguments) or 0
        sys.stdout.flush()
        return code
    except HanabiError as error:
        if arguments.traceback:
            traceback.print_exception(error)
        refusal = error_message(error)
    except BrokenPipeError:  # the reader closed the pipe
        return 0
    except OSError as error:
        refusal = one_line(describe_os_error(error))
    except MemoryError:
        refusal = "not enough memory"
    print_error(f"hanabilab {arguments.command}: {refusal}")
    return 2
