"""`search` as a strategy: its options, its blueprint, and its imagined table."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import did_you_mean
from hanabilab.core.clock import ticks_per_second
from hanabilab.core.record import dtype
from hanabilab.errors import StrategyError
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.rules import Rules
from hanabilab.strategies.explain import ExplanationContext, facts
from hanabilab.strategies.search.comparison import BLUEPRINT, error, lead, play_out
from hanabilab.strategies.search.kernels import act, begin, observe
from hanabilab.strategies.search.memory import (
    MOST_CARDS,
    MOST_SCREEN,
    MOST_TURNS,
    ImaginedTable,
    SearchMemory,
)
from hanabilab.strategies.search.replay import replay_history
from hanabilab.strategies.seats import (
    Seats,
    compile_functions,
    memory_words,
    take_seat,
    words_needed,
)
from hanabilab.strategies.strategy import (
    TRUTHFUL_SWITCHES,
    About,
    Memory,
    Option,
    RuleSupport,
    Strategy,
)

__all__ = ["Search", "search_over"]


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """The sentence that explains a search over a blueprint, from what the search wrote down.

    Every number depends on the hands in sight, and so does whether the blueprint was followed: a
    reader at the table learns only what was done.
    """

    blueprint: str

    def __call__(self, context: ExplanationContext) -> str:
        if context.reader is not None:
            return context.because("the best it could imagine", facts(context))
        memory: SearchMemory = context.memory
        reason = f"as {self.blueprint} does"
        if memory.comparison.best != BLUEPRINT:
            reason = self.gained(context, memory)
        elif memory.comparison.imagined:
            others = memory.candidates.count - 1
            compared = f"{others} other action{'s' * (others > 1)} compared"
            reason += f", {compared} in {memory.comparison.imagined:,} imagined worlds"
        return context.because(reason, facts(context))

    def gained(self, context: ExplanationContext, memory: SearchMemory) -> str:
        """Describe how much better the action did than the blueprint's."""
        best = memory.comparison.best
        gain = f"{lead(memory, best):.3f} ± {error(memory, best):.3f}"
        action = memory.candidates.actions[BLUEPRINT]
        base = ExplanationContext.of(context.view, memory, action, None, context.labels).headline
        worlds = f"{memory.comparison.imagined:,} imagined worlds"
        return f"gains {gain} points in {worlds} over what {self.blueprint} does ({base})"


