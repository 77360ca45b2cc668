"""The loops of `hanabilab.envs.batch`: each works on the games `first` to `last` - 1.

Without partners, a step is one turn (`play_games`). With partners, who act until it is the
learner's turn again, it is several (`play_with_partners`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hanabilab.core.bits import LOW_62, nth_lowest, popcount, spread
from hanabilab.core.invoke import reset
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.random import Rng, below, mix, private_stream
from hanabilab.core.record import Ints, Record, assign
from hanabilab.envs.population import PARTNER_DRAW, draw_team
from hanabilab.envs.stepper import FIRST_PLAYER
from hanabilab.game.actions import (
    MAX_MASK_BITS,
    count_actions,
    decode_action,
    is_legal,
    legal_mask,
    random_action,
    seat_after,
    write_legal_mask,
)
from hanabilab.game.deck import STRATEGY_STREAMS, shuffle_deck
from hanabilab.game.encoding.kernels import encode, encode_greedy
from hanabilab.game.state import GOING_ON
from hanabilab.game.turn import deal, final_score, take_turn
from hanabilab.strategies.seats import choose_action, show_start, show_turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DEAL",
    "DISABLED",
    "LEARNER_NEVER_ACTS",
    "NEXT_STEP",
    "PARTNER_FAILED",
    "RANDOM_STEP",
    "RESUME",
    "RUNNING",
    "SAME_STEP",
    "STEP",
    "Batch",
    "BatchOptions",
    "EnvRecord",
    "Outputs",
    "PartnerArrays",
    "encode_games",
    "encode_seats",
    "observe_current_player",
    "play_games",
    "play_with_partners",
    "rebind_partners",
    "sample_games",
]

DEAL, STEP, RANDOM_STEP, RESUME = 0, 1, 2, 3
"""Tasks of a loop; RESUME takes the turns of partners written in Python, so it needs partners. One
loop for all tasks compiles in half the time of several.
"""

SAME_STEP, NEXT_STEP, DISABLED = 0, 1, 2
"""When the next game follows a finished one: at once, in the next step, or on request."""

RANDOM_PLAY = 1 << 40
"""The random stream of random legal actions, distinct from those of decks and strategies."""

ONE = 0x3F80_0000
"""The bit pattern of the float 1.0; that of 0.0 is all zeros."""


PARTNER_FAILED = -2
"""Result of a loop: `PARTNER_FAILED` - g means that a partner failed in game g."""
LEARNER_NEVER_ACTS = -(1 << 62)
"""Status of a game: too many games ended before the learner had a turn."""
RUNNING = LEARNER_NEVER_ACTS + 1
"""Status of a game while its partners act, so that a kernel failure can be attributed."""
MOST_DEALS = 1_000


class BatchOptions(Record):
    """Options that all games share, apart from the rules."""

    stride: int
    """The difference between the numbers of successive games of a sub-environment."""
    only_final: int
    """1 if the only reward is the score at the end."""
    autoreset: int
    random_first: int
    """1 if a random player begins."""
    seat: int
    """The learner's seat; negative if everyone learns, `players` for a random seat."""


class EnvRecord(Rng):
    """Bookkeeping of one sub-environment, apart from the state of its game."""

    seed: int
    number: int
    """The number of the game within its seed."""
    final: int
    """The score of the last finished game; -1 before the first one."""
    final_turn: int
    """The number of turns of the last finished game."""
    final_end: int
    """How the last finished game ended."""
    learner: int
    """The seat whose observations are written; negative for the player to move."""
    counted: int
    """The number of points of this game already rewarded."""
    acted: int
    """1 if the learner has acted in this game."""
    deals: int
    """The number of games dealt since the learner's last turn."""
    team: int
    """The team of the population that plays with the learner."""
    key: int
    """The part of the key that all random streams of this game share."""
    legal: int
    """The legal actions as a bit mask, unless there are more than `MAX_MASK_BITS` actions."""


class Batch(NamedTuple):
    """The arrays of all games: first those with one row per game, then the shared ones."""

    states: NDArray[np.void]
    decks: NDArray[np.int64]
    events: NDArray[np.void]
    """The last turns."""
    masks: NDArray[np.bool_]
    """The legal actions."""
    places: NDArray[np.void]
    greedies: NDArray[np.void]
    """What the last players would have done without exploring."""
    greedy_states: NDArray[np.void]
    """Scratch space for the states after the greedy actions; of length 1 if not observed."""
    options: NDArray[np.void]
    """A single record, like the next three: passing an array is faster than passing a record."""
    initial_state: NDArray[np.void]
    no_event: NDArray[np.void]
    """The event before the first turn."""
    layout: NDArray[np.void]
    """Of length 0 without an encoding."""
    cards: NDArray[np.int64]


