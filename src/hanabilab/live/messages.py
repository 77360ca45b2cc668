"""Messages of hanab.live: frames, addresses, and the fields that a fair player may see.

The server sends more than a player should know: the seed of the deck, which determines all cards,
and the true score if it is secret. `read_frame` keeps the fields listed here and drops all others,
so that no other code can see them.
"""

from __future__ import annotations

import html
import ipaddress
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from hanabilab.checks import shorten
from hanabilab.errors import LiveError
from hanabilab.game.rules import Rules

__all__ = [
    "LONGEST_CHAT",
    "Message",
    "cut_to_bytes",
    "plain_text",
    "read_frame",
    "server_address",
    "web_socket_address",
    "without_secrets",
    "write_frame",
]

Message = dict[str, Any]

LONGEST_CHAT = 299
"""The site truncates chat messages and notes with more bytes."""
LONGEST_FRAME = 8192
TABLE = (
    "id name passwordProtected running sharedReplay variant options players spectators maxPlayers"
)
FIELDS = {
    "welcome": "username playingAtTables maintenanceMode shuttingDown firstTimeUser muted",
    "warning": "warning",
    "error": "error",
    "chat": "msg who room recipient server",
    "table": TABLE,
    "tableList": TABLE,
    "tableGone": "tableID",
    "joined": "tableID",
    "left": "tableid",
    "boot": "tableid",
    "game": "tableID players options maxPlayers",
    "tableStart": "tableID replay",
    "init": "tableID playerNames ourPlayerIndex spectating replay options paused",
    "gameActionList": "tableID list",
    "gameAction": "tableID action",
    "pause": "tableID active",
    "clock": "tableID times activePlayerIndex",
    "cardIdentities": "tableID cardIdentities",
    "finishOngoingGame": "tableID databaseID sharedReplayLeader",
    "spectators": "tableID spectators",
    "maintenance": "maintenanceMode",
    "shutdown": "shuttingDown",
}
"""The fields read from each message; unlisted messages are ignored."""
ACTION_FIELDS = {
    "draw": "type playerIndex order suitIndex rank",
    "play": "type playerIndex order suitIndex rank",
    "discard": "type playerIndex order suitIndex rank failed",
    "clue": "type clue giver list target",
    "turn": "type num currentPlayerIndex",
    "gameOver": "type endCondition",
}
"""The fields read from the actions of a game; our rules count tokens, misplays and the score."""
LOWER_CASE = ("left", "boot")
"""Messages whose only key is spelt `TableID`, unlike everywhere else."""
TAG = re.compile(r"<[^<>]*>")


def read_frame(frame: str | bytes) -> tuple[str, Any] | None:
    """Return the name and the permitted content of a frame, or None if it is to be ignored."""
    if isinstance(frame, bytes):
        return None
    name, _, text = frame.partition(" ")
    if name not in FIELDS:
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(data, list):
        return name, [_keep(name, each) for each in data if isinstance(each, Mapping)]
    return (name, _keep(name, data)) if isinstance(data, Mapping) else None


def _keep(name: str, data: Mapping[str, Any]) -> Message:
    if name in LOWER_CASE:
        data = {key.lower(): value for key, value in data.items()}
    kept = {key: data[key] for key in FIELDS[name].split() if key in data}
    if "action" in kept:
        kept["action"] = _keep_action(kept["action"])
    if isinstance(kept.get("list"), list):
        kept["list"] = [_keep_action(each) for each in kept["list"]]
    return kept


def _keep_action(action: object) -> Message:
    if not isinstance(action, Mapping):
        return {}
    fields = ACTION_FIELDS.get(str(action.get("type")), "")
    return {key: action[key] for key in fields.split() if key in action}


def without_secrets(action: Mapping[str, Any], rules: Rules) -> Message:
    """Return the part of an action that the players may know; the server sends more.

    For a played card that stays hidden, the kind of the server's action gives away whether it was
    playable. For a partly concealed hint, the server sends its full value.
    """
    kind = action.get("type")
    if rules.hidden_plays and (kind == "play" or action.get("failed") is True):
        return {"type": "play", **{key: action.get(key) for key in ("playerIndex", "order")}}
    if rules.hints_tell == "all" or kind != "clue":
        return dict(action)
    clue = action.get("clue")
    told = {}
    if rules.hints_tell == "kind" and isinstance(clue, Mapping):
        told = {"type": clue.get("type")}
    return {**action, "clue": told}


def write_frame(name: str, data: Mapping[str, Any]) -> str:
    """Return a frame; raise if the server would close the connection because of it."""
    frame = f"{name} {json.dumps(data, separators=(',', ':'))}"
    if len(frame.encode()) > LONGEST_FRAME:
        raise LiveError(f"{name}: the message has more than {LONGEST_FRAME} bytes")
    return frame


def plain_text(text: object) -> str:
    """Return one of the site's texts without HTML, as one line."""
    return " ".join(html.unescape(TAG.sub(" ", str(text))).split())


def cut_to_bytes(text: str, most: int = LONGEST_CHAT) -> str:
    """Truncate a text to a number of bytes, between characters."""
    return text.encode()[:most].decode(errors="ignore")


def server_address(text: str, *, insecure: bool = False) -> str:
    """Return the address of a server without a path.

    Other computers are reached only over verified encryption, because the password is sent.
    """
    parts = urlsplit(text if "//" in text else f"https://{text}")
    try:
        port = parts.port
    except ValueError:
        raise LiveError(f"server: {shorten(text)} has no valid port") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise LiveError(f"server: {shorten(text)} is not an address such as https://hanab.live")
    if parts.username is not None or parts.query or parts.fragment:
        raise LiveError("server: give the address alone, without a user name or a query")
    if not _is_loopback(parts.hostname):
        if insecure:
            raise LiveError(f"--insecure is for this computer only, not for {parts.hostname}")
        if parts.scheme != "https":
            raise LiveError(
                f"server: http would send the password to {parts.hostname} unencrypted; use https"
            )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def web_socket_address(server: str) -> str:
    """Return the address of a server's WebSocket."""
    return f"ws{server.removeprefix('http')}/ws"
