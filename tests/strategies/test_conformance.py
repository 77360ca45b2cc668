"""What every strategy must do, without being asked.

Only legal actions under all rules that it does not refuse, and a reason where it refuses; and what
`hanabilab check` asks of everybody: the same game from the same seed, interpreted and compiled, and
the same action whatever its own hand and the draw pile hold.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator

import pytest

from hanabilab import Deck, Game, Rules, check, preset
from hanabilab.author import Strategy
from hanabilab.errors import RulesError, StrategyError
from hanabilab.game.cards import card_in
from hanabilab.game.rules import PRESETS
from hanabilab.lab.results_table import benchmark_strategies
from hanabilab.lab.run import Run
from hanabilab.lab.simulate import simulate
from hanabilab.lab.validation.monitor import CheckFailedError
from hanabilab.lab.validation.properties import StrategyUnderTest
from hanabilab.lab.validation.replay import redeal_hidden_cards
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import play

LEAST_WORK = {"playouts": 2, "depth": 2, "samples": 2, "pile": 3, "history": 0}
"""Options that make a slow strategy quick enough to be tested."""


def quick(strategy: Strategy) -> Strategy:
    """Return the strategy with less work to do, if it is a slow one."""
    if not strategy.slow:
        return strategy
    options = {name: value for name, value in LEAST_WORK.items() if name in strategy.options}
    return strategy.with_options(**options)


STRATEGIES = {strategy.label: quick(strategy) for strategy in benchmark_strategies()}

every_strategy = pytest.mark.parametrize("name", STRATEGIES)


def small(**changes: object) -> Rules:
    fields: dict[str, object] = {"players": 3, "hand_size": 3, "ranks": 3, "suits": 3}
    return Rules(**{"copies": (2, 2, 1), **fields, **changes})  # type: ignore[arg-type]


ODD_RULES = {
    "one player": small(players=1),
    "ten players with one card": preset("classic", 10, hand_size=1),
    "ten cards in a hand": preset("classic", 2, hand_size=10),
    "six players": preset("classic", 6),
    "seven players": preset("classic", 7, hand_size=3),
    "no draw pile": small(players=5, copies=(2, 2, 1)),
    "one suit": small(suits=1, copies=(3, 3, 3)),
    "one rank": small(ranks=1, suits=5, copies=(3,)),
    "ten suits of one rank": small(ranks=1, suits=10, copies=(2,)),
    "ten ranks": preset("classic", 3, ranks=10, suits=3),
    "62 cards": preset("classic", 4, ranks=2, suits=31, copies=(2, 1)),
    "many copies": small(copies=(31, 17, 9)),
    "missing cards": small(copies=((2, 2, 1), (0, 2, 1), (2, 2, 2))),
    "no hint tokens": small(hint_tokens=0),
    "one hint token": small(hint_tokens=1),
    "unlimited hint tokens": small(hint_tokens=None),
    "one life": small(lives=1),
    "unlimited lives": small(lives=None),
    "no end": small(deck_ends=False),
    "no end, no limits": small(deck_ends=False, lives=None, hint_tokens=None),
    "open": small(open_game=True),
    "a rainbow suit": preset("Rainbow (6 Suits)", 3),
    "a pink suit": preset("Dark Pink (5 Suits)", 4),
    "a white suit": preset("White (5 Suits)", 2, empty_hints=True),
    "a brown suit": preset("Brown (6 Suits)", 6),
    "an orange suit": preset("Dark Orange (6 Suits)", 3),
    "fireworks that go up or down": preset("Up or Down (5 Suits)", 3),
    "sudoku": preset("Sudoku (4 Suits)", 2),
    "hints that alternate": preset("Alternating Clues & White (5 Suits)", 4),
    "ranks that hints confuse": preset("Chimneys & Null (5 Suits)", 3),
    "a suit that is played downwards": preset("Rainbow Reversed (6 Suits)", 3),
    "hints that tell little": preset("Duck (5 Suits)", 3),
    "special suits only": small(touching=("rainbow", "white", "brown")),
    "every switch": small(
        empty_hints=True, token_for_suit=False, discard_at_full=True, keep_score=True
    ),
}


def all_rules() -> list[Rules]:
    """Return every preset for every number of players, and the odd rules."""
    found = [preset(name, players) for name in PRESETS for players in PRESETS[name].hands]
    return [*found, *ODD_RULES.values()]


def playable(strategy: Strategy) -> list[Rules]:
    return [rules for rules in all_rules() if strategy.why_not(rules) is None]


@contextlib.contextmanager
def naming(rules: Rules) -> Iterator[None]:
    """Say under which rules something went wrong."""
    try:
        yield
    except Exception as error:
        names = [name for name, odd in ODD_RULES.items() if odd == rules]
        error.add_note(f"under {rules.preset or names}, {rules.players} players: {rules}")
        raise


@every_strategy
def test_only_legal_actions_under_all_rules_it_plays(name: str) -> None:
    """An illegal action raises an error, with the game and the turn."""
    strategy = STRATEGIES[name]
    games = 1 if strategy.slow else 12
    for rules in playable(strategy):
        with naming(rules):
            rows = play_chunk(rules, [strategy] * rules.players, 7, 0, games)
            assert all(row[3] for row in rows)


@every_strategy
def test_a_refusal_says_why_before_the_first_game(name: str) -> None:
    strategy = STRATEGIES[name]
    for rules in all_rules():
        reason = strategy.why_not(rules)
        if reason is not None:
            assert len(reason) > 10
            assert "\n" not in reason
            with pytest.raises(StrategyError, match="cannot play this"):
                simulate(strategy, games=1, rules=rules)


@every_strategy
def test_it_plays_what_it_was_made_for(name: str) -> None:
    assert playable(STRATEGIES[name])
    classic = [preset("classic", players) for players in (2, 3, 4, 5)]
    assert any(STRATEGIES[name].why_not(rules) is None for rules in classic)


def sample(strategy: Strategy, count: int) -> list[Rules]:
    """Return some of the rules that it can play, a different sample for each strategy."""
    rules = playable(strategy)
    rng = random.Random(strategy.label)
    return rng.sample(rules, min(count, len(rules)))


@every_strategy
def test_it_passes_the_check(name: str) -> None:
    strategy = STRATEGIES[name]
    report = check(
        strategy,
        rules=sample(strategy, 1 if strategy.slow else 5),
        games=2,
        compared=1,
        seconds=None,
        interpreted=True,
        baselines=(),
    )
    assert report.trusted, str(report)
    asked = {check_name.name for check_name in report.findings if check_name.passed is not None}
    assert asked >= {"compiles", "plays", "ends", "equal", "repeats", "view", "alone", "options"}
    assert ("blind" in asked) == (not strategy.sees_own_hand)
    assert [warning for warning in report.warnings if "changed" in warning] == []


@every_strategy
def test_a_game_of_a_run_is_the_game_that_is_shown(name: str) -> None:
    strategy = STRATEGIES[name]
    (rules,) = sample(strategy, 1)
    game = play(strategy, Deck.shuffled(rules, seed=9, game=4), seed=9, game=4)
    row = Run.of(rules, [strategy], seed=9, games=9).play(4, 1)[0][0][0]
    assert (game.score, game.turn) == (row[0], row[1])


def test_the_exchange_finds_cheaters() -> None:
    """Somebody who looks at its own cards is found out."""
    tested = StrategyUnderTest(STRATEGIES["cheat"], 20, compiled=False, interpreted=True, limit=60)
    with pytest.raises(CheckFailedError, match=r"when it holds other cards .* --seed 20 --game 0"):
        tested.check_hidden_cards([preset("classic", 3)], until=math.inf)


def test_exchanged_cards_agree_with_the_hints() -> None:
    rules = preset("classic", 3)
    game = play(STRATEGIES["random"], Deck.shuffled(rules, seed=3), seed=3)
    for turn in range(game.turn):
        other = redeal_hidden_cards(game, turn, random.Random(turn))
        if other is None:
            continue
        assert sorted(other) == sorted(game.deck)
        there, here = Game(rules, other), Game(rules, game.deck)
        for action in game.actions[:turn]:
            there.act(action)
            here.act(action)
        assert there.view(there.player) == here.view(here.player)
        for slot in range(there.state.hand_count[there.player]):
            card = card_in(there.state.hands[there.player], slot)
            assert there.state.possible[there.player][slot] >> card & 1


def test_the_odd_rules_are_rules() -> None:
    assert len({repr(rules) for rules in ODD_RULES.values()}) == len(ODD_RULES)
    with pytest.raises(RulesError):
        small(copies=(2, 2))


def test_who_plays_special_suits() -> None:
    rules = preset("Rainbow (5 Suits)", 3)
    refused = {name for name, each in STRATEGIES.items() if each.why_not(rules)}
    assert refused == {"duo", "sieve", "search:blueprint=duo"}
    with pytest.raises(StrategyError, match=r"optimal cannot play this: .* rainbow suits"):
        simulate("optimal", games=1, rules=rules)
    with pytest.raises(StrategyError, match=r"about every card, and none touches white 1"):
        simulate("information", games=1, rules=preset("White (5 Suits)", 5))
