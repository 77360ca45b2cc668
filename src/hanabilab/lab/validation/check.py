"""What a check found: each question with its answer, the tables tried, and the scores."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import whole_number
from hanabilab.errors import StrategyError
from hanabilab.game.deck import check_seed
from hanabilab.game.rules import PRESETS, Rules, preset
from hanabilab.lab.result import Result
from hanabilab.lab.results_table import rules_for
from hanabilab.lab.simulate import simulate
from hanabilab.lab.validation.monitor import CheckFailedError, changes, shared_state
from hanabilab.lab.validation.properties import StrategyUnderTest, TestedRules
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = ["BASELINES", "CHECKS", "CheckReport", "CheckResult", "Score", "TestedRules", "check"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One question and its answer; `passed` is None if it was not asked."""

    name: str
    passed: bool | None
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Score:
    """What somebody scored on the same decks as everybody else."""

    strategy: str
    players: int
    rules: str
    games: int
    mean: float
    stderr: float

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "strategy": self.strategy,
            "players": self.players,
            "rules": self.rules,
            "games": self.games,
            "mean": self.mean,
            "stderr": self.stderr,
        }


@dataclass(frozen=True, slots=True)
class CheckReport(Result):
    """Everything that was tried with a strategy, and what came of it.

    >>> from hanabilab.lab.validation.check import check
    >>> check("iggi", games=2, compared=1, baselines=()).trusted
    True
    """

    strategy: str
    seed: int
    findings: tuple[CheckResult, ...]
    warnings: tuple[str, ...]
    tables: tuple[TestedRules, ...]
    scores: tuple[Score, ...]
    seconds: float

    @property
    def trusted(self) -> bool:
        """Whether nothing that was asked failed."""
        return not self.failures

    @property
    def failures(self) -> list[CheckResult]:
        """The questions that it failed."""
        return [finding for finding in self.findings if finding.passed is False]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "strategy": self.strategy,
            "trusted": self.trusted,
            "seed": self.seed,
            "checks": [finding.to_dict() for finding in self.findings],
            "warnings": list(self.warnings),
            "tables": self.rows(),
            "scores": [score.to_dict() for score in self.scores],
            "seconds": self.seconds,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each table."""
        return [table.to_dict() for table in self.tables]

    def __str__(self) -> str:
        marks = {True: "ok", False: "FAILED", None: "-"}
        lines = [f"{each.name}: {marks[each.passed]}: {each.detail}" for each in self.findings]
        return "\n".join([*lines, *(f"warning: {each}" for each in self.warnings)])


GAMES, COMPARED = 100, 10
SLOW_GAMES = 2
SCORED = 1000
LEAST_SCORED = 2
SECONDS = 20.0
LIMIT, SLOW_LIMIT = 10.0, 300.0
MAX_GAMES = 1_000_000
SAMPLED_RULES = 3
BASELINES = ("random", "iggi", "rule-based", "information", "hatter")

CHECKS = {
    "compiles": "compiles",
    "plays": "legal actions only, no errors",
    "ends": "every game ends in reasonable time",
    "equal": "the same actions interpreted and compiled",
    "repeats": "the same seeds give the same games",
    "view": "writes to nothing but its memory",
    "blind": "hidden cards do not matter",
    "alone": "seats share nothing but the table",
    "options": "options out of range are refused",
}
"""What is asked, by the names that `CheckReport.findings` uses."""

Notify = Callable[[str], None]


def check(
    player: Player,
    *,
    games: int | None = None,
    compared: int | None = None,
    seed: int = 0,
    seconds: float | None = SECONDS,
    tables: Sequence[Rules] | None = None,
    interpreted: bool | None = None,
    baselines: Sequence[Player] | None = None,
    notify: Notify | None = None,
) -> CheckReport:
    """Tell whether a strategy can be trusted.

    Parameters
    ----------
    player
        A strategy, by name or itself, a policy, a function `act`, or a class with one.
    games
        Compiled games at each table; 100 by default, 2 for a strategy that is marked as slow.
    compared
        How many of them are played again interpreted, action by action, 10 by default. Plain
        Python plays this many, twice each.
    seed
        The seed of all games.
    seconds
        About how long the comparisons may take together; None for no limit. Each table has one.
    tables
        Rules to try; by default every preset but the open game, with every number of players.
    interpreted
        Whether to play interpreted at all; by default unless the strategy is marked as slow.
    baselines
        Strategies whose scores on the same decks are reported beside its own; by default
        `BASELINES`.
    notify
        Called with a few words about what is being done.
    """
    strategy = find_strategy(player)
    if strategy.name == "human":
        raise StrategyError("human: people are trusted without a check")
    games = (SLOW_GAMES if strategy.slow else GAMES) if games is None else games
    compared = COMPARED if compared is None else compared
    whole_number("games", games, 1, MAX_GAMES)
    whole_number("compared", compared, 1, MAX_GAMES)
    quick = not strategy.slow if interpreted is None else interpreted
    limit = LIMIT if quick else SLOW_LIMIT
    tested = StrategyUnderTest(
        strategy, check_seed("seed", seed), strategy.can_compile, quick, limit
    )
    every = list(tables) if tables is not None else _usual_tables(strategy)
    return _Check(tested, every, games, compared, seconds, notify or _ignore).run(
        BASELINES if baselines is None else baselines
    )


def _ignore(words: str) -> None:
    """Report to nobody."""


def _usual_tables(strategy: Strategy) -> list[Rules]:
    """Return every preset with every number of players, those it was made for first.

    An open game is another game: it has no hints. It counts only for those made for it.
    """
    home = strategy.home_rules
    others = [name for name in PRESETS if name != home and not preset(name).open_game]
    names = [home] if strategy.slow else [home, *others]
    return [preset(name, players) for name in names for players in PRESETS[name].hands]


class _Check:
    """The course of a check, and what it has found so far."""

    def __init__(
        self,
        tested: StrategyUnderTest,
        tables: Sequence[Rules],
        games: int,
        compared: int,
        seconds: float | None,
        notify: Notify,
    ) -> None:
        self.tested, self.strategy = tested, tested.strategy
        self.tables = [rules for rules in tables if self.strategy.why_not(rules) is None]
        self.refused = [
            TestedRules(rules.preset or "custom", rules.players, refused=reason)
            for rules in tables
            if (reason := self.strategy.why_not(rules)) is not None
        ]
        self.games, self.compared, self.notify = games, compared, notify
        self.started = time.monotonic()
        self.seconds = math.inf if seconds is None else seconds
        self.details = dict.fromkeys(CHECKS, "not asked")
        self.passed: dict[str, bool | None] = dict.fromkeys(CHECKS)
        self.tried: list[TestedRules] = []
        self.untried = 0
        self.scores: list[Score] = []

    def run(self, baselines: Sequence[Player]) -> CheckReport:
        """Ask everything, and return the report."""
        before = shared_state(self.strategy)
        self._ask("options", self.tested.check_option_bounds)
        if not self.tables:
            self._fail(CheckFailedError("plays", "it refuses all rules that were tried"))
        elif self.passed["options"]:
            self._compile()
            if self.tested.compiled or self.tested.interpreted:
                self._play()
        warnings = self._warnings(changes(before, shared_state(self.strategy)))
        if False not in self.passed.values():
            self.scores = list(self._score(baselines))
        return CheckReport(
            strategy=self.strategy.label,
            seed=self.tested.seed,
            findings=tuple(
                CheckResult(name, self.passed[name], self.details[name]) for name in CHECKS
            ),
            warnings=tuple(warnings),
            tables=(*self.tried, *self.refused),
            scores=tuple(self.scores),
            seconds=time.monotonic() - self.started,
        )

    def _compile(self) -> None:
        if not self.tested.compiled:
            self.details["compiles"] = "plain Python: it runs interpreted, slower and on one thread"
            self.details["equal"] = "not asked: it is not compiled"
            return
        self.notify("compiling")
        self._ask("compiles", lambda: self.tested.compile(self.tables[0]))
        self.tested.compiled = bool(self.passed["compiles"])
        self.started = time.monotonic()

    def _play(self) -> None:
        """Play everywhere, then ask what is best asked of a few games."""
        try:
            self.tested.monitor.run_with_timeout(self._try_tables)
        except CheckFailedError as failure:
            self._fail(failure)
        self._conclude()
        if self.passed["plays"] is False or self.passed["ends"] is False:
            return
        if self.passed["equal"] is False:
            self.tested.compiled = False  # what follows is about the functions as they are written
        few = self._few_tables()
        until = self._until(0.8)
        self.notify("playing in another order")
        self._ask("repeats", lambda: self.tested.repeat(few))
        if self.passed["repeats"]:
            self._compare_seats(few, until)
        else:
            self.details["blind"] = self.details["alone"] = "not asked: its games do not repeat"
        if self.strategy.options and not self.strategy.slow:
            self.notify("trying its options")
            self._ask("options", lambda: self.tested.check_extreme_options(few[0]), add=True)

    def _compare_seats(self, tables: Sequence[Rules], until: float) -> None:
        """Ask what a player may know; this compares games, so they must repeat."""
        self.notify("asking players alone")
        self._ask("alone", lambda: self.tested.check_isolation(tables[0]))
        if self.strategy.sees_own_hand:
            self.details["blind"] = "not asked: it declares that it sees its own cards"
            return
        self.notify("exchanging hidden cards")
        self._ask("blind", lambda: self.tested.check_hidden_cards(tables, until))

    def _until(self, share: float) -> float:
        return self.started + share * self.seconds

    def _try_tables(self) -> None:
        for place, rules in enumerate(self.tables):
            self.notify(f"playing {rules.preset or 'custom'} with {rules.players} players")
            left = self._until(0.6) - time.monotonic()
            if time.monotonic() > self._until(1) and place >= SAMPLED_RULES:
                self.untried = len(self.tables) - place
                return
            until = time.monotonic() + max(0.0, left) / (len(self.tables) - place)
            try:
                table = self.tested.play_rules(rules, self.games, self.compared, until)
            except CheckFailedError as failure:
                if failure.check_name in ("plays", "ends"):
                    raise
                self._fail(failure)
                break
            self.tried.append(table)

    def _conclude(self) -> None:
        """Write down what the tables have shown."""
        games = sum(table.games for table in self.tried)
        compared = sum(table.compared for table in self.tried)
        written = self.tested.monitor.written
        if self.tried and self.passed["plays"] is None and self.passed["ends"] is None:
            for check_name in ("plays", "ends"):
                self._pass(check_name, f"{games:,} games at {len(self.tried)} tables")
        if compared and self.passed["equal"] is not False:
            self._pass("equal", f"{compared:,} games compared action by action")
        elif self.tested.compiled and not self.tested.interpreted:
            self.details["equal"] = "not asked: it is marked as too slow to run interpreted"
        if written:
            self._fail(CheckFailedError("view", written))
        elif self.tested.interpreted and self.tried:
            self._pass("view", "what it was shown stayed as it was")

    def _few_tables(self) -> list[Rules]:
        """Return a few of the tables, the first and others from the whole range."""
        step = max(1, len(self.tables) // SAMPLED_RULES)
        return self.tables[::step][:SAMPLED_RULES]

    def _ask(self, check_name: str, work: Callable[[], str], *, add: bool = False) -> None:
        try:
            detail = self.tested.monitor.run_with_timeout(work)
        except CheckFailedError as failure:
            self._fail(failure)
        else:
            if self.passed[check_name] is not False:
                self._pass(check_name, f"{self.details[check_name]}; {detail}" if add else detail)

    def _pass(self, check_name: str, detail: str) -> None:
        self.passed[check_name], self.details[check_name] = True, detail

    def _fail(self, failure: CheckFailedError) -> None:
        if self.passed[failure.check_name] is not False:
            self.passed[failure.check_name], self.details[failure.check_name] = (
                False,
                failure.detail,
            )

    def _warnings(self, changed: Sequence[str]) -> list[str]:
        found = [
            f"{name} changed while it played: all seats and games share it, and a compiled kernel "
            "does not see it change; keep what a player remembers in its Memory, or in attributes "
            "of an instance"
            for name in changed
        ]
        if self.untried:
            found.append(f"there was no time for {self.untried} of {len(self.tables)} tables")
        if self.strategy.sees_own_hand:
            found.append("it sees its own cards, so its scores are not those of a player")
        return found

    def _score(self, baselines: Sequence[Player]) -> Iterator[Score]:
        """Yield its score and those of others, on the same decks."""
        rate = statistics.median(table.games_per_second for table in self.tried)
        games = max(LEAST_SCORED, min(SCORED, int(rate))) if baselines else 0
        for rules in rules_for(self.strategy) if baselines else ():
            for player in (self.strategy, *baselines):
                strategy = find_strategy(player)
                if strategy.why_not(rules) is None:
                    self.notify(f"{strategy.label} with {rules.players} players")
                    yield self._score_of(strategy, rules, games)

    def _score_of(self, strategy: Strategy, rules: Rules, games: int) -> Score:
        compiled = self.tested.compiled if strategy is self.strategy else None
        result = simulate(
            strategy,
            games=games,
            seed=self.tested.seed,
            rules=rules,
            progress=False,
            compiled=compiled,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        name = rules.preset or "custom"
        return Score(strategy.label, rules.players, name, games, result.mean, result.stderr)
