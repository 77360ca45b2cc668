"""JSON of hanab.live, read and written."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import hanabilab as hl
from hanabilab.errors import HanabiError
from hanabilab.formats.hanablive import LiveGame, live_from_dict, variant_of
from hanabilab.formats.hanablive.encoding import LiveAction, read_link
from tests.formats.live_games import RICH, example, live_games
from tests.site_rules import touches
from tests.test_malformed import Command


@given(live_games())
@settings(max_examples=25)
def test_the_objects_say_what_happened(game: hl.Game) -> None:
    """Work out the hints by hand, card by card, with the site's rules of touching."""
    data = game.to_hanablive()
    size = game.rules.hand_size
    hands = [list(range(p * size, (p + 1) * size)) for p in range(game.rules.players)]
    following = game.rules.players * size
    again = hl.Game(game.rules, game.deck)
    for action, ours in zip(data["actions"], game.actions, strict=True):
        hand = hands[again.player]
        event = again.act(ours)
        if action["type"] in (0, 1):
            card = data["deck"][action["target"]]
            assert event.card == card["suitIndex"] * 5 + card["rank"] - 1
            if action["target"] == following:  # the last card, played from the draw pile
                following += 1
                continue
            hand.remove(action["target"])
            if following < len(data["deck"]):
                hand.append(following)
                following += 1
            continue
        variant = variant_of(game.rules)
        for slot, place in enumerate(hands[action["target"]]):
            card = data["deck"][place]
            hint = action["type"], action["value"]
            told = touches(variant.name, variant.suit_names, *hint, card["suitIndex"], card["rank"])
            assert told == bool(event.touched >> slot & 1)


def test_data_of_the_site_is_kept_or_reported(command: Command, tmp_path: Path) -> None:
    file, other = tmp_path / "rich.json", tmp_path / "ours.json"
    file.write_text(json.dumps(RICH))
    code, out, err = command("convert", file, "hanablive")
    assert (code, json.loads(out), err) == (0, RICH, "")
    code, out, err = command("convert", file, "json")
    assert (code, err) == (0, "")
    other.write_text(out)
    assert json.loads(command("convert", other, "hanablive")[1]) == RICH
    code, out, err = command("convert", file, "link")
    assert code == 0
    assert err.count("\n") == 1
    for word in ("names of the players", "notes", "option timed", "option timeBase", "id"):
        assert word in err
    assert read_link(out).actions[-1] == LiveAction(4, 0, 4)
    assert json.loads(command("convert", out.strip(), "hanablive")[1])["actions"] == RICH["actions"]
    code, out, err = command("convert", file, "text")
    assert "how the game was ended" in err


def test_values_of_plays_are_written_as_they_were_read(command: Command, tmp_path: Path) -> None:
    """The site writes 0 with plays and discards; so do links that it makes of its exports."""
    data = example().to_hanablive()
    for action in data["actions"]:
        action.setdefault("value", 0)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(data))
    assert json.loads(command("convert", file, "hanablive")[1]) == data
    link = command("convert", file, "link")[1].strip()
    assert link != example().link()
    assert command("convert", link, "link")[1].strip() == link
    assert json.loads(command("convert", link, "hanablive")[1]) == data


def test_end_conditions_are_kept() -> None:
    data = {**RICH, "actions": [{"type": 5, "target": 1, "value": 2}]}
    found: LiveGame = live_from_dict(data)
    assert (found.actions, found.extras["end"]) == ([], data["actions"][0])


def starved(**changes: Any) -> hl.Game:
    """A game that uses every option we have a rule for, the play from the draw pile included."""
    rules = hl.preset("Clue Starved & Prism (5 Suits)", 3, **changes)
    game = hl.Game(rules, hl.Deck.shuffled(rules, seed=5))
    chance = random.Random(2)
    while not game.is_over:
        legal = game.legal_actions()
        deck_play = [a for a in legal if a.slot == rules.hand_size]
        others = [a for a in legal if a.type != "play"]
        game.act(chance.choice(deck_play or others))
    return game


def test_every_option_of_the_site_is_read_and_written() -> None:
    game = starved(first_player=2, deck_plays=True, empty_hints=True, hand_size=6)
    assert any(a.slot == 6 for a in game.actions if a.type == "play")
    data = game.to_hanablive()
    assert data["options"] == {
        "startingPlayer": 2,
        "variant": "Clue Starved & Prism (5 Suits)",
        "emptyClues": True,
        "deckPlays": True,
        "oneExtraCard": True,
    }
    assert hl.Game.read(json.dumps(data)) == game


