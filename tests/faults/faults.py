"""The kinds of faults: each disturbs the command of a scene and checks what is left."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable

from tests.faults.harness import INTERRUPTED, Scene, check_end
from tests.faults.warm import PAGE, PAGES

__all__ = ["FAULTS", "ONLY_GROWING"]

OWNED = re.compile(r"hanabilab \w+: \S+ is being written by another command( \(process \d+\))?\n")


def kill(scene: Scene) -> None:
    """Kill a command at any moment: by a line of the code that writes files, or by the clock."""
    if scene.chance.random() < 0.7:
        pid = scene.start(strike=(signal.SIGKILL, scene.any_line()))
    else:
        pid = scene.start()
        time.sleep(scene.chance.uniform(0, 0.2))
        os.kill(pid, signal.SIGKILL)
    ended = scene.wait(pid)
    assert ended.code in (0, -signal.SIGKILL), ended
    scene.check_left_behind()
    scene.check_beginning()
    scene.check_repeated()


def stop(scene: Scene) -> None:
    """Ask a command to end at any line of the code that writes files."""
    strike = (scene.chance.choice([signal.SIGINT, signal.SIGTERM]), scene.any_line())
    check_end(scene.run(strike=strike), 0, INTERRUPTED)
    scene.check_left_behind()
    scene.check_beginning(interrupted=True)
    scene.check_repeated()


def stop_while_playing(scene: Scene) -> None:
    """Ask an endless run to end: it reports and saves what it has, and cleans up."""
    words = "simulate random --players 2 --games 1000000000000 --json --save endless.csv"
    pid = scene.warm.start(words.split(), scene.folder)
    size = scene.chance.randint(1, 100_000)
    while not any(path.stat().st_size >= size for path in scene.view.glob("endless.csv.*.part")):
        time.sleep(0.001)
    os.kill(pid, scene.chance.choice([signal.SIGINT, signal.SIGTERM]))
    ended = scene.wait(pid)
    check_end(ended, INTERRUPTED)
    assert [path.name for path in scene.view.iterdir()] == ["endless.csv"]
    _, *rows = (scene.view / "endless.csv").read_text().splitlines()
    assert len(rows) == json.loads(ended.out)["games"]
    assert rows[-1].startswith(f"{len(rows) - 1},")


def limit(scene: Scene) -> None:
    """Let no file grow beyond a limit."""
    most = scene.chance.randint(0, len(scene.whole) + 10)
    _check_no_space(scene, file_size=most)
    scene.check_repeated()


def full(scene: Scene) -> None:
    """Leave only a few pages of the disk."""
    filler = scene.view.parent / "filler"
    free = scene.chance.randint(0, 1 + len(scene.whole) // PAGE)
    filler.write_bytes(bytes((PAGES - free) * PAGE))
    _check_no_space(scene)
    filler.unlink()
    scene.check_repeated()


def _check_no_space(scene: Scene, file_size: int | None = None) -> None:
    ended = scene.run(file_size=file_size)
    check_end(ended, 0, 2)
    scene.check_nothing_beside()
    scene.check_beginning()
    if ended.code == 2 and not scene.workload.grows:
        assert not scene.file.exists()
        refused_at_once = scene.workload.file == "games.parquet"  # it begins with a few bytes
        assert ended.out or refused_at_once, ended  # the statistics so far
    if scene.file.exists():
        assert scene.file.read_bytes().endswith(scene.whole[-1:])


def two_owners(scene: Scene) -> None:
    """Stop a command at any line, run another one on the same file, and let the first go on."""
    pid = scene.start(strike=(signal.SIGSTOP, scene.any_line()))
    if scene.warm.wait(pid) is None:
        other = scene.run()
        check_end(other, 0, 2)
        assert other.code == 0 or OWNED.fullmatch(other.err), other
        os.kill(pid, signal.SIGCONT)
        check_end(scene.wait(pid), 0)
    scene.check_nothing_beside()
    scene.check_repeated()


def many_owners(scene: Scene) -> None:
    """Start the same command several times at once."""
    ends = [scene.wait(pid) for pid in [scene.start() for _ in range(3)]]
    for ended in ends:
        check_end(ended, 0, 2)
        assert ended.code == 0 or OWNED.fullmatch(ended.err), ended
    assert 0 in [ended.code for ended in ends]
    scene.check_nothing_beside()
    scene.check_repeated()


def cut_off(scene: Scene) -> None:
    """Cut a file off anywhere, as a killed writer or a lost block would."""
    end = scene.chance.randint(0, len(scene.whole))
    lost = bytes(scene.chance.choice([0, 0, 100]))
    whole_lines = scene.whole[: scene.whole.rfind(b"\n", 0, end) + 1]
    scene.file.write_bytes(whole_lines + lost if lost and whole_lines else scene.whole[:end])
    scene.check_repeated()


def doubled(scene: Scene) -> None:
    """Repeat lines, as two writers at once would."""
    lines = scene.whole.splitlines(keepends=True)
    row = scene.chance.choice(lines[1:])
    place = scene.chance.randint(2, len(lines))
    _check_refused(scene, b"".join([*lines[:place], row, *lines[place:]]))


def _check_refused(scene: Scene, damaged: bytes) -> None:
    scene.file.write_bytes(damaged)
    check_end(scene.run(), 2)
    assert scene.file.read_bytes() == damaged
    scene.check_nothing_beside()


def foreign(scene: Scene) -> None:
    """Put something else into the file: it is refused and kept, or replaced by a whole file."""
    texts = [b"hello", b"a,b\n1,2\n", b"{}", b"[1, 2]\n", scene.chance.randbytes(50), b"\n"]
    text = scene.chance.choice(texts)
    if scene.workload.grows:
        _check_refused(scene, text)
    else:
        scene.file.write_bytes(text)
        scene.check_repeated()


def one_byte(scene: Scene) -> None:
    """Change one byte: the file may be read or refused, in one line and without loss."""
    damaged = bytearray(scene.whole)
    damaged[scene.chance.randrange(len(damaged))] = scene.chance.randrange(256)
    scene.file.write_bytes(damaged)
    ended = scene.run()
    check_end(ended, 0, 2)
    if ended.code == 2:
        assert scene.file.read_bytes() == damaged
    scene.check_nothing_beside()


def closed(scene: Scene) -> None:
    """Close some of the standard streams: nothing of them ends up in the file."""
    check_end(scene.run(closed=[n for n in range(3) if scene.chance.random() < 0.6]), 0)
    scene.check_repeated()


def full_output(scene: Scene) -> None:
    """Print to a full disk: one line says so, and the file is whole."""
    check_end(scene.run(stdout="/dev/full"), 2)
    assert scene.workload.figures(scene.file.read_bytes()) == scene.workload.figures(scene.whole)
    scene.check_repeated()


LIGHT = ["--help", "simulate --help", "rules", "strategies", "count 3 2 2 --suits 2", "pace"]


def encoded(scene: Scene) -> None:
    """Print where not every character can be printed."""
    encoding = scene.chance.choice(["cp1252", "ascii", "latin-1"])
    check_end(scene.run(encoding=encoding), 0)
    words = scene.chance.choice(LIGHT).split()
    ended = scene.warm.run(words, scene.folder, encoding=encoding)
    check_end(ended, 0)
    assert ended.out
    scene.check_repeated()


ONLY_GROWING = {doubled, one_byte}
"""Faults of files that a command reads before it goes on."""

FAULTS: dict[Callable[[Scene], None], int] = {
    kill: 46,
    stop: 24,
    stop_while_playing: 6,
    limit: 24,
    full: 24,
    two_owners: 18,
    many_owners: 6,
    cut_off: 16,
    doubled: 8,
    foreign: 8,
    one_byte: 12,
    closed: 8,
    full_output: 4,
    encoded: 8,
}
"""The faults, and how many of 212 cases each has."""
