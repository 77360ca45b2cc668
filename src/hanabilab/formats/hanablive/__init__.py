"""Read and write games of hanab.live: its JSON objects and links.

The site identifies a card by its position in the deck, a suit hint by the number of its colour, and
the recipient by the seat.
"""

from __future__ import annotations

from hanabilab.formats.hanablive.encoding import LiveAction, Payload, is_link, read_link
from hanabilab.formats.hanablive.options import ending_of, live_rules, own_extras, variant_of
from hanabilab.formats.hanablive.reader import (
    LiveGame,
    is_live_object,
    live_from_dict,
    live_from_link,
)
from hanabilab.formats.hanablive.writer import (
    live_actions,
    live_numbers,
    payload_of,
    to_live_dict,
    unsupported_rules,
)

__all__ = [
    "LiveAction",
    "LiveGame",
    "Payload",
    "ending_of",
    "is_link",
    "is_live_object",
    "live_actions",
    "live_from_dict",
    "live_from_link",
    "live_numbers",
    "live_rules",
    "own_extras",
    "payload_of",
    "read_link",
    "to_live_dict",
    "unsupported_rules",
    "variant_of",
]
