"""Review a game: its account, its decisions and its facts, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.errors import RulesError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import Labels
from hanabilab.formats.hanablive.encoding import NAMES
from hanabilab.lab.analysis_report import replay_link
from hanabilab.lab.analyze import Analysis, analyze
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Result
from hanabilab.lab.review.account import (
    AUTO,
    Account,
    Judge,
    balance,
    check_worlds,
    choose_convention,
    usual_actions,
)
from hanabilab.lab.review.facts import GameFacts, LostCard, TurnFacts, find_facts
from hanabilab.lab.review.sampling import convention_mean, evaluate_game
from hanabilab.lab.review.values import PlayedGame, Precision, TurnValue
from hanabilab.lab.review.verdicts import ERRORS, Fit, Verdict, judge_fit, judge_turn
from hanabilab.solver.position import Position
from hanabilab.strategies import Player
from hanabilab.table.game import Game

__all__ = ["BULK_WORLDS", "DEEP", "QUICK", "WORLDS", "Review", "TurnReview", "review"]

WORLDS, QUICK, DEEP = 256, 32, 2048
"""Samples per turn: by default, for a quick review, and for a thorough one."""
BULK_WORLDS = 64
"""Samples per turn when many games are reviewed, and on the pages."""
MOST_WORLDS = 1 << 16
EXACT_PILE, QUICK_PILE = 8, 5
"""Largest draw piles for which endgames are solved exactly: by default and in a quick review."""
SEED = 33
MEAN_GAMES = 4
"""Games for the mean of a convention, per sample of a turn."""
OPEN_SECONDS = 1.0
"""Time for a turn of the analysis with all cards in sight."""


@dataclass(frozen=True, slots=True)
class TurnReview:
    """The review of one turn."""

    turn: int
    """From 1."""
    player: int
    facts: TurnFacts
    values: TurnValue | None
    """The sampled values; None without a convention."""
    hidden: float
    draw: float
    spectator: float | None
    """The spectator's value after the turn and its draw."""
    win: float | None
    """The spectator's chance of the maximum after the turn and its draw."""
    verdict: Verdict
    open_cards: tuple[int, int] | None
    """The best reachable score with all cards visible, before and after; None if undecided."""

    @property
    def play(self) -> float:
        """How much more the action was worth than the convention's."""
        return self.values.play if self.values else 0.0

    @property
    def is_better(self) -> bool:
        """Whether the best action did significantly better than the one taken, in fresh worlds."""
        values = self.values
        return values is not None and values.loss > 0 and values.loss >= 2 * values.loss_error


