"""The rules of a game: any H = (n, k, p, h, S0, t0, f0), and the points in dispute.

(van den Bergh 2015, Definition 2.9)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from hanabilab.checks import check_choice, check_integer, did_you_mean, is_integer
from hanabilab.display import Displayable
from hanabilab.errors import RulesError
from hanabilab.game.cards import MAX_CARDS, MAX_HAND, MAX_PLAYERS, MAX_SPECIAL_KINDS
from hanabilab.game.names import MOST_LETTERS, CardNames, letters_of, names_of
from hanabilab.game.presets import CLASSIC_COPIES, PRESETS, SIX_PLAYERS, named_preset
from hanabilab.game.variants import (
    DECEPTIVE,
    HINT_MODES,
    HINT_TELLING,
    OWN,
    PLAIN,
    PRISM,
    RANK_HINT_MODES,
    STACKS,
    START_RANK,
    SUDOKU,
    SUIT_HINT_MODES,
    UP_OR_DOWN,
    USUAL,
    touch_of,
)

__all__ = [
    "FLAGS",
    "MAX_COPIES",
    "MOST_COLOURS",
    "PRESETS",
    "SIX_PLAYERS",
    "SWITCHES",
    "Copies",
    "Rules",
    "named_preset",
    "preset",
    "switch_set",
    "unhandled_rule",
]

MAX_COPIES = 31  # counts of copies are five bit planes
MOST_STARTS = 15  # a state packs the first rank of each firework into four bits
MOST_COLOURS = 7  # a state packs those of eight suits into one number

Copies = tuple[tuple[int, ...], ...]
MAX_COUNTER = 1_000_000
SIZES = frozenset(
    {"players", "hand_size", "ranks", "suits", "copies", "hint_tokens", "lives", "letters"}
)
"""The fields that set the size of a game; all others are switches."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rules(Displayable):
    """The cards, the players, and the switches on which the papers disagree.

    `copies` may be given once for all suits, ``(3, 2, 2, 2, 1)``, or as one row per suit.
    `hint_tokens` and `lives` may be None for unlimited. Unlimited lives never run out. Unlimited
    hints end at `token_limit`, because many strategies hint whenever they can, and every game must
    end.

    Examples
    --------
    >>> Rules(players=3, hand_size=5, suits=4).max_score
    20
    """

    players: int
    hand_size: int
    ranks: int = 5
    suits: int = 5
    copies: Copies = (CLASSIC_COPIES,)
    hint_tokens: int | None = 8
    lives: int | None = 3
    empty_hints: bool = False
    """Whether a hint may touch no card."""
    token_for_suit: bool = True
    """Whether completing a suit gives a hint token back."""
    discard_at_full: bool = False
    """Whether a card may be discarded when no hint token is missing; it then returns none."""
    keep_score: bool = False
    """Whether the score counts when the last life is lost; otherwise it is 0."""
    keep_on_last_turn: bool = False
    """Whether the score counts when the last life is lost on the very last turn."""
    deck_ends: bool = True
    """Whether the game ends one round after the last draw; never with `all_or_nothing`."""
    open_game: bool = False
    """Whether all players see all cards, so that a hint is just a pass."""
    touching: tuple[str, ...] = (PLAIN,)
    """Which hints touch the cards of each suit (`hanabilab.game.variants`)."""
    rank_touching: tuple[str, ...] = (PLAIN,)
    """Which hints touch the cards of each rank, unless the suit decides it."""
    suit_hints: str = USUAL
    """What suit hints do: usual, blind (they touch nothing), mute (there are none), or synesthesia
    (each touches a rank as well).
    """
    rank_hints: str = USUAL
    """What rank hints do: usual, blind, mute, odds-and-evens (they name odd, 1, or even, 2),
    funnels (they touch all lower ranks too) or chimneys (all higher ranks too).
    """
    letters: str = ""
    """The letters of the suits; empty for the usual ones, r y g b w m …"""
    colours: str = ""
    """The letters of the suit hints if suits share them; empty if each suit has its own."""
    discards_per_token: int = 1
    """The number of discards or completed suits that return one hint token."""
    first_player: int = 0
    """The player who takes the first turn."""
    deck_plays: bool = False
    """Whether the last card may be played straight from the draw pile."""
    all_or_nothing: bool = False
    """Whether only the maximum counts, and the draw pile does not end the game."""
    score_ends: bool = False
    """Whether the game ends as soon as the score can no longer rise, as at hanab.live."""
    speedrun: bool = False
    """Whether losing the last copy of a needed card ends the game with a score of 0."""
    alternating_hints: bool = False
    """Whether suit hints and rank hints must alternate."""
    inverted_suits: str = ""
    """The letters of the suits whose cards are played by discarding them and discarded by playing
    them. Discards are then allowed when no hint token is missing.
    """
    reversed_suits: str = ""
    """The letters of the suits played from the highest rank down to 1; their `copies` are in that
    order too.
    """
    stacks: str = USUAL
    """How fireworks are built: usual; up-or-down, from 1, 5 or a start card (the last rank); or
    sudoku, from a rank with which no other suit begins, wrapping from the highest rank to 1.
    """
    hidden_plays: bool = False
    """Whether played cards, their success and the score stay hidden."""
    hints_tell: str = "all"
    """What a hint reveals: everything, only its kind (suit or rank), or only the touched cards."""
    preset: str | None = dataclasses.field(default=None, compare=False)
    """The name of the preset that these rules equal."""

    about: ClassVar[Mapping[str, str]] = {
        "players": "players",
        "hand_size": "hand size",
        "ranks": "ranks",
        "suits": "suits",
        "copies": "copies of each card",
        "hint_tokens": "hint tokens",
        "lives": "lives",
        "empty_hints": "hints that touch no card",
        "token_for_suit": "token back for completing a suit",
        "discard_at_full": "discard with all hint tokens",
        "keep_score": "score kept when the last life is lost",
        "keep_on_last_turn": "score kept when that is on the last turn",
        "deck_ends": "ends after the draw pile",
        "open_game": "open game, hints are passes",
        "touching": "kinds of suits",
        "rank_touching": "kinds of ranks",
        "suit_hints": "suit hints",
        "rank_hints": "rank hints",
        "letters": "letters of the suits",
        "colours": "letters of the suit hints",
        "discards_per_token": "discards for a hint token",
        "first_player": "first player",
        "deck_plays": "last card may be played from the draw pile",
        "all_or_nothing": "only the maximum counts",
        "score_ends": "ends when the score can no longer rise",
        "speedrun": "a lost card ends the game with 0",
        "alternating_hints": "suit hints and rank hints alternate",
        "inverted_suits": "suits that are played by discarding",
        "reversed_suits": "suits that are played downwards",
        "stacks": "how fireworks are built",
        "hidden_plays": "played cards stay hidden",
        "hints_tell": "what hints tell",
    }
    """Each field and its value in words, in display order."""

    def __repr__(self) -> str:
        """Return the preset's name, or the rules that differ from the usual ones."""
        name = f"{self.preset or 'custom'}, {self.players} players, {self.hand_size} cards each"
        if self.preset:
            return f"<Rules: {name}>"
        usual = Rules(players=self.players, hand_size=self.hand_size)
        own = ((field, getattr(self, field)) for field in self.about)
        others = [f"{field} {value}" for field, value in own if value != getattr(usual, field)]
        return f"<Rules: {', '.join([name, *others])}>"

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_flags()
        self._check("discards_per_token", 1, MAX_COUNTER)
        self._check("first_player", 0, self.players - 1)
        self._check_cards()
        self._check_stacks()
        if self.all_or_nothing:
            self._set("deck_ends", False)
        if self.inverted_suits:
            self._set("discard_at_full", True)
        if self.deck_plays and self.hand_size == MAX_HAND:
            raise RulesError(f"deck_plays: needs hands of less than {MAX_HAND} cards")
        if self.players * self.hand_size > self.deck_size:
            raise RulesError(
                f"hand_size: {self.players} players with {self.hand_size} cards each need "
                f"{self.players * self.hand_size} cards, but the deck has {self.deck_size}"
            )

    def _check_sizes(self) -> None:
        """Raise if there are too few or too many players, cards, tokens or lives."""
        self._check("players", 1, MAX_PLAYERS)
        self._check("hand_size", 1, MAX_HAND)
        self._check("ranks", 1, MAX_CARDS)
        self._check("suits", 1, MAX_CARDS)
        if self.ranks * self.suits > MAX_CARDS:
            raise RulesError(
                f"suits: {self.suits} suits of {self.ranks} ranks are {self.ranks * self.suits} "
                f"different cards; at most {MAX_CARDS} are possible"
            )
        if self.hint_tokens is not None:
            self._check("hint_tokens", 0, MAX_COUNTER)
        if self.lives is not None:
            self._check("lives", 1, MAX_COUNTER)

    def _check_stacks(self) -> None:
        """Raise if the fireworks cannot be built in the chosen way."""
        check_choice("stacks", self.stacks, STACKS, error=RulesError)
        check_choice("hints tell", self.hints_tell, HINT_TELLING, error=RulesError)
        if self.stacks == UP_OR_DOWN and (self.ranks != START_RANK - 1 or self.reversed_suits):
            raise RulesError(
                f"stacks: {self.stacks} needs {START_RANK - 1} ranks, the last of which are start "
                "cards, and no reversed suits"
            )
        if self.stacks == SUDOKU and (self.suits > self.ranks or self.ranks > MOST_STARTS):
            raise RulesError(
                f"stacks: {self.stacks} needs as many ranks as suits or more, up to {MOST_STARTS}"
            )
        if self.stacks == SUDOKU and self.reversed_suits:
            raise RulesError(f"stacks: {self.stacks} has no reversed suits")

    def _check_flags(self) -> None:
        """Raise if a flag is neither true nor false."""
        for switch in FLAGS:
            if not isinstance(getattr(self, switch), bool):
                raise RulesError(f"{switch}: {getattr(self, switch)!r:.80} is not true or false")

    def _check_cards(self) -> None:
        """Raise if copies, letters or hints do not match the suits and ranks; expand them."""
        self._set("copies", _check_copies(self.copies, self.ranks, self.suits))
        self._set("letters", _check_letters(self.letters, self.suits))
        self._set("colours", _check_colours(self.colours, self.suits))
        for name in ("inverted_suits", "reversed_suits"):
            self._set(name, _check_suits(name, getattr(self, name), self.letters))
        self._set("touching", _check_touching(self.touching, self.suits, self.colours))
        self._set("rank_touching", _check_rank_touching(self.rank_touching, self.ranks))
        for name in ("suit_hints", "rank_hints"):
            self._set(name, _check_hint_mode(name, getattr(self, name)))
        if self.special_hints and max(self.suits, self.ranks) > MAX_SPECIAL_KINDS:
            raise RulesError(
                f"touching: {self.special_hints} are possible with at most {MAX_SPECIAL_KINDS} "
                f"suits and ranks, not {max(self.suits, self.ranks)}"
            )

    def _check(self, name: str, least: int, most: int) -> None:
        """Raise if a field is not an integer in its range; store it as a plain integer."""
        self._set(name, check_integer(name, getattr(self, name), least, most, error=RulesError))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def deck_size(self) -> int:
        """The number of cards in the deck (N)."""
        return sum(map(sum, self.copies))

    @property
    def max_score(self) -> int:
        """The score of a perfect game."""
        return self.stack_size * self.suits

    @property
    def stack_size(self) -> int:
        """The number of cards in a complete firework."""
        return self.ranks - (self.stacks == UP_OR_DOWN)

    @property
    def kinds(self) -> int:
        """The number of different cards."""
        return self.ranks * self.suits

    @property
    def nonstandard(self) -> list[str]:
        """The names of the switches that are not at their plain values."""
        return [name for name in SWITCHES if not _is_plain(name, getattr(self, name))]

    @property
    def token_limit(self) -> int:
        """The largest possible number of hint tokens.

        Unlimited tokens are as many as giving every hint once before the first card leaves a hand,
        and once after each card: any further hint would reveal nothing new (thesis, below
        Definition 2.9).
        """
        if self.hint_tokens is not None:
            return self.hint_tokens
        every_hint = max(1, (self.players - 1) * (self.ranks + self.suits))
        return every_hint * (self.deck_size + 1)

    @property
    def hint_letters(self) -> str:
        """The letters of the suit hints."""
        return self.colours or self.letters

    @property
    def special_hints(self) -> str:
        """Which hints touch more than the cards of their own suit or rank, in words, if any."""
        kinds = dict.fromkeys(kind.partition("+")[0] for kind in self.touching)
        phrases = (
            [f"{' and '.join(special)} suits"] if (special := [*filter(_special, kinds)]) else []
        )
        if self.colours:
            phrases.append("suits that share hints")
        phrases += [
            f"{kind} {rank}s" for rank, kind in enumerate(self.rank_touching, 1) if _special(kind)
        ]
        for words in ("suit hints", "rank hints"):
            mode = getattr(self, words.replace(" ", "_"))
            phrases += [f"{words} that {HINT_MODES[mode]}"] if mode != USUAL else []
        return ", ".join(phrases)

    def card_name(self, card: int) -> str:
        """Return a card as text, in the letters of these rules."""
        return self.names.card(card)

    @property
    def names(self) -> CardNames:
        """The names of the cards and hints."""
        single = tuple(set(row) == {1} for row in self.copies)
        return names_of(
            self.letters,
            self.touching,
            single,
            self.colours,
            self.rank_hints,
            self.inverted_suits,
            self.reversed_suits,
            tuple("S" if self._is_start(rank) else str(rank) for rank in self.printed_ranks),
        )

    @property
    def printed_ranks(self) -> tuple[int, ...]:
        """The rank printed on each card; reversed suits begin with the highest."""
        upwards = range(1, self.ranks + 1)
        if self.stacks == UP_OR_DOWN:
            return (*range(1, self.ranks), START_RANK) * self.suits
        return tuple(
            rank
            for letter in self.letters
            for rank in (reversed(upwards) if letter in self.reversed_suits else upwards)
        )

    def _is_start(self, rank: int) -> bool:
        return self.stacks == UP_OR_DOWN and rank == START_RANK

    def card_of(self, suit: int, rank: int) -> int | None:
        """Return the card with this suit and printed rank, if there is one."""
        first = suit * self.ranks
        ranks = self.printed_ranks[first : first + self.ranks]
        return first + ranks.index(rank) if rank in ranks else None

    def replace(self, /, **changes: Any) -> Self:
        """Return these rules with some fields changed, and without the preset's name."""
        unknown = [name for name in changes if name not in self.about]
        if unknown:
            known = ", ".join(self.about)
            meant = did_you_mean(unknown[0], self.about)
            raise RulesError(f"{unknown[0]:.80}: unknown rule; expected one of {known}{meant}")
        if {"ranks", "suits"} & changes.keys() and "copies" not in changes:
            changes["copies"] = _copies_for(self.copies, changes, self)
        if changes.get("suits", self.suits) != self.suits:
            changes.setdefault("letters", "")
            for name in ("colours", "inverted_suits", "reversed_suits"):
                changes.setdefault(name, "")
            changes.setdefault(
                "touching", self.touching[:1] if len(set(self.touching)) == 1 else ()
            )
        if changes.get("ranks", self.ranks) != self.ranks and len(set(self.rank_touching)) == 1:
            changes.setdefault("rank_touching", self.rank_touching[:1])
        changed: Self = dataclasses.replace(self, **{**changes, "preset": None})
        return changed if changed != self else self

    def to_dict(self) -> str | dict[str, Any]:
        """Return the preset's name, or a dictionary of all fields."""
        if self.preset:
            return self.preset
        rows = self.copies
        fields = {name: getattr(self, name) for name in self.about}
        fields["copies"] = list(rows[0]) if len(set(rows)) == 1 else [list(row) for row in rows]
        for name in ("touching", "rank_touching"):
            kinds = fields[name]
            fields[name] = kinds[0] if set(kinds) == {PLAIN} else list(kinds)
        return fields

    @classmethod
    def from_dict(cls, data: object, players: int | None = None) -> Rules:
        """Return rules from a preset's name, or from a dictionary of fields."""
        if not isinstance(data, str | Mapping):
            raise RulesError(f"rules: {data!r:.60} is neither the name of a preset nor an object")
        fields = {"preset": data} if isinstance(data, str) else dict(data)
        base = fields.pop("preset", None) or "classic"
        if not isinstance(base, str):
            raise RulesError(f"preset: {base!r:.60} is not a name")
        if players is not None and fields.setdefault("players", players) != players:
            raise RulesError(f"players: the rules are for {fields['players']}, not {players}")
        return preset(base, **fields)

    @classmethod
    def classic(cls, players: int = 2, **changes: Any) -> Rules:
        """Return the rules of the box, as played at hanab.live; six players hold 3 cards each."""
        return preset("classic", players, **changes)


