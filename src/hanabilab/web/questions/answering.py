"""The other end of `hanabilab.web.questions.workers`: answer questions until nobody asks."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from hanabilab.errors import HanabiError
from hanabilab.lab.workers.local import read_requests, take_over_stdio
from hanabilab.strategies.load import offer_player
from hanabilab.web.messages import Fields, JsonObject, error_text, write_object
from hanabilab.web.questions.job import Job
from hanabilab.web.questions.registry import QUESTION_KINDS

__all__ = ["main"]

POLITENESS = 5
"""By how much the questions give way to the tables where processor time is short."""

Send = Callable[[str, str, bool], None]
"""Sends a kind of message, its text, and whether the process goes on."""


def main() -> None:
    """Offer the same strategies as the server, then answer one question after the other."""
    if hasattr(os, "nice"):
        os.nice(POLITENESS)
    stream, answers = take_over_stdio()
    lock = threading.Lock()

    def send(kind: str, text: str, goes_on: bool) -> None:
        with lock, contextlib.suppress(OSError):
            answers.write(pickle.dumps((kind, text, goes_on)))
            answers.flush()

    requests = read_requests(stream)
    for offered in next(requests):
        offer_player(*offered)
    for name, fields, deadline in requests:
        answer(name, fields, deadline, send)


def answer(name: str, fields: dict[str, Any], deadline: float, send: Send) -> None:
    """Answer one question before a time."""
    job = Job(lambda message: send(str(message["type"]), write_object(message), True))
    ending = Ending(send)
    threading.Thread(target=watch, args=(job, deadline, ending), daemon=True).start()
    try:
        found = QUESTION_KINDS[name].answer(Fields(fields), job)
    except HanabiError as error:
        ending.fail(error_text(error))
    except Exception:
        traceback.print_exc()
        ending.fail("something went wrong in the server")
    else:
        ending.answer(found)


class Ending:
    """The one end of a question: an answer, or what went wrong."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = threading.Lock()
        self.reached = threading.Event()

    def answer(self, found: JsonObject) -> None:
        """End with an answer."""
        self._end("answer", write_object(found), goes_on=True)

    def fail(self, words: str) -> None:
        """End with what went wrong."""
        self._end("error", words, goes_on=True)

    def cut_off(self, so_far: Callable[[], JsonObject] | None) -> None:
        """End with the answer so far, if there is one; end the process with it."""
        if so_far is None:
            self._end("late", "", goes_on=False)
        else:
            self._end("answer", write_object(so_far()), goes_on=False)

    def _end(self, kind: str, text: str, *, goes_on: bool) -> None:
        with self._lock:
            if not self.reached.is_set():
                self._send(kind, text, goes_on)
                self.reached.set()
                if not goes_on:
                    os._exit(0)


def watch(job: Job, deadline: float, ending: Ending) -> None:
    """Cut a question off when its time is up; machine code lets this thread run, wherever it is."""
    if not ending.reached.wait(max(0.0, deadline - time.time())):
        ending.cut_off(job.so_far)
