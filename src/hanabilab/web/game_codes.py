"""Pack a whole game into an address: its rules, deck and actions, compressed into letters."""

from __future__ import annotations

import base64
import binascii
import json
import zlib

from hanabilab.errors import FormatError
from hanabilab.table.game import Game

__all__ = ["decode_game", "encode_game"]

MAX_TEXT = 1 << 20
KEYS = ("rules", "players", "deck", "actions")


def encode_game(game: Game) -> str:
    """Return the code of a game: letters, digits, - and _."""
    whole = game.to_dict()
    text = json.dumps({key: whole[key] for key in KEYS}, separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decode_game(code: str) -> Game:
    """Return the game that a code stands for, with every action checked."""
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, MAX_TEXT)
        if not unpacking.eof or unpacking.unconsumed_tail:
            raise ValueError("truncated")
        return Game.from_json(text.decode())
    except (ValueError, zlib.error, binascii.Error):
        raise FormatError("code: not the code of a game") from None
