"""Tables: people and strategies play whole games over real sockets."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from hanabilab import Deck, Game, Rules
from hanabilab.errors import StrategyError
from hanabilab.game.deck import card_multiset
from hanabilab.strategies import STRATEGIES
from hanabilab.strategies.load import load_player
from hanabilab.strategies.seats import Seat
from hanabilab.table.play import play
from hanabilab.web.game_requests import choose_partner, decode_game
from hanabilab.web.live.setup import Setup, read_setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.schema import RequestFields
from tests.programs import script
from tests.web.clients import Site, harmless
from tests.web.load import play_all

QUICK = [name for name, each in STRATEGIES.items() if each.can_compile and not each.slow]


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("players", [2, 4])
def test_partners_play_as_in_the_lab(name: str, players: int) -> None:
    rules = Rules.classic(players)
    strategy = STRATEGIES[name]
    try:
        strategy.check(rules)
    except StrategyError:
        return
    deck = Deck.shuffled(rules, seed=5, game=3)
    game = Game(rules, deck)
    partners = [Seat.in_game(strategy, player, 5, 3) for player in range(players)]
    for partner in partners:
        partner.begin(game.state)
    while not game.is_over:
        event = game.act(partners[game.player].act(game.state))
        for partner in partners:
            partner.observe(game.state, event)
    assert game == play(strategy, deck, seed=5, game=3)


def test_a_slow_partner_plays_compiled_as_in_the_lab() -> None:
    strategy = STRATEGIES["monte-carlo"].with_options(playouts=3)
    deck = Deck.shuffled(Rules.classic(2), seed=5, game=3)
    played = play(strategy, deck, seed=5, game=3, compiled=False)
    game = Game(deck.rules, deck)
    partners = [Seat.in_game(strategy, player, 5, 3) for player in range(2)]
    for action in played.actions:
        number = partners[game.player].act(game.state)
        assert number == action.number(game.state)
        game.act(action)


@pytest.mark.parametrize("strategy", ["information", "random", "iggi"])
def test_taking_a_game_up_again_leaves_no_trace(strategy: str) -> None:
    """Check that strategies act after a restart as they would have without one."""
    rules = {"lives": None}
    asked = {"players": 3, "humans": [1], "strategies": [strategy], "rules": rules, "seed": 4}
    fields = RequestFields(asked)
    setup, _ = read_setup(fields)
    shared = SharedGame(setup, [])
    for turn in range(24):
        if turn % 5 == 0:
            again = SharedGame(Setup.from_dict(setup.to_dict()), shared.numbers)
            for seat in (0, 1, None):
                assert again.board_for(seat) == shared.board_for(seat)
                assert again.turns_for(seat) == shared.turns_for(seat)
            shared = again
        if shared.partner_to_move:
            shared.apply(shared.choose())
        else:
            shared.apply(shared.action_number(harmless(shared.board_for(1)["facts"])))
    whole = SharedGame(setup, shared.numbers)
    assert whole.game == shared.game
    assert [whole.partners[seat].memory for seat in (0, 2)] == [
        shared.partners[seat].memory for seat in (0, 2)
    ]


def test_a_whole_game(site: Site) -> None:
    table = site.table(players=3, humans=[1], strategies=["information", "piers"], seed=2, game=5)
    with site.seat(table, 1) as seat:
        hello = seat.socket.hear()
        assert hello["you"] == 1
        assert [each["name"] for each in hello["seats"]] == ["Alice", "you", "Cathy"]
        assert (hello["seed"], hello["game"], hello["practice"]) == (2, 5, False)
        over = seat.play(harmless)
    game = Game.from_json(over["game"])
    assert game == decode_game(over["code"])
    assert game.deck == Deck.shuffled(players=3, seed=2, game=5)
    assert game.is_over
    assert over["score"] == game.score
    replay = site.ask("replay", code=over["code"])
    assert len(replay["frames"]) == game.turn + 1
    with site.seat(table, 1) as seat:  # the end is still there for whoever comes back
        assert seat.socket.until("over")["code"] == over["code"]


def test_a_program_plays_at_a_table(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process ends with the game, and it is asked for each action only once."""
    asked = tmp_path / "asked"
    player = script(tmp_path, turn=f"open({str(asked)!r}, 'a').write(f'{{view[\"turn\"]}}\\n')")
    monkeypatch.setitem(STRATEGIES, "bot", dataclasses.replace(load_player(player), name="bot"))
    assert "a program cannot be named here" in site.refuse(
        "simulate", strategy="exec:true", players=2
    )
    table = site.table(players=2, seed=3, strategies=["bot"], rules={"lives": None})
    for turns in (2, 1_000):  # the table is taken up again in between
        with site.seat(table, 0) as person:
            person.play(harmless, turns)
    answered = [int(line) for line in asked.read_text().split()]
    assert answered == list(range(1, answered[-1] + 2, 2))


