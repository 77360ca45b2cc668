"""Check whether a strategy can be trusted: play it in every way there is, and compare."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.errors import StrategyError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import check_seed
from hanabilab.game.rules import PRESETS, Rules, named_preset, preset
from hanabilab.lab.result import Bar, Result
from hanabilab.lab.results_table import rules_for
from hanabilab.lab.simulate import simulate
from hanabilab.lab.validation.monitor import CheckFailedError, changes, shared_state
from hanabilab.lab.validation.properties import StrategyUnderTest, TestedRules
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = ["BASELINES", "CHECKS", "CheckReport", "CheckResult", "Score", "TestedRules", "check"]


GAMES, COMPARED = 100, 2
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
"""The checks, by the names in `CheckReport.findings`."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check; `passed` is None if it was skipped."""

    name: str
    passed: bool | None
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"name": self.name, "passed": self.passed, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Score:
    """The score of the strategy, or of a baseline on the same decks."""

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


@dataclass(frozen=True, slots=True, repr=False)
class CheckReport(Result):
    """The results of all checks of a strategy, and its scores.

    >>> from hanabilab import check, preset
    >>> check("iggi", rules=[preset("classic", 2)], games=2, compared=1, baselines=()).trusted
    True
    """

    strategy: str
    seed: int
    findings: tuple[CheckResult, ...]
    warnings: tuple[str, ...]
    tested_rules: tuple[TestedRules, ...]
    scores: tuple[Score, ...]
    seconds: float

    @property
    def trusted(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> list[CheckResult]:
        """The checks that failed."""
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
        """Return a row for each rules and number of players."""
        return [each.to_dict() for each in self.tested_rules]

    def summary(self) -> str:
        """Return whether the strategy is trusted, or which checks failed and why."""
        if self.trusted:
            return f"{self.strategy}: trusted"
        failed = "; ".join(f"{each.name}: {each.detail}" for each in self.failures)
        return f"{self.strategy}: {len(self.failures)} of {len(self.findings)} failed: {failed}"

    def to_tables(self) -> list[DataTable]:
        """Return the checks, and the warnings if there are any."""
        marks = {True: "ok", False: "FAILED", None: "-"}
        checks = [(each.name, marks[each.passed], each.detail) for each in self.findings]
        warnings = [("warning", "", each) for each in self.warnings]
        head = ("check", "result", "detail")
        return [DataTable(header=head, rows=(*checks, *warnings), text_columns=3)]

    def bars(self) -> list[Bar]:
        """Return the score of the strategy and of the baselines, by number of players."""
        return [
            Bar(f"{each.strategy}, {each.players} players", each.mean, 1.96 * each.stderr)
            for each in self.scores
        ]


Notify = Callable[[str], None]


def check(
    player: Player,
    *,
    games: int | None = None,
    compared: int | None = None,
    seed: int = 0,
    seconds: float | None = SECONDS,
    rules: Sequence[Rules] | None = None,
    interpreted: bool | None = None,
    baselines: Sequence[Player] | None = None,
    notify: Notify | None = None,
) -> CheckReport:
    """Check whether a strategy can be trusted.

    Parameters
    ----------
    player
        A strategy, by name or itself, a policy, a function `act`, or a class with one.
    games
        Compiled games for each rules; 100 by default, 2 for a strategy that is marked as slow.
    compared
        How many of them are played again interpreted, action by action, 10 by default. Plain
        Python plays this many, twice each.
    seed
        The seed of all games.
    seconds
        About how long the comparisons may take together; None for no limit. Each rules get at
        least one.
    rules
        Rules to try; by default every preset but the open game, with every number of players.
    interpreted
        Whether to play interpreted at all; by default unless the strategy is marked as slow.
    baselines
        Strategies whose scores on the same decks are reported beside its own; by default
        `BASELINES`.
    notify
        Called with a short text about the current check.

    Examples
    --------
    >>> from hanabilab import preset
    >>> print(check("iggi", rules=[preset("classic", 2)], games=2, compared=1, baselines=()))
    iggi: trusted
    """
    strategy = find_strategy(player)
    if strategy.name == "human":
        raise StrategyError("human: people are trusted without a check")
    games = (SLOW_GAMES if strategy.slow else GAMES) if games is None else games
    compared = COMPARED if compared is None else compared
    check_integer("games", games, 1, MAX_GAMES)
    check_integer("compared", compared, 1, MAX_GAMES)
    quick = not strategy.slow if interpreted is None else interpreted
    limit = LIMIT if quick else SLOW_LIMIT
    tested = StrategyUnderTest(
        strategy, check_seed("seed", seed), strategy.can_compile, quick, limit
    )
    every = _default_rules(strategy) if rules is None else list(rules)
    return _Check(tested, every, games, compared, seconds, notify or _ignore).run(
        BASELINES if baselines is None else baselines
    )


def _ignore(words: str) -> None:
    """Do nothing."""


def _default_rules(strategy: Strategy) -> list[Rules]:
    """Return every preset with every number of players, the strategy's home rules first.

    The open game has no hints, so it is left out unless it is the home of the strategy.
    """
    home = strategy.home_rules
    others = [name for name in PRESETS if name != home and not preset(name).open_game]
    names = [home] if strategy.slow else [home, *others]
    return [preset(name, players) for name in names for players in named_preset(name)[1].hands]


class _Check:
    """A check in progress, and its results so far."""

    def __init__(
        self,
        tested: StrategyUnderTest,
        rules: Sequence[Rules],
        games: int,
        compared: int,
        seconds: float | None,
        notify: Notify,
    ) -> None:
        self.tested, self.strategy = tested, tested.strategy
        self.rules = [each for each in rules if self.strategy.why_not(each) is None]
        self.refused = [
            TestedRules(each.preset or "custom", each.players, refused=reason)
            for each in rules
            if (reason := self.strategy.why_not(each)) is not None
        ]
        self.games, self.compared, self.notify = games, compared, notify
        self.started = time.monotonic()
        self.seconds = math.inf if seconds is None else seconds
        self.details = dict.fromkeys(CHECKS, "not asked")
        self.passed: dict[str, bool | None] = dict.fromkeys(CHECKS)
        self.played: list[TestedRules] = []
        self.skipped = 0
        self.scores: list[Score] = []

    def run(self, baselines: Sequence[Player]) -> CheckReport:
        """Run all checks, and return the report."""
        before = shared_state(self.strategy)
        self._run("options", self.tested.check_option_bounds)
        if not self.rules:
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
            tested_rules=(*self.played, *self.refused),
            scores=tuple(self.scores),
            seconds=time.monotonic() - self.started,
        )

    def _compile(self) -> None:
        if not self.tested.compiled:
            self.details["compiles"] = "plain Python: it runs interpreted, slower and on one thread"
            self.details["equal"] = "not asked: it is not compiled"
            return
        self.notify("compiling")
        self._run("compiles", lambda: self.tested.compile(self.rules[0]))
        self.tested.compiled = bool(self.passed["compiles"])
        self.started = time.monotonic()

    def _play(self) -> None:
        """Play under all rules, then run the checks that need only a few games."""
        try:
            self.tested.monitor.run_with_timeout(self._play_all_rules)
        except CheckFailedError as failure:
            self._fail(failure)
        self._conclude()
        if self.passed["plays"] is False or self.passed["ends"] is False:
            return
        if self.passed["equal"] is False:
            self.tested.compiled = False  # the other checks are about the functions as written
        few = self._sampled_rules()
        until = self._until(0.8)
        self.notify("playing in another order")
        self._run("repeats", lambda: self.tested.check_determinism(few))
        if self.passed["repeats"]:
            self._compare_seats(few, until)
        else:
            self.details["blind"] = self.details["alone"] = "not asked: its games do not repeat"
        if self.strategy.options and not self.strategy.slow:
            self.notify("trying its options")
            self._run("options", lambda: self.tested.check_extreme_options(few[0]), add=True)

    def _compare_seats(self, rules: Sequence[Rules], until: float) -> None:
        """Check what a player may know; this compares games, so they must be reproducible."""
        self.notify("asking players alone")
        self._run("alone", lambda: self.tested.check_isolation(rules[0]))
        if self.strategy.sees_own_hand:
            self.details["blind"] = "not asked: it declares that it sees its own cards"
            return
        self.notify("exchanging hidden cards")
        self._run("blind", lambda: self.tested.check_hidden_cards(rules, until))

    def _until(self, share: float) -> float:
        return self.started + share * self.seconds

    def _play_all_rules(self) -> None:
        for place, rules in enumerate(self.rules):
            self.notify(f"playing {rules.preset or 'custom'} with {rules.players} players")
            left = self._until(0.6) - time.monotonic()
            if time.monotonic() > self._until(1) and place >= SAMPLED_RULES:
                self.skipped = len(self.rules) - place
                return
            until = time.monotonic() + max(0.0, left) / (len(self.rules) - place)
            try:
                played = self.tested.play_rules(rules, self.games, self.compared, until)
            except CheckFailedError as failure:
                if failure.check_name in ("plays", "ends"):
                    raise
                self._fail(failure)
                break
            self.played.append(played)

    def _conclude(self) -> None:
        """Record the results of all games played."""
        games = sum(each.games for each in self.played)
        compared = sum(each.compared for each in self.played)
        written = self.tested.monitor.written
        if self.played and self.passed["plays"] is None and self.passed["ends"] is None:
            for check_name in ("plays", "ends"):
                self._pass(check_name, f"{games:,} games at {len(self.played)} tables")
        if compared and self.passed["equal"] is not False:
            self._pass("equal", f"{compared:,} games compared action by action")
        elif self.tested.compiled and not self.tested.interpreted:
            self.details["equal"] = "not asked: it is marked as too slow to run interpreted"
        if written:
            self._fail(CheckFailedError("view", written))
        elif self.tested.interpreted and self.played:
            self._pass("view", "what it was shown stayed as it was")

    def _sampled_rules(self) -> list[Rules]:
        """Return a few of the rules, the first and others from the whole range."""
        step = max(1, len(self.rules) // SAMPLED_RULES)
        return self.rules[::step][:SAMPLED_RULES]

    def _run(self, check_name: str, work: Callable[[], str], *, add: bool = False) -> None:
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
        if self.skipped:
            found.append(f"there was no time for {self.skipped} of {len(self.rules)} tables")
        if self.strategy.sees_own_hand:
            found.append("it sees its own cards, so its scores are not those of a player")
        return found

    def _score(self, baselines: Sequence[Player]) -> Iterator[Score]:
        """Yield its score and those of the baselines, on the same decks."""
        rate = statistics.median(each.games_per_second for each in self.played)
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
