"""Rendering of the board: for terminals, notebooks and videos."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hanabilab.checks import did_you_mean
from hanabilab.errors import HanabiError
from hanabilab.formats import terminal
from hanabilab.formats.board_svg import board as board_svg
from hanabilab.formats.describe import describe_event
from hanabilab.table.game import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RENDER_MODES", "check_render_mode", "render"]

RENDER_MODES = ["human", "ansi", "svg", "rgb_array"]

COLUMNS = 72
"""Characters per line of a picture."""


def check_render_mode(mode: str | None) -> None:
    """Raise if the render mode is unknown."""
    if mode is not None and mode not in RENDER_MODES:
        known = ", ".join(RENDER_MODES) + did_you_mean(str(mode), RENDER_MODES)
        raise HanabiError(f"unknown render_mode {mode!r}; expected {known}")


def render(game: Game, mode: str | None) -> str | NDArray[np.uint8] | None:
    """Render the board: print it, or return it as text, SVG or pixels."""
    if mode == "human":
        from rich.console import Console

        console = Console(highlight=False, soft_wrap=True)
        console.print(_heading(game), style="bold")
        console.print(terminal.board(game.state))
    elif mode == "ansi":
        return f"{_heading(game)}\n{terminal.board(game.state).plain}\n"
    elif mode == "svg":
        return board_svg(game.state, event=game.events[-1] if game.events else None)
    elif mode == "rgb_array":
        words = Text.assemble(_heading(game), "\n", terminal.board(game.state))
        return terminal.pixels(words, COLUMNS, _most_lines(game))
    return None


def _heading(game: Game) -> str:
    if not game.events:
        return f"{game.rules.players} players, {game.rules.preset or 'custom'} rules"
    words = describe_event(game.events[-1], game.state.rules)
    return f"turn {game.turn}: {words}"


def _most_lines(game: Game) -> int:
    """Return the largest number of lines the board may need, so that all pictures have one size."""
    longest_card = 4
    return 4 + game.rules.players + longest_card * game.rules.deck_size // (COLUMNS - longest_card)
