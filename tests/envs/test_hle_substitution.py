"""Programs written for HLE run with our modules and without a changed line."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from hanabilab import HanabiError
from hanabilab.envs import hle, pyhanabi
from hanabilab.envs.hle import agents, rl_env
from hanabilab.envs.hle.substitution import PACKAGE, install, main

STATES = '''
"""Chance, states, observations and encodings by pyhanabi itself."""

import numpy as np
from hanabi_learning_environment import pyhanabi

assert pyhanabi.cdef_loaded(), "no header"
assert pyhanabi.lib_loaded(), "no library"
game = pyhanabi.HanabiGame({"players": 3, "random_start_player": True})
print(game.parameter_string(), end="")
encoder = pyhanabi.ObservationEncoder(game, enc_type=pyhanabi.ObservationEncoderType.CANONICAL)
state = game.new_initial_state()
while not state.is_terminal():
    if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
        state.deal_random_card()
        continue
    print(state)
    print(state.information_tokens(), state.life_tokens(), state.fireworks(), state.deck_size())
    print(state.discard_pile(), state.player_hands())
    seen = state.observation(state.cur_player())
    print(seen, seen.cur_player_offset(), seen.observed_hands(), seen.card_knowledge())
    print(seen.discard_pile(), seen.fireworks(), seen.deck_size(), *seen.last_moves())
    print(seen.information_tokens(), seen.life_tokens(), seen.legal_moves())
    for player in range(game.num_players()):
        assert len(encoder.encode(state.observation(player))) == encoder.shape()[0]
    move = np.random.choice(state.legal_moves())
    print("chosen:", move)
    state.apply_move(move)
print("score:", state.score())
'''

EPISODES = '''
"""Episodes of rl_env with one of the sample agents, chosen by an option."""

import getopt
import sys

from hanabi_learning_environment import rl_env
from hanabi_learning_environment.agents.random_agent import RandomAgent
from hanabi_learning_environment.agents.simple_agent import SimpleAgent

from helper import CLASSES

assert set(CLASSES) == {"RandomAgent", "SimpleAgent"}
flags = {"players": 2, "num_episodes": 2, "agent_class": "SimpleAgent"}
options, rest = getopt.getopt(sys.argv[1:], "", ["players=", "num_episodes=", "agent_class="])
assert not rest
for name, value in options:
    flags[name[2:]] = type(flags[name[2:]])(value)
environment = rl_env.make("Hanabi-Full", num_players=flags["players"])
for episode in range(flags["num_episodes"]):
    observations = environment.reset()
    players = [globals()[flags["agent_class"]](flags) for _ in range(flags["players"])]
    done, total = False, 0
    while not done:
        for number, agent in enumerate(players):
            observation = observations["player_observations"][number]
            action = agent.act(observation)
            assert (action is None) == (observation["current_player"] != number)
            chosen = chosen if action is None else action
        observations, reward, done, info = environment.step(chosen)
        total += reward
    print("episode", episode, "reward", total, "players", len(players))
'''
HELPER = """
import hanabi_learning_environment.agents.random_agent, hanabi_learning_environment.agents

CLASSES = ["RandomAgent", "SimpleAgent"]
"""


@pytest.fixture
def without_hle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no module of HLE's name be loaded, before and after a test."""
    kept = {name: module for name, module in sys.modules.items() if name.startswith(PACKAGE)}
    for name in kept:
        del sys.modules[name]
    yield
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]
    sys.modules.update(kept)


def _box() -> list[pyhanabi.HanabiCard]:
    """Return all fifty cards."""
    return [
        pyhanabi.HanabiCard(color, rank)
        for color in range(5)
        for rank, copies in enumerate((3, 2, 2, 2, 1))
        for _ in range(copies)
    ]


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hanabilab.envs.hle", str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_a_program_of_states(tmp_path: Path) -> None:
    script = tmp_path / "states.py"
    script.write_text(STATES)
    made = run(script)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("players=3\n")
    assert "Reveal player +" in made.stdout
    assert made.stdout.splitlines()[-1].startswith("score: ")


def test_a_program_of_episodes(tmp_path: Path) -> None:
    script = tmp_path / "episodes.py"
    script.write_text(EPISODES)
    (tmp_path / "helper.py").write_text(HELPER)
    for agent in ("SimpleAgent", "RandomAgent"):
        made = run(script, "--players=3", f"--agent_class={agent}", "--num_episodes", "1")
        assert made.returncode == 0, made.stderr
        assert made.stdout.startswith("episode 0 reward ")
        assert made.stdout.endswith("players 3\n")


@pytest.mark.usefixtures("without_hle")
def test_modules_are_ours() -> None:
    hle.install()
    install()  # does nothing more
    theirs = importlib.import_module(PACKAGE)
    assert importlib.import_module(f"{PACKAGE}.rl_env") is theirs.rl_env is rl_env
    assert importlib.import_module(f"{PACKAGE}.pyhanabi") is theirs.pyhanabi is pyhanabi
    simple = importlib.import_module(f"{PACKAGE}.agents.simple_agent")
    assert simple.SimpleAgent is agents.SimpleAgent
    assert importlib.util.find_spec(PACKAGE) is not None
    with pytest.raises(ModuleNotFoundError, match="rainbow"):
        importlib.import_module(f"{PACKAGE}.agents.rainbow")


@pytest.mark.usefixtures("without_hle")
def test_hle_itself_is_not_replaced_once_it_is_imported() -> None:
    sys.modules[PACKAGE] = ModuleType(PACKAGE)
    with pytest.raises(HanabiError, match="imported already"):
        install()


def test_the_simple_agent_hints_playable_cards_and_plays_hinted_ones() -> None:
    env = hle.make("Hanabi-Full", 2)
    deck = "R2 Y3 G4 W4 B2 R3 Y1 G1 W5 B3"  # two hands; Y1 and G1 can be played
    dealt = deck.split()
    rest = [str(card) for card in _box()]
    for card in dealt:
        rest.remove(card)
    seen = env.reset([*dealt, *rest])["player_observations"]
    agent = agents.SimpleAgent({"players": 2})
    assert agent.act(seen[1]) is None
    hint = agent.act(seen[0])
    assert hint == {"action_type": "REVEAL_COLOR", "color": "Y", "target_offset": 1}
    seen = env.step(hint)[0]["player_observations"]
    assert agent.act(seen[1]) == {"action_type": "PLAY", "card_index": 1}


def test_the_simple_agent_without_anything_to_hint() -> None:
    seen = {
        "current_player_offset": 0,
        "card_knowledge": [[{"color": None, "rank": None}], [{"color": "R", "rank": None}]],
        "observed_hands": [[{"color": None, "rank": -1}], [{"color": "R", "rank": 0}]],
        "fireworks": {"R": 0},
        "information_tokens": 7,
    }
    agent = agents.SimpleAgent({})
    assert agent.act(seen) == {"action_type": "DISCARD", "card_index": 0}
    assert agent.act(seen | {"information_tokens": 8}) == {"action_type": "PLAY", "card_index": 0}


def test_wrong_calls(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([]) == 2
    assert "usage: python -m hanabilab.envs.hle" in capsys.readouterr().err
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage")
    assert main([str(tmp_path / "none.py")]) == 2
    assert "no file" in capsys.readouterr().err
