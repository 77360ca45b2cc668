"""One game in compiled code, for the environments that play one game at a time.

Every call takes a turn, deals what is to be dealt, and writes down what each player sees: the
table, the vector and the legal moves. Python reads from that only what someone asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.machine_code import bind, run
from hanabilab.core.random import Rng
from hanabilab.core.record import Record, assign, dtype, ints, nested, pack, unpack
from hanabilab.core.types import Ints
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    count_actions,
    decode_action,
    seat_after,
    write_legal_mask,
)
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, MAX_CARDS, SLOT_BITS, card_in
from hanabilab.game.deck import card_multiset, shuffle_deck
from hanabilab.game.encoding import Encoder, Layout, encode, encode_greedy, no_event
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, initial_state
from hanabilab.game.turn import draw, final_score, take_turn

__all__ = [
    "ACT",
    "ACT_APART",
    "DEAL_CARD",
    "DEAL_GAME",
    "DEAL_HANDS",
    "EMPTY",
    "HINTS",
    "LIVE",
    "LOOK",
    "MINIMAL",
    "NO_STREAM",
    "SEER",
    "SIGHT",
    "GameStepper",
    "Sight",
    "SteppedGame",
    "advance",
    "words_of",
]

LOOK, ACT, ACT_APART, DEAL_CARD, DEAL_HANDS, DEAL_GAME = 0, 1, 2, 3, 4, 5
"""Do nothing; take a turn; take it without drawing; deal one card; deal until hands are full;
shuffle a deck in order, then do the same."""

MINIMAL, HINTS, SEER = 0, 1, 2
"""What players are shown, as HLE numbers it: no memory of hints, what they say, or all cards."""

WORD = 2.0**32

EMPTY = 255
"""Stands for a slot without a card in a digest."""


class SteppedGame(Record):
    """A game as it stands, and what the last call did."""

    state: State = nested(State)
    last: Event = nested(Event)
    """The last turn; its player is negative before the first one."""
    layout: Layout = nested(Layout)
    greedy: Event = nested(Event)
    """What the last player would have done without exploring, if that is observed."""
    greedy_action: int
    """What the next player would do, if that is not the action to come; else negative."""
    shown: int
    by_chance: int
    """Whether each card is chosen when it is dealt; otherwise the deck is known."""
    undealt: list[int] = ints(MAX_CARDS)
    """Copies of each card in the draw pile."""
    dealt: int
    """The card that was dealt last, HIDDEN if the last call dealt none."""
    fresh: int
    """The slots that a hint of this kind had not touched before."""
    to_deal: int
    """Who needs a card now; negative if nobody does."""
    score: int
    """What the game counts as it stands."""
    seed: int
    rng: Rng = nested(Rng)


class Shares(NamedTuple):
    """One, two and three divided by a number: what takes long is not done for every card."""

    one: float
    two: float
    three: float
    whole: float


class Sight(Record):
    """What a player is shown."""

    table: State = nested(State)
    last: Event = nested(Event)


@kernel
def advance(
    games: Sequence[SteppedGame],
    task: int,
    number: int,
    deck: Ints,
    stream: Ints,
    sights: Sequence[Sight],
    rows: Sequence[Ints],
    moves: Ints,
) -> int:
    """Do a task, write what everyone sees now, and return how many `moves` are legal.

    `number` is the action, the card to deal (negative: the next one), or the game of the seed.
    `stream` holds random words of 32 bits; its first entry says where the next one stands.
    """
    table = games[0]
    table.dealt = HIDDEN
    if task in (ACT, ACT_APART):
        if table.layout.greedy_action > 0:
            imagine(table, number, deck, sights[0].table)
        act(table, number, task == ACT, deck, stream)
    elif task == DEAL_CARD:
        deal_card(table, number, deck, stream)
    else:
        if task == DEAL_GAME:
            shuffle_deck(deck, deck, table.rng, table.seed, number)
        while task != LOOK and player_to_deal(table.state) >= 0:
            deal_card(table, -1, deck, stream)
    table.to_deal = player_to_deal(table.state)
    table.score = final_score(table.state)
    show_everyone(table, sights, rows)
    write_legal_mask(table.state, moves)
    legal = 0
    for action in range(len(moves)):
        if moves[action]:
            moves[legal] = action
            legal += 1
    return legal


@kernel
def act(table: SteppedGame, action: int, draws: bool, deck: Ints, stream: Ints) -> None:
    """Take a turn, which must be legal."""
    state = table.state
    event = table.last
    decode_action(state, action, event)
    hinted = 0
    if event.kind == HINT_SUIT:
        hinted = state.suit_hinted[event.target]
    elif event.kind == HINT_RANK:
        hinted = state.rank_hinted[event.target]
    pile = state.draw_pile
    if not draws:
        state.draw_pile = 0
    elif pile > 0 and (event.kind == PLAY or event.kind == DISCARD):
        choose_next(table, -1, deck, stream)
    take_turn(state, deck, event)
    if not draws:
        state.draw_pile = pile
    table.fresh = event.touched & ~hinted
    if table.shown == SEER:
        reveal_all(state)


@kernel
def imagine(table: SteppedGame, action: int, deck: Ints, imagined: State) -> None:
    """Take the turn of the greedy action at a copy of the table."""
    instead = action if table.greedy_action < 0 else table.greedy_action
    table.greedy_action = -1
    assign(imagined, table.state)
    decode_action(imagined, instead, table.greedy)
    take_turn(imagined, deck, table.greedy)


@kernel
def deal_card(table: SteppedGame, card: int, deck: Ints, stream: Ints) -> None:
    """Deal a card to whoever needs one."""
    player = player_to_deal(table.state)
    choose_next(table, card, deck, stream)
    draw(table.state, player, deck)
    if table.shown == SEER:
        reveal_all(table.state)


@kernel
def player_to_deal(state: State) -> int:
    """Return who needs a card, or -1."""
    if state.draw_pile > 0:
        for player in range(state.rules.players):
            if state.hand_count[player] < state.rules.hand_size:
                return player
    return -1


@kernel
def choose_next(table: SteppedGame, card: int, deck: Ints, stream: Ints) -> None:
    """Make sure that the deck's next card is the given one, or one by chance if there is none."""
    place = table.state.rules.deck_size - table.state.draw_pile
    if card >= 0:
        deck[place] = card
    elif table.by_chance:
        deck[place] = chance_card(table, stream)
    table.dealt = deck[place]
    table.undealt[table.dealt] -= 1


