"""The errata: their commands work, and their numbers are right."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

from hanabilab import theory
from hanabilab.table.game import Game

Command = Callable[..., tuple[int, str, str]]
DOCS = Path(__file__).parents[2] / "docs"
OURS = r"hanabilab (?:count|sequence|pace)\b[^`]*"


def test_commands_of_the_errata(command: Command) -> None:
    lines = re.findall(f"`({OURS})`", (DOCS / "results" / "errata.md").read_text("utf-8"))
    assert len(lines) >= 10
    for line in lines:
        code, out, err = command(*shlex.split(line)[1:])
        assert (code, err) == (0, ""), line
        assert out


def test_numbers_of_the_errata() -> None:
    """The numbers of the column "right" are recomputed."""
    best = {
        hand: max(found.values(), key=lambda count: count.fraction).suits[0]
        for hand in (1, 2, 3)
        for found in [theory.playable_by_composition(10, 5, hand)]
    }
    assert best == {1: (2, 2, 2, 2, 2), 2: (2, 2, 2, 2, 2), 3: (3, 2, 2, 2, 1)}
    assert theory.playable(1, 2, 1, 4, 2) == theory.playable(1, 1, 2, 2, 4) == 2114
    assert theory.playable(1, 2, 2, 3, 2, hand=2) == 28384
    assert 28384 * 100_000 < 75600 * 37545
    assert theory.psi(2, 3, 1) == 34
    assert theory.selections(4, 2, 1, 0) == 5
    assert min(row.p_value for row in theory.fit_table_5_1()[0]) > 0.038


def test_a_game_without_hint_tokens() -> None:
    """As docs/reference/rules.md says: discards are always allowed, and there are no hints."""
    for preset in ("classic", "cox"):  # with all tokens the one forbids discards
        game = Game(preset, players=2, seed=1, hint_tokens=0)
        for _ in range(2):
            types = {action.type for action in game.legal_actions()}
            assert types == {"play", "discard"}
            game.act("discard 0")
            assert game.hint_tokens == 0
