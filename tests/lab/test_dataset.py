"""Games as data: every row is what HLE's interface gives, whoever writes it and however often."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import json
import pickle
import resource
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hanabilab as hl
from hanabilab.envs.hle import HanabiEnv
from hanabilab.errors import FormatError, HanabiError, MissingExtraError, StrategyError
from hanabilab.game.rules import Rules, preset
from hanabilab.strategies.load import load_player

Command = Callable[..., tuple[int, str, str]]
Frame = dict[str, Any]

SPECIAL = preset("hle", 3, suits=4, lives=1, hint_tokens=4)
LAST_TURN = [
    *("last_player", "last_kind", "last_target", "last_suit", "last_rank"),
    *("last_touched", "last_slot", "last_card", "last_result"),
]


def whole(data: hl.dataset.Dataset, table: str = "turns") -> Frame:
    """All files of a table, one below the other."""
    parts = list(data.numpy(table))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def make(out: Path, strategy: Any = "random", **changes: Any) -> hl.dataset.Dataset:
    settings: dict[str, Any] = {"players": 3, "games": 30, "seed": 4, "file_games": 8}
    hl.dataset.make(strategy, out=out, **{**settings, **changes})
    return hl.dataset.load(out)


@pytest.mark.parametrize(
    ("team", "rules", "observations", "format"),
    [
        (["iggi", "piers"], preset("hle", 2), "canonical", "parquet"),
        (["random"] * 3, SPECIAL, "sad", "npz"),
        (["random", "random", "iggi", "piers", "iggi"], preset("cox-program", 5), "sad", "parquet"),
    ],
)
def test_every_row_is_what_hle_gives(
    tmp_path: Path, team: list[str], rules: Rules, observations: str, format: str
) -> None:
    """Rewards that take all points back with the last life included."""
    data = make(
        tmp_path, team, players=None, rules=rules, observations=observations, format=format, games=9
    )
    turns, games = whole(data), whole(data, "games")
    bits = {name: np.unpackbits(turns[name], axis=1) for name in ("legal", "observation")}
    sections = data.metadata["schema"]["sections"]
    env = HanabiEnv({"rules": rules})
    row = 0
    for game in range(9):
        seen, done = env.reset(hl.Deck.shuffled(rules, seed=4, game=game)), False
        turn = 0
        while not done:
            player = seen["current_player"]
            mine = seen["player_observations"][player]
            vector = mine["vectorized"]
            if observations == "sad":
                again = [entry for name in LAST_TURN for entry in vector[slice(*sections[name])]]
                vector = vector + again
            assert bits["observation"][row, : len(vector)].tolist() == vector
            assert not bits["observation"][row, len(vector) :].any()
            assert np.flatnonzero(bits["legal"][row]).tolist() == mine["legal_moves_as_int"]
            place = [int(turns[name][row]) for name in ("game", "turn", "player", "score")]
            assert place == [game, turn, player, env.state.score()]
            seen, reward, done, _ = env.step(int(turns["action"][row]))
            assert turns["reward"][row] == reward
            assert data.metadata["strategies"][turns["strategy"][row]] == team[player]
            row, turn = row + 1, turn + 1
        assert (games["score"][game], games["turns"][game]) == (env.state.score(), turn)
        assert games["seats"][game].tolist() == team
        rewards = turns["reward"][row - turn : row]
        to_go = [sum(rewards[place:].tolist()) for place in range(turn)]
        assert turns["return_to_go"][row - turn : row].tolist() == to_go
        assert set(turns["final_score"][row - turn : row].tolist()) == {env.state.score()}
    assert row == len(turns["game"])
    assert (turns["reward"] < 0).any() == (rules is SPECIAL)


def test_the_games_are_those_of_simulate(tmp_path: Path) -> None:
    data = make(tmp_path / "data", "piers")
    result = hl.simulate("piers", 3, games=30, seed=4)
    games = whole(data, "games")
    assert np.bincount(games["score"], minlength=26).tolist() == list(result.histogram)
    assert set(games["seed"].tolist()) == {4}
    assert set(games["rules"].tolist()) == {"classic"}
    assert games["deck"].tolist() == games["game"].tolist() == list(range(30))
    assert set(games["end"].tolist()) <= {"lives", "deck", "perfect"}
    counts = data.metadata["counts"]
    assert counts == {"games": 30, "turns": result.turns, "files": 4}


@pytest.mark.parametrize(("threads", "size"), [(1, 30), (2, 7), (3, 100)])
def test_threads_files_and_formats_leave_no_trace(tmp_path: Path, threads: int, size: int) -> None:
    one = make(tmp_path / "one")
    other = make(tmp_path / "other", threads=threads, file_games=size, format="npz")
    for table in ("turns", "games"):
        ours, theirs = whole(one, table), whole(other, table)
        assert ours.keys() == theirs.keys()
        for name in ours:
            assert (ours[name] == theirs[name]).all(), name
    sizes = [len(part["game"]) for part in other.numpy("games")]
    assert set(sizes[:-1]) <= {size}


def test_crossplay_seats_every_pairing(tmp_path: Path) -> None:
    data = make(tmp_path, ["iggi", "random"], crossplay=True, games=6, players=3, file_games=5)
    games = whole(data, "games")
    seats = [tuple(row) for row in games["seats"].tolist()]
    assert games["game"].tolist() == list(range(24))
    assert games["deck"].tolist() == [*range(6)] * 4
    assert seats[:6] == [("iggi",) * 3] * 6
    assert seats[6:8] == [("iggi", "random", "random")] * 2
    assert seats[10:12] == [("random", "random", "iggi")] * 2
    for place in (0, 7, 13, 23):
        game = hl.play(
            list(seats[place]),
            hl.Deck.shuffled(preset("classic", 3), seed=4, game=place % 6),
            seed=4,
            game=place % 6,
        )
        assert games["score"][place] == game.score


@pytest.mark.parametrize("format", ["parquet", "npz"])
def test_no_join_is_needed_to_learn_from_crossplay(tmp_path: Path, format: str) -> None:
    """Also where a file has games of several teams."""
    options: dict[str, Any] = {"crossplay": True, "games": 6, "file_games": 5, "format": format}
    data = make(tmp_path, ["iggi", "random"], **options)
    turns, games = whole(data), whole(data, "games")
    assert data.metadata["strategies"] == ["iggi", "random"]
    acting = games["seats"][turns["game"], turns["player"]]
    assert (np.array(["iggi", "random"])[turns["strategy"]] == acting).all()
    assert (turns["final_score"] == games["score"][turns["game"]]).all()
    assert (turns["return_to_go"] == turns["final_score"] - turns["score"]).all()


def decoded(row: bytes, column: dict[str, Any]) -> list[int]:
    """Decode by nothing but the description of a column."""
    assert column["bit_order"] == "big"
    assert len(row) == column["bytes"]
    return [int(bit) for bit in "".join(f"{byte:08b}" for byte in row)][: column["bits"]]


def test_every_column_is_described_where_it_is_stored(tmp_path: Path) -> None:
    data = make(tmp_path)
    schema = data.metadata["schema"]
    for table in ("turns", "games"):
        stored = pq.read_schema(data.folder.file(table, 0))
        assert json.loads(stored.metadata[b"hanabilab"]) == schema
        assert set(stored.names) == schema[table].keys()
        for name, column in schema[table].items():
            field = stored.field(name)
            assert {key.decode(): value.decode() for key, value in field.metadata.items()} == {
                key: str(value) for key, value in column.items()
            }
            kind = str(field.type)
            assert kind == column["type"] or kind.startswith(("dict", "list", "fixed_size_binary"))
    assert "128 >> i % 8" in schema["packing"]
    vectors = next(data.batches(50, ("observation", "legal")))
    for name, vector in vectors.items():
        column = data.arrow("turns", [name])[name]
        for row in range(50):
            packed = column[row].as_py()
            assert decoded(packed, schema["turns"][name]) == vector[row].astype(int).tolist()


def test_bits_are_unpacked_in_numpy_and_plain_python(tmp_path: Path) -> None:
    data = make(tmp_path)
    turns, column = whole(data), data.metadata["schema"]["turns"]["observation"]
    unpacked: Any = hl.dataset.unpack_bits(turns["observation"], column["bits"])
    assert unpacked.shape == (len(turns["game"]), column["bits"])
    row = turns["observation"][7].tobytes()
    assert hl.dataset.unpack_bits(row, column["bits"]) == unpacked[7].tolist()
    assert decoded(row, column) == unpacked[7].tolist()
    assert (hl.dataset.unpack_bits(turns["observation"][7], column["bits"]) == unpacked[7]).all()
    for packed in (row, turns["observation"]):
        with pytest.raises(HanabiError, match="bits: 3 bits do not take"):
            hl.dataset.unpack_bits(packed, 3)


@pytest.mark.learn
def test_bits_are_unpacked_in_pytorch() -> None:
    torch: Any = importlib.import_module("torch")
    packed = np.random.default_rng(1).integers(0, 256, (5, 9), np.uint8)
    unpacked = hl.dataset.unpack_bits(torch.from_numpy(packed), 67)
    assert unpacked.dtype == torch.uint8
    assert unpacked.tolist() == hl.dataset.unpack_bits(packed, 67).tolist()


def test_a_policy_is_written_down_like_a_strategy(tmp_path: Path) -> None:
    def first_legal(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return legal_moves[0]

    data = make(tmp_path, [first_legal, "random"], players=2, games=3, threads=1)
    turns = whole(data)
    mine = turns["player"] == 0
    first = np.unpackbits(turns["legal"], axis=1).argmax(axis=1)
    assert (turns["action"][mine] == first[mine]).all()
    assert data.metadata["teams"] == [["first_legal", "random"]]


def test_hints_without_end_have_room(tmp_path: Path) -> None:
    """Logs grow where games are longer than cards and tokens allow."""

    def patient(observation: dict[str, Any], legal_moves: list[int]) -> int:
        view = observation["view"]
        return legal_moves[-1] if view.turn < 150 else legal_moves[0]

    rules = preset("classic", 2, hint_tokens=None)
    data = make(tmp_path, patient, players=None, rules=rules, games=1, threads=1)
    assert len(whole(data)["turn"]) > 150


def test_json_says_what_there_is(tmp_path: Path, command: Command) -> None:
    words = ["dataset", "random", "--players", "2", "--games", "20", "--out", tmp_path / "a"]
    code, out, _ = command(*words, "--json")
    assert code == 0
    assert json.loads(out)["games"] == 20
    metadata = json.loads((tmp_path / "a" / "dataset.json").read_text())
    needed = {"rules", "version", "digest", "seeds", "counts", "schema", "command", "complete"}
    assert needed <= metadata.keys()
    assert metadata["schema"]["observation_bits"] == 658
    assert metadata["complete"] is True
    assert metadata["command"] == f"hanabilab {' '.join(map(str, words))} --json"
    code, out, err = command(*words)
    assert (code, "1 of 1 files were already there" in err) == (0, True)
    assert out.startswith(f"{tmp_path / 'a'}: 20 games, ")


def test_a_killed_command_goes_on_where_it_was(tmp_path: Path) -> None:
    words = ["dataset", "random", "--players", "3", "--games", "3000", "--file-games", "100"]
    words += ["--observations", "none"]
    folder = tmp_path / "killed"

    def start() -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "hanabilab", *words, "--out", str(folder), "--threads", "2"]
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def listed() -> int:
        file = folder / "dataset.json"
        return len(json.loads(file.read_text())["files"]) // 2 if file.exists() else 0

    for number, strike in ((1, signal.SIGKILL), (2, signal.SIGINT)):
        process = start()
        while listed() < number and process.poll() is None:
            time.sleep(0.005)
        assert listed() >= number, process.communicate()
        process.send_signal(strike)
        _, err = process.communicate()
        done = process.returncode == 0  # it was faster than the signal
        assert b"Traceback" not in err
        assert done or process.returncode == (130 if strike == signal.SIGINT else -9)
    interrupted = hl.dataset.load(folder)
    assert len(interrupted.files) >= 2
    made = hl.dataset.make("random", 3, games=3000, file_games=100, observations="none", out=folder)
    assert made.resumed == len(interrupted.files)
    assert made.tally.turns == hl.simulate("random", 3, games=3000).turns
    assert whole(hl.dataset.load(folder))["game"][-1] == 2999


def test_a_folder_has_one_owner(tmp_path: Path, command: Command) -> None:
    """Even another spelling of the same command has to wait, or their files would mix."""
    folder, link = tmp_path / "data", tmp_path / "link"
    words = ["dataset", "random", "--players", "2", "--games", "20", "--threads", "1", "--out"]
    answers: list[tuple[int, str, str]] = []

    def first_legal(observation: dict[str, Any], legal_moves: list[int]) -> int:
        if not answers:
            link.symlink_to(folder)
            answers.extend(command(*words, place) for place in (folder, link))
        return legal_moves[0]

    make(folder, first_legal, threads=1, games=3)
    for (code, out, err), place in zip(answers, (folder, link), strict=True):
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert f"{place} is being written by another command (process " in err
    data = hl.dataset.load(folder)
    assert data.metadata["teams"] == [["first_legal"] * 3]
    assert data.metadata["complete"] is True
    assert not list(folder.glob("*.lock"))


def test_a_missing_file_is_written_again(tmp_path: Path) -> None:
    data = make(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    data.folder.file("games", 2).unlink()
    with pytest.raises(FormatError, match=r"games-000002.parquet: No such file.*; re-run the comm"):
        whole(data, "games")
    assert make(tmp_path).files == (0, 1, 2, 3)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seed": 5}, r"has seeds \[4\], not \[5\]"),
        ({"games": 31}, "has games 30, not 31"),
        ({"observations": "none"}, "has observations 'canonical', not 'none'"),
        ({"strategy": "iggi"}, r"has teams .*random.*, not .*iggi"),
        ({"rules": "hle"}, "has rules 'classic', not 'hle'"),
    ],
)
def test_another_data_set_is_not_touched(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    make(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(HanabiError, match=reason):
        make(tmp_path, **change)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("format", ["parquet", "npz"])
@pytest.mark.parametrize("table", ["turns", "games"])
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda content: content[:-50], "bytes instead of"),
        (lambda content: b"", "0 bytes instead of"),
        (lambda content: content[:99] + bytes([content[99] ^ 1]) + content[100:], "SHA-256"),
    ],
)
def test_a_damaged_file_is_noticed_and_written_again(
    tmp_path: Path, format: str, table: str, damage: Callable[[bytes], bytes], reason: str
) -> None:
    data = make(tmp_path, format=format)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    damaged = data.folder.file(table, 1)
    damaged.write_bytes(damage(damaged.read_bytes()))
    with pytest.raises(FormatError, match=rf"{damaged.name}: .*{reason}.*; re-run the command"):
        whole(hl.dataset.load(tmp_path), table)
    with pytest.raises(FormatError, match=reason):
        hl.dataset.load(tmp_path).arrow(table)
    settings: dict[str, Any] = {"games": 30, "seed": 4, "file_games": 8, "format": format}
    assert hl.dataset.make("random", 3, out=tmp_path, **settings).resumed == 3
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_files_are_listed_with_their_checksums(tmp_path: Path) -> None:
    data = make(tmp_path)
    for name, entry in data.metadata["files"].items():
        content = (tmp_path / name).read_bytes()
        assert entry["bytes"] == len(content)
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()
    entries, counts = data.metadata["files"], data.metadata["counts"]
    assert sum(entries[f"turns-{n:06}.parquet"]["rows"] for n in range(4)) == counts["turns"]
    assert sum(entries[f"games-{n:06}.parquet"]["rows"] for n in range(4)) == counts["games"]


def test_an_unlisted_file_is_written_again(tmp_path: Path) -> None:
    """A killed command may leave files of which nobody knows whether they are right."""
    make(tmp_path)
    file = tmp_path / "dataset.json"
    metadata = json.loads(file.read_text())
    for number in (1, 2):
        del metadata["files"][f"turns-{number:06}.parquet"]
    file.write_text(json.dumps(metadata))
    assert hl.dataset.load(tmp_path).files == (0, 3)
    assert hl.dataset.make("random", 3, games=30, seed=4, file_games=8, out=tmp_path).resumed == 2
    assert hl.dataset.load(tmp_path).files == (0, 1, 2, 3)


def test_files_are_listed_when_a_run_fails(tmp_path: Path) -> None:
    def fails_late(observation: dict[str, Any], legal_moves: list[int]) -> int:
        calls.append(1)
        if len(calls) == 60:
            raise RuntimeError("too late")
        return legal_moves[0]

    calls: list[int] = []
    with pytest.raises(HanabiError, match="too late"):
        make(tmp_path, fails_late, threads=1, file_games=1)
    assert len(hl.dataset.load(tmp_path).files) >= 2
    assert make(tmp_path, fails_late, threads=1, file_games=1).metadata["complete"]


def test_a_damaged_description_is_an_error_in_one_line(tmp_path: Path) -> None:
    """Whatever is missing or replaced: reading and resuming raise nothing but a HanabiError."""
    make(tmp_path)
    file = tmp_path / "dataset.json"
    text = file.read_text()
    metadata = json.loads(text)
    broken = ["", "[]", "null", "{", "[" * 100_000, text[: len(text) // 2], text[:-3]]
    for name in metadata.keys() - {"command"}:
        changed = {key: value for key, value in metadata.items() if key != name}
        broken.append(json.dumps(changed))
    for content in broken:
        file.write_text(content)
        for attempt in (hl.dataset.load, lambda folder: make(folder)):
            with pytest.raises(HanabiError, match=r"dataset\.json: [^\n]+$"):
                attempt(tmp_path)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="damaged"):
        hl.dataset.load(tmp_path)
    values: list[Any] = [None, -1, True, "x", [], {}, {"x": 1}, {"turns-000000.parquet": 3}]
    for name in metadata.keys() - {"command"}:
        for junk in values:
            file.write_text(json.dumps({**metadata, name: junk}))
            with contextlib.suppress(HanabiError):
                data = hl.dataset.load(tmp_path)
                list(data.numpy()), data.rules, data.schema


@pytest.mark.parametrize(("way", "edited"), [("file", "beside"), ("plugin", "beside"), ("", "bot")])
def test_an_edited_strategy_is_another_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, edited: str
) -> None:
    (tmp_path / f"beside_{way}.py").write_text(
        "def first(observation, legal):\n    return legal[0]"
    )
    bot = tmp_path / f"bot_{way}.py"
    bot.write_text(f"from beside_{way} import first\ndef bot_{way}(obs, legal): return legal[0]\n")
    monkeypatch.setenv("HANABILAB_STRATEGIES", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    strategies: dict[str, Callable[[], Any]] = {
        "file": lambda: load_player(f"{bot}:bot_file"),
        "plugin": lambda: "bot_plugin",
        "": lambda: importlib.import_module("bot_").bot_,
    }
    strategy = strategies[way]()
    out = tmp_path / "data"
    data = make(out, strategy, games=2, threads=1)
    assert len(data.metadata["sources"]) == 1
    assert make(out, strategy, games=2, threads=1).files == (0,)
    with (tmp_path / f"{edited}_{way}.py").open("a") as file:
        file.write("\n# edited")
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with pytest.raises(HanabiError, match=r"has sources .*, not .*; remove it or choose another"):
        make(out, strategy, games=2, threads=1)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_built_in_strategies_have_no_sources(tmp_path: Path) -> None:
    assert make(tmp_path, ["iggi", "random"], players=None).metadata["sources"] == {}


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"observations": "all"}, HanabiError, "unknown observations 'all'"),
        ({"format": "csv"}, HanabiError, "unknown format 'csv'"),
        ({"games": 0}, HanabiError, "games: 0"),
        ({"file_games": 0}, HanabiError, "file_games: 0"),
        ({"seed": -1}, HanabiError, "seed: -1"),
        ({"strategy": "nobody"}, StrategyError, "unknown strategy 'nobody'"),
        ({"strategy": "iggi", "crossplay": True}, HanabiError, "at least two strategies"),
    ],
)
def test_bad_input_leaves_nothing_behind(
    tmp_path: Path, change: dict[str, Any], error: type[HanabiError], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        make(tmp_path / "data", **change)
    assert not (tmp_path / "data").exists()


def test_bad_folders(tmp_path: Path, command: Command) -> None:
    words = ["dataset", "random", "--players", "2", "--games", "20", "--out"]
    (tmp_path / "file").write_text("something else")
    for place, reason in (
        (tmp_path / "file" / "data", "Not a directory"),
        (tmp_path / "file", "exists"),
        (tmp_path, "no data set"),
    ):
        code, _, err = command(*words, place)
        assert (code, len(err.splitlines())) == (2, 1)
        assert reason in err
    with pytest.raises(FormatError, match="no data set"):
        hl.dataset.load(tmp_path / "nowhere")
    (tmp_path / "dataset.json").write_text('{"kind": "none"}')
    with pytest.raises(FormatError, match="does not describe"):
        hl.dataset.load(tmp_path)


def test_a_full_disk_is_one_line_and_what_is_complete_stays(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: small ones fit, large ones do not."""
    code = f"""
import resource, sys
from hanabilab.cli import main
words = ["dataset", "random", "--players", "2", "--out", {str(tmp_path / "data")!r}]
sys.exit(main([*words, "--games", "20", "--file-games", sys.argv[1]]))
"""

    def run(size: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, str(size)],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000)),
        )

    done = run(20)
    assert done.returncode == 2
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(file.name for file in (tmp_path / "data").iterdir()) == ["dataset.json"]


