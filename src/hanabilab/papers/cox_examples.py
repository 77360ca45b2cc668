"""Examples of Cox et al. 2015: hat guessing, and figures 1 to 7 played turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

from hanabilab.core.bits import members
from hanabilab.formats.describe import hand_names
from hanabilab.game.actions import HINT_RANK, HINT_SUIT, PLAY, Event, decode_action
from hanabilab.game.cards import card_in
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.game.state import State, View, initial_state, play_success, view_of
from hanabilab.game.turn import take_turn
from hanabilab.lab.solve import solve
from hanabilab.papers.fixtures import card_names, cards_in, game_with_deck, state_with
from hanabilab.papers.items import Exact, PrintedTable, exact
from hanabilab.strategies import information, recommendation
from hanabilab.strategies.hat_guessing import hint_set_of, told_sum
from hanabilab.table.game import Game

__all__ = ["FIGURE_6", "example_tables", "figure_2", "ones_played", "possible_of"]

COX = preset("cox", 5)


def example_tables() -> list[PrintedTable]:
    """Return all examples in the paper's order."""
    parts = (
        ("hats", "Hat guessing, every distribution of hats", _hats()),
        ("1", "Figure 1 and the end of the article: cards that fit, decks that do not", _cards()),
        ("2", "Figures 2 and 3: a hint of the recommendation strategy", _figure_2()),
        ("4", "Figures 4 to 6: possibility tables and their partitions", _partitions()),
        ("7", "Figure 7: a hint of the information strategy, with cards of our own", _figure_7()),
    )
    return [
        PrintedTable(id=f"cox.{number}", paper="cox", title=title, items=list(items))
        for number, title, items in parts
    ]


def _hats() -> Iterator[Exact]:
    place = "introduction, correct guesses on average, two colours, guessing randomly"
    yield exact("cox.hats.random", place, "2.5", _random_guesses, 2)
    place = "“Two color hat guessing game”, correct guesses on average"
    yield exact("cox.hats.2.average", place, "4.5", lambda: _guesses(2)[0])
    place = "“Multiple color hat guessing game”, least correct guesses"
    yield exact("cox.hats.8.least", place, 4, lambda: _guesses(8)[1])


def _random_guesses(colours: int, players: int = 5) -> Fraction:
    """Return the expected number of correct guesses over all guesses; the hats do not matter."""
    hats = range(players)
    right = [
        sum(guess == hat % colours for guess, hat in zip(guesses, hats, strict=True))
        for guesses in product(range(colours), repeat=players)
    ]
    return Fraction(sum(right), len(right))


@cache
def _guesses(colours: int, players: int = 5) -> tuple[Fraction, int]:
    """Return the mean and the minimum number of correct guesses over all hats.

    The first player announces the sum.
    """
    right = []
    for hats in product(range(colours), repeat=players):
        told = sum(hats[1:]) % colours
        answers = [told] + [
            (told - (sum(hats[1:]) - hats[player])) % colours for player in range(1, players)
        ]
        right.append(sum(answer == hat for answer, hat in zip(answers, hats, strict=True)))
    return Fraction(sum(right), len(right)), min(right)


def _cards() -> Iterator[Exact]:
    place = "Figure 1a, cards that can be played on b2, r3, w1, y2"
    yield exact("cox.1a", place, "r4 y3 g1 b3 w2", _playable, "b2 r3 w1 y2")
    place = "Figure 1b, cards of a perfect display"
    yield exact("cox.1b", place, 25, lambda: state_with(COX, [""] * 5, "r5 y5 g5 b5 w5").score)
    place = "“Simulations”, all fifteen 1s on the bottom: a perfect score is impossible"
    yield exact("cox.ones", place, True, lambda: solve(_ones_last()).winnable is False)


def _playable(fireworks: str) -> str:
    return card_names(state_with(COX, [""] * 5, fireworks).playable, COX)


