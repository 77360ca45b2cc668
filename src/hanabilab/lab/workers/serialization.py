"""Serialization of work for other processes: strategies by name or source, the rest by value.

A strategy of the package is serialized as its name and options, a program as its command. A
strategy from a user's file is serialized as the path of the file or, for a machine that may not
have the file, as its text. Policies and strategies made in Python are pickled by value.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import pickle
import secrets
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import cloudpickle

from hanabilab.errors import StrategyError
from hanabilab.strategies import OWN, find_strategy
from hanabilab.strategies.load import load_player
from hanabilab.strategies.program import EXEC
from hanabilab.strategies.strategy import Strategy

__all__ = ["deserialize_work", "serialize_work"]


class SerializedStrategy(NamedTuple):
    """A strategy by reference, as it is written into a pickle."""

    name: str
    """The label of a built-in strategy or program, or the name of a user's strategy."""
    location: str = ""
    """``FILE.py:NAME`` or ``module:NAME`` of a user's strategy."""
    text: str | None = None
    """The text of that file."""
    chosen: dict[str, Any] = {}  # noqa: RUF012  # never changed


def serialize_work(work: object, *, sources: bool) -> bytes:
    """Return work as bytes; `sources` embeds users' files, for machines that do not have them."""
    stream = io.BytesIO()
    try:
        with _modules_by_value(work) if sources else contextlib.nullcontext():
            _Pickler(stream, sources=sources).dump(work)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise StrategyError(
            f"a player cannot be sent to another process: {error}; "
            "put it into a file and name it as FILE.py:NAME, or play with one thread"
        ) from error
    return stream.getvalue()


def deserialize_work(serialized: bytes) -> Any:
    """Return work that was serialized in another process."""
    return _Unpickler(io.BytesIO(serialized)).load()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # it has no types
    def __init__(self, stream: io.BytesIO, *, sources: bool) -> None:
        super().__init__(stream)
        self.sources = sources

    def persistent_id(self, thing: object) -> SerializedStrategy | None:
        if not isinstance(thing, Strategy):
            return None
        if is_builtin(thing) or thing.label.startswith(EXEC):
            return SerializedStrategy(thing.label)
        if not thing.location:
            return None
        file, _, _ = thing.location.rpartition(":")
        text = _source(file) if self.sources else None
        return SerializedStrategy(thing.name, thing.location, text, dict(thing.chosen))


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, record: SerializedStrategy) -> Strategy:
        if not record.location:
            return load_player(record.name)
        found = load_player(record.location if record.text is None else _write_source(record))
        found = dataclasses.replace(found, name=record.name, location=record.location)
        return found.with_options(**record.chosen)


def is_builtin(strategy: Strategy) -> bool:
    """Return whether a strategy is built in, so that its label identifies it."""
    if strategy.name not in {own.name for own in OWN}:
        return False
    try:
        found = find_strategy(strategy.label)
    except StrategyError:
        return False
    return (found.functions, found.label) == (strategy.functions, strategy.label)


def _source(place: str) -> str:
    """Return the text of a file or of a module."""
    module = sys.modules.get(place)
    file = place if place.endswith(".py") else getattr(module, "__file__", None)
    try:
        return Path(str(file)).expanduser().read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise StrategyError(f"{place}: its text cannot be sent to the workers: {error}") from None


def _write_source(record: SerializedStrategy) -> str:
    """Write the text of a user's file into the cache; return where to load the strategy from.

    All processes of a machine use the same path, so that kernels are compiled once.
    """
    from hanabilab.core.code_cache import cache_folder

    file, _, name = record.location.rpartition(":")
    assert record.text is not None
    stem = Path(file).stem if file.endswith(".py") else file.rpartition(".")[2]
    digest = hashlib.sha256(record.text.encode()).hexdigest()[:16]
    players = cache_folder().parents[1] / "players"
    path = players / digest / f"{stem}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != record.text:
        path.parent.mkdir(parents=True, exist_ok=True)
        (players / ".gitignore").write_text("*\n", encoding="ascii")  # a cache, not source code
        part = path.with_suffix(f".{secrets.token_hex(4)}.part")
        part.write_text(record.text, encoding="utf-8")
        part.replace(path)
    return f"{path}:{name}"


@contextlib.contextmanager
def _modules_by_value(work: object) -> Iterator[None]:
    """Pickle the modules of users' strategies by value, unless they are installed."""
    known = cloudpickle.list_registry_pickle_by_value()
    modules = {
        module.__name__: module
        for strategy in _strategies(work)
        for function in strategy.functions
        for module in _user_modules(function)
        if not is_builtin(strategy) and not strategy.location
    }
    ours = [module for name, module in modules.items() if name not in known]
    for module in ours:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in ours:
            cloudpickle.unregister_pickle_by_value(module)


def _strategies(work: object) -> Iterator[Strategy]:
    """Yield all strategies in the fields of work."""
    if isinstance(work, Strategy):
        yield work
    elif isinstance(work, tuple):
        for part in work:
            yield from _strategies(part)
    elif dataclasses.is_dataclass(work):
        for field in dataclasses.fields(work):
            yield from _strategies(getattr(work, field.name))


def _user_modules(function: object) -> Iterator[ModuleType]:
    """Yield the modules of a function and of its closure that are not installed."""
    held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    for thing in [function, *held]:
        for owner in (thing, type(thing)):
            module = sys.modules.get(getattr(owner, "__module__", None) or "")
            if module is not None and not _is_installed(module):
                yield module


def _is_installed(module: ModuleType) -> bool:
    if module.__name__.partition(".")[0] in ("hanabilab", "__main__"):
        return True
    file = getattr(module, "__file__", None)
    if file is None:
        return True
    paths = sysconfig.get_paths()
    installed = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return any(Path(file).is_relative_to(folder) for folder in installed)
