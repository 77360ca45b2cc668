"""The rules as a record for kernels, and the switches that a component supports."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Self

from hanabilab.core.bits import members
from hanabilab.core.record import Record, ints
from hanabilab.errors import RulesError
from hanabilab.game.cards import HIDDEN, PLANES, add_copy, count_of
from hanabilab.game.names import CardNames, pack_letters, unpack_letters
from hanabilab.game.rules import FLAGS, SWITCHES, Rules, unhandled_rule
from hanabilab.game.variants import (
    HINT_MODES,
    HINT_TELLING,
    PLAIN,
    STACKS,
    hints_of,
    pack_kinds,
    touch_of,
    unpack_kinds,
)

__all__ = [
    "RulesRecord",
    "names_of_cards",
    "nonstandard_switches",
    "require_handled",
    "rules_of",
    "rules_record",
]

COLOUR_BITS = 7


class RulesRecord(Record):
    """The rules of a game for kernels, with the tables of cards that follow from them.

    Nothing in it changes during a game. Whatever imagines a game copies it as a whole, with
    `assign`, so that no rule is ever forgotten.
    """

    ranks: int
    """How many ranks there are; the lowest is 1."""
    suits: int
    """How many suits there are; the first is 0."""
    players: int
    """How many play; they are numbered from 0."""
    hand_size: int
    """How many cards a full hand has."""
    deck_size: int
    """How many cards there are in all."""
    max_hint_tokens: int
    """The most hint tokens there can be; a large number if they are unlimited."""
    max_lives: int
    """The lives at the start; a large number if they are unlimited."""
    unlimited_hints: int
    """Whether hint tokens are unlimited."""
    unlimited_lives: int
    """Whether lives are unlimited."""
    empty_hints: int
    """Whether a hint may touch no card."""
    token_for_suit: int
    """Whether completing a suit gives a hint token back."""
    discard_at_full: int
    """Whether a card may be discarded while all hint tokens are there."""
    keep_score: int
    """Whether the score counts when the last life is lost."""
    keep_on_last_turn: int
    """Whether it counts when that happens on the very last turn."""
    deck_ends: int
    """Whether the game ends one turn each after the last draw."""
    open_game: int
    """Whether everybody sees all cards and a hint is a pass."""
    letters: int
    """The letters of the suits, packed (`hanabilab.game.names`)."""
    planes: int
    """How many bit planes the copies of this game need."""
    all_cards: int
    """The set of all cards."""
    rank_pattern: int
    """The cards of rank 1; shifted by a rank, those of that rank."""
    suit_of: list[int] = ints(HIDDEN + 1)
    """The suit of each card."""
    hint_bits: list[int] = ints(HIDDEN + 1)
    """For each card, the suit hints and, above all suits, the rank hints that touch it."""
    all_hints: int
    """All hints that exist, in the same bits: not every special suit has one of its own."""
    free_hints: int
    """Those that may be given although they touch nothing."""
    discards_per_token: int
    """How many discards, or completed suits, give one hint token back."""
    first_player: int
    """Who takes the first turn."""
    deck_plays: int
    """Whether the last card of the draw pile may be played from there."""
    other_actions: int
    """Whether there are passes, plays from the draw pile, or hints that may not be repeated."""
    all_or_nothing: int
    """Whether nothing but the maximum counts, and the draw pile does not end the game."""
    score_ends: int
    """Whether the game ends as soon as the score can no longer rise."""
    speedrun: int
    """Whether losing the last copy of a needed card ends the game with a score of 0."""
    other_ends: int
    """Whether more than the lives, the maximum and the last round can end the game."""
    max_score: int
    """The score of a perfect game."""
    special_hints: int
    """Whether hints touch other cards than those of their own suit or rank."""
    colours: int
    """The letters of the suit hints, packed; 0 if those of the suits."""
    suit_hints: int
    rank_hints: int
    """What suit hints, or rank hints, do: the place of their mode among the `HINT_MODES`."""
    suit_kinds: int
    rank_kinds: int
    mixtures: int
    """The kinds of suits and ranks and the hints that touch mixed suits, packed for `rules_of`."""
    alternating_hints: int
    """Whether suit hints and rank hints alternate."""
    inverted: int
    """The cards that are played by discarding them, and discarded by playing them."""
    reversed_suits: int
    """The suits that are played from the highest rank down, a bit each."""
    stacks: int
    """How fireworks are built: from 1, up or down, or from any rank (0, 1, 2)."""
    stack_size: int
    """The number of cards in a complete firework."""
    hidden_plays: int
    """Whether nobody is told what became of played cards."""
    hints_tell: int
    """What a hint tells: all, its kind, or only its cards (0, 1, 2)."""
    other_effects: int
    """Whether any action has another effect than by plain rules."""
    secrets: int
    """Whether views hide more than the observer's own hand."""
    copies: list[int] = ints(PLANES)
    """How many copies of each card the deck has, as bit planes."""
    nonstandard: int
    """The switches that differ from the plain rules, a bit for each of `SWITCHES`."""

    def copy(self) -> Self:
        """Return an equal record, quickly: interpreted, every view has a copy of its own."""
        twin = type(self).__new__(type(self))
        for name, value in self.__dict__.items():
            twin.__dict__[name] = value[:] if type(value) is list else value
        return twin


