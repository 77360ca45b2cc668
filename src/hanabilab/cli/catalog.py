"""hanabilab rules, variants, deck, strategies: list what is available."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hanabilab.cli.arguments import OWN_PLAYERS, add_json_argument
from hanabilab.cli.output import note, print_json, print_table
from hanabilab.cli.parser import Command, format_columns

if TYPE_CHECKING:
    from hanabilab.game.variants import Variant
    from hanabilab.strategies.strategy import Option, OptionValue, Strategy

RULES_SUMMARY = "Show all presets side by side, or the rules of one of them."
RULES_EXAMPLES = """\
  hanabilab rules
  hanabilab rules cox --players 5
  hanabilab rules --variants
  hanabilab rules --json
  hanabilab play cheat --rules cox --set-rule lives=4 --set-rule hand-size=5

--set-rule changes a rule of a preset: a number, yes or no, unlimited, or as many numbers or words
as there are ranks or suits, with commas; copies of suits that differ are 3,2,2,2,1/1,1,1,1,1.

Unlimited hint tokens are (players - 1) * (ranks + suits) * (cards + 1) hints, so that every game
ends; unlimited lives never run out.
"""


def add_preset_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("preset", nargs="?", metavar="PRESET", help="only these rules")
    parser.add_argument(
        "--players",
        type=int,
        metavar="P",
        help="for this number of players, default: as the rules say",
    )
    parser.add_argument(
        "--variants", action="store_true", help="list the supported variants of hanab.live"
    )
    add_json_argument(parser)


def run_rules(arguments: argparse.Namespace) -> None:
    """Run the command."""
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
        values = chosen[arguments.preset]
        rows = [["rule", "value", "meaning"]]
        rows += [[f.replace("_", "-"), _setting(values[f]), Rules.about[f]] for f in Rules.about]
    else:
        rows = [[*COLUMNS]]
        rows += [[name, *_row(chosen[name], presets[name].hands)] for name in names]
    _print_columns(rows)
    print()
    for name in names:
        print(f"{name}: {presets[name].source}")


def _print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of left-aligned cells, the last wrapped to the width of the terminal."""
    import shutil
    import textwrap

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    indent = sum(widths) + 2 * len(widths)
    room = max(30, shutil.get_terminal_size().columns - 1 - indent)
    for *cells, last in rows:
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=True))
        lines = textwrap.wrap(last, room) or [""]
        print(f"\n{' ' * indent}".join([(start + lines[0]).rstrip(), *lines[1:]]))


def _setting(value: object) -> str:
    """Return the value of a rule in the syntax of `--set-rule`; identical suits appear once."""
    from hanabilab.formats.describe import describe_rule

    if not isinstance(value, tuple):
        return describe_rule(value)
    rows = dict.fromkeys(_setting(row) for row in value) if _is_nested(value) else map(str, value)
    return ("/" if _is_nested(value) else ",").join(rows)


def _is_nested(value: tuple[object, ...]) -> bool:
    return bool(value) and isinstance(value[0], tuple)


def _print_variants(as_json: bool) -> None:
    from hanabilab.game.variants import all_variants

    columns = ("variant", "id", "suits", "cards", "last suit")
    rows = [
        (v.name, v.id, " ".join(v.letters), sum(map(sum, v.rules["copies"])), v.suits[-1].kind)
        for v in all_variants()
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


VARIANTS_SUMMARY = "List or search the variants of hanab.live, and which of them can be played."
VARIANTS_EXAMPLES = """\
  hanabilab variants
  hanabilab variants rainbow-ones
  hanabilab variants "clue starved" --json
  hanabilab variants 1353 --strategies

TEXT is a part of the name, in upper or lower case, or the number of a variant. The name is also the
name of a preset: hanabilab play cheat --rules "Prism (5 Suits)".
"""


def add_variants_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "text", nargs="*", metavar="TEXT", help="only variants whose name contains this text"
    )
    parser.add_argument(
        "--strategies",
        action="store_true",
        help="list the strategies that play them, for how many players, and why others do not",
    )
    add_json_argument(parser)


