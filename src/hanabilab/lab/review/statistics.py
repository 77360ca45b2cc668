"""Statistics over many reviews: of players at several tables, and of a strategy.

`player_statistics` adds up the reviews of each player. `review_strategy` plays games of a strategy
and reviews them by the strategy itself. Its actions are then the convention's, so *play* is zero.
Its loss is the value of the best action found, measured in worlds that did not choose it: one
action at a time, with the strategy before and after it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any, Self

from hanabilab.checks import check_integer
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.lab.files import write_text
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Result, rules_label
from hanabilab.lab.review.account import Account, balance, check_worlds
from hanabilab.lab.review.facts import GameFacts, TurnFacts, find_facts
from hanabilab.lab.review.game_review import BULK_WORLDS, Review, numbers_of, positions_of
from hanabilab.lab.review.sampling import evaluate_game
from hanabilab.lab.review.values import PlayedGame, Precision
from hanabilab.lab.review.verdicts import ERRORS
from hanabilab.lab.tally import plus_minus
from hanabilab.strategies import Player, find_strategy
from hanabilab.table.play import play

__all__ = ["PAGE", "PlayerStatistics", "StrategyReview", "player_statistics", "review_strategy"]

PAGE = ".html"
KINDS = {PLAY: "play", DISCARD: "discard", HINT_SUIT: "hint", HINT_RANK: "hint", PASS: "hint"}
"""The kinds of decisions."""


# --- players --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class PlayerStatistics(Result):
    """Statistics of each player over several reviews."""

    games: int
    judged: int
    """Games that a convention explains, so that decisions were judged."""
    players: tuple[dict[str, Any], ...]
    listed: tuple[dict[str, Any], ...] = ()
    """What the page tells about each game."""

    def to_page(self) -> str:
        """Return the report as a self-contained HTML page."""
        from hanabilab.lab.review.page import players_page

        return players_page(self)

    def save(self, file: str | os.PathLike[str]) -> Self:
        """Write the statistics: an .html page, or any format of a table."""
        if Path(file).suffix.lower() != PAGE:
            return super(PlayerStatistics, self).save(file)  # slots: there is no __class__ cell
        write_text(file, self.to_page())
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain data."""
        return {"games": self.games, "judged": self.judged, "players": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player."""
        return list(self.players)

    def summary(self) -> str:
        """Return the number of games and players in a sentence."""
        return (
            f"{self.games} games of {len(self.players)} players; "
            f"decisions were judged in {self.judged} of them."
        )

    def to_tables(self) -> list[DataTable]:
        """Return the tables to display."""
        names = [name for name, value in self.players[0].items() if not isinstance(value, dict)]
        names = ["name", *(name for name in names if name != "name")]
        rows = [[_cell(row[name]) for name in names] for row in self.players]
        facts = DataTable(
            header=tuple(name.replace("_", " ") for name in names),
            rows=tuple(map(tuple, rows)),
            caption="What each player did:",
        )
        tables = [facts, self._decisions()] if self.judged else [facts]
        several = len({game["variant"] for game in self.listed}) > 1
        return [*tables, self._variants()] if several else tables

    def _variants(self) -> DataTable:
        rows = [
            (row["name"], variant, str(scores["games"]), _cell(scores["score"]))
            for row in self.players
            for variant, scores in row["scores_by_variant"].items()
        ]
        return DataTable(
            header=("name", "variant", "games", "score"),
            rows=tuple(rows),
            caption="Mean scores of finished games by variant:",
            text_columns=2,
        )

    def _decisions(self) -> DataTable:
        kinds = list(dict.fromkeys(KINDS.values()))
        rows = [
            (
                row["name"],
                *(f"{row['given_away_by'][kind]:.2f}" for kind in kinds),
                *(str(row["verdicts"][word]) for word in ERRORS),
            )
            for row in self.players
        ]
        return DataTable(
            header=("name", *kinds, *ERRORS),
            rows=tuple(rows),
            caption="Points given away by kind of decision, and words for decisions, where judged:",
        )


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def player_statistics(reviews: Sequence[Review]) -> PlayerStatistics:
    """Add up the reviews of each player, identified by name."""
    if not reviews:
        raise StrategyError("there is no game to sum up")
    names = list(dict.fromkeys(name for review in reviews for name in review.names))
    judged = sum(review.fit.fits for review in reviews)
    rows = tuple(_player_row(name, reviews) for name in names)
    return PlayerStatistics(len(reviews), judged, rows, tuple(map(_game_row, reviews)))


def _game_row(review: Review) -> dict[str, Any]:
    game, site = review.game, review.site or {}
    return {
        "names": review.names,
        "variant": _variant(review),
        "score": game.score,
        "max_score": game.rules.max_score,
        "turns": game.turn,
        "finished": game.is_over,
        "judged_by": review.convention or "" if review.fit.fits else "",
        "link": _link(review, site.get("id")),
    }


def _variant(review: Review) -> str:
    return review.game.rules.preset or "custom rules"


def _link(review: Review, number: object) -> str:
    """Return the address of a game at hanab.live, or an empty text if its rules have none."""
    if isinstance(number, int):
        return f"https://hanab.live/replay/{number}"
    try:
        return review.game.link()
    except HanabiError:
        return ""


def _player_row(name: str, reviews: Sequence[Review]) -> dict[str, Any]:
    seats = [
        (review, row) for review in reviews for row in review.player_rows() if row["name"] == name
    ]
    finished = [review.game.score for review, _ in seats if review.game.is_over]
    total = {key: sum(row[key] for _, row in seats) for key in ("hints", "cards", "misplays")}
    return {
        "name": name,
        "games": len(seats),
        "finished": len(finished),
        "score": sum(finished) / len(finished) if finished else None,
        "turns": sum(row["turns"] for _, row in seats),
        **total,
        "table_cards_per_hint": _per_hint(seats),
        "lost_critical": sum(row["lost_critical"] for _, row in seats),
        "winnable_lost": sum(_lost_by(review, row["player"]) for review, row in seats),
        "judged": sum(row["judged"] for _, row in seats),
        "scores_by_variant": _scores_by_variant([review for review, _ in seats]),
        "given_away_by": _given_away(seats),
        "verdicts": {
            word: sum(row["verdicts"][word] for _, row in seats if row["judged"]) for word in ERRORS
        },
    }


def _scores_by_variant(reviews: Sequence[Review]) -> dict[str, dict[str, Any]]:
    """Return the number of games of a player in each variant, and the mean of finished ones."""
    found: dict[str, dict[str, Any]] = {}
    for variant in sorted({_variant(review) for review in reviews}):
        games = [review.game for review in reviews if _variant(review) == variant]
        scores = [game.score for game in games if game.is_over]
        found[variant] = {
            "games": len(games),
            "finished": len(scores),
            "score": sum(scores) / len(scores) if scores else None,
            "max_score": games[0].rules.max_score,
        }
    return found


def _per_hint(seats: Sequence[tuple[Review, dict[str, Any]]]) -> float | None:
    """Return the cards played per hint at a player's tables."""
    hints = sum(review.facts.efficiency.hints for review, _ in seats)
    cards = sum(review.facts.efficiency.cards for review, _ in seats)
    return cards / hints if hints else None


def _lost_by(review: Review, player: int) -> bool:
    """Return whether a player's turn lost the maximum, with all cards visible."""
    lost = review.analysis.lost_at if review.analysis else None
    return bool(lost) and review.turns[(lost or 1) - 1].player == player


def _given_away(seats: Sequence[tuple[Review, dict[str, Any]]]) -> dict[str, float]:
    points: Counter[str] = Counter()
    for review, row in seats:
        for turn in review.turns:
            if row["judged"] and turn.player == row["player"]:
                points[KINDS[turn.facts.event.kind]] -= turn.play  # type: ignore[assignment]
    return {kind: float(points[kind]) for kind in dict.fromkeys(KINDS.values())}


# --- strategies -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over games with its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Return the mean of the values of games."""
        count = len(values)
        mean = sum(values) / count
        squares = sum((value - mean) ** 2 for value in values)
        return cls(mean, sqrt(squares / max(1, count - 1) / count))

    def __str__(self) -> str:
        return plus_minus(self.mean, self.error)


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """One reviewed game of a strategy."""

    score: int
    account: Account
    facts: GameFacts


@dataclass(frozen=True, slots=True, repr=False)
class StrategyReview(Result):
    """Where a strategy loses points."""

    strategy: str
    rules: Rules
    seed: int
    worlds: int
    reviewed: tuple[ReviewedGame, ...]

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.reviewed)

    @property
    def score(self) -> Estimate:
        """The mean score."""
        return Estimate.of([game.score for game in self.reviewed])

    @property
    def without_luck(self) -> Estimate:
        """The mean score without the luck of the draws, whose mean is zero."""
        return Estimate.of([game.score - game.account.ledger.draw for game in self.reviewed])

    @property
    def variance_ratio(self) -> float:
        """The variance of the mean without luck, in units of that of the plain mean."""
        return (self.without_luck.error / self.score.error) ** 2 if self.score.error else 1.0

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each group of decisions."""
        return [
            {"by": by, "group": group, **row}
            for by, name in GROUPINGS.items()
            for group, row in self._grouped(name).items()
        ]

    def _grouped(self, name: Callable[[TurnFacts, int], str]) -> dict[str, dict[str, Any]]:
        """Return, for each group, the number of decisions per game and their losses."""
        points: dict[str, list[float]] = {}
        counts: Counter[str] = Counter()
        better: Counter[str] = Counter()
        for number, game in enumerate(self.reviewed):
            for turn, (facts, value) in enumerate(
                zip(game.facts.turns, game.account.values, strict=True)
            ):
                group = name(facts, turn)
                row = points.setdefault(group, [0.0] * self.games)
                row[number] += value.loss
                counts[group] += 1
                better[group] += value.loss > 0 and value.loss >= 2 * value.loss_error
        return {
            group: {
                "decisions": counts[group] / self.games,
                "better_found": better[group] / counts[group],
                "lost": Estimate.of(points[group]).mean,
                "lost_error": Estimate.of(points[group]).error,
            }
            for group in sorted(points, key=_order)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain data."""
        return {
            "strategy": self.strategy,
            "rules": self.rules.to_dict(),
            "games": self.games,
            "seed": self.seed,
            "worlds": self.worlds,
            "mean": self.score.mean,
            "stderr": self.score.error,
            "mean_without_luck": self.without_luck.mean,
            "stderr_without_luck": self.without_luck.error,
            "variance_ratio": self.variance_ratio,
            "groups": self.rows(),
        }

    def summary(self) -> str:
        """Return the mean score in a sentence."""
        return (
            f"{self.strategy}: {self.score} points in {self.games} games, "
            f"{rules_label(self.rules)}, seed {self.seed}."
        )

    def to_tables(self) -> list[DataTable]:
        """Return a table for each way to group decisions."""
        return [self._table(by, name) for by, name in GROUPINGS.items()]

    def _table(self, by: str, name: Callable[[TurnFacts, int], str]) -> DataTable:
        rows = tuple(
            (
                group,
                f"{row['decisions']:.1f}",
                f"{row['better_found']:.0%}",
                f"{row['lost']:.2f} ± {row['lost_error']:.2f}",
            )
            for group, row in self._grouped(name).items()
        )
        return DataTable(header=(by, "decisions", "better found", "points lost"), rows=rows)

    def to_text(self) -> str:
        """Return the means, how much of their variance is luck, and the tables."""
        lines = [
            self.summary(),
            f"Without the luck of the draws: {self.without_luck}; the variance of the mean is "
            f"{self.variance_ratio:.2f} of that of the plain mean.",
            "Points lost in a game by actions worse than the best one found, one at a time:",
        ]
        tables = [table.lines() for table in self.to_tables()]
        return "\n\n".join("\n".join(block) for block in [lines, *tables])


