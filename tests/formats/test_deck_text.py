"""Counts and sequences as text, and decks as ranks and suits."""

from __future__ import annotations

import pytest

from hanabilab.errors import FormatError
from hanabilab.formats.deck_text import ranks_and_suits, read_counts, read_sequence
from hanabilab.game.deck import Deck


def test_counts_are_separated_by_blanks_or_commas_and_suits_by_a_slash() -> None:
    assert read_counts("3 2 2 2 1") == [[3, 2, 2, 2, 1]]
    assert read_counts("2,2 2/ 1 -1") == [[2, 2, 2], [1, -1]]
    assert read_counts("") == [[]]


def test_sequences_have_suits_or_none() -> None:
    assert read_sequence("4, -2 01") == ([(4, 0), (-2, 0), (1, 0)], ["4", "-2", "01"])
    assert read_sequence("r1 y5 m12") == ([(1, 0), (5, 1), (12, 5)], ["r1", "y5", "m12"])
    assert read_sequence(" ") == ([], [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("r", "card 1, 'r', is neither a rank nor like r1"),
        ("1 r2", "card 2, 'r2': give all cards a suit or none"),
        ("r1 2", "card 2, '2': give all cards a suit or none"),
        ("r1 ?2", "card 2, '?2', has an unknown suit"),
        ("1" * 10, "is neither a rank"),
    ],
)
def test_what_is_no_sequence(text: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        read_sequence(text)
    assert message in str(error.value)


def test_what_is_no_count() -> None:
    with pytest.raises(FormatError, match="'two' is not an integer"):
        read_counts("1 two")


def test_a_deck_as_ranks_and_suits() -> None:
    deck = Deck.shuffled(players=2, seed=3)
    assert ranks_and_suits(deck) == read_sequence(str(deck))[0]
