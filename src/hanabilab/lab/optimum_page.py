"""Generates the tables of the page about optima from the data in the package.

``python -m hanabilab.lab.optimum_page docs/results/optimum.md`` writes them into the page, between
comments that name them; a test compares the page with the data. With ``--means`` it first plays
every strategy in some games and stores the means; with ``--hats``, the hat-guessing strategies and
`cheat` in all games whose optimum is stored.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hanabilab.errors import StrategyError, TheoryError
from hanabilab.formats.data_table import DataTable
from hanabilab.lab.best_response import best_response, scores_of_all_decks
from hanabilab.lab.simulate import simulate
from hanabilab.lab.small_games import table_of_games
from hanabilab.solver.optimum.known import DATA, KnownOptimum, SmallGame, known_optima
from hanabilab.strategies import STRATEGIES
from hanabilab.strategies.strategy import Strategy

__all__ = [
    "MEANS",
    "StrategyMean",
    "games_to_free",
    "hidden_cost",
    "measure_mean",
    "measure_means",
    "regrets",
    "sections",
    "strategy_means",
    "update_page",
]

MEANS = Path(__file__).with_name("small_game_means.csv")
"""Means of strategies in some small games."""
MEASURED = (
    "p2-h1-s2-c21-t1-l1",
    "p2-h1-s2-c21-t3-l2",
    "p2-h1-s3-c11-t1-l1",
    "p3-h1-s2-c21-t1-l1",
    "p3-h1-s2-c21-t2-l2",
    "p4-h1-s2-c21-t1-l1",
    "p2-h2-s1-c221-t1-l1",
    "p2-h2-s1-c321-t2-l1",
    "p2-h2-s2-c21-t1-l1",
    "p3-h2-s2-c21-t2-l1",
)
"""The games in which strategies are compared with the optimum."""
SLOW = ("monte-carlo", "search:blueprint=iggi")
"""Strategies that play only some decks."""
SAMPLE = 400
"""How many decks slow strategies play, with seed 0."""
HATS = Path(__file__).with_name("hat_guessing_means.csv")
"""Means of the hat-guessing strategies and of `cheat` in all games with a stored optimum."""
HAT_GUESSERS = ("information", "recommendation", "hatter", "duo")
MOST_TOKENS = 4
"""Games with more tokens are not in the table of all small games."""
FEW_DECKS = 3000
"""Games with more decks than this are not played with these strategies."""
SECTION = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StrategyMean:
    """The mean score of a strategy over all decks of a small game."""

    game: SmallGame
    strategy: str
    mean: Fraction
    stderr: float
    """0 for a deterministic strategy, whose mean is exact."""
    best_response: Fraction | None
    """The best score that player 0 can reach with partners who play the strategy."""


def strategy_means(file: Path = MEANS) -> list[StrategyMean]:
    """Return the stored means of strategies."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        StrategyMean(
            SmallGame.named(row["game"]),
            row["strategy"],
            Fraction(row["mean"]),
            float(row["stderr"] or 0),
            Fraction(row["best_response"]) if row["best_response"] else None,
        )
        for row in rows
    ]


def measure_means() -> list[StrategyMean]:
    """Play the games of the page with every strategy: all decks, or some if it is slow."""
    found = [
        measure_mean(strategy, SmallGame.named(name))
        for name in MEASURED
        for strategy in STRATEGIES.values()
        if not (strategy.slow or strategy.name == "compose" or not strategy.can_compile)
        and not strategy.why_not(SmallGame.named(name).rules)
    ]
    return found + [sample_mean(name, SmallGame.named(game)) for game in MEASURED for name in SLOW]


def sample_mean(strategy: str, game: SmallGame) -> StrategyMean:
    """Return the mean of a slow strategy over random decks."""
    found = simulate(strategy, rules=game.rules, games=SAMPLE, seed=0, progress=False)
    return StrategyMean(game, strategy, Fraction(found.mean), found.stderr, None)


