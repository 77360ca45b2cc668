"""hanabilab live: let a strategy play at hanab.live."""

from __future__ import annotations

import argparse
import getpass
import os
import stat
import sys
import time
from pathlib import Path

from hanabilab.cli.arguments import OWN_PLAYERS
from hanabilab.cli.parser import Command

SUMMARY = "Let a strategy play at hanab.live, or at another server of its kind."
EXAMPLES = """\
  hanabilab live --user Bot-Hanna
  hanabilab live --user Bot-Hanna --strategy conventions:level=5 --notes --save games
  hanabilab live --user Bot-Hanna --server http://localhost:8081 --dry-run

The bot logs in and waits. Open a table at the site and send the bot a private message:
  /pm Bot-Hanna /join
It joins, plays, and leaves after the game; /help lists its other commands. An account whose name
starts with "Bot-" can play at several tables at once. The site creates an account for every unknown
name, so check the spelling.

The password comes from --password-file, from the environment variable HANABILAB_LIVE_PASSWORD, or
from a prompt. Ctrl-C or SIGTERM leaves all tables and stops.
"""
VARIABLE = "HANABILAB_LIVE_PASSWORD"
SITE = "https://hanab.live"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--user", required=True, metavar="NAME", help="the bot's account")
    parser.add_argument(
        "--strategy",
        default="conventions",
        metavar="STRATEGY",
        help=f"who plays, with options as STRATEGY:option=value; {OWN_PLAYERS}",
    )
    parser.add_argument("--server", default=SITE, metavar="URL", help="the server's address")
    parser.add_argument(
        "--password-file",
        metavar="FILE",
        help="read the password from a file that only you can read",
    )
    parser.add_argument(
        "--save", metavar="FOLDER", help="write each finished game there, with a link"
    )
    parser.add_argument(
        "--notes", action="store_true", help="write the reasons for actions as notes on cards"
    )
    parser.add_argument(
        "--delay",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="wait so long before each action; speedruns have no delay",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="log in, and print messages instead of sending them"
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        help="accept any certificate; only for a server on this computer",
    )


def run(arguments: argparse.Namespace) -> None:
    """Play until Ctrl-C."""
    import asyncio

    from hanabilab.errors import LiveError, MissingExtraError
    from hanabilab.live.messages import server_address
    from hanabilab.strategies.load import load_player

    if not 0 <= arguments.delay <= 60:
        raise LiveError(f"--delay {arguments.delay} is not between 0 and 60 seconds")
    server_address(arguments.server, insecure=arguments.insecure)
    try:
        from hanabilab.live import Client, Settings
    except ModuleNotFoundError as error:
        if str(error.name).startswith("hanabilab"):
            raise
        raise MissingExtraError(str(error.name), "live", "hanabilab live") from None
    load_player(arguments.strategy)  # before anyone types a password
    settings = Settings(
        delay=arguments.delay,
        notes=arguments.notes,
        save=_folder(arguments.save),
        dry_run=arguments.dry_run,
        insecure=arguments.insecure,
    )
    client = Client(
        arguments.user,
        read_password(arguments.user, arguments.password_file),
        arguments.strategy,
        server=arguments.server,
        settings=settings,
        report=_report,
    )
    try:
        asyncio.run(_play(client))
    except (KeyboardInterrupt, asyncio.CancelledError):
        _report("stopped")


async def _play(client: object) -> None:
    """Run a client; Ctrl-C or SIGTERM makes it leave its tables first."""
    import asyncio
    import contextlib
    import signal

    from hanabilab.live import Client

    assert isinstance(client, Client)
    running, task = asyncio.ensure_future(client.run()), asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotImplementedError):  # Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await client.stop()
        running.cancel()
        raise


def _folder(text: str | None) -> Path | None:
    """Return the folder for games, created at once so that a mistake is noticed early."""
    if text is None:
        return None
    folder = Path(text)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read_password(user: str, file: str | None) -> str:
    """Return the password from a file, the environment or a prompt."""
    from hanabilab.errors import LiveError

    if file is not None:
        return _from_file(Path(file))
    password = os.environ.get(VARIABLE)
    if password is None:
        if not sys.stdin.isatty():
            raise LiveError(f"no password: set {VARIABLE} or give --password-file")
        password = getpass.getpass(f"password of {user}: ")
    if not password:
        raise LiveError("the password is empty")
    return password


def _from_file(file: Path) -> str:
    from hanabilab.errors import LiveError

    if os.name == "posix" and file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise LiveError(f"{file}: other users can read it; run  chmod 600 {file}")
    lines = file.read_text(encoding="utf-8").splitlines()
    if not lines or not lines[0]:
        raise LiveError(f"{file}: its first line is not a password")
    return lines[0]


def _report(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {line}", flush=True)


COMMANDS = {"live": Command(SUMMARY, EXAMPLES, add_arguments, run)}
