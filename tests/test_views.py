"""No player can cheat: a view contains neither their own cards nor the draw pile."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab import Deck, Game, Rules, preset
from hanabilab.author import Event, View, kernel
from hanabilab.core.random import below
from hanabilab.core.record import Record
from hanabilab.errors import ActionError, StrategyError
from hanabilab.game import HIDDEN_HAND, card_in, count_legal, hints_that_touch, nth_legal
from hanabilab.game.state import State, view_of
from hanabilab.strategies import Memory, Strategy, find_strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import play
from tests.tables import choose, random_deck, random_rules

RANDOM = find_strategy("random")
BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])


def places_unseen_by(game: Game, observer: int) -> list[int]:
    """Where in the deck the observer's cards and the draw pile are."""
    where: list[list[int]] = [[] for _ in range(game.rules.players)]
    dealt = iter(range(len(game.deck)))
    for hand in where:
        hand.extend(next(dealt) for _ in range(game.rules.hand_size))
    for event in game.events:
        if event.kind <= 1:
            del where[event.player][event.slot]
            if event.drew:
                where[event.player].append(next(dealt))
    return [*where[observer], *dealt]


def replayed(game: Game, cards: list[int]) -> Game | None:
    """The same actions with another deck, if every player sees the same happen."""
    again = Game(game.rules, Deck.of(game.rules, cards))
    try:
        for action in game.actions:
            again.act(action)
    except ActionError:
        return None
    return again if again.events == game.events else None


@given(random_rules(), st.integers(0, 2**32), st.integers(0, 60))
@settings(max_examples=60)
def test_exchanging_unseen_cards_leaves_the_view_unchanged(
    rules: Rules, seed: int, turns: int
) -> None:
    """Only the cards themselves tell such games apart, and every player's view is the same."""
    chance = random.Random(seed)
    deck = random_deck(rules, chance)
    game = Game(rules, deck)
    while not game.is_over and game.turn < turns:
        game.act(choose(game, chance))
    for observer in range(rules.players):
        unseen = places_unseen_by(game, observer)
        for _ in range(4):
            cards = list(deck)
            moved = chance.sample(unseen, min(len(unseen), chance.choice([2, 2, 3, len(unseen)])))
            turned = moved[1:] + moved[:1]
            for here, there in zip(moved, turned, strict=True):
                cards[here] = deck[there]
            other = replayed(game, cards)
            if other is not None:
                assert other.view(observer) == game.view(observer)
                assert repr(other.view(observer)) == repr(game.view(observer))


def test_the_exchange_test_exchanges_something() -> None:
    """At the start every exchange is consistent, and it changes the state but no view."""
    game = Game("hle", players=2, seed=1)
    cards = list(game.deck)
    assert cards[0] != cards[10]
    cards[0], cards[10] = cards[10], cards[0]
    other = replayed(game, cards)
    assert other is not None
    assert other.state != game.state
    assert other.view(1) != game.view(1)
    assert other.view(0) == game.view(0)


@given(random_rules(), st.integers(0, 2**32), st.integers(0, 30))
@settings(max_examples=30)
def test_a_view_is_the_state_without_one_hand(rules: Rules, seed: int, turns: int) -> None:
    chance = random.Random(seed)
    rules = rules.replace(hidden_plays=False)  # tests.test_variants covers what these views hide
    game = Game(rules, random_deck(rules, chance))
    while not game.is_over and game.turn < turns:
        game.act(choose(game, chance))
    for observer in range(rules.players):
        view = game.view(observer)
        assert view.hands[observer] == HIDDEN_HAND
        for name, value in game.state.items():
            if name not in ("hands", "observer"):
                assert getattr(view, name) == value
        for player in range(rules.players):
            if player != observer:
                assert view.hands[player] == game.state.hands[player]
        assert vars(view).keys() == State.fields.keys()


def overwrite(record: Record) -> None:
    """Write to every field of a record."""
    for name, value in record.items():
        if isinstance(value, Record):
            overwrite(value)
        elif isinstance(value, int):
            setattr(record, name, 7)
        else:
            value[:] = [[7] * len(row) if isinstance(row, list) else 7 for row in value]


def test_writing_to_a_view_changes_no_game() -> None:
    game = Game(players=2, seed=1)
    before = game.state.copy()
    overwrite(game.view(0))
    assert game.state == before


@pytest.mark.parametrize("player", [-1, 2, 99])
def test_views_of_nobody_are_refused(player: int) -> None:
    with pytest.raises(ActionError, match=f"there is no player {player}"):
        Game(players=2).view(player)


