"""Links and JSON of hanab.live, converted from and to our own formats."""

from __future__ import annotations

import contextlib
import io
import json
import random
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hanabilab as hl
from hanabilab.cli import convert
from hanabilab.errors import FormatError, HanabiError
from hanabilab.formats.game_files import read_games
from hanabilab.formats.hanablive import LiveGame, live_from_dict, live_from_link, variant_of
from hanabilab.formats.hanablive.link import LINK, LiveAction, Payload, read_link
from hanabilab.game.variants import all_variants
from tests.formats.test_seeds import P2V0S1
from tests.site_rules import touches
from tests.tables import choose
from tests.test_malformed import VALUES, Command, places, put, refused

EXAMPLE = "215txrdkrpalnbqlubap-hiainvwudogufjfmewgp-mhsfcsckqkxyv,03lbah-aebf,0"
"""Alice hints Bob's 1s, Bob plays card 7, Alice plays card 4, Bob discards card 5."""


def example() -> hl.Game:
    return hl.Game.read(EXAMPLE)


def test_the_example() -> None:
    game = example()
    assert str(game.deck) == P2V0S1
    assert [action.to_text(game.rules.letters) for action in game.actions] == [
        "hint 1 1",
        "play 2",
        "play 4",
        "discard 0",
    ]
    assert game.score == 2
    assert game.link() == LINK + EXAMPLE
    actions = [LiveAction(3, 1, 1), LiveAction(0, 7), LiveAction(0, 4), LiveAction(1, 5)]
    assert read_link(EXAMPLE).actions == actions


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "https://hanab.live/replay-json/{}",
        "https://hanab.live/shared-replay-json/{}",
        "http://localhost:8081/replay-json/{}#5",
        "https://hanab.live/replay-json/{}?turn=5",
        "hanab.live/replay-json/{}/",
        "/replay-json/{}",
        "shared-replay-json/{}",
        "  {}\n",
    ],
)
def test_forms_of_a_link(form: str) -> None:
    for payload in (EXAMPLE, EXAMPLE.replace("-", ""), EXAMPLE.replace(",", "%2C")):
        if "%" not in payload or "replay-json" in form:
            assert hl.Game.read(form.format(payload)) == example()


@st.composite
def live_games(draw: st.DrawFn) -> hl.Game:
    """Any game that hanab.live can show, at any stage, with or without its options."""
    players = draw(st.integers(2, 6))
    name = draw(st.sampled_from([v.name for v in all_variants() if v.supported]))
    rules = hl.preset(name, players)
    changes: dict[str, Any] = {}
    if draw(st.booleans()):
        changes["hand_size"] = rules.hand_size + draw(st.sampled_from([-1, 1]))
    for switch in ("empty_hints", "deck_plays", "all_or_nothing"):
        if draw(st.integers(0, 3)) == 0:
            changes[switch] = True
    if draw(st.booleans()):
        changes["first_player"] = draw(st.integers(0, players - 1))
    rules = hl.preset(name, players, **changes)
    chance = random.Random(draw(st.integers(0, 1000)))
    cards = list(hl.Deck.shuffled(rules, seed=chance.randrange(1000)))
    if draw(st.booleans()):  # a puzzle: other cards, and not all ranks
        few = draw(st.sampled_from([range(2, 4), range(5), range(1)]))
        kinds = [suit * 5 + rank for suit in range(rules.suits) for rank in few]
        cards = [kinds[place % len(kinds)] for place in range(len(cards))]
        chance.shuffle(cards)
    deck = hl.Deck.of(rules, cards, any_deck=True)
    game = hl.Game(deck.rules, deck)
    for _ in range(draw(st.sampled_from([0, 1, 10, 200]))):
        if not game.is_over:
            game.act(choose(game, chance))
    return game


def as_text(game: hl.Game, form: str) -> str:
    """What `convert` prints."""
    from hanabilab.formats.game_text import game_lines

    if form == "link":
        return game.link()
    if form == "text":
        return "\n".join(game_lines(game.deck, game.actions))
    return json.dumps(game.to_dict() if form == "json" else game.to_hanablive())


@given(live_games())
@settings(max_examples=60)
def test_round_trips_are_identities(game: hl.Game) -> None:
    for form in ("json", "hanablive", "text"):
        again = hl.Game.read(as_text(game, form))
        assert again == game
        assert as_text(again, form) == as_text(game, form)
    payload = read_link(game.link())
    assert Payload(payload.players, payload.cards, payload.actions, payload.variant) == payload
    assert payload.link() == game.link()
    if not game.link_losses():
        assert hl.Game.read(game.link()) == game


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


