"""What strategies say about their actions: a true sentence for each, which leaks nothing."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Answer

from hanabilab import Deck, Game, Rules, preset
from hanabilab.author import Memory, Strategy, View, kernel
from hanabilab.errors import StrategyError
from hanabilab.formats.describe import Labels
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, nth_legal, rank_hint
from hanabilab.game.cards import HIDDEN_HAND, card_in, put_card
from hanabilab.game.rules_record import names_of_cards
from hanabilab.strategies import STRATEGIES, find_strategy
from hanabilab.strategies.explain import ExplanationContext, percent
from hanabilab.strategies.recommendation import told
from hanabilab.strategies.seats import Seat
from hanabilab.table.play import play
from hanabilab.table.players import explain_game

NAMES = [name for name, each in STRATEGIES.items() if each.can_compile] + [
    "recommendation:interpretation=program",
    "information:interpretation=program",
    "rule-based:hint-rule=1,discard-rule=1,hint-probability=0.5,play-threshold=0.4",
    "rule-based:hint-rule=4,discard-rule=4,discard-threshold=0.3,interpretation=program",
]
every_strategy = pytest.mark.parametrize("name", NAMES)
STARTS = {PLAY: "plays slot", DISCARD: "discards slot", HINT_RANK: "tells", HINT_SUIT: "tells"}


def strategy_of(name: str) -> Strategy:
    quick = {"monte-carlo": "playouts=2,depth=2", "search": "samples=2,pile=3"}
    return find_strategy(f"{name}:{quick[name]}" if name in quick else name)


def rules_for(strategy: Strategy, players: tuple[int, ...] = (3, 2, 4)) -> Rules:
    return next(
        rules
        for rules in (preset("classic", number) for number in players)
        if strategy.support.unsupported_reason(rules) is None
    )


def sentences(name: str, seed: int, reader: int | None) -> tuple[Game, list[str]]:
    strategy = strategy_of(name)
    deck = Deck.shuffled(rules_for(strategy), seed=seed)
    game = play(strategy, deck, seed=seed, compiled=False)
    return game, explain_game(game, strategy, seed=seed, reader=reader)


@every_strategy
@pytest.mark.parametrize("reader", [None, 1])
def test_every_action_has_a_sentence_that_fits_it(name: str, reader: int | None) -> None:
    game, said = sentences(name, 5, reader)
    assert len(said) == game.turn > 0
    for sentence, event in zip(said, game.events, strict=True):
        assert "\n" not in sentence
        assert 15 < len(sentence) < 300
        start = STARTS[event.kind]
        if start == "tells":
            assert sentence.startswith(("tells", "hint sum"))
        else:
            assert sentence.startswith(f"{start} {event.slot}: ")


@every_strategy
def test_what_is_called_certain_is_true(name: str) -> None:
    certain = 0
    for reader in (None, 1):
        game, said = sentences(name, 8, reader)
        again = Game(game.rules, game.deck)
        for sentence, action in zip(said, game.actions, strict=True):
            dead = again.state.dead
            event = again.act(action)
            if event.kind in (HINT_RANK, HINT_SUIT):
                continue
            assert ("certainly playable" not in sentence) or event.lit
            assert ("certainly not playable" not in sentence) or not event.lit
            assert ("certainly dead" not in sentence) or dead >> event.card & 1
            if found := re.search(r"certainly [a-z ]*\(([^)]*)\)", sentence):
                certain += 1
                listed = found[1].split(" or ")
                word = names_of_cards(game.state.rules).words(event.card)
                assert word in listed or found[1].startswith("one of")
    assert certain or not name.startswith(("information", "cheat", "iggi", "rule-based"))


@every_strategy
def test_a_reader_learns_nothing_of_their_own_cards(name: str) -> None:
    """Whatever lies in the reader's hand, the same action is explained by the same words."""
    strategy = strategy_of(name)
    rules = rules_for(strategy)
    rng = random.Random(name)
    game = play(strategy, Deck.shuffled(rules, seed=2), seed=2, compiled=False)
    again = Game(rules, game.deck)
    partners = [Seat.in_game(strategy, player, 2, 0) for player in range(rules.players)]
    for partner in partners:
        partner.begin(again.state)
    for action in game.actions:
        me = again.player
        number = action.number(again.state)
        assert number is not None
        partners[me].follow(again.state)
        reader = (me + 1 + rng.randrange(rules.players - 1)) % rules.players
        expected = partners[me].explain(again.state, number, reader)
        other = again.state.copy()
        for _ in range(4):
            other.hands[reader] = other_hand(again, reader, me, strategy, rng)
            assert partners[me].explain(other, number, reader) == expected
        assert f"player {reader}" not in expected
        event = again.act(action)
        for partner in partners:
            partner.observe(again.state, event)


