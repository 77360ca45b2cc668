"""Play games with injected random actions, and write what a review finds in every turn.

    python -m tests.review_study conventions conventions 3 100 > matched.jsonl
    python -m tests.review_study conventions:level=2 conventions 3 100 > mismatched.jsonl

The arguments: the team (a strategy for all seats, or one for each, joined by +), the convention by
which it is judged, the number of players, the number of games, and options. Each line of the output
is a game. `tests/review_figures.py` counts what verdicts would be given.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
from typing import Any

import hanabilab as hl
from hanabilab.game.actions import legal_actions
from hanabilab.lab.review.account import proposed_actions
from hanabilab.lab.review.facts import find_facts
from hanabilab.lab.review.values import Evaluator, PlayedGame, Precision
from hanabilab.solver.position import Position, take_action
from hanabilab.strategies import find_strategy
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
    parser.add_argument("team")
    parser.add_argument("convention")
    parser.add_argument("players", type=int)
    parser.add_argument("games", type=int)
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--orders", type=int, default=256)
    parser.add_argument("--truth", type=int, default=0, help="orders for the true loss")
    parser.add_argument("--injected", type=float, default=INJECTED)
    arguments = parser.parse_args()
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
    usual = [proposed_actions(convention.with_options(level=level), played) for level in (1, 2, 3)]
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


if __name__ == "__main__":
    main()
