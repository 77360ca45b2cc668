"""The client of hanab.live, against a stand-in server on loopback."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from hanabilab.cli.game_input import read_records
from hanabilab.core.record import pack
from hanabilab.errors import FormatError, LiveError, StrategyError
from hanabilab.formats.game_files import read_games
from hanabilab.game.actions import HINT_SUIT, Event
from hanabilab.game.cards import HIDDEN
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, view_of
from hanabilab.game.turn import conceal_event
from hanabilab.live import Client, Settings, connection, exports
from hanabilab.live.messages import plain_text, read_frame, server_address
from hanabilab.live.remote_game import RemoteGame, rules_of
from hanabilab.strategies import find_strategy
from hanabilab.table.game import Game
from tests.live.people import PROMPT, Person, bot, person, until
from tests.live.stand_in import StandIn, Table, serving

BOT = "Bot-Hanna"


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 100))


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests not wait as a client of the real site does."""
    monkeypatch.setattr(exports, "PAUSE", 0)
    monkeypatch.setattr(connection, "PER_SECOND", 400.0)
    monkeypatch.setattr(connection, "FIRST_DELAY", 0.05)


async def start(alice: Person, table: Table) -> None:
    await alice.send("tableStart", tableID=table.id, intendedPlayers=table.players)
    await until(lambda: table.game is not None)


async def seated(alice: Person, **fields: Any) -> Table:
    """Open a table, invite the bot and start."""
    table = await alice.open_table(**fields)
    await alice.invite(BOT, table)
    await start(alice, table)
    return table


def sent(server: StandIn, command: str, name: str = BOT) -> list[dict[str, Any]]:
    return [fields for who, each, fields in server.received if (who, each) == (name, command)]


def test_a_whole_game_is_played_and_saved(tmp_path: Path) -> None:
    settings = Settings(delay=0, linger=0, save=tmp_path, notes=True)

    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server, settings=settings),
            person(server) as alice,
        ):
            table = await seated(alice)
            await alice.play(table)
            await until(lambda: BOT not in table.spectators)
            thanks = [each["msg"] for each in sent(server, "chat")]
            assert thanks == [f"Thanks for the game! {server.address}/replay/1002"]
            assert all(len(each["note"].encode()) < 300 for each in sent(server, "note"))
            assert sent(server, "note")
            await alice.whisper(BOT, "/why 1")
            await alice.whisper(BOT, "/why 2")
            await until(lambda: len(alice.whispers()) == 2)
            assert sum("was not mine" in each for each in alice.whispers()) == 1
            [saved] = tmp_path.iterdir()
            data = json.loads(saved.read_text())
            assert table.game is not None
            assert Game.from_record(next(iter(read_games(saved.read_text())))) == table.game
            assert Game.read(data["link"]).actions == table.game.actions
            assert data["hanablive"] == {"players": table.players, "id": 1002}
            mine = [a["player"] for a in data["actions"] if "why" in a]
            assert set(mine) == {table.players.index(BOT)}

    run(game())


class Watched(RemoteGame):
    """Records what its strategy is shown."""

    def __init__(self, rules: Rules, player: int) -> None:
        self.seen: list[bytes] = []
        super().__init__(find_strategy("random"), rules, player, 5)
        seat = self._seat

        def observe(state: State, event: Event) -> None:
            self.seen.append(seen_by(state, event, player))

        seat.begin = lambda state: self.seen.append(seen_by(state, None, player))  # type: ignore[method-assign]
        seat.follow = lambda state: None  # type: ignore[method-assign]
        seat.observe = observe  # type: ignore[method-assign]


def seen_by(state: State, event: Event | None, player: int) -> bytes:
    """Return what the driver of seats shows a player: secrets are concealed there."""
    shown = pack(view_of(state, player)).tobytes()
    if event is None:
        return shown
    told = event.copy()
    if player != event.player or event.kind < HINT_SUIT:
        conceal_event(told, state.rules)
    return shown + pack(told).tobytes()


