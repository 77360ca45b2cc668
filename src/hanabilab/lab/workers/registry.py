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

__all__ = ["Passport", "Roster", "differences", "passport", "source_digest"]

Passport = dict[str, str]


@functools.cache
def source_digest() -> str:
    """Return a digest of all modules of the package, and of the compiler."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(kernel_digest().encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def passport() -> Passport:
    """Return what must be the same on all machines of a run."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "version": __version__,
        "source digest": source_digest(),
        "Python": f"{platform.python_implementation()} {python}",
    }


def differences(theirs: Passport, ours: Passport) -> str:
    """Say what differs, or nothing."""
    return ", ".join(
        f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})"
        for name in ours
        if theirs.get(name) != ours[name]
    )


PATIENCE = 0.2
SILENCE = 5.0
"""Seconds without a worker before we say that we wait for one."""
VERSION = "__import__('hanabilab').__version__"


class Roster:
    """Knows the workers that may play, and those that may not."""

    def __init__(self, connection: DaskConnection) -> None:
        self.expected = passport()
        self.workers: dict[str, int] = {}
        """The addresses of those who may play now, and their threads."""
        self.refused: dict[str, str] = {}
        """The addresses of those who may not, and why."""
        self._known: set[str] = set()
        self._connection = connection
        self._lock = threading.Lock()

    @property
    def threads(self) -> int:
        """How many pieces can be played at once."""
        return sum(self.workers.values())

    def look(self) -> None:
        """See who is there now, and ask newcomers who they are."""
        if self._connection.local:
            self._connection.local.revive()
        there: dict[str, int] = self._connection.client.nthreads()
        with self._lock:
            if new := [address for address in there if address not in self._known]:
                self._ask(new)
            self.workers = {
                address: threads
                for address, threads in there.items()
                if address in self._known and address not in self.refused
            }

    def wait(self, stop: threading.Event) -> None:
        """Wait until somebody may play; raise if there are workers but all are refused."""
        since, said = time.monotonic(), False
        self.look()
        while not self.workers and not stop.is_set():
            if self.refused:
                reasons = "; ".join(self.refused.values())
                raise ClusterError(f"no worker of the cluster can be used: {reasons}")
            if not said and time.monotonic() - since > SILENCE:
                said = True
                _say(f"waiting for workers of the cluster at {self._connection.address} ...")
            stop.wait(PATIENCE)
            self.look()

    def restriction(self) -> Sequence[str] | None:
        """Return the only workers that may play, or None if all may."""
        return list(self.workers) if self.refused else None

    def is_stuck(self, only: Sequence[str] | None) -> bool:
        """Tell whether none of the workers that a piece is restricted to is there any more."""
        return only is not None and bool(self.workers) and not self.workers.keys() & set(only)

    def refuse(self, address: str, name: str, reason: str) -> None:
        """Let a worker play no more; say so once."""
        if address in self.refused:
            return
        self.refused[address] = f"worker {name} ({address}): {reason}"
        self.workers = {known: n for known, n in self.workers.items() if known != address}
        _say(f"not used: {self.refused[address]}")

    def _ask(self, addresses: list[str]) -> None:
        """Ask workers for their passports; those who do not answer are asked again later."""
        run = self._connection.client.run
        found = run(passport, workers=addresses, on_error="return")
        for address, theirs in found.items():
            if isinstance(theirs, OSError):  # it has gone
                continue
            self._known.add(address)
            if isinstance(theirs, ImportError):
                version = run(eval, VERSION, workers=[address], on_error="return")[address]
                known = isinstance(version, str)
                theirs = {"version": version} if known else {"version": "not installed"}
            if isinstance(theirs, Exception):
                self.refuse(address, self._name_of(address), str(theirs))
            elif reason := differences(theirs, self.expected):
                self.refuse(address, self._name_of(address), reason)

    def _name_of(self, address: str) -> str:
        info = self._connection.client.scheduler_info(n_workers=-1)["workers"]
        return str(info.get(address, {}).get("name", address))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
