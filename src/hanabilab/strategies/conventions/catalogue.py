"""The conventions by name and level: what players expect of each other, beyond the rules.

A player follows a convention if its level is reached and its switch is on. Chop, focus, play hints
and the order of plays belong to every level: without them there would be nothing to agree on.

`EXAMPLES` show them to people who want to learn them: a deal, and what happens then.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.core.kernel import kernel
from hanabilab.strategies.conventions.lines import LONGEST_PILE
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.strategy import Option

__all__ = [
    "BLUFFS",
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
BLUFFS = 2048
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
    "bluffs": Convention(4, "the player after the giver answers with any card that fits"),
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
        agreed |= memory.bluffs * BLUFFS
    memory.beliefs.active = agreed


END_LINES = Option(
    default=3,
    least=-1,
    most=LONGEST_PILE,
    help="think ahead with at most this many cards to draw; -1: never",
)


def convention_options() -> dict[str, Option]:
    """Return the options: the level, and a switch for each convention."""
    level = Option(
        default=HIGHEST_LEVEL, least=1, most=HIGHEST_LEVEL, help="how many conventions to follow"
    )
    return (
        {"level": level}
        | {
            name: Option(
                default=True,
                help=f"{each.help} (level {each.level})",
            )
            for name, each in CATALOGUE.items()
        }
        | {"end_lines": END_LINES}
    )


# --- examples -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A convention in words, and an exercise: a few turns, of which the last one is the answer."""

    title: str
    level: int
    words: str
    """The convention, for the list and as the explanation of the answer."""
    players: int = 0
    deal: str = ""
    """The first cards of the deck, hand by hand, oldest first; empty if there is no picture."""
    actions: tuple[str, ...] = ()
    """The turns. People are shown the board before the last one, as its player sees it."""
    question: str = ""
    """What to ask that player, in the second person; slot 1 is the newest card."""
    wrong: str = ""
    """What to reply to any other action."""
    tokens: int = 8
    """Hint tokens at the start."""

    @property
    def anchor(self) -> str:
        """The name in links: the title in small letters, with hyphens."""
        return self.title.lower().replace(" ", "-")

    @property
    def answer(self) -> str:
        """The right action; empty if there is no picture."""
        return self.actions[-1] if self.actions else ""


CALM = "y3 g3 b3 w3 y4"

