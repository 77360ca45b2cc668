"""The two conjectures of the thesis *(van den Bergh 2015, section 5)*: one fails, one holds."""

from __future__ import annotations

from math import factorial

from hanabilab.checks import whole_number
from hanabilab.errors import TheoryError
from hanabilab.theory.counting import check_hand
from hanabilab.theory.playability import Cards, as_cards

__all__ = ["best_with_passes", "conjecture_5_1", "playable_permutations"]


def conjecture_5_1(ranks: int, hand: int) -> int:
    """Return χ_m(1, …, 1) as conjectured, m! (m + 1)^(k - m): wrong already for m = 1, k = 2."""
    check_hand(hand)
    if ranks < hand:
        raise TheoryError(f"the conjecture is for k ≥ m, not k = {ranks} and m = {hand}")
    return factorial(hand) * int((hand + 1) ** (ranks - hand))


def playable_permutations(ranks: int, hand: int) -> int:
    """Return χ_m(1, …, 1): the orders of one card of each rank that are won without an end.

    It is m! m^(k - m) for k ≥ m and k! for k ≤ m, that is, the product of min(m, j) over
    j = 1, …, k.

    *Proof.* A permutation s is playable if and only if for each card s_i at most m - 1 higher
    cards come before it (the criterion of the thesis). It is necessary: when s_i is drawn, no
    higher card has been played, as s_i has not, and none may have been discarded, as it is the
    only one; so all of them are held, besides s_i, in m places. It is sufficient: let the player
    keep every card until it can be played. When no card can be played after a draw, the next card
    to be played, v, has not been drawn yet. All cards held are higher than v and come before it,
    so they are at most m - 1, and there is room to draw the next card.

    Let b_v be the number of higher cards before v. There are k - v higher cards, so b_v is one of
    0, …, k - v, and each such sequence b_1, …, b_k belongs to exactly one permutation: insert the
    cards k, k - 1, …, 1 in this order, each behind b_v of those already there. So the playable
    permutations are the sequences with b_v ≤ m - 1, for which there are min(m, k - v + 1) choices
    for each v. The product is m^(k - m) · m! for k ≥ m. ∎

    The conjectured formula is this one for m + 1: it counts with m places besides the card drawn,
    where the thesis has m - 1.
    """
    check_hand(hand)
    ranks = whole_number("ranks", ranks, 0, error=TheoryError)
    return factorial(min(ranks, hand)) * int(hand ** max(ranks - hand, 0))


def best_with_passes(cards: Cards, players: int) -> int:
    """Return the best score of an open game with one card per hand, free passes and no end.

    Conjecture 5.2 says that it is won if and only if a single player with as many cards in hand
    wins. That is true, and the best scores are equal as well:

    *Argument.* Passing hands the turn to whoever is to act, at no cost, for the game does not end
    with the draw pile. So at any time any card of any hand can be played or discarded, and the
    next card of the deck comes in its place. That is what the single player does with a hand of
    all these cards. Whose hand a card is in never matters, so each line of one game is a line of
    the other with the same cards played in the same order. (Discards must be allowed with all
    tokens there, as Algorithm 2.16 has it and the prose of section 2.2 has not: the single player
    has no tokens at all.) A misplay does what a discard does and is never better.

    This function knows nothing of the argument: it tries all actions of all players.
    """
    deck = tuple(as_cards(cards))
    if players < 1 or players > len(deck):
        raise TheoryError(f"{players} players cannot have a card each of {len(deck)}")
    suits = sorted({suit for _, suit in deck})
    start = (0, deck[:players], players, (0,) * len(suits))
    seen, open_states, best = {start}, [start], 0
    while open_states:
        player, hands, drawn, fireworks = open_states.pop()
        best = max(best, sum(fireworks))
        turn = (player + 1) % players
        following = [(turn, hands, drawn, fireworks)]  # pass
        if hands[player] != NO_CARD:
            rank, suit = hands[player]
            new = deck[drawn] if drawn < len(deck) else NO_CARD
            held = (*hands[:player], new, *hands[player + 1 :])
            place = suits.index(suit)
            following.append((turn, held, min(drawn + 1, len(deck)), fireworks))  # discard
            if rank == fireworks[place] + 1:
                lit = (*fireworks[:place], rank, *fireworks[place + 1 :])
                following.append((turn, held, min(drawn + 1, len(deck)), lit))  # play
        for state in following:
            if state not in seen:
                seen.add(state)
                open_states.append(state)
    return best


NO_CARD = (0, -1)
