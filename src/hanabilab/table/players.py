"""Strategies in games run by other code: an `Actor` that follows a game, and explanations of games.

Both drive the strategies' seats (`hanabilab.strategies.seats`) through a copy of the game, so that
strategies with a memory play exactly as they do in `hanabilab.play`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hanabilab.errors import ActionError, StrategyError
from hanabilab.formats.describe import NUMBERED, Labels
from hanabilab.game.actions import legal_actions
from hanabilab.game.deck import check_seed
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.failure import illegal_action_error
from hanabilab.table.game import Game
from hanabilab.table.play import Team, strategies_for

__all__ = ["Actor", "explain_followed_game", "explain_game"]


NEVER = -1


class Actor:
    """A strategy, or a policy, that plays as `player` in one game after another.

    >>> game = Game("hle", players=2, seed=1)
    >>> actors = [Actor("iggi", player, seed=1) for player in range(2)]
    >>> while not game.is_over:
    ...     event = game.act(actors[game.player].act(game))

    `seed` and `number` seed the strategy's own random numbers, as `seed` and `game` do in
    `hanabilab.play`; each further game that the actor meets gets the next number. It runs
    interpreted, unless the strategy is too slow for that.
    """

    def __init__(self, strategy: Player, player: int, *, seed: int = 0, number: int = 0) -> None:
        self.strategy = find_strategy(strategy)
        self.player = player
        self.seed = check_seed("seed", seed)
        self.number = check_seed("number", number)
        self._followed: object = None
        self._twin: Game
        self._seat: Seat
        self._asked: int
        """The turn in which it was last asked to act."""
        self._answer: int

    def act(self, game: object) -> int:
        """Return the number of the action that the strategy chooses now.

        `game` is a `Game`, or an environment of `hanabilab.envs` that plays one game at a time:
        anything with a `Game` as its attribute `game`, or with a state that has `to_game`.
        """
        current = self.follow(game)
        if current.is_over:
            raise ActionError(f"player {self.player} cannot act: the game is over ({current.end})")
        if current.player != self.player:
            raise ActionError(f"it is player {current.player}'s turn, not player {self.player}'s")
        if self._asked != current.turn:
            self._answer = self._seat.act(self._twin.state)
            self._asked = current.turn
        if self._answer not in legal_actions(current.state):
            who, turn = (self.strategy, self.player, self._answer), current.turn
            raise illegal_action_error(*who, turn, self.seed, self.number)
        return self._answer

    def follow(self, game: object) -> Game:
        """Process the events since the last call; a different game is followed from its start."""
        source, current = _read(game)
        if source is not self._followed:
            self.join(current, self.seed, self.number + (self._followed is not None))
            self._followed = source
        if current.deck != self._twin.deck:  # in HLE's games, cards become known only later
            self._twin.replace_deck(current.deck)
        for action in current.actions[self._twin.turn :]:
            if self._twin.player == self.player and self._asked != self._twin.turn:
                self._seat.follow(self._twin.state)  # someone else acted in its place
            event = self._twin.act(action)
            self._seat.observe(self._twin.state, event)
        return current

    def join(self, game: Game, seed: int, number: int) -> None:
        """Take a seat in a game and follow it from its start."""
        if not 0 <= self.player < game.rules.players:
            players = game.rules.players
            raise StrategyError(f"there is no player {self.player} in a game of {players} players")
        self.strategy.check(game.rules)
        self.seed, self.number = seed, number
        self._followed = game
        self._twin = Game(game.rules, game.deck)
        self._twin.state.player = game.events[0].player if game.events else game.player
        self._asked = NEVER
        self._seat = Seat.in_game(self.strategy, self.player, seed, number)
        self._seat.begin(self._twin.state)


def _read(source: object) -> tuple[object, Game]:
    """Return an object that identifies the game throughout, and its current state."""
    game = getattr(source, "game", source)
    if isinstance(game, Game):
        return game, game
    state = getattr(source, "state", source)
    if not hasattr(state, "to_game"):
        raise ActionError(f"{source!r:.80} is not a game that an actor can follow")
    current: Game = state.to_game()
    return state, current


def explain_game(
    played: Game,
    strategies: Team,
    *,
    seed: int = 0,
    game: int = 0,
    reader: int | None = None,
    labels: Labels = NUMBERED,
) -> list[str]:
    """Return one sentence for each turn of a game that these strategies played.

    `seed` and `game` are those of the original game. A slow strategy, or one that is not a kernel,
    is asked again only if it explains afterwards (`About.explains_afterwards`); otherwise its
    explanation must not depend on its memory.
    """
    seated = strategies_for(strategies, played.rules.players)
    seats = [Seat.in_game(each, player, seed, game) for player, each in enumerate(seated)]
    thinking = [each for each in seats if _thinks_again(each.strategy)]
    watching = [each for each in seats if _can_watch(each.strategy)]
    again = Game(played.rules, played.deck)
    for seat in watching:
        seat.begin(again.state)
    sentences = []
    for action in played.actions:
        seat, number = seats[again.player], action.number(again.state)
        assert number is not None
        if seat in thinking and seat.act(again.state) != number:
            raise StrategyError(
                f"{seat.strategy.label}, player {again.player}, would not {action} in turn "
                f"{again.turn + 1}; this is not its game"
            )
        sentences.append(seat.explain(again.state, number, reader, labels))
        event = again.act(action)
        for observer in watching:
            observer.observe(again.state, event)
    return sentences


def explain_followed_game(
    played: Game,
    seated: Mapping[int, Strategy],
    since: Sequence[int],
    *,
    seed: int = 0,
    game: int = 0,
    reader: int | None = None,
    labels: Labels = NUMBERED,
) -> list[str | None]:
    """Return one sentence for each turn that a strategy took in a game with other players too.

    `since` is the turn from which the strategy in each seat acted. Strategies follow the game
    without checking whether they would have acted the same way, because slow ones do not think
    again.
    """
    seats = {player: Seat.in_game(each, player, seed, game) for player, each in seated.items()}
    again = Game(played.rules, played.deck)
    for seat in seats.values():
        seat.begin(again.state)
    sentences: list[str | None] = []
    for action in played.actions:
        acting, number = seats.get(again.player), action.number(again.state)
        said = None
        if acting is not None and number is not None and again.turn >= since[again.player]:
            acting.follow(again.state)
            said = acting.explain(again.state, number, reader, labels)
        sentences.append(said)
        event = again.act(action)
        for observer in seats.values():
            observer.observe(again.state, event)
    return sentences


def _can_watch(strategy: Strategy) -> bool:
    return strategy.can_compile or strategy.about.explains_afterwards


def _thinks_again(strategy: Strategy) -> bool:
    return strategy.about.explains_afterwards or (strategy.can_compile and not strategy.slow)
