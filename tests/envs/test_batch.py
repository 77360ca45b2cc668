"""Many games at once against the same games one by one."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hanabilab import Game, HanabiError, Rules, preset
from hanabilab.core.random import Rng, private_stream
from hanabilab.envs import BatchEnv, Encoder
from hanabilab.envs.batch import Step, loops
from hanabilab.envs.batch.env import AUTORESET
from hanabilab.envs.batch.kernels import (
    DEAL,
    RANDOM_PLAY,
    STEP,
    Batch,
    BatchOptions,
    EnvRecord,
    Outputs,
    play_games,
    sample_games,
)
from hanabilab.errors import ActionError, DeckError, RulesError
from hanabilab.game.actions import Event, count_actions, decode_action, random_action
from hanabilab.game.deck import card_multiset
from hanabilab.game.encoding import KINDS, Layout, no_event
from hanabilab.game.state import State, initial_state
from hanabilab.game.turn import take_turn
from tests.tables import SPECIAL

TINY = Rules(players=3, hand_size=2, ranks=3, suits=2, copies=((2, 2, 1),), lives=2, hint_tokens=2)


def compare_with_games(env: BatchEnv, steps: int) -> None:
    """Every place plays its games as `Game` does."""
    n, rules = env.num_envs, env.rules
    encoder = Encoder(rules)
    observations, masks = env.reset(7)
    games = [Game(rules, seed=7, game=place) for place in range(n)]
    numbers = list(range(n))
    for _ in range(steps):
        for place, game in enumerate(games):
            legal = [action.number(game.state) for action in game.legal_actions()]
            assert np.flatnonzero(masks[place]).tolist() == legal
            assert np.array_equal(observations[place], encoder.encode(game))
        assert env.current_players.tolist() == [game.player for game in games]
        assert env.game_numbers.tolist() == numbers
        actions = env.sample()
        observations, rewards, done, masks = env.step(actions)
        for place, game in enumerate(games):
            before = game.score
            game.act(int(actions[place]))
            assert rewards[place] == game.score - before
            assert done[place] == game.is_over
            if game.is_over:
                assert env.final_scores[place] == game.score
                numbers[place] += n
                games[place] = Game(rules, seed=7, game=numbers[place])


@pytest.mark.parametrize("players", [2, 5])
def test_games_of_the_learning_environment(players: int) -> None:
    compare_with_games(BatchEnv(3, players), 60)


def test_other_rules_and_floats() -> None:
    compare_with_games(BatchEnv(4, rules=TINY, dtype="float32"), 60)


def interpreted(rules: Rules, n: int, seed: int, layout: Layout) -> tuple[Batch, Any]:
    parts: list[Any] = [
        [State() for _ in range(n)],
        [card_multiset(rules) for _ in range(n)],
        [Event() for _ in range(n)],
        [[0] * count_actions(initial_state(rules)) for _ in range(n)],
        [EnvRecord(seed=seed, number=number, learner=-1) for number in range(n)],
        [Event() for _ in range(n)],
        [State() for _ in range(n)],
        [BatchOptions(stride=n)],
        [initial_state(rules)],
        [no_event()],
        [layout],
        card_multiset(rules),
    ]
    return Batch(*parts), [[0] * layout.length for _ in range(n)]


@pytest.mark.parametrize("kind", KINDS)
def test_interpreted_equals_compiled(kind: str) -> None:
    env = BatchEnv(3, rules=TINY, seed=5, observation=kind)
    assert env.encoder
    batch, rows = interpreted(TINY, 3, 5, env.encoder.layout)
    observations, masks = env.reset()
    actions, rewards, done = [0] * 3, [0] * 3, [0] * 3
    written: list[Any] = [rows, [], [], [], rewards, done]
    outputs = Outputs(*written)
    play_games(0, 3, DEAL, batch, [1] * 3, [], outputs)
    for _ in range(40 if kind == "canonical" else 12):
        assert observations.tolist() == rows
        assert masks.tolist() == batch.masks
        chosen = env.sample()
        sample_games(0, 3, batch, actions)
        assert chosen.tolist() == actions
        result = env.step(chosen)
        assert play_games(0, 3, STEP, batch, actions, [], outputs) == -1
        assert (result.rewards.tolist(), result.done.tolist()) == (rewards, done)
        observations, masks = result.observations, result.action_masks


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", [TINY, preset("hle", 2), preset("hle", 5), *SPECIAL[:2]])
def test_every_entry_is_written(rules: Rules, kind: str, dtype: str) -> None:
    """In turns, first observations and last ones, whatever the arrays held before."""
    env = BatchEnv(3, rules=rules, observation=kind, dtype=dtype, seed=5)
    encoder, out = Encoder(rules, kind), env.buffers()
    finals, ends = env.buffers().observations, 0
    env.reset(out=out)
    while ends < 4:
        for place in range(3):
            seen = encoder.encode(env.state(place), last=env.last_event(place))
            assert out.observations[place].tolist() == seen.tolist()
        out.observations.fill(9)
        finals.fill(9)
        played = [Game(rules, seed=5, game=int(number)) for number in env.game_numbers]
        states = [env.state(place) for place in range(3)]
        actions = env.sample()
        env.step(actions, out=out, final_observations=finals)
        for place in np.flatnonzero(out.done).tolist():
            state, event, ends = states[place], Event(), ends + 1
            decode_action(state, int(actions[place]), event)
            take_turn(state, list(played[place].deck), event)
            seen = encoder.encode(state, last=event)
            assert finals[place].tolist() == seen.tolist()
        assert (finals[~out.done] == 9).all()


@pytest.mark.parametrize("autoreset", AUTORESET)
@pytest.mark.parametrize("partners", [None, "random"])
@pytest.mark.parametrize("rules", [TINY, preset("hle", 8, hand_size=3)])
def test_random_steps(
    rules: Rules, partners: str | None, autoreset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are what `step` makes of `sample`, also with more actions than bits."""
    monkeypatch.setattr(loops, "GAMES_A_THREAD", 1)
    settings: Any = {"rules": rules, "partners": partners, "autoreset": autoreset, "seed": 3}
    one, other = BatchEnv(4, **settings), BatchEnv(4, threads=2, **settings)
    for _ in range(30):
        expected = one.step(one.sample())
        for ours, theirs in zip(other.random_step(), expected, strict=True):
            assert np.array_equal(ours, theirs)
        if autoreset == "disabled" and expected.done.any():
            with pytest.raises(ActionError, match="is over: reset that place first"):
                other.random_step()
            one.reset_places(expected.done)
            other.reset_places(expected.done)


