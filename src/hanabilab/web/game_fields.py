"""Read rules, strategies, decks and games from the fields of a message, within the limits."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from hanabilab.errors import FormatError, HanabiError, RulesError, StrategyError
from hanabilab.formats.deck_text import read_deck
from hanabilab.formats.game_files import read_games
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.choose import choose_rules
from hanabilab.game.deck import MAX_SEED, Deck
from hanabilab.game.rules import Rules
from hanabilab.strategies import find_strategy
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.table.play import play, seat
from hanabilab.web.game_codes import Cast, decode_cast, decode_game, encode_game
from hanabilab.web.messages import MAX_BYTES, Fields, JsonObject, checked_text
from hanabilab.web.partners import title_of

__all__ = [
    "MAX_PLAYOUTS",
    "USUAL_NAMES",
    "ChosenGame",
    "choose_deck",
    "choose_game",
    "choose_partner",
    "choose_strategy",
    "game_address",
    "game_of_cast",
    "random_seed",
    "read_rules",
    "seated_in",
]

MAX_DECK = 200
MAX_TOKENS = 100
MAX_PLAYOUTS = 2_000
MAX_THINKING, DEFAULT_THINKING = 20.0, 3.0
"""Seconds for one action of a strategy that thinks for a time: at most, and where nobody says."""
STRATEGY_LETTERS = 500
DECK_LETTERS = 5 * MAX_DECK
NAME_LETTERS = 30
USUAL_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily", "Frank")


def read_rules(fields: Fields, most_players: int = MAX_PLAYERS, deck: str | None = None) -> Rules:
    """Read the fields `players` and `rules`; a hanab.live seed as deck may determine them."""
    players = fields.whole("players", 1, most_players, None)
    given = fields.take("rules", "classic")
    if isinstance(given, dict) and len(given) > len(Rules.about) + 1:
        raise RulesError(f"rules: more than the {len(Rules.about)} there are")
    return bounded(choose_rules(given, players, deck=deck))


def bounded(rules: Rules) -> Rules:
    """Return the rules, or raise if their games could take far too long."""
    for name in ("hint_tokens", "lives"):
        if (getattr(rules, name) or 0) > MAX_TOKENS:
            raise RulesError(f"{name}: {getattr(rules, name)} is more than {MAX_TOKENS}")
    if rules.deck_size > MAX_DECK:
        raise RulesError(f"copies: {rules.deck_size} cards are more than {MAX_DECK}")
    return rules


def choose_strategy(text: str) -> Strategy:
    """Return the strategy that a text names, with its options."""
    strategy = find_strategy(checked_text("strategy", text, STRATEGY_LETTERS))
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
    """Return a strategy for a table with people, who wait for it only so long."""
    strategy = choose_strategy(text)
    if "seconds" in strategy.options and not strategy.option("seconds"):
        return strategy.with_options(seconds=DEFAULT_THINKING)
    return strategy


def random_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbelow(MAX_SEED + 1)


@dataclass(frozen=True, slots=True)
class ChosenDeck:
    """A deck and how it was chosen."""

    deck: Deck
    seed: int
    """The seed of the deck, if it was shuffled, and of the strategies' coins."""
    game: int
    given: bool
    """Whether it was given card by card."""


def game_address(
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


def choose_deck(fields: Fields, most_players: int = MAX_PLAYERS) -> ChosenDeck:
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
    """A game to look at."""

    game: Game
    names: list[str]
    """The name of each seat."""
    roles: list[str]
    """What plays in each seat: a strategy, or nothing for a person."""
    address: str
    """The query with which `/watch` shows it."""
    strategies: tuple[Strategy, ...] = ()
    seed: int = 0
    number: int = 0
    cast: Cast | None = None
    """Who played it, if people were among them or a file says so."""

    @property
    def code(self) -> str:
        """The game as a code for addresses."""
        return encode_game(self.game, self.cast)


def choose_game(fields: Fields) -> ChosenGame:
    """Read a game: `strategy` with a deck, `code` or `text`."""
    ways = [name for name in ("strategy", "code", "text") if fields.has(name)]
    if len(ways) != 1:
        raise FormatError("choose a game by exactly one of strategy, code and text")
    if ways == ["strategy"]:
        return _played(fields)
    if ways == ["code"]:
        code = fields.text("code", MAX_BYTES)
        game = decode_game(code)
        cast = decode_cast(code, game.rules.players)
    else:
        game, cast = read_pasted(fields.text("text", MAX_BYTES))
    bounded(game.rules)
    return game_of_cast(game, cast)


def game_of_cast(game: Game, cast: Cast | None) -> ChosenGame:
    """Return a game that is not played again, with what is known of its players."""
    names, roles = seat_names(game.rules), [""] * game.rules.players
    if cast is not None:
        names = list(cast.names)
        roles = ["" if label is None else title_of(label) for label in cast.strategies]
    address = f"code={encode_game(game, cast)}"
    return ChosenGame(game, names, roles, address, cast=cast)


def seated_in(cast: Cast, rules: Rules) -> dict[int, Strategy]:
    """Return the strategies of a cast that can follow its game; programs and lost ones cannot."""
    found = {}
    for player, label in enumerate(cast.strategies):
        with contextlib.suppress(HanabiError):
            strategy = None if label is None else choose_strategy(label)
            if strategy is not None and not strategy.external and not strategy.why_not(rules):
                found[player] = strategy
    return found


def seat_names(rules: Rules) -> list[str]:
    """Return the usual names of the seats."""
    more = [f"player {seat + 1}" for seat in range(len(USUAL_NAMES), rules.players)]
    return [*USUAL_NAMES, *more][: rules.players]


def read_pasted(text: str) -> tuple[Game, Cast | None]:
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
    called = tuple(str(name)[:NAME_LETTERS] for name in names)
    return game, Cast(called, (None,) * players, (0,) * players)


def _played(fields: Fields) -> ChosenGame:
    given = fields.texts("strategy", MAX_PLAYERS, STRATEGY_LETTERS)
    chosen = choose_deck(fields)
    seated = seat([choose_strategy(text) for text in given], chosen.deck.rules.players)
    game = play(seated, chosen.deck, seed=chosen.seed, game=chosen.game)
    given_deck = chosen.deck if chosen.given else None
    rules = chosen.deck.rules
    return ChosenGame(
        game,
        seat_names(rules),
        [title_of(strategy.label) for strategy in seated],
        game_address(seated, rules, chosen.seed, chosen.game, given_deck),
        tuple(seated),
        chosen.seed,
        chosen.game,
    )
