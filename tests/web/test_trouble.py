"""Tables that are gone and servers that do not answer: the page reports what happened."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from hanabilab.web.application import STATIC
from tests.formats.test_qr_code import decode
from tests.web.browser import (
    HEIGHT,
    PHONE,
    SCREEN,
    open_page,
    require_browser,
    sit_at,
)
from tests.web.clients import Site
from tests.web.conftest import running
from tests.web.processes import process

require_browser()
at_both_widths = pytest.mark.parametrize("width", [PHONE, SCREEN])
PAGES = ("/", "/play", "/tables", "/watch", "/solve", "/lab", "/numbers", "/learn")


@dataclass
class Line:
    """The connection of a page to its table, which a test can cut."""

    page: Page
    is_cut: bool = False
    is_deaf: bool = False
    """Whether what the page sends is lost on the way."""
    sockets: list[WebSocketRoute] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.route_web_socket(re.compile("/ws/table/"), self.connect)

    def connect(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            socket.close()
            return
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if self.is_deaf else server.send(message))
        self.sockets.append(socket)

    def cut(self) -> None:
        self.is_cut = True
        self.sockets[-1].close()


@at_both_widths
def test_a_table_that_is_gone(browser: Browser, site: Site, width: int) -> None:
    """Name the reason, offer a new table, and remember nothing."""
    with open_page(browser, site, width) as page:
        page.goto("/play?table=long-gone#seat=some-key")
        expect(page.locator("h1")).to_have_text("This table no longer exists")
        expect(page.locator("main")).to_contain_text("deleted 30 days after its last turn")
        assert "Sitting down" not in page.locator("body").inner_text()
        expect(page.locator(".board, .bar, .stage")).to_have_count(0)
        new = page.get_by_role("link", name="New game")
        box = new.bounding_box()
        assert box
        assert box["height"] < 60
        assert box["y"] + box["height"] < HEIGHT
        new.click()
        page.get_by_role("button", name="Deal the cards").wait_for()
        page.goto("/tables")
        expect(page.locator("main")).to_contain_text("No games yet")


@at_both_widths
def test_a_key_that_fits_no_seat(browser: Browser, site: Site, width: int) -> None:
    table = site.table(players=2, humans=[0], strategies="random", seed=3)
    with open_page(browser, site, width) as page:
        page.goto(f"/play?table={table['table']}#seat=wrong-key")
        expect(page.locator("h1")).to_have_text("This link opens no seat")
        expect(page.get_by_role("link", name="New game")).to_be_visible()


@at_both_widths
def test_an_action_while_the_server_is_down(browser: Browser, site: Site, width: int) -> None:
    """Nothing vanishes in silence: the page reports it, and the action can be repeated."""
    table = site.table(players=2, humans=[0], strategies="random", seed=3)
    notice = "nothing was sent"
    with open_page(browser, site, width) as page:
        line = Line(page)
        sit_at(page, table)
        page.locator(".words.mine").wait_for()
        page.keyboard.press("2")
        line.cut()
        expect(page.locator(".words")).to_contain_text("Connection lost")
        page.get_by_role("button", name="Play slot 2").click()
        expect(page.locator(".notice")).to_contain_text(notice)
        expect(page.get_by_role("button", name="Play slot 2")).to_be_enabled()
        line.is_cut = False
        expect(page.locator(".words")).to_contain_text("Your turn")
        expect(page.locator(".notice")).to_have_count(0)
        page.keyboard.press("2")
        page.keyboard.press("p")
        expect(page.locator(".log li", has_text="you play slot 2")).to_be_attached()
        expect(page.locator(".notice")).to_have_count(0)


@at_both_widths
def test_an_action_that_is_lost_on_the_way(browser: Browser, site: Site, width: int) -> None:
    table = site.table(players=2, humans=[0], strategies="random", seed=3)
    with open_page(browser, site, width) as page:
        line = Line(page)
        sit_at(page, table)
        page.locator(".words.mine").wait_for()
        line.is_deaf = True
        page.keyboard.press("2")
        page.keyboard.press("p")
        expect(page.locator(".notice")).to_contain_text("has not answered yet", timeout=8000)
        line.cut()
        line.is_cut = line.is_deaf = False
        expect(page.locator(".notice")).to_contain_text("It is still your turn")
        expect(page.locator(".words.mine")).to_be_visible()
        expect(page.locator(".log li")).to_have_count(0)


@at_both_widths
def test_invitations_name_the_address_in_the_network(
    browser: Browser, site: Site, width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever invites from 127.0.0.1 sends others where they reach the server, with a warning."""
    assert invitation(browser, site, width) == (f"http://{site.host}/play?table=", False)
    monkeypatch.setattr("hanabilab.web.application.network_address", lambda host: "192.0.2.7")
    for everywhere in running(tmp_path / "tables.sqlite"):
        port = everywhere.host.partition(":")[2]
        expected = f"http://192.0.2.7:{port}/play?table="
        assert invitation(browser, everywhere, width) == (expected, True)


