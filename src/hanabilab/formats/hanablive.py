"""Games of hanab.live: its JSON objects and links, and what they say in our words.

The site names a card by its place in the deck, a suit hint by the number of its colour and the
player it goes to by the seat. The special suit of a variant is the last one, so that the numbers
of colours and suits agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabilab.errors import DeckError, FormatError, HanabiError, RulesError
from hanabilab.formats.action import Action
from hanabilab.formats.link import LiveAction, Payload, read_link
from hanabilab.formats.text import short
from hanabilab.game.deck import Deck, box
from hanabilab.game.names import letters_of
from hanabilab.game.rules import SIX_PLAYERS, Rules, preset
from hanabilab.game.seeds import shuffle_like_hanab_live
from hanabilab.game.variants import VARIANT_NAMES, VARIANTS, Variant

__all__ = [
    "LiveGame",
    "ending_of",
    "is_live_object",
    "live_actions",
    "live_from_json",
    "live_from_link",
    "live_numbers",
    "losses",
    "own_extras",
    "payload_of",
    "to_live_json",
    "variant_of",
]

NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily", "Frank")
PLAY, DISCARD, COLOUR_HINT, RANK_HINT, END, VOTE = range(6)
DEEPEST = 50

REFUSED_OPTIONS = ("deckPlays", "allOrNothing", "detrimentalCharacters", "startingPlayer")
HARMLESS_OPTIONS = ("timed", "timeBase", "timePerTurn", "speedrun", "cardCycle")
OUR_OPTIONS = ("variant", "emptyClues", "oneExtraCard", "oneLessCard", "numPlayers")
OWN_KEYS = ("players", "deck", "actions", "options")
SITE_RULES = ("hint_tokens", "lives", "token_for_suit", "discard_at_full", "keep_score")


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A game of hanab.live in our words; its actions are not checked against the rules yet."""

    deck: Deck
    actions: list[dict[str, Any]]
    extras: dict[str, Any] = field(default_factory=dict)
    """What only hanab.live knows of: names of players, notes, how the game was ended …"""


def is_live_object(data: object) -> bool:
    """Is this a game of hanab.live, and not one of ours?"""
    if not isinstance(data, Mapping):
        return False
    deck = data.get("deck")
    cards = isinstance(deck, list) and deck and isinstance(deck[0], Mapping)
    return isinstance(data.get("players"), list) or bool(cards)


# Reading.


def live_from_json(data: Mapping[str, Any], rules: str | None = None) -> LiveGame:
    """A game from an object as the site exports it."""
    names = _read_names(data.get("players"))
    variant, changes, harmless = _read_options(data.get("options"), len(names))
    chosen = preset(rules or variant.name, len(names), **({} if rules else changes))
    extras = _read_extras(data)
    if names != list(NAMES[: len(names)]):
        extras["players"] = names
    if harmless:
        extras["options"] = harmless
    deck = _read_deck(data.get("deck"), extras.get("seed"), variant, chosen)
    _check_extras(extras, deck)
    actions = data.get("actions", [])
    if not isinstance(actions, list):
        raise FormatError(f"actions: {short(actions)} is not a list")
    live = [_read_action(action, f"action {n}") for n, action in enumerate(actions, 1)]
    return _in_our_words(deck, live, extras)


def live_from_link(text: str, rules: str | None = None) -> LiveGame:
    """A game from a link."""
    payload = read_link(text)
    if payload.variant not in VARIANTS:
        raise RulesError(f"link: variant {payload.variant} is not supported")
    variant = VARIANTS[payload.variant]
    deck = _deck_of(payload.cards, variant, preset(rules or variant.name, payload.players))
    return _in_our_words(deck, payload.actions, {})


def _read_names(names: object) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"players: {short(names)} is not a list of names")
    if not 2 <= len(names) <= len(NAMES):
        raise FormatError(f"players: 2 to {len(NAMES)} can play, not {len(names)}")
    return names


