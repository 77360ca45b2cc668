"""Read the input of a command: a file, standard input, or the argument itself."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from hanabilab.errors import FormatError, HanabiError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hanabilab.formats.game_files import GameRecord

__all__ = ["given_or_read", "read_records"]

LONGEST_INPUT = 1 << 28
"""Characters of a file that are read; some devices never end."""
PIECE = 1 << 20


def read_records(
    name: str, *, rules: str | None = None, any_deck: bool = False
) -> Iterator[GameRecord]:
    """Yield the games of a file, of standard input, or of a hanab.live link or seed."""
    from hanabilab.formats.game_files import is_game_text, read_games

    text = given_or_read(name, given=is_game_text(name))
    empty = True
    for record in read_games(text, rules=rules, any_deck=any_deck):
        empty = False
        yield record
    if empty:
        raise FormatError(f"{name}: no game found")


def given_or_read(name: str, *, given: bool) -> str:
    """Return the argument itself if `given` and not the name of a file, else the file's text."""
    with contextlib.suppress(OSError):  # a link may be longer than the name of any file
        given = given and not Path(name).is_file()
    return name if given else _read_input(name)


def _read_input(name: str) -> str:
    """Return the text of a file, without a byte order mark; `-` is standard input."""
    try:
        if name == "-":
            text = _read_text(sys.stdin)
        else:
            with Path(name).open(encoding="utf-8") as file:
                text = _read_text(file)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name}: not a text file ({error.reason} at byte {error.start})"
        ) from None
    except (OSError, ValueError) as error:
        raise HanabiError(f"{name}: {getattr(error, 'strerror', error)}") from None
    if len(text) > LONGEST_INPUT:
        raise FormatError(f"{name}: more than {LONGEST_INPUT:,} characters")
    return text.removeprefix("\ufeff")


def _read_text(stream: TextIO) -> str:
    """Read to the end, or until it is too much; in pieces, since `read` makes room in advance."""
    pieces, left = [], LONGEST_INPUT + 1
    while left > 0 and (piece := stream.read(min(left, PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return "".join(pieces)
