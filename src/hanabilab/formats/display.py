"""Render views, rules and decks in terminals and notebooks.

Importing this module registers its renderers with `hanabilab.display`.
"""

from __future__ import annotations

from html import escape

from hanabilab.display import HTML_RENDERERS, TEXT_RENDERERS
from hanabilab.formats.board_text import board_lines
from hanabilab.formats.data_table import DataTable
from hanabilab.formats.describe import describe_rule, palette_index
from hanabilab.game.actions import Event
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, View

__all__ = ["board_html", "deck_html", "rules_html", "view_text"]

COLOURS = (
    *("light-dark(#b3261e,#ffb0a6)", "light-dark(#7a5900,#f5d56a)", "light-dark(#0b6b3a,#86dfa8)"),
    *("light-dark(#1b4fa8,#a6c8ff)", "inherit", "light-dark(#7a2a8f,#e6b3f5)"),
    "light-dark(#0a6670,#86dbe2)",
)
"""The colours of the suits, as on the board; other suits use the text colour."""


def view_text(view: View) -> str:
    """Return the board as text, as its player sees it."""
    return "\n".join([f"what player {view.observer} sees", *board_lines(view)])


def board_html(state: State, event: Event | None = None) -> str:
    """Draw the table, or a player's view of it; `event` is the previous turn."""
    from hanabilab.formats.board_svg import board

    return board(state, event=event, inline=True)


def rules_html(rules: Rules) -> str:
    """Return the rules as a table with one row each."""
    rows = [
        (words, _in_words(getattr(rules, name)))
        for name, words in rules.about.items()
        if name != "letters"
    ]
    caption = f"rules: {rules.preset or 'custom'}"
    return DataTable(
        header=("rule", ""), rows=tuple(rows), caption=caption, text_columns=2
    ).to_html()


def _in_words(value: object) -> str:
    if not isinstance(value, tuple):
        return describe_rule(value)
    parts = [" ".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in value]
    return " / ".join(dict.fromkeys(parts))


def deck_html(deck: Deck) -> str:
    """Return the hands and the draw pile of a deck, with cards in the colours of their suits."""
    rules, cards = deck.rules, list(deck)
    parts = {
        f"player {player}": cards[player * rules.hand_size : (player + 1) * rules.hand_size]
        for player in range(rules.players)
    }
    parts["draw pile"] = cards[rules.players * rules.hand_size :]
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{name}</th>'
        f'<td style="text-align:left">{" ".join(_card(rules, card) for card in part)}</td></tr>'
        for name, part in parts.items()
    )
    return f'<table style="color:inherit;background:none">{rows}</table>'


def _card(rules: Rules, card: int) -> str:
    name = rules.card_name(card)
    colour = COLOURS[palette_index(name)] if 0 <= palette_index(name) < len(COLOURS) else "inherit"
    return f'<b style="color:{colour}">{escape(name)}</b>'


TEXT_RENDERERS["View"] = view_text
HTML_RENDERERS.update(View=board_html, Rules=rules_html, Deck=deck_html)
