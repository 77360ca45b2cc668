"""The stored answers of the page of the experiments: what the questions ask, and reproducible."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from hanabilab import Deck, Rules, play, simulate
from hanabilab.lab.questions import PRINTED_THRESHOLDS, QUESTIONS, SEED, STORED, answer
from hanabilab.papers import aspects, cox

ANSWERS: list[dict[str, Any]] = json.loads(STORED.read_text("utf-8"))["questions"]
SAMPLE = 60


def test_the_file_answers_all_questions() -> None:
    assert [found["id"] for found in ANSWERS] == [question.id for question in QUESTIONS]
    for question, found in zip(QUESTIONS, ANSWERS, strict=True):
        assert (found["title"], found["about"]) == (question.title, question.about)
        assert found["seed"] == SEED
        if question.strategies:
            assert found["strategies"] == list(question.strategies)
            assert len(found["mean"]) == len(found["stderr"]) == len(question.strategies)
            continue
        asked = [(bar.name, bar.strategy, bar.rules, bar.printed) for bar in question.bars]
        names = ("name", "strategy", "rules", "printed")
        assert [tuple(row[name] for name in names) for row in found["rows"]] == asked
        assert all(0 < row["stderr"] < 0.05 for row in found["rows"])


@pytest.mark.parametrize(
    "found", [each for each in ANSWERS if "rows" in each], ids=lambda x: x["id"]
)
def test_a_sample_of_the_games_gives_the_stored_means(found: dict[str, Any]) -> None:
    row = found["rows"][0]
    rules = Rules.from_dict(row["rules"], row["players"])
    result = simulate(row["strategy"], rules=rules, games=SAMPLE, seed=found["seed"])
    spread = row["stderr"] * math.sqrt(found["games"] / SAMPLE)
    assert abs(result.mean - row["mean"]) < 4 * spread
    example = row["examples"][0]
    deck = Deck.shuffled(rules, seed=found["seed"], game=example["game"])
    game = play(row["strategy"], deck, seed=found["seed"], game=example["game"])
    if "conventions" not in row["strategy"]:  # which is still learning
        assert game.score == example["score"]


def test_answers_are_generated_in_the_stored_form() -> None:
    lives = next(question for question in QUESTIONS if question.id == "lives")
    stored = next(found for found in ANSWERS if found["id"] == "lives")
    fresh = answer(lives, games=20)
    assert fresh.keys() == stored.keys()
    assert fresh["rows"][0].keys() == stored["rows"][0].keys()


def test_printed_figures_are_those_of_the_papers() -> None:
    cheating = next(question for question in QUESTIONS if question.id == "cheating")
    assert {bar.name: f"{bar.printed:.2f}" for bar in cheating.bars} == cox.PRINTED
    table = {tuple(line.split()[:2]): line.split()[2:] for line in aspects.TABLE_1.split("\n")}
    for threshold, printed in PRINTED_THRESHOLDS.items():
        assert float(table["2", str(threshold)][2]) == printed
