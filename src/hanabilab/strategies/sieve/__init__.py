"""Referential Sieve for two players: hints that point at the card beside the touched one."""

from __future__ import annotations

from hanabilab.strategies.sieve.strategy import SIEVE

__all__ = ["SIEVE"]
