"""Questions that newcomers ask about Hanabi, each answered by many games.

`QUESTIONS` says what is played. `answer_questions` plays it and returns plain data, which the page
of the experiments draws before anyone has run anything. The file `questions.json` beside this
module holds the stored answers; `make questions` writes it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hanabilab.game.rules import Rules
from hanabilab.lab.crossplay import crossplay
from hanabilab.lab.simulate import simulate
from hanabilab.strategies import find_strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import strategies_for

__all__ = ["QUESTIONS", "STORED", "Bar", "Question", "answer", "answer_questions", "write_answers"]

STORED = Path(__file__).with_name("questions.json")
GAMES, PAIRING_GAMES, SEED = 5_000, 400, 1
EXAMPLES = 200
"""Games among which the examples of a bar are chosen."""

RuleChanges = str | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bar:
    """One measurement: a team that plays many games."""

    name: str
    strategy: str
    players: int = 3
    rules: RuleChanges = "classic"
    printed: float | None = None
    """What the paper prints for it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what is played to answer it, and how a page draws the answer."""

    id: str
    title: str
    about: str
    """What is compared, and what to look at."""
    kind: str
    """The experiment to run it with: simulate, compare, sweep or crossplay."""
    chart: str
    """bars, line or heat map."""
    bars: tuple[Bar, ...] = ()
    axis: str = ""
    """What differs from point to point of a line."""
    paper: str = ""
    strategies: tuple[str, ...] = ()
    """The strategies of a cross-play."""
    players: int = 3
    options: tuple[tuple[str, str], ...] = ()
    """The options of a sweep and their values."""


def _with_rule(name: str, values: Sequence[int], strategy: str) -> tuple[Bar, ...]:
    """Return a bar for each value of a rule."""
    return tuple(
        Bar(str(value), strategy, rules={"preset": "classic", name: value}) for value in values
    )


PROGRAM = "interpretation=program"
"""The interpretation with which the papers' own programs played."""
THRESHOLD = f"rule-based:discard-rule=2,hint-rule=3,{PROGRAM},play-threshold={{}}"
PRINTED_THRESHOLDS = {0.5: 15.3, 0.6: 15.4, 0.7: 14.5}
"""Table 1 of van den Bergh et al. 2016, discard rule 2 and hint rule 3."""

QUESTIONS = (
    Question(
        "hint-tokens",
        "How much is one more hint token worth?",
        "Three Club players with fewer and with more hint tokens than the eight in the box. Up to "
        "eight, each is worth about half a point; after that, less and less.",
        "simulate",
        "line",
        _with_rule("hint_tokens", (2, 4, 6, 8, 10, 12), "conventions"),
        axis="hint tokens",
    ),
    Question(
        "cheating",
        "Does it pay to cheat?",
        "“cheat” sees its own cards. The other two play by the rules, but each of their hints is a "
        "number that tells every player something at once: they come close without looking.",
        "compare",
        "bars",
        (
            Bar("recommendation", f"recommendation:{PROGRAM}", 5, "cox-program", 23.00),
            Bar("information", f"information:{PROGRAM}", 5, "cox", 24.68),
            Bar("cheat", "cheat", 5, "cox", 24.87),
        ),
        paper="Cox et al. 2015, Figure 8",
    ),
    Question(
        "strangers",
        "Who plays best with strangers?",
        "One player of the row's strategy among three of the column's. The diagonal is a team of "
        "its own; a code such as “recommendation” is strong there and helpless elsewhere.",
        "crossplay",
        "heat map",
        strategies=("rule-based", "piers", "iggi", "cautious", "conventions", "recommendation"),
        players=4,
    ),
    Question(
        "risk",
        "How sure should you be before you play a card?",
        "A player who plays a card when it is this likely to fit. Too careful wastes turns, too "
        "bold wastes lives.",
        "sweep",
        "line",
        tuple(
            Bar(
                str(tenth / 10),
                THRESHOLD.format(tenth / 10),
                3,
                "thesis-program",
                PRINTED_THRESHOLDS.get(tenth / 10),
            )
            for tenth in range(2, 11)
        ),
        axis="play-threshold",
        paper="van den Bergh, Kosters and Spieksma 2016, Table 1",
        options=(("play-threshold", "0.2:1:0.1"),),
    ),
    Question(
        "agreements",
        "What do agreements add?",
        "The same three players without agreements, and with more and more of them: from the chop, "
        "saves and finesses to warnings and bluffs.",
        "compare",
        "bars",
        (
            Bar("rule-based", "rule-based"),
            *(Bar(f"level {level}", f"conventions:level={level}") for level in (1, 7)),
            Bar("Club", "conventions"),
        ),
    ),
    Question(
        "players",
        "Is Hanabi harder with more players?",
        "The same strategy at tables of two to five. More eyes see more cards, but each player "
        "gets fewer turns, and from four players on hands are smaller.",
        "simulate",
        "bars",
        tuple(Bar(f"{players} players", "conventions", players) for players in range(2, 6)),
    ),
    Question(
        "lives",
        "How many lives does a daring player need?",
        "“piers” takes risks only while a life is to spare. With a single life it plays safely; "
        "each further life buys a bit more courage, and fewer points than the one before.",
        "simulate",
        "line",
        _with_rule("lives", (1, 2, 3, 4, 5), "piers"),
        axis="lives",
    ),
)