def _kind(facts: TurnFacts, turn: int) -> str:
    return KINDS[facts.event.kind]


def _turn(facts: TurnFacts, turn: int) -> str:
    first = turn // TURNS * TURNS
    return f"{first + 1}-{first + TURNS}"


def _tokens(facts: TurnFacts, turn: int) -> str:
    return str(facts.tokens)


def _pace(facts: TurnFacts, turn: int) -> str:
    pace = facts.pace
    if pace < 0:
        return "below 0"
    return str(pace) if pace < PACE else f"{PACE} or more"


TURNS = 10
"""Number of turns in a group."""
PACE = 5
"""The pace from which decisions are grouped together."""
GROUPINGS: dict[str, Callable[[TurnFacts, int], str]] = {
    "kind": _kind,
    "turn": _turn,
    "hint tokens": _tokens,
    "pace afterwards": _pace,
}


def _order(group: str) -> tuple[int, str]:
    """Return the sort key of a group: its first number, if it has one."""
    digits = group.split("-")[0].split(" ")[0]
    return (int(digits), "") if digits.isdigit() else (-1, group)


def review_strategy(
    strategy: Player,
    rules: Rules,
    games: int,
    *,
    seed: int = 0,
    worlds: int = BULK_WORLDS,
    threads: int | None = None,
    cached: bool = True,
    progress: Progress = None,
) -> StrategyReview:
    """Review games of a strategy by the strategy itself: where it loses points.

    Game g of a seed has the same deck as in `simulate`. To resume after Ctrl-C, call it again.
    """
    check_integer("games", games, 1, 1_000_000)
    check_worlds(worlds)
    chosen = find_strategy(strategy)
    reviewed = []
    with progress_bar("review", games, progress) as report:
        for number in range(games):
            deck = Deck.shuffled(rules, seed=seed, game=number)
            reviewed.append(_reviewed(chosen, deck, seed, number, worlds, threads, cached))
            report(number + 1, "")
    return StrategyReview(chosen.label, rules, seed, worlds, tuple(reviewed))


def _reviewed(
    strategy: Any, deck: Deck, seed: int, number: int, worlds: int, threads: Any, cached: bool
) -> ReviewedGame:
    game = play(strategy, deck, seed=seed, game=number)
    positions = positions_of(game)
    played = PlayedGame(deck.rules, tuple(deck), tuple(numbers_of(game, positions)))
    values = evaluate_game(
        strategy,
        played,
        Precision.of(worlds),
        seed,
        finished=True,
        threads=threads,
        cached=cached,
        report=lambda done, text: None,
    )
    score = game.state.score
    account = balance(values, (float(score), float(score == deck.rules.max_score)), (0.0, 0.0))
    return ReviewedGame(score, account, find_facts(positions[0], played.actions))
