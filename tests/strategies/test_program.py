"""Programs at the table: they play like strategies, see no more than those, and always end."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import Answer
from tests.programs import InProcess, alive, script
from tests.strategies.test_conformance import STRATEGIES
from tests.tables import SPECIAL, UNUSUAL, random_deck

import hanabilab as hl
import hanabilab.author as ha
from hanabilab import Deck, Game, play, preset, simulate
from hanabilab.author import Strategy, from_program
from hanabilab.errors import StrategyError
from hanabilab.lab.validation.replay import redeal_hidden_cards, replay
from hanabilab.strategies import find_strategy, program, registered_strategy
from hanabilab.strategies.load import load_player

HANABILAB = f"{sys.executable} -m hanabilab"

ONE_OF_EACH_KIND = (
    *("random", "rule-based", "monte-carlo", "piers", "recommendation", "information"),
    *("hatter", "duo", "search"),
)

needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc")


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> dict[int, list[bytes]]:
    """Seat strategies that are served in this process; return what they hear."""
    monkeypatch.setattr(program, "Process", InProcess)
    monkeypatch.setattr(InProcess, "heard", {})
    return InProcess.heard


def first_legal() -> Strategy:
    """Return the strategy that the script plays."""
    return Strategy(
        "first",
        lambda view, memory: hl.game.nth_legal(view, 0),
        support=ha.RuleSupport(special_hints=True),
    )


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_a_served_strategy_plays_as_at_its_own_table(name: str) -> None:
    """Action by action, random numbers and memories included."""
    strategy = STRATEGIES[name]
    players = next(p for p in (3, 2, 4) if strategy.why_not(preset("classic", p)) is None)
    deck = Deck.shuffled(preset("classic", players), seed=5, game=2)
    served = from_program([strategy.label])
    real = play(strategy, deck, seed=5, game=2, repeat=1)
    assert play(served, deck, seed=5, game=2, repeat=1) == real


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("rules", [UNUSUAL[4], UNUSUAL[6], SPECIAL[0]])
def test_unusual_rules_are_served_too(rules: hl.Rules) -> None:
    deck = random_deck(rules, random.Random(4))
    name = "random" if find_strategy("iggi").why_not(rules) else "iggi"
    assert play(from_program([name]), deck, seed=4) == play(name, deck, seed=4)


def test_hidden_cards_do_not_change_a_byte(in_process: dict[int, list[bytes]]) -> None:
    rules = preset("classic", 3)
    strategy = from_program(["iggi"])
    rng = random.Random(1)
    compared = others_differ = 0
    for seed in (20, 21):
        game = play("iggi", Deck.shuffled(rules, seed=seed), seed=seed)
        for turn in rng.sample(range(game.turn), 3):
            other = redeal_hidden_cards(game, turn, rng)
            if other is None:
                continue
            heard = []
            for deck in (game.deck, other):
                in_process.clear()
                list(replay(strategy, game, deck, seed, 0, range(3), turn))
                heard.append({seat: list(lines) for seat, lines in in_process.items()})
            me = turn % 3
            assert heard[0][me] == heard[1][me]
            others_differ += heard[0] != heard[1]
            compared += 1
    assert compared > 3
    assert others_differ == compared


def test_a_process_plays_exactly_as_the_strategy_it_serves() -> None:
    """With options in the command and in the start of the game, in seats of different kinds."""
    deck = Deck.shuffled(players=3, seed=6)
    served = [
        load_player(f"exec:hint-rule=2 {HANABILAB} engine rule-based:play-threshold=0.7"),
        find_strategy("piers"),
        load_player(f"exec:{HANABILAB} engine random"),
    ]
    real = ["rule-based:hint-rule=2,play-threshold=0.7", "piers", "random"]
    assert play(served, deck, seed=6) == play(real, deck, seed=6)


@needs_proc
def test_threads_have_their_own_processes_and_leave_no_trace(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    player = script(tmp_path, before=f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')")
    expected = simulate(first_legal(), players=2, games=12, seed=3).statistics()
    for threads in (1, 3):
        pids.unlink(missing_ok=True)
        strategy = load_player(player)
        result = simulate(strategy, players=2, games=12, seed=3, threads=threads, chunk=1)
        assert result.statistics() == expected
        assert result.threads == threads
        started = [int(line) for line in pids.read_text().split()]
        assert threads <= len(started) / 2 <= threads + threads // 2
        assert all(map(alive, started))
        del strategy, result
        gc.collect()
        assert not any(map(alive, started))


def test_crossplay_and_compare_seat_programs(
    tmp_path: Path, command: Callable[..., Answer]
) -> None:
    player = script(tmp_path)
    arguments = ("--players", "2", "--games", "2", "--seed", "1", "--time-limit", "30")
    bold = player.replace("exec:", "exec:mood=bold ")
    code, out, _ = command("crossplay", player, bold, *arguments)
    assert code == 0
    assert out.count("exec:time-limit=30 mood=bold ") == 4
    code, out, _ = command("compare", player, bold, *arguments)
    assert code == 0
    assert "exec:time-limit=30 mood=bold " in out
    code, out, err = command("play", player, "iggi", *arguments[:2], "--explain", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["actions"][0]["type"] == "play"


WRONG = {
    "dies": ("sys.exit('out of ideas')", "it ended with exit code 1", "out of ideas"),
    "crashes": ("os.kill(os.getpid(), 11)", "it was ended by SIGSEGV", ""),
    "raises": ("[][0]", "it ended with exit code 1", "IndexError: list index out of range"),
    "is late": (
        "print('thinking', file=sys.stderr, flush=True); time.sleep(1000)",
        "it gave no answer within 0.2 seconds",
        "thinking",
    ),
    "says nonsense": ("print('hallo', flush=True)", "'hallo' is not JSON", ""),
    "says too much": ("print('x' * 3_000_000)", "it answered with more than 1,048,576 bytes", ""),
    "answers twice": (
        'print(\'{"type": "action", "action": "play 0"}\')',
        "it spoke without being asked",
        "",
    ),
    "answers late": (
        'print(\'{"type": "action", "action": "play 0", "turn": 0}\', flush=True)',
        "it answered turn 0, not turn 2",
        "",
    ),
    "cannot count": ("answer = 'play 9'", "'play 9' is not a legal action; expected play 0", ""),
    "answers for another": (
        "answer = {'type': 'play', 'slot': 0, 'player': 1}",
        "it answered for player 1, not for 0",
        "",
    ),
    "leaves a child": (  # which holds its output open, so that the pipe does not end
        "os.fork() and os._exit(7); time.sleep(1000)",
        "it ended with exit code 7",
        "",
    ),
    "answers a number": ("answer = 1e3", "action: 1000.0 is not an integer", ""),
    "hangs up": ("os.close(1); time.sleep(1000)", "it closed its standard output", ""),
    "shouts": (
        "sys.stderr.write('x' * 300_000 + '\\nlast\\n'); sys.stderr.flush(); sys.exit(3)",
        "it ended with exit code 3",
        "last",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_program_does_wrong_is_said_in_one_line(
    name: str, tmp_path: Path, command: Callable[..., Answer]
) -> None:
    turn, problem, said = WRONG[name]
    player = script(tmp_path, turn=f"if view['turn'] >= 2: {turn}")
    limit = "0.2" if name == "is late" else "60"
    for words in (["play"], ["simulate", "--games", "3", "--threads", "2"]):
        rules = ("--players", "2", "--set-rule", "lives=unlimited", "--time-limit", limit)
        code, out, err = command(*words, player, *rules)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
        noticed = ["0, failed in turn 3"]
        if name == "answers twice":  # when each player is asked again, or one turn later
            noticed = ["0, failed in turn 5", "1, failed in turn 6"]
        assert any(f"a program.py', player {place} of game " in err for place in noticed)
        assert f" of seed 0: {problem}" in err
        assert err.rstrip().endswith(f"standard error: {said}") if said else "error:" not in err


@pytest.mark.parametrize(
    ("player", "problem"),
    [
        ("exec:no-such-program -x", ": no-such-program cannot be started: "),
        ("exec:/etc/passwd", "/etc/passwd cannot be started: Permission denied"),
        ("exec:", "which program? write exec:COMMAND"),
        ("exec:time-limit=2", "which program? write exec:COMMAND"),
        ("exec:python 'bot.py", "exec:python 'bot.py: No closing quotation"),
        ("exec:time-limit=0 python3", "time-limit: 0 is not between"),
        ("exec:time-limit=soon python3", "time-limit: 'soon' is not a number"),
        (f"exec:{sys.executable} -c pass", "it ended with exit code 0"),
        (
            f"exec:{sys.executable} -c "
            + shlex.quote("""print('{"type": "hello", "protocol": 9}')"""),
            "protocol: version 9 is not spoken here, only 1",
        ),
        (f"exec:{HANABILAB} engine cheat", "cheat looks at its own cards"),
        (f"exec:{HANABILAB} engine duo", "duo cannot play this"),
    ],
)
def test_programs_that_cannot_play_are_refused(
    player: str, problem: str, command: Callable[..., Answer]
) -> None:
    code, out, err = command("play", player, "--players", "3")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert problem in err


def test_a_slow_strategy_sits_beside_a_program_as_one(command: Callable[..., Answer]) -> None:
    for words in (["play"], ["simulate", "--games", "1"]):
        code, _, err = command(*words, "exec:true", "search:pile=3", "--players", "2")
        assert code == 2
        assert "seat it as one, exec:hanabilab engine search:pile=3" in err


def test_the_command_may_contain_anything(tmp_path: Path) -> None:
    """No shell reads it, and what it is called can be given again."""
    target = tmp_path / "told"
    words = ["a:b", "c,d=e", "it's", '"f g"', "$HOME", ";ls", "*"]
    code = f"import sys; open({str(target)!r}, 'w').write(repr(sys.argv[1:]))"
    player = f"exec:size=2:3 {shlex.join([sys.executable, '-c', code, *words])}"
    strategy = load_player(player)
    assert strategy.label == load_player(strategy.label).label
    assert "size=2:3" in strategy.label
    with pytest.raises(StrategyError, match="exit code 0"):
        play(strategy, Deck.shuffled(players=2))
    assert target.read_text() == repr(words)


def test_options_and_the_stream_reach_the_program(tmp_path: Path) -> None:
    target = tmp_path / "starts"
    note = f"if message['type'] == 'start': open({str(target)!r}, 'a').write(line)"
    player = script(tmp_path, hear=note)
    strategy = load_player(player.replace("exec:", "exec:mood=bold time-limit=9 level=3 "))
    simulate(strategy, players=2, games=1, seed=7)
    starts = [json.loads(line) for line in target.read_text().splitlines()]
    assert sorted(start["seat"] for start in starts) == [0, 1]
    assert all(start["options"] == {"mood": "bold", "level": "3"} for start in starts)
    assert len({start["stream"] for start in starts}) == 2
    assert starts[0]["rules"]["players"] == 2
    assert strategy.option("time_limit") == 9


@needs_proc
@pytest.mark.parametrize("end", ["pass", "if view and view['turn'] >= 2: sys.exit(3)"])
def test_children_in_sessions_of_their_own_are_ended_too(tmp_path: Path, end: str) -> None:
    """Start a daemon, which has neither its parent nor its process group, from each program."""
    target = tmp_path / "daemons"
    daemon = (
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if not os.fork():\n"
        f"        open({str(target)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "        for number in range(3): os.close(number)\n"
        "        time.sleep(1000)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    before = f"{daemon}while not os.path.exists({str(target)!r}): time.sleep(0.01)"
    player = load_player(script(tmp_path, before=before, hear=end))
    with contextlib.suppress(StrategyError):
        play(player, Deck.shuffled(players=2))
    del player
    gc.collect()
    started = [int(line) for line in target.read_text().splitlines()]
    patience = time.monotonic() + 10
    while any(map(alive, started)):
        assert time.monotonic() < patience
        time.sleep(0.01)
    assert started


HEARING_SIGNALS = """
import signal, sys
from hanabilab.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
"""The command line with Ctrl-C as in a terminal, also if these tests run in the background."""


