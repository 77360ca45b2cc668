"""A real server in a thread and a real browser for all tests of this folder."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from hanabilab.web.application import application
from hanabilab.web.live.store import Store
from hanabilab.web.server import ConnectionLimiter, make_server
from tests.web.browser import running_browser
from tests.web.clients import Site


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield the address of a server that runs as long as these tests."""
    yield from running(tmp_path_factory.mktemp("web") / "tables.sqlite")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Yield one browser for all tests: to start one takes as long as most of them."""
    yield from running_browser()


@pytest.fixture(autouse=True)
def _without_the_loop_of_the_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let tests run event loops: Playwright leaves its own one marked as running in this thread."""
    if "browser" in request.fixturenames:
        yield
        return
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


def running(data: Path | Store, limiter: ConnectionLimiter | None = None) -> Iterator[Site]:
    """Run a server that keeps its tables in a file; stop it at the end."""
    store = data if isinstance(data, Store) else Store(data)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = make_server(application(store), limiter)
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]})
        thread.start()
        while not serving.started:
            time.sleep(0.01)
        try:
            yield Site(f"127.0.0.1:{listening.getsockname()[1]}")
        finally:
            serving.should_exit = True
            thread.join()
