"""Set up a table: its rules, its deck, who sits where, and the keys to the seats."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.errors import FormatError, StrategyError
from hanabilab.formats.deck_text import read_deck
from hanabilab.game.deck import MAX_SEED, Deck, card_multiset, is_seed
from hanabilab.game.rules import Rules
from hanabilab.strategies import registered_strategy
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.web.catalog import MAX_SEATS, SEAT_NAMES, default_partner, strategy_title
from hanabilab.web.game_requests import (
    STRATEGY_LETTERS,
    Participants,
    choose_deck,
    choose_game,
    choose_partner,
    random_seed,
    replayable_strategies,
)
from hanabilab.web.schema import JsonObject, RequestFields, check_text

__all__ = ["Setup", "read_continuation", "read_setup"]

KEY_BYTES = 18
NAME_LETTERS = 20
READER = "you"
"""The name of a viewer's own seat; no player may have it."""
GUESSABLE_SEEDS = 1 << 53
"""Below this a seed can be found by trying: those below ten million in seconds."""
GUESSABLE_WARNING = (
    "This deck comes from a seed: a player can try seeds until they fit, and then knows all cards."
)


@dataclass(frozen=True, slots=True)
class Setup:
    """A table before its first turn."""

    deck: Deck
    seed: int
    game: int
    known_seed: bool
    """True if the creator of the table chose the seed; a random one is kept secret."""
    given_deck: bool
    strategies: dict[int, Strategy]
    """The strategies in the seats that are not people's."""
    keys: dict[int, str]
    """The digest of the key of each person's seat."""
    practice: bool
    seat_names: tuple[str, ...] = SEAT_NAMES
    """The name of each seat."""
    timer: int | None = None
    """Seconds for a turn; the clock is advisory and forces no move."""
    guessable: bool = False
    """True if a player who sees a few cards could find the deck by trying seeds."""
    spectators_see_hands: bool = False
    """True if spectators see all hands; everybody at the table is told so."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.deck.rules

    def again(self, *, same_deck: bool) -> Setup:
        """Return the setup of another game at the same seats: with this deck, or with the next.

        The next deck is that of the next game of a chosen seed, and otherwise a secret one.
        """
        if same_deck:
            return replace(self, given_deck=True, known_seed=False)
        if self.known_seed and not self.given_deck:
            game = (self.game + 1) % MAX_SEED
            return replace(
                self, deck=Deck.shuffled(self.rules, seed=self.seed, game=game), game=game
            )
        return replace(
            self,
            deck=secret_deck(self.rules),
            seed=random_seed(),
            game=0,
            known_seed=False,
            given_deck=False,
            guessable=False,
        )

    def seat_of(self, key: str) -> int | None:
        """Return the seat that a key opens, or None."""
        found = None
        for player, digest in self.keys.items():
            if hmac.compare_digest(digest, _digest(key)):
                found = player
        return found

    def reveals_seed(self, viewer: int | None) -> bool:
        """Return whether a viewer may know the seed before the end: only one who plays alone."""
        return self.known_seed and list(self.keys) == [viewer]

    @property
    def warning(self) -> str | None:
        """A warning about the deck for people who share the table, or None."""
        return GUESSABLE_WARNING if self.guessable and len(self.keys) > 1 else None

    def names(self, viewer: int | None) -> list[str]:
        """Return the names of the seats as a viewer reads them."""
        names = self.seat_names[: self.rules.players]
        return [READER if player == viewer else name for player, name in enumerate(names)]

    @property
    def roles(self) -> list[str]:
        """The strategy in each seat, or an empty text for a person."""
        return [
            "" if label is None else strategy_title(label) for label in self.participants.strategies
        ]

    @property
    def participants(self) -> Participants:
        """The players, for replays."""
        players, seated = self.rules.players, self.strategies
        labels = [seated[seat].label if seat in seated else None for seat in range(players)]
        return Participants(
            self.seat_names[:players], tuple(labels), (0,) * players, self.seed, self.game
        )

    def to_dict(self) -> JsonObject:
        """Return the setup as data for the disk; keys only as digests."""
        return {
            "rules": self.rules.to_dict(),
            "players": self.rules.players,
            "deck": str(self.deck),
            "seed": self.seed,
            "game": self.game,
            "known_seed": self.known_seed,
            "given_deck": self.given_deck,
            "strategies": {player: each.label for player, each in self.strategies.items()},
            "keys": self.keys,
            "practice": self.practice,
            "names": self.seat_names,
            "timer": self.timer,
            "guessable": self.guessable,
            "spectators_see_hands": self.spectators_see_hands,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Setup:
        """Return the setup that `to_dict` described, or raise if it is something else."""
        try:
            return cls._from_dict(data)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise FormatError("this table cannot be read: the file holds something else") from None

    @classmethod
    def _from_dict(cls, data: dict[str, Any]) -> Setup:
        rules = Rules.from_dict(data["rules"], data["players"])
        return cls(
            deck=read_deck(data["deck"], rules),
            seed=data["seed"],
            game=data["game"],
            known_seed=data["known_seed"],
            given_deck=data["given_deck"],
            strategies={
                int(player): registered_strategy(text)
                for player, text in data["strategies"].items()
            },
            keys={int(player): digest for player, digest in data["keys"].items()},
            practice=data["practice"],
            seat_names=tuple(data.get("names", SEAT_NAMES)),
            timer=data.get("timer"),
            guessable=data.get("guessable", False),
            spectators_see_hands=data.get("spectators_see_hands", False) is True,
        )


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def read_setup(fields: RequestFields) -> tuple[Setup, dict[int, str]]:
    """Read the setup of a new table; return it with new keys to its seats."""
    humans = fields.items("humans", MAX_SEATS, [0])
    given = fields.texts("strategies", MAX_SEATS, STRATEGY_LETTERS, [])
    known_seed, deck_text = fields.has("seed"), fields.remaining.get("deck")
    chosen = choose_deck(fields, MAX_SEATS)
    deck = chosen.deck
    if not (known_seed or chosen.given):
        deck = secret_deck(deck.rules)
    practice = fields.boolean("practice", False)
    seat_names = fields.items("names", MAX_SEATS, [])
    timer = fields.integer("timer", 5, 3600, None)
    spectators_see_hands = fields.boolean("spectators_see_hands", False)
    fields.finish()
    rules = deck.rules
    seats = _human_seats(humans, rules)
    if practice and len(seats) > 1:
        raise FormatError("practice: only for one person playing with strategies")
    strategies = _seat_strategies(given or [default_partner(rules)], seats, rules)
    keys = {player: secrets.token_urlsafe(KEY_BYTES) for player in seats}
    setup = Setup(
        deck=deck,
        seed=chosen.seed,
        game=chosen.game,
        known_seed=known_seed,
        given_deck=chosen.given,
        strategies=strategies,
        keys={player: _digest(key) for player, key in keys.items()},
        practice=practice,
        seat_names=_seat_names(seat_names),
        timer=timer,
        guessable=is_seed(deck_text)
        if chosen.given
        else known_seed and chosen.seed < GUESSABLE_SEEDS,
        spectators_see_hands=spectators_see_hands,
    )
    return setup, keys


def read_continuation(fields: RequestFields) -> tuple[Setup, dict[int, str], list[int]]:
    """Read a table that continues a game from a turn, with one person in it.

    Return its setup, the key to the person's seat, and the turns so far. The other seats are played
    by the strategies that played them before, if they are known.
    """
    turn: int = fields.integer("turn", 0, 1 << 20)
    chosen = choose_game(RequestFields(fields.take("from")))
    rules, names = chosen.game.rules, list(SEAT_NAMES)
    seat: int = fields.integer("seat", 0, rules.players - 1)
    fields.finish()
    game = Game(rules, chosen.game.deck)
    numbers = []
    for action in chosen.game.actions[:turn]:
        numbers.append(action.number(game.state))
        game.act(action)
    if game.is_over:
        raise FormatError(f"turn: the game is over after turn {turn}")
    names[: rules.players] = chosen.names
    partner = choose_partner(default_partner(rules))
    partner.check(rules)
    known = dict(enumerate(chosen.strategies))
    seed, number = chosen.seed, chosen.number
    if before := chosen.participants:
        known, seed, number = replayable_strategies(before, rules), before.seed, before.game
    key = secrets.token_urlsafe(KEY_BYTES)
    setup = Setup(
        deck=chosen.game.deck,
        seed=seed,
        game=number,
        known_seed=False,
        given_deck=True,
        strategies={
            player: known.get(player, partner) for player in range(rules.players) if player != seat
        },
        keys={seat: _digest(key)},
        practice=True,
        seat_names=tuple(names),
    )
    return setup, {seat: key}, [each for each in numbers if each is not None]


def _seat_names(given: Sequence[object]) -> tuple[str, ...]:
    """Return a name for each seat: the one that is given, or the usual one."""
    names = list(SEAT_NAMES)
    for seat, name in enumerate(given):
        text = "" if name is None else check_text("names", name, NAME_LETTERS).strip()
        if not text.isprintable() or text.lower() == READER:
            raise FormatError(f"names: {text!r} cannot be a name")
        names[seat] = text or names[seat]
    return tuple(names)


def secret_deck(rules: Rules) -> Deck:
    """Return a deck shuffled with the operating system's random numbers; no seed gives it."""
    cards = card_multiset(rules)
    secrets.SystemRandom().shuffle(cards)
    return Deck.of(rules, cards)


def _human_seats(humans: Sequence[object], rules: Rules) -> list[int]:
    if rules.players < 2:
        raise FormatError("players: a table needs at least 2")
    last = rules.players - 1
    seats = {check_integer("humans", player, 0, last, error=FormatError) for player in humans}
    if not seats or len(seats) < len(humans):
        raise FormatError("humans: give at least one seat, and none twice")
    return sorted(seats)


def _seat_strategies(given: list[str], humans: list[int], rules: Rules) -> dict[int, Strategy]:
    """Return the strategies of the other seats: one for all of them, or one for each."""
    others = [player for player in range(rules.players) if player not in humans]
    found = [choose_partner(text) for text in given]
    if len(found) == 1 or not others:
        found = found[:1] * len(others)
    if len(found) != len(others):
        raise StrategyError(f"{len(found)} strategies for {len(others)} seats")
    for strategy in found:
        strategy.check(rules)
    return dict(zip(others, found, strict=True))
