"""Draw the plots of the documentation from stored results, and the pictures of reviews.

`make pictures` does this, and takes the pictures of the pages as well. `python -m
tests.document_pictures NAME …` makes some of them: `strength`, `speed`, `luck`, `reviews`. A plot
carries a digest of its data, so that a test can tell whether it is up to date.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hanabilab.lab.document_tables import DATA, StoredResult, read_result

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
REVIEW_PAGE = ROOT / "docs" / "how-to" / "review.md"
PLAYERS = ("2", "3", "4", "5")
COLOURS = ("#3b6ea8", "#c2681c", "#3c8d5a", "#8a5aa8", "#777777", "#b03a4a")


def stored(name: str) -> StoredResult:
    """Return a stored result of the documentation."""
    return read_result(ROOT / DATA, name)


def number(text: str) -> float:
    """Return the first number of a cell."""
    found = re.search(r"[−-]?[\d,]*\.?\d+", text)
    assert found, text
    return float(found[0].replace(",", "").replace("−", "-"))


def digest(*names: str) -> str:
    """Return a digest of the values of stored results."""
    values = [stored(name).resolved for name in names]
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def strength(axes: Any) -> None:
    """Draw the points that each strategy misses, by number of players."""
    lines = {
        "piers (rule agent)": ("leaderboard", dict.fromkeys(PLAYERS, "piers")),
        "conventions": ("leaderboard", dict.fromkeys(PLAYERS, "conventions")),
        "information": ("leaderboard", dict.fromkeys(PLAYERS, "information")),
        "duo, hatter": ("strength", {"2": "duo", "3": "hatter", "4": "hatter", "5": "hatter"}),
        "search": ("strength", {"2": "search over duo", **dict.fromkeys("345", "search")}),
    }
    for colour, (label, (name, rows)) in zip(COLOURS, lines.items(), strict=False):
        result = stored(name)
        missing = [25 - float(result.cell(row, n, "{mean}")) for n, row in rows.items()]
        axes.plot(range(4), missing, "o-", color=colour, label=label)
    limit = [25 - number(stored("best-scores").cell(n, "expected best score")) for n in PLAYERS]
    axes.plot(range(4), limit, "--", color="black", label="limit: all cards face up")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.invert_yaxis()
    axes.set_xticks(range(4), [f"{n} players" for n in PLAYERS])
    axes.set_ylabel("points missing to 25, fewer is higher")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))


def speed(axes: Any) -> None:
    """Draw how many times as fast as other programs ours is, with five players."""
    bars = {}
    for name, column in (("speed-python", "ratio, 5 players"), ("speed-cpp", "ratio")):
        result = stored(name)
        for row in result.resolved:
            if not row[0].endswith("2 players"):
                label = row[0].replace("`", "").replace(":interpretation=program", "")
                bars[label.removesuffix(", 5 players")] = number(result.cell(row[0], column))
    bars = dict(sorted(bars.items(), key=lambda bar: bar[1]))
    axes.barh(range(len(bars)), list(bars.values()), color=COLOURS[0])
    for place, ratio in enumerate(bars.values()):
        axes.text(ratio * 1.05, place, f"{ratio:g}", va="center", fontsize=8)
    axes.set_yticks(range(len(bars)), list(bars), fontsize=8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlim(1, 2 * max(bars.values()))
    axes.set_xlabel("times as fast, five players")


def luck(axes: Any) -> None:
    """Draw the points that strategies lose by each kind of action, and the share of luck."""
    result = stored("luck")
    rows = [row[0] for row in result.resolved]
    start = [0.0] * len(rows)
    kinds = ("hints lose", "plays lose", "discards lose")
    for colour, kind in zip(COLOURS, kinds, strict=False):
        lost = [max(0.0, number(result.cell(row, kind))) for row in rows]
        axes.barh(
            range(len(rows)), lost, left=start, color=colour, label=kind.removesuffix(" lose")
        )
        start = [sum(pair) for pair in zip(start, lost, strict=True)]
    labels = []
    for row in rows:
        left = number(result.cell(row, "variance"))
        labels.append(f"{row.strip('`')}\n{1 - left:.0%} of the variance\nis luck of the draws")
    axes.set_yticks(range(len(rows)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("points lost per game by decisions")
    axes.legend(fontsize=8)


PLOTS: dict[str, tuple[Callable[[Any], None], tuple[str, ...]]] = {
    "strength": (strength, ("leaderboard", "strength", "best-scores")),
    "speed": (speed, ("speed-python", "speed-cpp")),
    "luck": (luck, ("luck",)),
}
"""How each plot is drawn, and from which stored results."""


def draw(name: str) -> None:
    """Draw a plot."""
    from matplotlib.figure import Figure

    show, names = PLOTS[name]
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    axes = figure.subplots()
    show(axes)
    axes.spines[["top", "right"]].set_visible(False)
    data = {"Description": digest(*names), "Software": None}
    figure.savefig(PICTURES / f"{name}.png", dpi=110, metadata=data)


def reviewed_games() -> dict[str, str]:
    """Return the pictures of the page about reviews, with the game above each."""
    text = REVIEW_PAGE.read_text(encoding="utf-8")
    found = re.findall(
        r"(https://hanab\.live/replay-json/[^\s)]+)|\]\(\.\./pictures/(\S+\.svg)\)", text
    )
    games, last = {}, ""
    for link, picture in found:
        last = link or last
        if picture:
            games[picture] = last
    return games


def draw_reviews() -> None:
    """Review the games of the page about reviews, and draw them."""
    import hanabilab as hl

    for picture, link in reviewed_games().items():
        hl.review(link).plot(str(PICTURES / picture))
        print(picture)


def main(names: list[str]) -> None:
    """Make the pictures named, or all of them."""
    for name in PLOTS:
        if name in names or not names:
            draw(name)
            print(f"{name}.png")
    if "reviews" in names or not names:
        draw_reviews()


if __name__ == "__main__":
    main(sys.argv[1:])
