"""The board as one picture, or as parts that a page arranges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hanabilab.formats.svg.drawing import Drawing
from hanabilab.formats.svg.shapes import attributes, group, rectangle
from hanabilab.game.actions import Event
from hanabilab.game.state import State

__all__ = ["board", "board_style", "panels"]


@cache
def board_style() -> str:
    """Return the style sheet for the classes of a drawing."""
    return Path(__file__).with_name("board.css").read_text(encoding="utf-8")


def _drawing(
    state: State,
    possible: Sequence[Sequence[int]] | None,
    event: Event | None,
    names: Sequence[str] | None,
    roles: Sequence[str] | None = None,
    newest_first: bool = False,
) -> Drawing:
    return Drawing(
        state,
        state.possible if possible is None else possible,
        event,
        names or [f"player {player}" for player in range(state.players)],
        roles or [""] * state.players,
        newest_first,
    )


def panels(
    state: State,
    *,
    possible: Sequence[Sequence[int]] | None = None,
    event: Event | None = None,
    names: Sequence[str] | None = None,
    roles: Sequence[str] | None = None,
    newest_first: bool = False,
) -> str:
    """Return the parts of the board for a page that brings the style (`board_style`).

    `state` may be a view: cards that are hidden in it are drawn with what they may be. `possible`
    replaces what the hints allow; `event` is the turn before. `roles` says something about each
    player beside the name. With `newest_first` the newest card stands left and is slot 1.
    """
    parts = _drawing(state, possible, event, names, roles, newest_first).panels()
    return f'<div class="hl-board">{"".join(part.picture() for part in parts)}</div>'


def board(
    state: State,
    *,
    possible: Sequence[Sequence[int]] | None = None,
    event: Event | None = None,
    names: Sequence[str] | None = None,
    inline: bool = False,
) -> str:
    """Return the whole board as one picture with its style, for a notebook or a file.

    Inside a page, with `inline`, it is light or dark as the page is.
    """
    parts = _drawing(state, possible, event, names).panels()
    margin, y = 12.0, 12.0
    inside = []
    for part in parts:
        inside.append(group(part.inside, margin, y, role="group", aria_label=part.label))
        y += part.height + 8
    width = max(part.width for part in parts) + 2 * margin
    about = attributes(
        class_="hl-board" if inline else "hl-board whole",
        viewBox=f"0 0 {width:g} {y + 4:g}",
        width=width,
        height=y + 4,
        role="group",
        aria_label=f"Hanabi board, {parts[0].label}",
    )
    back = rectangle(0, 0, width, y + 4, rx=10, class_="table")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{about}><style>{board_style()}</style>'
        f"{back}{''.join(inside)}</svg>"
    )
