"""Lessons are right: the engine and the strategy confirm whatever their texts claim."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hanabilab.core.bits import members
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import view_of
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.catalogue import CATALOGUE
from hanabilab.strategies.conventions.conclusions import conclude
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.tables import chop_of
from hanabilab.strategies.seats import Seat
from hanabilab.web.lessons import Exercise, Script, exercises, first_game
from tests.web.clients import Site

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
GLOSSARY = "/static/shared/glossary.json"
NAMES = Labels.of(["you", "Bob", "Cathy"])


class Followed:
    """A script whose turns a strategy follows in every seat."""

    def __init__(self, players: int, deal: str, tokens: int = 8) -> None:
        self.script = Script(players, deal, tokens)
        self.game = self.script.game
        self.seats = [Seat.in_game(CONVENTIONS, player, 0, 0) for player in range(players)]
        for seat in self.seats:
            seat.begin(self.game.state)

    def act(self, action: str) -> Event:
        """Take a turn."""
        self.script.act(action)
        event = self.game.events[-1]
        for seat in self.seats:
            seat.observe(self.game.state, event)
        return event

    def choice(self) -> Action:
        """Return what the strategy does now."""
        return Action.from_number(
            self.seats[self.game.player].act(self.game.state), self.game.state
        )

    def memory(self, player: int) -> ConventionsMemory:
        """Return what the strategy in a seat remembers."""
        memory = self.seats[player].memory
        assert isinstance(memory, ConventionsMemory)
        return memory

    def chop(self, player: int) -> int:
        """Return the chop of a player."""
        return chop_of(view_of(self.game.state, player), self.memory(player).beliefs, player)

    def conclusion(self, player: int) -> Any:
        """Return what a player concludes from the last hint."""
        view = view_of(self.game.state, player)
        return conclude(view, self.memory(player), self.game.events[-1])

    def numbers(self, player: int, slots: list[int]) -> list[int]:
        """Return slots as the page numbers them."""
        return sorted(self.game.state.hand_count[player] - slot for slot in slots)


# --- the first game -------------------------------------------------------------------------------


def test_the_first_game_is_true() -> None:
    """Each turn is legal, what the strategy would do if it is the reader's, and as described."""
    data = first_game()
    followed = Followed(data["players"], data["deal"])
    for step in data["steps"]:
        if "do" in step:
            check_step(followed, step)
    assert followed.game.score == 6
    asked = [step for step in data["steps"] if "wrong" in step]
    assert len(asked) == 6
    assert all(step["wrong"][""] and step["right"] for step in asked)


def check_step(followed: Followed, step: Mapping[str, Any]) -> None:
    """Take the turn of a step and compare what it claims with what happened."""
    game, claims = followed.game, dict(step["claims"])
    player, before = game.player, game.state.copy()
    assert ("wrong" in step) == (player == 0), step["title"]
    chop, choice = followed.chop(player), followed.choice()
    for answer in filter(None, step.get("wrong", {})):
        followed.script.answer(answer)  # legal
    event = followed.act(step["do"])
    if player == 0 and not claims.pop("guess", False):
        assert choice == game.actions[-1], step["title"]
    assert claims, step["title"]
    for name, claimed in claims.items():
        assert fact(followed, name, event, before, chop) == claimed, (step["title"], name)


def fact(followed: Followed, name: str, event: Event, before: Any, chop: int) -> object:
    """Return what is true of a turn under the name of a claim."""
    game = followed.game
    count = before.hand_count[event.player]
    if name == "touches":
        return followed.numbers(event.target, members(event.touched))
    if name == "critical":
        hand = before.hands[event.target]
        (slot,) = members(event.touched)
        assert before.critical >> card_in(hand, slot) & 1
        return names_of_cards(game.state.rules).card(card_in(hand, slot))
    if name == "says":
        return followed.conclusion(0).text(NAMES, event, game.state.hand_count[0])
    if name in ("card", "fits", "dead", "chop"):
        return {
            "card": names_of_cards(game.state.rules).card(event.card),
            "fits": bool(event.lit),
            "dead": bool(before.dead >> event.card & 1),
            "chop": count - chop if event.slot == chop else None,
        }[name]
    return {"score": game.score, "tokens": game.hint_tokens, "lives": game.lives}[name]


# --- exercises ------------------------------------------------------------------------------------


