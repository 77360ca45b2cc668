"""Jobs about one game: replay, solve, analyze, what if, puzzles, conventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hanabilab.errors import FormatError, HanabiError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels, describe_event
from hanabilab.formats.hanablive.encoding import CardOrders
from hanabilab.game.actions import DISCARD, PASS, PLAY, Event, decode_action
from hanabilab.game.cards import card_in
from hanabilab.game.deck import MAX_SEED
from hanabilab.game.state import view_of
from hanabilab.game.turn import touched_cards
from hanabilab.lab.analyze import analyze
from hanabilab.lab.daily import daily_deck, daily_puzzle, daily_seed, read_date
from hanabilab.lab.puzzles import Puzzle, find_puzzles
from hanabilab.lab.review import report
from hanabilab.lab.review.game_review import BULK_WORLDS, Review, TurnReview, review
from hanabilab.lab.review.verdicts import ERRORS, LEAST_AGREEMENT
from hanabilab.lab.solve import Answer, solve
from hanabilab.strategies.conventions.catalogue import HIGHEST_LEVEL
from hanabilab.strategies.conventions.judging import broken_conventions
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.table.players import explain_followed_game, explain_game
from hanabilab.web.boards import (
    OPEN,
    BoardMessage,
    Viewer,
    action_words,
    board_message,
    cards_before,
    legal_actions,
    update_orders,
    view_for,
)
from hanabilab.web.catalog import MAX_TIME_LIMIT, default_partner
from hanabilab.web.game_requests import (
    STRATEGY_LETTERS,
    ChosenGame,
    Participants,
    choose_deck,
    choose_game,
    choose_strategy,
    encode_game,
    random_seed,
    read_rules,
    replayable_strategies,
)
from hanabilab.web.jobs.job import Job
from hanabilab.web.schema import JsonObject, RequestFields

__all__ = [
    "analyze_game",
    "explore_what_if",
    "find_broken_conventions",
    "game_after",
    "make_puzzle",
    "review_game",
    "show_daily_deck",
    "show_replay",
    "solve_deck",
]

MAX_WORLDS = 256
"""Samples of a turn in a review."""
KEY_DECISIONS = 3
"""The costliest decisions, which a review shows first."""
MAX_PUZZLE_DECKS = 2_000
"""Decks that are searched for a puzzle."""
WHAT_IF = "what if? This action was taken instead, and strategies went on"
DATE_LETTERS = 10
MAX_TURNS = 200
"""Boards in one answer."""


def show_replay(fields: RequestFields, job: Job) -> JsonObject:
    """Return a game as a list of boards, all for the same viewer."""
    viewer = _read_viewer(fields)
    first = fields.integer("first", 0, 1 << 20, 0)
    count = fields.integer("count", 1, MAX_TURNS, MAX_TURNS)
    chosen = choose_game(fields)
    fields.finish()
    game = chosen.game
    if isinstance(viewer, int) and viewer >= game.rules.players:
        raise FormatError(f"eyes: no player {viewer}")
    job.total = min(count, game.turn + 1)
    return {
        "frames": _frames(chosen, viewer, first, count, job),
        "turn_words": _turn_words(chosen),
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


def _read_viewer(fields: RequestFields) -> Viewer:
    """Read `eyes`: a seat, null for a spectator, "open" or left out for everything."""
    if "eyes" not in fields.remaining:
        return OPEN
    if fields.remaining["eyes"] == OPEN:
        fields.take("eyes")
        return OPEN
    seat: int | None = fields.integer("eyes", 0, 9, None)
    fields.remaining.pop("eyes", None)
    return seat


def _frames(
    chosen: ChosenGame, viewer: Viewer, first: int, count: int, job: Job
) -> list[BoardMessage]:
    game = chosen.game
    explanations = (
        [] if viewer is None else _explanations(chosen, None if viewer == OPEN else viewer)
    )
    again = Game(game.rules, game.deck)
    orders = CardOrders(game.deck)
    frames = []
    for turn in range(game.turn + 1):
        event = again.act(game.actions[turn - 1]) if turn else None
        if event:
            update_orders(orders, event)
        if first <= turn < first + count:
            why = explanations[turn - 1] if explanations and turn else None
            view = view_for(again.state, viewer)
            frames.append(
                board_message(
                    view, viewer, chosen.names, orders, roles=chosen.roles, event=event, why=why
                )
            )
            job.report(len(frames), "boards")
    return frames


def _turn_words(chosen: ChosenGame) -> list[str]:
    """Return what happened in each turn, in the words of the pages."""
    again, labels = Game(chosen.game.rules, chosen.game.deck), Labels.of(chosen.names)
    words = []
    for action in chosen.game.actions:
        event = again.act(action)
        count = cards_before(event, again.state)
        words.append(describe_event(event, again.state.rules, labels, count))
    return words


def _explanations(chosen: ChosenGame, reader: int | None) -> Sequence[str | None]:
    """Return what the strategies say about their turns; nothing if none played."""
    labels, participants = Labels.of(chosen.names), chosen.participants
    if chosen.strategies:
        return explain_game(
            chosen.game,
            chosen.strategies,
            seed=chosen.seed,
            game=chosen.number,
            reader=reader,
            labels=labels,
        )
    if participants is None:
        return []
    explanations = explain_followed_game(
        chosen.game,
        replayable_strategies(participants, chosen.game.rules),
        participants.since,
        seed=participants.seed,
        game=participants.game,
        reader=reader,
        labels=labels,
    )
    return [
        WHAT_IF if turn in participants.changed else why for turn, why in enumerate(explanations)
    ]


def solve_deck(fields: RequestFields, job: Job) -> JsonObject:
    """Decide whether a deck, or a game from some turn on, can be won."""
    limit = fields.number("time_limit", 0.01, MAX_TIME_LIMIT, 20.0)
    best = fields.boolean("best")
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
        "words": answer.summary(),
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


def _game_to_solve(fields: RequestFields) -> Game:
    """Read a deck, or a game as it stood after `turn` turns."""
    turn = fields.integer("turn", 0, 1 << 20, None)
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


def analyze_game(fields: RequestFields, job: Job) -> JsonObject:
    """Find the turn that lost a game."""
    limit = fields.number("time_limit", 0.01, MAX_TIME_LIMIT, 5.0)
    chosen = choose_game(fields)
    fields.finish()
    game = chosen.game
    job.total = game.turn + 1
    found = analyze(game, time_limit=limit, progress=job.report)
    return {**found.to_dict(), "words": _describe_loss(chosen, found.lost_at, found.better)}


def _describe_loss(chosen: ChosenGame, lost_at: int | None, better: JsonObject | None) -> str:
    """Describe the turn that lost a game, with the names and slots of the page."""
    if lost_at is None:
        return "The maximum was within reach to the end."
    if lost_at == 0:
        return "The deck could not be won."
    game = game_after(chosen.game, lost_at - 1)
    labels, name = Labels.of(chosen.names), chosen.names[game.player]
    lost, kept = (
        action_words(game, action.number(game.state) or 0, labels)
        for action in (chosen.game.actions[lost_at - 1], Action.from_dict(better, game.rules))
    )
    return (
        f"Turn {lost_at} lost it: {name} chose “{lost}”; “{kept}” would have kept it winnable. "
        "Nobody at the table could know this: it counts all cards, the draw pile included."
    )


def review_game(fields: RequestFields, job: Job) -> JsonObject:
    """Review a finished game: expected points by turn, decisions, luck, and the whole report."""
    worlds: int = fields.integer("worlds", 8, MAX_WORLDS, BULK_WORLDS)
    chosen = choose_game(fields)
    fields.finish()
    if not chosen.game.is_over:
        raise FormatError("a review needs a finished game")
    job.total = chosen.game.turn
    found = review(
        chosen.game, worlds=worlds, site={"players": chosen.names}, threads=1, progress=job.report
    )
    judged = [turn for turn in found.turns if turn.verdict.word in ERRORS]
    costly = sorted(judged, key=lambda turn: turn.play)[:KEY_DECISIONS]
    return {
        "score": found.score,
        "expected": found.expected,
        "max_score": chosen.game.rules.max_score,
        "convention": found.convention,
        "fits": found.fit.fits,
        "reason": found.fit.reason,
        "least_agreement": LEAST_AGREEMENT,
        "curve": list(found.account.curve) if found.account else [],
        "players": found.player_rows(),
        "decisions": [
            _decision(found, turn, lines)
            for turn, lines in zip(costly, report.decision_lines(found, costly), strict=True)
        ],
        "verdicts": {str(turn.turn): turn.verdict.word for turn in judged},
        "best": {
            str(turn.turn): _best_action(found, turn) for turn in found.turns if turn.is_better
        },
        "text": found.to_text(),
    }


def _decision(found: Review, turn: TurnReview, lines: Sequence[str]) -> JsonObject:
    return {
        "turn": turn.turn,
        "player": turn.player,
        "name": found.names[turn.player],
        "verdict": turn.verdict.word,
        "cost": -turn.play,
        "lines": list(lines),
    }


def _best_action(found: Review, turn: TurnReview) -> JsonObject:
    """Return the best action of a turn, and which cards of the board it is about."""
    assert turn.values is not None
    state, event = found.positions[turn.turn - 1].state, Event()
    decode_action(state, turn.values.best, event)
    words = report.action_words(found, turn, turn.values.best)
    best: JsonObject = {"words": words, "by": turn.player}
    if event.kind in (PLAY, DISCARD):
        kind = "play" if event.kind == PLAY else "discard"
        return {**best, "type": kind, "player": turn.player, "slots": [event.slot]}
    if event.kind == PASS:
        return {**best, "type": "pass", "player": turn.player, "slots": []}
    cards, hand = touched_cards(state, event), state.hands[event.target]
    count = state.hand_count[event.target]
    touched = [slot for slot in range(count) if cards >> card_in(hand, slot) & 1]
    return {**best, "type": "hint", "player": event.target, "slots": touched}


def make_puzzle(fields: RequestFields, job: Job) -> JsonObject:
    """Return a late position with every move and the solver's verdict; `daily` names its date."""
    if fields.has("daily"):
        return _daily_puzzle(fields)
    rules = read_rules(fields)
    seed = fields.seed("seed", MAX_SEED, None)
    first = fields.seed("game", MAX_SEED, 0)
    fields.finish()
    seed = random_seed() if seed is None else seed
    puzzle = next(find_puzzles(rules, seed=seed, first=first, decks=MAX_PUZZLE_DECKS), None)
    if puzzle is None:
        raise HanabiError(f"no puzzle found among {MAX_PUZZLE_DECKS:,} decks of these rules")
    return _puzzle_message(puzzle, seed)


