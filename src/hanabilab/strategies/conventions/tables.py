"""What everyone knows about every card in hand, and what the agreements say on top of it.

For each slot there are two sets of cards. `possible` follows from the words of hints and from
counting: it is certain. `inferred` follows from the agreements: it is withdrawn as soon as the two
contradict each other. What a player takes a card to be is their common part (`meaning`).

`observe` sees the table after a turn, but an action must be read by the table before it. So the
status of the cards is kept here.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS, PLANES, any_copy, take_copy, without_bit
from hanabilab.game.state import View
from hanabilab.strategies.cheat import NONE
from hanabilab.strategies.conventions.agreements import GOOD_TOUCH, Agreed

__all__ = [
    "NONE",
    "Beliefs",
    "drop_slot",
    "highest",
    "meaning",
    "meaning_of",
    "open_tables",
    "pointed_at",
    "settle",
    "successors",
    "withdraw",
]


class Beliefs(Agreed):
    """The table as it stood before the next turn, and what the agreements made of it."""

    possible: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the cards that hints and counting allow."""
    inferred: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the cards that the agreements allow."""
    source: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, 1 + the player whose hint said what it is, or touched it first."""
    touched: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a hint has touched."""
    promised: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots of which a hint said that they can be played."""
    called: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a prompt or a finesse calls for."""
    kept: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a warning protects."""
    waiting: list[int] = ints(MAX_PLAYERS)
    """For each player, what a hinted card may be if somebody answers a call first."""
    waiting_slot: list[int] = ints(MAX_PLAYERS)
    """For each player, the slot of that card."""
    unaccounted: list[int] = ints(PLANES)
    """Copies neither on the table nor identified in a hand, as bit planes."""
    identified: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots with one possible card, whose copy is accounted for."""
    playable: int
    dead: int
    critical: int
    tokens: int
    pile: int


@kernel
def open_tables(view: View, memory: Beliefs) -> None:
    """Start with every card possible in every slot."""
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            memory.possible[player][slot] = view.rules.all_cards
            memory.inferred[player][slot] = view.rules.all_cards
    settle(view, memory)


@kernel
def drop_slot(view: View, memory: Beliefs, player: int, slot: int, drew: int) -> None:
    """Follow a card that left a hand: the younger ones move down, and a new one may come."""
    last = view.hand_count[player] - drew
    for younger in range(slot, last):
        memory.possible[player][younger] = memory.possible[player][younger + 1]
        memory.inferred[player][younger] = memory.inferred[player][younger + 1]
        memory.source[player][younger] = memory.source[player][younger + 1]
    memory.possible[player][last] = view.rules.all_cards
    memory.inferred[player][last] = view.rules.all_cards
    memory.source[player][last] = 0
    memory.promised[player] = without_bit(memory.promised[player], slot)
    memory.called[player] = without_bit(memory.called[player], slot)
    memory.kept[player] = without_bit(memory.kept[player], slot)
    memory.waiting[player] = 0


@kernel
def settle(view: View, memory: Beliefs) -> None:
    """Count again after a turn, withdraw what was false, and keep the status of the cards."""
    memory.playable = view.playable & ~view.dead
    memory.dead = view.dead
    memory.critical = view.critical
    memory.tokens = view.hint_tokens
    memory.pile = view.draw_pile
    for plane in range(PLANES):
        memory.unaccounted[plane] = view.left[plane]
    for player in range(view.rules.players):
        memory.identified[player] = 0
        memory.touched[player] = view.suit_hinted[player] | view.rank_hinted[player]
        for slot in range(view.hand_count[player]):
            memory.possible[player][slot] &= view.possible[player][slot]
    while account(view, memory):
        pass
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            cards = memory.possible[player][slot] & memory.inferred[player][slot]
            too_late = memory.called[player] >> slot & 1 and cards & memory.playable == 0
            if cards == 0 or too_late:
                withdraw(view, memory, player, slot)


@kernel
def account(view: View, memory: Beliefs) -> bool:
    """Rule out cards without an unaccounted copy; tell whether that identified another card."""
    cards = any_copy(memory.unaccounted)
    found = False
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            if not memory.identified[player] >> slot & 1:
                possible = memory.possible[player][slot] & cards
                memory.possible[player][slot] = possible
                if possible != 0 and is_single(possible):
                    found = True
                    memory.identified[player] |= 1 << slot
                    take_copy(memory.unaccounted, lowest(possible))
                    cards &= any_copy(memory.unaccounted)
    return found


@kernel
def withdraw(view: View, memory: Beliefs, player: int, slot: int) -> None:
    """Take back what the agreements said about a card: the words of the hints remain."""
    memory.inferred[player][slot] = view.rules.all_cards
    memory.promised[player] &= ~(1 << slot)
    memory.called[player] &= ~(1 << slot)
    memory.kept[player] &= ~(1 << slot)


@kernel
def pointed_at(memory: Beliefs, player: int) -> int:
    """Return the slots of a player that a hint touched or a call means."""
    return memory.touched[player] | memory.called[player]


@kernel
def meaning_of(memory: Beliefs, possible: int, inferred: int, touched: int) -> int:
    """Return what a card is taken to be; by good touch a touched card is not dead."""
    cards = possible & inferred
    if cards == 0:
        cards = possible
    if touched and memory.agreed & GOOD_TOUCH and cards & ~memory.dead:
        cards &= ~memory.dead
    return cards


@kernel
def meaning(memory: Beliefs, player: int, slot: int) -> int:
    """Return the cards that everyone takes a slot to be."""
    return meaning_of(
        memory,
        memory.possible[player][slot],
        memory.inferred[player][slot],
        pointed_at(memory, player) >> slot & 1,
    )


@kernel
def successors(view: View, cards: int) -> int:
    """Return the cards that follow these on their fireworks."""
    return (cards << 1) & ~view.rules.rank_pattern & view.rules.all_cards


@kernel
def highest(slots: int) -> int:
    """Return the youngest of some slots."""
    top = 0
    while slots > 1:
        slots >>= 1
        top += 1
    return top
