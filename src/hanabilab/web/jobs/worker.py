"""The process that runs jobs, one after the other; `hanabilab.web.jobs.scheduler` starts it."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import HanabiError
from hanabilab.lab.workers.local import read_requests, take_over_stdio
from hanabilab.strategies.load import offer_player
from hanabilab.web.jobs.counting import count_decks, find_pace, judge_sequence, recompute_table
from hanabilab.web.jobs.experiments import (
    compare_teams,
    crossplay_strategies,
    find_games,
    simulate_team,
    sweep_options,
)
from hanabilab.web.jobs.games import (
    analyze_game,
    explore_what_if,
    find_broken_conventions,
    make_puzzle,
    review_game,
    show_daily_deck,
    show_replay,
    solve_deck,
)
from hanabilab.web.jobs.job import (
    CostEstimate,
    Job,
    Priority,
    count_cost,
    fixed_cost,
    game_cost,
    search_if_given,
    search_unless_given,
    sequence_cost,
)
from hanabilab.web.schema import JsonObject, RequestFields, dump_json, error_text

__all__ = ["JOB_KINDS", "JobKind", "main"]

QUICK, SEARCH, RUN = map(fixed_cost, Priority)
NICENESS = 5
"""How much jobs yield to live tables when the processor is busy."""
Send = Callable[[str, str, bool], None]
"""Sends a kind of message, its text, and whether the worker can be reused."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: the function that runs it, and the estimate of its cost."""

    run: Callable[[RequestFields, Job], JsonObject]
    estimate_cost: CostEstimate


JOB_KINDS: Mapping[str, JobKind] = {
    "replay": JobKind(show_replay, game_cost),
    "what_if": JobKind(explore_what_if, search_if_given("action")),
    "solve": JobKind(solve_deck, SEARCH),
    "analyze": JobKind(analyze_game, RUN),
    "review": JobKind(review_game, RUN),
    "puzzle": JobKind(make_puzzle, SEARCH),
    "daily": JobKind(show_daily_deck, SEARCH),
    "simulate": JobKind(simulate_team, RUN),
    "compare": JobKind(compare_teams, RUN),
    "crossplay": JobKind(crossplay_strategies, RUN),
    "sweep": JobKind(sweep_options, RUN),
    "games": JobKind(find_games, RUN),
    "count": JobKind(count_decks, count_cost),
    "sequence": JobKind(judge_sequence, sequence_cost),
    "pace": JobKind(find_pace, search_unless_given("deck")),
    "broken": JobKind(find_broken_conventions, game_cost),
    "papers": JobKind(recompute_table, search_if_given("table")),
}


def main() -> None:
    """Offer the same strategies as the server, then run one job after the other."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    stream, answers = take_over_stdio()
    lock = threading.Lock()

    def send(kind: str, text: str, reusable: bool) -> None:
        with lock, contextlib.suppress(OSError):
            answers.write(pickle.dumps((kind, text, reusable)))
            answers.flush()

    requests = read_requests(stream)
    for offered in next(requests):
        offer_player(*offered)
    for name, fields, deadline in requests:
        run_job(name, fields, deadline, send)


def run_job(name: str, fields: dict[str, Any], deadline: float, send: Send) -> None:
    """Run a job and send its result before the deadline."""
    job = Job(lambda message: send(str(message["type"]), dump_json(message), True))
    completion = Completion(send)
    threading.Thread(target=enforce_deadline, args=(job, deadline, completion), daemon=True).start()
    try:
        found = JOB_KINDS[name].run(RequestFields(fields), job)
    except HanabiError as error:
        completion.fail(error_text(error))
    except Exception:
        traceback.print_exc()
        completion.fail("something went wrong in the server")
    else:
        completion.succeed(found)


class Completion:
    """Sends the outcome of a job once: its result or an error."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = threading.Lock()
        self.done = threading.Event()

    def succeed(self, found: JsonObject) -> None:
        """Send the result."""
        self._end("answer", dump_json(found), reusable=True)

    def fail(self, message: str) -> None:
        """Send an error."""
        self._end("error", message, reusable=True)

    def time_out(self, partial_result: Callable[[], JsonObject] | None) -> None:
        """Send the partial result, if there is one, and exit."""
        if partial_result is None:
            self._end("late", "", reusable=False)
        else:
            self._end("answer", dump_json(partial_result()), reusable=False)

    def _end(self, kind: str, text: str, *, reusable: bool) -> None:
        with self._lock:
            if not self.done.is_set():
                self._send(kind, text, reusable)
                self.done.set()
                if not reusable:
                    os._exit(0)


def enforce_deadline(job: Job, deadline: float, completion: Completion) -> None:
    """End a job at its deadline; kernels release the lock, so this thread always gets to run."""
    if not completion.done.wait(max(0.0, deadline - time.time())):
        completion.time_out(job.partial_result)