NUMBERS = (
    "ranks",
    "suits",
    "players",
    "hand_size",
    "deck_size",
    "discards_per_token",
    "first_player",
    "max_score",
    "stack_size",
)


def rules_record(rules: Rules) -> RulesRecord:
    """Return the rules in the form that kernels read."""
    record = RulesRecord()
    for name in NUMBERS:
        setattr(record, name, getattr(rules, name))
    for name in FLAGS:
        setattr(record, name, int(getattr(rules, name)))
    for name in rules.nonstandard:
        record.nonstandard |= 1 << SWITCHES.index(name)
    _set_limits(record, rules)
    _set_cards(record, rules)
    _set_hints(record, rules)
    for suit in members(_suit_bits(rules.inverted_suits, rules)):
        record.inverted |= (1 << rules.ranks) - 1 << suit * rules.ranks
    record.stacks = STACKS.index(rules.stacks)
    record.hints_tell = HINT_TELLING.index(rules.hints_tell)
    record.secrets = int(rules.hidden_plays or record.hints_tell > 0)
    record.reversed_suits = _suit_bits(rules.reversed_suits, rules)
    special = (record.inverted, record.stacks, rules.alternating_hints, record.secrets)
    record.other_effects = int(any(special))
    record.letters = pack_letters(rules.letters)
    record.colours = pack_letters(rules.colours, usual="")
    record.other_ends = int(not rules.deck_ends or rules.score_ends or rules.speedrun)
    record.other_actions = int(rules.open_game or rules.deck_plays or rules.alternating_hints)
    return record


def _set_limits(record: RulesRecord, rules: Rules) -> None:
    """Set the most tokens and lives; more lives than cards never run out."""
    record.unlimited_hints = int(rules.hint_tokens is None)
    record.unlimited_lives = int(rules.lives is None)
    record.max_hint_tokens = rules.token_limit
    record.max_lives = rules.deck_size + 1 if rules.lives is None else rules.lives


def _set_cards(record: RulesRecord, rules: Rules) -> None:
    record.all_cards = (1 << rules.kinds) - 1
    record.planes = max(map(max, rules.copies)).bit_length()
    for suit in range(rules.suits):
        record.rank_pattern |= 1 << (suit * rules.ranks)
        for rank in range(1, rules.ranks + 1):
            card = suit * rules.ranks + rank - 1
            record.suit_of[card] = suit
            for _ in range(rules.copies[suit][rank - 1]):
                add_copy(record.copies, card)


def _suit_bits(letters: str, rules: Rules) -> int:
    """Return the suits with these letters, a bit each."""
    return sum(1 << rules.letters.index(letter) for letter in letters)


