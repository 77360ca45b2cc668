"""Rules, strategies, decks and games as a message names them, within what one request may cost."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from hanabilab.errors import FormatError, RulesError, StrategyError
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
from hanabilab.web.codes import game_code, game_of_code
from hanabilab.web.messages import MAX_BYTES, Fields, checked_text

__all__ = [
    "MAX_PLAYOUTS",
    "ChosenGame",
    "choose_deck",
    "choose_game",
    "choose_strategy",
    "game_address",
    "random_seed",
    "read_rules",
]

MAX_DECK = 200
MAX_TOKENS = 100
MAX_PLAYOUTS = 2_000
STRATEGY_LETTERS = 500
DECK_LETTERS = 5 * MAX_DECK
NAME_LETTERS = 30


def read_rules(fields: Fields, most_players: int = MAX_PLAYERS, deck: str | None = None) -> Rules:
    """The fields `players` and `rules`; a deck that is a seed of hanab.live has its say."""
    players = fields.whole("players", 1, most_players, None)
    given = fields.take("rules", "classic")
    if isinstance(given, dict) and len(given) > len(Rules.about) + 1:
        raise RulesError(f"rules: there are only {len(Rules.about)} of them")
    return bounded(choose_rules(given, players, deck=deck))


def bounded(rules: Rules) -> Rules:
    """Refuse rules whose games would be endless."""
    for name in ("hint_tokens", "lives"):
        if (getattr(rules, name) or 0) > MAX_TOKENS:
            raise RulesError(f"{name}: {getattr(rules, name)} is more than {MAX_TOKENS}")
    if rules.deck_size > MAX_DECK:
        raise RulesError(f"copies: {rules.deck_size} cards are more than {MAX_DECK}")
    return rules


def choose_strategy(text: str) -> Strategy:
    """A strategy by its name, with options."""
    strategy = find_strategy(checked_text("strategy", text, STRATEGY_LETTERS))
    if strategy.name == "human":
        raise StrategyError("human: people play at a table, not here")
    if strategy.chosen.get("playouts", 0) > MAX_PLAYOUTS:
        raise StrategyError(
            f"playouts: {strategy.chosen['playouts']} is more than {MAX_PLAYOUTS}, "
            "which is as much as this page computes"
        )
    return strategy


def random_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbelow(MAX_SEED + 1)


@dataclass(frozen=True, slots=True)
class ChosenDeck:
    """A deck, and where it is from."""

    deck: Deck
    seed: int
    """Of the deck, if it was shuffled, and of the strategies' coins."""
    game: int
    given: bool
    """Was it given card by card?"""
    random: bool
    """Was it left to chance?"""


def game_address(
    seated: Sequence[Strategy], rules: Rules, seed: int, game: int, deck: Deck | None = None
) -> str:
    """The query of the page that shows a game of strategies."""
    labels = [strategy.label for strategy in seated]
    written = rules.to_dict()
    said: dict[str, Any] = {
        "strategy": labels[:1] if len(set(labels)) == 1 else labels,
        "players": rules.players,
        "rules": written
        if isinstance(written, str)
        else json.dumps(written, separators=(",", ":")),
        **({} if deck is None else {"deck": str(deck)}),
        "seed": seed,
        "game": game,
    }
    return urlencode(said, doseq=True, quote_via=quote, safe=":,")


def choose_deck(fields: Fields, most_players: int = MAX_PLAYERS) -> ChosenDeck:
    """The fields `players`, `rules`, and `seed` with `game`, or `deck`, or nothing: random."""
    text = fields.text("deck", DECK_LETTERS, None)
    rules = read_rules(fields, most_players, text)
    chance = text is None and not fields.has("seed")
    seed = fields.seed("seed", MAX_SEED, None)
    game = fields.seed("game", MAX_SEED, 0)
    if seed is None:
        seed = random_seed() if chance else 0
    if text is not None:
        return ChosenDeck(read_deck(text, rules), seed, game, True, False)
    return ChosenDeck(Deck.shuffled(rules, seed=seed, game=game), seed, game, False, chance)


@dataclass(frozen=True, slots=True)
class ChosenGame:
    """A game to be looked at."""

    game: Game
    names: list[str]
    """Who sat where."""
    address: str
    """The query of the page that shows it."""
    strategies: tuple[Strategy, ...] = ()
    seed: int = 0
    number: int = 0

    @property
    def code(self) -> str:
        """The game itself, in an address."""
        return game_code(self.game)


def choose_game(fields: Fields) -> ChosenGame:
    """A game: `strategy` with a deck, or `code`, or `text`."""
    ways = [name for name in ("strategy", "code", "text") if fields.has(name)]
    if len(ways) != 1:
        raise FormatError("choose a game by one of strategy, code and text")
    if ways == ["strategy"]:
        return _played(fields)
    if ways == ["code"]:
        game = game_of_code(fields.text("code", MAX_BYTES))
        names = seat_names(game.rules, None)
    else:
        game, names = read_pasted(fields.text("text", MAX_BYTES))
    bounded(game.rules)
    return ChosenGame(game, names, f"code={game_code(game)}")


def seat_names(rules: Rules, names: object) -> list[str]:
    """What the seats are called, if a file says so in a way that makes sense."""
    if isinstance(names, list) and len(names) == rules.players:
        return [str(name)[:NAME_LETTERS] for name in names]
    return [f"player {player}" for player in range(rules.players)]


def read_pasted(text: str) -> tuple[Game, list[str]]:
    """The one game in a text that somebody pasted, and who played it."""
    records = read_games(text)
    record = next(records, None)
    if record is None:
        raise FormatError("there is no game in this text")
    if next(records, None) is not None:
        raise FormatError("there are several games in this text; paste one")
    live = record.data.get("hanablive")
    names = live.get("players") if isinstance(live, Mapping) else None
    return Game.from_record(record), seat_names(record.deck.rules, names)


def _played(fields: Fields) -> ChosenGame:
    given = fields.texts("strategy", MAX_PLAYERS, STRATEGY_LETTERS)
    chosen = choose_deck(fields)
    seated = seat([choose_strategy(text) for text in given], chosen.deck.rules.players)
    game = play(seated, chosen.deck, seed=chosen.seed, game=chosen.game)
    given_deck = chosen.deck if chosen.given else None
    rules = chosen.deck.rules
    return ChosenGame(
        game,
        [strategy.label for strategy in seated],
        game_address(seated, rules, chosen.seed, chosen.game, given_deck),
        tuple(seated),
        chosen.seed,
        chosen.game,
    )
