"""hanabilab bench: measure speed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hanabilab.checks import check_choice, check_integer
from hanabilab.cli.arguments import OWN_PLAYERS, add_json_argument
from hanabilab.cli.output import note, print_json, print_table
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.bench.measurements import Comparison, Measurements
    from hanabilab.strategies.strategy import Strategy

SUMMARY = "Measure games per second on one thread."
EXAMPLES = """\
  hanabilab bench engine
  hanabilab bench strategies
  hanabilab bench strategies recommendation cheat --json
  hanabilab bench strategies mine.py:careful
  hanabilab bench search
  hanabilab bench solver
  hanabilab bench envs --json
  hanabilab bench dataset
  hanabilab bench start
  hanabilab bench --save before.json
  hanabilab bench --against before.json
  hanabilab bench solver --against before.json --fail-below 0.9

engine: uniformly random legal games under the rules hle, beside the Hanabi Learning Environment
and OpenSpiel where they are installed. strategies: each one under the rules that it was made for.
search: imagined games a second that blueprints play to their end, dealing included, under the rules
classic. solver: random decks under the rules classic. envs: steps a second of the environments,
with random play, beside the Hanabi Learning Environment, OpenSpiel and PettingZoo where they are
installed.
dataset: turns a second played and written by `hanabilab dataset`, files and observations included.
start: CPU seconds until the first game, with an empty cache of compiled code, and again. Each
other figure is the best of several short repetitions after a warm-up. For a strategy of your own,
a second row is the same kernel compiled without run-time checks.