def _daily_puzzle(fields: RequestFields) -> JsonObject:
    """Return the puzzle of a date, or of today if it is empty."""
    date = read_date(fields.text("daily", DATE_LETTERS) or None)
    fields.finish()
    message = _puzzle_message(daily_puzzle(date), daily_seed(date))
    return {"date": date.isoformat(), **message}


def show_daily_deck(fields: RequestFields, job: Job) -> JsonObject:
    """Return the deck of a date with its par, without a card of it."""
    date = read_date(fields.text("date", DATE_LETTERS, "") or None)
    fields.finish()
    return daily_deck(date).to_dict()


def _puzzle_message(puzzle: Puzzle, seed: int) -> JsonObject:
    """Return a puzzle with every move."""
    moves = [{"words": move.words, "keeps": move.keeps} for move in puzzle.moves]
    return {
        "seed": seed,
        "game": puzzle.number,
        "player": puzzle.game.player,
        "draw_pile": puzzle.game.state.draw_pile,
        "moves": moves,
        "losing": puzzle.losing,
        "solution_turns": len(puzzle.line),
        "max_score": puzzle.game.rules.max_score,
        "link": puzzle.link,
        "code": encode_game(puzzle.game),
    }


def explore_what_if(fields: RequestFields, job: Job) -> JsonObject:
    """Continue a game after a different action; without one, return the legal actions."""
    turn: int = fields.integer("turn", 0, 1 << 20)
    action = fields.take("action", None)
    named = fields.text("partner", STRATEGY_LETTERS, None)
    chosen = choose_game(fields)
    partner = choose_strategy(named or default_partner(chosen.game.rules))
    fields.finish()
    game = game_after(chosen.game, turn)
    if game.is_over:
        raise FormatError(f"turn: the game is over after turn {turn}")
    if action is None:
        view = view_of(game.state, game.player)
        offered = legal_actions(view, Labels.of(chosen.names))
        return {"turn": turn, "player": game.player, "actions": offered}
    participants = _continuing_participants(chosen, turn, partner)
    continuation = Continuation(game, participants)
    continuation.act_instead(_read_action(action, game))
    while not game.is_over:
        continuation.act_next()
        job.report(game.turn, "turns")
    return {
        "turn": turn + 1,
        "turns": game.turn,
        "score": game.score,
        "end": game.end,
        "code": encode_game(game, participants),
    }


