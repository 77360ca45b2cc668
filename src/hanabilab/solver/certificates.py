"""Results of a search: decisions, and certificates of why the maximum cannot be reached."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hanabilab.core.bits import popcount
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import State
from hanabilab.solver.position import Position

__all__ = [
    "Certificate",
    "DeadCard",
    "Decision",
    "EndgameLoss",
    "EveryOrder",
    "ExhaustedSearch",
    "GameOver",
    "PaceLoss",
    "StorageLoss",
    "Unsatisfiable",
    "dead_card",
    "endgame_loss",
    "pace_loss",
]


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why the maximum cannot be reached; `str` returns it in words."""

    name: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain data."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"certificate": self.name, **fields}


@dataclass(frozen=True, slots=True)
class GameOver(Certificate):
    """The game has ended below the maximum."""

    name: ClassVar[str] = "over"
    score: int

    def __str__(self) -> str:
        return f"the game is over with {self.score} points"


@dataclass(frozen=True, slots=True)
class DeadCard(Certificate):
    """A needed card has no copy left, or its only copy is the very last card of the deck."""

    name: ClassVar[str] = "dead card"
    card: str
    cards: int
    """The number of cards that cannot be played."""

    def __str__(self) -> str:
        return f"{self.card} can never be played any more"


@dataclass(frozen=True, slots=True)
class PaceLoss(Certificate):
    """After some draw more cards are left to play than there are turns."""

    name: ClassVar[str] = "pace"
    cut: int
    """The number of cards drawn up to the cut."""
    remaining: int
    """The number of cards drawn after the cut."""
    cards: list[str]
    """The cards that cannot be played before the cut."""
    turns: int
    """The turns after the cut."""

    def __str__(self) -> str:
        return (
            f"pace: {len(self.cards)} cards ({' '.join(self.cards)}) cannot be played before "
            f"{self.remaining} cards remain, and then only {self.turns} can"
        )


@dataclass(frozen=True, slots=True)
class StorageLoss(Certificate):
    """Even with all hands pooled, needed cards must be thrown away."""

    name: ClassVar[str] = "storage"
    room: int
    """The number of cards in all hands."""
    positions: int
    """The number of positions of the pooled game that were searched."""

    def __str__(self) -> str:
        return f"storage: {self.room} places in all hands are not enough, however they are divided"


@dataclass(frozen=True, slots=True)
class EndgameLoss(Certificate):
    """The last draws and the last round cannot be divided among the players."""

    name: ClassVar[str] = "endgame"
    cut: int
    remaining: int
    cards: list[str]
    turns: int
    hint_tokens: int | None
    """The largest possible number of hint tokens at the cut; None if they are unlimited."""

    def __str__(self) -> str:
        tokens = "any number of" if self.hint_tokens is None else self.hint_tokens
        return (
            f"endgame: {len(self.cards)} cards ({' '.join(self.cards)}) cannot be played before "
            f"{self.remaining} cards remain, and then not by the players in turn, however the "
            f"earlier draws are divided, with {tokens} hint tokens for passes"
        )


@dataclass(frozen=True, slots=True)
class ExhaustedSearch(Certificate):
    """Every line was searched."""

    name: ClassVar[str] = "exhausted search"
    positions: int

    def __str__(self) -> str:
        return f"all lines were searched ({self.positions:,} positions)"


@dataclass(frozen=True, slots=True)
class EveryOrder(Certificate):
    """Fireworks can be built in several orders, and the game is lost in each of them."""

    name: ClassVar[str] = "every order"
    orders: int
    reasons: dict[str, int]
    """For each certificate, the number of orders for which it proves the loss."""

    @classmethod
    def of(cls, reasons: Sequence[Certificate]) -> EveryOrder:
        """Return the certificate of the losses with all orders."""
        return cls(len(reasons), dict(Counter(reason.name for reason in reasons).most_common()))

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {count}" for name, count in self.reasons.items())
        return f"all {self.orders} orders of the fireworks are lost ({parts})"


@dataclass(frozen=True, slots=True)
class Unsatisfiable(Certificate):
    """A SAT solver found no line."""

    name: ClassVar[str] = "unsatisfiable"
    variables: int
    clauses: int

    def __str__(self) -> str:
        return f"no line satisfies the rules ({self.clauses:,} clauses)"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether some cards can all be played, or a score reached, and how that was decided."""

    reachable: bool | None
    """None if undecided."""
    actions: tuple[int, ...] = ()
    """The line that reaches it."""
    reason: Certificate | None = None
    """Why it cannot be reached."""
    method: str = "none"
    nodes: int = 0
    """Positions that were searched."""

    def then(self, later: Decision) -> Decision:
        """Return a later decision on the same question, with the positions of both added up."""
        return dataclasses.replace(later, nodes=self.nodes + later.nodes)


def dead_card(state: State) -> DeadCard:
    """Name the first needed card that has no copy left."""
    unreachable = state.dead & ~state.played
    card = (unreachable & -unreachable).bit_length() - 1
    name = names_of_cards(state.rules).card(card)
    return DeadCard(name, cards=popcount(unreachable))


def pace_loss(position: Position, cut: int, excluded: int) -> PaceLoss | DeadCard:
    """Return the cards that come too late for a cut; beyond the end, those that never come."""
    state = position.state
    late = _late_cards(position, cut, excluded)
    if cut > state.rules.deck_size:
        return DeadCard(late[0], cards=len(late))
    remaining = state.rules.deck_size - cut
    return PaceLoss(
        cut=state.draw_pile - remaining,
        remaining=remaining,
        cards=late,
        turns=state.turns_left if state.turns_left >= 0 else remaining + state.rules.players,
    )


def endgame_loss(position: Position, cut: int, excluded: int) -> EndgameLoss:
    """Return the cards that cannot be divided after a cut, and the largest number of tokens."""
    state = position.state
    remaining = state.rules.deck_size - cut
    tokens = state.hint_tokens if remaining == state.draw_pile else state.rules.max_hint_tokens
    return EndgameLoss(
        cut=state.draw_pile - remaining,
        remaining=remaining,
        cards=_late_cards(position, cut, excluded, each_a_removal=True),
        turns=remaining + state.rules.players,
        hint_tokens=None if state.rules.unlimited_hints else tokens,
    )


def _late_cards(
    position: Position, cut: int, excluded: int, *, each_a_removal: bool = False
) -> list[str]:
    """Return the needed cards that cannot be played before `cut` cards of the deck are drawn.

    With `each_a_removal` also those that are drawn in time but must wait for the cards below them.
    """
    state = position.state
    names = names_of_cards(state.rules)
    drawn = state.rules.deck_size - state.draw_pile
    held = {card for hand in position.hands for card in hand}
    rest = position.draw_pile
    done = state.played | excluded
    late = []
    for suit in range(state.rules.suits):
        draws = drawn - each_a_removal
        for rank in range(state.rules.ranks):
            card = suit * state.rules.ranks + rank
            if done >> card & 1:
                continue
            draws += each_a_removal
            if card not in held:
                place = drawn + rest.index(card) + 1 if card in rest else state.rules.deck_size + 1
                draws = max(draws, place)
                more = rank + 1 < state.rules.ranks and not done >> (card + 1) & 1
                if draws == state.rules.deck_size and more:
                    draws += 1
            if draws >= cut:
                late.append(names.card(card))
    return late
