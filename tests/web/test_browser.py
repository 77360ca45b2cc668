"""The pages in a real browser, by mouse and keyboard: games, replays, decks and runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from hanabilab import Deck, Game, play
from hanabilab.formats.describe import Labels, describe_event
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.theory import unplayable
from hanabilab.web.live.shared_game import SharedGame
from tests.web.browser import (
    HEIGHT,
    PHONE,
    SCREEN,
    open_page,
    require_browser,
    sit_at,
    sticking_out,
)
from tests.web.clients import Site

require_browser()
expect.set_options(timeout=15_000)
at_both_widths = pytest.mark.parametrize("width", [PHONE, SCREEN])


def sit_down(page: Page) -> None:
    """Set up a small table for two with the form: a person and a strategy."""
    page.goto("/play")
    page.get_by_label("Players", exact=True).select_option("2")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_text("Change individual rules").click()
    page.get_by_label("suits", exact=True).fill("2")
    page.get_by_label("strategy", exact=True).nth(1).select_option("iggi")
    page.get_by_label("Deck", exact=True).select_option("seed")
    page.get_by_label("Seed", exact=True).fill("3")
    page.get_by_role("button", name="Deal the cards").click()


def my_turn(page: Page) -> bool:
    """Wait until it is the person's turn or the game is over; return whether it is the turn."""
    waiting = page.locator(".words", has_text=re.compile("Your turn"))
    waiting.or_(page.locator(".end h2")).first.wait_for()
    return not page.locator(".end h2").is_visible()


def play_to_the_end(page: Page, *, careful: bool) -> int:
    """Alternate hints and plays, or discards if careful; return how many turns it took."""
    turns = 0
    while my_turn(page):
        before = page.locator(".log li").count()
        hint = page.locator("[data-player='1'] .enabled")
        if hint.count() and turns % 2 == 0:
            hint.nth(turns % hint.count()).click()
        else:
            page.locator("[data-player='0'][data-slot]").nth(turns % 3).click()
            discard = page.get_by_role("button", name=re.compile("^Discard"))
            chosen = "Discard" if careful and discard.is_enabled() else "Play"
            page.get_by_role("button", name=re.compile(f"^{chosen} slot")).click()
        page.locator(".log li").nth(before).wait_for(state="attached")
        turns += 1
    return turns


def check_end_screen(page: Page) -> None:
    """Check that all hands and what the deck allowed are shown, and deal the same deck again."""
    allowed = re.compile("This deck (can be won|allows)")
    expect(page.locator(".allowed")).to_contain_text(allowed, timeout=60_000)
    own = page.locator("[data-player='0'][data-slot]")
    assert own.count() == page.locator("[data-player='0'][data-card]").count() > 0
    for part in (".end", ".table-view", ".hl-fireworks"):
        expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
    box = page.locator(".table-view").bounding_box()
    assert box
    assert box["height"] > 300
    address = page.url
    page.get_by_role("button", name="Same deck again").click()
    page.locator(".words.mine").wait_for()
    assert page.url != address
    page.goto(address)
    # what it allowed comes last, and moves the links
    expect(page.locator(".allowed")).to_contain_text(allowed, timeout=60_000)


@at_both_widths
def test_a_whole_game_by_clicking(browser: Browser, site: Site, width: int) -> None:
    """Play carefully to the last card on a screen, boldly until the lives are gone on a phone."""
    with open_page(browser, site, width) as page:
        sit_down(page)
        turns = play_to_the_end(page, careful=width == SCREEN)
        assert turns > 3
        if width == PHONE:
            # the deck has been shown: nothing can be taken back any more
            expect(page.get_by_role("button", name="Take back")).to_be_hidden()
        end = (page.locator(".end > p").first.text_content() or "").rstrip(".").lower()
        score = page.locator(".end h2").inner_text().removesuffix(" points")
        assert page.locator(".log li").count() >= 2 * turns - 1
        check_end_screen(page)
        page.get_by_role("link", name="Replay the game").click()
        page.locator(".table-view").wait_for()
        page.keyboard.press("End")
        expect(page.locator(".words")).to_contain_text(f"{end}, {score}")


