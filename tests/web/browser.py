"""A real Chromium for the tests of the pages, and checks that every page must pass.

`make browser` installs Debian's package. Without a browser these tests are skipped, or fail if the
environment variable `HANABILAB_BROWSER` is `required`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.web.clients import Message, Site

__all__ = [
    "HEIGHT",
    "MISSING",
    "PHONE",
    "SCREEN",
    "chromium",
    "open_page",
    "require_browser",
    "running_browser",
    "sit_at",
    "sticking_out",
    "unnamed",
]

PHONE, SCREEN = 380, 1280
HEIGHT = 800
MISSING = "no browser found: run `make browser` to install one"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """Return the path of the browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def require_browser() -> None:
    """Without a browser skip the whole module that calls this, or fail if one is required."""
    if chromium():
        return
    if os.environ.get("HANABILAB_BROWSER") == "required":
        pytest.fail(MISSING, pytrace=False)
    pytest.skip(MISSING, allow_module_level=True)


def running_browser() -> Iterator[Browser]:
    """Yield one browser for several tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def open_page(
    browser: Browser,
    site: Site,
    width: int = SCREEN,
    *,
    dark: bool = False,
    moving: bool = False,
    pace: float = 0,
) -> Iterator[Page]:
    """Open a fresh window; on closing check for errors, overflow and controls without a name.

    Turns follow each other `pace` seconds apart; things move only if asked to.
    """
    context = browser.new_context(
        base_url=f"http://{site.host}",
        viewport={"width": width, "height": HEIGHT},
        color_scheme="dark" if dark else "light",
        reduced_motion="no-preference" if moving else "reduce",
        accept_downloads=True,
    )
    context.add_init_script(f"localStorage.pace ??= '{pace}'")
    context.set_default_timeout(15_000)
    page = context.new_page()
    wrong: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        yield page
        assert wrong == [], wrong
        assert sticking_out(page) <= 0
        assert unnamed(page) == []
    finally:
        context.close()


def sit_at(page: Page, table: Message, player: int = 0) -> None:
    """Take a seat at a table that was set up."""
    page.goto(f"/play?table={table['table']}#seat={table['seats'][str(player)]}")
    page.locator(".table-view").wait_for()


def sticking_out(page: Page) -> int:
    """Return by how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def unnamed(page: Page) -> list[str]:
    """Return all controls without an accessible name."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(
             'button, a[href], input, select, textarea, [role=button], [role=tab]')]
           .filter((each) => each.checkVisibility())
           .filter((each) => !each.getAttribute('aria-label') && !each.textContent.trim()
             && ![...(each.labels ?? [])].some((label) => label.textContent.trim()))
           .map((each) => each.outerHTML.slice(0, 200))"""
    )
    return found