VARIANTS = [
    "No Variant",
    "Rainbow (6 Suits)",
    "Black & Pink (6 Suits)",
    "Clue Starved (5 Suits)",
    "Orange (5 Suits)",
    "Reversed (5 Suits)",
    "Alternating Clues (5 Suits)",
    "Funnels (5 Suits)",
    "Throw It in a Hole (5 Suits)",
    "Throw It in a Hole & Orange (5 Suits)",
    "Cow & Pig (4 Suits)",
    "Up or Down (5 Suits)",
    "Sudoku (4 Suits)",
    "Duck (5 Suits)",
]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 4])
def test_a_strategy_gets_the_view_of_our_own_table(variant: str, players: int) -> None:
    """Byte for byte, in every turn of random games."""
    server = StandIn()
    for seed in range(3):
        game = Game(variant, players=players, seed=seed)
        table = Table(1, "", "", {}, players=list("abcdef"[:players]), game=game)
        remote, other, me = Watched(game.rules, 1), Watched(game.rules, 1), "b"
        size = game.rules.hand_size
        table.orders = [list(range(s * size, s * size + size)) for s in range(players)]
        for seat, hand in enumerate(table.orders):
            for order in hand:
                message = server._card_action(table, "draw", seat, order)
                remote.receive(server._scrubbed(table, message, me))
                other.receive(server._scrubbed(table, message, me))
        expected = [seen_by(game.state, None, 1)]
        while not game.is_over:
            action = server.random.choice(game.legal_actions())
            seat, turn = game.player, game.turn
            before = game.rules.deck_size - game.state.draw_pile
            if seat == 1:  # the strategy knows what it chose
                for each in (remote, other):
                    each._asked, each._chosen = turn, action.number(game.state) or 0
            event = game.act(action)
            for message in server._turn_actions(table, event, action, seat, before, turn):
                shown = server._scrubbed(table, message, me)
                remote.receive(shown)
                other.receive(tampered(shown, game.rules))
            for each in (remote, other):
                if game.is_over:
                    each.receive({"type": "gameOver"})
                each.receive({"type": "turn", "currentPlayerIndex": game.player})
            expected.append(seen_by(game.state, event, 1))
        assert other.seen == remote.seen
        if game.rules.hidden_plays:  # at our table the end brings all to light
            remote.seen.pop(), expected.pop()
        assert remote.seen == expected
        told = game.rules.hints_tell == "all"
        assert not told or remote.actions == game.actions
        finished = remote.finished(whole_deck(game))
        assert finished.score == game.score
        assert [a.type for a in finished.actions if told] == [a.type for a in game.actions if told]


def tampered(message: dict[str, Any], rules: Rules) -> dict[str, Any]:
    """Return a message with other secrets: what follows from it must stay the same."""
    if message["type"] == "clue" and rules.hints_tell != "all":
        kind = message["clue"]["type"] if rules.hints_tell == "kind" else 7
        return {**message, "clue": {"type": kind, "value": 99}}
    if rules.hidden_plays and message["type"] == "play":
        return {**message, "type": "discard", "failed": True}
    if rules.hidden_plays and message.get("failed"):
        return {**message, "type": "play", "failed": False, "suitIndex": 1, "rank": 3}
    return message


