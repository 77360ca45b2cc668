"""The middle of the table as SVG: fireworks, tokens, lives, draw pile and discards.

Each is a `Panel` of its own, so that a page can arrange them; `board_svg` adds the hands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from hanabilab.formats.describe import top_rank
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
from hanabilab.game.cards import count_of
from hanabilab.game.names import CardNames
from hanabilab.game.state import GOING_ON, State, best_score, pace
from hanabilab.game.turn import final_score

__all__ = ["Panel", "stage_panels"]

CARD, GAP, FIREWORK = 64, 6, 92
"""Width of a firework, the gap to the next, and its height."""
RAYS = 14
COUNTERS_WIDTH, COUNTERS_HEIGHT = 176, 134
TOKEN_ROW, MAX_DRAWN = 8, 24
"""Tokens in a row, and the most that are drawn one by one."""
CELL_WIDTH, CELL_HEIGHT, SUIT_WIDTH, TITLE = 25, 24, 32, 14
"""A cell of the discards, the suit in front of a row, and the line above all rows."""

BOMB = "M0-2A8.5 8.5 0 1 1-.1-2ZM2-3 6-10 10-9"
BLAST = "M0-9 2.4-3.6 8-6 4.6-.6 9 3.4 3.2 3.4 2 9-1.6 4.4-7 7-4.4 1.6-9-1.4-3.4-2.6-5-8-1.2-4.4Z"
SPARK = "M10-13 11-10.4 13.6-9.4 11-8.4 10-5.8 9-8.4 6.4-9.4 9-10.4Z"


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the board: its drawing and its size."""

    name: str
    label: str
    inside: str
    width: float
    height: float
    player: int | None = None

    def to_svg(self) -> str:
        """Return the panel as an SVG image."""
        size = attributes(
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            width=float(self.width),
            height=float(self.height),
        )
        about = attributes(
            class_=f"hl-panel hl-{self.name}",
            role="group",
            aria_label=self.label,
            data_hand=self.player,
        )
        return f'<svg xmlns="http://www.w3.org/2000/svg"{about}{size}>{self.inside}</svg>'


def plays_are_hidden(state: State) -> bool:
    """Return whether nobody knows yet what became of played cards."""
    return bool(state.rules.hidden_plays) and state.end == GOING_ON


def stage_panels(state: State, event: Event | None, names: CardNames) -> list[Panel]:
    """Return the counters, the fireworks and the discards; `event` is the turn before."""
    return [
        _counters(state, event),
        _fireworks(state, event, names),
        _discards(state, event, names),
    ]


# --- fireworks --------------------------------------------------------------------------------


def _fireworks(state: State, event: Event | None, names: CardNames) -> Panel:
    """Draw the highest card of each suit, with the ranks still to come."""
    suits = range(state.rules.suits)
    tops = [top_rank(state, suit) for suit in suits]
    parts = [_firework(_Firework.of(state, suit, tops[suit], event), names) for suit in suits]
    heights = [
        f"{names.suits[suit]} {tops[suit] if state.fireworks[suit] else 'empty'}" for suit in suits
    ]
    if plays_are_hidden(state):
        heights = ["hidden until the game is over"]
    width = state.rules.suits * (CARD + GAP) - GAP
    label = f"fireworks: {', '.join(heights)}"
    return Panel("fireworks", label, "".join(parts), width, FIREWORK + 4)


class _Firework(NamedTuple):
    """Everything that the drawing of a firework depends on."""

    suit: int
    height: int
    stack_size: int
    top: str
    played: int
    """The ranks played, one bit each."""
    dead: int
    """The ranks that can never be played any more."""
    lit: bool
    """Whether the turn before lit it."""

    @classmethod
    def of(cls, state: State, suit: int, top: str, event: Event | None) -> _Firework:
        """Return the firework of a suit."""
        ranks = state.rules.ranks
        first, all_ranks = suit * ranks, (1 << ranks) - 1
        return cls(
            suit,
            state.fireworks[suit],
            state.rules.stack_size,
            "?" if plays_are_hidden(state) else top,
            state.played >> first & all_ranks,
            state.dead >> first & all_ranks,
            event is not None and bool(event.lit) and event.card // ranks == suit,
        )


@cached
def _firework(one: _Firework, names: CardNames) -> str:
    ranks, suit, middle = names.ranks, one.suit, CARD / 2
    step = min((CARD - 12) / ranks, 10)
    left = middle - step * (ranks - 1) / 2
    marks = []
    for rank in range(ranks):
        lost = "lost" if one.dead >> rank & 1 else "unlit"
        class_ = "lit" if one.played >> rank & 1 else lost
        marks.append(circle(left + step * rank, 83, step * 0.33, class_))
    number = text(middle, 46, one.top, 40, class_="rank", text_anchor="middle")
    name = text(middle + 13, 71, names.letters[suit], 17, text_anchor="middle")
    paper = rectangle(0.75, 0.75, CARD - 1.5, FIREWORK - 1.5, rx=9, class_="paper edge")
    complete = one.height == one.stack_size
    empty = " empty" * (one.height == 0)
    classes = f"hl-firework {suit_class(suit)}{empty}{' complete' * complete}"
    return group(
        paper
        + _rays(one.height, one.stack_size)
        + group(number + name + symbol(suit, middle - 11, 65, 19), class_="ink")
        + "".join(marks),
        suit * (CARD + GAP),
        2,
        class_=classes + " last" * one.lit,
        data_firework=names.letters[suit],
    )