def _special(kind: str) -> bool:
    return kind not in ("", PLAIN)


SWITCHES = tuple(name for name in Rules.about if name not in SIZES)
"""The fields in which rules differ in kind; in plain rules they have their defaults."""
DEFAULTS = {field.name: field.default for field in dataclasses.fields(Rules)}
FLAGS = tuple(name for name in SWITCHES if isinstance(DEFAULTS[name], bool))
"""The switches that are either on or off."""


def _is_plain(name: str, value: object) -> bool:
    default = DEFAULTS[name]
    if isinstance(default, tuple) and isinstance(value, tuple):  # a kind for each suit or rank
        return set(value) == set(default)
    return value == default


def switch_set(*names: str) -> frozenset[str]:
    """Return the set of switches named in a text, separated by spaces."""
    switches = frozenset(name for line in names for name in line.split())
    if unknown := switches.difference(SWITCHES):
        raise RulesError(f"unknown switches: {', '.join(sorted(unknown))}")
    return switches


def unhandled_rule(nonstandard: Iterable[str], handled: Collection[str]) -> str | None:
    """Return the first switch that a component does not support, in words, or None.

    A component that reasons about the rules lists the switches it supports. A switch added later is
    then rejected by name instead of being ignored.
    """
    return next(
        (f"{name} ({Rules.about[name]})" for name in nonstandard if name not in handled), None
    )


