"""One syntax for options, no abbreviations, and an answer to names that do not exist."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.author import Memory, Option, Strategy, View, nth_legal
from hanabilab.cli import COMMANDS, build_parser
from hanabilab.cli.catalog import example_of
from hanabilab.cli.suggest import OTHER_WORDS, RENAMED_COMMANDS, RENAMED_OPTIONS, SWITCHED_OFF
from hanabilab.errors import StrategyError
from hanabilab.game.rules import preset
from hanabilab.strategies import OWN
from hanabilab.strategies.strategy import RESERVED, describe_strategy, option_word
from tests.conftest import Answer

Command = Callable[..., Answer]
PARSERS = build_parser().commands
FLAGS = {
    name: {flag for action in parser.actions() for flag in action.option_strings}
    for name, parser in PARSERS.items()
}
OPTIONS = {option_word(name) for strategy in OWN for name in strategy.options}


def refusal(answer: Answer) -> str:
    """The message of an error: one line and exit code 2."""
    code, out, err = answer
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_has_the_options_of_strategies(name: str) -> None:
    owned = {"bench": {"--seconds"}, "check": {"--seconds"}}  # their own, by the same name
    assert not FLAGS[name] & {f"--{option}" for option in OPTIONS} - owned.get(name, set())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_fits_on_two_screens(
    name: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len(command(name, "--help")[1].splitlines()) <= 60


@pytest.mark.parametrize("name", COMMANDS)
def test_rules_and_workers_are_the_same_options_everywhere(name: str) -> None:
    flags = FLAGS[name]
    assert ("--set-rule" in flags) <= ({"--rules", "--players"} <= flags)
    assert not {*RENAMED_OPTIONS, "--rule"} & flags
    for action in PARSERS[name].actions():
        if "--players" in action.option_strings:
            assert action.metavar == "P"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("simulate piers --player 3", "--player; did you mean --players?"),
        ("simulate piers --thre 1", "unknown option --thre"),
        ("simulate piers --game 5", "--game; did you mean --games?"),
        ("simulate rule-based --play-thresh 0.7", "did you mean rule-based:play-threshold=0.7?"),
    ],
)
def test_options_are_not_abbreviated(command: Command, line: str, meant: str) -> None:
    assert meant in refusal(command(*line.split()))


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("play rule-based --hint-rule 2", "write rule-based:hint-rule=2 ("),
        ("play rule-based --hint-rule=2", "write rule-based:hint-rule=2 ("),
        ("play --hint-rule 2 rule-based", "write rule-based:hint-rule=2 ("),
        ("play rule-based:safe=no --hint-rule 2", "write rule-based:safe=no,hint-rule=2 ("),
        ("play rule-based --hint-rule", "write rule-based:hint-rule=VALUE ("),
        ("play rule-based --safe", "write rule-based:safe=yes ("),
        ("play rule-based --risky", "write rule-based:safe=no ("),
        ("play rule-based --reading program", "write rule-based:interpretation=program ("),
        ("simulate duo --no-warnings", "write duo:warn=no ("),
        ("simulate conventions --no-warnings", "write conventions:scream-discards=no ("),
        ("simulate hatter --no-projection", "write hatter:projection=no ("),
        ("simulate iggi duo --no-warnings", "write duo:warn=no ("),
        ("sweep rule-based --hint-rule 1,2", "write --vary hint-rule=1,2 ("),
        ("tune rule-based --play-threshold 0.4:0.8", "write --vary play-threshold=0.4:0.8 ("),
        ("sweep rule-based --hint-rule 1", "write rule-based:hint-rule=1 ("),
        (
            "simulate piers --risky",
            "rule-based, written rule-based:safe=no; piers has",
        ),
        ("simulate --risky", "an option of rule-based, written rule-based:safe=no"),
        ("simulate --players 2", "the following arguments are required: STRATEGY ("),
        ("play cheat --rule lives=4", "--rule; it is now called --set-rule ("),
        ("play cheat --rule=lives=4", "--rule; it is now called --set-rule ("),
        ("play cheat --lives 4", "unknown option --lives; write --set-rule lives=4 ("),
        ("play rule-based:reading=program", "no option reading; it is now called interpretation"),
        ("play cheat --strategy x", "unknown option --strategy"),
        ("deck p2v0s1 surplus", "unexpected argument: surplus ("),
        ("simulate rule-based --set hint-rule=2", "write rule-based:hint-rule=2 ("),
        ("simulate rule-based hint-rule=2", "written with its strategy: rule-based:hint-rule=2"),
        ("play rule-based:safe=no hint-rule=2", "strategy: rule-based:safe=no,hint-rule=2"),
        ("play --strategy piers", "strategies are written without an option: piers ("),
        ("sweep rule-based --vary hint-rule 1,2", "1,2; write --vary hint-rule=1,2 ("),
        ("sweep rule-based --vary hint-rule=1..3", "expected values such as 1,2,4 or START:"),
        ("simulate rule-based --vary hint-rule=1,2", "--vary; it is an option of sweep, tune ("),
        ("--players 3 play piers", "unknown option --players; options follow the command"),
        ("check nowhere.py::careful", "nowhere.py::careful: write nowhere.py:careful, with one"),
        ("simulate piers --games many", "argument --games: 'many' is not an integer"),
        ("simulate piers --games 1e-3", "argument --games: '1e-3' is not an integer"),
        ("simulate piers --games 1e999", "argument --games: '1e999' is not an integer"),
    ],
)
def test_old_flags_are_answered_in_the_new_syntax(command: Command, line: str, answer: str) -> None:
    assert answer in refusal(command(*line.split()))


@pytest.mark.parametrize(("old", "new"), RENAMED_COMMANDS.items())
def test_old_commands_are_answered_with_the_new_ones(command: Command, old: str, new: str) -> None:
    assert old not in COMMANDS
    assert new in COMMANDS
    assert f"hanabilab: the command {old} is now called {new} (" in refusal(command(old, "piers"))


def test_suggested_options_exist() -> None:
    known = set().union(*FLAGS.values())
    assert {word for words in OTHER_WORDS.values() for word in words} <= known
    assert set(RENAMED_OPTIONS.values()) <= known
    assert {word for words in SWITCHED_OFF.values() for word in words} <= OPTIONS
    assert not {word.lstrip("-") for word in OTHER_WORDS} & OPTIONS - {"samples"}


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("tune rule-based --n-trials 100", "--budget"),
        ("simulate cheat -n 100", "--games"),
        ("simulate cheat -j 4", "--threads"),
        ("simulate cheat --output x.csv", "--save"),
        ("dataset cheat --games 1 --out x --n 3", "--games"),
        ("dataset cheat --games 1 -o x", "--out"),
        ("winnable -n 100", "--decks"),
        ("list", "strategies"),
        ("run piers", "simulate"),
        ("tune rule-based --direction maximize", "--objective"),
    ],
)
def test_words_of_other_tools_are_understood(command: Command, line: str, meant: str) -> None:
    assert f"did you mean {meant}?" in refusal(command(*line.split()))


def test_strategies_may_come_after_options(command: Command) -> None:
    first = command("simulate", "cheat", "random", "--players", "2", "--games", "3", "--json")
    second = command("simulate", "cheat", "--players", "2", "random", "--games", "3", "--json")
    one, other = json.loads(first[1]), json.loads(second[1])
    assert (one["strategy"], one["histogram"]) == (other["strategy"], other["histogram"])


def test_numbers_may_be_written_short(command: Command) -> None:
    code, out, err = command("simulate", "random", "--players", "2", "--games", "2e1", "--json")
    assert (code, err, json.loads(out)["games"]) == (0, "", 20)


def test_a_range_of_integers_needs_no_step(command: Command) -> None:
    line = "sweep rule-based --vary hint-rule=2:3 --players 2 --games 2 --json"
    assert json.loads(command(*line.split())[1])["options"] == {"hint-rule": [2, 3]}


def test_help_is_found(command: Command) -> None:
    overview = command("--help")
    assert overview == command("help") == command("-h")
    assert command() == (2, "", overview[1])
    assert command("help", "simulate") == command("simulate", "--help")
    assert command("-V") == command("--version")


class Boxes(Memory):
    games: int
    mean: int


def act(view: View, memory: Any) -> int:
    return nth_legal(view, memory.games)


def boxed(*names: str) -> Strategy:
    options = {name: Option(default=1, least=1, most=9, help="") for name in names}
    return Strategy("boxed", act, memory=Boxes, options=options)


BOXED = """
from hanabilab.author import Memory, Option, Strategy, nth_legal
class Boxes(Memory):
    games: int
