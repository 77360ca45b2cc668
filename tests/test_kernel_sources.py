"""Kernels compile wherever their source can be read, and follow edits and constants."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

KERNEL = """
import hanabilab.author as ha
from hanabilab.core import machine_code

LIMIT = 3


@ha.kernel
def limited(number: int) -> int:
    assert number < 100, "too large"
    return min(number, LIMIT)


def within(limit):
    @ha.kernel
    def limited(number: int) -> int:
        return min(number, limit)

    return limited
"""


def run(folder: Path, code: str, *options: str, stdin: str | None = None) -> str:
    """Run a program in a folder; return what it prints."""
    done = subprocess.run(
        [sys.executable, *options, *(["-c", code] if stdin is None else [])],
        cwd=folder,
        env={
            **os.environ,
            "HANABILAB_CACHE": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(KERNEL)
    return tmp_path


CALL = "from mine import *; print(machine_code.run(limited, 7))"


def test_in_a_file_a_script_and_a_zip(folder: Path) -> None:
    assert run(folder, CALL) == "3"
    script = folder / "script.py"
    script.write_text(KERNEL + "\nprint(machine_code.run(limited, 7))\n")
    assert run(folder, "import runpy; runpy.run_path('script.py')") == "3"
    with zipfile.ZipFile(folder / "mine.zip", "w") as archive:
        archive.write(folder / "mine.py", "zipped.py")
    code = "import sys; sys.path.insert(0, 'mine.zip'); "
    assert run(folder, code + CALL.replace("mine", "zipped")) == "3"


def test_optimized_python_has_no_assertions_in_either_mode(folder: Path) -> None:
    code = "from mine import *; print(limited(200), machine_code.run(limited, 200))"
    assert run(folder, code, "-O") == "3 3"
    code = "from mine import *; machine_code.run(limited, 200)"
    assert "AssertionError: too large" in run(folder, code)
    assert "mine.py, line 10)" in run(folder, code)


def test_closures_over_constants(folder: Path) -> None:
    code = "from mine import *; print([machine_code.run(within(n), 7) for n in (2, 5, 9, 2)])"
    assert run(folder, code) == "[2, 5, 7, 2]"
    assert run(folder, code) == "[2, 5, 7, 2]"


def test_a_constant_that_changes_is_seen(folder: Path) -> None:
    code = """
import mine
from mine import limited, machine_code
for mine.LIMIT in (3, 4, 3):
    print(machine_code.run(limited, 7), end=" ")
"""
    assert run(folder, code) == "3 4 3"


def test_an_edit_before_compilation_is_noticed_and_a_reload_helps(folder: Path) -> None:
    code = """
import importlib, pathlib, hanabilab, mine
path = pathlib.Path("mine.py")
path.write_text(path.read_text().replace("min(number, LIMIT)", "max(number, LIMIT)"))
try:
    mine.machine_code.run(mine.limited, 7)
except hanabilab.HanabiError as error:
    print("reload the module" in str(error))
print(mine.limited(7))
importlib.reload(mine)
print(mine.limited(7), mine.machine_code.run(mine.limited, 7))
"""
    assert run(folder, code).splitlines() == ["True", "3", "7 7"]


def test_a_prompt_that_keeps_no_source_says_what_to_do(folder: Path) -> None:
    said = run(folder, "", stdin=KERNEL + "\nprint(machine_code.run(limited, 7))\n")
    assert said == "3" or "define the kernel in a file or a notebook" in said


def test_lambdas_and_async_functions_are_refused(folder: Path) -> None:
    code = "import mine; mine.machine_code.run(mine.ha.kernel(lambda number: number), 7)"
    assert "define the kernel with def" in run(folder, code)