def test_every_turn_is_shown_once_and_in_order(site: Site) -> None:
    table = site.table(players=4, humans=[2], strategies="rule-based", seed=1)
    with site.seat(table, 2) as seat:
        seen: list[int] = []
        while len(seen) < 12:
            message = seat.socket.until("board")
            facts = message["board"]["facts"]
            seen.append(facts["turn"])
            assert message["thinking"] == (facts["player"] != 2)
            if facts["last"] and facts["last"]["player"] != 2:
                assert facts["last"]["why"]
            if facts["actions"]:
                seat.act(facts, harmless(facts))
    assert seen == list(range(seen[0], seen[0] + 12))


def test_a_reconnected_player_gets_all_turns_so_far(site: Site) -> None:
    table = site.table(players=3, humans=[0], strategies="rule-based", seed=1)
    with site.seat(table, 0) as seat:
        assert seat.socket.until("turns")["turns"] == []
        seat.play(harmless, 3)
        boards = [json.loads(text) for text in seat.socket.heard if '"type":"board"' in text]
        told = [board["board"]["facts"]["last"] for board in boards]
    with site.seat(table, 0) as seat, site.seat(table, None) as beside:
        again = seat.socket.until("turns")["turns"]
        seen = beside.socket.until("turns")["turns"]
    acted = [{"words": last["words"], "why": last["why"]} for last in told if last]
    assert again == [{**turn, "conclusion": None, "breaches": []} for turn in acted]
    assert len(again) == 9
    assert [turn["why"] for turn in seen] == [None] * 9
    assert seen[0]["words"].startswith("Alice tells Bob: rank 2 (slots 3 and 4)")
    assert again[0]["words"].startswith("you tell Bob: rank 2 (slots 3 and 4)")
    assert not any("you" in turn["words"] for turn in seen)


def test_a_thinking_partner_can_be_hurried(site: Site) -> None:
    """The partner thinks for 20 seconds a turn, but acts as soon as it is asked to."""
    table = site.table(players=3, humans=[0], strategies="search:seconds=20", seed=4)
    with site.seat(table, 0) as seat, site.seat(table, None) as beside:
        facts = seat.socket.until("board")["board"]["facts"]
        seat.act(facts, harmless(facts))
        hurried = 0
        while facts["turn"] < 3 or not hurried:
            message = seat.socket.until("board", "done")
            hurried += message["type"] == "done" and message["id"] == 77
            if message["type"] == "board":
                facts = message["board"]["facts"]
                if message["thinking"]:
                    seat.socket.send({"type": "hurry", "id": 77})
        beside.socket.send({"type": "hurry", "id": 1})
        assert "spectators" in beside.socket.until("error")["error"]


def test_partners_think_only_so_long() -> None:
    assert choose_partner("search").option("seconds") == 3
    assert choose_partner("search:seconds=1").option("seconds") == 1
    for text in ("search:seconds=1000", "search:samples=100000"):
        with pytest.raises(StrategyError, match="the most that this server computes"):
            choose_partner(text)


