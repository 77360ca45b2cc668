"""A few faults of Python processes that start from nothing, by a shell as a user would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("these faults are made with a shell", allow_module_level=True)

FAULTS = {
    "no streams": ("hanabilab rules <&- >&- 2>&-", 0),
    "no input": ("hanabilab replay - <&-", 2),
    "full output": ("hanabilab rules > /dev/full", 2),
    "ascii": ("PYTHONIOENCODING=ascii hanabilab --help", 0),
    "cp1252": ("PYTHONIOENCODING=cp1252 hanabilab strategies", 0),
    "the C locale": ("LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 hanabilab strategies", 0),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fresh_processes_end_in_order(name: str, tmp_path: Path) -> None:
    line, code = FAULTS[name]
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("hanabilab", f"{sys.executable} -m hanabilab")],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == code, done
    assert done.stderr.count(b"\n") == (code == 2), done
    assert not list(tmp_path.iterdir())
