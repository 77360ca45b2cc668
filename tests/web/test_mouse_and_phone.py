"""What mouse and finger reach: whole cards, previews of hints, and tables on phones."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from tests.web.browser import HEIGHT, PHONE, SCREEN, open_page, require_browser
from tests.web.browser import sit_at as sit
from tests.web.clients import Message, Site

require_browser()

HOLES = """() => {
  const holes = [];
  for (const card of document.querySelectorAll("[data-card]")) {
    const box = card.querySelector(".to-others .paper").getBoundingClientRect();
    for (let i = 0; i < 30; i += 1) for (let j = 0; j < 40; j += 1) {
      const corner = (i < 5 || i > 24) && (j < 5 || j > 34);
      const [x, y] = [box.x + (i + 0.5) / 30 * box.width, box.y + (j + 0.5) / 40 * box.height];
      const hit = document.elementFromPoint(x, y)?.closest("[role=button]");
      if (!corner && !hit?.matches("[data-rank], [data-suit]")) holes.push([i, j]);
    }
  }
  return holes;
}"""
"""Points of the other players' cards, outside their round corners, that give no hint."""


def sit_at(page: Page, table: Message) -> None:
    """Take the first seat and wait for its turn."""
    sit(page, table)
    page.locator(".words.mine").wait_for()


def test_hints_by_mouse(browser: Browser, site: Site) -> None:
    """Every point of a card gives one; neither focus nor a resting mouse previews the next."""
    with open_page(browser, site) as page:
        sit_at(page, site.table(players=2, humans=[0], strategies="random", seed=2))
        told = page.locator(".log li", has_text="you tell Bob")
        assert page.locator("[data-card]").count() == 5
        for given, width in enumerate((PHONE, SCREEN)):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.wait_for_timeout(50)
            assert page.evaluate(HOLES) == []
            for more, part in enumerate((".hl-slot", ".pips"), 1):
                box = page.locator(f"[data-player='1'][data-slot='3'] {part}").bounding_box()
                assert box
                x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
                page.mouse.move(x, y)
                expect(page.locator(".previewed").first).to_be_visible()
                page.mouse.down()
                page.mouse.up()
                expect(told).to_have_count(2 * given + more)
                page.locator(".words.mine").wait_for()
                page.wait_for_timeout(150)  # a browser reports the mouse over a new drawing later
                expect(page.locator(".previewed")).to_have_count(0)
            page.mouse.move(x + 3, y)
            expect(page.locator(".previewed").first).to_be_visible()
            page.mouse.move(1, 1)
            expect(page.locator(".previewed")).to_have_count(0)
            page.keyboard.press("ArrowRight")
            expect(page.locator(".previewed").first).to_be_visible()  # what the keyboard focuses


def test_the_coach_and_the_chances_of_a_card_are_in_sight(browser: Browser, site: Site) -> None:
    """At a practice table, wherever the words about the last turn have little room."""
    table = site.table(players=5, humans=[0], strategies="random", seed=2, practice=True)
    with open_page(browser, site, PHONE) as page:
        sit_at(page, table)
        page.keyboard.press("2")
        for width, height in ((390, 844), (844, 390), (1440, 900), (PHONE, HEIGHT)):
            page.set_viewport_size({"width": width, "height": height})
            page.get_by_role("button", name="Ask the coach").click(trial=True)
            inside: bool = page.evaluate(
                """() => {
                  const [said, coach] = [".said", ".coach"]
                    .map((each) => document.querySelector(each).getBoundingClientRect());
                  return coach.height >= 24 && coach.top >= said.top && coach.bottom <= said.bottom;
                }"""
            )
            assert inside
            shown = page.locator(".tip:visible")
            expect(shown).to_have_count(1)
            expect(shown).to_contain_text("playable")
            expect(shown).to_be_in_viewport(ratio=1)


def test_dealing_by_keyboard_leads_to_the_top_of_the_table(browser: Browser, site: Site) -> None:
    """One step to the button; then the page is not scrolled, and the keyboard is at the table."""
    with open_page(browser, site) as page:
        for width in (PHONE, SCREEN):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.goto("/play")
            deal = page.get_by_role("button", name="Deal the cards")
            deal.wait_for()
            page.locator("main").focus()
            page.keyboard.press("Tab")
            expect(page.locator(":focus")).to_have_text("Deal the cards")
            page.get_by_text("Advanced", exact=True).click()
            page.get_by_text("Change individual rules").click()
            page.evaluate("scrollTo(0, document.body.scrollHeight)")
            assert page.evaluate("scrollY") > 0
            page.get_by_label("Time for a turn").focus()
            assert deal.is_visible()
            deal.click()
            page.locator(".words.mine").wait_for()
            assert page.evaluate("scrollY") == 0
            assert page.locator("h1:focus").inner_text() == "Your table"
