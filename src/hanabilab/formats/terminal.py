"""The board for a terminal, in colours and letters."""

from __future__ import annotations

from rich.text import Text

from hanabilab.formats.words import discards, fireworks, hand_names, look
from hanabilab.game.state import State
from hanabilab.game.turn import final_score

__all__ = ["board", "card_text"]

STYLES = (
    *("red", "yellow", "green", "blue", "default", "magenta", "cyan"),
    *("bright_magenta", "bright_cyan", "bright_black", "bright_red", "dark_orange3"),
)


def card_text(name: str) -> Text:
    """Return a card in the colour of its suit; its letter says the same without colour."""
    style = STYLES[look(name)] if look(name) >= 0 else "dim"
    return Text(name, style=f"bold {style}")


def board(state: State) -> Text:
    """Return the fireworks and the counters, then a line for each hand and the discards."""
    lines = [_line("fireworks", fireworks(state)), Text(_counters(state))]
    for player in range(state.players):
        mark = "*" if state.end == 0 and state.player == player else " "
        lines.append(_line(f"player {player}{mark}", hand_names(state, player)))
    if gone := discards(state):
        lines.append(_line("discards", gone))
    return Text("\n").join(lines)


def _line(title: str, cards: list[str]) -> Text:
    return Text.assemble(f"  {title:<10} ", Text(" ").join(card_text(card) for card in cards))


def _counters(state: State) -> str:
    tokens = "unlimited" if state.unlimited_hints else f"{state.hint_tokens}"
    lives = "unlimited" if state.unlimited_lives else f"{state.lives}"
    return (
        f"  score {final_score(state)}, hint tokens {tokens}, lives {lives}, "
        f"draw pile {state.draw_pile}"
    )
