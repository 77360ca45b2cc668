"""One turn by the rules (van den Bergh 2015, Algorithm 2.16), and its public event."""

from __future__ import annotations

from hanabilab.core.kernel import cold, inlined, kernel
from hanabilab.core.record import Ints, assign
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    effect_of,
    hintable,
    seat_after,
)
from hanabilab.game.cards import (
    HIDDEN,
    HIDDEN_HAND,
    card_in,
    move_down,
    put_card,
    take_copy,
    without_bit,
    without_slot,
)
from hanabilab.game.rules_record import RulesRecord
from hanabilab.game.state import (
    DECK,
    GOING_ON,
    LIVES,
    NO_MORE_POINTS,
    OUT_OF_REACH,
    PERFECT,
    State,
    best_score,
    choose_direction,
    play_success,
    put_on_discards,
    rank_cards,
    refresh_stacks,
    suit_cards,
)

__all__ = [
    "ONLY_CARDS",
    "can_score",
    "cards_of_hint",
    "conceal_event",
    "could_touch",
    "deal",
    "event_for",
    "final_score",
    "take_turn",
    "touched_cards",
]


ONLY_CARDS = 2
"""The value of `hints_tell` for hints that reveal only the cards they touch."""


@kernel
def deal(state: State, initial: State, deck: Ints) -> None:
    """Start a game: deal player 0 the first cards of the deck as slots 0, 1, …, then player 1."""
    rules = state.rules
    assign(state, initial)
    place = 0
    for player in range(rules.players):
        hand = HIDDEN_HAND
        for slot in range(rules.hand_size):
            hand = put_card(hand, slot, deck[place])
            state.possible[player][slot] = rules.all_cards
            place += 1
        state.hands[player] = hand
        state.hand_count[player] = rules.hand_size
    state.draw_pile -= place
    if state.draw_pile == 0 and rules.deck_ends:
        state.turns_left = rules.players


@inlined
@kernel
def draw(state: State, player: int, deck: Ints) -> bool:
    """Draw the next card into the newest slot, if the draw pile is not empty."""
    rules = state.rules
    if state.draw_pile == 0:
        return False
    slot = state.hand_count[player]
    card = deck[rules.deck_size - state.draw_pile]
    state.hands[player] = put_card(state.hands[player], slot, card)
    state.possible[player][slot] = rules.all_cards
    state.hand_count[player] = slot + 1
    state.draw_pile -= 1
    if state.draw_pile == 0 and rules.deck_ends:
        state.turns_left = rules.players
    return True


@inlined
@kernel
def take_turn(state: State, deck: Ints, event: Event) -> None:
    """Take the action of an event, which must be legal, and fill in its outcome."""
    last_round = state.turns_left >= 0
    if state.rules.other_effects:
        take_effect(state, deck, event)
    elif event.kind == PLAY:
        play(state, deck, event)
    elif event.kind == DISCARD:
        discard(state, deck, event)
    else:
        give_hint(state, event)
    state.turn += 1
    if last_round:
        state.turns_left -= 1
    next_player(state)


@cold
@kernel
def take_effect(state: State, deck: Ints, event: Event) -> None:
    """Take the action of an event under rules that change the effects of actions."""
    if event.kind == DISCARD or event.kind == PLAY:
        if event.slot == state.hand_count[state.player]:  # the last card of the draw pile
            draw(state, state.player, deck)
        part_with_card(state, deck, event)
    elif event.kind == PASS or state.rules.hints_tell == 0:
        give_hint(state, event)
    else:
        give_vague_hint(state, event)
    if state.rules.alternating_hints and (event.kind == HINT_SUIT or event.kind == HINT_RANK):
        suits = (1 << state.rules.suits) - 1
        state.barred_hints = suits if event.kind == HINT_SUIT else state.rules.all_hints & ~suits


@kernel
def part_with_card(state: State, deck: Ints, event: Event) -> None:
    """Play or discard a card if suits may be inverted, built in other ways, or hidden."""
    rules = state.rules
    card = card_in(state.hands[state.player], event.slot)
    suit = rules.suit_of[card]
    if event.kind ^ (rules.inverted >> card & 1) == DISCARD:
        discard(state, deck, event)
    else:
        if rules.stacks and (state.playable >> card) & 1:
            choose_direction(state, suit, card - suit * rules.ranks)
        play(state, deck, event)
        if rules.hidden_plays and event.lit == 0:
            take_copy(state.discarded, card)  # it is not seen among them
    if rules.stacks:
        refresh_stacks(state)


