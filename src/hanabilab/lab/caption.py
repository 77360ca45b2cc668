"""What a result is about, in a few words: players, rules, number of games."""

from __future__ import annotations

from typing import Protocol

from hanabilab.game.rules import Rules

__all__ = ["games_in_words", "rules_in_words"]


class Counted(Protocol):
    """A result that knows how many games it is about."""

    @property
    def games(self) -> int: ...
    @property
    def repeats(self) -> int: ...


def games_in_words(result: Counted) -> str:
    """Say how many games were played."""
    if result.repeats == 1:
        return f"{result.games:,} games"
    return f"{result.games:,} decks played {result.repeats:,} times each"


def rules_in_words(rules: Rules) -> str:
    """Say how many play, and by which rules."""
    return f"{rules.players} players, {rules.preset or 'custom'} rules"
