"""The command line: what `play`, `replay` and `rules` promise."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabilab import Game, __version__, preset
from hanabilab.cli import COMMANDS
from hanabilab.game.rules import PRESETS, Rules
from tests.conftest import Answer

Command = Callable[..., Answer]

KEYS = ["rules", "players", "deck", "actions", "score", "lives", "hint_tokens", "turns", "end"]
STATE_KEYS = ["score", "lives", "hint_tokens", "draw_pile", "fireworks", "legal"]
ACTION_KEYS = {
    "play": ["player", "type", "slot"],
    "discard": ["player", "type", "slot"],
    "hint_rank": ["player", "type", "target", "value"],
    "hint_suit": ["player", "type", "target", "value"],
    "pass": ["player", "type"],
}


def played(command: Command, *options: str) -> dict[str, Any]:
    code, out, err = command("play", "random", "--json", *options)
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    data: dict[str, Any] = json.loads(out)
    return data


def replayed(command: Command, path: Path, *options: str) -> list[dict[str, Any]]:
    code, out, err = command("replay", path, "--json", *options)
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


GAMES = [
    ("--players", "3", "--seed", "1"),
    (
        "--players",
        "2",
        "--seed",
        "1",
        "--game",
        "7",
        "--rules",
        "thesis",
        "--set-rule",
        "lives=unlimited",
    ),
    ("--rules", "cox-program", "--seed", "4"),
    ("--rules", "open", "--players", "6", "--set-rule", "hint-tokens=3"),
    ("--rules", "rainbow-dutch", "--seed", "12", "--set-rule", "discard_at_full=yes"),
    ("--players", "10", "--set-rule", "hand-size=3", "--set-rule", "hint-tokens=unlimited"),
    (
        "--set-rule",
        "ranks=3",
        "--set-rule",
        "suits=2",
        "--set-rule",
        "copies=2,1,1/0,2,1",
        "--set-rule",
        "hand-size=2",
    ),
    ("--players", "2", "--set-rule", "hand-size=1", "--any-deck", "--deck", "r1 r2 y1 y1 r3"),
]


@pytest.mark.parametrize("options", GAMES, ids=range(len(GAMES)))
def test_play_and_replay(command: Command, tmp_path: Path, options: tuple[str, ...]) -> None:
    """The contract of both: these keys, and what goes out comes back in."""
    game = played(command, *options)
    assert list(game) == KEYS
    assert isinstance(game["rules"], str | dict)
    assert game["turns"] == len(game["actions"])
    assert game["end"] in ("perfect", "lives", "deck")
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game))
    (again,) = replayed(command, path)
    states = again.pop("states")
    assert again == game
    check_states(game, states)


def check_states(game: dict[str, Any], states: list[dict[str, Any]]) -> None:
    assert len(states) == len(game["actions"])
    rules = Rules.from_dict(game["rules"], game["players"])
    stepped = Game(rules, game["deck"])
    for action, state in zip(game["actions"], states, strict=True):
        assert list(action) == ACTION_KEYS[action["type"]]
        assert action["player"] == stepped.player
        stepped.act(action)
        assert list(state) == STATE_KEYS
        assert state["fireworks"] == stepped.fireworks
        assert list(state["fireworks"]) == list("rygbwm"[: rules.suits])
        assert state["draw_pile"] == stepped.state.draw_pile
        assert state["score"] == stepped.score
        legal = [legal_action.to_dict(stepped.player) for legal_action in stepped.legal_actions()]
        assert state["legal"] == legal
        assert all(list(entry) == ACTION_KEYS[entry["type"]] for entry in legal)
    last = states[-1]
    for key in ("score", "lives", "hint_tokens"):
        assert last[key] == game[key]
    assert last["legal"] == []


def test_action_values(command: Command) -> None:
    """Ranks are numbers, suits letters, targets other players, slots within the hand."""
    seen = set()
    for game_number in range(8):
        game = played(command, "--players", "4", "--game", str(game_number))
        for action in game["actions"]:
            seen.add(action["type"])
            if action["type"] == "hint_rank":
                assert action["value"] in range(1, 6)
            if action["type"] == "hint_suit":
                assert action["value"] in list("rygbw")
            if action["type"].startswith("hint"):
                assert action["target"] in {0, 1, 2, 3} - {action["player"]}
            else:
                assert action["slot"] in range(4)
    assert seen == {"play", "discard", "hint_rank", "hint_suit"}


def test_the_same_seed_gives_the_same_game(command: Command) -> None:
    first = played(command, "--players", "3", "--seed", "5")
    assert played(command, "--players", "3", "--seed", "5") == first
    assert played(command, "--players", "3", "--seed", "6")["deck"] != first["deck"]
    other = played(command, "--players", "3", "--seed", "5", "--rules", "thesis")
    assert other["deck"] == first["deck"]


def test_play_in_words(command: Command) -> None:
    code, out, err = command("play", "random", "--players", "3", "--seed", "1")
    assert (code, err) == (0, "")
    game = played(command, "--players", "3", "--seed", "1")
    lines = [line for line in out.splitlines() if line.startswith("turn ")]
    assert len(lines) == game["turns"]
    for number, (line, action) in enumerate(zip(lines, game["actions"], strict=True), 1):
        verb = {"play": "plays", "discard": "discards"}.get(action["type"], "tells")
        assert re.match(rf"turn {number}: player {action['player']} {verb} ", line)
    assert out.count("fireworks") == game["turns"] + 1
    assert out.splitlines()[-1].startswith(
        f"score {game['score']} of 25 after {game['turns']} turns"
    )


def test_replay_in_words(command: Command, tmp_path: Path) -> None:
    game = played(command, "--players", "2", "--seed", "2")
    path = tmp_path / "game.json"
    path.write_text(json.dumps(game))
    code, out, err = command("replay", path)
    assert (code, err) == (0, "")
    assert out.count("\nturn ") == game["turns"]


def test_replay_of_unfinished_games(command: Command, tmp_path: Path) -> None:
    game = played(command, "--players", "2", "--seed", "2")
    path = tmp_path / "game.json"
    for length in (0, 1, 5):
        part = {key: game[key] for key in ("rules", "players", "deck")}
        part["actions"] = game["actions"][:length]
        path.write_text(json.dumps(part))
        (again,) = replayed(command, path)
        assert again["end"] is None
        assert again["turns"] == len(again["states"]) == length
        assert command("replay", path)[1].rstrip().endswith("the game goes on")


def test_many_games(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One per line, with blank lines, pretty-printed, or from standard input."""
    games = [played(command, "--players", "2", "--game", str(number)) for number in range(3)]
    texts = [
        "\n".join(map(json.dumps, games)),
        "\n\n" + "\n\n".join(map(json.dumps, games)) + "\n\n",
        "\r\n".join(map(json.dumps, games)),
        "\n".join(json.dumps(game, indent=2) for game in games),
        "".join(map(json.dumps, games)),
    ]
    for text in texts:
        path = tmp_path / "games.jsonl"
        path.write_text(text, encoding="utf-8", newline="")
        answers = replayed(command, path)
        assert [{key: answer[key] for key in KEYS} for answer in answers] == games
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        code, out, err = command("replay", "-", "--json")
        assert (code, err) == (0, "")
        assert [json.loads(line) for line in out.splitlines()] == answers


