"""The report on the terminal."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from hanabilab.lab.tally import plus_minus
from hanabilab.papers.items import Average, Finding
from hanabilab.papers.reproduction import Reproduction, TableFindings, error_summaries, title_of
from hanabilab.papers.verdicts import (
    CLOSE,
    DIFFERS,
    ERRATUM,
    INTERPRETED,
    REFUTED,
    UNDECIDED,
    VERDICTS,
    Value,
)

__all__ = ["format_value", "print_page", "value_with_error"]

COLOURS = {
    "exact": "green",
    "agrees": "green",
    "close": "yellow",
    "undecided": "yellow",
    "differs": "red",
    "erratum": "magenta",
    "refuted": "magenta",
    "interpreted": "cyan",
}
WIDTH = 100
LONG_TITLE = 42


def print_page(found: Reproduction, console: Console | None = None) -> None:
    """Print each table in a line, the main numbers in full, then all items not as printed."""
    if console is None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
        console = Console(width=min(width, WIDTH), highlight=False)
    size = "the papers' sample sizes" if found.effort == "full" else "quick: smaller samples"
    console.print(f"[bold]What the papers print, and what we get[/] ({size}, seed {found.seed})")
    for paper in dict.fromkeys(part.table.paper for part in found.tables):
        parts = [part for part in found.tables if part.table.paper == paper]
        console.print()
        console.print(Text(title_of(paper), style="bold"))
        console.print(_overview(parts))
        headlines = [f for part in parts for f in part.findings if f.item.headline]
        if headlines:
            console.print()
            console.print(_side_by_side(headlines))
    _print_notable(found, console)
    console.print()
    for line in error_summaries(found.findings):
        console.print(str(line))
    console.print()
    console.print(_summary(found))
    console.print(_closing(found))


def _plain_table(*columns: str, right: Sequence[str] = ()) -> RichTable:
    table = RichTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def _overview(parts: Sequence[TableFindings]) -> RichTable:
    table = _plain_table("table", "what", "items", "verdicts", "farthest", right=("items",))
    for part in parts:
        counts = part.verdicts()
        verdicts = Text(" ").join(
            Text(f"{counts[verdict]} {verdict}", style=COLOURS[verdict])
            for verdict in VERDICTS
            if counts[verdict]
        )
        title = part.table.title
        if len(title) > LONG_TITLE:
            title = title[: title.rfind(" ", 0, LONG_TITLE)].rstrip(",:") + " …"
        table.add_row(part.table.id, title, str(len(part.findings)), verdicts, _farthest(part))
    return table


def _farthest(part: TableFindings) -> str:
    """Return the largest difference between a mean and its printed value, misprints aside."""
    apart = [
        abs(finding.measured.difference or 0.0)
        for finding in part.findings
        if isinstance(finding.item, Average) and finding.verdict != ERRATUM
    ]
    return f"{max(apart):.2f}" if apart else ""


def format_value(value: Value) -> str:
    """Return a value as text for display."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return f"{float(value):.6g}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def value_with_error(finding: Finding) -> str:
    """Return our result with its standard error."""
    measured = finding.measured
    if isinstance(measured.got, float) and measured.stderr:
        return plus_minus(measured.got, measured.stderr)
    return format_value(measured.got)


def _side_by_side(findings: Sequence[Finding]) -> RichTable:
    table = _plain_table("item", "printed", "ours", "σ apart", "verdict", right=("σ apart",))
    for finding in findings:
        table.add_row(
            finding.item.place,
            format_value(finding.item.printed),
            value_with_error(finding),
            "" if finding.sigmas is None else f"{finding.sigmas:+.1f}",
            Text(finding.verdict, style=COLOURS[finding.verdict]),
        )
    return table


def _print_notable(found: Reproduction, console: Console) -> None:
    for verdict, title in (
        (DIFFERS, "Differs"),
        (ERRATUM, "Errata: what is printed is wrong, and we get what is right"),
        (REFUTED, "Conjectures that are false"),
        (INTERPRETED, "Wrong in one interpretation, right in another"),
    ):
        notable = [finding for finding in found.findings if finding.verdict == verdict]
        if notable:
            console.print()
            console.print(Text(title, style="bold"))
        for finding, more in _gathered(notable):
            words = Text(f"{finding.item.place}: ")
            words.append(format_value(finding.item.printed), style=COLOURS[verdict])
            words.append(f", ours {value_with_error(finding)}")
            words.append(f" (and {more} more)" if more else "", style="dim")
            console.print(words)
            why = finding.reason or "no explanation"
            style = "dim" if finding.reason else "red"
            console.print(Padding(Text(why, style=style), (0, 0, 0, 4)))
    verdicts = Counter(finding.verdict for finding in found.findings)
    for verdict, meaning in (
        (CLOSE, "close: beyond 3 standard errors but within 2 %."),
        (UNDECIDED, "undecided: statements within the noise of our samples."),
    ):
        if verdicts[verdict]:
            console.print()
            console.print(f"{verdicts[verdict]} more are {meaning}")


def _gathered(findings: Sequence[Finding]) -> list[tuple[Finding, int]]:
    """Return one finding per reason, with the number of others, and those without a reason."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.reason or finding.item.id, []).append(finding)
    return [(group[0], len(group) - 1) for group in groups.values()]


def _summary(found: Reproduction) -> RichTable:
    table = _plain_table("paper", "items", *VERDICTS, right=("items", *VERDICTS))
    for paper, counts in found.verdicts().items():
        cells = [
            Text(str(counts[verdict]), style=COLOURS[verdict] if counts[verdict] else "dim")
            for verdict in VERDICTS
        ]
        table.add_row(paper, str(sum(counts.values())), *cells)
    return table


def _closing(found: Reproduction) -> Text:
    unexplained = found.unexplained
    words = (
        f"{len(found.findings):,} items, {found.distinct_errata} distinct errata, "
        f"{found.games:,} games, {found.seconds:.0f} s. "
    )
    if not unexplained:
        return Text(words + "Nothing differs without an explanation.", style="bold green")
    ids = ", ".join(finding.item.id for finding in unexplained[:5])
    more = ", …" if len(unexplained) > 5 else ""
    return Text(words + f"{len(unexplained)} differ unexplained: {ids}{more}", style="bold red")
