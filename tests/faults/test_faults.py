"""Whatever happens to a command: one line, whole files, and the same end when it is repeated.

`make faults` tries thousands of cases, with a new seed each time. A failure names its case, which
can be repeated alone::

    HANABILAB_FAULTS_CASE=kill-17-of-seed-1 python -m pytest tests/faults
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest

if sys.platform == "win32":
    pytest.skip("these faults are made with fork and signals", allow_module_level=True)

from tests.faults.faults import FAULTS, ONLY_GROWING, full
from tests.faults.harness import Runner, Scene

CASES = int(os.environ.get("HANABILAB_FAULTS", "0")) or sum(FAULTS.values()) // 3
SEED = os.environ.get("HANABILAB_FAULTS_SEED", "1")
ONLY = os.environ.get("HANABILAB_FAULTS_CASE")


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    made = Runner(tmp_path_factory.mktemp("faults"))
    yield made
    made.warm.close()


def cases(fault: Callable[[Scene], None]) -> list[str]:
    """The names of the cases of a fault, each of which is the seed of its chances."""
    if ONLY:
        return [ONLY] if ONLY.startswith(f"{fault.__name__}-") else []
    share = -(-CASES * FAULTS[fault] // sum(FAULTS.values()))
    return [f"{fault.__name__}-{number}-of-seed-{SEED}" for number in range(share)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_faults(fault: Callable[[Scene], None], runner: Runner) -> None:
    if fault is full and not runner.warm.has_disk:
        pytest.skip("no disk can be mounted here")
    failures = []
    for case in cases(fault):
        with runner.scene(case, growing=fault in ONLY_GROWING) as scene:
            try:
                fault(scene)
            except Exception as error:
                failures.append(f"{case}: {scene.workload.file}: {error!r}")
    assert not failures, "\n".join(failures)
