"""People who share a table are warned, in the browser, of a seed that others can find."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.browser import open_page, require_browser, running_browser, sit_at
from tests.web.clients import Site

require_browser()


def test_the_page_warns_of_small_seeds(site: Site) -> None:
    for browser in running_browser():
        with open_page(browser, site) as page:
            sit_at(page, site.table(players=2, humans=[0, 1], seed=7))
            expect(page.locator(".warning")).to_contain_text("This deck comes from a seed")
        with open_page(browser, site) as page:
            sit_at(page, site.table(players=2, humans=[0, 1]))
            expect(page.locator(".hl-hand").first).to_be_visible()
            expect(page.locator(".warning")).to_be_hidden()
