"""The board as SVG: one drawing for notebooks and for the page.

`board` is one picture with its own style. `panels` are its parts, one picture each (fireworks,
counters, each hand, the discards), which a page arranges to fit; they contain neither styles nor
scripts. Clickable elements have `data-` attributes; elements for screen readers have a label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hanabilab.core.bits import members
from hanabilab.formats.stage_svg import Panel, stage_panels
from hanabilab.formats.svg import (
    attributes,
    cached,
    circle,
    group,
    rectangle,
    suit_class,
    symbol,
    text,
)
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event
from hanabilab.game.cards import HIDDEN, card_in
from hanabilab.game.names import CardNames
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import GOING_ON, State

__all__ = [
    "HEIGHT",
    "WIDTH",
    "BoardDrawing",
    "back",
    "board",
    "board_style",
    "face",
    "panels",
    "pips",
]

WIDTH, FACE, STRIP = 64, 66, 36
HEIGHT = FACE + STRIP
MIDDLE = WIDTH / 2
SPLIT = 38
"""The height at which a visible card is divided: rank above, suit below."""
GAP, NAMES = 6, 22
FEW = 4


@cached
def face(card: int, names: CardNames, suit_told: bool, rank_told: bool) -> str:
    """Draw a visible card: its rank above, its suit below, each marked if a hint named it."""
    suit, rank = card // names.ranks, names.labels[card]
    paper = rectangle(0, 0, WIDTH, HEIGHT, rx=9, class_="paper")
    number = text(MIDDLE, 30, rank, 31, class_="ink rank", text_anchor="middle")
    under = rectangle(MIDDLE - 11, 33.5, 22, 3, rx=1.5, class_="ink") if rank_told else ""
    # What can be clicked leaves no gap; what lights up is a little smaller, with round corners.
    upper = rectangle(0, 0, WIDTH, SPLIT, class_="hit")
    lower = rectangle(0, SPLIT, WIDTH, HEIGHT - SPLIT, class_="hit")
    rank_part = group(
        upper + rectangle(2, 2, WIDTH - 4, SPLIT - 2, rx=8, class_="zone") + number + under,
        data_rank=rank,
    )
    zone = lower + rectangle(2, SPLIT + 1, WIDTH - 4, HEIGHT - SPLIT - 3, rx=8, class_="zone")
    ring = circle(MIDDLE - 11, 52, 13, "ring") if suit_told else ""
    suit_part = group(zone + ring + _suit(suit, names.letters), data_suit=names.letters[suit])
    return paper + rank_part + suit_part


@cached
def back(possible: int, names: CardNames) -> str:
    """Draw a hidden card, with its suit and rank where they are certain."""
    suits = {card // names.ranks for card in members(possible)}
    values = names.ranks_of(members(possible))
    paper = rectangle(0, 0, WIDTH, HEIGHT, rx=9, class_="paper")
    number = values[0] if len(values) == 1 else "?"
    known = "ink rank" if len(values) == 1 else "faint rank"
    top = text(MIDDLE, 30, number, 31, class_=known, text_anchor="middle")
    if len(suits) != 1:
        return paper + top
    suit = suits.pop()
    return group(paper + top + _suit(suit, names.letters), class_=suit_class(suit))


def _suit(suit: int, letters: str) -> str:
    name = text(MIDDLE + 13, 57, letters[suit], 16, class_="ink", text_anchor="middle")
    return symbol(suit, MIDDLE - 11, 52, 19) + name


@cached
def pips(possible: int, names: CardNames) -> str:
    """Draw a dot for each card that this one may be: a row per suit, ranks from the left."""
    ranks, suits = names.ranks, len(names.letters)
    places = names.ranks_of(range(len(names.labels)))
    across = min((WIDTH - 10) / ranks, 11)
    down = (STRIP - 5) / suits
    left = (WIDTH - across * ranks) / 2
    size = min(across, down) * 0.42
    rows = []
    for suit in range(suits):
        points = []
        for rank in range(ranks):
            on = possible >> (suit * ranks + rank) & 1
            place = places.index(names.labels[suit * ranks + rank])
            x, y = left + across * (place + 0.5), FACE + 1 + down * (suit + 0.5)
            points.append(circle(x, y, size if on else size * 0.42, "pip" if on else "no pip"))
        rows.append(group("".join(points), class_=suit_class(suit)))
    return group("".join(rows), class_="pips", aria_hidden="true")


@dataclass(frozen=True, slots=True)
class BoardDrawing:
    """Draws a board: a panel each for counters, fireworks, hands and discards."""

    state: State
    possible: Sequence[Sequence[int]]
    event: Event | None
    names: Sequence[str]
    roles: Sequence[str]
    """Text at the right end of the line above each hand, such as the strategy."""
    newest_first: bool
    """Draw the newest card on the left as slot 1, instead of the oldest as slot 0."""
    cards: CardNames
    """The names of the cards."""

    def panels(self) -> list[Panel]:
        """Return all parts, in reading order."""
        hands = [self.hand(player) for player in range(self.state.rules.players)]
        return [*stage_panels(self.state, self.event, self.cards), *hands]

    def owner(self, player: int) -> str:
        """Return the possessive of a player: “your”, “Bob's”."""
        name = self.names[player]
        return "your" if name == "you" else f"{name}'s"

    # --- hands ------------------------------------------------------------------------------------

    def slot_number(self, player: int, slot: int) -> int:
        """Return the number of a slot as the reader counts."""
        return self.state.hand_count[player] - slot if self.newest_first else slot

    def hand(self, player: int) -> Panel:
        """Draw a row of cards under the player's name."""
        state = self.state
        to_move = state.end == GOING_ON and state.player == player
        width = max(state.rules.hand_size * (WIDTH + GAP) - GAP, 60)
        parts = [text(16 if to_move else 2, 15, self.names[player], 16, class_="hl-name")]
        if to_move:
            parts.append('<path class="turn" d="M2 3.5l10 6-10 6z"/>')
        parts.append(text(width - 2, 15, self.roles[player], 13, class_="quiet", text_anchor="end"))
        count = state.hand_count[player]
        for place in range(count):
            slot = count - 1 - place if self.newest_first else place
            parts.append(self.card(player, slot, place * (WIDTH + GAP), NAMES))
        label = f"{self.owner(player)} hand" + (", to move" if to_move else "")
        hidden = count and card_in(state.hands[player], 0) == HIDDEN
        name = f"hand{' own' if hidden else ''}{' to-move' if to_move else ''}"
        return Panel(name, label, "".join(parts), width, NAMES + HEIGHT + 2, player)

    def card(self, player: int, slot: int, x: float, y: float) -> str:
        """Draw a card in a hand: its face if it is visible, and its possible cards."""
        state = self.state
        one = _HeldCard(
            card_in(state.hands[player], slot),
            self.possible[player][slot],
            bool(state.suit_hinted[player] >> slot & 1),
            bool(state.rank_hinted[player] >> slot & 1),
            self._touched_last(player, slot),
            self.owner(player),
            self.slot_number(player, slot),
        )
        return _held_card(one, player, slot, x, y, self.cards)

    def _touched_last(self, player: int, slot: int) -> bool:
        event = self.event
        if event is None:
            return False
        if event.kind in (HINT_SUIT, HINT_RANK):
            return event.target == player and bool(event.touched >> slot & 1)
        drawn = event.drew and slot == self.state.hand_count[player] - 1
        return event.kind in (PLAY, DISCARD) and event.player == player and bool(drawn)


