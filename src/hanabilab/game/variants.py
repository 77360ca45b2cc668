"""Suits and ranks that hints touch in special ways, and the variants of hanab.live."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from hanabilab.checks import did_you_mean
from hanabilab.core.bits import members
from hanabilab.errors import RulesError

if TYPE_CHECKING:
    from hanabilab.game.rules import Rules

__all__ = [
    "BLIND",
    "COLOURS",
    "HINT_MODES",
    "HINT_TELLING",
    "MUTE",
    "PARITY",
    "PLAIN",
    "RANK_HINT_MODES",
    "STACKS",
    "START_RANK",
    "SUDOKU",
    "SUITS",
    "SUIT_HINT_MODES",
    "TOUCH_KINDS",
    "UP_OR_DOWN",
    "USUAL",
    "Hints",
    "Suit",
    "Touch",
    "Variant",
    "all_variants",
    "find_variants",
    "hints_of",
    "mixed_kind",
    "pack_kinds",
    "suit_hints_of",
    "touch_of",
    "unpack_kinds",
    "variant_by_id",
    "variant_by_name",
]

KIND_BITS = 4
OWN, ALL, NONE, PRISM, DECEPTIVE = "own", "all", "none", "prism", "deceptive"


@dataclass(frozen=True, slots=True)
class Touch:
    """Which hints touch the cards of a suit or rank: their own, all, or none.

    A suit that all suit hints or none touch has no suit hint of its own; likewise for ranks. The
    suit hint that touches a card of a prism depends on its rank; the rank hint that touches a card
    of a deceptive rank depends on its suit.
    """

    suit_hints: str = OWN
    rank_hints: str = OWN
    colours: str = ""
    """The letters of the suit hints that touch it, if they are not its own."""


PLAIN = "plain"
TOUCH_KINDS: Mapping[str, Touch] = {
    PLAIN: Touch(),
    "rainbow": Touch(suit_hints=ALL),
    "white": Touch(suit_hints=NONE),
    "pink": Touch(rank_hints=ALL),
    "brown": Touch(rank_hints=NONE),
    "omni": Touch(ALL, ALL),
    "null": Touch(NONE, NONE),
    "muddy-rainbow": Touch(ALL, NONE),
    "light-pink": Touch(NONE, ALL),
    "prism": Touch(suit_hints=PRISM),
    "deceptive": Touch(rank_hints=DECEPTIVE),
}
"""The kinds by name; a suit's kind may end with the letters of its hints, as in `pink+i`."""

USUAL, BLIND, MUTE = "usual", "blind", "mute"
PARITY, FUNNELS, CHIMNEYS = "odds-and-evens", "funnels", "chimneys"
SYNESTHESIA = "synesthesia"
HINT_MODES: Mapping[str, str] = {
    USUAL: "touch cards",
    BLIND: "touch nothing",
    MUTE: "cannot be given",
    PARITY: "name odd or even",
    FUNNELS: "touch lower ranks too",
    CHIMNEYS: "touch higher ranks too",
    SYNESTHESIA: "touch a rank each too",
}
"""The modes of suit hints and rank hints."""
UP_OR_DOWN, SUDOKU = "up-or-down", "sudoku"
STACKS = (USUAL, UP_OR_DOWN, SUDOKU)
"""How fireworks are built: from 1, up or down from both ends or a start card, or from any rank."""
START_RANK = 7
"""The rank of start cards at hanab.live."""
HINT_TELLING = ("all", "kind", "cards")
"""What hints reveal: their value, only whether they name a suit or a rank, or only the touched
cards.
"""
SUIT_HINT_MODES = (USUAL, BLIND, MUTE, SYNESTHESIA)
RANK_HINT_MODES = (USUAL, BLIND, MUTE, PARITY, FUNNELS, CHIMNEYS)


@functools.cache
def touch_of(kind: str) -> Touch:
    """Return the meaning of a kind: `rainbow`, `pink+i`, or `+ry` for a suit of two colours."""
    name, plus, colours = kind.partition("+")
    touch = TOUCH_KINDS.get(name or PLAIN)
    if touch is None:
        raise RulesError(
            f"touching: unknown kind {kind!r:.60}; expected {', '.join(TOUCH_KINDS)}"
            f"{did_you_mean(name, TOUCH_KINDS)}"
        )
    if not plus:
        return touch
    if touch.suit_hints != OWN or not colours or len(set(colours)) < len(colours):
        raise RulesError(f"touching: {kind!r:.60} does not say which suit hints touch the suit")
    return Touch(touch.suit_hints, touch.rank_hints, colours)