def test_people_share_a_table(site: Site) -> None:
    table = site.table(players=2, humans=[0, 1], seed=3)
    assert len(set(table["seats"].values())) == 2
    with site.seat(table, 0) as zero:
        assert [each["here"] for each in zero.socket.hear()["seats"]] == [True, False]
        first = zero.socket.until("board")["board"]["facts"]
        with site.seat(table, 1) as one, site.seat(table, None) as beside:
            assert [each["here"] for each in zero.socket.until("table")["seats"]] == [True, True]
            assert one.socket.until("board")["board"]["facts"]["actions"] == []
            one.act(first, {"type": "play", "slot": 0})
            assert "Alice's turn" in one.socket.until("error")["error"]
            beside.act(first, {"type": "play", "slot": 0})
            assert "spectators" in beside.socket.until("error")["error"]
            zero.act(first, {"type": "play", "slot": 0})
            assert zero.socket.until("done") == {"type": "done", "id": 1, "turn": 1}
            assert one.socket.until("board")["board"]["facts"]["actions"]
            zero.act(first, {"type": "play", "slot": 0})  # a second click
            assert "turn" in zero.socket.until("error")["error"]
        while zero.socket.until("table")["seats"][1]["here"]:
            pass


def test_spectators_are_announced_to_players_only(site: Site) -> None:
    """A thousand of them would otherwise be half a million messages."""
    table = site.table(players=2, humans=[0, 1], seed=3)
    with site.seat(table, 0) as zero, site.seat(table, None) as first:
        first.socket.until("board")
        with site.seat(table, None) as beside:
            beside.socket.until("board")
            while zero.socket.until("table")["spectators"] < 2:
                pass
        with pytest.raises(TimeoutError):
            first.socket.hear(0.2)


def test_illegal_actions_change_nothing(site: Site) -> None:
    table = site.table(players=2, humans=[0], seed=3)
    with site.seat(table, 0) as seat:
        facts = seat.socket.until("board")["board"]["facts"]
        for action, reason in [
            ({"type": "discard", "slot": 0}, "all 8 hint tokens are there"),
            ({"type": "play", "slot": 9}, "no slot 9"),
            ({"type": "play", "slot": "0"}, "not an integer"),
            ({"type": "play", "slot": 10**30}, "no slot"),
            ({"type": "hint_rank", "target": 0, "value": 1}, "another player"),
            ({"type": "hint_suit", "target": 1, "value": "q"}, "not a suit"),
            ({"type": "dance"}, "unknown type"),
            ({"type": "play", "slot": 0, "sleeve": 1}, "no field 'sleeve'"),
            ({}, "unknown type"),
            ([], "not an object"),
            ("play 0", "not an object"),
        ]:
            seat.socket.send({"type": "act", "id": 7, "turn": 0, "action": action})
            answer = seat.socket.hear()
            assert (answer["type"], answer["id"]) == ("error", 7), answer
            assert reason in answer["error"]
        seat.act(facts, {"type": "play", "slot": 0})
        assert seat.socket.until("board", "error")["board"]["facts"]["turn"] == 1


def test_an_action_for_an_earlier_turn_is_rejected(site: Site) -> None:
    """A click that was meant for another board must not count for this one."""
    table = site.table(players=2, humans=[0, 1])
    with site.seat(table, 0) as zero, site.seat(table, 1) as one:
        zero.act({"turn": 0}, {"type": "play", "slot": 0})
        assert zero.socket.until("done", "error")["turn"] == 1
        for stale in (0, 2):
            one.act({"turn": stale}, {"type": "play", "slot": 0})
            error = one.socket.until("done", "error")["error"]
            assert error == f"turn: {stale} is not the current turn, 1"
        one.act({"turn": 1}, {"type": "play", "slot": 0})
        assert one.socket.until("done", "error")["turn"] == 2


def test_undo_in_practice(site: Site) -> None:
    table = site.table(players=3, humans=[1], strategies="information", practice=True, seed=8)
    with site.seat(table, 1) as seat:
        first = seat.play(harmless, 0)
        assert first["can_undo"] is False
        seat.act(first["board"]["facts"], harmless(first["board"]["facts"]))
        second = seat.play(harmless, 0)
        assert second["board"]["facts"]["turn"] == 4
        assert second["can_undo"] is True
        seat.socket.send({"type": "undo", "id": 50})
        assert seat.socket.until("done")["turn"] == 1
        assert seat.play(harmless, 0) == first
        seat.socket.send({"type": "undo", "id": 51})
        assert "no turn to take back" in seat.socket.until("error")["error"]
    with site.seat(table, 1) as seat:  # it is on disk too
        assert seat.play(harmless, 0) == first


