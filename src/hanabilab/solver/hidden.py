"""Exact play near the end: all hands known, the order of the draw pile unknown.

`solve_hidden` returns, for every legal action, the exact probability of reaching the maximum, or
the exact expected final score, if everyone continues perfectly and sees all hands but not the pile.
This is an upper bound for players who do not see their own cards: an action that keeps this value
is no error, whatever the players knew.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any, Literal

from hanabilab.checks import check_choice
from hanabilab.core.record import aligned_buffer, dtype, pack
from hanabilab.errors import HanabiError, RulesError
from hanabilab.game.actions import DISCARD, PLAY, Event, decode_action, legal_actions
from hanabilab.game.cards import HIDDEN, count_of
from hanabilab.game.rules import switch_set
from hanabilab.game.rules_record import RulesRecord, require_handled
from hanabilab.game.state import State, hands_of
from hanabilab.solver.kernels.hidden import (
    ALWAYS,
    AT_FULL,
    DISCARD_DEAD,
    DISCARD_LIVE,
    MAX_MOVES,
    MISPLAY_DEAD,
    MISPLAY_LIVE,
    NEVER,
    NO_HINTS,
    NO_TYPE,
    PASS_TURN,
    PASSES,
    PLAY_LIVE,
    PLAY_PILE,
    TO_ANYBODY,
    TO_CARDS,
    TO_TOUCHED,
    HiddenNode,
    HiddenProblem,
)
from hanabilab.solver.kernels.hidden_search import (
    BEST,
    CUT_OFF,
    DONE,
    FRAME_WORDS,
    KEY_WORDS,
    NODES,
    TABLE_FULL,
    USED,
    HiddenWorkspace,
    advance,
    move_table,
    start_search,
    write_key,
)

__all__ = ["LARGEST_PILE", "HiddenSearch", "HiddenValues", "Mode", "hidden_cards", "solve_hidden"]

Mode = Literal["win", "score"]
Report = Callable[[int], None]
MODES = ("win", "score")
LARGEST_PILE = {"win": 20, "score": 18}
"""With more cards in the draw pile, a value times the number of its orders may not fit into 63
bits.
"""
HANDLED = switch_set(
    "all_or_nothing colours deck_ends deck_plays discard_at_full discards_per_token empty_hints",
    "first_player hidden_plays hints_tell inverted_suits keep_on_last_turn keep_score open_game",
    "rank_hints rank_touching reversed_suits score_ends speedrun suit_hints token_for_suit",
    "touching",
)
"""With all hands known it does not matter what players are told. Where suit hints and rank hints
alternate, or fireworks are built in other ways, positions would need more counters."""
COMPONENT = "the solver for hidden draw piles"
MEMORY_LIMIT = 512
"""The memory limit of the table of positions, in megabytes."""
FIRST_ROWS = 1 << 12
SLICE = 100_000
"""The number of nodes between checks of the clock."""
DEEPEST = 4_000
WORD_BITS = 62


@dataclass(frozen=True, slots=True)
class HiddenValues:
    """The exact value of each legal action with all hands known and the pile's order unknown."""

    mode: Mode
    """"win": the probability of the maximum; "score": the expected final score."""
    values: dict[int, Fraction | None]
    """The value of each legal action; None if a limit was reached first."""
    nodes: int
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether the value of every action is known."""
        return None not in self.values.values()

    @property
    def value(self) -> Fraction | None:
        """The value of the position, that of its best action; None while it is not certain."""
        known = [value for value in self.values.values() if value is not None]
        if self.is_complete or (self.mode == "win" and 1 in known):
            return max(known, default=None)
        return None

    @property
    def best_actions(self) -> list[int]:
        """The actions known to have the value of the position; empty if that is not certain."""
        value = self.value
        return [] if value is None else [n for n, each in self.values.items() if each == value]


def solve_hidden(
    state: State,
    *,
    mode: Mode = "win",
    time_limit: float | None = None,
    node_limit: int | None = None,
    memory_limit: int = MEMORY_LIMIT,
    report: Report | None = None,
) -> HiddenValues:
    """Return the exact value of every legal action, with all hands known and the pile hidden.

    The state needs all hands; they determine the cards in the draw pile, whose order does not
    matter. With `mode` "win" a value is the probability of the maximum, with "score" the expected
    final score, under best play by players who see all hands. Actions that differ only in the
    choice between equal cards have the same value, and so have all hints.

    The search stops at `time_limit` (seconds) or `node_limit`. Actions that are undecided by then
    have the value None: no value comes from an incomplete search. `memory_limit` (megabytes) bounds
    the table of positions; a search that outgrows it becomes slower, not wrong. `report` is called
    occasionally with the number of positions visited.
    """
    started = time.perf_counter()
    deadline = None if time_limit is None else started + time_limit
    check_choice("mode", mode, MODES, error=HanabiError)
    search = HiddenSearch(state, mode, memory_limit)
    search.compile()
    values: dict[int, Fraction | None] = {}
    known: dict[int, Fraction | None] = {}
    for action in legal_actions(state):
        move = search.move_of(action)
        if move not in known:
            known[move] = search.value_of(move, deadline, node_limit, report)
        values[action] = known[move]
    return HiddenValues(mode, values, search.nodes, time.perf_counter() - started)


def hidden_cards(state: State) -> Counter[int]:
    """Return the cards in the draw pile, unordered: all that are left and not in hands."""
    kinds = state.rules.ranks * state.rules.suits
    cards = Counter({card: count_of(state.left, card) for card in range(kinds)})
    for hand in hands_of(state):
        if HIDDEN in hand:
            raise HanabiError("all hands must be known, but this state hides one")
        cards.subtract(hand)
    return +cards


class HiddenSearch:
    """A search from one position, with a table that all its moves share."""

    def __init__(self, state: State, mode: Mode, memory_limit: int = MEMORY_LIMIT) -> None:
        require_handled(state.rules, HANDLED, COMPONENT)
        if state.rules.inverted and state.rules.deck_plays:
            raise RulesError(f"{COMPONENT} does not support deck_plays with inverted_suits")
        if state.draw_pile > LARGEST_PILE[mode]:
            raise HanabiError(
                f"{state.draw_pile} cards in the draw pile: {COMPONENT} takes at most "
                f"{LARGEST_PILE[mode]} with mode={mode}"
            )
        self.state, self.mode, self.memory_limit = state, mode, memory_limit
        self.pile = hidden_cards(state)
        self.types = list(_live_cards(state, self.pile))
        self.orders = factorial(state.draw_pile)
        self.problem = _problem_of(state, mode, self.types, self.pile)
        self.work = _workspace_of(
            self.problem, _root_of(state, self.problem, self.types, self.pile)
        )

    @property
    def nodes(self) -> int:
        """The positions visited so far."""
        return int(self.work.cursor[NODES])

    def compile(self) -> None:
        """Compile the search before the clock starts."""
        from hanabilab.core import machine_code

        machine_code.prepare(advance, self.work, SLICE)
        machine_code.prepare(start_search, self.work, 0)

    def move_of(self, action: int) -> int:
        """Return the move of the search that corresponds to a legal action."""
        state, event = self.state, Event()
        decode_action(state, action, event)
        if event.kind not in (PLAY, DISCARD):
            return PASS_TURN + 8 * NO_TYPE
        if event.slot == state.hand_count[state.player]:
            return PLAY_PILE + 8 * NO_TYPE
        hand = hands_of(state)[state.player]
        card = hand[event.slot]
        played = event.kind ^ (state.rules.inverted >> card & 1) == PLAY
        if played and state.playable >> card & 1:
            return PLAY_LIVE + 8 * self.types.index(card)
        live, dead = MISPLAYS if played else (DISCARD_LIVE, DISCARD_DEAD)
        each = _type_of(card, state, self.problem, self.types)
        if each is None or (self.problem.merged and hand.count(card) > 1):
            return dead + 8 * NO_TYPE
        return live + 8 * each

    def value_of(
        self,
        move: int,
        deadline: float | None = None,
        node_limit: int | None = None,
        report: Report | None = None,
    ) -> Fraction | None:
        """Return the exact value of a move, or None if a limit is reached first."""
        from hanabilab.core import machine_code

        machine_code.run(start_search, self.work, move)
        while True:
            budget = SLICE if node_limit is None else min(SLICE, node_limit - self.nodes)
            if budget <= 0 or (deadline is not None and time.perf_counter() >= deadline):
                return None
            status = machine_code.run(advance, self.work, budget)
            if status == DONE:
                return self._fraction(int(self.work.frames[0][BEST]))
            if status == CUT_OFF:
                return None
            if status == TABLE_FULL:
                self._enlarge_table()
            if report is not None:
                report(self.nodes)

    def _fraction(self, value: int) -> Fraction:
        scale = self.problem.goal if self.mode == "score" and self.problem.win else 1
        return Fraction(value * scale, self.orders)

    def _enlarge_table(self) -> None:
        """Enlarge the table fourfold; at the limit, let it drop old entries."""
        import numpy as np

        from hanabilab.core import machine_code

        old: Any = self.work.table
        rows, words = old.shape
        if 4 * old.nbytes > self.memory_limit << 20:
            self.work.cursor[USED] = -(1 << 60)
            return
        table: Any = np.zeros((4 * rows, words), np.int64)
        machine_code.run(move_table, old, table)
        self.work = self.work._replace(table=table)


MISPLAYS = MISPLAY_LIVE, MISPLAY_DEAD


def _live_cards(state: State, pile: Counter[int]) -> Iterator[int]:
    """Yield the cards that can still be played, suit by suit, the lowest first."""
    left = pile + Counter(card for hand in hands_of(state) for card in hand)
    for suit in range(state.rules.suits):
        for rank in range(state.fireworks[suit], state.rules.ranks):
            card = suit * state.rules.ranks + rank
            if not left[card]:
                break
            yield card


def _problem_of(state: State, mode: Mode, types: list[int], pile: Counter[int]) -> HiddenProblem:
    """Return the constants of a search from this state."""
    rules, problem = state.rules, HiddenProblem()
    problem.players, problem.types = rules.players, len(types)
    problem.goal = rules.max_score
    problem.all_or_nothing, problem.speedrun = rules.all_or_nothing, rules.speedrun
    problem.score_ends = rules.score_ends
    problem.win = int(mode == "win" or rules.all_or_nothing)
    problem.deck_ends, problem.deck_plays = rules.deck_ends, rules.deck_plays
    problem.keep_score, problem.keep_on_last_turn = rules.keep_score, rules.keep_on_last_turn
    problem.token_for_suit = rules.token_for_suit
    _set_tokens(problem, state)
    problem.harmless = int(rules.deck_ends and _never_forced(problem, rules))
    kept = rules.keep_score or rules.keep_on_last_turn
    problem.last_lives = int(rules.speedrun and not problem.win and kept)
    simple = rules.deck_ends and not rules.deck_plays and problem.hints != TO_TOUCHED
    early = rules.score_ends and not problem.win and not problem.harmless
    problem.merged = int(simple and not early and not problem.last_lives)
    problem.misplays = NEVER if problem.free_discards else AT_FULL
    if not problem.merged:
        problem.misplays = ALWAYS
    problem.dead_type = -1
    _set_fields(problem, state, types, pile)
    return problem


def _set_tokens(problem: HiddenProblem, state: State) -> None:
    """Set the cost of hints and who can be given one.

    If discarding is always allowed, more tokens never hurt, and a whole round of hints achieves
    nothing. Tokens beyond a few hints before each card therefore make no difference.
    """
    rules = state.rules
    problem.hint_cost = rules.discards_per_token
    problem.max_tokens = rules.max_hint_tokens * rules.discards_per_token
    problem.free_discards = int(
        rules.discard_at_full or rules.unlimited_hints or rules.max_hint_tokens == 0
    )
    cards = state.draw_pile + sum(state.hand_count[: rules.players])
    enough = rules.discards_per_token * rules.players * (cards + 2)
    if problem.free_discards and (rules.deck_ends or rules.discards_per_token == 1):
        problem.max_tokens = min(problem.max_tokens, enough)
    problem.hints = _hints_of(state)


def _hints_of(state: State) -> int:
    """Return which players can be given a hint."""
    rules = state.rules
    if rules.open_game:
        return PASSES
    if rules.players == 1 or not rules.all_hints:
        return NO_HINTS
    if rules.free_hints:
        return TO_ANYBODY
    cards = range(rules.ranks * rules.suits)
    touched = {rules.hint_bits[card] != 0 for card in cards if count_of(state.left, card)}
    if len(touched) == 2:
        return TO_TOUCHED
    return TO_CARDS if True in touched else NO_HINTS


def _never_forced(problem: HiddenProblem, rules: RulesRecord) -> bool:
    """Return whether everyone always has a harmless action, a discard or a hint, until the end."""
    if rules.speedrun and not problem.win:  # a discard may lose a card, and all points with it
        return False
    if problem.free_discards or problem.hints in (PASSES, TO_ANYBODY):
        return True
    return problem.hints == TO_CARDS and rules.hand_size > 1


def _set_fields(problem: HiddenProblem, state: State, types: list[int], pile: Counter[int]) -> None:
    """Lay out the counters of the cards of each type in hands and pile."""
    ranks = state.rules.ranks
    left = pile + Counter(card for hand in hands_of(state) for card in hand)
    hand_bits = pile_bits = 0
    for each, card in enumerate(types):
        same = [
            other for other in range(each, len(types)) if types[other] // ranks == card // ranks
        ]
        problem.above[each] = sum(1 << other for other in same)
        problem.starts |= int(card % ranks == state.fireworks[card // ranks]) << each
        problem.tops |= int(card % ranks == ranks - 1) << each
        width = 1 if problem.merged else left[card].bit_length()
        problem.hand_one[each] = 1 << hand_bits
        problem.hand_field[each] = (1 << width) - 1 << hand_bits
        problem.pile_shift[each] = pile_bits
        problem.pile_field[each] = (1 << pile[card].bit_length()) - 1 << pile_bits
        hand_bits += width
        pile_bits += pile[card].bit_length()
    if problem.hints == TO_TOUCHED:
        hand_bits, pile_bits = _set_touched(problem, state, types, pile, hand_bits, pile_bits)
    if hand_bits > WORD_BITS:
        raise HanabiError(f"{hand_bits} bits of cards in hands and pile: too many")
    problem.hand_bits, problem.pile_bits = hand_bits, pile_bits
    problem.token_bits = problem.max_tokens.bit_length()
    settled = problem.harmless and problem.misplays == NEVER
    problem.life_bits = 0 if settled else _lives_of(state).bit_length()
    problem.turn_bits = 0 if problem.harmless else state.rules.players.bit_length() + 1
    problem.count_bits = 0 if problem.harmless else 4


def _set_touched(
    problem: HiddenProblem,
    state: State,
    types: list[int],
    pile: Counter[int],
    hand_bits: int,
    pile_bits: int,
) -> tuple[int, int]:
    """Add a type for the dead cards that hints touch; return the bits of a hand and of the pile."""
    cards = state.draw_pile + sum(state.hand_count[: state.rules.players])
    width, pile_width = cards.bit_length(), state.draw_pile.bit_length()
    dead = problem.dead_type = problem.types
    problem.types += 1
    problem.starts |= 1 << dead
    problem.hand_one[dead] = 1 << hand_bits
    problem.hand_field[dead] = (1 << width) - 1 << hand_bits
    problem.pile_shift[dead] = pile_bits
    problem.pile_field[dead] = (1 << pile_width) - 1 << pile_bits
    for each in range(problem.types):
        if each == dead or state.rules.hint_bits[types[each]]:
            problem.touched |= 1 << each
            problem.touched_bits |= problem.hand_field[each]
    return hand_bits + width, pile_bits + pile_width


def _lives_of(state: State) -> int:
    """Return the lives that matter: more lives than cards never run out."""
    return min(state.lives, state.draw_pile + sum(state.hand_count[: state.rules.players]) + 1)


def _root_of(
    state: State, problem: HiddenProblem, types: list[int], pile: Counter[int]
) -> HiddenNode:
    node = HiddenNode()
    for player, hand in enumerate(hands_of(state)):
        node.counts |= len(hand) << (4 * player)
        for card in hand:
            if (each := _type_of(card, state, problem, types)) is not None:
                one = problem.hand_one[each]
                node.held[player] += 0 if problem.merged and node.held[player] & one else one
    for card, copies in pile.items():
        if (each := _type_of(card, state, problem, types)) is not None:
            node.pile += copies << problem.pile_shift[each]
    node.alive = (1 << len(types)) - 1
    node.pile_size, node.score, node.lives = state.draw_pile, state.score, _lives_of(state)
    tokens = state.hint_tokens * state.rules.discards_per_token + state.token_part
    node.tokens = min(tokens, problem.max_tokens)
    node.turns_left, node.player = state.turns_left, state.player
    return node


def _type_of(card: int, state: State, problem: HiddenProblem, types: list[int]) -> int | None:
    """Return the type that a card counts as; None for an ordinary dead card."""
    if card in types:
        return types.index(card)
    return problem.dead_type if problem.touched and state.rules.hint_bits[card] else None


def _workspace_of(problem: HiddenProblem, root: HiddenNode) -> HiddenWorkspace:
    """Allocate a workspace with the root in it."""
    import numpy as np

    cards = root.pile_size + sum(root.counts >> (4 * player) & 15 for player in range(10))
    hints = (root.tokens + 2 * cards) // problem.hint_cost if problem.hints != NO_HINTS else 0
    depth = hints + cards + 4
    if depth > DEEPEST:
        raise RulesError(f"{COMPONENT} does not support that many hint tokens")

    def zeros(*shape: int) -> Any:
        return np.zeros(shape, np.int64)

    path, after = np.zeros(depth, dtype(HiddenNode)), np.zeros(depth, dtype(HiddenNode))
    path[0] = pack(root)[0]
    words = write_key(problem, root, [0] * KEY_WORDS)
    return HiddenWorkspace(
        problem=pack(problem)[0],
        path=path,
        after=after,
        frames=zeros(depth, FRAME_WORDS),
        moves=zeros(depth, MAX_MOVES),
        keys=zeros(depth, KEY_WORDS),
        table=zeros(FIRST_ROWS, words + 1),
        cursor=aligned_buffer(3),  # type: ignore[arg-type]
        factorials=np.array([factorial(n) for n in range(21)], np.int64),  # type: ignore[arg-type]
        scratch=zeros(2, problem.players + 2),
    )
