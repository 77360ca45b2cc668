"""The rest of a game as a formula that is satisfiable if a score can still be reached.

Exactly one copy of each card that gets played is *selected*; all other cards are anonymous, and
a player who discards or misplays only needs a card that is not selected. Time passes in *steps*.
While there is a draw pile a step is a card that leaves a hand, with the passes before it; step j
draws the j-th card of the draw pile, so the only question is who takes the step. Without a draw
pile a step is a turn. A game may *stop* once nothing more is to be played.

Anonymous cards make the formula generous in one rare case, a misplay by a player whose only
cards that are not selected would fit; `exact=True` names the card of every step instead.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from hanabilab.game.rules_record import require_handled
from hanabilab.solver.cnf import FALSE, TRUE, Formula, Number
from hanabilab.solver.kernels.node import HANDLED
from hanabilab.solver.position import Position
from hanabilab.solver.sat_hands import HandClauses

__all__ = ["Copy", "EncodedTurn", "Encoding"]

HELD = -1
"""The draw of a card that is already in a hand."""

NO_PASSES = Number(())

FEW_SPARE = 12
"""With at most this many spare steps, steps that play nothing are counted: a fifth of the
conflicts with six players and two dark suits."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A card of the deck that is in a hand or in the draw pile."""

    card: int
    draw: int
    """Which draw brings it, from 0; `HELD` if it is in a hand now."""
    owner: int
    """Who holds it now."""


@dataclass(slots=True)
class EncodedTurn:
    """The literals of one step."""

    actor: list[int]
    """For each player, whether it is that player's step."""
    lit: int
    discard: int
    misplay: int
    passed: int = FALSE
    skipped: int = FALSE
    stopped: int = FALSE
    passes: Number = NO_PASSES
    """In a step that draws, the passes since the beginning; none if they are free."""
    play: dict[int, int] = field(default_factory=dict)
    """For each copy that may be played now, whether it is."""
    out: dict[int, int] = field(default_factory=dict)
    """The same for every copy that may leave a hand, where cards are named."""


