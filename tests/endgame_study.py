"""Measure exact endgames: what a perfect end would add to a strategy, and how long one takes.

    python -m tests.endgame_study hatter --players 5 --games 400 --seed 2028

plays games and replaces the last four draws of each by perfect play with all hands known. The
output is the share of games won, that share with perfect ends, and the mean of the differences.
With ``--times`` the output is instead the time of `solve_hidden` for the first position of each
game with that many cards in the draw pile::

    python -m tests.endgame_study conventions --players 5 --games 20 --pile 8 --seed 2026 --times
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator, Sequence

from hanabilab import Deck, Game, play, preset
from hanabilab.solver.hidden import MODES, solve_hidden

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> None:
    """Play the games and print the figures."""
    options = parser().parse_args(words)
    games = list(late_positions(options))
    print("\n".join(times(games, options.mode) if options.times else perfect_ends(games)))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    made = argparse.ArgumentParser(prog="python -m tests.endgame_study")
    made.add_argument("strategy")
    made.add_argument("--players", type=int, default=2)
    made.add_argument("--rules", default="hle")
    made.add_argument("--games", type=int, default=100)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--pile", type=int, default=4, help="cards in the draw pile")
    made.add_argument("--mode", choices=MODES, default="win")
    made.add_argument("--times", action="store_true")
    return made


def late_positions(options: argparse.Namespace) -> Iterator[tuple[bool, Game | None]]:
    """Yield whether each game is won, and its first position with so few cards to draw, if any."""
    rules = preset(options.rules, options.players)
    for number in range(options.games):
        deck = Deck.shuffled(rules, seed=options.seed, game=number)
        whole = play(options.strategy, deck, seed=options.seed, game=number)
        game = Game(rules, deck)
        for action in whole.actions:
            if game.state.draw_pile <= options.pile:
                break
            game.act(action)
        yield whole.score == rules.max_score, None if game.is_over else game


def perfect_ends(games: list[tuple[bool, Game | None]]) -> Iterator[str]:
    """Yield the shares of games won, as played and with perfect ends."""
    won = [float(each) for each, _ in games]
    ends = [
        float(each if game is None else solve_hidden(game.state).value or 0) for each, game in games
    ]
    gained = [end - each for end, each in zip(ends, won, strict=True)]
    error = statistics.stdev(gained) / len(gained) ** 0.5
    yield f"{len(games)} games: {statistics.mean(won):.1%} won"
    yield f"with a perfect end {statistics.mean(ends):.1%}"
    yield f"difference {100 * statistics.mean(gained):.1f} ± {100 * error:.1f} %"


def times(games: list[tuple[bool, Game | None]], mode: str) -> Iterator[str]:
    """Yield the median and the greatest time of all actions of a position."""
    found = []
    late = [game for _, game in games if game is not None]
    for game in [late[0], *late]:  # the first time it is compiled
        start = time.process_time()
        solve_hidden(game.state, mode=mode)  # type: ignore[arg-type]
        found.append(time.process_time() - start)
    yield f"{len(late)} positions: median {1000 * statistics.median(found[1:]):.1f} ms"
    yield f"slowest {1000 * max(found[1:]):.1f} ms"


if __name__ == "__main__":
    main()
