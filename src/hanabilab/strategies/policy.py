"""Policies: functions that choose a move from an observation and the legal moves.

``policy(observation, legal_moves) -> move``

`observation` is a dictionary with

``observation``
    the canonical vector of the Hanabi Learning Environment (`hanabilab.game.encoding`),
``action_mask``
    1 for every legal move and 0 for the others,
``view``
    the table as this player sees it (`hanabilab.game.state`), for those who would rather read names
    than numbers,
``seed``
    a random integer, drawn for each decision and the same when the same game is played again;
    seed a generator with it: ``numpy.random.default_rng(observation["seed"])``.

`legal_moves` lists the legal moves, numbered as in `hanabilab.game.actions`. Nothing here reveals
the player's own cards or the draw pile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hanabilab.core.random import below
from hanabilab.core.record import assign, part
from hanabilab.errors import StrategyError
from hanabilab.game.actions import Event, count_actions, legal_actions
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules_record import rules_of
from hanabilab.game.state import View
from hanabilab.strategies.strategy import Memory, RuleSupport, Strategy

__all__ = ["Policy", "from_policies", "from_policy"]

Policy = Callable[[dict[str, Any], list[int]], int]

MOST_SEEDS = 1 << 31


class PolicyMemory(Memory):
    """The previous turn, which the vector includes, and the number of the encoder.

    The policy that plays in this seat is kept in a slot, as it is not a number.
    """

    __slots__ = ("policy",)

    encoder: int
    last: Event = part(Event)


def observe(view: View, event: Event, memory: PolicyMemory) -> None:
    """Remember the turn."""
    assign(memory.last, event)


def from_policy(policy: Policy, name: str = "") -> Strategy:
    """Return a strategy that makes the moves of a policy, the same one in all seats."""
    title = name or getattr(policy, "__name__", type(policy).__name__)
    return from_policies(lambda: policy, title, policy)


def from_policies(make: Callable[[], Policy], title: str, origin: Any) -> Strategy:
    """Return a strategy that makes the moves of policies, one from `make` for each seat and game.

    `origin` is what somebody wrote: the policy, or the class of them.
    """
    encoders: list[Encoder] = []

    def begin(view: View, memory: PolicyMemory) -> int:
        rules = rules_of(view.rules)
        known = [encoder.rules for encoder in encoders]
        if rules not in known:
            encoders.append(Encoder(rules))
        memory.encoder = known.index(rules) if rules in known else len(known)
        object.__setattr__(memory, "policy", make())
        return 0

    def act(view: View, memory: PolicyMemory) -> int:
        legal = legal_actions(view)
        seen = observation(view, memory, encoders[memory.encoder], legal)
        policy: Policy = memory.policy  # type: ignore[attr-defined]  # a slot, not a field
        try:
            return policy(seen, legal)
        except Exception as error:  # whatever a user's code raises
            where = f"{title}, player {view.player}, in turn {view.turn + 1}"
            raise StrategyError(f"{where}: {type(error).__name__}: {error}") from error

    act.__doc__ = origin.__doc__
    act.__wrapped__ = origin  # type: ignore[attr-defined]  # what a check looks into
    return Strategy(
        title, act, observe, begin, memory=PolicyMemory, support=RuleSupport(special_hints=True)
    )


def observation(
    view: View, memory: PolicyMemory, encoder: Encoder, legal: list[int]
) -> dict[str, Any]:
    """Return what a policy is given."""
    import numpy as np

    mask = np.zeros(count_actions(view), np.int8)
    mask[legal] = 1
    last = memory.last if view.turn else None
    return {
        "observation": encoder.encode(view, view.observer, last=last),
        "action_mask": mask,
        "view": view,
        "seed": below(memory, MOST_SEEDS),
    }
