"""Take the pictures of the pages for the documentation: `make pictures`.

`python -m tests.web.screenshots NAME …` takes some of them.

The seeds of the games are fixed, so the pictures change only when the pages do.
"""

from __future__ import annotations

import itertools
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from hanabilab import Game
from hanabilab.papers.report.page import write_report
from hanabilab.papers.reproduction import reproduce
from hanabilab.table.players import Actor
from hanabilab.web.game_requests import encode_game
from tests.web.browser import MISSING, chromium, running_browser
from tests.web.conftest import running
from tests.web.test_review import game_with_a_fault

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SCREEN, PHONE, REPORT = (1280, 800), (380, 800), (1180, 1400)
TALLEST = 2100
"""Pixels after which a picture is cut off."""


def front(page: Page) -> None:
    """Show the front page with its sample game."""
    page.goto("/")
    page.locator("#sample .hl-panel").first.wait_for()


def deal(page: Page, players: str) -> None:
    """Set up a table with a known deck."""
    page.goto("/play")
    page.get_by_label("Players", exact=True).select_option(players)
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Deck", exact=True).select_option("seed")
    page.get_by_label("Seed", exact=True).fill("5")
    page.get_by_role("button", name="Deal the cards").click()


def good_game() -> Game:
    """Return a game of three Club players that falls short of the maximum by a little."""
    for seed in itertools.count(1):
        game = Game("classic", players=3, seed=seed)
        actors = [Actor("conventions", player) for player in range(3)]
        while not game.is_over:
            for actor in actors:
                actor.follow(game)
            game.act(actors[game.player].act(game))
        if game.actions[-1].type == "play" and 22 <= game.score < game.rules.max_score:
            break
    return game


def end(page: Page) -> None:
    """Play the last card of a good game."""
    game = good_game()
    last = game.events[-1]
    asked = {"from": {"code": encode_game(game)}, "turn": game.turn - 1, "seat": last.player}
    table = page.request.post("/api/tables", data=asked).json()
    page.goto(f"/play?table={table['table']}#seat={table['seats'][str(last.player)]}")
    page.locator(".words.mine").wait_for()
    page.locator(f"[data-place=own] [data-slot='{last.slot}']").click()
    page.keyboard.press("p")
    page.locator(".allowed", has_text="points").wait_for(timeout=60_000)
    page.locator(".after .accuracy").wait_for(timeout=120_000)


def play(page: Page) -> None:
    """Take some turns beside three strategies, then choose a card."""
    deal(page, "4")
    for turn in range(5):
        page.locator(".words.mine").wait_for()
        hints = page.locator("[data-player='1'] [data-rank].enabled")
        if turn % 2 == 0 and hints.count():
            hints.first.click()
        else:
            page.keyboard.press("4")
            page.keyboard.press("d")
        page.locator(".log li").nth(4 * turn + 3).wait_for(state="attached")
    page.locator(".words.mine").wait_for()
    page.keyboard.press("2")
    page.mouse.move(0, 0)


def replay(page: Page) -> None:
    """Show a hint and what it tells, as one of the players sees it."""
    page.goto("/watch?strategy=recommendation&players=5&rules=cox&seed=2&turn=27&eyes=2")
    page.locator(".table-view").wait_for()


def review(page: Page) -> None:
    """Review a game with one misplay, and show the turn before it."""
    page.goto(f"/watch?code={encode_game(game_with_a_fault())}")
    page.get_by_role("button", name="Review the game").click()
    page.get_by_role("button", name="Show the turn").first.click(timeout=120_000)
    page.locator(".board .best").first.wait_for()


def today(page: Page) -> None:
    """Solve the puzzle of a day at the second try."""
    page.goto("/daily?date=2026-11-18")
    for move in ("discard w2", "play w2"):
        page.locator("#puzzle").get_by_role("button", name=move, exact=True).click(timeout=60_000)
    page.locator("#puzzle .hl-panel").first.wait_for()
    page.get_by_role("button", name="Play the deck").wait_for(timeout=60_000)


