"""How players, slots and cards are called: for tools, and for people at a table."""

from __future__ import annotations

from hanabilab import Game, Rules
from hanabilab.formats.deck_text import read_deck
from hanabilab.formats.describe import NUMBERED, Labels, describe_event, join_words
from hanabilab.game.rules_record import rules_record

DEALT = ["r1", "r2", "y1", "g1", "w1", "b1", "b2", "g5", "g3", "g4", "w2", "w3", "w4", "y5", "r5"]
REST = [f"{suit}{rank}" for suit in "rygbw" for rank in (1, 1, 1, 2, 2, 3, 3, 4, 4, 5)]
for each in DEALT:
    REST.remove(each)
DECK = DEALT + REST
RULES = rules_record(Rules.classic(3))
PEOPLE = Labels.of(["you", "Bob", "Cathy"])


def test_events_with_and_without_names() -> None:
    game = Game(deck=read_deck(" ".join(DECK), Rules.classic(3)))
    first = game.act("play 0")
    assert describe_event(first, RULES) == "player 0 plays slot 0: r1 lights"
    assert describe_event(first, RULES, labels=PEOPLE, count=5) == "you play slot 5: red 1 lights"
    hint = game.act("hint 2 w")
    assert describe_event(hint, RULES) == "player 1 tells player 2: suit w (slots 0 1 2)"
    assert (
        describe_event(hint, RULES, labels=PEOPLE, count=5)
        == "Bob tells Cathy: white (slots 3, 4 and 5)"
    )
    gone = game.act("discard 4")
    assert describe_event(gone, RULES) == "player 2 discards slot 4: r5, a hint token comes back"
    said = describe_event(gone, RULES, labels=PEOPLE, count=5)
    assert said == "Cathy discards slot 1: red 5, a hint token comes back"
    rank = game.act("hint 1 4")
    assert describe_event(rank, RULES, labels=PEOPLE, count=5) == "you tell Bob: rank 4 (slot 1)"


def test_labels() -> None:
    assert PEOPLE.does(1, "pass") == "Bob passes"
    assert PEOPLE.does(0, "pass") == "you pass"
    assert NUMBERED.does(1, "pass") == "player 1 passes"
    assert PEOPLE.slots([], 5) == NUMBERED.slots([], 5) == "no card"
    assert PEOPLE.slots([0], 4) == "slot 4"
    assert NUMBERED.slots([0, 2], 4) == "slots 0 2"
    assert join_words(["a"]) == "a"
    assert join_words(["a", "b", "c"]) == "a, b and c"