def pack_kinds(kinds: Iterable[str]) -> int:
    """Return the kinds of suits or ranks, without their colours, as one integer; plain is 0."""
    numbers = [[*TOUCH_KINDS].index(kind.partition("+")[0] or PLAIN) for kind in kinds]
    return sum(number << (KIND_BITS * place) for place, number in enumerate(numbers))


def unpack_kinds(packed: int, count: int) -> list[str]:
    """Return the kinds packed into an integer."""
    names, digit = [*TOUCH_KINDS], (1 << KIND_BITS) - 1
    return [names[packed >> (KIND_BITS * place) & digit] for place in range(count)]


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
"""The colours that suit hints can name, by hanab.live's letters."""


@dataclass(frozen=True, slots=True)
class Suit:
    """A suit of hanab.live."""

    code: str
    """hanab.live's short name, used in the codes of variants."""
    name: str
    letter: str
    """The usual letter; a variant uses another if an earlier suit has the same."""
    kind: str = PLAIN
    colours: str = ""
    """The letters of the suit hints that touch it, unless its kind decides that."""
    single: bool = False
    """Whether each card has only one copy."""
    inverted: bool = False
    """Whether playing and discarding are swapped."""

    @property
    def short_name(self) -> str:
        """The name without the words that distinguish it from suits of other variants."""
        return self.name.removesuffix(" EA").removeprefix("Dark ")


def _read(text: str, kind: str = PLAIN, **properties: bool) -> list[Suit]:
    """Parse one suit per line: its code, letter and colours (or -), and its name."""
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
"""All suits by code."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints under given rules."""

    all: int
    """All hints that exist."""
    free: int
    """The hints that may be given even if they touch nothing."""
    of_card: list[int]
    """For each card, the hints that touch it."""


def hints_of(rules: Rules) -> Hints:
    """Return the hints under given rules."""
    suit_hints = 0 if rules.suit_hints == MUTE else suit_hints_of(rules)
    rank_hints = 0 if rules.rank_hints == MUTE else _rank_hints(rules)
    free = suit_hints * (rules.suit_hints == BLIND) | rank_hints * (rules.rank_hints == BLIND)
    of_card = [
        (
            _touching_suit_hints(rules, suit, rank, suit_hints) & suit_hints
            | _touching_rank_hints(rules, suit, rank, rank_hints) & rank_hints
        )
        & ~free
        for suit in range(rules.suits)
        for rank in _printed(rules, suit)
    ]
    return Hints(suit_hints | rank_hints, free, of_card)


def _printed(rules: Rules, suit: int) -> range:
    """Return the printed ranks of a suit, counted from 0, in the order in which they are played."""
    upwards = range(rules.ranks)
    return upwards[::-1] if rules.letters[suit] in rules.reversed_suits else upwards


def suit_hints_of(rules: Rules) -> int:
    """Return the suit hints that would exist if suit hints could be given."""
    if rules.colours:
        return (1 << len(rules.colours)) - 1
    kinds = map(touch_of, rules.touching)
    return sum(1 << suit for suit, kind in enumerate(kinds) if kind.suit_hints == OWN)


def _rank_hints(rules: Rules) -> int:
    """Return the rank hints that would exist if rank hints could be given."""
    if rules.rank_hints == PARITY:  # 1 stands for odd, 2 for even
        return (1 << min(rules.ranks, 2)) - 1 << rules.suits
    kinds = map(touch_of, rules.rank_touching[: rules.stack_size])  # start cards have no hint
    return sum(
        1 << (rules.suits + rank) for rank, kind in enumerate(kinds) if kind.rank_hints == OWN
    )


