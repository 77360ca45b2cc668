"""Jobs that play many games: simulate, compare, crossplay, sweep, and games with a given score.

Runs report their result as it grows; one that takes too long ends with the games played so far.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TypedDict

from hanabilab.errors import FormatError
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.deck import MAX_SEED
from hanabilab.game.rules import Rules
from hanabilab.lab.compare import compare
from hanabilab.lab.crossplay import crossplay
from hanabilab.lab.files import CsvFormat
from hanabilab.lab.result import Result
from hanabilab.lab.simulate import simulate
from hanabilab.lab.sweep import read_axes, sweep
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import strategies_for
from hanabilab.web.catalog import MAX_CELLS, MAX_GAMES
from hanabilab.web.game_requests import STRATEGY_LETTERS, choose_strategy, read_rules, replay_query
from hanabilab.web.jobs.job import Job, report_compilation
from hanabilab.web.schema import JsonObject, RequestFields, check_text

__all__ = ["compare_teams", "crossplay_strategies", "find_games", "simulate_team", "sweep_options"]

MAX_REPEATS = 1_000
MAX_TEAMS = 12
OPTION_LETTERS = 500
SEARCH_SECONDS = 5.0
"""Seconds to look for games of a score before answering with those found so far."""
MAX_CHUNK = 2_000
"""The most games that are played between two reports."""


class ResultStream:
    """Sends a growing result to the client."""

    def __init__(self, job: Job, total: int) -> None:
        self.job = job
        self.job.total = total
        self.done, self.words = 0, ""
        self.result: Result | None = None

    def report(self, done: int, words: str) -> None:
        """Report progress."""
        self.done, self.words = done, words
        self.show()

    def watch(self, result: Result) -> None:
        """Take the result so far."""
        self.result = result
        self.job.partial_result = lambda: _result_message(result, interrupted=True)
        self.show()

    def show(self) -> None:
        """Send progress and result."""
        self.job.show(self.done, self.words, None if self.result is None else self.result.to_dict)


def _run(
    job: Job,
    total: int,
    rules: Rules,
    teams: Sequence[Sequence[Strategy]],
    play: Callable[[ResultStream], Result],
) -> JsonObject:
    """Play and return the result, unless there are too many games."""
    if total > MAX_GAMES:
        raise FormatError(f"games: {total:,} in all are more than {MAX_GAMES:,}")
    report_compilation(job, rules, teams)
    return _result_message(play(ResultStream(job, total)), interrupted=False)


def _result_message(result: Result, *, interrupted: bool) -> JsonObject:
    return {**result.to_dict(), "interrupted": interrupted, "csv": rows_to_csv(result.rows())}


def rows_to_csv(rows: Sequence[JsonObject]) -> str:
    """Return a table as the text of a .csv file."""
    lines = CsvFormat(list(rows[0]) if rows else [])
    return lines.header + "".join(map(lines.format, rows))


class RunSettings(TypedDict):
    """The settings that all runs have."""

    rules: Rules
    games: int
    seed: int


def _read_settings(fields: RequestFields, games: int) -> RunSettings:
    """Read the settings of a run; `games` is the default."""
    return {
        "rules": read_rules(fields),
        "games": fields.integer("games", 1, MAX_GAMES, games),
        "seed": fields.seed("seed", MAX_SEED, 0),
    }


def _choose_team(fields: RequestFields) -> list[Strategy]:
    """Read one strategy for all seats, or one for each."""
    return _choose_strategies(fields, "strategy", MAX_PLAYERS)


def _choose_strategies(fields: RequestFields, name: str, most: int) -> list[Strategy]:
    return [choose_strategy(text) for text in fields.texts(name, most, STRATEGY_LETTERS)]


def simulate_team(fields: RequestFields, job: Job) -> JsonObject:
    """Play many games with one team."""
    team = _choose_team(fields)
    settings = _read_settings(fields, 10_000)
    repeats = fields.integer("repeats", 1, MAX_REPEATS, 1)
    fields.finish()
    return _run(
        job,
        settings["games"] * repeats,
        settings["rules"],
        [team],
        lambda stream: simulate(
            team, repeats=repeats, progress=stream.report, callback=stream.watch, **settings
        ),
    )


def compare_teams(fields: RequestFields, job: Job) -> JsonObject:
    """Play the same decks with several strategies."""
    teams = _choose_strategies(fields, "strategies", MAX_TEAMS)
    settings = _read_settings(fields, 10_000)
    repeats = fields.integer("repeats", 1, MAX_REPEATS, 1)
    fields.finish()
    return _run(
        job,
        settings["games"] * repeats * len(teams),
        settings["rules"],
        [[strategy] for strategy in teams],
        lambda stream: compare(
            teams, repeats=repeats, progress=stream.report, callback=stream.watch, **settings
        ),
    )


def crossplay_strategies(fields: RequestFields, job: Job) -> JsonObject:
    """Play each strategy among players of each other strategy."""
    strategies = _choose_strategies(fields, "strategies", MAX_TEAMS)
    settings = _read_settings(fields, 1_000)
    fields.finish()
    return _run(
        job,
        settings["games"] * len(strategies) ** 2,
        settings["rules"],
        [[strategy] for strategy in strategies],
        lambda stream: crossplay(
            strategies, progress=stream.report, callback=stream.watch, **settings
        ),
    )


def sweep_options(fields: RequestFields, job: Job) -> JsonObject:
    """Play a strategy over a grid of its options."""
    strategy = choose_strategy(fields.text("strategy", STRATEGY_LETTERS))
    given = fields.mapping("options")
    settings = _read_settings(fields, 1_000)
    repeats = fields.integer("repeats", 1, MAX_REPEATS, 1)
    fields.finish()
    axes = {name: check_text(name, text, OPTION_LETTERS) for name, text in given.items()}
    read = read_axes(strategy, axes)
    cells = math.prod(map(len, read.values()))
    if cells > MAX_CELLS:
        raise FormatError(f"options: {cells:,} cells are more than {MAX_CELLS}")
    for name, values in read.items():
        for value in values:
            choose_strategy(strategy.with_options(**{name: value}).label)
    return _run(
        job,
        settings["games"] * repeats * cells,
        settings["rules"],
        [[strategy]],
        lambda stream: sweep(
            strategy,
            repeats=repeats,
            progress=stream.report,
            callback=stream.watch,
            vary=read,
            **settings,
        ),
    )


def find_games(fields: RequestFields, job: Job) -> JsonObject:
    """Play games again and return the numbers of those with a score."""
    team = _choose_team(fields)
    settings = _read_settings(fields, 10_000)
    rules = settings["rules"]
    score = fields.integer("score", 0, rules.max_score)
    first = fields.integer("first", 0, MAX_GAMES, 0)
    most = fields.integer("most", 1, 500, 50)
    fields.finish()
    seated = strategies_for(team, rules.players)
    compiled = all(strategy.can_compile for strategy in seated)
    job.total = settings["games"]
    report_compilation(job, rules, [seated])
    found: list[int] = []
    started, size = time.monotonic(), 16
    while first < settings["games"] and len(found) < most:
        if found and time.monotonic() > started + SEARCH_SECONDS:
            break
        count = min(size, settings["games"] - first)
        rows = play_chunk(rules, seated, settings["seed"], first, count, compiled=compiled)
        found += [first + number for number, row in enumerate(rows) if row[0] == score]
        first += count
        size = min(2 * size, MAX_CHUNK)
        job.report(first, f"{len(found)} games found")
    if len(found) > most:
        first = found[most]
    more = first < settings["games"]
    return {
        "games": found[:most],
        "next": first if more else None,
        "addresses": [
            replay_query(seated, rules, settings["seed"], number) for number in found[:most]
        ],
    }
