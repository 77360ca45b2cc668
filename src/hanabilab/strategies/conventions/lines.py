"""Lines of play for the last cards: who plays, hints or discards in the turns that remain.

This is a small game of its own, in which every card has a place. Of each hand it knows which cards
their holder would play (`known`), and which needed cards somebody must point at first (`dark`). A
player to move plays a known card, points at a dark card of another hand, spends a token without
saying anything, or discards. The draw pile has an assumed order.

`best_line` searches for the line that plays most cards, depth first and within a number of nodes.
Its value is in hundredths of a card. Lines that count on others' hints are worth a little less.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below
from hanabilab.core.record import Record, ints
from hanabilab.game.actions import DISCARD
from hanabilab.game.cards import (
    HIDDEN,
    HIDDEN_HAND,
    MAX_HAND,
    MAX_PLAYERS,
    PLANES,
    SLOT_BITS,
    card_in,
    nth_copy,
    put_card,
    take_copy,
    weight,
)
from hanabilab.game.state import View

__all__ = [
    "LONGEST_PILE",
    "MOST_HINTS",
    "MOST_WORLDS",
    "WORLDS",
    "EndLine",
    "OwnCards",
    "Thoughts",
    "bound",
    "enter_world",
    "imagine_world",
    "value_of_card",
    "value_of_told",
]

CARD = 100
"""The value of a card that is played."""
POINTING, TRY, SLACK = 6, 50, 8
"""The price of counting on a hint; the value of a blind try in the last round; what is not worth
looking for."""
STRIKE, LAST_BUT_ONE = 30, 80
"""The price of a misplay, beside the card; if one life is left then, and cards are to be drawn."""
LONGEST, LONGEST_PILE = 24, 10
"""Turns that a line may have, and cards in the draw pile."""
WORLDS, MOST_WORLDS, MOST_HINTS = 4, 8, 8
"""Assumptions about the hidden cards, at most with two players, and hints that are compared."""

PLAYING, POINTING_AT, STALLING, DISCARDING, TRYING = 1, 2, 3, 4, 5
KIND_BITS, MOVE_BITS = 3, 9
MOST_PLAYS, MOST_MOVES = 2, 5

MOVES, PLAYABLE, LIVE, TOKENS, PILE, TURNS, VALUE = 0, 1, 2, 3, 4, 5, 6
KNOWN, DARK, SPARE, HOLDER, HOLDER_KNOWN, HOLDER_DARK = 7, 8, 9, 10, 11, 12
SAVED = 13
"""What is saved for each turn of a line."""


class EndLine(Record):
    """A position of the small game, and the line that is being searched."""

    stream: int
    """Random numbers for assumed cards."""
    playable: int
    live: int
    """The cards that can still be played, those that fit now included."""
    tops: int
    """The cards that complete a suit and bring a token back."""
    tokens: int
    max_tokens: int
    pile: int
    turns: int
    """The turns that remain once the draw pile is empty."""
    player: int
    players: int
    lives: int
    value: int
    draws: int
    """The cards of the draw pile in the assumed order, six bits each, the next one highest."""
    known: list[int] = ints(MAX_PLAYERS)
    """For each player, the live cards that the player will play when they fit."""
    dark: list[int] = ints(MAX_PLAYERS)
    """For each player, the other live cards in hand."""
    spare: list[int] = ints(MAX_PLAYERS)
    """For each player, the cards in the order in which they would be discarded, six bits each."""
    left: list[int] = ints(PLANES)
    """Copies that are not yet assumed to be anywhere, as bit planes."""
    saved: list[list[int]] = ints(LONGEST + 1, SAVED)
    """For each turn of the line, the moves not yet tried and what to restore."""


class OwnCards(Record):
    """What the player to move makes of their own hand."""

    possible: list[int] = ints(MAX_HAND)
    """For each slot, the cards that it is taken to be by a player who sees the other hands."""
    unseen: list[int] = ints(PLANES)
    """Copies that the player does not see, as bit planes."""


class Thoughts(Record):
    """What a player thinks of near the end: assumed cards, and hints to compare."""

    worlds: int
    nodes: int
    """Positions to visit for each action and assumption."""
    bound: int
    """The most that an action can be worth for one assumption."""
    hands: list[int] = ints(MOST_WORLDS)
    """For each assumption, the player's own hand, packed."""
    draws: list[int] = ints(MOST_WORLDS)
    """For each assumption, the draw pile, packed."""
    playable: int
    live: int
    """The cards that fit now, and those that can still be played."""
    known: int
    """The player's own slots that the player would play when they fit."""
    hints: int
    """How many hints there are to compare."""
    action: list[int] = ints(MOST_HINTS)
    target: list[int] = ints(MOST_HINTS)
    told: list[int] = ints(MOST_HINTS)
    """The cards that the target would then know."""
    worth: list[int] = ints(MOST_HINTS)
    """What the hint is worth otherwise."""
    called: list[int] = ints(MOST_HINTS)
    """The player whom the hint calls, or NONE."""
    call: list[int] = ints(MOST_HINTS)
    """The card that is called for, as a set."""


