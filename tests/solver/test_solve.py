"""The solver: never wrong, every win replayed, every loss with a reason that can be checked."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabilab.game.actions import legal_actions
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules, preset
from hanabilab.game.state import PERFECT, State
from hanabilab.game.turn import final_score
from hanabilab.game.variants import TOUCH_KINDS
from hanabilab.lab.analyze import analyze
from hanabilab.lab.solve import solve
from hanabilab.lab.winnable import winnable
from hanabilab.solver.decide import decide
from hanabilab.solver.position import Position
from hanabilab.solver.proofs import verify
from hanabilab.solver.solve import ExactSearch, solve_position
from hanabilab.table.game import Game
from hanabilab.table.play import play
from tests.conftest import Answer
from tests.solver.brute import best_score
from tests.solver.tiny import (
    ODD_SHAPES,
    one_suit,
    random_deck,
    random_position,
    setup_of,
    special_deck,
    table_of,
    walk,
)

pytest.importorskip("pysat")  # bounds meet in every game only with it

CHECKED_FROM_THE_DECK = {"over", "dead card", "pace", "storage", "endgame"}


def check(position: Position, best: int) -> None:
    """The solver's verdict against the truth, and its evidence."""
    top = position.state.rules.ranks * position.state.rules.suits
    answer = solve(position, best=True)
    assert answer.winnable == (best == top)
    assert answer.best == best == answer.bound
    assert position.after(answer.line).score == best
    assert position.after(answer.line).is_over
    if answer.winnable:
        assert position.after(answer.line).state.end == PERFECT
        assert answer.reason is None
    else:
        assert answer.reason is not None
        if answer.reason.name in CHECKED_FROM_THE_DECK:
            assert verify(position, answer.reason)


@pytest.mark.parametrize("seed", range(6))
def test_tiny_games_against_brute_force(seed: int) -> None:
    """Random rules, decks and positions in the middle of a game."""
    chance = random.Random(seed)
    for _ in range(25):
        position = walk(random_position(chance), chance, chance.choice([0, 0, 1, 2, 4]))
        check(position, best_score(setup_of(position), table_of(position)))


@pytest.mark.parametrize("kind", [kind for kind in TOUCH_KINDS if kind != "deceptive"])
def test_special_suits_against_brute_force(kind: str) -> None:
    """Hints matter where they cannot be given: to hands of null cards, say, or for want of any."""
    chance = random.Random(kind)
    for _ in range(12):
        position = Position.start(special_deck(chance, kind))
        position = walk(position, chance, chance.choice([0, 0, 1, 2]))
        check(position, best_score(setup_of(position), table_of(position)))


@pytest.mark.parametrize("changes", [{"inverted_suits": "y"}, {"reversed_suits": "r"}])
def test_other_ways_to_play_suits_against_exact_search(changes: dict[str, Any]) -> None:
    rules = Rules(
        players=2, hand_size=2, ranks=3, suits=2, copies=((2, 1, 1),), hint_tokens=1, **changes
    )
    for seed in range(12):
        position = Position.start(Deck.shuffled(rules, seed=seed))
        exact = ExactSearch(position).run()
        assert exact is not None
        answer = solve_position(position, time_limit=None, best=True)
        assert (answer.best, answer.bound) == (exact[0], exact[0])
        assert position.after(answer.line).score == answer.best


def small(**changes: Any) -> Position:
    """Two suits of three ranks, two players with two cards each."""
    rules = Rules(
        players=2,
        hand_size=2,
        ranks=3,
        suits=2,
        copies=((2, 1, 1),),
        hint_tokens=2,
        lives=1,
        **changes,
    )
    return Position.start(Deck.shuffled(rules, seed=3))


def test_the_last_card_can_be_played_from_the_draw_pile() -> None:
    """Every line of the engine, tried one by one, tells the same."""
    for rules in ({"deck_plays": True}, {"all_or_nothing": True}):
        position = small(**rules)
        best = every_line(position.state, position.deck, {})
        answer = solve(position, best=True)
        assert (answer.best, answer.bound, answer.winnable) == (best, best, best == 6)
        assert position.after(answer.line).score == best


