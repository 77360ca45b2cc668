"""Appendix B and Figure 1 of van den Bergh 2015: rules of thumb, played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

from hanabilab.papers.items import Average, Correction, Extreme, Item, PrintedTable
from hanabilab.papers.runner import Match, SampleSize
from hanabilab.strategies import find_strategy

__all__ = [
    "DECKS",
    "REPEATS",
    "Cell",
    "appendix_b",
    "cell_match",
    "in_symbols",
    "tables",
]

APPENDIX_B = files("hanabilab.papers") / "data" / "appendix_b.txt"
DECKS, REPEATS = 10_000, 10
"""The protocol of section 4.3."""

SIZES = {
    "program": SampleSize(quick=(2_000, 2), full=(DECKS, REPEATS)),
    "paper": SampleSize(quick=(400, 2), full=(DECKS, REPEATS)),
}
RULES = {"program": "thesis-program", "paper": "thesis"}

SYMBOLS = {
    "play-threshold": ("p", "ωp"),
    "safe": ("s", "ωs"),
    "discard-threshold": ("w", "ωd"),
    "hint-probability": ("c", "ωh"),
    "hint-rule": ("h", "ρh"),
    "discard-rule": ("d", "ρd"),
}
"""An option's letter in ids, and its symbol in the thesis."""

Options = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: its position, its options, and its printed value."""

    table: str
    row: Options
    column: Options
    fixed: Options
    average: str
    maximum: int
    minimum: int

    @property
    def options(self) -> dict[str, str]:
        """All options together."""
        return {**self.fixed, **self.row, **self.column}

    @property
    def id(self) -> str:
        """The id of the cell: ``thesis.B1.d2.p0.6.h3``."""
        varied = {**self.row, **self.column}
        return ".".join(
            ["thesis", self.table, *(SYMBOLS[name][0] + value for name, value in varied.items())]
        )


def in_symbols(options: Options) -> str:
    """Return options in the symbols of the thesis: ``ωs = 1, ρd = 2``."""
    words = {"yes": "1", "no": "0"}
    return ", ".join(
        f"{SYMBOLS[name][1]} = {words.get(value, value)}" for name, value in options.items()
    )


def appendix_b() -> list[Cell]:
    """Return all 446 cells as printed."""
    cells: list[Cell] = []
    heading: dict[str, str] = {}
    for line in APPENDIX_B.read_text("utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word in ("table", "fixed", "rows", "columns"):
            heading[word] = rest
        elif line and word != "#":
            cells += _read_row(line, heading)
    return cells


def _read_row(line: str, heading: Mapping[str, str]) -> Iterator[Cell]:
    head, *entries = line.split("  ")
    row = dict(zip(heading["rows"].split(), head.split(), strict=True))
    fixed = _read_options(heading["fixed"].replace(" ", ","))
    for column, entry in zip(heading["columns"].split(), entries, strict=True):
        average, maximum, minimum = entry.split(",")
        options = _read_options(column)
        yield Cell(heading["table"], row, options, fixed, average, int(maximum), int(minimum))


def _read_options(text: str) -> dict[str, str]:
    pairs = (option.partition("=") for option in text.split(","))
    return {name: value for name, _, value in pairs}


def cell_match(interpretation: str, **options: object) -> Match:
    """Return the match of a cell in an interpretation."""
    strategy = find_strategy("rule-based").with_options(interpretation=interpretation, **options)
    return Match(strategy.label, RULES[interpretation], 3, SIZES[interpretation])


MISPRINTS = {
    "thesis.B4.w0.9.p0.6": Correction(
        "15.2650", "the second digit is wrong: its neighbours are 15.2778 and 15.2621"
    )
}


def tables() -> list[PrintedTable]:
    """Return Figure 1 and the tables of the appendix."""
    by_table: dict[str, list[Cell]] = {}
    for cell in appendix_b():
        by_table.setdefault(cell.table, []).append(cell)
    found = [_figure_1(by_table["B1"])]
    for name, cells in by_table.items():
        items = [item for cell in cells for item in _items(cell)]
        fixed = dict(sorted(cells[0].fixed.items(), key=lambda option: "rule" not in option[0]))
        title = f"Appendix B, table {name[1:]}: {in_symbols(fixed)}"
        found.append(PrintedTable(id=f"thesis.{name}", paper="thesis", title=title, items=items))
    return found


def _items(cell: Cell) -> Iterator[Item]:
    options = {name.replace("-", "_"): value for name, value in cell.options.items()}
    match = cell_match("program", **options)
    row, column = in_symbols(cell.row), in_symbols(cell.column)
    table = "Figure 1" if cell.table == "F1" else f"Appendix B, table {cell.table[1:]}"
    place = f"{table}, {row}, {column}"
    yield Average(
        id=f"{cell.id}.average",
        place=f"{place}, average",
        printed=cell.average,
        interpretation="program",
        match=match,
        alternative=cell_match("paper", **options),
        decks=DECKS,
        repeats=REPEATS,
        correction=MISPRINTS.get(cell.id),
        row=row,
        column=column,
    )
    for name, printed in (("maximum", cell.maximum), ("minimum", cell.minimum)):
        yield Extreme(
            id=f"{cell.id}.{name}",
            place=f"{place}, {name}",
            printed=printed,
            interpretation="program",
            match=match,
            highest=name == "maximum",
            decks=DECKS,
            repeats=REPEATS,
            row=row,
            column=column,
        )


FIVE_DIGITS = {
    ("1", "1"): "5.50562",
    ("2", "1"): "5.77127",
    ("3", "1"): "4.96048",
    ("4", "1"): "4.86980",
}
"""The first column of Figure 1, which has one digit more than the appendix."""


def _figure_1(cells: list[Cell]) -> PrintedTable:
    items: list[Item] = []
    for cell in cells:
        if cell.row["play-threshold"] == "1.0":
            rules = (cell.row["discard-rule"], cell.column["hint-rule"])
            printed = FIVE_DIGITS.get(rules, cell.average)
            figure = Cell(
                "F1", cell.row, cell.column, cell.fixed, printed, cell.maximum, cell.minimum
            )
            items += _items(figure)
    title = "Figure 1: ωp = ωs = ωd = ωh = 1"
    return PrintedTable(id="thesis.F1", paper="thesis", title=title, items=items)
