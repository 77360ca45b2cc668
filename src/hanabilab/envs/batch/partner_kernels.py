"""Steps of a learner beside partners: each goes on until it is the learner's turn again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hanabilab.core.invoke import reset
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below, private_stream
from hanabilab.core.record import assign
from hanabilab.core.types import Ints
from hanabilab.envs.batch.kernels import (
    DEAL,
    GO_ON,
    SAME_STEP,
    STEP,
    Batch,
    Outputs,
    deal_game,
    first_illegal,
    imagine,
    note_end,
    observe,
    observe_as,
    write_legal,
)
from hanabilab.envs.population import COMPANY, draw_member
from hanabilab.game.actions import count_actions, decode_action, is_legal, write_legal_mask
from hanabilab.game.deck import STRATEGY_STREAMS
from hanabilab.game.state import GOING_ON
from hanabilab.game.turn import final_score, take_turn
from hanabilab.strategies.seats import choose_action, show_start, show_turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BUSY",
    "NO_TURN",
    "TROUBLE",
    "Guests",
    "look_as_mover",
    "play_beside",
    "take_places",
]

TROUBLE = -2
"""Of game g it is told by the number TROUBLE - g."""
NO_TURN = -(1 << 62)
"""Recorded instead of an action: too many games ended before the learner had a turn."""
BUSY = NO_TURN + 1
"""Recorded while partners are asked, so that a failure finds its game."""
MOST_DEALS = 1_000


class Guests(NamedTuple):
    """The partners: first an entry for each game, then what the games share."""

    seats: NDArray[np.void]
    answers: NDArray[np.int64]
    """What a partner said who did something wrong."""
    shown: NDArray[np.void]
    """Room for copies of tables, like the next one: only if a strategy must be given copies."""
    told: NDArray[np.void]
    templates: NDArray[np.void]
    """The seats of each team for each seat of the learner; memories are places in their room."""
    interpreted: NDArray[np.bool_]
    """The teams that Python asks."""
    reached: Sequence[float]
    """The sums of the weights of the teams."""
    room: NDArray[np.int64]
    """The address of the memories, and the bytes of each game."""
    no_greedy: NDArray[np.int64]
    """Nothing: the greedy actions of partners are those that they take."""


@kernel
def play_beside(
    first: int,
    last: int,
    task: int,
    batch: Batch,
    guests: Guests,
    actions: Ints,
    greedy: Ints,
    outputs: Outputs,
) -> int:
    """Do a task in every game, and let partners act until it is the learner's turn again.

    DEAL: deal the games whose `actions` are 1. STEP: take the learner's turns. GO_ON: take the
    turns of partners whom Python asked, where there is an action. Return the place of an illegal
    action, and then nothing has happened; -1 if all went well; or less if a partner did something
    wrong. Where Python must ask a partner, the game waits.
    """
    if task == STEP:
        illegal = first_illegal(first, last, batch, actions)
        if illegal >= 0:
            return illegal
    for game in range(first, last):
        guests.answers[game] = BUSY
        waits = False
        if task == GO_ON:
            waits = actions[game] < 0
            if not waits:
                act_in_game(batch, game, actions[game], guests.no_greedy)
        elif task == DEAL:
            waits = actions[game] == 0
            if waits:
                show(batch, game, outputs)
            else:
                sit_down(batch, guests, game)
        else:
            start_step(batch, guests, game, actions[game], greedy, outputs)
        if not waits and not reach_learner(batch, guests, game, outputs):
            return TROUBLE - game
        guests.answers[game] = 0
    return -1


@kernel
def start_step(
    batch: Batch, guests: Guests, game: int, action: int, greedy: Ints, outputs: Outputs
) -> None:
    """Take the learner's turn, or deal the next game if this one ended in the last step."""
    outputs.done[game] = 0
    outputs.rewards[game] = 0
    if batch.states[game].end != GOING_ON:
        sit_down_again(batch, guests, game)
    else:
        batch.places[game].acted = 1
        act_in_game(batch, game, action, greedy)
        show_last_turn(batch, guests, game)


@kernel
def reach_learner(
    batch: Batch,
    guests: Guests,
    game: int,
    outputs: Outputs,
) -> bool:
    """Play until the learner is to move, Python must ask, or the game is over and stays so.

    A game that ends before the learner has had a turn is followed by the next one. Return False if
    a partner did something wrong.
    """
    place = batch.places[game]
    state = batch.states[game]
    while True:
        if state.end != GOING_ON:
            if place.acted:
                outputs.done[game] = 1
                outputs.rewards[game] = earned(batch, game)
                note_end(batch, game, outputs)
                if batch.terms[0].autoreset != SAME_STEP:
                    break
            place.deals += 1
            if place.deals > MOST_DEALS:
                guests.answers[game] = NO_TURN
                return False
            sit_down_again(batch, guests, game)
        elif state.player == place.learner:
            place.deals = 0
            break
        elif guests.interpreted[place.member]:
            return True
        elif not act_as_partner(batch, guests, game):
            return False
    if place.acted and not outputs.done[game]:
        outputs.rewards[game] = earned(batch, game)
    show(batch, game, outputs)
    return True


