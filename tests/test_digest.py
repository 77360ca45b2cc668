"""Machine code and resumable runs depend on the modules that hold kernels, and on nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hanabilab
from hanabilab.core.code_cache import kernel_sources

SOURCE = Path(hanabilab.__file__).parent
KEYS = """
from pathlib import Path
from hanabilab.core.code_cache import cache_folder
from hanabilab.papers.runner import Runner
runner = Runner(seed=1, folder=Path("{folder}"))
print(cache_folder().name, runner.file("games").name)
"""
"""The name of the cache, and that of the file from which a report goes on."""


def keys(package: Path, tmp_path: Path) -> str:
    """The keys of a copy of the package."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "HANABILAB_CACHE": str(tmp_path / "cache"),
    }
    code = KEYS.format(folder=tmp_path / "report")
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    shutil.copytree(SOURCE, folder / "hanabilab", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def edit(package: Path, *modules: str) -> None:
    """Add a comment to some modules."""
    for module in modules:
        path = package / "hanabilab" / module
        path.write_text(path.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")


def test_other_modules_change_no_key(package: Path, tmp_path: Path) -> None:
    before = keys(package, tmp_path)
    edit(
        package,
        "lab/plot.py",
        "cli/simulate.py",
        "game/names.py",
        "web/application.py",
        "errors.py",
    )
    assert keys(package, tmp_path) == before


@pytest.mark.parametrize(
    "module", ["game/state.py", "game/turn.py", "strategies/seats.py", "core/compiler/builder.py"]
)
def test_kernels_and_records_change_both_keys(package: Path, tmp_path: Path, module: str) -> None:
    before = keys(package, tmp_path).split()
    edit(package, module)
    after = keys(package, tmp_path).split()
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_every_module_with_a_kernel_counts() -> None:
    counted = kernel_sources()
    for source in SOURCE.rglob("*.py"):
        if "\n@kernel" in source.read_text(encoding="utf-8"):
            assert source.relative_to(SOURCE).as_posix() in counted
    assert "lab/plot.py" not in counted
