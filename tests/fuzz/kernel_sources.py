"""Random kernels: source text over the whole kernel language, and arguments for it.

A module has a few helper kernels and a kernel `entry(t, a, b, x)`: a record, two integers and a
float. The name of a variable tells its type: `i0` is an int, `f0` a float, `b0` a bool, `p0` a
named tuple, `q0` a tuple, `r0` a row of integers, `l0` a record.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["INTEGERS", "REALS", "Module", "random_arguments", "random_module"]

INTEGERS = [
    *(0, 1, -1, 2, 3, 5, 7, -2, -8, 63, 64, 255, 1 << 31, (1 << 31) - 1, -(1 << 31)),
    *((1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 62, (1 << 62) + 1, (1 << 63) - 1, -(1 << 63)),
    *(-(1 << 53) - 1, (1 << 63) - 2, 1 - (1 << 63)),
]
REALS = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, 1e-3, 7.25, 1e15, 2.0**53),
    *(2.0**53 + 2, 2.0**62, 2.0**63, -(2.0**63), 1e300, -1e300, 5e-324, 2.2e-308, 1e-200),
    *(math.inf, -math.inf, math.nan),
]
HEADER = """
import math
from enum import IntEnum
from typing import NamedTuple

from hanabilab.core.bits import drop_lowest, lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below, chance
from hanabilab.core.record import Record, assign, ints, nested


class Leaf(Record):
    n: int
    w: float
    m: list[int] = ints({leaf})


class Tree(Record):
    stream: int
    n: int
    k: int
    w: float
    a: list[int] = ints({array})
    c: list[int] = ints({array})
    g: list[list[int]] = ints({rows}, {columns})
    one: Leaf = nested(Leaf)
    two: Leaf = nested(Leaf)


class Pair(NamedTuple):
    low: int
    high: int = 4


class Suit(IntEnum):
    RED = 1
    BLUE = 6


class Settings:
    width = 3
    ratio = 0.25


SEVEN = 7
MANY = 1 << 40
HALF = 0.5
YES = True
TABLE = (3, 1, -4, 9007199254740993)
REALS = (0.5, -0.0, 1e10)


@kernel
def optional(a, b=None):
    if b is None:
        return a & 255
    return a ^ b


@kernel
def keyword(a, *, k, j=5):
    return a % 16 + k % 16 * j


@kernel
def overwrite(r, i):
    for k in range(len(r)):
        r[k] ^= i & 63
        i >>= 1
    return len(r)


def closure(factor):
    @kernel
    def inner(a):
        return a * factor

    return inner


times_three = closure(3)
"""


@dataclass(slots=True)
class Module:
    """The source of a module of kernels."""

    source: str


@dataclass(slots=True)
class _Helper:
    """A kernel that others call: its parameters' types and defaults, and what it returns."""

    name: str
    params: list[tuple[str, str, str]]
    """Name, type and default, which may be empty."""
    result: str


@dataclass(slots=True)
class _Function:
    """What is known of the function that is being written."""

    result: str
    variables: dict[str, list[str]] = field(default_factory=dict)
    """Variables that are probably assigned, by type."""
    later: dict[str, list[str]] = field(default_factory=dict)
    """Variables that are assigned on some path only."""
    loops: int = 0
    fixed: set[str] = field(default_factory=set)
    """Variables that must not be assigned: counters of loops."""
    record: bool = True
    in_iterable: int = 0


PLAIN = {"i": "int", "f": "float", "b": "bool", "leaf": "leaf", "row": "row"}
OPERANDS = {"o": "int", "F": "float", "B": "bool", "p": "pair", "q": "mixed"}
"""Placeholders for expressions; operands are in parentheses where they need them."""

