"""Why a kernel cannot be compiled, in a few lines instead of Numba's hundred."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from types import FunctionType

from hanabilab.core.outside.reach import Place, Reach, names_used
from hanabilab.errors import KernelError

__all__ = ["diagnose"]

LONGEST = 200
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""What makes words bold or red in a terminal: Numba writes that if colorama is installed."""
PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)|at (?P<at>.+?) \((?P<on>\d+)\)')

CURES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>",
        lambda found: f"`{found[1]}` is not a kernel: mark `{found[1]}` with @hl.kernel",
    ),
    (
        r"Untyped global name '(\w+)': Cannot determine Numba type of <class '([^']+)'>",
        lambda found: (
            f"`{found[1]}` is a {found[2]}, which a kernel cannot use; "
            "numbers, and tuples and NumPy arrays of them, it can"
        ),
    ),
    (
        r"use of a reflected list\S* type, assigned to variable '(\w+)'",
        lambda found: (
            f"`{found[1]}` is a list; make it a tuple, since a kernel takes it as a constant"
        ),
    ),
    (r"NameError: (name '\w+' is not defined)", lambda found: found[1]),
    (
        r"Unknown attribute '(\w+)' of type Module\(<module '(\S+)'",
        lambda found: f"a kernel cannot use `{found[2]}.{found[1]}`",
    ),
    (r"Unknown attribute '(\w+)' of type (\S+)", lambda found: f"a {found[2]} has no `{found[1]}`"),
    (
        r"Cannot unify (.+?) and (.+?) for '(\w+)",
        lambda found: (
            f"`{found[3]}` is {_kind(found[1])} here and {_kind(found[2])} there; "
            "in a kernel a name has one type"
        ),
    ),
    (
        r"No implementation of function Function\(<built-in function (\w+)>\) found for "
        r"signature:\s+>>> \w+\((.*?)\)\s*\n",
        lambda found: f"a kernel cannot do this: `{found[1]}` of {_kinds(found[2])}",
    ),
    (r"Cannot bind '?args", lambda found: "this call does not fit the arguments of the function"),
    (r"use of yield", lambda found: "generators cannot be compiled; write a loop"),
    (r"LOAD_BUILD_CLASS", lambda found: "a kernel cannot define a class"),
    (r"The '?(with .+?)'? construct", lambda found: f"`{found[1]}` cannot be compiled"),
)
"""What Numba says, and what that means."""


def diagnose(error: Exception, reached: Reach, fields: Sequence[Sequence[str]] = ()) -> KernelError:
    """Return an error that shows the line that cannot be compiled and says what to do.

    `fields` names the fields of the records that the first function of `reached` is given.
    """
    if isinstance(error, KeyError) and error.args:
        found = _unknown_field(str(error.args[0]), reached, fields)
        if found:
            return found
    text = COLOURS.sub("", str(error))
    place = _first_place(text, reached) or _undefined(text, reached)
    for pattern, cure in CURES:
        if match := re.search(pattern, text):
            return place.error(cure(match))
    said = next((line for line in text.splitlines() if line and "pipeline" not in line), text)
    if len(said) > LONGEST:
        said = said[:LONGEST] + " ..."
    return place.error(
        f"this cannot be compiled: {said}",
        "HANABILAB_TRACEBACK=1 shows the whole message of the compiler",
    )


def _first_place(text: str, reached: Reach) -> Place | None:
    """Return the first line of the user's that a message names: the innermost one."""
    for match in PLACE.finditer(text):
        file, line = match["file"] or match["at"], int(match["line"] or match["on"])
        for function in reached.functions:
            code = function.__code__
            lines = [number for _, _, number in code.co_lines() if number]
            same_file = re.split(r"[/\\]", file)[-1] == re.split(r"[/\\]", code.co_filename)[-1]
            if same_file and code.co_firstlineno <= line <= max(lines):
                return Place(function, line)
    return None


def _undefined(text: str, reached: Reach) -> Place:
    """Return the line that uses an undefined name, or else that of the first function."""
    missing = re.search(r"name '(\w+)' is not defined", text)
    for function in reached.functions:
        for name, line in names_used(function.__code__):
            if missing and name == missing[1]:
                return Place(function, line)
    return Place(reached.functions[0], reached.functions[0].__code__.co_firstlineno)


def _unknown_field(
    name: str, reached: Reach, fields: Sequence[Sequence[str]]
) -> KernelError | None:
    """Return an error for the line that names a field which a record does not have."""
    entry = reached.functions[0].__code__
    given = dict(zip(entry.co_varnames[: entry.co_argcount], fields, strict=False))
    memory = entry.co_varnames[entry.co_argcount - 1]
    for function in reached.functions:
        for node in ast.walk(_syntax(function)):
            if not isinstance(node, ast.Attribute) or node.attr != name:
                continue
            owner = ast.unparse(node.value)
            known = given.get(owner, [each for names in fields for each in names])
            if name in known:
                continue
            close = get_close_matches(name, known, n=1)
            close += [each for each in known if name in each.split("_")]
            meant = f"; did you mean `{close[0]}`?" if close else ""
            line = function.__code__.co_firstlineno + node.lineno - 1
            advice = [f"`{owner}` has no field `{name}`{meant}"]
            if owner == memory:
                advice.append(
                    f"declare `{name}` in your Memory (`{name}: int`), and give that class to the "
                    "Strategy (`memory=`)"
                )
            return Place(function, line).error(*advice)
    return None


def _syntax(function: FunctionType) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):  # no source, or a part of a larger expression
        return ast.Module([], [])


def _kind(numba_type: str) -> str:
    """Return a plain word for a type of Numba's."""
    for start, word in (
        ("Literal[int]", "a whole number"),
        ("int", "a whole number"),
        ("float", "a float"),
        ("bool", "true or false"),
        ("Literal[str]", "text"),
        ("unicode", "text"),
        ("none", "None"),
        ("Record", "a record"),
        ("list", "a list"),
        ("Tuple", "a tuple"),
        ("UniTuple", "a tuple"),
    ):
        if numba_type.startswith(start):
            return word
    return numba_type.partition("(")[0]


def _kinds(numba_types: str) -> str:
    """Return plain words for the arguments of a call."""
    flat = re.sub(r"\([^()]*\)|\{[^{}]*\}", "", re.sub(r"Record\(.*", "Record", numba_types))
    return " and ".join(_kind(each.strip()) for each in flat.split(",") if each.strip())
