"""Whatever one throws at the command line: exit code 2 and one line, never a traceback."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab import Game
from tests.conftest import Answer

Command = Callable[..., Answer]


def good_game() -> dict[str, Any]:
    """A few turns of every kind."""
    game = Game("hle", players=2, seed=1)
    game.act(next(action for action in game.legal_actions() if action.type == "hint_rank"))
    game.act("discard 0")
    game.act(next(action for action in game.legal_actions() if action.type == "hint_suit"))
    game.act("play 1")
    return game.to_dict()


GOOD = good_game()


def refused(answer: Answer) -> None:
    code, out, err = answer
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert err.startswith("hanabilab ")
    assert len(err) < 2000


def fine_or_refused(answer: Answer) -> None:
    if answer[0] != 0:
        refused(answer)


def test_the_good_game_is_good(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(GOOD))
    assert command("replay", path)[0] == 0


BAD_FILES: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\n\t\n",
    "not text": b"\xff\xfe\x00\x80",
    "half a letter": b'{"deck": "\xc3',
    "not JSON": b"hanabi",
    "half an object": b'{"deck": "r1',
    "a list": b"[]",
    "a number": b"3",
    "null": b"null",
    "an empty object": b"{}",
    "NaN": b'{"deck": NaN, "actions": []}',
    "infinity": b'{"deck": [-Infinity], "actions": []}',
    "a huge number": b'{"deck": [' + b"9" * 5000 + b'], "actions": []}',
    "a large exponent": b'{"players": 1e999, "deck": "r1", "actions": []}',
    "deep nesting": b'{"deck": "", "actions": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a lone surrogate": b'{"rules": "\\ud800", "deck": "", "actions": []}',
    "a line break in a name": b'{"rules": {"a\\nb": 1}, "deck": "", "actions": []}',
    "other line breaks": b'{"rules": {"a\\u2028b\\u0085c\\rd": 1}, "deck": "", "actions": []}',
    "a surrogate as a rule": b'{"rules": {"\\udfff": 1}, "deck": "", "actions": []}',
    "zero bytes": b"\x00" * 10,
    "a long deck": b'{"deck": "' + b"r1 " * 100_000 + b'", "actions": []}',
    "a long card": b'{"deck": "' + b"r" * 100_000 + b'", "actions": []}',
    "a long type": json.dumps({**GOOD, "actions": [{"type": "x" * 100_000}]}).encode(),
    "a rule twice": b'{"rules": {"name": "x"}, "deck": "", "actions": []}',
    "a rule self": b'{"rules": {"self": "x"}, "deck": "", "actions": []}',
    "Windows' mark": "\ufeff{}".encode(),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(command: Command, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(BAD_FILES[name])
    refused(command("replay", path))
    refused(command("replay", path, "--json"))


def test_nesting_at_every_depth(command: Command, tmp_path: Path) -> None:
    """What can still be read must also be reported without falling over."""
    path = tmp_path / "deep.json"
    for depth in [*range(1, 1000, 77), *range(900, 1000, 3)]:
        nest = "[" * depth + "]" * depth
        for key in ("deck", "actions", "rules", "players"):
            text = json.dumps({**GOOD, key: "HERE"}).replace('"HERE"', nest)
            path.write_text(text)
            answer = command("replay", path)
            fine_or_refused(answer)
        path.write_text(json.dumps({**GOOD, "actions": ["HERE"]}).replace('"HERE"', nest))
        refused(command("replay", path))


def test_missing_files_and_folders(command: Command, tmp_path: Path) -> None:
    refused(command("replay", tmp_path / "missing.json"))
    refused(command("replay", tmp_path))
    refused(command("replay", "\0"))
    refused(command("replay", "a\nb"))
    refused(command("replay", ""))


def test_standard_input_that_is_no_text(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", broken)
    refused(command("replay", "-"))


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.integers()
    | st.floats()
    | st.sampled_from(["play", "hint_suit", "r", "r1", "classic", "", "\n", "\ud800", "٣", "r٣"])
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, the whole included."""
    found = [path]
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            found += places(value[index], (*path, index))
    return found


WITH_RULES = {**GOOD, "rules": Game("hle", players=2, lives=2).to_dict()["rules"]}
PLACES = places(WITH_RULES)


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with something else in one place."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def put_all(data: Any, changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    """Return nested data with several new values, as far as their places are there."""
    for path, new in changes:
        try:
            data = put(data, path, new)
        except (KeyError, TypeError, AttributeError, IndexError):  # the place is gone
            continue
    return data


@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=2))
@settings(max_examples=250)
def test_anything_anywhere_in_a_game(
    command: Command, tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(put_all(WITH_RULES, changes)))
    fine_or_refused(command("replay", file, "--json"))


@given(st.text(max_size=30) | st.lists(SCALARS, max_size=3).map(str))
@settings(max_examples=100)
def test_any_text_as_a_file(command: Command, tmp_path: Path, text: str) -> None:
    file = tmp_path / "game.json"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    refused(command("replay", file))


@given(st.text(max_size=20) | st.lists(st.sampled_from(["r1", "y5", "x9", ",", "w"])).map(" ".join))
@settings(max_examples=100)
def test_any_text_as_a_deck(command: Command, text: str) -> None:
    refused(command("play", "random", "--deck=" + text))
    fine_or_refused(
        command("play", "random", "--any-deck", "--set-rule=hand-size=1", "--deck=" + text)
    )


OPTIONS = st.sampled_from(["--rules", "--set-rule", "--players", "--seed", "--game", "--deck"])
WORDS = st.text(max_size=10) | st.sampled_from(
    [
        *("lives=", "=3", "lives=x", "copies=1,,2", "copies=/", "hint-tokens=-1", "lives=\n"),
        *("a\nb=1", "9" * 5000, "lives=" + "9" * 5000, "-1", "٣", "lives=٣"),
        *("self=1", "name=1", "preset=1", "players=2", "players=9"),
    ]
)


@given(OPTIONS, WORDS)
@settings(max_examples=150)
def test_any_text_as_an_option(command: Command, option: str, word: str) -> None:
    code, out, err = command("play", "random", "--json", f"{option}={word}")
    assert code in (0, 2)
    fine_or_refused((code, out, err))


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "nobody"),
        ("play", "random", "random", "random"),
        ("play", "random:x=1"),
        ("play", "random:x"),
        ("play", "a\nb"),
        ("play", "random", "--rules", "poker"),
        ("play", "random", "--players", "0"),
        ("play", "random", "--players", "7"),
        ("play", "random", "--seed", "-1"),
        ("play", "random", "--seed", str(1 << 62)),
        ("play", "random", "--game", "-1"),
        ("play", "random", "--set-rule", "lives"),
        ("play", "random", "--set-rule", "lives=0"),
        ("play", "random", "--set-rule", "copies=40"),
        ("play", "random", "--deck", "r1 r1 r1 r1"),
        ("rules", "poker"),
        ("rules", "thesis", "--players", "6"),
        ("rules", "--players", "6"),
        ("rules", "--players", "1"),
        ("count", "3", "2", "2", "2", "1", "--suits", "1000000000"),
        ("count", "1", "--suits", "20000", "--scores"),
        ("winnable", "--players", "2-99999999999"),
        ("winnable", "--save", ""),
        ("winnable", "--save", "/"),
        ("pace", "--set-rule", "ranks=62"),
    ],
)
def test_wrong_arguments(command: Command, arguments: tuple[str, ...]) -> None:
    refused(command(*arguments))
