"""The value of a tiny game whose draw pile is in unknown order, by trying everything.

`tests.solver.brute` knows the rules; it shares no code with the package. Here each card of the pile
is drawn in turn, and a node's value is the average over them, as a fraction. There is no pruning
and no merging of cards.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hanabilab.game.actions import DISCARD, PLAY, Event, decode_action, legal_actions
from hanabilab.game.cards import card_in
from hanabilab.game.state import GOING_ON, State, hands_of
from hanabilab.game.turn import final_score
from hanabilab.solver.position import take_action
from tests.solver.brute import Setup, Table, score, successors

Pile = tuple[int, ...]


class TooLargeError(Exception):
    """A game with more positions than brute force may visit."""


class HiddenBrute:
    """Values of positions under one set of rules."""

    def __init__(self, setup: Setup, *, win: bool, limit: int) -> None:
        self.setup, self.win, self.limit = setup, win, limit
        self.known: dict[tuple[Table, Pile], Fraction] = {}

    def value(self, table: Table, pile: Pile) -> Fraction:
        """The highest probability of the maximum, or the highest expected score."""
        if table.over:
            return Fraction(self.final(table))
        if (table, pile) not in self.known:
            if len(self.known) >= self.limit:
                raise TooLargeError
            # A round of free passes too many has no successor.
            self.known[table, pile] = max(self.values(table, pile), default=Fraction(0))
        return self.known[table, pile]

    def values(self, table: Table, pile: Pile) -> list[Fraction]:
        """The value of each way to take the next turn, in the order of `successors`."""
        if not pile:
            return [self.value(after, pile) for after in successors(self.setup, table)]
        totals: list[Fraction] = []
        for place, card in enumerate(pile):
            rest = pile[:place] + pile[place + 1 :]
            ahead = (card,) * len(self.setup.deck)  # only the next card is ever looked at
            branches = list(successors(replace(self.setup, deck=ahead), table))
            totals = totals or [Fraction(0)] * len(branches)
            for number, after in enumerate(branches):
                drew = after.drawn > table.drawn
                totals[number] += self.value(after, rest if drew else pile)
        return [total / len(pile) for total in totals]

    def final(self, table: Table) -> int:
        """What a game that is over counts."""
        points = score(self.setup, table)
        return int(points == self.setup.ranks * self.setup.suits) if self.win else points


class EngineBrute:
    """The same by the package's engine, for the rules that `tests.solver.brute` does not know."""

    def __init__(self, *, win: bool, limit: int) -> None:
        self.win, self.limit = win, limit
        self.known: dict[object, Fraction] = {}

    def value(self, state: State, pile: Pile) -> Fraction:
        """The highest probability of the maximum, or the highest expected score."""
        if state.end != GOING_ON:
            points = final_score(state)
            return Fraction(int(points == state.rules.max_score) if self.win else points)
        key = self.key(state), pile
        if key not in self.known:
            if len(self.known) >= self.limit:
                raise TooLargeError
            self.known[key] = max(self.values(state, pile).values())
        return self.known[key]

    def values(self, state: State, pile: Pile) -> dict[int, Fraction]:
        """The value of each legal action."""
        known: dict[object, Fraction] = {}
        values = {}
        for action in legal_actions(state):
            event = Event()
            decode_action(state, action, event)
            card = card_in(state.hands[state.player], event.slot)
            same = (event.kind, card, event.slot) if event.kind in (PLAY, DISCARD) else None
            if same not in known:
                known[same] = self.average(state, pile, action)
            values[action] = known[same]
        return values

    def average(self, state: State, pile: Pile, action: int) -> Fraction:
        """The value of an action: the mean over the cards that may be next in the pile."""
        total = Fraction(0)
        for place, card in enumerate(pile or (0,)):
            after = state.copy()
            take_action(after, [card] * state.rules.deck_size, action)
            drawn = state.draw_pile - after.draw_pile
            total += self.value(after, pile[:place] + pile[place + 1 :] if drawn else pile)
        return total / max(len(pile), 1)

    def key(self, state: State) -> object:
        """All that distinguishes positions of one game."""
        hands = tuple(tuple(sorted(hand)) for hand in hands_of(state))
        counters = (state.hint_tokens, state.token_part, state.lives, state.turns_left)
        return state.player, counters, tuple(state.fireworks[: state.rules.suits]), hands
