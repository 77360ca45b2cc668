"""What the fields of rules may be: each check returns the value to keep, or raises."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.checks import is_whole, one_of, whole_number
from hanabilab.errors import RulesError
from hanabilab.game.names import MOST_LETTERS, letters_of
from hanabilab.game.variants.kinds import HINTING, OWN, PRISM, touch_of

__all__ = [
    "MAX_COPIES",
    "MOST_COLOURS",
    "Copies",
    "check_colours",
    "check_copies",
    "check_hinting",
    "check_letters",
    "check_rank_touching",
    "check_touching",
]

MAX_COPIES = 31  # counts of copies are five bit planes
MOST_COLOURS = 7  # a state packs those of eight suits into one number

Copies = tuple[tuple[int, ...], ...]


def check_copies(copies: object, ranks: int, suits: int) -> Copies:
    """Return the copies of each card, a row for each suit, or raise."""
    if not isinstance(copies, Sequence) or isinstance(copies, str) or not copies:
        raise RulesError(f"copies: {copies!r:.80} is not a list of counts")
    rows = [copies] if is_whole(copies[0]) else list(copies)
    if len(rows) == 1:
        rows *= suits
    if len(rows) != suits:
        raise RulesError(f"copies: {len(rows)} rows of counts for {suits} suits")
    for suit, row in enumerate(rows):
        if not isinstance(row, Sequence) or isinstance(row, str):
            raise RulesError(f"copies: row {suit + 1}, {row!r:.80}, is not a list of counts")
        if len(row) != ranks:
            raise RulesError(f"copies: row {suit + 1} has {len(row)} counts for {ranks} ranks")
    return tuple(
        tuple(whole_number("copies", count, 0, MAX_COPIES, error=RulesError) for count in row)
        for row in rows
    )


def check_touching(touching: object, suits: int, colours: str) -> tuple[str, ...]:
    """Return the kind of each suit, or raise; where suits share hints, each says by which."""
    kinds = _one_each("touching", touching, suits, "suits")
    for kind in kinds:
        touch = touch_of(kind)
        unknown = set(touch.colours) - set(colours)
        if unknown or (colours and touch.suit_hints == OWN and not touch.colours):
            raise RulesError(
                f"touching: {kind!r:.60} names no hints of colours={colours or 'none'}; "
                "expected their letters after a +"
            )
    return kinds


def check_rank_touching(touching: object, ranks: int) -> tuple[str, ...]:
    """Return the kind of each rank, or raise."""
    kinds = _one_each("rank_touching", touching, ranks, "ranks")
    for kind in kinds:
        if touch_of(kind).colours or touch_of(kind).suit_hints == PRISM:
            raise RulesError(f"rank_touching: {kind!r:.60} is a kind of suits, not of ranks")
    return kinds


def _one_each(name: str, given: object, count: int, what: str) -> tuple[str, ...]:
    kinds = [given] if isinstance(given, str) else given
    if not isinstance(kinds, Sequence) or len(kinds) not in (1, count):
        raise RulesError(f"{name}: {given!r:.60} is not a kind for each of {count} {what}")
    for kind in kinds:
        if not isinstance(kind, str):
            raise RulesError(f"{name}: {kind!r:.60} is not the name of a kind")
    return tuple(kinds) * (count if len(kinds) == 1 else 1)


def check_hinting(name: str, given: object) -> str:
    """Return what hints of one sort do, or raise."""
    return one_of(name.replace("_", " "), given, HINTING, error=RulesError)


def check_colours(colours: object, suits: int) -> str:
    """Return the letters of suit hints that suits share, or raise."""
    if colours == "":
        return ""
    most = min(suits, MOST_COLOURS)
    if not isinstance(colours, str) or not colours.isascii() or not colours.isalpha():
        raise RulesError(f"colours: {colours!r:.60} is not a string of ASCII letters")
    if len(set(colours)) != len(colours) or len(colours) > most or suits > MOST_LETTERS:
        raise RulesError(f"colours: {colours:.60} is not at most {most} different letters")
    return colours


def check_letters(letters: object, suits: int) -> str:
    """Return the letters of the suits, or raise."""
    usual = letters_of(suits)
    if letters in ("", usual):
        return usual
    if not isinstance(letters, str) or not letters.isascii() or not letters.isalpha():
        raise RulesError(f"letters: {letters!r:.80} is not a string of ASCII letters")
    if len(letters) != suits or len(set(letters)) != suits or suits > MOST_LETTERS:
        raise RulesError(
            f"letters: {letters:.80} is not {suits} different letters (at most {MOST_LETTERS})"
        )
    return letters
