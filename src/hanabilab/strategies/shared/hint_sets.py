"""Hint sets: the possible cards of a slot, partitioned by what a hint tells about them.

(Cox et al. 2015, Strategy 2, "Partition of the possibilities")
"""

from __future__ import annotations

from hanabilab.core.bits import drop_lowest, popcount
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.cards import MAX_CARDS
from hanabilab.game.state import View, rank_cards, rank_of
from hanabilab.strategies.shared.hat_guessing import ways_to_hint

__all__ = ["hint_set", "hint_set_of", "hint_set_with"]


@kernel
def hint_set_of(view: View, possible: int, card: int) -> int:
    """Return the number of the hint set that contains a card ("Partition of the possibilities")."""
    number, _ = hint_set_with(view, possible, card)
    return number


@inlined
@kernel
def hint_set_with(view: View, possible: int, card: int) -> tuple[int, int]:
    """Return the number and the cards of the hint set that contains a card."""
    dead = possible & view.played
    first = 1 if dead else 0
    if (dead >> card) & 1:
        return 0, dead
    alive = possible ^ dead
    singles, block = partition(view, popcount(alive), first)
    place = rank_major_place(view, alive, card)
    if place < singles and (alive >> card) & 1:
        return first + place, 1 << card
    if place < singles:  # misled: the card was not thought possible
        return first + place, cards_between(view, alive, place, place + 1)
    number = min(first + singles + (place - singles) // block, ways_to_hint(view) - 1)
    start = singles + (number - first - singles) * block
    return number, cards_between(view, alive, start, start + block)


@inlined
@kernel
def partition(view: View, alive: int, first: int) -> tuple[int, int]:
    """Return how many cards get a hint set of their own, and how large the other sets are.

    There are as many singletons as possible while no other set has more cards than there are ways
    to give a hint, so that a second hint identifies the card; failing that, there are none, and
    the other sets have the smallest size that fits.
    """
    ways = ways_to_hint(view)
    sets = ways - first
    if alive <= sets:
        return alive, 1
    if alive <= ways * sets:
        return (ways * sets - alive) // (ways - 1), ways
    return 0, (alive + sets - 1) // sets


@kernel
def rank_major_place(view: View, cards: int, card: int) -> int:
    """Count how many of `cards` come before `card` in the order of ranks, then suits."""
    rank = rank_of(view, card)
    lower_ranks = view.rules.rank_pattern * ((1 << (rank - 1)) - 1)
    lower_suits = rank_cards(view, rank) & ((1 << card) - 1)
    return popcount(cards & lower_ranks) + popcount(cards & lower_suits)


@kernel
def hint_set(view: View, possible: int, number: int) -> int:
    """Return the cards of a hint set."""
    dead = possible & view.played
    first = 1 if dead else 0
    if number < first:
        return dead
    alive = possible ^ dead
    singles, block = partition(view, popcount(alive), first)
    number -= first
    start = number if number < singles else singles + (number - singles) * block
    end = start + (1 if number < singles else block)
    return cards_between(view, alive, start, end)


@inlined
@kernel
def cards_between(view: View, cards: int, start: int, end: int) -> int:
    """Return the cards from one place up to another in the order of ranks, then suits."""
    start, end = min(start, MAX_CARDS), min(end, MAX_CARDS)
    chosen = 0
    of_rank = view.rules.rank_pattern
    for _ in range(view.rules.ranks):
        these = cards & of_rank
        count = popcount(these)
        chosen |= drop_lowest(these, start) ^ drop_lowest(these, end)
        start = max(start - count, 0)
        end = max(end - count, 0)
        of_rank <<= 1
    return chosen