def every_line(state: State, deck: list[int], known: dict[bytes, int]) -> int:
    """The best final score, over all legal actions."""
    if state.end:
        return final_score(state)
    key = repr([getattr(state, name) for name in ("player", "hint_tokens", "lives", "draw_pile")])
    key += repr([state.turns_left, *state.hands[:2], *state.fireworks[:2]])
    if key.encode() not in known:
        known[key.encode()] = max(
            every_line(Position(state, deck).after([action]).state, deck, known)
            for action in legal_actions(state)
        )
    return known[key.encode()]


@pytest.mark.parametrize("seed", range(100, 104))
def test_odd_games_against_brute_force(seed: int) -> None:
    """Up to six players; a single rank, many ranks, many suits."""
    chance = random.Random(seed)
    for _ in range(15):
        deck = random_deck(chance, most_cards=10, most_players=6, shapes=ODD_SHAPES)
        position = walk(Position.start(deck), chance, chance.choice([0, 0, 1, 2, 4]))
        check(position, best_score(setup_of(position), table_of(position)))


@pytest.mark.parametrize(
    ("ranks", "hand_size", "tokens", "lives"),
    [
        ("1 2 3 1 1", 2, 1, 1),  # playing whenever possible loses
        ("2 3 1 1 2 1", 1, 2, 1),  # two tokens lose,
        ("2 3 1 1 2 1", 1, 1, 1),  # one wins
        ("3 1 1 1 3 2 4", 1, 1, 1),  # a playable card must be discarded
        ("4 2 3 4 1 3 4 5 1", 1, 1, 3),  # a misplay is the only discard
    ],
)
def test_games_that_refute_plausible_rules(
    ranks: str, hand_size: int, tokens: int, lives: int
) -> None:
    position = one_suit(ranks, hand_size=hand_size, tokens=tokens, lives=lives)
    check(position, best_score(setup_of(position), table_of(position)))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_whole_decks_come_with_a_line_or_a_reason(players: int) -> None:
    for game in range(30):
        deck = Deck.shuffled(players=players, seed=11, game=game)
        answer = solve(deck)
        if answer.winnable:
            replayed = Game(deck.rules, deck)
            for action in answer.actions:
                replayed.act(action)
            assert replayed.end == "perfect"
        else:
            assert answer.winnable is False
            assert answer.reason is not None


def test_what_beams_and_proofs_have_left_open_is_decided_in_other_ways() -> None:
    chance = random.Random(11)
    for _ in range(30):
        position = random_position(chance)
        again = decide(position, None, skip_quick=True)
        assert again.reachable is decide(position, None).reachable
        assert again.method in {"over", "dead card", "search"}
    whole = Position.start(Deck.shuffled(preset("classic", 3), seed=1))
    assert decide(whole, None).method.startswith("beam")
    assert decide(whole, None, skip_quick=True).method == "sat"


def test_the_examples_of_the_thesis() -> None:
    """Example 3.2: fives and fours on top; Example 3.3: all ones at the bottom."""
    rules = preset("classic", 2)
    cards = sorted(Deck.shuffled(rules), key=lambda card: -(card % 5))
    fives_first = Deck.of(rules, cards)
    assert solve(fives_first).winnable is False
    ones_last = Deck.of(rules, sorted(cards, key=lambda card: card % 5 == 0))
    answer = solve(ones_last, best=True)
    assert answer.winnable is False
    assert answer.reason is not None
    assert answer.reason.name == "pace"
    assert answer.best == answer.bound == 14


def test_example_3_38_of_the_thesis() -> None:
    """The same deck with no pass and with passes."""
    without = one_suit("4 3 2 1 1 1 1 1", hand_size=2, tokens=0, lives=3)
    with_passes = one_suit("4 3 2 1 1 1 1 1", hand_size=2, tokens=2, lives=3)
    assert solve(without).winnable is False
    assert solve(with_passes).winnable is True


