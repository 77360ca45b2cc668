"""A game that is stepped through action by action."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.core.bits import members
from hanabilab.errors import ActionError, FormatError, HanabiError
from hanabilab.formats.action import ACTION_TYPES, Action
from hanabilab.formats.board_text import ENDS
from hanabilab.formats.deck_text import read_deck
from hanabilab.formats.display import board_html
from hanabilab.formats.game_files import GameRecord, read_games
from hanabilab.formats.hanablive import live_actions, payload_of, to_live_dict, unsupported_rules
from hanabilab.formats.hanablive.encoding import LiveAction
from hanabilab.game.actions import (
    Event,
    count_actions,
    decode_action,
    is_legal,
    legal_actions,
)
from hanabilab.game.deck import Deck, choose_rules
from hanabilab.game.knowledge import Knowledge, from_public, from_seat, probability
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, State, View, initial_state, view_of
from hanabilab.game.turn import deal, final_score, take_turn
from hanabilab.game.variants import MUTE, PARITY

__all__ = ["ENDS", "Game", "SlotKnowledge"]


@dataclass(frozen=True, slots=True)
class SlotKnowledge:
    """The possible cards of a slot, and how likely each is."""

    possible: tuple[str, ...]
    playable: float
    dead: float
    critical: float
    unique: float


class Game:
    """A game from its deck to its end, one action after another.

    >>> game = Game(players=3, seed=1)
    >>> event = game.act(Action.discard(0)) if game.hint_tokens < 8 else game.act("play 0")
    >>> game.turn
    1

    `rules` may be `Rules` or the name of a preset; other keywords change single rules. `deck` may
    be a `Deck`, text, a list of cards, or a hanab.live seed (`p3v0s17`, which also says how many
    play); without one, `seed` and `game` determine it.
    """

    def __init__(
        self,
        rules: Rules | str = "classic",
        deck: Deck | str | Iterable[str | int] | None = None,
        *,
        seed: int = 0,
        game: int = 0,
        any_deck: bool = False,
        **changes: Any,
    ) -> None:
        if isinstance(deck, Deck) and rules == "classic" and not changes:
            rules = deck.rules
        rules = choose_rules(rules, None, changes, deck=deck)
        if deck is None:
            self.deck = Deck.shuffled(rules, seed=seed, game=game)
        else:
            self.deck = read_deck(deck, rules, any_deck=any_deck)
        self.rules = self.deck.rules
        self.state = State()
        self.actions: list[Action] = []
        self.events: list[Event] = []
        self._cards = list(self.deck)
        deal(self.state, initial_state(self.rules), self._cards)

    @property
    def player(self) -> int:
        """The player whose turn it is."""
        return self.state.player

    @property
    def turn(self) -> int:
        """Number of turns taken."""
        return self.state.turn

    @property
    def score(self) -> int:
        """The score if the game ended now."""
        return final_score(self.state)

    @property
    def hint_tokens(self) -> int | None:
        """Hint tokens left; None if unlimited."""
        return None if self.state.rules.unlimited_hints else self.state.hint_tokens

    @property
    def lives(self) -> int | None:
        """Lives left; None if unlimited."""
        return None if self.state.rules.unlimited_lives else self.state.lives

    @property
    def fireworks(self) -> dict[str, int]:
        """The highest rank played, by suit letter."""
        return {
            letter: self.state.fireworks[suit] for suit, letter in enumerate(self.rules.letters)
        }

    @property
    def end(self) -> str | None:
        """How the game ended, or None while it is in progress.

        One of perfect, lives, deck, out of reach, no more points.
        """
        return ENDS[self.state.end]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.state.end != GOING_ON

    def legal_actions(self) -> list[Action]:
        """Return the legal actions of the player to move."""
        return [Action.from_number(number, self.state) for number in legal_actions(self.state)]

    def act(self, action: Action | int | str | Mapping[str, Any]) -> Event:
        """Take a turn; give an `Action`, its number, text (``"play 0"``) or its JSON object."""
        chosen = self._read(action)
        number = chosen.number(self.state)
        event = Event()
        if number is not None:
            decode_action(self.state, number, event)
        if number is None or not is_legal(self.state, event):
            words = chosen.describe(self.rules.hint_letters)
            raise ActionError(f"player {self.player} cannot {words}: {self._why_not(chosen)}")
        take_turn(self.state, self._cards, event)
        self.actions.append(chosen)
        self.events.append(event)
        return event

    def replace_deck(self, deck: Deck) -> None:
        """Continue with another deck that agrees in the cards dealt so far."""
        self.deck, self._cards = deck, list(deck)

    def view(self, player: int) -> View:
        """Return a player's view: a copy without their own cards and the draw pile."""
        if not 0 <= player < self.rules.players:
            raise ActionError(f"there is no player {player}; players are numbered from 0")
        return view_of(self.state, player)

    def knowledge(self, player: int, *, public: bool = False) -> list[SlotKnowledge]:
        """Return what is known of each slot of a player's hand, to that player or publicly.

        The player counts all visible cards; public knowledge counts only discards, fireworks and
        cards that everyone can identify. `hanabilab.game.knowledge` defines the probabilities.
        """
        view = self.view(player)
        known = Knowledge()
        if public:
            from_public(known, view)
        else:
            from_seat(known, view)
        sets = (view.playable, view.dead, view.critical, view.unique)
        return [
            SlotKnowledge(
                tuple(self.rules.card_name(card) for card in members(known.possible[player][slot])),
                *(probability(known, player, slot, cards) for cards in sets),
            )
            for slot in range(view.hand_count[player])
        ]

    def copy(self) -> Game:
        """Return an equal game that can be played on independently."""
        twin = Game.__new__(Game)
        twin.rules, twin.deck, twin.state = self.rules, self.deck, self.state.copy()
        twin._cards = self._cards  # nobody writes to it
        twin.actions, twin.events = self.actions[:], self.events[:]
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (self.rules, self.deck, self.actions) == (other.rules, other.deck, other.actions)

    __hash__ = None  # type: ignore[assignment]  # it can change

    def to_dict(self, why: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the game so far as `hanabilab replay` reads it; `why` explains each action."""
        players, letters = [event.player for event in self.events], self.rules.hint_letters
        actions = [a.to_dict(p, letters) for a, p in zip(self.actions, players, strict=True)]
        if why:
            actions = [{**action, "why": w} for action, w in zip(actions, why, strict=True)]
        return {
            "rules": self.rules.to_dict(),
            "players": self.rules.players,
            "deck": str(self.deck),
            "actions": actions,
            "score": self.score,
            "lives": self.lives,
            "hint_tokens": self.hint_tokens,
            "turns": self.turn,
            "end": self.end,
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Game:
        """Read a game, finished or not, from such an object or its text."""
        return cls.read(data if isinstance(data, str) else json.dumps(data))

    @classmethod
    def read(cls, text: str) -> Game:
        """Read a game in any format that `hanabilab convert` reads, including links and seeds.

        >>> Game.read("p3v0s17").rules.players
        3
        """
        games = list(read_games(text))
        if len(games) != 1:
            raise FormatError(f"expected one game, found {len(games)}")
        return cls.from_record(games[0])

    def link(self) -> str:
        """Return the link that shows this game at hanab.live; `link_losses` lists what it omits."""
        return payload_of(self.deck, self.live_actions()).link()

    def link_losses(self) -> list[str]:
        """Return the rules that a link cannot express."""
        return unsupported_rules(self.rules, options=False)

    def to_hanablive(self) -> dict[str, Any]:
        """Return the game as the object that hanab.live imports."""
        return to_live_dict(self.deck, self.live_actions(), {})

    def live_actions(self) -> list[LiveAction]:
        """Return the actions in hanab.live's numbering, in which cards are deck positions.

        The site ends a game when the score can no longer rise, so later actions are left out.
        """
        turns = self._turns_at_site()
        players = [event.player for event in self.events[:turns]]
        return live_actions(self.deck, self.actions[:turns], players)

    def _turns_at_site(self) -> int:
        """Return the number of turns after which hanab.live would have ended the game."""
        if self.rules.score_ends:
            return self.turn
        game = Game(self.rules.replace(score_ends=True), self.deck)
        for action in self.actions:
            if game.is_over:
                break
            game.act(action)
        return game.turn

    @classmethod
    def from_record(cls, record: GameRecord) -> Game:
        """Return the game of a file, after checking every action."""
        game = cls(record.deck.rules, record.deck)
        for number, data in enumerate(record.actions, 1):
            game.replay_action(data, f"line {record.line}: action {number}")
        return game

    def replay_action(self, data: object, place: str) -> Event:
        """Take one turn of a file; error messages name its position."""
        try:
            action = Action.from_dict(data, self.rules)
            player = data.get("player", self.player) if isinstance(data, Mapping) else None
            if not self.is_over and (player != self.player or isinstance(player, bool)):
                raise ActionError(f"it is player {self.player}'s turn, not player {player}'s")
            return self.act(action)
        except HanabiError as error:
            raise type(error)(f"{place}: {error}") from None

    def _read(self, action: Action | int | str | Mapping[str, Any]) -> Action:
        if isinstance(action, Action):
            return action
        if isinstance(action, str):
            return Action.from_text(action, self.rules)
        if isinstance(action, Mapping):
            return Action.from_dict(action, self.rules)
        if isinstance(action, bool) or not isinstance(action, int):
            raise ActionError(f"{action!r:.80} is not an action")
        if not 0 <= action < count_actions(self.state):
            raise ActionError(f"there is no action {action}; see hanabilab.game.actions")
        return Action.from_number(action, self.state)

    def _why_not(self, action: Action) -> str:
        """Return the reason why an action is illegal."""
        state = self.state
        if self.is_over:
            return f"the game is over ({self.end})"
        if action.type not in ACTION_TYPES.values():
            return f"unknown type {action.type!r:.80}"
        if action.type in ("play", "discard"):
            cards = state.hand_count[state.player]
            if not 0 <= action.slot < cards:
                return f"there is no slot {action.slot} in a hand of {cards} cards"
            return f"all {state.rules.max_hint_tokens} hint tokens are there"
        if (action.type == "pass") != bool(state.rules.open_game):
            return (
                "a hint is a pass in an open game"
                if state.rules.open_game
                else "this game has no pass"
            )
        if action.type != "pass":
            if action.target == state.player:
                return "a hint goes to another player"
            if not 0 <= action.target < state.rules.players:
                return f"there is no player {action.target}"
            limit = state.rules.ranks if action.type == "hint_rank" else state.rules.suits - 1
            if not int(action.type == "hint_rank") <= action.value <= limit:
                return f"there is no such {action.type.removeprefix('hint_')}"
            if reason := self._no_such_hint(action):
                return reason
            bit = action.value + (state.rules.suits - 1) * (action.type == "hint_rank")
            if state.barred_hints >> bit & 1:
                kind = action.type.removeprefix("hint_")
                return f"the last hint was a {kind} hint too"
        if state.hint_tokens == 0:
            end = f": even unlimited ones end after {state.rules.max_hint_tokens:,} hints"
            return f"no hint token is left{end if state.rules.unlimited_hints else ''}"
        return f"this hint touches no card of player {action.target}"

    def _no_such_hint(self, action: Action) -> str | None:
        """Return the reason why a hint does not exist under these rules, or None if it does."""
        rules, suit = self.rules, action.type == "hint_suit"
        bit = action.value if suit else rules.suits + action.value - 1
        if self.state.rules.all_hints >> bit & 1:
            return None
        if (rules.suit_hints if suit else rules.rank_hints) == MUTE:
            return f"these rules have no {'suit' if suit else 'rank'} hints"
        if suit and action.value >= len(rules.hint_letters):
            return "there is no such suit"
        if not suit and rules.rank_hints == PARITY:
            return "rank hints name odd (1) or even (2)"
        kind = rules.touching[action.value] if suit else rules.rank_touching[action.value - 1]
        return f"a {kind} {'suit' if suit else 'rank'} has no hint of its own"

    def __repr__(self) -> str:
        name = self.rules.preset or "custom rules"
        stand = f"over ({self.end})" if self.is_over else f"player {self.player} to move"
        tokens = "unlimited" if self.hint_tokens is None else self.hint_tokens
        lives = "unlimited" if self.lives is None else self.lives
        return (
            f"<Game: {name}, {self.rules.players} players, turn {self.turn}, {stand}, "
            f"score {self.score}, {tokens} hint tokens, {lives} lives, "
            f"{self.state.draw_pile} cards in the draw pile>"
        )

    def _repr_svg_(self) -> str:
        from hanabilab.formats.board_svg import board

        return board(self.state, event=self.events[-1] if self.events else None)

    def _repr_html_(self) -> str:
        return board_html(self.state, self.events[-1] if self.events else None)

    def __rich__(self) -> Any:
        from hanabilab.formats.terminal import board

        return board(self.state)