def _touching_suit_hints(rules: Rules, suit: int, rank: int, every: int) -> int:
    """Return the suit hints that touch a card; its suit takes precedence over its rank."""
    of_suit, of_rank = _touches(rules, suit, rank)
    if of_suit.suit_hints in (ALL, NONE):
        return every * (of_suit.suit_hints == ALL)
    named = 0
    if rules.suit_hints == SYNESTHESIA and of_suit.rank_hints != NONE:
        named = _in_turn(every, rank)
    if of_rank.suit_hints in (ALL, NONE):
        return every if of_rank.suit_hints == ALL else named
    if of_suit.suit_hints == PRISM:  # the last hint touches start cards
        return named | _in_turn(every, rank if rank < rules.stack_size else -1)
    if rules.colours:
        return named | sum(1 << rules.colours.index(colour) for colour in of_suit.colours)
    return named | 1 << suit


def _in_turn(hints: int, number: int) -> int:
    """Return the hint for a number, counting the hints cyclically."""
    places = members(hints)
    return 1 << places[number % len(places)] if places else 0


def _touching_rank_hints(rules: Rules, suit: int, rank: int, every: int) -> int:
    """Return the rank hints that touch a card."""
    for touch in _touches(rules, suit, rank):
        if touch.rank_hints in (ALL, NONE):
            return every * (touch.rank_hints == ALL)
        if touch.rank_hints == DECEPTIVE:
            return _in_turn(every, suit)
    own = 1 << (rules.suits + rank)
    if rank >= rules.stack_size:
        return 0
    if rules.rank_hints == PARITY:
        return 1 << (rules.suits + rank % 2)
    if rules.rank_hints == FUNNELS:  # a hint touches its rank and all below
        return every & -own
    if rules.rank_hints == CHIMNEYS:
        return every & (2 * own - 1)
    return own


def _touches(rules: Rules, suit: int, rank: int) -> tuple[Touch, Touch]:
    return touch_of(rules.touching[suit]), touch_of(rules.rank_touching[rank])


RANKS = 5
LONGEST_NUMBER = 6
USUAL_COPIES, SINGLE_COPIES = (3, 2, 2, 2, 1), (1, 1, 1, 1, 1)
START_COPIES = (1, 2, 2, 2, 1, 1)
"""Copies in up-or-down fireworks: ranks 1 to 5, then the start card."""
REVERSED = ":R"
RESERVED_LETTERS = "fx"
"""Letters with another meaning in hanab.live's notes."""

SPECIAL_RANKS: Mapping[str, str] = {
    "R": "rainbow",
    "P": "pink",
    "W": "white",
    "B": "brown",
    "O": "omni",
    "N": "null",
    "M": "muddy-rainbow",
    "L": "light-pink",
    "D": "deceptive",
}
"""The first letters of switches for a special rank; the rank follows."""

RULE_CHANGES: Mapping[str, Mapping[str, Any]] = {
    "CS": {"discards_per_token": 2},
    "CB": {"suit_hints": BLIND},
    "NB": {"rank_hints": BLIND},
    "TB": {"suit_hints": BLIND, "rank_hints": BLIND},
    "CM": {"suit_hints": MUTE},
    "NM": {"rank_hints": MUTE},
    "OE": {"rank_hints": PARITY},
    "Fu": {"rank_hints": FUNNELS},
    "Ch": {"rank_hints": CHIMNEYS},
    "AC": {"alternating_hints": True},
    "UD": {"stacks": UP_OR_DOWN, "ranks": RANKS + 1},
    "Su": {"stacks": SUDOKU},
    "TH": {"hidden_plays": True, "token_for_suit": False},
    "CP": {"hints_tell": "kind"},
    "Du": {"hints_tell": "cards"},
    "Sy": {"suit_hints": SYNESTHESIA, "rank_hints": MUTE},
    **{
        f"{letter}{rank}": {
            "rank_touching": tuple(kind if each == rank else PLAIN for each in range(1, RANKS + 1))
        }
        for letter, kind in SPECIAL_RANKS.items()
        for rank in (1, RANKS)
    },
}
"""The changes that each switch makes to the usual rules, apart from copies."""

