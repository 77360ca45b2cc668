"""What each convention of `conventions` is worth, as the table of its page shows it.

    python -m tests.convention_study

plays the same decks with and without each convention and stores the paired differences in
`docs/results/data/convention-worth.csv`; then `python -m hanabilab.lab.document_tables` writes the
page. Other conventions are as by default, so the table says what is lost by switching one off, or
won by switching one on that is off by default. 10,000 games take about two minutes of CPU time.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from math import sqrt
from pathlib import Path

import numpy as np

from hanabilab.game.rules import preset
from hanabilab.lab.document_tables import DATA, write_result
from hanabilab.strategies.conventions.catalogue import CATALOGUE
from hanabilab.strategies.conventions.strategy import CONVENTIONS
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import strategies_for

ROOT = Path(__file__).resolve().parents[1]
GAMES, SEED = 10_000, 35_035
PLAYERS = (2, 3, 4, 5)


def scores(strategy: Strategy, players: int, games: int, seed: int) -> np.ndarray:
    """Return the scores of many games."""
    team = strategies_for([strategy], players)
    rows = play_chunk(preset("hle", players), team, seed, 0, games)
    return np.array([int(row[0]) for row in rows], np.int64)


def cell(difference: np.ndarray) -> str:
    """Return a mean and its standard error as a page shows them."""
    mean, error = difference.mean(), difference.std() / sqrt(len(difference))
    text = f"{mean:+.3f}".replace("-", "−")
    return f"{'0.000' if text[1:] == '0.000' else text} ± {error:.3f}"


def row(name: str, games: int, seed: int, usual: dict[int, np.ndarray]) -> dict[str, str]:
    """Return what a convention, or the end lines, add to the score."""
    each = CATALOGUE.get(name)
    on = each is None or each.default
    other = CONVENTIONS.with_options(**{name: not on if each else -1})
    sign = 1 if on else -1
    worth = {
        f"{players} players": cell(sign * (usual[players] - scores(other, players, games, seed)))
        for players in PLAYERS
    }
    title = each.name if each and each.name else "\N{EN DASH}"
    return {
        "option": f"`{name.replace('_', '-')}`",
        "level": str(each.level if each else 1),
        "name in the H-Group": title,
        "default": "on" if on else "off",
        **worth,
    }


def main() -> None:
    """Measure all conventions and store the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--save", type=Path, default=ROOT / DATA / "convention-worth.csv")
    given = parser.parse_args()
    usual = {n: scores(CONVENTIONS, n, given.games, given.seed) for n in PLAYERS}
    names = sorted(CATALOGUE, key=lambda name: CATALOGUE[name].level)
    rows = []
    for name in [*names, "end_lines"]:
        rows.append(row(name, given.games, given.seed, usual))
        print(*rows[-1].values(), sep="  ", flush=True)
    about = {
        "command": "python -m tests.convention_study",
        "games": f"{given.games:,}",
        "seed": given.seed,
        "rules": "hle",
        "date": datetime.now(UTC).date().isoformat(),
    }
    write_result(given.save, about, rows)


if __name__ == "__main__":
    main()
