"""The agreements on the pages: in pictures, and which of them a person broke."""

from __future__ import annotations

from hanabilab.strategies.conventions.catalogue import EXAMPLES
from hanabilab.strategies.conventions.judging import broken_conventions
from hanabilab.web.game_requests import decode_game
from tests.web.clients import Site, harmless


def test_every_convention_is_shown_and_most_with_a_board(site: Site) -> None:
    shown = site.ask("agreements")["agreements"]
    assert [each["title"] for each in shown] == [example.title for example in EXAMPLES]
    for each, example in zip(shown, EXAMPLES, strict=True):
        assert each["words"].endswith(".")
        assert len(each["boards"]) == len(example.actions)
        assert all("<svg" in board["svg"] for board in each["boards"])
    assert sum(bool(each["boards"]) for each in shown) > len(shown) / 2


def test_conventions_is_the_usual_partner(site: Site) -> None:
    about = site.get("/api/about").json()
    usual = next(each for each in about["partners"] if each["strategy"] == about["usual_partner"])
    assert usual["strategy"] == "conventions"
    assert usual["players"] == [2, 3, 4, 5, 6]


def test_broken_conventions_are_reported(site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="conventions", seed=5)
    with site.seat(table, 0) as seat:
        over = seat.play(harmless)
    answer = site.ask("broken", code=over["code"], player=0)
    found = broken_conventions(decode_game(over["code"]), 0)
    assert [each["turn"] for each in answer["broken"]] == [breach.turn for breach in found]
    assert answer["broken"]
    assert all(each["agreement"] and each["words"] for each in answer["broken"])
    fewer = site.ask("broken", code=over["code"], player=0, level=1)
    assert {each["agreement"] for each in fewer["broken"]} & {"warnings", "calls"} == set()
    assert "no player 2" in site.refuse("broken", code=over["code"], player=2)
