"""Who a worker is: the version of the program, a digest of its sources, and Python.

Pieces of a run are the same on all machines only if all machines run the same program.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from pathlib import Path

from hanabilab import __version__
from hanabilab.core.code_cache import kernel_digest

__all__ = ["Passport", "differences", "passport", "source_digest"]

Passport = dict[str, str]


@functools.cache
def source_digest() -> str:
    """Return a digest of all modules of the package, and of the compiler."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(kernel_digest().encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def passport() -> Passport:
    """Return what must be the same on all machines of a run."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "version": __version__,
        "source digest": source_digest(),
        "Python": f"{platform.python_implementation()} {python}",
    }


def differences(theirs: Passport, ours: Passport) -> str:
    """Say what differs, or nothing."""
    return ", ".join(
        f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})"
        for name in ours
        if theirs.get(name) != ours[name]
    )
