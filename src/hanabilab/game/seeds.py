"""Seeds of hanab.live: `p3v0s17` is the deck of three players, variant 0, with the suffix 17."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from hanabilab.core.go_random import GoRandom
from hanabilab.errors import DeckError, RulesError
from hanabilab.game.rules import Rules, preset
from hanabilab.game.variants import all_variants, variant_by_id

__all__ = ["Seed", "is_seed", "shuffle_like_hanab_live"]

SEED = re.compile(r"p([0-9]+)v([0-9]+)s(.*)", re.DOTALL)
PLAYERS = range(2, 7)
POLYNOMIAL = 0xC96C_5795_D787_0F42
ALL_ONES = (1 << 64) - 1
LONGEST_NUMBER = 9
LONGEST_SEED = 10_000


def is_seed(text: object) -> bool:
    """Tell whether a text looks like a seed of hanab.live rather than like cards."""
    return isinstance(text, str) and SEED.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed, and the rules that it is for."""

    text: str
    rules: Rules

    @classmethod
    def read(cls, text: str) -> Seed:
        """Read a seed; its suffix may be any text but an empty one."""
        match = SEED.fullmatch(text)
        if match is None or not match[3] or len(text) > LONGEST_SEED:
            raise DeckError(f"seed: {text[:80]!r} is not of the form p<players>v<variant>s<text>")
        players, variant = (int(match[part][:LONGEST_NUMBER]) for part in (1, 2))
        if players not in PLAYERS or len(match[1]) > 1:
            raise DeckError(f"seed: {text[:80]}: for 2 to 6 players, not {match[1][:20]}")
        chosen = variant_by_id(variant)
        if chosen is None or len(match[2]) > LONGEST_NUMBER:
            raise RulesError(
                f"seed: {text[:80]}: unknown variant {match[2][:20]}; those of hanab.live are "
                f"numbered 0 to {len(all_variants()) - 1}"
            )
        return cls(text, preset(chosen.name, players))


def shuffle_like_hanab_live(cards: list[int], seed: str) -> None:
    """Shuffle as the site does: Go's generator, seeded with a checksum of the text."""
    try:
        number = crc64(seed.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise DeckError(f"seed: character {error.start + 1} is not text") from None
    dice = GoRandom(number - (number >> 63 << 64))
    for place in range(len(cards)):
        other = dice.below(place + 1)
        cards[place], cards[other] = cards[other], cards[place]


@functools.cache
def _remainders() -> list[int]:
    """Return what each byte does to the checksum."""
    remainders = []
    for remainder in range(256):
        for _ in range(8):
            remainder = remainder >> 1 ^ POLYNOMIAL * (remainder & 1)
        remainders.append(remainder)
    return remainders


def crc64(data: bytes) -> int:
    """Return the checksum CRC-64/XZ."""
    remainders = _remainders()
    checksum = ALL_ONES
    for byte in data:
        checksum = remainders[(checksum ^ byte) & 0xFF] ^ checksum >> 8
    return checksum ^ ALL_ONES