def _ones_last() -> Deck:
    ones = " ".join(f"{suit}1" for suit in "rygbw" for _ in range(3))
    return game_with_deck(COX, "", end=ones).deck


def figure_2() -> State:
    """Return a state that matches everything the text says about Figure 2, which is a drawing.

    P1 has the yellow 5; P2's C1 is a playable white 2, and her C3 is recommended to be played; P3's
    C1 is to be played; P4's C1 is a dead green 1; P5's C1 is to be played, and her C4 is the red 5.
    Afterwards P2 and P5 both hold a playable blue 3 (Figure 3). There are four hint tokens, of
    which one is spent.
    """
    hands = ["y5 w4 y4 b4", "w2 g4 r1 b3", "w2 g5 y3 r4", "g1 g5 w3 y4", "b3 w4 r4 r5"]
    state = state_with(COX, hands, "g1 b2 w1")
    state.hint_tokens = 4
    return state


DRAWS = "b5 g3 y2 w5"


@cache
def _story() -> tuple[list[Event], list[list[int]], State]:
    """Play four turns from Figure 2; return the events, recommendations and the final state."""
    state = figure_2()
    deck = [0] * (COX.deck_size - state.draw_pile) + cards_in(DRAWS, COX)
    memories = [recommendation.RecommendationMemory() for _ in range(COX.players)]
    for player, memory in enumerate(memories):
        recommendation.begin(view_of(state, player), memory)
    events, recommended = [], []
    for _ in range(4):
        event = Event()
        action = recommendation.act(view_of(state, state.player), memories[state.player])
        decode_action(state, action, event)
        take_turn(state, deck, event)
        if event.kind in (HINT_SUIT, HINT_RANK):
            for player, memory in enumerate(memories):
                recommendation.observe(view_of(state, player), event, memory)
        events.append(event)
        recommended.append([memory.recommended for memory in memories])
    return events, recommended, state


def _figure_2() -> Iterator[Exact]:
    yield exact("cox.2.values", "Figure 2, values of the hands of P2 to P5", "2 0 4 0", _decoded)
    yield exact("cox.2.sum", "Figure 2, their sum modulo 8", 6, _told)
    yield exact("cox.2.hint", "Figure 2, the hint of P1", "suit hint to P4", _hint)
    for number, place, printed in (
        (1, "P2 plays C3, which is successful", "plays C3, fits"),
        (2, "P3 plays C1, which is successful", "plays C1, fits"),
        (3, "P4, recommended to discard, gives a hint", "gives a hint"),
    ):
        yield exact(f"cox.3.turn.{number}", f"Figure 3, {place}", printed, _turn, number)
    place = "Figure 3, P4's hint recommends to P5 and P2 to play their blue 3s"
    yield exact("cox.3.twice", place, "P5 plays b3, P2 plays b3", _blue_threes)


def _told() -> int:
    return told_sum(view_of(figure_2(), 0), _story()[0][0])


def _hint() -> str:
    event = _story()[0][0]
    kind = {HINT_SUIT: "suit hint", HINT_RANK: "rank hint"}.get(event.kind, "no hint")
    return f"{kind} to P{event.target + 1}"


def _decoded() -> str:
    return " ".join(map(str, _story()[1][0][1:]))


def _turn(number: int) -> str:
    event = _story()[0][number]
    if event.kind in (HINT_SUIT, HINT_RANK):
        return "gives a hint"
    word = "plays" if event.kind == PLAY else "discards"
    return f"{word} C{event.slot + 1}, {'fits' if event.lit else 'does not fit'}"


def _blue_threes() -> str:
    """Return the recommendations of the second hint to P5 and P2; numbers below 4 are plays."""
    _, recommended, state = _story()
    words = []
    for player in (4, 1):
        number = recommended[3][player]
        card = hand_names(state, player)[number % 4]
        words.append(f"P{player + 1} {'plays' if number < 4 else 'discards'} {card}")
    return ", ".join(words)


