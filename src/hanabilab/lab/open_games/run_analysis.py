"""Why were games of a run not perfect? Tell a strategy's mistakes from bad luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.play import play

if TYPE_CHECKING:
    from hanabilab.lab.open_games.analysis import Analysis

__all__ = ["GameAnalysis", "ImperfectGames", "RunAnalysis", "analyze_run"]


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """One game of a run."""

    game: int
    repeat: int
    analysis: Analysis

    def to_dict(self) -> dict[str, Any]:
        """Return what became of the game, without its turns."""
        analysis = self.analysis
        return {
            "game": self.game,
            "repeat": self.repeat,
            "verdict": analysis.verdict,
            "score": analysis.score,
            "winnable": analysis.start.winnable,
            "best": analysis.start.best,
            "bound": analysis.start.bound,
            "lost_at": analysis.lost_at,
            "action": analysis.losing.action if analysis.losing else None,
            "better": analysis.better,
        }


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """The first imperfect games of a run: what was the strategy's mistake, what was bad luck?"""

    games: list[GameAnalysis]
    interrupted: bool = False

    def count(self, verdict: str) -> int:
        """Return how many games have this verdict."""
        return sum(one.analysis.verdict == verdict for one in self.games)

    @property
    def points_to_luck(self) -> int:
        """Points that no play could have made, as far as is known."""
        return sum(one.analysis.max_score - one.analysis.start.bound for one in self.games)

    @property
    def points_to_play(self) -> int:
        """Points that were in reach at the start but were not made."""
        return sum(one.analysis.start.best - one.analysis.score for one in self.games)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data."""
        return {
            "analyzed": len(self.games),
            "mistakes": self.count("mistake"),
            "bad_luck": self.count("bad luck"),
            "undecided": self.count("undecided"),
            "points_to_play": self.points_to_play,
            "points_to_luck": self.points_to_luck,
            "games": [one.to_dict() for one in self.games],
        }


class ImperfectGames:
    """Keep the numbers of the first imperfect games among the rows of a run."""

    def __init__(self, most: int, max_score: int, repeats: int) -> None:
        self.most, self.max_score, self.repeats = most, max_score, repeats
        self.found: list[tuple[int, int]] = []

    def add(self, first: int, rows: Any) -> None:
        """Look at the rows of the games from number `first` on."""
        missing = self.most - len(self.found)
        if missing > 0:
            for place in (rows[:, 0] < self.max_score).nonzero()[0][:missing].tolist():
                game, repeat = divmod(place, self.repeats)
                self.found.append((first + game, repeat))


def analyze_run(
    team: Sequence[Strategy],
    rules: Rules,
    seed: int,
    numbers: Sequence[tuple[int, int]],
    *,
    time_limit: float | None = 60.0,
    progress: Progress = None,
) -> RunAnalysis:
    """Replay some games of a run and analyze them; Ctrl-C returns what is done so far."""
    from hanabilab.lab.open_games.analysis import analyze

    done: list[GameAnalysis] = []
    with progress_bar("analyze", len(numbers), progress) as report:
        try:
            for game, repeat in numbers:
                deck = Deck.shuffled(rules, seed=seed, game=game)
                played = play(team, deck, seed=seed, game=game, repeat=repeat)
                found = analyze(played, time_limit=time_limit, progress=False)
                done.append(GameAnalysis(game, repeat, found))
                report(len(done), f"game {game}: {done[-1].analysis.verdict}")
        except KeyboardInterrupt:
            return RunAnalysis(done, interrupted=True)
    return RunAnalysis(done)
