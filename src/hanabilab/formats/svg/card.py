"""One card: its face or its back, and what it may be."""

from __future__ import annotations

from hanabilab.core.bits import members
from hanabilab.formats.svg.shapes import (
    circle,
    group,
    rectangle,
    remembered,
    suit_class,
    symbol,
    text,
)

__all__ = ["HEIGHT", "WIDTH", "back", "face", "pips"]

WIDTH, FACE, STRIP = 64, 66, 36
HEIGHT = FACE + STRIP
MIDDLE = WIDTH / 2
SPLIT = 38
"""Above this line a visible card shows its rank, below its suit."""


@remembered
def face(card: int, ranks: int, letters: str, suit_told: bool, rank_told: bool) -> str:
    """Draw a visible card: its rank above, its suit below, each marked if a hint named it."""
    suit, rank = divmod(card, ranks)
    paper = rectangle(0, 0, WIDTH, HEIGHT, rx=9, class_="paper")
    number = text(MIDDLE, 30, str(rank + 1), 31, class_="ink rank", text_anchor="middle")
    under = rectangle(MIDDLE - 11, 33.5, 22, 3, rx=1.5, class_="ink") if rank_told else ""
    rank_part = group(
        rectangle(2, 2, WIDTH - 4, SPLIT - 2, rx=8, class_="zone") + number + under,
        data_rank=rank + 1,
    )
    zone = rectangle(2, SPLIT + 1, WIDTH - 4, HEIGHT - SPLIT - 3, rx=8, class_="zone")
    ring = circle(MIDDLE - 11, 52, 13, "ring") if suit_told else ""
    suit_part = group(zone + ring + _suit(suit, letters), data_suit=letters[suit])
    return paper + rank_part + suit_part


@remembered
def back(possible: int, ranks: int, letters: str) -> str:
    """Draw a hidden card, with its suit and its rank where they are certain."""
    suits = {card // ranks for card in members(possible)}
    values = {card % ranks + 1 for card in members(possible)}
    paper = rectangle(0, 0, WIDTH, HEIGHT, rx=9, class_="paper")
    number = str(*values) if len(values) == 1 else "?"
    known = "ink rank" if len(values) == 1 else "faint rank"
    top = text(MIDDLE, 30, number, 31, class_=known, text_anchor="middle")
    if len(suits) != 1:
        return paper + top
    suit = suits.pop()
    return group(paper + top + _suit(suit, letters), class_=suit_class(suit))


def _suit(suit: int, letters: str) -> str:
    name = text(MIDDLE + 13, 57, letters[suit], 16, class_="ink", text_anchor="middle")
    return symbol(suit, MIDDLE - 11, 52, 19) + name


@remembered
def pips(possible: int, ranks: int, suits: int) -> str:
    """Draw a dot for each card that this one may be: a row for each suit, ranks from the left."""
    across = min((WIDTH - 10) / ranks, 11)
    down = (STRIP - 5) / suits
    left = (WIDTH - across * ranks) / 2
    size = min(across, down) * 0.42
    rows = []
    for suit in range(suits):
        points = []
        for rank in range(ranks):
            on = possible >> (suit * ranks + rank) & 1
            x, y = left + across * (rank + 0.5), FACE + 1 + down * (suit + 0.5)
            points.append(circle(x, y, size if on else size * 0.42, "pip" if on else "no pip"))
        rows.append(group("".join(points), class_=suit_class(suit)))
    return group("".join(rows), class_="pips", aria_hidden="true")
