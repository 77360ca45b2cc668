"""What hints say to people, by the conventions that their partners keep: right, and no secret."""

from __future__ import annotations

import inspect
import random
import re
from typing import Any

import pytest

from hanabilab.game.state import DECK, view_of
from hanabilab.lab.validation.replay import redeal_hidden_cards
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies import registered_strategy
from hanabilab.strategies.conventions import conclusions, judging
from hanabilab.strategies.conventions.conclusions import Conclusion, conclude_literally
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.strategies.conventions.judging import Breach
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.trust import LEAST, OBEYED
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import NONE
from hanabilab.web.catalog import EXPERT, agreed_level, conventions_of
from hanabilab.web.live.hint_readers import misleading_pile
from hanabilab.web.live.setup import Setup, read_setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.schema import RequestFields, dump_json

CALM = "y3 g3 b3 w3 y4"
PLAY = f"{CALM} g4 r4 y4 b4 r1"


def table_after(
    deal: str,
    human: int,
    *actions: str,
    players: int = 2,
    partner: str = "conventions",
    hint_tokens: int = 8,
) -> SharedGame:
    """Return a table with one person after some actions."""
    deck = game_with_deck("hle", deal, players).deck
    asked = {"players": players, "humans": [human], "strategies": [partner], "deck": str(deck)}
    setup, _ = read_setup(
        RequestFields({**asked, "rules": {"preset": "hle", "hint_tokens": hint_tokens}})
    )
    shared = SharedGame(setup, [])
    for action in actions:
        again = shared.game.copy()
        again.act(action)
        number = again.actions[-1].number(shared.game.state)
        assert number is not None
        shared.apply(number)
    return shared


def said(shared: SharedGame, seat: int) -> list[Any]:
    """Return the conclusions on the board of a seat."""
    facts: dict[str, Any] = shared.board_for(seat)["facts"]
    found: list[Any] = facts["conclusions"]
    return found


@pytest.mark.parametrize(
    ("deal", "actions", "players", "slot", "words", "agreement"),
    [
        (PLAY, ["hint 1 r"], 2, 4, "Alice's hint says: play slot 1.", "play-hints-and-the-focus"),
        (f"{CALM} r5 g4 b4 w4 y3", ["hint 1 5"], 2, 0, "Alice's hint says: keep slot 5.", "saves"),
        (f"{CALM} r2 g4 b4 w4 y3", ["hint 1 2"], 2, 0, "Alice's hint says: keep slot 5.", "twos"),
        (
            f"{CALM} g4 b4 w4 r4 r1 b4 w4 r4 y3 r2",
            ["hint 2 r"],
            3,
            4,
            "Alice's hint to Cathy counts on you: play slot 1.",
            "finesse",
        ),
        (
            f"{CALM} g4 b4 w4 r4 r2 b4 w4 y4 y3 r1",
            ["hint 2 r", "hint 1 r"],
            3,
            4,
            "Cathy's hint says: play slot 1 later; other cards have to be played first.",
            "delayed",
        ),
    ],
)
def test_a_hint_ends_in_a_conclusion(
    deal: str, actions: list[str], players: int, slot: int, words: str, agreement: str
) -> None:
    if len(actions) == 2:  # Bob passes the turn to Cathy with a hint that says nothing new
        actions = [actions[0], "hint 0 3", actions[1]]
    (found,) = said(table_after(deal, 1, *actions, players=players), 1)
    assert (found["slot"], found["words"]) == (slot, words)
    assert agreement in found["agreement"]


def test_a_positional_discard_ends_in_a_conclusion() -> None:
    (example,) = (each for each in EXAMPLES if each.title == "Positional discards")

    def named(*actions: str) -> list[Any]:
        shared = table_after(example.deal, 3, *actions, players=5, hint_tokens=example.tokens)
        return [each for each in said(shared, 3) if each["advice"] == "named"]

    (found,) = named(*example.actions)
    words = "Bob's discard names a place: play slot 2."
    assert (found["slot"], found["words"]) == (2, words)
    assert found["agreement"] == example.anchor
    assert named(*example.actions[:-1], "discard 0") == []  # the chop names nothing
    assert named(*example.actions, "discard 0") == [found]  # Cathy's discard adds nothing