STORED_INT = [
    *("<t>.n", "<t>.k", "<t>.a[<ix:array>]", "<t>.c[<ix:array>]", "<t>.g[<ix:rows>][<ix:columns>]"),
    *("<leafs>.n", "<leafs>.m[<ix:leaf>]", "<rows>"),
]
STORED_FLOAT = ["<t>.w", "<leafs>.w"]
SLICES = [
    *("<arr>[<small>:<small>]", "<arr>[<i>:]", "<arr>[:<i>]", "<arr>[<small>:<i>]", "<arr>[:]"),
    "<arr>[<i>:<small>]",
]
ITERABLES = {
    "<range>": 5.0,
    "(<i>, <i>, <b>)": 1,
    "(<i>,)": 0.5,
    "TABLE": 0.5,
    "TABLE[1:<small>]": 0.3,
    "<arr>": 2,
    "<sl>": 1.5,
    "reversed(<arr>)": 0.5,
    "reversed(<range>)": 0.7,
    "reversed(<sl>)": 0.3,
    "reversed((<i>, <i>))": 0.3,
}
PAIRS = {
    "enumerate(<arr>)": 1.0,
    "enumerate(<sl>, start=2)": 1,
    "enumerate(<range>, <lit>)": 1,
    "enumerate((<i>, <i>))": 0.5,
    "enumerate(reversed(<arr>))": 0.5,
    "zip(<arr>, <range>)": 1,
    "zip(<sl>, <arr>)": 1,
    "zip(<range>, (<i>, <i>, <i>))": 1,
    "zip(reversed(<arr>), <arr>)": 0.5,
}
LOOPS: list[tuple[tuple[str, ...], dict[str, float], float]] = [
    (("int",), ITERABLES, 6),
    (("int", "int"), PAIRS, 2),
    (("float",), {"(<f>, <f>, REALS[1])": 1, "REALS": 1, "reversed((<f>, 2.5))": 1}, 0.7),
    (("int", "float"), {"((<i>, <f>), (<i>, <f>))": 1, "(<q>, <q>)": 1}, 0.7),
    (("leaf",), {"(<t>.one, <t>.two)": 1, "(<t>.two, <leafs>, <t>.one)": 1}, 0.5),
    (("row",), {"<t>.g": 2, "reversed(<t>.g)": 1, "(<t>.a, <t>.c)": 1}, 0.7),
    (("int", "row"), {"enumerate(<t>.g)": 1, "zip(<range>, <t>.g)": 1}, 0.4),
    (("bool",), {"(<b>, <b>)": 1}, 0.2),
]
"""Types of the targets of a loop, what it goes through, and its weight."""
SIMPLE: dict[str, dict[str, float]] = {
    "int": {"<lit>": 3, **dict.fromkeys(STORED_INT, 1.0), "SEVEN": 0.3, "TABLE[2]": 0.2}
    | {"MANY": 0.2, "Suit.BLUE": 0.3, "Settings.width": 0.3, "YES": 0.1},
    "float": {"<real>": 3, **dict.fromkeys(STORED_FLOAT, 1.0), "HALF": 0.3, "Settings.ratio": 0.3},
    "bool": {"(<o> <cmp> <o>)": 4, "(<n> <cmp> <n>)": 1, "True": 0.2, "False": 0.2, "YES": 0.1},
    "pair": {"Pair(<i>, <i>)": 2, "Pair(high=<i>, low=<i>)": 1, "Pair(<i>)": 1},
    "mixed": {"(<i>, <f>)": 1},
    "row": {"<t>.g[<ix:rows>]": 2, "<t>.a": 1, "<t>.c": 1, "<leafs>.m": 1}
    | {"(<t>.a if <b> else <t>.g[0])": 0.5, "(<t>.a if <b> else <t>.c)": 0.5},
    "leaf": {"<t>.one": 1, "<t>.two": 1, "(<t>.one if <b> else <t>.two)": 1},
}
"""Templates of expressions, by type, with their weights."""
NESTED: dict[str, dict[str, float]] = {
    "int": {
        **dict.fromkeys(["<o> % <small>", "<o> & 7", "<o> & 65535", "<o> % 1048576"], 1.0),
        **dict.fromkeys(["<o> ^ <o>", "<o> | <o>", "<o> & <o>", "<o> // <d>", "<o> % <d>"], 1.0),
        **dict.fromkeys(["(<o> & 15) + (<o> & 15)", "(<o> & 63) * (<o> % 5)"], 1.0),
        **dict.fromkeys(["<o> >> (<o> & 31)", "1 << (<o> & 31)", "(<o> & 1) - (<o> & 3)"], 0.7),
        "(<o> % 5) ** (<o> % 6)": 0.5,
        **dict.fromkeys(["<o> + <o>", "<o> - <o>"], 3.0),
        **dict.fromkeys(["<o> * <o>", "<o> // <o>", "<o> % <o>"], 0.6),
        **dict.fromkeys(["<o> << <o>", "<o> >> <o>", "<o> ** <o>"], 0.3),
        **dict.fromkeys(["-<o>", "~<o>", "+<o>", "-<B>", "+<B>"], 0.4),
        "(<i> if <b> else <i>)": 1.5,
        "(<o> and <o>)": 0.5,
        "(<o> or <o>)": 0.5,
        "(<o> or <B> and <o>)": 0.3,
        **dict.fromkeys(
            ["abs(<i>)", "min(<i>, <i>)", "max(<i>, <i>, <lit>)", "min((<i>, <i>))"], 0.6
        ),
        **dict.fromkeys(["len((<i>, <i>))", "sum((<i>, <i>, <b>))", "sum((<i>, <b>), <i>)"], 0.3),
        **dict.fromkeys(
            ["pow(<o> % 4, <o> & 7)", "divmod(<i>, <d>)[0]", "divmod(<i>, <d>)[-1]"], 0.3
        ),
        **dict.fromkeys(["int(<b>)", "(<i>).bit_length()", "(<i>).bit_count()", "round(<i>)"], 0.3),
        **dict.fromkeys(["len(<arr>)", "min(<arr>)", "max(<arr>)", "sum(<arr>)"], 0.3),
        **dict.fromkeys(["len(<sl>)", "max(<sl>)", "sum(<sl>)", "sum(<arr>, <i>)"], 0.3),
        **dict.fromkeys(
            ["popcount(<o> & 255)", "popcount(<i>)", "lowest(<o> | 256)", "lowest(<i>)"], 0.2
        ),
        "drop_lowest(<o> & 4611686018427387903, <o> & 7)": 0.3,
        "drop_lowest(<i>, <i>)": 0.1,
        "nth_lowest(<o> & 9223372036854775807 | 7, <o> & 1)": 0.3,
        "below(<t>, <o> % 9 + 1)": 0.3,
        "below(<t>, <i>)": 0.05,
        "<walrus:int>": 0.8,
        "<call:int>": 3,
        "optional(<i>)": 0.3,
        "optional(<i>, <i>)": 0.3,
        "times_three(<i>)": 0.2,
        "overwrite(<sl>, <i>)": 0.6,
        "keyword(<i>, k=<i>)": 0.2,
        "(<p> + (<i>,) if <b> else (<i>, 2, 3))[-1]": 0.2,
        "((<i>, <f>), <p>)[1].low": 0.2,
        **dict.fromkeys(["<p>.low", "<p>.high", "<p>[0]", "<p>[-1]", "<q>[0]"], 0.3),
        **dict.fromkeys(["(<i>, <i>, <i>)[<ix:3>]", "TABLE[<ix:4>]", "((<i>, <i>) + <p>)[3]"], 0.4),
        **dict.fromkeys(
            ["len((<i>, <i>, 1)[1:])", "(<i>, <i>, 1)[::2][1]", "(<b>, <i>)[<ix:2>]"], 0.2
        ),
        **dict.fromkeys(
            ["sum(<gen:int>)", "min(<gen:int>)", "max(<gen:int>)", "sum(<gen:bool>)"], 0.5
        ),
        **dict.fromkeys(["int(<f>)", "round(<f>)", "math.floor(<f>)", "math.ceil(<f>)"], 0.15),
        **dict.fromkeys(["int(<F> % 1000.0)", "round(<F> % 100.0)", "math.floor(<F> % 9.5)"], 0.3),
        "math.ceil(<i>)": 0.1,
        "(<b>) + <o> % 5": 0.5,
        "<B> * <o>": 0.3,
        "(<b>) & <o>": 0.2,
    },
    "float": {
        **dict.fromkeys(["<F> + <n>", "<F> - <n>", "<n> - <F>", "<n> + <F>"], 2.0),
        **dict.fromkeys(["<F> * <n>", "<n> * <F>"], 2.0),
        **dict.fromkeys(["<F> / <n>", "<F> % <n>", "<F> // <n>", "<n> // <F>", "<n> % <F>"], 0.5),
        **dict.fromkeys(["<F> / <d>", "<F> % <d>", "<F> // <d>"], 0.5),
        "<o> / <d>": 2,
        "<o> / <o>": 0.3,
        **dict.fromkeys(["-<F>", "+<F>"], 0.7),
        "(<f> if <b> else <f>)": 1.5,
        "(<F> and <F>)": 0.4,
        "(<F> or <F>)": 0.4,
        **dict.fromkeys(
            ["abs(<f>)", "min(<f>, <f>)", "max(<f>, <f>, <real>)", "max((<f>, <f>))"], 0.6
        ),
        **dict.fromkeys(["float(<i>)", "float(<b>)", "float(<f>)"], 0.5),
        **dict.fromkeys(["divmod(<f>, <n>)[0]", "divmod(<f>, <n>)[1]"], 0.3),
        "chance(<t>)": 0.5,
        **dict.fromkeys(["math.sqrt(<n>)", "math.exp(<n>)", "math.log(<n>)"], 0.15),
        **dict.fromkeys(
            ["math.sqrt(abs(<n>))", "math.exp(<F> % 3.0)", "math.log(abs(<n>) + 1)"], 0.4
        ),
        **dict.fromkeys(["abs(<f>) ** 2", "<F> ** 2", "abs(<f>) ** 0.5", "abs(<f>) ** -0.5"], 0.3),
        **dict.fromkeys(
            ["<F> ** <n>", "2.0 ** <n>", "10.0 ** <n>", "<F> ** -1", "<o> ** <F>"], 0.2
        ),
        "<F> ** 3.0": 0.2,
        "<walrus:float>": 0.6,
        "<call:float>": 3,
        **dict.fromkeys(["<q>[1]", "<q>[-1]", "REALS[<ix:3>]", "(<f>, <f>)[<ix:2>]"], 0.4),
        **dict.fromkeys(["min(<gen:float>)", "max(<gen:float>)"], 0.4),
    },
    "bool": {
        "(<n> <cmp> <n> <cmp> <n>)": 2,
        "(<o> <cmp> <o> <cmp> <o> <cmp> <o>)": 1,
        "(<n> <cmp> <n>)": 2,
        "(<p> <cmp> (<i>, <i>))": 0.5,
        "((<i>, <b>) <cmp> <p>)": 0.5,
        "(<p> <cmp> (<i>, <i>, 2))": 0.3,
        "(<p> <cmp> TABLE)": 0.2,
        **dict.fromkeys(["(<o> in (<i>, <i>, <b>))", "(<o> not in (<i>,))", "(<o> in TABLE)"], 0.5),
        **dict.fromkeys(
            ["(<o> in <range>)", "(<o> not in <range>)", "(<p> in ((1, 2), <p>))"], 0.4
        ),
        **dict.fromkeys(["(<o> in <arr>)", "(<o> not in <sl>)", "(<o> in <p>)"], 0.4),
        **dict.fromkeys(["(not <b>)", "(not <o>)", "(not <F>)", "(not <p>)", "(not <sl>)"], 0.4),
        **dict.fromkeys(["(<b> and <b>)", "(<b> or <b>)", "(<b> and <b> or <b>)"], 1.2),
        **dict.fromkeys(["(<b> and not (<b> or <b>))", "(not (<F> or <o>))"], 0.5),
        **dict.fromkeys(["bool(<i>)", "bool(<f>)", "any((<i>, <b>))", "all((<b>, <f>))"], 0.4),
        **dict.fromkeys(
            ["any(<gen:bool>)", "all(<gen:bool>)", "any(<gen:int>)", "all(<gen:float>)"], 0.5
        ),
        **dict.fromkeys(
            ["any(<arr>)", "all(<arr>)", "all(<sl>)", "min(<b>, <b>)", "max(<b>, <b>)"], 0.3
        ),
        **dict.fromkeys(["(<b> & <b>)", "(<b> | <b>)", "(<b> ^ <b>)"], 0.5),
        "<call:bool>": 2,
        "(<b> if <b> else <b>)": 0.7,
        **dict.fromkeys(["((<i>) is None)", "((<f>) is not None)", "(<o> != None)"], 0.15),
        "<walrus:bool>": 0.5,
        "<near>": 1.2,
    },
    "pair": {"<call:pair>": 2, "(<p> if <b> else <p>)": 0.5},
    "mixed": {
        "<call:mixed>": 2,
        "(<q> if <b> else <q>)": 0.5,
        "divmod(<i>, <d>)[:1] + (<f>,)": 0.3,
    },
}


