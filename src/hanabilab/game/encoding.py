"""Observations as vectors of zeros and ones, entry for entry those of DeepMind's environment.

Everything is seen from the observer's seat: players are counted from the observer; suits and ranks
stand in the order of the cards' numbers (suit by suit). With hands of h cards, p players, k suits,
n ranks, c = nk different cards and N cards in all, the sections are::

    hands          (p-1)hc      c entries for each card of the others, oldest first
    short_hands    p            who holds fewer than h cards
    draw_pile      N-ph         as many ones as cards in it
    fireworks      kn           the highest rank of each suit
    hint_tokens    tokens       as many ones as are left
    lives          lives        the same
    discards       N            for each card as many ones as copies are discarded
    last_player    p            who acted last
    last_kind      4            play, discard, suit hint, rank hint
    last_target    p            who got the hint
    last_suit      k            the suit of the hint
    last_rank      n            the rank of the hint
    last_touched   h            the slots that it touched
    last_slot      h            the slot that was played or discarded
    last_card      c            the card that was played or discarded
    last_result    2            whether a played card fitted, whether it gave a token back
    knowledge      ph(c+k+n)    each slot: what the hints allow, the suit and the rank they named

"canonical" observations have all of them, "minimal" ones all but the last.
(Bard et al. 2020; the canonical encoder of the Hanabi Learning Environment 0.0.4)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hanabilab.checks import did_you_mean
from hanabilab.core.bits import lowest, spread
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Record, ints
from hanabilab.core.types import Ints
from hanabilab.errors import ActionError, HanabiError, RulesError
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event, seat_after
from hanabilab.game.cards import MAX_CARDS, PLANES, card_in, count_of
from hanabilab.game.rules import Rules
from hanabilab.game.state import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["KINDS", "Encoder", "Layout", "encode", "no_event"]

KINDS = ("canonical", "minimal")

NOBODY = -1


class Layout(Record):
    """Where each section starts, and what else an encoder must know about the rules."""

    hands: int
    short_hands: int
    draw_pile: int
    fireworks: int
    hint_tokens: int
    lives: int
    discards: int
    last_player: int
    last_kind: int
    last_target: int
    last_suit: int
    last_rank: int
    last_touched: int
    last_slot: int
    last_card: int
    last_result: int
    knowledge: int
    length: int
    cards: int
    """How many different cards there are."""
    known: int
    """Entries per slot in the knowledge section, 0 without one."""
    discards_of: list[int] = ints(MAX_CARDS)
    """Where the discards of each card start."""


@kernel
def encode(state: State, last: Event, observer: int, layout: Layout, out: Ints) -> None:
    """Write what a player observes into `out`, which must be all zeros.

    `last` is the turn before; its player is negative if there was none.
    """
    encode_hands(state, observer, layout, out)
    encode_board(state, layout, out)
    encode_discards(state, layout, out)
    if last.player >= 0:
        encode_last_turn(state, last, observer, layout, out)
    if layout.known > 0:
        encode_knowledge(state, observer, layout, out)


@kernel
def seats_between(state: State, observer: int, player: int) -> int:
    """Return how many seats after the observer a player sits."""
    seats = player - observer
    return seats if seats >= 0 else seats + state.players


@kernel
def encode_hands(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write the cards of the others, and whose hands are short."""
    first = layout.hands
    for steps in range(state.players):
        player = seat_after(state, observer, steps)
        count = state.hand_count[player]
        if steps > 0:
            hand = state.hands[player]
            for slot in range(count):
                out[first + slot * layout.cards + card_in(hand, slot)] = 1
            first += state.hand_size * layout.cards
        if count < state.hand_size:
            out[layout.short_hands + steps] = 1


@kernel
def fill(out: Ints, first: int, count: int) -> None:
    """Write `count` ones."""
    for place in range(first, first + count):
        out[place] = 1


@kernel
def encode_board(state: State, layout: Layout, out: Ints) -> None:
    """Write the draw pile, fireworks, hint tokens and lives."""
    fill(out, layout.draw_pile, state.draw_pile)
    for suit in range(state.suits):
        if state.fireworks[suit] > 0:
            out[layout.fireworks + suit * state.ranks + state.fireworks[suit] - 1] = 1
    if not state.unlimited_hints:
        fill(out, layout.hint_tokens, state.hint_tokens)
    if not state.unlimited_lives:
        fill(out, layout.lives, state.lives)


@kernel
def encode_discards(state: State, layout: Layout, out: Ints) -> None:
    """Write how many copies of each card are discarded."""
    several = 0
    for plane in range(1, PLANES):
        several |= state.discarded[plane]
    once = state.discarded[0] & ~several
    cards = once | several
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        first = layout.discards_of[card]
        out[first] = 1
        if not (once >> card) & 1:
            fill(out, first + 1, count_of(state.discarded, card) - 1)


