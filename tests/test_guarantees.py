"""The page of promises: its links lead somewhere, and its numbers are right."""

from __future__ import annotations

import re
from math import factorial
from pathlib import Path

from hanabilab import Deck, preset
from hanabilab.core.bits import LOW_62
from hanabilab.core.random import mix, stream
from hanabilab.game.deck import STRATEGY_STREAMS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "guarantees.md").read_text(encoding="utf-8")
EXPONENT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
DECKS = factorial(50) // (factorial(3) ** 5 * factorial(2) ** 15)
STREAMS = LOW_62 + 1


def printed(number: float) -> str:
    """A number as the page writes it."""
    digits, exponent = f"{number:.1e}".split("e")
    return f"{digits} × 10{str(int(exponent)).translate(EXPONENT)}"


def pairs(games: int) -> float:
    return games * (games - 1) / 2


def test_every_test_that_it_names_is_there() -> None:
    links = re.findall(r"\]\((\.\./\.\./tests/[^)]+)\)", PAGE)
    assert len(links) > 20
    assert [link for link in links if not (ROOT / "docs" / "explanation" / link).is_file()] == []


def test_shared_decks() -> None:
    assert printed(DECKS) in PAGE
    for games in (2, 10**6, 10**9):
        assert printed(pairs(games) / DECKS) in PAGE, games


def test_overlapping_streams() -> None:
    near = 2 * 48 / STREAMS
    assert printed(near) in PAGE
    assert printed(pairs(10**6) * near) in PAGE
    assert round(pairs(10**9) * near) == 10
    assert printed((2 * 10**6 - 1) / STREAMS) in PAGE


def test_streams_are_made_as_it_says() -> None:
    for seed, game, purpose in [(0, 0, 0), (7, 3, STRATEGY_STREAMS), (LOW_62, LOW_62, 5)]:
        key = mix((mix((mix(seed) + game) % STREAMS) + purpose) % STREAMS)
        assert stream(seed, game, purpose) == key


def test_a_small_seed_is_found_by_trying() -> None:
    """Five cards of the partner single out one of a thousand seeds."""
    rules = preset("classic", 2)
    seen = Deck.shuffled(rules, seed=417)[5:10]
    found = [seed for seed in range(1000) if Deck.shuffled(rules, seed=seed)[5:10] == seen]
    assert found == [417]
