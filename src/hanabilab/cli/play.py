"""hanabilab play: one game, turn by turn."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import (
    add_deck_arguments,
    add_json_argument,
    add_link_argument,
    add_rules_arguments,
    chosen_deck,
    print_json,
)
from hanabilab.cli.players import (
    add_program_argument,
    add_strategy_argument,
    add_strategy_options,
    chosen_strategy,
)

SUMMARY = "Play one game and print it turn by turn."
EXAMPLES = """\
  hanabilab play random --players 3 --seed 1
  hanabilab play random --players 2 --seed 1 --game 7 --json > game.json
  hanabilab play random --players 2 --rules thesis --rule lives=unlimited
  hanabilab play recommendation --players 4 --explain
  hanabilab play cheat --deck p3v0s17 --link
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_strategy_argument(parser)
    add_rules_arguments(parser)
    add_deck_arguments(parser)
    parser.add_argument(
        "--explain", action="store_true", help="say why each action was chosen, in one sentence"
    )
    add_link_argument(parser)
    add_json_argument(parser)
    add_program_argument(parser)
    add_strategy_options(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import link_of
    from hanabilab.table.play import play

    deck = chosen_deck(arguments)
    strategy = chosen_strategy(arguments)
    game = play(strategy, deck, seed=arguments.seed, game=arguments.game)
    why = None
    if arguments.explain:
        from hanabilab.table.players import reasons

        why = reasons(game, strategy, seed=arguments.seed, game=arguments.game)
    if arguments.json:
        print_json({**game.to_dict(why), **({"link": link_of(game)} if arguments.link else {})})
        return
    if arguments.link:
        print(link_of(game))
        return
    from hanabilab.cli.show import show_game

    names = ", ".join(dict.fromkeys(arguments.strategy))
    where = "given deck" if arguments.deck else f"seed {arguments.seed}, game {arguments.game}"
    show_game(game, f"{names}: {where}", why)
