"""hanabilab optimum: the best average score of a small game with hidden cards."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    add_json_argument,
    add_rules_arguments,
    add_save_table_argument,
    chosen_rules,
)
from hanabilab.cli.output import interrupted, print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.game.rules import Rules
    from hanabilab.lab.result import Result

SUMMARY = "Compute the highest mean score that any team can reach with hidden cards, exactly."
EXAMPLES = """\
  hanabilab optimum --players 2 --hand-size 1 --suits 2 --copies 2,1 --hint-tokens 1 --lives 1
  hanabilab optimum --players 3 --hand-size 1 --suits 2 --copies 1,1 --hint-tokens 1 --json
  hanabilab optimum --rules p2-h1-s2-c21-t1-l1 --respond-to conventions
  hanabilab optimum --rules p2-h2-s2-c21-t1-l1 --hidden-turns 2
  hanabilab optimum --rules p3-h1-s2-c22-t1-l1 --checkpoint search.npz
  hanabilab optimum --all --time-limit 10 --save optima.csv

Only small games can be solved; larger ones are rejected with an estimate of their size. --copies
also sets the number of ranks. A name such as p2-h1-s2-c21-t1-l1 lists players, hand size, suits,
copies, hint tokens and lives; all commands take it, so that you can play the strategy: hanabilab
simulate optimal --rules p2-h1-s2-c21-t1-l1. With --all --save or with --checkpoint, re-run the same
command to resume.
"""


SIZES = {
    "hand-size": ("H", "cards in a hand"),
    "suits": ("S", "number of suits"),
    "ranks": ("R", "number of ranks"),
    "copies": ("X1,X2,…", "copies of the cards of rank 1, 2, …"),
    "hint-tokens": ("T", "number of hint tokens"),
    "lives": ("L", "number of lives"),
}
"""Options for the rules that make a game small; each is a shortcut for a --set-rule."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rules_arguments(parser)
    sizes = parser.add_argument_group("sizes")
    for name, (value, words) in SIZES.items():
        sizes.add_argument(f"--{name}", metavar=value, help=f"{words}, default: as the rules say")
    other = parser.add_argument_group("other questions")
    other.add_argument(
        "--respond-to",
        metavar="STRATEGY",
        help="the best response of player 0 to this strategy of the others, instead",
    )
    other.add_argument(
        "--hidden-turns",
        type=int,
        metavar="N",
        help="an upper bound instead: everyone sees all hands after N turns; default: never",
    )
    other.add_argument(
        "--all", action="store_true", help="solve all small games, the smallest first"
    )
    parser.add_argument(
        "--beliefs",
        type=int,
        metavar="N",
        help="give up after considering N beliefs, default 20,000,000",
    )
    parser.add_argument(
        "--memory-limit",
        type=int,
        metavar="MB",
        help="use at most this many megabytes, default 4,000",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="store the search in this file once a minute and on Ctrl-C; re-run to resume",
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        metavar="S",
        help="with --all: seconds of computing for each game, default 10",
    )
    add_save_table_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.errors import TheoryError
    from hanabilab.lab.result import check_table_file
    from hanabilab.solver.optimum.size import BELIEFS, MEMORY_LIMIT, TooManyBeliefsError

    _check_options(arguments)
    _check_unused(arguments)
    check_table_file(arguments.save)
    if arguments.beliefs is None:
        arguments.beliefs = BELIEFS
    if arguments.memory_limit is None:
        arguments.memory_limit = MEMORY_LIMIT
    if arguments.all:
        return _solve_all(arguments)
    try:
        if arguments.hidden_turns is not None:
            return _print_bound(arguments)
        found = _answer(arguments)
    except TooManyBeliefsError as error:
        raise TheoryError(f"{error}; {_remedy(arguments)}") from None
    if arguments.save:
        found.save(arguments.save)
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(found.to_text())
    return 0


QUESTIONS = {"all": "--all", "respond_to": "--respond-to", "hidden_turns": "--hidden-turns"}
"""Questions that replace the optimum of one game."""


