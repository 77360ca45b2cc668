"""Names that forks of HLE add: own hands for trainers, cards dealt and exchanged at will."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hanabilab import HanabiError
from hanabilab.envs import hle, pyhanabi
from hanabilab.envs.pyhanabi import HanabiMove, IllegalMoveError

BOX = [f"{letter}{rank}" for letter in "RYGWB" for rank in (1, 1, 1, 2, 2, 3, 3, 4, 4, 5)]
HANDS = ["R1", "R2", "R3", "R4", "R5", "Y1", "Y1", "Y2", "Y3", "Y5"]


def begun(*moves: int, by_chance: bool) -> hle.HanabiEnv:
    """Two players with known hands, and cards that are known or left to chance after them."""
    env = hle.HanabiEnv({"players": 2, "seed": 3})
    rest = BOX.copy()
    for card in HANDS:
        rest.remove(card)
    env.reset([*HANDS, *reversed(rest)])
    if by_chance:
        env.state = env.game.new_initial_state()
        for card in HANDS:
            env.state.deal_specific_card("RYGWB".index(card[0]), int(card[1]) - 1)
    for move in moves:
        env.step(move)
    return env


def names(hand: list[pyhanabi.HanabiCard]) -> list[str]:
    return [str(card) for card in hand]


def own_hand_of(env: hle.HanabiEnv, player: int) -> list[int]:
    """Return one-hot cards as MAPPO's fork writes them, from the hands themselves."""
    hand = env.state.player_hands()[player]
    cards = [divmod(number, 25) for number in range(25 * env.game.hand_size())]
    return [
        int(slot < len(hand) and divmod(card, 5) == (hand[slot].color(), hand[slot].rank()))
        for slot, card in cards
    ]


def test_own_hands_for_trainers() -> None:
    env = hle.HanabiEnv({"players": 4, "seed": 5, "own_hands": True})
    env.reset()
    assert env.observation_encoder.ownhandshape() == [4 * 25]
    for move in (4, 6, 5):
        env.step(move)
        for player in range(4):
            seen = env.state.observation(player)
            assert env.observation_encoder.encodeownhand(seen) == own_hand_of(env, player)
            assert not any(card.valid() for card in seen.observed_hands()[0])


class TrainerEnv:
    """What MAPPO's wrapper asks of `pyhanabi`: observations for everyone and for a critic."""

    def __init__(self, added: str) -> None:
        config = {"players": 2, "seed": 5, "colors": 5, "ranks": 5, "observation_type": 1}
        exec(added, {"config": config})
        self.game = pyhanabi.HanabiGame(config)
        kind = pyhanabi.ObservationEncoderType.CANONICAL
        self.encoder = pyhanabi.ObservationEncoder(self.game, kind)
        self.state = self.game.new_initial_state()

    def observe(self) -> tuple[list[int], list[int], list[int]]:
        while self.state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
            self.state.deal_random_card()
        everyone = []
        for player in range(self.game.num_players()):
            seen = self.state.observation(player)
            legal = [self.game.get_move_uid(move) for move in seen.legal_moves()]
            vector, own = self.encoder.encode(seen), self.encoder.encodeownhand(seen)
            everyone.append((vector, own + vector, legal))
        return everyone[self.state.cur_player()]


def test_the_message_names_the_line_that_a_trainer_needs() -> None:
    with pytest.raises(HanabiError, match="hides its player's own cards") as caught:
        TrainerEnv("").observe()
    line = re.search(r"add the line (.*) before", str(caught.value))
    assert line is not None
    env = TrainerEnv(line[1])
    vector, shared, legal = env.observe()
    shape = env.encoder.ownhandshape()[0] + env.encoder.shape()[0]
    while not env.state.is_terminal():
        assert shared[125:] == vector
        hand = env.state.player_hands()[env.state.cur_player()]
        assert (len(shared), sum(shared[:125])) == (shape, len(hand))
        env.state.apply_move(env.game.get_move(legal[-1]))
        vector, shared, legal = env.observe()
    assert len(vector) == 658


def test_cards_are_dealt_by_name() -> None:
    state = pyhanabi.HanabiGame({"players": 2}).new_initial_state()
    state.deal_specific_card(0, 4, 0)
    state.deal_this_card("B0")
    assert names(state.player_hands()[0]) == ["R5", "B1"]
    for wrong in ("B", "", "r1", "Bx"):
        with pytest.raises(IllegalMoveError, match="not one such as R0"):
            state.deal_this_card(wrong)
    with pytest.raises(IllegalMoveError, match="not where a dealt card comes"):
        state.deal_specific_card(1, 1, 0)
    with pytest.raises(IllegalMoveError, match="a card is to be dealt first"):
        state.deal_specific_card(0, 4)  # the only copy is dealt
    assert names(state.player_hands()[0]) == ["R5", "B1"]


@pytest.mark.parametrize("by_chance", [False, True])
def test_a_card_in_a_hand_is_exchanged(by_chance: bool) -> None:
    env = begun(5, 5, 5, by_chance=by_chance)  # red 1, yellow 1 and red 2 are played
    state, twin = env.state, env.state.copy()
    assert names(state.player_hands()[1])[:2] == ["Y1", "Y2"]
    twin.set_individual_card(1, 1, {"color": "G", "rank": 4})
    assert names(twin.player_hands()[1])[:3] == ["Y1", "G5", "Y3"]
    assert names(state.player_hands()[1])[:3] == ["Y1", "Y2", "Y3"]
    seen = twin.observation(0)
    assert str(seen.observed_hands()[1][1]) == "G5"
    again = twin.to_game()
    assert env.observation_encoder.encode(seen) == list(env.game.encoder.encode(again, 0))
    assert sorted(again.deck) == sorted(state.to_game().deck)
    assert again.state.hands[1] == twin.table.hands[1]
    twin.set_individual_card(1, 1, pyhanabi.HanabiCard(1, 1))
    assert (str(twin), twin.move_history()) == (str(state), state.move_history())


def test_the_card_that_was_exchanged_comes_later() -> None:
    state = begun(by_chance=False).state
    state.set_individual_card(0, 0, {"color": "B", "rank": 4})  # the next card to be dealt
    state.apply_move(HanabiMove.get_play_move(4))
    state.deal_random_card()
    assert names(state.player_hands()[0]) == ["B5", "R2", "R3", "R4", "R1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 0, {"color": "Y", "rank": 1}), "the hints rule out Y2 in slot 0"),
        ((0, 0, {"color": "R", "rank": 4}), "the draw pile holds no R5"),
        ((2, 0, {"color": "R", "rank": 1}), "player_id: 2 is not between 0 and 1"),
        ((0, 5, {"color": "R", "rank": 1}), "card_index: 5 is not between 0 and 4"),
        ((0, 0, {"color": "R", "rank": 7}), "'R8' is not a card of this game"),
    ],
)
def test_a_card_that_cannot_be_there_is_refused(arguments: Any, message: str) -> None:
    env = begun(by_chance=False)
    env.step({"action_type": "REVEAL_RANK", "target_offset": 1, "rank": 0})
    before = str(env.state)
    with pytest.raises(HanabiError, match=message):
        env.state.set_individual_card(*arguments)
    assert str(env.state) == before
