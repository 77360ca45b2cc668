"""A differential fuzzer for the compiler: random kernels, interpreted against compiled.

Each kernel runs in Python, compiled with checks and compiled without, on the same arguments. What
it returns, what it leaves in its record and the error that it stops with must be the same. Where
Python goes on although a check of the language does not hold, `kernel_model` says where that is.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import math
import os
import pickle
import random
import re
import resource
import struct
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hanabilab.core import machine_code
from hanabilab.core.code_cache import ObjectFile
from hanabilab.core.compiler.functions import Program
from hanabilab.core.compiler.target import Target, emit_object
from hanabilab.core.compiler.types import type_of
from hanabilab.core.record import pack, unpack
from hanabilab.errors import KernelError, KernelRunError
from tests.fuzz.kernel_model import CheckedError, GaveUpError, Model, instrumented
from tests.fuzz.kernel_shrink import shrunk
from tests.fuzz.kernel_sources import random_arguments, random_module

__all__ = ["Report", "check_source", "fuzz"]

BATCH = 10
"""Kernels that are compiled into one object file."""
ARGUMENTS = 6
"""Sets of arguments for each kernel."""
SHRUNK = 2
"""Failures that are shrunk; the others are only counted."""
SECONDS = 60
"""CPU time that a batch may take in its process."""

Outcome = tuple[Any, ...]


HEAD = re.compile(r"\A.*?(?=^@kernel\ndef (helper|entry))", re.DOTALL | re.MULTILINE)
"""Records and constants, which all modules have."""


@dataclass(slots=True)
class Failure:
    """A kernel that compiled code does not run as Python does."""

    kind: str
    detail: str
    source: str
    seed: int

    def __str__(self) -> str:
        return f"{self.detail}\n{HEAD.sub('', self.source)}\n(arguments of seed {self.seed})"


@dataclass(slots=True)
class Report:
    """What came of some kernels."""

    counts: Counter[str] = field(default_factory=Counter)
    """How many passed, were refused when compiling, failed or crashed."""
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.failures[:SHRUNK]))


@dataclass(slots=True)
class _Kernel:
    """A kernel and its model."""

    source: str
    seed: int
    module: Any
    model: Model
    names: dict[str, Any]

    def arguments(self, number: int, record: Any) -> tuple[Any, ...]:
        return random_arguments(random.Random(f"{self.seed} {number}"), record)


# Outcomes


def _plain(value: Any) -> Any:
    """Return a value in a form that can be compared: NaN equals NaN, -0.0 is not 0.0."""
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else struct.pack(">d", value).hex())
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if hasattr(value, "fields"):
        return {name: _plain(each) for name, each in value.items()}
    return int(value) if isinstance(value, int) else value


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """Run a kernel in Python."""
    try:
        found = function(*arguments)
    except (CheckedError, GaveUpError) as error:
        name = str(error) if isinstance(error, CheckedError) else "gave up"
        return ("error", name, _plain(arguments[0]))
    except Exception as error:
        unassigned = isinstance(error, NameError)  # the name of it depends on the scope
        name = "UnboundLocalError" if unassigned else type(error).__name__
        return ("error", name, _plain(arguments[0]))
    return ("value", _plain(found), _plain(arguments[0]))


def _modelled(kernel: _Kernel, number: int, *, strict: bool) -> Outcome:
    kernel.model.strict, kernel.model.steps = strict, 0
    arguments = kernel.arguments(number, kernel.names["Tree"]())
    return _outcome(kernel.names["entry"], arguments)


def _interpreted(kernel: _Kernel, number: int) -> Outcome:
    return _outcome(kernel.module.entry, kernel.arguments(number, kernel.module.Tree()))


def _compiled(kernel: _Kernel, number: int, run: Callable[..., Any]) -> Outcome:
    record, *rest = kernel.arguments(number, kernel.module.Tree())
    packed = pack(record)[0]
    try:
        found = run(packed, *rest)
    except KernelRunError as error:
        unpack(record, packed)
        named = re.match(r"\w+", str(error))
        return ("error", named.group() if named else "", _plain(record))
    unpack(record, packed)
    return ("value", _plain(found), _plain(record))


def _difference(kernel: _Kernel, number: int, checked: Any, unchecked: Any) -> str:
    """Return how the ways to run a kernel differ, if they do."""
    expected = _modelled(kernel, number, strict=True)
    if expected[1] == "gave up":
        return ""
    found = _compiled(kernel, number, checked)
    if found != expected:
        loose = _modelled(kernel, number, strict=False)  # constants are folded without limits
        if found != loose:
            return f"expected {expected}\n   found {found}"
    elif found[0] == "value" and (plain := _interpreted(kernel, number)) != found:
        return f"the model is wrong: {plain}, not {found}"
    if found[0] == "value" and (quick := _compiled(kernel, number, unchecked)) != found:
        return f"checked   {found}\nunchecked {quick}"
    return ""


# Compilation


def _load(source: str, seed: int, folder: Path) -> _Kernel:
    """Import a module twice: as it is, and as a model."""
    path = folder / f"kernels_{abs(hash(source))}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        spec.loader.exec_module(module)
        return _Kernel(source, seed, module, model, instrumented(source, model))


def _linked(
    kernels: Sequence[_Kernel], *, checked: bool, target: Target | None = None
) -> dict[int, Any]:
    """Compile kernels into one object file; return a callable for each that is not refused."""
    program = Program(checked=checked, target=target)
    entries, numbers, refusals = [], [], []
    for number, kernel in enumerate(kernels):
        arguments = kernel.arguments(0, kernel.module.Tree())
        types = [type_of(pack(arguments[0])[0]), *map(type_of, arguments[1:])]
        name = f"entry{number}"
        try:
            entries.append((name, *program.add_entry(name, kernel.module.entry, types)))
            numbers.append(number)
        except KernelError as error:
            refusals.append(str(error))
    failures = program.failures
    made = ObjectFile(
        tuple(entries),
        tuple(failures.errors),
        tuple(failures.sites),
        emit_object(str(program)),
    )
    calls = {}
    for number, entry, address in zip(numbers, entries, machine_code._link(made), strict=True):
        arguments = kernels[number].arguments(0, kernels[number].module.Tree())
        packed = (pack(arguments[0])[0], *arguments[1:])
        calls[number] = machine_code._call_of(
            machine_code._Entry(address, entry[1], entry[2], None), packed
        )
    return calls


def _check_batch(sources: Sequence[tuple[str, int]], report: Callable[..., None]) -> None:
    """Run kernels every way; report what is being done, so that a crash can be attributed."""
    with tempfile.TemporaryDirectory() as folder:
        report("compiling", -1, "")
        kernels = [_load(*each, Path(folder)) for each in sources]
        checked, unchecked = (_linked(kernels, checked=each) for each in (True, False))
        for number, kernel in enumerate(kernels):
            if number not in checked:
                report("refused", number, "")
                continue
            if number not in unchecked:
                report("failed", number, "accepted with checks, refused without")
                continue
            report("running", number, "")
            for place in range(ARGUMENTS):
                found = _difference(kernel, place, checked[number], unchecked[number])
                if found:
                    report("failed", number, f"arguments {place}: {found}")
                    break
            else:
                report("passed", number, "")


# Processes


def _in_child(sources: Sequence[tuple[str, int]]) -> tuple[list[tuple[str, int, str]], str]:
    """Check a batch in a process of its own; return its reports, and how it crashed if it did."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # on forking beside threads
        child = os.fork()
    if not child:
        _child(sources, write)
    os.close(write)
    reports = []
    with os.fdopen(read, "rb") as stream, contextlib.suppress(EOFError):
        while True:
            reports.append(pickle.load(stream))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return reports, "" if status == 0 else f"the process ended with {status}"


