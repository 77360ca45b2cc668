"""Which action is best: a screen, and a race for those that it lets through.

Every play-out of an action is compared with one of the blueprint's action in the same world, so
chance that hits both does not count. Worlds are spent where they can matter:

*Screen.* In every world the blueprint's action is played out first. Where it loses no point,
nothing can be gained, and the world is only kept. Where it does, all other actions are played out
too. If none gains anything, the blueprint is followed: most turns end here.

*Sift.* What looks better is played out in the kept worlds as well, where it can only lose.

*Race.* The best `RACERS` of the rest run in fresh worlds until one is clearly ahead, all have
fallen back, or the worlds are used up. The winner must be ahead by the option `margin`, a number of
standard errors, and by the option `least_gain`, a number of points.

Why a least gain? Of many actions the best-looking one is partly lucky, and imagined partners follow
the blueprint to the letter, so about half of a small gain is not real. With a draw pile of at most
`LATE` cards imagined games are short and the belief is sharp: a third of `least_gain` is enough.
"""

from __future__ import annotations

from math import sqrt

from hanabilab.core.invoke import indirect_call, reset
from hanabilab.core.kernel import kernel
from hanabilab.core.random import private_stream
from hanabilab.core.record import assign
from hanabilab.game.actions import decode_action
from hanabilab.game.state import View
from hanabilab.game.turn import final_score, take_turn
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.worlds import deal_world, must_stop, redeal_world
from hanabilab.strategies.seats import play_to_end, show_turn

__all__ = ["BLUEPRINT", "error", "find_best", "lead", "play_out"]

FUTURE_STREAM = 2
"""The purpose of the stream of imagined players from now on: the same for every action."""


@kernel
def play_out(memory: SearchMemory, action: int) -> int:
    """Return the points that are missing in the end if this action is taken in this world."""
    table = memory.table.state
    event = memory.table.event
    seats = memory.blueprint.seats
    assign(table, memory.world.state)
    if memory.blueprint.public:
        stream = private_stream(memory.world.origin, 0, FUTURE_STREAM)
        reset(seats.memories[0], memory.blueprint.memory, seats.words[0], stream)
    else:
        for player in range(table.rules.players):
            stream = private_stream(memory.world.origin, player, FUTURE_STREAM)
            reset(
                seats.memories[player], memory.world.memories[player], seats.words[player], stream
            )
    decode_action(table, action, event)
    take_turn(table, memory.world.deck, event)
    show_turn(table, event, seats, memory.table.view_scratch, memory.table.event_scratch)
    if not play_to_end(
        table,
        memory.world.deck,
        event,
        seats,
        memory.table.view_scratch,
        memory.table.event_scratch,
        memory.log.actions[:0],
    ):
        raise ValueError("the blueprint chose an illegal action in an imagined game")
    return table.rules.max_score - final_score(table)


BLUEPRINT = 0
"""The place of the blueprint's action among those that are compared."""
FIRST_LOOK = 40
"""Worlds before the screen first asks whether there is anything to gain."""
GRAIN = 0.3
"""Added to the sum of deviations: a gain seen in one world of a few proves nothing."""
PROMISING = 0.7
"""Standard errors that a gain must exceed to stay in after the screen."""
RACERS = 3
LAP = 100
"""Worlds of the race between two looks."""
FALLEN_BACK = 0.3
"""Standard errors of gain below which a racer gives up."""
BEHIND = 1.5
"""Standard errors behind the first at which a racer gives up."""
CLEAR = 3.5
"""Standard errors of gain with which the only racer left has won."""
LATE = 10
LATE_SHARE = 1 / 3
"""The part of the least gain that is enough with a draw pile of at most `LATE` cards."""
SURELY = 2.0
"""Standard errors between a gain and the least gain that settle which one is larger."""


@kernel
def find_best(view: View, memory: SearchMemory) -> int:
    """Return the place of the action that is clearly better, or BLUEPRINT."""
    comparison = memory.comparison
    for place in range(memory.candidates.count):
        comparison.alive[place] = 1
        comparison.gain[place] = 0
        comparison.squares[place] = 0
    comparison.imagined = 0
    late = view.draw_pile <= LATE
    comparison.least = memory.least_gain * LATE_SHARE if late else memory.least_gain
    if not screen(view, memory) or not sift(view, memory):
        return BLUEPRINT
    if comparison.imagined < memory.limits.worlds:
        choose_racers(memory)
        race(view, memory)
    return winner(memory)


@kernel
def screen(view: View, memory: SearchMemory) -> bool:
    """Try the blueprint's action, and others where it loses; return whether any may be better."""
    comparison = memory.comparison
    lost = 0
    look = FIRST_LOOK
    while comparison.imagined < min(memory.screen, memory.limits.worlds):
        if not deal_world(view, memory):
            return False
        count = comparison.imagined
        loss = indirect_call(memory.table.play_out, memory, memory.candidates.actions[BLUEPRINT])
        comparison.worlds[count] = memory.world.origin
        comparison.losses[count] = loss
        comparison.imagined = count + 1
        if loss:
            lost += 1
            for place in range(1, memory.candidates.count):
                if must_stop(memory):
                    return False
                if comparison.alive[place]:
                    score(memory, place, loss)
        if comparison.imagined == look:
            look += look // 2
            hope = lost == 0 and comparison.imagined < 2 * FIRST_LOOK
            if not drop_losers(memory) and not hope:
                return False
    return True


