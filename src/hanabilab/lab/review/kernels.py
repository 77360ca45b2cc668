"""Kernels that play imagined games for a review: for the player of a turn, and for a spectator.

The player's worlds are those of `hanabilab.strategies.search`; see `values` for their use.
"""

from __future__ import annotations

from hanabilab.core.invoke import indirect_call
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Rng, private_stream, shuffle
from hanabilab.core.record import Ints, Record, assign, ints, nested
from hanabilab.game.actions import (
    Event,
    count_actions,
    count_legal,
    decode_action,
    is_legal,
    nth_legal,
)
from hanabilab.game.cards import HIDDEN_HAND
from hanabilab.game.state import State, View
from hanabilab.game.turn import take_turn
from hanabilab.strategies.search.kernels import begin, find_candidates, follow_blueprint, observe
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.replay import UNLIMITED
from hanabilab.strategies.search.worlds import deal_world, has_past, prepare_worlds
from hanabilab.strategies.strategy import MOST_ACTIONS

__all__ = [
    "NO_ACTION",
    "FollowedGame",
    "Samples",
    "evaluate_turn",
    "propose_actions",
    "shuffle_orders",
]

NO_ACTION = -1
WORLD_STREAM, ORDER_STREAM, SPECTATOR_STREAM = 101, 102, 103
"""The purposes of the random streams of a review."""


class FollowedGame(Record):
    """A game: the table as it was dealt, and as it is now."""

    start: State = nested(State)
    state: View = nested(View)
    event: Event = nested(Event)


class Samples(Record):
    """The number of samples of a turn, and their results."""

    seed: int
    early: int
    """Worlds of the first of the early stages."""
    few: int
    """Fresh worlds if the action taken is the convention's and looks best."""
    many: int
    """Fresh worlds otherwise."""
    convention: int
    """The action of the convention."""
    taken: int
    """The action that was taken, or NO_ACTION."""
    best: int
    """The action that looked best in the early worlds."""
    count: int
    """The number of legal actions."""
    worlds: int
    """Fresh worlds that were dealt."""
    surprises: int
    """The fewest actions of partners that any world left unexplained."""
    loss: int
    """Points of the best action minus those of the action taken, over all fresh worlds."""
    loss_squares: int
    play: int
    """Points of the action taken minus those of the convention's, over all fresh worlds."""
    play_squares: int
    actions: list[int] = ints(MOST_ACTIONS)
    alive: list[int] = ints(MOST_ACTIONS)
    points: list[int] = ints(MOST_ACTIONS)
    """Points of each action in this world."""
    tried: list[int] = ints(MOST_ACTIONS)
    """Number of worlds in which each action was tried: fresh ones if there were any, else early
    ones.
    """
    gains: list[int] = ints(MOST_ACTIONS)
    """Points of each action minus those of the action taken, over all worlds of `tried`."""
    squares: list[int] = ints(MOST_ACTIONS)
    value: int
    """Points of the action taken, over all fresh worlds."""
    value_squares: int


@kernel
def evaluate_turn(
    memory: SearchMemory,
    game: FollowedGame,
    deck: Ints,
    actions: list[int],
    turns: int,
    samples: Samples,
    orders: list[list[int]],
    taken_points: Ints,
    convention_points: Ints,
) -> int:
    """Evaluate the turn after `turns` turns for its player and for a spectator.

    Return 0, or 1 if the convention's action is not legal.
    """
    state = game.state
    assign(state, game.start)
    memory.stream = private_stream(samples.seed, turns, WORLD_STREAM)
    me = player_of(game, deck, actions, turns)
    follow_game(memory, game, deck, actions, turns, me, actions[:0])
    samples.taken = actions[turns] if turns < len(actions) else NO_ACTION
    samples.count = 0
    samples.worlds = 0
    samples.best = samples.taken
    hand = hide_hand(state, me)
    find_candidates(state, memory)
    samples.convention = follow_blueprint(state, memory)
    if not is_possible(state, game.event, samples.convention):
        return 1
    compared = samples.early > 0 or samples.taken != samples.convention
    if samples.taken != NO_ACTION and compared:
        compare_actions(state, memory, samples)
    state.hands[me] = hand
    watch(memory, state, deck, samples, orders, taken_points, convention_points)
    return 0


