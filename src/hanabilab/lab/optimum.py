"""The exact optimum of a small game with hidden cards, as a result."""

from __future__ import annotations

import contextlib
import os
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.errors import FormatError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.files import File, atomic_write, check_folder
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Bar, Result
from hanabilab.solver.optimum.plan import score_counts
from hanabilab.solver.optimum.search import Search, bound_optimum
from hanabilab.solver.optimum.size import (
    BELIEFS,
    MEMORY_LIMIT,
    Limits,
    check_size,
    check_supported,
)
from hanabilab.strategies.optimal import optimal_of
from hanabilab.strategies.strategy import Strategy

__all__ = ["Optimum", "optimum", "optimum_bound", "rules_text", "search_limits"]

MOST_BELIEFS = 1 << 40
MOST_TURNS = 10_000
SAVE_SECONDS = 60.0
"""Seconds between two checkpoints."""
FORMAT = 3
"""The version of checkpoints: to be raised when the tables of public states change."""


@dataclass(frozen=True, slots=True, repr=False)
class Optimum(Result):
    """The highest mean score that any team can reach, and how it is reached."""

    rules: Rules
    value: Fraction
    """The mean score of an optimal team over all decks."""
    distribution: Mapping[int, Fraction]
    """The probability of each score under the optimal plan; other optimal plans may differ."""
    open_hands: Fraction
    """An upper bound: the optimum if everyone sees all hands, but not the draw pile."""
    decks: int
    """The number of different decks, all equally likely."""
    beliefs: int
    """The number of public beliefs considered."""
    states: int
    """The number of public states of these beliefs."""
    seconds: float
    strategy: Strategy
    """An optimal strategy, to play and to simulate."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data; fractions are text such as "307/90"."""
        return {
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "value": str(self.value),
            "mean": float(self.value),
            "open_hands": str(self.open_hands),
            "distribution": {str(score): str(part) for score, part in self.distribution.items()},
            "decks": self.decks,
            "beliefs": self.beliefs,
            "states": self.states,
            "seconds": self.seconds,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each score."""
        return [
            {"score": score, "probability": float(part), "exact": str(part)}
            for score, part in self.distribution.items()
        ]

    def to_tables(self) -> list[DataTable]:
        """Return the probability of each score."""
        rows = tuple(
            (str(score), f"{float(part):.6f}", str(part))
            for score, part in self.distribution.items()
        )
        return [DataTable(header=("score", "probability", "exact"), rows=rows)]

    def summary(self) -> str:
        """Return the value and the game in one sentence."""
        return (
            f"optimum {self.value} = {float(self.value):.4f} of {self.rules.max_score}: "
            f"{rules_text(self.rules)}"
        )

    def heading(self) -> str:
        """Return the value, the game and the size of the search."""
        return f"{self.summary()}; {self.beliefs:,} beliefs"

    def bars(self) -> list[Bar]:
        """Return the probability of each score."""
        return [Bar(str(score), float(part)) for score, part in self.distribution.items()]


def rules_text(rules: Rules) -> str:
    """Return the sizes of a small game in words."""
    rows = list(dict.fromkeys(rules.copies))
    copies = " / ".join(" ".join(map(str, row)) for row in rows)
    lives = "unlimited" if rules.lives is None else rules.lives
    return (
        f"{rules.players} players, hand {rules.hand_size}, {rules.suits}x{rules.ranks} cards, "
        f"copies {copies}, tokens {rules.hint_tokens}, lives {lives}"
    )


def optimum(
    rules: Rules | str,
    players: int | None = None,
    *,
    beliefs: int = BELIEFS,
    memory_limit: int = MEMORY_LIMIT,
    checkpoint: File | None = None,
    progress: Progress = None,
) -> Optimum:
    """Compute the optimum of a game with hidden cards: the best mean score of any team.

    The result has the exact `value`, the `distribution` of scores and a `strategy`. Games that are
    too large are rejected; `beliefs` and `memory_limit` (in megabytes) limit the search. If
    memory is full, the search forgets what it has not solved before it gives up. With `checkpoint`,
    all solved beliefs are stored in that file once a minute, at a limit and on Ctrl-C: repeat the
    same call to resume.

    Examples
    --------
    >>> from hanabilab import preset
    >>> small = {"hand_size": 2, "suits": 1, "ranks": 3, "copies": (2, 1, 1), "hint_tokens": 1}
    >>> optimum(preset("classic", 2, **small)).value
    Fraction(4, 3)
    """
    chosen = choose_rules(rules, players)
    limits = search_limits(beliefs, memory_limit)
    check_supported(chosen)
    check_size(chosen)
    if checkpoint is not None:
        check_folder(os.fspath(checkpoint))  # before a long search, not when it is saved
    start = time.perf_counter()
    with progress_bar("optimum", None, progress) as report:
        search = Search(chosen, limits=limits, report=report)
        with _saved_search(search, checkpoint):
            search.value(search.start())
    return _result(chosen, search, time.perf_counter() - start)


def search_limits(beliefs: int, memory_limit: int) -> Limits:
    """Return when a search gives up: beliefs, and megabytes of memory."""
    check_integer("beliefs", beliefs, 1, MOST_BELIEFS)
    check_integer("memory_limit", memory_limit, 1, MOST_BELIEFS)
    return Limits(beliefs, memory_limit)


def optimum_bound(
    rules: Rules | str,
    players: int | None = None,
    *,
    hidden_turns: int = 1,
    beliefs: int = BELIEFS,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress = None,
) -> Fraction:
    """Return an upper bound of the optimum: the value if hands are revealed during the game.

    After `hidden_turns` turns everyone sees all hands, but never the draw pile. More hidden turns
    give a tighter bound and take longer.
    """
    chosen = choose_rules(rules, players)
    check_integer("hidden_turns", hidden_turns, 0, MOST_TURNS)
    limits = search_limits(beliefs, memory_limit)
    with progress_bar("bound", None, progress) as report:
        return bound_optimum(chosen, hidden_turns, limits=limits, report=report)


# --- checkpoints ----------------------------------------------------------------------------------


@contextlib.contextmanager
def _saved_search(search: Search, file: File | None) -> Iterator[None]:
    """Resume a search from a file, and store it there now and then and at the end."""
    if file is None:
        yield
        return
    if Path(file).exists():
        _load_search(search, file)
    saved = time.monotonic()

    def save_sometimes() -> None:
        nonlocal saved
        if time.monotonic() - saved > SAVE_SECONDS:
            _save_search(search, file)
            saved = time.monotonic()

    search.pause = save_sometimes
    try:
        yield
    finally:
        search.pause = None
        _save_search(search, file)


def _save_search(search: Search, file: File) -> None:
    import numpy as np

    with atomic_write(file) as part, part.open("wb") as stream:
        np.savez(stream, game=np.array(_fingerprint(search)), **search.save())


def _load_search(search: Search, file: File) -> None:
    import numpy as np

    try:
        with np.load(file) as saved:
            arrays = {name: saved[name] for name in saved.files}
    except (OSError, ValueError, zipfile.BadZipFile):
        raise FormatError(f"{os.fspath(file)}: not a checkpoint of an optimum") from None
    if str(arrays.get("game")) != _fingerprint(search):
        raise FormatError(f"{os.fspath(file)}: the checkpoint of another game or version")
    search.restore(arrays)


def _fingerprint(search: Search) -> str:
    """Return what a stored search must have in common with this one."""
    return f"{FORMAT} {search.states.rules.to_dict()}"


def _result(rules: Rules, search: Search, seconds: float) -> Optimum:
    belief = search.start()
    decks = belief.state.weight(belief.deals)
    found = search.beliefs
    counts = score_counts(search, belief)
    return Optimum(
        rules,
        Fraction(search.value(belief), decks),
        {score: Fraction(counts[score], decks) for score in sorted(counts)},
        Fraction(sum(search.open_values(belief.state)), decks),
        decks,
        found,
        len(search.states),
        seconds,
        optimal_of(search),
    )
