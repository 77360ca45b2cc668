"""The agreements in examples, for people who want to learn them: a deal, and what happens then."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """An agreement in words, and a few turns that show it."""

    title: str
    level: int
    words: str
    players: int = 0
    deal: str = ""
    """The first cards of the deck, hand by hand, oldest first; empty if there is no picture."""
    actions: tuple[str, ...] = ()


CALM = "y3 g3 b3 w3 y4"

EXAMPLES = (
    Example(
        "The chop",
        1,
        "The chop is the oldest card that no hint has touched. Whoever has nothing better to do "
        "discards it; a card known as dead goes first.",
        2,
        f"{CALM} y4 g3 w3 b4 r4",
        ("hint 1 4", "discard 1"),
    ),
    Example(
        "Play hints and the focus",
        1,
        "A hint is about one card, its focus: the chop if it is touched, else the youngest card "
        "that no hint touched before. If it is not a save, that card can be played.",
        2,
        f"{CALM} g4 r4 y4 b4 r1",
        ("hint 1 r", "play 4"),
    ),
    Example(
        "Good touch",
        1,
        "Touch only cards that will be played: not dead ones, and no second copy. So a touched "
        "card is never taken for one that lies on the fireworks.",
        2,
        f"{CALM} g4 r4 y4 b4 r1",
        ("hint 1 r",),
    ),
    Example(
        "Saves",
        1,
        "A hint that touches the chop may also save it: a five by its rank, or another card of "
        "which this is the last copy. Saving the next player's chop comes before everything else.",
        2,
        f"{CALM} r5 g4 b4 w4 y3",
        ("hint 1 5",),
    ),
    Example(
        "Trust and repair",
        1,
        "Agreements get broken. What they said is dropped as soon as hints contradict it, and a "
        "partner who breaks too many is taken literally.",
    ),
    Example(
        "Twos",
        2,
        "A rank hint also saves a two on the chop, if no other copy is in sight.",
        2,
        f"{CALM} r2 g4 b4 w4 y3",
        ("hint 1 2",),
    ),
    Example(
        "Delayed plays",
        2,
        "A play hint may count on plays that all expect: Cathy will play her red 1 first, so this "
        "hint says red 2.",
        3,
        "y3 g3 b3 w3 r2 g4 b4 w4 r4 y3 b4 w4 y4 g4 r1",
        ("hint 2 1", "hint 0 r"),
    ),
    Example(
        "Silence",
        2,
        "Whoever acts before a player saves that player's critical chop. If anything else is done, "
        "the chop is not critical and can go.",
        3,
        f"{CALM} g4 b4 w4 r4 y3 r5 b4 w4 g3 r4",
        ("hint 2 5", "discard 0"),
    ),
    Example(
        "Repairs",
        2,
        "If the next player is about to play a card that does not fit, tell what it is.",
    ),
    Example(
        "Finesses and prompts",
        3,
        "Red 2 is hinted one card too early. Bob, who sits between, must hold red 1: he plays the "
        "youngest touched card that it may be (a prompt), else his youngest card, unseen (a "
        "finesse). Cathy waits until he has acted.",
        3,
        f"{CALM} g4 b4 w4 r4 r1 b4 w4 r4 y3 r2",
        ("hint 2 r", "play 4"),
    ),
    Example(
        "Warnings",
        4,
        "Without a token nobody can save. A player known to have a play discards instead, which "
        "says to the next one: your chop is critical, keep it.",
    ),
    Example(
        "Stalling",
        4,
        "When hardly more draws are left than plays, a hint that says little is better than a "
        "discard.",
    ),
)
