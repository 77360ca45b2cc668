"""Players who try out every action in play-outs (van den Bergh et al. 2016, section 4).

Every action is tried in many play-outs: the player's own hand is dealt at random in agreement with
all hints, the action is taken, and random players continue. They never play a card that the hints
show to be unplayable, and favour cards about which they know more. Losing the last life does not
end a play-out. The value of a play-out is the sum, over the next D turns, of t times the points
gained by turn t minus 1, 2, 3, … for the misplays made by then. The action with the highest sum is
taken.

**Departures**, where the text is open. The alternatives were measured with 3 players, rules
`aspects`, D = 5 and games of seed 5: with 500 play-outs (200 to 300 games, standard errors below
0.35) where stated, otherwise with 100 (300 games, standard errors below 0.25).

- A random player chooses among all actions, each equally likely; only which card to play is then
  decided by what is known: 12.69; with 500 play-outs 14.32, with 1,000 15.01. Choosing first
  between playing, discarding and hinting gave 13.89, with 500 play-outs 14.87, more than the paper
  reports even for 1,000. The alternatives below were tried with such players: compare with 13.89.
- The D turns start with the action itself, so that D = 1 is greedy play, as the text says. Points
  and misplays are counted from the current turn on, and each of the D turns counts all of them so
  far: what counts is the state after each turn. Counting each point only in its own turn, times t,
  makes later points worth more than earlier ones: 7.26. Weights that decrease over time instead of
  increasing: 13.71.
- The k-th misplay is the k-th of the play-out, not of the game; with the k-th of the game: 13.92,
  with 500 play-outs 15.32, and no game lost to misplays, whereas the paper saw scores of 0.
- The probability that a card is chosen for playing is inversely proportional to the number of cards
  that the hints allow. All equally likely: 9.15; by the number of hints that touched it plus one:
  11.63; inverse to the square: 14.35; always the one with the fewest possible cards: 11.18; by the
  share of playable ones among the possible cards: 13.02, with 500 play-outs 13.82.
- The player's own hand is dealt slot by slot from the copies that the player does not see, each
  equally likely, starting again when no possible card is left for a slot. The cards drawn in a
  play-out are dealt from the remaining copies in the same way.
- When the game ends in a play-out, the remaining turns count the result at the end. Of equally good
  actions a random one is taken.
"""

from __future__ import annotations

from hanabilab.core.bits import nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below
from hanabilab.core.record import assign, ints, nested
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    can_discard,
    count_legal,
    decode_action,
    hintable,
    nth_legal,
)
from hanabilab.game.cards import HIDDEN_HAND, PLANES, nth_copy, put_card, take_copy, weight
from hanabilab.game.state import GOING_ON, State, View
from hanabilab.game.turn import take_turn
from hanabilab.strategies.explain import ExplanationContext, facts
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.strategy import (
    TRUTHFUL_SWITCHES,
    About,
    Memory,
    Option,
    RuleSupport,
    Strategy,
)

__all__ = ["MONTE_CARLO"]

MAX_DEPTH = 50
MANY_LIVES = 1_000_000
CERTAINTY = 1 << 20


class MonteCarloMemory(Memory):
    """The options, and an imagined table."""

    playouts: int
    depth: int
    table: State = nested(State)
    event: Event = nested(Event)
    deck: list[int] = ints(MAX_DEPTH)
    unseen: list[int] = ints(PLANES)
    """The copies that the player does not see, as bit planes."""
    undealt: list[int] = ints(PLANES)
    """The copies not yet dealt on the imagined table."""


@kernel
def act(view: View, memory: MonteCarloMemory) -> int:
    """Try every action in many play-outs by random players (Aspects 2016, section 4)."""
    copy_table(view, memory)
    best = 0
    best_worth = 0
    ties = 0
    for n in range(count_legal(view)):
        action = nth_legal(view, n)
        worth = 0
        for _ in range(memory.playouts):
            imagine(view, memory)
            worth += play_out(view, memory, action)
        if ties == 0 or worth > best_worth:
            best = action
            best_worth = worth
            ties = 1
        elif worth == best_worth:
            ties += 1
            if below(memory, ties) == 0:
                best = action
    return best


@kernel
def copy_table(view: View, memory: MonteCarloMemory) -> None:
    """Copy the table with all its rules, and count the cards that the player does not see.

    The deck of the imagined table is the draw pile alone.
    """
    assign(memory.table, view)
    memory.table.rules.deck_size = view.draw_pile
    count_unseen(view, memory.unseen)


@kernel
def imagine(view: View, memory: MonteCarloMemory) -> None:
    """Set up the current table, dealing the player's own hand and the draw pile at random."""
    restore_table(view, memory.table)
    while not deal_own_hand(view, memory):
        pass
    for place in range(min(view.draw_pile, memory.depth)):
        memory.deck[place] = deal_card(memory, view.rules.all_cards)


@kernel
def restore_table(view: View, table: State) -> None:
    """Copy from the view what turns change; no play-out ends for lack of lives.

    Copying the whole state, with the rules, for each play-out would take 1.1 times as long.
    """
    table.player = view.player
    table.turn = view.turn
    table.end = GOING_ON
    table.hint_tokens = view.hint_tokens
    table.token_part = view.token_part
    table.lives = MANY_LIVES
    table.score = view.score
    table.draw_pile = view.draw_pile
    table.turns_left = view.turns_left
    table.playable = view.playable
    table.played = view.played
    table.dead = view.dead
    table.unique = view.unique
    table.critical = view.critical
    table.barred_hints = view.barred_hints
    table.stack_starts = view.stack_starts
    for suit in range(view.rules.suits):
        table.fireworks[suit] = view.fireworks[suit]
    for plane in range(PLANES):
        table.left[plane] = view.left[plane]
        table.discarded[plane] = view.discarded[plane]
    for player in range(view.rules.players):
        table.hands[player] = view.hands[player]
        table.hand_count[player] = view.hand_count[player]
        table.suit_hinted[player] = view.suit_hinted[player]
        table.rank_hinted[player] = view.rank_hinted[player]
        for slot in range(view.hand_count[player]):
            table.possible[player][slot] = view.possible[player][slot]


