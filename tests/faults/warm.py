"""A process that has everything imported and compiled, and forks a child for each command.

Starting Python two hundred times would take minutes; a fork takes milliseconds. The process also
has a small file system of its own to fill up, where the machine allows that. It is asked by lines
of JSON on standard input: start a command, or wait for its end.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

LONGEST = 60.0
"""Seconds after which a command counts as hanging."""
SMALL_DISK = "disk"
"""The folder of the small file system."""
PAGES = 4096
PAGE = 4096
CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000
MS_PRIVATE_EVERYWHERE = (1 << 18) | (1 << 14)


def mount_small_disk(folder: Path) -> bool:
    """Mount a small file system that only this process and its children see, if permitted."""
    folder.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    owner = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS) != 0:
        if libc.unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0:
            return False
        Path("/proc/self/setgroups").write_text("deny")
        for name, number in zip(("uid", "gid"), owner, strict=True):
            Path(f"/proc/self/{name}_map").write_text(f"0 {number} 1")
    size = f"size={PAGES * PAGE}".encode()
    failed = libc.mount(b"none", b"/", None, MS_PRIVATE_EVERYWHERE, None)
    failed = failed or libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, size)
    return not failed


class Striker:
    """Counts the lines of the code that writes files, and sends a signal at one of them, if any."""

    def __init__(self, number: int, line: int) -> None:
        from hanabilab.lab import checkpoint_log, files, game_rows

        self.sources = {checkpoint_log.__file__, files.__file__, game_rows.__file__}
        self.number, self.line, self.lines = number, line, 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        return self.count if frame.f_code.co_filename in self.sources else None

    def count(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines == self.line:
                os.kill(os.getpid(), self.number)
        return self.count


def stream(number: int, mode: str, encoding: str, errors: str) -> Any:
    """Open a standard stream as Python does when it starts."""
    try:
        os.fstat(number)
    except OSError:
        return None
    return open(number, mode, encoding=encoding, errors=errors, closefd=False)


def become(order: dict[str, Any], ends: tuple[int, int]) -> NoReturn:
    """Be the command in the child, up to its exit code."""
    from hanabilab.cli import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.chdir(order["folder"])
    given = os.open(order["stdin"], os.O_RDONLY)
    out = os.open(order["stdout"], os.O_WRONLY) if order["stdout"] else ends[0]
    for number, end in enumerate((given, out, ends[1])):
        os.dup2(end, number)
    os.closerange(3, 256)
    for number in order["closed"]:
        os.close(number)
    encoding = order["encoding"]
    sys.stdin = stream(0, "r", encoding, "strict")
    sys.stdout = stream(1, "w", encoding, "strict")
    sys.stderr = stream(2, "w", encoding, "backslashreplace")
    if (most := order["file_size"]) is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    striker = Striker(*order["strike"]) if order["strike"] else None
    sys.settrace(striker)
    try:
        code = main(order["argv"])
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.settrace(None)
    if striker and not striker.number:
        print(striker.lines, file=sys.stderr)
    leave(code)


def leave(code: int) -> NoReturn:
    """End as Python does: flush the streams, and say so if that fails."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name) and getattr(sys, name).flush()
        except Exception as error:
            code = 120
            if sys.stderr:
                print(f"Exception ignored in {name}: {error!r}", file=sys.stderr, flush=True)
    os._exit(code)


def read_all(end: int) -> str:
    """Return what a child has written to its end of a pipe."""
    with open(end, encoding="utf-8", errors="surrogateescape") as pipe:
        return pipe.read()


class Server:
    """Starts commands and waits for them."""

    def __init__(self) -> None:
        self.pipes: dict[int, tuple[int, int]] = {}

    def answer(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked."""
        return self.wait(order["wait"]) if "wait" in order else {"pid": self.start(order)}

    def start(self, order: dict[str, Any]) -> int:
        """Fork a child that runs a command."""
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            become(order, (out_end, err_end))
        os.close(out_end)
        os.close(err_end)
        self.pipes[pid] = out, err
        return pid

    def wait(self, pid: int) -> dict[str, Any]:
        """Wait until a child ends or stops; one that hangs is killed."""
        end = time.monotonic() + LONGEST
        found, status = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
        while not found:
            time.sleep(0.001)
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
            found, status = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
        if os.WIFSTOPPED(status):
            return {"stopped": True}
        out, err = map(read_all, self.pipes.pop(pid))
        hung = "it hung\n" * (time.monotonic() > end)
        return {"code": os.waitstatus_to_exitcode(status), "out": out, "err": err + hung}


def requests(end: int) -> Iterator[dict[str, Any]]:
    """Yield what is asked."""
    with open(end, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def warm_up(folder: Path, commands: list[list[str]]) -> None:
    """Run every command once: that imports and compiles what the children need."""
    from hanabilab.cli import main
    from hanabilab.lab import files

    files.LOCK_TIMEOUT = 0.1
    folder.mkdir()
    os.chdir(folder)
    for words in commands:
        assert main(words) == 0, words
    while threading.active_count() > 1:
        time.sleep(0.001)
    gc.collect()
    gc.freeze()


def serve(folder: Path, commands: list[list[str]]) -> None:
    """Warm up and answer until nobody asks any more."""
    asked, told = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    has_disk = mount_small_disk(folder / SMALL_DISK)
    warm_up(folder / "reference", commands)
    os.write(told, json.dumps({"disk": has_disk}).encode() + b"\n")
    server = Server()
    for order in requests(asked):
        os.write(told, json.dumps(server.answer(order)).encode() + b"\n")


if __name__ == "__main__":
    serve(Path(sys.argv[1]), json.loads(sys.argv[2]))
