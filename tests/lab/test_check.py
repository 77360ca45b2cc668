"""`hanabilab check`: every fault that it looks for is planted once, and found."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
import hanabilab.author as ha
from hanabilab.game import card_in, count_legal, nth_legal
from hanabilab.game.actions import legal_actions
from hanabilab.lab.validation import check as validation
from hanabilab.lab.validation.check import CheckReport
from hanabilab.lab.validation.monitor import CheckFailedError, Monitor
from hanabilab.lab.validation.properties import StrategyUnderTest
from hanabilab.strategies.load import load_player
from tests.conftest import Answer

Act = Callable[[ha.View, Any], int]

TABLES = [hl.preset("classic", 2), hl.preset("thesis", 3)]


class Notes(ha.Memory):
    """What the planted strategies remember."""

    seen: int
    boldness: int
    risk: float


def checked(player: Any, tables: Sequence[hl.Rules] = TABLES, **how: Any) -> CheckReport:
    return hl.check(player, rules=tables, games=3, compared=2, seconds=None, baselines=(), **how)


def failure(report: CheckReport) -> tuple[str, str]:
    """Return the first question that was failed, and why."""
    assert not report.trusted, str(report)
    return report.failures[0].name, report.failures[0].detail


def by_view(view: ha.View, memory: ha.Memory) -> int:
    """Take a legal action that depends on the cards in sight."""
    others = sum(hand for player, hand in enumerate(view.hands) if player != view.observer)
    return nth_legal(view, others % count_legal(view))


@ha.kernel
def first(view: ha.View, memory: ha.Memory) -> int:
    """Take the first legal action."""
    return nth_legal(view, 0)


@ha.kernel
def second(view: ha.View, memory: ha.Memory) -> int:
    """Take the second legal action."""
    return nth_legal(view, 1)


class TestFaults:
    def test_one_that_differs_compiled(self) -> None:
        """Interpreted it is another function: no kernel is accepted that differs by itself."""
        tested = StrategyUnderTest(ha.Strategy("first", first), 0, True, True, 60)
        tested.monitor = Monitor(ha.Strategy("second", second), 60)
        with pytest.raises(CheckFailedError, match="interpreted and") as failed:
            tested.play_rules(TABLES[0], games=2, compared=1, until=0)
        assert failed.value.check_name == "equal"

    def test_an_honest_one_is_trusted(self) -> None:
        report = checked(ha.Strategy("honest", by_view))
        assert report.trusted, str(report)
        assert report.warnings == ()
        unasked = {each.name for each in report.findings if each.passed is None}
        assert unasked == {"compiles", "equal"}

    def test_an_illegal_action(self) -> None:
        name, why = failure(checked(ha.Strategy("illegal", lambda view, memory: 0)))
        assert name == "plays"
        assert "chose action 0 in turn 1 of game 0 of seed 0, which is not legal" in why

    def test_an_exception(self) -> None:
        def raising(view: ha.View, memory: ha.Memory) -> int:
            return 1 // (view.turn - 2) and by_view(view, memory)

        name, why = failure(checked(ha.Strategy("raising", raising)))
        assert name == "plays"
        assert "division" in why

    def test_chance_from_elsewhere(self) -> None:
        rng = random.Random(1)

        def dicing(view: ha.View, memory: ha.Memory) -> int:
            return rng.choice(legal_actions(view))

        name, why = failure(checked(ha.Strategy("dicing", dicing)))
        assert name == "repeats"
        assert "in turn 1 of game 0, seed 0, 2 players, classic rules; see it with  hl.play(" in why

    def test_writing_to_the_view(self) -> None:
        def vandal(view: ha.View, memory: ha.Memory) -> int:
            action = first(view, memory)
            view.possible[0][0] = 0
            return action

        name, why = failure(checked(ha.Strategy("vandal", vandal)))
        assert name == "view"
        assert "act writes to view.possible in turn 1, player 0" in why

    def test_writing_to_an_event(self) -> None:
        def seeing(view: ha.View, event: ha.Event, memory: ha.Memory) -> None:
            event.card = 0

        name, why = failure(checked(ha.Strategy("seeing", by_view, seeing)))
        assert (name, why.partition(" in ")[0]) == ("view", "observe writes to event.card")

    def test_an_undeclared_field(self) -> None:
        def noting(view: ha.View, memory: Any) -> int:
            memory.mine = 1
            return by_view(view, memory)

        name, why = failure(checked(ha.Strategy("noting", noting)))
        assert name in ("view", "plays")
        assert "mine" in why

    def test_cards_told_through_a_global(self) -> None:
        """Each player writes down what it sees, turn by turn, and the next one reads it."""
        sights: dict[int, tuple[int, ...]] = {}

        def telling(view: ha.View, memory: ha.Memory) -> int:
            sights[view.turn] = tuple(view.hands)
            mine = sights[view.turn - 1][view.observer] if view.turn else 0
            return nth_legal(view, card_in(mine, 0) % count_legal(view))

        name, why = failure(checked(ha.Strategy("telling", telling)))
        assert name == "blind"
        assert "when it holds other cards that fit all it was told" in why

    def test_a_count_of_all_seats(self) -> None:
        class Team:
            calls = 0

        def counting(view: ha.View, memory: ha.Memory) -> int:
            Team.calls = Team.calls + 1 if view.turn else 0
            return nth_legal(view, count_legal(view) - 1 - Team.calls % 3)

        report = checked(ha.Strategy("counting", counting))
        name, why = failure(report)
        assert (name, "beside the others" in why) == ("alone", True)
        (warning,) = report.warnings
        assert warning.startswith("Team around counting changed while it played")

    def test_what_is_left_of_earlier_games(self) -> None:
        games: list[int] = []

        def begin(view: ha.View, memory: Notes) -> int:
            games.append(1)
            return 0

        def learning(view: ha.View, memory: Notes) -> int:
            return nth_legal(view, len(games) // view.rules.players % count_legal(view))

        report = checked(ha.Strategy("learning", learning, None, begin, memory=Notes))
        assert failure(report)[0] == "repeats"
        assert "games around" in report.warnings[0]

    def test_a_harmless_table_of_its_own_is_a_warning(self) -> None:
        table: dict[int, int] = {}

        def caching(view: ha.View, memory: ha.Memory) -> int:
            return table.setdefault(view.playable, 0) + first(view, memory)

        report = checked(ha.Strategy("caching", caching))
        assert report.trusted, str(report)
        assert "table around caching" in report.warnings[0]

    def test_one_that_never_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(validation, "LIMIT", 0.2)

        def endless(view: ha.View, memory: ha.Memory) -> int:
            while view.turn == 1:
                time.sleep(0.01)
            return first(view, memory)

        name, why = failure(checked(ha.Strategy("endless", endless)))
        assert (name, why) == ("ends", "no answer after 0 seconds in turn 2, player 1")

    def test_refusing_everything(self) -> None:
        picky = ha.Strategy(
            "picky",
            first,
            support=ha.RuleSupport(unsupported_reason=lambda rules: "it does not feel like it"),
        )
        report = checked(picky)
        assert failure(report) == ("plays", "it refuses all rules that were tried")
        assert {table.refused for table in report.tested_rules} == {"it does not feel like it"}

    def test_people_are_not_checked(self) -> None:
        with pytest.raises(hl.HanabiError, match="human"):
            hl.check("human")


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"boldness": ha.Option(default=7, most=5, help="")}, "its own default is refused"),
            ({"courage": ha.Option(default=1, most=5, help="")}, "write courage: int in Notes"),
            ({"boldness": ha.Option(default=0.5, help="")}, "write boldness: float in Notes"),
            ({"risk": ha.Option(default=1, most=5, help="")}, "write risk: int in Notes"),
        ],
    )
    def test_wrong_declarations(self, options: dict[str, ha.Option], said: str) -> None:
        strategy = ha.Strategy("odd", first, memory=Notes, options=options)
        name, why = failure(checked(strategy))
        assert name == "options"
        assert said in why

    def test_values_that_should_be_refused(self) -> None:
        class Lenient(ha.Option):
            def read(self, name: str, value: object) -> Any:
                return value if isinstance(value, int) else super().read(name, value)

        options = {"boldness": Lenient(default=1, most=5, help="")}
        strategy = ha.Strategy("lenient", first, memory=Notes, options=options)
        assert failure(checked(strategy)) == ("options", "boldness=-1 is accepted")

    def test_each_end_is_played(self) -> None:
        def act(view: ha.View, memory: Notes) -> int:
            return first(view, memory) if memory.boldness < 5 else -1

        options = {"boldness": ha.Option(default=1, most=5, help="")}
        strategy = ha.Strategy("edgy", act, memory=Notes, options=options)
        name, why = failure(checked(strategy))
        assert name == "plays"
        assert "chose action -1" in why


FILE = '''
import os
import hanabilab.author as ha
from hanabilab.game import nth_legal

@ha.kernel
def act(view: ha.View, memory: ha.Memory) -> int:
    """Take the first legal action."""
    return nth_legal(view, 0)

@ha.kernel
def wrapping(view: ha.View, memory: ha.Memory) -> int:
    """Exceed the range of compiled integers."""
    return nth_legal(view, ((view.turn + 1) << 62) * 4 > 0)

@ha.kernel
def unknown(view: ha.View, memory: ha.Memory) -> int:
    return view.tokens

def elsewhere(observation, legal_moves):
    return legal_moves[0 if os.environ.get("PYTHONHASHSEED") == "123" else -1]
'''


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "mine.py").write_text(FILE)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(validation, "PRESETS", {"classic": hl.game.PRESETS["classic"]})
        monkeypatch.setattr(validation, "BASELINES", ("random",))

    def test_a_kernel_that_can_be_trusted(self, command: Callable[..., Answer]) -> None:
        code, out, err = command("check", "mine.py:act", "--games", "20", "--compared", "1")
        assert code == 0, err
        assert "ok  compiles" in out
        assert "5 games compared action by action" in out
        assert "each player of a game asked alone, and in a process of its own" in out
        assert "classic  2 3 4 5 6    100         5" in out
        assert "games each, rules classic, seed 0" in out
        assert "\nrandom  " in out
        assert out.splitlines()[-1].startswith("mine.py:act: trusted (")

    def test_one_that_overflows(self, command: Callable[..., Answer]) -> None:
        code, out, _ = command("check", "mine.py:wrapping", "--compared", "1", "--json")
        report = json.loads(out)
        (failed,) = [each for each in report["checks"] if each["passed"] is False]
        assert (code, report["trusted"], failed["name"]) == (1, False, "plays")
        assert "63 bits" in failed["detail"]
        assert report["strategy"] == "mine.py:wrapping"
        assert report["tables"] == [] or report["tables"][0]["games"] == 100

    def test_one_that_does_not_compile(self, command: Callable[..., Answer]) -> None:
        code, out, _ = command("check", "mine.py:unknown", "--compared", "1", "--json")
        failed = [each for each in json.loads(out)["checks"] if each["passed"] is False]
        assert (code, failed[0]["name"]) == (1, "compiles")
        assert "tokens" in failed[0]["detail"]

    def test_one_that_is_another_in_another_process(self) -> None:
        tested = StrategyUnderTest(load_player("mine.py:elsewhere"), 0, False, True, 60)
        with pytest.raises(
            CheckFailedError, match=r"beside the others and .* --players 2 --seed 0 --game 0"
        ):
            tested.check_isolation(TABLES[0])

    @pytest.mark.parametrize(
        "line",
        [
            ("nobody",),
            ("mine.py:nobody",),
            ("random", "--games", "0"),
            ("random", "--compared", "0"),
            ("random", "--seconds", "nan"),
            ("random", "--seed", "-1"),
            ("random", "iggi"),
        ],
    )
    def test_bad_input(self, line: tuple[str, ...], command: Callable[..., Answer]) -> None:
        code, out, err = command("check", *line)
        assert (code, out, err.count("\n")) == (2, "", 1)