@pytest.mark.parametrize(
    ("options", "beside"),
    [
        ({"variant": "Pink (5 Suits)"}, {}),
        ({"variantName": "pink (5 suits)", "variantID": 107, "numPlayers": 2}, {}),
        (None, {"variant": "Pink (5 Suits)"}),
        ({"variant": "Pink (5 Suits)", "timed": False, "deckPlays": None}, {"variant": 107}),
    ],
)
def test_places_of_the_variant(options: dict[str, Any] | None, beside: dict[str, Any]) -> None:
    game = hl.play("cheat", hl.Deck.from_seed("p2v107sx"))
    data = {**game.to_hanablive(), "options": options, **beside}
    assert hl.Game.read(json.dumps(data)) == game


def test_only_the_maximum_counts() -> None:
    data = example().to_hanablive()
    data["options"] = {"allOrNothing": True}
    game = hl.Game.read(json.dumps(data))
    assert (game.rules.all_or_nothing, game.rules.deck_ends, game.score) == (True, False, 0)
    assert game.to_hanablive() == data


def test_the_hint_of_a_rainbow_suit_does_not_exist() -> None:
    game = hl.Game(deck="p2v3s1", empty_hints=True)
    with pytest.raises(HanabiError, match="a rainbow suit has no hint of its own"):
        game.act("hint 1 m")
    assert all(action.value != 5 for action in game.legal_actions() if action.type == "hint_suit")


def put_option(name: str, value: object) -> dict[str, Any]:
    return {**example().to_hanablive(), "options": {name: value}}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (put_option("detrimentalCharacters", True), "Characters is not supported: with Det"),
        ({**RICH, "characters": [{"name": "Fuming"}] * 2}, "characters are not supported"),
        (put_option("startingPlayer", 2), "startingPlayer: 2 is not between 0 and 1"),
        (put_option("startingPlayer", "x" * 200), r"startingPlayer: 'x{56}\.\.\. is not an int"),
        (put_option("gravity", True), "gravity is unknown"),
        (put_option("variant", "Rainbw (6 Suits)"), r"did you mean Rainbow \(6 Suits\)"),
        (put_option("variant", 3), r"Rainbow \(6 Suits\) has 60"),
        (put_option("variantID", 2426), "unknown variant 2426; .* 0 to 2425"),
        ({**put_option("variant", "No Variant"), "variant": "6 Suits"}, "differ"),
        (put_option("variant", "6 Suits"), "has 50 cards; 6 Suits has 60"),
        (put_option("oneExtraCard", 1), "not true or false"),
        ({**RICH, "seed": "p2v0s2"}, "deals another deck"),
        ({**RICH, "players": ["A"]}, "expected 2 to 6 names, not 1"),
        ({**RICH, "players": [1, 2]}, "list of names"),
        ({**RICH, "deck": RICH["deck"][1:]}, "has 49 cards"),
        ({**RICH, "deck": [{"suitIndex": 5, "rank": 1}] * 50}, "card 1: suit: 5"),
        ({**RICH, "deck": [{"suitIndex": 0, "rank": 6}] * 50}, "card 1: rank: 6"),
        ({**RICH, "deck": [{"suitIndex": 0, "rank": 1}] * 50}, "at most 31"),
        ({**RICH, "deck": [{"suitIndex": True, "rank": 1}] * 50}, "suitIndex: True"),
        ({**RICH, "actions": [{"type": 0, "target": 9}]}, "action 1: card 9 .* player 0"),
        ({**RICH, "actions": [{"type": 9, "target": 0}]}, "action 1: unknown type 9"),
        ({**RICH, "actions": [{"type": 2, "target": 1, "value": 5}]}, "unknown colour 5"),
        ({**RICH, "actions": [{"type": 2, "target": 1}]}, "needs a value"),
        ({**RICH, "actions": [{"type": 3, "target": 0, "value": 1}]}, "another player"),
        ({**RICH, "actions": [{"type": 3, "target": 7, "value": 1}]}, "unknown player 7"),
        ({**RICH, "actions": [{"type": 3, "target": 1, "value": 9}]}, "no such rank"),
        ({**RICH, "actions": [{"type": 1, "target": 0}]}, "all 8 hint tokens"),
        ({**RICH, "actions": [RICH["actions"][-1]] * 2}, "more actions follow"),
        ({**RICH, "actions": {"type": 0}}, "is not a list"),
        ({**RICH, "notes": json.loads("[" * 80 + "]" * 80)}, "nested too deeply"),
    ],
)
def test_bad_objects(data: dict[str, Any], words: str) -> None:
    with pytest.raises(HanabiError, match=words) as caught:
        hl.Game.read(json.dumps(data))
    assert str(caught.value).startswith("line 1: ")
