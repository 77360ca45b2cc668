"""Tuning finds the best options, reports fair figures, and resumes where it stopped."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
import hanabilab.author as ha
from hanabilab.core.random import chance
from hanabilab.errors import FormatError, HanabiError, MissingExtraError, StrategyError
from hanabilab.game import Rules, card_in, discard_slot, play_slot
from hanabilab.lab.search_space import (
    Axis,
    Categorical,
    Continuous,
    Optimiser,
    Ordinal,
    parse_space,
)
from hanabilab.lab.sweep import ScoredOptions, score_options
from hanabilab.lab.tune import OBJECTIVES, Tuning
from hanabilab.strategies import STRATEGIES

Command = Callable[..., tuple[int, str, str]]
PLAY_CELL = "hanabilab.lab.tune.score_options"

ALONE = Rules(
    players=1,
    hand_size=2,
    ranks=3,
    suits=1,
    copies=((2, 2, 1),),
    hint_tokens=0,
    lives=None,
    discard_at_full=True,
)


class Dials(ha.Memory):
    """The settings of a strategy whose optimum is known."""

    aim: float
    number: int
    rule: int
    word: int
    on: int


def miss(aim: float, number: int, rule: int, word: int, on: int) -> float:
    """Return how often the toy misses: never at 0.3, 4, 2, b and on."""
    return abs(aim - 0.3) + abs(number - 4) / 8 + 0.2 * ((rule != 2) + (word != 1) + (not on))


def act(view: ha.View, memory: Any) -> int:
    """Play what fits, but discard instead, and more often the worse the dials are set."""
    hit = chance(memory) >= miss(memory.aim, memory.number, memory.rule, memory.word, memory.on)
    for slot in range(view.hand_count[0]):
        if hit and view.playable >> card_in(view.hands[0], slot) & 1:
            return play_slot(view, slot)
    return discard_slot(view, 0)


TOY = ha.Strategy(
    "toy",
    act,
    memory=Dials,
    options={
        "aim": ha.Option(default=0.9, help=""),
        "number": ha.Option(default=1, least=1, most=6, help=""),
        "rule": ha.Option(default=1, least=1, most=3, ordered=False, help=""),
        "word": ha.Option(default="a", choices=("a", "b", "c"), help=""),
        "on": ha.Option(default=False, help=""),
    },
    sees_own_hand=True,
)


def tuned(strategy: str | ha.Strategy = TOY, **changes: Any) -> Tuning:
    settings: dict[str, Any] = {"budget": 40, "games": 8, "final_games": 16, "seed": 1}
    return hl.tune(strategy, **{"rules": ALONE, **settings, **changes})


def without_time(result: Tuning) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(result.to_json())
    del data["seconds"], data["resumed"]
    return data


def mixed_axes() -> tuple[Axis, ...]:
    axes = parse_space(TOY, {})
    assert [type(axis) for axis in axes] == [
        Continuous,
        Ordinal,
        Categorical,
        Categorical,
        Categorical,
    ]
    return axes


@pytest.mark.parametrize("seed", range(5))
def test_the_optimiser_finds_a_known_optimum(seed: int) -> None:
    optimiser = Optimiser(mixed_axes(), seed)
    best, evaluations = 9.0, 0
    while evaluations < 400:
        values = []
        for options in optimiser.ask():
            aim, number, rule, word, on = (value for _, value in options)
            values.append(-miss(aim, number, rule, "abc".index(word), on))
        optimiser.tell(values)
        evaluations += len(values)
        best = min(best, *(-value for value in values))
    assert best < 0.01


@pytest.mark.parametrize("values", ["0.2:0.4", [0.1, 0.3, 0.7], [0.3, 0.5]])
def test_every_kind_of_axis_is_searched_alone(values: Any) -> None:
    axes = parse_space(TOY, {"aim": values})
    optimiser = Optimiser(axes, 1)
    best = 9.0
    for _ in range(15):
        aims = [dict(options)["aim"] for options in optimiser.ask()]
        optimiser.tell([-abs(aim - 0.3) for aim in aims])
        best = min(best, *(abs(aim - 0.3) for aim in aims))
    assert best < 0.01


def test_equal_values_are_no_trouble() -> None:
    optimiser = Optimiser(mixed_axes(), 1)
    for _ in range(20):
        optimiser.tell([0.0] * len(optimiser.ask()))


def test_a_strategy_is_tuned() -> None:
    result = tuned(budget=250, games=40, final_games=200)
    found = result.best.options
    assert (found["rule"], found["word"], found["on"]) == (2, "b", True)
    assert miss(found["aim"], found["number"], 2, 1, 1) < 0.2
    assert result.best.fresh
    assert result.default.fresh
    assert result.best.fresh.mean > result.default.fresh.mean + 1
    assert hl.simulate(TOY.with_options(**found), rules=ALONE, games=5).games == 5


def test_the_budget_is_the_number_of_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[tuple[int, int]] = []

    def count(options: Any, run: Any, *others: Any) -> ScoredOptions | None:
        played.append((run.first, run.games))
        return score_options(options, run, *others)

    monkeypatch.setattr(PLAY_CELL, count)
    for budget in (1, 2, 9, 23):
        played.clear()
        result = tuned(budget=budget)
        assert len(result.history) == budget
        distinct = {str(cell.options) for cell in result.history}
        assert played.count((0, 8)) == len(distinct)
        assert played.count((8, 16)) == len(result.finals) <= min(budget, 11)
        assert played.count((24, 16)) == len({result.best.strategy, result.default.strategy})
        assert len(played) == len(distinct) + len(result.finals) + played.count((24, 16))


def test_common_decks_and_fair_figures() -> None:
    result = tuned()
    for candidate in (result.best, result.default):
        for cell in (candidate.search, candidate.final, candidate.fresh):
            assert cell
            assert cell.options == candidate.options
    assert result.history[0].options == result.default.options
    whole = hl.simulate(TOY, rules=ALONE, games=40, seed=1)
    cells = [result.default.search, result.default.final, result.default.fresh]
    parts = zip(*(cell.histogram for cell in cells if cell), strict=True)
    assert tuple(map(sum, parts)) == whole.histogram  # games 0 to 39, each of them once
    assert result.best.final
    assert result.best.final.mean == max(cell.mean for cell in result.finals)
    searched = {str(cell.options): cell.histogram for cell in result.history}
    finalists = [searched[str(cell.options)] for cell in result.finals]
    assert len(set(finalists)) == len(finalists)  # no two that the search cannot tell apart


def test_results_do_not_depend_on_threads_and_chunks() -> None:
    settings: dict[str, Any] = {"players": 2, "rules": "thesis", "budget": 15, "games": 20}
    whole = tuned("rule-based", **settings, threads=1)
    for threads, chunk in ((2, None), (3, 7)):
        parts = tuned("rule-based", **settings, threads=threads, chunk=chunk)
        assert without_time(parts) == without_time(whole)
    assert without_time(tuned("rule-based", **settings, seed=2)) != without_time(whole)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_an_interrupted_search_goes_on_where_it_was(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / f"whole.{ending}"
    undisturbed = tuned(save=whole)
    file = tmp_path / f"parts.{ending}"
    for allowed in (1, 3, 20, 17, 5):  # the last ones end in the finals
        left = iter(range(allowed))

        def some(*arguments: Any, left: Any = left) -> ScoredOptions | None:
            return None if next(left, None) is None else score_options(*arguments)

        monkeypatch.setattr(PLAY_CELL, some)
        result = tuned(save=file)
        assert result.interrupted
        assert result.best.search.mean == max(cell.mean for cell in result.history)
        file.write_bytes(file.read_bytes() + b"toy,1")  # killed while writing
    monkeypatch.setattr(PLAY_CELL, score_options)
    resumed = tuned(save=file)
    assert resumed.resumed == 46
    assert without_time(resumed) == without_time(undisturbed)
    assert file.read_bytes() == whole.read_bytes()
    monkeypatch.setattr(PLAY_CELL, None)  # now all is in the file
    assert without_time(tuned(save=file)) == without_time(undisturbed)


def test_a_larger_budget_goes_on_from_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "search.csv"
    small = tuned(budget=12, save=file)
    before = file.read_bytes()
    large = tuned(budget=30, save=file)
    assert large.history[:12] == small.history
    assert file.read_bytes().startswith(before)
    assert without_time(large) == without_time(tuned(budget=30))


def test_ctrl_c_before_anything_was_played_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLAY_CELL, lambda *arguments: None)
    with pytest.raises(KeyboardInterrupt):
        tuned()


def test_the_file_of_another_search_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "search.csv"
    tuned(budget=3, save=file)
    before = file.read_bytes()
    changes: list[dict[str, Any]] = [{"seed": 2}, {"games": 9}, {"final_games": 17}]
    for change in [*changes, {"vary": {"aim": "0:0.5"}}]:
        with pytest.raises(FormatError, match="remove it or save elsewhere"):
            tuned(budget=3, save=file, **change)
    assert file.read_bytes() == before
    file.write_bytes(before.replace(b"final,", b"finish,"))
    with pytest.raises(FormatError, match="finish"):
        tuned(budget=3, save=file)


def test_ctrl_c_at_a_terminal_keeps_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "search.csv"
    line = "tune rule-based --players 3 --budget 100000 --games 50 --json --save"
    process = subprocess.Popen(
        [sys.executable, "-m", "hanabilab", *line.split(), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (file.exists() and file.read_bytes().count(b"\n") > 5):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    data = json.loads(out)
    assert data["interrupted"]
    assert data["best"]["fresh"] is None
    assert f"the best of {data['evaluations']} of 100000 evaluations; the same command" in err
    assert "Traceback" not in err


def cell_of(*histogram: int) -> ScoredOptions:
    games = sum(histogram)
    mean = sum(score * count for score, count in enumerate(histogram)) / games
    return ScoredOptions({}, mean, 0, 0, 0, 0, histogram[-1] / games, 0, 0, histogram)


def test_games_that_come_close_lead_to_perfect_ones() -> None:
    objective = OBJECTIVES["perfect"]
    for share, value in ((1 / 3, objective.search_value), (1 / 10, objective.final_value)):
        assert value(cell_of(0, 0, 0, 4)) == 1
        assert value(cell_of(3, 0, 1, 0)) == pytest.approx((share + 3 * share**3) / 4)
        assert value(cell_of(5, 0, 0, 5)) > value(cell_of(0, 0, 9, 1))  # though its mean is lower
        assert value(cell_of(0, 5, 5, 0)) > value(cell_of(0, 8, 2, 0))


def test_the_objective_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maximising the opposite finds dials that miss more often."""

    def worse(cell: ScoredOptions) -> float:
        return -cell.mean

    upside_down = dataclasses.replace(OBJECTIVES["perfect"], search_value=worse, final_value=worse)
    monkeypatch.setitem(OBJECTIVES, "perfect", upside_down)
    worst, best = tuned(objective="perfect", budget=60), tuned(objective="score", budget=60)
    assert worst.best.final
    assert worst.best.final.mean == min(cell.mean for cell in worst.finals)
    late = [sum(cell.mean for cell in result.history[-20:]) for result in (worst, best)]
    assert late[0] < late[1]


