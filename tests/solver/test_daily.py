"""The deck and the puzzle of the day: fixed by the date, on any machine and at any speed."""

from __future__ import annotations

import datetime
import hashlib
import json

import pytest

from hanabilab import Deck, preset, solve
from hanabilab.errors import FormatError
from hanabilab.lab.daily import daily_deck, daily_puzzle, daily_seed, read_date
from hanabilab.solver import decide
from tests.test_malformed import Command

DIGESTS = {"2026-11-17": "266e", "2026-11-18": "0ae5", "2028-02-29": "4257"}
"""The beginning of the SHA-256 of the deck of some days, which may never change."""


@pytest.mark.parametrize("date", DIGESTS)
def test_the_deck_depends_on_the_date_alone(date: str) -> None:
    found = daily_deck(date)
    assert hashlib.sha256(str(found.deck).encode()).hexdigest()[:4] == DIGESTS[date]
    assert found.seed == int(date.replace("-", ""))
    assert found.deck == Deck.shuffled(preset("classic", 3), seed=found.seed)
    assert found.par == solve(found.deck, best=True).best


def test_the_puzzle_of_the_day_has_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any time the same puzzle is found; its line wins and begins with the answer."""
    monkeypatch.setattr(decide, "time_left", lambda deadline: None if deadline is None else 0.0)
    puzzle = daily_puzzle("2026-11-18")
    assert (puzzle.number, puzzle.game.turn, puzzle.answer.words) == (2, 44, "play w2")
    assert puzzle.line[0] == puzzle.answer.action
    game = puzzle.game.copy()
    for action in puzzle.line:
        game.act(action)
    assert game.end == "perfect"
    assert len(puzzle.line) == 6


def test_dates_are_read_in_utc() -> None:
    now = datetime.datetime.now(datetime.UTC).date()
    assert read_date() in (now, datetime.datetime.now(datetime.UTC).date())
    assert daily_seed(datetime.date(2026, 1, 2)) == daily_seed("2026-01-02") == 20260102
    for wrong in ("17.11.2026", "2026-11-31", "tomorrow", "0026-11-17", "2026-11-17T00"):
        with pytest.raises(FormatError, match="is not a date such as"):
            read_date(wrong)


def test_the_commands(command: Command) -> None:
    code, out, _ = command("puzzle", "--daily", "2026-11-18", "--json")
    assert code == 0
    assert json.loads(out)["solution_turns"] == 6
    code, out, _ = command("solve", "--daily", "2026-11-18", "--json")
    assert (code, len(json.loads(out)["actions"])) == (0, 46)
    for options, message in (
        (("--daily", "18.11.2026"), "is not a date such as 2026-11-17"),
        (("--daily", "--seed", "3"), "--daily: not together with --seed"),
    ):
        code, _, problem = command("play", "random", *options)
        assert code == 2
        assert message in problem
        assert problem.count("\n") == 1
