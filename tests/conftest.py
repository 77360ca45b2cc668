"""Settings that all tests share.

Hypothesis runs without chance of its own, so that a run can be repeated; for a wider search::

    HYPOTHESIS_PROFILE=search python -m pytest tests/test_engine.py
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
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
