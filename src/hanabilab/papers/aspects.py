"""van den Bergh, Kosters and Spieksma 2016, *Aspects of the cooperative card game Hanabi*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import comb, factorial, gcd

from hanabilab import theory
from hanabilab.game.rules import preset
from hanabilab.game.turn import final_score
from hanabilab.papers.fixtures import card_names, game_with_deck, state_with, touched_slots
from hanabilab.papers.items import (
    Average,
    Claim,
    Correction,
    Exact,
    Extreme,
    Item,
    Lead,
    PrintedTable,
    exact,
    lead,
)
from hanabilab.papers.runner import FULL, Match, Runner, SampleSize
from hanabilab.papers.thesis.appendix_b import DECKS, REPEATS, appendix_b, cell_match

__all__ = [
    "FOURS",
    "TITLE",
    "depth_matches",
    "playout_matches",
    "tables",
]

TITLE = "van den Bergh, Kosters and Spieksma 2016, “Aspects of the cooperative card game Hanabi”"


def tables(effort: str) -> list[PrintedTable]:
    """Return all printed items that can be computed."""
    parts = (
        ("2", "Section 2: hints, stacks and scores of the rules", _section_2()),
        ("3", "Section 3: sequences that cannot be played", _section_3()),
        ("1", "Table 1: average scores by rules and ωp", _table_1()),
        ("F2", "Figure 2 and what is said of it", _figure_2()),
        ("F3", "Figure 3: Monte Carlo, and what is said of it", _figure_3(effort)),
    )
    return [
        PrintedTable(id=f"aspects.{number}", paper="aspects", title=title, items=list(items))
        for number, title, items in parts
    ]


ASPECTS = preset("aspects", 3)


def _section_2() -> Iterator[Exact]:
    """Yield the examples of section 2."""
    for name, hint, touched in (
        ("ones", "hint 1 1", "2 3"),
        ("red", "hint 1 r", "1 4"),
        ("five", "hint 1 5", "5"),
        ("blue", "hint 1 b", "3 5"),
        ("green", "hint 1 g", "none"),
    ):
        place = f"section 2, (R3, W1, B1, R4, B5): cards that a hint on {name} indicates"
        yield exact(f"aspects.2.hint.{name}", place, touched, _touched, hint)
    for name, kind, printed in (
        ("playable", "playable", "r3 y1 g2 b1 w4"),
        ("score", "score", 6),
    ):
        place = f"section 2, stacks R2, G1, W3: {name}"
        yield exact(f"aspects.2.stacks.{name}", place, printed, _stacks, kind)


def _touched(hint: str) -> str:
    return touched_slots(game_with_deck("aspects", "y1 y2 y3 y4 y5 r3 w1 b1 r4 b5").act(hint))


def _stacks(kind: str) -> str | int:
    state = state_with(ASPECTS, ["", "", ""], "r2 g1 w3")
    return int(final_score(state)) if kind == "score" else card_names(state.playable, ASPECTS)


FOURS = 91973270026324484565579418350194489655582912237019


def _section_3() -> Iterator[Exact]:
    """Yield the counts and examples of section 3."""
    place = "section 3, the sequences with |y| = 1 for F(2, 3, 1)"
    printed = "(1,0,0) (2,0,0) (0,1,0) (0,2,0) (0,3,0) (0,1,0)"
    right = printed[: -len("(0,1,0)")] + "(0,0,1)"
    yield exact(
        "aspects.3.F231.y",
        place,
        printed,
        _single_entries,
        (2, 3, 1),
        correction=Correction(
            right, "(0, 1, 0) stands there twice; the last one must be (0, 0, 1)"
        ),
    )
    yield exact("aspects.3.F231.multinomial", "section 3, (6 over (0, 2, 0))*", 6, comb, 6, 2 - 1)
    place = "section 3, the theorem's sum and the recurrence agree on F(2, 3, 1)"
    command = "hanabilab count 2 3 1"
    yield exact("aspects.3.F231", place, True, _both_ways, 2, 3, 1, command=command)
    yield exact("aspects.3.F2", "section 3, F(x1, x2) for all up to 6", "1", _all_pairs)
    yield exact("aspects.3.F1", "section 3, F(x1) for x1 > 0", 0, theory.psi, 3)
    yield exact("aspects.3.F100", "section 3, F(1, 0, …, 0) for k = 3", 1, theory.psi, 1, 0, 0)
    yield exact("aspects.3.F000", "section 3, F(0, 0, …, 0)", 1, theory.psi, 0, 0, 0)
    for ranks in range(2, 8):
        place = f"section 3, F(1, …, 1) for k = {ranks}, and its sum"
        printed_number = factorial(ranks) - 1
        id, command = f"aspects.3.ones.{ranks}", f"hanabilab count {' '.join('1' * ranks)}"
        yield exact(id, place, printed_number, theory.corollary_3_26, ranks, command=command)
    place, command = "section 3, F(4, …, 4), 13 fours", f"hanabilab count {' '.join('4' * 13)}"
    yield exact("aspects.3.fours", place, FOURS, theory.psi, *[4] * 13, command=command)
    yield exact("aspects.3.prime", "section 3, F(4, …, 4) is a prime", True, _is_prime)
    place = "section 3, ace to king in a shuffled pack"
    yield exact("aspects.3.pack", place, "0.000554", _pack, command=command)
    place = "section 3, the bijection's example"
    yield exact("aspects.3.swap", place, "3234232311422331412412", _swap)


def _single_entries(counts: tuple[int, ...]) -> str:
    """Return all y below these counts with one nonzero entry, in the paper's order."""
    below = product(*(range(count + 1) for count in counts))
    found = [y for y in below if sum(entry > 0 for entry in y) == 1]
    found.sort(key=lambda y: [entry == 0 for entry in y])
    return " ".join(f"({','.join(map(str, y))})" for y in found)


