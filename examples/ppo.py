"""Proximal policy optimisation (Schulman et al. 2017) in self-play, after CleanRL: two players.

    python examples/ppo.py --minutes 10 --seed 1 --curve curve.csv

Both players share one network, which observes what the player to move observes. A critic that is
used only in training sees all hands. At first points are kept when the last life is lost, because a
beginner would otherwise never see any; losing them is phased in early. No setting depends on the
length of the training, so a curve shows what a shorter training would have reached.

Every row of the curve is a test: greedy play under the rules of the Hanabi Learning Environment, on
decks that are not used in training. Minutes are CPU time, without the tests.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from learn import CHECKPOINT, Actor, mlp, save
from torch import nn

from hanabilab.envs import BatchEnv
from hanabilab.envs.batch import Step
from hanabilab.game.state import LIVES

TEST_SEED = 1_000_000
COLUMNS = ("steps", "minutes", "score", "stderr", "fireworks", "lost")


def option(default: Any, help_text: str) -> Any:
    """Return a field of the settings, with its help text."""
    return field(default=default, metadata={"help": help_text})


@dataclass
class Settings:
    """What can be changed on the command line."""

    minutes: float = option(10.0, "CPU minutes of training")
    steps: int = option(0, "environment steps of training, instead of minutes")
    seed: int = option(1, "seed of networks, decks and exploration")
    observation: str = option("features", "kind of observation: features or canonical")
    games: int = option(256, "games at once")
    horizon: int = option(32, "steps of each game between updates")
    hidden: int = option(192, "units in each of two hidden layers")
    rate: float = option(1e-3, "learning rate of Adam")
    gamma: float = option(0.99, "discount")
    trace: float = option(0.95, "lambda of the generalised advantage estimate")
    epochs: int = option(2, "passes over the steps of an update")
    batch: int = option(1024, "steps in a minibatch")
    clip: float = option(0.2, "how far the ratio of probabilities may move")
    entropy: float = option(0.02, "weight of the entropy bonus")
    grace: int = option(200_000, "steps in which points are kept when the last life is lost")
    ramp: int = option(800_000, "steps after that in which losing them is phased in")
    precision: str = option("auto", "float32, bfloat16, or auto: whichever is faster")
    interval: float = option(0.5, "CPU minutes between tests")
    test_games: int = option(1000, "games of a test")
    threads: int = option(1, "threads of PyTorch")
    curve: str = option("", "write the curve to this file, row by row")
    out: str = option(str(CHECKPOINT), "write the checkpoint to this file at every test")


def faster_precision() -> str:
    """Time matrix products in both precisions; only some CPUs multiply bfloat16 directly."""
    seconds = {}
    for precision in (torch.float32, torch.bfloat16):
        left, right = torch.ones(1024, 512, dtype=precision), torch.ones(512, 256, dtype=precision)
        left @ right
        start = time.process_time()
        for _ in range(10):
            left @ right
        seconds[precision] = time.process_time() - start
    return "bfloat16" if seconds[torch.bfloat16] < 0.8 * seconds[torch.float32] else "float32"


class Rollout:
    """What happened in `horizon` steps of all games; filled in place."""

    def __init__(self, env: BatchEnv, horizon: int, inputs: int, precision: torch.dtype) -> None:
        n = env.num_envs
        self.observations = torch.zeros(horizon, n, env.observation_length, dtype=precision)
        self.states = torch.zeros(horizon + 1, n, inputs, dtype=precision)
        self.masks = torch.zeros(horizon, n, env.num_actions, dtype=torch.bool)
        self.actions = torch.zeros(horizon, n, dtype=torch.int64)
        self.log_probs = torch.zeros(horizon, n)
        self.rewards = torch.zeros(horizon, n)
        self.done = torch.zeros(horizon, n)


class Trainer:
    """Alternates between playing and improving the networks."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        torch.set_num_threads(settings.threads)
        self.env = BatchEnv(
            settings.games,
            2,
            dtype="float32",
            seed=settings.seed,
            observation=settings.observation,
        )
        auto = settings.precision == "auto"
        self.precision = getattr(torch, faster_precision() if auto else settings.precision)
        planes = self.env.encoder.sections.get("playable")
        self.planes = planes.start if planes else self.env.observation_length
        inputs = self.env.state_length + self.env.observation_length - self.planes
        length, actions = self.env.observation_length, self.env.num_actions
        self.actor = Actor(length, actions, settings.hidden, settings.observation)
        self.critic = mlp(inputs, settings.hidden, 1, 1.0)
        self.weights = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.weights, lr=settings.rate, eps=1e-5)
        self.rollout = Rollout(self.env, settings.horizon, inputs, self.precision)
        self.now = Step(*map(torch.from_numpy, self.env.buffers()))
        self.env.reset(out=self.now)
        self.states = torch.zeros(settings.games, self.env.state_length)
        self.steps, self.minutes = 0, 0.0

    def networks_run_fast(self) -> torch.autocast:
        """Return a context in which matrices are multiplied in the chosen precision."""
        fast = self.precision != torch.float32
        return torch.autocast("cpu", torch.bfloat16, enabled=fast)

    def log_probs(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Return the logarithm of each action's probability."""
        with self.networks_run_fast():
            logits = self.actor(observations, masks)
        return logits.log_softmax(-1)

    def values(self, states: torch.Tensor) -> torch.Tensor:
        """Return what the critic expects of states."""
        with self.networks_run_fast():
            return self.critic(states).squeeze(-1).float()

    @property
    def worst_reward(self) -> float:
        """What losing the last life costs at most."""
        since = self.steps - self.settings.grace
        return -25 * min(1.0, max(0.0, since / max(1, self.settings.ramp)))

    def observe_states(self, step: int) -> None:
        """Write what the critic sees: the table, and planes of the player to move, if any."""
        length = self.env.state_length
        self.env.full_states(out=self.states)
        self.rollout.states[step, :, :length] = self.states
        self.rollout.states[step, :, length:] = self.now.observations[:, self.planes :]

    @torch.no_grad()
    def play(self) -> None:
        """Fill the rollout."""
        rollout, now, worst = self.rollout, self.now, self.worst_reward
        for step in range(self.settings.horizon):
            rollout.observations[step] = now.observations
            rollout.masks[step] = now.action_masks
            self.observe_states(step)
            log_probs = self.log_probs(rollout.observations[step], now.action_masks)
            # The largest of log-probabilities with Gumbel noise is a sample, without a loop in C.
            actions = (log_probs - torch.empty_like(log_probs).exponential_().log()).argmax(1)
            rollout.actions[step] = actions
            rollout.log_probs[step] = log_probs.gather(1, actions[:, None])[:, 0]
            self.env.step(actions, out=now)
            rollout.rewards[step] = now.rewards.clamp(min=worst)
            rollout.done[step] = now.done
        self.observe_states(self.settings.horizon)
        self.steps += rollout.actions.numel()

    @torch.no_grad()
    def advantages(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return how much better each step went than expected, and what to expect (GAE)."""
        rollout, settings = self.rollout, self.settings
        values = self.values(rollout.states)
        advantages = torch.zeros_like(rollout.rewards)
        later = torch.zeros(settings.games)
        for step in reversed(range(settings.horizon)):
            follows = settings.gamma * (1 - rollout.done[step])
            error = rollout.rewards[step] + follows * values[step + 1] - values[step]
            later = error + settings.trace * follows * later
            advantages[step] = later
        return advantages, advantages + values[:-1]

    def improve(self) -> None:
        """Update the networks, several times with the same steps."""
        rollout = self.rollout
        advantages, targets = self.advantages()
        steps = (
            rollout.observations.flatten(0, 1),
            rollout.states[:-1].flatten(0, 1),
            rollout.masks.flatten(0, 1),
            rollout.actions.flatten(),
            rollout.log_probs.flatten(),
            advantages.flatten(),
            targets.flatten(),
        )
        for _ in range(self.settings.epochs):
            for chosen in torch.randperm(len(steps[0])).split(self.settings.batch):
                loss = self.loss(*(each[chosen] for each in steps))
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.weights, 0.5)
                self.optimizer.step()

    def loss(
        self,
        observations: torch.Tensor,
        states: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        log_probs: torch.Tensor,
        advantages: torch.Tensor,
        targets: torch.Tensor,
    ) -> torch.Tensor:
        """Return the clipped loss of the policy, plus the critic's, minus the entropy bonus."""
        settings = self.settings
        now = self.log_probs(observations, masks)
        ratio = (now.gather(1, actions[:, None])[:, 0] - log_probs).exp()
        gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        policy = -torch.min(ratio * gain, clipped * gain).mean()
        value = 0.5 * (self.values(states) - targets).pow(2).mean()
        entropy = -(now.exp() * now).sum(-1).mean()
        return policy + 0.5 * value - settings.entropy * entropy

    @property
    def is_over(self) -> bool:
        """Whether the training has had its steps or minutes."""
        if self.settings.steps:
            return self.steps >= self.settings.steps
        return self.minutes >= self.settings.minutes

    def train(self) -> None:
        """Train, test at every interval, and save the network each time."""
        curve = Curve(self.settings.curve)
        tests = 0
        while True:
            if self.is_over or self.minutes >= tests * self.settings.interval:
                tests += 1
                found = test(self.actor, self.settings.test_games)
                curve.add({"steps": self.steps, "minutes": round(self.minutes, 2)} | found)
                save(self.actor, self.settings.out)
                if self.is_over:
                    break
            start = time.process_time()
            self.play()
            self.improve()
            self.minutes += (time.process_time() - start) / 60


class Curve:
    """Prints each row of the curve, and appends it to a file at once, if there is one."""

    def __init__(self, file: str) -> None:
        self.file = Path(file) if file else None
        if self.file:
            self.write(COLUMNS, "w")

    def write(self, row: Any, mode: str = "a") -> None:
        """Write a row to the file."""
        with self.file.open(mode, newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(row)

    def add(self, row: dict[str, float]) -> None:
        """Print and write the figures of an update."""
        print(", ".join(f"{name} {value:,}" for name, value in row.items()), flush=True)
        if self.file:
            self.write([row[name] for name in COLUMNS])


@torch.no_grad()
def test(actor: Actor, games: int) -> dict[str, float]:
    """Play greedily: the mean score, its standard error, fireworks even if lost, games lost."""
    env = BatchEnv(
        games, 2, dtype="float32", seed=TEST_SEED, keep_points=True, observation=actor.kind
    )
    now = Step(*map(torch.from_numpy, env.buffers()))
    env.reset(out=now)
    fireworks, lost = np.full(games, -1.0), np.zeros(games, bool)
    while (fireworks < 0).any():
        env.step(actor(now.observations, now.action_masks).argmax(1), out=now)
        fresh = now.done.numpy() & (fireworks < 0)
        fireworks[fresh] = env.final_scores[fresh]
        lost[fresh] = env.final_ends[fresh] == LIVES
    scores = np.where(lost, 0, fireworks)
    error = scores.std() / games**0.5
    found = {"score": scores.mean(), "stderr": error, "fireworks": fireworks.mean()}
    return {name: round(float(value), 3) for name, value in (found | {"lost": lost.mean()}).items()}


def main(arguments: list[str] | None = None) -> None:
    """Train as the command line says."""
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for each in fields(Settings):
        flag = "--" + each.name.replace("_", "-")
        kind = type(each.default)
        parser.add_argument(flag, type=kind, default=each.default, help=each.metadata["help"])
    Trainer(Settings(**vars(parser.parse_args(arguments)))).train()


if __name__ == "__main__":
    main()
