"""What a game of hanab.live says besides deck and actions: names, options, seed, notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanabilab.errors import DeckError, FormatError, RulesError
from hanabilab.formats.deck_text import short
from hanabilab.formats.hanablive.link import LiveAction
from hanabilab.formats.hanablive.site import NAMES, OWN_KEYS, read_action
from hanabilab.game.deck import Deck, box
from hanabilab.game.rules import SIX_PLAYERS
from hanabilab.game.seeds import shuffle_like_hanab_live
from hanabilab.game.variants import VARIANT_NAMES, Variant

__all__ = ["check_extras", "ending_of", "own_extras", "read_extras", "read_names", "read_options"]

DEEPEST = 50

REFUSED_OPTIONS = ("deckPlays", "allOrNothing", "detrimentalCharacters", "startingPlayer")
HARMLESS_OPTIONS = ("timed", "timeBase", "timePerTurn", "speedrun", "cardCycle")
OUR_OPTIONS = ("variant", "emptyClues", "oneExtraCard", "oneLessCard", "numPlayers")


def read_names(names: object) -> list[str]:
    """Return the names of the players."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"players: {short(names)} is not a list of names")
    if not 2 <= len(names) <= len(NAMES):
        raise FormatError(f"players: expected 2 to {len(NAMES)} names, not {len(names)}")
    return names


def read_options(options: object, players: int) -> tuple[Variant, dict[str, Any], dict[str, Any]]:
    """Return the variant, the rules that the options change, and the options that change none."""
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise FormatError(f"options: {short(options)} is not an object")
    for name, value in options.items():
        if name in (*HARMLESS_OPTIONS, *OUR_OPTIONS) or not value:
            continue
        reason = "is not supported" if name in REFUSED_OPTIONS else "is unknown"
        raise RulesError(f"options: {name} {reason}")
    name = options.get("variant", "No Variant")
    if not isinstance(name, str) or name not in VARIANT_NAMES:
        raise RulesError(f"options: variant {short(name)} is not supported")
    if options.get("numPlayers", players) != players:
        raise RulesError(f"options: numPlayers is not {players}, the number of names")
    more, less, empty = (
        _switch(options, key) for key in ("oneExtraCard", "oneLessCard", "emptyClues")
    )
    if more and less:
        raise RulesError("options: oneExtraCard and oneLessCard contradict each other")
    changes: dict[str, Any] = {"empty_hints": True} if empty else {}
    if more or less:
        changes["hand_size"] = SIX_PLAYERS[players] + more - less
    harmless = {key: options[key] for key in HARMLESS_OPTIONS if options.get(key)}
    return VARIANT_NAMES[name], changes, harmless


def _switch(options: Mapping[str, Any], key: str) -> bool:
    value = options.get(key) or False
    if not isinstance(value, bool):
        raise RulesError(f"options: {key} {short(value)} is not true or false")
    return value


def read_extras(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what only the site knows; an empty seed counts as none."""
    empty: tuple[object, ...] = (None, "")
    extras = {key: data[key] for key in data if key not in OWN_KEYS and data[key] not in empty}
    if not isinstance(extras.get("seed", ""), str):
        raise FormatError(f"seed: {short(extras['seed'])} is not text")
    return extras


def own_extras(data: object, deck: Deck) -> dict[str, Any]:
    """Return the same from the key `hanablive` of a game in our format."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise FormatError(f"hanablive: {short(data)} is not an object")
    extras = read_extras(data)
    if "players" in data:
        extras["players"] = read_names(data["players"])
        if len(extras["players"]) != deck.rules.players:
            raise FormatError(
                f"hanablive: {len(extras['players'])} names for {deck.rules.players} players"
            )
    if "options" in data:
        extras["options"] = read_options(data["options"], deck.rules.players)[2]
    check_extras(extras, deck)
    return extras


def check_extras(extras: Mapping[str, Any], deck: Deck) -> None:
    """Raise if the extras contradict the deck or cannot be written again."""
    _check_depth(extras)
    ending_of(extras)
    if "seed" in extras:
        cards = box(deck.rules)
        shuffle_like_hanab_live(cards, extras["seed"])
        if tuple(cards) != deck.cards:
            raise DeckError(
                f"seed: {short(extras['seed'])} deals another deck than the one given, and "
                "hanab.live would play that one; remove either"
            )


def ending_of(extras: Mapping[str, Any]) -> list[LiveAction]:
    """Return the action with which the site says that a game was stopped early, if any."""
    end = extras.get("end")
    return [] if end is None else [read_action(end, "end")]


def _check_depth(extras: Mapping[str, Any]) -> None:
    """Raise if the extras are nested too deeply to be written again."""
    level: list[Any] = [dict(extras)]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise FormatError("the object is nested too deeply")
