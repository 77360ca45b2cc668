"""The Hanabi Open Agent Dataset (Sarmasi et al. 2021): its agents, its sizes and its files.

A file of HOAD is a pickle of a list of games of two players. A game is a list of observations and
a list of actions. An observation is HLE's vector of 658 bits as one integer, the first bit highest;
in the oldest files it is a list of bits. An action is a list of 20 numbers: a 1 at the place of
HLE's move, zeros elsewhere. Decks are not recorded: `read_hoad` infers them from the observations,
replays every game under the rules `hle`, and compares every bit of every observation.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.checks import check_integer, shorten
from hanabilab.errors import FormatError, HanabiError
from hanabilab.game.deck import Deck, card_multiset
from hanabilab.game.encoding import Encoder
from hanabilab.game.rules import preset
from hanabilab.lab.dataset.folder import DatasetFolder, check_file
from hanabilab.lab.dataset.load import Dataset, load
from hanabilab.lab.dataset.make import DatasetSummary, make
from hanabilab.lab.dataset.recording import Recorder
from hanabilab.lab.dataset.storage import FileEntry, add_outcome, bytes_for, sha256_of
from hanabilab.lab.files import atomic_write, write_text
from hanabilab.table.game import Game

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hanabilab.lab.dataset.storage import Frame

__all__ = ["AGENTS", "BATCHES", "GAMES", "NOT_MADE", "HoadGames", "make_hoad", "read_hoad"]

RULES = preset("hle", 2)
ENCODER = Encoder(RULES)
ACTIONS = 20
GAMES, BATCHES = 500_000, 20
"""Games of each agent, and the files that they are divided into."""
AGENTS = {
    "iggi": "iggi",
    "internal": "internal",
    "outer": "outer",
    "legal_random": "random",
    "vdb-paper": "vdb",
    "flawed": "flawed",
    "piers": "piers",
}
"""Our strategy for each agent of HOAD, all of them from Walton-Rivers et al. 2017."""
NOT_MADE = (
    "not part of hanabilab and not made: HOAD's rainbow (a trained network), WTFWT (a program in "
    "Rust), and Quux's blindbot, simplebot, valuebot, holmesbot, smartbot, infobot, cheatbot and "
    "newcheatbot (programs in C++)"
)
LIST_FILE = "hoad.json"
OWN_FOLDER = "hanabilab"
"""Holds our own data set of each agent; HOAD's programs read all other folders."""


# --- making ---------------------------------------------------------------------------------------


