"""Which decks can be won: exact answers as integers and fractions.

This package is self-contained: of hanabilab it imports only errors and checks.

>>> from hanabilab import theory
>>> theory.unplayable(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
91973270026324484565579418350194489655582912237019
>>> theory.playable(3, 2, 2, 2, 1, hand=5)
66360
>>> theory.is_playable([4, 2, 3, 1, 3, 2, 1, 1], goal=4, hand=2)
False
"""

from __future__ import annotations

from hanabilab.theory.counting import (
    DeckCount,
    TooManyStatesError,
    count_decks,
    estimate_states,
    playable,
    playable_by_composition,
    score_distribution,
    unplayable,
)
from hanabilab.theory.decision import Turn, best_score, is_playable, winning_line
from hanabilab.theory.pace import (
    Cut,
    CutChance,
    DeckPace,
    PaceGame,
    PaceLosses,
    cut_chances,
    forced_pace,
    loss_bounds,
    loss_by_cut,
    loss_chance,
    pace,
    pace_chances,
    pace_losses,
    selections,
    selections_one_by_one,
)
from hanabilab.theory.pace_sample import PaceSample, fit_table_5_1, sample_pace
from hanabilab.theory.playability import (
    algorithm_3_29,
    algorithm_3_36,
    best_with_passes,
    conjecture_5_1,
    playable_permutations,
    step_lines,
)
from hanabilab.theory.sequences import (
    chi,
    chi_by_closed_form,
    chi_by_recurrence,
    chi_by_theorem,
    corollary_3_26,
    psi,
    psi_by_closed_form,
    psi_by_recurrence,
    psi_by_theorem,
    swap_ranks,
    total,
)
from hanabilab.theory.solitaire import (
    Judgement,
    Move,
    SolitaireState,
    initial_deck,
    judge_sequence,
    judge_solitaire,
    solve_solitaire,
    with_all_ranks,
)

__all__ = [
    "Cut",
    "CutChance",
    "DeckCount",
    "DeckPace",
    "Judgement",
    "Move",
    "PaceGame",
    "PaceLosses",
    "PaceSample",
    "SolitaireState",
    "TooManyStatesError",
    "Turn",
    "algorithm_3_29",
    "algorithm_3_36",
    "best_score",
    "best_with_passes",
    "chi",
    "chi_by_closed_form",
    "chi_by_recurrence",
    "chi_by_theorem",
    "conjecture_5_1",
    "corollary_3_26",
    "count_decks",
    "cut_chances",
    "estimate_states",
    "fit_table_5_1",
    "forced_pace",
    "initial_deck",
    "is_playable",
    "judge_sequence",
    "judge_solitaire",
    "loss_bounds",
    "loss_by_cut",
    "loss_chance",
    "pace",
    "pace_chances",
    "pace_losses",
    "playable",
    "playable_by_composition",
    "playable_permutations",
    "psi",
    "psi_by_closed_form",
    "psi_by_recurrence",
    "psi_by_theorem",
    "sample_pace",
    "score_distribution",
    "selections",
    "selections_one_by_one",
    "solve_solitaire",
    "step_lines",
    "swap_ranks",
    "total",
    "unplayable",
    "winning_line",
    "with_all_ranks",
]
