"""How many decks can be won with everything in sight?"""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.lab.journal import Journal
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.results import Exported, wilson
from hanabilab.lab.run import Division, chosen_rules, play_run, whole_number
from hanabilab.solver.position import Position
from hanabilab.solver.quick import BEAM, ENDGAME, PACE, STORAGE, UNDECIDED, decide_range
from hanabilab.solver.solve import solve_position

__all__ = ["DeckCount", "winnable"]

KINDS = (
    "winnable",
    "pace",
    "storage",
    "endgame",
    "dead card",
    "exhausted search",
    "unsatisfiable",
    "undecided",
)
"""What can come out for a deck: it is won, or why it is lost."""


@dataclass(frozen=True, slots=True)
class DeckRun:
    """Decks to be decided."""

    rules: Rules
    seed: int
    first: int
    games: int
    time_limit: float
    repeats: int = 1
    compiled: bool = True

    def play(self, first: int, count: int) -> tuple[list[Any], float]:
        """Decide a piece: how many decks there are of each kind, and how many needed SAT."""
        start = time.perf_counter()
        methods, _ = decide_range(self.rules, self.seed, first, count)
        kinds = Counter({"slowly decided": 0})
        names = {BEAM: "winnable", PACE: "pace", STORAGE: "storage", ENDGAME: "endgame"}
        for number, method in enumerate(methods.tolist()):
            kinds[names.get(method) or self.decide(first + number)] += 1
            kinds["slowly decided"] += method == UNDECIDED
        return [kinds], time.perf_counter() - start

    def decide(self, game: int) -> str:
        """One deck that the quick way left open."""
        deck = Deck.shuffled(self.rules, seed=self.seed, game=game)
        solution = solve_position(Position.start(deck), time_limit=self.time_limit)
        if solution.winnable:
            return "winnable"
        if solution.winnable is None:
            return "undecided"
        return str((solution.reason or {})["certificate"])


@dataclass(frozen=True, slots=True)
class DeckCount(Exported):
    """How many decks can be won, and why the others are lost."""

    rules: Rules
    seed: int
    decks: int
    kinds: dict[str, int]
    slowly_decided: int
    seconds: float
    threads: int
    resumed: int = 0
    interrupted: bool = False

    @property
    def fraction(self) -> float:
        """The part of all decks that can be won; what is undecided counts as lost."""
        return self.kinds["winnable"] / self.decks if self.decks else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval: undecided decks count as lost below and as won above."""
        low = wilson(self.fraction, self.decks)[0]
        won = self.kinds["winnable"] + self.kinds["undecided"]
        return low, wilson(won / self.decks if self.decks else 0.0, self.decks)[1]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        low, high = self.interval
        return {
            "players": self.rules.players,
            "rules": self.rules.to_json(),
            "decks": self.decks,
            "seed": self.seed,
            "winnable": self.kinds["winnable"],
            "fraction": self.fraction,
            "low": low,
            "high": high,
            "losses": {
                kind: self.kinds[kind] for kind in KINDS if kind not in ("winnable", "undecided")
            },
            "undecided": self.kinds["undecided"],
            "slowly_decided": self.slowly_decided,
            "seconds": self.seconds,
            "decks_per_second": (self.decks - self.resumed) / self.seconds if self.seconds else 0.0,
            "threads": self.threads,
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.to_dict()]

    def __str__(self) -> str:
        low, high = self.interval
        losses = ", ".join(
            f"{kind} {count:,}"
            for kind, count in self.kinds.items()
            if kind not in ("winnable", "undecided") and count
        )
        return (
            f"{self.rules.players} players: {100 * self.fraction:.3f} % of {self.decks:,} decks "
            f"can be won ({100 * low:.3f} to {100 * high:.3f} %); lost by {losses or 'nothing'}; "
            f"undecided {self.kinds['undecided']}"
        )


def winnable(
    players: int | None = None,
    *,
    decks: int = 10_000,
    seed: int = 0,
    rules: Rules | str = "classic",
    threads: int | None = None,
    time_limit: float = 60.0,
    save: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> DeckCount:
    """Decide the decks of a seed: the fraction that can be won, and the losses by certificate.

    With a file, every piece is noted as it is done; the same call takes up where it stopped.
    """
    chosen = chosen_rules(rules, players)
    whole_number("decks", decks, 1, 1 << 40)
    heading = {"rules": str(chosen.to_json()), "players": chosen.players, "seed": seed}
    columns = ["first", "decks", "slowly decided", *KINDS]
    journal = Journal(save, heading, columns) if save else None
    kinds: Counter[str] = Counter(dict.fromkeys([*KINDS, "slowly decided"], 0))
    done = 0
    for row in journal.rows if journal else []:
        done += int(row["decks"])
        kinds.update({name: int(row[name]) for name in (*KINDS, "slowly decided")})
    resumed = done
    outcome = None
    if done < decks:
        work = DeckRun(chosen, seed, done, decks - done, time_limit)
        with progress_bar(f"{chosen.players} players", decks, progress) as report:

            def consume(first: int, results: list[Any]) -> bool:
                nonlocal done
                piece: Counter[str] = results[0]
                count = sum(piece[kind] for kind in KINDS)
                kinds.update(piece)
                done += count
                if journal and count:
                    counts = {name: piece[name] for name in (*KINDS, "slowly decided")}
                    journal.append({"first": first, "decks": count, **counts})
                report(done, f"{100 * kinds['winnable'] / max(done, 1):.3f} %")
                return False

            outcome = play_run(work, consume, Division(threads))
    return DeckCount(
        chosen,
        seed,
        done,
        {kind: kinds[kind] for kind in KINDS},
        kinds["slowly decided"],
        outcome.seconds if outcome else 0.0,
        outcome.threads if outcome else 0,
        resumed,
        bool(outcome and outcome.interrupted),
    )
