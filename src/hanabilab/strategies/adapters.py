"""Users' policies, functions and objects as strategies.

`as_strategy` recognizes the kind of a player by its signature. A `Strategy` is used as it is. A
function of a view and a memory is its ``act``; any other function of two arguments is a policy. A
class with a method ``act`` is instantiated for each seat and game, and an instance with one is
copied for each, so that attributes are neither shared nor left over. Anything else is rejected with
a message that says what to write.

A policy chooses a move from an observation and the legal moves::

    policy(observation, legal_moves) -> move

`observation` is a dictionary with

``observation``
    the canonical vector of the Hanabi Learning Environment (`hanabilab.game.encoding`), or the kind
    that the policy names in an attribute: ``policy.observation_kind = "features"``,
``action_mask``
    1 for every legal move and 0 for the others,
``view``
    the state as this player sees it (`hanabilab.game.state`), with names instead of numbers,
``seed``
    a random integer, drawn for each decision and the same when the same game is played again;
    seed a generator with it: ``numpy.random.default_rng(observation["seed"])``.

`legal_moves` lists the legal moves, numbered as in `hanabilab.game.actions`. None of this reveals
the player's own cards or the draw pile.
"""

from __future__ import annotations

import copy
import inspect
import typing
from collections.abc import Callable
from typing import Any

from hanabilab.checks import check_choice
from hanabilab.core.kernel import KERNELS
from hanabilab.core.random import below
from hanabilab.core.record import assign, nested
from hanabilab.errors import StrategyError
from hanabilab.game.actions import Event, count_actions, legal_actions
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules_record import rules_of
from hanabilab.game.state import View
from hanabilab.strategies.strategy import Memory, RuleSupport, Strategy

__all__ = ["Policy", "as_strategy", "from_policies", "from_policy", "observation_kind"]

Policy = Callable[[dict[str, Any], list[int]], int]

MOST_SEEDS = 1 << 31

POLICY_KINDS = ("canonical", "minimal", "sad", "features")
"""The kinds of observations that hide the player's own cards."""


class PolicyMemory(Memory):
    """The previous turn, which the vector includes, and the index of the encoder.

    The policy that plays in this seat is stored in an attribute, since it is not a number.
    """

    __slots__ = ("policy",)

    encoder: int
    last: Event = nested(Event)


def observe(view: View, event: Event, memory: PolicyMemory) -> None:
    """Remember the turn."""
    assign(memory.last, event)


def from_policy(policy: Policy, name: str = "") -> Strategy:
    """Return a strategy that makes the moves of a policy, the same one in all seats."""
    title = name or getattr(policy, "__name__", type(policy).__name__)
    return from_policies(lambda: policy, title, policy)


def from_policies(make: Callable[[], Policy], title: str, origin: Any) -> Strategy:
    """Return a strategy that makes the moves of policies, one from `make` for each seat and game.

    `origin` is the user's object: the policy, or its class.
    """
    encoders: list[Encoder] = []

    def begin(view: View, memory: PolicyMemory) -> int:
        policy = make()
        wanted = rules_of(view.rules), observation_kind(policy)
        known = [(encoder.rules, encoder.kind) for encoder in encoders]
        if wanted not in known:
            encoders.append(Encoder(*wanted))
        memory.encoder = known.index(wanted) if wanted in known else len(known)
        object.__setattr__(memory, "policy", policy)
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


def observation_kind(policy: object) -> str:
    """Return the kind of observation that a policy asks for; raise if it shows hidden cards."""
    kind = getattr(policy, "observation_kind", "canonical")
    return check_choice("observation_kind", kind, POLICY_KINDS)


def observation(
    view: View, memory: PolicyMemory, encoder: Encoder, legal: list[int]
) -> dict[str, Any]:
    """Return the observation for a policy."""
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


POLICY_NAMES = {"observation", "observations", "obs", "legal_moves", "legal", "moves"}
ACT_NAMES = {"view", "v", "memory", "mem", "m"}


def as_strategy(found: object, name: str = "") -> Strategy:
    """Return the strategy for a user's object, or raise with what to write instead."""
    if isinstance(found, Strategy):
        return found
    title = name or getattr(found, "__name__", type(found).__name__)
    if inspect.isclass(found):
        return _from_class(found, title)
    if hasattr(found, "act") and not inspect.ismodule(found):
        return _from_factory(lambda: copy.deepcopy(found), found, title)
    if callable(found):
        return _from_function(found, title)
    raise StrategyError(
        f"{title}: neither a strategy nor a policy, but of type {type(found).__name__}; write "
        f'{title} = Strategy("{title}", act) with a function act(view, memory)'
    )


