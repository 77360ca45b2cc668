"""What is thrown: texts and numbers that come close to sense, and some that make none."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from hanabilab import Game
from hanabilab.cli import COMMANDS, build_parser
from hanabilab.formats.game_files import game_lines
from hanabilab.game.rules import PRESETS, Rules

__all__ = ["Command", "commands", "decks", "games", "objects", "rule_changes", "words"]

Command = tuple[list[str], bytes]
"""Arguments, and what standard input holds."""

HUGE = ["9" * 5000, "1" + "0" * 40, str(1 << 62), str(1 << 63), "-" + "9" * 30]
ODD_NUMBERS = ["", "-", "-1", "0", "٣", "1_0", "0x1", "1e3", "1e999999", "nan", "inf", "-inf", "½"]
NAMES = ["classic", "thesis", "cox", "open", "rainbow-dutch", "No Variant", "White (5 Suits)"]
CARDS = ["r1", "r1", "y2", "g3", "b4", "w5", "m1", "p5", "x9", "r", "r0", "r6", "1", "5", ",", "/"]
SEEDS = ["p2v0s1", "p3v1s17", "p0v0s1", "p2v99999s1", "p2v0s", "p" + "9" * 5000 + "v0s1"]
ACTIONS = ["play 0", "discard 1", "hint 1 r", "hint 1 1", "pass", "play 99", "hint 0 r", "play"]

numbers = st.one_of(
    st.integers(-2, 12).map(str), st.sampled_from(ODD_NUMBERS), st.sampled_from(HUGE)
)
texts = st.text(max_size=12)
decks = st.one_of(
    st.lists(st.sampled_from(CARDS), max_size=60).map(" ".join),
    st.sampled_from(SEEDS),
    st.integers(0, 99).map(lambda seed: str(Game(players=2, seed=seed).deck)),
    texts,
)


def played_game(preset: str, players: int, seed: int, turns: int) -> dict[str, Any]:
    """A game of some legal turns, as data."""
    game = Game(preset, players=players, seed=seed)
    for turn in range(turns):
        legal = game.legal_actions()
        if legal:
            game.act(legal[(seed + 7 * turn) % len(legal)])
    return game.to_dict()


good_games = st.builds(
    played_game,
    st.sampled_from([*PRESETS]),
    st.integers(2, 5),
    st.integers(0, 1000),
    st.integers(0, 12),
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.integers(), st.floats(), texts, numbers
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from([*Rules.about, "preset", "name", "self", "", "copies", "players"])
rule_changes = st.dictionaries(fields, values, max_size=4)
"""Changes of rules as an object has them."""
objects = st.one_of(
    rule_changes,
    st.fixed_dictionaries(
        {"type": st.sampled_from(["play", "discard", "hint_suit", "hint_rank", "pass", "x"])},
        optional=dict.fromkeys(["slot", "target", "value", "player"], scalars),
    ),
    values,
)


@st.composite
def changed_games(draw: st.DrawFn) -> str:
    """A game with something else in one or two places."""
    data = draw(good_games)
    for _ in range(draw(st.integers(0, 2))):
        key = draw(st.sampled_from([*data, "rules", "hanablive", "extra"]))
        within = data.get(key)
        if isinstance(within, list) and within and draw(st.booleans()):
            within[draw(st.integers(0, len(within) - 1))] = draw(values | objects)
        else:
            data[key] = draw(values | objects)
    return json.dumps(data)


NOTATIONS: list[Callable[[Game], str]] = [
    lambda game: json.dumps(game.to_dict()),
    lambda game: "\n".join(game_lines(game.deck, game.actions)),
    lambda game: json.dumps(game.to_hanablive()) if not game.rules.open_game else "{}",
    lambda game: game.link() if not game.rules.open_game else str(game.deck),
]


@st.composite
def cut_texts(draw: st.DrawFn) -> str:
    """A good text in one of our notations, cut short or with something in the middle."""
    game = Game.from_json(draw(good_games))
    text = draw(st.sampled_from(NOTATIONS))(game)
    place = draw(st.integers(0, len(text)))
    return (
        text[:place]
        + draw(texts | st.sampled_from(ACTIONS))
        + draw(st.sampled_from(["", text[place:]]))
    )


games = st.one_of(changed_games(), cut_texts(), decks, texts)
words = st.one_of(
    texts,
    numbers,
    decks,
    st.sampled_from([*NAMES, *SEEDS, *ACTIONS]),
    st.sampled_from(["random", "cheat", "information", "rule-based", "random:x=1", "rule-based:"]),
    st.sampled_from(
        ["0:1:0.25", "0:1:0", "1,2,4", "0:1e99:1", "1e9:2e9:1e-999", ",", "2-5", "5-2"]
    ),
    st.builds("{}={}".format, fields.map(lambda name: name.replace("_", "-")), numbers | texts),
    st.builds(
        "{}:{}={}".format,
        st.sampled_from(["rule-based", "iggi", "random", "search", "no-such"]),
        st.sampled_from(["play-threshold", "hint-rule", "safe", "rules", "blueprint", "x"]),
        numbers | texts,
    ),
)

HEAVY = {"adhoc", "check", "tune", "dataset", "leaderboard", "reproduce", "bench", "web"}
"""Commands that run for long, or serve; only their arguments are tried."""
BOUNDS = {
    "simulate": ["--games", "2", "--repeats", "1", "--analyze", "0"],
    "compare": ["--games", "2", "--repeats", "1"],
    "sweep": ["--games", "2", "--repeats", "1"],
    "crossplay": ["--games", "2"],
    "solve": ["--time-limit", "0.1"],
    "analyze": ["--time-limit", "0.01"],
    "winnable": ["--decks", "2", "--time-limit", "0.1"],
    "count": ["--states", "1000"],
    "pace": ["--simulate", "5"],
}
"""What keeps a command short, whatever was asked before."""
WARM = ["random", "random", "random:", "random:x=1", "no-such", "", "rule-based:x", "mine.py:act"]
COMPILED = dict.fromkeys(("simulate", "compare", "sweep", "crossplay"), WARM)
"""Commands that compile what they play: only `random` is warm."""
FILES = [*["-"] * 9, "x.csv", "x.jsonl", "x", "", "missing/x.csv", "/dev/full", "/", "x.doc"]


UNASKED = {"help", "traceback", "cluster"}


def _actions() -> dict[str, list[argparse.Action]]:
    parser = build_parser()
    (group,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return {
        name: [a for a in group.choices[name]._actions if a.dest not in UNASKED]
        for name in COMMANDS
    }


ACTIONS_OF = _actions()
SMALL_NUMBERS = st.integers(1, 6).map(str)


def _fitting(command: str, action: argparse.Action) -> st.SearchStrategy[str]:
    """What makes sense for an argument, or almost."""
    match action.dest:
        case "strategy" | "strategies":
            return st.sampled_from(COMPILED.get(command, ["random", "cheat", "information"]))
        case "counts":
            return SMALL_NUMBERS | st.just("/")
        case "cards":
            return st.sampled_from(CARDS)
        case "rules" | "preset":
            return st.sampled_from(NAMES)
        case "set_rule":
            name = st.sampled_from([*Rules.about]).map(lambda name: name.replace("_", "-"))
            value = SMALL_NUMBERS | st.sampled_from(["yes", "no", "unlimited", "62", "1,1,1"])
            return st.builds("{}={}".format, name, value)
        case "vary" | "set":
            name = st.sampled_from(["hint-rule", "safe", "play-threshold", "x", "games", ""])
            values = SMALL_NUMBERS | st.sampled_from(["1,2", "0:1:0.5", "yes,no", "0.4:0.8", ""])
            return st.builds("{}={}".format, name, values)
        case "deck" | "seed" if action.type is None:
            return decks
        case "file" | "input" | "save" | "game_file":
            return st.sampled_from(FILES)
        case "format":
            return st.sampled_from(["json", "hanablive", "link", "text"])
    return SMALL_NUMBERS if action.type is not None else words


def _value(command: str, action: argparse.Action) -> st.SearchStrategy[str]:
    """What is given for an argument: anything once in a while."""
    if action.dest == "plot":  # drawing takes a second
        return st.sampled_from(["x.doc", "", "x"])
    fitting = _fitting(command, action)
    named = command in COMPILED and action.dest in ("strategy", "strategies")
    if named or action.dest in ("counts", "cards"):
        return fitting
    return st.integers(0, 9).flatmap(lambda number: fitting if number else words)


@st.composite
def commands(draw: st.DrawFn) -> Command:
    """Arguments of a command, most of them almost right, and something to read."""
    command = draw(st.sampled_from(COMMANDS))
    arguments = [command]
    positional = [a for a in ACTIONS_OF[command] if not a.option_strings]
    optional = [a for a in ACTIONS_OF[command] if a.option_strings]
    for action in positional:
        most = {None: 1, "?": 1}.get(action.nargs if isinstance(action.nargs, str) else None, 5)
        least = 0 if action.nargs in ("?", "*") else 1
        arguments += draw(st.lists(_value(command, action), min_size=least, max_size=most))
    for action in draw(
        st.lists(st.sampled_from(optional), max_size=4) if optional else st.just([])
    ):
        flag = draw(st.sampled_from(action.option_strings))
        takes = action.nargs != 0
        arguments.append(f"{flag}={draw(_value(command, action))}" if takes else flag)
    arguments += BOUNDS.get(command, [])
    if command in HEAVY:
        arguments.append("--no-such-option")
    return arguments, draw(games).encode("utf-8", "surrogatepass")
