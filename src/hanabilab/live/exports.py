"""Finished games of hanab.live, downloaded by their numbers."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import httpx

from hanabilab.errors import FormatError, LiveError, one_line
from hanabilab.live.messages import server_address

__all__ = ["download", "game_number", "replace_numbers"]

NUMBER = re.compile(r"(?:(?:https?://)?[\w.:-]+/(?:shared-)?replay/|#)?(\d{1,9})(?:[/?#]\S*)?")
"""A game as its number alone, or as a link to its replay."""
PAUSE = 0.5
"""Seconds between two downloads, out of courtesy."""
LONGEST = 1_000_000


def game_number(text: str) -> int | None:
    """Return the number of the game that a line names, if it is nothing but that."""
    found = NUMBER.fullmatch(text.strip())
    return int(found[1]) if found else None


def replace_numbers(text: str, server: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, and games instead of their numbers."""
    address = server_address(server)
    downloads = 0
    with httpx.Client(timeout=20, follow_redirects=False) as http:
        for line, content in enumerate(text.splitlines(), 1):
            number = game_number(content)
            if number is not None:
                time.sleep(PAUSE if downloads else 0)
                downloads += 1
                yield line, download(http, address, number)
            elif content.strip():
                yield line, content


def download(http: httpx.Client, server: str, number: int) -> str:
    """Return the JSON of a game."""
    try:
        answer = http.get(f"{server}/export/{number}")
    except httpx.HTTPError as error:
        said = one_line(str(error)) or type(error).__name__
        raise LiveError(f"{server} cannot be reached: {said}") from None
    if answer.status_code != httpx.codes.OK:
        raise FormatError(f"game {number}: {server} answered {answer.status_code}")
    if len(answer.content) > LONGEST or not answer.text.lstrip().startswith("{"):
        raise FormatError(f"game {number}: {server} sent something other than a game")
    return answer.text
