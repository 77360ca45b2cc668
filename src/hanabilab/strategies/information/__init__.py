"""The information strategy of Cox et al. 2015: a hint tells everyone about one of their cards."""

from __future__ import annotations

from hanabilab.strategies.information.strategy import INFORMATION

__all__ = ["INFORMATION"]
