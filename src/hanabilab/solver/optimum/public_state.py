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

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY
from hanabilab.game.rules import Rules
from hanabilab.solver.optimum.deals import Choice, Deal, DealSpace, Images, bits_of

__all__ = ["Outcome", "PublicState", "Relabelling", "StateKey", "States"]

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


@dataclass(slots=True)
class Outcome:
    """What everyone sees of a choice: the card that it reveals, or the slots that a hint touches.

    `deals` is the set of deals with this outcome. The game ends, and `final` is the score, or it
    continues in `state`, where `images` tells what each of these deals may become.
    """

    seen: int
    deals: int
    final: int = 0
    state: PublicState | None = None
    suit_order: tuple[int, ...] = ()
    """For each suit of the next state, the suit it is here."""
    images: Images | None = None

    def image(self, deals: int) -> int:
        """Return the set of deals that these deals may become."""
        assert self.images is not None, "the game has ended"
        firsts, counts = self.images
        found = 0
        for deal in bits_of(deals):
            found |= ((1 << counts[deal]) - 1) << firsts[deal]
        return found


class Turn(NamedTuple):
    """What follows a turn: the final score, or the next state with its suits."""

    final: int
    state: PublicState | None = None
    suit_order: tuple[int, ...] = ()


class PublicState:
    """A public state with its possible deals, what the player to move may see, and the choices."""

    __slots__ = (
        "_outcomes",
        "_states",
        "_turns",
        "choices",
        "key",
        "number",
        "space",
        "symmetries",
        "twins",
    )

    def __init__(self, key: StateKey, states: States) -> None:
        self.key, self._states = key, states
        self.space = states.space(key)
        """The deals, shared with other states."""
        self.choices = states.choices(key)
        self._outcomes: list[list[Outcome] | None] = [None] * len(self.choices)
        self._turns: dict[tuple[int, int], Turn] = {}
        self.number = -1
        """The number of the state in the tables of a search."""
        self.twins = tuple([key.suits.index(suit) for suit in key.suits])
        """For each suit, the first one that differs from it only in name."""
        self.symmetries: list[list[int]] | None = None

    @property
    def deals(self) -> list[Deal]:
        """All deals of the state; a set of deals has a bit for each of them."""
        return self.space.deals

    @property
    def observations(self) -> list[int]:
        """The sets of deals that look the same to the player to move."""
        return self.space.observations

    @property
    def relabellings(self) -> tuple[Relabelling, ...]:
        """Every renaming of suits and reordering of slots that changes nothing public."""
        return _relabellings(self.twins, self.key.cards)

    def weight(self, deals: int) -> int:
        """Return how many decks a set of deals stands for."""
        return sum(self.space.weights[number] for number in bits_of(deals))

    def outcomes_of(self, choice: int) -> list[Outcome]:
        """Return the outcomes of a choice."""
        found = self._outcomes[choice]
        if found is None:
            found = self._outcomes[choice] = list(self._new_outcomes(self.choices[choice]))
        return found

    def next_states(self) -> list[PublicState]:
        """Return the states that follow any choice."""
        for choice in range(len(self.choices)):
            self.outcomes_of(choice)
        return [turn.state for turn in self._turns.values() if turn.state is not None]

    # --- turns ------------------------------------------------------------------------------------

    def _new_outcomes(self, choice: Choice) -> Iterator[Outcome]:
        """Yield the outcomes of a choice, each with its set of deals."""
        moves_card, empty_hints = choice.moves_card, self._states.rules.empty_hints
        for seen, deals in self.space.revealed(choice).items():
            if seen or moves_card or empty_hints:
                final, state, order = self._turn(choice.kind, seen if moves_card else 0)
                images = None
                if state is not None:
                    images = self.space.images(choice, seen, order, state.space)
                yield Outcome(seen, deals, final, state, order, images)

    def _turn(self, kind: int, card: int) -> Turn:
        """Return what follows a play or discard of a card, or a hint."""
        key = (min(kind, HINT_SUIT), card)  # all hints lead to the same state
        found = self._turns.get(key)
        if found is None:
            moves_card = kind in (PLAY, DISCARD)
            after = self._after_card(kind, card) if moves_card else self._after_hint()
            found = self._turns[key] = self._ended(after) or self._continued(after)
        return found

    def _after_hint(self) -> StateKey:
        suits, score, tokens, lives, _, cards = self.key
        return StateKey(suits, score, tokens - 1, lives, self._turns_left(0), cards)

    def _after_card(self, kind: int, card: int) -> StateKey:
        """Return what is public after a play or a discard, with seats as they were."""
        rules, key = self._states.rules, self.key
        suit, rank = divmod(card, rules.ranks)
        height, unseen = key.suits[suit]
        tokens, lives, score, cards = key.tokens, key.lives, key.score, key.cards
        if kind == DISCARD:
            tokens += 1
        elif height == rank:
            height, score = height + 1, score + 1
            tokens += height == rules.ranks and rules.token_for_suit
        else:
            lives -= 1
        left = (*unseen[:rank], unseen[rank] - 1, *unseen[rank + 1 :])
        suits = (*key.suits[:suit], SuitState(height, left), *key.suits[suit + 1 :])
        drawn = int(self.space.pile > 0)
        cards = (cards[0] - 1 + drawn, *cards[1:])
        tokens = min(rules.token_limit, tokens)
        return StateKey(suits, score, tokens, lives, self._turns_left(drawn), cards)

    def _turns_left(self, drawn: int) -> int:
        """Return how many turns remain after this one; -1 while there is a draw pile."""
        if drawn and self.space.pile == 1:
            return self._states.rules.players
        return self.key.turns_left - 1 if self.key.turns_left >= 0 else -1

    def _ended(self, after: StateKey) -> Turn | None:
        """Return the final score if the game has ended."""
        rules = self._states.rules
        if not after.lives:
            kept = rules.keep_score or (rules.keep_on_last_turn and after.turns_left == 0)
            return Turn(after.score if kept else 0)
        is_over = after.turns_left == 0 or after.score == rules.max_score
        return Turn(after.score) if is_over else None

    def _continued(self, after: StateKey) -> Turn:
        """Return the next state, in which the next player is seat 0."""
        suits, score, tokens, lives, turns_left, (mover, *others) = after
        turned = StateKey(suits, score, tokens, lives, turns_left, (*others, mover))
        key, order = self._states.normal(turned)
        return Turn(0, self._states.get(key), order)

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
                    self.space.index[relabelled(deal, symmetry, self._states.rules.ranks)]
                    for deal in self.deals
                ]
                for symmetry in self.relabellings
            ]
        return self.symmetries