class _HeldCard(NamedTuple):
    """A card in a hand, as it is drawn and named for screen readers."""

    card: int
    possible: int
    suit_told: bool
    rank_told: bool
    last: bool
    """Whether the turn before drew or touched it."""
    owner: str
    number: int
    """The slot as the reader counts."""

    def label(self, names: CardNames) -> str:
        """Return the card in words: “your slot 2: red 1 or red 2, told red”."""
        cards = members(self.possible)
        words = [f"{self.owner} slot {self.number}: "]
        if self.card != HIDDEN:
            words.append(names.words(self.card))
        else:
            named = " or ".join(names.words(each) for each in cards[:FEW])
            words.append(named if len(cards) <= FEW else f"one of {len(cards)} cards")
        if cards and self.suit_told:
            suits = sorted({each // names.ranks for each in cards})
            words.append(f", told {' or '.join(names.suits[suit] for suit in suits)}")
        if cards and self.rank_told:
            words.append(f", told rank {' or '.join(names.ranks_of(cards))}")
        return "".join(words)


@cached
def _held_card(one: _HeldCard, player: int, slot: int, x: float, y: float, names: CardNames) -> str:
    """Draw a card in a hand; most cards of a board look as they did a turn before."""
    drawn = back(one.possible, names)
    if one.card != HIDDEN:
        seen = face(one.card, names, one.suit_told, one.rank_told)
        drawn = group(drawn, class_="to-owner hidden") + group(seen, class_="to-others")
    outline = rectangle(0.75, 0.75, WIDTH - 1.5, HEIGHT - 1.5, rx=9, class_="edge")
    number = text(6, 15, str(one.number), 13, class_="hl-slot ink")
    suit = "hidden" if one.card == HIDDEN else suit_class(one.card // names.ranks)
    told = " told" * (one.suit_told or one.rank_told)
    return group(
        drawn + pips(one.possible, names) + outline + number,
        x,
        y,
        class_=f"hl-card {suit}{told}{' last' * one.last}",
        role="group",
        aria_label=one.label(names),
        data_player=player,
        data_slot=slot,
        data_card=names.card(one.card) if one.card != HIDDEN else None,
    )


@cache
def board_style() -> str:
    """Return the style sheet for the classes of a drawing."""
    return Path(__file__).with_name("board.css").read_text(encoding="utf-8")


def _board_drawing(
    state: State,
    possible: Sequence[Sequence[int]] | None,
    event: Event | None,
    names: Sequence[str] | None,
    roles: Sequence[str] | None = None,
    newest_first: bool = False,
) -> BoardDrawing:
    return BoardDrawing(
        state,
        state.possible if possible is None else possible,
        event,
        names or [f"player {player}" for player in range(state.rules.players)],
        roles or [""] * state.rules.players,
        newest_first,
        names_of_cards(state.rules),
    )


def panels(
    state: State,
    *,
    possible: Sequence[Sequence[int]] | None = None,
    event: Event | None = None,
    names: Sequence[str] | None = None,
    roles: Sequence[str] | None = None,
    newest_first: bool = False,
) -> str:
    """Return the parts of the board, for a page that includes the style (`board_style`).

    `state` may be a view: cards hidden in it are drawn with their possible identities. `possible`
    replaces what the hints allow; `event` is the previous turn. `roles` adds a remark to each
    player's name. With `newest_first` the newest card is on the left and is slot 1.
    """
    parts = _board_drawing(state, possible, event, names, roles, newest_first).panels()
    return f'<div class="hl-board">{"".join(part.to_svg() for part in parts)}</div>'


def board(
    state: State,
    *,
    possible: Sequence[Sequence[int]] | None = None,
    event: Event | None = None,
    names: Sequence[str] | None = None,
    inline: bool = False,
) -> str:
    """Return the whole board as one picture with its style, for a notebook or a file.

    With `inline`, it follows the light or dark theme of the surrounding page.
    """
    counters, fireworks, discards, *hands = _board_drawing(state, possible, event, names).panels()
    margin, y, width = 12.0, 12.0, 0.0
    inside = []
    for row in ([counters, discards], [fireworks], *([hand] for hand in hands)):
        x = margin
        for part in row:
            inside.append(group(part.inside, x, y, role="group", aria_label=part.label))
            x += part.width + 2 * margin
        width = max(width, x - margin)
        y += max(part.height for part in row) + 8
    about = attributes(
        class_="hl-board" if inline else "hl-board whole",
        viewBox=f"0 0 {width:g} {y + 4:g}",
        width=width,
        height=y + 4,
        role="group",
        aria_label=f"Hanabi board, {counters.label}",
    )
    back = rectangle(0, 0, width, y + 4, rx=10, class_="table")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{about}><style>{board_style()}</style>'
        f"{back}{''.join(inside)}</svg>"
    )