@kernel
def is_possible(state: State, event: Event, action: int) -> bool:
    """Return whether this is the number of a legal action."""
    if action < 0 or action >= count_actions(state):
        return False
    decode_action(state, action, event)
    return is_legal(state, event)


@kernel
def player_of(game: FollowedGame, deck: Ints, actions: Ints, turns: int) -> int:
    """Return the player who acts after this number of turns."""
    assign(game.state, game.start)
    for turn in range(turns):
        decode_action(game.state, actions[turn], game.event)
        take_turn(game.state, deck, game.event)
    return game.state.player


@kernel
def follow_game(
    memory: SearchMemory,
    game: FollowedGame,
    deck: Ints,
    actions: Ints,
    turns: int,
    me: int,
    proposed: Ints,
) -> None:
    """Follow the first turns of a game from a seat, as a player who keeps to the convention.

    Write the convention's proposals for this player's turns, as far as they fit.
    """
    state = game.state
    assign(state, game.start)
    hand = hide_hand(state, me)
    begin(state, memory)
    for turn in range(turns):
        if state.player == me:
            action = follow_blueprint(state, memory)
            if turn < len(proposed):
                proposed[turn] = action
        state.hands[me] = hand
        decode_action(state, actions[turn], game.event)
        take_turn(state, deck, game.event)
        hand = hide_hand(state, me)
        observe(state, game.event, memory)
    state.hands[me] = hand


@kernel
def hide_hand(state: State, player: int) -> int:
    """Turn the state into a player's view; return the hand to put back."""
    hand = state.hands[player]
    state.observer = player
    state.hands[player] = HIDDEN_HAND
    return hand


