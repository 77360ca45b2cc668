"""Output shared by several commands: results, tables, histograms, games, links, JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from hanabilab.cli.streams import can_encode

if TYPE_CHECKING:
    from hanabilab.game.rules import Rules
    from hanabilab.lab.analyze import Analysis, Mistake, ScoreBounds
    from hanabilab.lab.result import Result
    from hanabilab.lab.simulate import RunAnalysis, Simulation
    from hanabilab.table.game import Game

__all__ = [
    "describe_range",
    "interrupted",
    "link_of",
    "note",
    "print_json",
    "print_result",
    "print_simulation",
    "print_table",
    "printable_json",
    "save_and_print",
    "show_game",
    "show_result",
]

BAR = 50
EIGHTHS = " ▏▎▍▌▋▊▉█"
GAP = "  ⋮"
INTERRUPTED = 130


class Plottable(Protocol):
    """A result that can be saved, drawn and exported."""

    def to_json(self) -> str: ...
    def save(self, file: str) -> object: ...
    def plot(self, file: str | None = None) -> object: ...


AnyPlottable = TypeVar("AnyPlottable", bound=Plottable)


def show_result(
    result: AnyPlottable,
    arguments: argparse.Namespace,
    show: Callable[[AnyPlottable], None],
    *,
    save: str | None = None,
) -> None:
    """Save and plot a result if requested; print it as JSON or by `show` even if that fails."""
    try:
        if save:
            result.save(save)
        if arguments.plot:
            result.plot(arguments.plot)
    finally:
        if arguments.json:
            print(printable_json(result.to_json()))
        else:
            show(result)


def save_and_print(result: Result, arguments: argparse.Namespace) -> None:
    """Save a result if requested; print it as JSON or as tables even if that fails."""
    try:
        if arguments.save:
            result.save(arguments.save)
    finally:
        if arguments.json:
            print(printable_json(result.to_json()))
        else:
            print_result(result)


def print_result(result: Result) -> None:
    """Print the summary of a result and its tables."""
    print(result.to_text())


def print_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Print columns of equal width: the first `left` contain words, the others numbers."""
    from hanabilab.formats.data_table import DataTable

    head, *others = map(tuple, rows)
    print("\n".join(DataTable(header=head, rows=tuple(others), text_columns=left).lines()))


def histogram_lines(histogram: Sequence[int]) -> list[str]:
    """Return one bar per score, from the lowest score that occurred to the highest."""
    scores = [score for score, games in enumerate(histogram) if games]
    if not scores:
        return []
    total, most = sum(histogram), max(histogram)
    lines: list[str] = []
    for score in range(scores[0], scores[-1] + 1):
        games = histogram[score]
        if not any(histogram[max(0, score - 1) : score + 2]):
            lines += [] if lines[-1] == GAP else [GAP]
            continue
        eighths = round(8 * BAR * games / most)
        bar = "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
        lines.append(f"{score:3}  {100 * games / total:6.2f} %  {bar}".rstrip())
    return lines


def print_simulation(result: Simulation) -> None:
    """Print all statistics of a run, its histogram, and its analysis if there is one."""
    print(result.heading())
    print()
    speed = f"{_speed(result)} games/s, {result.threads} threads, {result.seconds:.2f} s"
    print_table([*result.to_tables()[0].rows, ("speed", speed)], left=2)
    print()
    print("\n".join(histogram_lines(result.histogram)))
    if result.analysis:
        _print_run_analysis(result.analysis, result.rules)


def _print_run_analysis(analysis: RunAnalysis, rules: Rules) -> None:
    """Print why games were not perfect, one line each, and the totals."""
    print()
    for one in analysis.games:
        name = f"game {one.game}" + (f", repeat {one.repeat}" if one.repeat else "")
        print(f"{name}: score {one.analysis.score}, {_describe_loss(one.analysis, rules)}")
    print(analysis.summary())


def _describe_loss(analysis: Analysis, rules: Rules) -> str:
    if analysis.losing:
        return describe_mistake(analysis.losing, rules)
    if analysis.verdict == "bad luck":
        return f"bad luck: the deck allows {describe_range(analysis.start)}"
    return "undecided: out of time"


def describe_mistake(mistake: Mistake, rules: Rules) -> str:
    """Describe a mistake: the player, the turn, the action, and what was better."""
    from hanabilab.formats.action import Action

    action, better = (Action.from_dict(data, rules) for data in (mistake.action, mistake.better))
    return (
        f"turn {mistake.turn} took the best score from {mistake.before} to {mistake.after}: "
        f"player {mistake.action['player']}, {action}; better: {better}"
    )


def describe_range(standing: ScoreBounds) -> str:
    """Describe the best score, or its bounds."""
    if standing.best == standing.bound:
        return str(standing.best)
    return f"{standing.best}-{standing.bound}"


def _speed(result: Simulation) -> str:
    speed = result.games_per_second
    return f"{speed:,.0f}" if speed >= 100 else f"{speed:.2f}"


def note(text: str) -> None:
    """Print a line on standard error."""
    print(text, file=sys.stderr)


def interrupted(text: str) -> int:
    """Report on standard error that Ctrl-C ended a run; return the exit code."""
    note(f"interrupted: {text}")
    return INTERRUPTED


def link_of(game: Game) -> str:
    """Return the link of a game; report on standard error what it cannot express."""
    link = game.link()
    if lost := game.link_losses():
        note(f"the link does not carry {', '.join(lost)}")
    return link


def print_json(data: object) -> None:
    """Print an object on one line."""
    print(printable_json(json.dumps(data, ensure_ascii=False)))


def printable_json(text: str) -> str:
    """Return JSON in which characters that cannot be printed are escaped."""
    return text if text.isprintable() and can_encode(text) else json.dumps(json.loads(text))


def show_game(game: Game, title: str, why: Sequence[str | None] | None = None) -> None:
    """Print a game from its start: each action, its effect, the reason, and the board after it."""
    from rich.console import Console

    from hanabilab.formats.describe import describe_event
    from hanabilab.formats.terminal import board
    from hanabilab.lab.result import rules_label
    from hanabilab.table.game import Game

    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{title}; {rules_label(game.rules)}", style="bold")
    again = Game(game.rules, game.deck)
    console.print(board(again.state))
    for action in game.actions:
        event = again.act(action)
        words = describe_event(event, again.state.rules)
        console.print(f"turn {again.turn}: {words}", style="bold")
        if why and (reason := why[again.turn - 1]):
            console.print(f"  why: {reason}", style="italic", markup=False)
        console.print(board(again.state))
    outcome = {
        "perfect": "all fireworks are complete",
        "lives": "the last life is lost",
        "deck": "the draw pile is used up",
        "out of reach": "the maximum is out of reach, and nothing else counts",
        "no more points": "the score can no longer rise",
        None: "the game goes on",
    }[game.end]
    console.print(
        f"score {game.score} of {game.rules.max_score} after {game.turn} turns: {outcome}",
        style="bold",
    )
