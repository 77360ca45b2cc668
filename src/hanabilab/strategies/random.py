"""A player who acts at random (van den Bergh 2015, Example 2.18)."""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import count_legal, random_action
from hanabilab.game.rules import SWITCHES
from hanabilab.game.state import View
from hanabilab.strategies.explain import ExplanationContext
from hanabilab.strategies.strategy import About, Memory, RuleSupport, Strategy

__all__ = ["RANDOM"]


@kernel
def act(view: View, memory: Memory) -> int:
    """Choose any legal action, each equally likely.

    **Departures.** The example draws from all actions; here the draw is from the legal ones.
    """
    return random_action(view, memory)


def explain(context: ExplanationContext) -> str:
    """Count the legal actions, unless that would tell readers about their own cards."""
    if context.reader is not None:
        return context.because("a random choice")
    return context.because(f"a random choice from {count_legal(context.view)} legal actions")


RANDOM = Strategy(
    "random",
    act,
    support=RuleSupport(special_hints=True, home="thesis", switches=SWITCHES),
    about=About(source="van den Bergh 2015, Example 2.18", explain=explain),
)
