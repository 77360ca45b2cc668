"""axe finds nothing: on every page, in every state of a table, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import PHONE, SCREEN, open_page, require_browser, sit_at
from tests.web.clients import Site, harmless

require_browser()

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
MISNAMED = """async () => (await axe.run({ exclude: [".hl-board"] },
    { runOnly: ["label-content-name-mismatch"] })).violations.flatMap(
    ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))"""
"""Controls that cannot be called by what they show; cards show letters and are called by words."""
RUN = """async (only) => (await axe.run(document, only)).violations.flatMap(
    ({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))"""


def violations(page: Page, *, dark: bool = False) -> list[str]:
    """Return everything that axe objects to on a page as it is now; in the dark, in its colours."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, {"runOnly": ["color-contrast"]} if dark else {})
    return found if dark else [*found, *page.evaluate(MISNAMED)]


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


PAGES = [
    *(opened(address) for address in ("/", "/play", "/tables", "/watch", "/solve", "/lab")),
    *(opened(address) for address in ("/agreements#saves", "/learn", "/learn#dead", "/rules")),
    fill_watch,
    fill_numbers,
    fill_lab,
]


@pytest.mark.parametrize("dark", [False, True])
def test_every_page(browser: Browser, site: Site, dark: bool) -> None:
    with open_page(browser, site, PHONE if dark else SCREEN, dark=dark) as page:
        for show in PAGES:
            show(page)
            assert violations(page, dark=dark) == [], page.url


@pytest.mark.parametrize("dark", [False, True])
def test_every_state_of_a_table(browser: Browser, site: Site, dark: bool) -> None:
    table = site.table(players=4, humans=[0, 2], strategies="piers", seed=3, rules={"suits": 2})
    with open_page(browser, site, PHONE if dark else SCREEN, dark=dark) as page:
        sit_at(page, table)
        page.locator(".words.mine").wait_for()
        assert violations(page, dark=dark) == []
        page.keyboard.press("2")
        assert violations(page, dark=dark) == []
        page.keyboard.press("n")
        page.get_by_role("textbox", name="note on your slot 2").fill("a two?")
        assert violations(page, dark=dark) == []
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_have_count(1)
        page.keyboard.press("p")
        page.locator(".words", has_text="Cathy to move").wait_for()
        assert violations(page, dark=dark) == []
        for details in page.locator("aside summary").all():
            if details.is_visible():
                details.click()
        assert violations(page, dark=dark) == []
        page.keyboard.press("[")
        page.get_by_role("button", name="Back to now").wait_for()
        assert violations(page, dark=dark) == []
        page.keyboard.press("Escape")
        with site.seat(table, 0) as first, site.seat(table, 2) as second:
            expect(page.locator(".warning:not(.blunder)")).to_contain_text("open in 2 windows")
            assert violations(page, dark=dark) == []
            del first, second
        page.goto("/tables")
        page.locator("tbody tr").wait_for()
        assert violations(page, dark=dark) == []


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


@pytest.mark.parametrize("dark", [False, True])
def test_slot_numbers_can_be_read(browser: Browser, site: Site, dark: bool) -> None:
    table = site.table(players=5, humans=[0], strategies="random", seed=3)
    with open_page(browser, site, dark=dark) as page:
        sit_at(page, table)
        contrasts: list[float] = page.evaluate(SLOT_CONTRASTS)
        assert len(contrasts) == 20
        assert min(contrasts) >= 4.5, sorted(contrasts)[:5]
