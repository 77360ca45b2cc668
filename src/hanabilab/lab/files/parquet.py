"""Small tables as .parquet files, and the library that writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from hanabilab.errors import MissingExtraError
from hanabilab.lab.files.ownership import File, file_errors
from hanabilab.lab.files.save import clean, writing

__all__ = ["arrow", "write_parquet"]


def arrow(purpose: str = "a .parquet file") -> ModuleType:
    """Return pyarrow, with its submodule for Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", purpose) from None
    module: ModuleType = pyarrow
    return module


def write_parquet(file: File, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a small table; an object in it becomes JSON text."""
    pa = arrow()
    plain = [{name: _cell(value) for name, value in row.items()} for row in clean(list(rows))]
    with writing(file) as part, file_errors(file):
        pa.parquet.write_table(pa.Table.from_pylist(plain), part)


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