@kernel
def best_line(line: EndLine, budget: int) -> int:
    """Return the value of the best line found within `budget` nodes, and restore the position."""
    best, depth, nodes = line.value, 0, 0
    enough = line.value + bound(line) - SLACK
    line.saved[0][MOVES] = moves_of(line)
    while best < enough:
        moves = line.saved[depth][MOVES]
        if moves == 0:
            if depth == 0:
                break
            depth -= 1
            undo_move(line, depth)
            continue
        line.saved[depth][MOVES] = moves >> MOVE_BITS
        move = moves & (1 << MOVE_BITS) - 1
        nodes += 1
        if not is_hopeless(line, move, best):
            apply_move(line, depth, move)
            depth += 1
            best = max(best, line.value)
            over = line.value + bound(line) <= best + SLACK or depth == LONGEST
            line.saved[depth][MOVES] = 0 if over else moves_of(line)
        if nodes >= budget:
            break
    while depth > 0:
        depth -= 1
        undo_move(line, depth)
    return best


@kernel
def is_hopeless(line: EndLine, move: int, best: int) -> bool:
    """Return whether no line that begins with a move is worth more than `best`.

    Most moves are, and this takes less time than to make them and take them back.
    """
    kind = move & (1 << KIND_BITS) - 1
    value, cards = line.value, popcount(line.live)
    turns = line.turns - 1
    if line.pile > 0:
        turns = line.pile + line.players - int(kind in (PLAYING, DISCARDING))
    if kind == PLAYING:
        value += CARD
        cards -= 1
    elif kind == POINTING_AT:
        value -= POINTING
    elif kind == TRYING:
        value += value_of_try(line)
    return value <= best and value + CARD * min(cards, turns) <= best + SLACK


@kernel
def value_of_try(line: EndLine) -> int:
    """Return what a blind try of the player to move is worth in the last round."""
    return TRY if line.dark[line.player] & line.playable and line.lives > 1 else 0


@kernel
def bound(line: EndLine) -> int:
    """Return the most that a line can still add."""
    if line.pile == 0:
        return CARD * min(popcount(line.live), line.turns)
    return CARD * min(popcount(line.live), line.pile + line.players)


@kernel
def moves_of(line: EndLine) -> int:
    """Return the moves of the player to move, the most promising lowest; 0 if the game is over."""
    if line.pile == 0 and line.turns == 0:
        return 0
    me = line.player
    moves, count = 0, 0
    playing = line.known[me] & line.playable
    while playing and count < MOST_PLAYS:
        moves |= (PLAYING | lowest(playing) << KIND_BITS) << MOVE_BITS * count
        playing &= playing - 1
        count += 1
    if line.tokens > 0:
        pointing = dark_plays(line)
        if pointing == 0:
            moves |= STALLING << MOVE_BITS * count
            count += 1
        while pointing and count < MOST_MOVES - 1:
            moves |= (POINTING_AT | lowest(pointing) << KIND_BITS) << MOVE_BITS * count
            pointing &= pointing - 1
            count += 1
    if line.pile == 0:
        moves |= TRYING << MOVE_BITS * count
    elif line.tokens < line.max_tokens:
        moves |= DISCARDING << MOVE_BITS * count
    return moves


