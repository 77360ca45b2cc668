"""Games and positions of `hatter` and `duo`, with everyone's memories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hanabilab import Action, Game, Rules, preset
from hanabilab.author import Strategy
from hanabilab.game.actions import HINT_RANK, HINT_SUIT, Event, decode_action, is_legal
from hanabilab.game.cards import card_in
from hanabilab.game.deck import card_multiset
from hanabilab.game.state import State, View, view_of
from hanabilab.game.turn import take_turn
from hanabilab.papers.fixtures import cards_in
from hanabilab.strategies.hatter import DUO
from hanabilab.strategies.hatter.laws import update_law
from hanabilab.strategies.hatter.memory import PublicTables
from hanabilab.strategies.hatter.questions import answer_questions, ask, reset_told
from hanabilab.strategies.hatter.signals import propose_hints
from hanabilab.strategies.hatter.tables import project, update_tables
from hanabilab.strategies.strategy import NONE, Candidates

TWO, THREE, FOUR = (preset("classic", players) for players in (2, 3, 4))
ONES = "r1 y1 g1 b1 w1"
CALM = "y3 y4 w3 w4 b3"
"""A hand without a playable or critical card."""
OLDEST = DUO.with_options(newer_worth=0)
"""`duo` with the oldest of equal cards on the chop, slot 0 at the start."""


def turns(game: Game, strategy: Strategy, *, strange: int = 0) -> Iterator[list[Any]]:
    """Play a game interpreted; yield everyone's memories after each turn.

    Every `strange` turns, if that is not 0, a player does something that the others misunderstand.
    """
    assert strategy.begin
    assert strategy.observe
    players = range(game.rules.players)
    memories: list[Any] = [strategy.fresh_memory() for _ in players]
    for player in players:
        strategy.begin(game.view(player), memories[player])
    while not game.is_over:
        action: Action | int = strategy.act(game.view(game.player), memories[game.player])
        if strange and game.turn % strange == strange - 1:
            action = game.legal_actions()[game.turn * 7 % len(game.legal_actions())]
        event = game.act(action)
        for player in players:
            strategy.observe(game.view(player), event, memories[player])
        yield memories


def is_true(game: Game, tables: PublicTables) -> bool:
    """Return whether every slot's possible cards include the one that is there."""
    return all(
        tables.public[player][slot] >> card_in(game.state.hands[player], slot) & 1
        for player in range(game.rules.players)
        for slot in range(game.state.hand_count[player])
    )


def at(
    strategy: Strategy, state: State, known: dict[tuple[int, int], str] | None = None
) -> list[Any]:
    """Return everyone's memory at a table where `known` says what some slots publicly may be."""
    assert strategy.begin
    rules = FOUR if state.rules.players == 4 else THREE if state.rules.players == 3 else TWO
    memories: list[Any] = []
    for player in range(state.rules.players):
        memory: Any = strategy.fresh_memory()
        view = view_of(state, player)
        strategy.begin(view, memory)
        for (owner, slot), cards in (known or {}).items():
            memory.tables.public[owner][slot] = bits(cards, rules)
        memory.tables.changed = 1
        update_tables(view, memory.tables)
        if strategy.name == DUO.name:
            update_law(view, memory)
        memories.append(memory)
    return memories


def bits(cards: str, rules: Rules = TWO) -> int:
    """Return ``r1 y2`` as a set of cards, and ``not r1 y2`` as all others."""
    listed = sum(1 << card for card in cards_in(cards.removeprefix("not "), rules))
    return (1 << rules.max_score) - 1 & ~listed if cards.startswith("not ") else listed


def act(strategy: Strategy, state: State, memories: list[Any]) -> Event:
    """Let the player to move act and everyone see it, and check the tables."""
    assert strategy.observe
    event = Event()
    mover = state.player
    decode_action(state, strategy.act(view_of(state, mover), memories[mover]), event)
    assert is_legal(state, event)
    take_turn(state, card_multiset(TWO), event)
    for player, memory in enumerate(memories):
        strategy.observe(view_of(state, player), event, memory)
    rows = [memory.tables.public for memory in memories]
    for player in range(state.rules.players):
        for slot in range(state.hand_count[player]):
            assert len({table[player][slot] for table in rows}) == 1
            if player != mover:
                assert rows[0][player][slot] >> card_in(state.hands[player], slot) & 1
    return event


def is_hint(event: Event) -> bool:
    return event.kind in (HINT_RANK, HINT_SUIT)


def told(
    state: State, memories: list[Any], player: int, hats: int, need: int = 0
) -> tuple[int, list[int], list[tuple[int, int]]]:
    """Return the hat of a hand, what its owner learns from it, and the first question.

    Both sides must come to the same tables, and these must be true.
    """
    giver = (player + 1) % state.rules.players
    seen, mine = view_of(state, giver), view_of(state, player)
    project(seen, memories[giver], giver)
    project(mine, memories[player], giver)
    reset_told(seen, memories[giver], player)
    hat = answer_questions(seen, memories[giver], player, hats, NONE, need)
    reset_told(seen, memories[giver], player)
    ask(seen, memories[giver], player, hats, need)
    pairs = list(zip(memories[giver].question.slots, memories[giver].question.cards, strict=True))
    question = pairs[: memories[giver].question.pairs]
    reset_told(seen, memories[giver], player)
    assert hat == answer_questions(seen, memories[giver], player, hats, NONE, need)
    assert 0 <= hat < hats
    reset_told(mine, memories[player], player)
    assert answer_questions(mine, memories[player], player, hats, hat, need) == hat
    cards = state.hand_count[player]
    row: list[int] = memories[player].signal.told[player][:cards]
    assert row == memories[giver].signal.told[player][:cards]
    assert all(row[slot] >> card_in(state.hands[player], slot) & 1 for slot in range(cards))
    return hat, row, question


def telling_hints(view: View, memory: Any) -> list[int]:
    """Return all hints that tell the right number."""
    candidates = Candidates()
    propose_hints(view, memory.copy(), candidates)
    return candidates.actions[: candidates.count]
