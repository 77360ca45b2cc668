"""hanabilab bench: how fast everything runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hanabilab.checks import one_of
from hanabilab.cli.common import OWN_PLAYERS, add_json_argument, print_json

if TYPE_CHECKING:
    from hanabilab.strategies.strategy import Strategy

SUMMARY = "Measure games per second on one thread."
EXAMPLES = """\
  hanabilab bench engine
  hanabilab bench strategies
  hanabilab bench strategies recommendation cheat --json
  hanabilab bench strategies mine.py:careful
  hanabilab bench solver
  hanabilab bench envs --json
  hanabilab bench dataset

engine: uniformly random legal games under the rules hle, beside the Hanabi Learning Environment
and OpenSpiel where they are installed. strategies: each one under the rules that it was made for.
solver: random decks under the rules classic. envs: steps a second of the environments, with random
play, beside the Hanabi Learning Environment, OpenSpiel and PettingZoo where they are installed.
dataset: turns a second played and written by `hanabilab dataset`, files and observations included.
Each figure is the best of several short repetitions after a warm-up.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", metavar="SUBJECT", help=f"one of {', '.join(SUBJECTS)}")
    parser.add_argument(
        "strategies",
        nargs="*",
        metavar="STRATEGY",
        help=f"only these (with the subject strategies); {OWN_PLAYERS}",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=0.3,
        metavar="T",
        help="seconds per repetition",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.errors import HanabiError

    one_of("subject", arguments.subject, SUBJECTS)
    if arguments.strategies and arguments.subject != "strategies":
        strategy = arguments.strategies[0]
        raise HanabiError(f"{strategy}: bench {arguments.subject} takes no strategy")
    if not 0 < arguments.seconds < 3600:
        raise HanabiError(f"--seconds: {arguments.seconds} is not between 0 and 3600")
    SUBJECTS[arguments.subject](arguments)


def _engine(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.engine import bench_engine, bench_peers
    from hanabilab.cli.output import print_table
    from hanabilab.lab.results import PLAYERS

    ours = bench_engine(seconds=arguments.seconds)
    others = bench_peers(seconds=arguments.seconds)
    measured = {"hanabilab": ours, **{name: speeds for name, speeds in others.items() if speeds}}
    if arguments.json:
        data = {
            name: {str(players): speed.to_dict() for players, speed in speeds.items()}
            for name, speeds in measured.items()
        }
        print_json({"players": data.pop("hanabilab"), "others": dict.fromkeys(others) | data})
        return
    print("uniformly random legal games, rules hle, one thread, best of 3")
    print()
    for unit in ("games_per_second", "turns_per_second"):
        rows = [[unit.replace("_per_", "/"), *(f"{players} players" for players in PLAYERS)]]
        for name, speeds in measured.items():
            rows.append([name, *(f"{getattr(speed, unit):,.0f}" for speed in speeds.values())])
        print_table(rows)
        print()
    _print_missing(others)


def _strategies(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.strategies import bench_strategies
    from hanabilab.cli.output import note, print_table
    from hanabilab.lab.results import PLAYERS
    from hanabilab.strategies.load import load_player

    named = [load_player(text) for text in arguments.strategies]
    speeds = bench_strategies(named, seconds=arguments.seconds)
    fastest, row = max(
        speeds, key=lambda found: max(speed.games_per_second for speed in found[1].values())
    )
    line = "plain Python runs on one thread at a time"
    if fastest.can_compile:
        line = _two_threads(fastest, max(row))
    if arguments.json:
        print_json(
            {
                each.label: {str(players): speed.games_per_second for players, speed in row.items()}
                for each, row in speeds
            }
        )
        note(line)
        return
    print("games/s, one thread, best of 3, each strategy under the rules it was made for")
    print()
    rows = [["strategy", "rules", *(f"{players} players" for players in PLAYERS)]]
    for strategy, row in speeds:
        cells = [
            f"{row[players].games_per_second:,.{0 if row[players].games_per_second > 99 else 2}f}"
            if players in row
            else "-"
            for players in PLAYERS
        ]
        rows.append([strategy.label, strategy.home_rules, *cells])
    print_table(rows, left=2)
    print()
    print(line)


def _two_threads(strategy: Strategy, players: int) -> str:
    """Say how much faster two threads are than one."""
    from hanabilab.bench.strategies import speed_up
    from hanabilab.game.rules import preset

    gain = speed_up(strategy, preset(strategy.home_rules, players))
    return f"two threads play {gain:.2f} times as much as one ({strategy.label}, {players} players)"


def _solver(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.solver import bench_solver
    from hanabilab.cli.output import note, print_table
    from hanabilab.lab.results import PLAYERS

    found = {}
    for players in PLAYERS:
        note(f"deciding 20,000 decks of {players} players ...")
        found[str(players)] = bench_solver(players)
    if arguments.json:
        print_json(found)
        return
    print("20,000 random decks each, seed 1, rules classic, one thread")
    print()
    titles = ["players", "decks/s", "median ms", "99 % ms", "most ms", "slowly", "undecided"]
    rows = [titles]
    for number, row in found.items():
        speed, median, p99, most, slowly, undecided = row.values()
        times = [f"{median:.3f}", f"{p99:.3f}", f"{most:,.0f}"]
        rows.append([number, f"{speed:,.0f}", *times, f"{slowly}", f"{undecided}"])
    print_table(rows)


def _envs(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.environments import GAMES, bench_envs
    from hanabilab.cli.output import print_table
    from hanabilab.lab.results import PLAYERS

    speeds = bench_envs(seconds=arguments.seconds)
    if arguments.json:
        print_json(speeds)
        return
    print("steps/s of CPU time, random legal play (choosing included), rules hle, one thread")
    print(f"BatchEnv: {GAMES} games at once; canonical: the vector of the player to move")
    print()
    rows = [["environment", *(f"{players} players" for players in PLAYERS)]]
    for name, row in speeds.items():
        if row:
            rows.append([name, *(f"{speed:,.0f}" for speed in row.values())])
    print_table(rows)
    print()
    _print_missing(speeds)


def _dataset(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.dataset import STRATEGY, bench_dataset
    from hanabilab.cli.output import print_table
    from hanabilab.lab.results import PLAYERS

    speeds = bench_dataset(seconds=arguments.seconds)
    if arguments.json:
        print_json(speeds)
        return
    print(
        f"turns/s of CPU time, {STRATEGY}, rules classic, one thread, played and written to files"
    )
    print()
    rows = [["files, observations", *(f"{players} players" for players in PLAYERS)]]
    for name, row in speeds.items():
        rows.append([name, *(f"{speed:,.0f}" for speed in row.values())])
    print_table(rows)


def _print_missing(found: Mapping[str, object]) -> None:
    for name, speeds in found.items():
        if speeds is None:
            print(f"{name}: not installed here, so not measured")


SUBJECTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "engine": _engine,
    "strategies": _strategies,
    "solver": _solver,
    "envs": _envs,
    "dataset": _dataset,
}