@kernel
def dark_plays(line: EndLine) -> int:
    """Return the dark cards of other hands that fit now, or else that follow those that do."""
    dark = 0
    for player in range(line.players):
        if player != line.player:
            dark |= line.dark[player]
    fitting = dark & line.playable
    return fitting if fitting else dark & (line.playable << 1)


@kernel
def apply_move(line: EndLine, depth: int, move: int) -> None:
    """Make a move, and note what to restore."""
    me, kind, card = line.player, move & (1 << KIND_BITS) - 1, move >> KIND_BITS
    save_position(line, depth)
    if kind == PLAYING:
        line.known[me] &= ~(1 << card)
        put_on_firework(line, card)
        draw_next(line)
    elif kind == POINTING_AT:
        point_at(line, line.saved[depth], card)
    elif kind == STALLING:
        line.tokens -= 1
        pass_turn(line)
    elif kind == DISCARDING:
        discard_spare(line)
        draw_next(line)
    else:
        line.value += value_of_try(line)
        pass_turn(line)


@kernel
def save_position(line: EndLine, depth: int) -> None:
    """Note the parts of the position that the player to move may change."""
    saved, me = line.saved[depth], line.player
    saved[PLAYABLE], saved[LIVE], saved[TOKENS] = line.playable, line.live, line.tokens
    saved[PILE], saved[TURNS], saved[VALUE] = line.pile, line.turns, line.value
    saved[KNOWN], saved[DARK], saved[SPARE] = line.known[me], line.dark[me], line.spare[me]
    saved[HOLDER] = -1


@kernel
def undo_move(line: EndLine, depth: int) -> None:
    """Take a move back."""
    saved, holder = line.saved[depth], line.saved[depth][HOLDER]
    me = line.player - 1 if line.player > 0 else line.players - 1
    line.player = me
    line.playable, line.live, line.tokens = saved[PLAYABLE], saved[LIVE], saved[TOKENS]
    line.pile, line.turns, line.value = saved[PILE], saved[TURNS], saved[VALUE]
    line.known[me], line.dark[me], line.spare[me] = saved[KNOWN], saved[DARK], saved[SPARE]
    if holder >= 0:
        line.known[holder], line.dark[holder] = saved[HOLDER_KNOWN], saved[HOLDER_DARK]


@kernel
def put_on_firework(line: EndLine, card: int) -> None:
    """Play a card that fits."""
    bit = 1 << card
    line.value += CARD
    line.playable &= ~bit
    line.live &= ~bit
    if not line.tops & bit:
        line.playable |= bit << 1 & line.live
    elif line.tokens < line.max_tokens:
        line.tokens += 1


@kernel
def point_at(line: EndLine, saved: list[int], card: int) -> None:
    """Tell the next player with a dark card of this kind that it can be played."""
    holder = line.player
    while True:
        holder = holder + 1 if holder + 1 < line.players else 0
        if line.dark[holder] >> card & 1:
            break
    saved[HOLDER] = holder
    saved[HOLDER_KNOWN], saved[HOLDER_DARK] = line.known[holder], line.dark[holder]
    line.known[holder] |= 1 << card
    line.dark[holder] &= ~(1 << card)
    line.tokens -= 1
    line.value -= POINTING
    pass_turn(line)


@kernel
def discard_spare(line: EndLine) -> None:
    """Discard the card that the player to move would discard first."""
    me = line.player
    lost = line.spare[me] & HIDDEN
    if lost != HIDDEN:
        line.known[me] &= ~(1 << lost)
        line.dark[me] &= ~(1 << lost)
    line.spare[me] = line.spare[me] >> SLOT_BITS | HIDDEN << SLOT_BITS * (MAX_HAND - 1)
    line.tokens += 1


@kernel
def draw_next(line: EndLine) -> None:
    """Draw the next card of the pile, if there is one, and end the turn."""
    if line.pile == 0:
        line.turns -= 1
    else:
        card = line.draws >> SLOT_BITS * (line.pile - 1) & HIDDEN
        line.pile -= 1
        line.dark[line.player] |= 1 << card & line.live
        line.turns = line.players
    next_seat(line)


@kernel
def pass_turn(line: EndLine) -> None:
    """End a turn without a draw."""
    if line.pile == 0:
        line.turns -= 1
    next_seat(line)


