"""Strong play without a code: the conventions that experienced people play by."""

from __future__ import annotations

from hanabilab.strategies.conventions.strategy import CONVENTIONS

__all__ = ["CONVENTIONS"]
