"""Beyond the papers: the experiments proposed in section 4.4 of the thesis.

A structured search over all six parameters, for both of its criteria (average score and probability
of a perfect score), and games with other numbers of players, hints and errors.

`SEARCH_RESULTS` lists the result of each search and how to repeat it. The report replays these
options on decks of another seed, beside the best rule that the thesis found by hand. The searches
in `CHARTED` are repeated for the report, with a small budget in a quick run.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from hanabilab.errors import MissingExtraError
from hanabilab.game.rules import preset
from hanabilab.lab.tally import percent, plus_minus, wilson
from hanabilab.lab.tune import BUDGET, FINAL_TIMES, GAMES, OBJECTIVES, Tuning, tune
from hanabilab.papers.report.figures import Figure, Line, Section, line_chart, round_ticks
from hanabilab.papers.runner import (
    FULL,
    QUICK,
    Match,
    MatchResult,
    Runner,
    SampleSize,
    match_progress,
)
from hanabilab.strategies import find_strategy

if TYPE_CHECKING:
    from hanabilab.papers.reproduction import Reproduction

__all__ = [
    "BUDGETS",
    "SEARCH_RESULTS",
    "Budget",
    "Optimum",
    "SearchResult",
    "Variation",
    "beyond_section",
    "drawn_searches",
    "optima",
    "search_figures",
    "variations",
]

BEST_OF_THESIS = {"thesis": "rule-based", "thesis-program": "rule-based:interpretation=program"}
"""By rules, the best of section 4.3, our default: ρh = 3, ρd = 2, ωp = 0.6, ωs = ωd = ωh = 1."""
OTHERS = ("piers", "recommendation", "information")
SEARCH_SEED = 1
NEAR = 2
"""Points short of perfect in a near miss."""
SIZES = {
    "score": SampleSize(quick=(2_000, 1), full=(20_000, 1)),
    "perfect": SampleSize(quick=(5_000, 1), full=(500_000, 1)),
    "variation": SampleSize(quick=(500, 1), full=(20_000, 1)),
}

Changes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The result of a search."""

    players: int
    rules: str = "thesis"
    changes: Changes = ()
    objective: str = "score"
    options: str
    """The options that differ from the best rule of the thesis."""

    @property
    def thesis(self) -> str:
        """The best rule of the thesis in the same interpretation."""
        return BEST_OF_THESIS[self.rules]

    @property
    def strategy(self) -> str:
        """The strategy found."""
        joint = "," if ":" in self.thesis else ":"
        return f"{self.thesis}{joint}{self.options}" if self.options else self.thesis

    def match(self, strategy: str, size: str) -> Match:
        """Return a match of a strategy under the rules of this search."""
        return Match(strategy, self.rules, self.players, SIZES[size], changes=self.changes)

    @property
    def command(self) -> str:
        """The command for the search."""
        return self.command_of(SEARCH_SEED)

    def command_of(self, seed: int) -> str:
        """Return the command for the same search with another seed."""
        objective = "" if self.objective == "score" else f" --objective {self.objective}"
        under = self.match(self.thesis, "score").under
        return (
            f"hanabilab tune {self.thesis} --players {self.players} --rules {under}{objective} "
            f"--seed {seed}"
        )


SEARCH_RESULTS: tuple[SearchResult, ...] = (
    SearchResult(
        players=2,
        options="play-threshold=0.5223,discard-threshold=0.975,hint-probability=0.9763,discard-rule=1",
    ),
    SearchResult(players=3, options="play-threshold=0.5431"),
    SearchResult(
        players=4, options="play-threshold=0.5427,discard-threshold=0.945,hint-probability=0.9961"
    ),
    SearchResult(players=5, options=""),
    SearchResult(
        players=2,
        rules="thesis-program",
        options="play-threshold=0.5332,discard-threshold=0.9888,hint-probability=0.9806,discard-rule=3",
    ),
    SearchResult(
        players=3,
        rules="thesis-program",
        options="play-threshold=0.5449,discard-threshold=0.951,hint-probability=0.9962",
    ),
    SearchResult(
        players=4, rules="thesis-program", options="play-threshold=0.4934,discard-threshold=0.9616"
    ),
    SearchResult(
        players=5,
        rules="thesis-program",
        options="play-threshold=0.4802,discard-threshold=0.875,hint-probability=0.9152",
    ),
    SearchResult(
        players=2,
        objective="perfect",
        options="play-threshold=0.5216,safe=False,hint-probability=0.9314",
    ),
    SearchResult(
        players=3, objective="perfect", options="play-threshold=0.4976,discard-threshold=0.92"
    ),
    SearchResult(
        players=4, objective="perfect", options="play-threshold=0.4529,discard-threshold=0.8857"
    ),
    SearchResult(players=5, objective="perfect", options="play-threshold=0.4408,discard-rule=1"),
    SearchResult(
        players=6,
        changes=(("hand_size", 3),),
        options="play-threshold=0.444,discard-threshold=0.9563,hint-probability=0.9945",
    ),
    SearchResult(
        players=3,
        changes=(("hint_tokens", 4),),
        options="play-threshold=0.5413,discard-threshold=0.9604",
    ),
    SearchResult(
        players=3,
        changes=(("hint_tokens", 12),),
        options="play-threshold=0.6166,hint-probability=0.9862",
    ),
    SearchResult(
        players=3,
        changes=(("lives", 1),),
        options="play-threshold=0.6002,discard-threshold=0.9466,hint-probability=0.9981",
    ),
    SearchResult(
        players=3, changes=(("lives", 5),), options="play-threshold=0.5371,hint-probability=0.9853"
    ),
)

