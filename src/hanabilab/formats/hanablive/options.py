"""The variant and options of a hanab.live game, and the other data in its export."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_integer, did_you_mean, shorten
from hanabilab.core.bits import members
from hanabilab.errors import DeckError, FormatError, RulesError
from hanabilab.formats.hanablive.encoding import NAMES, OWN_KEYS, LiveAction, read_action
from hanabilab.game.deck import Deck, card_multiset, shuffle_like_hanab_live
from hanabilab.game.names import letters_of
from hanabilab.game.rules import SIX_PLAYERS, Rules, preset
from hanabilab.game.variants import (
    Variant,
    all_variants,
    suit_hints_of,
    variant_by_id,
    variant_by_name,
)

__all__ = [
    "NO_CHARACTERS",
    "SWITCHES",
    "LiveOptions",
    "check_extras",
    "colours_of",
    "ending_of",
    "live_rules",
    "own_extras",
    "read_extras",
    "read_names",
    "read_options",
    "read_variant",
    "variant_of",
]

HINT_FIELDS = (
    "ranks",
    "touching",
    "rank_touching",
    "suit_hints",
    "rank_hints",
    "colours",
    "discards_per_token",
    "alternating_hints",
    "stacks",
    "hidden_plays",
    "hints_tell",
)
DEEPEST = 50
HARMLESS_OPTIONS = ("timed", "timeBase", "timePerTurn", "cardCycle", "tableName")
VARIANT_OPTIONS = ("variant", "variantName", "variantID")
SWITCHES = {
    "emptyClues": "empty_hints",
    "deckPlays": "deck_plays",
    "allOrNothing": "all_or_nothing",
    "speedrun": "speedrun",
}
"""hanab.live options that are rule switches here."""
HAND_SIZES = ("oneExtraCard", "oneLessCard")
OUR_OPTIONS = (
    *VARIANT_OPTIONS,
    *SWITCHES,
    *HAND_SIZES,
    "startingPlayer",
    "numPlayers",
    "maxPlayers",
)
CHARACTERS = "detrimentalCharacters"
NO_CHARACTERS = "with Detrimental Characters each player has rules of their own"


def read_variant(given: object) -> Variant:
    """Return the variant with a name or number; raise if it is unknown or unsupported."""
    if isinstance(given, str):
        variant = variant_by_name(given)
    else:
        variant = variant_by_id(given) if type(given) is int else None
    if variant is None:
        meant = f"; those of hanab.live are numbered 0 to {len(all_variants()) - 1}"
        if isinstance(given, str):
            meant = did_you_mean(given, [each.name for each in all_variants()])
        raise RulesError(f"unknown variant {shorten(given)}{meant}")
    return variant


def variant_of(rules: Rules) -> Variant:
    """Return the hanab.live variant with these suits and this number of cards."""
    named = variant_by_name(rules.preset) if rules.preset else None
    if named:
        return named
    usual = rules.letters == letters_of(rules.suits)
    fitting = [
        (variant, copies)
        for variant, copies in _with_these_hints().get(_hints(rules), [])
        if sum(map(sum, copies)) == rules.deck_size and (usual or rules.letters == variant.letters)
    ]
    if not fitting:
        raise FormatError(
            f"no supported variant of hanab.live has {rules.suits} such suits of {rules.ranks} "
            f"ranks and {rules.deck_size} cards"
        )
    return max(fitting, key=lambda each: each[1] == rules.copies)[0]


def _hints(rules: Rules) -> tuple[Any, ...]:
    """Return the properties that distinguish variants, except letters and copies."""
    special = (rules.inverted_suits, rules.reversed_suits)
    marked = [tuple(letter in letters for letter in rules.letters) for letters in special]
    return (*(getattr(rules, name) for name in HINT_FIELDS), *marked)


@functools.cache
def _with_these_hints() -> dict[tuple[Any, ...], list[tuple[Variant, Any]]]:
    """Return the supported variants with their copies, keyed by what hints do in them."""
    found: dict[tuple[Any, ...], list[tuple[Variant, Any]]] = {}
    for variant in all_variants():
        rules = preset(variant.name)
        found.setdefault(_hints(rules), []).append((variant, rules.copies))
    return found


def colours_of(rules: Rules) -> list[int]:
    """Return our number of each suit hint, in the order in which the site numbers its colours."""
    return members(suit_hints_of(rules))


def read_names(names: object) -> list[str]:
    """Return the names of the players."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"players: {shorten(names)} is not a list of names")
    if not 2 <= len(names) <= len(NAMES):
        raise FormatError(f"players: expected 2 to {len(NAMES)} names, not {len(names)}")
    return names


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """The variant and the options of a game of hanab.live."""

    variant: Variant
    changes: dict[str, Any]
    """Rules that the options change in the variant."""
    harmless: dict[str, Any]
    """Options that change no rules."""


