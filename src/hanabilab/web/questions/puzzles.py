"""A question for a puzzle: find the move that keeps the maximum."""

from __future__ import annotations

from hanabilab.errors import HanabiError
from hanabilab.game.deck import MAX_SEED
from hanabilab.lab.open_games.puzzles import find_puzzles
from hanabilab.web.game_codes import encode_game
from hanabilab.web.game_fields import random_seed, read_rules
from hanabilab.web.messages import Fields, JsonObject
from hanabilab.web.questions.job import Job

__all__ = ["make_puzzle"]

LOOKED_AT = 2_000
"""Decks after which the search for a puzzle is given up."""


def make_puzzle(fields: Fields, job: Job) -> JsonObject:
    """Return a late position with every move and its verdict; the solver is the referee."""
    rules = read_rules(fields)
    seed = fields.seed("seed", MAX_SEED, None)
    first = fields.seed("game", MAX_SEED, 0)
    fields.finish()
    seed = random_seed() if seed is None else seed
    puzzle = next(find_puzzles(rules, seed=seed, first=first, decks=LOOKED_AT), None)
    if puzzle is None:
        raise HanabiError(f"no puzzle found among {LOOKED_AT:,} decks of these rules")
    moves = [{"words": move.words, "keeps": move.keeps} for move in puzzle.moves]
    return {
        "seed": seed,
        "game": puzzle.number,
        "player": puzzle.game.player,
        "draw_pile": puzzle.game.state.draw_pile,
        "moves": moves,
        "losing": puzzle.losing,
        "max_score": rules.max_score,
        "link": puzzle.link,
        "code": encode_game(puzzle.game),
    }
