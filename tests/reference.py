"""A second engine, slow and simple, to compare the first one with.

A literal transcription of (van den Bergh 2015, Algorithm 2.16) with the switches on which the
papers differ, in lists, sets and tuples. It shares no code with the package. A card is a pair
(suit from 0, rank from 1); an action is a tuple such as ``("hint_rank", target, rank)``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

Card = tuple[int, int]
Action = tuple[str, int] | tuple[str, int, int]

PASS: Action = ("pass", 0)
START = 7
"""The rank of start cards."""

ALL_COLOURS, NO_COLOURS = {"rainbow", "omni", "muddy-rainbow"}, {"white", "null", "light-pink"}
ALL_RANKS, NO_RANKS = {"pink", "omni", "light-pink"}, {"brown", "null", "muddy-rainbow"}


@dataclass
class Setup:
    """A game H = (n, k, p, h, S0, t0, f0) of Definition 2.9, and the switches."""

    ranks: int
    suits: int
    players: int
    hand_size: int
    stack: list[Card]
    tokens: float
    lives: float
    empty_hints: bool = False
    token_for_suit: bool = True
    discard_at_full: bool = False
    keep_score: bool = False
    keep_on_last_turn: bool = False
    deck_ends: bool = True
    open_game: bool = False
    touching: tuple[str, ...] = ()
    """What kind each suit is, where not all are plain; `pink+r`: a pink suit touched by r."""
    rank_touching: tuple[str, ...] = ()
    """What kind each rank is, where not all are plain."""
    colours: str = ""
    """What suit hints name, where suits share them."""
    suit_hints: str = "usual"
    rank_hints: str = "usual"
    parts: int = 1
    """Discards or completed suits for one token."""
    first: int = 0
    deck_plays: bool = False
    all_or_nothing: bool = False
    score_ends: bool = False
    speedrun: bool = False
    alternating_hints: bool = False
    inverted: set[int] = field(default_factory=set)
    """Suits in which playing and discarding are exchanged."""
    reversed: set[int] = field(default_factory=set)
    """Suits that are played from the highest rank down."""

    stacks: str = "usual"
    hidden_plays: bool = False
    hints_tell: str = "all"

    def order(self, suit: int) -> list[int]:
        """The ranks of a suit in the order in which they are played."""
        if self.stacks == "up-or-down":
            return [1, 2, 3, 4, 5, START]
        ranks = list(range(1, self.ranks + 1))
        return ranks[::-1] if suit in self.reversed else ranks

    def kind(self, suit: int) -> str:
        """The kind of a suit."""
        return self.touching[suit].partition("+")[0] if self.touching else "plain"

    def rank_kind(self, rank: int) -> str:
        """The kind of a rank."""
        if self.stacks == "up-or-down" and rank == START:
            return self.rank_touching[-1] if self.rank_touching else "plain"
        return self.rank_touching[rank - 1] if self.rank_touching else "plain"

    def colour_names(self) -> list[int]:
        """The values that suit hints have."""
        if self.colours:
            return list(range(len(self.colours)))
        without = {*ALL_COLOURS, *NO_COLOURS, "prism"}
        return [suit for suit in range(self.suits) if self.kind(suit) not in without]

    def touches(self, hint: str, value: int, card: Card) -> bool:
        """Return whether a suit hint or a rank hint points out this card."""
        return self.by_rank(value, card) if hint == "hint_rank" else self.by_colour(value, card)

    def by_rank(self, value: int, card: Card) -> bool:
        """Does a rank hint touch it? The kind of its suit decides before that of its rank."""
        if self.rank_hints == "blind":
            return False
        for kind in (self.kind(card[0]), self.rank_kind(card[1])):
            if kind in ALL_RANKS or kind in NO_RANKS:
                return kind in ALL_RANKS
        if card[1] == START and self.stacks == "up-or-down":
            return False
        if self.rank_kind(card[1]) == "deceptive":
            names = [each for each in range(1, self.ranks + 1) if self.exists(("hint_rank", each))]
            return bool(names) and names[card[0] % len(names)] == value
        return {
            "odds-and-evens": card[1] % 2 == value % 2,
            "funnels": card[1] <= value,
            "chimneys": card[1] >= value,
        }.get(self.rank_hints, card[1] == value)

    def by_colour(self, value: int, card: Card) -> bool:
        """Does a suit hint touch it? The kind of its suit decides before that of its rank."""
        suit, rank = card
        if self.suit_hints == "blind":
            return False
        if self.kind(suit) in ALL_COLOURS | NO_COLOURS:
            return self.kind(suit) in ALL_COLOURS
        names = self.colour_names()
        turn = -1 if rank == START and self.stacks == "up-or-down" else rank - 1
        by_turns = bool(names) and names[turn % len(names)] == value
        if by_turns and self.suit_hints == "synesthesia" and self.kind(suit) not in NO_RANKS:
            return True
        if self.rank_kind(rank) in ALL_COLOURS | NO_COLOURS:
            return self.rank_kind(rank) in ALL_COLOURS
        if self.kind(suit) == "prism":
            return by_turns
        if self.colours:
            return self.colours[value : value + 1] in self.touching[suit].split("+")[-1]
        return suit == value

    def exists(self, action: Action) -> bool:
        """Is there such a hint? What all such hints touch, or none, has none of its own."""
        if action[0] == "hint_suit":
            return self.suit_hints != "mute" and action[-1] in self.colour_names()
        if self.rank_hints == "odds-and-evens":
            return action[-1] <= 2
        if self.stacks == "up-or-down" and action[-1] == 6:
            return False
        kind = self.rank_kind(action[-1])
        return self.rank_hints != "mute" and kind not in {*ALL_RANKS, *NO_RANKS, "deceptive"}

    def may_be_empty(self, action: Action) -> bool:
        """Return whether this hint may touch nothing."""
        mode = self.suit_hints if action[0] == "hint_suit" else self.rank_hints
        return self.empty_hints or mode == "blind"

    def cards(self) -> set[Card]:
        """Cards(H)."""
        return {(x, y) for x in range(self.suits) for y in self.order(x)}

    def height(self) -> int:
        """The number of cards of a complete firework."""
        return 5 if self.stacks == "up-or-down" else self.ranks


@dataclass
class Happening:
    """What everyone sees of a turn."""

    card: Card | None = None
    lit: bool = False
    token: bool = False
    drew: bool = False
    touched: list[int] = field(default_factory=list)


class Reference:
    """A game in progress; the names are those of the algorithm."""

    def __init__(self, setup: Setup) -> None:
        self.H = setup
        self.S = list(setup.stack)
        self.D: list[Card] = []
        self.F: list[list[int]] = [[] for _ in range(setup.suits)]
        self.P: list[list[Card]] = [[] for _ in range(setup.players)]
        for hand in self.P:
            for _ in range(setup.hand_size):
                hand.append(self.S.pop(0))
        self.K = [[setup.cards() for _ in hand] for hand in self.P]
        self.hinted: list[list[set[str]]] = [[set() for _ in hand] for hand in self.P]
        self.t: float = setup.tokens
        self.f = 0
        self.C, self.turn = setup.first, 0
        self.part = 0
        self.last_hint = ""
        self.hole: list[Card] = []
        """Misplayed cards that nobody saw."""
        self.R: float = math.inf
        self.end: str | None = None
        self.look_at_stack()

    # Step 2: actions.

    def actions(self) -> list[Action]:
        """The set A of all actions, legal or not, in the order of their numbers."""
        slots = range(self.H.hand_size)
        every: list[Action] = [("discard", slot) for slot in slots]
        every += [("play", slot) for slot in slots]
        deck: list[Action] = [("play", self.H.hand_size)] if self.H.deck_plays else []
        if self.H.deck_plays and self.H.inverted:
            deck.append(("discard", self.H.hand_size))
        if self.H.open_game:
            return [*every, PASS, *deck]
        others = [(self.C + offset) % self.H.players for offset in range(1, self.H.players)]
        for other in others:
            every += [("hint_suit", other, suit) for suit in range(self.H.suits)]
        for other in others:
            every += [("hint_rank", other, rank) for rank in range(1, self.H.ranks + 1)]
        return [*every, *deck]

    def is_legal(self, action: Action) -> bool:
        """Return whether player C may do this."""
        if self.end is not None:
            return False
        if action in (("play", self.H.hand_size), ("discard", self.H.hand_size)):
            allowed = self.H.deck_plays and (action[0] == "play" or bool(self.H.inverted))
            return allowed and len(self.S) == 1
        if action[0] == "play":
            return action[1] < len(self.P[self.C])
        if action[0] == "discard":
            return action[1] < len(self.P[self.C]) and self.may_discard()
        if self.t < 1:
            return False
        if action == PASS:
            return self.H.open_game
        if not self.H.exists(action):
            return False
        if self.H.alternating_hints and action[0] == self.last_hint:
            return False
        return self.H.may_be_empty(action) or len(self.touched(action)) > 0

    def may_discard(self) -> bool:
        """The ban on discarding with all tokens; no ban where tokens do not count."""
        counted = 0 < self.H.tokens < math.inf
        return self.H.discard_at_full or not counted or self.t < self.H.tokens

    def touched(self, action: Action) -> list[int]:
        """The slots that a hint points out."""
        kind, target, value = (*action, 0)[:3]
        hand = self.P[target]
        return [slot for slot, card in enumerate(hand) if self.H.touches(kind, value, card)]

    def move(self, action: Action) -> Happening:
        """Steps 2 and 3."""
        assert self.is_legal(action)
        happening = Happening()
        if action[0] in ("play", "discard"):
            self.part_with(action, happening)
        else:
            self.hint(action, happening)
        self.turn += 1
        self.C = (self.C + 1) % self.H.players
        if self.R > 0:
            self.R -= 1
        self.step_3()
        return happening

    def part_with(self, action: Action, happening: Happening) -> None:
        """Play or discard a card; in inverted suits each has the effect of the other."""
        hand = self.P[self.C]
        card = self.S[0] if action[1] == self.H.hand_size else hand[action[1]]
        if (action[0] == "play") != (card[0] in self.H.inverted):
            self.play(action[1], happening)
        else:
            self.discard(action[1], happening)

    def hint(self, action: Action, happening: Happening) -> None:
        """Step 2a."""
        self.t -= 1
        if action == PASS:
            return
        self.last_hint = action[0]
        kind, target, value = (*action, 0)[:3]
        happening.touched = self.touched(action)
        kinds = ["hint_suit", "hint_rank"] if self.H.hints_tell == "cards" else [kind]
        worlds = [self.told(kind, value)]
        if self.H.hints_tell != "all":
            named = {"hint_suit": range(self.H.suits), "hint_rank": range(1, self.H.ranks + 1)}
            every = [(each, target, name) for each in kinds for name in named[each]]
            worlds = [self.told(*each[::2]) for each in every if self.H.exists(each)]
            worlds = [world for world in worlds if self.fits_hand(target, happening.touched, world)]
        for slot, known in enumerate(self.K[target]):
            touched = slot in happening.touched
            known &= {c for world in worlds for c in self.H.cards() if (c in world) == touched}
            self.hinted[target][slot].update(kinds if touched else [])

    def told(self, kind: str, value: int) -> set[Card]:
        """The cards that a hint points out."""
        return {card for card in self.H.cards() if self.H.touches(kind, value, card)}

    def fits_hand(self, target: int, touched: list[int], world: set[Card]) -> bool:
        """Whether a hint for these cards could have touched just these slots."""
        return all(
            known & world if slot in touched else known - world
            for slot, known in enumerate(self.K[target])
        )

    def discard(self, slot: int, happening: Happening) -> None:
        """Step 2b."""
        self.D.append(self.take(slot, happening))
        self.regain(happening)

    def regain(self, happening: Happening) -> None:
        """A token comes back, or a part of it, unless all are there."""
        if self.t < self.H.tokens:
            self.part += 1
        if self.part == self.H.parts:
            self.part = 0
            self.t += 1
            happening.token = True

    def play(self, slot: int, happening: Happening) -> None:
        """Step 2c."""
        a = self.take(slot, happening)
        suit, rank = a
        if a in self.playable():
            self.F[suit].append(rank)
            happening.lit = True
            if self.H.token_for_suit and len(self.F[suit]) == self.H.height():
                self.regain(happening)
        else:
            self.D.append(a)
            if self.H.hidden_plays:
                self.hole.append(a)
            self.f += 1
            if self.f == self.H.lives:
                self.R = -1

    def take(self, slot: int, happening: Happening) -> Card:
        """Take a card out of the hand of player C; the next one of the stack comes last.

        The last card of the stack may be taken from there.
        """
        if slot == self.H.hand_size:
            happening.card = self.S.pop(0)
            return happening.card
        happening.card = self.P[self.C].pop(slot)
        self.K[self.C].pop(slot)
        self.hinted[self.C].pop(slot)
        if self.S:
            self.P[self.C].append(self.S.pop(0))
            self.K[self.C].append(self.H.cards())
            self.hinted[self.C].append(set())
            happening.drew = True
        return happening.card

    def step_3(self) -> None:
        """Return whether the game ends."""
        if self.R == -1:
            self.end = "lives"
        elif self.is_out_of_reach():
            self.end = "out of reach"
        elif sum(map(len, self.F)) == self.H.height() * self.H.suits:
            self.end = "perfect"
        elif self.R == 0:
            self.end = "deck"
        elif self.H.score_ends and not self.can_rise():
            self.end = "no more points"
        self.look_at_stack()

    def is_out_of_reach(self) -> bool:
        """Return whether the maximum is out of reach, where nothing else counts."""
        lost = self.best() < self.H.height() * self.H.suits
        if lost and (self.H.all_or_nothing or self.H.speedrun):
            return True
        return self.H.all_or_nothing and self.is_stuck()

    def is_stuck(self) -> bool:
        """Is there nothing that the next player may do? At the site that counts even at the end."""
        if sum(map(len, self.F)) == self.H.height() * self.H.suits:
            return self.H.score_ends and not self.P[self.C] and self.t < 1
        return not any(self.is_legal(action) for action in self.actions())

    def can_rise(self) -> bool:
        """Return whether a card that fits is in the stack, or with somebody who has a turn left."""
        turns = self.H.players if math.isinf(self.R) else int(self.R)
        hands = [self.P[(self.C + offset) % self.H.players] for offset in range(turns)]
        return not self.playable().isdisjoint([*self.S, *(card for hand in hands for card in hand)])

    def look_at_stack(self) -> None:
        """The end of step 3; without that rule, whoever cannot act is passed over."""
        if self.end is not None or self.S:
            return
        if self.H.deck_ends:
            if math.isinf(self.R):
                self.R = self.H.players
        elif self.H.all_or_nothing:
            return
        elif not any(self.P):
            self.end = "deck"
        else:
            while not any(self.is_legal(action) for action in self.actions()):
                self.C = (self.C + 1) % self.H.players

    # What follows from the table.

    def score(self) -> int:
        """What the game counts if it stands like this."""
        if self.end == "out of reach" or (self.H.all_or_nothing and self.end != "perfect"):
            return 0
        spared = self.H.keep_on_last_turn and self.R == 0
        if self.f == self.H.lives and not (self.H.keep_score or spared):
            return 0
        return sum(map(len, self.F))

    def left(self, card: Card) -> int:
        """Copies neither discarded nor played."""
        gone = self.D.count(card) + (card[1] in self.F[card[0]])
        return self.H.stack.count(card) - gone

    def playable(self) -> set[Card]:
        """What fits now."""
        return {(x, y) for x in range(self.H.suits) for y in self.fits(x, self.F[x])}

    def fits(self, suit: int, row: list[int]) -> list[int]:
        """The ranks that fit on a firework on which this row was played."""
        if len(row) == self.H.height():
            return []
        if self.H.stacks == "usual":
            return [self.H.order(suit)[len(row)]]
        if self.H.stacks == "sudoku":
            others = [each[0] for each in self.F if each]
            free = [rank for rank in range(1, self.H.ranks + 1) if rank not in others]
            return [row[-1] % self.H.ranks + 1] if row else free
        if not row:
            return [1, 5, START]
        if row == [START]:
            return [2, 4]
        upwards = row[0] == 1 or row[:2] == [START, 2]
        return [row[-1] + 1] if upwards else [row[-1] - 1]

    def rows(self, suit: int, row: list[int]) -> list[list[int]]:
        """All rows that a firework can still become, by the copies that are left."""
        longer = [row]
        for rank in self.fits(suit, row):
            if self.left((suit, rank)) > 0:
                longer += self.rows(suit, [*row, rank])
        return longer

    def best(self) -> int:
        """The highest score that is still possible."""
        most = []
        for suit in range(self.H.suits):
            starts: dict[int, int] = {}
            for row in self.rows(suit, self.F[suit]):
                first = row[0] if row else 0
                starts[first] = max(starts.get(first, 0), len(row))
            most.append(starts)
        if self.H.stacks != "sudoku":
            return sum(max(starts.values()) for starts in most)
        taken = {row[0] for row in self.F if row}
        open_suits = [x for x, row in enumerate(self.F) if not row]
        free = [rank for rank in range(1, self.H.ranks + 1) if rank not in taken]
        begun = sum(max(starts.values()) for x, starts in enumerate(most) if x not in open_suits)
        return begun + max(
            sum(most[x].get(rank, 0) for x, rank in zip(open_suits, chosen, strict=True))
            for chosen in itertools.permutations(free, len(open_suits))
        )

    def dead(self) -> set[Card]:
        """What can not be played any more."""
        alive = {
            (x, y)
            for x, row in enumerate(self.F)
            for longer in self.rows(x, row)
            for y in longer[len(row) :]
        }
        return self.H.cards() - alive

    def unique(self) -> set[Card]:
        """What has exactly one copy left."""
        return {card for card in self.H.cards() if self.left(card) == 1}

    def critical(self) -> set[Card]:
        """The last copies of what is still needed."""
        last = self.unique() - self.dead()
        if self.H.stacks != "up-or-down":
            return last
        return {card for card in last if self.costs(card)}

    def costs(self, card: Card) -> bool:
        """Whether losing this card lowers the highest possible score."""
        before = self.best()
        self.D.append(card)
        after = self.best()
        self.D.remove(card)
        return after < before
