"""Dictionaries that fill themselves show the moment they were made, and behave like any other."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab.envs import hle, pyhanabi
from hanabilab.envs.hle.lazy import UNREAD

KEYS = [
    "current_player",
    "current_player_offset",
    "life_tokens",
    "information_tokens",
    "num_players",
    "deck_size",
    "fireworks",
    "legal_moves",
    "legal_moves_as_int",
    "observed_hands",
    "discard_pile",
    "card_knowledge",
    "vectorized",
    "pyhanabi",
]
"""What HLE's observations hold, in its order."""


def eager(env: hle.HanabiEnv, player: int) -> dict[str, Any]:
    """What HLE's `rl_env` makes at every step, with its calls; texts in place of `pyhanabi`."""
    seen = env.state.observation(player)
    return {
        "current_player": env.state.cur_player(),
        "current_player_offset": seen.cur_player_offset(),
        "life_tokens": env.state.life_tokens(),
        "information_tokens": env.state.information_tokens(),
        "num_players": env.state.num_players(),
        "deck_size": env.state.deck_size(),
        "fireworks": {
            pyhanabi.color_idx_to_char(suit): rank
            for suit, rank in enumerate(env.state.fireworks())
        },
        "legal_moves": [move.to_dict() for move in seen.legal_moves()],
        "legal_moves_as_int": [env.game.get_move_uid(move) for move in seen.legal_moves()],
        "observed_hands": [[card.to_dict() for card in hand] for hand in seen.observed_hands()],
        "discard_pile": [card.to_dict() for card in env.state.discard_pile()],
        "card_knowledge": [[hint.to_dict() for hint in hand] for hand in seen.card_knowledge()],
        "vectorized": env.observation_encoder.encoder.encode(
            seen.view, player, last=seen.last
        ).tolist(),
        "pyhanabi": texts(seen),
    }


def texts(seen: pyhanabi.HanabiObservation) -> list[str]:
    return [str(seen), *map(str, seen.last_moves()), *map(str, seen.legal_moves())]


def played(env: hle.HanabiEnv, coins: random.Random) -> Iterator[dict[str, Any]]:
    """Everyone's observations in a game of random moves, mostly hints and discards."""
    observations, over = env.reset(), False
    while True:
        yield observations
        if over:
            return
        moves = env.state.legal_moves()
        careful = [move for move in moves if move.type() is not pyhanabi.HanabiMoveType.PLAY]
        move = coins.choice(careful or moves)
        observations, _, over, _ = env.step(move.to_dict())


@settings(max_examples=12)
@given(st.integers(2, 5), st.sampled_from([0, 1, 2]), st.integers(0, 1000), st.booleans())
def test_an_observation_shows_the_moment_of_its_making(
    players: int, kind: int, seed: int, at_once: bool
) -> None:
    """Whatever is read first, now or when the game is long over."""
    coins = random.Random(seed)
    config = {"players": players, "seed": seed, "observation_type": kind, "ranks": 3}
    env = hle.HanabiEnv({**config, "random_start_player": True})
    kept = []
    for observations in played(env, coins):
        for player, seen in enumerate(observations["player_observations"]):
            kept.append((eager(env, player), seen))
            if at_once:
                seen[coins.choice(KEYS)]
    coins.shuffle(kept)
    for expected, seen in kept:
        for key in coins.sample(KEYS, len(KEYS)):
            value = seen[key]
            assert (texts(value) if key == "pyhanabi" else value) == expected[key], key
        assert list(seen) == KEYS


def unread(player: int = 0) -> dict[str, Any]:
    """An observation after three turns, of which nothing was read but that it can be compared."""
    env = hle.HanabiEnv({"players": 3, "seed": 4})
    env.reset()
    for _ in range(3):
        observations = env.step(env.state.legal_moves()[-1].to_dict())[0]
    seen: dict[str, Any] = observations["player_observations"][player]
    seen["pyhanabi"] = None
    return seen


def matched(seen: dict[str, Any]) -> Any:
    match seen:
        case {"deck_size": size, "fireworks": {"R": red}, **rest}:
            return size, red, rest


def called(**entries: Any) -> dict[str, Any]:
    return entries


def taken(take: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """What a call returns, and what it leaves."""
    return lambda seen: (take(seen), dict(seen.items()))


OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "len": len,
    "keys": lambda seen: list(seen.keys()),
    "iter": list,
    "reversed": lambda seen: list(reversed(seen)),
    "in": lambda seen: ("vectorized" in seen, "vector" in seen),
    "items": lambda seen: list(seen.items()),
    "values": lambda seen: list(seen.values()),
    "get": lambda seen: (seen.get("fireworks"), seen.get("nothing"), seen.get("nothing", 7)),
    "dict": dict,
    "stars": lambda seen: {**seen},
    "call": lambda seen: called(**seen),
    "match": matched,
    "or": lambda seen: seen | {"more": 1},
    "or from the right": lambda seen: {"more": 1} | seen,
    "or in place": taken(lambda seen: seen.__ior__({"deck_size": 7})["deck_size"]),
    "update": lambda seen: [plain := {}, plain.update(seen)],
    "copy": lambda seen: seen.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda seen: pickle.loads(pickle.dumps(seen)),
    "repr": repr,
    "format": "{observed_hands}".format_map,
    "json": json.dumps,
    "json, indented": lambda seen: json.dumps(seen, indent=1, sort_keys=True),
    "pop": taken(lambda seen: seen.pop("vectorized")),
    "pop with a default": taken(lambda seen: seen.pop("nothing", 7)),
    "popitem": taken(lambda seen: seen.popitem()),
    "setdefault": taken(lambda seen: (seen.setdefault("legal_moves"), seen.setdefault("more", 7))),
    "del": taken(lambda seen: seen.__delitem__("card_knowledge")),
    "clear": taken(lambda seen: seen.clear()),
    "rebuilt": lambda seen: type(seen)((key, seen[key]) for key in seen),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_behaves_like_any_dictionary(name: str) -> None:
    lazy = unread()
    plain = {key: unread()[key] for key in KEYS}
    assert UNREAD in dict.values(lazy)
    assert isinstance(lazy, dict)
    ours, theirs = OPERATIONS[name](lazy), OPERATIONS[name](plain)
    assert ours == theirs
    assert repr(UNREAD) not in repr(ours)


def test_equality() -> None:
    plain = {key: unread()[key] for key in KEYS}
    assert unread() == unread()
    assert unread() == plain
    assert plain == unread()
    assert (unread() != plain) is False
    assert unread() != unread(1)
    assert unread() != plain | {"deck_size": -1}
    assert plain | {"deck_size": -1} != unread()
    assert unread() != {}
    with pytest.raises(TypeError, match="unhashable"):
        hash(unread())
    with pytest.raises(KeyError, match="nothing"):
        unread()["nothing"]


def test_copies_are_plain() -> None:
    for name in ("copy", "copy.copy", "copy.deepcopy", "pickle", "dict", "or"):
        assert type(OPERATIONS[name](unread())) is dict


def test_what_is_read_stays_and_may_be_changed() -> None:
    seen = unread()
    assert seen["observed_hands"] is seen["observed_hands"]
    expected = copy.deepcopy(seen)
    for key in ("observed_hands", "card_knowledge"):
        seen[key][1][0]["color"] = "?"
    seen["legal_moves"][0]["action_type"] = "?"
    seen["legal_moves_as_int"].clear()
    seen["vectorized"][0] = 7
    assert seen != expected
    assert unread() == expected
