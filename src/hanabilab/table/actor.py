"""A strategy in one seat of a game that someone else runs: an environment, a page, a loop.

An `Actor` is asked for an action when it is its turn. It follows the game in its own copy and shows
the strategy every turn since it was last asked, so that strategies with a memory play exactly as
they do in `hanabilab.table.play`. The strategy itself sees only views, as everywhere.
"""

from __future__ import annotations

from hanabilab.errors import ActionError, StrategyError
from hanabilab.game.actions import legal_actions
from hanabilab.game.deck import check_seed
from hanabilab.strategies import Player, find_strategy
from hanabilab.table.failure import illegal_choice
from hanabilab.table.game import Game
from hanabilab.table.partner import Partner

__all__ = ["Actor"]

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
        self._partner: Partner
        self._asked: int
        """The turn in which it was last asked."""
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
            self._answer = self._partner.act(self._twin.state)
            self._asked = current.turn
        if self._answer not in legal_actions(current.state):
            who, turn = (self.strategy, self.player, self._answer), current.turn
            raise illegal_choice(*who, turn, self.seed, self.number)
        return self._answer

    def follow(self, game: object) -> Game:
        """See what has happened since last time; another game is followed from its start."""
        source, current = _read(game)
        if source is not self._followed:
            self.join(current, self.seed, self.number + (self._followed is not None))
            self._followed = source
        self._twin.deck = current.deck  # in HLE's games, later cards become known only later
        for action in current.actions[self._twin.turn :]:
            if self._twin.player == self.player and self._asked != self._twin.turn:
                self._partner.follow(self._twin.state)  # someone else acted in its place
            event = self._twin.act(action)
            self._partner.observe(self._twin.state, event)
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
        self._partner = Partner(self.strategy, self.player, seed, number)
        self._partner.begin(self._twin.state)


def _read(source: object) -> tuple[object, Game]:
    """Return an object that stays the same throughout a game, and the game as it stands."""
    game = getattr(source, "game", source)
    if isinstance(game, Game):
        return game, game
    state = getattr(source, "state", source)
    if not hasattr(state, "to_game"):
        raise ActionError(f"{source!r:.80} is not a game that an actor can follow")
    current: Game = state.to_game()
    return state, current