FALLBACKS = {"int": "3", "float": "0.5", "bool": "False", "pair": "Pair(1)", "mixed": "(1, 2.0)"}
STORED = {"int": STORED_INT, "float": STORED_FLOAT}
AUGMENTED: dict[str, dict[str, float]] = {
    "int": {"+= <i>": 4, "-= <i>": 4, "*= <small>": 1, "//= <d>": 1, "%= <d>": 1, "&= <i>": 1}
    | {"|= <i>": 1, "^= <i>": 1, "<<= 2": 0.3, ">>= <o> & 7": 0.5, "**= 2": 0.3, "<<= <i>": 0.1},
    "float": {"+= <n>": 4, "-= <n>": 4, "*= <n>": 2, "/= <n>": 1, "%= <d>": 0.5, "//= <n>": 0.3}
    | {"**= 2": 0.3},
}
STATEMENTS: dict[str, float] = {
    **{f"{place} = <i>": 1.0 for place in STORED_INT},
    **{f"{place} = <f>": 1.0 for place in STORED_FLOAT},
    "<t>.n = <b>": 0.5,
    "<call:none>": 2,
    "<call:int>": 0.5,
    "overwrite(<arr>, <i>)": 0.7,
    "overwrite(<sl>, <i>)": 0.4,
    "assert <b> or <b>, 'text'": 0.5,
    "assert (<walrus:int> or True)": 0.2,
    "<t>.a[:] = <t>.c": 0.3,
    "<t>.c[:] = <t>.a": 0.3,
    "<t>.g[<ix:rows>][:] = <t>.g[0]": 0.3,
    "assign(<t>.one, <t>.two)": 0.3,
    "assign(<leaf>, <leaf>)": 0.5,
    "<t>.a[0], <t>.a[1] = <t>.a[1], <i>": 0.4,
    "<t>.n, <t>.a[<t>.n % 2] = <i>, <i>": 0.3,
    "<t>.n = <t>.k = <i>": 0.3,
    "<t>.a[(i4 := 1)] += (i4 := <i>) + i4": 0.1,
    "pass": 0.1,
}


