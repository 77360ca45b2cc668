"""A person at the terminal, together with any other players.

What happens is reported turn by turn; on the person's turn the table is shown as this player sees
it, and an action is read: ``play 0``, ``discard 2``, ``hint 1 r``, ``hint 1 3``, ``pass``. After an
answer that is not a legal action, the question is repeated. The conversation goes to standard
error, so that standard output stays with the command that runs the game.

This is plain Python and runs interpreted only.
"""

from __future__ import annotations

import sys

from hanabilab.core.bits import members
from hanabilab.errors import StrategyError
from hanabilab.formats.action import Action
from hanabilab.formats.words import discards, fireworks, hand_names
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event, legal_actions
from hanabilab.game.names import card_name, unpack_letters
from hanabilab.game.view import View
from hanabilab.strategies.shared.explain import Telling
from hanabilab.strategies.strategy import Memory, Strategy

__all__ = ["HUMAN"]


def act(view: View, memory: Memory) -> int:
    """Ask a person at the terminal."""
    legal = {words(view, number): number for number in legal_actions(view)}
    for line in [*table(view), row("you can", choices(list(legal)))]:
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
    who = name(view, event.player)
    if event.kind in (PLAY, DISCARD):
        card = card_name(event.card, view.ranks, letters(view))
        what = "discarded" if event.kind == DISCARD else "played" if event.lit else "misplayed"
        say(f"{who} {what} {card} (slot {event.slot})")
    elif event.kind == PASS:
        say(f"{who} passed")
    else:
        told = letters(view)[event.value] if event.kind == HINT_SUIT else str(event.value)
        slots = " ".join(map(str, members(event.touched)))
        touched = f"slots {slots}" if slots else "no card"
        say(f"{who} told {name(view, event.target)}: {told} ({touched})")


def say(text: str) -> None:
    """Print a line for the person."""
    print(text, file=sys.stderr, flush=True)


def name(view: View, player: int) -> str:
    """Return the name by which the person knows a player."""
    return "you" if player == view.observer else f"player {player}"


def words(view: View, number: int) -> str:
    """Return an action as the person types it."""
    return Action.from_number(number, view).to_text(letters(view))


def choices(legal: list[str]) -> str:
    """Return all legal actions in one line: play 0 1 2, discard 0 1 2, hint 1 r y 3."""
    ends: dict[str, list[str]] = {}
    for action in legal:
        start, _, end = action.rpartition(" ")
        ends.setdefault(start, []).append(end)
    return ", ".join(f"{start} {' '.join(ends[start])}".strip() for start in ends)


def table(view: View) -> list[str]:
    """Return the table as this player sees it."""
    tokens = "unlimited" if view.unlimited_hints else view.hint_tokens
    lives = "unlimited" if view.unlimited_lives else view.lives
    counters = f"hint tokens {tokens}, lives {lives}, draw pile {view.draw_pile}"
    lines = [
        "",
        row("fireworks", f"{' '.join(fireworks(view))}   score {view.score}, {counters}"),
        row("discards", " ".join(discards(view)) or "none"),
    ]
    for offset in range(1, view.players + 1):
        player = (view.observer + offset) % view.players
        lines.append(row(name(view, player), "  ".join(hand_names(view, player))))
        slots = range(view.hand_count[player])
        told = "  ".join(f"{slot}: {known(view, player, slot)}" for slot in slots)
        lines.append(row("  may have", told))
    return lines


def row(title: str, text: str) -> str:
    """Return a line of the table."""
    return f"  {title:<10} {text}"


def letters(view: View) -> str:
    """Return the letters of the suits."""
    return unpack_letters(view.letters)


def known(view: View, player: int, slot: int) -> str:
    """Return the suits and ranks that the hints leave for a card."""
    cards = members(view.possible[player][slot])
    suits = sorted({card // view.ranks for card in cards})
    ranks = sorted({card % view.ranks + 1 for card in cards})
    return "".join(letters(view)[suit] for suit in suits) + "".join(map(str, ranks))


def explain(telling: Telling) -> str:
    """Say that a person chose: people keep their reasons to themselves."""
    return telling.because("a person chose it")


HUMAN = Strategy("human", act, observe, any_touching=True, source="you", explanation=explain)
