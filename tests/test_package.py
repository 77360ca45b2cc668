"""What `import hanabilab as hl` offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hanabilab as hl


@pytest.mark.parametrize("name", hl.__all__)
def test_every_exported_name_can_be_fetched(name: str) -> None:
    assert getattr(hl, name) is not None
    assert name in dir(hl)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hl.nonsense  # noqa: B018


def test_the_example_of_the_package() -> None:
    game = hl.Game(players=3, seed=1)
    assert repr(game.legal_actions()[0]) == "Action(type='play', slot=0, target=0, value=0)"


def test_the_newest_release_is_this_version() -> None:
    """The version stands in one place; the changelog says what is new in it."""
    text = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d[^\]]*)\]", text, re.MULTILINE)
    assert released == [hl.__version__, "0.1.0"]
