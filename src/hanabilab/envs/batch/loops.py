"""Compiled loops over the games of a batch, on several threads where that pays."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["GAMES_A_THREAD", "Loops"]

GAMES_A_THREAD = 1024
"""With fewer games, waking another thread takes longer than playing them."""


class Loops:
    """Runs kernels whose first arguments are the first game and the one after the last."""

    def __init__(self, games: int, threads: int) -> None:
        parts = max(1, min(threads, games // GAMES_A_THREAD))
        self._cuts = [games * part // parts for part in range(parts + 1)]
        self._compiled: dict[tuple[object, object], Callable[..., Any]] = {}
        """By kernel and entries: finding the types of all arguments would take longer than a step.
        """
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0
        """The process that started the threads of the pool: a fork has none of them."""

    @property
    def threads(self) -> int:
        """How many threads share a loop."""
        return len(self._cuts) - 1

    def run(self, kernel: Callable[..., Any], *arguments: Any, entries: object = None) -> list[Any]:
        """Run a kernel over all games, and return its result for each thread's share.

        Of the types of its arguments, only that of the `entries` of observations may vary.
        """
        key = kernel, entries
        if key not in self._compiled:
            from hanabilab.core import native

            types = map(native.typeof, (0, 0, *arguments))
            self._compiled[key] = native.entry_point(native.compile_loop(kernel, *types))
        loop, cuts = self._compiled[key], self._cuts
        if len(cuts) == 2:
            return [loop(0, cuts[1], *arguments)]
        return list(self._workers().map(lambda a, b: loop(a, b, *arguments), cuts, cuts[1:]))

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads), os.getpid()
        return self._pool

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": {}, "_pool": None}
