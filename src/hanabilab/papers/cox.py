"""Cox et al. 2015, *How to make the perfect fireworks display: two strategies for Hanabi*."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from hanabilab.formats.describe import hand_names
from hanabilab.game.actions import HINT_RANK, HINT_SUIT, PLAY, Event, decode_action
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.game.state import State, View, initial_state, play_success, view_of
from hanabilab.game.turn import take_turn
from hanabilab.lab.solve import solve
from hanabilab.papers.fixtures import card_names, cards_in, game_with_deck, state_with
from hanabilab.papers.items import (
    Average,
    Claim,
    Exact,
    Explanation,
    Item,
    Lead,
    PrintedTable,
    exact,
    lead,
)
from hanabilab.papers.runner import Match, MatchResult, Runner, SampleSize
from hanabilab.strategies import recommendation
from hanabilab.strategies.hat_guessing import hint_set_of, told_sum

__all__ = [
    "FIGURE_6",
    "MATCHES",
    "PRINTED",
    "TITLE",
    "figure_2",
    "ones_played",
    "possible_of",
    "tables",
]

TITLE = "Cox et al. 2015, “How to make the perfect fireworks display: two strategies for Hanabi”"


def tables(effort: str) -> list[PrintedTable]:
    """Return everything printed that can be computed."""
    return [*_example_tables(), *_score_tables()]


COX = preset("cox", 5)


def _example_tables() -> list[PrintedTable]:
    """Return all of them in the order of the paper."""
    parts = (
        ("hats", "Hat guessing, every distribution of hats", _hats()),
        ("1", "Figure 1 and the end of the article: cards that fit, decks that do not", _cards()),
        ("2", "Figures 2 and 3: a hint of the recommendation strategy", _figure_2()),
        ("4", "Figures 4 to 6: possibility tables and their partitions", _partitions()),
    )
    return [
        PrintedTable(id=f"cox.{number}", paper="cox", title=title, items=list(items))
        for number, title, items in parts
    ]


def _hats() -> Iterator[Exact]:
    place = "introduction, correct guesses on average, two colours, guessing randomly"
    yield exact("cox.hats.random", place, "2.5", _random_guesses, 2)
    place = "“Two color hat guessing game”, correct guesses on average"
    yield exact("cox.hats.2.average", place, "4.5", lambda: _guesses(2)[0])
    place = "“Multiple color hat guessing game”, least correct guesses"
    yield exact("cox.hats.8.least", place, 4, lambda: _guesses(8)[1])


def _random_guesses(colours: int, players: int = 5) -> Fraction:
    """Return the correct guesses on average, over all guesses; the hats do not matter."""
    hats = range(players)
    right = [
        sum(guess == hat % colours for guess, hat in zip(guesses, hats, strict=True))
        for guesses in product(range(colours), repeat=players)
    ]
    return Fraction(sum(right), len(right))


@cache
def _guesses(colours: int, players: int = 5) -> tuple[Fraction, int]:
    """Return the average and the least number of correct guesses over all hats.

    The first player tells the sum.
    """
    right = []
    for hats in product(range(colours), repeat=players):
        told = sum(hats[1:]) % colours
        answers = [told] + [
            (told - (sum(hats[1:]) - hats[player])) % colours for player in range(1, players)
        ]
        right.append(sum(answer == hat for answer, hat in zip(answers, hats, strict=True)))
    return Fraction(sum(right), len(right)), min(right)


def _cards() -> Iterator[Exact]:
    place = "Figure 1a, cards that can be played on b2, r3, w1, y2"
    yield exact("cox.1a", place, "r4 y3 g1 b3 w2", _playable, "b2 r3 w1 y2")
    place = "Figure 1b, cards of a perfect display"
    yield exact("cox.1b", place, 25, lambda: state_with(COX, [""] * 5, "r5 y5 g5 b5 w5").score)
    place = "“Simulations”, all fifteen 1s on the bottom: a perfect score is impossible"
    yield exact("cox.ones", place, True, lambda: solve(_ones_last()).winnable is False)


def _playable(fireworks: str) -> str:
    return card_names(state_with(COX, [""] * 5, fireworks).playable, COX)


def _ones_last() -> Deck:
    ones = " ".join(f"{suit}1" for suit in "rygbw" for _ in range(3))
    return game_with_deck(COX, "", end=ones).deck


def figure_2() -> State:
    """Return a state that fits all that the text says of Figure 2, which is a drawing.

    P1 has the yellow 5; P2's C1 is a playable white 2, her C3 is to be played; P3's C1 is to be
    played; P4's C1 is a dead green 1; P5's C1 is to be played, her C4 is the red 5. Afterwards
    P2 and P5 both hold a blue 3 that can be played (Figure 3). Four hint tokens, one is spent.
    """
    hands = ["y5 w4 y4 b4", "w2 g4 r1 b3", "w2 g5 y3 r4", "g1 g5 w3 y4", "b3 w4 r4 r5"]
    state = state_with(COX, hands, "g1 b2 w1")
    state.hint_tokens = 4
    return state


DRAWS = "b5 g3 y2 w5"


@cache
def _story() -> tuple[list[Event], list[list[int]], State]:
    """Play four turns from Figure 2 on: each event, what it recommended to whom, the end."""
    state = figure_2()
    deck = [0] * (COX.deck_size - state.draw_pile) + cards_in(DRAWS, COX)
    memories = [recommendation.RecommendationMemory() for _ in range(COX.players)]
    for player, memory in enumerate(memories):
        recommendation.begin(view_of(state, player), memory)
    events, recommended = [], []
    for _ in range(4):
        event = Event()
        action = recommendation.act(view_of(state, state.player), memories[state.player])
        decode_action(state, action, event)
        take_turn(state, deck, event)
        if event.kind in (HINT_SUIT, HINT_RANK):
            for player, memory in enumerate(memories):
                recommendation.observe(view_of(state, player), event, memory)
        events.append(event)
        recommended.append([memory.recommended for memory in memories])
    return events, recommended, state


def _figure_2() -> Iterator[Exact]:
    yield exact("cox.2.values", "Figure 2, values of the hands of P2 to P5", "2 0 4 0", _decoded)
    yield exact("cox.2.sum", "Figure 2, their sum modulo 8", 6, _told)
    yield exact("cox.2.hint", "Figure 2, the hint of P1", "suit hint to P4", _hint)
    for number, place, printed in (
        (1, "P2 plays C3, which is successful", "plays C3, fits"),
        (2, "P3 plays C1, which is successful", "plays C1, fits"),
        (3, "P4, recommended to discard, gives a hint", "gives a hint"),
    ):
        yield exact(f"cox.3.turn.{number}", f"Figure 3, {place}", printed, _turn, number)
    place = "Figure 3, P4's hint recommends to P5 and P2 to play their blue 3s"
    yield exact("cox.3.twice", place, "P5 plays b3, P2 plays b3", _blue_threes)


def _told() -> int:
    return told_sum(view_of(figure_2(), 0), _story()[0][0])


def _hint() -> str:
    event = _story()[0][0]
    kind = {HINT_SUIT: "suit hint", HINT_RANK: "rank hint"}.get(event.kind, "no hint")
    return f"{kind} to P{event.target + 1}"


def _decoded() -> str:
    return " ".join(map(str, _story()[1][0][1:]))


def _turn(number: int) -> str:
    event = _story()[0][number]
    if event.kind in (HINT_SUIT, HINT_RANK):
        return "gives a hint"
    word = "plays" if event.kind == PLAY else "discards"
    return f"{word} C{event.slot + 1}, {'fits' if event.lit else 'does not fit'}"


def _blue_threes() -> str:
    """Return what the second hint recommends to P5 and P2; numbers below 4 are plays."""
    _, recommended, state = _story()
    words = []
    for player in (4, 1):
        number = recommended[3][player]
        card = hand_names(state, player)[number % 4]
        words.append(f"P{player + 1} {'plays' if number < 4 else 'discards'} {card}")
    return ", ".join(words)


def _read_table(text: str) -> dict[int, str]:
    """Read a figure's 5 × 5 table (blue, green, red, white, yellow) as our cards."""
    rows = [line.split() for line in text.strip().splitlines()]
    return {
        suit * 5 + rank: entry
        for suit, row in enumerate(rows)
        for rank, entry in enumerate(row)
        if entry not in ".N"
    }


