"""How players, slots and cards are called: by numbers for tools, by names for people at a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanabilab.game.names import card_name, card_words, suit_words

__all__ = ["NUMBERED", "Speech", "in_a_row"]


@dataclass(frozen=True, slots=True)
class Speech:
    """What everything is called.

    With names it is the language of a page: players by name, cards in words, and the newest card
    is slot 1. Without them it is that of the command line, JSON and Python: player 0, g3, and the
    oldest card is slot 0.
    """

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Sequence[str]) -> Speech:
        """Return the speech that calls players by these names; “you” is the reader."""
        return cls(tuple(names))

    def player(self, player: int) -> str:
        """Return the name of a player."""
        return self.names[player] if self.names else f"player {player}"

    def does(self, player: int, verb: str) -> str:
        """Return who does something: “Bob plays”, “you play”, “Bob passes”."""
        name = self.player(player)
        if name == "you":
            return f"{name} {verb}"
        return f"{name} {verb}{'es' if verb.endswith('s') else 's'}"

    def slot(self, slot: int, count: int) -> int:
        """Return the number of a slot in a hand of `count` cards."""
        return count - slot if self.names else slot

    def slots(self, slots: Sequence[int], count: int) -> str:
        """Return several slots in words: “slots 1 and 3”, “no card”."""
        said = sorted(self.slot(slot, count) for slot in slots)
        if not said:
            return "no card"
        numbers = in_a_row(list(map(str, said))) if self.names else " ".join(map(str, said))
        return f"slot{'s' * (len(said) > 1)} {numbers}"

    def card(self, card: int, ranks: int, letters: str) -> str:
        """Return a card: “green 3”, or g3."""
        return (card_words if self.names else card_name)(card, ranks, letters)

    def suit(self, suit: int, letters: str) -> str:
        """Return a suit as a hint names it: “red”, or suit r."""
        return suit_words(suit, letters) if self.names else f"suit {letters[suit]}"


NUMBERED = Speech()


def in_a_row(parts: Sequence[str]) -> str:
    """Return a list in words: a, b and c."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
