"""Compact open games: what a search needs to know about a position, and the effect of a turn.

With all cards visible, a hand is a set of useful cards: those still to be played, one copy of each.
Its other cards, played ones and second copies, are all alike and are only counted. The search looks
for lines that complete all fireworks, so a card is useless only once it is played.
"""

from __future__ import annotations

from typing import NamedTuple

from hanabilab.core.bits import add_to_hash, multiply, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Record, assign, ints, nested
from hanabilab.game.cards import MAX_PLAYERS, card_in
from hanabilab.game.rules import switch_set
from hanabilab.game.rules_record import RulesRecord, require_handled
from hanabilab.game.state import State

__all__ = [
    "DISCARD_USEFUL",
    "DISCARD_USELESS",
    "HANDLED",
    "MISPLAY_USEFUL",
    "MISPLAY_USELESS",
    "NO_CARD",
    "PASS_TURN",
    "PLAY_CARD",
    "Node",
    "Problem",
    "Upcoming",
    "apply_move",
    "can_pass",
    "count_of_hand",
    "fingerprint",
    "held_by_all",
    "held_by_others",
    "look_ahead",
    "needed_cards",
    "problem_of",
    "set_root",
    "turns_for_plays",
]

PLAY_CARD, DISCARD_USELESS, DISCARD_USEFUL, PASS_TURN, MISPLAY_USELESS, MISPLAY_USEFUL = range(6)
"""A move is its kind plus 8 times its card."""
NO_CARD = 63
COUNT_BITS = 4
HANDLED = switch_set(
    "all_or_nothing alternating_hints colours deck_ends deck_plays discard_at_full",
    "discards_per_token empty_hints first_player hidden_plays hints_tell inverted_suits",
    "keep_on_last_turn keep_score open_game rank_hints rank_touching reversed_suits score_ends",
    "speedrun suit_hints token_for_suit touching",
)
"""The switches under which search, formula and proofs of loss are correct, or checked.

With all cards visible it does not matter what players are told (`hidden_plays`, `hints_tell`).
`hanabilab.solver.solve` names the cases in which an exact search must check the others, and tries
all orders of the cards if fireworks are built in other ways (`stacks`).
"""
LATE = 6


class Problem(Record):
    """The constants of a search."""

    max_hint_tokens: int
    """The largest number of tokens, counted in the parts that a discard gives."""
    hint_cost: int
    """The number of parts of a token; more than there are if there are no hints."""
    free_discards: int
    """Whether a card may be discarded when no hint token is missing."""
    highest: int
    """The cards of the highest rank."""
    excluded: int
    """Cards that need not be played: the highest of some suits."""
    late: int
    """Cards that can be played only when few cards are left to draw."""
    cut: int
    """The number of cards drawn when the endgame begins; 0 until it is chosen."""
    rules: RulesRecord = nested(RulesRecord)


class Node(Record):
    """A position of the search."""

    held: list[int] = ints(MAX_PLAYERS)
    """Each player's useful cards."""
    counts: int
    """Cards in each hand, useful or not, four bits per player."""
    played: int
    playable: int
    hint_tokens: int
    lives: int
    drawn: int
    """The number of cards of the deck drawn so far."""
    turns_left: int
    player: int
    value: int
    card_value: int
    """The cards' contribution to the value."""
    stuck: int
    """Players who hold only needed cards, none of them playable."""
    tokens_needed: int
    """Hint tokens that the endgame needs at the cut."""
    parent: int
    move: int


def problem_of(state: State, excluded: int = 0) -> Problem:
    """Return the constants of a search from this state."""
    rules = state.rules
    require_handled(rules, HANDLED, "the solver's search")
    problem = Problem(excluded=excluded)
    assign(problem.rules, rules)
    problem.max_hint_tokens = rules.max_hint_tokens * rules.discards_per_token
    problem.hint_cost = rules.discards_per_token
    if not rules.open_game and not rules.all_hints:
        problem.hint_cost = problem.max_hint_tokens + 1
    problem.free_discards = int(
        rules.discard_at_full or rules.unlimited_hints or rules.max_hint_tokens == 0
    )
    problem.highest = rules.rank_pattern << (rules.ranks - 1)
    return problem


@kernel
def set_root(problem: Problem, node: Node, state: State) -> None:
    """Set the node to the state of a game; cards that are given up count as played."""
    node.played = state.played | problem.excluded
    node.playable = state.playable
    node.hint_tokens = state.hint_tokens * state.rules.discards_per_token + state.token_part
    node.lives = state.lives
    node.drawn = state.rules.deck_size - state.draw_pile
    node.turns_left = state.turns_left
    node.player = state.player
    node.value = 0
    node.parent = -1
    node.move = -1
    node.counts = 0
    for player in range(state.rules.players):
        cards = 0
        for slot in range(state.hand_count[player]):
            cards |= 1 << card_in(state.hands[player], slot)
        node.held[player] = cards & ~node.played
        node.counts |= state.hand_count[player] << (COUNT_BITS * player)


@kernel
def count_of_hand(node: Node, player: int) -> int:
    """Return the number of cards in a player's hand."""
    return (node.counts >> (COUNT_BITS * player)) & ((1 << COUNT_BITS) - 1)


@kernel
def can_pass(problem: Problem, node: Node) -> bool:
    """Return whether there is a token and, in a game with hints, someone to give a hint to."""
    if node.hint_tokens < problem.hint_cost:
        return False
    if problem.rules.open_game:
        return True
    own = ((1 << COUNT_BITS) - 1) << (COUNT_BITS * node.player)
    return node.counts & ~own != 0


