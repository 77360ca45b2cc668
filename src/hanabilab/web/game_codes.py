"""Pack a whole game into an address: rules, deck, actions and players, compressed to letters."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import asdict, dataclass

from hanabilab.errors import FormatError
from hanabilab.table.game import Game
from hanabilab.web.messages import Fields, JsonObject, checked_text

__all__ = ["Cast", "decode_cast", "decode_game", "encode_game"]

MAX_TEXT = 1 << 20
NAME_LETTERS = 30
LABEL_LETTERS = 500
MAX_CHANGES = 1_000
KEYS = ("rules", "players", "deck", "actions")


@dataclass(frozen=True, slots=True)
class Cast:
    """Who played a game, so that a replay can name the players and give their reasons."""

    names: tuple[str, ...]
    strategies: tuple[str | None, ...]
    """The strategy in each seat, or None for a person."""
    since: tuple[int, ...]
    """The turn from which on each strategy acted: before it somebody else had the seat."""
    seed: int = 0
    game: int = 0
    """What the strategies' coins came from."""
    changed: tuple[int, ...] = ()
    """The turns in which somebody asked “what if” and took another action."""


def encode_game(game: Game, cast: Cast | None = None) -> str:
    """Return the code of a game: letters, digits, - and _."""
    whole = game.to_dict()
    packed: JsonObject = {key: whole[key] for key in KEYS}
    if cast is not None:
        packed["cast"] = asdict(cast)
    text = json.dumps(packed, separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decode_game(code: str) -> Game:
    """Return the game that a code stands for, with every action checked."""
    return Game.from_json(_unpack(code))


def decode_cast(code: str, players: int) -> Cast | None:
    """Return who played the game of a code, if it says so."""
    try:
        data = json.loads(_unpack(code)).get("cast")
    except (ValueError, AttributeError):
        data = None
    if not isinstance(data, dict):
        return None
    fields = Fields(data)
    names = [checked_text("names", each, NAME_LETTERS) for each in fields.items("names", players)]
    strategies = [
        None if each is None else checked_text("strategies", each, LABEL_LETTERS)
        for each in fields.items("strategies", players)
    ]
    since, changed = (
        tuple(each for each in fields.items(key, most, []) if isinstance(each, int))
        for key, most in (("since", players), ("changed", MAX_CHANGES))
    )
    if not len(names) == len(strategies) == len(since) == players:
        raise FormatError("code: not one player for each seat")
    seed, number = (fields.whole(key, 0, (1 << 63) - 1, 0) for key in ("seed", "game"))
    return Cast(tuple(names), tuple(strategies), since, seed, number, changed)


def _unpack(code: str) -> str:
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, MAX_TEXT)
        if not unpacking.eof or unpacking.unconsumed_tail:
            raise ValueError("truncated")
        return text.decode()
    except (ValueError, zlib.error, binascii.Error):
        raise FormatError("code: not the code of a game") from None
