"""A switch that a component does not know is rejected by name, never taken for off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.errors import HanabiError, RulesError
from hanabilab.formats.deck_text import pace_numbers
from hanabilab.formats.hanablive.writer import unsupported_rules
from hanabilab.formats.protocol import rules_dict
from hanabilab.game import rules_record as records
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules import SIZES, SWITCHES, Rules, switch_set
from hanabilab.game.rules_record import nonstandard_switches, rules_of, rules_record
from hanabilab.game.state import initial_state
from hanabilab.solver.kernels.node import problem_of
from hanabilab.solver.position import Position
from hanabilab.solver.proofs import find_loss
from hanabilab.solver.sat_encoding import Encoding
from hanabilab.solver.solve import ExactSearch
from hanabilab.strategies import STRATEGIES

NEW = "a_new_switch"
CLASSIC = hl.preset("classic", 2)


@pytest.fixture
def new_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all rules have a switch on that was added after every component was written."""
    plain = Rules.nonstandard.fget  # type: ignore[attr-defined]  # a property
    monkeypatch.setitem(Rules.about, NEW, "what the new switch does")
    monkeypatch.setattr(records, "SWITCHES", (*SWITCHES, NEW))
    monkeypatch.setattr(Rules, "nonstandard", property(lambda rules: [*plain(rules), NEW]))


def start() -> Position:
    return Position.start(hl.Deck.shuffled(CLASSIC, seed=1))


def refuse_lost_rules() -> None:
    """Raise what a writer of hanab.live's format would lose."""
    if lost := unsupported_rules(CLASSIC, options=True):
        raise RulesError(", ".join(lost).replace("what the new switch does", NEW))


COMPONENTS: dict[str, Callable[[], Any]] = {
    "the solver's search": lambda: problem_of(start().state),
    "the exact search": lambda: ExactSearch(start()).run(),
    "a proof of loss": lambda: find_loss(start()),
    "the SAT encoding": lambda: Encoding(start(), 25),
    "solve": lambda: hl.solve(hl.Deck.shuffled(CLASSIC, seed=1)),
    "the theory of pace": lambda: pace_numbers(CLASSIC),
    "the protocol": lambda: rules_dict(CLASSIC),
    "observations": lambda: Encoder(CLASSIC),
    "hanab.live": refuse_lost_rules,
    **{
        name: lambda strategy=strategy: strategy.check(CLASSIC)  # type: ignore[misc]
        for name, strategy in STRATEGIES.items()
        if name not in ("random", "human")
    },
}


@pytest.mark.usefixtures("new_switch")
@pytest.mark.parametrize("component", COMPONENTS)
def test_a_new_switch_is_rejected_by_name(component: str) -> None:
    with pytest.raises(HanabiError, match=NEW):
        COMPONENTS[component]()


def test_random_players_and_people_play_by_any_rules() -> None:
    assert (
        {*STRATEGIES["random"].support.switches}
        == {*STRATEGIES["human"].support.switches}
        == {*SWITCHES}
    )


@pytest.mark.parametrize("component", [name for name in COMPONENTS if name not in STRATEGIES])
def test_plain_rules_are_accepted(component: str) -> None:
    COMPONENTS[component]()


def test_the_record_names_what_is_not_plain() -> None:
    rules = hl.preset("aspects", 3, first_player=2, touching=["plain"] * 4 + ["rainbow"], lives=5)
    expected = ["empty_hints", "token_for_suit", "touching", "first_player"]
    assert sorted(rules.nonstandard) == sorted(expected)
    assert nonstandard_switches(rules_record(rules)) == rules.nonstandard
    assert not CLASSIC.nonstandard


def test_every_field_is_a_size_or_a_switch() -> None:
    assert {*SIZES, *SWITCHES} == Rules.about.keys()


def test_unknown_names_are_no_switches() -> None:
    with pytest.raises(RulesError, match="unknown switches: fireworks, lives"):
        switch_set("lives open_game", "fireworks")


def test_the_record_survives_a_game() -> None:
    game = hl.Game(players=2, seed=1)
    record = initial_state(game.rules).rules
    while not game.is_over:
        game.act("play 0")
    assert game.state.rules == record
    assert rules_of(game.state.rules) == game.rules
