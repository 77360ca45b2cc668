"""The commands of the lab: what they print, and one line for every error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hanabilab.cli import COMMANDS
from hanabilab.lab.document_tables import DATA, read_result
from hanabilab.strategies import STRATEGIES

Command = Callable[..., tuple[int, str, str]]

LAB = ("simulate", "compare", "sweep", "tune", "crossplay", "leaderboard", "bench", "strategies")


@pytest.mark.parametrize("name", LAB)
def test_help_has_examples(name: str, command: Command) -> None:
    code, out, _ = command(name, "--help")
    assert code == 0
    assert "examples:" in out
    assert out.count(f"hanabilab {name}") >= 3
    assert name in COMMANDS


NONSENSE = [
    "simulate",
    "simulate nobody",
    "simulate random --players 1000",
    "simulate random --players x",
    "simulate random --games many",
    "simulate random --games 0",
    "simulate random --games -5",
    "simulate random --games 99999999999999999999999",
    "simulate random --seed -1",
    "simulate random --seed 1.5",
    "simulate random --threads 0",
    "simulate random --threads -2",
    "simulate random --repeats 0",
    "simulate random --repeats 1000000000",
    "simulate random --until-stderr 0",
    "simulate random --until-stderr nan",
    "simulate random --until-stderr small",
    "simulate random --save games.doc",
    "simulate random --save no/such/folder/x.csv",
    "simulate random --plot x.txt",
    "simulate random --plot no/such/folder/x.png",
    "simulate random --rules nonsense",
    "simulate random --set-rule lives",
    "simulate random:hint-rule=2",
    "simulate random:hint-rule=2",
    "simulate rule-based:hint-rule",
    "simulate rule-based:hint-rule=",
    "simulate rule-based:hint-rule=5",
    "simulate rule-based:hint-rule=0",
    "simulate rule-based:hint-rule=1.5",
    "simulate rule-based:hint-rule=two",
    "simulate rule-based:play-threshold=1.1",
    "simulate rule-based:play-threshold=nan",
    "simulate rule-based:play-threshold=-0.1",
    "simulate rule-based:interpretation=both",
    "simulate rule-based --no-such-option",
    "simulate random random random --players 2",
    "compare random",
    "compare random nobody --players 2",
    "compare random cheat --games 0",
    "compare random cheat --save x.doc",
    "crossplay random",
    "crossplay random cheat --players 0",
    "crossplay random cheat --save no/such/folder/x.csv",
    "sweep rule-based",
    "sweep random",
    "sweep random --vary hint-rule=1",
    "sweep rule-based --vary hint-rule=1,,2",
    "sweep rule-based --vary play-threshold=0:1",
    "sweep rule-based --vary hint-rule=1..4",
    "sweep rule-based --vary hint-rule=[1,2]",
    "sweep rule-based --vary hint-rule=4:1:1",
    "sweep rule-based --vary play-threshold=0:1:0",
    "sweep rule-based --vary play-threshold=0:1:1e-9",
    "sweep rule-based --vary play-threshold=0:2:0.5",
    "sweep rule-based --vary play-threshold=a:b:c",
    "sweep rule-based --vary hint-rule=1,2 --save x.doc",
    "sweep rule-based --vary hint-rule=1,2 --save no/such/folder/x.csv",
    "sweep rule-based --vary safe=perhaps",
    "tune",
    "tune nobody",
    "tune random",
    "tune information",
    "tune rule-based --budget 0",
    "tune rule-based --budget many",
    "tune rule-based --games 0",
    "tune rule-based --final-games 0",
    "tune rule-based --objective fun",
    "tune rule-based --vary hint-rule=5",
    "tune rule-based --vary play-threshold=0.8:0.2",
    "tune rule-based:hint-rule",
    "tune random --vary hint-rule=2",
    "tune rule-based --seed -1",
    "tune rule-based --players 1000",
    "tune rule-based --save x.doc",
    "tune rule-based --save no/such/folder/x.csv",
    "tune rule-based --plot x.txt",
    "leaderboard nobody",
    "leaderboard --games 0",
    "leaderboard --write --file no-such-folder/results.csv",
    "leaderboard --write random",
    "bench nothing",
    "bench --rounds 0",
    "bench --save no/such/folder/x.json",
    "bench --against no-such-file.json",
    "bench engine --fail-below 0.9",
    "bench engine random",
    "bench strategies nobody",
    "bench engine --seconds 0",
    "bench engine --seconds nan",
    "strategies nobody",
]


@pytest.mark.parametrize("line", NONSENSE)
def test_nonsense_is_one_line_and_exit_code_2(line: str, command: Command) -> None:
    code, out, err = command(*line.split())
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("hanabilab")
    assert "Traceback" not in err


def test_simulate_prints_the_statistics(command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "scores.svg"
    line = "simulate cheat --players 3 --games 50 --seed 1 --plot"
    code, out, err = command(*line.split(), plot)
    assert code == 0
    for words in ("mean score", "±", "standard deviation", "perfect games", "to misplays", "█"):
        assert words in out
    assert " 25 " in out
    assert plot.exists()
    assert "compiling" in err or err == ""


def test_compare_sweep_and_crossplay_print_tables(command: Command, tmp_path: Path) -> None:
    run = ["--players", "3", "--games", "20"]
    code, out, _ = command("compare", "cheat", "random", *run, "--save", tmp_path / "c.csv")
    assert code == 0
    assert "cheat - random" in out
    assert (tmp_path / "c.csv").exists()
    code, out, _ = command("crossplay", "cheat", "random", *run, "--plot", tmp_path / "x.png")
    assert code == 0
    assert "strangers" in out
    assert (tmp_path / "x.png").exists()
    words = [
        "sweep",
        "rule-based",
        *("--vary", "safe=true,false", "--vary", "hint-rule=1:3:1"),
        *("--vary", "interpretation=paper"),
    ]
    code, out, _ = command(*words, *run, "--plot", tmp_path / "s.png")
    assert code == 0
    assert "best:" in out
    assert (tmp_path / "s.png").exists()
    data = json.loads(command(*words, *run, "--json")[1])
    assert data["options"] == {
        "safe": [True, False],
        "hint-rule": [1, 2, 3],
        "interpretation": ["paper"],
    }
    assert len(data["cells"]) == 6


def test_results_are_stored_with_their_facts(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "hanabilab.lab.results_table.benchmark_strategies", lambda: [STRATEGIES["cheat"]]
    )
    assert command("leaderboard", "--write", "--games", "10")[0] == 2
    assert command("leaderboard", "cheat", "--write", "--games", "10")[0] == 2
    (tmp_path / DATA).mkdir(parents=True)
    code, out, err = command("leaderboard", "--write", "--games", "10")
    assert (code, out) == (0, "")
    assert "docs/results/data/leaderboard.csv: written" in err
    stored = read_result(tmp_path / DATA, "leaderboard")
    printed = command("leaderboard", "cheat", "--games", "10")[1]
    row = next(line for line in printed.splitlines() if line.startswith("| `cheat` | cox |"))
    assert row in stored.shown().to_markdown()
    assert stored.fact("command") == "hanabilab leaderboard --games 10 --seed 1 --write"


def test_bench_has_the_agreed_shape(command: Command) -> None:
    code, out, _ = command("bench", "engine", "--seconds", "0.01", "--json")
    assert code == 0
    speeds = json.loads(out)["players"]
    assert list(speeds) == ["2", "3", "4", "5"]
    for speed in speeds.values():
        assert speed["games_per_second"] > 0
        assert speed["turns_per_second"] > speed["games_per_second"]
    code, out, err = command("bench", "strategies", "random", "--seconds", "0.01", "--json")
    assert code == 0
    assert list(json.loads(out)) == ["random"]
    assert list(json.loads(out)["random"]) == ["2", "3", "4", "5"]
    assert "two threads" in err


def test_the_list_of_strategies_is_complete(command: Command) -> None:
    assert [each["name"] for each in json.loads(command("strategies", "--json")[1])] == list(
        STRATEGIES
    )
    assert "play-threshold" in command("strategies", "rule-based")[1]
