"""Files of the Hanabi Open Agent Dataset: written as its programs do, read without trust."""

from __future__ import annotations

import json
import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hanabilab as hl
from hanabilab.envs.hle import HanabiEnv
from hanabilab.errors import FormatError, HanabiError
from hanabilab.lab.dataset import hoad

Command = Callable[..., tuple[int, str, str]]
HoadGame = list[list[Any]]


def recorded_game(env: Any, chance: random.Random) -> tuple[HoadGame, int]:
    """Record a game of random moves in HLE's interface, as HOAD's programs do."""
    game: HoadGame = [[], []]
    observations, done, score = env.reset(), False, 0
    while not done:
        seen = observations["player_observations"][observations["current_player"]]
        move = chance.choice(seen["legal_moves_as_int"])
        game[0].append(sum(int(bit) << n for n, bit in enumerate(reversed(seen["vectorized"]))))
        game[1].append([int(place == move) for place in range(20)])
        observations, reward, done, _ = env.step(move)
        score += reward
    return game, score


@pytest.fixture(scope="module")
def recorded() -> tuple[list[HoadGame], list[int]]:
    env = HanabiEnv({"players": 2, "random_start_player": False, "seed": 7})
    chance = random.Random(5)
    games, scores = zip(*(recorded_game(env, chance) for _ in range(12)), strict=True)
    return list(games), list(scores)


def saved(folder: Path, games: object) -> Path:
    path = folder / "random_2_12.pkl"
    path.write_bytes(pickle.dumps(games, protocol=2))
    return path


def test_games_recorded_through_hle_are_read(
    recorded: tuple[list[HoadGame], list[int]], tmp_path: Path
) -> None:
    """Decks are inferred, and every observation is compared; an old file has lists of bits."""
    games, scores = recorded
    old = [[[int(bit) for bit in format(number, "0658b")] for number in games[0][0]], games[0][1]]
    found = hl.dataset.read_hoad(saved(tmp_path, [old, *games[1:]]))
    assert len(found) == len(games)
    starts = found.turns["turn"] == 0
    assert found.turns["final_score"][starts].tolist() == scores
    moves = [actions.index(1) for _, each in games for actions in each]
    assert found.turns["action"].tolist() == moves
    replayed = list(found.games())
    assert [game.score for game in replayed] == scores
    assert all(game.is_over for game in replayed)


