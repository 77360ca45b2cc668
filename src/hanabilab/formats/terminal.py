"""The board for a terminal, in colours and letters, and as pixels for videos."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hanabilab.errors import MissingExtraError
from hanabilab.formats.describe import discards, fireworks, hand_names, palette_index
from hanabilab.game.state import State
from hanabilab.game.turn import final_score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["board", "pixels"]

STYLES = (
    *("red", "yellow", "green", "blue", "default", "magenta", "cyan"),
    *("bright_magenta", "bright_cyan", "bright_black", "bright_red", "dark_orange3"),
)
StyledSpan = tuple[int, int, str, tuple[int, int, int], bool]
"""Row, column, letters, colour, and whether the span is bold."""
WIDE, HIGH, MARGIN = 10, 22, 12
"""Width and height of a character in pixels, and the margin around the text."""
DOTS = 100
"""Pixels per inch; a character of 16 pixels is 11.5 points high."""
POINTS = 11.5


def card_text(name: str) -> Text:
    """Return a card in the colour of its suit; its letter gives the suit without colour."""
    style = STYLES[palette_index(name)] if palette_index(name) >= 0 else "dim"
    return Text(name, style=f"bold {style}")


def board(state: State) -> Text:
    """Return the fireworks and the counters, then a line for each hand and the discards."""
    lines = [_line("fireworks", fireworks(state)), Text(_counters(state))]
    for player in range(state.rules.players):
        mark = "*" if state.end == 0 and state.player == player else " "
        lines.append(_line(f"player {player}{mark}", hand_names(state, player)))
    if gone := discards(state):
        lines.append(_line("discards", gone))
    return Text("\n").join(lines)


def _line(title: str, cards: list[str]) -> Text:
    return Text.assemble(f"  {title:<10} ", Text(" ").join(card_text(card) for card in cards))


def _counters(state: State) -> str:
    tokens = "unlimited" if state.rules.unlimited_hints else f"{state.hint_tokens}"
    lives = "unlimited" if state.rules.unlimited_lives else f"{state.lives}"
    return (
        f"  score {final_score(state)}, hint tokens {tokens}, lives {lives}, "
        f"draw pile {state.draw_pile}"
    )


def pixels(words: Text, columns: int, rows: int) -> NDArray[np.uint8]:
    """Render text as an RGB array with space for `columns` by `rows` characters."""
    import numpy as np

    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a picture in pixels") from None
    width, height = columns * WIDE + 2 * MARGIN, rows * HIGH + 2 * MARGIN
    figure = Figure(figsize=(width / DOTS, height / DOTS), dpi=DOTS, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    for row, column, letters, colour, bold in _styled_spans(words, columns):
        figure.text(
            (MARGIN + column * WIDE) / width,
            1 - (MARGIN + (row + 0.75) * HIGH) / height,
            letters,
            color=[part / 255 for part in colour],
            size=POINTS,
            weight="bold" if bold else "normal",
            family="monospace",
            parse_math=False,
        )
    canvas.draw()
    return np.array(canvas.buffer_rgba())[:, :, :3].copy()


def _styled_spans(words: Text, columns: int) -> Iterator[StyledSpan]:
    """Yield each span of text in one style."""
    from rich.console import Console
    from rich.terminal_theme import DEFAULT_TERMINAL_THEME as THEME

    lines = Console(width=columns).render_lines(words, pad=False)
    for row, line in enumerate(lines):
        column = 0
        for span in line:
            style = span.style
            colour = style.color.get_truecolor(THEME) if style and style.color else (0, 0, 0)
            if span.text.strip():
                yield row, column, span.text, colour, bool(style and style.bold)
            column += len(span.text)
