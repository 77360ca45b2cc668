"""Types of what kernels are handed."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Ints"]


class Ints(Protocol):
    """A list of integers, or the array that stands for it when compiled."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> int: ...

    def __setitem__(self, place: int, value: int, /) -> None: ...
