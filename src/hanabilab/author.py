"""Everything that the author of a strategy needs, in one place.

A strategy is a kernel that maps what a player sees to the number of an action:

>>> from hanabilab.author import Memory, View, kernel, nth_legal, play_slot
>>> @kernel
... def act(view: View, memory: Memory) -> int:
...     me = view.observer
...     for slot in range(view.hand_count[me]):
...         if view.possible[me][slot] & ~view.playable == 0:
...             return play_slot(view, slot)
...     return nth_legal(view, 0)
>>> import hanabilab as hl
>>> hl.simulate(act, players=3, games=100, seed=1).games
100

Declare it
    `kernel` marks a function that also runs compiled. `Strategy` gives it a name, a `Memory`, each
    `Option` that users may set, the rules that it can play (`RuleSupport`), an explanation
    (`About`) and what a search needs (`SearchSupport`, `Candidates`, `propose`). `observed_kinds`
    is a set of kinds of events, such as `HINT_KINDS`.
Memory
    `Memory` is a `Record`: its fields are integers, floats, arrays (`ints`) and other records
    (`nested`), such as `Knowledge`.
What a player sees
    `View`, `Event` with its kinds `PLAY`, `DISCARD`, `HINT_SUIT`, `HINT_RANK` and `PASS`, and
    `Rules`.
Cards and sets of cards
    `card_in`, `rank_of`, `rank_cards`, `suit_cards`, `count_of`, `HIDDEN`; `lowest`, `is_single`,
    `popcount` and `weight` for sets; `best_score` and `pace` for the table.
Knowledge
    `Knowledge`, filled by `from_seat` or `from_public`; `probability` that a card is in a set.
Actions
    `play_slot`, `discard_slot`, `suit_hint`, `rank_hint`, `pass_turn`; `can_discard`, `hintable`,
    `hints_that_touch`; `nth_legal` and `count_legal`; `NONE` for none at all.
Random numbers
    `below` and `chance` draw from the stream of the memory.
Explanations
    `ExplanationContext` and `explain_by_facts`.
Other kinds of players
    `agent` composes rules, `from_policy` wraps a policy for observation vectors, `from_program`
    runs another program, and `register` makes a player known by name.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below, chance
from hanabilab.core.record import Ints, Record, ints, nested
from hanabilab.game import (
    DISCARD,
    HIDDEN,
    HINT_RANK,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    Knowledge,
    Rules,
    View,
    best_score,
    can_discard,
    card_in,
    count_legal,
    count_of,
    discard_slot,
    from_public,
    from_seat,
    hintable,
    hints_that_touch,
    nth_legal,
    pace,
    pass_turn,
    play_slot,
    probability,
    rank_cards,
    rank_hint,
    rank_of,
    suit_cards,
    suit_hint,
    weight,
)
from hanabilab.strategies import agent, from_policy, register
from hanabilab.strategies.explain import ExplanationContext, explain_by_facts
from hanabilab.strategies.program import from_program
from hanabilab.strategies.strategy import (
    HINT_KINDS,
    NONE,
    About,
    Candidates,
    Memory,
    Option,
    RuleSupport,
    SearchSupport,
    Strategy,
    propose,
)

__all__ = [
    "DISCARD",
    "HIDDEN",
    "HINT_KINDS",
    "HINT_RANK",
    "HINT_SUIT",
    "NONE",
    "PASS",
    "PLAY",
    "About",
    "Candidates",
    "Event",
    "ExplanationContext",
    "Ints",
    "Knowledge",
    "Memory",
    "Option",
    "Record",
    "RuleSupport",
    "Rules",
    "SearchSupport",
    "Strategy",
    "View",
    "agent",
    "below",
    "best_score",
    "can_discard",
    "card_in",
    "chance",
    "count_legal",
    "count_of",
    "discard_slot",
    "explain_by_facts",
    "from_policy",
    "from_program",
    "from_public",
    "from_seat",
    "hintable",
    "hints_that_touch",
    "ints",
    "is_single",
    "kernel",
    "lowest",
    "nested",
    "nth_legal",
    "pace",
    "pass_turn",
    "play_slot",
    "popcount",
    "probability",
    "propose",
    "rank_cards",
    "rank_hint",
    "rank_of",
    "register",
    "suit_cards",
    "suit_hint",
    "weight",
]
