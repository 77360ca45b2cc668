"""The command line: `hanabilab COMMAND …`.

One module per command. Each has SUMMARY, EXAMPLES, `add_arguments(parser)` and `run(arguments)`,
and imports heavy modules inside `run`, so that `hanabilab --help` answers at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import Protocol, cast

from hanabilab import __version__
from hanabilab.cli.parser import Parser
from hanabilab.cli.signals import ending_like_ctrl_c
from hanabilab.cli.streams import complain, explain, prepare_streams, settle_streams
from hanabilab.errors import HanabiError, KernelError, one_line

__all__ = ["main"]

COMMANDS = (
    "play",
    "replay",
    "convert",
    "deck",
    "rules",
    "strategies",
    "check",
    "simulate",
    "compare",
    "sweep",
    "tune",
    "crossplay",
    "dataset",
    "results",
    "reproduce",
    "solve",
    "analyze",
    "winnable",
    "count",
    "sequence",
    "pace",
    "bench",
    "web",
    "serve",
)


class Command(Protocol):
    """What a module in this folder offers."""

    SUMMARY: str
    EXAMPLES: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, arguments: argparse.Namespace) -> int | None: ...


def build_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of some commands, or of all, with their help."""
    parser = Parser(
        prog="hanabilab",
        description="The laboratory for the cooperative card game Hanabi.",
    )
    parser.add_argument("--version", action="version", version=f"hanabilab {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in names:
        module = cast(Command, importlib.import_module(f"hanabilab.cli.{name}"))
        command = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog="examples:\n" + module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.add_argument(
            "--traceback",
            action="store_true",
            default=bool(os.environ.get("HANABILAB_TRACEBACK")),
            help="show where an error was raised, and all that the compiler said",
        )
        command.set_defaults(run=module.run)
    return parser


def in_lines(error: HanabiError) -> str:
    """Return the message of an error in one line, or in a few if it shows a kernel's source."""
    lines = str(error).split("\n") if isinstance(error, KernelError) else [str(error)]
    return "\n".join(map(one_line, lines))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; an error of ours is one line on standard error and exit code 2."""
    prepare_streams()
    try:
        with ending_like_ctrl_c():
            code = _run(argv)
    except KeyboardInterrupt:
        complain("interrupted")
        code = 130
    except SystemExit as leaving:  # argparse leaves like this, and rich when nobody reads
        unread = isinstance(leaving.__context__, BrokenPipeError)
        code = leaving.code if isinstance(leaving.code, int) and not unread else 0
    return settle_streams(code)


def _run(argv: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    named = given[:1] if set(given[:1]) & set(COMMANDS) else COMMANDS
    arguments = build_parser(named).parse_args(given)
    arguments.line = shlex.join(["hanabilab", *given])
    try:
        code: int = arguments.run(arguments) or 0
        sys.stdout.flush()
        return code
    except HanabiError as error:
        if arguments.traceback:
            traceback.print_exception(error)
        refusal = in_lines(error)
    except BrokenPipeError:  # whoever reads has seen enough
        return 0
    except OSError as error:
        refusal = one_line(explain(error))
    except MemoryError:
        refusal = "not enough memory"
    complain(f"hanabilab {arguments.command}: {refusal}")
    return 2
