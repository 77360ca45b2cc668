"""hanabilab pace: how often a shuffled deck runs out of turns by itself."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from hanabilab.cli.common import (
    add_json_argument,
    add_rules_arguments,
    chosen_rules,
    print_json,
)
from hanabilab.errors import TheoryError

if TYPE_CHECKING:
    from fractions import Fraction

    from hanabilab.game.deck import Deck
    from hanabilab.game.rules import Rules
    from hanabilab.theory.pace import Cut, PaceGame
    from hanabilab.theory.pace_sample import PaceSample

SUMMARY = "The exact probability that a deck is lost on pace, at each cut and at some cut."
EXAMPLES = """\
  hanabilab pace --players 3
  hanabilab pace --players 2 --simulate 1000000 --seed 7   beside a sample of shuffled decks
  hanabilab pace --players 4 --rules rainbow-dutch --json
  hanabilab pace --players 2 --rule copies=2,2,2 --rule ranks=3 --rule suits=3 --rule hand-size=2
  hanabilab pace --players 3 --kessler                     Table 5.1 of Keßler 2025, tested
  hanabilab pace --players 2 --deck 'r1 y5 …'              the pace that one deck forces

Pace is players + cards in the draw pile - cards still to be played (Keßler 2025, Definition 5.2);
below 0 the game cannot be won any more. When some cards remain in the draw pile, a card of which
all copies are among them cannot have been played, nor any higher rank of its suit: so at each cut
a deck forces a pace that nobody can beat. A single player has five cards unless told otherwise.
"""

SOLO_HAND = "hand-size=5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rules_arguments(parser)
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
        help="also count shuffled decks, 100,000 if no number is given",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of these decks")
    parser.add_argument(
        "--kessler", action="store_true", help="test Keßler's sample against the exact values"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.theory.pace import PaceGame

    hand_given = any(rule.replace("_", "-").startswith("hand-size=") for rule in arguments.rule)
    if arguments.players == 1 and not hand_given:
        arguments.rule.append(SOLO_HAND)
    rules = chosen_rules(arguments, arguments.deck)
    game = PaceGame(rules.players, rules.hand_size, rules.copies)
    if arguments.deck is not None:
        _show_deck(arguments, rules)
    elif arguments.kessler:
        _show_kessler(arguments, game)
    else:
        _show_chances(arguments, game)


def _show_chances(arguments: argparse.Namespace, game: PaceGame) -> None:
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.pace_loss import loss_chance
    from hanabilab.theory.pace_sample import sample_pace

    try:
        with progress_bar("pace", None) as report:
            lost = loss_chance(game, report=report)
    except TheoryError:  # too large; there are bounds
        lost = None
    sample = None
    if arguments.simulate is not None:
        with progress_bar("pace", arguments.simulate) as report:
            sample = sample_pace(game, arguments.simulate, arguments.seed, report)
    if arguments.json:
        print_json(chances_as_json(game, lost, sample))
    else:
        _print_chances(game, lost, sample)


def chances_as_json(
    game: PaceGame, lost: Fraction | None, sample: PaceSample | None
) -> dict[str, Any]:
    """The chances as plain data."""
    from dataclasses import asdict

    from hanabilab.theory.pace import cut_chances
    from hanabilab.theory.pace_loss import loss_bounds

    data: dict[str, Any] = {
        "players": game.players,
        "hand": game.hand,
        "cuts": [
            {
                "remaining": cut.remaining,
                "negative": _ratio(cut.negative),
                "negative_decimal": float(cut.negative),
                "zero": _ratio(cut.zero),
                "zero_decimal": float(cut.zero),
            }
            for cut in cut_chances(game)
        ],
        "lost": None if lost is None else _ratio(lost),
        "lost_decimal": None if lost is None else float(lost),
        "lost_bounds": [_ratio(bound) for bound in loss_bounds(game)],
    }
    if sample is not None:
        data["simulation"] = asdict(sample)
    return data


def _ratio(chance: Fraction) -> str:
    return f"{chance.numerator}/{chance.denominator}"


def _print_chances(game: PaceGame, lost: Fraction | None, sample: PaceSample | None) -> None:
    from hanabilab.cli.output import print_table
    from hanabilab.theory.pace import cut_chances
    from hanabilab.theory.pace_loss import loss_bounds

    print(
        f"{game.players} players with {game.hand} cards each, {game.cards} cards, "
        f"{game.to_play} to play; chances of the pace that a shuffled deck forces"
    )
    print()
    head = ["remaining", "pace < 0", "", "pace = 0", ""]
    rows = [head if sample is None else [*head, "counted < 0", "= 0"]]
    for cut in cut_chances(game):
        if cut.negative or cut.zero:
            cells = [str(cut.remaining)]
            for chance in (cut.negative, cut.zero):
                cells += [_shown(chance), f"{float(chance):.4e}"]
            if sample is not None:
                cells += [str(sample.negative[cut.remaining]), str(sample.zero[cut.remaining])]
            rows.append(cells)
    print_table(rows, left=0)
    print()
    if len(rows) == 1:
        print("no cut can have a pace of 0 or less")
    if lost is not None:
        print(f"lost at some cut: {float(lost):.6e} = {_ratio(lost)}")
    else:
        low, high = loss_bounds(game)
        print(f"lost at some cut: between {float(low):.6e} and {float(high):.6e}")
    if sample is not None:
        error = (sample.lost + 1) ** 0.5 / sample.decks
        print(
            f"counted: {sample.lost} of {sample.decks:,} decks, "
            f"{sample.lost / sample.decks:.3e} ± {error:.1e}"
        )


def _shown(chance: Fraction) -> str:
    """A fraction, unless it is too long to be of use to anyone."""
    text = _ratio(chance)
    return text if len(text) <= 30 else "…"


def deck_cuts(deck: Deck) -> list[Cut]:
    """The pace that a deck forces at each cut."""
    from hanabilab.theory.pace import PaceGame, forced_pace

    rules = deck.rules
    cards = [(int(card) % rules.ranks + 1, int(card) // rules.ranks) for card in deck.cards]
    return list(forced_pace(cards, PaceGame(rules.players, rules.hand_size, rules.copies)))


def cuts_as_json(players: int, cuts: list[Cut]) -> dict[str, Any]:
    """A deck's pace as plain data."""
    from dataclasses import asdict

    lost = any(cut.pace < 0 for cut in cuts)
    return {"players": players, "cuts": [asdict(cut) for cut in cuts], "lost": lost}


