"""Metadata, workflows and templates agree with each other and with the code."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import hanabilab as hl

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FILES = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
).stdout.split()


def read(name: str) -> Any:
    """Return a YAML file as data."""
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def steps(workflow: str) -> list[str]:
    """Return everything that a workflow runs."""
    jobs = read(f".github/workflows/{workflow}.yml")["jobs"]
    return [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]


def test_the_citation_names_the_version() -> None:
    citation = read("CITATION.cff")
    assert citation["version"] == hl.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{hl.__version__}] - {citation['date-released']}\n" in changes


def test_addresses_are_placeholders_in_one_place() -> None:
    urls = PROJECT["project"]["urls"]
    assert {"Homepage", "Source", "Issues", "Documentation", "Changelog"} <= urls.keys()
    assert all(url.startswith("https://example.org/") for url in urls.values())
    elsewhere = [
        name
        for name in FILES
        if name.endswith((".md", ".yml", ".yaml", ".cff", ".toml"))
        and "example.org/hanabilab" in (ROOT / name).read_text(encoding="utf-8")
    ]
    assert elsewhere == (["pyproject.toml"] if FILES else [])


def test_pythons_agree() -> None:
    classifiers = " ".join(PROJECT["project"]["classifiers"])
    versions = re.findall(r"Python :: (3\.\d+)", classifiers)
    assert read(".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]["python"] == (
        versions
    )
    from tests.release import PYTHONS

    assert list(PYTHONS) == versions
    pages = [ROOT / "docs" / "start" / "install.md", ROOT / "docs" / "reference" / "versions.md"]
    for page in pages:
        assert f"{versions[0]} to {versions[-1]}" in page.read_text(encoding="utf-8")


def test_every_extra_is_documented() -> None:
    extras = set(PROJECT["project"]["optional-dependencies"]) - {"dev"}
    text = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == extras


def test_the_workflow_runs_what_a_submission_must_pass() -> None:
    assert "bash .ci/run" in steps("test")
    assert "make coverage" in steps("test")
    assert "make release" in steps("test")


def test_every_target_that_a_workflow_names_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for workflow in ("test", "publish"):
        named = {word for run in steps(workflow) for word in re.findall(r"\bmake ([\w-]+)", run)}
        assert named <= targets


def test_publishing_is_off_until_it_is_enabled() -> None:
    workflow = read(".github/workflows/publish.yml")
    jobs = workflow["jobs"]
    assert jobs["build"]["if"] == "vars.PUBLISH == 'enabled'"
    assert jobs["publish"]["needs"] == "build"  # a job that is skipped skips it
    assert workflow["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    text = (GITHUB / "workflows" / "publish.yml").read_text(encoding="utf-8")
    assert "secrets." not in text


def test_hooks_run_the_checks_of_make() -> None:
    hooks = [hook["entry"] for hook in read(".pre-commit-config.yaml")["repos"][0]["hooks"]]
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert recipe
    tools = re.findall(r"\$\(BIN\)/(\w+)(?: (-m [\w.]+|\w+(?= )))?", recipe[1])
    for tool, first in tools:
        assert any(entry.startswith(f"{tool} {first}".strip()) for entry in hooks), (tool, first)


@pytest.mark.parametrize("name", ["bug", "idea"])
def test_templates_ask_something(name: str) -> None:
    form = read(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert form["name"]
    assert form["description"]
    assert len({part["id"] for part in form["body"] if part["type"] == "textarea"}) >= 3


def test_updates_of_dependencies_are_watched() -> None:
    watched = {each["package-ecosystem"] for each in read(".github/dependabot.yml")["updates"]}
    assert watched == {"pip", "github-actions"}


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT.md", "SECURITY.md", "CONTRIBUTING.md"])
def test_links_between_project_pages_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)", text):
        assert (ROOT / target).exists(), target