def _child(sources: Sequence[tuple[str, int]], write: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    code = 0
    with os.fdopen(write, "wb", buffering=0) as stream:

        def report(*what: Any) -> None:
            stream.write(pickle.dumps(what))

        try:
            _check_batch(sources, report)
        except BaseException:
            report("raised", -1, traceback.format_exc())
            code = 1
    os._exit(code)


def check_source(source: str, seed: int) -> str:
    """Return how a single kernel fails, or an empty text."""
    reports, crash = _in_child([(source, seed)])
    for kind, _, detail in reports:
        if kind in ("raised", "failed"):
            return f"{kind}: {detail}"
    return f"crashed: {crash}" if crash else ""


def _counted(sources: list[tuple[str, int]], report: Report) -> None:
    """Check a batch; kernels of a batch that crashed are checked one by one."""
    reports, crash = _in_child(sources)
    if crash and len(sources) > 1:
        for each in sources:
            _counted([each], report)
        return
    if crash:
        reports = [("crashed", 0, crash), *reports[-1:]]
    for kind, number, detail in reports:
        if kind in ("passed", "refused", "failed", "crashed"):
            report.counts[kind] += 1
        if kind in ("failed", "crashed", "raised"):
            if kind == "raised" and report.failures:
                report.failures[-1].detail += "\n" + detail
                continue
            report.failures.append(Failure(kind, detail, *sources[max(number, 0)]))


def sources_of(seed: int, count: int) -> Iterator[tuple[str, int]]:
    """Yield random kernels with the seeds of their arguments."""
    for number in range(count):
        yield random_module(random.Random(f"{seed} {number}")).source, number


def fuzz(seed: int, count: int, *, shrink: bool = True) -> Report:
    """Check `count` kernels of a seed."""
    report = Report()
    sources = [*sources_of(seed, count)]
    for start in range(0, count, BATCH):
        _counted(sources[start : start + BATCH], report)
    if shrink:
        for failure in report.failures[:SHRUNK]:
            check = functools.partial(check_source, seed=failure.seed)
            failure.source = shrunk(failure.source, check)
            failure.detail = check(failure.source)
    return report
