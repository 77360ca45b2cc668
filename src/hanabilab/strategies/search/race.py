"""Which action is best: a screen, and a race for those that it lets through.

Every play-out of an action is compared with one of the blueprint's action in the same world, so
chance that hits both does not count. Worlds are spent where they can matter:

*Screen.* In every world the blueprint's action is played out first. Where it loses no point,
nothing can be gained, and the world is only kept. Where it does, all other actions are played out
too. If none gains anything, the blueprint is followed: most turns end here.

*Sift.* What looks better is played out in the kept worlds as well, where it can only lose.

*Race.* The best `RACERS` of the rest run in fresh worlds until one is clearly ahead, all have
fallen back, or the worlds are used up. The winner must be ahead by `Mind.margin` standard errors.
"""

from __future__ import annotations

from math import sqrt

from hanabilab.core.clock import ticks
from hanabilab.core.invoke import call
from hanabilab.core.kernel import kernel
from hanabilab.game.state import View
from hanabilab.strategies.search.mind import Mind
from hanabilab.strategies.search.worlds import deal_again, deal_world

__all__ = ["BLUEPRINT", "error", "find_best", "lead"]

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


@kernel
def find_best(view: View, memory: Mind) -> int:
    """Return the place of the action that is clearly better, or BLUEPRINT."""
    for place in range(memory.outlook.count):
        memory.alive[place] = 1
        memory.gain[place] = 0
        memory.squares[place] = 0
    memory.imagined = 0
    if not screen(view, memory) or not sift(view, memory):
        return BLUEPRINT
    if memory.imagined < memory.limit:
        choose_racers(memory)
        race(view, memory)
    return winner(memory)


@kernel
def screen(view: View, memory: Mind) -> bool:
    """Try the blueprint's action, and others where it loses; tell whether others may be better."""
    lost = 0
    look = FIRST_LOOK
    while memory.imagined < min(memory.screen, memory.limit):
        if is_hurried(memory) or not deal_world(view, memory):
            return False
        count = memory.imagined
        loss = call(memory.plays_out, memory, memory.outlook.actions[BLUEPRINT])
        memory.worlds[count] = memory.origin
        memory.losses[count] = loss
        memory.imagined = count + 1
        if loss:
            lost += 1
            for place in range(1, memory.outlook.count):
                if memory.alive[place]:
                    score(memory, place, loss)
        if memory.imagined == look:
            look += look // 2
            hope = lost == 0 and memory.imagined < 2 * FIRST_LOOK
            if not drop_losers(memory) and not hope:
                return False
    return True


@kernel
def score(memory: Mind, place: int, loss: int) -> None:
    """Play an action out in this world, where the blueprint's loses so many points."""
    gain = loss - call(memory.plays_out, memory, memory.outlook.actions[place])
    memory.gain[place] += gain
    memory.squares[place] += gain * gain


@kernel
def drop_losers(memory: Mind) -> bool:
    """Drop actions that are clearly worse; tell whether any other one has gained a point."""
    gained = False
    for place in range(1, memory.outlook.count):
        if memory.alive[place]:
            if lead(memory, place) + error(memory, place) < 0:
                memory.alive[place] = 0
            elif memory.gain[place] > 0:
                gained = True
    return gained


@kernel
def sift(view: View, memory: Mind) -> bool:
    """Play out what looks better in the worlds that were kept; tell whether anything is left."""
    left = drop_unpromising(memory)
    for world in range(memory.imagined):
        if left and memory.losses[world] == 0:
            if is_hurried(memory):
                return False
            deal_again(view, memory, memory.worlds[world])
            for place in range(1, memory.outlook.count):
                if memory.alive[place]:
                    score(memory, place, 0)
            left = drop_unpromising(memory)
    return left


@kernel
def drop_unpromising(memory: Mind) -> bool:
    """Drop actions whose gain is small or uncertain; tell whether anything is left."""
    left = False
    for place in range(1, memory.outlook.count):
        if memory.alive[place]:
            if lead(memory, place) > PROMISING * error(memory, place):
                left = True
            else:
                memory.alive[place] = 0
    return left


@kernel
def choose_racers(memory: Mind) -> None:
    """Keep the few actions that gained most."""
    racers = 0
    for place in range(1, memory.outlook.count):
        racers += memory.alive[place]
    while racers > RACERS:
        worst = BLUEPRINT
        for place in range(1, memory.outlook.count):
            if memory.alive[place] and (
                worst == BLUEPRINT or memory.gain[place] < memory.gain[worst]
            ):
                worst = place
        memory.alive[worst] = 0
        racers -= 1


@kernel
def race(view: View, memory: Mind) -> None:
    """Let the racers run in fresh worlds."""
    lap = 0
    while memory.imagined < memory.limit:
        if is_hurried(memory) or not deal_world(view, memory):
            return
        loss = call(memory.plays_out, memory, memory.outlook.actions[BLUEPRINT])
        for place in range(1, memory.outlook.count):
            if memory.alive[place]:
                score(memory, place, loss)
        memory.imagined += 1
        lap += 1
        if lap == LAP:
            lap = 0
            if is_decided(memory):
                return


@kernel
def is_decided(memory: Mind) -> bool:
    """Drop racers that fell back; tell whether none is left, or only one that has clearly won."""
    first = 0.0
    for place in range(1, memory.outlook.count):
        if memory.alive[place]:
            first = max(first, lead(memory, place))
    racers = 0
    clear = False
    for place in range(1, memory.outlook.count):
        if memory.alive[place]:
            mean = lead(memory, place)
            spread = error(memory, place)
            if mean < FALLEN_BACK * spread or mean < first - BEHIND * spread:
                memory.alive[place] = 0
            else:
                racers += 1
                clear = mean > CLEAR * spread
    return racers == 0 or (racers == 1 and clear)


@kernel
def winner(memory: Mind) -> int:
    """Return the best of the actions that are ahead by the margin, or BLUEPRINT."""
    best = BLUEPRINT
    for place in range(1, memory.outlook.count):
        ahead = lead(memory, place) > memory.margin * error(memory, place)
        most = best == BLUEPRINT or memory.gain[place] > memory.gain[best]
        if memory.alive[place] and ahead and most:
            best = place
    return best


@kernel
def lead(memory: Mind, place: int) -> float:
    """Return the mean gain of an action over the blueprint's."""
    return memory.gain[place] / memory.imagined


@kernel
def error(memory: Mind, place: int) -> float:
    """Return the standard error of a mean gain, and a little more where worlds are few."""
    count = memory.imagined
    mean = memory.gain[place] / count
    variance = max(0.0, memory.squares[place] / count - mean * mean)
    return sqrt(variance / count) + GRAIN / count


@kernel
def is_hurried(memory: Mind) -> bool:
    """Tell whether time is up or the player was told to act."""
    if memory.cancelled:
        return True
    return memory.deadline != 0 and ticks() > memory.deadline
