"""Read games of hanab.live from its JSON objects and links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabilab.checks import check_integer, shorten
from hanabilab.errors import DeckError, FormatError, HanabiError, RulesError
from hanabilab.formats.action import Action
from hanabilab.formats.hanablive.encoding import (
    COLOUR_HINT,
    DISCARD,
    END,
    NAMES,
    PLAY,
    RANK_HINT,
    VOTE,
    CardOrders,
    LiveAction,
    is_inverted,
    read_action,
    read_link,
    read_number,
)
from hanabilab.formats.hanablive.options import (
    NO_CHARACTERS,
    check_extras,
    colours_of,
    read_extras,
    read_names,
    read_options,
    read_variant,
    variant_of,
)
from hanabilab.game.deck import Deck, card_multiset, shuffle_like_hanab_live
from hanabilab.game.rules import Rules, preset
from hanabilab.game.variants import Variant

__all__ = ["LiveGame", "is_live_object", "live_from_dict", "live_from_link"]


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A hanab.live game in our terms; its actions have not been checked against the rules."""

    deck: Deck
    actions: list[dict[str, Any]]
    extras: dict[str, Any] = field(default_factory=dict)
    """Data that only hanab.live has: player names, notes, how the game ended, and so on."""


def is_live_object(data: object) -> bool:
    """Return whether an object is a game of hanab.live rather than one of ours."""
    if not isinstance(data, Mapping):
        return False
    deck = data.get("deck")
    cards = isinstance(deck, list) and deck and isinstance(deck[0], Mapping)
    return isinstance(data.get("players"), list) or bool(cards)


def live_from_dict(data: Mapping[str, Any], rules: str | None = None) -> LiveGame:
    """Read a game from an object in the site's export format."""
    names = read_names(data.get("players"))
    choices = read_options(data.get("options"), len(names), data.get("variant"))
    if data.get("characters"):
        raise RulesError(f"characters are not supported: {NO_CHARACTERS}")
    variant = choices.variant
    chosen = preset(rules or variant.name, len(names), **({} if rules else choices.changes))
    extras = read_extras(data)
    if names != list(NAMES[: len(names)]):
        extras["players"] = names
    if choices.harmless:
        extras["options"] = choices.harmless
    deck = _read_deck(data.get("deck"), extras.get("seed"), variant, chosen)
    check_extras(extras, deck)
    _note_variant(variant, deck, extras)
    actions = data.get("actions") or []
    if not isinstance(actions, list):
        raise FormatError(f"actions: {shorten(actions)} is not a list")
    live = [read_action(action, f"action {n}") for n, action in enumerate(actions, 1)]
    return _convert_actions(deck, live, extras)


def live_from_link(text: str, rules: str | None = None) -> LiveGame:
    """Read a game from a link."""
    payload = read_link(text)
    variant = read_variant(payload.variant)
    deck = _deck_of(payload.cards, variant, preset(rules or variant.name, payload.players))
    extras: dict[str, Any] = {}
    _note_variant(variant, deck, extras)
    return _convert_actions(deck, payload.actions, extras)


def _note_variant(variant: Variant, deck: Deck, extras: dict[str, Any]) -> None:
    """Keep the name of the variant if an unusual deck hides it."""
    if deck.rules.preset is None and variant_of(deck.rules) != variant:
        extras["variant"] = variant.name


def _read_deck(deck: object, seed: str | None, variant: Variant, rules: Rules) -> Deck:
    if seed is not None and not deck:
        cards_of_box = card_multiset(rules)
        shuffle_like_hanab_live(cards_of_box, seed)
        return Deck.of(rules, cards_of_box)
    if not isinstance(deck, list):
        raise DeckError(f"deck: {shorten(deck)} is not a list")
    cards = []
    for place, card in enumerate(deck, 1):
        if not isinstance(card, Mapping):
            raise DeckError(f"deck: card {place}, {shorten(card)}, is not an object")
        try:
            cards.append((read_number(card, "suitIndex"), read_number(card, "rank")))
        except FormatError as error:
            raise DeckError(f"deck: card {place}: {error}") from None
    return _deck_of(cards, variant, rules)


def _deck_of(cards: Sequence[tuple[int, int]], variant: Variant, rules: Rules) -> Deck:
    """Read a deck; like the site, check only the number of cards: puzzles may have any cards."""
    usual = preset(variant.name).deck_size
    if len(cards) != usual:
        raise DeckError(f"deck: it has {len(cards)} cards; {variant.name} has {usual}")
    numbers = []
    for place, (suit, rank) in enumerate(cards, 1):
        where = f"deck: card {place}"
        check_integer(f"{where}: suit", suit, 0, rules.suits - 1, error=DeckError)
        card = rules.card_of(suit, rank)
        if card is None:
            raise DeckError(f"{where}: rank: {rank} is not between 1 and {rules.ranks}")
        numbers.append(card)
    unusual = sorted(numbers) != sorted(card_multiset(rules))
    return Deck.of(rules, numbers, any_deck=unusual)


def _convert_actions(deck: Deck, live: Sequence[LiveAction], extras: dict[str, Any]) -> LiveGame:
    orders, rules = CardOrders(deck), deck.rules
    actions = []
    if any(action.type in (PLAY, DISCARD) and action.value is not None for action in live):
        extras = {**extras, "play_value": 0}
    for turn, action in enumerate(live):
        player = (rules.first_player + turn) % rules.players
        try:
            if action.type in (END, VOTE):
                if turn + 1 < len(live):
                    raise FormatError("the game ends here, but more actions follow")
                extras = {**extras, "end": action._asdict()}
                break
            found = _read_move(action, player, orders, deck)
            actions.append(found.to_dict(player, rules.hint_letters))
        except HanabiError as error:
            raise type(error)(f"action {turn + 1}: {error}") from None
    return LiveGame(deck, actions, extras)


def _read_move(action: LiveAction, player: int, orders: CardOrders, deck: Deck) -> Action:
    rules, (kind, target, value) = deck.rules, action
    if kind in (PLAY, DISCARD):
        slot = orders.remove_card(player, target)
        plays = (kind == PLAY) != is_inverted(deck, target)
        return Action.play(slot) if plays else Action.discard(slot)
    if kind not in (COLOUR_HINT, RANK_HINT):
        raise FormatError(f"unknown type {kind}; expected 0 to {VOTE}")
    if value is None:
        raise FormatError("a hint needs a value")
    if not 0 <= target < rules.players:
        raise FormatError(f"unknown player {target}")
    if kind == RANK_HINT:
        return Action.hint_rank(target, value)
    colours = colours_of(rules)
    if not 0 <= value < len(colours):
        raise FormatError(f"unknown colour {value}")
    return Action.hint_suit(target, colours[value])
