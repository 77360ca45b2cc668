"""Registry of a cluster's workers: compatible ones, and rejected ones with the reason.

The chunks of a run are the same on all machines only if all machines run the same program, so
workers are compared by a fingerprint: the version, a digest of the sources, and Python.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from hanabilab import __version__
from hanabilab.core.code_cache import kernel_digest
from hanabilab.errors import ClusterError
from hanabilab.lab.workers.connection import DaskConnection

__all__ = ["Fingerprint", "WorkerRegistry", "differences", "fingerprint", "source_digest"]

Fingerprint = dict[str, str]


@functools.cache
def source_digest() -> str:
    """Return a digest of all modules of the package, and of the compiler."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(kernel_digest().encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint() -> Fingerprint:
    """Return what must be the same on all machines of a run."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "version": __version__,
        "source digest": source_digest(),
        "Python": f"{platform.python_implementation()} {python}",
    }


def differences(theirs: Fingerprint, ours: Fingerprint) -> str:
    """Say what differs, or nothing."""
    return ", ".join(
        f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})"
        for name in ours
        if theirs.get(name) != ours[name]
    )


POLL_SECONDS = 0.2
QUIET_SECONDS = 5.0
"""Seconds without a worker before we say that we wait for one."""
VERSION = "__import__('hanabilab').__version__"


class WorkerRegistry:
    """Knows the workers that may play, and those that may not."""

    def __init__(self, connection: DaskConnection) -> None:
        self.expected = fingerprint()
        self.workers: dict[str, int] = {}
        """The addresses of those who may play now, and their threads."""
        self.rejected: dict[str, str] = {}
        """The addresses of those who may not, and why."""
        self._seen: set[str] = set()
        self._connection = connection
        self._lock = threading.Lock()

    @property
    def threads(self) -> int:
        """How many pieces can be played at once."""
        return sum(self.workers.values())

    def refresh(self) -> None:
        """See who is there now, and ask newcomers who they are."""
        if self._connection.local:
            self._connection.local.restart_workers()
        present: dict[str, int] = self._connection.client.nthreads()
        with self._lock:
            if new := [address for address in present if address not in self._seen]:
                self._fingerprint(new)
            self.workers = {
                address: threads
                for address, threads in present.items()
                if address in self._seen and address not in self.rejected
            }

    def wait(self, stop: threading.Event) -> None:
        """Wait until somebody may play; raise if there are workers but all are refused."""
        since, announced = time.monotonic(), False
        self.refresh()
        while not self.workers and not stop.is_set():
            if self.rejected:
                reasons = "; ".join(self.rejected.values())
                raise ClusterError(f"no worker of the cluster can be used: {reasons}")
            if not announced and time.monotonic() - since > QUIET_SECONDS:
                announced = True
                _print(f"waiting for workers of the cluster at {self._connection.address} ...")
            stop.wait(POLL_SECONDS)
            self.refresh()

    def allowed_workers(self) -> Sequence[str] | None:
        """Return the only workers that may play, or None if all may."""
        return list(self.workers) if self.rejected else None

    def is_stranded(self, allowed: Sequence[str] | None) -> bool:
        """Tell whether none of the workers that a piece is restricted to is there any more."""
        return allowed is not None and bool(self.workers) and not self.workers.keys() & set(allowed)

    def reject(self, address: str, name: str, reason: str) -> None:
        """Let a worker play no more; say so once."""
        if address in self.rejected:
            return
        self.rejected[address] = f"worker {name} ({address}): {reason}"
        self.workers = {known: n for known, n in self.workers.items() if known != address}
        _print(f"not used: {self.rejected[address]}")

    def _fingerprint(self, addresses: list[str]) -> None:
        """Ask workers for their passports; those who do not answer are asked again later."""
        run = self._connection.client.run
        found = run(fingerprint, workers=addresses, on_error="return")
        for address, theirs in found.items():
            if isinstance(theirs, OSError):  # it has gone
                continue
            self._seen.add(address)
            if isinstance(theirs, ImportError):
                version = run(eval, VERSION, workers=[address], on_error="return")[address]
                known = isinstance(version, str)
                theirs = {"version": version} if known else {"version": "not installed"}
            if isinstance(theirs, Exception):
                self.reject(address, self._name_of(address), str(theirs))
            elif reason := differences(theirs, self.expected):
                self.reject(address, self._name_of(address), reason)

    def _name_of(self, address: str) -> str:
        info = self._connection.client.scheduler_info(n_workers=-1)["workers"]
        return str(info.get(address, {}).get("name", address))


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
