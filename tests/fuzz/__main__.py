"""`make fuzz`: a hundred thousand inputs, and a record of the seeds that made them."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.hunt import hunt, jobs
from tests.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="default 100,000")
    parser.add_argument("--seed", type=int, help="of the first job; default: a new one each time")
    parser.add_argument("--only", choices=["command line", "kernels", *TARGETS], help="one target")
    parser.add_argument("--log", type=Path, default=Path(".fuzz/log.jsonl"), help="record of seeds")
    arguments = parser.parse_args()
    first = random.SystemRandom().randrange(10**9) if arguments.seed is None else arguments.seed
    print(f"{arguments.inputs:,} inputs, --seed {first}; record in {arguments.log}", flush=True)
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    start, thrown, refused, failures = time.perf_counter(), 0, 0, 0
    with (
        arguments.log.open("a", encoding="utf-8") as log,
        ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool,
    ):
        running = [pool.submit(hunt, job) for job in jobs(arguments.inputs, first, arguments.only)]
        for future in as_completed(running):
            result = future.result()
            log.write(json.dumps(result) + "\n")
            log.flush()
            thrown += result["inputs"]
            refused += result.get("refused", 0)
            if result["failure"]:
                failures += 1
                print(f"{result['target']}, seed {result['seed']}:\n{result['failure']}")
    seconds = time.perf_counter() - start
    print(f"{thrown:,} inputs in {seconds:.0f} s: {failures} of {len(running)} jobs failed")
    if refused:
        print(f"{refused:,} kernels were refused when compiling")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
