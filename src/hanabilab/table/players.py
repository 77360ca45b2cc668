"""A strategy in one seat of a game that others run: it acts when asked and sees every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hanabilab.core.random import coin_stream
from hanabilab.errors import ActionError, StrategyError
from hanabilab.formats.describe import NUMBERED, Labels
from hanabilab.game.actions import Event, legal_actions
from hanabilab.game.deck import STRATEGY_STREAMS, check_seed
from hanabilab.game.state import State, view_of
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Memory, Strategy
from hanabilab.table.failure import illegal_choice
from hanabilab.table.game import Game
from hanabilab.table.play import Team, seat

__all__ = ["Actor", "Partner", "followed_reasons", "reasons"]


class Partner:
    """One strategy in one seat, interpreted unless it is too slow for that.

    It plays exactly as in `hanabilab.table.play.play` with the same seed and game number, and is
    given copies, so that nothing it does touches the game.
    """

    def __init__(self, strategy: Strategy, player: int, seed: int, game: int) -> None:
        self.strategy = strategy
        self.player = player
        stream = coin_stream(seed, game, STRATEGY_STREAMS + player)
        self._seat = Seat(strategy, player, stream, compiled=strategy.slow)
        self.before = self.memory
        """The memory with which it explains its last action."""

    @property
    def memory(self) -> Memory:
        """A copy of what it remembers now."""
        return self._seat.memory

    def begin(self, state: State) -> None:
        """See the table before the first turn."""
        self._seat.begin(state)

    def act(self, state: State) -> int:
        """Choose an action."""
        self.before = self.memory
        action = self._seat.act(state)
        if self.strategy.about.explains_afterwards:
            self.before = self.memory
        return action

    def hurry(self) -> None:
        """Make it act at once if it is thinking; call this from another thread."""
        self._seat.hurry()

    def follow(self, state: State) -> None:
        """Come to the turn in which it acted, when a game is taken up again.

        A slow strategy does not think again, nor does another program.
        """
        if self.strategy.slow or self.strategy.external:
            self.before = self.memory
        else:
            self.act(state)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        self._seat.observe(state, event)

    def why(
        self, state: State, action: int, reader: int | None = None, labels: Labels = NUMBERED
    ) -> str:
        """Explain its last action, for a player at the table; `state` is from before it."""
        view = view_of(state, self.player)
        if self.strategy.sees_own_hand:
            view.hands[self.player] = state.hands[self.player]
        return self.strategy.explain(view, self.before, action, reader, labels)


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


def reasons(
    played: Game,
    strategies: Team,
    *,
    seed: int = 0,
    game: int = 0,
    reader: int | None = None,
    labels: Labels = NUMBERED,
) -> list[str]:
    """Return one sentence for each turn of a game that these strategies played.

    `seed` and `game` are those it was played with. A slow strategy, or one that is not a kernel,
    is asked again only if it explains what it thought; else what it says must not depend on its
    memory.
    """
    seated = seat(strategies, played.rules.players)
    partners = [Partner(each, player, seed, game) for player, each in enumerate(seated)]
    thinking = [each for each in partners if _thinks_again(each.strategy)]
    watching = [each for each in partners if each.strategy.can_compile]
    again = Game(played.rules, played.deck)
    for partner in watching:
        partner.begin(again.state)
    sentences = []
    for action in played.actions:
        partner, number = partners[again.player], action.number(again.state)
        assert number is not None
        if partner in thinking and partner.act(again.state) != number:
            raise StrategyError(
                f"{partner.strategy.label}, player {again.player}, would not {action} in turn "
                f"{again.turn + 1}; this is not its game"
            )
        sentences.append(partner.why(again.state, number, reader, labels))
        event = again.act(action)
        for observer in watching:
            observer.observe(again.state, event)
    return sentences


def followed_reasons(
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

    `since` is the turn from which on the strategy in each seat acted. Strategies follow the game;
    whether they would have acted so is not checked, since slow ones do not think again.
    """
    partners = {player: Partner(each, player, seed, game) for player, each in seated.items()}
    again = Game(played.rules, played.deck)
    for partner in partners.values():
        partner.begin(again.state)
    sentences: list[str | None] = []
    for action in played.actions:
        acting, number = partners.get(again.player), action.number(again.state)
        said = None
        if acting is not None and number is not None and again.turn >= since[again.player]:
            acting.follow(again.state)
            said = acting.why(again.state, number, reader, labels)
        sentences.append(said)
        event = again.act(action)
        for observer in partners.values():
            observer.observe(again.state, event)
    return sentences


def _thinks_again(strategy: Strategy) -> bool:
    return strategy.can_compile and (strategy.about.explains_afterwards or not strategy.slow)
