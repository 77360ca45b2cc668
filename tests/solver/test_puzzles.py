"""Puzzles: one move wins, all others lose, and seeds of decks that leave no choice."""

from __future__ import annotations

import itertools
import json
import random

import pytest

from hanabilab import Deck, Game, preset
from hanabilab.errors import HanabiError
from hanabilab.lab.puzzles import evaluate_moves, find_puzzles, find_seeds
from hanabilab.lab.solve import solve
from hanabilab.solver.position import Position
from tests.solver.brute import best_score
from tests.solver.tiny import random_position, setup_of, table_of
from tests.test_malformed import Command


def test_verdicts_against_brute_force() -> None:
    chance = random.Random(1)
    seen = set()
    for _ in range(25):
        position = random_position(chance, most_cards=8)
        top = position.state.rules.ranks * position.state.rules.suits
        for move in [] if position.is_over else evaluate_moves(position):
            assert move is not None
            after = position.after([move.action])
            assert move.keeps == (best_score(setup_of(after), table_of(after)) == top)
            seen.add(move.keeps)
    assert seen == {True, False}


def test_only_one_kind_of_action_wins() -> None:
    rules = preset("classic", 2)
    for puzzle in itertools.islice(find_puzzles(rules, draws=6), 2):
        state, deck = puzzle.game.state, list(puzzle.game.deck)
        assert state.draw_pile <= 6
        assert puzzle.losing >= 4
        assert puzzle.game.deck == Deck.shuffled(rules, game=puzzle.number)
        hand = Position(state, deck).hands[state.player]
        winning = set()
        for action in puzzle.game.legal_actions():
            number = action.number(state)
            assert number is not None
            if solve(Position(state, deck).after([number])).winnable:
                hint = action.type.startswith("hint")
                winning.add(("hint", 0) if hint else (action.type, hand[action.slot]))
        assert len(winning) == 1


def test_the_command(command: Command) -> None:
    arguments = ("puzzle", "--players", "3", "--count", "2")
    code, out, _ = command(*arguments, "--json")
    assert code == 0
    first, second = map(json.loads, out.splitlines())
    assert first["number"] < second["number"]
    for told in (first, second):
        assert sum(move["keeps"] for move in told["moves"]) == 1
        assert told["losing"] == len(told["moves"]) - 1
        game = Game.from_json(json.dumps(told["game"]))
        assert told["link"] == f"{game.link()}#{told['turn']}"
    start = ("--first", str(first["number"]))  # it is a long way to here
    links = command(*arguments, *start, "--link")[1].splitlines()
    assert links == [first["link"], second["link"]]
    arguments = ("puzzle", "--players", "3", "--first", str(second["number"]))
    text = command(*arguments, "--answer")[1]
    assert f"answer: {second['answer']['words']}\n" in text
    assert "answer" not in command(*arguments)[1]
    assert json.loads(command(*arguments, "--json")[1]) == second


def test_seeds_of_lost_decks(command: Command) -> None:
    out = command("puzzle", "--players", "2", "--decks", "lost", "--count", "2")[1]
    numbers = [int(line.split()[0].removeprefix("p2v0s")) for line in out.splitlines()]
    lost = [n for n in range(1, numbers[-1] + 1) if not solve(f"p2v0s{n}").winnable]
    assert lost == numbers


def test_seeds_with_a_single_first_move() -> None:
    found = next(find_seeds(preset("Critical Fours (6 Suits)", 6), "single", first=28))
    assert (found.seed, found.words) == ("p6v1821s28", "give a hint")
    with pytest.raises(HanabiError, match="its own variants"):
        next(find_seeds(preset("classic", 2, lives=1), "lost"))