# Strategies that try to cheat.


@kernel
def spoil(view: View) -> None:
    """Write whatever would help (but not what would make the game endless)."""
    view.hint_tokens = 8
    view.rules.max_hint_tokens = 1000
    view.lives = 3
    view.rules.max_lives = 1000
    view.score = 25
    view.playable = view.rules.all_cards
    view.rules.empty_hints = 1
    view.rules.keep_score = 1
    for suit in range(view.rules.suits):
        view.fireworks[suit] = view.rules.ranks
    for player in range(view.rules.players):
        view.hands[player] = 0
        view.possible[player][0] = 1


@kernel
def random_but_spoiling(view: View, memory: Memory) -> int:
    """Act like the random strategy, and spoil the view."""
    action = nth_legal(view, below(memory, count_legal(view)))
    spoil(view)
    return action


@kernel
def spoil_turn(view: View, event: Event, memory: Memory) -> None:
    """Spoil what everyone is told."""
    spoil(view)
    event.player = 0
    event.kind = 1
    event.card = 0
    event.lit = 1
    event.token = 1


@kernel
def spoil_start(view: View, memory: Memory) -> int:
    """Spoil the table before the first turn."""
    spoil(view)
    return 0


SPOILERS = {
    "act": Strategy("spoiler", random_but_spoiling),
    "all": Strategy("spoiler", random_but_spoiling, observe=spoil_turn, begin=spoil_start),
    "observe behind our own": dataclasses.replace(RANDOM, observe=spoil_turn),
    "begin behind our own": dataclasses.replace(RANDOM, begin=spoil_start),
}


@BOTH
@pytest.mark.parametrize("spoiler", SPOILERS)
def test_writing_to_what_one_is_handed_gains_nothing(spoiler: str, compiled: bool) -> None:
    rules = preset("hle", 3)
    honest = play_chunk(rules, [RANDOM] * 3, 1, 0, 20, compiled=False)
    seats = [SPOILERS[spoiler], RANDOM, RANDOM]
    rows = play_chunk(rules, seats, 1, 0, 20, compiled=compiled)
    assert [list(map(int, row)) for row in rows] == honest


@kernel
def peek(view: View, memory: Memory) -> int:
    """Play at random, but act illegally if a card of the player's own hand can be seen."""
    for slot in range(view.rules.hand_size):
        if card_in(view.hands[view.observer], slot) != 63:
            return 9999
    if view.observer != view.player:
        return 9998
    return nth_legal(view, below(memory, count_legal(view)))


@kernel
def peek_at_turn(view: View, event: Event, memory: Memory) -> None:
    """The same while others act: a card seen spoils the coins, so that the games differ."""
    if view.hands[view.observer] != HIDDEN_HAND:
        memory.stream += 1


@kernel
def peek_at_start(view: View, memory: Memory) -> int:
    """The same before the game."""
    if view.hands[view.observer] != HIDDEN_HAND:
        memory.stream += 1
    return 0


PEEKER = Strategy("peeker", peek, observe=peek_at_turn, begin=peek_at_start)


@BOTH
def test_own_cards_are_never_seen(compiled: bool) -> None:
    rules = preset("hle", 3)
    honest = play_chunk(rules, [RANDOM] * 3, 2, 0, 20, compiled=False)
    rows = play_chunk(rules, [PEEKER] * 3, 2, 0, 20, compiled=compiled)
    assert [list(map(int, row)) for row in rows] == honest
    declared = dataclasses.replace(PEEKER, sees_own_hand=True)
    with pytest.raises(StrategyError, match="chose action 9999 in turn 1"):
        play_chunk(rules, [declared] * 3, 2, 0, 1, compiled=compiled)


STASH: list[Record] = []


def stash(view: View, memory: Memory) -> int:
    """Keep every view; look at all of them again in every turn."""
    STASH.append(view)
    for kept in STASH:
        assert kept.hands[kept.observer] == HIDDEN_HAND  # type: ignore[attr-defined]
    return nth_legal(view, below(memory, count_legal(view)))


def stash_turn(view: View, event: Event, memory: Memory) -> None:
    """Keep the views of others' turns too, and the events."""
    STASH.append(view)


def stash_start(view: View, memory: Memory) -> int:
    """Keep the view before the first turn."""
    STASH.append(view)
    return 0


