"""Hat guessing: one hint tells every other player a number (Cox et al. 2015, "Hat guessing").

Each hand has a number, its "hat", that everyone but its owner can compute. A hint tells the sum of
all hats but the giver's, modulo the number of ways to give a hint. Each other player subtracts the
visible hats and is left with their own. A way to give a hint is its kind and its target::

    0 … p-2      rank hint to the next player, to the one after, …
    p-1 … 2p-3   suit hint to the next player, to the one after, …

The rank or suit itself is free, so every way is available as long as all other players hold cards.

*Hint sets* are the possible cards of a slot, partitioned by what a hint tells about them (Cox et
al. 2015, Strategy 2, "Partition of the possibilities").
"""

from __future__ import annotations

from hanabilab.core.bits import drop_lowest, lowest, popcount
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.actions import HINT_RANK, Event, rank_hint, suit_hint
from hanabilab.game.cards import MAX_CARDS
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_cards, rank_of
from hanabilab.game.variants import hints_of
from hanabilab.strategies.strategy import PLAYED_SWITCHES, Option

__all__ = [
    "HAT_SWITCHES",
    "INTERPRETATION",
    "PROGRAM",
    "hint_set",
    "hint_set_of",
    "hint_set_with",
    "hint_with",
    "reduce_sum",
    "told_sum",
    "unsupported_by_hats",
    "way_target",
    "ways_to_hint",
    "without_signals",
]

HAT_SWITCHES = PLAYED_SWITCHES | {"reversed_suits"}
"""The switches with which every player can be given a hint of either kind at any time."""
PROGRAM = 1
INTERPRETATION = Option(
    default="paper",
    choices=("paper", "program"),
    tunable=False,
    help="the text, or the authors' program",
)


@kernel
def ways_to_hint(view: View) -> int:
    """Return the number of different values that a hint can tell."""
    return 2 * (view.rules.players - 1)


@kernel
def reduce_sum(view: View, total: int) -> int:
    """Reduce a sum of hats modulo the number of ways; with eight ways (five players), by a mask."""
    ways = ways_to_hint(view)
    if ways & (ways - 1) == 0:
        return total & (ways - 1)
    return total % ways


@kernel
def told_sum(view: View, event: Event) -> int:
    """Return the number that a hint told."""
    offset = event.target - event.player
    if offset < 0:
        offset += view.rules.players
    return offset - 1 if event.kind == HINT_RANK else view.rules.players - 2 + offset


@kernel
def way_target(view: View, way: int) -> int:
    """Return the player to whom a hint must go in order to tell a number."""
    offset = way + 1 if way < view.rules.players - 1 else way + 2 - view.rules.players
    target = view.player + offset
    return target if target < view.rules.players else target - view.rules.players


@kernel
def hint_with(view: View, way: int, card: int) -> int:
    """Return the hint given in this way that touches `card` in the target's hand."""
    target = way_target(view, way)
    suit = view.rules.suit_of[card]
    if view.rules.special_hints:
        ranks = view.rules.hint_bits[card] >> view.rules.suits
        if way < view.rules.players - 1:
            return rank_hint(view, target, lowest(ranks) + 1)
        suit = lowest(view.rules.hint_bits[card])
    if way < view.rules.players - 1:
        return rank_hint(view, target, card - suit * view.rules.ranks + 1)
    return suit_hint(view, target, suit)


def unsupported_by_hats(rules: Rules) -> str | None:
    """Return why a hat strategy cannot play these rules, or None."""
    if reason := without_signals(rules):
        return reason
    untouched = cards_without_hint(rules)
    for kind, cards in untouched.items():
        if cards:
            words = rules.names.words(lowest(cards))
            return (
                f"it must be able to give a {kind} hint about every card, and none touches {words}"
            )
    return None


def without_signals(rules: Rules) -> str | None:
    """Return why hats cannot be told by the kinds of hints in these rules, or None."""
    if rules.open_game:
        return "it communicates by hints, and an open game has none"
    if rules.hand_size < 2 or not rules.deck_ends:
        return "a player may have no card left to be given a hint about"
    for kind, cards in cards_without_hint(rules).items():
        if cards == (1 << rules.kinds) - 1:
            return f"it communicates by suit hints and rank hints, and {kind} hints touch no card"
    return None


def cards_without_hint(rules: Rules) -> dict[str, int]:
    """Return the cards that no suit hint, and those that no rank hint touches."""
    suits = (1 << rules.suits) - 1
    untouched = {"suit": 0, "rank": 0}
    if rules.special_hints:
        for card, bits in enumerate(hints_of(rules).of_card):
            untouched["suit"] |= (bits & suits == 0) << card
            untouched["rank"] |= (bits & ~suits == 0) << card
    return untouched


# --- hint sets ------------------------------------------------------------------------------------


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
    """Return the number of cards with a hint set of their own, and the size of the other sets.

    There are as many singletons as possible while no other set has more cards than there are ways
    to give a hint, so that a second hint identifies the card. If that is impossible, there are no
    singletons, and the other sets have the smallest size that fits.
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
    """Return the position of `card` among `cards`, ordered by rank, then suit."""
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
    """Return the cards between two positions, ordered by rank, then suit."""
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
