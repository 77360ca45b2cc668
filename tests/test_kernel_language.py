"""Each line of `docs/reference/kernels.md`, in both directions.

What the page allows gives the same results compiled as interpreted; what it says is checked stops
with the error it names; what it refuses is refused with a message that helps.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import re
import struct
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabilab.author import kernel
from hanabilab.core import machine_code
from hanabilab.core.code_cache import ObjectFile
from hanabilab.core.compiler.functions import Program
from hanabilab.core.compiler.target import emit_object
from hanabilab.core.compiler.types import UnsupportedError, type_of
from hanabilab.core.kernel import cold
from hanabilab.core.record import pack, unpack
from hanabilab.errors import KernelError, KernelRunError

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "kernels.md"

HEADER = """
import math
from enum import IntEnum
from typing import NamedTuple

import hanabilab.author as ha
from hanabilab.core.bits import drop_lowest, lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below, chance
from hanabilab.core.record import Record, assign, ints, nested


class Leaf(Record):
    n: int
    w: float
    m: list[int] = ints(3)


class Other(Record):
    m: list[int] = ints(3)


class Tree(Record):
    stream: int
    n: int
    w: float
    a: list[int] = ints(4)
    c: list[int] = ints(4)
    g: list[list[int]] = ints(2, 3)
    one: Leaf = nested(Leaf)
    two: Leaf = nested(Leaf)
    other: Other = nested(Other)


class Pair(NamedTuple):
    low: int
    high: int = 4


class Suit(IntEnum):
    RED = 1


class Settings:
    width = 3


SEVEN = 7
TABLE = (3, 1, -4)
LIST = [1, 2]
text = "text"


@kernel
def total(numbers):
    found = 0
    for number in numbers:
        found = found * 3 + number
    return found


@kernel
def scaled(a, factor=3, *, plus=1):
    return a * factor + plus


@kernel
def maybe(a, b=None):
    if b is None:
        return a
    return a + b


@kernel
def change(numbers):
    numbers[0] = 99
    return numbers[0]


@kernel
def nothing(t):
    t.n += 1


@kernel
def marked(t, a):
    t.n = t.n * 10 + a
    return a


@kernel
def sometimes(a):
    if a > 0:
        return a


@kernel
def forever(a):
    return forever(a - 1) + 1 if a > 0 else 0


def unmarked(a):
    return a


def closure(constant):
    @kernel
    def inner(a):
        return a * constant

    return inner


