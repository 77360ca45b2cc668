"""The front page at the sizes of a laptop and a phone: play now, partners, what a visitor finds."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, Page, ViewportSize, expect

from hanabilab.lab.questions import STORED
from tests.web.browser import open_page, require_browser, sticking_out
from tests.web.clients import Site, harmless

require_browser()
expect.set_options(timeout=15_000)
LAPTOP: ViewportSize = {"width": 1440, "height": 900}
TELEPHONE: ViewportSize = {"width": 390, "height": 844}
SIZES = (LAPTOP, TELEPHONE)


def sits_inside(page: Page, selector: str) -> bool:
    """Return whether the whole element is in sight without scrolling."""
    box, size = page.locator(selector).bounding_box(), page.viewport_size
    assert box
    assert size
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= size["height"]
    )


def test_one_click_deals_and_the_second_click_acts(browser: Browser, site: Site) -> None:
    """Then another table is set up by hand, and “Play now” deals that one again."""
    with open_page(browser, site) as page:
        page.goto("/")
        expect(page.locator("#last-setup")).to_have_text("You and two Club players")
        for size in SIZES:
            page.set_viewport_size(size)
            assert sits_inside(page, "a.large")
            assert sticking_out(page) <= 0
        page.get_by_role("link", name="Play now").click()  # on a phone
        page.locator(".words.mine").wait_for()
        assert page.locator(".hl-hand").count() == 3
        page.locator("[data-player='1'] [data-rank].enabled").first.click()
        expect(page.locator(".log li", has_text="you tell Bob")).to_have_count(1)
        page.go_back()
        page.get_by_role("link", name="Choose partners and rules").click()
        page.get_by_label("Players", exact=True).select_option("2")
        page.get_by_role("radio", name="Beginner").check()
        chosen = page.get_by_label("strategy", exact=True).nth(1).locator("option:checked")
        expect(chosen).to_have_text("Beginner")
        assert not page.get_by_label("Rules", exact=True).is_visible()
        assert sticking_out(page) <= 0
        page.set_viewport_size(LAPTOP)
        assert sits_inside(page, "form button.main")
        page.get_by_role("button", name="Deal the cards").click()
        page.locator(".words.mine").wait_for()
        page.goto("/")
        expect(page.locator("#last-setup")).to_have_text("You and one Beginner player")
        page.get_by_role("link", name="Play now").click()
        page.locator(".words.mine").wait_for()
        assert page.locator(".hl-hand").count() == 2
        page.locator("[data-player='1'] [data-rank].enabled").first.click()
        expect(page.locator(".log li", has_text="you tell Bob")).to_have_count(1)


def test_settings_that_the_server_refuses_lead_to_the_form(browser: Browser, site: Site) -> None:
    page = browser.new_page(base_url=f"http://{site.host}")
    page.add_init_script(
        """localStorage.setup = JSON.stringify({own: 0, words: "You and gone",
          request: {players: 2, humans: [0], strategies: ["gone"]}})"""
    )
    page.goto("/play?now")
    expect(page.locator(".notice")).to_contain_text("unknown strategy 'gone'")
    page.get_by_role("button", name="Deal the cards").wait_for()
    assert page.url.endswith("/play")
    page.close()


def test_the_day_is_played_solved_and_shared(browser: Browser, site: Site) -> None:
    """The puzzle takes two tries, the deck a whole game; neither result names a card."""
    with open_page(browser, site) as page:
        page.set_viewport_size(TELEPHONE)
        page.goto("/daily?date=2026-11-18")
        puzzle, deck = page.locator("#puzzle"), page.locator("#deck")
        for move in ("discard w2", "play w2"):
            puzzle.get_by_role("button", name=move, exact=True).click()
        text = puzzle.get_by_label("your result as text")
        expect(text).to_have_value("Hanabi puzzle 2026-11-18: try 2, par 6 turns\n🟥🟩")
        puzzle.locator(".hl-panel").first.wait_for()
        expect(deck).to_contain_text("it allows 25 points")
        with page.expect_download() as saved:
            puzzle.get_by_role("button", name="Save as a picture").click()
        assert saved.value.suggested_filename == "hanabi-puzzle-2026-11-18.png"
        assert saved.value.path().read_bytes().startswith(b"\x89PNG")
        assert sticking_out(page) <= 0
        page.set_viewport_size(LAPTOP)
        expect(text).to_be_visible()
        deck.get_by_role("button", name="Play the deck").click()
        page.locator(".words.mine").wait_for()
        table, _, key = page.url.partition("table=")[2].partition("#seat=")
        with site.seat({"table": table, "seats": {"0": key}}, 0) as seat:
            end = seat.play(harmless)
        page.goto("/daily?date=2026-11-18")
        text = deck.get_by_label("your result as text")
        expect(text).to_have_value(
            re.compile(f"^Hanabi 2026-11-18: {end['score']} of 25, par 25\n")
        )
        assert text.input_value().count("🟩") == end["score"]
        expect(puzzle.get_by_label("your result as text")).to_have_value(re.compile("try 2"))
        assert page.evaluate("localStorage.setup") is None


def test_questions_are_answered_and_can_be_repeated(browser: Browser, site: Site) -> None:
    """The chart is what the file says; a bar leads to games, the button to the filled-in form."""
    stored = json.loads(STORED.read_text("utf-8"))
    for question in stored["questions"]:
        question["games"] = 20
    with open_page(browser, site) as page:
        page.route("**/api/questions", lambda route: route.fulfill(json=stored))
        page.goto("/lab")
        questions = page.get_by_role("region", name="questions")
        for question in stored["questions"]:
            questions.get_by_role("button", name=question["title"]).click()
            bars = questions.locator(".chart [role=button]")
            expect(bars).to_have_count(len(question.get("rows", [])) or 36)
            for size in SIZES:
                page.set_viewport_size(size)
                assert sticking_out(page) <= 0
        questions.get_by_role("button", name="Does it pay to cheat?").click()
        row = stored["questions"][1]["rows"][2]
        bars.last.click()
        assert f"{row['mean']:.2f} ± {row['stderr']:.2f}" in questions.inner_text()
        expect(questions.locator(".printed")).to_have_count(3)
        example = questions.get_by_role("link", name=f"a poor one ({row['examples'][0]['score']}")
        shown = str(example.get_attribute("href"))
        page.set_viewport_size(LAPTOP)
        questions.get_by_role("button", name="Run it yourself").click()
        again = questions.get_by_role("region", name="played again")
        expect(again.locator("p[role=status]")).to_contain_text("done", timeout=60_000)
        expect(again.locator(".chart [role=button]")).to_have_count(3)
        again.locator(".chart [role=button]").first.click()
        rules = {each["strategy"]: each["rules"] for each in stored["questions"][1]["rows"]}
        assert len(set(rules.values())) == 2  # so that the form of one table could not repeat it
        assert "rules=cox-program" in str(again.get_by_role("link").first.get_attribute("href"))
        questions.get_by_role("button", name="What do agreements add?").click()
        questions.get_by_role("button", name="Run it yourself").click()
        form = page.locator("#experiment-compare")
        expect(form.locator("p[role=status]")).to_contain_text("done", timeout=60_000)
        expect(form.get_by_label("strategy", exact=True)).to_have_count(
            len(stored["questions"][4]["rows"])
        )
        page.goto(f"{shown}&turn=last")
        expect(page.locator(".words")).to_contain_text(f"{row['examples'][0]['score']} of 25")