@kernel
def act_in_game(batch: Batch, game: int, action: int, greedy: Ints) -> None:
    """Take a turn; where it is observed, also imagine the greedy one (by default the same)."""
    if batch.layout[0].greedy_action > 0:
        imagine(batch, game, greedy[game] if len(greedy) > 0 else action)
    state = batch.states[game]
    decode_action(state, action, batch.events[game])
    take_turn(state, batch.decks[game], batch.events[game])


@kernel
def show(batch: Batch, game: int, outputs: Outputs) -> None:
    """Write the legal actions, none after the end, and the observation."""
    write_legal(batch, game)
    if batch.layout[0].length > 0:
        observe(batch, game, 0, outputs.rows[game], outputs.floats)


@kernel
def earned(batch: Batch, game: int) -> int:
    """Return the reward for what has happened since the last one, and count it."""
    place = batch.places[game]
    state = batch.states[game]
    score = final_score(state)
    before: int = place.counted
    place.counted = score
    if batch.terms[0].only_final:
        return score if state.end != GOING_ON else 0
    return score - before


@kernel
def act_as_partner(batch: Batch, guests: Guests, game: int) -> bool:
    """Let the partner who is to move act; return False for an action that is not legal."""
    state = batch.states[game]
    seats = guests.seats[game]
    room = game if seats.guarded else 0
    action = choose_action(state, state.player, seats, guests.shown[room])
    event = batch.events[game]
    legal = action >= 0 and action < count_actions(state)
    if legal:
        decode_action(state, action, event)
        legal = is_legal(state, event)
    if not legal:
        guests.answers[game] = action
        return False
    act_in_game(batch, game, action, guests.no_greedy)
    show_last_turn(batch, guests, game)
    return True


@kernel
def show_last_turn(batch: Batch, guests: Guests, game: int) -> None:
    """Show the partners what happened."""
    seats = guests.seats[game]
    room = game if seats.guarded else 0
    event = batch.events[game]
    show_turn(batch.states[game], event, seats, guests.shown[room], guests.told[room])


@kernel
def sit_down_again(batch: Batch, guests: Guests, game: int) -> None:
    """Deal the next game at a place."""
    batch.places[game].number += batch.terms[0].stride
    sit_down(batch, guests, game)


@kernel
def sit_down(batch: Batch, guests: Guests, game: int) -> None:
    """Deal a game, draw the partners and the learner's seat, and show the partners the table."""
    deal_game(batch, game)
    state = batch.states[game]
    place = batch.places[game]
    place.counted = 0
    place.acted = 0
    place.stream = private_stream(place.seed, place.number, COMPANY)
    place.member = draw_member(place, guests.reached)
    place.learner = batch.terms[0].seat
    if place.learner == state.rules.players:
        place.learner = below(place, state.rules.players)
    take_place(batch, guests, game)
    seats = guests.seats[game]
    room = game if seats.guarded else 0
    for player in range(state.rules.players):
        if seats.acts[player]:
            coins = private_stream(place.seed, place.number, STRATEGY_STREAMS + player)
            reset(seats.memories[player], seats.templates[player], seats.words[player], coins)
            show_start(state, player, seats, guests.shown[room])


@kernel
def take_place(batch: Batch, guests: Guests, game: int) -> None:
    """Let the functions and memories of the partners be found."""
    place = batch.places[game]
    seats = guests.seats[game]
    players = batch.opening[0].rules.players
    assign(seats, guests.templates[place.member * players + place.learner])
    for player in range(players):
        seats.memories[player] += guests.room[0] + game * guests.room[1]


@kernel
def take_places(first: int, last: int, batch: Batch, guests: Guests) -> None:
    """Find them again in all games, after their memories have been put elsewhere."""
    for game in range(first, last):
        take_place(batch, guests, game)


@kernel
def look_as_mover(
    first: int, last: int, batch: Batch, chosen: Ints, rows: Sequence[Ints], masks: Sequence[Ints]
) -> None:
    """Write what the player to move observes, and may do, in the games that are chosen."""
    for game in range(first, last):
        if chosen[game]:
            state = batch.states[game]
            observe_as(batch, game, state.player, rows[game])
            write_legal_mask(state, masks[game])
