"""A review as text for players: names, cards in words, slots counted as at hanab.live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hanabilab.formats.data_table import DataTable
from hanabilab.formats.describe import describe_event, join_words
from hanabilab.formats.hanablive import ending_of
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event, decode_action
from hanabilab.game.cards import card_in
from hanabilab.game.state import State
from hanabilab.lab.analysis_report import CAUSES, cause_of
from hanabilab.lab.review.facts import Chances, LostCard
from hanabilab.lab.review.values import TurnValue
from hanabilab.lab.review.verdicts import ERRORS
from hanabilab.strategies.seats import Seat

if TYPE_CHECKING:
    from hanabilab.lab.analyze import Analysis
    from hanabilab.lab.review.account import Account
    from hanabilab.lab.review.game_review import Review, TurnReview

__all__ = ["action_words", "decision_lines", "headline", "report_text", "sparkline", "turn_words"]

BARS = "▁▂▃▄▅▆▇█"
LUCKY = 1.0
"""The least luck of one draw, in points, that the report mentions."""
MOST_LUCK = 3
"""The maximum number of lines about luck."""


def report_text(review: Review, *, links: bool = False) -> str:
    """Return the report on a game."""
    blocks = [
        _opening(review),
        _account(review, review.account) if review.account else [],
        _decisions(review, links=links) if review.fit.fits else [],
        _luck(review),
        _players(review),
        _facts(review),
        _endgame(review),
        _open_cards(review, links=links),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def headline(review: Review) -> str:
    """Return the score, the players and the convention in a line."""
    game = review.game
    names = ", ".join(review.names)
    if not game.is_over:
        if ending_of(review.site or {}):
            return (
                f"Game of {names}, ended early at hanab.live: {game.state.score} points after "
                f"{game.turn} turns. It has no final score here."
            )
        return f"Unfinished game of {names}: {game.state.score} points after {game.turn} turns."
    line = f"Score {game.score} of {game.rules.max_score} after {game.turn} turns: {names}."
    if game.score != game.state.score:
        line += f" All lives were lost; {game.state.score} points lay on the table."
    return line


def _opening(review: Review) -> list[str]:
    lines = [headline(review), "Slot 1 is the newest card of a hand."]
    if review.convention:
        lines += _tried(review)
    if not review.fit.fits:
        lines.append(f"This review does not judge decisions: {review.fit.reason}.")
        lines.append("The facts below hold whatever the players had agreed on.")
    return lines


def _tried(review: Review) -> list[str]:
    """Return lines about the conventions that were tried."""
    (name, share), *others = review.judge.tried
    count = len(review.turns)
    verb = "Judged by" if review.fit.fits else "Compared with"
    lines = [
        f"{verb} {name}, which would have done the same in {round(share * count)} of {count} turns."
    ]
    if others:
        tried = ", ".join(f"{other} {share:.0%}" for other, share in others)
        lines.append(f"The same share for others that were tried: {tried}.")
    return lines


def _account(review: Review, account: Account) -> list[str]:
    """Return the sentences about expectation and luck, and the curve."""
    ledger, curve, name = account.ledger, account.curve, review.convention
    change = _signed(curve[-1] - curve[0])
    lines = [
        f"From these first hands, players who follow {name} score {curve[0]:.2f} points on average "
        f"(± {account.expected_error:.2f}); that is {_signed(ledger.deal)} against an average deal."
    ]
    if review.game.is_over:
        counted = "" if review.game.score == review.score else " on the table"
        lines.append(f"This game brought {review.score}{counted}, that is {change}:")
    else:
        lines.append(
            f"This game was left unfinished, with {curve[-1]:.2f} points to be expected, that is "
            f"{change}:"
        )
    lines += [f"  {_signed(points):>6}  {words}" for points, words in _parts(review)]
    lines += [
        f"Expected points after each turn, if everybody followed {name} from there on:",
        f"  {sparkline(curve)}",
        f"  first {curve[0]:.1f}, last {curve[-1]:.1f}, lowest {min(curve):.1f}, "
        f"highest {max(curve):.1f}",
    ]
    return lines


def _parts(review: Review) -> Iterator[tuple[float, str]]:
    """Yield the parts of the difference between a game and its expectation, with their names."""
    judged = [turn for turn in review.turns if review.fit.judges(turn.player)]
    others = [turn for turn in review.turns if not review.fit.judges(turn.player)]
    if judged:
        yield sum(turn.play for turn in judged), "decisions, by what the players could know"
        words = "luck with cards that they could not see when deciding"
        yield sum(turn.hidden for turn in judged), words
    if others:
        names = sorted({turn.player for turn in others})
        who = f" by {join_words([review.names[name] for name in names])}" if judged else ""
        words = f"actions{who} that {review.convention} would not have taken"
        yield sum(turn.play + turn.hidden for turn in others), words
    yield sum(turn.draw for turn in review.turns), "luck of the draw pile"


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
        judged = "" if all(map(review.fit.judges, range(len(review.names)))) else "judged "
        return [f"No {judged}decision clearly gave points away against the convention."]
    reasons = _Reasons(review)
    lines = ["Decisions that differed from the convention and mattered:"]
    for turn in marked:
        if turn.values is not None:
            lines += [f"  {line}" for line in _decision(review, turn, turn.values, reasons)]
            if links and (link := review.link(turn.turn)):
                lines.append(f"    {link}")
    return lines


def decision_lines(review: Review, turns: Sequence[TurnReview]) -> list[list[str]]:
    """Return, for each of some turns, what was done, what it cost and what was better."""
    reasons = _Reasons(review)
    return [
        [line.strip() for line in _decision(review, turn, turn.values, reasons)]
        if turn.values is not None
        else [turn_words(review, turn)]
        for turn in turns
    ]


def _decision(
    review: Review, turn: TurnReview, values: TurnValue, reasons: _Reasons
) -> Iterator[str]:
    name = review.names[turn.player]
    yield f"turn {turn.turn}: {turn_words(review, turn)}"
    yield f"  {_verdict_words(turn, values, name)}"
    yield f"  the convention: {reasons.sentence(turn, values)}"
    if turn.is_better and values.loss > -values.play:
        yield (
            f"  best action found by trying all: {action_words(review, turn, values.best)}, "
            f"{_signed(values.loss)} points (± {values.loss_error:.2f}) against what {name} did"
        )
    if turn.facts.chances:
        yield f"  {_knowledge(name, turn.facts.chances)}"


def _verdict_words(turn: TurnReview, values: TurnValue, name: str) -> str:
    """Return the verdict on a turn in words."""
    cost = f"{-values.play:.2f} points (± {values.play_error:.2f})"
    word = turn.verdict.word
    if word in ERRORS:
        return f"{word}: gave away {cost}, by what {name} could know"
    if word == "worked":
        return (
            f"worked: by what {name} could know it cost {cost}, but with the cards as they were it "
            "did not; luck, or an agreement that this review does not know"
        )
    if word == "unlucky":
        return (
            f"unlucky: no error by what {name} could know, but {-values.change:.2f} points worse "
            "than the convention's action with the cards as they were"
        )
    return f"no error: {turn.verdict.excuse}; against the convention it cost {cost}"


def turn_words(review: Review, turn: TurnReview) -> str:
    """Return what happened in a turn: “Bob plays slot 2: green 3 lights”."""
    facts = turn.facts
    return describe_event(facts.event, review.game.state.rules, review.labels, facts.hand_count)


def action_words(review: Review, turn: TurnReview, action: int) -> str:
    """Describe an action that the player of a turn could have taken: “play slot 2 (green 3)”."""
    position = review.positions[turn.turn - 1]
    state, event = position.state, Event()
    decode_action(state, action, event)
    return _event_words(review, state, event)


def _event_words(review: Review, state: State, event: Event) -> str:
    names, labels = review.game.rules.names, review.labels
    if event.kind == PASS:
        return "pass"
    if event.kind in (PLAY, DISCARD):
        count = state.hand_count[state.player]
        verb = "play" if event.kind == PLAY else "discard"
        if event.slot >= count:
            return f"{verb} the last card of the draw pile"
        card = labels.card(card_in(state.hands[state.player], event.slot), names)
        return f"{verb} slot {labels.slot(event.slot, count)} ({card})"
    told = names.rank_hint(event.value)
    if event.kind == HINT_SUIT:
        told = labels.suit(event.value, names)
    return f"tell {labels.player(event.target)} {told}"


class _Reasons:
    """The convention's reasons for its actions, in the words of its strategy."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.found: dict[int, dict[int, str]] = {}

    def sentence(self, turn: TurnReview, values: TurnValue) -> str:
        """Return the convention's action in a turn, with its reason."""
        words = action_words(self.review, turn, values.convention)
        if turn.player not in self.found:
            self.found[turn.player] = dict(self._follow(turn.player))
        reason = self.found[turn.player].get(turn.turn)
        return f"{words} — “{reason}”" if reason else words

    def _follow(self, player: int) -> Iterator[tuple[int, str]]:
        """Follow the game from a seat, and yield the reason for each of its turns."""
        strategy = self.review.judge.strategy
        assert strategy is not None
        seat = Seat(strategy, player, 0)
        states = [position.state for position in self.review.positions]
        seat.begin(states[0])
        for turn in self.review.turns:
            before, after = states[turn.turn - 1 : turn.turn + 1]
            if before.player == player:
                action = seat.act(before)
                if turn.values and action == turn.values.convention:
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
    large = sorted(
        (turn for turn in turns if turn.facts.event.drew and abs(turn.draw) >= LUCKY),
        key=lambda turn: turn.turn,
    )
    if not large:
        return []
    lines = ["The luckiest and unluckiest draws:"]
    for turn in large:
        state = review.positions[turn.turn].state
        labels, names = review.labels, review.game.rules.names
        card = card_in(state.hands[turn.player], state.hand_count[turn.player] - 1)
        drawn = labels.card(card, names)
        lines.append(
            f"  turn {turn.turn}: {review.names[turn.player]} draws {drawn}, "
            f"{_signed(turn.draw)} points"
        )
    return lines