Without a subject, with --save and with --against, the benchmarks of all subjects or of one are
measured in rounds, in CPU time, with few and with many players. --save writes them to a file with
version, machine and date; --against compares them with such a file: how many times as fast as then,
with an interval of 99 %. A benchmark is called slower or faster if the whole interval is more than
3 % away from 1.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "subject",
        nargs="?",
        metavar="SUBJECT",
        help=f"one of {', '.join(SUBJECTS)}; all if left out",
    )
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
    parser.add_argument("--save", metavar="FILE", help="write all figures of all rounds as JSON")
    parser.add_argument("--against", metavar="FILE", help="compare with figures that were saved")
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="how often to measure everything (default: 5)"
    )
    parser.add_argument(
        "--fail-below",
        type=float,
        metavar="RATIO",
        help="exit with code 1 if a benchmark is certainly below this ratio (default: never)",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int | None:
    """Run the command."""
    from hanabilab.errors import HanabiError

    if arguments.subject is not None:
        check_choice("subject", arguments.subject, SUBJECTS)
    if arguments.strategies and arguments.subject != "strategies":
        strategy = arguments.strategies[0]
        raise HanabiError(f"{strategy}: bench {arguments.subject} takes no strategy")
    if not 0 < arguments.seconds < 3600:
        raise HanabiError(f"--seconds: {arguments.seconds} is not between 0 and 3600")
    if arguments.fail_below is not None and arguments.against is None:
        raise HanabiError("--fail-below goes with --against")
    in_rounds = arguments.save or arguments.against or arguments.rounds is not None
    if in_rounds and arguments.subject == "start":
        raise HanabiError("bench start takes neither --save nor --against nor --rounds")
    if in_rounds or arguments.subject is None:
        return _rounds(arguments)
    SUBJECTS[arguments.subject](arguments)
    return None


def _rounds(arguments: argparse.Namespace) -> int:
    """Run benchmarks in rounds; save and compare the results."""
    from hanabilab.bench.measurements import Comparison, Measurements
    from hanabilab.bench.suite import ROUNDS
    from hanabilab.lab.files import check_folder, checked_suffix

    rounds = check_integer("--rounds", ROUNDS if arguments.rounds is None else arguments.rounds, 1)
    before = arguments.against and Measurements.load(arguments.against)
    if arguments.save:
        checked_suffix(arguments.save, "figures", [".json"])
        check_folder(arguments.save)
    figures = _measured(arguments, rounds, before.counts if before else None)
    if arguments.save:
        figures.save(arguments.save)
        note(f"{arguments.save}: written")
    if not before:
        if arguments.json:
            print_json(figures.to_dict())
        elif not arguments.save:
            _print_figures(figures)
        return 0
    comparison = Comparison(before, figures)
    for warning in comparison.warnings:
        note(warning)
    if arguments.json:
        print_json(comparison.to_dict())
    else:
        _print_comparison(comparison)
    limit = arguments.fail_below
    return int(limit is not None and any(each.high < limit for each in comparison.ratios.values()))


def _measured(
    arguments: argparse.Namespace, rounds: int, counts: Mapping[str, int] | None
) -> Measurements:
    import tempfile
    from pathlib import Path

    from hanabilab.bench.measurements import Measurements
    from hanabilab.bench.suite import measure_rounds, suite
    from hanabilab.strategies.load import load_player

    named = [load_player(text) for text in arguments.strategies]
    subjects = [arguments.subject] if arguments.subject else []
    with tempfile.TemporaryDirectory() as folder:
        benchmarks = suite(subjects, named, Path(folder))
        measured = measure_rounds(benchmarks, rounds, arguments.seconds, counts=counts, say=note)
    return Measurements.of(measured, benchmarks)


def _print_figures(figures: Measurements) -> None:
    from statistics import median

    rows = [["benchmark", "median", "lowest", "highest", ""]]
    for name, speeds in figures.speeds.items():
        cells = [_figure(each) for each in (median(speeds), min(speeds), max(speeds))]
        rows.append([name, *cells, figures.units[name]])
    print_table(rows)


def _figure(speed: float) -> str:
    return f"{speed:,.{0 if speed > 99 else 2}f}"


def _print_comparison(comparison: Comparison) -> None:
    from hanabilab.bench.measurements import geometric_mean

    before, ratios = comparison.before, comparison.ratios
    level = min((each.level for each in ratios.values()), default=0.0)
    print(f"times as fast as version {before.version} of {before.date}, {level:.0%} intervals")
    print()
    rows = [["benchmark", "ratio", "from", "to", ""]]
    for name, each in ratios.items():
        verdict = "" if each.verdict == "same" else each.verdict
        rows.append([name, f"{each.ratio:.3f}", f"{each.low:.3f}", f"{each.high:.3f}", verdict])
    print_table(rows)
    print()
    verdicts = [each.verdict for each in ratios.values()]
    mean = geometric_mean(each.ratio for each in ratios.values())
    print(
        f"{len(ratios)} benchmarks: {verdicts.count('slower')} slower, "
        f"{verdicts.count('faster')} faster; geometric mean {mean:.3f}"
    )


def _engine(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.engine import bench_engine, bench_peers

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
        figures = {
            name: {players: getattr(speed, unit) for players, speed in speeds.items()}
            for name, speeds in measured.items()
        }
        _print_speeds(unit.replace("_per_", "/"), figures)
        print()
    _print_missing(others)


def _strategies(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.workloads import bench_strategies
    from hanabilab.core.machine_code import without_checks
    from hanabilab.lab.results_table import PLAYERS
    from hanabilab.strategies.load import load_player

    named = [load_player(text) for text in arguments.strategies]
    speeds = bench_strategies(named, seconds=arguments.seconds)
    labels = [each.label for each, _ in speeds]
    for strategy in [each for each in named if each.can_compile and not each.in_package]:
        with without_checks():
            speeds += bench_strategies([strategy], seconds=arguments.seconds)
        labels.append(f"{strategy.label}, without checks")
    fastest, row = max(
        speeds, key=lambda found: max(speed.games_per_second for speed in found[1].values())
    )
    line = "plain Python runs on one thread at a time"
    if fastest.can_compile:
        line = _two_threads(fastest, max(row))
    if arguments.json:
        print_json(
            {
                label: {str(players): speed.games_per_second for players, speed in row.items()}
                for label, (_, row) in zip(labels, speeds, strict=True)
            }
        )
        note(line)
        return
    print("games/s, one thread, best of 3, each strategy under the rules it was made for")
    print()
    rows = [["strategy", "rules", *(f"{players} players" for players in PLAYERS)]]
    for label, (strategy, row) in zip(labels, speeds, strict=True):
        cells = [
            f"{row[players].games_per_second:,.{0 if row[players].games_per_second > 99 else 2}f}"
            if players in row
            else "-"
            for players in PLAYERS
        ]
        rows.append([label, strategy.home_rules, *cells])
    print_table(rows, left=2)
    print()
    print(line)


def _two_threads(strategy: Strategy, players: int) -> str:
    """Return the speed-up of two threads over one."""
    from hanabilab.bench.workloads import speed_up
    from hanabilab.game.rules import preset

    gain = speed_up(strategy, preset(strategy.home_rules, players))
    return f"two threads play {gain:.2f} times as much as one ({strategy.label}, {players} players)"


def _search(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.playouts import bench_search
    from hanabilab.lab.results_table import PLAYERS

    speeds = bench_search(seconds=arguments.seconds)
    if arguments.json:
        print_json(speeds)
        return
    print("play-outs/s of CPU time, rules classic, one thread, best of 3, worlds included")
    print()
    rows = [["blueprint", *(f"{players} players" for players in PLAYERS)]]
    for name, row in speeds.items():
        cells = [f"{row[players]:,.0f}" if players in row else "-" for players in PLAYERS]
        rows.append([name, *cells])
    print_table(rows)


def _solver(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.workloads import bench_solver
    from hanabilab.lab.results_table import PLAYERS

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

    speeds = bench_envs(seconds=arguments.seconds)
    if arguments.json:
        print_json(speeds)
        return
    print("steps/s of CPU time, random legal play (choosing included), rules hle, one thread")
    print(f"BatchEnv: {GAMES} games at once; canonical: the vector of the player to move")
    print()
    _print_speeds("environment", speeds)
    print()
    _print_missing(speeds)


def _dataset(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.workloads import STRATEGY, bench_dataset

    speeds = bench_dataset(seconds=arguments.seconds)
    if arguments.json:
        print_json(speeds)
        return
    print(
        f"turns/s of CPU time, {STRATEGY}, rules classic, one thread, played and written to files"
    )
    print()
    _print_speeds("files, observations", speeds)


def _start(arguments: argparse.Namespace) -> None:
    from hanabilab.bench.start import COLUMNS, bench_start

    found = bench_start(note)
    if arguments.json:
        print_json(found)
        return
    print("CPU seconds of the whole process; the first run has an empty cache of compiled code")
    print()
    rows = [["", *COLUMNS]]
    for name, seconds in found.items():
        cells = ["-" if each is None else f"{each:.2f}" for each in seconds.values()]
        rows.append([name, *cells])
    print_table(rows)


def _print_speeds(title: str, found: Mapping[str, Mapping[int, float] | None]) -> None:
    """Print one row per benchmark, with a column for each number of players."""
    from hanabilab.lab.results_table import PLAYERS

    rows = [[title, *(f"{players} players" for players in PLAYERS)]]
    for name, speeds in found.items():
        if speeds:
            rows.append([name, *(f"{speed:,.0f}" for speed in speeds.values())])
    print_table(rows)


def _print_missing(found: Mapping[str, object]) -> None:
    for name, speeds in found.items():
        if speeds is None:
            print(f"{name}: not installed here, so not measured")


SUBJECTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "engine": _engine,
    "strategies": _strategies,
    "search": _search,
    "solver": _solver,
    "envs": _envs,
    "dataset": _dataset,
    "start": _start,
}


COMMANDS = {
    "bench": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