@kernel
def encode_last_turn(state: State, last: Event, observer: int, layout: Layout, out: Ints) -> None:
    """Write what the last player did, and what came of it."""
    out[layout.last_player + seats_between(state, observer, last.player)] = 1
    if last.kind == PLAY or last.kind == DISCARD:
        out[layout.last_kind + (0 if last.kind == PLAY else 1)] = 1
        out[layout.last_slot + last.slot] = 1
        out[layout.last_card + last.card] = 1
        if last.kind == PLAY:
            out[layout.last_result] = last.lit
            out[layout.last_result + 1] = last.token
    elif last.kind == HINT_SUIT or last.kind == HINT_RANK:
        out[layout.last_target + seats_between(state, observer, last.target)] = 1
        if last.kind == HINT_SUIT:
            out[layout.last_kind + 2] = 1
            out[layout.last_suit + last.value] = 1
        else:
            out[layout.last_kind + 3] = 1
            out[layout.last_rank + last.value - 1] = 1
        for slot in range(state.hand_size):
            out[layout.last_touched + slot] = (last.touched >> slot) & 1


@kernel
def encode_knowledge(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write what the hints say about each card, the observer's own first."""
    first = layout.knowledge
    for steps in range(state.players):
        player = seat_after(state, observer, steps)
        for slot in range(state.hand_count[player]):
            place = first + slot * layout.known
            possible = state.possible[player][slot]
            spread(possible, layout.cards, out, place)
            one = lowest(possible)
            suit = state.suit_of[one]
            place += layout.cards
            rank = one - suit * state.ranks
            out[place + suit] = (state.suit_hinted[player] >> slot) & 1
            out[place + state.suits + rank] = (state.rank_hinted[player] >> slot) & 1
        first += state.hand_size * layout.known


def no_event() -> Event:
    """Return the turn before the first one."""
    return Event(player=NOBODY)


class WithEvents(Protocol):
    """A game that knows its turns, such as `hanabilab.Game`."""

    @property
    def state(self) -> State:
        """The table."""

    @property
    def events(self) -> Sequence[Event]:
        """The turns so far."""


class Encoder:
    """Observations of one kind under given rules, as arrays of bytes.

    >>> encoder = Encoder(Rules.classic(2))
    >>> encoder.length
    658
    >>> encoder.sections["fireworks"]
    slice(167, 192, None)
    """

    def __init__(self, rules: Rules, kind: str = "canonical") -> None:
        if kind not in KINDS:
            known = " or ".join(KINDS) + did_you_mean(kind, KINDS)
            raise HanabiError(f"kind: unknown encoding {kind!r}; expected {known}")
        if rules.special_suits and kind != "minimal":
            raise RulesError(
                f"touching: {kind} observations tell the one suit that hints named, but some suits "
                "are touched by several suit hints, or by none"
            )
        self.rules = rules
        self.kind = kind
        self.layout = Layout(cards=rules.max_score)
        self.sections: dict[str, slice] = {}
        """The slice of each section, by name, in order."""
        for name, size in _sizes(rules, kind):
            self.sections[name] = slice(self.layout.length, self.layout.length + size)
            setattr(self.layout, name, self.layout.length)
            self.layout.length += size
        if kind != "minimal":
            self.layout.known = rules.max_score + rules.suits + rules.ranks
        place = self.layout.discards
        for card in range(rules.max_score):
            self.layout.discards_of[card] = place
            place += rules.copies[card // rules.ranks][card % rules.ranks]

    @property
    def length(self) -> int:
        """How many entries an observation has."""
        return self.layout.length

    def encode(
        self,
        game: State | WithEvents,
        player: int | None = None,
        out: NDArray[np.generic] | None = None,
        *,
        last: Event | None = None,
    ) -> NDArray[Any]:
        """Return what a player observes; by default, the player to move.

        `game` is a `hanabilab.Game`, or a state or a view; with these, `last` is the turn before,
        if there was one. `out`, if given, is overwritten and returned: any array of numbers of that
        length.
        """
        import numpy as np

        if isinstance(game, State):
            state = game
        else:
            state = game.state
            last = game.events[-1] if game.events else None
        observer = state.player if player is None else player
        if not 0 <= observer < self.rules.players:
            raise ActionError(f"unknown player {observer}; players are numbered from 0")
        if (state.players, state.suits, state.ranks, state.hand_size, state.deck_size) != (
            self.rules.players,
            self.rules.suits,
            self.rules.ranks,
            self.rules.hand_size,
            self.rules.deck_size,
        ):
            raise HanabiError("this game is not played by the rules of the encoder")
        entries = bytearray(self.length)
        encode(state, no_event() if last is None else last, observer, self.layout, entries)
        vector = np.frombuffer(entries, np.uint8)
        if out is None:
            return vector
        if out.shape != vector.shape:
            raise HanabiError(f"out: the shape is {out.shape}, not {vector.shape}")
        out[:] = vector
        return out


def _sizes(rules: Rules, kind: str) -> Iterator[tuple[str, int]]:
    """Yield every section with its length, in order."""
    players, hand, cards = rules.players, rules.hand_size, rules.max_score
    yield "hands", (players - 1) * hand * cards
    yield "short_hands", players
    yield "draw_pile", rules.deck_size - players * hand
    yield "fireworks", cards
    yield "hint_tokens", rules.hint_tokens or 0
    yield "lives", rules.lives or 0
    yield "discards", rules.deck_size
    yield "last_player", players
    yield "last_kind", 4
    yield "last_target", players
    yield "last_suit", rules.suits
    yield "last_rank", rules.ranks
    yield "last_touched", hand
    yield "last_slot", hand
    yield "last_card", cards
    yield "last_result", 2
    if kind != "minimal":
        yield "knowledge", players * hand * (cards + rules.suits + rules.ranks)
