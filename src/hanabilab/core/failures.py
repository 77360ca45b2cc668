"""Failures of compiled code: run-time checks that did not hold, `raise` and `assert`.

A function that can fail returns a status: 0, or the number of an error and, above it, that of the
line in the user's code. The tables of both are stored beside the machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["OBJECT_NUMBER", "OBJECT_SHIFT", "Failure", "FailureTable", "decode"]

OBJECT_NUMBER = "hanabilab.object"
"""The variable of an object file that holds its number, which statuses carry."""

SITE_SHIFT = 16
OBJECT_SHIFT = 40
"""The bit position of the object file's number in a status."""

Site = tuple[str, int, str]
"""A file, a line and a function."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in compiled code, and where."""

    error: str
    """The name of the exception and its message, as Python prints them."""
    site: Site | None

    def __str__(self) -> str:
        return f"{self.error} ({self.site[0]}, line {self.site[1]})" if self.site else self.error


@dataclass(slots=True)
class FailureTable:
    """The errors and locations that a program can report."""

    locate_all: bool = False
    """Also report lines of the package, not only users' lines that call it."""
    errors: list[str] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)

    def status(self, error: str, site: Site | None) -> str:
        """Return the status for an error at a location."""
        if error not in self.errors:
            self.errors.append(error)
        number = self.errors.index(error) + 1
        return str(number | (int(self.place(site)) if site else 0))

    def place(self, site: Site) -> str:
        """Return the part of a status that encodes a location."""
        if site not in self.sites:
            self.sites.append(site)
        return str(self.sites.index(site) + 1 << SITE_SHIFT)


def decode(status: int, errors: Sequence[str], sites: Sequence[Site]) -> Failure:
    """Decode a status with the tables of its program."""
    error = errors[(status & (1 << SITE_SHIFT) - 1) - 1]
    site = (status & (1 << OBJECT_SHIFT) - 1) >> SITE_SHIFT
    return Failure(error, sites[site - 1] if site else None)
