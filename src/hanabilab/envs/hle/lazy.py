"""Observations as `rl_env` writes them: dictionaries that fill themselves when they are read.

An agent reads a few entries of one observation; making all of them for all players takes longer
than the game itself.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, ValuesView
from typing import Any, SupportsIndex

from hanabilab.envs.hle.cards import Words, card_dicts, letters_of, named_dicts
from hanabilab.envs.hle.moves import move_dicts
from hanabilab.envs.hle.observation import HanabiObservation

__all__ = ["UNREAD", "ObservationDict"]


def _fireworks(seen: HanabiObservation) -> dict[str | None, int]:
    return dict(zip(letters_of(seen.shape.suits), seen.fireworks(), strict=True))


def _legal_moves(seen: HanabiObservation) -> list[Words]:
    moves = move_dicts(seen.shape)
    return [moves[number].copy() for number in seen.legal_move_numbers()]


def _observed_hands(seen: HanabiObservation) -> list[list[Words]]:
    cards = card_dicts(seen.shape.ranks)
    return [[cards[card].copy() for card in hand] for hand in seen.hands()]


def _discard_pile(seen: HanabiObservation) -> list[Words]:
    cards = card_dicts(seen.shape.ranks)
    return [cards[card].copy() for card in seen.discards]


def _card_knowledge(seen: HanabiObservation) -> list[list[Words]]:
    names = named_dicts(seen.shape.suits, seen.shape.ranks)
    return [[names[name].copy() for name in hand] for hand in seen.hints()]


ENTRIES: dict[str, Callable[[HanabiObservation], Any]] = {
    "current_player": HanabiObservation.cur_player,
    "current_player_offset": HanabiObservation.cur_player_offset,
    "life_tokens": HanabiObservation.life_tokens,
    "information_tokens": HanabiObservation.information_tokens,
    "num_players": HanabiObservation.num_players,
    "deck_size": HanabiObservation.deck_size,
    "fireworks": _fireworks,
    "legal_moves": _legal_moves,
    "legal_moves_as_int": HanabiObservation.legal_move_numbers,
    "observed_hands": _observed_hands,
    "discard_pile": _discard_pile,
    "card_knowledge": _card_knowledge,
    "vectorized": lambda seen: list(seen.vector),
    "pyhanabi": lambda seen: seen,
}
"""What an observation holds, in HLE's order, and how each entry is made."""

UNREAD = object()
BLANK = dict.fromkeys(ENTRIES, UNREAD)


class ObservationDict(dict[str, Any]):
    """A dictionary whose entries are made when they are first read.

    All keys are there from the start. Copies and pickles are plain dictionaries with everything
    in them.
    """

    __slots__ = ("_seen",)
    _seen: HanabiObservation

    @classmethod
    def of(cls, seen: HanabiObservation) -> ObservationDict:
        """Return the dictionary of what a player sees."""
        made = cls(BLANK)
        made._seen = seen
        return made

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if value is UNREAD:
            value = self[key] = ENTRIES[key](self._seen)
        return value

    def __iter__(self) -> Iterator[str]:
        """Yield the keys. Without a method of its own, Python would copy entries unread."""
        return super().__iter__()

    def _fill(self) -> None:
        for key, value in super().items():
            if value is UNREAD:
                self[key] = ENTRIES[key](self._seen)  # a key that is there already

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401  # this is `get`

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]  # dict_items is private
        self._fill()
        return super().items()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # dict_values is private
        self._fill()
        return super().values()

    def setdefault(self, key: str, default: Any = None, /) -> Any:
        self._fill()
        return super().setdefault(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        self._fill()
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
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