def test_kept_views_show_nothing_later() -> None:
    """A view is a copy: what is put back into the state does not appear in it."""
    STASH.clear()
    keeper = Strategy("keeper", stash, observe=stash_turn, begin=stash_start)
    rules = preset("hle", 2)
    play_chunk(rules, [keeper, RANDOM], 3, 0, 3, compiled=False)
    play(keeper, Deck.shuffled(rules, seed=3), seed=3)
    assert len(STASH) > 50
    for kept in STASH:
        assert kept.hands[kept.observer] == HIDDEN_HAND  # type: ignore[attr-defined]


def test_asking_about_the_own_hand_says_nothing() -> None:
    """The hints that would touch a player's own hidden cards: none, by design."""
    view = Game(players=2, seed=1).view(1)
    assert hints_that_touch(view, 1) == 0
    assert hints_that_touch(view, 0) != 0


def test_views_have_no_way_back_to_the_game() -> None:
    """Nothing in a view refers to anything but numbers."""
    view = view_of(Game(players=3, seed=1).state, 1)

    def numbers_only(value: Any) -> bool:
        if isinstance(value, Record):
            return all(map(numbers_only, vars(value).values()))
        if isinstance(value, list):
            return all(map(numbers_only, value))
        return type(value) is int

    assert numbers_only(view)


# Illegal actions.


class Fault(Memory):
    """Which illegal action to choose, and when."""

    action: int
    turn: int


@kernel
def misbehave(view: View, memory: Fault) -> int:
    """Play along until one's turn has come."""
    if view.turn == memory.turn:
        return memory.action
    return nth_legal(view, below(memory, count_legal(view)))


def fault(action: int, turn: int) -> Strategy:
    """A strategy that chooses this action in this turn."""

    def memory() -> Memory:
        return Fault(action=action, turn=turn)

    class Faulty(Strategy):
        __slots__ = ()

        def fresh_memory(self) -> Memory:
            return memory()

    return Faulty("faulty", misbehave, memory=Fault)


ILLEGAL = [-1, -2, -5, -(1 << 62), 30, 999, 1 << 62, 0]
"""Numbers of no action, and discarding with all tokens there."""


@BOTH
@pytest.mark.parametrize("action", ILLEGAL)
def test_illegal_numbers(action: int, compiled: bool) -> None:
    rules = preset("hle", 3)
    with pytest.raises(StrategyError) as caught:
        play_chunk(rules, [fault(action, 0)] * 3, 9, 5, 3, compiled=compiled)
    assert "faulty, player 0, chose action" in str(caught.value)
    assert "in turn 1 of game 5 of seed 9" in str(caught.value)
    assert f"chose action {action} " in str(caught.value) or action == -(1 << 62)


@BOTH
def test_illegal_hint_later_on(compiled: bool) -> None:
    """A hint that touches no card, by player 1 in the second turn of the second game."""
    rules = preset("hle", 3)
    seats = [RANDOM, fault(-7, 4), RANDOM]
    with pytest.raises(StrategyError, match=r"player 1, .* turn 5 of game 0 of seed 4"):
        play_chunk(rules, seats, 4, 0, 2, compiled=compiled)
    game = Game(rules, seed=4)
    legal = {action.number(game.state) for action in game.legal_actions()}
    empty = next(number for number in range(10, 30) if number not in legal)
    with pytest.raises(StrategyError, match=f"player 0, chose action {empty} in turn 1"):
        play_chunk(rules, [fault(empty, 0)] * 3, 4, 0, 1, repeats=2, compiled=compiled)


@pytest.mark.parametrize("action", ILLEGAL)
def test_illegal_numbers_in_one_game(action: int) -> None:
    deck = Deck.shuffled(preset("hle", 3), seed=4)
    with pytest.raises(StrategyError, match=r"player 0, chose action .* in turn 1 of game 6"):
        play([fault(action, 0), RANDOM, RANDOM], deck, seed=4, game=6)


@pytest.mark.parametrize("answer", [None, "play 0", 1.0, True, [0]])
def test_answers_that_are_no_number(answer: Any) -> None:
    forgetful = Strategy("forgetful", lambda view, memory: answer)
    said = r"forgetful, player 0, failed in turn 1 .*: it answered "
    with pytest.raises(StrategyError, match=said):
        play_chunk(preset("hle", 2), [forgetful] * 2, 0, 0, 1, compiled=False)
    with pytest.raises(StrategyError, match=said):
        play(forgetful, Deck.shuffled(players=2))


def test_too_few_strategies() -> None:
    with pytest.raises(StrategyError, match="2 strategies for 3 players"):
        play_chunk(preset("hle", 3), [RANDOM] * 2, 0, 0, 1, compiled=False)
    with pytest.raises(StrategyError, match="2 strategies for 3 players"):
        play(["random", "random"], Deck.shuffled(players=3))