CHARTED = {
    QUICK: (("score", "thesis-program", 2),),
    FULL: (
        ("score", "thesis-program", 2),
        ("score", "thesis-program", 3),
        ("perfect", "thesis", 3),
    ),
}
"""Criterion, rules and players of the searches run for the report, by effort."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The result of a search, beside the best rule of the thesis."""

    found: SearchResult
    ours: MatchResult
    thesis: MatchResult


@dataclass(frozen=True, slots=True)
class Variation:
    """Strategies under other rules; None for a strategy that does not support them."""

    found: SearchResult
    played: Mapping[str, MatchResult | None]


def optima(runner: Runner, objective: str) -> list[Optimum]:
    """Play the strategies found for 2 to 5 players."""
    searches = [
        found for found in SEARCH_RESULTS if found.objective == objective and not found.changes
    ]
    pairs = [
        (found.match(found.strategy, objective), found.match(found.thesis, objective))
        for found in searches
    ]
    with match_progress(f"beyond: {objective}", 2 * len(pairs)) as report:
        runner.play_all((match for pair in pairs for match in pair), report)
    return [
        Optimum(found, *map(runner.result_of, pair))
        for found, pair in zip(searches, pairs, strict=True)
    ]


def variations(runner: Runner) -> list[Variation]:
    """Play the same strategies with other numbers of players, hint tokens and lives."""
    searches = [
        found for found in SEARCH_RESULTS if found.objective == "score" and found.rules == "thesis"
    ]
    tables = [_contenders(found) for found in searches]
    matches = [match for table in tables for match in table.values() if match]
    with match_progress("beyond: other rules", len(matches)) as report:
        runner.play_all(matches, report)
    return [
        Variation(
            found,
            {name: runner.result_of(match) if match else None for name, match in table.items()},
        )
        for found, table in zip(searches, tables, strict=True)
    ]


def _contenders(found: SearchResult) -> dict[str, Match | None]:
    rules = preset(found.rules, found.players, **dict(found.changes))
    labels = {"rule-based (thesis)": found.thesis, "rule-based (found)": found.strategy}
    labels |= {name: name for name in OTHERS}
    return {
        name: None
        if find_strategy(label).support.unsupported_reason(rules)
        else found.match(label, "variation")
        for name, label in labels.items()
    }


def drawn_searches(effort: str) -> list[SearchResult]:
    """Return the searches run for the report."""
    plain = {(f.objective, f.rules, f.players): f for f in SEARCH_RESULTS if not f.changes}
    return [plain[key] for key in CHARTED[effort]]


def beyond_section(found: Reproduction) -> Section | None:
    """Return the section of the report, if the whole thesis was reproduced."""
    if found.only or found.paper not in ("thesis", "all"):
        return None
    runner = Runner(
        found.effort,
        seed=found.seed + 1 + (found.seed + 1 == SEARCH_SEED),  # never the decks of the searches
        threads=found.runner.parallelism.threads,
        cluster=found.runner.parallelism.cluster,
        folder=found.runner.folder,
    )
    html = [
        "<p>What the thesis wishes for in its section 4.4. The options below were found by the "
        "commands beside them; their scores were played for this report, on other decks "
        f"(seed {runner.seed}), beside the best rule that the thesis found by hand "
        "(ρh = 3, ρd = 2, ωp = 0.6, ωs = ωd = ωh = 1).</p>",
        _part("The best average score", _scores(optima(runner, "score"))),
        _part("The most perfect games", _perfect(optima(runner, "perfect"))),
        _part("Other numbers of players, hints and lives", _averages(variations(runner))),
    ]
    words, figures = _searches(found)
    return Section("beyond", "Beyond the papers", "".join([*html, words]), figures)


