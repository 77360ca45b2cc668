"""The conventions by name and level: what players expect of each other, beyond the rules.

A player follows a convention if its level is reached and its switch is on. Chop, focus, play hints
and the order of plays belong to every level: without them there would be nothing to agree on.

`EXAMPLES` show them to people who want to learn them: a deal, and what happens then.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.core.kernel import kernel
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.strategy import Option

__all__ = [
    "CATALOGUE",
    "DELAYED",
    "EXAMPLES",
    "FINESSES",
    "GOOD_TOUCH",
    "HIGHEST_LEVEL",
    "PROMPTS",
    "REPAIRS",
    "SAVES",
    "SILENCE",
    "STALLING",
    "TRUST",
    "TWOS",
    "WARNINGS",
    "Example",
    "activate",
    "convention_options",
]

SAVES, GOOD_TOUCH, TRUST = 1, 2, 4
TWOS, DELAYED, SILENCE, REPAIRS = 8, 16, 32, 64
PROMPTS, FINESSES = 128, 256
WARNINGS, STALLING = 512, 1024
HIGHEST_LEVEL = 4


@dataclass(frozen=True, slots=True)
class Convention:
    """A convention that can be switched off."""

    level: int
    help: str


CATALOGUE = {
    "saves": Convention(1, "a hint that touches the chop may save a critical card"),
    "good_touch": Convention(1, "a touched card is not dead, among three or more"),
    "trust": Convention(1, "believe partners only while they keep conventions"),
    "twos": Convention(2, "a rank hint also saves a two of which no copy is in sight"),
    "delayed": Convention(2, "a play hint may count on plays that all expect"),
    "silence": Convention(2, "a chop that nobody saved is not critical"),
    "repairs": Convention(2, "stop a misplay of the next player by a hint"),
    "prompts": Convention(3, "a hint one card too early calls a touched card"),
    "finesses": Convention(3, "without a touched one it calls the newest card"),
    "warnings": Convention(4, "without tokens, a discard instead of a play warns"),
    "stalling": Convention(4, "give hints rather than discard when time is short"),
}


@kernel
def activate(memory: ConventionsMemory, players: int) -> None:
    """Work out which conventions are in force.

    Two players touch only useful cards as well, but conclude nothing from it: a partner who must
    give a hint has no other hand to choose from.
    """
    agreed = memory.saves * SAVES | memory.trust * TRUST
    if players > 2:
        agreed |= memory.good_touch * GOOD_TOUCH
    if memory.level >= 2:
        agreed |= memory.twos * TWOS | memory.delayed * DELAYED
        agreed |= memory.silence * SILENCE | memory.repairs * REPAIRS
    if memory.level >= 3:
        agreed |= memory.prompts * PROMPTS | memory.finesses * FINESSES
    if memory.level >= 4:
        agreed |= memory.warnings * WARNINGS | memory.stalling * STALLING
    memory.beliefs.active = agreed


def convention_options() -> dict[str, Option]:
    """Return the options: the level, and a switch for each convention."""
    level = Option(
        default=HIGHEST_LEVEL, least=1, most=HIGHEST_LEVEL, help="how many conventions to follow"
    )
    return {"level": level} | {
        name: Option(
            default=True,
            help=f"{each.help} (level {each.level})",
        )
        for name, each in CATALOGUE.items()
    }


# --- examples -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A convention in words, and a few turns that show it."""

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
        "Conventions get broken. What they said is dropped as soon as hints contradict it, and a "
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
