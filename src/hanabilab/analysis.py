"""Names for the analysis of games and results, beyond those of `hanabilab` itself.

>>> import hanabilab as hl
>>> from hanabilab.analysis import Simulation, percent, wilson
>>> result = hl.simulate("random", players=2, games=100, seed=1)
>>> isinstance(result, Simulation)
True
>>> percent(0.5, wilson(0.5, 100))
'50.0 % (40.4 to 59.6 %)'

Results
    `Result` is the base of all: `to_dict`, `to_json`, `to_frame`, `save`, `plot` and `str`. The
    functions of `hanabilab` return `Simulation` (with a `Tally` of the scores), `Comparison` (of
    each `Difference`), `Sweep`, `Tuning`, `Crossplay`, `AdHoc`, `WinnableCount`, `Answer`,
    `Analysis` (with each `Mistake`), `CheckReport`. `results_table` measures many strategies.
Exact results
    `exact_table` makes an `ExactTable`, a result like all others, of counts of `hanabilab.theory`.
Optima
    `hanabilab.optimum` returns an `Optimum`. `optimum_bound` bounds that of larger games,
    `best_response` finds the best partner of a strategy and returns a `BestResponse`.
    `known_optima` has those that come with the package, of each `SmallGame`.
Statistics
    `wilson` is the interval of a rate; `plus_minus` and `percent` write numbers with their errors.
Papers
    `reproduce` computes the figures of the papers again and returns a `Reproduction`; `appendix_a`
    has the numbers that the thesis prints there.
Charts
    `histogram_svg` and `step_chart_svg` draw small charts without Matplotlib.
Games
    `broken_conventions` finds the conventions that a player broke.
"""

from __future__ import annotations

from hanabilab.formats.svg import histogram_svg, step_chart_svg
from hanabilab.lab.adhoc import AdHoc
from hanabilab.lab.analyze import Analysis, Mistake
from hanabilab.lab.best_response import BestResponse, best_response
from hanabilab.lab.compare import Comparison, Difference
from hanabilab.lab.crossplay import Crossplay
from hanabilab.lab.exact_table import ExactTable, exact_table
from hanabilab.lab.optimum import Optimum, optimum_bound
from hanabilab.lab.result import Result
from hanabilab.lab.results_table import ResultsTable, results_table
from hanabilab.lab.simulate import Simulation
from hanabilab.lab.solve import Answer
from hanabilab.lab.sweep import Sweep
from hanabilab.lab.tally import Tally, percent, plus_minus, wilson
from hanabilab.lab.tune import Tuning
from hanabilab.lab.validation.check import CheckReport
from hanabilab.lab.winnable import WinnableCount
from hanabilab.papers import reproduce
from hanabilab.papers.reproduction import Reproduction
from hanabilab.papers.thesis.playability import appendix_a
from hanabilab.solver.optimum.known import SmallGame, known_optima
from hanabilab.strategies.conventions.judging import Breach, broken_conventions

__all__ = [
    "AdHoc",
    "Analysis",
    "Answer",
    "BestResponse",
    "Breach",
    "CheckReport",
    "Comparison",
    "Crossplay",
    "Difference",
    "ExactTable",
    "Mistake",
    "Optimum",
    "Reproduction",
    "Result",
    "ResultsTable",
    "Simulation",
    "SmallGame",
    "Sweep",
    "Tally",
    "Tuning",
    "WinnableCount",
    "appendix_a",
    "best_response",
    "broken_conventions",
    "exact_table",
    "histogram_svg",
    "known_optima",
    "optimum_bound",
    "percent",
    "plus_minus",
    "reproduce",
    "results_table",
    "step_chart_svg",
    "wilson",
]
