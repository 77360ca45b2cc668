"""hanabilab completion: shell completion."""

from __future__ import annotations

import argparse
import contextlib
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hanabilab.cli.parser import Command
from hanabilab.errors import HanabiError

if TYPE_CHECKING:
    from hanabilab.cli.parser import CommandParser
    from hanabilab.strategies.strategy import Option

__all__ = ["Completion", "completions", "current_word"]


SUMMARY = "Print the script that lets a shell complete commands, options and names."
EXAMPLES = """\
  hanabilab completion bash >> ~/.bashrc
  hanabilab completion zsh >> ~/.zshrc
  hanabilab completion fish > ~/.config/fish/completions/hanabilab.fish
  hanabilab completion bash "hanabilab play inf"

It completes commands, options, strategies with their options (rule-based:hint-rule=), presets,
rules (--set-rule lives=), papers, and the forms of seeds. With a LINE it prints what the last word
of it may become: that is what the scripts ask.
"""

BASH = """\
_hanabilab() {
    local IFS=$'\\n'
    COMPREPLY=($(hanabilab completion bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} =~ ([=:]|v0s)$ ]] && compopt -o nospace
}
complete -o default -F _hanabilab hanabilab
"""

ZSH = """\
#compdef hanabilab
_hanabilab() {
    local line="${(j: :)${(@)words[1,CURRENT]}}"
    local -a found=("${(@f)$(hanabilab completion zsh "$line" 2>/dev/null)}")
    found=(${found:#})
    if (( $#found )); then
        _describe hanabilab found
    else
        _files
    fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _hanabilab hanabilab
"""

