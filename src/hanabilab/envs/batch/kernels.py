"""The loops of `hanabilab.envs.batch`: each works on the games `first` to `last` - 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hanabilab.core.bits import LOW_62, nth_lowest, popcount, spread
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.random import Rng, below, mix, private_stream
from hanabilab.core.record import Record, assign
from hanabilab.core.types import Ints
from hanabilab.game.actions import (
    MAX_MASK_BITS,
    decode_action,
    legal_mask,
    random_action,
    seat_after,
    write_legal_mask,
)
from hanabilab.game.deck import shuffle_deck
from hanabilab.game.encoding.kernels import encode, encode_greedy
from hanabilab.game.state import GOING_ON
from hanabilab.game.turn import deal, final_score, take_turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DEAL",
    "DISABLED",
    "GO_ON",
    "NEXT_STEP",
    "RANDOM_STEP",
    "SAME_STEP",
    "STEP",
    "Batch",
    "GamePlace",
    "Outputs",
    "Terms",
    "encode_games",
    "encode_seats",
    "play_games",
    "sample_games",
]

DEAL, STEP, RANDOM_STEP, GO_ON = 0, 1, 2, 3
"""What a loop does; the last one, take turns of partners whom Python asked, only beside partners.
One loop for all of it is compiled in half the time of several."""

SAME_STEP, NEXT_STEP, DISABLED = 0, 1, 2
"""When a finished game is followed by the next: at once, in the next step, or when one says so."""

RANDOM_PLAY = 1 << 40
"""The purpose of random legal actions, far from those of decks and strategies."""
FIRST_PLAYER = (1 << 41) + 1
"""The purpose of the draw of who begins."""

ONE = 0x3F80_0000
"""The bits of the float 1.0, those of 0.0 being zeros."""


class Terms(Record):
    """What all games have in common beside the rules."""

    stride: int
    """How far the next game of a place is from the last, in numbers."""
    only_final: int
    """Is the score rewarded at the end only?"""
    autoreset: int
    random_first: int
    """Does a random player begin?"""
    seat: int
    """The learner's seat beside partners; negative if everyone learns, `players` for any seat."""


class GamePlace(Rng):
    """What is kept for each game beside the table itself."""

    seed: int
    number: int
    """Which game of the seed it is."""
    final: int
    """The score of the last finished game; -1 before the first one."""
    final_turn: int
    """How many turns it took."""
    final_end: int
    """How it ended."""
    learner: int
    """The seat whose observations are written; negative for those of the player to move."""
    counted: int
    """How many points of this game have been rewarded."""
    acted: int
    """Has the learner acted in this game?"""
    deals: int
    """How many games have been dealt since the learner's last turn."""
    member: int
    """Which team of the population sits beside the learner."""
    key: int
    """What all streams of random numbers of this game have in common."""
    legal: int
    """The legal actions, a bit each, unless there are more than `MAX_MASK_BITS`."""


class Batch(NamedTuple):
    """All that the loops work with: an entry or a row for each game, then what the games share."""

    states: NDArray[np.void]
    decks: NDArray[np.int64]
    events: NDArray[np.void]
    """The last turns."""
    masks: NDArray[np.bool_]
    """The legal actions."""
    places: NDArray[np.void]
    greedies: NDArray[np.void]
    """What the last players would have done without exploring."""
    imagined: NDArray[np.void]
    """Room for the tables at which they do it; like the last one, only if that is observed."""
    terms: NDArray[np.void]
    """A single one, like the next three: passing an array is quicker than passing a record."""
    opening: NDArray[np.void]
    nothing: NDArray[np.void]
    """The turn before the first one."""
    layout: NDArray[np.void]
    """Of length 0 without an encoding."""
    cards: NDArray[np.int64]