def read_options(options: object, players: int, variant: object = None) -> LiveOptions:
    """Read the options of a game; the variant may also be given beside them."""
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise FormatError(f"options: {shorten(options)} is not an object")
    for name, value in options.items():
        if value and name not in (*HARMLESS_OPTIONS, *OUR_OPTIONS):
            known = f" is not supported: {NO_CHARACTERS}" if name == CHARACTERS else " is unknown"
            raise RulesError(f"options: {name:.80}{known}")
    if options.get("numPlayers", players) != players:
        raise RulesError(f"options: numPlayers is not {players}, the number of names")
    chosen = _one_variant([variant, *(options.get(name) for name in VARIANT_OPTIONS)])
    more, less = (_switch(options, key) for key in HAND_SIZES)
    if more and less:
        raise RulesError("options: oneExtraCard and oneLessCard contradict each other")
    changes: dict[str, Any] = {
        ours: True for theirs, ours in SWITCHES.items() if _switch(options, theirs)
    }
    if first := options.get("startingPlayer"):
        where = "options: startingPlayer"
        changes["first_player"] = check_integer(where, first, 0, players - 1, error=RulesError)
    if more or less:
        changes["hand_size"] = SIX_PLAYERS[players] + more - less
    harmless = {key: options[key] for key in HARMLESS_OPTIONS if options.get(key)}
    return LiveOptions(chosen, changes, harmless)


def live_rules(options: Mapping[str, Any], players: int) -> Rules:
    """Return the rules of a game with these options of the site."""
    chosen = read_options(options, players)
    return preset(chosen.variant.name, players, **chosen.changes)


def _one_variant(given: Sequence[object]) -> Variant:
    """Return the variant that all of these name, or No Variant if there is none."""
    found = list(dict.fromkeys(read_variant(each) for each in given if each is not None))
    if len(found) > 1:
        raise RulesError(f"options: the variants {found[0].name!r} and {found[1].name!r} differ")
    return found[0] if found else read_variant(0)


def _switch(options: Mapping[str, Any], key: str) -> bool:
    value = options.get(key) or False
    if not isinstance(value, bool):
        raise RulesError(f"options: {key} {shorten(value)} is not true or false")
    return value


def read_extras(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data that only the site has; an empty seed counts as absent."""
    empty: tuple[object, ...] = (None, "")
    extras = {key: data[key] for key in data if key not in OWN_KEYS and data[key] not in empty}
    if not isinstance(extras.get("seed", ""), str):
        raise FormatError(f"seed: {shorten(extras['seed'])} is not text")
    return extras


def own_extras(data: object, deck: Deck) -> dict[str, Any]:
    """Return the site's data from the key `hanablive` of a game in our format."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise FormatError(f"hanablive: {shorten(data)} is not an object")
    extras = read_extras(data)
    if "players" in data:
        extras["players"] = read_names(data["players"])
        if len(extras["players"]) != deck.rules.players:
            raise FormatError(
                f"hanablive: {len(extras['players'])} names for {deck.rules.players} players"
            )
    if "variant" in data:
        extras["variant"] = read_variant(data["variant"]).name
    if "options" in data:
        extras["options"] = read_options(data["options"], deck.rules.players).harmless
    check_extras(extras, deck)
    return extras


def check_extras(extras: Mapping[str, Any], deck: Deck) -> None:
    """Raise if the extras contradict the deck or cannot be written again."""
    _check_depth(extras)
    ending_of(extras)
    if "seed" in extras:
        cards = card_multiset(deck.rules)
        shuffle_like_hanab_live(cards, extras["seed"])
        if tuple(cards) != deck.cards:
            raise DeckError(
                f"seed: {shorten(extras['seed'])} deals another deck than the one given, and "
                "hanab.live would play that one; remove either"
            )


def ending_of(extras: Mapping[str, Any]) -> list[LiveAction]:
    """Return the action by which the site marks a game that was stopped early, if any."""
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
