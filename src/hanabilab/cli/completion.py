"""hanabilab completion: let a shell complete what is typed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hanabilab.cli.completions import Completion

SUMMARY = "Print the script that lets a shell complete commands, options and names."
EXAMPLES = """\
  hanabilab completion bash >> ~/.bashrc
  hanabilab completion zsh >> ~/.zshrc
  hanabilab completion fish > ~/.config/fish/completions/hanabilab.fish
  hanabilab completion bash "hanabilab play inf"

It completes commands, options, strategies with their options (rule-based:hint-rule=), presets,
rules, papers, and the forms of seeds. With a LINE it prints what the last word of it may become:
that is what the scripts ask.
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
    from hanabilab.cli.completions import completions, current_word

    script, in_lines = SHELLS[arguments.shell]
    if arguments.typed is None:
        print(script, end="")
        return
    found = completions(arguments.typed)
    for text in in_lines(found, current_word(arguments.typed)):
        print(text)


def _bash(found: Sequence[Completion], current: str) -> list[str]:
    """Return what comes after the last colon or equals sign, where bash begins a new word."""
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