def _copies_for(copies: Copies, changes: Mapping[str, Any], old: Rules) -> Copies:
    """Return the copies for a different number of ranks or suits: the usual ones if they apply."""
    ranks, suits = changes.get("ranks", old.ranks), changes.get("suits", old.suits)
    check_integer("ranks", ranks, 1, MAX_CARDS, error=RulesError)
    check_integer("suits", suits, 1, MAX_CARDS, error=RulesError)
    if ranks == old.ranks and len(set(copies)) == 1:
        return (copies[0],)
    if set(copies) == {CLASSIC_COPIES}:
        return ((3, *(2 for _ in range(ranks - 2)), 1) if ranks > 1 else (3,),)
    raise RulesError(f"copies: needed too for {suits} suits of {ranks} ranks")


def preset(name: str, players: int | None = None, /, **changes: Any) -> Rules:
    """Return the rules of a preset or of a variant of hanab.live, with some fields changed.

    Examples
    --------
    >>> preset("cox", 5)
    <Rules: cox, 5 players, 4 cards each>
    >>> preset("classic", 2, lives=1).lives
    1
    """
    name, chosen = named_preset(name)
    players = changes.pop("players", players)
    players = chosen.players if players is None else players
    hand_size = changes.pop("hand_size", None)
    if hand_size is None:
        check_integer("players", players, 1, MAX_PLAYERS, error=RulesError)
        if players not in chosen.hands:
            known = [str(number) for number in chosen.hands]
            raise RulesError(
                f"players: {name} is for {known[0]} to {known[-1]} players, not {players}; "
                "give a hand size to play it anyway"
            )
        hand_size = chosen.hands[players]
    fields = {**chosen.changes, **changes}
    plain = Rules(players=1, hand_size=1)
    rules = plain.replace(**{**fields, "players": players, "hand_size": hand_size})
    standard = chosen.hands.get(players) == hand_size and not (
        changes and rules != preset(name, players)
    )
    return dataclasses.replace(rules, preset=name if standard else None)


