"""The partners that people are offered: fit for every table, described, and careful with fives."""

from __future__ import annotations

import pytest

from hanabilab import Deck, Game, Rules, play, preset
from hanabilab.game.actions import DISCARD
from hanabilab.game.knowledge import Knowledge, from_seat
from hanabilab.strategies import find_strategy
from hanabilab.web.catalog import (
    LEVELS,
    PARTNERS,
    PartnerOffer,
    default_partner,
    offered_partners,
    strategy_title,
)
from hanabilab.web.game_requests import choose_partner
from hanabilab.web.live.setup import read_setup
from hanabilab.web.schema import RequestFields

CODED = ("information", "recommendation", "hatter", "duo", "search", "cheat")


def spoken_language(name: str) -> str:
    """Return the strategy whose hints a partner gives: its blueprint's if it searches."""
    strategy = find_strategy(name)
    return str(strategy.option("blueprint")) if strategy.name == "search" else strategy.name


def test_levels_come_first_and_each_has_one_label() -> None:
    offers = offered_partners()
    assert [offer["title"] for offer in offers if offer["is_level"]] == [
        "Beginner",
        "Club",
        "Expert",
    ]
    assert [offer["is_level"] for offer in offers] == [True] * 3 + [False] * (len(offers) - 3)
    assert len({offer["title"] for offer in offers}) == len(offers)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.title)
def test_every_level_plays_quickly_enough_for_a_table(level: PartnerOffer) -> None:
    """The label of a strategy as the table keeps it has the title; thinking is limited."""
    strategy = choose_partner(level.strategy)
    assert strategy_title(strategy.label) == level.title
    if "seconds" in strategy.options:
        assert 0 < strategy.option("seconds") <= 0.5


def test_the_usual_partner_is_the_first_that_fits() -> None:
    assert default_partner(preset("classic", 3)) == "conventions"
    setup, _ = read_setup(RequestFields({"players": 4, "humans": [2]}))
    assert {each.label for each in setup.strategies.values()} == {"conventions"}
    assert setup.roles == ["Club", "Club", "", "Club"]


def test_partners_are_described_and_speak_no_code() -> None:
    for offer in PARTNERS:
        assert offer.words.endswith(".")
        assert len(offer.words) > 40
        assert spoken_language(offer.strategy) not in CODED
        for number in (2, 3, 4, 5, 6):
            assert find_strategy(offer.strategy).why_not(preset("classic", number)) is None


@pytest.mark.parametrize("players", [2, 3, 5])
def test_no_default_partner_discards_fives_that_it_knows(players: int) -> None:
    """A five that cannot be anything else is kept as long as there is anything else to do."""
    name = default_partner(Rules.classic(players))
    held = 0
    for number in range(12):
        game = play(name, Deck.shuffled(players=players, seed=1, game=number), seed=1, game=number)
        again = Game(game.rules, game.deck)
        for action, event in zip(game.actions, game.events, strict=True):
            fives = known_fives(again, event.player)
            held += bool(fives)
            if event.kind == DISCARD and event.slot in fives:
                assert again.state.hint_tokens == 0
            again.act(action)
    assert held > 50


def known_fives(game: Game, player: int) -> list[int]:
    """Return the slots that hold a five which is still needed, as their owner can tell."""
    known = Knowledge()
    from_seat(known, game.view(player))
    fives = sum(1 << (suit * 5 + 4) for suit in range(5)) & ~game.state.dead
    slots = range(game.state.hand_count[player])
    return [slot for slot in slots if known.possible[player][slot] & ~fives == 0]
