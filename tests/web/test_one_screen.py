"""The whole table on one screen: measured in a real browser, for every number of players."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import (
    HEIGHT,
    PHONE,
    SCREEN,
    open_page,
    require_browser,
    sit_at,
)
from tests.web.clients import Message, Site, harmless

require_browser()

PARTS = (
    ".hl-counters",
    ".hl-fireworks",
    ".hl-discards",
    ".hl-hand",
    ".hl-hand .hl-card",
    ".hl-chip",
    ".bar .main",
    ".bar .main + button",
)
"""Everything that has to be in sight: tokens, fireworks, discards, hands, Play and Discard."""


def late_table(site: Site, players: int) -> Message:
    """Return a table at which almost all cards have been drawn and many are discarded."""
    rules = {"preset": "classic", "lives": None, "discard_at_full": True}
    table: Message = site.table(
        players=players, humans=[0], strategies="random", seed=2, rules=rules, practice=True
    )
    with site.seat(table, 0) as seat:
        seat.play(harmless, 48 // players)
    return table


def out_of_sight(page: Page) -> list[str]:
    """Return the parts of the table that are not wholly in the window, or under the bar."""
    found: list[str] = page.evaluate(
        """(parts) => {
          scrollTo(0, 0);
          const bar = document.querySelector(".bar").getBoundingClientRect();
          const wrong = [];
          for (const part of parts) {
            const all = [...document.querySelectorAll(part)];
            if (!all.length) wrong.push(`no ${part}`);
            for (const each of all) {
              const box = each.getBoundingClientRect();
              const low = each.closest(".bar") ? innerHeight : bar.top;
              const inside = box.left >= -0.5 && box.right <= innerWidth + 0.5
                && box.top >= 0 && box.bottom <= low + 0.5;
              if (!inside || !box.width || !box.height)
                wrong.push(`${part}: ${box.left} ${box.top} ${box.right} ${box.bottom}`);
            }
          }
          return wrong;
        }""",
        PARTS,
    )
    return found


def bursting(page: Page) -> list[str]:
    """Return the buttons of the bar whose words do not fit into them, or that do not fit in it."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll(".bar, .bar button")]
          .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"""
    )
    return found


def rows_of_hands(page: Page) -> int:
    """Return in how many rows the hands stand: fewer than hands if some are side by side."""
    tops: list[float] = page.locator(".hl-hand").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect().top)"
    )
    return len({round(top) for top in tops})


def lowest_link(page: Page) -> float:
    """Return the lower edge of the links in the header, which are in one row."""
    return float(
        page.evaluate(
            """() => Math.max(...[...document.querySelectorAll(".top a")]
              .map((each) => each.getBoundingClientRect().bottom))"""
        )
    )


def scales_of_hands(page: Page) -> tuple[float, float]:
    """Return how large the smallest and the largest card are drawn."""
    heights: list[float] = page.locator(".hl-hand .hl-card .edge").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect().height)"
    )
    return min(heights), max(heights)


def covered(page: Page) -> int:
    """Return how many hands overlap each other."""
    return int(
        page.evaluate(
            """() => {
              const boxes = [...document.querySelectorAll(".hl-hand")]
                .map((hand) => hand.getBoundingClientRect());
              return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1
                && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
            }"""
        )
    )


EMPTY = """() => {
  const board = document.querySelector(".table-view").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".table-view > .hl-panel")]
    .map((each) => each.getBoundingClientRect());
  const n = 36;
  const high = Array(n).fill(0);
  let most = 0;
  for (let row = 0; row < n; row += 1) {
    for (let i = 0; i < n; i += 1) {
      const x = board.left + (i + 0.5) / n * board.width;
      const y = board.top + (row + 0.5) / n * board.height;
      const taken = boxes.some((b) => b.left <= x && x <= b.right && b.top <= y && y <= b.bottom);
      high[i] = taken ? 0 : high[i] + 1;
    }
    for (let i = 0; i < n; i += 1) {
      let low = n;
      for (let j = i; j < n && high[j]; j += 1) {
        low = Math.min(low, high[j]);
        most = Math.max(most, low * (j - i + 1));
      }
    }
  }
  return most / n / n;
}"""
"""The share of the board that its largest empty rectangle has."""


def check_stage(page: Page) -> None:
    """Check that no large part of the board is empty, and that the fireworks are large."""
    assert page.evaluate(EMPTY) < 0.2
    size: list[float] = page.evaluate(
        """() => {
          const [board, stage] = [".table-view", ".hl-fireworks"]
            .map((each) => document.querySelector(each).getBoundingClientRect());
          const middle = (stage.left + stage.width / 2 - board.left) / board.width;
          return [stage.width / board.width, middle, stage.height, board.height];
        }"""
    )
    width, middle, height, low = size
    assert height >= 60
    if low > 300:  # on a phone that lies on its side the hands are beside the fireworks
        assert width > 0.4
        assert 0.4 < middle < 0.6


def least_target(page: Page) -> float:
    """Return the smaller side of the smallest target on the other players' cards."""
    least: float = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll(".to-others .hit")]
          .map((each) => each.getBoundingClientRect())
          .flatMap(({ width, height }) => [width, height]))"""
    )
    return least


def check_parts(page: Page, *, few: bool) -> None:
    """Check that all parts are in sight, and that hands do not overlap."""
    page.wait_for_timeout(50)
    missing = [each for each in out_of_sight(page) if not few or "chip" not in each]
    assert missing == []
    assert covered(page) == 0
    check_stage(page)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_table_is_on_one_screen(browser: Browser, site: Site, players: int) -> None:
    """Early and late in a game, on a screen and on a phone, and after the window has changed."""
    late = late_table(site, players)
    early = site.table(players=players, humans=[0], strategies="random", seed=2)
    with open_page(browser, site, SCREEN, dark=True) as page:
        for table, few in ((early, True), (late, False)):
            sit_at(page, table)
            page.locator(".words.mine").wait_for()
            page.keyboard.press("3")
            page.locator(".bar .main", has_text="slot 3").wait_for()
            page.set_viewport_size({"width": 1024, "height": 768})
            assert lowest_link(page) <= page.evaluate(
                "document.querySelector('.said').getBoundingClientRect().top"
            )
            small, large = scales_of_hands(page)
            assert large <= 1.6 * small
            for width in (SCREEN, PHONE):
                page.set_viewport_size({"width": width, "height": HEIGHT})
                check_parts(page, few=few)
                assert rows_of_hands(page) < players or width == PHONE or players == 2
                tall = page.evaluate("document.documentElement.scrollHeight")
                assert tall <= HEIGHT or width == PHONE  # on a phone more is below the table
                assert bursting(page) == []
                assert page.locator(".hl-chip").count() > 9 or few
                assert least_target(page) >= (24 if width == SCREEN else 20)
            low = "document.querySelector('.bar').getBoundingClientRect().bottom"
            assert page.evaluate(low) <= HEIGHT
            for width, height in ((390, 844), (844, 390)) if players < 6 else ():
                page.set_viewport_size({"width": width, "height": height})
                check_parts(page, few=few)
                assert least_target(page) >= 24


def test_a_replay_is_on_one_screen(browser: Browser, site: Site) -> None:
    """Board and controls, with the turns beside them on a wide screen and below on a narrow one."""
    with open_page(browser, site) as page:
        page.goto("/watch?strategy=random&players=4&seed=5&turn=3")
        page.locator(".table-view").wait_for()
        turns = page.locator(".turn-list button")
        for width, height in ((1440, 900), (390, 844), (844, 390)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("scrollTo(0, 0)")
            for part in (".table-view", ".slider", ".controls button >> nth=4", ".words"):
                expect(page.locator(part)).to_be_in_viewport(ratio=0.98)
            assert page.evaluate(EMPTY) < 0.2
            board, listed = (
                page.locator(part).bounding_box() for part in (".table-view", ".turn-list")
            )
            assert board
            assert listed
            beside = listed["x"] >= board["x"] + board["width"]
            assert beside if width == 1440 else listed["y"] > height - 60
            turns.nth(5).click()
            expect(page.locator(".words")).to_contain_text("turn 5: ")
            assert (
                (turns.nth(5).inner_text().split(maxsplit=1)[1])
                in page.locator(".words").inner_text()
            )
            expect(page.locator(".turn-list [aria-current]")).to_have_count(1)
            page.keyboard.press("ArrowLeft")
            expect(turns.nth(4)).to_have_attribute("aria-current", "step")