def whole_deck(game: Game) -> list[dict[str, int]]:
    ranks, printed = game.rules.ranks, game.rules.printed_ranks
    return [{"suitIndex": card // ranks, "rank": printed[card]} for card in game.deck]


def test_secrets_of_the_server_are_dropped_before_anything_sees_them() -> None:
    frame = (
        'init {"tableID": 1, "seed": "p2v0s1", "options": {}, "databaseID": 3, "x": {"seed": 1}}'
    )
    assert read_frame(frame) == ("init", {"tableID": 1, "options": {}})
    status = 'gameAction {"tableID": 1, "action": {"type": "status", "score": 3, "maxScore": 24}}'
    assert read_frame(status) == ("gameAction", {"tableID": 1, "action": {}})
    strike = 'gameActionList {"tableID": 1, "list": [{"type": "strike", "num": 1}]}'
    assert read_frame(strike) == ("gameActionList", {"tableID": 1, "list": [{}]})
    assert read_frame("tableProgress {}") is None


def test_cards_of_our_own_are_never_used_even_if_they_are_sent() -> None:
    game = Game("No Variant", players=2, seed=1)
    remote, server = Watched(game.rules, 0), StandIn()
    table = Table(1, "", "", {}, players=["a", "b"], game=game)
    for order in range(10):
        remote.receive(server._card_action(table, "draw", order // 5, order))
    assert remote._deck[:5] == [HIDDEN] * 5
    assert pack(remote.state).tobytes() == pack(view_of(game.state, 0)).tobytes()


@pytest.mark.parametrize(
    "frame", ["", "x", "chat", "chat {", "chat 3", "chat [3]", "table null", "[1] {}", b"chat {}"]
)
def test_frames_that_mean_nothing_are_ignored(frame: str | bytes) -> None:
    assert read_frame(frame) in (None, ("chat", []))


def test_a_lost_connection_is_made_again_and_the_game_goes_on() -> None:
    async def game() -> None:
        async with StandIn().running() as server, bot(server), person(server) as alice:
            table = await seated(alice)
            for lost in range(3):
                await alice.play(table, turns=2)
                await server.drop(BOT)
                server.down = lost == 1
                await asyncio.sleep(0.1)
                server.down = False
                await until(lambda: BOT in table.loaded)
            await alice.play(table)
            assert table.game is not None
            assert table.game.is_over
            assert len(server.logins) >= 5

    run(game())


def test_a_strategy_for_more_players_waits_for_them() -> None:
    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server, strategy="hatter") as (client, _),
            person(server) as alice,
        ):
            table = await alice.open_table()
            await alice.invite(BOT, table)
            await start(alice, table)
            await until(lambda: sent(server, "tableUnattend"))
            assert "cannot play this game" in sent(server, "chat")[0]["msg"]
            assert not client.tables
            await server.end(table, 4)
            table = await alice.open_table(maxPlayers=2)
            await alice.whisper(BOT, "/join")
            await until(lambda: alice.whispers())
            assert "I cannot play there" in alice.whispers()[0]

    run(game())


def test_a_server_that_never_answers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_DELAY", 0.001)

    lines: list[str] = []
    nowhere = Client(BOT, "secret", "random", server="http://127.0.0.1:9", report=lines.append)
    with pytest.raises(LiveError, match=r"http://127\.0\.0\.1:9 cannot be reached"):
        run(nowhere.run())
    assert sum("no answer" in line for line in lines) == connection.FIRST_ATTEMPTS - 1


def test_a_second_login_ends_the_client_instead_of_fighting() -> None:
    async def game() -> None:
        async with StandIn().running() as server:
            first = Client(BOT, "secret", "random", server=server.address)
            running = asyncio.create_task(first.run())
            await until(lambda: BOT in server.online)
            async with bot(server):
                with pytest.raises(LiveError, match="somewhere else"):
                    await asyncio.wait_for(running, 5)
            assert server.logins.count(BOT) == 2

    run(game())


def test_a_refused_login_is_an_error_without_the_password() -> None:
    async def game() -> None:
        async with StandIn().running() as server:
            server.passwords[BOT] = "another"
            with pytest.raises(
                LiveError, match="refused the login of Bot-Hanna: That is not"
            ) as no:
                await Client(BOT, "secret", "random", server=server.address).run()
            assert "secret" not in str(no.value)

    run(game())


def test_commands() -> None:
    async def ask(alice: Person, text: str) -> str:
        known = len(alice.whispers())
        await alice.whisper(BOT, text)
        await until(lambda: len(alice.whispers()) > known)
        return alice.whispers()[-1]

    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server) as (client, _),
            person(server) as alice,
        ):
            assert "hanabilab 0." in await ask(alice, "/version")
            assert "/join" in await ask(alice, "/help")
            assert "do not know /dance" in await ask(alice, "/dance <b>")
            assert "sit at a table" in await ask(alice, "/join")
            assert "share no table" in await ask(alice, "/leave")
            assert "From the next table on I play iggi" in await ask(alice, "/strategy iggi")
            assert "level=2" in await ask(alice, "/settings 2")
            assert "cannot be named here" in await ask(alice, "/strategy exec:rm")
            assert "its own cards" in await ask(alice, "/strategy cheat")
            assert "conventions:level=2" in await ask(alice, "/settings")
            assert client.strategy.name == "conventions"
            table = await alice.open_table(password='a & "b"')
            assert "has a password" in await ask(alice, "/join")
            assert "not the correct password" in await ask(alice, "/join wrong")
            await alice.invite(BOT, table, 'a & "b"')
            assert "at your table already" in await ask(alice, "/join")
            await alice.whisper(BOT, "/leave")
            await until(lambda: BOT not in table.players)
            await alice.invite(BOT, table, "'a & \"b\"'")
            assert "share no running game" in await ask(alice, "/terminate")
            await alice.whisper(BOT, "/leave")
            await until(lambda: BOT not in table.players)
            await alice.send("tableLeave", tableID=table.id)
            assert "players from 2 to 6" in await ask(alice, "/create room 9")
            assert "My table is open" in await ask(alice, "/create room 3 sesame")
            table = server.tables[max(server.tables)]
            assert (table.name, table.most, table.password) == ("room", 3, "sesame")
            assert "We share no table that waits" in await ask(alice, "/start")
            await alice.send("tableJoin", tableID=table.id, password="sesame")
            await until(lambda: "alice" in client.lobby[table.id]["players"])
            await alice.whisper(BOT, "/start")
            await until(lambda: table.game is not None and BOT in table.loaded)
            assert "After the game" in await ask(alice, "/why 1")
            await alice.whisper(BOT, "/leave")
            await until(lambda: BOT not in table.present)
            await alice.whisper(BOT, "/rejoin")
            await until(lambda: BOT in table.loaded and client.tables)
            known = len(alice.whispers())
            client._on_warning({"warning": "of something else"})
            assert "hanabilab" in await ask(alice, "/version")
            assert len(alice.whispers()) == known + 1
            await alice.whisper(BOT, "/terminate")
            await until(lambda: table.replay)

    run(game())


