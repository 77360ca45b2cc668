"""The properties that a strategy must have; each check plays games and raises if it fails."""

from __future__ import annotations

import dataclasses
import math
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabilab.errors import HanabiError, StrategyError, one_line
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.lab.result import rules_label
from hanabilab.lab.validation.monitor import CheckFailedError, Monitor
from hanabilab.lab.validation.replay import (
    ReplayedChoice,
    redeal_hidden_cards,
    replay,
    replay_in_subprocess,
)
from hanabilab.strategies.strategy import Option, Strategy
from hanabilab.table.failure import FailedGame
from hanabilab.table.game import Game
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import play

__all__ = ["StrategyUnderTest", "TestedRules"]

REPEATED = 4
REDEALT_TURNS = 6
EXTREME_GAMES = 3
MANY_TIMES = 50
"""How much longer than the first game the others may take."""


@dataclass(frozen=True, slots=True)
class TestedRules:
    """Rules and a number of players, and how many games were played with them."""

    rules: str
    players: int
    games: int = 0
    compared: int = 0
    """How many of them were also played interpreted, action by action."""
    games_per_second: float = 0.0
    refused: str | None = None
    """Why the strategy does not support them."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rules": self.rules,
            "players": self.players,
            "games": self.games,
            "compared": self.compared,
            "games_per_second": self.games_per_second,
            "refused": self.refused,
        }


@dataclass(slots=True)
class StrategyUnderTest:
    """A strategy that is being checked, and how it can be played."""

    strategy: Strategy
    seed: int
    compiled: bool
    """Whether it can be compiled."""
    interpreted: bool
    """Whether it is fast enough to be played interpreted."""
    limit: float
    """Timeout of one call, in seconds."""
    monitor: Monitor = field(init=False)

    def __post_init__(self) -> None:
        self.monitor = Monitor(self.strategy, self.limit)

    def compile(self, rules: Rules) -> str:
        """Compile all of its functions."""
        try:
            play_chunk(rules, [self.strategy] * rules.players, self.seed, 0, 0)
        except Exception as error:  # whatever the compiler raises
            raise CheckFailedError("compiles", _error_text(error)) from error
        return "all its functions"

    def play_rules(self, rules: Rules, games: int, compared: int, until: float) -> TestedRules:
        """Play games under some rules, and compare some of them action by action."""
        name = rules.preset or "custom"
        if self.compiled:
            rate = self._play_compiled(rules, games)
            count = self._compare(rules, compared, until) if self.interpreted else 0
            return TestedRules(name, rules.players, games, count, rate)
        start = time.perf_counter()
        count = self._compare(rules, compared, until)
        rate = 2 * count / (time.perf_counter() - start)  # each was played twice
        return TestedRules(name, rules.players, count, 0, rate)

    def _play_compiled(self, rules: Rules, games: int) -> float:
        """Play games in one call, the first one alone; return the games per second."""
        team = [self.strategy] * rules.players
        where = f"under {rules_label(rules)}, seed {self.seed}"
        allowed = self.limit
        for first, count in ((0, 1), (1, games - 1)):
            start = time.perf_counter()
            with self.monitor.timed(where, allowed):
                rows = self._guarded(rules, play_chunk, rules, team, self.seed, first, count)
            if not all(row[3] for row in rows):
                raise CheckFailedError("ends", f"a game did not end {where}")
            seconds = max(time.perf_counter() - start, 1e-6)
            allowed += MANY_TIMES * seconds * games
        return max(1, games - 1) / seconds

    def _compare(self, rules: Rules, games: int, until: float) -> int:
        """Play games and replay them interpreted; return how many there was time for."""
        everyone = range(rules.players)
        for number in range(games):
            played = self.play(rules, number)
            for answer in self._replay(played, number, everyone):
                if answer.chosen != answer.recorded:
                    check_name = "equal" if self.compiled else "repeats"
                    raise CheckFailedError(check_name, self._difference(played, number, answer))
            if time.monotonic() > until:
                return number + 1
        return games

    def play(self, rules: Rules, number: int) -> Game:
        """Play one game, compiled if possible."""
        deck = Deck.shuffled(rules, seed=self.seed, game=number)
        strategy = self.strategy if self.compiled else self.monitor.strategy
        how = {"seed": self.seed, "game": number, "compiled": self.compiled}
        game: Game = self._guarded(rules, play, strategy, deck, **how)
        if not game.is_over:
            raise CheckFailedError("ends", f"game {number} did not end under {rules_label(rules)}")
        return game

    def _guarded(self, rules: Rules, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Call a function that plays; attribute errors to the strategy."""
        try:
            return function(*arguments, **keywords)
        except (Exception, SystemExit) as error:  # whatever a user's code raises
            where = f"under {rules_label(rules)}"
            raise CheckFailedError(
                "plays", f"{_error_text(error)}; {where}, seed {self.seed}"
            ) from error

    def _replay(
        self, played: Game, number: int, asked: Iterable[int], **how: Any
    ) -> Iterator[ReplayedChoice]:
        strategy = self.monitor.strategy if self.interpreted else self.strategy
        deck = how.pop("deck", played.deck)
        how["compiled"] = not self.interpreted
        chosen = replay(strategy, played, deck, self.seed, number, list(asked), **how)
        while True:
            try:
                answer = next(chosen, None)
            except (Exception, SystemExit) as error:  # whatever a user's code raises
                where = f"under {rules_label(played.rules)}, seed {self.seed}, game {number}"
                raise CheckFailedError("plays", f"{_error_text(error)}; {where}") from error
            if answer is None:
                return
            yield answer

    def _difference(self, played: Game, number: int, answer: ReplayedChoice) -> str:
        ways = ("interpreted", "compiled") if self.compiled else ("the second time", "the first")
        return (
            f"player {answer.player} chooses action {answer.chosen} {ways[0]} and "
            f"{answer.recorded} {ways[1]} {self._location(played, number, answer.turn)}"
        )

    def _location(self, played: Game, number: int, turn: int) -> str:
        """Describe a turn, with the command that shows it."""
        rules = played.rules
        where = f"in turn {turn + 1} of game {number}, seed {self.seed}, {rules_label(rules)}"
        team = [self.strategy] * rules.players
        return f"{where}; see it with  {FailedGame(rules, team, self.seed, number).command()}"

    def check_determinism(self, all_rules: Sequence[Rules]) -> str:
        """Play games in a row, and one by one in reverse order: they must be the same."""
        modes = [True] * self.compiled + [False] * self.interpreted
        for rules in all_rules:
            for compiled in modes:
                row = self._rows(rules, 0, REPEATED, compiled)
                for number in reversed(range(REPEATED)):
                    if self._rows(rules, number, 1, compiled) != row[number : number + 1]:
                        raise CheckFailedError(
                            "repeats",
                            f"game {number} of seed {self.seed} is another one when it is played "
                            f"alone, under {rules_label(rules)}: something is left over from "
                            "earlier games",
                        )
        return f"{REPEATED} games at {len(all_rules)} tables, in a row and one by one"

    def _rows(self, rules: Rules, first: int, count: int, compiled: bool) -> list[list[int]]:
        team = [self.strategy if compiled else self.monitor.strategy] * rules.players
        keywords = {"compiled": compiled}
        rows = self._guarded(rules, play_chunk, rules, team, self.seed, first, count, **keywords)
        return [[int(number) for number in row] for row in rows]

    def check_hidden_cards(self, all_rules: Sequence[Rules], until: float) -> str:
        """Replace the cards that a player cannot see: its action must stay the same."""
        rng, compared = random.Random(self.seed), 0
        for rules in all_rules:
            played = self.play(rules, 0)
            turns = rng.sample(range(played.turn), min(played.turn, REDEALT_TURNS))
            for turn in turns:
                other = redeal_hidden_cards(played, turn, rng)
                if other is None or (compared and time.monotonic() > until):
                    continue
                self._compare_decks(played, other, turn)
                compared += 1
        return f"{compared} turns with other cards in the player's hand and in the draw pile"

    def _compare_decks(self, played: Game, other: Deck, turn: int) -> None:
        """Raise if a player acts differently on a deck that differs only in cards it cannot see."""
        everyone = range(played.rules.players)
        me = played.events[turn].player
        here = list(self._replay(played, 0, everyone, last=turn))
        there = list(self._replay(played, 0, everyone, last=turn, deck=other))
        for one, two in zip(here, there, strict=True):
            if one.player == me and one.chosen != two.chosen:
                raise CheckFailedError(
                    "blind",
                    f"player {me} chooses action {one.chosen}, but {two.chosen} when it holds "
                    f"other cards that fit all it was told, {self._location(played, 0, one.turn)}",
                )

    def check_isolation(self, rules: Rules) -> str:
        """Replay each player alone, also in another process: players may share only the game."""
        played = self.play(rules, 0)
        for player in range(rules.players):
            for answer in self._replay(played, 0, [player]):
                self._check_alone(played, answer)
        if not self.strategy.location:
            return "each player of a game asked alone"
        for player in range(rules.players):
            mine = list(self._replay(played, 0, [player]))
            limit = 60 + 10 * self.limit
            label = self.strategy.label
            chosen = replay_in_subprocess(label, played, self.seed, 0, player, limit)
            for answer, there in zip(mine, chosen, strict=True):
                self._check_alone(played, answer._replace(chosen=there))
        return "each player of a game asked alone, and in a process of its own"

    def _check_alone(self, played: Game, answer: ReplayedChoice) -> None:
        if answer.chosen != answer.recorded:
            raise CheckFailedError(
                "alone",
                f"player {answer.player} chooses action {answer.recorded} beside the others and "
                f"{answer.chosen} alone: it depends on something besides its view and its memory, "
                f"such as a global, a clock or a hash; {self._location(played, 0, answer.turn)}",
            )

    def check_option_bounds(self) -> str:
        """Check that options reject values out of range, and have fields in the memory."""
        strategy = self.strategy
        if not strategy.options:
            return "it has none"
        _refuses(strategy, "no-such-option", 1)
        for name, option in strategy.options.items():
            try:
                option.read(name, option.default)
            except HanabiError as error:
                raise CheckFailedError("options", f"its own default is refused: {error}") from error
            for value in _wrong_values(option):
                _refuses(strategy, name, value)
        self._check_option_fields()
        return f"{', '.join(strategy.options)}: values out of range are refused"

    def _check_option_fields(self) -> None:
        """Raise if the memory has no field for an option, or one of another type."""
        if type(self.strategy).fresh_memory is not Strategy.fresh_memory:
            return  # it stores them in its own way
        fields = self.strategy.memory.fields
        for name, option in self.strategy.options.items():
            kind = "float" if isinstance(option.default, float) else "int"
            if name not in fields or (kind == "float") != (fields[name][0] == "float"):
                raise CheckFailedError(
                    "options", f"write {name}: {kind} in {self.strategy.memory.__name__} for it"
                )

    def check_extreme_options(self, rules: Rules) -> str:
        """Play with each option at its bounds, or with each of its choices."""
        tried = 0
        for name, option in self.strategy.options.items():
            for value in _extreme_values(option):
                other = self.strategy.with_options(**{name: value})
                if other.why_not(rules) is None:
                    changed = dataclasses.replace(self, strategy=other)
                    with self.monitor.timed(f"with {name}={value}", MANY_TIMES * self.limit):
                        tried += len(changed._rows(rules, 0, EXTREME_GAMES, self.compiled))
        return f"{tried} games with options at their ends"


def _error_text(error: BaseException) -> str:
    """Return an error of a user's code in one line."""
    text = " ".join(str(error).split())
    return one_line(text if isinstance(error, HanabiError) else f"{type(error).__name__}: {text}")


def _refuses(strategy: Strategy, name: str, value: object) -> None:
    try:
        strategy.with_options(**{name: value})
    except StrategyError:
        return
    raise CheckFailedError("options", f"{name}={value} is accepted")


def _wrong_values(option: Option) -> list[object]:
    if option.choices or isinstance(option.default, bool):
        return ["no such value"]
    if isinstance(option.default, str):
        return []
    bounds = [option.least - 1, option.most + 1]
    return [*(bound for bound in bounds if math.isfinite(bound)), math.nan, "no number"]


def _extreme_values(option: Option) -> list[object]:
    if option.choices:
        return list(option.choices)
    if isinstance(option.default, bool):
        return [False, True]
    if isinstance(option.default, str):
        return []
    return [bound for bound in (option.least, option.most) if math.isfinite(bound)]
