"""One way to name a player: by name, by file, by module, by package, by folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import Answer

import hanabilab as hl
import hanabilab.author as ha
from hanabilab.checks import did_you_mean
from hanabilab.errors import StrategyError
from hanabilab.strategies import OWN, STRATEGIES, find_strategy, known_strategies, plugins
from hanabilab.strategies.load import load_player, offer_player, read_player

FILE = '''
import hanabilab as hl
import hanabilab.author as ha
from hanabilab.game import nth_legal
from beside import CHOICE

class Notes(ha.Memory):
    boldness: int
    safe: int

def act(view: ha.View, memory: Notes) -> int:
    """Take some legal action."""
    return nth_legal(view, memory.boldness % hl.game.count_legal(view))

careful = ha.Strategy(
    "careful",
    act,
    memory=Notes,
    options={
        "boldness": ha.Option(default=1, least=0, most=5, help="which action"),
        "safe": ha.Option(default=2, least=0, most=5, help="a number, unlike that of rule-based"),
    },
)

@ha.kernel
def compiled(view: ha.View, memory: ha.Memory) -> int:
    return nth_legal(view, CHOICE)

def policy(observation, legal_moves):
    return legal_moves[0]

def unclear(a, b):
    return b[0]

class Counting:
    """Take the first and the second legal action in turn."""
    turns = 0

    def __init__(self, start=0):
        self.calls = start

    def begin(self, view):
        self.begun = view.turn

    def act(self, view):
        self.calls += 1
        assert self.calls == view.turn // view.rules.players + 1
        return nth_legal(view, (self.begun + self.calls) % 2)

    def observe(self, view, event):
        self.seen = event.kind

class Learned:
    def __init__(self):
        self.calls = 0

    def act(self, observation, legal_moves):
        self.calls += 1
        assert self.calls == observation["view"].turn // 2 + 1
        return legal_moves[-1]

class NeedsArguments:
    def __init__(self, size):
        self.size = size

    def act(self, view, memory):
        return nth_legal(view, self.size)

class Box:
    inside = careful

counting, sized = Counting(), NeedsArguments(1)
one_argument = lambda view: 0
number, nothing = 7, object
observing = lambda view, event, memory: None
Kind = ha.Strategy
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "beside.py").write_text("CHOICE = 0")
    (tmp_path / "wrong.py").write_text("\n\ndef first(:")
    (tmp_path / "raising.py").write_text("\nvalue = 1 / 0\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "lacking.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name in ("mine", "beside") or name.startswith("hanabilab_player_"):
            del sys.modules[name]


SHORT = ("--players", "2", "--games", "2")


@pytest.mark.usefixtures("folder")
class TestEveryKindOfPlayer:
    @pytest.mark.parametrize(
        "name",
        [
            "careful",
            "act",
            "policy",
            "unclear",
            "Counting",
            "counting",
            "Learned",
            "sized",
            "Box.inside",
        ],
    )
    def test_it_plays(self, name: str, command: Callable[..., Answer]) -> None:
        code, out, err = command("simulate", f"mine.py:{name}", *SHORT, "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["strategy"] == f"mine.py:{name}"
        assert command("play", f"mine.py:{name}", "--players", "2", "--explain")[0] == 0

    def test_a_bare_kernel_is_a_strategy(self) -> None:
        strategy = load_player("mine.py:compiled")
        assert strategy.can_compile
        assert strategy.memory is ha.Memory
        assert load_player("mine.py:act").memory.__name__ == "Notes"

    def test_python_recognises_the_same(self) -> None:
        from mine import Counting, compiled  # type: ignore[import-not-found]

        assert find_strategy(compiled).act is compiled
        assert hl.simulate(Counting, players=3, games=2).games == 2
        assert hl.simulate(Counting(), players=3, games=2, chunk=1).games == 2

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("NeedsArguments", "missing a required argument: 'size'"),
            ("NeedsArguments", "write name = NeedsArguments(…)"),
            ("nothing", "a class without act; write def act(self, view)"),
            ("Kind", "a class of strategies; write name = Kind(…)"),
            ("number", "neither a strategy nor a policy, but of type int; write number = Str"),
            ("one_argument", "takes (view); write def one_argument(view, memory)"),
            ("observing", 'so it observes turns; write name = Strategy("name", act, observing)'),
            ("carefull", "mine.py has no carefull; did you mean careful?"),
            ("Box.outside", "mine.py has no outside"),
        ],
    )
    def test_what_cannot_play_is_told_what_to_write(self, name: str, said: str) -> None:
        with pytest.raises(StrategyError) as caught:
            load_player(f"mine.py:{name}")
        assert said in str(caught.value)
        assert str(caught.value).startswith("mine.py")


@pytest.mark.usefixtures("folder")
class TestPlaces:
    def test_a_file_is_imported_once_under_a_stable_name(self, folder: Path) -> None:
        first = load_player("mine.py:careful")
        assert load_player(f"{folder}/../{folder.name}/mine.py:careful").act is first.act
        assert load_player("mine:careful").act is not first.act
        assert first.act.__module__ in sys.modules

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("wrong.py:first", "wrong.py, line 3: SyntaxError"),
            ("raising.py:first", "raising.py, line 2: ZeroDivisionError: division by zero"),
            ("leaving.py:first", "leaving.py, line 2: it ends the program"),
            ("lacking.py:first", "lacking.py, line 1: ModuleNotFoundError"),
            ("lacking:first", "lacking.py, line 1: ModuleNotFoundError"),
            ("mein.py:careful", "no such file: mein.py; did you mean mine.py?"),
            ("mine.py", "which player? write mine.py:NAME"),
            ("mine.py:", "which player? write mine.py:NAME"),
            ("mine.py:careful:2", "'2' is not of the form option=value"),
            ("mine.py:careful:bolness=2", "did you mean boldness?"),
            ("mine.py:careful:boldness=9", "boldness: 9 is not between 0 and 5"),
            ("mine.py:policy:a=1", "policy has no option a; its options: none"),
            ("igi:x", "no strategy and no module is called igi; did you mean iggi?"),
            ("rulebased:hint-rule=2", "did you mean rule-based?"),
            ("iggy", "did you mean iggi?"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_line(
        self, text: str, said: str, command: Callable[..., Answer]
    ) -> None:
        code, out, err = command("simulate", text, "--games", "1")
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1

    @pytest.mark.parametrize("start", ["C:\\bots\\", "C:/bots/", "odd:name/"])
    def test_a_drive_letter_belongs_to_the_file(self, start: str) -> None:
        with pytest.raises(StrategyError) as caught:
            load_player(f"{start}mine.py:careful:boldness=2")
        assert f"no such file: {start}mine.py" in str(caught.value)

    def test_options_are_read_after_the_name(self) -> None:
        for place in ("mine.py:careful", "mine:careful"):
            strategy, values = read_player(f"{place}:boldness=2,safe=3")
            assert values == {"boldness": "2", "safe": "3"}
            assert strategy.with_options(**values).label == f"{place}:boldness=2,safe=3"


@pytest.mark.usefixtures("folder")
class TestEveryCommand:
    OWN = "mine.py:careful:boldness=2"

    @pytest.mark.parametrize(
        "line",
        [
            ("play", OWN, "--players", "2"),
            ("play", "mine.py:careful:boldness=2", "--players", "2"),
            ("simulate", OWN, "iggi", "--games", "2"),
            ("compare", OWN, "mine.py:careful", *SHORT),
            ("crossplay", OWN, "random", *SHORT),
            ("leaderboard", OWN, "--games", "2"),
            ("bench", "strategies", OWN, "--seconds", "0.001"),
            ("strategies", OWN),
        ],
        ids=lambda line: line[0],
    )
    def test_it_takes_files(self, line: tuple[str, ...], command: Callable[..., Answer]) -> None:
        code, out, err = command(*line)
        assert code == 0, err
        assert "boldness=2" in out or line[0] in ("play", "strategies")

    def test_misspelt_flags_are_close_to_something(self, command: Callable[..., Answer]) -> None:
        for words in (("mine.py:careful", "--bolness", "3"), ("--bolness=3", "mine.py:careful")):
            code, out, err = command("simulate", *words)
            assert (code, out) == (2, "")
            meant = "did you mean mine.py:careful:boldness=3?"
            assert f"hanabilab simulate: unknown option --bolness; {meant}" in err
        err = command("simulate", "mine.py:careful:safe=1", "--boldness", "3")[2]
        assert "unknown option --boldness; write mine.py:careful:safe=1,boldness=3 (" in err
        assert "unknown option --boldness" in command("play", "raising.py:x", "--boldness", "3")[2]
        assert "did you mean classic?" in command("play", "random", "--rules", "clasic")[2]

    def test_options_are_swept(self, command: Callable[..., Answer]) -> None:
        code, out, err = command("sweep", "mine.py:careful", "--vary", "boldness=0:2:1", *SHORT)
        assert code == 0, err
        assert out.startswith("mine.py:careful: 2 players")
        assert "best: boldness=" in out

    def test_an_edited_file_does_not_go_on_with_old_figures(
        self, folder: Path, command: Callable[..., Answer]
    ) -> None:
        grid = ("--vary", "boldness=1,2", "--save", "grid.csv")
        line = ("sweep", "mine.py:careful", *grid, *SHORT)
        assert command(*line)[0] == 0
        assert "2 of 2 cells were already" in command(*line)[2]
        with (folder / "beside.py").open("a") as file:
            file.write("\n# edited")
        code, _, err = command(*line)
        assert (code, err.count("\n")) == (2, 1)
        assert "has sources" in err

    def test_an_error_shows_the_command_that_repeats_it(
        self, folder: Path, command: Callable[..., Answer]
    ) -> None:
        (folder / "bad.py").write_text("def act(view, memory):\n    return 1 // 0\n")
        code, out, err = command("simulate", "bad.py:act", *SHORT, "--seed", "7")
        assert (code, out) == (2, "")
        assert "see it with  hanabilab play bad.py:act --players 2 --seed 7 --game 0" in err

    def test_options_are_tuned(self, command: Callable[..., Answer]) -> None:
        search = ("--vary", "boldness=0:2", "--budget", "3", "--final-games", "2", *SHORT, "--json")
        code, out, err = command("tune", "mine.py:careful:safe=2", *search)
        assert code == 0, err
        found = json.loads(out)
        assert found["strategy"] == "mine.py:careful"
        assert found["best"]["options"].keys() == {"boldness"}

    def test_the_page_offers_them(self) -> None:
        try:
            assert offer_player("mine.py:careful:boldness=2").label == "careful:boldness=2"
            assert find_strategy("careful").option("boldness") == 2
            assert offer_player("rule-based:hint-rule=2").label == "rule-based:hint-rule=2"
            assert find_strategy("rule-based").option("hint_rule") == 2
        finally:
            STRATEGIES.pop("careful", None)
            STRATEGIES.update({strategy.name: strategy for strategy in OWN})


ENTRY_POINTS = """
[hanabilab.strategies]
somebody = somebodys_bot:bold
first = somebodys_bot:first
broken = somebodys_bot:nowhere
lost = no_such_module_at_all:x
iggi = somebodys_bot:bold
"""
PACKAGE = """
import hanabilab.author as ha
from hanabilab.game import nth_legal

