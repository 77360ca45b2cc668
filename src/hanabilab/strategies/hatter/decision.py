"""The decision between playing, hinting and discarding, shared by both strategies.

A player first infers what their own cards may be (*private information*). A player sees the other
hands, so fewer copies are unseen than are publicly unaccounted for. The sets of possible cards
shrink accordingly until nothing changes: a slot identified in this way takes a copy away from the
others.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import can_discard, discard_slot, play_slot
from hanabilab.game.cards import PLANES, any_copy, card_in, take_copy, weight
from hanabilab.game.state import View, pace, rank_cards, rank_of
from hanabilab.strategies.hatter.memory import HatterMemory
from hanabilab.strategies.hatter.signals import coding_slots, give_hint
from hanabilab.strategies.hatter.tables import (
    CERTAIN,
    mean_rank,
    narrow,
    share,
    share_of,
    slots_within,
    useless_slots,
)
from hanabilab.strategies.strategy import NONE, Option

__all__ = [
    "best_play",
    "card_worth",
    "decision_options",
    "discard_options",
    "gamble",
    "gamble_at_the_end",
    "hint_or_discard",
    "infer_own_cards",
    "likeliest_play",
    "own_chance",
]

CRITICAL = -100
"""The worth of discarding a critical card, which outweighs everything else."""
ENOUGH_TOKENS = 2
"""Tokens that are never spent to spare a card that is merely useful."""


# --- the player's own hand ------------------------------------------------------------------------


@kernel
def infer_own_cards(view: View, memory: HatterMemory) -> None:
    """Infer what the player's own cards may be.

    A table that the visible cards contradict is not believed, nor any table on the last life once
    one was false; the literal meaning of the hints always holds.
    """
    tables = memory.tables
    public = tables.public[view.observer]
    if tables.proved_false and view.lives == 1:
        inferred = False
    elif count_other_cards(view, memory):
        inferred = narrow_own(view, memory, public, tables.identified[view.observer])
    else:
        count_cards(view, memory)
        inferred = narrow_own(view, memory, public, 0)
    if not inferred:
        count_cards(view, memory)
        narrow_own(view, memory, view.possible[view.observer], 0)


@kernel
def count_other_cards(view: View, memory: HatterMemory) -> bool:
    """Do what `count_cards` does, but leave out the copies of the player's identified cards too.

    The tables account for all identified cards, so only the others in sight are counted. Return
    False if these hands contradict the tables, or if some card may have more than three copies.
    """
    tables, private = memory.tables, memory.private
    ones = tables.unaccounted[0]
    twos = tables.unaccounted[1]
    elsewhere = 0
    wrong = 0
    for player in range(view.rules.players):
        held = 0
        if player != view.observer:
            hand = view.hands[player]
            public = tables.public[player]
            identified = tables.identified[player]
            for slot in range(view.hand_count[player]):  # without branches, as in `narrow`
                card = 1 << card_in(hand, slot)
                known = -(identified >> slot & 1)
                held |= card
                wrong |= known & (public[slot] ^ card)  # not the card that it is taken for
                card &= ~known
                wrong |= card & ~(ones | twos)  # more copies than there are
                ones ^= card
                twos ^= card & ones
        private.held[player] = held
        elsewhere |= held
    for plane in range(2, PLANES):
        private.unseen[plane] = 0
    private.unseen[0] = ones
    private.unseen[1] = twos
    private.elsewhere = elsewhere
    private.in_sight = elsewhere
    return wrong == 0 and view.rules.planes <= 2


@kernel
def count_cards(view: View, memory: HatterMemory) -> None:
    """Record who holds what, and how many copies of each card remain unseen."""
    private = memory.private
    for plane in range(PLANES):
        private.unseen[plane] = view.left[plane]
    private.elsewhere = 0
    for player in range(view.rules.players):
        private.held[player] = 0
        if player != view.observer:
            for slot in range(view.hand_count[player]):
                card = card_in(view.hands[player], slot)
                take_copy(private.unseen, card)
                private.held[player] |= 1 << card
        private.elsewhere |= private.held[player]
    private.in_sight = private.elsewhere


@kernel
def narrow_own(view: View, memory: HatterMemory, known: list[int], identified: int) -> bool:
    """Narrow the slots by the unseen copies; return False if nothing is left for one of them.

    The copies of the `identified` slots are not among the unseen ones.
    """
    cards = view.hand_count[view.observer]
    private = memory.private.possible
    in_sight = memory.private.in_sight
    contradicted = False
    for slot in range(cards):
        private[slot] = known[slot]
        in_sight |= known[slot] & -(identified >> slot & 1)
        contradicted |= known[slot] == 0
    if contradicted:
        return False
    memory.private.in_sight = in_sight
    available = any_copy(memory.private.unseen)
    slots = narrow(private, cards, identified, available)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        card = private[slot]
        if card == 0:
            return False
        identified |= 1 << slot
        memory.private.in_sight |= card
        take_copy(memory.private.unseen, lowest(card))
        if not any_copy(memory.private.unseen) & card:
            available ^= card
            slots = narrow(private, cards, identified, available)
    return True


@kernel
def own_chance(view: View, memory: HatterMemory, slot: int, cards: int) -> int:
    """Return the probability that an own slot holds one of `cards`, in parts of `CERTAIN`."""
    return share(view, memory.private.unseen, memory.private.possible[slot], cards)


@kernel
def chance_of_critical(view: View, memory: HatterMemory, slot: int) -> int:
    """Return the probability that an own slot is critical: higher if a hint made it suspect."""
    likely = own_chance(view, memory, slot, memory.tables.critical)
    if likely and memory.tables.suspects[view.observer] == slot:
        return max(likely, int(memory.suspicion * CERTAIN))
    return likely


@kernel
def best_play(view: View, memory: HatterMemory, slots: int) -> int:
    """Return the best certain play among some slots, or NONE."""
    cards = view.hand_count[view.observer]
    slots &= slots_within(memory.private.possible, cards, memory.tables.playable)
    if slots == 0:
        return NONE
    best = lowest(slots)
    if is_single(slots):
        return best
    best_worth = 0.0
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        worth = play_worth(view, memory, memory.private.possible[slot])
        if worth > best_worth:
            best = slot
            best_worth = worth
    return best


@kernel
def play_worth(view: View, memory: HatterMemory, possible: int) -> float:
    """Return the average worth of playing a card that may be any of these."""
    total = 0
    worth = 0.0
    while possible:
        card = lowest(possible)
        possible &= possible - 1
        count = max(1, weight(memory.private.unseen, view.rules.planes, 1 << card))
        worth += count * card_worth(view, memory, card)
        total += count
    return worth / total


@kernel
def card_worth(view: View, memory: HatterMemory, card: int) -> float:
    """Return the worth of playing a card.

    It is higher for a lower rank, less if others hold the card too, and more if known cards can
    follow it.
    """
    holders = 1
    for player in range(view.rules.players):
        holders += (memory.private.held[player] >> card) & 1
    rank = rank_of(view, card)
    worth = (2 * view.rules.ranks - rank) / holders
    while rank < view.rules.ranks and (memory.private.in_sight >> (card + 1)) & 1:
        worth += memory.chain
        card += 1
        rank += 1
    return worth


@kernel
def likeliest_play(view: View, memory: HatterMemory, wanted: int, least: int) -> int:
    """Return the slot most likely to be playable, if the probability is above `least`, or NONE.

    Only slots that can hold nothing but `wanted` cards count.
    """
    best = NONE
    for slot in range(view.hand_count[view.observer]):
        if memory.private.possible[slot] & ~wanted == 0:
            likely = own_chance(view, memory, slot, memory.tables.playable)
            if likely > least:
                best = slot
                least = likely
    return best


@kernel
def discard_worth(view: View, memory: HatterMemory, slot: int) -> int:
    """Return the worth of discarding a slot, in parts of `CERTAIN`.

    A card that is dead or held by someone else is best to discard, a critical one worst; otherwise,
    the higher its rank, and the more cards must be played before it, the later it is needed. Of
    cards that are alike, the newest may go first (`newer_worth`).
    """
    private = memory.private
    possible = private.possible[slot]
    dead = memory.tables.dead
    worth = memory.spare_worth * own_chance(view, memory, slot, dead | private.elsewhere)
    if memory.dead_worth:
        worth += memory.dead_worth * own_chance(view, memory, slot, dead)
    worth += CRITICAL * chance_of_critical(view, memory, slot)
    worth += memory.newer_worth * slot * CERTAIN
    copies = weight(private.unseen, view.rules.planes, possible)
    worth += memory.rank_worth * mean_rank(view, private.unseen, possible, copies)
    if memory.distance_worth:
        cards = memory.tables.playable
        for distance in range(1, view.rules.ranks):
            cards = (cards & ~rank_cards(view, view.rules.ranks)) << 1
            if possible & cards:
                likely = share_of(view, private.unseen, possible, cards, copies)
                worth += memory.distance_worth * distance * likely
    return worth


# --- options --------------------------------------------------------------------------------------


def decision_options(
    *,
    border: int,
    gamble: float,
    risk: float,
    token_worth: int,
    reserve: int,
    short_reserve: int,
    stall: int,
    chain: float,
) -> dict[str, Option]:
    """Return the options of both strategies for when to do what, with these defaults."""
    return {
        "border": Option(
            default=border,
            least=-10,
            most=10,
            help="time is short below a pace of the number of players plus this",
        ),
        "gamble": Option(
            default=gamble,
            help="play a card that is playable or dead above this chance that it is playable",
        ),
        "risk": Option(
            default=risk,
            help="hint rather than discard a card that is critical with more than this chance",
        ),
        "token_worth": Option(
            default=token_worth,
            most=100,
            help="hint rather than make a discard worth less than this for each token above two; "
            "0: never for that reason",
        ),
        "reserve": Option(
            default=reserve,
            most=20,
            help="tokens above which a hint is better than discarding a card that may be useful",
        ),
        "short_reserve": Option(default=short_reserve, most=20, help="the same when time is short"),
        "stall": Option(
            default=stall,
            most=20,
            help="up to this pace, above short-reserve, hint rather than discard a useless card",
        ),
        "chain": Option(
            default=chain,
            most=10,
            help="worth of each card in sight that can follow a play; ranks are worth 1 each",
        ),
    }


def discard_options(
    *,
    spare_worth: int,
    rank_worth: int,
    distance_worth: int,
    dead_worth: int,
    newer_worth: int,
) -> dict[str, Option]:
    """Return the options of both strategies for which card to discard, with these defaults."""
    return {
        "spare_worth": Option(
            default=spare_worth,
            most=100,
            help="worth of discarding a card that is dead or that someone else holds; a critical "
            "card is worth -100",
        ),
        "rank_worth": Option(
            default=rank_worth, most=100, help="worth of discarding a card, for each rank"
        ),
        "distance_worth": Option(
            default=distance_worth,
            most=100,
            help="the same for each card that must be played before it",
        ),
        "newer_worth": Option(
            default=newer_worth, most=100, help="the same for each card in the hand that is older"
        ),
        "dead_worth": Option(
            default=dead_worth, most=100, help="how much more a dead card is worth"
        ),
        "coded_discards": Option(
            default=True,
            help="tell a number by the choice among useless cards",
        ),
    }


# --- what to do -----------------------------------------------------------------------------------


@kernel
def gamble(view: View, memory: HatterMemory) -> int:
    """Return the likeliest play of a card that is playable or dead, if likely enough, or NONE.

    A dead card costs a life but no points: a turn is worth more than a spare life.
    """
    if view.lives == 1:
        return NONE
    least = int(memory.gamble * CERTAIN)
    return likeliest_play(view, memory, memory.tables.playable | memory.tables.dead, least)


@kernel
def gamble_at_the_end(view: View, memory: HatterMemory) -> int:
    """Return the likeliest play in the last round if a life can be spared, or NONE."""
    if view.lives == 1 or view.turns_left < 0:
        return NONE
    return likeliest_play(view, memory, view.rules.all_cards, 0)


@kernel
def hint_or_discard(view: View, memory: HatterMemory, short: bool, in_need: bool) -> int:
    """Choose an action when no play is known: a hint, a discard, or else a blind play.

    Return NONE if the choice of a discard should tell a number.
    """
    cards = view.hand_count[view.observer]
    useless = useless_slots(memory.private.possible, cards, memory.tables.dead)
    memory.private.spare = NONE
    hint = hint_if_better(view, memory, useless, short, in_need)
    if hint != NONE:
        return hint
    if not can_discard(view):
        return play_slot(view, least_missed(view, memory, useless))
    slot = least_missed(view, memory, useless)
    memory.private.coding = coding_slots(view, memory, view.observer, cards)
    if memory.private.coding & (useless | 1 << slot):
        return NONE
    return discard_slot(view, slot)


@kernel
def least_missed(view: View, memory: HatterMemory, useless: int) -> int:
    """Return the slot to discard: a useless one, or the one whose loss matters least."""
    if useless:
        return lowest(useless)
    private = memory.private
    if private.spare == NONE:
        best_worth = 0
        for slot in range(view.hand_count[view.observer]):
            worth = discard_worth(view, memory, slot)
            if slot == 0 or worth > best_worth:
                private.spare = slot
                best_worth = worth
    return private.spare


@kernel
def hint_if_better(
    view: View, memory: HatterMemory, useless: int, short: bool, in_need: bool
) -> int:
    """Return the hint to give rather than discard a card, or NONE.

    It is also NONE if no legal hint tells the right number.
    """
    can_play = memory.private.elsewhere & memory.tables.playable != 0
    if view.hint_tokens == 0:
        return NONE
    if not in_need and not wants_hint(view, memory, useless, short, can_play):
        return NONE
    return give_hint(view, memory)


@kernel
def wants_hint(
    view: View, memory: HatterMemory, useless: int, short: bool, someone_can_play: bool
) -> bool:
    """Return whether a hint is better than a discard when nobody is in need.

    - with all tokens, or if a discard is forbidden: yes
    - if it would mean that somebody is in need: no
    - with a useless card while time is not short: no
    - if anybody else can play: yes
    - with a useless card: only up to the pace `stall`, and above the reserve for short time
    - if the card to discard may be critical: yes
    - if its discard is worth too little for the tokens that are left (`token_worth`): yes
    - otherwise: only above the full reserve
    """
    tokens = view.hint_tokens
    if tokens == view.rules.max_hint_tokens or not can_discard(view):
        return True
    if memory.law.hint_means_need or (useless and not short):
        return False
    if someone_can_play:
        return True
    if useless:
        return tokens > memory.short_reserve and pace(view) <= memory.stall
    spare = least_missed(view, memory, useless)
    if chance_of_critical(view, memory, spare) > memory.risk * CERTAIN:
        return True
    if memory.token_worth and is_worth_a_token(view, memory, spare):
        return True
    return tokens > (memory.short_reserve if short else memory.reserve)


@kernel
def is_worth_a_token(view: View, memory: HatterMemory, slot: int) -> bool:
    """Return whether a hint is better than the discard of a slot: the more tokens, the sooner."""
    least = memory.token_worth * (view.hint_tokens - ENOUGH_TOKENS) * CERTAIN
    return discard_worth(view, memory, slot) < least
