"""Review a game: its values, its luck, its decisions and its facts, put together.

The ledger of a game is an identity. Let U be the spectator's value (`values`) before a turn::

    score - expected = play + hidden + draw

*expected* is U before the first turn. *play* is what the players' actions were worth more than the
convention's, as far as they could know. *hidden* is what the same actions were worth more in the
true hands than in those that they had to reckon with. *draw* is the luck of the draw pile. A game
that was left early ends in the last value of U instead of a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.errors import StrategyError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels
from hanabilab.formats.hanablive.encoding import NAMES
from hanabilab.lab.analysis_report import replay_link
from hanabilab.lab.analyze import Analysis, analyze
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Result
from hanabilab.lab.review.facts import GameFacts, TurnFacts, find_facts
from hanabilab.lab.review.sampling import convention_mean, evaluate_game
from hanabilab.lab.review.values import Evaluator, PlayedGame, Precision, TurnValue
from hanabilab.lab.review.verdicts import ERRORS, Fit, Verdict, judge_fit, judge_turn
from hanabilab.solver.position import Position
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.conventions.catalogue import HIGHEST_LEVEL
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game

__all__ = ["AUTO", "DEEP", "QUICK", "WORLDS", "Ledger", "Review", "TurnReview", "review"]

AUTO = "auto"
"""The name that stands for the convention that explains a game best."""
WORLDS, QUICK, DEEP = 256, 64, 2048
"""Samples of a turn by default, for a quick look, and for a thorough one."""
MOST_WORLDS = 1 << 16
SEED = 33
MEAN_GAMES = 4
"""Games for the mean of a convention, for each sample of a turn."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the points of a game came from; `play`, `hidden` and `draw` add up exactly."""

    deal: float
    """What the deal was worth more than an average one, to players who follow the convention."""
    deal_error: float
    play: float
    hidden: float
    draw: float

    def to_dict(self) -> dict[str, float]:
        """Return the ledger as plain data."""
        return {
            "deal": self.deal,
            "deal_error": self.deal_error,
            "play": self.play,
            "hidden": self.hidden,
            "draw": self.draw,
        }


@dataclass(frozen=True, slots=True)
class TurnReview:
    """The review of one turn."""

    turn: int
    """From 1."""
    player: int
    values: TurnValue
    facts: TurnFacts
    hidden: float
    draw: float
    spectator: float
    """The spectator's value after the turn and its draw."""
    win: float
    """The spectator's chance of the maximum after the turn and its draw."""
    verdict: Verdict
    exact: dict[str, Any] | None
    """Exact values of an endgame, before the turn, or None."""
    open_cards: tuple[int, int] | None
    """The best score in reach with all cards in sight, before and after; None if undecided."""

    @property
    def luck(self) -> float:
        """The luck of hidden hands and of the draw."""
        return self.hidden + self.draw

    @property
    def is_better(self) -> bool:
        """Whether the best action did clearly better than the one taken, in fresh worlds."""
        return self.values.loss > 0 and self.values.loss >= 2 * self.values.loss_error


