"""Kernels of a user's own: whatever they do wrong is an error that helps, compiled too."""

from __future__ import annotations

import importlib.util
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.conftest import Answer

import hanabilab as hl
import hanabilab.author as ha
from hanabilab.errors import KernelError, StrategyError

Command = Callable[..., Answer]

FAULTY = '''
import hanabilab.author as ha
from hanabilab.core.random import below
from hanabilab.game.actions import count_legal, nth_legal
from hanabilab.game.state import rank_of

WRONG = (5, 7)


class Faulty(ha.Memory):
    fault: int
    observed: int


@ha.kernel
def act(view, memory):
    """Do something wrong in turn 4."""
    action = nth_legal(view, below(memory, count_legal(view)))
    if view.turn == 3:
        late = view.turn
        if memory.fault == 1:
            return action + late // (late - 3)
        if memory.fault == 2:
            return action + view.hand_count[late + 57]
        if memory.fault == 3:
            return action + rank_of(view, 1000 * late)
        if memory.fault == 4:
            raise ValueError("this turn")
        if memory.fault == 5:
            return action + WRONG[late]
        if memory.fault == 6:
            assert late == 0, "late"
        if memory.fault == 7:
            return action + late % (late - 3)
        if memory.fault == 8:
            return 999
        if memory.fault == 11:
            return action + (late << 60) * 8
    return action


@ha.kernel
def observe(view, event, memory):
    """Count turns, and stumble over one."""
    memory.observed += 1
    if memory.fault == 9:
        memory.observed //= 3 - view.turn


@ha.kernel
def begin(view, memory):
    """Look at hands that are not there."""
    if memory.fault == 10:
        return view.hands[view.observer + 60]
    return 0


faulty = ha.Strategy(
    "faulty",
    act,
    observe,
    begin,
    memory=Faulty,
    options={"fault": ha.Option(default=0, most=11, help="what goes wrong")},
)


@ha.kernel
def half(view, memory):
    """Answer with a half."""
    return 0.5


@ha.kernel
def sometimes(view, memory):
    """Answer with nothing in turn 3."""
    if view.turn < 2:
        return nth_legal(view, below(memory, count_legal(view)))


@ha.kernel
def truth(view, memory):
    """Answer with a truth value."""
    return view.turn > 3
'''

FAULTS = {
    1: "ZeroDivisionError",
    2: "IndexError",
    3: "IndexError",
    4: "ValueError: this turn",
    5: "IndexError",
    6: "AssertionError: late",
    7: "ZeroDivisionError",
    9: "ZeroDivisionError",
    10: "IndexError",
}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The file above, as a module."""
    return load(FAULTY, tmp_path_factory.mktemp("own") / "faulty.py")


def load(source: str, file: Path) -> ModuleType:
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def error_of(strategy: ha.Strategy, *, compiled: bool = True) -> str:
    with pytest.raises(StrategyError) as raised:
        hl.simulate(strategy, players=3, games=50, seed=7, compiled=compiled)
    return str(raised.value)


@pytest.mark.parametrize("fault", FAULTS)
def test_compiled_kernels_fail_as_interpreted_ones_do(module: ModuleType, fault: int) -> None:
    said = error_of(module.faulty.with_options(fault=fault))
    assert said == error_of(module.faulty.with_options(fault=fault), compiled=False)
    assert re.match(r"faulty, player \d, failed in turn \d of game \d+ of seed 7: ", said)
    assert FAULTS[fault] in said
    line = re.search(r"faulty\.py, line (\d+)\)", said)
    assert line
    assert re.search(r"see it with  hl\.play\(strategy, .*seed=7, game=\d+\)$", said)


def test_an_integer_beyond_63_bits_never_becomes_an_action(module: ModuleType) -> None:
    said = error_of(module.faulty.with_options(fault=11))
    assert "failed in turn 4 of game 0 of seed 7: OverflowError: an integer grows beyond" in said
    assert re.search(r"faulty\.py, line \d+\)$", said)


def test_an_illegal_action_is_told_from_a_failure(module: ModuleType) -> None:
    said = error_of(module.faulty.with_options(fault=8))
    assert "chose action 999 in turn 4 of game 0 of seed 7, which is not legal" in said


def test_without_a_fault_it_plays(module: ModuleType) -> None:
    compiled = hl.simulate(module.faulty, players=3, games=50, seed=7)
    interpreted = hl.simulate(module.faulty, players=3, games=50, seed=7, compiled=False)
    assert compiled.histogram == interpreted.histogram


def test_a_function_that_sometimes_returns_nothing(module: ModuleType) -> None:
    said = error_of(ha.Strategy("sometimes", module.sometimes))
    where = "failed in turn 3 of game 0 of seed 7: TypeError: sometimes ends without returning"
    assert where in said
    interpreted = error_of(ha.Strategy("sometimes", module.sometimes), compiled=False)
    assert "failed in turn 3 of game 0 of seed 7: it answered None, which is not" in interpreted


@pytest.mark.parametrize(("name", "answer"), [("half", "a float"), ("truth", "a bool")])
def test_answers_that_are_no_numbers_are_refused(
    module: ModuleType, name: str, answer: str
) -> None:
    assert f"`{name}` returns {answer}; it must" in error_of(
        ha.Strategy(name, getattr(module, name))
    )


def test_a_failing_blueprint_stops_the_search(module: ModuleType) -> None:
    from hanabilab.strategies.search import search_over

    blueprint = module.faulty.with_options(fault=9)
    search = search_over({}, blueprint).with_options(samples=5)
    assert "failed in turn" in error_of(search)


CANNOT_BE_COMPILED = """
import hanabilab.author as ha

