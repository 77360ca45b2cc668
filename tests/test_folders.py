"""Machine code finds a folder wherever the program runs, and the user is told which."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import pytest

from hanabilab.core.code_cache import first_writable
from hanabilab.errors import HanabiError

Usage = namedtuple("Usage", ["total", "used", "free"])


@pytest.fixture(autouse=True)
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somewhere else than where other processes keep theirs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(folder))
    return folder


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_the_chosen_folder_is_taken_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANABILAB_CACHE", str(tmp_path / "mine"))
    assert first_writable("a/b") == tmp_path / "mine/a/b"
    assert (tmp_path / "mine/a/b").is_dir()
    assert capsys.readouterr().err == ""


def test_a_folder_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANABILAB_CACHE", "/dev/null/x")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))
    assert first_writable("a") == tmp_path / "usual/hanabilab/a"
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "/dev/null/x" in err
    assert str(tmp_path / "usual/hanabilab") in err


def test_no_home(
    temporary_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither HOME nor an entry for the user."""
    monkeypatch.delenv("HANABILAB_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    own = temporary_folder / f"hanabilab-{os.getuid()}"
    assert first_writable("a") == own / "a"
    assert own.stat().st_mode & 0o777 == 0o700
    err = capsys.readouterr().err
    assert err == f"Could not determine home directory; compiled code is cached in {own}\n"


def test_a_full_disk_is_left_alone_unless_something_is_kept_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANABILAB_CACHE", str(tmp_path / "full"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))

    def usage(path: Path) -> Usage:
        return Usage(1 << 40, 0, 1000 if path.is_relative_to(tmp_path / "full") else 1 << 40)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert first_writable("a") == tmp_path / "usual/hanabilab/a"
    (tmp_path / "full/a/code").touch()
    assert first_writable("a") == tmp_path / "full/a"


@pytest.mark.parametrize("trap", ["others may write", "a link"])
def test_a_folder_that_somebody_else_prepared_is_not_used(
    trap: str, tmp_path: Path, temporary_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read from there is run; and with no folder at all there is one clear error."""
    own = temporary_folder / f"hanabilab-{os.getuid()}"
    if trap == "a link":
        own.symlink_to(tmp_path)
    else:
        own.mkdir()
        own.chmod(0o777)
    monkeypatch.setenv("HANABILAB_CACHE", "/dev/null/x")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/y")
    with pytest.raises(HanabiError, match="set HANABILAB_CACHE"):
        first_writable("a")


COMPILE = """
import resource
from hanabilab.core import code_cache, machine_code
from hanabilab.core.bits import nth_lowest
from hanabilab.core.random import mix
code_cache.cache_folder()
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
print(machine_code.run(nth_lowest, 12, 1), machine_code.run(mix, 1) == mix(1))
"""


def test_a_disk_that_fills_up_while_compiling(tmp_path: Path) -> None:
    """The result is right, and one line says that the next run compiles again."""
    environment = {**os.environ, "HANABILAB_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", COMPILE], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "3 True\n"
    lines = [line for line in done.stderr.splitlines() if not line.startswith("compiling")]
    assert len(lines) == 1
    assert str(tmp_path / "cache") in lines[0]
    assert "File too large" in lines[0]
