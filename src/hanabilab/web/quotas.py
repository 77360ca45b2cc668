"""What each client may take: so many at a time, and so many in an hour.

A client is an address. Of an IPv6 address only the network counts, because one computer may have
any number of addresses in it.
"""

from __future__ import annotations

import contextlib
import ipaddress
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator

from starlette.requests import HTTPConnection

from hanabilab.errors import HanabiError

__all__ = ["BusyError", "HourlyQuota", "OpenQuota", "QuotaError", "client_of", "network_of"]

HOUR = 3600.0
NETWORK_BITS = 64


class QuotaError(HanabiError):
    """This client has had its share; others have not."""


class BusyError(HanabiError):
    """The server as a whole has too much to do, or no room."""


def network_of(address: str) -> str:
    """Return the address, or for IPv6 its network, by which a client is known."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, NETWORK_BITS), strict=False))


def client_of(connection: HTTPConnection) -> str:
    """Return the client that a request or a socket comes from."""
    return network_of(connection.client.host) if connection.client else ""


class HourlyQuota:
    """How often each client may do something in an hour."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._times: defaultdict[str, deque[float]] = defaultdict(deque)

    def take(self, client: str, words: str) -> None:
        """Note that a client does it once more, or raise with these words if that is too often."""
        now = time.monotonic()
        self._forget(now)
        if len(self._times[client]) >= self.most:
            minutes = math.ceil((self._times[client][0] + HOUR - now) / 60)
            unit = "minute" if minutes == 1 else "minutes"
            raise QuotaError(f"{words}; the next one is possible in {minutes} {unit}")
        self._times[client].append(now)

    def _forget(self, now: float) -> None:
        """Forget what was more than an hour ago, and whoever did nothing since."""
        for client, times in list(self._times.items()):
            while times and times[0] < now - HOUR:
                times.popleft()
            if not times:
                del self._times[client]


class OpenQuota:
    """How many things each client may have open at a time, and all of them together."""

    def __init__(self, each: int, all_together: int) -> None:
        self.each, self.all_together = each, all_together
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def one(self, client: str, things: str) -> Iterator[None]:
        """Have one more open, or raise if that is too many."""
        if self._open[client] >= self.each:
            raise QuotaError(f"{self.each} {things} of yours are open; wait for one or stop it")
        if self._open.total() >= self.all_together:
            raise BusyError(f"too many {things} are waiting; ask again later")
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            self._open += Counter()  # forget those who have none
