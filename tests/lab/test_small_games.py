"""Best responses, bounds and the table of small games."""

from __future__ import annotations

import itertools
import os
import runpy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import hanabilab as hl
from hanabilab.analysis import best_response, optimum_bound
from hanabilab.errors import HanabiError, RulesError
from hanabilab.game.deck import card_multiset
from hanabilab.lab.best_response import all_decks, count_decks, scores_of_all_decks
from hanabilab.lab.optimum_page import (
    HAT_GUESSERS,
    games_to_free,
    hidden_cost,
    regrets,
    sections,
    strategy_means,
    update_page,
)
from hanabilab.lab.small_games import COLUMNS, solve_small_games, table_of_games
from hanabilab.solver.optimum.known import SmallGame, known_optima, known_optimum

Command = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parents[2]
GAMES = int(os.environ.get("HANABILAB_OPTIMUM", "0"))
"""How many of the stored games the long test compares with their bounds."""
SMALL = SmallGame.named("p2-h1-s2-c21-t1-l1")
TWO_CARDS = SmallGame.named("p2-h2-s1-c221-t1-l1")


def test_names_list_the_sizes() -> None:
    assert SmallGame(2, 1, 2, (2, 1), 1, 1) == SMALL
    for game in table_of_games(1000):
        assert SmallGame.named(game.name) == game
        assert SmallGame.of(game.rules) == game
    assert SmallGame.of(SMALL.rules.replace(keep_score=True)) is None
    with pytest.raises(RulesError, match="not the name of a small game"):
        SmallGame.named("p2-h1")


def test_all_decks_are_all_permutations() -> None:
    decks = list(all_decks(SMALL.rules))
    assert set(decks) == set(itertools.permutations(card_multiset(SMALL.rules)))
    assert len(decks) == len(set(decks)) == count_decks(SMALL.rules) == 180


def test_an_optimal_strategy_is_the_best_response_to_itself() -> None:
    found = best_response("optimal", SMALL.rules)
    assert found.value == found.mean == Fraction(307, 90)
    assert found.gain == 0


@pytest.mark.parametrize("seat", [0, 1])
def test_a_best_response_is_between_self_play_and_the_optimum(seat: int) -> None:
    found = best_response("information", TWO_CARDS.rules, seat=seat)
    assert found.mean <= found.value <= hl.optimum(TWO_CARDS.rules).value
    scores = scores_of_all_decks("information", TWO_CARDS.rules)
    total = sum(score * count for score, count in scores.items())
    assert total == count_decks(TWO_CARDS.rules) * found.mean


def test_best_responses_that_are_rejected() -> None:
    with pytest.raises(HanabiError, match="iggi uses random numbers"):
        best_response("iggi", SMALL.rules)
    with pytest.raises(HanabiError, match="search is too slow"):
        best_response("search:blueprint=iggi", SMALL.rules)
    with pytest.raises(HanabiError, match="too large"):
        best_response("cheat", "classic", 2)


def test_bounds_fall_to_the_optimum() -> None:
    bounds = [optimum_bound(SMALL.rules, hidden_turns=turns) for turns in range(12)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] == hl.optimum(SMALL.rules).open_hands
    assert bounds[1] == Fraction(65, 18)
    assert bounds[-1] == Fraction(307, 90)


GAMES_WITH_OPEN_CARDS = [
    "p2-h1-s2-c11-t1-l1",
    "p3-h1-s2-c11-t1-l2",
    "p2-h2-s1-c22-t1-l1",
    "p2-h1-s1-c211-t0-l1",
    "p2-h2-s1-c211-t1-l2",
]


def bounds_of(game: SmallGame) -> list[Fraction]:
    """The optimum, bounds with fewer and fewer hidden turns, and the value with open cards."""
    bounds = [optimum_bound(game.rules, hidden_turns=turns) for turns in (3, 2, 1, 0)]
    decks = [hl.Deck(game.rules, deck) for deck in all_decks(game.rules)]
    best = [hl.solve(deck, best=True).best for deck in decks]
    assert None not in best
    return [
        known_optima()[game].value,
        *bounds,
        Fraction(sum(map(int, filter(None, best))), len(decks)),
    ]


def test_bounds_are_between_the_optimum_and_the_open_game() -> None:
    found = {name: bounds_of(SmallGame.named(name)) for name in GAMES_WITH_OPEN_CARDS}
    for values in found.values():
        assert values == sorted(values)
    assert sum(len(set(values)) for values in found.values()) >= 12, "the bounds differ"


@pytest.mark.skipif(not GAMES, reason="make optimum-test compares the bounds of more games")
@pytest.mark.timeout(0)
def test_bounds_of_stored_games() -> None:
    games = [game for game, line in known_optima().items() if line.decks <= 60][:GAMES]
    for game in games:
        values = bounds_of(game)
        assert values == sorted(values), game.name