def test_no_undo_otherwise(site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="random", seed=8)
    with site.seat(table, 0) as seat:
        message = seat.play(harmless, 1)
        assert message["can_undo"] is False
        seat.socket.send({"type": "undo", "id": 1})
        assert "only be taken back in practice" in seat.socket.until("error")["error"]


def test_no_undo_when_the_deck_has_been_shown(site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="random", practice=True, seed=8)
    with site.seat(table, 0) as seat:
        seat.play(harmless)
        boards = [json.loads(text) for text in seat.socket.heard if '"type":"board"' in text]
        assert [board["can_undo"] for board in boards[-3:]] == [True, True, False]
        seat.socket.send({"type": "undo", "id": 1})
        assert (
            "the game is over, and its deck has been shown" in seat.socket.until("error")["error"]
        )


def test_random_decks_come_from_no_seed() -> None:
    """The seed that the table keeps is for its strategies' coins; it leads to another deck."""
    rules = Rules.classic(3)
    decks = set()
    for _ in range(20):
        setup, _ = read_setup(RequestFields({"players": 3}))
        assert sorted(setup.deck) == sorted(card_multiset(rules))
        assert setup.deck != Deck.shuffled(rules, seed=setup.seed, game=setup.game)
        assert Setup.from_dict(json.loads(json.dumps(setup.to_dict()))).deck == setup.deck
        decks.add(setup.deck)
    assert len(decks) == 20


def test_the_end_tells_only_chosen_seeds(site: Site) -> None:
    for seed in (None, 7):
        table = site.table(players=2, humans=[0], rules={"lives": 1}, seed=seed)
        with site.seat(table, 0) as seat:
            over = seat.play(lambda facts: {"type": "play", "slot": 0})
        assert (over["seed"], over["game_number"]) == (seed, None if seed is None else 0)


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ({"seed": 7}, True),
        ({"seed": 7, "game": 1 << 60}, True),
        ({"deck": "p2v0s1"}, True),
        ({"seed": 7, "humans": [0]}, False),
        ({"seed": str(1 << 60)}, False),
        ({"deck": str(Deck.shuffled(players=2, seed=7))}, False),
        ({}, False),
    ],
)
def test_seeds_that_others_can_find(site: Site, fields: dict[str, object], warned: bool) -> None:
    table = site.table(**{"players": 2, "humans": [0, 1], **fields})
    with site.seat(table, 0) as seat:
        told = seat.socket.until("table")["warning"]
    assert told == table["warning"]
    if warned:
        assert "can try seeds until they fit" in told
    else:
        assert told is None


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"players": 7}, "between 1 and 6"),
        ({"players": 1, "rules": {"hand_size": 5}}, "at least 2"),
        ({"players": 3, "humans": [3]}, "3 is not between 0 and 2"),
        ({"players": 3, "humans": []}, "at least one"),
        ({"players": 3, "humans": [0, 0]}, "none twice"),
        ({"players": 3, "humans": [True]}, "True is not an integer"),
        ({"players": 3, "humans": [0, 1], "practice": True}, "one person"),
        ({"players": 4, "humans": [0], "strategies": ["random", "random"]}, "2 strategies for 3"),
        ({"players": 2, "strategies": ["recommendation"]}, "cannot play this"),
        ({"players": 2, "strategies": ["human"]}, "people play at tables"),
        ({"players": 2, "strategies": ["nobody"]}, "unknown strategy"),
        ({"players": 2, "strategies": ["rule-based:self=1"]}, "no option self"),
        ({"players": 2, "strategies": ["monte-carlo:playouts=100000"]}, "more than 2000"),
        ({"players": 2, "rules": {"lives": 1000}}, "more than 100"),
        ({"players": 2, "rules": {"nonsense": 1}}, "unknown rule"),
        ({"players": 2, "rules": {"copies": [31, 31, 31, 31, 31]}}, "more than 200"),
        ({"players": 2, "deck": "r1 r1"}, "deck"),
        ({"players": 2, "seed": -1}, "between 0"),
        ({"players": 2, "seed": 1.5}, "not an integer"),
        ({"players": 2, "practice": "yes"}, "not true or false"),
        ({"players": 2, "wish": 1}, "no such field"),
    ],
)
def test_tables_that_cannot_be(site: Site, fields: dict[str, object], reason: str) -> None:
    answer = site.post("/api/tables", fields)
    assert answer.status_code == 400
    assert reason in answer.json()["error"]


