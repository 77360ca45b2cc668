"""The analysis of a game in the words of its players: names, cards, slots, links and causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import NUMBERED, Labels, describe_event
from hanabilab.formats.hanablive.encoding import NAMES
from hanabilab.game.actions import DISCARD, PLAY, Event, decode_action, effect_of
from hanabilab.game.state import LIVES, State, pace
from hanabilab.lab.analyze import Analysis, Mistake
from hanabilab.solver.position import Position, take_action
from hanabilab.table.game import Game

__all__ = ["CAUSES", "AnalysisReport", "Cause", "cause_of", "replay_link", "summarize"]

CAUSES = {
    "critical discarded": "discarded a critical card",
    "critical misplayed": "misplayed a critical card",
    "last life": "misplayed and lost the last life",
    "misplayed": "misplayed",
    "last round": "missed a turn of the last round",
    "out of pace": "ran out of pace: too few turns are left for the cards still needed",
    "out of time": "lost time: the cards still needed come too late, or to the wrong hands",
}
"""Causes of lost points, by a short name."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a mistake."""

    name: str
    """One of `CAUSES`."""
    event: Event
    """The event of the turn, with the card that was played or discarded."""
    hand_count: int
    """Number of cards in the hand that was played from or hinted at."""


def cause_of(position: Position, action: int) -> Cause:
    """Return why an action lowered the best score of a position."""
    before, after = position.state, position.state.copy()
    event = take_action(after, position.deck, action)
    hand = before.player if event.kind in (PLAY, DISCARD) else event.target
    return Cause(_name(before, after, event), event, before.hand_count[hand])


def _name(before: State, after: State, event: Event) -> str:
    effect = effect_of(event, before.rules)
    lost = effect == DISCARD or (effect == PLAY and not event.lit)
    if lost and before.critical >> event.card & 1:
        return "critical discarded" if effect == DISCARD else "critical misplayed"
    if effect == PLAY and not event.lit:
        return "last life" if after.end == LIVES else "misplayed"
    if before.turns_left >= 0:
        return "last round"
    return "out of pace" if pace(after) < 0 else "out of time"


REPLAYS = "https://hanab.live/replay/"
CHANCES = ("playable", "dead", "critical")


def replay_link(game: Game, site: Mapping[str, Any] | None, turn: int) -> str | None:
    """Return the address of a turn at hanab.live, from 1; None if the site has no such game."""
    number = (site or {}).get("id")
    if number:
        return f"{REPLAYS}{number}#{turn}"
    try:
        return f"{game.link()}#{turn}"
    except FormatError:
        return None


