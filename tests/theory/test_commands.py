"""The commands count, sequence and pace: output, JSON and error messages."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import factorial
from pathlib import Path

import pytest

import hanabilab.theory
from hanabilab.theory import PaceGame, cut_chances, decision, loss_chance, step_lines
from tests.theory.reference import all_decks, best_by_all_strategies

Command = Callable[..., tuple[int, str, str]]


@cache
def computed(game: PaceGame, below: int) -> Fraction:
    return loss_chance(game, below=below)


@pytest.fixture(autouse=True)
def each_chance_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second each, and the same in every format."""

    def stored(game: PaceGame, *, below: int = 0, report: object = None) -> Fraction:
        del report
        return computed(game, below)

    monkeypatch.setattr(import_module("hanabilab.theory.pace"), "loss_chance", stored)


def answer(command: Command, *words: str) -> dict[str, object]:
    code, out, err = command(*words, "--json")
    assert (code, err) == (0, "")
    found: dict[str, object] = json.loads(out)
    return found


def test_count(command: Command) -> None:
    assert answer(command, "count", "3", "2", "2", "2", "1", "--hand", "5") == {
        "counts": [3, 2, 2, 2, 1],
        "hand": 5,
        "playable": 66360,
        "unplayable": 9240,
        "total": 75600,
        "fraction": 66360 / 75600,
        "fraction_exact": "79/90",
    }
    assert answer(command, "count") == {
        "counts": [],
        "hand": 1,
        "playable": 1,
        "unplayable": 0,
        "total": 1,
        "fraction": 1.0,
        "fraction_exact": "1",
    }


def test_count_writes_large_numbers_as_text(command: Command) -> None:
    found = answer(command, "count", *["4"] * 13)
    assert found["unplayable"] == "91973270026324484565579418350194489655582912237019"
    assert isinstance(found["playable"], str)
    assert found["fraction"] == pytest.approx(0.000554, abs=1e-6)
    below, above = (answer(command, "count", *["1"] * ranks) for ranks in (18, 19))
    assert below["total"] == factorial(18) < 2**53
    assert above["total"] == str(factorial(19))
    huge = answer(command, "count", *["30"] * 60)
    assert isinstance(huge["total"], str)
    assert len(huge["total"]) > 3000


def test_count_several_suits(command: Command) -> None:
    expected = {"counts": [[2, 2, 2], [2, 2, 2]], "hand": 3, "playable": 7037532}
    for words in (["2", "2", "2", "/", "2", "2", "2"], ["2 2 2/2 2 2"], ["2,2,2", "--suits", "2"]):
        assert answer(command, "count", *words, "--hand", "3").items() >= expected.items()


def test_count_scores(command: Command) -> None:
    found = answer(command, "count", "2", "1", "1", "--hand", "2", "--scores")
    scores = [0, 0, 0, 0]
    for deck in all_decks([(2, 1, 1)]):
        scores[best_by_all_strategies(deck, 2)] += 1
    assert found["scores"] == scores
    code, out, _ = command("count", "2", "1", "1", "--hand", "2", "--scores")
    assert code == 0
    assert out.splitlines()[-1].split()[:2] == ["3", str(scores[3])]


def test_count_without_an_end(command: Command) -> None:
    """The command of docs/results/errata.md that shows that Conjecture 5.1 fails."""
    assert answer(command, "count", "1", "1", "--hand", "1", "--no-end")["playable"] == 1
    assert answer(command, "count", "1", "1", "--hand", "2", "--no-end")["playable"] == 2
    assert answer(command, "count", "1", "1", "--hand", "2")["playable"] == 0


def test_count_as_text(command: Command) -> None:
    code, out, err = command("count", "3", "2", "2", "2", "1", "--hand", "5")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "counts 3 2 2 2 1: 10 cards, 5 in hand",
        "",
        "playable    66,360  0.8777777778  79/90",
        "unplayable   9,240  0.1222222222  11/90",
        "total       75,600             1      1",
    ]


