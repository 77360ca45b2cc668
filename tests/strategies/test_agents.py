"""Named rules in positions made by hand, lists of them, and the averages of the original."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hanabilab as hl
from hanabilab import Action, Game, HanabiError, find_strategy, preset
from hanabilab.strategies.agent_rules import AgentMemory, apply_rule
from hanabilab.strategies.agents import begin, encode, holds
from hanabilab.strategies.own_hand import infer_own_hand
from hanabilab.strategies.strategy import NONE
from hanabilab.table.loop import play_chunk

JAVA = {
    "internal": (11.18, 10.98, 10.17, 9.93),
    "outer": (14.58, 14.41, 13.14, 12.60),
    "cautious": (16.70, 17.16, 16.41, 15.21),
    "iggi": (17.12, 16.80, 16.14, 15.04),
    "piers": (17.29, 17.50, 17.10, 16.30),
    "flawed": (1.50, 1.55, 1.66, 1.76),
    "vdb": (13.81, 17.68, 17.28, 16.29),
}
"""Averages of the Java program, 2 to 5 players, 5,000 games each."""

REST = (
    "r4 r4 y2 y2 y3 y3 y4 y4 y5 g2 g2 g3 g3 g4 g4 g5 b2 b2 b3 b3 b4 b4 b5 w2 w2 w3 w3 w4 w4 w5"
    " r5 y1 y1 g1 g1 b1 b1 w1 w1 w1"
)
FIRST = "r1 r1 y1 r2 r3"
SECOND = "r1 r2 r3 g1 b1"


def position(*actions: str, first: str = FIRST, second: str = SECOND) -> Game:
    """Return a game of two players after some actions; the draw pile is always the same."""
    game = Game(preset("hle", 2), f"{first} {second} {REST}", any_deck=True)
    for action in actions:
        game.act(action)
    return game


def choice(game: Game, rule: str, stream: int = 1) -> str:
    """Return what a rule does in a position, without its history; nothing if it does not apply."""
    memory = AgentMemory(stream=stream)
    view = game.view(game.player)
    begin(view, memory)
    infer_own_hand(view, memory.own)
    code = encode(rule)
    if not holds(view, code >> 8 & 255):
        return "nothing"
    action = apply_rule(view, memory, code & 255, code >> 16)
    return "nothing" if action == NONE else str(Action.from_number(action, view))


@pytest.mark.parametrize(
    ("rule", "actions", "expected"),
    [
        ("play-safe", ["hint 1 g", "hint 0 1"], "play slot 0"),
        ("play-certain", ["hint 1 g", "hint 0 1"], "nothing"),
        ("play-certain", ["hint 1 g", "hint 0 1", "hint 1 1", "hint 0 y"], "play slot 2"),
        ("play-at-100", ["hint 1 g", "hint 0 1"], "play slot 2"),
        ("discard-dead", ["play 0", "hint 0 r", "hint 1 1", "hint 0 1"], "discard slot 0"),
        ("discard-dead", ["play 0", "hint 0 r", "hint 1 1", "hint 0 2"], "nothing"),
        ("discard-oldest", ["hint 1 g", "hint 0 3"], "discard slot 0"),
        ("discard-oldest", [], "nothing"),
        ("tell-useful", [], "hint rank 1 to player 1"),
        ("tell-useful", ["hint 1 1", "hint 0 3"], "hint suit r to player 1"),
        ("tell-playable-news", ["hint 1 1", "hint 0 3"], "hint suit r to player 1"),
        ("tell-unknown", [], "hint suit r to player 1"),
        ("tell-unknown", ["hint 1 r", "hint 0 3"], "hint rank 1 to player 1"),
        ("tell-most", [], "hint rank 1 to player 1"),
        ("tell-most", ["hint 1 1", "hint 0 3"], "hint suit r to player 1"),
        ("tell-dispensable", [], "nothing"),
        (
            "tell-dispensable",
            ["play 0", "hint 0 3", "hint 1 r", "hint 0 2"],
            "hint rank 1 to player 1",
        ),
        ("few-tokens:tell-most", [], "nothing"),
        ("empty-pile:tell-most", [], "nothing"),
    ],
)
def test_what_a_rule_does(rule: str, actions: list[str], expected: str) -> None:
    assert choice(position(*actions), rule) == expected


def test_random_rules_tell_the_next_player() -> None:
    told = {choice(position(), "tell-playable", stream) for stream in range(20)}
    assert told == {"hint rank 1 to player 1", "hint suit r to player 1"}
    told = {choice(position(), "tell-randomly", stream) for stream in range(99)}
    assert told == {
        f"hint {fact} to player 1"
        for fact in ("rank 1", "rank 2", "rank 3", "suit r", "suit g", "suit b")
    }


def test_the_likeliest_card_is_played_at_its_probability() -> None:
    """All slots but 3, which is known to be a 2, are equally likely; the last place is taken."""
    game = position("hint 1 g", "hint 0 2")
    assert choice(game, "play-at-100") == "nothing"
    assert choice(game, "play-at-1") == "play slot 4"
    assert choice(game, "discard-at-0") == "discard slot 4"
    assert choice(game, "discard-at-1") == "nothing"


def test_a_drawn_card_takes_the_place_of_the_old_one() -> None:
    """Player 1 plays slot 0 and draws r4: the youngest card, but the first to be told about."""
    strategy = find_strategy("compose:rule-list=tell-unknown")
    assert strategy.begin
    assert strategy.observe
    game = position()
    memory = strategy.fresh_memory()
    strategy.begin(game.view(0), memory)
    for action in ("hint 1 g", "play 0", "hint 1 b", "hint 0 3"):
        event = game.act(action)
        strategy.observe(game.view(0), event, memory)
    view = game.view(0)
    hint = Action.from_number(strategy.act(view, memory), view)
    assert hint == Action.hint_suit(1, "r")
    assert view.possible[1][0] != view.possible[1][4]
    game.act("hint 1 r")
    game.act("hint 0 2")
    hint = Action.from_number(strategy.act(game.view(0), memory), game.state)
    assert hint == Action.hint_rank(1, 4)
    assert choice(game, "tell-unknown") == "hint rank 2 to player 1"  # who did not watch


def test_three_lines_of_python_make_an_agent() -> None:
    mine = hl.strategies.agent("mine", ["play-safe", "tell-useful", "discard-oldest"])
    game = hl.play(mine, hl.Deck.shuffled(players=3, seed=1))
    assert game.is_over
    assert mine.option("rule_list") == "play-safe+tell-useful+discard-oldest"


def test_the_command_line_takes_a_list(command: Callable[..., tuple[int, str, str]]) -> None:
    rules = "play-safe+discard-dead+tell-randomly+discard-randomly"
    code, out, _ = command("play", f"compose:rule-list={rules}", "--players", "2")
    assert code == 0
    assert "score" in out


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("", "unknown rule"),
        ("play-wildly", "play-safe"),
        ("play-at", "play-at-PERCENT"),
        ("play-at-101", "unknown rule"),
        ("play-safe-50", "unknown rule"),
        ("rainy:play-safe", "spare-life"),
        ("+".join(["play-safe"] * 33), "33 rules"),
    ],
)
def test_nonsense_is_refused(rules: str, message: str) -> None:
    with pytest.raises(HanabiError, match=message):
        find_strategy(f"compose:rule-list={rules}")
    with pytest.raises(HanabiError):
        hl.strategies.agent("mine", rules)


def test_a_list_that_does_not_cover_all_cases_still_plays() -> None:
    for players in (1, 2, 5):
        rules = preset("classic", players, hand_size=4)
        rows = play_chunk(rules, [hl.strategies.agent("mine", "play-certain")] * players, 1, 0, 4)
        assert rows[:, 1].min() > 0


@pytest.mark.parametrize("name", JAVA)
def test_averages_of_the_original(name: str) -> None:
    """Within 4.5 standard errors of the difference: 28 figures, a false alarm in 5,000 runs.

    The original's error is that of 5,000 games with the same spread as ours.
    """
    for players, mean in zip(range(2, 6), JAVA[name], strict=True):
        rules = preset("hle", players, keep_score=True)
        scores = play_chunk(rules, [find_strategy(name)] * players, 2, 0, 4000)[:, 0]
        error = scores.std() * (1 / 5000 + 1 / len(scores)) ** 0.5
        assert abs(scores.mean() - mean) < 4.5 * error
