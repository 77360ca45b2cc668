"""Figure 8 of Cox et al. 2015 and what "Simulations" says of scores and misplays, played."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from hanabilab.papers.items import Explanation, Item, PrintedTable
from hanabilab.papers.matches import Laboratory, Match, Played, Size
from hanabilab.papers.sampled_items import Average, Claim, Lead, lead

__all__ = ["MATCHES", "PRINTED", "tables"]

GAMES = 1_000_000
"""Simulations of each strategy (Figure 8)."""


def _match(strategy: str, rules: str, quick: int) -> Match:
    return Match(strategy, rules, 5, Size(quick=(quick, 1), full=(GAMES, 1)))


MATCHES = {
    ("recommendation", "program"): _match("recommendation:reading=program", "cox-program", 40_000),
    ("recommendation", "paper"): _match("recommendation", "cox", 40_000),
    ("information", "program"): _match("information:reading=program", "cox", 30_000),
    ("information", "paper"): _match("information", "cox", 30_000),
    ("cheat", ""): _match("cheat", "cox", 40_000),
}
PRINTED = {"recommendation": "23.00", "information": "24.68", "cheat": "24.87"}


def tables() -> list[PrintedTable]:
    """Return the averages, and what is said of misplays and perfect games."""
    return [
        PrintedTable(
            id="cox.8",
            paper="cox",
            title="“Simulations” and Figure 8: averages in both readings",
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
"""Why the reading of the text gives another average, and by how much."""


def _averages() -> Iterator[Item]:
    for (name, reading), match in MATCHES.items():
        its_own = reading != "paper"
        yield Average(
            id=f"cox.8.{name}" + f".{reading}" * bool(reading),
            place=f"“Simulations”, average of {name}" + f", {reading} reading" * bool(reading),
            printed=PRINTED[name],
            reading=reading,
            match=match,
            decks=GAMES,
            explanation=None if its_own else AS_WRITTEN[name],
            headline=True,
        )


Measure = Callable[[Played], Lead]


def _share(games: int, played: Played) -> tuple[float, float]:
    """Return a share of games and its standard error, which is not 0 even for no games."""
    total = played.tally.played
    share = games / total
    return share, math.sqrt(max(games, 1) * (1 - share)) / total


def _misplays(played: Played, least: int) -> int:
    return sum(played.misplays[least:])


def _never(least: int) -> Measure:
    """Measure that no game has so many misplays; the lead is minus their share."""

    def measure(played: Played) -> Lead:
        share, error = _share(_misplays(played, least), played)
        return Lead(-share if share else 1.0, error if share else 0.0)

    return measure


def _often(least: int, share: float) -> Measure:
    def measure(played: Played) -> Lead:
        found, error = _share(_misplays(played, least), played)
        return Lead(found - share, error)

    return measure


def _perfect(share: float) -> Measure:
    def measure(played: Played) -> Lead:
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
    for reading in ("paper", "program"):
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
                FOURTH_LIFE if reading == "program" else None,
            ),
            ("information", "misplays", "never makes any misplay", _never(1), None),
            ("information", "perfect", "more than 75 % perfect games", _perfect(0.75), None),
        ):
            yield _claim(
                f"{strategy}.{name}.{reading}",
                f"“Simulations”, {strategy}, {reading} reading",
                printed,
                MATCHES[strategy, reading],
                measure,
                reading=reading,
                explanation=explanation,
            )
    for reading in ("paper", "program"):
        yield _slightly_worse(reading)


def _claim(
    name: str,
    place: str,
    printed: str,
    match: Match,
    measure: Measure,
    *,
    reading: str,
    explanation: Explanation | None,
) -> Claim:
    return Claim(
        id=f"cox.text.{name}",
        place=place,
        printed=printed,
        reading=reading,
        needs=[match],
        leads=lambda laboratory: [measure(laboratory.played(match))],
        explanation=explanation,
    )


def _slightly_worse(reading: str) -> Claim:
    """Claim that information is below cheating, by less than half a point."""
    cheat, information = MATCHES["cheat", ""], MATCHES["information", reading]

    def leads(laboratory: Laboratory) -> list[Lead]:
        one, other = laboratory.played(cheat), laboratory.played(information)
        return [lead(one, other, "above"), lead(other, one, "below by 0.5", margin=0.5)]

    return Claim(
        id=f"cox.text.cheat.{reading}",
        place=f"introduction, {reading} reading",
        printed="information is only slightly worse than cheating (here: by less than 0.5)",
        reading=reading,
        needs=[cheat, information],
        leads=leads,
    )
