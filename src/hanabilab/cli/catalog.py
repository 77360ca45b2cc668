"""hanabilab rules, variants, deck, strategies: list what there is to play with."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from hanabilab.cli.arguments import OWN_PLAYERS, add_json_argument
from hanabilab.cli.output import note, print_json, print_table
from hanabilab.cli.parser import Command

RULES_SUMMARY = "Show all presets side by side, or one of them."
RULES_EXAMPLES = """\
  hanabilab rules
  hanabilab rules cox --players 5
  hanabilab rules --variants
  hanabilab rules --json

Unlimited hint tokens are (players - 1) * (ranks + suits) * (cards + 1) hints, so that every game
ends; unlimited lives never run out.
"""


def add_preset_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("preset", nargs="?", metavar="PRESET", help="only these rules")
    parser.add_argument(
        "--players",
        type=int,
        metavar="P",
        help="for this number of players, default: as the rules say",
    )
    parser.add_argument(
        "--variants", action="store_true", help="show the supported variants of hanab.live"
    )
    add_json_argument(parser)


def run_rules(arguments: argparse.Namespace) -> None:
    from hanabilab.game.rules import PRESETS, Rules, named_preset, preset

    if arguments.variants:
        _print_variants(arguments.json)
        return
    presets = dict(PRESETS)
    names = list(PRESETS)
    if arguments.preset:
        arguments.preset, found = named_preset(arguments.preset)
        names, presets = [arguments.preset], {arguments.preset: found}
    chosen = {}
    for name in names:
        rules = preset(name, arguments.players)
        chosen[name] = {field: getattr(rules, field) for field in Rules.about}
    if arguments.json:
        print_json(chosen[arguments.preset] if arguments.preset else chosen)
        return
    if arguments.preset:
        rows = [[words, _cell(chosen[arguments.preset][f])] for f, words in Rules.about.items()]
    else:
        rows = [[*COLUMNS]]
        rows += [[name, *_row(chosen[name], presets[name].hands)] for name in names]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    print()
    for name in names:
        print(f"{name}: {presets[name].source}")


def _print_variants(as_json: bool) -> None:
    from hanabilab.game.variants import all_variants

    columns = ("variant", "id", "suits", "cards", "last suit")
    rows = [
        (v.name, v.id, " ".join(v.letters), sum(map(sum, v.rules["copies"])), v.suits[-1].kind)
        for v in all_variants()
        if v.supported
    ]
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table([columns, *(tuple(map(str, row)) for row in rows)])


COLUMNS = (
    "preset",
    "hand sizes",
    "suits",
    "cards",
    "tokens",
    "lives",
    "empty hints",
    "token for suit",
    "discard at full",
    "keep score",
    "open",
)


def _row(rules: Mapping[str, Any], hands: Mapping[int, int]) -> list[str]:
    on_last_turn = rules["keep_on_last_turn"] and not rules["keep_score"]
    return [
        " ".join(map(str, hands.values())),
        str(rules["suits"]),
        str(sum(map(sum, rules["copies"]))),
        _cell(rules["hint_tokens"]),
        _cell(rules["lives"]),
        *(_cell(rules[switch]) for switch in ("empty_hints", "token_for_suit", "discard_at_full")),
        "last turn" if on_last_turn else _cell(rules["keep_score"]),
        _cell(rules["open_game"]),
    ]


def _cell(value: object) -> str:
    from hanabilab.formats.describe import describe_rule

    if isinstance(value, tuple) and isinstance(value[0], str):
        return " ".join(dict.fromkeys(value)) if len(set(value)) == 1 else " ".join(value)
    if isinstance(value, tuple):
        return " / ".join(dict.fromkeys(" ".join(map(str, row)) for row in value))
    return describe_rule(value)


VARIANTS_SUMMARY = "List or search the variants of hanab.live, and say which can be played here."
VARIANTS_EXAMPLES = """\
  hanabilab variants
  hanabilab variants rainbow-ones
  hanabilab variants "clue starved" --json
  hanabilab variants 1353

