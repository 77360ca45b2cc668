"""What lies open on the table, as data: for `hanabilab replay` and for the protocol."""

from __future__ import annotations

from typing import Any

from hanabilab.formats.action import Action
from hanabilab.game.actions import legal_actions
from hanabilab.game.names import hint_letters_of, unpack_letters
from hanabilab.game.state import DECK, GOING_ON, LIVES, OUT_OF_REACH, PERFECT, State
from hanabilab.game.turn import final_score

__all__ = ["ENDS", "legal_dicts", "state_dict"]

ENDS = {
    GOING_ON: None,
    PERFECT: "perfect",
    LIVES: "lives",
    DECK: "deck",
    OUT_OF_REACH: "out of reach",
}


def state_dict(state: State) -> dict[str, Any]:
    """Return the counters and the fireworks; an unlimited counter is None."""
    letters = unpack_letters(state.letters)
    return {
        "score": final_score(state),
        "lives": None if state.unlimited_lives else state.lives,
        "hint_tokens": None if state.unlimited_hints else state.hint_tokens,
        "draw_pile": state.draw_pile,
        "fireworks": {letters[suit]: state.fireworks[suit] for suit in range(state.suits)},
    }


def legal_dicts(state: State) -> list[dict[str, Any]]:
    """Return what the player to move may do."""
    letters = hint_letters_of(state)
    return [
        Action.from_number(number, state).to_dict(state.player, letters)
        for number in legal_actions(state)
    ]