def test_options_declare_how_they_are_searched() -> None:
    axes = parse_space(STRATEGIES["rule-based"], {})
    assert [(axis.name, str(axis)) for axis in axes] == [
        ("play-threshold", "0..1"),
        ("safe", "False|True"),
        ("discard-threshold", "0..1"),
        ("hint-probability", "0..1"),
        ("hint-rule", "1|2|3|4"),
        ("discard-rule", "1|2|3|4"),
    ]
    kinds = [type(axis) for axis in axes]
    assert kinds == [Continuous, Categorical, Continuous, Continuous, Categorical, Categorical]
    limits: dict[str, Any] = {"depth": "1:8", "playouts": "100:1000"}
    playouts, depth = parse_space(STRATEGIES["monte-carlo"], limits)
    assert depth == Ordinal("depth", (1, 2, 3, 4, 5, 6, 7, 8))
    assert playouts == Continuous("playouts", 100, 1000, whole=True)
    assert [playouts.value_at(place) for place in (0, 0.5, 1)] == [100, 550, 1000]


def test_values_fix_or_limit_an_option() -> None:
    result = tuned("rule-based:hint-rule=3,safe=yes", rules="thesis", players=2, budget=8, games=5)
    assert result.strategy == "rule-based"  # both are the default
    assert not {"hint-rule", "safe"} & result.best.options.keys()
    vary: dict[str, Any] = {"play_threshold": "0.7:0.8", "hint-rule": "1,2"}
    program = "rule-based:interpretation=program"
    result = tuned(program, rules="thesis", players=2, budget=12, games=5, vary=vary)
    assert result.strategy == program
    assert [axis.name for axis in result.axes] == ["play-threshold", "hint-rule"]  # and no others
    for cell in result.history:
        assert 0.7 <= cell.options["play-threshold"] <= 0.8
        assert cell.options["hint-rule"] in (1, 2)
    assert result.default.options["play-threshold"] == 0.7
    axes = parse_space(STRATEGIES["information"], {"interpretation": "paper,program"})
    assert axes == (Categorical("interpretation", ("paper", "program")),)


