"""Referential Sieve."""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.strategies.sieve.decision import decide
from hanabilab.strategies.sieve.memory import HAND_PAIR, SieveMemory
from hanabilab.strategies.sieve.reading import read_hint
from hanabilab.strategies.sieve.tables import reset_table
from hanabilab.strategies.sieve.turns import read_card
from hanabilab.strategies.strategy import (
    About,
    Option,
    RuleSupport,
    Strategy,
)

__all__ = ["SIEVE"]

HIGHEST_LEVEL = 7


@kernel
def begin(view: View, memory: SieveMemory) -> int:
    """Open the table."""
    reset_table(view, memory.table, memory.level)
    return 0


@kernel
def observe(view: View, event: Event, memory: SieveMemory) -> None:
    """Read an action as both players do."""
    table = memory.table
    if event.kind == PLAY or event.kind == DISCARD:
        read_card(view, table, event.player, event.kind, event.slot, event.card, event.drew)
    else:
        memory.meaning = read_hint(
            view, table, event.player, event.kind, event.value, event.touched
        )
    table.tokens, table.lives, table.pile = view.hint_tokens, view.lives, view.draw_pile


@kernel
def act(view: View, memory: SieveMemory) -> int:
    """Point at the card beside the touched one: suits say play, ranks say discard."""
    return decide(view, memory)


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players != HAND_PAIR:
        return f"this convention is for two players, not {rules.players}"
    return "an open game has no hints" if rules.open_game else None


SIEVE = Strategy(
    "sieve",
    act,
    observe,
    begin,
    SieveMemory,
    options={
        "level": Option(default=7, least=1, most=HIGHEST_LEVEL, help="levels to follow"),
        "end_lines": Option(default=8, least=-1, most=8, help="cards to draw"),
    },
    support=RuleSupport(unsupported_reason, home="hle"),
    about=About(source="Referential Sieve, a community convention"),
)
