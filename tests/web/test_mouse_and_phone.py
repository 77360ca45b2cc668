"""What mouse and finger reach: whole cards, previews of hints, and tables on phones."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import HEIGHT, PHONE, SCREEN, open_page, require_browser
from tests.web.browser import sit_at as sit
from tests.web.clients import Message, Site
from tests.web.test_one_screen import check_stage, covered, late_table, out_of_sight

require_browser()
at_both_widths = pytest.mark.parametrize("width", [PHONE, SCREEN])

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


@at_both_widths
def test_every_point_of_a_card_gives_a_hint(browser: Browser, site: Site, width: int) -> None:
    with open_page(browser, site, width) as page:
        sit_at(page, site.table(players=2, humans=[0], strategies="random", seed=2))
        assert page.locator("[data-card]").count() == 5
        assert page.evaluate(HOLES) == []
        for part, told in ((".hl-slot", "data-rank"), (".pips", "data-suit")):
            box = page.locator(f"[data-player='1'][data-slot='3'] {part}").bounding_box()
            assert box
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            value = page.locator(f"[data-player='1'][data-slot='3'] [{told}]").get_attribute(told)
            expect(page.locator(".log li", has_text="you tell Bob")).to_have_count(
                1 if told == "data-rank" else 2
            )
            assert value
            page.locator(".words.mine").wait_for()


@at_both_widths
def test_no_preview_stays_after_a_hint(browser: Browser, site: Site, width: int) -> None:
    """Neither the focus of the click nor the mouse that rests previews the next hint."""
    with open_page(browser, site, width) as page:
        sit_at(page, site.table(players=2, humans=[0], strategies="random", seed=2))
        box = page.locator("[data-player='1'][data-slot='3'] [data-rank]").bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        expect(page.locator(".previewed").first).to_be_visible()
        page.mouse.down()
        page.mouse.up()
        page.locator(".log li").nth(1).wait_for(state="attached")
        page.locator(".words.mine").wait_for()
        page.wait_for_timeout(150)  # a browser reports the mouse over a new drawing a little later
        expect(page.locator(".previewed")).to_have_count(0)
        page.mouse.move(x + 3, y)
        expect(page.locator(".previewed").first).to_be_visible()
        page.mouse.move(1, 1)
        expect(page.locator(".previewed")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".previewed").first).to_be_visible()  # what the keyboard has in focus


def least_target(page: Page) -> float:
    """Return the smaller side of the smallest target on the other players' cards."""
    least: float = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll(".to-others .hit")]
          .map((each) => each.getBoundingClientRect())
          .flatMap(({ width, height }) => [width, height]))"""
    )
    return least


@pytest.mark.parametrize("players", [2, 5])
def test_a_phone_upright_and_on_its_side(browser: Browser, site: Site, players: int) -> None:
    """All hands lie above the bar, early and late in a game, and can be hit with a finger."""
    early = site.table(players=players, humans=[0], strategies="random", seed=2)
    for table, few in ((early, True), (late_table(site, players), False)):
        with open_page(browser, site, PHONE) as page:
            sit_at(page, table)
            for width, height in ((390, 844), (844, 390)):
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(50)
                missing = [each for each in out_of_sight(page) if not few or "chip" not in each]
                assert missing == []
                assert covered(page) == 0
                check_stage(page)
                assert least_target(page) >= 24


def test_the_coach_is_in_sight(browser: Browser, site: Site) -> None:
    """At a practice table, wherever the words about the last turn have little room."""
    table = site.table(players=3, humans=[0], strategies="random", seed=2, practice=True)
    with open_page(browser, site, PHONE) as page:
        sit_at(page, table)
        page.keyboard.press("2")
        for width, height in ((390, 844), (844, 390), (1440, 900)):
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


@at_both_widths
def test_dealing_leads_to_the_top_of_the_table(browser: Browser, site: Site, width: int) -> None:
    """The page is not scrolled, and the keyboard is at the table: not lost with the form."""
    with open_page(browser, site, width) as page:
        page.goto("/play")
        page.get_by_text("Advanced", exact=True).click()
        page.get_by_text("Change individual rules").click()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert page.evaluate("scrollY") > 0
        page.get_by_label("Time for a turn").focus()
        deal = page.get_by_role("button", name="Deal the cards")
        assert deal.is_visible()
        deal.click()
        page.locator(".words.mine").wait_for()
        assert page.evaluate("scrollY") == 0
        assert page.locator("h1:focus").inner_text() == "Your table"


@at_both_widths
def test_dealing_takes_few_steps_of_the_keyboard(browser: Browser, site: Site, width: int) -> None:
    with open_page(browser, site, width) as page:
        page.goto("/play")
        page.get_by_role("button", name="Deal the cards").wait_for()
        page.locator("main").focus()
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Deal the cards")


def test_the_chances_of_a_card_are_shown_at_every_width(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        sit_at(page, site.table(players=5, humans=[0], strategies="random", seed=2))
        page.keyboard.press("2")
        for width in (PHONE, SCREEN):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            shown = page.locator(".tip:visible")
            expect(shown).to_have_count(1)
            expect(shown).to_contain_text("playable")
            box = shown.bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= HEIGHT
