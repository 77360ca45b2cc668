"""The search space of a strategy's options, and the optimiser that explores it.

An axis is continuous, ordinal or categorical. The optimiser is an evolution strategy that handles
all three: CatCMA with margin (Hamano et al. 2025), from the library cmaes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import FormatError, MissingExtraError, StrategyError
from hanabilab.lab.sweep import Options, Values, option_values
from hanabilab.strategies.strategy import Option, Strategy, option_word

__all__ = ["Axis", "Categorical", "Continuous", "Optimiser", "Ordinal", "parse_space"]

MAX_STEPS = 100
"""Integers with more values than this are treated as continuous and rounded."""
DIGITS = 4
"""Values are rounded to about a ten-thousandth of their range."""
SPREAD = 0.3
"""Initial standard deviation, as a fraction of the range."""
TIE = 1e-12
"""Breaks ties, since the optimiser scales its penalties by differences of values."""


@dataclass(frozen=True, slots=True)
class Continuous:
    """A number between two bounds."""

    name: str
    least: float
    most: float
    whole: bool = False

    def value_at(self, position: float) -> float | int:
        """Return the value at a position from 0 to 1."""
        width = self.most - self.least
        digits = 0 if self.whole else max(0, DIGITS - math.ceil(math.log10(width)))
        value = round(self.least + position * width, digits)
        value = min(max(value, self.least), self.most)
        return int(value) if self.whole else float(value)

    def nearest(self, value: float) -> float | int:
        """Return the value of this axis closest to the given one."""
        return type(value)(min(max(value, self.least), self.most))

    def __str__(self) -> str:
        return f"{self.least:g}..{self.most:g}"


@dataclass(frozen=True, slots=True)
class Categorical:
    """One of several unordered values."""

    name: str
    values: tuple[Any, ...]

    def value_at(self, position: float) -> Any:
        """Return the value with this index."""
        return self.values[round(position)]

    def nearest(self, value: Any) -> Any:
        """Return the value itself if it is on this axis, else the first value."""
        return value if value in self.values else self.values[0]

    def __str__(self) -> str:
        return "|".join(map(str, self.values))


@dataclass(frozen=True, slots=True)
class Ordinal(Categorical):
    """One of several ordered numbers."""

    def value_at(self, position: float) -> Any:
        """Return the value at a position from 0 to 1."""
        return self.values[round(position * (len(self.values) - 1))]


Axis = Continuous | Categorical


def parse_space(
    strategy: Strategy, vary: Mapping[str, Values], fixed: Collection[str] = ()
) -> tuple[Axis, ...]:
    """Return an axis for each option to be searched.

    `vary` names them with their values: ``0.4:0.8`` are bounds, a list or ``1,2,4`` are the values
    to choose from. If it is empty, all options are searched but the `fixed` ones and those that the
    strategy excludes (`Option.tunable`).
    """
    kept = {_field(name) for name in fixed}
    axes = {_field(name): _limited_axis(strategy, name, values) for name, values in vary.items()}
    if both := [option_word(name) for name in axes if name in kept]:
        raise StrategyError(f"{both[0]} cannot be both set and varied")
    if not vary:
        for name, option in strategy.options.items():
            if name not in kept and option.tunable and (option.choices or not _is_text(option)):
                axes[name] = _full_axis(option_word(name), option)
        axes = {name: axis for name, axis in axes.items() if not _has_one_value(axis)}
    if not axes:
        raise StrategyError(_nothing_to_search(strategy))
    return tuple(axes[name] for name in strategy.options if name in axes)


def _field(name: str) -> str:
    return name.replace("-", "_")


def _has_one_value(axis: Axis) -> bool:
    return isinstance(axis, Categorical) and len(axis.values) == 1


def _is_text(option: Option) -> bool:
    return isinstance(option.default, str)


def _nothing_to_search(strategy: Strategy) -> str:
    if not strategy.options:
        return f"{strategy.name} has no options to tune"
    known = ", ".join(map(option_word, strategy.options))
    return f"{strategy.name}: no option is left to tune; vary one of: {known}"


def _full_axis(name: str, option: Option) -> Axis:
    """Return the axis of all values of an option."""
    if option.choices:
        return Categorical(name, option.choices)
    if isinstance(option.default, bool):
        return Categorical(name, (False, True))
    width = option.most - option.least
    if not math.isfinite(width):
        raise StrategyError(f"{name} has no bounds; give some as LOW:HIGH")
    whole = isinstance(option.default, int)
    if width == 0 or (whole and (width < MAX_STEPS or not option.ordered)):
        values = range(int(option.least), int(option.most) + 1) if whole else [option.least]
        return _axis_of(name, option, tuple(values))
    return Continuous(name, option.least, option.most, whole)


def _limited_axis(strategy: Strategy, name: str, values: Values) -> Axis:
    """Return the axis for the limits of an option: bounds, several values, or one."""
    option = strategy.options.get(_field(name))
    number = option is not None and not isinstance(option.default, str | bool)
    if option and number and isinstance(values, str) and values.count(":") == 1:
        least, most = (float(option.read(option_word(name), bound)) for bound in values.split(":"))
        if least >= most:
            raise FormatError(
                f"{option_word(name)}: {values!r} is not a range; LOW must be below HIGH"
            )
        return _full_axis(option_word(name), dataclasses.replace(option, least=least, most=most))
    read = option_values(strategy, name, values)
    if len(read) == 1:
        raise StrategyError(
            f"{option_word(name)}: a single value is not a search; give several, or set it with "
            f"the strategy: {strategy.name}:{option_word(name)}={read[0]}"
        )
    return _axis_of(option_word(name), strategy.options[_field(name)], read)


def _axis_of(name: str, option: Option, values: tuple[Any, ...]) -> Categorical:
    words = isinstance(option.default, str | bool)
    if words or not option.ordered or len(values) < 3:
        return Categorical(name, values)
    return Ordinal(name, tuple(sorted(values)))


class Optimiser:
    """Proposes candidates and learns from their values; higher is better."""

    def __init__(self, axes: Sequence[Axis], seed: int) -> None:
        self.axes = tuple(axes)
        self.continuous = [axis for axis in axes if isinstance(axis, Continuous)]
        self.ordinal = [axis for axis in axes if isinstance(axis, Ordinal)]
        among = [axis for axis in axes if isinstance(axis, Categorical)]
        self.categorical = [axis for axis in among if not isinstance(axis, Ordinal)]
        self.seed = seed % 2**32
        self.population = 4 + math.floor(3 * math.log(len(self.axes)))
        self.solutions: list[Any] = []
        self.start()

    def start(self) -> None:
        """Start with a distribution over the whole search space."""
        import numpy as np

        try:
            from cmaes import CatCMAwM
        except ImportError:
            raise MissingExtraError("cmaes", "tune", "tuning") from None
        numbers = len(self.continuous) + len(self.ordinal)
        places = [np.linspace(0, 1, len(axis.values)) for axis in self.ordinal]
        self.engine = CatCMAwM(
            x_space=[[0, 1]] * len(self.continuous) or None,
            z_space=places or None,
            c_space=[len(axis.values) for axis in self.categorical] or None,
            population_size=self.population,
            mean=np.full(numbers, 0.5),
            cov=np.diag(np.full(numbers, SPREAD**2)),
            seed=self.seed,
        )

    def restart(self) -> None:
        """Start again with twice the population: the search has settled (Auger and Hansen 2005)."""
        self.population *= 2
        self.seed = (self.seed + 1) % 2**32
        self.start()

    def ask(self) -> list[Options]:
        """Return the next generation of candidates."""
        self.solutions = [self.engine.ask() for _ in range(self.population)]
        return [self._options(solution) for solution in self.solutions]

    def _options(self, solution: Any) -> Options:
        places = zip(self.continuous, solution.x if self.continuous else (), strict=True)
        chosen: dict[str, Any] = {axis.name: axis.value_at(float(place)) for axis, place in places}
        steps = zip(self.ordinal, solution.z if self.ordinal else (), strict=True)
        chosen |= {axis.name: axis.value_at(float(place)) for axis, place in steps}
        words = zip(self.categorical, solution.c if self.categorical else (), strict=True)
        chosen |= {axis.name: axis.value_at(int(row.argmax())) for axis, row in words}
        return tuple((axis.name, chosen[axis.name]) for axis in self.axes)

    def tell(self, values: Sequence[float]) -> None:
        """Report the values of the last generation; of equal ones the earlier is better."""
        told = [
            (solution, TIE * place - value)
            for place, (solution, value) in enumerate(zip(self.solutions, values, strict=True))
        ]
        self.engine.tell(told)