class Outputs(NamedTuple):
    """The outputs of the loops, one entry or row per game."""

    rows: NDArray[np.uint8]
    """Observations."""
    final_rows: NDArray[np.uint8]
    """Observations of games that end; empty if the caller does not want them, like the next two."""
    floats: NDArray[np.int32]
    """The same observations as bit patterns of 32-bit floats."""
    final_floats: NDArray[np.int32]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]


class PartnerArrays(NamedTuple):
    """The partners: first arrays with one entry per game, then the shared ones."""

    seats: NDArray[np.void]
    status: NDArray[np.int64]
    """`RUNNING`, `LEARNER_NEVER_ACTS`, the illegal action of a partner, or 0."""
    view_copies: NDArray[np.void]
    """Scratch space for the views of users' strategies; of length 1 if there are none."""
    event_copies: NDArray[np.void]
    templates: NDArray[np.void]
    """The seats of each team for each seat of the learner; memories are byte offsets."""
    interpreted: NDArray[np.bool_]
    """Which teams run in Python."""
    cumulative_weights: Sequence[float]
    """Cumulative weights of the teams."""
    memory_base: NDArray[np.int64]
    """The address of the memories, and the number of bytes per game."""
    no_greedy: NDArray[np.int64]
    """An empty array, because partners never explore."""


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
    """Run a task in every game, and write the legal actions and the observations.

    DEAL deals the games whose `actions` are 1, by the numbers in their `EnvRecord`. STEP takes one
    turn in every game; a finished game is followed by the next as the options say. RANDOM_STEP
    chooses the actions as well. Return the index of a game with an illegal action, in which case no
    game has changed, or -1.
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
            batch.places[game].number += batch.options[0].stride
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
    """Take a turn and write its outcome; return whether the next game must be dealt."""
    state = batch.states[game]
    event = batch.events[game]
    options = batch.options[0]
    if batch.layout[0].greedy_action > 0:
        simulate_greedy(batch, game, greedy[game] if len(greedy) > 0 else action)
    before = final_score(state)
    decode_action(state, action, event)
    take_turn(state, batch.decks[game], event)
    after = final_score(state)
    over = state.end != GOING_ON
    outputs.done[game] = over
    outputs.rewards[game] = (after if over else 0) if options.only_final else after - before
    if not over:
        return False
    record_end(batch, game, outputs)
    if options.autoreset != SAME_STEP:
        return False
    batch.places[game].number += options.stride
    return True


@kernel
def first_illegal(first: int, last: int, batch: Batch, actions: Ints) -> int:
    """Return the first game whose action is illegal, or -1."""
    for game in range(first, last):
        mask = batch.masks[game]
        if actions[game] < 0 or actions[game] >= len(mask) or not mask[actions[game]]:
            over = batch.states[game].end != GOING_ON
            if not (over and batch.options[0].autoreset == NEXT_STEP):  # then it does not matter
                return game
    return -1


@inlined
@kernel
def write_legal(batch: Batch, game: int) -> None:
    """Write which actions are legal: none once a game is over."""
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
def simulate_greedy(batch: Batch, game: int, action: int) -> None:
    """Take the turn of the greedy action in a copy of the state."""
    state = batch.greedy_states[game]
    assign(state, batch.states[game])
    decode_action(state, action, batch.greedies[game])
    take_turn(state, batch.decks[game], batch.greedies[game])


@kernel
def record_end(batch: Batch, game: int, outputs: Outputs) -> None:
    """Record how a game ended, and its last observation if the caller wants it."""
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
    """Write the observation of the player `steps` seats after the usual observer."""
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
    """Write the observations of `width` players from `seat` on, one row each, game by game."""
    for game in range(first, last):
        for player in range(width):
            place = game * width + player
            observe_as(batch, game, seat + player, rows[place])
            if len(floats) > 0:
                convert(rows[place], floats[place])


@kernel
def sample_games(first: int, last: int, batch: Batch, actions: Ints) -> None:
    """Choose a random legal action for each game; it depends only on the game and its turn."""
    for game in range(first, last):
        actions[game] = 0
        if batch.states[game].end == GOING_ON:
            actions[game] = choose_randomly(batch, game)


@inlined
@kernel
def choose_randomly(batch: Batch, game: int) -> int:
    """Return a random legal action of a running game, all equally likely."""
    place = batch.places[game]
    state = batch.states[game]
    key = mix(place.key + RANDOM_PLAY + state.turn & LOW_62)
    place.stream = mix(key) + key & LOW_62  # `private_stream` of this turn
    if len(batch.masks[game]) > MAX_MASK_BITS:
        return random_action(state, place)
    return nth_lowest(place.legal, below(place, popcount(place.legal)))


@kernel
def deal_game(batch: Batch, game: int) -> None:
    """Shuffle and deal the game whose number is in its `EnvRecord`."""
    deck = batch.decks[game]
    place = batch.places[game]
    state = batch.states[game]
    place.key = mix(mix(place.seed) + place.number & LOW_62)
    shuffle_deck(deck, batch.cards, place, place.seed, place.number)
    deal(state, batch.initial_state[0], deck)
    assign(batch.events[game], batch.no_event[0])
    if batch.layout[0].greedy_action > 0:
        assign(batch.greedies[game], batch.no_event[0])
    if batch.options[0].random_first:
        place.stream = private_stream(place.seed, place.number, FIRST_PLAYER)
        state.player = below(place, state.rules.players)


@kernel
def observe(batch: Batch, game: int, steps: int, row: Ints, floats: NDArray[np.int32]) -> None:
    """Write the observation of the player `steps` seats after the learner or the player to move.

    The bytes are written into `row` and, if floats are wanted, converted from there.
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
    """Write the observation of a player."""
    layout = batch.layout[0]
    encode(batch.states[game], batch.events[game], player, layout, row)
    if layout.greedy_action > 0:
        encode_greedy(batch.states[game], batch.greedies[game], player, layout, row)


