"""Figures of `bench` are saved and compared, and what is really slower is seen."""

from __future__ import annotations

import json
import math
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hanabilab.bench import playouts
from hanabilab.bench.measurements import (
    LEVEL,
    Comparison,
    Measurements,
    Ratio,
    _mann_whitney_count,
    compare_speeds,
    geometric_mean,
)
from hanabilab.bench.suite import Benchmark, Rounds, measure_rounds
from hanabilab.cli import main
from hanabilab.core.machine_code import prepare
from hanabilab.errors import FormatError, HanabiError, SaveError

Json = dict[str, Any]


def timings(rng: random.Random, speed: float, rounds: int = 5) -> list[float]:
    """Return noisy speeds: 2 % of noise, and now and then a round at half the speed."""
    return [
        speed * math.exp(rng.gauss(0, 0.02)) * (0.5 if rng.random() < 0.03 else 1)
        for _ in range(rounds)
    ]


def test_slower_things_are_seen_and_equal_ones_are_not_flagged() -> None:
    """Equal things are flagged at most in 1 % of cases; those 15 % slower in most."""
    rng = random.Random(7)
    cases = [(timings(rng, 1000), timings(rng, 1000)) for _ in range(1000)]
    assert sum(compare_speeds(*case).verdict != "same" for case in cases) <= 10
    seen = [compare_speeds(timings(rng, 1000), timings(rng, 850)) for _ in range(200)]
    assert sum(each.verdict == "slower" for each in seen) > 150
    seen = [compare_speeds(timings(rng, 1000), timings(rng, 1200)) for _ in range(200)]
    assert sum(each.verdict == "faster" for each in seen) > 150


