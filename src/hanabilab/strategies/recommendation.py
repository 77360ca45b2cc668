"""The recommendation strategy (Cox et al. 2015, Strategy 1).

Every hint recommends an action to every other player: to play or to discard one of their cards.
The recommendations are the hats of a hat-guessing game
(`hanabilab.strategies.hat_guessing`). Since later actions may make a recommendation wrong, a
player follows a recommendation to play only if no card has been played since the hint, or if one
card has and the team can afford a misplay.

**Departures.** `interpretation=paper` is the text; where it is silent:

- A recommendation is used up once it has been followed; players who give a hint keep theirs.
- A misplay counts as a card played since the hint.
- The hint touches the target's oldest card; nobody uses its literal meaning.
- A token comes back for completing a suit. The paper's rules do not mention it, but all its figures
  need it (rules `cox`).

`interpretation=program` is what the authors' program does differently: a second play is allowed
below three misplays; only plays that light a firework count; of several playable fives the youngest
is played; ties within a rank go by suit, and of dead cards the highest rank is discarded first; a
card is kept as soon as any copy of it is gone; without anything better the youngest card is
discarded; players who give a hint forget their own recommendation. The printed average of 23.00 is
the program's, under its rules (`cox-program`).

With p players there are 2(p - 1) ways to give a hint. As many of them as possible, but not the
last, recommend a play (of the youngest slots if there are too few), and the rest recommend
discarding the oldest slots. With four players that is 4 and 2 (22.46 on average, against 19.79 with
3 and 3), with three 3 and 1 (16.98, against 14.26 with 2 and 2); 20,000 games each, rules
`classic`, seed 1. Two players have two ways, which is too few.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import ints
from hanabilab.formats.describe import join_words
from hanabilab.game.actions import DISCARD, PLAY, Event, discard_slot, play_slot
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, SLOT_BITS, any_copy, card_in
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, view_of
from hanabilab.strategies.explain import ExplanationContext, facts
from hanabilab.strategies.hat_guessing import (
    HAT_SWITCHES,
    INTERPRETATION,
    PROGRAM,
    hint_with,
    reduce_sum,
    told_sum,
    unsupported_by_hats,
    way_target,
    ways_to_hint,
)
from hanabilab.strategies.strategy import HINT_KINDS, About, Memory, RuleSupport, Strategy

__all__ = ["RECOMMENDATION"]

NOTHING = -1

# The urgency of a card is a number with these fields, from the lowest: the slot, whether to discard
# it (both with room for the sum over all hands), which slot comes first, suit, rank and priority.
SLOTS, DISCARDED = (1 << 7) - 1, 1 << 7
TOLD = (1 << 14) - 1
IN_SLOT, YOUNGEST_FIRST = 1 << 14 | 1, 15 << 14
SUIT_SHIFT, RANK_SHIFT = 18, 24
DEAD, SPARES, LAST_RESORT = 1 << 32 | DISCARDED, 1 << 33 | DISCARDED, 1 << 34 | DISCARDED
NO_CARD = 1 << 35


class RecommendationMemory(Memory):
    """The last recommendation, the score and lives at that time, and the urgency of each card."""

    interpretation: int
    recommended: int
    """The number that the last hint told this player, or NOTHING."""
    score: int
    lives: int
    """Score and lives at the last hint; only plays have changed them since."""
    playable: int
    played: int
    kept: int
    """The sets of cards for which `urgency` was last computed."""
    urgency: list[int] = ints(HIDDEN + 1)


@kernel
def begin(view: View, memory: RecommendationMemory) -> int:
    """Start without a recommendation and compute the urgency of every card."""
    memory.recommended = NOTHING
    memory.playable = view.playable
    memory.kept = kept_cards(view, memory.interpretation)
    memory.urgency[HIDDEN] = NO_CARD
    for card in range(view.rules.ranks * view.rules.suits):
        memory.urgency[card] = urgency_of(view, card, memory)
    return 0


@kernel
def act(view: View, memory: RecommendationMemory) -> int:
    """Follow the last hint's recommendation; every hint recommends an action to each player."""
    recommended = memory.recommended
    plays = play_numbers(view)
    if 0 <= recommended < plays and still_wanted(view, memory):
        slot = view.rules.hand_size - plays + recommended
        if slot < view.hand_count[view.observer]:
            memory.recommended = NOTHING
            return play_slot(view, slot)  # steps 1 and 2
    if view.hint_tokens > 0:
        return give_hint(view, memory)  # step 3
    memory.recommended = NOTHING
    last = view.hand_count[view.observer] - 1
    if recommended >= plays:
        return discard_slot(view, min(recommended - plays, last))  # step 4
    return discard_slot(view, last if memory.interpretation == PROGRAM else 0)  # step 5


