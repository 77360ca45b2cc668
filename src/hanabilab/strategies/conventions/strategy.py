"""Strong play without a code: the conventions that experienced people play by.

Everyone keeps the same kind of tables for every hand: what a card may be by hints and counting, and
what the conventions make of it. The giver of a hint interprets every possible hint as its target
will, and gives the one that is worth most.

The parts, in the order in which they build on each other:

- `memory`: the records that a player remembers or works with;
- `catalogue`: which conventions there are, their levels and switches;
- `tables`: possible and inferred cards of every slot, the chop, and what is lost with it;
- `calls`, `double_finesses`, `layers`: prompts, finesses and bluffs, who is called, and what an
  answer shows;
- `stalling`: hints of players who must not discard, and tempo hints;
- `interpretation`: what hints mean, chop moves included;
- `discards`, `positional`: what silence and discards say;
- `trust`: who keeps to the conventions;
- `giving`: which hint is worth most;
- `decision`: the order of calls, rescues, plays, hints and discards;
- `lines`, `endgame`: the last draws, thought through;
- `examples`, `explain`, `conclusions`, `judging`: for people.

The decision, in this order:

1. Play the card that a prompt or a finesse calls for.
2. Hint if the next player is about to lose a critical card or to misplay.
3. Play a card that is taken to be playable; if the next player's chop is critical and no hint
   helps, discard instead, which is a warning. In the last round play the likeliest card.
4. Hint if that is worth more than the discard in question.
5. Discard a dead card, one that another hand is known to hold, or the chop.

With few cards to draw, what this order chooses is compared with every other action by the lines of
play that follow.

**Departures.** No paper describes this strategy. The conventions are those that groups on
hanab.live teach, in our words and simplified: at most two cards before the hinted one can be called
for;
what a re-hint says is decided by its words first.
That the next player's chop must be saved, so that silence says something, and that a hint is
chosen by how it will be read, is also how SmartBot plays (Quuxplusone). Trust, and the values of
hints, are new here. Special suits have no conventions of their own: a hint is read by what it
touches.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.strategies.conventions.calls import (
    accept_call,
    drop_unanswered,
    resolve_bluff,
    resolve_later,
    stop_waiting,
    void_calls,
)
from hanabilab.strategies.conventions.catalogue import (
    DOUBLE_FINESSES,
    HIDDEN_FINESSES,
    LAYERED_FINESSES,
    TRUST,
    activate,
    convention_options,
)
from hanabilab.strategies.conventions.decision import decide, infer_own_cards
from hanabilab.strategies.conventions.discards import (
    announced_copy,
    interpret_copy,
    interpret_silence,
)
from hanabilab.strategies.conventions.double_finesses import (
    accept_double,
    await_second_card,
    extend_waits,
)
from hanabilab.strategies.conventions.endgame import improve
from hanabilab.strategies.conventions.explain import explain
from hanabilab.strategies.conventions.giving import propose_true_hints
from hanabilab.strategies.conventions.interpretation import (
    accept_draft,
    draft_hint,
    expect_plays,
    spoken_for,
    take_literally,
)
from hanabilab.strategies.conventions.layers import accept_layers, call_next, missing_after
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.positional import accept_position, place_of
from hanabilab.strategies.conventions.tables import (
    remove_card,
    reset_tables,
    seat_after,
    update_tables,
)
from hanabilab.strategies.conventions.trust import (
    judge_action,
    judge_hint,
    reads_as_positional,
    trusts,
)
from hanabilab.strategies.strategy import (
    NONE,
    PLAYED_SWITCHES,
    About,
    Candidates,
    RuleSupport,
    SearchSupport,
    Strategy,
)

__all__ = ["CONVENTIONS"]

LAYERS = HIDDEN_FINESSES | LAYERED_FINESSES


@kernel
def begin(view: View, memory: ConventionsMemory) -> int:
    """Open the tables."""
    activate(memory, view.rules.players)
    reset_tables(view, memory.beliefs)
    memory.beliefs.thrown = 0
    memory.beliefs.bluff_seat = memory.beliefs.second_slot = NONE
    return 0


@kernel
def observe(view: View, event: Event, memory: ConventionsMemory) -> None:
    """Read an action as everyone does, and judge whether its player kept to the conventions."""
    beliefs = memory.beliefs
    after = seat_after(view, event.player)
    hinted = event.kind == HINT_SUIT or event.kind == HINT_RANK
    if beliefs.active & TRUST:
        judge_action(view, event, memory)
    blind = event.kind == PLAY and not beliefs.touched[event.player] >> event.slot & 1
    if trusts(memory, event.player) and not (blind or (hinted and event.target == after)):
        interpret_silence(view, event, beliefs)
    resolve_bluff(view, event, memory)
    drop_unanswered(view, event, beliefs)
    if hinted:
        interpret_hint(view, event, memory)
    else:
        missing, waiting, giver = 0, NONE, NONE
        if event.kind == PLAY and event.lit and beliefs.active & LAYERS:
            missing, waiting = missing_after(view, event, beliefs)
            giver = beliefs.source[event.player][event.slot] - 1
            if giver == NONE and waiting != NONE:
                giver = beliefs.later_until[waiting] - 1
        if blind and event.lit:
            resolve_later(view, event, beliefs)
        copy, named = 0, False
        if event.kind == DISCARD and trusts(memory, event.player):
            copy = announced_copy(view, event, beliefs)
            named = reads_as_positional(view, event, memory)
        remove_card(view, beliefs, event.player, event.slot, event.drew)
        if copy:
            interpret_copy(view, beliefs, event.player, copy)
        if named:
            accept_position(view, beliefs, event.player, place_of(view, event))
        if missing:
            call_next(view, event, beliefs, missing, waiting, giver)
        if event.kind == PLAY and event.lit and beliefs.active & DOUBLE_FINESSES:
            await_second_card(view, event, beliefs)
        if event.kind == PLAY and not event.lit:
            void_calls(view, beliefs)
    beliefs.thrown = 1 << event.card & view.critical if event.kind == DISCARD else 0
    stop_waiting(view, beliefs, after, event.target if hinted else NONE)
    if beliefs.active & (DOUBLE_FINESSES | LAYERS):
        extend_waits(view, beliefs)
    update_tables(view, beliefs, event.target if hinted else event.player)


@kernel
def interpret_hint(view: View, event: Event, memory: ConventionsMemory) -> None:
    """Read a hint, by the conventions if giver and target are trusted."""
    giver, target = event.player, event.target
    expect_plays(view, memory, target, giver)
    memory.draft.spoken = spoken_for(view, memory.beliefs, target, giver)
    draft_hint(view, memory, giver, target, event.kind, event.value, event.touched)
    judge_hint(view, memory, giver, target)
    if not (trusts(memory, giver) and trusts(memory, target)):
        take_literally(view, memory, target)
    accept_draft(view, memory, giver, target)
    accept_call(view, memory, giver, target)
    accept_double(view, memory, giver, target)
    if memory.beliefs.active & LAYERS:
        accept_layers(view, memory, giver, target)


@kernel
def act(view: View, memory: ConventionsMemory) -> int:
    """Play as experienced people do: hints that say play or save, and what is left unsaid."""
    return improve(view, memory, decide(view, memory))


@kernel
def candidate_actions(view: View, candidates: Candidates, memory: ConventionsMemory) -> None:
    """Tell a search what the player's own cards may be, and without `lies` which hints are true."""
    infer_own_cards(view, memory)
    for slot in range(view.hand_count[view.observer]):
        candidates.possible[slot] = memory.own.possible[slot]
    if not candidates.lies:
        propose_true_hints(view, candidates, memory)


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    return "an open game has no hints" if rules.open_game else None


CONVENTIONS = Strategy(
    "conventions",
    act,
    observe,
    begin,
    ConventionsMemory,
    options=convention_options(),
    support=RuleSupport(
        unsupported_reason,
        special_hints=True,
        home="hle",
        switches=PLAYED_SWITCHES | {"alternating_hints", "reversed_suits"},
    ),
    about=About(
        source="conventions of experienced players", explain=explain, explains_afterwards=True
    ),
    search=SearchSupport(candidate_actions=candidate_actions, pure_act=True),
)
