"""Players who try out every action in their minds (van den Bergh et al. 2016, section 4).

Every action is tried in many play-outs: the player's own hand is dealt at random in agreement with
all hints, the action is taken, and random players go on. They never play a card that the hints show
to be unplayable, and favour cards about which they know more. Losing the last life does not end a
play-out. A play-out is worth the sum, over the next D turns, of t times the points gained by turn t
less 1, 2, 3, … for the misplays made by then. The action with the highest sum is taken.

**Departures**, where the text is open. The alternatives were measured with 3 players, rules
`aspects`, D = 5 and games of seed 5: with 500 play-outs (200 to 300 games, standard errors below
0.35) where stated, else with 100 (300 games, standard errors below 0.25).

- A random player chooses among all actions, each equally likely; only which card to play is then
  decided by what is known: 12.69; with 500 play-outs 14.32, with 1,000 14.46. Choosing first
  between playing, discarding and hinting gave 13.89, with 500 play-outs 14.87, more than the paper
  reports even for 1,000. The alternatives below were tried with such players: compare with 13.89.
- The D turns start with the action itself, so that D = 1 is greedy play, as the text says. Points
  and misplays are counted from the current turn on, and each of the D turns counts all of them so
  far: what counts is how the table stands after each turn. Counting each point only in its own
  turn, times t, makes later points worth more than earlier ones: 7.26. Weights that fall with time
  instead of growing: 13.71.
- The k-th misplay is the k-th of the play-out, not of the game; with the k-th of the game: 13.92,
  with 500 play-outs 15.32, and no game lost to misplays, where the paper saw scores of 0.
- The chance that a card is chosen for playing is inversely proportional to the number of cards that
  the hints allow. All equally likely: 9.15; by the number of hints that touched it plus one: 11.63;
  inverse to the square: 14.35; always the one with the fewest possible cards: 11.18; by the share
  of playable ones among the possible cards: 13.02, with 500 play-outs 13.82.
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
from hanabilab.core.record import ints
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    announce,
    can_discard,
    count_legal,
    hintable,
    hints_that_touch,
    nth_legal,
)
from hanabilab.game.cards import HIDDEN_HAND, PLANES, nth_copy, put_card, take_copy, weight
from hanabilab.game.state import GOING_ON, State
from hanabilab.game.turn import take_turn
from hanabilab.game.view import View
from hanabilab.strategies.explain import Telling, facts
from hanabilab.strategies.shared.own_hand import count_unseen
from hanabilab.strategies.strategy import About, Memory, Option, RuleSupport, Strategy

__all__ = ["MONTE_CARLO"]

MAX_DEPTH = 50
MANY_LIVES = 1_000_000
CERTAINTY = 1 << 20


class Imagination(Memory, State, Event):
    """The options, and an imagined table: a state and an event in one record."""

    playouts: int
    depth: int
    deck: list[int] = ints(MAX_DEPTH)
    unseen: list[int] = ints(PLANES)
    """The copies that the player does not see, as bit planes."""
    undealt: list[int] = ints(PLANES)
    """The copies that are not yet dealt on the imagined table."""


@kernel
def act(view: View, memory: Imagination) -> int:
    """Try every action in many play-outs by random players (Aspects 2016, section 4)."""
    know_rules(view, memory)
    count_unseen(view, memory.unseen)
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
def know_rules(view: View, memory: Imagination) -> None:
    """Copy the rules of the view to the imagined table, except for the lives."""
    memory.ranks = view.ranks
    memory.suits = view.suits
    memory.players = view.players
    memory.hand_size = view.hand_size
    memory.max_hint_tokens = view.max_hint_tokens
    memory.unlimited_hints = view.unlimited_hints
    memory.empty_hints = view.empty_hints
    memory.token_for_suit = view.token_for_suit
    memory.discard_at_full = view.discard_at_full
    memory.deck_ends = view.deck_ends
    memory.open_game = view.open_game
    memory.planes = view.planes
    memory.all_cards = view.all_cards
    memory.rank_pattern = view.rank_pattern
    memory.all_hints = view.all_hints
    for card in range(len(view.suit_of)):
        memory.suit_of[card] = view.suit_of[card]
        memory.hint_bits[card] = view.hint_bits[card]


@kernel
def imagine(view: View, memory: Imagination) -> None:
    """Set up the table as it is, dealing the player's own hand and the draw pile at random."""
    memory.player = view.player
    memory.end = GOING_ON
    memory.hint_tokens = view.hint_tokens
    memory.lives = MANY_LIVES
    memory.score = view.score
    memory.draw_pile = view.draw_pile
    memory.deck_size = view.draw_pile
    memory.turns_left = view.turns_left
    memory.playable = view.playable
    memory.played = view.played
    memory.dead = view.dead
    for suit in range(view.suits):
        memory.fireworks[suit] = view.fireworks[suit]
    for plane in range(PLANES):
        memory.left[plane] = view.left[plane]
        memory.discarded[plane] = view.discarded[plane]
    for player in range(view.players):
        memory.hands[player] = view.hands[player]
        memory.hand_count[player] = view.hand_count[player]
        memory.suit_hinted[player] = view.suit_hinted[player]
        memory.rank_hinted[player] = view.rank_hinted[player]
        for slot in range(view.hand_count[player]):
            memory.possible[player][slot] = view.possible[player][slot]
    while not deal_own_hand(view, memory):
        pass
    for place in range(min(memory.draw_pile, memory.depth)):
        memory.deck[place] = deal_card(memory, memory.all_cards)


