"""The suits of hanab.live: their letters, which hints touch them, how many copies they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hanabilab.game.variants.kinds import PLAIN

__all__ = ["COLOURS", "SUITS", "Suit"]

COLOURS: Mapping[str, str] = {
    "r": "Red",
    "y": "Yellow",
    "g": "Green",
    "b": "Blue",
    "p": "Purple",
    "t": "Teal",
    "k": "Black",
    "i": "Pink",
    "n": "Brown",
    "o": "Orange",
}
"""What suit hints can name, by the letters of the site."""


@dataclass(frozen=True, slots=True)
class Suit:
    """A suit as the site has it."""

    code: str
    """The site's short name, of which it makes the codes of variants."""
    name: str
    letter: str
    """The usual one; another is used where a suit before it has the same."""
    kind: str = PLAIN
    colours: str = ""
    """The letters of the suit hints that touch it, unless its kind says so."""
    single: bool = False
    """Whether there is only one copy of each card."""
    inverted: bool = False
    """Whether playing and discarding are exchanged."""

    @property
    def short_name(self) -> str:
        """The name without the words that tell it from suits of other variants."""
        return self.name.removesuffix(" EA").removeprefix("Dark ")


def _read(text: str, kind: str = PLAIN, **properties: bool) -> list[Suit]:
    """Read a suit from each line: its code, letter and colours (or -), and its name."""
    suits = []
    for line in text.strip().split("\n"):
        code, letter, colours, name = line.split(maxsplit=3)
        suits.append(Suit(code, name, letter, kind, colours.strip("-"), **properties))
    return suits


PLAIN_SUITS = """
R r r Red
Y y y Yellow
G g g Green
B b b Blue
P p p Purple
T t t Teal
AR1 t r Tomato
AR2 m r Mahogany
AR3 c r Carrot
AG1 e g Emerald
AG2 o g Olive
AB1 b b Berry
AB2 n b Navy
AB3 s b Sky
EB1 i b Ice EA
EB2 a b Aqua EA
EB3 s b Sky EA
EB4 b b Berry EA
EB5 n b Navy EA
EB6 o b Ocean EA
R2 r r Ruby
DRY t ry Tangerine
DRY2 p ry Peach
DRY3 y ry Yam
DRYG g ryg Geas
DRYGB b rygb Beatnik
DRYGBP p rygbp Plum
DRYGBPT t rygbpt Taupe
DRG g rg Gold
DRB v rb Violet
DRB2 m rb Magenta
DRP c rp Cardinal
DRK m rk Maroon
DYG l yg Lime
DYG2 j yg Jungle
DYB j yb Jade
DYK t yk Tan
DGB c gb Cyan
DBP i bp Indigo
DBK c bk Cobalt
"""

SUITS: Mapping[str, Suit] = {
    suit.code: suit
    for suit in (
        *_read(PLAIN_SUITS),
        *_read("Bk k k Black", single=True),
        *_read("Ra m - Rainbow", "rainbow"),
        *_read("Ra1 m - Dark Rainbow", "rainbow", single=True),
        *_read("Pi i i Pink", "pink"),
        *_read("Pi1 i i Dark Pink", "pink", single=True),
        *_read("Wh w - White", "white"),
        *_read("Wh1 a - Gray", "white", single=True),
        *_read("Br n n Brown", "brown"),
        *_read("Br1 n n Dark Brown", "brown", single=True),
        *_read("Om o - Omni", "omni"),
        *_read("Om1 o - Dark Omni", "omni", single=True),
        *_read("Nu u - Null", "null"),
        *_read("Nu1 u - Dark Null", "null", single=True),
        *_read("BrRa m - Muddy Rainbow", "muddy-rainbow"),
        *_read("BrRa1 m - Cocoa Rainbow", "muddy-rainbow", single=True),
        *_read("WhPi i - Light Pink", "light-pink"),
        *_read("WhPi1 i - Gray Pink", "light-pink", single=True),
        *_read("Pr i - Prism", "prism"),
        *_read("Pr1 i - Dark Prism", "prism", single=True),
        *_read("Or o o Orange", inverted=True),
        *_read("Or1 o o Dark Orange", single=True, inverted=True),
    )
}
"""All suits by their codes."""
