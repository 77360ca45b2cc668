"""The checks of stylesheets and scripts find what they are for, and find nothing in ours."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tinycss2")

from tests.stylesheets import check, faults

ROOT = Path(__file__).resolve().parents[1]
GOOD = "a { color: var(--ink); }\n@media (max-width: 480px) { a { color: red; } }\n"


def test_our_stylesheets_have_no_faults() -> None:
    assert check(ROOT / "src") == []


def test_a_good_stylesheet_has_no_faults() -> None:
    assert list(faults(GOOD, frozenset({"--ink"}))) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "a { color: red; }\n@media (max-width: 480px) { a { color: red; }\nb { top: 0; }\n",
            "2: ",
        ),
        ("a { color: red;\n", "1: this block is not closed"),
        ("a { color: red; }\n}\n", "2: "),
        ("a { color red; }\n", "1: "),
        ("a { top: 0; }\nb { top: 0; }\na { top: 0; }\n", "3: the same rule is on line 1"),
        ("a { color: var(--inc); }\n", "1: --inc is not defined"),
    ],
)
def test_faults_are_found(text: str, said: str) -> None:
    assert any(fault.startswith(said) for fault in faults(text)), list(faults(text))


def test_the_block_that_was_once_left_open_would_be_found(tmp_path: Path) -> None:
    sheet = (ROOT / "src/hanabilab/web/static/styles/forms.css").read_text(encoding="utf-8")
    opened = re.sub(r"(@media [^\n]*\}) \}\n", r"\1\n", sheet, count=1)
    assert opened != sheet
    assert any("not closed" in fault for fault in faults(opened, frozenset()))


@pytest.mark.parametrize("text", ["if (true) {\n", "const a = 1;\n", "b = 1;\n"])
def test_faulty_scripts_are_found(tmp_path: Path, text: str) -> None:
    linter = shutil.which("oxlint", path=str(Path(sys.executable).parent))
    if linter is None:
        pytest.skip("oxlint is not installed")
    (tmp_path / "page.js").write_text(text)
    words = [linter, "--deny-warnings", "-c", str(ROOT / ".oxlintrc.json"), str(tmp_path)]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 1
