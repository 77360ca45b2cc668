"""The conventions by name and level: what players expect of each other, beyond the rules.

Names and levels are those of the H-Group, the largest group of players on hanab.live, whose levels
say in which order to learn them. A player follows a convention if its level is reached and its
switch is on. Chop, focus, play hints and the order of plays belong to every level: without them
there would be nothing to agree on.

To add a convention: a bit, an entry of `CATALOGUE`, a field of `ConventionsMemory` with its name, a
line in `activate`, and an example in `examples`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.core.kernel import kernel
from hanabilab.strategies.conventions.lines import LONGEST_PILE
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.strategy import Option

__all__ = [
    "BLUFFS",
    "BURNING",
    "CATALOGUE",
    "DELAYED",
    "DISTINCT_LEVELS",
    "DOUBLE_DISCARDS",
    "DOUBLE_FINESSES",
    "FILL_IN_HINTS",
    "FINESSES",
    "FIVE_CHOP_MOVES",
    "FIVE_STALLS",
    "FIX_HINTS",
    "FULL_TOKEN_SAVES",
    "GENTLEMANS_DISCARDS",
    "GOOD_TOUCH",
    "HIDDEN_FINESSES",
    "HIGHEST_LEVEL",
    "LAYERED_FINESSES",
    "LOCKED_HAND_SAVES",
    "ORDER_OF_ONES",
    "POSITIONAL_DISCARDS",
    "PROMPTS",
    "REVERSE_FINESSES",
    "SARCASTIC_DISCARDS",
    "SAVES",
    "SCREAM_DISCARDS",
    "SELF_FINESSES",
    "SHOUT_DISCARDS",
    "SILENCE",
    "STALL_TABLE",
    "TEMPO_CHOP_MOVES",
    "TEMPO_HINTS",
    "TRASH_CHOP_MOVES",
    "TRUST",
    "TWOS",
    "Convention",
    "activate",
    "convention_options",
]

SAVES, GOOD_TOUCH, TRUST, TWOS, DELAYED, SILENCE = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5
PROMPTS, FINESSES, BLUFFS = 1 << 6, 1 << 7, 1 << 8
FIX_HINTS, SCREAM_DISCARDS, BURNING = 1 << 9, 1 << 10, 1 << 11
REVERSE_FINESSES = 1 << 12
SARCASTIC_DISCARDS, TRASH_CHOP_MOVES, FIVE_CHOP_MOVES = 1 << 13, 1 << 14, 1 << 15
SHOUT_DISCARDS, GENTLEMANS_DISCARDS = 1 << 16, 1 << 17
FIVE_STALLS, DOUBLE_DISCARDS = 1 << 18, 1 << 19
ORDER_OF_ONES, TEMPO_HINTS, TEMPO_CHOP_MOVES = 1 << 20, 1 << 21, 1 << 22
LOCKED_HAND_SAVES, FULL_TOKEN_SAVES, FILL_IN_HINTS = 1 << 23, 1 << 24, 1 << 25
SELF_FINESSES = 1 << 26
POSITIONAL_DISCARDS, DOUBLE_FINESSES = 1 << 27, 1 << 28
HIDDEN_FINESSES, LAYERED_FINESSES = 1 << 29, 1 << 30
STALL_TABLE = 1 << 31
HIGHEST_LEVEL = 11
"""Of the H-Group's levels: those beyond it add little that can be told apart in play."""
DISTINCT_LEVELS = (11, 7, 2, 1)
"""Levels that play differently enough to be told apart by the actions of one game."""


@dataclass(frozen=True, slots=True)
class Convention:
    """A convention that can be switched off."""

    bit: int
    level: int
    """The level of the H-Group at which players learn it."""
    name: str
    """What the H-Group calls it; empty if it has no name there."""
    help: str
    default: bool = True


