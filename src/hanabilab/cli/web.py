"""hanabilab web: serve the pages."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from hanabilab.cli.arguments import OWN_PLAYERS
from hanabilab.cli.parser import Command

SUMMARY = "Play, watch, solve and experiment in the browser."
EXAMPLES = """\
  hanabilab web
  hanabilab web --port 8000 --no-browser
  hanabilab web --strategy mine.py:careful --strategy mypolicies:linear
  hanabilab web --host 0.0.0.0        others in your network can join your tables

The server listens on 127.0.0.1, which only this computer can reach, unless --host says otherwise.
Tables are stored in a file and survive a restart. They are removed 30 days after their last action,
or after one day if nobody has acted.
"""

PORT = 8765


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"default {PORT}; 0 takes any free port"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="address to listen on, default 127.0.0.1"
    )
    parser.add_argument(
        "--strategy",
        action="append",
        default=[],
        metavar="STRATEGY",
        help=f"also offer this one; {OWN_PLAYERS}; may be repeated",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="also accept this host name, such as a proxy passes on; may be repeated, "
        "default: none",
    )
    parser.add_argument(
        "--proxy",
        metavar="ADDRESS",
        help="trust X-Forwarded-For from the proxy at this IP address, default: none",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--data", metavar="FILE", help="file for the tables, by default in your data folder"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.checks import check_integer
    from hanabilab.errors import MissingExtraError

    check_integer("--port", arguments.port, 0, 65535)
    try:
        from hanabilab.web.server import default_data_file, serve
    except ModuleNotFoundError as error:
        if str(error.name).startswith("hanabilab"):
            raise
        raise MissingExtraError(str(error.name), "web", "hanabilab web") from None
    offered = [_offer(text, arguments.host) for text in arguments.strategy]
    data = Path(arguments.data) if arguments.data else default_data_file()
    try:
        serve(
            arguments.host,
            arguments.port,
            data,
            browser=not arguments.no_browser,
            offered=offered,
            names=arguments.name,
            proxy=arguments.proxy,
        )
    except KeyboardInterrupt:
        print("stopped; the tables are kept")


def _offer(text: str, host: str) -> tuple[str, str]:
    """Make a strategy available to the pages by name; external programs only on this computer.

    Return what the server's other processes must make available too.
    """
    from hanabilab.errors import StrategyError
    from hanabilab.strategies.load import offer_player
    from hanabilab.strategies.program import EXEC
    from hanabilab.web.security import LOCAL_HOSTS

    name = ""
    if text.startswith(EXEC):
        if host not in LOCAL_HOSTS:
            raise StrategyError(
                f"{text}: programs play only where no other computer can reach them"
            )
        name = re.sub(r"[^\w.-]+", "-", text.removeprefix(EXEC)).strip("-")
    offer_player(text, name)
    return text, name


COMMANDS = {
    "web": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