def test_a_tempo_hint_says_play_although_it_moves_the_chop_too() -> None:
    deal = f"{CALM} b2 g4 r2 b4 r1 w4"
    (found,) = said(table_after(deal, 1, "hint 1 r", "play 4", "hint 1 r"), 1)
    assert (found["advice"], found["slot"]) == ("play", 2)


def test_a_conclusion_stays_until_its_reader_acts() -> None:
    deal = f"{CALM} g4 b4 w4 r4 y3 w4 g4 b4 r4 r1"
    waiting = table_after(deal, 2, "hint 2 1", "hint 0 4", players=3)
    assert [each["turn"] for each in said(waiting, 2)] == [1]
    assert said(waiting, 2) == waiting.board_after(2, 1)["facts"]["conclusions"]
    assert [bool(turn["conclusion"]) for turn in waiting.turns_for(2)] == [True, False]
    acted = table_after(deal, 2, "hint 2 1", "hint 0 4", "play 4", players=3)
    assert said(acted, 2) == []
    again = SharedGame(acted.setup, acted.numbers[:2])  # as after a restart, or a turn taken back
    assert said(again, 2) == said(waiting, 2)
    waiting.game.state.end = DECK  # nobody acts on it any more
    assert said(waiting, 2) == []


def test_a_second_conclusion_outlives_an_action_on_another_card() -> None:
    """Two hints say play: when one card is played, the other moves on and stays marked."""
    deal = f"{CALM} g4 b4 w4 r4 y3 w4 g1 b4 r4 r1"
    actions = ("hint 2 r", "hint 2 g")
    both = said(table_after(deal, 2, *actions, players=3), 2)
    assert {each["slot"] for each in both} == {1, 4}
    first = said(table_after(deal, 2, *actions, "play 4", players=3), 2)
    assert [(each["slot"], each["turn"]) for each in first] == [(1, 2)]
    second = said(table_after(deal, 2, *actions, "play 1", players=3), 2)
    assert [(each["slot"], each["words"][-7:]) for each in second] == [(3, "slot 2.")]


@pytest.mark.parametrize("partner", ["piers", "rule-based"])
def test_nothing_is_said_where_nobody_keeps_the_conventions(partner: str) -> None:
    shared = table_after(PLAY, 1, "hint 1 r", partner=partner)
    assert said(shared, 1) == []
    assert shared.readers.readers == {}


def test_a_search_keeps_the_conventions_of_its_blueprint_until_it_lies() -> None:
    expert = registered_strategy(EXPERT)
    kept = conventions_of(expert)
    assert kept is not None
    assert kept.label == "conventions"
    lying = registered_strategy(EXPERT.replace("lies=False,", ""))
    assert (misleading_pile(expert), misleading_pile(lying)) == (-1, 30)
    assert agreed_level([expert]) == kept.option("level") == kept.options["level"].most
    lower = registered_strategy("search:blueprint=conventions,blueprint-level=2")
    piers = registered_strategy("piers")
    assert [agreed_level(each) for each in ([lower], [piers, lower, expert], [piers])] == [
        2,
        kept.option("level"),
        None,
    ]
    other = registered_strategy("search:blueprint=piers")
    assert (conventions_of(other), misleading_pile(other)) == (None, 256)


def test_nothing_is_said_to_others_nor_about_hints_of_people() -> None:
    shared = table_after(PLAY, 0, "hint 1 r")
    assert said(shared, 0) == []
    assert table_after(PLAY, 1, "hint 1 r").readers.conclusions_for(None, 1) == []


def test_hints_of_partners_who_lost_their_trust_are_literal() -> None:
    """The reader keeps the partners' accounts of a person, as far as that person can see.

    Partners judge by other cards than the person sees. So the accounts differ by one judgement at
    times, and a partner whose trust was just lost or won back may be taken for the contrary.
    """
    odds: dict[str, list[int]] = {"literal": [], "play": []}
    for seed in range(8):
        if not odds["literal"] or not odds["play"]:
            play_beside_a_random_person(seed, odds)
    assert min(odds["literal"]) <= LEAST
    assert max(odds["literal"]) <= LEAST + OBEYED
    assert max(odds["play"]) > LEAST  # also without trust, if the card is certain to fit


