"""Beyond the papers: what was found can be played, looked for again, and read in the report."""

from __future__ import annotations

import shlex

import pytest

from hanabilab.cli import build_parser
from hanabilab.papers import beyond
from hanabilab.papers.beyond import FOUND, Found, beyond_section, optima, variations
from hanabilab.papers.laboratory import Laboratory, Size
from hanabilab.papers.reproduction import Reproduction
from hanabilab.strategies import find_strategy


@pytest.fixture
def laboratory(monkeypatch: pytest.MonkeyPatch) -> Laboratory:
    """One in which nobody plays long."""
    few = Size(quick=(4, 1), full=(8, 1))
    monkeypatch.setattr(beyond, "SIZES", dict.fromkeys(beyond.SIZES, few))
    monkeypatch.setattr(beyond, "OTHERS", ("piers",))
    return Laboratory(seed=3)


def test_all_criteria_numbers_of_players_and_readings_are_there() -> None:
    plain = {(f.objective, f.rules, f.players) for f in FOUND if not f.changes}
    for players in (2, 3, 4, 5):
        assert ("score", "thesis", players) in plain
        assert ("score", "thesis-program", players) in plain
        assert ("perfect", "thesis", players) in plain
    changed = {change for found in FOUND for change in found.changes}
    assert {("hint_tokens", 4), ("hint_tokens", 12), ("lives", 1), ("lives", 5)} <= changed
    assert max(found.players for found in FOUND) == 6


@pytest.mark.parametrize("found", FOUND, ids=str)
def test_what_was_found_can_be_looked_for_again(found: Found) -> None:
    arguments = build_parser().parse_args(shlex.split(found.command)[1:])
    assert arguments.players == found.players
    assert arguments.objective == found.objective
    ours, thesis = find_strategy(found.strategy), find_strategy(found.thesis)
    assert ours.chosen.items() >= thesis.chosen.items()
    assert ours.option("reading") == thesis.option("reading")


def test_figures_are_played_not_kept(laboratory: Laboratory) -> None:
    rows = optima(laboratory, "score") + optima(laboratory, "perfect")
    assert len(rows) == len([found for found in FOUND if not found.changes])
    for row in rows:
        assert row.ours.tally.decks == row.thesis.tally.decks == 4
        assert row.ours.match.strategy == row.found.strategy
        assert row.ours.tally.total > 0
    same = [row for row in rows if not row.found.options]
    assert all(row.ours.tally == row.thesis.tally for row in same)


def test_other_rules_are_really_played(laboratory: Laboratory) -> None:
    rows = {(row.found.players, row.found.changes): row for row in variations(laboratory)}
    usual = rows[3, ()].played["piers"]
    for change in (("hint_tokens", 4), ("lives", 1)):
        played = rows[3, (change,)].played["piers"]
        assert played
        assert usual
        assert played.tally != usual.tally
        assert f"--rule {change[0].replace('_', '-')}={change[1]}" in played.command
    assert len(rows) == 9


@pytest.mark.usefixtures("laboratory")
def test_the_report_has_the_section_with_the_whole_thesis() -> None:
    for seed in (0, 1):
        whole = Reproduction("all", None, "quick", seed, (), 0.0, Laboratory(seed=seed))
        section = beyond_section(whole)
        assert section
        for found in FOUND[:8]:
            assert found.command in section.html
        assert "seed 2" in section.html  # seed 1 has the decks of the searches
    for paper, only in (("cox", None), ("all", "thesis.B1"), ("thesis", "thesis.B1")):
        part = Reproduction(paper, only, "quick", 1, (), 0.0, Laboratory())
        assert beyond_section(part) is None
