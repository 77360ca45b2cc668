"""The game itself: rules, cards, states, views, actions, turns and knowledge.

>>> from hanabilab.game import Deck, preset
>>> Deck.shuffled(preset("cox", 5), seed=1).rules.hand_size
4

The kernels exported here work on states and views. `hanabilab.author` re-exports them together with
everything else that a strategy needs.
"""

from __future__ import annotations

from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    can_discard,
    count_legal,
    discard_slot,
    hintable,
    hints_that_touch,
    nth_legal,
    pass_turn,
    play_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, card_in, count_of, weight
from hanabilab.game.deck import Deck
from hanabilab.game.knowledge import Knowledge, from_public, from_seat, probability
from hanabilab.game.rules import PRESETS, Rules, preset
from hanabilab.game.state import State, View, best_score, pace, rank_cards, rank_of, suit_cards

__all__ = [
    "DISCARD",
    "HIDDEN",
    "HIDDEN_HAND",
    "HINT_RANK",
    "HINT_SUIT",
    "PASS",
    "PLAY",
    "PRESETS",
    "Deck",
    "Event",
    "Knowledge",
    "Rules",
    "State",
    "View",
    "best_score",
    "can_discard",
    "card_in",
    "count_legal",
    "count_of",
    "discard_slot",
    "from_public",
    "from_seat",
    "hintable",
    "hints_that_touch",
    "nth_legal",
    "pace",
    "pass_turn",
    "play_slot",
    "preset",
    "probability",
    "rank_cards",
    "rank_hint",
    "rank_of",
    "suit_cards",
    "suit_hint",
    "weight",
]
