"""Questions about exact numbers; a page may ask only small ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hanabilab import theory
from hanabilab.errors import TheoryError
from hanabilab.formats.deck_text import ranks_and_suits, read_counts, read_deck, read_sequence
from hanabilab.game.rules import Rules
from hanabilab.web.game_fields import DECK_LETTERS, read_rules
from hanabilab.web.messages import Fields
from hanabilab.web.questions.efforts import too_many_states
from hanabilab.web.questions.job import Job
from hanabilab.web.questions.limits import MAX_HAND, MAX_LETTERS, MAX_STATES

__all__ = ["count_decks", "judge_sequence", "tell_pace"]

MAX_LINES = 2_000


def count_decks(fields: Fields, job: Job) -> dict[str, Any]:
    """Count the decks of a composition that can be won."""
    suits = read_counts(fields.text("counts", MAX_LETTERS))
    hand = fields.whole("hand", 1, MAX_HAND, 1)
    scores = fields.switch("scores")
    no_end = fields.switch("no_end")
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


def judge_sequence(fields: Fields, job: Job) -> dict[str, Any]:
    """Decide whether a single player can win a deck."""
    cards, names = read_sequence(fields.text("cards", MAX_LETTERS))
    hand = fields.whole("hand", 1, MAX_HAND, 1)
    goal = fields.whole("goal", 0, MAX_HAND, None)
    explain = fields.switch("explain")
    fields.finish()
    found = theory.judge_sequence(cards, goal, hand, explain=explain, report=job.report)
    if len(found.steps) > MAX_LINES:
        found = replace(found, steps=(*found.steps[:MAX_LINES], "…"))
    return found.to_dict(names)


def tell_pace(fields: Fields, job: Job) -> dict[str, Any]:
    """Tell how often decks are lost for lack of turns, or the pace that one deck forces."""
    rules = read_rules(fields)
    text = fields.text("deck", DECK_LETTERS, None)
    fields.finish()
    if text is None:
        return theory.pace_losses(_game_of(rules), job.report).to_dict()
    deck = read_deck(text, rules)
    return theory.DeckPace.of(ranks_and_suits(deck), _game_of(deck.rules)).to_dict()


def _game_of(rules: Rules) -> theory.PaceGame:
    return theory.PaceGame(rules.players, rules.hand_size, rules.copies)