@kernel
def compare_actions(view: View, memory: SearchMemory, samples: Samples) -> None:
    """Compare all legal actions in early worlds, then the few that matter in fresh ones."""
    samples.count = min(count_legal(view), MOST_ACTIONS)
    samples.loss = 0
    samples.loss_squares = 0
    samples.play = 0
    samples.play_squares = 0
    samples.value = 0
    samples.value_squares = 0
    for place in range(samples.count):
        samples.actions[place] = nth_legal(view, place)
        samples.alive[place] = 1
        forget(samples, place)
    prepare_worlds(view, memory)
    try_actions(view, memory, samples, samples.early, False)
    drop_worst(samples, samples.count // 2)
    try_actions(view, memory, samples, samples.early, False)
    drop_worst(samples, samples.count // 4)
    try_actions(view, memory, samples, 2 * samples.early, False)
    settled = choose_best(samples)
    try_actions(view, memory, samples, samples.few if settled else samples.many, True)
    samples.surprises = memory.world.fewest


@kernel
def try_actions(
    view: View, memory: SearchMemory, samples: Samples, worlds: int, fresh: bool
) -> None:
    """Play out the actions that are left in new worlds."""
    for _ in range(worlds):
        if not deal_world(view, memory):
            return
        points = points_of(memory, samples.taken)
        for place in range(samples.count):
            if samples.alive[place]:
                gain = 0
                if samples.actions[place] != samples.taken:
                    gain = points_of(memory, samples.actions[place]) - points
                samples.points[place] = points + gain
                samples.tried[place] += 1
                samples.gains[place] += gain
                samples.squares[place] += gain * gain
        if fresh:
            compare_points(samples)


@kernel
def forget(samples: Samples, place: int) -> None:
    """Reset the sums of an action."""
    samples.tried[place] = 0
    samples.gains[place] = 0
    samples.squares[place] = 0


@kernel
def points_of(memory: SearchMemory, action: int) -> int:
    """Return the final points if an action is taken in this world."""
    return memory.world.within_reach - indirect_call(memory.table.play_out, memory, action)


@kernel
def compare_points(samples: Samples) -> None:
    """Record the differences between the three relevant actions in a fresh world."""
    taken = samples.points[place_of(samples, samples.taken)]
    loss = samples.points[place_of(samples, samples.best)] - taken
    play = taken - samples.points[place_of(samples, samples.convention)]
    samples.worlds += 1
    samples.value += taken
    samples.value_squares += taken * taken
    samples.loss += loss
    samples.loss_squares += loss * loss
    samples.play += play
    samples.play_squares += play * play


@kernel
def place_of(samples: Samples, action: int) -> int:
    """Return the index of an action among the legal ones."""
    for place in range(samples.count):
        if samples.actions[place] == action:
            return place
    return 0


@kernel
def drop_worst(samples: Samples, count: int) -> None:
    """Drop the worst actions, but not the one taken or the convention's."""
    for _ in range(count):
        worst = NO_ACTION
        for place in range(samples.count):
            action = samples.actions[place]
            matters = action == samples.taken or action == samples.convention
            if (
                samples.alive[place]
                and not matters
                and (worst == NO_ACTION or samples.gains[place] < samples.gains[worst])
            ):
                worst = place
        if worst != NO_ACTION:
            samples.alive[worst] = 0


@kernel
def choose_best(samples: Samples) -> bool:
    """Choose the best action, and start fresh sums for the relevant ones.

    Another action must be ahead of the one taken by about a standard error; smaller leads are
    noise. Return whether there is nothing to compare: the action taken is the convention's and the
    best.
    """
    best = place_of(samples, samples.taken)
    convention = place_of(samples, samples.convention)
    if samples.gains[convention] > samples.gains[best]:
        best = convention
    for place in range(samples.count):
        gain = samples.gains[place]
        ahead = gain > 0 and gain * gain > samples.squares[place]
        if samples.alive[place] and ahead and gain > samples.gains[best]:
            best = place
    samples.best = samples.actions[best]
    for place in range(samples.count):
        action = samples.actions[place]
        matters = action == samples.taken or action == samples.convention or place == best
        samples.alive[place] = 1 if matters else 0
        if matters:
            forget(samples, place)
    return samples.best == samples.taken and samples.taken == samples.convention


@kernel
def watch(
    memory: SearchMemory,
    state: State,
    deck: Ints,
    samples: Samples,
    orders: list[list[int]],
    taken_points: Ints,
    convention_points: Ints,
) -> None:
    """Play out both actions with the true hands, in every order of the draw pile."""
    first = state.rules.deck_size - state.draw_pile
    for place in range(state.rules.deck_size):
        memory.world.deck[place] = deck[place]
    memory.world.origin = private_stream(samples.seed, 0, SPECTATOR_STREAM)
    assign(memory.world.state, state)
    if has_past(memory):
        indirect_call(memory.table.replay, memory, UNLIMITED)
    for number in range(len(orders)):
        memory.world.origin = private_stream(samples.seed, number, SPECTATOR_STREAM)
        place = first
        for other in orders[number]:
            if other >= first:
                memory.world.deck[place] = deck[other]
                place += 1
        convention_points[number] = points_of(memory, samples.convention)
        if samples.taken != NO_ACTION:
            taken_points[number] = convention_points[number]
            if samples.taken != samples.convention:
                taken_points[number] = points_of(memory, samples.taken)


@kernel
def propose_actions(
    memory: SearchMemory, game: FollowedGame, deck: Ints, actions: Ints, proposed: Ints
) -> None:
    """Write what the convention proposes in every turn of a game."""
    for player in range(game.start.rules.players):
        follow_game(memory, game, deck, actions, len(actions), player, proposed)


@kernel
def shuffle_orders(orders: list[list[int]], rng: Rng, seed: int) -> None:
    """Write random orders of the cards of a deck."""
    for number in range(len(orders)):
        order = orders[number]
        for place in range(len(order)):
            order[place] = place
        rng.stream = private_stream(seed, number, ORDER_STREAM)
        shuffle(order, rng)