@needs_proc
@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (["play"], signal.SIGINT),
        (["simulate", "--threads", "2", "--games", "100"], signal.SIGINT),
        (["simulate", "--threads", "2", "--games", "100"], signal.SIGTERM),
    ],
)
def test_signals_end_programs_that_think(
    words: list[str], sent: signal.Signals, tmp_path: Path
) -> None:
    """Also those that ignore the end of their input and have children of their own."""
    pids = tmp_path / "pids"
    before = (
        "import subprocess, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '1000'])\n"
        f"note = lambda: open({str(pids)!r}, 'a').write(f'{{os.getpid()}} {{child.pid}}\\n')"
    )
    player = script(tmp_path, turn="note(); time.sleep(1000)", before=before)
    process = subprocess.Popen(
        [sys.executable, "-c", HEARING_SIGNALS, *words, player, "--players", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    thinking = 1 if words == ["play"] else 2
    while not (pids.exists() and len(pids.read_text().splitlines()) == thinking):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.rstrip().endswith("interrupted")
    started = [int(pid) for pid in pids.read_text().split()]
    patience = time.monotonic() + 10  # whoever adopts the grandchildren buries them
    while any(map(alive, started)):
        assert time.monotonic() < patience
        time.sleep(0.01)


@needs_proc
def test_games_that_are_forgotten_end_their_programs(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    player = script(tmp_path, before=f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')")
    strategy = load_player(player)
    game = Game(players=2, seed=1)
    actor = hl.envs.Actor(strategy, 0)
    game.act(actor.act(game))
    (pid,) = map(int, pids.read_text().split())
    assert alive(pid)
    del actor
    gc.collect()
    assert not alive(pid)
    assert play(strategy, Deck.shuffled(players=2, seed=1)).is_over


def children() -> set[int]:
    """Return the processes that this one has started and not buried, where they can be listed."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, rest = stat.parent.name, stat.read_text().rpartition(")")[2]
            if int(rest.split()[1]) == os.getpid():
                found.add(int(pid))
    return found


def test_children_are_seen() -> None:
    with subprocess.Popen(["sleep", "0.2"]) as process:
        assert process.pid in children() or not Path("/proc").exists()


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    """After each test, no process of it is left, not even as a zombie."""
    before = children()
    yield
    gc.collect()
    assert children() <= before


def test_names_from_elsewhere_run_nothing(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(StrategyError, match="a program cannot be named here"):
        registered_strategy(f"exec:touch {made}")
    (tmp_path / "own.py").write_text(f"open({str(made)!r}, 'w')\ndef act(view, memory): return 0\n")
    with pytest.raises(StrategyError, match="unknown strategy"):
        registered_strategy(f"{tmp_path / 'own.py'}:act")
    assert not made.exists()


def test_the_web_server_resolves_no_other_names() -> None:
    """Text of a request may not load a file: nothing of `web` uses the functions that do."""
    sources = (Path(hl.__file__).parent / "web").rglob("*.py")
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    assert "registered_strategy(" in text
    assert not re.search(r"\b(find_strategy|load_player|read_player)\b", text)
