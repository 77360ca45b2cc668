"""The game so far: recorded, and replayed in imagined worlds.

A replay shows what the partners would remember if the player held other cards, and whether the
blueprint would have acted as they did. Everything before the player drew the oldest of its present
cards is the same in every world, since all older ones have come to light: it is replayed once, and
a checkpoint holds the result. Nor does this player's own memory depend on the world, since the
player never sees those cards.

If the blueprint's memory is public, it is the same in every world at any time, and it is kept for
the last turns. A replay then only asks the partners what they would have done.

What a partner would have done depends only on the cards that this partner saw, unless the blueprint
acts at random or remembers its own thoughts. Many worlds agree about those cards, so each answer is
noted, and most worlds that the partners' actions contradict are rejected without a replay.
"""

from __future__ import annotations

from hanabilab.core.bits import SPREADER, multiply
from hanabilab.core.invoke import reset
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.random import private_stream
from hanabilab.core.record import assign
from hanabilab.game.actions import (
    DISCARD,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    decode_action,
    discard_deck,
    play_deck,
)
from hanabilab.game.cards import HIDDEN_HAND, SLOT_BITS, card_in, put_card
from hanabilab.game.state import View
from hanabilab.game.turn import take_turn
from hanabilab.strategies.search.memory import MOST_TURNS, NOTES, SearchMemory
from hanabilab.strategies.seats import choose_action, show_start, show_turn_to
from hanabilab.strategies.strategy import NONE

__all__ = [
    "BEFORE_THE_GAME",
    "UNLIMITED",
    "remember_moment",
    "remember_start",
    "remember_turn",
    "replay_history",
]

BEFORE_THE_GAME = -1


@kernel
def remember_start(view: View, memory: SearchMemory) -> None:
    """Keep the table as it was dealt, and forget everything about another game or seat."""
    log = memory.log
    for place in range(NOTES):
        memory.notes.answers[place] = 0
    assign(log.start, view)
    log.turns = 0
    log.dealt = 0
    memory.checkpoint.turn = BEFORE_THE_GAME
    memory.world.own_turns = 0
    for player in range(view.rules.players):
        if player == view.observer:
            log.first_place = log.dealt
        for slot in range(view.hand_count[player]):
            if player == view.observer:
                log.places[slot] = log.dealt
                log.drawn[slot] = BEFORE_THE_GAME
            log.deck[log.dealt] = card_in(view.hands[player], slot)
            log.dealt += 1


@kernel
def remember_turn(view: View, event: Event, memory: SearchMemory) -> None:
    """Keep what was done, and the cards that it brought to light."""
    log = memory.log
    if log.turns < MOST_TURNS:
        log.actions[log.turns] = number_of(view, event)
    if event.kind == PLAY or event.kind == DISCARD:
        if event.player == view.observer:
            log.deck[log.places[event.slot]] = event.card
            replace_own(view, event, memory)
        if event.drew:
            youngest = view.hand_count[event.player] - 1
            log.deck[log.dealt] = card_in(view.hands[event.player], youngest)
            log.dealt += 1
    log.turns += 1


@kernel
def replace_own(view: View, event: Event, memory: SearchMemory) -> None:
    """Follow the player's own cards: the younger ones move down a slot."""
    log = memory.log
    youngest = view.hand_count[event.player] - event.drew
    for slot in range(event.slot, youngest):
        log.places[slot] = log.places[slot + 1]
        log.drawn[slot] = log.drawn[slot + 1]
    if event.drew:
        log.places[youngest] = log.dealt
        log.drawn[youngest] = log.turns


@kernel
def number_of(view: View, event: Event) -> int:
    """Return the number of an action that was taken; it is no longer that player's turn."""
    if event.slot == view.rules.hand_size:  # the last card of the draw pile
        return play_deck(view) if event.kind == PLAY else discard_deck(view)
    if event.kind == DISCARD:
        return event.slot
    if event.kind == PLAY:
        return view.rules.hand_size + event.slot
    first = 2 * view.rules.hand_size
    if event.kind == PASS:
        return first
    others = event.target - event.player - 1
    if others < 0:
        others += view.rules.players
    if event.kind == HINT_SUIT:
        return first + others * view.rules.suits + event.value
    return (
        first
        + (view.rules.players - 1) * view.rules.suits
        + others * view.rules.ranks
        + event.value
        - 1
    )


