"""`hanabilab web` in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.web.clients import Site


@contextmanager
def process(data: Path, *options: str) -> Iterator[tuple[Site, subprocess.Popen[str]]]:
    """Run `hanabilab web` as people start it."""
    command = [sys.executable, "-m", "hanabilab", "web", "--no-browser", "--port", "0", *options]
    with subprocess.Popen(
        [*command, "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        line = server.stdout.readline()
        match = re.match(r"hanabilab is at http://(127\.0\.0\.1:\d+)/", line)
        assert match, line + (server.stderr.read() if server.stderr and not line else "")
        try:
            yield Site(match[1]), server
        finally:
            server.kill()
