"""Build a release and try it as a stranger would: `make release`, or python -m tests.release.

The wheel and the source archive are built and checked, CITATION.cff is validated, and the wheel is
installed into an empty environment of every supported Python that is at hand, where the blocks of
the README are run from an empty folder. Then the wheel is installed with the lowest versions of all
its dependencies that pyproject.toml allows, and the tests that use these libraries are run.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TOOLS = ("build", "twine", "cffconvert", "setuptools<81")  # cffconvert asks for pkg_resources
LONG = (
    "make ",
    "pip ",
    "hanabilab web",
    "hanabilab simulate",
    "hanabilab compare",
    "hanabilab reproduce",
)
"""Prefixes of README commands that are not run: they take minutes, never end, or have been run."""
TEST_TOOLS = ("hypothesis", "pytest", "pytest-timeout")
TESTS_OF_LIBRARIES = (
    "tests/envs/test_gymnasium.py",
    "tests/envs/test_pettingzoo.py",
    "tests/lab/test_cluster.py",
    "tests/lab/test_dataset.py",
    "tests/lab/test_display.py",
    "tests/lab/test_tune.py",
    "tests/live/test_live.py",
    "tests/solver/test_sat.py",
    "tests/test_kernel_language.py",
    "tests/web/test_connection_limits.py",
    "tests/web/test_tables.py",
)
"""Tests that call each of the libraries that `hanabilab[all]` requires."""


def main() -> None:
    """Build, check, install and try; the first thing that fails ends it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = environment(Path(sys.executable), folder / "tools")
        run([tools, "-m", "pip", "install", "--quiet", *TOOLS], quiet=True)
        shutil.rmtree(DIST, ignore_errors=True)
        run([tools, "-m", "build", "--outdir", DIST, ROOT], quiet=True)
        files = sorted(DIST.iterdir())
        run([tools, "-m", "twine", "check", "--strict", *files])
        run([tools.with_name("cffconvert"), "--validate"])
        (wheel,) = (file for file in files if file.suffix == ".whl")
        for version in PYTHONS:
            if python := find_python(version):
                try_wheel(wheel, python, folder / version)
            else:
                print(f"Python {version} is not at hand: not tried")
        if python := find_python(PYTHONS[0]):
            try_lowest_versions(wheel, python, folder / "lowest")
    print(*(file.relative_to(ROOT) for file in files), sep="\n")


def environment(python: Path, folder: Path) -> Path:
    """Make an empty environment of a Python, and return its interpreter."""
    if python == Path(sys.executable):
        venv.create(folder, with_pip=True)
    else:
        run([python, "-m", "venv", folder])
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def find_python(version: str) -> Path | None:
    """Return the interpreter of a version, if one is on the path or known to a version manager."""
    managed = Path.home() / ".pyenv" / "versions"
    places = [shutil.which(f"python{version}"), *managed.glob(f"{version}.*/bin/python")]
    for place in map(str, filter(None, places)):
        code = "import sys; print(*sys.version_info[:2], sep='.')"
        done = subprocess.run([place, "-c", code], capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return Path(place)
    return None


def try_wheel(wheel: Path, python: Path, folder: Path) -> None:
    """Install a wheel into an empty environment, and run what the README shows."""
    inside = environment(python, folder)
    run(
        [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel],
        quiet=True,
    )
    empty = folder / "empty"
    empty.mkdir()
    settings = {**os.environ, "HANABILAB_CACHE": str(folder / "cache"), "PYTHONUTF8": "1"}
    settings.pop("PYTHONPATH", None)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    script, shown = empty / "readme.py", re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), "utf-8")
    said = run([inside, script], cwd=empty, env=settings, quiet=True)
    if any(part not in said for part in shown):
        raise SystemExit(f"the README shows something else than its Python prints:\n{said}")
    tried = 0
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in re.findall(r"^\$ (.+?)(?: +#.*)?$", block, re.MULTILINE):
            if not line.startswith(LONG):
                run([inside, "-m", *shlex.split(line)], cwd=empty, env=settings, quiet=True)
                tried += 1
    version = run([inside, "-m", "hanabilab", "--version"], cwd=empty, env=settings, quiet=True)
    print(f"{version.strip()}, Python {folder.name}: the README's Python and {tried} commands work")


def try_lowest_versions(wheel: Path, python: Path, folder: Path) -> None:
    """Run the tests of the libraries with the lowest version of each that is allowed.

    Old libraries warn of newer Pythons and of each other, so warnings are no errors here.
    """
    inside = environment(python, folder)
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(lowest_versions("all")), "utf-8")
    install = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*install, "-c", constraints, f"{wheel}[all]", *TEST_TOOLS], quiet=True)
    settings = {**os.environ, "HANABILAB_CACHE": str(folder / "cache")}
    settings.pop("PYTHONPATH", None)
    options = ["-q", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]
    run([inside, "-m", "pytest", *options, *TESTS_OF_LIBRARIES], env=settings, quiet=True)
    print(f"Python {PYTHONS[0]} with the lowest versions of all libraries: their tests pass")


def lowest_versions(extra: str) -> list[str]:
    """Return the lowest version of everything that the package and an extra require directly."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    requirements = [*project["dependencies"], *_requirements(extras, extra)]
    return sorted(set(map(_lowest, requirements)))


def _requirements(extras: dict[str, list[str]], extra: str) -> Iterator[str]:
    """Yield the requirements of an extra and of the extras that it includes."""
    for requirement in extras[extra]:
        if included := re.fullmatch(r"hanabilab\[(.*)\]", requirement):
            for name in included[1].split(","):
                yield from _requirements(extras, name)
        else:
            yield requirement


def _lowest(requirement: str) -> str:
    """Return a requirement of exactly its lower bound, without extras."""
    found = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)", requirement)
    if not found:
        raise SystemExit(f"pyproject.toml: {requirement} has no lower bound, or more than that")
    return f"{found[1]}=={found[2]}"


def run(
    words: Sequence[object],
    *,
    quiet: bool = False,
    cwd: Path = ROOT,
    env: dict[str, str] | None = None,
) -> str:
    """Run a command and return what it prints; end with its output if it fails."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=env,
        text=True,
        encoding="utf-8",
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, words))}:\n{done.stdout}{done.stderr}")
    if not quiet and done.stdout.strip():
        print(done.stdout.strip())
    return done.stdout


if __name__ == "__main__":
    main()
