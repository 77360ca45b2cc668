"""A real server in a thread for all tests of this folder."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hanabilab.web.application import application
from hanabilab.web.live.store import Store
from hanabilab.web.server import ConnectionLimiter, make_server
from tests.web.clients import Site


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield the address of a server that runs as long as these tests."""
    yield from running(tmp_path_factory.mktemp("web") / "tables.sqlite")


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