@dataclass(frozen=True, slots=True, repr=False)
class Review(Result):
    """The review of a game."""

    game: Game
    positions: tuple[Position, ...]
    """The position before each turn, and the last one."""
    judge: Judge
    worlds: int
    account: Account | None
    """Expectation and luck; None without a convention."""
    fit: Fit
    turns: tuple[TurnReview, ...]
    facts: GameFacts
    analysis: Analysis | None
    """The analysis with all cards visible, if requested."""
    site: Mapping[str, Any] | None = None
    """The data of hanab.live on the game, if it is from there."""

    @property
    def convention(self) -> str | None:
        """The convention by which the game was judged, with options."""
        return self.judge.name

    @property
    def score(self) -> int | None:
        """The final points on the table; None if the game is not over."""
        return self.game.state.score if self.game.is_over else None

    @property
    def expected(self) -> float | None:
        """The spectator's value of the deal."""
        return self.account.curve[0] if self.account else None

    @property
    def end_value(self) -> float | None:
        """The end of the ledger: the points on the table, or the value of an unfinished game."""
        return self.account.curve[-1] if self.account else None

    @property
    def names(self) -> list[str]:
        """The names of the players."""
        players = self.game.rules.players
        return list((self.site or {}).get("players", NAMES[:players]))

    @property
    def labels(self) -> Labels:
        """The labels of players and slots; slot 1 is the newest card, as at hanab.live."""
        return Labels.of(self.names)

    def link(self, turn: int) -> str | None:
        """Return the address of a turn at hanab.live; None if the site has no such game."""
        return replay_link(self.game, self.site, turn)

    def player_rows(self) -> list[dict[str, Any]]:
        """Return each player's losses, luck and actions."""
        return [self._player_row(player, name) for player, name in enumerate(self.names)]

    def _player_row(self, player: int, name: str) -> dict[str, Any]:
        turns = [turn for turn in self.turns if turn.player == player]
        words = Counter(turn.verdict.word for turn in turns)
        known, judged = self.account is not None, self.fit.judges(player)
        play = sum(turn.play for turn in turns)
        return {
            "player": player,
            "name": name,
            "turns": len(turns),
            "agreement": self.fit.players[player] if known else None,
            "judged": judged,
            "play": play if known else None,
            "given_away": -play if judged else None,
            "hidden": sum(turn.hidden for turn in turns) if known else None,
            "draw": sum(turn.draw for turn in turns) if known else None,
            "mistakes": words["mistake"] + words["blunder"] if judged else None,
            "verdicts": {word: words[word] for word in ERRORS} if judged else None,
            "hints": sum(turn.facts.is_hint for turn in turns),
            "cards": sum(bool(turn.facts.event.lit) for turn in turns),
            "misplays": sum(turn.facts.is_misplay for turn in turns),
            "lost_critical": sum(lost.player == player for lost in self.facts.lost),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain data; docs/reference/json.md describes the keys."""
        account, fit = self.account, self.fit
        return {
            "score": self.score,
            "official_score": self.game.score if self.game.is_over else None,
            "max_score": self.game.rules.max_score,
            "finished": self.game.is_over,
            "end_value": self.end_value,
            "convention": self.convention,
            "conventions": [
                {"convention": name, "agreement": share} for name, share in self.judge.tried
            ],
            "worlds": self.worlds,
            "expected": self.expected,
            "expected_error": account.expected_error if account else None,
            "ledger": account.ledger.to_dict() if account else None,
            "fits": fit.fits,
            "agreement": fit.agreement,
            "hidden_sum": fit.hidden_sum,
            "hidden_z": fit.hidden_z,
            "reason": fit.reason,
            "players": self.player_rows(),
            "turns": self.rows(),
            "lost_cards": [self._lost_dict(lost) for lost in self.facts.lost],
            "efficiency": self.facts.efficiency.to_dict(),
            "open_cards": self.analysis.verdict if self.analysis else None,
            "rules": self.game.rules.to_dict(),
            "link": self.link(1),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each turn."""
        return [
            {
                "turn": turn.turn,
                "player": turn.player,
                "name": self.names[turn.player],
                **self._value_row(turn),
                **self._fact_row(turn),
                "link": self.link(turn.turn),
            }
            for turn in self.turns
        ]

    def _value_row(self, turn: TurnReview) -> dict[str, Any]:
        values = turn.values
        row: dict[str, Any] = {"action": self._action(turn, turn.facts.action)}
        if values is None:
            return {**row, **dict.fromkeys(VALUE_KEYS)}
        return {
            **row,
            "blueprint": self._action(turn, values.convention),
            "best": self._action(turn, values.best),
            "value": values.value,
            "values": [
                {
                    "action": self._action(turn, one.action),
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
            "verdict": turn.verdict.word,
            "excuse": turn.verdict.excuse,
        }

    def _fact_row(self, turn: TurnReview) -> dict[str, Any]:
        facts = turn.facts
        card = None if facts.chances is None else self.game.rules.card_name(facts.event.card)
        return {
            "exact": facts.exact.to_dict() if facts.exact else None,
            "card": card,
            "known": facts.chances.to_dict() if facts.chances else None,
            "misplay": facts.is_misplay,
            "touched_anew": facts.new if facts.is_hint else None,
            "tokens": facts.tokens,
            "pace": facts.pace,
            "reachable": facts.reachable,
            "open_cards": list(turn.open_cards) if turn.open_cards else None,
        }

    def _action(self, turn: TurnReview, action: int) -> dict[str, Any]:
        """Return an action of the player of a turn in the replay format."""
        state = self.positions[turn.turn - 1].state
        letters = self.game.rules.hint_letters
        return Action.from_number(action, state).to_dict(state.player, letters)

    def _lost_dict(self, lost: LostCard) -> dict[str, Any]:
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


VALUE_KEYS = (
    *("blueprint", "best", "value", "values", "loss", "loss_error", "better", "play"),
    *("play_error", "hidden", "draw", "spectator", "win", "verdict", "excuse"),
)
"""Keys that a turn has only if there is a convention."""


def review(
    game: Game | str,
    convention: Player = AUTO,
    *,
    worlds: int = WORLDS,
    exact_pile: int = EXACT_PILE,
    open_cards: bool = True,
    threads: int | None = None,
    site: Mapping[str, Any] | None = None,
    cached: bool = True,
    progress: Progress = None,
) -> Review:
    """Review a game by what its players could know: luck, errors, and best actions.

    `game` may be any text that `Game.read` accepts. `convention` is the strategy by which the
    players are judged, or ``"auto"`` for the one that explains the game best. `worlds` is the
    number of samples per turn, a power of two: 32 for a quick look, 256 by default, 2048 for a
    thorough one. Endgames with at most `exact_pile` cards in the draw pile are solved exactly.
    `open_cards` adds the result of `analyze`. Results do not depend on `threads`, and are cached
    by game and settings.

    >>> found = review("p3v0s17", worlds=8, open_cards=False, cached=False)
    >>> found.expected == found.end_value
    True
    """
    game = Game.read(game) if isinstance(game, str) else game
    check_integer("worlds", worlds, 8, MOST_WORLDS)
    check_worlds(worlds)
    positions = positions_of(game)
    played = PlayedGame(game.rules, tuple(game.deck), tuple(numbers_of(game, positions)))
    judge = choose_convention(played, convention)
    account = None
    if judge.strategy is not None:
        count = len(played.actions) + (not game.is_over)
        with progress_bar("review", count, progress) as report:
            values = evaluate_game(
                judge.strategy,
                played,
                Precision.of(worlds),
                SEED,
                finished=game.is_over,
                threads=threads,
                cached=cached,
                report=report,
            )
        mean = convention_mean(judge.strategy, game.rules, MEAN_GAMES * worlds, cached=cached)
        account = balance(values, _ending(game), mean)
    facts = find_facts(positions[0], played.actions, exact_pile)
    analysis = _analysis(game) if open_cards else None
    actors = [each.event.player for each in facts.turns]
    fit = Fit(None, None, None, (), (), judge.why_none)
    if account:
        fit = judge_fit(account, actors, game.rules.players)
    turns = _turn_reviews(played, judge, account, fit, facts, analysis)
    return Review(game, tuple(positions), judge, worlds, account, fit, turns, facts, analysis, site)


def _ending(game: Game) -> tuple[float, float] | None:
    """Return the points of a finished game, and whether they are the maximum."""
    if not game.is_over:
        return None
    score = game.state.score
    return float(score), float(score == game.rules.max_score)


def _turn_reviews(
    played: PlayedGame,
    judge: Judge,
    account: Account | None,
    fit: Fit,
    facts: GameFacts,
    analysis: Analysis | None,
) -> tuple[TurnReview, ...]:
    if account is None or judge.strategy is None:
        return tuple(
            TurnReview(
                turn + 1,
                each.event.player,
                each,
                values=None,
                hidden=0.0,
                draw=0.0,
                spectator=None,
                win=None,
                verdict=Verdict(None),
                open_cards=_open_cards(analysis, turn),
            )
            for turn, each in enumerate(facts.turns)
        )
    usual = usual_actions(judge.strategy, played)
    return tuple(
        TurnReview(
            turn + 1,
            each.event.player,
            each,
            values=account.values[turn],
            hidden=account.hidden[turn],
            draw=account.draws[turn],
            spectator=account.curve[turn + 1],
            win=account.wins[turn + 1],
            verdict=judge_turn(account.values[turn], each, usual[turn])
            if fit.judges(each.event.player)
            else Verdict(None),
            open_cards=_open_cards(analysis, turn),
        )
        for turn, each in enumerate(facts.turns)
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


def _analysis(game: Game) -> Analysis | None:
    """Return the analysis with all cards visible; None if the solver cannot handle the rules."""
    try:
        return analyze(game, time_limit=OPEN_SECONDS, progress=False)
    except RulesError:
        return None


def _open_cards(analysis: Analysis | None, turn: int) -> tuple[int, int] | None:
    """Return the best reachable score before and after a turn, if both are known."""
    if analysis is None:
        return None
    before, after = [analysis.start, *analysis.turns][turn : turn + 2]
    if before.best != before.bound or after.best != after.bound:
        return None
    return before.best, after.best
