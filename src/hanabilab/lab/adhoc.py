"""Ad-hoc teamwork: measure a player with every partner of a fixed pool.

The player is the only one of its kind among partners of one strategy, and takes every seat for an
equal share of the games, as in cross-play. The tables have two to five players. Each partner at
each number of players has decks of its own, the same for everyone who is measured. So two players
can be compared deck by deck, and the errors of different partners are independent. Partners and
numbers of players have equal weight in a mean.

The pool has our strategies without private conventions, with variants of their options. Left out
are strategies whose hints or discards only their own kind understands (recommendation, information,
hatter, duo, search over these), one that sees its own cards (cheat), and slow ones (monte-carlo).
Half of the partners are held out: tune with the open half, and report both.

A partner's index in the pool determines its decks, so add new partners at the end. Give the
protocol a new number after any change: results of different pools cannot be compared.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hanabilab.checks import check_integer
from hanabilab.errors import StrategyError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.rules import preset
from hanabilab.lab.crossplay import play_pairings, seating
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Bar, Result
from hanabilab.lab.results_table import benchmark_strategies, distinct
from hanabilab.lab.run import Parallelism, Run
from hanabilab.lab.simulate import tally_run
from hanabilab.lab.tally import Tally, percent
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = [
    "GAMES",
    "HELD_OUT",
    "OPEN",
    "PLAYERS",
    "POOL",
    "PROTOCOL",
    "RULES",
    "SEED",
    "AdHoc",
    "AdHocTable",
    "Pairing",
    "PoolMean",
    "PoolPartner",
    "adhoc",
    "adhoc_table",
    "default_players",
]

PROTOCOL = 1
RULES = "hle"
PLAYERS = (2, 3, 4, 5)
GAMES = 2_000
"""Games per partner and number of players."""
SEED = 21_000
"""Partner i at tables of p players plays the decks of seed SEED + 10 i + p."""

OPEN, HELD_OUT = "open", "held-out"


class PoolPartner(NamedTuple):
    """A partner of the pool."""

    name: str
    half: str
    text: str
    """The strategy, as on the command line."""


POOL = (
    PoolPartner("internal", OPEN, "internal"),
    PoolPartner("outer", HELD_OUT, "outer"),
    PoolPartner("iggi", OPEN, "iggi"),
    PoolPartner("cautious", HELD_OUT, "cautious"),
    PoolPartner("piers", OPEN, "piers"),
    PoolPartner("vdb", HELD_OUT, "vdb"),
    PoolPartner("flawed", OPEN, "flawed"),
    PoolPartner(
        "bold", HELD_OUT,
        "compose:rule-list=play-safe+spare-life:play-at-40+tell-useful+discard-dead+"
        "discard-oldest+tell-randomly",
    ),
    PoolPartner("rule-based", OPEN, "rule-based"),
    PoolPartner("rule-based, program", HELD_OUT, "rule-based:interpretation=program"),
    PoolPartner("rule-based, daring", HELD_OUT, "rule-based:play-threshold=0.4,hint-rule=1"),
    PoolPartner("rule-based, shy", OPEN, "rule-based:play-threshold=0.9,discard-rule=1"),
    PoolPartner(
        "talkative", OPEN,
        "compose:rule-list=play-safe+tell-playable-news+tell-most+discard-dead+discard-oldest",
    ),
    PoolPartner(
        "silent", HELD_OUT,
        "compose:rule-list=play-safe+spare-life:play-at-60+discard-dead+few-tokens:discard-oldest+"
        "tell-playable+discard-randomly+tell-randomly",
    ),
    PoolPartner("conventions, beginner", OPEN, "conventions:level=1"),
    PoolPartner("conventions", HELD_OUT, "conventions"),
)  # fmt: skip


NORMAL = 1.96
"""Half-width of a 95 % interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class PoolMean:
    """A mean of means with independent errors."""

    mean: float
    stderr: float
    lost_rate: float

    @classmethod
    def of(cls, parts: Iterable[Any]) -> PoolMean:
        """Return the unweighted average of parts that have these three fields."""
        found = list(parts)
        if not found:
            return cls(math.nan, math.nan, math.nan)
        count = len(found)
        return cls(
            sum(part.mean for part in found) / count,
            math.sqrt(sum(part.stderr**2 for part in found)) / count,
            sum(part.lost_rate for part in found) / count,
        )

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean."""
        return self.mean - NORMAL * self.stderr, self.mean + NORMAL * self.stderr

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "mean": self.mean,
            "stderr": self.stderr,
            "interval": list(self.interval),
            "lost_rate": self.lost_rate,
        }

    def __str__(self) -> str:
        return "-" if math.isnan(self.mean) else f"{self.mean:.2f} ± {NORMAL * self.stderr:.2f}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Results of a player with one partner."""

    partner: PoolPartner
    tallies: dict[int, Tally]
    """Statistics by number of players."""

    @property
    def average(self) -> PoolMean:
        """Average over the numbers of players."""
        return PoolMean.of(self.tallies.values())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        players = {
            str(number): PoolMean.of([tally]).to_dict() | {"games": tally.played}
            for number, tally in self.tallies.items()
        }
        name, half, text = self.partner
        about = {"partner": name, "half": half, "strategy": text}
        return about | self.average.to_dict() | {"players": players}