REPLAYED_SWITCHES = TRUTHFUL_SWITCHES - {"hints_tell"}
"""The switches with which a game can be replayed: everyone was told what was done."""
PREFIX = "blueprint_"
HISTORY = 20
"""For how many turns an action tells something about the present hand: then hands have changed."""
NESTED_MARGIN = 0.5
"""The margin of imagined players who search: their worlds are few."""
NO_LIMIT = 1 << 40
"""More worlds than a decision ever takes."""
MOMENTS = 2
"""Each imagined player has a memory of now and one of earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlueprintOption(Option):
    """The name of the strategy to search over."""

    known: Mapping[str, Strategy]

    def read(self, name: str, value: object) -> str:
        """Return the name, or raise if it is not that of a strategy to search over."""
        found = self.known.get(str(value))
        if found is None:
            fit = ", ".join(name for name, each in self.known.items() if not why_no_blueprint(each))
            meant = did_you_mean(str(value), self.known)
            raise StrategyError(f"{name}: unknown strategy {value!r}; expected one of {fit}{meant}")
        reason = why_no_blueprint(found)
        if reason:
            raise StrategyError(f"{name}: {value} {reason}")
        return found.name


def why_no_blueprint(strategy: Strategy) -> str | None:
    """Return why a search cannot use this strategy, or None."""
    if isinstance(strategy, Search):
        return "is a search itself; search over a strategy that does not search"
    if not strategy.can_compile:
        return "is plain Python; a search needs a strategy made of kernels"
    if strategy.sees_own_hand:
        return "looks at its own cards, which a search does not know"
    return None


@dataclass(frozen=True, slots=True)
class Search(Strategy):
    """A strategy that searches over another one; the other's options start with `blueprint-`."""

    blueprint: Strategy = dataclasses.field(kw_only=True)

    def with_options(self, /, **values: object) -> Strategy:
        """Return the same search with some options chosen, over the blueprint that they name."""
        named = {name.replace("-", "_"): value for name, value in values.items()}
        theirs = {
            name.removeprefix(PREFIX): value
            for name, value in named.items()
            if is_blueprint_option(name)
        }
        found: Strategy = self
        if "blueprint" in named or theirs:
            option = self.options["blueprint"]
            assert isinstance(option, BlueprintOption)
            name = option.read("blueprint", named.get("blueprint", self.blueprint.name))
            same = name == self.blueprint.name
            blueprint = self.blueprint if same else option.known[name]
            found = self._over(blueprint.with_options(**theirs))
        found = Strategy.with_options(found, **named)
        assert isinstance(found, Search)
        found.check_nested()
        own_first = sorted(found.chosen, key=is_blueprint_option)
        return dataclasses.replace(found, chosen={name: found.chosen[name] for name in own_first})

    def check_nested(self) -> None:
        """Raise if imagined players are to search over a blueprint that does not allow it."""
        if self.option("nested_samples") and not self.blueprint.search.public_memory:
            raise StrategyError(
                f"nested-samples: {self.blueprint.name} remembers in private what a player saw; "
                "a nested search needs a blueprint with a public memory, hatter or duo"
            )

    def _over(self, blueprint: Strategy) -> Search:
        """Return the same search over a blueprint, with its options."""
        own = {
            name: option for name, option in self.options.items() if not is_blueprint_option(name)
        }
        own |= belief_options(blueprint)
        theirs = {PREFIX + name: option for name, option in blueprint.options.items()}
        chosen = {
            name: value for name, value in self.chosen.items() if not is_blueprint_option(name)
        }
        chosen |= {PREFIX + name: value for name, value in blueprint.chosen.items()}
        return dataclasses.replace(
            self,
            blueprint=blueprint,
            options=own | theirs,
            chosen=chosen,
            support=support_of(blueprint),
            about=about(blueprint),
        )

    def fresh_memory(self) -> Memory:
        """Return the memory with which a game starts; the blueprint has its own."""
        values = {
            name: option.stored(self.option(name))
            for name, option in self.options.items()
            if name in SearchMemory.fields and name != "blueprint"
        }
        if self.option("seconds") and "samples" not in self.chosen:
            values["samples"] = NO_LIMIT
        memory = SearchMemory(**values)
        memory.blueprint.label = zlib.crc32(self.blueprint.label.encode())
        return memory

    @property
    def extra_words(self) -> int:
        """Room for the blueprint in every seat, and for its memories of other moments."""
        words = MAX_PLAYERS * words_needed(self.blueprint)
        words += self._count_memories() * memory_words(self.blueprint)
        return words + words_needed(self._searcher()) if self.option("nested_samples") else words

    def _count_memories(self) -> int:
        """Count the memories of imagined players at two moments, and this player's own ones."""
        public = self.blueprint.search.public_memory
        return MOMENTS * MAX_PLAYERS + 1 + (int(self.option("history")) if public else 0)

    def _searcher(self) -> Strategy:
        """Return the small search of imagined players: it believes public tables, as they stand."""
        worlds = self.option("nested_samples")
        return self.with_options(
            nested_samples=0,
            samples=worlds,
            screen=worlds,
            margin=NESTED_MARGIN,
            history=0,
            seconds=0,
        )

    def init_memory(self, memory: Any, buffer: Any) -> Any:
        """Seat the blueprint at the imagined table."""
        seats: Seats = memory.blueprint.seats
        blueprint = self.blueprint
        seats.guarded = int(not blueprint.in_package)
        seats.shared = memory.blueprint.public = int(blueprint.search.public_memory)
        memory.blueprint.pure = int(blueprint.search.pure_act or blueprint.search.public_memory)
        for player in range(MAX_PLAYERS):
            buffer = take_seat(seats, player, blueprint, buffer)
            if seats.shared:
                seats.memories[player] = seats.memories[0]
        memories = [blueprint.memory() for _ in range(self._count_memories())]
        memory.blueprint.candidate_actions = blueprint.search.candidate_actions or 0
        memory.blueprint.seats.is_won = blueprint.search.is_won or 0
        memory.table.play_out, memory.table.replay = play_out, replay_history
        if buffer is not None:
            words = memory_words(blueprint)
            memories = [buffer[place * words :].ctypes.data for place in range(len(memories))]
            *_, memory.blueprint.candidate_actions, seats.is_won = compile_functions(blueprint)
            memory.table.play_out, memory.table.replay = imagining_addresses()
            buffer = buffer[len(memories) * words :]
        if memory.nested_samples:
            buffer = seat_searchers(memory.table, self._searcher(), buffer)
        memory.world.memories = memories[:MAX_PLAYERS]
        memory.checkpoint.memories = memories[MAX_PLAYERS : MOMENTS * MAX_PLAYERS]
        memory.blueprint.memory, *moments = memories[MOMENTS * MAX_PLAYERS :]
        memory.log.moments[: len(moments)] = moments
        memory.limits.ticks_per_second = (
            ticks_per_second(compiled=buffer is not None) if memory.seconds else 0.0
        )
        return buffer