def test_keys_open_only_their_own_table(site: Site) -> None:
    one, other = (site.table(players=2, humans=[0]) for _ in range(2))
    with site.socket(f"/ws/table/{one['table']}") as socket:
        socket.send({"type": "join", "seat": other["seats"]["0"]})
        assert "opens no seat" in socket.hear()["error"]
        assert socket.is_closed()
    with site.socket("/ws/table/nothing") as socket:
        socket.send({"type": "join"})
        assert "no such table" in socket.hear()["error"]
    with site.socket(f"/ws/table/{one['table']}") as socket:
        socket.send({"type": "act", "turn": 0, "action": {"type": "play", "slot": 0}})
        assert "first message" in socket.hear()["error"]


def test_six_players_and_custom_rules(site: Site) -> None:
    rules = {"preset": "rainbow-dutch", "lives": 1, "hint_tokens": None}
    table = site.table(players=6, humans=[5], strategies="rule-based", rules=rules)
    with site.seat(table, 5) as seat:
        facts = seat.play(harmless, 0)["board"]["facts"]
        assert (facts["hint_tokens"], facts["lives"], facts["max_score"]) == (None, 1, 30)


def test_a_variant_with_a_rainbow_suit(site: Site) -> None:
    table = site.table(players=2, humans=[0, 1], rules="Rainbow (5 Suits)", seed=4)
    with site.seat(table, 0) as zero, site.seat(table, 1) as one:
        facts = zero.socket.until("board")["board"]["facts"]
        assert "m" in facts["fireworks"]
        hints = [action for action in facts["actions"] if action["type"] == "hint_suit"]
        assert {hint["value"] for hint in hints} <= set("rygb")
        zero.act(facts, hints[0])
        while not (facts := one.socket.until("board")["board"]["facts"])["turn"]:
            pass
        assert facts["last"]["touched"] == hints[0]["touches"]
        letters = {card[0] for card in facts["hands"][1][hints[0]["touches"][0]]["possible"]}
        assert letters == {hints[0]["value"], "m"}


def test_an_open_game_shows_players_their_own_cards(site: Site) -> None:
    table = site.table(players=2, humans=[0], strategies="random", rules="open", seed=1)
    with site.seat(table, 0) as seat:
        facts = seat.socket.until("board")["board"]["facts"]
        assert all(card["card"] for hand in facts["hands"] for card in hand)


def test_many_tables_at_once(site: Site) -> None:
    """Try a small load; `tests/web/load.py` measures a large one."""
    waits = asyncio.run(play_all(site, 24, 3, 0.05))
    assert len(waits.confirmed) == len(waits.own_turn) == 24 * 3


def test_seeds_that_javascript_cannot_count(site: Site) -> None:
    seed = (1 << 61) + 1
    table = site.table(
        players=2, humans=[0], strategies="random", seed=str(seed), rules={"lives": 1}
    )
    with site.seat(table, 0) as seat:
        assert seat.socket.hear()["seed"] == str(seed)
        over = seat.play(lambda facts: {"type": "play", "slot": 0})
    assert over["seed"] == str(seed)
    assert Game.from_json(over["game"]).deck.cards == Deck.shuffled(players=2, seed=seed).cards
    for wrong in ("-1", "1e3", "٣", "1" * 30, ""):
        assert site.post("/api/tables", {"players": 2, "seed": wrong}).status_code == 400