def _read_options(options: object, players: int) -> tuple[Variant, dict[str, Any], dict[str, Any]]:
    """The variant, the rules that it changes, and what changes no rule."""
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


def _read_extras(data: Mapping[str, Any]) -> dict[str, Any]:
    """What the site knows besides; an empty seed is none."""
    empty: tuple[object, ...] = (None, "")
    extras = {key: data[key] for key in data if key not in OWN_KEYS and data[key] not in empty}
    if not isinstance(extras.get("seed", ""), str):
        raise FormatError(f"seed: {short(extras['seed'])} is not text")
    return extras


def own_extras(data: object, deck: Deck) -> dict[str, Any]:
    """The same from the key `hanablive` of a game in our format."""
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise FormatError(f"hanablive: {short(data)} is not an object")
    extras = _read_extras(data)
    if "players" in data:
        extras["players"] = _read_names(data["players"])
        if len(extras["players"]) != deck.rules.players:
            raise FormatError(f"hanablive: {len(extras['players'])} names")
    if "options" in data:
        extras["options"] = _read_options(data["options"], deck.rules.players)[2]
    _check_extras(extras, deck)
    return extras


def _check_extras(extras: Mapping[str, Any], deck: Deck) -> None:
    _check_depth(extras)
    ending_of(extras)
    if "seed" in extras:
        cards = box(deck.rules)
        shuffle_like_hanab_live(cards, extras["seed"])
        if tuple(cards) != deck.cards:
            raise DeckError(
                f"seed: {short(extras['seed'])} deals another deck than the one that is given, "
                "and hanab.live would play that one; remove either"
            )


def _read_deck(deck: object, seed: str | None, variant: Variant, rules: Rules) -> Deck:
    if seed is not None and not deck:
        cards_of_box = box(rules)
        shuffle_like_hanab_live(cards_of_box, seed)
        return Deck.of(rules, cards_of_box)
    if not isinstance(deck, list):
        raise DeckError(f"deck: {short(deck)} is not a list")
    cards = []
    for place, card in enumerate(deck, 1):
        if not isinstance(card, Mapping):
            raise DeckError(f"deck: card {place}, {short(card)}, is not an object")
        try:
            cards.append((_whole(card, "suitIndex"), _whole(card, "rank")))
        except FormatError as error:
            raise DeckError(f"deck: card {place}: {error}") from None
    return _deck_of(cards, variant, rules)


def _deck_of(cards: Sequence[tuple[int, int]], variant: Variant, rules: Rules) -> Deck:
    """The site looks at the number of cards only: puzzles may have any cards."""
    usual = preset(variant.name).deck_size
    if len(cards) != usual:
        raise DeckError(f"deck: it has {len(cards)} cards; {variant.name} has {usual}")
    numbers = []
    for place, (suit, rank) in enumerate(cards, 1):
        if not 0 <= suit < rules.suits:
            raise DeckError(
                f"deck: card {place}: suit {suit} is above {rules.suits - 1} or below 0"
            )
        if not 1 <= rank <= rules.ranks:
            raise DeckError(f"deck: card {place}: rank {rank} is not between 1 and {rules.ranks}")
        numbers.append(suit * rules.ranks + rank - 1)
    return Deck.of(rules, numbers, any_deck=sorted(numbers) != box(rules))


def _read_action(action: object, place: str) -> LiveAction:
    if not isinstance(action, Mapping):
        raise FormatError(f"{place}: {short(action)} is not an object")
    try:
        value = None if action.get("value") is None else _whole(action, "value")
        return LiveAction(_whole(action, "type"), _whole(action, "target"), value)
    except FormatError as error:
        raise FormatError(f"{place}: {error}") from None


