"""One turn of one game and all that follows from it, in a single call (`hanabilab.envs.round`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.random import Dice
from hanabilab.core.record import Record, assign, ints, part
from hanabilab.core.types import Ints
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    decode_action,
    seat_after,
    write_legal_mask,
)
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, MAX_CARDS, card_in
from hanabilab.game.deck import shuffle_deck
from hanabilab.game.encoding.kernels import encode, encode_greedy
from hanabilab.game.encoding.layout import Layout
from hanabilab.game.state import State
from hanabilab.game.turn import draw, final_score, take_turn

__all__ = [
    "ACT",
    "ACT_APART",
    "DEAL_CARD",
    "DEAL_GAME",
    "DEAL_HANDS",
    "EMPTY",
    "HINTS",
    "LOOK",
    "MINIMAL",
    "SEER",
    "Round",
    "Sight",
    "advance",
]

LOOK, ACT, ACT_APART, DEAL_CARD, DEAL_HANDS, DEAL_GAME = 0, 1, 2, 3, 4, 5
"""Do nothing; take a turn; take it without drawing; deal one card; deal until hands are full;
shuffle a deck in order, then do the same."""

MINIMAL, HINTS, SEER = 0, 1, 2
"""What players are shown, as HLE numbers it: no memory of hints, what they say, or all cards."""

WORD = 2.0**32

EMPTY = 255
"""Stands for a slot without a card in a digest."""


class Round(Record):
    """A game as it stands, and what the last call did."""

    state: State = part(State)
    last: Event = part(Event)
    """The last turn; its player is negative before the first one."""
    layout: Layout = part(Layout)
    greedy: Event = part(Event)
    """What the last player would have done without exploring, if that is observed."""
    greedy_action: int
    """What the next player would do, if that is not the action to come; else negative."""
    shown: int
    by_chance: int
    """Whether each card is chosen when it is dealt; otherwise the deck is known."""
    undealt: list[int] = ints(MAX_CARDS)
    """Copies of each card in the draw pile."""
    dealt: int
    """The card that was dealt last, HIDDEN if the last call dealt none."""
    fresh: int
    """The slots that a hint of this kind had not touched before."""
    to_deal: int
    """Who needs a card now; negative if nobody does."""
    score: int
    """What the game counts as it stands."""
    seed: int
    dice: Dice = part(Dice)


class Shares(NamedTuple):
    """One, two and three divided by a number: what takes long is not done for every card."""

    one: float
    two: float
    three: float
    whole: float


class Sight(Record):
    """What a player is shown."""

    table: State = part(State)
    last: Event = part(Event)


@kernel
def advance(
    rounds: Sequence[Round],
    task: int,
    number: int,
    deck: Ints,
    stream: Ints,
    sights: Sequence[Sight],
    rows: Sequence[Ints],
    moves: Ints,
) -> int:
    """Do a task, write what everyone sees now, and return how many `moves` are legal.

    `number` is the action, the card to deal (negative: the next one), or the game of the seed.
    `stream` holds random words of 32 bits; its first entry says where the next one stands.
    """
    table = rounds[0]
    table.dealt = HIDDEN
    if task in (ACT, ACT_APART):
        if table.layout.greedy_action > 0:
            imagine(table, number, deck, sights[0].table)
        act(table, number, task == ACT, deck, stream)
    elif task == DEAL_CARD:
        deal_card(table, number, deck, stream)
    else:
        if task == DEAL_GAME:
            shuffle_deck(deck, deck, table.dice, table.seed, number)
        while task != LOOK and player_to_deal(table.state) >= 0:
            deal_card(table, -1, deck, stream)
    table.to_deal = player_to_deal(table.state)
    table.score = final_score(table.state)
    show_everyone(table, sights, rows)
    write_legal_mask(table.state, moves)
    legal = 0
    for action in range(len(moves)):
        if moves[action]:
            moves[legal] = action
            legal += 1
    return legal


@kernel
def act(table: Round, action: int, draws: bool, deck: Ints, stream: Ints) -> None:
    """Take a turn, which must be legal."""
    state = table.state
    event = table.last
    decode_action(state, action, event)
    hinted = 0
    if event.kind == HINT_SUIT:
        hinted = state.suit_hinted[event.target]
    elif event.kind == HINT_RANK:
        hinted = state.rank_hinted[event.target]
    pile = state.draw_pile
    if not draws:
        state.draw_pile = 0
    elif pile > 0 and (event.kind == PLAY or event.kind == DISCARD):
        choose_next(table, -1, deck, stream)
    take_turn(state, deck, event)
    if not draws:
        state.draw_pile = pile
    table.fresh = event.touched & ~hinted
    if table.shown == SEER:
        reveal_all(state)


@kernel
def imagine(table: Round, action: int, deck: Ints, imagined: State) -> None:
    """Take the turn of the greedy action at a copy of the table."""
    instead = action if table.greedy_action < 0 else table.greedy_action
    table.greedy_action = -1
    assign(imagined, table.state)
    decode_action(imagined, instead, table.greedy)
    take_turn(imagined, deck, table.greedy)


@kernel
def deal_card(table: Round, card: int, deck: Ints, stream: Ints) -> None:
    """Deal a card to whoever needs one."""
    player = player_to_deal(table.state)
    choose_next(table, card, deck, stream)
    draw(table.state, player, deck)
    if table.shown == SEER:
        reveal_all(table.state)


@kernel
def player_to_deal(state: State) -> int:
    """Return who needs a card, or -1."""
    if state.draw_pile > 0:
        for player in range(state.rules.players):
            if state.hand_count[player] < state.rules.hand_size:
                return player
    return -1


@kernel
def choose_next(table: Round, card: int, deck: Ints, stream: Ints) -> None:
    """Make sure that the deck's next card is the given one, or one by chance if there is none."""
    place = table.state.rules.deck_size - table.state.draw_pile
    if card >= 0:
        deck[place] = card
    elif table.by_chance:
        deck[place] = chance_card(table, stream)
    table.dealt = deck[place]
    table.undealt[table.dealt] -= 1


