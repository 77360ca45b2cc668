"""Replay recorded games: with hidden cards redealt, or with one player alone in a subprocess."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import subprocess
import sys
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from hanabilab.core.random import private_stream
from hanabilab.game.deck import STRATEGY_STREAMS, Deck
from hanabilab.lab.validation.monitor import CheckFailedError
from hanabilab.lab.workers.local import child_command
from hanabilab.strategies.load import load_player
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game

__all__ = ["ReplayedChoice", "main", "redeal_hidden_cards", "replay", "replay_in_subprocess"]


class ReplayedChoice(NamedTuple):
    """The action that a player chooses in a replay, and the recorded one."""

    turn: int
    player: int
    chosen: int
    recorded: int | None


def replay(
    strategy: Strategy,
    played: Game,
    deck: Deck,
    seed: int,
    number: int,
    asked: Collection[int],
    last: int | None = None,
    compiled: bool = False,
) -> Iterator[ReplayedChoice]:
    """Replay a recorded game, and yield what the players who are `asked` choose on their turns.

    Whatever they choose, the recorded actions are taken, on a deck that may have other cards where
    the player in question cannot see them. The replay ends before the action of turn `last`.
    """
    coins = {player: private_stream(seed, number, STRATEGY_STREAMS + player) for player in asked}
    seats = {
        player: Seat(strategy, player, stream, compiled=compiled)
        for player, stream in coins.items()
    }
    game = Game(played.rules, deck)
    for seat in seats.values():
        seat.begin(game.state)
    for action in played.actions:
        if game.player in seats:
            answer = seats[game.player].act(game.state)
            yield ReplayedChoice(game.turn, game.player, answer, action.number(game.state))
        if game.turn == last:
            return
        event = game.act(action)
        for seat in seats.values():
            seat.observe(game.state, event)


ATTEMPTS = 200


def redeal_hidden_cards(game: Game, turn: int, rng: random.Random) -> Deck | None:
    """Return a deck with other cards in the hand of the player to move and in the draw pile.

    All that this player has seen up to the turn stays the same, hints included. Return None if no
    other hand fits, or if none was found.
    """
    before, places, following = _places(game, turn)
    me = before.player
    unseen = places[me] + list(range(following, len(game.deck)))
    cards = list(game.deck)
    allowed = dict(zip(places[me], before.state.possible[me], strict=False))
    narrowest_first = sorted(allowed, key=lambda place: allowed[place].bit_count())
    for _ in range(ATTEMPTS):
        pool = [cards[place] for place in unseen]
        rng.shuffle(pool)
        chosen: dict[int, int] = {}
        for place in narrowest_first:
            fitting = [card for card in pool if allowed[place] >> card & 1]
            if not fitting:
                break
            chosen[place] = fitting[0]
            pool.remove(fitting[0])
        else:
            rest = [place for place in unseen if place not in chosen]
            chosen.update(zip(rest, pool, strict=True))
            if any(chosen[place] != cards[place] for place in places[me]):
                new = [chosen.get(place, card) for place, card in enumerate(cards)]
                return dataclasses.replace(game.deck, cards=tuple(new))
    return None


def _places(game: Game, turn: int) -> tuple[Game, list[list[int]], int]:
    """Return the game before a turn, the deck indices of each hand, and of the next draw."""
    before = Game(game.rules, game.deck)
    size, players = game.rules.hand_size, game.rules.players
    places = [list(range(player * size, (player + 1) * size)) for player in range(players)]
    following = players * size
    for action in game.actions[:turn]:
        player = before.player
        event = before.act(action)
        if action.type in ("play", "discard"):
            del places[player][action.slot]
        if event.drew:
            places[player].append(following)
            following += 1
    return before, places, following


HASH_SEED = "123"
"""Different from that of the parent, so that a dependence on hashes shows."""


def replay_in_subprocess(
    label: str, played: Game, seed: int, number: int, player: int, limit: float
) -> list[int]:
    """Return what one player chooses in a process of its own, isolated from the other players."""
    request = {
        "strategy": label,
        "game": played.to_dict(),
        "seed": seed,
        "number": number,
        "player": player,
    }
    try:
        done = subprocess.run(
            child_command("hanabilab.lab.validation.replay"),
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": HASH_SEED},
        )
    except subprocess.TimeoutExpired:
        raise CheckFailedError(
            "ends", f"no answer after {limit:.0f} seconds in a process of its own"
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise CheckFailedError("alone", f"fails in a process of its own: {last}")
    found: list[int] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Run in a child: read a request from standard input, print the actions that were chosen."""
    request: dict[str, Any] = json.load(sys.stdin)
    strategy = load_player(request["strategy"])
    played = Game.read(json.dumps(request["game"]))
    seed, number, player = request["seed"], request["number"], request["player"]
    chosen = replay(strategy, played, played.deck, seed, number, [player], compiled=strategy.slow)
    print(json.dumps([answer.chosen for answer in chosen]))
