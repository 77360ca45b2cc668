"""Start-up time: CPU seconds of whole processes before the first game.

Each program runs with an empty cache of compiled code, and again. A user's strategy also runs after
an edit of its kernel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hanabilab.errors import HanabiError

__all__ = ["COLUMNS", "bench_start"]

COLUMNS = ("first", "after an edit", "again")

PROGRAMS = {
    "envs.hle: make, reset": "from hanabilab.envs import hle; hle.make(num_players=5).reset()",
    "BatchEnv: reset": "from hanabilab.envs import BatchEnv; BatchEnv(64, players=5).reset()",
    "PettingZoo: env, reset": "from hanabilab.envs import pettingzoo; "
    "pettingzoo.env(players=5).reset()",
    "Gymnasium: make, reset": "from hanabilab.envs.gymnasium import HanabiEnv; "
    "HanabiEnv(players=5).reset()",
}
COMMANDS = {
    "simulate, a strategy of one's own": ["simulate", "mine.py:mine", "--players", "3"],
    "check, a strategy of one's own": ["check", "mine.py:mine"],
    "simulate hatter": ["simulate", "hatter", "--players", "5", "--games", "1"],
    "simulate search": ["simulate", "search", "--players", "3", "--games", "1"],
    "solve": ["solve", "--players", "5", "--seed", "1"],
}
REPEATS = 3

STRATEGY = """
import hanabilab.author as ha
from hanabilab.game import HINT_RANK, HINT_SUIT, PLAY, can_discard, card_in, discard_slot
from hanabilab.game import nth_legal, play_slot, rank_hint, rank_of, suit_hint

EDITED = 0


class Told(ha.Memory):
    number: int
    plays: int


@ha.kernel
def hat(view, player, ways):
    for slot in range(min(view.hand_count[player], ways - 1)):
        if view.playable >> card_in(view.hands[player], slot) & 1:
            return slot + 1
    return 0


@ha.kernel
def hats(view, giver, ways):
    total = EDITED
    for player in range(view.rules.players):
        if player != giver and player != view.observer:
            total += hat(view, player, ways)
    return total


@ha.kernel
def act(view, memory):
    me, ways = view.observer, 2 * (view.rules.players - 1)
    if memory.number > 0 and memory.plays < min(view.lives, 2):
        return play_slot(view, memory.number - 1)
    if view.hint_tokens > 0:
        way = hats(view, me, ways) % ways
        target = (me + 1 + way // 2) % view.rules.players
        card = card_in(view.hands[target], 0)
        if view.hand_count[target] > 0:
            if way % 2 == 0:
                return rank_hint(view, target, rank_of(view, card))
            return suit_hint(view, target, view.rules.suit_of[card])
    if can_discard(view):
        return discard_slot(view, 0)
    return nth_legal(view, 0)


@ha.kernel
def observe(view, event, memory):
    ways = 2 * (view.rules.players - 1)
    if event.kind == HINT_SUIT or event.kind == HINT_RANK:
        way = 2 * ((event.target - event.player - 1) % view.rules.players)
        if event.kind != HINT_RANK:
            way += 1
        memory.plays = 0
        memory.number = (way - hats(view, event.player, ways)) % ways
    if event.kind == PLAY:
        memory.plays += 1
    if event.player == view.observer:
        memory.number = 0


mine = ha.Strategy("mine", act, observe, memory=Told)
"""


def bench_start(
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, dict[str, float | None]]:
    """Return the CPU seconds of each program: cold, after an edit, and warm."""
    found: dict[str, dict[str, float | None]] = {}
    for name, arguments in _programs():
        say(f"{name} ...")
        with tempfile.TemporaryDirectory() as folder:
            found[name] = _measured(arguments, Path(folder))
    return found


def _programs() -> Iterator[tuple[str, list[str]]]:
    for name, code in PROGRAMS.items():
        yield name, ["-c", code]
    for name, command in COMMANDS.items():
        yield name, ["-m", "hanabilab", *command]


def _measured(arguments: list[str], folder: Path) -> dict[str, float | None]:
    mine = folder / "mine.py"
    mine.write_text(STRATEGY, encoding="utf-8")
    first = _cpu_seconds(arguments, folder)
    if first is None:
        return dict.fromkeys(COLUMNS)
    again = _least(arguments, folder)
    edited: float | None = None
    if any("mine.py" in each for each in arguments):
        mine.write_text(STRATEGY.replace("EDITED = 0", "EDITED = 1"), encoding="utf-8")
        edited = _cpu_seconds(arguments, folder)
        again = _least(arguments, folder)
    return {"first": first, "after an edit": edited, "again": again}


def _least(arguments: list[str], folder: Path) -> float:
    return min(_cpu_seconds(arguments, folder) or 0.0 for _ in range(REPEATS))


def _cpu_seconds(arguments: list[str], folder: Path) -> float | None:
    """Return the CPU time of a process and its children; None if a library is missing."""
    environment = {**os.environ, "HANABILAB_CACHE": str(folder / "cache")}
    before = os.times()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    if "MissingExtraError" in done.stderr or "No module named" in done.stderr:
        return None
    if done.returncode not in (0, 1):  # 1: what `check` and `solve` answer
        raise HanabiError(f"{' '.join(arguments)}: {done.stderr.strip()[-200:]}")
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