def _set_hints(record: RulesRecord, rules: Rules) -> None:
    """Set which hints exist, and which of them touch which card."""
    hints = hints_of(rules)
    record.all_hints = hints.all
    record.free_hints = hints.all if rules.empty_hints else hints.free
    for card, bits in enumerate(hints.of_card):
        record.hint_bits[card] = bits
    record.special_hints = int(bool(rules.special_hints or rules.reversed_suits))
    record.suit_kinds = pack_kinds(rules.touching)
    record.rank_kinds = pack_kinds(rules.rank_touching)
    for suit, kind in enumerate(rules.touching):
        for colour in touch_of(kind).colours:
            record.mixtures |= 1 << (suit * COLOUR_BITS + rules.colours.index(colour))
    record.suit_hints = [*HINT_MODES].index(rules.suit_hints)
    record.rank_hints = [*HINT_MODES].index(rules.rank_hints)


def rules_of(record: RulesRecord) -> Rules:
    """Return the rules that a record was made from."""
    copies = [count_of(record.copies, card) for card in range(record.suits * record.ranks)]
    letters = unpack_letters(record.letters)[: record.suits]
    inverted = [suit for suit in range(record.suits) if record.inverted >> suit * record.ranks & 1]
    flags: dict[str, Any] = {name: bool(getattr(record, name)) for name in FLAGS}
    return Rules(
        players=record.players,
        hand_size=record.hand_size,
        ranks=record.ranks,
        suits=record.suits,
        copies=tuple(
            tuple(copies[suit * record.ranks : (suit + 1) * record.ranks])
            for suit in range(record.suits)
        ),
        hint_tokens=None if record.unlimited_hints else record.max_hint_tokens,
        lives=None if record.unlimited_lives else record.max_lives,
        touching=tuple(_touching(record)),
        rank_touching=tuple(unpack_kinds(record.rank_kinds, record.ranks)),
        suit_hints=[*HINT_MODES][record.suit_hints],
        rank_hints=[*HINT_MODES][record.rank_hints],
        letters=letters,
        stacks=STACKS[record.stacks],
        hints_tell=HINT_TELLING[record.hints_tell],
        inverted_suits="".join(letters[suit] for suit in inverted),
        reversed_suits="".join(letters[suit] for suit in members(record.reversed_suits)),
        colours=unpack_letters(record.colours) if record.colours else "",
        discards_per_token=record.discards_per_token,
        first_player=record.first_player,
        **flags,
    )


def _touching(record: RulesRecord) -> Iterator[str]:
    """Yield the kind of each suit, with the hints that touch it where suits share them."""
    for suit, kind in enumerate(unpack_kinds(record.suit_kinds, record.suits)):
        mixture = members(record.mixtures >> (suit * COLOUR_BITS) & (1 << COLOUR_BITS) - 1)
        letters = "".join(unpack_letters(record.colours)[colour] for colour in mixture)
        yield f"{kind.removeprefix(PLAIN)}+{letters}" if letters else kind


NAMING = (
    *("ranks", "suits", "letters", "colours", "suit_kinds", "mixtures", "rank_hints"),
    *("inverted", "reversed_suits", "stacks"),
)
_names: dict[tuple[int, ...], CardNames] = {}


def names_of_cards(record: RulesRecord) -> CardNames:
    """Return what the cards and the hints are called."""
    key = (*(getattr(record, name) for name in NAMING), *record.copies)
    if key not in _names:
        _names[key] = rules_of(record).names
    return _names[key]


def nonstandard_switches(record: RulesRecord) -> list[str]:
    """Return the names of the switches in which the rules differ from the plain ones."""
    return [SWITCHES[bit] for bit in members(record.nonstandard)]


def require_handled(record: RulesRecord, handled: Collection[str], component: str) -> None:
    """Raise unless a component handles every switch in which these rules are not plain."""
    if rule := unhandled_rule(nonstandard_switches(record), handled):
        raise RulesError(f"{component} does not support the rule {rule}")
