"""Walls around a view: an outside kernel cannot read or write beyond what it was given."""

from __future__ import annotations

import ctypes
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.strategies.test_own_kernels import load

import hanabilab as hl
import hanabilab.author as ha
import hanabilab.game
from hanabilab.core.kernel import KERNELS
from hanabilab.core.machine_code import Callback, callbacks
from hanabilab.core.record import dtype, ints, nested, pack
from hanabilab.game.actions import Event
from hanabilab.game.cards import PLANES
from hanabilab.game.knowledge import Knowledge

BAD = (60, 64, 1_000, -1_000, 123_456)
MARGIN = 4_096
"""Words around each record that must stay as they are."""


class Tools(ha.Memory):
    """What the kernels are called with beside a view."""

    which: int
    bad: int
    event: Event = nested(Event)
    knowledge: Knowledge = nested(Knowledge)
    cells: list[int] = ints(PLANES)


GIVEN = {
    "int": "memory.bad",
    "State": "view",
    "View": "view",
    "Event": "memory.event",
    "Knowledge": "memory.knowledge",
    "Ints": "memory.cells",
    "HasStream": "memory",
}


def public_kernels() -> Iterator[Callable[..., Any]]:
    """Yield the kernels of the rules that can be called with a view, a memory and numbers."""
    for module in pkgutil.iter_modules(hanabilab.game.__path__):
        importlib.import_module(f"hanabilab.game.{module.name}")
    for function in KERNELS:
        takes = [str(each.annotation) for each in inspect.signature(function).parameters.values()]
        if function.__module__.startswith("hanabilab.game.") and set(takes) <= set(GIVEN):
            yield function


def written(kernels: list[Callable[..., Any]]) -> str:
    """Return the source of a kernel that calls any of these with bad numbers."""
    lines = ["import hanabilab.author as ha"]
    lines += [
        f"from {each.__module__} import {each.__name__} as k{n}" for n, each in enumerate(kernels)
    ]
    lines += ["@ha.kernel", "def tried(view, memory):"]
    for number, function in enumerate(kernels):
        takes = inspect.signature(function).parameters.values()
        arguments = ", ".join(GIVEN[str(each.annotation)] for each in takes)
        lines += [f"    if memory.which == {number}:", f"        k{number}({arguments})"]
    return "\n".join([*lines, "    return 0", ""])


def fenced(kind: type[ha.View | ha.Memory]) -> tuple[Any, Any]:
    """Return a record with known words on both sides, and the whole."""
    words = dtype(kind).itemsize // 8
    whole = np.full(2 * MARGIN + words, 0x5A5A, np.int64)
    whole[MARGIN:-MARGIN] = 0
    return whole[MARGIN:-MARGIN].view(dtype(kind))[0], whole


@pytest.fixture(scope="module")
def kernels() -> list[Callable[..., Any]]:
    return list(public_kernels())


@pytest.mark.usefixtures("_unoptimized")
def test_no_kernel_leaves_the_records_it_is_given(
    kernels: list[Callable[..., Any]], tmp_path: Path
) -> None:
    assert len(kernels) > 40
    tried = load(written(kernels), tmp_path / "tries.py").tried
    (address,) = callbacks("tries", Callback(tried, "None", (ha.View, Tools)))
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(address)
    game = hl.Game(players=3, seed=1)
    refused = 0
    for which in range(len(kernels)):
        for bad in BAD:
            view, memory = game.view(0), Tools(which=which, bad=bad)
            _, all_view = fenced(ha.View)
            packed_memory, all_memory = fenced(Tools)
            all_view[MARGIN:-MARGIN] = pack(view).view(np.int64)
            packed_memory["which"], packed_memory["bad"] = which, bad
            places = (all_view[MARGIN:].ctypes.data, all_memory[MARGIN:].ctypes.data)
            status = call(*places)
            for whole in (all_view, all_memory):
                assert (whole[:MARGIN] == 0x5A5A).all()
                assert (whole[-MARGIN:] == 0x5A5A).all()
            try:
                tried(view, memory)
            except IndexError:
                refused += 1
                assert status, (kernels[which].__name__, bad)
            except (ValueError, OverflowError, MemoryError):
                assert status, (kernels[which].__name__, bad)
    assert refused > 40
