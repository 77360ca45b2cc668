"""The page of the protocol shows a real conversation and names every field; its examples play."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hanabilab import Deck, Game, play
from hanabilab.author import from_program
from hanabilab.strategies.load import load_player
from tests.conftest import Answer
from tests.test_readme import ROOT, blocks

PAGE = ROOT / "docs" / "reference" / "protocol.md"
PYTHON = [sys.executable, str(ROOT / "examples" / "plain_player.py")]
JAVASCRIPT = ["node", str(ROOT / "examples" / "plain_player.js")]
SMALL = ("hand-size=2", "ranks=2", "suits=2", "copies=2,1")


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what was said to and by the first player of a tiny game."""
    from hanabilab.cli import main

    heard, said = (tmp_path_factory.mktemp("talk") / name for name in ("heard", "said"))
    talk = f"exec:sh -c 'tee {heard} | {' '.join(PYTHON)} | tee {said}'"
    rules = [word for rule in SMALL for word in ("--set-rule", rule)]
    assert main(["play", talk, "iggi", "--players", "2", *rules, "--seed", "1"]) == 0
    answers = iter(said.read_text().splitlines())
    lines = []
    for line in heard.read_text().splitlines():
        lines.append(f"> {line}")
        if json.loads(line)["type"] in ("hello", "turn"):
            lines.append(f"< {next(answers)}")
    assert next(answers, None) is None
    return lines


def test_the_conversation_is_real(conversation: list[str]) -> None:
    (shown,) = (block for block in blocks(PAGE, "text") if block.startswith("> "))
    first, last = shown.strip().split("\n…\n")
    assert conversation[: len(first.splitlines())] == first.splitlines()
    assert conversation[-len(last.splitlines()) :] == last.splitlines()
    types = [json.loads(line[2:])["type"] for line in [*first.splitlines(), *last.splitlines()]]
    assert set(types) == {"hello", "start", "turn", "action", "event", "end"}


def keys(data: Any) -> Iterator[str]:
    """Yield the names of all fields in some data, without the letters of fireworks."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            if key != "fireworks":
                yield from keys(value)
    elif isinstance(data, list):
        for value in data:
            yield from keys(value)


def test_every_field_is_on_the_page(conversation: list[str]) -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    said = {key for line in conversation for key in keys(json.loads(line[2:]))}
    assert len(said) > 40
    assert said - named == set()


def example_game(words: list[str]) -> Game:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    return play(from_program(words), Deck.shuffled(players=3, seed=1))


def test_the_examples_play_the_same_game() -> None:
    game = example_game(PYTHON)
    assert (game.score, game.lives, game.turn) == (13, 3, 68)
    assert example_game(JAVASCRIPT) == game


def test_the_page_shows_real_figures(command: Callable[..., Answer]) -> None:
    """Those of the JavaScript program, which are those of the Python program."""
    arguments = ("--players", "3", "--games", "10", "--seed", "1")
    code, out, _ = command("simulate", f"exec:{' '.join(PYTHON)}", *arguments)
    assert code == 0
    shown = next(block for block in blocks(PAGE, "console") if "simulate" in block)
    assert out.splitlines()[2] in shown
    assert load_player("exec:node examples/plain_player.js").label in shown
