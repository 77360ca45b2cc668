"""Which action is best: a screen, and a race for those that it lets through.

Every play-out of an action is compared with one of the blueprint's action in the same world, so
chance that hits both does not count. Worlds are spent where they can matter, and most of them on
close decisions:

*Screen.* In every world the blueprint's action is played out first. Where it loses no point,
nothing can be gained, and the world is only kept. Where it does, all other actions are played out
too. Now and then those that have gained a point are played out in the kept worlds as well, where
they can only lose, and whatever is probably worse than the blueprint is dropped. When nothing is
left, the blueprint is followed: most turns end here.

*Sift.* After the screen, what does not look better in all its worlds is dropped.

*Race.* The best `RACERS` of the rest run in fresh worlds until one is clearly ahead, all have
fallen back, or the worlds are used up. The winner must be ahead by the option `margin`, a number of
standard errors, and by the option `least_gain`, a number of points. Once the worlds that are left
can hardly take a racer across that line, its race is over.

Why a least gain? Of many actions the best-looking one is partly lucky, and imagined partners follow
the blueprint to the letter, so about half of a small gain is not real. With a draw pile of at most
`LATE` cards imagined games are short and the belief is sharp: a third of `least_gain` is enough.

*Nested search.* Near the end most games are lost for want of time, and players who search find ways
that the blueprint does not see. With a draw pile of at most `nested_pile` cards, an imagined game
that the blueprint does not win is therefore played again by players who search in `nested_samples`
worlds, and the better of the two results counts.
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
from hanabilab.strategies.seats import Seats, play_to_end, show_turn

__all__ = ["BLUEPRINT", "error", "find_best", "lead", "play_out"]

FUTURE_STREAM = 2
"""The purpose of the stream of imagined players from now on: the same for every action."""


@kernel
def play_out(memory: SearchMemory, action: int) -> int:
    """Return the points that are lost by the end if this action is taken in this world.

    Points that were out of reach before do not count. Late in the game, with the option
    `nested_samples`, a game in which the blueprint loses points is played again by players who
    search.
    """
    loss = follow_to_end(memory, action)
    if loss and memory.nested_samples and memory.world.state.draw_pile <= memory.nested_pile:
        return min(loss, search_to_end(memory, action))
    return loss


@kernel
def follow_to_end(memory: SearchMemory, action: int) -> int:
    """Return the points that are lost if everybody follows the blueprint after this action."""
    seats = memory.blueprint.seats
    if memory.blueprint.public:
        stream = private_stream(memory.world.origin, 0, FUTURE_STREAM)
        reset(seats.memories[0], memory.blueprint.memory, seats.words[0], stream)
    else:
        for player in range(memory.world.state.rules.players):
            stream = private_stream(memory.world.origin, player, FUTURE_STREAM)
            reset(
                seats.memories[player], memory.world.memories[player], seats.words[player], stream
            )
    return finish(memory, action, seats)


@kernel
def search_to_end(memory: SearchMemory, action: int) -> int:
    """Return the points that are lost if everybody searches a little after this action."""
    searchers = memory.table.searchers
    stream = private_stream(memory.world.origin, 0, FUTURE_STREAM)
    reset(searchers.memories[0], searchers.templates[0], searchers.words[0], stream)
    words = memory.blueprint.seats.words[0]
    reset(memory.table.searchers_memory, memory.blueprint.memory, words, stream)
    return finish(memory, action, searchers)


@kernel
def finish(memory: SearchMemory, action: int, seats: Seats) -> int:
    """Take an action and play this world to its end; return the points that are lost."""
    table = memory.table.state
    event = memory.table.event
    assign(table, memory.world.state)
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
    return memory.world.within_reach - final_score(table)


BLUEPRINT = 0
"""The place of the blueprint's action among those that are compared."""
FIRST_LOOK = 40
"""Worlds before the screen first asks whether there is anything to gain."""
NO_LOSS = 80
"""Worlds after which it gives up if the blueprint's action has lost no point."""
HOPELESS = -1.5
"""Standard errors of gain, beyond the least gain, at which the screen drops an action."""
GRAIN = 0.3
"""Added to the sum of deviations: a gain seen in one world of a few proves nothing."""
PROMISING = 0.7
"""Standard errors of gain that an action needs after the screen."""
RACERS = 3
LAP = 100
"""Worlds of the race between two looks."""
FALLEN_BACK = 0.3
"""Standard errors of gain below which a racer gives up."""
BEHIND = 1.5
"""Standard errors behind the first at which a racer gives up."""
HOPE = 1.5
CLEAR = 2.5
"""How many times the `doubt` of `is_decided` a racer must be below or above the line."""
LATE = 10
LATE_SHARE = 1 / 3
"""The part of the least gain that is enough with a draw pile of at most `LATE` cards."""


