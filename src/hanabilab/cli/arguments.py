"""Arguments shared by several commands, and the rules, decks, strategies and files they name."""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from typing import TYPE_CHECKING, Any

from hanabilab.errors import FormatError, RulesError, StrategyError

if TYPE_CHECKING:
    from hanabilab.game.deck import Deck
    from hanabilab.game.rules import Rules
    from hanabilab.lab.sweep import Values
    from hanabilab.strategies.strategy import Strategy

__all__ = [
    "OWN_PLAYERS",
    "add_daily_argument",
    "add_deck_arguments",
    "add_json_argument",
    "add_link_argument",
    "add_program_argument",
    "add_repeats_argument",
    "add_rules_arguments",
    "add_run_arguments",
    "add_save_exact_argument",
    "add_save_table_argument",
    "add_strategies_argument",
    "add_strategy_argument",
    "add_time_limit_argument",
    "add_vary_argument",
    "add_workers_arguments",
    "apply_daily",
    "chosen_deck",
    "chosen_players",
    "chosen_rules",
    "chosen_settings",
    "chosen_strategy",
    "chosen_vary",
    "chosen_workers",
]

STRATEGY_SYNTAX = "NAME or NAME:option=value,option=value (see `hanabilab strategies NAME`)"
OWN_PLAYERS = "your own is FILE.py:NAME or MODULE:NAME, a program exec:COMMAND"


AS_THE_RULES = "as the rules say"
TODAY = "today"


def add_rules_arguments(parser: argparse.ArgumentParser, *, ranges: str = "") -> None:
    """Add `--players`, `--rules` and `--set-rule`; with `ranges` as default, players stay text."""
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--players",
        type=str if ranges else int,
        default=None if ranges in ("", AS_THE_RULES) else ranges,
        metavar="P",
        help="number of players"
        + (f", 2,4 or 2-5; default {ranges}" if ranges else f", default: {AS_THE_RULES}"),
    )
    group.add_argument(
        "--rules",
        default="classic",
        metavar="PRESET",
        help="named rules (`hanabilab rules` lists them), default classic",
    )
    group.add_argument(
        "--set-rule",
        action="append",
        default=[],
        metavar="RULE=VALUE",
        help="change a rule: lives=4, hand-size=6 (`hanabilab rules PRESET` lists them)",
    )


def chosen_rules(arguments: argparse.Namespace, deck: object = None) -> Rules:
    """Return the rules that the options describe; a hanab.live seed as `deck` also counts."""
    from hanabilab.game.deck import choose_rules

    changes = dict(_read_rule(text) for text in arguments.set_rule)
    return choose_rules(arguments.rules, arguments.players, changes, deck=deck)


RULE_WORDS = {
    **dict.fromkeys(("yes", "true", "on"), True),
    **dict.fromkeys(("no", "false", "off"), False),
    "unlimited": None,
}
"""Words that are values of rules."""


