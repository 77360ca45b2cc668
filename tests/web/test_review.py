"""Reviews on the pages: the job, tables that continue a game, the coach, and the panel."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from hanabilab import Game
from hanabilab.game.cards import card_in
from hanabilab.lab.review import review
from hanabilab.table.players import Actor
from hanabilab.web.game_requests import encode_game
from hanabilab.web.live import shared_game
from hanabilab.web.live.setup import Setup
from hanabilab.web.live.shared_game import SharedGame
from tests.web.browser import HEIGHT, PHONE, SCREEN, open_page, require_browser, sticking_out
from tests.web.clients import Site, harmless

FAULT = 23
"""The turn in which a player of the game below acts against all reason."""


@functools.cache
def game_with_a_fault() -> Game:
    """Return a game of people who follow the conventions, but for one misplay."""
    game = Game("hle", players=3, seed=8)
    actors = [Actor("conventions", player) for player in range(3)]
    while not game.is_over:
        for actor in actors:
            actor.follow(game)
        action = actors[game.player].act(game)
        game.act(worst_play(game) if game.turn + 1 == FAULT else action)
    return game


def worst_play(game: Game) -> str:
    """Return the play of a critical card that does not fit."""
    state = game.state
    lost = state.critical & ~state.playable
    hand = [card_in(state.hands[game.player], slot) for slot in range(5)]
    return f"play {next(slot for slot, card in enumerate(hand) if lost >> card & 1)}"


def test_a_review_of_a_game(site: Site) -> None:
    game = game_with_a_fault()
    found = site.ask("review", code=encode_game(game), worlds=16)
    expected = review(game, worlds=16)
    assert found["expected"] == pytest.approx(expected.expected)
    assert found["curve"] == pytest.approx(list(expected.account.curve if expected.account else ()))
    assert len(found["curve"]) == game.turn + 1
    assert found["fits"]
    assert found["decisions"][0]["turn"] == FAULT
    assert found["decisions"][0]["verdict"] in ("mistake", "blunder")
    assert [player["name"] for player in found["players"]] == ["Alice", "Bob", "Cathy"]
    assert found["best"][str(FAULT)]["words"]
    assert "Expected points after each turn" in found["text"]


def test_a_game_that_is_not_over_is_not_reviewed(site: Site) -> None:
    game = Game("hle", players=2, seed=1)
    game.act("play 0")
    assert "finished game" in site.refuse("review", code=encode_game(game))


def test_where_it_was_lost_in_the_words_of_the_page(site: Site) -> None:
    found = site.ask("analyze", code=encode_game(game_with_a_fault()), time_limit=1)
    name = ("Alice", "Bob", "Cathy")[(found["lost_at"] - 1) % 3]
    assert found["words"].startswith(f"Turn {found['lost_at']} lost it: {name} chose")
    assert "slot 0" not in found["words"]


def test_a_table_continues_a_game(site: Site) -> None:
    """The person sits in the seat that erred, before the error, and may take turns back."""
    game = game_with_a_fault()
    seat, turn = (FAULT - 1) % 3, FAULT - 1
    table = site.table(**{"from": {"code": encode_game(game)}, "turn": turn, "seat": seat})
    with site.seat(table, seat) as person:
        seats = person.socket.until("table")
        assert seats["practice"]
        assert [each["human"] for each in seats["seats"]] == [n == seat for n in range(3)]
        board = person.socket.until("board")["board"]["facts"]
        assert (board["turn"], board["player"]) == (turn, seat)
        assert board["actions"]
        person.socket.send({"type": "advise", "id": 1})
        advice = person.socket.until("advice")
        assert advice["words"]
        assert advice["why"]
        action = {key: value for key, value in advice["action"].items() if key != "player"}
        person.socket.send({"type": "act", "id": 2, "turn": turn, "action": action})
        assert person.socket.until("done", "error")["type"] == "done"


@pytest.mark.parametrize("turn", [-1, 1000])
def test_bad_continuations(site: Site, turn: int) -> None:
    fields = {"from": {"code": encode_game(game_with_a_fault())}, "turn": turn, "seat": 0}
    assert site.post("/api/tables", fields).status_code == 400


def test_the_coach_is_asked_in_practice_only(site: Site) -> None:
    table = site.table(players=2, humans=[0], practice=False, seed=1)
    with site.seat(table, 0) as person:
        person.socket.until("board")
        person.socket.send({"type": "advise", "id": 1})
        assert "practice only" in person.socket.until("error")["error"]


def practice_table(deck: list[int], players: int, seat: int) -> Setup:
    """Return a table at which one person plays with conventions."""
    others = {str(player): "conventions" for player in range(players) if player != seat}
    return Setup.from_dict(
        {
            "rules": "hle",
            "players": players,
            "deck": str(Game("hle", deck, players=players).deck),
            "seed": 1,
            "game": 0,
            "known_seed": False,
            "given_deck": True,
            "strategies": others,
            "keys": {str(seat): ""},
            "practice": True,
        }
    )


def test_the_coach_sees_no_hidden_card() -> None:
    """With another own hand and draw pile, advice and warnings are the same."""
    game = Game("hle", players=2, seed=3)
    cards = list(game.deck)
    shuffled = [*reversed(cards[:5]), *cards[5:10], *reversed(cards[10:])]
    hint = next(a.number(game.state) for a in game.legal_actions() if a.type == "hint_rank")
    assert hint is not None
    tables = [SharedGame(practice_table(deck, 2, 0), []) for deck in (cards, shuffled)]
    assert tables[0].advice_for(0) == tables[1].advice_for(0)
    for table in tables:
        table.apply(hint)
    with monkeypatched_threshold(-100.0):
        warnings = [table.warning_after(1) for table in tables]
    assert warnings[0] is not None
    assert warnings[0] == warnings[1]


@contextlib.contextmanager
def monkeypatched_threshold(points: float) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_game, "BLUNDER", points)
        yield


def test_a_blunder_is_answered_with_a_warning() -> None:
    game = game_with_a_fault()
    seat = (FAULT - 1) % 3
    table = SharedGame(practice_table(list(game.deck), 3, seat), [])
    again = Game(game.rules, game.deck)
    for action in game.actions[:FAULT]:
        number = action.number(again.state)
        assert number is not None
        table.apply(number)
        again.act(action)
    with monkeypatched_threshold(0.5):
        found = table.warning_after(FAULT)
    assert found is not None
    assert found["turn"] == FAULT
    assert str(found["better"]).startswith(("tell Alice", "tell Cathy", "play", "discard"))
    assert 0.5 <= float(str(found["cost"])) < 2
    with monkeypatched_threshold(0.25):
        assert [table.warning_after(turn) for turn in (FAULT - 3, FAULT - 1)] == [None, None]


def test_a_warning_that_comes_too_late_is_not_sent(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would seem to be about the next action, and take that one back."""
    has_acted, is_judged = threading.Event(), threading.Event()

    def judge(_: SharedGame, turn: int) -> dict[str, object]:
        assert (has_acted if turn == 1 else is_judged).wait(20)
        if turn == 1:
            is_judged.set()
        else:
            time.sleep(0.05)  # the answer to the first comes first
        return {"type": "blunder", "turn": turn, "cost": 1.0, "better": "play slot 1"}

    def apply_slowly(game: SharedGame, number: int) -> None:
        time.sleep(0.05)  # actions are confirmed before they are applied
        apply(game, number)

    apply = SharedGame.apply
    monkeypatch.setattr(SharedGame, "apply", apply_slowly)
    monkeypatch.setattr(SharedGame, "warning_after", judge)
    table = site.table(players=2, humans=[0], strategies="random", practice=True)
    with site.seat(table, 0) as person:
        facts = person.play(harmless, 1)["board"]["facts"]
        person.act(facts, harmless(facts))
        while person.socket.until("done")["id"] != person.number:
            pass  # that was the first action
        has_acted.set()
        assert person.socket.until("blunder")["turn"] == 3


