"""Cox et al. 2015, *How to make the perfect fireworks display: two strategies for Hanabi*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from hanabilab.papers.cox_examples import example_tables
from hanabilab.papers.items import (
    Average,
    Claim,
    Explanation,
    Item,
    Lead,
    PrintedTable,
    lead,
)
from hanabilab.papers.runner import Match, MatchResult, Runner, SampleSize

__all__ = ["MATCHES", "PRINTED", "TITLE", "tables"]

TITLE = "Cox et al. 2015, “How to make the perfect fireworks display: two strategies for Hanabi”"


def tables(effort: str) -> list[PrintedTable]:
    """Return all printed items that can be computed."""
    return [*example_tables(), *_score_tables()]


GAMES = 1_000_000
"""Simulations of each strategy (Figure 8)."""


def _match(strategy: str, rules: str, quick: int) -> Match:
    return Match(strategy, rules, 5, SampleSize(quick=(quick, 1), full=(GAMES, 1)))


MATCHES = {
    ("recommendation", "program"): _match(
        "recommendation:interpretation=program", "cox-program", 40_000
    ),
    ("recommendation", "paper"): _match("recommendation", "cox", 40_000),
    ("information", "program"): _match("information:interpretation=program", "cox", 30_000),
    ("information", "paper"): _match("information", "cox", 30_000),
    ("cheat", ""): _match("cheat", "cox", 40_000),
}
PRINTED = {"recommendation": "23.00", "information": "24.68", "cheat": "24.87"}


def _score_tables() -> list[PrintedTable]:
    """Return the averages, and the statements about misplays and perfect games."""
    return [
        PrintedTable(
            id="cox.8",
            paper="cox",
            title="“Simulations” and Figure 8: averages in both interpretations",
            items=list(_averages()),
        ),
        PrintedTable(
            id="cox.text",
            paper="cox",
            title="What is said of misplays and perfect games",
            items=list(_claims()),
        ),
    ]


AS_WRITTEN = {
    "recommendation": Explanation(
        "23.00 belongs to the authors' program, which makes up to three misplays and plays on with "
        "a fourth life; the text as written averages 22.24",
        -0.80,
        -0.72,
    ),
    "information": Explanation(
        "24.68 belongs to the authors' program; targeting and discarding as the text says "
        "averages 24.70",
        0.015,
        0.035,
    ),
}
"""Why the literal interpretation of the text gives another average, and by how much."""


def _averages() -> Iterator[Item]:
    for (name, interpretation), match in MATCHES.items():
        its_own = interpretation != "paper"
        yield Average(
            id=f"cox.8.{name}" + f".{interpretation}" * bool(interpretation),
            place=f"“Simulations”, average of {name}"
            + f", {interpretation} interpretation" * bool(interpretation),
            printed=PRINTED[name],
            interpretation=interpretation,
            match=match,
            decks=GAMES,
            explanation=None if its_own else AS_WRITTEN[name],
            headline=True,
        )


Measure = Callable[[MatchResult], Lead]


def _share(games: int, played: MatchResult) -> tuple[float, float]:
    """Return a share of games and its standard error, which is not 0 even for no games."""
    total = played.tally.played
    share = games / total
    return share, math.sqrt(max(games, 1) * (1 - share)) / total


def _misplays(played: MatchResult, least: int) -> int:
    return sum(played.misplays[least:])


def _never(least: int) -> Measure:
    """Return the lead of the claim that no game has `least` misplays: minus their share."""

    def measure(played: MatchResult) -> Lead:
        share, error = _share(_misplays(played, least), played)
        return Lead(-share if share else 1.0, error if share else 0.0)

    return measure


def _often(least: int, share: float) -> Measure:
    def measure(played: MatchResult) -> Lead:
        found, error = _share(_misplays(played, least), played)
        return Lead(found - share, error)

    return measure


def _perfect(share: float) -> Measure:
    def measure(played: MatchResult) -> Lead:
        found, error = _share(played.tally.perfect, played)
        return Lead(found - share, error)

    return measure


FOURTH_LIFE = Explanation(
    "the published program makes a third misplay in 15 % of its games and goes on: it ends on the "
    "fourth; as the text has it there never is a third",
    -0.160,
    -0.144,
)


def _claims() -> Iterator[Item]:
    for interpretation in ("paper", "program"):
        for strategy, name, printed, measure, explanation in (
            (
                "recommendation",
                "two",
                "frequently makes two misplays (here: in more than 10 % of the games)",
                _often(2, 0.1),
                None,
            ),
            (
                "recommendation",
                "third",
                "never makes a third misplay",
                _never(3),
                FOURTH_LIFE if interpretation == "program" else None,
            ),
            ("information", "misplays", "never makes any misplay", _never(1), None),
            ("information", "perfect", "more than 75 % perfect games", _perfect(0.75), None),
        ):
            yield _claim(
                f"{strategy}.{name}.{interpretation}",
                f"“Simulations”, {strategy}, {interpretation} interpretation",
                printed,
                MATCHES[strategy, interpretation],
                measure,
                interpretation=interpretation,
                explanation=explanation,
            )
    for interpretation in ("paper", "program"):
        yield _slightly_worse(interpretation)


def _claim(
    name: str,
    place: str,
    printed: str,
    match: Match,
    measure: Measure,
    *,
    interpretation: str,
    explanation: Explanation | None,
) -> Claim:
    return Claim(
        id=f"cox.text.{name}",
        place=place,
        printed=printed,
        interpretation=interpretation,
        needs=[match],
        leads=lambda runner: [measure(runner.result_of(match))],
        explanation=explanation,
    )


def _slightly_worse(interpretation: str) -> Claim:
    """Claim that information is below cheating, by less than half a point."""
    cheat, information = MATCHES["cheat", ""], MATCHES["information", interpretation]

    def leads(runner: Runner) -> list[Lead]:
        one, other = runner.result_of(cheat), runner.result_of(information)
        return [lead(one, other, "above"), lead(other, one, "below by 0.5", margin=0.5)]

    return Claim(
        id=f"cox.text.cheat.{interpretation}",
        place=f"introduction, {interpretation} interpretation",
        printed="information is only slightly worse than cheating (here: by less than 0.5)",
        interpretation=interpretation,
        needs=[cheat, information],
        leads=leads,
    )
