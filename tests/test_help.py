"""Help, completion, suggestions and progress of the command line."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hanabilab.cli import COMMANDS, GROUPS, build_parser
from hanabilab.cli.completion import SHELLS, completions
from hanabilab.game.rules import PRESETS
from hanabilab.lab import progress
from hanabilab.strategies import STRATEGIES
from tests.conftest import Answer

Command = Callable[..., Answer]
PARSERS = build_parser().commands


def test_the_overview_has_three_examples_and_every_command_in_its_group(command: Command) -> None:
    code, out, err = command("--help")
    assert (code, err) == (0, "")
    examples = out.partition("examples:\n")[2].partition("\n\n")[0].splitlines()
    assert len(examples) == 3
    places = [out.index(f"\n{group}:\n") for group in GROUPS]
    assert places == sorted(places)
    assert out.index(examples[0]) < places[0]
    for group, start, end in zip(GROUPS, places, [*places[1:], len(out)], strict=True):
        listed = re.findall(r"^  (\w+) +[A-Z]", out[start:end], re.MULTILINE)
        assert listed == list(GROUPS[group])
    for line in examples:
        build_parser().parse_args(shlex.split(line)[1:])


def test_the_overview_loads_neither_numpy_nor_llvm() -> None:
    code = "import sys; from hanabilab.cli import main; main(['--help']); "
    code += "print(bool({'numpy', 'llvmlite'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


MINE = """
import hanabilab.author as ha
def act(view, memory): return 0
boldness = ha.Option(default=1, help="how bold", least=1, most=5)
careful = ha.Strategy("careful", act, options={"boldness": boldness})
"""


def examples_of(name: str) -> list[str]:
    epilog = PARSERS[name].epilog or ""
    return [line.split("   ")[0] for line in re.findall(r"^  (.+)$", epilog, re.MULTILINE)]


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_come_last_and_are_understood(
    command: Command, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE, encoding="utf-8")
    out = command(name, "--help")[1]
    assert out.partition("\nexamples:\n")[2].strip() == (PARSERS[name].epilog or "")[10:].strip()
    examples = examples_of(name)
    assert examples
    assert all(line.startswith("hanabilab ") for line in examples)
    for line in examples:
        for part in re.split(r" [|<>]+ ", line):
            if part.startswith("hanabilab "):
                words = shlex.split(part)[1:]
                assert build_parser([words[0]]).parse_args(words).command == words[0]


NO_DEFAULT = {"FILE", "FOLDER", "ID", "E", "SCORE", "STRATEGY", "CARDS", "DATE", "SERVER"}
NO_DEFAULT |= {"RULE=VALUE", "OPTION=VALUE", "OPTION=VALUES"}
"""What is not done, or not given, unless it is asked for."""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_default_is_in_the_help(name: str) -> None:
    parser = PARSERS[name]
    silent = [
        action.option_strings[0]
        for action in parser.actions()
        if action.option_strings
        and action.nargs != 0
        and not action.required
        and "default" not in parser.help_text(action)
        and not (action.default in (None, []) and action.metavar in NO_DEFAULT)
    ]
    assert silent == []


def texts(line: str) -> list[str]:
    return [each.text for each in completions(line)]


def test_commands_and_options_are_completed() -> None:
    assert set(texts("hanabilab ")) == {*COMMANDS, "--help", "--version"}
    assert texts("hanabilab cro") == ["crossplay"]
    assert texts("hanabilab dance ") == []
    flags = {flag for action in PARSERS["solve"].actions() for flag in action.option_strings}
    assert set(texts("hanabilab solve --")) == flags - {"-h"}
    assert texts("hanabilab play rule-based --hint") == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hanabilab play ", set(STRATEGIES)),
        ("hanabilab play cheat ", set(STRATEGIES)),
        ("hanabilab simulate cheat --rules ", set(PRESETS)),
        ("hanabilab simulate cheat --rules=co", {"--rules=cox", "--rules=cox-program"}),
        ("hanabilab rules co", {"cox", "cox-program"}),
        ("hanabilab play cheat --set-rule hand", {"hand-size="}),
        ("hanabilab play rule-based:inte", {"rule-based:interpretation="}),
        (
            "hanabilab play rule-based:hint-rule=2,interpretation=",
            {
                "rule-based:hint-rule=2,interpretation=paper",
                "rule-based:hint-rule=2,interpretation=program",
            },
        ),
        ("hanabilab play rule-based:safe=", {"rule-based:safe=yes", "rule-based:safe=no"}),
        ("hanabilab sweep rule-based --vary hint-r", {"hint-rule="}),
        ("hanabilab sweep rule-based --set=hint-r", {"--set=hint-rule="}),
        ("hanabilab tune rule-based --set safe=", {"safe=yes", "safe=no"}),
        ("hanabilab play cheat --set-rule open-game=", {"open-game=yes", "open-game=no"}),
        ("hanabilab deck p3", {"p3v0s"}),
        ("hanabilab play cheat --deck p2", {"p2v0s"}),
        ("hanabilab play cheat --seed 1", {"1"}),
        ("hanabilab convert game.json l", {"link"}),
        ("hanabilab reproduce c", {"cox"}),
        ("hanabilab reproduce cox --only cox.hat", {"cox.hats"}),
        ("hanabilab completion ", set(SHELLS)),
        ("hanabilab play cheat --json", {"--json"}),
        ("hanabilab play 'open", set()),
    ],
)
def test_values_are_completed(line: str, expected: set[str]) -> None:
    assert set(texts(line)) == expected


def test_options_of_a_strategy_of_ones_own_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE, encoding="utf-8")
    assert texts("hanabilab play mine.py:careful:bo") == ["mine.py:careful:boldness="]
    assert texts("hanabilab tune mine.py:careful --vary b") == ["boldness="]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hanabilab cro", ["crossplay"]),
        ("hanabilab play rule-based:inte", ["no space", "interpretation="]),
        ("hanabilab deck p3", ["no space", "p3v0s"]),
        ("hanabilab strat", ["strategies"]),
    ],
)
def test_bash_completes(tmp_path: Path, line: str, expected: list[str]) -> None:
    """In a real shell, which begins new words at colons and equals signs."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    program = tmp_path / "hanabilab"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hanabilab "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = (
        f"PATH={tmp_path}:$PATH; compopt() {{ echo no space; }}; "
        'eval "$(hanabilab completion bash)"; '
        f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}; _hanabilab; "
        "printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p hanabilab"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    *found, registered = done.stdout.splitlines()
    assert found == expected
    assert registered == "complete -o default -F _hanabilab hanabilab"


