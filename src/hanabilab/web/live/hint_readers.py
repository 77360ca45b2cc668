"""What hints say to the people at a table, by the conventions that their partners keep.

Behind each person sits a reader for each level of `conventions` at the table. It follows the game
from that person's seat, so what it concludes depends on nothing that the person cannot see. Tables
without a partner who keeps the conventions have no readers, and nothing is said there.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.formats.describe import Labels
from hanabilab.game.actions import HINT_RANK, HINT_SUIT, Event
from hanabilab.game.state import State, View, view_of
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.conclusions import Conclusion, conclude
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.seats import Seat
from hanabilab.web.live.setup import Setup
from hanabilab.web.schema import JsonObject

__all__ = ["HintReaders"]


@dataclass(frozen=True, slots=True)
class Concluded:
    """A conclusion that a person has not acted on yet."""

    level: str
    """The label of the strategy by whose conventions it was drawn."""
    conclusion: Conclusion
    facts: JsonObject
    """The conclusion for the page."""


class HintReaders:
    """The readers behind all people at a table, and what they have concluded after each turn."""

    def __init__(self, setup: Setup, state: State) -> None:
        self.setup = setup
        self.readers = {
            (strategy.label, seat): Seat.in_game(strategy, seat, setup.seed, setup.game)
            for strategy in setup.strategies.values()
            for seat in setup.keys
            if strategy.name == CONVENTIONS.name
        }
        for reader in self.readers.values():
            reader.begin(state)
        self.turns: list[dict[int, list[Concluded]]] = []
        """For each turn, what each person has concluded since their last action."""

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        before = self.turns[-1] if self.turns else {}
        after: dict[int, list[Concluded]] = {}
        for (level, seat), reader in self.readers.items():
            reader.observe(state, event)
            waiting = [each for each in before.get(seat, []) if each.level == level]
            if seat != event.player and (waiting or event.kind in (HINT_SUIT, HINT_RANK)):
                after.setdefault(seat, []).extend(self._update(level, seat, state, event, waiting))
        self.turns.append(after)

    def _update(
        self, level: str, seat: int, state: State, event: Event, waiting: list[Concluded]
    ) -> list[Concluded]:
        """Return a person's conclusions after a turn of somebody else."""
        view, memory = view_of(state, seat), self.readers[level, seat].memory
        assert isinstance(memory, ConventionsMemory)
        kept = [each for each in waiting if each.conclusion.holds(view, memory)]
        giver = self.setup.strategies.get(event.player)
        found = conclude(view, memory, event) if giver and giver.label == level else None
        if found is None:
            return kept
        others = [each for each in kept if each.conclusion.slot != found.slot]
        return [*others, Concluded(level, found, self._facts(found, view, event))]

    def _facts(self, found: Conclusion, view: View, event: Event) -> JsonObject:
        labels = Labels.of(self.setup.names(view.observer))
        return {
            "advice": found.advice,
            "slot": found.slot,
            "words": found.text(labels, event, view.hand_count[view.observer]),
            "agreement": found.anchor,
            "turn": view.turn,
        }

    def conclusions_for(self, seat: int | None, turns: int) -> list[JsonObject]:
        """Return what a person has concluded after so many turns; spectators conclude nothing."""
        if seat is None or turns == 0:
            return []
        return [each.facts for each in self.turns[turns - 1].get(seat, [])]

    def conclusion_from(self, seat: int | None, turn: int) -> str | None:
        """Return what a person concluded from a turn, counted from 1, in words."""
        found = self.conclusions_for(seat, turn)
        return next((str(each["words"]) for each in found if each["turn"] == turn), None)
