"""A review as text for players: names, cards in words, slots as hanab.live counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hanabilab.formats.data_table import DataTable
from hanabilab.formats.describe import describe_event
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event, decode_action
from hanabilab.game.cards import card_in
from hanabilab.game.state import State
from hanabilab.lab.analysis_report import CAUSES, cause_of
from hanabilab.lab.review.facts import Chances, LostCard
from hanabilab.lab.review.verdicts import ERRORS
from hanabilab.strategies import find_strategy
from hanabilab.strategies.seats import Seat

if TYPE_CHECKING:
    from hanabilab.lab.review.game_review import Review, TurnReview

__all__ = ["action_words", "headline", "report_text", "sparkline", "turn_words"]

BARS = "▁▂▃▄▅▆▇█"
LUCKY = 1.0
"""Points of luck in one draw that are worth a line."""
MOST_LUCK = 3
"""Lines about luck."""


def report_text(review: Review, *, links: bool = False) -> str:
    """Return the report on a game."""
    blocks = [
        _opening(review),
        _account(review),
        _decisions(review, links=links) if review.fit.fits else [],
        _luck(review),
        _players(review),
        _facts(review),
        _open_cards(review, links=links),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def headline(review: Review) -> str:
    """Return the score, the players and the convention in a line."""
    game = review.game
    names = ", ".join(review.names)
    if not game.is_over:
        return f"Unfinished game of {names}: {game.state.score} points after {game.turn} turns."
    line = f"Score {game.score} of {game.rules.max_score} after {game.turn} turns: {names}."
    if game.score != game.state.score:
        line += f" All lives were lost; {game.state.score} points lay on the table."
    return line


def _opening(review: Review) -> list[str]:
    fit = review.fit
    lines = [headline(review), "Slot 1 is the newest card of a hand."]
    count = len(review.turns)
    same = round(fit.agreement * count)
    lines.append(
        f"Judged by {review.convention}, which would have done the same in {same} of {count} turns."
    )
    others = [f"{name} {share:.0%}" for name, share in review.tried if name != review.convention]
    if others:
        lines.append(f"Others that were tried: {', '.join(others)}.")
    if not fit.fits:
        lines.append(f"This review does not judge decisions: {fit.reason}.")
        lines.append("The facts below hold whatever the players had agreed on.")
    return lines


def _account(review: Review) -> list[str]:
    """Return the sentences about expectation and luck, and the curve."""
    ledger = review.ledger
    lines = [
        f"A table that follows {review.convention} expects {review.expected:.2f} points "
        f"(± {review.expected_error:.2f}) from this deal, "
        f"{_signed(ledger.deal)} against an average one."
    ]
    if review.game.is_over:
        score = review.game.state.score
        lines.append(f"The game brought {score}, {_signed(review.end_value - review.expected)}:")
    else:
        lines.append(
            f"The game stops here, with {review.end_value:.2f} points to be expected, "
            f"{_signed(review.end_value - review.expected)}:"
        )
    if review.fit.fits:
        lines += [
            f"  {_signed(ledger.play):>6}  decisions, by what the players could know",
            f"  {_signed(ledger.hidden):>6}  luck with their own cards, which they could not see",
            f"  {_signed(ledger.draw):>6}  luck of the draw pile",
        ]
    else:
        lines += [
            f"  {_signed(ledger.play + ledger.hidden):>6}  what the players did otherwise than "
            f"{review.convention}",
            f"  {_signed(ledger.draw):>6}  luck of the draw pile",
        ]
    lines += [
        "Expected points after each turn, if everybody follows the convention from there on:",
        f"  {sparkline(review.curve)}  from {review.curve[0]:.1f} to {review.curve[-1]:.1f}, "
        f"lowest {min(review.curve):.1f}, highest {max(review.curve):.1f}",
    ]
    return lines


def sparkline(values: Sequence[float]) -> str:
    """Return numbers as a row of bars, from the lowest to the highest."""
    low, high = min(values), max(values)
    if high == low:
        return BARS[0] * len(values)
    top = len(BARS) - 1
    return "".join(BARS[round((value - low) / (high - low) * top)] for value in values)


def _signed(points: float) -> str:
    """Return points with their sign."""
    text = f"{points:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text.replace("-", "−")


def _points(points: float) -> str:
    return _signed(points).removeprefix("+")


# --- decisions ------------------------------------------------------------------------------------


def _decisions(review: Review, *, links: bool) -> list[str]:
    marked = [turn for turn in review.turns if turn.verdict.word or turn.verdict.excuse]
    if not marked:
        return ["No decision gave points away against the convention."]
    reasons = _Reasons(review)
    lines = ["Decisions that differed from the convention and matter:"]
    for turn in marked:
        lines += [f"  {line}" for line in _decision(review, turn, reasons)]
        if links and (link := review.link(turn.turn)):
            lines.append(f"    {link}")
    return lines


def _decision(review: Review, turn: TurnReview, reasons: _Reasons) -> Iterator[str]:
    values = turn.values
    cost = f"{-values.play:.2f} points (± {values.play_error:.2f})"
    said = turn_words(review, turn)
    if turn.verdict.word in ERRORS:
        yield f"turn {turn.turn}: {said}"
        yield f"  {turn.verdict.word}: gave away {cost}, as {review.names[turn.player]} could know"
    elif turn.verdict.word == "worked":
        yield f"turn {turn.turn}: {said}"
        yield f"  worked: a risk of {cost} by the convention, but not with the cards as they were"
    elif turn.verdict.word == "unlucky":
        yield f"turn {turn.turn}: {said}"
        yield (
            f"  unlucky: as good as the convention's action for all that "
            f"{review.names[turn.player]} could know, but {-values.change:.2f} points worse "
            "with the cards as they were"
        )
    else:
        yield f"turn {turn.turn}: {said}"
        yield f"  no error: {turn.verdict.excuse}; by the convention it cost {cost}"
    yield f"  the convention: {reasons.sentence(turn)}"
    if turn.is_better and values.best != values.convention:
        yield (
            f"  best found: {action_words(review, turn, values.best)}, "
            f"{_signed(values.loss)} points (± {values.loss_error:.2f})"
        )
    if turn.facts.chances:
        yield f"  {_knowledge(review.names[turn.player], turn.facts.chances)}"


def turn_words(review: Review, turn: TurnReview) -> str:
    """Return what happened in a turn: “Bob plays slot 2: green 3 lights”."""
    rules, facts = review.game.rules, turn.facts
    return describe_event(
        facts.event,
        rules.ranks,
        rules.letters,
        review.labels,
        facts.hand_count,
        hint_letters=rules.hint_letters,
    )


def action_words(review: Review, turn: TurnReview, action: int) -> str:
    """Return an action that the player of a turn could have taken: “play slot 2 (green 3)”."""
    position = review.positions[turn.turn - 1]
    state, event = position.state, Event()
    decode_action(state, action, event)
    return _event_words(review, state, event)


def _event_words(review: Review, state: State, event: Event) -> str:
    rules, labels = review.game.rules, review.labels
    if event.kind == PASS:
        return "pass"
    if event.kind in (PLAY, DISCARD):
        count = state.hand_count[state.player]
        verb = "play" if event.kind == PLAY else "discard"
        if event.slot >= count:
            return f"{verb} the last card of the draw pile"
        card = labels.card(
            card_in(state.hands[state.player], event.slot), rules.ranks, rules.letters
        )
        return f"{verb} slot {labels.slot(event.slot, count)} ({card})"
    told = f"rank {event.value}"
    if event.kind == HINT_SUIT:
        told = labels.suit(event.value, rules.hint_letters)
    return f"tell {labels.player(event.target)} {told}"


class _Reasons:
    """Why the convention acts as it does, in the words of its strategy."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.found: dict[int, dict[int, str]] = {}

    def sentence(self, turn: TurnReview) -> str:
        """Return the convention's action in a turn, with its reason."""
        words = action_words(self.review, turn, turn.values.convention)
        if turn.player not in self.found:
            self.found[turn.player] = dict(self._follow(turn.player))
        reason = self.found[turn.player].get(turn.turn)
        return f"{words} — “{reason}”" if reason else words

    def _follow(self, player: int) -> Iterator[tuple[int, str]]:
        """Follow the game from a seat, and yield the reason for each of its turns."""
        strategy = find_strategy(self.review.convention)
        seat = Seat(strategy, player, 0)
        states = [position.state for position in self.review.positions]
        seat.begin(states[0])
        for turn in self.review.turns:
            before, after = states[turn.turn - 1 : turn.turn + 1]
            if before.player == player:
                action = seat.act(before)
                if action == turn.values.convention:
                    yield turn.turn, seat.explain(before, action, None, self.review.labels)
            seat.observe(after, turn.facts.event)


