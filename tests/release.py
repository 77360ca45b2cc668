"""Build a release and try it as a stranger would: `make release`, or python -m tests.release.

The wheel and the source archive are built and checked, CITATION.cff is validated, and the wheel is
installed into an empty environment of every supported Python that is at hand, where the blocks of
the README are run from an empty folder.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TOOLS = ("build", "twine", "cffconvert", "setuptools<81")  # cffconvert asks for pkg_resources
LONG = ("make ", "pip ", "hanabilab simulate", "hanabilab compare", "hanabilab reproduce")
"""Beginnings of commands in the README that take minutes, or that were run to get here."""


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
    script, shown = empty / "readme.py", re.findall(r"```text\n(.*?)```", text, re.DOTALL)[0]
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)), "utf-8")
    said = run([inside, script], cwd=empty, env=settings, quiet=True)
    if shown not in said:
        raise SystemExit(f"the README shows something else than its Python prints:\n{said}")
    tried = 0
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in re.findall(r"^\$ (.+?)(?: +#.*)?$", block, re.MULTILINE):
            if not line.startswith(LONG):
                run([inside, "-m", *shlex.split(line)], cwd=empty, env=settings, quiet=True)
                tried += 1
    version = run([inside, "-m", "hanabilab", "--version"], cwd=empty, env=settings, quiet=True)
    print(f"{version.strip()}, Python {folder.name}: the README's Python and {tried} commands work")


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
