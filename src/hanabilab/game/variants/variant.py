"""The variants of hanab.live, from their codes: suits, then switches, as `R+G+B+Ra,CS`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from hanabilab.checks import did_you_mean
from hanabilab.errors import RulesError
from hanabilab.game.variants.kinds import BLIND, MUTE, PLAIN
from hanabilab.game.variants.suits import SUITS, Suit

__all__ = ["Variant", "all_variants", "find_variants", "variant_by_id", "variant_by_name"]

RANKS = 5
LONGEST_NUMBER = 6
USUAL_COPIES, SINGLE_COPIES = (3, 2, 2, 2, 1), (1, 1, 1, 1, 1)
REVERSED = ":R"
RESERVED_LETTERS = "fx"
"""Letters that mean something else in the notes of the site."""

SPECIAL_RANKS: Mapping[str, str] = {
    "R": "rainbow",
    "P": "pink",
    "W": "white",
    "B": "brown",
    "O": "omni",
    "N": "null",
    "M": "muddy-rainbow",
    "L": "light-pink",
}
"""The first letters of the switches for a special rank; the rank follows."""

SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "CS": {"discards_per_token": 2},
    "CB": {"suit_hints": BLIND},
    "NB": {"rank_hints": BLIND},
    "TB": {"suit_hints": BLIND, "rank_hints": BLIND},
    "CM": {"suit_hints": MUTE},
    "NM": {"rank_hints": MUTE},
    **{
        f"{letter}{rank}": {
            "rank_touching": tuple(kind if each == rank else PLAIN for each in range(1, RANKS + 1))
        }
        for letter, kind in SPECIAL_RANKS.items()
        for rank in (1, RANKS)
    },
}
"""What each switch changes from the usual rules, besides the copies of cards."""

COPIES_CHANGED: Mapping[str, tuple[int, int]] = {"C4": (4, 1), "S1": (1, 2)}
"""Switches that change how many copies a rank has: the rank, and its copies."""

LACKED: Mapping[str, str] = {
    "AC": "alternating clues",
    "Ch": "chimneys",
    "CP": "cow and pig",
    "D1": "deceptive ranks",
    "D5": "deceptive ranks",
    "Du": "duck",
    "Fu": "funnels",
    "OE": "odds and evens",
    "Su": "sudoku",
    "Sy": "synesthesia",
    "TH": "throw it in a hole",
    "UD": "up or down",
}
"""The switches that we do not have, in words."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of hanab.live."""

    id: int
    name: str
    code: str
    """Its suits and switches, in the short names of the site."""

    @property
    def suits(self) -> list[Suit]:
        """Its suits, in the order of the site."""
        return [SUITS[code.removesuffix(REVERSED)] for code in self._suit_codes]

    @property
    def _suit_codes(self) -> list[str]:
        return self.code.split(",")[0].split("+")

    @property
    def suit_names(self) -> list[str]:
        """The names of its suits, as the site has them."""
        return [
            SUITS[code.removesuffix(REVERSED)].name + " Reversed" * code.endswith(REVERSED)
            for code in self._suit_codes
        ]

    @property
    def switches(self) -> list[str]:
        """The codes of its extra rules."""
        return self.code.split(",")[1:]

    @property
    def missing(self) -> str | None:
        """The rules that it needs and we lack, or None if it can be played."""
        lacked = [LACKED[switch] for switch in self.switches if switch in LACKED]
        if any(code.endswith(REVERSED) for code in self._suit_codes):
            lacked.append("reversed suits")
        if any(suit.inverted for suit in self.suits):
            lacked.append("inverted suits")
        return ", ".join(lacked) or None

    @property
    def supported(self) -> bool:
        """Whether it can be played."""
        return self.missing is None

    def check(self) -> None:
        """Raise if it cannot be played."""
        if self.missing:
            raise RulesError(
                f"variant {self.name!r} of hanab.live is not supported: it needs {self.missing}"
            )

    @property
    def letters(self) -> str:
        """The letters of its suits; the first of its name that is free if its own is taken."""
        letters = ""
        for suit in self.suits:
            others = suit.short_name.lower().replace(" ", "")
            choice = [suit.letter, *(each for each in others if each not in RESERVED_LETTERS)]
            letters += next(each for each in choice if each not in letters)
        return letters

    @property
    def colours(self) -> str:
        """The letters of what suit hints can name, in the order of the site."""
        return "".join(dict.fromkeys("".join(suit.colours for suit in self.suits)))

    @property
    def rules(self) -> dict[str, Any]:
        """What it changes from the classic rules; an error says what we lack for it."""
        self.check()
        suits = self.suits
        changes: dict[str, Any] = {
            "suits": len(suits),
            "letters": self.letters,
            "touching": tuple(suit.kind for suit in suits),
            "copies": tuple(self._copies(suit) for suit in suits),
        }
        if any(len(suit.colours) > 1 for suit in suits) or self._share_a_colour():
            changes["colours"] = self.colours
            changes["touching"] = tuple(map(_mixed_kind, suits))
        for switch in self.switches:
            changes |= SWITCHES.get(switch, {})
        return changes

    def _share_a_colour(self) -> bool:
        named = "".join(suit.colours for suit in self.suits)
        return len(set(named)) < len(named)

    def _copies(self, suit: Suit) -> tuple[int, ...]:
        if suit.single:
            return SINGLE_COPIES
        copies = [*USUAL_COPIES]
        for switch in self.switches:
            if switch in COPIES_CHANGED:
                rank, count = COPIES_CHANGED[switch]
                copies[rank - 1] = count
        return tuple(copies)


def _mixed_kind(suit: Suit) -> str:
    """Return the kind of a suit together with the hints that touch it."""
    if not suit.colours:
        return suit.kind
    return f"{'' if suit.kind == PLAIN else suit.kind}+{suit.colours}"


@functools.cache
def all_variants() -> tuple[Variant, ...]:
    """Return every variant of hanab.live; its number is its place."""
    table = resources.files(__package__).joinpath("hanablive.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    return tuple(Variant(number, *row) for number, row in enumerate(rows))


@functools.cache
def _by_name() -> dict[str, Variant]:
    return {variant.name.lower(): variant for variant in all_variants()}


def variant_by_id(number: int) -> Variant | None:
    """Return the variant with this number, if there is one."""
    return all_variants()[number] if 0 <= number < len(all_variants()) else None


def variant_by_name(name: str) -> Variant | None:
    """Return the variant with this name, in capitals or not, if there is one."""
    return _by_name().get(name.lower())


def find_variants(text: str) -> list[Variant]:
    """Return the variants whose names contain all words of a text, or the one of a number."""
    words = text.lower().split()
    found = [variant for name, variant in _by_name().items() if all(word in name for word in words)]
    if len(words) == 1 and words[0].isdecimal() and len(words[0]) < LONGEST_NUMBER:
        numbered = variant_by_id(int(words[0]))
        found = found if numbered is None else [numbered]
    if not found:
        names = [variant.name for variant in all_variants()]
        parts = {name.partition(" (")[0]: None for name in names}
        meant = did_you_mean(text, [*names, *parts])
        raise RulesError(f"no variant of hanab.live is called {text!r:.82}{meant}")
    return found
