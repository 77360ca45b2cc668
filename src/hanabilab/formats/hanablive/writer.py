"""Write games in hanab.live's formats: JSON objects and links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hanabilab.errors import FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import describe_rule
from hanabilab.formats.hanablive.encoding import (
    COLOUR_HINT,
    DISCARD,
    NAMES,
    OWN_KEYS,
    PLAY,
    RANK_HINT,
    CardOrders,
    LiveAction,
    Payload,
    is_inverted,
)
from hanabilab.formats.hanablive.options import SWITCHES, colours_of, read_variant, variant_of
from hanabilab.game.deck import Deck
from hanabilab.game.rules import SIX_PLAYERS, Rules, preset, switch_set
from hanabilab.game.variants import Variant

__all__ = ["live_actions", "live_numbers", "payload_of", "to_live_dict", "unsupported_rules"]

SITE_SWITCHES = switch_set(
    "all_or_nothing alternating_hints colours deck_ends deck_plays discard_at_full",
    "discards_per_token empty_hints first_player hidden_plays hints_tell inverted_suits keep_score",
    "open_game rank_hints",
    "rank_touching reversed_suits score_ends speedrun stacks suit_hints token_for_suit touching",
)
"""The switches that the site has, or that `unsupported_rules` compares with its own rules."""
SITE_RULES = ("hint_tokens", "lives", "token_for_suit", "discard_at_full", "keep_score")


def unsupported_rules(rules: Rules, *, options: bool) -> list[str]:
    """Return the rules that hanab.live cannot express, including options, which links omit."""
    if not 2 <= rules.players <= len(NAMES):
        raise FormatError(f"hanab.live has no games of {rules.players} players")
    site = preset(variant_of(rules).name, rules.players)
    lost = [
        f"{Rules.about[name]} ({describe_rule(getattr(rules, name))})"
        for name in (*SITE_RULES, "deck_ends", "open_game")
        if getattr(rules, name) != getattr(site, name)
        and not (name == "deck_ends" and rules.all_or_nothing)
    ]
    lost += [Rules.about[name] for name in rules.nonstandard if name not in SITE_SWITCHES]
    if not options:
        lost += [
            f"the option {theirs}" for theirs, ours in SWITCHES.items() if getattr(rules, ours)
        ]
        lost += ["the option startingPlayer"] if rules.first_player else []
    extra = rules.hand_size - site.hand_size
    if extra and not (options and abs(extra) == 1):
        option = {1: "the option oneExtraCard", -1: "the option oneLessCard"}
        lost.append(option.get(extra, f"a hand size of {rules.hand_size}"))
    return lost


def live_actions(deck: Deck, actions: Iterable[Action], players: Iterable[int]) -> list[LiveAction]:
    """Return our actions in the site's terms."""
    orders, colours = CardOrders(deck), colours_of(deck.rules)
    kinds = {"play": PLAY, "discard": DISCARD, "hint_suit": COLOUR_HINT, "hint_rank": RANK_HINT}
    live = []
    for number, (action, player) in enumerate(zip(actions, players, strict=True), 1):
        if action.type not in kinds:
            raise FormatError(f"action {number}: hanab.live has no {action.type}")
        kind = kinds[action.type]
        if kind in (PLAY, DISCARD):
            live.append(_of_card(deck, kind, orders.remove_slot(player, action.slot)))
        else:
            value = colours.index(action.value) if kind == COLOUR_HINT else action.value
            live.append(LiveAction(kind, action.target, value))
    return live


def live_numbers(deck: Deck, numbers: Iterable[int]) -> list[LiveAction]:
    """Return actions given by their numbers in the site's terms; faster than `live_actions`."""
    rules = deck.rules
    orders, others, colours = CardOrders(deck), rules.players - 1, colours_of(rules)
    deck_play = 2 * rules.hand_size + others * (rules.suits + rules.ranks)
    live = []
    for turn, number in enumerate(numbers):
        player = (rules.first_player + turn) % rules.players
        if number >= deck_play:
            place = orders.remove_slot(player, rules.hand_size)
            live.append(_of_card(deck, PLAY if number == deck_play else DISCARD, place))
            continue
        if number < 2 * rules.hand_size:
            kind, slot = divmod(number, rules.hand_size)
            place = orders.remove_slot(player, slot)
            live.append(_of_card(deck, (DISCARD, PLAY)[kind], place))
            continue
        number -= 2 * rules.hand_size
        kind, values, least = COLOUR_HINT, rules.suits, 0
        if number >= others * rules.suits:
            number -= others * rules.suits
            kind, values, least = RANK_HINT, rules.ranks, 1
        offset, value = divmod(number, values)
        if kind == COLOUR_HINT:
            value = colours.index(value)
        live.append(LiveAction(kind, (player + 1 + offset) % rules.players, value + least))
    return live


def _of_card(deck: Deck, kind: int, place: int) -> LiveAction:
    """Return the action on a card, by its effect."""
    return LiveAction(PLAY + DISCARD - kind if is_inverted(deck, place) else kind, place)


def payload_of(
    deck: Deck, live: Sequence[LiveAction], extras: Mapping[str, Any] = MappingProxyType({})
) -> Payload:
    """Return what a link of the game contains."""
    ranks, printed = deck.rules.ranks, deck.rules.printed_ranks
    cards = [(card // ranks, printed[card]) for card in deck]
    variant = _variant(deck.rules, extras)
    return Payload(deck.rules.players, cards, _with_values(live, extras), variant.id)


def _variant(rules: Rules, extras: Mapping[str, Any]) -> Variant:
    """Return the variant of a game, from the extras if the deck does not determine it."""
    return read_variant(extras["variant"]) if "variant" in extras else variant_of(rules)


def _with_values(live: Sequence[LiveAction], extras: Mapping[str, Any]) -> list[LiveAction]:
    """Return the actions with the unused value 0 of plays and discards, if the site wrote it."""
    if "play_value" not in extras:
        return list(live)
    return [one._replace(value=0) if one.type in (PLAY, DISCARD) else one for one in live]


def to_live_dict(
    deck: Deck, live: Sequence[LiveAction], extras: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the object that the site imports."""
    rules, printed = deck.rules, deck.rules.printed_ranks
    variant = _variant(rules, extras)
    options: dict[str, Any] = {"startingPlayer": rules.first_player} if rules.first_player else {}
    options |= {} if variant.id == 0 else {"variant": variant.name}
    extra = rules.hand_size - SIX_PLAYERS[rules.players]
    named = {theirs: getattr(rules, ours) for theirs, ours in SWITCHES.items()}
    named |= {"oneExtraCard": extra == 1, "oneLessCard": extra == -1}
    options |= {name: True for name, chosen in named.items() if chosen}
    options |= extras.get("options", {})
    others = {key: extras[key] for key in extras if key not in (*OWN_KEYS, "end", "play_value")}
    return {
        "players": extras.get("players", list(NAMES[: rules.players])),
        "deck": [{"suitIndex": c // rules.ranks, "rank": printed[c]} for c in deck],
        "actions": [_action_object(action) for action in _with_values(live, extras)],
        **({"options": options} if options else {}),
        **others,
    }


def _action_object(action: LiveAction) -> dict[str, int]:
    found = {"type": action.type, "target": action.target}
    return found if action.value is None else {**found, "value": action.value}