@kernel
def still_wanted(view: View, memory: RecommendationMemory) -> bool:
    """Return whether no card was played since the hint, or one and a misplay is affordable."""
    lit = view.score - memory.score
    misplays = view.rules.max_lives - view.lives
    if memory.interpretation == PROGRAM:
        return lit == 0 or (lit == 1 and misplays < 3)
    plays = lit + memory.lives - view.lives
    return plays == 0 or (plays == 1 and misplays < 2)


@inlined
@kernel
def give_hint(view: View, memory: RecommendationMemory) -> int:
    """Tell the sum of the recommendations for all other players."""
    way = reduce_sum(view, hats_in_sight(view, view.observer, memory))
    return hint_with(view, way, card_in(view.hands[way_target(view, way)], 0))


@kernel
def observe(view: View, event: Event, memory: RecommendationMemory) -> None:
    """Decode a hint: the player's own recommendation is the sum minus those of visible players."""
    memory.score = view.score
    memory.lives = view.lives
    if event.player != view.observer:
        number = told_sum(view, event) - hats_in_sight(view, event.player, memory)
        memory.recommended = reduce_sum(view, number)
    elif memory.interpretation == PROGRAM:
        memory.recommended = NOTHING


@kernel
def play_numbers(view: View) -> int:
    """Return how many numbers recommend playing a card; they refer to the newest slots."""
    return min(view.rules.hand_size, ways_to_hint(view) - 1)


@kernel
def discard_numbers(view: View) -> int:
    """Return how many numbers recommend discarding a card; they refer to the oldest slots."""
    return min(view.rules.hand_size, ways_to_hint(view) - play_numbers(view))


@inlined
@kernel
def hats_in_sight(view: View, giver: int, memory: RecommendationMemory) -> int:
    """Return the sum of the recommendations for all players but the giver and the observer."""
    refresh_urgency(view, memory)
    plays = play_numbers(view)
    discards = discard_numbers(view)
    every_slot = plays == view.rules.hand_size and discards == view.rules.hand_size
    told = 0
    for player in range(view.rules.players):
        hand = HIDDEN_HAND if player == giver else view.hands[player]
        if every_slot:
            told += most_urgent(hand, memory) & TOLD
        else:
            told += most_urgent_told(view, hand, memory, plays, discards) & TOLD
    hands = view.rules.players - 1 - int(giver != view.observer)
    return (
        (told & SLOTS)
        + told // DISCARDED * view.rules.hand_size
        + hands * (plays - view.rules.hand_size)
    )


@inlined
@kernel
def most_urgent(hand: int, memory: RecommendationMemory) -> int:
    """Return the lowest urgency in a hand, combined with its slot ("Giving recommendations")."""
    urgency = memory.urgency
    oldest = min(urgency[hand & HIDDEN], urgency[card_in(hand, 1)] ^ IN_SLOT)
    next_ones = min(
        urgency[card_in(hand, 2)] ^ 2 * IN_SLOT, urgency[card_in(hand, 3)] ^ 3 * IN_SLOT
    )
    best = min(oldest, next_ones)
    place = 4 * IN_SLOT
    held = (hand ^ HIDDEN_HAND) >> 4 * SLOT_BITS  # 0 where there is no card
    while held:
        best = min(best, urgency[held & HIDDEN ^ HIDDEN] ^ place)
        held >>= SLOT_BITS
        place += IN_SLOT
    return best


@kernel
def most_urgent_told(
    view: View, hand: int, memory: RecommendationMemory, plays: int, discards: int
) -> int:
    """Return the lowest urgency in a hand if there are numbers for only some of the slots."""
    best = NO_CARD if hand == HIDDEN_HAND else LAST_RESORT
    for slot in range(view.rules.hand_size):
        urgency = memory.urgency[hand & HIDDEN]
        hand >>= SLOT_BITS
        told = slot >= view.rules.hand_size - plays if urgency < DEAD else slot < discards
        if told and urgency < LAST_RESORT:
            best = min(best, urgency ^ slot * IN_SLOT)
    return best


