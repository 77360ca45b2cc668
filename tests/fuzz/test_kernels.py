"""A small sample of the kernels that `make fuzz` tries, and proof that faults are found."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from hanabilab.core.compiler import operators
from hanabilab.core.compiler.builder import Builder
from tests.fuzz import kernel_shrink, kernels
from tests.fuzz.kernels import check_source, fuzz

KERNELS = 25
SOURCE = """
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Record

class Tree(Record):
    stream: int

@kernel
def entry(t, a, b, x):
    return {}
"""


def test_compiled_kernels_equal_interpreted_ones() -> None:
    report = fuzz(29, KERNELS)
    assert not report.failures, str(report)
    assert report.counts["passed"] > 0.7 * KERNELS


def test_a_wrong_operation_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operators.BITWISE, ast.BitXor, "or")
    monkeypatch.setattr(kernel_shrink, "MOST_ATTEMPTS", 30)
    monkeypatch.setattr(kernels, "SHRUNK", 1)
    whole, shrunk = (fuzz(29, 5, shrink=shrink).failures[0] for shrink in (False, True))
    assert len(shrunk.source) < len(whole.source)
    assert "^" in str(shrunk)


def test_a_lost_check_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def unchecked(self: Builder, operation: str, one: str, other: str) -> str:
        return self.emit_value(f"{operation} i64 {one}, {other}")

    source = SOURCE.format("a * 4611686018427387904 + b")
    assert check_source(source, 0) == ""
    monkeypatch.setattr(Builder, "arithmetic", unchecked)
    assert "OverflowError" in check_source(source, 0)


def test_a_crash_is_attributed(monkeypatch: pytest.MonkeyPatch) -> None:
    def divide(self: Any, one: str, right: Any, *, modulo: bool) -> str:
        return str(self.builder.emit_value(f"sdiv i64 {one}, 0"))

    assert check_source(SOURCE.format("a // 3"), 0) == ""
    monkeypatch.setattr(operators.Operators, "divide", divide)
    assert check_source(SOURCE.format("a // (b | 1)"), 0)


def test_an_error_of_the_compiler_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "BITWISE", {ast.BitAnd: "nonsense"})
    assert check_source(SOURCE.format("a & b"), 0).startswith("raised")