def _searches(found: Reproduction) -> tuple[str, tuple[Figure, ...]]:
    """Run searches and plot them; without the optimizer, return a note instead."""
    try:
        figures = tuple(search_figures(found, drawn_searches(found.effort)))
        words = "Made for this report by the command below the drawing"
        if found.effort == QUICK:
            words += ", with a much smaller budget than the searches above"
    except MissingExtraError as error:
        figures, words = (), f"No search was made for this report: {escape(str(error))}"
    return f"<h3>How a search goes</h3><p>{words}.</p>", figures


def _part(title: str, table: str) -> str:
    return f'<h3>{escape(title)}</h3><div class="scroll">{table}</div>'


def _html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts; those that start with < are already HTML."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        written = (text if text.startswith("<") else escape(text) for text in texts)
        return "".join(f"<{tag}>{text}</{tag}>" for text in written)

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead>{body}</table>"


def _source(found: SearchResult) -> str:
    options = escape(found.options.replace(",", ", ")) or "the same as the thesis"
    return f'{options}<br><code class="meta">{escape(found.command)}</code>'


def _scores(rows: Sequence[Optimum]) -> str:
    def row(optimum: Optimum) -> list[str]:
        found, ours, thesis = optimum.found, optimum.ours.tally, optimum.thesis.tally
        means = [plus_minus(tally.mean, tally.stderr) for tally in (ours, thesis)]
        gain = f"{ours.mean - thesis.mean:+.2f}"
        source = f"<span>{_source(found)}</span>"
        games = f"{ours.played:,}"
        return [str(found.players), found.rules, *means, gain, games, source]

    head = ["players", "rules", "found", "thesis", "gain", "games", "options, and how found"]
    return _html_table(head, map(row, rows))


def _perfect(rows: Sequence[Optimum]) -> str:
    def row(optimum: Optimum) -> list[str]:
        found, both = optimum.found, (optimum.ours, optimum.thesis)
        rates = [percent(p.tally.perfect_rate, p.tally.perfect_interval) for p in both]
        near = [near_misses(p) for p in both]
        mean = f"{optimum.ours.tally.mean:.2f}"
        source = f"<span>{_source(found)}</span>"
        games = f"{optimum.ours.tally.played:,}"
        return [str(found.players), *rates, *near, mean, games, source]

    head = ["players", "perfect, found", "thesis", f"at most {NEAR} points short, found", "thesis"]
    return _html_table([*head, "mean", "games", "options, and how found"], map(row, rows))


def near_misses(played: MatchResult) -> str:
    """Return the rate of perfect and nearly perfect games, with its interval."""
    tally = played.tally
    rate = sum(tally.histogram[-1 - NEAR :]) / tally.played
    return percent(rate, wilson(rate, tally.played))


def _averages(rows: Sequence[Variation]) -> str:
    def row(variation: Variation) -> list[str]:
        changes = {"hint_tokens": 8, "lives": 3, **dict(variation.found.changes)}
        numbers = [variation.found.players, changes["hint_tokens"], changes["lives"]]
        means = [
            plus_minus(played.tally.mean, played.tally.stderr) if played else "-"
            for played in variation.played.values()
        ]
        return [*map(str, numbers), *means]

    head = ["players", "hint tokens", "lives", *rows[0].played]
    games = max(played.tally.played for played in rows[0].played.values() if played)
    return _html_table(head, map(row, rows)) + (
        f'<p class="meta">Average scores of {games:,} games each, rules of the thesis but for '
        "these numbers; six players hold three cards. Found: by a search under these rules.</p>"
    )


CHUNK = 500
"""Games per chunk; evaluations are too short for smaller ones."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of a search."""

    evaluations: int
    games: int
    final_games: int

    @property
    def words(self) -> str:
        """The budget as options of `hanabilab tune`; empty if it is the default there."""
        if self == BUDGETS[FULL]:
            return ""
        return f" --budget {self.evaluations} --games {self.games} --final-games {self.final_games}"