def _read_rule(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise RulesError(f"--set-rule {text}: expected RULE=VALUE")
    name = check_rule_name(name.strip())
    from hanabilab.game.rules import DEFAULTS

    if value.lower() in RULE_WORDS:
        return name, RULE_WORDS[value.lower()]
    try:
        if name == "copies":
            return name, [[int(count) for count in row.split(",")] for row in value.split("/")]
        if name in ("touching", "rank_touching"):
            return name, value.split(",")
        if isinstance(DEFAULTS[name], str):
            return name, value
        return name, int(value)
    except ValueError:
        raise RulesError(f"{name}: {value!r:.80} is not a value of this rule") from None


def check_rule_name(word: str) -> str:
    """Return the field of the rules with this name, or raise."""
    from hanabilab.checks import check_choice
    from hanabilab.game.rules import Rules

    words = [name.replace("_", "-") for name in Rules.about]
    return check_choice("rule", word.replace("_", "-"), words, error=RulesError).replace("-", "_")


def add_deck_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`, `--game`, `--daily`, `--deck` and `--any-deck`."""
    group = parser.add_argument_group("deck")
    group.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    group.add_argument("--game", type=int, default=0, metavar="G", help="number of the game")
    add_daily_argument(group, "deck")
    group.add_argument(
        "--deck",
        metavar="CARDS",
        help="the deck itself, first card first: 'r1 y5 g3 …'; or a hanab.live seed: p2v0s1; "
        "default: shuffled by --seed and --game",
    )
    group.add_argument(
        "--any-deck", action="store_true", help="let --deck have another composition"
    )


def add_daily_argument(group: argparse._ActionsContainer, what: str) -> None:
    """Add `--daily`, with or without a date."""
    group.add_argument(
        "--daily",
        nargs="?",
        const=TODAY,
        metavar="DATE",
        help=f"the {what} of the day, or of DATE (2026-11-17): the date in UTC is the seed",
    )


def apply_daily(arguments: argparse.Namespace, *, puzzle: bool = False) -> None:
    """Set the seed and, unless it is given, the number of players for `--daily`."""
    if arguments.daily is None:
        return
    from hanabilab.lab.daily import PLAYERS, PUZZLE_PLAYERS, daily_seed

    for name in ("seed", "game", "first", "deck"):
        if getattr(arguments, name, None):
            raise FormatError(f"--daily: not together with --{name}")
    arguments.seed = daily_seed(None if arguments.daily == TODAY else arguments.daily)
    if arguments.players is None:
        arguments.players = PUZZLE_PLAYERS if puzzle else PLAYERS


def chosen_deck(arguments: argparse.Namespace) -> Deck:
    """Return the deck that the options describe."""
    from hanabilab.formats.deck_text import read_deck
    from hanabilab.game.deck import Deck, check_seed

    apply_daily(arguments)
    rules = chosen_rules(arguments, arguments.deck)
    check_seed("--seed", arguments.seed)
    check_seed("--game", arguments.game)
    if arguments.deck is not None:
        return read_deck(arguments.deck, rules, any_deck=arguments.any_deck)
    return Deck.shuffled(rules, seed=arguments.seed, game=arguments.game)


def add_run_arguments(parser: argparse.ArgumentParser, games: str, *, plot: bool = True) -> None:
    """Add `--games`, `--seed`, the strategies and, for a result that can be drawn, `--plot`."""
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
        help="threads to play with, default: all cores; never changes a result",
    )
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        help="play on a Dask cluster: tcp://HOST:PORT, a scheduler file or local:N, default: "
        "$HANABILAB_CLUSTER",
    )


def chosen_workers(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the threads or the cluster given by the options; print the cluster's dashboard."""
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
        "--save", metavar="FILE", help="write the table: .csv, .jsonl, .json, .parquet, .md or .tex"
    )


def add_save_exact_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--save` for a table of exact results."""
    parser.add_argument(
        "--save", metavar="FILE", help="write the table: .csv, .json (exact), .tex or .md"
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


def add_strategy_argument(parser: argparse.ArgumentParser, *, nargs: str = "+") -> None:
    """Add `STRATEGY …`: one for all seats, or one for each."""
    parser.add_argument(
        "strategy",
        nargs=nargs,
        metavar="STRATEGY",
        help=f"{STRATEGY_SYNTAX}, one for all seats or one for each; {OWN_PLAYERS}",
    )


def add_strategies_argument(parser: argparse.ArgumentParser) -> None:
    """Add `STRATEGY STRATEGY …`: strategies to compare."""
    parser.add_argument(
        "strategies",
        nargs="+",
        metavar="STRATEGY",
        help=f"two or more: {STRATEGY_SYNTAX}; {OWN_PLAYERS}",
    )


def add_program_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--time-limit` for external programs."""
    parser.add_argument(
        "--time-limit",
        type=read_seconds,
        metavar="S",
        help="seconds for each action of a program, default 60",
    )


def chosen_players(texts: list[str], arguments: argparse.Namespace) -> list[Strategy]:
    """Return the strategies with these names; `--time-limit` applies to programs among them."""
    from hanabilab.strategies.load import load_player

    _check_no_options(texts)
    found = [load_player(text) for text in texts]
    if arguments.time_limit is None:
        return found
    limit = {"time_limit": arguments.time_limit}
    return [each.with_options(**limit) if each.external else each for each in found]


def _check_no_options(texts: list[str]) -> None:
    """Raise if a strategy's option is given as a separate word: `rule-based hint-rule=2`."""
    for before, text in itertools.pairwise(texts):
        if re.fullmatch(r"[\w-]+=[^=]*", text):
            start = before + ("," if "=" in before else ":")
            raise StrategyError(f"{text}: an option is written with its strategy: {start}{text}")


def chosen_strategy(arguments: argparse.Namespace) -> Strategy | list[Strategy]:
    """Return the strategy, or one strategy per seat."""
    found = chosen_players(arguments.strategy, arguments)
    return found[0] if len(found) == 1 else found


def add_vary_argument(parser: argparse.ArgumentParser, values: str, default: str = "") -> None:
    """Add `--vary` and `--set`, for commands that search for good options of a strategy."""
    group = parser.add_argument_group("options of the strategy")
    group.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="OPTION=VALUES",
        help=f"vary an option: {values}{default}; may be repeated",
    )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="set an option, as STRATEGY:option=value does; may be repeated",
    )


def chosen_vary(arguments: argparse.Namespace) -> dict[str, Values]:
    """Return the options to vary with their values, as text."""
    found: dict[str, Values] = {}
    for name, values in (_read_setting("--vary", text, "VALUES") for text in arguments.vary):
        if name in found:
            raise StrategyError(f"--vary {name} is given twice; list all its values in one")
        found[name] = values
    return found


def chosen_settings(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the options that `--set` sets, as text."""
    return dict(_read_setting("--set", text, "VALUE") for text in arguments.set)


def _read_setting(flag: str, text: str, value: str) -> tuple[str, str]:
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise StrategyError(f"{flag} {text}: expected OPTION={value}")
    return name.strip(), values.strip()
