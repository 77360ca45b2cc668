"""All kinds of questions."""

from __future__ import annotations

from collections.abc import Mapping

from hanabilab.web.questions.games import (
    compare_teams,
    cross_strategies,
    find_games,
    simulate_team,
    sweep_options,
)
from hanabilab.web.questions.jobs import Kind
from hanabilab.web.questions.numbers import count_decks, judge_sequence, tell_pace
from hanabilab.web.questions.papers import work_out_table
from hanabilab.web.questions.replays import analyze_game, show_replay, solve_deck

__all__ = ["KINDS"]

KINDS: Mapping[str, Kind] = {
    "replay": Kind(show_replay),
    "solve": Kind(solve_deck),
    "analyze": Kind(analyze_game),
    "simulate": Kind(simulate_team, heavy=True),
    "compare": Kind(compare_teams, heavy=True),
    "crossplay": Kind(cross_strategies, heavy=True),
    "sweep": Kind(sweep_options, heavy=True),
    "games": Kind(find_games),
    "count": Kind(count_decks),
    "sequence": Kind(judge_sequence),
    "pace": Kind(tell_pace),
    "papers": Kind(work_out_table),
}
