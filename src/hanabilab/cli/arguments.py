"""Arguments that several commands share, and the rules, decks, strategies and files they name."""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from hanabilab.errors import FormatError, HanabiError, RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hanabilab.cli.parser import CommandParser
    from hanabilab.formats.game_files import GameRecord
    from hanabilab.game.deck import Deck
    from hanabilab.game.rules import Rules
    from hanabilab.strategies.strategy import Option, Strategy

__all__ = [
    "OWN_PLAYERS",
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
    "add_strategy_options",
    "add_time_limit_argument",
    "add_workers_arguments",
    "argument_or_file",
    "chosen_deck",
    "chosen_options",
    "chosen_players",
    "chosen_rules",
    "chosen_strategy",
    "chosen_workers",
    "read_records",
]

OWN_PLAYERS = "FILE.py:NAME or MODULE:NAME is one of your own, exec:COMMAND a program"
MAX_INPUT = 1 << 28
"""Characters of a file that are read; some devices never end."""
CHUNK = 1 << 20


def add_rules_arguments(parser: argparse.ArgumentParser, *, ranges: bool = False) -> None:
    """Add `--players`, `--rules` and `--rule`; with `ranges` the players stay text."""
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--players",
        type=str if ranges else int,
        metavar="P",
        help=f"number of players{', or a range' * ranges}, default: as the rules say",
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
    from hanabilab.game.deck import choose_rules

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


def add_strategy_argument(parser: argparse.ArgumentParser) -> None:
    """Add `STRATEGY …`: one for all seats, or one for each."""
    parser.add_argument(
        "strategy",
        nargs="+",
        metavar="STRATEGY",
        help=f"who plays: one for all seats, or one for each; {OWN_PLAYERS}",
    )


def add_strategies_argument(parser: argparse.ArgumentParser) -> None:
    """Add `STRATEGY STRATEGY …`: strategies to set against each other."""
    parser.add_argument(
        "strategies",
        nargs="+",
        metavar="STRATEGY",
        help=f"two or more, with options as STRATEGY:option=value,option=value; {OWN_PLAYERS}",
    )


