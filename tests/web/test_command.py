"""`hanabilab web` on the command line: errors are one line."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Answer

Command = Callable[..., Answer]


def refused(answer: Answer) -> str:
    code, out, err = answer
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err


def test_a_port_in_use(command: Command, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused(command("web", "--port", port, "--data", tmp_path / "tables.sqlite"))
    assert "Address already in use" in said
    assert not (tmp_path / "tables.sqlite").exists()


def test_what_cannot_be(command: Command, tmp_path: Path) -> None:
    assert "65535" in refused(command("web", "--port", "70000"))
    assert "cannot listen" in refused(command("web", "--host", "no.such.host.invalid"))
    assert "'proxy' is not an IP" in refused(command("web", "--proxy", "proxy"))
    said = refused(command("web", "--port", "0", "--no-browser", "--data", tmp_path))
    assert "cannot be used for tables" in said


def test_a_missing_extra(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "hanabilab.web.server", raising=False)
    assert "pip install 'hanabilab[web]'" in refused(command("web"))


def test_programs_play_only_on_this_computer(command: Command) -> None:
    for host in ("0.0.0.0", "::", "hanabi.example"):
        said = refused(command("web", "--host", host, "--strategy", "exec:python3 bot.py"))
        assert "exec:python3 bot.py: programs play only where no other computer can reach" in said
