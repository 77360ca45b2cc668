"""Our states in HLE's terms: hands, knowledge, and the whole in words."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.envs.hle.cards import HanabiCard, HanabiCardKnowledge, suit_letter
from hanabilab.game.cards import card_in
from hanabilab.game.state import State

__all__ = [
    "describe",
    "hand_of",
    "is_playable",
    "knowledge_of",
]


def is_playable(table: State, color: int, rank: int) -> bool:
    """Return whether this card fits now."""
    return 0 <= color < table.rules.suits and table.fireworks[color] == rank


def hand_of(table: State, player: int) -> list[HanabiCard]:
    """Return a hand as cards."""
    hand = table.hands[player]
    count = table.hand_count[player]
    return [HanabiCard.numbered(card_in(hand, slot), table.rules.ranks) for slot in range(count)]


def knowledge_of(table: State, player: int) -> list[HanabiCardKnowledge]:
    """Return what the hints say about each card of a hand."""
    suits_named, ranks_named = table.suit_hinted[player], table.rank_hinted[player]
    return [
        HanabiCardKnowledge.of(
            table.possible[player][slot],
            suits_named >> slot & 1,
            ranks_named >> slot & 1,
            table.rules.ranks,
        )
        for slot in range(table.hand_count[player])
    ]


def describe(table: State, acting: int, observer: int, pile: Sequence[HanabiCard]) -> str:
    """Return a state in HLE's words."""
    fireworks = (
        f"{suit_letter(suit)}{table.fireworks[suit]} " for suit in range(table.rules.suits)
    )
    hands, between = [], "-----\n"
    for offset in range(table.rules.players):
        player = (observer + offset) % table.rules.players
        rows = ["Cur player\n"] if player == acting else []
        known = zip(hand_of(table, player), knowledge_of(table, player), strict=True)
        rows += [f"{card} || {hints}\n" for card, hints in known]
        hands.append("".join(rows))
    return (
        f"Life tokens: {table.lives}\nInfo tokens: {table.hint_tokens}\n"
        f"Fireworks: {''.join(fireworks)}\nHands:\n{between.join(hands)}"
        f"Deck size: {table.draw_pile}\nDiscards:{''.join(f' {card}' for card in pile)}"
    )
