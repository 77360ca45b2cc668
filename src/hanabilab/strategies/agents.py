"""The rule agents as lists of named rules, and lists of your own.

An agent follows the first rule of its list that applies (Walton-Rivers et al. 2017). Each item of a
list is the name of a rule (`hanabilab.strategies.agent_rules`), preceded by its conditions,
if any::

    play-safe
    spare-life:play-at-60               with more than one life, play at a probability of 60 %
    spare-life:empty-pile:play-at-0     … and an empty draw pile, play the likeliest card

On the command line a list is the option of `compose`, joined by plus signs::

    hanabilab simulate "compose:rule-list=play-safe+tell-useful+discard-oldest+tell-randomly"

In Python::

    import hanabilab as hl
    from hanabilab.author import agent
    mine = agent("mine", ["play-safe", "tell-useful", "discard-oldest"])
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
from hanabilab.errors import StrategyError
from hanabilab.game.actions import DISCARD, HINT_RANK, PLAY, Event, random_action
from hanabilab.game.state import View
from hanabilab.strategies.agent_rules import (
    DISCARD_AT,
    DISCARD_DEAD,
    DISCARD_OLDEST,
    DISCARD_RANDOMLY,
    MOST_RULES,
    NAMES,
    PLAY_AT,
    PLAY_CERTAIN,
    PLAY_SAFE,
    TELL_DISPENSABLE,
    TELL_MOST,
    TELL_PLAYABLE,
    TELL_PLAYABLE_NEWS,
    TELL_RANDOMLY,
    TELL_UNKNOWN,
    TELL_USEFUL,
    AgentMemory,
    apply_rule,
)
from hanabilab.strategies.explain import ExplanationContext, facts
from hanabilab.strategies.own_hand import (
    MOVES,
    infer_own_hand,
    reset_places,
    unsupported_without_hints,
    update_places,
)
from hanabilab.strategies.strategy import (
    NONE,
    TRUTHFUL_SWITCHES,
    About,
    Option,
    RuleSupport,
    Strategy,
)

__all__ = ["AGENTS", "COMPOSE", "agent"]

Rule = tuple[int, int]
"""The number of a rule, and its percentage."""


FEW_TOKENS = 4

SPARE_LIFE, EMPTY_PILE, FEW = 1, 2, 4


CONDITIONS = {"spare-life": SPARE_LIFE, "empty-pile": EMPTY_PILE, "few-tokens": FEW}
"""The conditions, one bit each: more than one life; an empty draw pile; fewer than four hint
tokens.
"""

RULE_NAMES = tuple(f"{name}-PERCENT" if name.endswith("-at") else name for name in NAMES)


@kernel
def begin(view: View, memory: AgentMemory) -> int:
    """Record the places of the first cards."""
    reset_places(view, memory.places)
    return 0


@kernel
def observe(view: View, event: Event, memory: AgentMemory) -> None:
    """Follow the places of the cards."""
    update_places(view, event, memory.places)


@kernel
def act(view: View, memory: AgentMemory) -> int:
    """Follow the first rule of the list that applies."""
    infer_own_hand(view, memory.own)
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
def fall_back(view: View, memory: AgentMemory) -> int:
    """Choose a legal action if no rule of the list applies."""
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


# --- explanations ---------------------------------------------------------------------------------


def explain(context: ExplanationContext) -> str:
    """Name the rule that it followed, as far as the reader can see."""
    codes = [code for code in context.memory.rule_list if code]
    held = [code for code in codes if holds(context.view, (code >> 8) & 255)]
    return reason(context, [(code & 255, code >> 16) for code in held])


DOES = {
    PLAY_CERTAIN: "it plays what it knows",
    PLAY_SAFE: "it plays what is certain to fit",
    PLAY_AT: "for it {percent} % is enough to play",
    DISCARD_DEAD: "it discards what it knows to be useless",
    DISCARD_AT: "it discards what is at least {percent} % likely to be dead",
    DISCARD_OLDEST: "having nothing better to do, it discards its oldest card",
    DISCARD_RANDOMLY: "having nothing better to do, it discards any card",
    TELL_PLAYABLE: "it tells the next player of a playable card",
    TELL_PLAYABLE_NEWS: "it tells the next player something new about a playable card",
    TELL_USEFUL: "it tells the first player it can something new about a playable card",
    TELL_DISPENSABLE: "it shows a player a card that has been played already",
    TELL_MOST: "it gives the hint that is news about the most cards",
    TELL_UNKNOWN: "it tells the next player about their first unknown card",
    TELL_RANDOMLY: "having nothing better to do, it tells the next player anything",
}
"""A description of each rule."""

TELLS_YOU = {
    TELL_DISPENSABLE: "one of the cards has been played already",
    TELL_MOST: "no hint is news about more cards",
    TELL_UNKNOWN: "it is news about your first unknown card",
    TELL_RANDOMLY: "it has nothing better to tell",
}
"""What a hint by each rule tells its recipient; any other hint says that a card is playable."""


def reason(context: ExplanationContext, rules: Sequence[Rule]) -> str:
    """Return the sentence for an action of an agent; `rules` are those whose conditions hold."""
    if context.reader is not None and context.event.target == context.reader and is_hint(context):
        return context.because(_of_hint_to_reader(context, rules))
    found = _first(context, rules)
    if found is not None:
        return context.because(facts(context), f"{_words(found)} (rule {_name(found)})")
    kinds = [rule for rule in rules if _kind(rule) == min(context.event.kind, 2)]
    if context.reader is None or not kinds:
        return context.because(facts(context), "none of its rules applies")
    either = " or ".join(_name(rule) for rule in kinds)
    return context.because(facts(context), f"with your cards in sight, rule {either} applies")


def is_hint(context: ExplanationContext) -> bool:
    """Return whether the action is a hint."""
    return context.event.kind not in (PLAY, DISCARD)


def _kind(rule: Rule) -> int:
    """Return the kind of a rule's actions: DISCARD, PLAY or, for all hints, 2."""
    return PLAY if rule[0] <= PLAY_AT else DISCARD if rule[0] <= DISCARD_RANDOMLY else 2