def test_from_the_middle_of_a_game() -> None:
    game = play("information", Deck.shuffled(players=3, seed=1), seed=1)
    analysis = analyze(game)
    assert len(analysis.turns) == game.turn
    assert analysis.turns[-1].best == game.score
    bests = [analysis.start.best, *(turn.best for turn in analysis.turns)]
    assert bests == sorted(bests, reverse=True)
    assert analysis.lost_at is not None
    assert analysis.lost_at > 0
    before = Game(game.rules, game.deck)
    for action in game.actions[: analysis.lost_at - 1]:
        before.act(action)
    assert solve(before).winnable
    kept = before.copy()
    assert analysis.better is not None
    kept.act(analysis.better)
    assert solve(kept).winnable
    before.act(game.actions[analysis.lost_at - 1])
    assert solve(before).winnable is False


def test_counting_decks_is_the_same_for_any_threads_and_resumes(tmp_path: Path) -> None:
    one = winnable(3, decks=400, seed=2, threads=1)
    two = winnable(3, decks=400, seed=2, threads=2)
    assert one.outcomes == two.outcomes
    file = tmp_path / "decks.csv"
    winnable(3, decks=150, seed=2, save=file)
    resumed = winnable(3, decks=400, seed=2, save=file)
    assert resumed.outcomes == one.outcomes
    assert resumed.resumed == 150
    assert winnable(3, decks=400, seed=2, save=file).outcomes == one.outcomes


def test_the_mean_of_the_best_scores() -> None:
    """A small game in which many decks are lost."""
    rules = preset("classic", 2, ranks=3, suits=2, copies=(2, 1, 1), hand_size=2, hint_tokens=2)
    scores = [solve(Deck.shuffled(rules, seed=5, game=game), best=True).best for game in range(60)]
    result = winnable(rules=rules, decks=60, seed=5, best=True)
    assert min(scores) < max(scores) == 6
    assert result.expected_best == pytest.approx(statistics.mean(scores))
    assert result.expected_best_stderr == pytest.approx(statistics.stdev(scores) / 60**0.5)
    assert result.to_dict()["points_open"] == 0
    assert "expected best score" in result.heading()
    assert "expected_best" not in winnable(rules=rules, decks=60, seed=5).to_dict()


def test_command_solve(command: Callable[..., Answer], tmp_path: Path) -> None:
    decks = [Deck.shuffled(players=3, seed=5, game=game) for game in range(3)]
    file = tmp_path / "decks"
    object_line = json.dumps({"deck": list(decks[1]), "players": 3})
    lines = ["# three decks", str(decks[0]), object_line, "", str(decks[2])]
    file.write_text("\n".join(lines))
    code, out, err = command("solve", str(file), "--players", "3", "--json")
    assert code == 0, err
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == 3
    for answer in answers:
        assert list(answer) == [
            "winnable", "best", "bound", "actions", "reason", "method", "nodes", "seconds",
        ]  # fmt: skip