def test_old_and_foreign_commands_are_not_carried_out() -> None:
    """The stand-in sends history with /join and a notice of the server with /leave."""

    async def game() -> None:
        async with StandIn().running() as server, bot(server), person(server) as alice:
            await alice.send("chat", msg="/create", room="lobby")
            table = await alice.open_table()
            await alice.send("chat", msg="/join", room=f"table{table.id}")
            await asyncio.sleep(0.1)
            assert not [each for each in server.received if each[0] == BOT]

    run(game())


def test_tables_that_cannot_be_played_are_declined() -> None:
    async def game() -> None:
        async with StandIn().running() as server, bot(server), person(server) as alice:
            await alice.open_table(options={"variantName": "Throw It in a Hole (5 Suits)"})
            await alice.whisper(BOT, "/join")
            await until(lambda: alice.whispers())
            assert "played cards stay hidden" in alice.whispers()[0]

    run(game())


def test_rules_that_become_unplayable_make_the_bot_leave() -> None:
    async def game() -> None:
        async with StandIn().running() as server, bot(server), person(server) as alice:
            table = await alice.open_table()
            await alice.invite(BOT, table)
            table.options["detrimentalCharacters"] = True
            await server._changed(table)
            await until(lambda: BOT not in table.players)
            assert "Detrimental Characters" in sent(server, "chat")[0]["msg"]

    run(game())