def _read_action(action: object, game: Game) -> Action:
    if not isinstance(action, Mapping):
        raise FormatError("action: not an object")
    return Action.from_dict(action, game.rules)


def _continuing_participants(chosen: ChosenGame, turn: int, partner: Strategy) -> Participants:
    """Return who continues: the strategies that played, and the partner in other seats."""
    rules, before = chosen.game.rules, chosen.participants
    own: dict[int, Strategy] = dict(enumerate(chosen.strategies))
    seed, number = chosen.seed, chosen.number
    if before is not None:
        own, seed, number = replayable_strategies(before, rules), before.seed, before.game
    if len(own) < rules.players:
        partner.check(rules)
    seats = range(rules.players)
    since = [0 if before is None else before.since[seat] for seat in seats]
    return Participants(
        tuple(chosen.names),
        tuple(own.get(seat, partner).label for seat in seats),
        tuple(since[seat] if seat in own else turn for seat in seats),
        seed,
        number,
        (*(each for each in (before.changed if before else ()) if each < turn), turn),
    )


class Continuation:
    """A game that continues with strategies in all seats, which have observed it so far."""

    def __init__(self, game: Game, participants: Participants) -> None:
        self.game, self.since = game, participants.since
        self.partners = {
            player: Seat.in_game(strategy, player, participants.seed, participants.game)
            for player, strategy in replayable_strategies(participants, game.rules).items()
        }
        again = Game(game.rules, game.deck)
        for partner in self.partners.values():
            partner.begin(again.state)
        for action in game.actions:
            self._replay(again, action)

    def act_instead(self, action: Action) -> None:
        """Take an action in place of the player to move."""
        self._replay(self.game, action)

    def act_next(self) -> None:
        """Take the action that the strategy to move chooses."""
        self._notify(self.game, self.game.act(self.partners[self.game.player].act(self.game.state)))

    def _replay(self, game: Game, action: Action) -> None:
        if game.turn >= self.since[game.player]:
            self.partners[game.player].follow(game.state)
        self._notify(game, game.act(action))

    def _notify(self, game: Game, event: Event) -> None:
        for partner in self.partners.values():
            partner.observe(game.state, event)


def find_broken_conventions(fields: RequestFields, job: Job) -> JsonObject:
    """Return which conventions a player broke in a game."""
    player = fields.integer("player", 0, 9, 0)
    level = fields.integer("level", 1, HIGHEST_LEVEL, HIGHEST_LEVEL)
    chosen = choose_game(fields)
    fields.finish()
    if player >= chosen.game.rules.players:
        raise FormatError(f"player: no player {player}")
    labels = Labels.of(chosen.names)
    found = broken_conventions(chosen.game, player, level=level, labels=labels)
    return {
        "player": player,
        "level": level,
        "turns": sum(event.player == player for event in chosen.game.events),
        "broken": [
            {"turn": breach.turn, "agreement": breach.convention, "words": breach.text}
            for breach in found
        ],
    }