def test_random_actions_depend_on_the_game_and_its_turn_alone() -> None:
    env = BatchEnv(3, rules=TINY, seed=8)
    game = Game(TINY, seed=9)
    game.act("play 0")
    env.set_game(1, game)
    for step in range(25):
        expected = []
        for place, number in enumerate(env.game_numbers.tolist()):
            state = env.state(place)
            rng = Rng(stream=private_stream(8, number, RANDOM_PLAY + state.turn))
            expected.append(random_action(state, rng))
        assert env.sample().tolist() == expected
        env.random_step()
        if step == 12:
            other = BatchEnv(3, rules=TINY, seed=1)
            other.restore(env.snapshot())
            env = pickle.loads(pickle.dumps(other.copy()))


def test_small_batches_stay_on_one_thread() -> None:
    threads = threading.active_count()
    env = BatchEnv(2 * loops.GAMES_A_THREAD - 1, 2, observation=None, threads=2)
    env.step(env.sample())
    assert threading.active_count() == threads


def in_a_fork(function: Callable[[], object]) -> int:
    """Return the exit code of a forked process, 0 if all went well; one that hangs is killed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads
        child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        try:
            function()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_threads_in_a_forked_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "GAMES_A_THREAD", 1)
    env = BatchEnv(4, 2, threads=2)
    env.step(env.sample())
    assert in_a_fork(lambda: env.step(env.sample())) == 0
    assert in_a_fork(lambda: env.step([99] * 4)) == 1
    env.step(env.sample())


def test_what_cannot_be_filled() -> None:
    env = BatchEnv(2, 2)
    out: list[Any] = list(env.buffers())
    wrong: Any
    for wrong, message in (
        (7, "out: expected observations, rewards, done, action_masks, not a int"),
        ([None, *out[1:]], "observations: expected an array of uint8 or float32 .* not a NoneType"),
        ([*out[:3], [[True]]], "action_masks: expected an array of bool and .*, not a list"),
    ):
        with pytest.raises(HanabiError, match=message):
            env.step(env.sample(), out=wrong)
    with pytest.raises(HanabiError, match="out: expected an array of int64"):
        env.sample(out=[0, 0])  # type: ignore[arg-type]
    with pytest.raises(HanabiError, match="out: expected an array of uint8 or float32"):
        env.encode(out=[[0]])  # type: ignore[arg-type]


@pytest.mark.learn
def test_tensors_are_filled_without_a_copy() -> None:
    torch: Any = importlib.import_module("torch")
    env, twin = BatchEnv(3, 2, seed=2), BatchEnv(3, 2, seed=2)
    out: Any = Step(*map(torch.from_numpy, env.buffers("float32")))
    moves: Any = torch.zeros(3, dtype=torch.int64)
    for _ in range(20):
        assert env.sample(out=moves) is moves
        made: Any = env.step(moves, out=out)
        assert made is out
        for ours, theirs in zip(made, twin.step(np.asarray(moves)), strict=True):
            assert np.array_equal(ours.numpy(), theirs)
    with pytest.raises(HanabiError, match=r"observations: .* in main memory: "):
        env.step(moves, out=out._replace(observations=out.observations.to("meta")))
    with pytest.raises(HanabiError, match=r"rewards: expected an array of float32 .* of float64"):
        env.step(moves, out=out._replace(rewards=out.rewards.double()))


def test_an_illegal_action_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "GAMES_A_THREAD", 1)
    for threads in (1, 2):
        env = BatchEnv(4, 2, seed=1, threads=threads)
        actions = env.sample()
        before = env.snapshot()
        for place, action, message in (
            (
                2,
                0,
                r"game 2 of 4: action 0 \(discard slot 0\) is not legal; no game has moved",
            ),
            (3, 20, "actions: game 3 of 4: action 20 does not exist; actions are 0 to 19"),
            (0, -1, "actions: game 0 of 4: action -1 does not exist"),
        ):
            wrong = actions.copy()
            wrong[place] = action
            with pytest.raises(ActionError, match=message):
                env.step(wrong)
        for shape in (actions[:3], actions.astype(float), actions.reshape(2, 2)):
            with pytest.raises(ActionError, match="expected 4 integers"):
                env.step(shape)
        after = env.snapshot()
        assert all(np.array_equal(before[name], after[name]) for name in before)
        env.step(actions)


def test_the_callers_arrays() -> None:
    env, twin = BatchEnv(5, 3, seed=2), BatchEnv(5, 3, seed=2, dtype="float32")
    out = env.buffers()
    for _ in range(30):
        actions = env.sample(out=np.zeros(5, np.int64))
        assert env.step(actions, out=out) is out
        other = twin.step(actions.astype(np.int32))
        assert other.observations.dtype == np.float32
        for ours, theirs in zip(out, other, strict=True):
            assert np.array_equal(ours, theirs)
    seen, masks = env.reset(out=out)
    assert seen is out.observations
    assert masks is out.action_masks
    with pytest.raises(HanabiError, match=r"rewards: expected an array of float32 and"):
        env.step(env.sample(), out=out._replace(rewards=np.zeros(5)))  # type: ignore[arg-type]
    with pytest.raises(HanabiError, match="observations: expected an array of uint8 or float32"):
        env.step(env.sample(), out=out._replace(observations=np.zeros((5, 2), np.uint8)))
    own = list(env.buffers())
    assert all(
        made is given for made, given in zip(env.step(env.sample(), out=own), own, strict=True)
    )
    assert own[0].any()
    with pytest.raises(HanabiError, match="out: expected observations, rewards, done, action_m"):
        env.step(env.sample(), out=own[:3])


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "GAMES_A_THREAD", 1)
    alone, together = BatchEnv(7, 2, seed=3), BatchEnv(7, 2, seed=3, threads=3)
    assert together._loops.threads == 3
    for _ in range(50):
        actions = alone.sample()
        assert np.array_equal(actions, together.sample())
        for ours, theirs in zip(alone.step(actions), together.step(actions), strict=True):
            assert np.array_equal(ours, theirs)


def play_on(steps: int, **settings: Any) -> tuple[float, int, int]:
    """Return all rewards, the scores of the finished games, and those of the others so far."""
    env = BatchEnv(20, 2, seed=1, observation=None, **settings)
    rewards, finals = 0.0, 0
    for _ in range(steps):
        result = env.step(env.sample())
        assert result.observations.shape == (20, 0)
        if settings.get("reward") == "final":
            assert not result.rewards[~result.done].any()
        rewards += float(result.rewards.sum())
        finals += int(env.final_scores[result.done].sum())
    return rewards, finals, int(env.scores.sum())


def test_rewards() -> None:
    rewards, finals, running = play_on(60)
    assert rewards == finals + running
    kept, kept_finals, running = play_on(60, keep_points=True)
    assert kept == kept_finals + running
    assert kept_finals > finals
    only_final, finals, _ = play_on(60, keep_points=True, reward="final")
    assert only_final == finals == kept_finals


def test_other_seats_observe_too() -> None:
    env = BatchEnv(2, 4, seed=6)
    game = Game(env.rules, seed=6, game=1)
    action = env.sample()
    env.step(action)
    game.act(int(action[1]))
    encoder = Encoder(env.rules)
    for offset in range(4):
        rows = env.encode(offset)
        assert np.array_equal(rows[1], encoder.encode(game, (game.player + offset) % 4))


def test_everyone_observes_and_a_critic_sees_all() -> None:
    env = BatchEnv(2, 3, seed=6)
    game = Game(env.rules, seed=6, game=1)
    for _ in range(3):
        actions = env.sample()
        env.step(actions)
        game.act(int(actions[1]))
    encoder = Encoder(env.rules)
    expected = [encoder.encode(game, player).tolist() for player in range(3)]
    everyone = env.encode_everyone(out=np.ones((2, 3, encoder.length), np.float32))
    assert everyone[1].tolist() == expected
    assert env.encode(seat=2)[1].tolist() == expected[2]
    full = env.full_states()
    assert full.shape == (2, env.state_length)
    assert full[1].tolist() == Encoder(env.rules, "state").encode(game).tolist()
    with pytest.raises(HanabiError, match="seat: 3 is not between 0 and 2"):
        env.encode(seat=3)
    with pytest.raises(HanabiError, match="made without an encoding"):
        BatchEnv(2, observation=None).encode_everyone()
    assert BatchEnv(2, observation=None).full_states().any()


def test_what_would_have_been_done() -> None:
    env = BatchEnv(2, 2, seed=3, observation="sad")
    encoder = Encoder(env.rules, "sad")
    legal = np.flatnonzero(env.action_masks[1])
    made = env.step([legal[0], legal[0]], greedy=[legal[0], legal[-1]])
    game, other = (Game(env.rules, seed=3, game=1) for _ in range(2))
    game.act(int(legal[0]))
    other.act(int(legal[-1]))
    expected = encoder.encode(game, greedy=other.events[-1])
    assert made.observations[1].tolist() == expected.tolist()
    with pytest.raises(ActionError, match="greedy: game 1 of 2: action 99 does not exist"):
        env.step(env.sample(), greedy=[5, 99])


def test_seeds_and_resets_of_single_places() -> None:
    env = BatchEnv(3, 2, seed=[8, 9, 7])
    assert env.state(1) == Game(env.rules, seed=9).state
    env.step(env.sample())
    env.reset_places([1])
    assert (env.turns.tolist(), env.game_numbers.tolist()) == ([1, 0, 1], [0, 1, 0])
    assert env.state(1) == Game(env.rules, seed=9, game=1).state
    env.reset_places(np.array([True, False, True]), [4, 5])
    assert (env.seeds.tolist(), env.game_numbers.tolist()) == ([4, 9, 5], [0, 1, 0])
    _, masks = env.reset()
    assert env.game_numbers.tolist() == [0, 0, 0]
    assert env.seeds.tolist() == [4, 9, 5]
    assert np.array_equal(masks, env.action_masks)
    wrong: Callable[[], object]
    for wrong, message in (
        (lambda: env.reset([1, 2]), "seed: 2 seeds for 3 places"),
        (lambda: env.reset_places([3]), "places: 3 is not between 0 and 2"),
        (lambda: env.reset_places([0.5]), "places: expected 3 booleans, or numbers"),
        (lambda: env.reset_places([0], [1, 2]), "seeds: 2 for 1 places"),
        (lambda: BatchEnv(2, 2).reset_places([0], [1]), "reset with a seed for each place first"),
    ):
        with pytest.raises(HanabiError, match=message):
            wrong()


def test_any_player_may_begin() -> None:
    env, usual = BatchEnv(60, 3, seed=2, random_first_player=True), BatchEnv(60, 3, seed=2)
    first = env.current_players
    assert set(first.tolist()) == {0, 1, 2}
    assert np.array_equal(env._batch.decks, usual._batch.decks)
    assert np.array_equal(env.encode()[first == 0], usual.encode()[first == 0])
    env.step(env.sample())
    assert np.array_equal(env.current_players, (first + 1) % 3)
    env = BatchEnv(60, 3, seed=2, random_first_player=True, partners="iggi", seat=1)
    assert env.turns.tolist() == ((1 - first) % 3).tolist()


def test_saving_copying_and_setting() -> None:
    env = BatchEnv(3, 2, seed=4)
    for _ in range(10):
        env.step(env.sample())
    twin, saved = env.copy(), env.snapshot()
    pickled = pickle.loads(pickle.dumps(env)).snapshot()
    assert all(map(np.array_equal, pickled.values(), saved.values()))
    later = [env.step(env.sample()) for _ in range(20)]
    again = [twin.step(twin.sample()) for _ in range(20)]
    env.restore(saved)
    third = [env.step(env.sample()) for _ in range(20)]
    for one, two, three in zip(later, again, third, strict=True):
        assert all(np.array_equal(a, b) and np.array_equal(a, c)
                   for a, b, c in zip(one, two, three, strict=True))  # fmt: skip
    with pytest.raises(HanabiError, match="not games of this environment"):
        BatchEnv(4, 2).restore(saved)
    game = Game(env.rules, seed=11)
    game.act("play 0")
    env.set_game(1, game)
    assert env.state(1) == game.state
    result = env.step(env.sample())
    assert result.done[1] in (True, False)
    with pytest.raises(HanabiError, match="not played by the rules"):
        env.set_game(0, Game(preset("hle", 3)))


def test_numpy_integers_are_whole_numbers() -> None:
    one, two = np.int64(1), np.int32(2)
    env = BatchEnv(two, two, seed=one, threads=one)  # type: ignore[arg-type]
    assert (type(env.num_envs), type(env.seed), type(env.rules.players)) == (int, int, int)
    assert np.array_equal(env.encode(one), BatchEnv(2, 2, seed=1).encode(1))  # type: ignore[arg-type]
    assert env.state(one) == Game(env.rules, seed=1, game=1).state  # type: ignore[arg-type]


def test_bad_settings() -> None:
    for settings, error in (
        ({"n": 0}, HanabiError),
        ({"n": 2, "threads": 0}, HanabiError),
        ({"n": 2, "reward": "much"}, HanabiError),
        ({"n": 2, "dtype": "int8"}, HanabiError),
        ({"n": 2, "dtype": "bytes of some kind"}, HanabiError),
        ({"n": 2, "rules": 3}, RulesError),
        ({"n": 2, "observation": "tiny"}, HanabiError),
        ({"n": 2, "seed": -1}, DeckError),
        ({"n": 2, "rules": "nobody"}, RulesError),
        ({"n": 2, "rules": TINY, "players": 2}, HanabiError),
    ):
        with pytest.raises(error):
            BatchEnv(**settings)
