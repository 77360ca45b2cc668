"""The web application: routes for pages, jobs and live tables."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from hanabilab.errors import FormatError, HanabiError, SaveError
from hanabilab.formats.board_svg import board_style
from hanabilab.formats.qr_code import qr_code
from hanabilab.lab.questions import STORED
from hanabilab.web.catalog import about
from hanabilab.web.clients import BusyError, Connection, QuotaError, client_of
from hanabilab.web.jobs.scheduler import ClientSession, JobScheduler, Offered, WorkerPool
from hanabilab.web.jobs.worker import JOB_KINDS
from hanabilab.web.lessons import lesson, lesson_index
from hanabilab.web.live.store import Store
from hanabilab.web.live.tables import LiveTable, LiveTables
from hanabilab.web.schema import JsonObject, RequestFields, dump_json, error_text, parse_object
from hanabilab.web.security import (
    LOCAL_HOSTS,
    BodyTooLargeError,
    SecurityMiddleware,
    host_checker,
    network_address,
)

__all__ = ["application"]

STATIC = Path(__file__).parent / "static"
PAGES = (
    "play",
    "daily",
    "tables",
    "watch",
    "solve",
    "lab",
    "numbers",
    "agreements",
    "learn",
    "rules",
)

COMPRESSED_FROM = 1000
"""Bytes from which a response is compressed; keys to seats are in shorter ones."""

MAX_QR_LETTERS = 180
"""Letters of an address that is drawn as a QR code."""

JOIN_TIMEOUT = 30.0
"""Seconds in which a new connection to a table has to join."""

JOBS_IDLE_TIMEOUT = 1200.0
"""Seconds without a message after which a connection for jobs is closed."""

Handler = Callable[[Request], Awaitable[JsonObject | str]]


def application(
    store: Store,
    host: str = "127.0.0.1",
    offered: Sequence[Offered] = (),
    names: Sequence[str] = (),
) -> Starlette:
    """Return the application of a server that stores its tables in `store`.

    `offered` are strategies of the server's owner, which the workers load too; `names` are further
    host names of the server.
    """
    return Starlette(
        routes=routes(),
        middleware=[
            Middleware(SecurityMiddleware, is_known_host=host_checker(host, names)),
            Middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=6),
        ],
        lifespan=partial(
            lifespan,
            store,
            JobScheduler(JOB_KINDS, WorkerPool(offered)),
            network_address(host),
        ),
    )


def routes() -> list[BaseRoute]:
    """Return all addresses with their handlers."""
    return [
        Route("/", partial(page, "index.html")),
        *(Route(f"/{name}", partial(page, f"{name}.html")) for name in PAGES),
        Route("/static/board.css", board_css),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
        Route("/api/about", json_endpoint(get_about)),
        Route("/api/questions", stored_answers),
        Route("/api/lessons", json_endpoint(get_lessons)),
        Route("/api/lessons/{kind}/{name}", json_endpoint(get_lesson)),
        Route("/api/tables", json_endpoint(create_table), methods=["POST"]),
        Route("/api/qr", json_endpoint(draw_qr_code), methods=["POST"]),
        Route("/api/tables/now", json_endpoint(table_statuses), methods=["POST"]),
        Route("/api/ask/{kind}", json_endpoint(run_job), methods=["POST"]),
        WebSocketRoute("/ws/ask", serve_jobs),
        WebSocketRoute("/ws/table/{name}", serve_table),
    ]


@contextlib.asynccontextmanager
async def lifespan(
    store: Store, jobs: JobScheduler, network: str | None, app: Starlette
) -> AsyncIterator[None]:
    """Provide `app.state` while the server runs; close everything when it stops."""
    tables = LiveTables(store)
    app.state.jobs, app.state.tables, app.state.network = jobs, tables, network
    cleanup = asyncio.create_task(tables.delete_old_tables())
    try:
        yield
    finally:
        cleanup.cancel()
        jobs.close()
        tables.close()


async def page(name: str, request: Request) -> Response:
    """Return a page of the static folder."""
    path = STATIC / name
    if not path.is_file():
        return PlainTextResponse("no such page", status_code=404)
    return FileResponse(path)


async def board_css(request: Request) -> Response:
    """Return the style sheet of the boards, which notebooks share."""
    return Response(board_style(), media_type="text/css")


async def stored_answers(request: Request) -> Response:
    """Return the questions of the page of the experiments, with their stored answers."""
    return FileResponse(STORED, media_type="application/json")


class JsonResponse(Response):
    """A response whose body is JSON; text is JSON already."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return (content if isinstance(content, str) else dump_json(content)).encode()


