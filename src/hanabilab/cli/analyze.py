"""hanabilab analyze: the turns that lost points."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    add_json_argument,
    add_time_limit_argument,
)
from hanabilab.cli.game_input import add_download_argument, read_folder
from hanabilab.cli.output import describe_range, print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.lab.analysis_report import AnalysisReport
    from hanabilab.table.game import Game

SUMMARY = "Find the turn that lost the maximum of a played game, and a move that kept it."
EXAMPLES = """\
  hanabilab play information --players 3 --seed 1 --json > game.json
  hanabilab analyze game.json
  hanabilab analyze games/ --json
  hanabilab analyze https://hanab.live/replay-json/215txrdk...,03lbah-aebf,0 --explain

For each game, the command prints whether the deck could be won, the turn that lost the maximum, and
all other turns that cost points. For each of these turns it names the cause (a critical card
discarded or misplayed, a life, pace, time), a better action, and a link to the turn at hanab.live.
Games of hanab.live keep their players' names, and slot 1 is the newest card. For several games, the
last line is a summary.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    about = "games in any format that `convert` reads, or a folder of them; - is standard input"
    parser.add_argument("file", metavar="FILE", help=about)
    add_time_limit_argument(parser, "turn")
    parser.add_argument(
        "--any-deck", action="store_true", help="let decks have another composition"
    )
    add_download_argument(parser)
    parser.add_argument(
        "--explain", action="store_true", help="add how sure a careful player could have been"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.formats.hanablive import own_extras
    from hanabilab.lab.analysis_report import AnalysisReport, summarize
    from hanabilab.lab.analyze import analyze
    from hanabilab.table.game import Game

    reports = []
    games = read_folder(arguments.file, any_deck=arguments.any_deck, server=arguments.download)
    for record in games:
        game = Game.from_record(record)
        site = record.data.get("hanablive")
        extras = None if site is None else own_extras(site, game.deck)
        report = AnalysisReport(game, analyze(game, time_limit=arguments.time_limit), extras)
        reports.append(report)
        if arguments.json:
            print_json(report.to_dict(explain=arguments.explain))
        else:
            print(f"{record.place}: {_score(game)}")
            _print_report(report, explain=arguments.explain)
    if len(reports) > 1 and not arguments.json:
        print(summarize(reports))


def _score(game: Game) -> str:
    """Describe how a game ended, or that it did not."""
    if game.is_over or not game.actions:
        return f"score {game.score} of {game.rules.max_score}"
    turns = f"{game.turn} turn{'s' * (game.turn != 1)}"
    return f"unfinished, {game.score} of {game.rules.max_score} points after {turns}"


def _print_report(report: AnalysisReport, *, explain: bool) -> None:
    analysis = report.analysis
    last = [analysis.start, *analysis.turns][-1]
    if analysis.lost_at == 0:
        print("the deck could not be won")
    elif last.winnable:
        print("the maximum was in reach to the end")
    elif analysis.lost_at is None:
        certain = [turn for turn, one in enumerate(analysis.turns, 1) if one.winnable is False]
        ending = f"it was lost in turn {certain[0]} or before" if certain else "it may be lost"
        print(f"the time ran out: {ending}")
    for line in report.lines(explain=explain):
        print(line)
    row = " ".join(describe_range(turn) for turn in (analysis.start, *analysis.turns))
    print(f"best reachable score at the start and after each turn: {row}")


COMMANDS = {
    "analyze": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
