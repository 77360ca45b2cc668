"""The rules of a game: any H = (n, k, p, h, S0, t0, f0), and what the papers disagree on.

(van den Bergh 2015, Definition 2.9)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from hanabilab.checks import did_you_mean, is_whole, whole_number
from hanabilab.deprecation import RETURNS_DATA, renamed
from hanabilab.errors import RulesError
from hanabilab.game.cards import MAX_CARDS, MAX_HAND, MAX_PLAYERS
from hanabilab.game.names import MOST_LETTERS, card_name, letters_of
from hanabilab.game.variants import PLAIN, TOUCHING, VARIANT_NAMES
from hanabilab.showing import Shown

__all__ = [
    "MAX_COPIES",
    "PRESETS",
    "VARIANT_PRESETS",
    "Rules",
    "preset",
]

MAX_COPIES = 31  # counts of copies are five bit planes
MAX_COUNTER = 1_000_000

CLASSIC_COPIES = (3, 2, 2, 2, 1)
CLASSIC_HANDS = {2: 5, 3: 5, 4: 4, 5: 4}

Copies = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rules(Shown):
    """What is in the box, who plays, and the switches on which the papers differ.

    `copies` may be given once for all suits, ``(3, 2, 2, 2, 1)``, or as a row for each suit.
    `hint_tokens` and `lives` may be None for unlimited. Lives then never run out; hints end at
    `token_limit`, because many strategies hint whenever they may, and every game must end.
    """

    players: int
    hand_size: int
    ranks: int = 5
    suits: int = 5
    copies: Copies = (CLASSIC_COPIES,)
    hint_tokens: int | None = 8
    lives: int | None = 3
    empty_hints: bool = False
    """May a hint touch no card?"""
    token_for_suit: bool = True
    """Does completing a suit give a hint token back?"""
    discard_at_full: bool = False
    """May a card be discarded while all hint tokens are there? (It then gives none.)"""
    keep_score: bool = False
    """Does the score count when the last life is lost? (Otherwise it is 0.)"""
    keep_on_last_turn: bool = False
    """Does the score count when the last life is lost on the very last turn?"""
    deck_ends: bool = True
    """Does the game end one turn each after the last draw?"""
    open_game: bool = False
    """Do all players see everything, so that a hint is just a pass?"""
    touching: tuple[str, ...] = (PLAIN,)
    """Which hints touch the cards of each suit (`hanabilab.game.variants`)."""
    letters: str = ""
    """The letters of the suits; empty for the usual ones, r y g b w m …"""
    preset: str | None = dataclasses.field(default=None, compare=False)
    """The name of the preset that these rules are."""

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
        "letters": "letters of the suits",
    }
    """Each field in words, in display order."""

    def __repr__(self) -> str:
        """Return the preset, or the rules that are not the usual ones."""
        name = f"{self.preset or 'custom'}, {self.players} players, {self.hand_size} cards each"
        if self.preset:
            return f"<Rules: {name}>"
        usual = Rules(players=self.players, hand_size=self.hand_size)
        own = ((field, getattr(self, field)) for field in self.about)
        others = [f"{field} {value}" for field, value in own if value != getattr(usual, field)]
        return f"<Rules: {', '.join([name, *others])}>"

    def __post_init__(self) -> None:
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
        for switch in SWITCHES:
            if not isinstance(getattr(self, switch), bool):
                raise RulesError(f"{switch}: {getattr(self, switch)!r} is not true or false")
        object.__setattr__(self, "copies", _check_copies(self.copies, self.ranks, self.suits))
        object.__setattr__(self, "touching", _check_touching(self.touching, self.suits))
        object.__setattr__(self, "letters", _check_letters(self.letters, self.suits))
        if self.players * self.hand_size > self.deck_size:
            raise RulesError(
                f"hand_size: {self.players} players with {self.hand_size} cards each need "
                f"{self.players * self.hand_size} cards, but the deck has {self.deck_size}"
            )

    def _check(self, name: str, least: int, most: int) -> None:
        """Raise if a field is not a whole number in its range; keep it as a plain integer."""
        number = whole_number(name, getattr(self, name), least, most, error=RulesError)
        object.__setattr__(self, name, number)

    @property
    def deck_size(self) -> int:
        """Cards in the deck (N)."""
        return sum(map(sum, self.copies))

    @property
    def max_score(self) -> int:
        """The score of a perfect game."""
        return self.ranks * self.suits

    @property
    def token_limit(self) -> int:
        """The most hint tokens there can be.

        Unlimited ones are as many as if every hint that exists were given once before the first
        card leaves a hand, and once after each card: none could tell anything new (thesis, below
        Definition 2.9).
        """
        if self.hint_tokens is not None:
            return self.hint_tokens
        every_hint = max(1, (self.players - 1) * (self.ranks + self.suits))
        return every_hint * (self.deck_size + 1)

    @property
    def special_suits(self) -> bool:
        """Whether some suits are touched by other hints than those of their own suit and rank."""
        return set(self.touching) != {PLAIN}

    def card_name(self, card: int) -> str:
        """Return a card as text, with the letters of these rules."""
        return card_name(card, self.ranks, self.letters)

    def replace(self, /, **changes: Any) -> Self:
        """Return the same rules with some fields changed, and without the preset's name."""
        unknown = [name for name in changes if name not in self.about]
        if unknown:
            known = ", ".join(self.about)
            meant = did_you_mean(unknown[0], self.about)
            raise RulesError(f"{unknown[0]}: unknown rule; expected one of {known}{meant}")
        if {"ranks", "suits"} & changes.keys() and "copies" not in changes:
            changes["copies"] = _stretch(self.copies, changes, self)
        if changes.get("suits", self.suits) != self.suits:
            changes.setdefault("letters", "")
            changes.setdefault("touching", self.touching[:1] if not self.special_suits else ())
        changed: Self = dataclasses.replace(self, **{**changes, "preset": None})
        return changed if changed != self else self

    def to_dict(self) -> str | dict[str, Any]:
        """Return the preset's name, or an object with every field."""
        if self.preset:
            return self.preset
        rows = self.copies
        fields = {name: getattr(self, name) for name in self.about}
        fields["copies"] = list(rows[0]) if len(set(rows)) == 1 else [list(row) for row in rows]
        fields["touching"] = list(self.touching) if self.special_suits else PLAIN
        return fields

    to_json = renamed("to_json", "to_dict", RETURNS_DATA)

    @classmethod
    def from_dict(cls, data: object, players: int | None = None) -> Rules:
        """Return the rules of a preset's name, or of an object of fields on top of a `preset`."""
        if not isinstance(data, str | Mapping):
            raise RulesError(f"rules: {data!r:.60} is neither the name of a preset nor an object")
        fields = {"preset": data} if isinstance(data, str) else dict(data)
        base = fields.pop("preset", None) or "classic"
        if not isinstance(base, str):
            raise RulesError(f"preset: {base!r:.60} is not a name")
        if players is not None and fields.setdefault("players", players) != players:
            raise RulesError(f"players: the rules are for {fields['players']}, not {players}")
        return preset(base, **fields)

    from_json = classmethod(renamed("from_json", "from_dict"))

    @classmethod
    def classic(cls, players: int = 2, **changes: Any) -> Rules:
        """Return the game in the box, as played at hanab.live; six players get 3 cards each."""
        return preset("classic", players, **changes)