def _check_options(arguments: argparse.Namespace) -> None:
    """Raise if options do not go together."""
    from hanabilab.errors import HanabiError

    chosen = [name for option, name in QUESTIONS.items() if getattr(arguments, option)]
    chosen += ["--hidden-turns"] * (arguments.hidden_turns == 0)
    if len(chosen) > 1:
        raise HanabiError(f"{chosen[1]}: not together with {chosen[0]}")
    if chosen and arguments.checkpoint:
        raise HanabiError(f"--checkpoint: not together with {chosen[0]}")
    if arguments.save and arguments.hidden_turns is not None:
        raise HanabiError("--save: a bound is no table; --json prints it for programs")


def _check_unused(arguments: argparse.Namespace) -> None:
    """Raise if an option would have no effect."""
    from hanabilab.errors import HanabiError

    if arguments.all:
        chosen = [name for name in ("players", *SIZES) if _given(arguments, name) is not None]
        chosen += ["rules"] * (arguments.rules != "classic") + ["set-rule"] * bool(
            arguments.set_rule
        )
        if chosen:
            raise HanabiError(
                f"--{chosen[0]}: not together with --all, which solves all small games"
            )
    elif arguments.time_limit is not None:
        raise HanabiError("--time-limit: only with --all; --beliefs limits other searches")
    if arguments.respond_to is not None:
        for name in ("beliefs", "memory-limit"):
            if _given(arguments, name) is not None:
                raise HanabiError(f"--{name}: not together with --respond-to")


def _given(arguments: argparse.Namespace, name: str) -> object:
    return getattr(arguments, name.replace("-", "_"))


def _remedy(arguments: argparse.Namespace) -> str:
    """Return how to continue a search that reached a limit."""
    remedy = "--beliefs and --memory-limit allow more"
    if arguments.checkpoint:
        remedy += f"; {arguments.checkpoint} has what is solved so far"
    return remedy


def _answer(arguments: argparse.Namespace) -> Result:
    """Return the optimum, or the best response to a strategy."""
    if arguments.respond_to is None:
        from hanabilab.lab.optimum import optimum

        return optimum(
            small_rules(arguments),
            beliefs=arguments.beliefs,
            memory_limit=arguments.memory_limit,
            checkpoint=arguments.checkpoint,
        )
    from hanabilab.lab.best_response import best_response
    from hanabilab.strategies.load import load_player

    return best_response(load_player(arguments.respond_to), small_rules(arguments))


def _print_bound(arguments: argparse.Namespace) -> int:
    from hanabilab.lab.optimum import optimum_bound, rules_text

    rules, turns = small_rules(arguments), arguments.hidden_turns
    bound = optimum_bound(
        rules,
        hidden_turns=turns,
        beliefs=arguments.beliefs,
        memory_limit=arguments.memory_limit,
    )
    if arguments.json:
        print_json({"bound": str(bound), "mean": float(bound), "hidden_turns": turns})
    else:
        print(f"optimum at most {bound} = {float(bound):.4f}: {rules_text(rules)}")
    return 0


def _solve_all(arguments: argparse.Namespace) -> int:
    from hanabilab.lab.small_games import TIME_LIMIT, solve_small_games

    found = solve_small_games(
        time_limit=TIME_LIMIT if arguments.time_limit is None else arguments.time_limit,
        beliefs=arguments.beliefs,
        memory_limit=arguments.memory_limit,
        save=arguments.save,
    )
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(found.to_text())
    return interrupted(found.summary()) if found.interrupted else 0


def small_rules(arguments: argparse.Namespace) -> Rules:
    """Return the rules that the options describe."""
    for name in SIZES:
        value = _given(arguments, name)
        if value is not None:
            arguments.set_rule.append(f"{name}={value}")
    if arguments.copies is not None:
        ranks = len(arguments.copies.partition("/")[0].split(","))
        if arguments.ranks is None:
            arguments.set_rule.insert(0, f"ranks={ranks}")
    return chosen_rules(arguments)


COMMANDS = {"optimum": Command(SUMMARY, EXAMPLES, add_arguments, run)}