@pytest.mark.parametrize(
    ("strategy", "changes", "reason"),
    [
        ("random", {}, "random has no options to tune"),
        ("information", {}, "no option is left to tune; vary one of: interpretation"),
        ("rule-based:hint-rule=3", {"vary": {"hint_rule": "1,2"}}, "hint-rule cannot be both set"),
        ("rule-based", {"vary": {"hint_rule": 2}}, "or set it .*: rule-based:hint-rule=2"),
        ("compose", {}, "no option is left to tune"),
        ("rule-based", {"vary": {"nonsense": 1}}, "has no option nonsense"),
        ("rule-based", {"vary": {"play_threshold": "0.8:0.4"}}, "LOW must be below"),
        ("rule-based", {"vary": {"play_threshold": "0:2"}}, "not between 0 and 1"),
        ("rule-based", {"vary": {"hint_rule": "1,9"}}, "not between 1 and 4"),
        (
            "rule-based",
            {"objective": "fun"},
            "^unknown objective 'fun'; expected score or perfect$",
        ),
        ("rule-based", {"budget": 0}, "budget: 0 is not between"),
        ("rule-based", {"games": 0}, "games: 0"),
        ("rule-based", {"final_games": 0}, "final games: 0"),
        ("rule-based", {"save": "search.doc"}, "saved as .csv or .jsonl"),
    ],
)
def test_mistakes_are_named(strategy: str, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(HanabiError, match=reason):
        hl.tune(strategy, **{"players": 3, "budget": 3, "games": 5, **changes})


def test_an_option_without_bounds_needs_some() -> None:
    option = ha.Option(default=1.0, most=float("inf"), help="")
    endless = ha.Strategy("endless", act, memory=Dials, options={"aim": option})
    with pytest.raises(StrategyError, match="LOW:HIGH"):
        parse_space(endless, {})
    assert parse_space(endless, {"aim": "0:5"}) == (Continuous("aim", 0, 5),)


def test_without_the_library_the_install_line_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hanabilab\[tune\]'"):
        tuned(save=tmp_path / "search.csv")
    assert not list(tmp_path.iterdir())


def test_the_command_prints_and_draws(command: Command, tmp_path: Path) -> None:
    plot = tmp_path / "search.svg"
    line = "tune rule-based --players 2 --budget 12 --games 20 --objective perfect --seed 1"
    code, out, err = command(*line.split(), "--plot", plot, "--save", tmp_path / "s.csv")
    assert code == 0
    for words in ("12 evaluations of 20 games", "searched", "fresh decks", "best: rule-based"):
        assert words in out
    assert plot.exists()
    code, out, err = command(*line.split(), "--json", "--save", tmp_path / "s.csv")
    assert "were already in the file" in err
    data = json.loads(out)
    assert data["objective"] == "perfect"
    assert data["budget"] == data["evaluations"] == len(data["history"]) == 12
    assert data["best"]["search"]["games"] == 20
    assert data["best"]["fresh"]["games"] == data["final_games"] == 200
    assert sum(data["best"]["fresh"]["histogram"]) == 200


def test_a_result_can_be_looked_at(tmp_path: Path) -> None:
    result = tuned(budget=10)
    assert " on fresh decks, default " in str(result)
    assert str(result.best).startswith("toy:")
    assert result.plot(str(tmp_path / "search.png"))
    result.save(str(tmp_path / "history.csv"))
    assert len((tmp_path / "history.csv").read_text().splitlines()) == 11


def test_a_search_that_has_settled_starts_again_with_more_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Search a space of two points: soon every candidate has been seen."""
    sizes: list[int] = []
    ask = Optimiser.ask

    def watched(self: Optimiser) -> list[Any]:
        sizes.append(self.population)
        return ask(self)

    monkeypatch.setattr(Optimiser, "ask", watched)
    tuned(vary={"rule": [1, 2]}, budget=60, games=1, final_games=1)
    assert sizes[0] < sizes[-1] == max(sizes)
    assert set(sizes) <= {sizes[0] * 2**n for n in range(5)}
