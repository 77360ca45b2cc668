"""Settings that all tests share.

Hypothesis runs without chance of its own, so that a run can be repeated; for a wider search::

    HYPOTHESIS_PROFILE=search python -m pytest tests/test_engine.py
"""

from __future__ import annotations

import functools
import gc
import math
import os
import signal
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hanabilab.cli import main
from hanabilab.core import machine_code
from hanabilab.lab import progress

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads spin on the cores of other tests
progress.SECONDS_BETWEEN_LINES = math.inf  # tests of standard error are not timed

slow_is_fine = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=slow_is_fine,
)
settings.register_profile(
    "search", deadline=None, max_examples=2000, suppress_health_check=slow_is_fine
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

TIME_LIMIT = int(os.environ.get("HANABILAB_TEST_SECONDS", "600"))
"""Seconds that a test may take, so that a hang fails; 0 for any time."""


CAN_LEARN = all(map(find_spec, ("torch", "datasets")))
"""Whether the libraries are installed that tests marked `learn` need; others are never skipped."""
LEARN_REQUIRED = os.environ.get("HANABILAB_LEARN") == "required"

if LEARN_REQUIRED and not CAN_LEARN:
    raise pytest.UsageError("HANABILAB_LEARN=required, but torch or datasets is not installed")
collect_ignore = [] if CAN_LEARN else ["envs/test_learn.py"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line which tests were left out."""
    if not CAN_LEARN:
        terminalreporter.write_line(
            "left out: tests marked learn (PyTorch or datasets missing); make learn-test runs them"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every test the time limit, and leave out what cannot run here."""
    if not CAN_LEARN:
        left_out = [item for item in items if item.get_closest_marker("learn")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    if TIME_LIMIT and config.pluginmanager.hasplugin("timeout"):
        for item in items:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(TIME_LIMIT))


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection: there are thousands of them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _time_limit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Interrupt a test after the time limit where pytest-timeout is not installed."""
    if os.name != "posix" or request.config.pluginmanager.hasplugin("timeout"):
        yield
        return

    def fail(number: int, frame: object) -> None:
        pytest.fail(f"no end after {TIME_LIMIT} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(TIME_LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


UNOPTIMIZED = """
from hanabilab.core.compiler import target
target.OPTIMIZATION = 0
"""
"""The first lines of a program that compiles in a cache of its own: in a tenth of the time."""


@pytest.fixture
def _unoptimized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile a test's own kernels in a tenth of the time; nothing is cached on disk."""
    from hanabilab.core.compiler import target

    monkeypatch.setattr(target, "OPTIMIZATION", 0)
    monkeypatch.setattr(target, "_machine", functools.cache(target._machine.__wrapped__))
    monkeypatch.setattr(machine_code, "save_object", lambda made, path: None)


Answer = tuple[int, str, str]
"""Exit code, standard output, standard error."""


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """The command line as a function."""

    def run(*arguments: str | Path) -> Answer:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as error:  # argparse leaves like this
            code = error.code if isinstance(error.code, int) else 1
        out, err = capsys.readouterr()
        return code, out, err

    return run