UNLIMITED = 1 << 30
"""More surprises than a game has turns."""
UNKNOWN, SURPRISE, EXPLAINED = -1, 0, 1
"""What is noted about an action of a partner: nothing, another action, or the same one."""
PAST_STREAM = 1
"""The purpose of the stream of imagined partners in the past."""


@kernel
def replay_history(memory: SearchMemory, most_surprises: int) -> int:
    """Replay the game so far in this world for all players, and save their memories.

    Return how many of the partners' last actions the blueprint would not have chosen, but give up
    once there are more of them than `most_surprises`.
    """
    me = memory.world.state.observer
    public = memory.blueprint.public
    surprises = UNKNOWN
    if memory.blueprint.pure:
        surprises = recall_surprises(memory, me, most_surprises)
    if surprises > most_surprises or (surprises != UNKNOWN and public):
        return surprises
    restore_checkpoint(memory, me)
    known = known_turns(memory, me)
    if known > memory.checkpoint.turn:
        replay_turns(memory, me, known, UNLIMITED)
        if not public:
            save_memories(memory, memory.checkpoint.memories, NONE)
        assign(memory.checkpoint.state, memory.table.state)
        memory.checkpoint.turn = known
    surprises = replay_turns(memory, me, memory.log.turns, most_surprises)
    if surprises <= most_surprises and not public:
        save_present(memory, me)
    return surprises


@kernel
def known_turns(memory: SearchMemory, me: int) -> int:
    """Return how many turns are the same in every world: until the oldest present card is drawn."""
    return memory.log.drawn[0] if memory.world.state.hand_count[me] else memory.log.turns


@kernel
def restore_checkpoint(memory: SearchMemory, me: int) -> None:
    """Go back to the checkpoint, or to the start of the game."""
    seats = memory.blueprint.seats
    public = memory.blueprint.public
    if memory.checkpoint.turn != BEFORE_THE_GAME:
        assign(memory.table.state, memory.checkpoint.state)
        if not public:
            restore_memories(memory, memory.checkpoint.memories)
        return
    assign(memory.table.state, memory.log.start)
    hand = HIDDEN_HAND
    for slot in range(memory.log.start.hand_count[me]):
        hand = put_card(hand, slot, memory.world.deck[memory.log.first_place + slot])
    memory.table.state.hands[me] = hand
    if not public:
        restore_memories(memory, seats.templates)
        for player in range(memory.log.start.rules.players):
            show_start(memory.table.state, player, seats, memory.table.view_scratch)


@kernel
def restore_memories(memory: SearchMemory, memories: list[int]) -> None:
    """Give every player a memory of a moment, and stream of this world."""
    seats = memory.blueprint.seats
    for player in range(memory.log.start.rules.players):
        stream = private_stream(memory.world.origin, player, PAST_STREAM)
        reset(seats.memories[player], memories[player], seats.words[player], stream)


@kernel
def save_memories(memory: SearchMemory, memories: list[int], but: int) -> None:
    """Keep what every player, but one, remembers at this moment."""
    seats = memory.blueprint.seats
    for player in range(memory.log.start.rules.players):
        if player != but:
            reset(memories[player], seats.memories[player], seats.words[player], 0)


@kernel
def save_present(memory: SearchMemory, me: int) -> None:
    """Keep what the players remember now; what this player remembers is the same in every world."""
    if is_own_known(memory):
        save_memories(memory, memory.world.memories, me)
        return
    if not memory.blueprint.pure:
        choose_action(memory.table.state, me, memory.blueprint.seats, memory.table.view_scratch)
    save_memories(memory, memory.world.memories, NONE)
    memory.world.own_turns = memory.log.turns + 1


@kernel
def is_own_known(memory: SearchMemory) -> bool:
    """Return whether it is known what this player would remember now after a replay."""
    return memory.world.own_turns == memory.log.turns + 1


@kernel
def replay_turns(memory: SearchMemory, me: int, until: int, most_surprises: int) -> int:
    """Take the turns that were taken; return how many the blueprint would not have taken."""
    table = memory.table.state
    event = memory.table.event
    silent = me if is_own_known(memory) else NONE
    surprises = 0
    for turn in range(table.turn - memory.log.start.turn, until):
        counts = table.player != me and turn + memory.history >= memory.log.turns
        if not acts_alike(memory, me, turn, counts, silent) and counts:
            surprises += 1
            if surprises > most_surprises:
                break
        decode_action(table, memory.log.actions[turn], event)
        take_turn(table, memory.world.deck, event)
        if not memory.blueprint.public:
            show_past_turn(memory, silent)
    return surprises


