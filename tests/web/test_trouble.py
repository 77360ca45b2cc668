"""Tables that are gone and servers that do not answer: the page reports what happened."""

from __future__ import annotations

import itertools
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
WIDTHS = (PHONE, SCREEN)
NAMES = "play tables watch solve lab numbers learn daily agreements"
PAGES = {f"/{name}" for name in NAMES.split()}


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


def test_a_table_that_is_gone(browser: Browser, site: Site) -> None:
    """Name the reason, offer a new table, and remember nothing."""
    table = site.table(players=2, humans=[0], strategies="random", seed=3)
    with open_page(browser, site) as page:
        page.goto("/play?table=long-gone#seat=some-key")
        expect(page.locator("h1")).to_have_text("This table no longer exists")
        expect(page.locator("main")).to_contain_text("deleted 30 days after its last turn")
        assert "Sitting down" not in page.locator("body").inner_text()
        expect(page.locator(".board, .bar, .stage")).to_have_count(0)
        new = page.get_by_role("link", name="New game")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            box = new.bounding_box()
            assert box
            assert box["height"] < 60
            assert box["y"] + box["height"] < HEIGHT
        new.click()
        page.get_by_role("button", name="Deal the cards").wait_for()
        page.goto("/tables")
        expect(page.locator("main")).to_contain_text("No games yet")
        page.goto(f"/play?table={table['table']}#seat=wrong-key")
        expect(page.locator("h1")).to_have_text("This link opens no seat")
        expect(page.get_by_role("link", name="New game")).to_be_visible()


def test_actions_while_the_server_is_down(browser: Browser, site: Site) -> None:
    """Nothing vanishes in silence: the page reports it, and the action can be repeated."""
    table = site.table(players=2, humans=[0], strategies="random", seed=3)
    with open_page(browser, site) as page:
        line = Line(page)
        sit_at(page, table)
        notice, words = page.locator(".notice"), page.locator(".words")
        page.locator(".words.mine").wait_for()
        page.keyboard.press("2")
        line.cut()
        expect(words).to_contain_text("Connection lost")
        page.get_by_role("button", name="Play slot 2").click()
        expect(notice).to_contain_text("nothing was sent")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            expect(notice).to_be_in_viewport(ratio=1)
            expect(page.get_by_role("button", name="Play slot 2")).to_be_enabled()
        line.is_cut = False
        expect(words).to_contain_text("Your turn")
        expect(notice).to_have_count(0)
        line.is_deaf = True
        page.keyboard.press("2")
        page.keyboard.press("p")
        expect(notice).to_contain_text("has not answered yet", timeout=8000)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            expect(notice).to_be_in_viewport(ratio=1)
        line.cut()
        line.is_cut = line.is_deaf = False
        expect(notice).to_contain_text("It is still your turn")
        expect(page.locator(".words.mine")).to_be_visible()
        expect(page.locator(".log li")).to_have_count(0)
        page.keyboard.press("2")
        page.keyboard.press("p")
        expect(page.locator(".log li", has_text="you play slot 2")).to_be_attached()
        expect(notice).to_have_count(0)


def test_invitations_name_the_address_in_the_network(
    browser: Browser, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever invites from 127.0.0.1 sends others where they reach the server, with a warning."""
    assert invitation(browser, site, SCREEN) == (f"http://{site.host}/play?table=", False)
    monkeypatch.setattr("hanabilab.web.application.network_address", lambda host: "192.0.2.7")
    for everywhere in running(tmp_path / "tables.sqlite"):
        port = everywhere.host.partition(":")[2]
        expected = f"http://192.0.2.7:{port}/play?table="
        for width in WIDTHS:
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


def test_progress_is_in_sight_when_it_starts(browser: Browser, site: Site) -> None:
    """Jobs that never answer: their notes stay, beside the button that started them."""
    jobs = (("/lab", "Run"), ("/numbers", "Count"), ("/solve", "Solve"))
    with open_page(browser, site) as page:
        page.route_web_socket(re.compile("/ws/ask"), lambda socket: None)
        for (address, button), width in itertools.product(jobs, WIDTHS):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.goto(address)
            page.get_by_role("button", name=button).first.click()
            note = page.locator(".progress-note").first
            expect(note).to_be_in_viewport(ratio=0.9)
            border = note.evaluate("each => getComputedStyle(each).borderTopWidth")
            assert border == "1px"


def test_all_pages_are_in_the_navigation(browser: Browser, site: Site) -> None:
    """Every page is one click away; on a phone the row of links scrolls sideways."""
    with open_page(browser, site) as page:
        page.goto("/tables")
        links = page.locator("nav a")
        addresses = links.evaluate_all("all => all.map((each) => each.getAttribute('href'))")
        assert set(addresses) == PAGES
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            for link in links.all():
                link.scroll_into_view_if_needed()
                box = link.bounding_box()
                assert box
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= width
                assert box["height"] >= 24
        page.get_by_role("link", name="Agreements").click()
        expect(page.locator(".top nav a[aria-current]")).to_have_text("Agreements")


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
