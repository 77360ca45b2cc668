"""Puzzles: positions near the end where only one kind of action keeps the maximum reachable.

They are found by solving a deck, following its winning line, and solving every move of its late
positions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_choice
from hanabilab.errors import FormatError, RulesError
from hanabilab.formats.action import Action
from hanabilab.formats.hanablive import variant_of
from hanabilab.game.deck import Deck
from hanabilab.game.names import hint_letters_of
from hanabilab.game.rules import Rules, preset
from hanabilab.lab.solve import action_kinds, solve
from hanabilab.solver.decide import decide_by_search
from hanabilab.solver.position import Position
from hanabilab.solver.solve import solve_position
from hanabilab.table.game import Game

__all__ = [
    "DECKS",
    "EvaluatedMove",
    "Puzzle",
    "SeedMatch",
    "evaluate_moves",
    "find_puzzles",
    "find_seeds",
]

STILL_NEEDED = 3
MAX_POSITIONS = 20_000
"""Positions that a search may visit to decide a move of a reproducible puzzle."""
TEMPTING = 2
"""Least number of losing moves that are not misplays."""
EASY = "beam 1"
"""The method that wins easy decks: the narrowest beam search."""
DECKS = ("lost", "single")
"""Kinds of decks to search for: lost ones, and those with a single winning first move."""


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A kind of action: to play or discard one of equal cards, or to give any hint."""

    action: int
    """The number of one such action."""
    words: str
    """“play g3”, “discard b2”, “give a hint”."""
    keeps: bool
    """Whether the maximum can still be reached after it."""
    misplay: bool
    """Whether it is a misplay, which tempts nobody."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with exactly one move that keeps the maximum reachable."""

    game: Game
    """The game up to this position."""
    number: int
    """The number of the deck under its seed."""
    moves: tuple[EvaluatedMove, ...]
    line: tuple[int, ...] = ()
    """A line from here to the maximum, as numbers of actions; it begins with the answer."""

    @property
    def answer(self) -> EvaluatedMove:
        """The only move that keeps the maximum."""
        return next(move for move in self.moves if move.keeps)

    @property
    def losing(self) -> int:
        """The grade: how many kinds of actions lose."""
        return len(self.moves) - 1

    @property
    def tempting(self) -> int:
        """Number of losing moves that are not misplays."""
        return sum(not move.keeps and not move.misplay for move in self.moves)

    @property
    def link(self) -> str | None:
        """The address of the position at hanab.live, if the site has such a game."""
        try:
            return f"{self.game.link()}#{self.game.turn + 1}"
        except FormatError:
            return None

    def to_dict(self) -> dict[str, Any]:
        """Return the puzzle with its answer as plain data."""
        state = self.game.state
        letters = hint_letters_of(state.rules)
        return {
            "number": self.number,
            "turn": self.game.turn + 1,
            "player": self.game.player,
            "draw_pile": state.draw_pile,
            "losing": self.losing,
            "solution_turns": len(self.line),
            "moves": [{"words": move.words, "keeps": move.keeps} for move in self.moves],
            "answer": {
                "words": self.answer.words,
                **Action.from_number(self.answer.action, state).to_dict(state.player, letters),
            },
            "link": self.link,
            "game": self.game.to_dict(),
        }


def evaluate_moves(
    position: Position, time_limit: float | None = 10.0, *, reproducible: bool = False
) -> Iterator[EvaluatedMove | None]:
    """Yield every kind of action with its verdict; None if nothing decided it in time.

    If `reproducible`, searches of limited size decide, whatever time they take.
    """
    for action, words in action_kinds(position):
        after = position.after([action])
        if reproducible:
            keeps = decide_by_search(after, None, limit=MAX_POSITIONS).reachable
        else:
            keeps = solve_position(after, time_limit=time_limit, best=False).winnable
        misplay = after.state.lives < position.state.lives
        yield None if keeps is None else EvaluatedMove(action, words, keeps, misplay)


