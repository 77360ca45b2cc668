"""The agreements by name and level: what players expect of each other, beyond the rules.

A player follows an agreement if its level is reached and its switch is on. Chop, focus, play hints
and the order of plays belong to every level: without them there would be nothing to agree on.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.core.kernel import kernel
from hanabilab.strategies.strategy import Memory, Option

__all__ = [
    "AGREEMENTS",
    "DELAYED",
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
    "Agreed",
    "agree",
    "options_of_agreements",
]

SAVES, GOOD_TOUCH, TRUST = 1, 2, 4
TWOS, DELAYED, SILENCE, REPAIRS = 8, 16, 32, 64
PROMPTS, FINESSES = 128, 256
WARNINGS, STALLING = 512, 1024
HIGHEST_LEVEL = 4


@dataclass(frozen=True, slots=True)
class Switch:
    """An agreement that can be switched off."""

    level: int
    opposite: str
    help: str


AGREEMENTS = {
    "saves": Switch(1, "no-saves", "a hint that touches the chop may save a critical card"),
    "good_touch": Switch(1, "any-touch", "a touched card is not dead, among three or more"),
    "trust": Switch(1, "blind-trust", "believe partners only while they keep agreements"),
    "twos": Switch(2, "no-twos", "a rank hint also saves a two of which no copy is in sight"),
    "delayed": Switch(2, "only-now", "a play hint may count on plays that all expect"),
    "silence": Switch(2, "no-silence", "a chop that nobody saved is not critical"),
    "repairs": Switch(2, "no-repairs", "stop a misplay of the next player by a hint"),
    "prompts": Switch(3, "no-prompts", "a hint one card too early calls a touched card"),
    "finesses": Switch(3, "no-finesses", "without a touched one it calls the newest card"),
    "warnings": Switch(4, "no-warnings", "without tokens, a discard instead of a play warns"),
    "stalling": Switch(4, "no-stalling", "give hints rather than discard when time is short"),
}


class Agreed(Memory):
    """The options, and the agreements that follow from them."""

    level: int
    saves: int
    good_touch: int
    trust: int
    twos: int
    delayed: int
    silence: int
    repairs: int
    prompts: int
    finesses: int
    warnings: int
    stalling: int
    agreed: int
    """The agreements in force, a bit each."""


@kernel
def agree(memory: Agreed, players: int) -> None:
    """Work out which agreements are in force.

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
    memory.agreed = agreed


def options_of_agreements() -> dict[str, Option]:
    """Return the options: the level, and a switch for each agreement."""
    level = Option(
        default=HIGHEST_LEVEL, least=1, most=HIGHEST_LEVEL, help="how many agreements to follow"
    )
    return {"level": level} | {
        name: Option(
            default=True,
            opposite=each.opposite,
            help=f"{each.help} (level {each.level})",
        )
        for name, each in AGREEMENTS.items()
    }