BUDGETS = {
    QUICK: Budget(150, 200, 2_000),
    FULL: Budget(BUDGET, GAMES, FINAL_TIMES * GAMES),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How a criterion is plotted: the objective of the search, multiplied by `times`."""

    title: str
    axis: str
    times: int = 1
    about: str = ""


SCALES = {
    "score": Scale("the best average score", "average score"),
    "perfect": Scale(
        "the most perfect games",
        "nearly perfect games in 10,000",
        10_000,
        " A perfect game counts one, and a third as much for each point short.",
    ),
}


def search_figures(found: Reproduction, searches: Iterable[SearchResult]) -> Iterator[Figure]:
    """Run these searches with the budget of the run, and plot them."""
    budget = BUDGETS[found.effort]
    for search in searches:
        tuning = _make(found, search, budget)
        scale = SCALES[search.objective]
        yield Figure(
            f"Search for {scale.title}, {search.players} players",
            _drawing(tuning, scale),
            _caption(tuning) + scale.about,
            search.command_of(found.seed) + budget.words,
            _about(tuning),
        )


def _make(found: Reproduction, search: SearchResult, budget: Budget) -> Tuning:
    tuning = tune(
        search.thesis,
        objective=search.objective,
        budget=budget.evaluations,
        games=budget.games,
        final_games=budget.final_games,
        seed=found.seed,
        rules=preset(search.rules, search.players, **dict(search.changes)),
        save=found.runner.file(f"search-{search.players}-players-{search.rules}"),
        threads=found.runner.parallelism.threads,
        cluster=found.runner.parallelism.cluster,
        chunk=CHUNK,
    )
    if tuning.interrupted:
        raise KeyboardInterrupt
    return tuning


def _drawing(tuning: Tuning, scale: Scale) -> str:
    values = [value * scale.times for value in tuning.values]
    levels = {name: level * scale.times for name, level in _levels(tuning).items()}
    lines = [
        Line("an evaluation", _numbered(values), "line1 dim", "dots"),
        Line("best so far", list(_steps(values)), "line1", "path"),
    ]
    for (name, level), style in zip(levels.items(), ("line2 dashed", "line3"), strict=False):
        ends = [(1.0, level, 0.0), (float(len(values)), level, 0.0)]
        lines.append(Line(f"{name}, fresh decks: {level:.2f}", ends, style, "path"))
    return line_chart(
        lines,
        "evaluation",
        scale.axis,
        x_ticks=round_ticks(0, len(values)),
        y_ticks=round_ticks(*_upper_part(values, levels.values())),
    )


def _levels(tuning: Tuning) -> Mapping[str, float]:
    """Return the values of the best rule of the thesis and of the result, on fresh decks."""
    search_value = OBJECTIVES[tuning.objective].search_value
    named = {"best rule of the thesis": tuning.default, "found": tuning.best}
    if tuning.best == tuning.default:
        named = {"best rule of the thesis, and found": tuning.default}
    return {
        name: search_value(candidate.fresh) for name, candidate in named.items() if candidate.fresh
    }


def _numbered(values: Iterable[float]) -> list[tuple[float, float, float]]:
    return [(float(number), value, 0.0) for number, value in enumerate(values, 1)]


def _steps(values: Iterable[float]) -> Iterator[tuple[float, float, float]]:
    """Yield the corners of the best-so-far curve, level until an evaluation is better."""
    before = None
    for number, best, _ in _numbered(itertools.accumulate(values, max)):
        if before is not None and best > before:
            yield number, before, 0.0
        yield number, best, 0.0
        before = best


def _upper_part(values: list[float], levels: Iterable[float]) -> tuple[float, float]:
    """Return bounds for the better half, as much below it, and the levels."""
    middle, top = sorted(values)[len(values) // 2], max(values)
    low, high = min(2 * middle - top, *levels), max(top, *levels)
    return max(0.0, low), max(high, low + 0.1)


def _caption(tuning: Tuning) -> str:
    objective = OBJECTIVES[tuning.objective]
    default = tuning.default.options
    changed = [
        f"{name} {value}" for name, value in tuning.best.options.items() if value != default[name]
    ]
    fresh = [objective.text(one.fresh) for one in (tuning.best, tuning.default) if one.fresh]
    return (
        f"A dot is a choice of all {len(tuning.axes)} options, on the same {tuning.games:,} decks; "
        "dots that are too low for the drawing stand on its lower edge. The first dot is the best "
        "rule of the thesis. The best of many is partly the luckiest: the level lines come from "
        f"{tuning.final_games:,} decks that had no part in any choice. "
        f"Found: {', '.join(changed) or 'the same rule'}; "
        f"{objective.about} {', thesis '.join(fresh)}."
    )


def _about(tuning: Tuning) -> str:
    """Return rules, games and duration in words."""
    different = {tuple(cell.options.items()) for cell in tuning.history}
    fresh = 1 if tuning.best == tuning.default else 2
    games = len(different) * tuning.games + (len(tuning.finals) + fresh) * tuning.final_games
    earlier = f" ({tuning.resumed} results kept from before)" if tuning.resumed else ""
    return (
        f"rules {tuning.rules.preset} · {len(tuning.history)} evaluations of {tuning.games:,} "
        f"games, {games:,} games with the finals · {tuning.seconds:.1f} s{earlier}"
    )
