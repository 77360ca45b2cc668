"""What both strategies share of the decision between playing, hinting and discarding.

*Pace* counts the turns that the team may spend without a play. Time is *short* if the pace is below
the number of players (plus an option): then not everyone can afford another turn without a play.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import can_discard, discard_slot, play_slot
from hanabilab.game.state import View, pace
from hanabilab.strategies.hatter.private import (
    PrivateHand,
    discard_worth,
    likeliest_play,
    own_chance,
)
from hanabilab.strategies.hatter.signals import coding_slots, give_hint
from hanabilab.strategies.hatter.tables import CERTAIN, NONE, useless_slots
from hanabilab.strategies.strategy import Option

__all__ = [
    "Choices",
    "gamble",
    "gamble_at_the_end",
    "hint_or_discard",
    "options_of_choices",
    "time_is_short",
]


class Choices(PrivateHand):
    """The options of the decision."""

    border: int
    gamble: float
    risk: float
    reserve: int
    short_reserve: int
    stall: int


def options_of_choices(
    *,
    border: int,
    gamble: float,
    risk: float,
    reserve: int,
    short_reserve: int,
    stall: int,
    chain: float,
) -> dict[str, Option]:
    """Return the options that both strategies have, with these defaults."""
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
        "coded_discards": Option(
            default=True,
            opposite="plain-discards",
            help="tell a number by the choice among useless cards",
        ),
    }


@kernel
def time_is_short(view: View, memory: Choices) -> bool:
    """Tell whether some player cannot afford another turn without a play."""
    return pace(view) < view.rules.players + memory.border


@kernel
def gamble(view: View, memory: Choices) -> int:
    """Return the likeliest play of a card that is playable or dead, if likely enough, or NONE.

    A dead card costs a life, but nothing is lost with it: a turn is worth more than a spare life.
    """
    if view.lives == 1:
        return NONE
    least = int(memory.gamble * CERTAIN)
    return likeliest_play(view, memory, memory.playable | memory.dead, least)


@kernel
def gamble_at_the_end(view: View, memory: Choices) -> int:
    """Return the likeliest play in the last round, while a life is to spare, or NONE."""
    if view.lives == 1 or view.turns_left < 0:
        return NONE
    return likeliest_play(view, memory, view.rules.all_cards, 0)


@kernel
def hint_or_discard(view: View, memory: Choices, short: bool, in_need: bool) -> int:
    """Choose an action without a play in hand: a hint, a discard, or else a blind play.

    Return NONE if the discard is to tell something.
    """
    useless = useless_slots(memory.private, view.hand_count[view.observer], memory.dead)
    spare = least_missed(view, memory, useless)
    hint = hint_if_better(view, memory, useless, spare, short, in_need)
    if hint != NONE:
        return hint
    if not can_discard(view):
        return play_slot(view, spare)
    return NONE if coding_slots(view, memory) else discard_slot(view, spare)


@kernel
def least_missed(view: View, memory: Choices, useless: int) -> int:
    """Return the slot to discard: a useless one, or the one whose loss matters least."""
    if useless:
        return lowest(useless)
    best = 0
    best_worth = 0
    for slot in range(view.hand_count[view.observer]):
        worth = discard_worth(view, memory, slot)
        if slot == 0 or worth > best_worth:
            best = slot
            best_worth = worth
    return best


@kernel
def hint_if_better(
    view: View, memory: Choices, useless: int, spare: int, short: bool, in_need: bool
) -> int:
    """Return the hint to give rather than discard the slot `spare`, or NONE.

    It is also NONE if no legal hint tells the right number.
    """
    can_play = memory.elsewhere & memory.playable != 0
    if view.hint_tokens == 0:
        return NONE
    if not in_need and not wants_hint(view, memory, useless, spare, short, can_play):
        return NONE
    return give_hint(view, memory)


@kernel
def wants_hint(
    view: View, memory: Choices, useless: int, spare: int, short: bool, someone_can_play: bool
) -> bool:
    """Tell whether a hint is better than discarding the slot `spare` when nobody is in need.

    - with all tokens, or if a discard is forbidden: yes
    - with a useless card while time is not short: no
    - if anybody else can play: yes
    - with a useless card: only up to the pace `stall`, and above the reserve for short time
    - if the card to discard may be critical: yes
    - otherwise: only above a reserve of tokens
    """
    tokens = view.hint_tokens
    if tokens == view.rules.max_hint_tokens or not can_discard(view):
        return True
    if useless and not short:
        return False
    if someone_can_play:
        return True
    if useless:
        return tokens > memory.short_reserve and pace(view) <= memory.stall
    if own_chance(view, memory, spare, memory.critical) > memory.risk * CERTAIN:
        return True
    return tokens > (memory.short_reserve if short else memory.reserve)
