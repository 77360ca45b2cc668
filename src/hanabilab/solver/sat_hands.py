"""Hands in the formula of a game: who can hold which selected cards, and who has one to spare.

Exactly one copy of each card to be played is selected (`hanabilab.solver.sat_encoding`); hands
limit how many of those a player can keep. Many losses do not depend on that, so the clauses are
added only where they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanabilab.solver.cnf import FALSE, TRUE, Number

if TYPE_CHECKING:
    from hanabilab.solver.sat_encoding import EncodedTurn, Encoding

__all__ = ["HandClauses"]


class HandClauses:
    """Adds what limits hands to the formula of an encoding."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding, self.formula = encoding, encoding.formula
        self.state, self.players = encoding.state, encoding.players

    def add(self) -> None:
        """Demand that a player who discards or misplays hold a card that is not selected."""
        formula, players = self.formula, range(self.players)
        sizes = [self.state.hand_count[player] for player in players]
        size = [Number.fixed(sizes[player], sizes[player]) for player in players]
        held = []
        for player in players:
            hand = [n for n, copy in enumerate(self.encoding.copies) if copy.owner == player]
            held.append(formula.count([self.encoding.selected[n] for n in hand], sizes[player]))
        arrival = {
            copy.draw: self.encoding.selected[n] for n, copy in enumerate(self.encoding.copies)
        }
        for index, step in enumerate(self.encoding.steps):
            drawing = index < self.encoding.draws
            self._bound_storage(index)
            self._limit_pass(step, size)
            for player in players:
                acts, count = step.actor[player], held[player]
                for loss in (step.discard, step.misplay):
                    for value in range(sizes[player] + 1):
                        spare = size[player].at_least(value + 1)
                        formula.imply([acts, loss, count.at_least(value)], spare)
                formula.imply([acts, step.skipped], -size[player].at_least(1))
                held[player] = self._hold(step, player, count, arrival[index] if drawing else FALSE)
                if not drawing:
                    size[player] = self._shrink(step, player, size[player])
            self._limit_stop(step, size)
        for count in held:
            formula.add(-count.at_least(1))

    def _hold(self, step: EncodedTurn, player: int, count: Number, arrives: int) -> Number:
        """Return how many selected cards a player holds after a step."""
        formula, acts, lit = self.formula, step.actor[player], step.lit
        after = formula.number(count.most)
        formula.equal([-acts], after, count)
        formula.equal([acts, -lit, -arrives], after, count)
        formula.equal([acts, lit, arrives], after, count)
        formula.equal([acts, lit, -arrives], after, count, -1)
        formula.equal([acts, -lit, arrives], after, count, 1)
        return after

    def _shrink(self, step: EncodedTurn, player: int, size: Number) -> Number:
        """Return how many cards a player holds after a step without a draw."""
        formula, acts = self.formula, step.actor[player]
        after = formula.number(size.most)
        formula.equal([-acts], after, size)
        for loss in (step.lit, step.discard, step.misplay):
            formula.equal([acts, loss], after, size, -1)
        for rest in (step.passed, step.skipped, step.stopped):
            formula.equal([acts, rest], after, size)
        return after

    def _limit_pass(self, step: EncodedTurn, size: list[Number]) -> None:
        """Demand another player with a card for a hint, in a game that is not open."""
        rules = self.state.rules
        if rules.open_game or rules.empty_hints or step.passed == FALSE:
            return
        for player in range(self.players):
            others = [size[other].at_least(1) for other in range(self.players) if other != player]
            self.formula.imply([step.passed, step.actor[player]], *others)

    def _limit_stop(self, step: EncodedTurn, size: list[Number]) -> None:
        """Forbid stopping early where the score could still be lost by the end of the game."""
        if self.encoding.perfect or self._can_rest():
            return
        rules = self.state.rules
        for suit in range(rules.suits):
            highest = (suit + 1) * rules.ranks - 1
            complete = self.state.fireworks[suit] == rules.ranks
            done = TRUE if complete else self.encoding.done[-1].get(highest, FALSE)
            for number in size:
                gone = FALSE if rules.deck_ends else -number.at_least(1)
                self.formula.imply([step.stopped], done, gone)

    def _can_rest(self) -> bool:
        """Return whether a score that is reached can always be kept.

        A player who may neither discard nor give a hint must play, and may lose the last life.
        That cannot happen in an open game: with all tokens there is one for a pass.
        """
        state = self.state
        if (
            state.rules.open_game
            or state.rules.keep_score
            or not self.encoding.ban
            or state.lives > self.encoding.removals
        ):
            return True
        if self.players == 1:
            return False
        return bool(state.rules.empty_hints) or (
            state.rules.hand_size > 1 and bool(state.rules.deck_ends)
        )

    def _bound_storage(self, index: int) -> None:
        """Forbid that all cards in all hands be selected but not yet playable: nobody could act.

        This follows from the rest, but stating it makes losses for want of room easy to see.
        """
        slots = sum(self.state.hand_count[: self.players])
        if index >= self.encoding.draws:
            return
        waiting = []
        for card in self.encoding.earliest:
            here = [
                self.encoding.selected[n]
                for n, copy in enumerate(self.encoding.copies)
                if copy.card == card and copy.draw < index
            ]
            below = self.encoding.below(self.encoding.done[index], card)
            if below != TRUE and here:
                waiting.append(self.formula.both(self.formula.any_of(here), -below))
        if len(waiting) >= slots:
            self.formula.add(-self.formula.count(waiting, slots).at_least(slots))
