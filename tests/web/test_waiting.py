"""No page is blank while it waits: it says what is done, for how long, and can be stopped."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, Route, expect

from tests.web.browser import open_page, require_browser
from tests.web.clients import Site

require_browser()
expect.set_options(timeout=15_000)


def note(page: Page, words: str) -> None:
    """Check that the page says what it does and counts the seconds."""
    waiting = page.locator(".progress-note")
    expect(waiting).to_contain_text(words)
    expect(waiting.locator(".clock")).to_have_text(re.compile(r"^[1-9]\d* s$"))


def test_pages_wait_visibly_for_the_server(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        held: list[Route] = []
        page.route("**/api/about", lambda route: held.append(route))
        for address in ("/play", "/watch", "/solve", "/lab", "/numbers"):
            page.goto(address)
            page.get_by_role("heading", level=1).wait_for()
            waiting = page.locator(".progress-note", has_text="Loading strategies and rules")
            expect(waiting).to_be_visible()
            held.pop().continue_()
            page.locator("form").first.wait_for()
            expect(waiting).to_have_count(0)


def test_a_game_that_does_not_come_can_be_stopped(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.route_web_socket(
            "**/ws/ask",
            lambda socket: socket.on_message(
                lambda text: socket.send(
                    '{"type": "cancelled", "id": 1}'
                    if "cancel" in str(text)
                    else '{"type": "status", "id": 1, "words": "compiling piers, about 20 seconds"}'
                )
            ),
        )
        page.goto("/watch?strategy=piers&players=3&seed=1")
        note(page, "Setting up the game: compiling piers, about 20 seconds")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".notice")).to_contain_text("stopped")
        expect(page.locator(".progress-note")).to_have_count(0)
        page.goto("/solve")
        page.get_by_role("button", name="Solve").click()
        note(page, "Solving: compiling piers")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".answer > .result")).to_contain_text("stopped")
        page.goto("/lab")
        page.get_by_role("button", name="Run", exact=True).click()
        note(page, "Playing: compiling piers")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#experiment-simulate p[role=status]")).to_have_text("stopped")


def test_what_if_in_the_page(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/watch?strategy=piers&players=3&seed=4&turn=5")
        page.locator(".table-view").wait_for()
        page.get_by_role("button", name="What if?").click()
        expect(page.locator(".what-if")).to_contain_text("the turn of Cathy")
        page.get_by_label("Action").select_option(label="discard slot 5")
        page.get_by_role("button", name="Continue from here").click()
        expect(page.locator(".words")).to_contain_text("turn 6: Cathy discards slot 5")
        expect(page.locator(".why")).to_contain_text("what if?")
        expect(page.locator(".result")).to_contain_text("It would have ended with")
        expect(page).to_have_url(re.compile("code="))
        page.keyboard.press("ArrowRight")
        expect(page.locator(".why")).to_contain_text("(rule ")
        page.reload()
        expect(page.locator(".words")).to_contain_text("turn 7: Alice")
        expect(page.locator(".why")).to_contain_text("(rule ")
        page.keyboard.press("End")
        page.get_by_role("button", name="What if?").click()
        expect(page.locator(".result")).to_contain_text("The game is over here")
