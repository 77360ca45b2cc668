"""Tables of results as text, HTML, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

__all__ = ["DataTable", "escape_latex"]

Row = tuple[str, ...]
Place = tuple[int, int]
"""The row, without the head, and the column of a cell."""

LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
SHADE = 45
"""Opacity in percent of the shade behind the highest entry of a heat map."""


def escape_latex(text: str) -> str:
    """Escape the special characters of LaTeX."""
    return "".join(LATEX.get(letter, letter) for letter in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataTable:
    """A small table of text; columns of numbers are aligned to the right."""

    header: Row
    rows: tuple[Row, ...]
    caption: str = ""
    text_columns: int = 1
    """How many columns at the left hold text; the others hold numbers."""
    bold: frozenset[Place] = frozenset()
    """The entries to print in bold."""
    shades: Mapping[Place, float] = field(default_factory=dict)
    """How strongly an entry of a heat map is coloured, from 0 to 1."""

    def lines(self) -> list[str]:
        """Return the lines of the table with aligned columns."""
        everything = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*everything, strict=True)]
        return [
            "  ".join(
                cell.ljust(width) if place < self.text_columns else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in everything
        ]

    def _cells(self, plain: Callable[[str], str], best: str) -> Iterator[list[str]]:
        """Yield the rows in some markup; `best` is a template for the marked entries."""
        for number, row in enumerate(self.rows):
            yield [
                best.format(plain(cell)) if (number, place) in self.bold else plain(cell)
                for place, cell in enumerate(row)
            ]

    def to_markdown(self) -> str:
        """Return the table as Markdown, with the best entries in bold."""
        rules = [
            "---" if place < self.text_columns else "---:" for place in range(len(self.header))
        ]
        rows = [
            list(self.header),
            rules,
            *self._cells(lambda cell: cell.replace("|", "\\|"), "**{}**"),
        ]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([*([self.caption, ""] if self.caption else []), *lines]) + "\n"

    def to_latex(self) -> str:
        """Return the table for LaTeX's booktabs package, with the best entries in bold."""
        columns = "".join(
            "l" if place < self.text_columns else "r" for place in range(len(self.header))
        )
        rows = [" & ".join(row) + r" \\" for row in self._cells(escape_latex, r"\textbf{{{}}}")]
        return "\n".join(
            [
                *([f"% {self.caption}"] if self.caption else []),
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                " & ".join(map(escape_latex, self.header)) + r" \\",
                r"\midrule",
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
                "",
            ]
        )

    def to_html(self) -> str:
        """Return the table as HTML that inherits the colours of its page."""
        head = "".join(self._html_cell("th", escape(cell), i) for i, cell in enumerate(self.header))
        body = "".join(f"<tr>{self._html_row(number)}</tr>" for number in range(len(self.rows)))
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return (
            '<table style="color:inherit;background:none;font-variant-numeric:tabular-nums">'
            f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _html_row(self, number: int) -> str:
        cells = []
        for place, cell in enumerate(self.rows[number]):
            text = f"<b>{escape(cell)}</b>" if (number, place) in self.bold else escape(cell)
            tag = "th" if place == 0 and self.text_columns else "td"
            cells.append(self._html_cell(tag, text, place, self.shades.get((number, place))))
        return "".join(cells)

    def _html_cell(self, tag: str, text: str, place: int, shade: float | None = None) -> str:
        style = f"padding:.15em .6em;text-align:{'left' if place < self.text_columns else 'right'}"
        if shade is not None:
            part = f"currentColor {SHADE * shade:.0f}%"
            style += f";background:color-mix(in srgb,{part},transparent)"
        return f'<{tag} style="{style}">{text}</{tag}>'
