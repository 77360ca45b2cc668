"""The memory of `conventions`: options, beliefs about every hand, scratch space for one turn."""

from __future__ import annotations

from hanabilab.core.record import Record, ints, nested
from hanabilab.game.actions import Event
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS, PLANES
from hanabilab.strategies.conventions.lines import EndLine, OwnCards, Thoughts
from hanabilab.strategies.strategy import Memory

__all__ = ["Beliefs", "Conduct", "ConventionsMemory", "Draft", "HintValue", "OwnCards"]


class Beliefs(Record):
    """The table as it was before the next turn, and what the conventions made of it."""

    active: int
    """The conventions that are followed, a bit each."""
    possible: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the cards that hints and counting allow."""
    inferred: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the cards that the conventions allow."""
    source: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, 1 + the player whose hint said what it is, or touched it first."""
    touched: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a hint has touched."""
    promised: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots of which a hint said that they can be played."""
    called: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a prompt or a finesse calls for."""
    pending: list[int] = ints(MAX_PLAYERS)
    """For each player, the called slots that can be played only after another called card."""
    handed: list[int] = ints(MAX_PLAYERS)
    """For each player, the called slots to which a gentleman's discard handed a play on."""
    named: list[int] = ints(MAX_PLAYERS)
    """For each player, the called slots that a positional discard named."""
    kept: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a chop move or a warning protects."""
    drawn: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that were drawn after the deal."""
    chop_focus: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that were the chop and the focus of a hint."""
    waiting: list[int] = ints(MAX_PLAYERS)
    """For each player, what a hinted card may be if somebody answers a call first."""
    later: list[int] = ints(MAX_PLAYERS)
    """For each player, what that card may be if somebody answers after the player's turn."""
    later_until: list[int] = ints(MAX_PLAYERS)
    """For each player, 1 + the giver of that hint, whose next turn ends the wait."""
    waiting_slot: list[int] = ints(MAX_PLAYERS)
    """For each player, the slot of that card."""
    doubles: list[int] = ints(MAX_PLAYERS)
    """For each player, what that card may be if two cards are called for."""
    awaited: list[int] = ints(MAX_PLAYERS)
    """For each player, that card if it waits for further answers, after the first one came."""
    bluff_seat: int
    """The player whose next turn shows whether the last hint was a bluff, or NONE."""
    bluff_slot: int
    """The slot that this player would play unseen."""
    bluff_target: int
    bluffs: int
    """What the focus of that hint may be if it was a bluff."""
    second_slot: int
    second_card: int
    """The observer's own slot, and the card in it, that is called if it was no bluff."""
    unaccounted: list[int] = ints(PLANES)
    """Copies neither on the table nor identified in a hand, as bit planes."""
    identified: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots with one possible card, whose copy is accounted for."""
    counted: int
    """The cards of which a copy was unaccounted for after the last turn."""
    known: list[int] = ints(MAX_PLAYERS)
    """For each player, the cards that touched slots are taken to be, if only one is possible."""
    playable: int
    dead: int
    critical: int
    tokens: int
    pile: int
    thrown: int
    """The card that was thrown away in the last turn, if one copy of it is left, as a set."""


class Draft(Record):
    """What one hint, given or only considered, says about the target's hand."""

    possible: list[int] = ints(MAX_HAND)
    inferred: list[int] = ints(MAX_HAND)
    touching: int
    """The slots that the hint touches."""
    new: int
    """Those that no hint touched before."""
    focus: int
    """The slot that the hint is about, or NONE."""
    plays: int
    """The cards that the focus may be if the hint says "play"."""
    saved: int
    """The cards that the focus may be if the hint says "save"."""
    moved: int
    """The untouched slots that the hint protects."""
    waits: int
    """The cards that the focus may be if the hint calls for another card first."""
    later: int
    """The cards that the focus may be if a player who acts after the target is called."""
    called_player: int
    """The player whom the hint calls to play a card, or NONE."""
    call_slot: int
    call_card: int
    """The card that is called for, as a set; 0 for none."""
    layers: int
    """How many other cards the called player plays before it."""
    answers: int
    """How many players could answer the call, as the giver sees it."""
    doubles: int
    """The cards that the focus may be if the hint calls for two cards, one after the other."""
    next_player: int
    """The player whom a double finesse calls for the second card, or NONE."""
    next_slot: int
    bluffs: int
    """The cards that the focus may be if the player after the giver is bluffed."""
    is_bluff: int
    """Whether the hint bluffs, as those see it who see the focus."""
    bluff_slot: int
    """The slot that the player after the giver would play unseen, or NONE."""
    second_slot: int
    """The observer's own slot that is called if the hint turns out to be no bluff, or NONE."""
    answerers: int
    """The players for whom the next has been worked out."""
    answers_by: list[int] = ints(MAX_PLAYERS)
    """For each player, the playable cards that this one can be called for."""
    knows_answers: int
    """Whether the next two have been worked out for the target."""
    waits_for: int
    """The cards that fit after a card that a player between giver and target can be called for."""
    waits_later_for: int
    """The same for players who act after the target."""
    knows_doubles: int
    """Whether the next one has been worked out for the target."""
    doubles_for: int
    """The cards that fit after two cards for which others can be called, as the observer sees."""
    hopeful: int
    """How many slots there are that some reader may expect to be played, now or soon."""
    hopeful_player: list[int] = ints(MAX_PLAYERS * MAX_HAND)
    hopeful_cards: list[int] = ints(MAX_PLAYERS * MAX_HAND)
    """What each of them is taken to be."""
    hopeful_card: list[int] = ints(MAX_PLAYERS * MAX_HAND)
    """What it is, as far as the observer sees."""
    soon: int
    """The cards that fit now, or after the plays that everyone expects."""
    spoken: int
    """The cards that other hands are known to hold."""


