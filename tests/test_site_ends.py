"""Where hanab.live ends a game: no more points, a lost card, a player who is stuck."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from hanabilab import Deck, Game, Rules, play, preset, simulate, solve
from hanabilab.formats.hanablive import live_from_link

SMALL = Rules(players=2, hand_size=2, ranks=3, suits=1, copies=((3, 2, 1),), discard_at_full=True)


def play_out(rules: Rules, cards: str, *actions: str) -> Game:
    """A game of one suit whose deck is given by the ranks of its cards."""
    game = Game(rules, Deck.of(rules, [int(card) - 1 for card in cards]))
    for action in actions:
        assert not game.is_over
        game.act(action)
    return game


@pytest.mark.parametrize(
    ("changes", "moves", "end", "score"),
    [
        ({}, 3, None, 2),
        ({"score_ends": True}, 3, "no more points", 2),
        ({"speedrun": True}, 2, "out of reach", 0),
    ],
)
def test_a_lost_card(changes: dict[str, Any], moves: int, end: str | None, score: int) -> None:
    """The only 3 is discarded; then 1 and 2 are all that can be scored."""
    actions = ["play 0", "discard 1", "play 0"][:moves]
    game = play_out(SMALL.replace(**changes), "121321", *actions)
    assert (game.end, game.score) == (end, score)


@pytest.mark.parametrize("site", [False, True])
def test_what_fits_may_be_with_players_who_are_done(*, site: bool) -> None:
    """Player 0 keeps the 3 in the last turn, and player 1 has nothing that fits."""
    game = play_out(SMALL.replace(score_ends=site), "131122", "play 0", "discard 0", "play 1")
    assert (game.end, game.score) == ("no more points" if site else None, 2)


@pytest.mark.parametrize("site", [False, True])
def test_the_last_card_may_leave_the_next_player_stuck(*, site: bool) -> None:
    """At the site that is a deadlock, although all fireworks are complete."""
    rules = Rules(
        players=2, hand_size=1, ranks=2, suits=1, copies=((1, 1),), hint_tokens=0, score_ends=site
    )
    game = play_out(rules.replace(all_or_nothing=True), "12", "play 0", "play 0")
    assert (game.end, game.score) == (("out of reach", 0) if site else ("perfect", 2))


CLASSIC = preset("classic", 2)


def played(number: int) -> Game:
    return play("cheat", Deck.shuffled(CLASSIC, seed=1, game=number), seed=1, game=number)


def test_links_end_where_the_site_does(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    simulate("cheat", 2, games=150, seed=1, save=path, links_below=25)
    shorter = 0
    with path.open(encoding="utf-8", newline="") as file:
        links = {int(row["game"]): row["link"] for row in csv.DictReader(file) if row["link"]}
    for number, link in links.items():
        game, linked = played(number), live_from_link(link)
        assert link == game.link()
        assert game.live_actions() == game.live_actions()[: len(linked.actions)]
        again = Game.from_json(game.to_hanablive())
        assert (again.turn, again.score) == (len(linked.actions), game.score)
        assert again.is_over
        assert again.rules.preset == "No Variant"
        shorter += again.turn < game.turn
        assert (again.end == "no more points") == (again.turn < game.turn)
    assert shorter > 2


def test_speedruns_are_read_and_written() -> None:
    data = Game(deck="p2v0s1").to_hanablive()
    data["options"] = {"speedrun": True}
    data["actions"] = [{"type": 0, "target": 0}]
    game = Game.read(json.dumps(data))
    assert (game.rules.speedrun, game.rules.score_ends) == (True, True)
    assert (game.end, game.score) == ("out of reach", 0)  # b5 was played on nothing
    assert game.to_hanablive() == data


def test_the_solver_knows_speedruns() -> None:
    """A 2 must be given up for the 1 of its suit: 3 points, or none."""
    deck = [1, 3, 0, 2]
    rules = Rules(players=2, hand_size=1, ranks=2, suits=2, copies=((1, 1),), hint_tokens=0)
    assert solve(Deck.of(rules, deck)).best == 2
    lost = solve(Deck.of(rules.replace(speedrun=True), deck))
    assert (lost.winnable, lost.best) == (False, 0)
