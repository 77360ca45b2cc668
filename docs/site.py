"""Pages of the site that are made when it is built, and links that lead out of it.

The commands come from the parsers, the Python reference from `__all__`, the tutorials from
notebooks, and the pages of the project from the files at the top of the repository.
"""

from __future__ import annotations

import argparse
import base64
import importlib
import json
import posixpath
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.cli import GROUPS, build_parser

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    from hanabilab.cli.parser import CommandParser

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PROJECT = {
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changes.md",
}
"""Files at the top of the repository, and where they stand in the site."""
ROOMS = {
    "hanabilab": "hanabilab",
    "hanabilab.author": "author",
    "hanabilab.analysis": "analysis",
    "hanabilab.game": "game",
    "hanabilab.strategies": "strategies",
    "hanabilab.theory": "theory",
    "hanabilab.envs": "envs",
    "hanabilab.lab.dataset": "dataset",
}
"""The packages whose public names are documented, and their pages."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for uri, text in generated_pages():
        if old := files.get_file_from_path(uri):
            files.remove(old)
        files.append(File.generated(config, uri, content=text))
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        text = notebook_page(Path(notebook.abs_src_path or ""))
        files.remove(notebook)
        files.append(File.generated(config, as_page(notebook.src_uri), content=text))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let the navigation name notebooks, and every page that it leaves out."""
    listed = json.dumps(config.nav)
    for section in config.nav or []:
        for title, pages in section.items():
            found = sorted((DOCS / title.lower()).rglob("*.md"))
            names = [path.relative_to(DOCS).as_posix() for path in found]
            pages += [name for name in names if f'"{name}"' not in listed]
    config.nav = _with_pages(config.nav)
    return config


def _with_pages(part: Any) -> Any:
    if isinstance(part, list):
        return [_with_pages(each) for each in part]
    if isinstance(part, dict):
        return {key: _with_pages(value) for key, value in part.items()}
    return as_page(part)


def as_page(uri: str) -> str:
    """Return the address of the page that a notebook becomes."""
    return f"{uri.removesuffix('.ipynb')}.md" if uri.endswith(".ipynb") else uri


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let links lead to pages of the site, and take away those that leave it for the sources."""
    sources = {uri: name for name, uri in PROJECT.items()}
    uri = page.file.src_uri
    source = sources.get(uri, f"docs/{uri}")
    return rewrite_links(markdown, source, uri)


def rewrite_links(markdown: str, source: str, uri: str) -> str:
    """Return a text whose links fit the page at `uri`; it was written for the file `source`."""

    def fitting(link: re.Match[str]) -> str:
        target, mark, anchor = link["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in PROJECT:
            place = PROJECT[path]
        elif path.startswith("docs/") and (ROOT / path).is_file():
            place = as_page(path.removeprefix("docs/"))
        elif path == "README.md":
            place = "index.md"
        elif path.startswith("docs/"):
            place = path.removeprefix("docs/")  # a page that is made, or one that is missing
        else:
            return link["text"]
        relative = posixpath.relpath(place, posixpath.dirname(uri) or ".")
        return f"{link['bang']}[{link['text']}]({relative}{mark}{anchor})"

    pieces = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    link = re.compile(r"(?P<bang>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
    return "".join(
        piece if piece.startswith("```") else link.sub(fitting, piece) for piece in pieces
    )


def generated_pages() -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each page that is made."""
    yield "reference/commands.md", commands_page()
    for package, name in ROOMS.items():
        yield f"reference/python/{name}.md", python_page(package)
    for file, uri in PROJECT.items():
        yield uri, (ROOT / file).read_text(encoding="utf-8")


def commands_page() -> str:
    """Return every command with all its arguments, defaults and examples."""
    parsers = build_parser().commands
    lines = [
        "# Commands",
        "",
        "Every command and option, from the parsers themselves. `hanabilab COMMAND --help` says "
        "the same; `hanabilab completion SHELL` lets your shell complete them.",
    ]
    for group, names in GROUPS.items():
        lines += ["", f"## {group.capitalize()}"]
        for name in names:
            lines += ["", *_command_lines(name, parsers[name])]
    return "\n".join(lines) + "\n"


def _command_lines(name: str, parser: CommandParser) -> Iterator[str]:
    summary, _, notes = (parser.description or "").partition("\n\n")
    yield f"### hanabilab {name} {{: #{name} }}"
    yield from ("", summary)
    if notes:
        yield from ("", _plain(notes))
    for group in parser.groups():
        about = f": {_plain(group.description)}" if group.description else ""
        yield from ("", f"**{group.title}**{about}")
        yield from ("", "| argument | meaning |", "| --- | --- |")
        for action in group.actions:
            yield f"| {_call(action)} | {_plain(parser.help_text(action))} |"
    examples = (parser.epilog or "").removeprefix("examples:\n").rstrip()
    yield from ("", "```text", *(line.removeprefix("  ") for line in examples.splitlines()), "```")


def _call(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    many = {"+": f"{value} …", "*": f"[{value} …]", "?": f"[{value}]"}
    value = many.get(str(action.nargs), value)
    names = ", ".join(action.option_strings)
    return f"`{' '.join(filter(None, [names, value]))}`".replace("|", "\\|")


def _plain(text: str) -> str:
    """Return text in which no sign has a meaning for Markdown."""
    return re.sub(r"([*_<>\[\]|])", r"\\\1", text)


def python_page(package: str) -> str:
    """Return the directives that document all public names of a package."""
    module = importlib.import_module(package)
    about = (module.__doc__ or "").strip().splitlines()[0]
    names = [name for name in module.__all__ if f"{package}.{name}" not in ROOMS]
    lines = [f"# {package}", "", about]
    if package != "hanabilab":
        lines += ["", "Examples: [Python by example](../python-examples.md)."]
    for name in names:
        value = getattr(module, name)
        if isinstance(value, int):
            lines += ["", f"### {name}", "", f"`{name} = {value}`"]
        elif not hasattr(value, "__path__"):  # packages have pages of their own
            lines += ["", f"::: {package}.{name}"]
    return "\n".join(lines) + "\n"


def notebook_page(path: Path) -> str:
    """Return a notebook as Markdown, with what its cells have printed and drawn."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts, heading = [], ""
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            heading = (re.findall(r"^#+ (.+)$", source, re.MULTILINE) or [heading])[-1]
        else:
            parts.append(f"```python\n{source}\n```")
            parts += [text for output in cell["outputs"] if (text := _output(output, heading))]
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any], heading: str) -> str:
    if output["output_type"] == "stream":
        text = "".join(output["text"])
        return "" if output["name"] == "stderr" else f"```text\n{text.rstrip()}\n```"
    data = output.get("data", {})
    if "image/png" in data:
        encoded = "".join(data["image/png"]).replace("\n", "")
        base64.b64decode(encoded, validate=True)
        return f'<img alt="Plot for: {escape(heading)}" src="data:image/png;base64,{encoded}">'
    if "text/html" in data:
        return f'<div class="output">{"".join(data["text/html"])}</div>'
    return f"```text\n{''.join(data.get('text/plain', '')).rstrip()}\n```"
