"""Compiled loops over the games of a batch, on several threads if that pays."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hanabilab.core.machine_code import Binding, bind

__all__ = ["GAMES_A_THREAD", "Loops"]

GAMES_A_THREAD = 1024
"""Fewest games per thread: with fewer, waking the thread takes longer than playing them."""

Numbers = tuple[int, ...]


class Loops:
    """Runs kernels whose first two arguments are the bounds of a range of games."""

    def __init__(self, games: int, threads: int) -> None:
        parts = max(1, min(threads, games // GAMES_A_THREAD))
        self._cuts = [games * part // parts for part in range(parts + 1)]
        self._bound: dict[Callable[..., Any], list[Binding]] = {}
        """Each thread's share, by kernel."""
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0
        """The process that started the thread pool; a forked process has no threads of it."""

    @property
    def threads(self) -> int:
        """The number of threads that share a loop."""
        return len(self._cuts) - 1

    def run(self, kernel: Callable[..., Any], numbers: Numbers, *arrays: Any) -> list[Any]:
        """Run a kernel over all games; return its result for each thread's share.

        The kernel takes the bounds of the share, then some numbers, then arrays or tuples of them,
        which must have the same types in every call.
        """
        bound = self._bound.get(kernel)
        if bound is None:
            shares = zip(self._cuts, self._cuts[1:], strict=False)
            bound = [bind(kernel, *share, *numbers, *arrays) for share in shares]
            self._bound[kernel] = bound
        for binding in bound:
            for place, number in enumerate(numbers, 2):
                binding.numbers[place] = number
            for place, array in enumerate(arrays, 2 + len(numbers)):
                binding.replace(place, array)
        if len(bound) == 1:
            return [bound[0].call()]
        return list(self._workers().map(lambda binding: binding.call(), bound))

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads), os.getpid()
        return self._pool

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bound": {}, "_pool": None}
