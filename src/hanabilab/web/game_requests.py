"""Read rules, strategies, decks and games from requests, within limits; encode games for URLs."""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import quote, urlencode

from hanabilab.errors import FormatError, HanabiError, RulesError, StrategyError
from hanabilab.formats.deck_text import read_deck
from hanabilab.formats.game_files import read_games
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.deck import MAX_SEED, Deck, choose_rules
from hanabilab.game.rules import Rules
from hanabilab.strategies import registered_strategy
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.table.play import play, strategies_for
from hanabilab.web.catalog import MAX_PLAYOUTS, SEAT_NAMES, strategy_title
from hanabilab.web.schema import MAX_BYTES, JsonObject, RequestFields, check_text

__all__ = [
    "ChosenGame",
    "Participants",
    "choose_deck",
    "choose_game",
    "choose_partner",
    "choose_strategy",
    "decode_game",
    "decode_participants",
    "encode_game",
    "random_seed",
    "read_rules",
    "replay_query",
    "replayable_strategies",
]

MAX_TEXT = 1 << 20
LABEL_LETTERS = 500
MAX_CHANGES = 1_000
KEYS = ("rules", "players", "deck", "actions")
MAX_CARDS = 200
MAX_TOKENS = 100
MAX_THINKING, DEFAULT_THINKING = 20.0, 3.0
"""Seconds per action of a strategy with a time budget: the maximum and the default."""
STRATEGY_LETTERS = 500
DECK_LETTERS = 5 * MAX_CARDS
RECORDED_NAME_LETTERS = 30
"""Letters of a player's name in a recorded game."""


def read_rules(
    fields: RequestFields, most_players: int = MAX_PLAYERS, deck: str | None = None
) -> Rules:
    """Read the fields `players` and `rules`; a hanab.live seed as deck may determine them."""
    players = fields.integer("players", 1, most_players, None)
    given = fields.take("rules", "classic")
    if isinstance(given, dict) and len(given) > len(Rules.about) + 1:
        raise RulesError(f"rules: more than the {len(Rules.about)} there are")
    return check_bounds(choose_rules(given, players, deck=deck))


def check_bounds(rules: Rules) -> Rules:
    """Return the rules, or raise if their games could take too long."""
    for name in ("hint_tokens", "lives"):
        if (getattr(rules, name) or 0) > MAX_TOKENS:
            raise RulesError(f"{name}: {getattr(rules, name)} is more than {MAX_TOKENS}")
    if rules.deck_size > MAX_CARDS:
        raise RulesError(f"copies: {rules.deck_size} cards are more than {MAX_CARDS}")
    return rules


def choose_strategy(text: str) -> Strategy:
    """Return the strategy that a text names, with its options."""
    strategy = registered_strategy(check_text("strategy", text, STRATEGY_LETTERS))
    if strategy.name == "human":
        raise StrategyError("human: people play at tables, not here")
    for name, most in (
        ("playouts", MAX_PLAYOUTS),
        ("samples", MAX_PLAYOUTS),
        ("seconds", MAX_THINKING),
    ):
        if strategy.chosen.get(name, 0) > most:
            raise StrategyError(
                f"{name}: {strategy.chosen[name]} is more than {most}, "
                "the most that this server computes"
            )
    return strategy


def choose_partner(text: str) -> Strategy:
    """Return a strategy that plays with people, with a time budget if it has that option."""
    strategy = choose_strategy(text)
    if "seconds" in strategy.options and not strategy.option("seconds"):
        return strategy.with_options(seconds=DEFAULT_THINKING)
    return strategy


def random_seed() -> int:
    """Return an unpredictable seed."""
    return secrets.randbelow(MAX_SEED + 1)


@dataclass(frozen=True, slots=True)
class ChosenDeck:
    """A deck and how it was chosen."""

    deck: Deck
    seed: int
    """The seed of a shuffled deck, and of the strategies' random streams."""
    game: int
    given: bool
    """True if the request listed the cards."""


def choose_deck(fields: RequestFields, most_players: int = MAX_PLAYERS) -> ChosenDeck:
    """Read `players`, `rules` and one of `deck`, `seed` with `game`, or nothing: a random deck."""
    text = fields.text("deck", DECK_LETTERS, None)
    rules = read_rules(fields, most_players, text)
    seed = fields.seed("seed", MAX_SEED, None)
    game = fields.seed("game", MAX_SEED, 0)
    if text is not None:
        return ChosenDeck(read_deck(text, rules), seed or 0, game, given=True)
    if seed is None:
        seed = random_seed()
    return ChosenDeck(Deck.shuffled(rules, seed=seed, game=game), seed, game, given=False)


@dataclass(frozen=True, slots=True)
class ChosenGame:
    """A game that a request names, with its players."""

    game: Game
    names: list[str]
    """The name of each seat."""
    roles: list[str]
    """The strategy in each seat, or an empty text for a person."""
    address: str
    """The query with which `/watch` shows it."""
    strategies: tuple[Strategy, ...] = ()
    seed: int = 0
    number: int = 0
    participants: Participants | None = None
    """Who played it, if the game was recorded with its players."""

    @property
    def code(self) -> str:
        """The game as a code for addresses."""
        return encode_game(self.game, self.participants)


def choose_game(fields: RequestFields) -> ChosenGame:
    """Read a game: `strategy` with a deck, `code` or `text`."""
    ways = [name for name in ("strategy", "code", "text") if fields.has(name)]
    if len(ways) != 1:
        raise FormatError("choose a game by exactly one of strategy, code and text")
    if ways == ["strategy"]:
        return _play_requested(fields)
    if ways == ["code"]:
        code = fields.text("code", MAX_BYTES)
        game = decode_game(code)
        participants = decode_participants(code, game.rules.players)
    else:
        game, participants = parse_pasted_game(fields.text("text", MAX_BYTES))
    check_bounds(game.rules)
    return recorded_game(game, participants)


