"""Kernels bound to their arguments: `hanabilab.core.machine_code.bind`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from hanabilab.core.kernel import kernel
from hanabilab.core.machine_code import bind


class Pair(NamedTuple):
    one: Any
    other: Any


@kernel
def mixed(array: Any, number: int, pair: Pair, table: Any, last: int) -> int:
    """Depend on every argument in another way."""
    array[0] += 1
    pair.other[1] = number
    total: int = number * 1000 + last * 100 + len(pair.one) * 10 + table[1][2] + pair.one[0]
    return total


@kernel
def silent(array: Any, number: int) -> None:
    array[0] = number


def arguments() -> tuple[Any, ...]:
    pair = Pair(np.array([7, 0, 0]), np.zeros(2, np.int64))
    return np.zeros(4, np.uint8), 1, pair, np.arange(6).reshape(2, 3), 2


def test_a_bound_kernel_takes_the_arrays_and_the_integers_of_now() -> None:
    array, _, pair, table, _ = given = arguments()
    binding = bind(mixed, *given)
    assert binding.call() == 1000 + 200 + 30 + 5 + 7
    assert list(binding.numbers[:2]) == [1, 2]
    binding.numbers[0], binding.numbers[1], table[1, 2] = 1 << 40, 0, 9
    assert binding.call() == (1 << 40) * 1000 + 30 + 9 + 7
    assert (array[0], pair.other.tolist()) == (2, [0, 1 << 40])


def test_bound_arrays_live_as_long_as_the_binding() -> None:
    binding = bind(mixed, *arguments())
    kept = [np.full(1000, 255, np.uint8) for _ in range(100)]  # would be put where arrays were
    assert binding.call() == 1242
    assert all(each.min() == 255 for each in kept)


def test_another_array_can_be_bound_instead() -> None:
    binding = bind(mixed, *arguments())
    binding.replace(2, Pair(np.array([5]), np.zeros(2, np.int64)))
    assert binding.call() == 1000 + 200 + 10 + 5 + 5


def test_a_binding_moves_with_the_memory_in_which_its_arrays_lie() -> None:
    pair = arguments()[2]
    memory = np.zeros(20, np.int64)
    binding = bind(mixed, memory[3:7], 1, pair, memory[7:13].reshape(2, 3), 2)
    new = memory.copy()
    twin = binding.moved(memory, new)
    new[12], twin.numbers[1] = 9, 5
    assert twin.call() == 1000 + 500 + 30 + 9 + 7
    assert binding.call() == 1000 + 200 + 30 + 0 + 7
    assert (memory[3], new[3]) == (1, 1)
    assert memory.sum() == 1
    del new
    kept = [np.full(20, -1) for _ in range(100)]
    assert twin.call() == 1000 + 500 + 30 + 9 + 7
    assert all(each.max() == -1 for each in kept)


@pytest.mark.parametrize("other", [np.zeros(4), np.zeros((2, 3), np.uint8), np.zeros(9)[::2]])
def test_an_array_of_another_type_cannot(other: Any) -> None:
    binding = bind(mixed, *arguments())
    with pytest.raises(TypeError):
        binding.replace(3, other)


def test_kernels_without_a_result_and_with_the_lock_of_python_are_bound_too() -> None:
    array = np.zeros(1, np.int64)
    assert bind(silent, array, -3, gil=True).call() is None
    assert array[0] == -3


def test_a_float_cannot_be_bound() -> None:
    with pytest.raises(TypeError, match="float"):
        bind(silent, np.zeros(1), 0.5)