def invitation(browser: Browser, site: Site, width: int) -> tuple[str, bool]:
    """Invite a person; return the link up to its table, and whether there is a warning.

    Where others reach the server, there is a QR code of the link as well.
    """
    with open_page(browser, site, width) as page:
        page.goto("/play")
        page.get_by_label("strategy", exact=True).nth(1).select_option("person")
        page.get_by_role("button", name="Deal the cards").click()
        link = page.get_by_role("textbox", name="invitation for Bob")
        start = link.input_value().partition("table=")
        warning = page.locator(".invitations", has_text="not encrypted").count() == 1
        assert page.url.startswith(f"http://{site.host}/")
        code = page.get_by_text("QR code", exact=True)
        assert code.count() == warning
        if warning:
            code.click()
            assert decode(drawn_modules(page)) == link.input_value()
        return start[0] + start[1], warning


def drawn_modules(page: Page) -> list[list[bool]]:
    """Return the modules of the QR code on a page, without its border of four."""
    picture = page.get_by_role("img", name="QR code of the invitation for Bob")
    size = int(str(picture.get_attribute("viewBox")).split()[2]) - 8
    path = str(picture.locator("path").get_attribute("d"))
    dark = {(int(x) - 4, int(y) - 4) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}
    return [[(x, y) in dark for x in range(size)] for y in range(size)]


def test_a_server_for_the_network_warns(tmp_path: Path) -> None:
    with process(tmp_path / "tables.sqlite", "--host", "0.0.0.0") as (_, server):
        assert server.stdout
        lines = [server.stdout.readline()]
        if "in your network" in lines[0]:
            assert re.fullmatch(r"in your network: http://[\d.]+:\d+/\n", lines[0])
            lines.append(server.stdout.readline())
        assert lines[-1].startswith("Connections are not encrypted")


OUTSIDE = """() => [...document.querySelectorAll(".notice, .notice p, .notice button")]
  .map((each) => each.getBoundingClientRect())
  .filter((box) => box.x < 0 || box.y < 0 || box.right > innerWidth || box.bottom > innerHeight
    || !box.width || !box.height).length"""