CATALOGUE = {
    "saves": Convention(
        SAVES, 1, "Save Clue", "a hint that touches the chop may save a critical card"
    ),
    "good_touch": Convention(
        GOOD_TOUCH, 1, "Good Touch Principle", "a touched card is not dead, among three or more"
    ),
    "trust": Convention(TRUST, 1, "", "believe partners only while they keep conventions"),
    "twos": Convention(
        TWOS, 1, "2 Save", "a rank hint also saves a two of which no copy is in sight"
    ),
    "delayed": Convention(
        DELAYED, 1, "Delayed Play Clue", "a play hint may count on plays that all expect"
    ),
    "silence": Convention(SILENCE, 1, "Save Principle", "a chop that nobody saved is not critical"),
    "prompts": Convention(PROMPTS, 1, "Prompt", "a hint one card too early calls a touched card"),
    "finesses": Convention(
        FINESSES, 1, "Finesse", "without a touched one it calls the newest card"
    ),
    "reverse_finesses": Convention(
        REVERSE_FINESSES,
        2,
        "Reverse Finesse",
        "players who act after the target can be called too",
    ),
    "self_finesses": Convention(
        SELF_FINESSES,
        2,
        "Self-Finesse",
        "a hint one card too early that calls nobody else calls the target's newest card",
        default=False,
    ),
    "double_finesses": Convention(
        DOUBLE_FINESSES,
        2,
        "Double Finesse",
        "a hint two cards too early calls for both of them",
    ),
    "five_stalls": Convention(
        FIVE_STALLS,
        2,
        "5 Stall",
        "before the first discard, touch a five rather than discard",
        default=False,
    ),
    "fix_hints": Convention(
        FIX_HINTS, 3, "Fix Clue", "stop a misplay of the next player by a hint"
    ),
    "sarcastic_discards": Convention(
        SARCASTIC_DISCARDS, 3, "Sarcastic Discard", "a known copy thrown away tells who holds it"
    ),
    "order_of_ones": Convention(
        ORDER_OF_ONES,
        3,
        "Playing Multiple 1's",
        "ones are played from the oldest to the newest, those drawn later first",
        default=False,
    ),
    "trash_chop_moves": Convention(
        TRASH_CHOP_MOVES, 4, "Trash Chop Move", "touching only dead cards saves all older ones"
    ),
    "five_chop_moves": Convention(
        FIVE_CHOP_MOVES, 4, "5's Chop Move", "touching a five next to the chop saves the chop"
    ),
    "hidden_finesses": Convention(
        HIDDEN_FINESSES,
        5,
        "Hidden Finesse",
        "a prompted card that fits but is another one lets the call go on",
        default=False,
    ),
    "layered_finesses": Convention(
        LAYERED_FINESSES,
        5,
        "Layered Finesse",
        "a called player goes on playing unseen until the missing card comes",
        default=False,
    ),
    "tempo_hints": Convention(
        TEMPO_HINTS, 6, "Tempo Clue", "a hint that touches no new card says that one can be played"
    ),
    "tempo_chop_moves": Convention(
        TEMPO_CHOP_MOVES,
        6,
        "Tempo Clue Chop Move",
        "a tempo hint for a single card that a prompt would find also saves the chop",
    ),
    "scream_discards": Convention(
        SCREAM_DISCARDS,
        7,
        "Scream Discard Chop Move",
        "without tokens, a discard instead of a play warns",
    ),
    "shout_discards": Convention(
        SHOUT_DISCARDS,
        7,
        "Shout Discard Chop Move",
        "a dead card instead of a play also warns",
    ),
    "burning": Convention(
        BURNING, 8, "Burning", "give hints rather than discard when time is short"
    ),
    "locked_hand_saves": Convention(
        LOCKED_HAND_SAVES,
        9,
        "Locked Hand Save",
        "a player without a chop may save any card on a chop",
    ),
    "full_token_saves": Convention(
        FULL_TOKEN_SAVES,
        9,
        "8 Clue Save",
        "with all tokens there, a player may save any card but the newest",
        default=False,
    ),
    "fill_in_hints": Convention(
        FILL_IN_HINTS,
        9,
        "Fill-In Clue",
        "a player who cannot discard may touch no new card, and says no more than the words",
        default=False,
    ),
    "stall_table": Convention(
        STALL_TABLE,
        9,
        "Stall Table",
        "a hint is no stall if its giver had one that comes before it",
        default=False,
    ),
    "positional_discards": Convention(
        POSITIONAL_DISCARDS,
        8,
        "Positional Discard",
        "near the end, an unexpected discard names the slot that another player can play",
    ),
    "double_discards": Convention(
        DOUBLE_DISCARDS,
        9,
        "Double Discard Avoidance",
        "no discard if the chop may be the last copy of the card just discarded",
        default=False,
    ),
    "gentlemans_discards": Convention(
        GENTLEMANS_DISCARDS,
        10,
        "Gentleman's Discard",
        "a playable card thrown away calls a copy in another hand",
        default=False,
    ),
    "bluffs": Convention(
        BLUFFS, 11, "Bluff", "the player after the giver answers with any card that fits"
    ),
}


