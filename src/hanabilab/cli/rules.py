"""hanabilab rules: the presets side by side."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from hanabilab.cli.common import add_json_argument, print_json

SUMMARY = "Show all presets side by side, or one of them."
EXAMPLES = """\
  hanabilab rules
  hanabilab rules cox --players 5
  hanabilab rules --variants
  hanabilab rules --json

Unlimited hint tokens are (players - 1) * (ranks + suits) * (cards + 1) hints, so that every game
ends; unlimited lives never run out.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> None:
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
    from hanabilab.cli.output import print_table
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