class Outputs(NamedTuple):
    """What the loops write for the caller, an entry or a row for each game."""

    rows: NDArray[np.uint8]
    """Observations."""
    final_rows: NDArray[np.uint8]
    """Those of games that end; of length 0 if nobody wants them, like the two after it."""
    floats: NDArray[np.int32]
    """The same observations as floats of 32 bits, by the bits that stand for them."""
    final_floats: NDArray[np.int32]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]


@kernel
def play_games(
    first: int,
    last: int,
    task: int,
    batch: Batch,
    actions: Ints,
    greedy: Ints,
    outputs: Outputs,
) -> int:
    """Do a task in every game, write what is legal then, and what is observed.

    DEAL: deal the games whose `actions` are 1, with the numbers that stand at their places. STEP:
    take one turn in every game; a finished one is followed by the next as the terms say. Return the
    place of an illegal action, and then nothing has happened, or -1. RANDOM_STEP: choose the
    actions as well.
    """
    if task == STEP:
        illegal = first_illegal(first, last, batch, actions)
        if illegal >= 0:
            return illegal
    for game in range(first, last):
        if task == DEAL:
            deals = actions[game] != 0
        elif batch.states[game].end != GOING_ON:  # in the last step
            outputs.rewards[game] = 0
            outputs.done[game] = 0
            batch.places[game].number += batch.terms[0].stride
            deals = True
        else:
            if task == RANDOM_STEP:
                actions[game] = choose_randomly(batch, game)
            deals = act(batch, game, actions[game], greedy, outputs)
        if deals:
            deal_game(batch, game)
        write_legal(batch, game)
        if batch.layout[0].length > 0:
            # Floats are made from the same bytes in every game, which stay in the fastest memory.
            row = outputs.rows[first if len(outputs.floats) > 0 else game]
            observe(batch, game, 0, row, outputs.floats)
    return -1


@inlined
@kernel
def act(batch: Batch, game: int, action: int, greedy: Ints, outputs: Outputs) -> bool:
    """Take a turn and write what came of it; tell whether the next game is to be dealt."""
    state = batch.states[game]
    event = batch.events[game]
    terms = batch.terms[0]
    if batch.layout[0].greedy_action > 0:
        imagine(batch, game, greedy[game] if len(greedy) > 0 else action)
    before = final_score(state)
    decode_action(state, action, event)
    take_turn(state, batch.decks[game], event)
    after = final_score(state)
    over = state.end != GOING_ON
    outputs.done[game] = over
    outputs.rewards[game] = (after if over else 0) if terms.only_final else after - before
    if not over:
        return False
    note_end(batch, game, outputs)
    if terms.autoreset != SAME_STEP:
        return False
    batch.places[game].number += terms.stride
    return True


@kernel
def first_illegal(first: int, last: int, batch: Batch, actions: Ints) -> int:
    """Return the first place whose action is illegal, or -1."""
    for game in range(first, last):
        mask = batch.masks[game]
        if actions[game] < 0 or actions[game] >= len(mask) or not mask[actions[game]]:
            over = batch.states[game].end != GOING_ON
            if not (over and batch.terms[0].autoreset == NEXT_STEP):  # then it does not matter
                return game
    return -1


@inlined
@kernel
def write_legal(batch: Batch, game: int) -> None:
    """Write which actions are legal: none after the end of a game."""
    state = batch.states[game]
    mask = batch.masks[game]
    if state.end != GOING_ON:
        batch.places[game].legal = 0
        for action in range(len(mask)):
            mask[action] = 0
    elif len(mask) <= MAX_MASK_BITS:
        legal = legal_mask(state)
        batch.places[game].legal = legal
        spread(legal, len(mask), mask, 0)
    else:
        write_legal_mask(state, mask)


@kernel
def imagine(batch: Batch, game: int, action: int) -> None:
    """Take the turn of the greedy action at a copy of the table."""
    imagined = batch.imagined[game]
    assign(imagined, batch.states[game])
    decode_action(imagined, action, batch.greedies[game])
    take_turn(imagined, batch.decks[game], batch.greedies[game])