@kernel
def next_seat(line: EndLine) -> None:
    """Let the next player move."""
    line.player = line.player + 1 if line.player + 1 < line.players else 0


# --- assumptions ----------------------------------------------------------------------------------


@kernel
def imagine_world(view: View, line: EndLine, thoughts: Thoughts, own: OwnCards, world: int) -> None:
    """Deal the cards that the player does not see to the player's own hand and the draw pile."""
    for plane in range(PLANES):
        line.left[plane] = own.unseen[plane]
    hand = HIDDEN_HAND
    for certain in range(2):
        for slot in range(view.hand_count[view.observer]):
            if is_single(own.possible[slot]) == (certain == 0):
                card = deal_one(view, line, own.possible[slot])
                hand = put_card(hand, slot, card)
    thoughts.hands[world] = hand
    draws = 0
    for _ in range(view.draw_pile):
        draws = draws << SLOT_BITS | deal_one(view, line, view.rules.all_cards)
    thoughts.draws[world] = draws


@kernel
def deal_one(view: View, line: EndLine, cards: int) -> int:
    """Take one of the cards that are left at random, one of `cards` if possible."""
    total = weight(line.left, view.rules.planes, cards)
    if total == 0:
        cards = view.rules.all_cards
        total = weight(line.left, view.rules.planes, cards)
    card = nth_copy(line.left, view.rules.planes, cards, below(line, total))
    take_copy(line.left, card)
    return card


@kernel
def enter_world(view: View, line: EndLine, thoughts: Thoughts, world: int) -> None:
    """Set the line up for one assumption, with the player to move."""
    me = view.observer
    line.live, line.playable = thoughts.live, thoughts.playable
    line.tokens, line.lives = view.hint_tokens, view.lives
    line.pile, line.turns = view.draw_pile, view.turns_left
    line.player, line.value = me, 0
    line.draws = thoughts.draws[world]
    known = dark = 0
    for slot in range(view.hand_count[me]):
        card = 1 << card_in(thoughts.hands[world], slot)
        if thoughts.known >> slot & 1:
            known |= card
        else:
            dark |= card
    line.known[me] = known & line.live
    line.dark[me] = dark & ~known & line.live
    line.spare[me] = HIDDEN_HAND


# --- the value of an action -----------------------------------------------------------------------


@kernel
def value_of_card(
    view: View, line: EndLine, thoughts: Thoughts, kind: int, slot: int, least: int
) -> int:
    """Return the value of a play or a discard of one's own, summed over all assumptions.

    If it cannot be more than `least`, it is not worked out to the end.
    """
    total = 0
    for world in range(thoughts.worlds):
        enter_world(view, line, thoughts, world)
        card = card_in(thoughts.hands[world], slot)
        line.known[view.observer] &= ~(1 << card)
        line.dark[view.observer] &= ~(1 << card)
        if kind == DISCARD:
            line.tokens += 1
        elif line.playable >> card & 1:
            put_on_firework(line, card)
        else:
            line.value -= price_of_strike(view)
            line.lives -= 1
        draw_next(line)
        total += best_line(line, thoughts.nodes)
        if is_beaten(thoughts, total, world, least):
            break
    return total


@kernel
def value_of_told(view: View, line: EndLine, thoughts: Thoughts, least: int) -> int:
    """Return the value of a hint that the line counts on; see `value_of_card`."""
    total = 0
    for world in range(thoughts.worlds):
        enter_world(view, line, thoughts, world)
        line.tokens -= 1
        pass_turn(line)
        total += best_line(line, thoughts.nodes)
        if is_beaten(thoughts, total, world, least):
            break
    return total


@kernel
def is_beaten(thoughts: Thoughts, total: int, world: int, least: int) -> bool:
    """Return whether a sum up to an assumption cannot become more than `least`."""
    return total + (thoughts.worlds - 1 - world) * thoughts.bound <= least


@kernel
def price_of_strike(view: View) -> int:
    """Return the price of a misplay, beside the card."""
    if view.lives == 1:
        return CARD * view.score
    return LAST_BUT_ONE if view.lives == 2 and view.draw_pile > 0 else STRIKE