def _knowledge(name: str, chances: Chances) -> str:
    parts = (
        f"{_percent(chances.playable)} playable, {_percent(chances.dead)} useless, "
        f"{_percent(chances.critical)} the last copy of a card still needed"
    )
    return f"by hints and visible cards alone, this card of {name} was {parts}"


def _percent(chance: object) -> str:
    """Return a chance in percent; only certainties are 0 % and 100 %."""
    value = float(chance)  # type: ignore[arg-type]
    if 0 < value < 0.005:
        return "under 1 %"
    if 0.995 < value < 1:
        return "over 99 %"
    return f"{100 * value:.0f} %"


# --- luck and players -----------------------------------------------------------------------------


def _luck(review: Review) -> list[str]:
    turns = sorted(review.turns, key=lambda turn: -abs(turn.draw))[:MOST_LUCK]
    large = sorted((turn for turn in turns if abs(turn.draw) >= LUCKY), key=lambda turn: turn.turn)
    if not large:
        return []
    lines = ["The luckiest and unluckiest draws:"]
    for turn in large:
        state = review.positions[turn.turn].state
        labels, rules = review.labels, review.game.rules
        card = card_in(state.hands[turn.player], state.hand_count[turn.player] - 1)
        drawn = labels.card(card, rules.ranks, rules.letters)
        lines.append(
            f"  turn {turn.turn}: {review.names[turn.player]} draws {drawn}, "
            f"{_signed(turn.draw)} points"
        )
    return lines


