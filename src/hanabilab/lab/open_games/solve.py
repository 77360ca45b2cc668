"""Open games solved: decks and games in progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hanabilab.deprecation import RETURNS_DATA, renamed
from hanabilab.formats.action import Action
from hanabilab.game.deck import Deck
from hanabilab.game.names import unpack_letters
from hanabilab.solver.position import Position
from hanabilab.solver.solve import Solution, solve_position
from hanabilab.table.game import Game

__all__ = ["Answer", "describe_reason", "solve"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict on a deck or a game in progress, with a line in the replay format."""

    position: Position
    solution: Solution

    @property
    def winnable(self) -> bool | None:
        """Can the maximum be reached? None where the time ran out."""
        return self.solution.winnable

    @property
    def best(self) -> int:
        """A score that is certainly reachable."""
        return self.solution.best

    @property
    def bound(self) -> int:
        """No higher score is reachable."""
        return self.solution.bound

    @property
    def reason(self) -> dict[str, Any] | None:
        """Why the maximum is out of reach."""
        return self.solution.reason

    @property
    def actions(self) -> list[dict[str, Any]]:
        """A line to the best score, as objects of the replay format."""
        return action_objects(self.position, self.solution.actions)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "winnable": self.winnable,
            "best": self.best,
            "bound": self.bound,
            "actions": self.actions,
            "reason": self.reason,
            "method": self.solution.method,
            "nodes": self.solution.nodes,
            "seconds": round(self.solution.seconds, 6),
        }

    to_json = renamed("to_json", "to_dict", RETURNS_DATA)

    def __str__(self) -> str:
        if self.winnable:
            return f"winnable: in {len(self.solution.actions)} turns ({self.solution.method})"
        reach = f"best score {self.best}"
        if self.best < self.bound:
            reach = f"best score between {self.best} and {self.bound}"
        if self.winnable is None:
            return f"undecided: {reach}"
        return f"not winnable: {describe_reason(self.reason or {})}; {reach}"


def describe_reason(reason: dict[str, Any]) -> str:
    """A certificate in words."""
    name = reason.get("certificate")
    if name == "pace":
        cards = reason["cards"]
        return (
            f"pace: {len(cards)} cards ({' '.join(cards)}) cannot be played before "
            f"{reason['remaining']} cards remain, and then only {reason['turns']} can"
        )
    if name == "storage":
        return f"storage: {reason['room']} places in all hands are not enough, whoever holds what"
    if name == "endgame":
        cards, tokens = reason["cards"], reason["hint_tokens"]
        return (
            f"endgame: {len(cards)} cards ({' '.join(cards)}) cannot be played before "
            f"{reason['remaining']} cards remain, and then not by the players in turn, whoever "
            "holds what was drawn before, with "
            f"{'any number of' if tokens is None else tokens} hint tokens for passes"
        )
    if name == "dead card":
        return f"{reason['card']} can never be played any more"
    if name == "over":
        return f"the game is over with {reason['score']} points"
    if name == "exhausted search":
        return f"all lines were searched ({reason['positions']:,} positions)"
    if name == "unsatisfiable":
        return f"no line satisfies the rules ({reason['clauses']:,} clauses)"
    return str(name)


def action_objects(position: Position, numbers: tuple[int, ...]) -> list[dict[str, Any]]:
    """Numbers of actions as objects of the replay format."""
    objects = []
    for number in numbers:
        state = position.state
        objects.append(
            Action.from_number(number, state).to_dict(state.player, unpack_letters(state.letters))
        )
        position = position.after([number])
    return objects


def solve(
    what: Deck | Game | Position | str, *, time_limit: float | None = 60.0, best: bool = False
) -> Answer:
    """Can the maximum be reached with everything in sight?

    A deck, or a seed of hanab.live such as ``p3v0s17``, is solved from the deal, a game from where
    it stands. With `best` the highest score
    that can be reached is found as well.
    """
    if isinstance(what, str):
        what = Deck.from_seed(what)
    if isinstance(what, Deck):
        position = Position.start(what)
    elif isinstance(what, Game):
        position = Position(what.state.copy(), list(what.deck))
    else:
        position = what
    return Answer(position, solve_position(position, time_limit=time_limit, best=best))