@kernel
def give_vague_hint(state: State, event: Event) -> None:
    """Give a hint whose value is partly concealed: every hint that it may have been stays possible.

    The target's cards are those that some hint of the announced kind would have touched in this
    way.
    """
    rules = state.rules
    target, count = event.target, state.hand_count[event.target]
    mask = touched_cards(state, event)
    touched = 0
    for slot in range(count):
        touched |= (mask >> card_in(state.hands[target], slot) & 1) << slot
    event.touched = touched
    state.hint_tokens -= 1
    hints = rules.all_hints & told_hints(state, event)
    fitting = 0
    for hint in range(rules.suits + rules.ranks):
        if hints >> hint & 1 and could_touch(state, target, touched, hint):
            fitting |= 1 << hint
    for slot in range(count):
        known = 0
        for hint in range(rules.suits + rules.ranks):
            if fitting >> hint & 1:
                cards = cards_of_hint(state, hint)
                known |= cards if touched >> slot & 1 else rules.all_cards & ~cards
        state.possible[target][slot] &= known
    if rules.hints_tell == ONLY_CARDS or event.kind == HINT_RANK:
        state.rank_hinted[target] |= touched
    if rules.hints_tell == ONLY_CARDS or event.kind == HINT_SUIT:
        state.suit_hinted[target] |= touched


@kernel
def told_hints(state: State, event: Event) -> int:
    """Return the hints that a partly concealed hint may have been."""
    rules = state.rules
    suits = (1 << rules.suits) - 1
    if rules.hints_tell == ONLY_CARDS:
        return rules.all_hints
    return suits if event.kind == HINT_SUIT else rules.all_hints & ~suits


@kernel
def could_touch(state: State, target: int, touched: int, hint: int) -> bool:
    """Return whether a hint could touch exactly these slots of a hand, given the hints so far."""
    cards = cards_of_hint(state, hint)
    for slot in range(state.hand_count[target]):
        wanted = cards if touched >> slot & 1 else ~cards
        if state.possible[target][slot] & wanted == 0:
            return False
    return True


@cold
@kernel
def cards_of_hint(state: State, hint: int) -> int:
    """Return the cards that a hint, given as a bit, touches."""
    rules = state.rules
    cards = 0
    for card in range(rules.suits * rules.ranks):
        cards |= (rules.hint_bits[card] >> hint & 1) << card
    return cards


@kernel
def conceal_event(event: Event, rules: RulesRecord) -> None:
    """Reduce an event to what the other players are told."""
    if rules.hidden_plays and effect_of(event, rules) == PLAY:
        event.card = HIDDEN
        event.lit = 0
    if rules.hints_tell and (event.kind == HINT_SUIT or event.kind == HINT_RANK):
        event.value = HIDDEN
        if rules.hints_tell == ONLY_CARDS:
            event.kind = HINT_SUIT


def event_for(event: Event, rules: RulesRecord, viewer: int | None) -> Event:
    """Return a turn as a player, or None for a spectator, is told it during the game.

    Players know the hints that they gave themselves.
    """
    told = event.copy()
    if viewer != event.player or event.kind == PLAY or event.kind == DISCARD:
        conceal_event(told, rules)
    return told


@inlined
@kernel
def play(state: State, deck: Ints, event: Event) -> None:
    """Play a card: it goes on its firework or costs a life (step 2c)."""
    rules = state.rules
    if event.slot == state.hand_count[state.player]:  # the last card of the draw pile
        draw(state, state.player, deck)
    card = card_in(state.hands[state.player], event.slot)
    event.card = card
    if (state.playable >> card) & 1:
        event.lit = 1
        play_success(state, card)
        if rules.token_for_suit and state.fireworks[rules.suit_of[card]] == rules.stack_size:
            regain_token(state, event)
        if state.score == rules.max_score:
            state.end = PERFECT
    else:
        put_on_discards(state, card)
        state.lives -= 1
        if state.lives == 0:
            state.end = LIVES
    replace_card(state, event.slot, deck, event)


@inlined
@kernel
def discard(state: State, deck: Ints, event: Event) -> None:
    """Discard a card for a hint token (step 2b)."""
    card = card_in(state.hands[state.player], event.slot)
    event.card = card
    put_on_discards(state, card)
    regain_token(state, event)
    replace_card(state, event.slot, deck, event)


@inlined
@kernel
def regain_token(state: State, event: Event) -> None:
    """Give a hint token, or a part of one, back unless no token is missing."""
    rules = state.rules
    if state.hint_tokens < rules.max_hint_tokens:
        if rules.discards_per_token > 1:
            state.token_part += 1
            if state.token_part < rules.discards_per_token:
                return
            state.token_part = 0
        state.hint_tokens += 1
        event.token = 1


@inlined
@kernel
def replace_card(state: State, slot: int, deck: Ints, event: Event) -> None:
    """Move the newer cards down a slot and draw a new card."""
    player = state.player
    last = state.hand_count[player] - 1
    state.hands[player] = without_slot(state.hands[player], slot)
    state.suit_hinted[player] = without_bit(state.suit_hinted[player], slot)
    state.rank_hinted[player] = without_bit(state.rank_hinted[player], slot)
    move_down(state.possible[player], slot)
    state.hand_count[player] = last
    if draw(state, player, deck):
        event.drew = 1


