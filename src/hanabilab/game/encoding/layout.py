"""Where the sections of a vector start."""

from __future__ import annotations

from hanabilab.core.record import Record, ints
from hanabilab.game.cards import MAX_CARDS

__all__ = ["Layout"]


class Layout(Record):
    """Where each section starts, and what else an encoder must know about the rules."""

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
    """How many different cards there are."""
    known: int
    """Entries per slot in the knowledge section, 0 without one."""
    discards_of: list[int] = ints(MAX_CARDS)
    """Where the discards of each card start."""
    suit_named: list[int] = ints(MAX_CARDS)
    """For each card, which of the entries of a slot says that its suit was named."""
    rank_named: list[int] = ints(MAX_CARDS)
    copies: int
    """The most copies that there are of a card."""
    plain: int
    """Do hints name one suit and one rank, and is nothing else shown? Then writing is quicker."""
    seer: int
    """Whether all cards are shown as if they had been named."""
    shows_own: int
    """Whether there is a section of the observer's own cards."""
    own_hand: int
    greedy_action: int
    """Where further sections start: 0 for none."""
    features: int
    to_move: int
