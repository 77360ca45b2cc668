"""The report: one self-contained HTML page with a light and a dark theme."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from hanabilab.errors import HanabiError
from hanabilab.lab.files import json_safe, write_text
from hanabilab.papers.items import Finding
from hanabilab.papers.report.beyond import beyond_section
from hanabilab.papers.report.figures import Figure, Section, figures
from hanabilab.papers.report.terminal import format_value, value_with_error
from hanabilab.papers.reproduction import Reproduction, TableFindings, error_summaries, title_of
from hanabilab.papers.verdicts import (
    CLOSE,
    DIFFERS,
    ERRATUM,
    INTERPRETED,
    REFUTED,
    UNDECIDED,
    VERDICTS,
)

__all__ = ["create_folder", "report_html", "write_report"]

STYLE = files("hanabilab.papers.report") / "report.css"
FILTER = files("hanabilab.papers.report") / "filter.js"
FULL_COLOUR = 0.3
"""Points of difference that get the strongest color."""
SMALL = 40
"""Tables with at most this many items are expanded."""
NOT_AS_PRINTED = {
    "departures": (
        "Departures: what differs, is only close, or is undecided",
        (DIFFERS, CLOSE, UNDECIDED),
    ),
    "errata": ("Errata: what is printed is wrong", (ERRATUM,)),
    "refuted": ("Conjectures that are false", (REFUTED,)),
    "interpreted": ("Wrong in one interpretation, right in another", (INTERPRETED,)),
}
"""The lists at the end: titles, and the verdicts of their items."""
EXTRA_SECTIONS: list[Callable[[Reproduction], Section | None]] = [beyond_section]
"""Sections beyond the papers, in order."""


def create_folder(folder: str) -> None:
    """Create the folder of a report, or raise before any game is played."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HanabiError(f"--out {folder}: {error.strerror}") from None


def write_report(found: Reproduction, folder: str) -> Path:
    """Write index.html and results.json, and return the path of the former."""
    create_folder(folder)
    page, data = Path(folder) / "index.html", Path(folder) / "results.json"
    write_text(page, report_html(found))
    write_text(data, json.dumps(json_safe(found.to_list()), ensure_ascii=False, indent=1) + "\n")
    return page


def report_html(found: Reproduction) -> str:
    """Return the whole page as text."""
    papers = list(dict.fromkeys(part.table.paper for part in found.tables))
    extra = [section for make in EXTRA_SECTIONS if (section := make(found)) is not None]
    contents = _contents(found, extra)
    body = [_heading(found), contents, _summary(found), _agreement(found), _filter()]
    for paper in papers:
        body.append(f'<h2 id="{paper}">{escape(title_of(paper))}</h2>')
        body.append(_figures(figures(found, paper), found))
        parts = [part for part in found.tables if part.table.paper == paper]
        body += [_table(part, found) for part in parts]
    for section in extra:
        body.append(f'<h2 id="{section.id}">{escape(section.title)}</h2>{section.html}')
        body.append(_figures(section.figures, found))
    body += _lists(found)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>hanabilab: the papers, reproduced</title>"
        f"<style>{STYLE.read_text('utf-8')}</style></head>"
        f"<body><main>{''.join(body)}</main>"
        f"<script>{FILTER.read_text('utf-8')}</script></body></html>\n"
    )


def _contents(found: Reproduction, extra: Sequence[Section]) -> str:
    """Return the table of contents: papers with their tables, then the other sections."""
    lines = []
    for paper in dict.fromkeys(part.table.paper for part in found.tables):
        tables = "".join(
            f'<li><a href="#{escape(part.table.id)}">{escape(part.table.title)}</a></li>'
            for part in found.tables
            if part.table.paper == paper
        )
        lines.append(f'<li><a href="#{paper}">{escape(title_of(paper))}</a><ul>{tables}</ul></li>')
    others = [(section.id, section.title) for section in extra] + [
        (id, title) for id, (title, _) in NOT_AS_PRINTED.items()
    ]
    lines += [f'<li><a href="#{id}">{escape(title)}</a></li>' for id, title in others]
    opened = " open" if len(found.tables) <= SMALL else ""
    return (
        f'<details class="contents"{opened}><summary>Contents</summary>'
        f"<nav><ol>{''.join(lines)}</ol></nav></details>"
    )


def _filter() -> str:
    choices = "".join(f'<option value="{verdict}">{verdict}</option>' for verdict in VERDICTS)
    return (
        '<form class="filter" onsubmit="return false"><label>Show items with '
        '<input id="filter-words" type="search" placeholder="words or an id"></label>'
        '<label>and the verdict <select id="filter-verdict"><option value="">any</option>'
        f'{choices}</select></label> <output id="filter-count"></output></form>'
    )