@kernel
def chance_card(table: SteppedGame, stream: Ints) -> int:
    """Return the card that HLE's C++ library would draw, rounding as it does."""
    copies = 0
    kinds = 0
    last = 0
    for card in range(table.layout.cards):
        copies += table.undealt[card]
        if table.undealt[card] > 0:
            kinds += 1
            last = card
    if kinds == 1:
        return last
    shares = Shares(1 / copies, 2 / copies, 3 / copies, float(copies))
    total = 0.0
    for card in range(last + 1):
        total += share(shares, table.undealt[card])
    place = stream[0]
    stream[0] = place + 2
    point = (float(stream[place]) + float(stream[place + 1]) * WORD) / (WORD * WORD)
    parts = Shares(shares.one / total, shares.two / total, shares.three / total, total)
    below = 0.0
    for card in range(last):
        count = table.undealt[card]
        if count > 0:
            below += share(parts, count) if count <= 3 else share(shares, count) / total
            if below >= point:
                return card
    return last


@inlined
@kernel
def share(shares: Shares, count: int) -> float:
    """Return a count divided by the whole; counts up to three were divided beforehand."""
    if count > 3:
        return count / shares.whole
    if count > 1:
        return shares.three if count == 3 else shares.two
    return shares.one if count == 1 else 0.0


@kernel
def reveal_all(state: State) -> None:
    """Make a state look as if every card had been named."""
    for player in range(state.rules.players):
        count = state.hand_count[player]
        state.suit_hinted[player] = (1 << count) - 1
        state.rank_hinted[player] = (1 << count) - 1
        for slot in range(count):
            state.possible[player][slot] = 1 << card_in(state.hands[player], slot)


@kernel
def forget_hints(state: State) -> None:
    """Make a state look as if no hint had been given."""
    for player in range(state.rules.players):
        state.suit_hinted[player] = 0
        state.rank_hinted[player] = 0
        for slot in range(state.hand_count[player]):
            state.possible[player][slot] = state.rules.all_cards


@kernel
def show_everyone(table: SteppedGame, sights: Sequence[Sight], rows: Sequence[Ints]) -> None:
    """Write what every player is shown; and into a row each the vector and a digest of it."""
    for player in range(table.state.rules.players):
        sight = sights[player]
        assign(sight.table, table.state)
        assign(sight.last, table.last)
        view = sight.table
        view.observer = player
        if table.shown == MINIMAL:
            forget_hints(view)
        row = rows[player]
        encode(view, table.last, player, table.layout, row)  # some kinds show the player's cards
        encode_greedy(view, table.greedy, player, table.layout, row)
        if table.shown != SEER:
            view.hands[player] = HIDDEN_HAND
        write_digest(view, player, table.layout.length, row)


