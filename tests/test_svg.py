"""The drawing of the board: what it shows, what it hides, and what a page can do with it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab import Deck, Game, Rules, play
from hanabilab.formats.board_svg import board, board_style, panels
from hanabilab.game import card_in, count_of
from hanabilab.game.cards import HIDDEN
from hanabilab.game.deck import card_multiset
from hanabilab.game.names import card_name
from hanabilab.game.state import GOING_ON, State, View
from tests.tables import SPECIAL, UNUSUAL, choose, random_rules


def drawn(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def in_the_middle(players: int = 3, turns: int = 25, seed: int = 3) -> Game:
    whole = play("information", Deck.shuffled(players=players, seed=seed), seed=seed)
    game = Game(whole.rules, whole.deck)
    for action in whole.actions[:turns]:
        game.act(action)
    return game


def cards(root: ElementTree.Element) -> dict[tuple[int, int], ElementTree.Element]:
    return {
        (int(element.attrib["data-player"]), int(element.attrib["data-slot"])): element
        for element in root.iter()
        if "data-slot" in element.attrib
    }


def having(root: ElementTree.Element, attribute: str) -> list[str]:
    return [value for element in root.iter() if (value := element.get(attribute)) is not None]


def test_all_that_can_be_clicked() -> None:
    game = in_the_middle()
    found = cards(drawn(panels(game.state)))
    for player in range(3):
        for slot in range(5):
            name = card_name(card_in(game.state.hands[player], slot), 5)
            element = found.pop((player, slot))
            assert element.get("data-card") == name
            assert having(element, "data-suit") == [name[0]]
            assert having(element, "data-rank") == [name[1]]
    assert not found
    assert having(drawn(panels(game.state)), "data-firework") == list("rygbw")


def test_a_view_is_drawn_without_the_own_cards() -> None:
    """Another hand behind the same view is the same picture."""
    game = in_the_middle()
    picture = panels(game.view(1), possible=game.view(1).possible)
    for (player, _), element in cards(drawn(picture)).items():
        assert ("data-card" in element.attrib) == (player != 1)
        assert bool(having(element, "data-rank")) == (player != 1)
    other = game.copy()
    other.state.hands[1] = game.state.hands[1] ^ 0b111
    assert panels(other.view(1)) == panels(game.view(1))
    assert panels(other.state) != panels(game.state)


def test_a_page_gets_no_styles_and_no_scripts() -> None:
    picture = panels(in_the_middle().state)
    assert not re.search(r"style|script|\son\w+=|href|url\(", picture)
    assert "<style>" in board(in_the_middle().state)


def test_every_class_of_the_cards_has_a_colour() -> None:
    rules = Rules(players=2, hand_size=2, ranks=2, suits=9, copies=((2, 1),))
    suits = set(re.findall(r"\bs(\d)\b", panels(Game(rules).state)))
    for suit in suits:
        assert f".hl-board .s{suit} {{ --ink:" in board_style()


def test_labels_for_who_cannot_see_it() -> None:
    game = in_the_middle()
    labels = having(drawn(panels(game.view(0), names=["you", "Bob", "Cat"])), "aria-label")
    assert any(label.startswith("your slot 0: ") for label in labels)
    name = card_name(card_in(game.state.hands[1], 2), 5)
    words = {"r": "red", "y": "yellow", "g": "green", "b": "blue", "w": "white"}
    assert any(label.startswith(f"Bob's slot 2: {words[name[0]]} {name[1]}") for label in labels)
    assert f"score {game.score} of 25" in ", ".join(labels)


def test_the_newest_card_can_stand_left() -> None:
    game = in_the_middle()
    picture = drawn(panels(game.state, newest_first=True, roles=["", "piers", ""]))
    plain = drawn(panels(game.state))
    assert having(picture, "data-slot")[:5] == list("43210")
    assert having(plain, "data-slot")[:5] == list("01234")
    for (player, slot), element in cards(picture).items():
        assert f"slot {5 - slot}:" in element.get("aria-label", "")
        assert element.get("data-card") == cards(plain)[player, slot].get("data-card")
        number = next(each for each in element.iter() if "hl-slot" in each.get("class", ""))
        assert number.text == str(5 - slot)
    assert [each.text for each in picture.iter() if each.text == "piers"] == ["piers"]


def test_a_card_as_its_owner_knows_it_shows_no_more_than_the_hints() -> None:
    """Another card behind the same hints is drawn the same way for its owner."""
    game = Game(players=2, seed=1)
    other = game.copy()
    other.state.hands[1] = game.state.hands[1] ^ 0b11
    for player_card in ((1, 0), (1, 1)):
        one, two = (
            next(
                ElementTree.tostring(each)
                for each in cards(drawn(panels(state)))[player_card].iter()
                if "to-owner" in each.get("class", "")
            )
            for state in (game.state, other.state)
        )
        assert one == two


def test_what_was_told_is_labelled() -> None:
    game = Game(players=2, seed=1)
    card = card_name(card_in(game.state.hands[1], 2), 5)
    game.act(f"hint 1 {card[1]}")
    game.act("discard 0")
    game.act(f"hint 1 {card[0]}")
    words = {"r": "red", "y": "yellow", "g": "green", "b": "blue", "w": "white"}
    label = cards(drawn(panels(game.state)))[1, 1].get("aria-label")
    assert label == (
        f"player 1's slot 1: {words[card[0]]} {card[1]}, told {words[card[0]]}, told rank {card[1]}"
    )


def test_pips_are_the_possible_cards() -> None:
    game = in_the_middle()
    for (player, slot), element in cards(drawn(panels(game.state))).items():
        pips = [
            each.get("class") for each in element.iter() if "pip" in each.get("class", "").split()
        ]
        bits = [game.state.possible[player][slot] >> card & 1 for card in range(25)]
        assert [name == "pip" for name in pips] == [bool(bit) for bit in bits]


@pytest.mark.parametrize("turns", range(1, 40, 3))
def test_the_last_turn_is_highlighted(turns: int) -> None:
    game = in_the_middle(turns=turns)
    event = game.events[-1]
    root = drawn(panels(game.state, event=event))
    bright = {
        place for place, each in cards(root).items() if "last" in each.get("class", "").split()
    }
    if event.kind in (2, 3):
        touched = {(event.target, slot) for slot in range(5) if event.touched >> slot & 1}
        assert bright == touched
    else:
        assert bright == {(event.player, game.state.hand_count[event.player] - 1)}
        others = [each.get("class", "") for each in root.iter() if "data-slot" not in each.attrib]
        last = [name for name in others if "last" in name.split()]
        assert len(last) == 1
        assert ("hl-firework" if event.lit else "hl-chip") in last[0]


@given(
    st.one_of(st.sampled_from([*UNUSUAL, *SPECIAL]), random_rules()),
    st.randoms(use_true_random=False),
)
def test_any_rules_are_drawn(rules: Rules, chance: object) -> None:
    import random

    assert isinstance(chance, random.Random)
    game = Game(rules, seed=1)
    for _ in range(chance.randrange(12)):
        if not game.is_over:
            game.act(choose(game, chance))
    event = game.events[-1] if game.events else None
    for state in (game.state, game.view(0)):
        root = drawn(panels(state, event=event))
        drawn(board(state, event=event))
        places = cards(root)
        assert len(places) == sum(state.hand_count[: rules.players])
        for (player, slot), element in places.items():
            hidden = card_in(state.hands[player], slot) == HIDDEN
            assert hidden == ("data-card" not in element.attrib)
        chips = [each for each in root.iter() if "hl-chip" in each.get("class", "")]
        discarded = [count_of(state.discarded, card) for card in range(rules.suits * rules.ranks)]
        assert [int(each.get("data-count", 0)) for each in chips] == list(filter(None, discarded))
        check_tokens(root, state)
        assert having(root, "data-firework") == list(rules.letters)


def check_tokens(root: ElementTree.Element, state: State | View) -> None:
    """Check the drawn hint tokens and fuses, if they are drawn one by one."""
    rules = state.rules
    unknown = rules.unlimited_lives or (rules.hidden_plays and state.end == GOING_ON)
    for name, left, most, limit in (
        ("token", state.hint_tokens, rules.max_hint_tokens, 24 * (not rules.unlimited_hints)),
        ("fuse", state.lives, rules.max_lives, 4 * (not unknown)),
    ):
        drawn_ones = [
            each.get("class", "").split()
            for each in root.iter()
            if name in each.get("class", "").split()
        ]
        if most <= limit:
            assert len(drawn_ones) == most
            assert sum("spent" not in classes for classes in drawn_ones) == left
        else:
            assert len(drawn_ones) == 1


def test_a_complete_suit_and_a_lost_life_are_marked() -> None:
    rules = Rules.classic(2, discard_at_full=True)
    first = [0, 1, 2, 3, 4, 5, 6, 7, 8, 24]
    rest = card_multiset(rules)
    for card in first:
        rest.remove(card)
    game = Game(rules, Deck.of(rules, first + rest))
    names: list[set[str]] = []
    for action in (*("play 0", "discard 0") * 4, "play 0", "play 0"):
        game.act(action)
        root = drawn(panels(game.state, event=game.events[-1]))
        classes = [set(each.get("class", "").split()) for each in root.iter()]
        names.append(set().union(*(each for each in classes if each & {"complete", "changed"})))
    assert "complete" not in set().union(*names[:-2])
    assert names[-2] >= {"complete", "last"}
    assert names[-1] >= {"fuse", "spent", "changed"}


def test_names_are_escaped() -> None:
    picture = panels(Game(players=2).state, names=['<b>"x"&', "y"])
    assert "<b>" not in picture
    assert "&lt;b&gt;" in picture


def luminance(colour: str) -> float:
    """The relative luminance of the Web Content Accessibility Guidelines."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_suit_can_be_read_in_light_and_dark() -> None:
    pair = r"light-dark\((#\w{6}), (#\w{6})\)"
    found = re.findall(rf"--ink: {pair}; --paper: {pair}", board_style())
    assert len(found) == 7
    for light_ink, dark_ink, light_paper, dark_paper in found:
        for ink, paper in ((light_ink, light_paper), (dark_ink, dark_paper)):
            low, high = sorted((luminance(ink), luminance(paper)))
            assert (high + 0.05) / (low + 0.05) >= 4.5