def test_an_object_has_its_own_players_and_the_rules_of_the_options(
    command: Callable[..., Answer], tmp_path: Path
) -> None:
    deck = Deck.shuffled(preset("classic", 3, suits=2), seed=5)
    file = tmp_path / "decks"
    file.write_text(json.dumps({"deck": str(deck), "players": 3}))
    code, out, err = command(
        "solve", str(file), "--players", "2", "--set-rule", "suits=2", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["bound"] <= 10
    assert {action["player"] for action in json.loads(out)["actions"]} == {0, 1, 2}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("r1 r2 x9", "line 2: deck: card 3, 'x9', has an unknown suit"),
        ('{"deck": 5}', "line 2: deck: 5 is neither text nor a list"),
        ('{"deck": "p2v0s1", "players": "2"}', "line 2: players: '2' is not an integer"),
        ('{"deck": "r1", "players": "two"}', "line 2: players: 'two' is not an integer"),
        ('{"deck": ', "line 2: this is not JSON: Expecting value (column 9)"),
        ('{"players": 2}', "line 2: the object has no key 'deck'"),
        ('{"deck": "r1", "rules": 7}', "line 2: rules: 7 is neither"),
    ],
)
def test_a_bad_line_is_named_before_anything_is_solved(
    command: Callable[..., Answer], tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "decks"
    file.write_text(f"{Deck.shuffled(players=2)}\n{line}")
    code, out, err = command("solve", str(file), "--players", "2")
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_the_best_line_of_a_lost_deck(command: Callable[..., Answer]) -> None:
    """Lost by pace; the line to 24 is printed, and replays to 24."""
    options = ("--players", "2", "--seed", "1", "--game", "127", "--best")
    code, out, _ = command("solve", *options, "--json")
    assert code == 0
    data = json.loads(out)
    assert (data["winnable"], data["best"], data["bound"]) == (False, 24, 24)
    game = Game(players=2, seed=1, game=127)
    for action in data["actions"]:
        game.act(action)
    assert (game.score, game.is_over) == (24, True)
    code, out, _ = command("solve", *options)
    assert len(out.splitlines()) == 1 + game.turn


def test_command_solve_from_a_turn(command: Callable[..., Answer], tmp_path: Path) -> None:
    game = play("cheat", Deck.shuffled(players=2, seed=3), seed=3)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(game.to_dict()))
    code, out, _ = command("solve", "--game-file", str(file), "--from-turn", "10", "--json")
    assert code == 0
    assert json.loads(out)["winnable"] in (True, False)
    code, out, _ = command("analyze", str(file), "--json")
    assert code == 0
    assert {"lost_at", "turns"} <= json.loads(out).keys()


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "--players", "2", "--deck", "r1 r2"),
        ("solve", "--players", "0"),
        ("solve", "no-such-file", "--players", "2"),
        ("solve", "--from-turn", "3"),
        ("solve", "--players", "2", "--time-limit", "0"),
        ("analyze", "no-such-file"),
        ("winnable", "--players", "five"),
        ("winnable", "--players", "5-2"),
        ("winnable", "--decks", "0"),
        ("winnable", "--players", "2", "--decks", "10", "--save", "decks.txt"),
        ("bench", "solver", "cheat"),
    ],
)
def test_nonsense_is_one_line(command: Callable[..., Answer], arguments: tuple[str, ...]) -> None:
    code, out, err = command(*arguments)
    assert code == 2
    assert not out
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize("tokens", [1_000_000, None])
def test_ample_tokens_are_not_passed_away_one_by_one(tokens: int | None) -> None:
    """A careful player who waits in vain gives up before all tokens are spent."""
    rules = preset("open", 2, hint_tokens=tokens, deck_ends=False, copies=[1, 1, 1, 1, 1])
    position = Position.start(Deck.shuffled(rules, seed=2))
    answer = solve(position, time_limit=0.5, best=True)
    assert not answer.winnable
    assert len(answer.line) < 3_000
    assert position.after(answer.line).score == answer.best


def test_a_line_to_the_maximum_is_a_win_however_it_was_found() -> None:
    """With 31 copies of each card plain careful play wins, which the beams are too short for."""
    rules = preset("classic", 10, hand_size=3, suits=6, ranks=10, copies=[31] * 10)
    answer = solve(Position.start(Deck.shuffled(rules, seed=0)), time_limit=0.1)
    assert answer.winnable
    assert answer.best == answer.bound == 60


def test_a_link_is_solved_where_its_game_stands(command: Callable[..., Answer]) -> None:
    deck = Deck.from_seed("p2v0s1")
    over = play("cheat", deck)
    begun = Game(deck=deck)
    begun.act("hint 1 1")
    for link, turns in ((over.link(), 0), (begun.link(), 1)):
        code, out, _ = command("solve", link, "--json")
        assert code == 0
        answer = json.loads(out)
        expected = solve(deck if turns == 0 else begun)
        assert answer["actions"] == expected.actions
    assert command("solve", over.link(), "--from-turn", "1", "--json")[0] == 0
    long = "x" * 300
    code, _, err = command("solve", "--deck", long)
    assert code == 2
    assert "x" * 70 in err
    assert "x" * 81 not in err
