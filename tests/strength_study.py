"""Play long comparisons of strong strategies game by game, and resume them.

    python -m tests.strength_study search:blueprint=duo duo --players 2 --games 2000 \
        --seed 370037 --save games.csv

plays every deck with each strategy, as `hanabilab simulate` would, and appends a row for each game
to the file: game, strategy, score, turns, whether the last life was lost, and seconds of CPU time.
Re-run the same command to resume, also with more games or strategies. ``--first 1000`` starts with
another game than the first, so that several processes can share the work. ``--games 0`` prints the
table of what is there; ``--plot FILE`` draws mean scores against the time limit of a move, with the
CPU time that a move took on average.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hanabilab import Rules, find_strategy, preset
from hanabilab.game.state import LIVES
from hanabilab.table.loop import play_chunk

__all__ = ["main", "summary"]

COLUMNS = ("game", "strategy", "score", "turns", "lost", "seconds")
TIME_LIMIT = re.compile(r"seconds=([\d.]+)")
BESIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}
AT_THE_EDGE = BESIDE | {"xycoords": ("axes fraction", "data"), "ha": "right"}
Row = dict[str, str]


def main(words: Sequence[str] | None = None) -> None:
    """Play what is missing, then print the table."""
    options = parser().parse_args(words)
    rows = read(options.save)
    done = {(int(row["game"]), row["strategy"]) for row in rows}
    for game in range(options.first, options.first + options.games):
        for label in options.strategies:
            if (game, label) not in done:
                rules = preset(options.rules, options.players)
                rows.append(play_game(label, rules, options.seed, game))
                append(options.save, rows[-1])
    print("\n".join(summary(rows, options.strategies)))
    if options.plot:
        plot(rows, options.strategies, options.plot)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    made = argparse.ArgumentParser(prog="python -m tests.strength_study")
    made.add_argument("strategies", nargs="+")
    made.add_argument("--players", type=int, default=2)
    made.add_argument("--rules", default="classic")
    made.add_argument("--games", type=int, default=100)
    made.add_argument("--first", type=int, default=0)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--save", type=Path, required=True)
    made.add_argument("--plot", type=Path)
    return made


def play_game(label: str, rules: Rules, seed: int, game: int) -> Row:
    """Play one game, with the same strategy in every seat."""
    team = [find_strategy(label)] * rules.players
    play_chunk(rules, team, seed, game, 0)  # compile before the clock starts
    start = time.process_time()
    score, turns, _, end = play_chunk(rules, team, seed, game, 1)[0][:4]
    seconds = f"{time.process_time() - start:.2f}"
    values = (game, label, score, turns, int(end == LIVES), seconds)
    return dict(zip(COLUMNS, map(str, values), strict=True))


def read(file: Path) -> list[Row]:
    """Return the rows of a file, none if it does not exist yet."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def append(file: Path, row: Row) -> None:
    """Write a row to the end of a file, which starts with the names of the columns."""
    fresh = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(row))
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return a mean and its standard error."""
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(spread / max(1, len(values) - 1) / len(values))


def summary(rows: Iterable[Row], labels: Sequence[str]) -> list[str]:
    """Return a line for each strategy, and the paired differences from the last one."""
    found = {
        label: {row["game"]: row for row in rows if row["strategy"] == label} for label in labels
    }
    lines = []
    for label, games in found.items():
        if games:
            scores = [float(row["score"]) for row in games.values()]
            mean, error = mean_and_error(scores)
            perfect = 100 * sum(score == max(25.0, *scores) for score in scores) / len(scores)
            lost = sum(int(row["lost"]) for row in games.values())
            seconds = sum(float(row["seconds"]) for row in games.values()) / len(games)
            lines.append(
                f"{label}: {len(games)} games, {mean:.3f} ± {error:.3f}, {perfect:.1f} % perfect, "
                f"{lost} lost to misplays, {seconds:.2f} s a game"
            )
    last = found[labels[-1]]
    for label in labels[:-1]:
        pairs = found[label].keys() & last.keys()
        if pairs:
            gains = [
                float(found[label][game]["score"]) - float(last[game]["score"]) for game in pairs
            ]
            mean, error = mean_and_error(gains)
            lines.append(f"{label} - {labels[-1]}: {len(pairs)} pairs, {mean:+.3f} ± {error:.3f}")
    return lines


def plot(rows: Iterable[Row], labels: Sequence[str], file: Path) -> None:
    """Draw the points missing to 25 against the time limit of a move, with 95 % intervals.

    Strategies without a limit are lines.
    """
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    limits = [float(limit[1]) for limit in map(TIME_LIMIT.search, labels) if limit]
    for label in labels:
        games = [row for row in rows if row["strategy"] == label]
        if games:
            mean, error = mean_and_error([25 - float(row["score"]) for row in games])
            limit = TIME_LIMIT.search(label)
            if limit:
                moves = sum(float(row["turns"]) for row in games)
                used = sum(float(row["seconds"]) for row in games) / moves
                axes.errorbar(float(limit[1]), mean, 1.96 * error, fmt="o", color="C0", capsize=4)
                axes.annotate(f"{used:.2f} s", (float(limit[1]), mean), (8, 4), **BESIDE)
            else:
                axes.axhline(mean, color="C1")
                axes.axhspan(mean - 1.96 * error, mean + 1.96 * error, color="C1", alpha=0.15)
                axes.annotate(label, (1, mean), (-4, 4), **AT_THE_EDGE)
    axes.set(xscale="log", xlabel="seconds for a move, at most", ylabel="points missing to 25")
    axes.set_xticks(limits, [f"{limit:g}" for limit in limits])
    axes.minorticks_off()
    axes.margins(x=0.12)
    axes.set_ylim(bottom=0)
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