TABLE = {"a": 1}
LIST = [1, 2]

def helper(view):
    return 0

@ha.kernel
def unknown_field(view, memory):
    return view.tokens  # here

@ha.kernel
def undeclared(view, memory):
    memory.seen = 1  # here
    return 0

@ha.kernel
def unmarked(view, memory):
    return helper(view)  # here

@ha.kernel
def inner(view):
    return view.tokens  # here, from `outer`

@ha.kernel
def outer(view, memory):
    return inner(view)

@ha.kernel
def prints(view, memory):
    print(view.turn)  # here
    return 0

@ha.kernel
def dictionary(view, memory):
    return TABLE["a"]  # here

@ha.kernel
def reflected(view, memory):
    return LIST[0]  # here

@ha.kernel
def undefined(view, memory):
    return nowhere  # here

@ha.kernel
def two_types(view, memory):
    x = 1
    if view.turn:
        x = 0.5  # here
    return x

@ha.kernel
def adds_text(view, memory):
    return view.turn + "one"  # here

@ha.kernel
def too_few(view):
    return 0
"""

ADVICE = {
    "unknown_field": "`view` has no field `tokens`; did you mean `hint_tokens`?",
    "undeclared": "declare `seen` in your Memory",
    "unmarked": "mark `helper` with @kernel",
    "outer": "`view` has no field `tokens`; did you mean `hint_tokens`?",
    "prints": "`print` cannot run compiled",
    "dictionary": "a kernel cannot use a dict",
    "reflected": "make it a tuple",
    "undefined": "name 'nowhere' is not defined",
    "two_types": "`x` is an int here and a float there; write a float literal",
    "adds_text": "a kernel cannot use text",
    "too_few": "too_few(view) is called with 2 arguments: view, memory",
}


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(CANNOT_BE_COMPILED, tmp_path_factory.mktemp("wrong") / "wrong.py")


@pytest.mark.parametrize("name", ADVICE)
def test_what_cannot_be_compiled_is_said_in_five_lines(wrong: ModuleType, name: str) -> None:
    with pytest.raises(KernelError) as raised:
        hl.simulate(ha.Strategy(name, getattr(wrong, name)), players=2, games=1)
    lines = str(raised.value).split("\n")
    assert len(lines) <= 5
    place = re.match(r"(.*wrong\.py), line (\d+), in (\w+):$", lines[0])
    assert place
    if name != "too_few":
        text = Path(place[1]).read_text().split("\n")[int(place[2]) - 1]
        assert "# here" in text
        assert lines[1] == f"    {text.strip()}"
    assert ADVICE[name] in " ".join(lines[1:])


def test_the_command_line_says_it_too(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(CANNOT_BE_COMPILED + "\nmine = ha.Strategy('mine', unknown_field)\n")
    code, out, err = command("simulate", f"{file}:mine", "--games", "5")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) <= 5
    assert "did you mean `hint_tokens`?" in err
    assert "Traceback" not in err
    code, out, err = command("simulate", f"{file}:mine", "--games", "5", "--traceback")
    assert code == 2
    assert "Traceback" in err
    assert "UnsupportedError" in err


def test_an_undeclared_field_is_an_error_interpreted_too() -> None:
    def act(view: ha.View, memory: ha.Memory) -> int:
        memory.mine = getattr(memory, "mine", 0) + 1
        return 0

    said = error_of(ha.Strategy("leaky", act), compiled=False)
    assert "Memory has no field mine; declare `mine: int` in your Memory" in said


def test_nothing_is_left_in_a_memory_for_the_next_game() -> None:
    def act(view: ha.View, memory: ha.Memory) -> int:
        before: int = vars(memory).setdefault("mine", 0)
        vars(memory)["mine"] = before + 1
        return view.rules.hand_size + before % 5  # a play

    sly = ha.Strategy("sly", act)
    rules = hl.Rules.classic(2, keep_score=True)
    results = [hl.simulate(sly, rules=rules, games=60, chunk=chunk).mean for chunk in (1, 7, 60)]
    assert results[0] == results[1] == results[2] > 0


LOOPS = '''
import hanabilab.author as ha

@ha.kernel
def act(view, memory):
    """Think for ever."""
    x = view.turn
    while x < 1 << 40:
        x = (x + 7) % 999_999
    return x

def turn_in_python(view, memory):
    """Think for ever, uncompiled."""
    while True:
        pass

compiled = ha.Strategy("compiled", act)
plain = ha.Strategy("plain", turn_in_python)
'''


@pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")
@pytest.mark.parametrize(("name", "threads"), [("compiled", 1), ("compiled", 2), ("plain", 1)])
def test_ctrl_c_stops_a_strategy_that_never_returns(
    tmp_path: Path, name: str, threads: int
) -> None:
    file = tmp_path / "loops.py"
    file.write_text(LOOPS)
    program = (
        "import threading, time, sys, os, signal\n"
        "from hanabilab.lab import run\n"
        "from hanabilab.cli import main\n"
        "wait = run._wait\n"
        "def waiting(*arguments):\n"
        "    print('started', flush=True)\n"
        "    return wait(*arguments)\n"
        "run._wait = waiting\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [
        sys.executable,
        "-c",
        program,
        "simulate",
        f"{file}:{name}",
        "--threads",
        f"{threads}",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == 130
        assert err.endswith("interrupted\n")
