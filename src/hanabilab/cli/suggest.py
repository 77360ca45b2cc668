"""Suggestions for unknown options and commands.

Names from earlier versions are answered with the new ones, options of strategies with the correct
syntax, and terms of other tools with ours.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hanabilab.checks import did_you_mean, shorten

if TYPE_CHECKING:
    from hanabilab.strategies.strategy import Strategy

__all__ = ["RENAMED_COMMANDS", "RENAMED_OPTIONS", "explain_command", "explain_unknown"]

RENAMED_COMMANDS = {"results": "leaderboard", "serve": "engine"}
"""Old names of commands and the new ones."""
OTHER_COMMANDS = {
    "arena": "compare",
    "benchmark": "bench",
    "evaluate": "simulate",
    "init": "web",
    "list": "strategies",
    "optimize": "tune",
    "run": "simulate",
    "show": "strategies",
    "start": "web",
    "study": "tune",
    "test": "check",
    "tournament": "crossplay",
    "version": "--version",
    "watch": "play",
}
"""Commands of other tools and ours."""
RENAMED_OPTIONS = {"--rule": "--set-rule"}
"""Old names of options and the new ones."""
SWITCHED_OFF = {
    "any-touch": ("good-touch",),
    "blind-trust": ("trust",),
    "free-plays": ("bind-plays",),
    "no-chops": ("watch-chops",),
    "no-warnings": ("scream-discards", "warn"),
    "only-now": ("delayed",),
    "plain-discards": ("coded-discards",),
    "risky": ("safe",),
}
"""Flags of earlier versions that switched off an option of a strategy, besides `--no-OPTION`."""
FORMAT_WORDS = ("--json", "--format")
SIZE_WORDS = ("--budget", "--games", "--decks", "--count")
FILE_WORDS = ("--save", "--out", "--plot")
OTHER_WORDS = {
    "-g": ("--games",),
    "-j": ("--threads",),
    "-n": SIZE_WORDS,
    "-o": FILE_WORDS,
    "-p": ("--players", "--port"),
    "-s": ("--seed",),
    "-t": ("--threads",),
    "-v": ("--explain", "--traceback"),
    "--csv": FILE_WORDS,
    "--decks": ("--games",),
    "--directory": FILE_WORDS,
    "--episodes": SIZE_WORDS,
    "--file": FILE_WORDS,
    "--fix": ("--set",),
    "--folder": FILE_WORDS,
    "--grid": ("--vary",),
    "--direction": ("--objective",),
    "--metric": ("--objective",),
    "--n": SIZE_WORDS,
    "--n-games": SIZE_WORDS[1:],
    "--n-jobs": ("--threads",),
    "--n-trials": SIZE_WORDS,
    "--num-games": SIZE_WORDS[1:],
    "--num-players": ("--players",),
    "--option": ("--set", "--vary"),
    "--output": FILE_WORDS,
    "--output-format": FORMAT_WORDS,
    "--param": ("--vary",),
    "--parallel": ("--threads",),
    "--preset": ("--rules",),
    "--processes": ("--threads",),
    "--random-seed": ("--seed",),
    "--random-state": ("--seed",),
    "--samples": SIZE_WORDS,
    "--storage": FILE_WORDS,
    "--study-name": FILE_WORDS,
    "--timeout": ("--time-limit", "--seconds"),
    "--trials": SIZE_WORDS,
    "--variant": ("--rules",),
    "--verbose": ("--explain", "--traceback"),
    "--workers": ("--threads",),
}
"""Options of other tools and our equivalents."""
SETTINGS = ("--set", "--vary", "--set-rule")
"""Options that take NAME=VALUE."""
PLAYER_WORDS = ("agent", "agents", "bot", "bots", "policy", "strategies", "strategy")
"""Options of other tools for what we take as a positional strategy."""
CLOSE = 0.7
"""The minimum similarity of a suggestion, from 0 to 1."""


class Named(NamedTuple):
    """A strategy named on the command line."""

    text: str
    strategy: Strategy

    def with_option(self, name: str, value: str) -> str:
        """Return the strategy with one more option, as typed."""
        start = self.strategy.location or self.strategy.name
        has_options = self.text.startswith(f"{start}:") and self.text != f"{start}:"
        return f"{self.text}{',' if has_options else ':'}{name}={value}"


class Flag(NamedTuple):
    """An unknown option and the word after it."""

    text: str
    value: str

    @property
    def word(self) -> str:
        """The name without leading hyphens, as an option of a strategy is spelled."""
        return self.text.lstrip("-").replace("_", "-")


def explain_command(word: str, known: Iterable[str]) -> str:
    """Return the answer to a command that is unknown or was renamed."""
    if new := RENAMED_COMMANDS.get(word):
        return f"the command {word} is now called {new}"
    if ours := OTHER_COMMANDS.get(word):
        return f"unknown command {shorten(word)}; did you mean {ours}?"
    return f"unknown command {shorten(word)}{did_you_mean(word, known)}"


def explain_unknown(
    unknown: Sequence[str], arguments: Sequence[str], known: Collection[str]
) -> str:
    """Return what is wrong with arguments that a parser with `known` options rejected."""
    from hanabilab.strategies.load import players_in

    named = [Named(text, strategy) for text, strategy in players_in(arguments).items()]
    flag = _first_flag(unknown, arguments, [each.text for each in named])
    if flag is None:
        return f"unexpected argument: {' '.join(unknown)}{_missing_equals(unknown[0], arguments)}"
    return f"unknown option {flag.text}{_advice(flag, named, known)}"


def _missing_equals(word: str, arguments: Sequence[str]) -> str:
    """Return the correction of `--vary hint-rule 1,2`."""
    place = list(arguments).index(word)
    before = arguments[max(0, place - 2) : place]
    if len(before) == 2 and before[0] in SETTINGS and "=" not in before[1]:
        return f"; write {before[0]} {before[1]}={word}"
    return ""


def _first_flag(
    unknown: Sequence[str], arguments: Sequence[str], named: Collection[str]
) -> Flag | None:
    """Return the first unknown option, with the word after it unless that is a strategy."""
    text = next((each for each in unknown if each.startswith("-") and each.strip("-")), None)
    if text is None:
        return None
    name, equals, value = text.partition("=")
    if not equals:
        value = next(iter(arguments[arguments.index(text) + 1 :]), "")
    return Flag(name, "" if value.startswith("--") or value in named else value)


def _advice(flag: Flag, named: Sequence[Named], known: Collection[str]) -> str:
    new = RENAMED_OPTIONS.get(flag.text)
    if new in known:
        return f"; it is now called {new}"
    if advice := _as_strategy_option(flag, named, known) or _as_rule(flag, known):
        return f"; {advice}"
    if flag.word in PLAYER_WORDS and named:
        return f"; strategies are written without an option: {named[0].text}"
    for ours in OTHER_WORDS.get(flag.text, ()):
        if ours in known:
            return f"; did you mean {ours}?"
    return _nearest(flag, named, known)


def _as_rule(flag: Flag, known: Collection[str]) -> str | None:
    """Return how to change a rule that was given as an option."""
    from hanabilab.game.rules import Rules

    if "--set-rule" not in known or flag.word.replace("-", "_") not in Rules.about:
        return None
    return f"write --set-rule {flag.word}={flag.value or 'VALUE'}"


def _as_strategy_option(flag: Flag, named: Sequence[Named], known: Collection[str]) -> str | None:
    """Return the present syntax for an earlier flag that set an option of a strategy."""
    from hanabilab.strategies import OWN

    if named and flag.text in ("--set", "--option", "--param", "-o", "-O") and "=" in flag.value:
        name, _, value = flag.value.partition("=")
        return f"write {named[0].with_option(name, value)}"
    for each in named:
        if setting := _setting(flag, each.strategy):
            return f"write {_written(each, *setting, known)}"
    for strategy in OWN:
        if setting := _setting(flag, strategy):
            others = " and ".join(each.strategy.name for each in named)
            missing = f"; {others} has no such option" if others else ""
            return f"it is an option of {strategy.name}, written {strategy.name}:" + (
                f"{setting[0]}={setting[1]}{missing}"
            )
    return None


def _written(named: Named, name: str, value: str, known: Collection[str]) -> str:
    if "--vary" in known and any(letter in value for letter in ",:"):
        return f"--vary {name}={value}"
    return named.with_option(name, value)


def _setting(flag: Flag, strategy: Strategy) -> tuple[str, str] | None:
    """Return the option and the value of a flag, if the strategy has that option."""
    from hanabilab.strategies.strategy import RENAMED_OPTIONS as RENAMED
    from hanabilab.strategies.strategy import option_word

    words = {option_word(name): option for name, option in strategy.options.items()}
    name = RENAMED.get(flag.word, flag.word)
    if name in words:
        return name, flag.value or ("yes" if isinstance(words[name].default, bool) else "VALUE")
    meant = SWITCHED_OFF.get(flag.word, (flag.word.removeprefix("no-"),))
    off = next((each for each in meant if each in words), None)
    return (off, "no") if off else None


def _nearest(flag: Flag, named: Sequence[Named], known: Collection[str]) -> str:
    """Return the most similarly spelled option of the command or of a strategy."""
    from hanabilab.strategies.strategy import option_word

    written = {text[2:]: text for text in known if text.startswith("--")}
    for each in named:
        for name in map(option_word, each.strategy.options):
            written.setdefault(name, _written(each, name, flag.value or "VALUE", known))
    close = difflib.get_close_matches(flag.word, written, 1, CLOSE)
    meant = f"; did you mean {written[close[0]]}?" if close else ""
    return meant or _commands_with(flag.text)


def _commands_with(flag: str) -> str:
    """Return the commands that have an option, if any."""
    from hanabilab.cli import build_parser

    parsers = build_parser().commands.items()
    found = [name for name, parser in parsers if flag in parser._option_string_actions]
    return f"; it is an option of {', '.join(found)}" if found else ""
