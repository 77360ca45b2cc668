"""Connections to Dask clusters, one per address and process, and clusters on this machine."""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.checks import check_integer
from hanabilab.errors import ClusterError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "DaskConnection", "LocalCluster", "connect", "dask_setup", "disconnect"]

Cluster = Any
"""A cluster: ``tcp://HOST:PORT``, a scheduler file, ``local:N``, or a Dask `Client`."""

TIMEOUT = 5.0
"""Seconds to wait for the answer of a scheduler."""
START_TIMEOUT = 120.0
"""Seconds to wait for the scheduler and the workers of a local cluster to start."""
MAX_WORKERS = 1024
MAX_HANDSHAKE = 1 << 20
"""Most bytes in the first message of a scheduler."""


class DaskConnection:
    """A Dask client, and the local cluster that was started for it, if any."""

    def __init__(self, client: Client, local: LocalCluster | None = None) -> None:
        self.client, self.local = client, local

    @property
    def address(self) -> str:
        """The scheduler's address."""
        return str(getattr(self.client.scheduler, "address", "unknown"))

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard."""
        return str(self.client.dashboard_link)

    def close(self) -> None:
        """Close the client and the local cluster."""
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self.client.close(timeout=1)
        if self.local:
            self.local.close()


_connections: dict[str, DaskConnection] = {}
_lock = threading.Lock()


def connect(where: Cluster) -> DaskConnection:
    """Return a connection to a cluster; an open one to the same address is reused."""
    if not isinstance(where, str):
        _distributed()
        if not hasattr(where, "submit") or not hasattr(where, "scheduler"):
            raise ClusterError(f"cluster: {type(where).__name__} is neither a text nor a Client")
        return DaskConnection(where)
    with _lock:
        known = _connections.get(where)
        if known is not None and known.client.status == "running":
            return known
        if known is not None:
            known.close()
        if not _connections:
            atexit.register(disconnect)
        _connections[where] = _open(where)
        return _connections[where]


def disconnect() -> None:
    """Close all connections and local clusters."""
    while _connections:
        _, connection = _connections.popitem()
        connection.close()


def _open(where: str) -> DaskConnection:
    name, colon, number = where.partition(":")
    if name == "local" and colon:
        if not number.isdecimal():
            raise ClusterError(f"cluster: {where!r} is not local:N with a number of workers")
        return _open_local(check_integer("cluster: local", int(number), 1, MAX_WORKERS))
    address = where if re.match(r"\w+://", where) else _address_in(Path(where))
    return DaskConnection(_client(address))


def _open_local(workers: int) -> DaskConnection:
    _distributed()
    local = LocalCluster(workers)
    try:
        connection = DaskConnection(_client(local.address()), local)
        connection.client.wait_for_workers(workers, timeout=START_TIMEOUT)
    except TimeoutError:
        local.close()
        raise ClusterError(f"{workers} workers have not started in {START_TIMEOUT:.0f} s") from None
    except BaseException:
        local.close()
        raise
    return connection


def _address_in(file: Path) -> str:
    """Return the address in a scheduler file."""
    try:
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
    except OSError as error:
        raise ClusterError(
            f"cluster: {file}: {error.strerror}; expected tcp://HOST:PORT, local:N or the file of "
            "dask scheduler --scheduler-file"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise ClusterError(f"cluster: {file} is not a file of a Dask scheduler") from None
    return str(address)


def _client(address: str) -> Client:
    distributed = _distributed()
    _probe(address)
    for name in [
        name for name in logging.root.manager.loggerDict if name.startswith("distributed")
    ]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # errors are reported by this module
    try:
        return distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    except Exception as error:  # whatever Dask raises for an address
        raise _no_scheduler(address, str(error)) from None


def _probe(address: str) -> None:
    """Raise if nothing listens at an address, or something that is not a Dask scheduler.

    A scheduler sends the first message. Dask itself takes longer to notice, or trusts any answer.
    """
    from distributed.comm import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    length = 1
    try:
        scheme, place = parse_address(address)
        get_backend(scheme)
        host, port = parse_host_port(place)
        if scheme == "tcp":
            with socket.create_connection((host, port), TIMEOUT) as connection:
                length = int.from_bytes(connection.recv(8, socket.MSG_WAITALL), "little")
    except (OSError, ValueError, OverflowError) as error:
        raise _no_scheduler(address, getattr(error, "strerror", None) or str(error)) from None
    if not 0 < length < MAX_HANDSHAKE:
        raise _no_scheduler(address, "something else listens there")


def _no_scheduler(address: str, reason: str) -> ClusterError:
    first_line = reason.partition("\n")[0]
    return ClusterError(f"cluster: no scheduler answers at {address}: {first_line}")


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("dask.distributed", "cluster", "a cluster") from None
    return distributed


ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""One thread per worker: numerical libraries must not start their own."""
LOW_OVERHEAD = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
"""Sparser self-monitoring of Dask, which otherwise takes a tenth of a core."""


class LocalCluster:
    """A scheduler and a number of workers with one thread each, as child processes.

    They run in sessions of their own, so that Ctrl-C reaches only this process. A watchdog
    (`dask_setup`) ends them even if this process is killed.
    """

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hanabilab-cluster-")
        self._file = Path(self._folder.name) / "scheduler.json"
        address = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
        self._scheduler = self._start("scheduler", *address)
        self._workers = {f"local-{n}": self._start_worker(f"local-{n}") for n in range(workers)}

    def address(self) -> str:
        """Wait for the scheduler to start; return its address."""
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and self._scheduler.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                return str(json.loads(self._file.read_text(encoding="utf-8"))["address"])
            time.sleep(0.05)
        self.close()
        raise ClusterError("the scheduler on this machine has not started")

    def restart_workers(self) -> None:
        """Restart workers that have exited."""
        for name, process in self._workers.items():
            if process.poll() is not None:
                _close_stdin(process)
                self._workers[name] = self._start_worker(name)

    def _start_worker(self, name: str) -> subprocess.Popen[bytes]:
        limits = ["--nthreads", "1", "--memory-limit", "0", "--no-nanny", "--no-dashboard"]
        folder = ["--local-directory", self._folder.name]
        return self._start("worker", "--name", name, *limits, *folder)

    def _start(self, role: str, *options: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)  # noqa: PTH109
        with (Path(self._folder.name) / "log").open("ab") as log:
            return subprocess.Popen(
                [
                    *[sys.executable, "-P", "-m", "dask", role],
                    *["--scheduler-file", str(self._file), "--preload", __name__, *options],
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**LOW_OVERHEAD, **os.environ, **ONE_THREAD, "PYTHONPATH": path},
            )

    def close(self) -> None:
        """Kill all processes."""
        for process in (*self._workers.values(), self._scheduler):
            process.kill()
            process.wait()
            _close_stdin(process)
        self._workers = {}
        with contextlib.suppress(OSError):
            self._folder.cleanup()


def _close_stdin(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def dask_setup(server: object) -> None:
    """Start the parent watchdog; Dask calls this in each process of a local cluster."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """Exit when standard input is closed, which happens whenever the parent exits."""
    sys.stdin.buffer.read()
    os._exit(0)
