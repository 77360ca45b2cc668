"""One game in compiled code, for the environments that play one game at a time.

Every call takes a turn, deals cards, and writes each player's observation: the view, the encoded
vector and the legal moves. Python reads only what a caller needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.machine_code import bind, run
from hanabilab.core.random import Rng, below, private_stream
from hanabilab.core.record import Ints, Record, assign, dtype, ints, nested, pack, unpack
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
from hanabilab.game.encoding import Encoder, encode, encode_greedy, no_event
from hanabilab.game.encoding.layout import Layout
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, initial_state
from hanabilab.game.turn import draw, final_score, take_turn

__all__ = [
    "ACT",
    "ACT_WITHOUT_DRAW",
    "DEAL_CARD",
    "DEAL_GAME",
    "DEAL_HANDS",
    "EMPTY",
    "FIRST_PLAYER",
    "GAME_FIELDS",
    "HINTS",
    "MINIMAL",
    "NO_STREAM",
    "OBSERVE",
    "SEER",
    "VIEW_FIELDS",
    "GameStepper",
    "PlayerView",
    "SteppedGame",
    "advance",
    "field_offsets",
]

OBSERVE, ACT, ACT_WITHOUT_DRAW, DEAL_CARD, DEAL_HANDS, DEAL_GAME = 0, 1, 2, 3, 4, 5
"""Tasks: write the observations only; take a turn; take it without drawing; deal one card; deal
until hands are full; shuffle a sorted deck and deal until hands are full.
"""

MINIMAL, HINTS, SEER = 0, 1, 2
"""HLE's observation types: without knowledge from hints, with it, or with all cards."""

WORD = 2.0**32

FIRST_PLAYER = (1 << 41) + 1
"""The random stream that draws the first player."""

EMPTY = 255
"""Marks a slot without a card in a digest."""


class SteppedGame(Record):
    """The state of a game, and the outcome of the last call."""

    state: State = nested(State)
    last: Event = nested(Event)
    """The last turn; its player is negative before the first one."""
    layout: Layout = nested(Layout)
    greedy: Event = nested(Event)
    """The greedy action of the last player, if that is observed."""
    greedy_action: int
    """The greedy action of the next player; negative if it is the action taken."""
    shown: int
    by_chance: int
    """Whether each card is drawn at random when it is dealt; otherwise the deck is fixed."""
    undealt: list[int] = ints(MAX_CARDS)
    """Copies of each card in the draw pile."""
    dealt: int
    """The card dealt last; HIDDEN if the last call dealt none."""
    fresh: int
    """The slots that no hint of this kind had touched before."""
    to_deal: int
    """The player who needs a card; negative if nobody does."""
    score: int
    """The score if the game ended now."""
    seed: int
    rng: Rng = nested(Rng)


class Fractions(NamedTuple):
    """One, two and three divided by a number, computed once because divisions are slow."""

    one: float
    two: float
    three: float
    whole: float


class PlayerView(Record):
    """What a player is shown."""

    state: State = nested(State)
    last: Event = nested(Event)


@kernel
def advance(
    games: Sequence[SteppedGame],
    task: int,
    number: int,
    deck: Ints,
    stream: Ints,
    views: Sequence[PlayerView],
    rows: Sequence[Ints],
    moves: Ints,
) -> int:
    """Run a task, write every player's observation, and return the number of legal `moves`.

    `number` is the action, the card to deal (negative: the next one), or the game of the seed.
    `stream` holds random 32-bit words; its first entry is the index of the next one.
    """
    game = games[0]
    game.dealt = HIDDEN
    if task in (ACT, ACT_WITHOUT_DRAW):
        if game.layout.greedy_action > 0:
            simulate_greedy(game, number, deck, views[0].state)
        act(game, number, task == ACT, deck, stream)
    elif task == DEAL_CARD:
        deal_card(game, number, deck, stream)
    else:
        if task == DEAL_GAME:
            shuffle_deck(deck, deck, game.rng, game.seed, number)
        while task != OBSERVE and player_to_deal(game.state) >= 0:
            deal_card(game, -1, deck, stream)
    game.to_deal = player_to_deal(game.state)
    game.score = final_score(game.state)
    write_views(game, views, rows)
    write_legal_mask(game.state, moves)
    legal = 0
    for action in range(len(moves)):
        if moves[action]:
            moves[legal] = action
            legal += 1
    return legal


@kernel
def act(game: SteppedGame, action: int, draws: bool, deck: Ints, stream: Ints) -> None:
    """Take a turn, which must be legal."""
    state = game.state
    event = game.last
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
        choose_next(game, -1, deck, stream)
    take_turn(state, deck, event)
    if not draws:
        state.draw_pile = pile
    game.fresh = event.touched & ~hinted
    if game.shown == SEER:
        reveal_all(state)


