"""Every page and every state of a table: accessible, named, inside the window, in both themes.

A page is loaded once; then its window changes from a screen to a phone, and its colours to dark.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import (
    HEIGHT,
    PHONE,
    SCREEN,
    open_page,
    require_browser,
    sit_at,
    sticking_out,
    unnamed,
)
from tests.web.clients import Site, harmless

require_browser()
expect.set_options(timeout=30_000)

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
MISNAMED = "label-content-name-mismatch"
"""Controls that cannot be called by what they show; cards show letters and are called by words."""
RUN = f"""async (options) => (await axe.run(document, options)).violations.flatMap(
    ({{ id, nodes }}) => nodes
      .filter(({{ target }}) => id !== "{MISNAMED}"
        || !document.querySelector(target.at(-1)).closest(".hl-board"))
      .map(({{ html }}) => `${{id}}: ${{html.slice(0, 200)}}`))"""
LIGHT = {"rules": {MISNAMED: {"enabled": True}}, "resultTypes": ["violations"]}
DARK = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
NARROWEST = 320
"""The width of the smallest phones, and of a screen at 400 % zoom."""
FADED = 200
"""Milliseconds after which no colour changes any more."""


def violations(page: Page, *, dark: bool = False) -> list[str]:
    """Return everything that axe objects to on a page as it is now; in the dark, in its colours."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, DARK if dark else LIGHT)
    return found


def check_themes(page: Page) -> None:
    """Check a page on a light screen, then its colours on a dark phone."""
    assert violations(page) == [], page.url
    page.set_viewport_size({"width": PHONE, "height": HEIGHT})
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(FADED)
    assert violations(page, dark=True) == [], page.url
    page.set_viewport_size({"width": SCREEN, "height": HEIGHT})
    page.emulate_media(color_scheme="light")


OUTSIDE = """() => [...document.querySelectorAll(".notice, .notice p, .notice button")]
  .map((each) => each.getBoundingClientRect())
  .filter((box) => box.x < 0 || box.y < 0 || box.right > innerWidth || box.bottom > innerHeight
    || !box.width || !box.height).length"""


def check_an_error(page: Page) -> None:
    """Check that an error is in sight wherever a page is scrolled to, with a border of its own."""
    if not page.locator(".notice").count():
        page.evaluate(
            "async (words) => (await import('/static/shared/shell.js')).showError(words)",
            "deck: 51 cards are given, but these rules need 50. " * 3,
        )
    for end in ("0", "document.documentElement.scrollHeight"):
        page.evaluate(f"scrollTo(0, {end})")
        assert page.evaluate(OUTSIDE) == 0, page.url
        page.get_by_role("button", name="dismiss").click(trial=True)  # nothing covers it
    border = "each => getComputedStyle(each).borderLeftWidth"
    assert page.locator(".notice").evaluate(border) == "5px"
    if page.locator(".at-table .bar").count():
        page.locator(".at-table .bar .main").click(trial=True)  # the error leaves the bar free


