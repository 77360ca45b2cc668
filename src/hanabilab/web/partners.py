"""The partners that are offered to people at a table: the best first, each in words.

Whoever comes first is the usual partner. It needs no code, and keeps the cards that it knows to be
needed. Other strategies can still be chosen; these are the ones to play with.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.game.rules import PRESETS, Rules, preset
from hanabilab.strategies import find_strategy, known_strategies
from hanabilab.strategies.strategy import Strategy
from hanabilab.web.messages import JsonObject

__all__ = ["PARTNERS", "PartnerOffer", "partners", "title_of", "usual_partner"]


@dataclass(frozen=True, slots=True)
class PartnerOffer:
    """A strategy as a partner."""

    strategy: str
    title: str
    words: str


CAREFUL = (
    "compose:rule-list=spare-life:play-at-60+play-safe+tell-useful+few-tokens:tell-dispensable"
    "+discard-dead+discard-at-0+tell-randomly"
)

PARTNERS = (
    PartnerOffer(
        "conventions",
        "conventions",
        "Plays as experienced people do: its hints say play or save, and it reads yours so. "
        "Level 4 of 4, with finesses; the page of the agreements shows them all.",
    ),
    PartnerOffer(
        "conventions:level=1",
        "conventions, level 1",
        "The same with the first agreements only: chop, play hints, saves and good touch.",
    ),
    PartnerOffer(
        CAREFUL,
        "careful",
        "Tells of playable cards, plays what is 60 % likely to fit while a life is to spare, "
        "and discards what is likeliest to be useless.",
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


def title_of(label: str) -> str:
    """Return the short name of a strategy: that of the partner, if it is one."""
    return next((offer.title for offer in PARTNERS if offer.strategy == label), label)


def usual_partner(rules: Rules) -> str:
    """Return the best partner for people under these rules."""
    fits = (each.strategy for each in _known() if not find_strategy(each.strategy).why_not(rules))
    return next(fits, CAREFUL)


def partners() -> list[JsonObject]:
    """Return the partners that there are, with the numbers of players they can play with."""
    return [
        {
            "strategy": offer.strategy,
            "title": offer.title,
            "words": offer.words,
            "players": _players(find_strategy(offer.strategy)),
        }
        for offer in _known()
    ]


def _known() -> list[PartnerOffer]:
    names = known_strategies()[0]
    return [offer for offer in PARTNERS if offer.strategy.partition(":")[0] in names]


def _players(strategy: Strategy) -> list[int]:
    numbers = PRESETS["classic"].hands
    return [number for number in numbers if not strategy.why_not(preset("classic", number))]