def run_variants(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.game.variants import all_variants, find_variants

    text = " ".join(arguments.text)
    found = find_variants(text) if text.strip() else all_variants()
    if arguments.strategies:
        found = [v for v in found if v.name.lower() == text.strip().lower()] or found
    if arguments.json:
        print_json([_variant_fields(variant, arguments.strategies) for variant in found])
    elif arguments.strategies:
        _print_players(found)
    else:
        _print_found(found)


def _variant_fields(variant: Variant, with_strategies: bool) -> dict[str, object]:
    """Return a variant as plain data for JSON."""
    from hanabilab.strategies import who_plays

    fields: dict[str, object] = {
        "id": variant.id,
        "name": variant.name,
        "suits": variant.suit_names,
        "supported": True,
        "missing": None,
    }
    return {**fields, "strategies": who_plays(variant.name)} if with_strategies else fields


def _print_players(found: Sequence[Variant]) -> None:
    """Print which strategies support some variants; for a single one, also why others do not."""
    from hanabilab.strategies import who_plays

    if len(found) == 1:
        rows = [("strategy", "players", "why not")]
        for name, answer in who_plays(found[0].name).items():
            words = _player_range(answer) if isinstance(answer, list) else "-"
            rows.append((name, words, "" if isinstance(answer, list) else answer))
        print_table(rows, left=3)
        return
    rows = [("variant", "strategies", "names")]
    for variant in found:
        answers = who_plays(variant.name)
        names = [name for name, answer in answers.items() if isinstance(answer, list)]
        rows.append((variant.name, f"{len(names)} of {len(answers)}", " ".join(names)))
    print_table(rows, left=3)


def _player_range(players: Sequence[int]) -> str:
    """Return numbers of players in short form: 2-6, or 2 4 5."""
    if len(players) > 1 and players[-1] - players[0] == len(players) - 1:
        return f"{players[0]}-{players[-1]}"
    return " ".join(map(str, players))


def _print_found(found: Sequence[Variant]) -> None:
    """Print the variants with their suits and numbers."""
    rows = [("variant", "suits", "supported", "id")]
    for variant in found:
        rows.append((variant.name, ", ".join(variant.suit_names), "yes", str(variant.id)))
    print_table(rows, left=3)
    print(f"{len(found):,} of {len(found):,} can be played")


DECK_SUMMARY = "Print the deck of a hanab.live seed."
DECK_EXAMPLES = """\
  hanabilab deck p2v0s1
  hanabilab deck p4v3s17 --json
  hanabilab play cheat --deck p2v0s1

A seed is p<players>v<variant>s<any text>. Variant 0 has the suits r y g b p; `hanabilab rules
--variants` lists all supported variants.
"""


def add_deck_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("seed", metavar="SEED", help="such as p2v0s1")
    add_json_argument(parser)


def run_deck(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.game.deck import Deck

    deck = Deck.from_seed(arguments.seed)
    if arguments.json:
        print_json({"seed": arguments.seed, "players": deck.rules.players, "deck": str(deck)})
    else:
        print(deck)


STRATEGIES_SUMMARY = "List the strategies, or explain one: its options, defaults and an example."
STRATEGIES_EXAMPLES = """\
  hanabilab strategies
  hanabilab strategies rule-based
  hanabilab strategies mine.py:careful
  hanabilab strategies --json

Every command takes a strategy as NAME or NAME:option=value,option=value.

Installed packages offer strategies too (entry points of the group hanabilab.strategies), and so do
folders: with HANABILAB_STRATEGIES=FOLDER, FOLDER/careful.py offers its careful.
"""


def add_strategies_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "strategies", nargs="*", metavar="STRATEGY", help=f"explain these; {OWN_PLAYERS}"
    )
    add_json_argument(parser)


def run_strategies(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.strategies import known_strategies
    from hanabilab.strategies.load import load_player
    from hanabilab.strategies.strategy import describe_strategy

    found = [load_player(name) for name in arguments.strategies]
    if not found:
        known, problems = known_strategies()
        found = list(known.values())
        for problem in problems:
            note(f"hanabilab strategies: {problem}")
    if arguments.json:
        print_json([describe_strategy(strategy) for strategy in found])
    elif arguments.strategies:
        for number, strategy in enumerate(found):
            print("\n" * (number > 0), end="")
            _explain_strategy(strategy)
    else:
        _list_strategies(found)


def _list_strategies(strategies: Sequence[Strategy]) -> None:
    for each in strategies:
        print(format_columns(each.name, each.summary, STRATEGY_INDENT))
    print("\nhanabilab strategies NAME explains a strategy and its options.")


STRATEGY_INDENT = 18
"""The column in which the summaries of strategies start."""
LONG_DEFAULT = 24
"""The longest default, in characters, that fits in the table of options."""
MANY_VALUES = 100
"""Integers with more values than this are halved in an example; others change by one."""


def _explain_strategy(strategy: Strategy) -> None:
    """Print a strategy's description, its options with values and defaults, and an example."""
    from hanabilab.strategies.strategy import describe_strategy

    about = describe_strategy(strategy)
    players = ", ".join(map(str, about["players"])) or "see its documentation"
    print(f"{strategy.label}: {about['summary']}")
    print(f"  source   {about['source'] or 'hanabilab'}")
    print(f"  rules    {about['rules']}")
    print(f"  players  {players}")
    if strategy.options:
        print()
        _print_options(strategy)
    if about["players"]:
        print(f"\nexample: {example_of(strategy)}")


def _print_options(strategy: Strategy) -> None:
    from hanabilab.strategies.strategy import option_word

    rows, long = [["option", "values", "default", "meaning"]], []
    for name, option in strategy.options.items():
        word, default = option_word(name), _option_text(option.default)
        if len(default) > LONG_DEFAULT:
            long.append(f"default {word}: {default}")
            default = "below"
        rows.append([word, _values_text(option), default, option.help])
    _print_columns(rows)
    print("\n".join(long), end="\n" * bool(long))


def _values_text(option: Option) -> str:
    """Return the possible values of an option."""
    if option.choices:
        return "|".join(option.choices)
    if isinstance(option.default, bool):
        return "yes|no"
    return "text" if isinstance(option.default, str) else f"{option.least:,} to {option.most:,}"


def _option_text(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def example_of(strategy: Strategy) -> str:
    """Return a command line that plays a strategy, with one of its options changed."""
    from hanabilab.strategies.strategy import describe_strategy, option_word

    about = describe_strategy(strategy)
    changed = next(
        (
            f"{',' if strategy.chosen else ':'}{option_word(name)}={_option_text(value)}"
            for name, option in strategy.options.items()
            if (value := _other_value(option)) is not None
        ),
        "",
    )
    slow = strategy.slow or strategy.external or strategy.name == "human"
    words = ["hanabilab", "play" if slow else "simulate", f"{strategy.label}{changed}"]
    words += ["--players", str(about["players"][len(about["players"]) // 2])]
    words += [] if about["rules"] == "classic" else ["--rules", about["rules"]]
    return " ".join(words if slow else [*words, "--games", "1000"])


def _other_value(option: Option) -> OptionValue | None:
    """Return a value other than the default, or None if none can be guessed."""
    default = option.default
    if isinstance(default, bool):
        return not default
    if isinstance(default, str):
        return next((word for word in option.choices if word != default), None)
    if isinstance(default, int):
        if option.most - option.least > MANY_VALUES:
            return (int(option.least) + default) // 2
        return default + 1 if default < option.most else default - 1
    end = option.least if default > option.least else min(option.most, default + 1)
    return round((default + end) / 2, 3)


COMMANDS = {
    "rules": Command(RULES_SUMMARY, RULES_EXAMPLES, add_preset_list_arguments, run_rules),
    "variants": Command(VARIANTS_SUMMARY, VARIANTS_EXAMPLES, add_variants_arguments, run_variants),
    "deck": Command(DECK_SUMMARY, DECK_EXAMPLES, add_deck_arguments, run_deck),
    "strategies": Command(
        STRATEGIES_SUMMARY, STRATEGIES_EXAMPLES, add_strategies_arguments, run_strategies
    ),
}
