"""Keßler 2025, *A deep dive into Hanabi*: decks that are lost on pace."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement

from hanabilab import theory
from hanabilab.papers.items import Correction, Exact, Item, Measured, PrintedTable, exact
from hanabilab.papers.open_game import OpenGame, Position, orders
from hanabilab.papers.runner import Runner
from hanabilab.papers.small_solitaire import Place, SmallSolitaire
from hanabilab.papers.verdicts import AGREES, DIFFERS, INTERPRETED, Value
from hanabilab.theory.pace import CLASSIC, blocked_piles
from hanabilab.theory.pace_sample import (
    FRACTIONS_AS_PRINTED,
    TABLE_5_1,
    TABLE_5_1_DECKS,
    binomial_p_value,
)

__all__ = ["TITLE", "tables"]

TITLE = "Keßler 2025, “A deep dive into Hanabi”"


MISSING_SUMS = "4+3+1+1 and 3+3+3 block nine cards, too: 14.600 of 100,000 decks"
GAME = theory.PaceGame(3, 5)
COMMAND = "hanabilab pace --players 3 --kessler"
MIN_P_VALUE = 0.0027
"""The probability of a deviation of three standard errors."""


def tables(effort: str) -> list[PrintedTable]:
    """Return the theory, the fractions and the table."""
    return [
        PrintedTable(
            id="kessler.theory",
            paper="kessler",
            title="Section 5.1.1: pace, selections, what can be blocked",
            items=list(_theory()),
        ),
        PrintedTable(
            id="kessler.remarks",
            paper="kessler",
            title="Remarks 3.4.1 to 3.4.3, Lemma 5.1 to Remark 5.3.4, on every deck of small games",
            items=list(_remarks()),
        ),
        PrintedTable(
            id="kessler.fractions",
            paper="kessler",
            title="Section 5.1.1: fractions of decks, and the decimals beside them",
            items=list(_fractions()),
        ),
        PrintedTable(
            id="kessler.5.1",
            paper="kessler",
            title="Table 5.1: 100,000 decks counted, beside the exact values",
            items=list(_table_5_1()),
            about="Ours is the exact expectation. Cells that are not printed were 0.",
        ),
    ]


def _theory() -> Iterator[Exact]:
    place = "Definition 5.2, pace with 3 players, 35 cards to draw, 25 to play"
    yield exact("kessler.5.2", place, 3 + 35 - 25, theory.pace, 3, 35, 25)
    place = "Theorem 5.5 against all subsets, n ≤ 8"
    yield exact("kessler.5.5", place, True, _theorem_5_5)
    yield exact(
        "kessler.5.4.definition",
        "Definition 5.4 as printed (A_i ⊆ N), S(4, 2, 1, 0)",
        1,
        theory.selections,
        4,
        2,
        1,
        0,
        correction=Correction(
            5,
            "the words below the formula say that N contains no A_i or B_i entirely: 5 of the 6 "
            "pairs; ⊆ may be a misprint or a stroke lost in the scan",
            INTERPRETED,
        ),
    )
    for remaining, printed, right in (
        (4, "4+4 4+3", ""),
        (5, "5+3 4+4+0 4+3+1", ""),
        (6, "5+4+0 5+3+1 4+4+1+0 4+3+2", "5+4+0 5+3+1 4+4+1+0 4+3+2 4+3+1+1 3+3+3"),
    ):
        yield exact(
            f"kessler.sums.{remaining}",
            f"section 5.1.1, possible sums with {remaining} cards left",
            _sorted(printed),
            _sums,
            remaining,
            correction=Correction(_sorted(right), MISSING_SUMS) if right else None,
        )


def _remarks() -> Iterator[Exact]:
    for number, place, check in (
        ("3.4.1", "Remark 3.4.1, discarding stored cards is not needed", _remark_3_4_1),
        ("3.4.2.ranks", "Remark 3.4.2, missing ranks at the end of the deck", _missing_ranks),
        ("3.4.2.state", "Remark 3.4.2, partial game states as decks", _partial_states),
        ("3.4.3", "Remark 3.4.3, decisions recover a winning sequence", _remark_3_4_3),
        ("5.1", "Lemma 5.1, at most n + p cards can still be played", _lemma_5_1),
        ("5.3", "Corollary 5.3, a negative pace is lost", _corollary_5_3),
        ("5.3.4", "Remark 5.3.4, pace 0 and no playable card is lost", _remark_5_3_4),
    ):
        yield exact(f"kessler.{number}", place, True, check)


UNEVEN = ((1, 1), (2, 1, 1))
SMALL = (((2, 1), (1, 2)), ((2, 2, 1),))


def _heights(suits: Sequence[Sequence[int]]) -> dict[int, int]:
    return {suit: len(counts) for suit, counts in enumerate(suits)}


def _solitaires(*, discards_stored: bool = False) -> Iterator[SmallSolitaire]:
    for suits in SMALL:
        for deck in orders(suits):
            for room in (0, 1, 2):
                yield SmallSolitaire(deck, room, _heights(suits), discards_stored)


def _remark_3_4_1() -> bool:
    pairs = zip(_solitaires(), _solitaires(discards_stored=True), strict=True)
    return all(plain.won() == other.won() for plain, other in pairs)


def _missing_ranks() -> bool:
    heights = _heights(UNEVEN)
    even = dict.fromkeys(heights, max(heights.values()))
    return all(
        SmallSolitaire(deck, room, heights).won()
        == SmallSolitaire((*deck, (3, 0)), room, even).won()
        for deck in orders(UNEVEN)
        for room in (0, 1)
    )


def _partial_states() -> bool:
    """Compare every reached position with the deck that represents it."""
    return all(
        _won_from_deck(game, place) == won
        for game in _solitaires(discards_stored=True)
        if game.room == 1 and game.won() is not None
        for place, won in game.known.items()
    )


def _won_from_deck(game: SmallSolitaire, place: Place) -> bool:
    drawn, heights, stored = place
    rest = game.deck[drawn:]
    state = theory.SolitaireState(
        rest, game.room, game.ranks, dict(enumerate(heights)), tuple(stored)
    )
    left = max(game.ranks[suit] - height for suit, height in enumerate(heights))
    ranks = dict.fromkeys(game.ranks, left)
    return SmallSolitaire(tuple(theory.initial_deck(state)), game.room, ranks).won()


def _remark_3_4_3() -> bool:
    return all(_recovers(game) for game in _solitaires() if game.won())


def _recovers(game: SmallSolitaire) -> bool:
    """Take actions that the decision procedure calls winning until all cards are played."""
    place = game.start
    while not game.is_complete(place):
        following = [after for after in game.moves(place) if game.won(after)]
        if not following:
            return False
        place = following[0]
    return True


def _positions() -> Iterator[tuple[OpenGame, Position, int]]:
    """Yield all positions of small games, each with the cards that can still be played."""
    for hand, passes in ((1, 0), (1, 1), (2, 1)):
        for deck in orders(SMALL[0]):
            game = OpenGame(deck, 2, hand, passes)
            game.best()
            for position, points in game.known.items():
                yield game, position, points


def _pace_of(game: OpenGame, position: Position) -> tuple[int, int]:
    """Return the cards to be played and the pace (Definition 5.2)."""
    to_play = len(set(game.deck)) - sum(position.fireworks)
    return to_play, theory.pace(game.players, len(game.deck) - position.drawn, to_play)


def _lemma_5_1() -> bool:
    return all(
        points <= len(game.deck) - position.drawn + game.players
        for game, position, points in _positions()
    )


def _corollary_5_3() -> bool:
    return all(
        points < to_play
        for game, position, points in _positions()
        for to_play, pace in [_pace_of(game, position)]
        if pace < 0
    )


def _remark_5_3_4() -> bool:
    return all(
        points < to_play
        for game, position, points in _positions()
        for to_play, pace in [_pace_of(game, position)]
        if pace == 0
        and to_play
        and not any(game.is_playable(position, card) for hand in position.hands for card in hand)
    )


def _theorem_5_5() -> bool:
    return all(
        theory.selections(n, k, pairs, triples)
        == theory.selections_one_by_one(n, k, pairs, triples)
        for n in range(9)
        for k in range(n + 1)
        for pairs in range(n // 2 + 1)
        for triples in range((n - 2 * pairs) // 3 + 1)
    )


def _sorted(sums: str) -> str:
    return " ".join(sorted(sums.split(), reverse=True))


COST = {5: 3, 4: 2, 3: 2, 2: 2, 1: 1}
"""Cards needed at the end of the deck to block this many cards of a suit."""


def _sums(remaining: int) -> str:
    """Return the ways to block enough cards for a pace of 0 (with 4 cards left, also −1)."""
    wanted = {GAME.players + remaining} | ({GAME.players + 5} if remaining == 4 else set())
    found = [
        "+".join(map(str, [*parts, *[0] * (remaining - cost)]))
        for suits in range(1, len(CLASSIC) + 1)
        for parts in combinations_with_replacement(COST, suits)
        if sum(parts) in wanted and (cost := sum(COST[part] for part in parts)) <= remaining
    ]
    return " ".join(sorted(found, reverse=True))


def _fractions() -> Iterator[Exact]:
    for remaining, forced, blocked, fraction, decimals in FRACTIONS_AS_PRINTED:
        parts = blocked.replace(" ", "")
        where = f"section 5.1.1, {remaining} cards left, pace {forced}, blocked {blocked}"
        id = f"kessler.{remaining}.{parts}"
        yield exact(id, where, str(fraction), _chance, remaining, parts, command=COMMAND)
        mantissa, exponent = decimals.split("e")
        right = f"{mantissa}e{int(exponent) + 1}"
        yield exact(
            f"kessler.{remaining}.{parts}.decimal",
            f"{where}, decimal",
            decimals,
            _way,
            remaining,
            parts,
            correction=Correction(
                right, "the decimals are ten times too small; the fraction is right"
            ),
            command=COMMAND,
        )
    for remaining, forced in ((4, -1), (4, 0), (5, 0), (6, 0)):
        rows = [row for row in FRACTIONS_AS_PRINTED if row[:2] == (remaining, forced)]
        whole = sum((row[3] for row in rows), Fraction(0))
        yield exact(
            f"kessler.{remaining}.pace{forced}",
            f"section 5.1.1, {remaining} cards left, all fractions for pace {forced} added up",
            str(whole),
            lambda *place: str(_pace_chance(*place)),
            remaining,
            forced,
            correction=Correction("116/794535", MISSING_SUMS) if remaining == 6 else None,
            command="hanabilab pace --players 3",
        )


def _chance(remaining: int, parts: str) -> str:
    return str(_way(remaining, parts))


def _way(remaining: int, parts: str) -> Fraction:
    """Return the fraction of decks whose end blocks exactly these numbers of cards by suit."""
    wanted = tuple(sorted((int(part) for part in parts.split("+") if part != "0"), reverse=True))
    ways: Counter[tuple[tuple[int, ...], int]] = Counter({((), 0): 1})
    for suit in CLASSIC:
        following: Counter[tuple[tuple[int, ...], int]] = Counter()
        for (blocked, size), number in ways.items():
            for part, piles in enumerate(blocked_piles((suit,))):
                now = tuple(sorted((*blocked, *([part] if part else [])), reverse=True))
                for more, count in enumerate(piles[: remaining - size + 1]):
                    following[now, size + more] += number * count
        ways = following
    return Fraction(ways[wanted, remaining], math.comb(GAME.cards, remaining))


def _table_5_1() -> Iterator[Item]:
    for remaining in range(GAME.draw_pile + 1):
        chances = theory.pace_chances(GAME, remaining)
        for forced in (-1, 0):
            printed = TABLE_5_1.get((remaining, forced), 0)
            if printed or chances.get(forced):
                yield Count(
                    id=f"kessler.5.1.{remaining}.pace{forced}",
                    place=f"Table 5.1, {remaining} cards left, pace {forced}",
                    printed=printed,
                    row=f"{remaining} cards left",
                    column=f"pace {forced}",
                    decks=TABLE_5_1_DECKS,
                    chance=partial(_pace_chance, remaining, forced),
                )


def _pace_chance(remaining: int, forced: int) -> Fraction:
    return theory.pace_chances(GAME, remaining).get(forced, Fraction(0))


@dataclass(frozen=True, kw_only=True)
class Count(Item):
    """A count in the paper's own sample and its exact expectation."""

    decks: int
    chance: Callable[[], Fraction]

    def measure(self, runner: Runner) -> Measured:
        """Compute the expectation and the error of such a sample."""
        chance = float(self.chance())
        expected = self.decks * chance
        return Measured(
            got=expected,
            difference=expected - float(self.printed),
            paper_stderr=math.sqrt(expected * (1 - chance)),
            command=COMMAND,
        )

    def judge(self, printed: Value, measured: Measured) -> str:
        """Judge whether a count this unlikely is still consistent with chance."""
        p_value = binomial_p_value(int(printed), self.decks, float(measured.got) / self.decks)
        return AGREES if p_value >= MIN_P_VALUE else DIFFERS
