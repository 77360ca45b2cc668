"""What `import hanabilab as hl` offers."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hanabilab as hl
from tests.release import lowest_versions


@pytest.mark.parametrize("name", hl.__all__)
def test_every_exported_name_can_be_fetched(name: str) -> None:
    assert getattr(hl, name) is not None
    assert name in dir(hl)


def test_there_are_few_enough_names_to_know() -> None:
    assert len(hl.__all__) <= 30


class RaisingRunner(doctest.DocTestRunner):
    """Fail with what an example printed, and do not hide the output of pytest."""

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        pytest.fail(f"{example.source.strip()} printed {got!r}, not {example.want!r}")


def examples_of(value: Any) -> doctest.DocTest:
    """Return the examples in the docstring of a name, in the namespace of its module."""
    is_module = isinstance(value, ModuleType)
    names = {} if is_module else vars(importlib.import_module(value.__module__))
    parser = doctest.DocTestParser()
    return parser.get_doctest(value.__doc__ or "", dict(names), value.__name__, None, None)


@pytest.mark.parametrize("name", hl.__all__)
def test_the_examples_of_every_name_run(name: str) -> None:
    test = examples_of(getattr(hl, name))
    assert test.examples, f"{name} has no example"
    assert not any(doctest.SKIP in example.options for example in test.examples)
    RaisingRunner(verbose=False).run(test)


@pytest.mark.parametrize("module", [hl.author, hl.analysis])
def test_other_examples_run(module: ModuleType) -> None:
    values = (getattr(module, name) for name in module.__all__)
    for value in values:
        if callable(value):
            RaisingRunner(verbose=False).run(examples_of(value))


@pytest.mark.parametrize("name", sorted(hl._MOVED_TO))
def test_a_name_that_has_moved_says_where_to(name: str) -> None:
    with pytest.raises(AttributeError) as attribute:
        getattr(hl, name)
    with pytest.raises(ImportError) as imported:
        exec(f"from hanabilab import {name}", {})
    assert str(attribute.value) == str(imported.value)
    advice = str(attribute.value).partition(": ")[2]
    space: dict[str, object] = {}
    exec(advice, space)
    assert space[name] is not None


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hl.nonsense  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("module", [hl, hl.author, hl.analysis])
def test_the_examples_of_modules_run(module: ModuleType) -> None:
    assert doctest.testmod(module, raise_on_error=False).failed == 0


@pytest.mark.parametrize("module", [hl.author, hl.analysis])
def test_a_module_describes_everything_that_it_offers(module: ModuleType) -> None:
    described = set(re.findall(r"`(\w+)`", module.__doc__ or ""))
    assert set(module.__all__) <= described | {"Breach", "Ints", "ResultsTable"}


def test_every_library_has_a_lower_bound() -> None:
    """`make release` runs the tests of the libraries with these versions."""
    lowest = lowest_versions("all")
    assert {"numpy==2.0", "gymnasium==1.1"} <= set(lowest)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", version) for version in lowest)
    assert len({version.partition("==")[0] for version in lowest}) == len(lowest)


def test_the_newest_release_is_this_version() -> None:
    """The version stands in one place; the changelog says what is new in it."""
    text = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d[^\]]*)\]", text, re.MULTILINE)
    assert released == [hl.__version__, "0.1.0"]