def seat_searchers(table: ImaginedTable, searcher: Strategy, buffer: Any) -> Any:
    """Seat a small search everywhere at the imagined table; return the rest of the buffer."""
    seats = table.searchers
    rest = take_seat(seats, 0, searcher, buffer)
    template: Any = seats.templates[0]
    table.searchers_memory = template.blueprint.memory if buffer is None else 0
    if buffer is not None:
        words = memory_words(searcher)
        packed = buffer[:words].view(dtype(searcher.memory))[0]
        table.searchers_memory = int(packed["blueprint"]["memory"])
    seats.shared = 1
    seats.observers = [(1 << MAX_PLAYERS) - 1] * len(seats.observers)
    for each in (seats.acts, seats.observes, seats.memories):
        each[:] = [each[0]] * MAX_PLAYERS
    return rest


@dataclass(frozen=True, slots=True)
class UnsupportedReason:
    """Why a search over a blueprint cannot play some rules, or None."""

    blueprint: Strategy

    def __call__(self, rules: Rules) -> str | None:
        if rules.deck_size > MOST_CARDS:
            return f"it imagines decks of at most {MOST_CARDS} cards"
        reason = self.blueprint.why_not(rules)
        return f"its blueprint {self.blueprint.name} cannot: {reason}" if reason else None


def support_of(blueprint: Strategy) -> RuleSupport:
    """Return which rules a search over a blueprint can play."""
    theirs = blueprint.support
    return RuleSupport(
        UnsupportedReason(blueprint),
        theirs.special_hints,
        switches=frozenset(theirs.switches) & REPLAYED_SWITCHES,
    )


def about(blueprint: Strategy) -> About:
    """Return what people are told about a search over a blueprint."""
    explain = SearchExplanation(blueprint.name)
    return About(source="Lerer et al. 2020", explain=explain, explains_afterwards=True)


def is_blueprint_option(name: str) -> bool:
    """Return whether this is an option of the blueprint, not of the search."""
    return name.startswith(PREFIX)


def imagining_addresses() -> list[int]:
    """Compile what plays at the imagined table, and return the addresses."""
    from hanabilab.core.machine_code import Callback, callbacks

    wanted = (
        Callback(function, "int", (SearchMemory, int)) for function in (play_out, replay_history)
    )
    return callbacks("imagined games", *wanted)


def belief_options(blueprint: Strategy) -> dict[str, Option]:
    """Return the options whose defaults depend on the blueprint.

    A public memory says all there is to know, if nothing is concluded from what is not done: then
    `history` is 0.
    """
    defaults = {
        "samples": 1_700,
        "screen": 200,
        "least_gain": 0.0,
        "history": 0 if blueprint.search.public_memory else HISTORY,
        "surprise": 0.05,
        "nested_samples": 0,
        **blueprint.search.defaults,
    }
    return {
        "samples": Option(
            default=int(defaults["samples"]),
            least=1,
            most=1_000_000,
            help="worlds imagined for a decision, at most",
        ),
        "screen": Option(
            default=int(defaults["screen"]),
            least=1,
            most=MOST_SCREEN,
            help="worlds in which the blueprint's action is tried before others are compared "
            "with it at length",
        ),
        "least_gain": Option(
            default=defaults["least_gain"],
            most=10.0,
            help="points by which another action must be better; late in the game a third of it",
        ),
        "history": Option(
            default=int(defaults["history"]),
            most=MOST_TURNS,
            help="last turns for which an imagined hand must explain what the partners did",
        ),
        "surprise": Option(
            default=defaults["surprise"],
            most=0.9,
            help="how likely a world is for each of these actions that it does not explain",
        ),
        "nested_samples": Option(
            default=int(defaults["nested_samples"]) if blueprint.search.public_memory else 0,
            most=MOST_SCREEN,
            help="worlds in which imagined players search too, near the end; 0: they never do",
        ),
        "nested_pile": Option(
            default=8,
            most=MOST_CARDS,
            help="imagined players search with a draw pile of at most this many cards",
        ),
    }


def search_over(known: Mapping[str, Strategy], blueprint: Strategy) -> Search:
    """Return the strategy `search` over a blueprint; an option can name another known one."""
    options = {
        "blueprint": BlueprintOption(
            default=blueprint.name, known=known, tunable=False, help="the strategy to search over"
        ),
        "pile": Option(
            default=MOST_CARDS,
            most=MOST_CARDS,
            help="search with a draw pile of at most this many cards",
        ),
        "margin": Option(
            default=1.5, most=10.0, help="standard errors by which another action must be better"
        ),
        **belief_options(blueprint),
        "lies": Option(
            default=True,
            help="also try actions that tell the partners something false, where the blueprint "
            "allows that",
        ),
        "seconds": Option(
            default=0.0,
            most=3600.0,
            tunable=False,
            help="time for a decision, at most; unless samples is given as well, the only limit. "
            "Games then depend on the machine",
        ),
    }
    return Search(
        "search",
        act,
        observe,
        begin,
        memory=SearchMemory,
        options=options,
        slow=True,
        support=support_of(blueprint),
        about=about(blueprint),
        blueprint=blueprint,
    )
