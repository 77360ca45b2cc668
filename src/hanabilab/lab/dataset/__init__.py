"""Games as data: every turn as a row, for learning from recorded play.

>>> import tempfile
>>> import hanabilab as hl
>>> folder = tempfile.TemporaryDirectory()
>>> made = hl.dataset.make("iggi", players=2, games=10, out=folder.name, format="npz")
>>> data = hl.dataset.load(folder.name)
>>> made.tally.decks
10
>>> folder.cleanup()
"""

from hanabilab.lab.dataset.hoad import HoadGames, make_hoad, read_hoad
from hanabilab.lab.dataset.load import Dataset, load, unpack_bits
from hanabilab.lab.dataset.make import DatasetSummary, make

__all__ = [
    "Dataset",
    "DatasetSummary",
    "HoadGames",
    "load",
    "make",
    "make_hoad",
    "read_hoad",
    "unpack_bits",
]
