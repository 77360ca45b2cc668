"""Nothing in the package works on one system alone, as far as its text can tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hanabilab

PACKAGE = Path(hanabilab.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
UNIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}
"""Modules that Windows lacks; they may be imported where the system is known."""
TEXT_METHODS = {"read_text", "write_text"}


def trees(*words: str) -> Iterator[tuple[str, ast.Module]]:
    """Parse the modules whose text contains one of these words."""
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield source.relative_to(PACKAGE).as_posix(), ast.parse(text)


def test_no_module_needs_unix_to_be_imported() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in trees(*UNIX)
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in ([node.module or ""] if isinstance(node, ast.ImportFrom) else node.names)
        if (each if isinstance(each, str) else each.name).split(".")[0] in UNIX
    ]
    assert found == []


def opens_text(call: ast.Call) -> bool:
    """Return whether a call reads or writes text without saying in which encoding."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {keyword.arg for keyword in call.keywords}
    if name == "read_text":
        return "encoding" not in given and not call.args
    if name == "write_text" and isinstance(call.func, ast.Attribute):
        return "encoding" not in given and len(call.args) < 2
    if name != "open" or "encoding" in given or _owner(call) in ("os", "webbrowser", "tarfile"):
        return False
    modes = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return not any("b" in mode for mode in modes[-1:])


def _owner(call: ast.Call) -> str:
    value = call.func.value if isinstance(call.func, ast.Attribute) else None
    return value.id if isinstance(value, ast.Name) else ""


def test_text_is_read_and_written_in_one_encoding() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, tree in trees("read_text", "write_text", "open(")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and opens_text(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("path.read_text()", True),
        ("path.read_text('utf-8')", False),
        ("path.write_text(text)", True),
        ("path.write_text(text, encoding='utf-8')", False),
        ("open(name)", True),
        ("path.open('rb')", False),
        ("os.open(name, 0)", False),
    ],
)
def test_the_test_itself(text: str, wrong: bool) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert opens_text(call) is wrong
