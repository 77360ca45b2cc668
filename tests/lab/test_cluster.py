"""Clusters: real schedulers and workers, the same digits, and what happens when they are killed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.errors import ClusterError, HanabiError, StrategyError
from hanabilab.lab.checkpoint_log import resume_hint
from hanabilab.lab.run import Parallelism
from hanabilab.lab.workers import connection as connections
from hanabilab.strategies.load import load_player
from tests.lab.test_processes import PLAYERS, children, is_running

distributed = pytest.importorskip("distributed")

Command = Callable[..., tuple[int, str, str]]

PACKAGE = Path(hl.__file__).parent
SECONDS = 120
"""How long anything may take on a machine with much else to do."""


@pytest.fixture(scope="module")
def local() -> Iterator[str]:
    """Two workers of our own, for most tests of this module."""
    yield "local:2"
    connections.disconnect()


def without_time(result: Any) -> dict[str, Any]:
    left_out = ("seconds", "threads", "games_per_second", "decks_per_second")
    return {name: value for name, value in result.to_dict().items() if name not in left_out}


def test_everything_plays_there(local: str, tmp_path: Path) -> None:
    """Every kind of run, here and there, to the last digit."""

    def runs(folder: Path, **where: Any) -> Iterator[Any]:
        folder.mkdir()
        save = folder / "games.csv"
        rules: dict[str, Any] = {"players": 3, "rules": "cox-program", "seed": 5}
        yield hl.simulate("random", games=90, repeats=2, chunk=7, save=save, **rules, **where)
        yield hl.compare(["random", "cheat"], games=60, **rules, **where)
        yield hl.crossplay(["random", "cheat"], games=12, **rules, **where)
        yield hl.sweep("rule-based", vary={"safe": [False, True]}, games=10, **rules, **where)
        yield hl.winnable(2, decks=50, seed=1, **where)

    here = [without_time(result) for result in runs(tmp_path / "here", threads=1)]
    present = [without_time(result) for result in runs(tmp_path / "there", cluster=local)]
    assert here == present
    games = [(tmp_path / place / "games.csv").read_bytes() for place in ("here", "there")]
    assert games[0] == games[1]


def test_workers_write_the_files_of_a_data_set(local: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"players": 2, "games": 12, "file_games": 5, "seed": 2}
    hl.dataset.make("random", out=tmp_path / "here", threads=1, **settings)
    made = hl.dataset.make("random", out=tmp_path / "there", cluster=local, **settings)
    assert made.files == 3
    for file in (tmp_path / "here").iterdir():
        if file.suffix == ".parquet":
            assert (tmp_path / "there" / file.name).read_bytes() == file.read_bytes()


def test_strategies_of_a_user_are_serialized(local: str, tmp_path: Path) -> None:
    """A kernel and a policy of a file, a policy of this test, and their errors."""
    file = tmp_path / "mine.py"
    file.write_text(PLAYERS)
    rng, kernel = load_player(f"{file}:rng"), load_player(f"{file}:FIRST")
    lowest = min

    def closing(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return lowest(legal_moves)

    rules: dict[str, Any] = {"games": 6, "rules": "cox-program"}
    places: list[dict[str, Any]] = [{"threads": 1}, {"cluster": local}]
    teams: list[list[Any]] = [[rng, closing], [kernel, "random"]]
    for team in teams:
        here, present = (hl.simulate(team, **rules, **where) for where in places)
        assert here.sums() == present.sums()
    for name in ("broken", "cheeky"):
        broken = load_player(f"{file}:{name}")
        announced = []
        for where in places:
            with pytest.raises(StrategyError) as error:
                hl.simulate(broken, players=2, **rules, **where)
            announced.append(str(error.value).rpartition("mine.py")[2])
        assert announced[0] == announced[1]
    lock = threading.Lock()
    with pytest.raises(StrategyError, match="cannot be sent to another process"):
        hl.simulate(lambda observation, moves: moves[bool(lock)], players=2, games=1, cluster=local)


@pytest.mark.parametrize("workers", [1, 5])
def test_the_number_of_workers_leaves_no_trace(workers: int) -> None:
    """With a `Client` of one's own: Dask's `LocalCluster`, whose workers are threads here."""
    settings: dict[str, Any] = {"players": 3, "rules": "cox-program", "seed": 5, "games": 100}
    expected = hl.simulate("random", threads=1, **settings)
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        for chunk in (None, 9):
            result = hl.simulate("random", cluster=client, chunk=chunk, **settings)
            assert result.sums() == expected.sums()
            assert result.threads == workers
        assert client.status == "running"


def test_the_command_names_its_dashboard(
    local: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["simulate", "random", "--players", "2", "--games", "9", "--json"]
    expected = json.loads(command(*words, "--threads", "1")[1])
    monkeypatch.setenv("HANABILAB_CLUSTER", local)
    for more in ([], ["--cluster", local]):
        code, out, err = command(*words, *more)
        assert code == 0
        assert err.startswith("dashboard: http://127.0.0.1:")
        assert json.loads(out)["histogram"] == expected["histogram"]
    assert command(*words, "--threads", "1")[2] == ""  # threads are asked for, so no cluster


class Dask:
    """A scheduler and workers, each a process that the test started."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        place = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self.start("scheduler", "scheduler", *place)

    def start(self, name: str, role: str, *options: str, path: str | None = None) -> None:
        line = [sys.executable, "-m", "dask", role, "--scheduler-file", str(self.file), *options]
        environment = {**os.environ, "PYTHONPATH": path or os.pathsep.join(filter(None, sys.path))}
        with (self.folder / "log").open("ab") as log:
            self.processes[name] = subprocess.Popen(line, env=environment, stdout=log, stderr=log)

    def is_described(self) -> bool:
        """Return whether the scheduler has written all of its file."""
        return self.file.exists() and self.file.read_text().rstrip().endswith("}")

    def start_worker(self, name: str, path: str | None = None) -> None:
        plain = ["--name", name, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        self.start(name, "worker", *plain, path=path)

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Dask]:
    started = Dask(tmp_path)
    yield started
    connections.disconnect()
    for name in list(started.processes):
        started.kill(name)