SWITCHES = [field.name for field in dataclasses.fields(Rules) if isinstance(field.default, bool)]


def _check_copies(copies: object, ranks: int, suits: int) -> Copies:
    if not isinstance(copies, Sequence) or isinstance(copies, str) or not copies:
        raise RulesError(f"copies: {copies!r} is not a list of counts")
    rows = [copies] if is_whole(copies[0]) else list(copies)
    if len(rows) == 1:
        rows *= suits
    if len(rows) != suits:
        raise RulesError(f"copies: {len(rows)} rows of counts for {suits} suits")
    for suit, row in enumerate(rows):
        if not isinstance(row, Sequence) or isinstance(row, str):
            raise RulesError(f"copies: row {suit + 1}, {row!r}, is not a list of counts")
        if len(row) != ranks:
            raise RulesError(f"copies: row {suit + 1} has {len(row)} counts for {ranks} ranks")
    return tuple(
        tuple(whole_number("copies", count, 0, MAX_COPIES, error=RulesError) for count in row)
        for row in rows
    )


def _check_touching(touching: object, suits: int) -> tuple[str, ...]:
    kinds = [touching] if isinstance(touching, str) else touching
    if not isinstance(kinds, Sequence) or len(kinds) not in (1, suits):
        raise RulesError(f"touching: {touching!r} is not a kind for each of {suits} suits")
    for kind in kinds:
        if not isinstance(kind, str) or kind not in TOUCHING:
            meant = did_you_mean(str(kind), TOUCHING)
            known = ", ".join(TOUCHING)
            raise RulesError(f"touching: unknown kind {kind!r}; expected {known}{meant}")
    return tuple(kinds) * (suits if len(kinds) == 1 else 1)


def _check_letters(letters: object, suits: int) -> str:
    usual = letters_of(suits)
    if letters in ("", usual):
        return usual
    if not isinstance(letters, str) or not letters.isascii() or not letters.isalpha():
        raise RulesError(f"letters: {letters!r} is not a string of ASCII letters")
    if len(letters) != suits or len(set(letters)) != suits or suits > MOST_LETTERS:
        raise RulesError(
            f"letters: {letters} is not {suits} different letters (at most {MOST_LETTERS})"
        )
    return letters


