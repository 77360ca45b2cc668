"""Random rules and decks, and both engines' tables in the same plain words."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from hanabilab import Deck, Game, Rules, preset
from hanabilab.game import best_score, card_in, count_of
from tests.reference import START, Action, Card, Reference, Setup

SWITCHES = (
    "empty_hints",
    "token_for_suit",
    "discard_at_full",
    "keep_score",
    "keep_on_last_turn",
    "deck_ends",
    "open_game",
    "deck_plays",
    "all_or_nothing",
    "score_ends",
    "speedrun",
    "alternating_hints",
    "hidden_plays",
)

RANK_KINDS = ["rainbow", "white", "pink", "brown", "omni", "null", "muddy-rainbow", "light-pink"]
KINDS = st.sampled_from(["plain"] * 8 + [*RANK_KINDS, "prism"])
HINTING = ["usual"] * 4 + ["blind", "mute"]
SUIT_HINTING = st.sampled_from([*HINTING, "synesthesia"])
RANK_HINTING = st.sampled_from([*HINTING, "odds-and-evens", "funnels", "chimneys"])

UNUSUAL = [
    Rules(players=1, hand_size=1, ranks=1, suits=1, copies=((1,),), lives=1),
    Rules(players=10, hand_size=1, ranks=62, suits=1, copies=((1,) * 62,), lives=None),
    Rules(players=2, hand_size=10, ranks=1, suits=62, copies=((2,),), hint_tokens=None),
    Rules(players=3, hand_size=3, suits=3, copies=((3, 2, 2, 2, 1), (0, 1, 4, 0, 1), (31,) * 5)),
    Rules(players=4, hand_size=2, deck_ends=False, lives=None, hint_tokens=2),
    Rules(players=5, hand_size=4, deck_ends=False, empty_hints=True, keep_score=True),
    Rules(players=2, hand_size=5, open_game=True, hint_tokens=None, lives=1),
    Rules(players=1, hand_size=4, open_game=True, hint_tokens=0, deck_ends=False),
    Rules(players=3, hand_size=5, hint_tokens=0, lives=None, token_for_suit=False),
    Rules(players=2, hand_size=2, ranks=2, suits=2, copies=((1, 1),), discard_at_full=True),
]
"""Rules at the edges of what is possible."""

SPECIAL = [
    Rules(players=3, hand_size=4, suits=2, copies=((3,) * 5,), touching=("rainbow",)),
    Rules(players=2, hand_size=5, empty_hints=True, touching=("white",) * 4 + ("brown",)),
    preset("Dark Pink (6 Suits)", 6, lives=2),
]
"""Rules with suits that hints touch in another way."""


@st.composite
def random_rules(draw: st.DrawFn) -> Rules:
    """Any rules that are not refused."""
    ranks = draw(st.integers(1, 7))
    suits = draw(st.integers(1, 7))
    most = draw(st.sampled_from([1, 3, 31 if ranks * suits < 9 else 4]))
    row = st.lists(st.integers(0, most), min_size=ranks, max_size=ranks)
    rows = draw(st.lists(row, min_size=suits, max_size=suits))
    rows[0][0] = max(1, rows[0][0])
    cards = sum(map(sum, rows))
    players = draw(st.integers(1, min(10, cards)))
    hand_size = draw(st.integers(1, min(10, cards // players)))
    switches: dict[str, Any] = {switch: draw(st.booleans()) for switch in SWITCHES}
    switches["deck_plays"] &= hand_size < 10
    counters = st.sampled_from([0, 1, 2, 3, 8, None])
    colours = draw(st.sampled_from(["", "", "rgb"[:suits]]))
    rank_kinds = st.sampled_from(["plain"] * 8 + [*RANK_KINDS, "deceptive"])
    return Rules(
        players=players,
        hand_size=hand_size,
        ranks=ranks,
        suits=suits,
        copies=tuple(map(tuple, rows)),
        hint_tokens=draw(counters),
        lives=draw(counters.filter(lambda lives: lives != 0)),
        touching=tuple(draw(suit_kinds(colours)) for _ in range(suits)),
        colours=colours,
        rank_touching=tuple(draw(rank_kinds) for _ in range(ranks)),
        suit_hints=draw(SUIT_HINTING),
        rank_hints=draw(RANK_HINTING),
        discards_per_token=draw(st.sampled_from([1, 1, 2, 3])),
        first_player=draw(st.integers(0, players - 1)),
        hints_tell=draw(st.sampled_from(["all"] * 6 + ["kind", "cards"])),
        inverted_suits=draw(some_suits(suits)),
        reversed_suits=draw(some_suits(suits)),
        **switches,
    )


def some_suits(suits: int) -> st.SearchStrategy[str]:
    """The letters of some suits, mostly of none."""
    letters = "rygbwma"[:suits]
    return st.sampled_from(["", "", "", letters[0], letters[-1], letters[1:]])


@st.composite
def suit_kinds(draw: st.DrawFn, colours: str) -> str:
    """Any kind of suit; where suits share hints, with those that touch it."""
    kind = draw(KINDS)
    if not colours or kind not in ("plain", "pink", "brown"):
        return kind
    mixture = draw(st.sets(st.sampled_from(colours), min_size=1))
    return f"{kind.removeprefix('plain')}+{''.join(sorted(mixture))}"


def random_deck(rules: Rules, chance: random.Random) -> Deck:
    """The cards of the rules, shuffled by Python's own generator."""
    cards = [
        suit * rules.ranks + rank
        for suit, row in enumerate(rules.copies)
        for rank, copies in enumerate(row)
        for _ in range(copies)
    ]
    chance.shuffle(cards)
    return Deck.of(rules, cards)


