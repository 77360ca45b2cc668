"""The terminal board as pixels, for videos."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hanabilab.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.text import Text

__all__ = ["pixels"]

Piece = tuple[int, int, str, tuple[int, int, int], bool]

WIDE, HIGH, MARGIN = 10, 22, 12
"""Pixels of one letter, and around all of them."""
DOTS = 100
"""Pixels per inch; a letter of 16 pixels is 11.5 points high."""
POINTS = 11.5


def pixels(words: Text, columns: int, rows: int) -> NDArray[np.uint8]:
    """Return a picture with room for `columns` by `rows` letters, as an RGB array."""
    import numpy as np

    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a picture in pixels") from None
    width, height = columns * WIDE + 2 * MARGIN, rows * HIGH + 2 * MARGIN
    figure = Figure(figsize=(width / DOTS, height / DOTS), dpi=DOTS, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    for row, column, letters, colour, bold in _pieces(words, columns):
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


def _pieces(words: Text, columns: int) -> Iterator[Piece]:
    """Yield each piece of text in one style: row, column, letters, colour, whether it is bold."""
    from rich.console import Console
    from rich.terminal_theme import DEFAULT_TERMINAL_THEME as THEME

    lines = Console(width=columns).render_lines(words, pad=False)
    for row, line in enumerate(lines):
        column = 0
        for piece in line:
            style = piece.style
            colour = style.color.get_truecolor(THEME) if style and style.color else (0, 0, 0)
            if piece.text.strip():
                yield row, column, piece.text, colour, bool(style and style.bold)
            column += len(piece.text)
