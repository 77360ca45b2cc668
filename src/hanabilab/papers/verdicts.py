"""Eight verdicts on the difference between our result and the printed one.

``exact``
    the same, to the last printed digit
``agrees``
    within three standard errors: ours and, where its protocol gives it, the paper's own;
    a statement: it holds by two standard errors or more
``close``
    farther than that, but within 2 % of the printed value
``undecided``
    a statement that holds by less than two standard errors, or fails by less than three
``differs``
    none of these
``erratum``
    the printed value is wrong, and we get the correct one (`items.Correction`)
``refuted``
    the conjecture is false, and we get the correct statement
``interpreted``
    wrong in one interpretation of an ambiguous sentence and right in another
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from hanabilab.lab.tally import Tally

__all__ = [
    "AGREES",
    "CLOSE",
    "DIFFERS",
    "ERRATUM",
    "EXACT",
    "INTERPRETED",
    "REFUTED",
    "UNDECIDED",
    "VERDICTS",
    "Value",
    "half_unit",
    "judge_average",
    "judge_exact",
    "judge_extreme",
    "judge_lead",
    "protocol_error",
]

EXACT, AGREES, CLOSE, DIFFERS, ERRATUM = "exact", "agrees", "close", "differs", "erratum"
UNDECIDED, REFUTED, INTERPRETED = "undecided", "refuted", "interpreted"
VERDICTS = (EXACT, AGREES, CLOSE, UNDECIDED, DIFFERS, ERRATUM, REFUTED, INTERPRETED)

Value = str | int | float | Fraction
"""A printed or computed value: a number, a truth value, or text; decimals are kept as printed."""

MAX_SIGMAS = 3.0
MIN_LEAD_SIGMAS = 2.0
"""The number of standard errors by which a statement must hold."""
CLOSE_SHARE = 0.02
MIN_P_VALUE = 1e-5
"""An extreme differs if its probability is smaller than this; there are 900 of them."""
MIN_TAIL = 10
"""The smallest number of games in a tail that is extrapolated."""


def half_unit(printed: object) -> Fraction:
    """Return half a unit of the last printed digit: the largest rounding error."""
    if not isinstance(printed, str):
        return Fraction(0)
    exponent = Decimal(printed).as_tuple().exponent
    return Fraction(10) ** int(exponent) / 2 if int(exponent) < 0 else Fraction(0)


def judge_exact(printed: Value, got: Value) -> str:
    """Compare texts or numbers; decimals as text may be rounded to their last digit."""
    if isinstance(got, Fraction | float):
        return EXACT if abs(Fraction(got) - Fraction(printed)) <= half_unit(printed) else DIFFERS
    return EXACT if printed == got else DIFFERS


def judge_average(
    printed: float, half: float, got: float, stderr: float, paper_stderr: float = 0.0
) -> str:
    """Compare means with the rounding error `half` and the standard errors of both samples."""
    apart = abs(got - printed)
    beyond_rounding = max(0.0, apart - half)
    if not math.isfinite(got):
        return DIFFERS
    if beyond_rounding <= MAX_SIGMAS * math.hypot(stderr, paper_stderr):
        return AGREES
    return CLOSE if apart <= CLOSE_SHARE * abs(printed) else DIFFERS


def judge_lead(lead: float, stderr: float) -> str:
    """Judge a claim that a difference is positive; undecided unless the sample is large enough."""
    if lead > 0 and lead >= MIN_LEAD_SIGMAS * stderr:
        return AGREES
    return DIFFERS if lead < 0 and lead <= -MAX_SIGMAS * stderr else UNDECIDED


def protocol_error(tally: Tally, decks: int, repeats: int) -> float:
    """Return the standard error of a mean over `decks` decks, each played `repeats` times.

    A tally with repeats separates the variance between decks from that within a deck. Without
    repeats all variance is attributed to the decks, which overestimates the error.
    """
    whole = tally.stdev**2
    of_decks = tally.stderr**2 * tally.decks
    between = whole
    if tally.repeats > 1:
        between = (of_decks * tally.repeats - whole) / (tally.repeats - 1)
        between = min(max(between, 0.0), whole)
    return math.sqrt((between + (whole - between) / repeats) / decks)


def judge_extreme(printed: int, tally: Tally, decks: int, repeats: int, *, highest: bool) -> str:
    """Judge whether the highest (lowest) score of such a sample could be the printed one.

    The paper's sample has `decks` decks, each played `repeats` times. The extremes of two samples
    are not equal, even if both come from the same program. The printed extreme is too low if our
    sample has more games beyond it than chance would explain. It is too high if our tail, which
    falls faster and faster, does not reach it when extrapolated.
    """
    histogram = tally.histogram if highest else tally.histogram[::-1]
    place = printed if highest else len(histogram) - 1 - printed
    reached = max((score for score, games in enumerate(histogram) if games), default=place)
    if reached == place:
        return EXACT
    chance = (
        _chance_of_missing(sum(histogram[place + 1 :]), tally, decks)
        if reached > place
        else _chance_of_reaching(place, histogram, decks * repeats)
    )
    return AGREES if chance >= MIN_P_VALUE else DIFFERS


def _chance_of_missing(beyond: int, tally: Tally, decks: int) -> float:
    """Return the probability that all games beyond the extreme are in our sample, none in theirs.

    Games of one deck may exceed it together, so decks are counted rather than games.
    """
    ours = tally.decks / (tally.decks + decks)
    return ours ** math.ceil(beyond / tally.repeats)


def _chance_of_reaching(place: int, histogram: Sequence[int], games: int) -> float:
    """Bound the probability from above: extrapolate the last reliable ratio, plus three errors."""
    at_least = [sum(histogram[score:]) for score in range(len(histogram) + 1)]
    last = max(score for score, count in enumerate(at_least) if count >= min(MIN_TAIL, at_least[0]))
    if last == 0:
        return 1.0
    ratio = at_least[last] / at_least[last - 1]
    ratio += MAX_SIGMAS * math.sqrt(ratio * (1 - ratio) / at_least[last - 1])
    part = at_least[last] / at_least[0] * min(1.0, ratio) ** (place - last)
    return min(1.0, games * part)