CUT_OFF = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("input[placeholder]")].filter((each) => {
    const style = getComputedStyle(each);
    pen.font = style.font;
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return each.checkVisibility() && pen.measureText(each.placeholder).width > room + 1;
  }).map((each) => each.placeholder);
}"""
"""The placeholders that are wider than their fields."""


def check_widths(page: Page) -> None:
    """Check a page on a phone and on a screen: its width, its names, an error, all placeholders."""
    for width in (PHONE, SCREEN):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        check_an_error(page)
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    for width in (PHONE, SCREEN):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        assert page.evaluate(CUT_OFF) == [], page.url
        assert sticking_out(page) <= 0, page.url
    assert unnamed(page) == [], page.url
    page.set_viewport_size({"width": NARROWEST, "height": HEIGHT})
    assert sticking_out(page) <= 0, page.url
    page.set_viewport_size({"width": SCREEN, "height": HEIGHT})


def fill_watch(page: Page) -> None:
    page.goto("/watch?strategy=piers&players=3&seed=5&turn=20")
    page.locator(".table-view").wait_for()


def fill_numbers(page: Page) -> None:
    page.goto("/numbers")
    page.get_by_role("button", name="Count").click()
    page.get_by_role("button", name="Decide").click()
    page.locator("pre").wait_for()


def fill_lab(page: Page) -> None:
    page.goto("/lab")
    experiment = page.locator("#experiment-simulate")
    experiment.get_by_label("strategy", exact=True).select_option("cheat")
    experiment.get_by_label("Games", exact=True).fill("50")
    experiment.get_by_role("button", name="Run").click()
    expect(experiment.locator("p[role=status]")).to_contain_text("done in")
    experiment.locator(".column.enabled").last.click()
    page.get_by_role("link", name="game ").first.wait_for()


def opened(address: str) -> Callable[[Page], None]:
    def show(page: Page) -> None:
        page.goto(address)
        page.locator("form, .table-view, .button").first.wait_for()

    return show


PAGES: dict[str, list[Callable[[Page], None]]] = {
    "forms": [opened(address) for address in ("/", "/play", "/tables", "/watch", "/solve")],
    "texts": [opened(f"/{name}") for name in ("agreements#saves", "learn", "learn#dead", "rules")],
    "results": [fill_watch, fill_numbers, fill_lab],
}


@pytest.mark.parametrize("kind", PAGES)
def test_every_page(browser: Browser, site: Site, kind: str) -> None:
    with open_page(browser, site) as page:
        for show in PAGES[kind]:
            show(page)
            check_themes(page)
            check_widths(page)


def test_every_state_of_a_table(browser: Browser, site: Site) -> None:
    table = site.table(players=4, humans=[0, 2], strategies="piers", seed=3, rules={"suits": 2})
    with open_page(browser, site) as page:
        sit_at(page, table)
        page.locator(".words.mine").wait_for()
        check_themes(page)
        page.keyboard.press("2")
        check_themes(page)
        check_widths(page)
        page.get_by_role("button", name="dismiss").click()
        page.keyboard.press("n")
        page.get_by_role("textbox", name="note on your slot 2").fill("a two?")
        check_themes(page)
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_have_count(1)
        page.keyboard.press("p")
        page.locator(".words", has_text="Cathy to move").wait_for()
        check_themes(page)
        page.keyboard.press("[")
        page.get_by_role("button", name="Back to now").wait_for()
        check_themes(page)
        page.keyboard.press("Escape")
        with site.seat(table, 0) as first, site.seat(table, 2) as second:
            expect(page.locator(".warning:not(.blunder)")).to_contain_text("open in 2 windows")
            check_themes(page)
            del first, second
        page.goto("/tables")
        page.locator("tbody tr").wait_for()
        check_themes(page)


def test_the_end_of_a_game(browser: Browser, site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="random", seed=3, practice=True)
    with site.seat(table, 0) as seat:
        seat.play(harmless)
    with open_page(browser, site, dark=True) as page:
        sit_at(page, table)
        page.locator(".end h2").wait_for()
        assert violations(page) == []


SLOT_CONTRASTS = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll(".hl-card")].map((card) => {
    const paper = [...card.querySelectorAll(".paper")].find((each) => each.checkVisibility());
    const [one, two] = [card.querySelector(".hl-slot"), paper]
      .map((each) => light(getComputedStyle(each).fill));
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  });
}"""
"""axe does not look into pictures: the contrast of each slot number to its card."""


def test_slot_numbers_can_be_read(browser: Browser, site: Site) -> None:
    table = site.table(players=5, humans=[0], strategies="random", seed=3)
    with open_page(browser, site) as page:
        sit_at(page, table)
        for dark in (False, True):
            page.emulate_media(color_scheme="dark" if dark else "light")
            page.wait_for_timeout(FADED)
            contrasts: list[float] = page.evaluate(SLOT_CONTRASTS)
            assert len(contrasts) == 20
            assert min(contrasts) >= 4.5, sorted(contrasts)[:5]
