"""Pages, docstrings and messages have no common misspelling and no word twice in a row."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MISSPELLINGS = frozenset((ROOT / "tests" / "misspellings.txt").read_text("utf-8").split())
"""Frequent typos."""
CODE = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|https?://\S+", re.DOTALL)
WORD = re.compile(r"[A-Za-z]+")
TWICE = re.compile(r"\b(the|a|an|of|to|in|and|is|it|for|be|are|with|on|as|by|from)\s+\1\b")


def prose(path: Path) -> Iterator[str]:
    """Yield the prose of a page, or the docstrings, comments and messages of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield CODE.sub(" code ", text)
    else:
        yield from re.findall(r'"""(.*?)"""', text, re.DOTALL)
        yield from re.findall(r"(?:#|//) (.*)", text)
        yield from re.findall(r'"([^"\n]* [^"\n]*)"', text)


def mistakes(text: str) -> list[str]:
    """Return what is misspelt, and words that are written twice."""
    wrong = [word for word in WORD.findall(text) if word.lower() in MISSPELLINGS]
    return [*wrong, *TWICE.findall(text)]


FILES = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "*.md", "src/*.py", "src/*.js", "examples/*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
]


@pytest.mark.skipif(not FILES, reason="not a git repository")
def test_nothing_is_misspelt() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {word}"
        for path in FILES
        for text in prose(path)
        for word in mistakes(text)
    }
    assert found == set()
    assert len(FILES) > 300


def test_misspellings_are_found() -> None:
    assert mistakes("It doesn't matter that a state is seperate from the the view.") == [
        "seperate",
        "the",
    ]
    assert mistakes("a state that is separate from the view") == []
