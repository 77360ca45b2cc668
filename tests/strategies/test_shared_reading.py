"""Calls are common knowledge: after every turn all players agree who is called to play which slot.

They may differ, for a while, in these cases:

- the target of a hint does not see the hinted card, and finds out from what the others do before
  the target's next turn, or before the giver's next turn if it may be a reverse finesse;
- a player who sees that the next player's card fits takes a call for a bluff, until that player
  acts;
- a player about to play an unknown card cannot tell whether it is the missing one;
- players who trust different partners read their hints differently;
- a player takes a call for one's own whose answer others see not to be there, also if it is the
  second of a double finesse; or does not see that one's own card is the answer, and so takes
  somebody else to be called;
- players expect different plays, or know of different cards in other hands, as nobody sees their
  own: so a hint comes early for one of them, and not for the other one;
- for the same reason players have read earlier hints differently. So they take a card of the giver,
  of the target or of the called player for different cards, or only one of them takes it for
  protected. Then the giver stalls, the hint has another focus, or a prompt means another card for
  one of them only.

A difference that had a reason lasts until the call is answered or dropped. In 20,000 games (seeds 5
and 6) there is no difference without a reason. A call that its player could answer, but does not,
is dropped by everyone.

`HANABILAB_READING_GAMES=10000` compares that many games instead of a sample.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from hanabilab.core import machine_code
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Rng
from hanabilab.core.record import assign, pack
from hanabilab.game.actions import HINT_RANK, HINT_SUIT, Event, decode_action
from hanabilab.game.deck import card_multiset, shuffle_deck
from hanabilab.game.rules import preset
from hanabilab.game.state import State, View, initial_state, write_view
from hanabilab.game.turn import deal, take_turn
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.decision import decide
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.strategy import begin, observe
from hanabilab.strategies.conventions.tables import meaning
from hanabilab.strategies.conventions.trust import trusts
from hanabilab.strategies.strategy import NONE

GAMES = int(os.environ.get("HANABILAB_READING_GAMES", "300"))
TURNS, CALLS, TARGET, BLUFF, UNSURE, TRUST, OWN, EXPECTED, LASTING, EARLIER, OTHER = range(11)
"""What is counted: turns, called slots, and differences by their reason."""
PLAYERS = 4


@kernel
def sees_start(state: State, view: View, memory: ConventionsMemory, player: int) -> None:
    """Show a player the table before the first turn."""
    write_view(view, state, player)
    begin(view, memory)


@kernel
def choose(state: State, view: View, memory: ConventionsMemory, player: int) -> int:
    """Ask a player for an action."""
    write_view(view, state, player)
    return decide(view, memory)


@kernel
def sees(state: State, view: View, event: Event, memory: ConventionsMemory, player: int) -> None:
    """Show a player a turn."""
    write_view(view, state, player)
    observe(view, event, memory)


@kernel
def is_unsure(view: View, memory: ConventionsMemory, player: int) -> bool:
    """Return whether a player is about to play a card that may be one of several."""
    beliefs = memory.beliefs
    for slot in range(view.hand_count[player]):
        cards = meaning(beliefs, player, slot)
        if cards & ~beliefs.playable == 0 and cards & (cards - 1):
            return True
    return False


@kernel
def trust_alike(one: ConventionsMemory, other: ConventionsMemory) -> bool:
    """Return whether two players trust the same players."""
    different = 0
    for player in range(PLAYERS):
        different += int(trusts(one, player) != trusts(other, player))
    return different == 0


@kernel
def differs_about(one: ConventionsMemory, other: ConventionsMemory, player: int) -> bool:
    """Return whether two readers take different slots of a player to be called."""
    return one.beliefs.called[player] != other.beliefs.called[player]


@kernel
def is_own(one: ConventionsMemory, other: ConventionsMemory, player: int) -> bool:
    """Return whether it is about a reader's own cards, also as the second of a double finesse."""
    return differs_about(one, other, player) or one.beliefs.pending[player] != 0


@kernel
def hands_read_alike(view: View, one: ConventionsMemory, other: ConventionsMemory) -> int:
    """Return the players whose cards two readers take for the same, and for protected, as a set."""
    alike = 0
    for player in range(view.rules.players):
        different = int(one.beliefs.kept[player] != other.beliefs.kept[player])
        for slot in range(view.hand_count[player]):
            cards = meaning(one.beliefs, player, slot)
            different += int(cards != meaning(other.beliefs, player, slot))
        alike |= int(different == 0) << player
    return alike


