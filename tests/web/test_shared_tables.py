"""People at the same table: invitations, the list of one's tables, seats in two windows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from hanabilab import Deck, Rules
from hanabilab.errors import HanabiError
from hanabilab.web.live import shared_game, talk
from hanabilab.web.live.setup import read_setup
from hanabilab.web.live.talk import Talk
from hanabilab.web.schema import RequestFields
from tests.web.browser import HEIGHT, PHONE, SCREEN, open_page, require_browser, sit_at
from tests.web.clients import Message, Site

require_browser()
expect.set_options(timeout=15_000)

NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
"""What a page in a local network without encryption finds."""


def invite(page: Page) -> None:
    """Set up a table for Ann, who is here, and Ben, who is invited."""
    page.goto("/play")
    page.get_by_label("Players", exact=True).select_option("2")
    page.get_by_label("strategy", exact=True).nth(1).select_option("person")
    page.get_by_label("name of seat 1").fill("Ann")
    page.get_by_label("name of seat 2").fill("Ben")
    page.get_by_role("button", name="Deal the cards").click()
    page.locator(".table-view").wait_for()


def test_invitations_are_links_in_sight(browser: Browser, site: Site) -> None:
    """Also after a reload, and where the clipboard is refused; the guest does not see them."""
    with open_page(browser, site, PHONE) as page:
        page.add_init_script(NO_CLIPBOARD)
        invite(page)
        link = page.get_by_role("textbox", name="invitation for Ben")
        address = link.input_value()
        page.reload()
        for width in (SCREEN, PHONE):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            link.scroll_into_view_if_needed()
            expect(link).to_be_in_viewport(ratio=1)
        assert link.input_value() == address
        page.get_by_role("button", name="copy").click()
        expect(page.get_by_text("selected: copy it with Ctrl-C")).to_be_visible()
        assert page.evaluate("getSelection().toString() || document.activeElement.value") == address
        with open_page(browser, site) as guest:
            guest.goto(address)
            guest.locator(".table-view").wait_for()
            assert guest.locator("[data-hand='0'] .hl-name").text_content() == "Ann"
            assert guest.locator("[data-hand='1'] .hl-name").text_content() == "You"
            expect(guest.get_by_text("Invitations")).to_have_count(0)
            expect(page.locator(".invitation")).to_contain_text("Ben (here)")
            expect(guest.locator(".words")).to_contain_text("Ann to move")


def test_my_games(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/tables")
        expect(page.locator("main")).to_contain_text("No games yet")
        invite(page)
        page.keyboard.press("5")
        page.keyboard.press("p")
        expect(page.locator(".words")).to_contain_text("Ben to move")
        page.goto("/tables")
        row = page.locator("tbody tr")
        expect(row).to_contain_text(re.compile("you, Ben.*turn 2, Ben to move"))
        row.get_by_role("link").click()
        expect(page.locator(".words")).to_contain_text("You play slot 5")
        expect(page.get_by_role("textbox", name="invitation for Ben")).to_be_visible()
        page.goto("/tables")
        page.get_by_role("button", name="remove this game").click()
        expect(page.locator("main")).to_contain_text("No games yet")
        page.evaluate('localStorage.tables = \'[{"table": "gone", "when": 1}]\'')
        page.reload()
        expect(row).to_contain_text("deleted on the server")


def test_a_seat_in_two_windows_says_so(browser: Browser, site: Site) -> None:
    table = site.table(players=2, humans=[0, 1], names=["Ann", "Ben"])
    address = f"/play?table={table['table']}#seat={table['seats']['0']}"
    with open_page(browser, site) as one, open_page(browser, site) as two:
        one.goto(address)
        expect(one.locator(".words")).to_contain_text("Your turn")
        expect(one.locator(".warning:not(.blunder)")).to_be_hidden()
        two.goto(address)
        for page in (one, two):
            expect(page.locator(".warning:not(.blunder)")).to_contain_text(
                "Your seat is open in 2 windows"
            )
        with site.seat(table, 1) as seat:
            seats = seat.socket.until("table")["seats"]
            assert [each["windows"] for each in seats] == [2, 1]
        two.goto("/")
        expect(one.locator(".warning:not(.blunder)")).to_be_hidden()


class StoppedTime:
    """The server's clock, which only the test moves."""

    now = 1000.0

    def monotonic(self) -> float:
        """Return the time."""
        return self.now


