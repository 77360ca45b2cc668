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

from hanabilab.core.bits import members
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
from hanabilab.game.cards import HIDDEN, card_in, count_of
from hanabilab.game.names import CardNames
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import GOING_ON, State, best_score, pace
from hanabilab.game.turn import final_score

__all__ = [
    "HEIGHT",
    "WIDTH",
    "BoardDrawing",
    "Panel",
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
GAP, FIREWORK, NAMES = 6, 70, 22
CHIP_WIDTH, CHIP_HEIGHT, CHIPS_ACROSS, SUIT_HEAD = 20, 22, 3, 17
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

    def panels(self) -> list[Panel]:
        """Return all parts, in reading order."""
        hands = [self.hand(player) for player in range(self.state.rules.players)]
        return [self.counters(), self.fireworks(), *hands, self.discards()]

    @property
    def letters(self) -> str:
        """The letters of the suits."""
        return self.cards.letters

    @property
    def cards(self) -> CardNames:
        """The names of the cards."""
        return names_of_cards(self.state.rules)

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
        card = card_in(state.hands[player], slot)
        possible = self.possible[player][slot]
        suit_told = bool(state.suit_hinted[player] >> slot & 1)
        rank_told = bool(state.rank_hinted[player] >> slot & 1)
        drawn = back(possible, self.cards)
        if card != HIDDEN:
            seen = face(card, self.cards, suit_told, rank_told)
            drawn = group(drawn, class_="to-owner hidden") + group(seen, class_="to-others")
        outline = rectangle(0.75, 0.75, WIDTH - 1.5, HEIGHT - 1.5, rx=9, class_="edge")
        number = text(6, 15, str(self.slot_number(player, slot)), 13, class_="hl-slot ink")
        classes = ["hl-card", suit_class(card // state.rules.ranks) if card != HIDDEN else "hidden"]
        if suit_told or rank_told:
            classes.append("told")
        if self._touched_last(player, slot):
            classes.append("last")
        return group(
            drawn + pips(possible, self.cards) + outline + number,
            x,
            y,
            class_=" ".join(classes),
            role="group",
            aria_label=self._card_label(player, slot, card, possible),
            data_player=player,
            data_slot=slot,
            data_card=self.cards.card(card) if card != HIDDEN else None,
        )

    def _touched_last(self, player: int, slot: int) -> bool:
        event = self.event
        if event is None:
            return False
        if event.kind in (HINT_SUIT, HINT_RANK):
            return event.target == player and bool(event.touched >> slot & 1)
        drawn = event.drew and slot == self.state.hand_count[player] - 1
        return event.kind in (PLAY, DISCARD) and event.player == player and bool(drawn)

    def _card_label(self, player: int, slot: int, card: int, possible: int) -> str:
        state = self.state
        words = [f"{self.owner(player)} slot {self.slot_number(player, slot)}: "]
        if card != HIDDEN:
            words.append(self.cards.words(card))
        else:
            cards = members(possible)
            named = " or ".join(self.cards.words(each) for each in cards[:FEW])
            words.append(named if len(cards) <= FEW else f"one of {len(cards)} cards")
        suits = {each // state.rules.ranks for each in members(possible)}
        ranks = self.cards.ranks_of(members(possible))
        if suits and state.suit_hinted[player] >> slot & 1:
            named = " or ".join(self.cards.suits[suit] for suit in sorted(suits))
            words.append(f", told {named}")
        if ranks and state.rank_hinted[player] >> slot & 1:
            words.append(f", told rank {' or '.join(ranks)}")
        return "".join(words)

    # --- the table --------------------------------------------------------------------------------

    def fireworks(self) -> Panel:
        """Draw the highest card of each suit, with the ranks still to come."""
        state = self.state
        parts = [self._firework(suit, suit * (WIDTH + GAP)) for suit in range(state.rules.suits)]
        heights = [
            f"{self.cards.suits[suit]} {top_rank(state, suit) if height else 'empty'}"
            for suit, height in enumerate(state.fireworks[: state.rules.suits])
        ]
        width = state.rules.suits * (WIDTH + GAP) - GAP
        label = f"fireworks: {', '.join(heights)}"
        return Panel("fireworks", label, "".join(parts), width, FIREWORK + 4)

    def _firework(self, suit: int, x: float) -> str:
        state, event, middle = self.state, self.event, WIDTH / 2
        height = state.fireworks[suit]
        step = min((WIDTH - 12) / state.rules.ranks, 10)
        left = middle - step * (state.rules.ranks - 1) / 2
        bars = []
        for rank in range(state.rules.ranks):
            card = suit * state.rules.ranks + rank
            lost = "lost" if state.dead >> card & 1 else "unlit"
            class_ = "lit" if state.played >> card & 1 else lost
            bars.append(circle(left + step * rank, 61, step * 0.32, class_))
        lit = event.card if event and event.lit else None
        last = lit is not None and lit // state.rules.ranks == suit
        number = text(middle, 31, top_rank(state, suit), 30, text_anchor="middle")
        name = text(middle + 13, 51, self.letters[suit], 14, text_anchor="middle")
        return group(
            rectangle(0.75, 0.75, WIDTH - 1.5, FIREWORK - 1.5, rx=9, class_="paper edge")
            + group(number + name + symbol(suit, middle - 10, 46, 15), class_="ink")
            + "".join(bars),
            x,
            2,
            class_=f"hl-firework {suit_class(suit)}{' empty' * (height == 0)}{' last' * last}",
            data_firework=self.letters[suit],
        )

    def counters(self) -> Panel:
        """Draw the score, the remaining tokens, lives and cards, and the pace."""
        state = self.state
        values = [
            ("score", str(final_score(state)), f"of {state.rules.max_score}"),
            ("best", str(best_score(state)), "possible"),
            ("hints", _number(state.hint_tokens, state.rules.unlimited_hints), "tokens"),
            ("lives", _number(state.lives, state.rules.unlimited_lives), "left"),
            ("draw", str(state.draw_pile), "in the pile"),
            ("pace", str(pace(state)), "spare turns"),
        ]
        parts = []
        for place, (name, value, about) in enumerate(values):
            parts.append(
                group(
                    text(27, 11, name, 10.5, class_="quiet", text_anchor="middle")
                    + text(27, 33, value, 21, class_="value", text_anchor="middle")
                    + text(27, 46, about, 9.5, class_="quiet", text_anchor="middle"),
                    place * 58,
                    0,
                    class_=f"hl-count {self._alarm(name)}".strip(),
                    data_pile="draw" if name == "draw" else None,
                )
            )
        label = ", ".join(f"{name} {value} {about}" for name, value, about in values)
        return Panel("counters", label, "".join(parts), len(values) * 58 - 4, 50)

    def _alarm(self, name: str) -> str:
        state = self.state
        worrying = {
            "lives": not state.rules.unlimited_lives and state.lives == 1 < state.rules.max_lives,
            "hints": not state.rules.unlimited_hints
            and state.hint_tokens == 0 < state.rules.max_hint_tokens,
            "pace": pace(state) < 0,
            "best": best_score(state) < state.rules.max_score,
        }
        return "alarm" if worrying.get(name) else ""

    def discards(self) -> Panel:
        """Draw the discarded cards: a column for each suit, as wide as its firework."""
        state = self.state
        columns = [self._discarded(suit) for suit in range(state.rules.suits)]
        total = sum(map(len, columns))
        rows = max(2, *(-(-len(column) // CHIPS_ACROSS) for column in columns))
        parts = [
            group(self._suit_head(suit) + "".join(column), suit * (WIDTH + GAP))
            for suit, column in enumerate(columns)
        ]
        label = f"discards: {total} card{'s' * (total != 1)}"
        width = state.rules.suits * (WIDTH + GAP) - GAP
        height = SUIT_HEAD + rows * CHIP_HEIGHT
        return Panel("discards", label, group("".join(parts), data_pile="discard"), width, height)

    def _suit_head(self, suit: int) -> str:
        middle = WIDTH / 2
        line = rectangle(0, SUIT_HEAD - 3, WIDTH, 1.2, class_="line")
        name = text(middle + 9, 12, self.letters[suit], 12, class_="ink", text_anchor="middle")
        return group(line + symbol(suit, middle - 7, 7, 11) + name, class_=suit_class(suit))

    def _discarded(self, suit: int) -> list[str]:
        """Draw the discarded cards of a suit, ranks in order."""
        state, event = self.state, self.event
        gone = event.card if event and event.kind in (PLAY, DISCARD) and not event.lit else None
        chips: list[str] = []
        for card in range(suit * state.rules.ranks, (suit + 1) * state.rules.ranks):
            for copy in range(count_of(state.discarded, card)):
                row, column = divmod(len(chips), CHIPS_ACROSS)
                x, y = column * (CHIP_WIDTH + 2), SUIT_HEAD + row * CHIP_HEIGHT
                chips.append(self._chip(card, x, y, last=card == gone and copy == 0))
        return chips

    def _chip(self, card: int, x: float, y: float, *, last: bool) -> str:
        suit = card // self.state.rules.ranks
        middle = CHIP_WIDTH / 2
        return group(
            rectangle(0.5, 0.5, CHIP_WIDTH - 1, CHIP_HEIGHT - 2, rx=4, class_="paper edge")
            + text(middle, 16, self.cards.labels[card], 14, class_="ink", text_anchor="middle"),
            x,
            y,
            class_=f"hl-chip {suit_class(suit)}{' last' * last}",
            role="img",
            aria_label=self.cards.words(card),
        )


def _number(value: int, unlimited: int) -> str:
    return "∞" if unlimited else str(value)


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
    parts = _board_drawing(state, possible, event, names).panels()
    margin, y = 12.0, 12.0
    inside = []
    for part in parts:
        inside.append(group(part.inside, margin, y, role="group", aria_label=part.label))
        y += part.height + 8
    width = max(part.width for part in parts) + 2 * margin
    about = attributes(
        class_="hl-board" if inline else "hl-board whole",
        viewBox=f"0 0 {width:g} {y + 4:g}",
        width=width,
        height=y + 4,
        role="group",
        aria_label=f"Hanabi board, {parts[0].label}",
    )
    back = rectangle(0, 0, width, y + 4, rx=10, class_="table")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{about}><style>{board_style()}</style>'
        f"{back}{''.join(inside)}</svg>"
    )
