"""Decide quickly whether a deck is playable, and how.

The cards are read one by one, keeping the set of all situations that the player can be in. The
player sees everything and never passes. Only two things matter in a situation: how many cards are
played, and which cards are *secured*, that is, played or kept in hand:

* *Play what can be played.* Instead of delaying a playable card, the player can play it at once and
  let the card that would have gone now go later; nothing is lost (the idea of Theorem 3.28, van den
  Bergh 2015). So the player never chooses what to play, and a secured card that continues the
  fireworks is as good as played.
* *One copy is enough.* A second copy of a secured card is as good as any useless card.
* The player has a choice only when the hand is full of different useful cards, none of which can be
  played: which one to give up.

Hence a situation is a pair of numbers, one of them with a bit for each secured card. A situation
with more cards played and more cards secured is at least as good as another one, so only the
maximal situations of a set are kept. A copy of a card that comes again before it could be played at
all is useless, which keeps the sets small. The same search serves the game of the thesis and
Keßler's solitaire, which the deck does not end (`solitaire.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError
from hanabilab.theory.playability import Card, Cards, as_cards
from hanabilab.theory.sequences import Report, check_hand

__all__ = [
    "START",
    "SequenceSearch",
    "Situation",
    "SituationMachine",
    "Turn",
    "best_of",
    "best_score",
    "bits_of",
    "is_playable",
    "winning_line",
]

Situation = tuple[int, int]
"""(cards played, secured cards as a set of bits)"""

START: Situation = (0, 0)

MAX_COMPARISONS = 10_000_000
"""Comparisons between situations after one card; about two seconds."""
MAX_SITUATIONS = 1_000_000
"""Number of situations at which the search gives up: about half a minute."""


def bits_of(cards: int) -> Iterator[int]:
    """Yield the single bits of a set of bits, lowest first."""
    while cards:
        bit = cards & -cards
        yield bit
        cards ^= bit


class _Continued(dict[int, int]):
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
        self.lit = _Continued(self.suits)
        """lit[secured]: the cards that are played, or will be without further cards."""

    def won(self, situation: Situation) -> bool:
        """Return whether the goal is reached by playing the secured cards.

        Situations that run out of turns have been dropped already.
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
    """Return the situations that no other dominates, in a fixed order.

    They are given as a dictionary from secured cards to cards played. Only a situation with more
    cards secured can be better. If there are very many, some dominated ones may remain, which costs
    only time.
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


@dataclass(frozen=True, slots=True)
class Turn:
    """The player's action on one turn."""

    action: str
    """`play` or `discard`; in Keßler's solitaire any action of `solitaire.Move`"""
    place: int
    """where in the deck the card was, counted from 0"""


def is_playable(cards: Cards, goal: int, hand: int, report: Report | None = None) -> bool:
    """Return whether a deck is (k, m)-playable *(van den Bergh 2015, Definitions 3.10, 3.32)*."""
    return SequenceSearch.for_turns(as_cards(cards), goal, hand).won(report)


def best_score(cards: Cards, hand: int, report: Report | None = None) -> int:
    """Return the highest score that a single player with this hand size can reach."""
    deck = as_cards(cards)
    goal = SequenceSearch.for_turns(deck, 0, hand).machine.cards
    while not SequenceSearch.for_turns(deck, goal, hand).won(report):
        goal -= 1
    return goal


def winning_line(
    cards: Cards, goal: int, hand: int, report: Report | None = None
) -> list[Turn] | None:
    """Return what to do on each turn to score this many points, or None if it cannot be done."""
    deck = as_cards(cards)
    search = SequenceSearch.for_turns(deck, goal, hand)
    if not search.won(report):
        return None
    kept = search.kept_places()
    held = list(range(min(hand, len(deck))))
    fireworks: dict[int, int] = {}
    line: list[Turn] = []
    while len([turn for turn in line if turn.action == "play"]) < goal:
        play = [p for p in held if p in kept and deck[p][0] == fireworks.get(deck[p][1], 0) + 1]
        if play:
            place, action = play[0], "play"
            rank, suit = deck[place]
            fireworks[suit] = rank
        else:
            place, action = next(p for p in held if p not in kept), "discard"
        line.append(Turn(action, place))
        held.remove(place)
        drawn = hand + len(line) - 1
        if drawn < len(deck):
            held.append(drawn)
    return line


