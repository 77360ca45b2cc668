"""A small sample of what `make fuzz` tries."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.inputs import Command, commands
from tests.fuzz.targets import TARGETS, check_command, parser


@pytest.mark.parametrize("name", TARGETS)
def test_no_parser_raises_a_foreign_error(name: str) -> None:
    target = TARGETS[name]
    settings(max_examples=40)(given(target.inputs)(target.check))()


NO_COMPILING = {"simulate", "compare", "sweep", "crossplay", "solve", "analyze", "winnable"}


@given(commands().filter(lambda command: command[0][0] not in NO_COMPILING))
@settings(max_examples=25)
def test_no_command_line_ends_in_a_traceback(command: Command) -> None:
    check_command(command)


def test_a_foreign_error_is_found() -> None:
    target = parser(int, st.text())
    with pytest.raises(ValueError, match="invalid literal"):
        settings(max_examples=20)(given(target.inputs)(target.check))()


@pytest.mark.parametrize(
    "command",
    [
        (["replay", "-"], "\U00010000".encode()),
        (["simulate", "random", "--rules=thesis", "--links-below=1", "--games=2"], b""),
    ],
)
def test_what_was_found_once_stays_mended(command: Command) -> None:
    check_command(command)
