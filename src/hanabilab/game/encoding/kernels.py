"""What a player observes, written into a vector."""

from __future__ import annotations

from hanabilab.core.bits import lowest, spread, store_eight
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import Ints
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event, seat_after
from hanabilab.game.cards import PLANES, card_in, count_of
from hanabilab.game.encoding.features import encode_features
from hanabilab.game.encoding.layout import Layout
from hanabilab.game.state import State, rank_cards, suit_cards

__all__ = ["encode", "encode_greedy", "no_event"]

NOBODY = -1
USUAL = 35
"""Entries for a slot with five suits and five ranks."""


@kernel
def encode(state: State, last: Event, observer: int, layout: Layout, out: Ints) -> None:
    """Write what a player observes into `out`, bytes, whatever they held.

    `last` is the turn before; its player is negative if there was none.
    """
    clear(out, 0, layout.knowledge if layout.plain else layout.length)
    encode_hands(state, observer, layout, out)
    encode_board(state, layout, out)
    encode_discards(state, layout, out)
    if last.player >= 0:
        encode_turn(state, last, observer, layout, 0, out)
    if layout.plain:
        encode_knowledge(state, observer, layout, out)
    else:
        encode_other_kinds(state, observer, layout, out)


@kernel
def encode_greedy(state: State, greedy: Event, observer: int, layout: Layout, out: Ints) -> None:
    """Write what the last player would have done without exploring, if there is room for it."""
    if layout.greedy_action > 0 and greedy.player >= 0:
        shift = layout.greedy_action - layout.last_player
        encode_turn(state, greedy, observer, layout, shift, out)