@inlined
@kernel
def give_hint(state: State, event: Event) -> None:
    """Spend a token; the target learns which cards are touched and which are not (step 2a)."""
    state.hint_tokens -= 1
    if event.kind == PASS:
        return
    target = event.target
    touched_mask = touched_cards(state, event)
    hand = state.hands[target]
    possible = state.possible[target]
    touched = 0
    for slot in range(state.hand_count[target]):
        hit = (touched_mask >> card_in(hand, slot)) & 1
        touched |= hit << slot
        possible[slot] &= touched_mask ^ (hit - 1)  # the mask or its complement, without a branch
    event.touched = touched
    if event.kind == HINT_RANK:
        state.rank_hinted[target] |= touched
    else:
        state.suit_hinted[target] |= touched


@inlined
@kernel
def touched_cards(state: State, event: Event) -> int:
    """Return the cards that a hint touches."""
    if event.kind == HINT_SUIT:
        touched_mask = suit_cards(state, event.value)
    else:
        touched_mask = rank_cards(state, event.value)
    if state.rules.special_hints:
        touched_mask = special_touched_mask(state, event)
    return touched_mask


@kernel
def special_touched_mask(state: State, event: Event) -> int:
    """Return the cards touched by a hint that touches more than its own suit or rank."""
    rules = state.rules
    hint = event.value if event.kind == HINT_SUIT else rules.suits + event.value - 1
    touched_mask = 0
    for card in range(rules.suits * rules.ranks):
        touched_mask |= (rules.hint_bits[card] >> hint & 1) << card
    return touched_mask


@inlined
@kernel
def next_player(state: State) -> None:
    """Pass the turn on, or end the game (step 3)."""
    rules = state.rules
    state.player += 1
    if state.player == rules.players:
        state.player = 0
    if rules.other_ends:
        check_other_ends(state)
    elif state.end == GOING_ON and state.turns_left == 0:
        state.end = DECK


@cold
@kernel
def check_other_ends(state: State) -> None:
    """End the game, or find the next player, under rules with further ways to end.

    The order is hanab.live's, which looks for a player who cannot act before it looks at the score:
    even with all fireworks complete that player still loses if only the maximum counts.
    """
    rules = state.rules
    if state.end == PERFECT:
        stuck = state.hand_count[state.player] == 0 and state.hint_tokens == 0
        if stuck and rules.all_or_nothing and rules.score_ends:
            state.end = OUT_OF_REACH
    elif state.end != GOING_ON:
        return
    elif is_out_of_reach(state):
        state.end = OUT_OF_REACH
    elif state.turns_left == 0:
        state.end = DECK
    elif rules.score_ends and not can_score(state):
        state.end = NO_MORE_POINTS
    elif not rules.deck_ends and not rules.all_or_nothing and state.draw_pile == 0:
        skip_idle_players(state)


@kernel
def is_out_of_reach(state: State) -> bool:
    """Return whether the maximum is out of reach when nothing else counts."""
    rules = state.rules
    if (rules.all_or_nothing or rules.speedrun) and best_score(state) < rules.max_score:
        return True
    idle = state.hand_count[state.player] == 0
    return rules.all_or_nothing != 0 and idle and not can_hint(state)


@kernel
def can_score(state: State) -> bool:
    """Return whether a playable card is left to draw or held by a player who still has a turn."""
    wanted = state.playable & ~state.dead
    if wanted == 0 or state.turns_left < 0:
        return wanted != 0
    for steps in range(state.turns_left):
        player = seat_after(state, state.player, steps)
        for slot in range(state.hand_count[player]):
            if (wanted >> card_in(state.hands[player], slot)) & 1:
                return True
    return False


@kernel
def skip_idle_players(state: State) -> None:
    """Skip players who cannot act if the game continues without a draw pile."""
    rules = state.rules
    for _ in range(rules.players):
        if state.hand_count[state.player] > 0 or can_hint(state):
            break
        state.player += 1
        if state.player == rules.players:
            state.player = 0
    cards = 0
    for player in range(rules.players):
        cards += state.hand_count[player]
    if cards == 0:
        state.end = DECK


@kernel
def can_hint(state: State) -> bool:
    """Return whether the player to move can give a hint, or pass."""
    rules = state.rules
    if state.hint_tokens == 0:
        return False
    if rules.open_game:
        return True
    for target in range(rules.players):
        if target != state.player and hintable(state, target):
            return True
    return False


@kernel
def final_score(state: State) -> int:
    """Return the score that counts now: 0 without a life, if the rules say so.

    If only the maximum counts, every other score is 0 too, and so is that of a speedrun that lost a
    needed card.
    """
    rules = state.rules
    if state.end == OUT_OF_REACH or (rules.all_or_nothing and state.score < rules.max_score):
        return 0
    kept = rules.keep_score or (rules.keep_on_last_turn and state.turns_left == 0)
    if state.lives == 0 and not kept:
        return 0
    return state.score