def _both_ways(*counts: int) -> bool:
    return theory.psi_by_theorem(*counts) == theory.psi_by_recurrence(*counts) == 34


def _all_pairs() -> str:
    values = {theory.psi(x, y) for x in range(1, 7) for y in range(1, 7)}
    return " ".join(map(str, sorted(values)))


def _is_prime() -> bool:
    """Run the Miller-Rabin test; a composite number passes with probability 4^-40."""
    number = theory.psi(*[4] * 13)
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in range(2, 42):
        powers = [pow(base, odd << step, number) for step in range(twos)]
        if gcd(base, number) > 1 or (powers[0] != 1 and number - 1 not in powers):
            return False
    return True


def _pack() -> Fraction:
    return 1 - Fraction(theory.psi(*[4] * 13), theory.total(*[4] * 13))


def _swap() -> str:
    deck = [int(rank) for rank in "2413134131321332421421"]
    return "".join(map(str, theory.swap_ranks(deck, 1, 2, 4)))


TABLE_1 = """
1 0.7  6.3 13.5 14.5 11.9
1 0.6  7.1 13.9 15.3 12.7
1 0.5  7.3 13.8 15.2 12.5
2 0.7  6.6 13.8 14.5 12.0
2 0.6  7.4 14.4 15.4 12.7
2 0.5  7.5 14.2 15.3 12.6
3 0.7  5.8 13.1 14.1 11.5
3 0.6  6.6 13.5 14.9 12.3
3 0.5  6.9 13.4 14.8 12.3
4 0.7  5.8 13.0 13.9 11.5
4 0.6  6.7 13.7 14.8 12.3
4 0.5  6.8 13.5 14.7 12.2
"""
"""Discard rule, ωp, then the averages for hint rules 1 to 4."""


def _table_1() -> Iterator[Item]:
    """Yield the averages of Table 1."""
    for line in TABLE_1.strip().splitlines():
        d, p, *averages = line.split()
        for h, printed in enumerate(averages, 1):
            options = {"discard_rule": d, "hint_rule": h, "play_threshold": p}
            yield Average(
                id=f"aspects.1.d{d}.p{p}.h{h}",
                place=f"Table 1, discard rule {d}, ωp = {p}, hint rule {h}",
                printed=printed,
                interpretation="program",
                match=cell_match("program", **options),
                alternative=cell_match("paper", **options),
                decks=DECKS,
                repeats=REPEATS,
                row=f"ρd = {d}, ωp = {p}",
                column=f"ρh = {h}",
                headline=(d, p, h) == ("2", "0.6", 3),
            )


TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(11))


def _threshold_matches() -> dict[str, dict[str, Match]]:
    """Return the matches of Figure 2: each threshold varied alone, the others at their best."""
    options = {"ωp": "play_threshold", "ωd": "discard_threshold", "ωh": "hint_probability"}
    best = {"discard_rule": 2, "hint_rule": 3, "play_threshold": "0.6"}
    return {
        symbol: {value: cell_match("program", **{**best, name: value}) for value in TENTHS}
        for symbol, name in options.items()
    }


def _figure_2() -> Iterator[Item]:
    """Yield the statements about Figure 2 and Table 1."""
    best = cell_match("program", discard_rule=2, hint_rule=3, play_threshold=0.6)
    yield Average(
        id="aspects.F2.best",
        place="section 4, best average, at ωp = 0.6, ωd = ωh = 1, playing safely",
        printed="15.4",
        interpretation="program",
        match=best,
        decks=DECKS,
        repeats=REPEATS,
    )
    yield _rounded()
    sweeps = _threshold_matches()
    yield Claim(
        id="aspects.F2.thresholds",
        place="section 4, on Figure 2",
        printed="no other ωp, ωd or ωh gives a better average (here: by more than 0.1)",
        interpretation="program",
        needs=[match for line in sweeps.values() for match in line.values()],
        leads=lambda runner: [
            lead(runner.result_of(best), runner.result_of(other), f"{name} = {value}", margin=0.1)
            for name, line in sweeps.items()
            for value, other in line.items()
            if other != best
        ],
    )
    pairs = [
        (
            cell_match("program", discard_rule=d, play_threshold=p, hint_rule=3),
            cell_match("program", discard_rule=d, play_threshold=p, hint_rule=h),
            f"discard rule {d}, ωp = {p}, hint rule {h}",
        )
        for d in (1, 2, 3, 4)
        for p in (0.7, 0.6, 0.5)
        for h in (1, 2, 4)
    ]
    yield Claim(
        id="aspects.1.hint-3",
        place="section 4, on Table 1",
        printed="the third hint rule is dominant",
        interpretation="program",
        needs=[match for above, below, _ in pairs for match in (above, below)],
        leads=lambda runner: [
            lead(runner.result_of(above), runner.result_of(below), where)
            for above, below, where in pairs
        ],
    )
    one, two = (cell_match("program", discard_rule=d, play_threshold=0.6) for d in (1, 2))
    yield Claim(
        id="aspects.1.discards",
        place="section 4, on Table 1",
        printed="discard rules 1 and 2 are about as effective (here: within 0.3)",
        interpretation="program",
        needs=[one, two],
        leads=lambda runner: [
            lead(runner.result_of(one), runner.result_of(two), margin=0.3),
            lead(runner.result_of(two), runner.result_of(one), margin=0.3),
        ],
    )


def _rounded() -> Exact:
    """Return the one cell of Table 1 that is not the thesis's average, rounded."""
    average = next(c.average for c in appendix_b() if c.id == "thesis.B1.d4.p0.7.h2")
    reason = f"the thesis has {average} for this cell, and the other 47 are its numbers, rounded"
    return exact(
        "aspects.1.d4.p0.7.h2.rounded",
        "Table 1, discard rule 4, ωp = 0.7, hint rule 2, as the thesis' average, rounded",
        "13.0",
        lambda: f"{float(average):.1f}",
        correction=Correction("13.1", reason),
    )


GAMES = 100
"""Games for each point of Figure 3."""
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10)
PLAYOUTS = (10, 50, 100, 250, 500, 1000)
DEEP_ENOUGH = 4
SMALL = 2.0
"""The largest difference of averages that "hardly differ"."""


def _monte_carlo(playouts: int, depth: int, quick: int, full: int) -> Match:
    options = f"playouts={playouts},depth={depth}"
    return Match(
        f"monte-carlo:{options}",
        "aspects",
        3,
        SampleSize(quick=(quick, 1), full=(full, 1)),
        slow=True,
    )


def depth_matches(effort: str) -> dict[int, Match]:
    """Return the left half of Figure 3: D turns, 500 play-outs (100 in a quick run)."""
    playouts = 500 if effort == FULL else 100
    return {depth: _monte_carlo(playouts, depth, 24, 2 * GAMES) for depth in DEPTHS}


