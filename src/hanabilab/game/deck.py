"""Decks: from a seed and a game number, from a hanab.live seed, or card by card.

`choose_rules` turns whatever a user gives into the rules of a deck or a game.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, overload

from hanabilab.checks import check_integer, is_integer
from hanabilab.core.go_random import GoRandom
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Rng, shuffle, stream
from hanabilab.core.record import Ints
from hanabilab.display import Displayable
from hanabilab.errors import DeckError, RulesError
from hanabilab.game.rules import MAX_COPIES, Rules, preset
from hanabilab.game.variants import all_variants, variant_by_id

__all__ = [
    "STRATEGY_STREAMS",
    "Deck",
    "Seed",
    "card_multiset",
    "choose_rules",
    "is_seed",
    "shuffle_deck",
    "shuffle_like_hanab_live",
]

DECK_STREAM, STRATEGY_STREAMS = 0, 1
"""Random streams of a game: one for its deck and, from `STRATEGY_STREAMS` on, one per player."""

MAX_SEED = (1 << 62) - 1
SEED = re.compile(r"p([0-9]+)v([0-9]+)s(.*)", re.DOTALL)
PLAYERS = range(2, 7)
POLYNOMIAL = 0xC96C_5795_D787_0F42
ALL_ONES = (1 << 64) - 1
LONGEST_NUMBER = 9
LONGEST_SEED = 10_000


@kernel
def shuffle_deck(deck: Ints, cards: Ints, rng: Rng, seed: int, game: int) -> None:
    """Shuffle the deck of game `game` of seed `seed`, the same for every strategy and machine."""
    for place in range(len(cards)):
        deck[place] = cards[place]
    rng.stream = stream(seed, game, DECK_STREAM)
    shuffle(deck, rng)


def card_multiset(rules: Rules) -> list[int]:
    """Return all cards of the deck, sorted by suit and printed rank."""
    return [
        suit * rules.ranks + rank
        for suit, row in enumerate(rules.copies)
        for rank, copies in _by_printed_rank(rules, suit, row)
        for _ in range(copies)
    ]


def _by_printed_rank(rules: Rules, suit: int, row: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranks of a suit with their numbers of copies, sorted by printed rank."""
    ranks = list(enumerate(row))
    return ranks[::-1] if rules.letters[suit] in rules.reversed_suits else ranks


@dataclass(frozen=True, slots=True, repr=False)
class Deck(Displayable, Sequence[int]):
    """A shuffled deck, first card first, with the rules it is meant for.

    Player 0 is dealt the first cards as slots 0, 1, …, then player 1, and so on.

    Examples
    --------
    >>> deck = Deck.shuffled(players=2, seed=7)
    >>> str(deck)[:14], len(deck)
    ('y1 g2 b1 w3 b1', 50)
    """

    rules: Rules
    cards: tuple[int, ...]

    @classmethod
    def shuffled(
        cls, rules: Rules | None = None, *, seed: int = 0, game: int = 0, **choice: Any
    ) -> Deck:
        """Return the deck of a seed and a game number.

        Without `rules`, keywords choose them: ``Deck.shuffled(players=2, seed=7)``.
        """
        rules = rules or preset(choice.pop("preset", "classic"), **choice)
        seed, game = check_seed("seed", seed), check_seed("game", game)
        cards = card_multiset(rules)
        deck = cards[:]
        shuffle_deck(deck, cards, Rng(), seed, game)
        return cls(rules, tuple(deck))

    @classmethod
    def from_seed(cls, seed: str, rules: Rules | None = None) -> Deck:
        """Return the deck of a hanab.live seed such as ``p3v0s17``.

        The seed names the number of players and the variant. Other `rules` may be given for the
        same cards and the same number of players.
        """
        found = Seed.read(seed)
        if rules is None:
            rules = found.rules
        if rules.players != found.rules.players:
            raise DeckError(
                f"seed: {found.text} is for {found.rules.players} players, not {rules.players}"
            )
        if rules.preset == "classic":
            rules = found.rules
        same = ("ranks", "copies", "touching", "reversed_suits", "stacks")
        if any(getattr(rules, field) != getattr(found.rules, field) for field in same):
            raise DeckError(
                f"seed: {found.text} is for {found.rules.preset}, and the rules have other suits"
            )
        cards = card_multiset(rules)
        shuffle_like_hanab_live(cards, found.text)
        return cls(rules, tuple(cards))

    @classmethod
    def of(cls, rules: Rules, cards: Iterable[int], *, any_deck: bool = False) -> Deck:
        """Return a deck given card by card, checked against the rules.

        With `any_deck`, the composition of the deck replaces the one in the rules.
        """
        most = rules.kinds - 1
        numbers = []
        for place, card in enumerate(cards, 1):
            if not is_integer(card):
                raise DeckError(f"deck: card {place}, {card!r:.80}, is not a card")
            if not 0 <= card <= most:
                raise DeckError(f"deck: card {place}, {card}, is not between 0 and {most}")
            numbers.append(int(card))
        deck = tuple(numbers)
        if any_deck:
            rules = _with_composition(rules, deck)
        else:
            _check_composition(rules, deck)
        return cls(rules, deck)

    def __len__(self) -> int:
        return len(self.cards)

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[int, ...]: ...

    def __getitem__(self, place: int | slice) -> int | tuple[int, ...]:
        return self.cards[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self.cards)

    def __repr__(self) -> str:
        return f"<Deck: {self.rules.preset or 'custom'}, {self.rules.players} players: {self}>"

    def __str__(self) -> str:
        return " ".join(self.rules.card_name(card) for card in self.cards)