def test_a_table_with_a_clock(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody sees the same time; when it is up, nobody is forced to anything."""
    time = StoppedTime()
    monkeypatch.setattr(shared_game, "time", time)
    table = site.table(players=2, humans=[0, 1], timer=60)
    with open_page(browser, site) as page, site.seat(table, 1) as other:
        hello = other.socket.until("table")
        assert hello["timer"] == 60
        assert other.socket.until("board")["seconds_left"] == 60
        time.now += 20
        page.clock.install(time=0)
        sit_at(page, table)
        clock = page.get_by_role("timer")
        expect(clock).to_have_text(re.compile("^0:(40|3[0-9])$"))
        page.clock.fast_forward(60_000)
        expect(clock).to_have_text(re.compile("^−0:[23][0-9]$"))
        page.keyboard.press("5")
        page.keyboard.press("p")
        expect(page.locator(".words")).to_contain_text("Bob to move")
        expect(clock).to_have_text(re.compile("^(1:00|0:5[0-9])$"))
    for timer in (4, 3601, "60", True):
        assert site.post("/api/tables", {"players": 2, "timer": timer}).status_code == 400


def test_names_are_checked(site: Site) -> None:
    for names in (["You", None], ["a\nb"], ["x" * 21], [7], "Ann", [None] * 7):
        answer = site.post("/api/tables", {"players": 2, "names": names})
        assert answer.status_code == 400, names
    table = site.table(players=2, humans=[0, 1], names=[" Ann ", ""])
    with site.seat(table, None) as seat:
        seats = seat.socket.until("table")["seats"]
        assert [each["name"] for each in seats] == ["Ann", "Bob"]


HTML = "<img src=x onerror=alert(1)> & <b>hi</b>"


def test_presence_chat_and_confirmed_hints(browser: Browser, site: Site) -> None:
    table = site.table(players=2, humans=[0, 1], names=["Ann", "Ben"], spectators_see_hands=True)
    with open_page(browser, site, PHONE) as page:
        sit_at(page, table)
        present = page.locator(".presence")
        expect(present).to_contain_text("Benaway")
        expect(present).to_contain_text("Spectators see all hands")
        with site.seat(table, 1) as ben, site.seat(table, None) as beside:
            expect(present).to_contain_text("Benhere")
            expect(present).to_contain_text("1 spectator")
            ben.socket.send({"type": "say", "id": 1, "text": HTML})
            expect(page.locator(".said-list li")).to_contain_text(f"Ben {HTML}")
            expect(page.locator(".bubble")).to_have_text(HTML)
            assert page.locator(".talk img, .bubble *").count() == 0
            page.get_by_role("button", name="Nice!").click()
            page.get_by_role("textbox", name="Message").fill("good luck")
            page.keyboard.press("Enter")
            words = [beside.socket.until("said")["messages"][0]["text"] for _ in range(3)]
            assert words == [HTML, "Nice!", "good luck"]
        expect(present).to_contain_text("Benaway")
        page.get_by_text("Settings", exact=True).click()
        page.get_by_label("ask before I give a hint").check()
        zone = page.locator("[data-player='1'] [data-rank].enabled").first
        zone.click()
        question = page.locator(".question")
        expect(question).to_contain_text("Tell Ben")
        expect(page.locator(".in-question").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(question).to_be_hidden()
        expect(zone).to_be_focused()
        expect(page.locator(".in-question")).to_have_count(0)
        page.set_viewport_size({"width": SCREEN, "height": HEIGHT})
        zone.click()
        page.get_by_role("button", name="Give the hint").click()
        expect(page.locator(".log li")).to_contain_text("you tell Ben")
        expect(question).to_be_hidden()


def test_messages_are_limited(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short plain lines, not too many at once, and only the last are kept."""
    time = StoppedTime()
    monkeypatch.setattr(talk, "time", time)
    table = site.table(players=2, humans=[0, 1])
    refused: tuple[Message, ...] = (
        {"text": 5},
        {"text": "x" * 161},
        {"text": "  "},
        {"text": "two\nlines"},
        {"text": "\u202ereversed"},
        {"text": "a", "reaction": "nice"},
        {"reaction": "rude"},
        {"reaction": ["nice"]},
        {"text": "a", "player": 1},
        {},
    )
    with site.seat(table, 0) as seat, site.seat(table, None) as beside:
        for number, wrong in enumerate(refused):
            seat.socket.send({"type": "say", "id": number, **wrong})
            assert seat.socket.until("error", "said")["id"] == number
        beside.socket.send({"type": "say", "id": 1, "text": "psst"})
        assert "spectators" in beside.socket.until("error")["error"]
        for number in range(6):
            seat.socket.send({"type": "say", "id": number, "text": f" {number} "})
        assert "wait 2 seconds" in seat.socket.until("error")["error"]
        with site.seat(table, None) as later:
            messages = later.socket.until("said")["messages"]
            assert [each["text"] for each in messages] == list("01234")
    said = Talk()
    for number in range(60):
        time.now += 2
        said.say(1, 0, RequestFields({"text": str(number)}))
    assert [each["text"] for each in said.messages] == [str(number) for number in range(10, 60)]
    said.say(0, 0, RequestFields({"reaction": "hm"}))
    assert said.messages[-1] == {"player": 0, "turn": 0, "text": "Hm …"}


def test_a_rematch_has_the_same_seats(site: Site) -> None:
    """Whoever asks first deals; the keys stay the same, and the deck is the next or the same."""
    rules = Rules.classic(2, lives=1)
    decks = [Deck.shuffled(rules, seed=4, game=game) for game in (0, 1)]
    slot = next(slot for slot, card in enumerate(decks[0].cards[:5]) if card % 5)
    table = site.table(players=2, humans=[0, 1], names=["Ann", None], seed=4, rules={"lives": 1})
    with site.seat(table, 0) as ann, site.seat(table, 1) as bob, site.seat(table, None) as beside:
        ann.socket.send({"type": "rematch", "id": 1})
        assert "when the game is over" in ann.socket.until("error")["error"]
        ann.act({"turn": 0}, {"type": "play", "slot": slot})
        hands = ann.socket.until("over")["board"]["facts"]["hands"]
        assert all(card["card"] for hand in hands for card in hand)
        beside.socket.send({"type": "rematch", "id": 1})
        assert "spectators" in beside.socket.until("error")["error"]
        for same_deck in (False, True):
            names = set()
            for person in (ann, bob):
                person.socket.send({"type": "rematch", "id": 2, "same_deck": same_deck})
                names |= {each.socket.until("rematch")["table"] for each in (ann, bob)}
            assert len(names) == 1
            with site.seat({**table, "table": names.pop()}, 1) as seat:
                seats = seat.socket.until("table")["seats"]
                assert [each["name"] for each in seats] == ["Ann", "you"]
                facts = seat.socket.until("board")["board"]["facts"]
                seen = " ".join(card["card"] for card in facts["hands"][0])
                assert str(decks[0 if same_deck else 1]).startswith(seen)
                assert (facts["turn"], facts["lives"]) == (0, 1)


def test_a_rematch_of_a_secret_deck_is_secret() -> None:
    setup, _ = read_setup(RequestFields({"players": 3, "deck": "p3v0s1"}))
    assert setup.guessable
    again = setup.again(same_deck=False)
    assert again.deck != setup.deck
    assert not any((again.guessable, again.known_seed, again.given_deck))
    assert again.keys == setup.keys
    game = shared_game.SharedGame(again, [])
    with pytest.raises(HanabiError, match="when the game is over"):
        game.open_board_for(0)