class SequenceSearch:
    """All situations after each card of a deck, for a goal.

    The first `spare` cards come without a turn and fill all slots of the hand but one; each other
    card comes with a turn. Unless the deck ends the game, turns do not matter.
    """

    def __init__(self, deck: Sequence[Card], goal: int, spare: int, *, deck_ends: bool) -> None:
        ranks = _reachable_ranks(deck)
        starts = {suit: sum(list(ranks.values())[:place]) for place, suit in enumerate(ranks)}
        bits = [
            1 << starts[suit] + rank - 1 if 1 <= rank <= ranks.get(suit, 0) else 0
            for rank, suit in deck
        ]
        self.machine = SituationMachine(list(ranks.values()), spare, goal, deck_ends=deck_ends)
        self.bits = _without_early_copies(bits, self.machine)
        self.coming = _still_coming(self.bits)
        self.layers: list[tuple[Situation, ...]] = [(START,)]

    @classmethod
    def for_turns(cls, deck: Sequence[Card], goal: int, hand: int) -> SequenceSearch:
        """Return the search for the game of the thesis: N - m + 1 turns."""
        check_hand(hand)
        goal = check_integer("goal", goal, 0, error=TheoryError)
        return cls(deck, goal, hand - 1, deck_ends=True)

    def won(self, report: Report | None = None) -> bool:
        """Return whether the goal can be reached."""
        won, situations = self.machine.won, 0
        while not any(map(won, self.layers[-1])):
            place = len(self.layers) - 1
            if place == len(self.bits) or not self.layers[-1]:
                return False
            self.layers.append(self._next(self.layers[-1], place))
            situations += len(self.layers[-1])
            if report is not None:
                report(situations, f"situations, {place + 1} of {len(self.bits)} cards")
            if situations > MAX_SITUATIONS:
                raise TheoryError(
                    f"more than {MAX_SITUATIONS:,} situations after {place + 1} of "
                    f"{len(self.bits)} cards: this deck is too hard"
                )
        return True

    def _next(self, situations: Sequence[Situation], place: int) -> tuple[Situation, ...]:
        """Return the situations after the card at this place."""
        spare, bit, coming = self.machine.spare, self.bits[place], self.coming[place]
        turns = len(self.bits) - max(place + 1, spare)
        if place < spare and self.machine.deck_ends:
            return self.machine.after_deal(situations, bit, coming, turns)
        return self.machine.after(situations, bit, coming, turns)

    def kept_places(self) -> set[int]:
        """Return the positions of the cards to keep until they are played; call `won` first.

        Trace back from a winning situation: a needed card that is secured after a position but not
        before it is drawn there.
        """
        machine = self.machine
        situation = next(found for found in self.layers[-1] if machine.won(found))
        needed = machine.lit[situation[1]]
        kept: set[int] = set()
        for place in reversed(range(len(self.layers) - 1)):
            before = next(
                candidate
                for candidate in self.layers[place]
                if situation in self._next((candidate,), place)
            )
            if self.bits[place] & needed & ~before[1]:
                kept.add(place)
                needed ^= self.bits[place]
            situation = before
        return kept


def _reachable_ranks(deck: Sequence[Card]) -> dict[int, int]:
    """Return how far each suit can be built: up to the first missing rank."""
    present = set(deck)
    ranks: dict[int, int] = {}
    for suit in sorted({suit for _, suit in deck}):
        rank = 0
        while (rank + 1, suit) in present:
            rank += 1
        ranks[suit] = rank
    return ranks


def _without_early_copies(bits: Sequence[int], machine: SituationMachine) -> list[int]:
    """Return the deck without copies that come again before they can be played.

    A card can be played once it and all lower ranks of its suit have come. Until then it does not
    matter which of its copies is kept, so the last one will do.
    """
    first: dict[int, int] = {}
    for place, bit in enumerate(bits):
        first.setdefault(bit, place)
    earliest: dict[int, int] = {}
    for start, suit in machine.suits:
        latest = 0
        for rank in range(suit.bit_length()):
            latest = max(latest, first[1 << start + rank])
            earliest[1 << start + rank] = latest
    last: dict[int, int] = {}
    for place, bit in enumerate(bits):
        if bit and place <= earliest[bit]:
            last[bit] = place
    return [
        bit if bit and (place > earliest[bit] or place == last[bit]) else 0
        for place, bit in enumerate(bits)
    ]


def _still_coming(bits: Sequence[int]) -> list[int]:
    """Return for each position the cards that come after it."""
    coming = [0]
    for bit in reversed(bits[1:]):
        coming.append(coming[-1] | bit)
    return coming[::-1]
