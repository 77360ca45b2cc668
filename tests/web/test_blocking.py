"""No client can block the others: jobs can be killed, wait in fair queues, and have quotas."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from hanabilab.core.compile_times import PendingCompilation, due
from hanabilab.errors import HanabiError, StrategyError, TheoryError
from hanabilab.game.rules import Rules
from hanabilab.table.play import strategies_for
from hanabilab.web.clients import FairQueue, HourlyQuota, QuotaError, network_of
from hanabilab.web.jobs import job
from hanabilab.web.jobs.job import Priority, count_cost
from hanabilab.web.jobs.scheduler import JobTimeoutError, Worker, WorkerPool
from hanabilab.web.jobs.worker import JOB_KINDS
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.schema import RequestFields
from tests.web.clients import LONG, Message, Site

ENDLESS: Message = {
    "strategy": "monte-carlo:playouts=2000,depth=50",
    "players": 5,
    "games": 1_000_000,
    "score": 0,
}
COMPILED: Message = LONG | {"score": 0}


@pytest.fixture
def worker() -> Iterator[Worker]:
    found = Worker([])
    yield found
    found.end()


def ended_soon(worker: Worker) -> bool:
    """Return whether a process is gone within a second."""
    for _ in range(20):
        if not worker._process.is_alive:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("fields", [ENDLESS, COMPILED], ids=["compiling", "compiled"])
def test_a_job_ends_at_its_deadline(worker: Worker, fields: Message) -> None:
    async def ask() -> None:
        await worker.run("count", {"counts": "2 2"}, 30, lambda text: None)  # it is awake
        started = time.monotonic()
        with pytest.raises(JobTimeoutError):
            await worker.run("games", fields, 0.5, lambda text: None)
        assert time.monotonic() - started < 4

    asyncio.run(ask())
    assert not worker.is_ready
    worker.end()
    assert ended_soon(worker)


def test_cancelling_a_job_kills_its_worker() -> None:
    async def ask() -> Worker:
        workers = WorkerPool()
        async with workers.acquire() as worker:
            await worker.run("count", {"counts": "2 2"}, 30, lambda text: None)
        assert worker.is_ready

        async def work() -> None:
            async with workers.acquire() as again:
                assert again is worker
                await again.run("games", COMPILED, 900, lambda text: None)

        task = asyncio.create_task(work())
        await asyncio.sleep(0.7)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        workers.close()
        return worker

    assert ended_soon(asyncio.run(ask()))


def test_workers_exit_with_the_server() -> None:
    """Kill a program that has a process at work: the process ends too."""
    program = (
        "import threading, time\n"
        "from hanabilab.web.jobs.scheduler import Worker\n"
        "worker = Worker([])\n"
        f"worker._process.send(('games', {COMPILED!r}, 1e99))\n"
        "worker._process.receive()\n"
        "print(worker._process._process.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        parent.kill()
    for _ in range(40):
        time.sleep(0.05)
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the process goes on")


def test_closed_sockets_free_their_workers(site: Site) -> None:
    site.ask("solve", players=2, seed=7)  # so that nothing is compiled below
    site.ask("simulate", strategy="random", players=2, games=10)
    for _ in range(4):
        with site.socket("/ws/ask") as socket:
            socket.send({"type": "ask", "id": 1, "kind": "games", **ENDLESS})
            socket.until("status")
    started = time.monotonic()
    assert site.get("/").status_code == 200
    assert site.ask("replay", strategy="iggi", players=2, seed=1, count=1)["turns"]
    assert site.ask("solve", players=2, seed=7)["winnable"] is True
    assert site.ask("simulate", strategy="random", players=2, games=10)["games"] == 10
    assert time.monotonic() - started < 20


def test_long_jobs_leave_room_for_others(site: Site) -> None:
    """Fill every queue but the quick one: quick jobs run all the same."""
    with ExitStack() as stack:
        for kind, fields in (("games", ENDLESS), ("simulate", COMPILED | {"score": None})):
            socket = stack.enter_context(site.socket("/ws/ask"))
            for number in range(3):
                socket.send({"type": "ask", "id": number, "kind": kind, **fields})
        waits = {socket.hear()["words"] for _ in range(4)}
        assert any(words.startswith("waiting: ") for words in waits), waits
        assert site.ask("replay", strategy="iggi", players=2, seed=1, count=1)["turns"]
        assert site.ask("count", counts="2 2 2", hand=2)["total"] == 90
        assert site.get("/api/about").status_code == 200


def test_each_client_has_a_quota(site: Site) -> None:
    errors = []
    with ExitStack() as stack:
        for first in (0, 6, 12):
            socket = stack.enter_context(site.socket("/ws/ask"))
            for number in range(first, first + 6):
                socket.send({"type": "ask", "id": number, "kind": "games", **ENDLESS})
                while (message := socket.hear())["id"] != number:
                    pass
                if message["type"] == "error":
                    errors.append((message["id"], message["error"]))
        words = "16 requests are open on your side; wait for one or stop it"
        assert errors == [(16, words), (17, words)]
        refused = site.post("/api/ask/count", {"counts": "2 2"})
        assert (refused.status_code, refused.json()) == (429, {"error": words})
    assert site.ask("count", counts="2 2")["total"] == 6


def test_a_queue_reserves_a_slot_for_other_clients() -> None:
    """Let one client ask four times and another once: the other does not wait behind the four."""
    started: list[str] = []

    async def ask(fair_queue: FairQueue, client: str, name: str, ahead: list[int]) -> None:
        async with fair_queue.slot(client, ahead.append):
            started.append(name)
            await asyncio.sleep(0.02)

    async def main() -> list[list[int]]:
        fair_queue = FairQueue(2)
        aheads: list[list[int]] = [[] for _ in range(5)]
        asked = [("a", "a1"), ("a", "a2"), ("a", "a3"), ("a", "a4"), ("b", "b1")]
        tasks = [
            asyncio.create_task(ask(fair_queue, *who, ahead))
            for who, ahead in zip(asked, aheads, strict=True)
        ]
        await asyncio.sleep(0.005)
        tasks[2].cancel()
        await asyncio.wait(tasks)
        return aheads

    aheads = asyncio.run(main())
    assert started == ["a1", "b1", "a2", "a4"]
    assert aheads[0] == aheads[4] == []
    assert aheads[1][0] == 1
    assert aheads[3][0] == 3
    assert aheads[3] == sorted(aheads[3], reverse=True) or max(aheads[3]) <= 4


@pytest.mark.parametrize(
    ("counts", "hand", "priority"),
    [
        ("9 9 9 9 9", 2, None),
        ("9 9 9 9 9", 3, None),
        ("2 2 2 / 2 2 2 / 2 2 2 / 2 2 2 / 3 3 3", 9, None),
        ("3 2 2 2 1 / 3 2 2 2 1", 5, Priority.SEARCH),
        ("3 2 2 2 1", 5, Priority.QUICK),
        ("9 9 9 9 9", 1, Priority.QUICK),
        ("-9 9", 2, Priority.QUICK),
    ],
)
def test_costs_of_counts_are_estimated_first(
    counts: str, hand: int, priority: Priority | None
) -> None:
    fields = RequestFields({"counts": counts, "hand": hand})
    if priority is None:
        with pytest.raises(
            TheoryError, match=r"a page counts at most 200,000; take fewer"
        ) as error:
            count_cost(fields)
        assert "--" not in str(error.value)
    else:
        assert count_cost(fields) is priority


def test_a_large_count_is_rejected_at_once(site: Site) -> None:
    started = time.monotonic()
    said = site.refuse("count", counts="9 9 9 9 9", hand=3)
    assert "about 300,000 states" in said
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("kind", "fields", "priority"),
    [
        ("replay", {"strategy": "iggi"}, Priority.QUICK),
        ("replay", {"code": "x"}, Priority.QUICK),
        ("replay", {"strategy": ["iggi", "monte-carlo"]}, Priority.RUN),
        ("pace", {"players": 2}, Priority.SEARCH),
        ("pace", {"players": 2, "deck": "r1"}, Priority.QUICK),
        ("papers", {}, Priority.QUICK),
        ("papers", {"table": "thesis.A"}, Priority.SEARCH),
        ("sequence", {"cards": "r1 r2"}, Priority.QUICK),
        ("sequence", {"cards": "r1 " * 1_000}, Priority.SEARCH),
        ("solve", {}, Priority.SEARCH),
        ("games", {}, Priority.RUN),
    ],
)
def test_priorities(kind: str, fields: Message, priority: Priority) -> None:
    assert JOB_KINDS[kind].estimate_cost(RequestFields(fields)) is priority


def test_a_slow_job_of_quick_priority_is_queued_again_as_a_search(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hanabilab.web.jobs.scheduler.QUICK_SECONDS", 0.0)
    assert site.ask("count", counts="2 2")["total"] == 6


def test_a_crashed_worker_is_replaced(site: Site) -> None:
    async def ask() -> None:
        workers = WorkerPool()
        async with workers.acquire() as worker:
            worker._process.kill()
            with pytest.raises(HanabiError, match="ended by itself"):
                await worker.run("count", {"counts": "2 2"}, 30, lambda text: None)
        async with workers.acquire() as other:
            assert other is not worker
            assert "6" in await other.run("count", {"counts": "2 2"}, 30, lambda text: None)
        workers.close()

    asyncio.run(ask())


def test_hourly_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    quota = HourlyQuota(2)
    quota.take("a", "two are enough")
    now += 600
    quota.take("a", "two are enough")
    with pytest.raises(QuotaError, match="two are enough; the next one is possible in 50 minutes"):
        quota.take("a", "two are enough")
    quota.take("b", "two are enough")
    now += 2980
    with pytest.raises(QuotaError, match=r"in 1 minute$"):
        quota.take("a", "two are enough")
    now += 21
    quota.take("a", "two are enough")
    assert list(quota._times) == ["a", "b"]


def test_clients_are_networks() -> None:
    assert network_of("192.168.1.5") == network_of("::ffff:192.168.1.5") == "192.168.1.5"
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") != network_of("2001:db9::1")
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("testclient") == "testclient"


def test_compilations_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Message] = []
    rules = Rules.classic(2)
    teams = [strategies_for(["iggi"], 2), strategies_for(["piers", "random"], 2)]
    missing = {"iggi": due(()), "piers": PendingCompilation(("piers", "play_games"), 12.0)}
    monkeypatch.setattr(job, "pending_compilation", lambda rules, team: missing[team[0].name])
    job.report_compilation(job.Job(told.append), rules, teams)
    words = "compiling piers and play_games: usually 12 s"
    assert told == [{"type": "status", "words": words}]
    with pytest.raises(StrategyError, match="recommendation"):
        job.report_compilation(job.Job(told.append), rules, [strategies_for(["recommendation"], 2)])


@pytest.mark.skipif(sys.platform != "linux", reason="there every 127.0.0.x is this computer")
def test_slow_strategies_do_not_block_other_tables(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let one client's strategies think without end: another client's act all the same."""
    release, quick_choice = threading.Event(), SharedGame.choose

    def choose(shared: SharedGame) -> int:
        if shared.setup.rules.players == 3:
            release.wait(60)
        return quick_choice(shared)

    monkeypatch.setattr(SharedGame, "choose", choose)
    chosen = {"humans": [1], "strategies": "monte-carlo:playouts=1", "seed": 1}
    with ExitStack() as stack:
        stack.callback(release.set)
        for _ in range(4):
            seat = stack.enter_context(site.seat(site.table(players=3, **chosen), 1))
            seat.socket.until("board")
        table = site.table(players=2, **chosen)
        other = stack.enter_context(site.seat(table, 1, source="127.0.0.2"))
        while other.socket.until("board")["board"]["facts"]["turn"] == 0:
            pass
