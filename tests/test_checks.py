"""Validation of integers and choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hanabilab import HanabiError, Rules
from hanabilab.checks import check_choice, check_integer, is_integer
from hanabilab.errors import DeckError, RulesError
from hanabilab.game.deck import choose_rules


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.int64(3)])
def test_whole_numbers_of_any_kind_become_plain_ones(value: Any) -> None:
    assert is_integer(value)
    assert type(check_integer("games", value, 1, 5)) is int


@pytest.mark.parametrize("value", [True, False, np.bool_(True), 3.0, "3", None, [3]])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(DeckError, match=r"^games: .* is not an integer$"):
        check_integer("games", value, 1, 5, error=DeckError)


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [(4, 9, "not between 4 and 9"), (4, None, "not at least 4"), (None, 2, "not at most 2")],
)
def test_numbers_out_of_range_are_refused(least: int, most: int, words: str) -> None:
    with pytest.raises(HanabiError, match=f"^games: 3 is {words}$"):
        check_integer("games", 3, least, most)


def test_a_huge_number_is_named_in_one_short_line() -> None:
    for value in (10**200, 10**10_000):
        with pytest.raises(HanabiError) as caught:
            check_integer("games", value, 1, 5)
        assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("known", "expected"),
    [(["score"], "score"), (["a", "b"], "a or b"), ({"a": 1, "b": 2, "c": 3}, "a, b or c")],
)
@pytest.mark.parametrize("value", ["fun", "", 3, None, ["a"]])
def test_unknown_words_are_refused(value: Any, known: Any, expected: str) -> None:
    with pytest.raises(DeckError) as caught:
        check_choice("objective", value, known, error=DeckError)
    assert str(caught.value) == f"unknown objective {value!r}; expected {expected}"


def test_a_known_word_is_returned() -> None:
    assert check_choice("objective", "score", ("score", "perfect")) == "score"
    with pytest.raises(HanabiError, match=r"^unknown objective 'x{50,}\.\.\.; expected score$"):
        check_choice("objective", "x" * 500, ["score"])


def test_rules_come_from_names_objects_and_rules() -> None:
    hle = Rules.from_dict("hle", 3)
    assert choose_rules("hle", 3) == choose_rules({"preset": "hle"}, 3) == hle
    assert choose_rules(hle) is hle
    assert choose_rules(hle, 2).players == 2
    assert choose_rules({"preset": "hle", "lives": 1}, 3).lives == 1
    assert choose_rules("hle", 3, {"lives": 1}) == hle.replace(lives=1)
    assert choose_rules(deck="p4v0s7").players == 4
    assert choose_rules("hle", deck="p4v0s7").preset == "hle"


@pytest.mark.parametrize(
    ("given", "players", "words"),
    [
        ("nothing", None, "nothing"),
        (7, None, "neither the name of a preset nor an object"),
        ({"preset": 7}, None, "preset: 7 is not a name"),
        ({"players": 4}, 3, "the rules are for 4, not 3"),
        ({"hints": 4}, 3, "hints"),
    ],
)
def test_bad_rules_are_refused(given: Any, players: int | None, words: str) -> None:
    with pytest.raises(RulesError, match=words):
        choose_rules(given, players)


def test_a_seed_and_the_players_must_agree() -> None:
    for given in ("classic", {"players": 2}):
        with pytest.raises(RulesError, match="is for 4 players, not 2"):
            choose_rules(given, 2, deck="p4v0s7")