class Harmful:
    """Pickled, it creates a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.file),)


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    with pytest.raises(FormatError, match=r"it refers to \w+\.mkdir, and only lists are read"):
        hl.dataset.read_hoad(saved(tmp_path, [Harmful(trap)]))
    assert not trap.exists()


def test_damaged_files_are_one_line(
    recorded: tuple[list[HoadGame], list[int]], tmp_path: Path
) -> None:
    game = recorded[0][0]
    seen, moves = game
    token = 1 << 657 - 199  # the eighth hint token, there at the start
    assert seen[0] & token
    discard = [1] + [0] * 19  # illegal with all tokens
    for games, reason in (
        ([], "expected a list of games"),
        ({"a": 1}, "expected a list of games"),
        ([[seen]], "not a game of HOAD"),
        ([7], "not a game of HOAD"),
        ([[[], []]], "0 observations and 0 actions"),
        ([[seen, moves[1:]]], f"{len(seen)} observations and {len(seen) - 1} actions"),
        ([[["x"] * len(seen), moves]], "not a number of 658 bits"),
        ([[[1 << 658, *seen[1:]], moves]], "not a number of 658 bits"),
        ([[seen, [[1, 1] + [0] * 18, *moves[1:]]]], "20 numbers with a single 1"),
        ([[[seen[0] ^ token, *seen[1:]], moves]], "game 0, turn 0: the observation"),
        ([game, [[*seen[:-1], seen[0]], moves]], "game 1"),
        ([game, [seen, [discard, *moves[1:]]]], "game 1"),
        ([[seen[:1], [discard]]], "game 0: an action is illegal"),
        ([[[*seen, seen[-1]], [*moves, moves[-1]]]], "game 0"),
    ):
        with pytest.raises(FormatError, match=reason) as error:
            hl.dataset.read_hoad(saved(tmp_path, games))
        assert str(tmp_path) in str(error.value)
        assert "\n" not in str(error.value)
    whole = saved(tmp_path, [game]).read_bytes()
    for text in (b"", whole[: len(whole) // 2], b"PK\x03\x04", b"\x80\x03."):
        (tmp_path / "cut.pkl").write_bytes(text)
        with pytest.raises(FormatError, match="not a file of HOAD"):
            hl.dataset.read_hoad(tmp_path / "cut.pkl")
    with pytest.raises(HanabiError, match="No such file"):
        hl.dataset.read_hoad(tmp_path / "none.pkl")


@pytest.fixture
def two_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hoad, "AGENTS", {"legal_random": "random", "flawed": "flawed"})


@pytest.mark.usefixtures("two_agents")
def test_the_preset_writes_hoads_folders(tmp_path: Path) -> None:
    """Twenty files an agent, read by plain pickle; a damaged one is written again."""
    made = hl.dataset.make_hoad(tmp_path, games=40, seed=3, format="npz", threads=1)
    assert [each.tally.decks for each in made] == [40, 40]
    pickles = sorted(tmp_path.rglob("*.pkl"))
    names = {path.relative_to(tmp_path).as_posix() for path in pickles}
    assert names == {
        f"{agent}_data_2_40/{n}/{agent}_2_2.pkl"
        for agent in ("legal_random", "flawed")
        for n in range(20)
    }
    own = hl.dataset.load(tmp_path / "hanabilab" / "legal_random")
    rows = [bits.tobytes() for part in own.numpy("turns") for bits in part["observation"]]
    theirs = []
    for number in range(20):
        path = tmp_path / f"legal_random_data_2_40/{number}/legal_random_2_2.pkl"
        for observations, actions in pickle.loads(path.read_bytes()):
            assert len(observations) == len(actions)
            bits = np.array([[int(bit) for bit in format(x, "0658b")] for x in observations])
            theirs += [row.tobytes() for row in np.packbits(bits, axis=1)]
        assert len(hl.dataset.read_hoad(path)) == 2
    assert theirs == rows
    before = {path: path.read_bytes() for path in pickles}
    untouched = pickles[1].stat().st_mtime_ns
    pickles[0].write_bytes(before[pickles[0]][:-1])
    pickles[2].unlink()
    again = hl.dataset.make_hoad(tmp_path, games=40, seed=3, format="npz", threads=1)
    assert [each.written for each in again] == [0, 0]
    assert {path: path.read_bytes() for path in pickles} == before
    assert pickles[1].stat().st_mtime_ns == untouched
    with pytest.raises(HanabiError, match="this data set has seeds"):
        hl.dataset.make_hoad(tmp_path, games=40, seed=4, format="npz", threads=1)


@pytest.mark.usefixtures("two_agents")
def test_the_command(tmp_path: Path, command: Command) -> None:
    out = str(tmp_path / "hoad")
    words = [
        "dataset",
        "--hoad",
        "--games",
        "20",
        "--format",
        "npz",
        "--threads",
        "1",
        "--out",
        out,
    ]
    code, text, err = command(*words, "--json")
    assert code == 0
    assert [each["games"] for each in json.loads(text)] == [20, 20]
    assert "not made: HOAD's rainbow" in err
    file = f"{out}/flawed_data_2_20/0/flawed_2_1.pkl"
    code, text, _ = command("convert", file, "json")
    assert code == 0
    assert json.loads(text)["players"] == 2
    for more, reason in (
        (["--players", "2"], "--players: --hoad chooses"),
        (["--set-rule", "lives=4"], "--set-rule: --hoad chooses"),
        (["iggi"], "STRATEGY: --hoad chooses"),
        (["--games", "30"], "games: 30 is not a multiple of 20"),
    ):
        code, text, err = command(*words, *more)
        assert (code, text) == (2, "")
        assert reason in err
    code, _, err = command("dataset", "--out", out)
    assert code == 2
    assert "give a strategy, or --hoad" in err


def test_the_agents_are_strategies_under_its_rules() -> None:
    for strategy in hoad.AGENTS.values():
        assert hl.play(strategy, hl.Game("hle", players=2, seed=1).deck).is_over
    assert hoad.GAMES == 20 * 25_000
