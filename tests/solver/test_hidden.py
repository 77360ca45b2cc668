"""Exact play with a hidden draw pile against brute force, and against the open game."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from hanabilab.core.record import unpack
from hanabilab.errors import HanabiError
from hanabilab.game.actions import legal_actions
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.game.state import hands_of, view_of
from hanabilab.lab.solve import solve
from hanabilab.solver.hidden import HiddenSearch, Mode, solve_hidden
from hanabilab.solver.kernels.hidden import MAX_MOVES, HiddenNode
from hanabilab.solver.kernels.hidden_search import (
    BEST,
    DONE,
    FRAME_WORDS,
    KEY_WORDS,
    HiddenWorkspace,
    advance,
    start_search,
)
from hanabilab.solver.position import Position
from hanabilab.solver.solve import solve_position
from hanabilab.table.game import Game
from tests.conftest import Answer
from tests.solver.brute import successors
from tests.solver.hidden_brute import EngineBrute, HiddenBrute, TooLargeError
from tests.solver.tiny import random_deck, setup_of, special_deck, table_of, walk

MODES: tuple[Mode, ...] = ("win", "score")
USUAL_SEEDS = 40
SEEDS = int(os.environ.get("HANABILAB_HIDDEN", USUAL_SEEDS))
"""Random positions; `make hidden` tries many, and larger ones."""
LONG = SEEDS > USUAL_SEEDS
POSITIONS_WITHIN_REACH = 40_000 if LONG else 3_000
TELLING = (408, 800)
"""Seeds of positions where a misplay is needed, or several copies of a card come late."""
TELLING_SPECIAL = (104, 152, 241, 777)
"""Where a lost card, or the lack of points, ends the game; or the last card can be played."""
SHAPES = ((2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 2), (2, 3), (3, 3), (4, 2), (5, 2))


def random_hidden(seed: int) -> Position | None:
    """A position of a random game under random rules; None if the game is over."""
    chance = random.Random(seed)
    cards = chance.randint(6, 14 if LONG and seed not in TELLING else 10)
    shapes = [(ranks, suits) for ranks, suits in SHAPES if ranks * suits <= cards]
    players = chance.choice([2, 3, 3, 4])
    deck = random_deck(chance, most_cards=cards, most_players=players, shapes=shapes)
    if chance.random() < 0.3:
        first = chance.randrange(deck.rules.players)
        rules = deck.rules.replace(discards_per_token=chance.choice([2, 3]), first_player=first)
        deck = Deck.of(rules, deck.cards)
    position = walk(Position.start(deck), chance, chance.randrange(7))
    return None if position.is_over else position


def brute_values(position: Position, mode: Mode) -> dict[int, Fraction]:
    """The value of each legal action by brute force."""
    setup, table = setup_of(position), table_of(position)
    brute = HiddenBrute(setup, win=mode == "win", limit=POSITIONS_WITHIN_REACH)
    values = brute.values(table, tuple(sorted(position.draw_pile)))
    tables = [after._replace(passes=0) for after in successors(setup, table)]
    return {
        action: values[tables.index(table_of(position.after([action])))]
        for action in legal_actions(position.state)
    }


def test_values_are_those_of_brute_force() -> None:
    """Every action, both modes, random rules: no end, no lives, no tokens, one player and more."""
    compared = 0
    for seed in (*TELLING, *range(SEEDS)):
        position = random_hidden(seed)
        for mode in MODES if position else ():
            assert position is not None
            try:
                expected = brute_values(position, mode)
            except TooLargeError:
                assert seed not in (*TELLING, *TELLING_SPECIAL)
                continue
            assert solve_hidden(position.state, mode=mode).values == expected, (seed, mode)
            compared += position.state.draw_pile > 1
    assert compared > SEEDS // 3


def random_special(seed: int) -> Position | None:
    """A position of a random game under rules that `tests.solver.brute` does not know."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        deck = special_deck(chance, chance.choice(["null", "omni", "rainbow"]))
    else:
        shapes = ((2, 1), (3, 1), (4, 1), (2, 2))
        deck = random_deck(chance, most_cards=chance.randint(5, 9), shapes=shapes)
    changes: dict[str, Any] = {
        name: True
        for name in ("score_ends", "speedrun", "all_or_nothing", "deck_plays")
        if chance.random() < 0.4
    }
    if deck.rules.hint_tokens is None:
        changes["hint_tokens"] = chance.choice([1, 2])
    if chance.random() < 0.3:
        changes["discards_per_token"] = 2
    if seed % 4 == 1 and not changes.get("deck_plays"):
        changes["reversed_suits" if seed % 8 == 1 else "inverted_suits"] = deck.rules.letters[0]
    deck = Deck.of(deck.rules.replace(**changes), deck.cards)
    position = walk(Position.start(deck), chance, chance.randrange(5))
    return None if position.is_over else position