def playout_matches() -> dict[int, Match]:
    """Return the right half of Figure 3: D = 5 with an increasing number of play-outs."""
    quick = {10: 40, 50: 40, 100: 40, 250: 24, 500: 24, 1000: 16}
    return {number: _monte_carlo(number, 5, quick[number], 3 * GAMES) for number in PLAYOUTS}


def _figure_3(effort: str) -> Iterator[Item]:
    """Yield the statements about Figure 3."""
    depths, playouts = depth_matches(effort), playout_matches()
    yield from _monte_carlo_scores(depths, playouts)
    yield from _about_depth(depths)
    yield from _about_playouts(playouts)


def _monte_carlo_scores(
    depths: Mapping[int, Match], playouts: Mapping[int, Match]
) -> Iterator[Item]:
    usual = playouts[500]
    yield Average(
        id="aspects.F3.1000",
        place="section 4, the highest Monte Carlo average, with 1000 play-outs",
        printed="14.5",
        match=playouts[1000],
        decks=GAMES,
        headline=True,
    )
    yield Average(
        id="aspects.F3.500",
        place="section 4, “an average around 14 points”, with 500 play-outs",
        printed="14",
        rounding=0.5,
        match=usual,
        decks=GAMES,
    )
    yield Extreme(
        id="aspects.F3.high",
        place="section 4, scores as high as",
        printed=20,
        match=usual,
        highest=True,
        decks=GAMES,
    )
    yield Claim(
        id="aspects.F3.low",
        place="section 4, Monte Carlo",
        printed="scores as low as 6, or sometimes even 0",
        needs=[*depths.values(), *playouts.values()],
        leads=lambda runner: [
            Lead(
                6.5 - min(runner.result_of(match).tally.min or 0 for match in playouts.values()),
                0.0,
            )
        ],
    )


def _about_depth(depths: Mapping[int, Match]) -> Iterator[Item]:
    deep = [match for depth, match in depths.items() if depth >= DEEP_ENOUGH]
    yield Claim(
        id="aspects.F3.depth",
        place="section 4, Monte Carlo",
        printed="D, when not being too small, does not fundamentally affect the score "
        f"(here: D ≥ {DEEP_ENOUGH}, by less than {SMALL:.0f} points)",
        needs=deep,
        leads=lambda runner: [
            lead(
                runner.result_of(one),
                runner.result_of(other),
                f"{one.strategy} and {other.strategy}",
                margin=SMALL,
            )
            for one in deep
            for other in deep
            if one != other
        ],
    )
    yield _greater("greedy", "greedy play, D = 1, is worse than D = 5", depths[5], depths[1])


def _about_playouts(playouts: Mapping[int, Match]) -> Iterator[Item]:
    usual = playouts[500]
    few, many = playouts[50], playouts[1000]
    yield Claim(
        id="aspects.F3.playouts",
        place="section 4, Monte Carlo",
        printed="more play-outs somewhat improve the average, the differences are relatively small "
        f"(here: 1000 over 50, by less than {SMALL:.0f} points)",
        needs=[few, many],
        leads=lambda runner: [
            lead(runner.result_of(many), runner.result_of(few), "1000 over 50"),
            lead(runner.result_of(few), runner.result_of(many), "the bound", margin=SMALL),
        ],
    )
    rules = cell_match("program", discard_rule=2, hint_rule=3, play_threshold=0.6)
    yield _greater("rule-based", "the rule-based players slightly outperform", rules, usual)
    yield Claim(
        id="aspects.F3.one-point",
        place="section 4, Monte Carlo",
        printed="… by one point (here: by less than 2)",
        needs=[rules, usual],
        leads=lambda runner: [lead(runner.result_of(usual), runner.result_of(rules), margin=2.0)],
    )


def _greater(name: str, printed: str, above: Match, below: Match) -> Claim:
    def leads(runner: Runner) -> list[Lead]:
        return [lead(runner.result_of(above), runner.result_of(below))]

    return Claim(
        id=f"aspects.F3.{name}",
        place="section 4, Monte Carlo",
        printed=printed,
        needs=[above, below],
        leads=leads,
    )