FIGURE_4 = {
    "C2": _read_table("N P P P N\nN N N N N\nN N N N N\nN N N N N\nN N N N N"),
    "C3": _read_table("N P P P N\nP P P P P\nP P N P P\nP N P P P\nN N N N N"),
}
FIGURE_5 = _read_table(". 0 0 1 .\n1 2 2 3 3\n4 4 . 5 5\n6 . 6 7 7\n. . . . .")
FIGURE_6 = _read_table(". 1 4 7 .\n0 2 5 7 7\n0 3 . 7 7\n0 . 6 7 7\n. . . . .")
SUITS = ("blue", "green", "red", "white", "yellow")


def possible_of(cards: dict[int, str]) -> int:
    """Return the cards of a table as a bit set."""
    return sum(1 << card for card in cards)


def ones_played() -> View:
    """Return a view with all five ones played, as Figure 6 assumes."""
    state = initial_state(COX)
    for suit in range(5):
        play_success(state, suit * 5)
    return view_of(state, 0)


def _partitions() -> Iterator[Exact]:
    place = "“Partition of the possibilities”, possible values of C3 in Figure 4b"
    yield exact("cox.4b", place, 16, lambda: possible_of(FIGURE_4["C3"]).bit_count())
    for figure, cells, compute in (
        ("5", FIGURE_5, _nearly_equal),
        ("6", FIGURE_6, _of_information),
    ):
        for card, number in cells.items():
            name = f"{SUITS[card // 5]} {card % 5 + 1}"
            yield exact(
                f"cox.{figure}.{name.replace(' ', '')}",
                f"Figure {figure}, hint set of {name}",
                int(number),
                compute,
                card,
                row=name.split()[0],
                column=name.split()[1],
            )
    yield exact("cox.5b", "Figure 5b, left after the hint 7", "white 4, white 5", _after_seven)
    place = "“Partition of the possibilities”, cards in each hint set of Figure 6"
    yield exact("cox.6.sizes", place, "3 1 1 1 1 1 1 7", _sizes)


def _nearly_equal(card: int) -> int:
    """Return the hint set of a card if sets have two cards each, from the top left."""
    return sorted(FIGURE_4["C3"]).index(card) // 2


def _of_information(card: int) -> int:
    return hint_set_of(ones_played(), possible_of(FIGURE_4["C3"]), card)


def _after_seven() -> str:
    left = [card for card in FIGURE_4["C3"] if _nearly_equal(card) == 7]
    return ", ".join(f"{SUITS[card // 5]} {card % 5 + 1}" for card in left)


def _sizes() -> str:
    sets = [_of_information(card) for card in FIGURE_4["C3"]]
    return " ".join(str(sets.count(number)) for number in range(8))


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
    """Return the averages, and what is said of misplays and perfect games."""
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
"""Why the interpretation of the text gives another average, and by how much."""


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
