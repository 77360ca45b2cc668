"""The protocol: one player, every partner of the pool, two to five players, fixed decks.

The player sits alone among partners of one kind, and takes every seat for an equal share of the
games, as in cross-play. Each partner at each number of players has decks of its own, the same for
everyone who is measured, so that two players can be compared deck by deck and errors of different
partners are independent. Partners and numbers of players count equally in a mean.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from hanabilab.checks import whole_number
from hanabilab.errors import StrategyError
from hanabilab.game.rules import preset
from hanabilab.lab.adhoc.pool import (
    GAMES,
    PLAYERS,
    POOL,
    RULES,
    SEED,
)
from hanabilab.lab.adhoc.result import AdHoc, AdHocTable, Meeting
from hanabilab.lab.crossplay import play_pairings, seating
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.results import distinct, entrants
from hanabilab.lab.run import Division, Run
from hanabilab.lab.simulate import tally_run
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = ["adhoc", "adhoc_table", "candidates"]

SAMPLE = 4
"""Games from which the time of a slow player is estimated, for each number of players."""

Runs = dict[tuple[int, int], list[Run]]
"""By the partner's place in the pool, and the number of players."""


def candidates() -> list[Strategy]:
    """Return all our strategies that play fairly and at once, for the table of the docs."""
    return [
        strategy
        for strategy in distinct(entrants())
        if not (strategy.slow or strategy.sees_own_cards)
    ]


def adhoc(
    player: Player,
    *,
    games: int = GAMES,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    tell: Callable[[str], None] | None = None,
) -> AdHoc:
    """Let a player play with every partner of the pool; `tell` is told how long it will take."""
    games = whole_number("games", games, 1)
    strategy = find_strategy(player)
    partners = [find_strategy(each.text) for each in POOL]
    same = [place for place, partner in enumerate(partners) if _alike(partner, strategy)]
    runs = _plan(strategy, partners, same, games)
    if not runs:
        raise StrategyError(f"{strategy.name} cannot play the rules {RULES} with any partner")
    division = Division.of(threads, cluster=cluster)
    if tell and (strategy.slow or not strategy.can_compile):
        tell(_forecast(runs, games))
    start = time.perf_counter()
    with progress_bar("adhoc", games * len(runs), progress) as report:
        tallies, used, interrupted = play_pairings(runs, division, report, lambda *_: None)
    meetings = (
        Meeting(partner, {number: tallies[place, number] for number in PLAYERS
                          if (place, number) in tallies})
        for place, partner in enumerate(POOL)
    )  # fmt: skip
    return AdHoc(
        player=strategy.label,
        games=games,
        meetings=tuple(meeting for meeting in meetings if meeting.tallies),
        left_out=tuple(POOL[place].name for place in same),
        seconds=time.perf_counter() - start,
        threads=used,
        interrupted=interrupted,
    )


def adhoc_table(players: Sequence[Player] | None = None, **settings: Any) -> AdHocTable:
    """Measure several players, by default all our strategies that play fairly and at once."""
    entries = []
    for player in candidates() if players is None else players:
        entries.append(adhoc(player, **settings))
        if entries[-1].interrupted:
            raise KeyboardInterrupt
    return AdHocTable(tuple(entries))


def _alike(one: Strategy, other: Strategy) -> bool:
    return len(distinct([one, other])) == 1


def _plan(
    strategy: Strategy, partners: Sequence[Strategy], same: Sequence[int], games: int
) -> Runs:
    """Return what is to be played: nothing where somebody cannot play so many players."""
    runs: Runs = {}
    for place, partner in enumerate(partners):
        for number in PLAYERS:
            rules = preset(RULES, number)
            if place in same or strategy.why_not(rules) or partner.why_not(rules):
                continue
            runs[place, number] = [
                Run.of(rules, [team], seed=SEED + 10 * place + number, games=count, first=first)
                for team, first, count in seating(strategy, partner, number, games)
            ]
    return runs


def _forecast(runs: Runs, games: int) -> str:
    """Play a few games and say how long all of them will take."""
    firsts = {number: parts[0] for (_, number), parts in reversed(runs.items())}
    start = time.perf_counter()
    for run in firsts.values():
        sample = Run.of(run.rules, run.teams, seed=run.seed, games=SAMPLE)
        tally_run(sample, Division.of(1), report=lambda *_: None)
    each = (time.perf_counter() - start) / (SAMPLE * len(firsts))
    minutes = each * games * len(runs) / 60
    return (
        f"{games * len(runs):,} games of about {each:.2g} s: {max(1, round(minutes)):,} minutes on "
        "one core; --games plays fewer"
    )
