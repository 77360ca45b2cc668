"""The figures of the papers, redrawn beside what is printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hanabilab.formats.svg import histogram_svg
from hanabilab.papers import cox
from hanabilab.papers.aspects import depth_matches, playout_matches
from hanabilab.papers.items import Finding
from hanabilab.papers.report.charts import Figure, Line, heat_map, line_chart
from hanabilab.papers.reproduction import Reproduction
from hanabilab.papers.runner import Match
from hanabilab.papers.thesis.appendix_b import Cell, appendix_b, cell_match
from hanabilab.papers.verdicts import EXACT

__all__ = ["figures"]

TENTHS = [tenth / 10 for tenth in range(11)]
SCORES = list(range(0, 19, 3))


def figures(found: Reproduction, paper: str) -> list[Figure]:
    """Return the figures of a paper whose games have been played."""
    drawn = {"thesis": _thesis, "aspects": _aspects, "cox": _cox}.get(paper)
    return list(drawn(found)) if drawn else []


def _is_known(found: Reproduction, matches: Sequence[Match]) -> bool:
    return all(found.runner.is_known(match) for match in matches)


def _about(found: Reproduction, matches: Sequence[Match]) -> str:
    """Return rules, games and duration in words."""
    played = [found.runner.played(match) for match in dict.fromkeys(matches)]
    rules = ", ".join(dict.fromkeys(one.match.rules for one in played))
    games = sum(one.tally.played for one in played)
    seconds = sum(one.seconds for one in played)
    return f"rules {rules} · {games:,} games · {seconds:.1f} s"


def _thesis(found: Reproduction) -> Iterator[Figure]:
    findings = {finding.item.id: finding for finding in found.findings}
    table_a = [finding for id, finding in findings.items() if id.startswith("thesis.A.")]
    if table_a:
        yield _appendix_a(found, table_a)
    for name, only, symbol, lines in (
        (
            "Figure 2: ρd = 2, ρh = 3, ωd = ωh = 1",
            "thesis.B[12]",
            "ωp",
            {
                f"ωs = {s}": _row(table, "play-threshold", **BEST)
                for s, table in ((1, "B1"), (0, "B2"))
            },
        ),
        (
            "Figure 3: ρd = 2, ρh = 3, ωs = ωh = 1",
            "thesis.B3",
            "ωd",
            {
                f"ωp = {p}": _row("B3", "discard-threshold", play_threshold=p)
                for p in ("0.7", "0.6", "0.5")
            },
        ),
        (
            "Figure 4: ωp = 0.6, ωs = ωd = 1",
            "thesis.B11",
            "ωh",
            {
                f"ρd = {d}, ρh = {h}": _row("B11", "hint-probability", discard_rule=d, hint_rule=h)
                for d in ("2", "3")
                for h in ("2", "3")
            },
        ),
    ):
        yield from _sweep(found, f"Thesis, {name}", only, symbol, lines)


Row = Sequence[tuple[float, Cell]]
BEST = {"discard_rule": "2", "hint_rule": "3"}


def _row(table: str, axis: str, **wanted: str) -> Row:
    """Return cells of a table, each with the value of the option that varies."""
    return [
        (float(cell.options[axis]), cell)
        for cell in appendix_b()
        if cell.table == table
        and all(cell.options[name.replace("_", "-")] == value for name, value in wanted.items())
    ]


def _match(cell: Cell, reading: str) -> Match:
    options = {name.replace("-", "_"): value for name, value in cell.options.items()}
    return cell_match(reading, **options)


def _sweep(
    found: Reproduction, title: str, only: str, symbol: str, rows: Mapping[str, Row]
) -> Iterator[Figure]:
    """Yield a figure with lines in both readings, if the games have been played."""
    lines: list[Line] = []
    used: list[Match] = []
    for number, (label, row) in enumerate(rows.items(), 1):
        printed = [(x, float(cell.average), 0.0) for x, cell in row]
        lines.append(Line(f"{label}, printed", printed, f"line{number}", look="rings"))
        for reading, style in (("program", f"line{number}"), ("paper", f"line{number} faint")):
            matches = [_match(cell, reading) for _, cell in row]
            if _is_known(found, matches):
                tallies = [found.runner.played(match).tally for match in matches]
                points = [(x, t.mean, t.stderr) for (x, _), t in zip(row, tallies, strict=True)]
                lines.append(Line(f"{label}, {reading}", points, style))
                used += matches
            elif reading == "program":
                return
    drawing = line_chart(lines, symbol, "average score", x_ticks=TENTHS, y_ticks=SCORES)
    caption = (
        "Rings: as printed. Lines: ours in the reading of the program, with bars of two standard "
        "errors to each side. Faint: the reading of the text."
    )
    yield Figure(title, drawing, caption, found.command(only), _about(found, used))


def _appendix_a(found: Reproduction, findings: Sequence[Finding]) -> Figure:
    rows: dict[str, list[tuple[str, float]]] = {}
    for finding in findings:
        difference = finding.measured.difference or 0.0
        off = abs(difference) / 0.00005 if finding.verdict == EXACT else 2.0
        exact = float(finding.measured.got)
        words = f"{finding.item.column}: printed {finding.item.printed}, exact {exact:.6f}"
        rows.setdefault(finding.item.row, []).append((words, off))
    drawing = heat_map(list(rows.items()), 2.0)
    caption = (
        "Each square is a cell, a column a composition, from (1, 1, 1, 1, 6) to (6, 1, 1, 1, 1). "
        "The fainter, the closer to the exact value; full colour stands for half a unit of the "
        "fourth digit, the most that rounding explains. The marked ones are wrong."
    )
    return Figure(
        "Thesis, Appendix A: printed less exact",
        drawing,
        caption,
        found.command("thesis.A"),
        "no games: exact",
        wide=True,
    )


def _aspects(found: Reproduction) -> Iterator[Figure]:
    thresholds = {
        "ωp": _row("B1", "play-threshold", **BEST),
        "ωd": _row("B3", "discard-threshold", play_threshold="0.6"),
        "ωh": _row("B11", "hint-probability", **BEST),
    }
    yield from _sweep(
        found,
        "Aspects, Figure 2: ρd = 2, ρh = 3, ωs = 1, each of ωp = 0.6, ωd = ωh = 1 varied alone",
        "aspects.F2",
        "ωp, ωd or ωh",
        thresholds,
    )
    depths = depth_matches(found.effort)
    playouts = playout_matches()
    ticks = list(range(0, 21, 4))
    for name, matches, label, x_ticks in (
        ("varying D", depths, "D", [0, 2, 4, 6, 8, 10]),
        ("D = 5, varying the number of play-outs", playouts, "play-outs", [0, 250, 500, 750, 1000]),
    ):
        if not _is_known(found, list(matches.values())):
            continue
        points, spread = [], []
        for value, match in matches.items():
            tally = found.runner.played(match).tally
            points.append((float(value), tally.mean, tally.stderr))
            spread.append((float(value), tally.mean, tally.stdev / 2))
        lines = [
            Line("one standard deviation of a game", spread, "line2 faint"),
            Line("ours, two standard errors", points, "line1"),
        ]
        number = 500 if found.effort == "full" else 100
        what = f"{number} play-outs, {name}" if matches is depths else name
        yield Figure(
            f"Aspects, Figure 3: Monte Carlo, {what}",
            line_chart(lines, label, "average score", x_ticks=x_ticks, y_ticks=ticks),
            "The figure of the paper is a drawing without numbers: of it the text says an average "
            "around 14, at most 14.5 with 1000 play-outs, scores from 0 or 6 up to 20.",
            found.command("aspects.F3"),
            _about(found, list(matches.values())),
        )


def _cox(found: Reproduction) -> Iterator[Figure]:
    for (name, reading), match in cox.MATCHES.items():
        if not _is_known(found, [match]):
            continue
        played = found.runner.played(match)
        tally = played.tally
        reading_words = f", {reading} reading" if reading else ""
        yield Figure(
            f"Cox et al., Figure 8: {name}{reading_words}",
            histogram_svg(tally.histogram, "histogram of the scores", lowest=15, mean=tally.mean),
            f"{tally}. {tally.played:,} games; printed average {cox.PRINTED[name]}. "
            f"{sum(tally.histogram[:15]):,} games below 15 points are not drawn.",
            played.command,
            _about(found, [match]),
        )
