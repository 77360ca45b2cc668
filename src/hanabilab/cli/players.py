"""The arguments that say who plays, and the options of strategies."""

from __future__ import annotations

import argparse
import contextlib
import functools
from typing import TYPE_CHECKING, Any, cast

from hanabilab.cli.common import read_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hanabilab.cli.parser import Parser
    from hanabilab.strategies.strategy import Option, Strategy

__all__ = [
    "OWN_PLAYERS",
    "add_program_argument",
    "add_strategies_argument",
    "add_strategy_argument",
    "add_strategy_options",
    "chosen_options",
    "chosen_players",
    "chosen_strategy",
]

OWN_PLAYERS = "FILE.py:NAME or MODULE:NAME is one of your own, exec:COMMAND a program"


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
    cast("Parser", parser).add_options = functools.partial(_add_options, parser, several)


def _add_options(parser: argparse.ArgumentParser, several: str, arguments: Sequence[str]) -> None:
    from hanabilab.strategies import OWN
    from hanabilab.strategies.load import named_in

    group = parser.add_argument_group(
        "options of strategies", several or "also as STRATEGY:option=value,option=value"
    )
    named, trouble = named_in(arguments)
    owners = _owners(named)
    for name, having in _owners(OWN).items():
        owners.setdefault(name, having)
    for name, having in owners.items():
        with contextlib.suppress(argparse.ArgumentError):  # an option of the command itself
            _add_option(group, name, having, bool(several))
    if trouble:
        raise trouble


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