def _stretch(copies: Copies, changes: Mapping[str, Any], old: Rules) -> Copies:
    """Return the copies for other ranks or suits: the usual ones where they apply."""
    ranks, suits = changes.get("ranks", old.ranks), changes.get("suits", old.suits)
    whole_number("ranks", ranks, 1, MAX_CARDS, error=RulesError)
    whole_number("suits", suits, 1, MAX_CARDS, error=RulesError)
    if ranks == old.ranks and len(set(copies)) == 1:
        return (copies[0],)
    if set(copies) == {CLASSIC_COPIES}:
        return ((3, *(2 for _ in range(ranks - 2)), 1) if ranks > 1 else (3,),)
    raise RulesError(f"copies: needed too for {suits} suits of {ranks} ranks")


@dataclass(frozen=True, slots=True)
class Preset:
    """Named rules: what they change from the classic ones, and where they come from."""

    source: str
    players: int
    """How many play if nobody says."""
    changes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    hands: Mapping[int, int] = dataclasses.field(default_factory=lambda: CLASSIC_HANDS)


SIX_PLAYERS = {**CLASSIC_HANDS, 6: 3}
THESIS = {"empty_hints": True}
PROGRAM = {
    "empty_hints": True,
    "token_for_suit": False,
    "discard_at_full": True,
    "keep_on_last_turn": True,
}
RAINBOW = (CLASSIC_COPIES,) * 5 + ((1, 1, 1, 1, 1),)

PRESETS: Mapping[str, Preset] = {
    "classic": Preset("the game in the box; hanab.live; Keßler 2025", 2, hands=SIX_PLAYERS),
    "thesis": Preset("van den Bergh 2015, section 2.2", 3, THESIS),
    "thesis-program": Preset("what the figures of van den Bergh 2015 imply", 3, PROGRAM),
    "aspects": Preset(
        "van den Bergh, Kosters, Spieksma 2016", 3, {**THESIS, "token_for_suit": False}
    ),
    "cox": Preset(
        "Cox et al. 2015, with the token that its figures need", 5, {"discard_at_full": True}
    ),
    "cox-program": Preset(
        "the program of Cox et al. 2015: the fourth misplay ends, the score is kept",
        5,
        {"discard_at_full": True, "lives": 4, "keep_score": True},
    ),
    "hle": Preset("Hanabi Learning Environment; Hanabi Open Agent Dataset", 2),
    "rainbow-german": Preset("six full suits, 60 cards", 2, {"suits": 6}, SIX_PLAYERS),
    "rainbow-dutch": Preset(
        "a sixth suit with one copy each, 55 cards", 2, {"suits": 6, "copies": RAINBOW}, SIX_PLAYERS
    ),
    "open": Preset("van den Bergh 2015, Definition 3.4", 2, {"open_game": True}, SIX_PLAYERS),
}


VARIANT_PRESETS: Mapping[str, Preset] = {
    name: Preset(f"hanab.live, variant {variant.id}", 2, variant.rules, SIX_PLAYERS)
    for name, variant in VARIANT_NAMES.items()
}


def preset(name: str, players: int | None = None, /, **changes: Any) -> Rules:
    """Return the rules of a preset or of a variant of hanab.live, with some fields changed."""
    chosen = PRESETS.get(name) or VARIANT_PRESETS.get(name)
    if chosen is None:
        raise RulesError(
            f"rules: unknown preset {name!r}; expected {', '.join(PRESETS)}, or a variant of "
            "hanab.live such as 'No Variant' or 'Rainbow (6 Suits)'"
            f"{did_you_mean(name, [*PRESETS, *VARIANT_PRESETS])}"
        )
    players = changes.pop("players", players)
    players = chosen.players if players is None else players
    hand_size = changes.pop("hand_size", None)
    if hand_size is None:
        whole_number("players", players, 1, MAX_PLAYERS, error=RulesError)
        if players not in chosen.hands:
            known = [str(number) for number in chosen.hands]
            raise RulesError(
                f"players: {name} is for {known[0]} to {known[-1]} players, not {players}; "
                "give a hand size to play it anyway"
            )
        hand_size = chosen.hands[players]
    fields = {**chosen.changes, **changes}
    box = Rules(players=1, hand_size=1)
    rules = box.replace(**{**fields, "players": players, "hand_size": hand_size})
    standard = chosen.hands.get(players) == hand_size and not (
        changes and rules != preset(name, players)
    )
    return dataclasses.replace(rules, preset=name if standard else None)
