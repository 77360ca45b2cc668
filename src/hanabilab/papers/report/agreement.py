"""How close the cells of Appendix B and Table 1 are as a whole, in both readings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hanabilab.papers.items import Finding
from hanabilab.papers.sampled_items import Average
from hanabilab.papers.verdicts import ERRATUM

__all__ = ["Agreement", "agreements"]

NEAR = 0.15
TABLES = {"Appendix B": "thesis.B*.average", "Aspects, Table 1": "aspects.1.d*.h*"}
"""Cells that belong together, by their ids."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The differences of many means from what is printed, misprints corrected."""

    name: str
    reading: str
    cells: int
    mean: float
    """The mean of the absolute differences."""
    near: float
    """The share of cells within 0.15."""
    farthest: float
    where: str

    def __str__(self) -> str:
        return (
            f"{self.name}, {self.reading} reading: {self.cells} cells, {self.mean:.3f} apart on "
            f"average, {100 * self.near:.1f} % within {NEAR}, farthest {self.farthest:.2f} "
            f"({self.where})"
        )


def agreements(findings: Iterable[Finding]) -> list[Agreement]:
    """Return one agreement for each set of cells and each reading, as far as they are there."""
    found = []
    kept = [finding for finding in findings if isinstance(finding.item, Average)]
    for name, pattern in TABLES.items():
        cells = [finding for finding in kept if fnmatchcase(finding.item.id, pattern)]
        if not cells:
            continue
        found.append(_agreement(name, "program", [(float(f.measured.got), f) for f in cells]))
        beside = [(f.measured.beside["got"], f) for f in cells if f.measured.beside]
        if beside:
            found.append(_agreement(name, "paper", beside))
    return found


def _agreement(name: str, reading: str, cells: list[tuple[float, Finding]]) -> Agreement:
    apart = []
    for got, finding in cells:
        right = finding.item.printed
        if finding.verdict == ERRATUM and finding.item.erratum:
            right = finding.item.erratum.right
        apart.append((abs(got - float(right)), finding.item.id))
    farthest, where = max(apart)
    return Agreement(
        name,
        reading,
        len(apart),
        sum(difference for difference, _ in apart) / len(apart),
        sum(difference <= NEAR for difference, _ in apart) / len(apart),
        farthest,
        where,
    )
