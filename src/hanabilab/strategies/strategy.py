"""The contract of a strategy: how it acts, what it observes, and what it remembers.

``act(view, memory) -> int``
    Choose an action by its number (`hanabilab.game.actions`).
``observe(view, event, memory)``
    See a turn, the player's own or another's; called for every player after it. Optional.
``begin(view, memory) -> int``
    See the table before the first turn; the number returned does not matter. Optional.

The view is the state as this player sees it (`hanabilab.game.state`): it contains neither the
player's own cards nor the draw pile. The memory is a record that belongs to one player in one game;
it starts with the strategy's options and its own stream of random numbers.

Functions marked with `kernel` also run compiled. `RuleSupport` declares which rules a strategy can
play, `About` what people are told about it, `SearchSupport` what a search over it needs.
"""

from __future__ import annotations

import dataclasses
import keyword
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypedDict

from hanabilab.checks import did_you_mean
from hanabilab.core.kernel import KERNELS, in_package, kernel
from hanabilab.core.record import Record, ints
from hanabilab.errors import StrategyError
from hanabilab.formats.describe import NUMBERED, Labels
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY, Event
from hanabilab.game.cards import MAX_HAND
from hanabilab.game.rules import Rules, named_preset, preset, switch_set, unhandled_rule
from hanabilab.game.state import View
from hanabilab.strategies.explain import ExplanationContext, explain_by_facts

__all__ = [
    "HINT_KINDS",
    "MOST_ACTIONS",
    "NONE",
    "PLAYED_SWITCHES",
    "TRUTHFUL_SWITCHES",
    "About",
    "Candidates",
    "Memory",
    "Option",
    "OptionValue",
    "RuleSupport",
    "SearchSupport",
    "Strategy",
    "describe_strategy",
    "option_word",
    "propose",
]

NONE = -1
"""No slot, no card, no player, no action."""
HINT_KINDS = 1 << HINT_SUIT | 1 << HINT_RANK
ALL_KINDS = 1 << DISCARD | 1 << PLAY | HINT_KINDS | 1 << PASS

OptionValue = float | int | bool | str


def declare(name: str) -> str:
    """Return a factory for a field of a memory."""
    return f"declare `{name}: int` in your Memory, and give that class to the Strategy (`memory=`)"


class Memory(Record):
    """The memory of every strategy; a subclass adds fields of its own.

    Fields are integers, ``seen: int``, floats, ``risk: float``, or arrays, ``slots: list[int] =
    ints(10)``. All are 0 at the start of a game, except options.
    """

    stream: int
    """Its own random stream, for `below` and `chance`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.fields:
            raise AttributeError(f"{type(self).__name__} has no field {name}; {declare(name)}")
        object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting of a strategy; its value is stored in the field of that name in the memory.

    Its type follows from the default: a float or an integer between `least` and `most`, a switch,
    or, with `choices`, one of several words, stored as its index. On the command line it is written
    ``STRATEGY:name=value``, a switch ``STRATEGY:name=yes`` or ``no``.
    """

    default: OptionValue
    """The default value; its type is that of the option."""
    help: str
    """A short description."""
    least: float = 0
    """The smallest number."""
    most: float = 1
    """The largest number."""
    choices: tuple[str, ...] = ()
    """The words to choose from; the memory holds the index of the chosen one."""
    ordered: bool = True
    """Whether a larger number means more of something; the number of a rule is only a name."""
    tunable: bool = True
    """Whether a search may choose it; how to interpret a paper is not for a search to decide."""

    def read(self, name: str, value: object) -> OptionValue:
        """Check a value, converting text, and return it."""
        if self.choices:
            if value not in self.choices:
                known = " or ".join(self.choices) + did_you_mean(str(value), self.choices)
                raise StrategyError(f"{name}: unknown value {value!r}; expected {known}")
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
        if (word := str(value).lower()) in ("yes", "true", "on", "1"):
            return True
        if word not in ("no", "false", "off", "0"):
            raise StrategyError(f"{name}: {value!r} is neither yes nor no")
        return False

    def stored(self, value: OptionValue) -> float | int | list[int]:
        """Return the stored form of a value."""
        if isinstance(value, str):
            return self.choices.index(value)
        return int(value) if isinstance(value, bool) else value


