"""Follow an optimal plan through a game, and add up the scores that it reaches.

A search names suits and orders slots in its own way, so that symmetric beliefs are the same one.
`PlanFollower` translates to and from the names at the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

from hanabilab.game.actions import HINT_SUIT
from hanabilab.solver.optimum.deals import Choice, Deal, bits_of
from hanabilab.solver.optimum.public_state import Outcome, PublicState
from hanabilab.solver.optimum.search import Belief, Search

__all__ = ["PlanFollower", "score_counts"]

Hands = Sequence[Sequence[int]]


class PlanFollower:
    """The common knowledge of a team that follows an optimal plan, turn by turn.

    Seats count from the player to move; suits and slots are those at the table. A turn that the
    plan does not contain, by a partner who does not follow it, is understood as one that reveals
    nothing but its outcome.
    """

    __slots__ = ("belief", "search", "slots", "suits")

    def __init__(self, search: Search) -> None:
        self.search = search
        rules = search.states.rules
        self.suits = search.states.start_order
        """For each suit of the belief, the suit at the table."""
        self.slots = [tuple(range(rules.hand_size))] * rules.players
        """For each seat, and for each of its slots in the belief, the slot at the table."""
        state = search.states.get(search.states.start)
        self._believe(state, (1 << len(state.deals)) - 1)

    def copy(self) -> Self:
        """Return a follower that continues from the same turn."""
        twin = type(self).__new__(type(self))
        twin.search, twin.belief = self.search, self.belief
        twin.suits, twin.slots = self.suits, self.slots[:]
        return twin

    def _believe(self, state: PublicState, deals: int) -> None:
        """Take over a belief, with the names of its normal form."""
        _, number = state.canonical(deals)
        names = state.relabellings[number]
        self.suits = tuple(self.suits[old] for old in names.suits)
        self.slots = [
            tuple(slots[old] for old in order)
            for slots, order in zip(self.slots, names.slots, strict=True)
        ]
        self.belief: Belief = self.search.belief(state, deals)

    def choose(self, others: Hands) -> Choice:
        """Return the choice of the player to move, who sees the hands of the other seats."""
        seen, state = self._translate(others), self.belief.state
        for choice, deals in self.search.plan(self.belief).items():
            if any(state.deals[number][1:] == seen for number in bits_of(deals)):
                return self._at_table(state.choices[choice])
        return self._at_table(state.choices[self._without_plan(seen)])

    def deals_left(self, choice: Choice) -> int:
        """Return in how many deals of the belief the plan has a choice at the table."""
        number = self.belief.state.choices.index(self._in_belief(choice))
        return self.search.plan(self.belief).get(number, 0).bit_count()

    def _without_plan(self, seen: Deal) -> int:
        """Return the best choice if all hands were open after it: someone left the plan."""
        state = self.belief.state
        everything = sum(1 << number for number, deal in enumerate(state.deals) if deal[1:] == seen)
        return self.search.open_choice(state, everything)

    def advance(self, choice: Choice, seen: int) -> None:
        """Follow a turn: the choice, and the card that it revealed or the slots that it touched.

        Nothing changes if the turn ended the game.
        """
        state, known = self.belief.state, self._in_belief(choice)
        number = state.choices.index(known)
        outcome = self._outcome(number, known, seen)
        if outcome.state is None:
            return
        deals = outcome.deals & self.search.plan(self.belief).get(number, 0)
        deals = deals or outcome.deals & self.belief.deals or outcome.deals
        slots = self.slots[0]
        if choice.moves_card:
            slots = _after_removal(slots, choice.slot)
            slots += (len(slots),) * (len(slots) < outcome.state.key.cards[-1])
        self.slots = [*self.slots[1:], slots]
        self.suits = tuple(self.suits[old] for old in outcome.suit_order)
        self._believe(outcome.state, outcome.image(deals))

    def _outcome(self, number: int, known: Choice, seen: int) -> Outcome:
        """Return the outcome of a choice with what was seen at the table."""
        if known.moves_card:
            wanted = self._card(seen)
        else:
            slots = self.slots[known.seat]
            wanted = sum(1 << new for new, old in enumerate(slots) if seen >> old & 1)
        outcomes = self.belief.state.outcomes_of(number)
        return next(outcome for outcome in outcomes if outcome.seen == wanted)

    def _card(self, card: int) -> int:
        """Return the number that a card has in the belief."""
        suit, rank = divmod(card, self.search.states.rules.ranks)
        return self.suits.index(suit) * self.search.states.rules.ranks + rank

    def _translate(self, others: Hands) -> Deal:
        """Return hands at the table as the hands of the belief."""
        return tuple(
            tuple(self._card(hand[old]) for old in slots)
            for hand, slots in zip(others, self.slots[1:], strict=True)
        )

    def _at_table(self, choice: Choice) -> Choice:
        """Return a choice of the belief with the names at the table."""
        if choice.moves_card:
            return Choice(choice.kind, slot=self.slots[0][choice.slot])
        value = self.suits[choice.value] if choice.kind == HINT_SUIT else choice.value
        return Choice(choice.kind, seat=choice.seat, value=value)

    def _in_belief(self, choice: Choice) -> Choice:
        """Return a choice at the table with the names of the belief."""
        if choice.moves_card:
            return Choice(choice.kind, slot=self.slots[0].index(choice.slot))
        value = self.suits.index(choice.value) if choice.kind == HINT_SUIT else choice.value
        return Choice(choice.kind, seat=choice.seat, value=value)


def _after_removal(slots: tuple[int, ...], removed: int) -> tuple[int, ...]:
    """Return slots after one was emptied: the younger cards move down."""
    return tuple(slot - (slot > removed) for slot in slots if slot != removed)


def score_counts(search: Search, belief: Belief) -> Counter[int]:
    """Return how many decks end with each score if the team follows the plan."""
    known: dict[Belief, Counter[int]] = {}

    def count(belief: Belief) -> Counter[int]:
        if belief not in known:
            known[belief] = Counter()
            for choice, deals in search.plan(belief).items():
                for outcome in belief.state.outcomes_of(choice):
                    if here := deals & outcome.deals:
                        known[belief].update(after(belief.state, outcome, here))
        return known[belief]

    def after(state: PublicState, outcome: Outcome, deals: int) -> Counter[int]:
        if outcome.state is None:
            return Counter({outcome.final: state.weight(deals)})
        return count(search.belief(outcome.state, outcome.image(deals)))

    return count(belief)