@cached
def _rays(height: int, most: int) -> str:
    """Draw the rays behind the rank: longer with every card, all around a complete firework."""
    if not height:
        return ""
    lines = []
    reach = 19 + 11 * height / most
    for ray in range(RAYS):
        angle = 2 * math.pi * ray / RAYS
        x, y = math.cos(angle), math.sin(angle)
        end = reach if ray % 2 else reach - 4
        lines.append(f"M{32 + 18 * x:.1f} {32 + 18 * y:.1f}L{32 + end * x:.1f} {32 + end * y:.1f}")
    return f'<path class="rays" d="{"".join(lines)}"/>'


# --- score, tokens, lives and the draw pile ------------------------------------------------------


def _counters(state: State, event: Event | None) -> Panel:
    """Draw the score, the hint tokens, the lives and the draw pile; the label says all in words."""
    rules = state.rules
    words = [
        f"score {final_score(state)} of {rules.max_score}",
        f"best {best_score(state)} possible",
        f"hints {'∞' if rules.unlimited_hints else state.hint_tokens} tokens",
        f"lives {'∞' if rules.unlimited_lives else state.lives} left",
        f"draw {state.draw_pile} in the pile",
        f"pace {pace(state)} spare turns",
    ]
    if plays_are_hidden(state):
        words = [words[2], words[4], "score, lives and pace are hidden"]
    if state.turns_left >= 0:
        words.append(f"{state.turns_left} turns left")
    parts = _score(state) + _tokens(state, event) + _lives(state, event) + _draw_pile(state)
    return Panel("counters", ", ".join(words), parts, COUNTERS_WIDTH, COUNTERS_HEIGHT)


def _score(state: State) -> str:
    """Draw the score, what can still be reached, and the pace."""
    if plays_are_hidden(state):
        words = text(24, 30, f"of {state.rules.max_score} points", 13, class_="quiet")
        rest = text(2, 48, "played cards stay hidden", 12.5, class_="quiet")
        return text(2, 30, "?", 34, class_="value") + words + rest
    best, most, spare = best_score(state), state.rules.max_score, pace(state)
    score = str(final_score(state))
    points = text(2, 30, score, 34, class_="value") + text(
        7 + 23 * len(score), 30, f"of {most} points", 13, class_="quiet"
    )
    if state.end:
        return points
    reach = text(2, 48, f"at most {best}", 12.5, class_="quiet")
    turns = f"{spare} spare turn{'s' * (spare != 1)}".replace("-", "−")
    rest = text(COUNTERS_WIDTH - 2, 48, turns, 12.5, class_="quiet", text_anchor="end")
    return (
        points
        + group(reach, class_="alarm" if best < most else None)
        + group(rest, class_="alarm" if spare < 0 else None)
    )


