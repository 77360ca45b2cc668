"""The contract of a strategy: two functions and what they remember.

``act(view, memory) -> int``
    Choose an action by its number (`hanabilab.game.actions`).
``observe(view, event, memory)``
    See a turn, one's own or another player's; called after it, for every player. Optional.
``begin(view, memory) -> int``
    See the table before the first turn; the answer does not matter. Optional.

The view is the state as this player sees it (`hanabilab.game.view`): it contains neither the
player's own cards nor the draw pile. The memory is a record that belongs to one player in one game;
it starts out with the strategy's options and a stream of random numbers of its own.

Functions marked with `kernel` also run compiled. Why an action was chosen says ``explanation``, in
one sentence (`hanabilab.strategies.explain`); a strategy without one is explained by what the table
says about its actions.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.core.kernel import KERNELS
from hanabilab.core.record import Record
from hanabilab.errors import StrategyError
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY
from hanabilab.game.rules import Rules
from hanabilab.game.variants import PLAIN
from hanabilab.game.view import View
from hanabilab.strategies.explain import Telling, explain_by_facts

__all__ = ["EVERYTHING", "HINTS", "Memory", "Option", "Strategy"]


HINTS = 1 << HINT_SUIT | 1 << HINT_RANK
EVERYTHING = 1 << DISCARD | 1 << PLAY | HINTS | 1 << PASS


class Memory(Record):
    """What every strategy has: random numbers (`hanabilab.core.random.below` and `chance`)."""

    stream: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting of a strategy; its value is stored in the memory's field of the same name.

    Its kind follows from the default: a float or an integer between `least` and `most`, a switch
    (`--name/--opposite`), or, with `choices`, one of several words, stored as its index.
    """

    default: float | int | bool | str
    help: str
    least: float = 0
    most: float = 1
    choices: tuple[str, ...] = ()
    opposite: str = ""
    ordered: bool = True
    """Is a larger number more of something? Numbers of rules are only names."""
    tunable: bool = True
    """May a search choose it? How a text is read is not up to a search."""

    def read(self, name: str, value: object) -> float | int | bool | str:
        """The value, checked; text is converted."""
        if self.choices:
            if value not in self.choices:
                raise StrategyError(f"{name}: {value!r} is none of {', '.join(self.choices)}")
            return str(value)
        if isinstance(self.default, bool):
            return self._read_switch(name, value)
        return self._read_number(name, value)

    def _read_number(self, name: str, value: object) -> float | int:
        whole = isinstance(self.default, int)
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if isinstance(value, bool) or math.isnan(number) or (whole and number % 1):
            raise StrategyError(f"{name}: {value!r} is not a {'whole ' if whole else ''}number")
        if not self.least <= number <= self.most:
            raise StrategyError(f"{name}: {value} is not between {self.least} and {self.most}")
        return int(number) if whole else number

    def _read_switch(self, name: str, value: object) -> bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if str(value).lower() not in words:
            raise StrategyError(f"{name}: {value!r} is not true or false")
        return words[str(value).lower()]

    def stored(self, value: float | int | bool | str) -> float | int:
        """What stands in the memory for a value."""
        if isinstance(value, str):
            return self.choices.index(value)
        return int(value) if isinstance(value, bool) else value


def anything(rules: Rules) -> str | None:
    """Every set of rules can be played."""
    return None


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to act, with its options."""

    name: str
    act: Callable[[Any, Any], int]
    observe: Callable[[Any, Any, Any], None] | None = None
    begin: Callable[[Any, Any], int] | None = None
    memory: type[Memory] = Memory
    watches: int = EVERYTHING
    """The kinds of events that `observe` is called for, a bit each."""
    options: Mapping[str, Option] = dataclasses.field(default_factory=dict)
    chosen: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The options that differ from their defaults."""
    unfit: Callable[[Rules], str | None] = anything
    """Why it cannot play these rules, or None; `why_not` also looks at special suits."""
    any_touching: bool = False
    """Does it play with suits that hints touch in another way (`hanabilab.game.variants`)?"""
    sees_own_cards: bool = False
    """A cheating strategy says so; it is handed the whole table."""
    slow: bool = False
    """Too slow to be run interpreted."""
    public_memory: bool = False
    """Does its memory keep only what is public, so that one memory serves every seat?

    A search then shows each turn to one memory, through the eyes of the player who acted.
    """
    consider: Callable[[Any, Any, Any], None] | None = None
    """``consider(view, outlook, memory)``: for a search, what its cards may be and what it may do.

    See `hanabilab.strategies.outlook`.
    """
    source: str = ""
    """Where it is from."""
    explanation: Callable[[Telling], str] = explain_by_facts
    """Why an action was chosen, in one sentence."""
    explains_afterwards: bool = False
    """Does the explanation read what `act` wrote down? Then it is handed the memory after it."""

    @property
    def can_compile(self) -> bool:
        """Are all of its functions kernels?"""
        return all(function is None or function in KERNELS for function in self.functions)

    @property
    def functions(self) -> list[Any]:
        """What a table calls."""
        return [self.act, self.observe, self.begin, self.consider]

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (self.act.__doc__ or "").strip().split("\n")[0]

    @property
    def label(self) -> str:
        """The name with the options that were chosen, as the command line takes it."""
        chosen = ",".join(f"{name.replace('_', '-')}={self.chosen[name]}" for name in self.chosen)
        return f"{self.name}:{chosen}" if chosen else self.name

    def with_options(self, /, **values: object) -> Strategy:
        """The same strategy with some options chosen."""
        chosen = dict(self.chosen)
        for given, value in values.items():
            name = given.replace("-", "_")
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise StrategyError(f"{self.name} has no option {given}; its options: {known}")
            chosen[name] = self.options[name].read(given.replace("_", "-"), value)
            if chosen[name] == self.options[name].default:
                del chosen[name]
        return dataclasses.replace(self, chosen=chosen)

    def option(self, name: str) -> Any:
        """The value of an option."""
        return self.chosen.get(name, self.options[name].default)

    def fresh_memory(self) -> Memory:
        """The memory with which a game starts."""
        values = {name: option.stored(self.option(name)) for name, option in self.options.items()}
        return self.memory(**values)

    @property
    def extra_room(self) -> int:
        """Words of room that `furnish` takes in a compiled seat."""
        return 0

    def furnish(self, memory: Memory, room: Any) -> Any:
        """Fill in what a memory needs besides the options; return the rest of the room.

        Called for each seat when a table is set, compiled if there is room.
        """
        return room

    def explain(self, view: View, memory: Memory, action: int, reader: int | None = None) -> str:
        """Why it chose an action: the view and a copy of the memory are those it acted with.

        For a `reader` at the same table nothing is said that depends on the reader's own cards.
        """
        return self.explanation(Telling.of(view, memory, action, reader))

    def why_not(self, rules: Rules) -> str | None:
        """Why it cannot play these rules, or None."""
        if rules.special_suits and not self.any_touching:
            kinds = ", ".join(kind for kind in dict.fromkeys(rules.touching) if kind != PLAIN)
            return f"its hints touch their own suit or rank only, and there are {kinds} suits"
        return self.unfit(rules)

    def check(self, rules: Rules) -> None:
        """Refuse rules that this strategy cannot play."""
        reason = self.why_not(rules)
        if reason:
            raise StrategyError(f"{self.name} cannot play this: {reason}")
