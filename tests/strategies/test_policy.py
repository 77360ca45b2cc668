"""Policies at the table: they play like strategies and see no more than those."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import Answer
from tests.tables import SPECIAL, UNUSUAL

import hanabilab as hl
from hanabilab import Deck, Game, play, preset, simulate
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules_record import rules_of
from hanabilab.game.state import initial_state
from hanabilab.strategies import (
    STRATEGIES,
    Policy,
    find_strategy,
    from_policy,
    register,
    registered_strategy,
)
from hanabilab.table.players import Actor

FILE = '''
import hanabilab as hl
import hanabilab.author as ha

def first(observation, legal_moves):
    """The first legal move."""
    return legal_moves[0]

same = ha.Strategy("same", lambda view, memory: hl.game.nth_legal(view, 0))
number = 7
'''


def chance(observation: dict[str, Any], legal_moves: list[int]) -> int:
    """Choose any legal move."""
    return int(np.random.default_rng(observation["seed"]).choice(legal_moves))


def by_vector(observation: dict[str, Any], legal_moves: list[int]) -> int:
    """Choose a move that depends on every entry of the vector."""
    digits = observation["observation"] @ np.arange(1, len(observation["observation"]) + 1)
    return legal_moves[int(digits) % len(legal_moves)]


@pytest.mark.parametrize("kind", ["", "canonical", "minimal", "features"])
def test_the_observation_is_what_the_environments_give(kind: str) -> None:
    deck = Deck.shuffled(preset("hle", 3), seed=4)
    twin = Game(deck.rules, deck)
    encoder = Encoder(deck.rules, kind or "canonical")

    def checking(observation: dict[str, Any], legal_moves: list[int]) -> int:
        state = twin.state
        assert legal_moves == [action.number(state) for action in twin.legal_actions()]
        assert np.flatnonzero(observation["action_mask"]).tolist() == legal_moves
        assert observation["observation"].tolist() == encoder.encode(twin).tolist()
        assert observation["view"] == twin.view(twin.player)
        move = chance(observation, legal_moves)
        twin.act(move)
        return move

    if kind:
        checking.observation_kind = kind  # type: ignore[attr-defined]
    assert play(checking, deck, seed=4) == twin
    assert twin.is_over


@pytest.mark.parametrize("kind", ["own-hand", "seer", "state", "feature", 3])
def test_a_policy_cannot_ask_for_hidden_cards(kind: object) -> None:
    def curious(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return legal_moves[0]

    curious.observation_kind = kind  # type: ignore[attr-defined]
    with pytest.raises(
        HanabiError, match=r"unknown observation_kind .* canonical, minimal, sad or"
    ):
        simulate(curious, players=2, games=1, rules="hle")


@pytest.mark.parametrize("policy", [chance, by_vector])
def test_the_same_seed_gives_the_same_game(policy: Policy) -> None:
    deck = Deck.shuffled(players=2, seed=9, game=4)
    games = [play([policy, "iggi"], deck, seed=9, game=4) for _ in range(2)]
    assert games[0] == games[1]
    first, second = (simulate(policy, players=3, games=6, seed=9) for _ in range(2))
    assert first.statistics() == second.statistics()
    different = {len(play(chance, deck, seed=seed).actions) for seed in range(5)}
    assert len(different) > 1


@pytest.mark.parametrize("policy", [chance, by_vector])
def test_it_passes_the_check(policy: Policy) -> None:
    """What `test_conformance` asks of every strategy, hidden cards included."""
    tables = [preset("hle", 3), preset("hle", 2)]
    report = hl.check(policy, rules=tables, compared=1, seconds=None, baselines=())
    assert report.trusted, str(report)
    (blind,) = [question for question in report.findings if question.name == "blind"]
    assert int(blind.detail.partition(" ")[0]) > 6


def test_policies_sit_wherever_strategies_sit() -> None:
    assert simulate([chance, "iggi", by_vector], games=2).strategy == "chance + iggi + by_vector"
    table = hl.crossplay([chance, "iggi"], players=2, games=4, rules="hle", compiled=False)
    assert table.strategies == ("chance", "iggi")
    assert table.mean[1][1] > table.mean[0][0]
    comparison = hl.compare(
        [chance, "random", [by_vector, "iggi"]], players=2, games=4, compiled=False
    )
    assert len(comparison.results) == 3


def test_an_illegal_move_is_named_with_game_and_turn() -> None:
    def late(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return 0 if observation["view"].turn == 0 else legal_moves[0]

    with pytest.raises(StrategyError, match=r"late, player 0, chose action 0 in turn 1 of game 0"):
        simulate(late, players=2, games=1)
    deck = Deck.shuffled(players=2, seed=3, game=2)
    with pytest.raises(StrategyError, match="action 99 in turn 2 of game 2 of seed 3"):
        play(["iggi", lambda observation, legal_moves: 99], deck, seed=3, game=2)


@pytest.mark.parametrize("answer", [None, "play", 1.5, True])
def test_a_move_is_a_whole_number(answer: Any) -> None:
    with pytest.raises(
        StrategyError,
        match=r"failed in turn 1 of game 0 of seed 0: it answered .*, which is not the number",
    ):
        simulate(lambda observation, legal_moves: answer, players=2, games=1)


def test_an_error_inside_a_policy_says_where() -> None:
    def broken(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return int(observation["cards"])

    with pytest.raises(StrategyError, match="broken, player 0, in turn 1: KeyError: 'cards'"):
        simulate(broken, players=2, games=1)


def test_nothing_done_to_an_observation_touches_the_game() -> None:
    def vandal(observation: dict[str, Any], legal_moves: list[int]) -> int:
        move = chance(observation, legal_moves)
        observation["view"].lives = 100
        observation["view"].hands[:] = [0] * 10
        observation["observation"][:] = 0
        legal_moves.clear()
        return move

    deck = Deck.shuffled(players=2, seed=1)
    assert play(vandal, deck, seed=1) == play(chance, deck, seed=1)


@pytest.mark.parametrize("rules", [*UNUSUAL, *SPECIAL])
def test_rules_can_be_read_off_a_table(rules: hl.Rules) -> None:
    assert rules_of(initial_state(rules).rules) == rules
    game = play("random", Deck.shuffled(rules), seed=1)
    assert rules_of(game.state.rules) == rules


def test_a_policy_plays_unusual_rules() -> None:
    for rules in UNUSUAL:
        assert play(chance, Deck.shuffled(rules), seed=1).is_over


def test_a_policy_plays_with_special_suits() -> None:
    assert play(chance, "p2v3s1").is_over
    with pytest.raises(hl.HanabiError, match="deck_plays"):
        Encoder(hl.preset("Rainbow (6 Suits)", 2, deck_plays=True))
    assert Encoder(hl.preset("Rainbow (6 Suits)", 2), "minimal").length


class TestByPlace:
    """``module:name`` on the command line."""

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "own_players.py").write_text(FILE)
        (tmp_path / "wrong.py").write_text("def first(:")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.path", list(__import__("sys").path))

    @pytest.mark.parametrize("place", ["own_players:first", "./own_players.py:first"])
    def test_it_plays(self, place: str, command: Callable[..., Answer]) -> None:
        code, out, err = command("simulate", place, "--players", "2", "--games", "3", "--json")
        assert (code, err) == (0, "")
        assert f'"strategy": "{place}"' in out
        assert command("simulate", place, "iggi", "--games", "2")[0] == 0
        assert command("play", place, "--players", "3")[0] == 0
        assert command("compare", place, "random", "--games", "2")[0] == 0
        assert command("crossplay", place, "random", "--games", "2", "--players", "2")[0] == 0
        assert "The first legal move." in command("strategies", place)[1]

    def test_a_strategy_does_too(self, command: Callable[..., Answer]) -> None:
        deck = ("--players", "2", "--seed", "3", "--json")
        strategy, policy = (
            command("play", f"own_players:{name}", *deck) for name in ("same", "first")
        )
        assert strategy[0] == 0
        assert strategy[1] == policy[1]

    @pytest.mark.parametrize(
        ("place", "why"),
        [
            ("own_players:nobody", "nobody"),
            ("own_players:number", "neither a strategy nor a policy"),
            ("own_players:", "not of the form"),
            (":first", "not of the form"),
            ("wrong.py:first", "SyntaxError"),
            ("missing.py:first", "no such file: missing.py"),
            ("no_such_module:first", "no_such_module"),
            ("iggi:first", "not of the form option=value"),
        ],
    )
    def test_what_is_wrong_is_said_in_a_line(
        self, place: str, why: str, command: Callable[..., Answer]
    ) -> None:
        code, out, err = command("simulate", place, "--games", "1")
        assert (code, out) == (2, "")
        assert why in err
        assert err.count("\n") == 1

    def test_names_alone_import_nothing(self) -> None:
        """A web page passes on any text, so it finds only what is registered."""
        with pytest.raises(StrategyError, match="unknown strategy 'own_players'"):
            registered_strategy("own_players:first")


def test_a_registered_policy_is_found_by_its_name() -> None:
    try:
        register(chance, "my-chance")
        assert find_strategy("my-chance").name == "my-chance"
        assert simulate("my-chance", players=2, games=1).strategy == "my-chance"
    finally:
        STRATEGIES.pop("my-chance", None)
    with pytest.raises(StrategyError, match="already"):
        register(chance, "iggi")
    with pytest.raises(StrategyError, match="is not a name"):
        register(chance, "a:b")
    assert from_policy(chance).name == "chance"


class TestActor:
    """A strategy in a game that somebody else runs plays as it does at our tables."""

    @pytest.mark.parametrize("name", ["information", "iggi", "recommendation", "cheat", "random"])
    def test_it_plays_as_at_a_table(self, name: str) -> None:
        players = 4
        rules = preset("hle", players)
        actors = [Actor(name, player, seed=5, number=7) for player in range(players)]
        for number in (7, 8):
            deck = Deck.shuffled(rules, seed=5, game=number)
            game = Game(rules, deck)
            while not game.is_over:
                game.act(actors[game.player].act(game))
            for actor in actors:
                actor.follow(game)
            assert game == play(name, deck, seed=5, game=number)

    def test_one_that_is_slow_runs_compiled(self) -> None:
        slow = dataclasses.replace(find_strategy("random"), slow=True)
        deck = Deck.shuffled(preset("hle", 2), seed=5)
        game = Game(deck.rules, deck)
        actors = [Actor(slow, player, seed=5) for player in range(2)]
        while not game.is_over:
            game.act(actors[game.player].act(game))
        assert game == play(slow, deck, seed=5, compiled=False)

    def test_it_can_join_late_and_is_asked_again(self) -> None:
        deck = Deck.shuffled(preset("hle", 3), seed=6)
        game = Game(deck.rules, deck)
        for action in play("information", deck, seed=6).actions[:10]:
            game.act(action)
        player = game.player
        late = Actor("information", player, seed=6)
        expected = play("information", deck, seed=6).actions[10].number(game.state)
        assert late.act(game) == expected

    def test_it_speaks_up_out_of_turn(self) -> None:
        game = Game("hle", players=2)
        with pytest.raises(hl.HanabiError, match="it is player 0's turn, not player 1's"):
            Actor("iggi", 1).act(game)
        with pytest.raises(hl.HanabiError, match="no player 2 in a game of 2"):
            Actor("iggi", 2).act(game)
        with pytest.raises(StrategyError, match="cannot play this"):
            Actor("recommendation", 0).act(game)
        with pytest.raises(StrategyError, match="action 0 in turn 1 of game 4 of seed 3"):
            Actor(lambda observation, legal_moves: 0, 0, seed=3, number=4).act(game)
        ended = play("random", game.deck)
        with pytest.raises(hl.HanabiError, match="the game is over"):
            Actor("iggi", 0).act(ended)