def other_hand(game: Game, reader: int, me: int, strategy: Strategy, rng: random.Random) -> int:
    """Return as many other cards, from those neither on the table nor in a third hand."""
    state, pool = game.state, list(game.deck)
    for card in range(game.rules.max_score):
        gone = state.fireworks[card // game.rules.ranks] > card % game.rules.ranks
        for _ in range(
            gone + sum((plane >> card & 1) << i for i, plane in enumerate(state.discarded))
        ):
            pool.remove(card)
    for player in range(game.rules.players):
        if player != reader and (player != me or strategy.sees_own_hand):
            for slot in range(state.hand_count[player]):
                pool.remove(card_in(state.hands[player], slot))
    hand = HIDDEN_HAND
    for slot, card in enumerate(rng.sample(pool, state.hand_count[reader])):
        hand = put_card(hand, slot, card)
    return hand


@pytest.mark.parametrize("interpretation", ["paper", "program"])
@pytest.mark.parametrize("reader", [None, 0])
def test_recommendations_are_those_that_the_players_decode(
    interpretation: str, reader: int | None
) -> None:
    strategy = find_strategy(f"recommendation:interpretation={interpretation}")
    assert strategy.begin
    assert strategy.observe
    rules = preset("classic", 4)
    game = play(strategy, Deck.shuffled(rules, seed=6), seed=6)
    again = Game(rules, game.deck)
    partners = [Seat.in_game(strategy, player, 6, 0) for player in range(4)]
    for partner in partners:
        partner.begin(again.state)
    hints = 0
    for action, said in zip(
        game.actions, explain_game(game, strategy, seed=6, reader=reader), strict=True
    ):
        me = again.player
        partners[me].act(again.state)
        event = again.act(action)
        if not strategy.observed_kinds >> event.kind & 1:
            continue
        hints += 1
        for player, partner in enumerate(partners):
            partner.observe(again.state, event)
            if player != me:
                name = "you" if player == reader != me else f"player {player}"
                number = partner.memory.recommended  # type: ignore[attr-defined]
                context = ExplanationContext.of(again.view(me), partner.memory, 0, reader)
                assert f"{name} to {told(context, player, number)}" in said
    assert hints > 5


def test_the_name_of_the_rule_that_applied() -> None:
    strategy = find_strategy("compose:rule-list=play-safe+tell-useful+discard-oldest+tell-randomly")
    game = play(strategy, Deck.shuffled(players=3, seed=4), seed=4)
    for sentence, event in zip(explain_game(game, strategy, seed=4), game.events, strict=True):
        if event.kind == PLAY:
            assert "certainly playable" in sentence
            assert sentence.endswith("it plays what is certain to fit (rule play-safe)")
        elif event.kind == DISCARD:
            assert sentence.startswith("discards slot 0: ")
            assert sentence.endswith("(rule discard-oldest)")
        else:
            assert ("tell-useful" in sentence) == ("playable" in sentence)


def test_a_hint_to_the_reader_names_every_rule_that_can_have_given_it() -> None:
    """With full tokens nothing is shown to be dead, and no rank above 1 can be played."""
    strategy = find_strategy("piers")
    view = Game(players=3, seed=1).view(0)
    said = {}
    for rank in (1, 4):
        said[rank] = strategy.explain(view, strategy.fresh_memory(), rank_hint(view, 1, rank), 1)
    assert said[1] == (
        "tells you rank 1: one of the cards is playable (rule tell-useful), "
        "or it has nothing better to tell (rule tell-randomly)"
    )
    assert said[4] == "tells you rank 4: it has nothing better to tell (rule tell-randomly)"


def test_people_are_told_in_their_own_words() -> None:
    """The same reasons, with names and slots as on a page, and without the action."""
    strategy = find_strategy("piers")
    game = play(strategy, Deck.shuffled(players=3, seed=4), seed=4)
    labels = Labels.of(["Ann", "Ben", "Cleo"])
    plain = explain_game(game, strategy, seed=4)
    spoken = explain_game(game, strategy, seed=4, labels=labels)
    assert plain[0].startswith("tells player 1 rank 1: slot 0 (green 1) is playable; ")
    assert spoken[0].startswith("slot 5 (green 1) is playable; ")
    assert not any("player 1" in words for words in spoken)


@kernel
def first_legal(view: View, memory: Memory) -> int:
    """Whatever comes first."""
    return nth_legal(view, 0)


def test_a_strategy_without_explanation_is_explained_by_the_table() -> None:
    plain = Strategy("plain", first_legal)
    game = play(plain, Deck.shuffled(players=2, seed=1))
    said = explain_game(game, plain)
    assert all(re.match(r"(plays|discards) slot 0: .*(%|certainly)", words) for words in said)


def test_chances_are_never_rounded_to_certainty() -> None:
    assert percent(0.001) == "less than 1 %"
    assert percent(0.999) == "more than 99 %"
    assert percent(0.6) == "60 %"


def test_a_game_of_another_strategy_is_refused() -> None:
    game = play("random", Deck.shuffled(players=3, seed=1), seed=1)
    with pytest.raises(StrategyError, match="this is not its game"):
        explain_game(game, "cheat", seed=1)


def test_headlines() -> None:
    view = Game(players=3, seed=1).view(0)
    said = [
        ExplanationContext.of(view, Memory(), number, reader).headline
        for number, reader in ((0, None), (5, None), (10, None), (10, 1), (26, 1))
    ]
    assert said == [
        "discards slot 0",
        "plays slot 0",
        "tells player 1 suit red",
        "tells you suit red",
        "tells player 2 rank 2",
    ]


def test_the_command_line_explains(command: Callable[..., Answer], tmp_path: Path) -> None:
    arguments = ("play", "recommendation", "--players", "3", "--seed", "1", "--explain")
    code, out, _ = command(*arguments)
    assert code == 0
    assert "  why: hint sum " in out
    code, out, _ = command(*arguments, "--json")
    data = json.loads(out)
    assert all(len(action["why"]) > 10 for action in data["actions"])
    path = tmp_path / "game.json"
    path.write_text(out)
    code, out, err = command("replay", path)
    assert (code, err) == (0, "")
    assert f"why: {data['actions'][0]['why']}" in out
    assert Game.from_json(data).score == data["score"]
