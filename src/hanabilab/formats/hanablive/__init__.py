"""Games of hanab.live: its JSON objects and links, and what they say in our words.

The site names a card by its place in the deck, a suit hint by the number of its colour, and the
player who gets it by the seat.
"""

from __future__ import annotations

from hanabilab.formats.hanablive.extras import ending_of, own_extras
from hanabilab.formats.hanablive.link import LiveAction, Payload, is_link, read_link
from hanabilab.formats.hanablive.reading import (
    LiveGame,
    is_live_object,
    live_from_dict,
    live_from_link,
)
from hanabilab.formats.hanablive.variants import variant_of
from hanabilab.formats.hanablive.writing import (
    live_actions,
    live_numbers,
    losses,
    payload_of,
    to_live_dict,
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
    "losses",
    "own_extras",
    "payload_of",
    "read_link",
    "to_live_dict",
    "variant_of",
]
