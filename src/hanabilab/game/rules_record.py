"""The rules as a record for kernels, and the switches that a component supports."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from operator import attrgetter
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
    """The rules of a game for kernels, with tables of cards derived from them.

    It never changes during a game. Code that imagines a game copies the whole record with `assign`,
    so that no rule is forgotten.
    """

    ranks: int
    """The number of ranks; the lowest is 1."""
    suits: int
    """The number of suits; the first is 0."""
    players: int
    """The number of players, who are numbered from 0."""
    hand_size: int
    """The number of cards in a full hand."""
    deck_size: int
    """The number of cards in the deck."""
    max_hint_tokens: int
    """The largest possible number of hint tokens; a large number if they are unlimited."""
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
    """Whether a card may be discarded when no hint token is missing."""
    keep_score: int
    """Whether the score counts when the last life is lost."""
    keep_on_last_turn: int
    """Whether the score counts when the last life is lost on the very last turn."""
    deck_ends: int
    """Whether the game ends one round after the last draw."""
    open_game: int
    """Whether everybody sees all cards and a hint is a pass."""
    letters: int
    """The letters of the suits, packed (`hanabilab.game.names`)."""
    planes: int
    """The number of bit planes that the copies of this game need."""
    all_cards: int
    """The set of all cards."""
    rank_pattern: int
    """The cards of rank 1; shifted left by r, those of rank 1 + r."""
    suit_of: list[int] = ints(HIDDEN + 1)
    """The suit of each card."""
    hint_bits: list[int] = ints(HIDDEN + 1)
    """For each card, the suit hints and, above all suits, the rank hints that touch it."""
    all_hints: int
    """All hints that exist, in the same bits; some special suits have no hint of their own."""
    free_hints: int
    """The hints that may be given even if they touch nothing."""
    discards_per_token: int
    """The number of discards or completed suits that return one hint token."""
    first_player: int
    """The player who takes the first turn."""
    deck_plays: int
    """Whether the last card may be played straight from the draw pile."""
    other_actions: int
    """Whether there are passes, plays from the draw pile, or barred hints."""
    all_or_nothing: int
    """Whether only the maximum counts, and the draw pile does not end the game."""
    score_ends: int
    """Whether the game ends as soon as the score can no longer rise."""
    speedrun: int
    """Whether losing the last copy of a needed card ends the game with a score of 0."""
    other_ends: int
    """Whether the game can end in ways other than lost lives, the maximum and the last round."""
    max_score: int
    """The score of a perfect game."""
    special_hints: int
    """Whether hints touch cards other than those of their own suit or rank."""
    colours: int
    """The letters of the suit hints, packed; 0 if they are those of the suits."""
    suit_hints: int
    rank_hints: int
    """The mode of suit hints and of rank hints, as an index into `HINT_MODES`."""
    suit_kinds: int
    rank_kinds: int
    mixtures: int
    """The kinds of suits and ranks, and the hints that touch mixed suits, packed for `rules_of`."""
    alternating_hints: int
    """Whether suit hints and rank hints alternate."""
    inverted: int
    """The cards that are played by discarding them, and discarded by playing them."""
    reversed_suits: int
    """The suits played from the highest rank down, one bit each."""
    stacks: int
    """How fireworks are built: from 1, up or down, or from any rank (0, 1, 2)."""
    stack_size: int
    """The number of cards in a complete firework."""
    hidden_plays: int
    """Whether the outcome of played cards stays hidden."""
    hints_tell: int
    """What a hint reveals: everything, its kind, or only the cards it touches (0, 1, 2)."""
    other_effects: int
    """Whether any action has an effect that differs from the plain rules."""
    secrets: int
    """Whether views hide more than the observer's own hand."""
    copies: list[int] = ints(PLANES)
    """How many copies of each card the deck has, as bit planes."""
    nonstandard: int
    """The switches that differ from the plain rules, one bit for each of `SWITCHES`."""

    def copy(self) -> Self:
        """Return a copy, quickly: in interpreted runs every view has its own."""
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
    """Return the rules as a record for kernels."""
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
    """Set the largest numbers of tokens and lives; more lives than cards never run out."""
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
    """Return the suits with these letters, one bit each."""
    return sum(1 << rules.letters.index(letter) for letter in letters)


def _set_hints(record: RulesRecord, rules: Rules) -> None:
    """Set which hints exist, and which cards each of them touches."""
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
    """Return the rules from which a record was made."""
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
    """Yield the kind of each suit, followed by its hints if suits share them."""
    for suit, kind in enumerate(unpack_kinds(record.suit_kinds, record.suits)):
        mixture = members(record.mixtures >> (suit * COLOUR_BITS) & (1 << COLOUR_BITS) - 1)
        letters = "".join(unpack_letters(record.colours)[colour] for colour in mixture)
        yield f"{kind.removeprefix(PLAIN)}+{letters}" if letters else kind


NAMING = (
    *("ranks", "suits", "letters", "colours", "suit_kinds", "mixtures", "rank_hints"),
    *("inverted", "reversed_suits", "stacks"),
)
_naming = attrgetter(*NAMING)
_names: dict[tuple[int, ...], CardNames] = {}


def names_of_cards(record: RulesRecord) -> CardNames:
    """Return the names of the cards and hints."""
    key = (*_naming(record), *record.copies)
    if key not in _names:
        _names[key] = rules_of(record).names
    return _names[key]


def nonstandard_switches(record: RulesRecord) -> list[str]:
    """Return the names of the switches that are not at their plain values."""
    return [SWITCHES[bit] for bit in members(record.nonstandard)]


def require_handled(record: RulesRecord, handled: Collection[str], component: str) -> None:
    """Raise if a component does not support a switch that is not at its plain value."""
    if rule := unhandled_rule(nonstandard_switches(record), handled):
        raise RulesError(f"{component} does not support the rule {rule}")
