"""What the inputs are thrown at, and what must then hold."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from hanabilab import Deck, Game, Rules, preset
from hanabilab.cli import main
from hanabilab.cli.winnable import read_players
from hanabilab.errors import HanabiError
from hanabilab.formats.action import Action
from hanabilab.formats.deck_text import read_counts, read_deck, read_sequence
from hanabilab.formats.game_files import read_games
from hanabilab.formats.hanablive.encoding import read_link
from hanabilab.lab.search_space import parse_space
from hanabilab.lab.sweep import read_axes, read_values
from hanabilab.strategies import STRATEGIES, find_strategy
from hanabilab.web.game_requests import parse_pasted_game
from hanabilab.web.schema import parse_object
from tests.forked import run_main
from tests.fuzz.inputs import Command, commands, decks, games, objects, rule_changes, words

__all__ = ["COMMAND_LINE", "TARGETS", "Target", "warm_up"]

CLASSIC = preset("classic", 2)
CPU_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Target:
    """A function that takes any input, and the inputs."""

    check: Callable[[Any], None]
    inputs: st.SearchStrategy[Any]


def parser(parse: Callable[[Any], object], inputs: st.SearchStrategy[Any]) -> Target:
    """Demand that a parser return something, or raise an error of ours."""

    def check(value: object) -> None:
        with contextlib.suppress(HanabiError):
            parse(value)

    return Target(check, inputs)


def check_command(command: Command) -> None:
    """Demand exit code 0, or exit code 2 and one line, within limits of time and memory."""
    arguments, stdin = command
    with tempfile.TemporaryDirectory() as folder:
        ended = run_main(arguments, stdin=stdin, cpu_seconds=CPU_SECONDS, folder=Path(folder))
    assert ended.code in (0, 2), ended
    assert "Traceback" not in ended.err, ended.err
    assert "not enough memory" not in ended.err, ended.err
    if ended.code == 2:
        assert ended.err.startswith("hanabilab"), ended.err
        assert ended.err.count("\n") == 1, ended.err


TARGETS = {
    "games": parser(lambda text: [Game.from_record(record) for record in read_games(text)], games),
    "pasted games": parser(parse_pasted_game, games),
    "messages": parser(parse_object, games),
    "decks": parser(lambda text: read_deck(text, CLASSIC, any_deck=len(text) % 2 == 0), decks),
    "seeds": parser(Deck.from_seed, decks),
    "links": parser(read_link, games | words),
    "rules": parser(Rules.from_dict, objects),
    "changed rules": parser(lambda changes: CLASSIC.replace(**changes), rule_changes),
    "actions in words": parser(lambda text: Action.from_text(text, CLASSIC), words),
    "actions": parser(lambda data: Action.from_dict(data, CLASSIC), objects),
    "counts": parser(read_counts, words),
    "sequences": parser(read_sequence, words),
    "strategies": parser(find_strategy, words),
    "values": parser(read_values, words),
    "axes": parser(lambda text: read_axes(STRATEGIES["rule-based"], {"hint-rule": text}), words),
    "spaces": parser(
        lambda text: parse_space(STRATEGIES["rule-based"], {"play-threshold": text}), words
    ),
    "players": parser(read_players, words),
}
COMMAND_LINE = Target(check_command, commands())


@functools.cache
def warm_up() -> None:
    """Load the machine code once, so that no child has to."""
    with contextlib.redirect_stdout(None):
        main(["simulate", "random", "--games", "2", "--threads", "1"])
        main(["solve", "--players", "2", "--seed", "1", "--game", "127", "--best"])
        main(["winnable", "--players", "2", "--decks", "2"])