@kernel
def activate(memory: ConventionsMemory, players: int) -> None:
    """Work out which conventions are in force.

    Two players touch only useful cards as well, but conclude nothing from it: a partner who must
    give a hint has no other hand to choose from.
    """
    level = memory.level
    agreed = memory.saves * SAVES | memory.trust * TRUST | memory.twos * TWOS
    agreed |= memory.delayed * DELAYED | memory.silence * SILENCE
    agreed |= memory.prompts * PROMPTS | memory.finesses * FINESSES
    if players > 2:
        agreed |= memory.good_touch * GOOD_TOUCH
    if level >= 2:
        agreed |= memory.reverse_finesses * REVERSE_FINESSES
        agreed |= memory.self_finesses * SELF_FINESSES
        agreed |= memory.double_finesses * DOUBLE_FINESSES
        agreed |= memory.five_stalls * FIVE_STALLS
    if level >= 3:
        agreed |= memory.fix_hints * FIX_HINTS | memory.sarcastic_discards * SARCASTIC_DISCARDS
        agreed |= memory.order_of_ones * ORDER_OF_ONES
    if level >= 4:
        agreed |= memory.trash_chop_moves * TRASH_CHOP_MOVES
        agreed |= memory.five_chop_moves * FIVE_CHOP_MOVES
    if level >= 5:
        agreed |= memory.hidden_finesses * HIDDEN_FINESSES
        agreed |= memory.layered_finesses * LAYERED_FINESSES
    if level >= 6:
        agreed |= memory.tempo_hints * TEMPO_HINTS
        agreed |= memory.tempo_chop_moves * TEMPO_CHOP_MOVES
    if level >= 7:
        agreed |= memory.scream_discards * SCREAM_DISCARDS
        agreed |= memory.shout_discards * SHOUT_DISCARDS
    if level >= 8:
        agreed |= memory.burning * BURNING
        agreed |= memory.positional_discards * POSITIONAL_DISCARDS
    if level >= 9:
        agreed |= memory.double_discards * DOUBLE_DISCARDS
        agreed |= memory.locked_hand_saves * LOCKED_HAND_SAVES
        agreed |= memory.full_token_saves * FULL_TOKEN_SAVES
        agreed |= memory.fill_in_hints * FILL_IN_HINTS | memory.stall_table * STALL_TABLE
    if level >= 10:
        agreed |= memory.gentlemans_discards * GENTLEMANS_DISCARDS
    if level >= 11:
        agreed |= memory.bluffs * BLUFFS
    memory.beliefs.active = agreed


END_LINES = Option(
    default=3,
    least=-1,
    most=LONGEST_PILE,
    help="think ahead with at most this many cards to draw, two more with two players; -1: never",
)


def convention_options() -> dict[str, Option]:
    """Return the options: the level, and a switch for each convention."""
    level = Option(
        default=HIGHEST_LEVEL,
        least=1,
        most=HIGHEST_LEVEL,
        help="level of the H-Group up to which conventions are followed",
    )
    switches = {
        name: Option(default=each.default, help=f"{each.help} (level {each.level})")
        for name, each in CATALOGUE.items()
    }
    return {"level": level, **switches, "end_lines": END_LINES}
