"""Bounds for a player who cannot see the own hand: against games played world by world."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest

from hanabilab.errors import HanabiError
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.lab.review.bracket import Bracket, bracket, numbers_of
from hanabilab.solver.hidden import Mode, solve_hidden
from hanabilab.table.game import Game
from hanabilab.table.players import Actor

ACTIONS = (
    "15 6 15 9 10 5 13 8 17 7 11 14 5 1 0 10 6 1 0 11 9 1 0 2 14 9 0 11 9 17 9 19 17 9 2 2 1 "
    "12 9 2 12 7 18 6 19 6 5 5 13 9 1 0 1 14 9 0 1 11 12 17 9 18"
)
"""The turns of a game after which the hints leave four hands, with two cards to be drawn."""


@cache
def late_game() -> Game:
    deck = Deck.shuffled(preset("classic", 2), seed=2026, game=39)
    game = Game(deck.rules, deck)
    for number in ACTIONS.split():
        game.act(int(number))
    return game


def bounds(game: Game, mode: Mode = "win") -> Bracket:
    found = bracket(game, mode=mode, belief="hints")
    assert found is not None
    return found


def decks_of_worlds(game: Game) -> Iterator[list[int]]:
    """Every deck that looks the same to the player to move."""
    size, players = game.rules.hand_size, game.rules.players
    places = [list(range(player * size, (player + 1) * size)) for player in range(players)]
    drawn = players * size
    replayed = Game(game.rules, game.deck)
    for number in numbers_of(game):
        event = replayed.act(number)
        if event.kind in (PLAY, DISCARD):
            places[event.player].pop(event.slot)
            if event.drew:
                places[event.player].append(drawn)
                drawn += 1
    unseen = [*places[game.player], *range(drawn, game.rules.deck_size)]
    possible = game.state.possible[game.player]
    for cards in set(permutations([game.deck.cards[place] for place in unseen])):
        if all(possible[n] >> card & 1 for n, card in enumerate(cards[: len(places[game.player])])):
            deck = list(game.deck)
            for place, card in zip(unseen, cards, strict=True):
                deck[place] = card
            yield deck


def worlds_of(game: Game) -> list[Game]:
    """The game so far in each of these decks."""
    games = []
    for deck in decks_of_worlds(game):
        games.append(Game(game.rules, Deck.of(game.rules, deck)))
        for number in numbers_of(game):
            games[-1].act(number)
    return games


def test_the_lower_bound_is_what_the_convention_reaches() -> None:
    """Actors who follow the game from their seats play every world to its end."""
    game = late_game()
    wins, points = bounds(game).lower, bounds(game, "score").lower
    for action in (9, 13):
        scores = []
        for world in worlds_of(game):
            world.act(action)
            actors = [Actor("conventions", player) for player in range(2)]
            while not world.is_over:
                world.act(actors[world.player].act(world))
            scores.append(world.score)
        assert len(scores) == bounds(game).worlds == 8
        assert points[action] == Fraction(sum(scores), len(scores))
        assert wins[action] == Fraction(scores.count(25), len(scores))
    assert len({wins[action] for action in (9, 13)}) > 1


@pytest.mark.parametrize("mode", ["win", "score"])
def test_the_upper_bound_is_the_mean_with_all_hands_known(mode: Mode) -> None:
    game = late_game()
    found = bounds(game, mode)
    states = [world.state for world in worlds_of(game)]
    for action, upper in found.upper.items():
        values = [solve_hidden(state, mode=mode).values[action] or 0 for state in states]
        assert upper == Fraction(sum(values), len(values))
        assert found.lower[action] <= upper
    assert found.low == found.high == found.value


def test_errors_are_certain() -> None:
    """An action is called an error only if it cannot be worth what another one reaches."""
    found = bounds(late_game())
    verdicts = {action: found.is_error(action) for action in found.lower}
    assert {True, False} <= set(verdicts.values())
    assert all(found.upper[action] < found.low for action, bad in verdicts.items() if bad)


def test_no_bounds_from_some_of_the_worlds() -> None:
    game = late_game()
    assert bracket(game, belief="hints", most_worlds=5) is None
    assert bracket(game, time_limit=0) is None
    believed = bracket(game, belief="convention")
    assert believed is not None
    assert believed.hands <= bounds(game).hands
    with pytest.raises(HanabiError, match="belief"):
        bracket(game, belief="faith")  # type: ignore[arg-type]
