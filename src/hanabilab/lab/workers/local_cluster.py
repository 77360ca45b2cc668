"""A cluster on this machine: a scheduler and workers of our own, which end with this process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hanabilab.errors import ClusterError

__all__ = ["LocalCluster"]

PATIENCE = 120.0
"""Seconds in which the scheduler must have started."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
"""One piece a core: libraries start no threads of their own."""


QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
"""Let Dask watch itself less often: otherwise that takes a tenth of a core."""


class LocalCluster:
    """A scheduler and a number of workers with one thread each, all processes of their own.

    They are sessions of their own, so that Ctrl-C reaches only this process, and watch their
    standard input, so that they end even if this process is killed.
    """

    def __init__(self, workers: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hanabilab-cluster-")
        self._file = Path(self._folder.name) / "scheduler.json"
        address = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
        self._scheduler = self._start("scheduler", *address)
        self._workers = {f"local-{n}": self._start_worker(f"local-{n}") for n in range(workers)}

    def address(self) -> str:
        """Return the scheduler's address, as soon as there is one."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._scheduler.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                return str(json.loads(self._file.read_text(encoding="utf-8"))["address"])
            time.sleep(0.05)
        self.end()
        raise ClusterError("the scheduler on this machine has not started")

    def revive(self) -> None:
        """Start a worker in place of each one that has ended."""
        for name, process in self._workers.items():
            if process.poll() is not None:
                self._workers[name] = self._start_worker(name)

    def _start_worker(self, name: str) -> subprocess.Popen[bytes]:
        limits = ["--nthreads", "1", "--memory-limit", "0", "--no-nanny", "--no-dashboard"]
        folder = ["--local-directory", self._folder.name]
        return self._start("worker", "--name", name, *limits, *folder)

    def _start(self, role: str, *options: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, sys.path))
        with (Path(self._folder.name) / "log").open("ab") as log:
            return subprocess.Popen(
                [
                    *[sys.executable, "-m", "dask", role, "--scheduler-file", str(self._file)],
                    *["--preload", "hanabilab.lab.workers.attached", *options],
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**QUIET, **os.environ, **ONE_THREAD, "PYTHONPATH": path},
            )

    def end(self) -> None:
        """End all processes."""
        for process in (*self._workers.values(), self._scheduler):
            process.kill()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()
        self._workers = {}
        with contextlib.suppress(OSError):
            self._folder.cleanup()
