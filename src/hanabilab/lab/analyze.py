"""Analyze a game: which score was still reachable after each turn, and which turns lost points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanabilab.formats.data_table import DataTable
from hanabilab.formats.svg import step_chart_svg
from hanabilab.lab.progress import Progress, Report, progress_bar
from hanabilab.lab.result import Result
from hanabilab.lab.solve import action_text, line_to_dicts
from hanabilab.solver.best_score import Heights
from hanabilab.solver.position import Position
from hanabilab.solver.solve import Solution, solve_position
from hanabilab.table.game import Game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Analysis", "Mistake", "ScoreBounds", "analyze"]


@dataclass(frozen=True, slots=True)
class ScoreBounds:
    """Bounds on the reachable score at some point of a game."""

    winnable: bool | None
    """None if the time ran out."""
    best: int
    """A score that was certainly reachable."""
    bound: int
    """An upper bound on the reachable score."""

    def to_dict(self) -> dict[str, Any]:
        """Return the bounds as plain data."""
        return {"winnable": self.winnable, "best": self.best, "bound": self.bound}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A turn that lowered the best score, with an action that would have kept it."""

    turn: int
    action: dict[str, Any]
    better: dict[str, Any]
    before: int
    """The best score before the turn."""
    after: int
    """An upper bound on the reachable score after it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the mistake as plain data."""
        return {
            "turn": self.turn,
            "action": self.action,
            "better": self.better,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Analysis(Result):
    """The reachable scores of a game, and its mistakes."""

    score: int
    max_score: int
    start: ScoreBounds
    turns: list[ScoreBounds]
    """After each turn."""
    mistakes: list[Mistake]

    @property
    def lost_at(self) -> int | None:
        """The turn, from 1, that lost the maximum; 0 if the deck was lost; None if never.

        Also None if the time ran out around that turn.
        """
        if self.start.winnable is False:
            return 0
        return next((one.turn for one in self.mistakes if one.before == self.max_score), None)

    @property
    def losing(self) -> Mistake | None:
        """The mistake that lost the maximum."""
        return next((one for one in self.mistakes if one.turn == self.lost_at), None)

    @property
    def better(self) -> dict[str, Any] | None:
        """An action that would have kept the maximum in the turn that lost it."""
        return self.losing.better if self.losing else None

    @property
    def verdict(self) -> str:
        """`perfect`, `bad luck` (the deck was lost), `mistake`, or `undecided`.

        A game that is not over yet, and not lost either, is `winnable`.
        """
        if self.score == self.max_score:
            return "perfect"
        if self.lost_at is not None:
            return "mistake" if self.lost_at else "bad luck"
        return "winnable" if [self.start, *self.turns][-1].winnable else "undecided"

    def summary(self) -> str:
        """Return the score, and when the maximum was lost."""
        if self.lost_at:
            verdict = f"lost by the action of turn {self.lost_at}"
        else:
            verdict = "lost from the start" if self.lost_at == 0 else self.verdict
        return f"score {self.score} of {self.max_score}: {verdict}"

    def _mistakes(self) -> DataTable:
        return DataTable(
            header=("turn", "player", "action", "better", "best before", "after"),
            rows=tuple(
                (
                    str(one.turn),
                    str(one.action["player"]),
                    action_text(one.action),
                    action_text(one.better),
                    str(one.before),
                    str(one.after),
                )
                for one in self.mistakes
            ),
            text_columns=4,
        )

    def _reachable(self) -> list[int]:
        """Return the best score in reach at the start and after each turn."""
        return [self.start.best, *(turn.best for turn in self.turns)]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for the start and for each turn: what was still in reach after it."""
        wrong = {one.turn for one in self.mistakes}
        return [
            {"turn": turn, **bounds.to_dict(), "mistake": turn in wrong}
            for turn, bounds in enumerate([self.start, *self.turns])
        ]

    def to_tables(self) -> list[DataTable]:
        """Return the mistakes, if there are any."""
        return [self._mistakes()] if self.mistakes else []

    def chart(self) -> str:
        """Return the best score in reach, turn by turn."""
        return step_chart_svg(
            self._reachable(), self.max_score, "best score in reach, turn by turn"
        )

    def plot(self, file: str | None = None) -> Figure:
        """Draw the best score in reach, turn by turn; save the figure if a file is given."""
        from hanabilab.lab.plot import plot_scores

        label = "best score in reach"
        return plot_scores(self._reachable(), self.max_score, str(self), label, file)

    def __repr__(self) -> str:
        lines = self._mistakes().lines() if self.mistakes else []
        best = " ".join(map(str, self._reachable()))
        return "\n".join([f"<Analysis: {self}>", *lines, f"best score in reach: {best}"])

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data."""
        return {
            "lost_at": self.lost_at,
            "better": self.better,
            "verdict": self.verdict,
            "score": self.score,
            "start": self.start.to_dict(),
            "turns": [turn.to_dict() for turn in self.turns],
            "mistakes": [mistake.to_dict() for mistake in self.mistakes],
        }


def analyze(game: Game, *, time_limit: float | None = 60.0, progress: Progress = None) -> Analysis:
    """Find the best score that was still reachable after each turn of a game.

    `time_limit` is in seconds per turn. Progress counts the start and the turns decided.

    Examples
    --------
    >>> from hanabilab import Deck, play
    >>> print(analyze(play("piers", Deck.shuffled(players=2, seed=3))))
    score 20 of 25: lost by the action of turn 21
    """
    with progress_bar("analyze", game.turn + 1, progress) as report:
        solver = _GameSolver(game, time_limit, report)
        solver.solve_all()
    bounds = solver.bounds()
    return Analysis(game.score, game.rules.max_score, bounds[0], bounds[1:], solver.mistakes())


class _GameSolver:
    """Bounds the best score after each turn of a game.

    The best score never rises, so a lower bound holds for all earlier turns and an upper bound for
    all later ones. Bisection solves only the turns around which the best score changes.
    """

    def __init__(self, game: Game, time_limit: float | None, report: Report) -> None:
        self.time_limit, self.report = time_limit, report
        self.numbers = _numbers(game)
        self.positions = [Position.start(game.deck)]
        for number in self.numbers:
            self.positions.append(self.positions[-1].after([number]))
        self.top = game.rules.max_score
        self.found: dict[int, Solution] = {}
        self.best = [0] * len(self.positions)
        self.bound = [self.top] * len(self.positions)

    def solve_all(self) -> None:
        """Solve the end, the start, and then the turns in between."""
        last = len(self.numbers)
        self.solve_turn(last)
        if self.best[0] < self.bound[0]:
            self.solve_turn(0)
            self.solve_between(0, last)

    def solve_between(self, first: int, last: int) -> None:
        """Bisect the turns between two until the best scores at both ends are equal."""
        if last - first < 2 or self.best[last] >= self.bound[first]:
            return
        middle = (first + last) // 2
        self.solve_turn(middle)
        self.solve_between(first, middle)
        self.solve_between(middle, last)

    def solve_turn(self, turn: int) -> None:
        """Solve the position after a turn, and update the bounds of all turns."""
        found = self.found[turn] = self.solve(turn)
        for earlier in range(turn + 1):
            self.best[earlier] = max(self.best[earlier], found.best)
        for later in range(turn, len(self.positions)):
            self.bound[later] = min(self.bound[later], found.bound)
        known = sum(map(int.__eq__, self.best, self.bound))
        self.report(known, f"turn {turn}: {found.best}")

    def solve(self, turn: int) -> Solution:
        """Solve the position after a turn, using the bounds and lines known already."""
        return solve_position(
            self.positions[turn],
            time_limit=self.time_limit,
            best=True,
            bound=self.bound[turn],
            line=self.line_from(turn),
            guess=self.heights_before(turn),
        )

    def line_from(self, turn: int) -> tuple[int, ...]:
        """Return the best known line: the game's own moves, then the line of a later turn."""
        later = [other for other in self.found if other >= turn]
        if not later:
            return ()
        leave = max(later, key=lambda other: self.found[other].best)
        return (*self.numbers[turn:leave], *self.found[leave].line)

    def heights_before(self, turn: int) -> Heights:
        """Return the fireworks after the line of the latest earlier turn that was solved."""
        earlier = [other for other in self.found if other < turn]
        if not earlier:
            return ()
        at = max(earlier)
        state = self.positions[at].after(self.found[at].line).state
        return tuple(state.fireworks[: state.rules.suits])

    def bounds(self) -> list[ScoreBounds]:
        """Return the bounds at the start and after each turn."""
        return [
            ScoreBounds(best == self.top or (None if bound == self.top else False), best, bound)
            for best, bound in zip(self.best, self.bound, strict=True)
        ]

    def mistakes(self) -> list[Mistake]:
        """Return the turns that lowered the best score."""
        found = []
        for turn, number in enumerate(self.numbers, 1):
            before, after = self.best[turn - 1], self.bound[turn]
            if after < before:
                position = self.positions[turn - 1]
                kept = self.found[turn - 1].line[0]
                action, better = (
                    line_to_dicts(position, (choice,))[0] for choice in (number, kept)
                )
                found.append(Mistake(turn, action, better, before, after))
        return found


def _numbers(game: Game) -> list[int]:
    """Return the numbers of the game's actions."""
    again = Game(game.rules, game.deck)
    numbers = []
    for action in game.actions:
        number = action.number(again.state)
        assert number is not None  # the game has taken it
        numbers.append(number)
        again.act(action)
    return numbers