def test_play_outs_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same worlds are imagined every time, and points are lost in some of them."""
    monkeypatch.setattr(playouts, "BLUEPRINTS", ("duo",))
    main(["bench", "search", "--seconds", "0.001", "--json"])
    assert json.loads(capsys.readouterr().out)["duo"].keys() == {"2"}
    lost = set()
    for _ in range(2):
        view, memory, _ = next(iter(playouts.positions("duo", 2)))
        lost.add(prepare(playouts.play_outs, view, memory, 50)(view, memory, 50))
    assert len(lost) == 1
    assert 0 < lost.pop() < 50 * 25


@pytest.mark.parametrize("rounds", [(5, 5), (4, 7), (12, 9)])
def test_intervals_hold_the_true_ratio_as_often_as_they_say(rounds: tuple[int, int]) -> None:
    rng, hits, cases = random.Random(11), 0, 2000
    for _ in range(cases):
        found = compare_speeds(timings(rng, 500, rounds[0]), timings(rng, 900, rounds[1]))
        hits += found.low <= 1.8 <= found.high
        assert found.low <= found.ratio <= found.high
    assert found.level >= 0.985
    # Five standard errors below what the interval promises.
    assert hits >= cases * found.level - 5 * math.sqrt(cases * found.level * (1 - found.level))


def test_counts_of_arrangements_against_all_orders() -> None:
    for n, m in product(range(1, 4), range(1, 4)):
        counts = [0] * (n * m + 1)
        for order in product((0, 1), repeat=n + m):
            if sum(order) == m:
                wins = sum(
                    order[late] and not order[early]
                    for late in range(n + m)
                    for early in range(late)
                )
                counts[wins] += 1
        assert [_mann_whitney_count(n, m, wins) for wins in range(n * m + 1)] == counts


def test_few_rounds_promise_little() -> None:
    assert compare_speeds([1.0], [0.1]) == Ratio(0.1, 0.1, 0.1, 0.0)
    assert compare_speeds([1.0], [0.1]).verdict == "unsure"
    assert compare_speeds([1.0] * 3, [0.1] * 3).level == pytest.approx(0.9)
    assert compare_speeds([1.0] * 5, [0.1] * 5).level >= LEVEL
    assert geometric_mean([2.0, 0.5]) == pytest.approx(1)
    assert geometric_mean([]) == 1


def figures(**speeds: list[float]) -> Measurements:
    benchmarks = [Benchmark(name, lambda: lambda count: count, "games/s") for name in speeds]
    return Measurements.of(Rounds(speeds, dict.fromkeys(speeds, 3)), benchmarks)


def test_a_file_holds_everything_and_is_read_back(tmp_path: Path) -> None:
    file = str(tmp_path / "bench.json")
    made = figures(one=[1.0, 3.0, 2.0], two=[5.0])
    made.save(file)
    assert Measurements.load(file) == made
    data = json.loads(Path(file).read_text())
    assert (data["format"], data["schema"]) == ("hanabilab bench", 1)
    assert data["benchmarks"]["one"]["median"] == 2
    assert {"version", "date", "machine"} <= set(data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: [data], "is not a file of hanabilab bench"),
        (lambda data: {**data, "format": "x"}, "is not a file of hanabilab bench"),
        (lambda data: {**data, "schema": 2}, "has schema 2; this version reads 1"),
        (lambda data: {**data, "benchmarks": {"one": {}}}, "is damaged"),
        (lambda data: {**data, "machine": 5}, "is damaged"),
        (
            lambda data: {
                **data,
                "benchmarks": {"one": {"unit": "games/s", "count": 1, "speeds": [0]}},
            },
            "not a positive number",
        ),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path: Path, change: Any, words: str) -> None:
    file = tmp_path / "bench.json"
    file.write_text(json.dumps(change(figures(one=[1.0]).to_dict())))
    with pytest.raises(FormatError, match=words):
        Measurements.load(str(file))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "absent.json"):
        with pytest.raises(SaveError, match=str(file)):
            Measurements.load(str(file))
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    with pytest.raises(HanabiError, match="is not a file"):
        Measurements.load(str(tmp_path / "binary"))


def test_another_machine_is_said_and_so_is_what_is_missing() -> None:
    before = figures(one=[1.0] * 5, gone=[1.0] * 5)
    now = figures(one=[0.5] * 5, new=[1.0] * 5)
    assert Comparison(before, now).warnings == ["not measured now: gone"]
    elsewhere = Measurements(
        before.speeds, before.counts, before.units, "0", "then", {**before.machine, "cores": "99"}
    )
    first, *_ = Comparison(elsewhere, now).warnings
    assert first.startswith("measured elsewhere: cores 99 (here ")
    data = Comparison(elsewhere, now).to_dict()
    assert data["ratios"]["one"]["verdict"] == "slower"
    assert (data["all"], data["against"]["date"]) == (0.5, "then")


def test_rounds_play_the_same_again() -> None:
    played: list[int] = []
    now = [0.0]

    def play(count: int) -> int:
        played.append(count)
        now[0] += count * 0.01
        return 60 * count

    games = Benchmark("games", lambda: play, "games/s")
    turns = Benchmark("turns", lambda: play, "turns/s")
    first = measure_rounds([games, turns], 3, 0.5, clock=lambda: now[0])
    assert first.counts == {"games": 50, "turns": 50}
    assert first.speeds["games"] == pytest.approx([100] * 3)
    assert first.speeds["turns"] == pytest.approx([6000] * 3)
    played.clear()
    measure_rounds([games], 2, 9.0, counts=first.counts, clock=lambda: now[0])
    assert played == [1, 50, 50]


def test_what_is_not_installed_is_left_out() -> None:
    def absent() -> Any:
        raise ImportError("nothing of that name")

    assert measure_rounds([Benchmark("peer", absent, "games/s")], 2, 0.1) == ({}, {})


def test_the_command_saves_compares_and_fails_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "before.json"
    common = ["bench", "strategies", "random", "--seconds", "0.01", "--rounds", "4"]
    assert main([*common, "--save", str(file)]) == 0
    assert capsys.readouterr().err.endswith(f"{file}: written\n")
    data = json.loads(file.read_text())
    names = ["strategies: random, 2 players", "strategies: random, 5 players"]
    assert list(data["benchmarks"]) == names
    for each in data["benchmarks"].values():
        each["speeds"] = [1000 * speed for speed in each["speeds"]]
    file.write_text(json.dumps(data))
    assert main([*common, "--against", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.count("slower") == 3
    assert "2 benchmarks: 2 slower, 0 faster; geometric mean 0.00" in out
    assert main([*common, "--against", str(file), "--fail-below", "0.5", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert list(found["ratios"]) == names
    assert main([*common, "--against", str(file), "--fail-below", "0.0001"]) == 0
