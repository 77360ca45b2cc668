"""HLE's interface against games that were recorded from HLE 0.0.4 itself.

`hle_games.jsonl` holds, for each configuration, two games in a row of one environment: the moves
(at random, in the first game mostly cards that fit), the rewards, how the game ended, and for the
start and every step sixteen digits: the CRC-32 of all players' vectors one after the other, and
that of all else that HLE tells (dictionaries, descriptions and last moves, as JSON).
"""

from __future__ import annotations

import json
import pickle
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabilab import Deck, Game, HanabiError, preset
from hanabilab.envs import hle, pyhanabi
from hanabilab.envs.pyhanabi import HanabiMove, IllegalMoveError
from hanabilab.errors import DeckError, RulesError

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "hle_games.jsonl").read_text().splitlines()
]


def checksum(observation: dict[str, Any]) -> str:
    vectors, words = 0, []
    for seen in observation["player_observations"]:
        vectors = zlib.crc32(bytes(seen["vectorized"]), vectors)
        rest = {
            name: value for name, value in seen.items() if name not in ("vectorized", "pyhanabi")
        }
        backend = seen["pyhanabi"]
        words.append([rest, str(backend), [str(move) for move in backend.last_moves()]])
    text = json.dumps([observation["current_player"], words], sort_keys=True)
    return f"{vectors:08x}{zlib.crc32(text.encode()):08x}"


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: str(recorded["config"]))
def test_recorded_games(recorded: dict[str, Any]) -> None:
    env = hle.HanabiEnv(recorded["config"])
    assert env.num_moves() == recorded["moves"]
    assert env.vectorized_observation_shape() == [recorded["length"]]
    for game in recorded["games"]:
        sums = game["sums"]
        observation = env.reset()
        assert checksum(observation) == sums[:16]
        for step, (move, reward) in enumerate(zip(game["moves"], game["rewards"], strict=True), 1):
            seen = observation["player_observations"][observation["current_player"]]
            words = seen["legal_moves"][seen["legal_moves_as_int"].index(move)]
            observation, got, done, info = env.step(words if step % 2 else move)
            assert (got, done, info) == (reward, step == len(game["moves"]), {})
            assert checksum(observation) == sums[16 * step : 16 * step + 16], step
        assert env.state.end_of_game_status() == game["end"]


@pytest.mark.parametrize(
    ("name", "moves", "length"),
    [
        ("Hanabi-Full", 20, 658),
        ("Hanabi-Full-CardKnowledge", 20, 658),
        ("Hanabi-Full-Minimal", 20, 308),
        ("Hanabi-Small", 11, 171),
        ("Hanabi-Very-Small", 10, 106),
    ],
)
def test_named_environments(name: str, moves: int, length: int) -> None:
    env = hle.make(name, num_players=2, pyhanabi_path="/nowhere")
    assert (env.num_moves(), env.vectorized_observation_shape()) == (moves, [length])
    assert env.game.observation_type() == (0 if name.endswith("Minimal") else 1)


class Simple(hle.Agent):
    """As agents for HLE are written: hint what fits, play what was hinted, else discard."""

    def __init__(self, config: Any) -> None:
        self.tokens = config.get("information_tokens", 8)

    def act(self, observation: dict[str, Any]) -> Any:
        if observation["current_player_offset"] != 0:
            return None
        for slot, hint in enumerate(observation["card_knowledge"][0]):
            if hint["color"] is not None or hint["rank"] is not None:
                return {"action_type": "PLAY", "card_index": slot}
        if observation["information_tokens"] > 0:
            for offset in range(1, observation["num_players"]):
                hand = observation["observed_hands"][offset]
                for card, hint in zip(hand, observation["card_knowledge"][offset], strict=True):
                    if (
                        card["rank"] == observation["fireworks"][card["color"]]
                        and hint["color"] is None
                    ):
                        return {
                            "action_type": "REVEAL_COLOR",
                            "color": card["color"],
                            "target_offset": offset,
                        }
        kind = "DISCARD" if observation["information_tokens"] < self.tokens else "PLAY"
        return {"action_type": kind, "card_index": 0}


def test_an_agent_for_hle_plays() -> None:
    env = hle.make("Hanabi-Full", 3, seed=5)
    agents = [Simple({}) for _ in range(3)]
    observation, done, total = env.reset(), False, 0
    while not done:
        answers = [
            agent.act(seen)
            for agent, seen in zip(agents, observation["player_observations"], strict=True)
        ]
        (action,) = (answer for answer in answers if answer is not None)
        observation, reward, done, _ = env.step(action)
        total += reward
    assert total == env.state.score()