def _from_function(function: Callable[..., Any], title: str) -> Strategy:
    names = _arguments(function, at_least=2)
    if names is not None and len(names) == 3:
        raise StrategyError(
            f"{title}: takes ({', '.join(names)}), so it observes turns; write "
            f'name = Strategy("name", act, {title}) and give that name'
        )
    if names is not None and len(names) != 2:
        raise StrategyError(
            f"{title}: takes ({', '.join(names)}); write def {title}(view, memory) for a strategy, "
            f"or def {title}(observation, legal_moves) for a policy"
        )
    if function in KERNELS or _takes_a_view(function, names):
        return Strategy(title, function, memory=_memory_of(function))
    return from_policy(function, title)


def _from_class(kind: type, title: str) -> Strategy:
    """Return a strategy that creates an instance for each seat and game."""
    if issubclass(kind, Strategy):
        raise StrategyError(f"{title}: a class of strategies; write name = {title}(…) and name it")
    if not hasattr(kind, "act"):
        raise StrategyError(f"{title}: a class without act; write def act(self, view) in it")
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise StrategyError(
            f"{title}: {error}, but each seat gets an instance of its own; give its arguments "
            f"defaults, or write name = {title}(…) and give that name"
        ) from None
    return _from_factory(kind, kind, title)


class ObjectMemory(Memory):
    """The memory of a player that is an object; the object is an attribute beside the fields."""

    __slots__ = ("player",)


def player_in(memory: Memory) -> Any:
    """Return the object that plays in this seat and game."""
    return memory.player  # type: ignore[attr-defined]  # a slot, since it is no field of a record


def _from_factory(make: Callable[[], Any], origin: Any, title: str) -> Strategy:
    """Return a strategy whose players are objects created by `make`."""
    sample = _try(make, title)
    names = _arguments(sample.act) or []
    if len(names) not in (1, 2):
        raise StrategyError(
            f"{title}: its act takes ({', '.join(['self', *names])}); "
            "write def act(self, view) or def act(self, view, memory)"
        )
    if len(names) == 2 and not _takes_a_view(sample.act, names):
        return from_policies(lambda: make().act, title, origin)

    def begin(view: View, memory: Memory) -> int:
        object.__setattr__(memory, "player", make())
        if hasattr(sample, "begin"):
            _call(player_in(memory).begin, view, memory)
        return 0

    def act(view: View, memory: Memory) -> int:
        answer: int = player_in(memory).act(*(view, memory)[: len(names)])
        return answer

    def observe(view: View, event: Event, memory: Memory) -> None:
        _call(player_in(memory).observe, view, event, memory)

    act.__doc__ = sample.act.__doc__ or origin.__doc__
    act.__wrapped__ = origin  # type: ignore[attr-defined]  # what a check looks into
    seeing = observe if hasattr(sample, "observe") else None
    return Strategy(title, act, seeing, begin, memory=ObjectMemory)


def _try(make: Callable[[], Any], title: str) -> Any:
    """Return an instance, or raise a one-line error if a user's constructor fails."""
    try:
        return make()
    except Exception as error:  # whatever a user's code raises
        raise StrategyError(f"{title}: {type(error).__name__}: {error}") from error


def _call(method: Callable[..., Any], *given: object) -> None:
    """Call a method with as many of the arguments as it accepts."""
    names = _arguments(method)
    method(*given[: len(given) if names is None else len(names)])


def _arguments(function: Callable[..., Any], at_least: int = 0) -> list[str] | None:
    """Return the required arguments of a function, and optional ones up to a number.

    None means that it accepts any number.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return None
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = [each for each in parameters if each.kind in places]
    needed = sum(each.default is each.empty for each in given)
    return [each.name for each in given[: max(needed, at_least)]]


def _takes_a_view(function: Callable[..., Any], names: list[str] | None) -> bool:
    """Return whether a function of two arguments acts on a view rather than on an observation."""
    hints = _hints(function)
    kinds = [hints.get(name) for name in names or ()]
    if any(inspect.isclass(kind) and issubclass(kind, View | Memory) for kind in kinds):
        return True
    known = {name.lower() for name in names or ()}
    return bool(known & ACT_NAMES) and not known & POLICY_NAMES


def _memory_of(function: Callable[..., Any]) -> type[Memory]:
    """Return the memory class with which an `act` is annotated."""
    for kind in _hints(function).values():
        if inspect.isclass(kind) and issubclass(kind, Memory):
            return kind
    return Memory


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # annotations may hold anything
        return {}