def test_count_without_counts_shows_its_usage(command: Command) -> None:
    code, out, err = command("count")
    assert (code, out) == (2, "")
    assert err.startswith("usage: hanabilab count X1 X2")
    assert "hanabilab count 3 2 2 2 1 --hand 5" in err


def test_count_over_a_range(command: Command) -> None:
    counts = ["3", "2", "2", "2", "1"]
    words = ["count", *counts, "--hand", "1-3,5"]
    code, out, _ = command(*words, "--json")
    found = json.loads(out)
    assert code == 0
    assert found == [answer(command, "count", *counts, "--hand", str(m)) for m in (1, 2, 3, 5)]
    _, out, _ = command(*words)
    assert out.splitlines()[-1].split() == [
        *counts,
        "5",
        "66,360",
        "0.8777777778",
        "79/90",
        "75,600",
    ]
    _, out, _ = command("count", "2", "2", "--suits", "1-2", "--json")
    assert [entry["counts"] for entry in json.loads(out)] == [[2, 2], [[2, 2], [2, 2]]]


def test_pace_over_a_range(command: Command) -> None:
    code, out, _ = command("pace", "--players", "2-3", "--json")
    found = json.loads(out)
    assert code == 0
    assert found == [answer(command, "pace", "--players", str(p)) for p in (2, 3)]
    assert [entry["hand"] for entry in found] == [5, 5]
    _, out, _ = command("pace", "--players", "2-3")
    assert found[1]["lost"] in out


SAVED = [
    (["count", "3", "2", "2", "2", "1", "--hand", "2-5"], "79/90"),
    (["count", "2", "2", "1", "--hand", "1", "--scores"], "11/30"),
    (["pace", "--players", "3"], "1/23030"),
    (["pace", "--players", "2-3"], "27269572621247164970979101/30066929780194660045492800000"),
    (["pace", "--players", "3", "--simulate", "10"], "1/23030"),
    (["winnable", "--players", "2-3", "--decks", "5"], "1"),
]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".tex", ".md"])
@pytest.mark.parametrize(("words", "exact"), SAVED)
def test_tables_are_saved(
    command: Command, tmp_path: Path, words: list[str], exact: str, suffix: str
) -> None:
    if words[0] == "winnable" and suffix == ".csv":
        return  # its progress
    file = tmp_path / f"table{suffix}"
    code, out, _ = command(*words, "--save", str(file), "--json")
    text = file.read_text("utf-8")
    assert code == 0
    assert exact in text
    if suffix == ".json" and words[0] != "winnable":
        assert json.loads(text) == json.loads(out)
    if suffix == ".tex":
        assert r"\begin{tabular}" in text
    if suffix == ".csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert all(None not in row.values() for row in rows)
        assert any(exact in row.values() for row in rows)


def test_sequence_explains_example_3_30(command: Command) -> None:
    deck = ["4", "2", "3", "1", "3", "2", "1", "1"]
    code, out, err = command("sequence", *deck, "--goal", "4", "--hand", "2", "--explain")
    assert (code, err) == (0, "")
    lines = step_lines(list(map(int, deck)), 4, 2)
    assert out.splitlines() == [*lines, "", "not (4, 2)-playable; best score 3"]


def test_sequence_explains_example_3_37(command: Command) -> None:
    deck = "r2 r1 y3 y1 r3 y2 r1"
    code, out, _ = command("sequence", deck, "--goal", "4", "--hand", "2", "--explain")
    assert code == 0
    assert "S is (4, 2)-playable." in out
    assert "S = ((2, 2), (1, 1), (1, 2), (-1, 1)), n = 4, p = 1: i = 2, p = 1: YES" in out


def test_sequence_as_json(command: Command) -> None:
    found = answer(command, "sequence", "3", "1", "2", "--hand", "1", "--goal", "2", "--explain")
    assert found == {
        "cards": ["3", "1", "2"],
        "goal": 2,
        "hand": 1,
        "playable": True,
        "best": 2,
        "line": [
            {"action": "discard", "card": "3"},
            {"action": "play", "card": "1"},
            {"action": "play", "card": "2"},
        ],
        "steps": step_lines([3, 1, 2], 2, 1),
    }
    lost = answer(command, "sequence", "3", "1", "2", "--hand", "1")
    assert (lost["goal"], lost["playable"], lost["line"]) == (3, False, None)
    empty = answer(command, "sequence")
    assert (empty["goal"], empty["playable"], empty["best"]) == (0, True, 0)
    below = answer(command, "sequence", "-1", "1", "--goal", "1")
    assert below["playable"]


