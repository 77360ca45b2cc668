"""Imports point one way only: a module may use the layers below it, never those above.

cli   web   live                 user interfaces
papers   envs   bench            the papers reproduced | RL interfaces | benchmarks
        lab                      experiments
        table                    one game
     strategies
   solver   formats
        game                     rules, state, views
        core                     kernels, compiler; knows no cards

theory                           exact counting, imports nothing of the above
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hanabilab
from hanabilab.core.code_cache import kernel_sources

PACKAGE = Path(hanabilab.__file__).parent

BASE = {"errors", "checks", "display"}
CORE = BASE | {"core"}
GAME = CORE | {"game"}
STRATEGIES = GAME | {"formats", "strategies"}
TABLE = STRATEGIES | {"table"}
LAB = TABLE | {"solver", "lab"}
MAY_IMPORT = {
    "errors": set[str](),
    "checks": {"errors"},
    "display": set(),
    "core": CORE,
    "game": GAME,
    "formats": GAME | {"formats"},
    "solver": GAME | {"solver"},
    "strategies": STRATEGIES | {"solver"},
    "table": TABLE,
    "lab": LAB | {"version"},
    "theory": BASE | {"theory"},
    "envs": TABLE | {"envs"},
    "papers": LAB | {"theory", "papers", "version"},
    "bench": LAB | {"envs", "bench", "version"},
    "web": LAB | {"theory", "papers", "web", "version"},
    "live": LAB | {"live", "version"},
    "cli": LAB | {"theory", "papers", "bench", "web", "live", "cli", "version"},
    "author": STRATEGIES,
    "analysis": LAB | {"papers"},
    "__init__": TABLE | {"lab", "theory", "envs", "author", "analysis"},
    "__main__": {"cli"},
}
"""What the modules of each package may import; `version` is the version number of the package."""


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
            target = "version" if parts[1] == "__version__" else parts[1]
            if target not in MAY_IMPORT.get(layer, set()):
                wrong.append(f"{place}:{line} imports {module}")
    return wrong


def test_no_import_points_upwards() -> None:
    assert upward_imports(PACKAGE) == []


def test_every_folder_has_its_layer() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders <= MAY_IMPORT.keys()


@cache
def records() -> set[str]:
    """Names of the classes of the package that derive from `Record`."""
    return {
        node.name
        for source in PACKAGE.rglob("*.py")
        if "(Record)" in (text := source.read_text(encoding="utf-8"))
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Record" for base in node.bases)
    }


def names_taken(tree: ast.Module) -> Iterator[str]:
    """Names that the kernels, records and constants of a module refer to."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
            parts: list[ast.AST] = [*node.body] if "kernel" in marks else []
        elif isinstance(node, ast.ClassDef):
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            parts = [*node.bases, *node.body] if bases & {"Record", *records()} else []
        else:
            parts = [node] if isinstance(node, ast.Assign) else []
        for part in parts:
            yield from (name.id for name in ast.walk(part) if isinstance(name, ast.Name))


def test_the_digest_covers_all_that_kernels_use() -> None:
    """Constants and records that shape machine code stand in modules that name its cache."""
    covered = kernel_sources()
    compiled_apart = {"core/clock.py", "core/invoke.py"}  # their machine code is in intrinsics.py
    missing = []
    for path, text in covered.items():
        tree = ast.parse(text)
        used = set(names_taken(tree))
        for node in tree.body:
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("hanab"):
                continue
            module = "/".join((node.module or "").split(".")[1:])
            source = f"{module}.py"
            taken = {name.name for name in node.names} & used
            shaping = {name for name in taken if name.isupper() or name in records()}
            if source not in covered and source not in compiled_apart and shaping - NOT_SHAPING:
                missing.append(f"{path} takes {sorted(shaping)} from {source}")
    assert missing == []


NOT_SHAPING = {"HANDLED", "OWN", "SWITCHES"}
"""Constants that no kernel uses: the strategies of the package, and switches of the rules."""


def test_an_upward_import_would_be_found(tmp_path: Path) -> None:
    """The test itself, tried on planted imports of every form."""
    planted = {
        "core/a.py": "from hanabilab.game import rules",
        "game/b.py": "def f():\n    import hanabilab.lab.run",
        "game/c.py": "from ..formats.deck_text import read_deck",
        "formats/d.py": "from hanabilab import strategies",
        "strategies/e.py": "from hanabilab.table.loop import Table",
        "strategies/f.py": "if TYPE_CHECKING:\n    from hanabilab import Game",
        "table/g.py": "from hanabilab.lab.run import Run",
        "lab/g.py": "from .. import cli",
        "theory/h.py": "import hanabilab.game.rules as rules",
        "web/i.py": "from hanabilab.cli.count import read_suits",
        "envs/j.py": "from hanabilab.lab.simulate import simulate",
        "papers/k.py": "from hanabilab.web.server import application",
        "bench/l.py": "from hanabilab.papers import reproduce",
        "cli/m.py": "from hanabilab import Game",
    }
    for name, text in planted.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "lab" / "fine.py").write_text("from hanabilab.strategies import STRATEGIES")
    (tmp_path / "cli" / "fine.py").write_text("from hanabilab import __version__")
    found = {line.split(":")[0] for line in upward_imports(tmp_path)}
    assert found == planted.keys()