def test_illegal_actions_are_exceptions_and_change_nothing() -> None:
    env = hle.make("Hanabi-Full", 2, seed=1)
    with pytest.raises(IllegalMoveError, match="call reset"):
        env.step(0)
    before = env.reset()
    bad: list[tuple[Any, str]] = [
        (0, r"\(Discard 0\) is not legal"),
        (20, "move: 20 is not between 0 and 19"),
        (-1, "move: -1 is not between 0 and 19"),
        ({"action_type": "PLAY", "card_index": 5}, r"\(Play 5\) is not legal"),
        ({"action_type": "PLAY", "card_index": "x"}, "card_index: 'x'"),
        ({"action_type": "JUMP"}, "unknown action_type 'JUMP'"),
        ({"action_type": "REVEAL_RANK", "rank": 1, "target_offset": 0}, "not legal"),
        ({"action_type": "REVEAL_RANK", "rank": 7, "target_offset": 1}, "not legal"),
    ]
    for action, message in bad:
        with pytest.raises(AssertionError, match=message) as caught:
            env.step(action)
        assert isinstance(caught.value, HanabiError)
    for action in ("play", None, True, 1.0):
        with pytest.raises(ValueError, match="neither the number of a move nor a dictionary"):
            env.step(action)
    with pytest.raises(HanabiError, match=r"unknown color 'M'; expected R, Y, G, W, B$"):
        env.step({"action_type": "REVEAL_COLOR", "color": "M", "target_offset": 1})
    assert checksum(env._make_observation_all_players()) == checksum(before)
    assert env.step(np.int64(5))[2] is False


HINT = {"action_type": "REVEAL_COLOR", "target_offset": 1}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda env: hle.color_char_to_idx("Z"), ValueError, "unknown color 'Z'"),
        (lambda env: pyhanabi.color_idx_to_char(9), IndexError, "9 is not between -1 and 4"),
        (lambda env: pyhanabi.color_idx_to_char(-2), IndexError, "-2 is not between -1 and 4"),
        (lambda env: env.step({"action_type": "PLAY"}), KeyError, "^{.*} lacks 'card_index'$"),
        (lambda env: env.step(HINT), KeyError, "lacks 'color'"),
        (lambda env: env.step({}), AssertionError, "unknown action_type None"),
        (lambda env: env.step({"action_type": "DEAL"}), ValueError, "players cannot do that"),
        (lambda env: env.step(HINT | {"color": "Z"}), ValueError, "unknown color 'Z'"),
        (lambda env: env.step(HINT | {"color": 1}), AssertionError, "color: 1 is not text"),
        (lambda env: env.step(None), ValueError, "nor a dictionary"),
        (lambda env: env.game.get_move(99).to_dict(), ValueError, "invalid move"),
        (lambda env: env.state.set_individual_card(0, 0, {"rank": 1}), KeyError, "lacks 'color'"),
        (lambda env: hle.make("Hanabi-Huge"), ValueError, "unknown environment"),
    ],
)
def test_errors_are_those_of_hle_and_ours(
    wrong: Callable[[hle.HanabiEnv], Any], error: type[Exception], message: str
) -> None:
    env = hle.make("Hanabi-Full", 2, seed=1)
    env.reset()
    with pytest.raises(error, match=message) as caught:
        wrong(env)
    assert isinstance(caught.value, HanabiError)


def test_colors_that_hle_does_not_have() -> None:
    env = hle.HanabiEnv({"rules": preset("hle", 2, suits=6)})
    seen = env.reset()["player_observations"][0]
    assert list(seen["fireworks"]) == ["R", "Y", "G", "W", "B", "M"]
    for move in seen["legal_moves"]:
        assert env.copy().step(move)[2] is False


def test_nothing_can_be_done_after_the_end() -> None:
    env = hle.make("Hanabi-Very-Small", 2, seed=3)
    observation, done = env.reset(), False
    while not done:
        observation, _, done, _ = env.step({"action_type": "PLAY", "card_index": 0})
    acting = observation["player_observations"][observation["current_player"]]
    assert acting["legal_moves_as_int"]  # as HLE reports it
    with pytest.raises(IllegalMoveError, match="the game is over"):
        env.step(acting["legal_moves_as_int"][0])


def test_bad_configurations() -> None:
    with pytest.raises(ValueError, match="unknown environment 'Hanabi-Huge'"):
        hle.make("Hanabi-Huge")
    with pytest.raises(RulesError, match="players: 'two'"):
        hle.HanabiEnv({"players": "two"})
    with pytest.raises(RulesError, match="hand_size"):
        hle.HanabiEnv({"players": 5, "colors": 1, "hand_size": 5})
    with pytest.raises(RulesError, match="observation_type: 3"):
        hle.HanabiEnv({"observation_type": 3})
    with pytest.raises(DeckError, match="seed: 2147483648"):
        hle.HanabiEnv({"seed": 1 << 31})
    with pytest.raises(RulesError, match="no pass"):
        hle.HanabiEnv({"rules": "open"})
    with pytest.raises(AssertionError, match="not a dictionary"):
        hle.HanabiEnv("Hanabi-Full")  # type: ignore[arg-type]


