"""Solve open games: decks, and games in progress; and late positions with a hidden draw pile.

`solve` turns what it is given into a position and calls `hanabilab.solver.solve.solve_position`,
or `hanabilab.solver.hidden.solve_hidden`; `Answer` and `HiddenAnswer` add actions in the replay
format and in words, and how a notebook displays them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Literal, overload

from hanabilab.errors import HanabiError
from hanabilab.formats.action import Action
from hanabilab.formats.data_table import DataTable
from hanabilab.game.actions import (
    can_discard,
    can_play_deck,
    discard_card,
    discard_deck,
    play_card,
    play_deck,
)
from hanabilab.game.deck import Deck
from hanabilab.game.names import hint_letters_of
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.turn import can_hint
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Bar, Result
from hanabilab.solver.hidden import HiddenValues, solve_hidden
from hanabilab.solver.position import Position, any_pass
from hanabilab.solver.solve import Solution, solve_position
from hanabilab.table.game import Game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Answer", "HiddenAnswer", "action_kinds", "action_text", "line_to_dicts", "solve"]


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

        highest = self.position.state.rules.max_score
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


@dataclass(frozen=True, slots=True, repr=False)
class HiddenAnswer(Result):
    """The exact value of each action, with all hands known and the draw pile in unknown order."""

    position: Position
    win: HiddenValues
    """The probability of the maximum after each action."""
    score: HiddenValues
    """The expected final score after each action."""

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, with fractions as text."""
        state = self.position.state
        letters = hint_letters_of(state.rules)
        return {
            "win": _fraction_text(self.win.value),
            "score": _fraction_text(self.score.value),
            "draw_pile": self._draw_pile(),
            "actions": [
                {
                    **Action.from_number(action, state).to_dict(state.player, letters),
                    "win": _fraction_text(value),
                    "score": _fraction_text(self.score.values[action]),
                }
                for action, value in self.win.values.items()
            ],
            "nodes": self.win.nodes + self.score.nodes,
            "seconds": round(self.win.seconds + self.score.seconds, 6),
        }

    def _draw_pile(self) -> list[str]:
        """Return the names of the cards in the draw pile, sorted."""
        rules = self.position.state.rules
        return [names_of_cards(rules).card(card) for card in sorted(self.position.draw_pile)]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each kind of action, the best first; values are floats or None."""
        rows = [
            {
                "action": words,
                "win": _float(self.win.values[action]),
                "score": _float(self.score.values[action]),
            }
            for action, words in action_kinds(self.position)
        ]
        return sorted(rows, key=lambda row: (-(row["win"] or 0.0), -(row["score"] or 0.0)))

    def to_tables(self) -> list[DataTable]:
        """Return each kind of action with its values, as fractions and as decimals."""
        kinds = [
            (words, self.win.values[action], self.score.values[action])
            for action, words in action_kinds(self.position)
        ]
        kinds.sort(key=lambda kind: (-(kind[1] or 0), -(kind[2] or 0)))
        cells = tuple(
            (words, *_value_cells(win, percent=True), *_value_cells(score, percent=False))
            for words, win, score in kinds
        )
        top = f"chance of {self.position.state.rules.max_score}"
        header = ("action", top, "", "expected score", "")
        return [DataTable(header=header, rows=cells)]

    def bars(self) -> list[Bar]:
        """Return the chance of the maximum after each kind of action."""
        return [Bar(row["action"], row["win"]) for row in self.rows() if row["win"] is not None]

    def summary(self) -> str:
        """Return the value of the position."""
        top, cards = self.position.state.rules.max_score, self.position.state.draw_pile
        pile = f"{cards} card{'s' * (cards != 1)} in unknown order"
        win, score = self.win.value, self.score.value
        chance = " ".join(filter(None, _value_cells(win, percent=True)))
        points = " ".join(filter(None, _value_cells(score, percent=False)))
        return f"all hands known, {pile}: chance of {top} {chance}, expected score {points}"


def _fraction_text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _value_cells(value: Fraction | None, *, percent: bool) -> tuple[str, str]:
    """Return a value as a fraction, with its decimal in brackets if that differs."""
    if value is None:
        return "?", ""
    if value.denominator == 1:
        return str(value), ""
    decimal = f"{float(value):.1%}".replace("%", " %") if percent else f"{float(value):.3f}"
    return str(value), f"({decimal})"


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


def action_kinds(position: Position) -> Iterator[tuple[int, str]]:
    """Yield one action of each kind in words: equal cards are one kind, and so are all hints."""
    state, hand = position.state, position.hands[position.state.player]
    if can_hint(state):
        yield any_pass(state), "pass" if state.rules.open_game else "give a hint"
    for card in dict.fromkeys(hand):
        name, slot = names_of_cards(state.rules).card(card), hand.index(card)
        yield play_card(state, slot, card), f"play {name}"
        if can_discard(state):
            yield discard_card(state, slot, card), f"discard {name}"
    if can_play_deck(state):
        inverted = state.rules.inverted >> position.deck[-1] & 1
        action = discard_deck(state) if inverted else play_deck(state)
        yield action, "play the last card from the draw pile"


@overload
def solve(
    what: Deck | Game | Position | str,
    *,
    time_limit: float | None = 60.0,
    best: bool = False,
    hidden: Literal[False] = False,
) -> Answer: ...


@overload
def solve(
    what: Deck | Game | Position | str,
    *,
    time_limit: float | None = 60.0,
    hidden: Literal[True],
    progress: Progress = False,
) -> HiddenAnswer: ...


def solve(
    what: Deck | Game | Position | str,
    *,
    time_limit: float | None = 60.0,
    best: bool = False,
    hidden: bool = False,
    progress: Progress = False,
) -> Answer | HiddenAnswer:
    """Decide whether the maximum can be reached if everyone sees all cards.

    A deck, or a seed of hanab.live such as ``p3v0s17``, is solved from the deal, a game from its
    current position. With `best`, also find the highest score that can be reached.

    With `hidden`, everyone sees all hands, but the order of the draw pile is unknown: find the
    exact chance of the maximum and the exact expected score after each action, near the end of a
    game.

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
    if not hidden:
        return Answer.of(solve_position(what, time_limit=time_limit, best=best))
    if best:
        raise HanabiError("best: with a hidden draw pile, the expected score is found anyway")
    return _solve_hidden(what, time_limit, progress)


def _solve_hidden(position: Position, time_limit: float | None, progress: Progress) -> HiddenAnswer:
    """Find the chances of the maximum first, then the expected scores in the time that is left."""
    if position.is_over:
        raise HanabiError("the game is over: there is no action to evaluate")
    with progress_bar("solve", None, progress) as report:

        def count(nodes: int) -> None:
            report(nodes, "positions")

        win = solve_hidden(position.state, mode="win", time_limit=time_limit, report=count)
        left = None if time_limit is None else max(0.0, time_limit - win.seconds)
        score = solve_hidden(position.state, mode="score", time_limit=left, report=count)
    return HiddenAnswer(position, win, score)