RENAMED_OPTIONS = {"reading": "interpretation"}
"""Old names of options, for messages."""
RESERVED = frozenset(name for name in dir(Memory) if not name.startswith("_")) | {"stream"}
"""Words that have a fixed meaning in every memory."""


def option_word(name: str) -> str:
    """Return the name of an option in the spelling of the command line."""
    return name.replace("_", "-")


def check_option_name(strategy: str, name: str) -> None:
    """Raise if a strategy cannot have an option with this name."""
    if name in RESERVED:
        raise StrategyError(
            f"{strategy}: an option cannot be called {name}: every memory has a {name} already; "
            f"reserved words: {', '.join(sorted(RESERVED))}"
        )
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise StrategyError(
            f"{strategy}: an option cannot be called {name!r}; use a Python identifier that is "
            "no keyword and starts with a letter, since the memory has a field of this name"
        )


MOST_ACTIONS = 64
"""The largest number of actions that can be compared; five players under classic rules have 50."""


class Candidates(Record):
    """What a strategy tells a search over it: what its cards may be, and which actions to compare.

    `SearchSupport.candidate_actions` fills it in for the player to move.
    """

    possible: list[int] = ints(MAX_HAND)
    """For each slot of the player's hand, the possible cards, as far as the strategy knows.

    It is initialized with what the hints allow.
    """
    lies: int
    """Whether actions that mislead the partners are also worth considering."""
    any_hint: int
    """Whether every hint is worth considering, not only those that the strategy proposes."""
    plays: int
    """The slots of the player's hand worth playing if they may be playable."""
    discards: int
    """The slots worth discarding if they may be dispensable."""
    count: int
    """The number of actions proposed."""
    actions: list[int] = ints(MOST_ACTIONS)


@kernel
def propose(candidates: Candidates, action: int) -> None:
    """Add an action to those worth considering, unless it was already added."""
    for place in range(candidates.count):
        if candidates.actions[place] == action:
            return
    if candidates.count < MOST_ACTIONS:
        candidates.actions[candidates.count] = action
        candidates.count += 1


PLAYED_SWITCHES = switch_set(
    "all_or_nothing colours deck_ends deck_plays discard_at_full discards_per_token empty_hints",
    "first_player keep_on_last_turn keep_score open_game rank_hints rank_touching score_ends",
    "speedrun suit_hints token_for_suit touching",
)
"""The switches of the rules that a strategy supports unless it says otherwise.

It need not know them: the view and the legal actions follow the rules.
"""
TRUTHFUL_SWITCHES = PLAYED_SWITCHES | switch_set(
    "alternating_hints hints_tell inverted_suits reversed_suits stacks"
)
"""The switches under which a view is complete and true about cards and fireworks.

They suit a strategy that asks the view which cards a hint touches, which are playable or dead, and
what a slot may be, instead of computing with suits and ranks.
"""


def supports_all(rules: Rules) -> str | None:
    """Accept all rules."""
    return None


@dataclass(frozen=True, slots=True)
class RuleSupport:
    """The rules that a strategy supports, and those it was made for."""

    unsupported_reason: Callable[[Rules], str | None] = supports_all
    """Returns why it cannot play these rules, or None; see also `Strategy.why_not`."""
    special_hints: bool = False
    """Whether it supports suits that hints touch differently (`hanabilab.game.variants`)."""
    home: str = "classic"
    """The preset of the rules it was made for."""
    switches: Collection[str] = PLAYED_SWITCHES
    """The switches of the rules that it supports; others are rejected by name."""
    program_home: str = ""
    """The preset of the authors' program, if its rules differ from those of the text."""


