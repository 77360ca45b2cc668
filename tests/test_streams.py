"""The command line with streams as they come: any encoding, a full disk, closed, nobody reading."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hanabilab.cli import COMMANDS
from tests.forked import Ended, run_main

PRINTING = [
    ["--help"],
    ["--version"],
    *([command, "--help"] for command in COMMANDS),
    ["rules"],
    ["rules", "--json"],
    ["strategies"],
    ["deck", "p2v0s1"],
    ["play", "random", "--players", "3", "--seed", "1"],
    ["play", "random", "--json"],
    ["count", "3", "2", "2", "2", "1", "--scores"],
    ["sequence", "1", "3", "2", "3", "--hand", "2", "--explain"],
    ["pace", "--players", "3", "--kessler"],
    ["convert", "p2v0s1", "text"],
]
"""Something that every command prints, without compiling anything."""
NAMES = [" ".join(arguments) for arguments in PRINTING]


@functools.cache
def usual(*arguments: str) -> Ended:
    """What a command does with streams as they should be."""
    return run_main(arguments)


def refused(ended: Ended) -> None:
    """One line, exit code 2."""
    assert ended.code == 2, ended
    assert ended.err.startswith("hanabilab")
    assert ended.err.count("\n") == 1


@pytest.fixture
def full_disk() -> Iterator[int]:
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def no_reader() -> Iterator[int]:
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize("arguments", PRINTING, ids=NAMES)
def test_a_reader_that_has_seen_enough_ends_everything_quietly(
    arguments: Sequence[str], no_reader: int
) -> None:
    """`| head -1` closes the pipe before all is written."""
    ended = run_main(arguments, stdout=no_reader)
    assert (ended.code, ended.err) == (0, usual(*arguments).err)


@pytest.mark.parametrize("arguments", [["rules"], ["--help"], ["play", "random", "--json"]])
def test_output_on_a_full_disk(arguments: Sequence[str], full_disk: int) -> None:
    ended = run_main(arguments, stdout=full_disk)
    refused(ended)
    assert "No space left on device" in ended.err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_output_in_an_encoding_without_our_letters(encoding: str) -> None:
    for arguments in PRINTING if encoding == "ascii" else PRINTING[-5:]:
        ended = run_main(arguments, encoding=encoding)
        assert (ended.code, ended.err) == (0, ""), arguments
        assert len(ended.out.splitlines()) == len(usual(*arguments).out.splitlines())


def test_letters_are_transliterated(tmp_path: Path) -> None:
    """Whatever is printed, and also what argparse says about a wrong argument."""
    (tmp_path / "mine.py").write_text("def first(view, legal):\n    return legal[0]\n")
    arguments = ["simulate", "mine.py:first", "--games", "3"]
    ended = run_main(arguments, encoding="ascii", folder=tmp_path)
    assert ended.code == 0, ended
    assert " +- " in ended.out
    assert "#####" in ended.out
    ended = run_main(["play", "random", "--players", "ωχ±█…"], encoding="ascii")
    refused(ended)
    assert "'omegachi+-#...'" in ended.err
    refused(run_main(["rules", "ω\udcff"], encoding="cp1252"))


def test_the_oldest_locale_of_all() -> None:
    """ASCII without any of Python's help, where surrogates would be let through."""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "hanabilab", "pace", "--help"],
        env={**os.environ, **plain},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Kessler" in done.stdout


def test_json_stays_the_same_in_every_encoding() -> None:
    """It escapes what cannot be shown instead of writing something else."""
    arguments = ["strategies", "--json"]
    expected = usual(*arguments).out
    assert not expected.isascii()
    assert json.loads(run_main(arguments, encoding="ascii").out) == json.loads(expected)


@pytest.mark.parametrize("command", ["replay", "convert", "solve", "analyze"])
def test_standard_input_that_is_closed(command: str) -> None:
    refused(run_main([command, "-"], closed=[0]))


def test_input_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hanabilab.cli.game_input.MAX_INPUT", 1 << 20)
    for command in ("replay", "solve"):
        refused(run_main([command, "/dev/zero"]))


def test_output_that_is_closed(tmp_path: Path) -> None:
    """Nothing printed ends up in a file that was opened instead."""
    for closed in ([1], [2], [0, 1, 2]):
        saved = ["convert", "p2v0s1", "text"]
        assert run_main(saved, closed=closed, folder=tmp_path).code == 0
    assert run_main(["rules", "nothing"], closed=[2]) == Ended(2, "", "")


def test_a_closed_standard_error(no_reader: int) -> None:
    assert run_main(["rules", "nothing"], stdout=no_reader).code == 2
