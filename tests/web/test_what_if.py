"""Replays keep names and reasons, and show what if somebody had acted otherwise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hanabilab import Deck, Game, play
from hanabilab.web.game_requests import Participants, decode_game, decode_participants, encode_game
from tests.web.clients import Message, Site, harmless


def finished(site: Site, **more: object) -> tuple[Message, list[Message]]:
    """Play a table to its end; return the last message and all turns as the person was told."""
    setup = {"players": 3, "humans": [1], "strategies": ["piers", "information"], "seed": 6}
    table = site.table(**setup, names=["Ann", "Ben", "Cleo"], rules={"suits": 3}, **more)
    with site.seat(table, 1) as seat:
        over = seat.play(harmless)
    with site.seat(table, 1) as seat:
        turns: list[Message] = seat.socket.until("turns")["turns"]
    return over, turns


def test_a_replay_of_ones_own_game_keeps_names_and_reasons(site: Site) -> None:
    over, turns = finished(site)
    replay = site.ask("replay", code=over["code"], eyes=1)
    assert replay["names"] == ["Ann", "Ben", "Cleo"]
    assert replay["roles"] == ["piers", "", "information"]
    lasts = [frame["facts"]["last"] for frame in replay["frames"][1:]]
    assert len(lasts) == len(turns) > 20
    for last, turn in zip(lasts, turns, strict=True):
        if last["player"] == 1:
            assert last["why"] is None
        else:
            said = re.sub(r"\byou\b", "Ben", turn["why"])
            assert re.sub(r"\byou\b", "Ben", last["why"]) == said
    again = site.ask("replay", code=replay["address"].removeprefix("code="))
    assert again["names"] == replay["names"]
    assert all(each["facts"]["last"]["why"] for each in again["frames"][1:4:2])


def test_another_action_and_strategies_go_on(site: Site) -> None:
    """Until then nothing changes; then the strategies play as they would have."""
    chosen = {"strategy": "piers", "players": 3, "seed": 4}
    game = play("piers", Deck.shuffled(players=3, seed=4), seed=4)
    offered = site.ask("what_if", **chosen, turn=5)
    assert offered["player"] == 2
    oldest = {"type": "discard", "slot": 0, "player": 2, "words": "discard slot 5"}
    assert oldest in offered["actions"]
    other = site.ask("what_if", **chosen, turn=5, action={"type": "discard", "slot": 0})
    line = decode_game(other["code"])
    assert line.actions[:5] == game.actions[:5]
    assert str(line.actions[5]) == "discard slot 0"
    assert line.is_over
    assert (line.score, line.turn) == (other["score"], other["turns"])
    replay = site.ask("replay", code=other["code"])
    assert "what if" in replay["frames"][6]["facts"]["last"]["why"]
    assert all("(rule " in each["facts"]["last"]["why"] for each in replay["frames"][7:])


def test_the_same_action_gives_the_same_game(site: Site) -> None:
    """The strategies go on with the memories and coins that they had."""
    for name, turn in (("random", 4), ("information", 20), ("cautious", 11)):
        game = play(name, Deck.shuffled(players=3, seed=4), seed=4)
        action = game.actions[turn].to_dict(game.events[turn].player, "rygbw")
        same = {key: value for key, value in action.items() if key != "player"}
        found = site.ask("what_if", strategy=name, players=3, seed=4, turn=turn, action=same)
        assert decode_game(found["code"]) == game


def test_a_partner_takes_the_seats_of_people(site: Site) -> None:
    over, _ = finished(site)
    before = decode_game(over["code"])
    play_it = {"type": "play", "slot": 0}
    found = site.ask("what_if", code=over["code"], turn=4, action=play_it, partner="iggi")
    participants = decode_participants(found["code"], 3)
    assert participants is not None
    assert participants.names == ("Ann", "Ben", "Cleo")
    assert participants.strategies == ("piers", "iggi", "information")
    assert participants.since == (0, 4, 0)
    assert decode_game(found["code"]).actions[:4] == before.actions[:4]
    lasts = [
        frame["facts"]["last"] for frame in site.ask("replay", code=found["code"])["frames"][1:]
    ]
    assert lasts[1]["why"] is None  # Ben's own turn
    assert all(last["why"] for last in lasts[4:])
    twice = site.ask("what_if", code=found["code"], turn=9, action=play_it)
    again = decode_participants(twice["code"], 3)
    assert again is not None
    assert again.changed == (4, 9)


def test_what_cannot_be_asked(site: Site) -> None:
    game = play("iggi", Deck.shuffled(players=2, seed=1), seed=1)
    code = encode_game(game)
    assert "over" in site.refuse("what_if", code=code, turn=game.turn)
    assert "turn" in site.refuse("what_if", code=code, turn=999)
    refused = site.refuse("what_if", code=code, turn=0, action={"type": "discard", "slot": 0})
    assert "token" in refused or "discard" in refused
    assert "action" in site.refuse("what_if", code=code, turn=0, action=7)
    assert "partner" in site.refuse("what_if", code=code, turn=0, partner=7)


@pytest.mark.parametrize(
    "names", [["x" * 31, "b"], ["a"], [1, 2], "ab", ["a", "b", "c"]], ids=lambda each: str(each)[:9]
)
def test_a_code_with_wrong_participants_is_rejected(site: Site, names: object) -> None:
    game = Game(players=2, seed=1)
    participants = Participants(names, (None, None), (0, 0))  # type: ignore[arg-type]
    assert site.refuse("replay", code=encode_game(game, participants))


def test_a_code_names_no_program(site: Site, tmp_path: Path) -> None:
    """Whatever a code says, a replay starts no program and asks no unknown strategy."""
    game = play("iggi", Deck.shuffled(players=2, seed=1), seed=1)
    witness = tmp_path / "started"
    participants = Participants(("a", "b"), (f"exec:touch {witness}", "nobody"), (0, 0))
    replay = site.ask("replay", code=encode_game(game, participants))
    assert all(frame["facts"]["last"]["why"] is None for frame in replay["frames"][1:])
    assert not witness.exists()