def make_hoad(
    out: str | os.PathLike[str], *, games: int = GAMES, seed: int = 0, **settings: Any
) -> list[DatasetSummary]:
    """Play HOAD's agents, two players each, and write files in its format, in its folders.

    The games of iggi, for example, are in ``iggi_data_2_500000/0/iggi_2_25000.pkl`` to
    ``…/19/iggi_2_25000.pkl``. They are the same as those of the data set in ``hanabilab/iggi``,
    which `hanabilab.dataset.load` reads. Repeat the same call to resume.

    Parameters
    ----------
    games
        Number of games of each agent, divided into 20 files; a multiple of 20.
    settings
        `format`, `threads`, `cluster`, `progress` and `command`, as for `make`.
    """
    if check_integer("games", games, BATCHES) % BATCHES:
        raise HanabiError(f"games: {games} is not a multiple of {BATCHES}, the files of an agent")
    folder = Path(out)
    made = []
    with DatasetFolder(folder, "").owned():
        for agent, strategy in AGENTS.items():
            place = folder / OWN_FOLDER / agent
            options: dict[str, Any] = {"games": games, "file_games": games // BATCHES, "seed": seed}
            made.append(make(strategy, out=place, rules=RULES, **options, **settings))
            _export(load(place), folder, agent, games)
            if made[-1].interrupted:
                break
    return made


def _export(data: Dataset, folder: Path, agent: str, games: int) -> None:
    """Write those of HOAD's files of an agent whose games are complete, unless they are intact."""
    listed = _read_list(folder / LIST_FILE)
    for number in data.files:
        name = f"{agent}_data_2_{games}/{number}/{agent}_2_{games // BATCHES}.pkl"
        path = folder / name
        if not _is_intact(path, listed.get(name)):
            part = dataclasses.replace(data, files=(number,))
            listed[name] = _write_pickle(path, next(part.numpy("turns")))
            write_text(folder / LIST_FILE, json.dumps(listed, indent=1) + "\n")


def _read_list(file: Path) -> dict[str, Any]:
    """Return the entries of the files that are listed as complete; none if it is damaged."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_intact(path: Path, entry: Any) -> bool:
    if not isinstance(entry, Mapping) or entry.keys() != FileEntry.__required_keys__:
        return False
    try:
        check_file(path, {path.name: entry}, sha256_of)  # type: ignore[dict-item]
    except FormatError:
        return False
    return True


def _write_pickle(path: Path, turns: Frame) -> FileEntry:
    """Write the turns of whole games as a file of HOAD."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as part:
            with part.open("wb") as stream:
                pickle.dump(list(_games_of(turns)), stream, protocol=3)
            size, digest = part.stat().st_size, sha256_of(part)
    except OSError as error:
        raise HanabiError(f"{path}: {error.strerror or error}") from None
    return {"rows": len(turns["game"]), "bytes": size, "sha256": digest}


ONE_HOT = [[int(place == action) for place in range(ACTIONS)] for action in range(ACTIONS)]
PADDING = 8 * bytes_for(ENCODER.length) - ENCODER.length


def _games_of(turns: Frame) -> Iterator[list[list[Any]]]:
    """Yield each game as HOAD has it: the observations, then the actions."""
    starts = np.flatnonzero(turns["turn"] == 0).tolist()
    for start, end in zip(starts, [*starts[1:], len(turns["turn"])], strict=True):
        rows = turns["observation"][start:end]
        observations = [int.from_bytes(row.tobytes(), "big") >> PADDING for row in rows]
        yield [observations, [ONE_HOT[action] for action in turns["action"][start:end]]]


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HoadGames:
    """The games of a file of HOAD, replayed."""

    decks: NDArray[np.int64]
    """The deck of each game; cards that nobody saw are in an arbitrary order."""
    turns: Frame
    """A row per turn with the columns of a data set's turns; `strategy` is always 0."""

    def __len__(self) -> int:
        return len(self.decks)

    def games(self) -> Iterator[Game]:
        """Yield each game."""
        starts = np.flatnonzero(self.turns["turn"] == 0).tolist()
        for deck, actions in zip(
            self.decks, np.split(self.turns["action"], starts[1:]), strict=True
        ):
            game = Game(RULES, Deck(RULES, tuple(deck.tolist())))
            for action in actions.tolist():
                game.act(action)
            yield game


def read_hoad(file: str | os.PathLike[str]) -> HoadGames:
    """Read a HOAD file; raise unless replaying its games gives every observation.

    Pickles may contain code, which is never run: a file with anything but lists and integers is
    rejected.
    """
    path = Path(file)
    games = [_read_game(path, number, game) for number, game in enumerate(_unpickle(path))]
    lengths = np.array([len(actions) for _, actions in games], np.int64)
    logs = np.zeros((len(games), max(lengths, default=0)), np.int64)
    for row, (_, actions) in zip(logs, games, strict=True):
        row[: len(actions)] = actions
    decks = np.array([_deck_of(path, number, *game) for number, game in enumerate(games)], np.int64)
    turns, legal = Recorder(RULES, "canonical").replay(decks, lengths, logs)
    if legal < len(games):
        raise FormatError(f"{path}: game {legal}: an action is illegal")
    shown = np.concatenate([observations for observations, _ in games])
    if (wrong := np.flatnonzero((shown != turns["observation"]).any(1))).size:
        game, turn = (int(turns[name][wrong[0]]) for name in ("game", "turn"))
        raise FormatError(f"{path}: game {game}, turn {turn}: the observation is not that of HLE")
    last = np.cumsum(lengths) - 1
    add_outcome(turns, lengths, turns["score"][last] + turns["reward"][last], [0, 0])
    return HoadGames(decks, turns)


class _ListUnpickler(pickle.Unpickler):
    """Reads lists and integers only."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it refers to {module}.{name}, and only lists are read")


def _unpickle(path: Path) -> list[Any]:
    try:
        with path.open("rb") as stream:
            games = _ListUnpickler(stream).load()
    except OSError as error:
        raise HanabiError(f"{path}: {error.strerror}") from None
    except Exception as error:  # a damaged pickle raises almost anything
        raise FormatError(f"{path}: not a file of HOAD: {shorten(str(error))}") from None
    if not isinstance(games, list) or not games:
        raise FormatError(f"{path}: not a file of HOAD: expected a list of games")
    return games


def _read_game(path: Path, number: int, game: Any) -> tuple[NDArray[np.uint8], list[int]]:
    """Return the packed observations and the actions of a game."""
    try:
        observations, actions = game
        if not 0 < len(observations) == len(actions):
            raise ValueError(f"{len(observations)} observations and {len(actions)} actions")
        packed = b"".join(map(_pack_observation, observations))
        shape = len(observations), bytes_for(ENCODER.length)
        return np.frombuffer(packed, np.uint8).reshape(shape), list(map(_read_action, actions))
    except (TypeError, ValueError, OverflowError) as error:
        reason = shorten(str(error))
        raise FormatError(f"{path}: game {number}: not a game of HOAD: {reason}") from None


def _pack_observation(observation: Any) -> bytes:
    if isinstance(observation, list):
        if len(observation) != ENCODER.length or not set(observation) <= {0, 1}:
            raise ValueError(f"an observation is not a list of {ENCODER.length} bits")
        observation = int("".join(map(str, observation)), 2)
    if not isinstance(observation, int) or not 0 <= observation < 1 << ENCODER.length:
        raise ValueError(f"an observation is not a number of {ENCODER.length} bits")
    return (observation << PADDING).to_bytes(bytes_for(ENCODER.length), "big")


def _read_action(action: Any) -> int:
    if action not in ONE_HOT:
        raise ValueError(f"an action is not a list of {ACTIONS} numbers with a single 1")
    return ONE_HOT.index(action)


def _deck_of(
    path: Path, number: int, observations: NDArray[np.uint8], actions: Sequence[int]
) -> list[int]:
    """Infer the deck of a game from what each player sees of the other's hand.

    Before every turn but the first, the other player has seen the whole hand of the player who
    acts. The card of the first turn is shown in the second observation.
    """
    bits = np.unpackbits(observations, axis=1)
    shown = bits[:, ENCODER.sections["hands"]].reshape(len(actions), RULES.hand_size, -1)
    cards = np.where(shown.any(2), shown.argmax(2), -1).tolist()
    deck = [-1] * RULES.deck_size
    hands = [
        [player * RULES.hand_size + slot for slot in range(RULES.hand_size)] for player in (0, 1)
    ]
    drawn = 2 * RULES.hand_size
    for turn, action in enumerate(actions):
        for place, card in zip(hands[1 - turn % 2], cards[turn], strict=False):
            deck[place] = card
        hand, slot = hands[turn % 2], action % RULES.hand_size
        if action < 2 * RULES.hand_size and slot < len(hand):
            place = hand.pop(slot)
            if turn == 0 and len(actions) > 1:
                deck[place] = int(bits[1, ENCODER.sections["last_card"]].argmax())
            if drawn < RULES.deck_size:
                hand.append(drawn)
                drawn += 1
    return _fill(path, number, deck)


def _fill(path: Path, number: int, deck: list[int]) -> list[int]:
    """Put the cards that nobody saw into the gaps of a deck."""
    seen = Counter(card for card in deck if card >= 0)
    left = Counter(card_multiset(RULES))
    if any(count > left[card] for card, count in seen.items()):
        raise FormatError(f"{path}: game {number}: more copies of a card than there are")
    unseen = iter(sorted((left - seen).elements()))
    return [next(unseen) if card < 0 else card for card in deck]
