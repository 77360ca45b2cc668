"""No byte that a player is sent depends on what that player may not see.

Two games that differ only in cards hidden from a player must look the same to that player, byte by
byte, over HTTP and WebSocket, until one of those cards is seen.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from hanabilab import Deck, HanabiError, Rules
from hanabilab.core.record import pack
from hanabilab.game.actions import PLAY, Event, legal_actions
from hanabilab.game.turn import event_for
from hanabilab.table.game import Game
from hanabilab.web.live.setup import Setup, read_setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.schema import RequestFields, dump_json
from tests.web.clients import Message, Site, Socket, harmless


def with_later_cards_shuffled(deck: Deck, seen: int) -> str:
    """Return a deck with all cards after the first `seen` in another order."""
    cards = str(deck).split()
    later = cards[seen:]
    random.Random(seen).shuffle(later)
    assert later != cards[seen:]
    return " ".join(cards[:seen] + later)


def heard(socket: Socket, table: Message) -> list[str]:
    """Return everything received, without the random name of the table."""
    return [text.replace(table["table"], "TABLE") for text in socket.heard]


@pytest.mark.parametrize("strategy", ["information", "rule-based", "piers", "random"])
def test_the_draw_pile_leaves_no_trace(site: Site, strategy: str) -> None:
    """Play two decks with the same first cards: the traffic is the same until others are drawn."""
    deck = Deck.shuffled(players=3, seed=11)
    turns = 4
    drawn = 15 + 3 * turns
    traffic = []
    for cards in (str(deck), with_later_cards_shuffled(deck, drawn)):
        table = site.table(players=3, humans=[1], strategies=strategy, deck=cards, seed=9)
        with site.seat(table, 1) as seat:
            seat.play(harmless, turns)
            traffic.append(heard(seat.socket, table))
    assert traffic[0] == traffic[1]


def test_own_cards_leave_no_trace(site: Site) -> None:
    """Change a player's own cards and the draw pile: that player gets the same bytes.

    The other player is a person, who sees these cards but acts the same way.
    """
    rules = Rules.classic(2)
    deck = Deck.shuffled(rules, seed=5)
    cards = str(deck).split()
    hidden = cards[5:10] + cards[20:]
    random.Random(1).shuffle(hidden)
    other = " ".join(cards[:5] + hidden[:5] + cards[10:20] + hidden[5:])
    hint = {"type": "hint_rank", "target": 0, "value": int(cards[1][1])}
    traffic = []
    for text in (str(deck), other):
        table = site.table(players=2, humans=[0, 1], deck=text)
        with site.seat(table, 0) as zero, site.seat(table, 1) as one:
            one.socket.until("board")
            for turn, (actor, action) in enumerate(
                [
                    (zero, {"type": "play", "slot": 0}),
                    (one, hint),
                    (zero, {"type": "play", "slot": 2}),
                ]
            ):
                actor.act({"turn": turn}, action)
                while one.socket.until("board")["board"]["facts"]["turn"] <= turn:
                    pass
            traffic.append(heard(one.socket, table))
    assert len(traffic[0]) >= 5
    assert without_presence(traffic[0]) == without_presence(traffic[1])


def without_presence(texts: list[str]) -> list[str]:
    """Return the texts without those that tell who is here, which depend on timing."""
    return [text for text in texts if '"type":"table"' not in text]


@pytest.mark.parametrize("players", [2, 3, 5])
def test_boards_depend_on_the_view_only(players: int) -> None:
    """Exchange a player's own cards for others that fit the hints, at every turn: same board.

    What strategies say is left out, since they could not have said it in the other game; the tests
    of the strategies check that it reveals nothing about the reader's cards.
    """
    asked = {"players": players, "humans": [0], "strategies": ["rule-based"], "seed": 3}
    setup, _ = read_setup(RequestFields(asked))
    shared = SharedGame(setup, [])
    tried = 0
    while not shared.game.is_over:
        other = otherwise(setup, shared)
        if other is not None:
            tried += 1
            here, there = (shown(each, 0) for each in (shared, other))
            assert here == there
        number = (
            shared.choose()
            if shared.partner_to_move
            else shared.action_number(harmless(shared.board_for(0)["facts"]))
        )
        shared.apply(number)
    assert tried > 10


def shown(shared: SharedGame, seat: int) -> str:
    explanations, shared.explanations = shared.explanations, [{}] * shared.game.turn
    text = dump_json({"board": shared.board_for(seat), "turns": shared.turns_for(seat)})
    shared.explanations = explanations
    return text


def otherwise(setup: Setup, shared: SharedGame) -> SharedGame | None:
    """Return the same game with other cards in hand 0 and the draw pile, if the hints allow it."""
    game = shared.game
    unseen = places_out_of_sight(game)
    coins = random.Random(game.turn)
    for _ in range(20):
        cards = list(game.deck.cards)
        values = [cards[place] for place in unseen]
        coins.shuffle(values)
        for place, value in zip(unseen, values, strict=True):
            cards[place] = value
        deck = Deck.of(game.rules, cards)
        again = Game(game.rules, deck)
        try:
            for action in game.actions:
                again.act(action)
        except HanabiError:
            continue
        same = [event.touched for event in again.events] == [e.touched for e in game.events]
        if same and deck != game.deck:
            changed = Setup.from_dict({**setup.to_dict(), "deck": str(deck)})
            return with_actions(changed, again, shared)
    return None


def with_actions(setup: Setup, game: Game, before: SharedGame) -> SharedGame:
    """Return a shared game that stands where a game stands, with the same cards in public."""
    shared = SharedGame(setup, [])
    shared.game, shared.orders, shared.counts = game, before.orders, before.counts
    shared.readers = before.readers
    return shared


def places_out_of_sight(game: Game) -> list[int]:
    """Return where in the deck the cards are that player 0 has not seen: hand and draw pile.

    Where played cards stay hidden, those that this player has played are among them.
    """
    rules = game.rules
    played = []
    hand = list(range(rules.hand_size))
    drawn = rules.players * rules.hand_size
    for event in game.events:
        if event.kind in (0, 1):
            if event.player == 0:
                place = hand.pop(event.slot)
                if rules.hidden_plays and event.kind == PLAY:
                    played.append(place)
            if event.drew:
                if event.player == 0:
                    hand.append(drawn)
                drawn += 1
    return [*played, *hand, *range(drawn, rules.deck_size)]


@pytest.mark.parametrize("strategies", [["random"], []])
def test_hidden_plays_leave_no_trace(strategies: list[str]) -> None:
    """Other cards played by a player, which fit or not, look the same to that player."""
    humans = [0] if strategies else [0, 1]
    tried, fitted = 0, set()
    for seed in range(3, 8):
        asked = {"players": 2, "humans": humans, "strategies": strategies or ["random"]}
        hole = {"rules": "Throw It in a Hole (5 Suits)", "seed": seed}
        setup, _ = read_setup(RequestFields({**asked, **hole}))
        shared, coins = SharedGame(setup, []), random.Random(4)
        while not shared.game.is_over:
            other = otherwise(setup, shared)
            if other is not None and not other.game.is_over:
                tried += 1
                fitted |= {one.lit != two.lit for one, two in both_events(shared, other)}
                assert shown(shared, 0) == shown(other, 0)
                facts = shared.board_for(0)["facts"]
                assert (facts["score"], facts["lives"], facts["fireworks"]) == (None, None, None)
            choices = legal_actions(shared.game.state)
            shared.apply(shared.choose() if shared.partner_to_move else coins.choice(choices))
        assert shared.board_for(0)["facts"]["score"] is not None
    assert tried > 10
    assert fitted == {True, False}


def both_events(one: SharedGame, two: SharedGame) -> Iterator[tuple[Event, Event]]:
    return zip(one.game.events, two.game.events, strict=True)


@pytest.mark.parametrize("name", ["Duck (5 Suits)", "Cow & Pig (5 Suits)"])
def test_vague_hints_leave_no_trace(name: str) -> None:
    """Hints that touch the same cards look the same to all but the player who gave them."""
    asked = {"players": 3, "humans": [0, 1], "rules": name, "seed": 7, "strategies": ["piers"]}
    setup, _ = read_setup(RequestFields(asked))
    one, two, rules = SharedGame(setup, []), SharedGame(setup, []), setup.rules
    coins, different = random.Random(4), 0
    while not one.game.is_over:
        state = one.game.state
        slots = range(rules.hand_size, 2 * rules.hand_size)
        number = coins.choice([n for n in legal_actions(state) if n not in slots])
        other = coins.choice([n for n in legal_actions(state) if looks_alike(one.game, number, n)])
        giver, different = state.player, different + (other != number)
        one.apply(number)
        two.apply(other)
        for seat in {0, 1, 2, None} - ({giver} if other != number else set()):
            here, there = (shared.board_for(seat) for shared in (one, two))
            assert one.game.is_over or here == there
    assert different >= 3 or rules.hints_tell == "kind"


def looks_alike(game: Game, one: int, two: int) -> bool:
    """Return whether two hints are told in the same words to a spectator."""
    rules = game.state.rules
    first, second = (event_for(game.copy().act(number), rules, None) for number in (one, two))
    return pack(first).tobytes() == pack(second).tobytes()


@pytest.mark.parametrize(("humans", "told"), [([0], {0}), ([0, 1], set())])
def test_only_the_player_who_chose_a_seed_sees_it(
    site: Site, humans: list[int], told: set[int]
) -> None:
    table = site.table(players=3, humans=humans, strategies="piers", seed=8_315)
    for viewer in (*humans, None):
        with site.seat(table, viewer) as seat:
            seat.socket.until("board")
            assert ("8315" in "".join(seat.socket.heard)) == (viewer in told)


@pytest.mark.parametrize("players", [2, 4])
def test_traffic_of_whole_games(site: Site, players: int) -> None:
    """Search every byte of whole games on a random deck for what must not be in it."""
    setup = {"players": players, "humans": [0], "strategies": "piers", "rules": {"lives": None}}
    created = site.post("/api/tables", setup)
    table = created.json()
    with site.seat(table, 0) as seat, site.seat(table, None) as beside:
        over = seat.play(harmless)
        beside.socket.until("over")
    game = Game.from_json(over["game"])
    before_the_end = [created.text, *seat.socket.heard, *beside.socket.heard]
    before_the_end = [text for text in before_the_end if '"type":"over"' not in text]
    assert len(before_the_end) > 2 * game.turn
    for text in before_the_end:
        assert str(over["seed"]) not in text
        assert 'deck"' not in text.replace('"end":"deck"', "")
    for text in seat.socket.heard:
        check_own_hand(json.loads(text), 0)
    for text in beside.socket.heard:
        for player in range(players):
            check_own_hand(json.loads(text), player)


@pytest.mark.parametrize("allowed", [False, True])
def test_spectators_see_hands_only_if_the_table_allows_it(site: Site, allowed: bool) -> None:
    """Everybody is told; players never see their own cards, whatever spectators see."""
    setup = {"spectators_see_hands": True} if allowed else {}
    table = site.table(players=2, humans=[0, 1], seed=6, **setup)
    with site.seat(table, 0) as zero, site.seat(table, 1) as one, site.seat(table, None) as beside:
        for player, each in enumerate((zero, one, beside)):
            assert each.socket.until("table")["spectators_see_hands"] == allowed
            board = each.socket.until("board")
            if player < 2:
                check_own_hand(board, player)
        zero.act({"turn": 0}, {"type": "play", "slot": 0})
        for player, each in enumerate((zero, one)):
            check_own_hand(each.socket.until("board"), player)
        board = beside.socket.until("board")
        beside.socket.send({"type": "look", "id": 1, "turn": 0})
        for message in (board, beside.socket.until("look")):
            facts = message["board"]["facts"]
            assert facts["viewer"] == ("open" if allowed else None)
            assert facts["actions"] == []
            cards = [card["card"] for hand in facts["hands"] for card in hand]
            assert all(cards) if allowed else not any(cards)
            assert ("data-card" in message["board"]["svg"]) == allowed


@pytest.mark.parametrize("seat", [0, None])
def test_looking_back_shows_what_was_shown(site: Site, seat: int | None) -> None:
    """An earlier turn is sent again byte for byte, without actions: nothing is learned later."""
    table = site.table(players=3, humans=[0], strategies="piers", seed=12)
    with site.seat(table, 0) as player, site.seat(table, None) as beside:
        player.play(harmless, 5)
        beside.socket.until("board")
        watcher = player if seat == 0 else beside
        shown: dict[int, Message] = {}
        while len(shown) < 15:
            for text in watcher.socket.heard:
                message = json.loads(text)
                if message["type"] == "board":
                    shown[message["board"]["facts"]["turn"]] = message["board"]
            if len(shown) < 15:
                watcher.socket.hear()
        for turn, before in shown.items():
            watcher.socket.send({"type": "look", "id": 50 + turn, "turn": turn})
            again = watcher.socket.until("look")
            assert (again["id"], again["turn"]) == (50 + turn, turn)
            before["facts"]["actions"] = []
            assert again["board"] == before
            check_own_hand(again, 0)
        for wrong in ({"turn": 999}, {"turn": -1}, {"turn": "1"}, {}, {"turn": 1, "eyes": 1}):
            watcher.socket.send({"type": "look", "id": 7, **wrong})
            assert watcher.socket.until("error", "look")["type"] == "error"


def check_own_hand(message: Message, player: int) -> None:
    """Check that neither the facts nor the picture show a card of that hand."""
    if message["type"] not in ("board", "look"):
        return
    board = message["board"]
    assert all(card["card"] is None for card in board["facts"]["hands"][player])
    cards = re.findall(rf'<g[^>]*data-player="{player}"[^>]*>', board["svg"])
    assert len(cards) >= len(board["facts"]["hands"][player])
    assert not any("data-card" in card for card in cards)