def _name(rule: Rule) -> str:
    name = next(name for name, number in NAMES.items() if number == rule[0])
    return f"{name}-{rule[1]}" if name.endswith("-at") else name


def _words(rule: Rule) -> str:
    if rule == (PLAY_AT, 0):
        return "it plays its likeliest card"
    if rule == (DISCARD_AT, 0):
        return "it discards the card likeliest to be dead"
    return DOES[rule[0]].format(percent=rule[1])


def _first(context: ExplanationContext, rules: Sequence[Rule]) -> Rule | None:
    """Return the first rule that gives this action in the reader's view too.

    Rules with other actions may precede it only if they depend on what the reader cannot see.
    """
    view, memory = context.shared, context.memory
    infer_own_hand(view, memory.own)
    for rule in rules:
        action = apply_rule(view, memory, *rule)
        if action == context.action:
            return rule
        if action != NONE and context.reader is None:
            return None
    return None


def _of_hint_to_reader(context: ExplanationContext, rules: Sequence[Rule]) -> str:
    event = context.event
    said: dict[str, list[str]] = {}
    for rule in rules:
        if _kind(rule) == 2 and _can_tell(context.view, event.kind, event.value, rule):
            words = TELLS_YOU.get(rule[0], "one of the cards is playable")
            said.setdefault(words, []).append(_name(rule))
    parts = [f"{words} (rule {' or '.join(names)})" for words, names in said.items()]
    return ", or ".join(parts) if parts else "none of its rules applies"


def _can_tell(view: View, kind: int, value: int, rule: Rule) -> bool:
    """Return whether a rule can give a hint, whatever cards the hand contains."""
    cards = [
        c for c in range(view.rules.suits * view.rules.ranks) if _is_told(view, c, kind, value)
    ]
    if rule[0] in (TELL_PLAYABLE, TELL_PLAYABLE_NEWS, TELL_USEFUL):
        return any(view.playable >> card & 1 for card in cards)
    if rule[0] == TELL_DISPENSABLE:
        return any(view.played >> card & 1 for card in cards)
    return True


def _is_told(view: View, card: int, kind: int, value: int) -> bool:
    bit = view.rules.suits + value - 1 if kind == HINT_RANK else value
    return bool(view.rules.hint_bits[card] >> bit & 1)


# --- the agents of the literature -----------------------------------------------------------------


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
        memory=AgentMemory,
        observed_kinds=MOVES,
        options={"rule_list": dataclasses.replace(option, default=option.read("rule-list", rules))},
        support=RuleSupport(
            unsupported_without_hints, special_hints=True, home=home, switches=TRUTHFUL_SWITCHES
        ),
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