@kernel
def find_best(view: View, memory: SearchMemory) -> int:
    """Return the place of the action that is clearly better, or BLUEPRINT."""
    comparison = memory.comparison
    for place in range(memory.candidates.count):
        comparison.alive[place] = 1
        comparison.gain[place] = 0
        comparison.squares[place] = 0
        comparison.counted[place] = 0
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
            if (lost or comparison.imagined >= NO_LOSS) and not weed_out(view, memory):
                return False
    return True


@kernel
def score(memory: SearchMemory, place: int, loss: int) -> None:
    """Play an action out in this world, in which the blueprint's action loses `loss` points."""
    gain = loss - indirect_call(memory.table.play_out, memory, memory.candidates.actions[place])
    memory.comparison.gain[place] += gain
    memory.comparison.squares[place] += gain * gain


@kernel
def weed_out(view: View, memory: SearchMemory) -> bool:
    """Drop actions that are probably worse; return whether any other one may be better."""
    drop_below(memory, HOPELESS)
    for place in range(1, memory.candidates.count):
        memory.comparison.chosen[place] = 1 if memory.comparison.gain[place] > 0 else 0
    return catch_up(view, memory, HOPELESS)


@kernel
def sift(view: View, memory: SearchMemory) -> bool:
    """Keep the actions that look better in all worlds; return whether there are any."""
    drop_below(memory, PROMISING)
    for place in range(1, memory.candidates.count):
        memory.comparison.chosen[place] = 1
    return catch_up(view, memory, PROMISING)


@kernel
def catch_up(view: View, memory: SearchMemory, errors: float) -> bool:
    """Play chosen actions out in the worlds that were kept, and drop those that fall back.

    Return whether any action is left that was played out in such worlds, now or before.
    """
    comparison = memory.comparison
    for world in range(comparison.imagined):
        if comparison.losses[world] == 0 and is_any_behind(memory, world):
            if must_stop(memory):
                return False
            redeal_world(view, memory, comparison.worlds[world])
            for place in range(1, memory.candidates.count):
                if is_behind(memory, place, world):
                    score(memory, place, 0)
            drop_below(memory, errors)
    left = False
    for place in range(1, memory.candidates.count):
        if comparison.chosen[place]:
            comparison.counted[place] = comparison.imagined
        if comparison.alive[place] and comparison.counted[place]:
            left = True
    return left


@kernel
def is_any_behind(memory: SearchMemory, world: int) -> bool:
    """Return whether any chosen action must still be played out in a world that was kept."""
    behind = False
    for place in range(1, memory.candidates.count):
        if is_behind(memory, place, world):
            behind = True
    return behind


@kernel
def is_behind(memory: SearchMemory, place: int, world: int) -> bool:
    """Return whether a chosen action must still be played out in a world that was kept."""
    comparison = memory.comparison
    if comparison.alive[place] == 0 or comparison.chosen[place] == 0:
        return False
    return comparison.counted[place] <= world


@kernel
def drop_below(memory: SearchMemory, errors: float) -> None:
    """Drop actions that gain less than `errors` standard errors, or probably too little."""
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            gain = lead(memory, place)
            spread = error(memory, place)
            if gain <= errors * spread or gain < memory.comparison.least + HOPELESS * spread:
                memory.comparison.alive[place] = 0


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
    """Drop racers that fell back; return whether none is left, or only one that has clearly won.

    A racer's mean will still move by about `doubt` until the worlds are used up. It is settled once
    that is too little to take it across the line that it must pass in the end.
    """
    first = 0.0
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            first = max(first, lead(memory, place))
    share = min(1.0, memory.comparison.imagined / memory.limits.worlds)
    racers = 0
    clear = False
    for place in range(1, memory.candidates.count):
        if memory.comparison.alive[place]:
            mean = lead(memory, place)
            spread = error(memory, place)
            doubt = spread * sqrt(1.0 - share)
            line = max(memory.comparison.least, memory.margin * spread * sqrt(share))
            behind = mean < FALLEN_BACK * spread or mean < first - BEHIND * spread
            if behind or mean + HOPE * doubt < line:
                memory.comparison.alive[place] = 0
            else:
                racers += 1
                clear = mean - CLEAR * doubt > line
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
