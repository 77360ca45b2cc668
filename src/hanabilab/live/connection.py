"""A connection to hanab.live: the login, the socket, and what to do when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import connect

from hanabilab.checks import shorten
from hanabilab.errors import LiveError, one_line
from hanabilab.live.messages import plain_text, server_address, web_socket_address

__all__ = ["Connection"]

PER_SECOND = 4.0
"""Messages sent per second; the site bans an address that sends 200 at once."""
BURST = 10
FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0
"""Seconds between attempts to connect, doubling from the first to the longest."""
STEADY = 10.0
"""Seconds after which a connection counts as good, so that the next attempt follows at once."""
FIRST_ATTEMPTS = 5
"""Attempts to reach a server that has never answered, whose address may be wrong."""
SESSION = "hanabi.sid"
"""The cookie of a login."""
REFUSED, NO_SUCH_PAGE = (400, 401, 403), (404, 405)


class Connection:
    """A login that is made again whenever its socket is lost.

    Messages are sent at a limited rate, in their order. Those that wait when the connection is lost
    are dropped, since a new session begins with other tables.
    """

    def __init__(
        self,
        server: str,
        user: str,
        password: str,
        *,
        insecure: bool,
        report: Callable[[str], None],
    ) -> None:
        self.server = server_address(server, insecure=insecure)
        if not user or any(letter.isspace() for letter in user):
            raise LiveError(f"user: {shorten(user)} is not the name of an account")
        self.user, self._password = user, password
        self._insecure, self._report = insecure, report
        self._outbox: asyncio.Queue[str] = asyncio.Queue()
        self._socket: Any = None
        self._closing = False
        self._reached = False

    def send(self, frame: str) -> None:
        """Send a frame, as soon as the limited rate allows."""
        self._outbox.put_nowait(frame)

    async def run(self, receive: Callable[[str | bytes], None], lost: Callable[[], None]) -> None:
        """Pass on every frame until `close`, and tell when a session is over.

        Raise if the server refuses the login, or if it has never been reached.
        """
        delay, attempts = FIRST_DELAY, 0
        while not self._closing:
            started = time.monotonic()
            try:
                await self._session(receive)
            except (OSError, websockets.WebSocketException, httpx.HTTPError) as error:
                said = one_line(str(error)) or type(error).__name__
                attempts += 1
                if not self._reached and attempts == FIRST_ATTEMPTS:
                    raise LiveError(f"{self.server} cannot be reached: {said}") from None
                self._report(f"connection lost: {said}" if self._reached else f"no answer: {said}")
            finally:
                self._drop_unsent()
                lost()
            if self._closing:
                break
            if time.monotonic() - started > STEADY:
                delay = FIRST_DELAY
            pause = delay * random.uniform(0.8, 1.2)
            self._report(f"connecting again in {pause:.0f} s")
            await asyncio.sleep(pause)
            delay = min(2 * delay, LONGEST_DELAY)

    async def close(self) -> None:
        """Send what waits, and end `run`."""
        self._closing = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._outbox.join(), timeout=5)
        if self._socket is not None:
            await self._socket.close()

    async def _session(self, receive: Callable[[str | bytes], None]) -> None:
        cookie = await self._login()
        async with connect(
            web_socket_address(self.server),
            additional_headers={"Cookie": cookie},
            max_size=1 << 24,
            open_timeout=20,
            **self._unverified_socket(),
        ) as socket:
            self._socket, self._reached = socket, True
            writer = asyncio.create_task(self._write(socket))
            try:
                async for frame in socket:
                    receive(frame)
            finally:
                writer.cancel()
                self._socket = None
        if not self._closing:
            raise ConnectionError("the server closed the connection")

    async def _login(self) -> str:
        """Return the session cookie; a rejected login is final, other failures are not."""
        form = {"username": self.user, "password": self._password, "version": "bot"}
        verify = not self._insecure
        async with httpx.AsyncClient(verify=verify, timeout=20, follow_redirects=False) as http:
            answer = await http.post(f"{self.server}/login", data=form)
        if answer.status_code in REFUSED:
            said = plain_text(answer.text)[:200].replace(self._password, "***")
            raise LiveError(f"{self.server} refused the login of {self.user}: {said}")
        if answer.status_code in NO_SUCH_PAGE and not self._reached:
            raise LiveError(f"{self.server} is not a server of hanab.live: it has no login")
        cookie = _session_cookie(answer)
        if answer.status_code != httpx.codes.OK or cookie is None:
            raise ConnectionError(f"{self.server}/login answered {answer.status_code}")
        return cookie

    def _unverified_socket(self) -> dict[str, Any]:
        if not (self._insecure and self.server.startswith("https")):
            return {}
        import ssl

        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return {"ssl": context}

    async def _write(self, socket: Any) -> None:
        """Send queued messages, a few per second."""
        allowance, before = float(BURST), time.monotonic()
        while True:
            frame = await self._outbox.get()
            now = time.monotonic()
            allowance, before = min(BURST, allowance + (now - before) * PER_SECOND), now
            if allowance < 1:
                await asyncio.sleep((1 - allowance) / PER_SECOND)
            allowance -= 1
            try:
                await socket.send(frame)
            finally:
                self._outbox.task_done()

    def _drop_unsent(self) -> None:
        while not self._outbox.empty():
            self._outbox.get_nowait()
            self._outbox.task_done()


def _session_cookie(answer: httpx.Response) -> str | None:
    """Return the cookie of the session as `name=value`, whatever domain it is bound to.

    A cookie jar would reject one that a server on this computer binds to its public name.
    """
    cookies = [text.partition(";")[0].strip() for text in answer.headers.get_list("set-cookie")]
    ours = [cookie for cookie in cookies if cookie.startswith(f"{SESSION}=")]
    return next(iter([*ours, *cookies]), None)
