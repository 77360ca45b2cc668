"""Section 2 of Aspects: hints, stacks and scores of the rules, played."""

from __future__ import annotations

from collections.abc import Iterator

from hanabilab.game.rules import preset
from hanabilab.game.turn import final_score
from hanabilab.papers.arranged_games import arranged, names, slots, table_with
from hanabilab.papers.items import Exact, exact

__all__ = ["section_2"]

ASPECTS = preset("aspects", 3)


def section_2() -> Iterator[Exact]:
    """Yield the examples of section 2."""
    for name, hint, touched in (
        ("ones", "hint 1 1", "2 3"),
        ("red", "hint 1 r", "1 4"),
        ("five", "hint 1 5", "5"),
        ("blue", "hint 1 b", "3 5"),
        ("green", "hint 1 g", "none"),
    ):
        place = f"section 2, (R3, W1, B1, R4, B5): cards that a hint on {name} indicates"
        yield exact(f"aspects.2.hint.{name}", place, touched, _touched, hint)
    for name, kind, printed in (
        ("playable", "playable", "r3 y1 g2 b1 w4"),
        ("score", "score", 6),
    ):
        place = f"section 2, stacks R2, G1, W3: {name}"
        yield exact(f"aspects.2.stacks.{name}", place, printed, _stacks, kind)


def _touched(hint: str) -> str:
    return slots(arranged("aspects", "y1 y2 y3 y4 y5 r3 w1 b1 r4 b5").act(hint))


def _stacks(kind: str) -> str | int:
    state = table_with(ASPECTS, ["", "", ""], "r2 g1 w3")
    return int(final_score(state)) if kind == "score" else names(state.playable, ASPECTS)