@kernel
def simulate_greedy(game: SteppedGame, action: int, deck: Ints, imagined: State) -> None:
    """Take the turn of the greedy action in a copy of the state."""
    instead = action if game.greedy_action < 0 else game.greedy_action
    game.greedy_action = -1
    assign(imagined, game.state)
    decode_action(imagined, instead, game.greedy)
    take_turn(imagined, deck, game.greedy)


@kernel
def deal_card(game: SteppedGame, card: int, deck: Ints, stream: Ints) -> None:
    """Deal a card to the player who needs one."""
    player = player_to_deal(game.state)
    choose_next(game, card, deck, stream)
    draw(game.state, player, deck)
    if game.shown == SEER:
        reveal_all(game.state)


@kernel
def player_to_deal(state: State) -> int:
    """Return the player who needs a card, or -1 if nobody does."""
    if state.draw_pile > 0:
        for player in range(state.rules.players):
            if state.hand_count[player] < state.rules.hand_size:
                return player
    return -1


@kernel
def choose_next(game: SteppedGame, card: int, deck: Ints, stream: Ints) -> None:
    """Write the next card into the deck: the given one, or a random one if it is negative."""
    place = game.state.rules.deck_size - game.state.draw_pile
    if card >= 0:
        deck[place] = card
    elif game.by_chance:
        deck[place] = chance_card(game, stream)
    game.dealt = deck[place]
    game.undealt[game.dealt] -= 1


@kernel
def chance_card(game: SteppedGame, stream: Ints) -> int:
    """Return the card that HLE's C++ library would draw, with the same rounding."""
    copies = 0
    kinds = 0
    last = 0
    for card in range(game.layout.cards):
        copies += game.undealt[card]
        if game.undealt[card] > 0:
            kinds += 1
            last = card
    if kinds == 1:
        return last
    fractions = Fractions(1 / copies, 2 / copies, 3 / copies, float(copies))
    total = 0.0
    for card in range(last + 1):
        total += fraction_of(fractions, game.undealt[card])
    place = stream[0]
    stream[0] = place + 2
    point = (float(stream[place]) + float(stream[place + 1]) * WORD) / (WORD * WORD)
    parts = Fractions(fractions.one / total, fractions.two / total, fractions.three / total, total)
    below = 0.0
    for card in range(last):
        count = game.undealt[card]
        if count > 0:
            below += (
                fraction_of(parts, count) if count <= 3 else fraction_of(fractions, count) / total
            )
            if below >= point:
                return card
    return last


@inlined
@kernel
def fraction_of(fractions: Fractions, count: int) -> float:
    """Return a count divided by the total; quotients of counts up to three are precomputed."""
    if count > 3:
        return count / fractions.whole
    if count > 1:
        return fractions.three if count == 3 else fractions.two
    return fractions.one if count == 1 else 0.0


@kernel
def reveal_all(state: State) -> None:
    """Set the knowledge of all cards as if hints had named every card."""
    for player in range(state.rules.players):
        count = state.hand_count[player]
        state.suit_hinted[player] = (1 << count) - 1
        state.rank_hinted[player] = (1 << count) - 1
        for slot in range(count):
            state.possible[player][slot] = 1 << card_in(state.hands[player], slot)


@kernel
def forget_hints(state: State) -> None:
    """Set the knowledge of all cards as if no hint had been given."""
    for player in range(state.rules.players):
        state.suit_hinted[player] = 0
        state.rank_hinted[player] = 0
        for slot in range(state.hand_count[player]):
            state.possible[player][slot] = state.rules.all_cards


@kernel
def write_views(game: SteppedGame, views: Sequence[PlayerView], rows: Sequence[Ints]) -> None:
    """Write every player's view, and a row with the encoded vector and a digest of it."""
    for player in range(game.state.rules.players):
        assign(views[player].state, game.state)
        assign(views[player].last, game.last)
        view = views[player].state
        view.observer = player
        if game.shown == MINIMAL:
            forget_hints(view)
        row = rows[player]
        encode(view, game.last, player, game.layout, row)  # some kinds show the player's cards
        encode_greedy(view, game.greedy, player, game.layout, row)
        if game.shown != SEER:
            view.hands[player] = HIDDEN_HAND
        write_digest(view, player, game.layout.length, row)


@kernel
def write_digest(view: State, observer: int, first: int, row: Ints) -> None:
    """Write the values read most often: hands, what hints named of them, and the fireworks.

    Hands are in seat order, the observer's own first, with one entry per slot.
    """
    slots = view.rules.players * view.rules.hand_size
    for steps in range(view.rules.players):
        player = seat_after(view, observer, steps)
        for slot in range(view.rules.hand_size):
            card = EMPTY
            name = EMPTY
            if slot < view.hand_count[player]:
                card = card_in(view.hands[player], slot)
                name = hinted_value(view, player, slot)
            row[first] = card
            row[first + slots] = name
            first += 1
    for suit in range(view.rules.suits):
        row[first + slots + suit] = view.fireworks[suit]


