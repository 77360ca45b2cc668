"""Where commands find games: files, folders, links, standard input, and numbers to download."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from hanabilab.cli.output import note
from hanabilab.errors import (
    ActionError,
    FormatError,
    HanabiError,
    MissingExtraError,
    RulesError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from hanabilab.formats.game_files import GameRecord

__all__ = ["add_download_argument", "argument_or_file", "read_folder", "read_records"]

MAX_INPUT = 1 << 28
"""The largest number of characters read from a file; some devices never end."""
CHUNK = 1 << 20


def read_records(
    name: str, *, rules: str | None = None, any_deck: bool = False, server: str | None = None
) -> Iterator[GameRecord]:
    """Yield the games of a file, of standard input, or of a hanab.live link or seed.

    With a `server`, games named by their numbers are downloaded from it.
    """
    if name.endswith(".pkl"):
        yield from _hoad_records(name)
        return
    empty = True
    for record in _text_records(name, rules=rules, any_deck=any_deck, server=server):
        empty = False
        yield record
    if empty:
        raise FormatError(f"{name}: no game found")


def _text_records(
    name: str, *, rules: str | None, any_deck: bool, server: str | None
) -> Iterator[GameRecord]:
    from hanabilab.formats.game_files import is_game_text, read_games

    if server is None:
        text = argument_or_file(name, given=is_game_text(name))
        yield from read_games(text, rules=rules, any_deck=any_deck)
        return
    exports = _exports()
    text = argument_or_file(name, given=is_game_text(name) or exports.game_number(name) is not None)
    if not any(exports.game_number(line) is not None for line in text.splitlines()):
        yield from read_games(text, rules=rules, any_deck=any_deck)
        return
    for line, content in exports.replace_numbers(text, server):
        for record in read_games(content, rules=rules, any_deck=any_deck):
            yield dataclasses.replace(record, line=line)


def _exports() -> ModuleType:
    try:
        from hanabilab.live import exports
    except ModuleNotFoundError as error:
        if str(error.name).startswith("hanabilab"):
            raise
        raise MissingExtraError(str(error.name), "live", "--download") from None
    return exports


def read_folder(name: str, **how: Any) -> Iterator[GameRecord]:
    """Yield the games of a file, or of all files in a folder.

    In a folder, files that cannot be read are named and skipped.
    """
    from hanabilab.table.game import Game

    folder, files = Path(name), [name]
    inside = False
    with contextlib.suppress(OSError):  # a link may be longer than the name of any file
        if inside := folder.is_dir():
            files = sorted(str(file) for file in folder.iterdir() if file.is_file())
    if not inside:
        yield from read_records(name, **how)
        return
    empty = True
    for file in files:
        try:
            for record in read_records(file, **how):
                Game.from_record(record)
                empty = False
                yield dataclasses.replace(record, file=file)
        except (ActionError, FormatError, RulesError) as error:
            note(f"{file}: skipped: {error}")
    if empty:
        raise FormatError(f"{name}: no game found in this folder")


def add_download_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that lets games be downloaded."""
    parser.add_argument(
        "--download",
        metavar="SERVER",
        help="fetch games given by number, e.g. from hanab.live",
    )


def _hoad_records(name: str) -> Iterator[GameRecord]:
    """Yield the games of a file of the Hanabi Open Agent Dataset."""
    from hanabilab.formats.game_files import GameRecord
    from hanabilab.lab.dataset.hoad import read_hoad

    for number, game in enumerate(read_hoad(name).games(), 1):
        yield GameRecord(number, game.deck, game.to_dict()["actions"], {})


def argument_or_file(name: str, *, given: bool) -> str:
    """Return the argument itself if `given` and not a file name, otherwise the file's text."""
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
    if len(text) > MAX_INPUT:
        raise FormatError(f"{name}: more than {MAX_INPUT:,} characters")
    return text.removeprefix("\ufeff")


def _read_text(stream: TextIO) -> str:
    """Read to the end or to the limit, in chunks, since `read` allocates its argument."""
    chunks, left = [], MAX_INPUT + 1
    while left > 0 and (chunk := stream.read(min(left, CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return "".join(chunks)