require_browser()
expect.set_options(timeout=30_000)


def test_the_panel_of_a_replay(browser: Browser, site: Site) -> None:
    with open_page(browser, site, PHONE) as page:
        page.goto(f"/watch?code={encode_game(game_with_a_fault())}")
        page.get_by_role("button", name="Review the game").click()
        card = page.locator(".decision").first
        expect(card).to_contain_text(f"Turn {FAULT}")
        expect(page.locator(".curve svg")).to_be_visible()
        expect(page.locator(".accuracy tbody tr")).to_have_count(3)
        assert sticking_out(page) <= 0
        page.set_viewport_size({"width": SCREEN, "height": HEIGHT})
        card.get_by_role("button", name="Show the turn").click()
        expect(page.locator(".turns")).to_have_text(f"{FAULT - 1} / {game_with_a_fault().turn}")
        expect(page.locator(".best-tip")).to_contain_text("Best found for")
        assert page.locator(".board .best").count() > 0
        expect(page.locator(".board .arrow.advised")).to_have_count(1)
        card.get_by_role("button", name="Try it from here").click()
        page.wait_for_url("**/play?table=*")
        expect(page.locator(".words")).to_contain_text("Your turn")
        page.get_by_role("button", name="Ask the coach").click()
        expect(page.locator(".said .why").first).to_contain_text("The coach would")


def test_a_review_follows_a_game_by_itself(browser: Browser, site: Site) -> None:
    """The last turn of a game is played at a table; then the review appears."""
    game = game_with_a_fault()
    seat = game.events[-1].player
    last = {"from": {"code": encode_game(game)}, "turn": game.turn - 1, "seat": seat}
    table = site.table(**last)
    with open_page(browser, site, SCREEN) as page:
        page.goto(f"/play?table={table['table']}#seat={table['seats'][str(seat)]}")
        expect(page.locator(".words")).to_contain_text("Your turn")
        action = game.actions[-1].to_dict(seat, game.rules.hint_letters)
        action.pop("player", None)
        with site.seat(table, seat) as person:
            person.socket.until("board")
            turn = game.turn - 1
            person.socket.send(json.dumps({"type": "act", "id": 1, "turn": turn, "action": action}))
            person.socket.until("done")
        expect(page.locator(".after .review h2")).to_have_text("Review")
        expect(page.locator(".after .decision").first).to_be_visible()
        expect(page.locator(".after .accuracy th[scope=row]").nth(seat)).to_have_text("You")
