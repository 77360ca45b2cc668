"""A person at the terminal, together with any other players.

Events are printed turn by turn. On the person's turn, the board is printed as this player sees it,
and an action is read: ``play 0``, ``discard 2``, ``hint 1 r``, ``hint 1 3``, ``pass``. After an
answer that is not a legal action, the question is repeated. The conversation goes to standard
error, so that standard output belongs to the command that runs the game.

This is plain Python and runs interpreted only.
"""

from __future__ import annotations

import sys

from hanabilab.core.bits import members
from hanabilab.errors import StrategyError
from hanabilab.formats.board_text import board_lines, legal_texts, player_name
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event, effect_of
from hanabilab.game.cards import HIDDEN
from hanabilab.game.rules import SWITCHES
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import View
from hanabilab.strategies.explain import ExplanationContext
from hanabilab.strategies.strategy import About, Memory, RuleSupport, Strategy

__all__ = ["HUMAN"]


def act(view: View, memory: Memory) -> int:
    """Ask a person at the terminal."""
    legal = legal_texts(view)
    for line in ["", *board_lines(view)]:
        say(line)
    while True:
        print("> ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if not answer:
            raise StrategyError("human: the input ended before the game did")
        said = " ".join(answer.split())
        if said in legal:
            return legal[said]
        say(f"{said!r} is not one of these; try for example {next(iter(legal))!r}")


def observe(view: View, event: Event, memory: Memory) -> None:
    """Report a turn."""
    names = names_of_cards(view.rules)
    who = player_name(view, event.player)
    if event.kind in (PLAY, DISCARD):
        card = "a card" if event.card == HIDDEN else names.card(event.card)
        gone = effect_of(event, view.rules) == DISCARD
        hidden = event.card == HIDDEN
        what = "discarded" if gone else "played" if event.lit or hidden else "misplayed"
        say(f"{who} {what} {card} (slot {event.slot})")
    elif event.kind == PASS:
        say(f"{who} passed")
    else:
        suit = event.kind == HINT_SUIT
        told = names.hint_letters[event.value] if suit and event.value < HIDDEN else ""
        told = told or ("a secret" if event.value == HIDDEN else str(event.value))
        slots = " ".join(map(str, members(event.touched)))
        touched = f"slots {slots}" if slots else "no card"
        say(f"{who} told {player_name(view, event.target)}: {told} ({touched})")


def say(text: str) -> None:
    """Print a line for the person."""
    print(text, file=sys.stderr, flush=True)


def explain(context: ExplanationContext) -> str:
    """State that a person chose: people keep their reasons to themselves."""
    return context.because("a person chose it")


HUMAN = Strategy(
    "human",
    act,
    observe,
    support=RuleSupport(special_hints=True, switches=SWITCHES),
    about=About(source="you", explain=explain),
)
