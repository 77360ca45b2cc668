"""A game run by another server, followed from one seat and played by a strategy.

The server identifies cards by their position in the deck and never sends our own. The strategy gets
the view that it would get at one of our tables, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.core.bits import lowest, members
from hanabilab.errors import LiveError, RulesError, StrategyError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels
from hanabilab.formats.hanablive import live_rules
from hanabilab.formats.hanablive.encoding import COLOUR_HINT, DISCARD, PLAY, RANK_HINT
from hanabilab.formats.hanablive.options import colours_of
from hanabilab.game.actions import Event, decode_action, is_legal, legal_actions
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, card_in, put_card
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, NO_MORE_POINTS, State, initial_state
from hanabilab.game.turn import cards_of_hint, could_touch, deal, take_turn, touched_cards
from hanabilab.live.messages import without_secrets
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game

__all__ = ["RemoteGame", "rules_of"]

RANK = 1
"""The number of rank hints in messages; 0 is a color hint."""
ENDS = {3: "out of time", 4: "terminated", 6: "idle for too long", 10: "ended by a vote"}
"""The ends of games that our rules do not know; the site counts 0 points for them."""


def rules_of(options: object, players: int) -> Rules:
    """Return the rules of a table, or raise with the reason why they cannot be played."""
    if not isinstance(options, Mapping):
        raise RulesError("the table has no options")
    wanted = {key: value for key, value in options.items() if value}
    for key in ("variantID", "numPlayers"):  # 0 in every live game, whatever is played
        wanted.pop(key, None)
    return live_rules(wanted, players)


class RemoteGame:
    """A strategy's seat in a game run by a server.

    `receive` takes the server's actions in order of arrival. When `my_turn` is true, `choose` asks
    the strategy and `command` returns the message to send.
    """

    def __init__(self, strategy: Strategy, rules: Rules, player: int, stream: int) -> None:
        if strategy.sees_own_hand:
            raise StrategyError(f"{strategy.name} looks at its own cards, which a server hides")
        strategy.check(rules)
        self.rules, self.player = rules, check_integer("seat", player, 0, rules.players - 1)
        self.state = State()
        self.actions: list[Action] = []
        self.reasons: dict[int, str] = {}
        """The explanation of each of our actions, by turn."""
        self.over = False
        self.end = ""
        """Why the server ended the game before our rules did."""
        self._orders: list[list[int]] = [[] for _ in range(rules.players)]
        self._deck = [HIDDEN] * rules.deck_size
        self._pending: dict[str, Any] | None = None
        self._dealt = False
        self._asked = -1
        self._chosen = -1
        self._touched: list[int] = []
        """The slots that each action touched, for hints whose value is concealed."""
        self._seat = Seat(strategy, player, stream, compiled=strategy.can_compile)

    @property
    def strategy(self) -> Strategy:
        """The strategy that plays."""
        return self._seat.strategy

    @property
    def my_turn(self) -> bool:
        """Whether the strategy has to act now."""
        going_on = self._dealt and not self.over and self.state.end == GOING_ON
        return going_on and self.state.player == self.player

    @property
    def turn(self) -> int:
        """The number of turns taken."""
        return self.state.turn

    # --- what the server sends --------------------------------------------------------------------

    def receive(self, action: Mapping[str, Any]) -> None:
        """Process one action; a turn counts when the server announces the next one."""
        action = without_secrets(action, self.rules)
        kind = action.get("type")
        if kind == "draw":
            self._draw(action)
        elif kind in ("clue", "play", "discard"):
            self._complete_turn()
            self._pending = action
        elif kind == "turn":
            self._complete_turn()
            self._compare_turn(action)
        elif kind == "gameOver":
            self._complete_turn(goes_on=False)
            self.over = True
            self.end = ENDS.get(action.get("endCondition", 0), "ended by the server")

    def receive_all(self, actions: Sequence[Mapping[str, Any]]) -> None:
        """Process the actions so far."""
        for action in actions:
            self.receive(action)
        self._complete_turn()

    def _draw(self, action: Mapping[str, Any]) -> None:
        player = check_integer("playerIndex", action.get("playerIndex"), 0, self.rules.players - 1)
        order = check_integer("order", action.get("order"), 0, self.rules.deck_size - 1)
        if player != self.player:
            self._deck[order] = self._card(action)
        self._orders[player].append(order)
        drawn = sum(map(len, self._orders))
        if not self._dealt and drawn == self.rules.players * self.rules.hand_size:
            deal(self.state, initial_state(self.rules), self._deck)
            self._dealt = True
            self._seat.begin(self.state)

    def _card(self, action: Mapping[str, Any]) -> int:
        suit = check_integer("suitIndex", action.get("suitIndex"), 0, self.rules.suits - 1)
        card = self.rules.card_of(suit, check_integer("rank", action.get("rank"), 1))
        if card is None:
            raise LiveError(f"no card of suit {suit} has the rank {action['rank']}")
        return card

    def _complete_turn(self, *, goes_on: bool = True) -> None:
        if self._pending is None:
            return
        action, self._pending = self._pending, None
        if not self._dealt:
            raise LiveError("a turn came before the deal")
        if self.state.player == self.player and self._asked != self.state.turn:
            self._seat.follow(self.state)  # it acted before the connection was lost
        event = self._hint(action) if action["type"] == "clue" else self._card_event(action)
        take_turn(self.state, self._deck, event)
        self.state.hands[self.player] = HIDDEN_HAND
        if goes_on and self.state.end == NO_MORE_POINTS:
            self.state.end = GOING_ON  # the server sees our cards: one of them can still score
        if self.rules.hidden_plays:  # only the server knows lives and score, and when it is over
            self.state.lives = self.state.rules.max_lives
            self.state.end = GOING_ON
        self.actions.append(Action.from_event(event))
        self._touched.append(event.touched)
        self._seat.observe(self.state, event)

    def _hint(self, action: Mapping[str, Any]) -> Event:
        clue = action.get("clue")
        if not isinstance(clue, Mapping):
            raise LiveError("a hint without its value")
        target = check_integer("target", action.get("target"), 0, self.rules.players - 1)
        listed = action.get("list")
        touched = listed if isinstance(listed, list) else []
        if self.rules.hints_tell != "all":
            hint = self._vague_hint(clue.get("type"), target, touched)
        else:
            hint = self._exact_hint(clue, target)
        event = self._event(hint)
        if target == self.player:
            self._stand_in(event, touched)
        return self._checked(event, hint)

    def _exact_hint(self, clue: Mapping[str, Any], target: int) -> Action:
        value = check_integer("value", clue.get("value"), 0)
        if clue.get("type") == RANK:
            return Action.hint_rank(target, value)
        colours = colours_of(self.rules)
        check_integer("colour", value, 0, len(colours) - 1)
        return Action.hint_suit(target, colours[value])

    def _vague_hint(self, kind: object, target: int, touched: Sequence[int]) -> Action:
        """Return our own hint, or any that touches exactly these cards: the others see no more."""
        if self.state.player == self.player and self._asked == self.state.turn:
            return Action.from_number(self._chosen, self.state)
        orders = self._orders[target]
        slots = sum(1 << slot for slot, order in enumerate(orders) if order in touched)
        for bit in members(self.state.rules.all_hints):
            hint = _hint_of_bit(self.rules, target, bit)
            if kind in (None, int(hint.type == "hint_rank")) and self._fits(target, slots, bit):
                return hint
        raise LiveError("the server reports a hint that no hand allows")

    def _fits(self, target: int, slots: int, bit: int) -> bool:
        """Return whether a hint touches exactly these slots; for our own hand, whether it may."""
        if target == self.player:
            return could_touch(self.state, target, slots, bit)
        return slots_touched(self.state, target, bit) == slots

    def _stand_in(self, event: Event, touched: Sequence[int]) -> None:
        """Hold stand-ins for our own cards during one hint, touched exactly as the server says."""
        cards = touched_cards(self.state, event)
        others = self.state.rules.all_cards & ~cards
        hand = HIDDEN_HAND
        for slot, order in enumerate(self._orders[self.player]):
            fitting = cards if order in touched else others
            if not fitting:
                raise LiveError("the server reports a hint that no hand allows")
            hand = put_card(hand, slot, lowest(fitting))
        self.state.hands[self.player] = hand

    def _card_event(self, action: Mapping[str, Any]) -> Event:
        player = check_integer("playerIndex", action.get("playerIndex"), 0, self.rules.players - 1)
        order = check_integer("order", action.get("order"), 0, self.rules.deck_size - 1)
        if player != self.state.player:
            raise LiveError(f"player {player} acted in player {self.state.player}'s turn")
        if order not in self._orders[player]:
            raise LiveError(f"card {order} is not in the hand of player {player}")
        slot = self._orders[player].index(order)
        self._orders[player].remove(order)
        if player == self.player:
            hidden = self.rules.hidden_plays and action["type"] == "play"
            self._deck[order] = self._any_card(slot) if hidden else self._card(action)
            if slot < self.state.hand_count[player]:
                self.state.hands[player] = put_card(HIDDEN_HAND, slot, self._deck[order])
        # The server tells what became of a card; in inverted suits its player chose the other.
        effect = action["type"] == "play" or action.get("failed") is True
        played = effect != bool(self.state.rules.inverted >> self._deck[order] & 1)
        chosen = Action.play(slot) if played else Action.discard(slot)
        return self._checked(self._event(chosen), chosen)

    def _any_card(self, slot: int) -> int:
        """Return a card that one of ours may have been, where its identity stays hidden.

        If we discarded the card and it was played, its suit is inverted.
        """
        rules = self.state.rules
        asked = self._asked == self.state.turn
        pressed = Action.from_number(self._chosen, self.state).type if asked else "play"
        cards = rules.inverted if pressed == "discard" else rules.all_cards & ~rules.inverted
        held = slot < self.state.hand_count[self.player]
        possible = self.state.possible[self.player][slot] if held else rules.all_cards
        return lowest(possible & cards or possible)

    def _event(self, action: Action) -> Event:
        number, event = action.number(self.state), Event()
        if number is None:
            raise LiveError(f"player {self.state.player} cannot {action.describe()}")
        decode_action(self.state, number, event)
        return event

    def _checked(self, event: Event, action: Action) -> Event:
        if not is_legal(self.state, event):
            raise LiveError(f"player {self.state.player} cannot {action.describe()} by our rules")
        return event

    def _compare_turn(self, action: Mapping[str, Any]) -> None:
        """Raise if the server's turn and ours differ, which means that the rules do."""
        player = action.get("currentPlayerIndex")
        if player == -1 or self.state.end != GOING_ON or not self._dealt:
            return
        if player != self.state.player:
            raise LiveError(f"the server lets player {player} act, our rules {self.state.player}")

    # --- what the strategy does -------------------------------------------------------------------

    def choose(self) -> int:
        """Return the number of the action that the strategy chooses; it is asked once per turn."""
        action = self._seat.act(self.state)
        self._asked, self._chosen = self.state.turn, action
        if action not in legal_actions(self.state):
            raise StrategyError(f"{self.strategy.name} chose action {action}, which is not legal")
        return action

    def hurry(self) -> None:
        """Make a strategy that thinks for long act at once; may be called from another thread."""
        self._seat.hurry()

    def command(self, number: int) -> dict[str, int]:
        """Return the fields of the message for an action."""
        action = Action.from_number(number, self.state)
        if action.type in ("play", "discard"):
            orders = self._orders[self.player]
            last = action.slot == len(orders)
            order = self.rules.deck_size - 1 if last else orders[action.slot]
            return {"type": PLAY if action.type == "play" else DISCARD, "target": order}
        if action.type == "hint_rank":
            return {"type": RANK_HINT, "target": action.target, "value": action.value}
        colour = colours_of(self.rules).index(action.value)
        return {"type": COLOUR_HINT, "target": action.target, "value": colour}

    def explain(self, number: int, names: Sequence[str]) -> str:
        """Return why the strategy chose an action, and store it for after the game."""
        reason = self._seat.explain(self.state, number, None, Labels.of(names))
        self.reasons[self.state.turn] = reason
        return reason

    def note_place(self, number: int) -> int | None:
        """Return the card on which a note about an action belongs."""
        action = Action.from_number(number, self.state)
        if action.type in ("play", "discard"):
            return self.command(number)["target"]
        event = self._event(action)
        cards = touched_cards(self.state, event)
        hand = self.state.hands[action.target]
        touched = [
            order
            for slot, order in enumerate(self._orders[action.target])
            if cards >> card_in(hand, slot) & 1
        ]
        return touched[-1] if touched else None

    def finished(self, cards: Sequence[Mapping[str, Any]]) -> Game:
        """Return the whole game, once the server has revealed all cards."""
        deck = [self._card(card) for card in cards]
        game = Game(self.rules, Deck.of(self.rules, deck, any_deck=True))
        for action, touched in zip(self.actions, self._touched, strict=True):
            game.act(self._true_hint(game.state, action, touched))
        return game

    def _true_hint(self, state: State, action: Action, touched: int) -> Action:
        """Return an action, or a hint that touches what a hint of concealed value touched."""
        if self.rules.hints_tell == "all" or not action.type.startswith("hint"):
            return action
        same_kind = self.rules.hints_tell == "kind"
        hints = [
            hint
            for bit in members(state.rules.all_hints)
            if slots_touched(state, action.target, bit) == touched
            and (hint := _hint_of_bit(self.rules, action.target, bit)).type
            in ((action.type,) if same_kind else ("hint_suit", "hint_rank"))
        ]
        return action if action in hints or not hints else hints[0]


def slots_touched(state: State, target: int, bit: int) -> int:
    """Return the slots of a hand that a hint touches, given by its bit."""
    cards = cards_of_hint(state, bit)
    hand = state.hands[target]
    return sum(
        1 << slot for slot in range(state.hand_count[target]) if cards >> card_in(hand, slot) & 1
    )


def _hint_of_bit(rules: Rules, target: int, bit: int) -> Action:
    """Return the hint for a bit: suits from bit 0, ranks above all suits."""
    if bit < rules.suits:
        return Action.hint_suit(target, bit)
    return Action.hint_rank(target, bit - rules.suits + 1)
