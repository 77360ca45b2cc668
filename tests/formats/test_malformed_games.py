"""Whatever a reader of games is given, it returns a game or raises a HanabiError."""

from __future__ import annotations

import contextlib
import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hanabilab as hl
from hanabilab.cli import games
from hanabilab.errors import HanabiError
from hanabilab.formats.game_files import read_games
from tests.formats.live_games import EXAMPLE, RICH, as_text, example
from tests.test_malformed import VALUES, places, put_all


def try_to_read(text: str) -> None:
    try:
        for record in read_games(text):
            game = hl.Game.from_record(record)
            game.to_dict()
    except HanabiError:
        pass


TEXTS = [as_text(example(), form) for form in ("json", "hanablive", "link", "text")]
TEXTS += ["p2v0s1", EXAMPLE, json.dumps(RICH)]


NASTY = [
    "\x00",
    "\ud800",
    "٣",
    "NaN",
    "1e999",
    "9" * 5000,
    "[" * 3000,
    '{"',
    "-",
    ",",
    " ",
    "\n",
    "é",
]


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=200)
def test_changed_texts(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        new = data.draw(st.sampled_from(NASTY) | st.text(max_size=3) | st.just(text[start:][:5]))
        text = text[:start] + new + text[end:]
    try_to_read(text)
    try_to_read(text[: data.draw(st.integers(0, len(text)))])


@given(st.text() | st.text("0123456789abcxyzABC,-psv \n") | st.binary().map(str))
@settings(max_examples=200)
def test_any_text(text: str) -> None:
    for start in ("", "replay-json/", "p2v0s", "rules ", "players 2\ndeck ", "215"):
        try_to_read(start + text)


RICH_PLACES = places({**RICH, "deck": RICH["deck"][:3]})


@given(st.lists(st.tuples(st.sampled_from(RICH_PLACES), VALUES), min_size=1, max_size=2))
@settings(max_examples=120)
def test_anything_anywhere_in_an_object(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    data = put_all(RICH, changes)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(data))
    converted = convert_quietly(file, capsys)
    if converted:
        file.write_text(converted)
        assert convert_quietly(file, capsys) == converted
    file.write_text(json.dumps({**example().to_dict(), "hanablive": data}))
    convert_quietly(file, capsys)


def convert_quietly(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `convert` prints, or nothing if it refuses."""
    capsys.readouterr()
    with contextlib.suppress(HanabiError):
        games.run_convert(Namespace(input=str(file), format="hanablive", any_deck=False))
    return capsys.readouterr().out
