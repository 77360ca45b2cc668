"""Base of all results: every result offers the same methods.

`to_dict`, `to_json` and `to_frame` return the data, `save` and `plot` write files, `str` is one
line, `repr` a few, and a notebook displays `_repr_html_`. A subclass implements `to_dict`, `rows`
and `summary`. It may refine `heading`, `to_tables`, `chart` and `bars`, or replace `plot`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from hanabilab.formats.data_table import DataTable
from hanabilab.game.rules import Rules
from hanabilab.lab.files import (
    LINE_FORMATS,
    check_folder,
    checked_suffix,
    import_pandas,
    import_pyarrow,
    json_safe,
    write_parquet,
    write_table,
    write_text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = [
    "LINE_LENGTH",
    "Bar",
    "Result",
    "check_table_file",
    "games_label",
    "is_written_at_end",
    "rules_label",
]


LINE_LENGTH = 120
"""Most characters of `str(result)`."""


class Bar(NamedTuple):
    """A number of a result to plot, with half the length of its error bar."""

    label: str
    value: float
    error: float = 0.0


class Result:
    """Base of every result: data, JSON text, tables to save and to display, plots."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the result as JSON text."""
        return json.dumps(json_safe(self.to_dict()), ensure_ascii=False)

    def to_frame(self) -> DataFrame:
        """Return the rows as a pandas data frame."""
        frame: DataFrame = import_pandas().DataFrame(self.rows())
        return frame

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as a table: one dictionary per row, all with the same keys."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the result in one sentence, for `str`."""
        raise NotImplementedError

    def heading(self) -> str:
        """Return a line that describes the result."""
        return self.summary()

    def to_tables(self) -> list[DataTable]:
        """Return the tables to display: by default, the plain values of all rows."""
        rows = self.rows() or [{}]
        names = [name for name, value in rows[0].items() if not isinstance(value, list | dict)]
        cells = tuple(tuple(str(row[name]) for name in names) for row in rows)
        return [DataTable(header=tuple(names), rows=cells)]

    def chart(self) -> str:
        """Return a small chart for a notebook, in SVG; empty without one."""
        return ""

    def bars(self) -> list[Bar]:
        """Return the numbers to plot: by default a column of the rows, labelled by the first one.

        The column is `mean` with `stderr`, or else the first other column of numbers.
        """
        rows = self.rows()
        names = [name for name in rows[0] if is_number(rows[0][name])] if rows else []
        if not names:
            return []
        label = next(iter(rows[0]))
        others = [name for name in names if name != label] or names
        value = "mean" if "mean" in names else others[0]
        error = 1.96 if value == "mean" and "stderr" in names else 0.0
        return [
            Bar(str(row[label]), row[value], error * row.get("stderr", 0.0))
            for row in rows
            if is_number(row[value])
        ]

    def plot(self, file: str | None = None) -> Figure:
        """Draw the result; save the figure if a file is given (.png, .svg or .pdf)."""
        from hanabilab.lab.plot import plot_bars

        return plot_bars(self, file)

    def to_text(self) -> str:
        """Return the heading and the tables as text."""
        blocks = [[self.heading()]]
        for table in self.to_tables():
            blocks.append([*([table.caption] if table.caption else []), *table.lines()])
        return "\n\n".join("\n".join(lines) for lines in blocks)

    def __str__(self) -> str:
        return shortened(self.summary())

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        tables = "".join(table.to_html() for table in self.to_tables())
        return f"<div><p>{escape(self.heading())}</p>{tables}{self.chart()}</div>"

    def save(self, file: str | os.PathLike[str]) -> Self:
        """Write the rows to a .csv, .jsonl or .parquet file, the tables to .md or .tex.

        A .json file gets the whole result.
        """
        suffix = checked_suffix(file, "tables", TABLE_SUFFIXES)
        if suffix == ".json":
            write_text(file, self.to_json() + "\n")
        elif suffix == ".parquet":
            write_parquet(file, self.rows())
        elif suffix in DOCUMENTS:
            write_text(file, DOCUMENTS[suffix](self.heading(), self.to_tables()))
        else:
            write_table(file, self.rows())
        return self


def is_number(value: object) -> bool:
    """Return whether a value is a number that can be plotted."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shortened(text: str, length: int = LINE_LENGTH) -> str:
    """Return text in one line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _markdown(heading: str, tables: Sequence[DataTable]) -> str:
    return "\n".join([f"{heading}\n", *(table.to_markdown() for table in tables)])


def _latex(heading: str, tables: Sequence[DataTable]) -> str:
    needs = r"\usepackage{booktabs}"
    return "\n".join([f"% {heading}; needs {needs}", *(table.to_latex() for table in tables)])


DOCUMENTS: dict[str, Callable[[str, Sequence[DataTable]], str]] = {".md": _markdown, ".tex": _latex}
TABLE_SUFFIXES = (*LINE_FORMATS, ".json", ".parquet", *DOCUMENTS)


def is_written_at_end(file: str | os.PathLike[str] | None) -> bool:
    """Return whether a file has a format that can only be written when all rows are known."""
    return file is not None and checked_suffix(file, "tables", TABLE_SUFFIXES) not in LINE_FORMATS


def check_table_file(file: str | None) -> None:
    """Raise, before anything is played, if a table cannot be written to this file."""
    if file is not None:
        if checked_suffix(file, "tables", TABLE_SUFFIXES) == ".parquet":
            import_pyarrow()
        check_folder(file)


class Counted(Protocol):
    """A result of a number of games."""

    @property
    def games(self) -> int: ...
    @property
    def repeats(self) -> int: ...


def games_label(result: Counted) -> str:
    """Return the number of games as text."""
    if result.repeats == 1:
        return f"{result.games:,} games"
    return f"{result.games:,} decks played {result.repeats:,} times each"


def rules_label(rules: Rules) -> str:
    """Return the number of players and the rules as text."""
    return f"{rules.players} players, {rules.preset or 'custom'} rules"
