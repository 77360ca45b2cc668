"""Learning the game in a real browser: what hints say, lessons, agreements, rules and words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from hanabilab.papers.fixtures import game_with_deck
from tests.web.browser import open_page, require_browser, running_browser, sit_at
from tests.web.clients import Site

require_browser()

SIZES = ((1440, 900), (390, 844))
both_sizes = pytest.mark.parametrize("size", SIZES, ids=["screen", "phone"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from running_browser()


@both_sizes
def test_a_hint_to_you_says_what_to_do(browser: Browser, site: Site, size: tuple[int, int]) -> None:
    """The partner's first hint is a play hint: the card is marked, and the rule one click away."""
    deck = game_with_deck("hle", "y3 g3 b3 w3 y4 g4 r4 y4 b4 r1").deck
    table = site.table(players=2, humans=[1], strategies="conventions", deck=str(deck))
    with open_page(browser, site, size[0]) as page:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        sit_at(page, table, 1)
        said = page.locator(".concluded")
        expect(said).to_contain_text("Alice's hint says: play slot 1.")
        expect(said.get_by_role("link")).to_have_attribute(
            "href", "/agreements#play-hints-and-the-focus"
        )
        expect(page.locator(".hl-card.meant")).to_have_attribute("data-slot", "4")
        expect(page.locator(".log")).to_contain_text("play slot 1")
        page.locator(".settings summary").click()
        page.get_by_label("say what a hint to me means").uncheck()
        page.reload()
        expect(page.locator(".why:not(.waiting)")).to_contain_text("your chop")
        expect(said).to_be_hidden()
        expect(page.locator(".meant")).to_have_count(0)
