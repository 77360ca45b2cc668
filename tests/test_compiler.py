"""Compiled kernels do what Python does, on this processor and, as far as LLVM tells, on ARM64."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hanabilab as hl
from hanabilab.author import Memory, View, kernel
from hanabilab.core import bits, machine_code
from hanabilab.core.bits import drop_lowest, nth_lowest, popcount, spread
from hanabilab.core.code_cache import ObjectFile
from hanabilab.core.compiler import functions, target
from hanabilab.core.compiler.functions import Program
from hanabilab.core.compiler.target import Target, emit_object, host
from hanabilab.core.compiler.types import type_of
from hanabilab.core.machine_code import Callback
from hanabilab.core.record import Record, assign, ints, nested, pack, unpack
from hanabilab.errors import KernelError
from hanabilab.strategies import find_strategy

SMALL = st.integers(-40, 40)
LARGE = st.integers(-(1 << 40), 1 << 40)
PLAIN = Target(host().triple, host().cpu, host().features, has_fast_pdep=False)
"""This processor without the instructions that only some processors have."""
ARM = Target("aarch64-unknown-linux-gnu", "generic")


def compiled(
    function: Callable[..., Any],
    *arguments: Any,
    check: bool = True,
    target: Target | None = None,
) -> Any:
    """Compile a kernel of these tests, without caching it, and return a function that calls it."""
    program = Program(checked=check, target=target)
    result, can_fail = program.add_entry("entry", function, [type_of(each) for each in arguments])
    errors, sites = tuple(program.failures.errors), tuple(program.failures.sites)
    entries = (("entry", result, can_fail),)
    (address,) = machine_code._link(ObjectFile(entries, errors, sites, emit_object(str(program))))
    entry = machine_code._Entry(address, result, can_fail, None)
    return machine_code._call_of(entry, arguments)


class Leaf(Record):
    """A part of a record."""

    weight: float
    marks: list[int] = ints(3)


class Tree(Record):
    """A record with everything that records can hold."""

    height: int
    grid: list[list[int]] = ints(2, 3)
    one: Leaf = nested(Leaf)
    other: Leaf = nested(Leaf)


class Row(Record):
    """An array of a fixed length, of which slices can be taken."""

    numbers: list[int] = ints(8)


class Pair(NamedTuple):
    """A tuple with names."""

    low: int
    high: int


@kernel
def arithmetic(a: int, b: int, out: list[int]) -> None:
    """Write the result of every operation."""
    c = b if b else 7
    out[0] = a // c
    out[1] = a % c
    out[2] = (a >> 3) + (a & b) - (a | b) * (a ^ b)
    out[3] = ~a << 2
    out[4] = -a
    out[5] = abs(b)
    out[6] = min(a, b, 3) - max(a, b, -3)
    out[7] = (a < b) + (a <= b) * 2 + (a == b) * 4 + (a != b) * 8 + (a > b) * 16 + (a >= b) * 32
    out[8] = -3 < a <= 5
    out[9] = a in (1, b, 4)
    out[10] = a and b
    out[11] = a or b
    out[12] = not a
    out[13] = (a > 0) & (b > 0) | (a < -5) ^ (b < -5)
    out[14] = int(a / c)
    out[15] = 100 // 7 + -100 // 7 + 100 % -7


@kernel
def fractions(a: float, b: int) -> float:
    """Mix floats and integers."""
    total = 0.0
    for _ in range(3):
        total = total * 0.5 + a - b / 4
    if total > b:
        total -= 1e-3
    return max(total, float(b)) + min(a, 0.25) + float(b) * -a + abs(a) + int(a)


@kernel
def loops(count: int, step: int, out: list[int]) -> int:
    """Go through loops of every kind."""
    place = 0
    for number in range(count, -count, -step):
        if number % 3 == 0:
            continue
        if number == -11:
            break
        out[place % 16] += number
        place += 1
    else:
        out[1] += 1000
    last = -1
    for last in range(2, count):
        count -= last & 1  # no effect on how often
    while place > 0:
        place -= 2
        if place == 4:
            break
    else:
        out[2] += 5000
    return last * 100 + place


@kernel
def swap(a: int, b: int) -> tuple[int, int]:
    """Return two numbers."""
    return b, a


@kernel
def sort(a: int, b: int) -> Pair:
    """Return a named tuple."""
    if a > b:
        a, b = swap(a, b)
    return Pair(a, b)


@kernel
def width(pair: Pair, other: tuple[int, int]) -> int:
    """Read tuples by name and by place."""
    return pair.high - pair.low + other[1] * 1000


@kernel
def tuples(a: int, b: int) -> int:
    """Pass tuples on."""
    return width(sort(a, b), (a, b)) + len((a, b))


@kernel
def records(tree: Tree, a: int) -> int:
    """Read and write records and rows of them."""
    row = tree.grid[a % 2]
    row[-1] += a
    row[a % 3] -= 2
    leaf = tree.one if a & 1 else tree.other
    leaf.weight += 0.5
    leaf.marks[a % 3] = tree.grid[1][2]
    if a % 5 == 0:
        assign(tree.other, tree.one)
    tree.height = len(row) + len(tree.grid) * 10
    return row[2] + leaf.marks[0]


@kernel
def total(numbers: list[int]) -> int:
    """Add numbers up."""
    found = 0
    for place in range(len(numbers)):
        found = found * 3 + numbers[place]
    return found


@kernel
def slices(row: Row, a: int, b: int) -> int:
    """Take slices of an array."""
    found = total(row.numbers[a:b]) + 7 * total(row.numbers[:a])
    return found + 11 * total(row.numbers[b:])


@kernel
def narrow(table: Any, flags: Any, a: int) -> int:
    """Write and read bytes and truth values."""
    table[1][2] = a & 1
    flags[a & 7] = a >> 1 & 1
    spread(a & 2047, 11, table[0], 1)
    spread(a & 31, 5, flags, 1)
    found: int = 0
    for place in range(12):
        found = found * 2 + int(table[0][place])
    return found + int(table[1][2]) + (1 << 20 if flags[2] else 0)


@kernel
def sets(members: int, count: int) -> int:
    """Take members out of a set."""
    return drop_lowest(members, count) + nth_lowest(members, popcount(members) - 1)


ARITHMETIC = compiled(arithmetic, 0, 0, np.zeros(16, np.int64))
LOOPS = compiled(loops, 0, 0, np.zeros(16, np.int64))
FRACTIONS = compiled(fractions, 0.0, 0)
SLICES = compiled(slices, pack(Row())[0], 0, 0)
TUPLES = compiled(tuples, 0, 0)


@settings(deadline=None)
@given(LARGE | SMALL, LARGE | SMALL)
@example(-7, 2)
@example(7, -2)
@example(0, 0)
def test_arithmetic(a: int, b: int) -> None:
    expected, found = [0] * 16, np.zeros(16, np.int64)
    a, b = a % (1 << 30) - (1 << 29), b % (1 << 30) - (1 << 29)  # products must fit
    arithmetic(a, b, expected)
    ARITHMETIC(a, b, found)
    assert found.tolist() == expected


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), SMALL)
def test_floats_to_the_last_bit(a: float, b: int) -> None:
    assert FRACTIONS(a, b) == fractions(a, b)


@settings(deadline=None)
@given(st.integers(-5, 40), st.integers(-9, 9).filter(bool))
def test_loops(count: int, step: int) -> None:
    expected, found = [0] * 16, np.zeros(16, np.int64)
    assert LOOPS(count, step, found) == loops(count, step, expected)
    assert found.tolist() == expected


@settings(deadline=None)
@given(st.lists(SMALL, min_size=8, max_size=8), st.integers(-12, 12), st.integers(-12, 12))
def test_slices_as_python_takes_them(numbers: list[int], a: int, b: int) -> None:
    row = Row(numbers=numbers)
    assert SLICES(pack(row)[0], a, b) == slices(row, a, b)


@given(SMALL, SMALL)
def test_tuples(a: int, b: int) -> None:
    assert TUPLES(a, b) == tuples(a, b)


def test_records() -> None:
    expected, packed = Tree(), pack(Tree())[0]
    run = compiled(records, packed, 0)
    for number in (*range(12), -1, -7):
        assert run(packed, number) == records(expected, number)
        found = Tree()
        unpack(found, packed)
        assert found == expected


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.int32, np.bool_])
def test_numbers_of_other_sizes(kind: Any) -> None:
    table, flags = np.zeros((2, 16), kind), np.zeros(8, np.bool_)
    numbers, truths = [[0] * 16, [0] * 16], [0] * 8
    run = compiled(narrow, table, flags, 0)
    for number in (0, 1, 0b1011, 1027, 2047):
        assert run(table, flags, number) == narrow(numbers, truths, number)
        assert table.tolist() == numbers
        assert flags.tolist() == truths


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("target", [host(), PLAIN], ids=["host", "plain"])
def test_sets_with_and_without_a_special_instruction(target: Target, check: bool) -> None:
    cases = [(0b1011000, 2), (bits.LOW_62, 40), (1 << 61, 0), (0b111, 2), ((1 << 63) - 1, 62)]
    run = compiled(sets, 1, 0, target=target, check=check)
    assert [run(*case) for case in cases] == [sets(*case) for case in cases]


def test_the_plain_fallback_needs_no_special_instruction() -> None:
    texts = {}
    for processor in (Target(host().triple, has_fast_pdep=True), PLAIN):
        program = Program(checked=True, target=processor)
        program.add_entry("entry", sets, [type_of(1), type_of(1)])
        texts[processor.has_fast_pdep] = str(program)
    assert "llvm.x86" in texts[True]
    assert "llvm.x86" not in texts[False]


@kernel
def undefined(a: int) -> int:
    """Read what was never written."""
    found: int = a + nowhere  # type: ignore[name-defined]  # noqa: F821
    return found


@kernel
def both(a: int) -> Any:
    """Hold a number and a tuple in one variable."""
    found: Any = a
    if a:
        found = (a, a)
    return found


@pytest.mark.parametrize(("function", "what"), [(undefined, "nowhere"), (both, "found")])
def test_what_it_does_not_know_is_named(function: Callable[..., Any], what: str) -> None:
    with pytest.raises(KernelError, match=rf"test_compiler.py, line \d+(?s:.*)'?`?{what}"):
        compiled(function, 1)


class TwinProgram(Program):
    """A program that is compiled for ARM64 as well."""

    made: list[Program]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._twin = Program(**{**options, "target": ARM})
        self.made.append(self._twin)

    def add_entry(self, name: str, function: Any, types: Any) -> tuple[str, bool]:
        self._twin.add_entry(name, function, types)
        return super().add_entry(name, function, types)

    def add_callback(self, name: str, function: Any, types: Any, result: str) -> None:
        self._twin.add_callback(name, function, types, result)
        super().add_callback(name, function, types, result)


@pytest.fixture(scope="module")
def twins() -> list[Program]:
    """Return ARM64 programs of the loop of games and of some strategies."""
    made: list[Program] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TwinProgram, "made", made, raising=False)
        patch.setattr(functions, "Program", TwinProgram)
        patch.setattr(machine_code, "_entries", {})
        patch.setattr(machine_code, "_addresses", {})
        patch.setattr(machine_code, "load_object", lambda path: None)
        patch.setattr(machine_code, "save_object", lambda made, path: None)
        patch.setattr(target, "OPTIMIZATION", 0)  # here; for ARM64 as for users
        for name in ("random", "recommendation"):
            hl.simulate(name, players=3, games=2, threads=1)
    return made


def test_everything_compiles_for_arm(twins: list[Program]) -> None:
    assert len(twins) >= 3
    for program in twins:
        text = str(program)
        assert "llvm.x86" not in text
        code = emit_object(text, ARM)  # verifies the module
        assert code[:4] == b"\x7fELF"
        assert int.from_bytes(code[18:20], "little") == 183  # AArch64


def test_loops_are_unrolled_except_in_large_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def emit(text: str, *, small: bool, unrolled: bool) -> bytes:
        asked.append(unrolled)
        return emit_object(text, small=small, unrolled=unrolled)

    monkeypatch.setattr(target, "emit_object", emit)
    monkeypatch.setattr(machine_code, "load_object", lambda path: None)
    monkeypatch.setattr(machine_code, "save_object", lambda made, path: None)
    monkeypatch.setattr(machine_code, "_addresses", {})
    act = Callback(find_strategy("random").act, "int", (View, Memory))
    for lines in (1, 10**6):
        monkeypatch.setattr(machine_code, "MANY_LINES", lines)
        machine_code._addresses.clear()
        machine_code.callbacks("random", act)
    assert asked == [False, True]


def test_unrolled_loops_are_longer() -> None:
    program = Program(checked=False)
    program.add_entry("entry", total, [type_of(np.zeros(9, np.int64))])
    assert len(emit_object(str(program), unrolled=False)) < len(emit_object(str(program)))


def test_invalid_code_does_not_pass() -> None:
    with pytest.raises(RuntimeError):
        emit_object("define i64 @f() {\n  ret i64 %missing\n}", ARM)


def test_sets_use_no_foreign_instruction_on_arm() -> None:
    program = Program(checked=True, target=ARM)
    program.add_entry("entry", sets, [type_of(1), type_of(1)])
    assert "llvm.x86" not in str(program)
    module = llvm.parse_assembly(str(program))
    module.verify()
    assert emit_object(str(program), ARM)


TWO_LINES = """
from hanabilab.author import kernel
from hanabilab.core import machine_code

@kernel
def add(a, b):
    return max(
        a, b
    )

print(machine_code.run(add, 3, 4))
"""


def test_compiles_where_python_does_not_know_where_a_statement_ends(tmp_path: Path) -> None:
    program = tmp_path / "two_lines.py"
    program.write_text(TWO_LINES)
    made = subprocess.run(
        [sys.executable, "-X", "no_debug_ranges", str(program)],
        env={**os.environ, "HANABILAB_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == "4\n"