def _check_copies(copies: object, ranks: int, suits: int) -> Copies:
    """Return the copies of each card, one row per suit, or raise."""
    if not isinstance(copies, Sequence) or isinstance(copies, str) or not copies:
        raise RulesError(f"copies: {copies!r:.80} is not a list of counts")
    rows = [copies] if is_integer(copies[0]) else list(copies)
    if len(rows) == 1:
        rows *= suits
    if len(rows) != suits:
        raise RulesError(f"copies: {len(rows)} rows of counts for {suits} suits")
    for suit, row in enumerate(rows):
        if not isinstance(row, Sequence) or isinstance(row, str):
            raise RulesError(f"copies: row {suit + 1}, {row!r:.80}, is not a list of counts")
        if len(row) != ranks:
            raise RulesError(f"copies: row {suit + 1} has {len(row)} counts for {ranks} ranks")
    return tuple(
        tuple(check_integer("copies", count, 0, MAX_COPIES, error=RulesError) for count in row)
        for row in rows
    )


def _check_touching(touching: object, suits: int, colours: str) -> tuple[str, ...]:
    """Return the kind of each suit, or raise; if suits share hints, each kind names its hints."""
    kinds = _one_each("touching", touching, suits, "suits")
    for kind in kinds:
        touch = touch_of(kind)
        if touch.rank_hints == DECEPTIVE:
            raise RulesError(f"touching: {kind!r:.60} is a kind of ranks, not of suits")
        unknown = set(touch.colours) - set(colours)
        if unknown or (colours and touch.suit_hints == OWN and not touch.colours):
            raise RulesError(
                f"touching: {kind!r:.60} names no hints of colours={colours or 'none'}; "
                "expected their letters after a +"
            )
    return kinds


