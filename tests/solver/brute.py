"""The best score of a tiny game by trying every sequence of actions.

It shares no code with the package and knows no shortcut. A card is `suit * ranks + rank - 1`; a
hint is a pass that costs a token. Hands are kept sorted: in an open game slots do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

UNLIMITED = -1
NO_END_YET = -1


@dataclass(frozen=True)
class Setup:
    """What is fixed in a game; None means unlimited."""

    ranks: int
    suits: int
    players: int
    hand_size: int
    deck: tuple[int, ...]
    hint_tokens: int | None
    lives: int | None
    token_for_suit: bool = True
    discard_at_full: bool = False
    keep_score: bool = False
    keep_on_last_turn: bool = False
    deck_ends: bool = True
    open_game: bool = True
    empty_hints: bool = False
    parts: int = 1
    """Discards or completed suits for one token; tokens are counted in these parts."""
    silent: frozenset[int] = frozenset()
    """Cards that no hint touches."""
    hints: bool = True
    """Are there any hints?"""


class Table(NamedTuple):
    """A game in progress."""

    fireworks: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    drawn: int
    tokens: int
    lives: int
    player: int
    turns_left: int = NO_END_YET
    over: bool = False
    passes: int = 0
    """Passes since the last card, counted only where they are free."""


def start(setup: Setup) -> Table:
    """The table after the deal."""
    size, players = setup.hand_size, setup.players
    hands = tuple(
        tuple(sorted(setup.deck[player * size : (player + 1) * size])) for player in range(players)
    )
    empty = size * players == len(setup.deck)
    return Table(
        (0,) * setup.suits,
        hands,
        size * players,
        UNLIMITED if setup.hint_tokens is None else setup.hint_tokens * setup.parts,
        UNLIMITED if setup.lives is None else setup.lives,
        0,
        players if empty and setup.deck_ends else NO_END_YET,
    )


def score(setup: Setup, table: Table) -> int:
    """What the game counts if it stands like this."""
    spared = setup.keep_on_last_turn and table.turns_left == 0
    if table.lives == 0 and not (setup.keep_score or spared):
        return 0
    return sum(table.fireworks)


def best_score(setup: Setup, table: Table | None = None) -> int:
    """The highest score with which a game can end."""

    @cache
    def best(table: Table) -> int:
        if table.over:
            return score(setup, table)
        highest = 0
        for following in successors(setup, table):
            highest = max(highest, best(following))
            if highest == setup.ranks * setup.suits:
                break
        return highest

    return best(start(setup) if table is None else table)


def successors(setup: Setup, table: Table) -> Iterator[Table]:
    """What can come of the next turn."""
    hand = table.hands[table.player]
    for card in sorted(set(hand)):
        yield _end_turn(setup, table, _play(setup, table, card))
        if _may_discard(setup, table):
            gained = _gain(setup, table.tokens)
            yield _end_turn(setup, table, _take(setup, table, card)._replace(tokens=gained))
    if _may_pass(setup, table):
        if table.tokens != UNLIMITED:
            yield _end_turn(setup, table, table._replace(tokens=table.tokens - setup.parts))
        elif table.passes < setup.players:  # a whole round of free passes leads nowhere new
            yield _end_turn(setup, table, table._replace(passes=table.passes + 1))


def _may_discard(setup: Setup, table: Table) -> bool:
    if setup.discard_at_full or setup.hint_tokens in (0, None):
        return True
    return table.tokens != setup.hint_tokens * setup.parts


def _may_pass(setup: Setup, table: Table) -> bool:
    if table.tokens != UNLIMITED and table.tokens < setup.parts:
        return False
    if setup.open_game:
        return True
    others = [hand for player, hand in enumerate(table.hands) if player != table.player]
    touched = any(card not in setup.silent for hand in others for card in hand)
    return setup.hints and len(others) > 0 and (setup.empty_hints or touched)


def _gain(setup: Setup, tokens: int) -> int:
    full = setup.hint_tokens is not None and tokens == setup.hint_tokens * setup.parts
    return tokens if tokens == UNLIMITED or full else tokens + 1


def _take(setup: Setup, table: Table, card: int) -> Table:
    """The card leaves the hand; the next one of the deck comes in."""
    hand = list(table.hands[table.player])
    hand.remove(card)
    drawn = table.drawn
    if drawn < len(setup.deck):
        hand.append(setup.deck[drawn])
        drawn += 1
    hands = list(table.hands)
    hands[table.player] = tuple(sorted(hand))
    return table._replace(hands=tuple(hands), drawn=drawn, passes=0)


def _play(setup: Setup, table: Table, card: int) -> Table:
    suit, rank = card // setup.ranks, card % setup.ranks + 1
    after = _take(setup, table, card)
    if table.fireworks[suit] != rank - 1:
        lives = table.lives if table.lives == UNLIMITED else table.lives - 1
        return after._replace(lives=lives, over=lives == 0)
    fireworks = list(table.fireworks)
    fireworks[suit] = rank
    tokens = table.tokens
    if setup.token_for_suit and rank == setup.ranks:
        tokens = _gain(setup, tokens)
    perfect = sum(fireworks) == setup.ranks * setup.suits
    return after._replace(fireworks=tuple(fireworks), tokens=tokens, over=perfect)


def _end_turn(setup: Setup, before: Table, after: Table) -> Table:
    """The next player's turn, or the end."""
    turns_left = before.turns_left
    if turns_left != NO_END_YET:
        turns_left -= 1
    elif setup.deck_ends and after.drawn == len(setup.deck):
        turns_left = setup.players
    player = (before.player + 1) % setup.players
    table = after._replace(player=player, turns_left=turns_left)
    if table.over or turns_left == 0:
        return table._replace(over=True)
    if not setup.deck_ends and table.drawn == len(setup.deck):
        if not any(table.hands):
            return table._replace(over=True)
        while not table.hands[table.player] and not _may_pass(setup, table):
            table = table._replace(player=(table.player + 1) % setup.players)
    return table
