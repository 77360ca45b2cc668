"""Public states: what everyone at the table knows, and the deals that are possible there.

A **deal** is what all players hold now. The draw pile is unknown to everyone, so a deal stands for
every order of the cards that it leaves in the pile: their number is its **weight**. Given what was
played and discarded, a deal determines the order of all cards drawn so far. Two decks with the same
deal and the same history therefore lead to the same actions as long as the pile decides nothing,
and a set of deals says all that a set of decks would.

Seats count from the player to move, who is seat 0. Suits are sorted, and suits of which nothing can
be played any more no longer differ in height, so that games which differ only in names of suits
share their public states.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY
from hanabilab.game.rules import Rules

__all__ = ["Choice", "Deal", "Outcome", "PublicState", "StateKey", "States", "bits_of"]

Hand = tuple[int, ...]
Deal = tuple[Hand, ...]
"""The cards of each seat, oldest first."""

FINISHED = -1
"""Height of a suit of which nothing can be played any more."""


class SuitState(NamedTuple):
    """One suit: its height, and how many cards of each rank are in hands or in the draw pile."""

    height: int
    unseen: tuple[int, ...]


class StateKey(NamedTuple):
    """Everything that is public and matters for the rest of the game."""

    suits: tuple[SuitState, ...]
    score: int
    tokens: int
    lives: int
    turns_left: int
    """Turns after the last draw; -1 while there is a draw pile."""
    cards: tuple[int, ...]
    """How many cards each seat holds."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An action of the player to move: a slot, or a hint to another seat."""

    kind: int
    slot: int = 0
    seat: int = 0
    value: int = 0
    """A suit, or a rank."""


@dataclass(slots=True)
class Outcome:
    """What everyone sees of a choice: the card that it reveals, or the slots that a hint touches.

    `deals` is the set of deals with this outcome. The game ends, and `final` is the score, or it
    continues in `state`. A deal may become any of `counts` deals there, from number `firsts` on:
    a card drawn is the last one of the last hand, so these deals follow one another.
    """

    seen: int
    deals: int
    final: int = 0
    state: PublicState | None = None
    suit_order: tuple[int, ...] = ()
    """For each suit of the next state, the suit it is here."""
    firsts: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def image(self, deals: int) -> int:
        """Return the set of deals that these deals may become."""
        found = 0
        for deal in bits_of(deals):
            found |= ((1 << self.counts[deal]) - 1) << self.firsts[deal]
        return found