def puzzle_at(
    game: Game, number: int = 0, line: tuple[int, ...] = (), *, reproducible: bool = False
) -> Puzzle | None:
    """Return the puzzle at the current position of a game, if exactly one kind of action wins."""
    moves: list[EvaluatedMove] = []
    position = Position(game.state, list(game.deck))
    for move in evaluate_moves(position, reproducible=reproducible):
        if move is None or (move.keeps and any(other.keeps for other in moves)):
            return None
        moves.append(move)
    return Puzzle(game, number, tuple(moves), line) if any(move.keeps for move in moves) else None


def find_puzzles(
    rules: Rules,
    *,
    seed: int = 0,
    first: int = 0,
    decks: int | None = None,
    draws: int = 8,
    losing: int = 4,
    reproducible: bool = False,
) -> Iterator[Puzzle]:
    """Yield the hardest late position of each deck of a seed that has one, deck after deck.

    These are the next `decks` decks from the `first` on, or all. At most `draws` cards are left in
    the draw pile, and at least `losing` kinds of actions lose, of which two are no misplays.
    If `reproducible`, the puzzles do not depend on the speed of the machine; hard decks are left
    out.
    """
    for number in itertools.islice(itertools.count(first), decks):
        deck = Deck.shuffled(rules, seed=seed, game=number)
        puzzle = _hardest(deck, number, draws, reproducible=reproducible)
        if puzzle and puzzle.losing >= losing and puzzle.tempting >= TEMPTING:
            yield puzzle


def _hardest(deck: Deck, number: int, draws: int, *, reproducible: bool) -> Puzzle | None:
    """Return the position of a winning line with the most losing moves.

    The last cards are trivial: at least `STILL_NEEDED` must still be played.
    """
    line = _winning_line(deck, reproducible=reproducible)
    game, best = Game(deck.rules, deck), None
    for turn, action in enumerate(line):
        if game.state.draw_pile <= draws and game.score <= deck.rules.max_score - STILL_NEEDED:
            found = puzzle_at(game.copy(), number, line[turn:], reproducible=reproducible)
            if found and (best is None or _grade(found) > _grade(best)):
                best = found
        game.act(action)
    return best


def _winning_line(deck: Deck, *, reproducible: bool) -> tuple[int, ...]:
    """Return a line to the maximum, empty if none is found."""
    if reproducible:
        game = Game(deck.rules, deck)
        return decide_by_search(Position(game.state, list(deck)), None, limit=0).actions
    answer = solve(deck, time_limit=5.0)
    return answer.line if answer.winnable else ()


def _grade(puzzle: Puzzle) -> tuple[int, int]:
    return puzzle.tempting, puzzle.losing


@dataclass(frozen=True, slots=True)
class SeedMatch:
    """A seed of hanab.live whose deck is lost, or won by a single kind of first action."""

    seed: str
    words: str
    """Why it is lost, or the only move."""


def find_seeds(rules: Rules, decks: str, *, first: int = 1) -> Iterator[SeedMatch]:
    """Yield the seeds of such decks, in the order of their numbers: p2v0s1, p2v0s2 and so on."""
    check_choice("decks", decks, DECKS)
    variant = variant_of(rules)
    name, site = f"p{rules.players}v{variant.id}s", preset(variant.name, rules.players)
    if rules.replace(letters=site.letters, score_ends=site.score_ends) != site:
        raise RulesError("rules: a seed of hanab.live deals only the decks of its own variants")
    for number in itertools.count(first):
        deck = Deck.from_seed(f"{name}{number}")
        answer = solve(deck, time_limit=5.0)
        if decks == "lost":
            words = str(answer.reason) if answer.winnable is False else None
        else:
            words = _only_move(deck) if answer.winnable and answer.method != EASY else None
        if words is not None:
            yield SeedMatch(f"{name}{number}", words)


def _only_move(deck: Deck) -> str | None:
    puzzle = puzzle_at(Game(deck.rules, deck))
    return puzzle.answer.words if puzzle else None
