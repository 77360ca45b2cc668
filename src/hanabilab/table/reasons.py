"""Why strategies acted as they did: a game is replayed with their memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hanabilab.errors import StrategyError
from hanabilab.formats.speech import NUMBERED, Speech
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game
from hanabilab.table.partner import Partner
from hanabilab.table.play import Team, seat

__all__ = ["followed_reasons", "reasons"]


def reasons(
    played: Game,
    strategies: Team,
    *,
    seed: int = 0,
    game: int = 0,
    reader: int | None = None,
    speech: Speech = NUMBERED,
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
        sentences.append(partner.why(again.state, number, reader, speech))
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
    speech: Speech = NUMBERED,
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
            said = acting.why(again.state, number, reader, speech)
        sentences.append(said)
        event = again.act(action)
        for observer in partners.values():
            observer.observe(again.state, event)
    return sentences


def _thinks_again(strategy: Strategy) -> bool:
    return strategy.can_compile and (strategy.explains_afterwards or not strategy.slow)
