"""How things show themselves in a terminal and in a notebook.

The rooms below the formats know neither boards nor HTML; the formats say here how their things look
(`hanabilab.formats.showing`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["HTML", "TEXTS", "Shown"]

TEXTS: dict[str, Callable[[Any], str]] = {}
"""For a class, by its name: how to show one in a terminal."""
HTML: dict[str, Callable[[Any], str]] = {}
"""For a class, by its name: how to show one in a notebook."""


class Shown:
    """Base of what shows itself in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        show = HTML.get(type(self).__name__)
        return show(self) if show else None