def _in_our_words(deck: Deck, live: Sequence[LiveAction], extras: dict[str, Any]) -> LiveGame:
    hands = _Hands(deck)
    actions = []
    for turn, action in enumerate(live):
        player = turn % deck.rules.players
        try:
            if action.type in (END, VOTE):
                if turn + 1 < len(live):
                    raise FormatError("the game is ended here, and there are more actions")
                extras = {**extras, "end": action._asdict()}
                break
            found = _read_move(action, player, hands, deck.rules)
            actions.append(found.to_dict(player, deck.rules.letters))
        except HanabiError as error:
            raise type(error)(f"action {turn + 1}: {error}") from None
    return LiveGame(deck, actions, extras)


def _read_move(action: LiveAction, player: int, hands: _Hands, rules: Rules) -> Action:
    kind, target, value = action
    if kind in (PLAY, DISCARD):
        slot = hands.take(player, target)
        return Action.play(slot) if kind == PLAY else Action.discard(slot)
    if kind not in (COLOUR_HINT, RANK_HINT):
        raise FormatError(f"type {kind} is not between 0 and {VOTE}")
    if value is None:
        raise FormatError("a hint needs a value")
    if not 0 <= target < rules.players:
        raise FormatError(f"there is no player {target}")
    if kind == RANK_HINT:
        return Action.hint_rank(target, value)
    if not 0 <= value < rules.suits:
        raise FormatError(f"there is no colour {value}")
    return Action.hint_suit(target, value)


class _Hands:
    """Where each card of the deck is, by its place in the deck."""

    def __init__(self, deck: Deck) -> None:
        size, players = deck.rules.hand_size, deck.rules.players
        self.hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(players)]
        self.following, self.cards = players * size, len(deck)

    def take(self, player: int, place: int) -> int:
        """The slot of a card that leaves a hand; the next one is drawn."""
        if place not in self.hands[player]:
            raise FormatError(f"card {place} of the deck is not in the hand of player {player}")
        slot = self.hands[player].index(place)
        self.leave(player, slot)
        return slot

    def leave(self, player: int, slot: int) -> int:
        """The place in the deck of the card that leaves this slot."""
        place = self.hands[player].pop(slot)
        if self.following < self.cards:
            self.hands[player].append(self.following)
            self.following += 1
        return place


# Writing.


def variant_of(rules: Rules) -> Variant:
    """The variant of hanab.live with these suits and as many cards."""
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
    """What hanab.live does not know of these rules; a link cannot even carry its options."""
    if not 2 <= rules.players <= len(NAMES):
        raise FormatError(f"hanab.live has no games of {rules.players} players")
    site = preset(variant_of(rules).name, rules.players)
    lost = [
        f"{Rules.about[name]} ({_cell(getattr(rules, name))})"
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
    """Actions of our own as the site counts."""
    hands = _Hands(deck)
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
    """The same from the numbers of actions (`hanabilab.game.actions`), quickly."""
    rules = deck.rules
    hands, others = _Hands(deck), rules.players - 1
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


def ending_of(extras: Mapping[str, Any]) -> list[LiveAction]:
    """How the site says that the game was ended before its end."""
    end = extras.get("end")
    return [] if end is None else [_read_action(end, "end")]


def payload_of(deck: Deck, live: Sequence[LiveAction]) -> Payload:
    """What a link of the game contains."""
    ranks = deck.rules.ranks
    cards = [(card // ranks, card % ranks + 1) for card in deck]
    return Payload(deck.rules.players, cards, live, variant_of(deck.rules).id)


def to_live_json(
    deck: Deck, live: Sequence[LiveAction], extras: Mapping[str, Any]
) -> dict[str, Any]:
    """The object that the site imports."""
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


def _whole(data: Mapping[str, Any], key: str) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise FormatError(f"{key} {short(value)} is not a whole number")
    if abs(value) > 1 << 31:
        raise FormatError(f"{key} is out of range")
    return value


def _check_depth(extras: Mapping[str, Any]) -> None:
    """Refuse what could not be written again."""
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


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unlimited" if value is None else str(value)
