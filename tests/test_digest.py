"""Machine code and resumable runs depend on the modules that hold kernels, and on nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
        "PYTHONDONTWRITEBYTECODE": "1",
        "HANABILAB_CACHE": str(tmp_path / "cache"),
    }
    code = KEYS.format(folder=tmp_path / "report")
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(SOURCE, folder / "hanabilab")
    return folder


@pytest.fixture(scope="module")
def before(package: Path) -> str:
    """The keys of the package as it is."""
    return keys(package, package.parent)


@contextmanager
def edited(package: Path, *modules: str) -> Iterator[None]:
    """Add a comment to some modules for a while."""
    paths = [package / "hanabilab" / module for module in modules]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text + "# edited\n", encoding="utf-8")
    yield
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")


OTHERS = ("lab/plot.py", "cli/simulate.py", "game/names.py", "web/application.py", "errors.py")


def test_other_modules_change_no_key(package: Path, before: str) -> None:
    with edited(package, *OTHERS):
        assert keys(package, package.parent) == before


@pytest.mark.parametrize(
    "module", ["game/state.py", "game/turn.py", "strategies/seats.py", "core/compiler/builder.py"]
)
def test_kernels_and_records_change_both_keys(package: Path, before: str, module: str) -> None:
    with edited(package, module):
        after = keys(package, package.parent)
    code, runs = before.split()
    assert code not in after
    assert runs not in after


def test_every_module_with_a_kernel_counts() -> None:
    counted = kernel_sources()
    for source in SOURCE.rglob("*.py"):
        if "\n@kernel" in source.read_text(encoding="utf-8"):
            assert source.relative_to(SOURCE).as_posix() in counted
    assert "lab/plot.py" not in counted
