"""Learning the game in a real browser: what hints say, lessons, agreements, rules and words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies.conventions.catalogue import EXAMPLES
from hanabilab.web.lessons import first_game
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


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def take_step(page: Page, action: str | None) -> None:
    """Do what a step of the first game asks for, then go on."""
    if action and action.startswith("hint"):
        _, player, value = action.split()
        part = "rank" if value.isdigit() else "suit"
        page.locator(f"[data-player='{player}'] [data-{part}='{value}']").first.click()
    elif action:
        kind, slot = action.split()
        page.locator(f".hl-card[data-player='0'][data-slot='{slot}']").click()
        page.get_by_role("button", name=f"{kind.capitalize()} slot").click()
    page.get_by_role("button", name=re.compile("^(Next|To the exercises)$")).click()


@both_sizes
def test_the_first_game_and_an_exercise(
    browser: Browser, site: Site, size: tuple[int, int]
) -> None:
    """Play the script with one wrong answer and a reload in between, then solve an exercise.

    On a large screen the game resumes near its end: the steps do not depend on the size.
    """
    steps = first_game()["steps"]
    first = 0 if size[0] < 500 else 16
    with open_page(browser, site, size[0]) as page:
        resize(page, size)
        page.add_init_script(f"localStorage.learned ??= '{{\"step\": {first}}}'")
        page.goto("/learn")
        for number, step in list(enumerate(steps))[first:]:
            expect(page.locator(".lesson h2")).to_have_text(step["title"])
            own = step.get("do") if "wrong" in step else None
            if number == 5:
                page.reload()
                expect(page.locator(".steps")).to_contain_text("Step 6 of 20")
                page.locator(".hl-card[data-player='0'][data-slot='0']").click()
                page.get_by_role("button", name="Play slot 5").click()
                expect(page.locator(".feedback.wrong")).to_contain_text("Select slot 2")
            take_step(page, own)
        expect(page.locator(".lesson h2")).to_have_text("What fits?")
        expect(page.get_by_role("navigation", name="lessons")).to_contain_text("1 of 11 done")
        page.locator("[data-player='1'][data-slot='3']").click()
        expect(page.locator(".feedback.wrong")).to_contain_text("White 2 is playable only after")
        page.locator("[data-player='1'][data-slot='1']").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".feedback.right")).to_contain_text("Red 2 is playable")
        expect(page.locator(".hl-card.meant")).to_have_attribute("data-slot", "1")
        page.locator(".feedback .term").first.press("Enter")
        entry = page.get_by_role("dialog", name="glossary: playable")
        expect(entry).to_contain_text("as the next one of its firework")
        page.keyboard.press("Escape")
        expect(entry).to_be_hidden()
        page.get_by_role("button", name="Next exercise").click()
        expect(page.locator(".lesson h2")).to_have_text("What does the hint say?")
        page.get_by_role("button", name="Start over").click()
        expect(page.locator(".lesson h2")).to_have_text("The goal")
        expect(page.get_by_role("navigation", name="lessons")).to_contain_text("0 of 11 done")


@both_sizes
def test_agreements_rules_and_glossary(browser: Browser, site: Site, size: tuple[int, int]) -> None:
    """A deep link opens an agreement as an exercise; rules and words are one key away."""
    with open_page(browser, site, size[0], dark=size[0] < 500) as page:
        resize(page, size)
        page.goto("/agreements#saves")
        expect(page.locator(".lesson h2")).to_have_text("Saves")
        assert page.evaluate("document.documentElement.scrollHeight") < 2 * size[1]
        links = page.locator(".lessons a")
        expect(links).to_have_count(len(EXAMPLES))
        page.locator("[data-player='1'] [data-rank='4']").first.click()
        expect(page.locator(".feedback.wrong")).to_contain_text("A rank saves a 5")
        page.locator("[data-player='1'] [data-rank='5']").click()
        expect(page.locator(".feedback.right")).to_contain_text(
            "Right. A hint that touches the chop"
        )
        page.locator("details.lesson-list").evaluate("each => { each.open = true; }")
        expect(page.locator(".lessons a[aria-current]")).to_have_text(re.compile("Saves.*✓"))
        links.last.click()
        expect(page.locator(".lesson h2")).to_have_text(EXAMPLES[-1].title)
        page.keyboard.press("?")
        helped = page.get_by_role("dialog", name="rules and glossary")
        expect(helped).to_contain_text("Build five fireworks together")
        helped.get_by_text("Glossary", exact=True).click()
        expect(helped.locator("dt", has_text="chop")).to_be_visible()
        helped.get_by_role("button", name="Close").click()
        expect(helped).to_be_hidden()
        page.goto("/rules#finesse")
        expect(page.locator("#finesse dd")).to_be_in_viewport()