def test_our_own_games_have_links(command: Command, tmp_path: Path) -> None:
    game = hl.play("cheat", hl.Deck.shuffled(players=4, seed=3))
    again = hl.Game.read(game.link())
    assert again.deck.cards == game.deck.cards
    assert again.actions == game.actions
    assert again.rules.preset == "No Variant"
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(game.to_dict()) + "\n" + json.dumps(example().to_dict()))
    links = f"{game.link()}\n{LINK}{EXAMPLE}\n"
    assert command("replay", file, "--link") == (0, links, "")
    assert command("convert", file, "link") == (0, links, "")
    arguments = ("--players", "4", "--seed", "3", "--link")
    assert command("play", "cheat", *arguments) == (0, game.link() + "\n", "")
    assert json.loads(command("play", "cheat", *arguments, "--json")[1])["link"] == game.link()


def test_a_file_that_starts_with_a_byte_order_mark(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "seed.txt"
    file.write_text("p2v0s1\n", encoding="utf-8-sig")
    assert command("convert", file, "link") == command("convert", "p2v0s1", "link")


def test_links_longer_than_any_name_of_a_file(command: Command) -> None:
    """A hint and a discard in turn, until all of 60 cards are drawn."""
    game = hl.Game(deck="p2v1s1")
    while len(game.link()) < 300:
        hints = [action for action in game.legal_actions() if action.type.startswith("hint")]
        game.act(hints[0] if game.turn % 2 == 0 else hl.Action.discard(0))
    payload = game.link().removeprefix(LINK)
    assert len(payload) > 255
    for link in (game.link(), payload, payload.replace("-", "")):
        assert command("convert", link, "link") == (0, game.link() + "\n", "")
    refused(command("convert", LINK + "a" * 5_000, "json"))
    refused(command("convert", "p2v0s" + "1" * 5_000 + "\udcff", "json"))


@pytest.mark.parametrize("form", ["json", "hanablive", "link", "text"])
def test_convert_from_everything_to_everything(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    wanted = as_text(example(), form)
    for source in ("json", "hanablive", "link", "text"):
        file = tmp_path / source
        file.write_text(as_text(example(), source))
        code, out, err = command("convert", file, form)
        assert (code, err) == (0, "")
        assert (json.loads(out) == json.loads(wanted)) if "{" in wanted else out == wanted + "\n"
        monkeypatch.setattr("sys.stdin", io.StringIO(as_text(example(), source) * 1))
        assert command("convert", "-", form) == (code, out, err)
    assert command("convert", EXAMPLE, form)[:2] == (0, out)


def test_several_games_and_their_lines(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "games"
    for source in ("json", "hanablive", "link", "text"):
        gap = "\n\n" if source == "text" else "\n"
        file.write_text(gap.join([as_text(example(), source)] * 3))
        for form in ("json", "hanablive", "link"):
            assert len(command("convert", file, form)[1].splitlines()) == 3
        blocks = command("convert", file, "text")[1].split("\n\n")
        assert len(blocks) == 3
    file.write_text(f"{EXAMPLE}\n\nhello\n")
    answer = command("convert", file, "text")
    assert answer[0] == 2
    assert "line 3: 'hello' is neither" in answer[2]


def test_a_seed_alone(command: Command) -> None:
    deck = hl.Deck.from_seed("p3v0s17")
    code, out, err = command("convert", "p3v0s17", "link")
    assert (code, err) == (0, "")
    assert out.endswith(",00,0\n")
    assert hl.Game.read(out).deck == deck
    data = json.loads(command("convert", "p3v0s17", "json")[1])
    assert (data["deck"], data["actions"], data["players"]) == (str(deck), [], 3)
    code, out, err = command("convert", "p3v0s17", "hanablive")
    assert code == 0
    assert "at least one action" in err
    assert json.loads(out)["seed"] == "p3v0s17"
    assert str(deck) in command("convert", "p3v0s17", "text")[1]


RICH: dict[str, Any] = {
    **example().to_hanablive(),
    "players": ["Zoë", "Ödön"],
    "id": 12345,
    "notes": [["a"], ["b\u2028"]],
    "options": {"timed": True, "timeBase": 60},
    "seed": "p2v0s1",
}
RICH["actions"] = [*RICH["actions"], {"type": 4, "target": 0, "value": 4}]


def test_what_only_the_site_knows_is_kept_or_said(command: Command, tmp_path: Path) -> None:
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


def test_options_that_a_link_leaves_out_are_said(command: Command) -> None:
    for rule, word in (
        ("hand-size=6", "oneExtraCard"),
        ("hand-size=4", "oneLessCard"),
        ("hand-size=7", "hand size of 7"),
        ("empty-hints=yes", "emptyClues"),
        ("lives=1", "lives (1)"),
        ("hint-tokens=unlimited", "hint tokens (unlimited)"),
    ):
        code, out, err = command("play", "cheat", "--link", "--rule", rule)
        assert code == 0
        assert out.startswith(LINK)
        assert word in err
        assert err.count("\n") == 1


def test_what_the_site_has_no_variant_for(command: Command) -> None:
    refused(command("play", "cheat", "--link", "--rule", "ranks=4"))
    refused(command("play", "cheat", "--link", "--rule", "suits=7"))
    refused(command("play", "cheat", "--link", "--players", "7", "--rule", "hand-size=3"))
    refused(command("play", "cheat", "--link", "--rules", "open"))


def put_option(name: str, value: object) -> dict[str, Any]:
    return {**example().to_hanablive(), "options": {name: value}}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (put_option("detrimentalCharacters", True), "detrimentalCharacters is not supported"),
        (put_option("startingPlayer", 2), "startingPlayer: 2 is not between 0 and 1"),
        (put_option("startingPlayer", "x" * 200), "startingPlayer: 'x{59}…? is not a whole"),
        (put_option("gravity", True), "gravity is unknown"),
        (put_option("variant", "Funnels (5 Suits)"), r"'Funnels \(5 Suits\)' .* needs funnels"),
        (put_option("variant", "Orange (5 Suits)"), "it needs inverted suits"),
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


def test_the_hint_of_a_rainbow_suit_does_not_exist() -> None:
    game = hl.Game(deck="p2v3s1", empty_hints=True)
    with pytest.raises(HanabiError, match="a rainbow suit has no hint of its own"):
        game.act("hint 1 m")
    assert all(action.value != 5 for action in game.legal_actions() if action.type == "hint_suit")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("", "ends at character 1"),
        ("715txr,00,0", "character 1, '7'"),
        ("2", "ends at character 2, before the lowest rank"),
        ("251txr,00,0", "character 3, '1', is not the highest rank"),
        ("215tx!r,00,0", "character 6, '!', is not a card"),
        ("21-5txr", "ends at character 8, before a comma after the deck"),
        (EXAMPLE.replace("03lb", "30lb"), "highest kind of action"),
        (EXAMPLE.replace("aebf", "aeb"), "the target of an action"),
        (EXAMPLE[:-1], "before the number of the variant"),
        (EXAMPLE + "x", "is not the number of the variant"),
        (EXAMPLE + "9" * 50, "is not the number of the variant"),
        (EXAMPLE[:-1] + "1383", r"'Synesthesia \(5 Suits\)' .* it needs synesthesia"),
        (EXAMPLE[:-1] + "9999", "unknown variant 9999"),
        (EXAMPLE[:-1] + "1", "has 50 cards; 6 Suits has 60"),
        (EXAMPLE.replace("txr", "tx"), "has 49 cards"),
        (EXAMPLE.replace("txr", "tZr"), "card 2: suit: 12"),
        (EXAMPLE.replace("03lbah", "03lbaa"), "action 2: card 0"),
        ("https://evil.example/other-json/" + EXAMPLE, "character 1, 'h'"),
    ],
)
def test_bad_links(command: Command, link: str, words: str) -> None:
    refused(command("convert", "replay-json/" + link, "text"))
    with pytest.raises(HanabiError, match=words):
        live_from_link("replay-json/" + link)


def test_a_link_too_long_to_be_one() -> None:
    with pytest.raises(FormatError, match="too many for a game"):
        live_from_link("a" * 1_000_000)


def test_end_conditions_are_kept() -> None:
    data = {**RICH, "actions": [{"type": 5, "target": 1, "value": 2}]}
    found: LiveGame = live_from_dict(data)
    assert (found.actions, found.extras["end"]) == ([], data["actions"][0])


# Whatever a reader is given, it returns a game or raises a HanabiError.


def try_to_read(text: str) -> None:
    try:
        for record in read_games(text):
            game = hl.Game.from_record(record)
            game.to_dict()
    except HanabiError:
        pass


TEXTS = [as_text(example(), form) for form in ("json", "hanablive", "link", "text")]
TEXTS += ["p2v0s1", EXAMPLE, json.dumps(RICH)]
NASTY = [
    "\x00",
    "\ud800",
    "٣",
    "NaN",
    "1e999",
    "9" * 5000,
    "[" * 3000,
    '{"',
    "-",
    ",",
    " ",
    "\n",
    "é",
]


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=200)
def test_changed_texts(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        new = data.draw(st.sampled_from(NASTY) | st.text(max_size=3) | st.just(text[start:][:5]))
        text = text[:start] + new + text[end:]
    try_to_read(text)
    try_to_read(text[: data.draw(st.integers(0, len(text)))])


@given(st.text() | st.text("0123456789abcxyzABC,-psv \n") | st.binary().map(str))
@settings(max_examples=200)
def test_any_text(text: str) -> None:
    for start in ("", "replay-json/", "p2v0s", "rules ", "players 2\ndeck ", "215"):
        try_to_read(start + text)


RICH_PLACES = places({**RICH, "deck": RICH["deck"][:3]})


@given(st.lists(st.tuples(st.sampled_from(RICH_PLACES), VALUES), min_size=1, max_size=2))
@settings(max_examples=120)
def test_anything_anywhere_in_an_object(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    data: Any = RICH
    for path, new in changes:
        try:
            data = put(data, path, new)
        except (KeyError, TypeError, AttributeError, IndexError):  # the place is gone
            continue
    file = tmp_path / "game.json"
    file.write_text(json.dumps(data))
    converted = convert_quietly(file, capsys)
    if converted:
        file.write_text(converted)
        assert convert_quietly(file, capsys) == converted
    file.write_text(json.dumps({**example().to_dict(), "hanablive": data}))
    convert_quietly(file, capsys)


def convert_quietly(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `convert` prints, or nothing if it refuses."""
    capsys.readouterr()
    with contextlib.suppress(HanabiError):
        convert.run(Namespace(input=str(file), format="hanablive", any_deck=False))
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "link",
    [
        "https://hanab.live/replay/123#5",
        "hanab.live/shared-replay/123",
        "http://hanab.live/replay/123/4",
    ],
)
def test_a_link_with_a_number_only_says_where_the_game_is(link: str) -> None:
    with pytest.raises(FormatError, match=r"https://hanab\.live/export/123$"):
        list(read_games(link))


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
def test_where_the_variant_stands(options: dict[str, Any] | None, beside: dict[str, Any]) -> None:
    game = hl.play("cheat", hl.Deck.from_seed("p2v107sx"))
    data = {**game.to_hanablive(), "options": options, **beside}
    assert hl.Game.read(json.dumps(data)) == game


def test_only_the_maximum_counts() -> None:
    data = example().to_hanablive()
    data["options"] = {"allOrNothing": True}
    game = hl.Game.read(json.dumps(data))
    assert (game.rules.all_or_nothing, game.rules.deck_ends, game.score) == (True, False, 0)
    assert game.to_hanablive() == data


def test_a_link_with_a_fourth_field() -> None:
    """The site reads three, whatever follows."""
    for tail in (",", ",0", ",abc,5"):
        for form in ("{}", "https://hanab.live/shared-replay-json/{}"):
            assert hl.Game.read(form.format(EXAMPLE + tail)) == example()


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


def test_a_puzzle_keeps_its_variant(command: Command) -> None:
    """Two variants can have the same suits and as many cards; a puzzle has any cards."""
    for variant in ("Critical Fours (5 Suits)", "Scarce Ones (5 Suits)"):
        rules = hl.preset(variant, 2)
        cards = list(hl.Deck.shuffled(rules, seed=1))
        cards[cards.index(4)] = 3
        deck = hl.Deck.of(rules, cards, any_deck=True)
        game = hl.Game(deck.rules, deck)
        number = next(v.id for v in all_variants() if v.name == variant)
        link = f"{game.link().rpartition(',')[0]},{number}"
        assert command("convert", link, "link")[1].strip() == link
