"""Find what seats and games share besides the table: globals, class attributes, closures."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import FunctionType, ModuleType

from hanabilab.core.kernel import is_ours
from hanabilab.strategies.strategy import Strategy

__all__ = ["changes", "shared_state"]

DEPTH = 6
SCALARS = (int, float, complex, str, bytes, bool, type(None))


def shared_state(strategy: Strategy) -> dict[str, object]:
    """Return what a strategy's functions can reach that is not theirs alone, as comparable data.

    Only what is written outside the package counts.
    """
    found: dict[str, object] = {}
    for function in filter(None, strategy.functions):
        origin = inspect.unwrap(function)
        if inspect.isclass(origin):
            found[f"an attribute of {origin.__name__}"] = _data(origin, DEPTH)
            for each in vars(origin).values():
                if inspect.isfunction(each):
                    found.update(_of_function(each))
        elif inspect.isfunction(origin):
            found.update(_of_function(origin))
        elif hasattr(type(origin), "__module__"):
            found[f"an attribute of {type(origin).__name__}"] = _data(origin, DEPTH)
    return found


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Return the names of what has changed."""
    return [name for name, data in after.items() if before.get(name) != data]


def _of_function(function: FunctionType) -> dict[str, object]:
    if is_ours(function):
        return {}
    found: dict[str, object] = {
        f"the global {name}": _data(value, DEPTH)
        for name, value in function.__globals__.items()
        if not name.startswith("__") and not isinstance(value, ModuleType | FunctionType)
    }
    closure = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    for name, value in closure.items():
        found[f"{name} around {function.__name__}"] = _data(value, DEPTH)
    for name, value in (function.__kwdefaults__ or {}).items():
        found[f"the default of {name}"] = _data(value, DEPTH)
    for place, value in enumerate(function.__defaults__ or ()):
        found[f"default {place + 1} of {function.__name__}"] = _data(value, DEPTH)
    return found


def _data(value: object, depth: int) -> object:
    """Return a value as nested tuples that can be compared later, or what kind of thing it is."""
    if isinstance(value, SCALARS):
        return value
    if depth == 0 or isinstance(value, Strategy):
        return type(value).__name__
    if isinstance(value, Mapping):
        return tuple((repr(key), _data(each, depth - 1)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(_data(each, depth - 1) for each in value)
    if isinstance(value, set | frozenset):
        return tuple(sorted(map(repr, value)))
    if hasattr(value, "tobytes"):  # an array
        return value.tobytes()
    if inspect.isclass(value):
        return _attributes(value, depth) if _is_users(value) else value.__name__
    return _attributes(value, depth) if _is_users(type(value)) else type(value).__name__


def _is_users(kind: type) -> bool:
    return kind.__module__.partition(".")[0] not in ("hanabilab", "builtins", "numpy", "numba")


def _attributes(value: object, depth: int) -> object:
    return tuple(
        (name, _data(each, depth - 1))
        for name, each in getattr(value, "__dict__", {}).items()
        if not name.startswith("__") and not isinstance(each, FunctionType)
    )