def test_columns_are_views(tmp_path: Path) -> None:
    (part,) = make(tmp_path / "npz", format="npz", file_games=30).numpy()
    assert all(isinstance(column, np.memmap) for column in part.values())
    (part,) = make(tmp_path / "parquet", file_games=30).numpy()
    assert not any(column.flags.owndata for column in part.values())
    assert isinstance(part["game"].base, pa.Buffer) or part["game"].base is not None


def test_arrow_has_the_same_rows(tmp_path: Path) -> None:
    for format in ("parquet", "npz"):
        data = make(tmp_path / format, format=format)
        table, turns = data.arrow(), whole(data)
        assert table["action"].to_pylist() == turns["action"].tolist()
        assert table["observation"][3].as_py() == turns["observation"][3].tobytes()
        assert data.arrow("games", ["score"]).column_names == ["score"]
        assert data.arrow("games")["seats"][0].as_py() == ["random"] * 3
    with pytest.raises(HanabiError, match="no column"):
        next(data.numpy("turns", ["nothing"]))
    with pytest.raises(HanabiError, match="unknown table 'nothing'"):
        data.arrow("nothing")


def test_a_split_keeps_games_together(tmp_path: Path) -> None:
    data = make(tmp_path, games=200, file_games=60, observations="none")
    parts = [whole(part) for part in data.split(0.7, 0.2, 0.1, seed=3)]
    games = [set(part["game"].tolist()) for part in parts]
    assert set().union(*games) == set(range(200))
    assert sum(map(len, games)) == 200
    assert 120 < len(games[0]) < 160
    assert sum(len(part["game"]) for part in parts) == len(whole(data)["game"])
    train, test = data.split(0.5, 0.5)
    assert train.arrow().num_rows + test.arrow().num_rows == data.arrow().num_rows
    assert set(train.arrow("games")["game"].to_pylist()) == set(whole(train)["game"].tolist())
    for shares in ((), (0.5, 0.6), (0.0, 1.0)):
        with pytest.raises(HanabiError, match="shares above 0"):
            data.split(*shares)