class Relabelling(NamedTuple):
    """New names: for each suit the one that gets its place, for each seat and slot the old slot."""

    suits: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]


@functools.lru_cache(1024)
def _relabellings(twins: tuple[int, ...], cards: tuple[int, ...]) -> tuple[Relabelling, ...]:
    """Return every relabelling of a public state, the identity first."""
    orders = [
        order
        for order in itertools.permutations(range(len(twins)))
        if all(twins[new] == twins[old] for new, old in enumerate(order))
    ]
    slots = [list(itertools.permutations(range(count))) for count in cards]
    return tuple(
        Relabelling(order, hands) for order in orders for hands in itertools.product(*slots)
    )


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
        self._spaces: dict[tuple[tuple[tuple[int, ...], ...], tuple[int, ...]], DealSpace] = {}
        self._choices: dict[tuple[int, bool, bool], list[Choice]] = {}
        self._sorted: dict[
            tuple[SuitState, ...], tuple[tuple[SuitState, ...], tuple[int, ...], int]
        ] = {}
        self.start, self.start_order = self.normal(self._start())

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: StateKey) -> PublicState:
        """Return the public state with a key in normal form."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = PublicState(key, self)
        return found

    def space(self, key: StateKey) -> DealSpace:
        """Return the deals of a public state."""
        about = (tuple([suit.unseen for suit in key.suits]), key.cards)
        found = self._spaces.get(about)
        if found is None:
            found = self._spaces[about] = DealSpace(*about)
        return found

    def choices(self, key: StateKey) -> list[Choice]:
        """Return the choices in a public state; a hint may be illegal in some of its deals."""
        limit = self.rules.token_limit
        can_discard = key.tokens < limit or self.rules.discard_at_full or not limit
        about = (key.cards[0], can_discard, key.tokens > 0)
        found = self._choices.get(about)
        if found is None:
            found = self._choices[about] = list(self._new_choices(*about))
        return found

    def _new_choices(self, cards: int, can_discard: bool, can_hint: bool) -> Iterator[Choice]:
        yield from (Choice(PLAY, slot) for slot in range(cards))
        if can_discard:
            yield from (Choice(DISCARD, slot) for slot in range(cards))
        if can_hint:
            for seat in range(1, self.rules.players):
                for suit in range(self.rules.suits):
                    yield Choice(HINT_SUIT, seat=seat, value=suit)
                for rank in range(1, self.rules.ranks + 1):
                    yield Choice(HINT_RANK, seat=seat, value=rank)

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
        found = self._sorted.get(key.suits)
        if found is None:
            found = self._sorted[key.suits] = _sorted_suits(key.suits)
        suits, order, cards = found
        plays = min(cards, key.turns_left) if key.turns_left >= 0 else cards
        lives = min(key.lives, plays + 1)  # more than can be lost
        _, score, tokens, _, turns_left, held = key
        return StateKey(suits, score, tokens, lives, turns_left, held), order


def _sorted_suits(
    suits: tuple[SuitState, ...],
) -> tuple[tuple[SuitState, ...], tuple[int, ...], int]:
    """Return suits in normal form, for each of them which one it was, and their unseen cards."""
    normal = [_without_height(suit) for suit in suits]
    order = sorted(range(len(suits)), key=lambda number: (normal[number], number))
    cards = sum(sum(suit.unseen) for suit in suits)
    return tuple(normal[old] for old in order), tuple(order), cards


def _without_height(suit: SuitState) -> SuitState:
    """Return a suit, as finished if nothing of it can be played any more."""
    done = suit.height == len(suit.unseen) or suit.height < 0 or not suit.unseen[suit.height]
    return SuitState(FINISHED, suit.unseen) if done else suit