def _players(review: Review) -> list[str]:
    rows = review.player_rows()
    if not review.fit.fits:
        return []
    table = DataTable(
        header=("player", "given away", "luck with own cards", "luck of the draw", *ERRORS),
        rows=tuple(
            (
                row["name"],
                _points(row["given_away"]),
                _signed(row["hidden"]),
                _signed(row["draw"]),
                *(str(row["verdicts"][word]) for word in ERRORS),
            )
            for row in rows
        ),
    )
    return ["Points given away by decisions, and luck, of each player:", *_indented(table.lines())]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


# --- facts ----------------------------------------------------------------------------------------


def _facts(review: Review) -> list[str]:
    lines = ["Facts that need no convention:"]
    for lost in review.facts.lost:
        lines += [f"  {line}" for line in _lost_card(review, lost)]
    lines += [f"  {line}" for line in _misplays(review)]
    lines += [f"  {line}" for line in _efficiency(review)]
    return lines


def _lost_card(review: Review, lost: LostCard) -> Iterator[str]:
    rules, labels = review.game.rules, review.labels
    card = labels.card(lost.card, rules.ranks, rules.letters)
    name = review.names[lost.player]
    verb = "misplayed" if lost.misplayed else "discarded"
    points = f"{lost.points} point{'s' * (lost.points != 1)}"
    yield (
        f"turn {lost.turn}: {name} {verb} {card}, the last copy: the highest score in reach "
        f"fell by {points}"
    )
    touched = "a hint had touched it" if lost.touched else "no hint had touched it"
    yield f"  {touched}; {_knowledge(name, lost.chances)}"
    if not lost.rescues:
        yield "  since it was the last copy, nobody else had a turn with a hint that touches it"
        return
    yield f"  it was the last copy from turn {lost.since} on; who saw it and could have touched it:"
    for rescue in lost.rescues[-len(review.names) :]:
        did = turn_words(review, review.turns[rescue.turn - 1])
        tokens = f"{rescue.tokens} hint token{'s' * (rescue.tokens != 1)}"
        yield f"    turn {rescue.turn}, {tokens}: {did}"


def _misplays(review: Review) -> Iterator[str]:
    for turn in review.turns:
        if turn.facts.is_misplay and not any(lost.turn == turn.turn for lost in review.facts.lost):
            chances = turn.facts.chances
            known = f"; {_knowledge(review.names[turn.player], chances)}" if chances else ""
            yield f"turn {turn.turn}: {turn_words(review, turn)}{known}"


def _efficiency(review: Review) -> Iterator[str]:
    found = review.facts.efficiency
    hints = f"{found.hints} hint{'s' * (found.hints != 1)}"
    line = f"{found.cards} cards were played with {hints}"
    if found.per_hint is not None:
        line += f", {found.per_hint:.2f} for each hint"
    if found.needed is not None:
        line += f"; a perfect score needs at least {found.needed:.2f}"
    yield line
    if found.empty_hints:
        yield f"hints that added nothing to what hints had told about any card: {found.empty_hints}"
    if found.wasted_tokens:
        yield f"hint tokens lost because all were there already: {found.wasted_tokens}"


def _open_cards(review: Review, *, links: bool) -> list[str]:
    """Return what `analyze` says, which nobody at the table could know."""
    analysis = review.analysis
    if analysis is None:
        return []
    if analysis.lost_at == 0:
        return ["With all cards in sight, draw pile included: this deck could not be won."]
    lines = ["With all cards in sight, draw pile included (nobody at the table could know this):"]
    positions = review.positions
    for mistake in analysis.mistakes:
        position, turn = positions[mistake.turn - 1], review.turns[mistake.turn - 1]
        cause = cause_of(position, turn.values.taken)
        lines.append(
            f"  turn {mistake.turn} lowered the best score in reach from {mistake.before} to "
            f"{mistake.after}: {turn_words(review, turn)} ({CAUSES[cause.name]})"
        )
        if links and (link := review.link(mistake.turn)):
            lines.append(f"    {link}")
    if not analysis.mistakes:
        undecided = analysis.verdict == "undecided"
        lines.append(
            "  the time ran out before it was clear where points were lost"
            if undecided
            else "  the highest score stayed in reach to the end"
        )
    return lines