def _heading(found: Reproduction) -> str:
    size = "the papers' own sample sizes" if found.effort == "full" else "smaller samples (quick)"
    resumed = found.runner.resumed
    earlier = f" ({resumed:,} matches are from an earlier run)" if resumed else ""
    return (
        "<h1>Every number of the papers, and what we get</h1>"
        f"<p>{len(found.findings):,} printed numbers and statements, {found.games:,} games, "
        f"{size}, seed {found.seed}, {found.seconds / 60:.1f} minutes{earlier}, "
        f"hanabilab {found.version}. "
        f"The same again: <code>{escape(found.command())}</code></p>"
    )


def _chip(verdict: str, words: str = "") -> str:
    return f'<span class="chip {verdict}">{words or verdict}</span>'


def _summary(found: Reproduction) -> str:
    head = "".join(f"<th>{_chip(verdict)}</th>" for verdict in VERDICTS)
    rows = "".join(
        f'<tr><th><a href="#{paper}">{paper}</a></th><td class="num">{sum(counts.values())}</td>'
        + "".join(f'<td class="num">{counts[verdict] or ""}</td>' for verdict in VERDICTS)
        + "</tr>"
        for paper, counts in found.verdicts().items()
    )
    return (
        '<div class="scroll"><table><thead><tr><th>paper</th><th>items</th>'
        f"{head}</tr></thead>{rows}</table></div>"
        "<p>exact: to the last printed digit. agrees: within three standard errors, ours and the "
        "paper's own; a statement: it holds by two or more. close: within 2 %. undecided: a "
        "statement that holds by less than two standard errors or fails by less than three. "
        "erratum: what is printed is wrong, and we get what is right. refuted: a conjecture that "
        "is false. interpreted: an ambiguous sentence, wrong in one sense, right in another. "
        f"Each erratum counted once, there are {found.distinct_errata}.</p>"
    )


def _agreement(found: Reproduction) -> str:
    lines = "".join(f"<li>{escape(str(line))}</li>" for line in error_summaries(found.findings))
    return f"<ul>{lines}</ul>" if lines else ""


def _figures(drawn: Sequence[Figure], found: Reproduction) -> str:
    if not drawn:
        return ""
    shown_figures = "".join(
        f"<figure{' class=wide' if figure.wide else ''}><h3>{escape(figure.title)}</h3>"
        f"{figure.svg}<figcaption>{escape(figure.caption)}"
        f'<p class="meta"><code>{escape(figure.command)}</code> · {escape(figure.about)} · '
        f"seed {found.seed} · hanabilab {found.version}</p></figcaption></figure>"
        for figure in drawn
    )
    return f'<div class="figures">{shown_figures}</div>'


def _table(part: TableFindings, found: Reproduction) -> str:
    counts = part.verdicts()
    chips = "".join(_chip(v, f"{counts[v]} {v}") for v in VERDICTS if counts[v])
    is_grid = all(finding.item.row for finding in part.findings)
    body = _grid(part.findings) if is_grid else _list(part.findings)
    opened = " open" if len(part.findings) <= SMALL else ""
    about = f"<p>{escape(part.table.about)}</p>" if part.table.about else ""
    return (
        f'<details id="{part.table.id}" data-table{opened}><summary>{escape(part.table.title)} '
        f"<span>{chips}</span></summary>{about}"
        f'<div class="scroll">{body}</div>{_meta(part, found)}</details>'
    )


def _meta(part: TableFindings, found: Reproduction) -> str:
    """Return how the table was generated."""
    rules = sorted({f.measured.rules for f in part.findings if f.measured.rules})
    games = sum(f.measured.games for f in part.findings if f.item.id.endswith("average"))
    games = games or sum(f.measured.games for f in part.findings)
    words = [
        f"<code>{escape(found.command(part.table.id))}</code>",
        *([f"rules {escape(', '.join(rules))}"] if rules else []),
        f"seed {found.seed}",
        *([f"{games:,} games"] if games else ["no games: exact"]),
        f"{part.seconds:.1f} s",
        f"hanabilab {found.version}",
    ]
    return f'<p class="meta">{" · ".join(words)}</p>'


def _apart(finding: Finding) -> str:
    return "" if finding.sigmas is None else f"{finding.sigmas:+.1f}"


def _beside(finding: Finding) -> str:
    alternative = finding.measured.alternative
    return (
        "" if alternative is None else f"{alternative['interpretation']}: {alternative['got']:.2f}"
    )


