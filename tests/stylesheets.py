"""Check stylesheets: blocks that are not closed, invalid rules, repeated rules, unknown variables.

`make check` runs this module, and exits with 1 if it finds a fault::

    python -m tests.stylesheets src
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tinycss2

VARIABLE = re.compile(r"var\(\s*(--[\w-]+)")
DEFINED = re.compile(r"(--[\w-]+)\s*:")


def faults(text: str, defined: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield what is wrong with a stylesheet; `defined` are variables of other sheets."""
    rules = tinycss2.parse_stylesheet(text)
    yield from _unclosed(text)
    yield from _invalid(rules)
    yield from _repeated(rules)
    known = defined | set(DEFINED.findall(text))
    for number, line in enumerate(text.splitlines(), 1):
        for name in VARIABLE.findall(line):
            if name not in known:
                yield f"{number}: {name} is not defined"


def _unclosed(text: str) -> Iterator[str]:
    """Yield the last block if it is still open at the end: browsers close it silently."""
    nodes = tinycss2.parse_component_value_list(text)
    written = tinycss2.serialize(nodes)  # with every block closed
    if written != text and written.startswith(text.rstrip()):
        blocks = [node.source_line for node in nodes if hasattr(node, "content")]
        yield f"{blocks[-1]}: this block is not closed"


def _invalid(rules: Sequence[Any]) -> Iterator[str]:
    """Yield each rule and declaration that a browser would ignore."""
    for rule in rules:
        if rule.type == "error":
            yield f"{rule.source_line}: {rule.message}"
        elif getattr(rule, "content", None) is not None:
            yield from _invalid(_parts(rule))


def _parts(rule: Any) -> list[Any]:
    """Return the declarations and rules inside a rule."""
    parts: list[Any] = tinycss2.parse_blocks_contents(
        rule.content, skip_comments=True, skip_whitespace=True
    )
    return parts


def _repeated(rules: Sequence[Any]) -> Iterator[str]:
    """Yield each rule that is the same, selector and declarations, as an earlier one beside it."""
    seen: dict[str, int] = {}
    for rule in rules:
        if rule.type not in ("qualified-rule", "at-rule") or rule.content is None:
            continue
        text = " ".join(tinycss2.serialize([rule]).split())
        if text in seen:
            yield f"{rule.source_line}: the same rule is on line {seen[text]}"
        seen.setdefault(text, rule.source_line)
        if rule.type == "at-rule":
            yield from _repeated(_parts(rule))


def check(folder: Path) -> list[str]:
    """Return the faults of all stylesheets below a folder."""
    sheets = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.css"))}
    others = (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.js")))
    defined = frozenset(DEFINED.findall("\n".join([*sheets.values(), *others])))
    return [f"{path}:{fault}" for path, text in sheets.items() for fault in faults(text, defined)]


def main() -> int:
    """Print the faults of the stylesheets in the folders of the command line."""
    found = [fault for folder in sys.argv[1:] for fault in check(Path(folder))]
    print("\n".join(found) or "stylesheets: no faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
