"""Tables and figures of Markdown pages, generated from stored results.

A result is stored once, as ``docs/results/data/NAME.csv``: lines ``# key: value`` that say how it
was measured, then the rows. A page shows it between ``<!-- table: NAME -->`` and ``<!-- end of
table -->``, and single figures between ``<!-- figure: ADDRESS -->`` and ``<!-- end -->``.
``python -m hanabilab.lab.document_tables`` writes all pages of the project; a test fails if a page
and its data differ. CONTRIBUTING.md says how to add a table.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from hanabilab.errors import FormatError
from hanabilab.formats.data_table import DataTable
from hanabilab.lab.files import write_text

__all__ = [
    "DATA",
    "PROVENANCE",
    "StoredResult",
    "document_pages",
    "look_up",
    "read_result",
    "update_page",
    "write_result",
]

DATA = Path("docs", "results", "data")
"""The folder of the stored results, seen from the top of the repository."""
PROVENANCE = ("command", "games", "seed", "rules", "date")
"""Facts that a file must state, `none` where one does not apply.

A file that begins with `# from: NAME` shows values of another file, and has the facts of that
file unless it states others.
"""
TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
FIGURE = re.compile(r"(<!-- figure: ([^>]+?) -->)(.*?)(<!-- end -->)", re.DOTALL)
REFERENCE = re.compile(r"\[\[([^\[\]]+)\]\]")
NUMBER = re.compile(r"\W*\d[^a-zA-Z]{0,20}[a-zA-Z]{0,2}")
"""A cell that is aligned to the right: a number, perhaps with its error or a unit."""


class Value(str):
    """A stored value; a format such as ``.2f`` reads it as a number."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        """Return the value as it is stored, or as a number in some format."""
        if spec == "percent":
            rate = float(self)
            return f"{rate:.0%}"[:-1] + " %" if rate in (0, 1) else f"{100 * rate:.1f} %"
        return format(float(self), spec) if spec else str(self)


@dataclass(frozen=True)
class StoredResult:
    """A result as its file has it.

    Most files hold a table as it is shown. With a line ``# cell: TEMPLATE`` the rows are records
    instead: the values of the columns named by ``# rows:`` label a row of the table, those of
    ``# columns:`` a column, and the template makes a cell of the rest of the record.
    """

    folder: Path
    name: str
    about: Mapping[str, Sequence[str]]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def fact(self, key: str) -> str:
        """Return a line of the head of the file, or an empty text."""
        return " ".join(self.about.get(key, ()))

    @cached_property
    def resolved(self) -> list[list[str]]:
        """The rows with the values that they refer to."""
        return [
            [REFERENCE.sub(lambda link: look_up(self.folder, link[1]), cell) for cell in row]
            for row in self.rows
        ]

    @cached_property
    def records(self) -> list[dict[str, Value]]:
        """The rows by the names of their columns."""
        return [dict(zip(self.header, map(Value, row), strict=True)) for row in self.resolved]

    def keys(self, which: str) -> list[str]:
        """Return the columns whose values label the rows, or the columns, of the table."""
        return [key.strip() for key in self.fact(which).split(",") if key.strip()]

    def shown(self) -> DataTable:
        """Return the table that the pages show."""
        template = self.fact("cell")
        if not template:
            return _aligned(self.header, self.resolved)
        across = self.keys("columns")[0]
        titles = list(dict.fromkeys(record[across] for record in self.records))
        found: dict[tuple[str, ...], dict[str, str]] = {}
        for record in self.records:
            label = tuple(map(str, (record[key] for key in self.keys("rows"))))
            found.setdefault(label, {})[record[across]] = template.format(**record)
        rows = [
            [f"`{label[0]}`", *label[1:], *(cells.get(title, "") for title in titles)]
            for label, cells in found.items()
        ]
        head = self.fact("heading") or "{}"
        return _aligned((*self.keys("rows"), *map(head.format, titles)), rows)

    def cell(self, row: str, column: str, template: str = "") -> str:
        """Return one value: of a row and a column, or of a record by a template."""
        if not self.fact("cell"):
            for record in self.records:
                if record[self.header[0]] == row and column in record:
                    return str(record[column])
        else:
            down, across = self.keys("rows")[0], self.keys("columns")[0]
            for record in self.records:
                if (record[down], record[across]) == (row, column):
                    return (template or self.fact("cell")).format(**record)
        raise FormatError(f"{self.name}.csv has no row {row!r} with a column {column!r}")

    def provenance(self, page: Path) -> str:
        """Return how the result was measured, as Markdown, with a link to the file."""
        if source := self.fact("from"):
            other = read_result(self.folder, source)
            inherited = {key: other.about[key] for key in PROVENANCE}
            return replace(other, about={**inherited, **self.about, "from": ()}).provenance(page)
        file = self.folder / f"{self.name}.csv"
        data = Path(os.path.relpath(file, page.parent)).as_posix()
        facts = [self._fact_text(key) for key in PROVENANCE[1:] if self.fact(key) != "none"]
        words = f"{'; '.join(facts)} ([data]({data}))"
        commands = [line for line in self.about["command"] if line != "none"]
        note = f" {self.fact('note')}" if self.fact("note") else ""
        if len(commands) == 1 and len(commands[0]) <= 100:
            return f"`{commands[0]}`: {words}.{note}\n"
        lines = "".join(f"$ {line}\n" for line in commands)
        block = f"\n```console\n{lines}```\n" if commands else ""
        return f"{words[0].upper()}{words[1:]}.{note}\n{block}"

    def _fact_text(self, key: str) -> str:
        text = self.fact(key)
        words = {"games": f"{text} games", "seed": f"seed {text}", "rules": f"rules {text}"}
        return text if key == "games" and not text[-1].isdigit() else words.get(key, text)


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> DataTable:
    """Return a table whose trailing columns of numbers are aligned to the right."""
    columns = list(zip(*rows, strict=True))
    text = len(header)
    while text and all(not cell or NUMBER.fullmatch(cell) for cell in columns[text - 1]):
        text -= 1
    return DataTable(header=tuple(header), rows=tuple(map(tuple, rows)), text_columns=text)


def read_result(folder: Path, name: str) -> StoredResult:
    """Return a stored result."""
    path = folder / f"{name}.csv"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FormatError(f"there is no stored result {path}") from None
    about: dict[str, list[str]] = {}
    lines = text.splitlines(keepends=True)
    head = [line for line in lines if line.startswith("# ")]
    for line in head:
        key, _, value = line.removeprefix("# ").partition(":")
        about.setdefault(key.strip(), []).append(value.strip())
    missing = [key for key in PROVENANCE if key not in about]
    if missing and "from" not in about:
        raise FormatError(f"{path}: the line `# {missing[0]}: …` is missing")
    header, *rows = csv.reader(lines[len(head) :])
    for number, row in enumerate(rows, len(head) + 2):
        if len(row) != len(header):
            raise FormatError(f"{path}, line {number}: {len(row)} cells, expected {len(header)}")
    return StoredResult(folder, name, about, tuple(header), tuple(map(tuple, rows)))


def write_result(
    file: Path, about: Mapping[str, object], rows: Sequence[Mapping[str, object]]
) -> None:
    """Store a result with the facts about it; `rows` have the same keys."""
    stream = io.StringIO()
    stream.writelines(f"# {key}: {value}\n" for key, value in about.items())
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file, stream.getvalue())


def look_up(folder: Path, address: str) -> str:
    """Return the value at an address: NAME | ROW | COLUMN, perhaps with | TEMPLATE."""
    parts = [part.strip() for part in address.split("|")]
    if len(parts) not in (3, 4):
        raise FormatError(f"{address!r} is not NAME | ROW | COLUMN or NAME | ROW | COLUMN | CELL")
    return read_result(folder, parts[0]).cell(*parts[1:])


@cache
def _computed() -> dict[str, str]:
    """Return the tables that are computed from the optima that come with the package."""
    from hanabilab.lab.optimum_page import sections

    return sections()


def update_page(page: Path, root: Path) -> str:
    """Return the text of a page with its tables and figures generated from the stored results."""
    folder = root / DATA

    def table(found: re.Match[str]) -> str:
        return f"{found[1]}\n{_table_text(folder, found[2], page)}\n{found[4]}"

    def figure(found: re.Match[str]) -> str:
        return f"{found[1]}{look_up(folder, found[2])}{found[4]}"

    try:
        return FIGURE.sub(figure, TABLE.sub(table, page.read_text(encoding="utf-8")))
    except FormatError as error:
        raise FormatError(f"{page}: {error}") from None


def _table_text(folder: Path, name: str, page: Path) -> str:
    if not (folder / f"{name}.csv").is_file() and name in _computed():
        return _computed()[name]
    result = read_result(folder, name)
    return f"{result.shown().to_markdown()}\n{result.provenance(page)}"


def document_pages(root: Path) -> Iterator[Path]:
    """Yield the pages that may show results."""
    yield root / "README.md"
    yield from sorted((root / "docs").rglob("*.md"))


def main(words: Sequence[str]) -> None:
    """Write the pages named, or all of the repository in the current folder."""
    root = Path.cwd()
    for page in map(Path, words) if words else document_pages(root):
        text = update_page(page.resolve(), root)
        if text != page.read_text(encoding="utf-8"):
            write_text(page, text)


if __name__ == "__main__":
    main(sys.argv[1:])