EXAMPLES = (
    Example(
        "The chop",
        1,
        "The chop is the oldest card that no hint has touched. If you have nothing better to do, "
        "discard it; a card that you know to be dead goes first.",
        2,
        f"{CALM} y4 g3 w3 b4 r4",
        ("hint 1 4", "discard 1"),
        "Alice told you which cards are 4s, and that was the last hint token. You have nothing to "
        "play. Which card do you discard?",
        "The 4s were hinted, so you keep them. Of the cards without a hint, the oldest goes first.",
        tokens=1,
    ),
    Example(
        "Play hints and the focus",
        1,
        "A hint is about one card, its focus: the chop if the hint touches it, otherwise the "
        "newest card that no hint had touched before. Unless the hint is a save, that card can be "
        "played.",
        2,
        f"{CALM} g4 r4 y4 b4 r1",
        ("hint 1 r", "play 4"),
        "Alice told you red. It touches two cards, and neither is your chop. What do you do?",
        "The hint does not touch your chop, so it says “play”: and it means the newest card that "
        "it touches.",
    ),
    Example(
        "Good touch",
        1,
        "Touch only cards that will be played: not dead ones, and no second copy of a card. So a "
        "touched card is never taken for one that is on the fireworks already.",
        2,
        f"{CALM} y4 r1 g4 b1 b1",
        ("hint 1 r",),
        "Bob holds three 1s, but two of them are the same card. Which hint touches only cards that "
        "will be played?",
        "That hint touches no playable card, or it touches blue 1 twice: the second copy would "
        "never be played.",
    ),
    Example(
        "Saves",
        1,
        "A hint that touches the chop may also save it: a 5 by its rank, or another card of which "
        "this is the last copy. Saving the next player's chop comes before everything else.",
        2,
        f"{CALM} r5 g4 b4 w4 y3",
        ("hint 1 5",),
        "Red 5 is on Bob's chop, and there is only one copy of it. Which hint saves it?",
        "Bob will discard his oldest card next, and it is the only red 5. A rank saves a 5.",
    ),
    Example(
        "Trust and repair",
        1,
        "Players make mistakes. A conclusion is dropped as soon as a hint contradicts it, and a "
        "partner who breaks too many conventions is taken literally.",
        3,
        f"{CALM} g4 b4 w4 b3 y3 g3 b4 w4 y4 r4",
        ("hint 2 r", "hint 2 4", "discard 0"),
        "Alice's red hint seemed to promise red 1. Now Bob has told you that the card is a 4, and "
        "no hint token is left. What do you do?",
        "Slot 1 is red and a 4, so it is red 4 and does not fit: what Alice's hint promised was "
        "wrong.",
        tokens=2,
    ),
    Example(
        "Twos",
        2,
        "A rank hint also saves a 2 on the chop, if no other copy is in sight.",
        2,
        f"{CALM} r2 g4 b4 w4 y3",
        ("hint 1 2",),
        "Red 2 is on Bob's chop, and you do not see the other copy. Which hint saves it?",
        "Bob will discard his oldest card next. A 2 is saved by its rank: a suit would say “play”.",
    ),
    Example(
        "Delayed plays",
        2,
        "A play hint may count on plays that everyone expects: Cathy will play her red 1 first, so "
        "a red hint to Alice says red 2.",
        3,
        "y3 g3 b3 w3 r2 g4 b4 w4 r4 y3 b4 w4 y4 g4 r1",
        ("hint 2 1", "hint 0 r"),
        "Everyone knows that Cathy will play her red 1. Which hint lets Alice play her red 2 right "
        "after it?",
        "Cathy plays before Alice, so Alice's red 2 will fit on her turn: point at it.",
    ),
    Example(
        "Silence",
        2,
        "If the next player's chop is critical, the player before saves it. If that player does "
        "anything else, the chop is not critical and can be discarded.",
        3,
        f"{CALM} g4 b4 w4 r4 y3 r5 b4 w4 g3 r4",
        ("hint 2 5", "discard 0"),
        "Alice saved Cathy's 5 and gave you no hint. What does that say about your chop, and what "
        "do you do?",
        "Alice acts right before you and left your chop alone, so it is not critical.",
    ),
    Example(
        "Repairs",
        2,
        "If the next player is about to play a card that does not fit, say what it is.",
        3,
        f"{CALM} g4 b4 w4 g1 y3 g3 b4 w4 y4 r4",
        ("hint 2 r", "hint 2 4"),
        "Cathy takes Alice's red hint as “play” and will play her red 4, which does not fit. Which "
        "hint stops her?",
        "Cathy acts next and takes slot 1 for red 1. Only its rank tells her that it is not.",
    ),
    Example(
        "Finesses and prompts",
        3,
        "Red 2 is hinted one card too early. Bob, who acts before Cathy, must hold red 1: he plays "
        "the newest touched card that it may be (a prompt), or else his newest card, unseen (a "
        "finesse). Cathy waits until he has acted.",
        3,
        f"{CALM} g4 b4 w4 r4 r1 b4 w4 r4 y3 r2",
        ("hint 2 r", "play 4"),
        "Alice told Cathy red. You see that it points at red 2, although nobody has played red 1. "
        "What do you do?",
        "Cathy would misplay her red 2, unless red 1 comes first. Alice must see it in your hand: "
        "none of your cards was hinted, so it is the newest.",
    ),
    Example(
        "Bluffs",
        4,
        "The player right after the giver answers a call with the newest card, whatever it is. So "
        "the hint may be a bluff: that card fits, but it is not the one that was missing. Cathy "
        "sees green 1 instead of red 1, and knows that her red card is red 2 and has to wait.",
        3,
        f"{CALM} g4 b4 w4 r4 g1 b4 w4 r4 y3 r2",
        ("hint 2 r", "play 4"),
        "Alice told Cathy red. You see that it points at red 2, although nobody has played red 1. "
        "What do you do?",
        "It is a finesse or a bluff: either way your newest card fits.",
    ),
    Example(
        "Warnings",
        4,
        "Without a hint token nobody can save. A player who is known to have a play discards "
        "instead, which says to the next player: your chop is critical, keep it.",
        3,
        f"{CALM} g4 b4 w4 y3 r1 r5 b4 w4 r4 y4",
        ("hint 1 r", "discard 0"),
        "You can play red 1, and everyone knows it. But no hint token is left, and red 5 is on "
        "Cathy's chop. What do you do?",
        "If you play, Cathy discards her red 5. A discard by a player who could play is a warning.",
        tokens=1,
    ),
    Example(
        "Stalling",
        4,
        "When hardly more draws are left than plays, a hint that says little is better than a "
        "discard.",
    ),
)
