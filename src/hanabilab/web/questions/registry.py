"""All kinds of questions, by the names under which they are asked."""

from __future__ import annotations

from collections.abc import Mapping

from hanabilab.web.questions.jobs import QuestionKind
from hanabilab.web.questions.many_games import (
    compare_teams,
    cross_strategies,
    find_games,
    simulate_team,
    sweep_options,
)
from hanabilab.web.questions.numbers import count_decks, judge_sequence, tell_pace
from hanabilab.web.questions.one_game import analyze_game, show_replay, solve_deck
from hanabilab.web.questions.papers import work_out_table

__all__ = ["QUESTION_KINDS"]

QUESTION_KINDS: Mapping[str, QuestionKind] = {
    "replay": QuestionKind(show_replay),
    "solve": QuestionKind(solve_deck),
    "analyze": QuestionKind(analyze_game),
    "simulate": QuestionKind(simulate_team, heavy=True),
    "compare": QuestionKind(compare_teams, heavy=True),
    "crossplay": QuestionKind(cross_strategies, heavy=True),
    "sweep": QuestionKind(sweep_options, heavy=True),
    "games": QuestionKind(find_games),
    "count": QuestionKind(count_decks),
    "sequence": QuestionKind(judge_sequence),
    "pace": QuestionKind(tell_pace),
    "papers": QuestionKind(work_out_table),
}
