"""hanabilab variants: those of hanab.live, and which of them can be played."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import add_json_argument, print_json

SUMMARY = "List or search the variants of hanab.live, and say which can be played here."
EXAMPLES = """\
  hanabilab variants
  hanabilab variants rainbow-ones
  hanabilab variants "clue starved" --json
  hanabilab variants 1353

TEXT is a part of the name, in capitals or not, or the number of a variant. The name is also the
name of a preset: hanabilab play cheat --rules "Prism (5 Suits)".
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="*", metavar="TEXT", help="only variants called like this")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import print_table
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
