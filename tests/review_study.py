"""Play games with injected random actions, and write what a review finds in every turn.

    python -m tests.review_study conventions conventions 3 100 > matched.jsonl
    python -m tests.review_study conventions:level=2 conventions 3 100 > mismatched.jsonl

The arguments: the team (a strategy for all seats, or one for each, joined by +), the convention by
which it is judged, the number of players, the number of games, and options. Each line of the output
is a game. This sums such files up::

    python -m tests.review_study --count mismatched.jsonl --not-excused 2

It prints the means of *hidden* and *draw*, and how many games and seats are refused. Then: how many
actions are called a mistake or a blunder, how many of them are random, and how many of the random
ones that cost a spectator at least half a point are called so. `--not-excused` leaves out one of
the levels that excuse an action.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
from math import sqrt
from pathlib import Path
from typing import Any

import hanabilab as hl
from hanabilab.game.actions import legal_actions
from hanabilab.lab.review.account import proposed_actions
from hanabilab.lab.review.facts import find_facts
from hanabilab.lab.review.values import Evaluator, PlayedGame, Precision
from hanabilab.lab.review.verdicts import (
    LEAST_AGREEMENT,
    LEAST_OWN_AGREEMENT,
    MOST_HIDDEN,
    SEEN_SIGNIFICANCE,
    SIGNIFICANCE,
    SIZES,
)
from hanabilab.solver.position import Position, take_action
from hanabilab.strategies import find_strategy
from hanabilab.strategies.conventions.catalogue import DISTINCT_LEVELS
from hanabilab.strategies.seats import Seat

INJECTED = 2
"""Random actions of a game, on average."""
TURNS = 55
"""Turns of a game, about."""
TRUTH_SEED = 7919
"""The seed of the orders by which an action's loss is measured apart from the review."""


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser()
    parser.add_argument("team", nargs="?")
    parser.add_argument("convention", nargs="?")
    parser.add_argument("players", type=int, nargs="?")
    parser.add_argument("games", type=int, nargs="?")
    parser.add_argument("--count", nargs="+", metavar="FILE")
    parser.add_argument("--not-excused", type=int, default=0, metavar="LEVEL")
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--orders", type=int, default=256)
    parser.add_argument("--truth", type=int, default=0, help="orders for the true loss")
    parser.add_argument("--injected", type=float, default=INJECTED)
    arguments = parser.parse_args()
    if arguments.count:
        lines = [line for file in arguments.count for line in Path(file).read_text().splitlines()]
        print(count([json.loads(line) for line in lines], arguments.not_excused))
        return
    for game in range(arguments.games):
        print(json.dumps(study(arguments, game)), flush=True)


def study(arguments: argparse.Namespace, game: int) -> dict[str, Any]:
    """Play a game and evaluate the turns that differ from the convention."""
    teams = arguments.team.split("+")
    team = teams * arguments.players if len(teams) == 1 else teams
    rules = hl.preset("hle", arguments.players)
    deck = hl.Deck.shuffled(rules, seed=arguments.seed, game=game)
    rng = random.Random(f"{arguments.seed} {game}")
    share = arguments.injected / TURNS
    actions, injected, score = play(team, deck, rng, share, arguments.seed, game)
    played = PlayedGame(rules, tuple(deck), tuple(actions))
    convention = find_strategy(arguments.convention)
    precision = Precision(0, 0, arguments.worlds, arguments.orders)
    evaluator = Evaluator(convention, played, precision, arguments.seed)
    values = [evaluator.evaluate(turn) for turn in range(len(actions))]
    facts = find_facts(Position.start(deck), actions)
    usual = [
        proposed_actions(convention.with_options(level=level), played)
        for level in DISTINCT_LEVELS[1:]
    ]
    curve = [value.spectator_convention for value in values] + [float(score)]
    turns = []
    for turn, value in enumerate(values):
        if value.taken == value.convention and turn not in injected:
            continue
        chances, event = facts.turns[turn].chances, facts.turns[turn].event
        kept = dataclasses.asdict(value)
        del kept["values"]
        turns.append(
            {
                "turn": turn,
                "player": event.player,
                "injected": turn in injected,
                "usual": [level for level, row in enumerate(usual, 1) if row[turn] == value.taken],
                "sure": chances is not None
                and (chances.playable == 1 if event.lit else chances.dead == 1),
                "kind": event.kind,
                **kept,
                **truth(arguments, team, played, turn),
            }
        )
    return {
        "game": game,
        "players": arguments.players,
        "team": arguments.team,
        "convention": arguments.convention,
        "score": score,
        "length": len(actions),
        "injected": len(injected),
        "agreement": sum(value.taken == value.convention for value in values) / len(actions),
        "expected": curve[0],
        "draws": [curve[turn + 1] - value.spectator for turn, value in enumerate(values)],
        "play": sum(value.play for value in values),
        "hidden": sum(value.change - value.play for value in values),
        "turns": turns,
    }


