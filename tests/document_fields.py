"""The tables of fields in docs/how-to/writing-strategies.md, made from the source.

After a change of a record or of its words, write them anew::

    python -m tests.document_fields && git diff docs/how-to/writing-strategies.md
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from hanabilab.core.record import Record
from hanabilab.game.actions import Event
from hanabilab.game.rules_record import RulesRecord
from hanabilab.game.state import State, View
from hanabilab.strategies.strategy import (
    About,
    Memory,
    Option,
    RuleSupport,
    SearchSupport,
    Strategy,
)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "writing-strategies.md"
DOCUMENTED: tuple[type, ...] = (
    View,
    RulesRecord,
    Event,
    Memory,
    Option,
    Strategy,
    RuleSupport,
    About,
    SearchSupport,
)


def fields_of(kind: type) -> Iterator[tuple[list[str], str, str]]:
    """Yield names, declared type and words; one text may follow several names."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    names: list[str] = []
    declared = ""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
            declared = ast.unparse(node.annotation)
        elif isinstance(node, ast.Expr) and names and isinstance(node.value, ast.Constant):
            yield names, declared, " ".join(str(node.value.value).split())
            names = []
        elif names:
            break
    assert not names, f"{kind.__name__}.{names[0]} has no words"


def type_of(kind: type, name: str, declared: str) -> str:
    """Return the type of a field, with the length of an array."""
    if not issubclass(kind, Record):
        return declared.replace("|", "\\|")
    number, shape = kind.fields[name]
    if not isinstance(number, str):
        return declared
    return number + "".join(f"[{length}]" for length in shape)


def table(kind: type) -> str:
    """Return the fields of a class as Markdown."""
    lines = ["| field | type | meaning |", "| --- | --- | --- |"]
    for names, declared, words in fields_of(State if kind is View else kind):
        shown = ", ".join(f"`{name}`" for name in names)
        words = words.replace("``", "`").replace("|", "\\|")
        lines.append(f"| {shown} | `{type_of(kind, names[0], declared)}` | {words} |")
    return "\n".join(lines)


def regenerated(text: str) -> str:
    """Return the page with all tables written anew."""
    for kind in DOCUMENTED:
        start, end = f"<!-- fields of {kind.__name__} -->", f"<!-- /{kind.__name__} -->"
        pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
        assert pattern.search(text), start
        new = f"{start}\n\n{table(kind)}\n\n{end}"
        text = pattern.sub(lambda match, new=new: new, text)  # type: ignore[misc]  # bound at once
    return text


if __name__ == "__main__":
    PAGE.write_text(regenerated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
