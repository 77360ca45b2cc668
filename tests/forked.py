"""The command line in a forked child: with its own streams, and limits on time and memory."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from hanabilab.cli import build_parser, main

__all__ = ["Ended", "run_main"]

GIGABYTE = 1 << 30

build_parser()  # imports all commands, so that no child has to


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its exit code, negative for a signal, and what it wrote."""

    code: int
    out: str
    err: str


def run_main(
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    stdout: int | None = None,
    closed: Collection[int] = (),
    encoding: str = "utf-8",
    cpu_seconds: int = 60,
    folder: Path | None = None,
) -> Ended:
    """Run `main(argv)` as its own process would, and return how it ended.

    `stdout` may be any open descriptor; the descriptors in `closed` are not there at all.
    """
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        source.write(stdin)
        source.seek(0)
        streams = [source.fileno(), out.fileno() if stdout is None else stdout, err.fileno()]
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # on forking beside threads
            child = os.fork()
        if child == 0:
            _be_child(argv, streams, closed, encoding, cpu_seconds, folder)
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(encoding, "replace"))
        return Ended(os.waitstatus_to_exitcode(status), *texts)


def _be_child(
    argv: Sequence[str],
    streams: Sequence[int],
    closed: Collection[int],
    encoding: str,
    cpu_seconds: int,
    folder: Path | None,
) -> NoReturn:
    code = 1
    try:
        _limit(cpu_seconds)
        if folder is not None:
            os.chdir(folder)
        _replace_streams(streams, closed, encoding)
        code = _leave(main(list(argv)))
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def _limit(cpu_seconds: int) -> None:
    """Let a child that computes or waits for too long die, and one that wants too much memory."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(10 * cpu_seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + GIGABYTE, used + GIGABYTE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _replace_streams(streams: Sequence[int], closed: Collection[int], encoding: str) -> None:
    kept = [os.dup(stream) for stream in streams]
    for number, stream in enumerate(kept):
        os.dup2(stream, number)
        os.close(stream)
    for number in closed:
        os.close(number)
    modes = {"stdin": "r", "stdout": "w", "stderr": "w"}
    for number, (name, mode) in enumerate(modes.items()):
        errors = "backslashreplace" if name == "stderr" else "strict"
        opened = None
        if number not in closed:
            opened = open(number, mode, encoding=encoding, errors=errors)  # noqa: SIM115, PTH123
        setattr(sys, name, opened)


def _leave(code: int) -> int:
    """Flush as Python does when it ends, where a failure gives the exit code 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120
    return code