def truth(
    arguments: argparse.Namespace, team: list[str], played: PlayedGame, turn: int
) -> dict[str, float]:
    """Return the spectator's change by an action, with other orders of the draw pile."""
    if not arguments.truth:
        return {}
    found = {}
    precision = Precision(0, 0, 0, arguments.truth)
    judges = {"truth": arguments.convention}
    if len(set(team)) == 1:
        judges["own_truth"] = team[0]
    for name, judge in judges.items():
        evaluator = Evaluator(find_strategy(judge), played, precision, TRUTH_SEED)
        found[name] = evaluator.evaluate(turn).change
    return found


def play(
    team: list[str], deck: hl.Deck, rng: random.Random, share: float, seed: int, game: int
) -> tuple[list[int], set[int], int]:
    """Play a deck with some random actions; return the actions, which are random, and the score."""
    position = Position.start(deck)
    state = position.state
    seats = [
        Seat.in_game(find_strategy(name), player, seed, game) for player, name in enumerate(team)
    ]
    for seat in seats:
        seat.begin(state)
    actions: list[int] = []
    injected: set[int] = set()
    while not state.end:
        action = seats[state.player].act(state)
        others = [other for other in legal_actions(state) if other != action]
        if others and rng.random() < share:
            action = rng.choice(others)
            injected.add(len(actions))
        event = take_action(state, position.deck, action)
        actions.append(action)
        for seat in seats:
            seat.observe(state, event)
    return actions, injected, state.score


# --- sums -----------------------------------------------------------------------------------------


def count(games: list[dict[str, Any]], not_excused: int) -> str:
    """Return the figures of a study in a few lines."""
    injected = [turn for game in games for turn in game["turns"] if turn["injected"]]
    judged = [(game, turn) for game in games for turn in judged_turns(game)]
    called = [turn for _, turn in judged if is_called(turn, not_excused)]
    serious = [turn for _, turn in judged if turn["injected"] and turn.get("truth", 0) <= -SERIOUS]
    refused = sum(not fits(game) for game in games)
    seats = sum(game["players"] for game in games)
    left_out = seats - sum(len(judged_seats(game)) for game in games)
    found = sum(is_called(turn, not_excused) for turn in serious)
    return "\n".join(
        [
            f"{len(games)} games, {len(injected)} random actions",
            f"hidden of a random action {mean([hidden(turn) for turn in injected])}",
            f"hidden of a game {mean([game['hidden'] for game in games])}",
            f"draw of a game {mean([sum(game['draws']) for game in games])}",
            f"refused: {refused} games, {left_out} of {seats} seats",
            f"called a mistake or blunder: {len(called)}, random: "
            f"{sum(turn['injected'] for turn in called)}; serious ones found: {found} of "
            f"{len(serious)}",
        ]
    )


SERIOUS = 0.5


def hidden(turn: dict[str, Any]) -> float:
    """Return the luck with hidden cards of a turn."""
    return float(turn["spectator"] - turn["spectator_convention"] - turn["play"])


def mean(values: list[float]) -> str:
    """Return a mean with its standard error."""
    average = sum(values) / len(values)
    squares = sum((value - average) ** 2 for value in values)
    return f"{average:+.3f} ± {(squares / max(1, len(values) - 1) / len(values)) ** 0.5:.3f}"


def agreements(game: dict[str, Any]) -> list[float]:
    """Return the share of turns in which the convention acts as each player did."""
    players = game["players"]
    others = [turn["player"] for turn in game["turns"] if turn["taken"] != turn["convention"]]
    turns = [len(range(player, game["length"], players)) for player in range(players)]
    return [1 - others.count(player) / turns[player] for player in range(players)]


def fits(game: dict[str, Any]) -> bool:
    """Return whether a review would judge this game."""
    lucks = [hidden(turn) for turn in game["turns"]]
    root = sqrt(sum(luck * luck for luck in lucks))
    middle = sorted(agreements(game))[(game["players"] - 1) // 2]
    return middle >= LEAST_AGREEMENT and abs(sum(lucks)) <= MOST_HIDDEN * root


def judged_seats(game: dict[str, Any]) -> list[int]:
    """Return the players whom a review would judge."""
    shares = enumerate(agreements(game))
    return [player for player, share in shares if fits(game) and share >= LEAST_OWN_AGREEMENT]


def judged_turns(game: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the turns that a review would judge."""
    seats = judged_seats(game)
    return [turn for turn in game["turns"] if turn["player"] in seats]


def is_called(turn: dict[str, Any], not_excused: int) -> bool:
    """Return whether a review would call an action a mistake or a blunder."""
    cost, seen = -turn["play"], turn["spectator_convention"] - turn["spectator"]
    excused = turn["sure"] or set(turn["usual"]) - {not_excused}
    size = SIZES["mistake"]
    lost = cost >= size and cost >= SIGNIFICANCE * turn["play_error"]
    agreed = seen >= size / 2 and seen >= SEEN_SIGNIFICANCE * turn["change_error"]
    return bool(turn["taken"] != turn["convention"] and not excused and lost and agreed)


if __name__ == "__main__":
    main()
