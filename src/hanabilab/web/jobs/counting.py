"""Jobs that count exactly: decks, sequences, pace, and tables of the papers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hanabilab import theory
from hanabilab.checks import did_you_mean
from hanabilab.errors import FormatError, TheoryError
from hanabilab.formats.deck_text import (
    pace_numbers,
    ranks_and_suits,
    read_counts,
    read_deck,
    read_sequence,
)
from hanabilab.game.rules import Rules
from hanabilab.papers import select_tables
from hanabilab.papers.items import PrintedTable
from hanabilab.papers.reproduction import title_of
from hanabilab.papers.runner import Runner
from hanabilab.web.game_requests import DECK_LETTERS, read_rules
from hanabilab.web.jobs.job import MAX_HAND, MAX_LETTERS, MAX_STATES, Job, too_many_states
from hanabilab.web.schema import RequestFields

__all__ = ["count_decks", "find_pace", "judge_sequence", "recompute_table"]

MAX_LINES = 2_000


def count_decks(fields: RequestFields, job: Job) -> dict[str, Any]:
    """Count the decks of a composition that can be won."""
    suits = read_counts(fields.text("counts", MAX_LETTERS))
    hand = fields.integer("hand", 1, MAX_HAND, 1)
    scores = fields.boolean("scores")
    no_end = fields.boolean("no_end")
    fields.finish()
    cards = sum(map(sum, suits))
    if cards > MAX_HAND:
        raise TheoryError(f"counts: {cards} cards are more than {MAX_HAND}")
    try:
        found = theory.count_decks(
            *suits,
            hand=hand,
            deck_ends=not no_end,
            states=MAX_STATES,
            scores=scores,
            report=job.report,
        )
    except theory.TooManyStatesError as error:
        raise TheoryError(too_many_states(error.states)) from None
    return found.to_dict()


def judge_sequence(fields: RequestFields, job: Job) -> dict[str, Any]:
    """Decide whether a single player can win a deck."""
    cards, names = read_sequence(fields.text("cards", MAX_LETTERS))
    hand = fields.integer("hand", 1, MAX_HAND, 1)
    goal = fields.integer("goal", 0, MAX_HAND, None)
    explain = fields.boolean("explain")
    fields.finish()
    found = theory.judge_sequence(cards, goal, hand, explain=explain, report=job.report)
    if len(found.steps) > MAX_LINES:
        found = replace(found, steps=(*found.steps[:MAX_LINES], "…"))
    return found.to_dict(names)


def find_pace(fields: RequestFields, job: Job) -> dict[str, Any]:
    """Count how often decks are lost for lack of turns, or find the pace of one deck."""
    rules = read_rules(fields)
    text = fields.text("deck", DECK_LETTERS, None)
    fields.finish()
    if text is None:
        return theory.pace_losses(_pace_game(rules), job.report).to_dict()
    deck = read_deck(text, rules)
    return theory.DeckPace.of(ranks_and_suits(deck), _pace_game(deck.rules)).to_dict()


def _pace_game(rules: Rules) -> theory.PaceGame:
    return theory.PaceGame(*pace_numbers(rules))


def recompute_table(fields: RequestFields, job: Job) -> dict[str, Any]:
    """Return a table with what we get for each item; without a name, the list of tables."""
    wanted = fields.text("table", 100, None)
    fields.finish()
    tables = {table.id: table for table in select_tables() if _is_exact(table)}
    if wanted is None:
        return {"tables": [_table_info(table) for table in tables.values()]}
    if wanted not in tables:
        meant = did_you_mean(wanted, tables)
        raise FormatError(f"unknown table {wanted!r}; expected {', '.join(tables)}{meant}")
    table = tables[wanted]
    job.total = len(table.items)
    runner = Runner()
    items = []
    for item in table.items:
        found = item.find(runner, table.paper).to_dict()
        items.append({**found, "row": item.row, "column": item.column})
        job.report(len(items), item.place)
    return {**_table_info(table), "items": items}


def _is_exact(table: PrintedTable) -> bool:
    return not any(item.matches() for item in table.items)


def _table_info(table: PrintedTable) -> dict[str, Any]:
    return {
        "id": table.id,
        "paper": title_of(table.paper),
        "title": table.title,
        "about": table.about,
    }