@kernel
def deal_own_hand(view: View, memory: Imagination) -> bool:
    """Deal a hand that agrees with all hints; return False if a slot is left without a card."""
    for plane in range(PLANES):
        memory.undealt[plane] = memory.unseen[plane]
    hand = HIDDEN_HAND
    for slot in range(view.hand_count[view.observer]):
        card = deal_card(memory, view.possible[view.observer][slot])
        if card < 0:
            return False
        hand = put_card(hand, slot, card)
    memory.hands[view.observer] = hand
    return True


@kernel
def deal_card(memory: Imagination, cards: int) -> int:
    """Deal a random copy of one of `cards` that is not yet dealt; return -1 if there is none."""
    total = weight(memory.undealt, memory.planes, cards)
    if total == 0:
        return -1
    card = nth_copy(memory.undealt, memory.planes, cards, below(memory, total))
    take_copy(memory.undealt, card)
    return card


@kernel
def play_out(view: View, memory: Imagination, action: int) -> int:
    """Return what an action is worth if random players go on."""
    worth = 0
    announce(memory, action, memory)
    for turn in range(1, memory.depth + 1):
        if memory.end == GOING_ON:
            if turn > 1:
                choose_at_random(memory)
            take_turn(memory, memory.deck, memory)
        misplays = MANY_LIVES - memory.lives
        worth += turn * (memory.score - view.score - misplays * (misplays + 1) // 2)
    return worth


@kernel
def choose_at_random(memory: Imagination) -> None:
    """Announce the action of a random player."""
    count = memory.hand_count[memory.player]
    slots = slots_to_play(memory)
    discards = count if can_discard(memory) else 0
    hints = count_hints(memory)
    if slots == 0 and discards + hints == 0:  # only hopeless cards, and nothing else to do
        slots = (1 << count) - 1
    start_event(memory)
    n = below(memory, popcount(slots) + discards + hints)
    if n < discards:
        memory.kind = DISCARD
        memory.slot = n
    elif n < discards + hints:
        announce_nth_hint(memory, n - discards)
    else:
        memory.kind = PLAY
        memory.slot = choose_play(memory, slots)


@kernel
def start_event(memory: Imagination) -> None:
    """Forget the outcome of the previous turn."""
    memory.touched = 0
    memory.token = 0
    memory.drew = 0
    memory.lit = 0


@kernel
def slots_to_play(memory: Imagination) -> int:
    """Return the slots of the player to move that may be playable by what the hints say."""
    possible = memory.possible[memory.player]
    slots = 0
    for slot in range(memory.hand_count[memory.player]):
        if possible[slot] & memory.playable:
            slots |= 1 << slot
    return slots


@kernel
def choose_play(memory: Imagination, slots: int) -> int:
    """Choose one of these slots: the fewer cards it may be, the likelier."""
    possible = memory.possible[memory.player]
    total = 0
    for slot in range(memory.hand_count[memory.player]):
        if (slots >> slot) & 1:
            total += CERTAINTY // popcount(possible[slot])
    n = below(memory, total)
    for slot in range(memory.hand_count[memory.player]):
        if (slots >> slot) & 1:
            n -= CERTAINTY // popcount(possible[slot])
            if n < 0:
                return slot
    return 0


@kernel
def count_hints(memory: Imagination) -> int:
    """Count the hints that the player to move can give; in an open game one, a pass."""
    if memory.hint_tokens == 0:
        return 0
    if memory.open_game:
        return 1
    if memory.empty_hints:
        return (memory.players - 1) * (memory.suits + memory.ranks)
    count = 0
    for target in range(memory.players):
        if target != memory.player:
            count += popcount(hints_that_touch(memory, target))
    return count


@kernel
def announce_nth_hint(memory: Imagination, n: int) -> None:
    """Announce hint number `n`, counted from 0."""
    if memory.open_game:
        memory.kind = PASS
        return
    for target in range(memory.players):
        if target != memory.player:
            hints = hintable(memory, target)
            if n < popcount(hints):
                announce_hint_bit(memory, target, nth_lowest(hints, n))
                return
            n -= popcount(hints)


@kernel
def announce_hint_bit(memory: Imagination, target: int, bit: int) -> None:
    """Announce the hint for a bit of `hintable`: suits from bit 0, ranks above all suits."""
    memory.target = target
    memory.kind = HINT_SUIT
    memory.value = bit
    if bit >= memory.suits:
        memory.kind = HINT_RANK
        memory.value = bit - memory.suits + 1


def explain(telling: Telling) -> str:
    """Say how it was chosen, without repeating the play-outs."""
    memory: Imagination = telling.memory
    tried = f"did best in {memory.playouts} play-outs of {memory.depth} turns"
    return telling.because(tried, facts(telling))


MONTE_CARLO = Strategy(
    "monte-carlo",
    act,
    memory=Imagination,
    options={
        "playouts": Option(default=500, least=1, most=1_000_000, help="play-outs for each action"),
        "depth": Option(default=5, least=1, most=MAX_DEPTH, help="turns that count"),
    },
    slow=True,
    support=RuleSupport(home="aspects"),
    about=About(source="van den Bergh, Kosters, Spieksma 2016, section 4", explain=explain),
)
