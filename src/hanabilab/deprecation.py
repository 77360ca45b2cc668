"""Old names of public methods, kept for one version."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["renamed"]


def renamed(old: str, new: str, note: str = "") -> Callable[..., Any]:
    """Return a method that warns of its old name and calls the new one."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        kind = self.__name__ if isinstance(self, type) else type(self).__name__
        message = f"{kind}.{old} is now {kind}.{new}{note}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self, new)(*arguments, **keywords)

    method.__name__ = old
    method.__doc__ = f"Deprecated: use `{new}`."
    return method


RETURNS_DATA = "; from version 0.3 on it returns text"
"""What a `to_json` that still returns data says."""
