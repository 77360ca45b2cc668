"""Exact scores of a strategy over all decks of a small game, and the best response to it.

The best response of one player to a fixed strategy of the others is exact. That player knows the
strategy, sees what any player sees, and remembers everything. If the best response scores more than
the strategy with itself, changing one player alone improves the team.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.errors import StrategyError, TheoryError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.actions import Event, count_actions, decode_action, is_legal, legal_actions
from hanabilab.game.cards import count_of
from hanabilab.game.deck import card_multiset, choose_rules
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, hands_of, initial_state, view_of
from hanabilab.game.turn import deal, final_score, take_turn
from hanabilab.lab.optimum import rules_text
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Result
from hanabilab.solver.optimum.public_state import StateKey, SuitState
from hanabilab.solver.optimum.search import Search
from hanabilab.solver.optimum.size import check_size, check_supported
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.strategy import Memory, Strategy
from hanabilab.table.loop import make_table, play_deck, run_kernel

__all__ = ["BestResponse", "all_decks", "best_response", "mean_of_all_decks", "scores_of_all_decks"]

MOST_DECKS = 100_000
"""The largest number of decks that are played one by one."""


def all_decks(rules: Rules) -> Iterator[tuple[int, ...]]:
    """Yield every different deck of a game, in lexicographic order."""
    cards = sorted(card_multiset(rules))
    while True:
        yield tuple(cards)
        place = len(cards) - 2
        while place >= 0 and cards[place] >= cards[place + 1]:
            place -= 1
        if place < 0:
            return
        other = max(n for n in range(place + 1, len(cards)) if cards[n] > cards[place])
        cards[place], cards[other] = cards[other], cards[place]
        cards[place + 1 :] = reversed(cards[place + 1 :])


def count_decks(rules: Rules) -> int:
    """Return how many different decks a game has."""
    decks = math.factorial(rules.deck_size)
    for count in itertools.chain(*rules.copies):
        decks //= math.factorial(count)
    return decks


def scores_of_all_decks(player: Player, rules: Rules, seeds: Iterable[int] = (0,)) -> Counter[int]:
    """Play every deck of a small game for each seed; return the number of games with each score.

    Seeds matter only to strategies that use random numbers.
    """
    strategy = find_strategy(player)
    decks = count_decks(rules)
    if decks > MOST_DECKS:
        raise TheoryError(f"{decks:,} decks are too many to play all; at most {MOST_DECKS:,}")
    compiled = strategy.can_compile
    table = make_table(rules, [strategy] * rules.players, compiled=compiled)
    log: Any = []
    if compiled:
        import numpy as np

        log = np.zeros(0, np.int64)
    scores: Counter[int] = Counter()
    for seed, (number, deck) in itertools.product(seeds, enumerate(all_decks(rules))):
        table.deck[:] = deck
        if not run_kernel(play_deck, table, seed, number, 0, log, compiled=compiled):
            raise StrategyError(f"{strategy.label} chose an illegal action in deck {number}")
        scores[run_kernel(final_score, table.state, compiled=compiled)] += 1
    return scores


def mean_of_all_decks(player: Player, rules: Rules) -> Fraction:
    """Return the mean score of a strategy over all decks, which is exact if it is deterministic."""
    scores = scores_of_all_decks(player, rules)
    return Fraction(sum(score * count for score, count in scores.items()), scores.total())


@dataclass(frozen=True, slots=True, repr=False)
class BestResponse(Result):
    """The best score that one player can reach with partners who play a fixed strategy."""

    rules: Rules
    strategy: Strategy
    seat: int
    value: Fraction
    """The mean score of the best response."""
    mean: Fraction
    """The mean score of the strategy with itself."""
    situations: int
    """Number of situations of the responding player that were considered."""

    @property
    def gain(self) -> Fraction:
        """The improvement of the team's score by changing this one player."""
        return self.value - self.mean

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data; fractions are text."""
        return {
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "strategy": self.strategy.label,
            "seat": self.seat,
            "value": str(self.value),
            "mean": str(self.mean),
            "gain": str(self.gain),
            "situations": self.situations,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one row."""
        return [
            {
                "strategy": self.strategy.label,
                "seat": self.seat,
                "best_response": float(self.value),
                "self_play": float(self.mean),
                "gain": float(self.gain),
            }
        ]

    def summary(self) -> str:
        """Return the values in one sentence."""
        return (
            f"best response of player {self.seat} to {self.strategy.label}: {self.value} = "
            f"{float(self.value):.4f}, with itself {float(self.mean):.4f}"
        )

    def to_tables(self) -> list[DataTable]:
        """Return the values with the game."""
        rows = (
            ("best response", f"{float(self.value):.6f}", str(self.value)),
            ("with itself", f"{float(self.mean):.6f}", str(self.mean)),
            ("gain", f"{float(self.gain):.6f}", str(self.gain)),
        )
        return [DataTable(header=(rules_text(self.rules), "mean", "exact"), rows=rows)]