class Conduct(Record):
    """For each player, how the odds that this one follows the conventions have changed."""

    odds: list[int] = ints(MAX_PLAYERS)


class HintValue(Record):
    """What the value of a hint depends on, beside the draft."""

    spoken: list[int] = ints(MAX_PLAYERS)
    """For each player, the cards that this one is known to hold."""
    before: list[int] = ints(MAX_HAND)
    """For each slot of the target, what it is taken to be without a hint."""
    danger: float
    """What the target will lose without a hint."""
    own: int
    """The cards of which the giver may hold a touched copy."""
    touched: int
    """The cards that the target holds and earlier hints have touched."""
    held: int
    """The cards that the target holds and a hint has touched, the hint in question included."""
    promised: int
    """The cards that the hint in question promises."""
    busy: int
    """Whether the target will then have something to play or to throw away."""


class ConventionsMemory(Memory):
    """The options, and all that a player knows, infers and expects."""

    level: int
    saves: int
    good_touch: int
    trust: int
    twos: int
    delayed: int
    silence: int
    prompts: int
    finesses: int
    reverse_finesses: int
    self_finesses: int
    double_finesses: int
    hidden_finesses: int
    layered_finesses: int
    fix_hints: int
    scream_discards: int
    burning: int
    bluffs: int
    sarcastic_discards: int
    trash_chop_moves: int
    five_chop_moves: int
    shout_discards: int
    gentlemans_discards: int
    five_stalls: int
    double_discards: int
    order_of_ones: int
    tempo_hints: int
    tempo_chop_moves: int
    positional_discards: int
    locked_hand_saves: int
    full_token_saves: int
    fill_in_hints: int
    stall_table: int
    end_lines: int

    beliefs: Beliefs = nested(Beliefs)
    draft: Draft = nested(Draft)
    conduct: Conduct = nested(Conduct)
    value: HintValue = nested(HintValue)
    own: OwnCards = nested(OwnCards)
    line: EndLine = nested(EndLine)
    thoughts: Thoughts = nested(Thoughts)
    event: Event = nested(Event)
    """Scratch space: the action in question."""
    reason: int
    """Why the player acted, for the explanation."""