@kernel
def convert(row: Ints, floats: Ints) -> None:
    """Convert zeros and ones to floats."""
    for place in range(len(row)):
        floats[place] = row[place] * ONE


@kernel
def play_with_partners(
    first: int,
    last: int,
    task: int,
    batch: Batch,
    partners: PartnerArrays,
    actions: Ints,
    greedy: Ints,
    outputs: Outputs,
) -> int:
    """Run a task in every game, then let partners act until it is the learner's turn again.

    DEAL deals the games whose `actions` are 1. STEP takes the learner's turns. RESUME takes the
    turns of partners that run in Python, for `actions` that are not negative. Return the index of a
    game with an illegal action, in which case no game has changed; -1 on success; or
    `PARTNER_FAILED` - g. A game whose next partner runs in Python waits for RESUME.
    """
    if task == STEP:
        illegal = first_illegal(first, last, batch, actions)
        if illegal >= 0:
            return illegal
    for game in range(first, last):
        partners.status[game] = RUNNING
        waits = False
        if task == RESUME:
            waits = actions[game] < 0
            if not waits:
                act_in_game(batch, game, actions[game], partners.no_greedy)
        elif task == DEAL:
            waits = actions[game] == 0
            if waits:
                show(batch, game, outputs)
            else:
                start_game(batch, partners, game)
        else:
            start_step(batch, partners, game, actions[game], greedy, outputs)
        if not waits and not advance_to_learner(batch, partners, game, outputs):
            return PARTNER_FAILED - game
        partners.status[game] = 0
    return -1


@kernel
def start_step(
    batch: Batch, partners: PartnerArrays, game: int, action: int, greedy: Ints, outputs: Outputs
) -> None:
    """Take the learner's turn, or deal the next game if this one ended in the last step."""
    outputs.done[game] = 0
    outputs.rewards[game] = 0
    if batch.states[game].end != GOING_ON:
        start_next_game(batch, partners, game)
    else:
        batch.places[game].acted = 1
        act_in_game(batch, game, action, greedy)
        show_last_turn(batch, partners, game)


@kernel
def advance_to_learner(
    batch: Batch,
    partners: PartnerArrays,
    game: int,
    outputs: Outputs,
) -> bool:
    """Play until the learner is to move, a partner must act in Python, or the game is over.

    A game that ends before the learner's first turn is followed by the next one. Return False if a
    partner failed.
    """
    place = batch.places[game]
    state = batch.states[game]
    while True:
        if state.end != GOING_ON:
            if place.acted:
                outputs.done[game] = 1
                outputs.rewards[game] = collect_reward(batch, game)
                record_end(batch, game, outputs)
                if batch.options[0].autoreset != SAME_STEP:
                    break
            place.deals += 1
            if place.deals > MOST_DEALS:
                partners.status[game] = LEARNER_NEVER_ACTS
                return False
            start_next_game(batch, partners, game)
        elif state.player == place.learner:
            place.deals = 0
            break
        elif partners.interpreted[place.team]:
            return True
        elif not act_as_partner(batch, partners, game):
            return False
    if place.acted and not outputs.done[game]:
        outputs.rewards[game] = collect_reward(batch, game)
    show(batch, game, outputs)
    return True


