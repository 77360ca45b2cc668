"""Search for the options with which a strategy plays best, and see how good they really are.

Every candidate plays the same decks. The best of many candidates owes part of its lead to luck, so
the leaders meet again on other decks, and the winner and the default options play a third set of
decks that had no part in any choice: only those figures are fair.

With a file, every evaluation is appended to it as one line. A repeated search asks for the same
candidates again, and those in the file are not played again: this is how it resumes after an
interruption, also with a larger budget.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from hanabilab.checks import one_of, whole_number
from hanabilab.game.choose import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.files.ownership import File
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.run import Division, interruption
from hanabilab.lab.sweep import Values
from hanabilab.lab.tuning.result import FINAL, FRESH, OBJECTIVES, SEARCH, Candidate, Tuning
from hanabilab.lab.tuning.search import OptionSearch, Trials
from hanabilab.lab.tuning.space import Optimiser, read_space
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import read_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = ["BUDGET", "FINAL_TIMES", "GAMES", "Candidate", "Tuning", "tune"]

BUDGET = 300
GAMES = 2_000
FINAL_TIMES = 10
"""How many times the games of a candidate each finalist plays."""
MAX_BUDGET = 1_000_000


def tune(
    strategy: str | Strategy,
    players: int | None = None,
    *,
    objective: str = "score",
    budget: int = BUDGET,
    games: int = GAMES,
    final_games: int | None = None,
    seed: int = 0,
    rules: Rules | str = "classic",
    save: File | None = None,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    chunk: int | None = None,
    compiled: bool | None = None,
    **limits: Values,
) -> Tuning:
    """Search for the options with which a strategy plays best.

    For the other parameters see `simulate`. The result is the same for any number of threads.

    Parameters
    ----------
    strategy
        By name or as `Strategy`; options that it sets are fixed.
    objective
        ``score``, the mean score, or ``perfect``, the rate of perfect games.
    budget
        Number of evaluations that the search may use; the first is of the default options. A
        candidate that comes up again counts, but is not played again.
    games
        Number of decks that each evaluation plays, the same ones for all.
    final_games
        Number of new decks that the leaders play, and of further ones that the winner plays; by
        default ten times `games`.
    save
        A .csv or .jsonl file; the search resumes where it stopped.
    limits
        By option: one value fixes it, ``"0.4:0.8"`` are bounds, a list or ``"1,2,4"`` are the
        values to choose from.
    """
    one_of("objective", objective, OBJECTIVES)
    whole_number("budget", budget, 1, MAX_BUDGET)
    whole_number("games", games, 1, MAX_BUDGET * GAMES)
    final_games = FINAL_TIMES * games if final_games is None else final_games
    base, axes = read_space(*_with_limits(strategy, limits))
    trials = Trials(
        base,
        axes,
        choose_rules(rules, players),
        seed,
        _decks(games, final_games),
        Division.of(threads, chunk, cluster),
        compiled,
    )
    trials.check()
    search = OptionSearch(trials, Optimiser(axes, seed), budget, objective)
    start = time.perf_counter()
    with (
        trials.journal_in(save) as resumed,
        progress_bar(base.label, search.most_games, progress) as report,
        interruption() as stop,
    ):
        trials.report, trials.stop = report, stop
        interrupted = search.run()
    return search.result(time.perf_counter() - start, resumed, interrupted)


def _with_limits(
    strategy: str | Strategy, limits: Mapping[str, Values]
) -> tuple[Strategy, dict[str, Values]]:
    """Return the strategy and the limits of its options; those that it sets are fixed."""
    if isinstance(strategy, Strategy):
        return strategy, {**strategy.chosen, **limits}
    found, texts = read_strategy(strategy)
    return found.with_options(**texts), {**texts, **limits}


def _decks(games: int, final_games: int) -> dict[str, range]:
    """Return the game numbers of each stage; no deck is in two of them."""
    whole_number("final games", final_games, 1, MAX_BUDGET * GAMES)
    last = games + final_games
    return {
        SEARCH: range(games),
        FINAL: range(games, last),
        FRESH: range(last, last + final_games),
    }
