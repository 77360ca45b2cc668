"""The board as an SVG picture, for notebooks and pages.

Every card shows its suit as a letter and a symbol besides its colour, so that nobody needs to see
colours to read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hanabilab.formats.words import discards, hand_names
from hanabilab.game.names import HIDDEN_NAME, SUIT_LETTERS
from hanabilab.game.state import State
from hanabilab.game.turn import final_score

__all__ = ["board", "card"]

WIDTH, HEIGHT, GAP, LEFT = 38, 54, 6, 92
COLOURS = ("#c8322b", "#b58900", "#3b8132", "#2661b5", "#6b6b6b", "#9b3fa8", "#0b7f88")
SYMBOLS = "▲●■◆★✚⬟"
SMALL = 0.6


def card(name: str, x: float, y: float, scale: float = 1.0, *, faded: bool = False) -> str:
    """One card with its upper left corner at (x, y)."""
    suit = SUIT_LETTERS.find(name[0]) if name != HIDDEN_NAME else -1
    colour = COLOURS[suit % len(COLOURS)] if suit >= 0 else "#8a8f98"
    symbol = SYMBOLS[suit % len(SYMBOLS)] if suit >= 0 else "?"
    label = escape(name if suit >= 0 else "")
    opacity = ' opacity="0.35"' if faded else ""
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})"{opacity}>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="5" fill="#fffdf7" stroke="{colour}" '
        f'stroke-width="2.5"/>'
        f'<text x="{WIDTH / 2:g}" y="22" text-anchor="middle" font-size="17" font-weight="bold" '
        f'fill="{colour}">{label}</text>'
        f'<text x="{WIDTH / 2:g}" y="44" text-anchor="middle" font-size="17" '
        f'fill="{colour}">{symbol}</text></g>'
    )


def board(state: State) -> str:
    """Fireworks, counters, all hands and the discards."""
    gone = discards(state)
    per_row = 16
    rows = -(-len(gone) // per_row)
    widest = max(state.suits, state.hand_size)
    width = max(LEFT + widest * (WIDTH + GAP), 470)
    hands_top = HEIGHT + 60
    gone_top = hands_top + state.players * (HEIGHT + GAP) + 22
    height = gone_top + rows * (HEIGHT * SMALL + 4) + 6
    parts = [
        *_fireworks(state),
        _text(10, HEIGHT + 40, _counters(state)),
        *_hands(state, hands_top),
        *_discards(gone, per_row, gone_top),
    ]
    inside = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif" role="img" '
        f'aria-label="Hanabi board, {escape(_counters(state))}">'
        f'<rect width="100%" height="100%" fill="#f3f1ea"/>{inside}</svg>'
    )


def _text(x: float, y: float, words: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="14" fill="#222"{weight}>{escape(words)}</text>'


def _counters(state: State) -> str:
    tokens = "∞" if state.unlimited_hints else state.hint_tokens
    lives = "∞" if state.unlimited_lives else state.lives
    return (
        f"score {final_score(state)} · hint tokens {tokens} · lives {lives} · "
        f"draw pile {state.draw_pile} · turn {state.turn}"
    )


def _fireworks(state: State) -> Iterator[str]:
    yield _text(10, 36, "fireworks")
    for suit in range(state.suits):
        rank = state.fireworks[suit]
        yield card(f"{SUIT_LETTERS[suit]}{rank}", LEFT + suit * (WIDTH + GAP), 6, faded=rank == 0)


def _hands(state: State, top: float) -> Iterator[str]:
    for player in range(state.players):
        y = top + player * (HEIGHT + GAP)
        to_move = state.end == 0 and state.player == player
        yield _text(10, y + 32, f"player {player}" + (" ▸" if to_move else ""), bold=to_move)
        for slot, name in enumerate(hand_names(state, player)):
            yield card(name, LEFT + slot * (WIDTH + GAP), y)


def _discards(gone: list[str], per_row: int, top: float) -> Iterator[str]:
    if gone:
        yield _text(10, top + 18, "discards")
    for place, name in enumerate(gone):
        x = LEFT + place % per_row * (WIDTH * SMALL + 2)
        yield card(name, x, top + place // per_row * (HEIGHT * SMALL + 4), SMALL)
