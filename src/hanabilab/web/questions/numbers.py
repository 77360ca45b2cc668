"""Questions to the theory: counts, sequences, pace; as large as a page may ask."""

from __future__ import annotations

from typing import Any

from hanabilab.cli.count import count_as_json, read_suits
from hanabilab.cli.pace import chances_as_json, cuts_as_json, deck_cuts
from hanabilab.cli.sequence import all_points, decide, read_cards
from hanabilab.errors import TheoryError
from hanabilab.formats.deck_text import read_deck
from hanabilab.theory.counting import check_hand, score_distribution
from hanabilab.theory.counting import count_decks as count
from hanabilab.theory.pace import PaceGame
from hanabilab.theory.pace_loss import loss_chance
from hanabilab.web.game_fields import DECK_LETTERS, read_rules
from hanabilab.web.messages import Fields
from hanabilab.web.questions.jobs import Job
from hanabilab.web.questions.limits import MAX_STATES

__all__ = ["count_decks", "judge_sequence", "tell_pace"]

MAX_CARDS = 1_000
MAX_LETTERS = 4_000
MAX_LINES = 2_000


def count_decks(fields: Fields, job: Job) -> dict[str, Any]:
    """How many decks of a composition can be won."""
    suits = read_suits([fields.text("counts", MAX_LETTERS)])
    hand = fields.whole("hand", 1, MAX_CARDS, 1)
    scores = fields.switch("scores")
    no_end = fields.switch("no_end")
    fields.finish()
    cards = sum(map(sum, suits))
    if cards > MAX_CARDS:
        raise TheoryError(f"counts: {cards} cards are more than {MAX_CARDS}")
    options: dict[str, Any] = {
        "hand": hand,
        "deck_ends": not no_end,
        "states": MAX_STATES,
        "report": job.report,
    }
    found = count(*suits, **options)
    by_score = score_distribution(*suits, **options) if scores else None
    return count_as_json(found, by_score)


def judge_sequence(fields: Fields, job: Job) -> dict[str, Any]:
    """Can a single player win this deck?"""
    cards, names = read_cards([fields.text("cards", MAX_LETTERS)])
    hand = fields.whole("hand", 1, MAX_CARDS, 1)
    goal = fields.whole("goal", 0, MAX_CARDS, all_points(cards))
    explain = fields.switch("explain")
    fields.finish()
    check_hand(hand)
    data: dict[str, Any] = {"cards": names, "goal": goal, "hand": hand}
    decide(data, cards, explain, job.report)
    if len(data.get("steps", ())) > MAX_LINES:
        data["steps"] = [*data["steps"][:MAX_LINES], "…"]
    return data


def tell_pace(fields: Fields, job: Job) -> dict[str, Any]:
    """How often decks run out of turns by themselves, or the pace that one deck forces."""
    rules = read_rules(fields)
    deck = fields.text("deck", DECK_LETTERS, None)
    fields.finish()
    if deck is not None:
        return cuts_as_json(rules.players, deck_cuts(read_deck(deck, rules)))
    game = PaceGame(rules.players, rules.hand_size, rules.copies)
    try:
        lost = loss_chance(game, report=job.report)
    except TheoryError:  # too large; there are bounds
        lost = None
    return chances_as_json(game, lost, None)
