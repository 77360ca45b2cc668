"""Strategies that import from `hanabilab.author` alone, named in Python as on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hanabilab as hl
from hanabilab.core.kernel import KERNELS
from hanabilab.errors import StrategyError

ROOT = Path(__file__).resolve().parents[1]

FILE = '''
from hanabilab.author import *


class Notes(Memory):
    risk: float
    turns: int
    seen: list[int] = ints(10)
    known: Knowledge = nested(Knowledge)


@kernel
def act(view: View, memory: Notes) -> int:
    """Use every helper that an author is offered."""
    me = view.observer
    from_seat(memory.known, view)
    memory.turns += popcount(view.playable) + best_score(view) + pace(view)
    for slot in range(view.hand_count[me]):
        mine = view.possible[me][slot]
        if is_single(mine) and view.playable >> lowest(mine) & 1:
            return play_slot(view, slot)
        if probability(memory.known, me, slot, view.playable) > 1 - memory.risk:
            return play_slot(view, slot)
    target = (me + 1) % view.rules.players
    if view.hint_tokens > 0 and view.hand_count[target] > 0 and chance(memory) < 0.7:
        card = card_in(view.hands[target], below(memory, view.hand_count[target]))
        if view.playable >> card & 1 and not rank_cards(view, rank_of(view, card)) & view.dead:
            return rank_hint(view, target, rank_of(view, card))
        if suit_cards(view, view.rules.suit_of[card]) & view.playable:
            return suit_hint(view, target, view.rules.suit_of[card])
    if can_discard(view):
        return discard_slot(view, 0)
    return nth_legal(view, count_legal(view) - 1)


@kernel
def observe(view: View, event: Event, memory: Notes) -> None:
    """Count hints."""
    if event.kind == HINT_RANK or event.kind == HINT_SUIT:
        memory.seen[event.target] += 1


def explain(context: ExplanationContext) -> str:
    return context.because("it felt like it")


risk = Option(default=0.2, least=0.0, most=1.0, help="how likely a misplay may be")
careful = Strategy(
    "careful", act, observe, memory=Notes, options={"risk": risk}, about=About(explain=explain),
    observed_kinds=HINT_KINDS,
)
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mine.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return "mine.py:careful"


RUN = {"players": 3, "games": 20, "seed": 1, "threads": 1}


def test_python_takes_files_and_options_as_commands_do(mine: str) -> None:
    assert hl.find_strategy(f"{mine}:risk=0.5").label == "mine.py:careful:risk=0.5"
    deck = hl.Deck.shuffled(players=3, seed=1)
    compiled, interpreted = (hl.play(mine, deck, compiled=choice) for choice in (True, False))
    assert compiled.actions == interpreted.actions
    assert hl.play([mine, "piers", f"{mine}:risk=0"], deck).turn > 0
    result = hl.simulate(mine, players=3, games=20, seed=1, threads=1)
    assert result.strategy == "mine.py:careful"
    comparison = hl.compare([mine, f"{mine}:risk=0"], players=3, games=20, seed=1, threads=1)
    assert comparison.results[0].histogram == result.histogram
    swept = hl.sweep(mine, players=3, games=20, seed=1, threads=1, vary={"risk": [0.0, 0.2]})
    assert swept.cells[1].histogram == result.histogram
    crossed = hl.crossplay([mine, "iggi"], players=3, games=6, seed=1, threads=1)
    assert crossed.strategies == ("mine.py:careful", "iggi")


def test_a_check_finds_nothing_wrong(mine: str) -> None:
    report = hl.check(mine, rules=[hl.preset("classic", 2)], games=5, compared=2, baselines=())
    assert report.trusted, str(report)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mine.py", "which player"),
        ("mine.py:nobody", "nobody"),
        ("none.py:careful", "none.py"),
        ("mine.py:careful:risk=2", "risk"),
    ],
)
def test_a_wrong_name_is_refused_in_python_too(mine: str, text: str, said: str) -> None:
    with pytest.raises(StrategyError, match=said):
        hl.simulate(text, players=3, games=1)


def test_all_kernels_of_the_game_are_offered() -> None:
    """Nothing that `hanabilab.game` exports for kernels is missing."""
    kernels = {
        name
        for name in hl.game.__all__
        if callable(value := getattr(hl.game, name)) and value in KERNELS
    }
    assert len(kernels) > 20
    assert kernels <= set(hl.author.__all__)


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/how-to/writing-strategies.md", "docs/tutorials/write-and-tune.ipynb"],
)
def test_pages_for_authors_import_from_one_module(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    used = set(re.findall(r"\bfrom (hanabilab[\w.]*) import", text))
    assert "hanabilab.author" in used
    assert used <= {"hanabilab", "hanabilab.author", "hanabilab.envs"}
