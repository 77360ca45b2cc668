"""Explain why a search acted as it did: what it compared, in which worlds, at what gain."""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.strategies.explain import Telling, facts
from hanabilab.strategies.search.mind import Mind
from hanabilab.strategies.search.race import BLUEPRINT, error, lead

__all__ = ["SearchExplanation"]


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """The sentence that explains a search over a blueprint, from what the search wrote down.

    Every number depends on the hands in sight, and so does whether the blueprint was followed: a
    reader at the table learns only what was done.
    """

    blueprint: str

    def __call__(self, telling: Telling) -> str:
        if telling.reader is not None:
            return telling.because("the best it could imagine", facts(telling))
        mind: Mind = telling.memory
        reason = f"as {self.blueprint} does"
        if mind.best != BLUEPRINT:
            reason = self.gained(telling, mind)
        elif mind.imagined:
            others = mind.outlook.count - 1
            compared = f"{others} other action{'s' * (others > 1)} compared"
            reason += f", {compared} in {mind.imagined:,} imagined worlds"
        return telling.because(reason, facts(telling))

    def gained(self, telling: Telling, mind: Mind) -> str:
        """Say how much better the action did than the blueprint's."""
        gain = f"{lead(mind, mind.best):.3f} ± {error(mind, mind.best):.3f}"
        action = mind.outlook.actions[BLUEPRINT]
        base = Telling.of(telling.view, mind, action, None, telling.labels).headline
        worlds = f"{mind.imagined:,} imagined worlds"
        return f"gains {gain} points in {worlds} over what {self.blueprint} does ({base})"