@dataclass(frozen=True, slots=True)
class About:
    """Information for people about a strategy and its actions."""

    source: str = ""
    """Its source."""
    summary: str = ""
    """A one-line description; by default the first line of the docstring of `act`."""
    explain: Callable[[ExplanationContext], str] = explain_by_facts
    """Explains in one sentence why an action was chosen."""
    explains_afterwards: bool = False
    """Whether `explain` reads what `act` wrote to the memory; it then gets the memory after it."""


@dataclass(frozen=True, slots=True)
class SearchSupport:
    """What a strategy offers to a search that uses it as a blueprint."""

    candidate_actions: Callable[[View, Any, Any], None] | None = None
    """``candidate_actions(view, candidates, memory)`` writes what its cards may be and what it may
    do.

    See `Candidates`.
    """
    public_memory: bool = False
    """Whether its memory holds only public information, so that one memory serves every seat.

    A search then shows each turn to one memory, as the player who acted sees it.
    """
    is_won: Callable[[View, Any], int] | None = None
    """``is_won(state, memory)`` returns 1 if an imagined game ends with the maximum for certain.

    It is asked before each turn, and sees all hands of that game. A search need not play such a
    game to its end. Only for strategies with a public memory.
    """
    pure_act: bool = False
    """Whether `act` uses no random numbers and changes nothing that later turns depend on.

    A search then asks each partner only once what it would have done, for all worlds that show the
    partner the same cards.
    """
    defaults: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Other defaults for options of a search over it, by their names."""

    def __post_init__(self) -> None:
        """Reject `is_won` where there is no memory that knows about every seat."""
        if self.is_won is not None and not self.public_memory:
            raise StrategyError("is_won: needs public_memory=True")


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to act, with its options.

    The usual form is ``Strategy("name", act, observe, begin, memory=MyMemory, options={...})``.
    """

    name: str
    """Its name."""
    act: Callable[[View, Any], int]
    """``act(view, memory)`` chooses an action by its number."""
    observe: Callable[[View, Event, Any], None] | None = None
    """``observe(view, event, memory)`` sees a turn after it was taken."""
    begin: Callable[[View, Any], int] | None = None
    """``begin(view, memory)`` sees the table before the first turn; the result is ignored."""
    memory: type[Memory] = Memory
    """The memory of a player: a class of fields."""
    options: Mapping[str, Option] = dataclasses.field(default_factory=dict)
    """Its options, by the names of the fields of the memory that hold them."""
    chosen: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The options that differ from their defaults."""
    observed_kinds: int = ALL_KINDS
    """The kinds of events for which `observe` is called, one bit each."""
    sees_own_hand: bool = False
    """Whether it cheats: its view contains its own cards."""
    slow: bool = False
    """Whether it is too slow to run interpreted."""
    external: bool = False
    """Whether it runs in other processes; several threads are then faster, compiled or not."""
    location: str = ""
    """Where the command line found it, ``FILE.py:NAME``, if it has no registered name."""
    support: RuleSupport = RuleSupport()
    """Which rules it can play."""
    about: About = About()
    """Information for people about it."""
    search: SearchSupport = SearchSupport()
    """What a search needs to use it as a blueprint."""

    def __post_init__(self) -> None:
        for name in self.options:
            check_option_name(self.name, name)

    @property
    def summary(self) -> str:
        """A one-line description."""
        return self.about.summary or (self.act.__doc__ or "").strip().split("\n")[0]

    @property
    def functions(self) -> list[Callable[..., Any] | None]:
        """The functions called during games."""
        search = self.search
        return [self.act, self.observe, self.begin, search.candidate_actions, search.is_won]

    @property
    def in_package(self) -> bool:
        """Whether it is built in; other strategies are handed copies, which they may write to."""
        return all(function is None or in_package(function) for function in self.functions)

    @property
    def can_compile(self) -> bool:
        """Whether all of its functions are kernels."""
        return all(function is None or function in KERNELS for function in self.functions)

    @property
    def home_rules(self) -> str:
        """The preset of the rules it was made for, in the chosen interpretation."""
        program = self.support.program_home and self.chosen.get("interpretation") == "program"
        return self.support.program_home if program else self.support.home

    @property
    def label(self) -> str:
        """The name with the chosen options, in the syntax of the command line."""
        chosen = ",".join(f"{name.replace('_', '-')}={self.chosen[name]}" for name in self.chosen)
        name = self.location or self.name
        return f"{name}:{chosen}" if chosen else name

    def with_options(self, /, **values: object) -> Strategy:
        """Return this strategy with some options changed."""
        chosen = dict(self.chosen)
        for given, value in values.items():
            name = given.replace("-", "_")
            if name not in self.options:
                raise StrategyError(f"{self.name} has no option {given}{self._options_hint(name)}")
            chosen[name] = self.options[name].read(given.replace("_", "-"), value)
            if chosen[name] == self.options[name].default:
                del chosen[name]
        return dataclasses.replace(self, chosen=chosen)

    def _options_hint(self, name: str) -> str:
        """Return the end of a message about an unknown option."""
        if (new := RENAMED_OPTIONS.get(name)) in self.options:
            return f"; it is now called {new}"
        known = [option_word(each) for each in self.options]
        return f"; its options: {', '.join(known) or 'none'}{did_you_mean(name, known)}"

    def option(self, name: str) -> Any:
        """Return the value of an option."""
        return self.chosen.get(name, self.options[name].default)

    def fresh_memory(self) -> Memory:
        """Return the memory with which a game starts."""
        values = {name: option.stored(self.option(name)) for name, option in self.options.items()}
        return self.memory(**values)

    @property
    def extra_words(self) -> int:
        """Words of the buffer that `init_memory` takes in a compiled seat."""
        return 0

    def init_memory(self, memory: Memory, buffer: Any) -> Any:
        """Initialize what a memory needs besides the options; return the unused part of the buffer.

        It is called for each seat when a table is set up; compiled if there is a buffer.
        """
        return buffer

    def halt(self, threads: Collection[Thread]) -> None:
        """Stop other processes that play for these threads; their results are no longer needed."""

    def explain(
        self,
        view: View,
        memory: Memory,
        action: int,
        reader: int | None = None,
        labels: Labels = NUMBERED,
    ) -> str:
        """Explain why it chose an action, given the view and the memory it acted with.

        A `reader` at the same table learns nothing that depends on the reader's own cards.
        """
        return self.about.explain(ExplanationContext.of(view, memory, action, reader, labels))

    def why_not(self, rules: Rules) -> str | None:
        """Return why it cannot play these rules, or None."""
        if (special := rules.special_hints) and not self.support.special_hints:
            return f"its hints touch only their own suit or rank, and there are {special}"
        if rule := unhandled_rule(rules.nonstandard, self.support.switches):
            return f"it does not support the rule {rule}"
        return self.support.unsupported_reason(rules)

    def check(self, rules: Rules) -> None:
        """Raise if this strategy cannot play these rules."""
        reason = self.why_not(rules)
        if reason:
            raise StrategyError(f"{self.name} cannot play this: {reason}")


class OptionDescription(TypedDict):
    """An option of a strategy."""

    name: str
    default: OptionValue
    help: str
    choices: list[str]
    least: float
    most: float


class StrategyDescription(TypedDict):
    """A strategy; `players` are the numbers of players for which it supports its home rules."""

    name: str
    summary: str
    source: str
    rules: str
    players: list[int]
    sees_own_cards: bool
    options: list[OptionDescription]


def describe_strategy(strategy: Strategy) -> StrategyDescription:
    """Return the description of a strategy for a list of strategies."""
    rules = strategy.home_rules
    return {
        "name": strategy.name,
        "summary": strategy.summary,
        "source": strategy.about.source,
        "rules": rules,
        "players": [
            number
            for number in named_preset(rules)[1].hands
            if strategy.support.unsupported_reason(preset(rules, number)) is None
        ],
        "sees_own_cards": strategy.sees_own_hand,
        "options": [
            {
                "name": name.replace("_", "-"),
                "default": strategy.option(name),
                "help": option.help,
                "choices": list(option.choices),
                "least": option.least,
                "most": option.most,
            }
            for name, option in strategy.options.items()
        ],
    }