def test_batches_unpack_and_shuffle(tmp_path: Path) -> None:
    data = make(tmp_path)
    turns = whole(data)
    names = ("observation", "legal", "action", "game", "turn")
    batches = list(data.batches(64, names, dtype="float32"))
    assert [len(batch["action"]) for batch in batches[:-1]] == [64] * (len(batches) - 1)
    joined = {name: np.concatenate([batch[name] for batch in batches]) for name in names}
    assert (joined["action"] == turns["action"]).all()
    assert joined["observation"].dtype == np.float32
    assert (np.packbits(joined["observation"].astype(bool), axis=1) == turns["observation"]).all()
    assert joined["legal"].shape[1] == hl.dataset.load(tmp_path).schema.actions
    mixed = [list(data.batches(64, names, shuffle=seed)) for seed in (1, 1, 2)]
    orders = [
        [(g, t) for b in run for g, t in zip(b["game"], b["turn"], strict=True)] for run in mixed
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(zip(turns["game"], turns["turn"], strict=True))


@pytest.mark.parametrize("format", ["parquet", "npz"])
def test_turns_have_numbers_across_files(tmp_path: Path, format: str) -> None:
    data = make(tmp_path, format=format)
    turns, names = whole(data), ("observation", "action", "game", "turn")
    rows = data.rows(names, dtype="float32")
    pickled = pickle.dumps(rows)
    assert rows[3]["turn"] == 3
    assert pickle.dumps(rows) == pickled  # a worker opens files of its own
    rows = pickle.loads(pickled)
    assert len(rows) == len(turns["game"])
    order = np.random.default_rng(1).permutation(len(rows)).tolist()
    for number, row in zip(order, rows.__getitems__(order), strict=True):
        assert (row["game"], row["turn"]) == (turns["game"][number], turns["turn"][number])
        assert row["observation"].dtype == np.float32
        packed = np.packbits(row["observation"].astype(bool))
        assert (packed == turns["observation"][number]).all()
    assert rows[-1]["game"] == 29
    assert [int(row["game"]) for row in rows] == turns["game"].tolist()
    with pytest.raises(IndexError, match="turn"):
        rows[len(rows)]
    part, _ = data.split(0.5, 0.5)
    assert [int(row["game"]) for row in part.rows(["game"])] == whole(part)["game"].tolist()


def test_readers_share_the_files(tmp_path: Path) -> None:
    data = make(tmp_path)
    shards = [data.shard(index, 3) for index in range(3)]
    assert sorted(number for shard in shards for number in shard.files) == [0, 1, 2, 3]
    for index, count in ((3, 3), (-1, 3), (0, 0)):
        with pytest.raises(HanabiError):
            data.shard(index, count)


@pytest.mark.learn
@pytest.mark.filterwarnings("ignore:This DataLoader will create 2 worker")  # on a single core
def test_a_data_loader_with_workers_reads_every_turn_once(tmp_path: Path) -> None:
    torch: Any = importlib.import_module("torch")
    options = {"num_workers": 2, "multiprocessing_context": "spawn"}
    loader = functools.partial(torch.utils.data.DataLoader, **options)
    data = make(tmp_path, format="npz")
    turns, names = whole(data), ["observation", "legal", "action", "game", "turn"]
    places = list(zip(turns["game"].tolist(), turns["turn"].tolist(), strict=True))
    bits: Any = hl.dataset.unpack_bits(turns["observation"], data.schema.bits)
    for batches in (
        loader(data.torch(16, names, shuffle=1), batch_size=None),
        loader(data.rows(names), batch_size=16, shuffle=True),
    ):
        seen = []
        for batch in batches:
            for row, place in enumerate(zip(batch["game"], batch["turn"], strict=True)):
                seen.append((int(place[0]), int(place[1])))
                assert batch["observation"][row].tolist() == bits[places.index(seen[-1])].tolist()
        assert sorted(seen) == places


def test_workers_read_files_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what little `TurnBatches` needs of PyTorch, so that it is tested without it too."""
    worker: list[Any] = [None]
    reader = SimpleNamespace(IterableDataset=object, get_worker_info=lambda: worker[0])
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_numpy=lambda array: array))
    monkeypatch.setitem(sys.modules, "torch.utils.data", reader)
    monkeypatch.delitem(sys.modules, "hanabilab.lab.dataset.batches", raising=False)
    data = make(tmp_path)
    batches = data.torch(7, ["game", "turn"])
    places = [(*row,) for batch in batches for row in zip(*batch.values(), strict=True)]
    shared = []
    for number in range(3):
        worker[0] = SimpleNamespace(id=number, num_workers=3)
        shared += [(*row,) for batch in batches for row in zip(*batch.values(), strict=True)]
    del sys.modules["hanabilab.lab.dataset.batches"]  # it has imported the substitute
    turns = whole(data)
    assert sorted(shared) == places == list(zip(turns["game"], turns["turn"], strict=True))


def test_pytorch_is_needed_for_its_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "hanabilab.lab.dataset.batches", raising=False)
    with pytest.raises(MissingExtraError, match=r"hanabilab\[learn\]"):
        make(tmp_path).torch(16)


def test_the_card_lists_every_column(tmp_path: Path) -> None:
    """What Hugging Face's library reads: a configuration for each table, with all features."""
    data = make(tmp_path)
    yaml = pytest.importorskip("yaml")
    head = yaml.safe_load((tmp_path / "README.md").read_text().split("---\n")[1])
    for config, info in zip(head["configs"], head["dataset_info"], strict=True):
        table = config["config_name"]
        assert info["config_name"] == table
        files = [data.folder.file(table, number) for number in data.files]
        assert sorted(tmp_path.glob(config["data_files"])) == files
        stored = pq.read_schema(files[0])
        assert {feature["name"] for feature in info["features"]} == set(stored.names)
        types = {
            each["name"]: pa.list_(pa.string())
            if "sequence" in each
            else pa.type_for_alias(each["dtype"])
            for each in info["features"]
        }
        wanted = pa.schema([(name, types[name]) for name in stored.names])
        assert pq.read_table(files[0]).cast(wanted).schema.equals(wanted)


@pytest.mark.learn
def test_hugging_face_reads_the_folder(tmp_path: Path) -> None:
    datasets: Any = importlib.import_module("datasets")
    data = make(tmp_path / "data")
    for table in ("turns", "games"):
        found = datasets.load_dataset(
            str(tmp_path / "data"), table, split="train", cache_dir=str(tmp_path / "cache")
        )
        assert found.num_rows == data.metadata["counts"][table]
        assert found[3] == data.arrow(table).slice(3, 1).to_pylist()[0]


def test_parquet_needs_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"hanabilab\[parquet\]"):
        make(tmp_path / "a")
    assert list(whole(make(tmp_path / "b", format="npz"))["game"][:1]) == [0]


def test_a_policy_learns_from_a_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(__file__).resolve().parents[2] / "examples" / "behaviour_cloning.py"
    same, mean = runpy.run_path(str(file))["main"](60, 2, 2)
    assert same > 0.2  # a random legal move is right far less often
    assert 0 <= mean <= 25
    assert "the same move as iggi" in capsys.readouterr().out


def test_bench_has_a_figure_for_each_kind(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hanabilab.bench.workloads.STRATEGY", "random")
    code, out, _ = command("bench", "dataset", "--seconds", "0.001", "--json")
    assert code == 0
    speeds = json.loads(out)
    assert list(speeds[".parquet, canonical"]) == ["2", "3", "4", "5"]
    assert all(speed > 0 for row in speeds.values() for speed in row.values())