@kernel
def chance_card(table: Round, stream: Ints) -> int:
    """Return the card that HLE's C++ library would draw, rounding as it does."""
    copies = 0
    kinds = 0
    last = 0
    for card in range(table.layout.cards):
        copies += table.undealt[card]
        if table.undealt[card] > 0:
            kinds += 1
            last = card
    if kinds == 1:
        return last
    shares = Shares(1 / copies, 2 / copies, 3 / copies, float(copies))
    total = 0.0
    for card in range(last + 1):
        total += share(shares, table.undealt[card])
    place = stream[0]
    stream[0] = place + 2
    point = (float(stream[place]) + float(stream[place + 1]) * WORD) / (WORD * WORD)
    parts = Shares(shares.one / total, shares.two / total, shares.three / total, total)
    below = 0.0
    for card in range(last):
        count = table.undealt[card]
        if count > 0:
            below += share(parts, count) if count <= 3 else share(shares, count) / total
            if below >= point:
                return card
    return last


@inlined
@kernel
def share(shares: Shares, count: int) -> float:
    """Return a count divided by the whole; counts up to three were divided beforehand."""
    if count > 3:
        return count / shares.whole
    if count > 1:
        return shares.three if count == 3 else shares.two
    return shares.one if count == 1 else 0.0


@kernel
def reveal_all(state: State) -> None:
    """Make a state look as if every card had been named."""
    for player in range(state.rules.players):
        count = state.hand_count[player]
        state.suit_hinted[player] = (1 << count) - 1
        state.rank_hinted[player] = (1 << count) - 1
        for slot in range(count):
            state.possible[player][slot] = 1 << card_in(state.hands[player], slot)


@kernel
def forget_hints(state: State) -> None:
    """Make a state look as if no hint had been given."""
    for player in range(state.rules.players):
        state.suit_hinted[player] = 0
        state.rank_hinted[player] = 0
        for slot in range(state.hand_count[player]):
            state.possible[player][slot] = state.rules.all_cards


@kernel
def show_everyone(table: Round, sights: Sequence[Sight], rows: Sequence[Ints]) -> None:
    """Write what every player is shown; and into a row each the vector and a digest of it."""
    for player in range(table.state.rules.players):
        sight = sights[player]
        assign(sight.table, table.state)
        assign(sight.last, table.last)
        view = sight.table
        view.observer = player
        if table.shown == MINIMAL:
            forget_hints(view)
        row = rows[player]
        encode(view, table.last, player, table.layout, row)  # some kinds show the player's cards
        encode_greedy(view, table.greedy, player, table.layout, row)
        if table.shown != SEER:
            view.hands[player] = HIDDEN_HAND
        write_digest(view, player, table.layout.length, row)


@kernel
def write_digest(view: State, observer: int, first: int, row: Ints) -> None:
    """Write what is most often asked for: hands and what hints named of them, and the fireworks.

    Hands stand in the order of the seats, the observer's own first, with an entry for each slot.
    """
    slots = view.rules.players * view.rules.hand_size
    for steps in range(view.rules.players):
        player = seat_after(view, observer, steps)
        for slot in range(view.rules.hand_size):
            card = EMPTY
            name = EMPTY
            if slot < view.hand_count[player]:
                card = card_in(view.hands[player], slot)
                name = name_of(view, player, slot)
            row[first] = card
            row[first + slots] = name
            first += 1
    for suit in range(view.rules.suits):
        row[first + slots + suit] = view.fireworks[suit]


@kernel
def name_of(view: State, player: int, slot: int) -> int:
    """Return what hints have named of a card: (suit + 1)(ranks + 1) + rank, 0 for what is not."""
    card = lowest(view.possible[player][slot])
    suit = view.rules.suit_of[card]
    name = 0
    if (view.suit_hinted[player] >> slot) & 1:
        name = (suit + 1) * (view.rules.ranks + 1)
    if (view.rank_hinted[player] >> slot) & 1:
        name += card - suit * view.rules.ranks + 1
    return name
