"""Evaluate all turns of a game on several threads, and cache the results.

Each turn has its own random streams, so results depend neither on the number of threads nor on
interruptions. Finished turns are saved when the review ends, even by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Mapping
from concurrent.futures import as_completed
from dataclasses import asdict
from math import sqrt
from pathlib import Path
from typing import Any

from hanabilab.core.code_cache import first_writable, forget_oldest, kernel_digest
from hanabilab.core.threads import DaemonThreads
from hanabilab.errors import HanabiError
from hanabilab.game.rules import Rules
from hanabilab.lab.files import write_text
from hanabilab.lab.progress import Report
from hanabilab.lab.review.values import ActionValue, Evaluator, PlayedGame, Precision, TurnValue
from hanabilab.lab.workers.local import cores
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk

__all__ = ["convention_mean", "evaluate_game"]

KEPT = 2_000
"""The maximum number of cached reviews."""
MEAN_SEED = 2026
"""The seed of the games that give the mean of a convention."""


def evaluate_game(
    convention: Strategy,
    game: PlayedGame,
    precision: Precision,
    seed: int,
    *,
    finished: bool,
    threads: int | None,
    cached: bool,
    report: Report,
) -> list[TurnValue]:
    """Return the values of every turn, and of the last position if the game is not finished."""
    wanted = range(len(game.actions) + (not finished))
    key = (convention.label, asdict(precision), seed, finished, _game_key(game))
    with CachedTurns(key if cached else None) as found:
        report(len(found.turns), "")
        missing = [turn for turn in wanted if turn not in found.turns]
        if missing:
            _evaluate_turns(
                Evaluators(convention, game, precision, seed), missing, found, threads, report
            )
        return [found.turns[turn] for turn in wanted]


class Evaluators(threading.local):
    """An evaluator for each thread."""

    def __init__(
        self, convention: Strategy, game: PlayedGame, precision: Precision, seed: int
    ) -> None:
        self.evaluator = Evaluator(convention, game, precision, seed)


def _evaluate_turns(
    evaluators: Evaluators,
    missing: list[int],
    found: CachedTurns,
    threads: int | None,
    report: Report,
) -> None:
    executor = DaemonThreads(min(threads or cores(), len(missing)))
    try:
        tasks = {
            executor.submit(lambda turn: evaluators.evaluator.evaluate(turn), turn): turn
            for turn in missing
        }
        for task in as_completed(tasks):
            found.turns[tasks[task]] = task.result()
            report(len(found.turns), "")
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def convention_mean(
    convention: Strategy, rules: Rules, games: int, *, cached: bool
) -> tuple[float, float]:
    """Return the mean score of a convention in random games, and its standard error."""
    key = ("mean", convention.label, games, _rules_key(rules))
    path = _path(key) if cached else None
    if (known := _read(path)) is not None:
        mean, error = known
        return float(mean), float(error)
    team = [convention] * rules.players
    rows = play_chunk(rules.replace(keep_score=True), team, MEAN_SEED, 0, games)
    scores = [int(row[0]) for row in rows]
    mean = sum(scores) / games
    error = sqrt(sum((score - mean) ** 2 for score in scores) / max(1, games - 1) / games)
    _write(path, [mean, error])
    return mean, error


# --- the cache ------------------------------------------------------------------------------------


class CachedTurns:
    """The evaluated turns of a game; saved when the review ends, however it ends."""

    def __init__(self, key: object | None) -> None:
        self.path = None if key is None else _path(key)
        self.turns: dict[int, TurnValue] = {
            int(turn): turn_value(data) for turn, data in (_read(self.path) or {}).items()
        }
        self._known = len(self.turns)

    def __enter__(self) -> CachedTurns:
        return self

    def __exit__(self, *error: object) -> None:
        if len(self.turns) > self._known:
            _write(self.path, {turn: asdict(value) for turn, value in self.turns.items()})


def turn_value(data: Mapping[str, Any]) -> TurnValue:
    """Return the values of a turn from plain data."""
    values = tuple(ActionValue(**value) for value in data["values"])
    return TurnValue(**{**data, "values": values})


def _game_key(game: PlayedGame) -> object:
    return _rules_key(game.rules), game.deck, game.actions


def _rules_key(rules: Rules) -> object:
    return sorted((name, repr(getattr(rules, name))) for name in rules.about)


def _path(key: object) -> Path | None:
    """Return the path of a cached review; None if there is no cache folder."""
    digest = hashlib.sha256(json.dumps([kernel_digest(), key]).encode()).hexdigest()[:32]
    try:
        folder = first_writable("reviews")
    except HanabiError:
        return None
    forget_oldest(folder, KEPT)
    return folder / f"{digest}.json"


def _read(path: Path | None) -> Any:
    """Read a cached review; return None if it is missing or damaged."""
    if path is None:
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(path: Path | None, data: object) -> None:
    """Write a review to the cache, ignoring errors."""
    if path is not None:
        with contextlib.suppress(HanabiError, OSError):
            write_text(path, json.dumps(data))
