"""The layout of a vector: where each section starts."""

from __future__ import annotations

from hanabilab.core.record import Record, ints
from hanabilab.game.cards import MAX_CARDS

__all__ = ["Layout"]


class Layout(Record):
    """Where each section starts, and what else an encoder needs to know about the rules."""

    hands: int
    short_hands: int
    draw_pile: int
    fireworks: int
    hint_tokens: int
    lives: int
    discards: int
    last_player: int
    last_kind: int
    last_target: int
    last_suit: int
    last_rank: int
    last_touched: int
    last_slot: int
    last_card: int
    last_result: int
    knowledge: int
    length: int
    cards: int
    """The number of different cards."""
    known: int
    """Entries per slot in the knowledge section; 0 if there is no such section."""
    discards_of: list[int] = ints(MAX_CARDS)
    """Where the discards of each card start."""
    suit_named: list[int] = ints(MAX_CARDS)
    """For each card, the entry of a slot that is 1 if its suit was named."""
    rank_named: list[int] = ints(MAX_CARDS)
    copies: int
    """The largest number of copies of any card."""
    plain: int
    """Whether hints name one suit and one rank and nothing else is shown, which allows a faster
    path.
    """
    seer: int
    """Whether all cards are shown as if hints had named them."""
    shows_own: int
    """Whether there is a section for the observer's own cards."""
    own_hand: int
    greedy_action: int
    """Where the further sections start; 0 if there are none."""
    features: int
    to_move: int
