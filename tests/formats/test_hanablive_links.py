"""Links of hanab.live, read and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hanabilab as hl
from hanabilab.errors import FormatError, HanabiError
from hanabilab.formats.game_files import read_games
from hanabilab.formats.hanablive import live_from_link
from hanabilab.formats.hanablive.encoding import LINK, LiveAction, read_link
from hanabilab.game.variants import all_variants
from tests.formats.live_games import EXAMPLE, example
from tests.formats.test_seeds import P2V0S1
from tests.test_malformed import Command, refused


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


def test_a_link_with_a_fourth_field() -> None:
    """The site reads three, whatever follows."""
    for tail in (",", ",0", ",abc,5"):
        for form in ("{}", "https://hanab.live/shared-replay-json/{}"):
            assert hl.Game.read(form.format(EXAMPLE + tail)) == example()


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


def test_options_that_a_link_cannot_express_are_reported(command: Command) -> None:
    for rule, word in (
        ("hand-size=6", "oneExtraCard"),
        ("hand-size=4", "oneLessCard"),
        ("hand-size=7", "hand size of 7"),
        ("empty-hints=yes", "emptyClues"),
        ("lives=1", "lives (1)"),
        ("hint-tokens=unlimited", "hint tokens (unlimited)"),
    ):
        code, out, err = command("play", "cheat", "--link", "--set-rule", rule)
        assert code == 0
        assert out.startswith(LINK)
        assert word in err
        assert err.count("\n") == 1


def test_what_the_site_has_no_variant_for(command: Command) -> None:
    refused(command("play", "cheat", "--link", "--set-rule", "ranks=4"))
    refused(command("play", "cheat", "--link", "--set-rule", "suits=7"))
    refused(command("play", "cheat", "--link", "--players", "7", "--set-rule", "hand-size=3"))
    refused(command("play", "cheat", "--link", "--rules", "open"))


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