def test_values_of_special_rules_are_those_of_the_engine() -> None:
    """Cards that no hint touches, speedruns, plays from the pile, only the maximum counts."""
    compared = 0
    for seed in (*TELLING_SPECIAL, *range(2 * SEEDS)):
        position = random_special(seed)
        for mode in MODES if position else ():
            assert position is not None
            limit = 2_000 if seed in TELLING_SPECIAL else POSITIONS_WITHIN_REACH // 30
            brute = EngineBrute(win=mode == "win", limit=limit)
            try:
                expected = brute.values(position.state, tuple(sorted(position.draw_pile)))
            except TooLargeError:
                assert seed not in (*TELLING, *TELLING_SPECIAL)
                continue
            assert solve_hidden(position.state, mode=mode).values == expected, (seed, mode)
            compared += position.state.draw_pile > 1
    assert compared > SEEDS // 4


def interpreted(search: HiddenSearch) -> HiddenWorkspace:
    """The same workspace for kernels that run as plain Python."""
    depth, words = len(search.work.path), len(search.work.table[0])
    root = HiddenNode()
    unpack(root, search.work.path[0])
    return HiddenWorkspace(
        problem=search.problem,
        path=[root, *(HiddenNode() for _ in range(depth))],
        after=[HiddenNode() for _ in range(depth)],
        frames=[[0] * FRAME_WORDS for _ in range(depth)],
        moves=[[0] * MAX_MOVES for _ in range(depth)],
        keys=[[0] * KEY_WORDS for _ in range(depth)],
        table=[[0] * words for _ in range(1 << 14)],
        cursor=[0, 0, 0],
        factorials=[int(each) for each in search.work.factorials],
        scratch=[[0] * 12, [0] * 12],
    )


def test_interpreted_equals_compiled() -> None:
    compared = 0
    for seed in range(20):
        position = random_special(seed) if seed % 2 else random_hidden(seed)
        if position is None or position.state.draw_pile > 2:
            continue
        search = HiddenSearch(position.state, "score")
        work = interpreted(search)
        for move in {search.move_of(action) for action in legal_actions(position.state)}:
            start_search(work, move)
            assert advance(work, 20_000) == DONE
            points = work.frames[0][BEST] * (search.problem.goal if search.problem.win else 1)
            assert Fraction(points, search.orders) == search.value_of(move)
            compared += 1
    assert compared > 15


def late_game(players: int, number: int, pile: int) -> Game:
    """A classic game up to a pile of so many cards, by players who see their hands and dawdle."""
    chance = random.Random(number)
    game = Game(preset("classic", players), seed=33, game=number)
    while game.state.draw_pile > pile and not game.is_over:
        state = game.state
        hand = hands_of(state)[state.player]
        fits = [n for n, card in enumerate(hand) if state.playable >> card & 1]
        dead = [n for n, card in enumerate(hand) if state.dead >> card & 1]
        spare = [n for n, card in enumerate(hand) if not state.critical >> card & 1]
        if fits and chance.random() < 0.6:
            game.act(state.rules.hand_size + fits[0])
        elif state.hint_tokens < state.rules.max_hint_tokens and spare:
            game.act(chance.choice(dead or spare))
        else:
            game.act(legal_actions(state)[-1])
    return game


