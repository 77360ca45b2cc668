"""Our games as hanab.live writes them: JSON objects and links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hanabilab.errors import FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.hanablive.link import LiveAction, Payload
from hanabilab.formats.hanablive.site import (
    COLOUR_HINT,
    DISCARD,
    NAMES,
    OWN_KEYS,
    PLAY,
    RANK_HINT,
    Hands,
)
from hanabilab.formats.words import rule_words
from hanabilab.game.deck import Deck
from hanabilab.game.names import letters_of
from hanabilab.game.rules import SIX_PLAYERS, Rules, preset
from hanabilab.game.variants import VARIANTS, Variant

__all__ = ["live_actions", "live_numbers", "losses", "payload_of", "to_live_dict", "variant_of"]

SITE_RULES = ("hint_tokens", "lives", "token_for_suit", "discard_at_full", "keep_score")


def variant_of(rules: Rules) -> Variant:
    """Return the variant of hanab.live with these suits and as many cards."""
    usual = rules.letters == letters_of(rules.suits)
    for variant in VARIANTS.values():
        same = rules.ranks == 5 and rules.touching == variant.rules["touching"]
        size = sum(map(sum, variant.rules["copies"]))
        if same and rules.deck_size == size and (usual or rules.letters == variant.letters):
            return variant
    raise FormatError(
        f"no supported variant of hanab.live has {rules.suits} such suits of {rules.ranks} ranks "
        f"and {rules.deck_size} cards"
    )


def losses(rules: Rules, *, options: bool) -> list[str]:
    """Return what hanab.live does not know of these rules; a link cannot even carry its options."""
    if not 2 <= rules.players <= len(NAMES):
        raise FormatError(f"hanab.live has no games of {rules.players} players")
    site = preset(variant_of(rules).name, rules.players)
    lost = [
        f"{Rules.about[name]} ({rule_words(getattr(rules, name))})"
        for name in (*SITE_RULES, "deck_ends", "open_game")
        if getattr(rules, name) != getattr(site, name)
    ]
    if not options and rules.empty_hints:
        lost.append("the option emptyClues")
    extra = rules.hand_size - site.hand_size
    if extra and not (options and abs(extra) == 1):
        option = {1: "the option oneExtraCard", -1: "the option oneLessCard"}
        lost.append(option.get(extra, f"a hand size of {rules.hand_size}"))
    return lost


def live_actions(deck: Deck, actions: Iterable[Action], players: Iterable[int]) -> list[LiveAction]:
    """Return our actions in the site's terms."""
    hands = Hands(deck)
    kinds = {"play": PLAY, "discard": DISCARD, "hint_suit": COLOUR_HINT, "hint_rank": RANK_HINT}
    live = []
    for number, (action, player) in enumerate(zip(actions, players, strict=True), 1):
        if action.type not in kinds:
            raise FormatError(f"action {number}: hanab.live has no {action.type}")
        kind = kinds[action.type]
        if kind in (PLAY, DISCARD):
            live.append(LiveAction(kind, hands.leave(player, action.slot)))
        else:
            live.append(LiveAction(kind, action.target, action.value))
    return live


def live_numbers(deck: Deck, numbers: Iterable[int]) -> list[LiveAction]:
    """Do the same, quickly, for the numbers of actions (`hanabilab.game.actions`)."""
    rules = deck.rules
    hands, others = Hands(deck), rules.players - 1
    live = []
    for turn, number in enumerate(numbers):
        player = turn % rules.players
        if number < 2 * rules.hand_size:
            kind, slot = divmod(number, rules.hand_size)
            live.append(LiveAction((DISCARD, PLAY)[kind], hands.leave(player, slot)))
            continue
        number -= 2 * rules.hand_size
        kind, values, least = COLOUR_HINT, rules.suits, 0
        if number >= others * rules.suits:
            number -= others * rules.suits
            kind, values, least = RANK_HINT, rules.ranks, 1
        offset, value = divmod(number, values)
        live.append(LiveAction(kind, (player + 1 + offset) % rules.players, value + least))
    return live


def payload_of(deck: Deck, live: Sequence[LiveAction]) -> Payload:
    """Return what a link of the game contains."""
    ranks = deck.rules.ranks
    cards = [(card // ranks, card % ranks + 1) for card in deck]
    return Payload(deck.rules.players, cards, live, variant_of(deck.rules).id)


def to_live_dict(
    deck: Deck, live: Sequence[LiveAction], extras: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the object that the site imports."""
    rules = deck.rules
    variant = variant_of(rules)
    options: dict[str, Any] = {} if variant.id == 0 else {"variant": variant.name}
    extra = rules.hand_size - SIX_PLAYERS[rules.players]
    named = {
        "emptyClues": rules.empty_hints,
        "oneExtraCard": extra == 1,
        "oneLessCard": extra == -1,
    }
    options |= {name: True for name, chosen in named.items() if chosen}
    options |= extras.get("options", {})
    others = {key: extras[key] for key in extras if key not in (*OWN_KEYS, "end")}
    return {
        "players": extras.get("players", list(NAMES[: rules.players])),
        "deck": [{"suitIndex": c // rules.ranks, "rank": c % rules.ranks + 1} for c in deck],
        "actions": [_action_object(action) for action in live],
        **({"options": options} if options else {}),
        **others,
    }


def _action_object(action: LiveAction) -> dict[str, int]:
    found = {"type": action.type, "target": action.target}
    return found if action.value is None else {**found, "value": action.value}