@kernel
def score(memory: SearchMemory, place: int, loss: int) -> None:
    """Play an action out in this world, where the blueprint's loses so many points."""
    gain = loss - indirect_call(memory.table.play_out, memory, memory.candidates.actions[place])
    memory.comparison.gain[place] += gain
    memory.comparison.squares[place] += gain * gain


@kernel
def drop_losers(memory: SearchMemory) -> bool:
    """Drop actions that are clearly worse; return whether any other one has gained a point."""
    gained = False
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            if lead(memory, place) + error(memory, place) < 0:
                memory.comparison.alive[place] = 0
            elif memory.comparison.gain[place] > 0:
                gained = True
    return gained


@kernel
def sift(view: View, memory: SearchMemory) -> bool:
    """Play out what looks better in the worlds that were kept; return whether anything is left."""
    comparison = memory.comparison
    left = drop_unpromising(memory)
    for world in range(comparison.imagined):
        if left and comparison.losses[world] == 0:
            if must_stop(memory):
                return False
            redeal_world(view, memory, comparison.worlds[world])
            for place in range(1, memory.candidates.count):
                if comparison.alive[place]:
                    score(memory, place, 0)
            left = drop_unpromising(memory)
    return left


@kernel
def drop_unpromising(memory: SearchMemory) -> bool:
    """Drop actions whose gain is small or uncertain; return whether anything is left."""
    left = False
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            promising = lead(memory, place) > PROMISING * error(memory, place)
            if promising and not is_too_small(memory, place):
                left = True
            else:
                memory.comparison.alive[place] = 0
    return left


@kernel
def is_too_small(memory: SearchMemory, place: int) -> bool:
    """Return whether the gain of an action is surely below the least gain."""
    least = memory.comparison.least
    return least > 0.0 and lead(memory, place) + SURELY * error(memory, place) < least


@kernel
def choose_racers(memory: SearchMemory) -> None:
    """Keep the few actions that gained most."""
    comparison = memory.comparison
    racers = 0
    for place in range(1, memory.candidates.count):
        racers += comparison.alive[place]
    while racers > RACERS:
        worst = BLUEPRINT
        for place in range(1, memory.candidates.count):
            if comparison.alive[place] and (
                worst == BLUEPRINT or comparison.gain[place] < comparison.gain[worst]
            ):
                worst = place
        comparison.alive[worst] = 0
        racers -= 1


@kernel
def race(view: View, memory: SearchMemory) -> None:
    """Let the racers run in fresh worlds."""
    lap = 0
    while memory.comparison.imagined < memory.limits.worlds:
        if not deal_world(view, memory):
            return
        loss = indirect_call(memory.table.play_out, memory, memory.candidates.actions[BLUEPRINT])
        for place in range(1, memory.candidates.count):
            if memory.comparison.alive[place]:
                score(memory, place, loss)
        memory.comparison.imagined += 1
        lap += 1
        if lap == LAP:
            lap = 0
            if is_decided(memory):
                return


@kernel
def is_decided(memory: SearchMemory) -> bool:
    """Drop racers that fell back; return whether none is left, or only one that has clearly won."""
    first = 0.0
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            first = max(first, lead(memory, place))
    racers = 0
    clear = False
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            mean = lead(memory, place)
            spread = error(memory, place)
            behind = mean < FALLEN_BACK * spread or mean < first - BEHIND * spread
            if behind or is_too_small(memory, place):
                memory.comparison.alive[place] = 0
            else:
                racers += 1
                enough = mean > memory.comparison.least + SURELY * spread
                clear = mean > CLEAR * spread and (enough or memory.comparison.least == 0.0)
    return racers == 0 or (racers == 1 and clear)


@kernel
def winner(memory: SearchMemory) -> int:
    """Return the best of the actions that are ahead by the margin, or BLUEPRINT."""
    best = BLUEPRINT
    for place in range(1, memory.candidates.count):
        needed = max(memory.comparison.least, memory.margin * error(memory, place))
        ahead = lead(memory, place) > needed
        most = best == BLUEPRINT or memory.comparison.gain[place] > memory.comparison.gain[best]
        if memory.comparison.alive[place] and ahead and most:
            best = place
    return best


@kernel
def lead(memory: SearchMemory, place: int) -> float:
    """Return the mean gain of an action over the blueprint's."""
    return memory.comparison.gain[place] / memory.comparison.imagined


@kernel
def error(memory: SearchMemory, place: int) -> float:
    """Return the standard error of a mean gain, and a little more where worlds are few."""
    count = memory.comparison.imagined
    mean = memory.comparison.gain[place] / count
    variance = max(0.0, memory.comparison.squares[place] / count - mean * mean)
    return sqrt(variance / count) + GRAIN / count
