"""Draw the curves that `ppo.py` wrote, and print a table of what they reached.

    python examples/curves.py docs/pictures/ppo.png docs/pictures/ppo/*.csv

The name of a file is the label of its curve. A file with a column `iterations` is a published
curve, of which the number of steps in an iteration is known as a range only.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MARKS = (2.5, 5, 10, 30, 120)
"""CPU minutes at which the table shows what was reached."""
STEPS_AN_ITERATION = 10_000, 20_000
"""Of the published curve, whose repository has configurations with one number and the other."""

Rows = list[dict[str, float]]


def read(file: str | Path) -> Rows:
    """Return the rows of a curve."""
    with Path(file).open(newline="", encoding="utf-8") as lines:
        return [
            {name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)
        ]


def is_published(rows: Rows) -> bool:
    """Return whether a curve is somebody else's."""
    return "iterations" in rows[0]


def reached(rows: Rows, minutes: float) -> dict[str, float] | None:
    """Return the first test within a tenth after this number of CPU minutes, if any."""
    return next((row for row in rows if minutes <= row["minutes"] <= 1.1 * minutes), None)


def table(curves: dict[str, Rows]) -> Iterator[str]:
    """Yield the lines of a Markdown table: scores after the marks that some run reached."""
    ours = {label: rows for label, rows in curves.items() if not is_published(rows)}
    marks = [mark for mark in MARKS if any(reached(rows, mark) for rows in ours.values())]
    yield "| run | " + " | ".join(f"{mark:g} min" for mark in marks) + " | last test | games lost |"
    yield "| --- " + "| ---: " * (len(marks) + 2) + "|"
    for label, rows in ours.items():
        cells = []
        for mark in marks:
            row = reached(rows, mark)
            cells.append(score(row) if row else "")
        last = rows[-1]
        end = f"{score(last)} ({last['minutes']:.1f} min, {last['steps'] / 1e6:.1f} M steps)"
        yield f"| {label} | " + " | ".join([*cells, end, f"{last['lost']:.1%}"]) + " |"


def score(row: dict[str, float]) -> str:
    """Return the score of a test with its standard error."""
    return f"{row['score']:.2f} ± {row['stderr']:.2f}"


def draw(picture: str, curves: dict[str, Rows]) -> None:
    """Draw scores against steps and against CPU minutes."""
    import matplotlib.pyplot as plt

    figure, (by_steps, by_minutes) = plt.subplots(
        1, 2, figsize=(10, 4), sharey=True, layout="constrained"
    )
    number = 0
    for label, rows in curves.items():
        if is_published(rows):
            draw_published(by_steps, label, rows)
            continue
        later = [row for row in rows if row["steps"]]
        for axes, column in ((by_steps, "steps"), (by_minutes, "minutes")):
            places = [row[column] for row in later]
            axes.plot(places, [row["score"] for row in later], color=f"C{number}", label=label)
            fireworks = [row["fireworks"] for row in later]
            axes.plot(places, fireworks, color=f"C{number}", linestyle=":")
        number += 1
    by_steps.set(xlabel="environment steps", ylabel="points a game", xscale="log", ylim=(0, 25))
    by_minutes.set(xlabel="CPU minutes on one core", xlim=(0, None))
    for axes in (by_steps, by_minutes):
        axes.grid(alpha=0.3)
    by_minutes.legend(*by_steps.get_legend_handles_labels(), fontsize="small", loc="lower right")
    figure.savefig(picture)


def draw_published(axes: Any, label: str, rows: Rows) -> None:
    """Draw the mean of a published figure's runs for both numbers of steps in an iteration."""
    runs = [name for name in rows[0] if name != "iterations"]
    scores = [sum(row[name] for name in runs) / len(runs) for row in rows]
    least, most = ([row["iterations"] * each for row in rows] for each in STEPS_AN_ITERATION)
    axes.fill_betweenx(scores, least, most, color="gray", alpha=0.4, label=label)


def main(picture: str, *files: str) -> None:
    """Draw the curves of some files, and print their table."""
    curves = {Path(file).stem: read(file) for file in files}
    draw(picture, curves)
    print("\n".join(table(curves)))


if __name__ == "__main__":
    main(*sys.argv[1:])