def test_replay_under_other_rules(command: Command, tmp_path: Path) -> None:
    """`--rules` takes the place of the file's rules; the number of players stays."""
    game = played(command, "--players", "3", "--rules", "hle", "--seed", "3")
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**game, "rules": "no such rules"}))
    (again,) = replayed(command, path, "--rules", "hle")
    assert {key: again[key] for key in KEYS} == game
    code, _, err = command("replay", path)
    assert code == 2
    assert "line 1: rules: unknown preset 'no such rules'" in err


def test_defaults_of_a_file(command: Command, tmp_path: Path) -> None:
    """Only the deck and the actions are needed; a deck may be a list."""
    game = played(command, "--players", "2")
    path = tmp_path / "game.json"
    path.write_text(json.dumps({"deck": game["deck"].split(), "actions": game["actions"]}))
    (again,) = replayed(command, path)
    assert {key: again[key] for key in KEYS} == game
    for action in game["actions"]:
        del action["player"]
    path.write_text(json.dumps({"deck": game["deck"], "actions": game["actions"]}))
    (again,) = replayed(command, path)
    assert again["score"] == game["score"]


def test_wrong_claims_are_reported(command: Command, tmp_path: Path) -> None:
    game = played(command, "--players", "2")
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**game, "score": 26}))
    code, out, err = command("replay", path, "--json")
    assert code == 0
    assert json.loads(out)["score"] == game["score"]
    assert err == f"line 1: the file says score 26, its actions give {game['score']}\n"