@kernel
def act_in_game(batch: Batch, game: int, action: int, greedy: Ints) -> None:
    """Take a turn; if it is observed, simulate the greedy action too."""
    if batch.layout[0].greedy_action > 0:
        simulate_greedy(batch, game, greedy[game] if len(greedy) > 0 else action)
    state = batch.states[game]
    decode_action(state, action, batch.events[game])
    take_turn(state, batch.decks[game], batch.events[game])


@kernel
def show(batch: Batch, game: int, outputs: Outputs) -> None:
    """Write the legal actions (none once the game is over) and the observation."""
    write_legal(batch, game)
    if batch.layout[0].length > 0:
        observe(batch, game, 0, outputs.rows[game], outputs.floats)


@kernel
def collect_reward(batch: Batch, game: int) -> int:
    """Return the reward for all turns since the last reward."""
    place = batch.places[game]
    state = batch.states[game]
    score = final_score(state)
    before: int = place.counted
    place.counted = score
    if batch.options[0].only_final:
        return score if state.end != GOING_ON else 0
    return score - before


@kernel
def act_as_partner(batch: Batch, partners: PartnerArrays, game: int) -> bool:
    """Let the partner to move act; return False if the action is illegal."""
    state = batch.states[game]
    seats = partners.seats[game]
    scratch = game if seats.guarded else 0
    action = choose_action(state, state.player, seats, partners.view_copies[scratch])
    event = batch.events[game]
    legal = action >= 0 and action < count_actions(state)
    if legal:
        decode_action(state, action, event)
        legal = is_legal(state, event)
    if not legal:
        partners.status[game] = action
        return False
    act_in_game(batch, game, action, partners.no_greedy)
    show_last_turn(batch, partners, game)
    return True


@kernel
def show_last_turn(batch: Batch, partners: PartnerArrays, game: int) -> None:
    """Show the partners the last turn."""
    seats = partners.seats[game]
    scratch = game if seats.guarded else 0
    event = batch.events[game]
    show_turn(
        batch.states[game],
        event,
        seats,
        partners.view_copies[scratch],
        partners.event_copies[scratch],
    )


@kernel
def start_next_game(batch: Batch, partners: PartnerArrays, game: int) -> None:
    """Deal the next game of a sub-environment."""
    batch.places[game].number += batch.options[0].stride
    start_game(batch, partners, game)


@kernel
def start_game(batch: Batch, partners: PartnerArrays, game: int) -> None:
    """Deal a game, draw a team and the learner's seat, and show the partners the first view."""
    deal_game(batch, game)
    state = batch.states[game]
    place = batch.places[game]
    place.counted = 0
    place.acted = 0
    place.stream = private_stream(place.seed, place.number, PARTNER_DRAW)
    place.team = draw_team(place, partners.cumulative_weights)
    place.learner = batch.options[0].seat
    if place.learner == state.rules.players:
        place.learner = below(place, state.rules.players)
    bind_partners(batch, partners, game)
    seats = partners.seats[game]
    scratch = game if seats.guarded else 0
    for player in range(state.rules.players):
        if seats.acts[player]:
            stream = private_stream(place.seed, place.number, STRATEGY_STREAMS + player)
            reset(seats.memories[player], seats.templates[player], seats.words[player], stream)
            show_start(state, player, seats, partners.view_copies[scratch])


@kernel
def bind_partners(batch: Batch, partners: PartnerArrays, game: int) -> None:
    """Set the addresses of the functions and memories of a game's partners."""
    place = batch.places[game]
    seats = partners.seats[game]
    players = batch.initial_state[0].rules.players
    assign(seats, partners.templates[place.team * players + place.learner])
    for player in range(players):
        seats.memories[player] += partners.memory_base[0] + game * partners.memory_base[1]


@kernel
def rebind_partners(first: int, last: int, batch: Batch, partners: PartnerArrays) -> None:
    """Set the addresses in all games again after the memories have moved."""
    for game in range(first, last):
        bind_partners(batch, partners, game)


@kernel
def observe_current_player(
    first: int, last: int, batch: Batch, chosen: Ints, rows: Sequence[Ints], masks: Sequence[Ints]
) -> None:
    """Write the observation and legal actions of the player to move in the `chosen` games."""
    for game in range(first, last):
        if chosen[game]:
            state = batch.states[game]
            observe_as(batch, game, state.player, rows[game])
            write_legal_mask(state, masks[game])
