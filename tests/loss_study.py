"""Find out what imperfect games of two players were lost by.

    python -m tests.loss_study search:blueprint=duo --blueprint duo --seed 370042 --most 100 \
        --games games.csv --save losses.csv

takes the first imperfect games from a file of `tests.strength_study`, plays each of them once more
and lets the solver, which sees all cards, find the action that put the maximum out of reach. A row
for each game tells the cause, the cards in the draw pile at that action, whether the blueprint
would have done the same, and how likely the card was to be critical as far as the player knew.
Then it prints a table. Re-run the same command to resume.

A cause is one of

- `deck`: the deck cannot be won even with all cards open;
- `discard`: the last copy of a card was discarded;
- `copy`: a needed card was discarded, and the other copy came too late;
- `misplay`: a card was played that did not fit;
- `time`: any other action, after which too few turns were left.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from hanabilab import Deck, Game, find_strategy, play, preset
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.state import pace
from hanabilab.lab.analyze import analyze
from hanabilab.strategies.hatter.decision import chance_of_critical
from hanabilab.strategies.hatter.memory import HatterMemory
from hanabilab.strategies.hatter.tables import CERTAIN
from hanabilab.strategies.seats import Seat
from tests.strength_study import Row, append, read

__all__ = ["cause_of", "main", "summary"]

COLUMNS = ("game", "score", "cause", "pile", "pace", "deviation", "critical")
CAUSES = ("deck", "discard", "copy", "misplay", "time")
PLAYERS = 2


def main(words: Sequence[str] | None = None) -> None:
    """Analyze the games that are missing, then print the table."""
    options = parser().parse_args(words)
    done = {row["game"]: row for row in read(options.save)}
    for game in imperfect(options.games, options.strategy)[: options.most]:
        if str(game) not in done:
            row = done[str(game)] = analyze_game(options, game)
            append(options.save, row)
    print("\n".join(summary(list(done.values()))))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    made = argparse.ArgumentParser(prog="python -m tests.loss_study")
    made.add_argument("strategy")
    made.add_argument("--blueprint", default="duo")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--most", type=int, default=100)
    made.add_argument("--games", type=Path, required=True)
    made.add_argument("--save", type=Path, required=True)
    return made


def imperfect(file: Path, strategy: str) -> list[int]:
    """Return the games of a strategy that are not perfect, in order."""
    best = preset("classic", PLAYERS).max_score
    rows = [row for row in read(file) if row["strategy"] == strategy]
    return sorted(int(row["game"]) for row in rows if int(row["score"]) < best)


def analyze_game(options: argparse.Namespace, number: int) -> Row:
    """Play one game again and return its row."""
    deck = Deck.shuffled(preset("classic", PLAYERS), seed=options.seed, game=number)
    game = play(options.strategy, deck, seed=options.seed, game=number)
    values = (number, game.score, *cause_of(game, options.blueprint))
    return dict(zip(COLUMNS, map(str, values), strict=True))


def cause_of(game: Game, blueprint: str) -> tuple[str, object, object, object, object]:
    """Return the cause, the draw pile, the pace, whether it was a deviation, and the chance."""
    turn = analyze(game).lost_at
    if not turn:
        return "deck" if turn == 0 else "undecided", "", "", "", ""
    before, seat, expected = position(game, turn - 1, blueprint)
    event = game.events[turn - 1]
    cause = "time"
    if event.kind == PLAY and not event.lit:
        cause = "misplay"
    elif event.kind == DISCARD and before.state.critical >> event.card & 1:
        cause = "discard"
    elif event.kind == DISCARD and not before.state.dead >> event.card & 1:
        cause = "copy"
    memory, view = seat.memory, before.view(before.player)
    assert isinstance(memory, HatterMemory)
    chance: object = ""
    if event.kind == DISCARD:
        chance = f"{chance_of_critical(view, memory, event.slot) / CERTAIN:.3f}"
    taken = game.actions[turn - 1].number(before.state)
    return cause, view.draw_pile, pace(view), int(taken != expected), chance


def position(game: Game, turns: int, blueprint: str) -> tuple[Game, Seat, int]:
    """Return a game after some turns, with the next player as the blueprint and its action."""
    before = Game(game.rules, game.deck)
    seats = [Seat.in_game(find_strategy(blueprint), player, 0, 0) for player in range(PLAYERS)]
    for seat in seats:
        seat.begin(before.state)
    for action in game.actions[:turns]:
        event = before.act(action)
        for seat in seats:
            seat.observe(before.state, event)
    seat = seats[before.player]
    return before, seat, seat.act(before.state)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each cause."""
    for cause in CAUSES:
        found = [row for row in rows if row["cause"] == cause]
        points = sum(25 - int(row["score"]) for row in found)
        line = f"{cause}: {len(found)} of {len(rows)} games, {points} points"
        if found and cause != "deck":
            piles = [int(row["pile"]) for row in found]
            deviations = sum(int(row["deviation"]) for row in found)
            line += f", median pile {statistics.median(piles):g}, {deviations} deviations"
        chances = [float(row["critical"]) for row in found if row["critical"]]
        if chances:
            line += f", critical with a chance of {statistics.mean(chances):.2f} on average"
        yield line


if __name__ == "__main__":
    main()
