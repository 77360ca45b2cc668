"""Questions about the papers: tables that need no games, recomputed beside what is printed."""

from __future__ import annotations

from typing import Any

from hanabilab.checks import did_you_mean
from hanabilab.errors import FormatError
from hanabilab.papers import select_tables
from hanabilab.papers.items import PrintedTable
from hanabilab.papers.reproduction import title_of
from hanabilab.papers.runner import Runner
from hanabilab.web.messages import Fields
from hanabilab.web.questions.job import Job

__all__ = ["work_out_table"]


def work_out_table(fields: Fields, job: Job) -> dict[str, Any]:
    """Return a table with what we get for each item; without a name, the list of tables."""
    wanted = fields.text("table", 100, None)
    fields.finish()
    tables = {table.id: table for table in select_tables() if _is_exact(table)}
    if wanted is None:
        return {"tables": [_about(table) for table in tables.values()]}
    if wanted not in tables:
        meant = did_you_mean(wanted, tables)
        raise FormatError(f"unknown table {wanted!r}; expected {', '.join(tables)}{meant}")
    table = tables[wanted]
    job.total = len(table.items)
    runner = Runner()
    items = []
    for item in table.items:
        found = item.find(runner, table.paper).to_dict()
        items.append({**found, "row": item.row, "column": item.column})
        job.report(len(items), item.place)
    return {**_about(table), "items": items}


def _is_exact(table: PrintedTable) -> bool:
    return not any(item.matches() for item in table.items)


def _about(table: PrintedTable) -> dict[str, Any]:
    return {
        "id": table.id,
        "paper": title_of(table.paper),
        "title": table.title,
        "about": table.about,
    }