def test_a_given_deck() -> None:
    deck = Deck.shuffled(preset("hle", 2), seed=9)
    env = hle.HanabiEnv({"players": 2})
    first = env.reset(deck)
    names = [str(pyhanabi.HanabiCard.numbered(card, 5)) for card in deck]
    for same in (str(deck), names, " ".join(names), list(deck.cards)):
        assert checksum(env.reset(same)) == checksum(first)
    game = Game(preset("hle", 2), deck)
    for number in (5, 6):
        game.act(number)
        env.step(number)
    twin = hle.HanabiEnv({"players": 2})
    assert checksum(twin.start_from(game)) == checksum(env._make_observation_all_players())
    assert checksum(twin.start_from(env.state)) == checksum(env._make_observation_all_players())
    with pytest.raises(DeckError, match="'Q1' is not a card"):
        env.reset(["Q1"] * 50)
    with pytest.raises(DeckError, match="appears for the 4th time"):
        env.reset(["R1"] * 50)


@pytest.mark.parametrize(
    "twin_of", [hle.HanabiEnv.copy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_go_their_own_way(twin_of: Any) -> None:
    env = hle.HanabiEnv({"players": 4, "seed": 8})
    env.reset()
    env.step(4)
    twin = twin_of(env)
    coin = random.Random(1)
    done = False
    while not done:
        legal = env.state.observation(env.state.cur_player()).legal_move_numbers()
        number = coin.choice(legal)
        ours, _, done, _ = env.step(number)
        theirs = twin.step(number)[0]
        assert checksum(ours) == checksum(theirs)
    assert checksum(env.reset()) == checksum(twin.reset())


def test_more_players_and_other_rules_than_hle() -> None:
    for config in ({"players": 6}, {"rules": "rainbow-german", "players": 3, "max_life_tokens": 2}):
        env = hle.HanabiEnv({**config, "seed": 1})
        observation, done = env.reset(), False
        while not done:
            seen = observation["player_observations"][observation["current_player"]]
            assert len(seen["vectorized"]) == env.vectorized_observation_shape()[0]
            observation, _, done, _ = env.step(seen["legal_moves_as_int"][-1])
    assert env.game.rules.suits == 6
    assert list(seen["fireworks"]) == ["R", "Y", "G", "W", "B", "M"]


def test_moves_and_numbers() -> None:
    game = pyhanabi.HanabiGame({"players": 3})
    moves = [game.get_move(number) for number in range(game.max_moves())]
    assert [game.get_move_uid(move) for move in moves] == list(range(30))
    assert str(moves[11]) == "(Reveal player +1 color Y)"
    assert moves[29] == HanabiMove.get_reveal_rank_move(2, 4)
    assert str(game.get_move(30)) == "(INVALID)"
    assert game.get_move_uid(HanabiMove.get_play_move(9)) == -1


def test_states_deal_card_by_card() -> None:
    state = pyhanabi.HanabiGame({"players": 2, "seed": 1}).new_initial_state()
    dealt = 0
    while state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
        with pytest.raises(IllegalMoveError, match="a card is to be dealt first"):
            state.apply_move(HanabiMove.get_play_move(0))
        state.deal_random_card()
        dealt += 1
    assert (dealt, state.deck_size()) == (10, 40)
    with pytest.raises(IllegalMoveError, match="no card is to be dealt"):
        state.deal_random_card()
    twin = state.copy()
    twin.apply_move(HanabiMove.get_play_move(0))
    assert twin.cur_player() == pyhanabi.CHANCE_PLAYER_ID
    assert [len(hand) for hand in twin.player_hands()] == [4, 5]
    assert [len(hand) for hand in state.player_hands()] == [5, 5]


def test_a_state_can_be_put_into_an_environment() -> None:
    env = hle.HanabiEnv({"players": 2, "seed": 3})
    assert env.state is None
    with pytest.raises(IllegalMoveError, match="call reset first"):
        env.step(0)
    env.reset()
    before = env.state = env.state.copy()
    env.step(5)
    env.state = before.copy()
    assert env.state.move_history() == before.move_history()
    assert env.state.information_tokens() == 8
    env.state = hle.HanabiEnv({"players": 3}).game.new_initial_state()
    with pytest.raises(IllegalMoveError, match="not of a game such as this"):
        env.step(0)


def test_names_that_public_code_imports() -> None:
    assert hle.color_char_to_idx("W") == 3
    assert hle.MOVE_TYPES[1] == "PLAY"
    with pytest.raises(NotImplementedError):
        hle.Environment().reset({"players": 2})


def test_an_observation_is_made_of_a_state() -> None:
    env = hle.HanabiEnv({"players": 3, "seed": 5})
    env.reset()
    env.step(7)
    for player in range(3):
        made = pyhanabi.HanabiObservation(env.state, env.game, player)
        assert made.observation() is made
        for one in (made, pickle.loads(pickle.dumps(made))):
            assert str(one) == str(env.state.observation(player))
            assert env.observation_encoder.encode(one) == list(made.vector)
