"""Observations in `rl_env`'s format: dictionaries whose entries are created when they are read.

An agent reads a few entries of one observation. Creating all of them for all players would take
longer than the game itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, ItemsView, Iterator, Sequence, ValuesView
from typing import Any, NamedTuple, SupportsIndex

from hanabilab.envs.hle.cards import CACHE_SIZE, JsonDict, card_dicts, letters_of, named_dicts
from hanabilab.envs.hle.moves import Shape, move_dicts
from hanabilab.envs.hle.observation import Digest, HanabiObservation, digest_of
from hanabilab.envs.stepper import EMPTY

__all__ = ["UNREAD", "ObservationDict"]


class Vocabulary(NamedTuple):
    """The dictionaries that `rl_env` writes in games of one shape, to be copied before use."""

    cards: tuple[JsonDict, ...]
    names: tuple[JsonDict, ...]
    """The dictionaries of what hints can name."""
    moves: tuple[JsonDict, ...]
    digest: Digest
    """The layout of the digest in a row."""


@functools.cache
def vocabulary(shape: Shape) -> Vocabulary:
    """Return the dictionaries for all games of a shape."""
    return Vocabulary(
        card_dicts(shape.ranks),
        named_dicts(shape.suits, shape.ranks),
        move_dicts(shape),
        digest_of(shape),
    )


@functools.lru_cache(CACHE_SIZE)
def firework_dict(ranks: bytes) -> dict[str | None, int]:
    """Return the highest rank of each suit, to be copied before use."""
    return dict(zip(letters_of(len(ranks)), ranks, strict=True))


def _hands(slots: bytes, words: Sequence[JsonDict], hands: Sequence[slice]) -> list[list[JsonDict]]:
    """Return the dictionaries of all slots, hand by hand."""
    if EMPTY in slots:
        return [[words[slot].copy() for slot in slots[hand] if slot != EMPTY] for hand in hands]
    made = [words[slot].copy() for slot in slots]  # at once, which is quicker
    return [made[hand] for hand in hands]


def write_every_entry(seen: HanabiObservation, out: dict[str, Any]) -> None:
    """Write all entries of an observation, in HLE's order."""
    cards, names, moves, (vector, held, named, fireworks, hands) = vocabulary(seen.shape)
    row, players = seen.row, seen.shape.players
    observer, tokens, lives, deck = seen.counts()
    acting, legal = seen.acting, [*seen.legal]
    out["current_player"] = acting
    out["current_player_offset"] = (acting - observer) % players if acting >= 0 else acting
    out["life_tokens"] = lives
    out["information_tokens"] = tokens
    out["num_players"] = players
    out["deck_size"] = deck
    out["fireworks"] = firework_dict(row[fireworks]).copy()
    out["legal_moves"] = [moves[number].copy() for number in legal]
    out["legal_moves_as_int"] = legal
    out["observed_hands"] = _hands(row[held], cards, hands)
    out["discard_pile"] = [cards[card].copy() for card in seen.discards]
    out["card_knowledge"] = _hands(row[named], names, hands)
    out["vectorized"] = [*row[vector]]
    out["pyhanabi"] = seen


def _legal_moves(seen: HanabiObservation) -> list[JsonDict]:
    moves = vocabulary(seen.shape).moves
    return [moves[number].copy() for number in seen.legal_move_numbers()]


def _observed_hands(seen: HanabiObservation) -> list[list[JsonDict]]:
    known = vocabulary(seen.shape)
    return _hands(seen.row[known.digest.cards], known.cards, known.digest.hands)


def _discard_pile(seen: HanabiObservation) -> list[JsonDict]:
    cards = vocabulary(seen.shape).cards
    return [cards[card].copy() for card in seen.discards]


def _card_knowledge(seen: HanabiObservation) -> list[list[JsonDict]]:
    known = vocabulary(seen.shape)
    return _hands(seen.row[known.digest.names], known.names, known.digest.hands)


ENTRIES: dict[str, Callable[[HanabiObservation], Any]] = {
    "current_player": HanabiObservation.cur_player,
    "current_player_offset": HanabiObservation.cur_player_offset,
    "life_tokens": HanabiObservation.life_tokens,
    "information_tokens": HanabiObservation.information_tokens,
    "num_players": HanabiObservation.num_players,
    "deck_size": HanabiObservation.deck_size,
    "fireworks": lambda seen: firework_dict(bytes(seen.fireworks())).copy(),
    "legal_moves": _legal_moves,
    "legal_moves_as_int": HanabiObservation.legal_move_numbers,
    "observed_hands": _observed_hands,
    "discard_pile": _discard_pile,
    "card_knowledge": _card_knowledge,
    "vectorized": lambda seen: list(seen.vector),
    "pyhanabi": lambda seen: seen,
}
"""The function that creates each of these entries on its own."""

UNREAD = object()
BLANK = dict.fromkeys(ENTRIES, UNREAD)
ALL_UNREAD = list(BLANK.values())


class ObservationDict(dict[str, Any]):
    """A dictionary whose entries are created when they are first read.

    All keys exist from the start. Copies and pickles are plain dictionaries with all entries.
    """

    __slots__ = ("_seen",)
    _seen: HanabiObservation

    @classmethod
    def of(cls, seen: HanabiObservation) -> ObservationDict:
        """Return the dictionary of a player's observation."""
        made = cls(BLANK)
        made._seen = seen
        return made

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if value is UNREAD:
            value = self[key] = ENTRIES[key](self._seen)
        return value

    def __iter__(self) -> Iterator[str]:
        """Yield the keys. Without this method, Python would copy entries not yet created."""
        return super().__iter__()

    def _fill(self) -> None:
        if [*dict.values(self)] == ALL_UNREAD:  # so there are no other entries either
            write_every_entry(self._seen, self)
            return
        for key, value in super().items():
            if value is UNREAD:
                self[key] = ENTRIES[key](self._seen)  # a key that is there already

    def get(self, key: str, default: Any = None) -> Any:
        """Return an entry, or a default if there is no such key."""
        return self[key] if key in self else default  # noqa: SIM401  # this is `get`

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]  # dict_items is private
        """Return all entries."""
        self._fill()
        return super().items()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # dict_values is private
        """Return the values of all entries."""
        self._fill()
        return dict.values(self)

    def setdefault(self, key: str, default: Any = None, /) -> Any:
        """Return an entry; add it if there is no such key."""
        self._fill()
        return super().setdefault(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        """Remove an entry and return its value."""
        self._fill()
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        """Remove the last entry and return it."""
        self._fill()
        return super().popitem()

    def __eq__(self, other: object) -> bool:
        return self.copy() == (other.copy() if isinstance(other, ObservationDict) else other)

    __hash__ = None  # like every dictionary

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return repr(self.copy())

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return dict, (self.copy(),)
