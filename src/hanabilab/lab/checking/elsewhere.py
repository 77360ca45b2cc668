"""Ask one player of a recorded game alone, in a process of its own.

Nothing but the table can connect it with the other players there, and its hashes differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from hanabilab.lab.checking.witness import DoubtError, answers
from hanabilab.strategies.load import load_player
from hanabilab.table.game import Game

__all__ = ["answers_elsewhere"]

HASH_SEED = "123"


def answers_elsewhere(
    label: str, played: Game, seed: int, number: int, player: int, limit: float
) -> list[int]:
    """Return what a player answers in a process of its own; `label` names the strategy."""
    question = {
        "strategy": label,
        "game": played.to_dict(),
        "seed": seed,
        "number": number,
        "player": player,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": HASH_SEED},
        )
    except subprocess.TimeoutExpired:
        raise DoubtError(
            "ends", f"no answer after {limit:.0f} seconds in a process of its own"
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise DoubtError("alone", f"fails in a process of its own: {last}")
    found: list[int] = json.loads(done.stdout.splitlines()[-1])
    return found


def _main() -> None:
    question: dict[str, Any] = json.load(sys.stdin)
    strategy = load_player(question["strategy"])
    played = Game.read(json.dumps(question["game"]))
    seed, number, player = question["seed"], question["number"], question["player"]
    given = answers(strategy, played, played.deck, seed, number, [player], compiled=strategy.slow)
    print(json.dumps([answer.given for answer in given]))


if __name__ == "__main__":
    _main()