@kernel
def apply_move(problem: Problem, node: Node, move: int, deck: list[int]) -> None:
    """Take a turn."""
    kind = move & 7
    card = move >> 3
    last_round = node.turns_left >= 0
    if kind == PASS_TURN:
        node.hint_tokens -= problem.hint_cost * (1 - problem.rules.unlimited_hints)
    else:
        if kind == PLAY_CARD:
            play_card(problem, node, 1 << card)
        elif kind in (DISCARD_USEFUL, MISPLAY_USEFUL):
            node.held[node.player] &= ~(1 << card)
        if kind in (DISCARD_USEFUL, DISCARD_USELESS):
            node.hint_tokens = min(node.hint_tokens + 1, problem.max_hint_tokens)
        elif kind in (MISPLAY_USEFUL, MISPLAY_USELESS):
            node.lives -= 1
        draw_card(problem, node, deck)
    if last_round:
        node.turns_left -= 1
    node.player += 1
    if node.player == problem.rules.players:
        node.player = 0
    if not problem.rules.deck_ends and node.drawn == problem.rules.deck_size:
        skip_idle(problem, node)


@kernel
def play_card(problem: Problem, node: Node, bit: int) -> None:
    """Play a playable card; its other copies become useless."""
    node.played |= bit
    node.playable ^= bit
    if bit & problem.highest:
        if problem.rules.token_for_suit:
            node.hint_tokens = min(node.hint_tokens + 1, problem.max_hint_tokens)
    else:
        node.playable |= bit << 1
    for player in range(problem.rules.players):
        node.held[player] &= ~bit


@kernel
def draw_card(problem: Problem, node: Node, deck: list[int]) -> None:
    """Draw a replacement for the card that has left the hand, if there is one."""
    if node.drawn == problem.rules.deck_size:
        node.counts -= 1 << (COUNT_BITS * node.player)
        return
    node.held[node.player] |= (1 << deck[node.drawn]) & ~node.played
    node.drawn += 1
    if node.drawn == problem.rules.deck_size and problem.rules.deck_ends:
        node.turns_left = problem.rules.players


@kernel
def skip_idle(problem: Problem, node: Node) -> None:
    """Skip players who cannot act if the game continues without a draw pile."""
    for _ in range(problem.rules.players):
        if count_of_hand(node, node.player) > 0 or can_pass(problem, node):
            break
        node.player += 1
        if node.player == problem.rules.players:
            node.player = 0


@kernel
def needed_cards(problem: Problem, node: Node) -> int:
    """Return the number of cards still to be played."""
    return popcount(problem.rules.all_cards & ~node.played)


@kernel
def turns_for_plays(problem: Problem, node: Node) -> int:
    """Return the largest number of cards that can still be played before the game ends."""
    if node.turns_left >= 0:
        return node.turns_left
    return problem.rules.deck_size - node.drawn + problem.rules.players


@kernel
def held_by_all(problem: Problem, node: Node) -> int:
    """Return the useful cards in all hands."""
    cards = 0
    for player in range(problem.rules.players):
        cards |= node.held[player]
    return cards


@kernel
def held_by_others(problem: Problem, node: Node) -> int:
    """Return the useful cards in all hands but that of the player to move."""
    cards = 0
    for player in range(problem.rules.players):
        if player != node.player:
            cards |= node.held[player]
    return cards


@kernel
def fingerprint(problem: Problem, node: Node) -> int:
    """Return a hash of everything that distinguishes positions of the same turn."""
    tokens = node.hint_tokens & 255  # `multiply` keeps 62 bits
    key = multiply(node.played ^ (tokens << 54), 0x1F83_D9AB_FB41_BD6B)
    key ^= multiply(node.drawn * 64 + node.lives, 0x2545_F491_4F6C_DD1D)
    for player in range(problem.rules.players):
        key = add_to_hash(key, node.held[player])
    return key ^ (key >> 31)


class Upcoming(NamedTuple):
    """The deck, and the cards still to come from each index."""

    deck: list[int]
    later: list[int]
    """The useful cards from each index on."""
    coming: list[list[int]]
    """The index of the next copy of each card, from each index on; the size of the deck if none."""


@kernel
def look_ahead(problem: Problem, root: Node, upcoming: Upcoming) -> None:
    """Fill in the cards still to come, from the next card of the draw pile on."""
    deck, later, coming = upcoming.deck, upcoming.later, upcoming.coming
    size = len(deck)
    kinds = problem.rules.ranks * problem.rules.suits
    for card in range(kinds):
        coming[size][card] = size
    later[size] = 0
    for place in range(size - 1, root.drawn - 1, -1):
        for card in range(kinds):
            coming[place][card] = coming[place + 1][card]
        later[place] = later[place + 1]
        if place < size - 1 or not comes_too_late(problem, root, deck):
            later[place] |= 1 << deck[place]
            coming[place][deck[place]] = place
    problem.late = find_late(problem, root, coming)


@kernel
def comes_too_late(problem: Problem, root: Node, deck: list[int]) -> bool:
    """Return whether the last card of the deck is useless because higher ones must follow it.

    The player who draws it acts on the last turn of the game.
    """
    if not problem.rules.deck_ends:
        return False
    bit = 1 << deck[len(deck) - 1]
    return bit & (problem.highest | root.played >> 1) == 0


@kernel
def find_late(problem: Problem, root: Node, coming: list[list[int]]) -> int:
    """Return the cards that can be played only when at most `LATE` cards are left to draw."""
    held = held_by_all(problem, root)
    ahead = coming[root.drawn]
    late = 0
    for suit in range(problem.rules.suits):
        there = root.drawn
        for rank in range(problem.rules.ranks):
            bit = 1 << (suit * problem.rules.ranks + rank)
            if not bit & (held | root.played):
                there = max(there, ahead[suit * problem.rules.ranks + rank] + 1)
            if not bit & root.played and there >= problem.rules.deck_size - LATE:
                late |= bit
    return late
