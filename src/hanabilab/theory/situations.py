"""The set of all situations that a single player can be in after some cards.

The player sees everything and never passes. Only two things matter in a situation: how many cards
are played, and which cards are *secured*, that is, played or kept in hand:

* *Play what can be played.* Instead of being put off, a playable card can be played at once, and
  the card that would have gone now goes later; nothing is lost (the idea of Theorem 3.28,
  van den Bergh 2015). So the player never chooses what to play, and a secured card that continues
  the fireworks is as good as played.
* *One copy is enough.* A second copy of a secured card is as good as any useless card.
* Only when the hand is full of different cards that are all of use and none of which can be
  played does the player have a choice: which one to give up.

Hence a situation is a pair of numbers, one with a bit for each secured card. A situation with
more cards played and more cards secured is at least as good as another one, so of a set of
situations only the maximal ones are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

__all__ = ["START", "Situation", "SituationMachine", "best_of", "bits_of"]

Situation = tuple[int, int]
"""(cards played, secured cards as a set of bits)"""

START: Situation = (0, 0)

MAX_COMPARISONS = 10_000_000
"""Comparisons of situations with each other after one card; about two seconds."""


def bits_of(cards: int) -> Iterator[int]:
    """Yield the single bits of a set of bits, lowest first."""
    while cards:
        bit = cards & -cards
        yield bit
        cards ^= bit


class _Lit(dict[int, int]):
    """For each set of secured cards, those that follow each other from rank 1."""

    def __init__(self, suits: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        self.suits = suits

    def __missing__(self, secured: int) -> int:
        found = 0
        for start, suit in self.suits:
            here = secured >> start & suit
            found |= (here & ~(here + 1)) << start  # the ones at the low end
        self[secured] = found
        return found


class SituationMachine:
    """Finds the situations that a drawn card leads to.

    Parameters
    ----------
    ranks
        How many ranks each suit has; the cards are numbered suit by suit, rank by rank.
    spare
        How many cards can be kept while one is drawn: the hand size less one.
    goal
        Situations from which this score cannot be reached any more are dropped.
    deck_ends
        Whether there is just one turn for each card drawn; if not, cards are played freely.
    """

    def __init__(
        self, ranks: Sequence[int], spare: int, goal: int, *, deck_ends: bool = True
    ) -> None:
        self.spare = spare
        self.goal = goal
        self.deck_ends = deck_ends
        self.cards = sum(ranks)
        self.suits = [
            (sum(ranks[:suit]), (1 << number) - 1) for suit, number in enumerate(ranks)
        ]  # where a suit begins, and its cards as a set of bits
        self.lit = _Lit(self.suits)
        """lit[secured]: the cards that are played, or will be without further cards."""

    def won(self, situation: Situation) -> bool:
        """Tell whether the goal is reached by playing what is secured.

        Situations that run out of turns have been dropped, so time is no question here.
        """
        return self.lit[situation[1]].bit_count() >= self.goal

    def after_deal(
        self, situations: Iterable[Situation], bit: int, coming: int, turns: int
    ) -> tuple[Situation, ...]:
        """Return all situations after a card is dealt into the opening hand; see `after`."""
        dealt = ((played, secured | bit) for played, secured in situations)
        return best_of(self._viable(dealt, coming, turns))

    def after(
        self, situations: Iterable[Situation], bit: int, coming: int, turns: int
    ) -> tuple[Situation, ...]:
        """Return all situations after a card is drawn and a turn taken.

        Parameters
        ----------
        situations
            The situations before.
        bit
            The card; 0 for one that is of no more use.
        coming
            The cards of which a copy is still to be drawn.
        turns
            The turns that are left after this one.
        """
        return best_of(self._viable(self._choices(situations, bit), coming, turns))

    def _choices(self, situations: Iterable[Situation], bit: int) -> Iterator[Situation]:
        """Play if possible, or else give up a card: a useful one only if there is no other."""
        lit, spare, deck_ends = self.lit, self.spare, self.deck_ends
        for played, secured in situations:
            secured |= bit
            safe = lit[secured]
            playable = safe.bit_count()
            if playable > played:
                played = played + 1 if deck_ends else playable
            if secured.bit_count() - played <= spare:
                yield played, secured
            else:
                for given_up in bits_of(secured & ~safe):
                    yield played, secured ^ given_up

    def _viable(self, situations: Iterable[Situation], coming: int, turns: int) -> dict[int, int]:
        """Keep what can still reach the goal, without the cards that can never be played.

        Return the highest number of cards played for each set of secured cards.
        """
        lit, goal = self.lit, self.goal
        enough = goal - turns if self.deck_ends else 0
        found: dict[int, int] = {}
        for played, secured in situations:
            if played >= enough:
                reachable = lit[secured | coming]
                if reachable.bit_count() >= goal:
                    secured &= reachable
                    if found.get(secured, -1) < played:
                        found[secured] = played
        return found


def best_of(found: dict[int, int]) -> tuple[Situation, ...]:
    """Return the situations that no other beats, in a fixed order.

    They are given as a dictionary from secured cards to cards played. Only a situation with more
    cards secured can be better. Where there are very many, some useless ones may stay: that costs
    time later, and nothing else.
    """
    if len(found) <= 1:
        return tuple([(played, secured) for secured, played in found.items()])
    by_size: dict[int, list[Situation]] = {}
    for secured, played in found.items():
        by_size.setdefault(secured.bit_count(), []).append((played, secured))
    kept: list[Situation] = []
    for size in sorted(by_size, reverse=True):
        same = by_size[size]
        if kept and len(same) * len(kept) <= MAX_COMPARISONS:
            same = [situation for situation in same if not _is_beaten(*situation, kept)]
        kept += same
    kept.sort()
    return tuple(kept)


def _is_beaten(played: int, secured: int, others: Sequence[Situation]) -> bool:
    return any(played <= more and secured | other == other for more, other in others)