def _players(review: Review) -> list[str]:
    if not review.fit.fits:
        return []
    rows = review.player_rows()
    table = DataTable(
        header=("player", "given away", "luck with own cards", "luck of the draw", *ERRORS),
        rows=tuple(
            (
                row["name"],
                _points(row["given_away"]) if row["judged"] else "",
                _signed(row["hidden"]),
                _signed(row["draw"]),
                *(str(row["verdicts"][word]) if row["judged"] else "" for word in ERRORS),
            )
            for row in rows
        ),
    )
    lines = ["Points given away by decisions, and luck, of each player:", *_indented(table.lines())]
    for row in rows:
        if not row["judged"]:
            lines.append(
                f"  {row['name']} is not judged: the convention would have done the same in "
                f"{row['agreement']:.0%} of {row['name']}'s turns"
            )
    return lines


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
    card = review.labels.card(lost.card, review.game.rules.names)
    name = review.names[lost.player]
    verb = "misplayed" if lost.misplayed else "discarded"
    points = f"{lost.points} point{'s' * (lost.points != 1)}"
    yield (
        f"turn {lost.turn}: {name} {verb} {card}, the last copy: the highest score that the "
        f"discards allow fell by {points}"
    )
    touched = "a hint had touched it" if lost.touched else "no hint had touched it"
    yield f"  {touched}; {_knowledge(name, lost.chances)}"
    unknown = "that it did not fit" if lost.misplayed else "that it was the last copy"
    since = f"when turn {lost.since} began, {name} held it and it was the last copy"
    while_unsure = f"while {name} could not be sure {unknown}"
    if not lost.rescues:
        yield f"  {since}; nobody passed up a hint that touches it {while_unsure}"
        return
    shown = lost.rescues[-len(review.names) :]
    some = f" (the last {len(shown)} of {len(lost.rescues)})" if shown != lost.rescues else ""
    yield f"  {since}; who saw it and passed up a hint that touches it {while_unsure}{some}:"
    for rescue in shown:
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


