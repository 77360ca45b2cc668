"""The board as SVG: one drawing for notebooks and for the page.

`board` is one picture that brings its own style. `panels` are its parts, one picture each
(fireworks, counters, every hand, the discards), which a page arranges as it has room; they contain
neither styles nor scripts. What can be clicked carries `data-` attributes; what can be read aloud
has a label.
"""

from __future__ import annotations

from hanabilab.formats.svg.picture import board, board_style, panels

__all__ = ["board", "board_style", "panels"]