@at_both_widths
def test_errors_are_in_sight_on_every_page(browser: Browser, site: Site, width: int) -> None:
    """Wherever a page is scrolled to, above everything else, and with a border of its own."""
    table = site.table(players=5, humans=[0], strategies="random", seed=3)
    seat = f"/play?table={table['table']}#seat={table['seats']['0']}"
    with open_page(browser, site, width) as page:
        for address in (*PAGES, seat):
            page.goto(address)
            page.locator("form, .table-view, .button, .agreement").first.wait_for()
            page.evaluate(
                "async (words) => (await import('/static/shared/shell.js')).showError(words)",
                "deck: 51 cards are given, but these rules need 50. " * 3,
            )
            for end in ("0", "document.documentElement.scrollHeight"):
                page.evaluate(f"scrollTo(0, {end})")
                assert page.evaluate(OUTSIDE) == 0, address
                dismiss = page.get_by_role("button", name="dismiss")
                dismiss.click(trial=True)  # nothing covers it
            if page.locator(".bar").count():
                page.locator("body").press("2")
                page.locator(".bar .main").click(trial=True)  # the error leaves the bar free
            style = page.locator(".notice").evaluate(
                "each => getComputedStyle(each).borderLeftWidth"
            )
            assert style == "5px"


@at_both_widths
def test_progress_is_in_sight_when_it_starts(browser: Browser, site: Site, width: int) -> None:
    """Jobs that never answer: their notes stay, beside the button that started them."""
    with open_page(browser, site, width) as page:
        page.route_web_socket(re.compile("/ws/ask"), lambda socket: None)
        for address, button in (("/lab", "Run"), ("/numbers", "Count"), ("/solve", "Solve")):
            page.goto(address)
            page.get_by_role("button", name=button).first.click()
            note = page.locator(".progress-note").first
            expect(note).to_be_in_viewport(ratio=0.9)
            border = note.evaluate("each => getComputedStyle(each).borderTopWidth")
            assert border == "1px"


@at_both_widths
def test_all_pages_are_in_the_navigation(browser: Browser, site: Site, width: int) -> None:
    """Every page is one click away; on a phone the row of links scrolls sideways."""
    with open_page(browser, site, width) as page:
        page.goto("/tables")
        links = page.locator("nav a")
        addresses = links.evaluate_all("all => all.map((each) => each.getAttribute('href'))")
        assert set(addresses) == {*PAGES, "/daily", "/agreements"} - {"/"}
        for link in links.all():
            link.scroll_into_view_if_needed()
            box = link.bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["height"] >= 24
        page.get_by_role("link", name="Agreements").click()
        expect(page.locator(".top nav a[aria-current]")).to_have_text("Agreements")


CUT_OFF = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("input[placeholder]")].filter((each) => {
    const style = getComputedStyle(each);
    pen.font = style.font;
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return each.checkVisibility() && pen.measureText(each.placeholder).width > room + 1;
  }).map((each) => each.placeholder);
}"""


@at_both_widths
def test_no_placeholder_is_cut_off(browser: Browser, site: Site, width: int) -> None:
    with open_page(browser, site, width) as page:
        for address in ("/play", "/watch", "/solve", "/lab", "/numbers"):
            page.goto(address)
            page.locator("form").first.wait_for()
            page.evaluate(
                "document.querySelectorAll('details').forEach((each) => each.open = true)"
            )
            assert page.evaluate(CUT_OFF) == [], address


def test_long_answers_are_compressed(site: Site) -> None:
    """The description of all strategies and rules, and scripts, but no keys to seats."""
    about = site.get("/api/about")
    assert about.headers["content-encoding"] == "gzip"
    assert about.num_bytes_downloaded < 20_000 < len(about.content)
    assert site.get("/static/play/table.js").headers["content-encoding"] == "gzip"
    plain = site.get("/api/about", **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == about.json()
    made = site.post("/api/tables", {"players": 2, "humans": [0, 1]})
    assert "content-encoding" not in made.headers


@pytest.mark.parametrize("sheet", sorted(STATIC.glob("styles/*.css")), ids=lambda each: each.name)
def test_every_block_of_a_style_sheet_is_closed(sheet: Path) -> None:
    """A block left open hides all rules that follow from most screens."""
    depth = 0
    for number, line in enumerate(sheet.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith((" ", "}")):
            assert depth == 0, f"{sheet.name}, line {number}: a block before it is not closed"
        depth += line.count("{") - line.count("}")
    assert depth == 0
