"""What the conventions of the partners at a table say to people: about hints, and their own turns.

Behind each person sits a reader for each level of `conventions` at the table. It follows the game
from that person's seat, so what it concludes depends on nothing that the person cannot see. Tables
without a partner who keeps the conventions have no readers, and nothing is said there.

A partner who has seen a person break many conventions means hints to that person literally. The
reader keeps the same accounts, as far as the person can see, and then says so.

A judge behind each person names the conventions that this person breaks, as soon as that is known
to the person as well: right after the turn, or when a card is lost that should have been saved.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from hanabilab.formats.describe import Labels
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event
from hanabilab.game.state import State, View, view_of
from hanabilab.strategies.conventions.conclusions import (
    FINESSE,
    Conclusion,
    conclude,
    conclude_literally,
)
from hanabilab.strategies.conventions.judging import Breach, BreachFinder
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.trust import judge_action, judge_hint, trusts
from hanabilab.strategies.search import Search
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import NONE, Strategy
from hanabilab.web.catalog import agreed_level, conventions_of
from hanabilab.web.live.setup import Setup
from hanabilab.web.schema import JsonObject

__all__ = ["HintReaders"]


@dataclass(frozen=True, slots=True)
class Concluded:
    """A conclusion from a hint that a person has not acted on yet."""

    level: str
    """The label of the strategy by whose conventions it was drawn."""
    conclusion: Conclusion
    event: Event
    """The hint from which it was drawn."""
    facts: JsonObject
    """The conclusion for the page."""

    def after_own_turn(self, event: Event) -> Conclusion | None:
        """Return what remains of it when its reader has acted on another card; None if nothing."""
        slot = self.conclusion.slot
        if self.conclusion.advice not in ("play", "wait", "defer"):
            return None
        if event.kind not in (PLAY, DISCARD):
            return self.conclusion
        moved = dataclasses.replace(self.conclusion, slot=slot - (slot > event.slot))
        return None if slot == event.slot else moved


def misleading_pile(strategy: Strategy | None) -> int:
    """Return from how many cards in the draw pile on hints may be false; -1 if they never are.

    A search gives hints that are false by the conventions unless its option `lies` forbids it.
    """
    if not isinstance(strategy, Search) or not strategy.option("lies"):
        return -1
    return int(strategy.option("pile"))


class Reader:
    """Follows a game from a person's seat by one level of the conventions."""

    def __init__(self, strategy: Strategy, seat: int, setup: Setup, state: State) -> None:
        self.seat = seat
        self.driver = Seat.in_game(strategy, seat, setup.seed, setup.game)
        self.driver.begin(state)
        self.odds = {player: 0 for player in range(state.rules.players) if player != seat}
        """For each partner, the odds which that one gives this person to follow conventions."""

    @property
    def memory(self) -> ConventionsMemory:
        """A copy of what it remembers."""
        memory = self.driver.memory
        assert isinstance(memory, ConventionsMemory)
        return memory

    def observe(self, state: State, event: Event) -> None:
        """See a turn, and judge the person by it as each partner does."""
        is_judged = event.player == self.seat or event.kind == PLAY
        before = self.memory if is_judged else None
        self.driver.observe(state, event)
        if before is not None:
            for partner in self.odds:
                self.odds[partner] = self._judged_by(partner, state, event, before)

    def is_trusted_by(self, partner: int) -> bool:
        """Return whether a partner counts on this person to know the conventions."""
        memory = self.memory
        memory.conduct.odds[self.seat] = self.odds[partner]
        return trusts(memory, self.seat)

    def _judged_by(
        self, partner: int, state: State, event: Event, before: ConventionsMemory
    ) -> int:
        """Return the odds that a partner gives this person after a turn."""
        view, memory, odds = view_of(state, self.seat), before.copy(), self.odds[partner]
        view.observer = partner
        memory.conduct.odds[self.seat] = odds
        judge_action(view, event, memory)
        if event.kind in (HINT_SUIT, HINT_RANK):
            odds, memory = memory.conduct.odds[self.seat], self.memory
            memory.conduct.odds[self.seat] = odds
            judge_hint(view, memory, event.player, event.target)
        return memory.conduct.odds[self.seat]


