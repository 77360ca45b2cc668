"""hanab.live's encoding of games: kinds of actions, cards by deck position, and links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from hanabilab.checks import check_integer, shorten
from hanabilab.errors import FormatError
from hanabilab.game.deck import Deck
from hanabilab.game.variants import START_RANK

__all__ = [
    "COLOUR_HINT",
    "DISCARD",
    "END",
    "LINK",
    "NAMES",
    "OWN_KEYS",
    "PLAY",
    "RANK_HINT",
    "VOTE",
    "CardOrders",
    "LiveAction",
    "Payload",
    "is_inverted",
    "is_link",
    "read_action",
    "read_link",
    "read_number",
]

NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily", "Frank")
PLAY, DISCARD, COLOUR_HINT, RANK_HINT, END, VOTE = range(6)
OWN_KEYS = ("players", "deck", "actions", "options", "variant")
"""The keys of a game's object that have a counterpart in our games."""
LARGEST = 1 << 31
LINK = "https://hanab.live/replay-json/"
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PLACE_OF = {letter: place for place, letter in enumerate(ALPHABET)}
GROUP = 20
LONGEST = 10_000
ADDRESS = re.compile(
    r"(?:https?://)?(?:[A-Za-z0-9.-]+(?::[0-9]+)?)?/?(?:shared-)?replay-json/([^/?#]*)(?:[/?#].*)?"
)
NUMBERED = re.compile(r"(?:https?://)?hanab\.live/(?:shared-)?replay/([0-9]+)(?:[/?#].*)?")
PAYLOAD = re.compile(r"[0-9][0-9A-Za-z-]*,[0-9A-Za-z-]*,[0-9-]+(?:,[^/\s]*)?")


class LiveAction(NamedTuple):
    """An action in hanab.live's terms, in which cards are deck positions."""

    type: int
    target: int
    value: int | None = None


def read_action(action: object, place: str) -> LiveAction:
    """Read an action of the site; error messages name its `place` in the game."""
    if not isinstance(action, Mapping):
        raise FormatError(f"{place}: {shorten(action)} is not an object")
    try:
        value = None if action.get("value") is None else read_number(action, "value")
        return LiveAction(read_number(action, "type"), read_number(action, "target"), value)
    except FormatError as error:
        raise FormatError(f"{place}: {error}") from None


def read_number(data: Mapping[str, object], key: str) -> int:
    """Return a 32-bit integer of the site."""
    return check_integer(key, data.get(key), -LARGEST, LARGEST, error=FormatError)


def is_inverted(deck: Deck, place: int) -> bool:
    """Return whether playing and discarding are exchanged in a card's suit.

    The site records what happened to a card, not what its player chose.
    """
    rules = deck.rules
    return rules.letters[deck[place] // rules.ranks] in rules.inverted_suits


class CardOrders:
    """The deck position of each card in hand, which identifies cards without revealing them."""

    def __init__(self, deck: Deck) -> None:
        size, players = deck.rules.hand_size, deck.rules.players
        self.hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(players)]
        self.next_card, self.cards = players * size, len(deck)

    def remove_card(self, player: int, place: int) -> int:
        """Remove a card from a hand, draw the next one, and return the slot.

        The last card of the draw pile can be played from there: its slot follows the last one.
        """
        if place == self.next_card == self.cards - 1:
            self.next_card += 1
            return len(self.hands[player])
        if place not in self.hands[player]:
            raise FormatError(f"card {place} of the deck is not in the hand of player {player}")
        slot = self.hands[player].index(place)
        self.remove_slot(player, slot)
        return slot

    def remove_slot(self, player: int, slot: int) -> int:
        """Remove the card in a slot, draw the next one, and return the card's deck position."""
        if slot == len(self.hands[player]):  # the last card of the draw pile
            self.next_card += 1
            return self.cards - 1
        place = self.hands[player].pop(slot)
        if self.next_card < self.cards:
            self.hands[player].append(self.next_card)
            self.next_card += 1
        return place


def is_link(text: str) -> bool:
    """Return whether a text looks like a link or its last part."""
    whole = any(pattern.fullmatch(text) for pattern in (NUMBERED, PAYLOAD))
    return whole or ("replay-json/" in text and not text.lstrip().startswith(("{", "[")))


