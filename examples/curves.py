"""Draw the curves that `ppo.py` wrote: `python examples/curves.py PICTURE CURVE.csv …`."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt


def main(picture: str, *curves: str) -> None:
    """Draw the learning curves of some files."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for number, curve in enumerate(curves):
        with Path(curve).open(newline="", encoding="utf-8") as file:
            rows = [
                {name: float(value) for name, value in row.items()} for row in csv.DictReader(file)
            ]
        steps = [row["steps"] / 1e6 for row in rows]
        color = f"C{number}"
        label = Path(curve).stem
        scores, errors = ([row[name] for row in rows] for name in ("score", "stderr"))
        axes.errorbar(steps, scores, errors, color=color, label=f"{label}: score")
        fireworks = [row["fireworks"] for row in rows]
        axes.plot(steps, fireworks, color=color, linestyle=":", label=f"{label}: fireworks")
    axes.set(xlabel="million steps", ylabel="points a game", ylim=(0, None))
    axes.legend(ncols=2, fontsize="small")
    figure.savefig(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