@kernel
def compare(
    view: View,
    one: ConventionsMemory,
    player: int,
    other: ConventionsMemory,
    reader: int,
    hinted: int,
    alike: int,
    acting: int,
    counts: list[int],
    differed: list[int],
) -> None:
    """Count what `one` takes to be called otherwise than `other`, a player who sees the hint.

    `alike` are the players whose hands they read alike before the turn. `acting` are its player and
    the target of the hint, if it was one. `differed` holds, for each pair of readers, about whom
    they differed after the turn before.
    """
    before = differed[player]
    differed[player] = 0
    for called in range(view.rules.players):
        if differs_about(one, other, called):
            differed[player] |= 1 << called
            waits = one.beliefs.later[player] | other.beliefs.later[reader]
            if waits or (hinted >> player | hinted >> reader) & 1:
                counts[TARGET] += 1
            elif one.beliefs.second_slot != NONE or other.beliefs.second_slot != NONE:
                counts[BLUFF] += 1
            elif is_unsure(view, one, player) or is_unsure(view, other, reader):
                counts[UNSURE] += 1
            elif not trust_alike(one, other):
                counts[TRUST] += 1
            elif is_own(one, other, player) or is_own(other, one, reader):
                counts[OWN] += 1
            elif before >> called & 1:
                counts[LASTING] += 1
            elif one.draft.soon != other.draft.soon or one.draft.spoken != other.draft.spoken:
                counts[EXPECTED] += 1
            elif (acting | 1 << called) & ~alike:
                counts[EARLIER] += 1
            else:
                counts[OTHER] += 1


@kernel
def play_and_compare(
    start: State,
    state: State,
    view: View,
    event: Event,
    rng: Rng,
    cards: list[int],
    deck: list[int],
    fresh: ConventionsMemory,
    a: ConventionsMemory,
    b: ConventionsMemory,
    c: ConventionsMemory,
    d: ConventionsMemory,
    games: int,
    counts: list[int],
    differed: list[int],
) -> int:
    """Play games of four and compare the readings of neighbours after every turn."""
    for game in range(games):
        shuffle_deck(deck, cards, rng, 5, game)
        deal(state, start, deck)
        assign(a, fresh)
        assign(b, fresh)
        assign(c, fresh)
        assign(d, fresh)
        sees_start(state, view, a, 0)
        sees_start(state, view, b, 1)
        sees_start(state, view, c, 2)
        sees_start(state, view, d, 3)
        hinted = 0
        for each in range(PLAYERS):
            differed[each] = 0
        while state.end == 0:
            player = state.player
            if player == 0:
                action = choose(state, view, a, 0)
            elif player == 1:
                action = choose(state, view, b, 1)
            elif player == 2:
                action = choose(state, view, c, 2)
            else:
                action = choose(state, view, d, 3)
            decode_action(state, action, event)
            acting = 1 << player
            hinted &= ~acting
            if event.kind == HINT_SUIT or event.kind == HINT_RANK:
                hinted |= 1 << event.target
                acting |= 1 << event.target
            ab, bc = hands_read_alike(view, a, b), hands_read_alike(view, b, c)
            cd, da = hands_read_alike(view, c, d), hands_read_alike(view, d, a)
            take_turn(state, deck, event)
            sees(state, view, event, a, 0)
            sees(state, view, event, b, 1)
            sees(state, view, event, c, 2)
            sees(state, view, event, d, 3)
            compare(view, a, 0, b, 1, hinted, ab, acting, counts, differed)
            compare(view, b, 1, c, 2, hinted, bc, acting, counts, differed)
            compare(view, c, 2, d, 3, hinted, cd, acting, counts, differed)
            compare(view, d, 3, a, 0, hinted, da, acting, counts, differed)
            counts[TURNS] += 1
            for each in range(PLAYERS):
                counts[CALLS] += int(a.beliefs.called[each] != 0)
    return 0


@pytest.mark.usefixtures("_unoptimized")
def test_all_players_read_calls_alike() -> None:
    rules = preset("hle", PLAYERS)
    fresh: Any = CONVENTIONS.fresh_memory()
    records = [initial_state(rules), State(), View(), Event(), Rng()]
    start, state, view, event, rng = (pack(record)[0] for record in records)
    memories = [pack(fresh.copy())[0] for _ in range(PLAYERS + 1)]
    cards = np.array(card_multiset(rules), np.int64)
    counts, differed = np.zeros(OTHER + 1, np.int64), np.zeros(PLAYERS, np.int64)
    machine_code.run(
        play_and_compare,
        start,
        state,
        view,
        event,
        rng,
        cards,
        cards.copy(),
        *memories,
        GAMES,
        counts,
        differed,
    )
    print("turns, calls, and differences by reason:", counts)
    assert counts[CALLS] > GAMES  # there are calls at all
    assert counts[TARGET] + counts[BLUFF] > 0  # and differences that are allowed
    assert counts[EARLIER] <= 10 + PLAYERS**2 * counts[TURNS] // 20_000  # it explains little
    assert counts[OTHER] == 0