def test_sequence_answers_though_the_best_is_too_hard(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision, "MAX_SITUATIONS", 12)
    deck = "r3 y3 g3 r3 y3 g3 r2 y2 g2 r2 y2 g2 r1 y1 g1"
    code, out, _ = command("sequence", deck, "--hand", "3")
    assert (code, out) == (0, "not (9, 3)-playable; best score too hard to find\n")
    assert answer(command, "sequence", deck, "--hand", "3")["best"] is None


def test_sequence_without_an_end(command: Command) -> None:
    found = answer(command, "sequence", "r2", "r1", "--hand", "2", "--no-end")
    assert found["playable"]
    assert found["line"] == [
        {"action": "store", "card": "r2"},
        {"action": "play", "card": "r1"},
        {"action": "play stored", "card": "r2"},
    ]
    code, out, _ = command("sequence", "2", "1", "--no-end")
    assert (code, out.split()[0]) == (0, "lost")


@pytest.mark.parametrize(
    ("players", "hand", "lost"),
    [
        (1, 5, 8.0011e-3),
        (2, 5, 9.0696e-4),
        (3, 5, 1.9421e-4),
        (4, 4, 2.8542e-5),
        (5, 4, 4.8147e-6),
        (6, 3, 6.0258e-7),
    ],
)
def test_pace(command: Command, players: int, hand: int, lost: float) -> None:
    found = answer(command, "pace", "--players", str(players))
    game = PaceGame(players, hand)
    assert (found["players"], found["hand"]) == (players, hand)
    assert found["lost_decimal"] == float(Fraction(str(found["lost"])))
    assert found["lost_decimal"] == pytest.approx(lost, rel=1e-4)
    cuts = found["cuts"]
    assert isinstance(cuts, list)
    for cut, exact in zip(cuts, cut_chances(game), strict=True):
        assert cut["remaining"] == exact.remaining
        assert "/" in cut["negative"]
        assert Fraction(cut["negative"]) == exact.negative
        assert Fraction(cut["zero"]) == exact.zero
        assert cut["negative_decimal"] == float(exact.negative)
        assert cut["zero_decimal"] == float(exact.zero)


def test_pace_of_other_rules(command: Command) -> None:
    rules = ["copies=2,1/1,1", "ranks=2", "suits=2", "hand-size=1"]
    words = [word for rule in rules for word in ("--set-rule", rule)]
    found = answer(command, "pace", "--players", "1", *words)
    assert Fraction(str(found["lost"])) == loss_chance(PaceGame(1, 1, ((2, 1), (1, 1))))
    assert len(found["cuts"]) == 5  # type: ignore[arg-type]


def test_pace_with_a_sample(command: Command) -> None:
    found = answer(command, "pace", "--players", "1", "--simulate", "1000", "--seed", "3")
    sample = found["simulation"]
    assert isinstance(sample, dict)
    assert sample["decks"] == 1000
    assert len(sample["negative"]) == 46
    code, out, _ = command("pace", "--players", "1", "--simulate", "1000", "--seed", "3")
    assert code == 0
    assert f"counted: {sample['lost']} of 1,000 decks" in out


def test_pace_of_a_deck(command: Command) -> None:
    words = ["--set-rule", "copies=1,1,1", "--set-rule", "ranks=3", "--set-rule", "suits=1"]
    words += ["--set-rule", "hand-size=1", "--players", "1"]
    found = answer(command, "pace", *words, "--deck", "r3 r2 r1")
    assert found == {
        "players": 1,
        "cuts": [
            {"remaining": 0, "blocked": 0, "pace": 1},
            {"remaining": 1, "blocked": 3, "pace": -1},
            {"remaining": 2, "blocked": 3, "pace": 0},
        ],
        "lost": True,
    }
    code, out, _ = command("pace", *words, "--deck", "r1 r2 r3")
    assert code == 0
    assert out.splitlines()[-1] == "lowest pace 1, with 0 cards remaining: not lost on pace"
    other = answer(command, "pace", *words, "--any-deck", "--deck", "r3 r2 r1 r1")
    assert other["lost"] is False