def check_seed(name: str, number: object) -> int:
    """Return a seed or a game number, or raise an error that names it."""
    return check_integer(name, number, 0, MAX_SEED, error=DeckError)


def _check_composition(rules: Rules, deck: Sequence[int]) -> None:
    seen: Counter[int] = Counter()
    allowed = Counter(card_multiset(rules))
    for place, card in enumerate(deck):
        seen[card] += 1
        if seen[card] > allowed[card]:
            name = rules.card_name(card)
            copies = "no copy" if not allowed[card] else f"only {allowed[card]}"
            raise DeckError(
                f"deck: card {place + 1}, {name}, appears for the {_ordinal(seen[card])} time; "
                f"the rules have {copies} of it"
            )
    missing = allowed - seen
    if missing:
        names = " ".join(rules.card_name(card) for card in sorted(missing.elements()))
        raise DeckError(f"deck: ends after card {len(deck)} of {rules.deck_size}; missing: {names}")


def _with_composition(rules: Rules, deck: Sequence[int]) -> Rules:
    count = Counter(deck)
    for card, copies in count.items():
        if copies > MAX_COPIES:
            name = rules.card_name(card)
            raise DeckError(f"deck: {copies} copies of {name}; at most {MAX_COPIES} are possible")
    needed = rules.players * rules.hand_size
    if len(deck) < needed:
        raise DeckError(
            f"deck: ends after card {len(deck)}; {rules.players} hands of "
            f"{rules.hand_size} cards need {needed}"
        )
    rows = [
        [count[suit * rules.ranks + rank] for rank in range(rules.ranks)]
        for suit in range(rules.suits)
    ]
    return rules.replace(copies=rows)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 // 10 != 1 else 0, "th")
    return f"{number}{ending}"


def is_seed(text: object) -> bool:
    """Return whether a text looks like a seed of hanab.live rather than like cards."""
    return isinstance(text, str) and SEED.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Seed:
    """A hanab.live seed and its rules."""

    text: str
    rules: Rules

    @classmethod
    def read(cls, text: str) -> Seed:
        """Parse a seed; its suffix may be any text except an empty one."""
        match = SEED.fullmatch(text)
        if match is None or not match[3] or len(text) > LONGEST_SEED:
            raise DeckError(f"seed: {text[:80]!r} is not of the form p<players>v<variant>s<text>")
        players, variant = (int(match[part][:LONGEST_NUMBER]) for part in (1, 2))
        if players not in PLAYERS or len(match[1]) > 1:
            raise DeckError(f"seed: {text[:80]}: for 2 to 6 players, not {match[1][:20]}")
        chosen = variant_by_id(variant)
        if chosen is None or len(match[2]) > LONGEST_NUMBER:
            raise RulesError(
                f"seed: {text[:80]}: unknown variant {match[2][:20]}; those of hanab.live are "
                f"numbered 0 to {len(all_variants()) - 1}"
            )
        return cls(text, preset(chosen.name, players))


def shuffle_like_hanab_live(cards: list[int], seed: str) -> None:
    """Shuffle as hanab.live does: Go's generator, seeded with a checksum of the text."""
    try:
        number = crc64(seed.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise DeckError(f"seed: character {error.start + 1} is not text") from None
    rng = GoRandom(number - (number >> 63 << 64))
    for place in range(len(cards)):
        other = rng.below(place + 1)
        cards[place], cards[other] = cards[other], cards[place]


@functools.cache
def _remainders() -> list[int]:
    """Return the CRC table: the remainder for each byte."""
    remainders = []
    for remainder in range(256):
        for _ in range(8):
            remainder = remainder >> 1 ^ POLYNOMIAL * (remainder & 1)
        remainders.append(remainder)
    return remainders


def crc64(data: bytes) -> int:
    """Return the checksum CRC-64/XZ."""
    remainders = _remainders()
    checksum = ALL_ONES
    for byte in data:
        checksum = remainders[(checksum ^ byte) & 0xFF] ^ checksum >> 8
    return checksum ^ ALL_ONES


def choose_rules(
    given: Rules | str | Mapping[str, Any] = "classic",
    players: int | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
    *,
    deck: object = None,
) -> Rules:
    """Return rules from a `Rules`, a preset's name or a dictionary of fields, with changes applied.

    A `deck` that is a hanab.live seed sets the number of players unless it is given, and the
    variant if the rules are the classic ones.
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
