"""The board as text from one player's view, and its public part as plain data."""

from __future__ import annotations

from typing import Any

from hanabilab.core.bits import members
from hanabilab.formats.action import Action
from hanabilab.formats.describe import discards, fireworks, hand_names
from hanabilab.game.actions import legal_actions
from hanabilab.game.names import hint_letters_of, unpack_letters
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import (
    DECK,
    GOING_ON,
    LIVES,
    NO_MORE_POINTS,
    OUT_OF_REACH,
    PERFECT,
    State,
    View,
)
from hanabilab.game.turn import final_score

__all__ = [
    "ENDS",
    "board_lines",
    "compact_actions",
    "legal_dicts",
    "legal_texts",
    "player_name",
    "state_dict",
]

ENDS = {
    GOING_ON: None,
    PERFECT: "perfect",
    LIVES: "lives",
    DECK: "deck",
    OUT_OF_REACH: "out of reach",
    NO_MORE_POINTS: "no more points",
}


def board_lines(view: View) -> list[str]:
    """Return the board from this player's view, with what the hints tell about each card."""
    tokens = "unlimited" if view.rules.unlimited_hints else view.hint_tokens
    lives = "unlimited" if view.rules.unlimited_lives else view.lives
    counters = f"hint tokens {tokens}, lives {lives}, draw pile {view.draw_pile}"
    lines = [
        _row("fireworks", f"{' '.join(fireworks(view))}   score {view.score}, {counters}"),
        _row("discards", " ".join(discards(view)) or "none"),
    ]
    for offset in range(1, view.rules.players + 1):
        player = (view.observer + offset) % view.rules.players
        lines.append(_row(player_name(view, player), "  ".join(hand_names(view, player))))
        slots = range(view.hand_count[player])
        told = "  ".join(f"{slot}: {_possible_text(view, player, slot)}" for slot in slots)
        lines.append(_row("  may have", told))
    return [*lines, _row("you can", compact_actions(list(legal_texts(view))))]


def legal_texts(view: View) -> dict[str, int]:
    """Return each legal action with its number, in the words that a person types."""
    letters = hint_letters_of(view.rules)
    return {
        Action.from_number(number, view).to_text(letters): number for number in legal_actions(view)
    }


def player_name(view: View, player: int) -> str:
    """Return the name by which this player knows another."""
    return "you" if player == view.observer else f"player {player}"


def _row(title: str, text: str) -> str:
    """Return a line of the board with its title."""
    return f"  {title:<10} {text}"


def _possible_text(view: View, player: int, slot: int) -> str:
    """Return the suits and ranks that the hints leave for a card."""
    cards = members(view.possible[player][slot])
    suits = sorted({card // view.rules.ranks for card in cards})
    names = names_of_cards(view.rules)
    return "".join(names.letters[suit] for suit in suits) + "".join(names.ranks_of(cards))


def compact_actions(legal: list[str]) -> str:
    """Return all legal actions in one line: play 0 1 2, discard 0 1 2, hint 1 r y 3."""
    ends: dict[str, list[str]] = {}
    for action in legal:
        start, _, end = action.rpartition(" ")
        ends.setdefault(start, []).append(end)
    return ", ".join(f"{start} {' '.join(ends[start])}".strip() for start in ends)


def state_dict(state: State) -> dict[str, Any]:
    """Return the counters and the fireworks; an unlimited counter is None."""
    letters = unpack_letters(state.rules.letters)
    return {
        "score": final_score(state),
        "lives": None if state.rules.unlimited_lives else state.lives,
        "hint_tokens": None if state.rules.unlimited_hints else state.hint_tokens,
        "draw_pile": state.draw_pile,
        "fireworks": {letters[suit]: state.fireworks[suit] for suit in range(state.rules.suits)},
    }


def legal_dicts(state: State) -> list[dict[str, Any]]:
    """Return the legal actions of the player to move as data."""
    letters = hint_letters_of(state.rules)
    return [
        Action.from_number(number, state).to_dict(state.player, letters)
        for number in legal_actions(state)
    ]