def measure_mean(strategy: Strategy, game: SmallGame) -> StrategyMean:
    """Return the mean of a strategy over all decks: exact, unless it uses random numbers."""
    response, random = None, False
    try:
        response = best_response(strategy, game.rules, progress=False).value
    except TheoryError:
        pass  # too large
    except StrategyError:
        random = True
    one, other = (scores_of_all_decks(strategy, game.rules, seeds) for seeds in ((0, 1), (2, 3)))
    if one == other and not random:
        return StrategyMean(game, strategy.name, _mean(one), 0.0, response)
    decks = one.total() // 2
    scores = scores_of_all_decks(strategy, game.rules, range(max(4, min(100, 6000 // decks))))
    mean = _mean(scores)
    spread = sum(count * float(score - mean) ** 2 for score, count in scores.items())
    stderr = math.sqrt(spread / (scores.total() - 1) / scores.total())
    return StrategyMean(game, strategy.name, mean, stderr, None)


def measure_hats() -> list[StrategyMean]:
    """Play all decks of the stored games with the hat-guessing strategies and with `cheat`."""
    return [
        StrategyMean(game, name, _mean(scores_of_all_decks(name, game.rules)), 0.0, None)
        for game, line in table_optima().items()
        for name in (*HAT_GUESSERS, "cheat")
        if line.decks <= FEW_DECKS and not STRATEGIES[name].why_not(game.rules)
    ]


def _mean(scores: Counter[int]) -> Fraction:
    return Fraction(sum(score * count for score, count in scores.items()), scores.total())


def write_means(means: Iterable[StrategyMean]) -> str:
    """Return means as the stored table."""
    lines = ["game,strategy,mean,stderr,best_response"]
    for each in means:
        mean = f"{float(each.mean):.5f}" if each.stderr else str(each.mean)
        stderr = f"{each.stderr:.5f}" if each.stderr else ""
        lines.append(f"{each.game.name},{each.strategy},{mean},{stderr},{each.best_response or ''}")
    return "\n".join([*lines, ""])


def sections() -> dict[str, str]:
    """Return every table of the page, by its name."""
    return {name: write() for name, write in SECTIONS.items()}


def update_page(text: str) -> str:
    """Return the text of the page with its tables regenerated from the data."""
    tables = sections()
    return SECTION.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n{found[4]}", text)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    cells = tuple(tuple(row) for row in rows)
    return DataTable(header=tuple(header), rows=cells, text_columns=words).to_markdown()


def _number(value: Fraction) -> str:
    return f"{float(value):.4f}"


def _exact(value: Fraction) -> str:
    return f"{value}" if value.denominator <= 1000 else _number(value)


# --- the stored games -----------------------------------------------------------------------------


def table_optima() -> dict[SmallGame, KnownOptimum]:
    """Return the stored optima with at most four tokens; those with more are for one section."""
    known = known_optima()
    return {game: line for game, line in known.items() if game.hint_tokens <= MOST_TOKENS}


def _extent() -> str:
    """Return which games the data cover."""
    with DATA.open(encoding="utf-8", newline="") as file:
        games = [SmallGame.named(row["game"]) for row in csv.DictReader(file)]
    tried = {game.name for game in games if game.hint_tokens <= MOST_TOKENS}
    known = table_optima()
    all_games = Counter(game.players for game in table_of_games())
    rows = []
    for players in sorted({game.players for game in known}):
        mine = [line for game, line in known.items() if game.players == players]
        names = [name for name in tried if name.startswith(f"p{players}-")]
        most = max(mine, key=lambda line: sum(line.game.copies) * line.game.suits)
        cards = sum(most.game.copies) * most.game.suits
        beliefs = max(line.beliefs for line in mine)
        seconds = sum(line.seconds for line in mine)
        counts = (players, all_games[players], len(names), len(mine), cards)
        rows.append([*map(str, counts), f"{beliefs:,}", f"{seconds:.0f}"])
    header = ("players", "games", "tried", "solved", "most cards", "most beliefs", "seconds")
    return _table(header, rows, words=0)


def _growth() -> str:
    """Return how often increasing a parameter raises, keeps or lowers the optimum."""
    rows = []
    for words, (field, values) in CHANGES.items():
        signs = list(_signs(field, values))
        counts = [signs.count(sign) for sign in (1, 0, -1)]
        rows.append([words, f"{len(signs)}", *map(str, counts)])
    return _table(("change", "pairs of games", "higher", "equal", "lower"), rows)


def _signs(field: str, values: range) -> Iterator[int]:
    """Yield for each pair of games whether the larger one has the higher optimum."""
    known = known_optima()
    for game, line in known.items():
        larger = game._replace(**{field: getattr(game, field) + 1})
        if larger in known and getattr(game, field) in values:
            change = known[larger].value - line.value
            yield (change > 0) - (change < 0)


CHANGES = {
    "the first hint token": ("hint_tokens", range(1)),
    "another hint token": ("hint_tokens", range(1, 100)),
    "another life": ("lives", range(100)),
    "one more card in each hand": ("hand_size", range(100)),
    "one more player": ("players", range(100)),
    "one more suit": ("suits", range(100)),
}
"""Each change: the number that it raises by 1, and the values from which it does."""


def _tokens() -> str:
    """Return optima by tokens and lives, for one deck."""
    known, rows = known_optima(), []
    for players, lives in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2)):
        row = [f"{players} players, {lives} {'life' if lives == 1 else 'lives'}"]
        for tokens in range(5):
            line = known.get(SmallGame(players, 1, 2, (2, 1), tokens, lives))
            row.append(_exact(line.value) if line else "")
        rows.append(row)
    return _table(("two suits of 1 1 2, hands of 1", *(f"tokens: {n}" for n in range(5))), rows)


def _hands() -> str:
    """Return optima by hand size and tokens, for one deck."""
    known, rows = known_optima(), []
    for players, hand_size in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)):
        row = [f"{players} players, hands of {hand_size}"]
        for tokens in range(5):
            line = known.get(SmallGame(players, hand_size, 2, (2, 1), tokens, 1))
            row.append(_number(line.value) if line else "")
        rows.append(row)
    return _table(("two suits of 1 1 2, one life", *(f"tokens: {n}" for n in range(5))), rows)