TEXT is a part of the name, in capitals or not, or the number of a variant. The name is also the
name of a preset: hanabilab play cheat --rules "Prism (5 Suits)".
"""


def add_variants_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="*", metavar="TEXT", help="only variants called like this")
    add_json_argument(parser)


def run_variants(arguments: argparse.Namespace) -> None:
    from hanabilab.game.variants import all_variants, find_variants

    text = " ".join(arguments.text)
    found = find_variants(text) if text.strip() else all_variants()
    if arguments.json:
        print_json(
            [
                {
                    "id": variant.id,
                    "name": variant.name,
                    "suits": variant.suit_names,
                    "supported": variant.supported,
                    "missing": variant.missing,
                }
                for variant in found
            ]
        )
        return
    rows = [("variant", "suits", "supported", "id")]
    for variant in found:
        support = f"no: {variant.missing}" if variant.missing else "yes"
        rows.append((variant.name, ", ".join(variant.suit_names), support, str(variant.id)))
    print_table(rows, left=3)
    supported = sum(variant.supported for variant in found)
    print(f"{supported:,} of {len(found):,} can be played")


DECK_SUMMARY = "Print the deck of a hanab.live seed."
DECK_EXAMPLES = """\
  hanabilab deck p2v0s1
  hanabilab deck p4v3s17 --json
  hanabilab play cheat --deck p2v0s1

A seed is p<players>v<variant>s<any text>. Variant 0 has the suits r y g b p; `hanabilab rules
--variants` lists all supported variants.
"""


def add_deck_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("seed", metavar="SEED", help="such as p2v0s1")
    add_json_argument(parser)


def run_deck(arguments: argparse.Namespace) -> None:
    from hanabilab.game.deck import Deck

    deck = Deck.from_seed(arguments.seed)
    if arguments.json:
        print_json({"seed": arguments.seed, "players": deck.rules.players, "deck": str(deck)})
    else:
        print(deck)


STRATEGIES_SUMMARY = "List the strategies: what they do, where they come from, and their options."
STRATEGIES_EXAMPLES = """\
  hanabilab strategies
  hanabilab strategies rule-based
  hanabilab strategies mine.py:careful
  hanabilab strategies --json

Installed packages offer strategies too (entry points of the group hanabilab.strategies), and so do
folders: with HANABILAB_STRATEGIES=FOLDER, FOLDER/careful.py offers its careful.
"""


def add_strategies_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategies", nargs="*", metavar="STRATEGY", help=f"only these; {OWN_PLAYERS}"
    )
    add_json_argument(parser)


def run_strategies(arguments: argparse.Namespace) -> None:
    from hanabilab.strategies import known_strategies
    from hanabilab.strategies.load import load_player
    from hanabilab.strategies.strategy import describe_strategy

    found = [load_player(name) for name in arguments.strategies]
    if not found:
        known, problems = known_strategies()
        found = list(known.values())
        for problem in problems:
            note(f"hanabilab strategies: {problem}")
    about = [describe_strategy(strategy) for strategy in found]
    if arguments.json:
        print_json(about)
        return
    for each in about:
        players = ", ".join(map(str, each["players"])) or "see its documentation"
        print(f"{each['name']}: {each['summary']}")
        print(
            f"    from: {each['source'] or 'hanabilab'}; players under {each['rules']}: {players}"
        )
        for option in each["options"]:
            print(f"    --{option['name']}: {option['help']}; default {option['default']}")


COMMANDS = {
    "rules": Command(RULES_SUMMARY, RULES_EXAMPLES, add_preset_list_arguments, run_rules),
    "variants": Command(VARIANTS_SUMMARY, VARIANTS_EXAMPLES, add_variants_arguments, run_variants),
    "deck": Command(DECK_SUMMARY, DECK_EXAMPLES, add_deck_arguments, run_deck),
    "strategies": Command(
        STRATEGIES_SUMMARY, STRATEGIES_EXAMPLES, add_strategies_arguments, run_strategies
    ),
}
