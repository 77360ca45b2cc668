"""hanabilab reproduce: regenerate every number of the papers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import add_json_argument, add_workers_arguments, chosen_workers
from hanabilab.cli.output import interrupted, note, print_json, print_table, printable_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.papers.reproduction import Reproduction, TableFindings

SUMMARY = "Recompute every number of the papers and compare it with what is printed."
EXAMPLES = """\
  hanabilab reproduce                            all papers, smaller samples: two minutes
  hanabilab reproduce cox --out report           also a report: report/index.html
  hanabilab reproduce --full --out report        the papers' own sample sizes; resumable
  hanabilab reproduce thesis --only thesis.B1    one table; also one item, or '*.average'
  hanabilab reproduce hoad --json                a list of objects for programs
  hanabilab reproduce --list                     the tables and their ids

verdicts: exact; agrees (within 3 standard errors, ours and the paper's own; a statement: it holds
by 2 or more); close (within 2 %); undecided (a statement that holds by less than 2 standard errors
or fails by less than 3); differs; erratum (the printed value is wrong, and we compute the right
one); refuted (a conjecture that is false); interpreted (an ambiguous sentence, wrong in one
interpretation and right in another). The exit code is 1 if anything differs without a written
explanation.

With --full the matches of an undecided statement are repeated with 4 and then 16 times the games (4
for Monte Carlo); a statement that remains undecided is reported as such.

With --full each finished match, and each evaluation of the searches in the report, is stored in the
--out FOLDER or else in the cache (HANABILAB_CACHE): re-run the same command to resume. These files
belong to one seed and one version of the kernels; any other starts from the beginning.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "paper",
        nargs="?",
        default="all",
        metavar="PAPER",
        help="thesis, aspects, hoad, kessler, cox or all (the default)",
    )
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--quick", action="store_true", help="smaller samples (the default)")
    effort.add_argument("--full", action="store_true", help="the papers' sample sizes or more")
    parser.add_argument(
        "--list", action="store_true", help="show the ids of all tables and play nothing"
    )
    parser.add_argument("--only", metavar="ID", help="an id, the beginning of ids, or a pattern")
    parser.add_argument("--out", metavar="FOLDER", help="write a report there: index.html")
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the decks, default 1")
    add_workers_arguments(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    if arguments.list:
        _list_tables(arguments)
        return 0
    from hanabilab.papers.report.terminal import print_page
    from hanabilab.papers.reproduction import SEED, default_folder, reproduce

    if arguments.out:
        from hanabilab.papers.report.page import create_folder

        create_folder(arguments.out)
    folder = (arguments.out or default_folder()) if arguments.full else None
    kept = f"; re-run the same command to resume from {folder}" if folder else ""
    try:
        found = reproduce(
            arguments.paper,
            effort="full" if arguments.full else "quick",
            only=arguments.only,
            seed=SEED if arguments.seed is None else arguments.seed,
            **chosen_workers(arguments),
            folder=folder,
            notify=None if arguments.json else _note_table,
        )
    except KeyboardInterrupt:
        return interrupted(f"nothing is reported{kept}")
    if found.runner.resumed:
        note(f"{found.runner.resumed} matches were taken over from an earlier run in {folder}")
    if arguments.json:
        print(_as_json(found))
    else:
        print_page(found)
    if arguments.out:
        from hanabilab.papers.report.page import write_report

        try:
            note(f"{write_report(found, arguments.out)}: written")
        except KeyboardInterrupt:
            return interrupted(f"the report is not written{kept}")
    elif arguments.full:
        found.runner.remove_log()
    return 1 if found.unexplained else 0


def _as_json(found: Reproduction) -> str:
    """Return a list with one object per line."""
    import json

    from hanabilab.lab.files import json_safe

    texts = [json.dumps(json_safe(data), ensure_ascii=False) for data in found.to_list()]
    lines = map(printable_json, texts)
    return "[\n" + ",\n".join(lines) + "\n]"


def _note_table(part: TableFindings) -> None:
    """Print a line for each table on standard error."""
    from hanabilab.lab.progress import note_progress

    counts = ", ".join(f"{number} {verdict}" for verdict, number in part.verdicts().items())
    note_progress(f"{part.table.id}: {counts} ({part.seconds:.1f} s)")


def _list_tables(arguments: argparse.Namespace) -> None:
    """Print the tables that would be reproduced, each with its id, its items and its title."""
    from hanabilab.papers.reproduction import select_tables

    effort = "full" if arguments.full else "quick"
    tables = select_tables(arguments.paper, effort, arguments.only)
    if arguments.json:
        print_json(
            [
                {"id": table.id, "paper": table.paper, "title": table.title}
                | {"items": [item.id for item in table.items]}
                for table in tables
            ]
        )
        return
    rows = [["table", "title", "items"]]
    rows += [[table.id, table.title, str(len(table.items))] for table in tables]
    print_table(rows, left=2)


COMMANDS = {
    "reproduce": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
