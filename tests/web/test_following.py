"""Turns that can be followed: in their time, announced, with arrows; looking back and notes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import PHONE, SCREEN, open_page, require_browser, sit_at
from tests.web.clients import Site, harmless

require_browser()
expect.set_options(timeout=15_000)

LISTEN = """() => {
  const watch = (place, added) => new MutationObserver((changes) => changes.forEach(
    ({ addedNodes }) => addedNodes.forEach(added))).observe(
    document.querySelector(place), { childList: true });
  window.said = [];
  window.turns = [];
  watch("#announcer", (node) => said.push(node.textContent));
  watch(".log", () => turns.push(performance.now()));
}"""
"""Keep every announcement, and when each turn was shown."""

COUNT_MOVES = """
const animate = Element.prototype.animate;
window.moved = 0;
Element.prototype.animate = function (...given) {
  window.moved += 1;
  return animate.apply(this, given);
};"""

COUNT_SOUNDS = """
const Before = AudioContext;
window.heard = 0;
window.AudioContext = class extends Before { constructor() { super(); heard += 1; } };"""

WATCH_BURSTS = """() => {
  window.bursts = 0;
  new MutationObserver((changes) => changes.forEach(({ addedNodes }) => {
    window.bursts += [...addedNodes].filter((each) => each.matches?.(".burst")).length;
  })).observe(document.body, { childList: true });
}"""
COVERED = """() => {
  const shaft = document.querySelector(".arrow .shaft");
  const points = Array.from({ length: 41 }, (_, n) => shaft
    .getPointAtLength(shaft.getTotalLength() * n / 40).matrixTransform(shaft.getScreenCTM()));
  return ["counters", "discards"].filter((name) => {
    const box = document.querySelector(`.hl-${name}`).getBoundingClientRect();
    const inside = ({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom;
    return points.some(inside);
  });
}"""
"""The parts of the table that an arrow crosses, of those that have small print."""
FREE = {"preset": "classic", "discard_at_full": True, "lives": None}
"""Rules under which a person can discard in every turn, and nobody loses the game."""


def my_turn(page: Page, turn: int) -> None:
    """Wait until it is the person's turn, after so many turns."""
    expect(page.locator(".log li")).to_have_count(turn)
    page.locator(".words.mine").wait_for()


def take(page: Page, slot: int, key: str) -> None:
    """Play (p) or discard (d) the card in a slot."""
    page.keyboard.press(str(slot))
    page.keyboard.press(key)


def test_every_turn_is_announced(browser: Browser, site: Site) -> None:
    """A turn of four comes at once; every turn is announced on its own, in order."""
    table = site.table(
        players=4,
        humans=[0],
        strategies="random",
        seed=4,
        rules=FREE,
    )
    with open_page(browser, site) as page:
        sit_at(page, table)
        my_turn(page, 0)
        page.evaluate(LISTEN)
        for turn in range(4, 25, 4):
            take(page, 1, "d")
            my_turn(page, turn)
        words = page.locator(".log li > div").evaluate_all(
            "all => all.map((each) => each.firstChild.textContent).reverse()"
        )
        expect(page.locator("#announcer p")).to_have_count(25)
        said: list[str] = page.evaluate("said")
        assert len(words) == len(said) == 24
        for announced, turn in zip(said, words, strict=True):
            assert announced.lower().startswith(turn.lower())


@pytest.mark.parametrize("pace", [0.5, 0])
def test_turns_are_paced(browser: Browser, site: Site, pace: float) -> None:
    table = site.table(players=4, humans=[0], strategies="random", seed=4, rules=FREE)
    with open_page(browser, site, pace=pace) as page:
        sit_at(page, table)
        my_turn(page, 0)
        page.evaluate(LISTEN)
        take(page, 1, "d")
        my_turn(page, 4)
        times: list[float] = page.evaluate("turns")
        apart = [later - earlier for earlier, later in pairwise(times)]
        assert len(apart) == 3
        assert all(gap > 450 for gap in apart) if pace else sum(apart) < 1400
        page.get_by_text("Settings").click()
        page.get_by_label("Show turns of others").select_option("2")
        assert page.evaluate("localStorage.pace") == "2"
        page.reload()
        page.get_by_text("Settings").click()
        expect(page.get_by_label("Show turns of others")).to_have_value("2")


@pytest.mark.parametrize("moving", [True, False])
def test_cards_move_and_arrows_point(browser: Browser, site: Site, moving: bool) -> None:
    table = site.table(players=3, humans=[0, 1, 2], seed=4, rules=FREE)
    with open_page(browser, site, moving=moving) as page, site.seat(table, 1) as bob:
        page.add_init_script(COUNT_MOVES)
        sit_at(page, table)
        my_turn(page, 0)
        assert page.locator(".to-move[data-hand='0']").count() == 1
        take(page, 5, "d")
        expect(page.locator(".hl-chip.last")).to_have_count(1)
        page.locator(".to-move[data-hand='1']").wait_for()
        # the card flies to the discards, four slide, and one comes from the draw pile
        assert page.evaluate("moved") == (6 if moving else 0)
        expect(page.locator(".flying")).to_have_count(0)
        facts = bob.socket.until("board")["board"]["facts"]
        while facts["turn"] < 1:
            facts = bob.socket.until("board")["board"]["facts"]
        hint = next(each for each in facts["actions"] if each.get("target") == 2)
        bob.act(facts, hint)
        expect(page.locator(".arrow .head")).to_have_count(1)
        expect(page.locator(".hl-card.last")).to_have_count(len(hint["touches"]))
        box, target = (
            page.locator(each).bounding_box() for each in (".arrow .head", "[data-hand='2']")
        )
        assert box
        assert target
        assert target["x"] <= box["x"] + 10 <= target["x"] + target["width"]
        assert target["y"] - 10 <= box["y"] <= target["y"] + target["height"]
        # the only rank completes a suit, which bursts
        ones = site.table(
            players=2, humans=[0, 1], seed=4, rules={**FREE, "ranks": 1, "copies": [2]}
        )
        sit_at(page, ones)
        my_turn(page, 0)
        page.evaluate(WATCH_BURSTS)
        take(page, 1, "p")
        expect(page.locator(".hl-firework.complete.last")).to_have_count(1)
        for _ in range(100 if moving else 6):
            if page.evaluate("bursts"):
                break
            page.wait_for_timeout(100)
        assert page.evaluate("bursts") == int(moving)
        expect(page.locator(".burst")).to_have_count(0)


def test_the_focus_stays(browser: Browser, site: Site) -> None:
    """After every action, by whatever control, the focus is where it was."""
    table = site.table(
        players=2,
        humans=[0],
        strategies="random",
        seed=4,
        rules={**FREE, "hint_tokens": None},
        practice=True,
    )
    with open_page(browser, site) as page:
        sit_at(page, table)
        my_turn(page, 0)
        for turn in range(0, 8, 2):
            page.keyboard.press("3")
            button = page.locator(".bar .main + button")
            button.focus()
            page.keyboard.press("Enter")
            my_turn(page, turn + 2)
            expect(button).to_be_focused()
        for part in ("[data-rank]", "[data-suit]") * 4:
            turn += 2
            zone = page.locator(f"[data-player='1'][data-slot='2'] {part}")
            zone.focus()
            page.keyboard.press("Enter")
            my_turn(page, turn + 2)
            expect(zone).to_be_focused()
        own = page.locator("[data-player='0'][data-slot='1']")
        own.focus()
        for key in ("Enter", "p", "u"):
            page.keyboard.press(key)
            page.locator(".words.mine").wait_for()
            expect(own).to_be_focused()


def test_an_arrow_stays_with_its_hands_and_off_the_counters(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/watch?strategy=piers&players=3&seed=4&turn=5")
        page.locator(".words", has_text="Bob tells Cathy").wait_for()
        for width in (SCREEN, PHONE):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_timeout(100)
            head, hand = (
                page.locator(each).bounding_box() for each in (".arrow .head", "[data-hand='2']")
            )
            assert head
            assert hand
            assert hand["x"] <= head["x"] + head["width"] <= hand["x"] + hand["width"] + 20
            assert hand["y"] - 20 <= head["y"] <= hand["y"] + hand["height"]
        arrows = 0
        for players, seed in ((2, 4), (5, 16)):
            page.goto(f"/watch?strategy=conventions&players={players}&seed={seed}&turn=1&eyes=0")
            for turn in range(1, 9):
                expect(page.locator(".turns")).to_contain_text(f"{turn} /")
                if page.locator(".arrow").count():
                    arrows += 1
                    assert page.evaluate(COVERED) == []
                page.keyboard.press("ArrowRight")
        assert arrows >= 6


def test_looking_back_and_forth(browser: Browser, site: Site) -> None:
    table = site.table(players=3, humans=[0, 1], strategies="piers", seed=4)
    with open_page(browser, site) as page, site.seat(table, 1) as bob:
        sit_at(page, table)
        my_turn(page, 0)
        dealt = page.locator(".table-view").inner_html()
        take(page, 5, "p")
        facts = bob.socket.until("board")["board"]["facts"]
        while facts["turn"] < 1:
            facts = bob.socket.until("board")["board"]["facts"]
        expect(page.locator(".log li")).to_have_count(1)
        page.keyboard.press("[")
        expect(page.locator(".words")).to_contain_text("The deal.")
        then = page.locator(".hl-hand [data-card]").evaluate_all(
            "all => all.map((e) => e.dataset.card)"
        )
        assert then == re.findall(r'data-card="(\w+)"', dealt)
        assert page.locator(".enabled").count() == 0
        bob.act(facts, harmless(facts))  # the game goes on meanwhile
        expect(page.locator(".log li")).to_have_count(3)
        expect(page.locator(".words")).to_contain_text("The deal.")
        page.get_by_role("button", name="look at turn 1").click()
        expect(page.locator(".words")).to_contain_text("Turn 1: You play slot 5")
        page.keyboard.press("]")
        expect(page.locator(".words")).to_contain_text("Turn 2: Bob")
        page.keyboard.press("]")
        expect(page.locator(".words")).to_contain_text("Your turn.")
        assert page.locator(".enabled").count() > 0


def test_a_hand_in_its_owners_view(browser: Browser, site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="piers", seed=4)
    with open_page(browser, site, PHONE) as page:
        sit_at(page, table)
        my_turn(page, 0)
        card = page.locator("[data-player='1'][data-slot='4']")
        name = card.get_attribute("data-card") or ""
        face, back = card.locator(".to-others"), card.locator(".to-owner")
        expect(back).to_be_hidden()
        box = card.bounding_box()
        assert box
        page.mouse.move(box["x"] + 10, box["y"] + 10)
        page.mouse.down()
        expect(back).to_be_visible()
        expect(face).to_be_hidden()
        assert back.text_content() == "?"
        page.mouse.up()
        expect(face).to_be_visible()
        assert page.locator(".log li").count() == 0  # a hold is no hint
        card.locator("[data-rank]").click()
        my_turn(page, 2)
        told = page.locator("[data-player='1'].told").first
        told.locator("[data-rank]").focus()
        page.keyboard.press("e")
        known = told.locator(".to-owner").text_content() or ""
        assert known == name[1]  # the rank is told, the suit is not
        expect(page.locator("#announcer")).to_contain_text("As Bob knows it: slot 1:")
        page.keyboard.press("e")
        expect(page.locator(".as-owner")).to_have_count(0)


def test_notes_are_kept_and_never_sent(browser: Browser, site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="piers", seed=4)
    sent: list[Any] = []
    with open_page(browser, site) as page:
        page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(text)))
        page.on("request", lambda request: sent.append(request.post_data or ""))
        sit_at(page, table)
        my_turn(page, 0)
        page.locator("[data-player='1'][data-slot='3']").click(button="right")
        page.get_by_role("textbox", name="note on Bob's slot 2").fill("shall be saved")
        page.keyboard.press("Enter")
        noted = page.locator("[data-player='1'][data-slot='3'] .note")
        expect(noted).to_have_count(1)
        page.keyboard.press("2")
        page.keyboard.press("n")
        page.get_by_role("textbox", name="note on your slot 2").fill("maybe a one")
        page.get_by_role("button", name="Keep").click()
        take(page, 5, "p")
        my_turn(page, 2)
        page.reload()
        my_turn(page, 2)
        own = page.locator("[data-player='0'] .note")
        expect(own).to_have_count(1)
        # the card that was slot 2 is slot 3 now: a new one came in on the left
        assert "your slot 3" in (own.locator("..").get_attribute("aria-label") or "")
        assert "note: maybe a one" in (own.locator("..").get_attribute("aria-label") or "")
        assert not any("maybe a one" in str(text) or "shall be" in str(text) for text in sent)
        assert len(sent) > 3


def test_sounds_are_off_until_somebody_wants_them(browser: Browser, site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="piers", seed=4)
    with open_page(browser, site) as page:
        page.add_init_script(COUNT_SOUNDS)
        sit_at(page, table)
        my_turn(page, 0)
        take(page, 5, "p")
        my_turn(page, 2)
        assert page.evaluate("heard") == 0
        page.get_by_text("Settings").click()
        page.get_by_label("sounds", exact=True).check()
        page.locator(".words").click()
        take(page, 5, "p")
        my_turn(page, 4)
        assert page.evaluate("heard") == 1
