"""Reviews: the ledger adds up, values are honest, and facts are exact."""

from __future__ import annotations

from typing import Any

import pytest

import hanabilab as hl


def played(team: str | list[str], players: int, seed: int, turns: int | None = None) -> hl.Game:
    """Return a game, or its first turns."""
    rules = hl.preset("hle", players)
    whole = hl.play(team, hl.Deck.shuffled(rules, seed=seed), seed=seed)
    game = hl.Game(rules, whole.deck)
    for action in whole.actions[:turns]:
        game.act(action)
    return game


def quick(game: hl.Game, convention: str = "conventions", **options: Any) -> Any:
    """Return a review at the lowest precision."""
    settings: dict[str, Any] = {
        "worlds": 8,
        "open_cards": False,
        "cached": False,
        "progress": False,
        **options,
    }
    return hl.review(game, convention, **settings)


@pytest.mark.parametrize("turns", [None, 25])
def test_the_ledger_adds_up_exactly(turns: int | None) -> None:
    game = played(["conventions", "piers", "conventions"], 3, 4, turns)
    data = quick(game).to_dict()
    ledger = data["ledger"]
    end = data["score"] if turns is None else data["end_value"]
    assert end - data["expected"] == ledger["play"] + ledger["hidden"] + ledger["draw"]
    before = data["expected"]
    for turn in data["turns"]:
        assert turn["spectator"] - before == turn["play"] + turn["hidden"] + turn["draw"]
        before = turn["spectator"]
    assert sum(turn["play"] for turn in data["turns"]) == ledger["play"] != 0
    assert (data["score"] is None) == (turns is not None) == (not data["finished"])
