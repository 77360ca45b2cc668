"""Games as data: every turn as a row, for learning from recorded play.

>>> import hanabilab as hl
>>> made = hl.dataset.make("iggi", players=2, games=100, out="games")  # doctest: +SKIP
>>> data = hl.dataset.load("games")  # doctest: +SKIP
"""

from hanabilab.lab.dataset.load import Dataset, load, unpack_bits
from hanabilab.lab.dataset.make import DatasetSummary, make

__all__ = ["Dataset", "DatasetSummary", "load", "make", "unpack_bits"]
