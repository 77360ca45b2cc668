"""Reproduce papers, table by table, and summarize how closely the results agree."""

from __future__ import annotations

import difflib
import importlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from hanabilab import __version__
from hanabilab.checks import check_choice
from hanabilab.errors import HanabiError
from hanabilab.lab.result import Bar, Result
from hanabilab.lab.workers.connection import Cluster
from hanabilab.papers.items import Average, Finding, PrintedTable
from hanabilab.papers.runner import FULL, QUICK, Runner, match_progress
from hanabilab.papers.verdicts import ERRATUM, VERDICTS

__all__ = [
    "PAPERS",
    "ErrorSummary",
    "Reproduction",
    "TableFindings",
    "error_summaries",
    "reproduce",
    "select_tables",
]

PAPERS = ("thesis", "aspects", "hoad", "kessler", "cox")
SEED = 1
NEAR = 5
COLUMNS = ("id", "paper", "place", "stderr", "games", "verdict", "difference", "rules", "seconds")
"""The fields of a finding that are columns of the table of all findings."""

Notify = Callable[["TableFindings"], None]


@dataclass(frozen=True, slots=True)
class TableFindings:
    """A table with its findings."""

    table: PrintedTable
    findings: tuple[Finding, ...]
    seconds: float

    def verdicts(self) -> Counter[str]:
        """Count the items by verdict."""
        return Counter(finding.verdict for finding in self.findings)


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Result):
    """All findings, and the settings that produced them."""

    paper: str
    only: str | None
    effort: str
    seed: int
    tables: tuple[TableFindings, ...]
    seconds: float
    runner: Runner = field(repr=False)
    version: str = __version__

    @property
    def findings(self) -> list[Finding]:
        """The findings of all items in order."""
        return [finding for part in self.tables for finding in part.findings]

    @property
    def games(self) -> int:
        """Number of games played."""
        return sum(played.tally.played for played in self.runner.results.values())

    @property
    def distinct_errata(self) -> int:
        """Number of errata, each counted once however many items it concerns."""
        return len({(f.paper, f.reason) for f in self.findings if f.verdict == ERRATUM})

    @property
    def unexplained(self) -> list[Finding]:
        """The findings that differ without an explanation."""
        return [finding for finding in self.findings if finding.unexplained]

    def command(self, only: str | None = None) -> str:
        """Return the command that repeats the reproduction, or a part of it."""
        words = ["hanabilab reproduce"]
        if only or self.only:
            words.append(f"--only '{only or self.only}'")
        elif self.paper != "all":
            words.append(self.paper)
        words += ["--full"] if self.effort == FULL else []
        return " ".join([*words, f"--seed {self.seed}"])

    def verdicts(self) -> dict[str, dict[str, int]]:
        """Count the items of each paper by verdict."""
        counts: dict[str, Counter[str]] = {}
        for part in self.tables:
            counts.setdefault(part.table.paper, Counter()).update(part.verdicts())
        return {
            paper: {verdict: count[verdict] for verdict in VERDICTS}
            for paper, count in counts.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain data, with the settings."""
        return {
            "paper": self.paper,
            "only": self.only,
            "effort": self.effort,
            "seed": self.seed,
            "version": self.version,
            "seconds": self.seconds,
            "findings": self.to_list(),
        }

    def to_list(self) -> list[dict[str, Any]]:
        """Return the findings as plain data, one object per item."""
        return [finding.to_dict() for finding in self.findings]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per item; printed and computed values are text, because some are exact."""
        return [
            {name: data[name] for name in COLUMNS}
            | {"printed": str(data["printed"]), "got": str(data["got"])}
            for data in self.to_list()
        ]

    def bars(self) -> list[Bar]:
        """Return the number of items with each verdict."""
        counts = Counter(finding.verdict for finding in self.findings)
        return [Bar(verdict, counts[verdict]) for verdict in VERDICTS]

    def summary(self) -> str:
        """Return how many items were recomputed, and how many have each verdict."""
        counts = ", ".join(f"{bar.value:,.0f} {bar.label}" for bar in self.bars() if bar.value)
        return f"{self.only or self.paper}: {len(self.findings):,} items: {counts or 'none'}"


def title_of(paper: str) -> str:
    """Return the title of a paper."""
    return str(importlib.import_module(f"hanabilab.papers.{paper}").TITLE)


def select_tables(
    paper: str = "all", effort: str = QUICK, only: str | None = None
) -> list[PrintedTable]:
    """Return the tables of a paper or of all; `only` is an id, its beginning or a pattern."""
    check_choice("paper", paper, (*PAPERS, "all"))
    names = PAPERS if paper == "all" else (paper,)
    tables: list[PrintedTable] = []
    for name in names:
        tables += importlib.import_module(f"hanabilab.papers.{name}").tables(effort)
    if only is None:
        return tables
    chosen = _choose(tables, partial(_matches, only=only))
    chosen = chosen or _choose(tables, lambda id: id.startswith(only))
    if not chosen:
        raise HanabiError(
            f"--only {only}: no such item; near: {', '.join(_similar_ids(only, tables))}"
        )
    return chosen


def _choose(
    tables: Sequence[PrintedTable], is_selected: Callable[[str], bool]
) -> list[PrintedTable]:
    """Return the selected tables, and the selected items of others."""
    chosen = [
        table
        if is_selected(table.id)
        else replace(table, items=[item for item in table.items if is_selected(item.id)])
        for table in tables
    ]
    return [table for table in chosen if table.items]


def _matches(id: str, only: str) -> bool:
    return id == only or id.startswith(f"{only}.") or fnmatchcase(id, only)


def _similar_ids(only: str, tables: Sequence[PrintedTable]) -> list[str]:
    """Return similar ids, or else the first tables."""
    ids = [table.id for table in tables]
    ids += [item.id for table in tables for item in table.items]
    return difflib.get_close_matches(only, ids, NEAR, 0.5) or [table.id for table in tables][:NEAR]


def reproduce(
    paper: str = "all",
    *,
    effort: str = QUICK,
    only: str | None = None,
    seed: int = SEED,
    threads: int | None = None,
    cluster: Cluster = None,
    folder: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    notify: Notify | None = None,
) -> Reproduction:
    """Reproduce every item of a paper (`thesis`, `aspects`, `hoad`, `kessler`, `cox`) or of all.

    Parameters
    ----------
    effort
        ``quick``: smaller samples, two minutes; ``full``: the papers' own sample sizes or more.
    only
        An item's id, the beginning of ids, or a pattern such as ``*.average``.
    seed, threads, cluster
        As for `hanabilab.simulate`.
    folder
        Where the results of matches are logged, to resume after an interruption.
    notify
        Called with each finished table.
    """
    tables = select_tables(paper, effort, only)
    start = time.perf_counter()
    runner = Runner(effort, seed=seed, threads=threads, cluster=cluster, folder=folder)
    found = []
    for table in tables:
        before = time.perf_counter()
        matches = dict.fromkeys(match for item in table.items for match in item.matches())
        with match_progress(table.id, len(matches), progress) as report:
            runner.play_all(matches, report)
            findings = tuple(item.find(runner, table.paper) for item in table.items)
        part = TableFindings(table, findings, time.perf_counter() - before)
        found.append(part)
        if notify:
            notify(part)
    seconds = time.perf_counter() - start
    return Reproduction(paper, only, effort, seed, tuple(found), seconds, runner)


def default_folder() -> Path:
    """Return the default folder for the log of a full run."""
    from hanabilab.core.code_cache import cache_folder

    return cache_folder().parents[1] / "reproduce"


CLOSE_POINTS = 0.15
TABLES = {"Appendix B": "thesis.B*.average", "Aspects, Table 1": "aspects.1.d*.h*"}
"""Patterns of the ids of cells that are summarized together."""


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """The differences of many means from the printed ones, with misprints corrected."""

    name: str
    interpretation: str
    cells: int
    mean: float
    """The mean of the absolute differences."""
    near: float
    """The share of cells within `CLOSE_POINTS`."""
    farthest: float
    where: str

    def __str__(self) -> str:
        return (
            f"{self.name}, {self.interpretation} interpretation: {self.cells} cells, "
            f"{self.mean:.3f} apart on average, {100 * self.near:.1f} % within {CLOSE_POINTS}, "
            f"farthest {self.farthest:.2f} ({self.where})"
        )


def error_summaries(findings: Iterable[Finding]) -> list[ErrorSummary]:
    """Return a summary for each set of cells and each interpretation reproduced."""
    found = []
    kept = [finding for finding in findings if isinstance(finding.item, Average)]
    for name, pattern in TABLES.items():
        cells = [finding for finding in kept if fnmatchcase(finding.item.id, pattern)]
        if not cells:
            continue
        found.append(_summarize(name, "program", [(float(f.measured.got), f) for f in cells]))
        alternative = [(f.measured.alternative["got"], f) for f in cells if f.measured.alternative]
        if alternative:
            found.append(_summarize(name, "paper", alternative))
    return found


def _summarize(name: str, interpretation: str, cells: list[tuple[float, Finding]]) -> ErrorSummary:
    apart = []
    for got, finding in cells:
        right = finding.item.printed
        if finding.verdict == ERRATUM and finding.item.correction:
            right = finding.item.correction.right
        apart.append((abs(got - float(right)), finding.item.id))
    farthest, where = max(apart)
    return ErrorSummary(
        name,
        interpretation,
        len(apart),
        sum(difference for difference, _ in apart) / len(apart),
        sum(difference <= CLOSE_POINTS for difference, _ in apart) / len(apart),
        farthest,
        where,
    )
