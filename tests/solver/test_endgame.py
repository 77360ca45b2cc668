"""The hint tokens that an endgame needs, against a slow search, and what they are good for."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter

import pytest

from hanabilab.core import machine_code
from hanabilab.core.kernel import kernel
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.lab.solve import solve
from hanabilab.solver.certificates import EndgameLoss
from hanabilab.solver.kernels.endgame import LAST_DRAWS, TokenLimits, need_at
from hanabilab.solver.kernels.workspace import Workspace, reset_workspace, workspace_for
from hanabilab.solver.position import Position
from hanabilab.solver.proofs import RelaxedGame, endgame_lost, verify
from tests.solver.tiny import random_position, walk

PLENTY = 1_000_000


@kernel
def find_need(workspace: Workspace, cut: int, positions: int) -> int:
    reset_workspace(workspace)
    problem, root, upcoming = workspace.problem, workspace.root, workspace.upcoming
    limits = TokenLimits(0, problem.max_hint_tokens, positions)
    return need_at(problem, root, upcoming, cut, workspace.endgame_scratch, limits)


def quick_need(position: Position, cut: int) -> int:
    """The tokens that the kernels find necessary after so many more draws."""
    state = position.state
    drawn = state.rules.deck_size - state.draw_pile
    workspace = workspace_for(state, position.deck)
    return int(machine_code.run(find_need, workspace, drawn + cut, PLENTY))


def slow_need(position: Position, cut: int) -> int:
    """The fewest tokens with which the slow search does not find the endgame lost."""
    game = RelaxedGame.of(position)
    for tokens in range(game.rules.max_hint_tokens + 1):
        rules = game.rules.copy()
        rules.max_hint_tokens = tokens
        if not endgame_lost(dataclasses.replace(game, rules=rules, tokens=tokens), cut):
            return tokens
    return game.rules.max_hint_tokens + 1


def test_tiny_games() -> None:
    needs: Counter[str] = Counter()
    for seed in range(350):
        chance = random.Random(seed)
        position = walk(random_position(chance), chance, chance.choice([0, 0, 1, 3]))
        state = position.state
        if position.is_over or not state.rules.deck_ends or state.draw_pile == 0:
            continue
        for cut in range(max(0, state.draw_pile - LAST_DRAWS), state.draw_pile):
            need = quick_need(position, cut)
            assert need == slow_need(position, cut), (seed, cut)
            needs[
                "none" if need == 0 else "some" if need <= state.rules.max_hint_tokens else "more"
            ] += 1
    assert min(needs["none"], needs["some"], needs["more"]) >= 3, needs


@pytest.mark.parametrize("game", [6648, 12516, 33893, 47851, 54520, 131958])
def test_whole_decks(game: int) -> None:
    position = Position.start(Deck.shuffled(preset("classic", 5), seed=2026, game=game))
    cuts = [position.state.draw_pile - draws for draws in range(1, 7)]
    needs = [quick_need(position, cut) for cut in cuts]
    assert needs == [slow_need(position, cut) for cut in cuts]
    assert max(needs) > 4, needs


@pytest.mark.parametrize("game", [73449, 331948, 423551])
def test_a_deck_that_is_lost_for_want_of_tokens(game: int) -> None:
    """With free passes the last turns of these decks could be shared among the players."""
    position = Position.start(Deck.shuffled(players=5, seed=2026, game=game))
    reason = solve(position).reason
    assert isinstance(reason, EndgameLoss)
    assert verify(position, reason)
    assert not verify(position, dataclasses.replace(reason, cards=reason.cards[1:]))
    assert len(reason.cards) <= reason.turns
    assert reason.hint_tokens == 8
    free = position.state.copy()
    free.rules.unlimited_hints = 1
    assert not endgame_lost(RelaxedGame.of(Position(free, position.deck)), reason.cut)


@pytest.mark.parametrize("game", [6648, 12516, 54520, 85866])
def test_a_win_for_which_late_cards_must_lie_in_the_right_hands(game: int) -> None:
    """Two suits begin in the last four draws; beams that do not look at the endgame miss these."""
    answer = solve(Deck.shuffled(players=5, seed=2026, game=game))
    assert answer.winnable
    assert answer.method.startswith("beam")
