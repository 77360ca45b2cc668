"""What hints touch at hanab.live, worked out once more: from the names of suits and variants.

Slow, simple, and without a line of the package: the names say what a suit or a rank is.
"""

from __future__ import annotations

import re

COLOURS = ("Red", "Yellow", "Green", "Blue", "Purple", "Teal", "Black", "Pink", "Brown", "Orange")
SHARED = {
    "Red": ("Ruby", "Tomato", "Mahogany", "Carrot"),
    "Green": ("Emerald", "Olive"),
    "Blue": ("Berry", "Navy", "Sky", "Ice", "Aqua", "Ocean"),
    "Red Yellow": ("Tangerine", "Peach", "Yam"),
    "Red Yellow Green": ("Geas",),
    "Red Yellow Green Blue": ("Beatnik",),
    "Red Yellow Green Blue Purple": ("Plum",),
    "Red Yellow Green Blue Purple Teal": ("Taupe",),
    "Red Green": ("Gold",),
    "Red Blue": ("Violet", "Magenta"),
    "Red Purple": ("Cardinal",),
    "Red Black": ("Maroon",),
    "Yellow Green": ("Lime", "Jungle"),
    "Yellow Blue": ("Jade",),
    "Yellow Black": ("Tan",),
    "Green Blue": ("Cyan",),
    "Blue Purple": ("Indigo",),
    "Blue Black": ("Cobalt",),
}


def colours_of_suit(suit: str) -> list[str]:
    """The colours that touch a suit which is neither touched by all nor by none."""
    for colours, suits in SHARED.items():
        if suit.removesuffix(" EA") in suits:
            return colours.split()
    plain = suit.removesuffix(" Reversed").removeprefix("Dark ")
    return [plain] if plain in COLOURS else []


def touched_by_colours(words: str) -> bool | None:
    """Whether all colours touch a suit or rank called like this (True), or none (False)."""
    if "Rainbow" in words or "Omni" in words:
        return True
    return False if re.search("White|Gray|Null|Light.Pink", words) else None


def touched_by_ranks(words: str) -> bool | None:
    """The same for rank hints."""
    if "Pink" in words or "Omni" in words:
        return True
    return False if re.search("Brown|Null|Muddy|Cocoa", words) else None


def clue_colours(suits: list[str]) -> list[str]:
    """What suit hints can name, in the order of the site."""
    return list(dict.fromkeys(colour for suit in suits for colour in colours_of_suit(suit)))


def touches(name: str, suits: list[str], kind: int, value: int, suit: int, rank: int) -> bool:
    """Whether a clue (2 with a colour's number, 3 with a rank) touches a card in a variant."""
    if "Totally Blind" in name or ("Color Blind", "Number Blind")[kind - 2] in name:
        return False
    special = re.match(r"(.*)-(Ones|Fives)", name)
    is_special = special is not None and rank == {"Ones": 1, "Fives": 5}[special[2]]
    of_rank = special[1] if special and is_special else ""
    judge = touched_by_colours if kind == 2 else touched_by_ranks
    for words in (suits[suit], of_rank):
        verdict = judge(words)
        if verdict is not None:
            return verdict
    if rank == 7 and "Up or Down" in name:
        if kind == 3:
            return False
        rank = len(clue_colours(suits))  # the last colour of a prism
    if kind == 3:
        if of_rank == "Deceptive":
            return [n for n in range(1, 6) if n != rank][suit % 4] == value
        if "Odds and Evens" in name:
            return rank % 2 == value % 2
        if "Funnels" in name:
            return rank <= value
        return rank >= value if "Chimneys" in name else rank == value
    colours = clue_colours(suits)
    if (
        "Synesthesia" in name
        and "Brown" not in suits[suit]
        and colours[value] == colours[(rank - 1) % len(colours)]
    ):
        return True
    if "Prism" in suits[suit]:
        return (rank - 1) % len(colours) == value
    return colours[value] in colours_of_suit(suits[suit])
