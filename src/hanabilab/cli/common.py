"""What several commands share: arguments, what they stand for, and JSON."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from hanabilab.cli.streams import can_show
from hanabilab.errors import RulesError

if TYPE_CHECKING:
    from hanabilab.game.deck import Deck
    from hanabilab.game.rules import Rules

__all__ = [
    "add_deck_arguments",
    "add_json_argument",
    "add_link_argument",
    "add_repeats_argument",
    "add_rules_arguments",
    "add_run_arguments",
    "add_save_table_argument",
    "add_time_limit_argument",
    "add_workers_arguments",
    "chosen_deck",
    "chosen_rules",
    "chosen_workers",
    "print_json",
    "printable_json",
    "read_seconds",
]


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--players`, `--rules` and `--rule`."""
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--players", type=int, metavar="P", help="number of players, default: as the rules say"
    )
    group.add_argument(
        "--rules",
        default="classic",
        metavar="PRESET",
        help="named rules, default classic; `hanabilab rules` shows all",
    )
    group.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one of them: hand-size=4, hint-tokens=unlimited, copies=3,2,2,2,1 …",
    )


def chosen_rules(arguments: argparse.Namespace, deck: object = None) -> Rules:
    """Return the rules that the options describe; a hanab.live seed as `deck` also counts."""
    from hanabilab.game.choose import choose_rules

    changes = dict(_read_rule(text) for text in arguments.rule)
    return choose_rules(arguments.rules, arguments.players, changes, deck=deck)


def _read_rule(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise RulesError(f"--rule {text}: expected NAME=VALUE")
    name = name.strip().replace("-", "_")
    words = {"true": True, "yes": True, "false": False, "no": False, "unlimited": None}
    if value.lower() in words:
        return name, words[value.lower()]
    try:
        if name == "copies":
            return name, [[int(count) for count in row.split(",")] for row in value.split("/")]
        if name in ("touching", "rank_touching"):
            return name, value.split(",")
        if name in ("letters", "colours", "suit_hints", "rank_hints"):
            return name, value
        return name, int(value)
    except ValueError:
        raise RulesError(f"{name}: {value!r:.80} is not a value of this rule") from None


def add_deck_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`, `--game`, `--deck` and `--any-deck`."""
    group = parser.add_argument_group("deck")
    group.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    group.add_argument("--game", type=int, default=0, metavar="G", help="number of the game")
    group.add_argument(
        "--deck",
        metavar="CARDS",
        help="the deck itself, first card first: 'r1 y5 g3 …'; or a hanab.live seed: p2v0s1; "
        "default: shuffled by --seed and --game",
    )
    group.add_argument(
        "--any-deck", action="store_true", help="let --deck have another composition"
    )


def chosen_deck(arguments: argparse.Namespace) -> Deck:
    """Return the deck that the options describe."""
    from hanabilab.formats.deck_text import read_deck
    from hanabilab.game.deck import Deck, check_seed

    rules = chosen_rules(arguments, arguments.deck)
    check_seed("--seed", arguments.seed)
    check_seed("--game", arguments.game)
    if arguments.deck is not None:
        return read_deck(arguments.deck, rules, any_deck=arguments.any_deck)
    return Deck.shuffled(rules, seed=arguments.seed, game=arguments.game)


def add_run_arguments(parser: argparse.ArgumentParser, games: str, *, plot: bool = True) -> None:
    """Add `--games`, `--seed`, who plays and, for a result that can be drawn, `--plot`."""
    group = parser.add_argument_group("run")
    group.add_argument("--games", type=int, metavar="N", help=games)
    group.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    add_workers_arguments(group)
    if plot:
        group.add_argument("--plot", metavar="FILE", help="draw the result: .png, .svg or .pdf")


def add_workers_arguments(parser: argparse._ActionsContainer) -> None:
    """Add `--threads` and `--cluster`."""
    parser.add_argument(
        "--threads",
        type=int,
        metavar="T",
        help="default: all cores; processes for players in plain Python; never changes a result",
    )
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        help="play on a Dask cluster: tcp://HOST:PORT, a scheduler file, or local:N for N "
        "processes of this machine; default: the variable HANABILAB_CLUSTER",
    )


def chosen_workers(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the threads or the cluster that the options name; print a cluster's dashboard."""
    from hanabilab.lab.run import Parallelism

    cluster = Parallelism.of(arguments.threads, cluster=arguments.cluster).cluster
    if cluster is not None:
        from hanabilab.lab.workers.connection import connect

        print(f"dashboard: {connect(cluster).dashboard}", file=sys.stderr, flush=True)
    return {"threads": arguments.threads, "cluster": cluster}


def add_repeats_argument(parser: argparse.ArgumentParser, note: str = "") -> None:
    """Add `--repeats`."""
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="R", help=f"play every deck R times{note}"
    )


def add_save_table_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--save` for a small table."""
    parser.add_argument(
        "--save", metavar="FILE", help="write the table: .csv, .jsonl, .parquet, .md or .tex"
    )


def add_time_limit_argument(parser: argparse.ArgumentParser, unit: str) -> None:
    """Add `--time-limit`, in seconds per deck or turn."""
    parser.add_argument(
        "--time-limit",
        type=read_seconds,
        default=60.0,
        metavar="S",
        help=f"seconds per {unit}, default 60",
    )


def read_seconds(text: str) -> float:
    """Return a number of seconds, or raise if it is not above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text!r:.80} is not a number above 0")
    return seconds


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def add_link_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--link`."""
    parser.add_argument(
        "--link", action="store_true", help="print a link that shows the game at hanab.live"
    )


def print_json(data: object) -> None:
    """Print an object on one line."""
    print(printable_json(json.dumps(data, ensure_ascii=False)))


def printable_json(text: str) -> str:
    """Return JSON in which characters that cannot be printed are escaped."""
    return text if text.isprintable() and can_show(text) else json.dumps(json.loads(text))
