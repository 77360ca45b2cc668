"""Why it does what it does, in words."""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.formats.describe import join_words
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.cards import weight
from hanabilab.strategies.cheat import NONE
from hanabilab.strategies.explain import Telling, cards_in_words, of_discard, of_play
from hanabilab.strategies.information.hats import read_hand, targeted
from hanabilab.strategies.information.private import held_by_others, look_around
from hanabilab.strategies.information.tables import InformationNotes
from hanabilab.strategies.shared.hat_guessing import PROGRAM, reduce_sum, told_sum
from hanabilab.strategies.shared.hint_sets import hint_set

__all__ = ["explain"]


def explain(telling: Telling) -> str:
    """Say what it knows about the card, or what its hint tells whom."""
    view, event = telling.view, telling.event
    memory: InformationNotes = telling.memory
    if event.kind not in (PLAY, DISCARD):
        said = [f"{telling.name(player)} that {told}" for player, told in meanings(telling).items()]
        return f"hint sum {told_sum(view, event)}: tells {join_words(said)}"
    look_around(telling.shared, memory)
    known = memory.private[event.slot]
    if event.kind == PLAY:
        if known & ~view.playable:  # it takes the reader's cards to know
            return telling.because("certainly playable, given the cards that it sees")
        return telling.because(of_play(telling, known, 1.0))
    if memory.reading == PROGRAM:
        known = memory.public[view.observer][event.slot]
    copies = weight(memory.unseen, view.rules.planes, known)
    dead, critical = (
        weight(memory.unseen, view.rules.planes, known & cards) / max(copies, 1)
        for cards in (view.dead, view.critical)
    )
    single = memory.reading != PROGRAM and is_single(known)
    if single and known & held_by_others(telling.shared) & ~view.dead:
        return telling.because(f"someone else holds a {cards_in_words(view, known)} too")
    return telling.because(of_discard(telling, known, dead, critical))


def meanings(telling: Telling) -> dict[int, str]:
    """Say what a hint tells each player; a reader's own part is what remains of the sum."""
    view, event = telling.view, telling.event
    memory: InformationNotes = telling.memory
    rest = told_sum(view, event)
    values = {}
    for offset in range(1, view.rules.players):
        player = (event.player + offset) % view.rules.players
        values[player] = 0
        if player != telling.reader:
            values[player] = read_hand(view, player, memory)
            rest -= values[player]
    if telling.reader is not None:
        values[telling.reader] = reduce_sum(view, rest)
    return {player: meaning(telling, player, value) for player, value in values.items()}


def meaning(telling: Telling, player: int, value: int) -> str:
    """Say what a value means for a player's targeted card."""
    view = telling.view
    memory: InformationNotes = telling.memory
    slot = targeted(view, player, memory)
    if slot == NONE:
        return "every card is known"
    cards = hint_set(view, memory.public[player][slot], value)
    news = cards_in_words(view, cards) or "as unknown as before"
    if cards and cards & ~view.played == 0:
        news = "dead"
    return f"slot {telling.slot(player, slot)} is {news}"