def test_the_table_is_resumed(tmp_path: Path) -> None:
    file = tmp_path / "optima.csv"
    games = table_of_games(2000)[:12]
    first = solve_small_games(games[:5], save=file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 6
    again = solve_small_games(games, save=file)
    assert file.read_text(encoding="utf-8").splitlines()[:6] == lines
    assert again.solved == 12
    assert first.lines[0]["value"] == again.lines[0]["value"]


def test_games_that_take_too_long_are_tried_again_with_more_time(tmp_path: Path) -> None:
    file = tmp_path / "optima.csv"
    slow = SmallGame.named("p2-h1-s2-c111-t1-l1")
    assert solve_small_games([slow], time_limit=0.01, save=file).solved == 0
    assert solve_small_games([slow], time_limit=0.01, save=file).solved == 0
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2
    found = solve_small_games([slow], time_limit=100, save=file)
    assert found.lines[0]["value"] == "961/360"


def test_public_states_that_take_too_long_are_given_up() -> None:
    large = SmallGame.named("p2-h2-s3-c21-t4-l3")
    line = solve_small_games([large], time_limit=0.001).lines[0]
    assert (line["value"], line["states"], line["limit"]) == ("", "", 0.001)
    assert line["seconds"] < 2


def test_stored_optima_are_those_that_are_computed() -> None:
    known = known_optima()
    assert len(known) > 300
    for game in list(known)[::60]:
        if known[game].seconds < 0.1:
            found = hl.optimum(game.rules)
            stored = known_optimum(game.rules)
            assert stored is not None
            assert (stored.value, stored.decks) == (found.value, found.decks)
            assert stored.perfect == found.distribution.get(game.rules.max_score, 0)
    for line in known.values():
        assert line.value <= line.one_turn <= line.open_hands <= line.game.rules.max_score


def test_the_page_has_the_tables_of_the_data() -> None:
    page = ROOT / "docs" / "results" / "optimum.md"
    text = page.read_text(encoding="utf-8")
    assert update_page(text) == text, "python -m hanabilab.lab.optimum_page docs/results/optimum.md"
    assert all(f"<!-- table: {name} -->" in text for name in sections())


def test_another_token_or_life_never_lowers_a_stored_optimum() -> None:
    """The page proves it for lives and tokens, except for the first token: a conjecture."""
    known = known_optima()
    for game, line in known.items():
        for field in ("hint_tokens", "lives"):
            larger = game._replace(**{field: getattr(game, field) + 1})
            assert larger not in known or known[larger].value >= line.value, larger.name


def test_enough_tokens_make_hidden_hands_free() -> None:
    """A conjecture of the page: as far as tested, each token lowers the cost until it is 0."""
    known = known_optima()
    for line in games_to_free():
        games = [line.game._replace(hint_tokens=tokens) for tokens in range(4, 10)]
        costs = [hidden_cost(known[game]) for game in games if game in known]
        assert all(after < before for before, after in itertools.pairwise(costs)), line.game.name


def test_where_the_page_says_that_strategies_are_optimal() -> None:
    found = regrets()
    assert all(regret <= 0 for game, regret in found["cheat"].items() if not game.hint_tokens)
    for name in HAT_GUESSERS:
        for game, regret in found[name].items():
            assert regret >= 0
            small = (game.players, game.hand_size, game.suits, len(game.copies)) == (2, 2, 1, 2)
            assert small or regret, f"{name} is optimal in {game.name}"


def test_the_learner_of_the_example_learns() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "learner_regret.py"))
    name = "p2-h1-s2-c11-t1-l1"
    mean, error = example["train"](name, 1200)
    assert 1 < mean <= known_optima()[SmallGame.named(name)].value + 5 * error


def test_no_legal_strategy_beats_the_optimum() -> None:
    known = known_optima()
    means = [m for m in strategy_means() if m.strategy != "cheat" and m.game in known]
    assert len(means) > 50
    for mean in means:
        optimum = known[mean.game].value
        assert mean.mean <= float(optimum) + 5 * mean.stderr
        if mean.best_response is not None:
            assert mean.mean <= mean.best_response <= optimum


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--rules", SMALL.name], "optimum 307/90 = 3.4111 of 4"),
        (["--rules", SMALL.name, "--json"], '"value": "307/90"'),
        (["--rules", SMALL.name, "--hidden-turns", "3"], "optimum at most 32/9 = 3.5556"),
        (["--rules", SMALL.name, "--respond-to", "cheat"], "137/45"),
    ],
)
def test_the_command(command: Command, arguments: list[str], expected: str) -> None:
    code, out, _ = command("optimum", *arguments)
    assert code == 0
    assert expected in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "2"], "too large for an exact optimum: an estimated"),
        (["--rules", "p2"], "unknown preset 'p2'"),
        (["--rules", SMALL.name, "--beliefs", "9"], "--beliefs and --memory-limit allow more"),
        (["--rules", SMALL.name, "--respond-to", "nobody"], "unknown strategy 'nobody'"),
        (["--rules", SMALL.name, "--hidden-turns", "-1"], "hidden_turns: -1 is not between"),
        (["--copies", "2,x"], "is not a value of this rule"),
        (["--all", "--respond-to", "cheat"], "--respond-to: not together with --all"),
        (["--all", "--time-limit", "0"], "time_limit: 0.0 is not a positive number"),
        (["--all", "--memory-limit", "0"], "memory_limit: 0 is not between"),
        (["--all", "--rules", SMALL.name], "--rules: not together with --all"),
        (["--all", "--hand-size", "1"], "--hand-size: not together with --all"),
        (["--rules", SMALL.name, "--time-limit", "5"], "--time-limit: only with --all"),
        (["--respond-to", "cheat", "--beliefs", "5"], "--beliefs: not together with --respond-to"),
        (["--all", "--checkpoint", "x.npz"], "--checkpoint: not together with --all"),
        (["--rules", SMALL.name, "--checkpoint", "none/x.npz"], "folder none does not exist"),
        (["--rules", SMALL.name, "--hidden-turns", "1", "--save", "x.csv"], "a bound is no table"),
    ],
)
def test_bad_input_is_one_line(command: Command, arguments: list[str], message: str) -> None:
    code, _, err = command("optimum", *arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