def _check_rank_touching(touching: object, ranks: int) -> tuple[str, ...]:
    """Return the kind of each rank, or raise."""
    kinds = _one_each("rank_touching", touching, ranks, "ranks")
    for kind in kinds:
        if touch_of(kind).colours or touch_of(kind).suit_hints == PRISM:
            raise RulesError(f"rank_touching: {kind!r:.60} is a kind of suits, not of ranks")
    return kinds


def _one_each(name: str, given: object, count: int, what: str) -> tuple[str, ...]:
    kinds = [given] if isinstance(given, str) else given
    if not isinstance(kinds, Sequence) or len(kinds) not in (1, count):
        raise RulesError(f"{name}: {given!r:.60} is not a kind for each of {count} {what}")
    for kind in kinds:
        if not isinstance(kind, str):
            raise RulesError(f"{name}: {kind!r:.60} is not the name of a kind")
    return tuple(kinds) * (count if len(kinds) == 1 else 1)


def _check_hint_mode(name: str, given: object) -> str:
    """Return the mode of suit hints or rank hints, or raise."""
    modes = SUIT_HINT_MODES if name == "suit_hints" else RANK_HINT_MODES
    return check_choice(name.replace("_", " "), given, modes, error=RulesError)


def _check_colours(colours: object, suits: int) -> str:
    """Return the letters of shared suit hints, or raise."""
    if colours == "":
        return ""
    most = min(suits, MOST_COLOURS)
    if not isinstance(colours, str) or not colours.isascii() or not colours.isalpha():
        raise RulesError(f"colours: {colours!r:.60} is not a string of ASCII letters")
    if len(set(colours)) != len(colours) or len(colours) > most or suits > MOST_LETTERS:
        raise RulesError(f"colours: {colours:.60} is not at most {most} different letters")
    return colours


def _check_suits(name: str, given: object, letters: str) -> str:
    """Return the letters of some suits in suit order, or raise."""
    if not isinstance(given, str) or not set(given) <= set(letters):
        raise RulesError(f"{name}: {given!r:.60} is not some of the letters {letters}")
    return "".join(letter for letter in letters if letter in given)


def _check_letters(letters: object, suits: int) -> str:
    """Return the letters of the suits, or raise."""
    usual = letters_of(suits)
    if letters in ("", usual):
        return usual
    if not isinstance(letters, str) or not letters.isascii() or not letters.isalpha():
        raise RulesError(f"letters: {letters!r:.80} is not a string of ASCII letters")
    if len(letters) != suits or len(set(letters)) != suits or suits > MOST_LETTERS:
        raise RulesError(
            f"letters: {letters:.80} is not {suits} different letters (at most {MOST_LETTERS})"
        )
    return letters
