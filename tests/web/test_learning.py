"""Learning the game in a real browser: what hints say, lessons, agreements, rules and words."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, Route, expect

from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.web.lessons import first_game
from tests.web.browser import (
    open_page,
    require_browser,
    sit_at,
    sticking_out,
)
from tests.web.clients import Site

require_browser()

SCREEN, PHONE = (1440, 900), (390, 844)

SECOND_CONCLUSION = """() => {
  const said = document.querySelector(".concluded");
  const words = " Bob's hint says: play slot 4 later; other cards have to be played first. ";
  said.append(words.repeat(2), said.querySelector("a").cloneNode(true));
}"""
"""Let the page conclude more from an earlier hint, in as many words as a long sentence has."""
CUT = "each => each.scrollHeight - each.clientHeight"
"""By how many pixels words are cut off."""


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give the window another size; nothing may stick out of it."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert sticking_out(page) <= 0


def test_a_hint_to_you_says_what_to_do(browser: Browser, site: Site) -> None:
    """The partner's first hint is a play hint: the card is marked, and the rule one click away."""
    deck = game_with_deck("hle", "y3 g3 b3 w3 y4 g4 r4 y4 b4 r1").deck
    table = site.table(players=2, humans=[1], strategies="conventions", deck=str(deck))
    held: list[Route] = []
    with open_page(browser, site) as page:
        sit_at(page, table, 1)
        said = page.locator(".concluded")
        for size in (PHONE, SCREEN):
            resize(page, size)
            expect(said).to_contain_text("Alice's hint says: play slot 1.")
            expect(said).to_be_in_viewport(ratio=1)
            expect(page.locator(".meant-sign")).to_be_in_viewport(ratio=1)
        link = said.get_by_role("link")
        expect(link).to_have_attribute("href", "/agreements#play-hints-and-the-focus")
        expect(page.locator(".hl-card.meant")).to_have_attribute("data-slot", "4")
        expect(page.locator(".log")).to_contain_text("play slot 1")
        page.evaluate(SECOND_CONCLUSION)
        for size in (PHONE, SCREEN):
            resize(page, size)
            assert page.locator(".said").evaluate(CUT) <= 1
        page.locator(".settings summary").click()
        page.get_by_label("say what a hint to me means").uncheck()
        page.route("**/glossary.json", lambda route: held.append(route))
        page.reload()
        why = page.locator(".why:not(.waiting)")
        expect(why).to_contain_text("your chop")
        expect(said).to_be_hidden()
        expect(page.locator(".meant")).to_have_count(0)
        held[0].continue_()  # the glossary comes later than the board
        why.get_by_role("button", name="chop").click()
        expect(page.get_by_role("dialog", name="glossary: chop")).to_be_visible()


def take_step(page: Page, action: str | None) -> None:
    """Do what a step of the first game asks for, then go on."""
    if action and action.startswith("hint"):
        _, player, value = action.split()
        part = "rank" if value.isdigit() else "suit"
        page.locator(f"[data-player='{player}'] [data-{part}='{value}']").first.click()
    elif action:
        kind, slot = action.split()
        page.locator(f".hl-card[data-player='0'][data-slot='{slot}']").click()
        page.get_by_role("button", name=f"{kind.capitalize()} slot").click()
    page.get_by_role("button", name=re.compile("^(Next|To the exercises)$")).click()


def test_the_first_game_and_an_exercise(browser: Browser, site: Site) -> None:
    """Resume the script before a save, with wrong answers and a reload; then solve an exercise."""
    steps = first_game()["steps"]
    first = next(n for n, step in enumerate(steps) if step["title"] == "Save a card")
    with open_page(browser, site) as page:
        page.add_init_script(f"localStorage.learned ??= '{{\"step\": {first}}}'")
        resize(page, PHONE)
        page.goto("/learn")
        page.locator("[data-player='1'] [data-suit='g']").first.click()
        expect(page.locator(".feedback.wrong")).to_contain_text("Tell Bob the rank")
        for number in range(first, len(steps)):
            step = steps[number]
            expect(page.locator(".lesson h2")).to_have_text(step["title"])
            take_step(page, step["do"] if "wrong" in step else None)
            if number == first + 3:
                resize(page, SCREEN)
                page.reload()
        lessons = page.get_by_role("navigation", name="lessons")
        expect(page.locator(".lesson h2")).to_have_text("What fits?")
        expect(lessons).to_contain_text("1 of 11 done")
        page.locator("[data-player='1'][data-slot='3']").click()
        expect(page.locator(".feedback.wrong")).to_contain_text("White 2 is playable only after")
        page.locator("[data-player='1'][data-slot='1']").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".feedback.right")).to_contain_text("Red 2 is playable")
        expect(page.locator(".hl-card.meant")).to_have_attribute("data-slot", "1")
        page.locator(".feedback .term").first.press("Enter")
        entry = page.get_by_role("dialog", name="glossary: playable")
        expect(entry).to_contain_text("the next card of its firework")
        page.keyboard.press("Escape")
        expect(entry).to_be_hidden()
        page.get_by_role("button", name="Next exercise").click()
        expect(page.locator(".lesson h2")).to_have_text("What does the hint say?")
        page.get_by_role("button", name="Start over").click()
        expect(page.locator(".lesson h2")).to_have_text("The goal")
        expect(lessons).to_contain_text("0 of 11 done")


def test_agreements_rules_and_glossary(browser: Browser, site: Site) -> None:
    """A deep link opens an agreement as an exercise; rules and words are one key away."""
    with open_page(browser, site, dark=True) as page:
        page.goto("/agreements#saves")
        expect(page.locator(".lesson h2")).to_have_text("Saves")
        page.locator("[data-player='1'] [data-rank='4']").first.click()
        expect(page.locator(".feedback.wrong")).to_contain_text("A rank saves a 5")
        resize(page, PHONE)
        assert page.evaluate("document.documentElement.scrollHeight") < 2.5 * PHONE[1]
        page.locator("[data-player='1'] [data-rank='5']").click()
        expect(page.locator(".feedback.right")).to_contain_text("Right. A hint")
        page.locator("details.lesson-list").evaluate("each => { each.open = true; }")
        expect(page.locator(".lessons a[aria-current]")).to_have_text(re.compile("Saves.*✓"))
        links = page.locator(".lessons a")
        assert links.count() >= len(EXAMPLES)
        title = links.last.text_content() or ""
        links.last.click()
        expect(page.locator(".lesson h2")).to_have_text(title)
        for size in (PHONE, SCREEN):
            resize(page, size)
            page.keyboard.press("?")
            helped = page.get_by_role("dialog", name="rules and glossary")
            expect(helped).to_contain_text("Build five fireworks together")
            helped.get_by_text("Glossary", exact=True).click()
            expect(helped.locator("dt", has_text="chop")).to_be_visible()
            helped.get_by_role("button", name="Close").click()
            expect(helped).to_be_hidden()
        page.goto("/rules#finesse")
        expect(page.locator("#finesse dd")).to_be_in_viewport()
