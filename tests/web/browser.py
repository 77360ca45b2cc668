"""A real Chromium for the tests of the pages, and what every page is watched for.

Debian's package is enough: ``apt-get install chromium``. Without one these tests are skipped, or
fail where the environment says ``HANABILAB_BROWSER=required``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.web.clients import Site

__all__ = [
    "MISSING",
    "PHONE",
    "SCREEN",
    "chromium",
    "open_page",
    "running_browser",
    "sticking_out",
    "unnamed",
]

PHONE, SCREEN = 380, 1280
MISSING = "no Chromium is installed: apt-get install chromium, and run pytest tests/web again"
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
    """Where the browser is."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def running_browser() -> Iterator[Browser]:
    """One browser for several tests, or a skipped test that says how to get one."""
    path = chromium()
    if path is None:
        if os.environ.get("HANABILAB_BROWSER") == "required":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def open_page(
    browser: Browser, site: Site, width: int = SCREEN, *, dark: bool = False
) -> Iterator[Page]:
    """A fresh window; in the end nothing may have gone wrong in it and nothing may stick out."""
    context = browser.new_context(
        base_url=f"http://{site.host}",
        viewport={"width": width, "height": 820},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        accept_downloads=True,
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    wrong: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    page.on("console", listen)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    assert wrong == [], wrong
    assert sticking_out(page) <= 0
    assert unnamed(page) == []
    context.close()


def sticking_out(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def unnamed(page: Page) -> list[str]:
    """Everything that can be operated but has no name to be called by."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(
             'button, a[href], input, select, textarea, [role=button], [role=tab]')]
           .filter((each) => each.checkVisibility())
           .filter((each) => !each.getAttribute('aria-label') && !each.textContent.trim()
             && ![...(each.labels ?? [])].some((label) => label.textContent.trim()))
           .map((each) => each.outerHTML.slice(0, 200))"""
    )
    return found