@kernel
def write_digest(view: State, observer: int, first: int, row: Ints) -> None:
    """Write what is most often asked for: hands and what hints named of them, and the fireworks.

    Hands stand in the order of the seats, the observer's own first, with an entry for each slot.
    """
    slots = view.rules.players * view.rules.hand_size
    for steps in range(view.rules.players):
        player = seat_after(view, observer, steps)
        for slot in range(view.rules.hand_size):
            card = EMPTY
            name = EMPTY
            if slot < view.hand_count[player]:
                card = card_in(view.hands[player], slot)
                name = name_of(view, player, slot)
            row[first] = card
            row[first + slots] = name
            first += 1
    for suit in range(view.rules.suits):
        row[first + slots + suit] = view.fireworks[suit]


@kernel
def name_of(view: State, player: int, slot: int) -> int:
    """Return what hints have named of a card: (suit + 1)(ranks + 1) + rank, 0 for what is not."""
    card = lowest(view.possible[player][slot])
    suit = view.rules.suit_of[card]
    name = 0
    if (view.suit_hinted[player] >> slot) & 1:
        name = (suit + 1) * (view.rules.ranks + 1)
    if (view.rank_hinted[player] >> slot) & 1:
        name += card - suit * view.rules.ranks + 1
    return name


def words_of(layout: np.dtype[np.void]) -> dict[str, int]:
    """Return where each number or array of a record stands in it, counted in 64-bit words.

    What is inside another record is named `outer.inner`.
    """
    places = {}
    for name, (kind, place, *_) in (layout.fields or {}).items():
        places[name] = place // 8
        for inner, deeper in words_of(kind).items():
            places[f"{name}.{inner}"] = place // 8 + deeper
    return places


GAME_TYPE, SIGHT_TYPE = dtype(SteppedGame), dtype(Sight)
LIVE = words_of(GAME_TYPE)
SIGHT = words_of(SIGHT_TYPE)

NO_STREAM: NDArray[np.int64] = np.zeros(1, np.int64)
"""The random numbers of a game whose deck is known."""

SIGHT_SIZE = SIGHT_TYPE.itemsize
STREAM = 4
"""Which argument of `advance` the random numbers are."""