def test_illegal_actions_are_refused_with_line_and_number(command: Command, tmp_path: Path) -> None:
    game = played(command, "--players", "2", "--seed", "2")
    spoiled = json.loads(json.dumps(game))
    spoiled["actions"][3] = {"player": 1, "type": "play", "slot": 7}
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(game) + "\n\n" + json.dumps(spoiled) + "\n")
    code, out, err = command("replay", path, "--json")
    assert code == 2
    assert len(out.splitlines()) == 1  # the first game is fine
    assert err == (
        "hanabilab replay: line 3: action 4: player 1 cannot play slot 7: "
        "there is no slot 7 in a hand of 5 cards\n"
    )
    spoiled["actions"][3] = {**game["actions"][3], "player": 0}
    path.write_text(json.dumps(spoiled))
    code, _, err = command("replay", path)
    assert code == 2
    assert "line 1: action 4: it is player 1's turn, not player 0's" in err
    longer = {**game, "actions": [*game["actions"], {"player": 0, "type": "play", "slot": 0}]}
    path.write_text(json.dumps(longer))
    code, _, err = command("replay", path)
    assert code == 2
    assert f"line 1: action {game['turns'] + 1}: " in err
    assert "the game is over" in err


def test_rules_side_by_side(command: Command) -> None:
    code, out, err = command("rules")
    assert (code, err) == (0, "")
    for name in PRESETS:
        assert len(re.findall(rf"^{name} ", out, re.MULTILINE)) == 1
    code, out, _ = command("rules", "--json")
    table = json.loads(out)
    assert list(table) == list(PRESETS)
    for name, fields in table.items():
        assert Rules.from_dict(fields) == preset(name)
    code, out, _ = command("rules", "cox", "--players", "4", "--json")
    assert Rules.from_dict(json.loads(out)) == preset("cox", 4)
    code, out, _ = command("rules", "cox")
    assert code == 0
    assert re.search(r"^discard-at-full +yes +discard with all hint tokens$", out, re.MULTILINE)
    assert command("rules", "poker")[0] == 2


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: Command, name: str) -> None:
    code, out, err = command(name, "--help")
    assert (code, err) == (0, "")
    assert "examples:\n" in out
    assert (
        f"\n  hanabilab {name}" in out.split("examples:\n")[0] + "\n" + out.split("examples:\n")[1]
    )


@pytest.mark.parametrize("name", ["play", "replay", "rules"])
def test_examples_work(
    command: Command, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examples of the help do what they say."""
    monkeypatch.chdir(tmp_path)
    game = played(command, "--players", "2")
    Path("game.json").write_text(json.dumps(game))
    Path("games.jsonl").write_text(json.dumps(game))
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(game)))
    help_text = command(name, "--help")[1].split("examples:\n")[1]
    examples = re.findall(r"^  hanabilab ([^<>\n]*)", help_text, re.MULTILINE)
    assert examples
    for example in examples:
        code, out, err = command(*example.split())
        assert (code, err) == (0, ""), example
        assert out


def test_version_and_usage(command: Command) -> None:
    assert command("--version")[1] == f"hanabilab {__version__}\n"
    assert command("--help")[0] == 0
    assert command()[0] == 2
    assert command("dance")[0] == 2


def test_ctrl_c_while_it_starts_is_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(names: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hanabilab.cli.build_parser", interrupt)
    assert command("rules") == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    ("words", "work", "problem"),
    [
        (["pace", "--simulate=0"], "hanabilab.cli.pace._show_losses", "--simulate: 0 is not"),
        (["pace", "--save", "x.svg"], "hanabilab.cli.pace._show_losses", "x.svg: "),
        (["bench", "--save", "x.svg"], "hanabilab.cli.bench._measured", "x.svg: figures are saved"),
        (["simulate", "random", "--save", "x.svg"], "hanabilab.lab.run.play_chunk", "x.svg: games"),
    ],
)
def test_arguments_are_checked_before_the_work(
    words: list[str],
    work: str,
    problem: str,
    command: Callable[..., Answer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(work, None)  # so that it could not be done
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert problem in err