def best_response(
    strategy: Player,
    rules: Rules | str,
    players: int | None = None,
    *,
    seat: int = 0,
    progress: Progress = None,
) -> BestResponse:
    """Compute the best response of one player to a strategy that all others play, exactly.

    The strategy must not use random numbers, and the game must be small.
    """
    chosen, partner = choose_rules(rules, players), find_strategy(strategy)
    check_supported(chosen)
    check_size(chosen)
    partner.check(chosen)
    if partner.slow or partner.external:
        raise StrategyError(f"{partner.name} is too slow for a best response")
    check_integer("seat", seat, 0, chosen.players - 1)
    with progress_bar("best response", None, progress) as report:
        responder = _Responder(chosen, partner, seat, report)
        total = responder.value()
    mean = mean_of_all_decks(partner, chosen)
    value = Fraction(total, count_decks(chosen))
    return BestResponse(chosen, partner, seat, value, mean, responder.situations)


@dataclass(slots=True)
class _World:
    """A game that is consistent with everything the responding player has seen."""

    state: State
    deck: list[int]
    """The cards drawn so far; further cards are drawn when they are needed."""
    memories: list[Memory | None]
    weight: int
    """The number of orders of the draw pile that it represents."""


class _Responder:
    """The search for the best response: maximum over actions, sum over observations."""

    def __init__(self, rules: Rules, partner: Strategy, seat: int, report: Any) -> None:
        self.rules, self.partner, self.seat = rules, partner, seat
        self.situations = 0
        self._report = report
        self._search = Search(rules)
        self._known: dict[Any, int] = {}

    def value(self) -> int:
        """Return the sum of the scores of all decks."""
        return sum(map(self._value, self._told_apart(self._start(), None).values()))

    def _start(self) -> list[_World]:
        rules, worlds = self.rules, []
        initial = initial_state(rules)
        for hands in self._first_hands():
            state = State()
            cards = [card for hand in hands for card in hand]
            deck = cards + [0] * (rules.deck_size - len(cards))
            deal(state, initial, deck)
            memories = [self._memory(state, player) for player in range(rules.players)]
            worlds.append(_World(state, deck, memories, _orders(state)))
        return worlds

    def _first_hands(self) -> list[Any]:
        states = self._search.states
        order, ranks = states.start_order, self.rules.ranks
        return [
            [[order[card // ranks] * ranks + card % ranks for card in hand] for hand in deal]
            for deal in states.get(states.start).deals
        ]

    def _memory(self, state: State, player: int) -> Memory | None:
        if player == self.seat:
            return None
        memory = self.partner.fresh_memory()
        self.partner.init_memory(memory, None)
        if self.partner.begin:
            self.partner.begin(self._view(state, player), memory)
        return memory

    def _view(self, state: State, player: int) -> Any:
        view = view_of(state, player)
        if self.partner.sees_own_hand:
            view.hands[player] = state.hands[player]
        return view

    def _told_apart(self, worlds: list[_World], seen: Any) -> dict[Any, list[_World]]:
        """Group worlds by what the responding player sees."""
        groups: dict[Any, list[_World]] = {}
        for world in worlds:
            hands = [
                hand for player, hand in enumerate(hands_of(world.state)) if player != self.seat
            ]
            groups.setdefault((seen, str(hands)), []).append(world)
        return groups

    def _value(self, worlds: list[_World]) -> int:
        """Return the best sum of scores over worlds that look alike to the responding player."""
        state = worlds[0].state
        if state.end:
            return sum(world.weight * final_score(world.state) for world in worlds)
        if state.player != self.seat:
            return sum(map(self._value, self._after_partner(worlds).values()))
        self.situations += 1
        if not self.situations % 100:
            self._report(self.situations, "situations")
        options = [self._told_by_event(worlds, action) for action in legal_actions(state)]
        bounds = [sum(map(self._bound, itertools.chain(*groups))) for groups in options]
        best = -1
        for number in sorted(range(len(options)), key=lambda n: -bounds[n]):
            if bounds[number] <= best:
                break
            best = max(best, self._sum(options[number], bounds[number], best))
        return best

    def _sum(self, groups: list[list[_World]], bound: int, best: int) -> int:
        """Return the value of an action, or an upper bound of it that does not exceed the best."""
        for group in groups:
            bound += self._value(group) - sum(map(self._bound, group))
            if bound <= best:
                break
        return bound

    def _told_by_event(self, worlds: list[_World], action: int) -> list[list[_World]]:
        """Return the worlds after an action of the responding player, grouped by observation."""
        found: dict[Any, list[_World]] = {}
        for world in worlds:
            for event, after in self._take(world, action):
                found.setdefault((event.card, event.touched), []).append(after)
        return list(found.values())

    def _after_partner(self, worlds: list[_World]) -> dict[Any, list[_World]]:
        """Return the worlds after the partner's action, grouped by observation."""
        found: dict[Any, list[_World]] = {}
        for world in worlds:
            player = world.state.player
            memory = world.memories[player]
            assert memory is not None
            memory = world.memories[player] = memory.copy()
            stream = memory.stream
            action = self.partner.act(self._view(world.state, player), memory)
            if memory.stream != stream:
                raise StrategyError(
                    f"{self.partner.name} uses random numbers; a best response needs a strategy "
                    "that always acts alike"
                )
            for event, after in self._take(world, action):
                seen = action, event.card, event.touched
                for key, group in self._told_apart([after], seen).items():
                    found.setdefault(key, []).extend(group)
        return found

    def _take(self, world: _World, action: int) -> Iterator[tuple[Event, _World]]:
        """Yield the worlds after an action: one for each card that may be drawn."""
        event = Event()
        if not 0 <= action < count_actions(world.state):
            raise StrategyError(f"{self.partner.name} chose an illegal action, number {action}")
        decode_action(world.state, action, event)
        if not is_legal(world.state, event):
            raise StrategyError(f"{self.partner.name} chose an illegal action, number {action}")
        place = self.rules.deck_size - world.state.draw_pile
        draws = event.kind < 2 and world.state.draw_pile
        for card in _unseen(world.state) if draws else [0]:
            state, seen, deck = world.state.copy(), event.copy(), world.deck
            if draws:
                deck = deck[:]
                deck[place] = card
            take_turn(state, deck, seen)
            memories = [memory and memory.copy() for memory in world.memories]
            after = _World(state, deck, memories, _orders(state) if draws else world.weight)
            if self.partner.observe and not state.end:
                for player, memory in enumerate(memories):
                    if memory is not None and self.partner.observed_kinds >> seen.kind & 1:
                        self.partner.observe(self._view(state, player), seen.copy(), memory)
            yield seen, after

    def _bound(self, world: _World) -> int:
        """Return the value of a world if everyone sees all hands."""
        state = world.state
        if state.end:
            return world.weight * final_score(state)
        key, order = self._search.states.normal(_key(state))
        found = self._search.states.get(key)
        ranks = self.rules.ranks
        place = {old: new for new, old in enumerate(order)}
        hands = hands_of(state)
        turned = hands[state.player :] + hands[: state.player]
        deal = tuple(
            tuple(place[card // ranks] * ranks + card % ranks for card in hand) for hand in turned
        )
        return self._search.open_value(found, found.space.index[deal])


def _key(state: State) -> StateKey:
    """Return the public part of a state."""
    rules = state.rules
    suits = tuple(
        SuitState(
            state.fireworks[suit],
            tuple(count_of(state.left, suit * rules.ranks + rank) for rank in range(rules.ranks)),
        )
        for suit in range(rules.suits)
    )
    cards = state.hand_count[: rules.players]
    turned = tuple(cards[state.player :] + cards[: state.player])
    return StateKey(suits, state.score, state.hint_tokens, state.lives, state.turns_left, turned)


def _pile(state: State) -> list[int]:
    """Return how many copies of each card the draw pile has."""
    counts = [count_of(state.left, card) for card in range(state.rules.suits * state.rules.ranks)]
    for card in itertools.chain(*hands_of(state)):
        counts[card] -= 1
    return counts


def _unseen(state: State) -> list[int]:
    """Return the different cards in the draw pile."""
    return [card for card, count in enumerate(_pile(state)) if count]


def _orders(state: State) -> int:
    """Return the number of possible orders of the draw pile."""
    counts = _pile(state)
    orders = math.factorial(sum(counts))
    for count in counts:
        orders //= math.factorial(count)
    return orders