def act(view, memory): return nth_legal(view, memory.games)
games = Option(default=1, least=1, most=9, help="how many")
boxed = Strategy("boxed", act, memory=Boxes, options={"games": games})
"""


def test_an_option_of_any_name_can_be_swept(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("boxed.py").write_text(BOXED, encoding="utf-8")
    line = "sweep boxed.py:boxed --vary games=2,3 --players 2 --games 4 --json --save grid.csv"
    for _ in range(2):  # the second time from the file
        code, out, err = command(*line.split())
        assert code == 0, err
        found = json.loads(out)
        assert (found["games"], found["options"]) == (4, {"games": [2, 3]})
        assert [cell["option-games"] for cell in found["cells"]] == [2, 3]
        assert [sum(cell["histogram"]) for cell in found["cells"]] == [4, 4]
    assert "2 of 2 cells were already" in err
    line = (
        "tune boxed.py:boxed --vary games=2,3 --players 2 --games 2 --budget 3 --json --save t.csv"
    )
    found = [json.loads(command(*line.split())[1]) for _ in range(2)]
    assert found[0]["history"] == found[1]["history"]
    assert found[1]["best"]["options"]["games"] in (2, 3)


def test_options_may_be_called_like_a_column() -> None:
    swept = hl.sweep(boxed("games", "mean"), 2, games=3, vary={"games": [1, 2], "mean": [4]})
    rows = swept.rows()
    assert [row["option-games"] for row in rows] == [1, 2]
    assert [row["option-mean"] for row in rows] == [4, 4]
    assert [row["games"] for row in rows] == [3, 3]


@pytest.mark.parametrize("name", [*sorted(RESERVED), "class", "risk-level", "a=b", "_hidden", ""])
def test_reserved_words_cannot_be_options(name: str) -> None:
    with pytest.raises(StrategyError, match=f"boxed: an option cannot be called .*{name}"):
        boxed(name)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("sweep rule-based --vary hint-rule", "--vary hint-rule: expected OPTION=VALUES"),
        ("sweep rule-based --vary =1,2", "--vary =1,2: expected OPTION=VALUES"),
        ("sweep rule-based --vary safe=yes --vary safe=no", "--vary safe is given twice"),
        ("sweep rule-based --set safe", "--set safe: expected OPTION=VALUE"),
        ("tune rule-based --set safe=yes --vary safe=yes,no", "safe cannot be both set and varied"),
        ("tune rule-based:safe=yes --vary safe=yes,no", "safe cannot be both set and varied"),
        ("play cheat --set-rule lives", "--set-rule lives: expected RULE=VALUE"),
        ("play cheat --set-rule live=4", "unknown rule 'live'"),
        ("play cheat --set-rule hand-sise=4", "did you mean hand-size?"),
    ],
)
def test_settings_are_checked(command: Command, line: str, reason: str) -> None:
    assert reason in refusal(command(*line.split()))


def test_set_is_the_same_as_writing_it_with_the_strategy(command: Command) -> None:
    run = "--vary hint-rule=2,3 --players 2 --games 3 --json"
    lines = (f"rule-based:safe=no {run}", f"rule-based --set safe=no {run}")
    one, other = (json.loads(command("sweep", *line.split())[1]) for line in lines)
    assert one["cells"] == other["cells"]
    assert one["strategy"] == other["strategy"] == "rule-based:safe=False"


@pytest.mark.parametrize("strategy", OWN, ids=lambda strategy: strategy.name)
def test_a_strategy_is_explained_with_an_example_that_runs(
    command: Command, strategy: Strategy
) -> None:
    code, out, _ = command("strategies", strategy.name)
    assert code == 0
    assert out.startswith(f"{strategy.name}: {strategy.summary}\n")
    for name, option in strategy.options.items():
        assert f"\n{option_word(name)} " in out
        assert option.help.split()[-1] in out
    if not describe_strategy(strategy)["players"]:  # it plays only games that are given to it
        return
    assert out.endswith(f"example: {example_of(strategy)}\n")
    words = example_of(strategy).split()[1:]
    arguments = build_parser(words[:1]).parse_args(words)
    found = hl.find_strategy(arguments.strategy[0])
    found.check(preset(arguments.rules, arguments.players))
    assert bool(found.chosen) == any(
        o.choices or not isinstance(o.default, str) for o in strategy.options.values()
    )


def test_the_rules_of_a_preset_are_listed_as_they_are_set(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = command("rules", "cox", "--players", "5")[1]
    header, *lines = out.partition("\n\n")[0].splitlines()
    value, meaning = header.index("value"), header.index("meaning")
    found = {line[:value].strip(): line[value:meaning].strip() for line in lines}
    assert [name.replace("-", "_") for name in found] == [*hl.Rules.about]
    settings = [(name, text) for name, text in found.items() if text]  # the others are empty
    words = [word for name, value in settings for word in ("--set-rule", f"{name}={value}")]
    one, other = (
        json.loads(command("play", "random", "--seed", "3", "--json", *rules)[1])
        for rules in (words, ["--rules", "cox", "--players", "5"])
    )
    assert one["actions"] == other["actions"]


@pytest.mark.parametrize("function", [hl.sweep, hl.tune])
def test_old_arguments_in_python(function: Callable[..., object]) -> None:
    with pytest.raises(StrategyError, match=r"write vary=\{'hint-rule': \[1, 2\]\}"):
        function("rule-based", players=3, hint_rule=[1, 2])
