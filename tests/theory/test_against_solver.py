"""The theory's single player and the solver's open game with one player: the same verdicts."""

from __future__ import annotations

import random
import subprocess
import sys

from hanabilab.game import Deck, Rules
from hanabilab.lab.solve import solve
from hanabilab.theory import (
    PaceGame,
    SolitaireState,
    best_score,
    forced_pace,
    is_playable,
    solve_solitaire,
    winning_line,
)


def test_one_player_games() -> None:
    """200 small games; in the thesis' game there are no tokens, and discarding is free."""
    rng = random.Random(3)
    won = 0
    for seed in range(200):
        suits, ranks = rng.randint(1, 2), rng.randint(1, 4)
        copies = tuple(tuple(rng.randint(1, 2) for _ in range(ranks)) for _ in range(suits))
        rules = Rules(
            players=1,
            hand_size=rng.randint(1, min(4, sum(map(sum, copies)))),
            ranks=ranks,
            suits=suits,
            copies=copies,
            hint_tokens=0,
            lives=1,
            discard_at_full=True,
        )
        deck = Deck.shuffled(rules, seed=seed)
        cards = [(card % ranks + 1, card // ranks) for card in deck]
        answer = solve(deck, best=True)
        playable = is_playable(cards, rules.max_score, rules.hand_size)
        assert answer.winnable == playable
        assert answer.best == answer.bound == best_score(cards, rules.hand_size)
        assert (winning_line(cards, rules.max_score, rules.hand_size) is not None) == playable
        cuts = forced_pace(cards, PaceGame(1, rules.hand_size, copies))
        assert not (playable and any(cut.pace < 0 for cut in cuts))
        won += playable
    assert 50 < won < 150  # both verdicts are tested


def test_the_solitaire() -> None:
    """300 small games of Definition 3.4: one card more in hand, no tokens, no end by the deck."""
    rng = random.Random(4)
    won = 0
    for seed in range(300):
        suits, ranks = rng.randint(1, 3), rng.randint(1, 4)
        copies = tuple(tuple(rng.randint(1, 3) for _ in range(ranks)) for _ in range(suits))
        stored = rng.randint(0, 2)
        rules = Rules(
            players=1,
            hand_size=min(stored + 1, sum(map(sum, copies))),
            ranks=ranks,
            suits=suits,
            copies=copies,
            hint_tokens=0,
            deck_ends=False,
        )
        deck = Deck.shuffled(rules, seed=seed)
        cards = [(card % ranks + 1, card // ranks) for card in deck]
        answer = solve(deck)
        assert answer.winnable == (solve_solitaire(SolitaireState.start(cards, stored)) is not None)
        won += bool(answer.winnable)
    assert 75 < won < 225  # both verdicts are tested


def test_the_theory_needs_no_compiler() -> None:
    code = (
        "import sys, hanabilab.theory; "
        "sys.exit(any(name in sys.modules for name in ('llvmlite', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
