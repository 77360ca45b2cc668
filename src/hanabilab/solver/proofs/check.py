"""Find and check certificates of loss, from the deck alone.

Slow, simple and independent of the search: this is what faster proofs are compared with. What can
be checked is that a game is over, dead cards and pace, which are counted, and storage and endgames,
which are searched again (`hanabilab.solver.proofs.relaxed` says why they are sound).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanabilab.game.names import card_name, unpack_letters
from hanabilab.solver.position import Position
from hanabilab.solver.proofs.certificates import (
    Certificate,
    DeadCard,
    EndgameLoss,
    GameOver,
    PaceLoss,
    StorageLoss,
)
from hanabilab.solver.proofs.relaxed import Relaxed, endgame_lost, left_after, pooled_lost

__all__ = ["ENDGAME_DRAWS", "find_loss", "verify"]

ENDGAME_DRAWS = 12
"""How many of the last draws `find_loss` looks at for an endgame."""


def find_loss(position: Position) -> Certificate | None:
    """Return a proof that the maximum is out of reach, or None; the cheapest proofs first."""
    if position.is_over:
        return _find_over(position)
    game = Relaxed.of(position)
    for find in (_find_dead_card, _find_pace, _find_storage, _find_endgame):
        certificate = find(game)
        if certificate is not None:
            return certificate
    return None


def verify(position: Position, certificate: Certificate | Mapping[str, Any]) -> bool:
    """Does the certificate prove that the maximum cannot be reached?

    It may also be given as plain data, with cards by name or by number; only the fields that a
    check needs must be there.
    """
    if isinstance(certificate, Certificate):
        certificate = certificate.to_dict()
    name = certificate["certificate"]
    if position.is_over or name == "over":
        return name == "over" and _find_over(position) is not None
    game = Relaxed.of(position)
    match name:
        case "dead card":
            return _is_dead(game, _card(certificate["card"], game))
        case "pace":
            cards = [_card(card, game) for card in certificate["cards"]]
            turns = certificate.get("turns", game.removals - certificate["cut"])
            return _is_out_of_pace(game, certificate["cut"], cards, turns)
        case "storage":
            return pooled_lost(game) is not None
        case "endgame":
            cards = [_card(card, game) for card in certificate.get("cards", [])]
            named = not cards or cards == left_after(game, certificate["cut"])
            return named and endgame_lost(game, certificate["cut"])
    return False


def _card(card: int | str, game: Relaxed) -> int:
    """Return a card, given by its number or its name."""
    if isinstance(card, int):
        return card
    return unpack_letters(game.rules.letters).index(card[0]) * game.rules.ranks + int(card[1:]) - 1


def _names(cards: list[int], game: Relaxed) -> list[str]:
    letters = unpack_letters(game.rules.letters)
    return [card_name(card, game.rules.ranks, letters) for card in cards]


def _find_over(position: Position) -> GameOver | None:
    state = position.state
    if not position.is_over or state.score == state.rules.ranks * state.rules.suits:
        return None
    return GameOver(position.score)


def _find_dead_card(game: Relaxed) -> DeadCard | None:
    dead = _names([card for card in game.needed() if _is_dead(game, card)], game)
    return DeadCard(dead[0], cards=len(dead)) if dead else None


def _is_dead(game: Relaxed, card: int) -> bool:
    """Is this a needed card without a copy that could be played in time?"""
    return card in game.needed() and not game.draws(card)


def _find_pace(game: Relaxed) -> PaceLoss | None:
    """Look at every cut; no card may be dead."""
    first: dict[int, int] = {}
    for card in game.needed():
        below = 0 if game.is_lowest(card) else first[card - 1]
        first[card] = max(below, min(game.draws(card)))
    for cut in range(len(game.pile) + 1):
        cards = [card for card, draws in first.items() if draws >= cut]
        if len(cards) > game.removals - cut:
            return PaceLoss(
                cut=cut,
                remaining=len(game.pile) - cut,
                cards=_names(cards, game),
                turns=game.removals - cut,
            )
    return None


def _is_out_of_pace(game: Relaxed, cut: int, cards: list[int], turns: int) -> bool:
    """Are these more cards than there are turns after the cut?

    A card that needs `cut` draws, or stands above one that does, can be played by removal
    `cut + 1` at the earliest. Each removal plays one card, so `removals - cut` such cards can be
    played at most.
    """
    if not 0 <= cut <= len(game.pile) or turns < game.removals - cut:
        return False
    needed = game.needed()
    for card in cards:
        lower = [other for other in needed if 0 <= card - other <= card % game.rules.ranks]
        if card not in needed or not any(_comes_late(game, other, cut) for other in lower):
            return False
    return len(set(cards)) > turns


def _comes_late(game: Relaxed, card: int, cut: int) -> bool:
    """Is no copy of the card there before draw `cut`?"""
    return all(draws >= cut for draws in game.draws(card))


def _find_storage(game: Relaxed) -> StorageLoss | None:
    positions = pooled_lost(game)
    if positions is None:
        return None
    return StorageLoss(sum(map(len, game.hands)), positions)


def _find_endgame(game: Relaxed) -> EndgameLoss | None:
    """Try the last draws first: the later the cut, the shorter the proof."""
    draws = len(game.pile)
    for cut in range(max(1, draws) - 1, max(0, draws - ENDGAME_DRAWS) - 1, -1):
        if endgame_lost(game, cut):
            tokens = game.tokens if cut == 0 else game.rules.max_hint_tokens
            return EndgameLoss(
                cut=cut,
                remaining=draws - cut,
                cards=_names(left_after(game, cut), game),
                turns=game.removals - cut,
                hint_tokens=None if game.rules.unlimited_hints else tokens,
            )
    return None
