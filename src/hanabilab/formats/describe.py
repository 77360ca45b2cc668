"""Describe events, states and rules in words, with the labels that a reader expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanabilab.core.bits import members, popcount
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event, effect_of
from hanabilab.game.cards import HIDDEN, card_in, count_of
from hanabilab.game.names import HIDDEN_NAME, SUIT_LETTERS, CardNames
from hanabilab.game.rules import Rules
from hanabilab.game.rules_record import RulesRecord, names_of_cards
from hanabilab.game.state import DOWNWARDS, State, start_of
from hanabilab.game.turn import ONLY_CARDS

__all__ = [
    "NUMBERED",
    "Labels",
    "describe_event",
    "describe_rule",
    "discards",
    "fireworks",
    "hand_names",
    "join_words",
    "palette_index",
    "rule_options",
    "top_rank",
]

UP_OR_DOWN = 1
"""The number of these stacks in a record of rules."""
PALETTE = "rygbwma" + "ptkin"
"""Suits that have a colour and a symbol: those of the box, then those of hanab.live."""


@dataclass(frozen=True, slots=True)
class Labels:
    """How players, slots and cards are named in a text.

    With names, as on the pages, players are called by name, cards are spelled out, and the newest
    card is slot 1. Without names, as on the command line, in JSON and in Python, players are
    numbered, cards are written like g3, and the oldest card is slot 0.
    """

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Sequence[str]) -> Labels:
        """Return labels with these player names; “you” is the reader."""
        return cls(tuple(names))

    def player(self, player: int) -> str:
        """Return the name of a player."""
        return self.names[player] if self.names else f"player {player}"

    def whose(self, player: int) -> str:
        """Return a player as the owner of something: “Bob's”, “your”."""
        name = self.player(player)
        return "your" if name == "you" else f"{name}'s"

    def does(self, player: int, verb: str) -> str:
        """Return a subject with its verb: “Bob plays”, “you play”, “Bob passes”."""
        name = self.player(player)
        if name == "you":
            return f"{name} {verb}"
        return f"{name} {verb}{'es' if verb.endswith('s') else 's'}"

    def slot(self, slot: int, count: int) -> int:
        """Return the number of a slot in a hand of `count` cards."""
        return count - slot if self.names else slot

    def slots(self, slots: Sequence[int], count: int) -> str:
        """Return several slots as text: “slots 1 and 3”, “no card”."""
        said = sorted(self.slot(slot, count) for slot in slots)
        if not said:
            return "no card"
        numbers = join_words(list(map(str, said))) if self.names else " ".join(map(str, said))
        return f"slot{'s' * (len(said) > 1)} {numbers}"

    def card(self, card: int, names: CardNames) -> str:
        """Return a card: “green 3”, or g3."""
        return names.words(card) if self.names else names.card(card)

    def suit(self, suit: int, names: CardNames) -> str:
        """Return a suit as a hint names it: “red”, or suit r."""
        return names.hints[suit] if self.names else f"suit {names.hint_letters[suit]}"


NUMBERED = Labels()
"""The labels of the command line: numbers instead of names."""


def join_words(parts: Sequence[str]) -> str:
    """Join words like this: a, b and c."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def palette_index(name: str) -> int:
    """Return the index of a card's colour and symbol; negative if it has no suit."""
    own = PALETTE.find(name[0])
    other = SUIT_LETTERS.find(name[0])
    return own if own >= 0 else other % len(PALETTE) if other >= 0 else -1


def describe_event(
    event: Event, rules: RulesRecord, labels: Labels = NUMBERED, count: int = 0
) -> str:
    """Describe a turn: “player 1 plays slot 2: g3 lights”.

    Labels with names need `count`, the number of cards in the hand that was played from or hinted
    at.
    """
    names = names_of_cards(rules)
    if event.kind == PASS:
        return labels.does(event.player, "pass")
    if event.kind in (PLAY, DISCARD):
        card = "a card" if event.card == HIDDEN else labels.card(event.card, names)
        token = ", a hint token comes back" if event.token else ""
        slot = f"slot {labels.slot(event.slot, count)}"
        chose = labels.does(event.player, "play" if event.kind == PLAY else "discard")
        if effect_of(event, rules) == DISCARD and event.card != HIDDEN:
            gone = " is discarded" * (event.kind == PLAY)
            return f"{chose} {slot}: {card}{gone}{token}"
        if event.card == HIDDEN:
            return f"{chose} {slot}: {card} that stays hidden"
        ending = f"lights{token}" if event.lit else "does not fit, a life is lost"
        return f"{chose} {slot}: {card} {ending}"
    told = "a rank" if event.value == HIDDEN else names.rank_hint(event.value)
    if event.kind == HINT_SUIT:
        vague = "something" if rules.hints_tell == ONLY_CARDS else "a suit"
        told = vague if event.value == HIDDEN else labels.suit(event.value, names)
    touched = labels.slots(members(event.touched), count)
    return f"{labels.does(event.player, 'tell')} {labels.player(event.target)}: {told} ({touched})"


def describe_rule(value: object) -> str:
    """Describe the value of a rule: yes, no, unlimited, or a number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unlimited" if value is None else str(value)


def hand_names(state: State, player: int) -> list[str]:
    """Return the cards in a hand, oldest first."""
    cards = (card_in(state.hands[player], slot) for slot in range(state.hand_count[player]))
    return [HIDDEN_NAME if card == HIDDEN else _name(state, card) for card in cards]


def fireworks(state: State) -> list[str]:
    """Return each suit with the last rank played."""
    letters = names_of_cards(state.rules).letters
    return [f"{letters[suit]}{top_rank(state, suit)}" for suit in range(state.rules.suits)]


def top_rank(state: State, suit: int) -> str:
    """Return the highest rank played in a suit, 0 for none."""
    rules, names = state.rules, names_of_cards(state.rules)
    height, start = state.fireworks[suit], start_of(state, suit)
    place = height - 1
    if rules.stacks == UP_OR_DOWN and height:
        place = {0: rules.ranks - 1, DOWNWARDS: rules.stack_size - height}.get(start, place)
    elif rules.stacks and height:
        place = (start + height - 2) % rules.ranks
    return names.labels[suit * rules.ranks + place] if height else "0"


def discards(state: State) -> list[str]:
    """Return the discarded cards, in order of suit and rank."""
    return [
        _name(state, card)
        for card in range(popcount(state.rules.all_cards))
        for _ in range(count_of(state.discarded, card))
    ]


def _name(state: State, card: int) -> str:
    return names_of_cards(state.rules).card(card)


def rule_options(rules: Rules) -> list[str]:
    """Return the command-line options that select these rules.

    >>> rule_options(Rules.classic(3, lives=None))
    ['--players', '3', '--set-rule', 'lives=unlimited']
    """
    options = ["--players", str(rules.players)]
    if rules.preset:
        return options if rules.preset == "classic" else [*options, "--rules", rules.preset]
    usual = Rules.classic(rules.players, hand_size=rules.hand_size)
    if rules.hand_size != Rules.classic(min(rules.players, 6)).hand_size:
        options += ["--set-rule", f"hand-size={rules.hand_size}"]
    for name in rules.about:
        value = getattr(rules, name)
        if value != getattr(usual, name):
            options += ["--set-rule", f"{name.replace('_', '-')}={_option_value(value)}"]
    return options


def _option_value(value: object) -> str:
    if value is None:
        return "unlimited"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        rows = [_option_value(row) for row in value]
        return ("/" if isinstance(value[0], tuple) else ",").join(rows)
    return str(value)
