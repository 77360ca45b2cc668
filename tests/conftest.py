"""Settings that all tests share.

Hypothesis runs without chance of its own, so that a run can be repeated; for a wider search::

    HYPOTHESIS_PROFILE=search python -m pytest tests/test_engine.py
"""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hanabilab.cli import main
from hanabilab.lab import progress

progress.SECONDS_BETWEEN_LINES = math.inf  # tests of standard error are not timed

slow_is_fine = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=slow_is_fine,
)
settings.register_profile(
    "search", deadline=None, max_examples=2000, suppress_health_check=slow_is_fine
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

TIME_LIMIT = int(os.environ.get("HANABILAB_TEST_SECONDS", "600"))
"""Seconds that a test may take, so that a hang fails; 0 for any time."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every test the time limit, if pytest-timeout is installed."""
    if TIME_LIMIT and config.pluginmanager.hasplugin("timeout"):
        for item in items:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(TIME_LIMIT))


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