def _read_table(text: str) -> dict[int, str]:
    """Parse a figure's 5 × 5 table (blue, green, red, white, yellow) into our cards."""
    rows = [line.split() for line in text.strip().splitlines()]
    return {
        suit * 5 + rank: entry
        for suit, row in enumerate(rows)
        for rank, entry in enumerate(row)
        if entry not in ".N"
    }


FIGURE_4 = {
    "C2": _read_table("N P P P N\nN N N N N\nN N N N N\nN N N N N\nN N N N N"),
    "C3": _read_table("N P P P N\nP P P P P\nP P N P P\nP N P P P\nN N N N N"),
}
FIGURE_5 = _read_table(". 0 0 1 .\n1 2 2 3 3\n4 4 . 5 5\n6 . 6 7 7\n. . . . .")
FIGURE_6 = _read_table(". 1 4 7 .\n0 2 5 7 7\n0 3 . 7 7\n0 . 6 7 7\n. . . . .")
SUITS = ("blue", "green", "red", "white", "yellow")


def possible_of(cards: Iterable[int]) -> int:
    """Return a collection of cards as a bit set."""
    return sum(1 << card for card in cards)


def ones_played() -> View:
    """Return a view with all five ones played, as Figure 6 assumes."""
    state = initial_state(COX)
    for suit in range(5):
        play_success(state, suit * 5)
    return view_of(state, 0)


def _partitions() -> Iterator[Exact]:
    place = "“Partition of the possibilities”, possible values of C3 in Figure 4b"
    yield exact("cox.4b", place, 16, lambda: possible_of(FIGURE_4["C3"]).bit_count())
    for figure, cells, compute in (
        ("5", FIGURE_5, _nearly_equal),
        ("6", FIGURE_6, _of_information),
    ):
        for card, number in cells.items():
            name = f"{SUITS[card // 5]} {card % 5 + 1}"
            yield exact(
                f"cox.{figure}.{name.replace(' ', '')}",
                f"Figure {figure}, hint set of {name}",
                int(number),
                compute,
                card,
                row=name.split()[0],
                column=name.split()[1],
            )
    yield exact("cox.5b", "Figure 5b, left after the hint 7", "white 4, white 5", _after_seven)
    place = "“Partition of the possibilities”, cards in each hint set of Figure 6"
    yield exact("cox.6.sizes", place, "3 1 1 1 1 1 1 7", _sizes)


def _nearly_equal(card: int) -> int:
    """Return the hint set of a card if sets have two cards each, counted from the top left."""
    return sorted(FIGURE_4["C3"]).index(card) // 2


def _of_information(card: int) -> int:
    return hint_set_of(ones_played(), possible_of(FIGURE_4["C3"]), card)


def _after_seven() -> str:
    left = [card for card in FIGURE_4["C3"] if _nearly_equal(card) == 7]
    return ", ".join(f"{SUITS[card // 5]} {card % 5 + 1}" for card in left)


def _sizes() -> str:
    sets = [_of_information(card) for card in FIGURE_4["C3"]]
    return " ".join(str(sets.count(number)) for number in range(8))


EXAMPLE_SEED, EXAMPLE_TURN = 1, 6
"""The hint used for Figure 7: four hands with different tables and ratios."""


@dataclass(frozen=True, slots=True)
class HintExample:
    """A hint of the information strategy, with the public tables before and after it."""

    state: State
    """The state in which the hint was given, then updated by it."""
    event: Event
    targets: list[int]
    """For each player, the slot that the hint targets; meaningless for the giver."""
    before: list[list[int]]
    after: list[list[list[int]]]
    """What each player knows: for each hand and slot, the possible cards."""

    @property
    def receivers(self) -> list[int]:
        """All players except the one who gave the hint."""
        return [player for player in range(COX.players) if player != self.event.player]

    def table(self, player: int) -> int:
        """Return the possible cards of a player's targeted card, before the hint."""
        return self.before[player][self.targets[player]]


