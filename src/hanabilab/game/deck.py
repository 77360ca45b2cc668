"""Decks: from a seed and a game number, or card by card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from hanabilab.checks import is_whole, whole_number
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Dice, shuffle, stream
from hanabilab.core.types import Ints
from hanabilab.display import Displayable
from hanabilab.errors import DeckError
from hanabilab.game.rules import MAX_COPIES, Rules, preset
from hanabilab.game.seeds import Seed, shuffle_like_hanab_live

__all__ = ["COINS", "Deck", "box", "shuffle_deck"]

DECK, COINS = 0, 1
"""Purposes of random streams: a game's deck; from COINS on, the strategy of each player."""

MAX_SEED = (1 << 62) - 1


@kernel
def shuffle_deck(deck: Ints, cards: Ints, dice: Dice, seed: int, game: int) -> None:
    """Shuffle game `game` of seed `seed`: the same deck for every strategy, on every machine."""
    for place in range(len(cards)):
        deck[place] = cards[place]
    dice.stream = stream(seed, game, DECK)
    shuffle(deck, dice)


def box(rules: Rules) -> list[int]:
    """Return the cards of these rules in order, as they come out of the box."""
    return [
        suit * rules.ranks + rank
        for suit, row in enumerate(rules.copies)
        for rank, copies in enumerate(row)
        for _ in range(copies)
    ]


@dataclass(frozen=True, slots=True, repr=False)
class Deck(Displayable, Sequence[int]):
    """A shuffled deck, first card first, with the rules that it is meant for.

    Player 0 gets the first cards as slots 0, 1, …, then player 1, and so on.
    """

    rules: Rules
    cards: tuple[int, ...]

    @classmethod
    def shuffled(
        cls, rules: Rules | None = None, *, seed: int = 0, game: int = 0, **choice: Any
    ) -> Deck:
        """Return the deck of a seed and a game number.

        Without `rules` the keywords choose them: ``Deck.shuffled(players=2, seed=7)``.
        """
        rules = rules or preset(choice.pop("preset", "classic"), **choice)
        seed, game = check_seed("seed", seed), check_seed("game", game)
        cards = box(rules)
        deck = cards[:]
        shuffle_deck(deck, cards, Dice(), seed, game)
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
        same = ("ranks", "copies", "touching")
        if any(getattr(rules, field) != getattr(found.rules, field) for field in same):
            raise DeckError(
                f"seed: {found.text} is for {found.rules.preset}, and the rules have other suits"
            )
        cards = box(rules)
        shuffle_like_hanab_live(cards, found.text)
        return cls(rules, tuple(cards))

    @classmethod
    def of(cls, rules: Rules, cards: Iterable[int], *, any_deck: bool = False) -> Deck:
        """Return a deck given card by card, checked against the rules.

        With `any_deck` its own composition takes the place of the one in the rules.
        """
        most = rules.max_score - 1
        numbers = []
        for place, card in enumerate(cards, 1):
            if not is_whole(card):
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
    return whole_number(name, number, 0, MAX_SEED, error=DeckError)


def _check_composition(rules: Rules, deck: Sequence[int]) -> None:
    seen: Counter[int] = Counter()
    allowed = Counter(box(rules))
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
