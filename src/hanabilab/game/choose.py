"""The one way from what a user gives to rules: a name, an object of fields, or rules themselves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hanabilab.errors import RulesError
from hanabilab.game.rules import Rules
from hanabilab.game.seeds import Seed, is_seed

__all__ = ["choose_rules"]


def choose_rules(
    given: Rules | str | Mapping[str, Any] = "classic",
    players: int | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
    *,
    deck: object = None,
) -> Rules:
    """Return `Rules`, or those of a preset's name or of an object of fields, with some changed.

    A `deck` that is a hanab.live seed sets the number of players, unless it is given, and the
    variant where the rules are the usual ones.
    """
    if isinstance(given, Rules):
        return given.replace(**({} if players is None else {"players": players}), **changes)
    if not isinstance(given, str | Mapping):
        raise RulesError(f"rules: {given!r:.60} is neither the name of a preset nor an object")
    fields = {"preset": given} if isinstance(given, str) else dict(given)
    fields.update(changes)
    if isinstance(deck, str) and is_seed(deck):
        _follow_seed(fields, Seed.read(deck), players)
    return Rules.from_dict(fields, players)


def _follow_seed(fields: dict[str, Any], seed: Seed, players: int | None) -> None:
    if players is not None:
        fields.setdefault("players", players)
    if fields.setdefault("players", seed.rules.players) != seed.rules.players:
        raise RulesError(
            f"seed: {seed.text:.80} is for {seed.rules.players} players, not {fields['players']}"
        )
    if fields.get("preset", "classic") == "classic" and seed.rules.preset:
        fields["preset"] = seed.rules.preset