def json_endpoint(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Wrap a handler: its result becomes a JSON response, a `HanabiError` an error response."""

    async def answer(request: Request) -> Response:
        try:
            return JsonResponse(await handler(request))
        except ClientDisconnect:
            return Response(status_code=400)  # the client is gone
        except BodyTooLargeError:
            return JsonResponse({"error": "the request is too long"}, status_code=413)
        except HanabiError as error:
            return JsonResponse({"error": error_text(error)}, status_code=status_of(error))

    return answer


def status_of(error: HanabiError) -> int:
    """Return the HTTP status for an error."""
    if isinstance(error, QuotaError):
        return 429
    return 503 if isinstance(error, BusyError | SaveError) else 400


async def read_body(request: Request) -> RequestFields:
    """Return the fields of the object in a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise FormatError("content-type: send application/json")
    return RequestFields(parse_object(await request.body()))


async def get_about(request: Request) -> JsonObject:
    """Return what the pages build their forms from."""
    return await asyncio.to_thread(about)


async def get_lessons(request: Request) -> JsonObject:
    """Return the titles of all lessons."""
    return await asyncio.to_thread(lesson_index)


async def get_lesson(request: Request) -> JsonObject:
    """Return one lesson with its boards."""
    return await asyncio.to_thread(lesson, **request.path_params)


async def create_table(request: Request) -> JsonObject:
    """Create a table."""
    tables: LiveTables = request.app.state.tables
    made = await tables.create(client_of(request), await read_body(request))
    return {**made, "origin": invitation_origin(request)}


def invitation_origin(request: Request) -> str | None:
    """Return where others reach this server, if that differs from the address of a request.

    A server that listens on all interfaces is often used as 127.0.0.1 by the person who invites.
    """
    network: str | None = request.app.state.network
    url = request.url
    if network is None or url.hostname not in LOCAL_HOSTS:
        return None
    return f"{url.scheme}://{network}" + (f":{url.port}" if url.port else "")


async def draw_qr_code(request: Request) -> JsonObject:
    """Return the QR code of an address: a text of 0 and 1 for each row."""
    fields = await read_body(request)
    text = fields.text("text", MAX_QR_LETTERS)
    fields.finish()
    code = await asyncio.to_thread(qr_code, text)
    return {"rows": ["".join("01"[module] for module in row) for row in code]}


async def table_statuses(request: Request) -> JsonObject:
    """Return the status of some tables."""
    tables: LiveTables = request.app.state.tables
    return await tables.statuses(client_of(request), await read_body(request))


async def run_job(request: Request) -> str:
    """Run a job and return its result."""
    jobs: JobScheduler = request.app.state.jobs
    fields = await read_body(request)
    return await jobs.run_for_request(
        client_of(request), request.path_params["kind"], fields.remaining, request.is_disconnected
    )


async def serve_jobs(socket: WebSocket) -> None:
    """Run the jobs of one socket until it closes."""
    async with Connection(socket, JOBS_IDLE_TIMEOUT) as connection:
        session = ClientSession(socket.app.state.jobs, connection)
        try:
            while True:
                try:
                    message = await connection.receive()
                    if message is None:
                        return
                    session.handle(RequestFields(message))
                except HanabiError as error:
                    connection.send({"type": "error", "id": None, "error": error_text(error)})
        finally:
            session.close()


async def serve_table(socket: WebSocket) -> None:
    """Serve a seat at a table, or a spectator, until the socket closes."""
    tables: LiveTables = socket.app.state.tables
    async with Connection(socket) as connection:
        try:
            table, seat = await join_table(tables, socket.path_params["name"], connection)
        except HanabiError as error:
            connection.send({"type": "error", "id": None, "error": error_text(error)})
            return
        if table is None:
            return
        try:
            await table.welcome(connection)
            await handle_messages(table, seat, connection)
        finally:
            table.leave(connection)


async def join_table(
    tables: LiveTables, name: str, connection: Connection
) -> tuple[LiveTable | None, int | None]:
    """Wait for the first message, the join; return the table and the seat of its key."""
    try:
        message = await asyncio.wait_for(connection.receive(), JOIN_TIMEOUT)
    except TimeoutError:
        raise FormatError("no join message came in time") from None
    if message is None:
        return None, None
    fields = RequestFields(message)
    if fields.take("type", None) != "join":
        raise FormatError("type: the first message has to be join")
    key = fields.text("seat", 200, None)
    fields.finish()
    table = await tables.enter(name, key, connection)
    return table, table.connections[connection]


async def handle_messages(table: LiveTable, seat: int | None, connection: Connection) -> None:
    """Handle the client's messages until it disconnects."""
    while True:
        number = None
        try:
            message = await connection.receive()
            if message is None:
                return
            await connection.throttle()
            fields = RequestFields(message)
            number = fields.integer("id", 0, 1 << 53, None)
            kind = fields.take("type")
            done = partial(confirm, connection, number)
            if kind == "act":
                await table.act(seat, fields, done)
            elif kind == "undo":
                fields.finish()
                await table.undo(seat, done)
            elif kind == "look":
                connection.send({**await table.board_after_turn(seat, fields), "id": number})
            elif kind == "hurry":
                fields.finish()
                done(table.hurry(seat))
            elif kind == "advise":
                fields.finish()
                connection.send({**await table.advise(seat), "id": number})
            elif kind == "rematch":
                await table.rematch(seat, connection, fields)
            elif kind == "say":
                table.say(seat, fields)
            else:
                raise FormatError("type: expected act, undo, look, hurry, advise, rematch or say")
            table.start_strategies()
        except HanabiError as error:
            connection.send({"type": "error", "id": number, "error": error_text(error)})
            if isinstance(error, SaveError):
                table.tables.unload(table)
                return


def confirm(connection: Connection, number: int | None, turn: int) -> None:
    """Confirm a message, with the number of the current turn."""
    connection.send({"type": "done", "id": number, "turn": turn})
