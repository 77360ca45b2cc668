"""Questions about one game: show it, solve it, find where it was lost, set a puzzle."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.errors import FormatError, HanabiError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels
from hanabilab.game.deck import MAX_SEED
from hanabilab.lab.analyze import analyze
from hanabilab.lab.puzzles import find_puzzles
from hanabilab.lab.solve import Answer, solve
from hanabilab.table.game import Game
from hanabilab.table.players import followed_reasons, reasons
from hanabilab.web.boards import OPEN, ShownBoard, Viewer, board, sight
from hanabilab.web.card_orders import CardOrders
from hanabilab.web.game_codes import encode_game
from hanabilab.web.game_fields import (
    ChosenGame,
    choose_deck,
    choose_game,
    random_seed,
    read_rules,
    seated_in,
)
from hanabilab.web.messages import Fields, JsonObject
from hanabilab.web.questions.job import Job
from hanabilab.web.questions.limits import MAX_TIME_LIMIT, MAX_TURNS

__all__ = ["analyze_game", "game_after", "make_puzzle", "show_replay", "solve_deck"]

LOOKED_AT = 2_000
"""Decks after which the search for a puzzle is given up."""

WHAT_IF = "what if? This action was taken instead, and strategies went on"


def show_replay(fields: Fields, job: Job) -> JsonObject:
    """Return a game as a list of boards, all for the same viewer."""
    eyes = _choose_eyes(fields)
    first = fields.whole("first", 0, 1 << 20, 0)
    count = fields.whole("count", 1, MAX_TURNS, MAX_TURNS)
    chosen = choose_game(fields)
    fields.finish()
    game = chosen.game
    if isinstance(eyes, int) and eyes >= game.rules.players:
        raise FormatError(f"eyes: no player {eyes}")
    job.total = min(count, game.turn + 1)
    return {
        "frames": _frames(chosen, eyes, first, count, job),
        "first": first,
        "turns": game.turn,
        "players": game.rules.players,
        "rules": game.rules.to_dict(),
        "names": chosen.names,
        "roles": chosen.roles,
        "score": game.score,
        "end": game.end,
        "address": chosen.address,
        "code": chosen.code,
        "deck": str(game.deck),
        "game": game.to_dict(),
    }


def _choose_eyes(fields: Fields) -> Viewer:
    """Read `eyes`: a seat, null for a spectator, "open" or left out for everything."""
    if "eyes" not in fields.left:
        return OPEN
    if fields.left["eyes"] == OPEN:
        fields.take("eyes")
        return OPEN
    seat: int | None = fields.whole("eyes", 0, 9, None)
    fields.left.pop("eyes", None)
    return seat


def _frames(chosen: ChosenGame, eyes: Viewer, first: int, count: int, job: Job) -> list[ShownBoard]:
    game = chosen.game
    whys = [] if eyes is None else _whys(chosen, None if eyes == OPEN else eyes)
    again = Game(game.rules, game.deck)
    orders = CardOrders.dealt(game.rules)
    frames = []
    for turn in range(game.turn + 1):
        event = again.act(game.actions[turn - 1]) if turn else None
        if event:
            orders.follow(event)
        if first <= turn < first + count:
            why = whys[turn - 1] if whys and turn else None
            view = sight(again.state, eyes)
            frames.append(
                board(view, eyes, chosen.names, orders, roles=chosen.roles, event=event, why=why)
            )
            job.report(len(frames), "boards")
    return frames


def _whys(chosen: ChosenGame, reader: int | None) -> Sequence[str | None]:
    """Return what the strategies say about their turns; nothing if none played."""
    labels, cast = Labels.of(chosen.names), chosen.cast
    if chosen.strategies:
        return reasons(
            chosen.game,
            chosen.strategies,
            seed=chosen.seed,
            game=chosen.number,
            reader=reader,
            labels=labels,
        )
    if cast is None:
        return []
    whys = followed_reasons(
        chosen.game,
        seated_in(cast, chosen.game.rules),
        cast.since,
        seed=cast.seed,
        game=cast.game,
        reader=reader,
        labels=labels,
    )
    return [WHAT_IF if turn in cast.changed else why for turn, why in enumerate(whys)]


def solve_deck(fields: Fields, job: Job) -> JsonObject:
    """Decide whether a deck, or a game from some turn on, can be won."""
    limit = fields.number("time_limit", 0.01, MAX_TIME_LIMIT, 20.0)
    best = fields.switch("best")
    game = _game_to_solve(fields)
    fields.finish()
    job.status(f"searching, for at most {limit:g} seconds")
    answer = solve(game, time_limit=limit, best=best)
    line = game.copy()
    for action in answer.actions:
        line.act(action)
    found = answer.to_dict()
    del found["actions"]
    return {
        **found,
        "words": str(answer),
        "reason_words": str(answer.reason) if answer.reason else None,
        "players": game.rules.players,
        "rules": game.rules.to_dict(),
        "deck": str(game.deck),
        "from": game.turn,
        "turns": line.turn,
        "code": _code(answer, line),
    }


def _code(answer: Answer, line: Game) -> str | None:
    """Return the code of the line found, if there is one."""
    return encode_game(line) if answer.actions else None


def _game_to_solve(fields: Fields) -> Game:
    """Read a deck, or a game as it stood after `turn` turns."""
    turn = fields.whole("turn", 0, 1 << 20, None)
    if not any(fields.has(name) for name in ("strategy", "code", "text")):
        if turn is not None:
            raise FormatError("turn: choose a game as well")
        return Game(deck=choose_deck(fields).deck)
    game = choose_game(fields).game
    return game if turn is None else game_after(game, turn)


def game_after(game: Game, turn: int) -> Game:
    """Return a game as it stood after some turns."""
    if turn > game.turn:
        raise FormatError(f"turn: {turn} is not between 0 and {game.turn}, the turns of the game")
    again = Game(game.rules, game.deck)
    for action in game.actions[:turn]:
        again.act(action)
    return again


def analyze_game(fields: Fields, job: Job) -> JsonObject:
    """Find the turn that lost a game."""
    limit = fields.number("time_limit", 0.01, MAX_TIME_LIMIT, 5.0)
    chosen = choose_game(fields)
    fields.finish()
    game = chosen.game
    job.total = game.turn + 1
    found = analyze(game, time_limit=limit, progress=job.report)
    return {**found.to_dict(), "words": _in_words(game, found.lost_at, found.better)}


def _in_words(game: Game, lost_at: int | None, better: JsonObject | None) -> str:
    if lost_at is None:
        return "the maximum was within reach to the end"
    if lost_at == 0:
        return "the deck could not be won"
    words = f"turn {lost_at} lost it: {game.actions[lost_at - 1]}"
    kept = Action.from_dict(better, game.rules)
    return f"{words}; {kept} would have kept it winnable"


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