class _ImpossibleError(Exception):
    """A template needs something that the function does not have."""


TYPES = {"i": "int", "f": "float", "b": "bool", "p": "pair", "q": "mixed", "r": "row", "l": "leaf"}
LETTERS = {name: letter for letter, name in TYPES.items()}
DEPTH = 3


class _Writer:
    """Writes a module, driven by a random generator."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sizes = {
            "leaf": rng.randint(1, 4),
            "array": rng.randint(2, 6),
            "rows": rng.randint(1, 3),
            "columns": rng.randint(1, 4),
        }
        self.helpers: list[_Helper] = []
        self.f = _Function("int")
        self.lines: list[str] = []
        self.indent = 0
        self.budget = 0

    # Choices

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def weighted(self, choices: Mapping[str, float]) -> str:
        return self.rng.choices([*choices], [*choices.values()])[0]

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    # The module

    def module(self) -> Module:
        """Return a module with a few helpers and an entry point."""
        self.lines = [HEADER.format(**self.sizes)]
        for number in range(self.rng.randint(0, 3)):
            self._helper(number)
        self.f = _Function(self.weighted({"int": 5, "float": 3, "bool": 1, "none": 1}))
        self.f.variables = {"int": ["a", "b"], "float": ["x"]}
        self._define("entry", "t, a, b, x")
        return Module("\n".join(self.lines) + "\n")

    def _helper(self, number: int) -> None:
        result = self.weighted({"int": 5, "float": 3, "bool": 2, "pair": 1, "mixed": 1, "none": 1})
        names = ["int", "float", "bool", "pair", "mixed", "row", "leaf"]
        types = self.rng.choices(names, [5, 3, 1, 1, 1, 2, 1], k=self.rng.randint(0, 3))
        self.f = _Function(result, record=self.chance(0.5))
        params = [("t", "tree", "")] if self.f.record else []
        optional = self.chance(0.4)
        for place, each in enumerate(types):
            name = f"{LETTERS[each]}{place}"
            default = ""
            if optional and each in ("int", "float", "bool") and place == len(types) - 1:
                default = {"int": self._lit("", 0), "float": self._real("", 0), "bool": "True"}[
                    each
                ]
            params.append((name, each, default))
            self.f.variables.setdefault(each, []).append(name)
            if each in ("row", "leaf"):
                self.f.fixed.add(name)
        helper = _Helper(f"helper{number}", params, result)
        given = [f"{name}={default}" if default else name for name, _, default in params]
        self._define(helper.name, ", ".join(given))
        self.helpers.append(helper)

    def _define(self, name: str, params: str) -> None:
        self.emit("\n@kernel")
        self.emit(f"def {name}({params}):")
        self.indent += 1
        self.budget = self.rng.randint(3, 14)
        while self.budget > 0:
            self.statement(0)
        if self.f.result != "none" and not self.chance(0.04):
            self.emit(f"return {self.expression(self.f.result, DEPTH)}")
        elif self.f.result == "none":
            self.emit("pass")
        self.indent -= 1

    # Statements

    def statement(self, depth: int) -> None:
        """Write a statement; where a template does not fit, write another."""
        self.budget -= 1
        kinds = {"assign": 6.0, "augment": 4, "template": 5, "unpack": 2, "if": 3}
        kinds |= {"for": 3, "while": 1, "return": 0.4, "raise": 0.3}
        if self.f.loops:
            kinds |= {"leave": 2}
        if depth >= 3:
            kinds = {"assign": 6, "augment": 3, "template": 3}
        lines = len(self.lines)
        while len(self.lines) == lines:
            try:
                getattr(self, f"_do_{self.weighted(kinds)}")(depth)
            except _ImpossibleError:
                continue

    def block(self, depth: int, most: int = 3) -> None:
        """Write an indented block; what it assigns is assigned on this path only."""
        before = {name: list(each) for name, each in self.f.variables.items()}
        self.indent += 1
        for _ in range(self.rng.randint(1, most)):
            self.statement(depth + 1)
        self.indent -= 1
        for name, each in self.f.variables.items():
            new = [one for one in each if one not in before.get(name, [])]
            self.f.later.setdefault(name, []).extend(new)
        self.f.variables = before

    def line_in_block(self, text: str) -> None:
        self.indent += 1
        self.emit(text)
        self.indent -= 1

    def target(self, type_: str) -> str:
        """Return a variable to assign to."""
        old = [each for each in self.f.variables.get(type_, []) if each not in self.f.fixed]
        if old and self.chance(0.5):
            return str(self.rng.choice(old))
        numbers = {"int": 6, "float": 4, "bool": 3}.get(type_, 2)
        return f"{LETTERS[type_]}{self.rng.randint(4, 3 + numbers)}"

    def assigned(self, name: str, type_: str) -> None:
        """Note that a variable is assigned from here on."""
        known = self.f.variables.setdefault(type_, [])
        if name not in known:
            known.append(name)

    def _do_assign(self, depth: int) -> None:
        types = {"int": 5.0, "float": 3, "bool": 2, "pair": 1, "mixed": 1}
        types |= {"row": 0.7, "leaf": 0.7} if self.f.record else {}
        type_ = self.weighted(types)
        value = self.expression(type_, DEPTH)
        names = [self.target(type_) for _ in range(2 if self.chance(0.1) else 1)]
        if self.f.fixed & {*names}:
            raise _ImpossibleError
        note = ": int" if type_ == "int" and len(names) == 1 and self.chance(0.1) else ""
        self.emit(f"{' = '.join(names)}{note} = {value}")
        for name in names:
            self.assigned(name, type_)

    def _do_augment(self, depth: int) -> None:
        type_ = self.weighted({"int": 2, "float": 1})
        names = [each for each in self.f.variables.get(type_, []) if each not in self.f.fixed]
        if names and self.chance(0.6):
            place = str(self.rng.choice(names))
        else:
            place = self.filled(self.rng.choice(STORED[type_]), 1)
        self.emit(f"{place} {self.filled(self.weighted(AUGMENTED[type_]), 2)}")

    def _do_template(self, depth: int) -> None:
        self.emit(self.filled(self.weighted(STATEMENTS), 2))

    def _do_unpack(self, depth: int) -> None:
        one, other = self.target("int"), self.target("int")
        if {one, other} & self.f.fixed or one == other:
            raise _ImpossibleError
        sources = {"<i>, <i>": 4, "divmod(<i>, <d>)": 1, "<p>": 2, f"{other}, {one}": 1}
        if not {one, other} <= {*self.f.variables.get("int", [])}:
            del sources[f"{other}, {one}"]
        self.emit(f"{one}, {other} = {self.filled(self.weighted(sources), 2)}")
        self.assigned(one, "int")
        self.assigned(other, "int")

    def _do_return(self, depth: int) -> None:
        value = "" if self.f.result == "none" else " " + self.expression(self.f.result, 2)
        self.emit(f"if {self.expression('bool', 2)}:")
        self.line_in_block(f"return{value}")

    def _do_raise(self, depth: int) -> None:
        self.emit(self.filled("if <b> and <b>:", 2))
        self.line_in_block(self.pick("raise ValueError('no')", "raise KeyError", "assert False"))

    def _do_leave(self, depth: int) -> None:
        self.emit(f"if {self.expression('bool', 2)}:")
        self.line_in_block(self.pick("break", "continue"))

    def _do_if(self, depth: int) -> None:
        self.emit(f"if {self.expression('bool', DEPTH)}:")
        self.block(depth)
        if self.chance(0.2):
            self.emit(f"elif {self.expression('bool', 2)}:")
            self.block(depth)
        if self.chance(0.5):
            self.emit("else:")
            self.block(depth)

    def loop_body(self, depth: int) -> None:
        self.f.loops += 1
        self.block(depth)
        self.f.loops -= 1
        if self.chance(0.25):
            self.emit("else:")
            self.block(depth, 2)

    def _do_while(self, depth: int) -> None:
        counter = f"n{self.rng.randint(0, 99)}"
        endless = self.chance(0.25)
        test = "True" if endless else self.filled(f"{counter} > 0 and <b>", 2)
        self.emit(f"{counter} = {self.rng.randint(0, 6)}")
        self.emit(f"while {test}:")
        self.line_in_block(f"{counter} -= 1")
        if endless:
            self.line_in_block(self.filled(f"if {counter} < 0 or <b>: break", 1))
        self.loop_body(depth)

    def _do_for(self, depth: int) -> None:
        types, templates = self.rng.choices(LOOPS, [each[2] for each in LOOPS])[0][:2]
        names = [self.target(type_) for type_ in types]
        if self.f.fixed & {*names} or len({*names}) < len(names):
            raise _ImpossibleError
        target = ", ".join(names)
        if types == ("int",) and self.f.record and self.chance(0.08):
            names, target = [], self.filled(self.pick("t.n", "t.a[<ix:2>]"), 1)
        iterable = self.filled(self.weighted(templates), 1)
        self.emit(f"for {target} in {iterable}:")
        before = {each: list(known) for each, known in self.f.variables.items()}
        for name, type_ in zip(names, types, strict=False):
            self.assigned(name, type_)
        self.loop_body(depth)
        self.f.variables = before
        for name, type_ in zip(names, types, strict=False):
            self.f.later.setdefault(type_, []).append(name)

    # Expressions

    def names(self, type_: str) -> list[str]:
        """Return variables that can be read, rarely one that may be unassigned."""
        known = list(self.f.variables.get(type_, []))
        if self.chance(0.07):
            known += self.f.later.get(type_, [])
        return known

    def expression(self, type_: str, depth: int) -> str:
        """Return an expression of this type."""
        names = self.names(type_)
        if names and self.chance(0.35):
            return str(self.rng.choice(names))
        tables = [SIMPLE[type_], *([NESTED[type_]] if depth > 0 and type_ in NESTED else [])]
        for _ in range(20):
            templates = tables[-1] if self.chance(0.75) else tables[0]
            try:
                return self.filled(self.weighted(templates), depth - 1)
            except _ImpossibleError:
                continue
        if type_ in FALLBACKS:
            return FALLBACKS[type_]
        raise _ImpossibleError

    def filled(self, template: str, depth: int) -> str:
        """Replace the placeholders of a template, from left to right."""

        def replacement(found: re.Match[str]) -> str:
            return self.placeholder(found[1], found[2], depth)

        return re.sub(r"<(\w+)(?::(\w+))?>", replacement, template)

    def placeholder(self, kind: str, detail: str | None, depth: int) -> str:
        if kind in PLAIN:
            return self.expression(PLAIN[kind], depth)
        if kind in OPERANDS:
            text = self.expression(OPERANDS[kind], depth)
            return text if text.isidentifier() or text.isdigit() else f"({text})"
        emit: Callable[[str, int], str] = getattr(self, f"_{kind}")
        return emit(detail or "", depth)

    def _n(self, detail: str, depth: int) -> str:
        return self.placeholder("o" if self.chance(0.35) else "F", None, depth)

    def _lit(self, detail: str, depth: int) -> str:
        if self.chance(0.8):
            return str(self.rng.randint(-4, 12))
        number = int(self.rng.choice(INTEGERS))
        return "(-9223372036854775807 - 1)" if number == -(1 << 63) else str(number)

    def _real(self, detail: str, depth: int) -> str:
        return repr(float(self.rng.choice(REALS[:15] if self.chance(0.8) else REALS[:-3])))

    def _small(self, detail: str, depth: int) -> str:
        return str(self.rng.randint(-3, 7))

    def _cmp(self, detail: str, depth: int) -> str:
        return str(self.pick("<", "<=", ">", ">=", "==", "!="))

    def _near(self, detail: str, depth: int) -> str:
        """Return a comparison of an integer with the float that it is rounded to."""
        names = self.names("int")
        if not names:
            raise _ImpossibleError
        name, how = self.rng.choice(names), self._cmp("", 0)
        return str(self.pick(f"({name} {how} float({name}))", f"({name} * 1.0 {how} {name} | 1)"))

    def _d(self, detail: str, depth: int) -> str:
        """Return a divisor, nearly never 0."""
        if self.chance(0.5):
            return str(self.pick(1, 2, 3, 7, -1, -2, -5, 10, 64))
        number = self.placeholder("o", None, depth)
        return number if self.chance(0.25) else f"({number} | 1)"

    def _ix(self, detail: str, depth: int) -> str:
        """Return an index, nearly always inside the length."""
        if detail in self.sizes:
            detail = str(self.sizes[detail])
        if self.chance(0.04):
            return self.filled("<o> + t.n" if self.f.record else "<o> - len(TABLE)", depth)
        if detail.isdigit() and self.chance(0.4):
            return str(self.rng.randint(-int(detail), int(detail) - 1))
        size = detail if detail.isdigit() else f"len({detail})"
        return f"{self.placeholder('o', None, depth)} % {size}"

    def _arr(self, detail: str, depth: int) -> str:
        """Return an array of integers."""
        found = self.names("row") + [f"{leaf}.m" for leaf in self.names("leaf")]
        if self.f.record:
            found += ["t.a", "t.c", "t.g[0]", "t.one.m", "t.two.m"]
        if not found:
            raise _ImpossibleError
        return str(self.rng.choice(found))

    def _sl(self, detail: str, depth: int) -> str:
        return self.filled(self.pick(*SLICES), min(depth, 1))

    def _leafs(self, detail: str, depth: int) -> str:
        found = [*self.names("leaf"), *(["t.one", "t.two"] if self.f.record else [])]
        if not found:
            raise _ImpossibleError
        return str(self.rng.choice(found))

    def _t(self, detail: str, depth: int) -> str:
        if not self.f.record:
            raise _ImpossibleError
        return "t"

    def _rows(self, detail: str, depth: int) -> str:
        names = self.names("row")
        if not names:
            raise _ImpossibleError
        name = self.rng.choice(names)
        return f"{name}[{self._ix(name, depth)}]"

    def _range(self, detail: str, depth: int) -> str:
        bounds = [str(self.rng.randint(-3, 9)) for _ in range(3)]
        bounds[2] = self.pick("1", "2", "-1", "-3", "3")
        if self.chance(0.25):
            bounds[self.rng.randint(0, 1)] = self.expression("int", min(depth, 1))
        if self.chance(0.15):
            bounds[2] = self.expression("int", min(depth, 1))
        return f"range({', '.join(bounds[: self.rng.randint(1, 3)])})"

    def _iter(self, detail: str, depth: int) -> str:
        """Return something that gives integers."""
        return self._iterable(ITERABLES, depth)

    def _iterable(self, templates: dict[str, float], depth: int) -> str:
        for _ in range(20):
            try:
                return self.filled(self.weighted(templates), min(depth, 1))
            except _ImpossibleError:
                continue
        return "range(3)"

    def _gen(self, detail: str, depth: int) -> str:
        """Return the inside of a generator expression."""
        self.f.in_iterable += 1  # where Python forbids `:=`
        iterable = self._iter("", depth)
        self.f.in_iterable -= 1
        name = self.pick("z", "y", "a")
        before, fixed = dict(self.f.variables), set(self.f.fixed)
        self.f.variables["int"] = [*before.get("int", []), name]
        self.f.fixed.add(name)
        text = f"{self.expression(detail, 1)} for {name} in {iterable}"
        for _ in range(self.pick(0, 0, 1, 2)):
            text += f" if {self.expression('bool', 1)}"
        self.f.variables, self.f.fixed = before, fixed
        return text

    def _walrus(self, detail: str, depth: int) -> str:
        name = self.target(detail)
        if name in self.f.fixed or self.f.in_iterable:
            raise _ImpossibleError
        value = self.expression(detail, depth)
        self.f.later.setdefault(detail, []).append(name)
        return f"({name} := {value})"

    def _call(self, detail: str, depth: int) -> str:
        if text := self.call(detail, depth):
            return text
        raise _ImpossibleError

    def call(self, result: str, depth: int) -> str:
        """Return a call of a helper with this result, or nothing if there is none."""
        found = [each for each in self.helpers if each.result == result]
        found = [each for each in found if self._can_call(each)]
        if not found:
            return ""
        helper = self.rng.choice(found)
        texts, named = [], False
        for name, type_, default in helper.params:
            if default and self.chance(0.5):
                continue
            value = "t" if type_ == "tree" else self.argument(type_, min(depth, 1))
            named = named or self.chance(0.15)
            texts.append(f"{name}={value}" if named else value)
        return f"{helper.name}({', '.join(texts)})"

    def _can_call(self, helper: _Helper) -> bool:
        return self.f.record or not {"tree", "row", "leaf"} & {each[1] for each in helper.params}

    def argument(self, type_: str, depth: int) -> str:
        if type_ == "row" and self.chance(0.4):
            return self._sl("", depth)
        if type_ == "int" and self.chance(0.1):
            return self.expression("bool", depth)
        return self.expression(type_, depth)


def random_module(rng: random.Random) -> Module:
    """Return a random module of kernels."""
    return _Writer(rng).module()


def random_arguments(rng: random.Random, tree: Any) -> tuple[Any, int, int, float]:
    """Return a record with random contents, two integers and a float."""

    def integer() -> int:
        return rng.choice(INTEGERS) if rng.random() < 0.3 else rng.randint(-6, 20)

    def real() -> float:
        return rng.choice(REALS) if rng.random() < 0.4 else rng.uniform(-10, 10)

    _fill(tree, integer, real)
    tree.stream = rng.randrange(1 << 62)
    return tree, integer(), integer(), real()


def _fill(record: Any, integer: Callable[[], int], real: Callable[[], float]) -> None:
    for name, (kind, shape) in record.fields.items():
        if not isinstance(kind, str):
            _fill(getattr(record, name), integer, real)
        elif len(shape) == 2:
            getattr(record, name)[:] = [
                [integer() for _ in range(shape[1])] for _ in range(shape[0])
            ]
        elif shape:
            getattr(record, name)[:] = [integer() for _ in range(shape[0])]
        else:
            setattr(record, name, integer() if kind == "int" else real())
