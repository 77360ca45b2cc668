"""Jobs: the same results as from Python and the command line, progress and cancellation."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.formats.describe import Labels
from hanabilab.table.play import play
from hanabilab.table.players import explain_game
from hanabilab.web.game_requests import decode_game, encode_game
from hanabilab.web.jobs import scheduler
from tests.conftest import Answer
from tests.web.clients import LONG, Message, Site, Socket

Command = Callable[..., Answer]
CHANGING = ("seconds", "games_per_second", "threads")


def lasting(data: Message) -> Message:
    """Return a result without what differs from run to run."""
    return {key: value for key, value in data.items() if key not in CHANGING}


def same_as_command(site: Site, command: Command, kind: str, fields: Message, *words: str) -> Any:
    """Return the answer after a check that the command line gives the same."""
    answer = site.ask(kind, **fields)
    code, out, err = command(kind, *words, "--json")
    assert code == 0, err
    printed = json.loads(out)
    assert {key: answer[key] for key in lasting(printed)} == lasting(printed)
    return answer


def test_about(site: Site) -> None:
    about = site.get("/api/about").json()
    names = [strategy["name"] for strategy in about["strategies"]]
    assert names == [name for name in hl.strategies.STRATEGIES if name != "human"]
    assert about["version"] == hl.__version__
    for rules in about["rules"]:
        for players in rules["players"]:
            fields = {**rules["fields"], "hand_size": rules["hands"][str(players)]}
            assert hl.Rules.from_dict(fields, players) == hl.preset(rules["name"], players)


def test_simulate(site: Site, command: Command) -> None:
    fields = {"strategy": "random", "players": 3, "games": 500, "seed": 2, "repeats": 2}
    words = ["random", "--players", "3", "--games", "500", "--seed", "2", "--repeats", "2"]
    answer = same_as_command(site, command, "simulate", fields, *words)
    rows = list(csv.DictReader(io.StringIO(answer["csv"])))
    assert [int(row["games"]) for row in rows] == answer["histogram"]
    assert answer["interrupted"] is False


def test_simulate_a_mixed_team(site: Site) -> None:
    team = ["random", "rule-based"]
    answer = site.ask("simulate", strategy=team, players=2, games=50, rules={"lives": None})
    rules = hl.Rules.classic(2, lives=None)
    assert answer["mean"] == hl.simulate(team, games=50, rules=rules).mean


def test_compare(site: Site, command: Command) -> None:
    fields = {"strategies": ["random", "rule-based"], "players": 2, "games": 200}
    words = ["random", "rule-based", "--players", "2", "--games", "200"]
    answer = same_as_command(site, command, "compare", fields, *words)
    assert len(list(csv.DictReader(io.StringIO(answer["csv"])))) == 2


def test_crossplay(site: Site, command: Command) -> None:
    fields = {"strategies": ["random", "rule-based"], "players": 2, "games": 100}
    words = ["random", "rule-based", "--players", "2", "--games", "100"]
    same_as_command(site, command, "crossplay", fields, *words)


def test_sweep(site: Site, command: Command) -> None:
    options = {"play-threshold": "0.5,0.6", "hint-rule": "1,2"}
    fields = {"strategy": "rule-based", "options": options, "players": 2, "games": 50}
    line = "rule-based --vary play-threshold=0.5,0.6 --vary hint-rule=1,2 --players 2 --games 50"
    answer = same_as_command(site, command, "sweep", fields, *line.split())
    assert len(answer["cells"]) == 4


def test_the_games_behind_a_bar(site: Site) -> None:
    chosen = {"strategy": "rule-based", "players": 3, "seed": 4, "games": 300}
    histogram = site.ask("simulate", **chosen)["histogram"]
    score = max(range(len(histogram)), key=histogram.__getitem__)
    found: list[int] = []
    following: int | None = 0
    addresses = []
    while following is not None:
        part = site.ask("games", **chosen, score=score, first=following, most=10)
        assert len(part["games"]) <= 10
        found += part["games"]
        addresses += part["addresses"]
        following = part["next"]
    assert found == sorted(set(found))
    assert len(found) == histogram[score]
    for game in (found[0], found[-1]):
        replay = site.ask("replay", strategy="rule-based", players=3, seed=4, game=game, count=1)
        assert replay["score"] == score
        assert replay["address"] == addresses[found.index(game)]


def test_replay_of_a_strategy(site: Site) -> None:
    deck = hl.Deck.shuffled(players=3, seed=7, game=2)
    game = play("information", deck, seed=7, game=2)
    chosen = {"strategy": "information", "players": 3, "seed": 7, "game": 2}
    replay = site.ask("replay", **chosen)
    assert replay["game"] == json.loads(json.dumps(game.to_dict()))
    frames = [frame["facts"] for frame in replay["frames"]]
    assert [frame["turn"] for frame in frames] == list(range(game.turn + 1))
    assert all(card["card"] for frame in frames for hand in frame["hands"] for card in hand)
    labels = Labels.of(["Alice", "Bob", "Cathy"])
    whys = explain_game(game, "information", seed=7, game=2, labels=labels)
    assert [frame["last"]["why"] for frame in frames[1:]] == whys
    part = site.ask("replay", **chosen, eyes=1, first=10, count=5)
    assert [frame["facts"]["turn"] for frame in part["frames"]] == [10, 11, 12, 13, 14]
    for frame in part["frames"]:
        assert all(card["card"] is None for card in frame["facts"]["hands"][1])
        assert frame["facts"]["viewer"] == 1
    public = site.ask("replay", **chosen, eyes=None, count=1)["frames"][0]["facts"]
    assert all(card["card"] is None for hand in public["hands"] for card in hand)


def test_what_a_board_says(site: Site) -> None:
    """Compare the facts with the game itself, as a player sees it."""
    chosen = {"strategy": "piers", "players": 2, "seed": 1, "eyes": 0}
    replay = site.ask("replay", **chosen)
    game = hl.Game.from_json(replay["game"])
    again = hl.Game(game.rules, game.deck)
    for turn, frame in enumerate(replay["frames"]):
        if turn:
            again.act(game.actions[turn - 1])
        facts = frame["facts"]
        assert facts["score"] == again.score
        assert facts["fireworks"] == again.fireworks
        assert (facts["lives"], facts["hint_tokens"]) == (again.lives, again.hint_tokens)
        for slot, known in enumerate(again.knowledge(0)):
            card = facts["hands"][0][slot]
            assert card["possible"] == list(known.possible)
            assert card["playable"] == pytest.approx(known.playable, abs=1e-4)
            assert card["dead"] == pytest.approx(known.dead, abs=1e-4)
        for slot, known in enumerate(again.knowledge(1, public=True)):
            assert facts["hands"][1][slot]["possible"] == list(known.possible)


def test_an_address_leads_to_the_same_game(site: Site) -> None:
    from urllib.parse import parse_qs

    rules = {"preset": "classic", "lives": 1}
    deck = str(hl.Deck.shuffled(players=2, seed=3))
    addressed: list[Message] = [
        {"strategy": ["piers", "rule-based:hint-rule=2"], "rules": rules, "seed": 5, "game": 9},
        {"strategy": "compose:rule-list=play-safe+discard-oldest+tell-randomly", "seed": 5},
        {"strategy": "random", "deck": deck, "seed": 8},
        {"strategy": "random"},
    ]
    for chosen in addressed:
        replay = site.ask("replay", **chosen, players=2, count=1)
        said: dict[str, Any] = {}
        for key, values in parse_qs(replay["address"]).items():
            said[key] = values if key == "strategy" else values[0]
        for key in ("players", "seed", "game"):
            said[key] = int(said[key])
        if said["rules"].startswith("{"):
            said["rules"] = json.loads(said["rules"])
        assert site.ask("replay", **said, count=1)["game"] == replay["game"]
        assert site.ask("replay", code=replay["code"], count=1)["game"] == replay["game"]


def test_replay_of_a_card_played_from_the_draw_pile(site: Site) -> None:
    """Replay a random game whose last card is played from the draw pile: no hand changes."""
    rules = {"preset": "classic", "deck_plays": True, "lives": None}
    replay = site.ask("replay", strategy="random", players=3, rules=rules, seed=58)
    frames = [frame["facts"] for frame in replay["frames"]]
    turn = next(frame["turn"] for frame in frames if (frame["last"] or {}).get("slot") == 5)
    before, after = (
        [[card["order"] for card in hand] for hand in frames[shown]["hands"]]
        for shown in (turn - 1, turn)
    )
    assert before == after
    assert all(49 not in hand for hand in after)


def test_replay_of_a_pasted_game(site: Site) -> None:
    game = play("iggi", hl.Deck.shuffled(players=2, seed=1))
    replay = site.ask("replay", text=json.dumps(game.to_dict()))
    assert replay["score"] == game.score
    assert decode_game(replay["code"]) == game
    assert replay["address"] == f"code={encode_game(game)}"
    two = json.dumps(game.to_dict()) * 2
    assert "several games" in site.refuse("replay", text=two)


def test_games_of_hanab_live(site: Site, command: Command, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    game = play("iggi", hl.Deck.shuffled(hl.preset("No Variant", 3), seed=1))
    file.write_text(json.dumps(game.to_dict()))
    for form in ("hanablive", "link"):
        code, out, err = command("convert", file, form)
        assert code == 0, err
        replay = site.ask("replay", text=out, count=1)
        assert decode_game(replay["code"]).actions == game.actions
        assert len(replay["names"]) == 3
    seed = site.ask("solve", deck="p3v0s1")
    assert (seed["players"], seed["winnable"]) == (3, True)
    assert seed["deck"] == site.ask("replay", text="p3v0s1")["deck"]
    assert "is for 3 players" in site.refuse("solve", deck="p3v0s1", players=2)
    rules = {"preset": ["classic"]}
    assert "not a name" in site.refuse("solve", deck="p3v0s1", rules=rules)


def test_solve(site: Site, command: Command) -> None:
    answer = site.ask("solve", players=2, seed=7)
    code, out, err = command("solve", "--players", "2", "--seed", "7", "--json")
    assert code == 0, err
    assert answer["winnable"] is json.loads(out)["winnable"] is True
    line = decode_game(answer["code"])
    assert line.score == 25
    assert line.deck == hl.Deck.shuffled(players=2, seed=7)
    assert site.ask("solve", players=2, deck=str(line.deck))["winnable"] is True
    assert site.ask("solve", players=3)["winnable"] in (True, False, None)


def test_a_puzzle_has_one_move_that_keeps_the_maximum(site: Site) -> None:
    rules = {"preset": "Critical Fours (5 Suits)"}
    found = site.ask("puzzle", players=3, rules=rules, seed=1)
    assert [move["keeps"] for move in found["moves"]].count(True) == 1
    assert found["losing"] == len(found["moves"]) - 1
    game = decode_game(found["code"])
    assert (game.player, game.state.draw_pile) == (found["player"], found["draw_pile"])
    assert hl.solve(game).winnable
    assert site.ask("puzzle", players=3, rules=rules, seed=1, game=found["game"]) == found


def test_solve_from_the_middle(site: Site) -> None:
    deck = hl.Deck.shuffled(players=2, seed=7)
    game = hl.Game(deck=deck)
    answer = site.ask("solve", code=encode_game(play("iggi", deck)), turn=5)
    assert answer["from"] == 5
    if answer["winnable"]:
        line = decode_game(answer["code"])
        assert line.actions[:5] == play("iggi", deck).actions[:5]
        assert line.score == 25
    while not game.is_over:
        game.act("play 0")
    lost = site.ask("solve", code=encode_game(game))
    assert lost["winnable"] is False
    assert "the game is over" in lost["reason_words"]


def test_analyze(site: Site) -> None:
    game = play("iggi", hl.Deck.shuffled(players=2, seed=7))
    answer = site.ask("analyze", code=encode_game(game), time_limit=2)
    found = hl.analyze(game, time_limit=2)
    assert answer["lost_at"] == found.lost_at
    assert len(answer["turns"]) == game.turn
    assert answer["words"]


def test_counting(site: Site, command: Command) -> None:
    same_as_command(
        site,
        command,
        "count",
        {"counts": "2 2 2 / 2 2 2", "hand": 3, "scores": True},
        *["2", "2", "2", "/", "2", "2", "2", "--hand", "3", "--scores"],
    )
    cards = "r2 r1 y3 y1 r3 y2 r1"
    same_as_command(
        site,
        command,
        "sequence",
        {"cards": cards, "goal": 4, "hand": 2, "explain": True},
        *cards.split(),
        *["--goal", "4", "--hand", "2", "--explain"],
    )
    small = {"ranks": 3, "suits": 3, "copies": [2, 2, 2], "hand_size": 2}
    rules = [f"--set-rule={name.replace('_', '-')}={small[name]}" for name in ("ranks", "suits")]
    rules += ["--set-rule=copies=2,2,2", "--set-rule=hand-size=2", "--players", "2"]
    same_as_command(site, command, "pace", {"players": 2, "rules": small}, *rules)
    deck = str(hl.Deck.shuffled(players=2, seed=7))
    fields = {"players": 2, "deck": deck}
    same_as_command(site, command, "pace", fields, "--players", "2", "--deck", deck)


def test_tables_of_the_papers(site: Site) -> None:
    tables = site.ask("papers")["tables"]
    assert {"thesis.A", "kessler.5.1"} <= {table["id"] for table in tables}
    answer = site.ask("papers", table="kessler.5.1")
    assert {item["verdict"] for item in answer["items"]} == {"agrees"}
    assert all(item["row"] and item["column"] for item in answer["items"])
    assert "unknown table" in site.refuse("papers", table="thesis.B1")


def ask(socket: Socket, number: int, kind: str, **fields: Any) -> None:
    socket.send({"type": "ask", "id": number, "kind": kind, **fields})


def test_a_run_is_watched_to_its_end(site: Site) -> None:
    with site.socket("/ws/ask") as socket:
        ask(socket, 5, "simulate", strategy="rule-based", players=5, games=30_000)
        assert socket.hear() == {"type": "status", "id": 5, "words": "waiting"}
        assert socket.hear() == {"type": "status", "id": 5, "words": "preparing"}
        done = [0]
        while (message := socket.hear())["type"] == "progress":
            assert message["total"] == 30_000
            if message.get("result"):
                assert sum(message["result"]["histogram"]) == message["result"]["games"]
                assert message["result"]["stderr"] > 0
            done.append(message["done"])
    assert done == sorted(done)
    assert len(done) > 1
    assert message["type"] == "answer"
    assert message["answer"]["games"] == 30_000


def test_cancelling(site: Site) -> None:
    with site.socket("/ws/ask") as socket:
        for number in (1, 2, 3):
            ask(socket, number, "simulate", **LONG)
        socket.until("progress")
        for number in (1, 2, 3):
            socket.send({"type": "cancel", "id": number})
        ended = [socket.until("cancelled")["id"] for _ in range(3)]
        assert sorted(ended) == [1, 2, 3]
        ask(socket, 1, "simulate", strategy="random", players=2, games=10)  # its turn comes
        assert socket.until("answer", "error")["answer"]["games"] == 10
        socket.send({"type": "cancel", "id": 77})  # nobody asked


def test_a_closed_socket_cancels(site: Site) -> None:
    for _ in range(3):
        with site.socket("/ws/ask") as socket:
            for number in (1, 2):
                ask(socket, number, "simulate", **LONG)
            socket.until("progress")
    assert site.ask("simulate", strategy="random", players=2, games=10)["games"] == 10


def test_one_socket_has_a_limited_number_of_jobs(site: Site) -> None:
    with site.socket("/ws/ask") as socket:
        for number in range(scheduler.MAX_OPEN_PER_SESSION + 1):
            ask(socket, number, "simulate", **LONG)
        refused = socket.until("error")
        assert refused["id"] == scheduler.MAX_OPEN_PER_SESSION
        ask(socket, 0, "count", counts="1 1")
        assert "not answered yet" in socket.until("error")["error"]
        with site.socket("/ws/ask") as other:
            ask(other, 1, "count", counts="2 2")
            assert other.until("answer")["answer"]["total"] == 6


def test_a_run_that_takes_too_long_ends_with_what_it_has(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.ask("simulate", **LONG | {"games": 10})  # so that it is compiled
    monkeypatch.setattr(scheduler, "MAX_SECONDS", 3.0)
    answer = site.ask("simulate", **LONG)
    assert answer["interrupted"] is True
    assert 0 < answer["games"] < 1_000_000
