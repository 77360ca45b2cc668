"""Observations derived from the deck and the turns alone, with nothing but lists and sets."""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab import Game
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY
from tests.tables import reference_of


@dataclass
class Held:
    """A card in hand and what its holder was told."""

    suit: int
    rank: int
    cards: set[tuple[int, int]]
    """What the hints allow it to be."""
    suit_told: bool = False
    rank_told: bool = False

    def seen_by_all(self) -> Held:
        """The same card, named."""
        return Held(self.suit, self.rank, {(self.suit, self.rank)}, True, True)


def one_hot(size: int, *places: int) -> list[int]:
    return [int(place in places) for place in range(size)]


def thermometer(size: int, count: int) -> list[int]:
    return [1] * count + [0] * (size - count)


class Replayed:
    """A game, replayed."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, game.rules
        self.setup = reference_of(game.deck).H
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
            hand.append(Held(suit, rank + 1, self.setup.cards()))

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
        hint = "hint_suit" if kind == HINT_SUIT else "hint_rank"
        told = {card for card in self.setup.cards() if self.setup.touches(hint, value, card)}
        for slot, card in enumerate(self.hands[player]):
            hit = (card.suit, card.rank) in told
            card.cards = card.cards & told if hit else card.cards - told
            if kind == HINT_SUIT:
                card.suit_told |= hit
            else:
                card.rank_told |= hit
            if hit:
                touched.append(slot)
        return touched

    def observation(self, kind: str, observer: int) -> list[int]:
        """What a player observes, as one of the kinds of vectors."""
        if kind == "minimal":
            return self.vector(observer, knowledge=False)
        if kind == "seer":
            return self.vector(observer, all_named=True)
        canonical = self.vector(observer)
        seats = [(observer + step) % self.rules.players for step in range(self.rules.players)]
        if kind == "sad":
            return canonical + self.last_turn(seats)
        if kind == "own-hand":
            return self.whole_hand(observer) + canonical
        if kind == "state":
            to_move = one_hot(len(seats), self.game.player)
            return self.whole_hand(0) + self.vector(0) + to_move
        return canonical + (self.features(seats) if kind == "features" else [])

    def whole_hand(self, player: int) -> list[int]:
        """The cards of a hand, c entries each."""
        hand = self.hands[player]
        slots = range(self.rules.hand_size)
        return [entry for slot in slots for entry in self.shown(hand[slot : slot + 1])]

    def features(self, seats: list[int]) -> list[int]:
        """The planes, each from its definition."""
        deck = sorted(self.setup.cards())
        fits = [card for card in deck if card[1] == self.fireworks[card[0]] + 1]
        left = {card: self.copies(card) - self.discards.count(card) for card in deck}
        dead = [card for card in deck if self.is_dead(card, left)]
        for suit, top in enumerate(self.fireworks):
            for rank in range(1, top + 1):
                left[suit, rank] -= 1
        unique = [card for card in deck if left[card] == 1]
        critical = [card for card in unique if card not in dead]
        unseen = dict(left)
        for seat in seats[1:]:
            for held in self.hands[seat]:
                unseen[held.suit, held.rank] -= 1
        entries = [int(card in plane) for plane in (fits, dead, critical, unique) for card in deck]
        for copy in range(max(map(max, self.rules.copies))):
            entries += [int(unseen[card] > copy) for card in deck]
        own = [{card for card in held.cards if unseen[card] > 0} for held in self.hands[seats[0]]]
        empty = self.rules.hand_size - len(own)
        for cards in own:
            entries += [int(card in cards) for card in deck]
        entries += [0] * (empty * len(deck))
        for cards in own:
            entries += [int(cards <= set(fits)), int(cards <= set(dead))]
            entries += [int(not cards & set(critical))]
        entries += [0] * (3 * empty)
        for seat in seats[1:]:
            for held in self.hands[seat]:
                card = held.suit, held.rank
                entries += [int(card in cards) for cards in (fits, dead, critical)]
            entries += [0] * (3 * (self.rules.hand_size - len(self.hands[seat])))
        return entries

    def copies(self, card: tuple[int, int]) -> int:
        return self.rules.copies[card[0]][card[1] - 1]

    def is_dead(self, card: tuple[int, int], left: dict[tuple[int, int], int]) -> bool:
        """Return whether it is on the fireworks, or a card before it is lost for good."""
        suit, rank = card
        top = self.fireworks[suit]
        return rank <= top or any(left[suit, below] == 0 for below in range(top + 1, rank + 1))

    def vector(
        self, observer: int, *, knowledge: bool = True, all_named: bool = False
    ) -> list[int]:
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
        parts, part = rules.discards_per_token, self.game.state.token_part
        full, left = rules.hint_tokens or 0, self.game.hint_tokens or 0
        entries += thermometer(full * parts, left * parts + part * (full > 0))
        entries += thermometer(rules.lives or 0, self.game.lives or 0)
        for suit in range(rules.suits):
            for rank in range(1, rules.ranks + 1):
                copies = rules.copies[suit][rank - 1]
                entries += thermometer(copies, self.discards.count((suit, rank)))
        entries += self.last_turn(seats)
        if knowledge:
            for seat in seats:
                hand = [card.seen_by_all() if all_named else card for card in self.hands[seat]]
                for slot in range(rules.hand_size):
                    entries += self.known(hand[slot : slot + 1])
        return entries

    def shown(self, cards: list[Held]) -> list[int]:
        places = [card.suit * self.rules.ranks + card.rank - 1 for card in cards]
        return one_hot(self.rules.max_score, *places)

    def known(self, cards: list[Held]) -> list[int]:
        rules = self.rules
        if not cards:
            return [0] * (rules.max_score + rules.suits + rules.ranks)
        (card,) = cards
        suits = {suit for suit, _ in card.cards} if card.suit_told else set()
        ranks = {rank - 1 for _, rank in card.cards} if card.rank_told else set()
        return [
            *(int(each in card.cards) for each in sorted(self.setup.cards())),
            *one_hot(rules.suits, *suits),
            *one_hot(rules.ranks, *ranks),
        ]

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
