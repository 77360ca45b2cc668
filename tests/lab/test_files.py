"""Files are locked, are complete or absent, and never count anything twice."""

from __future__ import annotations

import errno
import os
from collections import Counter
from io import FileIO
from pathlib import Path
from typing import Any, cast

import pytest

from hanabilab import simulate
from hanabilab.errors import FormatError, SaveError
from hanabilab.lab import files
from hanabilab.lab.checkpoint_log import CheckpointLog
from hanabilab.lab.files import atomic_write, file_lock, write_text
from hanabilab.lab.game_rows import CsvRows
from hanabilab.lab.winnable import OUTCOMES, SUMS, _Totals


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LOCK_TIMEOUT", 0.0)


HEADER = "seed,name,value\n"


def log(file: Path) -> CheckpointLog:
    return CheckpointLog(file, {"seed": 1}, ["name", "value"])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_lock_is_exclusive(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    refusal = rf"x\.csv is being written by another command \(process {os.getpid()}\)"
    with atomic_write(file) as part:
        part.write_text("first")
        with pytest.raises(SaveError, match=refusal), atomic_write(file):
            pass
        with pytest.raises(SaveError, match=refusal):
            log(file)
    assert file.read_text() == "first"
    with log(tmp_path / "y.csv") as open_log:
        open_log.append({"name": "a", "value": 1})
        with pytest.raises(SaveError, match="another command"):
            log(tmp_path / "y.csv")
    assert names(tmp_path) == ["x.csv", "y.csv"]


def test_a_lock_that_was_just_removed_is_worth_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ends, and removes its lock, between our opening and our locking it."""
    file, lock = tmp_path / "x.csv", tmp_path / "x.csv.lock"
    endings = iter([lock.unlink])
    try_lock = files._try_lock

    def late(handle: FileIO) -> bool:
        next(endings, bool)()
        return try_lock(handle)

    monkeypatch.setattr(files, "_try_lock", late)
    with file_lock(file), pytest.raises(SaveError, match="another command"), file_lock(file):
        pass
    assert names(tmp_path) == []


def test_another_name_of_a_file_is_the_same_file(tmp_path: Path) -> None:
    file, link = tmp_path / "x.csv", tmp_path / "link.csv"
    link.symlink_to(file)
    with atomic_write(link), pytest.raises(SaveError, match="another command"), atomic_write(file):
        pass
    write_text(link, "text")
    assert link.is_symlink()
    assert file.read_text() == "text"


def test_a_failed_writer_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    write_text(file, "old")
    with pytest.raises(UnicodeEncodeError), atomic_write(file) as part:
        part.write_text("new \udcff", encoding="utf-8")
    assert file.read_text() == "old"
    assert names(tmp_path) == ["x.csv"]


def test_a_plot_is_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    def fail(figure: object, part: Path, **options: object) -> None:
        part.write_text("half")
        raise OSError(errno.ENOSPC, "full")

    result = simulate("random", 2, games=3, compiled=False)
    result.plot(str(tmp_path / "x.svg"))
    whole = (tmp_path / "x.svg").read_text()
    assert whole.endswith("</svg>\n")
    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(SaveError, match=r"x\.svg: No space left"):
        result.plot(str(tmp_path / "x.svg"))
    assert (tmp_path / "x.svg").read_text() == whole
    assert names(tmp_path) == ["x.svg"]


def test_parts_of_killed_commands_are_removed(tmp_path: Path) -> None:
    stale = ["x.csv.part", "x.csv.123-0123abcd.part", "x.csv.lock"]
    others = ["x.csv.mine.part", "y.csv.123-0123abcd.part"]
    for name in (*stale, *others):
        (tmp_path / name).write_text("1")
    write_text(tmp_path / "x.csv", "text")
    assert names(tmp_path) == sorted(["x.csv", *others])


@pytest.mark.parametrize("file", ["no/such/folder/x.csv", "folder.csv"])
def test_a_file_that_cannot_be_written_is_named(file: str, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(SaveError, match=rf"{file}: (No such|Is a)"), atomic_write(tmp_path / file):
        pass
    with pytest.raises(SaveError, match=rf"{file}: (No such|Is a)"):
        log(tmp_path / file)


@pytest.mark.parametrize("name", ["a\0.csv", "\ud800.csv"])
def test_a_name_that_no_file_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SaveError), atomic_write(tmp_path / name):
        pass


def test_a_checkpoint_log_resumes(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    with log(file) as first:
        first.append({"name": "a", "value": 1})
    whole = file.read_bytes()
    file.write_bytes(whole + b"1,b")
    with log(file) as second:
        assert second.rows == [{"seed": "1", "name": "a", "value": "1"}]
    assert file.read_bytes() == whole


def test_a_rejected_checkpoint_log_is_left_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    text = "seed,name,value\n1,a,1\n1,b"
    file.write_text(text)
    with pytest.raises(FormatError, match=r"\(line 2: no\)"), log(file) as found:
        found.restore(refuse)
    assert file.read_text() == text


def refuse(row: object) -> None:
    raise ValueError("no")


@pytest.mark.parametrize("text", ["notes", "{}", '{"seed": 2, "na'])
def test_a_single_line_of_something_else_is_kept(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    with pytest.raises(FormatError, match="remove it or save elsewhere"):
        log(file)
    assert file.read_text() == text


def test_a_checkpoint_log_without_rows_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), log(tmp_path / "x.csv"):
        raise ZeroDivisionError
    assert names(tmp_path) == []


@pytest.mark.parametrize("change", [Path.unlink, lambda file: file.write_text("more")])
def test_a_checkpoint_log_changed_by_others_is_noticed(change: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    open_log = log(file)
    open_log.append({"name": "a", "value": 1})
    change(file)
    with pytest.raises(SaveError, match="was changed by another program"), open_log:
        open_log.append({"name": "b", "value": 2})


class Reluctant:
    """A stream that takes a few bytes at a time, and after a while none."""

    def __init__(self, stream: Any, bytes_left: int) -> None:
        self.stream, self.left = stream, bytes_left

    def write(self, data: bytes) -> int:
        if not self.left:
            raise OSError(errno.ENOSPC, "full")
        written: int = self.stream.write(data[: min(3, self.left)])
        self.left -= written
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@pytest.mark.parametrize("bytes_left", range(0, 30, 3))
def test_what_is_appended_is_whole(bytes_left: int, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    open_log = log(file)
    open_log._stream = cast("FileIO", Reluctant(open_log._stream, len(HEADER) + bytes_left))
    rows = bytes_left // len("1,row,0\n")
    for value in range(rows):
        open_log.append({"name": "row", "value": value})
    with pytest.raises(SaveError, match="No space left"), open_log:
        open_log.append({"name": "row", "value": rows})
    assert file.read_text() == HEADER + "".join(f"1,row,{value}\n" for value in range(rows))


def chunk(first: int, decks: int, **changes: int) -> dict[str, str]:
    counts = {**dict.fromkeys((*OUTCOMES, *SUMS), 0), "winnable": decks}
    return {
        name: str(n) for name, n in {"first": first, "decks": decks, **counts, **changes}.items()
    }


def test_no_deck_is_counted_twice() -> None:
    decided = _Totals()
    decided.add_row(chunk(0, 10))
    decided.add_row(chunk(10, 5, winnable=4, pace=1))
    before = Counter(decided.counts)
    for wrong in (chunk(10, 5), chunk(0, 15), chunk(16, 5), chunk(15, 5, pace=1), chunk(15, -5)):
        with pytest.raises(ValueError, match="decks"):
            decided.add_row(wrong)
    assert decided.decks == 15
    assert decided.counts == before


def test_an_unsaved_run_still_has_its_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(CsvRows, "add", fail)
    with pytest.raises(SaveError, match=r"games\.csv: No space left") as caught:
        simulate(
            "random", players=2, games=30, chunk=10, compiled=False, save=tmp_path / "games.csv"
        )
    assert caught.value.result.games == 10
    assert names(tmp_path) == []


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files and folders that are flushed to disk, and `replace`."""
    made: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def watched_fsync(handle: int) -> None:
        fsync(handle)
        found = os.fstat(handle)
        beside = [path for path in Path.cwd().rglob("*") if os.path.samestat(path.stat(), found)]
        made.append(beside[0].suffix if beside else "folder")

    def watched_replace(self: Path, target: Path) -> Path:
        made.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    return made


def test_a_saved_file_is_on_disk_before_it_replaces_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_text(tmp_path / "x.csv", "a\n")
    assert calls == [".part", "replace", "folder"]


def test_a_row_is_on_disk_when_it_is_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with log(tmp_path / "x.csv") as table:
        table.append({"name": "a", "value": 1})
        assert calls == [".csv", "folder", ".csv"]  # the header, the entry of the file, the row
        table.append({"name": "b", "value": 2})
        assert calls[3:] == [".csv"]
