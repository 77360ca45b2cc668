"""SAT verdicts against brute force, on tiny games of all kinds, and on some whole decks."""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace

import pytest

from hanabilab.errors import ActionError, MissingExtraError
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.game.state import PERFECT
from hanabilab.solver import sat
from hanabilab.solver.cnf import LongFormulaError
from hanabilab.solver.position import Position
from hanabilab.solver.sat import decide_score, line_of, satisfy
from hanabilab.solver.sat_encoding import Encoding
from tests.solver.brute import best_score
from tests.solver.tiny import one_suit, random_position, setup_of, table_of, walk

pytest.importorskip("pysat")


def maximum(position: Position) -> int:
    return position.state.rules.ranks * position.state.rules.suits


def check_goal(position: Position, goal: int, best: int) -> None:
    decision = decide_score(position, goal)
    assert decision.reachable == (best >= goal)
    if decision.reachable:
        assert position.after(decision.actions).score >= goal


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_sat_agrees_with_brute_force(first: int) -> None:
    """Random rules, random decks, from the start or from the middle; several goals."""
    for seed in range(first, first + 50):
        check_random_position(seed)


def check_random_position(seed: int) -> None:
    chance = random.Random(seed)
    position = random_position(chance, most_cards=8)
    position = walk(position, chance, chance.choice([0, 0, 1, 2, 4, 8]))
    best = best_score(setup_of(position), table_of(position))
    for goal in {maximum(position), best, min(best + 1, maximum(position))}:
        check_goal(position, goal, best)


@pytest.mark.parametrize("first", range(2000, 2060, 10))
def test_naming_every_card_changes_no_verdict(first: int) -> None:
    for seed in range(first, first + 10):
        check_exact_encoding(seed)


def check_exact_encoding(seed: int) -> None:
    chance = random.Random(seed)
    position = walk(random_position(chance, most_cards=8), chance, chance.choice([0, 2]))
    if position.is_over:
        return
    best = best_score(setup_of(position), table_of(position))
    for goal in {max(best, 1), min(best + 1, maximum(position))}:
        encoding = Encoding(position, goal, exact=True)
        model = satisfy(encoding, None)
        assert isinstance(model, set) == (best >= goal)
        if isinstance(model, set):
            assert line_of(encoding, model) is not None


