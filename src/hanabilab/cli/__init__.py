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
from hanabilab.cli.parser import Help, Parser, in_columns
from hanabilab.cli.signals import ending_like_ctrl_c
from hanabilab.cli.streams import complain, explain, prepare_streams, settle_streams
from hanabilab.errors import HanabiError, KernelError, one_line

__all__ = ["main"]

TITLE = "The laboratory for the cooperative card game Hanabi."
EXAMPLES = """\
  hanabilab play information --players 3 --seed 1
  hanabilab simulate hatter --players 4 --games 100000
  hanabilab solve --players 2 --seed 7"""

GROUPS = {
    "play": ("play", "replay", "convert", "deck", "rules", "variants", "strategies"),
    "analyse": ("solve", "analyze", "puzzle", "winnable"),
    "simulate": (
        "simulate",
        "compare",
        "crossplay",
        "adhoc",
        "sweep",
        "tune",
        "check",
        "results",
        "reproduce",
        "bench",
    ),
    "count": ("count", "sequence", "pace"),
    "learn": ("dataset",),
    "serve": ("web", "serve", "completion"),
}
"""Every command, by what a person wants."""

COMMANDS = tuple(name for names in GROUPS.values() for name in names)


class Command(Protocol):
    """What a module in this folder offers."""

    SUMMARY: str
    EXAMPLES: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, arguments: argparse.Namespace) -> int | None: ...


def build_parser(names: Sequence[str] = COMMANDS) -> Parser:
    """Return the parser of some commands, or of all."""
    parser = _empty_parser()
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog=parser.prog
    )
    parser.commands = commands.choices
    for name in names:
        module = _module(name)
        examples, _, notes = module.EXAMPLES.partition("\n\n")
        command = commands.add_parser(
            name,
            help=module.SUMMARY,
            description="\n\n".join(filter(None, [module.SUMMARY, notes.rstrip()])),
            epilog=f"examples:\n{examples}",
            formatter_class=Help,
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


def _empty_parser() -> Parser:
    parser = Parser(prog="hanabilab", usage="hanabilab COMMAND …", formatter_class=Help)
    parser.add_argument("--version", action="version", version=f"hanabilab {__version__}")
    return parser


def _module(name: str) -> Command:
    return cast("Command", importlib.import_module(f"hanabilab.cli.{name}"))


def summary_of(name: str) -> str:
    """Return what a command does, in one sentence."""
    return _module(name).SUMMARY


def _overview() -> Parser:
    """Return the parser of `hanabilab --help`: all commands in their groups, without options."""
    parser = _empty_parser()
    lines = [f"{TITLE}\n\nexamples:\n{EXAMPLES}\n"]
    for group, names in GROUPS.items():
        lines.append(f"{group}:")
        lines += [in_columns(name, summary_of(name)) for name in names]
        lines.append("")
    parser.description = "\n".join(lines[:-1])
    parser.epilog = "hanabilab COMMAND --help tells the options of a command, with examples."
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, help=argparse.SUPPRESS)
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
    given = given[1:] if given[:1] == ["--"] else given
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
        refusal = in_lines(error)
    except BrokenPipeError:  # whoever reads has seen enough
        return 0
    except OSError as error:
        refusal = one_line(explain(error))
    except MemoryError:
        refusal = "not enough memory"
    complain(f"hanabilab {arguments.command}: {refusal}")
    return 2
