"""Proximal policy optimisation (Schulman et al. 2017) in self-play, after CleanRL: two players.

    python examples/ppo.py --minutes 60 --seed 1 --curve curve.csv

Both players are one network, which sees what the player to move sees; a critic that is only there
for training sees all hands. Losing all points with the last life is phased in over the second half
of the training, because a beginner would otherwise never see any. Every line of the curve is a
test: greedy play, the rules of the Hanabi Learning Environment, other decks.
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
from torch.distributions import Categorical

from hanabilab.envs import BatchEnv
from hanabilab.envs.batch import Step
from hanabilab.game.state import LIVES

TEST_SEED = 1_000_000


def option(default: Any, words: str) -> Any:
    """Return a field of the settings, with its help text."""
    return field(default=default, metadata={"help": words})


@dataclass
class Settings:
    """What can be changed on the command line."""

    minutes: float = option(60.0, "how long to train")
    steps: int = option(0, "how many steps to train, instead of minutes")
    seed: int = option(1, "of networks, decks and exploration")
    games: int = option(128, "games at once")
    horizon: int = option(64, "steps of each game between updates")
    hidden: int = option(192, "units in each of two hidden layers")
    rate: float = option(5e-4, "learning rate, which falls to a tenth")
    gamma: float = option(0.99, "discount")
    trace: float = option(0.95, "lambda of the generalised advantage")
    epochs: int = option(4, "passes over the steps of an update")
    batch: int = option(1024, "steps in a minibatch")
    clip: float = option(0.2, "how far the ratio of probabilities may move")
    entropy: float = option(0.02, "weight of the entropy, which falls to nothing")
    tests: int = option(20, "how many tests there are in the curve")
    test_games: int = option(500, "games of a test")
    threads: int = option(1, "of PyTorch")
    curve: str = option("", "write the curve to this file")
    out: str = option(str(CHECKPOINT), "write the checkpoint to this file")


class Rollout:
    """What happened in `horizon` steps of all games; filled in place, without copies."""

    def __init__(self, env: BatchEnv, horizon: int) -> None:
        n = env.num_envs
        self.seen = torch.zeros(horizon, n, env.observation_length)
        self.full = torch.zeros(horizon + 1, n, env.state_length)
        self.masks = torch.zeros(horizon, n, env.num_actions, dtype=torch.bool)
        self.actions = torch.zeros(horizon, n, dtype=torch.int64)
        self.chances = torch.zeros(horizon, n)
        self.rewards = torch.zeros(horizon, n)
        self.over = torch.zeros(horizon, n)


class Trainer:
    """Plays, looks back and improves, again and again."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        torch.set_num_threads(settings.threads)
        self.env = BatchEnv(settings.games, 2, dtype="float32", seed=settings.seed)
        self.actor = Actor(self.env.observation_length, self.env.num_actions, settings.hidden)
        self.critic = mlp(self.env.state_length, settings.hidden, 1, 1.0)
        self.weights = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.weights, lr=settings.rate, eps=1e-5)
        self.rollout = Rollout(self.env, settings.horizon)
        self.now = Step(*map(torch.from_numpy, self.env.buffers()))
        self.env.reset(out=self.now)
        self.steps, self.start = 0, time.monotonic()

    @property
    def progress(self) -> float:
        """How much of the training is over, from 0 to 1."""
        if self.settings.steps:
            return min(1.0, self.steps / self.settings.steps)
        return min(1.0, (time.monotonic() - self.start) / (60 * self.settings.minutes))

    @torch.no_grad()
    def play(self) -> None:
        """Fill the rollout."""
        kept, now = self.rollout, self.now
        worst = -25 * max(0.0, 2 * self.progress - 1)  # what losing a game costs at most
        for step in range(self.settings.horizon):
            kept.seen[step] = now.observations
            kept.masks[step] = now.action_masks
            self.env.full_states(out=kept.full[step])
            choice = Categorical(logits=self.actor(now.observations, now.action_masks))
            actions = choice.sample()
            kept.actions[step] = actions
            kept.chances[step] = choice.log_prob(actions)
            self.env.step(actions, out=now)
            kept.rewards[step] = now.rewards.clamp(min=worst)
            kept.over[step] = now.done
        self.env.full_states(out=kept.full[-1])
        self.steps += kept.actions.numel()

    @torch.no_grad()
    def advantages(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return how much better each step went than expected, and what to expect (GAE)."""
        kept, settings = self.rollout, self.settings
        values = self.critic(kept.full).squeeze(-1)
        ahead = torch.zeros_like(kept.rewards)
        later = torch.zeros(settings.games)
        for step in reversed(range(settings.horizon)):
            goes_on = 1 - kept.over[step]
            error = kept.rewards[step] + settings.gamma * goes_on * values[step + 1] - values[step]
            later = error + settings.gamma * settings.trace * goes_on * later
            ahead[step] = later
        return ahead, ahead + values[:-1]

    def improve(self) -> None:
        """Move the networks, several times over the same steps."""
        settings, kept = self.settings, self.rollout
        left = 1 - self.progress
        self.optimizer.param_groups[0]["lr"] = settings.rate * (0.1 + 0.9 * left)
        advantages, targets = self.advantages()
        everything = (
            kept.seen.flatten(0, 1),
            kept.full[:-1].flatten(0, 1),
            kept.masks.flatten(0, 1),
            kept.actions.flatten(),
            kept.chances.flatten(),
            advantages.flatten(),
            targets.flatten(),
        )
        for _ in range(settings.epochs):
            for chosen in torch.randperm(len(everything[0])).split(settings.batch):
                loss = self.loss(*(part[chosen] for part in everything), settings.entropy * left)
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.weights, 0.5)
                self.optimizer.step()

    def loss(
        self,
        seen: torch.Tensor,
        full: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        chances: torch.Tensor,
        advantages: torch.Tensor,
        targets: torch.Tensor,
        entropy: float,
    ) -> torch.Tensor:
        """Return the clipped loss of the policy, that of the critic, and less of it for entropy."""
        choice = Categorical(logits=self.actor(seen, masks))
        ratio = (choice.log_prob(actions) - chances).exp()
        gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = ratio.clamp(1 - self.settings.clip, 1 + self.settings.clip)
        policy = -torch.min(ratio * gain, clipped * gain).mean()
        value = 0.5 * (self.critic(full).squeeze(-1) - targets).pow(2).mean()
        return policy + 0.5 * value - entropy * choice.entropy().mean()

    def train(self) -> None:
        """Train, test now and then, and keep the network that is there at the end."""
        settings, curve = self.settings, []
        while True:
            while len(curve) <= settings.tests * self.progress:
                minutes = round((time.monotonic() - self.start) / 60, 2)
                found = {"steps": self.steps, "minutes": minutes}
                curve.append(found | test(self.actor, settings.test_games))
                print(
                    ", ".join(f"{name} {value:,}" for name, value in curve[-1].items()), flush=True
                )
            if self.progress >= 1:
                break
            self.play()
            self.improve()
        save(self.actor, settings.out)
        if settings.curve:
            with Path(settings.curve).open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, curve[0].keys())
                writer.writeheader()
                writer.writerows(curve)


@torch.no_grad()
def test(actor: Actor, games: int) -> dict[str, float]:
    """Play greedily: the mean score, its standard error, fireworks even if lost, games lost."""
    env = BatchEnv(games, 2, dtype="float32", seed=TEST_SEED, keep_points=True)
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