class GameStepper:
    """A game as it stands, what everyone sees of it, and which moves are legal.

    `words` are the numbers of a `SteppedGame`, to be found by `LIVE`; `legal` are the moves of the
    player to move, whether or not the game has ended.
    """

    def __init__(self, rules: Rules, encoder: Encoder, *, shown: int = HINTS) -> None:
        table = SteppedGame(shown=shown, by_chance=1, greedy_action=-1)
        table.state, table.last, table.layout = initial_state(rules), no_event(), encoder.layout
        table.greedy = no_event()
        copies = [count for suit in rules.copies for count in suit]
        table.undealt[: len(copies)] = copies
        self._plan = _Plan(rules, encoder)
        self._memory = np.zeros(self._plan.size, np.int64)
        self._memory[: self._plan.deck] = pack(table).view(np.int64)
        self._stream = NO_STREAM
        self._connect()
        self._deal_in_order(card_multiset(rules))
        self._bind()
        self.run(LOOK)

    def _connect(self) -> None:
        """Look at the memory word by word and byte by byte, quicker than through NumPy."""
        self.words = self._memory.data
        self._bytes = self.words.cast("B")
        self._games: NDArray[np.void] | None = None

    def _bind(self) -> None:
        """Let compiled code find the arrays."""
        arrays = self._plan.arrays(self._memory)
        deck, *rest = arrays[1:]
        self._binding = bind(advance, arrays[0], LOOK, -1, deck, self._stream, *rest, gil=True)

    @property
    def games(self) -> NDArray[np.void]:
        """The game as an array with one `SteppedGame`."""
        if self._games is None:
            self._games = self._memory[: self._plan.deck].view(GAME_TYPE)
        return self._games

    def deal_game(self, seed: int, number: int) -> None:
        """Deal a game of a seed."""
        self.words[LIVE["by_chance"]] = 0
        self.words[LIVE["seed"]] = seed
        self.run(DEAL_GAME, number)

    def plan(self, deck: Sequence[int]) -> None:
        """Deal the cards of this deck from now on, instead of dealing by chance."""
        self._deal_in_order(deck)
        self.words[LIVE["by_chance"]] = 0

    def _deal_in_order(self, deck: Sequence[int]) -> None:
        self._memory[self._plan.deck : self._plan.sights] = deck

    def exchange(self, place: int, player: int, slot: int, card: int) -> None:
        """Put a card that is still to be dealt in a slot; `place` is where its card was dealt."""
        words, deck, dealt = self.words, self._plan.deck, len(self.cards())
        old = words[deck + place]
        if not words[LIVE["by_chance"]]:
            words[deck + dealt + self.deck()[dealt:].index(card)] = old
        words[deck + place] = card
        words[LIVE["state.hands"] + player] ^= (old ^ card) << SLOT_BITS * slot
        words[LIVE["undealt"] + old] += 1
        words[LIVE["undealt"] + card] -= 1
        self.run(LOOK)

    def run(self, task: int, number: int = -1, stream: NDArray[np.int64] = NO_STREAM) -> None:
        """Do a task of `advance`."""
        binding, moves = self._binding, self._plan.moves
        if stream is not self._stream:
            binding.replace(STREAM, stream)
            self._stream = stream
        binding.numbers[0] = task
        binding.numbers[1] = number
        count: int = binding.call()
        self.legal: list[int] = self.words[moves : moves + count].tolist()

    def sight(self, player: int) -> bytes:
        """Return what a player is shown now: the numbers of `Sight`, to be found by `SIGHT`."""
        return self._bytes[self._plan.sight_of[player]].tobytes()

    def row(self, player: int) -> bytes:
        """Return the vector of what a player sees now, and the digest of it (`write_digest`)."""
        return self._bytes[self._plan.row_of[player]].tobytes()

    def shown(self) -> list[tuple[bytes, bytes]]:
        """Return the same of all players."""
        memory = self._bytes
        return [(memory[sight].tobytes(), memory[row].tobytes()) for sight, row in self._plan.shown]

    def vector(self, player: int) -> NDArray[np.uint8]:
        """Return the vector as an array."""
        row = self._bytes[self._plan.vector_of[player]]
        return np.frombuffer(bytearray(row), np.uint8)

    def vector_of_table(self, encoder: Encoder) -> NDArray[np.uint8]:
        """Return all that lies on the table, as "state" of `hanabilab.game.encoding`."""
        vector = np.zeros(encoder.length, np.uint8)
        table = self.games[0]
        run(encode, table["state"], table["last"], 0, pack(encoder.layout)[0], vector)
        return vector

    @property
    def state(self) -> State:
        """A copy of the table."""
        state = State()
        unpack(state, self.games[0]["state"])
        return state

    def deck(self) -> list[int]:
        """Return the cards in order; if they are dealt by chance, those to come mean nothing."""
        return self.words[self._plan.deck : self._plan.sights].tolist()

    def cards(self) -> list[int]:
        """Return the cards dealt so far, in order."""
        deck = self.deck()
        return deck[: len(deck) - self.words[LIVE["state.draw_pile"]]]

    def copy(self) -> Self:
        """Return an equal game that goes its own way."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._memory = self._memory.copy()
        twin._connect()
        twin._binding = self._binding.moved(self._memory, twin._memory)
        return twin

    def assign(self, other: GameStepper) -> None:
        """Become equal to another game of the same rules, which is quicker than a copy of it."""
        self._memory[:] = other._memory
        self.legal = other.legal

    def __getstate__(self) -> dict[str, Any]:
        views = ("words", "_bytes", "_games", "_binding")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()
        self._bind()


class _Plan:
    """Where in the memory of a game its arrays lie: one block is copied faster than five."""

    def __init__(self, rules: Rules, encoder: Encoder) -> None:
        self.players, self.length = rules.players, encoder.length
        self.width = encoder.length + 2 * rules.players * rules.hand_size + rules.suits
        """Of a row: the vector and its digest."""
        self.deck = GAME_TYPE.itemsize // 8
        self.sights = self.deck + rules.deck_size
        self.moves = self.sights + rules.players * SIGHT_SIZE // 8
        self.rows = self.moves + count_actions(initial_state(rules))
        self.size = self.rows + -(-rules.players * self.width // 8)
        self.sight_of = _pieces(8 * self.sights, SIGHT_SIZE, rules.players)
        self.row_of = _pieces(8 * self.rows, self.width, rules.players)
        self.vector_of = [slice(row.start, row.start + self.length) for row in self.row_of]
        self.shown = list(zip(self.sight_of, self.row_of, strict=True))

    def arrays(self, memory: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """Return the round, the deck, what players are shown, their rows, and the legal moves."""
        rows = memory[self.rows :].view(np.uint8)[: self.players * self.width]
        return (
            memory[: self.deck].view(GAME_TYPE),
            memory[self.deck : self.sights],
            memory[self.sights : self.moves].view(SIGHT_TYPE),
            rows.reshape(self.players, self.width),
            memory[self.moves : self.rows],
        )


def _pieces(first: int, size: int, count: int) -> list[slice]:
    """Return where pieces of this size are."""
    return [slice(first + place * size, first + (place + 1) * size) for place in range(count)]
