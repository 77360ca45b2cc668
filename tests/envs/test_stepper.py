"""The compiled turn with everyone's observations against the same kernel interpreted."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

from hanabilab import Deck, Game, Rules, preset
from hanabilab.core.record import dtype, unpack
from hanabilab.envs.hle.deal import Dealer
from hanabilab.envs.stepper import (
    ACT,
    ACT_WITHOUT_DRAW,
    DEAL_CARD,
    DEAL_GAME,
    DEAL_HANDS,
    GAME_FIELDS,
    HINTS,
    MINIMAL,
    SEER,
    GameStepper,
    PlayerView,
    SteppedGame,
    advance,
)
from hanabilab.game.actions import count_actions
from hanabilab.game.encoding import Encoder
from hanabilab.game.state import GOING_ON, initial_state

END, TO_DEAL = GAME_FIELDS["state.end"], GAME_FIELDS["to_deal"]


class Twins:
    """A compiled game, and the same in plain Python."""

    def __init__(self, rules: Rules, encoder: Encoder, shown: int) -> None:
        self.compiled = GameStepper(rules, encoder, shown=shown)
        self.game = SteppedGame()
        unpack(self.game, self.compiled.games[0])
        self.deck = self.compiled.deck()
        self.views = [PlayerView() for _ in range(rules.players)]
        self.rows = [bytearray(len(self.compiled.row(0))) for _ in range(rules.players)]
        self.moves = [0] * count_actions(initial_state(rules))
        self.words = Dealer(3).words()
        self.stream = self.words.tolist()

    def run(self, task: int, number: int = -1) -> None:
        self.compiled.run(task, number, self.words)
        rest = self.deck, self.stream, self.views, self.rows, self.moves
        count = advance([self.game], task, number, *rest)
        self.compare(count)

    def compare(self, count: int) -> None:
        copied, view = SteppedGame(), PlayerView()
        unpack(copied, self.compiled.games[0])
        assert copied == self.game
        assert self.compiled.deck() == self.deck
        assert self.compiled.legal == self.moves[:count]
        assert self.words[0] == self.stream[0]
        for player, row in enumerate(self.rows):
            assert self.compiled.row(player) == row
            unpack(view, np.frombuffer(self.compiled.view_bytes(player), dtype(PlayerView))[0])
            assert view == self.views[player]


TINY = Rules(players=3, hand_size=2, suits=2, ranks=3, copies=((2, 1, 1),), hint_tokens=3, lives=2)


@pytest.mark.parametrize(
    ("rules", "shown"),
    [(preset("hle", 2), HINTS), (TINY, MINIMAL), (TINY, SEER), (preset("hle", 5), SEER)],
)
def test_interpreted_equals_compiled(rules: Rules, shown: int) -> None:
    rng = random.Random(1)
    twins = Twins(rules, Encoder(rules, "minimal" if shown == MINIMAL else "canonical"), shown)
    twins.run(DEAL_CARD)
    twins.run(DEAL_HANDS)
    words = twins.compiled.words
    for turn in range(15):
        if words[END] != GOING_ON:
            break
        twins.run(ACT_WITHOUT_DRAW if turn % 3 == 0 else ACT, rng.choice(twins.compiled.legal))
        if words[TO_DEAL] >= 0:
            twins.run(DEAL_CARD)


def test_a_game_of_a_seed() -> None:
    rules = preset("hle", 3)
    twins = Twins(rules, Encoder(rules), HINTS)
    twins.compiled.words[GAME_FIELDS["seed"]] = twins.game.seed = 9
    twins.compiled.words[GAME_FIELDS["by_chance"]] = twins.game.by_chance = 0
    twins.run(DEAL_GAME, 4)
    assert twins.deck == list(Deck.shuffled(rules, seed=9, game=4))
    assert twins.game.state == Game(rules, seed=9, game=4).state


@pytest.mark.parametrize(
    "twin_of",
    [GameStepper.copy, copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))],
)
def test_copies_go_their_own_way(twin_of: Any) -> None:
    rules = preset("hle", 2)
    table = GameStepper(rules, Encoder(rules))
    table.deal_game(1, 0)
    table.run(ACT, 5)
    twin, before = twin_of(table), table.row(0)
    assert (twin.row(0), twin.view_bytes(1), twin.legal) == (
        before,
        table.view_bytes(1),
        table.legal,
    )
    twin.run(ACT, 5)
    assert table.row(0) == before
    table.run(ACT, 5)
    assert twin.row(0) == table.row(0) != before
    assert np.array_equal(twin.vector(1), table.vector(1))
