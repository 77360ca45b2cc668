"""hanabilab compare, crossplay, adhoc, leaderboard: compare strategies and mix them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    OWN_PLAYERS,
    add_json_argument,
    add_program_argument,
    add_repeats_argument,
    add_rules_arguments,
    add_run_arguments,
    add_save_table_argument,
    add_strategies_argument,
    add_workers_arguments,
    chosen_players,
    chosen_rules,
    chosen_workers,
)
from hanabilab.cli.output import interrupted, note, print_result, save_and_print, show_result
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.lab.simulate import Simulation


COMPARE_SUMMARY = "Let strategies play the same decks and report their paired differences."
COMPARE_EXAMPLES = """\
  hanabilab compare cheat recommendation random --players 5 --games 10000
  hanabilab compare rule-based:hint-rule=2 rule-based:hint-rule=3 --players 3 --repeats 10
  hanabilab compare cheat recommendation --players 4 --plot comparison.png --json
  hanabilab compare piers iggi --players 3 --save table.tex

Both strategies of a difference share the luck of the deck, so its standard error is smaller
than those of the two means suggest.
"""


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_strategies_argument(parser)
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of decks, default 10000")
    add_repeats_argument(parser)
    add_save_table_argument(parser)
    add_program_argument(parser)
    add_json_argument(parser)


def run_compare(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.compare import compare
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.simulate import GAMES

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = compare(
        chosen_players(arguments.strategies, arguments),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        repeats=arguments.repeats,
        **chosen_workers(arguments),
    )
    show_result(result, arguments, print_result, save=arguments.save)
    if result.interrupted:
        return interrupted(f"this is what {result.results[0].games:,} games gave")
    return 0


CROSSPLAY_SUMMARY = "Let each strategy play with partners of every other kind."
CROSSPLAY_EXAMPLES = """\
  hanabilab crossplay random rule-based cheat --players 3 --games 1000
  hanabilab crossplay rule-based rule-based:hint-rule=2 recommendation --players 4
  hanabilab crossplay random cheat --players 2 --plot heat.png --json

One player plays the strategy of the row, all others that of the column; that player takes every
seat for an equal share of the games. The diagonal is self-play. All pairings play the same decks.
"""


def add_crossplay_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_strategies_argument(parser)
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of games per pairing, default 1000")
    add_save_table_argument(parser)
    add_program_argument(parser)
    add_json_argument(parser)


def run_crossplay(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.crossplay import GAMES, crossplay
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = crossplay(
        chosen_players(arguments.strategies, arguments),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        **chosen_workers(arguments),
    )
    show_result(result, arguments, print_result, save=arguments.save)
    if result.interrupted:
        played = sum(tally.decks > 0 for row in result.tallies for tally in row)
        every = len(result.strategies) ** 2
        return interrupted(f"{played} of {every} pairings are finished")
    return 0


ADHOC_SUMMARY = "Measure how a player does with unfamiliar partners."
ADHOC_EXAMPLES = """\
  hanabilab adhoc piers
  hanabilab adhoc mine.py:careful --games 200 --json
  hanabilab adhoc --save adhoc.md

The protocol is fixed, so that figures can be compared: all partners of a published pool, two to
five players, fixed decks, the rules hle. Half of the pool is held out: do not tune with it. Without
PLAYER, all built-in strategies are measured. A partner that is the player itself is left out.
"""


def add_adhoc_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("player", nargs="?", metavar="PLAYER", help=f"who plays; {OWN_PLAYERS}")
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="games for each partner and number of players, default 2000 as the protocol says",
    )
    add_workers_arguments(parser)
    add_save_table_argument(parser)
    add_json_argument(parser)


def run_adhoc(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.adhoc import GAMES, adhoc, adhoc_table
    from hanabilab.lab.result import check_table_file
    from hanabilab.strategies.load import load_player

    check_table_file(arguments.save)
    settings = {
        "games": GAMES if arguments.games is None else arguments.games,
        "notify": note,
        **chosen_workers(arguments),
    }
    if arguments.player is None:
        save_and_print(adhoc_table(**settings), arguments)
        return 0
    result = adhoc(load_player(arguments.player), **settings)
    save_and_print(result, arguments)
    if result.interrupted:
        return interrupted(f"{len(result.rows())} pairings are finished")
    return 0


STORED = "docs/results/data/leaderboard.csv"
LEADERBOARD_SUMMARY = "Rank all strategies: play each one at every number of players."
LEADERBOARD_EXAMPLES = """\
  hanabilab leaderboard --games 1000
  hanabilab leaderboard --write
  hanabilab leaderboard cheat recommendation --json
  hanabilab leaderboard --plot prices.svg --save results.tex

Each strategy plays under the rules it was made for, named in the table. Slow strategies play fewer
games. --write stores the results from which the pages of the documentation are generated.
"""


def add_leaderboard_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "strategies", nargs="*", metavar="STRATEGY", help=f"only these; {OWN_PLAYERS}"
    )
    parser.add_argument(
        "--games", type=int, metavar="N", help="number of games per cell, default 20000"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the decks")
    add_workers_arguments(parser)
    add_save_table_argument(parser)
    parser.add_argument("--write", action="store_true", help=f"store the table as {STORED}")
    parser.add_argument(
        "--file", default=STORED, metavar="FILE", help=f"the file of --write, default {STORED}"
    )
    parser.add_argument(
        "--plot", metavar="FILE", help="draw points missing against time: .png, .svg or .pdf"
    )
    add_json_argument(parser)


def run_leaderboard(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.errors import HanabiError
    from hanabilab.lab.files import check_folder
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.results_table import GAMES, results_table
    from hanabilab.strategies.load import load_player

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    if arguments.write:
        if arguments.strategies:
            raise HanabiError("--write: the table holds every strategy, so name none")
        check_folder(arguments.file)
    table = results_table(
        [load_player(name) for name in arguments.strategies] or None,
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        **chosen_workers(arguments),
        callback=_note_result,
    )
    if not arguments.write:
        show_result(table, arguments, lambda table: print(table.to_markdown()), save=arguments.save)
        return
    table.store(arguments.file)
    note(f"{arguments.file}: written; `make tables` updates the pages")
    if arguments.save:
        table.save(arguments.save)
    if arguments.plot:
        table.plot(arguments.plot)


def _note_result(result: Simulation) -> None:
    from hanabilab.lab.progress import note_progress

    note_progress(f"{result.strategy}, {result.players} players: {result}")


COMMANDS = {
    "compare": Command(COMPARE_SUMMARY, COMPARE_EXAMPLES, add_compare_arguments, run_compare),
    "crossplay": Command(
        CROSSPLAY_SUMMARY, CROSSPLAY_EXAMPLES, add_crossplay_arguments, run_crossplay
    ),
    "adhoc": Command(ADHOC_SUMMARY, ADHOC_EXAMPLES, add_adhoc_arguments, run_adhoc),
    "leaderboard": Command(
        LEADERBOARD_SUMMARY, LEADERBOARD_EXAMPLES, add_leaderboard_arguments, run_leaderboard
    ),
}