def _costs() -> str:
    """Return what hidden hands cost, by the number of hint tokens."""
    rows = []
    for tokens in range(5):
        lines = [line for game, line in known_optima().items() if game.hint_tokens == tokens]
        costs = [hidden_cost(line) for line in lines]
        free = sum(not cost for cost in costs)
        mean = sum(costs, Fraction()) / len(costs)
        share = f"{100 * free / len(costs):.0f} %"
        rows.append([str(tokens), str(len(costs)), str(free), share, _number(mean)])
    header = ("hint tokens", "games", "cost nothing", "", "mean cost in points")
    return _table(header, rows, words=0)


def hidden_cost(line: KnownOptimum) -> Fraction:
    """Return what hidden hands cost: the optimum with open hands, minus the optimum."""
    return line.open_hands - line.value


def games_to_free() -> list[KnownOptimum]:
    """Return the games with a draw pile in which hidden hands have a cost at four tokens."""
    found = [
        line
        for game, line in known_optima().items()
        if game.hint_tokens == MOST_TOKENS and game.pile and hidden_cost(line)
    ]
    return sorted(found, key=lambda line: (-hidden_cost(line), line.game))


def _free() -> str:
    """Return what hidden hands cost with more tokens, where four are not enough."""
    known, rows = known_optima(), []
    tokens = range(MOST_TOKENS, 1 + max(game.hint_tokens for game in known))
    for line in games_to_free():
        lines = [known.get(line.game._replace(hint_tokens=number)) for number in tokens]
        name = line.game.name.replace(f"-t{MOST_TOKENS}", "")
        rows.append([name, *(_cost(each) if each else "" for each in lines)])
    return _table(("game", *(f"tokens: {number}" for number in tokens)), rows)


def _cost(line: KnownOptimum) -> str:
    return _number(hidden_cost(line)) if hidden_cost(line) else "0"


def _bounds() -> str:
    """Return the number of games in which a bound equals the optimum."""
    lines = list(table_optima().values())
    tests: dict[str, Callable[[KnownOptimum], bool]] = {
        "the optimum is the maximum: every deck is won": lambda line: line.perfect == 1,
        "hidden hands cost nothing: as if all hands were open": (
            lambda line: not hidden_cost(line)
        ),
        "as if all hands were open after the first turn": lambda line: line.value == line.one_turn,
    }
    rows = [
        [words, str(sum(map(holds, lines))), f"{100 * sum(map(holds, lines)) / len(lines):.0f} %"]
        for words, holds in tests.items()
    ]
    return _table(("", "games", f"of {len(lines)}"), rows)


def _gaps() -> str:
    """Return the games with hints in which hidden hands cost most."""
    lines = [line for line in table_optima().values() if line.game.hint_tokens]
    lines.sort(key=lambda line: (-hidden_cost(line), line.game))
    rows = [
        [line.game.name, _exact(line.value), _number(line.value), _number(line.open_hands)]
        for line in lines[:8]
    ]
    return _table(("game", "optimum", "", "open hands"), rows)


# --- strategies -----------------------------------------------------------------------------------


def _games_with_means() -> list[SmallGame]:
    known = known_optima()
    return [game for game in dict.fromkeys(m.game for m in strategy_means()) if game in known]


def _regret() -> str:
    """Return the loss of each strategy against the optimum, game by game."""
    known, games = known_optima(), _games_with_means()
    means = {(mean.strategy, mean.game): mean for mean in strategy_means()}
    names = list(dict.fromkeys(strategy for strategy, _ in means))
    rows = [["optimum", *(_number(known[game].value) for game in games)]]
    for name in names:
        row = [name]
        for game in games:
            mean = means.get((name, game))
            row.append(_loss(mean, known[game].value) if mean else "")
        rows.append(row)
    return _table(("regret", *(game.name for game in games)), rows)


def _loss(mean: StrategyMean, optimum: Fraction) -> str:
    loss = float(optimum - mean.mean)
    if not mean.stderr:
        return "0" if optimum == mean.mean else f"{loss:.3f}"
    return f"{loss:.2f} ± {mean.stderr:.2f}"


