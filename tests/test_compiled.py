"""The same functions, interpreted and compiled, give the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hanabilab import Rules, preset
from hanabilab.author import View, kernel
from hanabilab.core import machine_code
from hanabilab.core.bits import LOW_62, drop_lowest, lowest, multiply, nth_lowest, popcount
from hanabilab.core.random import Rng, below, chance, mix
from hanabilab.core.record import Record, assign, dtype, ints, nested, pack, unpack
from hanabilab.errors import StrategyError
from hanabilab.game import count_legal, nth_legal
from hanabilab.game.cards import add_copy, card_in, put_card, take_copy, without_bit, without_slot
from hanabilab.game.state import State, initial_state
from hanabilab.strategies import Memory, RuleSupport, Strategy, find_strategy
from hanabilab.table.loop import make_table, play_chunk, play_games
from tests.tables import SPECIAL, UNUSUAL

RANDOM = find_strategy("random")

RULES = [
    *(preset("classic", players) for players in range(2, 7)),
    preset("thesis", 3),
    preset("cox-program", 5),
    preset("rainbow-dutch", 4),
    *UNUSUAL,
    *SPECIAL,
]


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_games(rules: Rules) -> None:
    seats = [RANDOM] * rules.players
    interpreted = play_chunk(rules, seats, 3, 100, 8, repeats=2, compiled=False)
    compiled = play_chunk(rules, seats, 3, 100, 8, repeats=2, compiled=True)
    assert compiled.tolist() == interpreted


class Patience(Memory):
    """How long to play along."""

    turns: int


@kernel
def start(view: View, memory: Patience) -> int:
    """Choose how long, from the coins."""
    memory.turns = 1 + below(memory, 60)
    return 0


@kernel
def stop(view: View, memory: Patience) -> int:
    """Play at random, then give up in the middle of the game with an illegal action."""
    if view.turn >= memory.turns:
        return 9999
    return nth_legal(view, below(memory, count_legal(view)))


IMPATIENT = Strategy(
    "impatient",
    stop,
    begin=start,
    memory=Patience,
    support=RuleSupport(special_hints=True),
)


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_whole_states_in_the_middle_of_games(rules: Rules) -> None:
    """Every field of the state, not only the result, is the same."""
    for game in range(6):
        states = []
        for compiled in (False, True):
            table = make_table(rules, [IMPATIENT] * rules.players, compiled=compiled)
            rows: Any = np.zeros((1, 4), np.int64) if compiled else [[0] * 4]
            arguments = (table, 8, game, 1, 1, rows[:, :0] if compiled else [[]], rows)
            if compiled:
                machine_code.run(play_games, *arguments)
                state = State()
                unpack(state, table.state)
            else:
                play_games(*arguments)
                state = table.state
            states.append(state)
        assert states[0] == states[1], game


def test_plain_python_is_not_compiled() -> None:
    plain = Strategy("plain", lambda view, memory: 0)
    with pytest.raises(StrategyError, match="plain is plain Python"):
        play_chunk(preset("hle", 2), [plain] * 2, 0, 0, 1)


class Inner(Record):
    """A record within a record."""

    depth: int
    marks: list[int] = ints(3)


class Everything(Record):
    """Room for the results of the small kernels."""

    stream: int
    floating: float
    planes: list[int] = ints(5)
    answers: list[int] = ints(16)
    table: list[list[int]] = ints(3, 2)
    inner: Inner = nested(Inner)
    twin: Inner = nested(Inner)


@kernel
def mark(inner: Inner, place: int) -> None:
    """Write to a record that is part of another one."""
    inner.depth += 1
    inner.marks[place] += place


@kernel
def try_everything(record: Everything, a: int, b: int) -> None:
    """Call every small kernel once."""
    answers = record.answers
    answers[0] = popcount(a)
    answers[1] = lowest(a)
    answers[2] = multiply(a, b)
    answers[3] = mix(a)
    answers[4] = nth_lowest(a, popcount(a) - 1)
    record.stream = b
    answers[5] = below(record, 50)
    answers[6] = below(record, 3 << 29)
    record.floating = chance(record)
    card = b % 62
    add_copy(record.planes, card)
    add_copy(record.planes, 61)
    add_copy(record.planes, 61)
    take_copy(record.planes, 61)
    answers[7] = card_in(a, b % 10)
    answers[8] = without_slot(a & ((1 << 60) - 1), b % 10)
    answers[9] = without_bit(a & 1023, b % 10)
    answers[10] = put_card((1 << 60) - 1, b % 10, card)
    answers[11] = drop_lowest(a, b % 7)
    record.table[2][1] += popcount(b)
    record.table[0][0] = a
    mark(record.inner, b % 3)
    assign(record.twin, record.inner)
    mark(record.twin, a % 3)


def test_small_kernels() -> None:
    numbers = [1, 2, 3, 63, LOW_62, LOW_62 - 1, 1 << 61, (1 << 62) - (1 << 31), 0x1234_5678_9ABC]
    numbers += [mix(number) for number in range(1, 40)]
    interpreted = Everything()
    packed = pack(Everything())[0]
    for a, b in zip(numbers, reversed(numbers), strict=True):
        try_everything(interpreted, a, b)
        machine_code.run(try_everything, packed, a, b)
        compiled = Everything()
        unpack(compiled, packed)
        assert compiled == interpreted, (a, b)


def test_bits_against_python() -> None:
    for bits in (1, 6, 0b1011000, LOW_62, 1 << 61):
        members = [bit for bit in range(62) if bits >> bit & 1]
        assert popcount(bits) == len(members)
        assert lowest(bits) == members[0]
        assert [nth_lowest(bits, n) for n in range(len(members))] == members


def test_pack_and_unpack() -> None:
    record = Everything(stream=LOW_62, floating=0.1)
    record.table[1] = [-5, 7]
    record.twin.marks[2] = 9
    packed = pack(record)
    assert packed.dtype == dtype(Everything)
    assert packed.dtype.itemsize == 8 * (2 + 5 + 16 + 6 + 2 * 4)
    again = Everything()
    unpack(again, packed[0])
    assert again == record
    assert type(again.stream) is int
    assert type(again.table[1][0]) is int


def test_records() -> None:
    record = Everything()
    twin = record.copy()
    assert twin == record
    twin.table[0][0] = twin.planes[1] = twin.inner.marks[0] = 1
    assert twin != record
    assert record.table[0][0] == record.planes[1] == record.inner.marks[0] == 0
    assert record != Rng()
    assert repr(Rng(stream=3)) == "Rng(stream=3)"
    with pytest.raises(TypeError, match="Rng has no field strem"):
        Rng(strem=3)
    with pytest.raises(TypeError, match="str is not a field of a record"):
        type("Wrong", (Record,), {"__annotations__": {"name": "str"}})
    with pytest.raises(TypeError):
        hash(record)


def test_opening_fits_into_the_packed_state() -> None:
    for rules in RULES:
        state, again = initial_state(rules), State()
        unpack(again, pack(state)[0])
        assert again == state