def posed(exercise: Exercise) -> Followed:
    """Return the position of an exercise."""
    followed = Followed(exercise.players, exercise.deal, exercise.tokens)
    for action in exercise.actions:
        followed.act(action)
    return followed


@pytest.mark.parametrize("exercise", exercises(), ids=lambda each: each.name)
def test_the_answer_to_every_exercise_is_right(exercise: Exercise) -> None:
    followed = posed(exercise)
    answer = followed.script.answer(exercise.answer)
    for wrong in filter(None, exercise.wrong):
        assert followed.script.answer(wrong) != answer
    if exercise.claim == "action":
        choice = followed.choice()
        followed.act(exercise.answer)
        assert choice == followed.game.actions[-1]
    else:
        assert cards_that_are(followed, exercise) == [(answer["player"], answer["slot"])]
    assert exercise.words.endswith((".", "!"))
    assert re.search(r"\bslot 0\b|\bcolor\b|\bclue\b", exercise.question + exercise.words) is None


def cards_that_are(followed: Followed, exercise: Exercise) -> list[tuple[int, int]]:
    """Return all cards of the hand in question of which the claim is true."""
    state, claim = followed.game.state, exercise.claim
    player = int(exercise.answer.split()[1])
    if claim == "chop":
        return [(player, followed.chop(player))]
    if claim == "play":
        found = followed.conclusion(player)
        return [(player, found.slot)] if found.advice == "play" else []
    assert claim in ("playable", "critical", "dead")
    cards = getattr(state, claim)
    own = player == state.player  # the reader sees no card of that hand, but knows the hints
    possible = [
        state.possible[player][slot] if own else 1 << card_in(state.hands[player], slot)
        for slot in range(state.hand_count[player])
    ]
    return [(player, slot) for slot, each in enumerate(possible) if each & ~cards == 0]


def test_there_are_ten_exercises_with_replies() -> None:
    assert len(exercises()) == 10
    assert len({each.name for each in exercises()}) == 10
    assert all(each.wrong[""] for each in exercises())


# --- addresses ------------------------------------------------------------------------------------


def test_lessons_are_served_with_boards_that_hide_the_reader_s_cards(site: Site) -> None:
    index = site.get("/api/lessons").json()
    shown = {each["name"] for each in index["agreements"]}
    assert shown >= {each.anchor for each in EXAMPLES}
    words = " ".join(each["title"].lower().replace("'", "") for each in index["agreements"])
    assert all(name.replace("_", " ") in words for name in CATALOGUE)
    names = [("exercises", each["name"]) for each in index["exercises"][:2]]
    names += [("agreements", each["name"]) for each in index["agreements"][:2] if each["board"]]
    levels = [each["level"] for each in index["agreements"]]
    assert levels == sorted(levels)
    for kind, name in names:
        data = site.get(f"/api/lessons/{kind}/{name}").json()
        facts = data["board"]["facts"]
        own = facts["hands"][facts["viewer"]]
        assert all(card["card"] is None for card in own)
        assert all(card["card"] for card in data["after"]["facts"]["hands"][facts["viewer"]])
        assert facts["names"][facts["viewer"]] == "you"
        assert facts["actions"]
        assert data["wrong"][-1] == {"answer": None, "words": data["wrong"][-1]["words"]}
        assert data["wrong"][-1]["words"]
        before = {each.anchor: len(each.actions) - 1 for each in EXAMPLES}
        assert facts["turn"] == before.get(name, facts["turn"])
    game = site.get("/api/lessons/game/first-game").json()
    assert len(game["steps"]) == len(first_game()["steps"])
    missing = site.get("/api/lessons/agreements/nothing")
    assert (missing.status_code, missing.json()["error"]) == (400, "no such lesson: 'nothing'")


def test_the_glossary_is_the_one_in_the_documentation(site: Site) -> None:
    """The page and the document have the same words, meanings and synonyms, in the same order."""
    served = json.loads(site.get(GLOSSARY).text)
    rows = re.findall(
        r"^\| (?!word|---)(.*?) \| (.*?) \|(?: (.*?))? \|$", DOCUMENT.read_text(), re.M
    )
    entries = [*served["table"], *served["laboratory"]]
    assert rows == [(each["word"], each["meaning"], each["others"]) for each in entries]
    forms = [form for each in served["table"] for form in (each["word"], *each["forms"])]
    assert len(forms) == len(set(forms))