def wait_until(reached: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif("HANABILAB_SCALE" not in os.environ, reason="for make scale")
def test_workers_come_and_go(dask: Dask, tmp_path: Path) -> None:
    """One is killed, one joins, one is incompatible; the result is the same."""
    copy = tmp_path / "other" / "hanabilab"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.nb*"))
    init = copy / "__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "9.'))
    dask.start_worker("first")
    dask.start_worker("other", path=str(copy.parent))
    wait_until(dask.is_described)
    connection = connections.connect(str(dask.file))
    connection.client.wait_for_workers(2, timeout=SECONDS)
    settings: dict[str, Any] = {"players": 3, "rules": "cox-program", "seed": 5, "games": 3000}
    expected = hl.simulate("random", threads=1, **settings)
    steps: list[int] = []

    def disturb(done: int, words: str) -> None:
        steps.append(done)
        if len(steps) == 2:
            dask.start_worker("second")
            wait_until(lambda: len(connection.client.nthreads()) == 3)
            dask.kill("first")

    result = hl.simulate("random", cluster=str(dask.file), chunk=100, progress=disturb, **settings)
    assert result.sums() == expected.sums()
    assert len(steps) == 30


@pytest.mark.skipif("HANABILAB_SCALE" not in os.environ, reason="for make scale")
def test_only_incompatible_workers_are_an_error(
    dask: Dask, tmp_path: Path, command: Command
) -> None:
    copy = tmp_path / "other" / "hanabilab"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.nb*"))
    changed = copy / "lab" / "tally.py"
    changed.write_text(changed.read_text() + "\n# changed\n")
    dask.start_worker("other", path=str(copy.parent))
    wait_until(dask.is_described)
    connections.connect(str(dask.file)).client.wait_for_workers(1, timeout=SECONDS)
    words = ["simulate", "random", "--games", "10", "--cluster", dask.file]
    code, _, err = command(*words)
    assert code == 2
    assert "no worker of the cluster can be used: worker other (tcp://127.0.0.1:" in err
    assert "source digest" in err.splitlines()[-1]
    assert "version" not in err.splitlines()[-1]


def start_command(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hanabilab", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_scheduler_that_is_gone_is_one_line(dask: Dask, tmp_path: Path) -> None:
    """What was saved is kept, to the last byte; without `--save` nothing is promised."""
    dask.start_worker("only")
    wait_until(dask.is_described)
    folder, where = tmp_path / "data", ["--cluster", str(dask.file)]
    words = ["--games", "12000", "--observations", "none", "--file-games", "100"]
    words += ["--format", "npz", "--out", str(folder), *where]
    saving = start_command("dataset", "random", "--players", "2", *words)
    promise = "; re-run the same command to resume from what is saved"
    running = [(saving, promise)]
    if "HANABILAB_SCALE" in os.environ:
        words = ["--games", "1000000000", "--json", *where]
        running.append((start_command("simulate", "random", *words), ""))
    described = folder / "dataset.json"
    wait_until(lambda: described.exists() and "games-000000.npz" in described.read_text())
    dask.kill("scheduler")
    for process, end in running:
        out, err = process.communicate(timeout=SECONDS)
        assert (process.returncode, out) == (2, ""), err
        assert re.search(rf"the scheduler at tcp://[0-9.:]+ is gone{end}$", err)
        assert "Traceback" not in err
    kept = len(hl.dataset.load(folder).files)
    settings: dict[str, Any] = {"games": 12_000, "file_games": 100, "format": "npz"}
    made = hl.dataset.make("random", 2, observations="none", out=folder, **settings)
    assert 1 <= kept == made.resumed < made.files == 120
    hl.dataset.make("random", 2, observations="none", out=tmp_path / "whole", **settings)
    for file in (tmp_path / "whole").glob("*.npz"):
        assert (folder / file.name).read_bytes() == file.read_bytes()


def test_a_killed_worker_of_this_machine_is_replaced(local: str) -> None:
    """Kill each of the two workers with SIGKILL while chunks are running."""
    settings: dict[str, Any] = {"players": 3, "rules": "cox-program", "seed": 5, "games": 4000}
    expected = hl.simulate("random", threads=1, **settings)
    cluster = connections.connect(local).local
    assert cluster is not None
    killed: list[int] = []

    def strike(done: int, words: str) -> None:
        if len(killed) < 2 and done >= 500 * (len(killed) + 1):
            process = cluster._workers[f"local-{len(killed)}"]
            os.kill(process.pid, signal.SIGKILL)
            killed.append(process.wait())

    result = hl.simulate("random", cluster=local, chunk=50, progress=strike, **settings)
    assert killed == [-signal.SIGKILL] * 2
    assert result.sums() == expected.sums()


@pytest.mark.parametrize("saved", [False, True])
def test_only_saved_work_is_promised_to_be_resumed(saved: bool) -> None:
    error = ClusterError("the scheduler at tcp://somewhere:1 is gone")
    promise = "; re-run the same command to resume from what is saved" if saved else ""
    with pytest.raises(ClusterError, match=f"is gone{promise}$"), resume_hint(lambda: saved):
        raise error


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    process = subprocess.Popen(
        [
            *[sys.executable, "-m", "hanabilab", "simulate", "random", "--players", "2"],
            *["--games", "100000000", "--json", "--save", str(file), "--cluster", "local:1"],
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def written() -> bool:
        assert process.poll() is None, process.communicate()
        return any(part.stat().st_size > 1000 for part in tmp_path.glob("games.csv*.part"))

    wait_until(written)
    found = children(process.pid)
    assert len(found) == 2
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, err
    assert json.loads(out)["games"] > 0
    assert "Traceback" not in err
    wait_until(lambda: not any(map(is_running, found)))


@pytest.fixture
def silent() -> Iterator[int]:
    """A port on which somebody listens who is no scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SECONDS)

        def greet() -> None:
            try:
                with server.accept()[0] as connection:
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n")
            except OSError:
                return

        threading.Thread(target=greet, daemon=True).start()
        yield server.getsockname()[1]


def test_bad_addresses(tmp_path: Path, silent: int) -> None:
    (tmp_path / "games.json").write_text('["not", "a", "scheduler"]')
    for where, reason in (
        ("tcp://127.0.0.1:1", "no scheduler answers at tcp://127.0.0.1:1: Connection refused"),
        (f"tcp://127.0.0.1:{silent}", "something else listens there"),
        ("tcp://127.0.0.1", "missing port number"),
        ("carrier://pigeon:1", "unknown address scheme"),
        (str(tmp_path / "games.json"), "is not a file of a Dask scheduler"),
        (str(tmp_path / "nothing.json"), "No such file"),
        ("local:many", "is not local:N"),
        ("local:0", "local: 0 is not between 1 and 1024"),
        (17, "int is neither a text nor a Client"),
    ):
        start = time.monotonic()
        with pytest.raises(HanabiError, match=reason):
            hl.simulate("random", players=2, games=1, cluster=where)
        assert time.monotonic() - start < 10
    with pytest.raises(HanabiError, match="give one of the two"):
        Parallelism.of(threads=2, cluster="local:2")
    assert issubclass(ClusterError, HanabiError)