class HintReaders:
    """The readers behind all people at a table, and what they have concluded after each turn."""

    def __init__(self, setup: Setup, state: State) -> None:
        self.setup = setup
        self.conventions = {
            player: found
            for player, strategy in setup.strategies.items()
            if (found := conventions_of(strategy)) is not None
        }
        """The conventions of each partner who keeps any."""
        self.readers = {
            (kept.label, seat): Reader(kept, seat, setup, state)
            for kept in self.conventions.values()
            for seat in setup.keys
        }
        self.turns: list[dict[int, list[Concluded]]] = []
        """For each turn, what each person has concluded and not acted on."""
        self.finders = self._finders(state)
        self.breaches: list[dict[int, list[Breach]]] = []
        """For each turn, which conventions each person has broken since acting the last time."""

    def _finders(self, state: State) -> dict[int, BreachFinder]:
        """Return a judge behind each person, by the highest level at the table."""
        level = agreed_level(self.setup.strategies.values())
        if level is None or state.rules.secrets:  # a reason may name a card that nobody was shown
            return {}
        return {
            seat: BreachFinder(state, seat, level, Labels.of(self.setup.names(seat)))
            for seat in self.setup.keys
        }

    def expect(self, state: State, number: int) -> None:
        """Judge the action that is about to be taken."""
        for finder in self.finders.values():
            finder.before(state, number)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        before = self.turns[-1] if self.turns else {}
        after: dict[int, list[Concluded]] = {}
        for (level, seat), reader in self.readers.items():
            reader.observe(state, event)
            waiting = [each for each in before.get(seat, []) if each.level == level]
            if seat == event.player:
                found = self._keep(level, seat, state, event, waiting)
            elif waiting or event.kind in (HINT_SUIT, HINT_RANK, DISCARD):
                found = self._update(level, seat, state, event, waiting)
            else:
                found = []
            after.setdefault(seat, []).extend(found)
        self.breaches.append(
            {
                seat: [*self._not_acted_since(seat, event), *finder.after(state, event)]
                for seat, finder in self.finders.items()
            }
        )
        for seat, found in after.items():
            found += self._reminder(seat, state, event, found)
        self.turns.append(after)

    def _reminder(
        self, seat: int, state: State, event: Event, found: list[Concluded]
    ) -> list[Concluded]:
        """Return a call that the person to move has not answered and is not told of otherwise."""
        finder = self.finders.get(seat)
        if finder is None or state.player != seat or state.end:
            return []
        slot = finder.called_slot(state)
        if slot == NONE or any(each.conclusion.slot == slot for each in found):
            return []
        reminder = Conclusion("called", slot, FINESSE)
        facts = self._facts(reminder, view_of(state, seat), event) | {"turn": None}
        return [Concluded("", reminder, event, facts)]

    def _not_acted_since(self, seat: int, event: Event) -> list[Breach]:
        """Return the breaches that a person was told of and has not acted after."""
        told = self.breaches[-1][seat] if self.breaches else []
        return [] if event.player == seat else told

    def _keep(
        self, level: str, seat: int, state: State, event: Event, waiting: list[Concluded]
    ) -> list[Concluded]:
        """Return what remains of a person's conclusions after a turn of their own."""
        view, kept = view_of(state, seat), []
        for each in waiting:
            found = each.after_own_turn(event)
            if found is not None and found.holds(view, self.readers[level, seat].memory):
                facts = self._facts(found, view, each.event) | {"turn": each.facts["turn"]}
                kept.append(Concluded(level, found, each.event, facts))
        return kept

    def _update(
        self, level: str, seat: int, state: State, event: Event, waiting: list[Concluded]
    ) -> list[Concluded]:
        """Return a person's conclusions after a turn of somebody else."""
        reader = self.readers[level, seat]
        view, memory = view_of(state, seat), reader.memory
        kept = [each for each in waiting if each.conclusion.holds(view, memory)]
        found = conclude(view, memory, event) if self._speaks(event, level, view) else None
        if found is None:
            return kept
        if event.target == seat and not reader.is_trusted_by(event.player):
            found = conclude_literally(view, memory)
        others = [each for each in kept if each.conclusion.slot != found.slot]
        return [*others, Concluded(level, found, event, self._facts(found, view, event))]

    def _speaks(self, event: Event, level: str, view: View) -> bool:
        """Return whether a partner's turn is to be read by the conventions of a level."""
        kept = self.conventions.get(event.player)
        misleading = misleading_pile(self.setup.strategies.get(event.player))
        return kept is not None and kept.label == level and view.draw_pile > misleading

    def _facts(self, found: Conclusion, view: View, event: Event) -> JsonObject:
        labels = Labels.of(self.setup.names(view.observer))
        return {
            "advice": found.advice,
            "slot": None if found.slot == NONE else found.slot,
            "words": found.text(labels, event, view.hand_count[view.observer]),
            "agreement": found.anchor,
            "turn": view.turn,
        }

    def conclusions_for(self, seat: int | None, turns: int) -> list[JsonObject]:
        """Return what a person has concluded after `turns` turns; spectators conclude nothing."""
        if seat is None or turns == 0:
            return []
        return [each.facts for each in self.turns[turns - 1].get(seat, [])]

    def conclusion_from(self, seat: int | None, turn: int) -> str | None:
        """Return what a person concluded from a turn, counted from 1, in words."""
        found = self.conclusions_for(seat, turn)
        return next((str(each["words"]) for each in found if each["turn"] == turn), None)

    def breaches_for(self, seat: int | None, turns: int) -> list[JsonObject]:
        """Return which conventions a person is told to have broken, after `turns` turns."""
        if seat is None or turns == 0:
            return []
        return [
            {"turn": breach.turn, "words": breach.text, "agreement": breach.anchor}
            for breach in self.breaches[turns - 1].get(seat, [])
        ]

    def breaches_by(self, seat: int | None, turn: int) -> list[str]:
        """Return which conventions a person is known to have broken by a turn, counted from 1."""
        if seat is None:
            return []
        told = (each for found in self.breaches for each in found.get(seat, ()))
        return list(dict.fromkeys(each.text for each in told if each.turn == turn))
