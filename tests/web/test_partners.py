"""The partners that people are offered: fit for every table, described, and careful with fives."""

from __future__ import annotations

import pytest

from hanabilab import Deck, Game, Rules, play, preset
from hanabilab.game.actions import DISCARD
from hanabilab.game.knowledge import Knowledge, from_seat
from hanabilab.strategies import find_strategy
from hanabilab.web.catalog import PARTNERS, default_partner, offered_partners
from hanabilab.web.live.setup import read_setup
from hanabilab.web.schema import RequestFields

CODED = ("information", "recommendation", "hatter", "duo", "search", "cheat")


def test_the_usual_partner_is_the_first_that_fits() -> None:
    assert (
        default_partner(preset("classic", 3)) == offered_partners()[0]["strategy"] == "conventions"
    )
    setup, _ = read_setup(RequestFields({"players": 4, "humans": [2]}))
    assert {each.label for each in setup.strategies.values()} == {"conventions"}
    assert setup.roles == ["conventions", "conventions", "", "conventions"]


def test_partners_are_described_and_speak_no_code() -> None:
    for offer in PARTNERS:
        assert offer.words.endswith(".")
        assert len(offer.words) > 40
        assert offer.strategy.partition(":")[0] not in CODED
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
