"""Find out how much a better endgame could win.

    python -m tests.ending_study search --blueprint hatter --players 5 --seed 370061 --games 3000

plays the decks of which the blueprint loses a point, and the first 60 that it wins. Near the end,
with at most `--pile` cards in the draw pile, it compares each action with the best one if all hands
were open and only the order of the draw pile were unknown, by `hanabilab.solver.hidden`. The
chances of the maximum that these actions give away, added up, are a bound: on average, no play of
these turns that sees less than all hands can win more games than that.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from fractions import Fraction

from hanabilab import Deck, Game, Rules, find_strategy, play, preset
from hanabilab.solver.hidden import solve_hidden
from hanabilab.table.loop import play_chunk

__all__ = ["given_away", "main"]


def main(words: Sequence[str] | None = None) -> None:
    """Play both kinds of decks, and print a line for each."""
    options = parser().parse_args(words)
    rules = preset("classic", options.players)
    team = [find_strategy(options.blueprint)] * rules.players
    rows = play_chunk(rules, team, options.seed, 0, options.games)
    missed = [number for number, row in enumerate(rows) if row[0] < rules.max_score]
    won = sorted(set(range(len(rows))) - set(missed))[: options.won]
    for kind, numbers in (("loses", missed), ("wins", won)):
        print(f"{options.blueprint} {kind}: {summary(options, rules, numbers)}", flush=True)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    made = argparse.ArgumentParser(prog="python -m tests.ending_study")
    made.add_argument("strategy")
    made.add_argument("--blueprint", default="hatter")
    made.add_argument("--players", type=int, default=3)
    made.add_argument("--games", type=int, default=3000)
    made.add_argument("--won", type=int, default=60)
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--pile", type=int, default=5)
    return made


def summary(options: argparse.Namespace, rules: Rules, numbers: Sequence[int]) -> str:
    """Return how many of these games the strategy loses, and what their endings give away."""
    lost, chances = 0, []
    for number in numbers:
        deck = Deck.shuffled(rules, seed=options.seed, game=number)
        game = play(options.strategy, deck, seed=options.seed, game=number)
        lost += game.score < rules.max_score
        chances.append(float(sum(given_away(game, options.pile))))
    return (
        f"{len(numbers)} decks, {options.strategy} loses {lost}; "
        f"given away {sum(chances):.2f} games, {max(chances, default=0):.2f} at most in one"
    )


def given_away(game: Game, pile: int) -> Iterator[Fraction]:
    """Yield the chance of the maximum that each action of the ending gives away."""
    again = Game(game.rules, game.deck)
    for action in game.actions:
        state = again.state
        if state.draw_pile <= pile and state.dead == state.played:
            found, number = solve_hidden(state), action.number(state)
            assert number is not None
            value, taken = found.value, found.values[number]
            assert value is not None
            assert taken is not None
            yield value - taken
        again.act(action)


if __name__ == "__main__":
    main()