def winnable_share(game: Game) -> Fraction:
    """The share of the orders of the draw pile with which the open game can be won."""
    deck, pile = list(game.deck), game.state.draw_pile
    orders = set(permutations(deck[-pile:]))
    won = 0
    for order in orders:
        position = Position(game.state, [*deck[:-pile], *order])
        won += solve_position(position, time_limit=60, best=False).winnable is True
    return Fraction(won, len(orders))


def test_values_are_bounded_by_the_open_game() -> None:
    """A chance of 1 means that every order can be won, 0 that none can."""
    values = []
    for number in range(SEEDS // 3):
        game = late_game(2 + number % 4, number, 3)
        value = solve_hidden(game.state).value
        assert value is not None
        share = winnable_share(game)
        assert value <= share
        assert value == share or 0 < value < 1
        values.append(value)
    assert {0, 1} < set(values)


def test_a_limit_leaves_actions_undecided() -> None:
    """Never a value from a search that was cut off."""
    state = late_game(3, 1, 6).state
    full = solve_hidden(state, mode="score")
    cut = solve_hidden(state, mode="score", node_limit=full.nodes // 2)
    assert full.is_complete
    assert not cut.is_complete
    assert cut.value is None
    assert cut.best_actions == []
    assert all(value in (None, full.values[action]) for action, value in cut.values.items())
    assert solve_hidden(state, time_limit=0).values == dict.fromkeys(full.values)


def test_a_small_table_changes_no_value() -> None:
    state = late_game(3, 1, 6).state
    small = solve_hidden(state, mode="score", memory_limit=0)
    full = solve_hidden(state, mode="score")
    assert small.values == full.values
    assert small.nodes > full.nodes


def test_what_cannot_be_solved_is_named() -> None:
    position = Position.start(Deck.shuffled(preset("classic", 3), seed=1))
    with pytest.raises(HanabiError, match=r"35 cards in the draw pile: .* at most 20"):
        solve_hidden(position.state)
    late = late_game(3, 1, 4).state
    with pytest.raises(HanabiError, match="all hands must be known"):
        solve_hidden(view_of(late, 1))
    rules = preset("classic", 2, deck_plays=True, inverted_suits="r", hand_size=9)
    with pytest.raises(HanabiError, match="deck_plays with inverted_suits"):
        solve_hidden(Position.start(Deck.shuffled(rules)).state)
    with pytest.raises(HanabiError, match="mode"):
        solve_hidden(late, mode="luck")  # type: ignore[arg-type]


def test_solve_gives_fractions(command: Callable[..., Answer], tmp_path: Path) -> None:
    """On the command line as in Python: the value of each action, best first in the table."""
    game = late_game(3, 2, 4)
    answer = solve(game, hidden=True)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(game.to_dict()))
    code, out, _ = command("solve", "--game-file", str(file), "--hidden", "--json")
    data = json.loads(out)
    assert code == 0
    assert data.keys() == {"win", "score", "draw_pile", "actions", "nodes", "seconds"}
    assert len(data["draw_pile"]) == 4
    exact = solve_hidden(game.state)
    assert Fraction(data["win"]) == exact.value == max(map(Fraction, wins(data)))
    assert [Fraction(win) for win in wins(data)] == list(exact.values.values())
    chances = [row["win"] for row in answer.rows()]
    assert chances == sorted(chances, reverse=True)
    code, out, _ = command("solve", "--game-file", str(file), "--hidden")
    assert code == 0
    assert out.rstrip() == answer.to_text()
    assert str(answer) == out.splitlines()[0]


def wins(data: dict[str, Any]) -> list[str]:
    return [action["win"] for action in data["actions"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--players", "3"), "35 cards in the draw pile"),
        (("--players", "3", "--best"), "expected score"),
    ],
)
def test_the_command_names_what_it_cannot_solve(
    command: Callable[..., Answer], options: tuple[str, ...], message: str
) -> None:
    code, _, error = command("solve", "--hidden", *options)
    assert code == 2
    assert message in error
    assert len(error.splitlines()) == 1
