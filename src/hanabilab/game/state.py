"""The state of a game: everything that lies on the table, without the draw pile.

The deck is a separate array that only the engine is handed. That keeps a view simple: it is a state
in which the observer's own hand is hidden (`hanabilab.game.view`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hanabilab.core.bits import members
from hanabilab.core.record import Record, ints
from hanabilab.game.cards import (
    HIDDEN,
    HIDDEN_HAND,
    MAX_CARDS,
    MAX_HAND,
    MAX_PLAYERS,
    PLANES,
    add_copy,
    count_of,
)
from hanabilab.game.names import pack_letters, unpack_letters
from hanabilab.game.rules import SWITCHES, Rules
from hanabilab.game.status import refresh_counts
from hanabilab.game.variants.hints import hints_of
from hanabilab.game.variants.kinds import HINTING, PLAIN, pack_kinds, touch_of, unpack_kinds

__all__ = [
    "DECK",
    "GOING_ON",
    "LIVES",
    "OUT_OF_REACH",
    "PERFECT",
    "State",
    "opening",
    "rules_of",
]

GOING_ON, PERFECT, LIVES, DECK, OUT_OF_REACH = range(5)
"""Going on, or how it ended: all fireworks complete, no lives left, draw pile used up; or, where
only the maximum counts, that it is out of reach."""

NO_END_YET = -1

COLOUR_BITS = 7


class State(Record):
    """Rules, counters, hands and everything public that follows from them.

    Cards and sets of cards are integers (`hanabilab.game.cards`). Arrays are as long as any
    rules allow; what lies beyond this game's players and slots is unused.
    """

    # The rules.
    ranks: int
    """How many ranks there are; the lowest is 1."""
    suits: int
    """How many suits there are; the first is 0."""
    players: int
    """How many play; they are numbered from 0."""
    hand_size: int
    """How many cards a full hand has."""
    deck_size: int
    """How many cards there are in all."""
    max_hint_tokens: int
    """The most hint tokens there can be; a large number if they are unlimited."""
    max_lives: int
    """The lives at the start; a large number if they are unlimited."""
    unlimited_hints: int
    """Whether hint tokens are unlimited."""
    unlimited_lives: int
    """Whether lives are unlimited."""
    empty_hints: int
    """Whether a hint may touch no card."""
    token_for_suit: int
    """Whether completing a suit gives a hint token back."""
    discard_at_full: int
    """Whether a card may be discarded while all hint tokens are there."""
    keep_score: int
    """Whether the score counts when the last life is lost."""
    keep_on_last_turn: int
    """Whether it counts when that happens on the very last turn."""
    deck_ends: int
    """Whether the game ends one turn each after the last draw."""
    open_game: int
    """Whether everybody sees all cards and a hint is a pass."""
    letters: int
    """The letters of the suits, packed (`hanabilab.game.names`)."""
    planes: int
    """How many bit planes the copies of this game need."""
    all_cards: int
    """The set of all cards."""
    rank_pattern: int
    """The cards of rank 1; shifted by a rank, those of that rank."""
    suit_of: list[int] = ints(HIDDEN + 1)
    """The suit of each card."""
    hint_bits: list[int] = ints(HIDDEN + 1)
    """For each card, the suit hints and, above all suits, the rank hints that touch it."""
    all_hints: int
    """All hints that exist, in the same bits: not every special suit has one of its own."""
    free_hints: int
    """Those that may be given although they touch nothing."""

    # The table.
    observer: int
    """Whose view this is; only meaningful in a view."""
    player: int
    """Whose turn it is."""
    turn: int
    """How many turns have been taken."""
    end: int
    """0 while the game goes on; 1 all fireworks complete, 2 no lives left, 3 draw pile used up,
    4 the maximum is out of reach and nothing else counts."""
    hint_tokens: int
    """How many hint tokens are left."""
    lives: int
    """How many lives are left."""
    score: int
    """The sum of the fireworks, whatever happened to the lives."""
    draw_pile: int
    """How many cards are left to draw."""
    turns_left: int
    """After the last draw, how many turns remain; -1 before it."""
    fireworks: list[int] = ints(MAX_CARDS)
    """The highest rank played of each suit, 0 for none."""
    hands: list[int] = ints(MAX_PLAYERS)
    """The hand of each player, packed: `card_in(view.hands[player], slot)`; your own is hidden."""
    hand_count: list[int] = ints(MAX_PLAYERS)
    """How many cards each player holds; slot 0 is the oldest."""

    # What everyone can work out from the table.
    playable: int
    """The set of cards that fit now."""
    played: int
    """The set of cards that lie on the fireworks."""
    dead: int
    """The set of cards that can never be played any more, those played included."""
    unique: int
    """The set of cards of which one copy is left outside the discards and fireworks."""
    critical: int
    """The set of cards that are still needed and of which one copy is left."""
    left: list[int] = ints(PLANES)
    """Copies neither discarded nor played, as bit planes: `count_of(view.left, card)`."""
    discarded: list[int] = ints(PLANES)
    """Copies discarded, as bit planes: `count_of(view.discarded, card)`."""
    possible: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the set of cards that the hints allow, positive and negative."""
    suit_hinted: list[int] = ints(MAX_PLAYERS)
    rank_hinted: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a suit hint (or a rank hint) has touched."""
    token_part: int
    """How many discards, or completed suits, count towards the next token already."""

    # Rules of some variants.
    discards_per_token: int
    """How many discards, or completed suits, give one hint token back."""
    first_player: int
    """Who takes the first turn."""
    deck_plays: int
    """Whether the last card of the draw pile may be played from there."""
    other_actions: int
    """Whether there are passes, or plays from the draw pile."""
    all_or_nothing: int
    """Whether nothing but the maximum counts, and the draw pile does not end the game."""
    special_hints: int
    """Whether hints touch other cards than those of their own suit or rank."""
    colours: int
    """The letters of the suit hints, packed; 0 if those of the suits."""
    suit_hints: int
    rank_hints: int
    """Whether suit hints, or rank hints, are usual, blind or mute (0, 1, 2)."""
    suit_kinds: int
    rank_kinds: int
    mixtures: int
    """The kinds of suits and ranks and the hints that touch mixed suits, packed for `rules_of`."""


NUMBERS = (
    "ranks",
    "suits",
    "players",
    "hand_size",
    "deck_size",
    "discards_per_token",
    "first_player",
)


def opening(rules: Rules) -> State:
    """Return the table before the deal (van den Bergh 2015, Algorithm 2.16, step 1)."""
    state = State()
    for name in NUMBERS:
        setattr(state, name, getattr(rules, name))
    for name in SWITCHES:
        setattr(state, name, int(getattr(rules, name)))
    _set_counters(state, rules)
    _set_cards(state, rules)
    state.letters = pack_letters(rules.letters)
    state.colours = pack_letters(rules.colours, usual="")
    state.player = rules.first_player
    state.other_actions = int(rules.open_game or rules.deck_plays)
    state.turns_left = NO_END_YET
    state.hands = [HIDDEN_HAND] * MAX_PLAYERS
    return state


def _set_counters(state: State, rules: Rules) -> None:
    """Set the counters; more lives than cards never run out."""
    state.unlimited_hints = int(rules.hint_tokens is None)
    state.unlimited_lives = int(rules.lives is None)
    state.max_hint_tokens = rules.token_limit
    state.max_lives = rules.deck_size + 1 if rules.lives is None else rules.lives
    state.hint_tokens, state.lives = state.max_hint_tokens, state.max_lives
    state.draw_pile = rules.deck_size


def _set_cards(state: State, rules: Rules) -> None:
    state.all_cards = (1 << rules.max_score) - 1
    state.planes = max(map(max, rules.copies)).bit_length()
    for suit in range(rules.suits):
        state.rank_pattern |= 1 << (suit * rules.ranks)
        for rank in range(1, rules.ranks + 1):
            card = suit * rules.ranks + rank - 1
            state.suit_of[card] = suit
            for _ in range(rules.copies[suit][rank - 1]):
                add_copy(state.left, card)
    state.playable = state.rank_pattern
    for suit, row in enumerate(rules.copies):
        if 0 in row:
            first = suit * rules.ranks + row.index(0)
            state.dead |= (1 << ((suit + 1) * rules.ranks)) - (1 << first)
    _set_hints(state, rules)
    refresh_counts(state)


def _set_hints(state: State, rules: Rules) -> None:
    """Set which hints exist, and which of them touch which card."""
    hints = hints_of(rules)
    state.all_hints = hints.all
    state.free_hints = hints.all if rules.empty_hints else hints.free
    for card, bits in enumerate(hints.of_card):
        state.hint_bits[card] = bits
    state.special_hints = int(bool(rules.special_hints))
    state.suit_kinds = pack_kinds(rules.touching)
    state.rank_kinds = pack_kinds(rules.rank_touching)
    for suit, kind in enumerate(rules.touching):
        for colour in touch_of(kind).colours:
            state.mixtures |= 1 << (suit * COLOUR_BITS + rules.colours.index(colour))
    state.suit_hints = [*HINTING].index(rules.suit_hints)
    state.rank_hints = [*HINTING].index(rules.rank_hints)


def rules_of(state: State) -> Rules:
    """Return the rules by which a state, or a view, is played."""
    copies = [
        count_of(state.left, card) + count_of(state.discarded, card) + (state.played >> card & 1)
        for card in range(state.suits * state.ranks)
    ]
    switches: dict[str, Any] = {name: bool(getattr(state, name)) for name in SWITCHES}
    return Rules(
        players=state.players,
        hand_size=state.hand_size,
        ranks=state.ranks,
        suits=state.suits,
        copies=tuple(
            tuple(copies[suit * state.ranks : (suit + 1) * state.ranks])
            for suit in range(state.suits)
        ),
        hint_tokens=None if state.unlimited_hints else state.max_hint_tokens,
        lives=None if state.unlimited_lives else state.max_lives,
        touching=tuple(_touching(state)),
        rank_touching=tuple(unpack_kinds(state.rank_kinds, state.ranks)),
        suit_hints=[*HINTING][state.suit_hints],
        rank_hints=[*HINTING][state.rank_hints],
        letters=unpack_letters(state.letters)[: state.suits],
        colours=unpack_letters(state.colours) if state.colours else "",
        discards_per_token=state.discards_per_token,
        first_player=state.first_player,
        **switches,
    )


def _touching(state: State) -> Iterator[str]:
    """Yield the kind of each suit, with the hints that touch it where suits share them."""
    for suit, kind in enumerate(unpack_kinds(state.suit_kinds, state.suits)):
        mixture = members(state.mixtures >> (suit * COLOUR_BITS) & (1 << COLOUR_BITS) - 1)
        letters = "".join(unpack_letters(state.colours)[colour] for colour in mixture)
        yield f"{kind.removeprefix(PLAIN)}+{letters}" if letters else kind