@dataclass(frozen=True, slots=True, repr=False)
class Review(Result):
    """The review of a game."""

    game: Game
    positions: tuple[Position, ...]
    """The position before each turn, and the last one."""
    convention: str
    """The convention by which it was judged, with options."""
    tried: tuple[tuple[str, float], ...]
    """The conventions that were tried, with the share of turns that each explains."""
    worlds: int
    expected: float
    """The spectator's value of the deal."""
    expected_error: float
    end_value: float
    """What the ledger ends in: the points on the table, or the value if the game goes on."""
    ledger: Ledger
    fit: Fit
    turns: tuple[TurnReview, ...]
    facts: GameFacts
    analysis: Analysis | None
    """The analysis with all cards in sight, if it was asked for."""
    site: Mapping[str, Any] | None = None
    """The data of hanab.live on the game, if it is from there."""

    @property
    def score(self) -> int | None:
        """The points on the table in the end; None if the game is not over."""
        return self.game.state.score if self.game.is_over else None

    @property
    def names(self) -> list[str]:
        """The names of the players."""
        players = self.game.rules.players
        return list((self.site or {}).get("players", NAMES[:players]))

    @property
    def labels(self) -> Labels:
        """The labels of players and slots; slot 1 is the newest card, as at hanab.live."""
        return Labels.of(self.names)

    @property
    def curve(self) -> list[float]:
        """The spectator's value at the start and after each turn."""
        return [self.expected, *(turn.spectator for turn in self.turns)]

    def link(self, turn: int) -> str | None:
        """Return the address of a turn at hanab.live; None if the site has no such game."""
        return replay_link(self.game, self.site, turn)

    def player_rows(self) -> list[dict[str, Any]]:
        """Return what each player gave away, and how lucky each was."""
        rows = []
        for player, name in enumerate(self.names):
            turns = [turn for turn in self.turns if turn.player == player]
            words = Counter(turn.verdict.word for turn in turns)
            play = sum(turn.values.play for turn in turns)
            rows.append(
                {
                    "player": player,
                    "name": name,
                    "turns": len(turns),
                    "play": play,
                    "given_away": -play,
                    "hidden": sum(turn.hidden for turn in turns),
                    "draw": sum(turn.draw for turn in turns),
                    "mistakes": words["mistake"] + words["blunder"] if self.fit.fits else None,
                    "verdicts": {word: words[word] for word in ERRORS} if self.fit.fits else None,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain data; docs/reference/json.md describes the keys."""
        return {
            "score": self.score,
            "official_score": self.game.score if self.game.is_over else None,
            "max_score": self.game.rules.max_score,
            "finished": self.game.is_over,
            "end_value": self.end_value,
            "convention": self.convention,
            "conventions": [{"convention": name, "agreement": share} for name, share in self.tried],
            "worlds": self.worlds,
            "expected": self.expected,
            "expected_error": self.expected_error,
            "ledger": self.ledger.to_dict(),
            "fits": self.fit.fits,
            "agreement": self.fit.agreement,
            "hidden_sum": self.fit.hidden_sum,
            "reason": self.fit.reason,
            "players": self.player_rows(),
            "turns": self.rows(),
            "lost_cards": [self._lost_dict(place) for place in range(len(self.facts.lost))],
            "efficiency": self.facts.efficiency.to_dict(),
            "open_cards": self.analysis.verdict if self.analysis else None,
            "rules": self.game.rules.to_dict(),
            "link": self.link(1),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each turn."""
        return [self._turn_dict(turn, self.positions[turn.turn - 1].state) for turn in self.turns]

    def _turn_dict(self, turn: TurnReview, state: Any) -> dict[str, Any]:
        values, facts = turn.values, turn.facts
        known = facts.chances.to_dict() if facts.chances else None
        judged = self.fit.fits
        return {
            "turn": turn.turn,
            "player": turn.player,
            "name": self.names[turn.player],
            "action": _action_dict(values.taken, state, self.game),
            "blueprint": _action_dict(values.convention, state, self.game),
            "best": _action_dict(values.best, state, self.game),
            "value": values.value,
            "values": [
                {
                    "action": _action_dict(one.action, state, self.game),
                    "mean": one.mean,
                    "error": one.error,
                    "worlds": one.worlds,
                }
                for one in values.values
            ],
            "loss": values.loss,
            "loss_error": values.loss_error,
            "better": turn.is_better,
            "play": values.play,
            "play_error": values.play_error,
            "hidden": turn.hidden,
            "draw": turn.draw,
            "spectator": turn.spectator,
            "win": turn.win,
            "exact": turn.exact,
            "verdict": turn.verdict.word if judged else None,
            "excuse": turn.verdict.excuse if judged else None,
            "known": known,
            "card": self._card_name(facts),
            "misplay": facts.is_misplay,
            "new_cards_touched": facts.new if facts.is_hint else None,
            "tokens": facts.tokens,
            "pace": facts.pace,
            "reachable": facts.reachable,
            "open_cards": list(turn.open_cards) if turn.open_cards else None,
            "link": self.link(turn.turn),
        }

    def _card_name(self, facts: TurnFacts) -> str | None:
        if facts.chances is None:
            return None
        return self.game.rules.card_name(facts.event.card)

    def _lost_dict(self, place: int) -> dict[str, Any]:
        lost = self.facts.lost[place]
        return {
            "turn": lost.turn,
            "player": lost.player,
            "card": self.game.rules.card_name(lost.card),
            "points": lost.points,
            "misplayed": lost.misplayed,
            "touched": lost.touched,
            "known": lost.chances.to_dict(),
            "since": lost.since,
            "rescues": [
                {"turn": one.turn, "player": one.player, "tokens": one.tokens}
                for one in lost.rescues
            ],
        }

    def plot(self, file: str | None = None) -> Any:
        """Draw the expected points by turn with Matplotlib."""
        from hanabilab.lab.plot import plot_review

        return plot_review(self, file)

    def to_text(self) -> str:
        """Return the review as a report for players."""
        from hanabilab.lab.review.report import report_text

        return report_text(self)

    def summary(self) -> str:
        """Return the score, the players and the number of turns in a sentence."""
        from hanabilab.lab.review.report import headline

        return headline(self)


def review(
    game: Game | str,
    convention: Player = AUTO,
    *,
    worlds: int = WORLDS,
    exact_pile: int = 4,
    open_cards: bool = True,
    threads: int | None = None,
    site: Mapping[str, Any] | None = None,
    cached: bool = True,
    progress: Progress = None,
) -> Review:
    """Review a game as its players could know it: what was luck, what was error, what was best.

    `game` may be a text that `Game.read` accepts. `convention` is the strategy by which the players
    are judged, or ``"auto"`` for the one that explains the game best. `worlds` is the number of
    samples of a turn, a power of two: 64 for a quick look, 256 by default, 2048 for a thorough one.
    Results do not depend on `threads`, and are cached by game and settings.

    >>> found = review("p3v0s17", worlds=8, open_cards=False, cached=False)
    >>> found.expected - found.end_value
    0.0
    """
    game = Game.read(game) if isinstance(game, str) else game
    check_integer("worlds", worlds, 8, MOST_WORLDS)
    if worlds & (worlds - 1):
        raise StrategyError(f"worlds: {worlds} is not a power of two")
    positions = positions_of(game)
    played = PlayedGame(game.rules, tuple(game.deck), tuple(numbers_of(game, positions)))
    chosen, tried = choose_convention(played, convention)
    with progress_bar("review", len(played.actions) + (not game.is_over), progress) as report:
        values = evaluate_game(
            chosen,
            played,
            Precision.of(worlds),
            SEED,
            finished=game.is_over,
            threads=threads,
            cached=cached,
            report=report,
        )
    mean, mean_error = convention_mean(chosen, game.rules, MEAN_GAMES * worlds, cached=cached)
    analysis = analyze(game, time_limit=1.0, progress=False) if open_cards else None
    return _put_together(
        game,
        tuple(positions),
        played,
        (chosen, tried),
        worlds,
        values,
        (mean, mean_error),
        analysis,
        site,
    )


def positions_of(game: Game) -> list[Position]:
    """Return the position before each turn of a game, and the last one."""
    positions = [Position.start(game.deck)]
    for action in game.actions:
        number = action.number(positions[-1].state)
        assert number is not None  # the game has taken it
        positions.append(positions[-1].after([number]))
    return positions


def numbers_of(game: Game, positions: Sequence[Position]) -> list[int]:
    """Return the numbers of a game's actions."""
    found = []
    for action, position in zip(game.actions, positions, strict=False):
        number = action.number(position.state)
        assert number is not None  # the game has taken it
        found.append(number)
    return found


def _action_dict(action: int, state: Any, game: Game) -> dict[str, Any]:
    letters = game.rules.hint_letters
    return Action.from_number(action, state).to_dict(state.player, letters)


# --- which convention -----------------------------------------------------------------------------

CANDIDATES = (
    *(f"conventions:level={level}" for level in range(HIGHEST_LEVEL, 0, -1)),
    "hatter",
    "duo",
)
"""The conventions that `auto` tries; if two explain a game equally well, the first is taken."""


def choose_convention(
    played: PlayedGame, convention: Player
) -> tuple[Strategy, tuple[tuple[str, float], ...]]:
    """Return the convention, or the best of several, and the share of turns that each explains."""
    if convention != AUTO:
        chosen = find_strategy(convention)
        return chosen, ((chosen.label, agreement_with(chosen, played)),)
    tried = []
    for name in CANDIDATES:
        strategy = find_strategy(name)
        if strategy.why_not(played.rules.replace(keep_score=True)) is None:
            tried.append((agreement_with(strategy, played), strategy))
    if not tried:
        reason = find_strategy("conventions").why_not(played.rules)
        raise StrategyError(f"no convention can play these rules: {reason}")
    best = max(tried, key=lambda pair: pair[0])
    ranked = sorted(tried, key=lambda pair: -pair[0])
    return best[1], tuple((strategy.label, share) for share, strategy in ranked)


def agreement_with(convention: Strategy, played: PlayedGame) -> float:
    """Return the share of turns in which a convention acts as the players did."""
    if not played.actions:
        return 1.0
    proposed = proposed_actions(convention, played)
    return sum(map(int.__eq__, proposed, played.actions)) / len(played.actions)


def proposed_actions(convention: Strategy, played: PlayedGame) -> list[int]:
    """Return what a convention proposes in each turn of a game."""
    return Evaluator(convention, played, Precision(0, 0, 0, 1)).proposed()


def usual_actions(convention: Strategy, played: PlayedGame) -> list[set[int]]:
    """Return for each turn what the same convention does at its other levels."""
    found: list[set[int]] = [set() for _ in played.actions]
    if "level" in convention.options:
        for level in range(1, HIGHEST_LEVEL + 1):
            if level != convention.option("level"):
                other = proposed_actions(convention.with_options(level=level), played)
                for actions, action in zip(found, other, strict=True):
                    actions.add(action)
    return found


# --- all of it ------------------------------------------------------------------------------------


def _put_together(
    game: Game,
    positions: tuple[Position, ...],
    played: PlayedGame,
    judge: tuple[Strategy, tuple[tuple[str, float], ...]],
    worlds: int,
    values: Sequence[TurnValue],
    mean: tuple[float, float],
    analysis: Analysis | None,
    site: Mapping[str, Any] | None,
) -> Review:
    convention, tried = judge
    facts = find_facts(positions[0], played.actions)
    count = len(played.actions)
    expected, error = values[0].spectator_convention, values[0].spectator_error
    if game.is_over:
        last, last_win = float(game.state.score), float(game.state.score == game.rules.max_score)
    else:
        last, last_win = values[count].spectator_convention, values[count].win
    curve = [value.spectator_convention for value in values[:count]] + [last]
    wins = [value.win for value in values[:count]] + [last_win]
    hidden = [value.change - value.play for value in values[:count]]
    draws = [curve[turn + 1] - values[turn].spectator for turn in range(count)]
    agreed = sum(value.taken == value.convention for value in values[:count])
    fit = judge_fit(agreed / count if count else 1.0, sum(hidden), count)
    usual = usual_actions(convention, played)
    turns = tuple(
        TurnReview(
            turn=turn + 1,
            player=facts.turns[turn].event.player,
            values=values[turn],
            facts=facts.turns[turn],
            hidden=hidden[turn],
            draw=draws[turn],
            spectator=curve[turn + 1],
            win=wins[turn + 1],
            verdict=judge_turn(
                values[turn],
                facts.turns[turn],
                usual=values[turn].taken in usual[turn],
                exact_kept=False,
            ),
            exact=None,
            open_cards=_open_cards(analysis, turn),
        )
        for turn in range(count)
    )
    ledger = Ledger(
        deal=expected - mean[0],
        deal_error=(error**2 + mean[1] ** 2) ** 0.5,
        play=sum(value.play for value in values[:count]),
        hidden=sum(hidden),
        draw=sum(draws),
    )
    return Review(
        game=game,
        positions=positions,
        convention=convention.label,
        tried=tried,
        worlds=worlds,
        expected=expected,
        expected_error=error,
        end_value=last,
        ledger=ledger,
        fit=fit,
        turns=turns,
        facts=facts,
        analysis=analysis,
        site=site,
    )


def _open_cards(analysis: Analysis | None, turn: int) -> tuple[int, int] | None:
    """Return the best score in reach before and after a turn, if both are known."""
    if analysis is None:
        return None
    before, after = [analysis.start, *analysis.turns][turn : turn + 2]
    if before.best != before.bound or after.best != after.bound:
        return None
    return before.best, after.best