@dataclass(frozen=True, slots=True, repr=False)
class AdHoc(Result):
    """Results of a player with all partners of the pool."""

    player: str
    games: int
    """Games per partner and number of players."""
    pairings: tuple[Pairing, ...]
    left_out: tuple[str, ...]
    """Partners that are the player itself and were skipped."""
    seconds: float
    threads: int
    interrupted: bool = False

    def over(self, *halves: str) -> PoolMean:
        """Return the average over the partners of these halves of the pool."""
        return PoolMean.of(each.average for each in self.pairings if each.partner.half in halves)

    @property
    def mean(self) -> float:
        """The mean over all partners."""
        return self.over(OPEN, HELD_OUT).mean

    @property
    def stderr(self) -> float:
        """Its standard error."""
        return self.over(OPEN, HELD_OUT).stderr

    @property
    def worst(self) -> Pairing | None:
        """The pairing with the lowest mean."""
        return min(self.pairings, key=lambda pairing: pairing.average.mean, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        worst = self.worst
        return {
            "protocol": PROTOCOL,
            "player": self.player,
            "rules": RULES,
            "games": self.games,
            "seed": SEED,
            **self.over(OPEN, HELD_OUT).to_dict(),
            "open": self.over(OPEN).to_dict(),
            "held_out": self.over(HELD_OUT).to_dict(),
            "worst": worst and {"partner": worst.partner.name, **worst.average.to_dict()},
            "partners": [pairing.to_dict() for pairing in self.pairings],
            "left_out": list(self.left_out),
            "seconds": self.seconds,
            "threads": self.threads,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each partner and number of players."""
        return [
            {
                "player": self.player,
                "partner": pairing.partner.name,
                "half": pairing.partner.half,
                "players": number,
                "games": tally.played,
                "mean": tally.mean,
                "stderr": tally.stderr,
                "lost_rate": tally.lost_rate,
            }
            for pairing in self.pairings
            for number, tally in pairing.tallies.items()
        ]

    def summary(self) -> str:
        """Return the mean over all partners and the worst partner."""
        worst = self.worst
        partner = f"; worst {worst.average} with {worst.partner.name}" if worst else ""
        count = len(self.pairings)
        return f"{self.player}: {self.over(OPEN, HELD_OUT)} with {count} partners{partner}"

    def bars(self) -> list[Bar]:
        """Return the mean with each partner."""
        found = [(pairing.partner.name, pairing.average) for pairing in self.pairings]
        return [Bar(name, each.mean, NORMAL * each.stderr) for name, each in found]

    def heading(self) -> str:
        """Return the player and the protocol as text."""
        return (
            f"{self.player} with strangers: protocol {PROTOCOL}, rules {RULES}, {self.games:,} "
            "games for each partner and number of players; mean ± 95 % interval"
        )

    def to_tables(self) -> list[DataTable]:
        """Return a row per partner, followed by the means."""
        rows = [
            (
                pairing.partner.name,
                pairing.partner.half,
                *(_mean(pairing.tallies.get(number)) for number in PLAYERS),
                str(pairing.average),
                percent(pairing.average.lost_rate),
            )
            for pairing in self.pairings
        ]
        nothing = ("",) * len(PLAYERS)
        for name, halves in (("all", (OPEN, HELD_OUT)), ("", (OPEN,)), ("", (HELD_OUT,))):
            part = self.over(*halves)
            half = halves[0] if len(halves) == 1 else ""
            rows.append((name or "all", half, *nothing, str(part), percent(part.lost_rate)))
        if self.worst:
            part = self.worst.average
            name = f"worst: {self.worst.partner.name}"
            rows.append(
                (name, self.worst.partner.half, *nothing, str(part), percent(part.lost_rate))
            )
        head = ("partner", "half", *(f"{number} players" for number in PLAYERS), "mean", "lost")
        return [DataTable(header=head, rows=tuple(rows), text_columns=2)]


def _mean(tally: Tally | None) -> str:
    return "-" if tally is None else f"{tally.mean:.2f}"


@dataclass(frozen=True, slots=True, repr=False)
class AdHocTable(Result):
    """Results of several players."""

    entries: tuple[AdHoc, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {"protocol": PROTOCOL, "entries": [entry.to_dict() for entry in self.entries]}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player, partner and number of players."""
        return [row for entry in self.entries for row in entry.rows()]

    def summary(self) -> str:
        """Return the best player."""
        best = max(self.entries, key=lambda entry: entry.mean, default=None)
        return f"best of {len(self.entries)}: {best}" if best else "no players"

    def bars(self) -> list[Bar]:
        """Return the mean of each player over all partners."""
        return [Bar(each.player, each.mean, NORMAL * each.stderr) for each in self.entries]

    def heading(self) -> str:
        """Return the protocol as text."""
        games = " or ".join(f"{games:,}" for games in sorted({each.games for each in self.entries}))
        return (
            f"Protocol {PROTOCOL}: rules {RULES}, {len(POOL)} partners, {games} games for each "
            "partner and number of players; mean ± 95 % interval"
        )

    def to_tables(self) -> list[DataTable]:
        """Return a row for each player, best first."""
        rows = []
        for entry in sorted(self.entries, key=lambda entry: -entry.mean):
            worst, all_of_them = entry.worst, entry.over(OPEN, HELD_OUT)
            rows.append(
                (
                    entry.player,
                    str(all_of_them),
                    str(entry.over(OPEN)),
                    str(entry.over(HELD_OUT)),
                    f"{worst.average} ({worst.partner.name})" if worst else "-",
                    percent(all_of_them.lost_rate),
                    f"{entry.games:,}",
                )
            )
        head = ("player", "all partners", "open", "held out", "worst partner", "lost", "games")
        return [DataTable(header=head, rows=tuple(rows))]


SAMPLE = 4
"""Games played to estimate the time of a slow player, per number of players."""

Runs = dict[tuple[int, int], list[Run]]
"""Runs by the index of the partner in the pool and the number of players."""


def default_players() -> list[Strategy]:
    """Return all our strategies that are fast and do not see their own cards."""
    return [
        strategy
        for strategy in distinct(benchmark_strategies())
        if not (strategy.slow or strategy.sees_own_hand)
    ]


def adhoc(
    player: Player,
    *,
    games: int = GAMES,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    notify: Callable[[str], None] | None = None,
) -> AdHoc:
    """Measure a player with every partner of the pool.

    `games` is the number per partner and number of players; `notify` gets a time estimate for a
    slow player.

    Examples
    --------
    >>> result = adhoc("piers", games=2)
    >>> len(result.pairings), result.left_out
    (15, ('piers',))
    """
    games = check_integer("games", games, 1)
    strategy = find_strategy(player)
    partners = [find_strategy(each.text) for each in POOL]
    same = [place for place, partner in enumerate(partners) if _alike(partner, strategy)]
    runs = _plan(strategy, partners, same, games)
    if not runs:
        raise StrategyError(f"{strategy.name} cannot play the rules {RULES} with any partner")
    parallelism = Parallelism.of(threads, cluster=cluster)
    if notify and (strategy.slow or not strategy.can_compile):
        notify(_estimate(runs, games))
    start = time.perf_counter()
    with progress_bar("adhoc", games * len(runs), progress) as report:
        tallies, used, interrupted = play_pairings(runs, parallelism, report, lambda *_: None)
    pairings = (
        Pairing(partner, {number: tallies[place, number] for number in PLAYERS
                          if (place, number) in tallies})
        for place, partner in enumerate(POOL)
    )  # fmt: skip
    return AdHoc(
        player=strategy.label,
        games=games,
        pairings=tuple(pairing for pairing in pairings if pairing.tallies),
        left_out=tuple(POOL[place].name for place in same),
        seconds=time.perf_counter() - start,
        threads=used,
        interrupted=interrupted,
    )


def adhoc_table(players: Sequence[Player] | None = None, **settings: Any) -> AdHocTable:
    """Measure several players, by default `default_players()`."""
    entries = []
    for player in default_players() if players is None else players:
        entries.append(adhoc(player, **settings))
        if entries[-1].interrupted:
            raise KeyboardInterrupt
    return AdHocTable(tuple(entries))


def _alike(one: Strategy, other: Strategy) -> bool:
    return len(distinct([one, other])) == 1


def _plan(
    strategy: Strategy, partners: Sequence[Strategy], same: Sequence[int], games: int
) -> Runs:
    """Return the runs of all pairings that support the number of players."""
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


def _estimate(runs: Runs, games: int) -> str:
    """Play a few games, and return how long all of them will take as text."""
    firsts = {number: parts[0] for (_, number), parts in reversed(runs.items())}
    start = time.perf_counter()
    for run in firsts.values():
        sample = Run.of(run.rules, run.teams, seed=run.seed, games=SAMPLE)
        tally_run(sample, Parallelism.of(1), report=lambda *_: None)
    each = (time.perf_counter() - start) / (SAMPLE * len(firsts))
    minutes = each * games * len(runs) / 60
    return (
        f"{games * len(runs):,} games of about {each:.2g} s: {max(1, round(minutes)):,} minutes on "
        "one core; --games plays fewer"
    )
