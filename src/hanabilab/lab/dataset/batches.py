"""Batches of turns as an iterable data set of PyTorch, which this module imports."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.errors import MissingExtraError

if TYPE_CHECKING:
    from hanabilab.lab.dataset.load import Dataset

__all__ = ["TurnBatches"]

try:
    torch: Any = importlib.import_module("torch")
    torch_data: Any = importlib.import_module("torch.utils.data")
except ImportError:
    raise MissingExtraError("PyTorch", "learn", "a data set for its DataLoader") from None


class TurnBatches(torch_data.IterableDataset):  # type: ignore[misc]  # PyTorch may be missing
    """Batches of turns as tensors; each worker of a `DataLoader` reads files of its own.

    Batches are complete already, so pass ``batch_size=None`` to the `DataLoader`.
    """

    def __init__(self, data: Dataset, size: int, options: Mapping[str, Any]) -> None:
        super().__init__()
        self.data, self.size, self.options = data, size, options

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = torch_data.get_worker_info()
        data = self.data if worker is None else self.data.shard(worker.id, worker.num_workers)
        for batch in data.batches(self.size, **self.options):
            yield {name: torch.from_numpy(np.array(column)) for name, column in batch.items()}