@kernel
def deal_own_hand(view: View, memory: MonteCarloMemory) -> bool:
    """Deal a hand that agrees with all hints; return False if a slot is left without a card."""
    for plane in range(PLANES):
        memory.undealt[plane] = memory.unseen[plane]
    hand = HIDDEN_HAND
    for slot in range(view.hand_count[view.observer]):
        card = deal_card(memory, view.possible[view.observer][slot])
        if card < 0:
            return False
        hand = put_card(hand, slot, card)
    memory.table.hands[view.observer] = hand
    return True


@kernel
def deal_card(memory: MonteCarloMemory, cards: int) -> int:
    """Deal a random copy of one of `cards` not yet dealt; return -1 if there is none."""
    planes = memory.table.rules.planes
    total = weight(memory.undealt, planes, cards)
    if total == 0:
        return -1
    card = nth_copy(memory.undealt, planes, cards, below(memory, total))
    take_copy(memory.undealt, card)
    return card


@kernel
def play_out(view: View, memory: MonteCarloMemory, action: int) -> int:
    """Return the value of an action if random players continue."""
    worth = 0
    table = memory.table
    decode_action(table, action, memory.event)
    for turn in range(1, memory.depth + 1):
        if table.end == GOING_ON:
            if turn > 1:
                choose_at_random(memory)
            take_turn(table, memory.deck, memory.event)
        misplays = MANY_LIVES - table.lives
        worth += turn * (table.score - view.score - misplays * (misplays + 1) // 2)
    return worth


@kernel
def choose_at_random(memory: MonteCarloMemory) -> None:
    """Write the action of a random player into the event."""
    table, event = memory.table, memory.event
    count = table.hand_count[table.player]
    slots = slots_to_play(table)
    discards = count if can_discard(table) else 0
    hints = count_hints(table)
    if slots == 0 and discards + hints == 0:  # only hopeless cards, and nothing else to do
        slots = (1 << count) - 1
    clear_outcome(event)
    n = below(memory, popcount(slots) + discards + hints)
    if n < discards:
        event.kind = DISCARD
        event.slot = n
    elif n < discards + hints:
        choose_nth_hint(table, n - discards, event)
    else:
        event.kind = PLAY
        event.slot = choose_play(memory, slots)


@kernel
def clear_outcome(event: Event) -> None:
    """Clear the outcome of the previous turn."""
    event.touched = 0
    event.token = 0
    event.drew = 0
    event.lit = 0


@kernel
def slots_to_play(table: State) -> int:
    """Return the slots of the player to move that may be playable by what the hints say."""
    possible = table.possible[table.player]
    slots = 0
    for slot in range(table.hand_count[table.player]):
        if possible[slot] & table.playable:
            slots |= 1 << slot
    return slots


@kernel
def choose_play(memory: MonteCarloMemory, slots: int) -> int:
    """Choose one of these slots; the fewer possible cards it has, the likelier."""
    table = memory.table
    possible = table.possible[table.player]
    total = 0
    for slot in range(table.hand_count[table.player]):
        if (slots >> slot) & 1:
            total += CERTAINTY // popcount(possible[slot])
    n = below(memory, total)
    for slot in range(table.hand_count[table.player]):
        if (slots >> slot) & 1:
            n -= CERTAINTY // popcount(possible[slot])
            if n < 0:
                return slot
    return 0


@kernel
def count_hints(table: State) -> int:
    """Count the hints that the player to move can give; in an open game one, a pass."""
    if table.hint_tokens == 0:
        return 0
    if table.rules.open_game:
        return 1
    count = 0
    for target in range(table.rules.players):
        if target != table.player:
            count += popcount(hintable(table, target))
    return count


@kernel
def choose_nth_hint(table: State, n: int, event: Event) -> None:
    """Write hint number `n`, counted from 0, into the event."""
    if table.rules.open_game:
        event.kind = PASS
        return
    for target in range(table.rules.players):
        if target != table.player:
            hints = hintable(table, target)
            if n < popcount(hints):
                set_hint(table, target, nth_lowest(hints, n), event)
                return
            n -= popcount(hints)


@kernel
def set_hint(table: State, target: int, bit: int, event: Event) -> None:
    """Write the hint for a bit of `hintable`: suits from bit 0, ranks above all suits."""
    event.target = target
    event.kind = HINT_SUIT
    event.value = bit
    if bit >= table.rules.suits:
        event.kind = HINT_RANK
        event.value = bit - table.rules.suits + 1


def explain(context: ExplanationContext) -> str:
    """Describe how the action was chosen, without repeating the play-outs."""
    memory: MonteCarloMemory = context.memory
    tried = f"did best in {memory.playouts} play-outs of {memory.depth} turns"
    return context.because(tried, facts(context))


MONTE_CARLO = Strategy(
    "monte-carlo",
    act,
    memory=MonteCarloMemory,
    options={
        "playouts": Option(default=500, least=1, most=1_000_000, help="play-outs for each action"),
        "depth": Option(default=5, least=1, most=MAX_DEPTH, help="turns that count"),
    },
    slow=True,
    support=RuleSupport(special_hints=True, home="aspects", switches=TRUTHFUL_SWITCHES),
    about=About(source="van den Bergh, Kosters, Spieksma 2016, section 4", explain=explain),
)