class Encoding:
    """The formula for reaching `goal`, and what its variables mean."""

    def __init__(
        self,
        position: Position,
        goal: int,
        *,
        exact: bool = False,
        hands: bool = True,
        deadline: float | None = None,
    ) -> None:
        self.position, self.goal, self.exact = position, goal, exact
        self.state = position.state
        require_handled(self.state.rules, HANDLED, "the SAT encoding")
        self.formula = Formula(deadline)
        self.players = self.state.rules.players
        self.draws = self.state.draw_pile
        self.copies = _copies(position)
        self.to_play = goal - self.state.score
        self.perfect = goal >= self.state.rules.ranks * self.state.rules.suits
        self._set_tokens()
        self.length = self.draws + self._tail_length()
        self._limit_passes()
        self.earliest = self._earliest()
        self.steps: list[EncodedTurn] = []
        self.done: list[dict[int, int]] = []
        """Before each step, and after the last, whether a card is on its firework."""
        self._make_steps()
        self._make_fireworks()
        self._make_selection()
        self.regained: list[Number] = []
        """After each step that draws, how many tokens have come back."""
        self._make_tokens()
        self._make_lives()
        self._make_goal()
        self._keep_pace()
        self.has_hands = False
        if hands:
            self.add_hands()
        if exact:
            self._name_cards()

    def add_hands(self) -> None:
        """Add what limits hands, without which the formula is half as long.

        Until then nobody needs a card to discard. If even that formula has no model, the goal is
        out of reach: with many players it is the tokens for passes that run out, not the places.
        """
        HandClauses(self).add()
        self.has_hands = True

    # What is known beforehand.

    def _set_tokens(self) -> None:
        """Find out how tokens matter.

        If tokens are plentiful, neither having none nor having all of them can ever matter (after a
        few rounds of passes, if need be): they are as good as unlimited, and passes are free.
        Otherwise tokens beyond those that can ever be spent are left out: nobody needs more passes
        than one round for each card that leaves a hand, and as many as tokens come back.
        """
        state = self.state
        self.can_pass = bool(state.rules.open_game) or (
            self.players > 1 and state.rules.all_hints != 0
        )
        self.cost = parts = state.rules.discards_per_token
        self.removals = self.draws + sum(state.hand_count[: self.players])
        self.most_gains = self.removals + state.rules.suits
        tokens, most = (
            state.hint_tokens * parts + state.token_part,
            state.rules.max_hint_tokens * parts,
        )
        plenty = (2 * self.most_gains + self.players * (self.removals + 2)) * parts
        near_full = most <= tokens + self.most_gains
        self.burn = near_full and most > plenty and self.can_pass and self.draws > 0
        ample = tokens > plenty and not near_full and self.can_pass
        self.free = bool(state.rules.unlimited_hints) or self.burn or ample
        beyond = max(0, tokens - plenty)
        self.tokens = tokens - beyond
        self.most_tokens = most - beyond if near_full else self.tokens + self.most_gains + 1
        self.ban = not (state.rules.discard_at_full or self.free or most == 0)

    def _limit_passes(self) -> None:
        """Find out how many tokens can come back up to the last draw, and be spent for passes."""
        discards = min(self.draws, max(0, self.length - self.to_play))
        self.most_regained = discards + self.state.rules.suits
        self.most_passes = 0
        if self.can_pass and not self.free:
            self.most_passes = (self.tokens + self.most_regained) // self.cost

    def _tail_length(self) -> int:
        """Return how many turns there can be without a draw pile."""
        state = self.state
        if state.rules.deck_ends:
            return state.turns_left if self.draws == 0 else self.players
        cards = sum(state.hand_count[: self.players])
        passes = 0 if self.free else self.most_tokens + cards + state.rules.suits
        return cards * self.players + passes

    def _earliest(self) -> dict[int, int]:
        """Return the first step at which each needed card can be played at all.

        Cards that can never be played any more are left out.
        """
        first = {}
        for suit in range(self.state.rules.suits):
            step = 0
            for rank in range(self.state.fireworks[suit], self.state.rules.ranks):
                card = suit * self.state.rules.ranks + rank
                draws = [copy.draw for copy in self.copies if copy.card == card]
                if not draws:
                    break
                step = max(step, min(draws) + 1)
                first[card] = step
                step += 1
        return first

    def _latest(self, card: int) -> int:
        """Return the last step at which a card can be played for the maximum."""
        if not self.perfect:
            return self.length - 1
        return self.length - self.state.rules.ranks + card % self.state.rules.ranks

    # The parts of the formula.

    def _make_steps(self) -> None:
        formula = self.formula
        before = [FALSE] * self.players
        before[self.state.player - 1] = TRUE
        stopped, passes = FALSE, Number.fixed(0, self.most_passes)
        for index in range(self.length):
            drawing = index < self.draws
            step = EncodedTurn([], formula.variable(), formula.variable(), formula.variable())
            if drawing:
                self._let_act(step, index, passes)
                passes = step.passes
            else:
                step.actor = [before[player - 1] for player in range(self.players)]
                step.passed = formula.variable() if self.can_pass else FALSE
                step.skipped = formula.variable() if self._can_skip() else FALSE
            step.stopped = formula.variable()
            formula.add(-stopped, step.stopped)
            kinds = [step.lit, step.discard, step.misplay, step.passed, step.skipped, step.stopped]
            formula.exactly_one([literal for literal in kinds if literal != FALSE])
            self.steps.append(step)
            before, stopped = step.actor, step.stopped

    def _can_skip(self) -> bool:
        """Return whether a player may have neither a card nor a token for a pass."""
        return not (self.state.rules.deck_ends or self.free)

    def _let_act(self, step: EncodedTurn, index: int, before: Number) -> None:
        """Let the actor follow from the number of steps and passes so far.

        With the passes of each step alone, a solver takes ten times as many conflicts to see that
        cards in the wrong hands cost more passes than there are tokens.
        """
        formula, players = self.formula, self.players
        if players == 1:
            step.actor = [TRUE]
        else:
            step.actor = [formula.variable() for _ in range(players)]
            formula.exactly_one(step.actor)
        if self.free:
            return
        passes = step.passes = formula.number(self.most_passes)
        for value in range(self.most_passes + 1):
            formula.add(-before.at_least(value), passes.at_least(value))
            actor = step.actor[(self.state.player + index + value) % players]
            formula.add(-passes.at_least(value), passes.at_least(value + 1), actor)

    def _make_fireworks(self) -> None:
        """Let each card be played once, after the one below it."""
        formula = self.formula
        self.done = [dict.fromkeys(self.earliest, FALSE)]
        for index, step in enumerate(self.steps):
            done, after = self.done[-1], {}
            by_card: dict[int, list[int]] = defaultdict(list)
            for number, copy in enumerate(self.copies):
                card = copy.card
                if card not in self.earliest or index <= copy.draw:
                    continue
                if self.earliest[card] <= index <= self._latest(card):
                    step.play[number] = formula.variable()
                    by_card[card].append(step.play[number])
            formula.add(-step.lit, *step.play.values())
            formula.at_most_one(list(step.play.values()))
            for card in self.earliest:
                for play in by_card[card]:
                    formula.add(-play, step.lit)
                    formula.add(-play, self.below(done, card))
                    formula.add(-play, -done[card])
                after[card] = formula.any_of([done[card], *by_card[card]])
            self.done.append(after)

    def below(self, done: dict[int, int], card: int) -> int:
        """Return the literal that says that the card below is played."""
        return done.get(card - 1, TRUE) if card % self.state.rules.ranks else TRUE

    def _make_selection(self) -> None:
        """Select the copies that are played, each by a player who holds it."""
        formula = self.formula
        self.selected = []
        for number, copy in enumerate(self.copies):
            plays = [step.play[number] for step in self.steps if number in step.play]
            self.selected.append(formula.any_of(plays))
            for step in self.steps:
                if number in step.play:
                    self._tie_to_holder(step, copy, step.play[number])

    def _tie_to_holder(self, step: EncodedTurn, copy: Copy, literal: int) -> None:
        if copy.draw == HELD:
            self.formula.imply([literal], step.actor[copy.owner])
            return
        drawer = self.steps[copy.draw].actor
        for player in range(self.players):
            self.formula.imply([literal, drawer[player]], step.actor[player])

    def _make_tokens(self) -> None:
        if self.free:
            return
        formula = self.formula
        regained = Number.fixed(0, self.most_regained)
        for index in range(self.draws):
            self._limit_tokens(self.steps[index], regained)
            regained = self._regain(index, regained)
            self.regained.append(regained)
        tokens = self._tokens_left(regained)
        for index, step in enumerate(self.steps[self.draws :], self.draws):
            if self.ban:
                formula.imply([step.discard], -tokens.at_least(self.most_tokens))
            formula.imply([step.passed], tokens.at_least(self.cost))
            formula.imply([step.skipped], -tokens.at_least(self.cost))
            before, tokens = tokens, formula.number(self.most_tokens)
            gain = formula.any_of([step.discard, *self._bonuses(index)])
            formula.one_more([gain], tokens, before)
            formula.equal([step.passed], tokens, before, -self.cost)
            formula.equal([-gain, -step.passed], tokens, before)

    def _limit_tokens(self, step: EncodedTurn, regained: Number) -> None:
        """Demand a token for every pass so far, and forbid discards with all tokens."""
        formula, passes = self.formula, step.passes
        for value in range(1, self.most_passes + 1):
            needed = regained.at_least(value * self.cost - self.tokens)
            formula.imply([passes.at_least(value)], needed)
        for value in range(self.most_regained + 1 if self.ban else 0):
            formula.imply([step.discard, regained.at_least(value)], self._has_room(step, value + 1))

    def _has_room(self, step: EncodedTurn, regained: int) -> int:
        """Return the literal for "this many tokens can be back by this step"."""
        spent = regained - (self.most_tokens - self.tokens)
        return step.passes.at_least(-(-spent // self.cost))

    def _regain(self, index: int, before: Number) -> Number:
        """Return how many tokens have come back by the end of a step; those beyond all are lost."""
        formula, step = self.formula, self.steps[index]
        gain = formula.any_of([step.discard, *self._bonuses(index)])
        after = formula.number(min(self.most_regained, index + 1))
        for value in range(1, self.most_regained + 1):
            now, old = after.at_least(value), before.at_least(value)
            one_less = before.at_least(value - 1)
            room = self._has_room(step, value)
            formula.imply([old], now)
            formula.imply([now], old, gain)
            formula.imply([now], one_less)
            formula.imply([now], room)
            formula.imply([gain, one_less, room], now)
        return after

    def _tokens_left(self, regained: Number) -> Number:
        """Return the tokens after the last draw."""
        if self.draws == 0:
            return Number.fixed(self.tokens, self.most_tokens)
        formula, passes = self.formula, self.steps[self.draws - 1].passes
        tokens = formula.number(self.most_tokens)
        for spent in range(self.most_passes + 1):
            exactly = [passes.at_least(spent), -passes.at_least(spent + 1)]
            for value in range(1, self.most_tokens + 1):
                left = regained.at_least(value - self.tokens + spent * self.cost)
                formula.imply([*exactly, left], tokens.at_least(value))
                formula.imply([*exactly, tokens.at_least(value)], left)
        return tokens

    def _bonuses(self, index: int) -> list[int]:
        """Return the plays of a step that complete a suit and give a token back for it."""
        if not self.state.rules.token_for_suit:
            return []
        ranks = self.state.rules.ranks
        plays = self.steps[index].play.items()
        return [play for copy, play in plays if self.copies[copy].card % ranks == ranks - 1]

    def _make_lives(self) -> None:
        """Forbid losing the last life, after which nothing more can be played.

        On a last turn that is spared it may be lost.
        """
        most = self.state.lives - 1
        if most >= len(self.steps):
            return
        spared = bool(self.state.rules.keep_on_last_turn and self.state.rules.deck_ends)
        misplays = [step.misplay for step in self.steps[: len(self.steps) - spared]]
        if most == 0:
            for literal in misplays:
                self.formula.add(-literal)
            return
        self.formula.add(-self.formula.count(misplays, most + 1).at_least(most + 1))

    def _make_goal(self) -> None:
        final = list(self.done[-1].values())
        if self.to_play > len(final):
            self.formula.add(FALSE)
        elif self.to_play == len(final):
            for literal in final:
                self.formula.add(literal)
        elif self.to_play > 0:
            self.formula.add(self.formula.count(final, self.to_play).at_least(self.to_play))

    def _keep_pace(self) -> None:
        """Demand that after each step no more cards be left to play than steps.

        This, too, follows from the rest, but only by counting, at which solvers are bad. In a tight
        game the steps that play nothing are counted as well: the fewer there were, the more cards
        are on the fireworks, and the fewer tokens have come back.
        """
        spare = self.length - self.to_play
        tight = 0 <= spare <= FEW_SPARE and bool(self.state.rules.deck_ends)
        idle = Number.fixed(0, spare) if tight else None
        for index, done in enumerate(self.done):
            if idle is not None and index > 0:
                idle = self._count_idle(self.steps[index - 1], idle, index)
                self._limit_regained(index, idle)
            due = index - spare
            if due <= 0:
                continue
            total = self._bound_score(done)
            self.formula.add(total.at_least(due))
            for value in range(1, spare + 1 if idle is not None else 0):
                assert idle is not None
                self.formula.add(idle.at_least(value), total.at_least(index - value + 1))

    def _bound_score(self, done: dict[int, int]) -> Number:
        """Return a number that is at most the number of cards played."""
        ranks, total = self.state.rules.ranks, Number(())
        for suit in range(self.state.rules.suits):
            cards = range(suit * ranks + self.state.fireworks[suit], (suit + 1) * ranks)
            height = Number(tuple(done[card] for card in cards if card in done))
            total = self.formula.bound_sum(total, height)
        return total

    def _count_idle(self, step: EncodedTurn, before: Number, steps: int) -> Number:
        """Return how many steps up to this one play nothing, which are never too many."""
        formula, most = self.formula, before.most
        after = formula.number(min(steps, most))
        after = Number(after.steps + (FALSE,) * (most - after.most))
        formula.equal([step.lit], after, before)
        for value in range(1, most + 1):
            formula.add(step.lit, -before.at_least(value - 1), after.at_least(value))
            formula.add(step.lit, -after.at_least(value), before.at_least(value - 1))
        formula.add(step.lit, -before.at_least(most))
        return after

    def _limit_regained(self, steps: int, idle: Number) -> None:
        """Let no more tokens come back than steps played nothing and suits were completed."""
        if steps > len(self.regained):
            return
        formula, regained = self.formula, self.regained[steps - 1]
        ranks, done = self.state.rules.ranks, self.done[steps]
        tops = [done[card] for card in done if card % ranks == ranks - 1 and done[card] != FALSE]
        suits = formula.count(tops, len(tops))
        for value in range(1, regained.most + 1):
            for complete in range(min(len(tops), value - 1) + 1):
                enough = suits.at_least(complete + 1), idle.at_least(value - complete)
                formula.imply([regained.at_least(value)], *enough)

    def _name_cards(self) -> None:
        """Name the copy that leaves the hand in every step; what is misplayed must not fit."""
        formula = self.formula
        gone: list[list[int]] = [[] for _ in self.copies]
        for index, step in enumerate(self.steps):
            for number, copy in enumerate(self.copies):
                if copy.draw >= index:
                    continue
                out = step.out[number] = formula.variable()
                gone[number].append(out)
                self._tie_to_holder(step, copy, out)
                play = step.play.get(number, FALSE)
                formula.imply([play], out)
                formula.imply([out, step.lit], play)
                done = self.done[index]
                if copy.card in done:
                    below = self.below(done, copy.card)
                    formula.imply([out, step.misplay, below], done[copy.card])
            removed = formula.any_of([step.lit, step.discard, step.misplay])
            formula.add(-removed, *step.out.values())
            formula.at_most_one(list(step.out.values()))
            for out in step.out.values():
                formula.imply([out], removed)
        for literals in gone:
            formula.at_most_one(literals)


def _copies(position: Position) -> list[Copy]:
    """Return the cards in the hands, then those of the draw pile."""
    held = [Copy(card, HELD, player) for player, hand in enumerate(position.hands) for card in hand]
    return held + [Copy(card, draw, -1) for draw, card in enumerate(position.draw_pile)]
