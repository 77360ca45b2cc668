"""What an agent is handed holds nothing that its player does not see."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hanabilab import Deck, preset
from hanabilab.envs import hle
from hanabilab.envs.hle.deal import Dealer
from hanabilab.envs.hle.moves import HanabiHistoryItem, HanabiMoveType
from hanabilab.game.state import View

SEED = 1_234_567_891
SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
"""What leads from every object to the whole program."""

HANDOVERS: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda observation: observation,
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
    "pickled": lambda observation: pickle.loads(pickle.dumps(observation)),
}


def reachable(start: object) -> Iterator[object]:
    """Everything that can be reached from an object, by whatever attribute or container."""
    seen: set[int] = set()
    ahead = [start]
    while ahead:
        thing = ahead.pop()
        if id(thing) not in seen and not isinstance(thing, SHARED):
            seen.add(id(thing))
            yield thing
            ahead += gc.get_referents(thing)


def is_seed(thing: object) -> bool:
    return isinstance(thing, int) and thing == SEED


def observed(environment: hle.HanabiEnv, turns: int) -> Iterator[tuple[int, Any]]:
    """What every player is handed in a game of random moves."""
    rng = random.Random(1)
    observations, over = environment.reset(), False
    for _ in range(turns):
        yield from enumerate(observations["player_observations"])
        if over:
            break
        moves = observations["player_observations"][observations["current_player"]]
        observations, _, over, _ = environment.step(rng.choice(moves["legal_moves_as_int"]))


@pytest.mark.parametrize("handover", HANDOVERS)
@pytest.mark.parametrize("kind", [0, 1])
def test_an_observation_leads_to_nothing_hidden(handover: str, kind: int) -> None:
    """Neither the game nor its dealer and seed, nor a card that the player holds unseen."""
    config = {"players": 3, "seed": SEED, "observation_type": kind}
    for player, observation in observed(hle.HanabiEnv(config), 12):
        for thing in reachable(HANDOVERS[handover](observation)):
            assert not isinstance(
                thing, hle.HanabiEnv | hle.pyhanabi.HanabiGame | hle.pyhanabi.HanabiState | Dealer
            )
            assert not is_seed(thing)
            if isinstance(thing, View):
                assert thing.observer == player
            if isinstance(thing, HanabiHistoryItem) and thing.deal_to_player() == 0:
                assert thing.move() == hle.pyhanabi.HanabiMove(HanabiMoveType.DEAL)


def test_the_walk_finds_what_is_hidden_somewhere() -> None:
    environment = hle.HanabiEnv({"seed": SEED})
    environment.reset()
    assert any(map(is_seed, reachable(environment)))


@pytest.mark.parametrize("shuffles", range(5))
def test_unseen_cards_leave_no_trace(shuffles: int) -> None:
    """Two games that look the same to a player are handed over as the same bytes."""
    rules = preset("hle", 2)
    cards = list(Deck.shuffled(rules, seed=3))
    first_draw = 2 * rules.hand_size
    unseen = [*range(1, rules.hand_size), *range(first_draw + 1, len(cards))]
    values = [cards[place] for place in unseen]
    random.Random(shuffles).shuffle(values)
    others = cards[:]
    for place, card in zip(unseen, values, strict=True):
        others[place] = card
    assert others != cards
    for kind in (0, 1):
        handed = [hand_over(deck, kind, seed) for seed, deck in enumerate((cards, others))]
        assert handed[0] == handed[1]


def hand_over(deck: list[int], kind: int, seed: int) -> bytes:
    """What player 0 is handed after a hint, the partner's discard and a play of slot 0."""
    environment = hle.HanabiEnv({"players": 2, "observation_type": kind, "seed": seed})
    environment.reset(deck)
    hint = environment.state.legal_moves()[-1]
    for move in (hint.to_dict(), 0, environment.game.hand_size()):
        environment.step(move)
    return pickle.dumps(environment.state.observation(0))