COPIES_CHANGED: Mapping[str, tuple[int, int]] = {"C4": (4, 1), "S1": (1, 2)}
"""Switches that change the number of copies of a rank: the rank and its copies."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of hanab.live."""

    id: int
    name: str
    code: str
    """Its suits and switches, in hanab.live's short names."""

    @property
    def suits(self) -> list[Suit]:
        """Its suits, in hanab.live's order."""
        return [SUITS[code.removesuffix(REVERSED)] for code in self._suit_codes]

    @property
    def _suit_codes(self) -> list[str]:
        return self.code.split(",")[0].split("+")

    @property
    def suit_names(self) -> list[str]:
        """The names of its suits, as hanab.live spells them."""
        return [
            SUITS[code.removesuffix(REVERSED)].name + " Reversed" * code.endswith(REVERSED)
            for code in self._suit_codes
        ]

    @property
    def switches(self) -> list[str]:
        """The codes of its special rules."""
        return self.code.split(",")[1:]

    @property
    def letters(self) -> str:
        """The letters of its suits; a suit whose letter is taken gets the next one of its name."""
        letters = ""
        for suit in self.suits:
            others = suit.short_name.lower().replace(" ", "")
            choice = [suit.letter, *(each for each in others if each not in RESERVED_LETTERS)]
            letters += next(each for each in choice if each not in letters)
        return letters

    @property
    def colours(self) -> str:
        """The letters of the colours that suit hints can name, in hanab.live's order."""
        return "".join(dict.fromkeys("".join(suit.colours for suit in self.suits)))

    @property
    def rules(self) -> dict[str, Any]:
        """The fields in which it differs from the classic rules."""
        suits = self.suits
        changes: dict[str, Any] = {
            "suits": len(suits),
            "letters": self.letters,
            "touching": tuple(suit.kind for suit in suits),
            "copies": tuple(self._copies(suit) for suit in suits),
            "inverted_suits": self._letters_of([suit.inverted for suit in suits]),
            "reversed_suits": self._letters_of(
                [code.endswith(REVERSED) for code in self._suit_codes]
            ),
            "score_ends": True,
        }
        if any(len(suit.colours) > 1 for suit in suits) or self._share_a_colour():
            changes["colours"] = self.colours
            changes["touching"] = tuple(map(mixed_kind, suits))
        for switch in self.switches:
            changes |= RULE_CHANGES.get(switch, {})
        if "Su" in self.switches:
            changes["ranks"] = len(suits)
        return changes

    def _letters_of(self, chosen: Iterable[bool]) -> str:
        return "".join(itertools.compress(self.letters, chosen))

    def _share_a_colour(self) -> bool:
        named = "".join(suit.colours for suit in self.suits)
        return len(set(named)) < len(named)

    def _copies(self, suit: Suit) -> tuple[int, ...]:
        if "Su" in self.switches:
            return (1 if suit.single else 2,) * len(self.suits)
        if "UD" in self.switches:
            return (1,) * (RANKS + 1) if suit.single else START_COPIES
        if suit.single:
            return SINGLE_COPIES
        copies = [*USUAL_COPIES]
        for switch in self.switches:
            if switch in COPIES_CHANGED:
                rank, count = COPIES_CHANGED[switch]
                copies[rank - 1] = count
        return tuple(copies)


def mixed_kind(suit: Suit) -> str:
    """Return the kind of a suit with the hints that touch it."""
    if not suit.colours:
        return suit.kind
    return f"{'' if suit.kind == PLAIN else suit.kind}+{suit.colours}"


@functools.cache
def all_variants() -> tuple[Variant, ...]:
    """Return every variant of hanab.live; the index is its number."""
    table = (
        resources.files(__package__).joinpath("hanablive_variants.tsv").read_text(encoding="utf-8")
    )
    rows = (line.split("\t") for line in table.splitlines())
    return tuple(Variant(number, *row) for number, row in enumerate(rows))


@functools.cache
def _by_name() -> dict[str, Variant]:
    return {variant.name.lower(): variant for variant in all_variants()}


def variant_by_id(number: int) -> Variant | None:
    """Return the variant with this number, if there is one."""
    return all_variants()[number] if 0 <= number < len(all_variants()) else None


def variant_by_name(name: str) -> Variant | None:
    """Return the variant with this name, ignoring case, if there is one."""
    return _by_name().get(name.lower())


def find_variants(text: str) -> list[Variant]:
    """Return the variants whose names contain all words of a text, or the one with this number."""
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
