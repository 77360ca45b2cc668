"""Run the tutorials, and keep what they show.

After a change of a notebook, or of what it shows::

    python -m tests.notebooks && git diff --stat docs/tutorials

What the compiler and progress print is left out, so that a run leaves no trace of its time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parents[1] / "docs" / "tutorials"
NOTEBOOKS = sorted(TUTORIALS.glob("*.ipynb"))


def executed(path: Path) -> Any:
    """Return a notebook after a run in a fresh kernel; an error in a cell is raised."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
            for output in cell.outputs:
                if "text/html" in output.get("data", {}):  # the same picture once is enough
                    output.data.pop("image/svg+xml", None)
    return notebook


def main(names: list[str]) -> None:
    """Run some notebooks, or all, and write them with their outputs."""
    import nbformat

    for path in NOTEBOOKS:
        if not names or path.stem in names:
            print(path.name, flush=True)
            nbformat.write(executed(path), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(sys.argv[1:])
