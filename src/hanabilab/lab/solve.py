"""Solve open games: decks, and games in progress.

`solve` turns what it is given into a position and calls `hanabilab.solver.solve.solve_position`;
`Answer` adds the line as actions of the replay format, and how a notebook displays it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from hanabilab.formats.action import Action
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import Deck
from hanabilab.game.names import hint_letters_of
from hanabilab.lab.result import Result
from hanabilab.solver.position import Position
from hanabilab.solver.solve import Solution, solve_position
from hanabilab.table.game import Game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Answer", "action_text", "line_to_dicts", "solve"]


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Solution, Result):
    """The solution of a deck or of a game in progress, with a line in the replay format."""

    @classmethod
    def of(cls, solution: Solution) -> Answer:
        """Return a solution as an answer."""
        fields = dataclasses.fields(Solution)
        return cls(**{field.name: getattr(solution, field.name) for field in fields})

    @property
    def actions(self) -> list[dict[str, Any]]:
        """The line to the best score, as objects of the replay format."""
        return line_to_dicts(self.position, self.line)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "winnable": self.winnable,
            "best": self.best,
            "bound": self.bound,
            "actions": self.actions,
            "reason": self.reason.to_dict() if self.reason else None,
            "method": self.method,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each turn of the line: who acts, how, and the score after it."""
        return [
            {
                "turn": turn,
                "player": action["player"],
                "action": action_text(action),
                "score": score,
            }
            for turn, (action, score) in enumerate(
                zip(self.actions, self._scores()[1:], strict=True), 1
            )
        ]

    def _scores(self) -> list[int]:
        """Return the score at the start of the line and after each of its turns."""
        positions = [self.position]
        for number in self.line:
            positions.append(positions[-1].after([number]))
        return [sum(each.state.fireworks[: each.state.rules.suits]) for each in positions]

    def to_tables(self) -> list[DataTable]:
        """Return the turns of the line."""
        rows = tuple(
            (str(row["turn"]), f"player {row['player']}", row["action"]) for row in self.rows()
        )
        return [DataTable(header=("turn", "who", "action"), rows=rows, text_columns=3)]

    def plot(self, file: str | None = None) -> Figure:
        """Draw the score along the line; save the figure if a file is given."""
        from hanabilab.lab.plot import plot_scores

        highest = self.position.state.rules.suits * self.position.state.rules.ranks
        return plot_scores(self._scores(), highest, str(self), "score", file)

    def __repr__(self) -> str:
        return f"<Answer: {self}>"

    def _repr_html_(self) -> str:
        table = self.to_tables()[0]
        count = len(table.rows)
        line = f"<details><summary>the line, {count} turns</summary>{table.to_html()}</details>"
        return f"<div><p>{escape(str(self))}</p>{line if count else ''}</div>"

    def summary(self) -> str:
        """Return whether the maximum can be reached, how or why not, and the best score."""
        if self.winnable:
            return f"winnable: in {len(self.line)} turns ({self.method})"
        reach = f"best score {self.best}"
        if self.best < self.bound:
            reach = f"best score between {self.best} and {self.bound}"
        if self.winnable is None:
            return f"undecided: {reach}"
        return f"not winnable: {self.reason}; {reach}"


def action_text(action: dict[str, Any]) -> str:
    """Return an action of the replay format as text, without its player."""
    return " ".join(str(value) for key, value in action.items() if key != "player")


def line_to_dicts(position: Position, numbers: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return a line, given by the numbers of its actions, as objects of the replay format."""
    objects = []
    for number in numbers:
        state = position.state
        objects.append(
            Action.from_number(number, state).to_dict(state.player, hint_letters_of(state.rules))
        )
        position = position.after([number])
    return objects


def solve(
    what: Deck | Game | Position | str, *, time_limit: float | None = 60.0, best: bool = False
) -> Answer:
    """Decide whether the maximum can be reached if everyone sees all cards.

    A deck, or a seed of hanab.live such as ``p3v0s17``, is solved from the deal, a game from its
    current position. With `best`, also find the highest score that can be reached.

    Examples
    --------
    >>> print(solve(Deck.shuffled(players=2, seed=7)))
    winnable: in 48 turns (beam 1)
    """
    if isinstance(what, str):
        what = Deck.from_seed(what)
    if isinstance(what, Deck):
        what = Position.start(what)
    elif isinstance(what, Game):
        what = Position(what.state.copy(), list(what.deck))
    return Answer.of(solve_position(what, time_limit=time_limit, best=best))