@kernel
def hinted_value(view: State, player: int, slot: int) -> int:
    """Return the hinted suit and rank of a card as (suit + 1)(ranks + 1) + rank; 0 if unhinted."""
    card = lowest(view.possible[player][slot])
    suit = view.rules.suit_of[card]
    name = 0
    if (view.suit_hinted[player] >> slot) & 1:
        name = (suit + 1) * (view.rules.ranks + 1)
    if (view.rank_hinted[player] >> slot) & 1:
        name += card - suit * view.rules.ranks + 1
    return name


def field_offsets(layout: np.dtype[np.void]) -> dict[str, int]:
    """Return the offset of each field of a record, in 64-bit words.

    A field of a nested record is named `outer.inner`.
    """
    places = {}
    for name, (kind, place, *_) in (layout.fields or {}).items():
        places[name] = place // 8
        for inner, deeper in field_offsets(kind).items():
            places[f"{name}.{inner}"] = place // 8 + deeper
    return places


GAME_DTYPE, VIEW_DTYPE = dtype(SteppedGame), dtype(PlayerView)
GAME_FIELDS = field_offsets(GAME_DTYPE)
VIEW_FIELDS = field_offsets(VIEW_DTYPE)

NO_STREAM: NDArray[np.int64] = np.zeros(1, np.int64)
"""The random words of a game whose deck is fixed."""

VIEW_SIZE = VIEW_DTYPE.itemsize
STREAM = 4
"""The index of the argument `stream` of `advance`."""