def add_program_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--time-limit` for programs that play."""
    parser.add_argument(
        "--time-limit",
        type=read_seconds,
        metavar="S",
        help="seconds for each action of an exec:COMMAND player, default 60",
    )


def chosen_players(texts: list[str], arguments: argparse.Namespace) -> list[Strategy]:
    """Return the strategies that these texts name; `--time-limit` holds for programs among them."""
    from hanabilab.strategies.load import load_player

    found = [load_player(text) for text in texts]
    if arguments.time_limit is None:
        return found
    limit = {"time_limit": arguments.time_limit}
    return [each.with_options(**limit) if each.external else each for each in found]


def chosen_strategy(arguments: argparse.Namespace) -> Strategy | list[Strategy]:
    """Return the strategy with its options, or several strategies, one for each seat."""
    from hanabilab.errors import StrategyError

    found = chosen_players(arguments.strategy, arguments)
    options = chosen_options(arguments)
    if len(found) == 1:
        return found[0].with_options(**options)
    if options:
        flag = next(iter(options)).replace("_", "-")
        raise StrategyError(
            f"--{flag}: with several strategies write options as STRATEGY:{flag}=VALUE"
        )
    return found


def add_strategy_options(parser: argparse.ArgumentParser, *, several: str = "") -> None:
    """Add the options of all strategies; each takes several values if `several` says how.

    Those of a user's own strategy are added once the arguments say which one plays.
    """
    cast("CommandParser", parser).dynamic_options = functools.partial(_add_options, parser, several)


def _add_options(parser: argparse.ArgumentParser, several: str, arguments: Sequence[str]) -> None:
    from hanabilab.strategies import OWN
    from hanabilab.strategies.load import named_in

    group = parser.add_argument_group(
        "options of strategies", several or "also as STRATEGY:option=value,option=value"
    )
    named, deferred_error = named_in(arguments)
    owners = _owners(named)
    for name, having in _owners(OWN).items():
        owners.setdefault(name, having)
    for name, having in owners.items():
        with contextlib.suppress(argparse.ArgumentError):  # an option of the command itself
            _add_option(group, name, having, bool(several))
    if deferred_error:
        raise deferred_error


def _owners(strategies: Iterable[Strategy]) -> dict[str, list[tuple[str, Option]]]:
    """Return for each option the strategies that have it."""
    owners: dict[str, list[tuple[str, Option]]] = {}
    for strategy in strategies:
        for name, option in strategy.options.items():
            owners.setdefault(name, []).append((strategy.name, option))
    return owners


def _add_option(
    group: argparse._ArgumentGroup, name: str, having: list[tuple[str, Option]], several: bool
) -> None:
    flag, option = name.replace("_", "-"), having[0][1]
    names = ", ".join(strategy for strategy, _ in having)
    about = f"{names}: {option.help}".replace("%", "%%")
    shared: dict[str, Any] = {"dest": f"option_{name}", "default": None}
    if not all(isinstance(other.default, bool) for _, other in having):
        metavar = _values(option)
        group.add_argument(
            f"--{flag}",
            metavar="VALUES" if several and not option.choices else metavar,
            help=f"{about}; {metavar if several else ''}{', ' * several}default {option.default}",
            **shared,
        )
        return
    if several:
        group.add_argument(
            f"--{flag}", nargs="?", const="true", metavar="true,false", help=about, **shared
        )
    else:
        group.add_argument(f"--{flag}", action="store_const", const="true", help=about, **shared)
    if option.opposite:
        group.add_argument(
            f"--{option.opposite}",
            action="store_const",
            const="false",
            help=f"{names}: the opposite of --{flag}",
            **shared,
        )


def _values(option: Option) -> str:
    """Return what can be given for an option."""
    if option.choices:
        return "|".join(option.choices)
    if isinstance(option.default, str):
        return "TEXT"
    return f"{option.least}..{option.most}"


def chosen_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the strategy options that were given, as text."""
    return {
        name.removeprefix("option_"): value
        for name, value in vars(arguments).items()
        if name.startswith("option_") and value is not None
    }


def read_records(
    name: str, *, rules: str | None = None, any_deck: bool = False
) -> Iterator[GameRecord]:
    """Yield the games of a file, of standard input, or of a hanab.live link or seed."""
    from hanabilab.formats.game_files import is_game_text, read_games

    text = argument_or_file(name, given=is_game_text(name))
    empty = True
    for record in read_games(text, rules=rules, any_deck=any_deck):
        empty = False
        yield record
    if empty:
        raise FormatError(f"{name}: no game found")


def argument_or_file(name: str, *, given: bool) -> str:
    """Return the argument itself if `given` and not the name of a file, else the file's text."""
    with contextlib.suppress(OSError):  # a link may be longer than the name of any file
        given = given and not Path(name).is_file()
    return name if given else _read_input(name)


def _read_input(name: str) -> str:
    """Return the text of a file, without a byte order mark; `-` is standard input."""
    try:
        if name == "-":
            text = _read_text(sys.stdin)
        else:
            with Path(name).open(encoding="utf-8") as file:
                text = _read_text(file)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name}: not a text file ({error.reason} at byte {error.start})"
        ) from None
    except (OSError, ValueError) as error:
        raise HanabiError(f"{name}: {getattr(error, 'strerror', error)}") from None
    if len(text) > MAX_INPUT:
        raise FormatError(f"{name}: more than {MAX_INPUT:,} characters")
    return text.removeprefix("\ufeff")


def _read_text(stream: TextIO) -> str:
    """Read to the end or to the limit; in chunks, since `read` allocates its argument."""
    chunks, left = [], MAX_INPUT + 1
    while left > 0 and (chunk := stream.read(min(left, CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return "".join(chunks)
