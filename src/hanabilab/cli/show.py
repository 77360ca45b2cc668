"""Show a game on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.formats.describe import describe_event
from hanabilab.formats.terminal import board
from hanabilab.lab.result import rules_label
from hanabilab.table.game import Game

__all__ = ["show_game"]


def show_game(game: Game, title: str, why: Sequence[str | None] | None = None) -> None:
    """Print a game from its start: each action, what it did, why, and the board after it."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{title}; {rules_label(game.rules)}", style="bold")
    again = Game(game.rules, game.deck)
    console.print(board(again.state))
    for action in game.actions:
        event = again.act(action)
        rules = game.rules
        words = describe_event(event, rules.ranks, rules.letters, hint_letters=rules.hint_letters)
        console.print(f"turn {again.turn}: {words}", style="bold")
        if why and (reason := why[again.turn - 1]):
            console.print(f"  why: {reason}", style="italic", markup=False)
        console.print(board(again.state))
    outcome = {
        "perfect": "all fireworks are complete",
        "lives": "the last life is lost",
        "deck": "the draw pile is used up",
        "out of reach": "the maximum is out of reach, and nothing else counts",
        None: "the game goes on",
    }[game.end]
    console.print(
        f"score {game.score} of {game.rules.max_score} after {game.turn} turns: {outcome}",
        style="bold",
    )
