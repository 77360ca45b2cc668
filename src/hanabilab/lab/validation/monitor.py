"""Monitor a strategy while it plays: what it writes to, how long it takes, what state it shares."""

from __future__ import annotations

import dataclasses
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from hanabilab.core.kernel import in_package
from hanabilab.core.record import Record
from hanabilab.game.actions import Event
from hanabilab.game.state import View
from hanabilab.strategies.strategy import Memory, Strategy

__all__ = ["CheckFailedError", "Monitor", "changes", "shared_state"]

POLL_SECONDS = 0.02

Value = TypeVar("Value")


class CheckFailedError(Exception):
    """Raised when a check fails: which one, and where."""

    def __init__(self, check_name: str, detail: str) -> None:
        super().__init__(detail)
        self.check_name, self.detail = check_name, detail


class Monitor:
    """Wraps a strategy's functions to time them and to detect forbidden writes."""

    def __init__(self, strategy: Strategy, limit: float) -> None:
        self.limit = limit
        """Seconds that one call may take."""
        self.written = ""
        """A description of the first forbidden write; empty without one."""
        self.strategy = self._wrap(strategy)
        self._since: float | None = None
        self._allowed = limit
        self._where = ""

    def _wrap(self, strategy: Strategy) -> Strategy:
        """Return the strategy with functions that report to this monitor."""
        wrapped: dict[str, Any] = {"act": self._wrap_function("act", strategy.act)}
        if strategy.observe:
            wrapped["observe"] = self._wrap_function("observe", strategy.observe)
        if strategy.begin:
            wrapped["begin"] = self._wrap_function("begin", strategy.begin)
        return dataclasses.replace(strategy, **wrapped)

    def _wrap_function(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(view: View, *others: Any) -> Any:
            *shown, memory = (view, *others)
            before = [each.copy() for each in shown]
            where = f"in turn {view.turn + 1}, player {view.observer}"
            with self.timed(where, self.limit):
                answer = function(view, *others)
            for now, then in zip(shown, before, strict=True):
                self._compare(name, now, then, where)
            self._find_undeclared(name, memory, where)
            return answer

        return call

    @contextmanager
    def timed(self, where: str, allowed: float) -> Iterator[None]:
        """Time a call of the strategy; `where` describes it in errors."""
        self._where, self._allowed, self._since = where, allowed, time.monotonic()
        try:
            yield
        finally:
            self._since = None

    def _compare(self, name: str, now: Record, then: Record, where: str) -> None:
        if self.written:
            return
        for field, value in then.items():
            if getattr(now, field) != value:
                kind = "event" if isinstance(now, Event) else "view"
                self.written = f"{name} writes to {kind}.{field} {where}; work with a copy"
                return

    def _find_undeclared(self, name: str, memory: Memory, where: str) -> None:
        for field in getattr(memory, "__dict__", {}):
            if field not in memory.fields and not self.written:
                self.written = (
                    f"{name} writes to memory.{field} {where}, which is not declared; "
                    f"write {field}: int in your Memory"
                )

    def run_with_timeout(self, work: Callable[[], Value]) -> Value:
        """Run a function in another thread; raise if the strategy does not answer in time.

        A thread that does not answer is abandoned, since threads cannot be killed.
        """
        results: list[Value] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(work())
            except BaseException as error:  # raised again in the calling thread
                errors.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            since, allowed = self._since, self._allowed
            if since is not None and time.monotonic() - since > allowed and thread.is_alive():
                raise CheckFailedError(
                    "ends", f"no answer after {allowed:.0f} seconds {self._where}"
                )
        self._since = None
        if errors:
            raise errors[0]
        return results[0]


DEPTH = 6
SCALARS = (int, float, complex, str, bytes, bool, type(None))


def shared_state(strategy: Strategy) -> dict[str, object]:
    """Return the globals, closures and attributes that a strategy shares, as comparable data.

    Functions of this package are skipped.
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
    """Return the names whose values differ."""
    return [name for name, data in after.items() if before.get(name) != data]


def _of_function(function: FunctionType) -> dict[str, object]:
    if in_package(function):
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
    """Return a value as nested tuples that can be compared, or else the name of its type."""
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
    return kind.__module__.partition(".")[0] not in ("hanabilab", "builtins", "numpy")


def _attributes(value: object, depth: int) -> object:
    return tuple(
        (name, _data(each, depth - 1))
        for name, each in getattr(value, "__dict__", {}).items()
        if not name.startswith("__") and not isinstance(each, FunctionType)
    )
