"""What the pages show: commands with their output, and Python with what it prints.

In a `console` block each `$ command` is followed by what it prints; a line `…` stands for any
number of lines, and `…` in a line for any text. Times and speeds may differ. A command without
output is not run, unless it writes a file. A `python` block followed by a `text` block prints that
text; blocks of a page build on each other. A comment before a block says that it is not run every
day, or that a command must be run first::

    <!-- slow -->            only by `make docs-check`
    <!-- not run: why -->    never
    <!-- after: hanabilab … -->
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>slow|not run|(?=after: ))[^\n]*?(?:after: (?P<before>[^\n]*) )?-->\n+)?"
    r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
VARYING = re.compile(
    r"[\d,.]+(?= (?:games/s|turns/s|decks/s|steps/s|threads|s\b|seconds\b))| +(?=speed)"
)
"""Figures that differ from run to run."""


OPTIONAL = ("torch", "datasets")
"""Libraries that pages use and that we do not install."""


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    kind: str
    text: str
    note: str = ""
    before: str = ""
    """A command that makes what the block reads."""

    @property
    def optional(self) -> list[str]:
        """The optional libraries that it imports."""
        imported = re.findall(r"^(?:import|from) (\w+)", self.text, re.MULTILINE)
        return [name for name in OPTIONAL if name in imported]


@dataclass(frozen=True)
class ShownCommand:
    """A command, the file that its output goes to, and what is shown below it."""

    line: str
    file: str
    output: str


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(m["kind"], m["text"], m["note"] or "", m["before"] or "")
        for m in BLOCK.finditer(text)
    ]


def commands_of(block: Block) -> Iterator[ShownCommand]:
    """Yield the commands of a console block."""
    for part in re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        line = line.partition("  #")[0].partition(" # ")[0]
        line, _, file = line.partition(" > ")
        yield ShownCommand(line.strip(), file.strip(), output)


def matches(shown: str, real: str) -> bool:
    """Return whether this is what is shown, but for what is left out and for times."""
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            parts = [_loosely(part) for part in line.rstrip().split("…")]
            pattern += ".*".join(parts) + r"[ ]*\n"
    return (
        re.fullmatch(pattern, real if real.endswith("\n") or not real else real + "\n") is not None
    )


def _loosely(text: str) -> str:
    """Return a pattern for a text in which times and speeds may be any."""
    pieces, end = [], 0
    for varying in VARYING.finditer(text):
        pieces += [
            re.escape(text[end : varying.start()]),
            r"[\d,.]+" if varying[0].strip() else " +",
        ]
        end = varying.end()
    return "".join([*pieces, re.escape(text[end:])])


def run_command(command: ShownCommand) -> str:
    """Run a command of ours and return what it prints; what is compiled is not of interest."""
    from hanabilab.cli import main

    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        code = main(shlex.split(command.line)[1:])
    said = "".join(
        line for line in stream.getvalue().splitlines(True) if not line.startswith("compiling ")
    )
    is_error = re.match(r"hanabilab( \w+)?: ", command.output) is not None
    assert code == (2 if is_error else 0), f"{command.line}\n{said}"
    if command.file:
        Path(command.file).write_text(said, encoding="utf-8")
        return ""
    return said


def save_files(page: Path, folder: Path) -> None:
    """Save the Python blocks of a page that begin with the name of a file."""
    for block in blocks_of(page):
        if block.kind == "python" and (name := re.match(r"# (\w+\.py)\n", block.text)):
            (folder / name[1]).write_text(block.text, encoding="utf-8")


def wrong_commands(page: Path, *, slow: bool) -> Iterator[str]:
    """Run the commands of a page whose output is shown; yield those that print something else."""
    for block in blocks_of(page):
        if block.kind != "console" or block.note == "not run" or (block.note == "slow") != slow:
            continue
        for command in commands_of(block):
            if "exec:node" in command.line and shutil.which("node") is None:
                continue
            if command.line.startswith("hanabilab ") and (command.output.strip() or command.file):
                real = run_command(command)
                if not matches(command.output, real):
                    yield f"$ {command.line}\n{real}"


def wrong_prints(page: Path, *, slow: bool) -> Iterator[str]:
    """Run the Python of a page; yield what is printed instead of what is shown."""
    blocks = blocks_of(page)
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, block in enumerate(blocks):
        if block.kind != "python" or block.note == "not run" or (block.note == "slow") > slow:
            continue
        if re.match(r"# \w+\.py\n", block.text):  # a file, for the commands
            continue
        if not all(map(find_spec, block.optional)):
            continue
        if block.before:
            run_command(ShownCommand(block.before, "", ""))
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            where = f"{page.name}, block {place}"
            lines = block.text.splitlines(keepends=True)
            linecache.cache[where] = (len(block.text), None, lines, where)  # kernels need it
            exec(compile(block.text, where, "exec"), names)
        following = blocks[place + 1] if place + 1 < len(blocks) else Block("", "")
        printed = stream.getvalue()
        if following.kind in ("text", "") and not matches(following.text, printed):
            yield f"{block.text}\nprints\n{printed}"
