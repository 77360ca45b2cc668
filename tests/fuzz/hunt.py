"""Throw the inputs of a seed at a target; divide many inputs into such jobs."""

from __future__ import annotations

import random
import time
import traceback
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.kernels import fuzz
from tests.fuzz.targets import COMMAND_LINE, TARGETS, Target, warm_up

__all__ = ["Job", "hunt", "jobs"]

COMMANDS_SHARE = 0.12
"""Of all inputs, those that are whole command lines: each takes a process of its own."""
KERNELS_SHARE = 0.05
"""Of all inputs, the random kernels: each is compiled twice."""
INPUTS_PER_JOB = 250

Job = tuple[str, int, int]
"""A target, the seed of its inputs, and how many."""


def target_of(name: str) -> Target:
    return COMMAND_LINE if name == "command line" else TARGETS[name]


def hunt(job: Job) -> dict[str, Any]:
    """Throw the inputs of one seed; return what came of it."""
    name, number, inputs = job
    if name == "kernels":
        return hunt_kernels(number, inputs)
    target = target_of(name)
    if target is COMMAND_LINE:
        warm_up()
    thrown = 0

    @seed(number)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def throw(value: object) -> None:
        nonlocal thrown
        thrown += 1
        target.check(value)

    start, failure = time.perf_counter(), None
    try:
        throw()
    except Exception:
        failure = traceback.format_exc()
    seconds = round(time.perf_counter() - start, 2)
    return {
        "target": name,
        "seed": number,
        "inputs": thrown,
        "seconds": seconds,
        "failure": failure,
    }


def hunt_kernels(number: int, inputs: int) -> dict[str, Any]:
    """Run random kernels interpreted and compiled."""
    start = time.perf_counter()
    report = fuzz(number, inputs)
    return {
        "target": "kernels",
        "seed": number,
        "inputs": inputs,
        "refused": report.counts["refused"],
        "seconds": round(time.perf_counter() - start, 2),
        "failure": str(report) or None,
    }


def jobs(inputs: int, first_seed: int, only: str | None) -> list[Job]:
    """Divide the inputs among the targets, in a random order."""
    names = [only] if only else ["command line", "kernels", *TARGETS]
    shares = dict.fromkeys(names, inputs / len(names))
    if not only:
        rest = 1 - COMMANDS_SHARE - KERNELS_SHARE
        shares = dict.fromkeys(TARGETS, inputs * rest / len(TARGETS))
        shares |= {"command line": inputs * COMMANDS_SHARE, "kernels": inputs * KERNELS_SHARE}
    found: list[Job] = []
    for name, share in shares.items():
        for done in range(0, round(share), INPUTS_PER_JOB):
            number = first_seed + len(found)
            found.append((name, number, min(INPUTS_PER_JOB, round(share) - done)))
    random.Random(first_seed).shuffle(found)
    return found