bold = ha.Strategy("its own name", lambda view, memory: nth_legal(view, 0))
def first(observation, legal_moves):
    return legal_moves[0]
"""


class TestOffers:
    @pytest.fixture(autouse=True)
    def package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """A real package with its metadata, and a folder of files."""
        (tmp_path / "somebodys_bot.py").write_text(PACKAGE)
        about = tmp_path / "somebodys_bot-1.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: somebodys-bot\nVersion: 1.2\n"
        )
        (about / "entry_points.txt").write_text(ENTRY_POINTS)
        files = tmp_path / "files"
        files.mkdir()
        (files / "my-own.py").write_text("def my_own(observation, legal_moves): return 0")
        (files / "bad.py").write_text("1 / 0")
        (files / "_helper.py").write_text("1 / 0")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("HANABILAB_STRATEGIES", str(files))
        plugins.package_plugins.cache_clear()
        yield
        plugins.package_plugins.cache_clear()
        sys.modules.pop("somebodys_bot", None)

    def test_nothing_is_imported_before_it_is_needed(self) -> None:
        found, _ = plugins.find_plugins()
        assert {"somebody", "first", "broken", "lost", "my-own", "bad"} <= found.keys()
        assert "_helper" not in found
        assert "somebodys_bot" not in sys.modules
        assert find_strategy("somebody").label == "somebody"
        assert "somebodys_bot" in sys.modules

    def test_they_play_by_name(self, command: Callable[..., Answer]) -> None:
        for name in ("somebody", "first"):
            code, out, err = command("simulate", name, *SHORT, "--json")
            assert (code, err) == (0, "")
            assert json.loads(out)["strategy"] == name
        assert "did you mean somebody?" in command("simulate", "sombody", *SHORT)[2]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("odd = not a module!", "the entry point odd = not a module! is malformed"),
            ("no equals sign", "the entry points of bad-bot cannot be read"),
        ],
    )
    def test_a_malformed_one_breaks_no_other(
        self, tmp_path: Path, command: Callable[..., Answer], line: str, problem: str
    ) -> None:
        about = tmp_path / "bad_bot-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-bot\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[hanabilab.strategies]\n{line}\n")
        plugins.package_plugins.cache_clear()
        for name in ("somebody", "iggi"):
            assert command("simulate", name, *SHORT)[0] == 0
        code, out, err = command("strategies")
        assert code == 0
        assert "\n  somebody" in out
        assert f"hanabilab strategies: {problem}\n" in err
        assert problem in command("simulate", problem.split()[3], *SHORT)[2]

    def test_one_that_prints_when_it_is_imported(
        self, tmp_path: Path, command: Callable[..., Answer]
    ) -> None:
        about = tmp_path / "chatty_bot-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: chatty-bot\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[hanabilab.strategies]\nchatty = chatty_bot:first")
        for file, name in (("chatty_bot.py", "first"), ("files/talker.py", "talker")):
            code = f"print('hello')\ndef {name}(observation, legal_moves): return legal_moves[0]\n"
            (tmp_path / file).write_text(code)
        plugins.package_plugins.cache_clear()
        for name in ("chatty", "talker"):
            exit_code, out, err = command("simulate", name, *SHORT, "--json")
            assert (exit_code, err) == (0, "hello\n")
            assert json.loads(out)["strategy"] == name

    def test_they_are_listed_and_a_broken_one_is_a_line(
        self, command: Callable[..., Answer]
    ) -> None:
        code, out, err = command("strategies")
        assert code == 0
        assert "\n  somebody" in out
        assert "\n  my-own" in out
        assert "\n  source   somebodys-bot 1.2\n" in command("strategies", "somebody")[1]
        warnings = err.splitlines()
        assert all(line.startswith("hanabilab strategies: ") for line in warnings)
        for words in (
            "broken, offered by somebodys-bot 1.2: somebodys_bot has no nowhere",
            "lost, offered by somebodys-bot 1.2: no strategy and no module is called no_such",
            "somebodys-bot 1.2 offers iggi, a name that is taken",
            "bad.py, line 1: ZeroDivisionError",
        ):
            assert sum(words in line for line in warnings) == 1, words
        assert len(warnings) == 4
        assert find_strategy("iggi") == STRATEGIES["iggi"]

    def test_a_broken_one_is_refused_by_name(self, command: Callable[..., Answer]) -> None:
        code, out, err = command("simulate", "broken", *SHORT)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "somebodys_bot has no nowhere" in err

    def test_all_are_known(self) -> None:
        known, problems = known_strategies()
        assert [strategy.name for strategy in OWN] == list(known)[: len(OWN)]
        assert known["somebody"].about.source == "somebodys-bot 1.2"
        assert len(problems) == 4


def test_a_suggestion_is_close_or_none() -> None:
    assert did_you_mean("Hint_Rule", ["hint-rule", "discard-rule"]) == "; did you mean hint-rule?"
    assert did_you_mean("xyzzy", ["hint-rule", "discard-rule"]) == ""