def questions(page: Page) -> None:
    """Show a stored answer with a paper's figure, and games behind a bar."""
    page.goto("/lab")
    page.get_by_role("button", name="How sure should you be").click()
    page.locator(".questions .chart [role=button]").nth(4).click()
    page.get_by_role("tab", name="Simulate").wait_for()


def solve(page: Page) -> None:
    """Solve a winnable deck."""
    page.goto("/solve?players=2&seed=7&go")
    page.locator(".table-view").wait_for(timeout=120_000)
    page.keyboard.press("End")
    page.locator(".words", has_text="25 of 25").wait_for()


def experiments(page: Page) -> None:
    """Show a histogram and the games behind a bar."""
    page.goto("/lab")
    experiment = page.locator("#experiment-simulate")
    experiment.get_by_role("button", name="Run").click()
    experiment.locator("p[role=status]", has_text="done").wait_for(timeout=180_000)
    experiment.locator("[data-score='16']").click()
    experiment.get_by_role("link", name=re.compile("^game")).first.wait_for()


def counting(page: Page) -> None:
    """Count decks and decide one sequence."""
    page.goto("/numbers")
    for name in ("Count", "Decide"):
        page.get_by_role("button", name=name).click()
    page.locator("pre").wait_for()
    page.locator("table").first.wait_for()
    page.locator("h3").last.wait_for()  # the tables of the papers


def learn(page: Page) -> None:
    """Answer an exercise wrongly."""
    page.goto("/learn#save")
    page.locator("[data-player='1'] [data-suit='b']").click()
    page.locator(".feedback.wrong").wait_for()


def agreements(page: Page) -> None:
    """Show the exercise of one agreement."""
    page.goto("/agreements#finesses-and-prompts")
    page.locator(".table-view").wait_for()


def reproduction(page: Page) -> None:
    """Show the report of a quick run of `hanabilab reproduce`, which takes two minutes."""
    with tempfile.TemporaryDirectory() as folder:
        page.goto(write_report(reproduce(), folder).absolute().as_uri())


Look = Literal["light", "dark"]
Shot = tuple[str, Callable[[Page], None], tuple[int, int], Look]

SHOTS: tuple[Shot, ...] = (
    ("front", front, SCREEN, "light"),
    ("play", play, SCREEN, "light"),
    ("play-phone", play, PHONE, "dark"),
    ("end", end, SCREEN, "light"),
    ("replay", replay, SCREEN, "dark"),
    ("review-page", review, SCREEN, "light"),
    ("today", today, SCREEN, "light"),
    ("solve", solve, SCREEN, "light"),
    ("questions", questions, SCREEN, "dark"),
    ("experiments", experiments, SCREEN, "light"),
    ("counting", counting, SCREEN, "light"),
    ("learn", learn, SCREEN, "light"),
    ("agreements-phone", agreements, PHONE, "dark"),
    ("reproduction", reproduction, REPORT, "light"),
)


ONE_SCREEN = ("front", "play", "play-phone", "end", "questions", "reproduction")
"""Pictures that show what is in sight without scrolling."""


def main() -> None:
    """Take all pictures."""
    if not chromium():
        raise SystemExit(MISSING)
    wanted = [shot for shot in SHOTS if shot[0] in sys.argv[1:] or not sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for site in running(Path(folder) / "tables.sqlite"):
            for browser in running_browser():
                for shot in wanted:
                    take(browser, f"http://{site.host}", shot)


def take(browser: Browser, address: str, shot: Shot) -> None:
    """Take one picture."""
    name, show, (width, height), look = shot
    page = browser.new_page(
        base_url=address,
        viewport={"width": width, "height": height},
        color_scheme=look,
        reduced_motion="reduce",
    )
    page.add_init_script("localStorage.pace = '0'")
    show(page)
    tall = (
        height
        if name in ONE_SCREEN
        else min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    )
    page.set_viewport_size({"width": width, "height": tall})  # sticky parts stay at the edge
    page.evaluate("scrollTo(0, 0)")
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path)
    page.close()
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