def _list(findings: Sequence[Finding]) -> str:
    rows = "".join(
        f'<tr id="{escape(finding.item.id)}" data-verdicts="{finding.verdict}" '
        f'title="{escape(_how(finding))}">'
        f"<td>{escape(finding.item.place)}</td><td>{escape(format_value(finding.item.printed))}</td>"
        f"<td>{escape(value_with_error(finding))}</td>"
        f'<td class="num">{_apart(finding)}</td><td>{_chip(finding.verdict)}</td></tr>'
        for finding in findings
    )
    head = "<th>place</th><th>printed</th><th>ours</th><th>σ apart</th><th>verdict</th>"
    return f'<table class="list"><thead><tr>{head}</tr></thead>{rows}</table>'


def _how(finding: Finding) -> str:
    words = [finding.item.id, finding.measured.command, finding.reason]
    return "\n".join(word for word in words if word)


def _grid(findings: Sequence[Finding]) -> str:
    """Return rows and columns as printed, with the items of a cell together."""
    rows: dict[str, dict[str, list[Finding]]] = {}
    for finding in findings:
        cells = rows.setdefault(finding.item.row, {})
        cells.setdefault(finding.item.column, []).append(finding)
    columns = list(dict.fromkeys(finding.item.column for finding in findings))
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = "".join(
        f"<tr><th>{escape(row)}</th>"
        + "".join(_cell(cells[column]) if column in cells else "<td></td>" for column in columns)
        + "</tr>"
        for row, cells in rows.items()
    )
    return f'{KEY}<table class="grid"><thead><tr><th></th>{head}</tr></thead>{lines}</table>'


KEY = (
    '<p class="key">In a cell: printed, <i>below it ours</i>. '
    '<span style="background:color-mix(in srgb, var(--blue) 50%, transparent)">ours lower</span>'
    '<span style="background:color-mix(in srgb, var(--orange) 50%, transparent)">ours higher'
    f"</span> full colour: {FULL_COLOUR} or more</p>"
)


MARKED = (DIFFERS, CLOSE, UNDECIDED, ERRATUM, REFUTED, INTERPRETED)
"""Verdicts that mark a cell, worst first."""


def _cell(findings: Sequence[Finding]) -> str:
    first = findings[0]
    printed = [format_value(finding.item.printed) for finding in findings]
    ours = [value_with_error(finding) for finding in findings]
    worst = next((verdict for verdict in MARKED if verdict in {f.verdict for f in findings}), "")
    mark = f' class="mark-{worst}"' if worst else ""
    verdicts = " ".join(dict.fromkeys(finding.verdict for finding in findings))
    mark += f' data-verdicts="{verdicts}" data-items="{len(findings)}"'
    alternative = f"<small>{escape(_beside(first))}</small>" if first.measured.alternative else ""
    return (
        f'<td{mark}{_colour(first)} title="{escape(_how(first))}">{escape(" · ".join(printed))}'
        f"<i>{escape(' · '.join(ours))}</i>{alternative}</td>"
    )


def _colour(finding: Finding) -> str:
    difference = finding.measured.difference
    if not difference or not finding.measured.stderr:
        return ""
    part = round(55 * min(1.0, abs(difference) / FULL_COLOUR))
    name = "orange" if difference > 0 else "blue"
    return f' style="background:color-mix(in srgb, var(--{name}) {part}%, transparent)"'


def _lists(found: Reproduction) -> Iterator[str]:
    """Yield the lists of all items that are not as printed."""
    for id, (title, verdicts) in NOT_AS_PRINTED.items():
        findings = [finding for finding in found.findings if finding.verdict in verdicts]
        yield f'<h2 id="{id}">{title}</h2>'
        rows = "".join(
            f"<tr><td>{escape(finding.item.place)}</td>"
            f"<td>{escape(format_value(finding.item.printed))}</td>"
            f"<td>{escape(value_with_error(finding))}</td><td>{_chip(finding.verdict)}</td>"
            f"<td>{escape(finding.reason) or _no_reason(finding)}</td></tr>"
            for finding in findings
        )
        head = "<th>place</th><th>printed</th><th>ours</th><th>verdict</th><th>why</th>"
        table = f'<div class="scroll"><table><thead><tr>{head}</tr></thead>{rows}</table></div>'
        yield table if findings else "<p>None.</p>"


def _no_reason(finding: Finding) -> str:
    if finding.verdict == DIFFERS:
        return "no explanation"
    if finding.verdict == UNDECIDED:
        return "holds by less than 2 standard errors, or fails by less than 3"
    return "within 2 %"