def test_a_failing_strategy_leaves_with_a_word(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("def act(view, memory):\n    return 1 // 0\n")

    async def game() -> None:
        strategy = f"{file}:act"
        async with (
            StandIn().running() as server,
            bot(server, strategy=strategy),
            person(server) as alice,
        ):
            table = await seated(alice)
            await alice.play(table, turns=1 if alice.is_to_move(table) else 0)
            await until(lambda: BOT not in table.present)
            assert [each["msg"] for each in sent(server, "chat")] == [
                "Sorry, my strategy failed, so I leave."
            ]
            assert not sent(server, "action")

    run(game())


def test_a_paused_game_waits() -> None:
    async def game() -> None:
        async with StandIn().running() as server, bot(server), person(server) as alice:
            table = await seated(alice)
            await until(lambda: alice.is_to_move(table))
            await server.set_pause(table, active=True)
            table.paused = False
            await alice.act(table)
            table.paused = True
            assert table.game is not None
            turn = table.game.turn
            await asyncio.sleep(0.2)
            assert table.game.turn == turn
            await server.set_pause(table, active=False)
            await until(lambda: table.game is not None and table.game.turn > turn)

    run(game())


def test_kicks_ends_and_owners_who_leave() -> None:
    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server) as (client, _),
            person(server) as alice,
        ):
            table = await alice.open_table()
            await alice.invite(BOT, table)
            await server.kick(table, BOT)
            await until(lambda: not client.tables)
            await alice.whisper(BOT, "/join")
            await until(lambda: any("kicked" in each for each in alice.whispers()))
            await alice.send("tableLeave", tableID=table.id)
            table = await alice.open_table()
            await alice.invite(BOT, table)
            await alice.send("tableLeave", tableID=table.id)
            await until(lambda: table.id not in server.tables)
            table = await seated(alice)
            await server.end(table, 10)
            await until(lambda: not client.tables)

    run(game())


def test_two_tables_at_once() -> None:
    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server) as (client, _),
            person(server) as alice,
            person(server, "bob") as bob,
        ):
            first, second = await seated(alice), await seated(bob)
            assert len(client.tables) == 2
            await asyncio.gather(alice.play(first), bob.play(second))
            await until(lambda: not client.tables)

    run(game())


def test_a_restart_by_the_leader() -> None:
    settings = dataclasses.replace(PROMPT, linger=30)

    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server, settings=settings) as (client, _),
            person(server) as alice,
        ):
            table = await seated(alice)
            await until(lambda: BOT in table.loaded)
            await server.end(table, 4)
            table.owner = BOT
            await until(lambda: client.tables[table.id].in_replay)
            client.tables[table.id].leader = BOT
            await alice.whisper(BOT, "/restart")
            await until(lambda: max(server.tables, default=0) > table.id)
            again = server.tables[max(server.tables)]
            await alice.play(again, turns=2)
            assert list(client.tables) == [again.id]

    run(game())


def test_a_dry_run_sends_nothing() -> None:
    settings = dataclasses.replace(PROMPT, dry_run=True)

    async def game() -> None:
        async with (
            StandIn().running() as server,
            bot(server, settings=settings) as (_, lines),
            person(server) as alice,
        ):
            await alice.open_table(password="sesame")
            await alice.whisper(BOT, "/join sesame")
            await until(lambda: any("tableJoin" in line for line in lines))
            assert not any("sesame" in line for line in lines)
            assert not [each for each in server.received if each[0] == BOT]

    run(game())


def test_messages_are_sent_at_a_limited_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PER_SECOND", 20.0)

    async def game() -> None:
        async with StandIn().running() as server, bot(server) as (client, _):
            many = connection.BURST + 10
            for _ in range(many):
                client.send("loaded", tableID=1)
            before = asyncio.get_running_loop().time()
            await until(lambda: len(server.received) == many)
            assert asyncio.get_running_loop().time() - before > 0.3

    run(game())


@pytest.mark.parametrize(
    ("server", "insecure", "said"),
    [
        ("http://hanab.live", False, "unencrypted"),
        ("https://hanab.live", True, "this computer only"),
        ("http://127.0.0.2.example", True, "this computer only"),
        ("ftp://localhost", False, "not an address"),
        ("https://hanab.live/x", False, "not an address"),
        ("https://me:pw@hanab.live", False, "address alone"),
        ("http://localhost:99999", False, "port"),
    ],
)
def test_bad_servers(server: str, insecure: bool, said: str) -> None:
    with pytest.raises(LiveError, match=said):
        server_address(server, insecure=insecure)


