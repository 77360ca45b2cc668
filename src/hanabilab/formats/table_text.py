"""The table in words, as one player sees it: enough to play from."""

from __future__ import annotations

from hanabilab.core.bits import members
from hanabilab.formats.action import Action
from hanabilab.formats.words import discards, fireworks, hand_names
from hanabilab.game.actions import legal_actions
from hanabilab.game.names import hint_letters_of, unpack_letters
from hanabilab.game.view import View

__all__ = ["choices", "legal_texts", "player_name", "table_lines"]


def table_lines(view: View) -> list[str]:
    """Return the table as this player sees it, what the hints say of each card included."""
    tokens = "unlimited" if view.unlimited_hints else view.hint_tokens
    lives = "unlimited" if view.unlimited_lives else view.lives
    counters = f"hint tokens {tokens}, lives {lives}, draw pile {view.draw_pile}"
    lines = [
        row("fireworks", f"{' '.join(fireworks(view))}   score {view.score}, {counters}"),
        row("discards", " ".join(discards(view)) or "none"),
    ]
    for offset in range(1, view.players + 1):
        player = (view.observer + offset) % view.players
        lines.append(row(player_name(view, player), "  ".join(hand_names(view, player))))
        slots = range(view.hand_count[player])
        told = "  ".join(f"{slot}: {known(view, player, slot)}" for slot in slots)
        lines.append(row("  may have", told))
    return [*lines, row("you can", choices(list(legal_texts(view))))]


def legal_texts(view: View) -> dict[str, int]:
    """Return each legal action, as a person types it, with its number."""
    letters = hint_letters_of(view)
    return {
        Action.from_number(number, view).to_text(letters): number for number in legal_actions(view)
    }


def player_name(view: View, player: int) -> str:
    """Return the name by which this player knows another."""
    return "you" if player == view.observer else f"player {player}"


def row(title: str, text: str) -> str:
    """Return a line of the table."""
    return f"  {title:<10} {text}"


def known(view: View, player: int, slot: int) -> str:
    """Return the suits and ranks that the hints leave for a card."""
    cards = members(view.possible[player][slot])
    suits = sorted({card // view.ranks for card in cards})
    ranks = sorted({card % view.ranks + 1 for card in cards})
    letters = unpack_letters(view.letters)
    return "".join(letters[suit] for suit in suits) + "".join(map(str, ranks))


def choices(legal: list[str]) -> str:
    """Return all legal actions in one line: play 0 1 2, discard 0 1 2, hint 1 r y 3."""
    ends: dict[str, list[str]] = {}
    for action in legal:
        start, _, end = action.rpartition(" ")
        ends.setdefault(start, []).append(end)
    return ", ".join(f"{start} {' '.join(ends[start])}".strip() for start in ends)