def bits_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class PublicState:
    """A public state with its possible deals, what the player to move may see, and the choices."""

    __slots__ = (
        "_states",
        "choices",
        "deals",
        "index",
        "key",
        "legal",
        "number",
        "observations",
        "open_turns",
        "open_values",
        "outcomes",
        "relabellings",
        "symmetries",
        "weights",
    )

    def __init__(self, key: StateKey, states: States) -> None:
        self.key, self._states = key, states
        ranks = states.rules.ranks
        unseen = [count for suit in key.suits for count in suit.unseen]
        self.deals: list[Deal] = list(_deals(unseen, key.cards))
        self.index = {deal: number for number, deal in enumerate(self.deals)}
        self.weights = [_orders(unseen, deal) for deal in self.deals]
        self.observations = self._observations()
        self.choices = list(self._choices(ranks))
        self.legal = [self._legal(choice) for choice in self.choices]
        """For each choice, the set of deals in which it is legal."""
        self.outcomes: list[list[Outcome] | None] = [None] * len(self.choices)
        self.number = -1
        """The number of the state in the tables of a search."""
        self.open_turns: list[int] = []
        """For each deal and choice, the value if all hands are open afterwards; -1 if illegal."""
        self.open_values: list[int] = []
        """For each deal, the value if all hands are open from now on."""
        self.relabellings = _relabellings(key)
        """Every renaming of suits and reordering of slots that changes nothing public."""
        self.symmetries: list[list[int]] | None = None

    def weight(self, deals: int) -> int:
        """Return how many decks a set of deals stands for."""
        return sum(self.weights[number] for number in bits_of(deals))

    def outcomes_of(self, choice: int) -> list[Outcome]:
        """Return the outcomes of a choice."""
        found = self.outcomes[choice]
        if found is None:
            found = self.outcomes[choice] = list(self._outcomes(self.choices[choice]))
        return found

    def _observations(self) -> list[int]:
        """Return the sets of deals that look the same to the player to move."""
        seen: dict[tuple[Hand, ...], int] = {}
        for number, deal in enumerate(self.deals):
            seen[deal[1:]] = seen.get(deal[1:], 0) | 1 << number
        return list(seen.values())

    def _choices(self, ranks: int) -> Iterator[Choice]:
        key, rules = self.key, self._states.rules
        slots = range(key.cards[0])
        yield from (Choice(PLAY, slot) for slot in slots)
        if key.tokens < rules.token_limit or rules.discard_at_full or not rules.token_limit:
            yield from (Choice(DISCARD, slot) for slot in slots)
        if key.tokens:
            for seat in range(1, rules.players):
                for suit in range(len(key.suits)):
                    yield Choice(HINT_SUIT, seat=seat, value=suit)
                for rank in range(1, ranks + 1):
                    yield Choice(HINT_RANK, seat=seat, value=rank)

    def _legal(self, choice: Choice) -> int:
        everything = (1 << len(self.deals)) - 1
        if choice.kind in (PLAY, DISCARD) or self._states.rules.empty_hints:
            return everything
        return sum(
            1 << number
            for number, deal in enumerate(self.deals)
            if self._touched(choice, deal[choice.seat])
        )

    def _touched(self, choice: Choice, hand: Hand) -> int:
        """Return the slots of a hand that a hint touches."""
        ranks, touched = self._states.rules.ranks, 0
        for slot, card in enumerate(hand):
            suit, rank = card // ranks, card % ranks + 1
            touched |= ((suit if choice.kind == HINT_SUIT else rank) == choice.value) << slot
        return touched

    # --- turns ------------------------------------------------------------------------------------

    def _outcomes(self, choice: Choice) -> Iterator[Outcome]:
        """Yield the outcomes of a choice, each with its set of deals."""
        seen: dict[int, int] = {}
        for number in bits_of(self.legal[self.choices.index(choice)]):
            deal = self.deals[number]
            if choice.kind in (PLAY, DISCARD):
                outcome = deal[0][choice.slot]
            else:
                outcome = self._touched(choice, deal[choice.seat])
            seen[outcome] = seen.get(outcome, 0) | 1 << number
        for outcome, deals in seen.items():
            yield self._after(choice, outcome, deals)

    def _after(self, choice: Choice, seen: int, deals: int) -> Outcome:
        """Return what follows a choice and what it revealed."""
        key = self.key
        cards, tokens, lives, score = list(key.cards), key.tokens, key.lives, key.score
        suits, limit = list(key.suits), self._states.rules.token_limit
        rules = self._states.rules
        moved = choice.kind in (PLAY, DISCARD)
        drew = moved and self._pile > 0
        if moved:
            suit, rank = divmod(seen, rules.ranks)
            unseen = list(suits[suit].unseen)
            unseen[rank] -= 1
            height = suits[suit].height
            fits = choice.kind == PLAY and height == rank
            if fits:
                height, score = height + 1, score + 1
                if height == rules.ranks and rules.token_for_suit:
                    tokens = min(limit, tokens + 1)
            elif choice.kind == PLAY:
                lives -= 1
            else:
                tokens = min(limit, tokens + 1)
            suits[suit] = SuitState(height, tuple(unseen))
            cards[0] -= not drew
        else:
            tokens -= 1
        turns_left = key.turns_left - 1 if key.turns_left >= 0 else -1
        if drew and self._pile == 1:
            turns_left = rules.players
        if lives == 0:
            kept = rules.keep_score or (rules.keep_on_last_turn and turns_left == 0)
            return Outcome(seen, deals, final=score if kept else 0)
        if turns_left == 0 or score == rules.max_score:
            return Outcome(seen, deals, final=score)
        cards = [*cards[1:], cards[0]]
        next_key, order = self._states.normal(
            StateKey(tuple(suits), score, tokens, lives, turns_left, tuple(cards))
        )
        state = self._states.get(next_key)
        found = Outcome(seen, deals, state=state, suit_order=order)
        self._set_images(choice, found, state, drew=drew)
        return found

    @property
    def _pile(self) -> int:
        unseen = sum(sum(suit.unseen) for suit in self.key.suits)
        return unseen - sum(self.key.cards)

    def _set_images(
        self, choice: Choice, outcome: Outcome, state: PublicState, *, drew: bool
    ) -> None:
        """Set for each deal the deals of the next state that it may become."""
        renamed = renamed_cards(outcome.suit_order, self._states.rules.ranks)
        outcome.firsts, outcome.counts = [0] * len(self.deals), [0] * len(self.deals)
        unseen = [count for suit in self.key.suits for count in suit.unseen]
        for number in bits_of(outcome.deals):
            deal = self.deals[number]
            own = deal[0]
            if choice.kind in (PLAY, DISCARD):
                own = own[: choice.slot] + own[choice.slot + 1 :]
            others = [tuple([renamed[card] for card in hand]) for hand in deal[1:]]
            kept = tuple([renamed[card] for card in own])
            outcome.counts[number] = 1
            if drew:
                held = [card for hand in deal for card in hand]
                drawn = [renamed[c] for c, count in enumerate(unseen) if count > held.count(c)]
                kept, outcome.counts[number] = (*kept, min(drawn)), len(drawn)
            outcome.firsts[number] = state.index[(*others, kept)]

    # --- symmetries -------------------------------------------------------------------------------

    def canonical(self, deals: int) -> tuple[int, int]:
        """Return the smallest of the equivalent sets of deals, and the number of the symmetry."""
        best, chosen = deals, 0
        for number, places in enumerate(self.permutations()[1:], 1):
            twin = permuted(deals, places)
            if twin < best:
                best, chosen = twin, number
        return best, chosen

    def permutations(self) -> list[list[int]]:
        """Return for each symmetry where it moves each deal; the first one is the identity."""
        if self.symmetries is None:
            self.symmetries = [
                [
                    self.index[relabelled(deal, symmetry, self._states.rules.ranks)]
                    for deal in self.deals
                ]
                for symmetry in self.relabellings
            ]
        return self.symmetries