FISH = """\
function __hanabilab_complete
    set --local line (commandline --current-process --cut-at-cursor)
    set --local found (hanabilab completion fish "$line" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline --current-token)
    end
end
complete --command hanabilab --no-files --arguments '(__hanabilab_complete)'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help="whose script: bash, zsh or fish"
    )
    parser.add_argument(
        "typed", nargs="?", metavar="LINE", help="print what the last word of this may become"
    )


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.completion import completions, current_word

    script, in_lines = SHELLS[arguments.shell]
    if arguments.typed is None:
        print(script, end="")
        return
    found = completions(arguments.typed)
    for text in in_lines(found, current_word(arguments.typed)):
        print(text)


def _bash(found: Sequence[Completion], current: str) -> list[str]:
    """Return the part after the last colon or equals sign, where bash begins a new word."""
    kept = max(current.rfind(":"), current.rfind("=")) + 1
    return [each.text[kept:] for each in found]


def _zsh(found: Sequence[Completion], current: str) -> list[str]:
    return [f"{each.text.replace(':', chr(92) + ':')}:{each.about}" for each in found]


def _fish(found: Sequence[Completion], current: str) -> list[str]:
    return [f"{each.text}\t{each.about}" for each in found]


SHELLS: dict[str, tuple[str, Callable[[Sequence[Completion], str], list[str]]]] = {
    "bash": (BASH, _bash),
    "zsh": (ZSH, _zsh),
    "fish": (FISH, _fish),
}


class Completion(NamedTuple):
    """A possible next word and its meaning."""

    text: str
    about: str = ""


def completions(line: str) -> list[Completion]:
    """Return the completions of the last word of a command line, up to the cursor."""
    words, current = _words(line)
    with contextlib.suppress(HanabiError):
        return [each for each in _possible(words[1:], current) if each.text.startswith(current)]
    return []


def current_word(line: str) -> str:
    """Return the word that is being typed."""
    return _words(line)[1]


def _words(line: str) -> tuple[list[str], str]:
    """Return the words before the last one, and the last one, which is empty after a space."""
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation that is still open
        words = line.split()
    return (words, "") if not words or line[-1].isspace() else (words[:-1], words[-1])


def _possible(words: Sequence[str], current: str) -> Iterable[Completion]:
    from hanabilab.cli import COMMANDS, build_parser

    if not words:
        return [*_commands(), Completion("--help"), Completion("--version")]
    if words[0] not in COMMANDS:
        return []
    parser = build_parser(words[:1]).commands[words[0]]
    flag, equals, value = current.partition("=")
    if equals and (action := _taking_value(parser, flag)):
        found = _values(action, value, words[1:])
        return (Completion(f"{flag}={text}", about) for text, about in found)
    if len(words) > 1 and (action := _taking_value(parser, words[-1])):
        return _values(action, current, words[1:])
    if current.startswith("-"):
        return _flags(parser)
    place = _next_place(parser, words[1:])
    return _values(place, current, words[1:]) if place else []


def _commands() -> Iterator[Completion]:
    from hanabilab.cli import COMMANDS, find_command

    return (Completion(name, find_command(name).summary) for name in COMMANDS)


def _taking_value(parser: CommandParser, flag: str) -> argparse.Action | None:
    found = (action for action in parser.actions() if flag in action.option_strings)
    return next((action for action in found if action.nargs != 0), None)


def _flags(parser: CommandParser) -> Iterator[Completion]:
    for action in parser.actions():
        for flag in action.option_strings:
            if flag.startswith("--"):
                yield Completion(flag, parser.help_text(action))


def _next_place(parser: CommandParser, words: Sequence[str]) -> argparse.Action | None:
    """Return the positional argument that the next word is for."""
    places = [action for action in parser.actions() if not action.option_strings]
    given = 0
    for before, word in zip(["", *words], words, strict=False):
        given += not word.startswith("-") and _taking_value(parser, before) is None
    for place in places:
        if place.nargs in ("+", "*") or given == 0:
            return place
        given -= 1
    return None


def _values(action: argparse.Action, current: str, words: Sequence[str]) -> Iterable[Completion]:
    """Return the values of an argument, if they can be listed."""
    if action.choices is not None:
        return map(Completion, map(str, action.choices))
    kind = str(action.metavar)
    if kind.startswith("OPTION="):
        return _options_of(words, current)
    known = next((VALUES[flag] for flag in action.option_strings if flag in VALUES), None)
    if known := known or VALUES.get(kind):
        return known(current)
    return map(Completion, kind.split("|")) if "|" in kind else []


def _strategies(current: str) -> Iterator[Completion]:
    """Yield the names of strategies, or after a colon the options of the named strategy."""
    from hanabilab.strategies import known_strategies
    from hanabilab.strategies.load import players_in

    name, colon, options = current.rpartition(":")
    if not colon:
        yield from (Completion(each.name, each.summary) for each in known_strategies()[0].values())
    for strategy in players_in([name]).values():
        before, comma, last = options.rpartition(",")
        start = f"{name}:{before}{comma}"
        for text, about in _settings(strategy.options, last):
            yield Completion(start + text, about)


def _options_of(words: Sequence[str], current: str) -> Iterator[Completion]:
    """Yield the options of the strategy that the command line names."""
    from hanabilab.strategies.load import players_in

    for strategy in players_in(words).values():
        yield from _settings(strategy.options, current)


def _settings(options: Mapping[str, Option], current: str) -> Iterator[Completion]:
    """Yield the options of a strategy as `name=`, or the values of the named option."""
    name, equals, _ = current.partition("=")
    for key, option in options.items():
        flag = key.replace("_", "-")
        if not equals:
            yield Completion(f"{flag}=", f"{option.help}; default {option.default}")
        elif flag == name:
            values = option.choices or (["yes", "no"] if isinstance(option.default, bool) else [])
            yield from (Completion(f"{flag}={value}") for value in values)


def _presets(current: str) -> Iterator[Completion]:
    from hanabilab.game.rules import PRESETS

    return (Completion(name, preset.source) for name, preset in PRESETS.items())


def _rules(current: str) -> Iterator[Completion]:
    from hanabilab.game.rules import Rules

    name, equals, _ = current.partition("=")
    switches = {key for key in Rules.about if isinstance(getattr(Rules.classic(2), key), bool)}
    for key, words in Rules.about.items():
        flag = key.replace("_", "-")
        if not equals:
            yield Completion(f"{flag}=", words)
        elif flag == name and key in switches:
            yield from (Completion(f"{flag}={value}") for value in ("yes", "no"))


def _decks(current: str) -> Iterator[Completion]:
    from hanabilab.game.deck import PLAYERS

    about = "a hanab.live seed: p<players>v<variant>s<any text>"
    return (Completion(f"p{players}v0s", about) for players in PLAYERS)


def _seeds(current: str) -> Iterator[Completion]:
    about = "an integer: the same seed deals the same decks"
    return (Completion(seed, about) for seed in ("0", "1", "2"))


def _papers(current: str) -> Iterator[Completion]:
    from hanabilab.papers.reproduction import PAPERS, title_of

    yield from (Completion(paper, title_of(paper)) for paper in PAPERS)
    yield Completion("all")


def _tables(current: str) -> Iterator[Completion]:
    from hanabilab.papers.reproduction import select_tables

    return (Completion(table.id, table.title) for table in select_tables())


def _subjects(current: str) -> Iterator[Completion]:
    from hanabilab.cli.bench import SUBJECTS

    return map(Completion, SUBJECTS)


VALUES: dict[str, Callable[[str], Iterable[Completion]]] = {
    "--seed": _seeds,
    "CARDS": _decks,
    "ID": _tables,
    "IN": _decks,
    "PAPER": _papers,
    "PRESET": _presets,
    "RULE=VALUE": _rules,
    "SEED": _decks,
    "STRATEGY": _strategies,
    "SUBJECT": _subjects,
}
"""Functions that list the values of an argument, by its flag or its metavar."""


COMMANDS = {
    "completion": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