@inlined
@kernel
def refresh_urgency(view: View, memory: RecommendationMemory) -> None:
    """Update the urgency of the cards whose status has changed."""
    kept = kept_cards(view, memory.interpretation)
    changed = view.playable ^ memory.playable | view.played ^ memory.played | kept ^ memory.kept
    memory.playable = view.playable
    memory.played = view.played
    memory.kept = kept
    while changed:
        card = lowest(changed)
        changed &= changed - 1
        memory.urgency[card] = urgency_of(view, card, memory)


@kernel
def urgency_of(view: View, card: int, memory: RecommendationMemory) -> int:
    """Return the urgency of a card: the lower, the more urgent.

    Suits matter only as the program plays. `^ slot * IN_SLOT` adds the slot to it, and to ties.
    """
    suit = view.rules.suit_of[card]
    rank = card - suit * view.rules.ranks + 1
    down = view.rules.ranks - rank
    program = memory.interpretation == PROGRAM
    youngest = YOUNGEST_FIRST if program else 0
    by_suit = suit << SUIT_SHIFT if program else 0
    other_suit = (view.rules.suits - suit) << SUIT_SHIFT if program else 0
    play = rank << RANK_SHIFT | by_suit if down > 0 else youngest  # priorities 2 and 1
    dead = DEAD | (down << RANK_SHIFT | by_suit if program else 0)  # priority 3
    spare = SPARES | down << RANK_SHIFT | other_suit  # priority 4
    last = LAST_RESORT | youngest  # priority 5
    # Written so that no branch is needed: it would be unpredictable.
    urgency = last if (memory.kept >> card) & 1 else spare
    urgency = dead if (memory.played >> card) & 1 else urgency
    return play if (memory.playable >> card) & 1 else urgency


@kernel
def kept_cards(view: View, interpretation: int) -> int:
    """Return the critical cards; the program keeps a card as soon as any copy of it is gone."""
    if interpretation != PROGRAM:
        return view.critical
    return any_copy(view.discarded) | view.unique


def explain(context: ExplanationContext) -> str:
    """Describe which recommendation it follows, or what its hint recommends to whom."""
    view, event = context.view, context.event
    memory: RecommendationMemory = context.memory
    if event.kind == PLAY:
        return context.because("the last hint recommended it", facts(context))
    if event.kind == DISCARD:
        if memory.recommended >= play_numbers(view):
            return context.because("the last hint recommended it, and no hint token is left")
        return context.because("it has no recommendation to follow, and no hint token is left")
    said = [
        f"{context.name(player)} to {told(context, player, number)}"
        for player, number in recommendations(context).items()
    ]
    return f"hint sum {told_sum(view, event)}: tells {join_words(said)}"


def recommendations(context: ExplanationContext) -> dict[int, int]:
    """Return the numbers that a hint tells; a reader's own is the rest of the sum."""
    view, event = context.view, context.event
    memory: RecommendationMemory = context.memory
    everyone = hats_in_sight(view, event.player, memory)
    numbers = {}
    for offset in range(1, view.rules.players):
        player = (event.player + offset) % view.rules.players
        without = view_of(view, player)
        numbers[player] = everyone - hats_in_sight(without, event.player, memory)
    if context.reader is not None:
        others = sum(number for player, number in numbers.items() if player != context.reader)
        numbers[context.reader] = reduce_sum(view, told_sum(view, event) - others)
    return numbers


def told(context: ExplanationContext, player: int, number: int) -> str:
    """Return a recommendation to a player in words."""
    plays = play_numbers(context.view)
    if number < plays:
        return f"play slot {context.slot(player, context.view.rules.hand_size - plays + number)}"
    return f"discard slot {context.slot(player, number - plays)}"


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players < 3:
        return "with fewer than three players, a hint tells too little to recommend an action"
    return unsupported_by_hats(rules)


RECOMMENDATION = Strategy(
    "recommendation",
    act,
    observe,
    begin,
    RecommendationMemory,
    observed_kinds=HINT_KINDS,
    options={"interpretation": INTERPRETATION},
    support=RuleSupport(
        special_hints=True,
        switches=HAT_SWITCHES,
        unsupported_reason=unsupported_reason,
        home="cox",
        program_home="cox-program",
    ),
    about=About(source="Cox et al. 2015, Strategy 1", explain=explain),
)
