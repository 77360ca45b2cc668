"""The papers reproduced: every printed number that can be computed, beside our result.

>>> from hanabilab import papers
>>> found = papers.reproduce("hoad")
>>> found.verdicts()["hoad"]["differs"]
0
"""

from __future__ import annotations

from hanabilab.papers.reproduction import PAPERS, Reproduction, reproduce, select_tables

__all__ = ["PAPERS", "Reproduction", "reproduce", "select_tables"]
