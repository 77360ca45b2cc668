"""Reviews: the ledger adds up, values are honest, facts are exact, and nothing false is said."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import os
import random
import re
from argparse import Namespace
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.cli import main
from hanabilab.core.bits import members
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in, count_of
from hanabilab.game.state import State
from hanabilab.lab.review.account import choose_convention
from hanabilab.lab.review.facts import Chances, TurnFacts, find_facts, slot_chances
from hanabilab.lab.review.game_review import numbers_of, positions_of
from hanabilab.lab.review.statistics import player_statistics, review_strategy
from hanabilab.lab.review.values import Evaluator, PlayedGame, Precision, TurnValue
from hanabilab.lab.review.verdicts import judge_turn
from hanabilab.strategies import find_strategy
from tests.review_study import play, study

TINY: dict[str, Any] = {"worlds": 8, "open_cards": False, "cached": False, "progress": False}


def played(team: str | list[str], players: int, seed: int, turns: int | None = None) -> hl.Game:
    """Return a game, or its first turns."""
    rules = hl.preset("hle", players)
    whole = hl.play(team, hl.Deck.shuffled(rules, seed=seed), seed=seed, compiled=True)
    game = hl.Game(rules, whole.deck)
    for action in whole.actions[:turns]:
        game.act(action)
    return game


def as_played(game: hl.Game) -> PlayedGame:
    """Return a game as the evaluator takes it."""
    return PlayedGame(game.rules, tuple(game.deck), tuple(numbers_of(game, positions_of(game))))


@functools.cache
def mixed() -> Any:
    """Return a review of a game in which one seat plays by other rules."""
    return hl.review(played(["conventions", "piers", "conventions"], 3, 4), "conventions", **TINY)


def check_ledger(data: dict[str, Any], end: float) -> None:
    """Check that the points of a game add up, and those of every turn."""
    ledger = data["ledger"]
    assert end - data["expected"] == ledger["play"] + ledger["hidden"] + ledger["draw"]
    before = data["expected"]
    for turn in data["turns"]:
        assert turn["spectator"] - before == turn["play"] + turn["hidden"] + turn["draw"]
        before = turn["spectator"]
    for name in ("play", "hidden", "draw"):
        assert ledger[name] == sum(turn[name] for turn in data["turns"])


def test_the_ledger_adds_up_exactly() -> None:
    data = mixed().to_dict()
    check_ledger(data, data["score"])
    assert data["ledger"]["play"] != 0 != data["ledger"]["hidden"]
    assert all(turn["draw"] == 0 for turn in data["turns"] if "hint" in turn["action"]["type"])


def test_an_unfinished_game_ends_in_the_curve_and_says_so() -> None:
    found = hl.review(played("conventions", 3, 4, 12), "conventions", **TINY)
    data = found.to_dict()
    check_ledger(data, data["end_value"])
    assert (data["score"], data["official_score"], data["finished"]) == (None, None, False)
    assert "Unfinished game" in found.to_text()


def test_points_count_as_they_lie_when_all_lives_are_lost() -> None:
    game = hl.Game("hle", players=2, seed=1)
    while not game.is_over:
        game.act("play 0")
    data = hl.review(game, "conventions", **TINY).to_dict()
    check_ledger(data, data["score"])
    assert (data["score"], data["official_score"]) == (game.state.score, 0)


def test_every_turn_lists_every_legal_action_and_the_keys_of_the_reference() -> None:
    found = mixed()
    keys = "turn player action blueprint best value values loss loss_error play play_error hidden "
    keys += "draw spectator win exact verdict"
    for turn, position in zip(found.to_dict()["turns"], found.positions, strict=False):
        game = hl.Game(found.game.rules, found.game.deck)
        assert set(keys.split()) <= turn.keys()
        if turn["turn"] == 1:
            assert len(turn["values"]) == len(game.legal_actions())
        assert turn["action"] in [value["action"] for value in turn["values"]]
        assert position.state.player == turn["player"]


def test_a_seat_with_other_habits_is_not_judged() -> None:
    found = mixed()
    assert found.fit.fits
    assert [found.fit.judges(player) for player in range(3)] == [True, False, True]
    assert all(turn.verdict.word is None for turn in found.turns if turn.player == 1)
    assert "Bob is not judged" in found.to_text()


def test_a_game_by_another_convention_is_refused_with_the_reason() -> None:
    game = played("information", 3, 2)
    found = hl.review(game, "conventions", **TINY)
    assert not found.fit.fits
    assert {turn["verdict"] for turn in found.rows()} == {None}
    text = found.to_text()
    assert "does not judge decisions" in text
    assert "given away" not in text


def test_a_fault_counts_in_its_turn_not_when_the_partners_misread_it() -> None:
    rules = hl.preset("hle", 4)
    deck = hl.Deck.shuffled(rules, seed=3, game=1)
    actions, injected, _ = play(["hatter"] * 4, deck, random.Random(5), 3 / 55, 3, 1)
    game = hl.Game(rules, deck)
    for action in actions:
        game.act(action)
    found = hl.review(game, "hatter", **{**TINY, "worlds": 64})
    first = found.turns[min(injected)]
    assert first.play + first.hidden < -10
    assert all(abs(turn.draw) < 2 for turn in found.turns)


def test_auto_finds_the_convention_of_the_players() -> None:
    judge = choose_convention(as_played(played("hatter", 4, 3)), "auto")
    assert (judge.name, judge.tried[0][1]) == ("hatter", 1.0)
    judge = choose_convention(as_played(played("conventions:level=1", 4, 3)), "auto")
    assert dict(judge.tried)["conventions:level=1"] == judge.tried[0][1] == 1.0
    assert dict(judge.tried)["hatter"] < 0.5


def test_rules_that_no_convention_can_play_get_the_facts() -> None:
    game = hl.Game("Up or Down (5 Suits)", players=3, seed=5)
    for _ in range(6):
        game.act(game.legal_actions()[-1])
    found = hl.review(game, **{**TINY, "open_cards": True})
    data = json.loads(found.to_json())
    assert (data["ledger"], data["fits"], len(data["turns"])) == (None, False, 6)
    assert "no known convention can play these rules" in found.to_text()


def test_interpreted_values_are_the_compiled_ones() -> None:
    game = as_played(played("conventions:level=1", 2, 3))
    precision = Precision(1, 2, 2, 2)
    found = [
        Evaluator(find_strategy("conventions"), game, precision, 7, compiled=compiled).evaluate(40)
        for compiled in (True, False)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("convention", ["conventions", "rule-based"])
def test_what_a_turn_is_worth_does_not_depend_on_the_turns_evaluated_before(
    convention: str,
) -> None:
    """Threads share out the turns as they come, so an evaluator sees them in any order."""
    game = as_played(played(convention, 3, 30))
    precision = Precision(4, 8, 32, 8)
    strategy = find_strategy(convention)
    evaluator = Evaluator(strategy, game, precision, 5)
    turns = range(len(game.actions) - 1, len(game.actions) // 2, -1)
    backwards = {turn: evaluator.evaluate(turn) for turn in turns}
    for turn in sorted(turns):
        assert backwards[turn] == evaluator.evaluate(turn)


def test_the_cache_and_threads_change_nothing_and_ctrl_c_keeps_what_is_finished(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    game = played("conventions", 2, 6, 10)
    plain = hl.review(game, "conventions", threads=1, **TINY).to_dict()
    monkeypatch.setattr("hanabilab.lab.review.sampling.first_writable", lambda name: tmp_path)
    evaluate = Evaluator.evaluate
    done: Counter[int] = Counter()

    def interrupted(self: Evaluator, turns: int) -> TurnValue:
        if sum(done.values()) == 4:
            raise KeyboardInterrupt
        done[turns] += 1
        return evaluate(self, turns)

    settings = {**TINY, "cached": True}
    with monkeypatch.context() as patch:
        patch.setattr(Evaluator, "evaluate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            hl.review(game, "conventions", threads=1, **settings)
    done.clear()
    monkeypatch.setattr(Evaluator, "evaluate", lambda s, t: (done.update([t]), evaluate(s, t))[1])
    assert hl.review(game, "conventions", threads=2, **settings).to_dict() == plain
    assert 0 < len(done) <= 7
    done.clear()
    assert hl.review(game, "conventions", **settings).to_dict() == plain
    assert not done


def test_luck_has_mean_zero_for_players_who_follow_the_convention() -> None:
    """A sample of docs/how-to/review.md; set HANABILAB_REVIEW_GAMES for a longer one."""
    count = int(os.environ.get("HANABILAB_REVIEW_GAMES", "6"))
    settings = {"team": "conventions", "convention": "conventions", "players": 4, "seed": 8}
    precision = {"worlds": 16, "orders": 16, "truth": 0, "injected": 4}
    games = [study(Namespace(**settings, **precision), number) for number in range(count)]
    for luck in ([sum(game["draws"]) for game in games], [game["hidden"] for game in games]):
        mean = sum(luck) / count
        error = (sum((each - mean) ** 2 for each in luck) / (count - 1) / count) ** 0.5
        assert abs(mean) < 4 * error
    assert sum(game["injected"] for game in games) > count
    for game in games:
        luck = game["hidden"] + sum(game["draws"])
        assert game["score"] - game["expected"] == game["play"] + luck


# --- verdicts -------------------------------------------------------------------------------------


def turn_value(cost: float, seen: float, error: float = 0.1) -> TurnValue:
    """Return values of a turn that gave away points to the player's and the spectator's mind."""
    spread = {"loss": 0.0, "loss_error": 0.0, "play_error": error, "change_error": error}
    return TurnValue(
        taken=1,
        convention=2,
        best=2,
        value=20.0,
        values=(),
        play=-cost,
        spectator=20.0 - seen,
        spectator_convention=20.0,
        spectator_error=0.1,
        win=0.0,
        worlds=64,
        surprises=0,
        **spread,
    )


def turn_facts(*, lit: int = 0, playable: int = 0, dead: int = 0) -> TurnFacts:
    """Return the facts of a turn in which a card was played."""
    chances = Chances(Fraction(playable), Fraction(dead), Fraction(0))
    return TurnFacts(1, Event(kind=1, lit=lit), 5, chances, 0, 4, 3, 25, 1, None)


@pytest.mark.parametrize(
    ("value", "facts", "usual", "word"),
    [
        (turn_value(1.2, 1.2), turn_facts(), (), "blunder"),
        (turn_value(1.2, 0.3), turn_facts(), (), "mistake"),
        (turn_value(0.6, 0.6), turn_facts(), (), "mistake"),
        (turn_value(0.4, 0.4), turn_facts(), (), "inaccuracy"),
        (turn_value(0.6, 0.6, error=0.25), turn_facts(), (), None),
        (turn_value(0.6, -0.2), turn_facts(), (), "worked"),
        (turn_value(0.0, 1.0), turn_facts(), (), "unlucky"),
        (turn_value(1.2, 1.2), turn_facts(), (1,), None),
        (turn_value(1.2, 1.2), turn_facts(lit=1, playable=1), (), None),
        (turn_value(1.2, 1.2), turn_facts(dead=1), (), None),
    ],
)
def test_a_verdict_needs_size_significance_and_the_spectator(
    value: TurnValue, facts: TurnFacts, usual: tuple[int, ...], word: str | None
) -> None:
    assert judge_turn(value, facts, usual).word == word


# --- facts ----------------------------------------------------------------------------------------


def brute_force(state: State, player: int, slot: int) -> dict[int, Fraction]:
    """Count every hand of copies that agrees with the hints."""
    copies = []
    for card in range(state.rules.ranks * state.rules.suits):
        copies += [card] * count_of(state.left, card)
    for other in range(state.rules.players):
        if other != player:
            for place in range(state.hand_count[other]):
                copies.remove(card_in(state.hands[other], place))
    possible = [set(members(row)) for row in state.possible[player][: state.hand_count[player]]]
    found: Counter[int] = Counter()
    for hand in itertools.permutations(range(len(copies)), len(possible)):
        if all(copies[copy] in cards for copy, cards in zip(hand, possible, strict=True)):
            found[copies[hand[slot]]] += 1
    return {card: Fraction(count, found.total()) for card, count in found.items()}


def test_what_the_holder_could_know_is_exact() -> None:
    rules = hl.Rules(players=2, suits=2, ranks=3, hand_size=3, copies=((3, 2, 1),))
    rng = random.Random(1)
    joint = 0
    for seed in range(6):
        game = hl.Game(rules, seed=seed)
        while not game.is_over and game.turn < 8:
            alone = game.knowledge(game.player)
            for slot, known in enumerate(alone):
                chances = slot_chances(game.state, game.player, slot)
                counted = brute_force(game.state, game.player, slot)
                for name in ("playable", "dead", "critical"):
                    cards = getattr(game.state, name)
                    right = sum(share for card, share in counted.items() if cards >> card & 1)
                    assert getattr(chances, name) == right
                    joint += abs(getattr(known, name) - right) > 0.01
            game.act(rng.choice(game.legal_actions()))
    assert joint > 5  # what is known of the other slots matters


def test_a_lost_card_names_who_could_have_saved_it() -> None:
    rules = hl.Rules.classic(3)
    deck = hl.read_deck(
        "r5 g1 g2 g3 g4  b1 b1 b2 b2 b3  w1 w1 w2 w2 w3 "
        + " ".join(
            card for card in remaining(rules, "r5 g1 g2 g3 g4 b1 b1 b2 b2 b3 w1 w1 w2 w2 w3")
        ),
        rules,
    )
    game = hl.Game(rules, deck)
    for action in ("hint r 1 3", "hint s 2 w", "hint r 1 2", "discard 0"):
        game.act(said(action, rules))
    (lost,) = find_facts(positions_of(game)[0], as_played(game).actions).lost
    assert (lost.turn, lost.player, lost.points, lost.touched) == (4, 0, 1, False)
    assert [(one.turn, one.player, one.tokens) for one in lost.rescues] == [(2, 1, 7), (3, 2, 6)]


def remaining(rules: hl.Rules, dealt: str) -> list[str]:
    """Return the rest of the deck, in any order."""
    cards = Counter(rules.card_name(card) for card in hl.Deck.shuffled(rules))
    return sorted((cards - Counter(dealt.split())).elements())


def said(text: str, rules: hl.Rules) -> hl.Action:
    """Return an action: `hint r TARGET RANK`, `hint s TARGET SUIT` or `discard SLOT`."""
    kind, *rest = text.split()
    if kind == "discard":
        return hl.Action.discard(int(rest[0]))
    by, target, value = rest
    if by == "r":
        return hl.Action.hint_rank(int(target), int(value))
    return hl.Action.hint_suit(int(target), rules.letters.index(value))


# --- several games, and the command ---------------------------------------------------------------


def test_statistics_add_up_over_games() -> None:
    reviews = [mixed(), mixed()]
    found = player_statistics(reviews)
    one, two = player_statistics(reviews[:1]).rows(), found.rows()
    assert [row["name"] for row in two] == ["Alice", "Bob", "Cathy"]
    assert [2 * row["cards"] for row in one] == [row["cards"] for row in two]
    assert sum(row["cards"] for row in two) == 2 * mixed().score
    assert [row["judged"] for row in two] == [2, 0, 2]
    assert two[0]["scores_by_variant"]["hle"]["games"] == 2


def test_the_page_of_a_report_is_self_contained(tmp_path: Path) -> None:
    """Names are escaped, unfinished games say so, and nothing is loaded from elsewhere."""
    whole = mixed()
    named = dataclasses.replace(whole, site={"players": ["<Ann>", "Ben", "Cy"], "id": 7})
    begun = hl.review(played("conventions", 3, 1, turns=4), "conventions", **TINY)
    found = player_statistics([named, begun])
    file = tmp_path / "report.html"
    assert found.save(file) is found
    page = file.read_text(encoding="utf-8")
    assert "<h2>&lt;Ann&gt;</h2>" in page
    assert "<Ann>" not in page
    assert "unfinished after 4 turns" in page
    assert f"{whole.game.score} of 25" in page
    assert "https://hanab.live/replay/7" in page
    assert not re.search(r"<(script|link|img|iframe)|url\(|@import", page)
    assert page.count("<section") == page.count("</section>") == len(found.players) + 1
    assert found.save(tmp_path / "report.json") is found
    assert json.loads((tmp_path / "report.json").read_text())["games"] == 2


def test_a_strategy_reviewed_by_itself_has_only_luck_and_losses() -> None:
    found = review_strategy(
        "hatter", hl.preset("hle", 3), 2, worlds=8, cached=False, progress=False
    )
    assert all(
        game.account.ledger.play == game.account.ledger.hidden == 0 for game in found.reviewed
    )
    kinds = [row for row in found.rows() if row["by"] == "kind"]
    turns = sum(len(game.facts.turns) for game in found.reviewed)
    assert sum(row["decisions"] for row in kinds) == turns / 2
    assert found.without_luck.mean == sum(game.account.curve[0] for game in found.reviewed) / 2


def test_the_report_uses_the_words_of_players(capsys: pytest.CaptureFixture[str]) -> None:
    text = mixed().to_text().lower()
    for word in ("blueprint", "world", "strategy", "sample", "spectator"):
        assert word not in text
    assert "slot 1 is the newest card" in text
    assert main(["review", "p2v0s1", "--worlds", "100"]) == 2
    assert "not a power of two" in capsys.readouterr().err
    assert main(["review", "p2v0s1", "--save", "report.pdf"]) == 2
    assert "report.pdf: tables are saved as" in capsys.readouterr().err
    for name, reason in (("search", "searches over, hatter"), ("cheat", "its own cards")):
        assert main(["review", "p3v0s1", "--as", name]) == 2
        assert reason in capsys.readouterr().err
