"""All kinds of questions, by the names under which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hanabilab.web.messages import Fields, JsonObject
from hanabilab.web.questions.agreements import judge_player, show_agreements
from hanabilab.web.questions.efforts import (
    Effort,
    LaneKind,
    always,
    of_count,
    of_game,
    of_sequence,
    search_if,
    search_unless,
)
from hanabilab.web.questions.job import Job
from hanabilab.web.questions.many_games import (
    compare_teams,
    cross_strategies,
    find_games,
    simulate_team,
    sweep_options,
)
from hanabilab.web.questions.numbers import count_decks, judge_sequence, tell_pace
from hanabilab.web.questions.one_game import analyze_game, make_puzzle, show_replay, solve_deck
from hanabilab.web.questions.papers import work_out_table
from hanabilab.web.questions.what_if import go_on_otherwise

__all__ = ["QUESTION_KINDS", "QuestionKind"]

QUICK, SEARCH, RUN = map(always, LaneKind)


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question: the function that answers it, and what that costs."""

    answer: Callable[[Fields, Job], JsonObject]
    effort: Effort


QUESTION_KINDS: Mapping[str, QuestionKind] = {
    "replay": QuestionKind(show_replay, of_game),
    "what_if": QuestionKind(go_on_otherwise, search_if("action")),
    "solve": QuestionKind(solve_deck, SEARCH),
    "analyze": QuestionKind(analyze_game, RUN),
    "puzzle": QuestionKind(make_puzzle, SEARCH),
    "simulate": QuestionKind(simulate_team, RUN),
    "compare": QuestionKind(compare_teams, RUN),
    "crossplay": QuestionKind(cross_strategies, RUN),
    "sweep": QuestionKind(sweep_options, RUN),
    "games": QuestionKind(find_games, RUN),
    "count": QuestionKind(count_decks, of_count),
    "sequence": QuestionKind(judge_sequence, of_sequence),
    "pace": QuestionKind(tell_pace, search_unless("deck")),
    "agreements": QuestionKind(show_agreements, QUICK),
    "broken": QuestionKind(judge_player, of_game),
    "papers": QuestionKind(work_out_table, search_if("table")),
}
