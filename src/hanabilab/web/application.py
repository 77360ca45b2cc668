"""The application: its pages, questions and tables behind their addresses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from hanabilab.errors import FormatError, HanabiError, SaveError
from hanabilab.formats.board_svg import board_style
from hanabilab.web.about import about
from hanabilab.web.connections import Connection
from hanabilab.web.live.store import Store
from hanabilab.web.live.table import LiveTable
from hanabilab.web.live.tables import LiveTables
from hanabilab.web.messages import Fields, JsonObject, error_text, read_object, write_object
from hanabilab.web.questions.jobs import Jobs
from hanabilab.web.questions.registry import QUESTION_KINDS
from hanabilab.web.questions.visitor import Visitor
from hanabilab.web.questions.workers import Offered, Workers
from hanabilab.web.quotas import BusyError, QuotaError, client_of
from hanabilab.web.security import Guard, TooLongError, known_hosts

__all__ = ["application"]

STATIC = Path(__file__).parent / "static"
PAGES = ("play", "tables", "watch", "solve", "lab", "numbers", "agreements")

JOINING = 30.0
"""Seconds in which a new connection to a table has to join."""

ASKING = 1200.0
"""Seconds without a question or an answer after which a connection for questions is closed."""

Handler = Callable[[Request], Awaitable[JsonObject | str]]


class JsonResponse(Response):
    """A response whose body is JSON; text is JSON already."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return (content if isinstance(content, str) else write_object(content)).encode()


def answering(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a handler: its object becomes the response, a `HanabiError` one with status 400."""

    async def answer(request: Request) -> Response:
        try:
            return JsonResponse(await handler(request))
        except ClientDisconnect:
            return Response(status_code=400)  # for nobody
        except TooLongError:
            return JsonResponse({"error": "the request is too long"}, status_code=413)
        except HanabiError as error:
            return JsonResponse({"error": error_text(error)}, status_code=status_of(error))

    return answer


def status_of(error: HanabiError) -> int:
    """Return the status of a response that tells of an error."""
    if isinstance(error, QuotaError):
        return 429
    return 503 if isinstance(error, BusyError | SaveError) else 400


async def read_body(request: Request) -> Fields:
    """Return the fields of the object in a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise FormatError("content-type: send application/json")
    return Fields(read_object(await request.body()))


def application(
    store: Store,
    host: str = "127.0.0.1",
    offered: Sequence[Offered] = (),
    names: Sequence[str] = (),
) -> Starlette:
    """Return the application of a server that keeps its tables in `store`.

    `offered` are strategies of the owner's, which the processes that answer questions load too;
    `names` are further names of the server.
    """
    jobs = Jobs(QUESTION_KINDS, Workers(offered))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.tables = tables = LiveTables(store)
        cleaning = asyncio.create_task(tables.clean())
        try:
            yield
        finally:
            cleaning.cancel()
            jobs.close()
            tables.close()

    async def tell_about(request: Request) -> JsonObject:
        return await asyncio.to_thread(about)

    async def create_table(request: Request) -> JsonObject:
        tables: LiveTables = request.app.state.tables
        return await tables.create(client_of(request), await read_body(request))

    async def tables_now(request: Request) -> JsonObject:
        tables: LiveTables = request.app.state.tables
        return await tables.now(client_of(request), await read_body(request))

    async def ask(request: Request) -> str:
        fields = await read_body(request)
        return await jobs.answer_request(
            client_of(request), request.path_params["kind"], fields.left, request.is_disconnected
        )

    pages = [Route(f"/{name}", partial(page, f"{name}.html")) for name in PAGES]
    return Starlette(
        routes=[
            Route("/", partial(page, "index.html")),
            *pages,
            Route("/static/board.css", board_css),
            Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
            Route("/api/about", answering(tell_about)),
            Route("/api/tables", answering(create_table), methods=["POST"]),
            Route("/api/tables/now", answering(tables_now), methods=["POST"]),
            Route("/api/ask/{kind}", answering(ask), methods=["POST"]),
            WebSocketRoute("/ws/ask", partial(answer_questions, jobs)),
            WebSocketRoute("/ws/table/{name}", talk_at_table),
        ],
        middleware=[Middleware(Guard, known=known_hosts(host, names))],
        lifespan=lifespan,
    )


async def page(name: str, request: Request) -> Response:
    """Return a page of the static folder."""
    path = STATIC / name
    if not path.is_file():
        return PlainTextResponse("no such page", status_code=404)
    return FileResponse(path)


async def board_css(request: Request) -> Response:
    """Return the style sheet of the boards, which notebooks share."""
    return Response(board_style(), media_type="text/css")


async def answer_questions(jobs: Jobs, socket: WebSocket) -> None:
    """Answer the questions of one socket until it closes."""
    async with Connection(socket, ASKING) as connection:
        visitor = Visitor(jobs, connection)
        try:
            while True:
                try:
                    message = await connection.receive()
                    if message is None:
                        return
                    visitor.hear(Fields(message))
                except HanabiError as error:
                    connection.send({"type": "error", "id": None, "error": error_text(error)})
        finally:
            visitor.leave()


async def talk_at_table(socket: WebSocket) -> None:
    """Serve a seat at a table, or a spectator, until the socket closes."""
    tables: LiveTables = socket.app.state.tables
    async with Connection(socket) as connection:
        try:
            table, seat = await sit_down(tables, socket.path_params["name"], connection)
        except HanabiError as error:
            connection.send({"type": "error", "id": None, "error": error_text(error)})
            return
        if table is None:
            return
        try:
            await table.welcome(connection)
            await listen(table, seat, connection)
        finally:
            table.leave(connection)


async def sit_down(
    tables: LiveTables, name: str, connection: Connection
) -> tuple[LiveTable | None, int | None]:
    """Wait for the first message, the join; return the table and the seat that its key opens."""
    try:
        message = await asyncio.wait_for(connection.receive(), JOINING)
    except TimeoutError:
        raise FormatError("no join message came in time") from None
    if message is None:
        return None, None
    fields = Fields(message)
    if fields.take("type", None) != "join":
        raise FormatError("type: the first message has to be join")
    key = fields.text("seat", 200, None)
    fields.finish()
    table = await tables.enter(name, key, connection)
    return table, table.connections[connection]


async def listen(table: LiveTable, seat: int | None, connection: Connection) -> None:
    """Carry out what the client sends until it is gone."""
    while True:
        number = None
        try:
            message = await connection.receive()
            if message is None:
                return
            await connection.pace()
            fields = Fields(message)
            number = fields.whole("id", 0, 1 << 53, None)
            kind = fields.take("type")
            done = partial(confirm, connection, number)
            if kind == "act":
                await table.act(seat, fields, done)
            elif kind == "undo":
                fields.finish()
                await table.undo(seat, done)
            elif kind == "look":
                connection.send({**await table.look(seat, fields), "id": number})
            elif kind == "hurry":
                fields.finish()
                done(table.hurry(seat))
            else:
                raise FormatError("type: expected act, undo, look or hurry")
            table.wake()
        except HanabiError as error:
            connection.send({"type": "error", "id": number, "error": error_text(error)})
            if isinstance(error, SaveError):
                table.tables.drop(table)
                return


def confirm(connection: Connection, number: int | None, turn: int) -> None:
    """Tell the client that its message was carried out, and which turn it is now."""
    connection.send({"type": "done", "id": number, "turn": turn})
