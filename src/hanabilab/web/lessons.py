"""Lessons: a scripted first game, exercises, and the conventions as exercises.

The first game and its exercises are data, `static/learn/lessons.json`; the conventions come from
the catalogue of the strategy. A test plays them all and checks what their texts claim. Every
position is one that the engine reached, and is drawn like any other board.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hanabilab.errors import FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.hanablive.encoding import CardOrders
from hanabilab.game.rules import preset
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies.conventions.catalogue import CATALOGUE
from hanabilab.strategies.conventions.examples import EXAMPLES, Example
from hanabilab.table.game import Game
from hanabilab.web.boards import OPEN, BoardMessage, Viewer, board_message, update_orders, view_for
from hanabilab.web.game_requests import seat_names
from hanabilab.web.live.setup import READER
from hanabilab.web.schema import JsonObject

__all__ = ["FIRST_GAME", "Exercise", "Script", "exercises", "first_game", "lesson", "lesson_index"]

DATA = Path(__file__).parent / "static" / "learn" / "lessons.json"
RULES = "hle"
FIRST_GAME = "first-game"
QUESTION = "What do you do?"


@dataclass(frozen=True, slots=True)
class Exercise:
    """A position, a question about it, and the one right answer."""

    name: str
    title: str
    words: str
    """The explanation that follows the right answer."""
    players: int
    deal: str
    """The first cards of the deck, hand by hand, oldest first; empty if there is no position."""
    actions: tuple[str, ...] = ()
    """The turns before the question, which is asked of the player to move."""
    question: str = QUESTION
    answer: str = ""
    """An action, or the card to click: `card PLAYER SLOT`."""
    wrong: Mapping[str, str] = field(default_factory=dict)
    """What to reply to wrong answers; under an empty text, to all others."""
    tokens: int = 8
    claim: str = "action"
    """Why the answer is right, for the test: an action of the strategy, or what the card is."""
    level: int = 0
    """The level of the convention, or 0."""

    @classmethod
    def of_convention(cls, example: Example) -> Exercise:
        """Return the exercise of a convention, which asks for the action of its last turn."""
        return cls(
            example.anchor,
            example.title,
            example.words,
            example.players,
            example.deal,
            example.actions[:-1],
            example.question or QUESTION,
            example.answer,
            {"": example.wrong} if example.wrong else {},
            example.tokens,
            level=example.level,
        )


class Script:
    """A game that follows a script, and its boards for one player after another."""

    def __init__(self, players: int, deal: str, tokens: int = 8) -> None:
        rules = preset(RULES, players).replace(hint_tokens=tokens)
        self.game = game_with_deck(rules, deal)
        self.orders = CardOrders(self.game.deck)

    def act(self, action: str) -> None:
        """Take the next turn."""
        update_orders(self.orders, self.game.act(action))

    def board(self, reader: int, *, acts: bool = False, face_up: bool = False) -> BoardMessage:
        """Return the board as a player sees it, who is called “you”, or with all cards face up."""
        game = self.game
        names = seat_names(game.rules)
        names[reader] = READER
        event = game.events[-1] if game.events else None
        viewer: Viewer = OPEN if face_up else reader
        view = view_for(game.state, viewer)
        board = board_message(view, viewer, names, self.orders, event=event, acts=acts)
        board["facts"]["viewer"] = reader  # whose hand comes last
        return board

    def answer(self, text: str) -> JsonObject:
        """Return an answer as the page compares it: an action or a card."""
        if text.startswith("card "):
            player, slot = map(int, text.split()[1:])
            return {"type": "card", "player": player, "slot": slot}
        again: Game = self.game.copy()
        again.act(text)
        action: Action = again.actions[-1]
        return action.to_dict(self.game.player, self.game.rules.hint_letters)

    def replies(self, wrong: Mapping[str, str]) -> list[JsonObject]:
        """Return the replies to wrong answers; the one without an answer is for all others."""
        return [
            {"answer": self.answer(text) if text else None, "words": words}
            for text, words in wrong.items()
        ]


@functools.cache
def _data() -> Any:
    return json.loads(DATA.read_text(encoding="utf-8"))


def first_game() -> Any:
    """Return the script of the first game."""
    return _data()["game"]


@functools.cache
def exercises() -> tuple[Exercise, ...]:
    """Return the exercises that follow the first game."""
    return tuple(
        Exercise(**{**each, "actions": tuple(each["actions"])}) for each in _data()["exercises"]
    )


@functools.cache
def _conventions() -> tuple[Exercise, ...]:
    """Return all conventions by level: with their example, or in words if there is none."""
    titles = " ".join(example.title.lower().replace("'", "") for example in EXAMPLES)
    others = [
        Exercise(
            name, name.replace("_", " ").capitalize(), _sentence(each.help), 0, "", level=each.level
        )
        for name, each in CATALOGUE.items()
        if _title(name).lower() not in titles
    ]
    found = [*map(Exercise.of_convention, EXAMPLES), *others]
    return tuple(sorted(found, key=lambda each: each.level))


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


@functools.cache
def lesson_index() -> JsonObject:
    """Return the titles of all lessons."""
    return {
        "exercises": [{"name": each.name, "title": each.title} for each in exercises()],
        "agreements": [
            {
                "name": each.name,
                "title": each.title,
                "level": each.level,
                "words": each.words,
                "board": bool(each.deal),
            }
            for each in _conventions()
        ],
    }


@functools.cache
def lesson(kind: str, name: str) -> JsonObject:
    """Return a lesson with its boards: the first game, an exercise, or an agreement."""
    found: Mapping[str, tuple[Exercise, ...]] = {
        "exercises": exercises(),
        "agreements": _conventions(),
    }
    if (kind, name) == ("game", FIRST_GAME):
        return _play_script(first_game())
    for exercise in found.get(kind, ()):
        if exercise.name == name and exercise.deal:
            return _pose(exercise)
    raise FormatError(f"no such lesson: {name!r:.60}")


def _pose(exercise: Exercise) -> JsonObject:
    """Return an exercise with the board before the answer and the one after it."""
    script = Script(exercise.players, exercise.deal, exercise.tokens)
    for action in exercise.actions:
        script.act(action)
    player = script.game.player
    posed: JsonObject = {
        "name": exercise.name,
        "title": exercise.title,
        "question": exercise.question,
        "words": exercise.words,
        "board": script.board(player, acts=True),
        "answer": script.answer(exercise.answer),
        "wrong": script.replies(exercise.wrong),
    }
    if not exercise.answer.startswith("card"):
        script.act(exercise.answer)
    return {**posed, "after": script.board(player, face_up=True)}


def _play_script(data: Any) -> JsonObject:
    """Return the steps of the first game: turns of the reader are asked for, others are shown."""
    script = Script(data["players"], data["deal"])
    steps: list[JsonObject] = []
    for step in data["steps"]:
        own = "do" in step and script.game.player == 0
        shown: JsonObject = {"title": step["title"], "text": step["text"]}
        if own:
            shown["board"] = script.board(0, acts=True)
            shown["answer"] = script.answer(step["do"])
            shown["wrong"] = script.replies(step["wrong"])
        if "do" in step:
            script.act(step["do"])
        shown["after" if own else "board"] = script.board(0)
        steps.append({**shown, "right": step.get("right", "")})
    return {"name": FIRST_GAME, "steps": steps}