def recorded_game(game: Game, participants: Participants | None) -> ChosenGame:
    """Return a recorded game with what is known about its players."""
    names, roles = seat_names(game.rules), [""] * game.rules.players
    if participants is not None:
        names = list(participants.names)
        roles = [
            "" if label is None else strategy_title(label) for label in participants.strategies
        ]
    address = f"code={encode_game(game, participants)}"
    return ChosenGame(game, names, roles, address, participants=participants)


def replayable_strategies(participants: Participants, rules: Rules) -> dict[int, Strategy]:
    """Return the strategies that can replay a game: known ones that are not other programs."""
    found = {}
    for player, label in enumerate(participants.strategies):
        with contextlib.suppress(HanabiError):
            strategy = None if label is None else choose_strategy(label)
            if strategy is not None and not strategy.external and not strategy.why_not(rules):
                found[player] = strategy
    return found


def seat_names(rules: Rules) -> list[str]:
    """Return the usual names of the seats."""
    more = [f"player {seat + 1}" for seat in range(len(SEAT_NAMES), rules.players)]
    return [*SEAT_NAMES, *more][: rules.players]


def parse_pasted_game(text: str) -> tuple[Game, Participants | None]:
    """Return the one game in a pasted text and, if the text names them, its players."""
    records = read_games(text)
    record = next(records, None)
    if record is None:
        raise FormatError("text: it holds no game")
    if next(records, None) is not None:
        raise FormatError("text: it holds several games; paste one")
    live = record.data.get("hanablive")
    names = live.get("players") if isinstance(live, Mapping) else None
    game, players = Game.from_record(record), record.deck.rules.players
    if not isinstance(names, list) or len(names) != players:
        return game, None
    player_names = tuple(str(name)[:RECORDED_NAME_LETTERS] for name in names)
    return game, Participants(player_names, (None,) * players, (0,) * players)


def _play_requested(fields: RequestFields) -> ChosenGame:
    given = fields.texts("strategy", MAX_PLAYERS, STRATEGY_LETTERS)
    chosen = choose_deck(fields)
    seated = strategies_for([choose_strategy(text) for text in given], chosen.deck.rules.players)
    game = play(seated, chosen.deck, seed=chosen.seed, game=chosen.game)
    given_deck = chosen.deck if chosen.given else None
    rules = chosen.deck.rules
    return ChosenGame(
        game,
        seat_names(rules),
        [strategy_title(strategy.label) for strategy in seated],
        replay_query(seated, rules, chosen.seed, chosen.game, given_deck),
        tuple(seated),
        chosen.seed,
        chosen.game,
    )


def replay_query(
    seated: Sequence[Strategy], rules: Rules, seed: int, game: int, deck: Deck | None = None
) -> str:
    """Return the query with which `/watch` shows a game of strategies."""
    labels = [strategy.label for strategy in seated]
    written = rules.to_dict()
    query: JsonObject = {
        "strategy": labels[:1] if len(set(labels)) == 1 else labels,
        "players": rules.players,
        "rules": written
        if isinstance(written, str)
        else json.dumps(written, separators=(",", ":")),
        **({} if deck is None else {"deck": str(deck)}),
        "seed": seed,
        "game": game,
    }
    return urlencode(query, doseq=True, quote_via=quote, safe=":,")


@dataclass(frozen=True, slots=True)
class Participants:
    """Who played a game, so that a replay can name and explain them."""

    names: tuple[str, ...]
    strategies: tuple[str | None, ...]
    """The strategy in each seat, or None for a person."""
    since: tuple[int, ...]
    """The first turn of each strategy; before it, another player had the seat."""
    seed: int = 0
    game: int = 0
    """Seed and game number of the strategies' random streams."""
    changed: tuple[int, ...] = ()
    """The turns in which “what if” replaced an action."""


def encode_game(game: Game, participants: Participants | None = None) -> str:
    """Return the code of a game: letters, digits, - and _."""
    whole = game.to_dict()
    packed: JsonObject = {key: whole[key] for key in KEYS}
    if participants is not None:
        packed["cast"] = asdict(participants)
    text = json.dumps(packed, separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decode_game(code: str) -> Game:
    """Return the game of a code, with every action checked."""
    return Game.from_json(_unpack(code))


def decode_participants(code: str, players: int) -> Participants | None:
    """Return who played the game of a code, if the code contains it."""
    try:
        data = json.loads(_unpack(code)).get("cast")
    except (ValueError, AttributeError):
        data = None
    if not isinstance(data, dict):
        return None
    fields = RequestFields(data)
    names = [
        check_text("names", each, RECORDED_NAME_LETTERS) for each in fields.items("names", players)
    ]
    strategies = [
        None if each is None else check_text("strategies", each, LABEL_LETTERS)
        for each in fields.items("strategies", players)
    ]
    since, changed = (
        tuple(each for each in fields.items(key, most, []) if isinstance(each, int))
        for key, most in (("since", players), ("changed", MAX_CHANGES))
    )
    if not len(names) == len(strategies) == len(since) == players:
        raise FormatError("code: not one player for each seat")
    seed, number = (fields.integer(key, 0, (1 << 63) - 1, 0) for key in ("seed", "game"))
    return Participants(tuple(names), tuple(strategies), since, seed, number, changed)


def _unpack(code: str) -> str:
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, MAX_TEXT)
        if not unpacking.eof or unpacking.unconsumed_tail:
            raise ValueError("truncated")
        return text.decode()
    except (ValueError, zlib.error, binascii.Error):
        raise FormatError("code: not the code of a game") from None
