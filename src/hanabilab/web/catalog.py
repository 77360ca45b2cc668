"""What the server offers: partners, strategies, rules and limits (`GET /api/about`)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from dataclasses import dataclass

from hanabilab import __version__
from hanabilab.errors import RulesError
from hanabilab.game.names import SUIT_LETTERS, SUIT_WORDS
from hanabilab.game.rules import PRESETS, Rules, preset
from hanabilab.game.variants import PLAIN, all_variants
from hanabilab.strategies import known_strategies, registered_strategy
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.search import Search
from hanabilab.strategies.strategy import Strategy, describe_strategy
from hanabilab.web.schema import JsonObject

__all__ = [
    "LEVELS",
    "PARTNERS",
    "PartnerOffer",
    "about",
    "agreed_level",
    "conventions_of",
    "default_partner",
    "offered_partners",
    "strategy_title",
]

MAX_SEATS = 6
"""Seats at a table."""
SEAT_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily", "Frank")
"""Names of the seats unless others are given."""
MAX_PLAYOUTS = 2_000
"""Playouts or samples per action of a strategy."""
MAX_GAMES = 1_000_000
"""Games in one run, over all pairings or cells."""
MAX_CELLS = 400
"""Cells of a sweep."""
MAX_TIME_LIMIT = 60.0
"""Seconds to search one deck."""
KINDS = {bool: "switch", int: "number", type(None): "number", str: "text", tuple: "text"}


@dataclass(frozen=True, slots=True)
class PartnerOffer:
    """A strategy that is offered to people as a partner."""

    strategy: str
    title: str
    words: str


CAREFUL = (
    "compose:rule-list=spare-life:play-at-60+play-safe+tell-useful+few-tokens:tell-dispensable"
    "+discard-dead+discard-at-0+tell-randomly"
)
EXPERT = (
    "search:blueprint=conventions,pile=30,least-gain=0.06,lies=False,samples=200,screen=60,"
    "seconds=0.5"
)
"""Searches nearly the whole game, in few worlds and for at most half a second a turn."""
USUAL_PARTNER = "conventions"
ANYTHING_GOES = "random"
"""Plays by any rules, also where views do not tell which cards are playable."""

LEVELS = (
    PartnerOffer(
        CAREFUL,
        "Beginner",
        "Knows the rules and no agreements: points out cards that can be played, and takes a "
        "small risk while a life is to spare.",
    ),
    PartnerOffer(
        USUAL_PARTNER,
        "Club",
        "Plays as experienced people do: a hint says “play this” or “keep this”, and yours are "
        "read the same way.",
    ),
    PartnerOffer(
        EXPERT,
        "Expert",
        "Plays like Club and, after the first turns, thinks ahead for up to half a second a turn.",
    ),
)
"""The partners that pages offer first, weakest first. Their titles have no other meaning."""

PARTNERS = (
    *LEVELS,
    PartnerOffer(
        "conventions:level=1",
        "conventions, level 1",
        "Like Club with the first agreements only: chop, play hints, saves, good touch and "
        "finesses.",
    ),
    PartnerOffer(
        "conventions:level=5",
        "conventions, level 5",
        "Like Club without the agreements that the H-Group teaches from level 6 on, such as "
        "bluffs.",
    ),
    PartnerOffer(
        "rule-based",
        "rule-based",
        "Tells the next player of playable cards, plays what is 60 % likely to fit, and discards "
        "what is likeliest to be useless.",
    ),
    PartnerOffer(
        "piers",
        "piers",
        "Tells of playable cards and takes risks while a life is to spare; discards its oldest "
        "card, even a five.",
    ),
    PartnerOffer(
        "cautious",
        "cautious",
        "Tells of playable cards, plays only what is certain to fit, and discards at random.",
    ),
)


def strategy_title(label: str) -> str:
    """Return the short name of a strategy: that of the partner, if it is one."""
    return next((offer.title for offer in PARTNERS if offer.strategy == label), label)


def conventions_of(strategy: Strategy) -> Strategy | None:
    """Return the conventions that a strategy keeps: itself, or those over which it searches."""
    kept = strategy.blueprint if isinstance(strategy, Search) else strategy
    return kept if kept.name == CONVENTIONS.name else None


def agreed_level(strategies: Iterable[Strategy]) -> int | None:
    """Return the highest level of the conventions that strategies keep; None if none does."""
    kept = filter(None, map(conventions_of, strategies))
    return max((int(each.option("level")) for each in kept), default=None)


def default_partner(rules: Rules) -> str:
    """Return the usual partner for people, or the first that can play by these rules."""
    names = [USUAL_PARTNER, *(offer.strategy for offer in _available()), ANYTHING_GOES]
    return next((name for name in names if not registered_strategy(name).why_not(rules)), CAREFUL)


def offered_partners() -> list[JsonObject]:
    """Return the available partners, with the numbers of players they can play with."""
    return [
        {
            "strategy": offer.strategy,
            "title": offer.title,
            "words": offer.words,
            "is_level": offer in LEVELS,
            "players": _player_counts(registered_strategy(offer.strategy)),
        }
        for offer in _available()
    ]


def _available() -> list[PartnerOffer]:
    names = known_strategies()[0]
    return [offer for offer in PARTNERS if offer.strategy.partition(":")[0] in names]


def _player_counts(strategy: Strategy) -> list[int]:
    numbers = PRESETS["classic"].hands
    return [number for number in numbers if not strategy.why_not(preset("classic", number))]


@functools.cache
def about() -> JsonObject:
    """Return everything that the pages build their forms from."""
    classic = Rules.classic()
    return {
        "version": __version__,
        "strategies": [
            {**describe_strategy(strategy), "slow": strategy.slow}
            for strategy in known_strategies()[0].values()
            if strategy.name != "human"
        ],
        "partners": offered_partners(),
        "usual_partner": USUAL_PARTNER,
        "names": list(SEAT_NAMES),
        "rules": [_preset(name) for name in (*PRESETS, *_variants_with_one_special_suit())],
        "variants": [variant.name for variant in all_variants()],
        "rule_fields": [
            {"name": name, "words": words, "kind": _kind(name, getattr(classic, name))}
            for name, words in Rules.about.items()
            if name != "players"
        ],
        "suits": [
            {"letter": letter, "word": word}
            for letter, word in zip(SUIT_LETTERS, SUIT_WORDS, strict=False)
        ],
        "limits": {
            "players": MAX_SEATS,
            "games": MAX_GAMES,
            "cells": MAX_CELLS,
            "playouts": MAX_PLAYOUTS,
            "time_limit": MAX_TIME_LIMIT,
        },
    }


def _variants_with_one_special_suit() -> list[str]:
    """Return the variants of hanab.live that are few enough for a list in a form."""
    return [
        variant.name
        for variant in all_variants()
        if not variant.switches
        and variant.code.startswith("R+Y+G+B+")
        and all(suit.kind == PLAIN and not suit.single for suit in variant.suits[:-1])
    ]


def _kind(name: str, value: object) -> str:
    """Return how a rule is entered: as copies, a switch, a number or text."""
    return "copies" if name == "copies" else KINDS[type(value)]


def _preset(name: str) -> JsonObject:
    rules = preset(name)
    rows = rules.copies
    fields = {field: getattr(rules, field) for field in Rules.about if field != "players"}
    fields["copies"] = list(rows[0]) if len(set(rows)) == 1 else [list(row) for row in rows]
    hands = _hands(name)
    return {
        "name": name,
        "source": PRESETS[name].source if name in PRESETS else "a variant of hanab.live",
        "players": list(hands),
        "usual_players": rules.players,
        "hands": {str(players): size for players, size in hands.items()},
        "fields": fields,
    }


def _hands(name: str) -> dict[int, int]:
    """Return the usual hand size for each number of players that these rules allow."""
    sizes = {}
    for players in range(2, MAX_SEATS + 1):
        with contextlib.suppress(RulesError):
            sizes[players] = preset(name, players).hand_size
    return sizes