by_five = closure(5)
"""

ARGUMENTS = ((5, 3, 1.5), (-7, 2, -2.5), (0, -1, 0.0))
BIG = (1 << 63) - 1
LEAST = -(1 << 63)


@dataclass(frozen=True, slots=True)
class Case:
    """The body of a kernel of `t`, `a`, `b` and `x`, and values for the last three."""

    line: str
    """The first cell of its line of the page, or an issue."""
    body: str
    arguments: tuple[tuple[int, int, float], ...] = ARGUMENTS
    error: str = ""
    message: str = ""
    number: int = 0

    @property
    def source(self) -> str:
        body = textwrap.indent(textwrap.dedent(self.body).strip("\n"), "    ")
        return f"@kernel\ndef case_{self.number}(t, a, b, x):\n{body}\n"


def accepted(line: str, *bodies: str, arguments: Any = None) -> list[Case]:
    """Return cases that give the same both ways."""
    return [Case(line, body, tuple(arguments or ARGUMENTS)) for body in bodies]


def refused(line: str, message: str, *bodies: str) -> list[Case]:
    """Return cases that the compiler refuses with this message."""
    return [Case(line, body, message=message) for body in bodies]


def checked(line: str, error: str, body: str, *arguments: Any) -> list[Case]:
    """Return a case that stops with this error."""
    return [Case(line, body, tuple(arguments) or ((0, 0, 0.0),), error=error)]


TYPES = [
    *accepted(
        "`int`",
        "return 9223372036854775807 - a",
        "return -9223372036854775807 - 1",
        "return -9223372036854775808 + a",
        arguments=[(0, 0, 0.0)],
    ),
    *accepted(
        "`float`", "return x * 3 - 0.1", arguments=[(0, 0, v) for v in (-0.0, math.inf, 0.1)]
    ),
    *accepted("`bool`", "return (a > 3) + 1", "c = a > 3\nc = 7\nreturn c", "return a > 3"),
    *accepted("`None`", "nothing(t)", "return maybe(a) * 100 + maybe(a, b)"),
    *accepted("tuple", "p = Pair(a, b)\nreturn p.low * 10 + p[1] + (a, x, True)[0]"),
    *accepted("record", "leaf = t.one if a > 0 else t.two\nleaf.n = a\nleaf.m[1] = b\nt.w = x"),
    *accepted("array", "row = t.g[1]\nrow[2] = a\nreturn len(row) + len(t.g) * 10"),
]
CONSTRUCTS = [
    *accepted(
        "`x = …`, `a, b = b, a`, `x: int = …`, `x += …`, `(x := …)`",
        "a, b = b, a\nc: int = a - b\nc += 3\nd = e = c\nreturn (f := d + 1) + f * 10 + e",
        "t.n = 3\nt.a[1] += a\nt.g[1][2] = t.a[1]\nt.n, t.a[0] = t.a[1], t.n",
        "p, q, r, s = t.a\nreturn p + 10 * q + 100 * r + s",
    ),
    *accepted(
        "`if`/`elif`/`else`, `while`/`else`, `for`/`else`, `break`, `continue`, `pass`, `return`",
        """
        n = 0
        while n < 10:
            n += 1
            if n == a:
                break
            elif n % 2:
                continue
            pass
        else:
            n += 100
        for i in range(3):
            if i == b:
                return n * 1000
        else:
            n += 7
        return n
        """,
    ),
    *accepted(
        "`for i in range(…)`",
        "n = 0\nfor i in range(a):\n    n = n * 3 + i\nreturn n",
        "n = 0\nfor i in range(10, a, -3):\n    n = n * 3 + i\nreturn n",
        "n = 0\nfor i in range(a, 9, abs(b)):\n    n = n * 3 + i\nreturn n",
        "n = 0\nfor i in range((1 << 62) + 3, 9223372036854775807, 1 << 61):\n    n += 1\nreturn n",
        "t.n = 0\nfor t.a[1] in range(marked(t, 3)):\n    pass\nreturn t.n",
    ),
    *accepted(
        "`for x in …`",
        "n = 0\nfor i in t.a:\n    n = n * 3 + i\nreturn n",
        "n = 0\nfor row in t.g:\n    for i in row:\n        n = n * 3 + i\nreturn n",
        "n = 0\nfor i in (a, 4, b):\n    n = n * 3 + i\nreturn n",
        "n = 0\nfor i in t.a[1:3]:\n    t.a[2] = 50\n    n = n * 3 + i\nreturn n",
        "n = 0\nfor k, i in enumerate(t.a, start=2):\n    n = n * 3 + i * k\nreturn n",
        "n = 0\nfor i, k in zip(t.a, reversed(range(a, 9))):\n    n = n * 3 + i * k\nreturn n",
        "n = 0.0\nfor i in reversed((x, 2.5)):\n    n = n * 3 + i\nreturn n",
    ),
    *accepted(
        "`for x in …`",
        "n = 0\nfor i, k in zip(range(a, b, 5), t.a):\n    n = n * 3 + i % 7 * k\nreturn n",
        "n = 0\nfor i in reversed(range(b, a, 1 << 61)):\n    n = n * 3 + i % 7\nreturn n",
        arguments=[(5, 3, 1.5), (LEAST, BIG, -2.5), (BIG, LEAST, 0.0)],
    ),
    *accepted(
        "`+ - * // % << >> & \\| ^ ~`, `**`",
        "return a // b * 1000 + a % b + (a & b) + (a | b) * 3 + (a ^ b) * 5 + ~a",
        "return (a << 3) + (a >> 1) + a**2 + 2**3 - -a + +b",
        "return (a > 0) & (b > 0) | (a < 0) ^ (b < 0)",
    ),
    *accepted(
        "`+ - * / // % **` with a float",
        "return x + a - x * b + x / 3 + a // 0.7 + x % 0.3",
        "return abs(x) ** 0.5 + 2.0**a + x**2",
        "return x // b",
        "return x % b",
        arguments=[(5, 3, 1.5), (-7, -2, -2.5), (2, 5, -0.0), (1, 3, 1e150), (3, -1, 0.1)],
    ),
    *accepted("`/`", "return a / b", arguments=[(1, 3, 0.0), (-7, 2, 0.0), (1 << 53, 3, 0.0)]),
    *accepted(
        "`< <= > >= == !=`, chained",
        "t.n = 0\nreturn a < b < marked(t, 5)",
        "return (a < x) + 2 * (a == x) + 4 * (x <= a) + 8 * (a != x)",
        "return ((a, b) < (3, a)) + 2 * ((a, b) == Pair(a, b)) + 4 * ((a,) < (a, b))",
        "return a < b < 1 // a if a else False",
        arguments=[
            *((5, 3, 1.5), (1, 2, 1.0), (BIG, 0, 2.0**63), ((1 << 53) + 1, 0, 2.0**53)),
            *((LEAST, 0, -(2.0**63)), (0, 0, math.nan), (7, 0, math.inf)),
        ],
    ),
    *accepted(
        "`in`, `not in`",
        "return (a in (1, 5, b)) + 2 * (a not in range(0, 9, 5)) + 4 * (a in t.a)",
        "return a in range(-9223372036854775807 - 1, 9223372036854775807, 3)",
        "return (a, b) in ((5, 3), (1, 1))",
    ),
    *accepted(
        "`is None`, `is not None`, `== None`",
        "return (a is None) + 2 * (a is not None) + 4 * (a == None)",
        "return maybe(a) + maybe(a, b=b)",
    ),
    *accepted(
        "`and`, `or`, `not`, `a if c else b`",
        "return (a and b) * 10 + (a or b) + (not a)",
        "t.n = 0\nif a > 0 and marked(t, 4) or marked(t, 5):\n    t.n += 100\nreturn t.n",
        "return 100 // a if a else 0",
    ),
    *accepted(
        "`t[i]`, `t[i][j]`, `t[-1]`",
        "return t.a[a % 4] + t.g[b % 2][a % 3] * 10 + t.a[-1] * 100 + t.g[-1][-2]",
    ),
    *accepted("`t[i]` of a tuple", "return (a, 7, b)[a % 3] + TABLE[b % 3] + (x > 0, True)[a % 2]"),
    *accepted(
        "`t[a:b]`",
        "return total(t.a[a:b]) + total(t.a[:a]) + total(t.a[b:]) + len(t.a[-3:-1])",
        "return change(t.a[0:2]) + t.a[0]",
        "return sum(t.a[1:]) + max(t.a[:2])",
    ),
    *accepted("`t.p[:] = t.q`", "t.c[:] = t.a\nt.a[0] = 77\nt.g[0][:] = t.g[1]\nt.g[1][0] = 5"),
    *accepted(
        "calls of kernels",
        "return scaled(a) + scaled(a, 2) * 10 + scaled(a, plus=b) + scaled(factor=b, a=a)",
    ),
    *accepted(
        "constants",
        "return SEVEN + TABLE[1] + Suit.RED * 100 + Settings.width + by_five(a)",
    ),
    *checked(
        '`raise Error("text")`, `assert condition, "text"`', "ValueError", 'raise ValueError("no")'
    ),
    *checked(
        '`raise Error("text")`, `assert condition, "text"`',
        "AssertionError",
        'assert a > 0, "no"',
    ),
    *accepted(
        "`abs bool divmod float int len max min pow round sum`, `any`, `all`",
        "q, r = divmod(a, b)\nreturn abs(a) + bool(a) + q * 100 + r * 10 + len(t.a) + int(x)",
        "return max(a, b, 2) + min(a, b) * 10 + max(t.a) * 100 + sum(t.a) + sum((a, b, True), 4)",
        "return round(x) + round(a) + pow(abs(b), 3)",
        "return float(a) + max(x, 0.5) + min((x, 2.0))",
        "return any((a, b)) + 2 * all((a, b)) + 4 * any(t.a) + 8 * all(t.a)",
        "return min(a > 0, b > 0) + 2 * max(a > 0, b > 0)",
    ),
    *accepted(
        "`any(… for x in …)`, `all`, `sum`, `min`, `max`",
        "return any(i == a for i in t.a) + 2 * all(i < a for i in range(b))",
        "return sum(i * a for i in t.a if i > 1 if i < 9)",
        "return min(abs(i - a) for i in t.a) + max(i % 5 for i in range(20) if i != b)",
        "return max(i * x for i in range(1, 4))",
    ),
    *accepted(
        "`math.sqrt`, `math.floor`, `math.ceil`, `math.exp`, `math.log`",
        "return math.sqrt(abs(x)) + math.exp(x) + math.log(abs(a) + 1)",
        "return math.floor(x) * 10 + math.ceil(x)",
    ),
    *accepted(
        "`x.bit_count()`, `x.bit_length()`",
        "return a.bit_count() * 100 + a.bit_length()",
        arguments=[(5, 0, 0.0), (-5, 0, 0.0), (LEAST, 0, 0.0), (0, 0, 0.0)],
    ),
    *accepted(
        "`popcount`, `lowest`, `drop_lowest`, `nth_lowest`, `below`, `chance`, `assign`",
        "return popcount(abs(a)) + lowest(a | 64) * 10 + drop_lowest(abs(a), 1) * 1000",
        "return nth_lowest(abs(a) | 7, 2) + below(t, 6) * 10",
        "return chance(t)",
        "row = t.one.m\nassign(t.one, t.two)\nt.one.n = a\nreturn row[1]",
    ),
]
CHECKS = [
    *(
        case
        for body in ("return t.a[a]", "return (1, 2, b)[a]", "t.g[1][a] = 3")
        for case in checked(
            "an index is outside its array or tuple, or a computed index is negative",
            "IndexError",
            body,
            *((4, 0, 0.0), (BIG, 0, 0.0), (-1, 0, 0.0), (LEAST, 0, 0.0)),
        )
    ),
    *(
        case
        for body in (
            "return a // b",
            "return a % b",
            "return a / b",
            "return x // b",
            "return x % b",
        )
        for case in checked("a divisor is zero", "ZeroDivisionError", body, (5, 0, 1.0))
    ),
    *(
        case
        for body, given in {
            "return a + b": (BIG, 1),
            "return a - b": (LEAST, 1),
            "return a * b": (1 << 32, 1 << 31),
            "return a // b": (LEAST, -1),
            "return a ** b": (2, 63),
            "return a << b": (1, 63),
            "return abs(a)": (LEAST, 0),
            "return -a": (LEAST, 0),
            "return sum((a, b))": (BIG, BIG),
            "a += b\nreturn 0": (BIG, 1),
        }.items()
        for case in checked(
            "a result does not fit into 64 bits: `+ - * // ** << abs`, `-x`",
            "OverflowError",
            body,
            (*given, 0.0),
        )
    ),
    *checked(
        "a shift count is negative, or more than 63", "ValueError", "return a << b", (1, -1, 0.0)
    ),
    *checked(
        "a shift count is negative, or more than 63", "ValueError", "return a >> b", (1, -1, 0.0)
    ),
    *checked(
        "a shift count is negative, or more than 63", "OverflowError", "return a >> b", (1, 64, 0.0)
    ),
    *checked(
        "`/` of integers beyond 2⁵³", "OverflowError", "return a / b", ((1 << 53) + 1, 3, 0.0)
    ),
    *(
        case
        for body in (
            "return int(x)",
            "return round(x)",
            "return math.floor(x)",
            "return math.ceil(x)",
        )
        for case in checked(
            "`int`, `round`, `floor` or `ceil` of a float that is infinite or beyond 63 bits",
            "OverflowError",
            body,
            *((0, 0, math.inf), (0, 0, 2.0**63), (0, 0, -1e300)),
        )
    ),
    *(
        case
        for body in ("return int(x)", "return round(x)", "return math.floor(x)")
        for case in checked(
            "`int`, `round`, `floor` or `ceil` of a float that is not a number",
            "ValueError",
            body,
            (0, 0, math.nan),
        )
    ),
    *checked(
        "a negative power of an `int`, a fractional power of a negative number",
        "ValueError",
        "return a ** b",
        (2, -1, 0.0),
    ),
    *checked(
        "a negative power of an `int`, a fractional power of a negative number",
        "ValueError",
        "return x ** 0.5",
        (0, 0, -2.0),
    ),
    *checked(
        "a power or exponential beyond the largest float",
        "OverflowError",
        "return x ** 400",
        (0, 0, 1e10),
    ),
    *checked(
        "a power or exponential beyond the largest float",
        "OverflowError",
        "return math.exp(x)",
        (0, 0, 1e10),
    ),
    *checked(
        "`sqrt` of a negative number, `log` of a number that is not positive",
        "ValueError",
        "return math.sqrt(x)",
        (0, 0, -1e-300),
    ),
    *checked(
        "`sqrt` of a negative number, `log` of a number that is not positive",
        "ValueError",
        "return math.log(x)",
        *((0, 0, 0.0), (0, 0, -1.0)),
    ),
    *checked(
        "a variable is read before it is assigned, for example after an empty loop",
        "UnboundLocalError",
        "for i in range(a):\n    pass\nreturn i",
    ),
    *checked(
        "a variable is read before it is assigned, for example after an empty loop",
        "UnboundLocalError",
        "if a:\n    c = 1\nreturn c",
    ),
    *checked(
        "a function that returns values ends without one",
        "TypeError",
        "return sometimes(a) + 1",
        (-1, 0, 0.0),
    ),
    *checked(
        "a range has a step of 0", "ValueError", "for i in range(1, 5, a):\n    pass\nreturn 0"
    ),
    *checked("a range has a step of 0", "ValueError", "return 3 in range(1, 5, a)"),
    *checked("`min` or `max` of nothing", "ValueError", "return max(t.a[2:1])"),
    *checked("`min` or `max` of nothing", "ValueError", "return min(i for i in range(a))"),
    *(
        case
        for body, given in {
            "return lowest(a)": 0,
            "return drop_lowest(b + 7, a)": 64,
            "return drop_lowest(7, a)": -1,
            "return popcount(a)": -3,
            "return drop_lowest(a, 1)": -8,
        }.items()
        for case in checked(
            "`lowest(0)`, `drop_lowest` of fewer than 0 or more than 63 members, `popcount` or "
            "`drop_lowest` of a negative number",
            "ValueError",
            body,
            (given, 0, 0.0),
        )
    ),
    *checked(
        "`below(memory, n)` with n below 1 or above 2³¹",
        "ValueError",
        "return below(t, a)",
        *((0, 0, 0.0), (-3, 0, 0.0), ((1 << 31) + 1, 0, 0.0), ((1 << 32) + 1, 0, 0.0)),
    ),
]
REFUSALS = [
    *refused(
        "lists, dictionaries, sets, text, comprehensions",
        "cannot create a list.*tuple",
        "c = [1, 2]\nreturn 0",
    ),
    *refused(
        "lists, dictionaries, sets, text, comprehensions",
        "cannot (create|use) (a list|a dictionary|a set|text)",
        *("c = {1: 2}", "c = {1, 2}", 'c = "text"', "c = [i for i in range(3)]", 'c = f"{a}"'),
        *("c = {i for i in range(3)}", "c = {i: i for i in range(3)}"),
    ),
    *refused(
        "a list or a NumPy array as a constant", "list as a constant.*tuple", "return LIST[0]"
    ),
    *(
        case
        for body in (
            "c = 0\nfor i in range(3):\n    c += x\nreturn c",
            "return a if a > 0 else x",
            "if a:\n    return 1\nreturn 1.5",
            "return max(a, x)",
            "return a or x",
        )
        for case in refused(
            "a name, or a result, that is an `int` here and a `float` there; `min` and `max` of "
            "both",
            r"(an int here and a float there|a float here and an int there).*float\(",
            body,
        )
    ),
    *refused(
        "a `float` stored in an `int` field, and the reverse",
        r"a float is stored where an int is declared; convert it with int\(",
        *("t.n = x", "t.a[0] = 0.5", "t.n += x"),
    ),
    *refused(
        "a `float` stored in an `int` field, and the reverse",
        r"an int is stored where a float is declared; convert it with float\(",
        "t.w = a",
    ),
    *(
        case
        for body in ("t.a = t.c", "t.g[0] = t.g[1]", "t.one = t.two")
        for case in refused(
            "`t.p = t.q` for arrays, `t.r = t.s` for records: Python would let both names share "
            "one object",
            r"\[:\] = |assign\(",
            body,
        )
    ),
    *refused(
        "`assign` between records with different fields",
        "fields are the same.*one by one",
        "assign(t.one, t.other)",
        "assign(t.other, t.one)",
    ),
    *refused(
        "a slice under a name, in a tuple, or returned",
        "a slice",
        *("c = t.a[1:]\nreturn 0", "return len((t.a[1:], 2))", "return t.a[1:]"),
    ),
    *refused(
        "a slice with a step, assignment to part of an array",
        "loop",
        *("return total(t.a[::2])", "t.a[1:3] = t.c[1:3]"),
    ),
    *refused("`~` of a `bool`", r"`not`, or ~int", "return ~(a > 0)"),
    *refused(
        "literals beyond 63 bits",
        "beyond 63 bits",
        *("return 9223372036854775808 - a", "return -9223372036854775809", "return 1 << 64"),
        *("return 0x" + "f" * 6000, "return 2**1000"),
    ),
    *refused(
        "`in`, and comparisons of tuples, with floats",
        "compare the members",
        *("return x in (1.0, 2.0)", "return (a, x) == (1, 2.0)", "return a in (1.0, 2)"),
    ),
    *refused(
        "`sum` of floats, which Python's versions add differently",
        "sum.. adds integers only.*loop",
        *("return sum((x, 1.0))", "return sum(x for i in range(3))"),
    ),
    *refused("`*args`, `**kwargs`, `f(*t)`", r"`\*", "return scaled(*TABLE)", "return scaled(**t)"),
    *refused("recursion", "`forever` calls itself.*loop", "return forever(a)"),
    *refused(
        "a value returned in one place and `None` in another",
        "a value in one place and None in another",
        "if a:\n    return\nreturn 1",
    ),
    *(
        case
        for body in (
            "try:\n    a = 1\nexcept ValueError:\n    pass",
            "with t:\n    pass",
            "match a:\n    case 1:\n        pass",
            "del a",
            "global SEVEN\nSEVEN = 3",
            "import math",
            "c = lambda: 1",
            "yield a",
            "def inner():\n    pass",
            "class Inner:\n    pass",
        )
        for case in refused(
            "`try`, `with`, `match`, `del`, `global`, `nonlocal`, `import`, `lambda`, `yield`, "
            "`async`, inner functions and classes",
            "cannot",
            body,
        )
    ),
    *refused(
        "functions without `@kernel`, `print`, methods of records",
        "mark `unmarked` with @kernel|`print` cannot run compiled|no method|call a kernel",
        *("return unmarked(a)", "print(a)", "t.copy()"),
    ),
    *refused("a record created in a kernel", "declare one in the Memory", "c = Leaf()"),
]
ISSUE = "silently different once"
HISTORY = [
    *accepted(
        ISSUE,
        "return (a > 0) // 1 + int(~int(a > 0))",
        "t.n = 0\nreturn (a < b < marked(t, 1)) + t.n * 10",
        "return change(t.a[0:2]) * 10 + t.a[0]",
        "row = t.one.m\nassign(t.one, t.two)\nreturn row[0] + t.one.m[0]",
        "math = a\nreturn math + 1",
    ),
    *refused(
        ISSUE,
        "is a value of the kernel and cannot be called|is an int and has no `sqrt`|no method",
        "math = a\nreturn math.sqrt(2)",
    ),
    *refused(ISSUE, "`reversed", "for i in reversed(zip(t.a, t.c)):\n    pass"),
    *refused(ISSUE, "`reversed", "for i in reversed():\n    pass"),
    *refused(ISSUE, r"range\(\) of", "return a in range()", "return a in range(1, 2, 3, 4)"),
    *refused(ISSUE, "name 'nowhere' is not defined", "return nowhere"),
    *refused(ISSUE, "here and a tuple of 2 there", "c = a\nif a:\n    c = (a, a)\nreturn 0"),
    *refused(ISSUE, "cannot be compared with", "return t.a == t.c", "return t < 3"),
    *refused(ISSUE, "of a tuple|a tuple", "return (a, b) * 2", "return (a, b) @ a"),
    *checked(ISSUE, "UnboundLocalError", "return later\nlater = 1"),
]
ALL = [*TYPES, *CONSTRUCTS, *CHECKS, *REFUSALS, *HISTORY]
CASES = [
    Case(each.line, each.body, each.arguments, each.error, each.message, number)
    for number, each in enumerate(ALL)
]
RUNNING = [case for case in CASES if not case.message]
REFUSED = [case for case in CASES if case.message]


def _id(case: Case) -> str:
    return f"{case.number}-{case.body.strip().splitlines()[-1].strip()}"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All cases, imported as one file of a user."""
    path = tmp_path_factory.mktemp("kernels") / "language_cases.py"
    path.write_text("\n\n".join([HEADER, *(case.source for case in CASES)]), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def filled(module: Any) -> Any:
    """Return a record with something in each field."""
    tree = module.Tree(stream=1234567, n=6, w=0.25, a=[3, 1, 5, 8], c=[9, 0, 2, 7])
    tree.g = [[1, 2, 3], [4, 5, 6]]
    tree.two.n, tree.two.w, tree.two.m[:] = 8, 1.25, [4, 0, 9]
    return tree


@functools.cache
def compiled(module: Any, *, check: bool) -> dict[int, Any]:
    """Compile the cases that are not refused into one object file."""
    program = Program(checked=check)
    example = (pack(filled(module))[0], 0, 0, 0.0)
    entries = []
    for case in RUNNING:
        name = f"case_{case.number}"
        types = [type_of(each) for each in example]
        entries.append((name, *program.add_entry(name, getattr(module, name), types)))
    failures = program.failures
    code = emit_object(str(program))
    made = ObjectFile(tuple(entries), tuple(failures.errors), tuple(failures.sites), code)
    calls = {}
    for case, entry, address in zip(RUNNING, entries, machine_code._link(made), strict=True):
        linked = machine_code._Entry(address, entry[1], entry[2], None)
        calls[case.number] = machine_code._call_of(linked, example)
    return calls


def exact(value: Any) -> Any:
    """Return a value so that equal means equal: NaN equals NaN, and -0.0 is not 0.0."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack(">d", value)
    return value


def interpreted(module: Any, case: Case, given: tuple[int, int, float]) -> tuple[Any, Any]:
    tree = filled(module)
    return exact(getattr(module, f"case_{case.number}")(tree, *given)), tree


def run(module: Any, case: Case, given: tuple[int, int, float], *, check: bool) -> tuple[Any, Any]:
    tree = filled(module)
    packed = pack(tree)[0]
    found = compiled(module, check=check)[case.number](packed, *given)
    unpack(tree, packed)
    return exact(found), tree


@pytest.mark.parametrize("case", [each for each in RUNNING if not each.error], ids=_id)
def test_compiled_equals_interpreted(module: Any, case: Case) -> None:
    for given in case.arguments:
        expected = interpreted(module, case, given)
        assert run(module, case, given, check=True) == expected
        assert run(module, case, given, check=False) == expected


@pytest.mark.parametrize("case", [each for each in RUNNING if each.error], ids=_id)
def test_a_failed_check_names_its_error_and_its_line(module: Any, case: Case) -> None:
    for given in case.arguments:
        with pytest.raises(KernelRunError, match=rf"^{case.error}\b.*language_cases.py, line \d+"):
            run(module, case, given, check=True)


PYTHON_GOES_ON = re.compile(
    r"a computed index is negative|does not fit|shift count|beyond 2⁵³|beyond 63 bits|power of|"
    r"ends without one"
)


@pytest.mark.parametrize("case", [each for each in RUNNING if each.error], ids=_id)
def test_python_raises_the_same_error_unless_the_page_says_otherwise(
    module: Any, case: Case
) -> None:
    if PYTHON_GOES_ON.search(case.line):
        return
    for given in case.arguments:
        with pytest.raises(
            (ArithmeticError, LookupError, NameError, ValueError, AssertionError)
        ) as raised:
            interpreted(module, case, given)
        assert type(raised.value).__name__ == case.error


@pytest.mark.parametrize("case", REFUSED, ids=_id)
def test_refused_with_a_message_that_helps(module: Any, case: Case) -> None:
    program = Program(checked=True)
    types = [type_of(each) for each in (pack(filled(module))[0], 0, 0, 0.0)]
    function = getattr(module, f"case_{case.number}")
    with pytest.raises(
        KernelError, match=rf"(?s)language_cases.py, line \d+.*({case.message})"
    ) as e:
        program.add_entry("entry", function, types)
    said = str(e.value)
    assert not re.search(r"\w+Type\(|<ast|object at 0x|Value\(", said), said
    assert function.__name__ in said or "in forever" in said


def test_refusals_do_not_depend_on_checks(module: Any) -> None:
    types = [type_of(each) for each in (pack(filled(module))[0], 0, 0, 0.0)]
    for case in REFUSED:
        with pytest.raises((KernelError, UnsupportedError)):
            Program(checked=False).add_entry("entry", getattr(module, f"case_{case.number}"), types)


@cold
@kernel
def rare(a: int) -> int:
    """Return what is rarely needed."""
    return a * 3


@kernel
def often(a: int) -> int:
    """Call a kernel that must not be compiled into this one."""
    return rare(a) if a > 0 else a


def test_cold_kernels_stay_out_of_their_callers() -> None:
    program = Program(checked=False)
    program.add_entry("entry", often, [type_of(0)])
    (head,) = [line for line in str(program).splitlines() if "define" in line and "rare" in line]
    assert "noinline cold" in head


NARROW = "an integer does not fit into an array of narrower numbers"


@kernel
def store(numbers: Any, a: int) -> int:
    """Store a number and read it again."""
    numbers[1] = a
    return int(numbers[1])


@pytest.mark.parametrize(
    ("dtype", "fitting", "others"),
    [(np.uint8, (0, 255), (-1, 256)), (np.int16, (-(1 << 15), 7), (1 << 15, BIG))],
)
def test_narrow_numbers(dtype: Any, fitting: tuple[int, ...], others: tuple[int, ...]) -> None:
    numbers = np.zeros(3, dtype)
    for number in fitting:
        assert machine_code.run(store, numbers, number) == number
    for number in others:
        with pytest.raises(KernelRunError, match="OverflowError: an integer does not fit"):
            machine_code.run(store, numbers, number)


def rows(heading: str) -> list[str]:
    """Return the first cell of each line of the table under a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [re.split(r"(?<!\\)\|", line)[1].strip() for line in lines]


@pytest.mark.parametrize(
    ("heading", "cases"),
    [
        ("Types", TYPES),
        ("What a kernel may contain", CONSTRUCTS),
        ("Run-time checks", CHECKS),
        ("What is rejected, and what to do instead", REFUSALS),
    ],
)
def test_every_line_of_the_page_has_a_case(heading: str, cases: list[Case]) -> None:
    tested = {case.line for case in cases} | ({NARROW} if cases is CHECKS else set())
    assert tested == {*rows(heading)}