@kernel
def encode_other_kinds(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write the sections in which other kinds differ from canonical observations of plain suits."""
    if layout.known > 0:
        encode_any_knowledge(state, observer, layout, out)
    if layout.shows_own:
        hand = state.hands[observer]
        for slot in range(state.hand_count[observer]):
            out[layout.own_hand + slot * layout.cards + card_in(hand, slot)] = 1
    if layout.features > 0:
        encode_features(state, observer, layout, out)
    if layout.to_move > 0:
        out[layout.to_move + seats_between(state, observer, state.player)] = 1


@kernel
def seats_between(state: State, observer: int, player: int) -> int:
    """Return the seat of a player, counted from the observer."""
    seats = player - observer
    return seats if seats >= 0 else seats + state.rules.players


@kernel
def encode_hands(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write the hands of the other players, and which hands are short."""
    first = layout.hands
    for steps in range(state.rules.players):
        player = seat_after(state, observer, steps)
        count = state.hand_count[player]
        if steps > 0:
            hand = state.hands[player]
            for slot in range(count):
                out[first + slot * layout.cards + card_in(hand, slot)] = 1
            first += state.rules.hand_size * layout.cards
        if count < state.rules.hand_size:
            out[layout.short_hands + steps] = 1


@kernel
def fill(out: Ints, first: int, count: int) -> None:
    """Write `count` ones from an index on."""
    for place in range(first, first + count):
        out[place] = 1


@kernel
def encode_board(state: State, layout: Layout, out: Ints) -> None:
    """Write the draw pile, fireworks, hint tokens and lives."""
    fill(out, layout.draw_pile, state.draw_pile)
    for suit in range(state.rules.suits):
        if state.fireworks[suit] > 0:
            out[layout.fireworks + suit * state.rules.ranks + state.fireworks[suit] - 1] = 1
    if not state.rules.unlimited_hints:
        tokens = state.hint_tokens * state.rules.discards_per_token + state.token_part
        fill(out, layout.hint_tokens, tokens)
    if not state.rules.unlimited_lives:
        fill(out, layout.lives, state.lives)


@kernel
def encode_discards(state: State, layout: Layout, out: Ints) -> None:
    """Write how many copies of each card are discarded."""
    several = 0
    for plane in range(1, PLANES):
        several |= state.discarded[plane]
    once = state.discarded[0] & ~several
    cards = once | several
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        first = layout.discards_of[card]
        out[first] = 1
        if not (once >> card) & 1:
            fill(out, first + 1, count_of(state.discarded, card) - 1)


@kernel
def encode_turn(
    state: State, turn: Event, observer: int, layout: Layout, shift: int, out: Ints
) -> None:
    """Write a turn and its outcome, `shift` entries after the section of the last turn."""
    out[layout.last_player + shift + seats_between(state, observer, turn.player)] = 1
    kind = layout.last_kind + shift
    if turn.kind == PLAY or turn.kind == DISCARD:
        out[kind + (0 if turn.kind == PLAY else 1)] = 1
        out[layout.last_slot + shift + turn.slot] = 1
        out[layout.last_card + shift + turn.card] = 1
        if turn.kind == PLAY:
            out[layout.last_result + shift] = turn.lit
            out[layout.last_result + shift + 1] = turn.token
    elif turn.kind == HINT_SUIT or turn.kind == HINT_RANK:
        out[layout.last_target + shift + seats_between(state, observer, turn.target)] = 1
        if turn.kind == HINT_SUIT:
            out[kind + 2] = 1
            out[layout.last_suit + shift + turn.value] = 1
        else:
            out[kind + 3] = 1
            out[layout.last_rank + shift + turn.value - 1] = 1
        for slot in range(state.rules.hand_size):
            out[layout.last_touched + shift + slot] = (turn.touched >> slot) & 1


@kernel
def encode_knowledge(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write what the hints reveal about each card, the observer's own first."""
    if layout.known == USUAL:
        encode_slots(state, observer, layout, USUAL, out)
    else:
        encode_slots(state, observer, layout, layout.known, out)


@inlined
@kernel
def encode_slots(state: State, observer: int, layout: Layout, known: int, out: Ints) -> None:
    """Write the entries of every slot; the loop is unrolled if the compiler knows the hand size."""
    place = layout.knowledge
    for steps in range(state.rules.players):
        player = seat_after(state, observer, steps)
        suit_told = state.suit_hinted[player]
        rank_told = state.rank_hinted[player]
        after = place + state.rules.hand_size * known
        for slot in range(state.hand_count[player]):
            possible = state.possible[player][slot]
            one = lowest(possible)
            suit = (suit_told >> slot & 1) << layout.suit_named[one]
            rank = (rank_told >> slot & 1) << layout.rank_named[one]
            write_bits(possible | suit | rank, known, out, place)
            place += known
        clear(out, place, after)
        place = after
    clear(out, place, layout.length)


@inlined
@kernel
def write_bits(bits: int, count: int, out: Ints, first: int) -> None:
    """Write at least eight bits as bytes, eight at a time; the last few may be written twice."""
    bit = 0
    while bit + 8 < count:
        store_eight(out, first + bit, bits >> bit & 255)
        bit += 8
    store_eight(out, first + count - 8, bits >> count - 8 & 255)


@inlined
@kernel
def clear(out: Ints, first: int, last: int) -> None:
    """Write zeros."""
    for place in range(first, last):
        out[place] = 0


@kernel
def encode_any_knowledge(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write the knowledge section if hints may leave several suits or all cards are shown."""
    place = layout.knowledge
    for steps in range(state.rules.players):
        player = seat_after(state, observer, steps)
        for slot in range(state.rules.hand_size):
            if slot < state.hand_count[player]:
                possible = state.possible[player][slot]
                suit_told = (state.suit_hinted[player] >> slot) & 1
                rank_told = (state.rank_hinted[player] >> slot) & 1
                if layout.seer:
                    possible = 1 << card_in(state.hands[player], slot)
                    suit_told = 1
                    rank_told = 1
                spread(possible, layout.cards, out, place)
                first = place + layout.cards
                if suit_told:
                    for suit in range(state.rules.suits):
                        out[first + suit] = (possible & suit_cards(state, suit)) != 0
                first += state.rules.suits
                if rank_told:
                    for rank in range(state.rules.ranks):
                        out[first + rank] = (possible & rank_cards(state, rank + 1)) != 0
            place += layout.known


def no_event() -> Event:
    """Return the event that precedes the first turn."""
    return Event(player=NOBODY)