class GameStepper:
    """The state of one game, every player's view of it, and the legal moves.

    `words` holds a `SteppedGame`, with offsets in `GAME_FIELDS`; `legal` are the moves of the
    player to move, even if the game is over.
    """

    def __init__(self, rules: Rules, encoder: Encoder, *, shown: int = HINTS) -> None:
        game = SteppedGame(shown=shown, by_chance=1, greedy_action=-1)
        game.state, game.last, game.layout = initial_state(rules), no_event(), encoder.layout
        game.greedy = no_event()
        copies = [count for suit in rules.copies for count in suit]
        game.undealt[: len(copies)] = copies
        self._layout = _MemoryLayout(rules, encoder)
        self._memory = np.zeros(self._layout.size, np.int64)
        self._memory[: self._layout.deck] = pack(game).view(np.int64)
        self._stream = NO_STREAM
        self._connect()
        self._write_deck(card_multiset(rules))
        self._bind()
        self.run(OBSERVE)

    def _connect(self) -> None:
        """Create word and byte views of the memory, which are faster than NumPy's."""
        self.words = self._memory.data
        self._bytes = self.words.cast("B")
        self._games: NDArray[np.void] | None = None

    def _bind(self) -> None:
        """Bind the kernel to the arrays."""
        arrays = self._layout.arrays(self._memory)
        deck, *rest = arrays[1:]
        self._binding = bind(advance, arrays[0], OBSERVE, -1, deck, self._stream, *rest, gil=True)

    @property
    def games(self) -> NDArray[np.void]:
        """The game as an array of one `SteppedGame`."""
        if self._games is None:
            self._games = self._memory[: self._layout.deck].view(GAME_DTYPE)
        return self._games

    def deal_game(self, seed: int, number: int) -> None:
        """Deal a game of a seed."""
        self.words[GAME_FIELDS["by_chance"]] = 0
        self.words[GAME_FIELDS["seed"]] = seed
        self.run(DEAL_GAME, number)

    def draw_first_player(self, seed: int, number: int) -> int:
        """Choose a random first player that depends only on the seed and the game; return it."""
        rng = Rng(stream=private_stream(seed, number, FIRST_PLAYER))
        player = below(rng, self._layout.players)
        self.words[GAME_FIELDS["state.player"]] = player
        self.run(OBSERVE)
        return player

    def set_deck(self, deck: Sequence[int]) -> None:
        """Deal the cards of this deck from now on, instead of random ones."""
        self._write_deck(deck)
        self.words[GAME_FIELDS["by_chance"]] = 0

    def _write_deck(self, deck: Sequence[int]) -> None:
        self._memory[self._layout.deck : self._layout.views] = deck

    def exchange(self, place: int, player: int, slot: int, card: int) -> None:
        """Put an undealt card into a slot; `place` is the deck position of the card it replaces."""
        words, deck, dealt = self.words, self._layout.deck, len(self.cards())
        old = words[deck + place]
        if not words[GAME_FIELDS["by_chance"]]:
            words[deck + dealt + self.deck()[dealt:].index(card)] = old
        words[deck + place] = card
        words[GAME_FIELDS["state.hands"] + player] ^= (old ^ card) << SLOT_BITS * slot
        words[GAME_FIELDS["undealt"] + old] += 1
        words[GAME_FIELDS["undealt"] + card] -= 1
        self.run(OBSERVE)

    def run(self, task: int, number: int = -1, stream: NDArray[np.int64] = NO_STREAM) -> None:
        """Run a task of `advance`."""
        binding, moves = self._binding, self._layout.moves
        if stream is not self._stream:
            binding.replace(STREAM, stream)
            self._stream = stream
        binding.numbers[0] = task
        binding.numbers[1] = number
        count: int = binding.call()
        self.legal: list[int] = self.words[moves : moves + count].tolist()

    def view_bytes(self, player: int) -> bytes:
        """Return the `PlayerView` of a player as bytes, with offsets in `VIEW_FIELDS`."""
        return self._bytes[self._layout.view_of[player]].tobytes()

    def row(self, player: int) -> bytes:
        """Return the encoded observation of a player and its digest (`write_digest`)."""
        return self._bytes[self._layout.row_of[player]].tobytes()

    def shown(self) -> list[tuple[bytes, bytes]]:
        """Return the view and the row of every player."""
        memory = self._bytes
        return [(memory[view].tobytes(), memory[row].tobytes()) for view, row in self._layout.shown]

    def vector(self, player: int) -> NDArray[np.uint8]:
        """Return the encoded observation of a player as an array."""
        row = self._bytes[self._layout.vector_of[player]]
        return np.frombuffer(bytearray(row), np.uint8)

    def full_state_vector(self, encoder: Encoder) -> NDArray[np.uint8]:
        """Return the full state, hidden hands included (kind "state" of an `Encoder`)."""
        vector = np.zeros(encoder.length, np.uint8)
        game = self.games[0]
        run(encode, game["state"], game["last"], 0, pack(encoder.layout)[0], vector)
        return vector

    @property
    def state(self) -> State:
        """A copy of the state."""
        state = State()
        unpack(state, self.games[0]["state"])
        return state

    def deck(self) -> list[int]:
        """Return the cards in order; undealt ones are meaningless if cards are drawn at random."""
        return self.words[self._layout.deck : self._layout.views].tolist()

    def cards(self) -> list[int]:
        """Return the cards dealt so far, in order."""
        deck = self.deck()
        return deck[: len(deck) - self.words[GAME_FIELDS["state.draw_pile"]]]

    def copy(self) -> Self:
        """Return an independent copy."""
        clone = type(self).__new__(type(self))
        clone.__dict__.update(self.__dict__)
        clone._memory = self._memory.copy()
        clone._connect()
        clone._binding = self._binding.moved(self._memory, clone._memory)
        return clone

    def assign(self, other: GameStepper) -> None:
        """Overwrite this game with another of the same rules, which is faster than a copy."""
        self._memory[:] = other._memory
        self.legal = other.legal

    def __getstate__(self) -> dict[str, Any]:
        views = ("words", "_bytes", "_games", "_binding")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()
        self._bind()


class _MemoryLayout:
    """Offsets of a game's arrays in one block of memory, copied faster than five arrays."""

    def __init__(self, rules: Rules, encoder: Encoder) -> None:
        self.players, self.length = rules.players, encoder.length
        self.width = encoder.length + 2 * rules.players * rules.hand_size + rules.suits
        """The width of a row: the vector and its digest."""
        self.deck = GAME_DTYPE.itemsize // 8
        self.views = self.deck + rules.deck_size
        self.moves = self.views + rules.players * VIEW_SIZE // 8
        self.rows = self.moves + count_actions(initial_state(rules))
        self.size = self.rows + -(-rules.players * self.width // 8)
        self.view_of = _slices(8 * self.views, VIEW_SIZE, rules.players)
        self.row_of = _slices(8 * self.rows, self.width, rules.players)
        self.vector_of = [slice(row.start, row.start + self.length) for row in self.row_of]
        self.shown = list(zip(self.view_of, self.row_of, strict=True))

    def arrays(self, memory: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """Return the game, the deck, the players' views, their rows, and the legal moves."""
        rows = memory[self.rows :].view(np.uint8)[: self.players * self.width]
        return (
            memory[: self.deck].view(GAME_DTYPE),
            memory[self.deck : self.views],
            memory[self.views : self.moves].view(VIEW_DTYPE),
            rows.reshape(self.players, self.width),
            memory[self.moves : self.rows],
        )


def _slices(first: int, size: int, count: int) -> list[slice]:
    """Return `count` adjacent slices of equal size."""
    return [slice(first + place * size, first + (place + 1) * size) for place in range(count)]