def answer_questions(
    questions: Sequence[Question] = QUESTIONS, *, games: int = GAMES, seed: int = SEED
) -> Iterator[dict[str, Any]]:
    """Yield the answer to each question as plain data."""
    for question in questions:
        yield answer(question, games=games, seed=seed)


def answer(question: Question, *, games: int = GAMES, seed: int = SEED) -> dict[str, Any]:
    """Return the answer to a question: what was played, means and standard errors, examples."""
    data: dict[str, Any] = {
        "id": question.id,
        "title": question.title,
        "about": question.about,
        "kind": question.kind,
        "chart": question.chart,
        "axis": question.axis,
        "paper": question.paper,
        "seed": seed,
    }
    if question.kind == "crossplay":
        return {**data, **_pairings(question, min(games, PAIRING_GAMES), seed)}
    rows = [measure(bar, games=games, seed=seed) for bar in question.bars]
    return {**data, "games": games, "options": dict(question.options), "rows": rows}


def measure(bar: Bar, *, games: int, seed: int) -> dict[str, Any]:
    """Play the games of a bar."""
    rules = Rules.from_dict(bar.rules, bar.players)
    result = simulate(bar.strategy, rules=rules, games=games, seed=seed)
    team = strategies_for([find_strategy(bar.strategy)], bar.players)
    return {
        "name": bar.name,
        "strategy": bar.strategy,
        "players": bar.players,
        "rules": bar.rules,
        "mean": round(result.mean, 4),
        "stderr": round(result.stderr, 4),
        "perfect_rate": round(result.perfect_rate, 4),
        "printed": bar.printed,
        "max_score": rules.max_score,
        "examples": _examples(rules, team, seed, min(games, EXAMPLES)),
    }


def _examples(rules: Rules, team: Sequence[Any], seed: int, count: int) -> list[dict[str, int]]:
    """Return a poor, a typical and a good game."""
    scores = [int(row[0]) for row in play_chunk(rules, team, seed, 0, count)]
    ranking = sorted(range(count), key=lambda game: (scores[game], game))
    chosen = (ranking[0], ranking[count // 2], ranking[-1])
    return [{"game": game, "score": scores[game]} for game in chosen]


def _pairings(question: Question, games: int, seed: int) -> dict[str, Any]:
    """Play each strategy among players of each other."""
    rules = Rules.classic(question.players)
    result = crossplay(list(question.strategies), rules=rules, games=games, seed=seed).to_dict()
    return {
        "games": games,
        "strategies": list(question.strategies),
        "players": question.players,
        "rules": "classic",
        "max_score": rules.max_score,
        **{
            name: [[round(value, 4) for value in row] for row in result[name]]
            for name in ("mean", "stderr")
        },
    }


def write_answers(path: Path = STORED) -> None:
    """Answer all questions and store the answers."""
    text = json.dumps({"questions": list(answer_questions())}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_answers()
