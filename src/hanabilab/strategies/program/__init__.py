"""A player in another program: its process, the conversation with it, and its seats."""

from __future__ import annotations

from hanabilab.strategies.program.strategy import EXEC, TIME_LIMIT, from_command, from_program

__all__ = ["EXEC", "TIME_LIMIT", "from_command", "from_program"]
