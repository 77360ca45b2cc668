"""hanabilab pace: how often a shuffled deck is lost for lack of turns."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hanabilab.checks import check_integer
from hanabilab.cli.arguments import (
    AS_THE_RULES,
    add_json_argument,
    add_rules_arguments,
    add_save_exact_argument,
    chosen_rules,
)
from hanabilab.cli.output import print_json, print_table
from hanabilab.cli.parser import Command
from hanabilab.errors import TheoryError

if TYPE_CHECKING:
    from fractions import Fraction

    from hanabilab.game.rules import Rules
    from hanabilab.theory.pace import PaceGame, PaceLosses
    from hanabilab.theory.pace_sample import PaceSample

SUMMARY = "Compute the exact probability that a deck is lost on pace, at each cut and at some cut."
EXAMPLES = """\
  hanabilab pace --players 3
  hanabilab pace --players 2 --simulate 1000000 --seed 7   beside a sample of shuffled decks
  hanabilab pace --players 4 --rules rainbow-dutch --json
  hanabilab pace --players 2 --set-rule copies=2,2,2 --set-rule ranks=3 --set-rule suits=3
  hanabilab pace --players 3 --kessler                     Table 5.1 of Keßler 2025, tested
  hanabilab pace --players 2 --deck 'r1 y5 …'              the pace that one deck forces
  hanabilab pace --players 2-5 --save pace.tex             a table over numbers of players

