"""Threads that do not outlive the program."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

__all__ = ["DaemonThreads", "call_in_thread"]

Result = TypeVar("Result")
Given = ParamSpec("Given")


class DaemonThreads(Executor):
    """An executor that does not wait for its threads at exit.

    `ThreadPoolExecutor` joins its threads before Python exits, so a strategy that never returns
    would make Ctrl-C useless.
    """

    def __init__(self, threads: int) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        self.threads = [
            threading.Thread(target=self._work, name=f"hanabilab-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self.threads:
            thread.start()

    def submit(
        self, function: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Result]:
        """Run the function in a thread."""
        future: Future[Result] = Future()

        def task() -> None:
            if self._ended.is_set():
                future.cancel()
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = function(*args, **kwargs)
            except BaseException as error:  # for the thread that waits for the future
                future.set_exception(error)
            else:
                future.set_result(result)

        self._tasks.put(task)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the threads after all queued tasks, or now with `cancel_futures`."""
        if cancel_futures:
            self._ended.set()
        for _ in self.threads:
            self._tasks.put(None)
        if wait:
            for thread in self.threads:
                thread.join()

    def _work(self) -> None:
        while task := self._tasks.get():
            task()
            del task  # with all that it refers to, while the thread waits for the next one


def call_in_thread(
    function: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs
) -> Result:
    """Call a function in another thread, so that Ctrl-C works while machine code runs."""
    thread = DaemonThreads(1)
    try:
        return thread.submit(function, *args, **kwargs).result()
    finally:
        thread.shutdown(wait=False)
