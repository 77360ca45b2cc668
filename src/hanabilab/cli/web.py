"""hanabilab web: the page."""

from __future__ import annotations

import argparse
from pathlib import Path

SUMMARY = "Play, watch, solve and experiment in the browser."
EXAMPLES = """\
  hanabilab web
  hanabilab web --port 8000 --no-browser
  hanabilab web --strategy mypolicies:linear
  hanabilab web --host 0.0.0.0        others in the network can join your tables

The server listens on 127.0.0.1, where only this computer reaches it, unless --host says otherwise.
Tables outlive the server: they are kept in a file, 30 days after their last action.
"""

PORT = 8765


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 is any free one"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="where to listen, default 127.0.0.1"
    )
    parser.add_argument(
        "--strategy",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="offer a policy or a strategy of your own too; may be repeated",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--data", metavar="FILE", help="where tables are kept, by default in your data folder"
    )


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.errors import HanabiError, MissingExtraError
    from hanabilab.strategies import register
    from hanabilab.strategies.load import load_player

    if not 0 <= arguments.port <= 65535:
        raise HanabiError(f"--port: {arguments.port} is not between 0 and 65535")
    try:
        from hanabilab.web.run import data_file, serve
    except ModuleNotFoundError as error:
        if str(error.name).startswith("hanabilab"):
            raise
        raise MissingExtraError(str(error.name), "web", "the web page") from None
    for place in arguments.strategy:
        register(load_player(place), place.rpartition(":")[2])
    data = Path(arguments.data) if arguments.data else data_file()
    try:
        serve(arguments.host, arguments.port, data, browser=not arguments.no_browser)
    except KeyboardInterrupt:
        print("ended; tables are kept")
