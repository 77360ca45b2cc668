"""The search space of a strategy's options, and the optimiser that explores it.

An axis is continuous, ordinal or categorical. The optimiser is an evolution strategy that handles
all three: CatCMA with margin (Hamano et al. 2025), from the library cmaes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import FormatError, MissingExtraError, StrategyError
from hanabilab.lab.sweep import Options, Values, option_values
from hanabilab.strategies.strategy import Option, Strategy

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
    strategy: Strategy, limits: Mapping[str, Values]
) -> tuple[Strategy, tuple[Axis, ...]]:
    """Return the strategy with its fixed options, and an axis for each option to be searched.

    `limits` restricts options by name: one value fixes it, ``0.4:0.8`` are bounds, a list or
    ``1,2,4`` are the values to choose from. Other options are searched unless the strategy
    excludes them (`Option.tunable`).
    """
    axes = {_field(name): _limited_axis(strategy, name, values) for name, values in limits.items()}
    for name, option in strategy.options.items():
        if name not in axes and option.tunable and (option.choices or not _is_text(option)):
            axes[name] = _full_axis(_word(name), option)
    searched = []
    for name in strategy.options:
        axis = axes.get(name)
        if isinstance(axis, Categorical) and len(axis.values) == 1:
            strategy = strategy.with_options(**{name: axis.values[0]})
        elif axis is not None:
            searched.append(axis)
    if not searched:
        raise StrategyError(_nothing_to_search(strategy))
    return strategy, tuple(searched)


def _word(name: str) -> str:
    return name.replace("_", "-")


def _field(name: str) -> str:
    return name.replace("-", "_")


def _is_text(option: Option) -> bool:
    return isinstance(option.default, str)


def _nothing_to_search(strategy: Strategy) -> str:
    if not strategy.options:
        return f"{strategy.name} has no options to tune"
    known = ", ".join(map(_word, strategy.options))
    return f"{strategy.name}: no option is left to tune; give several values for one of: {known}"


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
        least, most = (float(option.read(_word(name), bound)) for bound in values.split(":"))
        if least >= most:
            raise FormatError(f"{_word(name)}: {values!r} is not a range; expected LOW below HIGH")
        return _full_axis(_word(name), dataclasses.replace(option, least=least, most=most))
    read = option_values(strategy, name, values)
    return _axis_of(_word(name), strategy.options[_field(name)], read)


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