@kernel
def note_end(batch: Batch, game: int, outputs: Outputs) -> None:
    """Keep how a game ended, and what is observed at its end if there is room for it."""
    place = batch.places[game]
    state = batch.states[game]
    place.final = final_score(state)
    place.final_turn = state.turn
    place.final_end = state.end
    if len(outputs.final_rows) > 0 and batch.layout[0].length > 0:
        observe(batch, game, 0, outputs.final_rows[game], outputs.final_floats)


@kernel
def encode_games(
    first: int,
    last: int,
    steps: int,
    batch: Batch,
    rows: NDArray[np.uint8],
    floats: NDArray[np.int32],
) -> None:
    """Write what the player `steps` seats after the one who is shown the table observes."""
    for game in range(first, last):
        observe(batch, game, steps, rows[game], floats)


@kernel
def encode_seats(
    first: int,
    last: int,
    seat: int,
    width: int,
    batch: Batch,
    rows: NDArray[np.uint8],
    floats: NDArray[np.int32],
) -> None:
    """Write what `width` players from `seat` on observe, a row each, game by game."""
    for game in range(first, last):
        for player in range(width):
            place = game * width + player
            observe_as(batch, game, seat + player, rows[place])
            if len(floats) > 0:
                convert(rows[place], floats[place])


@kernel
def sample_games(first: int, last: int, batch: Batch, actions: Ints) -> None:
    """Choose a random legal action for each game, which depends only on the game and its turn."""
    for game in range(first, last):
        actions[game] = 0
        if batch.states[game].end == GOING_ON:
            actions[game] = choose_randomly(batch, game)


@inlined
@kernel
def choose_randomly(batch: Batch, game: int) -> int:
    """Return a legal action of a game that goes on, all equally likely."""
    place = batch.places[game]
    state = batch.states[game]
    key = mix(place.key + RANDOM_PLAY + state.turn & LOW_62)
    place.stream = mix(key) + key & LOW_62  # `private_stream` of this turn
    if len(batch.masks[game]) > MAX_MASK_BITS:
        return random_action(state, place)
    return nth_lowest(place.legal, below(place, popcount(place.legal)))


@kernel
def deal_game(batch: Batch, game: int) -> None:
    """Shuffle and deal the game whose number stands at this place."""
    deck = batch.decks[game]
    place = batch.places[game]
    state = batch.states[game]
    place.key = mix(mix(place.seed) + place.number & LOW_62)
    shuffle_deck(deck, batch.cards, place, place.seed, place.number)
    deal(state, batch.opening[0], deck)
    assign(batch.events[game], batch.nothing[0])
    if batch.layout[0].greedy_action > 0:
        assign(batch.greedies[game], batch.nothing[0])
    if batch.terms[0].random_first:
        place.stream = private_stream(place.seed, place.number, FIRST_PLAYER)
        state.player = below(place, state.rules.players)


@kernel
def observe(batch: Batch, game: int, steps: int, row: Ints, floats: NDArray[np.int32]) -> None:
    """Write what the learner observes, or else the player to move, or who sits `steps` later.

    The bytes are written into `row`, and from there into the floats of the game, if there are any.
    """
    state = batch.states[game]
    seat = batch.places[game].learner
    if seat < 0:
        seat = state.player
    observe_as(batch, game, seat_after(state, seat, steps), row)
    if len(floats) > 0:
        convert(row, floats[game])


@kernel
def observe_as(batch: Batch, game: int, player: int, row: Ints) -> None:
    """Write what a player observes."""
    layout = batch.layout[0]
    encode(batch.states[game], batch.events[game], player, layout, row)
    if layout.greedy_action > 0:
        encode_greedy(batch.states[game], batch.greedies[game], player, layout, row)


@kernel
def convert(row: Ints, floats: Ints) -> None:
    """Write zeros and ones as floats."""
    for place in range(len(row)):
        floats[place] = row[place] * ONE
