"""The rule agents as lists of named rules, and lists of your own.

An agent follows the first rule of its list that applies (Walton-Rivers et al. 2017). Each item of a
list is the name of a rule (`hanabilab.strategies.agents.named_rules`), preceded by its conditions,
if any::

    play-safe
    spare-life:play-at-60               with more than one life, play at a probability of 60 %
    spare-life:empty-pile:play-at-0     … and an empty draw pile, play the likeliest card

On the command line a list is the option of `compose`, joined by plus signs::

    hanabilab simulate "compose:rule-list=play-safe+tell-useful+discard-oldest+tell-randomly"

In Python::

    import hanabilab as hl
    mine = hl.strategies.agent("mine", ["play-safe", "tell-useful", "discard-oldest"])
    hl.play(mine, hl.Deck.shuffled(players=3))

**Departures.** Where no rule of a list applies, the original stops the game with an error; we
discard at random, else tell at random, else take any legal action.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hanabilab.checks import did_you_mean
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.errors import StrategyError
from hanabilab.game.actions import random_action
from hanabilab.game.state import View
from hanabilab.strategies.agents.named_rules import (
    DISCARD_RANDOMLY,
    NAMES,
    NONE,
    TELL_RANDOMLY,
    apply_rule,
)
from hanabilab.strategies.agents.reasons import reason
from hanabilab.strategies.explain import Telling
from hanabilab.strategies.shared.card_places import MOVES, Places, begin, observe
from hanabilab.strategies.shared.own_hand import look, unsupported_without_hints
from hanabilab.strategies.strategy import About, Option, RuleSupport, Strategy

__all__ = ["AGENTS", "COMPOSE", "CONDITIONS", "RULE_NAMES", "agent"]

MOST_RULES = 32
FEW_TOKENS = 4

SPARE_LIFE, EMPTY_PILE, FEW = 1, 2, 4
CONDITIONS = {"spare-life": SPARE_LIFE, "empty-pile": EMPTY_PILE, "few-tokens": FEW}
"""More than one life; no card left to draw; fewer than four hint tokens: a bit each."""

RULE_NAMES = tuple(f"{name}-PERCENT" if name.endswith("-at") else name for name in NAMES)


class RuleList(Places):
    """The rules in order, each packed by `encode`; 0 marks the end."""

    rule_list: list[int] = ints(MOST_RULES)


@kernel
def act(view: View, memory: RuleList) -> int:
    """Follow the first rule of the list that applies."""
    look(view, memory)
    for place in range(MOST_RULES):
        code = memory.rule_list[place]
        if code == 0:
            break
        if holds(view, (code >> 8) & 255):
            action = apply_rule(view, memory, code & 255, code >> 16)
            if action != NONE:
                return action
    return fall_back(view, memory)


@kernel
def holds(view: View, conditions: int) -> bool:
    """Return whether all of these conditions hold."""
    if conditions & SPARE_LIFE and view.lives <= 1:
        return False
    if conditions & EMPTY_PILE and view.draw_pile > 0:
        return False
    return not (conditions & FEW and view.hint_tokens >= FEW_TOKENS)


@kernel
def fall_back(view: View, memory: RuleList) -> int:
    """Choose something legal where the list does not cover the case."""
    action = apply_rule(view, memory, DISCARD_RANDOMLY, 0)
    if action == NONE:
        action = apply_rule(view, memory, TELL_RANDOMLY, 0)
    if action == NONE:
        action = random_action(view, memory)
    return action


def encode(item: str) -> int:
    """Pack an item into one number: the rule, its conditions, its percentage."""
    *conditions, name = item.strip().split(":")
    bits = 0
    for condition in conditions:
        if condition not in CONDITIONS:
            known = " or ".join(CONDITIONS) + did_you_mean(condition, CONDITIONS)
            raise StrategyError(f"{item!r}: unknown condition {condition!r}; expected {known}")
        bits |= CONDITIONS[condition]
    percent = 0
    if found := re.fullmatch(r"(.+-at)-(\d{1,3})", name):
        name, percent = found[1], int(found[2])
    if name not in NAMES or name.endswith("-at") != bool(found) or percent > 100:
        known = ", ".join(RULE_NAMES) + did_you_mean(name, RULE_NAMES)
        raise StrategyError(f"unknown rule {item!r}; expected one of {known}")
    return NAMES[name] | bits << 8 | percent << 16


def explain(telling: Telling) -> str:
    """Say which rule it was; to a reader, as far as the reader can see."""
    codes = [code for code in telling.memory.rule_list if code]
    held = [code for code in codes if holds(telling.view, (code >> 8) & 255)]
    return reason(telling, [(code & 255, code >> 16) for code in held])


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesOption(Option):
    """A list of rules joined by plus signs, stored as packed numbers."""

    def read(self, name: str, value: object) -> str:
        """Check a list, given as text or as a sequence of names, and return it as text."""
        items = value.split("+") if isinstance(value, str) else value
        if not isinstance(items, Iterable):
            raise StrategyError(f"{name}: {value!r} is not a list of rules")
        rules = [str(item).strip() for item in items]
        if not 1 <= len(rules) <= MOST_RULES:
            raise StrategyError(f"{name}: {len(rules)} rules; expected 1 to {MOST_RULES}")
        for rule in rules:
            encode(rule)
        return "+".join(rules)

    def stored(self, value: object) -> list[int]:
        """Return the packed numbers, followed by zeros."""
        codes = [encode(rule) for rule in str(value).split("+")]
        return codes + [0] * (MOST_RULES - len(codes))


WALTON_RIVERS = "Walton-Rivers et al. 2017"
OSAWA = f"Osawa 2015; {WALTON_RIVERS}"


def agent(
    name: str,
    rules: Sequence[str] | str,
    source: str = "",
    summary: str = "",
    home: str = "classic",
) -> Strategy:
    """Return a strategy that follows a list of named rules."""
    option = RulesOption(default="play-safe", help="named rules in order, joined by +")
    return Strategy(
        name,
        act,
        observe,
        begin,
        memory=RuleList,
        observed_kinds=MOVES,
        options={"rule_list": dataclasses.replace(option, default=option.read("rule-list", rules))},
        support=RuleSupport(unsupported_without_hints, home=home),
        about=About(source=source, summary=summary, explain=explain),
    )


LISTS = {
    "internal": "play-safe+discard-dead+tell-playable+tell-randomly+discard-randomly",
    "outer": "play-safe+discard-dead+tell-playable-news+tell-unknown+discard-randomly",
    "cautious": "play-certain+play-safe+tell-useful+discard-dead+discard-randomly+tell-randomly",
    "iggi": "play-certain+play-safe+tell-useful+discard-dead+discard-oldest+tell-randomly",
    "piers": "spare-life:empty-pile:play-at-0+play-safe+spare-life:play-at-60+tell-useful"
    "+few-tokens:tell-dispensable+discard-dead+discard-oldest+tell-randomly+discard-randomly",
    "flawed": "play-safe+play-at-25+tell-randomly+discard-dead+discard-oldest+discard-randomly",
    "vdb": "spare-life:play-at-60+play-safe+discard-at-100+tell-useful+tell-most+discard-at-0",
}

SUMMARIES = {
    "internal": "Play what is certain, discard what is dead, hint at playable cards.",
    "outer": "Play what is certain, discard what is dead, tell only what players do not know yet.",
    "cautious": "Play only what is certain, hint at playable cards, discard at random.",
    "iggi": "Play only what is certain, hint at playable cards, discard the oldest card.",
    "piers": "Play likely cards while there is a life to spare, hint at playable ones, "
    "discard the oldest.",
    "flawed": "Play cards that are 25 % likely to fit, and hint at random: a hard partner.",
    "vdb": "Play likely cards, discard dead ones, hint at playable ones, else give the most news.",
}

AGENTS = tuple(
    agent(
        name,
        rules,
        OSAWA if name in ("internal", "outer") else WALTON_RIVERS,
        SUMMARIES[name],
        "hle",
    )
    for name, rules in LISTS.items()
)

COMPOSE = agent(
    "compose", LISTS["iggi"], WALTON_RIVERS, "Follow any list of rules, given as an option.", "hle"
)