def test_good_servers() -> None:
    assert server_address("hanab.live") == "https://hanab.live"
    assert server_address("http://localhost:81/", insecure=True) == "http://localhost:81"
    assert server_address("https://[::1]:8", insecure=True) == "https://[::1]:8"


def test_texts_of_the_site_are_read_without_html() -> None:
    assert plain_text("/join &#34;a&amp;b&#34;") == '/join "a&b"'
    assert plain_text("a<br>b <b>c</b>") == "a b c"


def test_a_strategy_that_sees_its_hand_is_rejected() -> None:
    with pytest.raises(StrategyError, match="own cards"):
        Client("x", "y", "cheat")
    with pytest.raises(LiveError, match="not the name of an account"):
        Client("Bot Hanna", "y", "random")


def test_options_of_tables() -> None:
    rules = rules_of({"variantName": "Rainbow (6 Suits)", "variantID": 0, "oneExtraCard": True}, 3)
    assert (rules.suits, rules.hand_size) == (6, 6)


def test_games_are_downloaded_by_number(tmp_path: Path) -> None:
    """Numbers and links to replays become games; other lines stay."""
    game = Game("No Variant", players=2, seed=1)
    game.act(game.legal_actions()[-1])
    export = json.dumps(game.to_hanablive())

    async def answer(request: Request) -> Response:
        found = request.path_params["number"] == 7
        return PlainTextResponse(export if found else "no", 200 if found else 404)

    async def session() -> None:
        async with serving(Starlette(routes=[Route("/export/{number:int}", answer)])) as port:
            server, file = f"http://127.0.0.1:{port}", tmp_path / "games"

            def read(text: str) -> list[tuple[int, Game]]:
                file.write_text(text)
                records = read_records(str(file), server=server)
                return [(record.line, Game.from_record(record)) for record in records]

            text = f"7\n\nhttps://hanab.live/replay/7#3\n{game.link()}\n"
            games = await asyncio.to_thread(read, text)
            assert games == [(1, game), (3, game), (4, game)]
            for text in ("8", "#8", "hanab.live/shared-replay/8"):
                with pytest.raises(FormatError, match=r"game 8: .* answered 404"):
                    await asyncio.to_thread(read, text)

    run(session())


def live(*words: str, **environment: str) -> tuple[int, str]:
    """Run the command; return its exit code and what it printed."""
    command = [sys.executable, "-m", "hanabilab", "live", *words]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_command_reports_mistakes_in_one_line(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hunter2\n")
    secret.chmod(0o644)
    for words, said in (
        (["--user", "x", "--server", "http://example.org"], "unencrypted"),
        (["--user", "x", "--insecure"], "this computer only"),
        (["--user", "x", "--delay", "-1"], "between 0 and 60"),
        (["--user", "x"], "HANABILAB_LIVE_PASSWORD"),
        (["--user", "x", "--password-file", str(secret)], "chmod 600"),
        (["--user", "x", "--password-file", str(tmp_path / "none")], "No such file"),
    ):
        code, printed = live(*words)
        assert (code, printed.count("\n"), said in printed) == (2, 1, True), printed
        assert "hunter2" not in printed


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_command_plays_a_game_and_stops_when_told(stop: signal.Signals, tmp_path: Path) -> None:
    async def game() -> None:
        async with StandIn().running() as server, person(server) as alice:
            words = ["--user", BOT, "--strategy", "piers", "--server", server.address]
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "hanabilab", "live", *words, "--delay", "0", "--save", str(tmp_path)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**os.environ, "HANABILAB_LIVE_PASSWORD": "hunter2"},
            )
            await until(lambda: BOT in server.online, 60)
            table = await seated(alice)
            await alice.play(table, turns=2)
            process.send_signal(stop)
            printed, _ = await process.communicate()
            assert BOT not in table.present
            assert "stopped" in printed.decode()
            assert process.returncode == 0
            assert "hunter2" not in printed.decode()

    run(game())
