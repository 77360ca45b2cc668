"""Our states in HLE's terms: legal moves, hands, discards, knowledge, and the whole in words."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.envs.hle.cards import HanabiCard, HanabiCardKnowledge, color_idx_to_char
from hanabilab.envs.hle.moves import HanabiHistoryItem
from hanabilab.game.actions import count_actions, write_mask
from hanabilab.game.cards import card_in
from hanabilab.game.state import State
from hanabilab.game.status import rank_cards, suit_cards

__all__ = [
    "describe",
    "discards",
    "forget_hints",
    "hand_of",
    "is_playable",
    "knowledge_of",
    "legal_numbers",
    "reveal_all",
]


def legal_numbers(table: State) -> list[int]:
    """Return the legal moves of the player to move, whether or not the game has ended.

    Where the rules have no hint tokens at all, HLE forbids every discard.
    """
    mask = [0] * count_actions(table)
    write_mask(table, mask)
    first = table.hand_size if table.max_hint_tokens == 0 else 0
    return [number for number in range(first, len(mask)) if mask[number]]


def is_playable(table: State, color: int, rank: int) -> bool:
    """Tell whether this card fits now."""
    return 0 <= color < table.suits and table.fireworks[color] == rank


def hand_of(table: State, player: int) -> list[HanabiCard]:
    """Return a hand as cards."""
    hand = table.hands[player]
    count = table.hand_count[player]
    return [HanabiCard.numbered(card_in(hand, slot), table.ranks) for slot in range(count)]


def discards(history: Sequence[HanabiHistoryItem]) -> list[HanabiCard]:
    """Return the discards in order: discarded and misplayed cards."""
    return [
        HanabiCard(item.color(), item.rank())
        for item in history
        if item.color() >= 0 and not item.scored()
    ]


def knowledge_of(table: State, player: int, slot: int) -> HanabiCardKnowledge:
    """Return what the hints say about a card."""
    possible = table.possible[player][slot]
    suits = sum((possible & suit_cards(table, s) != 0) << s for s in range(table.suits))
    ranks = sum((possible & rank_cards(table, r + 1) != 0) << r for r in range(table.ranks))
    suit, rank = suits.bit_length() - 1, ranks.bit_length() - 1
    return HanabiCardKnowledge(
        suits,
        ranks,
        suit if table.suit_hinted[player] >> slot & 1 else None,
        rank if table.rank_hinted[player] >> slot & 1 else None,
    )


def describe(table: State, acting: int, observer: int, pile: Sequence[HanabiCard]) -> str:
    """Return a state in HLE's words."""
    fireworks = (
        f"{color_idx_to_char(suit)}{table.fireworks[suit]} " for suit in range(table.suits)
    )
    hands, between = [], "-----\n"
    for offset in range(table.players):
        player = (observer + offset) % table.players
        rows = ["Cur player\n"] if player == acting else []
        for slot, card in enumerate(hand_of(table, player)):
            rows.append(f"{card} || {knowledge_of(table, player, slot)}\n")
        hands.append("".join(rows))
    return (
        f"Life tokens: {table.lives}\nInfo tokens: {table.hint_tokens}\n"
        f"Fireworks: {''.join(fireworks)}\nHands:\n{between.join(hands)}"
        f"Deck size: {table.draw_pile}\nDiscards:{''.join(f' {card}' for card in pile)}"
    )


def forget_hints(table: State) -> None:
    """Make a state look as if no hint had been given."""
    for player in range(table.players):
        table.suit_hinted[player] = table.rank_hinted[player] = 0
        for slot in range(table.hand_count[player]):
            table.possible[player][slot] = table.all_cards


def reveal_all(table: State) -> None:
    """Make a state look as if every card had been named."""
    for player in range(table.players):
        count = table.hand_count[player]
        table.suit_hinted[player] = table.rank_hinted[player] = (1 << count) - 1
        for slot in range(count):
            table.possible[player][slot] = 1 << card_in(table.hands[player], slot)