def _show_deck(arguments: argparse.Namespace, rules: Rules) -> None:
    from hanabilab.cli.output import print_table
    from hanabilab.formats.deck_text import read_deck

    cuts = deck_cuts(read_deck(arguments.deck, rules, any_deck=arguments.any_deck))
    lost = any(cut.pace < 0 for cut in cuts)
    if arguments.json:
        print_json(cuts_as_json(rules.players, cuts))
        return
    rows = [["remaining", "blocked", "pace"]]
    rows += [[str(cut.remaining), str(cut.blocked), str(cut.pace)] for cut in cuts]
    print_table(rows, left=0)
    print()
    lowest = min(cuts, key=lambda cut: cut.pace)
    print(
        f"lowest pace {lowest.pace}, with {lowest.remaining} cards remaining: "
        f"{'lost on pace' if lost else 'not lost on pace'}"
    )


def _show_kessler(arguments: argparse.Namespace, game: PaceGame) -> None:
    from dataclasses import asdict

    from hanabilab.cli.output import print_table
    from hanabilab.theory.pace import CLASSIC, PaceGame
    from hanabilab.theory.pace_sample import TABLE_5_1_DECKS, fit_table_5_1

    if game != PaceGame(3, 5, CLASSIC):
        raise TheoryError("--kessler: his table is for 3 players with 5 cards and classic copies")
    fit, p_value = fit_table_5_1()
    if arguments.json:
        print_json({"players": 3, "rows": [asdict(row) for row in fit], "p_value": p_value})
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
    """The fractions before the table: their decimals, and what they leave out."""
    from hanabilab.cli.output import print_table
    from hanabilab.theory.pace import pace_chances
    from hanabilab.theory.pace_sample import FRACTIONS_AS_PRINTED, TABLE_5_1_DECKS

    print("Fractions on the page before, and the decimals printed beside them")
    print()
    rows = [["remaining", "pace", "blocked", "fraction", "printed", "right"]]
    for remaining, pace, blocked, fraction, printed in FRACTIONS_AS_PRINTED:
        cells = [remaining, pace, blocked, _ratio(fraction), printed, f"{float(fraction):.3g}"]
        rows.append([str(cell) for cell in cells])
    print_table(rows, left=0)
    print()
    print("These fractions added up, in 100,000 decks, and all that there is")
    print()
    rows = [["remaining", "pace", "his", "exact"]]
    for remaining, pace in dict.fromkeys(row[:2] for row in FRACTIONS_AS_PRINTED):
        his = sum(row[3] for row in FRACTIONS_AS_PRINTED if row[:2] == (remaining, pace))
        exact = pace_chances(game, remaining)[pace]
        numbers = [f"{float(chance) * TABLE_5_1_DECKS:.3f}" for chance in (his, exact)]
        rows.append([str(remaining), str(pace), *numbers])
    print_table(rows, left=0)