def reference_of(deck: Deck) -> Reference:
    """The same game in the other engine."""
    rules = deck.rules
    return Reference(
        Setup(
            ranks=rules.ranks,
            suits=rules.suits,
            players=rules.players,
            hand_size=rules.hand_size,
            stack=[pair(card, rules) for card in deck],
            tokens=math.inf if rules.hint_tokens is None else rules.hint_tokens,
            lives=math.inf if rules.lives is None else rules.lives,
            touching=rules.touching,
            rank_touching=rules.rank_touching,
            colours=rules.colours,
            suit_hints=rules.suit_hints,
            rank_hints=rules.rank_hints,
            parts=rules.discards_per_token,
            first=rules.first_player,
            stacks=rules.stacks,
            hints_tell=rules.hints_tell,
            inverted={rules.letters.index(letter) for letter in rules.inverted_suits},
            reversed={rules.letters.index(letter) for letter in rules.reversed_suits},
            **{switch: getattr(rules, switch) for switch in SWITCHES},
        )
    )


def pair(card: int, rules: Rules | int) -> Card:
    """A card as (suit, printed rank); without reversed suits the number of ranks is enough."""
    if isinstance(rules, int):
        return card // rules, card % rules + 1
    suit, place = divmod(card, rules.ranks)
    if rules.stacks == "up-or-down" and place == 5:
        return suit, START
    down = rules.letters[suit] in rules.reversed_suits
    return suit, rules.ranks - place if down else place + 1


def pairs(cards: int, rules: Rules | int) -> set[Card]:
    """A bit set of cards as a set."""
    return {pair(card, rules) for card in range(cards.bit_length()) if cards >> card & 1}


def words_of(action: Any) -> Action:
    """An action of the package as a tuple of the reference."""
    if action.type in ("play", "discard"):
        return (action.type, action.slot)
    if action.type == "pass":
        return ("pass", 0)
    return (action.type, action.target, action.value)


def picture(game: Game) -> dict[str, Any]:
    """All that can be said of a game of the package."""
    state, rules = game.state, game.rules
    seats = range(game.rules.players)
    return {
        "player": None if game.is_over else game.player,
        "turn": game.turn,
        "end": game.end,
        "score": game.score,
        "tokens": math.inf if game.hint_tokens is None else game.hint_tokens,
        "part": 0 if game.hint_tokens is None else state.token_part,
        "lives": math.inf if game.lives is None else game.lives,
        "fireworks": list(game.fireworks.values()),
        "draw pile": state.draw_pile,
        "hands": [
            [pair(card_in(state.hands[p], slot), rules) for slot in range(state.hand_count[p])]
            for p in seats
        ],
        "possible": [
            [pairs(state.possible[p][slot], rules) for slot in range(state.hand_count[p])]
            for p in seats
        ],
        "suit hinted": [_slots(state.suit_hinted[p]) for p in seats],
        "rank hinted": [_slots(state.rank_hinted[p]) for p in seats],
        "discards": sorted(
            pair(card, rules)
            for card in range(game.rules.kinds)
            for _ in range(count_of(state.discarded, card))
        ),
        "left": [count_of(state.left, card) for card in range(game.rules.kinds)],
        "playable": pairs(state.playable, rules),
        "dead": pairs(state.dead, rules),
        "unique": pairs(state.unique, rules),
        "critical": pairs(state.critical, rules),
        "best": best_score(state),
    }


def picture_of(reference: Reference) -> dict[str, Any]:
    """The same of a game of the reference."""
    setup = reference.H
    return {
        "player": None if reference.end else reference.C,
        "turn": reference.turn,
        "end": reference.end,
        "score": reference.score(),
        "tokens": reference.t,
        "part": reference.part,
        "lives": setup.lives - reference.f,
        "fireworks": list(map(len, reference.F)),
        "draw pile": len(reference.S),
        "hands": reference.P,
        "possible": reference.K,
        "suit hinted": [_marked(hand, "hint_suit") for hand in reference.hinted],
        "rank hinted": [_marked(hand, "hint_rank") for hand in reference.hinted],
        "discards": sorted((Counter(reference.D) - Counter(reference.hole)).elements()),
        "left": [
            reference.left((suit, rank))
            for suit in range(setup.suits)
            for rank in setup.order(suit)
        ],
        "playable": reference.playable(),
        "dead": reference.dead(),
        "unique": reference.unique(),
        "critical": reference.critical(),
        "best": reference.best(),
    }


def _slots(bits: int) -> list[int]:
    return [slot for slot in range(bits.bit_length()) if bits >> slot & 1]


def _marked(hand: list[set[str]], kind: str) -> list[int]:
    return [slot for slot, kinds in enumerate(hand) if kind in kinds]


def choose(game: Game, chance: random.Random) -> int:
    """A random legal action, first its kind and then which, so that all kinds happen."""
    by_kind: dict[str, list[int]] = {}
    for action in game.legal_actions():
        number = action.number(game.state)
        assert number is not None
        by_kind.setdefault(action.type, []).append(number)
    hints = sum(event.kind > 1 for event in game.events)
    if game.hint_tokens is None and hints >= game.rules.deck_size:
        # Unlimited is a large number in the engine; stay away from it.
        cards = {kind: by_kind[kind] for kind in by_kind if kind in ("play", "discard")}
        by_kind = cards or by_kind
    return chance.choice(by_kind[chance.choice(sorted(by_kind))])