@kernel
def acts_alike(memory: SearchMemory, me: int, turn: int, counts: bool, silent: int) -> bool:
    """Let the player to move act, unless it does not matter; return False for another action."""
    table = memory.table
    player = table.state.player
    if memory.blueprint.pure:
        return not counts or is_explained(memory, me, turn)
    if player == silent:
        return True
    action = choose_action(table.state, player, memory.blueprint.seats, table.view_scratch)
    return action == memory.log.actions[turn]  # if it is another one, it may still remember why


@kernel
def show_past_turn(memory: SearchMemory, silent: int) -> None:
    """Show a turn of the past to all players but one."""
    table = memory.table
    for player in range(table.state.rules.players):
        if player != silent:
            show_turn_to(
                table.state,
                table.event,
                player,
                memory.blueprint.seats,
                table.view_scratch,
                table.event_scratch,
            )


# --- answers of partners --------------------------------------------------------------------------

SPREAD = 40
"""For hashing hands: the first bit of a product to use."""


@kernel
def recall_surprises(memory: SearchMemory, me: int, most_surprises: int) -> int:
    """Count the partners' last actions that the blueprint would not have chosen, from notes.

    Return UNKNOWN if an answer is missing, unless the others are too many surprises already.
    """
    log = memory.log
    first = max(0, known_turns(memory, me), log.turns - memory.history)
    player = (log.start.player + first) % log.start.rules.players
    surprises, complete = 0, True
    for turn in range(first, log.turns):
        if player != me:
            answer = noted_answer(memory, seen_hand(memory, me, turn), turn)
            surprises += int(answer == SURPRISE)
            complete = complete and answer != UNKNOWN
            if surprises > most_surprises:
                return surprises
        player = player + 1 if player + 1 < log.start.rules.players else 0
    return surprises if complete else UNKNOWN


@kernel
def seen_hand(memory: SearchMemory, me: int, turn: int) -> int:
    """Return those of this player's present cards that the partners saw at an earlier turn."""
    slot = memory.world.state.hand_count[me]
    while slot > 0 and memory.log.drawn[slot - 1] >= turn:
        slot -= 1
    seen = (1 << SLOT_BITS * slot) - 1
    return memory.world.state.hands[me] & seen | HIDDEN_HAND & ~seen


@inlined
@kernel
def place_of(hand: int, turn: int) -> int:
    """Return the place of a note."""
    return (multiply(hand, SPREADER) >> SPREAD ^ turn) & (NOTES - 1)


@kernel
def noted_answer(memory: SearchMemory, hand: int, turn: int) -> int:
    """Return whether a partner who saw these cards is EXPLAINED or a SURPRISE, if that is known."""
    place = place_of(hand, turn)
    if memory.notes.hands[place] != hand or memory.notes.answers[place] >> 1 != turn + 1:
        return UNKNOWN
    return memory.notes.answers[place] & 1


@kernel
def is_explained(memory: SearchMemory, me: int, turn: int) -> bool:
    """Return whether the blueprint would have acted as the partner to move did."""
    hand = seen_hand(memory, me, turn)
    answer = noted_answer(memory, hand, turn)
    if answer == UNKNOWN:
        answer = int(ask_again(memory, turn) == memory.log.actions[turn])
        memory.notes.hands[place_of(hand, turn)] = hand
        memory.notes.answers[place_of(hand, turn)] = 2 * (turn + 1) + answer
    return answer == EXPLAINED


# --- a public memory ------------------------------------------------------------------------------


@kernel
def remember_moment(view: View, memory: SearchMemory) -> None:
    """Keep the public memory before a partner's turn, in place of one that is too old to matter."""
    if memory.blueprint.public and memory.history and view.player != view.observer:
        moment = memory.log.moments[memory.log.turns % memory.history]
        reset(moment, memory.blueprint.memory, memory.blueprint.seats.words[0], 0)


@kernel
def ask_again(memory: SearchMemory, turn: int) -> int:
    """Ask the player to move once more; a public memory is the one from before this turn."""
    seats = memory.blueprint.seats
    if memory.blueprint.public:
        stream = private_stream(memory.world.origin, 0, PAST_STREAM)
        moment = memory.log.moments[turn % memory.history]
        reset(seats.memories[0], moment, seats.words[0], stream)
    table = memory.table
    return choose_action(table.state, table.state.player, seats, table.view_scratch)