@dataclass(frozen=True, slots=True)
class AnalysisReport:
    """The analysis of a game as text and data for people."""

    game: Game
    analysis: Analysis
    site: Mapping[str, Any] | None = None
    """The data of hanab.live on the game, if it is from there."""

    @property
    def labels(self) -> Labels:
        """The labels of players and slots: as on the site for its games, else numbers."""
        if self.site is None:
            return NUMBERED
        return Labels.of(self.names)

    @property
    def names(self) -> list[str]:
        """The names of the players."""
        players = self.game.rules.players
        if self.site is None:
            return [f"player {player}" for player in range(players)]
        return list(self.site.get("players", NAMES[:players]))

    def link(self, turn: int) -> str | None:
        """Return the address of a turn at hanab.live, from 1; None if the site has no such game."""
        return replay_link(self.game, self.site, turn)

    def causes(self) -> list[Cause]:
        """Return why each mistake cost points."""
        positions = self._positions()
        return [
            cause_of(positions[one.turn - 1], self._number(one.action, positions[one.turn - 1]))
            for one in self.analysis.mistakes
        ]

    def _positions(self) -> list[Position]:
        """Return the position before each turn that was a mistake, and all other positions."""
        positions = [Position.start(self.game.deck)]
        for action in self.game.actions:
            number = action.number(positions[-1].state)
            assert number is not None  # the game has taken it
            positions.append(positions[-1].after([number]))
        return positions

    def _number(self, data: Mapping[str, Any], position: Position) -> int:
        number = Action.from_dict(data, self.game.rules).number(position.state)
        assert number is not None
        return number

    def mistakes(self, *, explain: bool = False) -> list[dict[str, Any]]:
        """Return the mistakes as plain data, with texts that a page can display."""
        positions = self._positions()
        found = []
        for mistake, cause in zip(self.analysis.mistakes, self.causes(), strict=True):
            position = positions[mistake.turn - 1]
            card = cause.event.card if cause.event.kind in (PLAY, DISCARD) else None
            entry = {
                **mistake.to_dict(),
                "player": self.names[mistake.action["player"]],
                "cause": cause.name,
                "card": None if card is None else self.game.rules.card_name(card),
                "words": self._words(cause.event, cause.hand_count),
                "why": CAUSES[cause.name],
                "better_words": self._better(mistake, position),
                "link": self.link(mistake.turn),
            }
            if explain:
                entry["sure"] = self._certainty(mistake)
            found.append(entry)
        return found

    def _words(self, event: Event, count: int) -> str:
        return describe_event(event, self.game.state.rules, self.labels, count)

    def _better(self, mistake: Mistake, position: Position) -> str:
        """Describe the action that would have kept the points."""
        names, labels, state = self.game.rules.names, self.labels, position.state
        event = Event()
        decode_action(state, self._number(mistake.better, position), event)
        if event.kind not in (PLAY, DISCARD):
            suit = mistake.better["type"] == "hint_suit"
            value = labels.suit(event.value, names) if suit else names.rank_hint(event.value)
            return f"any hint, such as {value} to {labels.player(event.target)}"
        hand = position.hands[state.player]
        verb = "play" if event.kind == PLAY else "discard"
        if event.slot >= len(hand):
            return f"{verb} the last card from the draw pile"
        slot = labels.slot(event.slot, len(hand))
        return f"{verb} slot {slot}: {labels.card(hand[event.slot], names)}"

    def _certainty(self, mistake: Mistake) -> dict[str, Any]:
        """Return how likely the cards were to be playable, dead or critical, as their owner saw it.

        A careful player counts all visible cards and remembers every hint.
        """
        game = Game(self.game.rules, self.game.deck)
        for action in self.game.actions[: mistake.turn - 1]:
            game.act(action)
        known = game.knowledge(game.player)
        sure: dict[str, Any] = {}
        for name, data in (("action", mistake.action), ("better", mistake.better)):
            slot = data.get("slot")
            if slot is None or slot >= len(known):
                sure[name] = None
                continue
            sure[name] = {word: round(getattr(known[slot], word), 4) for word in CHANCES}
        return sure

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return all data that a page needs to display the analysis."""
        data = self.analysis.to_dict()
        for turn, standing in enumerate(data["turns"], 1):
            standing["link"] = self.link(turn)
        return {
            **data,
            "max_score": self.analysis.max_score,
            "players": self.names,
            "rules": self.game.rules.to_dict(),
            "link": self.link(1),
            "mistakes": self.mistakes(explain=explain),
        }

    def lines(self, *, explain: bool = False) -> list[str]:
        """Return lines of text for each mistake: what happened, what was better, and a link."""
        lines = []
        for entry in self.mistakes(explain=explain):
            lost = entry["before"] - entry["after"]
            points = f"{lost} point{'s' * (lost != 1)}"
            lines.append(
                f"turn {entry['turn']} took the best score from {entry['before']} to "
                f"{entry['after']} ({points}): {entry['words']}"
            )
            lines.append(f"  {entry['player']} {entry['why']}; better: {entry['better_words']}")
            if explain:
                lines += [f"  {line}" for line in _certainty_lines(entry["sure"])]
            if entry["link"]:
                lines.append(f"  {entry['link']}")
        return lines


def _certainty_lines(sure: Mapping[str, Any]) -> list[str]:
    """Return lines about how certain a careful player could be of both cards."""
    said = []
    for name, what in (("action", "this card"), ("better", "the better one")):
        chances = sure[name]
        if chances:
            parts = [f"{chance:.0%} {word}" for word, chance in chances.items()]
            said.append(f"to a careful player {what} was {', '.join(parts)}")
    return said


def summarize(reports: Sequence[AnalysisReport]) -> str:
    """Summarize several games in one line."""
    count = len(reports)
    scores = sum(one.analysis.score for one in reports) / count
    verdicts = Counter(one.analysis.verdict for one in reports)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    points: Counter[str] = Counter()
    for one in reports:
        for mistake, cause in zip(one.analysis.mistakes, one.causes(), strict=True):
            points[cause.name] += mistake.before - mistake.after
    lost = ", ".join(f"{number} {name}" for name, number in points.most_common()) or "none"
    unfinished = sum(not one.game.is_over for one in reports)
    games = f"{count} game{'s' * (count != 1)}"
    games += f" ({unfinished} unfinished)" if unfinished else ""
    return f"{games}: mean score {scores:.2f}; verdicts: {counts}; points lost by play: {lost}"