class Relabelling(NamedTuple):
    """New names: for each suit the one that gets its place, for each seat and slot the old slot."""

    suits: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]


def _relabellings(key: StateKey) -> list[Relabelling]:
    """Return every relabelling of a public state, the identity first."""
    orders = [
        order
        for order in itertools.permutations(range(len(key.suits)))
        if all(key.suits[new] == key.suits[old] for new, old in enumerate(order))
    ]
    slots = [list(itertools.permutations(range(count))) for count in key.cards]
    return [Relabelling(order, hands) for order in orders for hands in itertools.product(*slots)]


def renamed_cards(suit_order: tuple[int, ...], ranks: int) -> list[int]:
    """Return for each card its number in a state whose suits have another order."""
    renamed = [0] * (ranks * len(suit_order))
    for new, old in enumerate(suit_order):
        for rank in range(ranks):
            renamed[old * ranks + rank] = new * ranks + rank
    return renamed


def relabelled(deal: Deal, names: Relabelling, ranks: int) -> Deal:
    """Return a deal under new names."""
    place = {old: new for new, old in enumerate(names.suits)}
    return tuple(
        tuple(place[hand[old] // ranks] * ranks + hand[old] % ranks for old in slots)
        for hand, slots in zip(deal, names.slots, strict=True)
    )


def permuted(deals: int, places: list[int]) -> int:
    """Return a set of deals in which each has moved to its place."""
    found = 0
    while deals:
        low = deals & -deals
        found |= 1 << places[low.bit_length() - 1]
        deals ^= low
    return found


class States:
    """The public states of a game, each made when it is first needed."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._known: dict[StateKey, PublicState] = {}
        self.start, self.start_order = self.normal(self._start())

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: StateKey) -> PublicState:
        """Return the public state with a key in normal form."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = PublicState(key, self)
        return found

    def _start(self) -> StateKey:
        rules = self.rules
        pile = rules.deck_size - rules.players * rules.hand_size
        return StateKey(
            tuple(SuitState(0, row) for row in rules.copies),
            0,
            rules.token_limit,
            rules.deck_size + 1 if rules.lives is None else rules.lives,
            -1 if pile else rules.players,
            (rules.hand_size,) * rules.players,
        )

    def normal(self, key: StateKey) -> tuple[StateKey, tuple[int, ...]]:
        """Return a key in normal form, and for each suit of it which one it was."""
        suits = [_without_height(suit) for suit in key.suits]
        order = sorted(range(len(suits)), key=lambda number: (suits[number], number))
        cards = sum(sum(suit.unseen) for suit in suits)
        plays = min(cards, key.turns_left) if key.turns_left >= 0 else cards
        lives = min(key.lives, plays + 1)  # more than can be lost
        normal = key._replace(suits=tuple(suits[old] for old in order), lives=lives)
        return normal, tuple(order)


def _without_height(suit: SuitState) -> SuitState:
    """Return a suit, as finished if nothing of it can be played any more."""
    done = suit.height == len(suit.unseen) or suit.height < 0 or not suit.unseen[suit.height]
    return SuitState(FINISHED, suit.unseen) if done else suit


def _deals(unseen: list[int], cards: tuple[int, ...]) -> Iterator[Deal]:
    """Yield every way to deal this many of the unseen cards."""
    left = unseen[:]
    held: list[int] = []

    def hand_out(missing: int) -> Iterator[Deal]:
        if not missing:
            places = iter(held)
            yield tuple(tuple(itertools.islice(places, count)) for count in cards)
            return
        for card, count in enumerate(left):
            if count:
                left[card] -= 1
                held.append(card)
                yield from hand_out(missing - 1)
                held.pop()
                left[card] += 1

    yield from hand_out(sum(cards))


def _orders(unseen: list[int], deal: Deal) -> int:
    """Return in how many orders the cards that a deal leaves may lie in the draw pile."""
    left = unseen[:]
    for hand in deal:
        for card in hand:
            left[card] -= 1
    orders = math.factorial(sum(left))
    for count in left:
        orders //= math.factorial(count)
    return orders
