"""Run programs written for HLE without changing a line.

After `install`, ``import hanabi_learning_environment`` and imports from it find the modules of this
package, whether or not HLE is installed.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from hanabilab.envs import pyhanabi
from hanabilab.envs.hle import agents, rl_env
from hanabilab.errors import HanabiError

__all__ = ["install", "main"]

PACKAGE = "hanabi_learning_environment"
USAGE = "usage: python -m hanabilab.envs.hle SCRIPT.py [ARGUMENTS]"


def install() -> None:
    """Make ``import hanabi_learning_environment`` import our modules in this process.

    This covers its modules `rl_env`, `pyhanabi`, `agents.random_agent` and `agents.simple_agent`.
    Call it before anything imports HLE itself; calling it again does nothing.
    """
    loaded = sys.modules.get(PACKAGE)
    if loaded is not None:
        if getattr(loaded, "rl_env", None) is rl_env:
            return
        raise HanabiError(f"{PACKAGE} has been imported already: call install() before that")
    ours = {
        PACKAGE: _package(PACKAGE),
        f"{PACKAGE}.rl_env": rl_env,
        f"{PACKAGE}.pyhanabi": pyhanabi,
        f"{PACKAGE}.agents": _package(f"{PACKAGE}.agents"),
        f"{PACKAGE}.agents.random_agent": agents,
        f"{PACKAGE}.agents.simple_agent": agents,
    }
    for name, module in ours.items():
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(ours[parent], child, module)


def _package(name: str) -> ModuleType:
    """Return an empty package without a search path for modules."""
    package = ModuleType(name, "Modules of hanabilab under the names of HLE.")
    package.__spec__ = ModuleSpec(name, None, is_package=True)
    package.__path__ = []
    return package


def main(arguments: Sequence[str]) -> int:
    """Run a script as Python would, with our modules in place of HLE's."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    script = Path(arguments[0])
    if not script.is_file():
        print(f"error: no file {script}; {USAGE}", file=sys.stderr)
        return 2
    install()
    sys.argv = list(arguments)
    if not sys.flags.safe_path:
        sys.path[0] = str(script.resolve().parent)
    runpy.run_path(str(script), run_name="__main__")
    return 0
