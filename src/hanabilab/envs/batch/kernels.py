"""The loops of `hanabilab.envs.batch`: each works on the games `first` to `last` - 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hanabilab.core.kernel import kernel
from hanabilab.core.random import coin_stream
from hanabilab.core.record import assign
from hanabilab.core.types import Ints
from hanabilab.game.actions import announce, random_action, seat_after, write_mask
from hanabilab.game.deck import shuffle_deck
from hanabilab.game.encoding import encode
from hanabilab.game.state import GOING_ON
from hanabilab.game.turn import deal, final_score, take_turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Batch", "encode_games", "restart_games", "sample_games", "step_games"]

RANDOM_PLAY = 1 << 40
"""The purpose of random legal actions, far from those of decks and strategies."""


class Batch(NamedTuple):
    """All that the loops work with: an entry or a row for each game, then what the games share."""

    states: NDArray[np.void]
    decks: NDArray[np.int64]
    events: NDArray[np.void]
    """The last turns."""
    masks: NDArray[np.bool_]
    """The legal actions."""
    numbers: NDArray[np.int64]
    """Which game of the seed it is."""
    finals: NDArray[np.int64]
    """The score of the last finished game."""
    dice: NDArray[np.void]
    opening: NDArray[np.void]
    """A single one, like the next two: passing an array is quicker than passing a record."""
    nothing: NDArray[np.void]
    """The turn before the first one."""
    layout: NDArray[np.void]
    """Of length 0 without an encoding."""
    cards: NDArray[np.int64]


@kernel
def restart_games(first: int, last: int, batch: Batch, seed: int, rows: Sequence[Ints]) -> None:
    """Deal every game again."""
    for game in range(first, last):
        restart_game(batch, game, seed)
        write_mask(batch.states[game], batch.masks[game])
        observe(batch, game, 0, rows)


@kernel
def step_games(
    first: int,
    last: int,
    batch: Batch,
    seed: int,
    actions: Ints,
    only_final: int,
    rows: Sequence[Ints],
    rewards: Ints,
    done: Ints,
) -> int:
    """Take one turn in every game; a finished one is followed by the next.

    Return the place of an illegal action, and then nothing has happened, or -1.
    """
    for game in range(first, last):
        mask = batch.masks[game]
        if actions[game] < 0 or actions[game] >= len(mask) or not mask[actions[game]]:
            return game
    for game in range(first, last):
        state = batch.states[game]
        event = batch.events[game]
        before = final_score(state)
        announce(state, actions[game], event)
        take_turn(state, batch.decks[game], event)
        after = final_score(state)
        over = state.end != GOING_ON
        done[game] = over
        rewards[game] = (after if over else 0) if only_final else after - before
        if over:
            batch.finals[game] = after
            batch.numbers[game] += len(batch.states)
            restart_game(batch, game, seed)
        write_mask(state, batch.masks[game])
        observe(batch, game, 0, rows)
    return -1


@kernel
def encode_games(first: int, last: int, batch: Batch, steps: int, rows: Sequence[Ints]) -> None:
    """Write what the player `steps` seats after the one to move observes."""
    for game in range(first, last):
        observe(batch, game, steps, rows)


@kernel
def sample_games(first: int, last: int, batch: Batch, seed: int, actions: Ints) -> None:
    """Choose a random legal action for each game, which depends only on the game and its turn."""
    for game in range(first, last):
        dice = batch.dice[game]
        state = batch.states[game]
        dice.stream = coin_stream(seed, batch.numbers[game], RANDOM_PLAY + state.turn)
        actions[game] = random_action(state, dice)


@kernel
def restart_game(batch: Batch, game: int, seed: int) -> None:
    """Shuffle and deal the game whose number stands at this place."""
    deck = batch.decks[game]
    shuffle_deck(deck, batch.cards, batch.dice[game], seed, batch.numbers[game])
    deal(batch.states[game], batch.opening[0], deck)
    assign(batch.events[game], batch.nothing[0])


@kernel
def observe(batch: Batch, game: int, steps: int, rows: Sequence[Ints]) -> None:
    """Write what the player `steps` seats after the one to move observes, if anything."""
    layout = batch.layout[0]
    if layout.length > 0:
        row = rows[game]
        for place in range(len(row)):
            row[place] = 0
        state = batch.states[game]
        observer = seat_after(state, state.player, steps)
        encode(state, batch.events[game], observer, layout, row)
