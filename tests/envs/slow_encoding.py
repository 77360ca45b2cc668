"""Observations derived from the deck and the turns alone, with nothing but lists and sets."""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab import Game
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY


@dataclass
class Held:
    """A card in hand and what its holder was told."""

    suit: int
    rank: int
    suits: set[int]
    ranks: set[int]
    suit_told: bool = False
    rank_told: bool = False


def one_hot(size: int, *places: int) -> list[int]:
    return [int(place in places) for place in range(size)]


def thermometer(size: int, count: int) -> list[int]:
    return [1] * count + [0] * (size - count)


class Replayed:
    """A game, replayed."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, game.rules
        self.pile = list(game.deck)
        self.fireworks = [0] * self.rules.suits
        self.discards: list[tuple[int, int]] = []
        self.hands: list[list[Held]] = [[] for _ in range(self.rules.players)]
        for hand in self.hands:
            for _ in range(self.rules.hand_size):
                self.draw(hand)
        self.last: Held | None = None
        self.lit = False
        for event in game.events:
            if event.kind in (PLAY, DISCARD):
                self.put(event.player, event.slot, event.kind == PLAY)
            elif event.kind in (HINT_SUIT, HINT_RANK):
                self.touched = self.tell(event.target, event.kind, event.value)

    def draw(self, hand: list[Held]) -> None:
        if self.pile:
            suit, rank = divmod(self.pile.pop(0), self.rules.ranks)
            hand.append(
                Held(suit, rank + 1, set(range(self.rules.suits)), set(range(self.rules.ranks)))
            )

    def put(self, player: int, slot: int, play: bool) -> None:
        self.last = card = self.hands[player].pop(slot)
        self.lit = play and self.fireworks[card.suit] == card.rank - 1
        if self.lit:
            self.fireworks[card.suit] += 1
        else:
            self.discards.append((card.suit, card.rank))
        self.draw(self.hands[player])

    def tell(self, player: int, kind: int, value: int) -> list[int]:
        touched = []
        for slot, card in enumerate(self.hands[player]):
            if kind == HINT_SUIT:
                hit = card.suit == value
                card.suits = {value} if hit else card.suits - {value}
                card.suit_told |= hit
            else:
                hit = card.rank == value
                card.ranks = {value - 1} if hit else card.ranks - {value - 1}
                card.rank_told |= hit
            if hit:
                touched.append(slot)
        return touched

    def vector(self, observer: int, *, knowledge: bool = True) -> list[int]:
        """What a player observes."""
        rules, players = self.rules, self.rules.players
        seats = [(observer + step) % players for step in range(players)]
        entries: list[int] = []
        for seat in seats[1:]:
            for slot in range(rules.hand_size):
                entries += self.shown(self.hands[seat][slot : slot + 1])
        entries += [int(len(self.hands[seat]) < rules.hand_size) for seat in seats]
        entries += thermometer(rules.deck_size - players * rules.hand_size, len(self.pile))
        for top in self.fireworks:
            entries += one_hot(rules.ranks, top - 1)
        entries += thermometer(rules.hint_tokens or 0, self.game.hint_tokens or 0)
        entries += thermometer(rules.lives or 0, self.game.lives or 0)
        for suit in range(rules.suits):
            for rank in range(1, rules.ranks + 1):
                copies = rules.copies[suit][rank - 1]
                entries += thermometer(copies, self.discards.count((suit, rank)))
        entries += self.last_turn(seats)
        if knowledge:
            for seat in seats:
                for slot in range(rules.hand_size):
                    entries += self.known(self.hands[seat][slot : slot + 1])
        return entries

    def shown(self, cards: list[Held]) -> list[int]:
        places = [card.suit * self.rules.ranks + card.rank - 1 for card in cards]
        return one_hot(self.rules.max_score, *places)

    def known(self, cards: list[Held]) -> list[int]:
        rules = self.rules
        if not cards:
            return [0] * (rules.max_score + rules.suits + rules.ranks)
        (card,) = cards
        return [
            *(int(s in card.suits and r in card.ranks) for s in range(rules.suits)
              for r in range(rules.ranks)),
            *one_hot(rules.suits, card.suit if card.suit_told else -1),
            *one_hot(rules.ranks, card.rank - 1 if card.rank_told else -1),
        ]  # fmt: skip

    def last_turn(self, seats: list[int]) -> list[int]:
        rules, hand = self.rules, self.rules.hand_size
        if not self.game.events:
            return [0] * (2 * len(seats) + 4 + rules.suits + rules.ranks + 2 * hand
                          + rules.max_score + 2)  # fmt: skip
        event = self.game.events[-1]
        hint = event.kind in (HINT_SUIT, HINT_RANK)
        moved = [] if hint or not self.last or event.kind not in (PLAY, DISCARD) else [self.last]
        played = event.kind == PLAY
        order = (PLAY, DISCARD, HINT_SUIT, HINT_RANK)
        return [
            *one_hot(len(seats), seats.index(event.player)),
            *(int(event.kind == kind) for kind in order),
            *one_hot(len(seats), seats.index(event.target) if hint else -1),
            *one_hot(rules.suits, event.value if event.kind == HINT_SUIT else -1),
            *one_hot(rules.ranks, event.value - 1 if event.kind == HINT_RANK else -1),
            *one_hot(hand, *(self.touched if hint else ())),
            *one_hot(hand, event.slot if moved else -1),
            *self.shown(moved),
            int(played and self.lit),
            int(played and event.token),
        ]
