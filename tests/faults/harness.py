"""Run commands in a warm process, disturb them, and check how they end."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults import warm
from tests.faults.workloads import WORKLOADS, Workload
from tests.forked import Ended

__all__ = ["Runner", "Scene", "check_end"]

ONLY_COUNT = (0, 0)
EDGE = 50
"""Lines in which a file is opened, or gets its name."""
INTERRUPTED = 130


def check_end(ended: Ended, *codes: int) -> None:
    """Raise unless a command ended with one of these codes and said why in one line."""
    assert ended.code in codes, ended
    assert "Traceback" not in ended.err, ended
    assert "Exception ignored" not in ended.err, ended
    lines = [line for line in ended.err.splitlines() if "already in the file" not in line]
    assert len(lines) == (ended.code in (2, INTERRUPTED)), ended
    if ended.code == 2:
        assert lines[0].startswith("hanabilab "), ended


class Warm:
    """The warm process, and the files of undisturbed commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        commands = json.dumps([workload.argv for workload in WORKLOADS])
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.warm", str(folder), commands],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.has_disk: bool = self._answer()["disk"]
        reference = folder / "reference"
        self.whole = {each.file: (reference / each.file).read_bytes() for each in WORKLOADS}
        self.lines = {each.file: self._count_lines(each) for each in WORKLOADS}

    def close(self) -> None:
        """End the process."""
        with self.process:
            pass

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, (self.folder / "log").read_text()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return self._answer()

    def start(self, argv: list[str], folder: Path, **setting: Any) -> int:
        """Start a command and return its process."""
        usual: dict[str, Any] = {
            "closed": [],
            "encoding": "utf-8",
            "file_size": None,
            "stdin": os.devnull,
            "stdout": "",
            "strike": None,
        }
        order = {"argv": argv, "folder": str(folder), **usual, **setting}
        pid: int = self._ask(order)["pid"]
        return pid

    def wait(self, pid: int) -> Ended | None:
        """Wait for a command; None means that it was stopped and can go on."""
        answer = self._ask({"wait": pid})
        return None if "stopped" in answer else Ended(**answer)

    def run(self, argv: list[str], folder: Path, **setting: Any) -> Ended:
        """Run a command to its end."""
        ended = self.wait(self.start(argv, folder, **setting))
        assert ended is not None
        return ended

    def _count_lines(self, workload: Workload) -> int:
        """Return how many lines of the code that writes files a command passes."""
        folder = self.folder / "counted" / workload.file
        folder.mkdir(parents=True)
        ended = self.run(workload.argv, folder, strike=ONLY_COUNT)
        assert ended.code == 0, ended
        return int(ended.err)


@dataclass(frozen=True)
class Scene:
    """A command in an empty folder, and chance."""

    warm: Warm
    workload: Workload
    folder: Path
    chance: random.Random
    view: Path
    """The folder as it is seen from here."""

    @property
    def whole(self) -> bytes:
        """The file of an undisturbed command."""
        return self.warm.whole[self.workload.file]

    @property
    def file(self) -> Path:
        """The file that the command writes."""
        return self.view / self.workload.file

    def any_line(self) -> int:
        """Choose a line of the code that writes files, often near its beginning or end."""
        lines = self.warm.lines[self.workload.file]
        first, last = self.chance.choice([(1, lines), (1, EDGE), (lines - EDGE, lines)])
        return self.chance.randint(max(first, 1), last)

    def start(self, **setting: Any) -> int:
        """Start the command."""
        return self.warm.start(self.workload.argv, self.folder, **setting)

    def run(self, **setting: Any) -> Ended:
        """Run the command to its end."""
        return self.warm.run(self.workload.argv, self.folder, **setting)

    def wait(self, pid: int) -> Ended:
        """Wait for the end of a command."""
        ended = self.warm.wait(pid)
        assert ended is not None
        return ended

    def check_beginning(self, *, interrupted: bool = False) -> None:
        """Raise unless the file is absent or holds only what belongs there."""
        if self.file.exists():
            is_fine = self.workload.is_beginning(self.file.read_bytes(), self.whole, interrupted)
            assert is_fine, "the file is damaged"

    def check_nothing_beside(self) -> None:
        """Raise if anything is in the folder but the file."""
        assert {path.name for path in self.view.iterdir()} <= {self.workload.file}

    def check_left_behind(self) -> None:
        """Raise if a killed command left more than a lock and a part of its file."""
        name = re.escape(self.workload.file)
        ours = re.compile(rf"{name}(\.lock|\.\d+-[0-9a-f]{{8}}\.part)?")
        assert all(ours.fullmatch(path.name) for path in self.view.iterdir())

    def check_repeated(self) -> None:
        """Raise unless the same command now ends with the same file as if nothing had happened."""
        if not any(self.view.iterdir()):
            return  # nothing has happened
        check_end(self.run(), 0)
        figures = self.workload.figures
        assert figures(self.file.read_bytes()) == figures(self.whole)
        self.check_nothing_beside()


class Runner:
    """Makes scenes, each from a seed."""

    def __init__(self, folder: Path) -> None:
        self.warm = Warm(folder)

    @contextlib.contextmanager
    def scene(self, seed: str, *, growing: bool = False) -> Iterator[Scene]:
        """Provide a scene that its seed determines, on the small disk if there is one."""
        chance = random.Random(seed)
        choice = [each for each in WORKLOADS if each.grows or not growing]
        (workload,) = chance.choices(choice, [each.weight for each in choice])
        folder = self.warm.folder / warm.SMALL_DISK / "scene"
        view = Path(f"/proc/{self.warm.process.pid}/root{folder}")
        view.mkdir()
        try:
            yield Scene(self.warm, workload, folder, chance, view)
        finally:
            shutil.rmtree(view)
