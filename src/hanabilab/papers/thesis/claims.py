"""The conclusions of section 4.3 of van den Bergh 2015, in both interpretations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from hanabilab.papers.items import (
    Claim,
    Correction,
    Exact,
    Explanation,
    Lead,
    PrintedTable,
    exact,
    lead,
)
from hanabilab.papers.runner import Match, MatchResult, Runner, SampleSize
from hanabilab.papers.thesis.appendix_b import cell_match
from hanabilab.papers.verdicts import INTERPRETED

__all__ = ["tables"]

INTERPRETATIONS = ("program", "paper")
RULES = (1, 2, 3, 4)
TENTHS = tuple(f"{tenth / 10:.1f}" for tenth in range(10, -1, -1))
LITTLE = 0.2
"""The largest difference of scores that "do not vary much"; the printed ones differ by 0.10."""
SLIGHTLY = 1.0
SELDOM = 0.01
POINTS, MISPLAYS = 25, 2
"""The maximum score, and the number of misplays that still allows it."""

MatchOf = Callable[..., Match]
"""The match of a cell: rules d and h, then the thresholds."""
Leads = Callable[[Runner], Sequence[Lead]]


def tables() -> list[PrintedTable]:
    """Return one table per interpretation, and one for the random strategy."""
    return [
        *(
            PrintedTable(
                id=f"thesis.text.{interpretation}",
                paper="thesis",
                title=f"Conclusions of section 4.3, {interpretation} interpretation",
                items=list(_claims(interpretation)),
            )
            for interpretation in INTERPRETATIONS
        ),
        PrintedTable(
            id="thesis.2.18",
            paper="thesis",
            title="Example 2.18: the random strategy",
            items=[_random(), _random_plays(), _perfect_by_chance()],
        ),
    ]


def _random() -> Claim:
    match = Match("random", "thesis", 3, SampleSize(quick=(2_000, 1), full=(100_000, 1)))

    def leads(runner: Runner) -> list[Lead]:
        tally = runner.result_of(match).tally
        return [Lead(0.1 - tally.mean, tally.stderr)]

    return Claim(
        id="thesis.2.18.random",
        place="Example 2.18",
        printed="the average of the random strategy is close to 0 (here: below 0.1)",
        needs=[match],
        leads=leads,
    )


def _random_plays() -> Claim:
    """Claim that a random play succeeds with probability near 1/5."""
    size = SampleSize(quick=(2_000, 1), full=(100_000, 1))
    match = Match("random", "thesis", 3, size, changes=(("keep_score", True),))

    def leads(runner: Runner) -> list[Lead]:
        played = runner.result_of(match)
        points = played.tally.mean * played.tally.played
        plays = points + sum(number * games for number, games in enumerate(played.misplays))
        rate = points / plays
        error = math.sqrt(rate * (1 - rate) / plays)
        return [
            Lead(rate - 0.1, error, "the lower bound"),
            Lead(0.4 - rate, error, "the upper bound"),
        ]

    return Claim(
        id="thesis.2.18.plays",
        place="Example 2.18",
        printed="a random play succeeds with a chance near 1/5 (here: 0.1 to 0.4)",
        needs=[match],
        leads=leads,
    )


def _perfect_by_chance() -> Exact:
    """Return the probability of 25 points if every play succeeds with probability 1/5."""
    return exact(
        "thesis.2.18.perfect",
        "Example 2.18, the chance of the maximum score of random plays",
        Fraction(1, 5**POINTS),
        chance_of_points,
        POINTS,
        MISPLAYS,
        correction=Correction(
            Fraction(229, 5**POINTS),
            "1/5²⁵ is the chance of 25 plays without a misplay; the rules allow two, which "
            "makes it 229 times as large; that the draw pile ends the game is neglected in both",
            INTERPRETED,
        ),
    )


def chance_of_points(points: int, misplays: int) -> Fraction:
    """Return the probability of this many successful plays with at most `misplays` misplays."""
    if points == 0:
        return Fraction(1)
    chance = chance_of_points(points - 1, misplays) / 5
    return chance + chance_of_points(points, misplays - 1) * 4 / 5 if misplays else chance


SUIT_HINTS = (
    "with suit hints, as the text has them and the tables have not, hint rules 3 and 4 score far "
    "more than rule 2"
)
LEVELS_OFF = (
    "by the text nobody may discard while all tokens are there, and must hint instead: low ωd and "
    "ωh matter little, and scores level off near 15 instead of falling to 0"
)
EXPLAINED = {
    ("paper", "ωd-flat"): Explanation(
        "by the text scores are higher and ωd = 0.8 costs some 0.3 points of them", -0.3, 0.0
    ),
    ("paper", "ωd-falls"): Explanation(LEVELS_OFF, -0.5, 0.0),
    ("paper", "ωh-falls"): Explanation(LEVELS_OFF, -0.4, 0.0),
    ("paper", "hints-2-and-3"): Explanation(SUIT_HINTS, -6.0, -2.0),
    ("paper", "hint-3-slightly"): Explanation(SUIT_HINTS, -4.0, -0.5),
}


def _claims(interpretation: str) -> Iterator[Claim]:
    def cell(d: int, h: int, p: str = "1.0", s: bool = True, w: str = "1", c: str = "1") -> Match:
        return cell_match(
            interpretation,
            discard_rule=d,
            hint_rule=h,
            play_threshold=p,
            safe=s,
            discard_threshold=w,
            hint_probability=c,
        )

    for name, printed, needs, leads in (
        *_about_rules(cell),
        *_about_risk(cell),
        *_about_discards_and_hints(cell),
    ):
        yield Claim(
            id=f"thesis.text.{interpretation}.{name}",
            place=f"section 4.3, {interpretation} interpretation",
            printed=printed,
            interpretation=interpretation,
            needs=needs,
            leads=leads,
            extendable=not name.endswith("maximum"),
            headline=name in ("hint-3", "best-ωp"),
            explanation=EXPLAINED.get((interpretation, name)),
        )


Entry = tuple[str, str, list[Match], Leads]


def _greater(pairs: Sequence[tuple[Match, Match, str]], margin: float = 0.0) -> Leads:
    return lambda runner: [
        lead(runner.result_of(above), runner.result_of(below), where, margin=margin)
        for above, below, where in pairs
    ]


def _matches(pairs: Sequence[tuple[Match, Match, str]]) -> list[Match]:
    return list(dict.fromkeys(match for above, below, _ in pairs for match in (above, below)))


def _entry(name: str, printed: str, pairs: Sequence[tuple[Match, Match, str]]) -> Entry:
    return name, printed, _matches(pairs), _greater(pairs)


def _about_rules(cell: MatchOf) -> Iterator[Entry]:
    pairs = [
        (cell(d, good), cell(d, bad), f"ρd = {d}, ρh = {good} and {bad}")
        for d in RULES
        for good in (2, 3)
        for bad in (1, 4)
    ]
    yield _entry("hints-2-and-3", "hint rules 2 and 3 are superior to rules 1 and 4", pairs)
    pairs = [(cell(d, 3), cell(d, 2), f"ρd = {d}") for d in RULES]
    yield _entry("hint-3", "hint rule 3 is better than rule 2", pairs)
    backwards = [(below, above, where) for above, below, where in pairs]
    yield (
        "hint-3-slightly",
        f"… but only slightly (here: by less than {SLIGHTLY:.0f} point)",
        _matches(pairs),
        _greater(backwards, margin=SLIGHTLY),
    )
    pairs = [
        (cell(good, h), cell(bad, h), f"ρh = {h}, ρd = {good} and {bad}")
        for h in RULES
        for good in (1, 2)
        for bad in (3, 4)
    ]
    yield _entry("discards-1-and-2", "discard rules 1 and 2 outperform rules 3 and 4", pairs)
    best = cell(2, 3, "0.6")
    pairs = [
        (best, cell(d, h, p), f"ρd = {d}, ρh = {h}, ωp = {p}")
        for d in RULES
        for h in RULES
        for p in TENTHS
        if (d, h) != (2, 3)
    ]
    yield _entry("best-rules", "ρh = 3 with ρd = 2 has the highest average", pairs)


def _about_risk(cell: MatchOf) -> Iterator[Entry]:
    pairs = [(cell(2, 3, "0.6"), cell(2, 3, p), f"ωp = {p}") for p in TENTHS if p != "0.6"]
    yield _entry("best-ωp", "ωp = 0.6 has the best average (ρd = 2, ρh = 3)", pairs)
    pairs = [
        (cell(d, h, "0.6"), cell(d, h, "1.0"), f"ρd = {d}, ρh = {h}") for d in RULES for h in RULES
    ]
    yield _entry("risk-pays", "some risk pays off, whatever the rules", pairs)
    safe = {p: cell(2, 3, p) for p in TENTHS}
    risky = {p: cell(2, 3, p, s=False) for p in TENTHS}
    pairs = [(safe[p], risky[p], f"ωp = {p}") for p in ("0.7", "0.6", "0.5", "0.4", "0.3")]
    yield _entry("safe-pays", "with ωs = 0 the average is larger only for the highest ωp", pairs)
    yield (
        "reckless",
        "for ωp ≤ 0.2 with ωs = 0 every game is lost",
        [risky[p] for p in TENTHS[-3:]],
        lambda runner: [
            Lead(0.5 - (runner.result_of(risky[p]).tally.max or 0), 0.0, f"ωp = {p}")
            for p in TENTHS[-3:]
        ],
    )
    yield (
        "best-maximum",
        "ωp = 0.5 has the best maximum",
        list(safe.values()),
        lambda runner: [
            Lead(_maximum(runner, safe["0.5"]) - _maximum(runner, safe[p]) + 0.5, 1.0, p)
            for p in TENTHS
        ],
    )
    yield (
        "risky-maximum",
        "maximum scores are generally higher for ωs = 0",
        [*safe.values(), *risky.values()],
        lambda runner: [
            Lead(
                sum(
                    _maximum(runner, risky[p]) - _maximum(runner, safe[p])
                    for p in ("0.9", "0.8", "0.7", "0.6", "0.5")
                ),
                math.sqrt(10),
                "ωp = 0.5 to 0.9, added up",
            )
        ],
    )
    yield (
        "seldom",
        "25 points are reached only very seldom (here: in less than 1 % of the games)",
        [*safe.values(), *risky.values()],
        lambda runner: [
            _rarely_perfect(runner.result_of(match)) for match in (*safe.values(), *risky.values())
        ],
    )


def _rarely_perfect(played: MatchResult) -> Lead:
    """Return the lead of the claim; its standard error is not 0 even without a perfect game."""
    tally = played.tally
    error = math.sqrt(max(tally.perfect, 1)) / tally.played
    return Lead(SELDOM - tally.perfect_rate, error, matches=(played.match,))


def _maximum(runner: Runner, match: Match) -> int:
    return runner.result_of(match).tally.max or 0


def _about_discards_and_hints(cell: MatchOf) -> Iterator[Entry]:
    plays = ("0.7", "0.6", "0.5")
    fine = ("1.0", "0.95", "0.9", "0.85", "0.8")
    flat = [
        (cell(2, 3, p, w=one), cell(2, 3, p, w=other), f"ωp = {p}, ωd = {one} and {other}")
        for p in plays
        for one in fine
        for other in fine
        if one != other
    ]
    printed = f"for 0.8 ≤ ωd ≤ 1 the scores do not vary much (here: by {LITTLE} at most)"
    yield "ωd-flat", printed, _matches(flat), _greater(flat, margin=LITTLE)
    pairs = [
        (cell(2, 3, p, w=more), cell(2, 3, p, w=less), f"ωp = {p}, ωd = {more} and {less}")
        for p in plays
        for more, less in pairwise(TENTHS[2:])
    ]
    yield _entry("ωd-falls", "for lower ωd the scores steadily decrease", pairs)
    pairs = [
        (cell(d, h, "0.6", c=more), cell(d, h, "0.6", c=less), f"ρd = {d}, ρh = {h}, ωh = {less}")
        for d in (2, 3)
        for h in (2, 3)
        for more, less in pairwise(TENTHS)
    ]
    yield _entry("ωh-falls", "it does not pay to discard while there is a hint to give", pairs)
