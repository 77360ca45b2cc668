"""Why a rule agent acted: which of its rules it was, and what the agent saw.

A reader at the table is told of the rule only what the action and the cards in both players' sight
say. Of a hint to the reader, every rule is named that can have given it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.game.actions import DISCARD, HINT_RANK, PLAY
from hanabilab.game.state import View
from hanabilab.strategies.agents.named_rules import (
    DISCARD_AT,
    DISCARD_DEAD,
    DISCARD_OLDEST,
    DISCARD_RANDOMLY,
    NAMES,
    NONE,
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
    apply_rule,
)
from hanabilab.strategies.explain import Telling, facts
from hanabilab.strategies.shared.own_hand import look

__all__ = ["reason"]

Rule = tuple[int, int]
"""The number of a rule, and its percentage."""

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
"""What each rule does."""

TELLS_YOU = {
    TELL_DISPENSABLE: "one of the cards has been played already",
    TELL_MOST: "no hint is news about more cards",
    TELL_UNKNOWN: "it is news about your first unknown card",
    TELL_RANDOMLY: "it has nothing better to tell",
}
"""What a hint by each rule tells whoever gets it; by all others, that a card is playable."""


def reason(telling: Telling, rules: Sequence[Rule]) -> str:
    """Return the sentence for an action of an agent; `rules` are those whose conditions hold."""
    if telling.reader is not None and telling.event.target == telling.reader and is_hint(telling):
        return telling.because(_of_hint_to_reader(telling, rules))
    found = _first(telling, rules)
    if found is not None:
        return telling.because(facts(telling), f"{_words(found)} (rule {_name(found)})")
    kinds = [rule for rule in rules if _kind(rule) == min(telling.event.kind, 2)]
    if telling.reader is None or not kinds:
        return telling.because(facts(telling), "none of its rules applies")
    either = " or ".join(_name(rule) for rule in kinds)
    return telling.because(facts(telling), f"with your cards in sight, rule {either} applies")


def is_hint(telling: Telling) -> bool:
    """Tell whether the action is a hint."""
    return telling.event.kind not in (PLAY, DISCARD)


def _kind(rule: Rule) -> int:
    """Return what a rule does: DISCARD, PLAY or, for all hints, 2."""
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


def _first(telling: Telling, rules: Sequence[Rule]) -> Rule | None:
    """Return the first rule that gives this action in what the reader sees too.

    Rules of other actions come before it only if what they saw is out of the reader's sight.
    """
    view, memory = telling.shared, telling.memory
    look(view, memory)
    for rule in rules:
        action = apply_rule(view, memory, *rule)
        if action == telling.action:
            return rule
        if action != NONE and telling.reader is None:
            return None
    return None


def _of_hint_to_reader(telling: Telling, rules: Sequence[Rule]) -> str:
    event = telling.event
    said: dict[str, list[str]] = {}
    for rule in rules:
        if _kind(rule) == 2 and _can_tell(telling.view, event.kind, event.value, rule):
            words = TELLS_YOU.get(rule[0], "one of the cards is playable")
            said.setdefault(words, []).append(_name(rule))
    parts = [f"{words} (rule {' or '.join(names)})" for words, names in said.items()]
    return ", or ".join(parts) if parts else "none of its rules applies"


def _can_tell(view: View, kind: int, value: int, rule: Rule) -> bool:
    """Tell whether a rule can give a hint, whatever the cards in the hand are."""
    cards = [
        c for c in range(view.rules.suits * view.rules.ranks) if _is_told(view, c, kind, value)
    ]
    if rule[0] in (TELL_PLAYABLE, TELL_PLAYABLE_NEWS, TELL_USEFUL):
        return any(view.playable >> card & 1 for card in cards)
    if rule[0] == TELL_DISPENSABLE:
        return any(view.played >> card & 1 for card in cards)
    return True


def _is_told(view: View, card: int, kind: int, value: int) -> bool:
    return (card % view.rules.ranks + 1 if kind == HINT_RANK else card // view.rules.ranks) == value
