"""The learners of the examples: short runs, the advantage by hand, and a seat at the table."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hanabilab as hl
from hanabilab.envs import BatchEnv
from tests.documents import wrong_prints

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.learn
EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ["--games", "4", "--horizon", "8", "--hidden", "8", "--test-games", "3"]


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    for name in ("learn", "ppo", "clone"):
        sys.modules.pop(name, None)


def trained(tmp_path: Path, *more: str) -> tuple[Any, Path]:
    ppo, file = importlib.import_module("ppo"), tmp_path / "learned.pt"
    ppo.main([*SMALL, "--steps", "64", "--threads", "1", "--out", str(file), *more])
    return ppo, file


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("kind", ["canonical", "features"])
def test_ppo_learns_and_sits_down(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curve = tmp_path / "curve.csv"
    _, file = trained(tmp_path, "--curve", str(curve), "--observation", kind)
    lines = curve.read_text().splitlines()
    assert lines[0] == "steps,minutes,score,stderr,fireworks,lost"
    assert [line.split(",")[0] for line in lines[1:]] == ["0", "64"]
    monkeypatch.setenv("HANABILAB_LEARNED", str(file))
    policy = importlib.import_module("learn").policy
    alone = hl.simulate(policy, players=2, rules="hle", games=2, seed=1)
    assert alone.strategy == "Learned"
    env = BatchEnv(3, 2, partners={policy: 1, "iggi": 1})
    env.step(env.sample())
    assert policy.observation_kind == kind
    observations, masks = BatchEnv(5, 2, seed=3, observation=kind).reset()
    chosen = policy.act_batch(observations, masks)
    one = {"observation": observations[2], "action_mask": masks[2].astype(np.int8)}
    assert policy(one, []) == chosen[2]
    assert masks[np.arange(5), chosen].all()


@pytest.mark.usefixtures("examples")
def test_advantages_by_hand() -> None:
    ppo = importlib.import_module("ppo")
    trainer = ppo.Trainer(
        ppo.Settings(games=2, horizon=3, hidden=4, threads=1, steps=6, precision="float32")
    )
    trainer.play()
    kept = trainer.rollout
    kept.rewards[:] = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    kept.done[:] = torch.tensor([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    with torch.no_grad():
        values = trainer.critic(kept.states.float()).squeeze(-1)
    advantages, targets = trainer.advantages()
    gamma, trace = 0.99, 0.95
    for game in range(2):
        for step in range(3):
            expected, weight = 0.0, 1.0
            for later in range(step, 3):  # until the game is over
                follows = 0.0 if kept.done[later, game] else float(values[later + 1, game])
                error = kept.rewards[later, game] + gamma * follows - values[later, game]
                expected += weight * float(error)
                weight *= gamma * trace
                if kept.done[later, game]:
                    break
            assert float(advantages[step, game]) == pytest.approx(expected, abs=1e-5)
    assert torch.allclose(targets, advantages + values[:-1])


@pytest.mark.usefixtures("examples")
def test_rewarded_actions_become_likelier() -> None:
    ppo = importlib.import_module("ppo")
    settings = ppo.Settings(games=8, horizon=16, hidden=16, threads=1, steps=10**6, batch=128)
    trainer = ppo.Trainer(settings)
    trainer.play()
    kept = trainer.rollout
    kept.rewards[:] = torch.where(kept.actions % 2 == 0, 1.0, -1.0)
    kept.done[:] = 1.0

    def even() -> float:
        with torch.no_grad():
            chances = trainer.actor(kept.observations.float(), kept.masks).softmax(-1)
        return float(chances[..., ::2].sum(-1).mean())

    before = even()
    for _ in range(10):
        trainer.improve()
    assert even() > before + 0.02


@pytest.mark.usefixtures("examples")
def test_cloning_imitates(tmp_path: Path) -> None:
    clone = importlib.import_module("clone")
    hl.dataset.make("iggi", games=60, players=2, rules="hle", out=tmp_path / "games")
    out = str(tmp_path / "learned.pt")
    same = clone.main([str(tmp_path / "games"), "--epochs", "6", "--hidden", "64", "--out", out])
    assert same > 0.25  # of 20 actions
    learn = importlib.import_module("learn")
    assert learn.load(out).shape == (658, 20, 64)


@pytest.mark.usefixtures("examples")
def test_points_are_lost_with_the_last_life_little_by_little() -> None:
    ppo = importlib.import_module("ppo")
    settings = ppo.Settings(games=2, horizon=2, hidden=4, grace=100, ramp=50, precision="float32")
    trainer = ppo.Trainer(settings)
    worst = []
    for trainer.steps in (0, 100, 125, 150, 10**9):
        worst.append(trainer.worst_reward)
    assert worst == [0, 0, -12.5, -25, -25]


@pytest.mark.usefixtures("examples")
def test_precisions_agree() -> None:
    """The same steps lead to nearly the same policy in bfloat16, on any CPU."""
    ppo = importlib.import_module("ppo")
    found = []
    for precision in ("float32", "bfloat16"):
        settings = ppo.Settings(games=8, horizon=4, hidden=16, precision=precision)
        trainer = ppo.Trainer(settings)
        env = BatchEnv(64, 2, seed=5, dtype="float32", observation="features")
        observations, masks = map(torch.from_numpy, env.reset())
        with torch.no_grad():
            found.append(trainer.log_probs(observations, masks).exp())
    assert torch.allclose(*found, atol=2e-3)
    assert ppo.faster_precision() in ("float32", "bfloat16")


def test_the_blocks_of_the_page_print_what_is_shown() -> None:
    page = EXAMPLES.parent / "docs" / "how-to" / "envs.md"
    assert list(wrong_prints(page, slow=False)) == []


def test_one_readable_file() -> None:
    assert len((EXAMPLES / "ppo.py").read_text().splitlines()) <= 350