def play_beside_a_random_person(seed: int, odds: dict[str, list[int]]) -> None:
    """Note under the advice of each conclusion which odds the giver gives the person."""
    rules = {"preset": "classic", "lives": None}
    asked = {"players": 3, "humans": [0], "strategies": ["conventions"], "rules": rules}
    shared = SharedGame(read_setup(RequestFields({**asked, "seed": seed}))[0], [])
    person = Seat.in_game(registered_strategy("random"), 0, 0, 0)
    person.begin(shared.game.state)
    while not shared.game.is_over:
        partner = shared.partner_to_move
        memory = partner.memory if partner else None
        shared.apply(shared.choose() if partner else person.act(shared.game.state))
        person.observe(shared.game.state, shared.game.events[-1])
        for each in said(shared, 0):
            if each["turn"] == shared.game.turn and each["advice"] in odds:
                assert isinstance(memory, ConventionsMemory)
                odds[each["advice"]].append(memory.conduct.odds[0])


@pytest.mark.parametrize("players", [2, 3])
def test_conclusions_depend_on_the_view_only(players: int) -> None:
    """Exchange the reader's cards and the draw pile for any that fit the history: same words."""
    asked = {"players": players, "humans": [0], "strategies": ["conventions"], "seed": players}
    setup, _ = read_setup(RequestFields(asked))
    shared, tried = SharedGame(setup, []), 0
    person = Seat.in_game(shared.setup.strategies[1], 0, 0, 0)
    person.begin(shared.game.state)
    while not shared.game.is_over and tried < 8:
        if shared.game.player == 0 and said(shared, 0):
            tried += with_other_cards(setup, shared)
        number = shared.choose() if shared.partner_to_move else person.act(shared.game.state)
        shared.apply(number)
        person.observe(shared.game.state, shared.game.events[-1])
    assert tried >= 5


def with_other_cards(setup: Setup, shared: SharedGame) -> int:
    """Compare a table with one whose hidden cards differ; return how many were compared."""
    game = shared.game
    deck = redeal_hidden_cards(game, game.turn, random.Random(game.turn))
    if deck is None:
        return 0
    other = SharedGame(Setup.from_dict({**setup.to_dict(), "deck": str(deck)}), shared.numbers)
    assert dump_json({"said": said(other, 0)}) == dump_json({"said": said(shared, 0)})
    assert broken(other, 0) == broken(shared, 0)
    assert [turn["breaches"] for turn in other.turns_for(0)] == [
        turn["breaches"] for turn in shared.turns_for(0)
    ]
    assert other.readers.turns[-1].keys() == shared.readers.turns[-1].keys()
    return 1


def test_a_card_that_is_certain_to_fit_is_named_without_trust() -> None:
    shared = table_after(PLAY, 1, "hint 1 r", "hint 0 3", "hint 1 1")
    memory = shared.readers.readers["conventions", 1].memory
    found = conclude_literally(view_of(shared.game.state, 1), memory)
    assert (found.advice, found.slot) == ("play", 4)
    other = table_after(PLAY, 1, "hint 1 r")
    memory = other.readers.readers["conventions", 1].memory
    assert conclude_literally(view_of(other.game.state, 1), memory).advice == "literal"


def test_every_conclusion_leads_to_an_agreement() -> None:
    for name in ("PLAYS", "SAVES", "TWOS", "DELAYED", "PROMPT", "FINESSE", "TRUST"):
        assert Conclusion("play", 0, getattr(conclusions, name)).anchor


# --- broken conventions ---------------------------------------------------------------------------


def broken(shared: SharedGame, seat: int | None) -> list[Any]:
    """Return the broken conventions on the board of a seat."""
    facts: dict[str, Any] = shared.board_for(seat)["facts"]
    found: list[Any] = facts["breaches"]
    return found