@dataclass(frozen=True, slots=True)
class Payload:
    """The game in a link."""

    players: int
    cards: Sequence[tuple[int, int]]
    """Suit from 0 and rank from 1 of each card, in the order of the deck."""
    actions: Sequence[LiveAction]
    variant: int

    def text(self) -> str:
        """Return the part of the link that contains the game."""
        ranks = [rank for _, rank in self.cards]
        low, high = min(ranks), max(ranks)
        deck = [f"{self.players}{low}{high}"]
        deck += [_letter(s * (high - low + 1) + r - low, "card") for s, r in self.cards]
        whole = ",".join(["".join(deck), _actions_text(self.actions), str(self.variant)])
        return "-".join(whole[start : start + GROUP] for start in range(0, len(whole), GROUP))

    def link(self) -> str:
        """Return the whole link."""
        return LINK + self.text()


def _actions_text(actions: Sequence[LiveAction]) -> str:
    if not actions:
        return "00"
    kinds = [action.type for action in actions]
    low, high = min(kinds), max(kinds)
    parts = [f"{low}{high}"]
    for kind, target, value in actions:
        number = 0 if value is None else value + 1
        parts.append(_letter(number * (high - low + 1) + kind - low, "action"))
        parts.append(_letter(target, "action"))
    return "".join(parts)


def _letter(number: int, what: str) -> str:
    if not 0 <= number < len(ALPHABET):
        raise FormatError(f"link: no letter stands for this {what}")
    return ALPHABET[number]


def read_link(text: str) -> Payload:
    """Read a link, its path, or its last part; hyphens do not matter."""
    text = text.strip()
    if len(text) > LONGEST:
        raise FormatError(f"link: {len(text)} characters are too many for a game")
    if numbered := NUMBERED.fullmatch(text):
        raise FormatError(
            "link: contains only the number of a game; use review --download hanab.live, or take "
            f"the JSON at https://hanab.live/export/{numbered[1]}"
        )
    if "%" in text:
        text = unquote(text)
    if "replay-json/" in text:
        match = ADDRESS.fullmatch(text)
        if match is None:
            raise FormatError("link: does not lead to /replay-json/ or /shared-replay-json/")
        text = match[1]
    return _Reader(text).payload()


class _Reader:
    """Reads a text character by character and keeps its position."""

    def __init__(self, text: str) -> None:
        self.letters = [(place, letter) for place, letter in enumerate(text, 1) if letter != "-"]
        self.end = len(text) + 1
        self.next = 0

    def payload(self) -> Payload:
        players = self.number("the number of players", 2, 6)
        cards = self.cards()
        self.comma("the deck")
        actions = self.actions()
        self.comma("the actions")
        return Payload(players, cards, actions, self.variant())

    def cards(self) -> list[tuple[int, int]]:
        low = self.number("the lowest rank", 1, START_RANK)
        ranks = self.number("the highest rank", low, START_RANK) - low + 1
        cards = []
        while not self.ended():
            suit, rank = divmod(self.letter("a card"), ranks)
            cards.append((suit, rank + low))
        return cards

    def actions(self) -> list[LiveAction]:
        low = self.number("the lowest kind of action", 0, 5)
        kinds = self.number("the highest kind of action", low, 5) - low + 1
        actions = []
        while not self.ended():
            value, kind = divmod(self.letter("an action"), kinds)
            target = self.letter("the target of an action")
            actions.append(LiveAction(low + kind, target, value - 1 if value else None))
        return actions

    def variant(self) -> int:
        digits = ""
        while not self.ended() and len(digits) < 10:
            digits += str(self.number("the number of the variant", 0, 9))
        if not digits or not self.ended():  # what follows another comma means nothing
            raise self.error("the number of the variant")
        return int(digits)

    def ended(self) -> bool:
        """Return whether the next character is a comma or the text has ended."""
        return self.next == len(self.letters) or self.letters[self.next][1] == ","

    def comma(self, after: str) -> None:
        if self.next == len(self.letters):
            raise self.error(f"a comma after {after}")
        self.next += 1

    def number(self, what: str, least: int, most: int) -> int:
        letter = self.peek()
        if letter not in "0123456789" or not letter or not least <= int(letter) <= most:
            raise self.error(f"{what} ({least} to {most})")
        self.next += 1
        return int(letter)

    def letter(self, what: str) -> int:
        letter = self.peek()
        if letter not in PLACE_OF:
            raise self.error(what)
        self.next += 1
        return PLACE_OF[letter]

    def peek(self) -> str:
        return self.letters[self.next][1] if self.next < len(self.letters) else ""

    def error(self, wanted: str) -> FormatError:
        if self.next == len(self.letters):
            return FormatError(f"link: ends at character {self.end}, before {wanted}")
        place, letter = self.letters[self.next]
        return FormatError(f"link: character {place}, {letter!r}, is not {wanted}")