def test_other_shells_get_descriptions(command: Command) -> None:
    line = "hanabilab play rule-based:inte"
    zsh, fish = (command("completion", shell, line)[1] for shell in ("zsh", "fish"))
    assert zsh.startswith("rule-based\\:interpretation=:")
    assert fish.startswith("rule-based:interpretation=\t")
    for shell, (script, _) in SHELLS.items():
        assert command("completion", shell) == (0, script, "")
        assert f"hanabilab completion {shell} " in script


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("plai", "play"),
        ("play informaton", "information"),
        ("play cheat --ruls cox", "--rules"),
        ("play cheat --rules clasic", "classic"),
        ("play cheat --set-rule hand-sise=4", "hand_size"),
        ("play rule-based:hint-rul=2", "hint_rule"),
        ("play rule-based:interpretation=papr", "paper"),
        ("play compose:rule-list=play-save", "play-safe"),
        ("play search:blueprint=hater", "hatter"),
        ("convert p2v0s1 jsn", "json"),
        ("reproduce thesys", "thesis"),
        ("reproduce --only cox.hat1", "cox.hats"),
        ("bench engin", "engine"),
        ("tune rule-based --objective scor", "score"),
        ("dataset iggi --games 1 --out x --format parket", "parquet"),
        ("completion bsh", "bash"),
    ],
)
def test_misspelled_names_get_a_suggestion(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, meant: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command(*line.split())
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(rf"(did you mean |near: ){meant.replace('_', '[_-]')}\b", err), err


def test_reproduce_lists_its_tables(command: Command) -> None:
    code, out, err = command("reproduce", "cox", "--list")
    assert (code, err) == (0, "")
    assert re.search(r"^cox\.hats +Hat guessing.* 3$", out, re.MULTILINE)
    assert "thesis" not in out
    assert len(command("reproduce", "--list")[1].splitlines()) > 40


def run_with_reports(monkeypatch: pytest.MonkeyPatch, times: list[float]) -> list[str]:
    """Report games at these times, a work each, and return the lines on standard error."""
    stream, clock = io.StringIO(), iter(times)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 10.0)
    monkeypatch.setattr("hanabilab.lab.progress.time.monotonic", lambda: next(clock))
    monkeypatch.setattr(progress, "_LOG", progress._Log())
    monkeypatch.setattr(sys, "stderr", stream)
    for done in range((len(times) - 1) // 2):
        with progress.progress_bar("simulate", 1000) as report:
            report(done, "games")
    return stream.getvalue().splitlines()


def test_a_line_every_ten_seconds_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_with_reports(monkeypatch, [0, 0, 5, 5, 11, 11, 15, 15, 22]) == [
        "simulate: 1 of 1,000; games",
        "simulate: 3 of 1,000; games",
    ]


def test_work_after_a_pause_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_with_reports(monkeypatch, [0, 0, 5, 60, 61]) == []


def test_nothing_is_said_if_nothing_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress_bar("simulate", 10, False) as report:
        report(1, "games")
    assert capsys.readouterr().err == ""
