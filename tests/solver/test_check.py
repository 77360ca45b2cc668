"""Certificates of loss: they are found, they verify, and none of them ever lies."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import Any

import pytest

from hanabilab.game.deck import Deck
from hanabilab.lab.solve import solve
from hanabilab.solver.certificates import DeadCard, PaceLoss
from hanabilab.solver.position import Position
from hanabilab.solver.proofs import RelaxedGame, endgame_lost, find_loss, pooled_lost, verify
from tests.solver.brute import best_score
from tests.solver.tiny import one_suit, random_position, setup_of, table_of, walk

SEEDS = int(os.environ.get("HANABILAB_CERTIFICATES", "600"))
"""Random games: some thousands, if so many are asked for."""
Claim = dict[str, Any]
"""A certificate as plain data, which may be incomplete or wrong."""


def random_table(seed: int) -> Position:
    """The start or the middle of a tiny random game."""
    chance = random.Random(seed)
    return walk(random_position(chance), chance, chance.choice([0, 0, 0, 1, 2, 4, 8]))


def every_claim(position: Position) -> list[Claim]:
    """All certificates that verify, also those that `find_loss` does not get to."""
    certificate = find_loss(position)
    claims = [certificate.to_dict()] if certificate else []
    if position.is_over:
        return claims
    game = RelaxedGame.of(position)
    if pooled_lost(game):
        claims.append({"certificate": "storage"})
    for cut in range(len(game.pile) + 1):
        if endgame_lost(game, cut):
            claims.append({"certificate": "endgame", "cut": cut})
        for count in range(1, len(game.needed()) + 1):
            for first in range(len(game.needed()) - count + 1):
                cards = game.needed()[first : first + count]
                claim = {"certificate": "pace", "cut": cut, "cards": cards}
                if verify(position, claim):
                    claims.append(claim)
    return claims


def test_no_certificate_claims_a_game_that_can_be_won() -> None:
    """Each kind of certificate must have had its chance in many tiny games."""
    found: Counter[str] = Counter()
    for seed in range(SEEDS):
        position = random_table(seed)
        claims = every_claim(position)
        for claim in claims:
            assert verify(position, json.loads(json.dumps(claim)))
        found.update(claims[0]["certificate"] for _ in claims[:1])
        if claims:
            best = best_score(setup_of(position), table_of(position))
            assert best < position.state.rules.ranks * position.state.rules.suits, (seed, claims)
    assert found.keys() == {"over", "dead card", "pace", "storage", "endgame"}
    assert min(found.values()) >= SEEDS // 200


@pytest.mark.parametrize(
    ("ranks", "hand_size", "certificate"),
    [
        ("1 2 4 3", 1, {"certificate": "dead card", "card": "r3", "cards": 1}),
        ("4 4 4 4 3 2 1", 2, {"certificate": "dead card", "card": "r1", "cards": 1}),
        ("2 3 1 1 1 1", 1, {"certificate": "storage", "room": 2, "positions": 2}),
    ],
)
def test_losses_by_hand(ranks: str, hand_size: int, certificate: Claim) -> None:
    position = one_suit(ranks, hand_size=hand_size, tokens=8, lives=3)
    found = find_loss(position)
    assert found is not None
    assert found.to_dict() == certificate


def test_pace_by_hand() -> None:
    """The only 1 comes third of four draws: three turns are left for four cards."""
    position = one_suit("2 3 2 3 1 4", hand_size=1, tokens=8, lives=3)
    found = find_loss(position)
    cards = ["r1", "r2", "r3", "r4"]
    assert found == PaceLoss(cut=3, remaining=1, cards=cards, turns=3)
    certificate = found.to_dict()
    assert verify(position, certificate)
    assert verify(position, {**certificate, "cards": [0, 1, 2, 3]})
    assert not verify(position, {**certificate, "cards": cards[1:]})
    assert not verify(position, {**certificate, "turns": certificate["turns"] - 1})
    assert not verify(position, {**certificate, "cut": -1})


def test_cards_are_named_by_the_letters_of_the_rules() -> None:
    """The fifth suit of hanab.live is p; its only 5 is the first card that is discarded."""
    deck = Deck.from_seed("p2v0s1")
    cards = list(deck)
    five = cards.index(24)
    cards[5], cards[five] = cards[five], cards[5]
    hint_ones, discard_oldest = 15, 0
    position = Position.start(Deck.of(deck.rules, cards)).after([hint_ones, discard_oldest])
    certificate = find_loss(position)
    assert certificate == DeadCard("p5", cards=1)
    assert verify(position, certificate)
    reason = solve(position).reason
    assert isinstance(reason, DeadCard)
    assert reason.card == "p5"
    assert verify(position, reason)


def test_claims_that_do_not_hold() -> None:
    position = one_suit("1 2 3 4 5", hand_size=1, tokens=1, lives=1)
    assert find_loss(position) is None
    for claim in (
        {"certificate": "over"},
        {"certificate": "dead card", "card": "r5"},
        {"certificate": "dead card", "card": 7},
        {"certificate": "pace", "cut": 2, "cards": ["r4", "r5"]},
        {"certificate": "pace", "cut": 0, "cards": ["r1", "r1", "r1", "r1", "r1", "r1"]},
        {"certificate": "storage", "slots": 2},
        {"certificate": "endgame", "cut": 2},
        {"certificate": "endgame", "cut": 99},
        {"certificate": "a feeling"},
    ):
        assert not verify(position, claim)


@pytest.mark.parametrize(
    ("players", "game", "name"),
    [(2, 1732, "storage"), (2, 2342, "storage"), (5, 207, "endgame"), (5, 931, None)],
)
def test_whole_decks(players: int, game: int, name: str | None) -> None:
    """The verdicts of `test_sat.test_whole_decks`, with their reasons."""
    position = Position.start(Deck.shuffled(players=players, seed=77, game=game))
    certificate = find_loss(position)
    assert (certificate and certificate.name) == name
    assert certificate is None or verify(position, certificate)