def _cheat() -> str:
    """Return the games in which the legal optimum exceeds the cheating strategy."""
    known, rows = known_optima(), []
    for mean in strategy_means():
        if mean.strategy == "cheat" and mean.game in known:
            line = known[mean.game]
            verdict = "legal team" if line.value > mean.mean else "cheat"
            verdict = "equal" if line.value == mean.mean else verdict
            values = [line.value, mean.mean, line.open_hands]
            rows.append([mean.game.name, *map(_number, values), verdict])
    return _table(("game", "optimum", "cheat", "open hands", "better"), rows)


def regrets() -> dict[str, dict[SmallGame, Fraction]]:
    """Return the regret of the hat-guessing strategies and of `cheat` in every game they played."""
    known = known_optima()
    found: dict[str, dict[SmallGame, Fraction]] = {}
    for each in strategy_means(HATS):
        if each.game in known:
            found.setdefault(each.strategy, {})[each.game] = known[each.game].value - each.mean
    return found


def _hats() -> str:
    """Return how often the hat-guessing strategies are optimal."""
    rows, found = [], regrets()
    for name in HAT_GUESSERS:
        mine = found[name]
        optimal = sum(not regret for regret in mine.values())
        mean = sum(mine.values(), Fraction()) / len(mine)
        worst = max(mine, key=lambda game: (mine[game], game))
        row = [str(len(mine)), str(optimal), _number(mean), _number(mine[worst]), worst.name]
        rows.append([name, *row])
    header = ("strategy", "games", "optimal in", "mean regret", "largest regret", "in the game")
    return _table(header, rows)


def _hat_games() -> str:
    """Return the games in which a hat-guessing strategy is optimal, without tokens and lives."""
    found: dict[tuple[str, str], list[SmallGame]] = {}
    for name in HAT_GUESSERS:
        for game, regret in regrets()[name].items():
            family = game._replace(hint_tokens=0, lives=0).name.removesuffix("-t0-l0")
            if not regret:
                found.setdefault((name, family), []).append(game)
    rows = [
        [name, family, ", ".join(f"{game.hint_tokens}/{game.lives}" for game in sorted(games))]
        for (name, family), games in sorted(found.items())
    ]
    return _table(("strategy", "sizes", "tokens/lives"), rows, words=3)


def _cheat_all() -> str:
    """Return how often the legal optimum exceeds the cheating strategy, by tokens."""
    mine, rows = regrets()["cheat"], []
    for tokens in range(5):
        some = [regret for game, regret in mine.items() if game.hint_tokens == tokens]
        counts = [sum(map(test, some)) for test in SIGNS]
        rows.append([str(tokens), str(len(some)), *map(str, counts)])
    totals = [sum(map(test, mine.values())) for test in SIGNS]
    rows.append(["all", str(len(mine)), *map(str, totals)])
    return _table(("hint tokens", "games", "legal team better", "equal", "cheat better"), rows)


SIGNS: tuple[Callable[[Fraction], bool], ...] = (
    lambda regret: regret > 0,
    lambda regret: regret == 0,
    lambda regret: regret < 0,
)


def _responses() -> str:
    """Return best responses to deterministic strategies."""
    known, rows = known_optima(), []
    for mean in strategy_means():
        if mean.best_response is not None and mean.strategy != "cheat" and mean.game in known:
            values = [mean.mean, mean.best_response, known[mean.game].value]
            rows.append([mean.game.name, mean.strategy, *map(_number, values)])
    header = ("game", "strategy", "with itself", "best response", "optimum")
    return _table(header, rows, words=2)


SECTIONS: dict[str, Callable[[], str]] = {
    "extent": _extent,
    "growth": _growth,
    "tokens": _tokens,
    "hands": _hands,
    "costs": _costs,
    "free": _free,
    "bounds": _bounds,
    "gaps": _gaps,
    "regret": _regret,
    "hats": _hats,
    "hat_games": _hat_games,
    "cheat": _cheat,
    "cheat_all": _cheat_all,
    "responses": _responses,
}


def main(words: Sequence[str]) -> None:
    """Write the tables into pages; with ``--means`` or ``--hats``, measure strategies first."""
    for option, (file, measure) in MEASUREMENTS.items():
        if option in words:
            file.write_text(write_means(measure()), encoding="utf-8")
    files = [word for word in words if word not in MEASUREMENTS]
    for file in map(Path, files):
        file.write_text(update_page(file.read_text(encoding="utf-8")), encoding="utf-8")


MEASUREMENTS: dict[str, tuple[Path, Callable[[], list[StrategyMean]]]] = {
    "--means": (MEANS, measure_means),
    "--hats": (HATS, measure_hats),
}


if __name__ == "__main__":
    main(sys.argv[1:])
