"""Imports point one way only: a module may use what stands below it, never what is above.

cli   web   envs   papers        what people touch
   \\   |    |    /
        lab                      many games
         |
     strategies     formats   solver
           \\          |       /
                game             what Hanabi is
                 |
                core             no Hanabi word in here

theory                           exact counting, imports nothing but errors
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import hanabilab
from hanabilab.core.native import ROOMS

PACKAGE = Path(hanabilab.__file__).parent

GAME = {"errors", "core", "game"}
LAB = GAME | {"formats", "solver", "strategies", "lab"}
EVERYTHING = LAB | {"theory", "cli", "web", "envs", "papers", "hanabilab"}
MAY_IMPORT = {
    "errors": set[str](),
    "core": {"errors", "core"},
    "game": GAME,
    "formats": GAME | {"formats"},
    "solver": GAME | {"solver"},
    "strategies": GAME | {"strategies"},
    "lab": LAB,
    "theory": {"errors", "theory"},
    **dict.fromkeys(("cli", "web", "envs", "papers", "__main__", "__init__"), EVERYTHING),
}


def imported(source: Path, package: Path) -> Iterator[tuple[int, str]]:
    """The lines of all imports, wherever in the file, with the module's full name."""
    folder = ["hanabilab", *source.relative_to(package).parts[:-1]]
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join([*start, *filter(None, [node.module])])
            for name in node.names:
                yield node.lineno, f"{module}.{name.name}"


def upward_imports(package: Path) -> list[str]:
    """Every import that the layers do not allow."""
    wrong = []
    for source in sorted(package.rglob("*.py")):
        place = source.relative_to(package)
        layer = place.parts[0].removesuffix(".py")
        for line, module in imported(source, package):
            parts = module.split(".")
            if parts[0] != "hanabilab":
                continue
            target = parts[1] if parts[1] in MAY_IMPORT else "hanabilab"
            if target not in MAY_IMPORT.get(layer, set()):
                wrong.append(f"{place}:{line} imports {module}")
    return wrong


def test_no_import_points_upwards() -> None:
    assert upward_imports(PACKAGE) == []


def test_every_folder_has_its_layer() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders <= MAY_IMPORT.keys()


def test_the_digest_covers_all_that_kernels_use() -> None:
    """Kernels and the constants they take in stand in the rooms whose sources name the cache."""
    for source in PACKAGE.rglob("*.py"):
        if "\n@kernel" in source.read_text(encoding="utf-8"):
            used = {
                module.split(".")[1]
                for _, module in imported(source, PACKAGE)
                if module.startswith("hanabilab.")
            }
            assert {source.relative_to(PACKAGE).parts[0], *used} <= {*ROOMS, "errors"}, source


def test_an_upward_import_would_be_found(tmp_path: Path) -> None:
    """The test itself, tried on planted imports of every form."""
    planted = {
        "core/a.py": "from hanabilab.game import rules",
        "game/b.py": "def f():\n    import hanabilab.lab.table",
        "game/c.py": "from ..formats.text import read_deck",
        "formats/d.py": "from hanabilab import strategies",
        "strategies/e.py": "from hanabilab.solver.open_game import solve",
        "strategies/f.py": "if TYPE_CHECKING:\n    from hanabilab import Game",
        "lab/g.py": "from .. import cli",
        "theory/h.py": "import hanabilab.game.rules as rules",
    }
    for name, text in planted.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "lab" / "fine.py").write_text("from hanabilab.strategies import STRATEGIES")
    found = {line.split(":")[0] for line in upward_imports(tmp_path)}
    assert found == planted.keys()