@cache
def _hint_example() -> HintExample:
    """Play a game of five with the information strategy up to the hint."""
    game = Game("cox", players=COX.players, seed=EXAMPLE_SEED)
    state, deck = game.state, list(game.deck)
    memories = [information.InformationMemory() for _ in range(COX.players)]
    for player, memory in enumerate(memories):
        information.begin(view_of(state, player), memory)
    for _ in range(EXAMPLE_TURN + 1):
        giver, event = memories[state.player], Event()
        before = _tables_of(giver)
        decode_action(state, information.act(view_of(state, state.player), giver), event)
        take_turn(state, deck, event)
        for player, memory in enumerate(memories):
            information.observe(view_of(state, player), event, memory)
    after = [_tables_of(memory) for memory in memories]
    return HintExample(state, event, list(giver.target), before, after)


def _tables_of(memory: information.InformationMemory) -> list[list[int]]:
    return [list(memory.public[player])[: COX.hand_size] for player in range(COX.players)]


def _figure_7() -> Iterator[Exact]:
    place = "Figure 7a, the card with the greatest ratio a_i/t_i of each hand is targeted"
    yield exact("cox.7a", place, True, _targets_are_likeliest)
    place = "Figure 7b, the hint is the sum of the numbers of the hint sets, modulo 8"
    yield exact("cox.7b", place, True, lambda: _values_told() == _sum_told())
    place = "Figure 7c, each targeted card is left with the cards of its hint set, for everyone"
    yield exact("cox.7c", place, True, _tables_are_hint_sets)


def _targets_are_likeliest() -> bool:
    example = _hint_example()
    return all(
        example.targets[player] == _likeliest(example.before[player], example.state.playable)
        for player in example.receivers
    )


def _likeliest(tables: list[int], playable: int) -> int:
    """Return the slot with the greatest ratio, the lowest of several; skip identified cards."""
    ratios = [
        Fraction((cards & playable).bit_count(), cards.bit_count())
        if cards.bit_count() > 1
        else Fraction(-1)
        for cards in tables
    ]
    return ratios.index(max(ratios))


def _hint_sets(possible: int, dead: int) -> list[list[int]]:
    """Partition the possible cards as the text says: dead cards, single cards, the rest.

    There are eight sets, as many as possible with a single card, and none with more than eight.
    """
    cards = sorted(members(possible), key=lambda card: (card % 5, card))
    alive = [card for card in cards if not (dead >> card) & 1]
    sets = [[card for card in cards if card not in alive]] if len(alive) < len(cards) else []
    room = 8 - len(sets)
    singles = max(n for n in range(room + 1) if len(alive) - n <= 8 * (room - n))
    sets += [[card] for card in alive[:singles]]
    rest = alive[singles:]
    return sets + [rest[start : start + 8] for start in range(0, len(rest), 8)]


def _told_set(player: int) -> tuple[int, list[int]]:
    """Return the index and the cards of the hint set of a player's targeted card."""
    example = _hint_example()
    card = card_in(example.state.hands[player], example.targets[player])
    sets = _hint_sets(example.table(player), example.state.played)
    return next((number, cards) for number, cards in enumerate(sets) if card in cards)


def _values_told() -> int:
    return sum(_told_set(player)[0] for player in _hint_example().receivers) % 8


def _sum_told() -> int:
    example = _hint_example()
    return told_sum(view_of(example.state, example.event.player), example.event)


def _tables_are_hint_sets() -> bool:
    """Compare everyone's tables; the literal meaning of the hint narrows them further."""
    example = _hint_example()
    return all(
        tables[player][example.targets[player]] == _narrowed(player)
        for tables in example.after
        for player in example.receivers
    )


def _narrowed(player: int) -> int:
    """Return the cards of a hint set that the literal meaning of the hint leaves possible."""
    state, slot = _hint_example().state, _hint_example().targets[player]
    return possible_of(_told_set(player)[1]) & state.possible[player][slot]