def test_a_few_turns_with_the_keyboard_alone(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/play")
        page.get_by_role("button", name="Deal the cards").focus()
        page.keyboard.press("Enter")
        assert my_turn(page)
        page.keyboard.press("h")
        focused = page.locator(":focus")
        expect(focused).to_have_attribute("aria-label", re.compile("^tell Bob .*: slots? [1-5]"))
        page.keyboard.press("ArrowRight")
        expect(focused).to_have_attribute("data-rank", re.compile(r"\d"))
        page.keyboard.press("ArrowDown")
        expect(focused).to_have_attribute("data-suit", re.compile("[rygbw]"))
        page.keyboard.press("Enter")
        expect(page.locator(".log li").last).to_contain_text(
            re.compile("you tell Bob: (red|yellow|green|blue|white)")
        )
        assert my_turn(page)
        before = page.locator(".log li").count()
        page.keyboard.press("2")
        expect(page.locator(".chosen")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("p")
        expect(page.locator(".log li", has_text="you play slot 2")).to_be_visible()
        assert my_turn(page)
        turns = page.locator(".log").inner_text()
        page.reload()
        assert my_turn(page)
        assert page.locator(".log").inner_text() == turns
        page.keyboard.press("u")
        expect(page.locator(".log li")).to_have_count(before)
        expect(page.locator("#announcer")).to_contain_text("Your turn")


def test_a_stranger_with_the_address_sees_no_hand(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        sit_down(page)
        assert my_turn(page)
        address = page.url.partition("#")[0]
        page.goto("/")
        page.goto(address)
        page.locator(".table-view").wait_for()
        assert page.locator("[data-slot]").count() == 10
        assert page.locator("[data-card]").count() == 0
        assert page.locator(".enabled").count() == 0


def test_a_replay_stepped_through(browser: Browser, site: Site) -> None:
    game = play("information", Deck.shuffled(players=3, seed=5), seed=5)
    again = Game(game.rules, game.deck)
    labels = Labels.of(["Alice", "Bob", "Cathy"])
    with open_page(browser, site, dark=True) as page:
        page.goto("/watch?strategy=information&players=3&seed=5")
        words = page.locator(".words")
        expect(words).to_have_text("the deal")
        for turn, action in enumerate(game.actions[:6], 1):
            event = again.act(action)
            page.keyboard.press("ArrowRight")
            told = describe_event(event, again.state.rules, labels, 5)
            expect(words).to_have_text(f"turn {turn}: {told}")
            assert page.locator(".why").inner_text()
        page.set_viewport_size({"width": PHONE, "height": HEIGHT})
        page.keyboard.press("ArrowLeft")
        expect(words).to_contain_text("turn 5:")
        page.keyboard.press("End")
        expect(words).to_contain_text(f"turn {game.turn}:")
        expect(words).to_contain_text(f"{game.score} of 25")
        page.keyboard.press("Home")
        expect(words).to_have_text("the deal")
        page.get_by_label("turn", exact=True).fill("20")
        expect(words).to_contain_text("turn 20:")
        assert page.locator("[data-card]").count() == 15
        page.get_by_label("seen by").select_option("1")
        expect(page.locator("[data-player='1'][data-card]")).to_have_count(0)
        expect(page.locator("[data-player='0'][data-card]")).to_have_count(5)
        expect(page).to_have_url(re.compile("turn=20.*eyes=1"))
        page.reload()
        expect(words).to_contain_text("turn 20:")
        expect(page.locator("[data-player='1'][data-card]")).to_have_count(0)


def test_a_pasted_game_and_where_it_was_lost(browser: Browser, site: Site) -> None:
    game = Game(players=2, seed=7)
    while not game.is_over:
        game.act("play 4")
    assert game.end == "lives"
    with open_page(browser, site) as page:
        page.goto("/watch")
        page.get_by_label("Or paste a game").fill(json.dumps(game.to_dict()))
        page.get_by_role("button", name="Open the game").click()
        expect(page).to_have_url(re.compile("code="))
        page.keyboard.press("End")
        expect(page.locator(".words")).to_contain_text("the last life is lost")
        page.get_by_role("button", name="Where was it lost?").click()
        expect(page.locator(".verdict")).to_contain_text("lost it")
        assert page.locator(".strip rect").count() == game.turn + 1
        page.get_by_role("button", name="Go to the turn before").click()
        page.get_by_role("button", name="Can it be won from here?").click()
        expect(page.locator(".verdict.winnable")).to_be_visible()
        page.get_by_text("Choose a game").click()
        page.get_by_label("Or paste a game").fill("{}")
        page.get_by_role("button", name="Open the game").click()
        expect(page.locator(".notice")).to_contain_text("deck")


def test_seeds_beyond_the_numbers_of_javascript(browser: Browser, site: Site) -> None:
    seed = 4_611_686_018_427_387_001
    game = play("iggi", Deck.shuffled(players=2, seed=seed), seed=seed)
    with open_page(browser, site) as page:
        page.goto(f"/watch?strategy=iggi&players=2&seed={seed}&turn=last")
        expect(page.locator(".words")).to_contain_text(f"turn {game.turn}: ")
        expect(page.locator(".words")).to_contain_text(f", {game.score} of 25")
        assert f"seed={seed}" in page.url


def test_a_random_game_stays_the_same(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/watch")
        page.get_by_label("strategy", exact=True).select_option("iggi")
        page.get_by_label("Deck", exact=True).select_option("random")
        page.get_by_role("button", name="Replay", exact=True).click()
        page.locator(".table-view").wait_for()
        page.keyboard.press("End")
        words = page.locator(".words")
        expect(words).to_contain_text(" of 25")
        end = words.inner_text()
        page.reload()
        expect(words).to_have_text(end)


def test_a_deck_solved(browser: Browser, site: Site) -> None:
    with open_page(browser, site, PHONE) as page:
        page.goto("/solve")
        page.get_by_role("button", name="Solve").click()
        expect(page.locator(".verdict")).to_contain_text("winnable")
        page.locator(".table-view").wait_for()
        assert sticking_out(page) <= 0
        page.set_viewport_size({"width": SCREEN, "height": HEIGHT})
        page.keyboard.press("End")
        expect(page.locator(".words")).to_contain_text("all fireworks are complete, 25 of 25")


def test_find_the_move(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/solve")
        page.get_by_label("Another variant").fill("critical fours (5 suits)")
        page.get_by_role("button", name="New puzzle").click()
        page.get_by_text(re.compile("Which move keeps 25")).wait_for()
        page.locator(".table-view").wait_for()
        said = page.locator(".answer p[role=status]").first
        for move in page.locator(".result .buttons button").all():
            move.click()
            expect(said).to_have_text(re.compile("^(Right|No): "))
            if said.inner_text().startswith("Right"):
                break
        expect(said).to_contain_text("keeps 25; the other")


def test_a_lost_deck_has_a_reason(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/solve")
        page.get_by_text("Change individual rules").click()
        fields = {"suits": "1", "ranks": "3", "copies of each card": "2, 2, 1", "hand size": "2"}
        for name, value in fields.items():
            page.get_by_label(name, exact=True).fill(value)
        page.get_by_label("Deck", exact=True).select_option("deck")
        page.get_by_label("Cards", exact=True).fill("r2 r3 r2 r1 r1")
        page.get_by_role("button", name="Solve").click()
        expect(page.locator(".verdict")).to_contain_text("not winnable")
        expect(page.locator(".verdict")).to_contain_text("best score 2")


def test_a_simulation_watched_to_its_end(browser: Browser, site: Site, tmp_path: Path) -> None:
    with open_page(browser, site, PHONE) as page:
        page.goto("/lab")
        experiment = page.locator("#experiment-simulate")
        experiment.get_by_label("strategy", exact=True).select_option("cheat")
        experiment.get_by_label("Games", exact=True).fill("500")
        experiment.get_by_role("button", name="Run").click()
        expect(experiment.locator("p[role=status]")).to_contain_text("done in")
        assert experiment.locator(".summary dd").nth(1).inner_text() == "500"
        with page.expect_download() as saved:
            page.get_by_role("button", name="CSV").click()
        saved.value.save_as(tmp_path / "scores.csv")
        assert "score" in (tmp_path / "scores.csv").read_text().splitlines()[0]
        with page.expect_download() as saved:
            page.get_by_role("button", name="PNG").click()
        saved.value.save_as(tmp_path / "scores.png")
        assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")
        assert sticking_out(page) <= 0
        page.set_viewport_size({"width": SCREEN, "height": HEIGHT})
        bar = experiment.locator(".column.enabled").last
        score = bar.get_attribute("data-score")
        bar.focus()
        page.keyboard.press("Enter")
        page.get_by_role("link", name=re.compile("^game ")).first.click()
        expect(page.locator(".words")).to_contain_text(f", {score} of 25")


def test_the_other_experiments(browser: Browser, site: Site) -> None:
    with open_page(browser, site, PHONE) as page:
        page.goto("/lab#compare")
        tab = page.get_by_role("tab", name="Compare")
        expect(tab).to_have_attribute("aria-selected", "true")
        for kind, shown in (("compare", ".bar"), ("crossplay", ".cell"), ("sweep", ".point")):
            experiment = page.locator(f"#experiment-{kind}")
            if kind != "sweep":
                while experiment.get_by_label("remove this strategy").count() > 2:
                    experiment.get_by_label("remove this strategy").last.click()
                for place, name in enumerate(("cheat", "random")):
                    experiment.get_by_label("strategy", exact=True).nth(place).select_option(name)
            else:
                experiment.get_by_label("strategy", exact=True).select_option("rule-based")
                experiment.get_by_label(re.compile("^play-threshold")).fill("0.5,1")
            experiment.get_by_label(re.compile("^Games")).fill("20")
            experiment.get_by_role("button", name="Run").click()
            expect(experiment.locator("p[role=status]")).to_contain_text("done")
            assert experiment.locator(shown).count() >= 2
            page.locator("[role=tab][aria-selected=true]").press("ArrowRight")


def test_counting(browser: Browser, site: Site) -> None:
    with open_page(browser, site, PHONE) as page:
        page.goto("/numbers")
        page.get_by_role("button", name="Count").click()
        expect(page.locator("td", has_text="66,360")).to_be_visible()
        page.get_by_role("button", name="13 fours").click()
        prime = f"{unplayable(*[4] * 13):,}"
        expect(page.locator("td", has_text=prime)).to_be_visible()
        page.get_by_role("button", name="Decide").click()
        expect(page.locator(".verdict").first).to_contain_text("playable")
        page.get_by_role("button", name="Calculate").click()
        expect(page.get_by_text("lost at some cut: 1.9421e-4")).to_be_visible()
        page.get_by_text("Table 5.1").first.click()
        expect(page.locator(".long td").first).to_be_visible()


def test_the_theme_is_kept(browser: Browser, site: Site) -> None:
    with open_page(browser, site, dark=True) as page:
        page.goto("/rules")
        page.get_by_role("heading", level=1).wait_for()
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to content")
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("button", name=re.compile("^theme")).click()
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert dark != light
        page.reload()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


def test_bad_input_is_answered_in_words(browser: Browser, site: Site) -> None:
    with open_page(browser, site) as page:
        page.goto("/solve")
        page.get_by_label("Deck", exact=True).select_option("deck")
        page.get_by_label("Cards", exact=True).fill("r1 x9")
        page.get_by_role("button", name="Solve").click()
        expect(page.locator(".notice")).to_contain_text("x9")
        page.get_by_role("button", name="dismiss").click()
        expect(page.locator(".notice")).to_have_count(0)


def test_people_are_warned_of_small_seeds(browser: Browser, site: Site) -> None:
    """Others at the table could find the deck by trying."""
    with open_page(browser, site) as page:
        sit_at(page, site.table(players=2, humans=[0, 1], seed=7))
        expect(page.locator(".warning:not(.blunder)")).to_contain_text(
            "This deck comes from a seed"
        )
        sit_at(page, site.table(players=2, humans=[0, 1]))
        expect(page.locator(".hl-hand").first).to_be_visible()
        expect(page.locator(".warning:not(.blunder)")).to_be_hidden()


# --- agreements -----------------------------------------------------------------------------------


UNPLAYABLE = "y3 g3 b3 w3 y4"


def test_remarks_about_a_turn_are_in_sight(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken agreement and a blunder are named at once, in sight, and again after the game."""
    better = "tell Bob rank 4: slots 2, 3, 4 and 5"
    warning = {"type": "blunder", "cost": 1.4, "better": better}
    monkeypatch.setattr(SharedGame, "warning_after", lambda table, turn: {**warning, "turn": turn})
    deck = str(game_with_deck("classic", f"{UNPLAYABLE} g4 b4 w4 r4 y3", 2).deck)
    table = site.table(players=2, humans=[0], strategies="conventions", deck=deck, practice=True)
    with open_page(browser, site) as page:
        sit_at(page, table)
        page.locator(".words.mine").wait_for()
        page.keyboard.press("5")
        page.keyboard.press("p")
        breach, blunder = page.locator(".said .breach"), page.locator(".said .blunder")
        expect(breach).to_contain_text("Agreement broken: yellow 3 was played")
        expect(blunder).to_contain_text(
            f"about 1.4 points, judging by what you knew. The coach would {better}."
        )
        back = blunder.get_by_role("button", name="Take it back")
        for width, height in ((1440, 900), (390, 844), (844, 390)):
            page.set_viewport_size({"width": width, "height": height})
            cut, board = page.evaluate(
                """() => {
                  const [said, board] = [".said", ".table-view"]
                    .map((each) => document.querySelector(each));
                  return [said.scrollHeight - said.clientHeight, board.clientHeight];
                }"""
            )
            assert cut <= 1
            assert board > 180
            for each in (breach, blunder, back):
                expect(each).to_be_in_viewport(ratio=1)
        expect(page.locator(".log .breach").first).to_contain_text("Agreement broken: yellow 3")
        with page.context.expect_page() as opened:
            breach.get_by_role("link", name="Why?").click()
        expect(opened.value.locator(".lesson h2")).to_have_text("Play hints and the focus")
        opened.value.close()
        back.click()
        expect(breach).to_be_hidden()
        expect(blunder).to_be_hidden()
        for misplays in range(3):
            expect(page.locator(".log li")).to_have_count(2 * misplays)
            page.locator(".words.mine").wait_for()
            page.keyboard.press("5")
            page.keyboard.press("p")
            if misplays < 2:
                expect(blunder).to_be_visible()
        page.set_viewport_size({"width": PHONE, "height": 800})
        page.get_by_role("button", name="Review", exact=True).click()
        expect(page.locator(".after")).to_be_in_viewport()
        costly = page.get_by_role("region", name="turns that cost you points")
        expect(costly.get_by_role("listitem")).to_have_count(2)
        expect(costly).to_contain_text(f"Turn 3, about 1.4 points: the coach would {better}.")
        broken = page.get_by_role("region", name="broken agreements")
        expect(broken.get_by_role("heading")).to_have_text("Agreements that you broke")
        expect(broken.get_by_role("listitem").first).to_contain_text("Turn ")