def _tokens(state: State, event: Event | None) -> str:
    """Draw the hint tokens: those to spend filled, the others as outlines."""
    rules, left = state.rules, state.hint_tokens
    if rules.unlimited_hints or rules.max_hint_tokens > MAX_DRAWN:
        words = "∞" if rules.unlimited_hints else f"{left} of {rules.max_hint_tokens}"
        drawn = _token(11, 67, "token") + text(26, 73, f"{words} hint tokens", 15, class_="value")
        return group(drawn, class_="hl-count")
    spent = event is not None and event.kind in (HINT_RANK, HINT_SUIT)
    back = event is not None and event.kind in (PLAY, DISCARD) and bool(event.token)
    changed = left if spent else left - 1 if back else -1
    rows = max(1, -(-rules.max_hint_tokens // TOKEN_ROW))
    size = 1.0 if rows == 1 else 0.62
    parts = []
    for place in range(rules.max_hint_tokens):
        row, column = divmod(place, TOKEN_ROW if rows < 3 else 12)
        class_ = f"token{' spent' * (place >= left)}{' changed' * (place == changed)}"
        parts.append(_token(11 + 22 * size * column, 62 + 7 * size + 20 * size * row, class_, size))
    empty = left == 0 < rules.max_hint_tokens
    return group("".join(parts), class_="hl-count alarm" if empty else "hl-count")


@cached
def _token(x: float, y: float, class_: str, size: float = 1.0) -> str:
    disc = circle(x, y, 9 * size, "disc")
    return group(disc + circle(x, y, 4.4 * size, "core"), class_=class_)


def _lives(state: State, event: Event | None) -> str:
    """Draw a fuse for each life; a lost one is a blast."""
    rules, left = state.rules, state.lives
    if plays_are_hidden(state):
        words = text(30, 114, "? lives", 15, class_="value")
        return group(_fuse(12, 108, "fuse") + words, class_="hl-count")
    if rules.unlimited_lives or rules.max_lives > 4:
        words = "∞" if rules.unlimited_lives else f"{left} of {rules.max_lives}"
        drawn = _fuse(12, 108, "fuse") + text(30, 114, f"{words} lives", 15, class_="value")
        return group(drawn, class_="hl-count")
    misplayed = event is not None and event.kind == PLAY and not event.lit
    parts = []
    for place in range(rules.max_lives):
        changed = misplayed and place == left
        class_ = f"fuse{' spent' * (place >= left)}{' changed' * changed}"
        parts.append(_fuse(14 + 26 * place, 108, class_))
    last = left == 1 < rules.max_lives
    return group("".join(parts), class_="hl-count alarm" if last else "hl-count")


@cached
def _fuse(x: float, y: float, class_: str) -> str:
    if "spent" in class_:
        return group(f'<path class="blast" d="{BLAST}"/>', x, y + 2, class_=class_)
    bomb = f'<path class="bomb" d="{BOMB}"/><path class="spark" d="{SPARK}"/>'
    return group(bomb, x, y, class_=class_)


def _draw_pile(state: State) -> str:
    """Draw the draw pile as a stack of cards with their number."""
    count, width, height = state.draw_pile, 34, 42
    x, y = COUNTERS_WIDTH - width - 6, 86
    depth = min(3, -(-count // 10))
    cards = [
        rectangle(x + 2 * place, y + 4 - 2 * place, width, height, rx=5, class_="paper edge")
        for place in range(max(1, depth))
    ]
    top = 2 * max(0, depth - 1)
    number = text(
        x + top + width / 2, y + 32 - top, str(count), 20, class_="value", text_anchor="middle"
    )
    about = ("draw", "pile") if state.turns_left < 0 else (f"{state.turns_left} turns", "left")
    words = "".join(
        text(x - 5, y + 22 + 13 * line, each, 12, class_="quiet", text_anchor="end")
        for line, each in enumerate(about)
    )
    classes = f"hl-count hidden pile{' empty' * (count == 0)}{' alarm' * (state.turns_left >= 0)}"
    return group("".join(cards) + number + words, class_=classes, data_pile="draw")


# --- discards ---------------------------------------------------------------------------------


def _discards(state: State, event: Event | None, names: CardNames) -> Panel:
    """Draw the discarded cards in fixed places: a row for each suit, a column for each rank."""
    suits, ranks = state.rules.suits, state.rules.ranks
    gone = event.card if event and event.kind in (PLAY, DISCARD) and not event.lit else -1
    rows, total = [], 0
    for suit in range(suits):
        cards = range(suit * ranks, (suit + 1) * ranks)
        counts = tuple(count_of(state.discarded, card) for card in cards)
        copies = tuple(count_of(state.rules.copies, card) for card in cards)
        rows.append(_row(suit, counts, copies, names, gone if gone in cards else -1))
        total += sum(counts)
    label = f"discards: {total} card{'s' * (total != 1)}"
    title = text(0, 9, label, 11.5, class_="quiet")
    width, height = SUIT_WIDTH + ranks * CELL_WIDTH, TITLE + suits * CELL_HEIGHT
    inside = title + group("".join(rows), data_pile="discard")
    return Panel("discards", label, inside, width, height)


@cached
def _row(
    suit: int, counts: tuple[int, ...], copies: tuple[int, ...], names: CardNames, gone: int
) -> str:
    """Draw the discards of a suit; `gone` is the card that the turn before put there, or -1."""
    head = symbol(suit, 9, 11, 14) + text(
        23, 16.5, names.letters[suit], 14, class_="ink", text_anchor="middle"
    )
    cells = []
    for rank, count in enumerate(counts):
        card, x = suit * names.ranks + rank, SUIT_WIDTH + CELL_WIDTH * rank
        cells.append(_cell(card, count, copies[rank], names, x, card == gone))
    inside = head + "".join(cells)
    return group(inside, 0, TITLE + suit * CELL_HEIGHT, class_=suit_class(suit))


@cached
def _cell(card: int, count: int, copies: int, names: CardNames, x: float, last: bool) -> str:
    """Draw the place of a card: its rank, and a dot for each copy beyond the first in it."""
    middle = (CELL_WIDTH - 2) / 2
    if not count:
        rank = text(middle, 16, names.labels[card], 13, class_="faint", text_anchor="middle")
        return group(rank, x, 0, aria_hidden="true")
    rank = text(middle, 16.5, names.labels[card], 15, class_="ink rank", text_anchor="middle")
    dots = "".join(circle(4, 4.5 + 4.6 * place, 1.7, "ink") for place in range(count)) * (
        copies > 1
    )
    all_gone = '<path class="strike" d="M3.5 18.5 19.5 3"/>' if count == copies else ""
    number = f"{count} of {copies}" if copies > 1 else "the only one"
    return group(
        rectangle(0.5, 0.5, CELL_WIDTH - 3, CELL_HEIGHT - 3, rx=4, class_="paper edge")
        + rank
        + dots
        + all_gone,
        x,
        0,
        class_=f"hl-chip{' gone' * (count == copies)}{' last' * last}",
        role="img",
        aria_label=f"{names.words(card)}, {number}",
        data_count=count,
    )
