"""Import users' files and modules, once in a process, with errors of one line."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from hanabilab.checks import did_you_mean
from hanabilab.errors import StrategyError

__all__ = ["attribute", "digest_beside", "import_file", "import_named", "module_name"]


def module_name(path: Path) -> str:
    """Return the name of the module that a file becomes: the same in every process."""
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
    return f"hanabilab_player_{path.stem}_{place}"


def import_file(place: str) -> ModuleType:
    """Import a file, or return the module that it has become already.

    It can import what stands beside it, unless that has the name of something installed.
    """
    path = Path(place).expanduser()
    if not path.is_file():
        near = sorted(each.name for each in path.parent.glob("*.py"))
        raise StrategyError(f"no such file: {place}{did_you_mean(path.name, near)}")
    name = module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's code raises
        del sys.modules[name]
        raise StrategyError(_why_not_imported(place, path, error)) from error
    return module


def digest_beside(module: str) -> str:
    """Return a digest of a user's module and of all that it has imported from its folder.

    A file of results carries it, so that an edited strategy does not go on with old figures.
    """
    folder = Path(str(sys.modules[module].__file__)).resolve().parent
    files = {
        Path(found).resolve()
        for each in list(sys.modules.values())
        if (found := getattr(each, "__file__", None)) and found.endswith(".py")
    }
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_relative_to(folder) and path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def import_named(name: str, known: list[str]) -> ModuleType:
    """Import a module by its name, searching the current folder too; `known` are strategies."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            meant = did_you_mean(name, known)
            raise StrategyError(f"no strategy and no module is called {name}{meant}") from None
        raise StrategyError(_why_not_imported(name, None, error)) from error
    except (Exception, SystemExit) as error:  # whatever a user's code raises
        raise StrategyError(_why_not_imported(name, None, error)) from error


def attribute(module: ModuleType, place: str, name: str) -> object:
    """Return what a module calls by a name, which may be dotted; else say what it has."""
    found: object = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception as error:  # a module may have any __getattr__
            if not isinstance(error, AttributeError):
                raise StrategyError(f"{place}: {type(error).__name__}: {error}") from error
            own = [each for each in vars(module) if not each.startswith("_")]
            meant = did_you_mean(part, own)
            raise StrategyError(f"{place} has no {part}{meant}") from None
    return found


def _why_not_imported(place: str, path: Path | None, error: BaseException) -> str:
    """Say in one line what went wrong, with the line of the user's file."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and "importlib" not in frame.filename
    ]
    own = [each for each in frames if path and Path(each.filename) == path] or frames
    if isinstance(error, SystemExit):
        what = "it ends the program when it is imported; guard that with if __name__ == '__main__'"
    return f"{own[-1].filename}, line {own[-1].lineno}: {what}" if own else f"{place}: {what}"