Pace is players + cards in the draw pile - cards still to be played (Keßler 2025, Definition 5.2);
below 0 the game can no longer be won. When some cards remain in the draw pile, a card of which all
copies are among them cannot have been played, nor any higher rank of its suit: so at each cut a
deck forces a pace that nobody can beat. A single player has five cards unless told otherwise.
"""

SOLO_HAND = "hand-size=5"
Row = dict[str, Any]
Data = Mapping[str, Any] | Sequence[Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rules_arguments(parser, ranges=AS_THE_RULES)
    parser.add_argument("--deck", metavar="CARDS", help="only the pace that this deck forces")
    parser.add_argument(
        "--any-deck", action="store_true", help="let --deck have another composition"
    )
    parser.add_argument(
        "--simulate",
        type=int,
        nargs="?",
        const=100_000,
        metavar="DECKS",
        help="also count shuffled decks, by default none; 100,000 if no number is given",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of these decks")
    parser.add_argument(
        "--kessler", action="store_true", help="test Keßler's sample against the exact values"
    )
    add_save_exact_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.cli.winnable import read_players
    from hanabilab.lab.exact_table import check_exact_file

    check_exact_file(arguments.save)
    if arguments.simulate is not None:
        check_integer("--simulate", arguments.simulate, 1, error=TheoryError)
    numbers = [None] if arguments.players is None else read_players(arguments.players)
    every = [_rules_for(arguments, players) for players in numbers]
    if len(every) > 1:
        _show_several(arguments, list(map(_game_of, every)))
        return
    rules = every[0]
    game = _game_of(rules)
    if arguments.deck is not None:
        _show_deck(arguments, rules)
    elif arguments.kessler:
        _show_kessler(arguments, game)
    else:
        _show_losses(arguments, game)


def _rules_for(arguments: argparse.Namespace, players: int | None) -> Rules:
    """Return the rules for a number of players; a single player holds five cards by default."""
    hand_given = any(rule.replace("_", "-").startswith("hand-size=") for rule in arguments.set_rule)
    solo = [SOLO_HAND] if players == 1 and not hand_given else []
    changed = {**vars(arguments), "players": players, "set_rule": [*arguments.set_rule, *solo]}
    return chosen_rules(argparse.Namespace(**changed), arguments.deck)


def _save(arguments: argparse.Namespace, title: str, data: Data, rows: Sequence[Row]) -> None:
    """Write the table of a result if requested."""
    from hanabilab.lab.exact_table import ExactTable

    if arguments.save:
        ExactTable(title, data, rows).save(arguments.save)


def _show_several(arguments: argparse.Namespace, games: Sequence[PaceGame]) -> None:
    """Print the probability of a loss for each number of players."""
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.pace import pace_losses

    if arguments.deck is not None or arguments.kessler or arguments.simulate is not None:
        raise TheoryError("--deck, --kessler and --simulate go with a single number of players")
    with progress_bar("pace", None) as report:
        found = [pace_losses(game, report) for game in games]
    data = [losses.to_dict() for losses in found]
    rows = [_row_of(losses) for losses in found]
    try:
        _save(arguments, "Chance that a shuffled deck is lost on pace", data, rows)
    finally:
        if arguments.json:
            print_json(data)
        else:
            cells = [[_cell(value) for value in row.values()] for row in rows]
            print_table([[*rows[0]], *cells], left=0)


def _cell(value: object) -> str:
    if value is None:
        return "unknown"
    return f"{value:.6e}" if isinstance(value, float) else str(value)


def _row_of(losses: PaceLosses) -> Row:
    """Return the probability of a loss at some cut, or its bounds, as a row."""
    from hanabilab.theory.pace import ratio

    low, high = losses.bounds
    return {
        "players": losses.game.players,
        "hand": losses.game.hand,
        "cards": losses.game.cards,
        "lost": None if losses.lost is None else ratio(losses.lost),
        "lost_decimal": None if losses.lost is None else float(losses.lost),
        "at_least": float(low),
        "at_most": float(high),
    }


def _game_of(rules: Rules) -> PaceGame:
    from hanabilab.formats.deck_text import pace_numbers
    from hanabilab.theory.pace import PaceGame

    return PaceGame(*pace_numbers(rules))


def _show_losses(arguments: argparse.Namespace, game: PaceGame) -> None:
    from dataclasses import asdict

    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.pace import pace_losses
    from hanabilab.theory.pace_sample import sample_pace

    with progress_bar("pace", None) as report:
        losses = pace_losses(game, report)
    sample = None
    if arguments.simulate is not None:
        with progress_bar("pace", arguments.simulate) as report:
            sample = sample_pace(game, arguments.simulate, arguments.seed, report)
    data = losses.to_dict() | ({} if sample is None else {"simulation": asdict(sample)})
    try:
        rows = [
            cut.to_dict() | _counted(sample, cut.remaining)
            for cut in losses.cuts
            if cut.negative or cut.zero
        ]
        _save(arguments, f"Chances of the forced pace, {game.players} players", data, rows)
    finally:
        if arguments.json:
            print_json(data)
        else:
            _print_losses(losses, sample)


def _counted(sample: PaceSample | None, remaining: int) -> Row:
    if sample is None:
        return {}
    return {
        "counted_negative": sample.negative[remaining],
        "counted_zero": sample.zero[remaining],
    }


def _print_losses(losses: PaceLosses, sample: PaceSample | None) -> None:
    from hanabilab.theory.pace import ratio

    game = losses.game
    print(
        f"{game.players} players with {game.hand} cards each, {game.cards} cards, "
        f"{game.to_play} to play; chances of the pace that a shuffled deck forces"
    )
    print()
    rows = _rows_of_cuts(losses, sample)
    print_table(rows, left=0)
    print()
    if len(rows) == 1:
        print("no cut can have a pace of 0 or less")
    if losses.lost is not None:
        print(f"lost at some cut: {float(losses.lost):.6e} = {ratio(losses.lost)}")
    else:
        low, high = losses.bounds
        print(f"lost at some cut: between {float(low):.6e} and {float(high):.6e}")
    if sample is not None:
        error = (sample.lost + 1) ** 0.5 / sample.decks
        print(
            f"counted: {sample.lost} of {sample.decks:,} decks, "
            f"{sample.lost / sample.decks:.3e} ± {error:.1e}"
        )


def _rows_of_cuts(losses: PaceLosses, sample: PaceSample | None) -> list[list[str]]:
    """Return the cuts that can be tight, below a heading."""
    head = ["remaining", "pace < 0", "", "pace = 0", ""]
    rows = [head if sample is None else [*head, "counted < 0", "= 0"]]
    for cut in losses.cuts:
        if cut.negative or cut.zero:
            cells = [str(cut.remaining)]
            for chance in (cut.negative, cut.zero):
                cells += [_short_ratio(chance), f"{float(chance):.4e}"]
            if sample is not None:
                cells += [str(sample.negative[cut.remaining]), str(sample.zero[cut.remaining])]
            rows.append(cells)
    return rows


def _short_ratio(chance: Fraction) -> str:
    """Return a fraction as text, unless it is too long to be useful."""
    from hanabilab.theory.pace import ratio

    text = ratio(chance)
    return text if len(text) <= 30 else "…"


def _show_deck(arguments: argparse.Namespace, rules: Rules) -> None:
    from dataclasses import asdict

    from hanabilab.formats.deck_text import ranks_and_suits, read_deck
    from hanabilab.theory.pace import DeckPace

    deck = read_deck(arguments.deck, rules, any_deck=arguments.any_deck)
    found = DeckPace.of(ranks_and_suits(deck), _game_of(deck.rules))
    _save(
        arguments, "The pace that a deck forces", found.to_dict(), [asdict(c) for c in found.cuts]
    )
    if arguments.json:
        print_json(found.to_dict())
        return
    rows = [["remaining", "blocked", "pace"]]
    rows += [[str(cut.remaining), str(cut.blocked), str(cut.pace)] for cut in found.cuts]
    print_table(rows, left=0)
    print()
    print(
        f"lowest pace {found.lowest.pace}, with {found.lowest.remaining} cards remaining: "
        f"{'lost on pace' if found.is_lost else 'not lost on pace'}"
    )


def _show_kessler(arguments: argparse.Namespace, game: PaceGame) -> None:
    from dataclasses import asdict

    from hanabilab.theory.pace import CLASSIC, PaceGame
    from hanabilab.theory.pace_sample import TABLE_5_1_DECKS, fit_table_5_1

    if game != PaceGame(3, 5, CLASSIC):
        raise TheoryError("--kessler: his table is for 3 players with 5 cards and classic copies")
    fit, p_value = fit_table_5_1()
    entries = [asdict(row) for row in fit]
    data = {"players": 3, "rows": entries, "p_value": p_value}
    _save(arguments, "Keßler 2025, Table 5.1, beside the exact values", data, entries)
    if arguments.json:
        print_json(data)
        return
    print(f"Keßler 2025, Table 5.1: {TABLE_5_1_DECKS:,} decks, 3 players, beside the exact values")
    print()
    rows = [["remaining", "pace", "printed", "expected", "p-value"]]
    for row in fit:
        cells = [row.remaining, row.pace, row.seen, f"{row.expected:.3f}", f"{row.p_value:.3f}"]
        rows.append([str(cell) for cell in cells])
    print_table(rows, left=0)
    print()
    fits = "the sample fits" if p_value > 0.05 else "the sample does not fit"
    print(f"all cells together (Bonferroni): p = {p_value:.2f}, {fits}")
    print()
    _print_fractions(game)


def _print_fractions(game: PaceGame) -> None:
    """Print the fractions on the page before the table, their decimals and what they omit."""
    from hanabilab.theory.pace import pace_chances, ratio
    from hanabilab.theory.pace_sample import FRACTIONS_AS_PRINTED, TABLE_5_1_DECKS

    print("Fractions on the page before, and the decimals printed beside them")
    print()
    rows = [["remaining", "pace", "blocked", "fraction", "printed", "right"]]
    for remaining, pace, blocked, fraction, printed in FRACTIONS_AS_PRINTED:
        cells = [remaining, pace, blocked, ratio(fraction), printed, f"{float(fraction):.3g}"]
        rows.append([str(cell) for cell in cells])
    print_table(rows, left=0)
    print()
    print("These fractions added up, in 100,000 decks, and the exact number")
    print()
    rows = [["remaining", "pace", "his", "exact"]]
    for remaining, pace in dict.fromkeys(row[:2] for row in FRACTIONS_AS_PRINTED):
        his = sum(row[3] for row in FRACTIONS_AS_PRINTED if row[:2] == (remaining, pace))
        exact = pace_chances(game, remaining)[pace]
        numbers = [f"{float(chance) * TABLE_5_1_DECKS:.3f}" for chance in (his, exact)]
        rows.append([str(remaining), str(pace), *numbers])
    print_table(rows, left=0)


COMMANDS = {
    "pace": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
