"""Registry of the functions that render objects in terminals and notebooks.

The packages below `formats` know neither boards nor HTML. `hanabilab.formats.display` registers its
renderers here when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["HTML_RENDERERS", "TEXT_RENDERERS", "Displayable"]

TEXT_RENDERERS: dict[str, Callable[[Any], str]] = {}
"""Renderers for terminals, by the name of the class."""
HTML_RENDERERS: dict[str, Callable[[Any], str]] = {}
"""Renderers for notebooks, by the name of the class."""


class Displayable:
    """Base class of objects that render as HTML in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        render = HTML_RENDERERS.get(type(self).__name__)
        return render(self) if render else None
