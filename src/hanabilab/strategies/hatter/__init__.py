"""Hat guessing by questions: `hatter` for three to six players, `duo` with laws for two."""

from __future__ import annotations

from hanabilab.strategies.hatter.duo import DUO
from hanabilab.strategies.hatter.hatter import HATTER

__all__ = ["DUO", "HATTER"]