def _endgame(review: Review) -> list[str]:
    """Return the turns that gave up a certain win, with all hands known."""
    lines = []
    for turn in review.turns:
        exact = turn.facts.exact
        if exact is not None and exact.win == 1 and exact.win_taken < 1:
            lines.append(
                f"  turn {turn.turn}: a perfect score was certain in any order of the draw pile; "
                f"after “{turn_words(review, turn)}” its chance was {_percent(exact.win_taken)}"
            )
    if lines:
        note = "Exact endgame, for players who see all hands but not the draw pile:"
        lines.insert(0, note)
    return lines


def _open_cards(review: Review, *, links: bool) -> list[str]:
    """Return the result of `analyze`, which nobody at the table could know."""
    analysis = review.analysis
    if analysis is None:
        return []
    if analysis.lost_at == 0:
        return ["With all cards in sight, draw pile included: this deck could not be won."]
    lines = ["With all cards in sight, draw pile included (nobody at the table could know this):"]
    positions = review.positions
    for mistake in analysis.mistakes:
        position, turn = positions[mistake.turn - 1], review.turns[mistake.turn - 1]
        cause = cause_of(position, turn.facts.action)
        lines.append(
            f"  turn {mistake.turn} lowered the best score in reach from {mistake.before} to "
            f"{mistake.after}: {turn_words(review, turn)} ({CAUSES[cause.name]})"
        )
        if links and (link := review.link(mistake.turn)):
            lines.append(f"    {link}")
    if not analysis.mistakes:
        lines.append(f"  {_nothing_lost(review, analysis)}")
    return lines


def _nothing_lost(review: Review, analysis: Analysis) -> str:
    """Return the sentence for a game in which no turn is known to have lost a point."""
    if analysis.verdict == "undecided":
        return "the time ran out before it was clear where points were lost"
    if not review.game.is_over:
        return "no point was lost so far"
    return "the highest score stayed in reach to the end"
