"""Encoders: observations of one kind under given rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hanabilab.checks import check_choice, check_integer
from hanabilab.errors import ActionError, HanabiError, RulesError
from hanabilab.game.actions import Event
from hanabilab.game.cards import HIDDEN_HAND
from hanabilab.game.encoding.kernels import encode, encode_greedy, no_event
from hanabilab.game.encoding.layout import Layout
from hanabilab.game.rules import Rules, switch_set, unhandled_rule
from hanabilab.game.state import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["KINDS", "STATE", "Encoder"]

SHOWN_SWITCHES = switch_set(
    "all_or_nothing colours deck_ends discard_at_full discards_per_token empty_hints first_player",
    "keep_on_last_turn keep_score open_game rank_hints rank_touching score_ends speedrun",
    "suit_hints token_for_suit touching",
)
"""The switches under which a vector still shows every turn in full."""

KINDS = ("canonical", "minimal", "sad", "seer", "own-hand", "features")
"""The kinds of observation of a player."""
STATE = "state"
"""The full state of the table."""

BITS = 62
"""The number of entries of a slot that are written at once."""


class WithEvents(Protocol):
    """A game that records its turns, such as `hanabilab.Game`."""

    @property
    def state(self) -> State:
        """The state of the game."""

    @property
    def events(self) -> Sequence[Event]:
        """The turns taken so far."""


class Encoder:
    """Observations of one kind under given rules, as arrays of bytes.

    >>> encoder = Encoder(Rules.classic(2))
    >>> encoder.length
    658
    >>> encoder.sections["fireworks"]
    slice(167, 192, None)
    """

    def __init__(self, rules: Rules, kind: str = "canonical") -> None:
        if rule := unhandled_rule(rules.nonstandard, SHOWN_SWITCHES):
            raise RulesError(f"observations do not show the rule {rule}")
        self.rules = rules
        self.kind = check_choice("encoding", kind, (*KINDS, STATE))
        self.layout = Layout(cards=rules.kinds, copies=max(map(max, rules.copies)))
        self.layout.seer = int(kind == "seer")
        self.layout.shows_own = int(kind in ("own-hand", STATE))
        self.sections: dict[str, slice] = {}
        """The slice of each section, by name, in order."""
        for name, size in _sizes(rules, kind):
            self.sections[name] = slice(self.layout.length, self.layout.length + size)
            if name in Layout.fields:
                setattr(self.layout, name, self.layout.length)
            self.layout.length += size
        if kind == "features":
            self.layout.features = self.sections["playable"].start
        if kind != "minimal":
            self.layout.known = rules.kinds + rules.suits + rules.ranks
        fits = 8 <= self.layout.known <= BITS
        self.layout.plain = int(kind in ("canonical", "sad") and not rules.special_hints and fits)
        place = self.layout.discards
        for card in range(rules.kinds):
            suit, rank = divmod(card, rules.ranks)
            self.layout.discards_of[card] = place
            place += rules.copies[suit][rank]
            self.layout.suit_named[card] = rules.kinds + suit
            self.layout.rank_named[card] = rules.kinds + rules.suits + rank

    @property
    def length(self) -> int:
        """The number of entries of an observation."""
        return self.layout.length

    def encode(
        self,
        game: State | WithEvents,
        player: int | None = None,
        out: NDArray[np.generic] | None = None,
        *,
        last: Event | None = None,
        greedy: Event | None = None,
    ) -> NDArray[Any]:
        """Return what a player observes; by default, the player to move.

        `game` is a `hanabilab.Game`, or a state or a view; with the latter two, `last` is the
        previous turn, if any. `greedy` is the action that player would have taken without
        exploring, by default the action taken. `out`, if given, is overwritten and returned: a
        numeric array of the right length.
        """
        import numpy as np

        if isinstance(game, State):
            state = game
        else:
            state = game.state
            last = game.events[-1] if game.events else None
        observer = state.player if player is None else check_integer("player", player)
        if not 0 <= observer < self.rules.players:
            raise ActionError(f"unknown player {observer}; players are numbered from 0")
        if self.kind == STATE:
            observer = 0
        if (
            state.rules.players,
            state.rules.suits,
            state.rules.ranks,
            state.rules.hand_size,
            state.rules.deck_size,
        ) != (
            self.rules.players,
            self.rules.suits,
            self.rules.ranks,
            self.rules.hand_size,
            self.rules.deck_size,
        ):
            raise HanabiError("this game is not played by the rules of the encoder")
        if (self.layout.seer or self.layout.shows_own) and _hides_a_hand(state):
            raise HanabiError(f"{self.kind}: a view does not contain the player's own cards")
        entries = bytearray(self.length)
        before = no_event() if last is None else last
        encode(state, before, observer, self.layout, entries)
        encode_greedy(state, greedy or before, observer, self.layout, entries)
        vector = np.frombuffer(entries, np.uint8)
        if out is None:
            return vector
        if out.shape != vector.shape:
            raise HanabiError(f"out: the shape is {out.shape}, not {vector.shape}")
        out[:] = vector
        return out


def _hides_a_hand(state: State) -> bool:
    return any(
        count and hand == HIDDEN_HAND
        for hand, count in zip(state.hands, state.hand_count, strict=True)
    )


def _sizes(rules: Rules, kind: str) -> Iterator[tuple[str, int]]:
    """Yield the name and the length of every section, in order."""
    players, hand, cards = rules.players, rules.hand_size, rules.kinds
    if kind in ("own-hand", STATE):
        yield "own_hand", hand * cards
    yield "hands", (players - 1) * hand * cards
    yield "short_hands", players
    yield "draw_pile", rules.deck_size - players * hand
    yield "fireworks", cards
    yield "hint_tokens", (rules.hint_tokens or 0) * rules.discards_per_token
    yield "lives", rules.lives or 0
    yield "discards", rules.deck_size
    turn = {
        "last_player": players,
        "last_kind": 4,
        "last_target": players,
        "last_suit": rules.suits,
        "last_rank": rules.ranks,
        "last_touched": hand,
        "last_slot": hand,
        "last_card": cards,
        "last_result": 2,
    }
    yield from turn.items()
    if kind != "minimal":
        yield "knowledge", players * hand * (cards + rules.suits + rules.ranks)
    if kind == "sad":
        yield "greedy_action", sum(turn.values())
    if kind == "features":
        yield from _features(rules)
    if kind == STATE:
        yield "to_move", players


def _features(rules: Rules) -> Iterator[tuple[str, int]]:
    players, hand, cards = rules.players, rules.hand_size, rules.kinds
    for plane in ("playable", "dead", "critical", "unique"):
        yield plane, cards
    yield "unseen", max(map(max, rules.copies)) * cards
    yield "own_possible", hand * cards
    yield "own_sure", 3 * hand
    yield "others_status", 3 * (players - 1) * hand