def test_a_broken_convention_is_named_until_its_player_acts_again() -> None:
    gamble = {
        "turn": 1,
        "words": "yellow 3 was played, and nothing had said that it fits",
        "agreement": "play-hints-and-the-focus",
    }
    played = ("play 0", "hint 0 y")
    for turns in (1, 2):
        shared = table_after(PLAY, 0, *played[:turns])
        assert broken(shared, 0) == [gamble]
        assert broken(shared, None) == broken(shared, 1) == []
        assert shared.turns_for(0)[0]["breaches"] == [gamble["words"]]
        assert shared.turns_for(None)[0]["breaches"] == []
    assert broken(table_after(PLAY, 0, *played, "discard 0"), 0) == []
    assert shared.board_after(0, 1)["facts"]["breaches"] == [gamble]
    assert broken(SharedGame(shared.setup, []), 0) == []  # the turn was taken back


def test_a_call_that_was_not_answered_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts as a breach was said before: nobody is accused of what they were not told."""
    deal = f"{CALM} g4 b4 w4 r4 r1 b4 w4 r4 y3 r2"
    monkeypatch.setattr(judging.BreachFinder, "called_slot", lambda finder, state: 3)
    waiting = table_after(deal, 1, "hint 2 b", "discard 0", "hint 0 3", "hint 2 w", players=3)
    words = "An earlier hint still counts on you: play slot 2."
    repeated = [(each["advice"], each["words"], each["turn"]) for each in said(waiting, 1)]
    assert repeated == [("called", words, None)]
    assert waiting.turns_for(1)[-1]["conclusion"] is None
    later = SharedGame(waiting.setup, waiting.numbers[:3])  # Alice is to move
    assert said(later, 1) == []
    finessed = table_after(deal, 1, "hint 2 r", players=3)
    monkeypatch.setattr(judging.BreachFinder, "called_slot", lambda finder, state: 4)
    assert [each["advice"] for each in said(finessed, 1)][:1] == ["answer"]
    assert len(said(table_after(deal, 1, "hint 2 r", players=3), 1)) == 1  # it is told once


def test_a_missing_save_is_named_when_the_card_is_lost() -> None:
    deal = f"{CALM} r5 g4 b4 w4 y3 g3 b4 w4 r4 y1"

    def after(*actions: str) -> list[Any]:
        return broken(table_after(deal, 0, *actions, players=3), 0)

    assert after("hint 2 y") == after("hint 1 5", "discard 1") == []
    lost = after("hint 2 y", "discard 0")
    assert [(each["turn"], each["agreement"]) for each in lost] == [(1, "saves")]
    assert after("hint 2 y", "discard 1") == []


def test_nothing_is_broken_where_nobody_keeps_the_conventions() -> None:
    assert broken(table_after(PLAY, 0, "play 0", partner="piers"), 0) == []


def test_broken_conventions_depend_on_the_view_only() -> None:
    """Exchange the cards that a careless person cannot see: that person is told the same."""
    rules = {"preset": "classic", "lives": None}
    asked = {"players": 3, "humans": [0], "strategies": ["conventions"], "rules": rules, "seed": 1}
    setup, _ = read_setup(RequestFields(asked))
    shared, tried = SharedGame(setup, []), 0
    person = Seat.in_game(registered_strategy("random"), 0, 0, 0)
    person.begin(shared.game.state)
    while not shared.game.is_over and tried < 6:
        told = {each["slot"] for each in said(shared, 0)}
        slot = shared.readers.finders[0].called_slot(shared.game.state)
        assert shared.game.player != 0 or slot in {NONE, *told}
        if shared.game.player == 0 and broken(shared, 0):
            tried += with_other_cards(setup, shared)
        partner = shared.partner_to_move
        shared.apply(shared.choose() if partner else person.act(shared.game.state))
        person.observe(shared.game.state, shared.game.events[-1])
    assert tried >= 4


def test_every_broken_convention_leads_to_an_agreement() -> None:
    names = set(re.findall(r'yield "([a-z ]+)"', inspect.getsource(judging)))
    assert names >= {"saves", "calls", "plays", "discards", "promises", "good touch"}
    assert [name for name in names if not Breach(1, 0, name, "").anchor] == []
