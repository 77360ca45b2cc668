"""The partners of the protocol: a plain table.

These are our strategies that play without a private code, with variants of their options: whoever
knows the rules can play with them. Left out are those whose hints or discards mean what only their
own kind understands (recommendation, information, hatter, duo, search over these), those that look
at their own cards (cheat), and those that think for long (monte-carlo). Half of the partners are
held out: tune with the open half, and report both.

A partner's place in the table decides on the decks, so add new ones at the end; whatever changes,
give the protocol a new number, since figures of different pools cannot be compared.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "GAMES",
    "HELD_OUT",
    "OPEN",
    "PLAYERS",
    "POOL",
    "PROTOCOL",
    "RULES",
    "SEED",
    "Acquaintance",
]

PROTOCOL = 1
RULES = "hle"
PLAYERS = (2, 3, 4, 5)
GAMES = 2_000
"""For each partner and number of players."""
SEED = 21_000
"""Partner i at tables of p players plays the decks of seed SEED + 10 i + p."""

OPEN, HELD_OUT = "open", "held-out"


class Acquaintance(NamedTuple):
    """A partner of the pool."""

    name: str
    half: str
    text: str
    """How the command line names it."""


POOL = (
    Acquaintance("internal", OPEN, "internal"),
    Acquaintance("outer", HELD_OUT, "outer"),
    Acquaintance("iggi", OPEN, "iggi"),
    Acquaintance("cautious", HELD_OUT, "cautious"),
    Acquaintance("piers", OPEN, "piers"),
    Acquaintance("vdb", HELD_OUT, "vdb"),
    Acquaintance("flawed", OPEN, "flawed"),
    Acquaintance(
        "bold", HELD_OUT,
        "compose:rule-list=play-safe+spare-life:play-at-40+tell-useful+discard-dead+"
        "discard-oldest+tell-randomly",
    ),
    Acquaintance("rule-based", OPEN, "rule-based"),
    Acquaintance("rule-based, program", HELD_OUT, "rule-based:reading=program"),
    Acquaintance("rule-based, daring", HELD_OUT, "rule-based:play-threshold=0.4,hint-rule=1"),
    Acquaintance("rule-based, shy", OPEN, "rule-based:play-threshold=0.9,discard-rule=1"),
    Acquaintance(
        "talkative", OPEN,
        "compose:rule-list=play-safe+tell-playable-news+tell-most+discard-dead+discard-oldest",
    ),
    Acquaintance(
        "silent", HELD_OUT,
        "compose:rule-list=play-safe+spare-life:play-at-60+discard-dead+few-tokens:discard-oldest+"
        "tell-playable+discard-randomly+tell-randomly",
    ),
    Acquaintance("conventions, beginner", OPEN, "conventions:level=1"),
    Acquaintance("conventions", HELD_OUT, "conventions"),
)  # fmt: skip
