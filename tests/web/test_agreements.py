"""Partners who keep agreements, and which of these a person broke."""

from __future__ import annotations

from hanabilab.strategies.conventions.judging import broken_conventions
from hanabilab.web.game_requests import decode_game
from tests.web.clients import Site, harmless


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
    assert "scream discards" not in {each["agreement"] for each in fewer["broken"]}
    assert "no player 2" in site.refuse("broken", code=over["code"], player=2)