def test_pace_beside_kessler(command: Command) -> None:
    code, out, err = command("pace", "--players", "3", "--kessler")
    assert (code, err) == (0, "")
    assert "p = 1.00, the sample fits" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["6", "0", "4", "+", "3", "+", "2", "1/264845", "0.38e-6", "3.78e-06"] in lines
    assert lines[-1] == ["6", "0", "14.159", "14.600"]  # 4 + 3 + 1 + 1 and 3 + 3 + 3 are missing
    assert answer(command, "pace", "--players", "3", "--kessler")["p_value"] == 1.0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["count", "-1"], "count of rank 1: -1 is not at least 0"),
        (["count", "2.5"], "count '2.5' is not an integer"),
        (["count", "two"], "not an integer"),
        (["count", "1", "--hand", "0"], "hand: 0"),
        (["count", "1", "--hand", "x"], "not a number, a list or a range like 2-5"),
        (["count", "1", "--suits", "0"], "--suits"),
        (["count", "1", "--hand", "5-2"], "empty range"),
        (["count", "1", "--hand", "1-1001"], "more than 1,000 numbers"),
        (["count", "1", "--save", "x.svg"], "saved as .csv, .json, .tex or .md"),
        (["count", "1", "--save", "nowhere/x.csv"], "does not exist"),
        (["pace", "--players", "2", "--save", "x.svg"], "saved as"),
        (["pace", "--players", "2-3", "--kessler"], "a single number of players"),
        (["count", "1000000000"], "too many"),
        (["count", "3", "2", "2", "2", "1", "--suits", "5", "--hand", "5"], "minutes"),
        (["count", *map(str, range(100, 250))], "minutes"),
        (["count", *["2"] * 6, "--hand", "3", "--states", "800"], "1 second of work; --states"),
        (["count", *["2"] * 6, "--hand", "3", "--states", "1"], "3,645 states and 1 second;"),
        (["sequence", "1", "x"], "card 2, 'x'"),
        (["sequence", "r1", "2"], "all cards a suit or none"),
        (["sequence", "?1"], "unknown suit"),
        (["sequence", "1", "--hand", "0"], "hand: 0"),
        (["sequence", "1", "--goal", "-1"], "goal: -1 is not at least 0"),
        (["sequence", "1", "2", "--goal", "1", "--no-end"], "--goal"),
        (["pace", "--players", "0"], "players: 0"),
        (["pace", "--players", "7"], "7"),
        (["pace", "--players", "3", "--simulate", "0"], "--simulate: 0"),
        (["pace", "--players", "2", "--kessler"], "3 players"),
        (["pace", "--players", "2", "--deck", "r1"], "deck"),
        (["pace", "--players", "2", "--set-rule", "copies=3,2,2,2,0"], "copies of rank 5: 0"),
    ],
)
def test_complaints_are_one_line(command: Command, words: list[str], complaint: str) -> None:
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["count", "sequence", "pace"])
def test_help(command: Command, name: str) -> None:
    code, out, _ = command(name, "--help")
    assert code == 0
    assert f"hanabilab {name}" in out


def test_the_theory_stands_alone() -> None:
    """It imports nothing of the package but its errors and checks, and no library at all."""
    folder = Path(hanabilab.theory.__file__).parent
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                modules = [name.name for name in node.names]
            for module in modules:
                own = module.startswith("hanabilab.theory.") or module in BASE
                assert own or module.split(".")[0] in STANDARD, f"{file.name} imports {module}"


BASE = {"hanabilab.errors", "hanabilab.checks"}
STANDARD = {
    "__future__",
    "collections",
    "dataclasses",
    "fractions",
    "functools",
    "itertools",
    "math",
    "random",
    "sys",
}