def test_hands_that_are_added_later_decide_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for many players: first a formula in which nobody needs a card to discard."""
    monkeypatch.setattr(sat, "MANY_PLAYERS", 1)
    chance = random.Random(7)
    for _ in range(25):
        position = random_position(chance)
        best = best_score(setup_of(position), table_of(position))
        for goal in {max(best, 1), min(best + 1, maximum(position))}:
            check_goal(position, goal, best)


@pytest.mark.parametrize(
    ("ranks", "hand_size", "tokens", "lives", "winnable"),
    [
        ("1 2 3 1 1", 2, 1, 1, True),
        ("2 3 1 1 2 1", 1, 2, 1, False),
        ("3 1 1 1 3 2 4", 1, 1, 1, True),
        ("4 2 3 4 1 3 4 5 1", 1, 1, 3, True),
        ("4 2 3 4 1 3 4 5 1", 1, 1, 1, False),
        ("1 2 4 3", 1, 1, 1, False),
    ],
)
def test_games_that_refute_plausible_rules(
    ranks: str, hand_size: int, tokens: int, lives: int, winnable: bool
) -> None:
    position = one_suit(ranks, hand_size=hand_size, tokens=tokens, lives=lives)
    decision = decide_score(position)
    assert decision.reachable is winnable
    if winnable:
        assert position.after(decision.actions).state.end == PERFECT


def test_fewer_tokens_can_help() -> None:
    position = one_suit("2 3 1 1 2 1", hand_size=1, tokens=2, lives=1)
    position.state.hint_tokens = 1
    assert decide_score(position).reachable


@pytest.mark.parametrize("seed", range(30))
def test_very_many_tokens_are_as_good_as_unlimited_ones(seed: int) -> None:
    chance = random.Random(seed)
    while (position := random_position(chance)).state.rules.players == 1:
        pass
    unlimited = replace(setup_of(position), hint_tokens=None)
    position.state.rules.unlimited_hints = 0
    position.state.rules.max_hint_tokens = position.state.hint_tokens = 500
    assert Encoding(position, 1).burn == (position.state.draw_pile > 0)
    if position.state.draw_pile > 0:
        table = table_of(position)._replace(tokens=-1)
        check_goal(position, maximum(position), best_score(unlimited, table))


@pytest.mark.parametrize("most", [70, 300])
@pytest.mark.parametrize("seed", range(12))
def test_tokens_that_nobody_can_spend_change_nothing(seed: int, most: int) -> None:
    """All tokens there or most of them spent, with a draw pile or without."""
    chance = random.Random(seed)
    position = walk(random_position(chance, most_cards=6), chance, chance.choice([0, 3, 6, 6]))
    state = position.state
    state.rules.unlimited_hints = 0
    state.hint_tokens, state.rules.max_hint_tokens = 70, most
    best = best_score(setup_of(position), table_of(position))
    for goal in {maximum(position), best, min(best + 1, maximum(position))}:
        check_goal(position, goal, best)


def test_a_million_tokens_take_no_longer_formula() -> None:
    rules = preset("open", 2, deck_ends=False, hint_tokens=1_000_000, lives=1)
    for drawn, spent in [(0, 0), (0, 500_000), (40, 0), (40, 500_000)]:
        position = Position.start(Deck.shuffled(rules, seed=1))
        position.state.draw_pile -= drawn
        position.state.hint_tokens -= spent
        assert Encoding(position, 25).length < 100


def test_a_formula_that_takes_too_long_decides_nothing() -> None:
    position = Position.start(Deck.shuffled(preset("classic", 2), seed=1))
    with pytest.raises(LongFormulaError):
        Encoding(position, 25, deadline=time.monotonic())
    assert decide_score(position, time_limit=1e-9).reachable is None


@pytest.mark.parametrize(
    ("players", "game", "winnable"),
    [
        (2, 293, True),  # a beam search may miss these
        (5, 931, True),
        (2, 1732, False),  # storage
        (2, 2342, False),
        (5, 207, False),  # endgame
    ],
)
def test_whole_decks(players: int, game: int, winnable: bool) -> None:
    position = Position.start(Deck.shuffled(players=players, seed=77, game=game))
    decision = decide_score(position)
    assert decision.reachable is winnable
    if winnable:
        assert position.after(decision.actions).state.end == PERFECT
    elif players == 2:
        lower = decide_score(position, 24)
        assert lower.reachable
        assert position.after(lower.actions).score >= 24


def test_a_lost_tight_game_takes_few_conflicts() -> None:
    """Without the counts of turns that play nothing it takes over 20,000."""
    rules = preset("Black & Gray (6 Suits)", 6)
    position = Position.start(Deck.shuffled(rules, seed=2, game=223))
    encoding = Encoding(position, rules.max_score, hands=False)
    solvers = pytest.importorskip("pysat.solvers")
    with solvers.Solver(name=sat.SOLVER, bootstrap_with=encoding.formula.clauses) as solver:
        solver.conf_budget(5_000)
        assert solver.solve_limited() is False


def test_no_time_is_no_verdict() -> None:
    position = Position.start(Deck.shuffled(players=2, seed=1))
    assert decide_score(position, time_limit=0).reachable is None


def test_a_finished_game_is_what_it_is() -> None:
    position = one_suit("1 2 3", hand_size=1, tokens=1, lives=1)
    over = position.after([1, 1, 1])
    assert over.is_over
    assert decide_score(over).reachable
    lost = position.after([1, 2, 0])
    assert lost.is_over
    assert decide_score(lost).reachable is False
    with pytest.raises(ActionError, match="turn 4"):
        over.after([0])


def test_without_python_sat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    position = one_suit("1 2 3", hand_size=1, tokens=1, lives=1)
    with pytest.raises(MissingExtraError, match=r"pip install 'hanabilab\[sat\]'"):
        decide_score(position)
